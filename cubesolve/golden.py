"""Exact numbers of the field of the golden ratio, for puzzles with fivefold symmetry (pure Python)."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from cubesolve.immutable import Immutable

Rational = int | Fraction


@functools.total_ordering
class Golden(Immutable):
    """A number ``(a + b * sqrt(5)) / d`` with integers `a`, `b` and `d`.

    It mixes with integers and fractions, and equals one if it is one.

    >>> PHI * PHI == PHI + 1, 1 / PHI == PHI - 1, PHI > Fraction(8, 5)
    (True, True, True)
    """

    __slots__ = ("_a", "_b", "_d")

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
    def of(cls, number: Rational | Golden) -> Golden:
        """Return a number as one of this type."""
        return number if isinstance(number, Golden) else cls(number.numerator, 0, number.denominator)

    def __add__(self, other: Rational | Golden) -> Golden:
        if not other:
            return self
        it = self.of(other)
        return Golden(self._a * it._d + it._a * self._d, self._b * it._d + it._b * self._d, self._d * it._d)

    __radd__ = __add__

    def __neg__(self) -> Golden:
        return Golden(-self._a, -self._b, self._d)

    def __sub__(self, other: Rational | Golden) -> Golden:
        return self + (-other)

    def __rsub__(self, other: Rational | Golden) -> Golden:
        return -self + other

    def __mul__(self, other: Rational | Golden) -> Golden:
        it = self.of(other)
        a, b = self._a * it._a + 5 * self._b * it._b, self._a * it._b + self._b * it._a
        return Golden(a, b, self._d * it._d)

    __rmul__ = __mul__

    def __truediv__(self, other: Rational | Golden) -> Golden:
        it = self.of(other)
        norm = it._a**2 - 5 * it._b**2
        if not norm:
            raise ZeroDivisionError("division by zero")
        sign = 1 if norm > 0 else -1
        return self * Golden(it._a * it._d * sign, -it._b * it._d * sign, abs(norm))

    def __rtruediv__(self, other: Rational | Golden) -> Golden:
        return self.of(other) / self

    def __bool__(self) -> bool:
        return bool(self._a or self._b)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Golden):
            return (self._a, self._b, self._d) == (other._a, other._b, other._d)
        return not self._b and isinstance(other, Rational) and Fraction(self._a, self._d) == other

    def __lt__(self, other: float | Rational | Golden) -> bool:
        return (self - exact(other))._is_negative()

    def _is_negative(self) -> bool:
        a, b = self._a, self._b
        if a <= 0 and b <= 0:
            return bool(a or b)
        return a * abs(a) + 5 * b * abs(b) < 0  # compares squares with their signs

    def __hash__(self) -> int:
        return hash((self._a, self._b, self._d)) if self._b else hash(Fraction(self._a, self._d))

    def __int__(self) -> int:
        return int(float(self))

    def __float__(self) -> float:
        return (self._a + self._b * math.sqrt(5)) / self._d

    def __repr__(self) -> str:
        return f"Golden({self._a}, {self._b}, {self._d})"

    def __reduce__(self) -> tuple[type[Golden], tuple[int, int, int]]:
        return Golden, (self._a, self._b, self._d)


Number = int | Fraction | Golden
"""An exact number."""

PHI = Golden(1, 1, 2)
"""The golden ratio."""


def exact(number: float | Number) -> Fraction | Golden:
    """Return a number as an exact one.

    >>> exact(0.5), exact(PHI) == PHI
    (Fraction(1, 2), True)
    """
    return number if isinstance(number, Golden) else Fraction(number)


def ratio(number: Number, divisor: Number) -> Fraction | Golden:
    """Return the quotient of two numbers.

    >>> ratio(1, 2), float(ratio(1, PHI))
    (Fraction(1, 2), 0.6180339887498949)
    """
    if isinstance(number, Golden) or isinstance(divisor, Golden):
        return Golden.of(number) / divisor
    return Fraction(number, divisor)
