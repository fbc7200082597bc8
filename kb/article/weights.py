"""What was learned of how causes and fixes are stated: the weights of ``rules/roles.tsv`` (`kb roles train`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from kb.article.statements import QuoteTarget
from kb.errors import RulesError

RELATION = "relation"
"""Stands for the target in lines that tell of both."""
EVERYWHERE = "all"
"""Stands for the state in lines that count in each."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The weights for one target."""

    weights: Mapping[str, Mapping[str, float]]
    """By state of the sentence."""
    absence: Mapping[str, float]

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, float]]) -> "RoleModel":
        """The model of weights by state: ``in``, ``out``, ``none``; ``all`` counts in each."""
        everywhere = tables.get(EVERYWHERE, {})
        weights: dict[str, Mapping[str, float]] = {}
        for state in ("in", "out", "none"):
            own = tables.get(state, {})
            weights[state] = {name: everywhere.get(name, 0.0) + own.get(name, 0.0) for name in {*everywhere, *own}}
        return cls(weights, everywhere)


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of both targets, and what they tell of each other."""

    of: Mapping[QuoteTarget, RoleModel]
    relations: Mapping[str, float]
    """`kb.article.together.relation` → log-odds that an expert's cause and fix stand so."""


def score(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The sum of the weighed features; a feature without a weight counts nothing."""
    total = 0.0
    for name, value in features.items():
        total += weights.get(name, 0.0) * value
    return total


def read_weights(text: str) -> RoleModels:
    """The weights of a file: lines of target, state, feature, weight. Raises `RulesError` that names the line."""
    tables: dict[str, dict[str, dict[str, float]]] = {name: {} for name in (*QuoteTarget, RELATION)}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            continue
        try:
            target, state, feature, weight = line.split("\t")
            tables[target].setdefault(state, {})[feature] = float(weight)
        except (ValueError, KeyError):
            raise RulesError(
                f"roles.tsv line {number}: {line!r}", cure="write it again with `kb roles train`"
            ) from None
    return RoleModels(
        {target: RoleModel.of(tables[target]) for target in QuoteTarget}, tables[RELATION].get(EVERYWHERE, {})
    )


@lru_cache(maxsize=1)
def bundled() -> RoleModels:
    """The weights that come with the package."""
    return read_weights(files("kb.article").joinpath("rules", "roles.tsv").read_text(encoding="utf-8"))
