"""Answers about arrays of trays, also by the table of a symmetric start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cubesolve.catalog.rolling.model import TraySymmetry, symmetries
from cubesolve.catalog.rolling.rules import TrayGraph
from cubesolve.catalog.rolling.spaces import TrayRanks
from cubesolve.solvers.arrays import GraphArrays

if TYPE_CHECKING:
    from cubesolve.store.tables import Body, Tables


class TrayArrays(GraphArrays):
    """Trays for the distances to a uniform one."""

    def __init__(self, graph: TrayGraph, tables: Tables, symmetry: TraySymmetry) -> None:
        """Take the trays of the question, and the symmetry that takes their start to that of the table."""
        super().__init__(graph, tables)
        self._trays, self._symmetry = TrayRanks(graph.shape, graph.plus), symmetry

    def _given(self) -> Body:
        """Return the table for the ranks of the trays of the question; see `GraphArrays`."""
        table = super()._given()  # even if it is not used: the tables may be closed
        if self._symmetry == symmetries(self._trays.shape)[0]:
            return table
        if self._table_from_start is None:
            self._table_from_start = self._trays.table_under(np.frombuffer(table, np.uint8), self._symmetry).tobytes()
        return self._table_from_start

    _table_from_start: bytes | None = None
