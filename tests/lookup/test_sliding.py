"""Searches of sliding puzzles with additive pattern databases find optimal solutions."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.definition.sliding import Sliding
from cubesolve.definition.sliding import sliding as as_sliding
from cubesolve.encodings.enumeration import enumerate_depths
from cubesolve.errors import CorruptTableError, CubesolveError, UnsolvableStateError
from cubesolve.group.canonical import beginnings
from cubesolve.search import additive as sliding
from cubesolve.search.additive import choose_parts, known_pieces, start_of
from cubesolve.search.limits import MEMORY
from cubesolve.search.slides import canonical_slides
from cubesolve.solvers import derived, opening
from cubesolve.spaces.defined import derived as derived_rules
from tests.lookup.test_searched import answer_by
from tests.subsets import later


@pytest.mark.exhaustive
def test_few_and_good_parts() -> None:
    """The mean bound is at least that of Korf and Felner's three tables, 42.9 moves."""
    reduction = derived_rules(rules_named("tiles-4x4")).graph().reduction
    puzzle = as_sliding(reduction.solved, reduction.moves)
    assert puzzle is not None
    parts = choose_parts(puzzle, MEMORY)
    assert sorted(map(len, parts)) == [3, 6, 6]
    tables = [enumerate_depths(known_pieces(puzzle, len(part)).contracted, start_of(puzzle, part)) for part in parts]
    assert sum(table.mean() for table in tables) > 42.9
    with pytest.raises(CubesolveError, match="100 bytes are not enough for tables of 15 sliding pieces: 12,"):
        choose_parts(puzzle, 100)


@pytest.mark.parametrize(
    ("name", "number"),
    [("MOST_POINTS", 64), ("MOST_POINTS", 0), ("_MOST_WITH_REGIONS", 3)],
    ids=["bits", "arrays of moves", "the least over the regions of the gap"],
)
def test_the_answers_are_those_of_a_table(
    name: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code for large trays, and for large sets of pieces, is right for small ones."""
    table = lookup.open_tablebase(tmp_path / "all").puzzle("tiles-3x3")
    states = [table.random_state(seed) for seed in range(5)]
    expected = [(table.depth(state), list(table.solutions(state))) for state in states]
    monkeypatch.setattr(derived, "AT_ONCE", 0)
    monkeypatch.setattr(sliding, name, number)
    puzzle = lookup.open_tablebase(tmp_path / "parts").puzzle("tiles-3x3")
    found = [(puzzle.depth(state, memory=100_000), list(puzzle.solutions(state, memory=100_000))) for state in states]
    assert found == expected
    made = [path.name for path in (tmp_path / "parts").glob("*-of-*")]
    assert made
    assert all(("least-moves-of" in each) == (name == "_MOST_WITH_REGIONS") for each in made)


KORF = json.loads((Path(__file__).parents[1] / "data" / "korf100.json").read_text())
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
    if moved:  # with sets of three pieces
        threes = [*zip(*[iter(range(15))] * 3, strict=True)]
        monkeypatch.setattr(opening, "choose_parts", lambda *_: threes)
    tiles, target = _slid(KORF["instances"][number], " ".join(moved)), [*range(16)]
    memory = 1_000_000 if moved else None
    alg = fifteen.solve(" ".join(map(str, tiles)), " ".join(map(str, target)), memory=memory)
    assert len(moved) + len(alg.split()) == KORF["optimal"][number]
    assert _slid(tiles, alg) == target


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
    for moves in (0, 1, 9, 16):
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


def test_solutions_of_few_moves_lead_to_a_target() -> None:
    start = "14 5 9 2 18 8 23 19 12 17 15 0 10 20 4 6 11 21 1 7 24 3 16 22 13"
    target = " ".join(map(str, [*range(1, 24), 0, 24]))
    tiles = lookup.puzzle("24-puzzle")
    way = tiles.solve(start, target, max_length=400)
    assert way.length <= 400
    assert str(tiles.parse(start).apply(way)) == target


@pytest.mark.parametrize(
    ("name", "state", "optimal", "memory"),
    [("8-puzzle", "8 6 7 2 5 4 3 0 1", 31, 100_000), ("topspin-8-4", "1 7 3 5 2 8 6 4", 8, 1 << 12)],
)
def test_tables_are_made_once_and_damage_is_reported(
    name: str, state: str, optimal: int, memory: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_by("databases", monkeypatch)

    def depth() -> int:
        return lookup.open_tablebase(tmp_path).puzzle(name).depth(state, memory=memory)

    assert depth() == optimal
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(made) > 2
    with monkeypatch.context() as context:
        for choose in ("choose_parts", "choose"):
            context.delattr(opening, choose)
        assert depth() == optimal
        lost = max(tmp_path.iterdir(), key=lambda path: path.stat().st_size)
        lost.unlink()
        assert depth() == optimal
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
    reduction = derived_rules(rules_named(name)).graph().reduction
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
