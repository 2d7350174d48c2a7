"""Problems of online judges, their cases, and how outputs are judged.

Cases are read symbol by symbol, as the judges' programs do. If the total is not a multiple of the size of a case, some
case has too few or too many symbols. Line breaks then separate the cases; invalid cases are reported, and the others
answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.definition.notation import FaceTurn
from cubesolve.errors import InvalidStateError, quoted

if TYPE_CHECKING:
    import random


class Output(NamedTuple):
    """How an output is judged: its mistake, if any, given the case, the right answer, and the lines of an answer."""

    mistake: Callable[[Sequence[str], str, list[str]], str | None]
    brief: Callable[[str], str] = str  # returns a short form of an answer for statistics
    goes_on: Callable[[list[str], str], bool] = lambda _given, _ahead: False  # whether an answer includes the next line
    has_blank_lines: bool = False  # whether a line of an answer can be blank; if not, blank lines are ignored


def wrong_word(_symbols: Sequence[str], right: str, given: list[str]) -> str | None:
    """Return the mistake of an answer to a case with one right answer; None if it is right."""
    return None if given == [right] else f"{quoted(given[0])} is wrong: expected {right}"


WORD = Output(wrong_word)  # one line per answer, and one right answer


def wrong_moves(
    tokens: Iterable[str],
    legal: Mapping[str, FaceTurn],
    does: Callable[[list[FaceTurn]], bool],
    task: str,
    least: int | None,
) -> str | None:
    """Return the mistake of a sequence of moves for a task in at least some moves, if any number is not right."""
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
    """A reader of the lines of an output, which counts those that it has taken."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        words = ((number, " ".join(line.split())) for number, line in enumerate(lines, start=1))
        self._filled = ((number, line) for number, line in words if line)
        self._next = next(self._filled, None)  # the number and the text of the next line that is not blank

    def ahead(self) -> str | None:
        """Return the next line that is not blank without taking it; None at the end."""
        return None if self._next is None else self._next[1]

    def take(self, *, blank: bool) -> str:
        """Return the next line that may be blank or not, with single blanks between words; at the end, a blank one."""
        self.number = self.number + 1 if blank or self._next is None else self._next[0]
        if self._next is None or self.number < self._next[0]:
            return ""
        line, self._next = self._next[1], next(self._filled, None)
        return line


Case = list[str]  # symbols of a case, in the order of the input
SYMBOL = "."  # placeholder of a symbol on a page


class CaseGroup(NamedTuple):
    """A group of cases in test data."""

    name: str  # part of the names of files
    about: str  # a description
    cases: Callable[[random.Random, int], list[Case]]  # its cases; as many as asked for if a group can have any size


class Problem(NamedTuple):
    """A problem."""

    about: str  # a description, in a line
    answer: Callable[[Case], str]  # answers a case
    page: str  # the layout of a case, with a `SYMBOL` for each symbol
    groups: tuple[CaseGroup, ...]  # the groups of its test data
    output: Output = WORD  # how an output is judged
    letters: bool = False  # whether every letter of an input is a symbol, even without blanks between them
    counted: bool = False  # whether an input begins with the number of cases
    single: bool = False  # whether an input is a single case
    ends_with: str = ""  # the symbols that mark the end of an input

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of symbols on each line of a case."""
        return tuple(line.count(SYMBOL) for line in self.page.split("\n") if line)


def sample(*texts: str) -> CaseGroup:
    """Return the group of the cases that are published with a problem."""
    return CaseGroup(
        "sample", "the samples of the problem", lambda _rng, _number: [[*"".join(t.split())] for t in texts]
    )


class Verdict(NamedTuple):
    """The answer to a case, or its error.

    Attributes:
        case: the number of the case, from 1.
        line: the number of its first line, from 1.
        answer: its output, one or more lines; None if the case is invalid.
        error: the error of an invalid case; None if the case is answered.
    """

    case: int
    line: int
    answer: str | None
    error: InvalidStateError | None


def verdicts(problem: Problem, text: str) -> Iterator[tuple[Case, Verdict]]:
    """Yield the symbols and the verdict of each case of an input."""
    size = sum(problem.shape)
    for case, (line, symbols) in enumerate(_cases(problem, text), start=1):
        try:
            if len(symbols) != size:
                raise InvalidStateError(f"the case has {len(symbols)} symbols here, not {size}")
            yield symbols, Verdict(case, line, problem.answer(symbols), None)
        except InvalidStateError as error:
            yield symbols, Verdict(case, line, None, error)


def written(problem: Problem, cases: Sequence[Case]) -> str:
    """Return the input with some cases, in the layout of the problem."""
    first = f"{len(cases)}\n" if problem.counted else ""
    last = " ".join(problem.ends_with) + "\n" if problem.ends_with else ""
    return first + "".join(_printed(problem.page, case) for case in cases) + last


def _printed(page: str, case: Case) -> str:
    symbols = iter(case)
    return "".join(next(symbols) if character == SYMBOL else character for character in page)


class _Line(NamedTuple):
    number: int
    symbols: list[str]


def _cases(problem: Problem, text: str) -> Iterator[tuple[int, Case]]:
    """Return the first line and the symbols of each case; an invalid case may have another number of symbols."""
    lines, shape = _lines(problem, text), problem.shape
    if sum(len(line.symbols) for line in lines) % sum(shape) == 0:
        return _of_size(sum(shape), lines)
    return _of_shape(shape, lines)


def _of_size(size: int, lines: list[_Line]) -> Iterator[tuple[int, Case]]:
    """Yield cases of a fixed number of symbols, regardless of line breaks."""
    symbols = [symbol for line in lines for symbol in line.symbols]
    numbers = [line.number for line in lines for _ in line.symbols]
    for first in range(0, len(symbols), size):
        yield numbers[first], symbols[first : first + size]


def _of_shape(shape: tuple[int, ...], lines: list[_Line]) -> Iterator[tuple[int, Case]]:
    """Yield cases separated by their lines, because some have too few or too many symbols."""
    size, first = sum(shape), 0
    while first < len(lines):
        last, count = first, 0
        while count < size and last < len(lines):
            count += len(lines[last].symbols)
            last += 1
        shaped = _has_shape(shape, lines, first)
        fits = shaped or count == size or (count % size == 0 and last == first + 1)
        following = range(first + 1, last if fits else len(lines))
        next_case = next((i for i in following if _has_shape(shape, lines, i)), None)
        if shaped or (fits and next_case is None):
            yield from _of_size(size, lines[first:last])
            first = last
        else:  # the case breaks off before another one begins
            next_case = len(lines) if next_case is None else next_case
            yield lines[first].number, [symbol for line in lines[first:next_case] for symbol in line.symbols]
            first = next_case


def _lines(problem: Problem, text: str) -> list[_Line]:
    """Return the lines that are not blank, without the number of cases and the end marker."""
    tokens = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if problem.counted and tokens and tokens[0][1][0].isdigit():
        del tokens[0][1][0]
    lines = [_Line(number, list("".join(line)) if problem.letters else line) for number, line in tokens if line]
    end = list(problem.ends_with)
    if end:
        last = next((i for i, line in enumerate(lines) if line.symbols == end), len(lines))
        lines = lines[:last]
        if [symbol for line in lines[-len(end) :] for symbol in line.symbols][-len(end) :] == end:
            for _ in end:
                lines[-1].symbols.pop()
                if not lines[-1].symbols:
                    lines.pop()
    return lines


def _has_shape(shape: tuple[int, ...], lines: list[_Line], first: int) -> bool:
    """Return whether the lines from `first` have the usual layout of a case, without a blank line."""
    case = lines[first : first + len(shape)]
    together = case[-1].number - case[0].number == len(case) - 1
    return together and tuple(len(line.symbols) for line in case) == shape
