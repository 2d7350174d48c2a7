from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubesolve.catalog.rubik import cube as rubik
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.definition.facelets import turn
from cubesolve.definition.notation import FACES, LETTERS, FaceTurn, parse_alg
from cubesolve.errors import InvalidMoveError, InvalidStateError, UnsolvableStateError
from tests import rubik_oracle as oracle
from tests.facts import DATA
from tests.strategies import recoloured, rubik_cubes

SOLVED = RubikCube.solved()


def test_every_move_is_the_oracles() -> None:
    start = "".join(map(chr, range(ord("A"), ord("A") + 54)))  # every sticker different
    for move in oracle.ANY_MOVE:
        (parsed,) = parse_alg(move, LETTERS)
        assert SOLVED.apply(parsed).facelets == oracle.turn(SOLVED.facelets, move)
        assert turn(3, start, [parsed]) == oracle.turn(start, move)
    assert len(oracle.ANY_MOVE) == 3 * len(LETTERS) == 54


@given(rubik_cubes)
def test_facelets_and_cubies(cube: RubikCube) -> None:
    home = RubikCube.from_cubies(cube.cubies)
    assert home.cubies == cube.cubies
    assert home.centres == FACES
    other = RubikCube(recoloured(cube, "abcdef"))
    assert other.cubies == cube.cubies
    assert other.colours == other.centres == cube.centres.translate(str.maketrans(FACES, "abcdef"))
    assert other.homing_rotation() == ""
    assert home.facelets == cube.facelets.translate(str.maketrans(cube.centres, FACES))
    assert rubik.read_cubies(cube.facelets) == cube.cubies


def test_cubies_are_kociembas() -> None:
    # Basic moves as defined in Kociemba's two-phase solver, cubie level.
    assert rubik.turn_cubies(FaceTurn("R", 1)) == (
        (4, 1, 2, 0, 7, 5, 6, 3),
        (2, 0, 0, 1, 1, 0, 0, 2),
        (8, 1, 2, 3, 11, 5, 6, 7, 4, 9, 10, 0),
        (0,) * 12,
    )
    assert rubik.turn_cubies(FaceTurn("F", 1)) == (
        (1, 5, 2, 3, 0, 4, 6, 7),
        (1, 2, 0, 0, 2, 1, 0, 0),
        (0, 9, 2, 3, 4, 8, 6, 7, 1, 5, 10, 11),
        (0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0),
    )


@given(st.lists(st.sampled_from(oracle.FACE_TURNS), max_size=8))
def test_images_are_made_by_images_of_algs(moves: list[str]) -> None:
    images = RubikCube.from_alg(" ".join(moves)).symmetric_facelets()
    assert images[0] == RubikCube.from_alg(" ".join(moves)).facelets
    # Which turn each face's clockwise turn becomes under a symmetry decides what the whole alg becomes.
    turned = {SOLVED.apply(move).facelets: move for move in oracle.FACE_TURNS}
    single = {face: [turned[image] for image in SOLVED.apply(face).symmetric_facelets()] for face in FACES}
    assert len({*zip(*single.values(), strict=True)}) == 48
    for k, image in enumerate(images):
        alg = [single[move[0]][k] for move in moves for _ in range({"": 1, "2": 2, "'": 3}[move[1:]])]
        assert image == SOLVED.apply(" ".join(alg)).facelets


def test_turns_of_several_layers_have_no_cubies() -> None:
    with pytest.raises(InvalidMoveError, match="'Rw 1'"):
        rubik.turn_cubies(FaceTurn("Rw", 1))


@pytest.mark.parametrize(
    ("field", "values", "message"),
    [
        ("corners", (0,) * 7, r"corners has 7 numbers, not 8"),
        ("edges", tuple(range(13)), r"edges has 13 numbers, not 12"),
        ("corners", (8, 1, 2, 3, 4, 5, 6, 7), r"corners\[0\] is 8, not a number from 0 to 7"),
        ("edges", (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1), r"edges\[11\] is -1, not a number from 0 to 11"),
        ("twists", (0, 0, 3, 0, 0, 0, 0, 0), r"twists\[2\] is 3, not a number from 0 to 2"),
        ("flips", (2,) + (0,) * 11, r"flips\[0\] is 2, not a number from 0 to 1"),
        ("corners", (0, 1, 2, 3, 4, 1, 6, 7), r"corners has 1 both at 1 and at 5"),
        ("edges", (5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), r"edges has 5 both at 0 and at 5"),
        ("twists", (1,) + (0,) * 7, r"one corner is twisted clockwise"),
        ("flips", (1,) + (0,) * 11, r"one edge is flipped"),
        ("corners", (1, 0, 2, 3, 4, 5, 6, 7), r"two corners or two edges are exchanged"),
    ],
)
def test_cubies_that_are_none(field: str, values: tuple[int, ...], message: str) -> None:
    cubies = rubik.Cubies(**{**SOLVED.cubies._asdict(), field: values})
    with pytest.raises(InvalidStateError, match=message) as caught:
        RubikCube.from_cubies(cubies)
    assert isinstance(caught.value, UnsolvableStateError) == message.endswith(("clockwise", "flipped", "exchanged"))


def test_facelets_of_positions_are_those_documented() -> None:
    rows = re.findall(r"^\| \d+ \| (.*) \|$", (DATA.parents[1] / "docs" / "coordinates.md").read_text(), re.M)
    cells = [cell.strip() for row in rows if row.count("|") == 3 for cell in row.split("|")]
    documented = {name: facelets for name, facelets in zip(cells[::2], cells[1::2], strict=True) if name}
    positions = zip([*rubik.CORNERS, *rubik.EDGES], [*rubik.CORNER_FACELETS, *rubik.EDGE_FACELETS], strict=True)
    assert documented == {name: " ".join(rubik.FACELET_NAMES[i] for i in facelets) for name, facelets in positions}
