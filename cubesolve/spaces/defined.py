"""Puzzles that are given by a definition: their graphs and tables (pure Python)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cubesolve.definition.definition import Definition, precondition_labels
from cubesolve.definition.metrics import METRICS
from cubesolve.definition.options import ACCEPTED, FROM_GOAL, LEVELS, LIMITS, TARGET, Option, metric_option
from cubesolve.definition.rotations import algs_of_rotations, conjugated
from cubesolve.definition.selection import make_group
from cubesolve.definition.state import Labelling, StateT
from cubesolve.definition.view import DefinedView
from cubesolve.errors import UnsolvableStateError
from cubesolve.group.permutations import Arrangement, Permutation, after, identity
from cubesolve.spaces.defined_graph import USUAL, DerivedGraph
from cubesolve.spaces.rules import Graph, GraphRules, Rules
from cubesolve.spaces.tables import AT_ONCE, Pinned, TableEntry

if TYPE_CHECKING:
    from cubesolve.group.group import Group


class DerivedRules(GraphRules[StateT]):
    """A puzzle whose spaces are derived from the moves of a definition.

    >>> from cubesolve.group.moves import Effect
    >>> from cubesolve.definition.piece_view import PieceView
    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), {"T": (Effect(b"\\1\\2\\0"),)})
    >>> DerivedRules(PieceView(ring)).graph().moves
    ('T', "T'")
    """

    view: DefinedView[StateT]
    kind = "derived"
    origin: Arrangement | None = None  # moves lead from it to all states, if no solved one is known to be among these
    first_labels: Sequence[int] = ()  # see `DerivedGraph`
    unreached = "no moves lead from the solved state to this one"

    def __init__(
        self,
        view: DefinedView[StateT],
        definition: Definition | None = None,
        *,
        title: str | None = None,
        spoken: str | None = None,
        pinned: Mapping[str, Pinned] | None = None,
        scramble_depth: int = 0,
    ) -> None:
        """Take a view, and a definition if its moves or solved states are not those of the view."""
        super().__init__(view, title, spoken)
        self.definition = definition or view.definition
        self.costs, self.is_directed = self.definition.costs, self.definition.directed
        self.scramble_depth, self.pinned = scramble_depth, dict(pinned or {})
        self._graphs: dict[str, DerivedGraph[StateT]] = {}

    @property
    def labelling(self) -> Labelling[StateT]:
        """The labelling of its states: that of its view, unless a goal masks labels."""
        return self.view

    # -- Facts ---------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def metrics(self) -> Sequence[str]:
        """The names of its metrics; of several with the same moves, the first."""
        names = {frozenset([move.effects for move in self.definition.moves(name)]): name for name in reversed(METRICS)}
        return tuple(name for name in METRICS if name in names.values())

    @property
    def searches(self) -> bool:
        """Whether some states are answered without its tables; this is not known of puzzles without pinned tables."""
        return not self.pinned or any(sum(pinned.distribution) > AT_ONCE for pinned in self.pinned.values())

    @property
    def options(self) -> Sequence[Option]:
        """The options of questions about it on the command line."""
        rules = {name: METRICS[name].help for name in self.metrics}
        metric = [metric_option(rules)] if len(rules) > 1 else []
        return [*metric, TARGET, *LIMITS, *ACCEPTED, LEVELS, FROM_GOAL, *self.view.options]

    @property
    def order(self) -> int | None:
        """The order of the group of its moves; None as for `group`.

        >>> from cubesolve.catalog import rules_named
        >>> from cubesolve.spaces.variants import restricted
        >>> rules_named("skewb").order, restricted(rules_named("rubik"), "R U").order
        (3149280, 73483200)
        """
        return self.group.order if self.group else None

    @property
    def most_order(self) -> int | None:
        """An upper bound of the `order`, computed without the group; None if the moves make no group."""
        from cubesolve.definition.reach import most_states  # noqa: PLC0415  # heavy: Schreier-Sims

        moves = self.definition.moves()
        return most_states(identity(self.definition.points), moves) if make_group(self.definition, moves) else None

    @functools.cached_property
    def group(self) -> Group | None:
        """The group of its moves; None if some are not always possible, or if it takes too long."""
        from cubesolve.group.group import Group, TooLargeGroupError  # noqa: PLC0415  # heavy: Schreier-Sims

        moves = self.graph().definition_moves
        if make_group(self.definition, moves):
            with contextlib.suppress(TooLargeGroupError):
                return Group(self.definition.points, [move.effects[0].sources for move in moves])
        return None

    @functools.cached_property
    def number_of_states(self) -> int | None:
        """The number of states; None as for `group`, or where pieces that look alike make it unknown.

        >>> from cubesolve.catalog import rules_named
        >>> tower = rules_named("tower")
        >>> tower.order, tower.number_of_states
        (967680, 241920)
        """
        return super().number_of_states or self.graph().number_of_states

    # -- Graphs and tables ---------------------------------------------------------------------------------------------

    def graph(self, *, metric: str | None = None, **_question: object) -> DerivedGraph[StateT]:
        """Return the states and moves in a metric."""
        chosen = USUAL if metric is None else self.require_metric(metric)
        if chosen not in self._graphs:
            self._graphs[chosen] = DerivedGraph(self, chosen)
        return self._graphs[chosen]

    def graph_of(self, entry: TableEntry) -> Graph[StateT]:
        """Return the states of a table of distances."""
        return self.graph(metric=entry.header.metric)

    def arrays(self, entry: TableEntry, *, anew: bool = False) -> bytes:
        """Return the coordinates of the states of a table."""
        from cubesolve.spaces import derived  # noqa: PLC0415  # needs numpy

        graph = self.graph(metric=entry.header.metric)
        return graph.known.body if graph.is_ready and not anew else derived.make_ready(graph)

    def tables(self) -> Sequence[TableEntry]:
        """Return the tables whose digests are known, each with its coordinates."""
        graphs = [self.graph(metric=metric) for metric in self.pinned]
        return [entry for graph in graphs for entry in (graph.coordinates_entry, graph.entry)]

    def usual_tables(self, metric: str | None = None) -> Sequence[TableEntry]:
        """Return the tables that most questions need; without pinned tables, those known without the states."""
        graph = self.graph(metric=metric)
        return [graph.coordinates_entry, graph.entry] if graph.pinned or graph.is_ready else [graph.coordinates_entry]

    # -- From one state to another -------------------------------------------------------------------------------------

    @functools.cached_property
    def _deciding_labels(self) -> Collection[int]:
        """The labels that decide which moves are possible."""
        effects = (effect for effects in self.definition.generators.values() for effect in effects)
        return precondition_labels(effects, self.definition.illegal)

    def toward(self, target: Arrangement) -> DerivedRules[StateT]:
        """Return the puzzle that is solved in another state."""
        title = f"{self.title}, to another state"
        return DerivedRules(self.view, self.definition._replace(solved=(target,)), title=title, spoken=self.spoken)

    def renamed(self, target: Arrangement) -> Mapping[int, int]:
        """Return new names of labels with which a target is the solved state, or as similar to it as possible.

        Labels on which moves depend keep their names. No label has another name where some look alike and the target
        is not the solved state with other names.
        """
        solved, kept = self.definition.solved[0], self._deciding_labels
        if len(set(solved)) == len(solved):
            usual = (label for label in solved if label not in kept)
            return {label: label if label in kept else next(usual) for label in target}
        pairs = set(zip(target, solved, strict=True))
        names = dict(pairs)
        is_renamed = len(pairs) == len(names) == len(set(solved)) and all(names[label] == label for label in kept)
        return names if is_renamed else {}

    def finished(self, alg: str, begin: Arrangement, end: Arrangement) -> str:
        """Return an alg with the rotations after it that make a state end as another is held."""
        reached = self.definition.apply(begin, self.definition.parse(alg))
        words = self.rotations_between(reached, end)
        if words is None:
            raise UnsolvableStateError("no moves lead there")
        return f"{alg} {words}".strip()

    def orientations(self) -> Iterator[tuple[str, StateT]]:
        """Yield the rotations to each orientation of the solved state, no rotation first, and that orientation."""
        for rotation, alg in self._algs_of_rotations.items():
            yield alg, self.labelling.state(after(self.definition.solved[0], rotation))

    def made(self, alg: str, state: object, metric: str | None = None) -> str:
        """Return the alg that leads from the solved state to another, which may be rotated where that does not matter.

        Rotations come first where they do. The inverse of a solution that ends in another orientation than that of the
        solved state would lead to another state: the alg is that of the state which is turned by as much.
        """
        reduction = self.graph(metric=metric).reduction
        if not (reduction.links or reduction.merged):
            return self.view.invert(alg)
        place = self.labelling.arrangement(self.read(state))
        if reduction.merged:
            return self.view.invert(self._turned_back(alg, place, reduction.merged))
        solved = self.definition.apply(place, self.definition.parse(alg))
        return f"{self.rotations_between(self.definition.solved[0], solved) or ''} {self.view.invert(alg)}".strip()

    def _turned_back(self, alg: str, place: Arrangement, rotations: Sequence[Permutation]) -> str:
        """Return a solution of an arrangement for the rotation of it whose solution ends in the solved state."""
        definition, solved = self.definition, self.definition.solved[0]
        steps = definition.parse(alg)
        end = definition.apply(place, steps)
        rotation = next((turn for turn in rotations if after(solved, turn) == end), None)
        if end == solved or rotation is None:
            return alg
        names = {move.effects[0].sources: move.name for move in definition.moves()}
        changes = (conjugated(definition.effects(step)[0].sources, rotation) for step in steps)
        return " ".join(names[change] for change in changes)

    def rotations_between(self, begin: Arrangement, end: Arrangement) -> str | None:
        """Return the fewest rotations that lead from one arrangement to another; None if there are none."""
        return next((alg for rotation, alg in self._algs_of_rotations.items() if after(begin, rotation) == end), None)

    @functools.cached_property
    def _algs_of_rotations(self) -> Mapping[Permutation, str]:
        return algs_of_rotations(self.definition)

    # -- Identity ------------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DerivedRules):
            return NotImplemented
        return type(self) is type(other) and (self.view, self.definition) == (other.view, other.definition)

    def __hash__(self) -> int:
        return hash((self.name, self.definition.solved, self.definition.chosen))

    def __reduce__(self) -> tuple[object, ...]:
        names = ("title", "spoken", "pinned", "scramble_depth")
        named = {name: getattr(self, name) for name in names}
        return functools.partial(type(self), **named), (self.view, self.definition)


def derived(rules: Rules[StateT]) -> DerivedRules[StateT]:
    """Return a puzzle with the moves of its definition, so that it can be searched; it must have a definition.

    >>> from cubesolve.catalog import rules_named
    >>> len(derived(rules_named("rubik")).graph().moves)
    18
    """
    if isinstance(rules, DerivedRules):
        return rules
    if not isinstance(rules.view, DefinedView):
        what = f"no definition of the {rules.title} by permutations of pieces"
        raise ValueError(f"there is {what}, which this question needs")
    return DerivedRules(rules.view)
