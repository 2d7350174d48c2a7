"""A base class for immutable states."""

from __future__ import annotations


class Immutable:
    """A class with slots whose attributes cannot be changed; constructors set them with `object.__setattr__`.

    >>> Immutable().name = "x"
    Traceback (most recent call last):
        ...
    AttributeError: a Immutable cannot be changed: name
    """

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} cannot be changed: {name}")
