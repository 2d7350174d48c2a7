"""Reading, answering and writing the cases of an input.

Cases are read symbol by symbol, as the judges' programs do. If the total is not a multiple of the size of a case, some
case has too few or too many symbols. Line breaks then separate the cases; invalid cases are reported, and the others
answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cubesolve.errors import InvalidStateError
from cubesolve.judge.problem import SYMBOL, Case, Problem


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
    """Yield the symbols and the verdict of each case of an input.

    Raises:
        TableError: a table is missing or damaged.
    """
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
        last, found = first, 0
        while found < size and last < len(lines):
            found += len(lines[last].symbols)
            last += 1
        shaped = _has_shape(shape, lines, first)
        fits = shaped or found == size or (found % size == 0 and last == first + 1)
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
