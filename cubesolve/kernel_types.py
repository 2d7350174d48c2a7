"""The types that Numba is given for the parameters of kernels."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.typeconv import Conversion  # type: ignore[attr-defined]
from numba.extending import models, register_model


class TupleType(types.NamedTuple):
    """The type of a named tuple whose arrays may be writable where a kernel only reads them.

    Numba accepts a writable array for a read-only parameter, but has no such conversion within named tuples.
    """

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes a type another one: with the names of fields, so that no kernel from the cache has another order.

        The cache holds a kernel until the file changes that has the kernel, which may not be the file of the class.
        """
        return (*super().key, self.fields)

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Return how the type of a named tuple that was passed converts to this one; None if it does not."""
        if getattr(other, "instance_class", None) is not self.instance_class:
            return None
        conversions = [typingctx.can_convert(passed, field) for passed, field in zip(other, self.types, strict=True)]
        return None if None in conversions else max(Conversion.safe, *conversions)


register_model(TupleType)(models.TupleModel)
