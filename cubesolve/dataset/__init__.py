"""Data sets for learning: many states with exact labels, in parts.

The recipe alone determines the state of every row, so a data set can be made again, or continued, from its recipe.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

import cubesolve
from cubesolve.arguments import integer, one_of
from cubesolve.ask import Puzzle
from cubesolve.atomic import open_atomically, remove_abandoned, write_atomically
from cubesolve.dataset.card import card
from cubesolve.dataset.rows import rows_of
from cubesolve.errors import CubesolveWarning, quoted
from cubesolve.export import chosen_columns
from cubesolve.filelocks import file_lock
from cubesolve.files import open_regular

FORMATS = ("parquet", "npz")
BY_DEPTH = ("natural", "uniform")
RECIPE, CARD, SUMS, _DATA, _LOCK = "dataset.json", "README.md", "SHA256SUMS", "data", ".lock"

_GROUP = 1 << 16  # rows that Parquet keeps together
_SPLITS = {1: ("train",), 2: ("train", "test"), 3: ("train", "validation", "test")}


class _Part(NamedTuple):
    """A file of a data set.

    Attributes:
        name: its path in the folder.
        which: the number of the split.
        first: its first row in this.
        last: the row after its last.
    """

    name: str
    which: int
    first: int
    last: int


class Dataset:
    """A data set to be written.

    Attributes:
        recipe: everything that determines its rows.
        splits: the number of rows of each split.
    """

    def __init__(
        self,
        name: str | Puzzle,
        size: int,
        *,
        columns: str | Sequence[str] | None = None,
        by_depth: str = "natural",
        depths: tuple[int, int] | None = None,
        split: str = "1",
        seed: int = 0,
        form: str = "parquet",
    ) -> None:
        """Check the request, and prepare the data set.

        Args:
            name: the name of a table or of a puzzle, the path of a file that defines one, or a puzzle.
            size: the number of rows, of all splits together.
            columns: names of columns, also as one string with commas; by default all but the rank.
            by_depth: ``natural``, all states are equally likely, or ``uniform``, the same number of states at each
                depth, as far as there are enough.
            depths: the least and the largest depth.
            split: the fractions for train and test, or for train, validation and test: ``0.9/0.1``.
            seed: random seed.
            form: ``parquet`` or ``npz``.

        Raises:
            ValueError: there is no such table or column, or too few states.
            TableError: the table is missing or damaged.
        """
        one_of("kind of file", form, FORMATS)
        if form == "parquet" and importlib.util.find_spec("pyarrow") is None:
            raise ValueError("Parquet needs pyarrow, which the optional extra data brings; npz needs nothing")
        one_of("way to choose depths", by_depth, BY_DEPTH)
        number = integer("size", size, 1, 1 << 40)
        shares = _shares(split)
        self._rows = rows_of(name, by_depth, depths, integer("seed", seed, 0, (1 << 64) - 1), shares)
        known = self._rows.columns
        usual = [each for each in known if each != "rank"]
        names = chosen_columns(usual if columns is None else columns, known, self._rows.name)
        ends = [round(sum(shares[: n + 1]) * number) for n in range(len(shares))]
        sizes = [end - before for before, end in zip([0, *ends], ends, strict=False)]
        self.splits = dict(zip(_SPLITS[len(shares)], sizes, strict=True))
        for which, rows in enumerate(sizes):
            if not rows:
                raise ValueError(f"no row of {number} is left for {_SPLITS[len(shares)][which]}: split {quoted(split)}")
            self._rows.require(which, rows, _SPLITS[len(shares)][which])
        self.recipe: dict[str, Any] = {
            "cubesolve": cubesolve.__version__,
            "name": self._rows.name,
            "sha256": self._rows.digest,
            "size": number,
            "columns": names,
            "by_depth": by_depth,
            "depths": None if depths is None else list(depths),
            "split": "/".join(map(str, shares)),
            "seed": seed,
            "format": form,
            "rows_of_a_part": self._rows.at_once,
        }

    def write(self, folder: str | os.PathLike[str], progress: Callable[[int], object] | None = None) -> None:
        """Write the data set into a folder, or continue it; each file is written as a whole or not at all.

        ``SHA256SUMS`` has the digest of each part. A part with another digest, or without one, is made again.

        Args:
            folder: a new or empty folder, or one with the files of an earlier run of the same recipe.
            progress: called with the number of rows written, or found, since the last call.

        Raises:
            OSError: the folder has other contents, another process writes there, or a file cannot be written.
            TableError: a table is missing or damaged.
        """
        place = os.fspath(folder)
        os.makedirs(place, exist_ok=True)
        self._require_own(place)
        lock = os.path.join(place, _LOCK)
        with file_lock(lock) as alone:
            if not alone:
                raise OSError(errno.EAGAIN, "another process writes there", place)
            self._write(place, progress or (lambda _rows: None))
            with contextlib.suppress(FileNotFoundError):  # on Windows, or where another process ended just now
                os.unlink(lock)

    def _require_own(self, place: str) -> None:
        """Refuse a folder that holds something else."""
        inside = set(os.listdir(place)) - {_LOCK}
        if RECIPE not in inside:
            if any(not each.startswith(f".{RECIPE}.") for each in inside):
                raise _occupied(place, "something else: name one that is empty, or not there")
            write_atomically(os.path.join(place, RECIPE), (json.dumps(self.recipe, indent=1) + "\n").encode())
        try:
            with open(os.path.join(place, RECIPE), encoding="utf-8") as file:
                there = json.load(file)
            differing = [key for key in self.recipe if there[key] != self.recipe[key]]
        except (ValueError, KeyError, TypeError):
            raise _occupied(place, f"a {RECIPE} that is not of a data set") from None
        if differing:
            key = differing[0]
            message = f"{key} is {quoted(str(there[key]))} there, not {quoted(str(self.recipe[key]))}"
            raise _occupied(place, f"another data set: {message}")

    def _write(self, place: str, progress: Callable[[int], object]) -> None:
        data = os.path.join(place, _DATA)
        os.makedirs(data, exist_ok=True)
        for each in (place, data):
            remove_abandoned(r".*", each)
        sums = _read_sums(place, {part.name for part in self._parts()})
        for part in self._parts():
            path = os.path.join(place, part.name)
            if _is_whole(path, sums.get(part.name)):
                progress(part.last - part.first)
            else:
                sums[part.name] = self._made(path, part, progress)
                _write_sums(place, sums)
        text = card(self.recipe, self._rows.about, self.splits, {part.name: sums[part.name] for part in self._parts()})
        write_atomically(os.path.join(place, CARD), text.encode())

    def _parts(self) -> Iterator[_Part]:
        """The parts, in their order."""
        at_once = self._rows.at_once
        for which, (split, rows) in enumerate(self.splits.items()):
            number = -(-rows // at_once)
            for part in range(number):
                name = f"{_DATA}/{split}-{part:05d}-of-{number:05d}.{self.recipe['format']}"
                yield _Part(name, which, part * at_once, min((part + 1) * at_once, rows))

    def _made(self, path: str, part: _Part, progress: Callable[[int], object]) -> str:
        """Write a part; the digest of what was written, which is read before anything can happen to the file."""
        try:
            with open_atomically(path) as file:
                self._write_part(file, part, progress)
                file.seek(0)
                return hashlib.sha256(file.read()).hexdigest()
        except OSError as error:
            error.filename = error.filename or path  # a full disk does not say where
            raise

    def _write_part(self, file: BinaryIO, part: _Part, progress: Callable[[int], object]) -> None:
        groups = self._groups(part, progress)
        if self.recipe["format"] == "npz":
            whole = list(groups)
            columns = {name: np.concatenate([group[name] for group in whole]) for name in self.recipe["columns"]}
            np.savez_compressed(file, **columns)  # type: ignore[arg-type]  # which are arrays all
            return
        from pyarrow import parquet  # noqa: PLC0415  # an optional extra

        table = _arrow(next(groups))
        with parquet.ParquetWriter(file, table.schema, compression="zstd") as writer:
            writer.write_table(table)
            for group in groups:
                writer.write_table(_arrow(group))

    def _groups(self, part: _Part, progress: Callable[[int], object]) -> Iterator[dict[str, NDArray[Any]]]:
        rows = list(self.splits.values())[part.which]
        for start in range(part.first, part.last, _GROUP):
            end = min(start + _GROUP, part.last)
            yield self._rows.read(part.which, rows, start, end, self.recipe["columns"])
            progress(end - start)


def _occupied(place: str, what: str) -> OSError:
    return OSError(errno.EEXIST, f"The folder holds {what}", place)


def _read_sums(place: str, names: Collection[str]) -> dict[str, str]:
    """The digests of those of some parts that were written there, by name."""
    try:
        with open_regular(os.path.join(place, SUMS)) as file:
            lines = file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name in names}


def _write_sums(place: str, sums: Mapping[str, str]) -> None:
    lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
    write_atomically(os.path.join(place, SUMS), "".join(lines).encode())


def _is_whole(path: str, digest: str | None) -> bool:
    """Whether a part is there as it was written; one of which that is not known counts as damaged."""
    try:
        with open_regular(path) as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return False
    if digest is not None and found != digest:
        warnings.warn(CubesolveWarning(f"{path} is damaged: it is made again"), stacklevel=2)
    return found == digest


def _arrow(columns: dict[str, NDArray[Any]]) -> Any:
    """Columns as a table of Arrow: text as strings, rows of numbers as lists of one length."""
    import pyarrow as pa  # noqa: PLC0415  # an optional extra

    def made(values: NDArray[Any]) -> Any:
        if values.dtype.kind == "S":
            return pa.array([each.decode() for each in values.tolist()], pa.string())
        if values.ndim == 1:
            return pa.array(values)
        return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])

    return pa.table({name: made(values) for name, values in columns.items()})


def _shares(text: str) -> list[float]:
    """What falls to each split.

    >>> _shares("0.9/0.1")
    [0.9, 0.1]
    """
    try:
        shares = [float(each) for each in text.split("/")]
    except ValueError:
        shares = []
    if len(shares) not in _SPLITS or not all(0 < each <= 1 for each in shares) or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"split {quoted(text)} is not one to three positive numbers whose sum is 1, as 0.9/0.1")
    return shares
