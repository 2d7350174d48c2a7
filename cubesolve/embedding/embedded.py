"""The solver of a puzzle as data: its moves, its ranks and its table, for programs in other languages (numpy)."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

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
from cubesolve.group.permutations import Arrangement, identity
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.defined_graph import DerivedGraph
from cubesolve.spaces.derived import derived_space, make_ready
from cubesolve.spaces.rows import ascending
from cubesolve.spaces.tables import AT_ONCE
from cubesolve.spaces.variants import GoalRules, NearestRules

_LEVEL = 9  # of zlib: a table of three million states takes half a second


class Embedded(NamedTuple):
    """A puzzle, its ranks and its table."""

    description: dict[str, Any]  # the argument of `makeSolver`, as JSON
    arrays: bytes = b""  # parents, steps, places and arrangements
    depths: NDArray[np.uint8] = np.zeros(0, np.uint8)  # (states,)

    @property
    def entries(self) -> NDArray[np.uint8]:
        """The table as bytes: four depths modulo 3 each, from the lowest bits, or a depth each."""
        if self.description["bits"] == 8:
            return self.depths
        padded = np.zeros(-(-len(self.depths) // 4) * 4, np.uint8)
        padded[: len(self.depths)] = self.depths % 3
        first, second, third, fourth = padded.reshape(-1, 4).T
        return np.asarray(first | second << 2 | third << 4 | fourth << 6, np.uint8)

    def packed(self) -> str:
        """Return the arrays and the table: compressed by zlib, in base64."""
        return base64.b64encode(zlib.compress(self.arrays + self.entries.tobytes(), _LEVEL)).decode()


def embedded(puzzle: Puzzle, metric: str | None = None) -> Embedded:
    """Return a puzzle, its ranks and its table in a metric; all distances are enumerated and proved.

    >>> from cubesolve import puzzle
    >>> found = embedded(puzzle("pyraminx-duo"))
    >>> found.depths.shape, found.description["distribution"], found.description["bits"]
    ((324,), (1, 8, 48, 188, 79), 2)
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
    listed = dict[int, str]()  # the solved states, each with the rotations that lead there from the first
    for state, rank in starts:
        number = int(placement[rank // width]) * width + int(arrangement[rank % width])
        listed.setdefault(number, _words(rules, state))
    is_plain_table = space.arrays.mutual and not space.arrays.costs
    item = "<u2" if space.ways.shape[1] > 256 else "u1"
    arrays = (
        placement[space.parents][in_order].astype("<u4"),
        space.steps[in_order].astype("<u2"),
        space.places[in_order].astype(item),
        space.arrangements[arranged].astype(item),
    )
    described = without_table(puzzle, metric).description | {
        "images": list(_images(rules, graph)),
        "changes": [list(change) for change in graph.reduction.changes],
        "labels": space.labels,
        "starts": tuple(listed.items()),
        "distribution": counts,
        "bits": 2 if is_plain_table else 8,
        "placements": len(placement),
        "width": width,
    }
    table = depths.reshape(len(placement), width)[in_order][:, arranged].reshape(-1)
    return Embedded(described, b"".join(array.tobytes() for array in arrays), table)


def without_table(puzzle: Puzzle, metric: str | None = None) -> Embedded:
    """Return a puzzle as data, without ranks and a table: its states and moves, for a program that searches."""
    rules = derived(puzzle.rules)
    graph = _graph_of(rules, metric)
    whole = rules.whole if isinstance(rules, GoalRules) else rules
    is_cube, generators = isinstance(rules.view, FaceletView), list(_generators(whole.view.definition))
    wide = [(each["name"], number) for number, each in enumerate(generators) if is_cube and each["name"].endswith("w")]
    return Embedded(
        {
            "name": rules.spoken,
            "title": rules.title,
            "metric": graph.metric,
            "unit": rules.unit,
            "goal": whole is not rules,
            "form": "facelets" if is_cube else "pieces",
            "orbits": [each._asdict() for each in vocabularies(rules)],
            "solved": tuple(whole.definition.solved[0]),
            "illegal": tuple(sorted(whole.definition.illegal)),
            "generators": generators,
            "aliases": [(word.lower(), number) for name, number in wide for word in (name, name[0])],  # rw and r for Rw
            "moves": list(_moves(whole.definition, graph)),
            "images": [],
            "changes": [],
            "labels": (),
            "starts": (),
            "distribution": (),
            "bits": 2,
            "placements": 0,
            "width": 0,
        }
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


def vocabularies(rules: DerivedRules) -> Sequence[Vocabulary]:
    """Return the pieces of each orbit, and the texts of their labels."""
    view = rules.view
    if isinstance(view, PieceView):
        return view.texts.vocabularies
    return view.vocabularies if isinstance(view, FaceletView) else ()


def _generators(definition: Definition) -> Iterator[dict[str, Any]]:
    """Yield the operations that algs name; those whose effect depends on the state have the order 0 and an inverse."""
    numbers = {name: number for number, name in enumerate(definition.generators)}
    rotations = {name: (Effect(change),) for name, change in definition.rotations.items()}
    for name, effects in [*definition.generators.items(), *rotations.items()]:
        rotates = effects is rotations.get(name)
        inverse = -1 if rotates else numbers.get(definition.inverses.get(name, ""), -1)
        order = definition.order(name)
        yield {"name": name, "cases": _cases(effects), "order": order, "inverse": inverse, "rotates": rotates}


def _moves(definition: Definition, graph: DerivedGraph) -> Iterator[dict[str, Any]]:
    """Yield the moves of the metric; the inverse of each is an alg of moves only."""
    for move in graph.definition_moves:
        steps = definition.parse(move.name)
        if definition.directed:
            times = definition.order(steps[0].name)
            inverse = " ".join([move.name] * (times // math.gcd(steps[0].amount, times) - 1))
        elif is_plain(move.effects) or steps[0].name in definition.inverses:
            inverse = definition.written([definition.undo(Power(*steps[0]))])
        else:
            raise ValueError(f"{definition.name} cannot be embedded: no move undoes {move.name}")
        yield {"name": move.name, "cost": move.cost, "cases": _cases(move.effects), "inverse": inverse}


def _cases(effects: Sequence[Effect]) -> list[dict[str, Any]]:
    return [{"sources": list(effect.sources), "needs": effect.needs} for effect in effects]


def _images(rules: DerivedRules, graph: DerivedGraph) -> Iterator[dict[str, Any]]:
    """Yield the ways to look at a state, of which the first that has a rank represents the state."""
    reduction, same = graph.reduction, identity(len(graph.origin))
    numbers = {move.name: number for number, move in enumerate(graph.definition_moves)}

    # A rotation, the label that is seen instead of each (None: itself), and moves in the order that breaks ties.
    def image(sources: Sequence[int], labels: Sequence[int] | None, names: Sequence[str]) -> dict[str, Any]:
        moves = tuple(map(numbers.__getitem__, names))
        return {"sources": list(sources), "labels": None if labels is None else list(labels), "moves": moves}

    if reduction.reference is not None:
        for turn, rotation in enumerate(reduction.reference.rotations):
            names = [reduction.reference.name(move, turn) for move in range(len(reduction.moves))]
            yield image(rotation, None, names)
    elif reduction.rotated is not None:
        for number, rotation in enumerate(reduction.rotated.rotations):
            yield image(rotation, None, [reduction.rotated.conjugated(move, number).name for move in reduction.moves])
    elif isinstance(rules, GoalRules):
        looks = rules.mask.looks
        yield image(same, [looks.get(label, label) for label in range(max(looks) + 1)], graph.moves)
    else:
        for naming in reduction.namings or (None,):
            yield image(same, naming, graph.moves)
