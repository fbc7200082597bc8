"""Elixir and Erlang: frames of both, exits, reports of processes, stacks as terms. Whole texts: golden/traces/beam."""

from functools import partial

import pytest

from kb.trace import Level, normalize, normalize_function, parse
from kb.trace.model import Frame
from kb.trace.runtimes.beam import RUNTIME
from kb.trace.runtimes.beam.syntax import arity_of, closing_of, elixir_frame, elixir_head, erlang_frame, term_stack
from tests.kb.trace import reading

read = partial(reading.read, RUNTIME)

FRAMES = [
    ("    (shop 1.4.0) lib/till.ex:9: Shop.Till.charge/1", ("Shop.Till", "charge/1", "lib/till.ex", 9, True)),
    ("    (shop 1.4.0-rc.1+git) lib/till.ex:9: Shop.Till.pay!/2", ("Shop.Till", "pay!/2", "lib/till.ex", 9, True)),
    ("    (shop 1.4.0) lib/till.ex:9: Shop.Till.charge/1  ", ("Shop.Till", "charge/1", "lib/till.ex", 9, True)),
    ("    (elixir) lib/enum.ex:1229: Enum.map/2", ("Enum", "map/2", "lib/enum.ex", 1229, False)),
    ('    (elixir 1.14.0) lib/enum.ex:975: Enum."-each/2-lists^foreach/1-0-"/2', ("Enum", "each.lists^foreach/2", "lib/enum.ex", 975, False)),
    ("    (shop 1.4.0) lib/till.ex:11: anonymous fn/1 in Shop.Till.refund/1", ("Shop.Till", "refund.fun/1", "lib/till.ex", 11, True)),
    ("    (stdlib 4.2) gen_server.erl:1149: :gen_server.try_handle_call/4", ("gen_server", "try_handle_call/4", "gen_server.erl", 1149, False)),
    ("    (stdlib 4.2) :maps.get(:total, %{a: {1, 2}})", ("maps", "get/2", None, None, False)),
    ("    (stdlib 4.2) lists.erl:198: :lists.nth(6, [])", ("lists", "nth/2", "lists.erl", 198, False)),
    ("    (phoenix 1.7.7) lib/phoenix/router.ex:430: Phoenix.Router.__call__/5", ("Phoenix.Router", "__call__/5", "lib/phoenix/router.ex", 430, False)),
    ("       test/shop/till_test.exs:14: (test)", (None, "(test)", "test/shop/till_test.exs", 14, True)),
    ("    till.exs:3: (file)", (None, "(file)", "till.exs", 3, True)),
    ("    (shop 1.4.0) lib/till.ex:9: not a call", None),
    ("    (see chapter 3) lib is a folder", None),
    ("Shop.Till.pay(1)", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), FRAMES, ids=[line.strip()[:60] for line, _ in FRAMES])
def test_a_frame_of_elixir(line: str, expected: tuple[object, ...] | None) -> None:
    assert _parts(elixir_frame(line)) == expected


ERLANG = [
    ("      in function  till:pay/1 (till.erl, line 8)", ("till", "pay/1", "till.erl", 8, True)),
    ("      in call from gen_server:handle_msg/6 (gen_server.erl, line 1178)", ("gen_server", "handle_msg/6", "gen_server.erl", 1178, False)),
    ("      in call from till:'-linked/0-fun-0-'/1 (till.erl, line 13)", ("till", "linked.fun/0", "till.erl", 13, True)),
    ("      in call from till:'-all/1-lc$^0/1-1-'/2 (till.erl, line 13)", ("till", "all.lc/1", "till.erl", 13, True)),
    ("      in operator  div/2", ("erlang", "div/2", None, None, False)),
    ("  in call from init:start_em/1 ", ("init", "start_em/1", None, None, False)),
    ("      in call from 'Elixir.Shop.Till':pay/1 (lib/till.ex, line 6)", ("Shop.Till", "pay/1", "lib/till.ex", 6, True)),
    ("      in function of the cashier: pay/1 is called", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), ERLANG, ids=[line.strip()[:60] for line, _ in ERLANG])
def test_a_frame_of_erlang(line: str, expected: tuple[object, ...] | None) -> None:
    assert _parts(erlang_frame(line)) == expected


def _parts(frame: Frame | None) -> tuple[object, ...] | None:
    return frame and (frame.module, frame.function, frame.filename, frame.lineno, frame.in_app)


@pytest.mark.parametrize(
    ("arguments", "arity"),
    [("", 0), (" ", 0), ("1", 1), ("6, []", 2), ('"a, b", %{c: 1, d: [2, 3]}', 2), ("'x,y', {1, 2}", 2), ("9" * 5_000, None)],
)  # fmt: skip
def test_arguments_are_counted(arguments: str, arity: int | None) -> None:
    assert arity_of(arguments) == arity


def test_the_bracket_that_closes_another_is_found_past_strings() -> None:
    assert closing_of('[{a,"]"},<<"}">>] x', 0) == len('[{a,"]"},<<"}">>]')
    assert closing_of("[{a", 0) is None


HEADS = [
    ("** (RuntimeError) no till is open", ("RuntimeError", "no till is open", 0)),
    ("        ** (Shop.Pay.Error) card, refused", ("Shop.Pay.Error", "card, refused", 8)),
    ("** (EXIT from #PID<0.96.0>) an exception was raised:", ("EXIT", "an exception was raised:", 0)),
    ("15:28:47.302 [error] ** (throw) {:bad, 1}", ("throw", "{:bad, 1}", 0)),
    ("iex(1)> ** (KeyError) key :a not found", ("KeyError", "key :a not found", 0)),
    ("** (see below) a footnote", None),
    ("2 ** (3) is 8", None),
]


@pytest.mark.parametrize(("line", "expected"), HEADS, ids=[line.strip()[:40] for line, _ in HEADS])
def test_a_head_of_elixir(line: str, expected: tuple[str, str, int] | None) -> None:
    head = elixir_head(line)
    assert (head and (head.type, head.message, head.indent)) == expected


def test_the_frames_of_an_exit_stand_below_its_reason() -> None:
    chain = read(
        "** (exit) exited in: GenServer.call(Shop.Stock, :count, 5000)\n"
        "    ** (EXIT) an exception was raised:\n"
        "        ** (ArgumentError) no stock\n"
        "            (shop 2.1.0) lib/stock.ex:5: Shop.Stock.count/1\n"
        "    (elixir 1.15.4) lib/gen_server.ex:1074: GenServer.call/3\n"
        "    (shop 2.1.0) lib/cart.ex:8: Shop.Cart.checkout/1\n"
    )
    assert [(one.type, one.parent, [f.function for f in one.stack.frames]) for one in chain.exceptions] == [
        ("exit", None, ["call/3", "checkout/1"]),
        ("EXIT", 0, []),
        ("ArgumentError", 1, ["count/1"]),
    ]


def test_a_reason_without_frames_belongs_to_the_message_of_its_exit() -> None:
    chain = read(
        "** (exit) exited in: GenServer.call(Shop.Stock, :count, 5000)\n    ** (EXIT) time out\n"
        "    (shop 2.1.0) lib/cart.ex:8: Shop.Cart.checkout/1\n"
    )
    (raised,) = chain.exceptions
    assert raised.message == "exited in: GenServer.call(Shop.Stock, :count, 5000)\n** (EXIT) time out"


def test_two_traces_one_below_the_other_are_two() -> None:
    one = "** (ArgumentError) a\n    (shop 2.1.0) lib/a.ex:1: Shop.A.a/1\n"
    two = "** (RuntimeError) b\n    (shop 2.1.0) lib/b.ex:1: Shop.B.b/1\n"
    assert [chain.root.type for chain in parse(one + two)] == ["ArgumentError", "RuntimeError"]


def test_a_log_goes_on_below() -> None:
    text = (
        "10:00:00.123 [error] ** (RuntimeError) b\n    (shop 2.1.0) lib/b.ex:1: Shop.B.b/1\n10:00:01.000 [info] tick\n"
    )
    (chain,) = parse(text)
    assert text[slice(*chain.span)].endswith("Shop.B.b/1")


@pytest.mark.parametrize("width", [1, 2])
def test_doubled_line_breaks_change_nothing(width: int) -> None:
    lines = ["** (ArgumentError) a", *(f"    (shop 2.1.0) lib/a.ex:{n}: Shop.A.f{n}/1" for n in range(1, 5))]
    (chain,) = parse(("\n" * width).join(lines))
    assert len(chain.root.stack.frames) == 4


def test_a_line_alone_is_left_to_the_messages() -> None:
    assert [chain.runtime for chain in parse("** (DBConnection.ConnectionError) tcp recv: closed")] == ["beam"]
    assert [chain.runtime for chain in parse("** exception error: bad argument\n")] == ["tool"]


def test_a_frame_alone_is_a_frame() -> None:
    chain = reading.only("(shop 1.4.0) lib/till.ex:9: Shop.Till.charge/1", "beam")
    assert chain.root.stack.frames[0].function == "charge/1"


def test_the_error_report_and_the_crash_report_of_a_process_are_one_problem() -> None:
    report = (
        '** Reason for termination ==\n** {{badmatch,{error,3}},\n    [{till,pay,1,[{file,"till.erl"},{line,8}]},\n'
        '     {gen_server,handle_msg,6,[{file,"gen_server.erl"},{line,1178}]}]}\n'
    )
    crash = (
        "    exception error: no match of right hand side value {error,3}\n      in function  till:pay/1 (till.erl, line 8)\n"
        "      in call from gen_server:handle_msg/6 (gen_server.erl, line 1178)\n"
    )
    assert reading.digest(report, Level.EXACT) == reading.digest(crash, Level.EXACT)


def test_what_elixir_and_erlang_print_of_one_call_is_one_frame() -> None:
    elixir = elixir_frame("    (shop 1.4.0) lib/till.ex:11: anonymous fn/1 in Shop.Till.refund/1")
    stack = term_stack("{badarg,[{'Elixir.Shop.Till','-refund/1-fun-0-',1,[{file,\"lib/till.ex\"},{line,11}]}]}")
    assert elixir is not None
    assert stack is not None
    assert RUNTIME.names.normal_frame(elixir) == RUNTIME.names.normal_frame(stack.frames[0])


def test_a_term_that_is_cut_off_keeps_its_calls() -> None:
    stack = term_stack('{badarg,[{till,pay,[<<"x, [7">>,{a,')
    assert stack is None or stack.frames == ()
    stack = term_stack('{badarg,[{till,pay,1,[{file,"till.erl"},{line,8}]},{till,de')
    assert stack is not None
    assert [(frame.function, frame.lineno) for frame in stack.frames] == [("pay/1", 8)]


def test_the_stack_of_a_client_is_no_fault() -> None:
    assert (
        parse('** Client <0.9.0> stacktrace\n** [{gen,do_call,4,[{file,"gen.erl"},{line,256}]},\n    {till,x,2,[]}]\n')
        == ()
    )


def test_frames_beyond_the_limit_are_counted() -> None:
    text = "** (RuntimeError) deep\n" + "".join(f"    (shop 1.0.0) lib/a.ex:{n}: Shop.A.f/1\n" for n in range(2_000))
    chain = read(text)
    assert (len(chain.root.stack.frames), chain.notes) == (1_024, ("976 frames were not kept",))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (":lists.nth/2", "lists.nth/2"),
        ("lists:nth/2", "lists.nth/2"),
        ("'Elixir.Shop.Till':pay/1", "Shop.Till.pay/1"),
        ("till:'-linked/0-fun-1-'/0", "till.linked.fun/0"),
        ("anonymous fn/1 in Shop.Till.refund/1", "Shop.Till.refund.fun/1"),
    ],
)
def test_a_function_alone(raw: str, expected: str) -> None:
    assert normalize_function(raw) == expected
    assert normalize_function(expected) == expected


def test_machinery_is_dropped_and_the_application_ranks_first() -> None:
    chain = read(
        "** (RuntimeError) x\n    (ecto 3.10.3) lib/ecto/repo.ex:1: Ecto.Repo.one!/3\n    (shop 1.0.0) lib/a.ex:2: Shop.A.f/1\n"
        "    (stdlib 4.2) proc_lib.erl:240: :proc_lib.init_p_do_apply/3\n"
    )
    frames = normalize(chain).root.stack.frames
    assert [(frame.function, RUNTIME.names.rank(frame)) for frame in frames] == [("one!/3", 1), ("f/1", 0)]
    assert RUNTIME.names.rank(Frame("map/2", "Enum", in_app=False)) == 2
