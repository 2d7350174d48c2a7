"""Moves for arrays are those of the given orientation, where states that differ by a rotation are one."""

import numpy as np
import pytest

from cubesolve import puzzle
from cubesolve.ask import Puzzle
from cubesolve.definition.state import State
from cubesolve.learn.export import columns_of
from cubesolve.learn.labels import Oracle
from cubesolve.spaces.defined import derived

HALF_TURNS = "U2 D2 R2 L2 F2 B2"


@pytest.fixture(params=["reference", "rotated"])
def held(request: pytest.FixtureRequest) -> tuple[Puzzle[State], list[State]]:
    """A puzzle, and its states in many orientations."""
    asked: Puzzle[State] = puzzle("topspin-8-4")
    if request.param == "reference":
        asked = puzzle("tower").restrict(HALF_TURNS)
    arrays = asked.state_arrays()
    return asked, arrays.states(arrays.walks(100, 9, rng=1).states)


def test_solutions_of_arrays_solve_the_states(held: tuple[Puzzle[State], list[State]]) -> None:
    asked, states = held
    moves, lengths = asked.solve_batch(np.array([list(state.arrangement) for state in states], np.uint8))
    assert lengths.tolist() == [asked.depth(state) for state in states]
    assert lengths.max() > 2
    for state, numbers, length in zip(states, moves, lengths, strict=True):
        assert state.apply(" ".join(asked.moves[number] for number in numbers[:length])).is_solved
        assert (numbers[length:] == 255).all()


def test_scrambles_reach_every_state() -> None:
    asked: Puzzle[State] = puzzle("tower").restrict(HALF_TURNS)
    rules, ranks = derived(asked.rules), range(asked.states)
    graph = rules.graph()
    algs = [rules.made(asked.solve(rank), graph.unrank(rank)) for rank in ranks]
    assert sorted(graph.rank(alg) for alg in algs) == list(ranks)


def test_ranks_move_as_neighbors_say(held: tuple[Puzzle[State], list[State]]) -> None:
    asked, states = held
    ranks = asked.ranks(states)
    moves, lengths = asked.solve_batch(ranks)
    for step in range(int(lengths.max())):
        going = lengths > step
        ranks[going] = asked.neighbors(ranks[going])[np.arange(going.sum()), moves[going, step]]
    assert not asked.depths(ranks).any()


def test_searched_moves_are_found_for_states_as_they_are_held() -> None:
    big: Puzzle[State] = puzzle("4x4x4")
    arrays, oracle = big.state_arrays(), Oracle(big)
    rows = arrays.read(["x Rw U", "Lw"])
    leads, depths = oracle.optimal_moves(rows), oracle.distances(rows)
    assert leads.any(axis=1).all()
    for row, lead, depth in zip(rows, leads, depths, strict=True):
        assert ((oracle.distances(arrays.neighbors(row[None])[0]) < depth) == lead).all()


def test_exported_moves_solve_the_exported_states(held: tuple[Puzzle[State], list[State]]) -> None:
    asked, _ = held
    columns = columns_of(asked, asked.usual_table())
    ranks = np.arange(asked.states)[::20]
    states = asked.state_arrays().states(columns["state"].values(ranks))
    for state, alg in zip(states, columns["moves"].texts(columns["moves"].values(ranks)), strict=True):
        assert state.apply(alg).is_solved
