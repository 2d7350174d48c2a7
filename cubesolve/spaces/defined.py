"""Puzzles that are only defined: what their moves do is all that is known of them (pure Python).

Their spaces are derived from the moves (`spaces.derive`); what a rank stands for is then looked up in a file that is
kept beside the table of distances (`spaces.coordinates`), so that asking for a distance derives nothing.
"""

from __future__ import annotations

import bisect
import fnmatch
import functools
import hashlib
import itertools
import json
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from cubesolve.arguments import integer
from cubesolve.errors import (
    CubesolveError,
    InvalidMoveError,
    InvalidStateError,
    TooLargeError,
    UnsolvableStateError,
    quoted,
)
from cubesolve.jobs import Job
from cubesolve.permutations import Arrangement, after, arrangement, identity
from cubesolve.puzzles.canonical import Canonical, canonical
from cubesolve.puzzles.definition import Definition, Turn, is_plain
from cubesolve.puzzles.options import LIMITS, METRIC, TARGET, Option
from cubesolve.puzzles.rotations import Holdings, Reference, Rotated, hold
from cubesolve.puzzles.state import State
from cubesolve.puzzles.texts import PieceTexts, read_json
from cubesolve.spaces.coordinates import Coordinates
from cubesolve.spaces.rules import Form, Graph, GraphRules, Kind, Rules
from cubesolve.spaces.tables import ARRAYS, BYTE_DEPTHS, MODULO, TableEntry, TableHeader

if TYPE_CHECKING:
    import random

    from cubesolve.pictures import Picture
    from cubesolve.puzzles.geometry import Solid
    from cubesolve.puzzles.group import Group
    from cubesolve.puzzles.reach import Reach
    from cubesolve.puzzles.shapes import Shape
    from cubesolve.scenes import Motion, Scene
    from cubesolve.spaces.batches import ArrayForm
    from cubesolve.spaces.space import StateSpace

_METRICS = "Metric: every power of a move counts one (htm), or only a move and its inverse are moves (qtm)."

AT_ONCE = 1 << 24
"""The number of states up to which a table that is missing is built when it is first needed."""

MOST_BYTES = 1 << 30
"""The number of states up to which a table has a byte for each, and two bits beyond."""

MOST_STATES = 1 << 33
"""The largest number of states that are numbered."""

_MOVES_A_SECOND = 1e8  # that are made and proved; a rough guess for messages
_DIGITS = 16  # of a digest, in the name of a table


class Pinned(NamedTuple):
    """What is known of the tables of a puzzle that ships, in one metric.

    Attributes:
        counts: the number of states at each depth, in text.
        sha256: the digest of the table of distances.
        coordinates: that of the file that says what ranks stand for.
        size: how many bytes this one has.
        source: where the distribution was published.
        by_default: whether the two are built when nothing else is asked for.
        effort: what it takes, where that is worth knowing before.
    """

    counts: str
    sha256: str
    coordinates: str
    size: int
    source: str = "found here; the proof needs no other source"
    by_default: bool = False
    effort: str = ""

    @property
    def distribution(self) -> tuple[int, ...]:
        """The number of states at each depth."""
        return tuple(map(int, self.counts.split()))


class DerivedGraph(Graph):
    """The states that moves lead to, and these moves.

    Attributes:
        first_labels: labels to be chosen before others when the space is derived; see `spaces.derive`.
    """

    first_labels: tuple[int, ...] = ()

    def __init__(self, rules: DerivedRules, metric: str) -> None:
        """Take the moves of a metric."""
        self.rules, self.metric = rules, metric
        self.pinned = rules.pinned.get(metric)
        self.turns = rules.definition.turns(metric, rules.costs)
        self._coordinates: Coordinates | None = None

    @functools.cached_property
    def holdings(self) -> Holdings:
        """The states up to whole-puzzle rotations."""
        return hold(self.rules.definition, self.turns)

    @property
    def origin(self) -> Arrangement:
        """The state from which moves lead to all others."""
        return self.rules.origin or self.holdings.solved[0]

    @functools.cached_property
    def reach(self) -> Reach | None:
        """Which states there are, told without listing them; None if it would take too long to find out."""
        found = self._reaching.result()
        return None if isinstance(found, int) else found

    @functools.cached_property
    def _reaching(self) -> Job[Reach | int]:
        """Which states there are, or a lower bound of their number."""
        from cubesolve.puzzles.reach import UnknownReachError, reach  # noqa: PLC0415  # not needed where there are tables

        def find() -> Reach | int:
            try:
                return reach(self.origin, self.holdings.generators, self.rules.definition.illegal)
            except UnknownReachError as error:
                return error.least

        return Job(find)

    @functools.cached_property
    def number_of_states(self) -> int | None:
        """How many states there are, found without any of them; None as for `DerivedRules.number_of_states`."""
        if self.holdings.rotated is not None:
            return self._number_of_rotated(self.holdings.rotated)
        if self.holdings.reference is not None:
            if self.rules.group is None:
                return None  # what moves make with the reference pieces at home is hardly smaller
            number = self._number_by_reference(self.holdings.reference, self.rules.group)
            if number is not None:
                return number
        return self.reach.number if self.reach else None

    def _number_of_rotated(self, rotated: Rotated) -> int | None:
        """Likewise, where no piece tells the rotation; None as well if a rotation leaves a state as it is."""
        if self.reach is None or self.reach.number is None:
            return None
        is_free = rotated.is_free(self.origin, self.holdings.generators)
        return self.reach.number // len(rotated.rotations) if is_free else None

    def _number_by_reference(self, reference: Reference, group: Group) -> int | None:
        """Likewise, of the states that moves alone lead to, and of the rotations that lead to one of these, too."""
        solved = self.rules.definition.solved[0]
        number = group.arrangements(solved)
        made = group.made(solved, (after(solved, rotation) for rotation in reference.rotations))
        return None if number is None or made is None else number // made.count(True)

    @property
    def least_states(self) -> int:
        """A lower bound of the number of states, computed where this number is not known."""
        found = self._reaching.result()
        least = found if isinstance(found, int) else found.least
        # There are more if a rotation leaves a state as it is.
        return -(-least // len(self.holdings.rotated.rotations)) if self.holdings.rotated else least

    @property
    def most_states(self) -> int:
        """At most so many states there are."""
        from cubesolve.puzzles.reach import most_states  # noqa: PLC0415

        return most_states(self.origin, self.holdings.generators)

    @functools.cached_property
    def digest(self) -> str:
        """A digest of what distances depend on."""
        digest = self.rules.definition.digest(self.turns)
        if self.holdings.scheme:
            digest = hashlib.sha256(f"{digest} {self.holdings.scheme}".encode()).hexdigest()
        if self.rules.origin is None:
            return digest
        return hashlib.sha256(f"{digest} {list(self.rules.origin)}".encode()).hexdigest()

    @functools.cached_property
    def moves(self) -> Sequence[str]:  # type: ignore[override]
        """See `Graph.moves`."""
        return tuple(turn.name for turn in self.holdings.turns)

    @functools.cached_property
    def costs(self) -> Sequence[int] | None:  # type: ignore[override]
        """See `Graph.costs`."""
        found = tuple(turn.cost for turn in self.holdings.turns)
        return None if set(found) <= {1} else found

    @functools.cached_property
    def joined(self) -> Collection[tuple[int, int]] | None:  # type: ignore[override]
        """See `Graph.joined`."""
        turns = self.holdings.turns
        if self.holdings.rotated is not None or not all(is_plain(turn.cases) for turn in turns):
            return None
        costs = {turn.cases[0].sources: turn.cost for turn in turns} | {identity(self.rules.definition.points): 0}
        pairs = itertools.product(enumerate(turns), repeat=2)
        made = ((i, j, after(a.cases[0].sources, b.cases[0].sources), a.cost + b.cost) for (i, a), (j, b) in pairs)
        return frozenset((i, j) for i, j, change, most in made if change in costs and costs[change] <= most)

    # -- Ways ----------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def canonical(self) -> Canonical:
        """Which moves may follow which in a search."""
        return canonical(self.holdings.turns, self.holdings.solved[0], hindered=bool(self.rules.definition.illegal))

    def moved(self, state: Arrangement, turn: Turn) -> Arrangement | None:
        """The state after a move; None where it is not possible."""
        moved = turn.apply(state)
        return moved if moved is not None and self.rules.definition.is_legal(moved) else None

    def walked(self, length: int, source: random.Random) -> Arrangement | None:
        """Where a random one of the algs of so many moves leads from the solved state that a search would try.

        Args:
            length: the number of moves.
            source: where chance comes from. Where moves are always possible, each of these algs is as likely as any
                other.

        Returns:
            None if there is no way to go on.
        """
        here, place, moves = 0, self.holdings.solved[0], list[int]()
        for left in reversed(range(length)):
            ways = [
                (move, following, moved)
                for move, following in enumerate(self.canonical.following[here])
                if following >= 0 and (moved := self.moved(place, self.holdings.turns[move])) is not None
            ]
            chances = list(itertools.accumulate(self._algs_from(left)[following] for _, following, _ in ways))
            if not chances or not chances[-1]:
                return None
            move, here, place = ways[bisect.bisect_right(chances, source.random() * chances[-1], hi=len(ways) - 1)]
            moves.append(move)
        definition = self.rules.definition
        return definition.apply(self.holdings.solved[0], definition.parse(" ".join(self.holdings.alg(moves))))

    def _algs_from(self, length: int) -> list[int]:
        """From each state of the automaton, how many algs of so many moves it accepts."""
        while len(self._numbers_of_algs) <= length:
            last, following = self._numbers_of_algs[-1], self.canonical.following
            self._numbers_of_algs.append([sum(last[there] for there in row if there >= 0) for row in following])
        return self._numbers_of_algs[length]

    @functools.cached_property
    def _numbers_of_algs(self) -> list[list[int]]:
        return [[1] * len(self.canonical.following)]

    @property
    def most_in_table(self) -> int:
        """The number of states that a table can have.

        Two bits do for each where depths of neighbours differ by one at most.
        """
        return MOST_BYTES if self.rules.costs or self.rules.is_directed else MOST_STATES

    # -- Its tables ----------------------------------------------------------------------------------------------------

    @property
    def _name(self) -> str:
        return f"{self.rules.name}-{self.metric}" if self.pinned else f"custom-{self.digest[:_DIGITS]}"

    def _header(self, name: str, scheme: str, entries: int, encoding: int) -> TableHeader:
        puzzle = self.rules.name if self.pinned else "custom"
        return TableHeader(name, puzzle, self.metric, scheme, entries, (), "", encoding)

    @property
    def built_by(self) -> str:
        """What ``cubesolve tables build`` must be given to build its tables, in words of a shell."""
        is_usual = self.metric == self.rules.metrics[0]
        return self.rules.spoken if is_usual else f"{self.rules.spoken} --metric {self.metric}"

    @functools.cached_property
    def coordinates_entry(self) -> TableEntry:
        """The file that says what ranks stand for."""
        size = self.pinned.size if self.pinned else 0
        header = self._header(f"{self._name}-coordinates", f"coordinates {self.digest}", size, ARRAYS)
        if self.pinned is None:
            return TableEntry(header, by_default=False, built_by=self.built_by)
        header = header._replace(sha256=self.pinned.coordinates)
        return TableEntry(header, source="follows from the moves", by_default=self.pinned.by_default)

    @functools.cached_property
    def entry(self) -> TableEntry:  # type: ignore[override]
        """The table of distances."""
        return self.entry_of(sum(self.pinned.distribution) if self.pinned else self.states)

    def entry_of(self, states: int) -> TableEntry:
        """The table of distances of so many states, before it is known what ranks stand for.

        Raises:
            TooLargeError: there can be no such table.
        """
        known = self.pinned
        if states > self.most_in_table:
            raise TooLargeError(states, self.most_in_table, exact=True)
        encoding = BYTE_DEPTHS if states <= MOST_BYTES else MODULO
        header = self._header(self._name, f"states {self.digest}", states, encoding)
        if known is None:
            seconds = max(1, states * len(self.moves) / _MOVES_A_SECOND)
            effort = f"{states:,} states, about {seconds:,.0f} s"
            return TableEntry(header, (), by_default=False, effort=effort, built_by=self.built_by)
        header = header._replace(distribution=known.distribution, sha256=known.sha256)
        return TableEntry(header, (), known.source, known.by_default, effort=known.effort)

    # -- States and ranks ----------------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether it is known what ranks stand for."""
        return self._coordinates is not None

    def use(self, body: Any) -> None:
        """Take what says what ranks stand for; see `spaces.coordinates`."""
        self._coordinates = Coordinates(bytes(body), self.holdings.turns, self.holdings.changes)

    @property
    def coordinates(self) -> bytes:
        """The same again."""
        return self._known.body

    @property
    def _known(self) -> Coordinates:
        if self._coordinates is None:
            raise CubesolveError(f"the coordinates of {self.rules.name} have not been loaded")
        return self._coordinates

    @property
    def states(self) -> int:  # type: ignore[override]
        """See `Graph.states`."""
        return self._known.states

    @property
    def starts(self) -> Sequence[int]:
        """See `Graph.starts`."""
        return self._known.starts

    def rank(self, given: Any) -> int:
        """See `Graph.rank`."""
        if hasattr(given, "__index__"):
            return self.checked(given)
        for place in self.rules.arrangements(self.rules.read(given)):
            rank = self.rank_of(place)
            if rank >= 0:
                return rank
        raise UnsolvableStateError(f"{self.rules.title}: no moves lead from the solved state to this one")

    def rank_of(self, state: Arrangement) -> int:
        """The rank of an arrangement, -1 if no moves lead to it."""
        home = self.holdings.home(state)
        rank = -1 if home is None else self._known.rank(home[0])
        if rank >= 0 or not (self.holdings.rotated or self.holdings.namings):
            return rank
        return next((rank for rank, _ in self._listed(state)), -1)

    def _listed(self, state: Arrangement) -> Iterator[tuple[int, int]]:
        """The ranks of what a state can be taken for, each with the number of the rotation or naming that makes it."""
        rotated = self.holdings.rotated
        images = rotated.images(state) if rotated else self.holdings.named(state)
        return ((rank, number) for number, image in enumerate(images) if (rank := self._known.rank(image)) >= 0)

    def ranks_towards(self, given: Any, goal: Any) -> tuple[int, list[int]]:
        """The rank of a state, and the ranks of all that another is, however it is held, when it is named likewise.

        Raises:
            InvalidStateError: one is no state of the puzzle, or no moves lead there from the solved state.
        """
        start, holdings = self.rank(given), self.holdings
        if not holdings.rotations:
            return start, [self.rank(goal)]
        begin, end = (next(iter(self.rules.arrangements(self._state(each)))) for each in (given, goal))
        _, number = next(self._listed(begin))
        images = (after(end, rotation) for rotation in holdings.rotations)
        named = (after(holdings.namings[number], image) for image in images) if holdings.namings else images
        targets = {rank for image in named if (rank := self._known.rank(image)) >= 0}
        if not targets:
            raise UnsolvableStateError(f"{self.rules.title}: no moves lead from the one state to the other")
        return start, sorted(targets)

    def _state(self, given: Any) -> Any:
        return self.unrank(self.checked(given)) if hasattr(given, "__index__") else self.rules.read(given)

    def unrank(self, rank: int) -> Any:
        """See `Graph.unrank`."""
        return self.rules.state(self._known.unrank(rank))

    def make_space(self) -> StateSpace:
        """Return the moves as arrays."""
        from cubesolve.spaces.derived import derived_space  # noqa: PLC0415  # needs numpy

        return derived_space(self).arrays

    def make_form(self) -> ArrayForm:
        """Return how arrays of states are written."""
        from cubesolve.spaces.derived import DerivedForm  # noqa: PLC0415  # needs numpy

        return DerivedForm(self)

    def neighbours(self, rank: int) -> Sequence[int]:
        """See `Graph.neighbours`."""
        return self._known.neighbours(rank)

    def written(self, moves: Sequence[int], given: Any) -> str:
        """See `Graph.written`."""
        rotated = self.holdings.rotated
        return " ".join(self._as_held(rotated, moves, given) if rotated else self.names(moves, given))

    def names(self, moves: Sequence[int], given: Any) -> list[str]:
        """Moves by number, to be made from a state as it was given, or from that with the reference pieces at home."""
        rotation = 0
        if self.holdings.reference is not None and not hasattr(given, "__index__"):
            home = self.holdings.home(next(iter(self.rules.arrangements(self.rules.read(given)))))
            rotation = home[1] if home else 0
        return self.holdings.alg(moves, rotation)

    def _as_held(self, rotated: Rotated, moves: Sequence[int], given: Any) -> Iterator[str]:
        """Moves by number, each to be made from what is listed of a state, as they are written for the state itself."""
        place = next(iter(self.rules.arrangements(self._state(given))))
        for move in moves:
            _, number = next(self._listed(place))
            turn = rotated.as_held(self.holdings.turns[move], number)
            yield turn.name
            place = after(place, turn.cases[0].sources)


class DerivedRules(GraphRules):
    """A puzzle whose spaces are derived from its moves.

    Attributes:
        definition: its moves.
        costs: what moves count, by name, where that is not 1.
        pinned: what is known of its tables, by metric.
        origin: the state from which moves lead to all others, if no solved one is known to be among these.
        solid: what it is in space, if it is something there.
    """

    kind: Kind = "derived"
    origin: Arrangement | None = None
    definition: Definition
    costs: Mapping[str, int]
    pinned: Mapping[str, Pinned]

    def __init__(
        self,
        definition: Definition,
        *,
        title: str | None = None,
        costs: Mapping[str, int] | None = None,
        pinned: Mapping[str, Pinned] | None = None,
        spoken: str | None = None,
        scramble_depth: int = 0,
        solid: Solid | None = None,
    ) -> None:
        """Take a definition."""
        self.definition = definition
        self.name, self.title = definition.name, title or definition.name
        self._spoken = spoken or definition.name
        self.scramble_depth = scramble_depth
        self.solid = solid
        self.costs, self.pinned = dict(costs or {}), dict(pinned or {})
        self._graphs: dict[str, DerivedGraph] = {}

    @property
    def spoken(self) -> str:
        """See `Rules.spoken`."""
        return self._spoken

    @property
    def is_directed(self) -> bool:
        """See `Rules.is_directed`."""
        return self.definition.directed

    def arrangements(self, state: Any) -> Iterable[Arrangement]:
        """The arrangements that a state can be taken for; more than one, where its labels can be given in many ways."""
        raise NotImplementedError

    def state(self, place: Arrangement) -> Any:
        """The state that an arrangement is."""
        raise NotImplementedError

    @property
    def numbers(self) -> Mapping[int, int]:
        """The number of each label in arrays of states, no two the same; `numbering` is the same in words."""
        return {label: label for label in self.definition.solved[0]}

    @property
    def numbering(self) -> str:
        """What the numbers in an array of states mean."""
        return "where the sticker or piece in each place is at home, counted from 0; what looks alike has one number"

    @property
    def looks(self) -> Mapping[int, int]:
        """What each label looks like, as a number; by default all look different."""
        return self.numbers

    def looking(self, numbers: Sequence[int]) -> Any:
        """The state whose labels look so; see `looks`.

        Raises:
            InvalidStateError: there is none, or no moves could lead to it.
        """
        labels = {number: label for label, number in self.numbers.items()}
        place = arrangement(labels[number] for number in numbers)
        if sorted(place) != sorted(self.definition.solved[0]):
            raise InvalidStateError("its numbers are not those of the solved state", "repeated")
        return self.state(place)

    def as_held(self, state: Any) -> Arrangement:
        """The arrangement that a state is for a goal, which says how the puzzle is to be held."""
        return next(iter(self.arrangements(state)))

    def shown(self, labels: Sequence[frozenset[int]]) -> str:
        """A state of which it is only known which labels may lie on each point, as text."""
        raise NotImplementedError

    @functools.cached_property
    def metrics(self) -> Sequence[str]:  # type: ignore[override]
        """One, where all that can be done has few enough powers."""
        both = [{turn.cases for turn in self.definition.turns(metric)} for metric in ("htm", "qtm")]
        return ("htm",) if both[0] == both[1] else ("htm", "qtm")

    @property
    def searches(self) -> bool:  # type: ignore[override]
        """See `Rules.searches`; of puzzles that do not ship, this is not known beforehand."""
        return not self.pinned or any(sum(known.distribution) > AT_ONCE for known in self.pinned.values())

    @property
    def options(self) -> Sequence[Option]:  # type: ignore[override]
        """The metric, if there is more than one, the target, and the limits."""
        metric = [METRIC._replace(help=_METRICS)] if len(self.metrics) > 1 else []
        return [*metric, TARGET, *LIMITS]

    @property
    def order(self) -> int | None:
        """The order of the group that its moves make; None as for `group_of`.

        >>> from cubesolve.catalog import rules_named
        >>> rules_named("skewb").order, rules_named("rubik").restricted("R U", None).order
        (3149280, 73483200)
        """
        return self.group.order if self.group else None

    @property
    def most_order(self) -> int | None:
        """An upper bound of the `order`, computed without the group; None if the moves make no group."""
        from cubesolve.puzzles.reach import most_states  # noqa: PLC0415

        turns = self.definition.turns()
        return most_states(identity(self.definition.points), turns) if _make_group(self.definition, turns) else None

    @functools.cached_property
    def group(self) -> Group | None:
        """The group that its moves make; None as for `group_of`."""
        return group_of(self.definition, self.definition.turns())

    @functools.cached_property
    def number_of_states(self) -> int | None:
        """See `Rules.number_of_states`.

        Returns:
            None as for `group_of`, or where it cannot be told because of pieces that look alike; at most as many as the
            `order` says.

        >>> from cubesolve.catalog import rules_named
        >>> tower = rules_named("tower")
        >>> tower.order, tower.number_of_states
        (967680, 241920)
        """
        return super().number_of_states or self.graph().number_of_states

    def graph(self, *, metric: str | None = None, **_question: Any) -> DerivedGraph:
        """See `GraphRules.graph`."""
        chosen = self.require_metric(metric)
        if chosen not in self._graphs:
            self._graphs[chosen] = DerivedGraph(self, chosen)
        return self._graphs[chosen]

    def graph_of(self, entry: TableEntry) -> DerivedGraph:
        """See `Rules.graph_of`."""
        return self.graph(metric=entry.header.metric)

    def tables(self) -> Sequence[TableEntry]:
        """The tables whose digests are known, each with its coordinates."""
        graphs = [self.graph(metric=metric) for metric in self.pinned]
        return [entry for graph in graphs for entry in (graph.coordinates_entry, graph.entry)]

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """See `Rules.usual_tables`; of a puzzle that does not ship, those that are known without its states."""
        graph = self.graph(metric=metric)
        return [graph.coordinates_entry, graph.entry] if graph.pinned or graph.is_ready else [graph.coordinates_entry]

    def invert(self, alg: str) -> str:
        """See `Rules.invert`."""
        definition = self.definition
        return definition.written(definition.undo(step) for step in reversed(definition.parse(alg)))

    def solved(self, like: Any) -> Any:  # noqa: ARG002  # there is one alone
        """See `Rules.solved`."""
        return self.state(self.definition.solved[0])

    def split(self, alg: str) -> list[str]:
        """See `Rules.split`."""
        return [self.definition.written([step]) for step in self.definition.parse(alg)]

    def is_free(self, move: str) -> bool:
        """See `Rules.is_free`."""
        return any(step.name in self.definition.rotations for step in self.definition.parse(move))

    def is_solved(self, place: Arrangement) -> bool:
        """Whether an arrangement is solved, however the puzzle is held."""
        holdings = self.graph().holdings
        home = holdings.home(place)
        return home is not None and home[0] in holdings.solved

    @property
    def is_relabelled(self) -> bool:
        """Whether labels have no meaning beyond being different, so that any state can be taken for the solved one."""
        definition = self.definition
        all_differ = len(set(definition.solved[0])) == definition.points
        plain = all(not case.needs for cases in definition.generators.values() for case in cases)
        return all_differ and plain and not definition.illegal and len(definition.solved) == 1

    def relative(self, start: Any, target: Any) -> tuple[Any, Callable[[str], str]]:
        """See `GraphRules.relative`; only where `is_relabelled`."""
        begin = next(iter(self.arrangements(self.read(start))))
        end = next(iter(self.arrangements(self.read(target))))
        label = dict(zip(end, self.definition.solved[0], strict=True))
        return self.state(arrangement(label[each] for each in begin)), lambda alg: self.finished(alg, begin, end)

    def finished(self, alg: str, begin: Arrangement, end: Arrangement) -> str:
        """An alg with the rotations after it that make a state end as another is held.

        Args:
            alg: leads from one state to the other, but for the holding.
            begin: the one.
            end: the other.
        """
        reached = self.definition.apply(begin, self.definition.parse(alg))
        words = self._rotations(reached, end)
        if words is None:
            raise UnsolvableStateError("no moves lead there")
        return f"{alg} {words}".strip()

    def made(self, alg: str, state: Any) -> str:
        """See `GraphRules.made`; with rotations before it, where a rotation of the solved state is another state."""
        if not self.graph().holdings.links:
            return self.invert(alg)
        place = next(iter(self.arrangements(self.read(state))))
        solved = self.definition.apply(place, self.definition.parse(alg))
        return f"{self._rotations(self.definition.solved[0], solved) or ''} {self.invert(alg)}".strip()

    def _rotations(self, begin: Arrangement, end: Arrangement) -> str | None:
        """The fewest rotations that make one arrangement of another; None if there are none."""
        words = {begin: ""}
        for place in (reached := [begin]):
            if place == end:
                return words[place]
            for name, change in self.definition.rotations.items():
                turned = after(place, change)
                if turned not in words:
                    words[turned] = f"{words[place]} {name}".strip()
                    reached.append(turned)
        return None


def derived(rules: Rules) -> DerivedRules:
    """What is searched for, as a puzzle of which its moves are known, and nothing else.

    >>> from cubesolve.catalog import rules_named
    >>> len(derived(rules_named("rubik")).graph().moves)
    18
    """
    found = rules if isinstance(rules, DerivedRules) else rules.restricted(None, None)
    assert isinstance(found, DerivedRules)  # as what is not in a table is only defined, or cubes with their moves
    return found


# -- Groups ------------------------------------------------------------------------------------------------------------


def group_of(definition: Definition, turns: Sequence[Turn]) -> Group | None:
    """The group that moves make.

    Returns:
        None if they make none, since what they do depends on what lies where; or if it would take too long to find it.
    """
    from cubesolve.puzzles.group import Group, TooLargeGroupError  # noqa: PLC0415  # few questions are about it

    if not _make_group(definition, turns):
        return None
    try:
        return Group(definition.points, [turn.cases[0].sources for turn in turns])
    except TooLargeGroupError:
        return None


def _make_group(definition: Definition, turns: Sequence[Turn]) -> bool:
    """Whether moves make a group: what they do does not depend on what lies where."""
    return not definition.illegal and all(is_plain(turn.cases) for turn in turns)


# -- Chosen moves ------------------------------------------------------------------------------------------------------

_MOST_COST = 9


def chosen_of(definition: Definition, moves: str) -> Definition:
    """A definition with those moves alone that an alg names.

    Raises:
        InvalidMoveError: it names none, something else, or a turn of the puzzle as a whole.
    """
    steps = tuple(dict.fromkeys(definition.parse(moves)))
    whole = next((step.name for step in steps if step.name in definition.rotations), None)
    if whole is not None or not steps:
        reason = "is no move" if whole is None else "turns the puzzle as a whole, which is free"
        raise InvalidMoveError(whole or moves, 0, f"{reason}: expected {' '.join(definition.generators)}")
    return definition._replace(chosen=steps)


def costs_of(definition: Definition, costs: Mapping[str, int] | str | None) -> dict[str, int]:
    """What moves count, by name, where that is not 1.

    Args:
        definition: the puzzle.
        costs: for moves, or for all that fit a pattern with ``*``, what they count; as text, ``*=2 U2=3``. What comes
            later counts.

    Raises:
        ValueError: there is no such move, or what it should count is not in 1..9.

    >>> from cubesolve.puzzles.definition import Case
    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), {"T": (Case(b"\\1\\2\\0"),)})
    >>> costs_of(ring, "*=2 T=1")
    {"T'": 2}
    """
    names = [turn.name for turn in definition.turns()]
    found = dict.fromkeys(names, 1)
    for pattern, cost in _pairs(costs):
        fitting = fnmatch.filter(names, pattern) if isinstance(pattern, str) else []
        if not fitting:
            raise ValueError(f"no move is {quoted(str(pattern))}: expected {' '.join(names)}")
        found |= dict.fromkeys(fitting, integer(f"what {pattern} counts", cost, 1, _MOST_COST))
    return {name: cost for name, cost in found.items() if cost > 1}


def _pairs(costs: Mapping[str, int] | str | None) -> Iterable[tuple[str, int]]:
    if isinstance(costs, Mapping):
        return costs.items()
    if not isinstance(costs, (str, NoneType)):
        raise ValueError(f"costs are named, as U2=2, and not of the type {type(costs).__name__}")
    return [_cost(pair) for pair in (costs or "").replace(",", " ").split()]


def _cost(pair: str) -> tuple[str, int]:
    name, _, number = pair.partition("=")
    if not (name and number.isascii() and number.isdigit() and len(number) <= len(str(_MOST_COST))):
        raise ValueError(f"{quoted(pair)} is not what a move counts, as in U2=3")
    return name, int(number)


def without_inverses(definition: Definition) -> Definition:
    """A definition whose generators, or those that were chosen, are moves, and neither inverses nor other powers.

    Raises:
        ValueError: they are not always possible, so that other states may lead to the solved one than it leads to.
    """
    if definition.illegal or not all(map(is_plain, definition.generators.values())):
        message = f"moves without inverses are not supported for {definition.name}: they are not always possible"
        raise ValueError(message)
    return definition._replace(directed=True)


def moved_by(definition: Definition, moves: str | None, costs: Mapping[str, int]) -> tuple[str, str]:
    """What is added to the title of a puzzle whose moves are chosen, and to what names it on the command line."""
    words = spoken = ""
    if moves:
        named = definition.written(definition.chosen)
        words, spoken = f", {named} alone", f" --moves {shlex.quote(named)}"
    if definition.directed:
        words, spoken = f"{words}, without inverses", f"{spoken} --no-inverses"
    if costs:
        named = " ".join(f"{name}={cost}" for name, cost in costs.items())
        words, spoken = f"{words}, {named}", f"{spoken} --cost {shlex.quote(named)}"
    return words, spoken


class DefinedRules(DerivedRules):
    """A puzzle of which nothing is known but its definition; its states are of the type `State`."""

    @functools.cached_property
    def texts(self) -> PieceTexts:
        """How its states are written."""
        return PieceTexts(self.definition)

    @functools.cached_property
    def forms(self) -> Mapping[str, Form]:
        """Any way, pieces, algs, and patterns of KPuzzle."""
        return {
            "any": Form(self.read, str, "an alg, pieces, or a pattern, detected by its form", empty=True),
            "pieces": Form(self._from_pieces, str, "the name of the piece in each place"),
            "alg": Form(self._from_alg, None, "moves from the solved puzzle", empty=True),
            "kpuzzle": Form(self._from_pattern, lambda state: json.dumps(state.pattern), "a KPuzzle pattern in JSON"),
        }

    def restricted(
        self, moves: str | None, costs: Mapping[str, int] | str | None, *, inverses: bool = True
    ) -> DefinedRules:
        """See `Rules.restricted`."""
        definition = chosen_of(self.definition._replace(chosen=()), moves) if moves else self.definition
        definition = definition if inverses else without_inverses(definition)
        named = costs_of(definition, costs)
        words, spoken = moved_by(definition, moves, named)
        title, spoken = f"{self.title}{words}", f"{self.spoken}{spoken}"
        return type(self)(definition, title=title, costs=named, spoken=spoken, solid=self.solid)

    def towards(self, goal: Any) -> Rules:
        """See `Rules.towards`."""
        from cubesolve.puzzles.piece_goals import goal_of  # noqa: PLC0415  # few questions are about other goals
        from cubesolve.spaces.goal_rules import towards  # noqa: PLC0415

        return towards(self, goal, lambda given: [goal_of(self, given)])

    def shown(self, labels: Sequence[frozenset[int]]) -> str:
        """See `DerivedRules.shown`."""
        return self.texts.write_some(labels)

    def arrangements(self, state: State) -> Iterable[Arrangement]:
        """See `DerivedRules.arrangements`."""
        return (state.arrangement,)

    def state(self, place: Arrangement) -> State:
        """See `DerivedRules.state`."""
        return State(self, place)

    def read(self, given: Any) -> State:
        """A state: as one, as text in any form, or as a pattern.

        Raises:
            InvalidStateError: it is none.
            InvalidMoveError: it is an alg, and none of this puzzle's.
        """
        if isinstance(given, State):
            if given.rules != self:
                raise InvalidStateError(f"this is a state of the {given.rules.title}, not of the {self.title}", "type")
            return given
        if isinstance(given, Mapping):
            return self._of_pattern(given)
        if not isinstance(given, str):
            raise InvalidStateError(f"expected a state, text or a pattern, not {type(given).__name__}", "type")
        if given.lstrip().startswith("{"):
            return self._from_pattern(given)
        return self._from_text(given)

    def _from_text(self, text: str) -> State:
        pieces: State | InvalidStateError
        try:
            pieces = self._from_pieces(text)
        except InvalidStateError as error:
            pieces = error
        try:
            made = self._from_alg(text)
        except InvalidMoveError as error:
            if isinstance(pieces, State):
                return pieces
            if self.texts.looks_like_one(text, begins_with_move=text[: error.position].endswith(" ")):
                raise pieces from None
            raise
        if isinstance(pieces, State) and pieces != made:
            raise InvalidStateError(f"{quoted(text)} is an alg, and the pieces of another state: say which", "type")
        return made

    def _from_pieces(self, text: str) -> State:
        return self.state(self.texts.read(text))

    def _from_alg(self, alg: str) -> State:
        definition = self.definition
        return self.state(definition.apply(definition.solved[0], definition.parse(alg)))

    def _from_pattern(self, text: str) -> State:
        return self._of_pattern(read_json(text))

    def _of_pattern(self, pattern: object) -> State:
        from cubesolve.puzzles.readers import parse_kpuzzle_pattern  # noqa: PLC0415  # few states are given so

        return self.state(parse_kpuzzle_pattern(self.definition, pattern))

    def picture(self, state: State) -> Picture | None:
        """See `Rules.picture`: the net, if it has one."""
        from cubesolve.puzzles.nets import net_of  # noqa: PLC0415  # few states are shown

        scene = self.scene(state)
        return None if scene is None else net_of(scene, str(state))

    def scene(self, state: State) -> Scene | None:
        """See `Rules.scene`."""
        return self._shape.scene(state.arrangement, self.definition.solved[0]) if self._shape else None

    def motion(self, state: State, move: str) -> Motion:  # noqa: ARG002
        """See `Rules.motion`."""
        assert self._shape is not None  # who asks has a scene
        (step,) = self.definition.parse(move)
        return self._shape.motion(step)

    @functools.cached_property
    def _shape(self) -> Shape | None:
        if self.solid is None or self.solid.body is None:
            return None
        from cubesolve.puzzles.shapes import Shape  # noqa: PLC0415  # few states are shown

        return Shape(self.solid, self.solid.body)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DefinedRules):
            return NotImplemented
        return self.definition == other.definition and self.costs == other.costs

    def __hash__(self) -> int:
        return hash((self.name, self.definition.solved))

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("title", "costs", "pinned", "spoken", "scramble_depth", "solid")
        named = {name: getattr(self, name) for name in names}
        return _made, (type(self), self.definition, named)


def _made(kind: Callable[..., DefinedRules], definition: Definition, named: dict[str, Any]) -> DefinedRules:
    return kind(definition, **named)
