"""Print a table of the puzzles of the catalog, in Markdown: the facts that are known without tables.

python scripts/puzzle_table.py
"""

from __future__ import annotations

from cubesolve.catalog import names, rules_named
from cubesolve.encodings import body_bytes
from cubesolve.spaces.rules import Rules

_HEAD = ("name", "description", "states", "God's number", "size of its tables", "built by `make tables`")
_NUMBERS = {"states", "size of its tables"}
_LARGEST = 10**24  # of the numbers that are written in full
_UNITS = ("bytes", "kB", "MB", "GB")


def lines() -> list[str]:
    """Return the lines of the table."""
    rules = [("---:" if column in _NUMBERS else "---") for column in _HEAD]
    return [_row(_HEAD), f"|{'|'.join(rules)}|", *(_row(_cells(rules_named(name))) for name in names())]


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(rules: Rules) -> tuple[str, ...]:
    tables = rules.usual_tables()
    return (
        f"`{rules.name}`",
        rules.title,
        _number(rules.number_of_states or 0),
        _most_moves(rules),
        _size(size) if (size := sum(body_bytes(entry.header) for entry in tables)) else "",
        "yes" if tables and all(entry.by_default for entry in tables) else "",
    )


def _number(states: int) -> str:
    return f"{states:,}" if states < _LARGEST else f"{float(states):.3e}".replace("e+", " x 10^")


def _most_moves(rules: Rules) -> str:
    """Return God's number in each metric in which it is known."""
    usual, *others = rules.metrics
    found = {usual: rules.gods_number}
    for entry in rules.tables():
        header = entry.header
        if header.metric in others and header.reachable == rules.number_of_states:
            found[header.metric] = len(header.distribution) - 1
    known = {metric: number for metric, number in found.items() if number is not None}
    return ", ".join(f"{number} {metric}" if others else str(number) for metric, number in known.items())


def _size(size: float) -> str:
    """Return a number of bytes in a readable unit."""
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.{int(unit > 0 and size < 100)}f} {_UNITS[unit]}"


if __name__ == "__main__":
    print("\n".join(lines()))
