"""Queries made of articles: each says what its kind says, and what answers it is what it was made of."""

from functools import partial

import pytest

from index.training import cases
from kb.incident import Incident, Source
from kb.trace import ExceptionChain, parse


def trace(name: str, said: str, places: int = 4) -> str:
    frames = "".join(f"\tat com.acme.{name}.Step{at}.run(Step{at}.java:{at + 4})\n" for at in range(places))
    return f"com.acme.{name}.{name.title()}Exception: {said}\n{frames}"


def wrapped(name: str, inner: str) -> str:
    return f"{trace(name, f'the {name} gave up for good')}Caused by: {inner}"


def incident(name: str, *traces: str) -> Incident:
    chains = tuple(chain for text in traces for chain in parse(text)[:1])
    return Incident(name, name, "en", Source(f"{name}.md", f"{name}.md"), traces=traces, chains=chains)


def root(text: str) -> str | None:
    return parse(text)[0].root.type


TILL, MAIL = trace("till", "the drawer of this till is locked"), trace("mail", "nobody took the letter away")
OUTER = wrapped("shop", trace("stock", "the shelf behind the door is empty"))
TOLD = [incident("till", TILL), incident("mail", MAIL), incident("shop", OUTER)]


@pytest.mark.parametrize("seed", range(4))
def test_a_graft_is_the_wrapper_of_one_over_the_cause_of_another(seed: int) -> None:
    made = list(cases.grafted_queries(TOLD, seed))
    for query in made:
        found: ExceptionChain = parse(query.text)[0]
        (about,) = query.right | query.absent
        assert found.exceptions[0].type == "com.acme.shop.ShopException"
        assert root(query.text) == {"till": "com.acme.till.TillException", "mail": "com.acme.mail.MailException"}[about]
    assert [bool(query.right) for query in made] == [True, False] * (len(made) // 2)


def test_nothing_is_grafted_on_its_own_cause() -> None:
    assert list(cases.grafted_queries(TOLD[2:], 1)) == []


def test_another_message_over_the_same_frames_is_nobodys() -> None:
    made = {query.text.splitlines()[0]: query for query in cases.reworded_queries(TOLD, 5)}
    said = {one.partition(": ")[2] for one in made}
    assert len(said) > 1
    assert all(not query.right and query.group == "other message, left out" for query in made.values())
    till = next(query for first, query in made.items() if first.startswith("com.acme.till") and "drawer" not in first)
    assert "com.acme.till.Step3.run" in till.text
    assert till.absent
    assert "till" not in till.absent


CODE = "ORA-01555: snapshot too old: rollback segment number 9 with name x is too small"


def test_an_error_without_frames_keeps_its_code_in_a_log() -> None:
    told = [incident("one", CODE), incident("other", CODE.replace("9", "12")), incident("till", TILL)]
    made = list(cases.message_queries(told, 3))
    assert {root(query.text) for query in made} == {"ORA-01555"}
    assert {frozenset(query.right | query.absent) for query in made} == {frozenset({"one", "other"})}
    assert all("INFO" in query.text and "WARN" in query.text for query in made)


def test_a_code_whose_digits_would_be_changed_stays_as_it_is() -> None:
    """`values` gives numbers in brackets others, which is another error here."""
    told = "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction"
    made = [query for seed in range(20) for query in cases.message_queries([incident("one", told)], seed)]
    assert {root(query.text) for query in made} == {root(told)}
    assert len(made) == 40


def test_an_article_without_its_title_says_it_nowhere() -> None:
    told = partial(Incident, "a", "Tills are shut", "en", Source("a", "a"))
    bare = cases.untitled(told(prose="Tills are shut\nat night", symptom="We see: Tills are shut"))
    assert (bare.title, bare.prose.split(), bare.symptom) == ("-", ["at", "night"], "We see:  ")
    assert cases.untitled(told(prose="")).symptom is None
