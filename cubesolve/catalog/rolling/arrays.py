"""Answers about arrays of trays, also where the table is about a start that is this one by symmetry."""

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
    """Trays that can be rolled into a uniform one."""

    def __init__(self, graph: TrayGraph, tables: Tables, symmetry: TraySymmetry) -> None:
        """Take the trays as they are asked about, and what takes their start to that of the table."""
        super().__init__(graph, tables)
        self._trays, self._symmetry = TrayRanks(graph.shape, graph.plus), symmetry

    def _given(self) -> Body:
        """As of `GraphArrays`, with the ranks of the trays as they are asked about."""
        table = super()._given()  # also where it is not used: the tables may be closed
        if self._symmetry == symmetries(self._trays.shape)[0]:
            return table
        if self._table_from_start is None:
            self._table_from_start = self._trays.table_under(np.frombuffer(table, np.uint8), self._symmetry).tobytes()
        return self._table_from_start

    _table_from_start: bytes | None = None
