"""Puzzles that ship, compared with a dictionary search over independent descriptions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from cubesolve import puzzle
from tests import rubik_oracle
from tests.distances import distances
from tests.matrix_oracle import closure
from tests.subsets import only

Cells = tuple[int, ...]


class Described(NamedTuple):
    """A puzzle: what its moves do, None where they are not possible, and the normal form of a state up to rotation."""

    solved: Cells
    moves: Mapping[str, Callable[[Cells], Cells | None]]
    home: Callable[[Cells], Cells] = tuple

    def depths(self, most: int = 1 << 30) -> dict[Cells, int]:
        """Return the states up to rotation with their depths."""

        def around(state: Cells) -> list[Cells]:
            return [self.home(after) for move in self.moves.values() if (after := move(state)) is not None]

        return distances([self.home(self.solved)], around, most)

    def walk(self, rng: random.Random, length: int) -> tuple[str, Cells]:
        """Return an alg of possible moves, and the state that it leads to."""
        state, alg = self.solved, list[str]()
        while len(alg) < length:
            name = rng.choice([*self.moves])
            if (after := self.moves[name](state)) is not None:
                state = after
                alg.append(name)
        return " ".join(alg), state


def _moved(sources: Any) -> Callable[[Cells], Cells]:
    return lambda state: tuple(state[source] for source in sources)


def _pancakes(number: int) -> Described:
    def flip(upper: int) -> Any:
        return lambda stack: stack[:upper][::-1] + stack[upper:]

    return Described(tuple(range(number)), {f"f{upper}": flip(upper) for upper in range(2, number + 1)})


def _topspin(disks: int, room: int) -> Described:
    def turn(first: int) -> Any:
        def move(ring: tuple[int, ...]) -> tuple[int, ...]:
            along = ring[first:] + ring[:first]
            turned = along[:room][::-1] + along[room:]
            return turned[disks - first :] + turned[: disks - first]

        return move

    return Described(
        tuple(range(disks)),
        {f"T{first + 1}": turn(first) for first in range(disks)},
        lambda ring: ring[ring.index(0) :] + ring[: ring.index(0)],
    )


def _tiles(rows: int, columns: int) -> Described:
    """A letter is the direction in which a tile moves into the gap."""

    def slide(down: int, right: int) -> Any:
        def move(tray: tuple[int, ...]) -> tuple[int, ...] | None:
            gap = tray.index(0)
            row, column = gap // columns - down, gap % columns - right
            if not (0 <= row < rows and 0 <= column < columns):
                return None
            cells, other = list(tray), row * columns + column
            cells[gap], cells[other] = cells[other], cells[gap]
            return tuple(cells)

        return move

    directions = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
    return Described((*range(1, rows * columns), 0), {name: slide(*there) for name, there in directions.items()})


def _tower() -> Described:
    """The corners and the middle edges of a 3x3x3, which quarter turns of the whole, but not U and D, exchange."""
    names = rubik_oracle.NAMES
    numbered = "".join(map(chr, range(len(names))))

    def turn(alg: str) -> Cells:
        return tuple(map(ord, rubik_oracle.apply(numbered, alg)))

    moves = {move: _moved(turn(move)) for move in ("U", "U2", "U'", "D", "D2", "D'", "R2", "L2", "F2", "B2")}
    held = closure(len(names), [turn("y"), turn("x2")])
    seen = (
        number if name[1] in "1379" or (name[0] in "FRBL" and name[1] in "46") else -1
        for number, name in enumerate(names)
    )
    return Described(tuple(seen), moves, lambda state: min(_moved(turn)(state) for turn in held))


ANEW = {
    "pancake-7": (_pancakes(7), 99),
    "topspin-8-4": (_topspin(8, 4), 99),
    "tiles-2x3": (_tiles(2, 3), 99),
    "tower": (_tower(), 6),
}
"""The descriptions, and the depths up to which all states are listed."""


@pytest.mark.parametrize("name", only(ANEW.keys() - {"tower"}, ANEW))
def test_puzzles_described_anew(name: str) -> None:
    (described, most), asked, rng = ANEW[name], puzzle(name), random.Random(7)
    assert set(described.moves) >= set(asked.moves)
    depths = described.depths(most)
    assert [*Counter(depths.values()).values()] == list(asked.distribution()[: most + 1])
    for length in (*range(9), *range(3, 9), 40, 40):
        alg, state = described.walk(rng, length)
        solution = asked.solve(alg)
        assert len(solution.split()) == asked.depth(alg) == depths.get(described.home(state), asked.depth(alg))
        end: Any = state
        for move in solution.split():
            end = described.moves[move](end)
        assert described.home(end) == described.home(described.solved)


def test_texts_are_what_lies_where() -> None:
    """States of puzzles whose pieces have no orientation, written by this test alone."""
    for name, first in (("pancake-7", 1), ("topspin-8-4", 1), ("tiles-2x3", 0)):
        depths, asked = ANEW[name][0].depths(9), puzzle(name)
        for state in random.Random(3).sample(list(depths), 30):
            assert asked.depth(" ".join(str(each + first) for each in state)) == depths[state]
