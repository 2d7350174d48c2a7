"""Readers of definition files: tws, KPuzzle, and permutations in cycles (pure Python).

All formats have the same meaning; ``docs/definitions.md`` lists what each reader supports. The piece in place `i` of
its orbit has the points ``i * orientations`` and those that follow. With orientation `r`, its first label is on the
point number `r` of these.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import PurePath

from cubesolve.definitions.definition import Definition
from cubesolve.errors import InvalidDefinitionError
from cubesolve.files import open_regular
from cubesolve.permutations import Arrangement

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
    parse = _BY_SUFFIX.get(path.suffix.lower()) or _by_content(text)
    if parse is None:
        raise InvalidDefinitionError(name, "", "is not a definition: expected tws, KPuzzle, or permutations in cycles")
    try:
        return parse(text, path.stem)
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
    from cubesolve.definitions.readers import tws  # noqa: PLC0415  # each format is loaded when it is needed

    return tws.parse(text, name)


def parse_kpuzzle(text: str, name: str) -> Definition:
    """Parse a definition in the JSON format of KPuzzle.

    Args:
        text: the definition.
        name: the puzzle's name, if it does not have one.

    Raises:
        InvalidDefinitionError: it is invalid.
    """
    from cubesolve.definitions.readers import kpuzzle  # noqa: PLC0415  # each format is loaded when it is needed

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
    from cubesolve.definitions.readers import cycles  # noqa: PLC0415  # each format is loaded when it is needed

    return cycles.parse(text, name)


_BY_SUFFIX = {
    ".tws": parse_tws,
    ".ksolve": parse_tws,
    ".json": parse_kpuzzle,
    ".gap": parse_cycles,
    ".g": parse_cycles,
}
_BY_START = {r"\{": parse_kpuzzle, r"\w+\s*:=|[(\[]|Group": parse_cycles, r"(Name|Set)\s": parse_tws}


def _by_content(text: str) -> Callable[[str, str], Definition] | None:
    """Return the parser for a text, judging by the first characters after comments."""
    lines = (line.lstrip() for line in text.splitlines())
    start = next((line for line in lines if line and not line.startswith("#")), "")
    return next((parse for form, parse in _BY_START.items() if re.match(form, start)), None)


def parse_scrambles(text: str, name: str, definition: Definition) -> list[Arrangement]:
    """Return the states of a file of scrambles of twsearch: `Scramble`, `ScrambleState`, `ScrambleAlg` and `CPOS`.

    Args:
        text: the scrambles.
        name: the name of the file.
        definition: the puzzle.

    Raises:
        InvalidDefinitionError: it contains something else.
        CubesolveError: the puzzle has no pieces whose orientations are shifts of their labels.

    >>> disks = parse_tws("Set DISKS 3 1\\nSolved\\nEnd\\nMove CYCLE\\nDISKS\\n3 1 2\\nEnd", "disks")
    >>> scrambles = "Scramble ONE\\nDISKS\\n2 3 1\\nEnd\\nScrambleAlg TWO\\nCYCLE CYCLE\\nEnd"
    >>> [list(each) for each in parse_scrambles(scrambles, "disks.scr", disks)]
    [[1, 2, 0], [1, 2, 0]]
    """
    from cubesolve.definitions.readers import tws  # noqa: PLC0415  # each format is loaded when it is needed

    return tws.parse_scrambles(text, name, definition)


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
    from cubesolve.definitions.readers import kpuzzle  # noqa: PLC0415  # each format is loaded when it is needed

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
    from cubesolve.definitions.readers import kpuzzle  # noqa: PLC0415  # each format is loaded when it is needed

    return kpuzzle.parse_pattern(definition, data, target)
