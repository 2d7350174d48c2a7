from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import cubesolve
from cubesolve import lookup
from cubesolve.learn.dataset import Dataset
from cubesolve.learn.dataset import rows as dataset_rows
from cubesolve.learn.dataset.splits import symmetry_numbers
from cubesolve.runtime import locks
from cubesolve.runtime.files import write_atomically
from cubesolve.spaces import space_of
from tests.commands import invoke, printed, refused
from tests.processes import ROOT


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def read(folder: Path, split: str) -> dict[str, list[Any]]:
    """The columns of a split, from Parquet."""
    tables = [parquet.read_table(path).to_pydict() for path in sorted((folder / "data").glob(f"{split}-*"))]
    return {name: [value for table in tables for value in table[name]] for name in tables[0]}


def card_of(folder: Path, again: Path) -> str:
    """Return the card of a data set; its command makes the same one."""
    card = (folder / "README.md").read_text()
    command = re.search(r"^    cubesolve dataset (.*) --out DIR$", card, re.M)
    assert command
    printed("dataset", *shlex.split(command[1]), "--out", again)
    assert written(again) == written(folder)
    return card


@pytest.mark.parametrize(("metric", "size"), [("htm", 2000), ("qtm", 100)])
def test_every_label_is_right(metric: str, size: int, tmp_path: Path) -> None:
    Dataset("pocket", size, by_depth="uniform", seed=7, metric=metric).write(tmp_path)
    rows = read(tmp_path, "train")
    assert list(rows) == ["facelets", "depth", "solution", "optimal_moves"]
    ranks = lookup.ranks(rows["facelets"])
    assert len(set(ranks.tolist())) == len(ranks) == size
    assert lookup.depths(ranks, metric=metric).tolist() == rows["depth"]
    assert lookup.optimal_moves_batch(ranks, metric=metric).tolist() == rows["optimal_moves"]
    assert [lookup.solve(text, metric=metric) for text in rows["facelets"][:50]] == rows["solution"][:50]
    counts = Counter(rows["depth"])
    assert max(counts.values()) - min(counts[depth] for depth in range(5, 11)) <= 1


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    for place, seed in (("a", 1), ("b", 1), ("c", 2)):
        Dataset("tiles-2x3", 200, split="0.7/0.2/0.1", seed=seed).write(tmp_path / place)
    assert written(tmp_path / "a") == written(tmp_path / "b")
    parts = [f"data/{split}-00000-of-00001.parquet" for split in ("test", "train", "validation")]
    assert [*written(tmp_path / "a")] == ["README.md", "SHA256SUMS", *parts, "dataset.json"]
    first, other = (read(tmp_path / place, "train")["state"] for place in "ac")
    assert first != other


def test_rows_and_splits_are_those_that_this_seed_always_gave(tmp_path: Path) -> None:
    Dataset("tiles-3x3", 1000, by_depth="uniform", split="0.7/0.3", seed=7).write(tmp_path / "out")
    rows = [read(tmp_path / "out", split) for split in ("train", "test")]
    assert hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16] == "c3ee891b7bdc37fa"


@pytest.mark.parametrize(
    ("name", "moves", "renamed"),
    [
        ("tiles-3x3", "U L D R", "L U R D"),
        ("topspin-8-4", "T1 T2 T3 T4 T5 T6 T7 T8", "T2 T3 T4 T5 T6 T7 T8 T1"),
        ("topspin-8-4", "T1 T2 T3 T4 T5 T6 T7 T8", "T8 T7 T6 T5 T4 T3 T2 T1"),
        ("ivy", "R L D B R' L' D' B'", "L D R B L' D' R' B'"),  # a rotation
        ("ivy", "R L D B R' L' D' B'", "L' R' D' B' L R D B"),  # a reflection
    ],
)
def test_states_after_symmetric_algs_have_the_same_number_and_are_in_one_split(
    name: str, moves: str, renamed: str, tmp_path: Path
) -> None:
    puzzle, rng = cubesolve.puzzle(name), random.Random(1)
    graph: Any = puzzle.solver.arrays({}).graph
    numbers = symmetry_numbers(space_of(graph), puzzle.depths(np.arange(graph.states)))
    assert len(np.unique(numbers)) > graph.states / 30
    turns = {turn.name: turn for turn in graph.rules.graph().definition_moves}
    for _ in range(50):
        one = other = graph.rules.definition.solved[0]
        for move, image in rng.choices(list(zip(moves.split(), renamed.split(), strict=True)), k=60):
            one, other = turns[move].apply(one) or one, turns[image].apply(other) or other
        assert numbers[graph.rank_of(one)] == numbers[graph.rank_of(other)]
    Dataset(name, 500, columns="rank", split="0.5/0.5").write(tmp_path)
    train, test = (numbers[read(tmp_path, split)["rank"]] for split in ("train", "test"))
    assert (len(train), len(test), len(np.intersect1d(train, test))) == (250, 250, 0)


@pytest.mark.exhaustive
def test_as_many_numbers_as_classes_of_pocket_cubes_were_published() -> None:
    arrays = cubesolve.puzzle("pocket").solver.arrays({})
    numbers = symmetry_numbers(space_of(arrays.graph), arrays.body)
    assert len(np.unique(numbers)) == len(lookup.symmetry_classes().representative) == 77_802


def test_all_states_are_drawn_once_each(tmp_path: Path) -> None:
    Dataset("tiles-2x3", 360, columns="rank,depth").write(tmp_path / "out")
    assert sorted(read(tmp_path / "out", "train")["rank"]) == list(range(360))
    Dataset("tiles-2x3", 7, columns=["depth"], depths=(20, 21), by_depth="uniform").write(tmp_path / "far")
    assert sorted(read(tmp_path / "far", "train")["depth"]) == [20] * 6 + [21]


def test_a_card_says_what_it_is_and_its_sums_are_right(tmp_path: Path) -> None:
    printed("dataset", "ivy", "--size", "1e3", "--split", "0.9/0.1", "--seed", 7, "--out", tmp_path / "out")
    card = card_of(tmp_path / "out", tmp_path / "again")
    assert card.startswith('---\nlicense: mit\npretty_name: "Ivy cube"\n')
    assert "size_categories:\n- 1K<n<10K\n" in card
    assert "  - split: test\n    path: data/test-*\n" in card
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
    card = card_of(tmp_path / "out", tmp_path / "again")
    assert ("the cost of undoing the moves of the walk, an upper bound of the depth" in card) == ("--cost" in options)


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


def test_a_folder_that_holds_something_else_and_a_time_limit(tmp_path: Path) -> None:
    def said(*arguments: object) -> str:
        return refused("dataset", "tiles-2x3", "--size", "10", *arguments, status=1)

    (tmp_path / "notes.txt").write_text("mine")
    assert "The folder contains other files: choose an empty or new folder" in said("--out", tmp_path)
    assert os.listdir(tmp_path) == ["notes.txt"]
    printed("dataset", "tiles-2x3", "--size", "10", "--out", tmp_path / "out")
    assert "another data set: seed is '0' there, not '8'" in said("--seed", "8", "--out", tmp_path / "out")
    (tmp_path / "out" / "dataset.json").write_text("[]")
    assert "a dataset.json that is not a recipe of a data set" in said("--out", tmp_path / "out")
    assert "after 0 s" in said("--timeout", "0", "--out", tmp_path / "timed")
    printed("dataset", "tiles-2x3", "--size", "10", "--timeout", "600", "--out", tmp_path / "timed")


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


@pytest.mark.parametrize("form", ["parquet", "npz"])
@pytest.mark.parametrize("damage", ["a changed byte", "no content"])
def test_a_part_that_was_damaged_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, damage: str
) -> None:
    monkeypatch.setattr(dataset_rows.TableRows, "at_once", 50)
    arguments = ["tiles-2x3", "--size", 150, "--format", form, "--out"]
    printed("dataset", *arguments, tmp_path / "whole")
    printed("dataset", *arguments, tmp_path / "out")
    part = tmp_path / "out" / "data" / f"train-00001-of-00003.{form}"
    sound = part.read_bytes()
    for is_done in (True, False):
        part.write_bytes(sound[:99] + bytes([sound[99] ^ 1]) + sound[100:] if damage == "a changed byte" else b"")
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

    def begin(path: str, content: bytes) -> None:
        monkeypatch.setattr("cubesolve.learn.dataset.write_atomically", write_atomically)
        with pytest.raises(OSError, match="another process is writing there"):
            Dataset("tiles-2x3", 10, seed=2).write(tmp_path / "new")
        write_atomically(path, content)

    monkeypatch.setattr("cubesolve.learn.dataset.write_atomically", begin)
    data.write(tmp_path / "new")
