"""Answers to what came in as JSON: the same questions as on the command line, in the same words."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from cubesolve import player
from cubesolve.ask import Puzzle
from cubesolve.errors import InvalidStateError, counted
from cubesolve.facelets import facelet_names
from cubesolve.pictures import Cell, Picture
from cubesolve.search.limits import SearchOptions
from cubesolve.spaces.defined import AT_ONCE
from cubesolve.spaces.facelet_rules import FaceletRules
from cubesolve.spaces.rules import GraphRules, Request, Rules
from cubesolve.web import models
from cubesolve.web.models import MOST_SOLUTIONS

Said = dict[str, Any]
"""What was said in a question, beside which puzzle it is about."""

_MOST_STEPS = 200
_DIGITS = 4  # of the corners of cells
_LONGEST = 10**300  # states; JSON has no place for more figures


class Kind(NamedTuple):
    """A kind of question.

    Attributes:
        name: what it is called.
        summary: what it asks, in a line.
        asked: what can be said.
        answered: what comes back.
        answer: what answers it.
        is_at_once: whether the answer is there in a moment, so that nothing else need wait for it.
        is_short: whether it needs neither a table nor a search in any case.
    """

    name: str
    summary: str
    asked: type[BaseModel]
    answered: type[BaseModel]
    answer: Callable[[Puzzle, Said, SearchOptions], dict[str, Any]]
    is_at_once: Callable[[Puzzle, Said], bool]
    is_short: bool = False


# -- Reading questions -------------------------------------------------------------------------------------------------


def _split(puzzle: Puzzle, question: str, said: Said, *own: str) -> tuple[Said, Said]:
    """The values of the puzzle's options that were said, and what else was.

    Raises:
        ValueError: one means nothing for the puzzle, has no such value, or is missing.
    """
    options = {option.name: option for option in puzzle.rules.options if question in option.questions}
    unknown = said.keys() - options.keys() - {"state", "form", *own}
    if unknown:
        expected = ", ".join(
            sorted({"state", "format", *own, *(name for name in options if name not in models.LEFT_OUT)})
        )
        raise ValueError(f"{', '.join(sorted(unknown))} means nothing for the {puzzle.title}: expected {expected}")
    read = {}
    for name, option in options.items():
        value = said.get(name, option.default)
        if value is None and option.required:
            raise ValueError(f"{name} is missing: {option.help}")
        if value is not None:
            read[name] = _read(name, option.read, value)
    return read, {name: value for name, value in said.items() if name not in options}


def _read(name: str, read: Callable[[str], Any], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return read(value)
    except InvalidStateError:
        raise
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _reader(rules: Rules, said: Said, **options: Any) -> Callable[[str], Any]:
    form = said.get("form") or next(iter(rules.view.forms))
    if form not in rules.view.forms:
        raise ValueError(f"format: {form!r} is not one of {', '.join(rules.view.forms)}")
    return rules.view.reader(form, **options)


def _asked(puzzle: Puzzle, question: str, said: Said, *own: str) -> tuple[Request, Said]:
    options, rest = _split(puzzle, question, said, *own)
    read = _reader(puzzle.rules, rest, **options)
    target = options.pop("target", None)
    if target is not None:
        options["goal"] = read(target)
    return puzzle.rules.asked(rest["state"], read, options), rest


def _limited(named: Mapping[str, Any], limits: SearchOptions) -> dict[str, Any]:
    """What is said by name, within the limits."""
    times = [time for time in (named.get("timeout"), limits.get("timeout")) if time is not None]
    timeout = {"timeout": min(times)} if times else {}
    return {**named, **limits, **timeout}


# -- Answering them ----------------------------------------------------------------------------------------------------


def _depth(puzzle: Puzzle, said: Said, limits: SearchOptions) -> dict[str, Any]:
    asked, _ = _asked(puzzle, "depth", said)
    return {**asked.about, "depth": puzzle.depth(asked.state, **_limited(asked.named, limits))}


def _solve(puzzle: Puzzle, said: Said, limits: SearchOptions) -> dict[str, Any]:
    asked, rest = _asked(puzzle, "solve", said, "all", "count", "slack")
    named, rules = _limited(asked.named, limits), puzzle.rules
    every, count, slack = rest.get("all"), rest.get("count"), rest.get("slack")
    if every and count:
        raise ValueError("all and count exclude each other")
    if (every or count) and "within" in named:
        raise ValueError("within is about one solution, not all of the shortest")
    if slack is not None and not every:
        raise ValueError("slack is about all")
    if slack is not None and not puzzle.lists_longer:
        raise ValueError(f"slack means nothing for the {puzzle.title}")
    if count:
        return {**asked.about, "count": puzzle.count_solutions(asked.state, **named)}
    if not every:
        alg = puzzle.solve(asked.state, **named)
        proved = {"at_least": alg.at_least} if named.get("within") is not None else {}
        return {**asked.about, rules.unit: rules.view.count(alg), "solution": alg, **proved}
    if not slack:
        number = puzzle.count_solutions(asked.state, **named)
        if number > MOST_SOLUTIONS:
            raise ValueError(
                f"there are {counted(number)} shortest solutions, and at most {MOST_SOLUTIONS:,} are listed"
            )
    longer = {} if slack is None else {"slack": slack}
    algs = list(itertools.islice(puzzle.solutions(asked.state, **named, **longer), MOST_SOLUTIONS + 1))
    if len(algs) > MOST_SOLUTIONS:
        raise ValueError(f"there are more solutions than are listed: at most {MOST_SOLUTIONS:,}")
    return {**asked.about, rules.unit: rules.view.count(algs[0]), "solutions": algs}


def _moves(puzzle: Puzzle, said: Said, limits: SearchOptions) -> dict[str, Any]:
    asked, _ = _asked(puzzle, "solve", said)
    if asked.named.get("within") is not None:
        raise ValueError("within is about one solution, not all of the shortest")
    return {**asked.about, "moves": puzzle.optimal_moves(asked.state, **_limited(asked.named, limits))}


def _play(puzzle: Puzzle, said: Said, _limits: SearchOptions) -> dict[str, Any]:
    asked, rest = _asked(puzzle, "solve", said, "alg")
    rules = puzzle.rules
    moves = rules.view.split(alg := rest.get("alg", ""))
    if len(moves) > _MOST_STEPS:
        raise ValueError(f"alg: {len(moves):,} moves, and at most {_MOST_STEPS} are shown")
    state = rules.begin(asked)
    scene = rules.view.scene(state)
    motions = player.steps(rules, state, scene, moves) if scene else itertools.repeat(None, len(moves))
    steps = [
        {"move": move, "motion": motion, **_shown(puzzle, each)}
        for move, motion, (_, each) in zip([None, *moves], [None, *motions], rules.view.steps(state, alg), strict=True)
    ]
    return {"scene": player.drawn(scene) if scene else None, "steps": steps}


def _motions(puzzle: Puzzle, said: Said, _limits: SearchOptions) -> dict[str, Any]:
    asked, _ = _asked(puzzle, "solve", said)
    rules = puzzle.rules
    state = rules.begin(asked)
    scene = rules.view.scene(state)
    if scene is None:
        raise ValueError(f"the {rules.title} cannot be shown in space")
    return {"scene": player.drawn(scene), "motions": player.choices(rules, state, scene, puzzle.moves)}


def _scramble(puzzle: Puzzle, said: Said, limits: SearchOptions) -> dict[str, Any]:
    options, rest = _split(puzzle, "scramble", said, "depth", "length", "seed")
    named = _limited(options, limits)
    rng = random.Random(rest.get("seed"))
    return {"scramble": puzzle.scramble(rng, depth=rest.get("depth"), length=rest.get("length"), **named)}


def _random(puzzle: Puzzle, said: Said, _limits: SearchOptions) -> dict[str, Any]:
    options, rest = _split(puzzle, "random", said, "depth", "seed")
    options = {name: value for name, value in options.items() if name in said}  # some mean nothing without a depth
    state = puzzle.random_state(random.Random(rest.get("seed")), rest.get("depth"), **options)
    return {"state": str(state)}


def _show(puzzle: Puzzle, said: Said, _limits: SearchOptions) -> dict[str, Any]:
    options, rest = _split(puzzle, "show", said)
    how = {"model": options["model"]} if "model" in options else {}
    return _shown(puzzle, _reader(puzzle.rules, rest, **options)(rest["state"]), **how)


def _shown(puzzle: Puzzle, state: Any, **how: Any) -> dict[str, Any]:
    picture: Picture | None = puzzle.rules.view.picture(state, **how)
    return {
        "state": str(state),
        "solved": getattr(state, "is_solved", None),
        "cells": picture and [_cell(each) for each in picture.cells],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    outline = [[round(float(x), _DIGITS), round(float(y), _DIGITS)] for x, y in cell.outline]
    return {**cell._asdict(), "colour": f"#{bytes(cell.colour).hex()}", "outline": outline}


def _convert(puzzle: Puzzle, said: Said, limits: SearchOptions) -> dict[str, Any]:
    options, rest = _split(puzzle, "convert", said, "to")
    state = _reader(puzzle.rules, rest, **options)(rest["state"])
    timeout = {"timeout": _limited(options, limits).get("timeout")}
    return {"format": rest["to"], "written": puzzle.write(state, rest["to"], **timeout)}


# -- Which take a while ------------------------------------------------------------------------------------------------


def _looks_up_depth(puzzle: Puzzle, said: Said) -> bool:
    asked, _ = _asked(puzzle, "depth", said)
    return puzzle.answers_at_once(asked.state, **asked.named)


def _looks_up(puzzle: Puzzle, said: Said) -> bool:
    if not isinstance(puzzle.rules, GraphRules) or said.get("all") or said.get("count"):
        return False
    asked, _ = _asked(puzzle, "solve", said, "all", "count", "slack")
    return puzzle.answers_at_once(asked.state, **asked.named)


def _takes_a_while(_puzzle: Puzzle, _said: Said) -> bool:
    return False


KINDS = (
    Kind(
        "depth",
        "The least number of moves that solve a state.",
        models.Depth,
        models.DepthAnswer,
        _depth,
        _looks_up_depth,
    ),
    Kind("solve", "A shortest solution, or all, or how many.", models.Solve, models.SolveAnswer, _solve, _looks_up),
    Kind("moves", "The moves that lead nearer.", models.Moves, models.MovesAnswer, _moves, _looks_up),
    Kind("play", "The states on a way.", models.Play, models.PlayAnswer, _play, _takes_a_while, is_short=True),
    Kind(
        "motions",
        "What each move turns in space.",
        models.Motions,
        models.MotionsAnswer,
        _motions,
        _takes_a_while,
        is_short=True,
    ),
    Kind("scramble", "Moves to a random state.", models.Scramble, models.ScrambleAnswer, _scramble, _takes_a_while),
    Kind("random", "A random state.", models.Random, models.StateAnswer, _random, _takes_a_while),
    Kind("show", "A state as cells.", models.Show, models.Shown, _show, _takes_a_while, is_short=True),
    Kind("convert", "A state in another format.", models.Convert, models.ConvertAnswer, _convert, _takes_a_while),
)
"""All kinds of questions."""


# -- What puzzles there are --------------------------------------------------------------------------------------------


def listed(rules: Rules, name: str) -> dict[str, Any]:
    """A puzzle in the list."""
    states = rules.number_of_states
    return {
        "name": name,
        "title": rules.title,
        "states": states if states is None or states < _LONGEST else None,
        "gods_number": rules.gods_number,
        "metric": rules.metrics[0],
    }


def described(puzzle: Puzzle, name: str) -> dict[str, Any]:
    """What there is to be known of a puzzle before one asks."""
    rules = puzzle.rules
    questions = ("depth", "solve", "scramble", "random", "show", "convert")
    said = {each: [option.name for option in models.options(rules, each)] for each in questions}
    return {
        **listed(rules, name),
        "gods_number": rules.gods_number or _gods_number(puzzle),
        "metrics": list(rules.metrics),
        "moves": list(puzzle.moves),
        "unit": rules.unit,
        "formats": {form: known.help for form, known in rules.view.forms.items()},
        "goals": sorted(rules.view.goals) if isinstance(rules, FaceletRules) else [],
        "options": said,
        "format": "pieces" if "pieces" in rules.view.forms else next(iter(rules.view.forms)),
        "solved": str(rules.view.solved(None)),
        "facelets": list(facelet_names(rules.view.size)) if isinstance(rules, FaceletRules) else None,
        "searches": rules.searches,
        "needs_start": any(option.required for option in rules.options),
    }


def _gods_number(puzzle: Puzzle) -> int | None:
    """That of a puzzle whose table is made at once."""
    states = puzzle.rules.number_of_states
    return len(puzzle.distribution()) - 1 if states is not None and states <= AT_ONCE else None
