"""Invalid definitions are rejected; the error has the place and the reason."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from cubesolve.definition.definition import Definition
from cubesolve.definition.formats import (
    MOST_BYTES,
    cycles,
    format_kpuzzle_pattern,
    parse_cycles,
    parse_kpuzzle,
    parse_kpuzzle_pattern,
    parse_tws,
    read_definition,
)
from cubesolve.definition.formats.graphs import parse_graph
from cubesolve.errors import CubesolveError, InvalidDefinitionError, InvalidStateError
from tests.definitions.samples import HALF_TURNS_CYCLES, POCKET_KPUZZLE, POCKET_TWS, RING, RINGS
from tests.facts import DATA

Parse = Callable[[str, str], Definition]

REFUSED = json.loads((DATA / "refused_definitions.json").read_text())
PRINTABLE = "expected 1 to 200 printable characters"
TOO_MANY_PIECES = "there are too many pieces: at most 16,384, each counted for each orientation"
TOO_MANY_MOVES = "there are too many moves: at most 512, and 128 rotations"


def _refused(parse: Parse, text: str, message: str, path: str = "file") -> None:
    with pytest.raises(InvalidDefinitionError) as caught:
        parse(text, path)
    error = caught.value
    assert error.path == path
    assert path != "file" or str(error) == f"file: {message}"
    assert message == ": ".join(filter(None, (error.where, error.reason)))


def _ring(keys: str, value: object) -> str:
    """The ring with other values of some keys."""
    data = json.loads(json.dumps(RING))
    *path, last = keys.split()
    parent = data
    for key in path:
        parent = parent[int(key) if key.isdigit() else key]
    parent[int(last) if last.isdigit() else last] = value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        *((parse_tws, *each) for each in REFUSED["tws"]),
        *((parse_kpuzzle, *each) for each in REFUSED["kpuzzle"]),
        *((parse_kpuzzle, _ring(*each), message) for *each, message in REFUSED["kpuzzle with other values"]),
        *((parse_cycles, *each) for each in REFUSED["cycles"]),
        *((parse_graph, *each) for each in REFUSED["cayleypy"]),
    ],
)
def test_what_is_wrong_is_named(parse: Parse, text: str, message: str) -> None:
    _refused(parse, text, message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tws", b"", "there is no Set"),
        ("a.txt", b"", "is not a definition: expected CayleyPy, KPuzzle, permutations in cycles, tws"),
        ("a.txt", b"# Set", "is not a definition: expected CayleyPy, KPuzzle, permutations in cycles, tws"),
        ("a.tws", "Set A 1 1\nName caf\u00e9".encode("latin-1"), "line 2: is not UTF-8 text"),
        ("a.tws", "Set A 1 1".encode("utf-16"), "is not UTF-8 text"),
        ("a.tws", b"# " + b"x" * MOST_BYTES, "is too large: at most 4,194,304 bytes"),
        ("a.json", b"Set A 1 1", "line 1: is not JSON at character 1: Expecting value"),
    ],
)
def test_files_that_define_nothing(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    _refused(lambda _, path: read_definition(path), "", message, str(path))


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    reasons = {tmp_path: "Is a directory", os.devnull: "Not a regular file", "a\0.tws": "embedded null byte"}
    for path, reason in reasons.items():
        _refused(lambda _, path: read_definition(path), "", f"cannot be read: {reason}", str(path))


STATE = {"pieces": [0, 1, 2], "orientation": [0, 0, 0]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        *REFUSED["patterns"],
        ({1: 2}, "has a key that is not text"),
        ({"DISKS": STATE | {"orientation": (0, 0, 0)}}, "DISKS.orientation: is of the type tuple, not a list"),
    ],
)
def test_what_is_no_pattern_is_named(data: object, message: str) -> None:
    definition = parse_kpuzzle(json.dumps(RING), "file")
    with pytest.raises(InvalidStateError) as caught:
        parse_kpuzzle_pattern(definition, data)
    assert str(caught.value) == message


def test_what_has_no_pattern_is_named() -> None:
    ring = parse_kpuzzle(json.dumps(RING), "file")
    for state in (bytes(3), bytes([*range(1, 12), 0]), bytes(13)):
        with pytest.raises(InvalidStateError):
            format_kpuzzle_pattern(ring, state)
    colours = Definition("colours", ring.orbits, (bytes([0, 1, 1, 0, 0, 2] * 2),), ring.generators)
    for other in (colours, Definition("none", (), (b"\0\1",), {})):
        with pytest.raises(CubesolveError, match=f"{other.name} has no pieces that a pattern could describe"):
            format_kpuzzle_pattern(other, other.solved[0])


# -- Too much ----------------------------------------------------------------------------------------------------------


def _cycle(first: int, length: int) -> str:
    return f"({','.join(map(str, range(first, first + length)))})"


def _listed(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31]
PRODUCT = "".join(_cycle(1 + sum(PRIMES[:i]), length) for i, length in enumerate(PRIMES))
SET = "Set A 3 2\nSolved\n"
MOVE = f"{SET}End\nMove M\nA\n2 3 1\nEnd\n"
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
        (parse_tws, f"{SET}A\n{'1 ' * 10**6}\nEnd", "line 4: A has 3 pieces, and the line has 1000000 numbers"),
        (parse_tws, MOVE + "".join(f"MoveSequence S{i}_ M\n" for i in range(10**4)), TOO_MANY_MOVES),
        (parse_tws, MOVE + "MoveSequence S_ " + "(" * 9000 + "M" + ")" * 900,
         "line 8: '(' (character 8100) is not closed"),
        (parse_tws, MOVE + "MoveSequence S_ " + "[" * 300 + "M" + ": M]" * 300,
         "line 8: '[' (character 285) exceeds the limit of 100,000 moves"),
        (parse_cycles, "(" * 10**6, "line 1: expected a point, not '('"),
        (parse_cycles, "[" * 10**6, "line 1: expected a permutation, not '['"),
        (parse_cycles, "a := (1,2,3)" + "^2" * 10**6, "line 1: expected ; before '^'"),
        (parse_kpuzzle, '{"a":' * 10**5, "is nested too deeply"),
        (parse_tws, f"Set A 1{'0' * 9999} 2",
         f"line 1: '1{'0' * 23}...' is not a count: expected a number from 1 to 16384"),
        (parse_kpuzzle, '{"a": 1' + "0" * 9999 + "}", "has a number of too many digits"),
        (parse_kpuzzle, _ring("derivedMoves D", "C " * 5001),
         "derivedMoves.D: the alg is too long: at most 10,000 characters"),
        (parse_kpuzzle, _ring("derivedMoves", {f"D{i}": "C" for i in range(700)}), TOO_MANY_MOVES),
        (parse_kpuzzle, _ring("derivedMoves", {f"D{i}_": "C" for i in range(600)}),
         f"derivedMoves.D511_: {TOO_MANY_MOVES}"),
        (parse_cycles, f"U := {PRODUCT};", "line 1: with the powers of U there are too many moves: at most 4,096"),
        (parse_cycles, ",".join(_cycle(1, 60 + i) for i in range(200)),
         "line 1: with the powers of AX there are too many moves: at most 4,096"),
        (parse_tws, f"{MANY}{_listed([*range(2, 2049), 1])}\nEnd",
         "line 4: with the powers of M there are too many moves: at most 1,024"),
        (parse_tws, "Set A 100 1\nSolved\nEnd\n" + "\n".join(ILLEGAL),
         "line 44: too many illegal pieces in their places: at most 4,096"),
        (parse_cycles, "(1,4096)*" * 2000 + "(1,2)", "line 1: there are too many permutations"),
    ],
    ids=range(21),
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


def _changed(value: Any, rng: random.Random) -> Any:
    """A JSON value with a part replaced."""
    if isinstance(value, (dict, list)) and value and rng.random() < 0.9:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        copy = value.copy()
        copy[key] = _changed(value[key], rng)
        return copy
    return rng.choice([None, True, 0, 1, -1, 7, 10**30, 2.5, "", "U", "x", "[U", [], [0], [[]], {}, {"U": {}}])


@pytest.mark.parametrize(
    ("parse", "text", "change"),
    [
        (parse_tws, RINGS, _mutated),
        (parse_tws, POCKET_TWS + "Illegal CORNERS 1 2 3\nMoveSequence T R U\nMoveAlias V T2\n", _mutated),
        (parse_kpuzzle, POCKET_KPUZZLE, _mutated),
        (parse_kpuzzle, POCKET_KPUZZLE, lambda text, rng: json.dumps(_changed(json.loads(text), rng))),
        (parse_cycles, HALF_TURNS_CYCLES + "G := Group(gens);\n", _mutated),
        (parse_cycles, "a := (1,2,3,4); b := a^-2*(2,3); (5,6), a;", _mutated),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no orbit is called:cubesolve.CubesolveWarning")
def test_anything_is_a_definition_or_refused(
    parse: Parse, text: str, change: Callable[[str, random.Random], str]
) -> None:
    rng, refused = random.Random(20261121), list[str]()
    for _ in range(600):
        try:
            definition = parse(change(text, rng), "file")
        except InvalidDefinitionError as error:
            refused.append(str(error))
        else:
            assert definition.moves()
            assert definition.is_legal(definition.solved[0])
    assert 0 < len(refused) < 600
    assert all(map(str.isprintable, refused))


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
