"""Blocks of pieces that are glued together, so a move that turns only a part of one is blocked (pure Python)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import Permutation, arrangement, inverse
from cubesolve.runtime.deadline import check

_Position = tuple[int, ...]


def glued(definition: Definition, block: Sequence[int], name: str, most: int) -> Definition:
    """Return a definition in which some pieces stay together: a move turns all of them, or none.

    It has one more orbit, with a piece for the block. The places are the positions of the block, and those where it
    would be torn, where the piece is illegal.

    Raises:
        ValueError: there are too many, or a move can tear the block and lead to one of its positions.

    >>> ring = Definition("ring", (Orbit("BEADS", 4),), (bytes(range(4)),), {"A": (Effect(b"\\1\\0\\2\\3"),)})
    >>> torn = glued(ring, [1, 2], "BLOCK", 9)
    >>> [(orbit.name, orbit.points) for orbit in torn.orbits], sorted(torn.illegal)
    ([('BEADS', 4), ('BLOCK', 2)], [(5, 4)])
    """
    moves = [inverse(effects[0].sources) for effects in definition.generators.values()]
    rotations = [inverse(change) for change in definition.rotations.values()]
    start = tuple(block)
    whole = _reached([start], [*((move, True) for move in moves), *((turn, False) for turn in rotations)], most)
    partial = (_cycle(each, move)[1:] for each in whole for move in moves if not _is_whole(each, move))
    torn = _reached(itertools.chain.from_iterable(partial), [(turn, False) for turn in rotations], most - len(whole))
    if not set(whole).isdisjoint(torn):
        raise ValueError("a turn of a part of it can lead where a turn of all of it leads")
    numbers = {position: number for number, position in enumerate([*whole, *torn])}
    points, first = len(numbers), definition.points

    def extended(change: Permutation) -> Permutation:
        forward = inverse(change)
        kept = [numbers.keys() >= {*_cycle(position, forward)} for position in numbers]  # others do not matter
        there = [
            numbers[_after(each, forward)] if is_kept else numbers[each]
            for each, is_kept in zip(numbers, kept, strict=True)
        ]
        return arrangement([*change, *(first + source for source in inverse(arrangement(there)))])

    others = [first + 1] * (points - 1)
    return definition._replace(
        orbits=(*definition.orbits, Orbit(name, points)),
        solved=tuple(arrangement([*state, first, *others]) for state in definition.solved),
        generators={each: (Effect(extended(effects[0].sources)),) for each, effects in definition.generators.items()},
        rotations={each: extended(change) for each, change in definition.rotations.items()},
        illegal=definition.illegal | {(first + numbers[position], first) for position in torn},
    )


def _after(position: _Position, forward: Permutation) -> _Position:
    return tuple(forward[point] for point in position)


def _is_whole(position: _Position, forward: Permutation) -> bool:
    """Return whether a move turns all pieces of a position, or none."""
    return len({forward[point] == point for point in position}) == 1


def _reached(starts: Iterable[_Position], changes: Sequence[tuple[Permutation, bool]], most: int) -> list[_Position]:
    """Return the positions that changes lead to; some of these only if they turn all pieces or none.

    Raises:
        ValueError: there are too many.
    """
    found, reached = set[_Position](), list[_Position]()

    def add(position: _Position) -> None:
        check()
        if position not in found:
            found.add(position)
            reached.append(position)
        if len(reached) > most:
            raise ValueError(f"it has more than {most:,} positions")

    for position in starts:
        add(position)
    for position in reached:
        for forward, keeps in changes:
            if not keeps or _is_whole(position, forward):
                add(_after(position, forward))
    return reached


def _cycle(position: _Position, forward: Permutation) -> list[_Position]:
    """Return a position, and those after a move and its powers."""
    there = itertools.accumulate(itertools.repeat(forward), _after, initial=position)
    return [next(there), *itertools.takewhile(lambda each: each != position, there)]
