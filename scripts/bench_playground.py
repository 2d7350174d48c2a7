"""Print the time from opening the page without a server in Chromium to its first answer, for docs/engineers.md.

The page is opened from a folder, which `playground.py` writes, without a network. Definition files, given after the
folder, are dropped on the page; the time is that to the distance of the solved state.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import median

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from cubesolve.web.offline import PUZZLES

_RUNS = 5
_LOOK = """
const started = performance.now(), [file] = arguments, done = arguments[arguments.length - 1];
const title = document.getElementById("title").textContent;
if (file) {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([file[1]], file[0]));
  document.dispatchEvent(new DragEvent("drop", {dataTransfer}));
}
const look = () => {
  const answer = document.getElementById("distance").textContent;
  const isOther = !file || document.getElementById("title").textContent !== title;
  if (isOther && /solved|to go/.test(answer)) done(performance.now() - (file ? started : 0));
  else setTimeout(look, 2);
};
look();
"""


def main(folder: str, *paths: str) -> None:
    """Measure each puzzle, and each file."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for switch in ("--headless", "--no-sandbox"):
        options.add_argument(switch)
    page = (Path(folder) / "index.html").absolute().as_uri()
    with Chrome(options, Service(shutil.which("chromedriver"))) as browser:
        browser.set_script_timeout(600)
        browser.execute_cdp_cmd("Network.enable", {})
        off = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", off)
        for name in PUZZLES:
            times = []
            for run in range(_RUNS):
                browser.get(f"{page}?{run}#{name}")
                times.append(browser.execute_async_script(_LOOK, None))
            print(f"{name}: {min(times):.0f} to {max(times):.0f} ms, median {median(times):.0f}")
        for path in map(Path, paths):
            taken = browser.execute_async_script(_LOOK, [path.name, path.read_text("utf-8")])
            print(f"{path.name}: {taken:.0f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
