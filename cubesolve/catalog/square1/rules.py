"""The Square-1 and its metrics (pure Python)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from cubesolve.catalog.square1.view import Square1View
from cubesolve.definitions.options import LIMITS, MAX_LENGTH, METRIC, TARGET
from cubesolve.spaces.rules import Rules
from cubesolve.spaces.tables import ARRAYS, TableEntry, TableHeader

TWIST, WCA = "twist", "wca"
"""The metrics: a twist counts one; or also the turns of the layers between two twists, regulation 12c4."""

SHAPES = 3_678
"""The number of shapes in which a twist is possible."""

STATES = SHAPES * math.factorial(8) ** 2 * 2
"""The number of states: shapes, permutations of corners, permutations of edges, and the middle layer."""

GODS_NUMBER = 13
"""The largest number of twists that a state needs; M. Masonjones, "Square One God's Algorithm Computed", 2005."""

EVERY_STATE = 12
"""Twists with which every state has a solution if the number is even; one more if it is odd."""

BOUNDS = TableEntry(
    TableHeader(
        "square1-bounds",
        "square1",
        TWIST,
        "lower bounds by corners, then by edges",
        2 * 170 * 40_320,
        (),
        "f838c1e53fdc9d98a0f8df3e74f66cafbc588911a9ef0a3e907f7222777936bd",
        ARRAYS,
    ),
    source="follows from the moves",
    by_default=False,
    effort="10 s",
)
"""The lower bounds of the number of twists that solve a state."""


class Square1Rules(Rules):
    """The Square-1."""

    view: Square1View
    metrics = (TWIST, WCA)
    options = (
        METRIC._replace(
            help="Metric: a twist counts one (twist), or turns of the layers between twists do, too (wca).",
            default=TWIST,
            choices=(TWIST, WCA),
        ),
        TARGET,
        *LIMITS,
        MAX_LENGTH._replace(help="Accept any solution of at most N moves; one of 15 twists is found at once."),
    )
    searches = True
    usual_length = 15

    def __init__(self) -> None:
        """Take the view of the Square-1."""
        super().__init__(Square1View())

    def tables(self) -> Sequence[TableEntry]:
        """Return the table of lower bounds."""
        return (BOUNDS,)

    def arrays(self, entry: TableEntry, *, anew: bool = False) -> bytes:
        """Return the lower bounds."""
        from cubesolve.catalog.square1.coordinates import made_bounds  # noqa: PLC0415  # needs numba

        return made_bounds() if entry.name == BOUNDS.name else super().arrays(entry, anew=anew)

    @property
    def number_of_states(self) -> int:
        """The number of states in which a twist is possible."""
        return STATES

    @property
    def gods_number(self) -> int:
        """The largest number of twists."""
        return GODS_NUMBER

    @property
    def trained(self) -> Mapping[str, Mapping[str, Any]]:
        """No environments: turns of the layers cost nothing."""
        return {}
