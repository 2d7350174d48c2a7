"""The pieces of a cube that is given by its facelets, in the places and orientations of KPuzzle (pure Python)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cubesolve.definition.definition import Definition, Orbit, Power
from cubesolve.definition.facelets import facelet_names, piece_facelets, turning
from cubesolve.definition.notation import FACES, ROTATIONS, FaceTurn
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import Arrangement, arrangement, identity

_ORBITS = (
    ("EDGES", 2, "UF UR UB UL DF DR DB DL FR FL BR BL"),
    ("CORNERS", 3, "URF UBR ULB UFL DFR DLF DBL DRB"),
    ("CENTERS", 4, "U L F R B D"),
)
"""The places in the order of cubing.js, the letters of corners clockwise from the sticker that shows the orientation.

A centre has four orientations, which all look alike.
"""


class CubePieces(NamedTuple):
    """The pieces of a cube as orbits with points."""

    orbits: tuple[Orbit, ...]
    facelets: tuple[int, ...]  # the facelet of each point
    first: tuple[int, ...]  # the first point of each facelet

    def to_points(self, homes: Arrangement) -> Arrangement:
        """Return labels on points, from the home of the sticker on each facelet."""
        return arrangement(self.first[homes[facelet]] for facelet in self.facelets)

    def definition(self, given: Definition) -> Definition:
        """Return a definition by pieces, from one by facelets."""

        def change(sources: Arrangement) -> Arrangement:
            origins = self.to_points(sources)
            return arrangement(
                origin + point - self.first[facelet]  # a centre moves with its four points
                for point, (origin, facelet) in enumerate(zip(origins, self.facelets, strict=True))
            )

        return given._replace(
            orbits=self.orbits,
            solved=tuple(map(self.to_points, given.solved)),
            generators={name: (Effect(change(effect.sources)),) for name, (effect,) in given.generators.items()},
            rotations={name: change(sources) for name, sources in given.rotations.items()},
        )


def cube_pieces(size: int, names: Sequence[str]) -> CubePieces:
    """Return the pieces of a cube with a number of layers."""
    sizes = {len(name) for name in names}
    chosen = [(name, turns, homes.split()) for name, turns, homes in _ORBITS if len(homes.split()[0]) in sizes]
    orbits = tuple(Orbit(name, len(homes), turns, tuple(homes)) for name, turns, homes in chosen)
    facelets = tuple(
        facelet
        for _, turns, homes in chosen
        for home in homes
        for facelet in piece_facelets(size, home) * (turns // len(home))
    )
    return CubePieces(orbits, facelets, tuple(map(facelets.index, range(len(set(facelets))))))


def definition_of(name: str, size: int, letters: Sequence[str]) -> Definition:
    """Return the definition of a cube whose facelets are moved by turns with some letters; the faces are selected."""

    def change(letter: str) -> Arrangement:
        return arrangement(turning(size, FaceTurn(letter, 1))(range(6 * size * size)))

    points = 6 * size * size
    return Definition(
        name,
        (Orbit("FACELETS", points, 1, facelet_names(size)),),
        (identity(points),),
        {letter: (Effect(change(letter)),) for letter in letters},
        rotations={letter: change(letter) for letter in ROTATIONS},
        chosen=tuple(map(Power, FACES)),
    )
