"""The problem about 3x3x3 cubes: answers, test data, and checks of an output."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cubesolve.catalog.rubik.cube import RubikCube, named_by_centres, random_cube, read_cubies
from cubesolve.definition.facelets import cube_rotations, net_order, solved_facelets, turn
from cubesolve.definition.notation import FACES, FaceTurn, metric_moves
from cubesolve.judge.cases import Case, CaseGroup, Output, Problem, wrong_moves, wrong_word
from cubesolve.judge.cubes import schemes

if TYPE_CHECKING:
    import random

MOST_RUBIK_TURNS = 5  # largest number of quarter turns that rubik-5 answers
RUBIK_FACES = "LFRBUD"  # faces in the problem's numbering

_MOVES = {
    f"{number} {direction}": FaceTurn(face, turns)
    for number, face in enumerate(RUBIK_FACES)
    for turns, direction in ((1, 1), (3, -1))
}
_TURNS = list(_MOVES.values())
_NEAR = 3  # turns; solutions of up to so many are cached, for 1,195 positions


def first_solution(facelets: str) -> list[FaceTurn] | None:
    """Return the first optimal solution of a cube in face letters; None if it needs too many turns."""
    near = _near_solutions()
    reached: list[tuple[tuple[int, ...], str]] = [((), facelets)]
    for turns in range(MOST_RUBIK_TURNS - _NEAR + 1):
        if turns:
            reached = [
                ((*numbers, number), turn(3, state, [move]))
                for numbers, state in reached
                for number, move in enumerate(_TURNS)
            ]
        for numbers, state in reached:
            if state in near:
                return [_TURNS[number] for number in numbers + near[state]]
    return None


@functools.cache
def _near_solutions() -> dict[str, tuple[int, ...]]:
    """Return the first optimal solution, as numbers of turns, of each cube that needs few."""
    solved, back = RubikCube.solved().facelets, [move.inverse() for move in _TURNS]
    solutions: dict[str, tuple[int, ...]] = {}
    for turns in range(_NEAR + 1):
        for solution in itertools.product(range(len(_TURNS)), repeat=turns):  # the first ones come first
            solutions.setdefault(turn(3, solved, [back[number] for number in reversed(solution)]), solution)
    return solutions


def _facelets(symbols: Sequence[str]) -> str:
    return "".join(symbols[place] for place in net_order(3))


def _listed(facelets: str) -> Case:
    return [symbol for _, symbol in sorted(zip(net_order(3), facelets, strict=True))]


def _rubik_5(symbols: Case) -> str:
    facelets = _facelets(symbols)
    read_cubies(facelets)  # raises an error for an invalid cube
    solution = first_solution(named_by_centres(facelets))
    if solution is None:
        return "-1"
    names = {move: name for name, move in _MOVES.items()}
    return "\n".join([str(len(solution)), *([" ".join(names[move] for move in solution)] if solution else [])])


def _rubik_5_mistake(symbols: Sequence[str], right: str, given: list[str]) -> str | None:
    number, *turns = given
    least = right.split("\n", maxsplit=1)[0]
    if least == "-1" or not number.isdecimal():
        return wrong_word(symbols, least, [" ".join(given)])
    facelets, words = named_by_centres(_facelets(symbols)), " ".join(turns).split()
    mistake = wrong_moves(
        (" ".join(words[i : i + 2]) for i in range(0, len(words), 2)),
        _MOVES,
        lambda moves: turn(3, facelets, moves) == RubikCube.solved().facelets,
        "solve the cube",
        int(least),
    )
    return mistake or wrong_word(symbols, least, [number])


def _has_turns(given: list[str], ahead: str) -> bool:
    """Return whether the next line has turns; any line counts unless it is the number of the next answer."""
    is_number = ahead.removeprefix("-").isdecimal()
    return len(given) == 1 and (" " in ahead or (given[0] not in {"0", "-1"} and ahead != "" and not is_number))


# -- Test data -------------------------------------------------------------------------------------------------------

_LETTERS = FACES.lower() + "aceghijkmnopqstvwxyz"
_SEVERAL = 12
_TOO_FAR = MOST_RUBIK_TURNS + 1


def _cases(rng: random.Random, cubes: Iterable[str]) -> list[Case]:
    return [_coloured(cube, "".join(rng.sample(_LETTERS, 6))) for cube in cubes]


def _coloured(facelets: str, colours: str) -> Case:
    return _listed(facelets.translate(str.maketrans(FACES, colours)))


def _turned(moves: Iterable[FaceTurn]) -> str:
    return turn(3, RubikCube.solved().facelets, moves)


def _walk(rng: random.Random, turns: int) -> str:
    return _turned(rng.choices(_TURNS, k=turns))


def _cube_at(rng: random.Random, turns: int) -> str:
    """Return a cube that needs a number of quarter turns, at most one more than the limit of the problem."""
    while True:
        cube = _walk(rng, turns)
        solution = first_solution(cube)
        if (_TOO_FAR if solution is None else len(solution)) == turns:
            return cube


def _solved(rng: random.Random, _number: int) -> list[Case]:
    return _cases(rng, (solved_facelets(3, scheme) for scheme in cube_rotations()))


def _turns(rng: random.Random, _number: int) -> list[Case]:
    return _cases(rng, (_turned([move]) for move in metric_moves("htm", FACES)))


def _ties(rng: random.Random, _number: int) -> list[Case]:
    amounts = list(itertools.product((1, 2, 3), repeat=2))
    algs = [[FaceTurn(one, m), FaceTurn(other, n)] for one, other in zip("URF", "DLB", strict=True) for m, n in amounts]
    return _cases(rng, map(_turned, algs))


def _limit(rng: random.Random, _number: int) -> list[Case]:
    return _cases(rng, (_cube_at(rng, turns) for _ in range(_SEVERAL) for turns in (MOST_RUBIK_TURNS, _TOO_FAR)))


def _depths(rng: random.Random, number: int) -> list[Case]:
    share = max(1, number // (_TOO_FAR + 1))
    return _cases(rng, (_cube_at(rng, turns) for turns in range(_TOO_FAR + 1) for _ in range(share)))


def _schemes(rng: random.Random, _number: int) -> list[Case]:
    cube = _cube_at(rng, MOST_RUBIK_TURNS)
    return [_coloured(cube, colours) for colours in schemes(rng, _LETTERS)]


def _far(rng: random.Random, number: int) -> list[Case]:
    return _cases(rng, (random_cube(rng).facelets for _ in range(number)))


def _random(rng: random.Random, number: int) -> list[Case]:
    return _cases(rng, (_walk(rng, rng.randrange(_TOO_FAR + 1)) for _ in range(number)))


_RUBIK_5 = Problem(
    "3x3x3: at most five quarter turns that solve it, or -1",
    _rubik_5,
    "...\n" * 3 + "............\n" * 3 + "...\n" * 3 + "\n",
    (
        CaseGroup("solved", "the solved cube, in all 24 orientations", _solved),
        CaseGroup("turns", "each state at one quarter or half turn from solved", _turns),
        CaseGroup("ties", "turns of opposite faces, which have several optimal solutions", _ties),
        CaseGroup("limit", f"{MOST_RUBIK_TURNS} quarter turns, the limit, and {_TOO_FAR}", _limit),
        CaseGroup("depths", f"the same number of states at each depth up to {_TOO_FAR}", _depths),
        CaseGroup("schemes", "one cube in many colour schemes, each with its mirror image", _schemes),
        CaseGroup("far", "uniformly random cubes, far beyond the limit", _far),
        CaseGroup("random", f"up to {_TOO_FAR} random quarter turns", _random),
    ),
    Output(_rubik_5_mistake, brief=lambda answer: answer.split("\n")[0], goes_on=_has_turns),
    letters=True,
    counted=True,
)

PROBLEMS = {"rubik-5": _RUBIK_5}
"""The problem about 3x3x3 cubes by name."""
