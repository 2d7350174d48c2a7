"""Scrambles for practising a step or a case that needs a given number of moves; all else is random.

>>> from cubesolve import puzzle
>>> pocket = puzzle("pocket")
>>> scrambled = [pocket.parse(alg, "alg") for alg in step_scrambles(pocket, 2, 7, goal="first-layer", depth=3)]
>>> [pocket.towards("first-layer").depth(state) for state in scrambled]
[3, 3]
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

from cubesolve.ask import Puzzle
from cubesolve.definition.goals import fulfils
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import MissingTableError, SearchLimitError, TooLargeError, in_moves
from cubesolve.group.elements import Stabilizer
from cubesolve.group.group import Group
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import after, from_cycles
from cubesolve.lookup import puzzle_of
from cubesolve.practice.steps import keeping
from cubesolve.runtime.arguments import integer
from cubesolve.runtime.deadline import check
from cubesolve.search.limits import apart, limited
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.goals import GoalSolver
from cubesolve.solvers.nearest import NearestSolver
from cubesolve.solvers.sources import random_source
from cubesolve.spaces.variants import GoalRules

if TYPE_CHECKING:
    import random

    from cubesolve.ask.arrays import Given
    from cubesolve.definition.cases import Case, Cases
    from cubesolve.definition.definition import Definition
    from cubesolve.definition.goals import Allowed
    from cubesolve.definition.metrics import Metric
    from cubesolve.search.limits import Limits
    from cubesolve.solvers.keywords import DrawQuestion
    from cubesolve.solvers.nearest import Part
    from cubesolve.solvers.solver import Solver, Source

MOST_SHORTEST = 64  # number of cases up to which shortest algs are found if that takes a search

_MOST_DRAWN = 100_000  # states
_MOST_MEMBERS = 10_000  # of a subgroup, until one fulfils a goal


@limited
def step_scrambles(
    puzzle: Puzzle | str,
    number: int,
    rng: Source = None,
    *,
    goal: str | None = None,
    depth: int | None = None,
    solved: str | None = None,
    metric: Metric | str | None = None,
    workers: int | None = None,
    **_limits: Unpack[Limits],
) -> Iterator[str]:
    """Yield scrambles that lead to uniformly random states at a depth of a step.

    Args:
        puzzle: the puzzle as a whole, or its name.
        number: the number of scrambles.
        rng: a source of random numbers, or a seed for one; by default the system's randomness.
        goal: the step, as for `Puzzle.towards`.
        depth: the number of moves that it needs; by default any.
        solved: another step that is solved already. With a cross, for example, the pairs remain. If moves are known
            that keep it, as those of a domino reduction, the depth counts these.
        metric: the metric of the depth; by default that of the puzzle.
        workers: number of threads of a search; by default one for each processor.
        **_limits: `timeout` and `cancel`, as in `SearchOptions`.

    Raises:
        SearchLimitError: the search ended at its limit.
        ValueError: a goal is invalid, a depth is given without one, or no state at the depth was found.

    >>> from cubesolve import puzzle
    >>> pocket = puzzle("pocket")
    >>> (alg,) = step_scrambles(pocket, 1, 7, solved="first-layer")
    >>> pocket.towards("first-layer").depth(pocket.parse(alg, "alg"))
    0
    """
    if depth is not None and goal is None:
        raise ValueError("a depth requires a goal")
    puzzle = puzzle_of(puzzle)
    source = random_source(rng)
    among = _keeping(puzzle, solved or "", goal or "")
    step = None if goal is None or depth is None else _towards(among, goal)
    done = None if solved is None or among is not puzzle else puzzle.towards(solved)
    wanted = 0 if depth is None else integer("depth", depth, 0)
    if wanted and step and done and _is_solved_with(_goals(step, goal), _goals(done, solved)):
        raise ValueError(f"no state needs {in_moves(wanted)} for {goal}: it is solved with {solved}")
    draw = among.random_state if done is None else _states_with(puzzle, done.solver)
    if step:
        named = {"metric": metric, "workers": workers}
        question: DrawQuestion = {name: value for name, value in named.items() if value is not None}  # type: ignore[assignment]
        draw = _states_at(puzzle, step.solver, wanted, draw, question, is_whole=solved is None)

    def drawn() -> str:
        with apart():
            return setups(puzzle, [draw(source)])[0]

    return (drawn() for _ in range(number))


# The next scramble is mostly for the same step, whose tables are open then.
_keeping, _towards = functools.lru_cache(8)(keeping), functools.lru_cache(8)(Puzzle.towards)


@limited
def case_scrambles(
    puzzle: Puzzle,
    cases: Cases,
    number: int,
    rng: Source = None,
    *,
    which: int | str | None = None,
    depth: int | None = None,
    **_limits: Unpack[Limits],
) -> Iterator[str]:
    """Yield scrambles that lead to uniformly random states of a set of cases; pieces that it ignores are random, too.

    Args:
        which: the case, by its place or name; by default any.
        depth: the number of moves that the states need, by default any. If the set solves the whole puzzle, scrambles
            have so many moves, too; otherwise the moves that it needs to solve its pieces are counted.
    """
    source = random_source(rng)
    if depth is None:
        return iter(setups(puzzle, [cases.random_state(source, which) for _ in range(number)]))
    wanted, aim = integer("depth", depth, 0), _towards_aim(puzzle, cases)
    accept = functools.cache(functools.partial(_is_at_depth, aim, wanted))

    def drawn() -> str:
        try:
            with apart():
                state = cases.random_state(source, which, accept)
        except ValueError:
            what = cases.name if which is None else f"{cases.name}:{which}"
            raise ValueError(f"no state of {what} needs {in_moves(wanted)}") from None
        return str(_setup(puzzle, aim, state)) if cases.aim is None else setups(puzzle, [state])[0]

    return (drawn() for _ in range(number))


def case_setups(
    puzzle: Puzzle,
    cases: Cases,
    listed: Sequence[Case],
    *,
    shortest: bool | None = None,
    timeout: float | None = None,
    share: float | None = None,
) -> Iterator[Solution]:
    """Yield an alg that leads from the solved state to each of some cases, apart from pieces that the set ignores.

    An alg is a shortest one if its length is its `at_least`. After a `share` of seconds for each alg, or a `timeout`
    for all of them, any alg is taken.

    Args:
        shortest: whether to find shortest algs; by default, if there are at most `MOST_SHORTEST` cases, or a table.
    """
    states = [case.state for case in listed]
    rules, is_any = puzzle.rules, shortest is False or (shortest is None and len(listed) > MOST_SHORTEST)
    if is_any and rules.usual_length is not None:
        return (Solution(alg, 0, rules, rules.view.solved(None)) for alg in setups(puzzle, states))
    aim = _towards_aim(puzzle, cases)
    if timeout is None:
        return (_setup(puzzle, aim, state, share) for state in states)
    end, limit = time.monotonic() + timeout, math.inf if share is None else share
    return (_setup(puzzle, aim, state, min(limit, max(0.0, end - time.monotonic()))) for state in states)


def _towards_aim(puzzle: Puzzle[StateT], cases: Cases) -> Puzzle[StateT]:
    """Return the puzzle towards the pieces that a set solves; the puzzle itself if these are all, and it has a table.

    A search towards a goal finds short solutions without pattern databases that are built before.
    """
    if cases.aim is None and puzzle.rules.usual_length is None:
        return puzzle
    return _towards(puzzle, cases.aim or str(puzzle.rules.view.solved(None)))


def _setup(
    puzzle: Puzzle[StateT], aim: Puzzle[StateT], state: Given[StateT], timeout: float | None = None
) -> Solution[StateT]:
    """Return an alg from the solved state to a state, apart from pieces that the aim ignores; see `case_setups`."""
    if aim is puzzle:
        return puzzle.alg(state)
    rules = puzzle.rules
    try:
        solution = aim.solve(state, timeout=timeout)
        alg, at_least = rules.view.invert(solution), solution.at_least
    except SearchLimitError as limit:
        (alg,), at_least = setups(puzzle, [state]), max(limit.at_least, 1)
    return Solution(alg, at_least, rules, rules.view.solved(None))


def setups(puzzle: Puzzle[StateT], states: Sequence[Given[StateT]]) -> list[str]:
    """Return an alg that leads from the solved state to each of some states, in their orientation.

    The algs are shortest ones, but for puzzles of which any solution is found at once.
    """
    question: dict[str, Any] = {"max_length": puzzle.rules.usual_length}
    if question["max_length"] is None:
        return [puzzle.alg(state) for state in states]
    together = puzzle.solver.solve_together(states, **question)
    algs = (alg or puzzle.solver.solve_as_held(state, **question) for state, alg in zip(states, together, strict=True))
    return [puzzle.rules.view.invert(alg) for alg in algs]


def _is_at_depth(puzzle: Puzzle | Solver, depth: int, state: object, **question: Any) -> bool:
    return _depth_within(puzzle, depth, state, **question) == depth


def _depth_within(puzzle: Puzzle | Solver, most: int, state: object, **question: Any) -> int:
    """Return the depth of a state, or a lower bound of it that is above a limit."""
    try:
        return puzzle.depth(state, max_depth=most, **question)
    except SearchLimitError as error:
        if error.at_least <= most:
            raise
        return error.at_least


def _states_at(
    puzzle: Puzzle[StateT],
    solver: Solver[StateT],
    depth: int,
    begin: Callable[[random.Random], StateT],
    question: DrawQuestion,
    *,
    is_whole: bool,
) -> Callable[[random.Random], StateT]:
    """Return a function that draws uniformly random states at a depth of a step, from all that another one draws.

    All arrangements of the pieces of a step leave the others equally many arrangements. So a random state in which the
    step is solved, after an alg to a uniformly random arrangement of its pieces, is a uniformly random state. If
    rotations make several goals of one, it is drawn for one of them; a state at the depth of k of them is accepted once
    in k times.
    """
    solved = _states_with(puzzle, solver) if is_whole and isinstance(solver, GoalSolver) else None
    parts: Sequence[Part] = ()
    if is_whole and isinstance(solver, NearestSolver):
        _require_enough(solver, depth, question)
        if len({part.solver for part in solver.parts}) == 1:
            parts = solver.parts
            shared = _states_at(puzzle, parts[0].solver, depth, begin, question, is_whole=True)

    def drawn(source: random.Random) -> Any:
        if solved is not None and isinstance(solver, GoalSolver):
            if len(solver.rules.definition.solved) > 1:
                state = solver.state_at(depth, solved, source, question)
                if state is not None:
                    return state
            else:
                with contextlib.suppress(MissingTableError, TooLargeError):
                    alg = solver.alg_from_goal(depth, source, question)
                    return puzzle.rules.view.after(solved(source), alg)
        for _ in range(_MOST_DRAWN):
            check()
            state = source.choice(parts).unseen(shared(source)) if parts else begin(source)
            depths = [_depth_within(part.solver, depth, part.seen(state), **question) for part in parts]
            if not parts and _is_at_depth(solver, depth, state, **question):
                return state
            if parts and min(depths) == depth and source.randrange(depths.count(depth)) == 0:
                return state
        raise ValueError(f"no state at depth {depth} was found among {_MOST_DRAWN:,} states")

    return drawn


def _require_enough(solver: NearestSolver, depth: int, question: DrawQuestion) -> None:
    """Reject a depth at which there are no states, or too few to draw one, as far as their number is known."""
    metric = question.get("metric")
    try:
        counts = solver.distribution(metric=metric)
    except ValueError:
        if len({part.solver for part in solver.parts}) == 1:
            return
        few, parts = "too few states have", [part.solver for part in solver.parts]
        algs = parts[0].graph_asked({"metric": metric}).number_of_algs(depth)
        share = sum(Fraction(algs * len(part.rules.definition.solved), part.states) for part in parts)
    else:
        number = counts[depth] if depth < len(counts) else 0
        few = f"only {number:,} of {sum(counts):,} states have" if number else "no state has"
        share = Fraction(number, sum(counts))
    if share * _MOST_DRAWN < 1:
        raise ValueError(f"{few} depth {depth} for {solver.rules.goal}")


def _goals(towards: Puzzle, text: str | None) -> Sequence[Allowed]:
    """Return the goals of a step that a text stands for; none if they are not known."""
    rules = towards.rules
    if isinstance(rules, GoalRules):
        return rules.goals
    return rules.view.goals_named(text) if text and isinstance(rules.view, DefinedView) else ()


def _is_solved_with(goals: Sequence[Allowed], done: Sequence[Allowed]) -> bool:
    """Return whether each state that fulfils one of some goals fulfils one of others, as a cross with a slot does."""

    def includes(goal: Allowed, given: Allowed) -> bool:
        return all(point in given and given[point] <= labels for point, labels in goal.items())

    return bool(done) and all(any(includes(goal, given) for goal in goals) for given in done)


def _states_with(puzzle: Puzzle[StateT], step: Solver[StateT]) -> Callable[[random.Random], StateT]:
    """Return a function that draws a uniformly random state in which a step is solved.

    States with some pieces at home are a subgroup, if pieces that look alike are distinguished. If the goal leaves
    choices, members of the subgroup are drawn until one fulfils it; if few do, the step is solved in a random state
    instead.
    """
    rules, view = step.rules, puzzle.rules.view
    assert isinstance(view, DefinedView)  # as it has goals
    goals, solved = rules.goals if isinstance(rules, GoalRules) else (), view.definition.solved[0]
    fixing = _fixing(rules.whole.definition, goals) if isinstance(rules, GoalRules) else None

    def drawn(source: random.Random) -> StateT:
        members = () if fixing is None else (fixing.random_member(source) for _ in range(_MOST_MEMBERS))
        for member in members:
            check()
            place = after(solved, member)
            if fulfils(place, goals):
                drawn_state: StateT = view.state(place)
                return drawn_state
        state = puzzle.random_state(source)
        return puzzle.rules.view.after(state, str(step.solve(state)))

    return drawn


def _fixing(definition: Definition, goals: Sequence[Allowed]) -> Stabilizer | None:
    """Return a group that fixes what the only goal fixes and makes all states with that, equally often.

    The group has the exchanges of pieces that look alike, too, which change no state.
    """
    moves, solved = definition.moves(), definition.solved[0]
    if definition.illegal or not all(is_plain(move.effects) for move in moves):
        return None
    changes = [move.effects[0].sources for move in moves]
    alike = [[point for point, label in enumerate(solved) if label == look] for look in set(solved)]
    exchanges = [from_cycles([pair], len(solved)) for points in alike for pair in itertools.pairwise(points)]
    if exchanges:
        number = Group(definition.points, changes).arrangements(solved)
        order = math.prod(math.factorial(len(points)) for points in alike) * (number or 0)
        if Group(definition.points, changes + exchanges).order != order:
            return None
    fixed = [p for p, labels in goals[0].items() if len(goals) == 1 and labels == {solved[p]}]
    return Stabilizer(definition.points, changes + exchanges, fixed)
