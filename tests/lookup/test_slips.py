"""Mistaken and unusual arguments: each question either works or raises an error of this package."""

from __future__ import annotations

import ast
import itertools
import math
import pickle
import random
import re
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve import PocketCube, RubikCube, Tray, puzzle
from cubesolve import lookup as typed_lookup
from cubesolve.catalog.rubik.cube import Cubies
from cubesolve.definition.piece_view import PieceView
from cubesolve.errors import CubesolveError, InvalidDefinitionError, InvalidMoveError, SearchLimitError
from cubesolve.group.permutations import arrangement
from cubesolve.learn.labels import Oracle
from cubesolve.learn.research import evaluate, evaluate_policy, evaluate_solver
from cubesolve.spaces.batches import SMALL
from tests.definitions.samples import permuted
from tests.facts import DATA, below_begins

lookup: Any = typed_lookup
"""What is asked here is hardly ever of the type that it should be."""

SOLVED = "UUUURRRRFFFFDDDDLLLLBBBB"
ODD: tuple[Any, ...] = (
    None, b"", b"UUUU", b"\xff" * 24, SOLVED.encode(), bytearray(b"UU"), memoryview(b"UU"),
    "", " ", "R U", "U" * 24, "\x1b[31m", "\ud800" * 24, SOLVED, "U" * 54,
    [], ["R"], list(SOLVED), list(range(24)), {}, {"a": 1}, set(), range(3), slice(1),
    1.5, float("nan"), float("inf"), 1j, -1, 10**30, 10**5000, 3674160, True,
    np.int64(3), np.float64(2.5), np.array([1, 2]), np.array(5), np.zeros((2, 24)), np.array("UUUU"),
    (1, 1), (1,), (9, 9), (1.5, 2), (None, None), ("a", "b"), (1, 2, 3),
    PocketCube.from_alg("R U"), RubikCube.from_alg("R U"), Tray.start((1, 1)), lookup.puzzle("skewb").parse("R U"),
    PocketCube, RubikCube, Tray, object, object(), threading.Event(), random.Random(1), np.random.default_rng(1),
)  # fmt: skip
"""What somebody might pass, by mistake or on purpose."""


def _wrong(call: str) -> Iterator[str]:
    """The exceptions of a call with each odd argument that are not errors of this package."""
    code = compile(call, "the call", "eval")
    for number, odd in enumerate(ODD):
        try:
            answer = eval(code, NAMES | {"odd": odd})
            if hasattr(answer, "__next__"):
                next(answer, None)
        except Exception as error:  # noqa: BLE001  # whatever it is
            if not _is_ours(error):
                yield f"{number} ({type(odd).__name__}): {error!r}"


def _is_ours(error: Exception) -> bool:
    """Whether an exception was raised on purpose, with a message of one line."""
    where = traceback.extract_tb(error.__traceback__)[-1].filename
    is_meant = isinstance(error, CubesolveError) or (isinstance(error, ValueError) and "/cubesolve/" in where)
    return is_meant and str(error).isprintable() and 0 < len(str(error)) < 1000


class _Unsupported:
    """A tensor of torch with a type that numpy lacks."""

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        raise TypeError("Got unsupported ScalarType BFloat16")


NAMES = {
    "lookup": lookup, "puzzle": lookup.puzzle, "math": math, "np": np, "threading": threading, "PocketCube": PocketCube,
    "RubikCube": RubikCube, "Tray": Tray, "Cubies": Cubies, "SMALL": SMALL, "unsupported": _Unsupported(),
    "solved": SOLVED, "pocket": PocketCube.from_alg("R U"), "rubik": RubikCube.from_alg("R U"),
    "evaluate": evaluate, "evaluate_policy": evaluate_policy, "evaluate_solver": evaluate_solver, "Oracle": Oracle,
    "skewb": lookup.puzzle("skewb"), "start": lookup.cells([131220], goal=(1, 1)).astype(int),
}  # fmt: skip
"""What calls are written with; `odd` is one of the above."""

ONE = ("depth", "solve", "solutions", "count_solutions", "optimal_moves")
BATCH = ("depths", "solve_batch", "optimal_moves_batch", "count_solutions_batch", "neighbors", "ranks")
BOTH = ("max_depth", "timeout", "workers", "cancel", "memory", "metric")
"""The keywords that solutions and paths have."""


def _calls() -> Iterator[str]:
    """Calls with an argument that is odd; `odd_calls.txt` has those of a kind of their own."""
    yield from (f"lookup.{name}(odd)" for name in (*ONE, *BATCH, "facelets", "random_state", "scramble"))
    for name, state in itertools.product((*ONE, "path"), ("pocket", "rubik", "(1, 1)", "Tray.start((2, 2), 2, 2)")):
        yield f"lookup.{name}({state}, odd)"
    for how in (*BOTH, "goal", "orientation", "model", "nonsense"):
        yield f"lookup.solve(pocket, {how}=odd)"
        yield f"lookup.solve((1, 1), {how}=odd)" if how == "goal" else f"lookup.solve((1, 1), '**E/***/***', {how}=odd)"
    yield from (f"lookup.path(pocket, pocket, {how}=odd)" for how in BOTH)
    for name in BATCH:
        for rows in ("[odd]", "[pocket, odd]", "[pocket, odd], invalid='mask'", "[0, 1], goal=(1, 1), model=odd"):
            yield f"lookup.{name}({rows})"
        for how in ("metric", "goal", "model", "invalid", "workers"):
            if (name, how) != ("ranks", "metric"):  # which it does not know
                yield f"lookup.{name}([0, 1], {how}=odd)"
    yield from (f"lookup.solve_batch([rubik], {how}=odd)" for how in (*BOTH, "invalid"))
    for name in ("pocket", "rubik", "rolling", "floppy"):
        for how in ("depth", "length", "rng", "metric", "max_depth", "goal", "orientation", "timeout", "workers"):
            # The others mean something, and a random cube takes a while.
            if name != "rubik" or how in {"depth", "length", "metric", "goal", "orientation"}:
                yield f"lookup.scramble(puzzle={name!r}, {how}=odd)"
        yield from (f"lookup.random_state(puzzle={name!r}, {how}=odd)" for how in ("depth", "rng", "metric"))
    yield from (DATA / "odd_calls.txt").read_text().splitlines()


@pytest.mark.parametrize("call", list(_calls()))
def test_odd_arguments_are_answered_or_refused(call: str) -> None:
    assert list(_wrong(call)) == []


def test_slips_that_mean_something() -> None:
    assert lookup.depth(1574640) == lookup.depth(np.int64(1574640)) == lookup.depth(np.array(1574640)) == 1
    assert lookup.depth(SOLVED.encode()) == lookup.depth(list(SOLVED)) == lookup.depth(bytearray(SOLVED.encode())) == 0
    assert PocketCube.from_alg(["R"]) == PocketCube.from_alg("R")
    assert lookup.path(0, 1574640) == lookup.path(PocketCube.unrank(0), PocketCube.unrank(1574640)) != ""
    assert lookup.random_state(np.random.default_rng(3)) == lookup.random_state(np.random.default_rng(3))
    assert lookup.random_state(np.int64(3)) == lookup.random_state(3)
    assert lookup.sample(3, rng=random.Random(3)).tolist() == lookup.sample(3, rng=random.Random(3)).tolist()
    assert lookup.sample(np.int8(3), rng=1).shape == (3,)
    cubes = PocketCube.from_alg("R U"), RubikCube.from_alg("R U"), Tray.start((1, 1)), lookup.puzzle("skewb").parse("R")
    for each in cubes:
        assert f"{each:>80}" == str(each).rjust(80)
    with pytest.raises(SearchLimitError, match="not solved in 2 moves"):
        lookup.solve(PocketCube.from_alg("R U F"), max_depth=np.int64(2))


# -- Calls that are refused --------------------------------------------------------------------------------------------


def _refused() -> Iterator[tuple[str, str, str, str]]:
    """Yield calls, their errors, parts of the messages and data; `refused_calls.txt` lists them below their begins."""
    for begin, line in below_begins("refused_calls.txt"):
        error, _, said = line.partition(" ")
        rest, message, *data = said.split(" => ")
        yield begin + rest, error, message, data[0] if data else "{}"


@pytest.mark.parametrize(
    ("call", "error", "message", "data"), list(_refused()), ids=[call[:60] for call, *_ in _refused()]
)
def test_a_call_is_refused_by_an_error_that_says_what_is_wrong(call: str, error: str, message: str, data: str) -> None:
    """Three dots stand for any text; options of the command line are named in brackets only.

    Pages mark the mistake by the data of the error, which processes send each other.
    """
    with pytest.raises((CubesolveError, ValueError)) as caught:
        eval(call, NAMES)
    assert type(caught.value).__name__ == error
    assert re.search(re.escape(message).replace(re.escape("..."), ".*"), str(caught.value))
    assert not re.search(r"(?<!\()--", str(caught.value))
    copy, known = pickle.loads(pickle.dumps(caught.value)), ast.literal_eval(data)
    assert {name: getattr(copy, name) for name in known} == known
    assert (type(copy), str(copy), vars(copy)) == (type(caught.value), str(caught.value), vars(caught.value))


def test_the_place_in_a_definition(tmp_path: Path) -> None:
    (path := tmp_path / "wrong.tws").write_text("Name wrong\nSet CORNERS 8 3\nNonsense\n")
    with pytest.raises(InvalidDefinitionError) as caught:
        lookup.puzzle(str(path))
    assert (caught.value.path, caught.value.where) == (str(path), "line 3")
    assert caught.value.reason
    assert caught.value.reason in str(caught.value)


def test_a_notebook_shows_the_lines_of_its_user_and_the_message() -> None:
    with pytest.raises(InvalidMoveError) as caught:
        lookup.depth("R Q2", puzzle="skewb")
    first, *rest = caught.value._render_traceback_()
    assert first.startswith(f'  File "{__file__}"')
    assert 'lookup.depth("R Q2", puzzle="skewb")' in first
    assert rest == [f"cubesolve.errors.InvalidMoveError: {caught.value}"]


# -- Algs in place of facelets are accepted if they cannot be facelets -------------------------------------------------


ALGS = [
    "R",
    " U2\n",
    "RU2",
    "R U R' U' R U R' U' R U R' U' R U R' U'",  # 24 symbols
    "R U R' U' " * 9,  # 54 symbols
    f"R{' U2 R2 F2' * 3} U2 R2 B",  # 24 symbols
    f"R{' U2 R2 F2' * 8} U2 R2 B",  # 54 symbols
    "(R U R' U')6",
    "R2 U\u2019",
    "x y R",
]


@pytest.mark.parametrize("alg", ALGS)
def test_an_alg_is_the_state_that_it_makes(alg: str) -> None:
    cube = PocketCube.from_alg(alg)
    assert lookup.depth(alg) == lookup.depth(cube)  # where no puzzle is named, the pocket cube is meant
    assert lookup.solve(alg).start == cube
    assert puzzle("pocket").depth(alg, metric="qtm") == lookup.depth(cube, metric="qtm")
    assert puzzle("pocket").parse(alg) == cube
    assert puzzle("rubik").parse(alg) == RubikCube.from_alg(alg)


def test_facelets_may_have_any_symbols() -> None:
    scrambled = RubikCube.from_alg("R U2 F'").facelets
    for colours in ("123456", "WR'YOB", "UR2DLB", "234{01"):  # the last of which begins like a pattern in JSON
        facelets = scrambled.translate(str.maketrans("URFDLB", colours))
        assert lookup.depth(facelets) == 3


def test_rows_of_a_batch_are_read_like_single_states() -> None:
    solved = PocketCube.solved().facelets
    rows = [solved, "R U", solved[:-1]]
    for batch in (rows, np.array(rows)):
        assert lookup.depths(batch, invalid="mask").tolist() == [0, 2, 255]
    assert lookup.solve_batch([RubikCube.solved(), "R U"]) == ["", "U' R'"]
    short = lookup.solve_batch([solved, "R U F", "Q"], max_length=2, invalid="mask")
    assert short.lengths.tolist() == [0, 255, 255]
    assert lookup.puzzle(333).depths(["R U", "F' (R U)2"]).tolist() == [2, 5]
    assert puzzle("333").solve_batch(np.array(["R U", "M2"]), max_length=21).lengths.tolist() == [2, 2]


@pytest.mark.parametrize("name", ["rubik", "pocket", "4x4x4", "skewb", "clock", "pyramorphix", "square1", "tiles-2x3"])
def test_the_order_of_an_alg_is_the_number_of_repetitions(name: str) -> None:
    asked, source = puzzle(name), random.Random(name)
    view = asked.rules.view
    solved = view.solved(None)
    for _ in range(3 if name in {"clock", "square1"} else 8):
        alg = asked.scramble(source) if name in {"clock", "square1"} else " ".join(source.choices(asked.moves, k=3))
        try:
            expected, state = 1, view.scrambled(alg)
            while not (state == solved or getattr(state, "is_solved", False)):
                expected, state = expected + 1, view.after(state, alg)
        except InvalidMoveError:
            with pytest.raises(InvalidMoveError, match="is not possible here"):
                asked.order(alg)
        else:
            assert asked.order(alg) == expected, alg


def test_orders_of_algs_that_are_published() -> None:
    """Singmaster, Notes on Rubik's Magic Cube: R U has order 105, and no element of the group one above 1260."""
    rubik = puzzle("rubik")
    orders = {alg: rubik.order(alg) for alg in ("R U", "R U R' U'", "R U2 D' B D'", "R y", "x", "")}
    assert list(orders.values()) == [105, 6, 1260, 1260, 1, 1]
    assert puzzle("7x7x7").order("R 3Uw 2F'") == 371_280


def test_orders_up_to_rotation_and_of_alike_pieces_that_are_illegal_somewhere() -> None:
    """Two of three turns lead to an orientation of the solved puzzle; the second bead is blocked in the second turn."""
    ring = permuted({"R": [2, 0, 1]}, [0, 1, 1], rotations={"x": arrangement([2, 1, 0])})
    assert PieceView(ring).order_of("R") == 2
    blocked = permuted({"R": [0, 3, 1, 2]}, [0, 0, 1, 1], illegal=frozenset({(3, 0)}))
    with pytest.raises(InvalidMoveError, match="is not possible here"):
        PieceView(blocked).order_of("R")
