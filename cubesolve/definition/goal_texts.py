"""Texts of goals: patterns of facelets or pieces with don't-cares, KPuzzle patterns, and named steps (pure Python)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.facelet_view import ANYTHING, FaceletView
from cubesolve.definition.facelets import (
    cube_rotations,
    facelet_names,
    facelet_text,
    piece_facelets,
    position_name,
    shown,
    turned,
)
from cubesolve.definition.goals import Allowed, NamedGoal, without_alternatives
from cubesolve.definition.notation import FACES
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.definition.texts import ORBITS_END, read_json
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidMoveError, InvalidStateError, did_you_mean, families, quoted

OR = "|"
"""The separator of alternative goals."""

_ANYTHING = frozenset({ANYTHING, "?"})
"""The text of a piece that is ignored."""

_ANY = (None, "any", *sorted(_ANYTHING))


def goals_of(view: DefinedView, given: str | Mapping[str, object]) -> list[Allowed]:
    """Return the goals that a text stands for, any of which will do: the name of a step, or a single goal."""
    named = view.goals_named(given) if isinstance(given, str) else []
    return named or [_goal_of(view, given)]


def pattern_of(view: DefinedView, given: str | Mapping[str, object]) -> Allowed:
    """Return the goal that a pattern stands for: names of pieces, which are at home, or a goal without alternatives."""
    if isinstance(given, str):
        are_facelets = isinstance(view, FaceletView)
        words = view.pieces if isinstance(view, FaceletView) else view.write(view.definition.solved[0]).split()
        pieces, names = [word for word in words if word != ORBITS_END], Counter(given.split())
        if not names and not are_facelets:
            raise InvalidStateError("a pattern must name some pieces", "symbol")
        if names and (names.keys() <= {*pieces} if are_facelets else names <= Counter(pieces)):  # some may be identical
            kept = " ".join(word if word in names or word == ORBITS_END else ANYTHING for word in words)
            return view.allowed(NamedGoal(given)) if are_facelets else _goal_of(view, kept)
        if not are_facelets or len(given.strip()) < view.definition.points:
            _require_named(view, given, pieces)
    return without_alternatives(goals_of(view, given), str(given))


def _require_named(view: DefinedView, text: str, pieces: Sequence[str]) -> None:
    """Reject a word that is neither a step nor the name of a piece."""
    if text.strip().isalpha() and text.strip() not in {*pieces, *view.goals}:
        near = f"{did_you_mean(text.strip(), view.goals)} ".lstrip()
        hint = f", one of {', '.join(view.goals)}" if view.goals else ""
        expected = f"expected names of pieces, as {' '.join(pieces[:2])}{hint}, or the solved state"
        message = f"{quoted(text)} is not a pattern of the {view.title}: {near}{expected} with * for other pieces"
        raise InvalidStateError(message, "symbol")


def _goal_of(view: DefinedView, given: str | Mapping[str, object]) -> Allowed:
    """Return the goal that a text or a pattern represents."""
    if isinstance(given, Mapping) or given.lstrip().startswith("{"):
        pattern = given if isinstance(given, Mapping) else read_json(given)
        if not isinstance(pattern, Mapping):
            raise InvalidStateError(f"{quoted(str(given))} is not a KPuzzle pattern", "type")
        return view.on_own_points(_of_kpuzzle(view.in_pieces(view.definition), pattern))
    if isinstance(view, FaceletView):
        return _of_facelets(view, given)
    assert isinstance(view, PieceView)  # all views with definitions are of these types
    return _of_pieces(view, given)


# -- Facelets ----------------------------------------------------------------------------------------------------------


def _of_facelets(cube: FaceletView[Any], given: str) -> Allowed:
    """Return the goal of facelets: on each facelet that is not ignored, the labels that show its colour at home."""
    symbols, number = facelet_text(given, cube.size), 6 * cube.size**2
    if len(symbols) != number:
        near = f"{did_you_mean(given.strip(), cube.goals)} ".lstrip()
        steps = f", or one of {families(cube.goals)}" if cube.goals else ""
        raise InvalidStateError(
            f"{quoted(given)} is not a goal of the {cube.title}: {near}expected {number} facelets "
            f"with {ANYTHING} for don't-cares, a KPuzzle pattern{steps}",
            "length",
        )
    if set(symbols) == {ANYTHING}:
        raise InvalidStateError(f"a goal of {ANYTHING} alone is fulfilled by every cube", "symbol")
    faces = _faces(cube, symbols)
    _require_few(cube, symbols)
    width = cube.size**2
    home = {symbol: frozenset(range(first, first + width)) for symbol, first in faces.items()}
    goal = {i: home[symbol] for i, symbol in enumerate(symbols) if symbol != ANYTHING}
    _require_pieces(cube, symbols, goal)
    return goal


def _faces(cube: FaceletView[Any], symbols: str) -> dict[str, int]:
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


def _require_few(cube: FaceletView[Any], symbols: str) -> None:
    limit = cube.size**2
    for symbol, number in Counter(symbols.replace(ANYTHING, "")).items():
        if number > limit:
            names = [name for name, here in zip(facelet_names(cube.size), symbols, strict=True) if here == symbol]
            message = f"{shown(symbol)} occurs {number} times, and a cube has {limit} of each colour"
            raise InvalidStateError(message, "count", facelets=names)


def _require_pieces(cube: FaceletView[Any], symbols: str, goal: Allowed) -> None:
    """Reject places in which no piece fits, and pairs of places in which only the same piece fits."""
    seen_at = dict[str, str]()
    for name in cube.pieces:
        here = piece_facelets(cube.size, name)
        pieces = [piece for piece in cube.pieces if len(piece) == len(name)]
        fitting = {
            piece for piece in pieces for home in turned(piece_facelets(cube.size, piece)) if _fits(goal, here, home)
        }
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


def _fits(goal: Allowed, here: Sequence[int], facelets: Sequence[int]) -> bool:
    return all(label in goal[place] for place, label in zip(here, facelets, strict=True) if place in goal)


def on_every_face(steps: Mapping[str, tuple[NamedGoal, ...]]) -> dict[str, tuple[NamedGoal, ...]]:
    """Add goals about every face, by its letter, to goals about the face D."""
    first = {scheme[FACES.index("D")]: scheme for scheme in reversed(cube_rotations())}
    goals_of = dict[str, tuple[NamedGoal, ...]]()
    for name, goals in steps.items():
        goals_of[name] = goals
        for face in FACES:
            renaming = str.maketrans(FACES, first[face])
            goals_of[f"{name}-{face}"] = tuple(goal._replace(pieces=goal.pieces.translate(renaming)) for goal in goals)
        goals_of[f"{name}-any"] = tuple(goal for face in FACES for goal in goals_of[f"{name}-{face}"])
    return goals_of


# -- Pieces ------------------------------------------------------------------------------------------------------------


def _of_pieces(view: PieceView, given: str) -> Allowed:
    """Return the goal of pieces, or of an alg."""
    if any(mark in given for mark in _ANYTHING):
        return _restricting(_pointwise(view.texts.choices(given, _ANYTHING), view.definition))
    return {point: frozenset({label}) for point, label in enumerate(_read(view, given).arrangement)}


def _read(view: PieceView, text: str) -> State:
    try:
        return view.read(text)
    except (InvalidMoveError, InvalidStateError) as error:
        is_alg = isinstance(error, InvalidMoveError) and text[: error.position].strip()  # it begins like one
        if is_alg or (isinstance(error, InvalidStateError) and not text.strip().isalpha()):
            raise
        expected = "its pieces with * for don't-cares, a KPuzzle pattern, or an alg"
        near = f"{did_you_mean(text.strip(), view.goals)} ".lstrip()
        named = f": {near}expected {families(view.goals)}, or" if view.goals else ", which has no named steps: expected"
        message = f"{quoted(text)} is not a goal of the {view.title}{named} {expected}"
        raise InvalidStateError(message, "symbol") from None


def _pointwise(choices: Iterable[Sequence[tuple[int, ...]]], definition: Definition) -> Allowed:
    """Return the labels allowed on each point, given those allowed in each place; unrestricted orbits are left out."""
    goal, remaining = dict[int, frozenset[int]](), iter(choices)
    for _, places in definition.places:
        everything = frozenset(definition.solved[0][point] for place in places for point in place)
        for place in places:
            allowed = zip(place, map(frozenset, zip(*next(remaining), strict=True)), strict=True)
            goal |= {point: labels for point, labels in allowed if labels != everything}
    return goal


# -- KPuzzle patterns --------------------------------------------------------------------------------------------------


def _of_kpuzzle(definition: Definition, pattern: Mapping[str, Any]) -> Allowed:
    """Return the goal that a KPuzzle pattern represents; missing orbits are ignored."""
    goal, names = dict[int, frozenset[int]](), [orbit.name for orbit in definition.orbits]
    for name in pattern.keys() - names:
        raise InvalidStateError(f"{quoted(str(name))} is not one of {', '.join(names)}", "symbol")
    for orbit, places in definition.places:
        if orbit.name in pattern:
            homes = [definition.solved[0][place.start : place.stop] for place in places]
            for place, allowed in zip(places, _places(orbit, pattern[orbit.name], homes, places[0].start), strict=True):
                goal |= dict(zip(place, allowed, strict=False))  # none if any labels are allowed
    return _restricting(goal)


def _restricting(goal: Allowed) -> Allowed:
    if not goal:
        raise InvalidStateError("a goal without restrictions is fulfilled by every state", "symbol")
    return goal


def _places(orbit: Orbit, given: object, homes: Sequence[Sequence[int]], first: int) -> Iterable[list[frozenset[int]]]:
    """Return, for each place of an orbit, the labels allowed on its points; empty where any are allowed."""
    if not isinstance(given, Mapping) or not {"pieces"} <= given.keys() <= {"pieces", "orientation", "orientationMod"}:
        raise InvalidStateError(f"{orbit.name} must have pieces, and may have orientation and orientationMod")
    pieces = _numbers(orbit, "pieces", given["pieces"], orbit.pieces)
    usual = [None if piece is None else 0 for piece in pieces]
    turned = _numbers(orbit, "orientation", given.get("orientation", usual), orbit.orientations)
    moduli = _numbers(orbit, "orientationMod", given.get("orientationMod", [0] * orbit.pieces), orbit.orientations + 1)
    counts, numbers = Counter(pieces), [(min(labels) - first) // orbit.orientations for labels in homes]
    lying = [labels.index(min(labels)) if "orientation" in given else 0 for labels in homes]
    for number, turns, modulus in zip(pieces, turned, moduli, strict=True):
        if modulus and orbit.orientations % modulus:
            reason = f"{modulus} does not divide the {orbit.orientations} orientations"
            raise InvalidStateError(f"{orbit.name}.orientationMod: {reason}")
        among = [place for place, other in enumerate(numbers) if number in (None, other)]
        if counts[number] > len(among):  # the number is the pattern's own
            among = [place for place, other in enumerate(pieces) if other == number]
        step = orbit.orientations if modulus == 0 else modulus or 1
        by = range(orbit.orientations) if turns is None else range(turns % step, orbit.orientations, step)
        if number is None and len(by) == orbit.orientations:
            yield []
        else:
            looks = [(homes[home], lying[home] - shift) for home in among for shift in by]
            yield [
                frozenset(labels[(point + turn) % orbit.orientations] for labels, turn in looks)
                for point in range(orbit.orientations)
            ]


def _numbers(orbit: Orbit, key: str, given: object, below: int) -> list[int | None]:
    """Return a list of numbers, or None where the value is ignored."""
    if not isinstance(given, list) or len(given) != orbit.pieces:
        raise InvalidStateError(f"{orbit.name}.{key} is not a list of {orbit.pieces} numbers", "length")
    for number, entry in enumerate(given):
        if entry not in _ANY and not (type(entry) is int and 0 <= entry < below):
            message = f"{orbit.name}.{key}[{number}] is neither a number from 0 to {below - 1} nor null"
            raise InvalidStateError(message, "symbol")
    return [None if entry in _ANY else entry for entry in given]
