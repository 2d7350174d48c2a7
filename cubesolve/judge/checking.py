"""Judging an output: every mistake, with its place and reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cubesolve.judge import PROBLEMS
from cubesolve.judge.cases import Lines, Output, Verdict, verdicts


class Mistake(NamedTuple):
    """A mistake in an output."""

    case: int | None  # the number of the case, from 1; None if the mistake belongs to no case
    line: int | None  # the number of the line of the output, from 1; None if there is no line
    reason: str  # the mistake, in words

    def __str__(self) -> str:
        if self.case is None:
            return f"line {self.line}: {self.reason}"
        where = "" if self.line is None else f" (line {self.line})"
        return f"case {self.case}{where}: {self.reason}"


class Report(NamedTuple):
    """A judgement."""

    cases: int  # the number of valid cases of the input
    right: int  # the number of right answers
    mistakes: list[Mistake]  # the mistakes of the output, in order
    invalid: list[Verdict]  # the invalid cases of the input, to which the output must have no answer

    @property
    def is_right(self) -> bool:
        """Whether there are cases, all are valid, and all answers are right."""
        return self.cases > 0 and not self.mistakes and not self.invalid


def check(name: str, text: str, output: Iterable[str]) -> Report:
    """Judge an output.

    If several answers are right, each of them is accepted: moves are applied to the state.

    >>> report = check("poj-3131", "1 2 WWW EWW WWW  2 1 RBW RWW EWW  0 0", ["0", "4"])
    >>> report.right, str(report.mistakes[0])
    (1, "case 2 (line 2): '4' is wrong: expected 3")
    """
    problem, lines = PROBLEMS[name], Lines(output)
    mistakes: list[Mistake] = []
    invalid: list[Verdict] = []
    missing: list[int] = []
    cases = 0
    for symbols, verdict in verdicts(problem, text):
        if verdict.answer is None:
            invalid.append(verdict)
            continue
        cases += 1
        if lines.ahead() is None and verdict.answer:
            missing.append(verdict.case)
            continue
        line, given = _take(problem.output, lines)
        reason = problem.output.mistake(symbols, verdict.answer, given)
        if reason:
            mistakes.append(Mistake(verdict.case, line, reason))
    right = cases - len(mistakes) - len(missing)
    return Report(cases, right, mistakes + _missing(missing) + _left_over(lines), invalid)


def _take(output: Output, lines: Lines) -> tuple[int, list[str]]:
    """Return the number of the first line of the next answer, and its lines."""
    given = [lines.take(blank=output.has_blank_lines)]
    line = lines.number
    while output.goes_on(given, lines.ahead() or ""):
        given.append(lines.take(blank=output.has_blank_lines))
    return line, given


def _missing(cases: list[int]) -> list[Mistake]:
    if not cases:
        return []
    more = len(cases) - 1
    others = f", as are those to {more} more case{'s' * (more > 1)}" if more else ""
    return [Mistake(cases[0], None, f"the answer is missing{others}")]


def _left_over(lines: Lines) -> list[Mistake]:
    if lines.ahead() is None:
        return []
    lines.take(blank=False)
    return [Mistake(None, lines.number, "follows the answer to the last case")]
