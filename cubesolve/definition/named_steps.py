"""Named steps and sets of cases as data, in the module of their puzzle (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
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


class NamedSteps(NamedTuple):
    """The named steps of a solution, and the named sets of cases.

    Attributes:
        goals: the steps; each has several goals, any of which will do.
        titles: the titles of steps, by their names without the letters of a face, an axis or a slot.
        case_sets: the sets of cases.
        methods: the steps of usual methods of solving, by the name of the method.
        moves: the moves that keep a step, by this step and the one that follows, which is made with these moves.
        distributions: the number of states at each depth in the default metric, for goals that are too large to count.
    """

    goals: Mapping[str, tuple[NamedGoal, ...]] = {}  # never changed
    titles: Mapping[str, str] = {}  # never changed
    case_sets: Mapping[str, CaseSet] = {}  # never changed
    methods: Mapping[str, Sequence[str]] = {}  # never changed
    moves: Mapping[tuple[str, str], str] = {}  # never changed
    distributions: Mapping[str, Sequence[int]] = {}  # never changed
