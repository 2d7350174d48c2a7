"""Short solutions of the 3x3x3 at once: first to where half turns of four faces are enough, and from there.

The two phases are those of Herbert Kociemba. Each is a puzzle of its own, towards which the 3x3x3 is asked, or which
has some of its moves alone, and is searched as these are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.errors import SearchLimitError
from cubesolve.permutations import Arrangement
from cubesolve.solvers.searched import Searched
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.variants import restricted, towards

if TYPE_CHECKING:
    from cubesolve.catalog.rubik.cube import RubikCube
    from cubesolve.catalog.rubik.rules import RubikRules
    from cubesolve.deadline import Deadline
    from cubesolve.spaces.rules import Rules
    from cubesolve.store.tables import Tables

_STEP, _MOVES = "dr", "U D R2 L2 F2 B2"
_LONG = 12  # moves of a second phase; for a longer one it takes more time than for other first phases


class _Begun(NamedTuple):
    """A first phase.

    Attributes:
        least: so many moves are needed after it, as tables say.
        alg: its moves.
        middle: what it leads to.
    """

    least: int
    alg: list[str]
    middle: Arrangement


class TwoPhases:
    """Finds short solutions of the 3x3x3, one shorter than the other."""

    def __init__(self, rules: RubikRules, tables: Tables) -> None:
        """Open the tables of both phases, which are built where they are missing."""
        self._first, self._second = (
            _opened(puzzle, tables) for puzzle in (towards(rules, _STEP), restricted(rules, _MOVES))
        )

    def solutions(self, cube: RubikCube, deadline: Deadline) -> Iterator[list[str]]:
        """Algs that solve a cube, each of fewer face turns than the one before; they end when the time does.

        Args:
            cube: the cube, in face letters.
            deadline: when to end.
        """
        fewest, longest = 1 << 10, 1 << 10
        try:
            start = self._first.place(cube)
            for length in itertools.count(self._first.bound(start)):
                if length >= fewest:
                    return
                begun = self._first_phases(cube, self._first.algs(start, length, deadline, every=True))
                alg = self._ended(begun, min(longest, fewest - 1 - length), deadline)
                if alg is not None:
                    fewest, longest = len(alg), _LONG
                    yield alg
        except SearchLimitError:
            return

    def _first_phases(self, cube: RubikCube, algs: list[list[str]]) -> list[_Begun]:
        """First phases, those first after which the least is needed as tables say."""
        found = []
        for alg in algs:
            if not alg or alg[-1] not in self._second.graph.moves:  # else it is one without its last move
                middle = self._second.place(cube.apply(" ".join(alg)))
                found.append(_Begun(self._second.bound(middle), alg, middle))
        return sorted(found, key=lambda each: each.least)

    def _ended(self, begun: list[_Begun], most: int, deadline: Deadline) -> list[str] | None:
        """The shortest solution that begins with one of some first phases; None if the rest is always longer."""
        for moves in range(most + 1):
            for least, alg, middle in begun:
                ends = self._second.algs(middle, moves, deadline, every=False) if least <= moves else []
                if ends:
                    return alg + ends[0]
        return None


def _opened(rules: Rules, tables: Tables) -> Searched:
    assert isinstance(rules, DerivedRules)  # as those are that have chosen moves or goals
    searched = Searched(rules.graph(metric="htm"), tables)
    searched.open()
    return searched
