"""Generated requests get the documented answers, and never an internal error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error, positive_data_acceptance

from cubesolve.web import serving
from cubesolve.web.answers import ENDPOINTS
from tests.subsets import later
from tests.web.conftest import Client, running

SMALL = ("pocket", "skewb", "floppy", "rolling", "tiles-2x3", "rubik", "pyraminx-duo")
_SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def hurried() -> Iterator[Client]:
    """A client of a server with a short time limit."""
    with running(serving.Settings("127.0.0.1", 0, seconds=0.5, searches=1, waiting=4), []) as port:
        yield Client(port)


@pytest.fixture(scope="module")
def api(hurried: Client) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{hurried.address}api/openapi.json")


ASKED = [("POST", f"/api/{kind.name}") for kind in ENDPOINTS]
READ = [("GET", path) for path in ("/api/puzzles", "/api/puzzles/{name}", "/api/health", "/api/events", "/api/sheet")]
PATHS = [*ASKED, *READ, ("POST", "/api/puzzles")]
FEW = [("POST", "/api/depth"), ("POST", "/api/solve"), ("GET", "/api/puzzles/{name}")]


@pytest.mark.parametrize(
    ("method", "path", "examples"), [*((*path, 5) for path in FEW), *(later(*path, 1_000) for path in PATHS)]
)
def test_answers_are_as_described(api: schemathesis.BaseSchema, method: str, path: str, examples: int) -> None:
    @given(case=api[path][method].as_strategy())
    @settings(_SETTINGS, max_examples=examples)
    def ask(case: Any) -> None:
        # Text may be no state, and a table may be missing: that is 503.
        response = case.call_and_validate(excluded_checks=[positive_data_acceptance, not_a_server_error])
        assert response.status_code != 500

    ask()


_WORDS = st.lists(
    st.sampled_from(
        ["R", "U'", "F2", "x", "(", ")", "2", "W", "WB", "E", "*", "/", "URF", "{", "[]", "é", "\0", "9", ","]
    ),
    max_size=12,
).map(" ".join)
_SAID = st.fixed_dictionaries(
    {"puzzle": st.sampled_from(SMALL), "state": _WORDS | st.text("URFDLB", min_size=24, max_size=24)},
    optional={
        "format": st.sampled_from(["alg", "net", "pieces", "kpuzzle", "any", "tray"]),
        "metric": st.sampled_from(["htm", "qtm"]),
        "start": st.sampled_from(["1,1", "2,2", "WB E/WB WB", "9,9", ""]),
        "model": st.sampled_from(["axis", "face", "full"]),
        "target": _WORDS,
        "colours": st.sampled_from(["WRGYOB", "WWWWWW", ""]),
        "moves": st.sampled_from(["R U", "U2", "Q", "x", ""]),
        "cost": st.sampled_from(["U=2", "*=9", "=", ""]),
        "goal": st.sampled_from(["cross", "first-layer", "*" * 24, ""]),
        "max_depth": st.integers(0, 30),
        "within": st.integers(0, 30),
        "count": st.booleans(),
        "all": st.booleans(),
        "slack": st.integers(0, 3),
        "alg": _WORDS,
        "to": st.sampled_from(["alg", "net", "pieces", "x"]),
        "depth": st.integers(0, 20),
        "length": st.integers(0, 20),
        "seed": st.integers(),
        "scramble": _WORDS,
        "solution": _WORDS,
        "steps": st.sampled_from(["first-layer,solved", "cross", "solved", ",", "x"]),
        "inverse": st.booleans(),
        "step": st.sampled_from(["first-layer", "layer", "cross", "x"]),
        "solved": st.sampled_from(["first-layer", "layer", "cross", "x"]),
        "case": st.sampled_from(["cll", "cll:22", "cll:99", "pll:T", ":", "x:1"]),
        "set": st.sampled_from(["cll", "pll", "x", ""]),
        "offset": st.integers(0, 99),
        "limit": st.integers(0, 200),
        "number": st.integers(0, 30),
        "event": st.sampled_from(["222", "pyram", "minx", "x", ""]),
    },
)


@pytest.mark.exhaustive
@given(kind=st.sampled_from([kind.name for kind in ENDPOINTS]), said=_SAID)
@settings(_SETTINGS, max_examples=10_000)
def test_nothing_goes_wrong(hurried: Client, kind: str, said: dict[str, object]) -> None:
    answer = hurried.ask(kind, **said)
    assert answer.status in {200, 404, 422, 503, 504}, answer
    if answer.status != 200:
        assert answer.content["error"]
