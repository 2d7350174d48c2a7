"""Test data for a problem: groups of inputs with exact answers, and a manifest."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cubesolve import __version__
from cubesolve.judge import PROBLEMS
from cubesolve.judge.cases import Case, CaseGroup, Problem, verdicts, written
from cubesolve.runtime.files import write_atomically
from cubesolve.runtime.notices import following


class DataFile(NamedTuple):
    """An input and its answers."""

    name: str  # the name of its two files, without suffix
    about: str  # a description
    input: str  # the input of a program
    output: str  # the right output
    answers: dict[str, int]  # the number of occurrences of each answer; a sequence of moves counts by its length

    @property
    def cases(self) -> int:
        """The number of cases."""
        return sum(self.answers.values())


class DataSet(NamedTuple):
    """All test data for a problem."""

    name: str  # the problem's name
    number: int  # the requested number of random cases
    seed: int  # the random seed
    parts: list[DataFile]  # the inputs and their answers

    @property
    def files(self) -> dict[str, bytes]:
        """The contents of each file by its name."""
        files = {}
        for part in self.parts:
            files[f"{part.name}.in"], files[f"{part.name}.out"] = part.input.encode(), part.output.encode()
        return files

    @property
    def manifest(self) -> dict[str, object]:
        """The manifest, for a JSON file."""
        digests = {name: hashlib.sha256(contents).hexdigest() for name, contents in self.files.items()}
        return {
            "problem": self.name,
            "command": f"cubesolve judge {self.name} --generate {self.number} --seed {self.seed}",
            "version": __version__,
            "inputs": [
                {"name": part.name, "about": part.about, "cases": part.cases, "answers": part.answers}
                for part in self.parts
            ],
            "sha256": digests,
        }


def generate(name: str, number: int, seed: int) -> DataSet:
    """Make test data.

    There are `number` random cases; other groups have as many as they need, or fewer. An input has at most `number`
    cases, or one if the problem reads only one. The same arguments give the same data.

    >>> data = generate("uva-11007", 100, seed=7)
    >>> for part in data.parts[:3]:
    ...     print(part.name, part.cases, part.answers)
    uva-11007-01-sample 2 {'2': 1, '6': 1}
    uva-11007-02-solved 24 {'0': 24}
    uva-11007-03-turns 18 {'1': 12, '2': 6}
    """
    problem = PROBLEMS[name]
    inputs = [(group, cases) for group in problem.groups for cases in _inputs(name, problem, group, number, seed)]
    width = max(2, len(str(len(inputs))))
    with following("answering", sum(len(cases) for _, cases in inputs)) as advance:
        parts = [
            _part(problem, f"{name}-{place:0{width}}-{group.name}", group.about, cases, advance)
            for place, (group, cases) in enumerate(inputs, start=1)
        ]
    return DataSet(name, number, seed, parts)


def _inputs(name: str, problem: Problem, group: CaseGroup, number: int, seed: int) -> Iterator[list[Case]]:
    """Return the cases of a group, input by input; their random choices are independent of other groups."""
    cases = group.cases(random.Random(f"{name} {group.name} {seed}"), number)
    size = 1 if problem.single else number
    return (cases[first : first + size] for first in range(0, len(cases), size))


def _part(problem: Problem, name: str, about: str, cases: list[Case], advance: Callable[[int], None]) -> DataFile:
    text = written(problem, cases)
    answers = []
    for case, (symbols, verdict) in zip(cases, verdicts(problem, text), strict=True):
        if verdict.answer is None or symbols != case:
            raise AssertionError(f"{name}: case {verdict.case} is not read as it was written: {verdict.error}")
        answers.append(verdict.answer)
        advance(1)
    counts = Counter(map(problem.output.brief, answers))
    ordered = {answer: counts[answer] for answer in sorted(counts, key=lambda answer: (len(answer), answer))}
    return DataFile(name, about, text, "".join(f"{answer}\n" for answer in answers), ordered)


# -- Writing it ------------------------------------------------------------------------------------------------------


def write(data: DataSet, folder: str) -> None:
    """Write test data and their manifest into a folder.

    Earlier test data of this function for the same problem are removed, unless one of their files has been changed.
    Other files are left alone.

    Raises:
        FileExistsError: a file of that name was not written by this function, or has been changed since.
    """
    os.makedirs(folder, exist_ok=True)
    manifest, files = os.path.join(folder, f"{data.name}.json"), data.files
    before = _digests_before(manifest, data.name)
    existing = [name for name in sorted({*before, *files}) if os.path.lexists(os.path.join(folder, name))]
    for name in existing:
        content = _content(path := os.path.join(folder, name))
        if content is None or hashlib.sha256(content).hexdigest() != before.get(name):
            raise _not_ours(path)
    # In this order, all files that an interrupted call leaves are in the manifest, and can be replaced by the next.
    for name in existing:
        os.unlink(os.path.join(folder, name))
    write_atomically(manifest, (json.dumps(data.manifest, indent=1) + "\n").encode())
    for name, contents in files.items():
        write_atomically(os.path.join(folder, name), contents)


def _digests_before(manifest: str, name: str) -> dict[str, str]:
    """Return the files in a manifest, and their digests; none if there is no manifest."""
    if not os.path.lexists(manifest):
        return {}
    with contextlib.suppress(ValueError, TypeError, LookupError, RecursionError):
        digests = json.loads(_content(manifest) or b"")["sha256"]
        if all(re.fullmatch(rf"{name}-\d+-[a-z-]+\.(in|out)", file) for file in digests):
            return dict(digests)
    raise _not_ours(manifest)


def _content(path: str) -> bytes | None:
    """Return the content of a regular file; None of all else, and of links."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def _not_ours(path: str) -> FileExistsError:
    return FileExistsError(errno.EEXIST, "was not written by this command, or has been changed since", path)
