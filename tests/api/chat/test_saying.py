"""What is said of an answer: cut, clean, in the language of the question, and where nobody knows our address without links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api import view
from api.chat.asked import Answered, cleaned
from api.chat.message import FRAME, PART, TITLE, Pair
from api.chat.saying import About, cut, matched, said, spoken, told
from api.sides import Row
from index.answer import Answer, Evidence, EvidenceKind, Match, Query, Verdict
from kb.incident import Incident
from kb.record import from_record

ABOUT = About("REF", "https://kb.example.org")


def incident(name: str, **more: object) -> Incident:
    return from_record({"id": name, "title": f"Title of {name}", "component": "flink", **more})


def seen(verdict: Verdict, *incidents: Incident, notes: tuple[str, ...] = ()) -> view.Found:
    evidence = (Evidence(EvidenceKind.WORDS, "weak", 0.1), Evidence(EvidenceKind.FRAMES, "strong", 2.0))
    matches = tuple(Match(one, 0.9 / (at + 1), evidence) for at, one in enumerate(incidents))
    return view.Found(Answer(Query((), "en"), verdict, matches, notes, "snap", 1.0))


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("short", 5, "short"),
        ("longer text", 7, "longer…"),
        ("a family 👨‍👩‍👧 of three", 12, "a family…"),
        ("cafe\u0301 au lait", 5, "caf…"),
        ("```\ncode\nmore code\n```", 16, "```\ncode\nmo…\n```"),
        ("x```" + "y" * 40, 12, "x```yyy…\n```"),
        ("锁" * 10, 4, "锁锁锁…"),
    ],
)
def test_texts_are_cut_at_whole_characters(text: str, most: int, expected: str) -> None:
    assert cut(text, most) == expected


@given(st.text(max_size=60), st.integers(8, 40))
def test_what_is_cut_is_short_enough_and_says_so(text: str, most: int) -> None:
    short = cut(text, most)
    assert len(short) <= most
    assert short == text if len(text) <= most else "…" in short


@given(st.text(alphabet="`ab\n", max_size=60), st.integers(12, 40))
def test_a_fence_is_closed(text: str, most: int) -> None:
    short = cut(text, most)
    assert short == text or short.count("```") % 2 == 0


def test_the_two_frames_nearest_the_innermost_cause() -> None:
    rows = [
        Row("Outer", "Outer", is_exception=True),
        Row("a.outer", "a.outer"),
        Row("Inner", "Inner", is_exception=True),
        Row("b.mine", None),
        Row("b.one", "b.one"),
        Row("b.x", "b.y"),
        Row("b.two", "b.two"),
        Row("b.three", "b.three"),
        Row("Root", "Other", is_exception=True),
        Row(None, "c.theirs"),
    ]
    assert matched(rows) == (Pair("b.one", "b.one"), Pair("b.two", "b.two"))
    assert matched([]) == ()
    assert len(matched([Row("x" * 999, "x" * 999)])[0].asked) == FRAME


def test_a_known_incident_is_told_whole() -> None:
    known = incident("a/b", root_cause="c" * 5_000, fix="token=ghp_" + "a1B2" * 9, title="t" * 999)
    message = said(seen(Verdict.KNOWN, known, incident("b"), incident("c"), notes=("noted",)), "en", ABOUT)
    best = message.best
    assert best is not None
    assert (message.verdict, message.headline, message.notes) == (Verdict.KNOWN, "Known incident", ("noted",))
    assert (len(best.title), len(best.cause), best.likelihood, best.why) == (TITLE, PART, "very likely", "strong")
    assert "ghp_" not in best.fix
    assert best.link == "https://kb.example.org/incidents/a%2Fb?lang=en"
    assert [(one.place, one.title, one.cause) for one in message.others] == [
        (1, "Title of b", ""),
        (2, "Title of c", ""),
    ]
    assert message.words.others == "Other candidates"


def test_of_an_unknown_problem_nothing_is_best() -> None:
    message = said(seen(Verdict.UNKNOWN, *(incident(f"i{at}") for at in range(5))), "zh", ABOUT)
    assert (message.best, message.headline, message.lang) == (None, "没有已知故障", "zh")
    assert [one.place for one in message.others] == [0, 1, 2]
    assert message.write_up == "https://kb.example.org/write?chat=REF&lang=zh"
    assert message.opinion == "https://kb.example.org/chat/REF?lang=zh"
    assert message.words.others == "最接近的记录（仅相关）"
    nothing = said(seen(Verdict.UNKNOWN), "en", ABOUT)
    assert (nothing.text, nothing.opinion) == ("Nothing in the knowledge base fits this problem.", None)


def test_without_our_address_there_are_no_links() -> None:
    for message in (
        said(seen(Verdict.RELATED, incident("a"), incident("b")), "en", About("REF", None)),
        told("late", "en", About("REF", None)),
    ):
        assert (message.write_up, message.opinion) == (None, None)
        assert [one.link for one in (message.best, *message.others) if one] == [None] * (2 if message.best else 0)
    assert "open the link" not in message.text


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("java.io.IOException: boom\n\tat a.b.C.d(C.java:1)", "en"),
        ("why does this fail?", "en"),
        ("为什么会这样？\njava.io.IOException: boom\n\tat a.b.C.d(C.java:1)", "zh"),
        (
            "The checkpoint of this job fails every night since the update was rolled out, 请帮忙看看这个问题怎么处理",
            "zh",
        ),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_the_question(text: str, lang: str) -> None:
    assert spoken(text) == lang


def test_what_is_kept_of_an_answer_comes_back() -> None:
    message = said(seen(Verdict.KNOWN, incident("a"), incident("b")), "zh", ABOUT)
    kept = Answered(message, (("a", 0.9), ("b", 0.45)), {"exact": ("0123456789abcdef",)}, "snap")
    assert Answered.from_json(kept.to_json()) == kept


def test_a_text_is_cleaned_and_cut() -> None:
    text, notes = cleaned("我的 password=hunter2hunter2 " + "长" * 1_000_000)
    assert "hunter2" not in text
    assert [note.partition("：")[0] for note in notes] == ["文本过长", "搜索前去除了 1 处敏感信息（assignment）。"]
