"""The exceptions of cubesolve. An invalid value of an option raises a plain `ValueError`.

::

    CubesolveError
    +- InvalidMoveError(ValueError)       an invalid token of an alg: .token, .position
    +- InvalidStateError(ValueError)      an invalid state; what is wrong and where
    |  +- UnsolvableStateError            well formed, but no sequence of moves solves it
    |  +- TooLargeError                   too many states for the question: .states, .most
    +- UnknownPuzzleError(ValueError)     an unknown name of a puzzle
    +- InvalidDefinitionError(ValueError) an invalid file of a puzzle: .path, .where, .reason
    +- SearchLimitError                   a search reached its limit: .at_least, .solution
    +- NoMemoryError                      `memory` is too small for the tables of a search: .at_least, .solution
    +- MissingPackageError(ImportError)   a question needs a package that is not installed: .name
    +- TableError                         a table cannot be used: .path, .reason
       +- MissingTableError(LookupError)  the table is in none of the folders
       +- UnsupportedTableError           a newer version of the format, or an unknown encoding
       +- CorruptTableError               the file is damaged, or is another table
          +- OutdatedTableError           the table is of another version of cubesolve

    CubesolveWarning(UserWarning)         the answer is right, but slower than it could be

>>> issubclass(UnsolvableStateError, InvalidStateError) and issubclass(InvalidStateError, ValueError)
True
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal

_LONGEST_QUOTE = 27
_FEW = 3  # names that are listed of many


def quoted(text: str) -> str:
    """Quote text from a user for a message: escaped, and shortened if it is long.

    >>> quoted("R"), quoted("x" * 1000)
    ("'R'", "'xxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    return repr(text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "...")


def printable(text: str) -> str:
    """Escape the control characters of a text, so that a terminal does not execute them.

    >>> print(printable("U\\x1b[31m R"))
    U\\x1b[31m R
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(message: str, longest: int) -> str:
    """Return a message with a maximum number of characters, and with control characters escaped.

    >>> shortened("not an alg: R\\x07", 12)
    'not an alg: ...'
    """
    shown = message if len(message) <= longest else f"{message[:longest]}..."
    return "\n".join(map(printable, shown.split("\n")))


def counted(number: int) -> str:
    """Format a number for a message: with commas, or as a power of ten if it has many digits.

    >>> counted(3674160), counted(math.factorial(30))
    ('3,674,160', '2.6 * 10^32')
    """
    if abs(number) < 10**15:
        return f"{number:,}"
    exponent = int(math.log10(abs(number)))
    return f"{'-' if number < 0 else ''}{abs(number) // 10 ** (exponent - 1) / 10} * 10^{exponent}"


def in_moves(number: int) -> str:
    """Format a number of moves.

    >>> in_moves(1), in_moves(20)
    ('1 move', '20 moves')
    """
    return f"{number} move" if number == 1 else f"{number} moves"


def in_bytes(number: int) -> str:
    """Return a number of bytes in words.

    >>> in_bytes(2000), in_bytes(2_500_000), in_bytes(12_340_000_000)
    ('2,000 bytes', '2.5 MB', '12.3 GB')
    """
    if number < 10**6:
        return f"{number:,} bytes"
    return f"{number / 1e6:.3g} MB" if number < 10**9 else f"{number / 1e9:,.1f} GB"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Suggest the names that are similar to a given one; return an empty string if none is.

    >>> did_you_mean("metrc", ["metric", "timeout"]), did_you_mean("Skewbs", ["skewb", "skewb-diamond"])
    ('did you mean metric?', 'did you mean skewb?')
    >>> did_you_mean("x", ["metric"])
    ''
    """
    import difflib  # noqa: PLC0415  # needed only for the message of an error; importing it slows every start

    similar = difflib.get_close_matches(given.lower(), list(known))
    return f"did you mean {' or '.join(similar)}?" if similar else ""


def families(names: Iterable[str]) -> str:
    """List names; of many that differ only in capital letters or "any" at their ends, the first and the last.

    >>> families(["cross", "cross-U", "cross-R", "cross-F", "cross-any", "oll", "eo", "eo-UD", "eo-any"])
    'cross, cross-U ... cross-any, oll, eo, eo-UD, eo-any'
    """
    listed = dict[str, list[str]]()
    for name in names:
        words = name.split("-")
        while len(words) > 1 and (words[-1] == "any" or words[-1].isupper()):
            words.pop()
        listed.setdefault("-".join(words), []).append(name)
    parts = list[str]()
    for family, members in listed.items():
        first, rest = ([family], [name for name in members if name != family]) if family in members else ([], members)
        parts += first + ([f"{rest[0]} ... {rest[-1]}"] if len(rest) > _MOST_LISTED else rest)
    return ", ".join(parts)


_MOST_LISTED = 3  # names of a family


class CubesolveError(Exception):
    """The base class of all exceptions about states, algs, puzzles, searches and tables."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows: those of the user's code, and the message."""
        import traceback  # noqa: PLC0415  # notebooks load it

        hidden = (os.path.dirname(__file__) + os.sep, f"{os.sep}IPython{os.sep}")
        frames = traceback.extract_tb(self.__traceback__)
        shown = [frame for frame in frames if not any(folder in frame.filename for folder in hidden)]
        return [line.rstrip("\n") for line in (*traceback.format_list(shown), *traceback.format_exception_only(self))]


class InvalidMoveError(CubesolveError, ValueError):
    """A token of an alg is not a move.

    Attributes:
        token: the offending token, as written.
        position: its 0-based character offset in the alg.

    >>> str(InvalidMoveError("Q2", 5))
    "'Q2' (character 6) is not a move"
    """

    def __init__(self, token: str, position: int, reason: str = "is not a move") -> None:
        super().__init__(token, position, reason)
        self.token = token
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        return f"{quoted(self.token)} (character {self.position + 1}) {self.reason}"


StateFault = Literal[
    "type", "length", "symbol", "count", "piece", "repeated", "mirror", "colours", "twist", "flip", "parity",
    "cell", "vacancy", "size", "rank", "unreachable", "other",
]  # fmt: skip
"""The kinds of faults of a state."""


class InvalidStateError(CubesolveError, ValueError):
    """A state is invalid; the message says what is wrong, and where.

    Attributes:
        fault: the kind of fault, in a word.
        reason: the message.
        facelets: the names of the wrong facelets; empty if the fault is not about single facelets.
        cells: for trays, the columns and rows of the wrong cells, from 1.
        rows: for batches, the numbers of the first wrong rows.

    >>> error = InvalidStateError("corner URF shows U D F", "piece", facelets=("U4", "R1", "F2"))
    >>> str(error), error.fault, error.facelets
    ('corner URF shows U D F', 'piece', ('U4', 'R1', 'F2'))
    """

    def __init__(
        self,
        message: str,
        fault: StateFault = "other",
        *,
        facelets: Sequence[str] = (),
        cells: Sequence[tuple[int, int]] = (),
        rows: Sequence[int] = (),
    ) -> None:
        super().__init__(message)
        self.fault: StateFault = fault
        self.reason = message
        self.facelets = tuple(facelets)
        self.cells = tuple(cells)
        self.rows = tuple(rows)


class UnsolvableStateError(InvalidStateError):
    """A state is well formed, but no sequence of moves solves it.

    >>> UnsolvableStateError("no moves lead to this goal").fault
    'unreachable'
    """

    def __init__(self, message: str, fault: StateFault = "unreachable") -> None:
        super().__init__(message, fault)


class InvalidDefinitionError(CubesolveError, ValueError):
    """A file does not define a puzzle; the message says what is wrong, and where.

    Attributes:
        path: the file.
        where: the line or the key that is wrong; empty if the fault is about the whole file.
        reason: what is wrong.

    >>> str(InvalidDefinitionError("my.tws", "line 7", "there is no set EDGES"))
    'my.tws: line 7: there is no set EDGES'
    """

    def __init__(self, path: str, where: str, reason: str) -> None:
        super().__init__(path, where, reason)
        self.path = path
        self.where = where
        self.reason = reason

    def __str__(self) -> str:
        return printable(": ".join(filter(None, self.args)))


class NoMemoryError(CubesolveError):
    """There is too little memory for the tables of a search.

    Attributes:
        at_least: the lower bound of the solution length that was proved without them; 0 if none was.
        solution: the shortest solution found without them, a `Solution`; None if none was found.
    """

    at_least = 0
    solution: Any = None


class TooLargeError(InvalidStateError):
    """A puzzle has too many states for the question.

    Attributes:
        states: the number of states, or a lower bound of it.
        most: the largest number that is supported.
        exact: whether `states` is the exact number.
        advice: what to do instead.
        what: the counted objects: states, or placements of some pieces, which are fewer.

    >>> str(TooLargeError(2_000_000, 1_000_000))
    'there are 2,000,000 states or more, more than can be enumerated: at most 1,000,000'
    """

    def __init__(self, states: int, most: int, exact: bool = False, advice: str = "", what: str = "states") -> None:
        exactly = exact and states < _LONGEST
        number = f"there are {states:,} {what}" if exactly else f"there are {counted(states)} {what} or more"
        message = f"{number}, more than can be enumerated: at most {counted(most)}"
        super().__init__(f"{message}; {advice}" if advice else message, "size")
        self.states = states
        self.most = most
        self.exact = exact
        self.advice = advice
        self.what = what

    def __reduce__(self) -> tuple[type[TooLargeError], tuple[int, int, bool, str, str]]:
        return type(self), (self.states, self.most, self.exact, self.advice, self.what)


_LONGEST = 10**300  # for larger numbers, a message shows the order of magnitude only


class MissingPackageError(CubesolveError, ImportError):
    """A question needs numba or numpy, which are not installed.

    Questions about one state of a table need neither.

    Attributes:
        name: the missing package.

    >>> print(MissingPackageError("numba"))
    numba is not installed; searches, arrays of states and building tables need it: pip install numba
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, name=name)

    def __str__(self) -> str:
        return (
            f"{self.name} is not installed; searches, arrays of states and building tables need it: pip install numba"
        )


def lacking(error: ModuleNotFoundError) -> ImportError:
    """Return the error to raise for a module that was not found: `MissingPackageError` for those of numpy and numba.

    >>> lacking(ModuleNotFoundError(name="numpy")), lacking(ModuleNotFoundError(name="zlib"))
    (MissingPackageError('numpy'), ModuleNotFoundError())
    """
    package = (error.name or "").partition(".")[0]
    return MissingPackageError(package) if package in _OPTIONAL else error


_OPTIONAL = {"numpy", "numba", "llvmlite"}  # llvmlite is a part of numba


class UnknownPuzzleError(CubesolveError, ValueError):
    """A name of a puzzle is unknown.

    Attributes:
        name: the name.
        known: the known names.

    >>> print(UnknownPuzzleError("Rubic", ["pocket", "rubik"]))
    unknown puzzle 'Rubic': did you mean rubik?
    >>> print(UnknownPuzzleError("17", ["pocket", "rubik", "skewb", "ivy"]))
    unknown puzzle '17': expected pocket, rubik, skewb, another that `cubesolve puzzles` lists, or a file...
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(name, list(known))
        self.name, self.known = name, list(known)

    def __str__(self) -> str:
        few = ", ".join(self.known[:_FEW])
        expected = f"expected {few}, another that `cubesolve puzzles` lists, or a file that defines one"
        return f"unknown puzzle {quoted(self.name)}: {did_you_mean(self.name, self.known) or expected}"


class SearchLimitError(CubesolveError):
    """A search reached the limit that its caller set before it found a solution.

    Attributes:
        at_least: the proved lower bound; 0 if none was proved.
        limit: the limit, in words.
        solution: the shortest solution found by then, a `Solution`; None if none was found, or none is searched for.

    >>> str(SearchLimitError(17, "after 60 s")), str(SearchLimitError(0, "after 60 s"))
    ('not solved after 60 s: at least 17 moves are needed', 'not answered after 60 s')
    >>> str(SearchLimitError(1, "after 60 s"))
    'not solved after 60 s: at least 1 move is needed'
    """

    def __init__(self, at_least: int, limit: str, solution: Any = None) -> None:
        super().__init__(at_least, limit)
        self.at_least = at_least
        self.limit = limit
        self.solution = solution

    def __str__(self) -> str:
        verb = "is" if self.at_least == 1 else "are"
        if self.solution is not None:
            bounds = f"{in_moves(self.solution.length)} found, at least {self.at_least} {verb} needed"
            what = "solved" if self.limit.startswith("in ") else "proved optimal"
            return f"not {what} {self.limit}: {bounds}: {self.solution}"
        if not self.at_least:
            return f"not answered {self.limit}"
        return f"not solved {self.limit}: at least {in_moves(self.at_least)} {verb} needed"


class TableError(CubesolveError):
    """A table cannot be used.

    Attributes:
        path: the file or folder concerned.
        reason: what is wrong with it.

    >>> str(TableError("a.zst", "is empty"))
    'a.zst: is empty'
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def building(built_by: str, folder: str | None = None) -> str:
    """Return the command that builds a table.

    Args:
        built_by: the arguments of ``cubesolve tables build``, quoted for a shell.
        folder: the folder to build in; by default that of new tables.

    >>> building("skewb-htm", "/my tables")
    "CUBESOLVE_TABLES='/my tables' cubesolve tables build skewb-htm"
    """
    command = f"cubesolve tables build {built_by}"
    if folder is None:
        return command
    import shlex  # noqa: PLC0415  # needed only for the message of an error; importing it slows every start

    return f"CUBESOLVE_TABLES={shlex.quote(folder)} {command}"


class MissingTableError(TableError, LookupError):
    """A table is in none of the folders searched.

    Attributes:
        name: the table's name.
        searched: the folders searched, in order.
        built_by: the arguments of `cubesolve tables build`, quoted for a shell.
        effort: the memory and time that the build needs, if known.
        path: the first folder searched.
        reason: the message, with the command that builds the table.

    >>> str(MissingTableError("pocket-htm", ["/tables"]))
    'table pocket-htm not found in /tables; build it with: cubesolve tables build pocket-htm'
    """

    def __init__(
        self, name: str, searched: Sequence[str], *, build_in: str | None = None, built_by: str = "", effort: str = ""
    ) -> None:
        self.built_by = built_by or name
        command = building(self.built_by, build_in)
        folders = ", ".join(folder or "." for folder in searched)
        reason = f"table {name} not found in {folders}; build it with: {command}{f' ({effort})' if effort else ''}"
        super().__init__(searched[0] if searched else name, reason)
        self.args = (name, list(searched))
        self.name = name
        self.searched = list(searched)
        self.effort = effort

    def __str__(self) -> str:
        return self.reason


class UnsupportedTableError(TableError):
    """A table has a newer format version, or an encoding that is unknown or was removed."""


class CorruptTableError(TableError):
    """A table file is damaged, or contains another table than the requested one."""


class OutdatedTableError(CorruptTableError):
    """A table was written by another version of cubesolve. Tables that a question can build are built again instead."""


class CubesolveWarning(UserWarning):
    """Something is unavailable, and cubesolve works without it; the message says at what cost."""
