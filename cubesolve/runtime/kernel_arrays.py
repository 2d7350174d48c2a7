"""The types of the parameters of kernels, read from annotations.

``Read2[np.uint8]`` annotates an array of two dimensions that a kernel only reads, ``Array1[np.int64]`` one that it
changes. Arrays are contiguous; those that are only read may be writable.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray


class Type(NamedTuple):
    """The type of a parameter of a kernel."""

    dtype: np.dtype[Any]  # of a number, or of the entries of an array
    dimensions: int = 0  # the number of dimensions of a contiguous array of such numbers; 0 for a number
    readonly: bool = False  # whether the kernel accepts read-only arrays


class Fields(NamedTuple):
    """The type of a parameter of a kernel that is a named tuple."""

    tuple_class: type[Any]  # the class of the named tuple, which other processes must be able to import
    fields: tuple[Type | Fields, ...]  # the type of each field, in order


Parameters = tuple[Type | Fields, ...]
"""The types of all parameters of a kernel."""

Number = TypeVar("Number", bound=np.generic)

# with the number of dimensions, and whether the array is only read
Read1 = Annotated[NDArray[Number], 1, True]
Read2 = Annotated[NDArray[Number], 2, True]
Read3 = Annotated[NDArray[Number], 3, True]
Array1 = Annotated[NDArray[Number], 1, False]
Array2 = Annotated[NDArray[Number], 2, False]
Array3 = Annotated[NDArray[Number], 3, False]


@functools.cache
def annotated(declared: Any) -> Parameters:
    """Return the types of the parameters of a function, or of the fields of a named tuple, by their annotations.

    A call takes 1 to 3 us longer for each named tuple. In its inner loops, a kernel should read fields from local
    variables, not from the tuple.

    >>> class Circle(NamedTuple):
    ...     radius: int
    ...     is_filled: bool
    >>> [str(field.dtype) for field in annotated(Circle)]
    ['int64', 'bool']
    """
    hints = get_type_hints(declared, include_extras=True)
    return tuple(_type_of(hint) for name, hint in hints.items() if name != "return")


def _type_of(hint: Any) -> Type | Fields:
    if hasattr(hint, "_fields"):
        return Fields(hint, annotated(hint))
    if not hasattr(hint, "__metadata__"):
        return Type(np.dtype(hint))
    _, entries = get_args(hint.__origin__)
    return Type(np.dtype(*get_args(entries)), *hint.__metadata__)
