"""The entries of a space whose states fulfil conditions on their labels, without a list of states (numpy).

The state of an entry (a, b) is the state ``b`` of the fibre after the way to row ``a``, so a condition on a point of it
is one on another point of the fibre. Many rows have the same conditions, and each distinct one is a list of states of
the fibre. Up to symmetry, an entry stands for the images of its state, and each image has conditions of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cubesolve.definition.goals import Allowed
from cubesolve.group.permutations import Arrangement, arrangement
from cubesolve.spaces.rows import Rows, hashed, slices

_NONE = 0xFFFF  # stands for a condition that no state of a row fulfils


class StatesOfEntries(NamedTuple):
    """The states for which the entries of a space stand.

    The state of the entry (a, b) has on each point ``i`` the label ``fibre[b, ways[a, i]]``. Its image under a symmetry
    ``g`` has the image of that label, ``labels[g, ...]``, on the point ``points[g, i]``.
    """

    fibre: Rows  # (B, points)
    ways: Rows  # (A, points)
    points: Rows  # (symmetries, points)
    labels: Rows  # (symmetries, labels)
    ties: NDArray[np.int32]  # (A,): the number of symmetries that map each row to itself

    @classmethod
    def plain(cls, fibre: Rows, ways: Rows) -> StatesOfEntries:
        """Return the states of a space without symmetries."""
        points, labels = np.arange(fibre.shape[1]), np.arange(int(fibre.max(initial=0)) + 1)
        return cls(fibre, ways, points[None], labels[None], np.ones(len(ways), np.int32))

    def image(self, symmetry: int, row: int, place: int) -> Arrangement:
        """Return the image of the state of an entry under a symmetry."""
        image = np.empty_like(self.fibre[place])
        image[self.points[symmetry]] = self.labels[symmetry][self.fibre[place][self.ways[row]]]
        return arrangement(image.tolist())


class Members(NamedTuple):
    """The entries of which some images fulfil conditions."""

    states: StatesOfEntries  # the states of the entries
    rows: NDArray[np.int64]  # (N,): a row with such entries; several times, if their images under several symmetries do
    symmetries: NDArray[np.uint16]  # (N,): the symmetry
    lists: NDArray[np.int64]  # (N,): the number of the list of these entries of the row
    ends: NDArray[np.int64]  # where the list of each number ends in `places`; the first begins at 0
    places: NDArray[np.uint32]  # the places of entries in their rows, list after list

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes, without the states of the entries."""
        return sum(array.nbytes for array in self[1:])

    def of_rows(self, first: int, last: int) -> Members:
        """Return those of some rows, which are numbered from 0."""
        chosen = (self.rows >= first) & (self.rows < last)
        states = self.states._replace(ways=self.states.ways[first:last], ties=self.states.ties[first:last])
        return Members(
            states, self.rows[chosen] - first, self.symmetries[chosen], self.lists[chosen], self.ends, self.places
        )

    def number(self, entries: NDArray[np.int64]) -> int:
        """Return the number of states, given that of the entries of each row and symmetry: int64 (N,).

        Each state is the image of as many entries of its row, under as many symmetries, as map the row to itself.
        """
        ties = self.states.ties[self.rows]
        return sum(int(entries[ties == number].sum()) // int(number) for number in np.unique(ties))


def members(states: StatesOfEntries, conditions: Sequence[Allowed], require_memory: Callable[[int], None]) -> Members:
    """Return the entries with images that fulfil any condition; `require_memory` is called as the result grows."""
    finding, found = _Finding(states), [(np.empty(0, np.int64), np.empty(0, np.uint16), np.empty(0, np.int64))]
    width, size = states.fibre.shape[1] * len(conditions), 0
    for symmetry in range(len(states.points)):
        before = [finding.before(symmetry, condition) for condition in conditions]
        for some in slices(len(states.ways), width):
            rows, lists = finding.rows(states.ways[some], before)
            found.append((some.start + rows, np.full(len(rows), symmetry, np.uint16), lists))
            size += sum(array.nbytes for array in found[-1])
            require_memory(size + sum(array.nbytes for array in finding.places))
    rows, symmetries, lists = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    ends = np.cumsum([len(array) for array in finding.places], dtype=np.int64)
    places = np.concatenate([np.empty(0, np.uint32), *finding.places])
    return Members(states, rows, symmetries, lists, ends, places)


class _Labels(NamedTuple):
    number: int  # from 1
    has: NDArray[np.bool_]  # (labels,): whether it has each label
    has_some: NDArray[np.bool_]  # (points,): whether it has some of the labels that occur on each point of the fibre
    has_all: NDArray[np.bool_]  # (points,): whether it has all of these


class _Finding:
    """Finds members, one symmetry after the other."""

    def __init__(self, states: StatesOfEntries) -> None:
        self._states = states
        self._occurs = np.zeros((states.fibre.shape[1], states.labels.shape[1]), np.bool_)
        for occurs, column in zip(self._occurs, states.fibre.T, strict=True):
            occurs[column] = True
        self._sets = dict[bytes, _Labels]()
        self._lists = dict[bytes, int]()
        self.places = list[NDArray[np.uint32]]()

    def before(self, symmetry: int, condition: Allowed) -> dict[int, _Labels]:
        """Return the labels on points of a state with which its image under a symmetry fulfils a condition."""
        sources, images = np.argsort(self._states.points[symmetry]).tolist(), self._states.labels[symmetry]
        return {sources[point]: self._set(np.isin(images, [*labels])) for point, labels in condition.items()}

    def _set(self, has: NDArray[np.bool_]) -> _Labels:
        occurring, allowed = self._occurs.sum(axis=1), self._occurs @ has.astype(np.int64)
        return self._sets.setdefault(
            has.tobytes(), _Labels(len(self._sets) + 1, has, allowed > 0, allowed == occurring)
        )

    def rows(
        self, ways: Rows, conditions: Sequence[Mapping[int, _Labels]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return those of some rows with members, and the list of each."""
        possible = np.ones((len(ways), len(conditions)), np.bool_)
        for number, condition in enumerate(conditions):
            for point, labels in condition.items():
                possible[:, number] &= labels.has_some[ways[:, point]]
        rows = np.flatnonzero(possible.any(axis=1))
        ways, possible = ways[rows], possible[rows]
        # The number of the labels that each condition allows on each point of the fibre, 0 for all that occur there.
        keys, index = np.zeros((*possible.shape, ways.shape[1]), np.uint16), np.arange(len(rows))
        for number, condition in enumerate(conditions):
            for point, labels in condition.items():
                sources = ways[:, point]
                keys[index, number, sources] = np.where(labels.has_all[sources], 0, labels.number)
            keys[~possible[:, number], number] = _NONE
        sums = hashed(hashed(keys)[..., None]).sum(axis=1)  # any order of the conditions has the same states
        _, first, which = np.unique(sums, return_index=True, return_inverse=True)
        lists = np.array([self._list(key) for key in keys[first]], np.int64)[which]
        return rows[lists >= 0], lists[lists >= 0]

    def _list(self, key: NDArray[np.uint16]) -> int:
        """Return the number of the list of the states of the fibre that fulfil a condition, -1 if none do."""
        name = key.tobytes()
        if name not in self._lists:
            sets, fulfils = [*self._sets.values()], np.zeros(len(self._states.fibre), np.bool_)
            for condition in key[key[:, 0] != _NONE]:
                some = np.ones(len(fulfils), np.bool_)
                for point in np.flatnonzero(condition):
                    some &= sets[condition[point] - 1].has[self._states.fibre[:, point]]
                fulfils |= some
            self._lists[name] = len(self.places) if fulfils.any() else -1
            if fulfils.any():
                self.places.append(np.flatnonzero(fulfils).astype(np.uint32))
        return self._lists[name]
