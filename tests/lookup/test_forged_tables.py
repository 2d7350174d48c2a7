"""Forged tables of puzzles that do not ship, with correct checksums and wrong contents."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve.ask import Puzzle
from cubesolve.errors import CorruptTableError
from cubesolve.spaces import defined
from cubesolve.spaces.batches import SMALL
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import build, tablefile
from cubesolve.store.tables import Tables
from tests.lookup.test_large_tables import unpinned
from tests.lookup.test_searched import answer_by
from tests.subsets import later

STATE = 100
Forge = Callable[[bytes, int], bytes]


def puzzle_in(folder: Path, name: str) -> Puzzle:
    return Puzzle(unpinned(name), Tables(str(folder)))


def write(path: Path, header: TableHeader, body: bytes, entries: int | None = None) -> None:
    claimed = header._replace(entries=header.entries if entries is None else entries, sha256=tablefile.digest(body))
    path.write_bytes(tablefile.encode(claimed, body))


@pytest.fixture(params=["bytes", "bits"])
def made(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a small puzzle's distances, with a byte or two bits per state."""
    if request.param == "bits":
        monkeypatch.setattr(defined, "MOST_BYTES", 10)
    puzzle = puzzle_in(tmp_path, "floppy")
    build.build(puzzle.rules, puzzle.usual_tables()[-1], tmp_path)
    return tmp_path / f"{puzzle.usual_tables()[-1].name}.zst"


def chance(body: bytes, seed: int) -> bytes:
    return random.Random(seed).randbytes(len(body))


def all_one(body: bytes, seed: int) -> bytes:
    return bytes([seed % 200 + 1]) * len(body)


QUESTIONS: dict[str, Callable[[Puzzle], Any]] = {
    "solve": lambda puzzle: puzzle.solve(STATE),
    "solutions": lambda puzzle: list(puzzle.solutions(STATE)),
    "count": lambda puzzle: puzzle.count_solutions(STATE),
    "sample": lambda puzzle: puzzle.sample(9, len(puzzle.distribution()) - 1, 1),
    "few": lambda puzzle: puzzle.solve_batch(np.arange(puzzle.states)),
    "many": lambda puzzle: puzzle.solve_batch(np.resize(np.arange(puzzle.states), SMALL + 1)),
}


@pytest.mark.parametrize("forge", [chance, all_one])
@pytest.mark.parametrize("question", QUESTIONS)
def test_distances_that_are_none(made: Path, question: str, forge: Forge) -> None:
    header, body = tablefile.read(str(made))
    refused = set[str]()
    for seed in range(8):
        write(made, header, forge(body, seed))
        try:
            QUESTIONS[question](puzzle_in(made.parent, "floppy"))
        except CorruptTableError as error:
            refused.add(str(error))
    assert refused == {f"{header.name}: these are not the distances of its puzzle"}


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("few", (1, 4, 10, 24, 53, 64, 31)),
        ("many", (1, 4, 10, 24, 53, 64, 31, 5)),
        ("sample", (1, 4, 10, 24, 53, 64, 31, 4, 0, 1)),
    ],
)
def test_a_distribution_that_is_another(made: Path, question: str, counts: tuple[int, ...]) -> None:
    header, body = tablefile.read(str(made))
    write(made, header._replace(distribution=counts), body)
    with pytest.raises(CorruptTableError, match="these are not the distances of its puzzle"):
        QUESTIONS[question](puzzle_in(made.parent, "floppy"))


def test_a_table_of_another_version_is_made_again(made: Path) -> None:
    header, body = tablefile.read(str(made))
    depth = puzzle_in(made.parent, "floppy").depth(STATE)
    for forged in (body[:-8], b"", body + bytes(8)):
        entries = len(forged) * header.entries // len(body)
        write(made, header._replace(distribution=(min(1, entries),)), forged, entries)
        assert puzzle_in(made.parent, "floppy").depth(STATE) == depth
        assert tablefile.read(str(made)) == (header, body)


def test_coordinates_of_another_size(made: Path) -> None:
    (path,) = made.parent.glob("*-coordinates.zst")
    header, body = tablefile.read(str(path))
    for forged in (body[:-1], body + bytes(8), b""):
        write(path, header, forged, len(forged))
        with pytest.raises(CorruptTableError, match="these are none, or of another puzzle"):
            puzzle_in(made.parent, "floppy").depth(STATE)


# -- What was chosen for a search --------------------------------------------------------------------------------------

CHOICES: list[Any] = [
    {}, 3, None, "x", [], [[]], [3], [[None]], [["a"]], [[99]], [[-1]], [[0.5]], [[True]],
    [[[]]], [[["a"]]], [[[99]]], [[[-1]]], [[[0.5]]], [[[True]]], [[0], [0]], [[[1], [1]]], [[[[1]]]],
    [[0, 1, 2, 3], [3, 4, 5, 6, 7]], [[0, 1, 2, 3], [4, 5, 6]], [[0, 1, 2, 3, 4, 5, 6, 7]],
]  # fmt: skip


@pytest.mark.parametrize(("name", "memory"), [("tiles-3x3", 100_000), later("topspin-8-4", 4096)])
def test_choices_that_nobody_made(name: str, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_by("databases", monkeypatch)
    state = puzzle_in(tmp_path, name).random_state(3)
    depth = puzzle_in(tmp_path, name).depth(state, memory=memory)
    for path in tmp_path.glob(f"*-{memory}.zst"):
        header, body = tablefile.read(str(path))
        forged = [json.dumps(choice).encode() for choice in CHOICES]
        for choice in [*forged, body[:-1], b"", b"\xff" * 9, b"[" * 100_000]:
            write(path, header, choice, len(choice))
            if choice != body:
                with pytest.raises(CorruptTableError, match="the choice does not match its puzzle"):
                    puzzle_in(tmp_path, name).depth(state, memory=memory)
        write(path, header, body)
        assert puzzle_in(tmp_path, name).depth(state, memory=memory) == depth
