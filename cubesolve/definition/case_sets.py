"""Sets of cases as data, in the module of their puzzle (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cubesolve.definition.goals import NamedGoal
from cubesolve.group.permutations import Permutation


class CaseSet(NamedTuple):
    """A set of cases: the states in which some pieces are solved, masked to the pieces that are solved next.

    Attributes:
        title: a description.
        given: the pieces that are solved already.
        aim: the pieces to solve; all others are ignored.
        adjust: moves, as an alg, before and after which a case is the same: the adjustment of the upper face.
        setup: an alg to a state with the pattern of the set, if the pieces of `given` are elsewhere than at home.
        names: the names of cases, each with an alg that solves the case. They come first, in this order.
        moves: the moves of algs, if others are not asked for; all moves if it is empty.
        above: whether a picture is the upper face with the stickers around it; otherwise it is the net.
        turns: rotations of the whole puzzle that keep both patterns: a case is the same on each side of the puzzle.
        group: algs that lead from the solved state to others of the set and generate them, one after the other, if
            moves can be blocked or the set has fewer states than its patterns allow; by default all moves. Not for
            puzzles with pieces that look alike.
    """

    title: str
    given: NamedGoal
    aim: NamedGoal
    adjust: str = ""
    setup: str = ""
    names: Mapping[str, str] = {}  # never changed
    moves: str = ""
    above: bool = False
    turns: Sequence[Permutation] = ()
    group: tuple[str, ...] = ()
