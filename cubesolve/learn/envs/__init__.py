"""Gymnasium environments for puzzles, with exact distances; they need the extra ``gym``.

Importing this module registers an environment for every puzzle that ships, and ``cubesolve/Puzzle-v0`` for any other:

>>> import gymnasium
>>> import cubesolve.learn.envs
>>> env = gymnasium.make("cubesolve/Pocket-v0")
>>> labels, info = env.reset(seed=7, options={"depth": 9})
>>> labels.shape, info["distance"], info["optimal_moves"].shape
((24,), 9, (9,))

`docs/learning.md` describes the options.
"""

from __future__ import annotations

import re

import gymnasium

from cubesolve import catalog
from cubesolve.learn.envs.single import PuzzleEnv
from cubesolve.learn.envs.vector import PuzzleVectorEnv

__all__ = ["PuzzleEnv", "PuzzleVectorEnv", "env_id"]


def env_id(name: str) -> str:
    """Return the name of the environment of a puzzle: its words, joined; a hyphen stays between two numbers.

    >>> env_id("skewb-diamond"), env_id("tiles-2x3"), env_id("topspin-8-4")
    ('cubesolve/SkewbDiamond-v0', 'cubesolve/Tiles2x3-v0', 'cubesolve/Topspin8-4-v0')
    """
    words = "-".join(word[:1].upper() + word[1:] for word in name.split("-"))
    joined = re.sub(r"(?<!\d)-|-(?!\d)", "", words)
    return f"cubesolve/{joined}-v0"


def _register() -> None:
    single, vector = (f"{each.__module__}:{each.__qualname__}" for each in (PuzzleEnv, PuzzleVectorEnv))
    for puzzle in catalog.names():
        for name, question in catalog.rules_named(puzzle).trained.items():
            options = {"puzzle": puzzle, **question}
            gymnasium.register(env_id(name), entry_point=single, vector_entry_point=vector, kwargs=options)
    gymnasium.register(env_id("puzzle"), entry_point=single, vector_entry_point=vector)


_register()
