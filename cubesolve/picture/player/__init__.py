"""A self-contained HTML page that plays an alg: in 3D, or as flat pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from cubesolve.errors import printable
from cubesolve.picture.render import picture_svg
from cubesolve.picture.scenes import Motion, Part, Point, Scene, middle

if TYPE_CHECKING:
    from cubesolve.spaces.rules import Rules

MOST_MOVES = 10_000  # largest number of moves of a page

_DIGITS = 6  # of coordinates; a screen shows four


def page(rules: Rules, start: object, alg: str, *, left: Iterable[int] = (), title: str | None = None) -> str:
    """Return a page that plays an alg: in 3D, or for a puzzle without a 3D model as pictures, or texts of the states.

    Args:
        rules: the puzzle.
        start: the state at the start of the alg.
        alg: the alg.
        left: the distances at the start and after each move, as far as they are known.
        title: the title; by default, that of the puzzle.

    Raises:
        ValueError: there are too many moves.
        InvalidMoveError: the alg is invalid.

    >>> from cubesolve import PocketCube, puzzle
    >>> document = page(puzzle("pocket").rules, PocketCube.solved(), "R U R' U'")
    >>> document.startswith("<!doctype html>"), "2x2x2 pocket cube" in document
    (True, True)
    """
    scene = rules.view.scene(start)
    moves = rules.view.split(alg)
    if len(moves) > MOST_MOVES:
        raise ValueError(f"a page plays at most {MOST_MOVES:,} moves, not {len(moves):,}")
    shown = printable(title or rules.title)
    data: dict[str, Any] = {"title": shown, "unit": rules.unit, "left": list(left)}
    if scene is None:
        data |= {"steps": [{"move": move, "degrees": 90} for move in moves], "states": _flat(rules, start, alg)}
    else:
        data |= {"steps": list(steps(rules, start, scene, moves)), "scene": drawn(scene)}
    return _read("player.html").format(
        title=escape(shown),
        look="" if scene is None else "Drag, or press Shift with arrow keys, to look around.",
        style=_read("player.css"),
        script=_read("player.js"),
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")


def _flat(rules: Rules, start: object, alg: str) -> list[dict[str, str | None]]:
    """Return each state on the way, as a picture if there is one, and as text."""
    states = (state for _, state in rules.view.steps(start, alg))
    return [{"picture": picture_svg(rules.view.picture(state)), "text": str(state)} for state in states]


def drawn(scene: Scene) -> dict[str, Any]:
    """Return a scene as JSON for the script."""
    return {
        "parts": [_part(part) for part in scene.parts],
        "planes": [[*_direction(plane.normal), float(plane.distance)] for plane in scene.planes],
        "up": _direction(scene.up),
        "front": _direction(scene.front),
        "floor": _part(scene.floor),
    }


def _part(part: Part) -> list[dict[str, Any]]:
    return [
        {
            "corners": [_point(corner) for corner in side.corners],
            "colour": side.colour and "#" + bytes(side.colour).hex(),
        }
        for side in part
    ]


def _point(point: Point) -> list[float]:
    return [round(float(value), _DIGITS) + 0.0 for value in point]  # without a negative zero


def _direction(vector: Point) -> list[float]:
    return [value if isinstance(value, int) else float(value) for value in vector]


def steps(rules: Rules, start: object, scene: Scene, moves: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the motion of each move as JSON for the script; parts have the numbers of the initial scene."""
    middles, state = [middle(part) for part in scene.parts], start
    for move in moves:
        motion = rules.view.motion(state, move)
        first = _motion(move, motion, middles)
        yield first
        for turning, shown in zip((motion, *motion.also), (first, *first.get("also", ())), strict=True):
            for number in shown["parts"]:
                middles[number] = turning.moved(middles[number])
        state = rules.view.after(state, move)


def choices(rules: Rules, state: object, scene: Scene, moves: Iterable[str]) -> list[dict[str, object]]:
    """Return the motion of each move as JSON for the script, without moves that turn no part, or several layers."""
    middles = [middle(part) for part in scene.parts]
    motions = ((move, rules.view.motion(state, move)) for move in moves)
    shown = (_motion(move, motion, middles) for move, motion in motions if not motion.also)
    return [choice for choice in shown if choice["parts"]]


def _motion(move: str, motion: Motion, middles: Sequence[Point]) -> dict[str, Any]:
    also: dict[str, Any] = {"also": [_motion(move, other, middles) for other in motion.also]} if motion.also else {}
    if any(motion.out):
        also["out"] = _direction(motion.out)
    return {
        "move": move,
        "axis": _direction(motion.axis),
        "through": _point(motion.through),
        "degrees": motion.degrees,
        "parts": [number for number, point in enumerate(middles) if motion.takes(point)],
        **also,
    }
