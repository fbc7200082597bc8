"""The bundled write-ups keep the format of corpus/README.md, and the project reads each of them as its author meant."""

import datetime as dt
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.incidents.writeup_checks import CheckedWriteup, check_writeups, read_writeups
from api.incidents.writeup_searches import copied_sentences, search_own_traces
from index.encoder import load_encoder
from kb.article import read_article
from kb.article.writeups.form import front_line
from kb.article.writeups.translated import is_translation, translation_of
from kb.trace import Relation, parse
from kb.translations import lagging
from tests.bundled import CORPUS, write_ups

PAGES = sorted(path for path in CORPUS.rglob("*.md") if path.name.islower())  # README.md, CHOICE*.md are no write-ups
FILES = [path for path in PAGES if translation_of(path.name) is None]
TRANSLATIONS = [path for path in PAGES if path not in FILES]
REQUIRED = ("id", "title", "lang", "component", "versions", "tags", "url", "created")
SECTIONS = {
    "en": ("Symptom", "Trace", "Root cause", "How to tell it apart", "Fix"),
    "zh": ("现象", "堆栈", "根因", "如何区分", "解决"),
}
REFERENCES = {"en": "References", "zh": "参考"}
FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\) \| (\w+) \| ([\w-]+) \|$", re.MULTILINE)
MORE = re.compile(r"^\s*\.\.\. (\d+) (?:more|common frames omitted)\s*$")
LINK = re.compile(r"^- \[[^\]]+\]\(https?://[^\s)]+\)$")


@cache
def front_matter(path: Path) -> dict[str, Any]:
    """The YAML block between the first two ``---`` lines."""
    opening, block, _ = path.read_text(encoding="utf-8").split("---\n", 2)
    assert opening == ""
    return dict(yaml.safe_load(block))


@cache
def sections(path: Path) -> dict[str, str]:
    """Heading to text, in order of the file. A ``##`` inside a fence is not a heading."""
    body = path.read_text(encoding="utf-8").split("---\n", 2)[2]
    found: dict[str, str] = {}
    heading, fenced = "", False
    for line in body.splitlines(keepends=True):
        fenced ^= line.lstrip().startswith("```")
        if line.startswith("## ") and not fenced:
            heading = line[3:].strip()
            assert heading not in found
            found[heading] = ""
        elif heading:
            found[heading] += line
        else:
            assert not line.strip(), "text before the first section"
    return found


@cache
def traces(path: Path) -> list[str]:
    """The fenced traces of the trace section."""
    text = sections(path)[SECTIONS[front_matter(path)["lang"]][1]]
    return [block for _, _, block in FENCE.findall(text)]


each_file = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


def test_there_are_enough_in_both_languages() -> None:
    assert len(FILES) >= 150
    assert len(TRANSLATIONS) == len(FILES), "each in both languages"
    assert {front_matter(path)["lang"] for path in FILES} == {"zh", "en"}


def test_table_of_the_readme_lists_exactly_the_files() -> None:
    rows = ROW.findall((CORPUS / "README.md").read_text(encoding="utf-8"))
    expected = {
        (path.stem, path.relative_to(CORPUS).as_posix(), front_matter(path)["lang"], front_matter(path)["component"])
        for path in FILES
    }
    assert expected == set(rows)
    assert len(rows) == len(FILES)


def test_titles_differ() -> None:
    titles = Counter(front_matter(path)["title"] for path in FILES)
    assert [title for title, times in titles.items() if times > 1] == []


@each_file
def test_front_matter(path: Path) -> None:
    data = front_matter(path)
    assert sorted(REQUIRED) == sorted(data)
    assert path.stem == data["id"]
    assert path.parent.name == data["component"]
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", data["id"])
    assert data["lang"] in SECTIONS
    assert re.fullmatch(r"[a-z][a-z0-9-]*", data["component"])
    assert re.fullmatch(r"https?://[^\s/]+\.[^\s/]+/\S*", data["url"])
    assert isinstance(data["created"], dt.date)
    for key in ("versions", "tags"):
        assert data[key]
        assert all(isinstance(item, str) and item for item in data[key])


def test_front_matter_is_written_as_an_export_writes_it() -> None:
    """A curator who exports the store over corpus/ sees what changed, and no line that only got other quotes."""
    heads = {path: path.read_text(encoding="utf-8").split("---\n", 2)[1] for path in PAGES}
    other = {
        path.name: line
        for path, head in heads.items()
        for line in head.splitlines(keepends=True)
        for key in [line.partition(":")[0]]
        if line != front_line(key, front_matter(path)[key])
    }

    assert other == {}


@each_file
def test_language_of_the_prose_is_the_one_stated(path: Path) -> None:
    lang = front_matter(path)["lang"]
    prose = FENCE.sub("", "".join(sections(path)[name] for name in SECTIONS[lang]))
    han = len(re.findall(r"[\u4e00-\u9fff]", prose))
    if lang == "zh":
        assert han > 200
    else:
        assert han < 20, "a quoted name at most"


@each_file
def test_sections_stand_in_order_and_say_something(path: Path) -> None:
    lang = front_matter(path)["lang"]
    found = sections(path)
    assert [*SECTIONS[lang], REFERENCES[lang]] == list(found)
    symptom, trace, cause, apart, fix = SECTIONS[lang]
    least = {symptom: 80, trace: 150, cause: 150, apart: 50, fix: 150}
    assert {name for name in SECTIONS[lang] if len(found[name].strip()) < least[name]} == set()
    assert re.search(r"^1\. ", found[SECTIONS[lang][4]], re.MULTILINE), "the fix is a list of steps"
    links = found[REFERENCES[lang]].strip().splitlines()
    assert [line for line in links if not LINK.match(line)] == []


ALTERNATIVE = re.compile(r"^\d+\. (?:(?:Or|Else|Otherwise|Alternatively)\b|或|否则)", re.MULTILINE)


def test_alternatives_are_no_steps() -> None:
    """Numbers say: first this, then that. What is done instead of another is a bullet below *One of*."""
    fixes = {path.name: "".join(sections(path).get(name, "") for name in ("Fix", "解决")) for path in PAGES}
    assert {name: found for name, fix in fixes.items() if (found := ALTERNATIVE.findall(fix))} == {}


@each_file
def test_fences_are_balanced_and_only_the_trace_section_has_bare_ones(path: Path) -> None:
    lang = front_matter(path)["lang"]
    for name, text in sections(path).items():
        fences = FENCE.findall(text)
        assert 2 * len(fences) == text.count("```")
        bare = [info for _, info, _ in fences if not info]
        assert len(bare) == (len(fences) if name == SECTIONS[lang][1] else 0)
    assert traces(path)


@each_file
def test_more_never_stands_for_more_frames_than_the_trace_above_has(path: Path) -> None:
    for trace in traces(path):
        above, own = None, 0
        for line in trace.splitlines():
            if re.match(r"\s+at \S+\(", line):
                own += 1
            elif (match := MORE.match(line)) is not None and above is not None:
                assert int(match[1]) <= above
                own += int(match[1])
            elif line.startswith("Caused by: "):
                above, own = (own or None), 0


@each_file
def test_reads_as_one_incident_with_cause_fix_and_every_trace(path: Path) -> None:
    data = front_matter(path)
    article = read_article(path.read_bytes(), path.name)
    assert len(article.incidents) == 1
    incident = article.incidents[0]
    assert data["id"] == incident.id
    assert data["title"] == incident.title
    assert data["lang"] == incident.lang
    assert data["component"] == incident.component
    assert tuple(data["versions"]) == incident.versions
    assert tuple(data["tags"]) == incident.tags
    assert data["url"] == incident.source.url
    assert str(data["created"]) == incident.created
    symptom, _, cause, apart, fix = (sections(path)[name].strip() for name in SECTIONS[data["lang"]])
    assert symptom == incident.symptom
    assert cause == incident.root_cause
    assert apart == incident.distinguish
    assert fix == incident.fix
    assert tuple(trace.strip() for trace in traces(path)) == tuple(trace.strip() for trace in incident.traces)
    assert len(incident.chains) >= len(traces(path))


def last_python_error(trace: str) -> str:
    """The type that the last frame of a Python traceback raised: the first such line below it that is not indented."""
    below = trace[trace.rindex('\n  File "') :]
    error = re.search(r"^([\w.]*\b[A-Z]\w+)(?::|$)", below, re.MULTILINE)
    assert error is not None
    return error[1]


@each_file
def test_every_trace_is_read(path: Path) -> None:
    assert [trace for trace in traces(path) if not parse(trace)] == []


def traces_with(pattern: str) -> list[Any]:
    """Every trace of all write-ups that shows a pattern on one of its lines."""
    shown = re.compile(pattern, re.MULTILINE)
    return [
        pytest.param(trace, id=f"{path.stem}-{at}")
        for path in FILES
        for at, trace in enumerate(traces(path), 1)
        if shown.search(trace)
    ]


@pytest.mark.parametrize("trace", traces_with(r"^Traceback \(most recent call last\):$"))
def test_a_python_traceback_parses_with_the_type_of_its_last_line(trace: str) -> None:
    """Whoever owns it: PySpark prints one as the message of a JVM exception."""
    assert last_python_error(trace) in {e.type for chain in parse(trace) for e in chain.exceptions}


@pytest.mark.parametrize("trace", traces_with(r"^\s+at [\w.$/<>@-]+\([\w.]*\.(?:java|scala|kt):\d+\)"))
def test_a_jvm_trace_parses_with_the_type_of_its_header_and_its_causes(trace: str) -> None:
    if "Traceback (most recent call last):" in trace:
        return
    chains = parse(trace)
    assert chains[0].runtime == "jvm"
    heads = {
        re.split(r"[:(]", line.removeprefix("Caused by: "))[0]
        for line in trace.splitlines()
        if line.startswith("Caused by: ")
    }
    assert heads <= {name for e in chains[0].exceptions for name in ((e.type or "").split("{")[0], e.type)}
    causes = sum(line.startswith("Caused by: ") for line in trace.splitlines())
    # a wrapper's message may repeat a cause that is not printed again
    related = sum(e.relation is Relation.CAUSE and f"Caused by: {e.type}" in trace for e in chains[0].exceptions)
    assert causes - trace.startswith("Caused by: ") == related


each_translation = pytest.mark.parametrize("path", TRANSLATIONS, ids=[path.name for path in TRANSLATIONS])


def original_of(path: Path) -> Path:
    name = translation_of(path.name)
    assert name is not None
    return path.with_name(name)


@each_translation
def test_a_translation_stands_beside_its_original(path: Path) -> None:
    data = front_matter(path)

    assert list(data) == ["id", "title", "lang", "translates"]
    assert path.name == f"{data['id']}.{data['lang']}.md"
    assert is_translation(path.read_text(encoding="utf-8"))
    original = front_matter(original_of(path))
    assert (data["id"], data["lang"] != original["lang"]) == (original["id"], True)


@each_translation
def test_a_translation_has_the_sections_of_its_original(path: Path) -> None:
    """All but the traces, which both share."""
    ours, theirs = front_matter(path)["lang"], front_matter(original_of(path))["lang"]
    names = {
        "en": [*SECTIONS["en"][:1], *SECTIONS["en"][2:], REFERENCES["en"]],
        "zh": [*SECTIONS["zh"][:1], *SECTIONS["zh"][2:], REFERENCES["zh"]],
    }

    assert names[ours] == list(sections(path))
    assert [one for one in sections(original_of(path)) if one in names[theirs]] == names[theirs]


def test_no_translation_lags_behind_its_original() -> None:
    """`kb incidents stamp corpus` stamps new ones; one that lags is brought up to date first."""
    late = {one.id: dict(lagging(one)) for one in write_ups() if lagging(one)}

    assert late == {}


@pytest.fixture(scope="module")
def read() -> list[CheckedWriteup]:
    """The write-ups as `kb corpus check` reads them."""
    writeups, found = read_writeups(CORPUS)
    assert found == []
    return writeups


def test_kb_corpus_check_has_nothing_to_say(read: list[CheckedWriteup]) -> None:
    """Links, near-misses that name each other, components, both languages, secrets."""
    assert [str(one) for one in check_writeups(read, bilingual=True)] == []


@pytest.mark.slow
def test_every_trace_finds_its_own_write_up_first(read: list[CheckedWriteup]) -> None:
    assert [str(one) for one in search_own_traces(read, load_encoder(None))] == []


@pytest.mark.parametrize("texts", ["articles", "seeds"])
@pytest.mark.slow
def test_no_sentence_stands_in_the_articles_of_others(
    read: list[CheckedWriteup], shared_data: Path, texts: str
) -> None:
    assert [str(one) for one in copied_sentences(read, shared_data / texts)] == []


def test_the_programs_that_print_traces_are_listed_with_their_write_ups() -> None:
    """`python tests/repro/again.py` runs them again."""
    folder = CORPUS.parent / "tests/repro"
    rows = tomllib.loads((folder / "programs.toml").read_text(encoding="utf-8"))["program"]
    used = {"again.py", "mariadb.sh", "nginx-upstream.py", "postgres.sh", "rabbitmq.sh", "redis.sh"}
    programs = {path.name for path in folder.iterdir() if path.suffix in {".sh", ".py", ".go", ".js", ".java"}} - used
    assert {row["file"] for row in rows} == programs
    assert len(rows) == len(programs)
    shown = {name for row in rows for name in row["shows"]}
    assert shown <= {path.stem for path in FILES}
    assert len(shown) >= 85
