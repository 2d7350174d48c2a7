"""Solutions where moves are not always possible, but can be undone: placements first, then loops (needs numba).

Which moves are possible depends on the *placement* of a few labels; those of a Square-1 are its shapes. A state is led
to the first placement, that of the solved state. *Loops* are algs that return to it. They are always possible there, so
they are the moves of a puzzle that is solved as any other whose moves make a group. At last, a tunnel shortens the
solution (`beams`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.reach import undoing_costs
from cubesolve.definition.sliding import sliding
from cubesolve.errors import UnsolvableStateError
from cubesolve.group.group import Group
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import Arrangement, Permutation, after, identity, inverse
from cubesolve.runtime.deadline import check
from cubesolve.runtime.prepared import Prepared
from cubesolve.solvers.anything import Anything
from cubesolve.solvers.beams import Beams, tunnelled
from cubesolve.spaces.defined import DerivedRules

if TYPE_CHECKING:
    from cubesolve.solvers.derived import DerivedSolver
    from cubesolve.solvers.state_arrays import StateArrays
    from cubesolve.spaces.defined_graph import DerivedGraph

_FEW = 32  # loops that are used even if fewer generate the group
_TUNNEL = 1 << 13  # states of a tunnel
_BYTES = 1 << 26  # of the states that moves make of those in a tunnel

Alg = tuple[int, ...]
"""Moves by number."""


class _Way(NamedTuple):
    """A shortest alg from the first placement to another, one that undoes it, and the effect of the former."""

    alg: Alg
    back: Alg
    change: Permutation


class _Prepared(NamedTuple):
    """The data computed once for a puzzle."""

    ways: Mapping[Arrangement, _Way]  # to each placement
    loops: Mapping[Permutation, Alg]  # the algs that lead back to the first placement, by their effects
    ends: Mapping[Arrangement, _Way]  # to each solved state, by the arrangement to which the way back leads from there
    solver: Anything  # of arrangements in the first placement by loops, which it names by their numbers


def blocked_solver(solver: DerivedSolver, graph: DerivedGraph) -> Beams | Loops:
    """Return what solves any state of a puzzle whose moves are not always possible.

    These are loops if moves can be undone and the placements be listed; but beams where the puzzle can be rotated, and
    for sliding puzzles, of which they find shorter solutions.
    """
    moves = graph.definition_moves
    is_undone = not graph.rules.definition.rotations and undoing_costs(moves) is not None
    if is_undone and sliding(graph.reduction.solved, moves) is None and graph.reach is not None:
        with contextlib.suppress(ValueError):  # its states cannot be arrays
            return Loops(graph, solver.state_arrays(graph.metric))
    return Beams(solver, graph)


class Loops:
    """Finds solutions of any states of a puzzle; see `blocked_solver`."""

    def __init__(self, graph: DerivedGraph, arrays: StateArrays) -> None:
        assert graph.reach is not None  # see `blocked_solver`
        self._graph, self._arrays, self._reach = graph, arrays, graph.reach
        self._prepared = Prepared(self._prepare)

    def at_least(self, state: Arrangement) -> int:  # noqa: ARG002
        """Return a lower bound of the depth of a state that is found at once; 0 where there is none."""
        return 0

    def solutions(self, state: Arrangement, memory: int | None = None) -> Iterator[list[str] | None]:
        """Yield shorter and shorter solutions, without end; None stands for work without a shorter one."""
        arrays, shortest = self._arrays, math.inf
        start = arrays.read([self._graph.rules.labelling.state(state)])
        room = min(_TUNNEL, _BYTES // (len(arrays.moves) * arrays.points))
        for given in self._untunnelled(state, memory):
            if (alg := given) is None:
                yield None
                continue
            while (shorter := tunnelled(arrays, start, alg, room)) is not None:
                alg = shorter
            if len(alg) < shortest:
                shortest = len(alg)
                yield [arrays.moves[move] for move in alg]

    def _untunnelled(self, state: Arrangement, memory: int | None) -> Iterator[list[int] | None]:
        """Yield solutions that consist of the way to the first placement, loops, and the way to the solved state."""
        prepared = self._prepared.result()
        way = prepared.ways.get(self._reach.placement(state))
        if way is None:
            raise UnsolvableStateError(f"no moves of the {self._graph.rules.title} solve this state")
        home = after(state, inverse(way.change))
        loops = [*prepared.loops.items()]
        for names in prepared.solver.solutions(home, memory):
            if names is None:
                yield None
                continue
            end, alg = home, [*way.back]
            for change, moves in (loops[int(name)] for name in names):
                end = after(end, change)
                alg += moves
            yield [*alg, *prepared.ends[end].alg]

    def _prepare(self) -> _Prepared:
        ways, listed = self._listed()
        loops = self._generating(listed)
        rules, placement = self._graph.rules, self._reach.placement
        to = {state: ways[place] for state in rules.definition.solved if (place := placement(state)) in ways}
        ends = {after(state, inverse(way.change)): way for state, way in to.items()}
        definition = rules.definition._replace(
            solved=tuple(ends),
            generators={str(number): (Effect(change),) for number, change in enumerate(loops)},
            inverses={},
            illegal=frozenset(),
            chosen=(),
            directed=True,
        )
        solver = Anything(DerivedRules(PieceView(definition), title=rules.title).graph())
        return _Prepared(ways, loops, ends, solver)

    def _listed(self) -> tuple[dict[Arrangement, _Way], dict[Permutation, Alg]]:
        """Return the way to each placement, and the loops that lead along a way and back, the shortest first."""
        start, placement = self._reach.start, self._reach.placement
        ways = {placement(start): _Way((), (), identity(len(start)))}
        loops = dict[Permutation, Alg]()
        for place in (reached := [*ways]):
            check()
            alg, back, change = ways[place]
            for move, step in self._steps(after(start, change)):
                both = after(change, step)
                end = placement(after(start, both))
                if end in ways:
                    loop, length = after(both, inverse(ways[end].change)), len(alg) + 1 + len(ways[end].back)
                    if loop not in loops or length < len(loops[loop]):
                        loops[loop] = (*alg, move, *ways[end].back)
                else:
                    undo = next(move for move, other in self._steps(after(start, both)) if other == inverse(step))
                    ways[end] = _Way((*alg, move), (undo, *back), both)
                    reached.append(end)
        loops.pop(identity(len(start)), None)
        return ways, dict(sorted(loops.items(), key=lambda loop: len(loop[1])))

    def _steps(self, state: Arrangement) -> Iterator[tuple[int, Permutation]]:
        """Yield the moves that are possible in a state, by number, and their effects."""
        definition = self._graph.rules.definition
        for number, move in enumerate(self._graph.definition_moves):
            effect = next((effect for effect in move.effects if effect.fits(state)), None)
            if effect is not None and definition.is_legal(after(state, effect.sources)):
                yield number, effect.sources

    def _generating(self, loops: Mapping[Permutation, Alg]) -> dict[Permutation, Alg]:
        """Return the shortest of some loops that generate the group of all, and their inverses, which they include."""
        changes, points = [*loops], len(self._reach.start)
        chosen = changes[:_FEW]
        group = Group(points, chosen)
        for change in changes[_FEW:]:
            if group.order == self._reach.loops.order:
                break
            if change not in group:
                chosen.append(change)
                group = Group(points, chosen)
        return {change: loops[change] for change in (*chosen, *map(inverse, chosen))}
