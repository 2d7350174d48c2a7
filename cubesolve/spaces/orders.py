"""Orders and sets of different numbers, one per row: their ranks and parities (numpy)."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray


def order_ranks(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranks of orders of any numbers, in the order of `itertools.permutations`: (N, pieces) to (N,).

    >>> order_ranks(np.array([[3, 5, 8], [8, 5, 3], [2, 9, 4]])).tolist()
    [0, 5, 1]
    """
    pieces, ranks = orders.shape[1], np.zeros(len(orders), np.int64)
    for place in range(pieces):
        ranks = ranks * (pieces - place) + (orders[:, place + 1 :] < orders[:, place, None]).sum(axis=1)
    return ranks


def odd_orders(orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the parities of orders of any numbers: (N, pieces) to (N,), 1 if an order is odd.

    >>> odd_orders(np.array([[3, 5, 8], [8, 5, 3], [9, 2, 4]])).tolist()
    [0, 1, 0]
    """
    odd = np.zeros(len(orders), np.int64)
    for i, j in itertools.combinations(range(orders.shape[1]), 2):
        odd ^= orders[:, i] > orders[:, j]
    return odd


def set_numbers(sets: NDArray[np.integer], points: int) -> NDArray[np.int64]:
    """Return the numbers of sets of points, each in ascending order: (N, pieces) to (N,).

    >>> set_numbers(np.array([[0, 1], [0, 2], [1, 2], [0, 3]]), 4).tolist()
    [0, 1, 2, 3]
    """
    sizes = range(1, sets.shape[1] + 1)
    choose = np.array([[math.comb(point, size) for size in sizes] for point in range(points)])
    numbers: NDArray[np.int64] = np.take_along_axis(choose, sets, axis=0).sum(axis=1)
    return numbers
