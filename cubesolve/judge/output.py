"""How an output is told to be right: the lines of each answer, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from cubesolve.errors import quoted
from cubesolve.notation import Move


class Output(NamedTuple):
    """How an output is judged.

    Attributes:
        fault: what is wrong with an answer, if anything: from the symbols of the case, the answer that `judge` gives,
            and the lines of the answer to be judged, their words separated by single blanks.
        brief: what is told of an answer where there is no room for all of it.
        goes_on: whether an answer that has these lines has the next one, too.
        has_blank_lines: whether a line of an answer can be blank; if not, blank lines do not matter.
    """

    fault: Callable[[Sequence[str], str, list[str]], str | None]
    brief: Callable[[str], str] = str
    goes_on: Callable[[list[str], str], bool] = lambda _given, _ahead: False
    has_blank_lines: bool = False


def wrong_word(_symbols: Sequence[str], right: str, given: list[str]) -> str | None:
    """What is wrong with an answer that must be a certain one.

    >>> wrong_word([], "6", ["7"])
    "'7', where 6 is right"
    """
    return None if given == [right] else f"{quoted(given[0])}, where {right} is right"


WORD = Output(wrong_word)
"""Each answer is a line, and there is only one right one."""


def wrong_moves(
    tokens: Iterable[str], legal: Mapping[str, Move], does: Callable[[list[Move]], bool], task: str, least: int | None
) -> str | None:
    """What is wrong with a sequence of moves.

    Args:
        tokens: the moves as they are written.
        legal: all moves, as they must be written.
        does: whether moves do what they should.
        task: what that is.
        least: the least number of moves that do; None where it does not matter.

    >>> legal = {"u": Move("U", 3)}
    >>> wrong_moves("ux", legal, bool, "turn anything", 1)
    "'x' is no move: expected u"
    >>> wrong_moves("uu", legal, bool, "turn anything", 1)
    '2 moves, which turn anything, but 1 is enough'
    """
    written = list(tokens)
    illegal = next((token for token in written if token not in legal), None)
    if illegal is not None:
        return f"{quoted(illegal)} is no move: expected {', '.join(legal)}"
    if not does([legal[token] for token in written]):
        return f"the moves do not {task}"
    if least is not None and len(written) > least:
        return f"{len(written)} moves, which {task}, but {least} {'is' if least == 1 else 'are'} enough"
    return None


class Lines:
    """The lines of an output, one after the other.

    Attributes:
        number: how many have been taken.

    >>> lines = Lines(["2 ", "", "6\\r"])
    >>> lines.take(), lines.ahead(), lines.take(), lines.take(), lines.number
    ('2', '6', '', '6', 3)
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        self._lines = iter(lines)
        self._blank = 0  # lines ahead
        self._filled: str | None = None  # the line after them

    def ahead(self) -> str | None:
        """The next line that is not blank, which is not taken; None if there is none."""
        while self._filled is None:
            line = next(self._lines, None)
            if line is None:
                return None
            self._filled = " ".join(line.split()) or None
            self._blank += self._filled is None
        return self._filled

    def take(self) -> str:
        """The next line, its words separated by single blanks; a blank one after the last."""
        ahead = self.ahead()
        self.number += 1
        if self._blank:
            self._blank -= 1
            return ""
        self._filled = None
        return ahead or ""

    def skip_blank(self) -> None:
        """Take all blank lines that come next."""
        self.ahead()
        self.number += self._blank
        self._blank = 0
