"""Rotated states: puzzles with whole-puzzle rotations, compared with a search that lists all states.

Moves are made as the puzzle is held, and it is solved in any holding. Where rotations turn moves into moves that count
the same, states that differ by a rotation are one.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pytest

from cubesolve import Puzzle
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.state import State
from cubesolve.errors import UnsolvableStateError
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement
from cubesolve.solvers import derived, searched
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.tables import Tables
from tests.matrix_oracle import inverse, joined, power
from tests.subsets import later

SEEDS = pytest.mark.parametrize("seed", [*range(8), *map(later, range(8, 300))])
MOST = 3000
"""The number of states, counted in each holding, of a puzzle that is tried."""

Labels = tuple[int, ...]


def _all(start: Labels, changes: Iterable[Labels], most: int) -> set[Labels]:
    """Return the closure under changes, at most a few elements more than `most`."""
    found, changes = {start}, list(changes)
    for state in (reached := [start]):
        new = {joined(state, change) for change in changes} - found
        found |= new
        reached += new
        if len(found) > most:
            break
    return found


class Listed(NamedTuple):
    """A puzzle whose states are all listed.

    Attributes:
        solved: the solved state.
        moves: what each move does, and what it counts.
        generators: the rotations that have names.
        rotations: all of them.
    """

    solved: Labels
    moves: Mapping[str, tuple[Labels, int]]
    generators: Mapping[str, Labels]
    rotations: frozenset[Labels]

    def held(self, state: Labels) -> set[Labels]:
        return {joined(state, rotation) for rotation in self.rotations}

    def distances(self, goals: Iterable[Labels]) -> dict[Labels, int]:
        """Return the least costs of all states that can be solved."""
        found = dict.fromkeys(goals, 0)
        queue = [(0, goal) for goal in found]
        backs = [(inverse(change), cost) for change, cost in self.moves.values()]
        while queue:
            depth, state = heapq.heappop(queue)
            if depth == found[state]:
                for back, cost in backs:
                    before = joined(state, back)
                    if found.get(before, depth + cost + 1) > depth + cost:
                        found[before] = depth + cost
                        heapq.heappush(queue, (depth + cost, before))
        return found

    def follow(self, state: Labels, alg: str) -> tuple[Labels, int]:
        """Return the state after moves and rotations, and their cost."""
        counted = 0
        for name in alg.split():
            change, cost = self.moves[name] if name in self.moves else (self._turned(name), 0)
            state, counted = joined(state, change), counted + cost
        return state, counted

    def _turned(self, name: str) -> Labels:
        """Return what a power of a rotation, such as ``x2`` or ``x'``, does."""
        base = name.rstrip("'23456789")
        times, change = int(name[len(base) :].rstrip("'") or 1), self.generators[base]
        return power(inverse(change) if name.endswith("'") else change, times)

    @property
    def looks_the_same(self) -> bool:
        costs = dict(self.moves.values())
        return all(
            costs.get(joined(joined(rotation, change), inverse(rotation))) == cost
            and costs.get(joined(change, rotation), cost) == cost
            for change, cost in costs.items()
            for rotation in self.rotations
        )

    @property
    def is_renamed(self) -> bool:
        """Whether rotations of the solved state are the solved state with other labels."""
        pairs = [set(zip(self.solved, held, strict=True)) for held in self.held(self.solved)]
        return all(len(dict(each)) == len(each) == len({new for _, new in each}) for each in pairs)

    def counted(self, distances: Mapping[Labels, int]) -> dict[Labels, int]:
        """Return the counted states with their depths."""
        if self.looks_the_same:
            return {min(self.held(state)): depth for state, depth in distances.items()}
        if self.is_renamed:
            reached = _all(self.solved, [change for change, _ in self.moves.values()], len(distances))
            return {state: distances[state] for state in reached}
        return dict(distances)


def _drawn(rng: random.Random) -> tuple[DerivedRules, Listed]:
    """A puzzle with rotations; its pieces may look alike, need not determine the rotation, and moves have costs."""
    while True:
        points = rng.randint(3, 8)
        rotations = [_change(rng, points) for _ in range(rng.randint(1, 2))]
        every = _all(tuple(range(points)), rotations, 48)
        moves = [_change(rng, points) for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.6:  # the same ones in every holding
            moves = sorted({joined(joined(turn, move), inverse(turn)) for move in moves for turn in every})
        labels = tuple(range(points))
        if rng.random() < 0.5:
            labels = tuple(rng.randrange(3) for _ in range(points))
        if (
            not 1 < len(every) <= 48
            or len(moves) > 24
            or len(set(labels)) == 1
            or len(_all(labels, [*moves, *rotations], MOST)) > MOST
        ):
            continue
        orbit, named = Orbit("A", points), {f"m{chr(97 + i)}": move for i, move in enumerate(moves)}
        turned = {f"r{chr(97 + i)}": rotation for i, rotation in enumerate(rotations)}
        definition = Definition(
            "drawn",
            (orbit,),
            (arrangement(labels),),
            {name: (Effect(arrangement(move)),) for name, move in named.items()},
            rotations={name: arrangement(rotation) for name, rotation in turned.items()},
        )
        names = [move.name for move in definition.moves()]
        costs = {name: 2 for name in names if rng.random() < 0.3} if rng.random() < 0.3 else {}
        rules = DerivedRules(PieceView(definition._replace(costs=costs)))
        changes = {turn.name: (tuple(turn.effects[0].sources), turn.cost) for turn in rules.definition.moves()}
        return rules, Listed(labels, changes, turned, frozenset(every))


def _change(rng: random.Random, points: int) -> Labels:
    """A permutation other than the identity."""
    return _cycle(points, *rng.sample(range(points), rng.randint(2, points)))


def _cycle(points: int, *places: int) -> Labels:
    following = dict(zip(places, [*places[1:], places[0]], strict=True))
    return tuple(following.get(place, place) for place in range(points))


def _some(rng: random.Random, listed: Listed, number: int = 8) -> list[Labels]:
    """Reachable states, each in any orientation of the puzzle."""
    states = sorted(_all(listed.solved, [*(change for change, _ in listed.moves.values()), *listed.rotations], MOST))
    return rng.sample(states, min(number, len(states)))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return Tables(tmp_path_factory.mktemp("tables"))


def _depth(puzzle: Puzzle, state: State, target: State | None = None) -> int | None:
    try:
        return puzzle.depth(state, target)
    except UnsolvableStateError:
        return None


@SEEDS
def test_states(seed: int, tables: Tables) -> None:
    """Depths, solutions, numbers of states and random states, one by one and in arrays."""
    rng = random.Random(seed)
    rules, listed = _drawn(rng)
    puzzle, distances = Puzzle(rules, tables), listed.distances(listed.held(listed.solved))
    depths = Counter(listed.counted(distances).values())
    assert puzzle.states == depths.total()
    assert rules.graph().number_of_states in {None, depths.total()}
    assert list(puzzle.distribution()) == [depths[depth] for depth in range(max(depths) + 1)]
    farthest = [tuple(state.arrangement) for state in puzzle.antipodes()]
    assert [distances[state] for state in farthest] == [max(depths)] * depths[max(depths)]
    rows = list[Labels]()
    for labels in _some(rng, listed):
        state, depth = State(rules.view, arrangement(labels)), distances.get(labels)
        assert _depth(puzzle, state) == depth
        if depth is not None:
            rows.append(labels)
            for alg in [puzzle.solve(state), *itertools.islice(puzzle.solutions(state), 9)]:
                solved, counted = listed.follow(labels, alg)
                assert (solved in listed.held(listed.solved), counted) == (True, depth)
            for move in puzzle.optimal_moves(state):
                assert distances[listed.follow(labels, move)[0]] + listed.moves[move][1] == depth
    array = np.array([[rules.view.numbers[label] for label in row] for row in rows])  # without gaps
    assert puzzle.depths(array).tolist() == [distances[row] for row in rows]
    assert puzzle.ranks(array).tolist() == [rules.graph().rank(State(rules.view, arrangement(row))) for row in rows]
    for depth in depths:
        assert distances[tuple(puzzle.random_state(rng, depth=depth).arrangement)] == depth
        scrambled = rules.read(puzzle.scramble(rng, depth=depth)).arrangement
        assert distances[tuple(scrambled)] == depth
    assert tuple(puzzle.random_state(rng).arrangement) in distances


@SEEDS
def test_targets(seed: int, tables: Tables) -> None:
    """From one state to another in any orientation; the solution ends with rotations."""
    rng = random.Random(seed)
    rules, listed = _drawn(rng)
    puzzle, solvable = Puzzle(rules, tables), listed.distances(listed.held(listed.solved))
    states = [state for state in _some(rng, listed) if state in solvable]
    for begin, end in itertools.product(states[:4], states):
        depth = listed.distances(listed.held(end)).get(begin)
        start, target = State(rules.view, arrangement(begin)), State(rules.view, arrangement(end))
        assert _depth(puzzle, start, target) == depth
        if depth is not None:
            assert listed.follow(begin, puzzle.solve(start, target)) == (end, depth)


@SEEDS
def test_goals(seed: int, tables: Tables) -> None:
    """A goal is reached in the given orientation of the puzzle."""
    rng = random.Random(seed)
    rules, listed = _drawn(rng)
    solvable = listed.distances(listed.held(listed.solved))
    states = [state for state in _some(rng, listed) if state in solvable]
    matter = rng.sample(range(len(listed.solved)), rng.randint(1, len(listed.solved) - 1))
    words = str(State(rules.view, arrangement(listed.solved))).split()
    goal = " ".join(word if place in matter else "*" for place, word in enumerate(words))
    everything = _all(listed.solved, [*(change for change, _ in listed.moves.values()), *listed.rotations], MOST)
    reached = [state for state in everything if all(state[place] == listed.solved[place] for place in matter)]
    puzzle, distances = Puzzle(rules, tables).towards(goal), listed.distances(reached)
    for labels in states:
        state, depth = State(rules.view, arrangement(labels)), distances.get(labels)
        assert _depth(puzzle, state) == depth
        if depth is not None:
            after, counted = listed.follow(labels, puzzle.solve(state))
            assert (after in reached, counted) == (True, depth)


@SEEDS
@pytest.mark.parametrize(("near", "hashed"), [(2, 0), (2, 1 << 27), (50_000, 0)])
def test_searches(seed: int, near: int, hashed: int, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without a table of all states."""
    monkeypatch.setattr(derived, "AT_ONCE", 1)
    monkeypatch.setattr(derived.DerivedSolver, "_is_small", lambda *_: False)  # where the number is not known
    monkeypatch.setattr(searched, "_NEAR", near)
    monkeypatch.setattr(searched, "_HASHED", hashed)
    monkeypatch.setattr(searched, "_FASTER", 0)
    rng = random.Random(seed)
    rules, listed = _drawn(rng)
    puzzle, distances = Puzzle(rules, tables), listed.distances(listed.held(listed.solved))
    for labels in _some(rng, listed, 4):
        state, depth = State(rules.view, arrangement(labels)), distances.get(labels)
        if depth is not None:
            for alg in [puzzle.solve(state), *puzzle.solutions(state)]:
                solved, counted = listed.follow(labels, alg)
                assert (solved in listed.held(listed.solved), counted) == (True, depth)
        elif near > MOST:
            assert _depth(puzzle, state) is None


@pytest.mark.parametrize(("near", "hashed"), [(0, 1 << 27), (50_000, 0)])
def test_moves_lead_to_one_orientation(near: int, hashed: int, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rings of pairs that rotations exchange, and moves do not; solutions are the first in the order of moves."""
    monkeypatch.setattr(derived, "AT_ONCE", 1)
    monkeypatch.setattr(derived.DerivedSolver, "_is_small", lambda *_: False)
    monkeypatch.setattr(searched, "_NEAR", near)
    monkeypatch.setattr(searched, "_HASHED", hashed)
    monkeypatch.delattr(searched.Searched, "_open")  # no pattern databases
    labels, names = (0, 0, 1, 1, 2, 2, 3, 3), "ABCD"
    cycles = [_cycle(8, *places) for places in ((0, 1, 2), (4, 5, 6), (1, 2, 3), (5, 6, 7))]
    rotation = (4, 5, 6, 7, 0, 1, 2, 3)
    definition = Definition(
        "pairs",
        (Orbit("BEADS", len(labels)),),
        (arrangement(labels),),
        {name: (Effect(arrangement(cycle)),) for name, cycle in zip(names, cycles, strict=True)},
        rotations={"r": arrangement(rotation)},
    )
    rules = DerivedRules(PieceView(definition))
    moves = {move.name: (tuple(move.effects[0].sources), 1) for move in rules.definition.moves()}
    listed = Listed(labels, moves, {"r": rotation}, frozenset([tuple(range(8)), rotation]))
    assert len(rules.graph().reduction.solved) == 2

    puzzle, distances = Puzzle(rules, tables), listed.distances(listed.held(listed.solved))
    assert len(distances) == 72
    for state, depth in distances.items():
        first, at = list[str](), state
        while distances[at]:
            ways = ((name, joined(at, change)) for name, (change, _) in moves.items())
            name, at = next(way for way in ways if distances[way[1]] < distances[at])
            first.append(name)
        assert (puzzle.solve(State(rules.view, arrangement(state))), len(first)) == (" ".join(first), depth)
