"""Invalid definitions are rejected; the error has the place and the reason."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from cubesolve.definition.definition import Definition
from cubesolve.definition.formats import cycles, parse_cycles, parse_kpuzzle, parse_kpuzzle_pattern, parse_tws
from cubesolve.errors import InvalidDefinitionError, InvalidStateError
from tests.definitions.samples import HALF_TURNS_CYCLES, POCKET_KPUZZLE, POCKET_TWS, RINGS

Parse = Callable[[str, str], Definition]

SET = "Set A 3 2\n"
SOLVED = SET + "Solved\nEnd\n"
MOVE = SOLVED + "Move M\nA\n2 3 1\nEnd\n"
COMMANDS = "Name, Set, Solved, StartState, Move, MoveTransformation, MoveAlias, MoveSequence, Illegal, Block"
COUNT = "is not a count: expected a number from 1 to 16384"
POINT = "is not a point: expected a number from 1 to 16384"
PRINTABLE = "expected 1 to 200 printable characters"
NO_NAME = "is not a valid name of a move: no white space, brackets, commas, colons; no ' first"
TOO_MANY_PIECES = "there are too many pieces: at most 16,384, each counted for each orientation"
TOO_MANY_MOVES = "there are too many moves: at most 512, and 128 rotations"
POWER = "that its name says"
TORN = "Set B 6 1\nSolved\nEnd\n" + "".join(
    f"Move {name}\nB\n{beads}\nEnd\n"
    for name, beads in {"K": "5 2 6 4 1 3", "L": "1 5 6 4 2 3", "N": "2 1 3 4 5 6"}.items()
)
TORN += "Block\nB\n1 3\nEnd"


def _refused(parse: Parse, text: str, message: str) -> None:
    with pytest.raises(InvalidDefinitionError) as caught:
        parse(text, "file")
    error = caught.value
    assert str(error) == f"file: {message}"
    assert error.path == "file"
    assert message == ": ".join(filter(None, (error.where, error.reason)))


TWS = [
    ("", "there is no Set"),
    ("Name A\nName B", "line 2: there is a second Name"),
    ("Name", "line 1: expected Name and the puzzle's name"),
    ("Name \x1b[31m", f"line 1: '\\x1b[31m' is not a valid name of a puzzle: {PRINTABLE}"),
    ("set A 3 2", f"line 1: 'set' is not understood: expected {COMMANDS}"),
    ("Set A 3", "line 1: expected Set and its name, how many pieces, and how many orientations"),
    ("Set A 0 2", f"line 1: '0' {COUNT}"),
    ("Set A \u0663 2", f"line 1: '\u0663' {COUNT}"),
    (f"Set A 1{'0' * 9999} 2", f"line 1: '1{'0' * 23}...' {COUNT}"),
    ("Set A 3 2\nSet A 4 1", "line 2: A is defined twice"),
    ("Set A 8192 2\nSet B 1 1", f"line 2: {TOO_MANY_PIECES}"),
    ("Set End 3 2", "line 1: 'End' is not a valid name of a set: expected neither a keyword nor a number"),
    ("Set 3A 3 2", "line 1: '3A' is not a valid name of a set: expected neither a keyword nor a number"),
    ("Solved\nEnd\n" + SET, "line 1: there is no Set before Solved"),
    (SOLVED + "Set B 1 1", "line 4: Set must precede the lines about sets"),
    (SET, "there is no Solved"),
    (SOLVED, "there is no move"),
    (SOLVED + "Solved\nEnd", "line 4: there is a second Solved"),
    (SET + "Solved A\nEnd", "line 2: expected Solved alone"),
    (SET + "Solved", "line 2: has no End"),
    (SET + "Solved\nMove M\n", "line 3: expected End before it, for Solved in line 2"),
    (SET + "Solved\nB\n1 2 3\nEnd", "line 3: there is no set 'B'"),
    (SET + "Solved\nA 1 2 3\nEnd", "line 3: expected A alone"),
    (SET + "Solved\nA\nEnd", "line 4: expected the numbers of A"),
    (SET + "Solved\n1 2 3\nEnd", "line 3: expected the name of a set, or End"),
    (SET + "Solved\nA\n1 2 3\nA\n1 2 3\nEnd", "line 5: A occurs twice"),
    (SET + "Solved\nA\n1 2\nEnd", "line 4: A has 3 pieces, and the line has 2 numbers"),
    (SET + "Solved\nA\n1 2 4\nEnd", "line 4: '4' is not a piece: expected a number from 1 to 3"),
    (SET + "Solved\nA\n1 2 ?\nEnd", "line 4: '?' is not a piece: expected a number from 1 to 3"),
    (SET + "StartState\nA\n1 2 3\nEnd", "line 4: '3' is not a piece: expected a number from 0 to 2"),
    (SET + "Solved\nA\n1 2 3\n0 2 0\nEnd", "line 5: '2' is not an orientation: expected a number from 0 to 1"),
    (
        SET + "Solved\nA\n1 2 2\n0 ? 0\nEnd",
        "line 5: the orientation of piece 2 matters in one place and not in another",
    ),
    (SOLVED + "Move\nA\n2 1 3\nEnd", "line 4: expected Move and its name"),
    (SOLVED + "Move M\nA\n2 2 3\nEnd", "line 6: place 2 occurs twice"),
    (SOLVED + "Move M\nA\n2 1 3\n0 ? 0\nEnd", "line 7: '?' is not an orientation: expected a number from 0 to 1"),
    (SOLVED + "Move M\nA\n1 2 3\n0 0 0\nEnd", "line 4: M does nothing"),
    (SOLVED + "Move uv\nA\n2 1 3\nEnd\nMove uv\nA\n1 3 2\nEnd", "line 8: uv is defined twice: first in line 4"),
    (SOLVED + "Move (M)\nA\n2 1 3\nEnd", f"line 4: '(M)' {NO_NAME}"),
    (SOLVED + "Move //\nA\n2 1 3\nEnd", f"line 4: '//' {NO_NAME}"),
    (
        SOLVED + f"Move {'M' * 201}\nA\n2 1 3\nEnd",
        f"line 4: '{'M' * 24}...' is not a valid name of a move: {PRINTABLE}",
    ),
    (MOVE + "Move M'\nA\n2 3 1\nEnd", f"line 8: M' is not the power of M {POWER}"),
    (SOLVED + "Illegal A 1", "line 4: expected Illegal and a set, a place, and pieces"),
    (SOLVED + "Illegal B 1 2", "line 4: there is no set 'B'"),
    (SOLVED + "Illegal A 4 2", "line 4: '4' is not a place: expected a number from 1 to 3"),
    (SOLVED + "Illegal A 1 1", "line 4: piece 1 is in place 1 of A when it is solved"),
    (SET + "Solved\nA\n1 1 1\nEnd\nIllegal A 1 2", "line 6: there is no piece 2 in A when it is solved"),
    (SOLVED + "Block A\nEnd", "line 4: expected Block alone"),
    (MOVE + "Block\nA\n1\nEnd", "line 8: expected sets, each with the numbers of its pieces: at least two in all"),
    (MOVE + "Block\nA\n1 4\nEnd", "line 10: '4' is not a piece: expected a number from 1 to 3"),
    (
        SET + "Solved\nA\n1 1 3\nEnd\nMove M\nA\n2 3 1\nEnd\nBlock\nA\n1 3\nEnd",
        "line 10: there are 2 pieces 1 in A when it is solved",
    ),
    (TORN, "line 16: invalid block: a turn of a part of it can lead where a turn of all of it leads"),
    (MOVE + "MoveSequence", "line 8: expected MoveSequence and an alg"),
    (MOVE + "MoveSequence Q", "line 8: expected MoveSequence and an alg, or a name and an alg: this is no move"),
    (MOVE + "MoveSequence M Q", "line 8: 'Q' (character 3) is not a move"),
    (MOVE + "MoveSequence [M, M", "line 8: '[' (character 1) is not closed"),
    (MOVE + "MoveSequence Q M M'", "line 8: Q does nothing"),
    (MOVE + "MoveSequence Q M R\nMoveSequence R Q'", "line 8: is defined by itself: Q needs R needs Q"),
    (MOVE + "MoveSequence Q M\nMoveSequence Q M2", "line 9: Q is defined twice: first in line 8"),
    (MOVE + "MoveAlias Q M M", "line 8: expected MoveAlias and a name, and a move"),
    (MOVE + "MoveAlias M M", "line 8: M is defined twice: first in line 4"),
]


RING: dict[str, Any] = {
    "name": "ring",
    "orbits": [{"orbitName": "DISKS", "numPieces": 3, "numOrientations": 4}],
    "defaultPattern": {"DISKS": {"pieces": [0, 1, 2], "orientation": [0, 0, 0]}},
    "moves": {"C": {"DISKS": {"permutation": [2, 0, 1], "orientationDelta": [0, 0, 0]}}},
    "derivedMoves": {},
}


def _ring(keys: str, value: object) -> str:
    """The ring with other values of some keys."""
    data = json.loads(json.dumps(RING))
    *path, last = keys.split()
    parent = data
    for key in path:
        parent = parent[int(key) if key.isdigit() else key]
    parent[int(last) if last.isdigit() else last] = value
    return json.dumps(data)


JSON = [
    ("[\n1,\n}", "line 3: is not JSON at character 1: Expecting value"),
    ("[" * 10**6, "is nested too deeply"),
    ('{"a": 1' + "0" * 9999 + "}", "has a number of too many digits"),
    ("[]", "is a list, not an object"),
    ('{"orbits": [], "defaultPattern": {}}', "moves: is missing"),
    (json.dumps(RING)[:-1] + ', "name": "again"}', "name: occurs twice"),
    (json.dumps(RING).replace('"C":', '"C": 1, "C":'), "moves.C: occurs twice"),
]


KPUZZLE: list[tuple[str, Any, str]] = [
    ("svg", "<svg/>", "svg: is not understood: expected orbits, defaultPattern, moves, name, derivedMoves, orbitOr"
     "dering, $schema, experimentalPuzzleDescription"),
    ("name", 3, "name: is 3, not a text"),
    ("name", "", f"name: '' is not a valid name of a puzzle: {PRINTABLE}"),
    ("startStateData", {}, "startStateData: duplicates defaultPattern"),
    ("orbits", 7, "orbits: is 7, not a list"),
    ("orbits", [], "orbits: is empty"),
    ("orbits", RING["orbits"] * 2, "orbits[1]: DISKS is defined twice"),
    ("orbits 0 numPieces", 0, "orbits[0].numPieces: is 0: expected a number from 1 to 16384"),
    ("orbits 0 numPieces", 10**9, "orbits[0].numPieces: is a number of many digits: expected a number from 1 to 16384"),
    ("orbits 0 numPieces", 3.0, "orbits[0].numPieces: is 3.0, not a whole number"),
    ("orbits 0 numPieces", True, "orbits[0].numPieces: is True, not a whole number"),
    ("orbits 0 numPieces", 16000, f"orbits[0]: {TOO_MANY_PIECES}"),
    ("orbits 0 orbitName", None, "orbits[0].orbitName: is None, not a text"),
    ("orbits 0 orbitName", "\ud800", f"orbits[0]: '\\ud800' is not a valid name of pieces: {PRINTABLE}"),
    ("orbits 0", {"orbitName": "DISKS", "numPieces": 3}, "orbits[0].numOrientations: is missing"),
    ("orbitOrdering", ["EDGES"], "orbitOrdering: has other names than orbits"),
    ("defaultPattern", {}, "defaultPattern.DISKS: is missing"),
    ("defaultPattern DISKS pieces 2", 3, "defaultPattern.DISKS.pieces[2]: is 3: expected a number from 0 to 2"),
    ("defaultPattern DISKS pieces", "012", "defaultPattern.DISKS.pieces: is '012', not a list"),
    ("defaultPattern DISKS orientationMod", [0, 5, 0],
     "defaultPattern.DISKS.orientationMod[1]: is 5: expected a number from 0 to 4"),
    ("defaultPattern DISKS orientationMod", [0, 3, 0],
     "defaultPattern.DISKS.orientationMod[1]: 3 does not divide the 4 orientations"),
    ("defaultPattern DISKS", {"pieces": [0, 1, 0], "orientation": [0, 0, 0], "orientationMod": [0, 0, 2]},
     "defaultPattern.DISKS.orientationMod[2]: another piece 0 has another orientationMod"),
    ("moves", [], "moves: is a list, not an object"),
    ("moves", {}, "there is no move"),
    ("moves C DISKS permutation", [2, 0, 0], "moves.C.DISKS.permutation[2]: place 0 occurs twice"),
    ("moves C DISKS orientationDelta 1", 4, "moves.C.DISKS.orientationDelta[1]: is 4: expected a number from -3 to 3"),
    ("moves C DISKS", {"permutation": [2, 0, 1]}, "moves.C.DISKS.orientationDelta: is missing"),
    ("moves C DISKS orientation", [0, 0, 0], "moves.C.DISKS.orientation: duplicates orientationDelta"),
    ("moves C", {}, "moves.C: C does nothing"),
    ("moves", {"C D": RING["moves"]["C"]}, f"moves.C D: 'C D' {NO_NAME}"),
    ("moves", {"C" * 300: {"DISKS": 1}}, f"moves.'{'C' * 24}...'.DISKS: is 1, not an object"),
    ("derivedMoves D", 1, "derivedMoves.D: is 1, not a text"),
    ("derivedMoves C", "C2", "derivedMoves.C: C is defined twice: first in moves.C"),
    ("derivedMoves", {"": "C", "D": "E"}, f"derivedMoves.: '' is not a valid name of a move: {PRINTABLE}"),
    ("derivedMoves D", "_", "derivedMoves.D: '_' (character 1) is not a move"),
    ("derivedMoves D", "C E", "derivedMoves.D: 'E' (character 3) is not a move"),
    ("derivedMoves", {"D": "E", "E": "F2", "F": "C D'"},
     "derivedMoves.D: is defined by itself: D needs E needs F needs D"),
    ("derivedMoves D", "", "derivedMoves.D: D does nothing"),
    ("derivedMoves C2", "C", f"derivedMoves.C2: C2 is not the power of C {POWER}"),
    ("derivedMoves D", "(((((C)99)99)99)99)99", "derivedMoves.D: '(' (character 3) exceeds the limit of 100,000 moves"),
    ("derivedMoves", {"D": "(C)60000", "E": "(C)60000"},
     "derivedMoves.E: with it, algs exceed the limit of moves: 100,000"),
    ("derivedMoves D", "C " * 5001, "derivedMoves.D: the alg is too long: at most 10,000 characters"),
    ("derivedMoves", {f"D{i}": "C" for i in range(700)}, TOO_MANY_MOVES),
    ("derivedMoves", {f"D{i}_": "C" for i in range(600)}, f"derivedMoves.D511_: {TOO_MANY_MOVES}"),
]  # fmt: skip

CYCLES = [
    ("", "there is no permutation"),
    ("U := ;", "line 1: expected a permutation, not ';'"),
    ("U := (1,2)\nR := (2,3)", "line 2: expected ; before 'R'"),
    ("U := (1,2,\n1);", "line 2: point 1 is in the permutation twice"),
    ("U := (0,1);", f"line 1: '0' {POINT}"),
    ("U := (1,a);", "line 1: expected a point, not 'a'"),
    ("U := (1 2);", "line 1: expected , before '2'"),
    ("U := (1,2", "line 1: expected , before the end"),
    ("U := (1,2);\nU := (2,3);", "line 2: 'U' is defined twice"),
    ("U := (1,2);\nR := ();", "line 2: R does nothing"),
    ("U := (1,2)\n$", "line 2: '$' is not understood"),
    ('LoadPackage("rubik");', "line 1: there is no permutation 'LoadPackage' before this"),
    ("U := (1,2);\nG := Group(U;", "line 2: expected , before ';'"),
    ("G := Group(", "line 1: expected a permutation, not the end"),
    ("G := [(1,2)];\nH := Group(G", "line 2: expected ) before the end"),
    ("U := (1,2); G := Group(U, U);", "line 1: U is defined twice: first in line 1"),
    ("Group((1,2));\nGroup((1,2));", "line 2: there is a second Group: which are the moves?"),
    ("a := [(1,2)];\nb := [(1,2)];", "line 2: there is a second list: which are the moves?"),
    ("G := Group((1,2));\n(2,3);", "line 2: a permutation without a name is not in the Group"),
    ("U := (1,2,3)^U;", "line 1: expected an exponent, not 'U'"),
    ("U := (1,2,3)^9999999999;", "line 1: '9999999999' is not an exponent: expected a number from 0 to 999999999"),
    ("U := (1,2); ip := [1,2];", "line 1: expected [ before '1'"),
    ("U := (1,2); ip := [[]];", "line 1: expected a point, not ']'"),
    ("U := (1,2);\nip := [[1],[2,1]];", "line 2: point 1 is in ip twice"),
    ("U := (1,2); ip := [[1]]; ip := [[2]];", "line 1: 'ip' is defined twice"),
    ("U := (1,2); ip := [[1] [2]];", "line 1: expected , before '['"),
    ("x := (1,2);\ny := (2,3);", "there is no move, and x is a rotation, as the name says"),
]


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        *((parse_tws, *each) for each in TWS),
        *((parse_kpuzzle, *each) for each in JSON),
        *((parse_kpuzzle, _ring(keys, value), message) for keys, value, message in KPUZZLE),
        *((parse_cycles, *each) for each in CYCLES),
    ],
)
def test_what_is_wrong_is_named(parse: Parse, text: str, message: str) -> None:
    _refused(parse, text, message)


# -- Too much ----------------------------------------------------------------------------------------------------------


def _cycle(first: int, length: int) -> str:
    return f"({','.join(map(str, range(first, first + length)))})"


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]
PRODUCT = "".join(_cycle(1 + sum(PRIMES[:i]), length) for i, length in enumerate(PRIMES))
MANY = "Set A 2048 2\nSolved\nEnd\nMove M\nA\n"
ILLEGAL = (f"Illegal A {place} {_listed(range(1, 101))}" for place in range(1, 101))


def test_too_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cycles, "MOST_TOKENS", 1000)
    message = "line 3: the file is too long: at most 1,000 numbers, names and symbols"
    _refused(parse_cycles, "# a product\n\nU := (1,2)" + "*(1,2)" * 200, message)


def test_moves_of_many_points_may_have_few_powers() -> None:
    assert parse_tws(f"{MANY}{_listed([2, 1, *range(3, 2049)])}\nEnd", "file").points == 4096


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_tws, "#" + "x" * 10**6, "there is no Set"),
        (parse_tws, f"Name {'a' * 10**6}", f"line 1: '{'a' * 24}...' is not a valid name of a puzzle: {PRINTABLE}"),
        (parse_tws, "".join(f"Set A{i} 1 1\n" for i in range(10**5)), f"line 16385: {TOO_MANY_PIECES}"),
        (parse_tws, f"{SET}Solved\nA\n{'1 ' * 10**6}\nEnd", "line 4: A has 3 pieces, and the line has 1000000 numbers"),
        (parse_tws, MOVE + "".join(f"MoveSequence S{i}_ M\n" for i in range(10**4)), TOO_MANY_MOVES),
        (parse_tws, MOVE + "MoveSequence S_ " + "(" * 9000 + "M" + ")" * 900,
         "line 8: '(' (character 8100) is not closed"),
        (parse_tws, MOVE + "MoveSequence S_ " + "[" * 300 + "M" + ": M]" * 300,
         "line 8: '[' (character 285) exceeds the limit of 100,000 moves"),
        (parse_cycles, "(" * 10**6, "line 1: expected a point, not '('"),
        (parse_cycles, "[" * 10**6, "line 1: expected a permutation, not '['"),
        (parse_cycles, "a := (1,2,3)" + "^2" * 10**6, "line 1: expected ; before '^'"),
        (parse_kpuzzle, '{"a":' * 10**5, "is nested too deeply"),
        (parse_cycles, f"U := {PRODUCT};", "line 1: with the powers of U there are too many moves: at most 4,096"),
        (parse_cycles, ",".join(_cycle(1, 60 + i) for i in range(200)),
         "line 1: with the powers of AX there are too many moves: at most 4,096"),
        (parse_tws, f"{MANY}{_listed([*range(2, 2049), 1])}\nEnd",
         "line 4: with the powers of M there are too many moves: at most 1,024"),
        (parse_tws, "Set A 100 1\nSolved\nEnd\n" + "\n".join(ILLEGAL),
         "line 44: too many illegal pieces in their places: at most 4,096"),
        (parse_cycles, "(1,4096)*" * 2000 + "(1,2)", "line 1: there are too many permutations"),
    ],
    ids=range(16),
)  # fmt: skip
def test_too_much_of_anything(parse: Parse, text: str, message: str) -> None:
    _refused(parse, text, message)


# -- Anything ----------------------------------------------------------------------------------------------------------

WORDS = re.findall(
    r"\S+|[\n\r\t]",
    """0 1 2 3 9 -1 ? 16384 16385 99999999999999999999 1e3 \u0663 A EDGES CORNERS End Move Set Solved StartState Illegal
    Name MoveSequence MoveAlias MoveTransformation U R x Uv ( ) [ ] { } , : ; := * ^ - " ' # // /* _ null true NaN
    permutation pieces moves derivedMoves orientation Group gens \0 \ufeff \r \t""",
)


def _mutated(text: str, rng: random.Random) -> str:
    """A text with some parts exchanged, omitted, doubled or replaced."""
    parts = re.findall(r"\w+|\s+|.", text)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        change = rng.randrange(5)
        if change == 0:
            parts[i] = rng.choice(WORDS)
        elif change == 1:
            parts[i], parts[j] = parts[j], parts[i]
        elif change == 2:
            del parts[i : i + rng.choice([1, 1, 2, 5, 40])]
        elif change == 3:
            parts[i:i] = parts[j : j + rng.choice([1, 2, 5, 40])]
        else:
            parts[i:i] = [rng.choice(WORDS), " "]
        parts = parts or ["x"]
    return "".join(parts)


def _parsed(parse: Parse, text: str) -> Definition | str:
    """The definition, or the error."""
    try:
        return parse(text, "file")
    except InvalidDefinitionError as error:
        return str(error)


def _changed(value: Any, rng: random.Random) -> Any:
    """A JSON value with a part replaced."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.9:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        copy = value.copy()
        copy[key] = _changed(value[key], rng)
        return copy
    return rng.choice([None, True, 0, 1, -1, 7, 10**30, 2.5, "", "U", "x", "[U", [], [0], [[]], {}, {"U": {}}])


def _json(text: str, rng: random.Random) -> str:
    return json.dumps(_changed(json.loads(text), rng))


@pytest.mark.parametrize(
    ("parse", "text", "change"),
    [
        (parse_tws, RINGS, _mutated),
        (parse_tws, POCKET_TWS + "Illegal CORNERS 1 2 3\nMoveSequence T R U\nMoveAlias V T2\n", _mutated),
        (parse_kpuzzle, POCKET_KPUZZLE, _mutated),
        (parse_kpuzzle, POCKET_KPUZZLE, _json),
        (parse_cycles, HALF_TURNS_CYCLES + "G := Group(gens);\n", _mutated),
        (parse_cycles, "a := (1,2,3,4); b := a^-2*(2,3); (5,6), a;", _mutated),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no orbit is called:cubesolve.CubesolveWarning")
def test_anything_is_a_definition_or_refused(
    parse: Parse, text: str, change: Callable[[str, random.Random], str]
) -> None:
    rng = random.Random(20261121)
    results = [_parsed(parse, change(text, rng)) for _ in range(600)]
    assert {type(result) for result in results} == {Definition, str}
    for result in results:
        if isinstance(result, str):
            assert result.isprintable()
        else:
            assert result.moves()
            assert result.is_legal(result.solved[0])


@pytest.mark.parametrize("target", [False, True])
def test_any_pattern_is_a_state_or_refused(target: bool) -> None:
    rng, data = random.Random(20261121), json.loads(POCKET_KPUZZLE)["defaultPattern"]
    definition = parse_kpuzzle(POCKET_KPUZZLE, "file")
    states = []
    for _ in range(300):
        try:
            states.append(parse_kpuzzle_pattern(definition, _changed(data, rng), target))
        except InvalidStateError:
            continue
    assert 0 < len(states) < 300
    assert {len(state) for state in states} == {24}
