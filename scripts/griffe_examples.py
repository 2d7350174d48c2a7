"""For the site: examples and pictures in docstrings, as Markdown wants them."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*\n(?:.*\S.*\n)*?(?=\s*\n|\Z)", re.M)
_LITERAL = re.compile(r"^::\n", re.M)


class ExamplesInMarkdown(griffe.Extension):
    """Fences what is shown as at a prompt, which would be a quotation, and leaves out what begins literal text."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for everything in a package."""
        if obj.docstring:
            text = _LITERAL.sub("", f"{obj.docstring.value}\n")
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>```\n", text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Called for a package itself, when everything in it is known."""
        self.on_object(obj=pkg)
