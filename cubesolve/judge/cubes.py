"""The problems about pocket cubes: answers, test data, and checks of an output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cubesolve import lookup
from cubesolve.catalog.pocket.cube import CORNER_FACELETS, TURNING_FACES, PocketCube, reference_rank, relative_facelets
from cubesolve.catalog.pocket.forms import LAYOUTS, UVA_COLOURS, arrange, format_cubies, parse_cubies, parse_uva
from cubesolve.definition.facelets import turn
from cubesolve.definition.notation import FACES, FaceTurn, invert_alg, metric_moves, parse_alg
from cubesolve.errors import InvalidStateError, UnsolvableStateError, quoted
from cubesolve.judge.faces import MOST_TURNS, most_complete_faces
from cubesolve.judge.output import Output, wrong_moves, wrong_word
from cubesolve.judge.pocket_groups import PocketGroups, coloured, randomly_oriented, state_at
from cubesolve.judge.problem import Case, CaseGroup, Problem, sample

if TYPE_CHECKING:
    import random

_LETTERS = FACES + "ACEGHIJKMNOPQSTVWXYZ"
_ROW = " ".join("." * 24) + "\n"


def _listed(facelets: str, layout: str) -> Case:
    """Return facelets in the order of a layout; the inverse of `arrange`."""
    return [facelets[i] for i in LAYOUTS[layout]]


def _cubes(layout: str, palette: str, probe_depth: int | None = None) -> PocketGroups:
    """Return the groups of cases that consist of a cube in any colours."""

    def write(_rng: random.Random, cube: PocketCube, colours: str) -> Case:
        return _listed(coloured(cube, colours), layout)

    return PocketGroups(write, palette, probe_depth=probe_depth)


# -- Quarter turns that solve a cube ---------------------------------------------------------------------------------


def _quarter_turns(layout: str) -> Callable[[Case], str]:
    return lambda symbols: str(_depth(arrange(symbols, layout)))


def _depth(facelets: str) -> int:
    """Return the depth of a cube whose colours are arbitrary symbols, even if they are face letters."""
    return lookup.depth(PocketCube.unrank(reference_rank(facelets, letters_name_faces=False)), metric="qtm")


_UVA_11007 = Problem(
    "Mini Cube: quarter turns to solve",
    lambda symbols: str(lookup.depth(parse_uva("".join(symbols)), metric="qtm")),
    "\n" + "....\n" * 6,
    (
        sample("GGGG WWBB OORR YYYY BBWW RROO", "WRRG WORO BGBW YYOG BORY GYWB"),
        *PocketGroups(lambda _rng, cube, _colours: _listed(coloured(cube, UVA_COLOURS), "uva")).all(),
    ),
    letters=True,
    counted=True,
)

_HDU_2953 = Problem(
    "Rubiks Cube: quarter turns to solve",
    _quarter_turns("hdu-2953"),
    "..\n" * 2 + ".. .. .. ..\n" * 2 + "..\n" * 2 + "\n",
    (
        sample("OOOO RRGGBBWW RRGGBBWW YYYY", "RRRR YYOOGGBB OOGGBBYY WWWW"),
        *_cubes("hdu-2953", _LETTERS).all(),
    ),
    letters=True,
    counted=True,
)

_MIPT_041 = Problem(
    "quarter turns to solve",
    _quarter_turns("mipt-041"),
    _ROW,
    (
        sample("115522224466333356561414", "212312324143143466555656"),
        *_cubes("mipt-041", "123456").all(),
    ),
    single=True,
)


# -- cf-887c: is it exactly one quarter turn? ------------------------------------------------------------------------


def _cf_887c(symbols: Case) -> str:
    facelets = arrange(symbols, "cf-887c")
    unknown = next((symbol for symbol in facelets if symbol not in "123456"), None)
    if unknown is not None:
        raise InvalidStateError(f"colour {unknown!r} is not a number from 1 to 6")
    wrong = next((colour for colour in "123456" if facelets.count(colour) != 4), None)
    if wrong is not None:
        raise InvalidStateError(f"colour {wrong} occurs {facelets.count(wrong)} times instead of 4")
    try:
        return "YES" if _depth(facelets) == 1 else "NO"
    except InvalidStateError:
        return "NO"  # the problem guarantees the counts only, and no turn solves an invalid cube


def _nearly_solved(rng: random.Random, number: int) -> list[Case]:
    """Return cubes of which every other is one quarter turn from solved, and the others none, two or three."""
    depths = [1 if i % 2 else rng.choice((0, 2, 3)) for i in range(number)]
    return _ONE_TO_SIX.cases(rng, (randomly_oriented(rng, state_at(rng, depth, "qtm")) for depth in depths))


def _no_cubes(rng: random.Random, number: int) -> list[Case]:
    """Return cubes one quarter turn from solved with two facelets exchanged, or with all facelets shuffled."""
    cases = _ONE_TO_SIX.cases(rng, (randomly_oriented(rng, state_at(rng, 1, "qtm")) for _ in range(number)))
    for i, case in enumerate(cases):
        if i % 2:
            rng.shuffle(case)
        else:
            one, other = rng.choice([(i, j) for i in range(24) for j in range(i) if case[i] != case[j]])
            case[one], case[other] = case[other], case[one]
    return cases


_ONE_TO_SIX = _cubes("cf-887c", "123456", probe_depth=1)

_CF_887C = Problem(
    "Solution for Cube: is it exactly one quarter turn?",
    _cf_887c,
    _ROW,
    (
        sample("254613625512353112466434", "535325256262444411116363"),
        *_ONE_TO_SIX.all(),
        CaseGroup("near", "half of them one quarter turn from solved, the others none, two or three", _nearly_solved),
        CaseGroup("no-cubes", "four facelets of each colour that rarely or never form a cube", _no_cubes),
    ),
    single=True,
)


# -- hdu-4801: complete faces within a few turns ---------------------------------------------------------------------


def _hdu_4801(symbols: Case) -> str:
    turns, facelets = symbols[0], arrange(symbols[1:], "hdu-4801")
    if not (len(turns) == 1 and turns in "01234567"):
        raise InvalidStateError(f"the number of turns is {quoted(turns)}, not a number from 0 to {MOST_TURNS}")
    return str(most_complete_faces(reference_rank(facelets, letters_name_faces=False), int(turns)))


def _within(turns: int | None) -> PocketGroups:
    """Return the groups of cases with a number of turns, or a random one."""

    def write(rng: random.Random, cube: PocketCube, colours: str) -> Case:
        number = rng.randrange(MOST_TURNS + 1) if turns is None else turns
        return [str(number), *_listed(coloured(cube, colours), "hdu-4801")]

    return PocketGroups(write, "012345", probe_depth=4)


def _just_within(rng: random.Random, _number: int) -> list[Case]:
    """Return for each number of turns a cube that needs as many, and one that needs one more."""
    return [
        case
        for turns in range(MOST_TURNS + 1)
        for case in _within(turns).cases(rng, [state_at(rng, turns, "qtm"), state_at(rng, turns + 1, "qtm")])
    ]


def _most_turns(rng: random.Random, number: int) -> list[Case]:
    return _within(MOST_TURNS).cases(rng, (lookup.random_state(rng) for _ in range(number)))


_HDU_4801 = Problem(
    "Pocket Cube: complete faces within N quarter turns",
    _hdu_4801,
    ".\n" + _ROW,
    (
        sample("1 000011223311223344445555", "1 040411253311253340405252"),
        CaseGroup("limit", "for each N, cubes that need N and N + 1 turns", _just_within),
        *_within(None).all(),
        CaseGroup("longest", "uniformly random states and N = 7, the slowest case for a search", _most_turns),
    ),
)


# -- From one state to another ---------------------------------------------------------------------------------------


def _pair(rng: random.Random, cube: PocketCube) -> tuple[PocketCube, PocketCube]:
    """Return two states such that algs which solve the cube lead from the first to the second."""
    target = randomly_oriented(rng, lookup.random_state(rng))
    turned = target.apply(invert_alg(cube.homing_rotation()))
    return turned.apply(invert_alg(lookup.solve(cube, metric="qtm"))), target


def _pairs(layout: str, *, is_held: bool) -> PocketGroups:
    """Return the groups of cases that consist of two states of a cube."""

    def write(rng: random.Random, cube: PocketCube, colours: str) -> Case:
        return [symbol for state in _pair(rng, cube) for symbol in _listed(coloured(state, colours), layout)]

    return PocketGroups(write, _LETTERS, is_held=is_held)


def _hdu_2691(symbols: Case) -> str:
    start, target = arrange(symbols[:24], "hdu-2691"), arrange(symbols[24:], "hdu-2691")
    return str(lookup.depth(relative_facelets(start, target), metric="qtm"))


_HDU_2691 = Problem(
    "2-Dimensional Rubik's Cube: quarter turns between two cubes",
    _hdu_2691,
    (". .\n" * 2 + ". . . . . . . .\n" * 2 + ". .\n" * 2) * 2,
    (
        sample("GWYG WGOYRBOR YBRWGBOB WORY BBBB OOWWRRYY OOWWRRYY GGGG"),
        *_pairs("hdu-2691", is_held=True).all(),
    ),
    letters=True,
    counted=True,
)


# -- corners-24: the turns themselves --------------------------------------------------------------------------------

_NO_SOLUTION = "no solution"
_CORNERS_MOVES = {
    move.letter if move.turns == 1 else move.letter.lower(): move for move in metric_moves("qtm", TURNING_FACES)
}


def _start_and_target(symbols: Sequence[str]) -> tuple[str, str]:
    return arrange(symbols[:24], "corners"), arrange(symbols[24:], "corners")


def _corners_24(symbols: Case) -> str:
    fixed = slice(18, 21)
    if symbols[:24][fixed] != symbols[24:][fixed]:
        raise InvalidStateError("the corner D3 L3 B4 must have the same colours in both cubes")
    try:
        alg = lookup.solve(relative_facelets(*_start_and_target(symbols)), metric="qtm")
    except UnsolvableStateError:
        return _NO_SOLUTION
    names = {move: name for name, move in _CORNERS_MOVES.items()}
    return " ".join(names[move] for move in parse_alg(alg))


def _corners_24_mistake(symbols: Sequence[str], right: str, given: list[str]) -> str | None:
    if _NO_SOLUTION in (right, given[0]):
        return wrong_word(symbols, right or "an empty line", given)
    start, target = _start_and_target(symbols)
    return wrong_moves(
        given[0].replace(" ", ""),
        _CORNERS_MOVES,
        lambda moves: turn(2, start, moves) == target,
        "turn the first cube into the second",
        len(right.split()),
    )


def _twisted(facelets: str, corner: int) -> str:
    """Return facelets with a corner twisted in place."""
    shown = list(facelets)
    here, there, beyond = CORNER_FACELETS[corner]
    shown[there], shown[beyond], shown[here] = facelets[here], facelets[there], facelets[beyond]
    return "".join(shown)


def _lettered(rng: random.Random, *states: str) -> Case:
    """Return facelets in the order of corners-24, in random colours."""
    colours = str.maketrans(FACES, "".join(rng.sample(_LETTERS, 6)))
    return [symbol for state in states for symbol in _listed(state.translate(colours), "corners")]


def _apart(rng: random.Random, _number: int) -> list[Case]:
    """Return cases in which each corner but the last is twisted in one of the two cubes."""
    cases = []
    for corner in range(7):
        one, other = (state.facelets for state in _pair(rng, lookup.random_state(rng)))
        cases += [_lettered(rng, _twisted(one, corner), other), _lettered(rng, one, _twisted(other, corner))]
    return cases


def _unsolvable(rng: random.Random, _number: int) -> list[Case]:
    """Return cases in which each corner but the last is twisted in both cubes."""
    targets = [_twisted(lookup.random_state(rng).facelets, corner) for corner in range(7)]
    return [_lettered(rng, turn(2, target, parse_alg(lookup.scramble(rng))), target) for target in targets]


_CORNERS_24 = Problem(
    "quarter turns of U F R from one cube to another",
    _corners_24,
    "... ... ... ... ... ... ... ...\n" * 2,
    (
        CaseGroup("apart", "no solution: a corner of one of the two cubes is twisted", _apart),
        CaseGroup("unsolvable", "neither cube can be solved, but moves lead from one to the other", _unsolvable),
        *_pairs("corners", is_held=False).all(),
    ),
    Output(
        _corners_24_mistake,
        brief=lambda answer: answer if answer == _NO_SOLUTION else str(len(answer.split())),
        has_blank_lines=True,
    ),
    letters=True,
    single=True,
)


# -- cubies-14: a shuffle and a solution in half turns ---------------------------------------------------------------

_CUBIES_MOVES = {str(move): move for move in metric_moves("htm", TURNING_FACES)}


def _cubies_14(symbols: Case) -> str:
    solution = lookup.solve(parse_cubies(" ".join(symbols)))
    return f"{invert_alg(solution)}\n{len(solution.split())}\n{solution}"


def _cubies_14_mistake(symbols: Sequence[str], right: str, given: list[str]) -> str | None:
    state, solved = parse_cubies(" ".join(symbols)).facelets, PocketCube.solved().facelets
    least = int(right.split("\n")[1])
    shuffle, number, solution = given

    def makes(moves: list[FaceTurn]) -> bool:
        return turn(2, solved, moves) == state

    def solves(moves: list[FaceTurn]) -> bool:
        return turn(2, state, moves) == solved

    mistake = wrong_moves(shuffle.split(), _CUBIES_MOVES, makes, "make the state", None)
    if mistake:
        return f"shuffle: {mistake}"
    mistake = wrong_moves(solution.split(), _CUBIES_MOVES, solves, "solve the cube", least)
    if mistake:
        return f"solution: {mistake}"
    return wrong_word(symbols, str(least), [number])


_CUBIES_14 = Problem(
    "shuffle, number of moves, and solution in half turns",
    _cubies_14,
    " ".join("." * 14) + "\n",
    (
        sample("2415063 1022100"),
        *PocketGroups(lambda _rng, cube, _colours: format_cubies(cube).split(), metric="htm", is_held=False).all(),
    ),
    Output(
        _cubies_14_mistake,
        brief=lambda answer: answer.split("\n")[1],
        goes_on=lambda given, _ahead: len(given) < 3,
        has_blank_lines=True,
    ),
    single=True,
)


PROBLEMS = {
    "uva-11007": _UVA_11007,
    "hdu-2953": _HDU_2953,
    "corners-24": _CORNERS_24,
    "cubies-14": _CUBIES_14,
    "hdu-2691": _HDU_2691,
    "mipt-041": _MIPT_041,
    "cf-887c": _CF_887C,
    "hdu-4801": _HDU_4801,
}
"""The problems about pocket cubes by name."""
