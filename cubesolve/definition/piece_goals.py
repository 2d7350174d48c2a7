"""Goals of puzzles that are given by a definition: pieces in their places, and KPuzzle patterns (pure Python)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.goals import Allowed, require_pattern, without_alternatives
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.definition.texts import ORBITS_END, read_json
from cubesolve.errors import InvalidMoveError, InvalidStateError, did_you_mean, families, quoted

ANYTHING = frozenset({"*", "?"})
"""The text of a piece that is ignored."""

_ANY = (None, "any", *sorted(ANYTHING))


def goals_of(view: PieceView, given: str | Mapping[str, object]) -> list[Allowed]:
    """Return the goals that a text stands for, any of which will do: the name of a step, or a single goal."""
    named = view.goals_named(given) if isinstance(given, str) else []
    return named or [goal_of(view, given)]


def goal_of(view: PieceView, given: str | Mapping[str, object]) -> Allowed:
    """Return the goal that a text or a pattern represents."""
    if is_kpuzzle(given):
        return goal_of_kpuzzle(view.definition, given)
    assert isinstance(given, str)  # see `is_kpuzzle`
    if any(mark in given for mark in ANYTHING):
        return _restricting(_pointwise(view.texts.choices(given, ANYTHING), view.definition))
    return {point: frozenset({label}) for point, label in enumerate(_read(view, given).arrangement)}


def is_kpuzzle(given: str | Mapping[str, object]) -> bool:
    """Return whether a goal is given as a KPuzzle pattern, an object or JSON."""
    return isinstance(given, Mapping) or given.lstrip().startswith("{")


def goal_of_kpuzzle(definition: Definition, given: str | Mapping[str, object]) -> Allowed:
    """Return the goal that a KPuzzle pattern, an object or JSON, represents; missing orbits are ignored."""
    pattern = given if isinstance(given, Mapping) else _loaded(given)
    solved, goal, first = definition.solved[0], dict[int, frozenset[int]](), 0
    orbits = {orbit.name: orbit for orbit in definition.orbits}
    for name in pattern.keys() - orbits.keys():
        raise InvalidStateError(f"{quoted(str(name))} is not one of {', '.join(orbits)}", "symbol")
    for name, orbit in orbits.items():
        homes = [solved[first + i : first + i + orbit.orientations] for i in range(0, orbit.points, orbit.orientations)]
        if name in pattern:
            for place, allowed in enumerate(_places(orbit, pattern[name], homes, first)):
                start = first + place * orbit.orientations
                goal |= {start + number: labels for number, labels in enumerate(allowed)}
        first += orbit.points
    return _restricting(goal)


def _restricting(goal: Allowed) -> Allowed:
    if not goal:
        raise InvalidStateError("a goal without restrictions is fulfilled by every state", "symbol")
    return goal


def pattern_of(view: PieceView, given: str | Mapping[str, object]) -> Allowed:
    """Return the goal that a pattern stands for: names of pieces, which are at home, or a goal."""
    words = view.write(view.definition.solved[0]).split()
    names = Counter(given.split() if isinstance(given, str) else ())
    if isinstance(given, str) and not names:
        raise InvalidStateError("a pattern must name some pieces", "symbol")
    pieces = [word for word in words if word != ORBITS_END]
    if not names or not names <= Counter(pieces):  # also one that occurs twice
        if isinstance(given, str):
            require_pattern(given, view.title, pieces, view.goals)
        return without_alternatives(goals_of(view, given), str(given))
    return goal_of(view, " ".join(word if word in names or word == ORBITS_END else "*" for word in words))


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
    goal, first, remaining = dict[int, frozenset[int]](), 0, iter(choices)
    for orbit in definition.orbits:
        everything = frozenset(definition.solved[0][first : first + orbit.points])
        for _ in range(orbit.pieces):
            for point, labels in enumerate(zip(*next(remaining), strict=True), first):
                if frozenset(labels) != everything:
                    goal[point] = frozenset(labels)
            first += orbit.orientations
    return goal


def _loaded(text: str) -> Mapping[str, Any]:
    pattern = read_json(text)
    if not isinstance(pattern, dict):
        raise InvalidStateError(f"{quoted(text)} is not a KPuzzle pattern", "type")
    return pattern


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
