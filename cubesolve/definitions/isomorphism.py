"""Puzzles that are the same under other names, found by comparing their moves (pure Python).

Moves correspond if they have the same cycles, and if the products of two of them have. A correspondence of the moves
leaves few choices for that of the points: that of one point decides about all others that moves take it to. So moves
are chosen one after the other, as long as points can correspond.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from cubesolve.deadline import check
from cubesolve.definitions.definition import Move, is_plain
from cubesolve.permutations import Arrangement, Permutation, after, arrangement, cycles, orbits, order, power

_MOST_CHOICES = 200  # correspondences of moves that are tried; mostly the first one will do

_Shape = frozenset[tuple[tuple[int, int], ...]]


class Isomorphism(NamedTuple):
    """How to look at the states of a puzzle as those of a known one.

    Attributes:
        points: the point of the puzzle for each point of the known one.
        labels: the labels of the known puzzle, by those of the puzzle, for each of these points.
        moves: for each move of the known puzzle, the names of moves that do the same here: one, or one several times if
            its power is no move.
    """

    points: tuple[int, ...]
    labels: tuple[Mapping[int, int], ...]
    moves: tuple[tuple[str, ...], ...]

    def of(self, state: Arrangement) -> Arrangement:
        """Return the state of the known puzzle.

        Raises:
            KeyError: a label is in an orbit that moves do not take it to.
        """
        return arrangement(labels[state[point]] for point, labels in zip(self.points, self.labels, strict=True))


def isomorphism(
    moves: Sequence[Move], solved: Arrangement, known_moves: Sequence[Move], known_solved: Arrangement
) -> Isomorphism | None:
    """Compare a puzzle with a known one; it must have all moves of that up to powers, and may have more.

    Several points of the known puzzle may show what one of the other shows, such as both stickers of an edge that never
    flips.

    Args:
        moves: the moves of the puzzle.
        solved: its solved state.
        known_moves: the moves of the known puzzle.
        known_solved: its solved state.

    Returns:
        None if the puzzles are different.

    >>> from cubesolve.catalog import rules_named
    >>> pocket = rules_named("pocket").view.definition
    >>> moves, solved = pocket.moves(), pocket.solved[0]
    >>> renamed = [move._replace(name=f"{number}") for number, move in enumerate(reversed(moves))]
    >>> found = isomorphism(renamed, solved, moves, solved)
    >>> found.of(solved) == solved
    True
    """
    if not all(is_plain(move.cases) for move in [*moves, *known_moves]):
        return None
    known, changes = ([move.cases[0].sources for move in each] for each in (known_moves, moves))
    if _looks(known, known_solved) != _looks(changes, solved):
        return None
    generators = _generators(known)
    for chosen in _corresponding(generators, changes):
        points = _points(generators, chosen, known_solved, solved)
        if points is not None:
            written = _powers(moves)
            words = [written.get(_seen(change, points, len(solved))) for change in known]
            found = tuple(word for word in words if word is not None)
            if len(found) == len(known):
                return Isomorphism(points, _labels(known, points, known_solved, solved), found)
    return None


def _powers(moves: Sequence[Move]) -> dict[Permutation, tuple[str, ...]]:
    """Return the fewest names of one move that make each power of one."""
    found = dict[Permutation, tuple[str, ...]]()
    for move in moves:
        change = move.cases[0].sources
        for exponent in range(1, order(change)):
            word = (move.name,) * exponent
            found[power(change, exponent)] = min(found.get(power(change, exponent), word), word, key=len)
    return found


def _generators(changes: Sequence[Permutation]) -> list[Permutation]:
    """Return those that are not powers of others before them."""
    found, seen = list[Permutation](), set[Permutation]()
    for change in changes:
        if change not in seen:
            found.append(change)
            seen.update(power(change, exponent) for exponent in range(1, order(change)))
    return found


def _seen(change: Permutation, points: Sequence[int], number: int) -> Permutation:
    """Return what a change of the known puzzle does to the points of the other one."""
    sources = list(range(number))
    for point, source in enumerate(change):
        if point != source:
            sources[points[point]] = points[source]
    return arrangement(sources)


def _moved(changes: Sequence[Permutation]) -> frozenset[int]:
    """Return the points that move."""
    return frozenset(point for change in changes for point, source in enumerate(change) if point != source)


def _looks(changes: Sequence[Permutation], solved: Arrangement) -> frozenset[tuple[int, ...]]:
    """Return how many labels of each orbit look alike; orbits alike count once."""
    together = (orbit for orbit in orbits(len(solved), changes) if len(orbit) > 1)
    return frozenset(tuple(sorted(Counter(solved[point] for point in orbit).values())) for orbit in together)


# -- Moves -------------------------------------------------------------------------------------------------------------


def _corresponding(known: Sequence[Permutation], changes: Sequence[Permutation]) -> Iterator[list[Permutation]]:
    """Yield changes, one for each known one, with the same cycles, also in products of two, and with points alike."""
    known_shapes, shapes = _Shapes(known), _Shapes(changes)
    alike = dict[_Shape, list[int]]()
    for number, change in enumerate(changes):
        alike.setdefault(shapes.of(change), []).append(number)
    candidates = [alike.get(known_shapes.of(change), []) for change in known]
    firsts = [orbit[0] for orbit in orbits(len(known[0]), known) if len(orbit) > 1]
    chosen, moved = list[int](), _moved(changes)
    left = _MOST_CHOICES

    def corresponds(number: int) -> bool:
        return number not in chosen and all(
            known_shapes.of_product(place, len(chosen)) == shapes.of_product(there, number)
            for place, there in enumerate(chosen)
        )

    def extended() -> Iterator[list[Permutation]]:
        nonlocal left
        check()
        there = [changes[number] for number in chosen]
        if not all(any(_orbit(known[: len(there)], there, first, point) for point in moved) for first in firsts):
            return
        if len(chosen) == len(known):
            left -= 1
            yield there
            return
        for number in candidates[len(chosen)]:
            if left and corresponds(number):
                chosen.append(number)
                yield from extended()
                chosen.pop()

    return extended() if all(candidates) else iter(())


class _Shapes:
    """The numbers of cycles of each length that permutations have in each orbit; orbits alike count once."""

    def __init__(self, changes: Sequence[Permutation]) -> None:
        self._changes, self._products = changes, dict[tuple[int, int], _Shape]()
        together = orbits(len(changes[0]), changes)
        self._orbit_of = {point: number for number, orbit in enumerate(together) for point in orbit}

    def of(self, change: Permutation) -> _Shape:
        found = dict[int, list[int]]()
        for cycle in cycles(change):
            found.setdefault(self._orbit_of[cycle[0]], []).append(len(cycle))
        return frozenset(tuple(sorted(Counter(lengths).items())) for lengths in found.values())

    def of_product(self, one: int, other: int) -> _Shape:
        if (one, other) not in self._products:
            self._products[one, other] = self.of(after(self._changes[one], self._changes[other]))
        return self._products[one, other]


# -- Points ------------------------------------------------------------------------------------------------------------


def _points(
    known: Sequence[Permutation], changes: Sequence[Permutation], known_solved: Arrangement, solved: Arrangement
) -> tuple[int, ...] | None:
    """Return the point for each known one, so that moves and labels correspond; None if there are none."""
    found = dict[int, int]()
    for orbit in orbits(len(known_solved), known):
        if len(orbit) == 1:  # it always looks the same
            found[orbit[0]] = 0
            continue
        for point in sorted(_moved(changes), key=set(found.values()).__contains__):  # those of other orbits first
            there = _orbit(known, changes, orbit[0], point)
            if there is not None and _are_alike({(known_solved[each], solved[other]) for each, other in there.items()}):
                found |= there
                break
        else:
            return None
    points = tuple(found[point] for point in range(len(known_solved)))
    return points if _moved(changes) <= {*points} else None


def _orbit(
    known: Sequence[Permutation], changes: Sequence[Permutation], point: int, there: int
) -> dict[int, int] | None:
    """Return the points for those of a known orbit, given that for one of them; None if moves contradict it."""
    found, waiting = {point: there}, [point]
    while waiting:
        here = waiting.pop()
        for one, other in zip(known, changes, strict=True):
            source, expected = one[here], other[found[here]]
            if source not in found:
                found[source] = expected
                waiting.append(source)
            elif found[source] != expected:
                return None
    return found


def _are_alike(pairs: set[tuple[int, int]]) -> bool:
    """Return whether each label corresponds to one other label."""
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


def _labels(
    known: Sequence[Permutation], points: Sequence[int], known_solved: Arrangement, solved: Arrangement
) -> tuple[Mapping[int, int], ...]:
    """Return the known labels by those of the puzzle, for each known point."""
    found = dict[int, Mapping[int, int]]()
    for orbit in orbits(len(known_solved), known):
        if len(orbit) == 1:
            there = dict.fromkeys(solved, known_solved[orbit[0]])
        else:
            there = {solved[points[point]]: known_solved[point] for point in orbit}
        found |= dict.fromkeys(orbit, there)
    return tuple(found[point] for point in range(len(known_solved)))
