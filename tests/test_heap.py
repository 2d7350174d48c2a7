"""Memory that is given back to the system."""

from __future__ import annotations

import ctypes
import mmap
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from cubesolve.runtime import heap


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say which pages of a file are resident")
def test_mapped_files_are_released_unless_they_were_or_may_be_changed(tmp_path: Path) -> None:
    folder, size = tmp_path / "library", 16 * mmap.PAGESIZE
    kinds = {"read": mmap.ACCESS_READ, "changed": mmap.ACCESS_COPY, "writable": mmap.ACCESS_COPY}
    mapped = dict[Path, mmap.mmap]()
    for path, access in [
        *((folder / f"{name}.so", access) for name, access in kinds.items()),
        (tmp_path / "library.so", mmap.ACCESS_READ),
    ]:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"1" * size)
        with path.open("rb") as file:
            mapped[path] = mmap.mmap(file.fileno(), 0, access=access)
    changed = mapped[folder / "changed.so"]
    changed[0] = ord("2")
    address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(changed)))
    assert ctypes.CDLL(None).mprotect(address, ctypes.c_size_t(size), mmap.PROT_READ) == 0  # as of what a loader sets

    def resident(path: Path) -> int:
        assert mapped[path][1:] == b"1" * (size - 1)  # this reads all pages
        heap.release(heap.pages_of(str(folder)))
        lines = iter(Path("/proc/self/smaps").read_text().splitlines())
        assert any(line.endswith(str(path)) for line in lines)
        return int(next(line for line in lines if line.startswith("Rss:")).split()[1]) << 10

    assert [*map(resident, mapped)] == [0, size, size, size]
    assert [each[0] for each in mapped.values()] == [ord(each) for each in "1211"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such file")
def test_threads_return_the_memory_of_large_arrays() -> None:
    def resident() -> int:
        heap.trim()
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("RssAnon:")).split()[1]) << 10

    def work() -> None:
        for size in (15, 10, 10):  # the first raises the limit from which arrays are mapped
            arrays.append(np.ones(size << 20, np.uint8))
        arrays.clear()

    arrays, before = list[object](), resident()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert resident() < before + (1 << 23)
