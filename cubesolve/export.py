"""Whole tables as files that other programs read: NumPy arrays, archives of them, and text.

Rows are written as they are found, so that memory does not grow with the table.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve import lookup
from cubesolve.atomic import open_atomically
from cubesolve.catalog import CatalogEntry
from cubesolve.errors import quoted
from cubesolve.lookup.tables import entry_named
from cubesolve.notation import metric_moves
from cubesolve.pocket import TURNING_FACES
from cubesolve.rolling import DIRECTIONS, model_named, unrank_pattern
from cubesolve.space import start_tray

SUFFIXES = (".npz", ".npy", ".csv")
"""How the names of files that can be written end."""

_CHUNK = 1 << 16
_ZIP_LEVEL = 1  # a third of the time of level 6, for files larger by a quarter

Progress = Callable[[int], object]
"""Called with the number of rows that were written since the last call; a column of an archive counts by itself."""


class _Column(NamedTuple):
    """What is written about each state.

    Attributes:
        dtype: the type of an entry in an array.
        values: the entries for ranks.
        texts: the entries in text, from those in arrays.
    """

    dtype: np.dtype[Any]
    values: Callable[[NDArray[np.int64]], NDArray[Any]]
    texts: Callable[[NDArray[Any]], list[str]]


def columns_of(name: str) -> list[str]:
    """The columns that a table has.

    Raises:
        ValueError: there is no such table.

    >>> columns_of("pocket-htm"), columns_of("rolling-edge-patterns")
    (['rank', 'facelets', 'depth', 'moves'], ['rank', 'pattern', 'depth'])
    """
    return list(_columns(entry_named(name)))


def rows_of(name: str, depth: int | None = None) -> int:
    """The number of rows that a table has: all, or those of one depth.

    Raises:
        ValueError: there is no such table, or no state has this depth.

    >>> rows_of("pocket-htm", depth=11)
    2644
    """
    counts = entry_named(name).header.distribution
    if depth is None:
        return sum(counts)
    if not 0 <= depth < len(counts):
        raise ValueError(f"no state has depth {depth}: depths are 0..{len(counts) - 1}")
    return counts[depth]


def export(
    name: str,
    path: str,
    columns: Sequence[str] | None = None,
    depth: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write what a table says about each state, in the order of ranks.

    A ``.npy`` file has an array with a field for each column, or a plain one if there is one column; a ``.npz`` file
    has an array for each column; a ``.csv`` file has a line for each state after one of names.

    Args:
        name: the table's name.
        path: the file; it is there as a whole or not at all.
        columns: their names, of those that `columns_of` lists; by default all.
        depth: only the states at this depth.
        progress: called after every few rows.

    Raises:
        ValueError: there is no such table, column, or depth, or the name of the file ends otherwise.
        TableError: the table is missing or damaged.
        OSError: the file cannot be written.
    """
    entry = entry_named(name)
    known = _columns(entry)
    names = list(known if columns is None else columns)
    unknown = [column for column in names if column not in known]
    if unknown or not names or len(set(names)) < len(names):
        what = f"no column {quoted(unknown[0])}" if unknown else "columns must be different, at least one"
        raise ValueError(f"{what}: {entry.name} has {','.join(known)}")
    write = _WRITERS.get(os.path.splitext(path)[1])
    if write is None:
        raise ValueError(f"{quoted(path)} does not end in {', '.join(SUFFIXES)}")
    rows = _Rows(entry, depth, progress or _ignore)
    with open_atomically(path) as file:
        write(file, {column: known[column] for column in names}, rows)


def _ignore(_rows: int) -> None:
    pass


class _Rows:
    """The states to be written."""

    def __init__(self, entry: CatalogEntry, depth: int | None, progress: Progress) -> None:
        self.number = rows_of(entry.name, depth)
        self._depths = lookup.table(entry.name).as_array()
        self._depth = depth
        self._progress = progress

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """Their ranks, in pieces."""
        for start in range(0, len(self._depths), _CHUNK):
            depths = self._depths[start : start + _CHUNK]
            ranks = start + np.flatnonzero(depths < 255 if self._depth is None else depths == self._depth)
            yield ranks
            self._progress(len(ranks))


# -- Columns ---------------------------------------------------------------------------------------------------------


def _columns(entry: CatalogEntry) -> dict[str, _Column]:
    columns = {"rank": _Column(np.dtype("<i4"), lambda ranks: ranks, _numbers)}
    depths = _Column(np.dtype("u1"), lambda ranks: lookup.table(entry.name).as_array()[ranks], _numbers)
    longest = len(entry.header.distribution) - 1
    if entry.patterns_of:
        shape = start_tray(entry).shape
        columns["pattern"] = _Column(
            np.dtype(f"S{len(unrank_pattern(0, shape))}"),
            lambda ranks: np.array([unrank_pattern(rank, shape).encode() for rank in ranks.tolist()]),
            _texts,
        )
        return {**columns, "depth": depths}
    if entry.vacancy is None:
        metric = entry.header.metric
        names = [str(move) for move in metric_moves(metric, TURNING_FACES)]
        columns["facelets"] = _Column(np.dtype("S24"), lambda ranks: lookup.facelets(ranks).view("S24")[:, 0], _texts)
        moves = _Column(
            np.dtype(("u1", (longest,))),
            lambda ranks: lookup.solve_batch(ranks, metric).moves,
            lambda rows: _algs(rows, names, " "),
        )
    else:
        goal, model = entry.vacancy, model_named(entry.header.puzzle.removeprefix("rolling-"))
        columns["cells"] = _Column(
            np.dtype(("u1", (9,))),
            lambda ranks: lookup.cells(ranks, goal=goal, model=model.name),
            lambda rows: _trays(rows, [*model.names, *[""] * (255 - len(model.names)), model.vacancy]),
        )
        moves = _Column(
            np.dtype(("u1", (longest,))),
            lambda ranks: lookup.solve_batch(ranks, goal=goal, model=model.name).moves,
            lambda rows: _algs(rows, list(DIRECTIONS), ""),
        )
    return {**columns, "depth": depths, "moves": moves}


def _numbers(values: NDArray[Any]) -> list[str]:
    return list(map(str, values.tolist()))


def _texts(values: NDArray[Any]) -> list[str]:
    return [value.decode() for value in values.tolist()]


def _algs(rows: NDArray[np.uint8], names: Sequence[str], between: str) -> list[str]:
    lengths = (rows < len(names)).sum(axis=1).tolist()
    return [between.join([names[m] for m in row[:length]]) for row, length in zip(rows.tolist(), lengths, strict=True)]


def _trays(rows: NDArray[np.uint8], names: Sequence[str]) -> list[str]:
    """Trays as `rolling.Tray` writes them."""
    between = " " if max(map(len, names)) > 1 else ""
    three = [between.join(["%s"] * 3)] * 3
    form = "/".join(three)
    return [form % tuple([names[i] for i in row]) for row in rows.tolist()]


# -- Files -----------------------------------------------------------------------------------------------------------


def _write_csv(file: BinaryIO, columns: dict[str, _Column], rows: _Rows) -> None:
    file.write((",".join(columns) + "\n").encode())
    for ranks in rows:
        texts = [column.texts(column.values(ranks)) for column in columns.values()]
        file.write("".join([",".join(row) + "\n" for row in zip(*texts, strict=True)]).encode())


def _write_npy(file: BinaryIO, columns: dict[str, _Column], rows: _Rows) -> None:
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


def _write_npz(file: BinaryIO, columns: dict[str, _Column], rows: _Rows) -> None:
    # Members opened by name have no date, so that the same table gives the same file.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_ZIP_LEVEL) as archive:
        for name, column in columns.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                _write_array(member, column, rows)


def _write_array(file: Any, column: _Column, rows: _Rows) -> None:
    _write_header(file, column.dtype.base, (rows.number, *column.dtype.shape))
    for ranks in rows:
        file.write(np.ascontiguousarray(column.values(ranks), column.dtype.base).tobytes())


def _write_header(file: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    descr = np.lib.format.dtype_to_descr(dtype)
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})


_WRITERS = {".npz": _write_npz, ".npy": _write_npy, ".csv": _write_csv}
