"""Many 3x3x3 cubes: reading them, and the depths of similar ones."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.definition.notation import FACES, metric_moves
from cubesolve.errors import InvalidStateError
from cubesolve.runtime.deadline import current
from cubesolve.solvers.faults import InvalidState, read_each

if TYPE_CHECKING:
    from cubesolve.catalog.rubik import RubikRules
    from cubesolve.catalog.rubik.optimal import OptimalSolver

_SYMBOLS = 0x20000  # the first of a range of characters that stand for numbers


def read_batch(rules: RubikRules, batch: object, invalid: str) -> list[RubikCube | InvalidState]:
    """Return the cubes of a batch, with an error in the place of each invalid one."""
    return read_each(_listed(batch), rules.view.read, invalid)


def _listed(batch: Any) -> list[object]:
    """Yield the states of a batch one by one; numbers as colours become symbols."""
    kind = getattr(getattr(batch, "dtype", None), "kind", "O")
    if isinstance(batch, type | str | bytes) or not hasattr(batch, "__iter__") or getattr(batch, "shape", None) == ():
        raise InvalidStateError(f"cubes must be a list or an array, not of the type {type(batch).__name__}", "type")
    states = list(batch.reshape(len(batch), math.prod(batch.shape[1:])).tolist()) if kind in "iu" else list(batch)
    if kind not in "iu":
        return [state.decode("latin-1") if isinstance(state, bytes) else state for state in states]
    return ["".join(str(n) if 0 <= n < 10 else chr(_SYMBOLS + n % 0x10000) for n in facelets) for facelets in states]


# -- Depths of cubes that differ little, such as those of the last layer -----------------------------------------------


def classes_of(cubes: Sequence[RubikCube]) -> list[tuple[RubikCube, int]]:
    """Return a cube of each class under symmetries and inversion, and how many of some cubes at home the class has.

    A class that a move leads to from the class before comes next, if there is one.
    """
    left = {cube.facelets: cube for cube in cubes}
    classes, beside = list[tuple[RubikCube, int]](), list[RubikCube]()
    while left:
        cube = beside.pop() if beside else next(iter(left.values()))
        if cube.facelets in left:
            alike = _images(cube) & left.keys()
            classes.append((cube, len(alike)))
            for image in alike:
                del left[image]
            beside += [left[turned.facelets] for turned in _after_moves(cube, "htm") if turned.facelets in left]
    return classes


def depths_of(cubes: Sequence[RubikCube], solver: OptimalSolver) -> list[int]:
    """Return the depth of each cube.

    All cubes are searched with one length before the next. A cube that has no solution of a length, and that a move
    takes to a cube that has one, has the next length as its depth, without another search.
    """
    number_of = {image: number for number, cube in enumerate(cubes) for image in _images(cube)}
    beside = list[set[int | None]]()
    for cube in cubes:
        near = itertools.chain.from_iterable(_after_moves(form, solver.metric) for form in (cube, cube.inverse()))
        beside.append({number_of.get(turned.facelets) for turned in near})
    searches = [solver.deepening(cube.cubies) for cube in cubes]
    lengths = [search.lengths(0) for search in searches]
    depths, length, by_length = dict[int, int](), 0, defaultdict[int, set[int | None]](set)
    while len(depths) < len(cubes):
        for number, search in enumerate(searches):
            if number in depths or length not in lengths[number]:
                continue
            if by_length[length - 1] & beside[number] or search.algs(length, current()):
                by_length[length].add(number)
                depths[number] = length
        length += 1
    return [depths[number] for number in range(len(cubes))]


def _images(cube: RubikCube) -> set[str]:
    return {image for form in (cube, cube.inverse()) for image in form.symmetric_facelets()}


def _after_moves(cube: RubikCube, metric: str) -> Iterator[RubikCube]:
    return (cube.apply(str(move)) for move in metric_moves(metric, FACES))
