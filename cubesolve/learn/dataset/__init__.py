"""Data sets for learning: states with exact labels, in shards.

The recipe of a data set determines all rows, so that it can be reproduced or continued from its recipe.
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
from importlib import resources
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

import cubesolve
from cubesolve.ask import Puzzle
from cubesolve.errors import CubesolveWarning, in_moves, quoted
from cubesolve.learn.dataset.rows import Choice, Description, TableRows, rows_of
from cubesolve.learn.export import chosen_columns
from cubesolve.runtime.arguments import integer, one_of
from cubesolve.runtime.files import open_atomically, open_regular, remove_abandoned, write_atomically
from cubesolve.runtime.locks import file_lock

FORMATS = ("parquet", "npz")
BY_DEPTH = ("natural", "uniform")
RECIPE, CARD, SUMS, _DATA, _LOCK = "dataset.json", "README.md", "SHA256SUMS", "data", ".lock"

_GROUP = 1 << 16  # rows of a row group
_SPLITS = {1: ("train",), 2: ("train", "test"), 3: ("train", "validation", "test")}


class _Shard(NamedTuple):
    """A file of a data set, with the rows from `first` to before `last` of its split."""

    name: str  # the path in the folder
    which: int  # the number of the split
    first: int
    last: int


class Dataset:
    """A data set to be written."""

    def __init__(
        self,
        name: str | Puzzle,
        size: int,
        *,
        columns: str | Sequence[str] | None = None,
        by_depth: str = "natural",
        depths: tuple[int, int] | None = None,
        walk: tuple[int, int] | None = None,
        metric: str | None = None,
        split: str = "1",
        seed: int = 0,
        form: str = "parquet",
    ) -> None:
        """Check the request, and prepare the data set.

        Args:
            columns: names of columns, also as one string with commas; by default all but the rank, and for walks the
                state and the walk.
            walk: the least and the largest number of moves of random walks from the solved state, at the ends of which
                states are taken instead; all lengths are equally likely.
            metric: the metric; by default the usual one of the puzzle.
        """
        one_of("format", form, FORMATS)
        if form == "parquet" and importlib.util.find_spec("pyarrow") is None:
            raise ValueError("Parquet requires the optional extra data; npz does not")
        one_of("by_depth", by_depth, BY_DEPTH)
        number = integer("size", size, 1, 1 << 40)
        ratios = _ratios(split)
        drawn = integer("seed", seed, 0, (1 << 64) - 1)
        self._rows = rows_of(name, Choice(by_depth, depths, walk, metric, drawn, ratios))
        available = list(self._rows.columns)
        unusual = {"rank"} if walk is None else {"bound", "depth", "solution", "optimal_moves"}
        usual = [column for column in available if column not in unusual]
        names = chosen_columns(usual if columns is None else columns, available, self._rows.name)
        ends = [round(sum(ratios[: n + 1]) * number) for n in range(len(ratios))]
        sizes = [end - before for before, end in zip([0, *ends], ends, strict=False)]
        self.splits = dict(zip(_SPLITS[len(ratios)], sizes, strict=True))
        for which, (part, rows) in enumerate(self.splits.items()):
            if not rows:
                raise ValueError(f"split {quoted(split)} of {number} rows leaves none for {part}")
            if isinstance(self._rows, TableRows):  # there are always enough walks
                self._rows.require(which, rows, part)
        self.recipe: dict[str, Any] = {
            "cubesolve": cubesolve.__version__,
            "name": self._rows.name,
            "sha256": self._rows.digest,
            "size": number,
            "columns": names,
            "by_depth": by_depth,
            "depths": None if depths is None else list(depths),
            **({} if walk is None else {"walk": list(walk)}),
            "split": "/".join(map(str, ratios)),
            "seed": seed,
            "format": form,
            "rows_of_a_part": self._rows.at_once,
        }

    def write(self, folder: str | os.PathLike[str], progress: Callable[[int], object] | None = None) -> None:
        """Write the data set into a folder, or continue it; each file is written atomically.

        ``SHA256SUMS`` has the digest of each shard. A shard with another digest, or without one, is written again.
        """
        place = os.fspath(folder)
        os.makedirs(place, exist_ok=True)
        self._has_recipe(place)  # another data set is rejected without waiting for its writer
        lock = os.path.join(place, _LOCK)
        with file_lock(lock) as alone:
            if not alone:
                raise OSError(errno.EAGAIN, "another process is writing there", place)
            try:
                if not self._has_recipe(place):
                    write_atomically(os.path.join(place, RECIPE), (json.dumps(self.recipe, indent=1) + "\n").encode())
                self._write(place, progress or (lambda _rows: None))
            finally:
                with contextlib.suppress(OSError):  # on Windows, or after another process has removed it
                    os.unlink(lock)

    def _has_recipe(self, place: str) -> bool:
        """Return whether a folder has this recipe, and no file otherwise; reject a folder with other contents."""
        inside = set(os.listdir(place)) - {_LOCK}
        if RECIPE not in inside:
            if any(not name.startswith(f".{RECIPE}.") for name in inside):
                raise _occupied(place, "other files: choose an empty or new folder")
            return False
        try:
            with open(os.path.join(place, RECIPE), encoding="utf-8") as file:
                existing = json.load(file)
            differing = [key for key in self.recipe if existing[key] != self.recipe[key]]
        except (ValueError, KeyError, TypeError):
            raise _occupied(place, f"a {RECIPE} that is not a recipe of a data set") from None
        if differing:
            key = differing[0]
            raise _occupied(place, f"another data set: {key} {_difference(existing[key], self.recipe[key])}")
        return True

    def _write(self, place: str, progress: Callable[[int], object]) -> None:
        data = os.path.join(place, _DATA)
        os.makedirs(data, exist_ok=True)
        for folder in (place, data):
            remove_abandoned(r".*", folder)
        sums = _read_sums(place, {shard.name for shard in self._shards()})
        for shard in self._shards():
            path = os.path.join(place, shard.name)
            if _is_whole(path, sums.get(shard.name)):
                progress(shard.last - shard.first)
            else:
                sums[shard.name] = self._made(path, shard, progress)
                lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
                write_atomically(os.path.join(place, SUMS), "".join(lines).encode())
        text = card(
            self.recipe, self._rows.about, self.splits, {shard.name: sums[shard.name] for shard in self._shards()}
        )
        write_atomically(os.path.join(place, CARD), text.encode())

    def _shards(self) -> Iterator[_Shard]:
        at_once = self._rows.at_once
        for which, (split, rows) in enumerate(self.splits.items()):
            number = -(-rows // at_once)
            for shard in range(number):
                name = f"{_DATA}/{split}-{shard:05d}-of-{number:05d}.{self.recipe['format']}"
                yield _Shard(name, which, shard * at_once, min((shard + 1) * at_once, rows))

    def _made(self, path: str, shard: _Shard, progress: Callable[[int], object]) -> str:
        """Write a shard, and return its digest, read back before other processes can see the file."""
        with open_atomically(path) as file:
            self._write_shard(file, shard, progress)
            file.seek(0)
            return hashlib.sha256(file.read()).hexdigest()

    def _write_shard(self, file: BinaryIO, shard: _Shard, progress: Callable[[int], object]) -> None:
        groups = self._groups(shard, progress)
        if self.recipe["format"] == "npz":
            whole = list(groups)
            columns = {name: np.concatenate([group[name] for group in whole]) for name in self.recipe["columns"]}
            np.savez_compressed(file, **columns)  # type: ignore[arg-type]  # all are arrays
            return
        from pyarrow import parquet  # noqa: PLC0415  # an optional extra

        table = _arrow(next(groups))
        with parquet.ParquetWriter(file, table.schema, compression="zstd") as writer:
            writer.write_table(table)
            for group in groups:
                writer.write_table(_arrow(group))

    def _groups(self, shard: _Shard, progress: Callable[[int], object]) -> Iterator[dict[str, NDArray[Any]]]:
        rows = list(self.splits.values())[shard.which]
        for start in range(shard.first, shard.last, _GROUP):
            end = min(start + _GROUP, shard.last)
            yield self._rows.read(shard.which, rows, start, end, self.recipe["columns"])
            progress(end - start)


def _occupied(place: str, what: str) -> OSError:
    return OSError(errno.EEXIST, f"The folder contains {what}", place)


def _difference(there: Any, here: Any) -> str:
    """Return how an entry of a recipe differs from that here, for a message.

    >>> _difference(["rank", "depth"], ["rank", "state"]), _difference("skewb", "pocket")
    ("also has 'depth' there and lacks 'state'", "is 'skewb' there, not 'pocket'")
    """
    if isinstance(there, list) and isinstance(here, list):
        more, fewer = (
            [str(item) for item in one if item not in other] for one, other in ((there, here), (here, there))
        )
        parts = [f"also has {quoted(', '.join(more))} there"] * bool(more)
        parts += [f"lacks {quoted(', '.join(fewer))}{'' if more else ' there'}"] * bool(fewer)
        return " and ".join(parts) or "has another order there"
    return f"is {quoted(str(there))} there, not {quoted(str(here))}"


def _read_sums(place: str, names: Collection[str]) -> dict[str, str]:
    try:
        with open_regular(os.path.join(place, SUMS)) as file:
            lines = file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name in names}


def _is_whole(path: str, digest: str | None) -> bool:
    """Return whether a shard is complete and unchanged; one without a digest counts as damaged."""
    try:
        with open_regular(path) as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return False
    if digest is not None and actual != digest:
        warnings.warn(CubesolveWarning(f"{path} is damaged; it is written again"), stacklevel=2)
    return actual == digest


def _arrow(columns: dict[str, NDArray[Any]]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  # an optional extra

    def made(values: NDArray[Any]) -> Any:
        if values.dtype.kind == "S":
            return pa.array([value.decode() for value in values.tolist()], pa.string())
        if values.ndim == 1:
            return pa.array(values)
        return pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])

    return pa.table({name: made(values) for name, values in columns.items()})


def _ratios(text: str) -> list[float]:
    try:
        ratios = [float(part) for part in text.split("/")]
    except ValueError:
        ratios = []
    if len(ratios) not in _SPLITS or not all(0 < ratio <= 1 for ratio in ratios) or abs(sum(ratios) - 1) > 1e-9:
        raise ValueError(f"split must be one to three positive numbers with sum 1, such as 0.9/0.1, not {quoted(text)}")
    return ratios


# -- The card ----------------------------------------------------------------------------------------------------------

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_LARGER = "n>10M"
_COLUMNS = {
    "rank": "the rank of the state in the table",
    "depth": "the exact number of moves, or their least cost, to solve the state",
    "optimal_moves": "for each move, in the order below, whether it begins an optimal solution",
    "solution": "an optimal solution",
    "walk": "the number of moves of the walk, an upper bound of the depth",
    "walk_moves": "the numbers of these moves, in the order below from 0 on; 255 after the last, or 65535 in uint16",
    "bound": "a lower bound of the depth",
}


def card(recipe: Mapping[str, Any], about: Description, splits: Mapping[str, int], sums: Mapping[str, str]) -> str:
    """Return the card: Markdown with a YAML front matter."""
    size = next((name for limit, name in _SIZES if recipe["size"] < limit), _LARGER)
    front = ["license: mit", f"pretty_name: {json.dumps(about.title)}", "tags:", "- puzzles", "- search"]
    front += ["size_categories:", f"- {size}"]
    if recipe["format"] == "parquet":
        front += ["configs:", "- config_name: default", "  data_files:"]
        front += [line for name in splits for line in (f"  - split: {name}", f"    path: data/{name}-*")]
    meanings = {**_COLUMNS, **about.state}
    notes = [
        _chosen(recipe),
        "No state occurs twice." if about.distinct else "States are drawn independently; one can occur twice.",
        *_kept_apart(about, splits),
        *([f"The SHA-256 of the table's body is `{recipe['sha256']}`."] if recipe["sha256"] else []),
    ]
    template = resources.files(__package__).joinpath("card.md").read_text("utf-8")
    return template.format(
        about=about,
        recipe=recipe,
        front="\n".join(front),
        rows=", ".join(f"{number:,} {name}" for name, number in splits.items()),
        columns="\n".join(f"| `{name}` | {meanings[name]} |" for name in recipe["columns"]),
        moves=("` `" if any(" " in move for move in about.moves) else " ").join(about.moves),
        command=_command(recipe, about.spoken),
        notes="\n".join(notes),
        sums="\n".join(f"{digest}  {name}" for name, digest in sums.items()),
    )


def _kept_apart(about: Description, splits: Mapping[str, int]) -> list[str]:
    if len(splits) == 1:
        return []
    if not about.symmetry:
        return ["The walks of each split are drawn for itself: states near the solved one are in several."]
    return [f"A state and its copies under {about.symmetry} are in the same split."]


def _chosen(recipe: Mapping[str, Any]) -> str:
    if "walk" in recipe:
        least, greatest = recipe["walk"]
        lengths = f"{least} to {greatest} moves, all lengths equally likely" if least < greatest else in_moves(least)
        return f"Rows are ends of random walks of {lengths}, in which no move undoes the one before."
    depths = recipe["depths"]
    which = "all states" if depths is None else f"the states at depths {depths[0]} to {depths[1]}"
    if recipe["by_depth"] == "natural":
        return f"Rows are drawn uniformly from {which}."
    return f"Rows are drawn from {which}, the same number at each depth of a split, as far as there are enough."


def _command(recipe: Mapping[str, Any], spoken: str) -> str:
    depths = recipe["depths"]
    words = [f"cubesolve dataset {spoken} --size {recipe['size']} --columns {','.join(recipe['columns'])}"]
    if "walk" in recipe:
        words += [f"--walk {recipe['walk'][0]}-{recipe['walk'][1]}"]
    else:
        words += [f"--by-depth {recipe['by_depth']}"]
        words += [] if depths is None else [f"--depths {depths[0]}-{depths[1]}"]
    words += [f"--split {recipe['split']} --seed {recipe['seed']} --format {recipe['format']} --out DIR"]
    return " ".join(words)
