"""Strategies for Hypothesis."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from cubesolve.catalog.pocket.cube import STATES, PocketCube
from cubesolve.catalog.rubik.cube import RubikCube
from cubesolve.definition.facelets import cube_rotations
from tests import rubik_oracle

HTM = [face + suffix for face in "URF" for suffix in ("", "2", "'")]
QTM = [face + suffix for face in "URF" for suffix in ("", "'")]
ANY_MOVE = [letter + suffix for letter in "URFDLBxyz" for suffix in ("", "2", "'")]

ranks = st.integers(0, STATES - 1)
algs = st.lists(st.sampled_from(ANY_MOVE), max_size=20).map(" ".join)
orientations = st.sampled_from(sorted(cube_rotations().values()))
cubes = st.builds(lambda rank, holding: PocketCube.unrank(rank).apply(holding), ranks, orientations)
colours = st.lists(
    st.characters(exclude_categories=["Zs", "Zl", "Zp", "Cc", "Cs"]), min_size=6, max_size=6, unique=True
).map("".join)

rubik_algs = st.lists(st.sampled_from(rubik_oracle.ANY_MOVE), max_size=20).map(" ".join)
rubik_cubes = st.builds(RubikCube.from_alg, rubik_algs)


def examples(number: int) -> settings:
    """Set the number of examples for a run of all tests; shorter runs have fewer in proportion; see conftest.py."""
    return settings(max_examples=number * settings().max_examples // 100)


def recoloured(cube: PocketCube | RubikCube, symbols: str) -> str:
    return cube.facelets.translate(str.maketrans("URFDLB", symbols))
