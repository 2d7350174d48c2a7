"""Machine code of object files, loaded without LLVM, whose library takes 50 to 100 MB.

Kernels are compiled for any distance between code and data (LLVM's large code model). An object file therefore refers
to everything by absolute addresses of 64 bits; to load it is to copy its sections and to write these addresses.
The format is that of https://gitlab.com/x86-psABIs/x86-64-ABI.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import sys
from collections.abc import Sequence
from typing import NamedTuple

IS_FOR_THIS_MACHINE = sys.platform == "linux" and os.uname().machine == "x86_64"
"""Whether this machine runs such code."""

_IDENTIFIED = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian, version 1
_HEADER = struct.Struct("<16x2H20xQ12xH2x")  # kind, machine, place and number of the sections
_RELOCATABLE, _X86_64 = 1, 62
_ADDRESS = struct.Struct("<Q")
_MODULUS = 1 << 64


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


_SECTION = struct.Struct("<2I4Q2I2Q")
_CONTENT, _SYMBOLS, _RELOCATIONS, _UNWINDING = 1, 2, 4, 0x70000001  # kinds; the last is for debuggers
_WRITABLE, _IN_MEMORY = 1, 2  # flags


class _Symbol(NamedTuple):
    name: int
    about: int
    visibility: int
    section: int
    value: int
    size: int


_SYMBOL = struct.Struct("<I2BH2Q")


class _Relocation(NamedTuple):
    offset: int
    kind: int
    symbol: int
    addend: int


_RELOCATION = struct.Struct("<Q2Iq")
_ABSOLUTE = 1  # kind


def load(code: bytes, name: str) -> tuple[int, object]:
    """Load an object file.

    Args:
        code: the content of the file.
        name: the name of a function in it.

    Returns:
        The address of the function, and the memory, which must be kept as long as the function may be called.

    Raises:
        ValueError: the file has more than functions, constants and absolute addresses.
        AttributeError: it calls a function that this process does not have.
        OSError: the system does not allow memory to be executed.
    """
    kind, machine, offset, number = _HEADER.unpack_from(code)
    if not code.startswith(_IDENTIFIED) or (kind, machine) != (_RELOCATABLE, _X86_64):
        raise ValueError("the file has no code for x86-64")
    sections = [_Section(*fields) for fields in _SECTION.iter_unpack(code[offset : offset + number * _SECTION.size])]
    places, size = _places(sections)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for number, place in places.items():
        memory[place : place + sections[number].size] = _content(code, sections[number])
    (table,) = (section for section in sections if section.kind == _SYMBOLS)
    symbols = [_Symbol(*fields) for fields in _SYMBOL.iter_unpack(_content(code, table))]
    names = _content(code, sections[table.link])

    def name_of(symbol: _Symbol) -> str:
        return names[symbol.name : names.index(0, symbol.name)].decode()

    def address_of(symbol: _Symbol) -> int:
        if not symbol.section:  # a function of the system
            function = getattr(ctypes.CDLL(None), name_of(symbol))
            return ctypes.cast(function, ctypes.c_void_p).value or 0
        if symbol.section not in places:
            raise ValueError(f"{name_of(symbol)} is not loaded")
        return start + places[symbol.section] + symbol.value

    for section in sections:
        if section.kind == _RELOCATIONS and section.info in places:
            for fields in _RELOCATION.iter_unpack(_content(code, section)):
                relocation = _Relocation(*fields)
                if relocation.kind != _ABSOLUTE:
                    raise ValueError(f"relocations of kind {relocation.kind} are not supported")
                address = (address_of(symbols[relocation.symbol]) + relocation.addend) % _MODULUS
                _ADDRESS.pack_into(memory, places[section.info] + relocation.offset, address)
    _make_executable(start, size)
    (function,) = (symbol for symbol in symbols if symbol.section and name_of(symbol) == name)
    return address_of(function), memory


def _content(code: bytes, section: _Section) -> bytes:
    return code[section.offset : section.offset + section.size]


def _places(sections: Sequence[_Section]) -> tuple[dict[int, int], int]:
    """Return where sections are in memory, and its size.

    Raises:
        ValueError: a section has variables.
    """
    places, size = dict[int, int](), 0
    for number, section in enumerate(sections):
        if section.flags & _IN_MEMORY and section.kind != _UNWINDING:
            if section.kind != _CONTENT or section.flags & _WRITABLE:
                raise ValueError("variables are not supported")
            places[number] = -(-size // section.align) * section.align
            size = places[number] + section.size
    return places, size


def _make_executable(start: int, size: int) -> None:
    """Allow memory to be executed, and no longer to be written."""
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    if protect(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_EXEC):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
