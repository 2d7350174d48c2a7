"""Judging somebody's output: is it right, and if not, where and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cubesolve.judge import PROBLEMS
from cubesolve.judge.cases import Verdict, verdicts
from cubesolve.judge.output import Lines, Output


class Fault(NamedTuple):
    """What is wrong with an output.

    Attributes:
        case: the number of the case, from 1; None for what belongs to no case.
        line: the number of the line of the output, from 1; None where there is no line.
        reason: what is wrong.

    >>> print(Fault(3, 5, "'7', where 6 is right"))
    case 3 (line 5): '7', where 6 is right
    """

    case: int | None
    line: int | None
    reason: str

    def __str__(self) -> str:
        if self.case is None:
            return f"line {self.line}: {self.reason}"
        where = "" if self.line is None else f" (line {self.line})"
        return f"case {self.case}{where}: {self.reason}"


class Report(NamedTuple):
    """A judgement.

    Attributes:
        cases: how many cases the input has, without those that are wrong themselves.
        right: how many of them have a right answer.
        faults: what is wrong with the output, in order.
        invalid: the cases of the input that are wrong themselves, to which an output must have no answer.
    """

    cases: int
    right: int
    faults: list[Fault]
    invalid: list[Verdict]

    @property
    def is_right(self) -> bool:
        """Whether there are cases, and neither they nor the output have any fault."""
        return self.cases > 0 and not self.faults and not self.invalid


def check(name: str, text: str, output: Iterable[str]) -> Report:
    """Judge an output.

    Where more than one answer is right, any is: moves are tried out.

    Args:
        name: a name in `PROBLEMS`.
        text: the input, whole.
        output: the lines of the output.

    Raises:
        KeyError: no such problem.
        TableError: a table is missing or damaged.

    >>> report = check("poj-3131", "1 2 WWW EWW WWW  2 1 RBW RWW EWW  0 0", ["0", "4"])
    >>> report.right, str(report.faults[0])
    (1, "case 2 (line 2): '4', where 3 is right")
    """
    problem, lines = PROBLEMS[name], Lines(output)
    faults: list[Fault] = []
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
        reason = problem.output.fault(symbols, verdict.answer, given)
        if reason:
            faults.append(Fault(verdict.case, line, reason))
    right = cases - len(faults) - len(missing)
    return Report(cases, right, faults + _missing(missing) + _left_over(lines), invalid)


def _take(output: Output, lines: Lines) -> tuple[int, list[str]]:
    """The number of the line where the next answer begins, and its lines."""

    def take() -> str:
        if not output.has_blank_lines:
            lines.skip_blank()
        return lines.take()

    given = [take()]
    line = lines.number
    while output.goes_on(given, lines.ahead() or ""):
        given.append(take())
    return line, given


def _missing(cases: list[int]) -> list[Fault]:
    if not cases:
        return []
    others = f", like all {len(cases)} from here on" if len(cases) > 1 else ""
    return [Fault(cases[0], None, f"the answer is missing{others}")]


def _left_over(lines: Lines) -> list[Fault]:
    if lines.ahead() is None:
        return []
    lines.skip_blank()
    return [Fault(None, lines.number + 1, "there is more here than an answer to each case")]
