"""A reader and writer of Cayley graphs in JSON, as ``puzzle_info.json`` of CayleyPy has them (pure Python).

``generators`` has a permutation of points for each move, with the point that each point's label comes from, and
``central_state`` the labels of the solved state. Blanks in the name of a generator are read as commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats.parts import (
    MOST_POINTS,
    ParseError,
    Parts,
    load,
    parser,
    require_name,
    require_plain,
    without_brackets,
)
from cubesolve.definition.notation import PRIMES
from cubesolve.group.moves import Move
from cubesolve.group.permutations import inverse

_MOST_MOVES = 4096
_POINTS = "POINTS"
_NAME = re.compile(rf"(?!//|/\*)(?![{PRIMES}:,])(?:[^\s()\[\]]|\([^\s()\[\]]+\)|\[[^\s()\[\]]+\])+")
"""The name of a move, as ``(0,1)`` and ``R[1..3]``."""


@parser
def parse_graph(text: str, name: str) -> Definition:
    """Parse a Cayley graph in the JSON format of CayleyPy; `name` is that of the puzzle if it has none.

    >>> graph = parse_graph('{"central_state": [0, 1, 2], "generators": {"L": [1, 2, 0]}}', "ring")
    >>> [move.name for move in graph.moves()]
    ['L', "L'"]
    """
    top = load(text).fields(["central_state", "generators"], ["name"])
    if "name" in top and top["name"].of(str):
        name = top["name"].value
        require_name(name, "a graph", top["name"].where)
    points = len(top["central_state"].of(list))
    if not 1 <= points <= MOST_POINTS:
        raise ParseError(top["central_state"].where, f"has {points} labels: expected 1 to {MOST_POINTS:,}")
    solved = top["central_state"].numbers(points, points)
    parts = Parts(_NAME, _MOST_MOVES, has_rotations=False)
    parts.add_orbit(Orbit(_POINTS, points, first=0), "")
    for move, change in top["generators"].entries().items():
        sources = change.numbers(points, points, once="point")
        if sources != list(range(points)):
            parts.add_move(re.sub(r"\s*,\s*|\s+", ",", move.strip()), sources, change.where)
    names = {sources: move for move, sources in parts.changes.items()}
    undoing = {move: names.get(inverse(sources), "") for sources, move in names.items()}
    is_closed = all(undoing.values())
    definition = parts.definition(name, solved, has_powers=not is_closed)
    return definition._replace(inverses=undoing, other_powers=False) if is_closed else definition


def format_graph(definition: Definition, moves: Sequence[Move], labels: Sequence[int]) -> str:
    """Return the graph of a definition and its moves in a metric as text; labels of the solved state count from 0.

    Raises:
        CubesolveError: the moves are not always possible, cost more than one, or there are several solved states.

    >>> from cubesolve.definition.formats import parse_cycles
    >>> swap = parse_cycles("S := (1,2);", "swap")
    >>> format_graph(swap, swap.moves(), [0, 1])
    '{"name": "swap", "central_state": [0, 1], "generators": {"S": [1, 0]}}'
    """
    require_plain(definition)
    names = without_brackets([move.name for move in moves])
    generators = {name: list(move.effects[0].sources) for name, move in zip(names, moves, strict=True)}
    return json.dumps({"name": definition.name, "central_state": list(labels), "generators": generators})
