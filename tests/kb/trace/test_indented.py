"""A paste that is indented or quoted as a whole, and one between a greeting and thanks, is read as the paste alone.

Of 724 goldens 13 were read otherwise with four blanks before each line, 24 with a tab; now one and three: those of `STILL`.
"""

from pathlib import Path
from zlib import crc32

import pytest

from kb.trace import ExceptionChain, parse, parse_stream
from kb.trace.finding.mapped_text import without_indentation

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
EVERY = [path for folder in ("traces", "messages") for path in sorted((GOLDEN / folder).glob("*/*.txt"))]
SOME = [path for path in EVERY if crc32(path.stem.encode()) % 8 == 0 and path.stat().st_size < 20_000]
STILL = {
    ("services-redis-config", "    "),  # its lines begin with `>>>` themselves
    ("services-redis-config", "\t"),
    (
        "python-pyspark-by-hand",
        "\t",
    ),  # Python's traceback in the message of a JVM's exception, whose frames have a tab of their own
    ("php-frameworks-by-hand", "\t"),
}
"""Goldens that are read otherwise with a mark before each line."""
FRAMES = '  File "iceberg.py", line 102, in create\n    table.commit()\n'
PASTES = {
    "the end of a traceback": f"{FRAMES}AttributeError: 'EntryPoints' object has no attribute 'get'",
    "two lines of a bridge": "py4j.protocol.Py4JJavaError: An error occurred while calling o7.collect.\n: java.lang.IllegalArgumentException: Unsupported class file major version 58",
    "a crash of the machine": "# A fatal error has been detected by the Java Runtime Environment:\n#\n#  EXCEPTION_ACCESS_VIOLATION (0xc0000005) at pc=0x00007ffb00fb5130, pid=6804, tid=1544\n#\n# Problematic frame:\n# C  [glfw.dll+0x5130]\n#",
    "causes of a build": "error: failed to parse manifest at `/src/Cargo.toml`\n\nCaused by:\n  feature `edition2024` is required\n",
    "a rethrown traceback": f'Error: prepared statement "s" already exists\nException: Traceback (most recent call last):\n{FRAMES}asyncpg.exceptions.DuplicatePreparedStatementError: prepared statement "s" already exists',
    "a class above frames": "java.io.IOException: no\n\tat com.acme.A.b(A.java:1)\n\tat com.acme.C.d(C.java:2)\nCaused by: java.net.BindException: in use\n\tat com.acme.E.f(E.java:3)\n",
    "frames alone": "\tat com.acme.A.b(A.java:1)\n\tat com.acme.C.d(C.java:2)\n",
}
OF_RUNTIMES = {
    "dotnet in German": "   bei System.Data.SqlClient.SqlConnection.Open()\n   bei Kasse.Lager.Oeffnen(String name)\n   bei Kasse.Programm.Main(String[] args)\n",
    "dotnet in French": "   à System.Net.Sockets.Socket.Connect(EndPoint remoteEP)\n   à Shop.Till.Open(String s)\n   à Shop.Main()\n",
    "jruby": "  total at /srv/shop/basket.rb:4\n    map at org/jruby/RubyArray.java:2707\n  <main> at /srv/shop/basket.rb:13\n",
}
"""Pastes of nothing but frames, which their runtime indents itself."""
MARKS = ["    ", "\t", "> ", "\u2003", ">", "  ", " ", "\u200b", "\xa0"]


@pytest.mark.parametrize("text", OF_RUNTIMES.values(), ids=OF_RUNTIMES)
def test_frames_that_their_runtime_indents_are_all_read(text: str) -> None:
    assert [len(one.stack.frames) for chain in parse(text) for one in chain.exceptions] == [3]
    assert tuple(parse_stream([text])) == parse(text)


def indented(text: str, mark: str) -> str:
    return "\n".join(mark + line if line else line for line in text.split("\n"))


def shown(chains: tuple[ExceptionChain, ...]) -> list[object]:
    return [
        (chain.runtime, *((e.type, (e.message or "").split(), len(e.stack.frames)) for e in chain.exceptions))
        for chain in chains
    ]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("name", PASTES)
def test_an_indented_paste_is_the_same_paste(name: str, mark: str) -> None:
    text = indented(PASTES[name], mark)
    chains = parse(text)
    assert shown(chains) == shown(parse(PASTES[name]))
    assert tuple(parse_stream([text])) == chains
    assert chains


@pytest.mark.parametrize(
    ("text", "is_indented"), [("  E: no", False), ("  E: no\n", False), ("  E: no\n  F: no", True)]
)
def test_a_single_line_is_not_indented_as_a_whole(text: str, *, is_indented: bool) -> None:
    assert (without_indentation(text, text) is not None) is is_indented


@pytest.mark.parametrize("mark", MARKS[:4])
@pytest.mark.parametrize("path", SOME, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_indented_golden_is_the_same(path: Path, mark: str) -> None:
    text = path.read_text(encoding="utf-8")
    is_same = shown(parse(indented(text, mark))) == shown(parse(text))
    assert is_same is ((f"{path.parent.name}-{path.stem}", mark) not in STILL)


@pytest.mark.parametrize("mark", MARKS)
def test_a_place_in_an_indented_paste_leads_to_the_given_text(mark: str) -> None:
    text = "\n" + indented(f"{PASTES['a class above frames']}\ncurl: (28) Connection timed out\n", mark)
    (trace,) = parse(text)
    found = text[slice(*trace.span)]
    assert found.lstrip("".join(MARKS)).startswith("java.io.IOException: no\n")
    assert found.endswith("at com.acme.E.f(E.java:3)")
    (line,) = parse(indented("we run it and see\ncurl: (28) Connection timed out after 3 ms", mark))
    assert line.root.message == "Connection timed out after 3 ms"


@pytest.mark.parametrize(("above", "below"), [("Hi all, I get this error, please help\n\n", "\n\nThanks!"), ("Hi all, I get this error, please help\n", "\nThanks in advance"), ("大家好，请问这个报错怎么解决\n\n", "\n\n谢谢大家"), ("大家好，请问这个报错怎么解决\n", "\n谢谢")])  # fmt: skip
@pytest.mark.parametrize(
    "text",
    [
        PASTES["the end of a traceback"],
        PASTES["a class above frames"],
        '{"error":{"root_cause":[{"type":"mapper_parsing_exception","reason":"Root mapping definition has unsupported parameters: [plays : {properties={name={type=string}',
        "2022.12.26 20:44:29.956024 [ 18427 ] {} <Error> cube_43192_19493.`$cases$formtable_main_1753_table1` (fde93948-d6a0-4b03-a8cc-db4d1f358c5e): void DB::StorageReplicatedMergeTree::mutationsFinalizingTask(): Code: 242. DB::Exception: Table is in readonly mode (replica path: /ch/t/1). (TABLE_IS_READ_ONLY)",
        "I followed the readme with `nix run github:shop/till` , and the cargo build stops because edition2024 is required\n\nerror: builder for '/nix/store/mfyw-options-0.3.4.drv' failed with exit code 101;\n       > cargoBuildHook flags: -j 16",
    ],
)
def test_a_greeting_and_thanks_change_nothing(text: str, above: str, below: str) -> None:
    assert shown(parse(above + text + below)) == shown(parse(text))


def test_a_title_is_taken_off_below_a_greeting() -> None:
    assert [chain.root.message for chain in parse("Hi all\n\nv2.4.2: too many outstanding requests\n\nLoki is running")] == ["too many outstanding requests"]  # fmt: skip
