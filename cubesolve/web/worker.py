"""A process that answers questions: one line of JSON each on standard input, and a line for the answer.

The first line says which puzzles there are (`Served`), by how much the process gives way to others (``nicer``), and
whether it is made ready for searches (``warm``). An empty line is the answer to that, as soon as the process is ready.

Then a question is an object: its ``kind``, the puzzle as it was ``chosen``, what else was ``said``, the ``seconds``
that it may take, and, if the puzzle is a visitor's, what was ``given``. The answer is a status, 1 if the same question
about another state would be answered at once, and the object that is answered: ``200 1 {"depth":3}``.

The end of standard input ends the process, whatever it does. The server is gone then: it was killed, as it kills these
processes when it ends. So the folder that it used is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, TextIO

from cubesolve import notation
from cubesolve.ask import Puzzle
from cubesolve.search.limits import SearchOptions
from cubesolve.web import answers, models
from cubesolve.web.answers import KINDS
from cubesolve.web.problems import EXPECTED, problem
from cubesolve.web.served import Chosen, Given, Served

MOST_MOVES = 1_000
"""The most moves that an alg may stand for."""

FAILED = {"error": "this went wrong; the server's log says more"}
"""The answer where there is a defect."""

_TRIES = 10  # to remove a folder into which a search may still write

_KINDS = {kind.name: kind for kind in KINDS}
_WARM = ("rubik", "F2 R2 B2 R2 F U' B2 L2 U2 D F' U2 R' F' B2 R' D", 10)  # one more move than numpy finds

Reply = tuple[int, bool, Any]
"""A status, whether the same question about another state would be answered at once, and the content."""


def main() -> None:
    """Answer until standard input ends."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    begin = json.loads(sys.stdin.readline() or "{}")
    if not begin:
        return
    threading.Thread(target=_listen, args=(sys.stdin, lines, begin["folder"]), daemon=True).start()
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints something does not print an answer
        if begin["nicer"] and hasattr(os, "nice"):
            with contextlib.suppress(OSError):
                os.nice(begin["nicer"])
        served = Served(begin["files"], begin["folder"], begin["directory"])
        if begin["warm"]:
            _warm(served)
        _say(out, "")
        while True:
            status, at_once, content = reply(served, json.loads(lines.get()))
            _say(out, f"{status} {at_once:d} {json.dumps(content, separators=(',', ':'))}")


def _say(out: TextIO, line: str) -> None:
    out.write(f"{line}\n")
    out.flush()


def _listen(stream: TextIO, lines: queue.SimpleQueue[str], folder: str) -> None:
    for line in stream:
        lines.put(line)
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
    os._exit(0)


def _warm(served: Served) -> None:
    """Load what searches need, so that the first one does not wait for it."""
    name, alg, moves = _WARM
    with contextlib.suppress(*EXPECTED):
        puzzle = served.find(Chosen(name))
        puzzle.solve(puzzle.parse(alg, "alg"), max_depth=moves, workers=1)


def reply(served: Served, asked: dict[str, Any]) -> Reply:
    """The answer to a question, whatever it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reply(Served({}, folder), {"kind": "depth", "chosen": ["skewb"], "said": {"state": "R U"}, "seconds": 9})
    (200, True, {'metric': 'htm', 'depth': 2})
    """
    said = asked.get("said", {})
    try:
        return _OTHERS.get(asked["kind"], _answer)(served, asked, said)
    except EXPECTED as error:
        status, content = problem(error, said.get("max_depth"))
        return status, False, content
    except Exception:  # noqa: BLE001  # a defect must not end the process
        traceback.print_exc()
        return 500, False, FAILED


def _answer(served: Served, asked: dict[str, Any], said: dict[str, Any]) -> Reply:
    kind, chosen = _KINDS[asked["kind"]], Chosen(*asked["chosen"])
    given = Given(*asked["given"]) if asked.get("given") else None
    with notation.limited(MOST_MOVES):
        puzzle = served.find(chosen, given)
        limits = SearchOptions(timeout=asked["seconds"], workers=1)
        content = kind.answer(puzzle, dict(said), limits)
        return 200, kind.is_at_once(puzzle, dict(said)), content


def _describe(served: Served, asked: dict[str, Any], _said: dict[str, Any]) -> Reply:
    name, given = asked["name"], Given(*asked["given"]) if asked.get("given") else None
    return 200, True, answers.described(served.find(Chosen(name), given), name)


def _add(served: Served, asked: dict[str, Any], _said: dict[str, Any]) -> Reply:
    definition = models.Definition.model_validate_json(asked["body"].encode(errors="surrogateescape"))
    given = Given(definition.text, definition.name)
    puzzle: Puzzle = served.find(Chosen(given.made_name), given)
    return 201, False, answers.described(puzzle, given.made_name)


_OTHERS: dict[str, Callable[[Served, dict[str, Any], dict[str, Any]], Reply]] = {"describe": _describe, "add": _add}


if __name__ == "__main__":
    main()
