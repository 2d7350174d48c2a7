"""A page that plays an alg in space: one HTML document, which needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from cubesolve.errors import printable
from cubesolve.scenes import Motion, Part, Point, Scene, middle
from cubesolve.spaces.rules import Rules

MOST_MOVES = 10_000
"""The number of moves that a page plays."""

_DIGITS = 6  # of coordinates; a screen shows four


def page(rules: Rules, start: Any, alg: str, *, left: Iterable[int] = (), title: str | None = None) -> str:
    """A document that plays an alg.

    Args:
        rules: the puzzle.
        start: the state with which the alg begins.
        alg: the alg.
        left: the distance left at the start and after every move, as far as it is known.
        title: what stands above it; by default, the puzzle.

    Raises:
        ValueError: the puzzle cannot be shown in space, or there are too many moves.
        InvalidMoveError: the alg is none of the puzzle's.

    >>> from cubesolve import PocketCube, puzzle
    >>> document = page(puzzle("pocket").rules, PocketCube.solved(), "R U R' U'")
    >>> document.startswith("<!doctype html>"), "2x2x2 pocket cube" in document
    (True, True)
    """
    scene = rules.view.scene(start)
    if scene is None:
        raise ValueError(f"the {rules.title} cannot be shown in space")
    moves = rules.view.split(alg)
    if len(moves) > MOST_MOVES:
        raise ValueError(f"a page plays at most {MOST_MOVES:,} moves, not {len(moves):,}")
    words = printable(title or rules.title)
    data = {
        "title": words,
        "unit": rules.unit,
        "scene": drawn(scene),
        "steps": list(steps(rules, start, scene, moves)),
        "left": list(left),
    }
    return _read("player.html").format(
        title=escape(words),
        style=_read("player.css"),
        script=_read("player.js"),
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")


def drawn(scene: Scene) -> dict[str, Any]:
    """A scene as the script takes it.

    >>> from cubesolve import PocketCube, puzzle
    >>> len(drawn(puzzle("pocket").rules.view.scene(PocketCube.solved()))["parts"])
    8
    """
    return {
        "parts": [_part(part) for part in scene.parts],
        "planes": [[*plane.normal, float(plane.distance)] for plane in scene.planes],
        "up": scene.up,
        "front": scene.front,
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
    return [round(float(value), _DIGITS) for value in point]


def steps(rules: Rules, start: Any, scene: Scene, moves: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What each move turns, as the script takes it: parts by their numbers in the scene of the start.

    >>> from cubesolve import PocketCube, puzzle
    >>> rules, solved = puzzle("pocket").rules, PocketCube.solved()
    >>> [(made["degrees"], len(made["parts"])) for made in steps(rules, solved, rules.view.scene(solved), ["R2"])]
    [(-180, 4)]
    """
    middles, state = [middle(part) for part in scene.parts], start
    for move in moves:
        motion = rules.view.motion(state, move)
        made = _motion(move, motion, middles)
        for number in made["parts"]:
            middles[number] = motion.moved(middles[number])
        yield made
        state = rules.view.after(state, move)


def choices(rules: Rules, state: Any, scene: Scene, moves: Iterable[str]) -> list[dict[str, Any]]:
    """What each of these moves would turn, as the script takes it; those that turn nothing are left out.

    >>> from cubesolve import Tray, puzzle
    >>> rules, tray = puzzle("rolling").rules, Tray.start((1, 1))
    >>> [(made["move"], made["parts"]) for made in choices(rules, tray, rules.view.scene(tray), "LRUD")]
    [('L', [0]), ('U', [2])]
    """
    middles = [middle(part) for part in scene.parts]
    made = (_motion(move, rules.view.motion(state, move), middles) for move in moves)
    return [each for each in made if each["parts"]]


def _motion(move: str, motion: Motion, middles: Sequence[Point]) -> dict[str, Any]:
    return {
        "move": move,
        "axis": motion.axis,
        "through": _point(motion.through),
        "degrees": motion.degrees,
        "parts": [number for number, point in enumerate(middles) if motion.takes(point)],
    }
