"""Any puzzle in a file, made by hypothesis, against a dictionary search that reads nothing but what the file was
made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cubesolve import Puzzle
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.formats import parse_cycles, parse_kpuzzle, parse_tws
from cubesolve.definition.piece_view import PieceView
from cubesolve.group.moves import Effect
from cubesolve.group.permutations import arrangement
from cubesolve.spaces import levels as searching
from cubesolve.spaces.defined import DerivedRules
from cubesolve.store.tables import Tables
from tests.definitions.samples import Writable, write_cycles, write_kpuzzle, write_tws
from tests.matrix_oracle import Sources, inverse, joined, order, power
from tests.permutation_oracle import Oracle, either, least_of, moved, some, unless
from tests.strategies import examples

MOST = 4000
"""The number of states of a puzzle that is held against the search as a whole."""

Illegal = Sequence[tuple[str, int, int]]
"""An orbit, a place, and a piece that may not be there."""


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
    names = ["A", "B", "C_"][: draw(st.integers(1, 3))] + draw(st.sampled_from([[], [], ["Uv"], ["x"]]))
    moves = {name: draw(changes(sizes)) for name in names}
    return Writable("random", sizes, solved, moves), draw(st.sampled_from([illegal, []]))


# -- What the file says ------------------------------------------------------------------------------------------------

FREE = {"Uv", "x"}
"""The names of rotations."""


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


def _oracle(puzzle: Writable, illegal: Illegal) -> Oracle:
    solved, wrong, changes = list[int](), list[tuple[int, int]](), _sources(puzzle)
    for name, (_, sides) in puzzle.orbits.items():
        first = len(solved)
        for piece, turned, ignored in zip(*puzzle.solved[name], strict=True):
            solved += [first + piece * sides + (0 if ignored else (side - turned) % sides) for side in range(sides)]
        for orbit, place, piece in illegal:
            if orbit == name:
                wrong += [(first + place * sides, first + piece * sides + side) for side in range(sides)]
    rotations = [changes.pop(name) for name in FREE & changes.keys()]
    powers = {word: made for name, change in changes.items() for word, made in _powers(name, change).items()}
    moves = {name: unless(moved(made), wrong) for name, made in powers.items()}
    return Oracle([tuple(solved)], moves, least_of(rotations, len(solved)))


def _powers(name: str, sources: Sources) -> dict[str, Sources]:
    """Return each power of a move with an effect by its name: one move, so that no illegal state lies between."""
    found, all_of_them = {}, order(sources)
    for number in range(1, all_of_them):
        backwards = 2 * number > all_of_them
        times = all_of_them - number if backwards else number
        found[name + (str(times) if times > 1 else "") + ("'" if backwards else "")] = power(sources, number)
    return found


# -- What is said of it ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder for tables; levels are found in several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "_AT_ONCE", 100)
        yield tmp_path_factory.mktemp("tables")


def _puzzle(definition: Definition, folder: Path) -> Puzzle:
    return Puzzle(DerivedRules(PieceView(definition)), Tables(folder))


def _same(puzzle: Puzzle, oracle: Oracle, levels: Mapping[Any, tuple[int, str]]) -> None:
    """Distances agree, and solutions solve the states."""
    counts = oracle.counts(levels)
    for depth, alg in some(levels, 8):
        assert puzzle.depth(alg) == depth
        solution = puzzle.solve(alg)
        assert len(solution.split()) == depth
        assert oracle.is_solved(oracle.after(oracle.solved[0], f"{alg} {solution}"))
    assert puzzle.states == len(levels)
    assert list(puzzle.distribution()) == counts
    assert list(puzzle.distribution(levels=99)) == counts


@given(puzzles(), st.sampled_from(["tws", "later tws", "kpuzzle", "older kpuzzle"]))
@examples(60)
def test_pieces(folder: Path, made: tuple[Writable, Illegal], form: str) -> None:
    puzzle, illegal = made
    if "kpuzzle" in form:
        illegal = []
    free = not FREE.isdisjoint(puzzle.moves)
    assume(not (free and illegal))
    oracle = _oracle(puzzle, illegal)
    assume(not free or _are_alike(puzzle))
    levels = oracle.levels(MOST)
    assume(len(levels) <= MOST)
    if "kpuzzle" in form:
        definition = parse_kpuzzle(write_kpuzzle(puzzle, form.startswith("older")), "random")
    else:
        lines = [f"Illegal {name} {place + 1} {piece + 1}" for name, place, piece in illegal]
        definition = parse_tws("\n".join([write_tws(puzzle, form.startswith("later")), *lines]), "random")
    _same(_puzzle(definition, folder), oracle, levels)


def _are_alike(puzzle: Writable) -> bool:
    """Whether rotations take moves to moves of the same cost."""
    changes = _sources(puzzle)
    turns = [changes.pop(name) for name in FREE & changes.keys()]
    known = {each for name, change in changes.items() for each in _powers(name, change).values()}
    return all(joined(joined(turn, each), inverse(turn)) in known for turn in turns for each in known)


@given(st.lists(st.permutations(range(6)), min_size=1, max_size=3, unique_by=tuple))
@examples(30)
def test_cycles(folder: Path, permutations: list[list[int]]) -> None:
    changes = {name: change for name, change in zip("ABC", permutations, strict=False) if change != sorted(change)}
    assume(changes)
    points = max(i for change in changes.values() for i in range(6) if change[i] != i) + 1
    powers = [_powers(name, tuple(change[:points])) for name, change in changes.items()]
    moves = {name: moved(made) for each in powers for name, made in each.items()}
    oracle = Oracle([tuple(range(points))], moves)
    _same(_puzzle(parse_cycles(write_cycles(changes), "random"), folder), oracle, oracle.levels())


# -- Moves that are not always possible --------------------------------------------------------------------------------


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
    oracle = Oracle(
        [tuple(labels)], {name: either([moved(*effect) for effect in each]) for name, each in effects.items()}
    )
    generators = {
        name: tuple(Effect(arrangement(sources), needs) for sources, needs in each) for name, each in effects.items()
    }
    definition = Definition(
        "gaps", (Orbit("TILES", len(labels)),), (arrangement(labels),), generators, {name: name for name in generators}
    )
    _same(_puzzle(definition, folder), oracle, oracle.levels())
