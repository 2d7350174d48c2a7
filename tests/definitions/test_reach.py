"""Numbers of states: published ones, and plain enumeration where moves can be blocked."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.definition.formats import parse_tws
from cubesolve.definition.geometry import CORNERS, EDGES, Cut, Piece, along, body_rotations, cubies, solid
from cubesolve.definition.notation import FACES
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.picture.vectors import Vector, image
from cubesolve.solvers.defined_arrays import may_have
from cubesolve.spaces.defined import DerivedRules
from tests.definitions.samples import disks
from tests.distances import distances
from tests.subsets import later


def _rules(text: str) -> DerivedRules:
    return DerivedRules(PieceView(parse_tws(text, "test")))


# -- Helicopter cube ---------------------------------------------------------------------------------------------------

HELICOPTER = 493_694_233_804_800_000
"""Jaap Scherphuis, 'Helicopter Cube', jaapsch.net: 7! * 3^6 * 6!^4 / 2."""


@pytest.mark.parametrize(("rotations", "holdings"), [({}, 24), ({"x": 4, "y": 4}, 1)])
def test_the_helicopter_cube_has_the_published_number_of_states(rotations: dict[str, int], holdings: int) -> None:
    """Eight corners, and six times four petals that look alike; half turns around edges."""

    def between(face: str, corner: str) -> Vector:
        (a, b, c), (x, y, z) = along(face), along(corner)
        return (2 * a + x, 2 * b + y, 2 * c + z)

    petals = [Piece(face + corner, between(face, corner)) for face in FACES for corner in CORNERS if face in corner]
    corners = [piece._replace(place=image(((2, 0, 0), (0, 2, 0), (0, 0, 2)), piece.place)) for piece in cubies(CORNERS)]
    cuts = {f"M{edge}": Cut(along(edge), 3.5, 2) for edge in EDGES}
    found = solid("helicopter", {"CORNERS": corners, "PETALS": petals}, cuts, body_rotations(rotations)).definition
    alike = arrangement(point if point < 24 else point - point % 4 for point in range(48))
    rules = DerivedRules(PieceView(found._replace(solved=(alike,))))
    assert rules.number_of_states == HELICOPTER * holdings
    assert rules.order == HELICOPTER * 24


# -- Enumeration -------------------------------------------------------------------------------------------------------


def _enumerated(rules: DerivedRules) -> set[Arrangement]:
    graph = rules.graph()

    def around(state: Arrangement) -> Iterator[Arrangement]:
        images = (graph.moved(state, turn) for turn in graph.definition_moves)
        return (image for image in images if image is not None)

    return set(distances([rules.definition.solved[0]], around))


BLOCKED = {"A": "2 3 4 1 5 6 7 8", "B": "1 2 3 5 6 7 8 4", "C": "5 2 3 4 1 6 7 8"}


@pytest.mark.parametrize("ring", [later("1 2 3 4 5 6 7 8"), "1 2 3 4 5 5 5 8", "1 1 2 2 3 3 4 4"])
@pytest.mark.parametrize("illegal", ["2 4", "5 1\nIllegal DISKS 3 4", "5 1 2\nIllegal DISKS 6 4\nIllegal DISKS 8 1"])
def test_blocked_moves_are_counted_as_enumeration_does(ring: str, illegal: str) -> None:
    rules = _rules(disks(BLOCKED, ring, f"Illegal DISKS {illegal}"))
    states = _enumerated(rules)
    graph = rules.graph()
    assert graph.number_of_states == len(states)
    assert graph.reach is not None
    assert all(graph.reach.may_have(state) for state in itertools.islice(states, 100))
    assert graph.most_states >= len(states)
    source = random.Random(1)
    for _ in range(50):
        assert graph.reach.random_state(source) in states
        shuffled = bytes(source.sample(sorted(rules.definition.solved[0]), 8))
        assert graph.reach.may_have(shuffled) == (shuffled in states)


# -- Many arrangements at once -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["tiles-2x3", "skewb", "pyraminx-tips", "docs/rings.tws", "docs/glued-ring.tws", later("4x4x4"), later("fto")],
)
def test_many_arrangements_are_checked_as_each_is(name: str) -> None:
    rules, source = puzzle(name).rules, random.Random(7)
    assert isinstance(rules, DerivedRules)
    reach = rules.graph().reach
    assert reach is not None
    rows = [list(reach.random_state(source)) for _ in range(40)]
    for row in rows[10:]:  # mostly with other twists or parities, or in pieces
        kind = source.choice(reach.loops.kinds)
        one, other = source.sample([*kind.along.values()], 2)
        for a, b in zip(one, other, strict=True):
            row[a], row[b] = row[b], row[a]
    expected = [reach.may_have(arrangement(row)) for row in rows]
    assert len({*expected}) == 2 or name in {"docs/rings.tws", "4x4x4"}  # where pieces are exchanged at will
    assert may_have(reach, np.array(rows, np.uint8)).tolist() == expected
