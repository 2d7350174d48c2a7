"""The JSON interface and the page, as an ASGI application."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import hashlib
import json
import logging
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from importlib import resources
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from cubesolve import __version__, catalog
from cubesolve.definition import notation
from cubesolve.definition.options import WITHIN
from cubesolve.errors import CubesolveError, TableError
from cubesolve.picture.render import style
from cubesolve.web import answers, models, practice
from cubesolve.web.answers import Endpoint, Fields
from cubesolve.web.guard import Guard
from cubesolve.web.problems import EXPECTED, invalid, longest, problem
from cubesolve.web.searches import MORE, Answered, BusyError, DiedError, LateError, Searches, UnansweredError
from cubesolve.web.served import MOST_VISITORS, ChosenPuzzle, Recent, Served, UploadedText, folder_of
from cubesolve.web.worker import FAILED, IMPROVE

_LOG = logging.getLogger("uvicorn.error")
_SHORT = 500  # characters of a request that is parsed in a moment
_FEW_MOVES = 50  # of an alg that is applied in a moment
_FEW_POINTS = 256  # of a puzzle whose moves are applied in a moment
_MOST_QUICK = 64  # waiting requests that need no search
_QUICK = 2.0  # seconds for such a request
_STARTING = 5.0  # seconds in which worker processes usually start
_MOST_KNOWN = 1_000  # remembered combinations of endpoint and puzzle that are answered at once
_NICER = 10  # lower priority than processes that answer from tables
_FILES = {
    "": ("web/page/index.html", "text/html; charset=utf-8"),
    "page.css": ("web/page/page.css", "text/css; charset=utf-8"),
    "page.js": ("web/page/page.js", "text/javascript; charset=utf-8"),
    "modes.js": ("web/page/modes.js", "text/javascript; charset=utf-8"),
    "player.js": ("picture/player/player.js", "text/javascript; charset=utf-8"),
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": models.Problem, "description": words}
    for status, words in {
        400: "The request is malformed, or the host is not a name of this server.",
        403: "The request comes from a page of another site.",
        404: "The puzzle is unknown.",
        411: "The Content-Length header is missing.",
        413: "The request is too large.",
        422: "A state, a move or an option is invalid, or there is no answer within the limits of the request.",
        503: "Too many searches are waiting, a table is missing, or the server is shutting down.",
        504: "Not answered in time.",
    }.items()
}
_DEFINITION = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": models.Definition.model_json_schema()}},
    }
}
_SHEET_POLICY = (
    f"default-src 'none'; style-src 'sha256-{base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()}'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_IMPROVE = "Return better and better solutions with the bounds proved by then, a line each; the last may be an error."
_WORDS = {400: "malformed request", 404: "page not found", 405: "method not allowed"}


class Service:
    """Answers requests, in this process or in worker processes.

    Answers from open tables take a moment, and are given in this process. One worker process answers the other requests
    that need no search, and further ones run searches. This process is always free.
    """

    def __init__(
        self, files: Mapping[str, str], folder: str, searches: int, waiting: int, seconds: float, *, warm: bool
    ) -> None:
        """Take the puzzles and the limits; warm worker processes prepare for searches before the first one."""
        self.served, self.seconds, self._folder = Served(files, folder), seconds, folder
        self._texts, self._changed = Recent[str, UploadedText](MOST_VISITORS), Recent[ChosenPuzzle, None](MOST_VISITORS)
        begin = {"files": dict(files), "folder": folder, "warm": warm}
        self.searches = Searches(searches, waiting, {**begin, "nicer": _NICER})
        self.quick = Searches(1, _MOST_QUICK, {**begin, "nicer": 0})
        self.refused = 0  # the number of requests that were not started
        self._opened = set[str]()
        self.listed: list[dict[str, Any]] = []
        self._described: dict[str, Answered] = {}
        self._at_once = Recent[tuple[str | None, ...], None](_MOST_KNOWN)

    async def answer(self, endpoint: Endpoint, fields: Fields, request: Request) -> Response:
        chosen = self._chosen(fields, endpoint.request)
        body = self._in_place(endpoint, chosen, fields)
        if body is not None:
            return JSONResponse(body)
        question = self._question(endpoint.name, chosen, fields, request)
        key = (endpoint.name, fields.get("metric"), *chosen)
        quick = endpoint.is_short or key in self._at_once
        answered = await self.ask(question, request, self._limit(fields), quick=quick)
        if answered.at_once:
            self._at_once.use(key, None)
        return _response(answered)

    async def improve(self, fields: Fields, request: Request) -> Response:
        """Send better and better solutions, a line each."""
        chosen = self._chosen(fields, models.Improve)
        question = self._question(IMPROVE, chosen, fields, request)
        is_short = question["given"] is None and chosen.is_plain and WITHIN in self.served.find(chosen).rules.options
        lines = self._improvements(question, request, self._limit(fields), is_short)
        first = await anext(lines)
        if first.status not in {200, MORE}:
            return _response(first)
        return StreamingResponse(_lines(first, lines), media_type="application/x-ndjson")

    async def _improvements(
        self, question: dict[str, Any], request: Request, seconds: float, is_short: bool
    ) -> AsyncIterator[Answered]:
        """Yield the first solution, which does not wait for searches if it takes a moment, and better ones."""
        began, gone, shown = time.monotonic(), functools.partial(_left, request), b""
        if is_short:
            with contextlib.suppress(BusyError, LateError, DiedError):
                first = await self.quick.ask({**question, "first": True}, seconds, gone, _QUICK)
                yield first
                shown = first.content
                if first.status != 200 or json.loads(first.content)["proved"]:
                    return
        heard = asyncio.Queue[Answered | None]()
        left = max(0.0, began + seconds - time.monotonic())
        last = asyncio.ensure_future(self.searches.ask(question, left, gone, heard=heard.put_nowait))
        last.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while (answered := await heard.get()) is not None:
                if answered.content != shown:
                    yield answered
                shown = answered.content
            ended = await last
            if ended.content != shown:  # the last solution, or an error
                yield ended
        finally:
            last.cancel()

    def _chosen(self, fields: Fields, model: type[Any]) -> ChosenPuzzle:
        names = ChosenPuzzle._fields if issubclass(model, models.Chosen) else ("puzzle",)
        taken = {name: fields.pop(name) for name in names if name in fields}
        chosen = ChosenPuzzle(**{"puzzle": models.USUAL_PUZZLE, **taken})
        return chosen._replace(puzzle=self.served.called(chosen.puzzle))

    def _question(self, kind: str, chosen: ChosenPuzzle, fields: Fields, request: Request) -> dict[str, Any]:
        """Return a question; keep a visitor's puzzle, and remove the tables of one that is not kept any more."""
        given = self.given(chosen.puzzle)
        request.state.most = longest(fields)
        if not (chosen.is_plain and chosen.puzzle in self.served.names):
            for dropped in self._changed.use(chosen, None):
                folder = folder_of(self._folder, dropped)
                asyncio.get_running_loop().run_in_executor(None, shutil.rmtree, folder, True)
        return {"kind": kind, "chosen": chosen, "fields": fields, "given": given}

    def _limit(self, fields: Fields) -> float:
        limit: float | None = fields.get("timeout")
        return self.seconds if limit is None else min(limit, self.seconds)

    def given(self, name: str) -> UploadedText | None:
        """Return the uploaded text that defines a puzzle; None for a listed puzzle."""
        given = self._texts.get(name)
        if given is None and name not in self.served.names:
            self.served.rules(name)
        return given

    def _in_place(self, endpoint: Endpoint, chosen: ChosenPuzzle, fields: Fields) -> dict[str, Any] | None:
        """Return the answer if it can be looked up at once; None if it takes longer or is an error."""
        if chosen.puzzle not in self._opened or not chosen.is_plain:
            return None
        puzzle = self.served.find(chosen)
        definition = getattr(puzzle.rules, "definition", None)
        length = sum(len(value) for value in fields.values() if isinstance(value, str))
        if length > _SHORT or (definition is not None and definition.points > _FEW_POINTS):
            return None
        with contextlib.suppress(CubesolveError, ValueError), notation.limited(_FEW_MOVES):
            if endpoint.is_at_once and endpoint.is_at_once(puzzle, fields):
                return endpoint.answer(puzzle, fields)
        return None

    async def ask(self, question: dict[str, Any], request: Request, seconds: float, *, quick: bool = False) -> Answered:
        """Answer a question in a worker process; one that probably needs no search, but takes longer, joins these."""
        began, gone = time.monotonic(), functools.partial(_left, request)
        if quick:
            with contextlib.suppress(BusyError, LateError):
                return await self.quick.ask(question, seconds, gone, _QUICK)
            seconds = max(0.0, began + seconds - time.monotonic())
        return await self.searches.ask(question, seconds, gone)

    async def start(self) -> None:
        """Start the worker processes and open the default tables, in parallel, before the first request."""
        for workers in (self.quick, self.searches):
            workers.start()
        await asyncio.to_thread(self.open)
        await asyncio.gather(self.quick.ready(_STARTING), self.searches.ready(_STARTING))

    def open(self) -> None:
        """Open the default tables before the first request."""
        for name in catalog.names():
            if any(entry.by_default for entry in catalog.rules_named(name).tables()):
                try:
                    answers.prepare(self.served.find(ChosenPuzzle(name)))
                    self._opened.add(name)
                except TableError as error:
                    _LOG.warning("%s", error)
        for name in self.served.files:
            answers.described(self.served.find(ChosenPuzzle(name)), name)
            self._opened.add(name)
        self.listed = [answers.listed(self.served.find(ChosenPuzzle(name)).rules, name) for name in self.served.names]

    # The names of these methods are in the description of the interface.

    async def _health(self, request: Request) -> models.Health:
        """Return the status and the load of the server."""
        guard: Guard = request.app.state.guard
        load = {name: getattr(self.searches, name) for name in ("running", "waiting", "idle", "busy", "lost")}
        return models.Health(
            status="lost" if self.searches.lost else "ok",
            version=__version__,
            searches=self.searches.open,
            **load,
            refused=self.refused,
            requests=guard.requests,
            seconds=round(guard.seconds, 3),
            slowest=round(guard.slowest, 3),
        )

    async def _puzzles(self) -> Response:
        """List the puzzles."""
        return JSONResponse(self.listed)

    async def _puzzle(self, request: Request, name: models.Name) -> Response:
        """Describe a puzzle."""
        name = self.served.called(name)
        answered = self._described.get(name)
        if answered is None:
            given = self.given(name)
            question = {"kind": "describe", "name": name, "given": given}
            answered = await self.ask(question, request, self.seconds, quick=given is None)
            if given is None and answered.status == 200:
                self._described[name] = answered
        return _response(answered)

    async def _add_puzzle(self, request: Request) -> Response:
        """Add a puzzle from the text of a file; the answer has the name for requests about it."""
        body = (await request.body()).decode(errors="surrogateescape")
        answered = await self.ask({"kind": "add", "body": body}, request, self.seconds)
        if answered.status == 201:
            definition = models.Definition.model_validate_json(body.encode(errors="surrogateescape"))
            given = UploadedText(definition.text, definition.name)
            self._texts.use(given.made_name, given)
        return _response(answered)

    async def _sheet(self, request: Request, asked: Annotated[models.Sheet, Query()]) -> Response:
        """Return a page for printing, with the scrambles of a round and two extra ones."""
        response = await self.answer(practice.SHEET, asked.model_dump(exclude_none=True), request)
        if response.status_code != 200:
            return response
        policy = {"Content-Security-Policy": _SHEET_POLICY}
        return HTMLResponse(json.loads(bytes(response.body))["sheet"], headers=policy)

    async def failed(self, request: Request, error: Exception) -> Response:
        """Answer with an error."""
        content: Mapping[str, object] = FAILED
        status, headers = 500, dict[str, str]()
        if isinstance(error, UnansweredError):
            self.refused += isinstance(error, BusyError)
            status, content = error.status, {"error": str(error)}
            headers = {} if error.after is None else {"Retry-After": str(error.after)}
        elif isinstance(error, RequestValidationError):
            model = getattr(request.scope.get("endpoint"), "__annotations__", {}).get("question")
            fields = {} if model is None else model.model_fields
            status, content = invalid(error.errors(), [field.alias or name for name, field in fields.items()])
        elif isinstance(error, HTTPException):
            words = _WORDS.get(error.status_code, str(error.detail))
            status, content, headers = error.status_code, {"error": words}, dict(error.headers or {})
        elif isinstance(error, EXPECTED):
            status, content = problem(error, getattr(request.state, "most", None))
        return JSONResponse(content, status, headers)

    async def close(self) -> None:
        """End all processes, and remove the folder of visitors' tables."""
        await asyncio.gather(self.searches.close(), self.quick.close())
        shutil.rmtree(self._folder, ignore_errors=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _lines(first: Answered, others: AsyncIterator[Answered]) -> AsyncIterator[bytes]:
    """Yield answers as lines; an error after the first one is the last line."""
    yield first.content + b"\n"
    try:
        async for answered in others:
            yield answered.content + b"\n"
    except UnansweredError as error:
        yield json.dumps({"error": str(error)}).encode() + b"\n"


def _response(answered: Answered) -> Response:
    return Response(answered.content, answered.status, media_type="application/json")


# -- Requests ----------------------------------------------------------------------------------------------------------


def application(service: Service, names: Collection[str] = ()) -> Guard:
    """Return the application, behind a `Guard` that knows the names of this server."""
    app = FastAPI(
        title="cubesolve",
        version=__version__,
        summary="Exact distances and optimal solutions for permutation puzzles.",
        openapi_url=None,  # see `_openapi`
        docs_url=None,  # such pages load scripts from other sites
        redoc_url=None,
        redirect_slashes=False,
        lifespan=functools.partial(_lifespan, service),
    )
    guard = Guard(app, names)
    app.state.guard = guard
    for entry in answers.ENDPOINTS:
        answered = {"model": entry.response}
        _add(app, entry.name, entry.summary, entry.request, answered, functools.partial(service.answer, entry))
    improved = {"model": models.Improvement, "content": {"application/x-ndjson": {}}}
    _add(app, "improve", _IMPROVE, models.Improve, improved, service.improve)
    sheet = {200: {"content": {"text/html": {}}, "description": "The sheet."}, **_PROBLEMS}
    app.get("/api/sheet", tags=["questions"], responses=sheet)(service._sheet)
    app.get("/api/events", tags=["questions"], response_model=list[models.Event])(_events)
    app.get("/api/health", tags=["server"], response_model=models.Health)(service._health)
    app.get("/api/puzzles", tags=["puzzles"], response_model=list[models.Listed])(service._puzzles)
    added = {201: {"model": models.Described, "description": "The puzzle was added."}, **_PROBLEMS}
    app.post("/api/puzzles", tags=["puzzles"], status_code=201, responses=added, openapi_extra=_DEFINITION)(
        service._add_puzzle
    )
    described = {200: {"model": models.Described}, **_PROBLEMS}
    app.get("/api/puzzles/{name}", tags=["puzzles"], responses=described)(service._puzzle)
    for path, (file, kind_of) in _FILES.items():
        content = resources.files("cubesolve").joinpath(file).read_bytes()
        app.get(f"/{path}", include_in_schema=False)(_fixed(content, kind_of))
    app.get("/api/openapi.json", include_in_schema=False)(_openapi)
    for error in (*EXPECTED, UnansweredError, RequestValidationError, HTTPException, Exception):
        app.exception_handler(error)(service.failed)
    return guard


@contextlib.asynccontextmanager
async def _lifespan(service: Service, _app: FastAPI) -> AsyncIterator[None]:
    try:
        await service.start()
        yield
    finally:
        await service.close()


def _add(
    app: FastAPI,
    name: str,
    summary: str,
    model: type[Any],
    answered: dict[str, Any],
    answer: Callable[[Fields, Request], Awaitable[Response]],
) -> None:
    async def ask(request: Request, question: Any) -> Response:
        return await answer(question.model_dump(exclude_none=True), request)

    ask.__name__, ask.__doc__ = name, summary
    ask.__annotations__["question"] = model  # created at run time from the options of the puzzles
    app.post(f"/api/{name}", tags=["questions"], responses={200: answered, **_PROBLEMS})(ask)


async def _events() -> Response:
    """List the events."""
    return JSONResponse(practice.LISTED_EVENTS)


def _fixed(content: bytes, media_type: str) -> Callable[[], Awaitable[Response]]:
    async def fixed() -> Response:
        return Response(content, media_type=media_type)

    return fixed


async def _openapi(request: Request) -> Response:
    """Describe the interface; the first time, that takes longer than all else of a start."""
    content = await asyncio.to_thread(lambda: json.dumps(request.app.openapi()))
    return Response(content, media_type="application/json")
