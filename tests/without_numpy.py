"""An installation without numpy and numba: `hide` makes them impossible to import in this process."""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Collection


class Missing(importlib.abc.MetaPathFinder):
    """Modules that are not installed."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def find_spec(self, name: str, *_: object) -> None:
        if name in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide() -> None:
    """Hide them before any import of cubesolve."""
    assert "cubesolve" not in sys.modules
    sys.meta_path.insert(0, Missing({"numpy", "numba", "llvmlite"}))


def answers(name: str) -> list[str]:
    """Return the answers of a puzzle to all questions about one state of a table."""
    from cubesolve import puzzle

    asked = puzzle(name)
    drawn = asked.random_state(1, depth=7)
    state, goal = ((1, 1), drawn) if name == "rolling" else (drawn, None)
    return [
        str(answer)
        for answer in (
            asked.depth(state, goal),
            asked.depth(state, goal, timeout=60),
            asked.solve(state, goal),
            [*asked.solutions(state, goal)],
            [*asked.improvements(state, goal)],
            asked.count_solutions(state, goal),
            asked.optimal_moves(state, goal),
            asked.answers_at_once(state, goal),
            asked.moves,
            asked.states,
            asked.distribution(),
            len(asked.antipodes()),
            asked.random_state(2),
            asked.scramble(3),
            asked.scramble(3, length=9, depth=9),
            asked.parse(str(drawn)),
            asked.definition("kpuzzle") if name in {"pyraminx", "skewb"} else asked.forms,
            drawn._repr_svg_(),
            asked.solve(state, goal)._repr_svg_(),
        )
    ]
