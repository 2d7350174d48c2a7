"""The face-turning octahedron (FTO): each of its eight faces turns.

It is held so that the faces U, R, F and L meet at the vertex in front; D, BL, B and BR are opposite to them. In names
of pieces, ``l`` stands for BL and ``r`` for BR.

Turns never exchange the centres of U, F, BL and BR with those of R, L, B and D, and never flip an edge; a corner has
two orientations.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

from cubesolve.catalog.pins import pinned_phases
from cubesolve.definition.definition import Definition
from cubesolve.definition.geometry import EVERYTHING, Body, Cut, Face, Piece, Solid, around, solid
from cubesolve.definition.goals import NamedGoal
from cubesolve.definition.named_steps import CaseSet, NamedSteps
from cubesolve.definition.phases import Coordinate, Phase
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import support
from cubesolve.picture.nets import flattened
from cubesolve.picture.pictures import PURPLE, SILVER, USUAL, Picture
from cubesolve.picture.scenes import Point, Scene
from cubesolve.picture.vectors import NORMALS, Vector, dot, opposite
from cubesolve.search.phased import PhasedRules, phases_entry

NAMES = ("fto",)

_FRONT: dict[str, Vector] = {"U": (-1, 1, 1), "R": (1, 1, 1), "F": (1, -1, 1), "L": (-1, -1, 1)}
_FACES = _FRONT | {name: opposite(_FRONT[across]) for name, across in zip("lrBD", "RLFU", strict=True)}
_WRITTEN = {"l": "BL", "r": "BR"}
_ALIKE = ("UFlr", "RLBD")  # faces whose centres change places
_COLOURS = {face: USUAL[face] for face in "URFDB"} | {"l": USUAL["L"], "L": PURPLE, "r": SILVER}

_SIZE = 18  # the distance of the vertices from the middle; the middles of all triangles are then integers
_NEAR, _FAR = _SIZE * 5 // 9, _SIZE * 2 // 9
_APART = 2.4  # the distance between the middles of the two halves of the drawing


def rules(name: str) -> PhasedRules:
    """Return the rules of the FTO."""
    whole = _fto()
    goals = _goals(whole.definition)
    view = FTOView(
        whole.definition,
        "face-turning octahedron",
        spoken=name,
        solid=whole,
        named_steps=NamedSteps(goals, _STEP_TITLES, _case_sets(whole.definition, goals)),
    )
    return PhasedRules(view, _phases, phases_entry(name, *pinned_phases(name)), usual_length=_USUAL_LENGTH)


def _fto() -> Solid:
    cuts = {_WRITTEN.get(name, name): Cut(normal, _SIZE / 3, 3) for name, normal in _FACES.items()}
    rotations = {f"{name}v": Cut(cut.axis, EVERYTHING, 3) for name, cut in cuts.items()}
    faces = tuple(Face(normal, _SIZE, _COLOURS[name]) for name, normal in _FACES.items())
    pairs = itertools.product(*([_FACES[face] for face in alike] for alike in _ALIKE))
    kinds = {"CORNERS": _corners(), "EDGES": [_piece(pair, _SIZE // 2) for pair in pairs if dot(*pair) > 0]}
    for alike in _ALIKE:
        kinds[f"CENTRES_{alike[0]}"] = [Piece(face, place) for face in alike for place in _around(_FACES[face])]
    return solid("fto", kinds, cuts, rotations, Body(faces, up=_FACES["U"], front=(1, -1, 2)))


def _corners() -> list[Piece]:
    pieces = []
    for vertex in NORMALS.values():
        first = next(normal for face, normal in _FACES.items() if face in "UFlr" and dot(normal, vertex) > 0)
        pieces.append(_piece(around(vertex, 4, first), _SIZE // 4))  # each coordinate but one cancels
    return pieces


def _piece(faces: Sequence[Vector], scale: int) -> Piece:
    x, y, z = (sum(steps) * scale // 2 for steps in zip(*faces, strict=True))
    names = {normal: face for face, normal in _FACES.items()}
    return Piece("".join(names[normal] for normal in faces), (x, y, z), tuple(faces))


def _around(face: Vector) -> Iterator[Vector]:
    """Yield the middles of the centres of a face, which lie next to its vertices."""
    for vertex in NORMALS.values():
        if dot(face, vertex) > 0:
            x, y, z = ((_NEAR if at else _FAR) * side for side, at in zip(face, vertex, strict=True))
            yield (x, y, z)


class FTOView(PieceView):
    """The FTO, drawn as its two halves: seen from the vertex in front, and from the one behind."""

    def laid_flat(self, scene: Scene, title: str) -> Picture:
        """Return the picture of a scene."""
        stickers = [(side.corners, side.colour) for part in scene.parts for side in part if side.colour is not None]
        outlines = [_flat(corners) for corners, _ in stickers]
        return flattened(outlines, [colour for _, colour in stickers], title)


def _flat(corners: Sequence[Point]) -> list[complex]:
    """Return where a sticker is drawn: as seen from the front, or further right as seen from behind."""
    is_behind = sum(z for _, _, z in corners) < 0
    places = ((float(x + y), float(x - y)) for x, y, _ in corners)
    return [complex(_APART * _SIZE - across if is_behind else across, down) for across, down in places]


# -- Goals ------------------------------------------------------------------------------------------------------------


_STEP_TITLES = {
    "fc": "the centre of U with its edges",
    "f2t": "the same and two triples at U; a triple is a corner with two centres beside it",
    "sc": "the same and the centre of F with its edges",
    "l2c": "the same and the centres of BL and BR with their edges",
    "lbt": "the same and the last triple at U: the last three triples remain",
    "corners": "all corners",
    "edges": "all edges",
    "corners-edges": "all corners and edges",
}


def _goals(definition: Definition) -> dict[str, tuple[NamedGoal, ...]]:
    """Return the named steps of a solution: those of the method Bencisco, corners, and edges; see `_STEP_TITLES`."""
    solved: dict[str, Callable[[frozenset[str]], bool]] = {
        "fc": lambda by: "U" in by and by.isdisjoint(("F", "BL", "BR")),
        "f2t": lambda by: "U" in by and "F" not in by,
        "sc": lambda by: ("U" in by and "F" not in by) or ("F" in by and by.isdisjoint(("U", "BL", "BR"))),
        "l2c": lambda by: len(by & {"F", "BL", "BR"}) < 2 and not by >= {"U", "F"},
        "lbt": lambda by: len(by & {"F", "BL", "BR"}) < 2,
    }
    goals = {name: (_goal(definition, is_solved),) for name, is_solved in solved.items()}
    orbits = {orbit.name: orbit.names for orbit in definition.orbits}
    corners, edges = (NamedGoal(" ".join(orbits[name])) for name in ("CORNERS", "EDGES"))
    both = NamedGoal(f"{corners.pieces} {edges.pieces}")
    return {**goals, "corners": (corners,), "edges": (edges,), "corners-edges": (both,)}


def _goal(definition: Definition, is_solved: Callable[[frozenset[str]], bool]) -> NamedGoal:
    """Return the goal that pieces are at home, given the names of the moves that move them."""
    sources = {name: effects[0].sources for name, effects in definition.generators.items()}
    points = set[int]()
    for place in itertools.chain.from_iterable(places for _, places in definition.places):
        by = frozenset(move for move, source in sources.items() if source[place.start] != place.start)
        if is_solved(by):
            points.update(place)
    return NamedGoal(points=frozenset(points))


def _case_sets(definition: Definition, goals: Mapping[str, tuple[NamedGoal, ...]]) -> dict[str, CaseSet]:
    """Return the sets of cases of the last steps, with the last layer on D.

    A case is the same from three sides of the puzzle, and if D is turned before and back after its algs.
    """
    everything = NamedGoal(" ".join(name for orbit in definition.orbits for name in orbit.names))
    sides = [definition.rotations["Uv"], definition.generators["D"][0].sources]
    return {
        "l3t": CaseSet(
            "the last three triples, all else being solved", goals["lbt"][0], everything, moves="D F BL BR", turns=sides
        )
    }


# -- Phases ------------------------------------------------------------------------------------------------------------

_USUAL_LENGTH = 32

_PHASE_NODES = 1 << 16  # of 2^12 to 2^20, this number finds the shortest solutions in 2^21 nodes
_LIKELY = 2, 7  # the first solution then takes a twelfth of the nodes, and has half a move more


def _phases(definition: Definition) -> list[Phase]:
    """Return phases that end in the groups of U R L B D and R L B D, and in the solved puzzle.

    In the first group the triangle of D has its edges, in order, and its centres. In the second one all edges are on
    their faces, in order, and so are the centres of R, L, B and D; each corner has the centres beside it that belong
    there. That is a Pyraminx of 933,120 states.

    Source: the phases of the solver of csTimer by Chen Shuang (github.com/cs0x7f/cstimer).
    """
    changes = {name: effects[0].sources for name, effects in definition.generators.items()}
    faces = "".join(name for orbit in definition.orbits for name in orbit.names)  # of each point
    solved = definition.solved[0]

    def edges(of: str) -> Coordinate:
        """Return the edges of some faces, which turns of these do not change."""
        labels = {solved[point] for face in of for point in support(changes[face])} & _labels(definition, "EDGES")
        return Coordinate.of(labels, [changes[face] for face in of])

    def centres(of: str) -> Coordinate:
        return Coordinate.of(solved[faces.rindex(face)] for face in of)

    def beside_corners(face: str) -> list[Coordinate]:
        """Return the corner stickers of a face, which look alike, and its centres."""
        corners = {label for label in _labels(definition, "CORNERS") if faces[solved.index(label)] == face}
        return [Coordinate.alike(corners), centres(face)]

    corners = Coordinate.of(_labels(definition, "CORNERS") | _labels(definition, "CENTRES_U"))
    others = Coordinate.of(_labels(definition, "EDGES") | _labels(definition, "CENTRES_R"))
    pairs = [edges("RLB"), centres("RLB"), *itertools.chain.from_iterable(map(beside_corners, _ALIKE[0]))]
    both = [(first, first + 1) for first in range(0, len(pairs), 2)]
    return [
        Phase.of(definition, " ".join(changes), [edges("D"), centres("D")], [(0, 1)]),
        Phase.of(definition, "U R L B D", pairs, both, _PHASE_NODES, _LIKELY),
        Phase.of(definition, "R L B D", [corners, others], [(0, 1)]),
    ]


def _labels(definition: Definition, orbit: str) -> set[int]:
    (places,) = [places for entry, places in definition.places if entry.name == orbit]
    return {definition.solved[0][point] for point in itertools.chain.from_iterable(places)}
