"""The answers in an output: their lines, and the checks of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from cubesolve.definition.notation import FaceTurn
from cubesolve.errors import quoted


class Output(NamedTuple):
    """How an output is judged.

    Attributes:
        mistake: returns the mistake of an answer, or None, from the symbols of the case, the right answer, and the
            lines of the given answer with single blanks between words.
        brief: returns a short form of an answer for statistics.
        goes_on: returns whether an answer with some lines includes the next line, too.
        has_blank_lines: whether a line of an answer can be blank; if not, blank lines are ignored.
    """

    mistake: Callable[[Sequence[str], str, list[str]], str | None]
    brief: Callable[[str], str] = str
    goes_on: Callable[[list[str], str], bool] = lambda _given, _ahead: False
    has_blank_lines: bool = False


def wrong_word(_symbols: Sequence[str], right: str, given: list[str]) -> str | None:
    """Return the mistake of an answer to a case with one right answer; None if it is right.

    >>> wrong_word([], "6", ["7"])
    "'7' is wrong: expected 6"
    """
    return None if given == [right] else f"{quoted(given[0])} is wrong: expected {right}"


WORD = Output(wrong_word)
"""One line per answer, and one right answer."""


def wrong_moves(
    tokens: Iterable[str],
    legal: Mapping[str, FaceTurn],
    does: Callable[[list[FaceTurn]], bool],
    task: str,
    least: int | None,
) -> str | None:
    """Return the mistake of a sequence of moves; None if it is right.

    Args:
        does: returns whether moves do the task.
        least: the least number of moves for the task; None if any number is right.

    >>> legal = {"u": FaceTurn("U", 3)}
    >>> wrong_moves("ux", legal, bool, "turn anything", 1)
    "'x' is not a move: expected u"
    >>> wrong_moves("uu", legal, bool, "turn anything", 1)
    '2 moves turn anything, but 1 is enough'
    """
    written = list(tokens)
    illegal = next((token for token in written if token not in legal), None)
    if illegal is not None:
        return f"{quoted(illegal)} is not a move: expected {', '.join(legal)}"
    if not does([legal[token] for token in written]):
        return f"the moves do not {task}"
    if least is not None and len(written) > least:
        return f"{len(written)} moves {task}, but {least} {'is' if least == 1 else 'are'} enough"
    return None


class Lines:
    """A reader of the lines of an output.

    Attributes:
        number: the number of lines taken so far.

    >>> lines = Lines(["2 ", "", "6\\r"])
    >>> lines.take(), lines.ahead(), lines.take(), lines.take(), lines.number
    ('2', '6', '', '6', 3)
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        self._lines = iter(lines)
        self._blank = 0  # the number of blank lines ahead
        self._filled: str | None = None  # the line after these

    def ahead(self) -> str | None:
        """Return the next line that is not blank without taking it; None at the end."""
        while self._filled is None:
            line = next(self._lines, None)
            if line is None:
                return None
            self._filled = " ".join(line.split()) or None
            self._blank += self._filled is None
        return self._filled

    def take(self) -> str:
        """Return the next line, with single blanks between words; a blank line at the end."""
        ahead = self.ahead()
        self.number += 1
        if self._blank:
            self._blank -= 1
            return ""
        self._filled = None
        return ahead or ""

    def skip_blank(self) -> None:
        """Take the blank lines ahead."""
        self.ahead()
        self.number += self._blank
        self._blank = 0
