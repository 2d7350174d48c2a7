"""Shared parts of all commands: loading, exit status, messages, and answering states one by one."""

from __future__ import annotations

import codecs
import contextlib
import functools
import importlib
import io
import itertools
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO, TypeVar

import click

from cubesolve import catalog
from cubesolve.errors import (
    CorruptTableError,
    CubesolveError,
    CubesolveWarning,
    InvalidMoveError,
    InvalidStateError,
    MissingPackageError,
    MissingTableError,
    SearchLimitError,
    TableError,
    UnsupportedTableError,
    building,
    lacking,
    shortened,
)
from cubesolve.runtime import notices
from cubesolve.store.folders import build_folder

if TYPE_CHECKING:
    from cubesolve.definition.view import Form

State = TypeVar("State")
ErrorReport = Callable[[], contextlib.AbstractContextManager[None]]

INVALID_INPUT = 1
TABLE_TROUBLE = 3
_INTERRUPTED = 130
_CLOSED_PIPE = 141
_LONGEST_MESSAGE = 4_000  # characters; a path can be as long
_BYTE_ORDER_MARK = "\ufeff"
_AT_HAND = 1 << 15  # the largest number of bytes of stdin to read at once
# The value of an option, which click has read: an option by its name has the type that its declaration gives.
Value = Any

_HELP_WIDTH = 70  # characters of a line about a command
_SPELLINGS = {"analyze": "analyse"}  # of names of commands

NO_ANSWER = "?"  # the line printed for a state without an answer with --keep-order


class Later(click.Command):
    """A command that is imported when it is needed, from a module that defines it under its name."""

    def __init__(self, name: str, module: str, about: str) -> None:
        super().__init__(name, help=about)
        self._module = module

    @property
    def imported(self) -> click.Command:
        # By the name of its module, as one function for each command would not be shorter.
        command: click.Command = getattr(importlib.import_module(self._module), str(self.name))
        return command

    def make_context(self, *args: Value, **kwargs: Value) -> click.Context:
        return self.imported.make_context(*args, **kwargs)


class Commands(click.Group):
    """A group of commands in their own order."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [*self.commands]


class AllCommands(Commands):
    """The group of all commands; reports errors in a line on stderr and sets the exit status."""

    def __init__(self, name: str, *, sections: Mapping[str, Sequence[click.Command]], **kwargs: Value) -> None:
        super().__init__(name, list(itertools.chain(*sections.values())), **kwargs)
        self._sections = sections

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in self._sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(str(command.name), command.get_short_help_str(_HELP_WIDTH)) for command in commands]
                )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, _SPELLINGS.get(cmd_name, cmd_name))

    def make_context(self, *args: Value, **kwargs: Value) -> click.Context:
        with _ending_with_a_status(), _usage_is_printable():
            return super().make_context(*args, **kwargs)

    def main(self, *args: Value, **kwargs: Value) -> Value:
        """Run the command line, or print shell completions."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # during shell completion, which has no context
            sys.exit(_failed(error))

    def invoke(self, ctx: click.Context) -> object:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # None if the caller closed it
                stream.reconfigure(errors="backslashreplace")
        if sys.stdout is None:
            complain("output: standard output is closed")
            ctx.exit(INVALID_INPUT)
        notices.listen(complain, to_all=is_watched())
        if is_watched():
            notices.follow(lambda what, steps: click.progressbar(length=steps, label=what, file=sys.stderr))
        with _ending_with_a_status(), _warnings_in_lines(), _ctrl_c_is_raised(), _usage_is_printable():
            result = super().invoke(ctx)
            sys.stdout.flush()
        return result


@contextlib.contextmanager
def _ending_with_a_status() -> Iterator[None]:
    try:
        yield
    except CubesolveError as error:
        status = _reported(error)
    except MemoryError:
        complain("not enough memory")
        status = INVALID_INPUT
    except KeyboardInterrupt as error:
        if str(error):
            if is_watched() and not _status[0]:
                with contextlib.suppress(OSError):
                    click.echo(err=True)  # ends the line on which a terminal has shown ^C
            complain(str(error))
        status = _INTERRUPTED
    except ModuleNotFoundError as error:
        if lacking(error) is error:
            raise
        complain(str(lacking(error)))
        status = INVALID_INPUT
    except OSError as error:
        status = _failed(error)
    else:
        return
    raise click.exceptions.Exit(status)


def _failed(error: OSError) -> int:
    if not isinstance(error, BrokenPipeError):
        complain(f"{error.filename or 'output'}: {error.strerror or error}")
    with contextlib.suppress(OSError, ValueError):  # flushing a closed pipe at exit would fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _CLOSED_PIPE if isinstance(error, BrokenPipeError) else INVALID_INPUT


def _reported(error: CubesolveError) -> int:
    """Print an error; return its exit status."""
    complain(with_hint(error))
    return TABLE_TROUBLE if isinstance(error, TableError) else INVALID_INPUT


@contextlib.contextmanager
def reporting() -> Iterator[ErrorReport]:
    """Return a context for each input, which reports its error; exit with the highest status after all."""
    statuses = [0]

    @contextlib.contextmanager
    def each() -> Iterator[None]:
        try:
            yield
        except CubesolveError as error:
            statuses.append(_reported(error))

    yield each
    if status := max(statuses):
        click.get_current_context().exit(status)


def with_hint(error: CubesolveError) -> str:
    """Return the message of an error, with advice if a table is corrupt."""
    if isinstance(error, CorruptTableError | UnsupportedTableError) and error.path.endswith(".checkpoint"):
        return f"{error}; leave out --resume to start anew"
    if not isinstance(error, CorruptTableError) or not error.path.endswith(".zst"):
        return str(error)
    folder, file = os.path.split(error.path)
    name = file.removesuffix(".zst")
    if name in catalog.tables():
        return f"{error}; rebuild it with: {building(name, folder if folder != _built_in() else None)}"
    return f"{error}; remove it, and rebuild the table of its puzzle"


def _built_in() -> str | None:
    with contextlib.suppress(TableError):
        return build_folder()
    return None


@contextlib.contextmanager
def _usage_is_printable() -> Iterator[None]:
    """Shorten usage errors that quote a long argument, and escape their control characters."""
    try:
        yield
    except click.ClickException as error:
        error.message = shortened(error.message, _LONGEST_MESSAGE)  # type: ignore[misc]  # click prints this attribute
        raise


@contextlib.contextmanager
def _ctrl_c_is_raised() -> Iterator[None]:
    """Raise KeyboardInterrupt while a command runs, which lets it clean up; otherwise Ctrl-C exits at once."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def _warnings_in_lines() -> Iterator[None]:
    """Print warnings as lines on stderr; those of cubesolve ignore the warning filters."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", CubesolveWarning)
        warnings.showwarning = lambda message, *_: complain(f"warning: {message}")
        yield


def is_watched() -> bool:
    """Return whether stderr is a terminal, where progress is printed."""
    return bool(sys.stderr and sys.stderr.isatty())


def is_asked() -> bool:
    """Return whether stdin and stderr are terminals, where the user can answer a question."""
    return is_watched() and bool(sys.stdin and sys.stdin.isatty())


_status = [""]  # the line of progress that a terminal shows


def show_status(text: str) -> None:
    """Rewrite the line of progress on a terminal; elsewhere, and without a text, end it."""
    if text and not is_watched():
        click.echo(text, err=True)
    elif text != _status[0]:
        click.echo(f"\r{text}\x1b[K", err=True, nl=False)
        _status[0] = text


def complain(message: str) -> None:
    """Print a message on stderr, with control characters escaped."""
    with contextlib.suppress(OSError):
        show_status("")
        click.echo(f"cubesolve: {shortened(message, _LONGEST_MESSAGE)}", err=True)


def give_up(message: str) -> NoReturn:
    """Print a message on stderr, and exit with the status of invalid input."""
    complain(message)
    click.get_current_context().exit(INVALID_INPUT)


@contextlib.contextmanager
def importing(extra: str) -> Iterator[None]:
    """Exit with a message if a package of an optional extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "cubesolve":
            raise
        give_up(f"{error.name} is not installed; install the extra {extra} with: pip install 'cubesolve[{extra}]'")


def exit_on_signals() -> None:
    """Turn SIGTERM and SIGHUP into an ordinary exit, which removes unfinished files."""
    for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:  # Windows has no SIGHUP
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, _frame: sys.exit(128 + number))


# -- States, one after the other ---------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """The answer for a state: as text, and as the fields of a JSON object, which are needed more rarely.

    The text may be found line by line; each is printed at once.
    """

    text: str | Iterable[str]
    fields: Callable[[], Mapping[str, object]]

    def print(self, as_json: bool, **about: object) -> None:
        """Print the text, or a JSON object that begins with some fields."""
        show_status("")
        if as_json:
            print_json({**about, **self.fields()})
        else:
            for text in [self.text] if isinstance(self.text, str) else self.text:
                click.echo(text)


class _Query(NamedTuple):
    text: str
    line: int | None  # on standard input; None for an argument
    where: str


def _queries(states: Sequence[str], form: Form[Any]) -> Iterator[Sequence[_Query]]:
    """Yield states, together where all of them can be read without waiting."""
    for number, state in enumerate(states, start=1):
        if state == "-":
            lines = _lines_at_hand(sys.stdin) if sys.stdin else ()
            yield from _from_lines(_with_nets(lines, form.layers) if form.layers else lines, form.lines, form.empty)
        else:
            yield [_Query(_unnumbered(state), None, f"argument {number}")]


def _unnumbered(text: str) -> str:
    """Return a state without the number before it in a list of scrambles, as in ``1. R U F``."""
    number, _, rest = text.partition(" ")
    return rest.strip() if number[-1:] in {".", ")"} and number[:-1].isdecimal() else text


def _with_nets(stream: Iterable[Sequence[str]], layers: int) -> Iterator[Sequence[str]]:
    """Join the lines of each net of a cube that `show` has printed; lines that can begin one wait for the next."""
    outer = re.compile(rf" {{{2 * layers}}}\S( \S){{{layers - 1}}}\s*")
    rows = [outer] * layers + [re.compile(rf"\S( \S){{{4 * layers - 1}}}\s*")] * layers + [outer] * layers
    net = list[str]()
    for at_hand in stream:
        texts = list[str]()
        for line in at_hand:
            net.append(line)
            is_row = rows[len(net) - 1].fullmatch(line)
            if not is_row or len(net) == len(rows):
                texts += ["\n".join(net)] if is_row else net
                net.clear()
        yield texts
    yield net


def _from_lines(stream: Iterable[Sequence[str]], lines: int, blank_lines: bool) -> Iterator[Sequence[_Query]]:
    block: list[str] = []
    number = first = 0
    is_parted = False  # by an empty line after a third of a net, where the width changes

    def ended() -> _Query:
        text = "\n".join(block) if lines > 1 else _unnumbered(block[0].strip())
        block.clear()
        return _Query(text, first, f"line {first}")

    for at_hand in stream:
        queries = []
        for line in at_hand:
            number += 1
            text = line.removeprefix(_BYTE_ORDER_MARK).rstrip("\r\n")
            if text.strip():
                if is_parted and len("".join(text.split())) == len("".join(block[-1].split())):
                    queries.append(ended())
                is_parted, first = False, first if block else number
                block.append(text)
                if len(block) == lines:
                    queries.append(ended())
            elif block:
                is_parted = not is_parted and 3 * len(block) in {lines, 2 * lines}
                if not is_parted:
                    queries.append(ended())
            elif blank_lines:
                queries.append(_Query("", number, f"line {number}"))
            number += text.count("\n")
        yield queries
    if block:
        yield [ended()]


def _lines_at_hand(stream: TextIO) -> Iterator[Sequence[str]]:
    """Yield the lines of a stream, as many together as can be read without waiting for more."""
    newlines, begun = io.IncrementalNewlineDecoder(None, translate=True), list[str]()
    read = functools.partial(stream.buffer.read1, _AT_HAND)  # type: ignore[attr-defined]  # of any stream with a buffer
    for text in codecs.iterdecode(iter(read, b""), stream.encoding, stream.errors or "strict"):
        first, *others = newlines.decode(text).split("\n")
        begun.append(first)
        if others:
            yield ["".join(begun), *others[:-1]]
            begun = others[-1:]
    if rest := "".join([*begun, newlines.decode("", final=True)]):
        yield [rest.removesuffix("\n")]


def answer_all(
    states: Sequence[str],
    form: Form[Any],
    answer: Callable[[str], Answer],
    *,
    as_json: bool = False,
    keep_order: bool = False,
    searches: bool = False,
    foresee: Callable[[Sequence[str]], None] | None = None,
) -> None:
    """Answer every state in order, with ``-`` those of stdin; states without an answer are reported and skipped.

    If the puzzle `searches`, a missing table does not end the command. Several states are foreseen at a time.
    """
    status = 0
    for query in _foreseen(_queries(states, form), foresee):
        given = {"state": query.text} if query.line is None else {"line": query.line, "state": query.text}
        try:
            answer(query.text).print(as_json, **given)
        except (InvalidStateError, InvalidMoveError, SearchLimitError, MissingTableError, MissingPackageError) as error:
            if isinstance(error, MissingTableError) and not searches:
                raise
            status = max(status, TABLE_TROUBLE if isinstance(error, MissingTableError) else INVALID_INPUT)
            complain(f"{query.where}: {error}{'' if query.line else _hint(query.text)}")
            if as_json:
                print_json({**given, "error": str(error), **_known(error)})
            elif keep_order:
                click.echo(NO_ANSWER)
    if status:
        click.get_current_context().exit(status)


def _hint(text: str) -> str:
    """Return how a file or a puzzle is named that was given as a state."""
    import shlex  # noqa: PLC0415  # needed only for the message of an error; importing it slows every start

    if os.path.isfile(text):
        return f"; to read the states in this file, write - < {shlex.quote(text)}"
    with contextlib.suppress(CubesolveError):
        catalog.rules_named(text)
        return f"; to choose this puzzle, write --puzzle {shlex.quote(text)}"
    return ""


def _known(error: CubesolveError) -> dict[str, Any]:
    if not isinstance(error, SearchLimitError):
        return {}
    return {"at_least": error.at_least} | ({} if error.solution is None else {"solution": error.solution})


def _foreseen(blocks: Iterable[Sequence[_Query]], foresee: Callable[[Sequence[str]], None] | None) -> Iterator[_Query]:
    for queries in blocks:
        if foresee and len(queries) > 1:
            foresee([query.text for query in queries])
        yield from queries


def print_json(record: Mapping[str, object]) -> None:
    """Print a JSON object in a line."""
    import json  # noqa: PLC0415  # only with --json; importing it slows every start

    click.echo(json.dumps(record))


def parse_one(what: str, text: str, parse: Callable[[str], State]) -> State:
    """Parse a text; exit with a message if it is invalid."""
    try:
        return parse(text)
    except (InvalidStateError, InvalidMoveError) as error:
        give_up(f"{what}: {error}")


def whole_input() -> str:
    """Return all of stdin."""
    return sys.stdin.read().removeprefix(_BYTE_ORDER_MARK) if sys.stdin else ""
