"""A cluster finds what one process finds, also after it was killed; invalid files are rejected by name."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from cubesolve import Puzzle, puzzle
from cubesolve.catalog.rolling.model import Shape
from cubesolve.catalog.rolling.spaces import rolling_space
from cubesolve.counting import cluster, worker
from cubesolve.counting.records import record
from cubesolve.encodings import enumeration
from cubesolve.encodings.enumeration import enumerate_levels
from cubesolve.errors import CorruptTableError, CubesolveError, CubesolveWarning, TableError, TooLargeError
from cubesolve.solvers import counts, expected
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import derived
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.symmetric import space_up_to_symmetry
from cubesolve.store import tablefile
from tests.commands import invoke, printed
from tests.encodings.rings import ring
from tests.encodings.test_mod3 import woven
from tests.processes import run_python
from tests.stopping import stopped
from tests.subsets import later

SMALL = rolling_space(Shape(2, 2, "full"), 2, fixed=1)
WOVEN = woven(3, 12, 16, 3)
FEW = ring(12)  # of seven levels


def workers(count: int, *, processes: bool = False, memory: str | int = 0) -> LocalCluster:
    return LocalCluster(
        n_workers=count, threads_per_worker=1, processes=processes, memory_limit=memory, dashboard_address=":0"
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Three workers, which are threads of this process."""
    with workers(3) as threads, Client(threads) as client:
        yield client


def kept_in(folder: Path) -> bytes:
    """Return the table whose shards are in a folder."""
    paths = sorted(folder.iterdir())
    assert [path.name.split(".")[0] for path in paths] == [f"share-{i + 1}-of-{len(paths)}" for i in range(len(paths))]
    return b"".join(tablefile.read(str(path))[1] for path in paths)


# -- Right -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [WOVEN, later(SMALL), later(ring(90))])
def test_a_cluster_finds_what_one_process_finds(client: Client, space: StateSpace, tmp_path: Path) -> None:
    levels: list[cluster.DepthStatistics] = []
    table, counts = enumerate_levels(space, [0, 7], bits=2)
    assert cluster.distribution(client, space, [0, 7], tmp_path, levels.append, at_once=space.states // 2) == counts
    assert [(level.depth, level.states) for level in levels] == list(enumerate(counts))
    assert kept_in(tmp_path) == table.tobytes()
    assert levels[0].sent == 0
    assert any(level.sent for level in levels)
    assert not worker._shards


@pytest.mark.parametrize(
    ("changed", "is_reduced"),
    [later({}, True), ({"cost": "R=0"}, True), later({"moves": "U L R", "inverses": False}, False)],
)
def test_any_derived_space(client: Client, tmp_path: Path, changed: dict[str, Any], is_reduced: bool) -> None:
    """With symmetries and without, with costs and without inverses, also if it continues from a level."""
    asked = puzzle("pyraminx-duo").restrict(**changed) if changed else puzzle("pyraminx-duo")
    graph = derived(asked.rules).graph()
    make_ready(graph)
    found = space_up_to_symmetry(graph)
    assert found is not None
    space, starts = (found.space, found.starts) if is_reduced else (space_of(graph), graph.starts)
    stopped(functools.partial(cluster.distribution, client, space, starts), 3, folder=tmp_path, every=0)
    levels: list[cluster.DepthStatistics] = []
    counts = cluster.distribution(client, space, starts, tmp_path, levels.append, resume=True, at_once=20_000)
    assert counts == asked.distribution(count=True)
    assert levels[0].depth > 0
    assert kept_in(tmp_path) == enumerate_levels(space, starts, bits=2)[0].tobytes()


def test_more_workers_than_shares_and_no_starts(client: Client, tmp_path: Path) -> None:
    table, counts = enumerate_levels(ring(3), bits=2)
    assert cluster.distribution(client, ring(3), 0, tmp_path) == counts
    assert kept_in(tmp_path) == table.tobytes()
    assert cluster.distribution(client, ring(300), []) == ()


PROCESSES = """
import os, signal
from tests.test_cluster import *

def main(folder):
    space = rolling_space(Shape(2, 3, "full"), 3, fixed=1)
    table, counts = enumerate_levels(space, bits=2)
    with workers(3, processes=True) as processes, Client(processes) as client:
        victim = processes.workers[1].pid
        kill = lambda level: os.kill(victim, signal.SIGKILL) if level.depth == 60 else None
        try:
            cluster.distribution(client, space, 0, folder, kill, every=1)
        except CubesolveError as error:
            print(error)
        kept = max(int(path.suffixes[0][1:]) for path in folder.iterdir())
        client.wait_for_workers(3)
        levels = []
        found = cluster.distribution(client, space, 0, folder, levels.append, resume=True, at_once=1 << 22)
    print(kept, levels[0].depth, found == counts, kept_in(folder) == table.tobytes())

if __name__ == "__main__":
    main(Path({folder!r}))
"""


@pytest.mark.exhaustive  # a quarter of a minute, most of it until processes are there and gone
def test_three_processes_of_which_one_is_killed(tmp_path: Path) -> None:
    result = run_python(PROCESSES.replace("{folder!r}", repr(str(tmp_path))))
    lost, found = result.stdout.splitlines()
    assert lost.startswith("the worker tcp://127.0.0.1:"), result.stderr
    assert lost.endswith("was lost; restart it, and resume from the last checkpoint")
    assert "AllExit" not in result.stderr
    assert found.split()[2:] == ["True", "True"]


# -- Records -----------------------------------------------------------------------------------------------------------


_DUO = puzzle("pyraminx-duo")


@pytest.mark.parametrize(
    ("asked", "goal", "many"),
    [
        later(_DUO, "U L * *; * * * *", 1),  # up to symmetry
        (_DUO.restrict(cost="R=2 L=0"), "U L * *; * * * *", 1 << 30),
        later(_DUO.towards("U L * *; * * * *"), "U * * *; * * * *", 1 << 30),
    ],
)
def test_states_of_another_goal(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Puzzle[Any], goal: str, many: int
) -> None:
    """In one run, and in two, as many are counted as one process counts one by one."""
    monkeypatch.setattr(counts, "_MANY", many)
    expected = record(asked, from_goal=goal)
    whole = cluster.record(client, asked, from_goal=goal)
    assert whole["distribution"] == expected["distribution"]
    assert whole["is_confirmed"]
    farthest, others = (sorted(each["state"] for each in found["farthest"] or []) for found in (whole, expected))
    assert farthest == others != []
    stopped(functools.partial(cluster.record, client, asked, from_goal=goal), 2, folder=tmp_path, every=0)
    resumed = cluster.record(client, asked, tmp_path, resume=True, from_goal=goal)
    assert {**resumed, "farthest": None, "is_confirmed": True} == {**whole, "farthest": None}


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        later(_DUO, {"levels": 99}),
        (_DUO.restrict(cost="R=2 L=3 U=0"), {"levels": 3}),
        (puzzle("ivy").restrict("R L", inverses=False), {"levels": 5}),
        later(puzzle("ivy").restrict("R L", cost="R=2 L=2"), {"levels": 4}),  # empty levels
        later(puzzle("square1"), {"levels": 2}),
        (_DUO.towards("U L * *; * * * *"), {"levels": 2}),  # several solved states
    ],
)
def test_first_levels(client: Client, asked: Puzzle[Any], question: dict[str, Any], tmp_path: Path) -> None:
    """As many as in one process, also if the count continues from the first level, and again from the last one."""
    levels, expected = list[cluster.DepthStatistics](), record(asked, **question)
    last = len(expected["distribution"]) - 1
    count = functools.partial(cluster.record, client, asked, **question)
    for depth in (1, last):
        stopped(count, depth, folder=tmp_path, every=0, resume=depth > 1)
    with pytest.raises(TableError, match="continue it with resume"):
        count(folder=tmp_path)
    assert count(folder=tmp_path, progress=levels.append, resume=True) == expected
    assert levels[0].depth == last
    assert levels[-1].total == sum(expected["distribution"])
    assert not [*tmp_path.iterdir()]
    stopped(count, last, folder=tmp_path, every=0)
    fewer = {**question, "levels": 1}
    assert cluster.record(client, asked, tmp_path, resume=True, **fewer) == record(asked, **fewer)


def test_what_a_count_takes_on_each_worker(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    monkeypatch.setattr(counts, "_MANY", 1)
    monkeypatch.setattr(expected, "_LARGE", 0)
    monkeypatch.setattr(expected, "announce", said.append)
    cluster.record(client, puzzle("ivy"))
    workers = len(client.scheduler_info()["workers"])
    takes = "N bytes of memory, about 1 minute of processor time"
    assert [re.sub(r"[\d,]+ bytes", "N bytes", line) for line in said] == [
        f"expected: 29,160 states, 1,215 entries, on each of {workers} workers: {takes}",
        f"their space, here: {takes}",
        f"29,160 states, 1,368 entries, on each of {workers} workers: {takes}",
    ]


def test_what_a_cluster_does_not_count(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    pocket, goal = puzzle("pocket"), "UUUU********************"
    refused: list[tuple[Any, dict[str, Any], str]] = [
        (pocket.towards("first-layer-any"), {"from_goal": goal}, "not supported"),
        (pocket, {"from_goal": goal, "orientation": "fixed"}, "not supported"),
        (puzzle("tower").restrict("D R2"), {"from_goal": "URF UFL ULB UBR * * * *; * * * *"}, "not supported"),
        (puzzle("ivy").restrict(cost="R=3"), {}, "only where moves cost at most 2: count on one machine"),
        (puzzle("pancake-30"), {"from_goal": f"1 2 3{' *' * 27}"}, r"fewer states .* one by one, without a cluster"),
        (replace(FEW, costs=(3, 3)), {}, "only where moves cost at most 2: count on one machine"),
        (ring(300), {"starts": 300}, r"start 300 is not in 0\.\.299"),
        (ring(300), {"at_once": 0}, "at_once must be"),
        (ring(300), {"every": -1}, "every must"),
    ]
    for asked, question, message in refused:
        count: Any = cluster.record if isinstance(asked, Puzzle) else cluster.distribution
        with pytest.raises((ValueError, TooLargeError), match=message):
            count(client, asked, **question)
    monkeypatch.setattr(enumeration, "DEEPEST", 5)
    with pytest.raises(ValueError, match="deeper than 5"):
        cluster.distribution(client, ring(300))


def test_command(client: Client, tmp_path: Path) -> None:
    count = ["tables", "distribution", "--puzzle", "pyraminx-duo", "--count"]
    on_cluster = [*count, "--cluster", client.scheduler_info()["address"]]
    expected = printed(*count)
    assert expected.count("\n") == 5
    folder, out = str(tmp_path / "shared"), tmp_path / "duo.json"
    for more in ([], ["--folder", folder, "--out", str(out)], ["--folder", folder, "--resume"]):
        assert printed(*on_cluster, *more) == expected
    assert json.loads(out.read_text())["is_confirmed"]
    levels = [*on_cluster[:4], "--levels", "2", *on_cluster[-2:]]
    assert printed(*levels) == "0 1\n1 8\n2 48\n"
    for arguments, error in (
        ([*on_cluster, "--folder", folder], "continue it with resume (--resume)"),
        ([*count, "--cluster", "nowhere"], "the cluster 'nowhere' cannot be reached"),
    ):
        result = invoke(*arguments)
        assert (result.exit_code > 0, error in result.output) == (True, True), result.output


@pytest.mark.exhaustive
def test_estimates(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(expected, "_ESTIMATE_EVERY", 0)
    monkeypatch.setattr(expected, "announce", said.append)
    shares = [7, 33, 85, 100]  # from 2 % on
    asked = functools.partial(cluster.record, client, seconds=0), functools.partial(Puzzle.distribution, count=True)
    for count in asked:
        said.clear()
        count(puzzle("ivy"))
        assert [int(each.partition("%")[0]) for each in said] == shares
        assert re.fullmatch(r"7% of 29,160 states are counted; the others take [\d,.]+ minutes at this pace", said[0])


def test_memory_is_announced_and_limited(client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[str] = []
    monkeypatch.setattr(expected, "_LARGE", 0)
    for module in (expected, cluster):
        monkeypatch.setattr(module, "announce", said.append)
    with pytest.raises(CubesolveError, match=r"a shard takes [\d,]+ bytes of memory, .* has 10: add workers, "):
        cluster.distribution(client, FEW, memory=10)
    assert not said
    with pytest.raises(TooLargeError, match="there are 406,425,600 states, more than can be enumerated"):
        cluster.record(client, puzzle("domino"), memory=1)
    cluster.distribution(client, FEW, 0, tmp_path, memory=1_000_000)
    assert said[0].startswith(
        "12 states, 12 entries, on each of 1 workers: 162 bytes of memory, up to 16 bytes of disk"
    )
    cluster.distribution(client, FEW, 0, tmp_path, resume=True)
    assert said[2] == f"the count continues from depth 6: {tmp_path}"


# -- Refused -----------------------------------------------------------------------------------------------------------


def test_clusters_that_cannot_do_it() -> None:
    with workers(0) as none, Client(none) as client, pytest.raises(ValueError, match="the cluster has no workers"):
        cluster.distribution(client, SMALL)
    # The worker would pause as soon as it sees how much memory this process has.
    unlimited = {f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause", "terminate")}
    with (
        dask.config.set(unlimited),
        workers(1, memory="1kB") as little,
        Client(little) as client,
        pytest.raises(CubesolveError) as caught,
    ):
        cluster.distribution(client, SMALL)
    assert re.match(r"a shard takes [\d,]+ bytes of memory, but the worker \S+ has 600: add ", str(caught.value))


def test_a_share_that_is_lost(client: Client) -> None:
    def lose(_: cluster.DepthStatistics) -> None:
        worker._shards.clear()

    with pytest.raises(CubesolveError, match="a worker has lost its part of the count: it was restarted"):
        cluster.distribution(client, SMALL, progress=lose)


@pytest.mark.exhaustive
def test_folders_of_something_else(client: Client, tmp_path: Path) -> None:
    stopped(functools.partial(cluster.distribution, client, SMALL), 5, folder=tmp_path, every=0)
    assert {path.name.split(".")[1] for path in tmp_path.iterdir()} == {"5"}
    with pytest.raises(TableError, match="has checkpoints of a run; continue it with resume"):
        cluster.distribution(client, SMALL, 0, tmp_path)
    for space, start in ((SMALL, 1), (WOVEN, 0)):
        with pytest.raises(CorruptTableError, match=r"share-\d-of-3\.5\.checkpoint: .*another "):
            cluster.distribution(client, space, start, tmp_path, resume=True)
    with workers(2) as two, Client(two) as other, pytest.raises(TableError, match="a run with 3 shards, not 2"):
        cluster.distribution(other, SMALL, 0, tmp_path, resume=True)
    damaged = tmp_path / "share-2-of-3.5.checkpoint"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(CorruptTableError, match=r"share-2-of-3\.5\.checkpoint: "):
        cluster.distribution(client, SMALL, 0, tmp_path, resume=True)
    with pytest.raises(TableError, match="cannot be used: "):
        cluster.distribution(client, SMALL, 0, damaged)


@pytest.mark.exhaustive
def test_levels_that_not_all_shares_have_are_not_gone_on_from(client: Client, tmp_path: Path) -> None:
    table, counts = enumerate_levels(WOVEN, bits=2)
    stopped(functools.partial(cluster.distribution, client, WOVEN), 2, folder=tmp_path, every=0)
    whole = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        path.unlink()
    stopped(functools.partial(cluster.distribution, client, WOVEN), 4, folder=tmp_path, every=0)
    (tmp_path / "share-3-of-3.4.checkpoint").unlink()
    for name, content in whole.items():
        (tmp_path / name).write_bytes(content)
    levels: list[cluster.DepthStatistics] = []
    assert cluster.distribution(client, WOVEN, 0, tmp_path, levels.append, resume=True) == counts
    assert levels[0].depth == 1
    assert kept_in(tmp_path) == table.tobytes()


def test_what_cannot_be_kept_is_said(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str, *_: object) -> None:
        raise TableError(path, "cannot be written: No space left on device")

    monkeypatch.setattr(tablefile, "write", fail)
    with pytest.warns(CubesolveWarning, match=r"cannot be written: No space left on device; the run continues"):
        assert cluster.distribution(client, FEW, 0, tmp_path) == enumerate_levels(FEW, bits=2)[1]
