"""Building tables of the least distances of sets of rows (numba)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cubesolve.encodings.byte.enumeration import distribution
from cubesolve.encodings.encoding import require_counts, require_no_fault
from cubesolve.encodings.mod3 import enumeration, proof
from cubesolve.encodings.mod3.enumeration import LeastDepths, enumerate_mod3, write_depth
from cubesolve.encodings.mod3.proof import find_mod3_fault
from cubesolve.runtime.kernels import compile_meanwhile
from cubesolve.spaces.space import StateSpace
from cubesolve.spaces.tables import TableEntry, TableHeader
from cubesolve.store.build import headed


def make_least(
    entry: TableEntry, space: StateSpace, start: int, first_rows: NDArray[np.int64]
) -> tuple[TableHeader, memoryview]:
    """Make a table of the least distances of sets of rows, with two bits for each state of the space.

    Args:
        space: the space; every move must have an inverse and cost 1.
        first_rows: int64 (sets + 1,): the first row of each set, and the number of all rows.

    Returns:
        The header, and the body: uint8 (sets * width,).

    Raises:
        CorruptTableError: the depths are wrong (a hardware error).
    """
    # Arrays take all of the memory, and the compiler would take more beside them.
    compile_meanwhile(*enumeration.KERNELS, write_depth, *proof.KERNELS)
    least = LeastDepths(first_rows, space.width)
    table, counts = enumerate_mod3(space, start, checkpointer=least)
    fault, proved = find_mod3_fault(space, table, start)
    require_no_fault(fault, entry.name)
    require_counts(proved, entry.header._replace(distribution=counts), entry.name)
    return headed(entry, least.depths, distribution(least.depths))
