"""The states of a step by the number of moves that they need, and the cases among them.

A state of a step is a state of the puzzle, masked to the pieces of the goal. If several arrangements fulfil the goal,
as those that half turns make, masked states that the same algs bring to one of them are one. States that differ by a
rotation of the whole puzzle are one case: a cross on D is the same from four sides.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from cubesolve.ask import Puzzle
from cubesolve.definition.cases import Case
from cubesolve.definition.rotations import rotations_of
from cubesolve.definition.view import DefinedView
from cubesolve.errors import MissingTableError, TooLargeError, in_moves
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, inverse, relabelling
from cubesolve.lookup import puzzle_of
from cubesolve.picture.pictures import Picture
from cubesolve.practice.steps import SOLVED, Steps
from cubesolve.runtime.deadline import check
from cubesolve.solvers.answers import Distribution
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver


class Level(NamedTuple):
    """The states of a step that need a number of moves."""

    depth: int  # the number of moves
    states: int  # the number of states
    probability: Fraction  # the probability of needing so many moves in a random state of the puzzle


class StepCases:
    """The states of a step, by the number of moves that they need.

    Attributes:
        name: the name of the step.
        puzzle: the puzzle towards the goal.

    >>> from cubesolve import puzzle
    >>> layer = StepCases(puzzle("pocket"), "first-layer")
    >>> [level.states for level in layer.levels()]
    [1, 15, 198, 2030, 15396, 61768, 53528, 3144]
    >>> [(layer.alg(case), case.states) for case in layer.cases(1)]
    [('D2', 1), ("D'", 1), ('D', 1), ('R', 4), ('R2', 4), ("R'", 4)]
    """

    def __init__(self, puzzle: Puzzle | str, name: str, solved: str = "") -> None:
        """Take a puzzle, or its name, and the name of a step, and that of the step before if its moves keep that.

        Raises:
            ValueError: there is no such step, or no moves are known that keep the other.
        """
        puzzle = puzzle_of(puzzle)
        steps = Steps(puzzle, [solved, name] if solved else [name])
        solved, name = ["", *steps.names][-2:]
        self.name = name
        stages = [] if name == SOLVED else steps.after(solved, name)
        if solved and not steps.are_linked(solved, name):
            raise ValueError(f"no moves are known that keep {solved} and lead to {name}")
        self._hint = self._before = ""
        if isinstance(puzzle.rules.view, DefinedView):
            self._before = "" if solved else _before(steps, puzzle.rules.view, name)
            self._hint = _hint(puzzle.rules.view, name)
        if len(stages) != 1:
            raise self._several("states", "counted by depth")
        self.puzzle, self._found = stages[0].puzzle, stages[0].puzzle.solver
        if not isinstance(self._found, GoalSolver | NearestSolver):
            raise ValueError(f"{name} has no cases: only its distribution is available")

    def _several(self, what: str, how: str) -> ValueError:
        return ValueError(f"the {what} of {self.name} are not {how}, because it has several goals{self._hint}")

    @property
    def _solver(self) -> GoalSolver:
        if not isinstance(self._found, GoalSolver):
            raise self._several("cases", "listed")
        return self._found

    def levels(self) -> list[Level]:
        """Return the states by the number of moves; they are counted now if there is no table.

        Raises:
            TooLargeError: there are too many states.
            ValueError: there are several goals, and the numbers are not known.
        """
        is_single = isinstance(self._found, GoalSolver)
        lacking = (MissingTableError, TooLargeError) if is_single else ValueError
        try:
            counts = self.puzzle.distribution()
        except lacking:
            counts = self._counted()  # too large for a table, but perhaps not for counting
        total, same = sum(counts), self._same if is_single else 1
        return [Level(depth, number // same, Fraction(number, total)) for depth, number in enumerate(counts)]

    def _counted(self) -> Distribution:
        if not isinstance(self._found, GoalSolver):
            raise self._several("states", "counted by depth") from None
        try:
            return self.puzzle.distribution(count=True)
        except TooLargeError as error:
            if not self._before:
                raise
            advice = f"{error.advice}; there are fewer after {self._before}: --solved {self._before}"
            raise TooLargeError(error.states, error.most, error.exact, advice, error.what) from None

    def cases(self, depth: int) -> list[Case]:
        """Return the cases that need a number of moves.

        Raises:
            MissingTableError: there are too many states, and no table.
            ValueError: no state needs so many moves.
        """
        states, levels = self._solver.masked_states(depth), self.levels()
        if depth >= len(levels):
            raise ValueError(f"no state of {self.name} needs {in_moves(depth)}: at most {len(levels) - 1} are needed")
        total, cases = sum(level.states for level in levels), list[Case]()
        left = {self._seen(state.arrangement): state for state in states}
        for place, state in list(left.items()):
            if place in left:
                alike = {member for member in self._alike(place) if left.pop(member, None) is not None}
                number, members = len(cases) + 1, len(alike) // self._same
                cases.append(Case(number, str(number), members, Fraction(members, total), state))
                check()
        return cases

    def example(self, depth: int) -> Case | None:
        """Return a case that needs a number of moves; None if there is none, or no table to find it with."""
        if not isinstance(self._found, GoalSolver):
            return None
        try:
            return next((Case(1, "1", 1, Fraction(0), state) for state in self._solver.masked_states(depth)), None)
        except (MissingTableError, TooLargeError):
            return None

    def _alike(self, place: Arrangement) -> Iterator[Arrangement]:
        """Yield the states of the same case, with each of the arrangements that fulfil the goal, and others."""
        turned = (after(names, after(place, rotation)) for rotation, names in self._rotations)
        return (after(names, state) for state in turned for names in self._renamings)

    def _seen(self, place: Arrangement) -> Arrangement:
        """Return a masked state in which all pieces that the goal does not name look alike."""
        return after(self._looks, place)

    @functools.cached_property
    def _looks(self) -> Arrangement:
        mask = self._solver.rules.mask
        named = {mask.looks[label] for goal in mask.goals for labels in goal.values() for label in labels}
        ignored = min(set(mask.looks.values()) - named, default=0)
        return arrangement(label if label in named else ignored for label in range(len(mask.start)))

    @functools.cached_property
    def _fulfilled(self) -> list[Arrangement]:
        return list(map(self._seen, self._solver.rules.definition.solved))

    @functools.cached_property
    def _same(self) -> int:
        """The number of states that the same algs solve, or the same on the puzzle as it is turned as a whole."""
        fulfilled, rotations = set(self._fulfilled), self._solver.rules.whole.view.rotations
        turned = sum(fulfilled.issuperset(after(state, rotation) for state in fulfilled) for rotation in rotations)
        return len(self._renamings) * max(turned, 1)

    @functools.cached_property
    def _renamings(self) -> list[Arrangement]:
        """The names that labels have where another arrangement fulfils the goal, by label."""
        first, *_ = fulfilled = self._fulfilled
        among, renamings = set(fulfilled), list[Arrangement]()
        mixed = random.Random(0).sample(fulfilled, len(fulfilled))  # one that is renamed to no other comes early
        for state in fulfilled:
            check()
            names = dict(zip(first, state, strict=True))  # one to one, as all arrangements have the same labels
            renamed = (arrangement(map(names.__getitem__, other)) for other in mixed)
            if arrangement(map(names.__getitem__, first)) == state and among.issuperset(renamed):
                renamings.append(arrangement(names.get(label, label) for label in range(len(first))))
        return renamings

    @functools.cached_property
    def _rotations(self) -> list[tuple[Permutation, Arrangement]]:
        """The rotations of the puzzle that keep its moves and the goal, with the names of labels after them.

        If no move turns a certain piece, each is followed by another one, which may bring that piece back.
        """
        rules, whole, fulfilled = self._solver.rules, self._solver.rules.whole, set(self._fulfilled)
        changes = {move.effects[0].sources for move in rules.definition.moves()}
        solved = self._seen(rules.mask.masked(whole.definition.solved[0]))
        pairs = list[tuple[Permutation, Arrangement]]()
        for rotation in whole.view.rotations or rotations_of(whole.definition):
            back = inverse(rotation)
            names = relabelling(solved, back)
            if names is None:  # it changes what the goal distinguishes
                continue
            if whole.view.rotations:
                pairs += [(after(rotation, another), names) for another in whole.view.rotations]
                continue
            goals = {after(names, after(state, rotation)) for state in fulfilled}
            if goals == fulfilled and {after(after(rotation, change), back) for change in changes} == changes:
                pairs.append((rotation, names))
        return pairs

    def alg(self, case: Case) -> str:
        """Return an optimal alg from the solved state to a case."""
        return self._solver.setup(case.state)

    def picture(self, case: Case) -> Picture | None:
        """Return the picture of a case, with ignored pieces in grey; None if the puzzle has no pictures."""
        view = self._solver.rules.view
        assert isinstance(view, DefinedView)  # it has goals
        return view.draw_some(self._solver.rules.mask.possible(case.state.arrangement))


def _before(steps: Steps, view: DefinedView, name: str) -> str:
    """Return the step before a step, if moves are known that keep the one and lead to the other."""
    pairs = itertools.chain.from_iterable(map(itertools.pairwise, view.named_steps.methods.values()))
    before = (one for one, other in pairs if other == name)
    return next((step for step in before if steps.are_linked(step, name)), "")


def _hint(view: DefinedView, name: str) -> str:
    """Return the advice for a step with several goals: a step that is one of them."""
    stem = name.removesuffix("-any")
    alone = (step for step, goals in view.goals.items() if step.startswith(f"{stem}-") and len(goals) == 1)
    return next((f"; {step} is one of them" for step in alone), "")
