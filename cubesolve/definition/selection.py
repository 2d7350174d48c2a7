"""The selected moves of a puzzle, and their costs (pure Python)."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType

from cubesolve.definition.definition import Definition
from cubesolve.definition.view import DefinedView
from cubesolve.errors import InvalidMoveError, quoted
from cubesolve.group.moves import Move, are_plain, is_plain
from cubesolve.runtime.arguments import integer

Costs = Mapping[str, int] | str | None
"""Costs of moves: by name or by a pattern with ``*``, or as text such as ``*=2 U2=3``."""

_MOST_COST = 9
_SEPARATOR = re.compile(r"[,\s]+(?![^()]*\)|[^][]*\])")  # but not in (1,0) and [1,0]


def selected(
    view: DefinedView, moves: str | None, costs: Costs, *, inverses: bool, of: Definition | None = None
) -> Definition:
    """Return a definition with the moves of an alg, and other costs; what is not given stays.

    It is one of those with other moves that `of` already selects, or of all that the view has.
    """
    whole = definition = of or view.definition
    if moves:
        steps = tuple(dict.fromkeys(view.parse(moves)))
        turned = next((step.name for step in steps if step.name in definition.rotations), None)
        if turned is not None or not steps:
            reason = "is not a move" if turned is None else "turns the puzzle as a whole, which is free"
            raise InvalidMoveError(turned or moves, 0, f"{reason}: expected {definition.expected}")
        definition = definition._replace(chosen=steps)
    if not inverses:
        if definition.illegal or not all(map(is_plain, definition.generators.values())):
            message = f"moves without inverses are not supported for {definition.name}: they are not always possible"
            raise ValueError(message)
        definition = definition._replace(directed=True)
    if (whole.chosen, whole.directed) != (view.definition.chosen, view.definition.directed):
        known = {move.effects: move.name for move in whole.moves()}
        other = next((move.name for move in definition.moves() if move.effects not in known), None)
        if other is not None:
            raise InvalidMoveError(other, 0, f"is not among its moves: expected {' '.join(known.values())}")
    return definition._replace(costs=costs_of(definition, costs))


def described(definition: Definition, whole: Definition) -> tuple[str, str]:
    """Return the words that other moves add to the title of a puzzle, and to its name on the command line."""
    words = spoken = ""
    if definition.chosen != whole.chosen:
        named = " ".join(definition.written([step]) for step in definition.chosen)
        words, spoken = f", {named} alone", f" --moves {shlex.quote(named)}"
    if definition.directed:
        words, spoken = f"{words}, without inverses", f"{spoken} --no-inverses"
    if definition.costs:
        named = " ".join(f"{name}={cost}" for name, cost in definition.costs.items())
        words, spoken = f"{words}, {named}", f"{spoken} --cost {shlex.quote(named)}"
    return words, spoken


def costs_of(definition: Definition, costs: Costs) -> dict[str, int]:
    """Return the costs of moves by name, where they are not 1; later ones replace earlier ones, and those it has.

    >>> from cubesolve.group.moves import Effect
    >>> ring = Definition("ring", (), (b"\\0\\1\\2",), {"T": (Effect(b"\\1\\2\\0"),)})
    >>> costs_of(ring, "*=2 T=1")
    {"T'": 2}
    """
    cost_of = {move.name: move.cost for move in definition.moves()}
    names = [*cost_of]
    for pattern, cost in _pairs(costs):
        fitting = fnmatch.filter(names, pattern.replace("[", "[[]")) if isinstance(pattern, str) else []
        if pattern in fitting:  # a name may look like a pattern
            fitting = [pattern]
        if not fitting:
            raise ValueError(f"no move is {quoted(str(pattern))}: expected {' '.join(names)}")
        cost_of |= dict.fromkeys(fitting, integer(f"the cost of {pattern}", cost, 0, _MOST_COST))
    return {name: cost for name, cost in cost_of.items() if cost != 1}


def _pairs(costs: Costs) -> Iterable[tuple[str, int]]:
    if isinstance(costs, Mapping):
        return costs.items()
    if not isinstance(costs, (str, NoneType)):
        raise ValueError(f"costs are named, as U2=2, and not of the type {type(costs).__name__}")
    return [_cost(pair) for pair in _SEPARATOR.split(costs or "") if pair]


def _cost(pair: str) -> tuple[str, int]:
    name, _, number = pair.rpartition("=")
    if not (name and number.isascii() and number.isdigit() and len(number) <= len(str(_MOST_COST))):
        raise ValueError(f"{quoted(pair)} is not the cost of a move, such as U2=3")
    return name, int(number)


def make_group(definition: Definition, moves: Sequence[Move]) -> bool:
    """Return whether moves generate a group: each has the same effect in every state."""
    return not definition.illegal and are_plain(moves)
