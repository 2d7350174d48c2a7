"""The types of the parameters of kernels."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args, get_type_hints


@dataclasses.dataclass(frozen=True, slots=True)
class Type:
    """The type of a parameter of a kernel.

    Attributes:
        number: the name of a type of numbers.
        dimensions: the number of dimensions of a contiguous array of such numbers; 0 for a number.
        readonly: whether the kernel accepts read-only arrays.

    >>> types.uint8[:, ::1]
    Type(number='uint8', dimensions=2, readonly=False)
    """

    number: str
    dimensions: int = 0
    readonly: bool = False

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> Type:
        """Return the type of an array, spelled as in Numba."""
        return dataclasses.replace(self, dimensions=len(axes) if isinstance(axes, tuple) else 1)


_NUMBERS = ("boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
types = SimpleNamespace(**{name: Type(name) for name in _NUMBERS})
"""The types of numbers in kernels."""


def read_only(number: Type, dimensions: int = 2) -> Type:
    """Return the type of a contiguous array that a kernel only reads; writable arrays are accepted, too."""
    return Type(number.number, dimensions, readonly=True)


@dataclasses.dataclass(frozen=True, slots=True)
class Fields:
    """The type of a parameter of a kernel that is a named tuple.

    Attributes:
        tuple_class: the class of the named tuple, which other processes must be able to import.
        fields: the type of each field, in order.
    """

    tuple_class: type[Any]
    fields: tuple[Type | Fields, ...]


Parameters = tuple[Type | Fields, ...]
"""The types of all parameters of a kernel."""


def named(tuple_class: type[NamedTuple], **fields: Type | Fields) -> Fields:
    """Return the type of a named tuple of arrays, numbers and other such tuples.

    Raises:
        TypeError: the class has other fields, or another order.

    >>> from typing import NamedTuple
    >>> class Circle(NamedTuple):
    ...     centre: object
    ...     radius: int
    >>> named(Circle, centre=types.int64[::1], radius=types.int64).fields[1]
    Type(number='int64', dimensions=0, readonly=False)
    """
    if tuple(fields) != tuple_class._fields:
        raise TypeError(f"{tuple_class.__name__} has the fields {', '.join(tuple_class._fields)}")
    return Fields(tuple_class, tuple(fields.values()))


def annotated(declared: Any) -> Parameters:
    """Return the types of the parameters of a function, or of the fields of a named tuple, by their annotations.

    Arrays have the annotations of `kernel_arrays`. A call takes 1 to 3 us longer for each named tuple. In its inner
    loops, a kernel should read fields from local variables, not from the tuple.

    >>> from typing import NamedTuple
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


_NAMES = {"int": "int64", "bool": "boolean", "bool_": "boolean"}
