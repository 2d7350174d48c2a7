"""The endpoints for practice: analyses of solutions, trainers, cases and their algs, scrambles for events."""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping
from typing import Any

from cubesolve.ask import Puzzle
from cubesolve.definition.cases import Case, Cases
from cubesolve.errors import did_you_mean, families, quoted
from cubesolve.practice.analysis import SteppedSolution, analyse, shortest_chain
from cubesolve.practice.ergonomics import USUAL
from cubesolve.practice.events import EVENTS, EXTRA, scrambles, sheet_of
from cubesolve.practice.trainers import case_scrambles, step_scrambles
from cubesolve.solvers.case_algs import Cost
from cubesolve.web import models
from cubesolve.web.answers import MOST_STEPS, WORKERS, Endpoint, Fields, drawn, endpoint

_COSTS: Mapping[str, Cost] = {"length": len, "ergonomic": USUAL.cost}


# -- Analyses ----------------------------------------------------------------------------------------------------------


@endpoint(models.Analyse, models.AnalyseAnswer)
def _analyse(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return what each move of a solution brought, and what its steps cost; or find a solution in steps."""
    if puzzle.rules.needs_goal or puzzle.rules.is_directed:
        raise ValueError(f"analyses are not supported for the {puzzle.title}")
    niss = fields["niss"]
    if niss and fields.get("inverse"):
        raise ValueError("inverse and niss exclude each other")
    view, given = puzzle.rules.view, [fields["scramble"], fields.get("solution", "").strip()]
    scramble, solution = [view.invert(alg) if fields.get("inverse") else alg for alg in given]
    names = [name.strip() for name in fields.get("steps", "").split(",") if name.strip()]
    moves, start = view.split(solution), view.scrambled(scramble)
    if len(moves) > MOST_STEPS:
        raise ValueError(f"solution has {len(moves):,} moves; at most {MOST_STEPS} can be analysed")
    if not (moves or names):
        raise ValueError("without a solution, steps are needed: those of the solution to find")
    options = {"niss": niss, "share": fields.get("share"), "workers": WORKERS}
    if not moves:
        chain = shortest_chain(puzzle, start, names, slack=fields["slack"], **options)
        return {**_chain(puzzle, chain), "state": str(start)}
    analysis = analyse(puzzle, start, solution, names, **options)
    return {**analysis.fields, "solution": solution, "state": str(start)}


def _chain(puzzle: Puzzle, chain: SteppedSolution) -> dict[str, Any]:
    parts = [(name, alg, puzzle.rules.view.count(alg)) for name, alg in chain.parts]
    bounds = {"at_least": 0, "optimal": None}  # a step of a chain may be longer than it need be
    steps = [{"name": name, "alg": alg, "length": length, **bounds} for name, alg, length in parts]
    return {"lost": 0, "positions": [], "steps": steps, "solution": chain.alg}


# -- Trainers ----------------------------------------------------------------------------------------------------------


@endpoint(models.Train, models.TrainAnswer)
def _train(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return an alg to a random state for practising a step or a case."""
    rng, case = random.Random(fields.get("seed")), fields.get("case")
    step, depth, solved = (fields.get(name) for name in ("step", "depth", "solved"))
    if case is not None:
        if any(value is not None for value in (step, depth, solved)):
            raise ValueError("case excludes step, depth and solved")
        cases, chosen = _named(puzzle, case)
        which = None if chosen is None else chosen.name
        (alg,) = case_scrambles(puzzle, cases, 1, rng, which=which)
    else:
        if step is None and (depth is not None or solved is None):
            raise ValueError("depth requires a step" if depth is not None else "step, solved or case is missing")
        for goal in (step, solved):
            _require_goal(puzzle, goal)
        (alg,) = step_scrambles(puzzle, 1, rng, goal=step, depth=depth, solved=solved, workers=WORKERS)
    return {"scramble": alg, "state": str(puzzle.rules.view.scrambled(alg))}


def _require_goal(puzzle: Puzzle, name: str | None) -> None:
    """Reject a goal without a name: the tables of others would fill the server's folder."""
    goals = puzzle.rules.view.named_steps.goals
    if name is not None and name not in goals:
        hint = did_you_mean(name, goals) or (f"expected {families(goals)}" if goals else "it has none")
        raise ValueError(f"{quoted(name)} is not a named goal of the {puzzle.title}: {hint}")


# -- Cases -------------------------------------------------------------------------------------------------------------


@functools.lru_cache(8)
def _set(puzzle: Puzzle, name: str) -> Cases:
    return puzzle.cases(name)


def _named(puzzle: Puzzle, text: str) -> tuple[Cases, Case | None]:
    name, _, which = text.partition(":")
    cases = _set(puzzle, name)
    try:
        return cases, cases[which] if which else None
    except KeyError as error:
        raise ValueError(error.args[0]) from None


@endpoint(models.Cases, models.CasesAnswer, is_short=True)
def _cases(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """List the cases of a set."""
    of_set = _set(puzzle, fields["set"])
    about = {"set": of_set.name, "title": of_set.about.title, "total": len(of_set)}
    cases = of_set[fields["offset"] : fields["offset"] + fields["limit"]]
    return {**about, "cases": [_shown(of_set, case) for case in cases]}


def _shown(found: Cases, case: Case) -> dict[str, Any]:
    picture = found.picture(case)
    return {
        **case._asdict(),
        "probability": float(case.probability),
        "state": str(case.state),
        "pattern": found.shown(case),
        "cells": picture and [drawn(cell) for cell in picture.cells],
    }


@endpoint(models.Algs, models.AlgsAnswer)
def _algs(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return the best algs of a case."""
    cases, case = _named(puzzle, fields["case"])
    if case is None:
        raise ValueError(f"case names a set: add one of its cases, as {cases.name}:{cases[-1].name}")
    question: dict[str, Any] = {name: fields.get(name) for name in ("moves", "number", "slack")}
    question |= {"cost": _COSTS[fields["cost"]], "most": fields["max_length"], "workers": WORKERS}
    (best,) = puzzle.algs(cases.name, case.name, **question)
    about = {"number": best.case.number, "name": best.case.name, "state": str(best.case.state)}
    return {**about, "optimal": best.optimal, "algs": [alg._asdict() for alg in best.algs]}


# -- Events ------------------------------------------------------------------------------------------------------------


def _drawn(fields: Fields, number: int) -> list[Any]:
    rng = random.Random(fields.get("seed"))
    return list(scrambles(fields["event"], number, rng))


@endpoint(models.Scrambles, models.ScramblesAnswer, is_short=True)
def _event(_puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return scrambles for an event."""
    scrambles = _drawn(fields, fields["number"])
    listed = [{"scramble": scramble.alg, "state": str(scramble.state)} for scramble in scrambles]
    return {"event": fields["event"], "puzzle": scrambles[0].event.puzzle, "scrambles": listed}


def _sheet(_puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    event = EVENTS.get(fields["event"])
    number = fields.get("number") or (event.attempts if event else 1)
    captions = [*map(str, range(1, number + 1)), *EXTRA]
    scrambles = _drawn(fields, len(captions))
    return {"sheet": sheet_of(list(zip(captions, scrambles, strict=True)))}


LISTED_EVENTS = [{name: getattr(event, name) for name in models.Event.model_fields} for event in EVENTS.values()]


# The sheet, which is asked by GET and answered as HTML.
SHEET = Endpoint("sheet", "Return a sheet of scrambles.", models.Sheet, models.Sheet, _sheet, is_short=True)
