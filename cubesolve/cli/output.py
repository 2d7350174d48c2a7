"""Documents that commands write beside or in place of an answer, and states as text in colour.

`FORMATS` lists the formats of documents. The options, help texts and checks of all commands follow from it.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from cubesolve.cli.options import usage_errors
from cubesolve.cli.running import Value
from cubesolve.errors import CubesolveError
from cubesolve.runtime.arguments import Keywords
from cubesolve.runtime.files import write_atomically
from cubesolve.spaces.rules import Rules

_STANDARD_OUTPUT = "-"


class Subject(NamedTuple):
    """What a document shows: captions and states, such as the steps of a solution, and an alg from the first state."""

    rules: Rules
    steps: Sequence[tuple[str, Any]]
    alg: str = ""  # for formats that play it
    left: Callable[[], Iterable[int]] = tuple  # the distances before and after each move; none if they are unknown
    options: Keywords | None = None  # of the picture of a state


def _drawing(subject: Subject) -> str:
    from cubesolve.picture.render import pictures_svg  # noqa: PLC0415  # delays the start

    options = subject.options or {}
    document = pictures_svg(
        [(caption, subject.rules.view.picture(state, **options)) for caption, state in subject.steps]
    )
    if document is None:
        raise ValueError("the puzzle has no picture")
    return document


def _page(subject: Subject) -> str:
    from cubesolve.picture.player import page  # noqa: PLC0415  # delays the start

    return page(subject.rules, subject.steps[0][1], subject.alg, left=subject.left())


class DocumentFormat(NamedTuple):
    """A format of documents, for some subjects; it raises `ValueError` for one that it cannot show."""

    suffix: str
    document: str  # a description, which the subject continues: "drawing of"; empty if it is only the subject
    verb: str  # for a subject: "draws"
    subjects: tuple[str, ...]
    write: Callable[[Any], str]


# The formats of documents, by the name of their option.
FORMATS = {
    "svg": DocumentFormat(".svg", "drawing of", "draws", ("state", "scrambled states", "solution"), _drawing),
    "html": DocumentFormat(".html", "page that plays", "plays", ("solution", "alg"), _page),
}


class Documents:
    """The documents that a command line requests; ``-`` stands for stdout."""

    def __init__(self, formats: Mapping[str, DocumentFormat], paths: Mapping[str, str | None]) -> None:
        self._formats = formats
        self._paths = {name: path for name, path in paths.items() if path is not None}

    def __bool__(self) -> bool:
        return bool(self._paths)

    @property
    def on_stdout(self) -> list[str]:
        """The options of the documents that replace the answer on stdout."""
        return [f"--{name} -" for name, path in self._paths.items() if path == _STANDARD_OUTPUT]

    def require(self) -> None:
        """Raise an error if no document is requested."""
        if not self._paths:
            raise click.UsageError(f"Missing option {' or '.join(repr(f'--{name}') for name in self._formats)}.")

    def require_one_output(self, as_json: bool, **others: str | None) -> None:
        """Raise an error if two outputs would go to stdout; `others` are files of further options."""
        outputs = [*(["--json"] if as_json else []), *Documents({}, others).on_stdout, *self.on_stdout]
        if len(outputs) > 1:
            raise click.UsageError(f"{' and '.join(outputs)} cannot both be on standard output")

    def require_one_state(self, states: Sequence[str], what: str = "") -> None:
        """Raise an error if a command line with documents has several states, or reads them from stdin."""
        if tuple(states) == ("-",) or len(states) > 1:
            self.reject(f"{what}one state")

    def reject(self, what: str) -> None:
        """Raise an error if a document is requested; the message has the verb of the first one."""
        first = next(iter(self._paths), None)
        if first is not None:
            raise click.UsageError(f"--{first} {self._formats[first].verb} {what}")

    def write(self, subject: object) -> str | None:
        """Write all documents; return the one for stdout, if any."""
        for_stdout = None
        for name, path in self._paths.items():
            with usage_errors(before=f"--{name}: ", keep=CubesolveError):
                for_stdout = save(path, self._formats[name].write(subject)) or for_stdout
        return for_stdout

    def print(self, subject: object) -> bool:
        """Write all documents; return whether one of them was printed."""
        document = self.write(subject)
        if document is not None:
            click.echo(document)
        return document is not None


def document_options(
    subject: str, *, beside: bool = True, **formats: DocumentFormat
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add an option for each format of documents that supports a subject, or for others; the command gets `Documents`.

    Unless the documents are `beside` an answer, the command prints either an answer or documents.
    """
    formats = formats or {name: document for name, document in FORMATS.items() if subject in document.subjects}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_documents(*arguments: Value, **values: Value) -> None:
            documents = Documents(formats, {name: values.pop(name) for name in formats})
            command(*arguments, documents=documents, **values)

        decorated: Callable[..., None] = with_documents
        for name, document in reversed(formats.items()):
            noun, file = (document.document or subject).split()[0], f"this {document.suffix} file"
            what = f"a {document.document} the {subject}" if document.document else f"the {subject}"
            help_text = (
                f"Also write {what} to {file}; - writes only the {noun}, to stdout."
                if beside
                else f"Write {what} to {file}, or to stdout with -."
            )
            decorated = file_option(f"--{name}", document.suffix, help_text)(decorated)
        return decorated

    return decorate


def file_option(name: str, suffix: str, text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Return an option for a file with a suffix, or ``-`` for stdout."""

    def require_suffix(_context: click.Context, _option: click.Parameter, path: str | None) -> str | None:
        if path is None or path == _STANDARD_OUTPUT or (path.endswith(suffix) and "\0" not in path):
            return path
        raise click.BadParameter(f"{path!r} does not end with {suffix}, and is not {_STANDARD_OUTPUT}")

    return click.option(name, metavar="FILE", callback=require_suffix, help=text)


def save(path: str, document: str) -> str | None:
    """Write a document to a file; return it if it goes to stdout instead."""
    if path == _STANDARD_OUTPUT:
        return document.rstrip("\n")
    write_atomically(path, document.encode("utf-8", "backslashreplace"))
    return None


def in_words(rules: Rules, state: object, **options: Value) -> str:
    """Return the picture of a state as text, in colours on a terminal; its pieces if it has no picture."""
    picture = rules.view.picture(state, **options)
    if picture is None:
        return str(state)
    if not _has_colours():
        return picture.text()
    click.get_current_context().color = True  # otherwise click removes colours if there is no terminal
    return picture.text(_paint)


def _has_colours() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _paint(text: str, colour: tuple[int, int, int]) -> str:
    return click.style(text, fg="black", bg=colour)
