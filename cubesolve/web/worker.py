"""A worker process: reads questions from stdin, a line of JSON each, and writes answers to stdout, a line each.

The first line describes the puzzles (`Served`), the priority of the process (``nicer``), and whether it prepares for
searches (``warm``). The process answers with an empty line when it is ready; it prepares afterwards, besides answering.

Each following line is a question: its ``kind``, an endpoint or another key of `_ANSWERS`, the ``chosen`` puzzle, the
other ``fields`` of the request, the time limit in ``seconds``, and the text of an uploaded puzzle (``given``). The
answer has a status, 1 if the same question about another state will be answered at once, and the content:
``200 1 {"depth":3}``.

The end of stdin ends the process at once. The server has been killed then, because a server that shuts down kills its
processes; so the process also removes the server's folder.
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
from cubesolve.web.answers import ENDPOINTS
from cubesolve.web.problems import EXPECTED, problem
from cubesolve.web.served import ChosenPuzzle, Served, UploadedText

MOST_MOVES = 1_000
"""The largest number of moves of an expanded alg."""

FAILED = {"error": "internal error; see the server's log"}
"""The content of the answer after a defect."""

_LONGEST_WARMING = 600.0  # seconds
_TRIES = 10  # attempts to remove a folder, into which a search may still write

_ENDPOINTS = {endpoint.name: endpoint for endpoint in ENDPOINTS}
_WARM = ("rubik", "F2 R2 B2 R2 F U' B2 L2 U2 D F' U2 R' F' B2 R' D", 10)  # one more move than numpy finds

Reply = tuple[int, bool, Any]
"""A status, whether the same question about another state will be answered at once, and the content."""


def main() -> None:
    """Answer questions until stdin ends."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    begin = json.loads(sys.stdin.readline() or "{}")
    if not begin:
        return
    threading.Thread(target=_listen, args=(sys.stdin, lines, begin["folder"]), daemon=True).start()
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # stray prints must not look like answers
        if begin["nicer"] and hasattr(os, "nice"):
            with contextlib.suppress(OSError):
                os.nice(begin["nicer"])
        served = Served(begin["files"], begin["folder"], begin["directory"])
        _say(out, "")
        if begin["warm"]:
            puzzle = served.find(ChosenPuzzle(_WARM[0]))
            threading.Thread(target=_warm, args=(puzzle,), daemon=True).start()
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


def _warm(puzzle: Puzzle) -> None:
    """Load the modules and kernels of searches, so that the first search does not wait for them."""
    _, alg, moves = _WARM
    with contextlib.suppress(*EXPECTED):
        # With a time limit, other processes compile, so that this one can answer meanwhile.
        puzzle.solve(puzzle.parse(alg, "alg"), max_depth=moves, workers=1, timeout=_LONGEST_WARMING)


def reply(served: Served, question: dict[str, Any]) -> Reply:
    """Answer a question of any kind; errors become answers.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reply(Served({}, folder), {"kind": "depth", "chosen": ["skewb"], "fields": {"state": "R U"}, "seconds": 9})
    (200, True, {'metric': 'htm', 'depth': 2})
    """
    fields = question.get("fields", {})
    try:
        return _ANSWERS.get(question["kind"], _answer)(served, question, fields)
    except EXPECTED as error:
        status, content = problem(error, fields.get("max_depth"))
        return status, False, content
    except Exception:  # noqa: BLE001  # a defect must not end the process
        traceback.print_exc()
        return 500, False, FAILED


def _answer(served: Served, question: dict[str, Any], fields: dict[str, Any]) -> Reply:
    endpoint, chosen = _ENDPOINTS[question["kind"]], ChosenPuzzle(*question["chosen"])
    given = UploadedText(*question["given"]) if question.get("given") else None
    with notation.limited(MOST_MOVES):
        puzzle = served.find(chosen, given)
        limits = SearchOptions(timeout=question["seconds"], workers=1)
        content = endpoint.answer(puzzle, dict(fields), limits)
        return 200, endpoint.is_at_once(puzzle, dict(fields)), content


def _describe(served: Served, question: dict[str, Any], _fields: dict[str, Any]) -> Reply:
    name, given = question["name"], UploadedText(*question["given"]) if question.get("given") else None
    return 200, True, answers.described(served.find(ChosenPuzzle(name), given), name)


def _add(served: Served, question: dict[str, Any], _fields: dict[str, Any]) -> Reply:
    definition = models.Definition.model_validate_json(question["body"].encode(errors="surrogateescape"))
    given = UploadedText(definition.text, definition.name)
    puzzle: Puzzle = served.find(ChosenPuzzle(given.made_name), given)
    return 201, False, answers.described(puzzle, given.made_name)


_ANSWERS: dict[str, Callable[[Served, dict[str, Any], dict[str, Any]], Reply]] = {"describe": _describe, "add": _add}


if __name__ == "__main__":
    main()
