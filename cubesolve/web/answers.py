"""The endpoints of the JSON interface: the questions of the command line, with the same options."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from cubesolve.ask import Puzzle
from cubesolve.definition.definition import Power
from cubesolve.definition.facelet_view import FaceletView
from cubesolve.definition.facelets import facelet_names
from cubesolve.definition.options import Option
from cubesolve.definition.rotations import rotations_of
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidMoveError, InvalidStateError, counted
from cubesolve.group.moves import is_plain
from cubesolve.group.permutations import after
from cubesolve.picture import player
from cubesolve.picture.pictures import Cell, Picture
from cubesolve.spaces.defined import derived
from cubesolve.spaces.rules import GraphRules, Query, Rules
from cubesolve.spaces.tables import AT_ONCE
from cubesolve.web import models
from cubesolve.web.models import MOST_SOLUTIONS

Fields = dict[str, Any]  # the fields of a request, without those that choose the puzzle

WORKERS = 1  # the number of threads of a search, because several searches share the processors
MOST_STEPS = 200  # the largest number of moves that are shown
_ACCEPTED = ("within", "max_length")  # options of solutions that need not be optimal
_DIGITS = 4  # of the corners of cells
_LONGEST = 10**300  # states; larger numbers overflow in JavaScript


Answering = Callable[[Puzzle, Fields], dict[str, Any]]  # answers the fields of a request
IsAtOnce = Callable[[Puzzle, Fields], bool]  # returns whether the answer takes too little time to delay other requests


class Endpoint(NamedTuple):
    """An endpoint that answers questions."""

    name: str  # its name, in the path
    summary: str  # a description, in a line
    request: type[BaseModel]  # the model of its requests
    response: type[BaseModel]  # the model of its answers
    answer: Answering
    is_at_once: IsAtOnce | None = None  # None if no answer is at once
    is_short: bool = False  # whether it needs no search, or only one that takes a moment


ENDPOINTS: list[Endpoint] = []  # all endpoints that answer questions by POST, with those of `practice`


def endpoint(
    request: type[BaseModel], response: type[BaseModel], is_at_once: IsAtOnce | None = None, *, is_short: bool = False
) -> Callable[[Answering], Answering]:
    """Make an endpoint of a function, with the function's name and docstring."""

    def register(answer: Answering) -> Answering:
        name, summary = answer.__name__.lstrip("_"), answer.__doc__ or ""
        ENDPOINTS.append(Endpoint(name, summary, request, response, answer, is_at_once, is_short))
        return answer

    return register


# -- Reading requests --------------------------------------------------------------------------------------------------


def _split(puzzle: Puzzle, question: str, fields: Fields, *own: str) -> tuple[Fields, Fields]:
    options = {option.name: option for option in puzzle.rules.options if question in option.questions}
    unknown = fields.keys() - options.keys() - {"state", "form", *own}
    if unknown:
        expected = ", ".join(
            sorted({"state", "format", *own, *(name for name in options if name not in models.LEFT_OUT)})
        )
        raise ValueError(f"{', '.join(sorted(unknown))} is not supported for the {puzzle.title}: expected {expected}")
    read = {}
    for name, option in options.items():
        value = fields.get(name, option.default)
        if value is None and option.required:
            raise ValueError(f"{name} is missing: {option.help}")
        if value is not None:
            read[name] = _read(option, value)
    if "workers" in options:
        read["workers"] = WORKERS
    read.pop("timeout", None)  # it limits the whole answer
    return read, {name: value for name, value in fields.items() if name not in options}


def _read(option: Option, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if option.choices and value not in option.choices:
        raise ValueError(f"{option.name} must be {' or '.join(map(repr, option.choices))}")
    try:
        return option.read(value)
    except InvalidStateError:
        raise
    except ValueError as error:
        raise ValueError(f"{option.name}: {error}") from None


def _reader(rules: Rules, fields: Fields, **options: Any) -> Callable[[str], Any]:
    form = fields.get("form") or next(iter(rules.view.forms))
    if form not in rules.view.forms:
        raise ValueError(f"format: {form!r} is not one of {', '.join(rules.view.forms)}")
    return rules.view.reader(form, **options)


def _query(puzzle: Puzzle, question: str, fields: Fields, *own: str) -> tuple[Query, Fields]:
    options, rest = _split(puzzle, question, fields, *own)
    read = _reader(puzzle.rules, rest, **options)
    target = options.pop("target", None)
    if target is not None:
        options["goal"] = read(target)
    return puzzle.rules.query(rest["state"], read, options), rest


# -- Requests that are answered at once --------------------------------------------------------------------------------


def _looks_up_depth(puzzle: Puzzle, fields: Fields) -> bool:
    query, _ = _query(puzzle, "depth", fields)
    return puzzle.answers_at_once(query.state, **query.named)


def _looks_up(puzzle: Puzzle, fields: Fields) -> bool:
    if not isinstance(puzzle.rules, GraphRules) or fields.get("all") or fields.get("count"):
        return False
    query, _ = _query(puzzle, "solve", fields, "all", "count", "slack")
    named = {name: value for name, value in query.named.items() if name not in _ACCEPTED}
    return puzzle.answers_at_once(query.state, **named)


# -- Answering them ----------------------------------------------------------------------------------------------------


@endpoint(models.Depth, models.DepthAnswer, _looks_up_depth)
def _depth(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return the least number of moves that solve a state."""
    query, _ = _query(puzzle, "depth", fields)
    return {**query.about, "depth": puzzle.depth(query.state, **query.named)}


@endpoint(models.Solve, models.SolveAnswer, _looks_up)
def _solve(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return an optimal solution, all, or their number."""
    query, rest = _query(puzzle, "solve", fields, "all", "count", "slack")
    named, rules = query.named, puzzle.rules
    every, count, slack = rest.get("all"), rest.get("count"), rest.get("slack")
    if every and count:
        raise ValueError("all and count exclude each other")
    for name in _ACCEPTED:
        if (every or count) and named.get(name) is not None:
            raise ValueError(f"{name} finds one solution, and excludes all and count")
    if slack is not None and not every:
        raise ValueError("slack requires all")
    if slack is not None and not puzzle.lists_longer:
        raise ValueError(f"slack is not supported for the {puzzle.title}")
    if count:
        return {**query.about, "count": puzzle.count_solutions(query.state, **named)}
    if not every:
        alg = puzzle.solve(query.state, **named)
        is_optimal = named.get("within") is None and named.get("max_length") is None
        proved = {} if is_optimal else {"at_least": alg.at_least}
        return {**query.about, rules.unit: alg.length, "solution": alg, **proved}
    if not slack:
        number = puzzle.count_solutions(query.state, **named)
        if number > MOST_SOLUTIONS:
            raise ValueError(f"there are {counted(number)} optimal solutions; at most {MOST_SOLUTIONS:,} can be listed")
    longer = {} if slack is None else {"slack": slack}
    algs = list(itertools.islice(puzzle.solutions(query.state, **named, **longer), MOST_SOLUTIONS + 1))
    if len(algs) > MOST_SOLUTIONS:
        raise ValueError(f"there are too many solutions; at most {MOST_SOLUTIONS:,} can be listed")
    return {**query.about, rules.unit: rules.view.count(algs[0], named.get("metric")), "solutions": algs}


def improvements(puzzle: Puzzle, fields: Fields) -> Iterator[dict[str, object]]:
    """Yield better and better solutions, with the lower bounds proved by then."""
    query, _ = _query(puzzle, "solve", fields)
    for alg in puzzle.improvements(query.state, **query.named):
        bounds = {puzzle.rules.unit: alg.length, "at_least": alg.at_least, "proved": alg.is_proved}
        yield {**query.about, **bounds, "solution": alg}


@endpoint(models.Moves, models.MovesAnswer, _looks_up)
def _moves(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return the moves that begin an optimal solution."""
    query, _ = _query(puzzle, "solve", fields)
    for name in _ACCEPTED:
        if query.named.get(name) is not None:
            raise ValueError(f"{name} is not supported here: moves are those of all optimal solutions")
    return {**query.about, "moves": puzzle.optimal_moves(query.state, **query.named)}


@endpoint(models.Play, models.PlayAnswer, is_short=True)
def _play(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return the states along an alg."""
    query, rest = _query(puzzle, "solve", fields, "alg")
    rules = puzzle.rules
    moves = rules.view.split(alg := rest.get("alg", ""))
    if len(moves) > MOST_STEPS:
        raise ValueError(f"alg has {len(moves):,} moves; at most {MOST_STEPS} can be shown")
    state = rules.begin(query)
    scene = rules.view.scene(state)
    motions = player.steps(rules, state, scene, moves) if scene else itertools.repeat(None, len(moves))
    steps = [
        {"move": move, "motion": motion, **_shown(puzzle, reached)}
        for move, motion, (_, reached) in zip(
            [None, *moves], [None, *motions], rules.view.steps(state, alg), strict=True
        )
    ]
    return {"scene": player.drawn(scene) if scene else None, "steps": steps}


@endpoint(models.Motions, models.MotionsAnswer, is_short=True)
def _motions(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return the parts that each move turns, in 3D."""
    query, _ = _query(puzzle, "solve", fields)
    rules = puzzle.rules
    state = rules.begin(query)
    scene = rules.view.scene(state)
    if scene is None:
        raise ValueError(f"the {rules.title} has no 3D model")
    possible = (move for move in turns(puzzle) if _is_possible(rules, state, move))
    return {"scene": player.drawn(scene), "motions": player.choices(rules, state, scene, possible)}


def _is_possible(rules: Rules, state: object, move: str) -> bool:
    try:
        rules.view.after(state, move)
    except InvalidMoveError:
        return False
    return True


def turns(puzzle: Puzzle) -> list[str]:
    """Return the moves that a drag can make: those of the metric, and all others of the definition, such as slices."""
    view = puzzle.rules.view
    if not isinstance(view, DefinedView) or view.definition.directed:
        return list(puzzle.moves)
    order, generators = view.definition.order, view.definition.generators
    steps = (Power(name, amount) for name in generators for amount in range(1, order(name) or 2))
    return list(dict.fromkeys([*puzzle.moves, *(view.definition.written([step]) for step in steps)]))


def buttons(puzzle: Puzzle) -> dict[str, str]:
    """Return the moves that buttons make: those of the metric, and others that are one of these up to a rotation."""
    moves = {move: move for move in (*puzzle.moves, *puzzle.rules.view.free_moves)}
    if not isinstance(puzzle.rules.view, DefinedView):
        return moves
    definition = derived(puzzle.rules).definition
    changes = {move.name: move.effects[0].sources for move in definition.moves() if is_plain(move.effects)}
    others = changes.keys() - moves
    turned = [] if not others else rotations_of(definition)
    alike = {after(changes[name], rotation): name for rotation in turned for name in moves if name in changes}
    return moves | {name: alike[change] for name, change in changes.items() if name in others and change in alike}


@endpoint(models.Scramble, models.ScrambleAnswer)
def _scramble(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return an alg to a random state."""
    options, rest = _split(puzzle, "scramble", fields, "depth", "length", "seed")
    rng = random.Random(rest.get("seed"))
    return {"scramble": puzzle.scramble(rng, depth=rest.get("depth"), length=rest.get("length"), **options)}


@endpoint(models.Random, models.StateAnswer)
def _random(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return a random state."""
    options, rest = _split(puzzle, "random", fields, "depth", "seed")
    options = {name: value for name, value in options.items() if name in fields}  # some require a depth
    state = puzzle.random_state(random.Random(rest.get("seed")), rest.get("depth"), **options)
    return {"state": str(state)}


@endpoint(models.Show, models.Shown, is_short=True)
def _show(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Return the cells of a picture of a state."""
    options, rest = _split(puzzle, "show", fields)
    how = {"model": options["model"]} if "model" in options else {}
    return _shown(puzzle, _reader(puzzle.rules, rest, **options)(rest["state"]), **how)


def _shown(puzzle: Puzzle, state: object, **how: Any) -> dict[str, Any]:
    picture: Picture | None = puzzle.rules.view.picture(state, **how)
    return {
        "state": str(state),
        "solved": getattr(state, "is_solved", None),
        "cells": picture and [drawn(cell) for cell in picture.cells],
    }


def drawn(cell: Cell) -> dict[str, object]:
    """Return a cell of a picture."""
    outline = [[round(float(x), _DIGITS), round(float(y), _DIGITS)] for x, y in cell.outline]
    return {**cell._asdict(), "colour": f"#{bytes(cell.colour).hex()}", "outline": outline}


@endpoint(models.Convert, models.ConvertAnswer)
def _convert(puzzle: Puzzle, fields: Fields) -> dict[str, Any]:
    """Write a state in another format."""
    options, rest = _split(puzzle, "convert", fields, "to")
    state = _reader(puzzle.rules, rest, **options)(rest["state"])
    return {"format": rest["to"], "written": puzzle.write(state, rest["to"])}


# -- Puzzles -----------------------------------------------------------------------------------------------------------


def listed(rules: Rules, name: str) -> dict[str, object]:
    """Return the entry of a puzzle in the list."""
    states = rules.number_of_states
    return {
        "name": name,
        "title": rules.title,
        "states": states if states is None or states < _LONGEST else None,
        "gods_number": rules.gods_number,
        "metric": rules.metrics[0],
    }


def described(puzzle: Puzzle, name: str) -> dict[str, Any]:
    """Return the description of a puzzle."""
    rules, states = puzzle.rules, puzzle.rules.number_of_states
    questions = ("depth", "solve", "scramble", "random", "show", "convert")
    fields = {question: [option.name for option in models.options(rules, question)] for question in questions}
    is_enumerated = not rules.gods_number and states is not None and states <= AT_ONCE
    enumerated = len(puzzle.distribution()) - 1 if is_enumerated else None  # God's number
    named = rules.view.named_steps
    return {
        **listed(rules, name),
        "gods_number": rules.gods_number or enumerated,
        "metrics": list(rules.metrics),
        "moves": list(puzzle.moves),
        "buttons": buttons(puzzle),
        "unit": rules.unit,
        "formats": {form: about.help for form, about in rules.view.forms.items()},
        "goals": sorted(named.goals),
        "goal_titles": dict(named.titles),
        "case_sets": dict(puzzle.case_sets),
        "methods": {name: list(steps) for name, steps in named.methods.items()},
        "analyses": not (rules.needs_goal or rules.is_directed),
        "options": fields,
        "format": "pieces" if "pieces" in rules.view.forms else next(iter(rules.view.forms)),
        "solved": str(rules.view.solved(None)),
        "facelets": list(facelet_names(rules.view.size)) if isinstance(rules.view, FaceletView) else None,
        "searches": rules.searches and enumerated is None,
        "needs_start": _needs_start(rules),
    }


def prepare(puzzle: Puzzle) -> None:
    """Open the tables of a puzzle, and answer a question in each metric, which loads modules before a request."""
    puzzle.open()
    if isinstance(puzzle.rules, GraphRules) and not _needs_start(puzzle.rules):
        state = puzzle.random_state(0)
        for metric in puzzle.rules.metrics:
            if puzzle.answers_at_once(state, metric=metric):
                puzzle.solve(state, metric=metric)


def _needs_start(rules: Rules) -> bool:
    return any(option.required for option in rules.options)
