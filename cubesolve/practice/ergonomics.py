"""The cost of an alg for the hands that turn it: a table of moves and grips.

The model is simple. Each move has a cost. Moves of a face that a hand holds also turn its wrist by quarter turns, a
half turn either way. A wrist stays within its range; where the next move would leave it, the hand takes another grip,
which costs something and can begin at any position of the range. The cost of an alg is the least over all ways to grip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_DIGITS = 6  # of a cost

ANY = "*"
"""The name of all moves that a table does not name."""


class Hands(NamedTuple):
    """A table of costs.

    Attributes:
        moves: the cost of each move by name; of all others, that of ``*``.
        wrists: for the letters of moves, the hand that turns them, and the quarter turns of its wrist for one of the
            face, 1 or -1.
        least: the least position of a wrist, in quarter turns from the usual grip.
        most: the largest position.
        regrip: the cost of another grip.

    >>> hands = Hands({"U": 1, "R": 1, "*": 2}, {"R": ("right", 1)}, -1, 1, 5)
    >>> hands.cost(["R", "U", "R'", "F"]), hands.cost(["R", "R", "R"])
    (6, 8)
    """

    moves: Mapping[str, float]
    wrists: Mapping[str, tuple[str, int]]
    least: int
    most: int
    regrip: float

    def cost(self, moves: Sequence[str]) -> float:
        """Return the cost of an alg, given its moves by name."""
        hands = {hand for hand, _ in self.wrists.values()}
        turned = sum(self.moves.get(move, self.moves[ANY]) for move in moves)
        return round(turned + sum(self.regrip * self._regrips(hand, moves) for hand in sorted(hands)), _DIGITS)

    def _regrips(self, hand: str, moves: Sequence[str]) -> int:
        places = range(self.least, self.most + 1)
        least = {place: 0 if place == 0 else math.inf for place in places}
        for move in moves:
            which, turn = self.wrists.get(move.rstrip("2'"), ("", 0))
            if which != hand:
                continue
            best = min(least.values()) + 1
            turns = (2, -2) if move.endswith("2") else (-turn,) if move.endswith("'") else (turn,)
            here = {place: min(number, best) for place, number in least.items()}
            least = {place: min(here.get(place - turn, math.inf) for turn in turns) for place in places}
        return int(min(least.values()))


def _costs(text: str) -> dict[str, float]:
    return {name: float(cost) for name, _, cost in (pair.partition("=") for pair in text.split())}


USUAL = Hands(
    _costs(
        "U=1 U'=1 U2=1.3 R=1 R'=1 R2=1.4 L=1.1 L'=1.1 L2=1.5 F=1.4 F'=1.4 F2=2 D=1.3 D'=1.3 D2=1.7 B=2.4 B'=2.4 B2=3 "
        "Rw=1.1 Rw'=1.1 Rw2=1.6 Lw=1.2 Lw'=1.2 Lw2=1.7 Fw=1.6 Fw'=1.6 Fw2=2.2 Uw=1.3 Uw'=1.3 Uw2=1.6 "
        "M=1.5 M'=1.2 M2=1.6 *=2.5"
    ),
    {"R": ("right", 1), "Rw": ("right", 1), "L": ("left", -1), "Lw": ("left", -1)},
    least=-1,
    most=2,
    regrip=1.5,
)
"""The table for cubes that is taken without another: two hands that hold the sides R and L."""
