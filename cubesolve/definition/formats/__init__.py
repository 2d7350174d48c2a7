"""Formats of definition files: tws, KPuzzle, permutations in cycles, and graphs of CayleyPy (pure Python).

All formats have the same meaning; ``docs/definitions.md`` lists what each reader supports. The piece in place `i` of
its orbit has the points ``i * orientations`` and those that follow. With orientation `r`, its first label is on the
point number `r` of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import NamedTuple

from cubesolve.definition.definition import Definition
from cubesolve.definition.formats import cycles, graphs, kpuzzle, tws
from cubesolve.errors import InvalidDefinitionError
from cubesolve.group.moves import Move
from cubesolve.group.permutations import Arrangement, Permutation
from cubesolve.runtime.files import open_regular

MOST_BYTES = 1 << 22
"""The maximum size of a file."""


def read_definition(path: str | os.PathLike[str]) -> Definition:
    """Read a file that defines a puzzle. Its suffix determines the format, or else its content.

    Raises:
        InvalidDefinitionError: it defines no puzzle, or cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".gap") as file:
    ...     print("T := (1,2,3);", file=file, flush=True)
    ...     list(read_definition(file.name).generators)
    ['T']
    """
    shown = os.fspath(path)
    return parse_definition(read_text(shown), shown)


def parse_definition(text: str, name: str) -> Definition:
    """Parse the text of a definition file.

    Args:
        text: the content.
        name: the name of the file.

    Raises:
        InvalidDefinitionError: it defines no puzzle.

    >>> list(parse_definition("T := (1,2,3);", "ring.gap").generators)
    ['T']
    """
    path = PurePath(name)
    found = _format_of(text, path.suffix.lower())
    if found is None:
        titles = ", ".join(each.title for each in FORMATS.values())
        raise InvalidDefinitionError(name, "", f"is not a definition: expected {titles}")
    try:
        return found.parse(text, path.stem)
    except InvalidDefinitionError as error:
        raise InvalidDefinitionError(name, error.where, error.reason) from None


def read_text(path: str) -> str:
    """Return the text of a definition file.

    Raises:
        InvalidDefinitionError: it cannot be read, is too large, or is not text.
    """
    try:
        with open_regular(path) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InvalidDefinitionError(path, "", f"cannot be read: {error.strerror}") from error
    except ValueError as error:  # not a valid path
        raise InvalidDefinitionError(path, "", f"cannot be read: {error}") from error
    if len(content) > MOST_BYTES:
        raise InvalidDefinitionError(path, "", f"is too large: at most {MOST_BYTES:,} bytes")
    if b"\0" in content:
        raise InvalidDefinitionError(path, "", "is not UTF-8 text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidDefinitionError(path, f"line {line}", "is not UTF-8 text") from None


# -- Formats -----------------------------------------------------------------------------------------------------------


def parse_tws(text: str, name: str) -> Definition:
    """Parse a definition in the format of twsearch and ksolve.

    Args:
        text: the definition.
        name: the puzzle's name, if it does not have one.

    Raises:
        InvalidDefinitionError: it is invalid.

    >>> disks = parse_tws("Set DISKS 3 1\\nSolved\\nEnd\\nMove CYCLE\\nDISKS\\n3 1 2\\nEnd", "disks")
    >>> [move.name for move in disks.moves()]
    ['CYCLE', "CYCLE'"]
    """
    return tws.parse(text, name)


def parse_kpuzzle(text: str, name: str) -> Definition:
    """Parse a definition in the JSON format of KPuzzle.

    Args:
        text: the definition.
        name: the puzzle's name, if it does not have one.

    Raises:
        InvalidDefinitionError: it is invalid.
    """
    return kpuzzle.parse(text, name)


def parse_cycles(text: str, name: str) -> Definition:
    """Parse a definition as permutations in cycles, as GAP writes them.

    Args:
        text: the definition.
        name: the puzzle's name.

    Raises:
        InvalidDefinitionError: it is invalid.

    >>> list(parse_cycles("U := (1,2,3); # 1 goes to 2", "ring").generators["U"][0].sources)
    [2, 0, 1]
    """
    return cycles.parse(text, name)


def parse_graph(text: str, name: str) -> Definition:
    """Parse a Cayley graph in the JSON format of CayleyPy's ``puzzle_info.json``.

    Args:
        text: the graph.
        name: the puzzle's name, if it does not have one.

    Raises:
        InvalidDefinitionError: it is invalid.

    >>> graph = parse_graph('{"central_state": [0, 1, 2], "generators": {"L": [1, 2, 0]}}', "ring")
    >>> [move.name for move in graph.moves()]
    ['L', "L'"]
    """
    return graphs.parse(text, name)


def format_kpuzzle(definition: Definition) -> str:
    """Return a definition in the JSON format of KPuzzle, which `parse_kpuzzle` reads.

    Raises:
        CubesolveError: the definition has something that the format lacks, such as moves that are not always possible.

    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> parse_kpuzzle(format_kpuzzle(ring), "ring") == ring
    True
    """
    return kpuzzle.format_definition(definition)


def format_graph(definition: Definition, moves: Sequence[Move], labels: Sequence[int]) -> str:
    """Return the graph of a definition in the JSON format of CayleyPy's ``puzzle_info.json``; see `parse_graph`.

    Args:
        definition: the puzzle.
        moves: its moves in a metric.
        labels: the label on each point of the solved state, numbers from 0 on.

    Raises:
        CubesolveError: the moves are not always possible, cost more than one, or there are several solved states.

    >>> swap = parse_cycles("S := (1,2);", "swap")
    >>> format_graph(swap, swap.moves(), [0, 1])
    '{"name": "swap", "central_state": [0, 1], "generators": {"S": [1, 0]}}'
    """
    return graphs.format_graph(definition, moves, labels)


class Written(NamedTuple):
    """A puzzle that is written as a definition.

    Attributes:
        definition: its definition.
        pieces: the same by pieces, if that is another.
        moves: its moves in a metric.
        labels: the label on each point of the solved state, numbers from 0 on.
    """

    definition: Definition
    pieces: Definition
    moves: Sequence[Move]
    labels: Sequence[int]


class DefinitionFormat(NamedTuple):
    """A format of definition files.

    Attributes:
        title: its name in messages.
        suffixes: the suffixes of its files.
        content: a regular expression that its text matches, without comments at the beginning.
        parse: returns the definition, from a text and a name.
        write: returns the text; None if the format is only read.
    """

    title: str
    suffixes: Sequence[str]
    content: str
    parse: Callable[[str, str], Definition]
    write: Callable[[Written], str] | None = None


FORMATS = {
    "cayleypy": DefinitionFormat(
        "CayleyPy",
        (".json",),
        r'(?s)\{.*"(central_state|generators)"\s*:',
        parse_graph,
        lambda given: format_graph(given.definition, given.moves, given.labels),
    ),
    "kpuzzle": DefinitionFormat(
        "KPuzzle", (".json",), r"\{", parse_kpuzzle, lambda given: format_kpuzzle(given.pieces)
    ),
    "cycles": DefinitionFormat("permutations in cycles", (".gap", ".g"), r"\w+\s*:=|[(\[]|Group", parse_cycles),
    "tws": DefinitionFormat("tws", (".tws", ".ksolve"), r"(Name|Set)\s", parse_tws),
}
"""The formats by name; of several with a suffix, the first that fits the content is read, or else the last."""


def _format_of(text: str, suffix: str) -> DefinitionFormat | None:
    """Return the format of a text, by the suffix of its file, or else by the first characters after comments."""
    lines = text.splitlines(keepends=True)
    start = next((n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), len(lines))
    content = "".join(lines[start:]).lstrip()
    known = [each for each in FORMATS.values() if suffix in each.suffixes]
    fitting = (each for each in known or FORMATS.values() if re.match(each.content, content))
    return next(fitting, known[-1] if known else None)


def parse_scrambles(text: str, name: str, definition: Definition) -> list[Arrangement | InvalidDefinitionError]:
    """Return the states of a file of scrambles.

    Args:
        text: blocks of twsearch (`Scramble`, `ScrambleState`, `ScrambleAlg` and `CPOS`), or KPuzzle patterns: a list
            of them, or one after the other on lines of their own.
        name: the name of the file.
        definition: the puzzle.

    Returns:
        The state of each scramble, or what is wrong with it.

    Raises:
        InvalidDefinitionError: the file is not JSON, although it begins like that.
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels.

    >>> disks = parse_tws("Set DISKS 3 1\\nSolved\\nEnd\\nMove CYCLE\\nDISKS\\n3 1 2\\nEnd", "disks")
    >>> scrambles = "Scramble ONE\\nDISKS\\n2 3 1\\nEnd\\nScrambleAlg TWO\\nCYCLE CYCLE\\nEnd"
    >>> [list(each) for each in parse_scrambles(scrambles, "disks.scr", disks)]
    [[1, 2, 0], [1, 2, 0]]
    """
    are_patterns = text.lstrip().startswith(("{", "["))
    return (kpuzzle.parse_patterns if are_patterns else tws.parse_scrambles)(text, name, definition)


# -- Patterns ----------------------------------------------------------------------------------------------------------


def format_kpuzzle_pattern(definition: Definition, state: Arrangement) -> dict[str, dict[str, list[int]]]:
    """Return a state as a KPuzzle pattern; or as a target pattern, in which some pieces look alike.

    Raises:
        InvalidStateError: it is not an arrangement of whole pieces.
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels.

    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> format_kpuzzle_pattern(ring, ring.apply(ring.solved[0], ring.parse("U")))
    {'POINTS': {'pieces': [2, 0, 1], 'orientation': [0, 0, 0]}}
    """
    return kpuzzle.format_pattern(definition, state)


def parse_kpuzzle_pattern(definition: Definition, data: object, target: bool = False) -> Arrangement:
    """Return the state that a KPuzzle pattern describes.

    Args:
        definition: the puzzle.
        data: the pattern.
        target: whether it is a target pattern: its pieces may look alike where those of the puzzle do not.

    Raises:
        InvalidStateError: it describes no state, or no target.
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels.

    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> list(parse_kpuzzle_pattern(ring, {"POINTS": {"pieces": [2, 0, 1], "orientation": [0, 0, 0]}}))
    [2, 0, 1]
    """
    return kpuzzle.parse_pattern(definition, data, target)


# -- Transformations ---------------------------------------------------------------------------------------------------


def format_kpuzzle_transformation(definition: Definition, change: Permutation) -> dict[str, dict[str, list[int]]]:
    """Return what moves do as a KPuzzle transformation.

    Args:
        definition: the puzzle.
        change: the point that each point's label comes from.

    Raises:
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels, or they come apart.

    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> format_kpuzzle_transformation(ring, ring.generators["U"][0].sources)
    {'POINTS': {'permutation': [2, 0, 1], 'orientationDelta': [0, 0, 0]}}
    """
    return kpuzzle.format_transformation(definition, change)


def parse_kpuzzle_transformation(definition: Definition, data: object) -> Permutation:
    """Return the permutation of a KPuzzle transformation: the point that each point's label comes from.

    Raises:
        InvalidStateError: it is not a transformation of the puzzle.
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels.

    >>> ring = parse_cycles("U := (1,2,3);", "ring")
    >>> list(parse_kpuzzle_transformation(ring, {"POINTS": {"permutation": [2, 0, 1], "orientationDelta": [0, 0, 0]}}))
    [2, 0, 1]
    """
    return kpuzzle.parse_transformation(definition, data)
