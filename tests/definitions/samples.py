"""Puzzle files, and writers that share no code with the readers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cubesolve.catalog import rules_named
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats import parse_definition
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement
from cubesolve.spaces.defined import DerivedRules, derived
from cubesolve.spaces.variants import restricted
from tests.facts import DATA

RINGS, POCKET_TWS, POCKET_KPUZZLE, HALF_TURNS_CYCLES = (
    (DATA / "definitions" / name).read_text() for name in ("rings.tws", "pocket.tws", "pocket.json", "half_turns.gap")
)
"""Two rings; a 2x2x2 without the turns that move DBL; one with all faces and rotations; half turns of its corners."""

RING: dict[str, Any] = {
    "name": "ring",
    "orbits": [{"orbitName": "DISKS", "numPieces": 3, "numOrientations": 4}],
    "defaultPattern": {"DISKS": {"pieces": [0, 1, 2], "orientation": [0, 0, 0]}},
    "moves": {"C": {"DISKS": {"permutation": [2, 0, 1], "orientationDelta": [0, 0, 0]}}},
    "derivedMoves": {},
}
"""A ring of three disks, for KPuzzle."""


def rules_of(puzzle: str | Definition, moves: str | None = None, costs: str | None = None) -> DerivedRules:
    """Return the rules of a puzzle, by its name, its file in the folder of data or its definition, and chosen moves."""
    if isinstance(puzzle, str) and "." in puzzle:
        puzzle = parse_definition((DATA / "definitions" / puzzle).read_text(), puzzle)
    rules = rules_named(puzzle) if isinstance(puzzle, str) else DerivedRules(PieceView(puzzle))
    return derived(restricted(rules, moves, costs) if moves or costs else rules)


def permuted(moves: Mapping[str, Sequence[int]], solved: Iterable[int] = (), **others: Any) -> Definition:
    """Return a definition with a permutation for each move, solved labels if not all differ, and values of fields."""
    points = len(next(iter(moves.values())))
    effects = {name: (Effect(arrangement(sources)),) for name, sources in moves.items()}
    labels = arrangement(solved) or arrangement(range(points))
    return Definition("permuted", (Orbit("PIECES", points),), (labels,), effects)._replace(**others)


def disks(moves: Mapping[str, str], solved: str = "", more: str = "", orientations: int = 1) -> str:
    """Return a .tws file of one set: what moves bring to each place, or is there when it is solved; then turns."""

    def of(line: str, places: str) -> str:
        return f"{line}\n{'DISKS' if places else ''}\n" + places.replace("; ", "\n") + "\nEnd\n"

    pieces = len(next(iter(moves.values())).partition(";")[0].split())
    made = (of(f"Move {name}", places) for name, places in moves.items())
    return f"Set DISKS {pieces} {orientations}\n{of('Solved', solved)}{''.join(made)}{more}\n"


class Writable(NamedTuple):
    """A puzzle for the writers; orbits that a move leaves alone may be omitted.

    Attributes:
        name: what it is called.
        orbits: how many pieces, and in how many orientations, by name.
        solved: for each orbit the piece in each place, its orientation, and 1 if that is ignored, else 0.
        moves: for each orbit the place from which the piece in each place comes, and by how much it is turned there.
    """

    name: str
    orbits: Mapping[str, tuple[int, int]]
    solved: Mapping[str, tuple[Sequence[int], Sequence[int], Sequence[int]]]
    moves: Mapping[str, Mapping[str, tuple[Sequence[int], Sequence[int]]]]


def _line(numbers: Sequence[object], base: int = 0) -> str:
    return " ".join(str(number + base if isinstance(number, int) else number) for number in numbers)


def write_tws(puzzle: Writable, later_words: bool = False) -> str:
    """A puzzle as a .tws file, with the older or the newer keywords of the format; the newer ones count from 0."""
    base = 0 if later_words else 1
    lines = [f"Name {puzzle.name}"]
    lines += [f"Set {name} {pieces} {orientations}" for name, (pieces, orientations) in puzzle.orbits.items()]
    lines.append("StartState" if later_words else "Solved")
    for name, (pieces, turned, ignored) in puzzle.solved.items():
        lines += [name, _line(pieces, base), _line(["?" if u else t for t, u in zip(turned, ignored, strict=True)])]
    lines.append("End")
    for move, changes in puzzle.moves.items():
        lines.append(f"{'MoveTransformation' if later_words else 'Move'} {move}")
        for name, (origins, turned) in changes.items():
            if not later_words:
                by_piece = dict(zip(origins, turned, strict=True))
                turned = [by_piece[piece] for piece in range(len(origins))]  # noqa: PLW2901
            lines += [name, _line(origins, base), _line(turned)]
        lines.append("End")
    return "\n".join(lines)


def write_kpuzzle(puzzle: Writable, older: bool = False) -> str:
    """A puzzle as KPuzzle's JSON, in today's form or in that before 2023."""
    data: dict[str, Any] = {"name": puzzle.name}
    if older:
        data["orbits"] = {name: {"numPieces": n, "numOrientations": o} for name, (n, o) in puzzle.orbits.items()}
    else:
        data["orbits"] = [
            {"orbitName": name, "numPieces": n, "numOrientations": o} for name, (n, o) in puzzle.orbits.items()
        ]
    data["startStateData" if older else "defaultPattern"] = {
        name: {"pieces": pieces, "orientation": turned, "orientationMod": ignored}
        for name, (pieces, turned, ignored) in puzzle.solved.items()
    }
    delta = "orientation" if older else "orientationDelta"
    data["moves"] = {
        move: {name: {"permutation": origins, delta: turned} for name, (origins, turned) in changes.items()}
        for move, changes in puzzle.moves.items()
    }
    return json.dumps(data)


def write_cycles(moves: Mapping[str, Sequence[int]]) -> str:
    """Moves in cycles, from the point that each point gets its label from."""
    lines = []
    for name, sources in moves.items():
        goes = {source + 1: to + 1 for to, source in enumerate(sources) if source != to}
        cycles = ""
        while goes:
            start, point = goes.popitem()
            cycle = [start]
            while point != start:
                cycle.append(point)
                point = goes.pop(point)
            cycles += f"({','.join(map(str, cycle))})"
        lines.append(f"{name} := {cycles or '()'};")
    return "\n".join(lines)
