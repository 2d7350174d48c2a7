"""Write the page that needs no server to a folder: `make site` puts it beside the documentation."""

from __future__ import annotations

import sys

from cubesolve.web.offline import PUZZLES, write_page


def main(folder: str, *names: str) -> None:
    """Write the page with the default puzzles, or with the named ones."""
    write_page(folder, names or PUZZLES)


if __name__ == "__main__":
    main(*sys.argv[1:])
