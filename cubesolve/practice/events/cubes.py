"""Scrambles of cubes.

The forms are those of the World Cube Association: Regulations, 4b3, and the program TNoodle (thewca/tnoodle-lib).
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator, Sequence

from cubesolve import lookup
from cubesolve.definition.notation import FACES
from cubesolve.practice.events.event import RANDOM_MOVES, Event
from cubesolve.practice.events.moves import is_scrambled

_AXES = ("UD", "RL", "FB")
_LONGEST = 21  # moves of a scramble of the 3x3x3; one whose ends are chosen has two more
_PADDING = "R' U' F"  # around a scramble for fewest moves: it hides which edges are oriented


def _axis(move: str) -> str:
    """Return the axis of a move or rotation."""
    letter = move.lstrip("3")[0].upper()
    return next(axis for axis, faces in zip("YXZ", _AXES, strict=True) if letter in faces + axis)


def _orientations(up: str, side: str, front: str) -> list[str]:
    """Return the 24 ways to orient a cube, by moves about the axes of U, R and F."""
    firsts = ["", side, f"{side}2", f"{side}'", front, f"{front}'"]
    seconds = ["", up, f"{up}2", f"{up}'"]
    return [f"{first} {second}".strip() for first in firsts for second in seconds]


# -- 2x2x2 and 3x3x3: random states ------------------------------------------------------------------------------------


def _pocket(rng: random.Random, number: int) -> Iterator[str]:
    return lookup.puzzle("pocket").solver.scrambles(number, rng)


def _rubik(rng: random.Random, number: int) -> Iterator[str]:
    return lookup.puzzle("rubik").solver.scrambles(number, rng)


def _blindfolded(rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles that end with a random orientation."""
    orientations, others = _orientations("Uw", "Rw", "Fw"), random.Random(rng.getrandbits(64))
    for alg in _rubik(rng, number):
        ending = others.choice(orientations)
        yield f"{_fitting(alg, '', ending)} {ending}".strip()


def _fewest(rng: random.Random, number: int) -> Iterator[str]:
    for alg in _rubik(rng, number):
        yield f"{_PADDING} {_fitting(alg, _PADDING, _PADDING)} {_PADDING}"


def _fitting(alg: str, before: str, after: str) -> str:
    """Return an alg that leads to the same cube, and whose ends cancel with no move before or after it.

    If those of this one do, others are made from a first move, a last one, and a scramble between them.
    """
    if _is_joined(before, alg, after):
        return alg
    rubik = lookup.puzzle("rubik")
    view = rubik.rules.view
    for first, last in itertools.product(rubik.moves, repeat=2):
        if _is_joined(before, first) and _is_joined(last, after):
            between = rubik.parse(f"{view.invert(first)} {alg} {view.invert(last)}")
            made = view.invert(str(rubik.solve(between, max_length=_LONGEST)))
            if _is_joined(first, made, last):
                return f"{first} {made} {last}"
    return alg


def _is_joined(*algs: str) -> bool:
    """Return whether no two neighbouring algs end and begin with turns about the same axis."""
    moves = [alg.split() for alg in algs if alg]
    return all(_axis(one[-1]) != _axis(other[0]) for one, other in itertools.pairwise(moves))


# -- 4x4x4: random states ----------------------------------------------------------------------------------------------


def _revenge(ending: Sequence[str], rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles of the 4x4x4, each followed by one of some orientations."""
    others = random.Random(rng.getrandbits(64))
    for alg in lookup.puzzle("4x4x4").solver.scrambles(number, rng):
        yield f"{_on_one_side(alg)} {others.choice(ending)}".strip()


def _on_one_side(alg: str) -> str:
    """Return an alg whose wide moves turn U, R and F, and that leads to the same state of a 4x4x4 up to a rotation.

    A wide move is a rotation of the puzzle, followed by a wide move of the opposite face.

    >>> _on_one_side("Dw R Bw2 Uw Lw'")
    "Uw F Rw2 Uw Fw'"
    """
    faces, found = dict(zip(FACES, FACES, strict=True)), list[str]()
    for move in alg.split():
        name = faces[move[0]] + move[1:]
        if "w" in move and name[0] in FACES[3:]:
            face = FACES[FACES.index(name[0]) - 3]
            # The rotation is left out, so later moves turn the faces that it would bring to their places.
            for _ in range({"": 1, "2": 2, "'": 3}[name[2:]]):
                faces = {letter: _turned(faces[letter], face) for letter in faces}
            name = face + name[1:]
        found.append(name)
    return " ".join(found)


def _turned(letter: str, face: str) -> str:
    """Return the face at which a quarter turn of the whole cube about another, clockwise, puts a face."""
    around = {"U": "FLBR", "R": "FUBD", "F": "URDL"}[face]
    return around[(around.index(letter) + 1) % len(around)] if letter in around else letter


# -- Larger cubes: random moves ----------------------------------------------------------------------------------------


def _large(puzzle: str, length: int, orientations: Sequence[str], rng: random.Random, number: int) -> Iterator[str]:
    """Yield scrambles of random moves, followed by an orientation."""
    rules, moves = lookup.puzzle(puzzle).rules, _moves(int(puzzle[0]))
    while number:
        ending = rng.choice(orientations)
        alg = " ".join(_walk(moves, length, ending.split()[:1], rng))
        if is_scrambled(rules, alg):
            yield f"{alg} {ending}".strip()
            number -= 1


@functools.cache
def _moves(size: int) -> tuple[str, ...]:
    """Return the layers that a scramble turns: of the middle cut of an even cube only one side."""
    found = []
    for layers in range(1, size // 2 + 1):
        faces = FACES[:3] if 2 * layers == size else FACES
        found += [face if layers == 1 else f"{face}w" if layers == 2 else f"{layers}{face}w" for face in faces]
    return tuple(found)


def _walk(moves: Sequence[str], length: int, ending: Sequence[str], rng: random.Random) -> list[str]:
    """Return random moves, of which no two of the same layers are equal to one."""
    found, run = list[str](), list[str]()
    forbidden = {_axis(move) for move in ending}
    while len(found) < length:
        move = rng.choice(moves)
        along = run if run and _axis(move) == _axis(run[-1]) else []
        if move not in along and (len(found) < length - 1 or _axis(move) not in forbidden):
            run = [*along, move]
            found.append(move + rng.choice(("", "2", "'")))
    return found


def _larger(
    name: str, size: int, length: int, title: str = "", attempts: int = 5, ways: Sequence[str] = ("",)
) -> Event:
    puzzle = f"{size}x{size}x{size}"
    draw = functools.partial(_large, puzzle, length, ways)
    return Event(name, title or f"{puzzle} Cube", puzzle, attempts, draw, RANDOM_MOVES)


EVENTS = (
    Event("222", "2x2x2 Cube", "pocket", 5, _pocket),
    Event("333", "3x3x3 Cube", "rubik", 5, _rubik),
    Event("333oh", "3x3x3 One-Handed", "rubik", 5, _rubik),
    Event("333bf", "3x3x3 Blindfolded", "rubik", 5, _blindfolded),
    Event("333mbf", "3x3x3 Multi-Blind", "rubik", 3, _blindfolded),
    Event("333fm", "3x3x3 Fewest Moves", "rubik", 3, _fewest),
    Event("444", "4x4x4 Cube", "4x4x4", 5, functools.partial(_revenge, [""])),
    Event("444bf", "4x4x4 Blindfolded", "4x4x4", 5, functools.partial(_revenge, _orientations("y", "x", "z"))),
    _larger("555", 5, 60),
    _larger("555bf", 5, 60, "5x5x5 Blindfolded", 5, _orientations("3Uw", "3Rw", "3Fw")),
    _larger("666", 6, 80, attempts=3),
    _larger("777", 7, 100, attempts=3),
)
"""The events of cubes; the numbers of random moves are those of TNoodle."""
