"""An extension for the site: examples and pictures in docstrings as Markdown."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*\n(?:.*\S.*\n)*?(?=\s*\n|\Z)", re.M)
_LITERAL = re.compile(r"^::\n", re.M)


class ExamplesInMarkdown(griffe.Extension):
    """Fences examples, which would become quotations, and removes the marks of literal text."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Process every object of a package."""
        if obj.docstring:
            text = _LITERAL.sub("", f"{obj.docstring.value}\n")
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>```\n", text)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Process a package when it has been loaded."""
        self.on_object(obj=pkg)
