"""Permutations that lead from one arrangement to another, where pieces look alike (pure Python)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from cubesolve.group.group import Group
from cubesolve.group.permutations import Arrangement, Permutation, after, arrangement
from cubesolve.group.pieces import IdenticalPieces, identical_pieces
from cubesolve.runtime.deadline import check

_TRIES = 100  # ways to name the pieces that look alike
_MOST_TRIES = 2_000  # ways to combine those of all kinds


def change_between(group: Group, before: Arrangement, now: Arrangement, source: random.Random) -> Permutation | None:
    """Return a permutation of pieces that makes one arrangement of another, if a member of a group does.

    It is a member itself; but where a group is full and many parities must be right, exchanges of pieces that look
    alike may be needed after it (`definitions.balance`).

    Pieces that look alike are named at random until the permutation is a member: mostly half of all names or a third
    are possible, because a parity or a twist must be right. Otherwise a member is searched for, first of what the group
    makes of the pieces of each kind.

    Returns:
        None if there is no member.

    Raises:
        TooLargeGroupError: it would take too long to find one.

    >>> group = Group(5, [bytes([1, 2, 3, 4, 0]), bytes([1, 2, 0, 3, 4])])
    >>> change = change_between(group, b"aabcd", b"bacad", random.Random(7))
    >>> change and after(b"aabcd", change), change_between(group, b"abcde", b"bacde", random.Random(7))
    (b'bacad', None)
    """
    if group.made(before, [now]) == [False]:
        return None
    there = {pieces.looks: pieces for pieces in identical_pieces(group.kinds, before)}
    here = list(identical_pieces(group.kinds, now))
    if any(pieces.looks not in there or len(there[pieces.looks].points) != len(pieces.points) for pieces in here):
        return None
    is_unique, found = len(set(before)) == len(before), None
    for _ in range(1 if is_unique else _TRIES):
        check()
        sources = list(range(len(before)))
        for pieces in here:
            _name(there[pieces.looks], pieces, sources, source)
        change = arrangement(sources)
        if after(before, change) == now:
            found = change
            if change in group:
                return change
    if group.is_full or is_unique:
        return found
    return (
        _between_parts(group, before, now, source)
        if len(group.kinds) > 1
        else group.member_between(before, now, source)
    )


def _between_parts(group: Group, before: Arrangement, now: Arrangement, source: random.Random) -> Permutation | None:
    """Return such a member: its effects on the pieces of each kind are chosen at random until all fit together."""
    index = math.prod(part.order for _, part in group.parts) // group.order
    for _ in range(min(_TRIES * index, _MOST_TRIES)):
        check()
        sources = list(range(len(before)))
        for here, part in group.parts:
            begin, end = (arrangement(each[point] for point in here) for each in (before, now))
            change = change_between(part, begin, end, source)
            if change is None:
                return None
            for point, origin in zip(here, change, strict=True):
                sources[point] = here[origin]
        if arrangement(sources) in group:
            return arrangement(sources)
    return group.member_between(before, now, source)


def _name(old: IdenticalPieces, new: IdenticalPieces, sources: list[int], source: random.Random) -> None:
    """Choose which of some identical pieces is which."""
    kind = new.kind
    for to, origin in zip(new.points, source.sample(old.points, len(old.points)), strict=True):
        turned: Sequence[int] = [origin] if old.turn is None else kind.turned(origin, old.turn)
        for a, b in zip(kind.along[to], kind.along[source.choice(turned)], strict=True):
            sources[a] = b
