"""Algs of the cases of a set, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cubesolve.definition.cases import Case


class CaseAlg(NamedTuple):
    """An alg of a case.

    Attributes:
        alg: the alg.
        length: the number of its moves.
        cost: its cost.
        before: the adjustment of the example state of the case before the alg.
        after: the rotation and the adjustment after it.
    """

    alg: str
    length: int
    cost: float
    before: str
    after: str

    def __str__(self) -> str:
        parts = [f"({self.before})" if self.before else "", self.alg, f"({self.after})" if self.after else ""]
        return " ".join(filter(None, parts))


class CaseAlgs(NamedTuple):
    """The best algs of a case.

    Attributes:
        case: the case.
        optimal: the least number of moves; None if more than those searched are needed.
        algs: the algs, that of the least cost first.
    """

    case: Case
    optimal: int | None
    algs: Sequence[CaseAlg]


Cost = Callable[[Sequence[str]], float]
"""The cost of an alg, given its moves by name."""


class Wanted(NamedTuple):
    """The algs that are wanted; see `Puzzle.algs`."""

    moves: str | None  # as an alg; None for all
    cost: Cost | None  # by default, the length
    number: int  # for each case
    slack: int
    most: int
    memory: int | None  # that of `limits.MEMORY` if it is None
    workers: int | None
    report: Callable[[Sequence[CaseAlgs]], object]  # takes what was found so far, of the cases that have algs
