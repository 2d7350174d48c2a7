"""Base classes of immutable states."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cubesolve.picture.pictures import Picture


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


class Drawn(Immutable):
    """A state that a notebook shows as a picture."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def _drawn(self) -> Picture | None:
        """Return the picture; None if there is none."""
        raise NotImplementedError

    def _repr_svg_(self) -> str | None:
        """Return the picture for a notebook; None for text."""
        from cubesolve.picture.render import picture_svg  # noqa: PLC0415  # needed in notebooks only

        return picture_svg(self._drawn())
