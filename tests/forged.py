"""Table files with any header, also one that contradicts the body."""

from __future__ import annotations

import io

from cubesolve.spaces.tables import TableHeader
from cubesolve.store.tablefile import _encode_to


def encode(header: TableHeader, body: bytes) -> bytes:
    """Return the bytes of a table file."""
    file = io.BytesIO()
    _encode_to(file, header, body)
    return file.getvalue()
