"""Rules of the house as texts: what is read, and every mistake by file and line."""

import pickle

import pytest

from kb.entities.codes import CodeRule
from kb.entities.components import Component
from kb.errors import RulesError
from kb.redact import PLACEHOLDER
from kb.trace.custom import BUILT_IN, MOST_ENTRIES, NONE, CustomRules, read_custom
from kb.trace.template import _INTO


def test_files_are_read_as_written() -> None:
    rules = read_custom(
        {
            "in_app.txt": "\ufeff# ours\ncom.acme.   # the shop\n!com.acme.fw.\n\nApp\\Billing\\\n",
            "wrappers.txt": "com.acme.RemoteError\n",
            "noise.txt": "com.acme.Trace.\ncom.acme.Aspect.around$\n",
            "messages.txt": "# numbers\n<order> ORD-\\d+ # \\w\n<order>\tB#\\d+\n",
            "components.txt": "Shop ~ web shop, com.acme.shop.  # ours\n!linux\n",
            "codes.txt": "Shop * = \\bS#(\\d+)\n",
        }
    )
    assert rules == CustomRules(
        in_app=(("com.acme.", True), ("com.acme.fw.", False), ("App\\Billing\\", True)),
        wrappers=("com.acme.RemoteError",),
        noise=("com.acme.Trace.", "com.acme.Aspect.around$"),
        messages=(("<order>", "ORD-\\d+ # \\w"), ("<order>", "B#\\d+")),
        components=(Component("shop", ("web shop",), ("com.acme.shop.",), general=True), Component("linux")),
        codes=(CodeRule("Shop *", "\\bS#(\\d+)"),),
    )
    assert pickle.loads(pickle.dumps(rules)) == rules


@pytest.mark.parametrize(
    "texts", [{}, {"noise.txt": ""}, {"noise.txt": "# none yet\n\n"}], ids=["none", "empty", "comment"]
)
def test_no_rules_have_no_digest(texts: dict[str, str]) -> None:
    assert read_custom(texts) == NONE
    assert read_custom(texts).digest == ""


def test_a_digest_tells_rules_apart_but_not_their_spelling() -> None:
    one = read_custom({"noise.txt": "a.b.\nc.d.\n"}).digest
    assert len(one) == 16
    assert read_custom({"noise.txt": "# why\nc.d.\na.b.\n"}).digest == one
    assert read_custom({"wrappers.txt": "a.b.\nc.d.\n"}).digest != one
    assert read_custom({"noise.txt": "a.b.\nc.d.\n", "components.txt": "shop = cart\n"}).digest == one
    first, then = "<aa> xq\n", "<bb> yq\n"
    assert read_custom({"messages.txt": first + then}).digest != read_custom({"messages.txt": then + first}).digest


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("inapp.txt", "", "rules/inapp.txt is no rules file"),
        ("in_app.txt", "a.b.\n\na b\n", "rules/in_app.txt:3: 'a b' holds a blank"),
        ("in_app.txt", "a.b.\n!a.b.\n", "rules/in_app.txt:2: 'a.b.' stands in line 1 already"),
        ("in_app.txt", "!\n", "rules/in_app.txt:1: '!' is too short: it would fit nearly everything"),
        ("noise.txt", "x\n", "rules/noise.txt:1: 'x' is too short: it would fit nearly everything"),
        ("noise.txt", "com.acme.*\n", "rules/noise.txt:1: 'com.acme.*' ends with a star"),
        ("noise.txt", "a.b\na.b\n", "rules/noise.txt:2: 'a.b' stands in line 1 already"),
        ("noise.txt", "a" * 501, "rules/noise.txt:1: an entry of 501 characters"),
        ("noise.txt", "a\x07b", "rules/noise.txt:1: 'a\\x07b' holds a blank"),
        ("noise.txt", "com\n", "rules/noise.txt:1: 'com' is too short: it would fit nearly everything"),
        ("noise.txt", "run$\n", "rules/noise.txt:1: 'run$' is too short: it would fit nearly everything"),
        ("in_app.txt", "..\n", "rules/in_app.txt:1: '..' is too short: it would fit nearly everything"),
        ("wrappers.txt", "Err\n", "rules/wrappers.txt:1: 'Err' is too short: it would fit nearly everything"),
        ("noise.txt", "com.\n", "rules/noise.txt:1: 'com.' is too wide: it fits frames of 3 ordinary libraries, as com.fasterxml.jackson.databind.ObjectMapper.readValue"),
        ("in_app.txt", "!github.com/\n", "rules/in_app.txt:1: '!github.com/' is too wide: it fits frames of 3 ordinary libraries, as github.com/gin-gonic/gin.(*Context).Next"),
        ("messages.txt", "<order> [a-z]+\n", "rules/messages.txt:1: '[a-z]+' is too wide: it matches in 22 of 24 ordinary messages, as 'Connection refused: connect'"),
        ("messages.txt", "<order> \\d\n", "rules/messages.txt:1: '\\\\d' is too wide: it matches in 16 of 24 ordinary messages, as 'Read timed out after 30000 ms'"),
        ("messages.txt", "<secret> foo=\\w+\n", "rules/messages.txt:1: <secret> has a meaning already"),
        ("messages.txt", "<int> ORD-\\d+\n", "rules/messages.txt:1: <int> has a meaning already"),
        ("wrappers.txt", "a.B: c\n", "rules/wrappers.txt:1: 'a.B: c' holds a blank"),
        ("messages.txt", "order ORD-1\n", "rules/messages.txt:1: 'order ORD-1' is no rule"),
        ("messages.txt", "<o> x\n", "rules/messages.txt:1: '<o> x' is no rule"),
        ("messages.txt", "<Order> x\n", "rules/messages.txt:1: '<Order> x' is no rule"),
        ("messages.txt", "<order>\n", "rules/messages.txt:1: '<order>' is no rule"),
        ("messages.txt", "<order> (\n", "rules/messages.txt:1: '(' is no RE2 pattern: missing ): ("),
        ("messages.txt", "<order> a)|(b\n", "rules/messages.txt:1: 'a)|(b' is no RE2 pattern: unexpected ): a)|(b"),
        ("messages.txt", "<order> (?=x)y\n", "rules/messages.txt:1: '(?=x)y' is no RE2 pattern: invalid perl operator: (?="),
        ("messages.txt", "<order> (\\d)\\1\n", "rules/messages.txt:1: '(\\\\d)\\\\1' is no RE2 pattern: invalid escape sequence: \\1"),
        ("messages.txt", "<order> \\d*\n", "rules/messages.txt:1: '\\\\d*' matches where nothing stands, too"),
        ("messages.txt", "<order> \\b\n", "rules/messages.txt:1: '\\\\b' matches where nothing stands, too"),
        ("messages.txt", "<order> xq\n<other> xq\n", "rules/messages.txt:2: 'xq' stands in line 1 already"),
        ("messages.txt", "<order> " + "x" * 500, "rules/messages.txt:1: a rule of 508 characters"),
        ("messages.txt", "<order> \ud800", "rules/messages.txt:1: '\\ud800' is no RE2 pattern: utf-8"),
        ("components.txt", "shop = cart\nSHOP = till\n", "rules/components.txt:2: 'shop' stands in line 1 already"),
        ("components.txt", "# ours\ncom.acme.\n", "rules/components.txt:2: 'com.acme.' is no component"),
        ("codes.txt", "S * = S-\\d+", "rules/codes.txt:1: 'S-\\\\d+' has 0 groups"),
        ("codes.txt", "S * = S-(\ud800)", "rules/codes.txt:1: 'S-(\\ud800)' is no RE2 pattern: utf-8"),
        ("codes.txt", "S * = (x)" + "x" * 500, "rules/codes.txt:1: an entry of 509 characters"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_line(name: str, text: str, problem: str) -> None:
    with pytest.raises(RulesError) as raised:
        read_custom({name: text})
    assert raised.value.problem == problem
    assert raised.value.cure


@pytest.mark.parametrize("name", MOST_ENTRIES)
def test_too_many_entries_are_refused(name: str) -> None:
    most = MOST_ENTRIES[name]
    lines = {
        "messages.txt": "<order> x{}\n",
        "components.txt": "shop{0} = shop{0}\n",
        "codes.txt": "S{0}* = S{0}-(x)\n",
        "redact.txt": "internal host{}.corp.example\n",
    }
    line = lines.get(name, "com.acme.p{}.\n")
    read_custom({name: "".join(line.format(n) for n in range(most))})
    with pytest.raises(RulesError, match=f":{most + 1}: more than {most} entries"):
        read_custom({name: "".join(line.format(n) for n in range(most + 1))})


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        *(("noise.txt", entry) for entry in ("a.b.", "com.acme.", "org.apache.", "java.", "App\\", "支付", "main.", "main.run$", "acme", "github.com/acme/")),
        *(("messages.txt", f"<order> {pattern}") for pattern in (r"ORD-\d+", r"#[0-9a-f]{6}", r"\d{10}", r"user [a-z]+", "订单\\d+", r"[A-Z]{2}\d{6}", "table \\w+")),
        ("wrappers.txt", "Error"),
    ],
)  # fmt: skip
def test_rules_that_a_house_has_are_taken(name: str, entry: str) -> None:
    assert read_custom({name: entry}) != NONE


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(RulesError) as raised:
        read_custom({"noise.txt": "a b\ncom.acme.\nx\n", "messages.txt": "<order> (\n", "other.txt": ""})
    head, *lines = raised.value.problem.split("\n")
    assert head == "4 mistakes in the rules"
    assert [line.split(" ")[2] for line in lines] == [
        "rules/other.txt",
        "rules/noise.txt:1:",
        "rules/noise.txt:3:",
        "rules/messages.txt:1:",
    ]
    with pytest.raises(RulesError) as raised:
        read_custom({"noise.txt": "a b\n" * 60})
    assert raised.value.problem.endswith("\n  and 10 more")


def test_what_templates_print_is_no_name_for_a_house() -> None:
    printed = {into for into in _INTO.values() if isinstance(into, str)}
    assert printed - BUILT_IN == set()
    assert PLACEHOLDER in BUILT_IN
