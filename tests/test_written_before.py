"""Files of an earlier version are read, proved and resumed, or reported; see tests/data/tables/README.md."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from cubesolve.ask import Puzzle
from cubesolve.encodings import base_of, encoding_of
from cubesolve.encodings.packed import find_packed_fault
from cubesolve.errors import CubesolveWarning, UnsupportedTableError
from cubesolve.lookup import Tablebase
from cubesolve.solvers import derived
from cubesolve.store import tablefile
from cubesolve.store.build import verify
from cubesolve.store.checkpoint import Checkpoint
from tests.commands import invoke
from tests.facts import DATA
from tests.test_checkpoint import SLICES, entry_of, enumerated

TABLES = DATA / "tables"
RINGS = str(Path(__file__).parents[1] / "docs" / "rings.tws")
BYTES: Mapping[str, tuple[str, str | None, int]] = {
    "custom": (RINGS, None, 8),
    "custom with a cost": (RINGS, "L=2", 8),
    "pinned": ("floppy", None, 8),
}


def _puzzle(folder: str, name: str, cost: str | None = None) -> Puzzle:
    puzzle = Tablebase(TABLES / folder).puzzle(name)
    return puzzle.restrict("L R", cost) if cost else puzzle


def _bits(puzzle: Puzzle) -> list[int]:
    """Prove all tables, and return the bits per entry of each."""
    paths = [verify(puzzle.rules, entry, puzzle.solver._tables.directory) for entry in puzzle.usual_tables()]
    return [encoding_of(tablefile.read_header(path)[0]).bits for path in paths]


@pytest.mark.parametrize("which", BYTES)
def test_bytes_and_coordinates(which: str) -> None:
    name, cost, bits = BYTES[which]
    puzzle = _puzzle("byte", name, cost)
    assert _bits(puzzle) == [0, bits]
    assert puzzle.distribution() == puzzle.distribution(count=True)
    depths = puzzle.depths(np.arange(puzzle.states))
    assert depths.tolist() == [puzzle.depth(rank) for rank in range(puzzle.states)]


def test_a_table_up_to_symmetry_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, with the command that builds the table of all states; the name is that of an earlier version."""
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    (tmp_path / "custom-8a7f33f46f161926.zst").touch()
    puzzle = Tablebase(tmp_path).puzzle("docs/rings.tws")
    with pytest.warns(CubesolveWarning, match=r"not supported; build .* tables build docs/rings.tws"):
        assert puzzle.depth("L R") == 1
    assert puzzle.depth("L R L2 R2") == 3


def test_depths_modulo_3() -> None:
    puzzle, by_bytes = _puzzle("mod3", RINGS), _puzzle("byte", RINGS)
    assert _bits(puzzle) == [0, 2]
    assert puzzle.distribution() == by_bytes.distribution()
    ranks = np.arange(puzzle.states)
    assert np.array_equal(puzzle.depths(ranks), by_bytes.depths(ranks))
    assert [puzzle.solve(rank) for rank in ranks.tolist()] == [by_bytes.solve(rank) for rank in ranks.tolist()]


def test_packed_tables() -> None:
    header, body = tablefile.read(str(TABLES / "packed" / "lines.zst"), entry_of("lines").header)
    table = np.frombuffer(bytearray(body), np.uint8)
    assert find_packed_fault(SLICES, table, base_of(header)) is None


@pytest.mark.parametrize(("name", "folder", "levels"), [("modulo", "mod3", 9), ("lines", "packed", 4)])
def test_checkpoints(name: str, folder: str, levels: int) -> None:
    entry = entry_of(name)
    checkpoint = Checkpoint(entry, TABLES / folder, resume=True)
    assert checkpoint.counts() == entry.header.distribution[:levels]
    table, counts = enumerated(name, None, checkpoint)
    assert (counts, tablefile.digest(table.data)) == (entry.header.distribution, entry.header.sha256)


# -- One bit per entry -------------------------------------------------------------------------------------------------


@pytest.fixture
def one_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the file, which new tables are written to."""
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path / "one_bit"))
    return Path(shutil.copytree(TABLES / "one_bit", tmp_path / "one_bit"))


def _invoke(*arguments: str) -> tuple[int, str, str]:
    result = invoke(*arguments)
    return result.exit_code, result.stdout, result.stderr


def test_a_removed_encoding_is_reported(one_bit: Path) -> None:
    about = ("rubik", "--moves", "U2 R2")
    (table,) = one_bit.glob("*.zst")
    command = "cubesolve tables build rubik --moves 'U2 R2' --bits 2"
    reason = f"{table}: encoding 6, one bit per entry, was removed; build the table with two bits per entry: "
    for asked in (("depth", "U2", "--puzzle", *about), ("tables", "info", *about), ("tables", "verify", *about)):
        status, _, said = _invoke(*asked)
        assert (status, said.splitlines()[-1]) == (3, f"cubesolve: {reason}{command}")
    puzzle = Tablebase(one_bit).puzzle("rubik").restrict("U2 R2")
    with pytest.raises(UnsupportedTableError) as caught:
        puzzle.depth("U2")
    assert str(caught.value) == f"{reason}CUBESOLVE_TABLES={one_bit} {command}"
    with pytest.raises(UnsupportedTableError, match="cubesolve tables build NAME --bits 2"):
        tablefile.read(str(table))
    assert _invoke("tables", "build", *about, "--bits", "2")[0] == 0
    assert _invoke("depth", "U2 R2", "--puzzle", *about)[:2] == (0, "2\n")
    assert _invoke("tables", "verify", *about)[0] == 0
