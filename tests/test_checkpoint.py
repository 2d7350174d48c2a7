"""Killed builds continue from their checkpoints; invalid checkpoints are rejected by name."""

from __future__ import annotations

import errno
import functools
import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cubesolve import catalog
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.encodings import body_bytes, encoding_of
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.encodings.packed import enumerate_packed
from cubesolve.errors import CorruptTableError, CubesolveWarning, TableError
from cubesolve.lookup.building import build_table
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.space import Levels, Progress
from cubesolve.spaces.tables import BYTE_DEPTHS, CHECKPOINT, MOD3, PACKED, TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.build import make
from cubesolve.store.checkpoint import Checkpoint
from tests.commands import invoke
from tests.encodings.test_mod3 import tiles
from tests.processes import killed, run_python
from tests.stopping import StoppedError, stopping_at
from tests.test_packed import slices

SLICES, TILES, TRAYS = slices(), tiles(3), rolling_space(Shape(2, 3, "face"), 3)
COSTLY, GAPS = (replace(TILES, mutual=False, costs=costs) for costs in ((2, 1, 1, 2), (1, 3, 1, 3)))

ENUMERATIONS: dict[str, tuple[Callable[..., Levels], int]] = {
    "lines": (functools.partial(enumerate_packed, SLICES, 4), PACKED),
    "modulo": (functools.partial(enumerate_levels, TILES, bits=2), MOD3),
    "depths": (functools.partial(enumerate_levels, TILES), BYTE_DEPTHS),
    "costly": (functools.partial(enumerate_levels, COSTLY), BYTE_DEPTHS),
    "gaps": (functools.partial(enumerate_levels, GAPS), BYTE_DEPTHS),
    "trays": (functools.partial(enumerate_levels, TRAYS, bits=2), CHECKPOINT),
}
"""Enumerations, and the encodings of their tables."""


def enumerated(name: str, progress: Progress | None = None, checkpointer: Checkpoint | None = None) -> Levels:
    return ENUMERATIONS[name][0](progress=progress, workers=1, checkpointer=checkpointer)


@functools.cache
def entry_of(name: str) -> TableEntry:
    """Return the catalog's entry of a table."""
    (table, counts), encoding = enumerated(name), ENUMERATIONS[name][1]
    entries = {PACKED: sum(counts), CHECKPOINT: len(table)}.get(encoding, TILES.states)
    return TableEntry(
        TableHeader(name, "test", "htm", "scheme", entries, counts, tablefile.digest(table.data), encoding)
    )


def stopped(name: str, folder: Path, depth: int) -> Checkpoint:
    """Return the checkpoint of an enumeration that was interrupted at a depth, before this level was saved."""
    with pytest.raises(StoppedError):
        enumerated(name, stopping_at(depth), Checkpoint(entry_of(name), folder, every=0))
    return Checkpoint(entry_of(name), folder, resume=True)


# -- Killed ------------------------------------------------------------------------------------------------------------


def kill(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at_levels(name: str, folder: str, step: int) -> Iterator[int]:
    """Kill an enumeration at each of some depths, and resume it; return the number of saved levels each time."""
    entry = entry_of(name)

    def killing_at(depth: int) -> Progress:
        return lambda level, *_: kill() if level == depth else None

    depth = 0
    while killed(lambda: enumerated(name, killing_at(depth), Checkpoint(entry, folder, resume=True, every=0))):  # noqa: B023
        yield len(Checkpoint(entry, folder).counts())
        depth += step
    table, counts = enumerated(name, None, Checkpoint(entry, folder, resume=True))
    assert (counts, tablefile.digest(table.data)) == (entry.header.distribution, entry.header.sha256)


def kill_while_writing(step: str, folder: str) -> int:
    """Kill a process while it writes its second checkpoint; return the number of saved levels."""
    entry, os_step = entry_of("lines"), getattr(os, step)

    stopped("lines", Path(folder), 2)
    setattr(os, step, lambda *arguments, **named: kill(os_step(*arguments, **named) if step == "replace" else None))
    assert killed(lambda: enumerated("lines", stopping_at(4), Checkpoint(entry, folder, resume=True, every=0)))
    setattr(os, step, os_step)
    _, kept = Checkpoint(entry, folder, resume=True).begun() or ((), ())
    return len(kept)


OFTEN = {"lines": 1, "modulo": 1, "trays": 4, "depths": 4, "costly": 1}
"""Enumerations, and which of their levels end a process."""


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_killed(step: int, tmp_path: Path) -> None:
    code = (
        "from tests.test_checkpoint import *\n"  # forking is for processes that have one thread
        f"folder, step = {str(tmp_path)!r}, {step}\n"
        "for name, often in OFTEN.items():\n"
        "    print(*kill_at_levels(name, folder, often * step))\n"
        "print(*(kill_while_writing(step, f'{folder}/{step}') for step in ('fsync', 'replace')))\n"
    )
    result = run_python(code)
    assert result.stderr == ""
    *kept, while_writing = ([*map(int, line.split())] for line in result.stdout.splitlines())
    # Each process keeps what the one before had found when it was killed, except what is left for the last level.
    for (name, often), levels in zip(OFTEN.items(), kept, strict=True):
        last = len(entry_of(name).header.distribution) - (name == "lines")
        assert levels == list(range(0, last, often * step)), name
    assert while_writing == [2, 3]  # the old one, the new one


def test_half_a_checkpoint_is_removed_at_the_end(tmp_path: Path) -> None:
    """A killed process leaves it; one that changes meanwhile is of another process that builds the same."""
    checkpoint = stopped("modulo", tmp_path, 3)
    old, young = (Path(f"{tmp_path}/.modulo.checkpoint.4711-0123abc{digit}.tmp") for digit in "de")
    for each in (old, young):
        each.write_bytes(b"half")
    os.utime(old, (time.time() - 60,) * 2)
    os.utime(young, (time.time() + 60,) * 2)
    enumerated("modulo", None, checkpoint)
    checkpoint.remove()
    assert [*tmp_path.iterdir()] == [young]


# -- What is refused ---------------------------------------------------------------------------------------------------


def test_damaged_checkpoints(tmp_path: Path) -> None:
    checkpoint = stopped("modulo", tmp_path, 9)
    data = Path(checkpoint.path).read_bytes()
    for place in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[place] ^= 0x10
        Path(checkpoint.path).write_bytes(damaged)
        with pytest.raises(TableError, match=r"modulo\.checkpoint: "):
            checkpoint.begun()
    for size in (0, 7, 60, len(data) // 2, len(data) - 1):
        Path(checkpoint.path).write_bytes(data[:size])
        with pytest.raises(CorruptTableError, match=r"modulo\.checkpoint: "):
            checkpoint.begun()
    Path(checkpoint.path).write_bytes(data)
    _, counts = checkpoint.begun() or ((), ())
    assert counts == entry_of("modulo").header.distribution[:9]


def test_foreign_checkpoints(tmp_path: Path) -> None:
    other = stopped("lines", tmp_path, 3)
    checkpoint = stopped("modulo", tmp_path, 3)
    os.replace(other.path, checkpoint.path)
    with pytest.raises(CorruptTableError, match=r"modulo\.checkpoint: this is the table lines, not modulo"):
        checkpoint.begun()
    table, counts = enumerated("modulo")
    tablefile.write(checkpoint.path, entry_of("modulo").header, table.data)
    with pytest.raises(CorruptTableError, match="another entries, encoding"):  # one that is finished
        checkpoint.begun()
    for wrong in ((), (1, 2, 9), (*counts, 1)):
        tablefile.write(checkpoint.path, checkpoint._wanted(wrong, entry_of("modulo").header.sha256, 0), table.data)
        with pytest.raises(CorruptTableError, match="its levels are not those of modulo"):
            checkpoint.begun()
    # Whoever looks for a table does not take a checkpoint for one, either.
    path = stopped("lines", tmp_path, 3).path
    with pytest.raises(CorruptTableError, match="another entries, distribution, sha256, encoding"):
        tablefile.read(path, entry_of("lines").header)


# -- When it is written, and when not ----------------------------------------------------------------------------------


def test_a_full_disk_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = stopped("lines", tmp_path, 3)
    before = Path(checkpoint.path).read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(CubesolveWarning, match="cannot be written: No space left on device; the build goes on"):
        table, _ = enumerated("lines", None, Checkpoint(entry_of("lines"), tmp_path, resume=True, every=0))
    assert np.array_equal(table, enumerated("lines")[0])
    assert Path(checkpoint.path).read_bytes() == before
    assert os.listdir(tmp_path) == ["lines.checkpoint"]


def test_only_more_levels_take_the_place_of_others(tmp_path: Path) -> None:
    kept = stopped("lines", tmp_path, 4).counts()
    assert len(kept) == 4
    assert stopped("lines", tmp_path, 2).counts() == kept
    assert len(stopped("lines", tmp_path, 6).counts()) == 6
    Path(tmp_path, "lines.checkpoint").write_bytes(b"rubbish")
    assert len(stopped("lines", tmp_path, 2).counts()) == 2


def test_only_from_time_to_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint(entry_of("lines"), tmp_path, resume=True)
    enumerated("lines", None, checkpoint)
    assert not os.listdir(tmp_path)
    assert (checkpoint.counts(), checkpoint.begun()) == ((), None)
    checkpoint.remove()
    # Where each takes two hundred seconds, eight hundred pass before the next.
    clock, kept = itertools.count(0, 100), list[int]()
    monkeypatch.setattr("cubesolve.store.checkpoint.time", SimpleNamespace(monotonic=clock.__next__))
    monkeypatch.setattr("cubesolve.store.tablefile.write", lambda *_: kept.append(next(clock)))
    checkpoint = Checkpoint(entry_of("lines"), tmp_path)
    for levels in range(1, 16):
        checkpoint.keep(np.zeros(0, np.uint8), (1,) * levels)
    assert kept == [300, 1400]


# -- What users see ----------------------------------------------------------------------------------------------------

NAME = "tiles-3x3-htm"


@pytest.fixture
def large_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Rules, TableEntry]:
    """A small table that is handled as a large one."""
    monkeypatch.setattr("cubesolve.cli.building._LARGE", 0)
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    return catalog.entry_named(NAME)


def build(*options: str) -> tuple[int, str, list[str]]:
    result = invoke("tables", "build", NAME, *options)
    return result.exit_code, result.stdout, result.stderr.splitlines()


def test_going_on(large_table: tuple[Rules, TableEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoppedError):
        make(*large_table, stopping_at(10), checkpointer=Checkpoint(large_table[1], every=0))
    path = f"{tmp_path}/{NAME}.checkpoint"
    with monkeypatch.context() as small:
        small.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=7))
        status, _, (begins, takes, refused) = build()
    room = os.path.getsize(path) + 7
    assert (status, begins) == (1, f"cubesolve: {NAME} starts anew; --resume would continue from depth 9: {path}")
    assert takes == (
        f"cubesolve: {NAME} takes 181,440 bytes of memory, and up to 362,880 bytes in {tmp_path}, "
        f"which has {room} bytes free"
    )
    assert refused == f"cubesolve: {NAME} cannot be built there: set CUBESOLVE_TABLES to a folder with more space"
    levels = list[int]()
    monkeypatch.setattr("cubesolve.cli.building.printing_depths", lambda _: lambda depth, *_: levels.append(depth))
    status, built, said = build("--resume")
    assert (status, built) == (0, f"{NAME} built: {tmp_path}/{NAME}.zst\n")
    assert said[0] == f"cubesolve: {NAME} continues from depth 9: {path}"
    assert levels[0] == 9
    assert os.listdir(tmp_path) == [f"{NAME}.zst"]


def test_nothing_to_go_on_from(
    large_table: tuple[Rules, TableEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{NAME}.checkpoint"
    path.write_bytes(b"rubbish")
    status, built, said = build("--resume")
    assert (status, built) == (3, "")
    assert said == [f"cubesolve: {path}: not a cubesolve table; leave out --resume to start anew"]
    with pytest.raises(CorruptTableError, match="not a cubesolve table"):
        build_table(NAME, resume=True)
    monkeypatch.setattr("cubesolve.cli.building.half_of_memory", lambda: 5 * 10**4)
    status, _, said = build()
    assert (status, said[0]) == (1, f"cubesolve: {path}: not a cubesolve table; {NAME} starts anew")
    assert said[2] == f"cubesolve: {NAME} cannot be built: this machine has 100,000 bytes of memory"
    path.unlink()
    assert build("--resume")[2][0] == (f"cubesolve: {NAME} starts anew: no checkpoint {path}")
    header = large_table[1].header
    assert encoding_of(header).building_bytes(header.entries) == body_bytes(header)


@pytest.mark.parametrize("name", ["floppy-htm-coordinates", "rolling-edge-patterns"])
def test_what_has_no_checkpoints_says_so(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    result = invoke("tables", "build", name, "--resume")
    assert result.exit_code == 0
    assert result.stderr == (f"cubesolve: {name} starts anew: builds of less than a minute have no checkpoints\n")


def test_a_level_without_states_is_gone_over(tmp_path: Path) -> None:
    whole, counts = enumerated("gaps")
    assert counts[:5] == (1, 0, 0, 2, 0)
    for depth in (3, 6):
        stopped("gaps", tmp_path, depth)
        checkpoint = Checkpoint(entry_of("gaps"), tmp_path, resume=True, every=0)
        assert checkpoint.counts() == counts[: depth - 2]
        assert np.array_equal(enumerated("gaps", None, checkpoint)[0], whole)
        checkpoint.remove()
