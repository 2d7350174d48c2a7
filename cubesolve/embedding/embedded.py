"""The solver of a puzzle as data: its moves, its ranks and its table, for programs in other languages (numpy)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Definition, Power
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.texts import Vocabulary
from cubesolve.encodings.making import made_of
from cubesolve.errors import TooLargeError
from cubesolve.group.moves import Effect, is_plain
from cubesolve.group.permutations import Arrangement, Permutation, identity
from cubesolve.spaces.defined import AT_ONCE, DerivedGraph, DerivedRules, derived
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.rows import Rows, ascending
from cubesolve.spaces.variants import GoalRules, NearestRules


class Generator(NamedTuple):
    """A basic operation of the puzzle, or a rotation, as algs name it."""

    name: str
    cases: tuple[Effect, ...]  # its possible effects
    order: int  # its order; 0 if its effect depends on the state
    inverse: int  # the number of the generator that undoes it, if the order is 0
    rotates: bool  # whether it rotates the whole puzzle


class EmbeddedMove(NamedTuple):
    """A move of the metric."""

    name: str
    cost: int
    cases: tuple[Effect, ...]  # its possible effects
    inverse: str  # an alg that undoes it, of moves only


class EmbeddedImage(NamedTuple):
    """A way to look at a state; the first image that has a rank represents the state."""

    sources: Permutation  # the point from which each point gets its label: a whole-puzzle rotation
    labels: Sequence[int] | None  # the label that is seen instead of each; None if it is itself
    moves: tuple[int, ...]  # the numbers of the moves, in the order in which ties are broken


class Embedded(NamedTuple):
    """A puzzle, its ranks and its table."""

    name: str  # the name of the puzzle on the command line, with its moves, costs and goal
    title: str
    metric: str
    unit: str  # what is counted
    goal: bool  # whether it has a goal, so that ranks are those of masked states
    form: str  # how states are written: ``facelets`` or ``pieces``
    orbits: tuple[Vocabulary, ...]  # the pieces, and the texts of their labels
    solved: tuple[int, ...]  # the label on each point of the solved state
    illegal: tuple[tuple[int, int], ...]  # pairs of a point and a label that must not be on it
    generators: tuple[Generator, ...]  # the operations that algs name
    moves: tuple[EmbeddedMove, ...]  # the moves of the metric
    images: tuple[EmbeddedImage, ...]  # the ways to look at a state
    changes: tuple[Permutation, ...]  # the permutations between placements
    labels: tuple[int, ...]  # the labels whose points are a placement
    # the ranks of the solved states, each with the rotations that lead there from the first
    starts: tuple[tuple[int, str], ...]
    distribution: tuple[int, ...]  # the number of states at each depth
    bits: int  # 2 for depths modulo 3, or 8 for depths
    parents: NDArray[np.uint32]  # uint32 (placements,): the placement before each; the first's is itself
    steps: NDArray[np.uint16]  # uint16 (placements,): the number of the change that leads there
    places: Rows  # (placements, columns): the points of the labels, in ascending order
    arrangements: Rows  # (width, points): the labels on all points, in ascending order
    depths: NDArray[np.uint8]  # uint8 (placements, width)

    @property
    def entries(self) -> NDArray[np.uint8]:
        """The table as bytes: four depths modulo 3 each, from the lowest bits, or a depth each."""
        depths = self.depths.reshape(-1)
        if self.bits == 8:
            return depths
        padded = np.zeros(-(-len(depths) // 4) * 4, np.uint8)
        padded[: len(depths)] = depths % 3
        first, second, third, fourth = padded.reshape(-1, 4).T
        return np.asarray(first | second << 2 | third << 4 | fourth << 6, np.uint8)


def embedded(puzzle: Puzzle, metric: str | None = None) -> Embedded:
    """Return a puzzle, its ranks and its table; all distances are enumerated and proved.

    Args:
        metric: the metric; by default the usual one.

    Raises:
        ValueError: the puzzle has no definition, no such metric, several goals with tables of their own, or moves that
            cannot be undone or cost 0.

    >>> from cubesolve import puzzle
    >>> found = embedded(puzzle("pyraminx-duo"))
    >>> found.depths.shape, found.distribution, found.bits
    ((1, 324), (1, 8, 48, 188, 79), 2)
    """
    rules = derived(puzzle.rules)
    if isinstance(rules, NearestRules):
        raise ValueError(f"the {rules.title}, has several goals: choose one")
    graph = _graph_of(rules, metric)
    if not graph.is_ready:
        make_ready(graph, AT_ONCE)
    space = derived_space(graph)
    if space.arrays.states > AT_ONCE:
        raise TooLargeError(space.arrays.states, AT_ONCE, exact=True)
    starts = [(state, rank) for state in graph.reduction.solved if (rank := graph.rank_of(state)) >= 0]
    depths, counts = made_of(space.arrays, [rank for _, rank in starts], rules.title)
    in_order, arranged = ascending(space.places), ascending(space.arrangements)
    placement, arrangement = np.argsort(in_order), np.argsort(arranged)
    width = len(arrangement)
    listed = dict[int, str]()
    for state, rank in starts:
        number = int(placement[rank // width]) * width + int(arrangement[rank % width])
        listed.setdefault(number, _words(rules, state))
    is_plain_table = space.arrays.mutual and not space.arrays.costs
    return without_table(puzzle, metric)._replace(
        images=tuple(_images(rules, graph)),
        changes=tuple(graph.reduction.changes),
        labels=space.labels,
        starts=tuple(listed.items()),
        distribution=counts,
        bits=2 if is_plain_table else 8,
        parents=placement[space.parents][in_order].astype(np.uint32),
        steps=space.steps[in_order],
        places=space.places[in_order],
        arrangements=space.arrangements[arranged],
        depths=depths.reshape(len(placement), width)[in_order][:, arranged],
    )


def without_table(puzzle: Puzzle, metric: str | None = None) -> Embedded:
    """Return a puzzle as data, without ranks and a table: its states and moves, for a program that searches.

    Args:
        metric: the metric; by default the usual one.

    Raises:
        ValueError: the puzzle has no definition, no such metric, or moves that cannot be undone or cost 0.

    >>> from cubesolve import puzzle
    >>> found = without_table(puzzle("rubik"))
    >>> len(found.solved), len(found.moves), found.places.shape
    (54, 18, (0, 0))
    """
    rules = derived(puzzle.rules)
    graph = _graph_of(rules, metric)
    whole = rules.whole if isinstance(rules, GoalRules) else rules
    none = np.zeros((0, 0), np.uint8)
    return Embedded(
        name=rules.spoken,
        title=rules.title,
        metric=graph.metric,
        unit=rules.unit,
        goal=whole is not rules,
        form="facelets" if isinstance(rules.view, FaceletView) else "pieces",
        orbits=tuple(vocabularies(rules)),
        solved=tuple(whole.definition.solved[0]),
        illegal=tuple(sorted(whole.definition.illegal)),
        generators=tuple(_generators(whole.view.definition)),
        moves=tuple(_moves(whole.definition, graph)),
        images=(),
        changes=(),
        labels=(),
        starts=(),
        distribution=(),
        bits=2,
        parents=np.zeros(0, np.uint32),
        steps=np.zeros(0, np.uint16),
        places=none,
        arrangements=none,
        depths=none,
    )


def _graph_of(rules: DerivedRules, metric: str | None) -> DerivedGraph:
    graph = rules.graph(metric=metric)
    if graph.has_free_moves:
        reason = f"programs do not support moves that cost 0, which the {rules.title} has"
        raise ValueError(f"{reason}: let them cost 1 to 9, or write the whole table with --out")
    return graph


def _words(rules: DerivedRules, state: Arrangement) -> str:
    """Return the rotations that lead from the first solved state to one; empty if rotations do not matter."""
    return "" if isinstance(rules, GoalRules) else rules.made("", rules.labelling.state(state))


def vocabularies(rules: DerivedRules) -> Iterator[Vocabulary]:
    """Yield the pieces of each orbit, and the texts of their labels."""
    view = rules.view
    if isinstance(view, PieceView):
        yield from view.texts.vocabularies
    elif isinstance(view, FaceletView):
        yield from view.vocabularies


def _generators(definition: Definition) -> Iterator[Generator]:
    numbers = {name: number for number, name in enumerate(definition.generators)}
    for name, cases in definition.generators.items():
        yield Generator(name, cases, definition.order(name), numbers.get(definition.inverses.get(name, ""), -1), False)
    for name, change in definition.rotations.items():
        yield Generator(name, (Effect(change),), definition.order(name), -1, True)


def _moves(definition: Definition, graph: DerivedGraph) -> Iterator[EmbeddedMove]:
    for move in graph.definition_moves:
        steps = definition.parse(move.name)
        if definition.directed:
            times = definition.order(steps[0].name)
            inverse = " ".join([move.name] * (times // math.gcd(steps[0].amount, times) - 1))
        elif is_plain(move.effects) or steps[0].name in definition.inverses:
            inverse = definition.written([definition.undo(Power(*steps[0]))])
        else:
            raise ValueError(f"{definition.name} cannot be embedded: no move undoes {move.name}")
        yield EmbeddedMove(move.name, move.cost, move.effects, inverse)


def _images(rules: DerivedRules, graph: DerivedGraph) -> Iterator[EmbeddedImage]:
    reduction, same = graph.reduction, identity(len(graph.origin))
    numbers = {move.name: number for number, move in enumerate(graph.definition_moves)}
    own = tuple(numbers[name] for name in graph.moves)
    if reduction.reference is not None:
        for turn, rotation in enumerate(reduction.reference.rotations):
            names = (reduction.reference.name(move, turn) for move in range(len(reduction.moves)))
            yield EmbeddedImage(rotation, None, tuple(map(numbers.__getitem__, names)))
    elif reduction.rotated is not None:
        for number, rotation in enumerate(reduction.rotated.rotations):
            made = (reduction.rotated.conjugated(move, number) for move in reduction.moves)
            yield EmbeddedImage(rotation, None, tuple(numbers[move.name] for move in made))
    elif isinstance(rules, GoalRules):
        yield EmbeddedImage(same, _listed(rules.mask.looks), own)
    else:
        for naming in reduction.namings or (None,):
            yield EmbeddedImage(same, naming, own)


def _listed(looks: Mapping[int, int]) -> list[int]:
    return [looks.get(label, label) for label in range(max(looks) + 1)]
