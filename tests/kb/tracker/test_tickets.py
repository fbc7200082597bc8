"""What of a ticket ends in the incident: by tables of small records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.incident import Incident
from kb.record import RecordError, from_record, to_record
from kb.tracker import Tracker, incidents_of_record, key_of, tracker_of
from kb.tracker.fields import day_at, list_at, names_at, text_at
from kb.tracker.mail import subject_of
from kb.tracker.ticket import is_robot


def read(record: dict[str, object], tracker: Tracker, name: str = "dump#1") -> Incident:
    (incident,) = incidents_of_record(record, tracker, name)
    return incident


def github(*comments: tuple[str, str], **more: object) -> dict[str, object]:
    told = [{"author": {"login": login}, "body": body} for login, body in comments]
    return {"number": 7, "title": "Pool fails", "body": "The pool fails at start.", "comments": told, **more}


@pytest.mark.parametrize(
    ("record", "tracker", "key"),
    [
        ({"key": "A-1", "fields": {"summary": "x"}}, Tracker.JIRA, "A-1"),
        (github(), Tracker.GITHUB, "7"),
        (github(url="https://github.com/a/b.c/pull/7"), Tracker.GITHUB, "a/b.c#7"),
        (github(url="https://api.github.com/repos/a/b/issues/7"), Tracker.GITHUB, "a/b#7"),
        ({"title": "x", "body": "y", "url": "https://git.acme.example/a/b/discussions/9"}, Tracker.GITHUB, "a/b#9"),
        ({"id": "5", "title": "x", "body": {"storage": {"value": "<p>y</p>"}}}, Tracker.CONFLUENCE, "5"),
        ({"title": "x", "root_cause": "y", "url": "https://github.com/a/b"}, None, ""),
        ({"title": "x", "body": "y"}, None, ""),
        ({}, None, ""),
    ],
)
def test_the_shape_tells_the_tracker(record: dict[str, object], tracker: Tracker | None, key: str):
    assert (tracker_of(record), key_of(record)) == (tracker, key)


def test_what_robots_say_is_left_out():
    incident = read(
        github(("flinkbot", "The cause is a robot."), ("ann", "The root cause is a closed socket.")), Tracker.GITHUB
    )
    assert incident.root_cause == "The root cause is a closed socket."
    assert "robot" not in incident.prose


TRIED = ("bob", "I set `pool=8` and restarted.")
SOLVED = ("eve", "Close the sessions to solve the problem.")


@pytest.mark.parametrize(
    ("comments", "fix"),
    [
        ([TRIED, ("ann", "Fixed in #12, released as 5.2.1."), ("bob", "Thanks!")], "Fixed in #12, released as 5.2.1."),
        (
            [("ann", "Fixed in 5.2.0."), TRIED, ("ann", "This has been fixed in 5.2.3.")],
            "This has been fixed in 5.2.3.",
        ),
        (
            [TRIED, ("ann", "> it fails\n\nI solved it by closing the sessions.")],
            "I solved it by closing the sessions.",
        ),
        ([TRIED, ("ann", "该问题已在 2.4.1 版本中修复。")], "该问题已在 2.4.1 版本中修复。"),
        ([("ann", "Fixed in 5.2.1? It still fails.")], None),
        ([("ann", "Fixed by closing the sessions, but it came back.")], None),
        ([SOLVED, ("ann", "已经在我的分支修复。")], "Close the sessions to solve the problem."),
        ([("ann", "Will this be fixed in 5.2.1? It still fails.")], None),
        ([("ann", "已经尝试了重启，没有解决。")], None),
    ],
)
def test_the_comment_that_closed_it_is_the_fix(comments: list[tuple[str, str]], fix: str | None):
    assert read(github(*comments), Tracker.GITHUB).fix == fix


@pytest.mark.parametrize(("said", "part"), [("Fixed in 5.2.1.", "Answer"), ("Fixed in my fork.", "Discussion")])
def test_what_closed_it_for_all_is_its_answer(said: str, part: str):
    (place,) = read(github(("ann", said)), Tracker.GITHUB).quotes["fix"]

    assert place.heading == part


def test_the_fixed_version_is_no_cause():
    trace = "```\nValueError: x\n```\n"
    incident = read(
        github(("ann", "该问题已在 2.4.1 版本中修复，请升级。"), body=f"启动报错\n\n{trace}"), Tracker.GITHUB
    )

    assert incident.root_cause is None
    assert incident.fix == "该问题已在 2.4.1 版本中修复，请升级。"


def test_an_accepted_answer_wins_over_a_comment_that_says_fixed():
    record = github(("ann", "Fixed in 5.2.1."), answer={"id": "a", "body": "Close the sessions."})

    assert read(record, Tracker.GITHUB).fix == "Close the sessions."


@pytest.mark.parametrize(
    ("name", "robot"),
    [("stale[bot]", True), ("Hadoop QA", True), ("ci-bot", True), ("Abbot", False), ("robotnik", False), ("", False)],
)
def test_who_is_a_robot(name: str, *, robot: bool):
    assert is_robot(name) is robot


def test_a_label_may_name_the_component():
    labels = [{"name": name} for name in ("bug", "area/scheduler", "Component: web", "areal", "component:")]
    incident = read(github(labels=labels), Tracker.GITHUB)
    assert (incident.component, len(incident.tags)) == ("scheduler, web", 5)


def test_one_that_the_tracker_calls_a_robot():
    said = {"author": {"login": "innocent", "is_bot": True}, "body": "The root cause is me."}
    assert read(github(comments=[said]), Tracker.GITHUB).root_cause is None


def test_the_accepted_answer_is_the_fix():
    answers = [
        {"Id": "2", "Score": "3", "Body": "<p>Restart the driver.</p>"},
        {"Id": "3", "Score": "9", "Body": "<p>Buy memory.</p>"},
    ]
    question = {"Id": "1", "Title": "It hangs", "Body": "<p>My job hangs.</p>"}
    for accepted, fix in (("2", "Restart the driver."), ("3", "Buy memory.")):
        ordered = sorted(answers, key=lambda row: row["Id"] != accepted)
        record = {"question": question | {"AcceptedAnswerId": accepted}, "answers": ordered}
        assert read(record, Tracker.STACKEXCHANGE).fix == fix


@pytest.mark.parametrize(("score", "chosen"), [("2", True), ("0", False), ("-3", False), ("nonsense", False)])
def test_an_answer_that_nobody_accepted_needs_votes(score: str, *, chosen: bool):
    question = {"Id": "1", "Title": "It hangs", "Body": "<p>My job hangs.</p>"}
    record = {
        "question": question,
        "answers": [{"Id": "2", "Score": score, "Body": "<p>Mine has four cores and a lid.</p>"}],
    }
    assert read(record, Tracker.STACKEXCHANGE).fix == ("Mine has four cores and a lid." if chosen else None)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("dumps/dba.stackexchange.com/Posts.xml#1", "https://dba.stackexchange.com/q/1"),
        ("stackoverflow.com.zip!/Posts.xml#1", "https://stackoverflow.com/q/1"),
        ("notstackoverflow.com/Posts.xml#1", "notstackoverflow.com/Posts.xml#1"),
        ("Posts.xml#1", "Posts.xml#1"),
    ],
)
def test_the_site_is_told_by_folder_or_archive(name: str, url: str):
    record = {"question": {"Id": "1", "Title": "It hangs", "Body": "<p>It hangs.</p>"}, "answers": []}
    assert read(record, Tracker.STACKEXCHANGE, name).source.url == url


def test_quotes_of_a_mail_are_not_read_twice():
    first = {"subject": "Pool fails", "text": "> an old mail\nThe pool fails."}
    reply = {
        "subject": "Re: Pool fails",
        "text": "On Monday\nann wrote:\n> The pool fails.\n\nRestart it.\n--\nBob\n-- \nBob, Acme Ltd",
    }
    outlook = {"subject": "Re: Pool fails", "text": "Thanks.\n-----Original Message-----\nThe pool fails."}
    incident = read({"messages": [first, reply, outlook]}, Tracker.MBOX)
    said = f"{incident.symptom}\n{incident.fix}\n{incident.prose}"
    assert "an old mail" in said
    assert said.count("The pool fails.") == 1
    assert "Acme Ltd" not in said
    assert "wrote:" not in said


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Re: [dev] RE[2]: Pool fails", "Pool fails"),
        ("回复：转发: 端口被占用", "端口被占用"),
        ("[dev] Pool [fails]", "Pool [fails]"),
        ("Re:", "Re:"),
        ("Request fails", "Request fails"),
    ],
)
def test_subjects(subject: str, expected: str):
    assert subject_of(subject) == expected


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2020-03-03T10:15:00.000+0000", "2020-03-03"),
        ("Tue, 3 Mar 2020 10:15:00 +0000 (GMT)", "2020-03-03"),
        ("03/Mar/20 10:15 AM", "2020-03-03"),
        ("03/Mar/20 22:15", "2020-03-03"),
        ("yesterday", ""),
        ("2020-13-03", ""),
        (20200303, ""),
        (None, ""),
    ],
)
def test_days(written: object, day: str):
    assert day_at({"x": written}, "x") == day


@pytest.mark.parametrize(
    ("record", "tracker"),
    [
        ({"fields": {"summary": ""}}, Tracker.JIRA),
        ({"row": {"Summary": []}}, Tracker.JIRA),
        ({"item": {}}, Tracker.JIRA),
        ({"body": "x"}, Tracker.GITHUB),
        ({"question": {}}, Tracker.STACKEXCHANGE),
        ({"page": {"body": "x"}}, Tracker.CONFLUENCE),
        ({"messages": []}, Tracker.MBOX),
    ],
)
def test_a_file_that_is_no_record_is_an_error(record: dict[str, object], tracker: Tracker):
    with pytest.raises(RecordError) as caught:
        incidents_of_record(record, tracker, "x")
    assert caught.value.cure


def test_secrets_stay_out():
    record = {
        "key": "A-1",
        "fields": {
            "summary": "Login fails",
            "description": "It fails with password=hunter2hunter2",
            "status": {"name": "token=ghp_" + "a" * 36},
        },
    }
    assert "hunter2" not in str(to_record(read(record, Tracker.JIRA)))
    assert "ghp_" not in str(to_record(read(record, Tracker.JIRA)))


def test_an_incident_of_a_tracker_survives_its_record():
    incident = read(github(("ann", "The root cause is a closed socket.")), Tracker.GITHUB)
    assert from_record(to_record(incident)) == incident


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["title", "body", "fields", "summary", "comments", "nodes", "name", "#", "item", "row", "key", "question", "Title", "answers", "Body", "page", "messages", "text", "description", "type", "content", "author", "labels", "number"]), inner, max_size=6),
    max_leaves=25,
)  # fmt: skip


@given(ANY, st.sampled_from(Tracker))
def test_any_record_is_read_or_named_in_an_error(record: object, tracker: Tracker):
    if isinstance(record, dict):
        tracker_of(record)
        key_of(record)
        try:
            incidents_of_record(record, tracker, "dump#1")
        except RecordError:
            return


@given(ANY, st.lists(st.sampled_from(["title", "nodes", "x"]), max_size=3))
def test_fields_of_any_kind_are_read(value: object, path: list[str]):
    assert isinstance(text_at(value, *path), str)
    assert isinstance(list_at(value, *path), list)
    assert all(isinstance(name, str) for name in names_at(value, *path))


@pytest.mark.parametrize("same", [{"id": "C1"}, {}], ids=["by-id", "by-words"])
def test_an_answer_among_the_comments_is_not_repeated(same: dict[str, str]):
    answer = {
        "body": "Give the pool forty connections.\n\nThe export opens one for each page.",
        "author": {"login": "ann"},
        **same,
    }
    record = {"title": "It hangs", "body": "It hangs at noon.", "number": 7, "answer": answer, "comments": [answer]}
    (one,) = incidents_of_record(record, Tracker.GITHUB, "x.json")

    assert one.fix == "Give the pool forty connections."
    told = "\n".join(filter(None, (one.root_cause, one.fix, one.prose)))
    assert told.count("one for each page") == 1


def test_a_ticket_is_no_duplicate_of_itself():
    links = [{"type": {"name": "Duplicate"}, "inwardIssue": {"key": key}} for key in ("X-1", "X-2", "X-2")]
    record = {"key": "X-1", "fields": {"summary": "It hangs", "description": "It hangs at noon.", "issuelinks": links}}
    (one,) = incidents_of_record(record, Tracker.JIRA, "x.json")

    assert one.extra["duplicates"] == ["X-2"]
