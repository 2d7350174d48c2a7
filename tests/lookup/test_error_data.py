"""Errors have the data that a page needs to mark the mistake."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from cubesolve import (
    CubesolveError,
    InvalidDefinitionError,
    InvalidMoveError,
    InvalidStateError,
    PocketCube,
    RubikCube,
    Tray,
    UnsolvableStateError,
    lookup,
)

TWISTED = "UUUFRRRRFFUFDDDDLLLLBBBB"


def test_rows_of_other_batches() -> None:
    with pytest.raises(InvalidStateError) as caught:
        lookup.solve_batch([RubikCube.solved(), "U" * 54, "?"])
    assert (caught.value.rows, caught.value.fault) == ((1, 2), "colours")
    with pytest.raises(InvalidStateError) as caught:
        lookup.puzzle("skewb").depths(["R", "x", "U"])
    assert caught.value.rows == (1,)
    with pytest.raises(InvalidStateError) as caught:
        lookup.depths([[0] * 9, [0, 255, *[0] * 7]], goal=(2, 1))
    assert caught.value.rows == (0,)


def test_cells_of_a_tray() -> None:
    for text, cells, fault in (("W.W/WxW", [(2, 2)], "cell"), (". WB/WB .", [(1, 1), (2, 2)], "vacancy")):
        with pytest.raises(InvalidStateError) as caught:
            lookup.depth((1, 1), text)
        assert (caught.value.cells, caught.value.fault) == (tuple(cells), fault)
    with pytest.raises(InvalidStateError) as caught:
        Tray.start((4, 1))
    assert caught.value.cells == ((4, 1),)


def test_facelets_of_a_cube() -> None:
    with pytest.raises(InvalidStateError) as caught:
        lookup.depth(TWISTED)
    assert caught.value.fault in {"twist", "piece"}
    with pytest.raises(InvalidStateError) as caught:
        lookup.depth("UUUURRRRFFFFDDDDLLLLBBB?")
    assert (caught.value.facelets, caught.value.fault) == (("B4",), "symbol")


def test_unsolvable_states_have_one_fault() -> None:
    """Of every puzzle, from a table or by search, unless a more precise fault is known."""
    asked: list[Callable[[], object]] = [
        lambda: lookup.puzzle("rubik").restrict("R2 U2").depth("F2"),
        lambda: lookup.puzzle("15-puzzle").depth(" ".join(map(str, [*range(1, 14), 15, 14, 0]))),
        lambda: lookup.depth(Tray.start((1, 1), 2, 2), "BB/BE"),
    ]
    for ask in asked:
        with pytest.raises(UnsolvableStateError) as caught:
            ask()
        assert caught.value.fault == "unreachable"
        assert pickle.loads(pickle.dumps(caught.value)).fault == "unreachable"


def test_the_place_in_a_definition(tmp_path: Path) -> None:
    path = tmp_path / "wrong.tws"
    path.write_text("Name wrong\nSet CORNERS 8 3\nNonsense\n")
    with pytest.raises(InvalidDefinitionError) as caught:
        lookup.puzzle(str(path))
    assert (caught.value.path, caught.value.where) == (str(path), "line 3")
    assert caught.value.reason
    assert caught.value.reason in str(caught.value)


def test_errors_keep_their_data_between_processes() -> None:
    for ask in (
        lambda: lookup.depth("UUUURRRRFFFFDDDDLLLLBBB?"),
        lambda: lookup.depths([-1]),
        lambda: lookup.puzzle("cubic"),
        lambda: lookup.depth((1, 1), "W.W/WxW"),
        lambda: PocketCube.from_alg("R Q"),
        lambda: lookup.open_tablebase("/nonexistent").depth(0, orientation="fixed"),
        lambda: lookup.depth(RubikCube.from_alg("R U F"), max_depth=1),
        lambda: lookup.puzzle("rubik").restrict("R U F").states and lookup.puzzle("rubik").restrict("R U").depth("F"),
    ):
        with pytest.raises(CubesolveError) as caught:
            ask()
        copy = pickle.loads(pickle.dumps(caught.value))
        assert (type(copy), str(copy), vars(copy)) == (type(caught.value), str(caught.value), vars(caught.value))


def test_a_notebook_shows_the_lines_of_its_user_and_the_message() -> None:
    with pytest.raises(InvalidMoveError) as caught:
        lookup.depth("R Q2", puzzle="skewb")
    first, *rest = caught.value._render_traceback_()
    assert first.startswith(f'  File "{__file__}"')
    assert 'lookup.depth("R Q2", puzzle="skewb")' in first
    assert rest == [f"cubesolve.errors.InvalidMoveError: {caught.value}"]
