"""Counts that are killed continue from their checkpoints."""

from __future__ import annotations

import functools
import json
import re
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from cubesolve import Puzzle, puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.pocket.spaces import pocket_space
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.cli import tables as commands
from cubesolve.counting.records import Record, record, report
from cubesolve.definition.notation import metric_moves
from cubesolve.encodings.counting import bits_to_count, bytes_to_count
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.errors import SearchLimitError, TableError, TooLargeError
from cubesolve.runtime import notices
from cubesolve.runtime.deadline import EndedError
from cubesolve.solvers import counting, counts, expected
from cubesolve.solvers.answers import Solution
from cubesolve.spaces import levels, symmetric, variants
from cubesolve.spaces.defined import derived
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from cubesolve.store import tablefile
from cubesolve.store.checkpoint import Checkpoint
from tests.commands import invoke, printed, refused
from tests.stopping import stopped
from tests.subsets import later

IVY = puzzle("ivy")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count up to symmetry, with checkpoints of all levels in an empty folder."""
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    monkeypatch.setattr(counts, "_MANY", 1)
    monkeypatch.setattr(counting, "_LONG", 0)
    monkeypatch.setattr(expected, "_CLASSES", 0)
    monkeypatch.setattr(expected, "_LARGE", 0)
    monkeypatch.setattr(counting, "Checkpoint", functools.partial(Checkpoint, every=0))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the messages about what counts take, and about what they continue."""
    messages = list[str]()
    for module in (counting, expected):
        monkeypatch.setattr(module, "announce", messages.append)
    return messages


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        (puzzle("floppy"), {"count": True}),  # two bits
        later(IVY.restrict(cost="R=2"), {"count": True}),  # bytes
        later(IVY, {"from_goal": "* * * *; U R * * * *"}),
        later(IVY.restrict(cost="R=2"), {"from_goal": "URF * * *; U R * * * *"}),
        later(IVY, {"levels": 9}),
        later(IVY.restrict(cost="R=2 L=3"), {"levels": 9}),
        (IVY.restrict(cost="R=0"), {"levels": 9}),
    ],
)
def test_every_level(
    asked: Puzzle, question: dict[str, Any], tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variants, "MOST_LISTED", 0)  # the states of another goal are not listed
    counts = asked.distribution(**question)
    assert not [*tmp_path.glob("*.checkpoint")]  # removed at the end
    said.clear()
    for depth in range(1, len(counts)):
        stopped(asked.distribution, depth, **question, resume=depth > 1)
        assert len([*tmp_path.glob("*.checkpoint")]) == 1
        if depth > 1:
            assert any(f"the count continues from depth {depth - 2}: {tmp_path}" in each for each in said)
    assert asked.distribution(**question, resume=True) == counts
    assert any(" states, " in each or " states at depth " in each for each in said)
    assert not [*tmp_path.glob("*.checkpoint")]


def test_what_a_count_takes_is_expected_before_its_space_is_derived(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def derive(*_: object) -> NoReturn:
        raise NotImplementedError

    monkeypatch.setattr(symmetric, "SymmetricSpace", derive)
    with pytest.raises(NotImplementedError):
        IVY.distribution(count=True)
    takes = "48,241 bytes of memory, up to twice as much disk space for checkpoints, about 1 minute of processor time"
    assert said == [f"expected: 29,160 states, 1,215 entries: {takes}"]


@pytest.mark.parametrize(("name", "classes"), [("ivy", 11), ("pyraminx-duo", 8), ("floppy", 1)])
def test_the_farthest_states_are_listed_up_to_symmetry_also_if_all_are_counted(
    monkeypatch: pytest.MonkeyPatch, name: str, classes: int
) -> None:
    def farthest(many: int) -> list[int]:
        monkeypatch.setattr(counts, "_MANY", many)
        found = puzzle(name).solver.count(count=True).farthest or []
        assert {puzzle(name).depth(state) for state, _ in found} == {len(puzzle(name).distribution()) - 1}
        return sorted(states for _, states in found)

    assert farthest(1 << 60) == farthest(1)
    assert len(farthest(1 << 60)) == classes


@pytest.mark.parametrize("many", [1, 1 << 60], ids=["symmetric", "plain"])
def test_all_states_are_farthest_if_moves_cost_nothing(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(counts, "_MANY", many)
    free = puzzle("pancake-4").restrict(cost="*=0")
    found = record(free)
    assert found["distribution"] == (24,)
    assert found["farthest"]
    assert sum(each["states"] for each in found["farthest"]) == 24
    assert found["is_confirmed"]
    monkeypatch.setattr(counting, "_MOST_FARTHEST", 2)
    assert record(free)["farthest"] is None


@pytest.mark.parametrize(("cost", "messages"), [("", ["expected: 2,496 states at depth 4"]), ("*=2", [])])
def test_what_first_levels_take_is_expected_from_fewer_of_them(said: list[str], cost: str, messages: list[str]) -> None:
    """Once, unless some depths have no states."""
    (IVY.restrict(cost=cost) if cost else IVY).distribution(levels=4)
    assert [each.split(", about")[0] for each in said] == messages


def test_keywords_that_choose_nothing_or_less_than_a_checkpoint_has() -> None:
    asked, pocket = puzzle("pyraminx-duo"), puzzle("pocket")  # the second one has a space of its own
    question: dict[str, Any] = dict.fromkeys(("levels", "from_goal", "memory", "progress")) | {"resume": False}
    assert asked.distribution(**question, count=False) == asked.distribution()
    assert asked.distribution(**question | {"levels": 0}) == (1,)
    assert record(asked, **question | {"levels": 0})["question"] == {"levels": 0}
    assert pocket.distribution(levels=2) == record(pocket, levels=2)["distribution"] == pocket.distribution()[:3]
    stopped(IVY.distribution, 5, levels=9, resume=False)
    found = record(IVY, levels=2, resume=True)
    assert (found["distribution"], found["entries"]) == ((1, 8, 48), 4)


def test_more_levels_than_a_checkpoint_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_MOST_KEPT", 2)
    stopped(IVY.distribution, 5, levels=9, resume=False)
    (path,) = tmp_path.glob("*.checkpoint")
    assert tablefile.read_header(str(path))[0].distribution == (1, 8)
    assert IVY.distribution(levels=9, resume=True) == IVY.distribution()


def test_every_part_of_the_states_of_a_goal(tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked, goal = puzzle("pyraminx-duo"), "U L * *; * * * *"
    counts = asked.distribution(from_goal=goal)
    assert sum(counts) == 36
    monkeypatch.setattr(counting, "_FEW_EACH", 10)
    find = asked.solver.depths_from

    def find_and_stop(states: Sequence[Any], named: dict[str, Any]) -> Iterator[int]:
        yield from find(states, named)
        monkeypatch.setattr(asked.solver, "depths_from", stop)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for done in (10, 20, 30):
        monkeypatch.setattr(asked.solver, "depths_from", find_and_stop)
        with pytest.raises(KeyboardInterrupt, match=rf"with --resume it continues after {done} states: {tmp_path}"):
            asked.distribution(from_goal=goal, resume=True)
    monkeypatch.setattr(asked.solver, "depths_from", find)
    assert record(asked, from_goal=goal, resume=True)["distribution"] == counts
    assert "the count continues after 30 states: " in said[-1]
    assert not [*tmp_path.glob("*.checkpoint")]


def test_tables_of_solutions(tmp_path: Path) -> None:
    """Counting keeps nothing; a table from which a record takes solutions is written with its coordinates."""
    command = ["tables", "distribution", "--puzzle", "docs/rings.tws", "--moves", "L2 R", "--count"]  # not open yet
    command += ["--cost", "R=0"]  # the entries of a count do not show which free moves are optimal
    printed(*command)
    assert not [*tmp_path.iterdir()]
    assert json.loads(printed(*command, "--out", "-"))["is_confirmed"]
    coordinates, table = sorted(path.name for path in tmp_path.iterdir())
    assert coordinates == table.replace(".zst", "-coordinates.zst")


@pytest.mark.parametrize(
    ("asked", "many", "bits"),
    [
        (puzzle("pyraminx-duo"), 1, 2),
        (puzzle("dino"), 1, 2),  # reference pieces
        (puzzle("pyraminx").towards("layer"), 1, 2),
        (IVY, 1 << 60, 8),
        (IVY.restrict(cost="R=3 L=2"), 1, 8),
        (IVY.restrict(inverses=False), 1 << 60, 8),
        (puzzle("pancake-6"), 1, 2),  # no symmetries
        (puzzle("pocket").restrict("R U"), 1 << 60, 8),  # ranks
    ],
)
def test_counts_have_solutions_of_the_farthest_states(
    asked: Puzzle, many: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_MANY", many)
    monkeypatch.setattr(counting, "_LONG", 1 << 60)  # no checkpoints
    counted = asked.solver.count(count=True)
    assert counted.bits == bits
    assert counted.solutions
    farthest: Any = counted.farthest
    algs = [*counted.solutions()]
    for alg, (state, _) in zip(algs, farthest, strict=True):
        assert state.apply(alg).is_solved
        made = asked.rules.view.split(alg)
        assert sum(asked.rules.costs.get(move, 1) for move in made) == len(counted.distribution) - 1
    monkeypatch.setattr(Puzzle, "solve", None)  # no search
    found = report(asked, counted, {}, 60)
    assert [each["solution"] for each in found["farthest"] or []] == algs
    assert found["is_confirmed"]


@pytest.mark.parametrize("many", [1, 1 << 60], ids=["symmetric", "plain"])
@pytest.mark.parametrize("cost", ["R=1", "R=3"])
def test_solutions_of_counts_are_the_first_in_the_order_of_moves(
    many: int, cost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "_MANY", many)
    asked = IVY.restrict(cost=cost)
    counted = asked.solver.count(count=True)
    assert counted.solutions
    assert counted.farthest
    assert [*counted.solutions()] == [asked.solve(state) for state, _ in counted.farthest]
    assert not any("solution" in each for each in record(asked, seconds=0)["farthest"] or [])


@pytest.mark.parametrize(
    ("asked", "bits"),
    [
        (IVY.restrict(cost="R=2"), 2),
        (IVY.restrict(inverses=False), 2),
        (puzzle("pancake-4").restrict(cost="f2=0"), 8),  # free moves
    ],
)
def test_farthest_states_whose_solutions_entries_do_not_determine(asked: Puzzle, bits: int) -> None:
    counted, found = asked.solver.count(count=True), record(asked)
    assert (counted.bits, counted.solutions) == (bits, None)
    assert found["farthest"]
    assert all("solution" in each for each in found["farthest"])
    assert found["is_confirmed"]


def test_solutions_of_another_length_confirm_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = IVY.restrict(cost={"R": 2})
    monkeypatch.setattr(Puzzle, "solve", lambda *_, **__: Solution("R", 2, asked.rules, "R"))
    found = record(asked, seconds=600)
    assert found["farthest"]
    assert found["is_confirmed"] is False


def test_algs_that_solve_no_state_are_no_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    right, count = record(IVY), counting.counted

    def wrong(about: counting.Counted, question: dict[str, Any]) -> counting.Count:
        return count(about._replace(written=lambda *_: "R"), question)

    monkeypatch.setattr(counts, "counted", wrong)
    counted = IVY.solver.count(count=True)
    assert counted.solutions
    assert {*counted.solutions()} == {""}
    assert record(IVY) == right


def test_continued_counts_have_solutions() -> None:
    whole = record(IVY)
    stopped(IVY.distribution, len(whole["distribution"]) - 1, count=True, resume=False)
    assert record(IVY, resume=True) == whole


def test_records_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This is found before counting; if it happens afterwards, the checkpoint stays."""
    command = ["tables", "distribution", "--puzzle", "ivy", "--count", "--out"]
    (tmp_path / "folder.json").mkdir()
    for path, reason in (("nowhere/ivy.json", "No such file"), ("folder.json", "Is a directory")):
        assert f"{tmp_path / path}: {reason}" in refused(*command, str(tmp_path / path), status=1)
        assert not [*tmp_path.glob("*.checkpoint")]
    (folder := tmp_path / "removed").mkdir()

    def record_and_remove(asked: Puzzle, **question: Any) -> Record:
        folder.rmdir()
        return record(asked, **question)

    whole = record(IVY, count=True)
    assert whole["farthest"]
    monkeypatch.setattr(commands, "record", record_and_remove)
    result = invoke(*command, str(folder / "ivy.json"))
    assert result.exit_code == 1
    (checkpoint,) = tmp_path.glob("*.checkpoint")
    assert f"with --resume the count continues from its checkpoint: {checkpoint}\n" in result.stderr
    assert record(IVY, count=True, resume=True) == whole


def test_checkpoints_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count goes on without them, and its status is 0."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path / "file"))
    result = invoke("tables", "distribution", "--puzzle", "ivy", "--count")
    assert "checkpoint: cannot be written: " in result.stderr
    assert (result.exit_code, result.stdout.split()[-1]) == (0, "110")


def test_ctrl_c(tmp_path: Path) -> None:
    def interrupt(level: int, *_: float) -> None:
        if level == 3:
            raise KeyboardInterrupt

    for resume in (False, True):
        with pytest.raises(KeyboardInterrupt, match=rf"with --resume it continues from depth 2: {tmp_path}"):
            IVY.distribution(count=True, resume=resume, progress=interrupt)


def test_a_limit(tmp_path: Path, said: list[str]) -> None:
    """A message says where a count continues that ends at its time limit, or because a level is too large."""

    def end(level: int, *_: float) -> None:
        if level == 3:
            raise EndedError("after 1 s")

    for question in ({"count": True, "progress": end}, {"levels": 9, "memory": 30_000}):
        with pytest.raises((EndedError, SearchLimitError, TooLargeError)):
            IVY.restrict(inverses=False).distribution(**question)
        (checkpoint,) = tmp_path.glob("*.checkpoint")
        assert re.fullmatch(rf"the count was interrupted; with --resume .* from depth \d: {checkpoint}", said[-1])
        checkpoint.unlink()


def test_what_there_is(tmp_path: Path) -> None:
    stopped(IVY.distribution, 3, count=True, resume=False)
    count = ["tables", "distribution", "--puzzle", "ivy", "--count"]
    (checkpoint,) = tmp_path.glob("*.checkpoint")
    printed(*count[:3], "floppy", "--count", "--resume")  # a checkpoint of another space is not touched
    assert checkpoint.exists()
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    with pytest.raises(TableError):
        IVY.distribution(count=True, resume=True)
    printed(*count)
    assert not checkpoint.exists()
    with pytest.raises(ValueError, match="resume requires count"):
        IVY.distribution(resume=True)
    assert printed(*count[:2], "--tray", "2x2", "--memory", "1MB", "--resume").endswith("18 1\n")


def test_checkpoints_of_earlier_versions_are_found() -> None:
    """Their names have a digest of the space, whatever types its arrays have."""
    symmetric = space_up_to_symmetry(derived(rules_named("ivy")).graph())
    assert symmetric is not None
    spaces = {
        "pocket": (pocket_space(metric_moves("htm", "URF")), [0]),
        "tray": (rolling_space(Shape(2, 3, "full"), 2, 1 << 30), [0]),
        "symmetric": (symmetric.space, symmetric.starts),
    }
    assert {name: counting.space_digest(*each)[:12] for name, each in spaces.items()} == {
        "pocket": "a0dc7432e4cb",
        "tray": "32a201625351",
        "symmetric": "8c9b0ecbc8bb",
    }


@pytest.mark.exhaustive
def test_counts_take_the_memory_that_is_said() -> None:
    """Where moves have no inverses, they are reversed."""
    rows = width = 2048
    source, steps = np.random.default_rng(1), np.array([[1], [45]])
    fibre = source.permuted(np.tile(np.arange(width, dtype=np.uint32), (512, 1)), axis=1)
    action = source.integers(len(fibre), size=(2, rows), dtype=np.int32)
    space = StateSpace((np.arange(rows) + steps) % rows, action, fibre)
    starts = np.arange(width)
    assert sum(enumerate_levels(space, starts, bits=bits_to_count(space))[1]) == space.states  # the kernel is loaded
    tracemalloc.start()
    enumerate_levels(space, starts, bits=bits_to_count(space))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < bytes_to_count(space, 8) - space.nbytes + 3_000_000  # temporary arrays have a fixed size


def test_memory_is_limited() -> None:
    """A count that takes more than its limit is refused, and one that takes less than a raised limit is not."""
    count = ["tables", "distribution", "--puzzle", "ivy", "--count", "--memory"]
    message = refused(*count, "300", status=1)
    assert "there are 29,160 states, more than can be enumerated: at most" in message
    assert "counting them takes about 31,879 bytes of memory: allow it with memory (--memory)" in message
    printed(*count, "1MB")
    with pytest.raises(ValueError, match="memory requires count"):
        IVY.distribution(memory=1_000_000)
    for wrong in (-1, 1.5, "1GB"):
        with pytest.raises(ValueError, match="memory must be"):
            IVY.distribution(count=True, memory=wrong)  # type: ignore[arg-type]


def test_many_states_are_timed_while_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message says how long the others take, by some after the first."""
    messages, asked, clock = list[tuple[str, int]](), list[int](), iter(range(0, 1_000_000, 60))
    monkeypatch.setattr(notices, "_LISTENERS", {lambda message: messages.append((message, len(asked))): False})
    monkeypatch.setattr(time, "process_time", lambda: next(clock))

    def depths(some: Sequence[int]) -> list[int]:
        asked.extend(some)
        return [each % 7 for each in some]

    found = counting.counted_each([(each, 1 + each % 2) for each in range(500)], depths, "numbers")
    assert messages == [("484 states, one by one: about 60 minutes of processor time", 16)]
    assert asked == [*range(500)]
    assert found.distribution == tuple(sum(1 + each % 2 for each in range(depth, 500, 7)) for depth in range(7))
    assert found.farthest == [(each, 1 + each % 2) for each in range(6, 500, 7)]
