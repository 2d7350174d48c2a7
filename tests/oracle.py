"""An independent pocket cube: moves as cycles of stickers, and a dictionary search."""

from __future__ import annotations

from tests.distances import distances

NAMES = [face + number for face in "URFDLB" for number in "1234"]
SOLVED = "".join(name[0] for name in NAMES)

# Where each sticker goes when a face is turned clockwise, read off a real cube.
CYCLES = {
    "U": "U1>U2>U4>U3 F1>L1>B1>R1 F2>L2>B2>R2",
    "R": "R1>R2>R4>R3 F2>U2>B3>D2 F4>U4>B1>D4",
    "F": "F1>F2>F4>F3 U3>R1>D2>L4 U4>R3>D1>L2",
    "D": "D1>D2>D4>D3 F3>R3>B3>L3 F4>R4>B4>L4",
    "L": "L1>L2>L4>L3 U1>F1>D1>B4 U3>F3>D3>B2",
    "B": "B1>B2>B4>B3 U1>L3>D4>R2 U2>L1>D3>R4",
}


def turn(facelets: str, move: str) -> str:
    """One move in WCA notation, without rotations."""
    for _ in range({"": 1, "2": 2, "'": 3}[move[1:]]):
        facelets = cycled(facelets, NAMES, CYCLES[move[0]])
    return facelets


def cycled(facelets: str, names: list[str], cycles: str) -> str:
    """Move every sticker to the next place of its cycle."""
    result = list(facelets)
    for cycle in cycles.split():
        places = [names.index(name) for name in cycle.split(">")]
        for here, there in zip(places, places[1:] + places[:1], strict=True):
            result[there] = facelets[here]
    return "".join(result)


def apply(facelets: str, alg: str) -> str:
    for move in alg.split():
        facelets = turn(facelets, move)
    return facelets


def ball(moves: list[str], radius: int) -> dict[str, int]:
    """The states within `radius` moves of solved, and their depths."""
    return distances([SOLVED], lambda state: (turn(state, move) for move in moves), radius)


def is_solved(facelets: str) -> bool:
    return all(len(set(facelets[i : i + 4])) == 1 for i in range(0, 24, 4))
