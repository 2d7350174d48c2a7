"""Named steps and sets of cases as data, in the module of their puzzle (pure Python)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.runtime.arguments import meant

if TYPE_CHECKING:
    from cubesolve.definition.goals import NamedGoal
    from cubesolve.group.permutations import Permutation


_LONGEST = 40  # characters of the name of a set


class CaseSet(NamedTuple):
    """A set of cases: the states in which some pieces are solved, masked to the pieces that are solved next."""

    title: str  # a description
    given: NamedGoal  # the pieces that are solved already
    aim: NamedGoal  # the pieces to solve; all others are ignored
    adjust: str = ""  # moves, as an alg, before and after which a case is the same: the adjustment of the upper face
    # an alg to a state with the pattern of the set, if the pieces of `given` are elsewhere than at home
    setup: str = ""
    # the names of cases, each with an alg that solves the case. They come first, in this order.
    names: Mapping[str, str] = {}  # never changed
    moves: str = ""  # the moves of algs, if others are not asked for; all moves if it is empty
    above: bool = False  # whether a picture is the upper face with the stickers around it; otherwise it is the net
    # rotations of the whole puzzle that keep both patterns: a case is the same on each side of the puzzle
    turns: Sequence[Permutation] = ()
    # algs that lead from the solved state to others of the set and generate them, one after the other, if moves can be
    # blocked or the set has fewer states than its patterns allow; by default all moves. Not for puzzles with pieces
    # that look alike.
    group: tuple[str, ...] = ()


class NamedSteps(NamedTuple):
    """The named steps of a solution, and the named sets of cases; the defaults are never changed."""

    goals: Mapping[str, tuple[NamedGoal, ...]] = {}  # the steps; each has several goals, any of which will do
    # the titles of steps, by their names without the letters of a face, an axis or a slot
    titles: Mapping[str, str] = {}
    case_sets: Mapping[str, CaseSet] = {}  # the sets of cases
    methods: Mapping[str, Sequence[str]] = {}  # the steps of usual methods of solving, by the name of the method
    # the moves that keep a step, by this step and the one that follows, which is made with these moves
    moves: Mapping[tuple[str, str], str] = {}
    # the number of states at each depth in the default metric, for goals that are too large to count
    distributions: Mapping[str, Sequence[int]] = {}

    def named(self, text: str) -> str:
        """Return the name of the step or set that a text means, or else the text itself."""
        return meant(text.strip(), [*self.goals, *self.case_sets]) or text

    def parted(self, text: str) -> tuple[str, str]:
        """Return the name of the set or step that a text means, and that of the case, as in ``oll:27`` or ``OLL 27``.

        >>> NamedSteps({"eg": ()}, case_sets={"eg-1": CaseSet("", (), ())}).parted("EG1 5")
        ('eg-1', '5')
        """
        for end in range(0 if ":" in text else min(len(text), _LONGEST), 0, -1):
            name, case = self.named(text[:end]), text[end:].strip()
            if name in self.case_sets and (case.isdecimal() or not (case and text[end - 1].isalnum())):
                return name, case
        name, _, case = text.partition(":")
        return self.named(name), case.strip()
