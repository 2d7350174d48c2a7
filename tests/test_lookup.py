from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve import lookup, puzzle
from cubesolve.catalog.pocket import cube as pocket
from cubesolve.catalog.pocket.cube import PocketCube
from cubesolve.catalog.rolling.tray import Tray
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.definition.facelets import cube_rotations
from cubesolve.errors import InvalidStateError
from cubesolve.lookup import Tablebase
from tests import oracle
from tests.chance import agrees
from tests.facts import POCKET
from tests.strategies import HTM, QTM, colours, cubes, orientations, recoloured

metrics = st.sampled_from(["htm", "qtm"])


def solved(cube: PocketCube | str, alg: str) -> bool:
    return oracle.is_solved(oracle.apply(str(cube), alg))


@given(cubes, orientations, colours, metrics)
def test_depth_ignores_holding_colours_and_inversion(cube: PocketCube, turn: str, symbols: str, metric: str) -> None:
    depth = lookup.depth(cube, metric=metric)
    assert lookup.depth(cube.apply(turn), metric=metric) == depth
    assert lookup.depth(recoloured(cube, symbols), metric=metric) == depth
    assert lookup.depth(" \t".join(str(cube)), metric=metric) == depth
    assert lookup.depth(cube.inverse(), metric=metric) == depth


@given(cubes, colours, metrics)
def test_solutions(cube: PocketCube, symbols: str, metric: str) -> None:
    facelets = recoloured(cube, symbols)
    depth = lookup.depth(facelets, metric=metric)
    moves = HTM if metric == "htm" else QTM
    algs = list(lookup.solutions(facelets, metric=metric))
    assert algs[0] == lookup.solve(facelets, metric=metric)
    assert algs == sorted(set(algs), key=lambda alg: [moves.index(move) for move in alg.split()])
    assert lookup.count_solutions(facelets, metric=metric) == len(algs)
    for alg in algs[:50]:
        assert len(alg.split()) == depth
        assert solved(facelets, alg)
    first = list(dict.fromkeys(alg.split()[0] for alg in algs if alg))
    assert lookup.optimal_moves(facelets, metric=metric) == first


def test_whole_turns_are_free() -> None:
    for scheme in cube_rotations():
        facelets = "".join(face * 4 for face in scheme)
        assert (lookup.depth(facelets), list(lookup.solutions(facelets))) == (0, [""])
        assert (lookup.count_solutions(facelets), lookup.optimal_moves(facelets)) == (1, [])


def test_scrambles_are_uniform_over_depths() -> None:
    allowed = sum(lookup.distribution()[4:])
    assert allowed == POCKET["wca"]["allowed"]
    assert pocket.STATES - allowed == POCKET["wca"]["excluded"]
    rng, drawn = random.Random(3), Counter[int]()
    for _ in range(1000):
        moves = lookup.scramble(rng).split()
        assert len(moves) == 11
        assert all(move[0] in "URF" for move in moves)
        assert all(move[0] != then[0] for move, then in itertools.pairwise(moves))
        drawn[lookup.depth(oracle.apply(oracle.SOLVED, " ".join(moves)))] += 1
    assert agrees(drawn, {depth: count / allowed for depth, count in enumerate(lookup.distribution()) if depth >= 4})
    assert lookup.scramble(5) == lookup.scramble(random.Random(5)) != lookup.scramble(6)
    assert lookup.scramble() != lookup.scramble()


def test_random_states_at_a_depth() -> None:
    rng = random.Random(2)
    drawn = Counter(lookup.random_state(rng, depth=1) for _ in range(270))
    assert agrees(drawn, {PocketCube.from_alg(move): 1 / 9 for move in HTM})
    with pytest.raises(ValueError, match=r"no state has depth 15: depths are 0\.\.14"):
        lookup.random_state(depth=15, metric="qtm")
    assert lookup.random_state(4) == lookup.random_state(4) != lookup.random_state(5)


def test_distributions_and_antipodes() -> None:
    found = {metric: list(lookup.antipodes(metric=metric)) for metric in ("htm", "qtm")}
    for metric, farthest in found.items():
        assert lookup.distribution(metric=metric) == tuple(POCKET[metric])
        assert len(farthest) == POCKET[metric][-1]
        assert [cube.rank for cube in farthest] == sorted({cube.rank for cube in farthest})
        assert {lookup.depth(cube, metric=metric) for cube in farthest} == {len(POCKET[metric]) - 1}
    assert len({*found["htm"]} & {*found["qtm"]}) == POCKET["antipodes_in_both_metrics"]
    assert lookup.depth(PocketCube.from_alg(POCKET["antipode_example_htm_11"])) == 11


@pytest.mark.parametrize("function", ["depth", "solve", "solutions", "count_solutions", "optimal_moves"])
def test_errors(function: str) -> None:
    ask = getattr(lookup, function)
    with pytest.raises(InvalidStateError, match="24 facelets, not 1"):
        ask("q")
    with pytest.raises(ValueError, match="unknown metric 'stm': expected htm or qtm"):
        ask(PocketCube.solved(), metric="stm")
    for state in (PocketCube.solved(), RubikCube.solved(), "R U"):
        with pytest.raises(ValueError, match="qtm is a metric, not a goal: write metric='qtm'"):
            ask(state, "qtm")


def test_keywords_that_a_question_lacks() -> None:
    skewb = puzzle("skewb")
    asked: list[Any] = [skewb.alg, skewb.restrict, skewb.towards, puzzle, lookup.table]
    for ask in asked:
        with pytest.raises(TypeError, match="unexpected keyword argument 'timout'"):
            ask("R", timout=3)


def test_closing_while_another_thread_loads() -> None:
    for _ in range(30):
        tables = Tablebase()
        asking = threading.Thread(target=lambda: ask_or_find_closed(tables))  # noqa: B023
        asking.start()
        tables.close()
        asking.join()
        assert tables._tables._bodies == {}


def ask_or_find_closed(tables: Tablebase) -> None:
    try:
        assert tables.depth(PocketCube.from_alg("R")) == 1
    except ValueError as error:
        assert "closed" in str(error)  # noqa: PT017


def test_many_threads_on_a_cold_tablebase() -> None:
    tables, gate = Tablebase(), threading.Barrier(8)

    def wrong(seed: int) -> list[str]:
        rng, found = random.Random(seed), list[str]()
        gate.wait()
        for _ in range(500):
            cube, metric = PocketCube.unrank(rng.randrange(pocket.STATES)), rng.choice(["htm", "qtm"])
            alg = tables.solve(str(cube), metric=metric)
            if alg.length != tables.depth(str(cube), metric=metric) or not cube.apply(alg).is_solved:
                found.append(str(cube))
        return found

    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(wrong, range(8)))


def test_a_pocket_cube_is_no_3x3x3() -> None:
    for start, target in ((RubikCube.solved(), PocketCube.solved()), (PocketCube.solved(), RubikCube.solved())):
        with pytest.raises(InvalidStateError, match=r"this is the length of a (pocket cube|3x3x3)"):
            lookup.path(str(start), str(target))
    with pytest.raises(InvalidStateError, match="one edge is flipped"):
        lookup.depth("UUUUURUUU RURRRRRRR FFFFFFFFF DDDDDDDDD LLLLLLLLL BBBBBBBBB")


def test_random_trays() -> None:
    start = (2, 1)
    tray = lookup.random_state(7, depth=20, puzzle="rolling")
    assert lookup.depth((1, 1), tray) == 20
    rolling = puzzle("rolling")
    tray = rolling.random_state(random.Random(5), 17, start=start)
    assert rolling.depth(Tray.start(start), tray) == 17
    alg = rolling.scramble(8, start=start)
    assert len(alg) == rolling.depth(Tray.start(start), Tray.start(start).apply(alg))
    assert len(rolling.scramble(3, length=12)) == len(rolling.scramble(3, depth=12)) == 12
    with pytest.raises(ValueError, match="length is not supported for scrambles of rolling cubes"):
        rolling.scramble(3, depth=5, length=7)
    with pytest.raises(ValueError, match="arrays are not supported for the model full"):
        rolling.random_state(model="full")


def test_a_state_of_a_file_with_the_name_of_a_puzzle_that_ships(tmp_path: Path) -> None:
    (tmp_path / "own.tws").write_text("Name skewb\nSet A 3 1\nSolved\nEnd\nMove R\nA\n2 3 1\nEnd\n")
    state = lookup.puzzle(str(tmp_path / "own.tws")).parse("R2", "alg")
    assert (lookup.depth(state), lookup.solve(state)) == (1, "R")
