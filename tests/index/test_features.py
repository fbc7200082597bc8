"""What the words of a question say beside write-ups of another length, in the other language, and with codes."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from index.encoder import load_encoder
from index.entry import entries
from index.ranking.features import Features
from index.ranking.rank import BASE, KINDS
from index.reading import read
from index.training.measured import MeasuredEngine
from kb.record import from_record

EngineOf = Callable[[Sequence[dict[str, object]]], MeasuredEngine]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHER_WORDS = " ".join(f"moss{a}{b}" for a in LETTERS for b in LETTERS)


def features(engine: MeasuredEngine, text: str) -> dict[str, Features]:
    return {engine.id_of(found.row): found.features for found in engine.compare(read(text))}


FRAMED = "acme.TillError: drawer 7 is open\n\tat acme.till.Drawer.open(Drawer.java:4)\n\tat acme.till.Till.sell(Till.java:8)\n"
KELP = "kelp.ReefFault: tide low\n\tat kelp.Reef.fall(Reef.java:3)"
EXTREMES: list[dict[str, object]] = [
    {
        "id": "same",
        "title": "Till stops while selling",
        "root_cause": "The zorquil valve sticks.",
        "traces": [FRAMED],
    },
    {"id": "other", "title": "Kelp", "prose": "barnacle", "traces": [KELP]},
    {"id": "blank", "title": "-", "prose": "-"},
]
"""Write-ups that agree in everything with `OF_SAME`, in nothing, and one that shows nothing: a new feature may need more words here."""
OF_SAME = f"Till stops while selling: the zorquil valve sticks\n{FRAMED}"


@pytest.fixture(scope="module")
def extremes(engine_of: EngineOf) -> Iterator[dict[str, Features]]:
    engine = engine_of(EXTREMES)
    yield features(engine, OF_SAME)
    engine.close()


@pytest.mark.parametrize("name", KINDS)
def test_a_feature_is_great_where_all_agrees_and_nothing_where_one_side_shows_nothing(
    extremes: dict[str, Features], name: str
) -> None:
    same, other, blank = (getattr(extremes[key], name) for key in ("same", "other", "blank"))
    assert same > 0.1, "index/ranking/features.py does not compute it, or EXTREMES says nothing that it looks at"
    assert other < same / 10
    assert blank == 0


@pytest.mark.parametrize("name", BASE)
def test_what_is_no_agreement_is_less_where_there_is_something_to_compare(
    extremes: dict[str, Features], name: str
) -> None:
    assert getattr(extremes["same"], name) < getattr(extremes["blank"], name) <= 1


@pytest.mark.parametrize(
    ("pasted", "agreeing"),
    [
        (FRAMED.replace("drawer 7", "drawer 8").replace("java:8", "java:9"), (True, True, True)),
        (f"acme.ShopError: closed\n\tat acme.Shop.run(Shop.java:3)\nCaused by: {FRAMED}", (False, True, True)),
        (f"{FRAMED}\tat acme.Shop.run(Shop.java:3)\n", (False, False, True)),
        (FRAMED.replace("drawer 7 is open", "no key"), (False, False, True)),
        (FRAMED.replace("Drawer.open", "Drawer.shut"), (False, False, False)),
        (KELP, (False, False, False)),
    ],
    ids=["another number and line", "wrapped", "a frame more", "another message", "another frame", "another trace"],
)
def test_which_fingerprints_agree(engine_of: EngineOf, pasted: str, agreeing: tuple[bool, ...]) -> None:
    engine = engine_of(EXTREMES)
    found = features(engine, pasted)["same"]
    assert (found.exact > 0, found.root_cause > 0, found.loose > 0) == agreeing
    engine.close()


def test_each_word_of_title_and_cause_counts_and_phrases_go_by_their_order(engine_of: EngineOf) -> None:
    engine = engine_of(EXTREMES)
    moss, one, two, turned, three = (
        features(engine, text)["same"]
        for text in ("moss grows", "zorquil till", "zorquil valve: till stops", "valve zorquil", "till stops while it")
    )
    assert 0 == moss.title < one.title < two.title
    assert 0 == three.cause < one.cause < two.cause == turned.cause
    assert 0 == one.phrases == turned.phrases < two.phrases
    assert moss.meaning < one.meaning < two.meaning
    engine.close()


def test_a_long_write_up_has_some_of_everybodys_words(engine_of: EngineOf) -> None:
    said = "the compaction queue of the region server grows without end"
    rows = [
        {"id": "long", "title": "-", "prose": f"{OTHER_WORDS} {said}"},
        {"id": "short", "title": "-", "prose": said},
    ]
    engine = engine_of(rows)
    found = features(engine, "compaction queue grows")
    assert 0 < found["long"].words < found["short"].words
    assert 0 < found["long"].bm25 < found["short"].bm25
    engine.close()


@pytest.mark.parametrize("question", ["HRegionServer compaction queue", "HRegionServer 合并队列一直堆积"])
def test_the_few_words_two_languages_share_say_more(engine_of: EngineOf, question: str) -> None:
    rows = [{"id": lang, "title": "HRegionServer", "prose": "-", "lang": lang} for lang in ("zh", "en")]
    engine = engine_of(rows)
    found = features(engine, question)
    abroad, home = ("zh", "en") if question.isascii() else ("en", "zh")
    assert found[abroad].words > found[home].words > 0
    engine.close()


def test_the_one_word_that_differs_tells_two_messages_apart(engine_of: EngineOf) -> None:
    said = "container 4711 runs beyond the {} memory limits of its queue"
    rows = [
        {"id": kind, "title": "-", "prose": "-", "traces": [f"java.lang.IllegalStateException: {said.format(kind)}"]}
        for kind in ("virtual", "physical")
    ]
    engine = engine_of(rows)
    other = "java.io.IOException: the shuffle of stage 7 was lost\n"
    for lines in ("", other):  # another message above it changes nothing
        found = features(engine, f"{lines}java.lang.IllegalStateException: {said.format('virtual')}")
        assert found["virtual"].complete == pytest.approx(found["virtual"].quoted)
        assert found["virtual"].quoted > found["physical"].quoted > 1.1 * found["physical"].complete
    engine.close()


ERROR = "acme.TillError: {}"


@pytest.mark.parametrize(
    ("asked", "cause", "prose", "expected"),
    [
        (ERROR.format("zorquil"), "The zorquil sticks.", "-", 1.0),
        (ERROR.format("zorquil"), f"The zorquil sticks. {OTHER_WORDS}", "-", 1.0),
        (ERROR.format("zorquil"), "Die zorquil klemmt.", "-", 1.0),
        (ERROR.format("server"), "The server is full.", "-", 0.05),
        (ERROR.format("server zorquil"), "The server is full.", "zorquil", 0.05),
        (ERROR.format("kelp"), "The zorquil sticks.", "kelp", 0.0),
        (ERROR.format("zorquil"), None, "The zorquil sticks.", 0.25),
        (ERROR.format("server"), None, "The server is full.", 0.0125),
        (ERROR.format("zorquil"), None, "-", 0.0),
        ("What is wrong with our zorquil?", "The zorquil sticks.", "-", 0.0),
    ],
    ids=["a rare word", "of a long cause", "in another sentence", "an everyday word", "beside one of another section", "none", "no cause", "nor a telling word", "nor any", "no error"],
)  # fmt: skip
def test_beside_an_error_one_telling_word_of_a_cause_is_reason_enough(
    engine_of: EngineOf, asked: str, cause: str | None, prose: str, expected: float
) -> None:
    """What the words tell is summed up to `REASON`, however long the cause is; where none is stated all words count, by a quarter."""
    rows = [{"id": "one", "title": "-", "prose": prose} | ({"root_cause": cause} if cause else {})]
    engine = engine_of([*rows, {"id": "other", "title": "-", "prose": "zorquil server kelp"}])
    assert features(engine, asked)["one"].reason == pytest.approx(expected, abs=0.005)
    engine.close()


def test_a_cause_that_only_a_translation_states_is_a_reason(engine_of: EngineOf) -> None:
    told = {"title": "泵", "root_cause": "阀门 zorquil 卡住。"}
    row = {"id": "one", "title": "-", "lang": "en", "translations": {"zh": told}}
    engine = engine_of([row, {"id": "other", "title": "-", "prose": "server kelp"}])
    assert features(engine, ERROR.format("zorquil"))["one"].reason == pytest.approx(1.0)
    assert features(engine, ERROR.format("kelp"))["one"].reason == 0.0
    engine.close()


def test_of_two_fingerprints_of_one_row_the_more_telling_counts(engine_of: EngineOf) -> None:
    """The order of the two traces changes nothing."""
    pump, till = "acme.PumpError: zorquil stuck", "acme.TillError: kelp"
    rows = [{"id": "one", "title": "-", "traces": [pump, till]}, {"id": "other", "title": "-", "trace": till}]
    engine = engine_of(rows)
    alone = features(engine, pump)["one"].root_cause
    assert features(engine, till)["one"].root_cause < alone
    for text in (f"{pump}\n\n{till}", f"{till}\n\n{pump}"):
        assert features(engine, text)["one"].root_cause == alone
    engine.close()


@pytest.mark.parametrize(
    ("pasted", "written", "quoted", "complete"),
    [
        ("zorquil frobnix", {"traces": [ERROR.format("zorquil frobnix")]}, 0.80, 0.80),
        ("zorquil frobnix", {"symptom": "the frobnix of the zorquil"}, 0.80, 0.80),
        ("zorquil 4711", {"traces": [ERROR.format("zorquil 9822")]}, 0.66, 0.66),
        ("zorquil mimblewim", {"traces": [ERROR.format("zorquil frobnix")]}, 0.55, 0.41),
        ("zorquil snarfle", {"traces": [ERROR.format("zorquil frobnix")]}, 0.40, 0.09),
        ("snarfle brontok", {"traces": [ERROR.format("zorquil frobnix")]}, 0.0, 0.0),
        ("zorquil frobnix", {}, 0.0, 0.0),
    ],
    ids=["all", "all in prose", "other values", "a word of nobody", "a word of another", "other words", "no message"],
)
def test_how_complete_a_message_is(
    engine_of: EngineOf, pasted: str, written: dict[str, object], quoted: float, complete: float
) -> None:
    """A word of one write-up tells .78, one that nobody has .25, beside a prior of .4: as much as the one that is missing tells is taken from the share."""
    rows = [
        {"id": "one", "title": "-", "prose": "-", **written},
        {"id": "other", "title": "-", "prose": "snarfle brontok"},
    ]
    engine = engine_of(rows)
    found = features(engine, ERROR.format(pasted))["one"]
    assert (found.quoted, found.complete) == (pytest.approx(quoted, abs=0.01), pytest.approx(complete, abs=0.01))
    engine.close()


@pytest.mark.parametrize(
    ("pasted", "expected"),
    [
        ("acme.TillError: drawer 7 is open", {"bare": 1.0, "told": 0.0, "framed": 0.0, "typed": 0.0}),
        ("acme.TillError", {"bare": 1.0, "told": 0.0, "framed": 0.0, "typed": 0.0}),
        (FRAMED, {"bare": 1.0, "told": 0.0, "framed": 0.0, "typed": 0.0}),
        ("How do we start the till in the morning?", dict.fromkeys(("bare", "told", "framed", "typed"), 1.0)),
    ],
    ids=["a message", "a type alone", "frames", "a question"],
)
def test_where_one_side_shows_no_error_no_message_can_agree(
    engine_of: EngineOf, pasted: str, expected: dict[str, float]
) -> None:
    shown = {
        "bare": (),
        "told": ["acme.TillError: the drawer is open"],
        "framed": [FRAMED],
        "typed": ["acme.TillError"],
    }
    engine = engine_of(
        [{"id": key, "title": "The till stops", "prose": "-", "traces": [*of]} for key, of in shown.items()]
    )
    assert {key: found.wordless for key, found in features(engine, pasted).items()} == expected
    engine.close()


@pytest.mark.parametrize(
    "asked", ["GAUSS-52502", "升级时报 GAUSS-52502，怎么办", "we see GAUSS-52502 since the upgrade"]
)
def test_a_code_is_found_wherever_it_is_named(engine_of: EngineOf, asked: str) -> None:
    rows = [
        {
            "id": f"code-{code}",
            "title": "gs_install fails",
            "prose": "-",
            "traces": [f"[GAUSS-{code}] : the package is wrong"],
        }
        for code in (52501, 52502, 52503)
    ]
    engine = engine_of(rows)
    assert engine.search(asked).matches[0].incident.id == "code-52502"
    engine.close()


def test_a_message_of_nothing_but_a_quotation_says_its_words(engine_of: EngineOf) -> None:
    """As a template it is one with all others: ``NoSuchMethodError: '<quoted>'``."""
    rows = [
        {
            "id": name,
            "title": "-",
            "prose": "-",
            "traces": [f"java.lang.NoSuchMethodError: 'void acme.{name}.open(int)'"],
        }
        for name in ("Zorquil", "Frobnix")
    ]
    engine = engine_of(rows)
    found = features(
        engine, "java.lang.NoSuchMethodError: 'void acme.Zorquil.open(int)'\n\tat own.Till.sell(Till.java:4)"
    )
    assert found["Zorquil"].message > 0.5 > found["Frobnix"].message
    assert found["Zorquil"].complete > 0.5 > found["Frobnix"].complete
    assert found["Zorquil"].root_cause == found["Frobnix"].root_cause > 0
    engine.close()


def test_a_trace_in_which_nothing_is_read_is_searched_as_words(engine_of: EngineOf) -> None:
    unread = "Rezorquiling the frobnix to [a] as it would be two"
    rows = [
        {"id": "unread", "title": "-", "prose": "-", "traces": [unread]},
        {"id": "read", "title": "-", "prose": "-", "traces": [FRAMED, unread]},
    ]
    engine = engine_of(rows)
    found = features(engine, "we see rezorquiling of a frobnix")
    assert found["unread"].words > 0.3 > found["read"].words
    engine.close()


def test_what_a_fix_announces_changes_nothing_that_is_searched() -> None:
    """It is shown, and only shown: of an entry nothing but the document has it."""
    record = {"id": "a", "title": "Disk full", "fix": "Set this:", "url": "u"}
    announced = {"fix": "```\njava.io.IOException: rotate\n\tat a.B.c(D.java:1)\n```"}
    encoder = load_encoder(None)
    without, with_it = (entries([from_record(one)], encoder) for one in (record, record | {"announced": announced}))
    assert "IOException" in with_it.column("document")[0].as_py()
    assert with_it.drop_columns(["document"]).equals(without.drop_columns(["document"]))
