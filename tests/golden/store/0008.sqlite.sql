BEGIN TRANSACTION;
CREATE TABLE audit (
	number INTEGER NOT NULL, 
	sequence BIGINT NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	actor_id TEXT NOT NULL, 
	actor_name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	action TEXT NOT NULL, 
	object TEXT NOT NULL, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (number)
);
INSERT INTO "audit" VALUES(1,1,'2026-11-29T03:04:45.430834Z','u:ann','Ann','curator','incident.create','incident:a','{"revision": 1, "status": "published"}');
INSERT INTO "audit" VALUES(2,2,'2026-11-29T03:04:45.435933Z','u:ann','Ann','curator','incident.create','incident:b','{"revision": 1, "status": "published"}');
INSERT INTO "audit" VALUES(3,3,'2026-11-29T03:04:45.439838Z','u:ben','Ben 本','reviewer','incident.create','incident:c','{"revision": 1, "status": "in_review"}');
INSERT INTO "audit" VALUES(4,4,'2026-11-29T03:04:45.446807Z','u:ben','Ben 本','reviewer','incident.revise','incident:a','{"revision": 2, "status": "draft"}');
INSERT INTO "audit" VALUES(5,5,'2026-11-29T03:04:45.451194Z','u:ben','Ben 本','reviewer','incident.move','incident:a','{"revision": 3, "status": "published"}');
INSERT INTO "audit" VALUES(6,7,'2026-11-29T03:04:45.459507Z','u:ben','Ben 本','reviewer','incident.merge','incident:b','{"into": "a"}');
INSERT INTO "audit" VALUES(7,8,'2026-11-29T03:04:45.465931Z','u:ben','Ben 本','reviewer','incident.assign','incident:c','{"reviewers": ["u:ann"]}');
INSERT INTO "audit" VALUES(8,9,'2026-11-29T03:04:45.470397Z','u:ann','Ann','curator','incident.comment','incident:c','{"comment": 1, "revision": 1}');
INSERT INTO "audit" VALUES(9,10,'2026-11-29T03:04:45.473466Z','u:ben','Ben 本','reviewer','incident.comment','incident:c','{"comment": 2, "revision": 1}');
INSERT INTO "audit" VALUES(10,11,'2026-11-29T03:04:45.486365Z','u:ann','Ann','curator','incident.feedback','incident:a','{"vote": "yes"}');
INSERT INTO "audit" VALUES(11,12,'2026-11-29T03:04:45.488951Z','u:ben','Ben 本','reviewer','key.create','key:442e6d2ad412','{"role": "curator", "scopes": ["search"]}');
CREATE TABLE comments (
	number INTEGER NOT NULL, 
	incident_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	answers INTEGER, 
	text TEXT NOT NULL, 
	by_id TEXT NOT NULL, 
	by_name TEXT NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_comments PRIMARY KEY (number), 
	CONSTRAINT fk_comments_incident_id FOREIGN KEY(incident_id) REFERENCES incidents (id), 
	CONSTRAINT fk_comments_answers FOREIGN KEY(answers) REFERENCES comments (number)
);
INSERT INTO "comments" VALUES(1,'c',1,NULL,'why?','u:ann','Ann','2026-11-29T03:04:45.469177Z');
INSERT INTO "comments" VALUES(2,'c',1,1,'because','u:ben','Ben 本','2026-11-29T03:04:45.473078Z');
CREATE TABLE drafts (
	id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	tab TEXT NOT NULL, 
	title TEXT NOT NULL, 
	text TEXT NOT NULL, 
	note TEXT NOT NULL, 
	incident_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	was TEXT NOT NULL, 
	by_id TEXT NOT NULL, 
	by_name TEXT NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	updated_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_drafts PRIMARY KEY (id)
);
INSERT INTO "drafts" VALUES('23bf9a9e18da0ba649123dacba6dff65',1,'','','half a thought','','',0,'','u:ann','Ann','2026-11-29T03:04:45.504329Z','2026-11-29T03:04:45.504329Z');
CREATE TABLE feedback (
	number INTEGER NOT NULL, 
	incident_id TEXT NOT NULL, 
	vote INTEGER NOT NULL, 
	prints TEXT NOT NULL, 
	probability DOUBLE NOT NULL, 
	snapshot_id TEXT NOT NULL, 
	text TEXT, 
	by_id TEXT NOT NULL, 
	by_name TEXT NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_feedback PRIMARY KEY (number)
);
INSERT INTO "feedback" VALUES(1,'a',1,'{"exact": ["d1"]}',0.875,'0123','boom','u:ann','Ann','2026-11-29T03:04:45.474049Z');
CREATE TABLE incidents (
	id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	live_revision INTEGER, 
	live_status TEXT, 
	live_sequence BIGINT, 
	title TEXT NOT NULL, 
	lang TEXT NOT NULL, 
	component TEXT, 
	sought TEXT NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	updated_at VARCHAR(27) NOT NULL, 
	updated_by_id TEXT NOT NULL, 
	updated_by_name TEXT NOT NULL, 
	CONSTRAINT pk_incidents PRIMARY KEY (id), 
	CONSTRAINT uq_incidents_sequence UNIQUE (sequence), 
	CONSTRAINT uq_incidents_live_sequence UNIQUE (live_sequence)
);
INSERT INTO "incidents" VALUES('a',4,'published',6,4,'published',6,'A, better','en',NULL,'a
a, better
','2026-11-29T03:04:45.427717Z','2026-11-29T03:04:45.455459Z','u:ben','Ben 本');
INSERT INTO "incidents" VALUES('b',2,'retired',7,2,'retired',7,'B','en',NULL,'b
b
','2026-11-29T03:04:45.435009Z','2026-11-29T03:04:45.457145Z','u:ben','Ben 本');
INSERT INTO "incidents" VALUES('c',1,'in_review',3,NULL,NULL,NULL,'C','en',NULL,'c
c
','2026-11-29T03:04:45.438509Z','2026-11-29T03:04:45.438509Z','u:ben','Ben 本');
CREATE TABLE keys (
	id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	expires_at VARCHAR(27), 
	revoked_at VARCHAR(27), 
	last_used VARCHAR(27), 
	CONSTRAINT pk_keys PRIMARY KEY (id), 
	CONSTRAINT uq_keys_digest UNIQUE (digest)
);
INSERT INTO "keys" VALUES('442e6d2ad412','42563616575c6ac0938e41726a27152693b796b80da7da7046b474eb2471d160','ci','curator','["search"]','2026-11-29T03:04:45.487029Z',NULL,NULL,NULL);
CREATE TABLE links (
	id TEXT NOT NULL, 
	text TEXT NOT NULL, 
	secret TEXT NOT NULL, 
	by_id TEXT NOT NULL, 
	by_name TEXT NOT NULL, 
	created_at VARCHAR(27) NOT NULL, 
	expires_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_links PRIMARY KEY (id)
);
INSERT INTO "links" VALUES('b0e23717d2232446132f73d64f5378bf','boom','bff5a5fccf40f7939543074404ff0a2ac4d8cae4d460b58d9c750c5becef9d38','u:ann','Ann','2026-11-29T03:04:45.495695Z','9998-01-01T00:00:00.000094Z');
CREATE TABLE messages (
	ref TEXT NOT NULL, 
	platform TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	begun BOOLEAN NOT NULL, 
	asked TEXT, 
	answer TEXT, 
	tries INTEGER NOT NULL, 
	why TEXT, 
	holder TEXT, 
	due_at VARCHAR(27) NOT NULL, 
	received_at VARCHAR(27) NOT NULL, 
	updated_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_messages PRIMARY KEY (ref), 
	CONSTRAINT uq_messages_platform_message_id UNIQUE (platform, message_id)
);
INSERT INTO "messages" VALUES('fc261f8123a52a9a4b27c33e75a2cd97','slack','m1','question','done',0,'{}',NULL,0,NULL,NULL,'2026-01-01T00:00:00.000000Z','2026-01-01T00:00:00.000000Z','2026-01-01T00:00:00.000000Z');
CREATE TABLE people (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	seen_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id)
);
INSERT INTO "people" VALUES('openid:rose','Rose','reviewer','2026-11-29T03:04:45.501410Z');
CREATE TABLE questions (
	name TEXT NOT NULL, 
	runtime TEXT NOT NULL, 
	type TEXT NOT NULL, 
	template TEXT NOT NULL, 
	nearest TEXT NOT NULL, 
	text TEXT, 
	CONSTRAINT pk_questions PRIMARY KEY (name)
);
INSERT INTO "questions" VALUES('d1','jvm','java.io.IOException','boom <int>','a',NULL);
CREATE TABLE redirects (
	number INTEGER NOT NULL, 
	from_id TEXT NOT NULL, 
	to_id TEXT NOT NULL, 
	from_revision INTEGER NOT NULL, 
	from_live INTEGER, 
	traces TEXT NOT NULL, 
	by_id TEXT NOT NULL, 
	by_name TEXT NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	undone_by_id TEXT, 
	undone_by_name TEXT, 
	undone_at VARCHAR(27), 
	CONSTRAINT pk_redirects PRIMARY KEY (number), 
	CONSTRAINT fk_redirects_from_id FOREIGN KEY(from_id) REFERENCES incidents (id), 
	CONSTRAINT fk_redirects_to_id FOREIGN KEY(to_id) REFERENCES incidents (id)
);
INSERT INTO "redirects" VALUES(1,'b','a',1,1,'["java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]','u:ben','Ben 本','2026-11-29T03:04:45.457145Z',NULL,NULL,NULL);
CREATE TABLE reviewers (
	incident_id TEXT NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	assigned_by_id TEXT NOT NULL, 
	assigned_by_name TEXT NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_reviewers PRIMARY KEY (incident_id, id), 
	CONSTRAINT fk_reviewers_incident_id FOREIGN KEY(incident_id) REFERENCES incidents (id)
);
INSERT INTO "reviewers" VALUES('c','u:ann','Ann','u:ben','Ben 本','2026-11-29T03:04:45.465402Z');
CREATE TABLE revisions (
	incident_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	record TEXT NOT NULL, 
	author_id TEXT NOT NULL, 
	author_name TEXT NOT NULL, 
	note TEXT NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	sequence BIGINT NOT NULL, 
	CONSTRAINT pk_revisions PRIMARY KEY (incident_id, number), 
	CONSTRAINT fk_revisions_incident_id FOREIGN KEY(incident_id) REFERENCES incidents (id), 
	CONSTRAINT uq_revisions_sequence UNIQUE (sequence)
);
INSERT INTO "revisions" VALUES('a',1,'published','{"id":"a","title":"锁 A","lang":"zh","url":"a","source":{"path":"a"},"revision":1,"status":"published","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)","java.lang.IllegalStateException: Till is empty\n\tat com.shop.Till.run(Till.java:4)"],"tags":["x"]}','u:ann','Ann','first','2026-11-29T03:04:45.427717Z',1);
INSERT INTO "revisions" VALUES('b',1,'published','{"id":"b","title":"B","lang":"en","url":"b","source":{"path":"b"},"revision":1,"status":"published","traces":["java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]}','u:ann','Ann','','2026-11-29T03:04:45.435009Z',2);
INSERT INTO "revisions" VALUES('c',1,'in_review','{"id":"c","title":"C","lang":"en","url":"c","source":{"path":"c"},"revision":1,"status":"in_review","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)"]}','u:ben','Ben 本','','2026-11-29T03:04:45.438509Z',3);
INSERT INTO "revisions" VALUES('a',2,'draft','{"id":"a","title":"A, better","lang":"en","url":"a","source":{"path":"a"},"revision":2,"status":"draft","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)"]}','u:ben','Ben 本','','2026-11-29T03:04:45.445104Z',4);
INSERT INTO "revisions" VALUES('a',3,'published','{"id":"a","title":"A, better","lang":"en","url":"a","source":{"path":"a"},"revision":3,"status":"published","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)"]}','u:ben','Ben 本','','2026-11-29T03:04:45.449576Z',5);
INSERT INTO "revisions" VALUES('a',4,'published','{"id":"a","title":"A, better","lang":"en","url":"a","source":{"path":"a"},"revision":4,"status":"published","traces":["java.lang.IllegalStateException: Basket is empty\n\tat com.shop.Basket.run(Basket.java:4)","java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]}','u:ben','Ben 本','b was merged into this','2026-11-29T03:04:45.455459Z',6);
INSERT INTO "revisions" VALUES('b',2,'retired','{"id":"b","title":"B","lang":"en","url":"b","source":{"path":"b"},"revision":2,"status":"retired","traces":["java.lang.IllegalStateException: Door is empty\n\tat com.shop.Door.run(Door.java:4)"]}','u:ben','Ben 本','merged into a','2026-11-29T03:04:45.457145Z',7);
CREATE TABLE sequence (
	one INTEGER NOT NULL, 
	value BIGINT NOT NULL, 
	store_id TEXT NOT NULL, least_revision INTEGER, restored_from TEXT, restored_upto BIGINT, voter_key TEXT, 
	CONSTRAINT pk_sequence PRIMARY KEY (one)
);
INSERT INTO "sequence" VALUES(1,12,'7b43e65ee3df1ad9',NULL,NULL,NULL,'0b02dc2b5a709ffb4279b2d3a64c58b0');
CREATE TABLE sessions (
	digest TEXT NOT NULL, 
	actor_id TEXT NOT NULL, 
	actor_name TEXT NOT NULL, 
	role TEXT NOT NULL, 
	key_id TEXT, 
	created_at VARCHAR(27) NOT NULL, 
	expires_at VARCHAR(27) NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (digest), 
	CONSTRAINT fk_sessions_key_id FOREIGN KEY(key_id) REFERENCES keys (id)
);
INSERT INTO "sessions" VALUES('42563616575c6ac0938e41726a27152693b796b80da7da7046b474eb2471d160','u:ben','Ben 本','reviewer','442e6d2ad412','2026-01-01T00:00:00.000000Z','9999-01-01T00:00:00.000000Z');
CREATE TABLE sightings (
	number INTEGER NOT NULL, 
	incident_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	voter TEXT NOT NULL, 
	weight INTEGER NOT NULL, 
	vote INTEGER NOT NULL, 
	prints TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	at VARCHAR(27) NOT NULL, 
	sequence BIGINT NOT NULL, 
	removed_by_id TEXT, 
	removed_by_name TEXT, 
	removed_at VARCHAR(27), 
	CONSTRAINT pk_sightings PRIMARY KEY (number), 
	CONSTRAINT uq_sightings_incident_id_name_voter UNIQUE (incident_id, name, voter)
);
INSERT INTO "sightings" VALUES(1,'a','095ef971047e711d','u:ann',0,1,'{"exact": ["d1"]}',6,'2026-11-29T03:04:45.474049Z',11,NULL,NULL,NULL);
CREATE TABLE store_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT store_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "store_version" VALUES('0008');
CREATE TABLE tallies (
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	day VARCHAR(10) NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_tallies PRIMARY KEY (kind, name, detail, day)
);
INSERT INTO "tallies" VALUES('found','a','','2026-01-01',3);
INSERT INTO "tallies" VALUES('unanswered','d1','','2026-01-01',2);
CREATE INDEX ix_incidents_component ON incidents (component);
CREATE INDEX ix_incidents_status_id ON incidents (status, id);
CREATE INDEX ix_redirects_to_id ON redirects (to_id);
CREATE UNIQUE INDEX uq_redirects_in_force ON redirects (from_id) WHERE undone_at IS NULL;
CREATE INDEX ix_comments_incident_id_number ON comments (incident_id, number);
CREATE INDEX ix_feedback_incident_id_number ON feedback (incident_id, number);
CREATE INDEX ix_audit_sequence ON audit (sequence);
CREATE INDEX ix_audit_object ON audit (object);
CREATE TRIGGER frozen_revisions_update BEFORE UPDATE ON revisions BEGIN SELECT RAISE(ABORT, 'revisions is append-only'); END;
CREATE TRIGGER frozen_revisions_delete BEFORE DELETE ON revisions BEGIN SELECT RAISE(ABORT, 'revisions is append-only'); END;
CREATE TRIGGER frozen_audit_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER frozen_audit_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);
CREATE INDEX ix_messages_received_at ON messages (received_at);
CREATE INDEX ix_messages_state_due_at ON messages (state, due_at);
CREATE INDEX ix_sightings_sequence ON sightings (sequence);
CREATE INDEX ix_links_expires_at ON links (expires_at);
CREATE INDEX ix_links_by_id_created_at ON links (by_id, created_at);
CREATE INDEX ix_tallies_day ON tallies (day);
CREATE INDEX ix_drafts_by_id_updated_at ON drafts (by_id, updated_at);
CREATE INDEX ix_drafts_updated_at ON drafts (updated_at);
CREATE INDEX ix_people_seen_at ON people (seen_at);
CREATE INDEX ix_reviewers_id ON reviewers (id);
COMMIT;
