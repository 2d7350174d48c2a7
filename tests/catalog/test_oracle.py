"""Puzzles that ship, compared with a dictionary search over independent descriptions."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from cubesolve import Puzzle
from tests.permutation_oracle import Oracle, least_of, moved, some
from tests.subsets import only


def _hold_against(oracle: Oracle, near: dict[Any, tuple[int, str]], puzzle: Puzzle) -> None:
    """Near states, and some that may be farther away than the search reached."""
    for depth, alg in some(near, 12):
        assert puzzle.depth(alg) == depth
    reach, rng = max(depth for depth, _ in near.values()), random.Random(7)
    for alg in [*(alg for _, alg in some(near, 12)), *(_walk(oracle, rng) for _ in range(5))]:
        state, solution = oracle.after(oracle.solved[0], alg), puzzle.solve(alg)
        assert oracle.is_solved(oracle.after(state, solution))
        depth, _ = near.get(oracle.home(state), (puzzle.depth(alg), ""))
        assert len(solution.split()) == depth
        assert depth >= reach or oracle.home(state) in near


def _walk(oracle: Oracle, rng: random.Random) -> str:
    state, alg = oracle.solved[0], []
    for _ in range(40):
        name = rng.choice(list(oracle.moves))
        after = oracle.moves[name](state)
        if after is not None:
            state = after
            alg.append(name)
    return " ".join(alg)


# -- Described anew ----------------------------------------------------------------------------------------------------


def _pancakes(number: int) -> Oracle:
    def flip(upper: int) -> Any:
        return lambda stack: stack[:upper][::-1] + stack[upper:]

    return Oracle([tuple(range(number))], {f"f{upper}": flip(upper) for upper in range(2, number + 1)})


def _topspin(disks: int, room: int) -> Oracle:
    def turn(first: int) -> Any:
        def move(ring: tuple[int, ...]) -> tuple[int, ...]:
            along = ring[first:] + ring[:first]
            turned = along[:room][::-1] + along[room:]
            return turned[disks - first :] + turned[: disks - first]

        return move

    return Oracle(
        [tuple(range(disks))],
        {f"T{first + 1}": turn(first) for first in range(disks)},
        lambda ring: ring[ring.index(0) :] + ring[: ring.index(0)],
    )


def _tiles(rows: int, columns: int) -> Oracle:
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
    return Oracle([(*range(1, rows * columns), 0)], {name: slide(*there) for name, there in directions.items()})


def _tower() -> Oracle:
    """Cubies at (x, y, z): right or left, high, middle or low, in front or behind.

    The middle ones are two stickers, on the side x or z, which only turning the whole tower exchanges.
    """
    corners = itertools.product((1, -1), (1, -1), (1, -1), "x")
    places = [*corners, *itertools.product((1, -1), (0,), (1, -1), "xz")]

    def made(turned: Any, taken: Any = bool) -> list[int]:
        """Return the places that cubies come from, for a turn of some of them."""
        goes = {place: turned(*place) if taken(place) else place for place in places}
        comes = {to: place for place, to in goes.items()}
        return [places.index(comes[place]) for place in places]

    def clockwise(x: int, y: int, z: int, side: str) -> tuple[int, int, int, str]:
        other = "z" if side == "x" else "x"
        return -z, y, x, other if y == 0 else side  # from above: what is in front comes to the left

    def half(axis: str) -> Any:
        return (lambda x, y, z, side: (x, -y, -z, side)) if axis == "x" else (lambda x, y, z, side: (-x, -y, z, side))

    moves: dict[str, Any] = {}
    for name, high in (("U", 1), ("D", -1)):
        once = made(clockwise, lambda place, high=high: place[1] == high)
        twice = [once[i] for i in once]
        thrice = [once[i] for i in twice]
        first, last = (once, thrice) if name == "U" else (thrice, once)  # clockwise from below is the other way round
        moves |= {name: moved(first), f"{name}2": moved(twice), f"{name}'": moved(last)}
    for name, axis, index, side in (("R2", "x", 0, 1), ("L2", "x", 0, -1), ("F2", "z", 2, 1), ("B2", "z", 2, -1)):
        moves[name] = moved(made(half(axis), lambda place, index=index, side=side: place[index] == side))
    home = least_of([made(clockwise), made(half("x"))], len(places))
    return Oracle([tuple(range(len(places)))], moves, home)


ANEW = {
    "pancake-7": _pancakes(7),
    "topspin-8-4": _topspin(8, 4),
    "topspin-9-4": _topspin(9, 4),
    "tiles-2x3": _tiles(2, 3),
    "tiles-2x4": _tiles(2, 4),
    "tiles-3x3": _tiles(3, 3),
    "tower": _tower(),
}


@pytest.mark.parametrize("name", only(ANEW.keys() - {"tiles-3x3", "topspin-9-4", "tower"}, ANEW))
def test_puzzles_described_anew(name: str, tables: Any) -> None:
    oracle, puzzle = ANEW[name], tables.puzzle(name)
    assert set(oracle.moves) >= set(puzzle.moves)
    near = oracle.levels()
    counts = oracle.counts(near)
    assert counts == list(puzzle.distribution()[: len(counts)])
    _hold_against(oracle, near, puzzle)


def test_texts_are_what_lies_where(tables: Any) -> None:
    """States of puzzles whose pieces have no orientation, written by this test alone."""
    for name, first in (("pancake-7", 1), ("topspin-8-4", 1), ("tiles-3x3", 0)):
        oracle, puzzle = ANEW[name], tables.puzzle(name)
        levels = oracle.levels(most=2000)
        for state in random.Random(3).sample(list(levels), 30):
            assert puzzle.depth(" ".join(str(each + first) for each in state)) == levels[state][0]
