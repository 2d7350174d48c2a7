"""C headers that solve a puzzle."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from cubesolve.embedding.embedded import Embedded
from cubesolve.group.moves import Effect

_LINE = 110  # characters of a line of numbers
_WORD = 64  # bits of a word of the table


def header(found: Embedded, name: str) -> str:
    """Return a C99 header that solves a puzzle; `docs/embedding.md` describes it.

    Args:
        found: the puzzle.
        name: the name with which all names in the file begin, apart from characters that names in C do not have.
    """
    prefix = _prefix(name)
    kinds = {
        "draws": not found.goal,
        "renames": any(image.labels is not None for image in found.images),
        "bytes": found.bits == 8,
        "pieces": found.form == "pieces",
        "facelets": found.form == "facelets",
    }
    text = files(__package__).joinpath("solver.h").read_text("utf-8")
    for kind, applies in kinds.items():
        text = re.sub(rf"@if {kind}@\n?(.*?)@end {kind}@\n?", r"\1" if applies else "", text, flags=re.DOTALL)
    pool = _Pool(found)
    values = {
        "P": prefix.upper(),
        "p": prefix,
        **_sizes(found),
        "arrays": "".join(f"static const {array}\n" for array in _arrays(found, pool)),
        "nearer": "here - move->cost" if found.bits == 8 else "(here + 2) % 3",
    }
    inserted = re.sub(r"@(\w+)@", lambda name: str(values[name[1]]), text)
    return inserted.replace("@p@", prefix)


def _prefix(name: str) -> str:
    """Return the beginning of all names in C.

    >>> _prefix("tiles-3x3"), _prefix("3x3")
    ('tiles_3x3', 'puzzle_3x3')
    """
    found = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    return found if found[:1].isalpha() else f"puzzle_{found}".rstrip("_")


class _Pool:
    """The cases of all generators and moves in one list; equal ones are listed once."""

    def __init__(self, found: Embedded) -> None:
        self.cases: list[Effect] = []
        self._begin: dict[tuple[Effect, ...], int] = {}
        for cases in [each.cases for each in found.generators] + [each.cases for each in found.moves]:
            if cases not in self._begin:
                self._begin[cases] = len(self.cases)
                self.cases += cases

    def range(self, cases: tuple[Effect, ...]) -> str:
        """Return the numbers of the first case and of the one after the last."""
        begin = self._begin[cases]
        return f"{begin}, {begin + len(cases)}"


def _sizes(found: Embedded) -> dict[str, object]:
    words = [word for orbit in found.orbits for word in orbit.words]
    moves = len(found.distribution) - 1
    longest = max(len(name) for move in found.moves for name in (move.name, move.inverse))
    places = sum(len(orbit.places) for orbit in found.orbits)
    text = (
        len(found.solved) if found.form == "facelets" else places * (max(map(len, words)) + 1) + 2 * len(found.orbits)
    )
    return {
        "title": found.title.replace("*/", ""),
        "metric": found.metric,
        "states": f"{found.depths.size:,}",
        "count": found.depths.size,
        "points": len(found.solved),
        "deepest": moves,
        "text": text + 1,
        "alg": max(len(words) for _, words in found.starts) + moves * (longest + 1) + 2,
        "item": _type(max(*found.solved, len(found.solved))),
        "row": _type(len(found.places)),
        "wide": max(len(place) for orbit in found.orbits for place in orbit.places),
        "bits": found.bits,
        "per_word": _WORD // found.bits,
        "mask": (1 << found.bits) - 1,
        "labels": len(found.labels),
        "columns": found.places.shape[1],
        "placements": len(found.places),
        "width": len(found.arrangements),
        "images": len(found.images),
        "ordered": len(found.images[0].moves),
        "largest": max(found.solved),
        "illegals": len(found.illegal),
        "starts": len(found.starts),
        "generators": len(found.generators),
        "placed": places,
        "words": len(words),
    }


def _arrays(found: Embedded, pool: _Pool) -> Iterator[str]:
    points = len(found.solved)
    needs = [case.needs for case in pool.cases]
    yield f"@p@_item @p@_solved_labels[{points}] = {_numbers(found.solved)};"
    yield f"@p@_item @p@_cases[][{points}] = {_rows(case.sources for case in pool.cases)};"
    yield f"int @p@_needs_of[] = {_numbers(itertools.accumulate(map(len, needs), initial=0))};"
    yield f"int @p@_needs[][2] = {_rows(itertools.chain.from_iterable(needs), 2)};"
    yield f"int @p@_illegal[][2] = {_rows(found.illegal, 2)};"
    yield (
        "@p@_generator @p@_generators[] = "
        + _list(
            f"{{{pool.range(each.cases)}, {each.order}, {max(each.inverse, 0)}, {_text(each.name)}}}"
            for each in found.generators
        )
        + ";"
    )
    yield (
        "@p@_move @p@_moves[] = "
        + _list(
            f"{{{pool.range(each.cases)}, {each.cost}, {_text(each.name)}, {_text(each.inverse)}}}"
            for each in found.moves
        )
        + ";"
    )
    yield f"@p@_item @p@_images[][{points}] = {_rows(image.sources for image in found.images)};"
    if any(image.labels is not None for image in found.images):
        number = max(found.solved) + 1
        renamed = ((image.labels or range(number))[:number] for image in found.images)
        yield f"@p@_item @p@_renamed[][{number}] = {_rows(renamed)};"
    yield f"int @p@_orders[][{len(found.images[0].moves)}] = {_rows(image.moves for image in found.images)};"
    yield f"@p@_item @p@_changes[][{points}] = {_rows(found.changes)};"
    yield f"@p@_item @p@_labels[] = {_numbers(found.labels or (0,))};"
    yield "@p@_start @p@_starts[] = " + _list(f"{{{rank}, {_text(words)}}}" for rank, words in found.starts) + ";"
    yield (
        "@p@_place @p@_homes[] = "
        + _list(
            f"{{{number}, {len(place)}, {_numbers(place)}}}"
            for number, orbit in enumerate(found.orbits)
            for place in orbit.places
        )
        + ";"
    )
    yield (
        "@p@_word @p@_words[] = "
        + _list(
            f"{{{number}, {_text(word)}, {_numbers(labels)}}}"
            for number, orbit in enumerate(found.orbits)
            for word, labels in orbit.words.items()
        )
        + ";"
    )
    columns = max(found.places.shape[1], 1)
    yield f"@p@_row @p@_parents[] = {_numbers(found.parents.tolist())};"
    yield f"uint16_t @p@_steps[] = {_numbers(found.steps.tolist())};"
    yield f"@p@_item @p@_places[][{columns}] = {_rows(found.places.tolist(), columns)};"
    yield f"@p@_item @p@_arrangements[][{points}] = {_rows(found.arrangements.tolist())};"
    yield f"uint64_t @p@_table[] = {_numbers(f'0x{word:x}' for word in _words(found.entries).tolist())};"


def _words(entries: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return bytes as words, the first byte in the lowest bits."""
    padded = np.zeros(-(-len(entries) // 8) * 8, np.uint8)
    padded[: len(entries)] = entries
    return padded.view("<u8").astype(np.uint64)


def _type(number: int) -> str:
    """Return the type of numbers below a number."""
    return "uint8_t" if number <= 1 << 8 else "uint16_t" if number <= 1 << 16 else "uint32_t"


def _numbers(numbers: Iterable[object]) -> str:
    """Return numbers in braces, in lines of a moderate length.

    >>> _numbers([1, 2])
    '{1,2}'
    """
    lines, length = list[list[str]]([[]]), 0
    for number in map(str, numbers):
        if length > _LINE:
            lines.append([])
            length = 0
        lines[-1].append(number)
        length += len(number) + 1
    return "{" + ",\n".join(map(",".join, lines)) + "}"


def _rows(rows: Iterable[Sequence[int]], width: int = 1) -> str:
    """Return rows of numbers in braces; a row of zeros stands for none, which C does not have."""
    return _list(_numbers(row or (0,)) for row in (list(rows) or [(0,) * width]))


def _list(items: Iterable[str]) -> str:
    return "{\n" + ",\n".join(items) + "}"


def _text(text: str) -> str:
    r"""Return a text in quotes; octal numbers stand for what is not ASCII.

    >>> print(_text('a"\u00e9'))
    "a\042\303\251"
    """
    symbols = (chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode())
    return f'"{"".join(symbols)}"'
