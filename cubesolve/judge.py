"""Input and output of online-judge problems, by the name of the format.

Cases are read symbol by symbol, as the programs of the judges do. Where that does not come out even, some case has too
few or too many symbols; then the lines tell the cases apart, the wrong ones are reported, and the others are answered.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cubesolve import lookup
from cubesolve.errors import InvalidStateError, UnsolvableStateError, quoted
from cubesolve.facelets import turn
from cubesolve.formats import arrange, parse_cubies, parse_uva
from cubesolve.notation import FACES, Move, invert_alg, metric_moves
from cubesolve.pocket import (
    CORNER_FACELETS,
    CORNERS,
    TWISTS,
    PocketCube,
    anchored_rank,
    neighbours,
    relative_facelets,
    twists_of,
)
from cubesolve.rubik import FACELET_NAMES, RubikCube, read_cubies

MOST_TURNS = 7
"""The largest number of quarter turns that hdu-4801 asks about."""

MOST_ROLLS = 30
"""The largest number of rolls that poj-3131 answers."""

MOST_RUBIK_TURNS = 5
"""The largest number of quarter turns that rubik-5 answers."""


class Verdict(NamedTuple):
    """What became of one case.

    Attributes:
        case: its number, from 1.
        line: the number of the line where it begins, from 1.
        answer: its output, one or more lines; None where the case is wrong.
        error: what is wrong with it; None where it is answered.
    """

    case: int
    line: int
    answer: str | None
    error: InvalidStateError | None


class _Problem(NamedTuple):
    answer: Callable[[list[str]], str]
    shape: tuple[int, ...]  # symbols on each line of a case
    letters: bool = False  # every letter is a symbol, blanks between them or not
    counted: bool = False  # the number of cases comes first
    ends_with: str = ""  # symbols in place of a case after the last one


def _uva_11007(symbols: list[str]) -> str:
    return str(lookup.depth(parse_uva("".join(symbols)), "qtm"))


def _quarter_turns(layout: str) -> Callable[[list[str]], str]:
    return lambda symbols: str(_depth(arrange(symbols, layout)))


def _depth(facelets: str) -> int:
    """The quarter turns that solve a cube whose colours are mere symbols, even if they happen to be face letters."""
    return lookup.depth(PocketCube.unrank(anchored_rank(facelets, letters_name_faces=False)), "qtm")


def _hdu_2691(symbols: list[str]) -> str:
    start, target = arrange(symbols[:24], "hdu-2691"), arrange(symbols[24:], "hdu-2691")
    return str(lookup.depth(relative_facelets(start, target), "qtm"))


def _corners_24(symbols: list[str]) -> str:
    fixed = slice(18, 21)
    if symbols[:24][fixed] != symbols[24:][fixed]:
        raise InvalidStateError("the corner D3 L3 B4 must look the same in both cubes")
    relative = relative_facelets(arrange(symbols[:24], "corners"), arrange(symbols[24:], "corners"))
    try:
        alg = lookup.solve(relative, "qtm")
    except UnsolvableStateError:
        return "no solution"
    return " ".join(move[0].lower() if move.endswith("'") else move for move in alg.split())


def _cubies_14(symbols: list[str]) -> str:
    solution = lookup.solve(parse_cubies(" ".join(symbols)))
    return f"{invert_alg(solution)}\n{len(solution.split())}\n{solution}"


def _cf_887c(symbols: list[str]) -> str:
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
        return "NO"  # the problem promises no more than the counts, and no turn solves what is not a cube


def _hdu_4801(symbols: list[str]) -> str:
    turns, facelets = symbols[0], arrange(symbols[1:], "hdu-4801")
    if not (len(turns) == 1 and turns in "01234567"):
        raise InvalidStateError(f"the number of turns is {quoted(turns)}, not a number from 0 to {MOST_TURNS}")
    return str(_most_complete_faces(anchored_rank(facelets, letters_name_faces=False), int(turns)))


def _poj_3131(symbols: list[str]) -> str:
    x, y, *tops = symbols
    if not (x in "123" and y in "123"):
        raise InvalidStateError(f"the vacancy is at {quoted(x)}, {quoted(y)}, not in columns and rows 1 to 3")
    unknown = next((top for top in tops if top not in "WBRE"), None)
    if unknown is not None:
        raise InvalidStateError(f"{quoted(unknown)} is none of W B R E")
    rolls = lookup.depth((int(x), int(y)), "/".join("".join(tops[i : i + 3]) for i in (0, 3, 6)))
    return str(rolls if rolls <= MOST_ROLLS else -1)


def _rubik_5(symbols: list[str]) -> str:
    by_name = dict(zip(_RUBIK_LAYOUT, symbols, strict=True))
    facelets = "".join(by_name[name] for name in FACELET_NAMES)
    read_cubies(facelets)  # names what is wrong
    solution = _first_solution(facelets.translate(str.maketrans(facelets[4::9], FACES)))
    if solution is None:
        return "-1"
    pairs = [f"{_RUBIK_FACES.index(move.letter)} {1 if move.turns == 1 else -1}" for move in solution]
    return "\n".join([str(len(pairs)), *([" ".join(pairs)] if pairs else [])])


PROBLEMS = {
    "uva-11007": _Problem(_uva_11007, (4,) * 6, letters=True, counted=True),
    "hdu-2953": _Problem(_quarter_turns("hdu-2953"), (2, 2, 8, 8, 2, 2), letters=True, counted=True),
    "corners-24": _Problem(_corners_24, (24, 24), letters=True),
    "cubies-14": _Problem(_cubies_14, (14,)),
    "hdu-2691": _Problem(_hdu_2691, (2, 2, 8, 8, 2, 2) * 2, letters=True, counted=True),
    "mipt-041": _Problem(_quarter_turns("mipt-041"), (24,)),
    "cf-887c": _Problem(_cf_887c, (24,)),
    "hdu-4801": _Problem(_hdu_4801, (1, 24)),
    "poj-3131": _Problem(_poj_3131, (2, 3, 3, 3), letters=True, ends_with="00"),
    "rubik-5": _Problem(_rubik_5, (3, 3, 3, 12, 12, 12, 3, 3, 3), letters=True, counted=True),
}
"""Every format by name."""


def judge(name: str, text: str) -> Iterator[Verdict]:
    """Answer the cases of a problem's input, in order.

    Args:
        name: a name in `PROBLEMS`.
        text: the input, whole.

    Raises:
        KeyError: no such format.
        TableError: a table is missing or damaged.

    >>> [verdict.answer for verdict in judge("mipt-041", "1 1 5 5 2 2 2 2 4 4 6 6 3 3 3 3 5 6 5 6 1 4 1 4")]
    ['1']
    """
    problem = PROBLEMS[name]
    for case, (line, symbols) in enumerate(_cases(problem, text), start=1):
        try:
            if len(symbols) != sum(problem.shape):
                raise InvalidStateError(f"the case has {len(symbols)} symbols here, not {sum(problem.shape)}")
            yield Verdict(case, line, problem.answer(symbols), None)
        except InvalidStateError as error:
            yield Verdict(case, line, None, error)


class _Line(NamedTuple):
    number: int
    symbols: list[str]


def _cases(problem: _Problem, text: str) -> Iterator[tuple[int, list[str]]]:
    """The line where each case begins, and its symbols: as many as it should have, unless it is wrong."""
    lines = _lines(problem, text)
    size = sum(problem.shape)
    if sum(len(line.symbols) for line in lines) % size == 0:
        return _of_size(size, lines)
    return _of_shape(problem, lines)


def _of_size(size: int, lines: list[_Line]) -> Iterator[tuple[int, list[str]]]:
    """Cases one after the other, wherever lines may end."""
    symbols = [symbol for line in lines for symbol in line.symbols]
    numbers = [line.number for line in lines for _ in line.symbols]
    for first in range(0, len(symbols), size):
        yield numbers[first], symbols[first : first + size]


def _of_shape(problem: _Problem, lines: list[_Line]) -> Iterator[tuple[int, list[str]]]:
    """Cases told apart by their lines, because some have too few or too many symbols."""
    size, first = sum(problem.shape), 0
    while first < len(lines):
        last, found = first, 0
        while found < size and last < len(lines):
            found += len(lines[last].symbols)
            last += 1
        shaped = _has_shape(problem, lines, first)
        fits = shaped or found == size or (found % size == 0 and last == first + 1)
        following = range(first + 1, last if fits else len(lines))
        next_case = next((i for i in following if _has_shape(problem, lines, i)), None)
        if shaped or (fits and next_case is None):
            yield from _of_size(size, lines[first:last])
            first = last
        else:  # the case breaks off before another one begins
            next_case = len(lines) if next_case is None else next_case
            yield lines[first].number, [symbol for line in lines[first:next_case] for symbol in line.symbols]
            first = next_case


def _lines(problem: _Problem, text: str) -> list[_Line]:
    """The lines that are not blank, without the number of cases and without what follows the last one."""
    tokens = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if problem.counted and tokens and tokens[0][1][0].isdigit():
        del tokens[0][1][0]
    lines = [_Line(number, list("".join(line)) if problem.letters else line) for number, line in tokens if line]
    end = list(problem.ends_with)
    if end:
        last = next((i for i, line in enumerate(lines) if line.symbols == end), len(lines))
        lines = lines[:last]
        if [symbol for line in lines[-len(end) :] for symbol in line.symbols][-len(end) :] == end:
            for _ in end:
                lines[-1].symbols.pop()
                if not lines[-1].symbols:
                    lines.pop()
    return lines


def _has_shape(problem: _Problem, lines: list[_Line], first: int) -> bool:
    """Whether a case begins at `first` as it is usually printed, without a blank line in it."""
    case = lines[first : first + len(problem.shape)]
    together = case[-1].number - case[0].number == len(case) - 1
    return together and tuple(len(line.symbols) for line in case) == problem.shape


# -- hdu-4801: complete faces within a few turns -----------------------------------------------------------------------


def _most_complete_faces(rank: int, turns: int) -> int:
    """The largest number of one-coloured faces that at most this many quarter turns reach."""
    complete = _complete_faces()
    best, seen, reached = 0, {rank}, {rank}
    for left in range(turns, -1, -1):
        for state in reached:
            best = max(best, complete.get(state, 0))
            for faces in _RARE_FACES:
                if best < faces and _turns_to(faces).get(state, MOST_TURNS + 1) <= left:
                    best = faces
        if best and left <= _LOOK_AHEAD:
            break
        reached = {neighbour for state in reached for neighbour in neighbours(state, "qtm")} - seen
        seen |= reached
    return best


_RARE_FACES = (6, 3, 2)  # more than one face, in few enough states to look back from; 4 and 5 do not occur
_LOOK_AHEAD = 3


@functools.cache
def _turns_to(faces: int) -> dict[int, int]:
    """The states from which at most `_LOOK_AHEAD` turns complete this many faces, and how many they take."""
    reached = {rank for rank, count in _complete_faces().items() if count >= faces}
    turns = dict.fromkeys(reached, 0)
    for distance in range(1, _LOOK_AHEAD + 1):
        reached = {neighbour for state in reached for neighbour in neighbours(state, "qtm")} - turns.keys()
        turns |= dict.fromkeys(reached, distance)
    return turns


@functools.cache
def _complete_faces() -> dict[int, int]:
    """The number of one-coloured faces of every state that has any, by rank."""
    counts: dict[int, int] = {}
    faces = [[place for place in _places() if place[2] // 4 == face] for face in range(6)]
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


def _places() -> Iterator[tuple[int, int, int]]:
    """Every facelet with its corner position and its place there."""
    for position, corner in enumerate(CORNER_FACELETS):
        for place, facelet in enumerate(corner):
            yield position, place, facelet


@functools.cache
def _ranks_with(twists: tuple[tuple[int, int], ...]) -> list[int]:
    """The twist ranks in which these corner positions have these twists."""
    return [rank for rank in range(TWISTS) if all(twists_of(rank)[i] == twist for i, twist in twists)]


# -- rubik-5: a 3x3x3 within a few turns -------------------------------------------------------------------------------

_RUBIK_FACES = "LFRBUD"
"""The faces as the problem numbers them."""

_RUBIK_LAYOUT = [
    *(f"U{number}" for number in range(1, 10)),
    *(f"{face}{number}" for row in (1, 4, 7) for face in "LFRB" for number in range(row, row + 3)),
    *(f"D{number}" for number in range(1, 10)),
]
"""The facelets in the order in which the problem lists them."""

_RUBIK_TURNS = metric_moves("qtm", _RUBIK_FACES)
_NEAR = 3  # solutions of this many turns are kept: of 1,195 positions


def _first_solution(facelets: str) -> list[Move] | None:
    """The first shortest solution of a cube in face letters; None if it needs too many turns."""
    near = _near_solutions()
    reached: list[tuple[tuple[int, ...], str]] = [((), facelets)]
    for turns in range(MOST_RUBIK_TURNS - _NEAR + 1):
        if turns:
            reached = [
                ((*numbers, number), turn(3, state, [move]))
                for numbers, state in reached
                for number, move in enumerate(_RUBIK_TURNS)
            ]
        for numbers, state in reached:
            if state in near:
                return [_RUBIK_TURNS[number] for number in numbers + near[state]]
    return None


@functools.cache
def _near_solutions() -> dict[str, tuple[int, ...]]:
    """The first shortest solution, as numbers of turns, of every cube that needs few."""
    level: dict[str, tuple[int, ...]] = {RubikCube.solved().facelets: ()}
    found = dict(level)
    for _ in range(_NEAR):
        further: dict[str, tuple[int, ...]] = {}
        for facelets, solution in level.items():
            for number, move in enumerate(_RUBIK_TURNS):
                before = turn(3, facelets, [move.inverse()])
                if before not in found:
                    longer = (number, *solution)
                    further[before] = min(further.get(before, longer), longer)
        found |= further
        level = further
    return found
