"""A browser that opens pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.patience import PATIENCE

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--disable-default-apps", "--disable-breakpad"),
    "--disable-features=Translate,OptimizationHints,MediaRouter",
    # A window without tabs and an address, and half as many pixels: drawing takes a third of the time of a test.
    *("--app=data:,", "--window-size=900,714", "--force-device-scale-factor=0.5"),
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.fail("this test needs Chromium and its driver: apt-get install chromium chromium-driver", pytrace=False)
    from selenium.webdriver import Chrome, ChromeOptions  # only what opens pages waits for it
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = chromium
    for switch in (*_SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with Chrome(options, Service(driver)) as found:
        found.command_executor.client_config.timeout = 3 * PATIENCE  # type: ignore[union-attr]  # seconds
        found.set_page_load_timeout(PATIENCE)
        found.set_script_timeout(2 * PATIENCE)  # scripts have limits of their own, and say more
        yield found


def open_page(browser: Chrome, path: Path, document: str) -> None:
    """Open a document from a file."""
    path.write_text(document)
    browser.get(path.as_uri())


def complaints(browser: Chrome) -> list[str]:
    """Return the messages of the console."""
    return [entry["message"] for entry in browser.get_log("browser")]  # type: ignore[no-untyped-call]


def touch(browser: Chrome, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag from one place to another one with a finger."""
    for kind, places in (("touchStart", [begin]), ("touchMove", [end]), ("touchEnd", [])):
        points = [{"x": x, "y": y} for x, y in places]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
