"""What a solution leaves: the cycles of the pieces that are not at home, and the name of their case (pure Python)."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Orbit
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidStateError
from cubesolve.group.permutations import cycles
from cubesolve.practice.inverses import require_inverses


def remainder(puzzle: Puzzle, state: object) -> str:
    """Describe the pieces of a state that are not solved, and name its case if a set of cases has it with a name.

    Raises:
        ValueError: pieces look alike, as for `inverses.require_inverses`.

    >>> from cubesolve import puzzle
    >>> remainder(puzzle("rubik"), puzzle("rubik").parse("R' F R' B2 R F' R' B2 R2"))
    '3 corners in a cycle (pll Ab)'
    """
    view = require_inverses(puzzle.rules.view)
    home = view.state(view.oriented(view.read(state)))
    pattern, orbits = json.loads(puzzle.write(home, "kpuzzle")), view.in_pieces(view.definition).orbits
    found = Counter(each for orbit in orbits for each in _displaced(orbit, pattern[orbit.name]))
    described = ", ".join(f"{what} ({number} times)" if number > 1 else what for what, number in found.items())
    case = next(_cases(puzzle, view, home), "")
    return f"{described} ({case})" if case else described


def _displaced(orbit: Orbit, pattern: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Yield the cycles of the pieces of an orbit, and the number of those that are turned in their places."""
    kind, pieces, turned = orbit.name.lower(), pattern["pieces"], pattern["orientation"]
    for cycle in cycles(pieces):
        what = "exchanged" if len(cycle) == 2 else "in a cycle"
        is_turned = sum(turned[place] for place in cycle) % orbit.orientations > 0
        yield f"{len(cycle)} {kind} {what}{' and turned' * is_turned}"
    alone = sum(piece == place and turned[place] > 0 for place, piece in enumerate(pieces))
    if alone:
        yield f"{alone} {kind} turned in their places" if alone > 1 else f"one of the {kind} turned in its place"


def _cases(puzzle: Puzzle, view: DefinedView, state: object) -> Iterator[str]:
    """Yield the set and the name of a state's case, in each set of named cases that leave the puzzle solved."""
    for name in [name for name, about in view.case_sets.items() if about.names]:
        cases = puzzle.cases(name)
        if cases.aim is None:
            with contextlib.suppress(InvalidStateError):  # it is not one of the set
                case = cases.find(state)
                if case.name in cases.about.names:
                    yield f"{name} {case.name}"
