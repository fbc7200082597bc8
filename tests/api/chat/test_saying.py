"""What is said of an answer: cut, clean, in the language of the question, and where nobody knows our address without links."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chat.compose import AnswerContext, answer_card, cut, matched, notice_card, reply_language
from api.chat.message import FRAME, PART, TITLE, AlignedFrames
from api.chat.queue_codec import Answered, cleaned
from api.render import view
from api.render.sides import AlignedRow
from index.answer import Answer, Evidence, EvidenceKind, FineVerdict, Match, Problem, Query, Verdict
from kb.incident import Incident
from kb.record import from_record

ABOUT = AnswerContext("REF", "https://kb.example.org")


def incident(name: str, **more: object) -> Incident:
    return from_record({"id": name, "title": f"Title of {name}", "component": "flink", **more})


def seen(verdict: Verdict, *incidents: Incident, notes: tuple[str, ...] = ()) -> view.AnswerView:
    evidence = (Evidence(EvidenceKind.WORDS, "weak", 0.1), Evidence(EvidenceKind.FRAMES, "strong", 2.0))
    matches = tuple(Match(one, 0.9 / (at + 1), evidence) for at, one in enumerate(incidents))
    return view.AnswerView(Answer(Query((), "en"), verdict, matches, notes, "snap", 1.0))


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
        AlignedRow("Outer", "Outer", is_exception=True),
        AlignedRow("a.outer", "a.outer"),
        AlignedRow("Inner", "Inner", is_exception=True),
        AlignedRow("b.mine", None),
        AlignedRow("b.one", "b.one"),
        AlignedRow("b.x", "b.y"),
        AlignedRow("b.two", "b.two"),
        AlignedRow("b.three", "b.three"),
        AlignedRow("Root", "Other", is_exception=True),
        AlignedRow(None, "c.theirs"),
    ]
    assert matched(rows) == (AlignedFrames("b.one", "b.one"), AlignedFrames("b.two", "b.two"))
    assert matched([]) == ()
    assert len(matched([AlignedRow("x" * 999, "x" * 999)])[0].pasted) == FRAME


def test_a_known_incident_is_told_whole() -> None:
    known = incident("a/b", root_cause="c" * 5_000, fix="token=ghp_" + "a1B2" * 9, title="t" * 999)
    message = answer_card(seen(Verdict.KNOWN, known, incident("b"), incident("c"), notes=("noted",)), "en", ABOUT)
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
    message = answer_card(seen(Verdict.UNKNOWN, *(incident(f"i{at}") for at in range(5))), "zh", ABOUT)
    assert (message.best, message.headline, message.lang) == (None, "没有已知故障", "zh")
    assert [one.place for one in message.others] == [0, 1, 2]
    assert message.write_up == "https://kb.example.org/write?chat=REF&lang=zh"
    assert message.opinion == "https://kb.example.org/chat/REF?lang=zh"
    assert message.words.others == "最接近的记录（仅相关）"
    nothing = answer_card(seen(Verdict.UNKNOWN), "en", ABOUT)
    assert (nothing.text, nothing.opinion) == ("Nothing in the knowledge base fits this problem.", None)


def test_without_our_address_there_are_no_links() -> None:
    for message in (
        answer_card(seen(Verdict.RELATED, incident("a"), incident("b")), "en", AnswerContext("REF", None)),
        notice_card("late", "en", AnswerContext("REF", None)),
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
    assert reply_language(text) == lang


def test_what_is_kept_of_an_answer_comes_back() -> None:
    message = answer_card(seen(Verdict.KNOWN, incident("a"), incident("b")), "zh", ABOUT)
    kept = Answered(message, (("a", 0.9), ("b", 0.45)), {"exact": ("0123456789abcdef",)}, "snap")
    assert Answered.from_json(kept.to_json()) == kept


def test_a_text_is_cleaned_and_cut() -> None:
    text, notes = cleaned("我的 password=hunter2hunter2 " + "长" * 1_000_000)
    assert "hunter2" not in text
    assert [note.partition("：")[0] for note in notes] == ["文本过长", "搜索前去除了 1 处敏感信息（assignment）。"]


def answer_of(standing: FineVerdict, *incidents: Incident, causes: tuple[str, ...] = ()) -> Answer:
    matches = tuple(Match(one, 0.7 - at / 10) for at, one in enumerate(incidents))
    problem = Problem((0, 1), standing, "", matches, causes)
    return Answer(Query((), "en"), standing.verdict, matches, (), "snap", 1.0, "", causes, (problem,))


@pytest.mark.parametrize(
    ("lang", "headline", "others"),
    [
        ("en", "Probably this one; please check", "Other candidates"),
        ("zh", "很可能是这一条，请核对", "其他候选"),
    ],
)
def test_a_probable_match_is_not_presented_as_related(lang: str, headline: str, others: str) -> None:
    message = answer_card(view.AnswerView(answer_of(FineVerdict.PROBABLE, incident("a"), incident("b"))), lang, ABOUT)
    assert (message.verdict, message.headline, message.words.others) == (Verdict.RELATED, headline, others)
    assert message.best is not None


def test_every_cause_of_one_error_is_told_with_its_fix() -> None:
    told_by = [
        incident(name, root_cause=f"cause {name}", fix=f"fix {name}", distinguish=f"apart {name}") for name in "abc"
    ]
    message = answer_card(view.AnswerView(answer_of(FineVerdict.KNOWN, *told_by, causes=("a", "c"))), "en", ABOUT)
    assert message.headline == "Known error, two known causes"
    assert message.best is not None
    assert [(one.place, one.cause, one.apart, one.fix) for one in (message.best, *message.causes)] == [
        (0, "cause a", "apart a", "fix a"),
        (2, "cause c", "apart c", "fix c"),
    ]
    assert [one.place for one in message.others] == [1]


def test_further_problems_are_told_in_a_line_each() -> None:
    first = answer_of(FineVerdict.KNOWN, incident("a"))
    known = Problem((4, 9), FineVerdict.PROBABLE, "", (Match(incident("b"), 0.7),))
    strange = Problem((10, 20), FineVerdict.UNKNOWN, "", ())
    seen = view.AnswerView(
        first,
        problems=(
            view.Placed(first.problems[0], 1, 1, ()),
            view.Placed(known, 2, 5, ()),
            view.Placed(strange, 7, 7, (view.PasteLine(7, (view.LinePart("a.b.Strange: thing"),)),)),
        ),
    )
    message = answer_card(seen, "en", ABOUT)
    assert [(one.title, one.likelihood) for one in message.problems] == [
        ("Title of b", "lines 2–5 · Probably this one; please check"),
        ("a.b.Strange: thing", "line 7 · No known incident"),
    ]
    assert message.words.problems == "Other problems in the same text"


SECTION = (
    "The pool is small:\n\n- Raise the limit.\n- Restart with password=hunter22secret set.\n\n" + "More words.\n\n" * 40
)
STATED = [
    ({"fix": "Raise the limit."}, "Raise the limit."),
    (
        {"fix": "Raise the limit.", "sections": {"fix": "The pool is small:\n\n- Raise the limit.\n- Restart it."}},
        "Raise the limit.\n\n- Restart it.",
    ),
    ({"fix": "Set:", "sections": {"fix": "Set:\n\n- a\n\nAnd so on."}, "announced": {"fix": "- a"}}, "Set:\n\n- a"),
    (
        {
            "fix": "Set the limit.",
            "sections": {"fix": "Do all:\n\n1. a\n2. b\n3. c\n4. d\n5. Set the limit.\n6. Restart it."},
        },
        "Set the limit.\n\n…\n\n2. b\n3. c\n4. d\n5. Set the limit.\n6. Restart it.",
    ),
    (
        {
            "fix": "一起改。\n再重启。",
            "sections": {"fix": "步骤：\n\n1、看日志。\n2、一起改。\n3、再重启。\n4、完成。"},
        },
        "一起改。\n再重启。\n\n1、看日志。\n2、一起改。\n3、再重启。\n4、完成。",
    ),
    ({"fix": "Put in other words.", "sections": {"fix": "Raise the limit."}}, "Put in other words."),
    ({"sections": {"fix": "Raise the limit."}}, ""),
]


@pytest.mark.parametrize(("fields", "fix"), STATED)
def test_a_fix_is_told_with_what_stands_behind_it_in_its_section(fields: dict[str, object], fix: str) -> None:
    found = answer_card(seen(Verdict.KNOWN, incident("a", **fields)), "en", ABOUT).best
    assert found is not None
    assert found.fix == fix


@pytest.mark.parametrize(
    ("lang", "fields", "none", "article"),
    [
        ("en", {"sections": {"article": SECTION}}, "The article does not state it.", "From the article"),
        ("zh", {"sections": {"article": SECTION}}, "文中没有写明。", "原文"),
        (
            "en",
            {"sections": {"root_cause": SECTION}, "root_cause": None},
            "The article does not state it.",
            "From the article",
        ),
        ("en", {}, "Not stated yet.", ""),
        ("zh", {}, "尚未写明。", ""),
    ],
)
def test_where_nothing_was_quoted_the_article_itself_is_shown(
    lang: str, fields: dict[str, object], none: str, article: str
) -> None:
    message = answer_card(seen(Verdict.KNOWN, incident("a", **fields)), lang, ABOUT)
    assert message.best is not None
    assert message.words.none_stated == none
    assert [name for name, _ in message.best.parts(message.words)] == [
        *(message.words.cause, message.words.fix),
        *filter(None, [article]),
    ]
    assert ("Raise the limit" in message.best.article) == bool(article)
    assert "hunter22secret" not in message.best.article
    assert len(message.best.article) < PART


def test_a_section_is_shortened_in_a_chat_and_its_secrets_are_out() -> None:
    one = incident("a", fix="Raise the limit.", sections={"fix": SECTION})
    found = answer_card(seen(Verdict.KNOWN, one), "en", ABOUT).best
    assert found is not None
    assert "Restart" in found.fix
    assert "hunter22secret" not in found.fix
    assert found.fix.endswith("…")
    assert len(found.fix.splitlines()) < 30
    assert found.link == "https://kb.example.org/incidents/a?lang=en"
