"""The states of puzzles: their numbering, the moves between them as arrays of base and fibre, and arrays of states.

In reading order: `space` is the base times the fibre; `placements` and `derive` derive the two from moves, and
`coordinates` ranks states without numpy. `rules` is the interface of a puzzle; `defined` is a puzzle that a definition
gives, `defined_graph` its states and moves, and `derived` their arrays; `variants` are puzzles with other moves or
another goal, `tables` their tables as data. `projections` have equal labels; `symmetric`, `symmetric_patterns` and
`representatives` are up to symmetry. `rows`, `gathers`, `vectors` and `batches` are arrays of states, `members` lists
entries with given labels, `levels` counts states near the start.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cubesolve.spaces.batches import ArrayForm
    from cubesolve.spaces.rules import Graph
    from cubesolve.spaces.space import StateSpace

_KEPT = 8


@functools.lru_cache(_KEPT)
def space_of(graph: Graph) -> StateSpace:
    """Return the moves of a graph as arrays, which are kept."""
    return graph.in_arrays().space()


@functools.lru_cache(_KEPT)
def form_of(graph: Graph) -> ArrayForm:
    """Return the form in which arrays of a graph's states are written."""
    return graph.in_arrays().form()
