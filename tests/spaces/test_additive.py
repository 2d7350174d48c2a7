"""Sliding puzzles are recognized, and spaces of some of their pieces have the counts that a plain search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import cubesolve
from cubesolve.catalog import rules_named
from cubesolve.definition.sliding import Sliding, SlidingSymmetry, sliding, symmetries
from cubesolve.encodings.counting import LeastDepths
from cubesolve.encodings.enumeration import enumerate_depths, enumerate_levels
from cubesolve.encodings.proof import find_fault
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import Arrangement
from cubesolve.search.additive import known_pieces
from cubesolve.solvers import opening
from cubesolve.spaces.defined import derived
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.variants import restricted
from tests.distances import by_cost
from tests.one_way import one_way
from tests.subsets import later


def recognized(rules: Rules) -> Sliding | None:
    reduction = derived(rules).graph().reduction
    return sliding(reduction.solved, reduction.moves)


def puzzle_named(name: str) -> Sliding:
    puzzle = recognized(rules_named(name))
    assert puzzle is not None
    return puzzle


def test_other_puzzles_are_none() -> None:
    costly = restricted(rules_named("tiles-3x3"), None, "U=2")
    for rules in (rules_named("skewb"), rules_named("pancake-4"), costly, one_way("tiles-3x3", "U", "L")):
        assert recognized(rules) is None
    slide = Effect(b"\1\0\2", ((0, 2),)), Effect(b"\1\0\2", ((1, 2),))
    assert sliding([b"\0\1\2"], [Move("S", slide)]) is not None
    two = Effect(b"\1\2\0", ((0, 2),)), Effect(b"\2\0\1", ((1, 2),))  # takes more than one piece along
    assert sliding([b"\0\1\2"], [Move("S", two), Move("T", two[::-1])]) is None
    assert sliding([b"\0\0\2"], [Move("S", slide)]) is None
    assert sliding([b"\0\1\2", b"\1\0\2"], [Move("S", slide)]) is None


@pytest.mark.parametrize(("name", "number"), [("tiles-2x2", 2), ("tiles-2x3", 1), ("tiles-3x3", 2), ("tiles-4x4", 2)])
def test_a_view_takes_moves_to_moves_and_the_solved_state_to_itself(name: str, number: int) -> None:
    puzzle, turns = puzzle_named(name), derived(rules_named(name)).graph().reduction.moves
    found = symmetries(puzzle)
    assert len(found) == number
    assert found[0].points == tuple(range(len(puzzle.solved)))
    for view in found:

        def seen(state: Arrangement, view: SlidingSymmetry = view) -> Arrangement:
            there = dict(zip(view.points, state, strict=True))  # all labels are their points when solved
            return bytes(view.points[there[point]] for point in range(len(state)))

        state = puzzle.solved
        assert seen(state) == state
        for move in (1, 3, 0, 3, 1, 2, 0, 2):
            after, there = turns[move].apply(state), turns[view.moves[move]].apply(seen(state))
            assert there == (None if after is None else seen(after))
            state = state if after is None else after


def _counted(rows: int, columns: int, part: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Return the number of moves of a part for each state, by an independent search; other tiles are -1."""
    gap = rows * columns - 1
    start = tuple(label if label in part or label == gap else -1 for label in range(rows * columns))

    def around(state: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        here = state.index(gap)
        row, column = divmod(here, columns)
        for there_row, there_column in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if 0 <= there_row < rows and 0 <= there_column < columns:
                there, moved = there_row * columns + there_column, list(state)
                moved[here], moved[there] = state[there], gap
                yield int(state[there] != -1), tuple(moved)

    return dict(by_cost([start], around))


@pytest.mark.parametrize(
    ("rows", "columns", "part"),
    [
        (2, 2, (0, 1, 2)),
        (2, 3, (1,)),
        (2, 3, (0, 4)),
        (2, 4, (2, 3, 6)),
        later(3, 3, (4, 5, 7)),
        later(3, 3, (0, 1, 3, 8 - 1)),
        (3, 4, (7, 10)),
        (2, 3, (0, 1, 2, 3, 4)),
    ],
)
def test_every_state_has_the_count_that_a_plain_search_finds(rows: int, columns: int, part: tuple[int, ...]) -> None:
    puzzle = puzzle_named(f"tiles-{rows}x{columns}")
    pieces = known_pieces(puzzle, len(part))
    start = pieces.contract(pieces.rank(puzzle.solved, part, puzzle.gap))
    counts = enumerate_depths(pieces.contracted, start)
    assert find_fault(pieces.contracted, counts, start) is None
    expected = _counted(rows, columns, part)
    seen = set()
    for state, count in expected.items():
        # Of labels that are not asked for it does not matter which they are.
        labels: Arrangement = bytes(99 if label < 0 else label for label in state)
        entry = pieces.contract(pieces.rank(labels, part, puzzle.gap))
        assert counts[entry] == count
        seen.add(entry)
    assert (np.delete(counts, list(seen)) == 255).all()


@pytest.mark.parametrize(("rows", "columns", "part"), [(2, 3, (0, 4)), (2, 4, (2, 3, 6)), later(3, 3, (4, 5, 7))])
def test_the_least_over_the_regions_of_the_gap(rows: int, columns: int, part: tuple[int, ...]) -> None:
    puzzle = puzzle_named(f"tiles-{rows}x{columns}")
    pieces = known_pieces(puzzle, len(part))
    start = pieces.contract(pieces.rank(puzzle.solved, part, puzzle.gap))
    least = LeastDepths(pieces.first_regions, pieces.width)
    enumerate_levels(pieces.contracted, start, checkpointer=least, bits=2)
    expected: dict[int, int] = {}
    for state, count in _counted(rows, columns, part).items():
        labels: Arrangement = bytes(99 if label < 0 else label for label in state)
        row, order = divmod(pieces.rank(labels, part, puzzle.gap), pieces.width)
        entry = int(pieces.sets[row]) * pieces.width + order
        expected[entry] = min(count, expected.get(entry, 99))
    assert [int(least.depths[entry]) for entry in expected] == list(expected.values())
    assert len(least.depths) == (int(pieces.sets.max()) + 1) * pieces.width


def test_kernels_are_compiled_by_another_process_before_arrays_take_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, compiling = puzzle_named("tiles-2x3"), list[Callable[..., int]]()
    pieces = known_pieces(puzzle, 2)
    monkeypatch.setattr(opening, "compile_meanwhile", lambda *kernels: compiling.extend(kernels))
    monkeypatch.setattr(opening, "LeastDepths", None)
    with pytest.raises(TypeError):
        opening.make_least(cubesolve.puzzle("tiles-2x3").usual_table(), pieces.contracted, 0, pieces.first_regions)
    assert {kernel.__name__ for kernel in compiling} >= {
        "push_mod3",
        "pull_mod3",
        "write_depth",
        "_reach_out",
        "_reach_back",
    }


def test_moves_lead_where_they_lead_on_the_puzzle() -> None:
    puzzle = puzzle_named("tiles-3x3")
    rules = derived(rules_named("tiles-3x3"))
    pieces, part = known_pieces(puzzle, 3), (6, 1, 4)
    state = puzzle.solved
    source, fibre = np.random.default_rng(5), pieces.fibre
    for _ in range(100):
        row, order = divmod(pieces.rank(state, part, puzzle.gap), pieces.width)
        steps = [pieces.of_move(move) for move in range(len(puzzle.sources))]
        near = [base[row] + fibre[action[row], order] if base[row] >= 0 else -1 for base, action in steps]
        after = [turn.apply(state) for turn in rules.graph().reduction.moves]
        assert near == [-1 if there is None else pieces.rank(there, part, puzzle.gap) for there in after]
        possible = [there for there in after if there is not None]
        state = possible[source.integers(len(possible))]


@pytest.mark.parametrize("step", [7, later(1)])
def test_every_wrong_entry_is_caught(step: int) -> None:
    puzzle = puzzle_named("tiles-2x3")
    pieces, part = known_pieces(puzzle, 2), (1, 3)
    start = pieces.contract(pieces.rank(puzzle.solved, part, puzzle.gap))
    right = enumerate_depths(pieces.contracted, start)
    for entry in range(0, len(right), step):
        for wrong in {0, int(right[entry]) - 1, int(right[entry]) + 1, int(right[entry]) + 2, 255} - {right[entry], -1}:
            counts = right.copy()
            counts[entry] = wrong
            fault = find_fault(pieces.contracted, counts, start)
            assert fault is not None
            assert (fault.rank, fault.depth, fault.expected) == (entry, wrong, right[entry])
    # States that hold each other up: all but the start one nearer than they are.
    counts = np.where(right > 1, right - 1, right).astype(np.uint8)
    assert find_fault(pieces.contracted, counts, start) is not None
