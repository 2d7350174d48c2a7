"""Every published distribution, computed from the moves."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import pytest

from cubesolve.catalog import entry_named, names, rules_named
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats import parse_kpuzzle, parse_tws
from cubesolve.definition.geometry import CORNERS, Cut, Piece, along, cubies, solid
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement
from cubesolve.picture.vectors import NORMALS, Vector, dot
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.variants import restricted
from cubesolve.store.build import make
from tests.definitions.samples import POCKET_KPUZZLE, POCKET_TWS
from tests.facts import PANCAKES, PUZZLES

LARGEST = 1 << 19
"""The number of states up to which puzzles are enumerated in every run; beyond, only with the exhaustive tests."""


def _shipped(name: str, moves: str | None = None) -> DerivedRules:
    rules = rules_named(name) if moves is None else restricted(rules_named(name), moves)
    assert isinstance(rules, DerivedRules)
    return rules


def _enumerated(rules: DerivedRules, metric: str) -> tuple[int, ...]:
    """A distribution from an enumeration that is proved and compared with the pin."""
    graph = rules.graph(metric=metric)
    make_ready(graph)
    return make(rules, graph.entry)[0].distribution


# -- Puzzles that do not ship ------------------------------------------------------------------------------------------


def _beachball() -> Definition:
    """A Skewb with four colours: two of the cuts divide the solved one into segments of one colour."""
    axes = [along(corner) for corner in ("URF", "DRB", "ULB", "DLF")]
    cuts = {f"T_{number}": Cut(axis, 0, 3) for number, axis in enumerate(axes)}
    kinds = {"TRIANGLES": cubies(CORNERS, oriented=False), "SQUARES": cubies(NORMALS, oriented=False)}
    ball = solid("beachball", kinds, cuts)

    def segment(place: Vector) -> tuple[bool, bool, bool]:
        return len({abs(float(x)) for x in place}) == 1, dot(place, axes[0]) > 0, dot(place, axes[1]) > 0

    segments = [segment(place) for place, _ in ball.points]
    return ball.definition._replace(solved=(arrangement(map(segments.index, segments)),))


def _cheese() -> Definition:
    """Six wedges of a disk, each with one side up or the other; three next to each other turn over together."""

    def flipped(first: int) -> Effect:
        sources = list(range(12))
        for place in range(3):
            to, source = (first + place) % 6, (first + 2 - place) % 6
            sources[2 * to : 2 * to + 2] = 2 * source + 1, 2 * source
        return Effect(arrangement(sources))

    turned = arrangement((point - 2) % 12 for point in range(12))
    over = arrangement(11 - point for point in range(12))
    flips = {f"F{first}": (flipped(first),) for first in range(6)}
    solved = (arrangement(range(12)),)
    return Definition("cheese", (Orbit("WEDGES", 6, 2),), solved, flips, rotations={"x": turned, "y": over})


_VERTICES: Mapping[str, Vector] = {"U": (1, 1, 1), "L": (1, -1, -1), "R": (-1, 1, -1), "B": (-1, -1, 1)}


def _opposite(vector: Vector) -> Vector:
    x, y, z = vector
    return (-x, -y, -z)


def _layers_and_tips() -> Definition:
    """A Pyraminx whose layers opposite to the vertices turn, each with three tips, and is not turned as a whole."""

    def vertices(scale: int) -> list[Piece]:
        places = _VERTICES.values()
        return [
            Piece(name, tuple(scale * x for x in place), tuple(_opposite(other) for other in places if other != place))  # type: ignore[arg-type]
            for name, place in _VERTICES.items()
        ]

    edges = [
        Piece(a + b, tuple(x + y for x, y in zip(_VERTICES[a], _VERTICES[b], strict=True)), facing)  # type: ignore[arg-type]
        for a, b in itertools.combinations(_VERTICES, 2)
        if (facing := tuple(_opposite(place) for name, place in _VERTICES.items() if name not in a + b))
    ]
    kinds = {"EDGES": edges, "CENTRES": vertices(1), "TIPS": vertices(2)}
    cuts = {name: Cut(_opposite(place), 0, 3) for name, place in _VERTICES.items()}
    cuts |= {name.lower(): Cut(place, 3, 3) for name, place in _VERTICES.items()}
    return solid("layers", kinds, cuts).definition


DEFINED: Mapping[str, tuple[Callable[[], DerivedRules], str]] = {
    "2x2x2 htm": (lambda: DerivedRules(PieceView(parse_tws(POCKET_TWS, "pocket"))), "htm"),
    "2x2x2 qtm": (lambda: DerivedRules(PieceView(parse_kpuzzle(POCKET_KPUZZLE, "pocket"))), "qtm"),
    "pyraminx without tips": (lambda: _shipped("pyraminx"), "htm"),
    "skewb": (lambda: _shipped("skewb"), "htm"),
    "beachball skewb": (lambda: DerivedRules(PieceView(_beachball())), "htm"),
    "pyramorphix": (lambda: _shipped("pyramorphix"), "htm"),
    "dino, both mirror solutions": (lambda: _shipped("dino"), "htm"),
    "Rubik's Cheese": (lambda: DerivedRules(PieceView(_cheese())), "htm"),
    "sliding 3x2 corner": (lambda: _shipped("tiles-2x3"), "htm"),
    "sliding 4x2 corner": (lambda: _shipped("tiles-2x4"), "htm"),
    "sliding 5x2 corner": (lambda: _shipped("tiles-2x5"), "htm"),
    "8-puzzle corner": (lambda: _shipped("tiles-3x3"), "htm"),
    "3x3x3 squares group": (lambda: _shipped("rubik", "U2 R2 F2 D2 L2 B2"), "htm"),
    "3x3x3 <U2,R2,F2>": (lambda: _shipped("rubik", "U2 R2 F2"), "htm"),
    "floppy 1x3x3": (lambda: _shipped("floppy"), "htm"),
    "pyraminx duo": (lambda: _shipped("pyraminx-duo"), "htm"),
    "pyraminx with tips, layers and tips as moves, not up to rotation (x4)": (
        lambda: DerivedRules(PieceView(_layers_and_tips())),
        "htm",
    ),
}


def test_all_that_is_published_is_defined() -> None:
    assert {*DEFINED} == set(PUZZLES)
    for published in PUZZLES.values():
        assert sum(published["distribution"]) == published["states"]
        assert len(published["distribution"]) == published["gods_number"] + 1


def _perhaps_later(states: int) -> list[pytest.MarkDecorator]:
    """The marks of a test that enumerates so many states."""
    return [pytest.mark.exhaustive] if states > LARGEST else []


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=_perhaps_later(PUZZLES[name]["states"]))
        for name, (define, metric) in DEFINED.items()
        if metric not in define().pinned
    ],
)
def test_published_distributions(name: str) -> None:
    define, metric = DEFINED[name]
    assert list(_enumerated(define(), metric)) == PUZZLES[name]["distribution"]


# -- What is pinned ----------------------------------------------------------------------------------------------------

PINNED = [
    pytest.param(name, metric, marks=_perhaps_later(sum(pinned.distribution)))
    for name in names()
    if isinstance(rules := rules_named(name), DerivedRules)
    for metric, pinned in rules.pinned.items()
]


@pytest.mark.parametrize(("name", "metric"), PINNED)
def test_what_is_pinned_is_found(name: str, metric: str) -> None:
    """Every table is compared with its pinned digest."""
    rules = _shipped(name)
    assert _enumerated(rules, metric) == rules.pinned[metric].distribution


@pytest.mark.parametrize("name", DEFINED)
def test_what_is_published_is_pinned(name: str) -> None:
    """For puzzles that ship, the distribution is in the entries of their tables, before they are built."""
    define, metric = DEFINED[name]
    rules = define()
    if metric in rules.pinned:
        header = entry_named(rules.name)[1].header
        assert list(header.distribution) == PUZZLES[name]["distribution"]
        assert rules.number_of_states == header.entries == PUZZLES[name]["states"]


def test_published_numbers_of_pancakes() -> None:
    for pancakes, number in PANCAKES["gods_numbers"].items():
        rules = _shipped(f"pancake-{pancakes}")
        assert (rules.gods_number or len(_enumerated(rules, "htm")) - 1) == number
