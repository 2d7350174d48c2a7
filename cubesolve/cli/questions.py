"""The command `depth`, and what it has in common with `solve`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import click

from cubesolve.cli.options import PuzzleCommand, json_option, keep_order_option, note_alg, puzzle_of, states_argument
from cubesolve.cli.running import Answer, Value, answer_all, is_watched, parse_one, show_status
from cubesolve.errors import InvalidMoveError, InvalidStateError, SearchLimitError, in_moves
from cubesolve.runtime.deadline import Deadline, current, running
from cubesolve.search.limits import Progress, proving
from cubesolve.solvers.answers import Solution
from cubesolve.spaces.rules import Query

progress_option = click.option(
    "--progress/--no-progress",
    "is_reported",
    default=None,
    help="Print depth, nodes and nodes a second of a search on stderr.  [default: on a terminal]",
)


@click.command(cls=PuzzleCommand, question="depth", formats=["--format"])
@states_argument
@progress_option
@keep_order_option
@json_option
def depth(**given: Value) -> None:
    """Print the least number of moves that solve each STATE.

    \b
    Examples:
      cubesolve depth UUUUBBRRRRFFDDDDFFLLLLBB
      cubesolve depth --format uva --metric qtm "GGGG WWBB OORR YYYY BBWW RROO"
      cubesolve depth --json - < states.txt
      cubesolve depth --puzzle rubik --timeout 60 --format alg "R U2 F' D"
      cubesolve depth --puzzle skewb "R U' L B"
      cubesolve depth --puzzle rolling --start 2,1 "RBW/RWW/EWW"

    For rolling cubes, STATE is the goal, and the answer counts rolls from --start.
    """
    questions = Questions(**given)

    def answer(text: str) -> Answer:
        query = questions.query(text)
        moves = questions.puzzle.depth(query.state, **query.named)
        return Answer(str(moves), lambda: {**query.about, "depth": moves})

    questions.answer_all(answer)


class Questions:
    """The states and options of a command line."""

    def __init__(
        self,
        *,
        states: tuple[str, ...],
        is_reported: bool | None,
        keep_order: bool,
        as_json: bool,
        form: str | None = None,
        **options: Value,
    ) -> None:
        self.as_json, self._keeps_order = as_json, keep_order
        self.puzzle = puzzle_of()
        rules, form = self.puzzle.rules, form or self.puzzle.forms[0]
        self.texts = states
        self._form_name, self._form, self._read = form, rules.view.forms[form], rules.view.reader(form, **options)
        self._options = {name: value for name, value in options.items() if value is not None}
        self.foreseen = dict[str, Solution]()  # the solutions of the next states, by text
        target = self._options.pop("target", None)
        if target is not None:
            self._options["goal"] = parse_one("--target", target, self._read)
        if is_watched() if is_reported is None else is_reported:
            self._options["progress"] = _progress()

    def query(self, text: str) -> Query:
        query = self.puzzle.rules.query(text, self._read, self._options)
        note_alg(text, self._form_name)
        return query

    def _foresee(self, texts: Sequence[str]) -> None:
        """Solve states together, where that is faster than one after the other."""
        solver = self.puzzle.solver
        if not solver.solves_together(self._options):
            return
        states = dict[str, Any]()
        for text in texts:
            with contextlib.suppress(InvalidStateError, InvalidMoveError):
                states[text] = self.query(text).state
        algs = solver.solve_together(list(states.values()), **self._options)
        self.foreseen = {text: alg for text, alg in zip(states, algs, strict=True) if alg is not None}

    def answer_all(self, answer: Callable[[str], Answer], *, together: bool = False) -> None:
        """Answer every state in order; states without an answer are reported and skipped."""
        how = {"as_json": self.as_json, "keep_order": self._keeps_order, "searches": self.puzzle.rules.searches}

        def answer_in_time(text: str) -> Answer:
            with running(Deadline(self._options.get("timeout"))) as deadline, proving(0):  # reading the state included
                try:
                    return answer(text)
                except KeyboardInterrupt:
                    error = SearchLimitError(deadline.at_least, "before it was interrupted", deadline.solution)
                    raise KeyboardInterrupt(str(error) if deadline.at_least else "") from None

        foresee = self._foresee if together else None
        answer_all(self.texts, self._form, answer_in_time, foresee=foresee, **how)


def _progress() -> Progress:
    last = 0, 0.0

    def print_depth(depth: int, nodes: int, seconds: float) -> None:
        nonlocal last
        before, then = last if nodes >= last[0] and seconds >= last[1] else (0, 0.0)  # else another search
        speed = (nodes - before) / (seconds - then) / 1e6 if seconds > then else 0
        last = nodes, seconds
        best = current()
        bounds = f"  {in_moves(best.solution.length)} found, at least {best.at_least} needed" if best.solution else ""
        show_status(f"depth {depth:2}  nodes {nodes:>15,}  {seconds:8.1f} s  {speed:6.1f} M/s{bounds}")

    return print_depth
