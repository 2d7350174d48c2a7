"""Object files that are loaded without LLVM."""

from __future__ import annotations

import ctypes
import struct

import pytest

from cubesolve.runtime import elf
from tests.processes import run_python

pytestmark = pytest.mark.skipif(not elf.IS_FOR_THIS_MACHINE, reason="such files are for Linux on x86-64")

COMPILE = """
import numba, sys
from cubesolve.runtime.linking import linked
signature = numba.types.int64(numba.types.int64)
quotient = numba.njit(signature)(lambda number: 42 // number)
sys.stdout.write(linked(quotient, signature, "quotient").hex())
"""
SECTION, RELOCATION = 64, 24  # bytes of an entry


@pytest.fixture(scope="module")
def code() -> bytearray:
    return bytearray.fromhex(run_python(COMPILE).stdout)


def sections(code: bytearray) -> list[int]:
    """Return where the entries of the sections are."""
    (first,), (number,) = struct.unpack_from("<Q", code, 40), struct.unpack_from("<H", code, 60)
    return [first + SECTION * each for each in range(number)]


def kind(code: bytearray, section: int) -> int:
    found: int = struct.unpack_from("<I", code, section + 4)[0]
    return found


def test_a_function_is_loaded_and_called(code: bytearray) -> None:
    address, _memory = elf.load(bytes(code), "quotient")
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
    numbers = (ctypes.c_int64 * 2)(0, 2)
    assert (call(numbers), numbers[0]) == (0, 21)
    assert call((ctypes.c_int64 * 2)(0, 0)) == 1  # division by zero
    with pytest.raises(ValueError, match="not enough values to unpack"):
        elf.load(bytes(code), "remainder")


def test_other_files_are_rejected(code: bytearray) -> None:
    for place in (0, 4, 18):  # the beginning, the bits, the machine
        other = code.copy()
        other[place] ^= 1
        with pytest.raises(ValueError, match="no code for x86-64"):
            elf.load(bytes(other), "quotient")
    other = code.copy()
    content = next(each for each in sections(code) if kind(code, each) == 1 and code[each + 8] & 2)
    other[content + 8] |= 1
    with pytest.raises(ValueError, match="variables"):
        elf.load(bytes(other), "quotient")
    other = code.copy()
    for each in sections(code):
        if kind(code, each) == 4:
            (place,) = struct.unpack_from("<Q", code, each + 24)
            other[place + 8] = 2
    with pytest.raises(ValueError, match="relocations of kind 2"):
        elf.load(bytes(other), "quotient")
    with pytest.raises(AttributeError, match="nalloc"):
        elf.load(bytes(code.replace(b"malloc", b"nalloc")), "quotient")
