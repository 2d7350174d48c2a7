"""The puzzles of docs/puzzles.md, compared with dictionary searches and a whole cube."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import cubesolve
from cubesolve import RubikCube
from cubesolve.definition.definition import Definition
from cubesolve.definition.formats import parse_tws
from cubesolve.definition.reach import reach
from cubesolve.errors import InvalidMoveError
from cubesolve.group.permutations import Arrangement
from tests.distances import distances

DOCS = Path(__file__).parents[2] / "docs"


def test_the_glued_ring_is_that_of_a_dictionary() -> None:
    left, right = (1, 2, 3, 4, 5, 6), (3, 7, 8, 9, 5, 10)
    start: tuple[int, ...] = (1, 2, 3, 3, 3, 3, 4, 4, 4, 4)

    def around(state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for ring, turn in itertools.product((left, right), range(1, 6)):
            there = list(state)
            for number, place in enumerate(ring):
                there[ring[(number + turn) % 6] - 1] = state[place - 1]
            if there.index(1) + 1 not in {2, 3, 4, 5}:
                yield tuple(there)

    depths = distances([start], around)
    assert all(
        dict(zip(left, (*left[1:], 1), strict=True))[state.index(1) + 1] == state.index(2) + 1 for state in depths
    )
    ring_puzzle = cubesolve.puzzle(str(DOCS / "glued-ring.tws"))
    assert list(ring_puzzle.distribution()) == [*Counter(depths.values()).values()]
    for state, depth in depths.items():
        assert ring_puzzle.depth(" ".join(map(str, state))) == depth


def test_the_bandaged_cube_turns_where_the_glued_pieces_stay_together() -> None:
    bandaged, rng = cubesolve.puzzle(str(DOCS / "bandaged.tws")), random.Random(1)
    assert bandaged.states == 43_252_003_274_489_856_000 // 24
    for _ in range(10):
        state, alg = bandaged.parse(""), list[str]()
        for _ in range(12):
            move = rng.choice("URFDLB") + rng.choice(["", "2", "'"])
            try:
                state = state.apply(move)
            except InvalidMoveError:
                assert is_torn(" ".join(alg), move[0])
                continue
            assert not is_torn(" ".join(alg), move[0])
            alg.append(move)
        whole = RubikCube.from_alg(" ".join(alg)).facelets
        homes = [int(word) - 1 for word in str(state).split(";")[0].split()]
        assert "".join("URFDLB"[home // 9] for home in homes) == whole


def is_torn(alg: str, face: str) -> bool:
    """Whether a turn of a face after an alg would separate the corner UFR from the edge UR."""
    puzzle = cubesolve.puzzle("rubik")
    definition = puzzle.rules.view.definition  # type: ignore[attr-defined]
    place = definition.apply(bytes(range(54)), definition.parse(alg)) if alg else bytes(range(54))
    turned = definition.apply(place, definition.parse(face))
    moved = [place.index(sticker) != turned.index(sticker) for sticker in (8, 5)]
    return len(set(moved)) > 1


def applied(definition: Definition, alg: str) -> Arrangement | int:
    """Return the state after an alg, or the position of a move that is not possible."""
    try:
        return definition.apply(definition.solved[0], definition.parse(alg), alg)
    except InvalidMoveError as error:
        return error.position


def test_blocks_turn_with_the_puzzle() -> None:
    """A rotation leads from one position of a block to another; a centre that turns in its place is turned."""
    text = """
Set DISKS 4 1
Set MIDDLE 1 4
Solved
MIDDLE
1
?
End
Move A
DISKS
2 3 4 1
MIDDLE
1
1
End
Move x
DISKS
3 4 1 2
MIDDLE
1
2
End
Move C
DISKS
2 1 3 4
End
Block
DISKS
1
MIDDLE
1
End
"""
    definition = parse_tws(text, "disks")
    blocked = {alg: isinstance(applied(definition, alg), int) for alg in ("C", "A C", "A2 C", "A' C", "x C", "x A C")}
    assert blocked == {"C": True, "A C": False, "A2 C": False, "A' C": True, "x C": False, "x A C": True}


@pytest.mark.parametrize(("name", "shapes"), [("square1", 3678), ("bandaged", 24), ("glued-ring", 2)])
def test_shapes_are_counted_first(name: str, shapes: int) -> None:
    rules = cubesolve.puzzle(str(DOCS / f"{name}.tws")).rules
    definition = rules.definition  # type: ignore[attr-defined]
    found = reach(definition.solved[0], definition.moves(), definition.illegal)
    assert len(found.ways) == shapes
    state = found.random_state(random.Random(1))
    assert definition.is_legal(state)
    assert found.may_have(state)
