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
    """The algs that are wanted.

    Attributes:
        moves: the moves that algs consist of, as an alg; all moves if it is None. A rotation counts as a move.
        cost: the cost by which algs are compared; of equal ones the shorter is better. By default, the length.
        number: the number of algs of each case.
        slack: algs may have that many moves more than the shortest.
        most: the largest number of moves.
        memory: the bytes that the search may use; those of `limits.MEMORY` if it is None.
        workers: number of threads; one for each processor if it is None. The result does not depend on it.
        report: called with what was found so far, of the cases that have algs.
    """

    moves: str | None
    cost: Cost | None
    number: int
    slack: int
    most: int
    memory: int | None
    workers: int | None
    report: Callable[[Sequence[CaseAlgs]], object]
