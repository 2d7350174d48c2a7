"""The named steps and sets of cases of a puzzle, as data in its module (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cubesolve.definition.case_sets import CaseSet
    from cubesolve.definition.goals import NamedGoal


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
