"""Exact numbers with a square root, for puzzles with fivefold or twelvefold symmetry (pure Python)."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import ClassVar, Self

from cubesolve.picture.immutable import Immutable

Rational = int | Fraction


@functools.total_ordering
class Surd(Immutable):
    """A number ``(a + b * sqrt(n)) / d`` with integers `a`, `b` and `d`; `n` is that of its class.

    It mixes with integers, fractions and numbers of its class, and equals a fraction if it is one.
    """

    __slots__ = ("_a", "_b", "_d")

    radicand: ClassVar[int]
    _a: int
    _b: int
    _d: int

    def __init__(self, a: int, b: int = 0, d: int = 1) -> None:
        """Take integers; the last one is positive."""
        common = math.gcd(a, b, d)
        object.__setattr__(self, "_a", a // common)
        object.__setattr__(self, "_b", b // common)
        object.__setattr__(self, "_d", d // common)

    @classmethod
    def of(cls, number: Rational | Surd) -> Self:
        """Return a number as one of this class.

        Raises:
            TypeError: it has another square root.
        """
        if isinstance(number, Surd):
            if not isinstance(number, cls):
                raise TypeError(f"{number!r} is not in the field of the square root of {cls.radicand}")
            return number
        return cls(number.numerator, 0, number.denominator)

    def __add__(self, other: Rational | Surd) -> Self:
        if not other:
            return self
        it = self.of(other)
        return type(self)(self._a * it._d + it._a * self._d, self._b * it._d + it._b * self._d, self._d * it._d)

    __radd__ = __add__

    def __neg__(self) -> Self:
        return type(self)(-self._a, -self._b, self._d)

    def __sub__(self, other: Rational | Surd) -> Self:
        return self + (-other)

    def __rsub__(self, other: Rational | Surd) -> Self:
        return -self + other

    def __mul__(self, other: Rational | Surd) -> Self:
        it = self.of(other)
        a, b = self._a * it._a + self.radicand * self._b * it._b, self._a * it._b + self._b * it._a
        return type(self)(a, b, self._d * it._d)

    __rmul__ = __mul__

    def __truediv__(self, other: Rational | Surd) -> Self:
        it = self.of(other)
        norm = it._a**2 - self.radicand * it._b**2
        if not norm:
            raise ZeroDivisionError("division by zero")
        sign = 1 if norm > 0 else -1
        return self * type(self)(it._a * it._d * sign, -it._b * it._d * sign, abs(norm))

    def __rtruediv__(self, other: Rational | Surd) -> Self:
        return self.of(other) / self

    def __bool__(self) -> bool:
        return bool(self._a or self._b)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Surd):
            same = (self._a, self._b, self._d) == (other._a, other._b, other._d)
            return same and (not self._b or self.radicand == other.radicand)
        return not self._b and isinstance(other, Rational) and Fraction(self._a, self._d) == other

    def __lt__(self, other: float | Rational | Surd) -> bool:
        return (self - exact(other))._is_negative()

    def _is_negative(self) -> bool:
        a, b = self._a, self._b
        if a <= 0 and b <= 0:
            return bool(a or b)
        return a * abs(a) + self.radicand * b * abs(b) < 0  # compares squares with their signs

    def __hash__(self) -> int:
        return hash((self._a, self._b, self._d)) if self._b else hash(Fraction(self._a, self._d))

    def __int__(self) -> int:
        return int(float(self))

    def __float__(self) -> float:
        return (self._a + self._b * math.sqrt(self.radicand)) / self._d

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._a}, {self._b}, {self._d})"

    def __reduce__(self) -> tuple[type[Self], tuple[int, int, int]]:
        return type(self), (self._a, self._b, self._d)


class Golden(Surd):
    """A number of the field of the golden ratio, ``(a + b * sqrt(5)) / d``.

    >>> PHI * PHI == PHI + 1, 1 / PHI == PHI - 1, PHI > Fraction(8, 5)
    (True, True, True)
    """

    __slots__ = ()

    radicand = 5


class Root3(Surd):
    """A number ``(a + b * sqrt(3)) / d``: the sines and cosines of multiples of 30 degrees are such numbers.

    >>> Root3(0, 1, 2) * Root3(0, 1, 2)
    Root3(3, 0, 4)
    """

    __slots__ = ()

    radicand = 3


Number = int | Fraction | Surd
"""An exact number."""

PHI = Golden(1, 1, 2)
"""The golden ratio."""


def exact(number: float | Number) -> Fraction | Surd:
    """Return a number as an exact one.

    >>> exact(0.5), exact(PHI) == PHI
    (Fraction(1, 2), True)
    """
    return number if isinstance(number, Surd) else Fraction(number)


def ratio(number: Number, divisor: Number) -> Fraction | Surd:
    """Return the quotient of two numbers.

    >>> ratio(1, 2), float(ratio(1, PHI))
    (Fraction(1, 2), 0.6180339887498949)
    """
    if isinstance(number, Surd):
        return number / divisor
    return number / divisor if isinstance(divisor, Surd) else Fraction(number, divisor)
