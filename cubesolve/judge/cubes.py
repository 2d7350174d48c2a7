"""The problems about pocket cubes: answers, test data, and checks of an output."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve import lookup
from cubesolve.catalog.pocket import PocketGraph
from cubesolve.catalog.pocket.cube import (
    CORNER_FACELETS,
    CORNERS,
    STATES,
    TURNING_FACES,
    TWISTS,
    PocketCube,
    reference_rank,
    twists_of,
)
from cubesolve.catalog.pocket.forms import FORMS, LAYOUTS, UVA_COLOURS, arrange, format_cubies, parse_cubies
from cubesolve.definition.facelets import cube_rotations, relative, turn
from cubesolve.definition.notation import FACES, FaceTurn, invert_alg, metric_moves, parse_alg
from cubesolve.errors import InvalidStateError, UnsolvableStateError, quoted
from cubesolve.judge.cases import Case, CaseGroup, Output, Problem, sample, wrong_moves, wrong_word

if TYPE_CHECKING:
    import random

# -- Test data that all of these problems share ----------------------------------------------------------------------

_SCHEMES = 12
_RARE = 1000  # one state in so many


class PocketGroups(NamedTuple):
    """Makes the groups of a problem about pocket cubes; a case is made of a cube, and of the colours of U R F D L B."""

    write: Callable[[random.Random, PocketCube, str], Case]
    palette: str = ""  # the symbols from which the six colours are drawn; empty if the problem fixes the colours
    metric: str = "qtm"
    is_held: bool = True  # whether the cube can have any orientation; otherwise its corner DBL is at home
    probe_depth: int | None = None  # the depth at which the answer reveals a misread cube; by default any depth does

    def all(self) -> tuple[CaseGroup, ...]:
        """Return all groups."""
        orientation = CaseGroup("holdings", "one state in all 24 orientations", self._orientations)
        scheme = CaseGroup("schemes", "one state in many colour schemes, each with its mirror image", self._schemes)
        return (
            CaseGroup("solved", "the solved cube" + ", in all 24 orientations" * self.is_held, self._solved),
            CaseGroup("turns", "each state at one quarter or half turn from solved", self._turns),
            CaseGroup("depths", "the same number of states at each depth", self._depths),
            *([orientation] if self.is_held else []),
            *([scheme] if self.palette else []),
            CaseGroup("antipodes", "states at the largest depth", self._antipodes),
            CaseGroup("random", "uniformly random states", self._random),
        )

    def cases(self, rng: random.Random, cubes: Iterable[PocketCube]) -> list[Case]:
        """Return a case about each cube, in random colours."""
        return [self.write(rng, cube, self._colours(rng)) for cube in cubes]

    def _colours(self, rng: random.Random) -> str:
        return "".join(rng.sample(self.palette, 6)) if self.palette else FACES

    def _turned(self, rng: random.Random, cubes: Iterable[PocketCube]) -> Iterable[PocketCube]:
        return (randomly_oriented(rng, cube) for cube in cubes) if self.is_held else cubes

    def _solved(self, rng: random.Random, _number: int) -> list[Case]:
        solved = PocketCube.solved()
        return self.cases(rng, in_all_orientations(solved) if self.is_held else [solved])

    def _turns(self, rng: random.Random, _number: int) -> list[Case]:
        moves = metric_moves("htm", FACES if self.is_held else TURNING_FACES)
        return self.cases(rng, map(PocketCube.solved().apply, moves))

    def _depths(self, rng: random.Random, number: int) -> list[Case]:
        depths = len(lookup.distribution(metric=self.metric))
        share = max(1, number // depths)
        states = (state_at(rng, depth, self.metric) for depth in range(depths) for _ in range(share))
        return self.cases(rng, self._turned(rng, states))

    def _orientations(self, rng: random.Random, _number: int) -> list[Case]:
        return self.cases(rng, in_all_orientations(lookup.random_state(rng, self.probe_depth, metric=self.metric)))

    def _schemes(self, rng: random.Random, _number: int) -> list[Case]:
        state = lookup.random_state(rng, self.probe_depth, metric=self.metric)
        return [self.write(rng, state, colours) for colours in schemes(rng, self.palette)]

    def _antipodes(self, rng: random.Random, number: int) -> list[Case]:
        antipodes = list(lookup.antipodes(metric=self.metric))
        return self.cases(rng, self._turned(rng, rng.sample(antipodes, min(number, len(antipodes)))))

    def _random(self, rng: random.Random, number: int) -> list[Case]:
        return self.cases(rng, self._turned(rng, (lookup.random_state(rng) for _ in range(number))))


def in_all_orientations(cube: PocketCube) -> list[PocketCube]:
    """Return a cube in each of the 24 orientations."""
    return [cube.apply(rotations) for rotations in cube_rotations().values()]


def randomly_oriented(rng: random.Random, cube: PocketCube) -> PocketCube:
    """Return a cube in a random orientation."""
    return cube.apply(rng.choice(list(cube_rotations().values())))


def state_at(rng: random.Random, depth: int, metric: str) -> PocketCube:
    """Return a uniformly random state at a depth, by rejection sampling unless such states are rare."""
    if lookup.distribution(metric=metric)[depth] * _RARE < STATES:
        rare: PocketCube = lookup.random_state(rng, depth, metric=metric)
        return rare
    depths = lookup.table(f"pocket-{metric}").body
    rank = rng.randrange(STATES)
    while depths[rank] != depth:
        rank = rng.randrange(STATES)
    return PocketCube.unrank(rank)


def schemes(rng: random.Random, palette: str) -> list[str]:
    """Return many colours of the faces U R F D L B, each followed by those of the mirror image."""
    drawn = [palette[:6], *("".join(rng.sample(palette, 6)) for _ in range(_SCHEMES - 1))]
    return [colours for scheme in drawn for colours in (scheme, mirrored(scheme))]


def mirrored(colours: str) -> str:
    """Return the colours of the faces U R F D L B of a cube's mirror image."""
    return colours.translate(str.maketrans(colours[1] + colours[4], colours[4] + colours[1]))


def coloured(cube: PocketCube, colours: str) -> str:
    """Return the facelets of a cube in other colours."""
    return cube.facelets.translate(str.maketrans(FACES, colours))


# -- Layouts ----------------------------------------------------------------------------------------------------------

_LETTERS = FACES + "ACEGHIJKMNOPQSTVWXYZ"
_ROW = " ".join("." * 24) + "\n"


def _listed(facelets: str, layout: str) -> Case:
    """Return facelets in the order of a layout; the inverse of `arrange`."""
    return [facelets[i] for i in LAYOUTS[layout]]


def _cubes(layout: str, palette: str, probe_depth: int | None = None) -> PocketGroups:
    def write(_rng: random.Random, cube: PocketCube, colours: str) -> Case:
        return _listed(coloured(cube, colours), layout)

    return PocketGroups(write, palette, probe_depth=probe_depth)


# -- Quarter turns that solve a cube ---------------------------------------------------------------------------------


def _quarter_turns(layout: str) -> Callable[[Case], str]:
    return lambda symbols: str(_depth(arrange(symbols, layout)))


def _depth(facelets: str) -> int:
    return lookup.depth(PocketCube.unrank(reference_rank(facelets, letters_name_faces=False)), metric="qtm")


_UVA_11007 = Problem(
    "Mini Cube: quarter turns to solve",
    lambda symbols: str(lookup.depth(FORMS["uva"].read("".join(symbols)), metric="qtm")),
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
    (sample("OOOO RRGGBBWW RRGGBBWW YYYY", "RRRR YYOOGGBB OOGGBBYY WWWW"), *_cubes("hdu-2953", _LETTERS).all()),
    letters=True,
    counted=True,
)

_MIPT_041 = Problem(
    "quarter turns to solve",
    _quarter_turns("mipt-041"),
    _ROW,
    (sample("115522224466333356561414", "212312324143143466555656"), *_cubes("mipt-041", "123456").all()),
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
    depths = [1 if i % 2 else rng.choice((0, 2, 3)) for i in range(number)]
    return _ONE_TO_SIX.cases(rng, (randomly_oriented(rng, state_at(rng, depth, "qtm")) for depth in depths))


def _no_cubes(rng: random.Random, number: int) -> list[Case]:
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

MOST_TURNS = 7  # largest number of quarter turns in hdu-4801

_RARE_FACES = (6, 3, 2)  # numbers that occur in few states, which allows a search backwards; 4 and 5 do not occur
_LOOK_AHEAD = 3


def most_complete_faces(rank: int, turns: int) -> int:
    """Return the largest number of one-coloured faces within a number of quarter turns."""
    complete = complete_faces()
    best, seen, reached = 0, {rank}, {rank}
    for left in range(turns, -1, -1):
        for state in reached:
            best = max(best, complete.get(state, 0))
            for faces in _RARE_FACES:
                if best < faces and _turns_to(faces).get(state, MOST_TURNS + 1) <= left:
                    best = faces
        if best and left <= _LOOK_AHEAD:
            break
        reached = {neighbour for state in reached for neighbour in PocketGraph("qtm").neighbours(state)} - seen
        seen |= reached
    return best


@functools.cache
def _turns_to(faces: int) -> dict[int, int]:
    """Return the number of turns that complete some faces, for the states in which `_LOOK_AHEAD` turns suffice."""
    reached = {rank for rank, count in complete_faces().items() if count >= faces}
    turns = dict.fromkeys(reached, 0)
    for distance in range(1, _LOOK_AHEAD + 1):
        reached = {neighbour for state in reached for neighbour in PocketGraph("qtm").neighbours(state)} - turns.keys()
        turns |= dict.fromkeys(reached, distance)
    return turns


@functools.cache
def complete_faces() -> dict[int, int]:
    """Return the number of one-coloured faces of each state that has any, by rank."""
    counts: dict[int, int] = {}
    places = [(at, place, facelet) for at, corner in enumerate(CORNER_FACELETS) for place, facelet in enumerate(corner)]
    faces = [[place for place in places if place[2] // 4 == face] for face in range(6)]
    for permutation, pieces in enumerate(itertools.permutations(range(7))):
        names = [CORNERS[piece] for piece in (*pieces, 7)]
        for face in faces:
            for colour in set.intersection(*(set(names[position]) for position, _, _ in face)):
                twists = {position: (place - names[position].index(colour)) % 3 for position, place, _ in face}
                if twists.pop(7, 0) == 0:
                    for twist in _ranks_with(tuple(sorted(twists.items()))):
                        rank = permutation * TWISTS + twist
                        counts[rank] = counts.get(rank, 0) + 1
    return counts


@functools.cache
def _ranks_with(twists: tuple[tuple[int, int], ...]) -> list[int]:
    return [rank for rank in range(TWISTS) if all(twists_of(rank)[i] == twist for i, twist in twists)]


def _hdu_4801(symbols: Case) -> str:
    turns, facelets = symbols[0], arrange(symbols[1:], "hdu-4801")
    if not (len(turns) == 1 and turns in "01234567"):
        raise InvalidStateError(f"the number of turns is {quoted(turns)}, not a number from 0 to {MOST_TURNS}")
    return str(most_complete_faces(reference_rank(facelets, letters_name_faces=False), int(turns)))


def _within(turns: int | None) -> PocketGroups:
    def write(rng: random.Random, cube: PocketCube, colours: str) -> Case:
        number = rng.randrange(MOST_TURNS + 1) if turns is None else turns
        return [str(number), *_listed(coloured(cube, colours), "hdu-4801")]

    return PocketGroups(write, "012345", probe_depth=4)


def _just_within(rng: random.Random, _number: int) -> list[Case]:
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
    def write(rng: random.Random, cube: PocketCube, colours: str) -> Case:
        return [symbol for state in _pair(rng, cube) for symbol in _listed(coloured(state, colours), layout)]

    return PocketGroups(write, _LETTERS, is_held=is_held)


def _hdu_2691(symbols: Case) -> str:
    start, target = arrange(symbols[:24], "hdu-2691"), arrange(symbols[24:], "hdu-2691")
    return str(lookup.depth(relative(2, CORNERS, start, target), metric="qtm"))


_HDU_2691 = Problem(
    "2-Dimensional Rubik's Cube: quarter turns between two cubes",
    _hdu_2691,
    (". .\n" * 2 + ". . . . . . . .\n" * 2 + ". .\n" * 2) * 2,
    (sample("GWYG WGOYRBOR YBRWGBOB WORY BBBB OOWWRRYY OOWWRRYY GGGG"), *_pairs("hdu-2691", is_held=True).all()),
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
        alg = lookup.solve(relative(2, CORNERS, *_start_and_target(symbols)), metric="qtm")
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
    shown = list(facelets)
    here, beside, beyond = CORNER_FACELETS[corner]
    shown[beside], shown[beyond], shown[here] = facelets[here], facelets[beside], facelets[beyond]
    return "".join(shown)


def _lettered(rng: random.Random, *states: str) -> Case:
    colours = str.maketrans(FACES, "".join(rng.sample(_LETTERS, 6)))
    return [symbol for state in states for symbol in _listed(state.translate(colours), "corners")]


def _apart(rng: random.Random, _number: int) -> list[Case]:
    cases = []
    for corner in range(7):
        one, other = (state.facelets for state in _pair(rng, lookup.random_state(rng)))
        cases += [_lettered(rng, _twisted(one, corner), other), _lettered(rng, one, _twisted(other, corner))]
    return cases


def _unsolvable(rng: random.Random, _number: int) -> list[Case]:
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
