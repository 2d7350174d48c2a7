"""The interface of encodings: users choose the bits per state; all other code calls the encoding."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from cubesolve import puzzle as named
from cubesolve.ask import Puzzle
from cubesolve.encodings import BY_BITS, ENCODINGS, distances, encoding_of
from cubesolve.encodings.distances import Distances
from cubesolve.encodings.making import make
from cubesolve.errors import CorruptTableError
from cubesolve.learn import export
from cubesolve.lookup import Tablebase
from cubesolve.spaces.tables import CHECKPOINT, TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.build import verify
from tests.commands import printed

SQUARES = ("rubik", "--moves", "U2 R2 F2")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    return tmp_path


def squares(folder: Path) -> Puzzle:
    return Tablebase(folder).puzzle("rubik").restrict("U2 R2 F2")


def test_numbers_and_sizes() -> None:
    assert sorted(ENCODINGS) == [1, 2, 3, 4, 5]
    assert all(encoding.number == number for number, encoding in ENCODINGS.items())
    assert {bits: each.body_bytes(1000) for bits, each in BY_BITS.items()} == {8: 1000, 2: 256}
    assert all(each.building_bytes(1000) >= each.body_bytes(1000) for each in BY_BITS.values())
    entry = TableEntry(TableHeader("t", "p", "htm", "s", 8, (), "", CHECKPOINT))
    with pytest.raises(ValueError, match="not a table that can be built"):
        make(named("ivy").rules, entry)


@pytest.mark.parametrize("bits", BY_BITS)
def test_bits_are_chosen_by_the_user(bits: int, folder: Path) -> None:
    printed("tables", "build", *SQUARES, "--bits", bits)
    assert len(printed("tables", "verify", *SQUARES).splitlines()) == 2
    described = printed("tables", "info", *SQUARES)
    unit = {8: "entries", 2: "entries of two bits"}[bits]
    assert f" bytes for 2,592 {unit}\n" in described
    puzzle = squares(folder)
    entry = puzzle.usual_tables()[-1]
    assert encoding_of(puzzle.header(entry)).bits == bits
    assert puzzle.distribution() == puzzle.distribution(count=True)
    assert puzzle.solve("R2 U2 F2 R2") == "R2 F2 U2 R2"
    if bits < 8:
        for ask in (lambda: puzzle.table(entry), lambda: export.export(puzzle, folder / "t.npy")):
            with pytest.raises(ValueError, match="not have a byte per state"):
                ask()
        with pytest.raises(ValueError, match="too many to count"):
            puzzle.solution_counts()


def test_a_file_of_another_encoding_must_be_right(folder: Path) -> None:
    """The header of a file determines its encoding, and the proof checks its contents."""
    puzzle = squares(folder)
    entry = puzzle.usual_tables()[-1]
    printed("tables", "build", *SQUARES, "--bits", 2)
    path = str(folder / f"{entry.name}.zst")
    header, body = tablefile.read(path)
    wrong = np.frombuffer(body, np.uint8).copy()
    wrong[3] ^= 4
    tablefile.write(path, header._replace(sha256=tablefile.digest(wrong.data)), wrong.data)
    with pytest.raises(CorruptTableError, match="state 13 "):
        verify(puzzle.rules, entry, folder)
    directed = Tablebase(folder).puzzle("rubik").restrict("U2 R2 F2", "U2=2")
    with pytest.raises(CorruptTableError, match="not the distances of its puzzle"):
        BY_BITS[2].distances(directed.rules.graph_of(directed.usual_tables()[-1]), body)
    assert isinstance(BY_BITS[8].distances(puzzle.rules.graph_of(entry), body), Distances)


@pytest.mark.parametrize("size", [1, 99, 100, 101, 1000, 1001])
def test_ranks_at_a_depth_are_numbered_across_blocks(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distances, "_BLOCK", 100)
    body = bytes(random.Random(size).choices(range(3), k=size))
    table = Distances(named("pancake-4").rules.graph(), body)  # type: ignore[attr-defined]
    for depth in range(3):
        ranks = [rank for rank, found in enumerate(body) if found == depth]
        counts, draw = [len(ranks)] * 3, random.Random(1)
        for number in range(len(ranks)):
            monkeypatch.setattr(draw, "randrange", lambda _, number=number: number)
            assert table.random_at(depth, counts, draw) == ranks[number]
        assert ranks == list(table.at(depth))
    with pytest.raises(CorruptTableError):
        table.random_at(9, [1] * 10, random.Random(1))
