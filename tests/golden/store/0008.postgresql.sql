SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.frozen_audit() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'audit is append-only'; END $$;
CREATE FUNCTION public.frozen_revisions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'revisions is append-only'; END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.audit (
    number bigint NOT NULL,
    sequence bigint NOT NULL,
    at character varying(27) NOT NULL,
    actor_id text NOT NULL COLLATE pg_catalog."C",
    actor_name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    object text NOT NULL COLLATE pg_catalog."C",
    details text NOT NULL COLLATE pg_catalog."C"
);
CREATE SEQUENCE public.audit_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_number_seq OWNED BY public.audit.number;
CREATE TABLE public.comments (
    number bigint NOT NULL,
    incident_id text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    answers bigint,
    text text NOT NULL COLLATE pg_catalog."C",
    by_id text NOT NULL COLLATE pg_catalog."C",
    by_name text NOT NULL COLLATE pg_catalog."C",
    at character varying(27) NOT NULL
);
CREATE SEQUENCE public.comments_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.comments_number_seq OWNED BY public.comments.number;
CREATE TABLE public.drafts (
    id text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    tab text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C",
    note text NOT NULL COLLATE pg_catalog."C",
    incident_id text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    was text NOT NULL COLLATE pg_catalog."C",
    by_id text NOT NULL COLLATE pg_catalog."C",
    by_name text NOT NULL COLLATE pg_catalog."C",
    created_at character varying(27) NOT NULL,
    updated_at character varying(27) NOT NULL
);
CREATE TABLE public.feedback (
    number bigint NOT NULL,
    incident_id text NOT NULL COLLATE pg_catalog."C",
    vote integer NOT NULL,
    prints text NOT NULL COLLATE pg_catalog."C",
    probability double precision NOT NULL,
    snapshot_id text NOT NULL COLLATE pg_catalog."C",
    text text COLLATE pg_catalog."C",
    by_id text NOT NULL COLLATE pg_catalog."C",
    by_name text NOT NULL COLLATE pg_catalog."C",
    at character varying(27) NOT NULL
);
CREATE SEQUENCE public.feedback_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.feedback_number_seq OWNED BY public.feedback.number;
CREATE TABLE public.incidents (
    id text NOT NULL COLLATE pg_catalog."C",
    revision integer NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    live_revision integer,
    live_status text COLLATE pg_catalog."C",
    live_sequence bigint,
    title text NOT NULL COLLATE pg_catalog."C",
    lang text NOT NULL COLLATE pg_catalog."C",
    component text COLLATE pg_catalog."C",
    sought text NOT NULL COLLATE pg_catalog."C",
    created_at character varying(27) NOT NULL,
    updated_at character varying(27) NOT NULL,
    updated_by_id text NOT NULL COLLATE pg_catalog."C",
    updated_by_name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.keys (
    id text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    scopes text NOT NULL COLLATE pg_catalog."C",
    created_at character varying(27) NOT NULL,
    expires_at character varying(27),
    revoked_at character varying(27),
    last_used character varying(27)
);
CREATE TABLE public.links (
    id text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    by_id text NOT NULL COLLATE pg_catalog."C",
    by_name text NOT NULL COLLATE pg_catalog."C",
    created_at character varying(27) NOT NULL,
    expires_at character varying(27) NOT NULL
);
CREATE TABLE public.messages (
    ref text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    message_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    begun boolean NOT NULL,
    asked text COLLATE pg_catalog."C",
    answer text COLLATE pg_catalog."C",
    tries integer NOT NULL,
    why text COLLATE pg_catalog."C",
    holder text COLLATE pg_catalog."C",
    due_at character varying(27) NOT NULL,
    received_at character varying(27) NOT NULL,
    updated_at character varying(27) NOT NULL
);
CREATE TABLE public.people (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    seen_at character varying(27) NOT NULL
);
CREATE TABLE public.questions (
    name text NOT NULL COLLATE pg_catalog."C",
    runtime text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    template text NOT NULL COLLATE pg_catalog."C",
    nearest text NOT NULL COLLATE pg_catalog."C",
    text text COLLATE pg_catalog."C"
);
CREATE TABLE public.redirects (
    number bigint NOT NULL,
    from_id text NOT NULL COLLATE pg_catalog."C",
    to_id text NOT NULL COLLATE pg_catalog."C",
    from_revision integer NOT NULL,
    from_live integer,
    traces text NOT NULL COLLATE pg_catalog."C",
    by_id text NOT NULL COLLATE pg_catalog."C",
    by_name text NOT NULL COLLATE pg_catalog."C",
    at character varying(27) NOT NULL,
    undone_by_id text COLLATE pg_catalog."C",
    undone_by_name text COLLATE pg_catalog."C",
    undone_at character varying(27)
);
CREATE SEQUENCE public.redirects_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.redirects_number_seq OWNED BY public.redirects.number;
CREATE TABLE public.reviewers (
    incident_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    assigned_by_id text NOT NULL COLLATE pg_catalog."C",
    assigned_by_name text NOT NULL COLLATE pg_catalog."C",
    at character varying(27) NOT NULL
);
CREATE TABLE public.revisions (
    incident_id text NOT NULL COLLATE pg_catalog."C",
    number integer NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    record text NOT NULL COLLATE pg_catalog."C",
    author_id text NOT NULL COLLATE pg_catalog."C",
    author_name text NOT NULL COLLATE pg_catalog."C",
    note text NOT NULL COLLATE pg_catalog."C",
    at character varying(27) NOT NULL,
    sequence bigint NOT NULL
);
CREATE TABLE public.sequence (
    one integer NOT NULL,
    value bigint NOT NULL,
    store_id text NOT NULL COLLATE pg_catalog."C",
    least_revision integer,
    restored_from text COLLATE pg_catalog."C",
    restored_upto bigint,
    voter_key text COLLATE pg_catalog."C"
);
CREATE TABLE public.sessions (
    digest text NOT NULL COLLATE pg_catalog."C",
    actor_id text NOT NULL COLLATE pg_catalog."C",
    actor_name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    key_id text COLLATE pg_catalog."C",
    created_at character varying(27) NOT NULL,
    expires_at character varying(27) NOT NULL
);
CREATE TABLE public.sightings (
    number bigint NOT NULL,
    incident_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    voter text NOT NULL COLLATE pg_catalog."C",
    weight integer NOT NULL,
    vote integer NOT NULL,
    prints text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    at character varying(27) NOT NULL,
    sequence bigint NOT NULL,
    removed_by_id text COLLATE pg_catalog."C",
    removed_by_name text COLLATE pg_catalog."C",
    removed_at character varying(27)
);
CREATE SEQUENCE public.sightings_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.sightings_number_seq OWNED BY public.sightings.number;
CREATE TABLE public.store_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.tallies (
    kind text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    detail text NOT NULL COLLATE pg_catalog."C",
    day character varying(10) NOT NULL,
    count bigint NOT NULL
);
ALTER TABLE ONLY public.audit ALTER COLUMN number SET DEFAULT nextval('public.audit_number_seq'::regclass);
ALTER TABLE ONLY public.comments ALTER COLUMN number SET DEFAULT nextval('public.comments_number_seq'::regclass);
ALTER TABLE ONLY public.feedback ALTER COLUMN number SET DEFAULT nextval('public.feedback_number_seq'::regclass);
ALTER TABLE ONLY public.redirects ALTER COLUMN number SET DEFAULT nextval('public.redirects_number_seq'::regclass);
ALTER TABLE ONLY public.sightings ALTER COLUMN number SET DEFAULT nextval('public.sightings_number_seq'::regclass);
INSERT INTO public.audit VALUES (1, 1, '2026-11-29T03:04:46.997040Z', 'u:ann', 'Ann', 'curator', 'incident.create', 'incident:a', '{"revision": 1, "status": "published"}');
INSERT INTO public.audit VALUES (2, 2, '2026-11-29T03:04:47.011137Z', 'u:ann', 'Ann', 'curator', 'incident.create', 'incident:b', '{"revision": 1, "status": "published"}');
INSERT INTO public.audit VALUES (3, 3, '2026-11-29T03:04:47.023033Z', 'u:ben', 'Ben 本', 'reviewer', 'incident.create', 'incident:c', '{"revision": 1, "status": "in_review"}');
INSERT INTO public.audit VALUES (4, 4, '2026-11-29T03:04:47.050824Z', 'u:ben', 'Ben 本', 'reviewer', 'incident.revise', 'incident:a', '{"revision": 2, "status": "draft"}');
INSERT INTO public.audit VALUES (5, 5, '2026-11-29T03:04:47.064719Z', 'u:ben', 'Ben 本', 'reviewer', 'incident.move', 'incident:a', '{"revision": 3, "status": "published"}');
INSERT INTO public.audit VALUES (6, 7, '2026-11-29T03:04:47.090761Z', 'u:ben', 'Ben 本', 'reviewer', 'incident.merge', 'incident:b', '{"into": "a"}');
INSERT INTO public.audit VALUES (7, 8, '2026-11-29T03:04:47.110046Z', 'u:ben', 'Ben 本', 'reviewer', 'incident.assign', 'incident:c', '{"reviewers": ["u:ann"]}');
INSERT INTO public.audit VALUES (8, 9, '2026-11-29T03:04:47.122567Z', 'u:ann', 'Ann', 'curator', 'incident.comment', 'incident:c', '{"comment": 1, "revision": 1}');
INSERT INTO public.audit VALUES (9, 10, '2026-11-29T03:04:47.131543Z', 'u:ben', 'Ben 本', 'reviewer', 'incident.comment', 'incident:c', '{"comment": 2, "revision": 1}');
INSERT INTO public.audit VALUES (10, 11, '2026-11-29T03:04:47.166200Z', 'u:ann', 'Ann', 'curator', 'incident.feedback', 'incident:a', '{"vote": "yes"}');
INSERT INTO public.audit VALUES (11, 12, '2026-11-29T03:04:47.173328Z', 'u:ben', 'Ben 本', 'reviewer', 'key.create', 'key:67e9d72bc4fd', '{"role": "curator", "scopes": ["search"]}');
INSERT INTO public.comments VALUES (1, 'c', 1, NULL, 'why?', 'u:ann', 'Ann', '2026-11-29T03:04:47.118385Z');
INSERT INTO public.comments VALUES (2, 'c', 1, 1, 'because', 'u:ben', 'Ben 本', '2026-11-29T03:04:47.130111Z');
INSERT INTO public.drafts VALUES ('3a652a4b0eef2f40877f9868381e679e', 1, '', '', 'half a thought', '', '', 0, '', 'u:ann', 'Ann', '2026-11-29T03:04:47.214145Z', '2026-11-29T03:04:47.214145Z');
INSERT INTO public.feedback VALUES (1, 'a', 1, '{"exact": ["d1"]}', 0.875, '0123', 'boom', 'u:ann', 'Ann', '2026-11-29T03:04:47.133109Z');
INSERT INTO public.incidents VALUES ('c', 1, 'in_review', 3, NULL, NULL, NULL, 'C', 'en', NULL, 'c
c
', '2026-11-29T03:04:47.018383Z', '2026-11-29T03:04:47.018383Z', 'u:ben', 'Ben 本');
INSERT INTO public.incidents VALUES ('a', 4, 'published', 6, 4, 'published', 6, 'A, better', 'en', NULL, 'a
a, better
', '2026-11-29T03:04:46.988121Z', '2026-11-29T03:04:47.078797Z', 'u:ben', 'Ben 本');
INSERT INTO public.incidents VALUES ('b', 2, 'retired', 7, 2, 'retired', 7, 'B', 'en', NULL, 'b
b
', '2026-11-29T03:04:47.008477Z', '2026-11-29T03:04:47.083437Z', 'u:ben', 'Ben 本');
INSERT INTO public.keys VALUES ('67e9d72bc4fd', '42563616575c6ac0938e41726a27152693b796b80da7da7046b474eb2471d160', 'ci', 'curator', '["search"]', '2026-11-29T03:04:47.167724Z', NULL, NULL, NULL);
INSERT INTO public.links VALUES ('b41f0d79dec05ebe9c07b66bddaaa7db', 'boom', 'c3fcb2101d798229cce70980303e26a1169505e92e98ae2a672acaa103a9cde6', 'u:ann', 'Ann', '2026-11-29T03:04:47.192093Z', '9998-01-01T00:00:00.000088Z');
INSERT INTO public.messages VALUES ('fe6a0bb8f44f94431efde354e3bd63bc', 'slack', 'm1', 'question', 'done', false, '{}', NULL, 0, NULL, NULL, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z');
INSERT INTO public.people VALUES ('openid:rose', 'Rose', 'reviewer', '2026-11-29T03:04:47.206037Z');
INSERT INTO public.questions VALUES ('d1', 'jvm', 'java.io.IOException', 'boom <int>', 'a', NULL);
INSERT INTO public.redirects VALUES (1, 'b', 'a', 1, 1, '["java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]', 'u:ben', 'Ben 本', '2026-11-29T03:04:47.083437Z', NULL, NULL, NULL);
INSERT INTO public.reviewers VALUES ('c', 'u:ann', 'Ann', 'u:ben', 'Ben 本', '2026-11-29T03:04:47.107693Z');
INSERT INTO public.revisions VALUES ('a', 1, 'published', '{"id":"a","title":"锁 A","lang":"zh","url":"a","source":{"path":"a"},"revision":1,"status":"published","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)","java.lang.IllegalStateException: Till is empty\n\tat com.shop.Till.run(Till.java:4)"],"tags":["x"]}', 'u:ann', 'Ann', 'first', '2026-11-29T03:04:46.988121Z', 1);
INSERT INTO public.revisions VALUES ('b', 1, 'published', '{"id":"b","title":"B","lang":"en","url":"b","source":{"path":"b"},"revision":1,"status":"published","traces":["java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]}', 'u:ann', 'Ann', '', '2026-11-29T03:04:47.008477Z', 2);
INSERT INTO public.revisions VALUES ('c', 1, 'in_review', '{"id":"c","title":"C","lang":"en","url":"c","source":{"path":"c"},"revision":1,"status":"in_review","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)"]}', 'u:ben', 'Ben 本', '', '2026-11-29T03:04:47.018383Z', 3);
INSERT INTO public.revisions VALUES ('a', 2, 'draft', '{"id":"a","title":"A, better","lang":"en","url":"a","source":{"path":"a"},"revision":2,"status":"draft","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)"]}', 'u:ben', 'Ben 本', '', '2026-11-29T03:04:47.045103Z', 4);
INSERT INTO public.revisions VALUES ('a', 3, 'published', '{"id":"a","title":"A, better","lang":"en","url":"a","source":{"path":"a"},"revision":3,"status":"published","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)"]}', 'u:ben', 'Ben 本', '', '2026-11-29T03:04:47.059307Z', 5);
INSERT INTO public.revisions VALUES ('a', 4, 'published', '{"id":"a","title":"A, better","lang":"en","url":"a","source":{"path":"a"},"revision":4,"status":"published","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)","java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]}', 'u:ben', 'Ben 本', 'b was merged into this', '2026-11-29T03:04:47.078797Z', 6);
INSERT INTO public.revisions VALUES ('b', 2, 'retired', '{"id":"b","title":"B","lang":"en","url":"b","source":{"path":"b"},"revision":2,"status":"retired","traces":["java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]}', 'u:ben', 'Ben 本', 'merged into a', '2026-11-29T03:04:47.083437Z', 7);
INSERT INTO public.sequence VALUES (1, 12, 'd9989ab624eb6b07', NULL, NULL, NULL, '31aae670e27d1db5c654f0d96e593147');
INSERT INTO public.sessions VALUES ('42563616575c6ac0938e41726a27152693b796b80da7da7046b474eb2471d160', 'u:ben', 'Ben 本', 'reviewer', '67e9d72bc4fd', '2026-01-01T00:00:00.000000Z', '9999-01-01T00:00:00.000000Z');
INSERT INTO public.sightings VALUES (1, 'a', '095ef971047e711d', 'u:ann', 0, 1, '{"exact": ["d1"]}', 6, '2026-11-29T03:04:47.133109Z', 11, NULL, NULL, NULL);
INSERT INTO public.store_version VALUES ('0008');
INSERT INTO public.tallies VALUES ('found', 'a', '', '2026-01-01', 3);
INSERT INTO public.tallies VALUES ('unanswered', 'd1', '', '2026-01-01', 2);
SELECT pg_catalog.setval('public.audit_number_seq', 11, true);
SELECT pg_catalog.setval('public.comments_number_seq', 2, true);
SELECT pg_catalog.setval('public.feedback_number_seq', 1, true);
SELECT pg_catalog.setval('public.redirects_number_seq', 1, true);
SELECT pg_catalog.setval('public.sightings_number_seq', 1, true);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT pk_audit PRIMARY KEY (number);
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT pk_comments PRIMARY KEY (number);
ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT pk_drafts PRIMARY KEY (id);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT pk_feedback PRIMARY KEY (number);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT pk_incidents PRIMARY KEY (id);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT pk_keys PRIMARY KEY (id);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT pk_links PRIMARY KEY (id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT pk_messages PRIMARY KEY (ref);
ALTER TABLE ONLY public.people
    ADD CONSTRAINT pk_people PRIMARY KEY (id);
ALTER TABLE ONLY public.questions
    ADD CONSTRAINT pk_questions PRIMARY KEY (name);
ALTER TABLE ONLY public.redirects
    ADD CONSTRAINT pk_redirects PRIMARY KEY (number);
ALTER TABLE ONLY public.reviewers
    ADD CONSTRAINT pk_reviewers PRIMARY KEY (incident_id, id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT pk_revisions PRIMARY KEY (incident_id, number);
ALTER TABLE ONLY public.sequence
    ADD CONSTRAINT pk_sequence PRIMARY KEY (one);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (digest);
ALTER TABLE ONLY public.sightings
    ADD CONSTRAINT pk_sightings PRIMARY KEY (number);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT pk_tallies PRIMARY KEY (kind, name, detail, day);
ALTER TABLE ONLY public.store_version
    ADD CONSTRAINT store_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT uq_incidents_live_sequence UNIQUE (live_sequence);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT uq_incidents_sequence UNIQUE (sequence);
ALTER TABLE ONLY public.keys
    ADD CONSTRAINT uq_keys_digest UNIQUE (digest);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT uq_messages_platform_message_id UNIQUE (platform, message_id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT uq_revisions_sequence UNIQUE (sequence);
ALTER TABLE ONLY public.sightings
    ADD CONSTRAINT uq_sightings_incident_id_name_voter UNIQUE (incident_id, name, voter);
CREATE INDEX ix_audit_object ON public.audit USING btree (object);
CREATE INDEX ix_audit_sequence ON public.audit USING btree (sequence);
CREATE INDEX ix_comments_incident_id_number ON public.comments USING btree (incident_id, number);
CREATE INDEX ix_drafts_by_id_updated_at ON public.drafts USING btree (by_id, updated_at);
CREATE INDEX ix_drafts_updated_at ON public.drafts USING btree (updated_at);
CREATE INDEX ix_feedback_incident_id_number ON public.feedback USING btree (incident_id, number);
CREATE INDEX ix_incidents_component ON public.incidents USING btree (component);
CREATE INDEX ix_incidents_status_id ON public.incidents USING btree (status, id);
CREATE INDEX ix_links_by_id_created_at ON public.links USING btree (by_id, created_at);
CREATE INDEX ix_links_expires_at ON public.links USING btree (expires_at);
CREATE INDEX ix_messages_received_at ON public.messages USING btree (received_at);
CREATE INDEX ix_messages_state_due_at ON public.messages USING btree (state, due_at);
CREATE INDEX ix_people_seen_at ON public.people USING btree (seen_at);
CREATE INDEX ix_redirects_to_id ON public.redirects USING btree (to_id);
CREATE INDEX ix_reviewers_id ON public.reviewers USING btree (id);
CREATE INDEX ix_sessions_expires_at ON public.sessions USING btree (expires_at);
CREATE INDEX ix_sightings_sequence ON public.sightings USING btree (sequence);
CREATE INDEX ix_tallies_day ON public.tallies USING btree (day);
CREATE UNIQUE INDEX uq_redirects_in_force ON public.redirects USING btree (from_id) WHERE (undone_at IS NULL);
CREATE TRIGGER frozen_audit BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION public.frozen_audit();
CREATE TRIGGER frozen_revisions BEFORE DELETE OR UPDATE OR TRUNCATE ON public.revisions FOR EACH STATEMENT EXECUTE FUNCTION public.frozen_revisions();
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT fk_comments_answers FOREIGN KEY (answers) REFERENCES public.comments(number);
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT fk_comments_incident_id FOREIGN KEY (incident_id) REFERENCES public.incidents(id);
ALTER TABLE ONLY public.redirects
    ADD CONSTRAINT fk_redirects_from_id FOREIGN KEY (from_id) REFERENCES public.incidents(id);
ALTER TABLE ONLY public.redirects
    ADD CONSTRAINT fk_redirects_to_id FOREIGN KEY (to_id) REFERENCES public.incidents(id);
ALTER TABLE ONLY public.reviewers
    ADD CONSTRAINT fk_reviewers_incident_id FOREIGN KEY (incident_id) REFERENCES public.incidents(id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT fk_revisions_incident_id FOREIGN KEY (incident_id) REFERENCES public.incidents(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT fk_sessions_key_id FOREIGN KEY (key_id) REFERENCES public.keys(id);
