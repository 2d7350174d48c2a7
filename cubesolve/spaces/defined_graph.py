"""The states and moves of a puzzle that is given by a definition: their ranks and tables (pure Python).

The space is derived from the moves (`spaces.derive`). The meaning of ranks is then read from a file beside the table of
distances (`spaces.coordinates`), so a question about a distance derives nothing.
"""

from __future__ import annotations

import bisect
import functools
import hashlib
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cubesolve.definition.metrics import METRICS
from cubesolve.definition.rotations import Reference, Rotated, RotationReduction, reduce_by_rotations, rotations_change
from cubesolve.definition.state import StateT
from cubesolve.errors import CubesolveError, TooLargeError, UnsolvableStateError
from cubesolve.group.canonical import CanonicalAutomaton, beginnings, canonical
from cubesolve.group.moves import Move, is_plain
from cubesolve.group.permutations import Arrangement, Permutation, after, identity
from cubesolve.runtime.prepared import Prepared
from cubesolve.spaces.coordinates import MOST_NUMBERS, MOST_STATES, Coordinates
from cubesolve.spaces.rules import Graph, InArrays
from cubesolve.spaces.tables import ARRAYS, BYTE_DEPTHS, MOD3, TableEntry, TableHeader

if TYPE_CHECKING:
    import random

    from typing_extensions import Buffer

    from cubesolve.definition.reach import ReachableStates
    from cubesolve.group.group import Group
    from cubesolve.spaces.defined import DerivedRules

MOST_BYTES = 1 << 30
"""The number of states up to which a table has a byte per entry; larger ones have two bits."""

USUAL = next(iter(METRICS))
"""The metric that is named of those with the same moves."""

_MOVES_A_SECOND = 1e8  # enumerated and proved; a rough estimate for messages
_MOST_LENGTHS = 100
_DIGITS = 16  # characters of a digest in the name of a table


class DerivedGraph(Graph[StateT]):
    """The reachable states of a definition, and the moves of a metric."""

    first_labels: Sequence[int] = ()  # chosen before others when the space is derived; see `spaces.derive`
    most_numbers: int = MOST_NUMBERS  # in the fibre of the space
    _coordinates: Coordinates | None = None

    def __init__(self, rules: DerivedRules[StateT], metric: str) -> None:
        self.rules, self.labelling, self.metric = rules, rules.labelling, metric
        self.pinned = rules.pinned.get(metric)
        self.definition_moves = rules.definition.moves(metric)
        self.first_labels = rules.first_labels

    @functools.cached_property
    def reduction(self) -> RotationReduction:
        """The states up to whole-puzzle rotations."""
        return reduce_by_rotations(self.rules.definition, self.definition_moves)

    @property
    def origin(self) -> Arrangement:
        """The state from which moves lead to all others."""
        return self.rules.origin or self.reduction.solved[0]

    @functools.cached_property
    def reach(self) -> ReachableStates | None:
        """The reachable states, without a list; None if it would take too long to compute."""
        reached = self._reaching.result()
        return None if isinstance(reached, int) else reached

    def prepare_search(self) -> None:
        """Compute the reachable states, which a search needs; their number follows from them."""
        self._reaching.result()

    @property
    def random_state(self) -> Callable[[random.Random], Arrangement] | None:
        """A function that returns a uniformly random state; None if it would take too long to compute.

        Rotations may link pieces that the moves do not; then the group of the moves alone is often easier to compute.
        """
        if self.reach is not None:
            return self.reach.random_state
        group = None if self.rules.definition.illegal else self.rules.group
        return None if group is None else lambda source: after(self.origin, group.random_member(source))

    @functools.cached_property
    def _reaching(self) -> Prepared[ReachableStates | int]:
        """The reachable states, or a lower bound of their number."""

        def find() -> ReachableStates | int:
            from cubesolve.definition.reach import reach  # noqa: PLC0415  # heavy: Schreier-Sims
            from cubesolve.group.group import TooLargeGroupError  # noqa: PLC0415  # likewise

            try:
                return reach(self.origin, self.reduction.generators, self.rules.definition.illegal)
            except TooLargeGroupError as error:
                return error.least

        return Prepared(find)

    @functools.cached_property
    def number_of_states(self) -> int | None:
        """The number of states, computed without listing them; None as for `DerivedRules.number_of_states`."""
        if self.reduction.rotated is not None:
            return self._number_of_rotated(self.reduction.rotated)
        is_reached = self._reaching.is_made and self.reach is not None
        if self.reduction.reference is not None and not is_reached:
            if self.rules.group is None:
                return None  # with the reference pieces at home there are hardly fewer
            number = self._number_by_reference(self.reduction.reference, self.rules.group)
            if number is not None:
                return number
        return self.reach.number if self.reach else None

    def _number_of_rotated(self, rotated: Rotated) -> int | None:
        """Return the number of states up to rotations; None if one of these leaves a state as it is."""
        if self.reach is None or self.reach.number is None:
            return None
        is_free = rotations_change(self.origin, rotated.rotations, self.reduction.generators)
        return self.reach.number // len(rotated.rotations) if is_free else None

    def _number_by_reference(self, reference: Reference, group: Group) -> int | None:
        """Return the number of states up to rotations, from the states and the rotations that moves alone lead to."""
        solved = self.rules.definition.solved[0]
        number = group.arrangements(solved)
        reached = group.made(solved, [after(solved, rotation) for rotation in self.rules.definition.rotations.values()])
        if number is None or reached is None:
            return None
        if all(reached):  # and so are their products, as rotations take moves to moves
            return number // len(reference.rotations)
        reached = group.made(solved, [after(solved, rotation) for rotation in reference.rotations])
        return number // reached.count(True) if reached else None

    @property
    def least_states(self) -> int:
        """A lower bound of the number of states, computed if the number is unknown."""
        reached = self._reaching.result()
        least = reached if isinstance(reached, int) else reached.least
        # There are more if a rotation leaves a state as it is.
        return -(-least // len(self.reduction.rotated.rotations)) if self.reduction.rotated else least

    @property
    def most_states(self) -> int:
        """An upper bound of the number of states."""
        from cubesolve.definition.reach import most_states  # noqa: PLC0415  # heavy: Schreier-Sims

        return most_states(self.origin, self.reduction.generators)

    @functools.cached_property
    def digest(self) -> str:
        """A digest of everything that distances, and the order of the states, depend on."""
        digest = self.rules.definition.digest(self.definition_moves)
        origin, first = self.rules.origin, self.rules.first_labels
        for more in (self.reduction.scheme, origin and list(origin), first and f"first {first}"):
            if more:
                digest = hashlib.sha256(f"{digest} {more}".encode()).hexdigest()
        return digest

    @functools.cached_property
    def moves(self) -> Sequence[str]:
        """The names of the moves, in the order in which ties are broken."""
        return tuple(move.name for move in self.reduction.moves)

    @property
    def merges_rotations(self) -> bool:
        """Whether states that differ by a rotation have one rank, of which one is listed."""
        return bool(self.reduction.merged)

    @functools.cached_property
    def unrotated_moves(self) -> tuple[Move, ...]:
        """The same moves as the definition has them: no rotation follows them."""
        named = {move.name: move for move in self.definition_moves}
        return tuple(named[name] for name in self.moves)

    @functools.cached_property
    def numbers_of_moves(self) -> Mapping[Permutation, int]:
        """The number of the move that has a given effect, possibly but for a rotation after it."""
        moves, rotations = enumerate(self.unrotated_moves), self.reduction.merged
        return {after(move.effects[0].sources, rotation): number for number, move in moves for rotation in rotations}

    @functools.cached_property
    def numbers_by_name(self) -> Mapping[str, int]:
        """The number of the move that has the effect of a move, given by name, possibly but for a rotation after it."""
        if not self.merges_rotations:
            return {name: number for number, name in enumerate(self.moves)}
        numbers = ((move.name, self.numbers_of_moves.get(move.effects[0].sources)) for move in self.definition_moves)
        return {name: number for name, number in numbers if number is not None}

    @functools.cached_property
    def costs(self) -> Sequence[int] | None:
        """The cost of each move; None if all costs are 1."""
        costs = tuple(move.cost for move in self.reduction.moves)
        return None if set(costs) <= {1} else costs

    @functools.cached_property
    def joined(self) -> Collection[tuple[int, int]] | None:
        """The pairs of moves equal to no move or to one of at most their cost; None if the state decides."""
        moves = self.reduction.moves
        if self.reduction.rotated is not None or not all(is_plain(move.effects) for move in moves):
            return None
        costs = {move.effects[0].sources: move.cost for move in moves} | {identity(self.rules.definition.points): 0}
        pairs = itertools.product(enumerate(moves), repeat=2)
        products = (
            (i, j, after(a.effects[0].sources, b.effects[0].sources), a.cost + b.cost) for (i, a), (j, b) in pairs
        )
        return frozenset((i, j) for i, j, change, cost in products if change in costs and costs[change] <= cost)

    # -- Algs ----------------------------------------------------------------------------------------------------------

    def moves_within(self, algs: int) -> int:
        """Return the largest number of moves of which there are at most so many canonical algs.

        >>> from cubesolve.catalog import rules_named
        >>> rules_named("skewb").graph().moves_within(1000)
        3
        """
        lengths = itertools.takewhile(lambda each: each[1] <= algs, beginnings(self.canonical.following))
        return max((length for length, _ in itertools.islice(lengths, _MOST_LENGTHS)), default=0)

    @functools.cached_property
    def canonical(self) -> CanonicalAutomaton:
        """The automaton of canonical algs, for searches."""
        moves, blocked = tuple(self.reduction.moves), bool(self.rules.definition.illegal)
        return canonical(moves, self.reduction.solved[0], blocked=blocked)

    def moved(self, state: Arrangement, move: Move) -> Arrangement | None:
        """Return the state after a move; None if the move is not possible."""
        moved = move.apply(state)
        return moved if moved is not None and self.rules.definition.is_legal(moved) else None

    def random_alg(self, cost: int, source: random.Random) -> list[int] | None:
        """Return a random canonical alg of a cost that is possible from the solved state; None if none was found."""
        here, place, alg, moves = 0, self.reduction.solved[0], list[int](), self.reduction.moves
        while cost:
            ways = [
                (move, following, moved)
                for move, following in enumerate(self.canonical.following[here])
                if following >= 0 and moves[move].cost <= cost and (moved := self.moved(place, moves[move])) is not None
            ]
            algs = (self._algs_from(cost - moves[move].cost)[following] for move, following, _ in ways)
            weights = list(itertools.accumulate(algs))
            if not weights or not weights[-1]:
                return None
            move, here, place = ways[bisect.bisect_right(weights, source.random() * weights[-1], hi=len(ways) - 1)]
            alg.append(move)
            cost -= moves[move].cost
        return alg

    def number_of_algs(self, cost: int) -> int:
        """Return the number of canonical algs of a cost, where all moves cost something.

        >>> from cubesolve.catalog import rules_named
        >>> [rules_named("skewb").graph().number_of_algs(length) for length in range(3)]
        [1, 8, 48]
        """
        return self._algs_from(cost)[0]

    def _algs_from(self, cost: int) -> list[int]:
        """Return the number of algs of a cost that the automaton accepts from each of its states."""
        numbers, moves = self._numbers_of_algs, self.reduction.moves
        if len(numbers) <= cost:
            numbers = [*numbers]  # other threads read the same list
            for total in range(len(numbers), cost + 1):
                rows = (zip(moves, row, strict=True) for row in self.canonical.following)
                ways = [[(total - move.cost, state) for move, state in row if state >= 0] for row in rows]
                numbers.append([sum(numbers[left][state] for left, state in row if left >= 0) for row in ways])
            self._numbers_of_algs = numbers
        return numbers[cost]

    @functools.cached_property
    def _numbers_of_algs(self) -> list[list[int]]:
        return [[1] * len(self.canonical.following)]

    @property
    def most_in_table(self) -> int:
        """The maximum number of states of a table."""
        # Two bits suffice if the depths of neighbours differ by at most one.
        return MOST_BYTES if self.rules.costs or self.rules.is_directed else MOST_STATES

    # -- Its tables ----------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the table of distances."""
        return f"{self.rules.name}-{self.metric}" if self.pinned else f"custom-{self.digest[:_DIGITS]}"

    def _header(self, name: str, scheme: str, entries: int, encoding: int) -> TableHeader:
        puzzle = self.rules.name if self.pinned else "custom"
        return TableHeader(name, puzzle, self.metric, scheme, entries, (), "", encoding)

    @property
    def built_by(self) -> str:
        """The arguments of ``cubesolve tables build`` that build its tables, as a shell command has them."""
        is_usual = self.metric == USUAL
        return self.rules.spoken if is_usual else f"{self.rules.spoken} --metric {self.metric}"

    @functools.cached_property
    def coordinates_entry(self) -> TableEntry:
        """The table of its coordinates."""
        size = self.pinned.size if self.pinned else 0
        header = self._header(f"{self.name}-coordinates", f"coordinates {self.digest}", size, ARRAYS)
        if self.pinned is None:
            return TableEntry(header, by_default=False, built_by=self.built_by)
        header = header._replace(sha256=self.pinned.coordinates)
        return TableEntry(header, source="follows from the moves", by_default=self.pinned.by_default)

    @functools.cached_property
    def entry(self) -> TableEntry:
        """The table of distances."""
        return self.entry_of(sum(self.pinned.distribution) if self.pinned else self.states)

    def entry_of(self, states: int) -> TableEntry:
        """Return the table of distances of a number of states, before the coordinates are known."""
        pinned = self.pinned
        if states > self.most_in_table:
            raise TooLargeError(states, self.most_in_table, exact=True)
        encoding = BYTE_DEPTHS if states <= MOST_BYTES else MOD3
        header = self._header(self.name, f"states {self.digest}", states, encoding)
        if pinned is None:
            seconds = max(1, states * len(self.moves) / _MOVES_A_SECOND)
            effort = f"{states:,} states, about {seconds:,.0f} s"
            return TableEntry(header, (), by_default=False, effort=effort, built_by=self.built_by)
        header = header._replace(distribution=pinned.distribution, sha256=pinned.sha256)
        return TableEntry(header, (), pinned.source, pinned.by_default, effort=pinned.effort)

    def choice_entry(self, kind: str, memory: int) -> TableEntry:
        """Return the file of the projections, or sets of pieces, that a search selects for a memory in bytes."""
        return self.search_entry(f"{kind}-{memory}", f"{kind} {self.digest} {memory}", ARRAYS)

    def search_entry(self, name: str, scheme: str, encoding: int, entries: int = 0) -> TableEntry:
        """Return a file of the search; its name begins with the digest of the puzzle."""
        name = f"custom-{self.digest[:_DIGITS]}-{name}"
        header = TableHeader(name, "custom", self.metric, scheme, entries, (), "", encoding)
        return TableEntry(header, (), by_default=False, built_by=self.built_by)

    # -- States and ranks ----------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether the coordinates are known."""
        return self._coordinates is not None

    def use(self, body: Buffer) -> None:
        """Use coordinates, given their bytes; see `spaces.coordinates`."""
        self._coordinates = Coordinates(bytes(body), self.reduction.moves, self.reduction.changes)

    def forget(self) -> None:
        """Release the memory of the coordinates."""
        self._coordinates = None

    @property
    def known(self) -> Coordinates:
        """The coordinates."""
        if self._coordinates is None:
            raise CubesolveError(f"{self.coordinates_entry.name} has not been loaded")
        return self._coordinates

    @functools.cached_property
    def states(self) -> int:
        """The number of states."""
        return self.known.states

    @property
    def starts(self) -> Sequence[int]:
        """The ranks of the states at depth 0."""
        return self.known.starts

    def rank(self, given: object) -> int:
        """Return the rank of a state that is given in any supported way."""
        if hasattr(given, "__index__"):
            return self.checked(given)
        rank = self.rank_of(self.labelling.arrangement(self.labelling.read(given)))
        if rank < 0:
            raise UnsolvableStateError(f"{self.rules.title}: {self.rules.unreached}")
        return rank

    def rank_of(self, state: Arrangement) -> int:
        """Return the rank of an arrangement, -1 if no moves lead to it."""
        home = self.reduction.home(state)
        rank = -1 if home is None else self.known.rank(home[0])
        if rank >= 0 or not (self.reduction.rotated or self.reduction.namings):
            return rank
        return next((rank for rank, _ in self._listed(state)), -1)

    def _listed(self, state: Arrangement) -> Iterator[tuple[int, int]]:
        """Yield the ranks of the arrangements that represent a state, with the number of the rotation or naming."""
        rotated = self.reduction.rotated
        images = rotated.images(state) if rotated else self.reduction.named(state)
        return ((rank, number) for number, image in enumerate(images) if (rank := self.known.rank(image)) >= 0)

    def target_ranks(self, given: object, goal: object) -> tuple[int, ...]:
        """Return the ranks of a goal in every orientation, with labels named as in a state, which must have a rank."""
        self.rank(given)
        reduction = self.reduction
        if not reduction.rotations:
            return (self.rank(goal),)
        begin, end = (self.labelling.arrangement(self.given_state(state)) for state in (given, goal))
        _, number = next(self._listed(begin))
        images = (after(end, rotation) for rotation in reduction.rotations)
        named = (after(reduction.namings[number], image) for image in images) if reduction.namings else images
        targets = {rank for image in named if (rank := self.known.rank(image)) >= 0}
        if not targets:
            raise UnsolvableStateError(f"{self.rules.title}: no moves lead from one state to the other")
        return tuple(sorted(targets))

    def given_state(self, given: object) -> StateT:
        """Return a state that is given in any supported way, or by its rank."""
        return self.unrank(self.checked(given)) if hasattr(given, "__index__") else self.labelling.read(given)

    def unrank(self, rank: int) -> StateT:
        """Return the state with a rank."""
        return self.labelling.state(self.known.unrank(rank))

    def in_arrays(self) -> InArrays:
        """Return how the graph is given as arrays, which needs numpy."""
        from cubesolve.spaces.derived import DerivedForm, moves_of  # noqa: PLC0415  # needs numpy

        return InArrays(lambda: moves_of(self), lambda: DerivedForm(self))

    def neighbours(self, rank: int) -> Sequence[int]:
        """Return the rank after each move, -1 if the move is not possible."""
        return self.known.neighbours(rank)

    def written(self, moves: Sequence[int], given: object) -> str:
        """Return the alg of moves given by number, in the orientation of a state."""
        rotated = self.reduction.rotated
        return " ".join(self._conjugated(rotated, moves, given) if rotated else self.names(moves, given))

    def names(self, moves: Sequence[int], given: object) -> list[str]:
        """Return the names of moves given by number, in the orientation of a state; a rank has its pieces at home."""
        rotation = 0
        if self.reduction.reference is not None and not hasattr(given, "__index__"):
            home = self.reduction.home(self.labelling.arrangement(self.labelling.read(given)))
            rotation = home[1] if home else 0
        return self.reduction.alg(moves, rotation)

    def _conjugated(self, rotated: Rotated, moves: Sequence[int], given: object) -> Iterator[str]:
        """Yield the names, in the orientation of a state, of moves that start from its listed rotation."""
        place = self.labelling.arrangement(self.given_state(given))
        for index in moves:
            _, number = next(self._listed(place))
            move = rotated.conjugated(self.reduction.moves[index], number)
            yield move.name
            place = after(place, move.effects[0].sources)
