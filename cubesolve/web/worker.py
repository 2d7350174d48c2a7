"""A worker process: reads questions from stdin, a line of JSON each, and writes answers to stdout, a line each.

The first line describes the puzzles (`Served`), the priority of the process (``nicer``), and whether it prepares for
searches (``warm``). The process answers with an empty line when it is ready; it prepares afterwards, besides answering.

Each following line is a question: its ``kind``, which is an endpoint, `IMPROVE`, ``describe`` or ``add``, the
``chosen`` puzzle, the other ``fields`` of the request, the time limit in ``seconds``, and the text of an uploaded
puzzle (``given``). The answer has a status, 1 if the same question about another state will be answered at once, and
the content:
``200 1 {"depth":3}``. The answer of `IMPROVE` has several lines, all but the last with the status `MORE`. The line
``null`` ends the question under way, if there is one, at its next check for that.

The end of stdin ends the process at once. The server has been killed then, because a server that shuts down kills its
processes; so the process also leaves another one behind, which removes the server's folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, TextIO

from cubesolve.ask import Puzzle
from cubesolve.definition import notation
from cubesolve.runtime.deadline import Deadline, running
from cubesolve.search.limits import proving, within_limits
from cubesolve.web import answers, models, practice
from cubesolve.web.problems import EXPECTED, longest, problem
from cubesolve.web.searches import MORE
from cubesolve.web.served import ChosenPuzzle, Served, UploadedText

MOST_MOVES = 1_000  # the largest number of moves of an expanded alg
IMPROVE = "improve"  # the kind of question that has better and better answers
FAILED = {"error": "internal error; see the server's log"}  # the content of the answer after a defect

_LONGEST_WARMING = 600.0  # seconds
_REMOVER = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"

_ENDPOINTS = {IMPROVE: None, **{endpoint.name: endpoint for endpoint in (*answers.ENDPOINTS, practice.SHEET)}}
_WARM = ("rubik", "F2 R2 B2 R2 F U' B2 L2 U2 D F' U2 R' F' B2 R' D", 11)  # one more move than numpy finds

Line = tuple[str, threading.Event]  # a question, and an event that ends it

# A status, whether the same question about another state will be answered at once, and the content.
Reply = tuple[int, bool, Any]

Send = Callable[[Reply], object]  # sends an answer that is not the last one


def main() -> None:
    """Answer questions until stdin ends."""
    lines: queue.SimpleQueue[Line] = queue.SimpleQueue()
    begin = json.loads(sys.stdin.readline() or "{}")
    if not begin:
        return
    threading.Thread(target=_listen, args=(sys.stdin, lines, begin["folder"]), daemon=True).start()
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # stray prints must not look like answers
        if begin["nicer"] and hasattr(os, "nice"):
            with contextlib.suppress(OSError):
                os.nice(begin["nicer"])
        served = Served(begin["files"], begin["folder"])
        _write_line(out, "")
        if begin["warm"]:
            puzzle = served.find(ChosenPuzzle(_WARM[0]))
            threading.Thread(target=_warm, args=(puzzle,), daemon=True).start()

        def send(found: Reply) -> None:
            status, at_once, content = found
            _write_line(out, f"{status} {at_once:d} {json.dumps(content, separators=(',', ':'))}")

        while True:
            line, cancelled = lines.get()
            send(reply(served, json.loads(line), send, cancelled))


def _write_line(out: TextIO, line: str) -> None:
    out.write(f"{line}\n")
    out.flush()


def _listen(stream: TextIO, lines: queue.SimpleQueue[Line], folder: str) -> None:
    cancelled = threading.Event()
    for line in stream:
        if line == "null\n":
            cancelled.set()
        else:
            cancelled = threading.Event()  # a question can be dropped before it is begun
            lines.put((line, cancelled))
    _remove_later(folder)
    os._exit(0)


def _remove_later(folder: str) -> None:
    """Remove a folder as soon as this process has ended; until then, a search may still write into it."""
    command = [sys.executable, "-c", _REMOVER, folder]
    subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


def _warm(puzzle: Puzzle) -> None:
    _, alg, moves = _WARM
    with contextlib.suppress(*EXPECTED):
        # With a time limit, other processes compile kernels, and this one can answer meanwhile.
        puzzle.solve(puzzle.parse(alg, "alg"), max_depth=moves, workers=1, timeout=_LONGEST_WARMING)


def reply(
    served: Served, question: dict[str, Any], send: Send = bool, cancelled: threading.Event | None = None
) -> Reply:
    """Answer a question of any kind; errors become answers.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reply(Served({}, folder), {"kind": "depth", "chosen": ["skewb"], "fields": {"state": "R U"}, "seconds": 9})
    (200, True, {'metric': 'htm', 'depth': 2})
    """
    fields, kind = question.get("fields", {}), question["kind"]
    try:
        if kind == "add":
            definition = models.Definition.model_validate_json(question["body"].encode(errors="surrogateescape"))
            added = UploadedText(definition.text, definition.name)
            return 201, False, _described(served, added.made_name, added)
        given = UploadedText(*question["given"]) if question.get("given") else None
        if kind == "describe":
            return 200, True, _described(served, question["name"], given)
        endpoint = _ENDPOINTS[kind]
        limits = {"timeout": question["seconds"], "cancel": cancelled}
        with notation.limited(MOST_MOVES):
            puzzle: Puzzle = served.find(ChosenPuzzle(*question["chosen"]), given)
            if endpoint is None:
                return _improve(puzzle, question, limits, send)
            if endpoint.is_short:  # without a thread, which takes as long as a small answer
                with running(Deadline(**limits)), proving(0):
                    content = endpoint.answer(puzzle, dict(fields))
            else:
                content = within_limits(endpoint.answer, puzzle, dict(fields), **limits)
            return 200, bool(endpoint.is_at_once and endpoint.is_at_once(puzzle, dict(fields))), content
    except EXPECTED as error:
        status, content = problem(error, longest(fields))
        return status, False, content
    except Exception:  # noqa: BLE001  # a defect must not end the process
        traceback.print_exc()
        return 500, False, FAILED


def _described(served: Served, name: str, given: UploadedText | None) -> dict[str, Any]:
    return answers.described(served.find(ChosenPuzzle(name), given), name)


def _improve(puzzle: Puzzle, question: dict[str, Any], limits: dict[str, Any], send: Send) -> Reply:
    content: dict[str, Any] = {}
    for content in within_limits(answers.improvements, puzzle, question["fields"], **limits):
        if not question.get("first"):
            send((MORE, False, content))
        elif not content["proved"]:  # or else the next step tells whether it is accepted
            break
    return 200, False, content


if __name__ == "__main__":
    main()
