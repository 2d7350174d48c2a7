"""Annotations of arrays in kernels, from which `kernel_types.annotated` reads their types.

``Read2[np.uint8]`` is an array of two dimensions that a kernel only reads, ``Array1[np.int64]`` one that it changes.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray

from cubesolve.runtime.kernel_types import Type

Number = TypeVar("Number", bound=np.generic)

Read1 = Annotated[NDArray[Number], Type("", 1, readonly=True)]
Read2 = Annotated[NDArray[Number], Type("", 2, readonly=True)]
Read3 = Annotated[NDArray[Number], Type("", 3, readonly=True)]
Array1 = Annotated[NDArray[Number], Type("", 1)]
Array2 = Annotated[NDArray[Number], Type("", 2)]
