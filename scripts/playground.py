"""Write the page that needs no server to a folder: `make site` puts it beside the documentation.

In pages of the documentation around the folder, a comment becomes a button that opens the page.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cubesolve.web.offline import PUZZLES, write_page

_PLACE = "<!-- playground -->"
_BUTTON = '<p><a class="md-button md-button--primary" href="{}/index.html">Open the playground</a></p>'


def main(folder: str, *names: str) -> None:
    """Write the page with the default puzzles, or with the named ones."""
    write_page(folder, names or PUZZLES)
    for page in Path(folder).parent.glob("*.html"):
        text = page.read_text("utf-8")
        if _PLACE in text:
            page.write_text(text.replace(_PLACE, _BUTTON.format(Path(folder).name)), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
