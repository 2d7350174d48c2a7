from __future__ import annotations

import csv
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from cubesolve import catalog, lookup
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.learn.export import Export, export
from tests.processes import signalled
from tests.subsets import later, only


@pytest.mark.parametrize("metric", ["htm", later("qtm")])
def test_all_antipodes_in_every_kind_of_file(tmp_path: Path, metric: str) -> None:
    name = f"pocket-{metric}"
    deepest = len(lookup.distribution(metric=metric)) - 1
    for suffix in (".npz", ".npy", ".csv"):
        export(name, str(tmp_path / f"out{suffix}"), depth=deepest)
    records = np.load(tmp_path / "out.npy")
    archive = np.load(tmp_path / "out.npz")
    with (tmp_path / "out.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    antipodes = list(lookup.antipodes(metric=metric))
    assert len(records) == len(lines) == len(antipodes) == lookup.distribution(metric=metric)[-1]
    assert list(archive) == list(records.dtype.names or ()) == list(lines[0]) == ["rank", "facelets", "depth", "moves"]
    for column in archive:
        assert np.array_equal(archive[column], records[column])
        assert archive[column].dtype.type == records[column].dtype.type
    for cube, record, line in zip(antipodes, records, lines, strict=True):
        assert line["facelets"] == record["facelets"].decode() == cube.facelets
        assert int(line["rank"]) == record["rank"] == cube.rank
        assert int(line["depth"]) == record["depth"] == deepest
        assert line["moves"] == lookup.solve(cube, metric=metric)
        assert cube.apply(line["moves"]).is_solved
    assert np.array_equal(lookup.solve_batch(records["rank"], metric=metric).moves, records["moves"])


def test_trays_and_patterns(tmp_path: Path) -> None:
    path = tmp_path / "trays.csv"
    export("rolling-centre", str(path), depth=6)
    lines = list(csv.DictReader(path.read_text().splitlines()))
    assert len(lines) == catalog.tables()["rolling-centre"].header.distribution[6]
    for line in lines:
        tray = Tray(line["cells"])
        assert str(tray) == line["cells"]
        assert tray.rank == int(line["rank"])
        assert tray.apply(line["moves"]) == Tray.start((2, 2))
    export("rolling-centre", str(tmp_path / "trays.npz"), depth=6)
    cells = np.load(tmp_path / "trays.npz")["cells"]
    assert lookup.depths(cells, goal=(2, 2)).tolist() == [6] * len(lines)
    export("rolling-edge-patterns", str(tmp_path / "patterns.npy"), ["pattern"], depth=37)
    assert np.load(tmp_path / "patterns.npy").tolist() == [b"BRB/BEB/BRB"]


def test_progress_comes_to_an_end(tmp_path: Path) -> None:
    number = lookup.distribution(start=(2, 1), patterns=True)[20]
    for suffix, times in ((".npy", 1), (".csv", 1), (".npz", 3)):
        file = Export("rolling-edge-patterns", tmp_path / f"out{suffix}", depth=20)
        reported: list[int] = []
        file.write(reported.append)
        assert sum(reported) == file.steps == number * times


def test_names_of_columns_and_files(tmp_path: Path) -> None:
    for path in (tmp_path / ".csv", tmp_path / ("x" * 251 + ".csv")):
        export("pocket-htm", path, "rank, depth", depth=1)
        assert path.read_text().splitlines()[0] == "rank,depth"
    path.chmod(0o600)
    export("pocket-htm", path, ("rank",), depth=1)
    assert path.stat().st_mode & 0o777 == 0o600


WRITING = {"out.csv": "export tiles-2x3 --out", "out.json": "tables distribution --puzzle tiles-2x3 --count --out"}


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("number", only({signal.SIGTERM}, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
def test_an_interrupted_command_leaves_what_was_there(tmp_path: Path, number: signal.Signals, name: str) -> None:
    out = tmp_path / name
    out.write_text("before")
    code = f"""
import os, time
from cubesolve import cli, lookup
lookup.puzzle("tiles-2x3").depth(0)  # a table that is written later would be the first file
os.fsync = lambda _: (print(len(os.listdir({str(tmp_path)!r})), flush=True), time.sleep(600))
cli.main({[*WRITING[name].split(), str(out)]!r})
"""
    result = signalled(code, number)
    assert (result.returncode, result.stdout, result.stderr) == (128 + number, "2\n", "")
    assert os.listdir(tmp_path) == [name]
    assert out.read_text() == "before"
