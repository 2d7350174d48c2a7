"""An interrupted round of a search continues when it is run again, and finds the same solutions."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pytest

from cubesolve.group.canonical import Alg
from cubesolve.runtime.deadline import Deadline, EndedError
from cubesolve.search import rounds
from cubesolve.search.rounds import Node, Paused, Run, Search, SearchOutput

PARTS = 1000


def node(*made: int) -> Node:
    return Node(made, np.empty(0, np.int64), sum(made))


class Counted(Run):
    """A round in which some parts have an alg, and some are interrupted.

    Attributes:
        calls: how often parts were searched.
        finished: how often the search of each part ended.
        repeated: how often the search of each part was interrupted.
        searched: how many parts had been searched at each interruption.
    """

    def __init__(self, every: bool, solved: Iterable[int], interrupted: Iterable[int], parts: int = PARTS) -> None:
        super().__init__(Search(lambda *_: 0, SearchOutput, slice(0)), 2, every)
        self.parts = parts
        self.solved, self.interrupted = set(solved), set(interrupted)
        self.calls, self.finished, self.repeated = 0, Counter[int](), Counter[int]()
        self.cancel, self.searched = threading.Event(), list[int]()

    def expand(self, start: Node, stop_at: int) -> list[Node]:
        assert (start.made, stop_at) == ((), 1)
        return [node(number) for number in range(self.parts)]

    def search_parts(self, first: int, nodes: Sequence[Node]) -> tuple[int, Mapping[int, list[Alg]]]:
        self.calls += 1
        for number, part in enumerate(nodes, first):
            assert part.made == (number,)
            if number in self.interrupted:
                self.interrupted.remove(number)
                self.repeated.update(range(first, number + 1))
                self.cancel.set()
                while self.best[0] >= 0:
                    time.sleep(0.001)
                return len(nodes), {}
        searched = [part.made for part in nodes if self.every or not self.solved & {*range(first, part.made[0])}]
        self.finished.update(number for (number,) in searched)
        return len(searched), {number: [(number, 0)] for (number,) in searched if number in self.solved}


def algs_of(run: Counted, interruptions: int = 0, workers: int = 1) -> list[Alg]:
    """Run a round again until it ends."""
    for _ in range(interruptions + 1):
        run.cancel.clear()
        try:
            return run.run([node()], 1, Deadline(cancel=run.cancel), workers)
        except EndedError:
            run.searched.append(sum(run.finished.values()))
    raise AssertionError


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("interrupted", [[], [0], [1, 7, 500, 999], list(range(0, 900, 31))], ids=len)
def test_algs_are_found_and_no_part_is_searched_twice(interrupted: list[int], every: bool, workers: int) -> None:
    """All algs, or the first one, are found."""
    run = Counted(every, {401, 500, 998}, [number for number in interrupted if every or number < 401])
    assert algs_of(run, len(interrupted), workers) == [(401, 0), (500, 0), (998, 0)][: None if every else 1]
    assert run.finished.keys() >= {*range(PARTS if every else 402)}
    # An interruption may come between the end of a part in another thread and the lock; that part is repeated.
    assert max(run.finished.values()) <= 1 + (every and workers > 1) * len(interrupted)
    assert max(run.repeated.values(), default=0) <= len(interrupted)


def test_an_interrupted_chunk_is_divided() -> None:
    """A chunk may take longer than the limit of a question."""
    run = Counted(True, (), range(100), 100)
    assert algs_of(run, 200) == []
    assert run.finished == Counter(range(100))
    assert run.searched == sorted(run.searched)


def test_a_few_rounds_are_kept() -> None:
    paused, runs = Paused(), [Counted(True, (), ()) for _ in range(9)]
    for number, run in enumerate(runs):
        with pytest.raises(EndedError), paused.keeping(run, number):
            raise EndedError("after 1 s")
    taken = [paused.take(number) for number in range(9)]
    assert taken[-1] is runs[-1]
    assert taken.index(runs[-2]) == 7
    assert sum(run is not None for run in taken) == 4
    assert [paused.take(number) for number in itertools.chain(range(9), [9])] == [None] * 10


def test_small_parts_are_searched_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call takes as long as thousands of states, so a thread takes more parts after those that took little time."""
    monkeypatch.setattr(rounds, "_SHORT", 3600)
    few, many = (Counted(True, {3, 500, 998}, ()) for _ in range(2))
    assert algs_of(few) == [(3, 0), (500, 0), (998, 0)]
    monkeypatch.setattr(rounds, "_SHORT", 0)
    algs_of(many)
    assert few.calls < 40
    assert many.calls > 500
