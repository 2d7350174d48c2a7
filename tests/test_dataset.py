from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import cubesolve
from cubesolve import lookup
from cubesolve.learn.dataset import Dataset
from cubesolve.learn.dataset import rows as dataset_rows
from cubesolve.runtime import locks
from tests.commands import invoke, printed
from tests.processes import ROOT
from tests.subsets import later


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def read(folder: Path, split: str) -> dict[str, list[Any]]:
    """The columns of a split, from Parquet."""
    tables = [parquet.read_table(path).to_pydict() for path in sorted((folder / "data").glob(f"{split}-*"))]
    return {name: [value for table in tables for value in table[name]] for name in tables[0]}


@pytest.mark.parametrize(
    ("fractions", "splits"),
    [("1", {"train": 2000}), pytest.param("0.8/0.2", {"train": 1600, "test": 400}, marks=pytest.mark.exhaustive)],
)
def test_every_label_is_right(fractions: str, splits: dict[str, int], tmp_path: Path) -> None:
    Dataset("pocket", 2000, by_depth="uniform", split=fractions, seed=7).write(tmp_path / "out")
    sides = []
    for split, number in splits.items():
        rows = read(tmp_path / "out", split)
        assert list(rows) == ["facelets", "depth", "solution", "optimal_moves"]
        ranks = lookup.ranks(rows["facelets"])
        assert len(set(ranks.tolist())) == len(ranks) == number
        assert lookup.depths(ranks).tolist() == rows["depth"]
        assert lookup.optimal_moves_batch(ranks).tolist() == rows["optimal_moves"]
        assert [lookup.solve(text) for text in rows["facelets"][:50]] == rows["solution"][:50]
        counts = Counter(rows["depth"])
        assert max(counts.values()) - min(counts[depth] for depth in range(5, 11)) <= 1
        sides.append(ranks)
    if len(sides) > 1:
        classes = lookup.symmetry_classes(inversion=True).class_of
        assert not np.intersect1d(*(classes[ranks] for ranks in sides)).size


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    for place, seed in (("a", 1), ("b", 1), ("c", 2)):
        Dataset("tiles-2x3", 200, split="0.7/0.2/0.1", seed=seed).write(tmp_path / place)
    assert written(tmp_path / "a") == written(tmp_path / "b")
    parts = [f"data/{split}-00000-of-00001.parquet" for split in ("test", "train", "validation")]
    assert [*written(tmp_path / "a")] == ["README.md", "SHA256SUMS", *parts, "dataset.json"]
    first, other = (read(tmp_path / place, "train")["state"] for place in "ac")
    assert first != other


@pytest.mark.parametrize(
    ("name", "named", "digest"), [("tiles-3x3", {"size": 1000, "by_depth": "uniform"}, "c3ee891b7bdc37fa")]
)
def test_rows_and_splits_are_those_that_this_seed_always_gave(
    tmp_path: Path, name: str, named: dict[str, Any], digest: str
) -> None:
    Dataset(name, split="0.7/0.3", seed=7, **named).write(tmp_path / "out")
    rows = [read(tmp_path / "out", split) for split in ("train", "test")]
    assert hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16] == digest


def test_all_states_are_drawn_once_each(tmp_path: Path) -> None:
    Dataset("tiles-2x3", 360, columns="rank,depth").write(tmp_path / "out")
    assert sorted(read(tmp_path / "out", "train")["rank"]) == list(range(360))
    Dataset("tiles-2x3", 7, columns=["depth"], depths=(20, 21), by_depth="uniform").write(tmp_path / "far")
    assert sorted(read(tmp_path / "far", "train")["depth"]) == [20] * 6 + [21]


def test_a_card_says_what_it_is_and_its_sums_are_right(tmp_path: Path) -> None:
    printed("dataset", "ivy", "--size", "1e3", "--split", "0.9/0.1", "--seed", 7, "--out", tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith('---\nlicense: mit\npretty_name: "Ivy cube"\n')
    assert "size_categories:\n- 1K<n<10K\n" in card
    assert "  - split: test\n    path: data/test-*\n" in card
    again = re.search(r"^    cubesolve dataset (.*) --out DIR$", card, re.M)
    assert again
    printed("dataset", *again[1].split(), "--out", tmp_path / "again")
    assert written(tmp_path / "again") == written(tmp_path / "out")
    check = re.search(r"^`(sed .*sha256sum -c)`", card, re.M)
    assert check
    done = subprocess.run(check[1], shell=True, cwd=tmp_path / "out", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count(": OK")) == (0, 2)


@pytest.mark.parametrize(
    ("name", "columns", "options"),
    [
        ("rubik", "facelets,walk,walk_moves,depth,solution,optimal_moves", ["--metric", "qtm", "--walk", "0-4"]),
        ("tiles-2x3", "state,walk,walk_moves,bound,depth", ["--walk", "9"]),
        ("pocket", "facelets,walk,walk_moves,bound,depth", ["--moves", "R U", "--walk", "1-6"]),
        ("clock", "state,walk,walk_moves,bound,depth", ["--walk", "0-2"]),
        ("pocket", "state,walk,walk_moves,depth", ["--goal", "**** **** **** DDDD **** ****", "--walk", "1-3"]),
        ("skewb", "state,walk,walk_moves,bound,depth", ["--cost", "U=2", "--walk", "1-4"]),
    ],
)
def test_walks_end_where_their_moves_lead(tmp_path: Path, name: str, columns: str, options: list[str]) -> None:
    arguments = [name, "--size", 40, "--columns", columns, "--split", "0.9/0.1", *options]
    printed("dataset", *arguments, "--out", tmp_path / "out")
    rows, puzzle = read(tmp_path / "out", "train"), cubesolve.puzzle(name)
    puzzle = puzzle.restrict("R U") if "--moves" in options else puzzle
    puzzle = puzzle.towards(options[1]) if "--goal" in options else puzzle
    puzzle = puzzle.restrict(cost=options[1]) if "--cost" in options else puzzle
    metric = "qtm" if "--metric" in options else None
    arrays = puzzle.state_arrays(metric=metric)
    states = arrays.solved[None].repeat(36, axis=0)
    walks = np.array(rows["walk_moves"])
    is_made = walks < len(arrays.moves)
    for moves, here in zip(walks.T, is_made.T, strict=True):
        states[here] = arrays.apply(states[here], moves[here])
    if "facelets" in rows:
        assert rows["facelets"] == ["".join("URFDLB"[colour] for colour in row) for row in states.tolist()]
    else:
        assert rows["state"] == states.tolist()
    assert puzzle.depths(states[:9], metric=metric).tolist() == rows["depth"][:9]
    if "solution" in rows:
        assert rows["solution"][:9] == [puzzle.solve(state, metric=metric) for state in arrays.states(states[:9])]
        assert rows["optimal_moves"] == puzzle.optimal_moves_batch(states, metric=metric).tolist()
    undoing = np.array([2 if "--cost" in options and move == "U'" else 1 for move in arrays.moves])
    assert (np.where(is_made, undoing[walks * is_made], 0).sum(axis=1) == rows["walk"]).all()
    bounds = rows.get("bound", rows["depth"])
    assert all(bound <= depth <= walk for bound, depth, walk in zip(bounds, rows["depth"], rows["walk"], strict=True))
    low, _, high = options[-1].partition("-")
    assert set(is_made.sum(axis=1).tolist()) == set(range(int(low), int(high or low) + 1))
    card = (tmp_path / "out" / "README.md").read_text()
    assert ("the cost of undoing the moves of the walk, an upper bound of the depth" in card) == ("--cost" in options)
    again = re.search(r"^    cubesolve dataset (.*) --out DIR$", card, re.M)
    assert again
    printed("dataset", *shlex.split(again[1]), "--out", tmp_path / "again")
    assert written(tmp_path / "again") == written(tmp_path / "out")


def test_depths_are_those_of_the_metric(tmp_path: Path) -> None:
    printed("dataset", "pocket", "--size", 20, "--columns", "rank,depth", "--metric", "qtm", "--out", tmp_path)
    rows = read(tmp_path, "train")
    assert lookup.depths(rows["rank"], metric="qtm").tolist() == rows["depth"]


def test_states_farther_than_any_number_of_moves_are_in_the_data_set(tmp_path: Path) -> None:
    puzzle = cubesolve.puzzle("pancake-4").restrict(cost="f2=9 f3=0")
    assert len(puzzle.distribution()) - 1 > puzzle.solve_batch(range(puzzle.states)).lengths.max()
    Dataset(puzzle, puzzle.states).write(tmp_path)
    counts = Counter(read(tmp_path, "train")["depth"])
    assert [counts[depth] for depth in range(len(puzzle.distribution()))] == [*puzzle.distribution()]


def test_the_walk_of_moves_without_inverses_is_no_bound(tmp_path: Path) -> None:
    arguments = ["skewb", "--no-inverses", "--walk", "1-2", "--size", 20, "--columns", "walk,walk_moves,depth"]
    printed("dataset", *arguments, "--out", tmp_path)
    rows = read(tmp_path, "train")
    assert rows["walk"] == [sum(move < 255 for move in moves) for moves in rows["walk_moves"]]
    assert any(depth > walk for depth, walk in zip(rows["depth"], rows["walk"], strict=True))
    assert "upper bound" not in (tmp_path / "README.md").read_text()


def test_a_data_set_ends_at_its_time_limit(tmp_path: Path) -> None:
    result = invoke("dataset", "tiles-2x3", "--size", "10", "--timeout", "0", "--out", tmp_path / "out")
    assert (result.exit_code, "after 0 s" in result.stderr) == (1, True), result.stderr
    printed("dataset", "tiles-2x3", "--size", "10", "--timeout", "600", "--out", tmp_path / "out")


def test_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    result = invoke("dataset", "tiles-2x3", "--size", "10", "--out", tmp_path)
    assert result.exit_code == 1
    assert "The folder contains other files: choose an empty or new folder" in result.stderr
    assert os.listdir(tmp_path) == ["notes.txt"]
    printed("dataset", "tiles-2x3", "--size", "10", "--out", tmp_path / "out")
    result = invoke("dataset", "tiles-2x3", "--size", "10", "--seed", "8", "--out", tmp_path / "out")
    assert (result.exit_code, "another data set: seed is '0' there, not '8'" in result.stderr) == (1, True)
    (tmp_path / "out" / "dataset.json").write_text("[]")
    result = invoke("dataset", "tiles-2x3", "--size", "10", "--out", tmp_path / "out")
    assert (result.exit_code, "a dataset.json that is not a recipe of a data set" in result.stderr) == (1, True)
    result = invoke("dataset", "tiles-2x3", "--size", "10", "--out", tmp_path / "notes.txt" / "out")
    assert (result.exit_code, "Not a directory" in result.stderr) == (1, True)


def test_a_data_set_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset_rows.TableRows, "at_once", 50)
    Dataset("pancake-6", 500, split="0.7/0.3", seed=5).write(tmp_path / "whole")
    reported: list[int] = []

    def stop(rows: int) -> None:
        reported.append(rows)
        if len(reported) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Dataset("pancake-6", 500, split="0.7/0.3", seed=5).write(tmp_path / "out", stop)
    parts = written(tmp_path / "out")
    assert sum(".parquet" in name for name in parts) == 3
    assert "README.md" not in parts
    abandoned = tmp_path / "out" / "data" / ".train-00003-of-00007.parquet.1234-0123abcd.tmp"
    abandoned.write_bytes(b"half")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "data").glob("*.parquet")}
    reported.clear()
    Dataset("pancake-6", 500, split="0.7/0.3", seed=5).write(tmp_path / "out", reported.append)
    assert written(tmp_path / "out") == written(tmp_path / "whole")
    assert sum(reported) == 500
    assert all(path.stat().st_mtime_ns == before for path, before in times.items())


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    return content[:99] + bytes([content[99] ^ 1]) + content[100:]


def emptied(_content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("form", ["parquet", "npz"])
@pytest.mark.parametrize("damage", [later(truncated), flipped, emptied])
@pytest.mark.parametrize("is_done", [later(True), False])
def test_a_part_that_was_damaged_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, damage: Callable[[bytes], bytes], is_done: bool
) -> None:
    monkeypatch.setattr(dataset_rows.TableRows, "at_once", 50)
    arguments = ["tiles-2x3", "--size", 150, "--format", form, "--out"]
    printed("dataset", *arguments, tmp_path / "whole")
    printed("dataset", *arguments, tmp_path / "out")
    part = tmp_path / "out" / "data" / f"train-00001-of-00003.{form}"
    part.write_bytes(damage(part.read_bytes()))
    if not is_done:
        (tmp_path / "out" / "README.md").unlink()
    result = invoke("dataset", *arguments, tmp_path / "out")
    assert (result.exit_code, result.stderr) == (0, f"cubesolve: warning: {part} is damaged; it is written again\n")
    assert written(tmp_path / "out") == written(tmp_path / "whole")


def test_a_part_is_not_vouched_for_by_what_it_is_now(tmp_path: Path) -> None:
    Dataset("tiles-2x3", 50).write(tmp_path / "whole")
    Dataset("tiles-2x3", 50).write(tmp_path / "out")
    part = tmp_path / "out" / "data" / "train-00000-of-00001.parquet"
    for sums in ("", "not of any part\n", "\xff"):  # as after a kill between the two files, or by another hand
        (tmp_path / "out" / "SHA256SUMS").write_text(sums)
        part.write_bytes(b"PAR1")
        Dataset("tiles-2x3", 50).write(tmp_path / "out")
        assert read(tmp_path / "out", "train") == read(tmp_path / "whole", "train")
    assert invoke("dataset", "tiles-2x3", "--size", 50, "--out", tmp_path / "out").stderr == ""
    assert (tmp_path / "out" / "SHA256SUMS").read_bytes() == (tmp_path / "whole" / "SHA256SUMS").read_bytes()
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path / "out", capture_output=True, check=False)
    assert done.returncode == 0


def test_a_puzzle_of_ones_own(tmp_path: Path) -> None:
    rings = str(ROOT / "docs" / "rings.tws")
    result = invoke("dataset", rings, "--size", 20, "--split", "0.5/0.5", "--out", tmp_path / "out")
    assert (result.exit_code, result.stderr) == (0, "")
    card = (tmp_path / "out" / "README.md").read_text()
    assert "    cubesolve dataset FILE --size 20 " in card
    assert "A state and its copies under rotations, reflections and renamings of the moves are in the same" in card
    rows = read(tmp_path / "out", "test")
    puzzle = cubesolve.puzzle(rings)
    assert puzzle.depths(np.array(rows["state"], np.uint8)).tolist() == rows["depth"]


def test_two_processes_do_not_write_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0.1)
    data = Dataset("tiles-2x3", 10)
    data.write(tmp_path)
    with locks.file_lock(str(tmp_path / ".lock")), pytest.raises(OSError, match="another process is writing there"):
        data.write(tmp_path)
    data.write(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["README.md", "SHA256SUMS", "data", "dataset.json"]
