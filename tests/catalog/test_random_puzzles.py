"""Any puzzle in a file, made by hypothesis, against a dictionary search that reads nothing but what the file was
made of."""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from cubesolve import Puzzle, UnsolvableStateError
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats import parse_cycles, parse_kpuzzle, parse_tws
from cubesolve.group.moves import Effect as Change
from cubesolve.group.permutations import arrangement
from cubesolve.solvers import derived
from cubesolve.solvers import searched as searches
from cubesolve.spaces import levels as searching
from cubesolve.store.tables import Tables
from tests.definitions.samples import Writable, permuted, rules_of, write_cycles, write_kpuzzle, write_tws
from tests.matrix_oracle import Effect, Graph, Labels, Sources, Step, closure, inverse, joined, order, power
from tests.strategies import examples

MOST = 1000
"""The number of states, counted in each orientation, of a puzzle that is held against the search."""

Illegal = Sequence[tuple[str, int, int]]
"""An orbit, a place, and a piece that may not be there."""

FREE = {"Uv", "x"}  # names of rotations


@st.composite
def orbits(draw: st.DrawFn) -> dict[str, tuple[int, int]]:
    sizes = draw(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=2))
    return {f"O{i}_": (pieces + 1, orientations) for i, (pieces, orientations) in enumerate(sizes)}


@st.composite
def changes(draw: st.DrawFn, sizes: Mapping[str, tuple[int, int]]) -> dict[str, tuple[list[int], list[int]]]:
    """A move with an effect."""
    change = {
        name: (
            draw(st.permutations(range(pieces))),
            draw(st.lists(st.integers(0, o - 1), min_size=pieces, max_size=pieces)),
        )
        for name, (pieces, o) in sizes.items()
    }
    assume(any(origins != sorted(origins) or any(turned) for origins, turned in change.values()))
    return change


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[Writable, Illegal]:
    sizes = draw(orbits())
    solved, illegal = {}, []
    for name, (pieces, orientations) in sizes.items():
        lie = draw(st.lists(st.integers(0, pieces - 1), min_size=pieces, max_size=pieces) | st.just([*range(pieces)]))
        ignored = [int(orientations > 1 and draw(st.booleans())) for _ in range(pieces)]
        turned = [0 if ignored[piece] else draw(st.integers(0, orientations - 1)) for piece in lie]
        solved[name] = lie, turned, [ignored[piece] for piece in lie]
        for place, piece in draw(st.lists(st.tuples(st.integers(0, pieces - 1), st.sampled_from(lie)), max_size=2)):
            if lie[place] != piece:
                illegal.append((name, place, piece))
    rotations = draw(st.sampled_from([[], [], ["Uv"], ["x"]]))
    moves = {name: draw(changes(sizes)) for name in [*["A", "B", "C_"][: draw(st.integers(1, 3))], *rotations]}
    return Writable("random", sizes, solved, moves), [] if rotations else draw(st.sampled_from([illegal, []]))


# -- What the file says ------------------------------------------------------------------------------------------------


def _sources(puzzle: Writable) -> dict[str, Sources]:
    """Return the point from which each point gets its label, for each move; places have a point per orientation."""
    found = {}
    for move, change in puzzle.moves.items():
        points = list[int]()
        for name, (origins, turned) in change.items():
            first, sides = len(points), puzzle.orbits[name][1]
            for origin, by in zip(origins, turned, strict=True):
                points += [first + origin * sides + (side - by) % sides for side in range(sides)]
        found[move] = tuple(points)
    return found


def _labels(puzzle: Writable, illegal: Illegal) -> tuple[Labels, list[tuple[int, int]]]:
    """Return the solved labels, and the points that labels must not be on."""
    solved, wrong = list[int](), list[tuple[int, int]]()
    for name, (_, sides) in puzzle.orbits.items():
        first = len(solved)
        for piece, turned, ignored in zip(*puzzle.solved[name], strict=True):
            solved += [first + piece * sides + (0 if ignored else (side - turned) % sides) for side in range(sides)]
        for orbit, place, piece in illegal:
            if orbit == name:
                wrong += [(first + place * sides, first + piece * sides + side) for side in range(sides)]
    return tuple(solved), wrong


def _powers(name: str, sources: Sources) -> dict[str, Sources]:
    """Return each power of a move with an effect by its name: one move, so that no illegal state lies between."""
    found, all_of_them = {}, order(sources)
    for number in range(1, all_of_them):
        backwards = 2 * number > all_of_them
        times = all_of_them - number if backwards else number
        found[name + (str(times) if times > 1 else "") + ("'" if backwards else "")] = power(sources, number)
    return found


# -- What is said of it ------------------------------------------------------------------------------------------------


class Listed:
    """A puzzle of which a dictionary search lists all states, in all orientations."""

    def __init__(
        self,
        puzzle: Puzzle,
        solved: Labels,
        moves: Mapping[str, Sequence[Effect]],
        rotations: Mapping[str, Sources] | None = None,
        illegal: Iterable[tuple[int, int]] = (),
    ) -> None:
        """Take the puzzle, and what its moves and the powers of rotations do."""
        self.puzzle, self.solved, self.rotations, self._illegal = puzzle, solved, rotations or {}, [*illegal]
        costs = puzzle.rules.definition.costs  # type: ignore[attr-defined]
        self._steps = [Step(name, costs.get(name, 1), tuple(effects)) for name, effects in moves.items()]
        self.turns = closure(len(solved), self.rotations.values())
        self.graph = self.towards(solved)
        self.algs = self.reached(self.rotations)

    @functools.cached_property
    def depths(self) -> Mapping[Labels, int]:
        return self.graph.distances(self.held(self.solved))

    def towards(self, state: Labels) -> Graph:
        """Return the graph of a target."""
        pattern = {point: frozenset([label]) for point, label in enumerate(state)}
        return Graph(self._steps, [pattern], self._illegal, self.rotations, free=True)

    def held(self, state: Labels) -> set[Labels]:
        return {joined(state, turn) for turn in self.turns}

    def reached(self, rotations: Mapping[str, Sources]) -> dict[Labels, str]:
        """Return the states that moves and some rotations lead to, each with an alg."""
        found = {self.solved: ""}
        for state in (reached := [*found]):
            after = [(step.name, there) for step, there in self.graph.after(state)]
            for name, there in [*after, *((name, joined(state, turn)) for name, turn in rotations.items())]:
                if there not in found and len(found) <= MOST:
                    found[there] = f"{found[state]} {name}".strip()
                    reached.append(there)
        return found

    @property
    def is_alike(self) -> bool:
        """Whether all orientations have the same moves."""
        costs = {sources: step.cost for step in self._steps if (sources := step.sources) is not None}
        return all(
            costs.get(joined(joined(turn, change), inverse(turn))) == cost
            and costs.get(joined(change, turn), cost) == cost
            for change, cost in costs.items()
            for turn in self.turns
        )

    @property
    def counted(self) -> Mapping[Labels, int]:
        """The depths of the states that are counted: those up to rotation, if all orientations have the same moves."""
        if self.is_alike:
            return {min(self.held(state)): depth for state, depth in self.depths.items()}
        pairs = [{*zip(self.solved, held, strict=True)} for held in self.held(self.solved)]
        if all(len(dict(each)) == len(each) == len({new for _, new in each}) for each in pairs):  # only other labels
            return {state: self.depths[state] for state in self.reached({})}
        return self.depths

    def goal(self, rng: random.Random) -> tuple[str, Graph]:
        """Return one or two goals, where the pieces in some places of the solved state matter, as text and a graph."""
        orbits = self.puzzle.rules.definition.orbits  # type: ignore[attr-defined]
        sides = [orbit.orientations for orbit in orbits for _ in range(orbit.pieces)]
        words, texts = str(self.puzzle.parse("", "alg")).split(), list[str]()
        patterns = list[dict[int, frozenset[int]]]()
        for _ in range(rng.randint(1, 2)):
            matter, places = rng.sample(range(len(sides)), rng.randint(1, len(sides) - 1)), itertools.count()
            texts.append(" ".join(word if word == ";" or next(places) in matter else "*" for word in words))
            points = (sum(sides[:place]) + side for place in matter for side in range(sides[place]))
            patterns.append({point: frozenset([self.solved[point]]) for point in points})
        return " | ".join(texts), Graph(self._steps, patterns, self._illegal, self.rotations, free=False)


def _puzzle(definition: Definition, folder: Path) -> Puzzle:
    return Puzzle(rules_of(definition), Tables(folder))


def _same(listed: Listed, rng: random.Random, *, searched: bool) -> None:
    """Depths, solutions, targets, goals, counts, random states and scrambles are those of the dictionary search."""
    assume(len(listed.algs) <= MOST)
    puzzle, some = listed.puzzle, rng.sample([*listed.algs], min(len(listed.algs), 6))
    for state in some:
        alg = listed.algs[state]
        _same_answer(listed.graph, listed.depths.get(state), state, puzzle, alg)
        if state in listed.depths:
            for solution in itertools.islice(puzzle.solutions(alg), 9):
                end, cost = listed.graph.replay(state, solution.split())
                assert (listed.graph.ends(end), cost) == (True, listed.depths[state])
            for move in puzzle.optimal_moves(alg):
                there, cost = listed.graph.replay(state, [move])
                assert listed.depths[there] + cost == listed.depths[state]
    for begin, end in itertools.product(some[:2], some[2:]):
        graph = listed.towards(end)
        _same_answer(graph, graph.depth(begin, MOST), begin, puzzle, listed.algs[begin], listed.algs[end])
    text, graph = listed.goal(rng)
    if not all(map(graph.ends, listed.algs)):  # which would be no goal
        for state in some if listed.is_alike else listed.reached({}).keys() & some:
            _same_answer(graph, graph.depth(state, MOST), state, puzzle.towards(text), listed.algs[state])
    if not searched:
        _same_counts(listed, rng)


def _same_answer(graph: Graph, depth: int | None, state: Labels, puzzle: Puzzle, *asked: str) -> None:
    if depth is None:
        with pytest.raises(UnsolvableStateError):
            puzzle.depth(*asked)
        return
    solution = puzzle.solve(*asked)
    end, cost = graph.replay(state, solution.split())
    assert (graph.ends(end), cost) == (True, depth)
    assert puzzle.depth(*asked) == solution.at_least == cost


def _same_counts(listed: Listed, rng: random.Random) -> None:
    puzzle, depths = listed.puzzle, Counter(listed.counted.values())
    assert puzzle.states == depths.total()
    counts = [depths[depth] for depth in range(max(depths) + 1)]
    assert list(puzzle.distribution()) == list(puzzle.distribution(levels=99)) == counts
    assert puzzle.depths(range(puzzle.states)).tolist() == [puzzle.depth(rank) for rank in range(puzzle.states)]
    assert Counter(puzzle.depths(range(puzzle.states)).tolist()) == depths
    for depth in depths:
        assert puzzle.depth(puzzle.random_state(rng, depth=depth)) == depth
        if listed.is_alike or not puzzle.rules.is_directed:  # otherwise, moves need not lead there
            assert puzzle.depth(puzzle.scramble(rng, depth=depth)) == depth


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder for tables; levels are found in several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_AT_ONCE", 100)
        yield tmp_path_factory.mktemp("tables")


@contextlib.contextmanager
def _answering(way: str) -> Iterator[None]:
    """Answer from a table, or by a search."""
    with pytest.MonkeyPatch.context() as patch:
        if way != "table":
            patch.setattr(derived, "AT_ONCE", 1)
            patch.setattr(derived.DerivedSolver, "_is_small", lambda *_: False)  # where the number is not known
            patch.setattr(searches, "_NEAR", 50_000 if way == "near" else 2)
            patch.setattr(searches, "_HASHED", 1 << 27 if way == "hashed" else 0)
            patch.setattr(searches, "_FASTER", 0)
        yield


@given(puzzles(), st.sampled_from(["tws", "later tws", "kpuzzle", "older kpuzzle"]), st.booleans())
@examples(60)
def test_pieces(folder: Path, made: tuple[Writable, Illegal], form: str, inverses: bool) -> None:
    """Puzzles in files, with moves that are not always possible, and pieces that look alike or have no orientation."""
    puzzle, illegal = made
    if "kpuzzle" in form:
        illegal = []
        definition = parse_kpuzzle(write_kpuzzle(puzzle, form.startswith("older")), "random")
    else:
        lines = [f"Illegal {name} {place + 1} {piece + 1}" for name, place, piece in illegal]
        definition = parse_tws("\n".join([write_tws(puzzle, form.startswith("later")), *lines]), "random")
    changes, is_directed = _sources(puzzle), not (inverses or illegal)
    rotations = {word: turn for name in FREE & {*changes} for word, turn in _powers(name, changes.pop(name)).items()}
    powers = [{name: change} if is_directed else _powers(name, change) for name, change in changes.items()]
    moves = {word: [(change, ())] for each in powers for word, change in each.items()}
    solved, wrong = _labels(puzzle, illegal)
    asked = _puzzle(definition._replace(directed=is_directed), folder)
    _same(Listed(asked, solved, moves, rotations, wrong), random.Random(1), searched=False)


@given(st.lists(st.permutations(range(6)), min_size=1, max_size=3, unique_by=tuple))
@examples(30)
def test_cycles(folder: Path, permutations: list[list[int]]) -> None:
    changes = {name: change for name, change in zip("ABC", permutations, strict=False) if change != sorted(change)}
    assume(changes)
    points = max(i for change in changes.values() for i in range(6) if change[i] != i) + 1
    powers = [_powers(name, tuple(change[:points])) for name, change in changes.items()]
    moves = {name: [(made, ())] for each in powers for name, made in each.items()}
    puzzle = _puzzle(parse_cycles(write_cycles(changes), "random"), folder)
    _same(Listed(puzzle, tuple(range(points)), moves), random.Random(1), searched=False)


@st.composite
def options(draw: st.DrawFn) -> tuple[Labels, dict[str, Sources], dict[str, Sources], dict[str, int], bool]:
    """Labels of points, some of which may look alike; moves, rotations, costs, and whether moves have inverses."""
    points = draw(st.integers(3, 7))
    change = st.permutations(range(points)).map(tuple).filter(lambda each: each != tuple(range(points)))
    rotations = dict(zip("x", draw(st.lists(change, max_size=1)), strict=False))
    moves, turns = draw(st.lists(change, min_size=1, max_size=2, unique=True)), closure(points, rotations.values())
    if draw(st.booleans()):  # the same moves in every orientation
        moves = sorted({joined(joined(turn, move), inverse(turn)) for move in moves for turn in turns})
    labels = tuple(draw(st.lists(st.integers(0, 2), min_size=points, max_size=points) | st.just([*range(points)])))
    assume(len(moves) <= 24 and len({*labels}) > 1)
    named, is_directed = {f"m{chr(97 + number)}": move for number, move in enumerate(moves)}, draw(st.booleans())
    costs = draw(st.dictionaries(st.sampled_from([*named]), st.sampled_from([0, 2, 3]), max_size=2) | st.just({}))
    changes = [each for name, move in named.items() for each in _powers(name, move).values()]
    assume(is_directed or not costs or len({*changes}) == len(changes))  # a move with two names has the cost of one
    return labels, named, rotations, costs, is_directed


@pytest.mark.parametrize("way", ["table", "near", "hashed", "databases"])
@given(options(), st.randoms(use_true_random=False))
@example(((0, 0, 1, 0, 1), {"ma": (0, 1, 2, 4, 3)}, {"x": (0, 3, 4, 1, 2)}, {}, False), random.Random(1))
@example(((0, 0, 1, 0, 1, 0), {"ma": (0, 2, 1, 5, 4, 3)}, {"x": (0, 3, 4, 1, 2, 5)}, {}, False), random.Random(1))
@examples(100)
def test_options(
    folder: Path, way: str, drawn: tuple[Labels, Any, Any, dict[str, int], bool], rng: random.Random
) -> None:
    """Rotations, moves with costs and moves without inverses, from a table and by each search."""
    labels, changes, turned, costs, is_directed = drawn
    assume(way == "table" or 0 not in costs.values())  # free moves need a table
    definition = Definition(
        "drawn",
        (Orbit("A", len(labels)),),
        (arrangement(labels),),
        {name: (Change(arrangement(each)),) for name, each in changes.items()},
        rotations={name: arrangement(each) for name, each in turned.items()},
    )
    puzzle = _puzzle(definition._replace(costs=costs, directed=is_directed), folder)
    rotations = {word: turn for name, each in turned.items() for word, turn in _powers(name, each).items()}
    powers = [{name: each} if is_directed else _powers(name, each) for name, each in changes.items()]
    moves = {word: [(change, ())] for each in powers for word, change in each.items()}
    with _answering(way):
        _same(Listed(puzzle, labels, moves, rotations), rng, searched=way != "table")


@pytest.mark.parametrize("way", ["near", "hashed"])
def test_moves_lead_to_one_orientation(folder: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rings of pairs that rotations exchange, and moves do not; solutions are the first in the order of moves."""
    monkeypatch.delattr(searches.Searched, "_open")  # no pattern databases
    labels, rotation, changes = (0, 0, 1, 1, 2, 2, 3, 3), (4, 5, 6, 7, 0, 1, 2, 3), dict[str, Sources]()
    for name, cycle in zip("ABCD", ((0, 1, 2), (4, 5, 6), (1, 2, 3), (5, 6, 7)), strict=True):
        following = dict(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        changes[name] = tuple(following.get(place, place) for place in range(8))
    puzzle = _puzzle(permuted(changes, labels, rotations={"r": arrangement(rotation)}), folder)
    moves = {word: [(each, ())] for name, change in changes.items() for word, each in _powers(name, change).items()}
    listed = Listed(puzzle, labels, moves, {"r": rotation})
    assert len(listed.depths) == 72
    with _answering(way):
        for state, depth in listed.depths.items():
            first, at = list[str](), state
            while listed.depths[at]:
                step, at = next(each for each in listed.graph.after(at) if listed.depths[each[1]] < listed.depths[at])
                first.append(step.name)
            assert (puzzle.solve(listed.algs[state]), len(first)) == (" ".join(first), depth)


@st.composite
def sliding(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]]]:
    """Labels of points, where 0 is the gap and others may look alike, and the pairs of points that slides connect."""
    points = draw(st.integers(3, 6))
    labels = [0, *draw(st.lists(st.integers(1, points - 1), min_size=points - 1, max_size=points - 1))]
    pairs = draw(st.sets(st.tuples(st.integers(0, points - 1), st.integers(0, points - 1)), min_size=2, max_size=8))
    edges = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    assume(any(0 in edge for edge in edges))
    return draw(st.permutations(labels)), edges


@given(sliding())
@examples(40)
def test_gaps(folder: Path, made: tuple[list[int], list[tuple[int, int]]]) -> None:
    """A move exchanges the gap with a neighbour, in one direction or the other; ties of moves are not compared."""
    labels, edges = made
    effects: dict[str, list[tuple[list[int], tuple[tuple[int, int], ...]]]] = {}
    for number, (a, b) in enumerate(edges):
        sources = list(range(len(labels)))
        sources[a], sources[b] = b, a
        effects[f"m{number}_"] = [(sources, ((a, 0),)), (sources, ((b, 0),))]
    generators = {
        name: tuple(Change(arrangement(sources), needs) for sources, needs in each) for name, each in effects.items()
    }
    definition = Definition(
        "gaps", (Orbit("TILES", len(labels)),), (arrangement(labels),), generators, {name: name for name in generators}
    )
    moves = {name: [(tuple(sources), needs) for sources, needs in each] for name, each in effects.items()}
    _same(Listed(_puzzle(definition, folder), tuple(labels), moves), random.Random(1), searched=False)
