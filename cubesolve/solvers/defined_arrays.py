"""States of puzzles with a definition as arrays of labels: one for each of its points (numba)."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cubesolve.definition.reach import ReachableStates, undoing_costs
from cubesolve.definition.rotations import rotations_of
from cubesolve.definition.state import StateT, solved_in
from cubesolve.errors import InvalidMoveError
from cubesolve.group.canonical import canonical
from cubesolve.group.moves import Move, is_plain
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement, identity, inverse
from cubesolve.group.pieces import PieceOrbit
from cubesolve.group.symmetries import MOST_SYMMETRIES, symmetries
from cubesolve.runtime.arguments import integer
from cubesolve.solvers.arrays import GraphArrays, numpy_source
from cubesolve.solvers.state_arrays import Images, StateArrays, States
from cubesolve.spaces.defined import derived
from cubesolve.spaces.gathers import Gathers
from cubesolve.spaces.rows import Rows, hashed, odd_orders
from cubesolve.spaces.rules import GraphRules
from cubesolve.spaces.vectors import LabelEncoding

if TYPE_CHECKING:
    from random import Random

    from cubesolve.solvers.keywords import DrawQuestion, GraphQuestion
    from cubesolve.solvers.solver import Solver, Source


def may_have(reach: ReachableStates, rows: Rows) -> NDArray[np.bool_]:
    """Return `ReachableStates.may_have` for each of some arrangements, (N, points), with the labels of the start.

    In a full group, the parities of the permutations of the pieces of each kind and the sums of their twists decide. So
    one arrangement is asked about for all that have the same totals and the same placement.

    >>> from cubesolve.catalog import rules_named
    >>> rows = np.array([[1, 0, 2, 3], [0, 2, 1, 3], [2, 0, 1, 3]], np.uint8)
    >>> may_have(rules_named("tiles-2x2").graph().reach, rows).tolist()
    [False, False, True]
    """
    group, start = reach.loops, np.array(list(reach.start), rows.dtype)
    if not group.is_full or group.totals is None:
        return np.array([reach.may_have(arrangement(row)) for row in rows.tolist()], np.bool_)
    homes, found = _led_home(reach, rows)
    moved = [point for kind in group.kinds for along in kind.along.values() for point in along]
    still = np.setdiff1d(np.arange(len(start)), moved)
    kinds = [_Kind(kind, start).totals(homes) for kind in group.kinds]
    totals = np.stack([(homes[:, still] != start[still]).any(axis=1), *kinds], axis=1)
    for same in _alike(hashed(totals.astype(np.uint16))):
        found[same] &= group.made(reach.start, [arrangement(homes[same[0]].tolist())]) != [False]
    return found


def _led_home(reach: ReachableStates, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Return arrangements after the way back to the first placement, and whether there is one."""
    looks = np.arange(1 + max(reach.start))
    looks[list(reach.looks)] = list(reach.looks.values())
    ways = {arrangement(place): way for place, way in reach.ways.items()}
    homes, found = rows.copy(), np.ones(len(rows), np.bool_)
    for part in _alike(hashed(looks[rows])):
        way = ways.get(arrangement(looks[rows[part[0]]].tolist()))
        found[part] = way is not None
        if way is not None:
            homes[part] = rows[part][:, list(inverse(way))]
    return homes, found


def _alike(keys: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
    """Return the rows with each key."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1
    return np.split(order, ends) if len(keys) else []


class _Kind:
    """The pieces of a kind, as they are seen in many arrangements."""

    def __init__(self, kind: PieceOrbit, start: Rows) -> None:
        """Take a kind whose orientations are cyclic, and the labels of the start."""
        along = np.array([[kind.along[point] for point in piece] for piece in kind.pieces()])
        seen = hashed(start[along])  # (pieces, orientations): the look of each piece from each orientation
        _, looks = np.unique(seen.min(axis=1), return_inverse=True)  # equal for pieces that look alike
        self._places, self._turns = along[:, 0], along.shape[1]
        self._seen, first = np.unique(seen, return_index=True)
        piece, turn = np.divmod(first, self._turns)
        self._looks, self._turned = looks[piece], turn - seen.argmin(axis=1)[piece]
        self._homes = np.argsort(looks, kind="stable")
        self._all = looks[self._homes]

    def totals(self, rows: Rows) -> NDArray[np.int64]:
        """Return a number for each arrangement, equal for equal totals; -1 for other pieces.

        Pieces that look alike are named in the order of their places, which changes totals as some invisible exchange.
        """
        seen = hashed(rows[:, self._places])
        found = np.minimum(np.searchsorted(self._seen, seen), len(self._seen) - 1)
        looks = self._looks[found]
        order = np.argsort(looks, axis=1, kind="stable")
        same = (self._seen[found] == seen) & (np.take_along_axis(looks, order, axis=1) == self._all)
        origins = np.empty_like(order)
        np.put_along_axis(origins, order, np.broadcast_to(self._homes, order.shape), axis=1)
        totals: NDArray[np.int64] = 2 * (self._turned[found].sum(axis=1) % self._turns) + odd_orders(origins)
        return np.where(same.all(axis=1), totals, -1)


def random_rows(reach: ReachableStates, number: int, rng: np.random.Generator) -> Rows | None:
    """Return uniformly random reachable arrangements, (N, points), which depend only on the bits of a generator.

    Returns:
        None unless the group is full; see `Group.is_full`.

    >>> from cubesolve.catalog import rules_named
    >>> reach = rules_named("15-puzzle").graph().reach
    >>> rows = random_rows(reach, 5, np.random.default_rng(1))
    >>> rows.shape, bool(may_have(reach, rows).all())
    ((5, 16), True)
    """
    group, start = reach.loops, np.array(list(reach.start), np.min_scalar_type(max(reach.start)))
    if not group.is_full or group.totals is None:
        return None

    def bits(*shape: int) -> NDArray[np.int64]:
        drawn = np.asarray(rng.bit_generator.random_raw(math.prod((number, *shape))), np.uint64)
        return (drawn >> np.uint64(1)).astype(np.int64).reshape(number, *shape)

    moduli = group.totals.moduli
    given = np.array(group.given_totals, np.int64).reshape(len(group.given_totals), len(moduli))
    totals = (bits(len(given)) % math.lcm(*moduli)) @ given % moduli
    sources = np.tile(np.arange(len(start)), (number, 1))
    for kind, twist, parity in zip(group.kinds, totals.T[::2], totals.T[1::2], strict=True):
        along = np.array([[kind.along[point] for point in piece] for piece in kind.pieces()])
        pieces, turns = along.shape[:2]
        origins, turned = np.argsort(bits(pieces), axis=1, kind="stable"), bits(pieces) % turns
        turned[:, 0] = (turned[:, 0] + twist - turned.sum(axis=1)) % turns
        odd = odd_orders(origins) != parity
        origins[odd, :2], turned[odd, :2] = origins[odd, 1::-1], turned[odd, 1::-1]
        places = along[:, 0].reshape(-1)
        sources[:, places] = along[origins, turned].reshape(number, len(places))
    ways = np.array([list(way) for way in reach.ways.values()])
    return start[np.take_along_axis(sources, ways[bits() % len(ways)], axis=1)]


class DefinedStateArrays(StateArrays[StateT]):
    """The states of a puzzle with a definition as arrays of labels."""

    def __init__(self, solver: Solver[StateT], question: GraphQuestion) -> None:
        """Take the solver of a puzzle, and `metric`.

        Raises:
            ValueError: the puzzle has no definition, more than 256 labels, or not this metric.
        """
        rules = self._rules = derived(solver.rules)
        self._question, self._looks = question, rules.labelling.looks
        self._metric: DrawQuestion = {"metric": question["metric"]} if "metric" in question else {}
        definition, own = rules.definition, solver.rules.array_moves(question.get("metric"))
        self._moves = self._moves_of_graph(solver) if own is None else own
        self._has_own_moves = own is not None
        self._read_looks = (encoding := LabelEncoding.of_looks(rules.definition.points, self._looks)).read
        super().__init__(
            solver,
            [move.name for move in self._moves],
            [move.cost for move in self._moves],
            encoding,
            self._placed(self._first_solved()),
            Gathers.of(encoding.points, self._moves, definition.illegal, self._only),
        )

    def _first_solved(self) -> Arrangement:
        """Return the first solved arrangement, of those that moves lead to if this is known."""
        solved = self._rules.definition.solved
        reach = None if self._rules.origin is None else self._rules.graph(**self._question).reach
        return solved[0] if reach is None else next(filter(reach.has, solved), solved[0])

    def _moves_of_graph(self, solver: Solver[StateT]) -> tuple[Move, ...]:
        rules, graph = solver.rules, self._rules.graph(**self._question)
        named = {move.name: move for move in graph.definition_moves}  # the solver's may be fewer
        asked = rules.graph(**self._question) if isinstance(rules, GraphRules) else graph
        return tuple(named[name] for name in asked.moves)

    @property
    def numbering(self) -> str:
        """The meaning of the labels."""
        return self._rules.labelling.numbering

    def _row(self, given: object) -> NDArray[np.uint8]:
        return self._placed(next(iter(self._rules.labelling.arrangements(self._rules.read(given)))))

    def _placed(self, place: Arrangement) -> NDArray[np.uint8]:
        """Return the labels of an arrangement."""
        return self._read_looks(np.array([self._looks[label] for label in place])).astype(np.uint8)

    def _only(self, label: int) -> int:
        """Return the number in arrays of a label that decides whether a move is possible."""
        if list(self._looks.values()).count(self._looks[label]) > 1:
            wrong = "pieces that look alike decide which moves are possible"
            raise ValueError(f"the {self._rules.title} has no arrays, because {wrong}: define them as different")
        return int(self._placed((label,))[0])

    def state(self, row: NDArray[np.integer]) -> StateT:
        """Return the state of one row of labels as an object of the puzzle; see `states`."""
        return self._rules.labelling.looking(self.encoding.written(row).tolist())

    def from_ranks(self, ranks: ArrayLike) -> States:
        """Return the states with some ranks, for puzzles with arrays of ranks."""
        arrays = self._ranked
        labels = arrays.labels(np.asarray(arrays.ranks(ranks, "raise", None)))
        if not self._looks_differ:
            return labels.astype(np.uint8)
        known = self._rules.labelling.numbers
        look_of = np.zeros(max(known.values()) + 1, np.int64)
        look_of[list(known.values())] = [self._looks[label] for label in known]
        return self.encoding.read(look_of[arrays.encoding.written(labels)]).astype(np.uint8)

    def ranks(self, rows: ArrayLike) -> NDArray[np.integer]:
        """Return the rank of each state, for puzzles with arrays of ranks."""
        arrays = self._ranked
        given = self.states(rows) if self._looks_differ else arrays.encoding.written(self.read(rows))
        return arrays.ranks(given, "raise", None)

    @functools.cached_property
    def _ranked(self) -> GraphArrays:
        return self._solver.arrays(self._question)

    @property
    def _looks_differ(self) -> bool:
        """Whether the labels of states with ranks differ where their looks do not, as the stickers of a cube do."""
        return self._ranked.encoding.labels != self.labels

    def random(self, number: int, rng: Source = None) -> States:
        """Return uniformly random states, drawn with replacement from all that moves lead to."""
        number, graph = integer("number", number, least=0), self._rules.graph(**self._question)
        if graph.reach is not None and graph.reduction.rotated is None:
            rows = random_rows(graph.reach, number, numpy_source(rng))
            if rows is not None:
                return self._numbered[rows]
        return super().random(number, rng)

    def _drawn(self, source: Random) -> StateT:
        """Return a uniformly random state; illegal labels may block moves of this metric alone."""
        question = self._metric if self._solver.rules is self._rules else {}
        return self._solver.random_state(source, **question)

    @functools.cached_property
    def _numbered(self) -> NDArray[np.uint8]:
        """The number in arrays of each label."""
        labels = [*self._looks]
        numbers = np.zeros(1 + max(labels), np.uint8)
        numbers[labels] = self._placed(arrangement(labels))
        return numbers

    @functools.cached_property
    def following(self) -> NDArray[np.int32]:
        """The automaton of the moves that may follow each other in a walk: int32 (A, moves), -1 where one may not."""
        definition = self._rules.definition
        if self._has_own_moves:
            return self._following_last
        automaton = canonical(self._moves, definition.solved[0], blocked=bool(definition.illegal))
        following = np.array(automaton.following, np.int32)
        for state in np.flatnonzero((following < 0).all(axis=1)).tolist():  # as after the last of all commuting moves
            ends = np.flatnonzero((following == state).any(axis=0)).tolist()
            for move in range(len(self._moves)):
                if not any(self._are_joined(end, move) for end in ends):
                    following[state, move] = following[0, move]
        return following

    @property
    def _following_last(self) -> NDArray[np.int32]:
        """The automaton of moves that are not joined with the one before, whose states are the last moves."""
        numbers = range(len(self._moves))
        following = [[-1 if self._are_joined(last, move) else 1 + move for move in numbers] for last in numbers]
        return np.array([[1 + move for move in numbers], *following], np.int32)

    def _are_joined(self, first: int, second: int) -> bool:
        """Return whether two moves one after the other are none or one."""
        one, other = self._moves[first], self._moves[second]
        if not (is_plain(one.effects) and is_plain(other.effects)):
            return True
        both = after(one.effects[0].sources, other.effects[0].sources)
        return both == identity(self.points) or both in self._effects

    @functools.cached_property
    def _effects(self) -> frozenset[Permutation]:
        return frozenset(move.effects[0].sources for move in self._moves)

    def numbers(self, alg: str) -> list[int]:
        """Return the numbers of the moves of an alg."""
        if self._has_own_moves:
            return [self.moves.index(name) for name in derived(self._solver.rules).view.split(alg)]
        definition, steps = self._rules.definition, self._rules.labelling.alg_reader(alg)
        known = {move.effects: number for number, move in enumerate(self._moves)}
        for number, step in enumerate(steps):
            if definition.effects(step) not in known:
                raise InvalidMoveError(
                    definition.written([step]), definition.positions(alg)[number], "is not one of `moves`"
                )
        return [known[definition.effects(step)] for step in steps]

    def numbers_of_solution(self, alg: str) -> list[int]:
        """Return the numbers of the moves of a solution, which may end in another orientation of the puzzle."""
        if self._has_own_moves:
            return self.numbers(alg)
        graph = self._rules.graph(**self._question)
        if not graph.merges_rotations:
            return self.numbers(alg)
        found, turned = list[int](), identity(self._rules.definition.points)
        for step in self._rules.labelling.alg_reader(alg):
            # A move after a rotation is one of `moves`, followed by a rotation.
            turned = after(turned, self._rules.definition.effects(step)[0].sources)
            number = graph.numbers_of_moves.get(turned)
            if number is not None:
                found.append(number)
                turned = after(inverse(self._moves[number].effects[0].sources), turned)
        return found if turned in graph.reduction.merged else self.numbers(alg)  # which names the move that is not one

    @functools.cached_property
    def numbers_by_name(self) -> Mapping[str, int]:
        """The number of each move by a name with which an optimal solution may begin."""
        if self._has_own_moves:
            return {move: number for number, move in enumerate(self.moves)}
        return self._rules.graph(**self._question).numbers_by_name

    @property
    def permutations(self) -> NDArray[np.int64]:
        """The moves as permutations: int64 (moves, points), the point that each point's label comes from."""
        if not self.always_possible:
            raise ValueError(f"not every move of the {self._rules.title} is always possible")
        return np.array([list(move.effects[0].sources) for move in self._moves], np.int64)

    @property
    def has_inverses(self) -> bool:
        """Whether a move undoes each move."""
        return not self._rules.definition.directed

    @functools.cached_property
    def undoing_costs(self) -> NDArray[np.int64] | None:
        """The cost of undoing each move, int64 (moves,); None if some move has no inverse."""
        costs = undoing_costs(self._moves)
        return None if costs is None else np.array(costs, np.int64)

    def _solved_rows(self) -> NDArray[np.uint8]:
        return np.unique([self._placed(place) for place in solved_in(self._rules.definition)], axis=0)

    @functools.cached_property
    def _rotations(self) -> Images:
        sources = [list(rotation) for rotation in rotations_of(self._rules.definition)]
        return Images(np.array(sources, np.uint16), np.tile(np.arange(self.labels, dtype=np.uint8), (len(sources), 1)))

    def least_images(self, rows: ArrayLike) -> States:
        """Return a row for each state that is equal for states with the same depth by a rotation or a symmetry."""
        states = self.read(rows)
        return super().least_images(self._with_fixed_points_at_home(states) if self._merged else states)

    def _with_fixed_points_at_home(self, states: States) -> States:
        """Return states rotated so that points that no move changes have the labels of the solved state.

        The symmetries leave this solved state as it is, and not those in other orientations.
        """
        fixed, home = np.delete(np.arange(self.points), self._moved), states
        turned = (states[:, fixed] != self.solved[fixed]).any(axis=1).nonzero()[0]
        for rotation in self._merged[1:] if len(turned) else ():
            rows = states[turned][:, list(rotation)]
            is_home = (rows[:, fixed] == self.solved[fixed]).all(axis=1)
            home = home.copy() if home is states else home
            home[turned[is_home]] = rows[is_home]
            turned = turned[~is_home]
        return home

    @property
    def _merged(self) -> Sequence[Permutation]:
        """The rotations, the identity first, if states that differ by one have the same depth."""
        return self._rules.graph(**self._question).reduction.merged

    @functools.cached_property
    def _moved(self) -> NDArray[np.intp]:
        """The points that moves change, or that decide whether they are possible."""
        effects = [effect for move in self._moves for effect in move.effects]
        changes = np.array([list(effect.sources) for effect in effects]) != np.arange(self.points)
        changes[:, [point for effect in effects for point, _ in effect.needs]] = True
        moved: NDArray[np.intp] = changes.any(axis=0).nonzero()[0]
        return moved

    @functools.cached_property
    def _images(self) -> Images:
        """Symmetries of the moves, after all rotations if these keep the depth and every point moves."""
        moved, place = self._moved, np.zeros(self.points, np.int64)
        place[moved] = np.arange(len(moved))

        there = set(self.solved[moved].tolist())

        def restricted(move: Move) -> Move:
            effects = (
                effect._replace(
                    sources=arrangement(place[np.array(list(effect.sources))[moved]].tolist()),
                    needs=tuple((int(place[point]), self._only(label)) for point, label in effect.needs),
                )
                for effect in move.effects
                if all(self._only(label) in there for _, label in effect.needs)  # others fit no state
            )
            return move._replace(effects=tuple(effects))

        blocked = [(point, label) for point, label in self._rules.definition.illegal if point in moved]
        illegal = frozenset((int(place[point]), self._only(label)) for point, label in blocked)
        kept = np.delete(np.arange(self.points), moved)
        ends = dict[bytes, list[NDArray[np.uint8]]]()  # the solved states by the labels that no move changes
        for row in (self.solved, *self._solved_index.rows):
            ends.setdefault(row[kept].tobytes(), []).append(row)
        solved, *others = ends.values()
        found = symmetries(
            [*dict.fromkeys(arrangement(row[moved].tolist()) for row in solved)],
            [made for made in map(restricted, self._moves) if made.effects],
            illegal,
        )
        sources, labels = np.empty((len(found), len(moved)), np.int64), np.tile(np.arange(self.labels), (len(found), 1))
        for number, symmetry in enumerate(found):
            sources[number, list(symmetry.points)] = moved
            labels[number, : len(symmetry.labels)] = list(symmetry.labels)
        if not self._merged:  # states are compared with others that have the same fixed labels, whichever these are
            pairs = enumerate(zip(sources, labels, strict=True))
            preserving = [number for number, each in pairs if all(self._preserves(*each, rows) for rows in others)]
            sources, labels = sources[preserving], labels[preserving]
        if not len(kept) and 0 < len(self._merged) * len(found) <= MOST_SYMMETRIES:
            sources = np.array([list(rotation) for rotation in self._merged])[:, sources].reshape(-1, self.points)
            labels = np.tile(labels, (len(self._merged), 1))
        return Images(sources.astype(np.uint16, order="C"), labels.astype(np.uint8))

    def _preserves(self, sources: NDArray[np.int64], labels: NDArray[np.int64], rows: Sequence[States]) -> bool:
        """Return whether the image of each of some states is one of them, as far as moves change these."""
        images = labels[np.array(rows)[:, sources]].astype(np.uint8)
        return {*map(bytes, images)} == {row[self._moved].tobytes() for row in rows}
