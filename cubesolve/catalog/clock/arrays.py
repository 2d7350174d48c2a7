"""States of Rubik's Clock as arrays: the hour of each dial, which moves add to (numpy; needs numba)."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from cubesolve.catalog.clock.dials import AROUND, HOURS, PINS, SIDE, ClockState, Turn, parse
from cubesolve.errors import InvalidMoveError
from cubesolve.group.moves import Effect, Move
from cubesolve.group.permutations import identity
from cubesolve.solvers.defined_arrays import Images, Layout
from cubesolve.solvers.state_arrays import StateArrays, States
from cubesolve.spaces.vectors import LabelEncoding

_TURNS = [(name, hours) for name in PINS for hours in range(1, HOURS)]
_NUMBERS = {turn: number for number, turn in enumerate(_TURNS)}
_NUMBERING = "the hour of each dial, 0 for 12: of the front, row by row, then of the back as one sees it after y2"
_MIRRORED = [2, 1, 0, 5, 4, 3, 8, 7, 6]  # the dials of a side, left and right exchanged
_ROTATED = [6, 3, 0, 7, 4, 1, 8, 5, 2]  # a quarter turn of the side


class ClockArrays(StateArrays[ClockState]):
    """The states of Rubik's Clock as arrays: the hours of the dials in front, then of those behind, as seen there.

    Moves are those of a wheel in front, then those of a wheel behind, in the order of `Puzzle.moves`.

    >>> from cubesolve import puzzle
    >>> arrays = puzzle("clock").state_arrays()
    >>> arrays.moves[2], arrays.moves[167], arrays.apply(arrays.solved[None], "UR3+ y2 UR3+ y2")[0].tolist()
    ('UR3+', 'y2 UR3+ y2', [9, 3, 3, 0, 3, 3, 0, 0, 0, 9, 3, 3, 0, 3, 3, 0, 0, 0])
    """

    _has_graph = False

    def _laid_out(self) -> Layout:
        in_front = [str(Turn(*turn)) for turn in _TURNS]
        still = (Effect(identity(2 * SIDE)),)  # no dial moves
        self._own_moves = tuple(
            Move(name, still) for name in (*in_front, *(f"{AROUND} {move} {AROUND}" for move in in_front))
        )
        encoding, solved = LabelEncoding(2 * SIDE, HOURS), np.zeros(2 * SIDE, np.uint8)
        wheels = [str(Turn(name, 1)) for name in PINS]
        by_one = [ClockState().apply(alg) for alg in (*wheels, *(f"{AROUND} {wheel} {AROUND}" for wheel in wheels))]
        added = [hours * row % HOURS for row in map(_row_of, by_one) for hours in range(1, HOURS)]
        self._added = np.array([*added, solved])  # the last stands for no move
        return Layout(self._own_moves, encoding, solved, _NUMBERING)

    def _row(self, given: object) -> NDArray[np.uint8]:
        return _row_of(self._solver.rules.read(given))

    def state(self, row: NDArray[np.integer]) -> ClockState:
        """Return the state of one row of labels as an object of the puzzle; see `states`."""
        return ClockState.of_sides(row[:SIDE].tolist(), row[SIDE:].tolist())

    # -- Moves ---------------------------------------------------------------------------------------------------------

    def _apply(self, states: States, moves: NDArray[np.int64], after: NDArray[np.uint8]) -> None:
        np.remainder(states[:, None] + self._added[moves], HOURS, out=after)

    def _walk(
        self, seeds: NDArray[np.uint64], lengths: NDArray[np.int64], states: States, moves: NDArray[np.uint16]
    ) -> None:
        super()._walk(seeds, lengths, states, moves)
        for step in moves.T:
            np.remainder(states + self._added[np.minimum(step, len(self.moves))], HOURS, out=states)

    @functools.cached_property
    def following(self) -> NDArray[np.int32]:
        """The automaton of the moves that may follow each other in a walk: int32 (A, moves), -1 where one may not."""
        numbers = np.arange(len(self.moves), dtype=np.int32)
        wheels = numbers // (HOURS - 1)  # two moves of a wheel with the same pins are one
        after = np.where(wheels[:, None] == wheels, np.int32(-1), 1 + numbers)
        return np.concatenate([1 + numbers[None], after])

    def numbers(self, alg: str) -> list[int]:
        """Return the numbers of the moves of an alg."""
        numbers, is_around = self._read_alg(alg)
        if is_around:
            raise InvalidMoveError(AROUND, alg.rindex(AROUND), f"leaves the puzzle turned around: add {AROUND}")
        return numbers

    def numbers_of_solution(self, alg: str) -> list[int]:
        """Return the numbers of the moves of a solution, which may end in another orientation of the puzzle."""
        return self._read_alg(alg)[0]

    @staticmethod
    def _read_alg(alg: str) -> tuple[list[int], bool]:
        """Return the numbers of the moves of an alg, and whether it turns the puzzle around."""
        numbers, is_around = list[int](), False
        for name, hours in parse(alg):
            if name == AROUND:
                is_around = not is_around
            elif hours:
                numbers.append(_NUMBERS[name, hours] + is_around * len(_TURNS))
        return numbers, is_around

    @property
    def permutations(self) -> NDArray[np.int64]:
        """The moves as permutations: int64 (moves, points), the point that each point's label comes from."""
        title = self._solver.rules.title
        raise ValueError(f"the moves of {title} are no permutations of labels: they add hours to the dials")

    # -- Comparison ----------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _solved_rows(self) -> NDArray[np.uint8]:
        return self.solved[None]

    @functools.cached_property
    def _rotations(self) -> Images:
        return _images([[*range(SIDE)]], [1])

    @functools.cached_property
    def _images(self) -> Images:
        """The symmetries of the pins, all hours backwards, and both sides exchanged."""
        sides = [[*range(SIDE)]]
        for _ in range(3):
            sides.append([sides[-1][dial] for dial in _ROTATED])
        sides += [[side[dial] for dial in _MIRRORED] for side in sides]
        return _images(sides, [1, -1])


def _row_of(state: ClockState) -> NDArray[np.uint8]:
    return np.array([*state.hours[:SIDE], *state.back], np.uint8)


def _images(sides: list[list[int]], signs: list[int]) -> Images:
    """Return images of states, both as they are and turned around."""
    sources, labels = list[list[int]](), list[list[int]]()
    for sign in signs:
        for front in sides:
            back = [_MIRRORED[front[dial]] for dial in _MIRRORED]  # corners stay before one another
            both = [*front, *(SIDE + dial for dial in back)]
            for source in (both, [*both[SIDE:], *both[:SIDE]]):
                sources.append(source)
                labels.append([sign * hour % HOURS for hour in range(HOURS)])
    return Images(np.array(sources, np.uint16), np.array(labels, np.uint8))
