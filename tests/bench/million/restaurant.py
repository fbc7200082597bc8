"""Pitman–Yor processes: the simplest source whose distinct values keep growing as those of real frames and types do.

Of ``n`` draws the next one is new with probability ``(strength + discount · distinct) / (strength + n)``, else an earlier value
comes again, in proportion to ``times - discount`` (Pitman and Yor 1997). One process per context, whose new values come from a
common one, makes chains of frames: what stood beside a frame stands beside it again (Teh 2006).
"""

import math
import random
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Law:
    """How fast new values come."""

    discount: float
    strength: float

    def distinct(self, draws: float) -> float:
        """How many distinct values are expected among so many draws."""
        d, s = self.discount, self.strength
        ratio = math.lgamma(s + draws + d) - math.lgamma(s + draws) + math.lgamma(s) - math.lgamma(s + d)
        return s / d * math.expm1(ratio)


def fitted(points: Iterable[tuple[float, float, float]]) -> Law:
    """The law that comes nearest to (draws, distinct, weight) points, by squares of logarithms, on a grid."""
    wanted = [(n, math.log(k), w) for n, k, w in points if n >= 2 and k >= 1]
    laws = (Law(at / 50, 0.1 * 1.6**step) for at in range(1, 50) for step in range(24))
    return min(laws, key=lambda law: sum(w * (math.log(law.distinct(n)) - k) ** 2 for n, k, w in wanted))


class Draws:
    """One process of whole numbers from 0. Values come from ``fresh`` the first time."""

    __slots__ = ("_distinct", "_fresh", "_law", "_seen")

    def __init__(self, law: Law, fresh: Callable[[], int]) -> None:
        self._law = law
        self._fresh = fresh
        self._seen: list[int] = []  # a value's first draw as its complement
        self._distinct = 0

    def draw(self, dice: random.Random) -> int:
        """The next value."""
        law, seen, chance = self._law, self._seen, dice.random
        if not seen or chance() * (law.strength + len(seen)) < law.strength + law.discount * self._distinct:
            value = self._fresh()
            self._distinct += 1
            seen.append(~value)
            return value
        value = -1
        while value < 0:
            value = seen[int(chance() * len(seen))]
            if value < 0 and chance() >= law.discount:
                value = ~value
        seen.append(value)
        return value


class Chain:
    """One process per context; what is new in a context comes from ``base``."""

    def __init__(self, law: Law, base: Callable[[], int]) -> None:
        self._law = law
        self._base = base
        self._contexts: dict[Hashable, Draws] = {}

    def draw(self, context: Hashable, dice: random.Random) -> int:
        """The next value beside that context."""
        draws = self._contexts.get(context)
        if draws is None:
            draws = self._contexts[context] = Draws(self._law, self._base)
        return draws.draw(dice)
