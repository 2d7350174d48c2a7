"""The types of the parameters of kernels, read from annotations.

``Read2[np.uint8]`` annotates an array of two dimensions that a kernel only reads, ``Array1[np.int64]`` one that it
changes. Arrays are contiguous; those that are only read may be writable.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """The type of a parameter of a kernel."""

    number: str  # the name of a type of numbers
    dimensions: int = 0  # the number of dimensions of a contiguous array of such numbers; 0 for a number
    readonly: bool = False  # whether the kernel accepts read-only arrays


class Fields(NamedTuple):
    """The type of a parameter of a kernel that is a named tuple."""

    tuple_class: type[Any]  # the class of the named tuple, which other processes must be able to import
    fields: tuple[Type | Fields, ...]  # the type of each field, in order


Parameters = tuple[Type | Fields, ...]
"""The types of all parameters of a kernel."""

Number = TypeVar("Number", bound=np.generic)

Read1 = Annotated[NDArray[Number], Type("", 1, readonly=True)]
Read2 = Annotated[NDArray[Number], Type("", 2, readonly=True)]
Read3 = Annotated[NDArray[Number], Type("", 3, readonly=True)]
Array1 = Annotated[NDArray[Number], Type("", 1)]
Array2 = Annotated[NDArray[Number], Type("", 2)]
Array3 = Annotated[NDArray[Number], Type("", 3)]

_NAMES = {"int": "int64", "bool": "boolean", "bool_": "boolean"}


def annotated(declared: Any) -> Parameters:
    """Return the types of the parameters of a function, or of the fields of a named tuple, by their annotations.

    A call takes 1 to 3 us longer for each named tuple. In its inner loops, a kernel should read fields from local
    variables, not from the tuple.

    >>> class Circle(NamedTuple):
    ...     radius: int
    ...     is_filled: bool
    >>> [field.number for field in annotated(Circle)]
    ['int64', 'boolean']
    """
    hints = get_type_hints(declared, include_extras=True)
    return tuple(_type_of(hint) for name, hint in hints.items() if name != "return")


def _type_of(hint: Any) -> Type | Fields:
    if hasattr(hint, "_fields"):
        return Fields(hint, annotated(hint))
    if not hasattr(hint, "__metadata__"):
        return Type(_number(hint))
    form: Type = hint.__metadata__[0]
    _, dtype = get_args(hint.__origin__)
    return dataclasses.replace(form, number=_number(*get_args(dtype)))


def _number(kind: type) -> str:
    return _NAMES.get(kind.__name__, kind.__name__)
