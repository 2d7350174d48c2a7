"""States that cannot be changed."""

from __future__ import annotations


class Immutable:
    """A class with slots whose instances refuse to be changed; they are filled with `object.__setattr__`.

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
