"""The JSON interface and the page, as an ASGI application."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from importlib import resources
from typing import Any
from weakref import WeakKeyDictionary

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from cubesolve import __version__, catalog
from cubesolve.errors import (
    CubesolveError,
    InvalidStateError,
    MissingTableError,
    SearchLimitError,
    TableError,
    UnknownPuzzleError,
    printable,
)
from cubesolve.lookup.limits import SearchOptions
from cubesolve.lookup.questions import Puzzle
from cubesolve.web import answers, models
from cubesolve.web.answers import KINDS, Kind, Said
from cubesolve.web.guard import Guard
from cubesolve.web.searches import BusyError, GoneError, LateError, Searches
from cubesolve.web.served import Chosen, Served

_LOG = logging.getLogger("uvicorn.error")
_LONGEST_MESSAGE = 1_000  # characters
_SHORT = 500  # characters of a state that is read in a moment
_FEW_POINTS = 256  # of a puzzle whose moves are made in a moment
_MOST_SHORT = 64  # questions that wait although they need no search
_CHOSEN = ("puzzle", "moves", "cost", "goal")
_FILES = {
    "": ("web/page/index.html", "text/html; charset=utf-8"),
    "page.css": ("web/page/page.css", "text/css; charset=utf-8"),
    "page.js": ("web/page/page.js", "text/javascript; charset=utf-8"),
    "player.js": ("player/player.js", "text/javascript; charset=utf-8"),
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Problem, "description": words}
    for status, words in {
        400: "This is no request, or this server is not called so.",
        403: "A page of another site asks.",
        404: "There is no such puzzle.",
        413: "Too large.",
        422: "What is asked means nothing: no state, no move, no such option, or no answer within the limits given.",
        503: "Too many searches wait, or a table is missing.",
        504: "Not answered in time.",
    }.items()
}


class Service:
    """The questions, the puzzles that they are about, and the searches under way."""

    def __init__(self, served: Served, searches: Searches, seconds: float) -> None:
        """Take the puzzles and the limits.

        Args:
            served: the puzzles.
            searches: answers what takes a while.
            seconds: the time for a question.
        """
        self.served, self.searches, self.seconds = served, searches, seconds
        self.short = Searches(1, _MOST_SHORT, nicer=0)
        self._described = WeakKeyDictionary[Puzzle, dict[str, Any]]()

    async def answer(self, kind: Kind, said: Said, request: Request) -> dict[str, Any]:
        """Answer a question: in place what is looked up, and by another thread what takes a while."""
        chosen = Chosen(**{name: said.pop(name) for name in _CHOSEN if name in said})
        puzzle = self.served.known(chosen)
        if puzzle is not None and _is_light(puzzle, said) and kind.is_at_once(puzzle, said):
            return kind.answer(puzzle, said, {})
        if puzzle is not None and kind.is_short:
            return await self.later(lambda limits: kind.answer(puzzle, said, limits), request, self.short)
        request.state.max_depth = said.get("max_depth")
        asked = said.get("timeout")
        seconds = self.seconds if asked is None else min(asked, self.seconds)
        return await self.later(
            lambda limits: kind.answer(self.served.find(chosen), said, limits), request, self.searches, seconds
        )

    async def later(
        self,
        work: Callable[[SearchOptions], dict[str, Any]],
        request: Request,
        by: Searches,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Answer by another thread."""
        most = self.seconds if seconds is None else seconds
        found: dict[str, Any] = await by.run(work, most, functools.partial(_left, request))
        return found

    def open(self) -> None:
        """Open the tables that are built by default, so that none of the questions about them waits for that."""
        for name in catalog.names():
            if any(entry.by_default for entry in catalog.rules_named(name).tables()):
                try:
                    self.served.find(Chosen(name)).open()
                except TableError as error:
                    _LOG.warning("%s", error)
        for name in self.served.files:
            self.described(name)

    def described(self, name: str) -> dict[str, Any]:
        """What there is to be known of a puzzle before one asks."""
        puzzle = self.served.find(Chosen(name))
        if puzzle not in self._described:
            self._described[puzzle] = answers.described(puzzle, self.served.called(name))
        return self._described[puzzle]

    def close(self) -> None:
        """End what is under way, and remove what was kept."""
        self.searches.close()
        self.short.close()
        self.served.close()


def _is_light(puzzle: Puzzle, said: Said) -> bool:
    """Whether a state is read in a moment."""
    definition = getattr(puzzle.rules, "definition", None)
    return len(said.get("state", "")) <= _SHORT and (definition is None or definition.points <= _FEW_POINTS)


async def _left(request: Request) -> None:
    """Wait until whoever asked has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


# -- Requests ----------------------------------------------------------------------------------------------------------


def application(service: Service, names: Collection[str] = ()) -> Guard:
    """The application.

    Args:
        service: answers the questions.
        names: what this server is called; see `Guard`.
    """
    app = FastAPI(
        title="cubesolve",
        version=__version__,
        summary="Exact distances and shortest solutions of puzzles that have moves.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # such pages load programs from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=functools.partial(_lifespan, service),
    )
    app.state.service = service
    for kind in KINDS:
        _add(app, kind)
    app.get("/api/health", tags=["server"], response_model=models.Health)(_health)
    app.get("/api/puzzles", tags=["puzzles"], response_model=list[models.Listed])(_puzzles)
    app.post("/api/puzzles", tags=["puzzles"], status_code=201, response_model=models.Described, responses=_PROBLEMS)(
        _add_puzzle
    )
    app.get("/api/puzzles/{name}", tags=["puzzles"], response_model=models.Described, responses=_PROBLEMS)(_puzzle)
    for path, (file, kind_of) in _FILES.items():
        app.get(f"/{path}", include_in_schema=False)(_file(file, kind_of))
    for error in (CubesolveError, ValueError, BusyError, LateError, GoneError, MemoryError, RecursionError):
        app.exception_handler(error)(_refused)
    app.exception_handler(RequestValidationError)(_invalid)
    app.exception_handler(HTTPException)(_no_such)
    app.exception_handler(Exception)(_failed)
    return Guard(app, names)


@contextlib.asynccontextmanager
async def _lifespan(service: Service, _app: FastAPI) -> AsyncIterator[None]:
    service.open()
    try:
        yield
    finally:
        service.close()


def _add(app: FastAPI, kind: Kind) -> None:
    async def ask(request: Request, question: Any) -> Response:
        said = question.model_dump(exclude_none=True)
        return JSONResponse(await _service(request).answer(kind, said, request))

    ask.__name__, ask.__doc__ = kind.name, kind.summary
    ask.__annotations__["question"] = kind.asked  # which is made of what the puzzles have
    responses = {200: {"model": kind.answered}, **_PROBLEMS}
    app.post(f"/api/{kind.name}", tags=["questions"], responses=responses)(ask)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _health(request: Request) -> models.Health:
    """Whether the server answers, and how much it has to do."""
    return models.Health(status="ok", version=__version__, searches=_service(request).searches.open)


def _puzzles(request: Request) -> list[dict[str, Any]]:
    """The puzzles that are listed."""
    served = _service(request).served
    return [answers.listed(served.find(Chosen(name)).rules, name) for name in served.names]


async def _puzzle(request: Request, name: models.Name) -> dict[str, Any]:
    """What there is to be known of a puzzle."""
    service = _service(request)
    if name in service.served.names:
        return service.described(name)
    return await service.later(lambda _: service.described(name), request, service.searches)


async def _add_puzzle(request: Request, definition: models.Definition) -> dict[str, Any]:
    """Give the text of a file that describes a puzzle; the answer has the name by which to ask about it."""
    service = _service(request)

    def add(_limits: SearchOptions) -> dict[str, Any]:
        return service.described(service.served.add(definition.name, definition.text))

    return await service.later(add, request, service.searches)


def _file(name: str, kind: str) -> Callable[[], Awaitable[Response]]:
    content = resources.files("cubesolve").joinpath(name).read_bytes()

    async def file() -> Response:
        return Response(content, media_type=kind)

    return file


# -- What goes wrong ---------------------------------------------------------------------------------------------------


async def _refused(request: Request, error: Exception) -> Response:
    """Say why there is no answer, in the words of the command line, without any path of this machine."""
    problem: dict[str, Any] = {"error": _words(error)}
    if isinstance(error, InvalidStateError):
        problem |= {"fault": error.fault, "facelets": list(error.facelets), "cells": list(error.cells)}
    if isinstance(error, SearchLimitError):
        problem |= {"at_least": error.at_least}
    headers = {"Retry-After": str(error.after)} if isinstance(error, BusyError) else {}
    return JSONResponse(problem, _status(error, getattr(request.state, "max_depth", None)), headers)


def _words(error: Exception) -> str:
    if isinstance(error, MissingTableError):
        effort = f" ({error.effort})" if error.effort else ""
        return f"table {error.name} not found; build it with: cubesolve tables build {error.built_by}{effort}"
    if isinstance(error, TableError):
        return f"{os.path.basename(error.path)}: {error.reason}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, RecursionError):
        return "this is nested too deeply"
    return _cut(str(error))


def _cut(text: str) -> str:
    shown = text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}..."
    return "\n".join(map(printable, shown.split("\n")))


def _status(error: Exception, max_depth: int | None) -> int:
    if isinstance(error, UnknownPuzzleError):
        return 404
    if isinstance(error, (TableError, BusyError, MemoryError)):
        return 503
    if isinstance(error, SearchLimitError):
        return 504 if max_depth is None or error.at_least <= max_depth else 422
    if isinstance(error, (LateError, GoneError)):
        return 504
    return 422


async def _invalid(_request: Request, error: RequestValidationError) -> Response:
    """Say what is wrong with the JSON; nothing in it is repeated that could be large."""
    faults = error.errors()
    status = 400 if any(fault["type"] in {"json_invalid", "missing_body"} for fault in faults) else 422
    words = "; ".join(f"{'.'.join(map(str, fault['loc'][1:])) or 'body'}: {fault['msg']}" for fault in faults[:5])
    return JSONResponse({"error": _cut(words)}, status)


async def _no_such(_request: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)


async def _failed(_request: Request, _error: Exception) -> Response:
    return JSONResponse({"error": "this went wrong; the server's log says more"}, 500)
