from __future__ import annotations

import random

import numpy as np
import pytest

from cubesolve.catalog import rules_named
from cubesolve.errors import CorruptTableError
from cubesolve.spaces.coordinates import Coordinates
from cubesolve.spaces.defined import derived
from cubesolve.spaces.derive import unpacked
from cubesolve.spaces.derived import derived_space


def test_other_bytes_are_refused() -> None:
    floppy, ivy = (derived(rules_named(name)).graph() for name in ("floppy", "ivy"))
    derived_space(floppy), derived_space(ivy)
    for body in (b"", b"x" * 39, bytes(40), floppy.coordinates[:-1], floppy.coordinates + b"x", ivy.coordinates):
        with pytest.raises(CorruptTableError, match="these are none, or of another puzzle"):
            Coordinates(body, floppy.reduction.moves)


@pytest.mark.parametrize("name", ["floppy", "tiles-2x3"])
def test_no_number_leads_outside(name: str) -> None:
    graph = derived(rules_named(name)).graph()
    derived_space(graph)
    rng = random.Random(2)
    refused = 0
    for _ in range(400):
        body = bytearray(graph.coordinates)
        for _ in range(rng.choice((1, 3, 20))):
            body[rng.randrange(len(body))] = rng.randrange(256)
        try:
            coordinates = Coordinates(bytes(body), graph.reduction.moves)
            for rank in range(0, coordinates.states, 7):
                assert max(coordinates.neighbours(rank)) < coordinates.states
                assert -1 <= coordinates.rank(coordinates.unrank(rank)) < coordinates.states
        except CorruptTableError:
            refused += 1
        try:
            space = unpacked(bytes(body), graph.reduction.moves).arrays
        except CorruptTableError:
            refused += 1
        else:
            assert space.neighbours_of(np.arange(space.states)).max() < space.states
    assert refused > 50
