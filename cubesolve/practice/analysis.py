"""Analyses of solutions: the moves left after each move, the steps, and short solutions that go through steps."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from cubesolve.ask import Puzzle
from cubesolve.definition.state import StateT
from cubesolve.definition.view import DefinedView, View
from cubesolve.errors import CubesolveError, InvalidMoveError, InvalidStateError, SearchLimitError, UnsolvableStateError
from cubesolve.lookup import puzzle_of
from cubesolve.practice import inverses
from cubesolve.practice.inverses import Stretch, remainder
from cubesolve.practice.steps import Step, Steps
from cubesolve.runtime.deadline import Deadline, EndedError, check, current, running
from cubesolve.search.limits import WITHIN_SECONDS, SearchOptions, apart, limited

if TYPE_CHECKING:
    from cubesolve.ask.arrays import Given
    from cubesolve.search.limits import Limits

_FINISHED = 8  # chains whose last step is improved
_RAISED = 1  # how often the limit of searches for a step is raised until one finds an alg, without a time limit
_MOST = 0.9  # of the time that is left improves them; a search can end a little late
_PATIENCE = 2  # positions in a row that are not answered in time, before the others are only bounded
_NO_PARENTHESES = str.maketrans("()", "  ")
_LACKING = 6  # moves, up to which those are found that a solution lacks
_GLANCES = 20  # positions that are bounded in the time of one,
_FEWER = 2  # or with so many moves less


class Position(NamedTuple):
    """A position of a solution."""

    move: str  # the move that led here; empty for the start. A move on the inverse is in parentheses
    at_least: int  # a lower bound of the moves that are left
    at_most: int  # an upper bound; equal to the lower bound if the number is exact
    # Whether the move was wasted: the number of moves left fell by less than its length. None if the bounds do not
    # decide it.
    lost: bool | None
    state: Any


class Part(NamedTuple):
    """A step of a solution."""

    name: str
    alg: str  # its moves; those on the inverse are in parentheses
    length: int  # the number of moves
    at_least: int  # a lower bound of the moves that the step needs
    optimal: str | None  # a shortest alg for the step; None if the search ended at its limit


class Analysis(NamedTuple):
    """The analysis of a solution."""

    positions: Sequence[Position]  # its positions, from the start on
    parts: Sequence[Part]  # the steps, in the order in which they were asked for
    # What a skeleton, a solution with moves on the inverse that leaves some pieces, does not solve: their cycles, and
    # their case if it has a name; else empty.
    left: str = ""

    @property
    def lost(self) -> int:
        """The number of moves that were wasted, as far as the bounds decide it."""
        return sum(position.lost is True for position in self.positions)

    @property
    def fields(self) -> dict[str, object]:
        """The fields of a JSON object: the moves lost, the positions, and the steps."""
        positions = [{**position._asdict(), "state": str(position.state)} for position in self.positions]
        return {"lost": self.lost, "positions": positions, "steps": [part._asdict() for part in self.parts]}


@limited
def analyse(
    puzzle: Puzzle[StateT] | str,
    state: Given[StateT],
    solution: str,
    steps: Sequence[str] = (),
    *,
    niss: bool = False,
    share: float | None = None,
    workers: int | None = None,
    **_limits: Unpack[Limits],
) -> Analysis:
    """Return the number of moves that are left after each move of a solution, and the length of each step.

    The numbers are exact if a table has them, or if a search finds them in its share of time; otherwise they are
    bounds. A move that is several in the metric counts as these: a slice as two turns of faces.

    Args:
        puzzle: the puzzle, or its name.
        state: the state that the solution begins with, in any form.
        solution: an alg that solves the state.
        steps: the names of goals of the puzzle, or of sets of cases, in the order in which they are reached. The last
            can be ``solved``.
        niss: whether moves in parentheses are on the inverse, as in `cubesolve.practice.inverses`. A step is then
            reached when the state or its inverse fulfils it, and the solution may be a skeleton, which leaves some
            pieces unsolved. Otherwise parentheses only group moves.
        share: the seconds for each number that no table answers; tables that are built in seconds are. By default the
            work for each is limited instead, so results do not depend on the time that it takes.
        workers: the number of threads of each search.
        **_limits: `timeout` and `cancel`, as in `SearchOptions`.

    Raises:
        SearchLimitError: the analysis ended at its limit.
        InvalidStateError: the state is invalid, the alg does not solve it (without `niss`), or a step is not reached
            in this order.
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
    puzzle = puzzle_of(puzzle)
    view, chosen, effort = puzzle.rules.view, Steps(puzzle, steps), _Effort(share, workers)
    if puzzle.rules.needs_goal or puzzle.rules.is_directed:
        raise ValueError(f"analyses are not supported for the {puzzle.title}")
    moves = _moves(view, solution, niss)
    states = list(itertools.accumulate(moves, functools.partial(_after, view), initial=puzzle.rules.read(state)))
    end: Any = states[-1]  # only trays, which are rejected above, have no `is_solved`
    with apart():
        if not (niss or end.is_solved):
            raise InvalidStateError(f"the alg does not solve the state{_hint(puzzle, states, solution, niss)}")
        lengths = {alg: _length(puzzle, alg) for alg in {move.alg for move in moves}}
        taken = [lengths[move.alg] for move in moves]
        rest = 0 if end.is_solved else _rest(puzzle, end, effort)
        bounds = _bounds(puzzle, states, taken, rest, effort)
        positions = [Position("", *bounds[0], None, states[0])]
        for number, move in enumerate(moves):
            lost = _is_lost(taken[number], *bounds[number : number + 2])
            positions.append(Position(str(move), *bounds[number + 1], lost, states[number + 1]))
        parts = list(_Parts(view, states, moves, taken, niss, effort).of(chosen))
        left = "" if end.is_solved else remainder(puzzle, end)
    return Analysis(positions, parts, left)


class _Effort(NamedTuple):
    """How long to search for each number: some seconds, or up to a number of moves that depends on the puzzle."""

    share: float | None  # seconds; None for the number of moves
    workers: int | None
    more: int = 0  # added to the number of moves

    def limits(self, puzzle: Puzzle, most: int | None) -> SearchOptions:
        if self.share is not None:
            return SearchOptions(timeout=self.share, workers=self.workers, max_depth=most)
        usual = puzzle.solver.moves_in_seconds
        affordable = None if usual is None else usual + self.more
        within = min((limit for limit in (affordable, most) if limit is not None), default=None)
        return SearchOptions(workers=self.workers, max_depth=within)

    @property
    def glance(self) -> _Effort:
        return self._replace(share=self.share and self.share / _GLANCES, more=-_FEWER)

    @property
    def longer(self) -> _Effort:
        return self._replace(share=self.share and 2 * self.share, more=self.more + 1)


class _Move(NamedTuple):
    alg: str  # as it is written
    effect: str  # an alg with the same effect; with moves on the inverse, it leaves the puzzle as it is held
    on_inverse: bool = False

    def __str__(self) -> str:
        return str(Stretch(self.alg, self.on_inverse))


def _moves(view: View, solution: str, niss: bool) -> list[_Move]:
    if not niss:
        return [_Move(move, move) for move in view.split(solution)]
    held = inverses.require_inverses(view)
    turned, moves = {False: "", True: ""}, list[_Move]()
    stretches = inverses.read(solution)
    view.split(solution.translate(_NO_PARENTHESES))  # an error has the place in the solution, not in a stretch
    for stretch in stretches:
        for move in view.split(stretch.alg):
            if held.is_free(move) and not inverses.rotation_after(held, move):
                raise InvalidMoveError(move, 0, f"rotates the {view.title}, which is not supported with niss")
            before = turned[stretch.on_inverse]
            after = turned[stretch.on_inverse] = inverses.rotation_after(held, f"{before} {move}")
            moves.append(_Move(move, f"{before} {move} {view.invert(after)}".strip(), stretch.on_inverse))
    return moves


def _after(view: View, state: object, move: _Move) -> Any:
    if not move.on_inverse:
        return view.after(state, move.effect)
    held = inverses.require_inverses(view)
    return inverses.inverted(held, view.after(inverses.inverted(held, state), move.effect))


def _hint(puzzle: Puzzle, states: Sequence[Any], solution: str, niss: bool) -> str:
    """Return what a solution lacks, as the end of an error; empty if that is not found at once."""
    view = puzzle.rules.view
    with contextlib.suppress(CubesolveError, ValueError):
        moves = [] if niss else _moves(view, solution, niss=True)
        if moves and functools.reduce(functools.partial(_after, view), moves, states[0]).is_solved:
            return ", but with its moves in parentheses on the inverse it does (niss)"
    with contextlib.suppress(CubesolveError, ValueError):
        return f": it lacks {puzzle.solve(states[-1], max_depth=_LACKING)}"
    return ""


def _length(puzzle: Puzzle, move: str) -> int:
    """Return the number of moves of the metric that a move counts as: a slice is two of the faces beside it."""
    view = puzzle.rules.view
    if view.is_free(move):
        return 0
    return 1 if move in puzzle.moves else puzzle.depth(view.scrambled(move))


def _is_lost(length: int, before: tuple[int, int], now: tuple[int, int]) -> bool | None:
    """Return whether a move was wasted, given its length and the bounds before and after it; None if undecided."""
    if now[0] > before[1] - length:
        return True
    return False if now[1] <= before[0] - length else None


# -- Positions ---------------------------------------------------------------------------------------------------------


def _rest(puzzle: Puzzle, end: object, effort: _Effort) -> int:
    if puzzle.rules.usual_length is not None:
        return int(_usual(puzzle, end, effort.workers).length)
    return puzzle.depth(end, **(effort.limits(puzzle, None) if puzzle.rules.searches else {}))


def _bounds(
    puzzle: Puzzle, states: Sequence[Any], lengths: Sequence[int], rest: int, effort: _Effort
) -> list[tuple[int, int]]:
    """Return bounds of the moves that are left in each state, given the lengths of moves and a bound for the end."""
    bounds, missed = list[tuple[int, int]](), 0
    left = list(itertools.accumulate(reversed(lengths), initial=rest))
    for state, upper in zip(reversed(states), left, strict=True):
        check()
        below, above = 0, upper
        if not puzzle.rules.searches:
            below = above = puzzle.depth(state)
        else:
            limits = (effort if missed < _PATIENCE else effort.glance).limits(puzzle, upper)
            below, above = _searched(puzzle, state, upper, limits)
            missed = 0 if below == above else missed + 1
        if below < above and puzzle.rules.usual_length is not None:
            above = min(above, _usual(puzzle, state, effort.workers).length)
        bounds.append((min(below, above), above))
    return _near(_near(bounds, list(reversed(lengths))), lengths)[::-1]


def _near(bounds: list[tuple[int, int]], lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return bounds, in reverse order, that differ from those before them by at most the length of the move."""
    narrowed = bounds[:1]
    for (below, above), length in zip(bounds[1:], lengths, strict=True):
        narrowed.append((max(below, narrowed[-1][0] - length), min(above, narrowed[-1][1] + length)))
    return narrowed[::-1]


def _usual(puzzle: Puzzle, state: object, workers: int | None) -> Any:
    return puzzle.solve(state, max_length=puzzle.rules.usual_length, workers=workers)


def _searched(puzzle: Puzzle, state: object, most: int, limits: SearchOptions) -> tuple[int, int]:
    """Return bounds of the moves that a search finds within its limits, at most those that are known."""
    try:
        depth = puzzle.depth(state, **limits)
    except SearchLimitError as limit:
        return min(limit.at_least, most), most
    return depth, depth


# -- Steps -------------------------------------------------------------------------------------------------------------


class _Parts(NamedTuple):
    view: View
    states: Sequence[Any]
    moves: Sequence[_Move]
    lengths: Sequence[int]
    niss: bool
    effort: _Effort

    def of(self, chosen: Steps) -> Iterator[Part]:
        """Yield the steps; their shortest algs are those in the orientation in which the steps end."""
        begin, before = 0, list[Step]()
        for name in chosen.names:
            steps = chosen.after(before[0].name if before else "", name)
            reached = (
                (end, step) for end in range(begin, len(self.states)) for step in steps if self._sides(end, [step])
            )
            end, step = next(reached, (None, None))
            if end is None or step is None:
                raise InvalidStateError(f"the solution does not reach the step {name} in this order")
            at_least, optimal = self._shortest(step, self._sides(begin, before), begin, end)
            length = sum(self.lengths[begin:end])
            yield Part(name, self._written(begin, end), length, at_least, optimal)
            begin, before = end, [step]

    def _sides(self, number: int, steps: Sequence[Step]) -> list[tuple[Any, bool]]:
        """Return a state and its inverse, those of them that fulfil steps, and which of the two is the inverse."""
        sides = [(self.states[number], False)]
        if self.niss:
            sides.append((inverses.inverted(inverses.require_inverses(self.view), self.states[number]), True))
        return [(state, on_inverse) for state, on_inverse in sides if all(step.holds(state) for step in steps)]

    def _written(self, begin: int, end: int) -> str:
        together = itertools.groupby(self.moves[begin:end], lambda move: move.on_inverse)
        return " ".join(str(Stretch(" ".join(move.alg for move in moves), side)) for side, moves in together)

    def _shortest(self, step: Step, sides: Sequence[tuple[Any, bool]], begin: int, end: int) -> tuple[int, str | None]:
        """Return a lower bound of the moves of a step, and a shortest alg if one is found within the limits."""
        candidates, upper = list[tuple[int, str | None]](), sum(self.lengths[begin:end])
        rotation = "" if self.niss else inverses.rotation_of(self.view, self._written(begin, end))
        for state, on_inverse in sides:
            at_least, alg = _shortest(step, self.view.after(state, rotation), upper, self.effort)
            written = None if alg is None else str(Stretch(f"{rotation} {alg}".strip(), on_inverse))
            candidates.append((at_least, written))
        return min(candidates, key=lambda each: (each[0], each[1] is None))


def _shortest(step: Step, state: object, most: int, effort: _Effort) -> tuple[int, str | None]:
    """Return a lower bound of the moves of a step, and a shortest alg if it is found within the limits."""
    limits = (
        SearchOptions(workers=effort.workers, max_depth=most) if step.has_table else effort.limits(step.puzzle, most)
    )
    try:
        alg = step.puzzle.solve(state, **limits)
    except SearchLimitError as limit:
        return min(limit.at_least, most), None
    except UnsolvableStateError:  # not with the moves that keep the step before: the solution broke it
        return 0, None
    return alg.length, str(alg)


# -- Chains ------------------------------------------------------------------------------------------------------------


class SteppedSolution(NamedTuple):
    """A solution in steps."""

    length: int  # the number of its moves
    parts: Sequence[tuple[str, str]]  # the name and the alg of each step; an alg on the inverse is in parentheses
    alg: str  # the whole solution


@limited
def shortest_chain(
    puzzle: Puzzle[StateT] | str,
    state: Given[StateT],
    names: Sequence[str],
    *,
    width: int = 64,
    number: int = 16,
    slack: int = 0,
    niss: bool = False,
    share: float | None = None,
    workers: int | None = None,
    **_limits: Unpack[Limits],
) -> SteppedSolution:
    """Return a short solution that goes through steps.

    Of each step the optimal algs are tried, and those that are a little longer; the states that are reached with the
    fewest moves go on to the next step. With larger limits the solution can only become shorter.

    Args:
        puzzle: the puzzle, or its name.
        state: the state, in any form.
        names: the steps, as for `analyse`; ``eo-any`` and ``dr-any`` try each axis.
        width: how many states go on to the next step.
        number: how many algs are tried for each state and step.
        slack: how many moves more than the shortest an alg of a step may have.
        niss: whether steps are also tried on the inverse, if the step before is done there, too.
        share: the seconds for each state and step that no table answers. If they are not enough for any state, they
            are doubled. By default the work for each is limited instead, so the result does not depend on the time;
            this limit is raised once, or more often if there is a `timeout`.
        workers: the number of threads of each search.
        **_limits: `timeout` and `cancel`, as in `SearchOptions`; a solution that is found by then is returned.

    Raises:
        InvalidStateError: the state is invalid.
        SearchLimitError: the search ended at its limit; the error names the step.
        ValueError: there is no such step, or states of the puzzle have no inverses.

    >>> from cubesolve import puzzle
    >>> chain = shortest_chain(puzzle("pocket"), "R U R' F U2", ["first-layer", "solved"])
    >>> chain.length, [name for name, _ in chain.parts]
    (12, ['first-layer', 'solved'])
    """
    puzzle = puzzle_of(puzzle)
    view = puzzle.rules.view
    held = inverses.require_inverses(view) if niss else None
    steps, effort = Steps(puzzle, names), _Effort(share, workers)
    links, reached = _Links(view, steps, width, number, slack, held), [_Link(puzzle.rules.read(state))]
    for name in steps.names:
        with apart(f", in the step {name}"):
            reached = links.after(reached, name, effort)
    finished = reached[:_FINISHED]
    part = effort._replace(share=share and share / len(finished))
    best, left = finished[0], current().left()
    moment = Deadline(timeout=_MOST * left if math.isfinite(left) else None, within=current())
    with contextlib.suppress(EndedError, SearchLimitError), running(moment):
        for link in finished:
            best = min(best, links.improved(link, part), key=lambda link: link.length)
    parts = [(name, str(alg)) for name, alg in zip(steps.names, best.parts, strict=True)]
    return SteppedSolution(best.length, parts, inverses.joined(best.parts, view))


class _Link(NamedTuple):
    state: Any
    on_inverse: bool = False  # whether the state is the inverse
    length: int = 0  # in moves, so far
    parts: tuple[Stretch, ...] = ()  # the algs of the steps
    done: Step | None = None  # the last step

    def extended(self, view: View, step: Step, alg: str) -> _Link:
        state = view.after(self.state, alg)
        parts = (*self.parts, Stretch(alg, self.on_inverse))
        return self._replace(state=state, length=self.length + view.count(alg), parts=parts, done=step)

    @property
    def name(self) -> str:
        return self.done.name if self.done else ""


class _Links(NamedTuple):
    view: View
    steps: Steps
    width: int
    number: int
    slack: int
    held: DefinedView | None

    def after(self, reached: Sequence[_Link], name: str, effort: _Effort) -> list[_Link]:
        """Return the shortest chains with one more step. Searches may take longer until one of them finds an alg."""
        is_limited = current().is_limited or effort.share is not None
        for tries in itertools.count():
            if links := self._extended(reached, name, effort):
                break
            if tries == _RAISED and not is_limited:
                raise SearchLimitError(0, WITHIN_SECONDS)
            effort = effort.longer
        return sorted(links.values(), key=lambda link: link.length)[: self.width]

    def _extended(self, reached: Sequence[_Link], name: str, effort: _Effort) -> dict[tuple[str, Any], _Link]:
        links, least = dict[tuple[str, Any], _Link](), math.inf
        for link in reached:
            for begun, step in itertools.product(self._sides(link), self.steps.after(link.name, name)):
                check()
                limit = None if least == math.inf else int(least) - begun.length - 1
                for alg in itertools.islice(self._tried(step, begun.state, effort, limit), self.number):
                    longer = begun.extended(self.view, step, alg)
                    key = (step.name, longer.state)
                    if key not in links or longer.length < links[key].length:
                        links[key], least = longer, min(least, longer.length)
        return links

    def _sides(self, link: _Link) -> list[_Link]:
        """Return a link, and the same on the other side, if the step before is done there, too."""
        if self.held is None:
            return [link]
        other = inverses.inverted(self.held, link.state)
        is_done = link.done is None or link.done.holds(other)
        return [link, *([link._replace(state=other, on_inverse=not link.on_inverse)] if is_done else [])]

    def improved(self, link: _Link, effort: _Effort) -> _Link:
        """Return a chain with the shortest last step that is found within the limits, if it was any solution."""
        step = link.done
        if step is None or step.goals or step.has_table or step.puzzle.rules.usual_length is None:
            return link
        *parts, last = link.parts
        state = self.view.after(link.state, self.view.invert(last.alg))
        alg = str(_improved(step.puzzle, state, effort))
        length = link.length - self.view.count(last.alg) + self.view.count(alg)
        return link._replace(length=length, parts=(*parts, Stretch(alg, last.on_inverse)))

    def _tried(self, step: Step, state: object, effort: _Effort, most: int | None) -> Iterator[str]:
        """Return algs that make a step in a state.

        A table gives all shortest algs, and those that are `slack` moves longer. A search gives one shortest alg, or
        none if it has more than `most` moves or is not found within the limits. If the puzzle is solved with the
        step, and any solution is found at once, that is the alg.
        """
        puzzle = step.puzzle
        if step.has_table:
            return puzzle.solutions(state, slack=self.slack) if self.slack else puzzle.solutions(state)
        try:
            if puzzle.rules.usual_length is not None and not step.goals:
                return iter([str(_usual(puzzle, state, effort.workers))])
            return iter([] if most is not None and most < 0 else [puzzle.solve(state, **effort.limits(puzzle, most))])
        except SearchLimitError:
            return iter([])


def _improved(puzzle: Puzzle, state: object, effort: _Effort) -> Any:
    if effort.share is None:
        solution = puzzle.solver.short(state, workers=effort.workers)
        whole = puzzle.towards(str(puzzle.rules.view.solved(None)))  # its search needs no tables that are built before
        with contextlib.suppress(SearchLimitError):
            return whole.solve(state, **effort.limits(whole, solution.length))
        return solution
    solutions, limits = list[Any](), SearchOptions(timeout=effort.share, workers=effort.workers)
    with contextlib.suppress(SearchLimitError):
        solutions.extend(puzzle.improvements(state, within=0, **limits))
    return solutions[-1] if solutions else _usual(puzzle, state, effort.workers)
