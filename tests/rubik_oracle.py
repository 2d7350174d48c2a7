"""An independent 3x3x3: moves as cycles of stickers."""

from __future__ import annotations

from tests.oracle import cycled

NAMES = [face + number for face in "URFDLB" for number in "123456789"]
SOLVED = "".join(name[0] for name in NAMES)

# Where each sticker goes when a layer is turned clockwise, read off a real cube.
CYCLES = {
    "U": "U1>U3>U9>U7 U2>U6>U8>U4 F1>L1>B1>R1 F2>L2>B2>R2 F3>L3>B3>R3",
    "R": "R1>R3>R9>R7 R2>R6>R8>R4 F3>U3>B7>D3 F6>U6>B4>D6 F9>U9>B1>D9",
    "F": "F1>F3>F9>F7 F2>F6>F8>F4 U7>R1>D3>L9 U8>R4>D2>L6 U9>R7>D1>L3",
    "D": "D1>D3>D9>D7 D2>D6>D8>D4 F7>R7>B7>L7 F8>R8>B8>L8 F9>R9>B9>L9",
    "L": "L1>L3>L9>L7 L2>L6>L8>L4 U1>F1>D1>B9 U4>F4>D4>B6 U7>F7>D7>B3",
    "B": "B1>B3>B9>B7 B2>B6>B8>B4 U1>L7>D9>R3 U2>L4>D8>R6 U3>L1>D7>R9",
    "M": "U2>F2>D2>B8 U5>F5>D5>B5 U8>F8>D8>B2",
    "E": "F4>R4>B4>L4 F5>R5>B5>L5 F6>R6>B6>L6",
    "S": "U4>R2>D6>L8 U5>R5>D5>L5 U6>R8>D4>L2",
}

# Turns of several layers as turns of single ones.
LAYERS = {
    "x": ["R", "M'", "L'"],
    "y": ["U", "E'", "D'"],
    "z": ["F", "S", "B'"],
    "Uw": ["U", "E'"],
    "Rw": ["R", "M'"],
    "Fw": ["F", "S"],
    "Dw": ["D", "E"],
    "Lw": ["L", "M"],
    "Bw": ["B", "S'"],
}

FACE_TURNS = [face + suffix for face in "URFDLB" for suffix in ("", "2", "'")]
ANY_MOVE = [letter + suffix for letter in [*CYCLES, *LAYERS] for suffix in ("", "2", "'")]


def turn(facelets: str, move: str) -> str:
    """One move in WCA notation."""
    letter, turns = move.rstrip("2'"), {"": 1, "2": 2, "'": 3}[move.lstrip("URFDLBMESxyzw")]
    for _ in range(turns):
        for layer in LAYERS.get(letter, [letter]):
            for _ in range(3 if layer.endswith("'") else 1):
                facelets = cycled(facelets, NAMES, CYCLES[layer[0]])
    return facelets


def apply(facelets: str, alg: str) -> str:
    for move in alg.split():
        facelets = turn(facelets, move)
    return facelets


def is_solved(facelets: str) -> bool:
    return all(len(set(facelets[i : i + 9])) == 1 for i in range(0, 54, 9))
