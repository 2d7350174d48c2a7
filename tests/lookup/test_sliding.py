"""Searches of sliding puzzles with additive pattern databases find optimal solutions."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.definition.sliding import Sliding
from cubesolve.definition.sliding import sliding as as_sliding
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.errors import CorruptTableError, CubesolveError, InvalidMoveError, UnsolvableStateError
from cubesolve.group.canonical import beginnings, canonical
from cubesolve.group.permutations import Arrangement
from cubesolve.search import additive as sliding
from cubesolve.search.additive import choose_parts, known_pieces, open_parts, start_of
from cubesolve.search.ida_star import Opened
from cubesolve.search.limits import MEMORY
from cubesolve.search.slides import canonical_slides
from cubesolve.solvers import derived, opening, searched
from cubesolve.spaces.defined import DerivedGraph, DerivedRules
from cubesolve.spaces.derived import derived_space
from tests.commands import refused
from tests.subsets import later


def _graph(name: str) -> DerivedGraph:
    rules = rules_named(name)
    assert isinstance(rules, DerivedRules)
    return rules.graph()


def _opened(graph: DerivedGraph, memory: int) -> Opened:
    puzzle = as_sliding(graph.reduction.solved, graph.reduction.moves)
    assert puzzle is not None
    parts = choose_parts(puzzle, memory)
    assert sorted(itertools.chain(*parts)) == sorted(set(puzzle.solved) - {puzzle.gap})
    tables = [enumerate_depths(known_pieces(puzzle, len(part)).contracted, start_of(puzzle, part)) for part in parts]
    return open_parts(puzzle, parts, tables, canonical(graph.reduction.moves, puzzle.solved).following)


@pytest.mark.parametrize(
    ("name", "memory", "every"),
    [
        ("tiles-2x3", 10_000, 3),
        ("tiles-2x4", 30_000, 200),
        later("tiles-2x4", 1 << 20, 50),
        pytest.param("tiles-2x5", 200_000, 5_000, marks=pytest.mark.exhaustive),
        later("tiles-3x3", 30_000, 6_000),
        pytest.param("tiles-3x3", 100_000, 1, marks=pytest.mark.exhaustive),
    ],
)
def test_states_have_the_depth_that_their_table_says(name: str, memory: int, every: int) -> None:
    graph = _graph(name)
    space = derived_space(graph)
    depths = enumerate_depths(space.arrays, list(graph.starts))
    opened = _opened(graph, memory)
    for rank in range(0, graph.states, every):
        place: Arrangement = bytes(space.states(np.array([rank]))[0].tolist())
        ranks = opened.ranks(place)
        assert max(opened.solver.bounds(ranks)) <= depths[rank]
        (alg,) = opened.solver.solve(ranks)
        assert len(alg) == depths[rank]
        for move in alg:
            place = graph.reduction.moves[move].apply(place) or place
        assert place == graph.reduction.solved[0]


def test_large_trays_are_searched_with_arrays_of_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel for sets of at most 64 points, and the one for any projections, search the same states."""
    graph = _graph("tiles-3x3")
    bits = _opened(graph, 100_000)
    monkeypatch.setattr(sliding, "MOST_POINTS", 0)
    arrays = _opened(graph, 100_000)
    assert type(bits.solver) is not type(arrays.solver)
    source, state = random.Random(20261128), graph.reduction.solved[0]
    for _ in range(300):
        state = source.choice(graph.reduction.moves).apply(state) or state
    algs = [opened.solver.solve(opened.ranks(state), every=True) for opened in (bits, arrays)]
    assert algs[0] == algs[1]
    assert bits.solver.nodes == arrays.solver.nodes > 100
    assert bits.solver.probes * 2 == arrays.solver.probes  # there are two parts; a move changes one entry of each view


@pytest.mark.exhaustive
def test_few_and_good_parts() -> None:
    """The mean bound is at least that of Korf and Felner's three tables, 42.9 moves."""
    puzzle = as_sliding(_graph("tiles-4x4").reduction.solved, _graph("tiles-4x4").reduction.moves)
    assert puzzle is not None
    parts = choose_parts(puzzle, MEMORY)
    assert sorted(map(len, parts)) == [3, 6, 6]
    tables = [enumerate_depths(known_pieces(puzzle, len(part)).contracted, start_of(puzzle, part)) for part in parts]
    assert sum(table.mean() for table in tables) > 42.9
    with pytest.raises(CubesolveError, match="100 bytes are not enough for tables of 15 sliding pieces: 12,"):
        choose_parts(puzzle, 100)


def test_tables_with_the_least_over_the_regions_of_the_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code for large sets of pieces is right for small ones."""
    table = lookup.open_tablebase(tmp_path / "all").puzzle("tiles-3x3")
    states = [table.random_state(seed) for seed in range(5)]
    expected = [(table.depth(state), list(table.solutions(state))) for state in states]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    monkeypatch.setattr(sliding, "_MOST_WITH_REGIONS", 3)
    puzzle = lookup.open_tablebase(tmp_path / "parts").puzzle("tiles-3x3")
    found = [(puzzle.depth(state, memory=100_000), list(puzzle.solutions(state, memory=100_000))) for state in states]
    assert found == expected
    made = [path.name for path in (tmp_path / "parts").glob("*-of-*")]
    assert made
    assert all("least-moves-of" in name for name in made)


KORF = json.loads((Path(__file__).parents[1] / "data" / "korf100.json").read_text())
_LITTLE = 1_000_000
_NUMBER_15 = "RRDDDLLURRRULLULDDRUULDRURDDLDLUURRRDLLDRR"  # a shortest solution


@pytest.fixture(scope="module")
def fifteen(tmp_path_factory: pytest.TempPathFactory) -> Puzzle:
    return lookup.open_tablebase(tmp_path_factory.mktemp("tables")).puzzle("15-puzzle")


@pytest.mark.parametrize(
    ("number", "moved"), [(15, _NUMBER_15[:14]), *(later(number, "") for number in range(len(KORF["optimal"])))]
)
def test_korfs_positions_are_solved_in_as_few_moves_as_published(
    number: int, moved: str, fifteen: Puzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first moves of an optimal solution the remaining moves are optimal, with any tables."""
    if moved:
        monkeypatch.setattr(opening, "choose_parts", lambda puzzle, _: _threes(set(puzzle.solved) - {puzzle.gap}))
    tiles, target = _slid(KORF["instances"][number], " ".join(moved)), [*range(16)]
    memory = _LITTLE if moved else None
    alg = fifteen.solve(" ".join(map(str, tiles)), " ".join(map(str, target)), memory=memory)
    assert len(moved) + len(alg.split()) == KORF["optimal"][number]
    assert _slid(tiles, alg) == target


def _threes(pieces: set[int]) -> list[tuple[int, ...]]:
    return list(zip(*[iter(sorted(pieces))] * 3, strict=True))


def _slid(tiles: list[int], alg: str) -> list[int]:
    """Return the tiles after an alg, independently of the package."""
    cells = list(tiles)
    for move in alg.split():
        gap = cells.index(0)
        other = gap + {"U": 4, "D": -4, "L": 1, "R": -1}[move]
        assert gap // 4 == other // 4 or gap % 4 == other % 4
        cells[gap], cells[other] = cells[other], 0
    return cells


def _walked(source: random.Random, tiles: list[int], moves: int) -> list[int]:
    for _ in range(moves):
        gap = tiles.index(0)
        possible = "U" * (gap < 12) + "D" * (gap > 3) + "L" * (gap % 4 < 3) + "R" * (gap % 4 > 0)
        tiles = _slid(tiles, source.choice(possible))
    return tiles


def test_any_state_is_reached_from_any_other(fifteen: Puzzle) -> None:
    source = random.Random(8)
    tiles = source.sample(range(16), 16)
    for moves in (0, 1, 9, 40):
        target = _walked(source, tiles, moves)
        start, end = (" ".join(map(str, each)) for each in (tiles, target))
        alg = fifteen.solve(start, end)
        assert _slid(tiles, alg) == target
        assert len(alg.split()) <= moves
        assert fifteen.depth(start, end) == len(alg.split()) == fifteen.depth(end, start)
        assert alg in list(fifteen.solutions(start, end))
    swapped = [{1: 2, 2: 1}.get(tile, tile) for tile in tiles]
    with pytest.raises(UnsolvableStateError):
        fifteen.depth(" ".join(map(str, tiles)), " ".join(map(str, swapped)))
    assert fifteen.restrict(cost="R=2").depth("", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15") == 2
    with pytest.raises(InvalidMoveError, match="'cross'"):  # and no word of the number of states
        fifteen.restrict(cost="U=2").depth("", goal="cross")


def test_solutions_of_few_moves_lead_to_a_target() -> None:
    start = "14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13"
    target = " ".join(map(str, [*range(1, 24), 0, 24]))
    tiles = lookup.puzzle("24-puzzle")
    way = tiles.solve(start, target, max_length=400)
    assert way.length <= 400
    assert str(tiles.parse(start).apply(way)) == target


def test_tables_are_made_once_and_damage_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    monkeypatch.setattr(searched, "_NEAR", 20)
    state = "8 6 7 2 5 4 3 0 1"

    def depth() -> int:
        return lookup.open_tablebase(tmp_path).puzzle("8-puzzle").depth(state, memory=100_000)

    assert depth() == 31
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(made) == 3
    assert sum("moves-of" in name for name in made) == 2
    with monkeypatch.context() as context:
        context.delattr(opening, "choose_parts")
        assert depth() == 31
        lost = next(path for path in tmp_path.iterdir() if "moves-of" in path.name)
        lost.unlink()
        assert depth() == 31
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == made
    content = bytearray(made[lost.name])
    content[-9] ^= 1
    lost.write_bytes(content)
    with pytest.raises(CorruptTableError):
        depth()


@pytest.mark.parametrize(
    ("name", "most"), [("tiles-2x3", 50), ("tiles-2x3", 5_000), ("tiles-3x3", 1_000), ("tiles-2x4", 1_000)]
)
def test_canonical_slides_lead_everywhere_by_shortest_ways(name: str, most: int) -> None:
    reduction = _graph(name).reduction
    puzzle = as_sliding(reduction.solved, reduction.moves)
    assert puzzle is not None
    automaton = canonical_slides(puzzle, most)
    for begin in range(len(puzzle.solved)):
        place = tuple(range(len(puzzle.solved))), begin
        newest, seen, accepted = {place}, {place}, {(place, begin)}  # with the state of the automaton
        for _ in range(12):
            newest = {end for place in newest for end in _slides(puzzle, *place) if end} - seen
            seen |= newest
            accepted = {
                (end, following)
                for place, state in accepted
                for end, following in zip(_slides(puzzle, *place), automaton[state].tolist(), strict=True)
                if end and following >= 0
            }
            assert newest <= {place for place, _ in accepted}
    fewer, all_slides = (
        next(itertools.islice(beginnings(accepting.tolist()), 11, None))
        for accepting in (automaton, canonical_slides(puzzle, 1))
    )
    assert fewer < all_slides


_Place = tuple[tuple[int, ...], int]


def _slides(puzzle: Sliding, pieces: tuple[int, ...], gap: int) -> list[_Place | None]:
    """Return the pieces and the gap after each slide; None where it is not possible."""
    ends = list[_Place | None]()
    for source in (sources[gap] for sources in puzzle.sources):
        moved = {gap: pieces[source], source: pieces[gap]} if source >= 0 else {}
        ends.append((tuple(moved.get(point, piece) for point, piece in enumerate(pieces)), source) if moved else None)
    return ends


def test_other_names() -> None:
    for name, usual in (("8-puzzle", "tiles-3x3"), ("15-puzzle", "tiles-4x4"), ("24-puzzle", "tiles-5x5")):
        assert rules_named(name) == rules_named(usual)
        assert rules_named(name).name == usual


def test_too_little_memory_is_said_at_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBESOLVE_TABLES", str(tmp_path))
    text = str(lookup.open_tablebase(tmp_path).puzzle("15-puzzle").random_state(1))
    asked = ["depth", "--puzzle", "15-puzzle", "--memory", "200", text]
    assert "200 bytes are not enough" in refused(*asked, status=1)
