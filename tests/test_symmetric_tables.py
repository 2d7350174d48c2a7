"""Tables up to symmetry, compared with dictionary searches over all states."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from cubesolve import lookup, puzzle
from cubesolve.ask import Puzzle
from cubesolve.catalog import rules_named
from cubesolve.cli import main
from cubesolve.encodings import BY_BITS, encoding_of
from cubesolve.errors import CorruptTableError, CubesolveError, InvalidStateError, OutdatedTableError
from cubesolve.export import Export
from cubesolve.lookup import Tablebase
from cubesolve.permutations import arrangement
from cubesolve.solvers import symmetric, symmetric_arrays
from cubesolve.spaces import space_of
from cubesolve.spaces import symmetric as spaces_up_to_symmetry
from cubesolve.spaces.defined import DerivedGraph, derived
from cubesolve.spaces.derived import at_home
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.symmetric_tables import entries_of
from cubesolve.spaces.tables import TableEntry
from cubesolve.store import tablefile
from cubesolve.store.build import build, verify
from cubesolve.store.folders import FOLDER_VARIABLE
from cubesolve.store.tables import Tables
from tests.one_way import one_way
from tests.processes import run_python
from tests.spaces.test_symmetric import depths_by_dictionary, ring, wheel
from tests.subsets import later

_PAIR = (1, 0, *range(2, 6))


def _named(name: str, **changed: Any) -> DerivedGraph:
    asked = puzzle(name).restrict(**changed) if changed else puzzle(name)
    return derived(asked.rules).graph()


def _entries(rules: Rules, folder: Path, bits: int = 8) -> list[TableEntry]:
    """Return the tables of a puzzle up to symmetry, of which the distances have a number of bits."""
    coordinates, distances = Puzzle(rules, Tables(folder)).usual_tables(symmetric=True)
    return [coordinates, distances._replace(header=distances.header._replace(encoding=BY_BITS[bits].number))]


def _built(rules: Rules, folder: Path, bits: int = 8) -> Puzzle:
    """Build the tables of a puzzle up to symmetry, and prove them."""
    for entry in _entries(rules, folder, bits):
        build(rules, entry, folder)
        verify(rules, entry, folder)
    return Puzzle(rules, Tables(folder))


@pytest.mark.parametrize(
    ("graph", "bits"),
    [
        (ring(_PAIR, (1,)), 8),  # symmetries of a ring
        (ring((1, 0, *range(2, 8)), (1,), alike=True), 2),  # disks that look alike
        (ring(_PAIR, (1, 3)), 8),  # costs
        (ring((1, 2, 0, *range(3, 6)), (1,), directed=True), 8),  # moves without inverses
        (wheel(1, 2), 8),  # moves that are not always possible
        later(wheel(1, 1), 2),
        (_named("floppy"), 1),  # a parity
        later(wheel(1, 1), 1),
        (ring(_PAIR, (1,), swapped=[(0, 3), (1, 4), (2, 5)]), 2),  # several solved states
        (ring(_PAIR, (1, 3), swapped=[(0, 3), (1, 4), (2, 5)]), 8),
        later(ring(_PAIR, (1,), swapped=[(0, 2)]), 8),
        (_named("pyraminx-duo"), 8),  # orientations
        (_named("ivy", moves="R L"), 2),  # chosen moves
        later(_named("ivy"), 8),
        later(_named("topspin-8-4"), 2),  # a reference piece, which symmetries displace
    ],
)
def test_every_state(graph: DerivedGraph, bits: int, tmp_path: Path) -> None:
    """Depths, solutions and counts of all states are right, from a table with fewer entries."""
    rules, expected = graph.rules, depths_by_dictionary(graph)
    asked = _built(rules, tmp_path, bits)
    symmetric = _entries(rules, tmp_path)[1]
    assert symmetric.header.entries < len(expected)
    counts = Counter(expected.values())
    assert asked.distribution() == tuple(counts[depth] for depth in range(1 + max(counts)))
    labelling = graph.labelling
    rows = np.array([[labelling.numbers[label] for label in place] for place in expected])
    depths = np.array([*expected.values()])
    assert np.array_equal(asked.depths(rows), depths)
    found = asked.solve_batch(rows)
    costs = [*(graph.costs or [1] * len(graph.moves))]
    places = [*expected]
    for number in range(0, len(places), 1 + len(places) // 30):
        state, names = labelling.state(places[number]), graph.moves
        alg = [names[move] for move in found.moves[number, : found.lengths[number]].tolist()]
        assert (asked.depth(state), str(asked.solve(state)).split()) == (depths[number], alg)
        assert sum(costs[names.index(move)] for move in alg) == depths[number]
    for place, row, length in zip(places, found.moves, found.lengths.tolist(), strict=True):
        here = place
        for move in row[:length].tolist():
            moved = graph.moved(here, graph.unrotated_moves[move])
            assert moved is not None
            here = moved
        home = graph.reduction.home(here)
        assert home is not None
        assert home[0] in graph.reduction.solved
    antipodes = asked.antipodes()
    assert len(antipodes) == counts[max(counts)]
    assert {*antipodes} == {labelling.state(place) for place in places if expected[place] == max(counts)}
    assert {path.name for path in tmp_path.iterdir()} == {f"{each.name}.zst" for each in _entries(rules, tmp_path)}


@pytest.mark.parametrize(
    "graph", [ring((1, 0, *range(2, 8)), (1,), alike=True), _named("pyraminx-duo"), later(_named("topspin-8-4"))]
)
def test_each_state_is_drawn_as_often(graph: DerivedGraph) -> None:
    """Entries by their weight, and an image of each under any symmetry."""
    expected = depths_by_dictionary(graph)
    entries, known = entries_of(graph.symmetric), graph.symmetric.known
    one, many = Counter[Any](), Counter[Any]()
    for entry in range(known.entries):
        images = known.images(entry)
        assert len(images) == known.symmetries
        weight = known.weight(entry)
        one.update({image: weight * number for image, number in Counter(images).items()})
        numbers = np.full(known.symmetries, entry)
        assert entries.weights(numbers).tolist() == [weight] * known.symmetries
        rows = at_home(graph, entries.images(numbers, np.arange(known.symmetries)))
        many.update({image: weight * number for image, number in Counter(map(arrangement, rows.tolist())).items()})
    assert one == many == dict.fromkeys(expected, known.symmetries)


@pytest.mark.parametrize("bits", [8, 2])
@pytest.mark.parametrize("rare", [0, 1000])  # by drawing entries, and by listing those at a depth
def test_states_at_a_depth(bits: int, rare: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetric_arrays, "RARE", rare)
    monkeypatch.setattr(symmetric, "RARE", rare or 1e-9)  # the number of tries, too
    monkeypatch.setattr(symmetric, "AS_OFTEN", 1 << 40)
    rules = derived(rules_named("pyraminx-duo"))
    whole, asked = puzzle("pyraminx-duo"), _built(rules, tmp_path, bits)
    wanted = np.arange(90) % 5
    sample = asked.sample(90, depth=wanted, rng=1)
    assert whole.depths(sample).tolist() == wanted.tolist()
    assert len(np.unique(sample)) > 50
    assert asked.sample(5, rng=1).tolist() == whole.sample(5, rng=1).tolist()
    for depth in range(5):
        assert whole.depth(asked.random_state(depth, depth=depth)) == depth
        assert whole.depth(asked.scramble(depth, depth=depth)) == depth
    with pytest.raises(ValueError, match="no state has depth 5"):
        asked.random_state(depth=5)
    with pytest.raises(ValueError, match="no state has depth 5"):
        asked.sample(2, depth=5)
    assert len([*tmp_path.iterdir()]) == 2
    monkeypatch.setattr(DerivedGraph, "most_in_table", 323)
    rows = Puzzle(rules, Tables(tmp_path)).sample(90, depth=wanted, rng=1)
    assert rows.tolist() == whole.written(sample).tolist()
    rows = Puzzle(rules, Tables(tmp_path)).sample(90, rng=1)
    assert len(np.unique(whole.depths(rows))) > 2


@pytest.mark.parametrize(("name", "bits"), [("pyraminx-duo", 8), ("topspin-8-4", 2)])
def test_answers_are_those_of_all_states(name: str, bits: int, tmp_path: Path) -> None:
    """All optimal solutions, in the order of the moves of the state that was asked, as it is held."""
    whole, asked = puzzle(name), _built(derived(rules_named(name)), tmp_path, bits)
    ranks = np.random.default_rng(1).integers(0, whole.states, 1500)
    batch = whole.written(ranks)
    for one, other in zip(asked.solve_batch(batch), whole.solve_batch(batch), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(asked.optimal_moves_batch(batch), whole.optimal_moves_batch(batch))
    assert np.array_equal(asked.count_solutions_batch(batch), whole.count_solutions_batch(batch))
    for state in (whole.random_state(seed) for seed in range(5)):
        assert asked.solve(state) == whole.solve(state)
        assert [*asked.solutions(state)] == [*whole.solutions(state)]
        assert asked.optimal_moves(state) == whole.optimal_moves(state)
        assert asked.count_solutions(state) == whole.count_solutions(state)
    near = whole.random_state(3, depth=2)
    assert [*asked.solutions(near, slack=1)] == [*whole.solutions(near, slack=1)]
    assert asked.depth(asked.random_state(7)) in range(len(whole.distribution()))


def test_ranks_are_those_of_all_states(tmp_path: Path) -> None:
    whole, asked = puzzle("pyraminx-duo"), _built(derived(rules_named("pyraminx-duo")), tmp_path)
    ranks = np.arange(whole.states)
    assert np.array_equal(asked.depths(ranks), whole.depths(ranks))
    assert [asked.depth(rank) for rank in (0, 5)] == whole.depths([0, 5]).tolist()
    assert asked.depths([-1, whole.states, 0], invalid="mask").tolist() == [255, 255, 0]
    with pytest.raises(InvalidStateError, match=r"rank 324 is not in 0\.\.323"):
        asked.depths([whole.states])
    rows = whole.written([3, 4])
    rows[1, 0] = rows[1, 1]
    assert asked.depths(rows, invalid="mask").tolist() == [*whole.depths([3]), 255]


@pytest.mark.exhaustive
def test_rows_of_colours_are_read(tmp_path: Path) -> None:
    """As `state_arrays` has a cube, although its table distinguishes stickers."""
    asked = _built(puzzle("rubik").restrict("U2 R2 F2 D2 L2 B2").rules, tmp_path)
    rows = asked.state_arrays().walks(3, [1, 2, 3], rng=1).states
    assert asked.depths(rows).tolist() == [1, 2, 3]


@pytest.mark.parametrize("bits", [8, 2])
def test_a_wrong_entry_is_found(bits: int, tmp_path: Path) -> None:
    """In a row that symmetries map to itself, and in another."""
    rules = derived(rules_named("ivy"))
    _built(rules, tmp_path, bits)
    _, entry = _entries(rules, tmp_path, bits)
    space = space_of(rules.graph().symmetric)
    assert 0 < space.symmetric < space.rows
    path = str(tmp_path / f"{entry.name}.zst")
    header, _ = tablefile.read_header(path)
    body = np.empty(encoding_of(header).body_bytes(header.entries), np.uint8)
    tablefile.unpack_into(path, header, body.data)
    for row in (0, space.rows - 1):
        wrong, place = body.copy(), (row * space.width + 1) * bits
        wrong[place // 8] ^= 1 << place % 8
        tablefile.write(path, header._replace(sha256=tablefile.digest(wrong.data)), wrong.data)
        with pytest.raises(CorruptTableError, match=r"state \d+ .* has depth"):
            verify(rules, entry, tmp_path)
    tablefile.write(path, header._replace(distribution=(*header.distribution[:-1], 7)), body.data)
    with pytest.raises(CorruptTableError, match="distribution"):
        verify(rules, entry, tmp_path)


def test_a_table_belongs_to_its_coordinates(tmp_path: Path) -> None:
    rules = derived(rules_named("pyraminx-duo"))
    _built(rules, tmp_path)
    _, entry = _entries(rules, tmp_path)
    path = str(tmp_path / f"{entry.name}.zst")
    header, _ = tablefile.read_header(path)
    assert header.scheme == f"states {tablefile.digest(rules.graph().symmetric.coordinates)} up to symmetry"
    body = np.empty(header.entries, np.uint8)
    tablefile.unpack_into(path, header, body.data)
    tablefile.write(path, header._replace(scheme="states of others up to symmetry"), body.data)
    with pytest.raises(OutdatedTableError, match="another scheme"):
        verify(rules, entry, tmp_path)
    of_all = Puzzle(rules, Tables(tmp_path)).usual_tables()[1]
    path = str(tmp_path / f"{of_all.name}.zst")
    tablefile.write(path, header._replace(name=of_all.name, puzzle=of_all.header.puzzle), body.data)
    with pytest.raises(OutdatedTableError, match="another scheme"):
        verify(rules, of_all, tmp_path)


@pytest.mark.parametrize(
    ("graph", "reason"),
    [
        (ring(_PAIR, (1,), swapped=[(0, 1)]), "too many solved states"),
        (ring(_PAIR, (1, 2, 3, 5, 7, 9)), "no symmetry keeps"),
        (one_way("tiles-2x3", "L").graph(), "not always possible and have no inverses"),
        (_named("4x4x4"), "it has too many states"),
    ],
)
def test_puzzles_without(graph: DerivedGraph, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces_up_to_symmetry, "_MOST_SOLVED", 1)
    with pytest.raises(CubesolveError, match=f"has no table up to symmetry, because .*{reason}"):
        Puzzle(graph.rules, Tables(tmp_path)).usual_tables(symmetric=True)


def test_puzzles_with_tables_of_their_own() -> None:
    with pytest.raises(ValueError, match="not supported for the Square-1: tables up to symmetry"):
        puzzle("square1").usual_tables(symmetric=True)


def test_scrambles_of_a_length(tmp_path: Path) -> None:
    rules = derived(rules_named("pyraminx-duo"))
    asked, whole = _built(rules, tmp_path), puzzle("pyraminx-duo")
    for depth, length in ((None, 3), (3, 5), (2, 4)):
        alg = asked.scramble(1, depth=depth, length=length)
        assert len(alg.split()) == length
        if depth is not None:
            assert whole.depth(alg) == depth
    with pytest.raises(ValueError, match="no state at depth 4 was found that is reached by exactly 3 moves"):
        asked.scramble(1, depth=4, length=3)
    assert {path.name for path in tmp_path.iterdir()} == {f"{each.name}.zst" for each in _entries(rules, tmp_path)}


def test_export_of_entries(tmp_path: Path) -> None:
    """Each row has a state, its depth, a solution, and the number of states for which it stands."""
    asked = _built(derived(rules_named("pyraminx-duo")), tmp_path)
    whole, path = puzzle("pyraminx-duo"), tmp_path / "entries.csv"
    Export(asked, path, symmetric=True).write()
    with path.open() as file:
        rows = [*csv.DictReader(file)]
    counts = Counter[int]()
    for number, row in enumerate(rows):
        assert (row["entry"], row["depth"]) == (str(number), str(whole.depth(row["state"])))
        assert whole.solve(row["state"]) == row["moves"]
        counts[int(row["depth"])] += int(row["states"])
    assert len(rows) == 36
    assert whole.distribution() == tuple(counts[depth] for depth in range(1 + max(counts)))
    Export(asked, path.with_suffix(".npz"), "states", depth=4, symmetric=True).write()
    assert np.load(path.with_suffix(".npz"))["states"].sum() == counts[4]
    with pytest.raises(ValueError, match="pocket-htm is the table of all states: name the puzzle"):
        Export("pocket-htm", path, symmetric=True)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All read the table without an option, and build no other."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "none"))  # where other tests may have built that of all states
    monkeypatch.setattr(lookup, "puzzle", Tablebase().puzzle)  # no tables that are open from other tests
    file = str(tmp_path / "duo.kpuzzle.json")
    Path(file).write_text(puzzle("pyraminx-duo").definition("kpuzzle"))

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        return result.output

    run("tables", "build", file, "--symmetric")
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 3
    assert "36 entries" in run("tables", "info", file)
    assert run("tables", "verify", file).count("proved right") == 2
    assert run("tables", "distribution", "--puzzle", file) == run("tables", "distribution", "--puzzle", "pyraminx-duo")
    alg, depth = "R U L", puzzle("pyraminx-duo").depth("R U L")
    assert run("depth", "--puzzle", file, alg) == f"{depth}\n"
    assert len(run("solve", "--puzzle", file, alg).split()) == depth
    assert run("scramble", "--puzzle", file, "-n", "2").count("\n") == 2
    assert {path.name for path in tmp_path.iterdir()} == names
    code = f"import sys; from cubesolve import puzzle; print(puzzle({file!r}).solve('R U L'), 'numpy' in sys.modules)"
    assert run_python(code, fresh=True).stdout.split()[depth:] == ["False"]
    refused = CliRunner().invoke(main, ["tables", "build", file, "--symmetric", "--bits", "1"])
    assert (refused.exit_code, "where every move changes its parity" in refused.output) == (2, True)
    refused = CliRunner().invoke(main, ["tables", "build", "pyraminx-htm", "--symmetric"])
    assert (refused.exit_code, "require a puzzle" in refused.output) == (2, True)


def test_wrong_depths_end(tmp_path: Path) -> None:
    """A file that is intact, but not the table of the puzzle, gives an error and no endless search."""
    rules = derived(rules_named("pyraminx-duo"))
    _built(rules, tmp_path)
    _, entry = _entries(rules, tmp_path)
    path = str(tmp_path / f"{entry.name}.zst")
    header, _ = tablefile.read_header(path)
    body = np.random.default_rng(1).integers(1, 4, header.entries, np.uint8)  # none is solved
    tablefile.write(path, header._replace(sha256=tablefile.digest(body.data)), body.data)
    asked = Puzzle(rules, Tables(tmp_path))
    for seed in range(20):
        with pytest.raises(CorruptTableError, match="not the distances"):
            asked.solve(asked.random_state(seed))
    with pytest.raises(CorruptTableError, match="not the distances"):
        asked.solve_batch(puzzle("pyraminx-duo").written(np.arange(324)))
