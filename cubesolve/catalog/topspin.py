"""TopSpin: a ring of disks, some adjacent ones of which are reversed: 4 of 9 disks in ``topspin-9-4``."""

from __future__ import annotations

import math

from cubesolve.catalog.pins import pinned_tables
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement, identity
from cubesolve.picture.pictures import PLAIN, Cell, Picture
from cubesolve.spaces.defined import DerivedRules

NAMES = ("topspin-8-4", "topspin-9-4", "topspin-10-4")
OTHERS = "topspin-[1-9][0-9]?-[1-9][0-9]?"
SERIES = "topspin-N-K", "TopSpin, N disks, K in the turntable"


def rules(name: str) -> DerivedRules | None:
    """Return the rules of a puzzle of this module; None unless the turntable has room for 2 disks, but not for all."""
    disks, room = map(int, name.split("-")[1:])
    if not 2 <= room < disks:
        return None
    view = TopSpinView(_topspin(name, disks, room), f"TopSpin, {disks} disks, {room} in the turntable")
    return DerivedRules(view, pinned=pinned_tables(name))


class TopSpinView(PieceView):
    """Disks in a ring."""

    numbering = "the disk in each place, counted from 0; text counts from 1"

    def draw(self, state: State) -> Picture:
        """Return the picture of a state: from the top on, clockwise.

        >>> ring = rules("topspin-8-4").view
        >>> print(ring.picture(ring.read("T3")).text())
        1 2 6 5 4 3 7 8
        """
        number = len(state.arrangement)
        radius, cells = 0.6 / math.sin(math.pi / number), []
        for place, disk in enumerate(state.arrangement):
            turn = math.tau * place / number
            x, y = radius + 0.5 + radius * math.sin(turn), radius + 0.5 - radius * math.cos(turn)
            angles = [math.tau * (corner + 0.5) / _CORNERS for corner in range(_CORNERS)]
            outline = [(x + math.cos(angle) / 2, y + math.sin(angle) / 2) for angle in angles]
            cells.append(Cell(place, 0, str(disk + 1), PLAIN, outline, str(disk + 1)))
        return Picture(cells, str(state))


_CORNERS = 16  # control points of a circle


def _topspin(name: str, disks: int, room: int) -> Definition:
    """Return the definition. ``T3`` reverses the disks from the third place on; rotating the ring is free."""
    shift = arrangement((place - 1) % disks for place in range(disks))
    generators = {}
    for first in range(disks):
        turned = list(range(disks))
        for place in range(room):
            turned[(first + place) % disks] = (first + room - 1 - place) % disks
        generators[f"T{first + 1}"] = (Effect(arrangement(turned)),)
    return Definition(name, (Orbit("DISKS", disks),), (identity(disks),), generators, rotations={"s": shift})
