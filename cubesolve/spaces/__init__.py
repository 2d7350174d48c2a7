"""Where the states of puzzles are: arrays of base and fibre, and arrays of states (numpy).

A graph names the module here that has its arrays; that module has the two functions that this one calls.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cubesolve.rules.rules import Graph
    from cubesolve.spaces.batches import ArrayForm
    from cubesolve.spaces.space import StateSpace

_KEPT = 8


@functools.lru_cache(_KEPT)
def space_of(graph: Graph) -> StateSpace:
    """The moves of a graph as arrays, kept for the next question.

    >>> from cubesolve.catalog import rules_named
    >>> space_of(rules_named("pocket").graph(metric="qtm")).states
    3674160
    """
    space: StateSpace = _home(graph).space_of(graph)
    return space


@functools.lru_cache(_KEPT)
def form_of(graph: Graph) -> ArrayForm:
    """How arrays of a graph's states are written.

    >>> from cubesolve.catalog import rules_named
    >>> form_of(rules_named("pocket").graph()).column
    'facelets'
    """
    form: ArrayForm = _home(graph).form_of(graph)
    return form


def _home(graph: Graph) -> Any:
    return importlib.import_module(f"{__name__}.{graph.arrays}")
