"""What a solution leaves: the cycles of the pieces that are not at home, and the name of their case (pure Python)."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cubesolve.ask import Puzzle
from cubesolve.errors import CubesolveError, InvalidStateError
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
    sizes = {each["orbitName"]: each["numOrientations"] for each in json.loads(puzzle.definition("kpuzzle"))["orbits"]}
    pattern = json.loads(puzzle.write(home, "kpuzzle"))
    found = Counter(each for name, orbit in pattern.items() for each in _displaced(name.lower(), orbit, sizes[name]))
    described = ", ".join(f"{what} ({number} times)" if number > 1 else what for what, number in found.items())
    case = next(_cases(puzzle, home), "")
    return f"{described} ({case})" if case else described


def _displaced(kind: str, orbit: Mapping[str, Sequence[int]], orientations: int) -> Iterator[str]:
    """Yield the cycles of the pieces of an orbit, and the number of those that are turned in their places."""
    pieces, turned = orbit["pieces"], orbit["orientation"]
    alone, seen = 0, set[int]()
    for place in range(len(pieces)):
        cycle = []
        while place not in seen:
            seen.add(place)
            cycle.append(place)
            place = pieces[place]  # noqa: PLW2901  # along the cycle
        is_turned = sum(turned[each] for each in cycle) % orientations > 0
        if len(cycle) > 1:
            what = "exchanged" if len(cycle) == 2 else "in a cycle"
            yield f"{len(cycle)} {kind} {what}{' and turned' * is_turned}"
        else:
            alone += is_turned
    if alone:
        yield f"{alone} {kind} turned in their places" if alone > 1 else f"one of the {kind} turned in its place"


def _cases(puzzle: Puzzle[Any], state: object) -> Iterator[str]:
    """Yield the set and the name of a state's case, in each set of named cases that leave the puzzle solved."""
    view = require_inverses(puzzle.rules.view)
    for name, about in view.case_sets.items():
        if not about.names:
            continue
        with contextlib.suppress(InvalidStateError, CubesolveError):
            cases = puzzle.cases(name)
            case = cases.find(state)
            if cases.aim is None and case.name in about.names:
                yield f"{name} {case.name}"
