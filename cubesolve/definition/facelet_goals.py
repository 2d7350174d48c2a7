"""Goals of cubes that are given by their facelets: patterns with don't-cares, and named steps (pure Python)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from cubesolve.definition.facelet_cube import Cube
from cubesolve.definition.facelet_view import ANYTHING, FaceletView
from cubesolve.definition.facelets import (
    cube_rotations,
    facelet_names,
    facelet_text,
    piece_facelets,
    position_name,
    shown,
)
from cubesolve.definition.goals import Allowed, NamedGoal, require_pattern, without_alternatives
from cubesolve.definition.notation import FACES
from cubesolve.definition.piece_goals import goal_of_kpuzzle, is_kpuzzle
from cubesolve.errors import InvalidStateError, did_you_mean, families, quoted


def goals_of(cube: FaceletView[Cube], given: str | Mapping[str, object]) -> list[Allowed]:
    """Return the goals that the name of a step, facelets with don't-cares, or a KPuzzle pattern stands for."""
    if is_kpuzzle(given):
        return [cube.on_facelets(goal_of_kpuzzle(cube.in_pieces(cube.definition), given))]
    assert isinstance(given, str)  # see `is_kpuzzle`
    named = cube.goals_named(given)
    if named:
        return named
    symbols, number = facelet_text(given, cube.size), 6 * cube.size**2
    if len(symbols) != number:
        near = f"{did_you_mean(given.strip(), cube.goals)} ".lstrip()
        steps = f", or one of {families(cube.goals)}" if cube.goals else ""
        raise InvalidStateError(
            f"{quoted(given)} is not a goal of the {cube.title}: {near}expected {number} facelets "
            f"with {ANYTHING} for don't-cares, a KPuzzle pattern{steps}",
            "length",
        )
    return [_of_facelets(cube, symbols)]


def pattern_of(cube: FaceletView[Cube], given: str | Mapping[str, object]) -> Allowed:
    """Return the goal that a pattern stands for: names of pieces, which are at home, or a goal without alternatives."""
    if isinstance(given, str):
        names = given.split()
        if names and set(names) <= set(cube.pieces):
            return cube.allowed(NamedGoal(given))
        if len(given.strip()) < len(facelet_names(cube.size)):
            require_pattern(given, cube.title, cube.pieces, cube.goals)
    return without_alternatives(goals_of(cube, given), str(given))


def _of_facelets(cube: FaceletView[Cube], symbols: str) -> Allowed:
    """Return the goal of facelets: on each facelet that is not ignored, the labels that show its colour at home."""
    if set(symbols) == {ANYTHING}:
        raise InvalidStateError(f"a goal of {ANYTHING} alone is fulfilled by every cube", "symbol")
    faces = _faces(cube, symbols)
    _require_few(cube, symbols)
    width = cube.size**2
    home = {symbol: frozenset(range(first, first + width)) for symbol, first in faces.items()}
    goal = {i: home[symbol] for i, symbol in enumerate(symbols) if symbol != ANYTHING}
    _require_pieces(cube, symbols, goal)
    return goal


def _faces(cube: FaceletView[Cube], symbols: str) -> dict[str, int]:
    """Return the first facelet of the face of each colour: its centre's face, or the face of its letter."""
    width, centre_of = cube.size**2, dict[str, int]()
    centres = [piece_facelets(cube.size, name)[0] for name in cube.pieces if len(name) == 1]
    for centre in centres:
        if symbols[centre] in centre_of:
            raise InvalidStateError(f"two centres show {shown(symbols[centre])}", "repeated")
        if symbols[centre] != ANYTHING:
            centre_of[symbols[centre]] = centre // width * width
    for number, face in enumerate(FACES):
        if face not in centre_of and number * width not in centre_of.values():
            centre_of[face] = number * width
    names = facelet_names(cube.size)
    for name, symbol in zip(names, symbols, strict=True):
        if symbol != ANYTHING and symbol not in centre_of:
            expected = "a face letter, or the colour of a centre" if centres else "a face letter"
            raise InvalidStateError(
                f"{shown(symbol)} at {name} is not a colour: expected {expected}", "symbol", facelets=[name]
            )
    return centre_of


def _require_few(cube: FaceletView[Cube], symbols: str) -> None:
    limit = cube.size**2
    for symbol, number in Counter(symbols.replace(ANYTHING, "")).items():
        if number > limit:
            names = [name for name, here in zip(facelet_names(cube.size), symbols, strict=True) if here == symbol]
            message = f"{shown(symbol)} occurs {number} times, and a cube has {limit} of each colour"
            raise InvalidStateError(message, "count", facelets=names)


def _require_pieces(cube: FaceletView[Cube], symbols: str, goal: Allowed) -> None:
    """Reject places in which no piece fits, and pairs of places in which only the same piece fits."""
    seen_at = dict[str, str]()
    for name in cube.pieces:
        here = piece_facelets(cube.size, name)
        fitting = {piece for piece, facelets in _places(cube, len(name)) if _fits(goal, here, facelets)}
        names = [facelet_names(cube.size)[i] for i in here]
        where = f"{position_name(cube.size, name)} shows {shown(symbols[i] for i in here)}"
        if not fitting:
            raise InvalidStateError(f"{where}, and no piece of a cube does", "piece", facelets=names)
        if len(fitting) == 1:
            [piece] = fitting
            if piece in seen_at:
                message = f"{where}, which only the piece {piece} does, as at {seen_at[piece]}"
                raise InvalidStateError(message, "repeated", facelets=names)
            seen_at[piece] = name


def _places(cube: FaceletView[Cube], sides: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield pieces with a number of sides, each with its facelets in every cyclic order."""
    for name in cube.pieces:
        if len(name) == sides:
            home = piece_facelets(cube.size, name)
            for turned in range(sides):
                yield name, home[turned:] + home[:turned]


def _fits(goal: Allowed, here: Sequence[int], facelets: Sequence[int]) -> bool:
    return all(label in goal[place] for place, label in zip(here, facelets, strict=True) if place in goal)


def on_every_face(steps: Mapping[str, tuple[NamedGoal, ...]]) -> dict[str, tuple[NamedGoal, ...]]:
    """Add goals about every face, by its letter, to goals about the face D.

    >>> sorted(on_every_face({"layer": (NamedGoal("DFR DLF DBL DRB"),)}))[:3]
    ['layer', 'layer-B', 'layer-D']
    """
    first = {scheme[FACES.index("D")]: scheme for scheme in reversed(cube_rotations())}
    goals_of = dict[str, tuple[NamedGoal, ...]]()
    for name, goals in steps.items():
        goals_of[name] = goals
        for face in FACES:
            renaming = str.maketrans(FACES, first[face])
            goals_of[f"{name}-{face}"] = tuple(goal._replace(pieces=goal.pieces.translate(renaming)) for goal in goals)
        goals_of[f"{name}-any"] = tuple(goal for face in FACES for goal in goals_of[f"{name}-{face}"])
    return goals_of
