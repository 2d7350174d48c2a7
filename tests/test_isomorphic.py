"""Puzzles under other names: found by their moves, and solved as the puzzles of the catalog that they are."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import Mock

import pytest

from cubesolve import lookup
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.catalog.solvers import solver_of
from cubesolve.definition.definition import Definition, Orbit
from cubesolve.definition.geometry import CORNERS, EDGES, Cut, Piece, body_rotations, cubies, solid
from cubesolve.definition.notation import FACES
from cubesolve.definition.piece_view import PieceView
from cubesolve.definition.rotations import rotations_of
from cubesolve.errors import MissingTableError, NoMemoryError, SearchLimitError, UnsolvableStateError
from cubesolve.group.isomorphism import Isomorphism, isomorphism
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import after, arrangement, identity, inverse, orbits
from cubesolve.picture.vectors import NORMALS, dot
from cubesolve.runtime.deadline import Deadline, EndedError, current, running
from cubesolve.solvers import anything, isomorphic, phased
from cubesolve.solvers.answers import Solution
from cubesolve.solvers.anything import Anything
from cubesolve.solvers.searched import FoundAlgs, Searched
from cubesolve.spaces.defined import DerivedRules, derived
from tests.subsets import later


def renamed(name: str, seed: int, points: Sequence[int] = ()) -> Definition:
    """Return a puzzle of the catalog with other names of moves, points and labels; only some points, if they are given.

    It is held, so it has no rotations.
    """
    known, source = derived(rules_named(name)).definition, random.Random(seed)
    kept = list(points or range(known.points))
    source.shuffle(kept)
    there = {point: number for number, point in enumerate(kept)}
    looks = [*dict.fromkeys(known.solved[0])]
    labels = dict(zip(looks, source.sample(range(len(looks)), len(looks)), strict=True))

    def change(sources: Sequence[int]) -> tuple[Effect, ...]:
        return (Effect(arrangement(there[sources[point]] for point in kept)),)

    moves = [
        effects[0].sources for step, effects in known.generators.items() if step in {each.name for each in known.chosen}
    ]
    moves = moves or [effects[0].sources for effects in known.generators.values()]
    source.shuffle(moves)
    generators = {chr(ord("a") + number): change(sources) for number, sources in enumerate(moves)}
    solved = arrangement(labels[known.solved[0][point]] for point in kept)
    return Definition("renamed", (Orbit("PIECES", len(kept)),), (solved,), generators)


def compared(definition: Definition, name: str) -> Isomorphism | None:
    known = derived(rules_named(name)).definition
    return isomorphism(definition.moves(), definition.solved[0], known.moves(), known.solved[0])


def edges_that_never_flip() -> list[int]:
    """The points of the FTO without the second sticker of each edge, and the same for corners: two orbits are alike."""
    definition = derived(rules_named("fto")).definition
    changes = [move.effects[0].sources for move in definition.moves()]
    edges = range(24, 48)
    first = next(orbit for orbit in orbits(definition.points, changes) if edges[0] in orbit)
    return [point for point in range(definition.points) if point not in edges or point in first]


@pytest.mark.parametrize(
    ("name", "points"),
    [
        *((name, []) for name in ("pocket", "skewb", "fto", "rubik", "4x4x4-layers", "4x4x4-blocks", "megaminx")),
        ("fto", edges_that_never_flip()),  # so that some points show the same
    ],
)
def test_a_renamed_puzzle_is_found_by_its_moves(name: str, points: Sequence[int]) -> None:
    puzzle, known = renamed(name, 5, points), derived(rules_named(name)).definition
    found = compared(puzzle, name)
    assert found is not None
    source, names = random.Random(6), [move.name for move in known.moves()]
    here, there = identity(puzzle.points), identity(known.points)
    for move in source.choices(names, k=30):
        here, there = puzzle.apply(here, puzzle.parse(*found.moves[move])), known.apply(there, known.parse(move))
        assert found.of(here) == there


def test_powers_are_written_as_several_moves() -> None:
    definition = renamed("rubik", 10)
    known = derived(rules_named("rubik")).definition
    found = isomorphism(definition.moves("qtm"), definition.solved[0], known.moves(), known.solved[0])
    assert found is not None
    for move in known.moves():
        word = found.moves[move.name]
        assert len(word) == (2 if move.name.endswith("2") else 1)
        change = definition.apply(identity(definition.points), definition.parse(" ".join(word)))
        assert found.of(change) == move.effects[0].sources
    asked = solver(definition)
    state = asked.random_state(random.Random(5))
    solution = asked.solve(state, metric="qtm", max_length=36)
    assert asked.rules.view.after(state, solution).is_solved


def test_other_puzzles_are_others() -> None:
    blocked = Move("a", (Effect(b"\1\0", ((0, 0),)),))
    assert isomorphism([blocked], b"\0\1", [blocked], b"\0\1") is None
    assert compared(renamed("skewb", 9), "pocket") is None
    assert compared(renamed("pyraminx", 9), "skewb") is None
    known = derived(rules_named("4x4x4-layers")).definition
    distinct = known._replace(solved=(identity(known.points),))
    assert compared(distinct, "4x4x4-layers") is None
    assert compared(known, "4x4x4-blocks") is None


def test_pieces_in_places_of_others_are_refused() -> None:
    """Another move exchanges a piece with one that the known puzzle does not have."""
    definition = renamed("pocket", 8)
    other, moves = definition.points, definition.moves()
    there = next(point for point, source in enumerate(moves[0].effects[0].sources) if point != source)
    swap = arrangement({there: other, other: there}.get(point, point) for point in range(other + 1))
    changes = [*(arrangement([*move.effects[0].sources, other]) for move in moves), swap]
    known = derived(rules_named("pocket")).definition
    wider = [Move(str(number), (Effect(change),)) for number, change in enumerate(changes)]
    found = isomorphism(wider, identity(other + 1), known.moves(), known.solved[0])
    assert found is not None
    with pytest.raises(UnsolvableStateError):
        found.of(swap)


def solver(definition: Definition) -> Any:
    return solver_of(DerivedRules(PieceView(definition)), lookup._default._tables)


@pytest.mark.parametrize("name", ["fto", "rubik", "rubik qtm", "4x4x4-layers", "4x4x4-layers qtm", "4x4x4-blocks"])
def test_puzzles_of_files_are_known(name: str) -> None:
    name, _, metric = name.partition(" ")
    asked = solver(renamed(name, 19))
    found = asked._known_as(asked.graph_asked({"metric": metric or "htm"}))
    assert found.solver.rules.name == name
    assert found.has_own_search == (name == "rubik" and not metric)


@pytest.mark.parametrize(
    ("name", "points", "most"),
    [later("fto", edges_that_never_flip(), 33), ("rubik", [], 21), later("4x4x4-layers", [], 54)],
)
def test_long_solutions_are_those_of_the_catalog(
    name: str, points: Sequence[int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Anything, "_prepare", None)  # which searches cycles
    definition = renamed(name, 11, points)
    asked = solver(definition)
    state = asked.random_state(random.Random(12))
    found = asked.solve(state, max_length=most)
    assert found.length <= most
    assert definition.apply(state.arrangement, definition.parse(str(found))) == definition.solved[0]
    assert asked.rules.view.after(asked.rules.view.solved(None), asked.scramble(random.Random(12))) == state


@pytest.mark.exhaustive
def test_the_search_of_any_puzzle_goes_on_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with the shortest one."""
    monkeypatch.setattr(phased, "_NODES_IN_SECONDS", 1 << 20)
    asked, begun = solver(renamed("fto", 13)), list[Any]()
    state, graph = asked.random_state(random.Random(1)), asked.graph_asked({})
    finder: Any = asked._any_solver(graph)
    known = [*finder._known.solutions(finder._goal(state.arrangement)[1], finder._goals)]
    assert [*map(len, known)] == sorted({*map(len, known)}, reverse=True)

    class Searching:
        def __init__(self, *_: object) -> None:
            pass

        def solutions(self, shortest: list[int]) -> Iterator[list[int]]:
            begun.append([graph.definition_moves[number].name for number in shortest])
            yield []

    monkeypatch.setattr(anything, "ShortSearch", Searching)
    assert [*finder.solutions(state.arrangement)] == [*known, None]
    assert begun == known[-1:]


def whole_cube(*kinds: str) -> Definition:
    """Return a 3x3x3 with more moves than face turns: slices, wide moves or turns of the cube, some with centres."""
    pieces = {"CORNERS": cubies(CORNERS), "EDGES": cubies(EDGES)}
    if "centres" in kinds:  # of four orientations, which look alike
        across = {face: [other for other in FACES if dot(NORMALS[face], NORMALS[other]) == 0] for face in FACES}
        pieces["CENTRES"] = [
            Piece(face, NORMALS[face], tuple(map(NORMALS.__getitem__, across[face]))) for face in FACES
        ]
    layers = {f"{face}{wide}": Cut(NORMALS[face], -0.5 if wide else 0.5, 4) for wide in ("", "w") for face in FACES}
    cube = solid("cube", pieces, layers, body_rotations({"x": 4, "y": 4})).definition
    made = {name: effects[0].sources for name, effects in cube.generators.items()}
    slices = {f"{face}s": after(made.pop(f"{face}w"), inverse(made[face])) for face in FACES}
    made |= {name: change for name, change in slices.items() if "slices" in kinds}
    made |= {f"T{name}": change for name, change in cube.rotations.items() if "turns" in kinds}
    return cube._replace(
        generators={name: (Effect(change),) for name, change in made.items()},
        solved=(arrangement(point if point < 48 else point - point % 4 for point in range(cube.points)),),
        rotations=cube.rotations if "free" in kinds else {},
    )


@pytest.mark.parametrize("kinds", ["slices centres", "slices centres free", "turns", "turns centres", "slices"])
def test_other_moves_turn_a_3x3x3_as_a_whole(kinds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Anything, "_prepare", None)  # which searches cycles
    monkeypatch.setattr(isomorphic, "_BEGINNINGS", 8)
    definition = whole_cube(*kinds.split())
    asked = solver(definition)
    state = asked.random_state(random.Random(3))
    found = asked.solve(state, max_length=26)
    end = definition.apply(state.arrangement, definition.parse(str(found)))
    assert end in {after(definition.solved[0], turn) for turn in rotations_of(definition)}
    assert found.at_least < found.length <= 26


@pytest.fixture
def sliced() -> tuple[Any, Any]:
    """The 3x3x3 that is found in one with slices, and what its solutions are asked for."""
    asked = solver(whole_cube("slices", "centres"))
    finder = asked._any_solver(asked.graph_asked({}))
    state = asked.random_state(random.Random(2)).arrangement
    return finder._known, lambda: finder._known.solutions(finder._goal(state)[1], finder._goals)


def test_the_time_may_end_while_the_known_puzzle_is_solved(
    sliced: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its solver then reports a limit, but solutions were found before."""
    known, ask = sliced
    solutions = ask()
    assert next(solutions)
    monkeypatch.setattr(known.solver, "in_seconds", Mock(side_effect=SearchLimitError(0, "after 0 s")))
    with running(Deadline(timeout=0)), pytest.raises(EndedError):
        next(solutions)
    with pytest.raises(SearchLimitError):
        next(ask())


def test_beginnings_make_solutions_shorter(sliced: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = list[int]()
    for number in (0, 8):
        monkeypatch.setattr(isomorphic, "_BEGINNINGS", number)
        lengths.append(min(map(len, sliced[1]())))
    assert lengths[1] < lengths[0]


def test_a_slice_is_one_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a turn of the cube."""
    monkeypatch.setattr(isomorphic, "_BEGINNINGS", 0)
    definition = whole_cube("slices", "turns", "centres")
    known = solver(definition)._known_as(derived(DerivedRules(PieceView(definition))).graph())
    for alg, length in {"U Ds": 2, "Rs2 Fs Us'": 3, "R Tx": 2, "R2 Tx F": 3}.items():
        change = definition.apply(identity(definition.points), definition.parse(alg))
        assert min(map(len, known.solutions(change, definition.solved))) == length


def test_what_is_another_puzzle_has_no_search_of_its_own() -> None:
    """With one more move a 3x3x3 has shorter solutions; centres whose orientations can be seen are others."""
    definition = whole_cube("slices", "centres")
    asked = solver(definition._replace(solved=(identity(definition.points),)))
    assert asked._known_as(asked.graph_asked({})) is None
    definition = renamed("rubik", 16)
    a, c = (definition.generators[name][0].sources for name in "ac")
    asked = solver(definition._replace(generators={**definition.generators, "z": (Effect(after(a, c)),)}))
    graph = asked.graph_asked({})
    assert asked._number(graph) == lookup.puzzle("rubik").states
    assert not asked._known_as(graph).has_own_search


def test_optimal_solutions_are_those_of_the_3x3x3(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = renamed("rubik", 16)
    asked, known = solver(definition), compared(definition, "rubik")
    assert known is not None
    state = asked.rules.view.after(asked.rules.view.solved(None), "a b2 c d' e2 f a c2")
    written = {word[0]: move for move, word in known.moves.items()}
    moves = ["a", "b2", "c", "d'", "e2", "f", "a", "c2"]
    depth = lookup.puzzle("rubik").depth(" ".join(map(written.__getitem__, moves)))
    assert depth > 5  # otherwise the search of any puzzle finds it
    monkeypatch.setattr(Searched, "solve", None)
    assert asked.depth(state) == depth
    found = asked.solve(state)
    assert found.length == found.at_least == depth
    assert asked.rules.view.after(state, found).is_solved
    begin = asked.random_state(random.Random(4))
    end = asked.rules.view.after(begin, "a b2 c d' e2 f a c2")
    answering, path = asked.toward(begin, end, {})
    way = answering.solve(path)
    assert asked.rules.view.after(begin, way) == end
    assert way.length == depth
    with pytest.raises(SearchLimitError):
        asked.solve(state, max_depth=depth - 1)


@pytest.mark.parametrize("error", [NoMemoryError("no memory"), MissingTableError("rubik-htm-small", "no table")])
def test_without_its_table_the_search_of_any_puzzle_answers(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = solver(renamed("rubik", 17))
    state = asked.rules.view.after(asked.rules.view.solved(None), "a b2 c d' e2 f")
    expected = asked.depth(state)
    monkeypatch.setattr(asked._known_as(asked.graph_asked({})).solver, "solve", Mock(side_effect=error))
    assert asked.depth(state) == expected
    results = iter([2])
    monkeypatch.setattr(Searched, "near", lambda *_, **__: next(results))  # the short search is not repeated
    monkeypatch.setattr(Searched, "_found_hashed", lambda *_: FoundAlgs(6, [(0, 1) * 3]))
    assert asked.depth(state) == 6


@pytest.mark.parametrize("end", [EndedError("after 1 s"), SearchLimitError(9, "after 1 s")])
def test_the_deadline_gets_what_the_3x3x3_has_found(end: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = solver(renamed("rubik", 18))
    graph = asked.graph_asked({})
    known = asked._known_as(graph)
    state = asked.random_state(random.Random(3))

    def solve(given: Any, **_: Any) -> None:
        current().find(Solution("U R2 F'", 2, known.solver.rules, given))
        current().prove(9)
        raise end

    monkeypatch.setattr(known.solver, "solve", solve)
    deadline = Deadline(timeout=60)
    with running(deadline), pytest.raises(type(end)) as raised:
        asked.depth(state)
    expected = [known.isomorphism.moves[move] for move in ("U", "R2", "F'")]
    assert str(deadline.solution) == " ".join(name for word in expected for name in word)
    assert deadline.at_least == 9
    assert getattr(raised.value, "solution", deadline.solution) == deadline.solution


def test_the_error_at_a_time_out_has_the_solution() -> None:
    asked = Puzzle(DerivedRules(PieceView(renamed("rubik", 15))), lookup._default._tables)
    state, found = asked.random_state(random.Random(2)), list[Any]()
    with pytest.raises(SearchLimitError) as raised:
        found.extend(asked.improvements(state, timeout=1, memory=1 << 20))  # no table of the 3x3x3
    assert raised.value.solution is not None
    assert asked.rules.view.after(state, raised.value.solution).is_solved


def test_a_state_that_only_other_moves_solve() -> None:
    """The puzzle has another move, which flips an edge; then the search of any puzzle solves the state."""
    definition = whole_cube()
    flip = (Effect(arrangement([*range(24), 25, 24, *range(26, 48)])),)
    definition = definition._replace(generators={**definition.generators, "z": flip})
    assert compared(definition, "rubik") is not None
    asked = solver(definition)
    state = asked.rules.view.after(asked.rules.view.solved(None), "R U z U' R'")
    found = asked.solve(state, max_length=9)
    assert asked.rules.view.after(state, str(found)).is_solved
