"""Tables with two bits per state answer as tables with bytes do, for small puzzles; forged tables are rejected."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.encodings import encoding_of
from cubesolve.errors import CorruptTableError
from cubesolve.learn.envs import PuzzleVectorEnv
from cubesolve.spaces import defined_graph
from cubesolve.spaces.batches import SMALL
from cubesolve.spaces.defined import DerivedRules
from cubesolve.spaces.tables import TableHeader
from cubesolve.store import build, tablefile
from cubesolve.store.tables import Tables
from tests.forged import encode
from tests.lookup.test_searched import answer_by
from tests.subsets import later

Pair = tuple[Puzzle, Puzzle]


def puzzle_in(folder: Path, name: str) -> Puzzle:
    """Return a puzzle as one that does not ship; no table of it has been opened."""
    rules = rules_named(name)
    assert isinstance(rules, DerivedRules)
    return Puzzle(DerivedRules(rules.view), Tables(str(folder)))


@pytest.fixture(params=["floppy", "pyraminx-duo", later("tiles-2x3"), later("ivy")])
def pair(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """A puzzle with a table of bytes, and the same puzzle with two bits per state."""
    by_bytes = puzzle_in(tmp_path / "bytes", request.param)
    by_bytes.distribution()
    monkeypatch.setattr(defined_graph, "MOST_BYTES", 10)
    by_bits = puzzle_in(tmp_path / "bits", request.param)
    assert encoding_of(by_bits.header(by_bits.usual_tables()[-1])).bits == 2
    return by_bytes, by_bits


def test_environments(pair: Pair) -> None:
    by_bytes, by_bits = (PuzzleVectorEnv(each, 30) for each in pair)
    (shown, _), (same, _) = (each.reset(seed=1, options={"depth": None}) for each in (by_bytes, by_bits))
    for move in range(5):
        assert (shown == same).all()
        moves = np.arange(move, move + 30) % len(by_bytes.moves)
        (shown, *first, infos), (same, *other, others) = by_bytes.step(moves), by_bits.step(moves)
        assert all((one == two).all() for one, two in zip(first, other, strict=True))
        assert (infos["optimal_moves"] == others["optimal_moves"]).all()
        assert (infos["distance"] == others["distance"]).all()


def test_states(pair: Pair) -> None:
    by_bytes, by_bits = pair
    assert by_bits.distribution() == by_bytes.distribution()
    assert by_bits.antipodes() == by_bytes.antipodes()
    for rank in random.Random(1).choices(range(by_bytes.states), k=60):
        for ask in ("depth", "solve", "count_solutions", "optimal_moves"):
            assert getattr(by_bits, ask)(rank) == getattr(by_bytes, ask)(rank)
        assert list(by_bits.solutions(rank)) == list(by_bytes.solutions(rank))
    depths = range(len(by_bytes.distribution()))
    assert [by_bytes.depth(by_bits.random_state(depth, depth)) for depth in depths] == [*depths]
    assert len(by_bits.scramble(3, depth=depths[-1]).split()) == depths[-1]
    drawn = Counter(str(by_bits.random_state(number, 2)) for number in range(7 * by_bytes.distribution()[2]))
    assert len(drawn) == by_bytes.distribution()[2]


def test_arrays(pair: Pair) -> None:
    by_bytes, by_bits = pair
    ranks, few = np.arange(by_bytes.states), by_bytes.sample(200, rng=1)
    assert np.array_equal(by_bits.depths(ranks), by_bytes.depths(ranks))
    assert np.array_equal(by_bits.sample(200, rng=1), few)
    for ask in ("solve_batch", "optimal_moves_batch", "count_solutions_batch", "neighbors"):
        assert np.array_equal(getattr(by_bits, ask)(few)[0], getattr(by_bytes, ask)(few)[0])
    wanted = [0, 1, 2, 3, 3, 2, 1]
    assert by_bytes.depths(by_bits.sample(7, np.array(wanted), 5)).tolist() == wanted
    with pytest.raises(ValueError, match="too many to count"):
        by_bits.solution_counts()


def test_no_state_between_two_depths() -> None:
    costly = lookup.puzzle("floppy").restrict(cost="*=2")
    assert 0 in costly.distribution()


# -- Forged tables, with correct checksums and wrong contents ----------------------------------------------------------

STATE = 100


def write(path: Path, header: TableHeader, body: bytes, entries: int | None = None) -> None:
    claimed = header._replace(entries=header.entries if entries is None else entries, sha256=tablefile.digest(body))
    path.write_bytes(encode(claimed, body))


@pytest.fixture(params=["bytes", "bits"])
def made(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of a small puzzle's distances, with a byte or two bits per state."""
    if request.param == "bits":
        monkeypatch.setattr(defined_graph, "MOST_BYTES", 10)
    puzzle = puzzle_in(tmp_path, "floppy")
    build.build(puzzle.rules, puzzle.usual_tables()[-1], tmp_path)
    return tmp_path / f"{puzzle.usual_tables()[-1].name}.zst"


QUESTIONS: dict[str, Callable[[Puzzle], Any]] = {
    "solve": lambda puzzle: puzzle.solve(STATE),
    "solutions": lambda puzzle: list(puzzle.solutions(STATE)),
    "count": lambda puzzle: puzzle.count_solutions(STATE),
    "sample": lambda puzzle: puzzle.sample(9, len(puzzle.distribution()) - 1, 1),
    "few": lambda puzzle: puzzle.solve_batch(np.arange(puzzle.states)),
    "many": lambda puzzle: puzzle.solve_batch(np.resize(np.arange(puzzle.states), SMALL + 1)),
}


@pytest.mark.parametrize(
    "forge",
    [lambda size, seed: random.Random(seed).randbytes(size), lambda size, seed: bytes([seed % 200 + 1]) * size],
    ids=["chance", "all one"],
)
@pytest.mark.parametrize("question", QUESTIONS)
def test_distances_that_are_none(made: Path, question: str, forge: Callable[[int, int], bytes]) -> None:
    header, body = tablefile.read(str(made))
    refused = set[str]()
    for seed in range(8):
        write(made, header, forge(len(body), seed))
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
