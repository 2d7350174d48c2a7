"""Numba types for the parameters of kernels."""

from __future__ import annotations

from typing import Any as Untyped  # Numba and llvmlite have no types here

from numba import types
from numba.core.typeconv import Conversion  # type: ignore[attr-defined]
from numba.extending import models, register_model


class TupleType(types.NamedTuple):
    """The type of a named tuple that accepts writable arrays for read-only fields.

    Numba accepts a writable array for a read-only parameter, but not within named tuples.
    """

    @property
    def key(self) -> tuple[Untyped, ...]:
        """The key of the type, with the names of its fields.

        A cached kernel is valid until the file of the kernel changes, but the class may be in another file. The names
        make kernels invalid when the order of the fields changes.
        """
        return (*super().key, self.fields)

    def can_convert_from(self, typingctx: Untyped, other: Untyped) -> Untyped:
        """Return the conversion from the type of an argument to this one; None if there is none."""
        if getattr(other, "instance_class", None) is not self.instance_class:
            return None
        conversions = [typingctx.can_convert(passed, field) for passed, field in zip(other, self.types, strict=True)]
        return None if None in conversions else max(Conversion.safe, *conversions)


register_model(TupleType)(models.TupleModel)
