"""What a problem of an online judge is: everything that is known of one is in its entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from cubesolve.judge.output import WORD, Output

if TYPE_CHECKING:
    import random

Case = list[str]
"""The symbols of a case, in the order in which the input has them."""

SYMBOL = "."
"""What stands for a symbol on a page."""


class Kind(NamedTuple):
    """A kind of test data.

    Attributes:
        name: its name, which is part of the names of files.
        about: what it is for.
        cases: its cases, from a source of random numbers and a number: how many there are, where there is a choice.
    """

    name: str
    about: str
    cases: Callable[[random.Random, int], list[Case]]


class Problem(NamedTuple):
    """A problem.

    Attributes:
        answer: answers a case.
        page: a case as it is printed, with a `SYMBOL` for each symbol.
        kinds: of which kinds its test data are.
        output: how an output is judged.
        letters: every letter of an input is a symbol, blanks between them or not.
        counted: the number of cases comes first.
        single: an input is a single case.
        ends_with: symbols in place of a case after the last one.
    """

    answer: Callable[[Case], str]
    page: str
    kinds: tuple[Kind, ...]
    output: Output = WORD
    letters: bool = False
    counted: bool = False
    single: bool = False
    ends_with: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many symbols are on each line of a case."""
        return tuple(line.count(SYMBOL) for line in self.page.split("\n") if line)


def sample(*texts: str) -> Kind:
    """The cases that are published with a problem.

    >>> sample("1 2", "34").cases(None, 1)
    [['1', '2'], ['3', '4']]
    """
    return Kind("sample", "the samples of the problem", lambda _rng, _number: [[*"".join(t.split())] for t in texts])
