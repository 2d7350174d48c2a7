"""Numbers of states: published ones, and plain enumeration where moves can be blocked."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.definition.formats import parse_cycles, parse_tws
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.solvers.defined_arrays import may_have
from cubesolve.spaces.defined import DerivedRules
from tests.distances import distances
from tests.subsets import later


def _rules(text: str) -> DerivedRules:
    return DerivedRules(PieceView(parse_tws(text, "test")))


# -- Helicopter cube ---------------------------------------------------------------------------------------------------

Vector = tuple[int, ...]
_Sticker = tuple[str, Vector, int]


def _cycles(turned: Callable[[_Sticker], _Sticker], stickers: list[_Sticker]) -> str:
    found, left = "", dict.fromkeys(stickers)
    while left:
        here = next(iter(left))
        cycle = []
        while here in left:
            del left[here]
            cycle.append(str(1 + stickers.index(here)))
            here = turned(here)
        found += f"({','.join(cycle)})" if len(cycle) > 1 else ""
    return found


def _helicopter(rotations: Iterable[str] = ()) -> str:
    """Eight corners, and six times four petals that look alike; half turns around edges."""
    corners = list(itertools.product((1, -1), repeat=3))
    stickers = [(kind, corner, axis) for kind in ("corner", "petal") for corner in corners for axis in range(3)]

    def half_turn(i: int, j: int, a: int, b: int) -> Callable[[_Sticker], _Sticker]:
        def turned(sticker: _Sticker) -> _Sticker:
            kind, corner, axis = sticker
            if (corner[i], corner[j]) != (a, b) or (kind == "petal" and axis not in (i, j)):
                return sticker
            moved = list(corner)
            moved[3 - i - j] *= -1
            return kind, tuple(moved), {i: j, j: i}.get(axis, axis)

        return turned

    def quarter_turn(about: int) -> Callable[[_Sticker], _Sticker]:
        i, j = (about + 1) % 3, (about + 2) % 3

        def turned(sticker: _Sticker) -> _Sticker:
            kind, corner, axis = sticker
            moved = list(corner)
            moved[i], moved[j] = -corner[j], corner[i]
            return kind, tuple(moved), {i: j, j: i}.get(axis, axis)

        return turned

    moves = {
        f"M_{'ABC'[i + j - 1]}{number}": _cycles(half_turn(i, j, a, b), stickers)
        for i, j in ((0, 1), (0, 2), (1, 2))
        for number, (a, b) in enumerate(itertools.product((1, -1), repeat=2))
    }
    wholes = {f"M_{name}": _cycles(quarter_turn("RUF".index(name[0])), stickers) for name in rotations}
    colours = [(axis, side) for axis in range(3) for side in (1, -1)]
    same = [
        [
            number
            for number, (kind, corner, face) in enumerate(stickers, 1)
            if (kind, corner[axis], face) == ("petal", side, axis)
        ]
        for axis, side in colours
    ]
    lines = [f"{name}:={cycles};" for name, cycles in (moves | wholes).items()]
    return "\n".join([*lines, f"Gen:=[{','.join([*moves, *wholes])}];", f"ip:={same};"])


HELICOPTER = 493_694_233_804_800_000
"""Jaap Scherphuis, 'Helicopter Cube', jaapsch.net: 7! * 3^6 * 6!^4 / 2."""


@pytest.mark.parametrize(("rotations", "holdings"), [("", 24), ("Rv Uv", 1)])
def test_the_helicopter_cube_has_the_published_number_of_states(rotations: str, holdings: int) -> None:
    rules = DerivedRules(PieceView(parse_cycles(_helicopter(rotations.split()), "helicopter")))
    assert rules.number_of_states == HELICOPTER * holdings
    assert rules.order == HELICOPTER * 24


# -- Enumeration -------------------------------------------------------------------------------------------------------


def _enumerated(rules: DerivedRules) -> set[Arrangement]:
    graph = rules.graph()

    def around(state: Arrangement) -> Iterator[Arrangement]:
        images = (graph.moved(state, turn) for turn in graph.definition_moves)
        return (image for image in images if image is not None)

    return set(distances([rules.definition.solved[0]], around))


BLOCKED = """
Set RING 8 1
Solved
RING
{ring}
End
Move A
RING
2 3 4 1 5 6 7 8
End
Move B
RING
1 2 3 5 6 7 8 4
End
Move C
RING
5 2 3 4 1 6 7 8
End
"""


@pytest.mark.parametrize("ring", [later("1 2 3 4 5 6 7 8"), "1 2 3 4 5 5 5 8", "1 1 2 2 3 3 4 4"])
@pytest.mark.parametrize("illegal", ["2 4", "5 1\nIllegal RING 3 4", "5 1 2\nIllegal RING 6 4\nIllegal RING 8 1"])
def test_blocked_moves_are_counted_as_enumeration_does(ring: str, illegal: str) -> None:
    rules = _rules(BLOCKED.format(ring=ring) + f"Illegal RING {illegal}\n")
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
    "name", ["tiles-2x3", "skewb", "pyraminx-tips", "docs/rings.tws", later("4x4x4"), later("fto")]
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
