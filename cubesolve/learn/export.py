"""Export whole tables as NumPy arrays, archives of arrays, and CSV.

Rows are written as they are computed, so memory does not grow with the table.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve import catalog, lookup
from cubesolve.ask import Puzzle
from cubesolve.encodings import encoding_of
from cubesolve.errors import quoted
from cubesolve.lookup import Tablebase
from cubesolve.runtime.files import open_atomically
from cubesolve.solvers.arrays import GraphArrays
from cubesolve.solvers.questions import Accepted
from cubesolve.spaces import form_of
from cubesolve.spaces.tables import UNREACHABLE, TableEntry

_CHUNK = 1 << 16
_ZIP_LEVEL = 1  # a third of the time of level 6, for files larger by a quarter

Progress = Callable[[int], object]
"""Called with the number of rows written since the last call; in an archive, each column has rows of its own."""


class Column(NamedTuple):
    """A column of an export."""

    dtype: np.dtype[Any]  # the type of an entry in an array
    values: Callable[[NDArray[np.int64]], NDArray[Any]]  # the entries for ranks
    texts: Callable[[NDArray[Any]], list[str]]  # the entries in text, from those in arrays


class Export:
    """An export of a table to a file, one row per state in the order of ranks.

    A ``.npy`` file has one array with a field per column, or a plain one if there is one column; a ``.npz`` file
    has one array per column; a ``.csv`` file has a line of column names, then one line per state.

    Attributes:
        steps: the total of the numbers that `write` passes to its progress function.
    """

    def __init__(
        self,
        name: str | Puzzle,
        path: str | os.PathLike[str],
        columns: str | Sequence[str] | None = None,
        depth: int | None = None,
        metric: str | None = None,
    ) -> None:
        """Check the request, and prepare the export.

        Args:
            name: the name of a table, the name of a puzzle for its default table, or a puzzle.
            path: the file.
            columns: names of columns, also as one string with commas; by default all columns of the table.
            depth: export only the states at this depth.
            metric: the metric of the table of a puzzle; by default its usual one.

        Raises:
            ValueError: there is no such table, column, or depth, or the suffix of the file is unknown.
        """
        self._puzzle, self._entry = puzzle_and_table(name, metric)
        if not encoding_of(self._puzzle.header(self._entry)).has_bytes:
            raise ValueError(f"{self._entry.name} cannot be exported: it does not have a byte per state")
        self._path, self._depth = os.fspath(path), depth
        available = columns_of(self._puzzle, self._entry)
        given = columns if isinstance(columns, str) else columns or list(available)
        names = chosen_columns(given, list(available), self._entry.name)
        self._columns = {column: available[column] for column in names}
        suffix = next((suffix for suffix in FORMATS if self._path.endswith(suffix)), None)
        if suffix is None:
            raise ValueError(f"the suffix of {quoted(self._path)} must be {' or '.join(FORMATS)}")
        self._format = FORMATS[suffix]
        counts = self._puzzle.header(self._entry).distribution
        if depth is not None and not 0 <= depth < len(counts):
            raise ValueError(f"no state has depth {depth}: depths are 0..{len(counts) - 1}")
        self._number = sum(counts) if depth is None else counts[depth]
        self.steps = self._number * (len(names) if self._format.by_column else 1)

    def write(self, progress: Progress | None = None) -> None:
        """Write the file atomically.

        Args:
            progress: called after every few rows.

        Raises:
            TableError: the table is missing or damaged.
            OSError: the file cannot be written.
        """
        depths = self._puzzle.table(self._entry).as_array()
        rows = _Rows(self._number, depths, self._depth, progress or (lambda _rows: None))
        with open_atomically(self._path) as file:
            self._format.write(file, self._columns, rows)


def export(
    name: str | Puzzle,
    path: str | os.PathLike[str],
    columns: str | Sequence[str] | None = None,
    depth: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Export a table to a file; see `Export`.

    Raises:
        ValueError: there is no such table, column, or depth, or the suffix of the file is unknown.
        TableError: the table is missing or damaged.
        OSError: the file cannot be written.
    """
    Export(name, path, columns, depth).write(progress)


def chosen_columns(given: str | Sequence[str], known: Sequence[str], name: str) -> list[str]:
    """Return names of columns in the given order, also from one string with commas."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)
    unknown = [name for name in names if name not in known]
    if unknown or len(set(names)) < len(names) or not names:
        what = f"no column {quoted(unknown[0])}" if unknown else "name each column once"
        raise ValueError(f"{what}: {name} has {','.join(known)}")
    return names


def puzzle_and_table(name: str | Puzzle, metric: str | None = None) -> tuple[Puzzle, TableEntry]:
    """Return a puzzle and the table of its states in a metric, by the name of the table or of the puzzle."""
    if isinstance(name, Puzzle):
        return name, name.usual_table(metric)
    tables: Tablebase = lookup.open_tablebase()
    if metric is None:
        try:
            return tables.found(name)
        except ValueError:
            pass
    elif name in catalog.tables():
        raise ValueError(f"{name} is a table, and has its own metric")
    puzzle = tables.puzzle(name)
    return puzzle, puzzle.usual_table(metric)


@dataclass
class _Rows:
    number: int
    depths: NDArray[np.uint8]
    depth: int | None
    progress: Progress

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        for start in range(0, len(self.depths), _CHUNK):
            depths = self.depths[start : start + _CHUNK]
            ranks = start + np.flatnonzero(depths < UNREACHABLE if self.depth is None else depths == self.depth)
            yield ranks
            self.progress(len(ranks))


# -- Columns ---------------------------------------------------------------------------------------------------------


def columns_of(puzzle: Puzzle, entry: TableEntry) -> dict[str, Column]:
    """Return the columns of a table, by name."""
    rank = Column(np.dtype("<i4"), lambda ranks: ranks, _numbers)
    depth = Column(np.dtype("u1"), lambda ranks: puzzle.table(entry).as_array()[ranks], _numbers)
    if entry.fold:
        width = len(puzzle.rules.pattern(entry, 0))

        def patterns(ranks: NDArray[np.int64]) -> NDArray[np.generic]:
            return np.array([puzzle.rules.pattern(entry, rank).encode() for rank in ranks.tolist()], f"S{width}")

        pattern = Column(np.dtype(f"S{width}"), patterns, lambda values: [value.decode() for value in values.tolist()])
        return {"rank": rank, "pattern": pattern, "depth": depth}
    arrays = puzzle.arrays_of(entry)
    try:
        form = form_of(arrays.graph)
    except ValueError:  # the states have no form as arrays
        return {"rank": rank, "depth": depth}
    state = Column(form.dtype, lambda ranks: arrays.written(ranks, None), lambda rows: list(form.texts(rows)))
    is_held = arrays.graph.merges_rotations  # states that a rotation makes of the listed ones need other moves
    moves = Column(
        np.dtype(("u1", (arrays.longest,))),
        lambda ranks: arrays.solve(state.values(ranks) if is_held else ranks, "raise", None, Accepted(), {}).moves,
        lambda rows: _algs(rows, arrays),
    )
    return {"rank": rank, form.column: state, "depth": depth, "moves": moves}


def _numbers(values: NDArray[Any]) -> list[str]:
    return list(map(str, values.tolist()))


def _algs(rows: NDArray[np.uint8], arrays: GraphArrays) -> list[str]:
    graph = arrays.graph
    lengths = (rows < len(graph.moves)).sum(axis=1).tolist()
    return [graph.spelled(row[:length]) for row, length in zip(rows.tolist(), lengths, strict=True)]


# -- Files -----------------------------------------------------------------------------------------------------------


def _write_csv(file: BinaryIO, columns: dict[str, Column], rows: _Rows) -> None:
    file.write((",".join(columns) + "\n").encode())
    for ranks in rows:
        texts = [column.texts(column.values(ranks)) for column in columns.values()]
        file.write("".join([",".join(row) + "\n" for row in zip(*texts, strict=True)]).encode())


def _write_npy(file: BinaryIO, columns: dict[str, Column], rows: _Rows) -> None:
    if len(columns) == 1:
        (column,) = columns.values()
        _write_array(file, column, rows)
        return
    dtype = np.dtype([(name, column.dtype) for name, column in columns.items()])
    _write_header(file, dtype, (rows.number,))
    for ranks in rows:
        records = np.empty(len(ranks), dtype)
        for name, column in columns.items():
            records[name] = column.values(ranks)
        file.write(records.tobytes())


def _write_npz(file: BinaryIO, columns: dict[str, Column], rows: _Rows) -> None:
    # Members opened by name have no date, so that equal tables give equal files.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_ZIP_LEVEL) as archive:
        for name, column in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                _write_array(member, column, rows)


def _write_array(file: Any, column: Column, rows: _Rows) -> None:
    _write_header(file, column.dtype.base, (rows.number, *column.dtype.shape))
    for ranks in rows:
        file.write(np.ascontiguousarray(column.values(ranks), column.dtype.base).tobytes())


def _write_header(file: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    descr = np.lib.format.dtype_to_descr(dtype)
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})


class ExportFormat(NamedTuple):
    """A format of exported files."""

    about: str  # a description, in a line
    write: Callable[[BinaryIO, dict[str, Column], _Rows], None]  # writes columns of rows to a file
    by_column: bool = False  # whether it reads the rows once per column, not once


FORMATS = {
    ".npz": ExportFormat("archive with an array per column, for numpy.load", _write_npz, by_column=True),
    ".npy": ExportFormat("array with a field per column, for numpy.load", _write_npy),
    ".csv": ExportFormat("text with a line per state", _write_csv),
}
"""The formats of exported files, by suffix."""
