"""What a solution cost: the moves that were left after each of its moves, and the steps that it went through."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from cubesolve.ask import Puzzle
from cubesolve.deadline import check
from cubesolve.definitions.goals import Allowed
from cubesolve.definitions.view import DefinedView
from cubesolve.errors import (
    CubesolveError,
    InvalidStateError,
    MissingTableError,
    SearchLimitError,
    UnsolvableStateError,
    did_you_mean,
    quoted,
)
from cubesolve.search.limits import SearchOptions
from cubesolve.spaces.defined import AT_ONCE

SOLVED = "solved"
"""The name of the last step."""

_SHARE = 2.0  # seconds for a position that no table answers, by default
_PATIENCE = 2  # positions in a row that are not answered in time, before the others are only bounded
_SHORT = 8  # moves, up to which an optimal solution is found at once


class Position(NamedTuple):
    """A position of a solution.

    Attributes:
        move: the move that led here; empty for the start.
        at_least: a lower bound of the moves that are left.
        at_most: an upper bound; equal to the lower one if the number is known.
        lost: whether the move did not bring the puzzle nearer by its length; None if it is not known.
    """

    move: str
    at_least: int
    at_most: int
    lost: bool | None


class Part(NamedTuple):
    """A step of a solution.

    Attributes:
        name: its name.
        alg: its moves.
        length: their number.
        at_least: a lower bound of the moves of the step from where it began.
        optimal: a shortest alg for the step; None if none is known.
    """

    name: str
    alg: str
    length: int
    at_least: int
    optimal: str | None


class Analysis(NamedTuple):
    """The analysis of a solution.

    Attributes:
        positions: its positions, from the start on.
        parts: the steps, in the order in which they were asked for.
    """

    positions: Sequence[Position]
    parts: Sequence[Part]

    @property
    def lost(self) -> int:
        """The number of moves that are known not to have brought the puzzle nearer."""
        return sum(position.lost is True for position in self.positions)


def analyse(
    puzzle: Puzzle[Any],
    state: Any,
    solution: str,
    steps: Sequence[str] = (),
    *,
    share: float = _SHARE,
    workers: int | None = None,
) -> Analysis:
    """Return what is left after each move of a solution, and what each step cost.

    The numbers are exact where a table answers, or a search does in its share of time; else they are bounds. A move
    that is several in the metric counts as these: a slice as two turns of faces.

    Args:
        puzzle: the puzzle.
        state: the state that the solution begins with, in any form.
        solution: an alg that solves the state.
        steps: the names of goals of the puzzle, or of sets of cases, in the order in which they are reached. The last
            can be ``solved``.
        share: the seconds for each number that no table answers; tables that are built in seconds are.
        workers: the number of threads of each search.

    Raises:
        InvalidStateError: the state is invalid, the alg does not solve it, or a step is not reached in this order.
        InvalidMoveError: the solution is not an alg.
        ValueError: there is no such step.

    >>> from cubesolve import puzzle
    >>> pocket = puzzle("pocket")
    >>> found = analyse(pocket, "R U R'", "R D U' D' R'", ["first-layer", "solved"])
    >>> [(position.move, position.at_least) for position in found.positions]
    [('', 3), ('R', 2), ('D', 2), ("U'", 2), ("D'", 1), ("R'", 0)]
    >>> found.lost, [(part.name, part.length) for part in found.parts]
    (2, [('first-layer', 5), ('solved', 0)])
    """
    view, chosen, search = puzzle.rules.view, _steps(puzzle, steps), SearchOptions(timeout=share, workers=workers)
    if puzzle.rules.needs_goal or puzzle.rules.is_directed:
        raise ValueError(f"analyses are not supported for the {puzzle.title}")
    states, moves = [puzzle.rules.read(state)], view.split(solution)
    for move in moves:
        states.append(view.after(states[-1], move))
    if not states[-1].is_solved:
        raise InvalidStateError("the alg does not solve the state")
    lengths = {move: _length(puzzle, move) for move in set(moves)}
    taken = [lengths[move] for move in moves]
    bounds = _bounds(puzzle, states, taken, search)
    positions = [Position("", *bounds[0], None)]
    for number, move in enumerate(moves):
        lost = _is_lost(lengths[move], *bounds[number : number + 2])
        positions.append(Position(move, *bounds[number + 1], lost))
    parts = list(_parts(states, moves, taken, chosen, search))
    return Analysis(positions, parts)


def _length(puzzle: Puzzle[Any], move: str) -> int:
    """Return the number of moves of the metric that a move counts as: a slice is two of the faces beside it."""
    view = puzzle.rules.view
    return 1 if move in puzzle.moves else puzzle.depth(view.after(view.solved(None), move))


def _is_lost(length: int, before: tuple[int, int], now: tuple[int, int]) -> bool | None:
    """Return whether a move did not bring the puzzle nearer by its length, given the bounds before and after it."""
    if now[0] > before[1] - length:
        return True
    return False if now[1] <= before[0] - length else None


# -- Positions ---------------------------------------------------------------------------------------------------------


def _bounds(
    puzzle: Puzzle[Any], states: Sequence[Any], lengths: Sequence[int], search: SearchOptions
) -> list[tuple[int, int]]:
    """Return bounds of the moves that are left in each state of a solution, given the lengths of its moves."""
    found, missed = list[tuple[int, int]](), 0
    left = list(itertools.accumulate(reversed(lengths), initial=0))
    for state, most in zip(reversed(states), left, strict=True):
        below, above = 0, most
        if not puzzle.rules.searches:
            below = above = puzzle.depth(state)
        elif missed < _PATIENCE:
            below, above = _searched(puzzle, state, most, search)
            missed = 0 if below == above else missed + 1
        if below < above and puzzle.rules.usual_length is not None:
            above = min(above, _usual(puzzle, state, search).length)
        found.append((min(below, above), above))
    return _near(_near(found, list(reversed(lengths))), lengths)[::-1]


def _near(bounds: list[tuple[int, int]], lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return bounds, in reverse order, that differ from those before them by at most the length of the move."""
    found = bounds[:1]
    for (below, above), length in zip(bounds[1:], lengths, strict=True):
        found.append((max(below, found[-1][0] - length), min(above, found[-1][1] + length)))
    return found[::-1]


def _usual(puzzle: Puzzle[Any], state: Any, search: SearchOptions) -> Any:
    """Return a solution that is found at once."""
    return puzzle.solve(state, max_length=puzzle.rules.usual_length, workers=search["workers"])


def _searched(puzzle: Puzzle[Any], state: Any, most: int, search: SearchOptions) -> tuple[int, int]:
    """Return bounds of the moves that a search finds in its share of time, at most those that are known."""
    limits: SearchOptions = {**search, "max_depth": most}
    try:
        depth = puzzle.depth(state, **limits)
    except (SearchLimitError, MissingTableError) as limit:
        return min(limit.at_least, most), most
    return depth, depth


# -- Steps -------------------------------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """A step: the puzzle that is solved with it; and the goals, any of which will do."""

    name: str
    puzzle: Puzzle[Any]
    goals: Sequence[Allowed]

    def holds(self, state: Any) -> bool:
        """Return whether a state has the step behind it."""
        view = self.puzzle.rules.view
        if not self.goals or not isinstance(view, DefinedView):
            return bool(state.is_solved)
        place = view.oriented(state)
        return any(all(place[point] in labels for point, labels in goal.items()) for goal in self.goals)


def _steps(puzzle: Puzzle[Any], names: Sequence[str]) -> list[_Step]:
    """Return steps by name.

    Raises:
        ValueError: there is no such step.
    """
    view = puzzle.rules.view
    if not names:
        return []
    if not isinstance(view, DefinedView):
        raise ValueError(f"steps are not supported for the {puzzle.title}")
    return [_step(puzzle, view, name, before) for before, name in itertools.pairwise(["", *names])]


def _step(puzzle: Puzzle[Any], view: DefinedView, name: str, before: str) -> _Step:
    """Return a step, made with the moves that keep the step before."""
    goals = {**{each: (about.aim,) for each, about in view.case_sets.items()}, **view.goals}
    moves = view.step_moves.get((before, name))
    among = puzzle.restrict(moves) if moves else puzzle
    if name == SOLVED:
        return _Step(name, among, ())
    if name not in goals:
        hint = did_you_mean(name, goals) or f"expected {SOLVED}, {', '.join(goals)}"
        raise ValueError(f"{quoted(name)} is not a step of the {puzzle.title}: {hint}")
    allowed = [view.allowed(goal) for goal in goals[name]]
    if all(len(allowed[0].get(point, ())) == 1 for point in range(view.definition.points)):
        return _Step(name, among, ())
    if name not in view.goals:
        raise ValueError(
            f"{quoted(name)} is a set of cases; as a step, use {SOLVED} or a goal: {', '.join(view.goals)}"
        )
    return _Step(name, among.towards(name), allowed)


def _parts(
    states: Sequence[Any],
    moves: Sequence[str],
    lengths: Sequence[int],
    steps: Sequence[_Step],
    search: SearchOptions,
) -> Iterator[Part]:
    """Yield the steps of a solution.

    A step may contain rotations of the puzzle: its shortest alg is that in the orientation in which it ends.
    """
    begin = 0
    for step in steps:
        end = next((number for number in range(begin, len(states)) if step.holds(states[number])), None)
        if end is None:
            raise InvalidStateError(f"the solution does not reach the step {step.name} in this order")
        length = sum(lengths[begin:end])
        rotations = [move for move, each in zip(moves[begin:end], lengths[begin:end], strict=True) if not each]
        turned = functools.reduce(step.puzzle.rules.view.after, rotations, states[begin])
        at_least, alg = _shortest(step, turned, length, search)
        optimal = None if alg is None else " ".join([*rotations, *alg.split()])
        yield Part(step.name, " ".join(moves[begin:end]), length, at_least, optimal)
        begin = end


def _shortest(step: _Step, state: Any, most: int, search: SearchOptions) -> tuple[int, str | None]:
    """Return a lower bound of the moves of a step, and a shortest alg if it is found in its share of time."""
    limits: SearchOptions = {**search, "max_depth": most}
    if _has_table(step.puzzle):
        del limits["timeout"]
    try:
        alg = step.puzzle.solve(state, **limits)
    except (SearchLimitError, MissingTableError) as limit:
        return min(limit.at_least, most), None
    except UnsolvableStateError:  # not with the moves that keep the step before: the solution broke it
        return 0, None
    return alg.length, str(alg)


def _has_table(puzzle: Puzzle[Any]) -> bool:
    """Return whether a puzzle has so few states that its table is built in seconds, and kept."""
    try:
        return puzzle.states <= AT_ONCE
    except (CubesolveError, ValueError):  # the number is not known
        return False


# -- Chains ------------------------------------------------------------------------------------------------------------


class Chain(NamedTuple):
    """A solution in steps.

    Attributes:
        length: the number of its moves.
        parts: the name and the alg of each step.
    """

    length: int
    parts: Sequence[tuple[str, str]]

    @property
    def alg(self) -> str:
        """The whole solution."""
        return " ".join(alg for _, alg in self.parts if alg)


def shortest_chain(
    puzzle: Puzzle[Any],
    state: Any,
    names: Sequence[str],
    *,
    width: int = 64,
    number: int = 16,
    slack: int = 0,
    share: float = _SHARE,
    workers: int | None = None,
) -> Chain:
    """Return a short solution that goes through steps.

    Of each step the optimal algs are tried, and those that are a little longer; the states that are reached with the
    fewest moves go on to the next step. With larger limits the solution can only become shorter.

    Args:
        puzzle: the puzzle.
        state: the state, in any form.
        names: the steps, as for `analyse`.
        width: how many states go on to the next step.
        number: how many algs are tried for each state and step.
        slack: how many moves more than the shortest an alg of a step may have.
        share: the seconds for each state and step that no table answers.
        workers: the number of threads of each search.

    Raises:
        InvalidStateError: the state is invalid.
        SearchLimitError: a step that needs a search was not solved in its share of time.
        ValueError: there is no such step.

    >>> from cubesolve import puzzle
    >>> chain = shortest_chain(puzzle("pocket"), "R U R' F U2", ["first-layer", "solved"])
    >>> chain.length, [name for name, _ in chain.parts]
    (12, ['first-layer', 'solved'])
    """
    view, start, search = puzzle.rules.view, puzzle.rules.read(state), SearchOptions(timeout=share, workers=workers)
    reached = {start: Chain(0, ())}
    for step in _steps(puzzle, names):
        check()
        found = dict[Any, Chain]()
        for place, chain in reached.items():
            for alg in itertools.islice(_tried(step, place, slack, search), number):
                there = functools.reduce(view.after, view.split(alg), place)
                longer = Chain(chain.length + view.count(alg), (*chain.parts, (step.name, alg)))
                if there not in found or longer.length < found[there].length:
                    found[there] = longer
        reached = dict(sorted(found.items(), key=lambda each: each[1].length)[:width])
    return min(reached.values(), key=lambda chain: chain.length)


def _tried(step: _Step, state: Any, slack: int, search: SearchOptions) -> Iterator[str]:
    """Yield algs for a step; a single one where there is no table, which may be longer if all is to be solved."""
    puzzle, workers = step.puzzle, search["workers"]
    if puzzle.rules.usual_length is not None and not step.goals:
        try:
            return iter([str(puzzle.solve(state, max_depth=_SHORT, workers=workers))])
        except (SearchLimitError, MissingTableError):
            return iter([str(_usual(puzzle, state, search))])
    if not _has_table(puzzle):
        return iter([str(puzzle.solve(state, **search))])
    return puzzle.solutions(state, slack=slack) if puzzle.lists_longer and slack else puzzle.solutions(state)
