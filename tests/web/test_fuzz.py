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


_WORDS = st.lists(
    st.sampled_from(
        ["R", "U'", "F2", "x", "(", ")", "2", "W", "WB", "E", "*", "/", "URF", "{", "[]", "é", "\0", "9", ","]
    ),
    max_size=12,
).map(" ".join)
_TEXTS = [
    "alg", "net", "pieces", "kpuzzle", "any", "tray", "htm", "qtm", "1,1", "2,2", "9,9", "axis", "face", "full",
    "WRGYOB", "WWWWWW", "R U", "U2", "Q", "x", "U=2", "*=9", "=", "cross", "layer", "first-layer", "first-layer,solved",
    "solved", ",", "cll", "cll:22", "cll:99", "pll", "pll:T", ":", "x:1", "222", "minx", "length", "", "*" * 24,
]  # fmt: skip
_TEXT = st.sampled_from(_TEXTS) | _WORDS | st.text("URFDLB", min_size=24, max_size=24)


@pytest.mark.parametrize(
    ("method", "path", "examples"), [*((*path, 5) for path in FEW), *(later(*path, 1_000) for path in PATHS)]
)
def test_answers_are_as_described(api: schemathesis.BaseSchema, method: str, path: str, examples: int) -> None:
    @given(case=api[path][method].as_strategy(), data=st.data())
    @settings(_SETTINGS, max_examples=examples)
    def ask(case: Any, data: st.DataObject) -> None:
        if isinstance(case.body, dict) and data.draw(st.booleans()):
            for name in [name for name, value in case.body.items() if isinstance(value, str)]:
                case.body[name] = data.draw(st.sampled_from(SMALL) if name == "puzzle" else _TEXT)
        # Text may be no state, and a table may be missing: that is 503.
        response = case.call_and_validate(excluded_checks=[positive_data_acceptance, not_a_server_error])
        assert response.status_code != 500

    ask()
