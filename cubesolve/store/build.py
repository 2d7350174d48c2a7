"""Building tables and proving them right."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog import entry_named
from cubesolve.encodings.byte.enumeration import Depths, distribution, enumerate_depths
from cubesolve.encodings.byte.proof import Fault, find_fault
from cubesolve.errors import CorruptTableError, TableError
from cubesolve.notation import FACES, metric_moves
from cubesolve.spaces import space_of
from cubesolve.spaces.defined import DerivedGraph
from cubesolve.spaces.derived import make_ready
from cubesolve.spaces.rules import Graph, Rules
from cubesolve.spaces.space import Keeper, Levels, Progress, RefinedSpace, StateSpace
from cubesolve.spaces.tables import ARRAYS, LINES, MODULO, Fold, TableEntry, TableHeader
from cubesolve.store import tablefile
from cubesolve.store.checkpoint import Checkpoint
from cubesolve.store.folders import SUFFIX, Folder, find_table, folder_of


def build_table(
    name: str,
    directory: Folder | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    *,
    resume: bool = False,
) -> str:
    """Enumerate a table's space, prove the result, hold it against what is known, and write the file.

    A pattern database of the 3x3x3 is not proved anew: the digest that it must have is that of a table that was.

    Args:
        name: a table of a puzzle that ships.
        directory: the folder to write to; by default see `folders.build_folder`.
        progress: called once a depth.
        workers: number of threads; by default one for each processor.
        resume: whether to go on where an earlier build ended, if that took so long that it was kept between levels.

    Returns:
        The path of the file.

    Raises:
        ValueError: no such table.
        TableError: the file cannot be written; whatever was there before still is.
        CorruptTableError: the depths found are not what they should be (a broken machine), or what the earlier build
            left is damaged.
    """
    return build(*entry_named(name), directory, progress, workers, resume=resume)


def build(
    rules: Rules,
    entry: TableEntry,
    directory: Folder | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
    *,
    resume: bool = False,
) -> str:
    """The same for a table of any puzzle."""
    checkpoint = Checkpoint.of(entry, directory, resume=resume)
    path = write(entry, directory, *make(rules, entry, progress, workers, checkpoint))
    if checkpoint:
        checkpoint.remove()
    return path


def make(
    rules: Rules,
    entry: TableEntry,
    progress: Progress | None = None,
    workers: int | None = None,
    keeper: Keeper | None = None,
) -> tuple[TableHeader, memoryview]:
    """The same, without writing the file.

    Args:
        rules: the puzzle.
        entry: one of its tables.
        progress: called once a depth.
        workers: number of threads; by default one for each processor.
        keeper: keeps the enumeration between two levels, if there are levels.

    Returns:
        The header, and the body.

    Raises:
        TooLargeError: there are more states than can be numbered.
        CorruptTableError: the depths found are not what they should be (a broken machine).
    """
    return _headed(entry, *_enumerate(rules, entry, progress, workers, keeper))


def make_distances(entry: TableEntry, space: StateSpace, start: int) -> tuple[TableHeader, memoryview]:
    """The same for the distances to a state in a space that no puzzle names.

    Args:
        entry: the table.
        space: the space.
        start: the rank of the state.

    Returns:
        The header, and the body.
    """
    depths = enumerate_depths(space, start)
    _require_no_fault(find_fault(space, depths, start), entry.name, "entry {}".format)
    return _headed(entry, depths, distribution(depths))


def _headed(entry: TableEntry, body: NDArray[np.uint8], counts: tuple[int, ...]) -> tuple[TableHeader, memoryview]:
    entries = entry.header.entries or len(body)
    header = entry.header._replace(entries=entries, distribution=counts, sha256=tablefile.digest(body.data))
    tablefile.require_same(header, entry.header, entry.name)
    return header, body.data


def write(entry: TableEntry, directory: Folder | None, header: TableHeader, body: memoryview) -> str:
    """Write a table where tables are built.

    Returns:
        The path of the file.

    Raises:
        TableError: it cannot be written; whatever was there before still is.
    """
    path = os.path.join(folder_of(entry, directory), entry.name + SUFFIX)
    tablefile.write(path, header, body)
    return path


def remove(entry: TableEntry, directory: Folder | None) -> None:
    """Remove a table from where tables are built, if it is there and can be removed."""
    with contextlib.suppress(OSError, TableError):
        os.unlink(os.path.join(folder_of(entry, directory), entry.name + SUFFIX))


def _enumerate(
    rules: Rules, entry: TableEntry, progress: Progress | None, workers: int | None, keeper: Keeper | None
) -> Levels:
    """A table, proved right, and the number of its states at each depth."""
    encoding = entry.header.encoding
    if encoding == LINES:
        from cubesolve.encodings.packed.enumeration import enumerate_lines  # noqa: PLC0415  # needs numba

        return enumerate_lines(line_space(entry), entry.header.base, progress, workers, keeper)
    if encoding == ARRAYS:
        derived = _derived(rules, entry)
        return np.frombuffer(derived.coordinates if derived.is_ready else make_ready(derived), np.uint8), ()
    if encoding == MODULO:
        from cubesolve.encodings.mod3.enumeration import enumerate_modulo  # noqa: PLC0415  # needs numba

        graph = rules.graph_of(entry)
        table, counts = enumerate_modulo(space_of(graph), list(graph.starts), progress, workers, keeper)
        _prove_modulo(graph, table, entry.name, workers)
        return table, counts
    depths = _depths(rules, entry, progress, workers, keeper)
    return depths, distribution(depths)


def _depths(
    rules: Rules, entry: TableEntry, progress: Progress | None, workers: int | None, keeper: Keeper | None = None
) -> Depths:
    """The depths of a table, proved right."""
    if entry.fold:
        _, states = entry_named(entry.fold.table)
        return folded(_depths(rules, states, progress, workers), entry.fold)
    graph = rules.graph_of(entry)
    depths = enumerate_depths(space_of(graph), graph.starts, progress, workers, keeper)
    _prove(graph, depths, entry.name, workers)
    return depths


def folded(depths: Depths, fold: Fold) -> Depths:
    """The least depth of each set of states.

    >>> folded(np.array([4, 5, 3, 6], np.uint8), Fold("all", height=2, width=2)).tolist()
    [3, 5]
    """
    least: Depths = depths.reshape(-1, fold.height, fold.width).min(axis=1).reshape(-1)
    return least


def line_space(entry: TableEntry) -> RefinedSpace:
    """The space that a pattern database of the 3x3x3 is about.

    Raises:
        ValueError: the table is about something else.
    """
    from cubesolve.catalog.rubik.projections import projection  # noqa: PLC0415  # other tables do not need it

    if entry.label is None:
        raise ValueError(f"{entry.name} is no pattern database of the 3x3x3")
    return projection(entry.label).space(metric_moves(entry.header.metric, FACES))


# -- Verifying ---------------------------------------------------------------------------------------------------------


def verify_table(name: str, directory: Folder | None = None, workers: int | None = None) -> str:
    """Read a table's file and prove that every entry is right.

    Args:
        name: a table of a puzzle that ships.
        directory: the only folder to look in; see `folders.table_folders`.
        workers: number of threads; by default one for each processor.

    Returns:
        The path of the file.

    Raises:
        ValueError: no such table.
        MissingTableError: no folder has it.
        TableError: it cannot be read, is damaged, or has a wrong entry; the message names the state.
    """
    return verify(*entry_named(name), directory, workers)


def verify(rules: Rules, entry: TableEntry, directory: Folder | None = None, workers: int | None = None) -> str:
    """The same for a table of any puzzle."""
    path = find_table(entry.name, directory)
    claimed, _ = tablefile.read_header(path)
    # Only what the table is must be right before its entries are looked at: what they are is to be proved.
    tablefile.require_same(claimed, entry.header._replace(distribution=(), sha256=""), path)
    table = _body(path, claimed)
    if claimed.encoding == LINES:
        from cubesolve.encodings.packed.enumeration import find_line_fault  # noqa: PLC0415  # needs numba

        fault = find_line_fault(line_space(entry), table, claimed.base, workers)
        _require_no_fault(fault, path, "entry {}".format)
    elif claimed.encoding == ARRAYS:
        _prove_coordinates(rules, entry, table, path)
    elif claimed.encoding == MODULO:
        _require_counts(_prove_modulo(rules.graph_of(entry), table, path, workers), claimed, path)
    else:
        if entry.fold:
            _prove_fold(rules, entry, entry.fold, table, path, workers)
        else:
            _prove(rules.graph_of(entry), table, path, workers)
        _require_counts(distribution(table), claimed, path)
    tablefile.require_same(claimed, entry.header, path)
    return path


def _prove(graph: Graph, depths: Depths, path: str, workers: int | None) -> None:
    fault = find_fault(space_of(graph), depths, list(graph.starts), workers)
    _require_no_fault(fault, path, lambda rank: f"state {rank} ({graph.unrank(rank)})")


def _prove_modulo(graph: Graph, table: NDArray[np.uint8], path: str, workers: int | None) -> tuple[int, ...]:
    from cubesolve.encodings.mod3.proof import find_modulo_fault  # noqa: PLC0415  # needs numba

    fault, counts = find_modulo_fault(space_of(graph), table, list(graph.starts), workers=workers)
    _require_no_fault(fault, path, lambda rank: f"state {rank} ({graph.unrank(rank)})")
    return counts


def _derived(rules: Rules, entry: TableEntry) -> DerivedGraph:
    graph = rules.graph_of(entry)
    assert isinstance(graph, DerivedGraph)  # as only these have coordinates
    return graph


def _prove_coordinates(rules: Rules, entry: TableEntry, body: NDArray[np.uint8], path: str) -> None:
    """Coordinates are what the moves say: they are derived again."""
    if make_ready(_derived(rules, entry)) != body.tobytes():
        raise CorruptTableError(path, "these are not the coordinates that follow from the moves")


def _require_counts(counts: tuple[int, ...], claimed: TableHeader, path: str) -> None:
    if counts != claimed.distribution:
        raise CorruptTableError(path, "the distribution in the header is not that of the entries")


def _require_no_fault(fault: Fault | None, path: str, describe: Callable[[int], str]) -> None:
    if fault:
        raise CorruptTableError(
            path,
            f"{describe(fault.rank)} has depth {fault.depth}, "
            f"but its neighbours say {fault.expected} (states in conflict: {fault.conflicts})",
        )


def _prove_fold(rules: Rules, entry: TableEntry, fold: Fold, depths: Depths, path: str, workers: int | None) -> None:
    """Every entry is that of one of its states, none of which is nearer; the states' depths are proved, too."""
    _, states = entry_named(fold.table)
    by_entry = _depths(rules, states, None, workers).reshape(-1, fold.height, fold.width)
    claimed = depths.reshape(len(by_entry), 1, -1)
    wrong = np.flatnonzero(~((by_entry == claimed).any(axis=1) & (by_entry >= claimed).all(axis=1)))
    if len(wrong):
        first = int(wrong[0])
        reason = f"pattern {first} ({rules.pattern(entry, first)}) has depth {depths[first]}"
        raise CorruptTableError(path, f"{reason}, which is not that of its nearest state (wrong entries: {len(wrong)})")


def _body(path: str, header: TableHeader) -> NDArray[np.uint8]:
    """A table's body, read into an array."""
    body = np.empty(header.body_bytes, np.uint8)
    tablefile.unpack_into(path, header, body.data)
    return body
