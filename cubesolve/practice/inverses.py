"""Solutions with moves on the inverse, as fewest-moves solvers find them: NISS, normal-inverse scramble switch.

Moves on the inverse are made on the inverse of the scramble, and written in parentheses. If N are the moves on the
scramble and I those on its inverse, N followed by the inverse of I solves the scramble. Wide moves, moves of slices and
rotations turn only the side that they are made on, the scramble or its inverse.

>>> from cubesolve import puzzle
>>> joined(read("R U (F D') L"), puzzle("rubik").rules.view)
"R U L D F'"
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Orbit
from cubesolve.definition.rotations import algs_of_rotations
from cubesolve.definition.view import DefinedView, View
from cubesolve.errors import InvalidMoveError, InvalidStateError
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import arrangement, cycles, inverse

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRETCH = re.compile(r"\(([^()]*)\)|([^()]+)")


class Stretch(NamedTuple):
    """Moves in a row on the scramble, or on its inverse."""

    alg: str
    on_inverse: bool = False

    def __str__(self) -> str:
        return f"({self.alg})" if self.on_inverse and self.alg else self.alg


def read(text: str) -> list[Stretch]:
    """Return the stretches of a solution, in which moves on the inverse are in parentheses.

    >>> read("R U (F // on the inverse\\n D') L")[1:]
    [Stretch(alg="F D'", on_inverse=True), Stretch(alg='L', on_inverse=False)]
    """
    stretches, position = list[Stretch](), 0
    bare = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    while position < len(bare):
        part = _STRETCH.match(bare, position)
        if part is None:
            reason = "is not closed, or another opens in it" if bare[position] == "(" else "has no opening bracket"
            raise InvalidMoveError(bare[position], position, reason)
        on_inverse = part[1] is not None
        stretches.append(Stretch(" ".join((part[1] if on_inverse else part[2]).split()), on_inverse))
        position = part.end()
    return [stretch for stretch in stretches if stretch.alg]


def joined(stretches: Iterable[Stretch], view: View) -> str:
    """Return the alg for the scramble alone that moves on the scramble and on its inverse make together."""
    parts = [stretch for stretch in stretches if stretch.alg]
    normal, back = (" ".join(stretch.alg for stretch in parts if stretch.on_inverse is side) for side in (False, True))
    return f"{normal} {view.invert(back)}".strip() if back else normal


def require_inverses(view: View) -> DefinedView:
    """Return a view of a puzzle whose states have inverses."""
    if isinstance(view, DefinedView):
        definition, solved = view.definition, view.solved(None)
        start = definition.solved[0]
        is_free = not definition.illegal and all(map(is_plain, definition.generators.values()))
        distinct = is_free and len(set(start)) == len(start)
        turned = [solved.apply(name) for name in definition.rotations]
        if distinct and not any(state.is_solved and view.oriented(state) != view.oriented(solved) for state in turned):
            return view
    raise ValueError(f"moves on the inverse are not supported for the {view.title}")


def rotation_after(view: DefinedView, alg: str) -> str:
    """Return the rotation by which an alg leaves the puzzle turned, as wide moves and moves of slices do.

    >>> from cubesolve import puzzle
    >>> rubik = puzzle("rubik").rules.view
    >>> rotation_after(rubik, "R U2"), rotation_after(rubik, "Rw U M2")
    ('', "x'")
    """
    state = view.scrambled(alg)
    for word in _rotations(view):
        back = view.after(state, view.invert(word))
        if view.state(view.oriented(back)) == back:
            return word
    raise AssertionError(f"no rotation of the {view.title} undoes that of {alg}")


def rotation_of(view: View, alg: str) -> str:
    """Return the rotation by which an alg leaves any puzzle turned: if no pieces show it, the rotations of the alg.

    >>> from cubesolve import puzzle
    >>> rotation_of(puzzle("rubik").rules.view, "Rw U x"), rotation_of(puzzle("fto").rules.view, "R Uv U")
    ('x2', 'Uv')
    """
    if not isinstance(view, DefinedView) or not view.definition.rotations:
        return ""
    if any(rotation_after(view, name) for name in view.definition.rotations):
        return rotation_after(view, alg)
    return " ".join(filter(view.is_free, view.split(alg)))


@functools.cache
def _rotations(view: DefinedView) -> list[str]:
    return list(algs_of_rotations(view.definition).values())


def inverted(view: DefinedView, state: object) -> Any:
    """Return the inverse of a state: the inverse of an alg to one leads to the other.

    >>> from cubesolve import puzzle
    >>> skewb = puzzle("skewb")
    >>> inverted(skewb.rules.view, skewb.parse("R U L'")) == skewb.parse("L U' R'")
    True
    """
    start = view.definition.solved[0]
    homes = {label: point for point, label in enumerate(start)}
    back = inverse(arrangement(homes[label] for label in view.oriented(state)))
    return view.state(arrangement(start[point] for point in back))


# -- What a solution leaves --------------------------------------------------------------------------------------------


def remainder(puzzle: Puzzle, state: object) -> str:
    """Describe the pieces of a state that are not solved, and name its case if a set of cases has it with a name.

    >>> from cubesolve import puzzle
    >>> remainder(puzzle("rubik"), puzzle("rubik").parse("R' F R' B2 R F' R' B2 R2"))
    '3 corners in a cycle (pll Ab)'
    """
    view = require_inverses(puzzle.rules.view)
    home = view.state(view.oriented(view.read(state)))
    pattern, orbits = json.loads(puzzle.write(home, "kpuzzle")), view.in_pieces(view.definition).orbits
    kinds = Counter(kind for orbit in orbits for kind in _displaced(orbit, pattern[orbit.name]))
    described = ", ".join(f"{what} ({number} times)" if number > 1 else what for what, number in kinds.items())
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
    for name in [name for name, about in view.named_steps.case_sets.items() if about.names]:
        cases = puzzle.cases(name)
        if cases.aim is None:
            with contextlib.suppress(InvalidStateError):  # it is not one of the set
                case = cases.find(state)
                if case.name in cases.about.names:
                    yield f"{name} {case.name}"
