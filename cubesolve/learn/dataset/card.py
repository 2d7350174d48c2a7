"""The card of a data set: contents, method and licence, in the format of data set hubs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cubesolve.learn.dataset.rows import Description

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_LARGER = "n>10M"
_COLUMNS = {
    "rank": "the rank of the state in the table",
    "depth": "the exact number of moves to solve the state",
    "optimal_moves": "for each move, in the order below, whether it begins an optimal solution",
    "solution": "an optimal solution",
    "walk": "the number of moves of the walk, an upper bound of the depth",
    "walk_moves": "the numbers of these moves, in the order below from 0 on; 255 after the last, or 65535 in uint16",
    "bound": "a lower bound of the depth",
}


def card(recipe: Mapping[str, Any], about: Description, splits: Mapping[str, int], sums: Mapping[str, str]) -> str:
    """Return the card: Markdown with a YAML front matter."""
    size = next((name for most, name in _SIZES if recipe["size"] < most), _LARGER)
    files = [line for name in splits for line in (f"  - split: {name}", f"    path: data/{name}-*")]
    front = ["license: mit", f"pretty_name: {json.dumps(about.title)}", "tags:", "- puzzles", "- search"]
    front += ["size_categories:", f"- {size}", "configs:", "- config_name: default", "  data_files:", *files]
    rows = ", ".join(f"{number:,} {name}" for name, number in splits.items())
    meanings = {**_COLUMNS, **about.state}
    columns = [f"| `{name}` | {meanings[name]} |" for name in recipe["columns"]]
    return "\n".join(
        [
            "---",
            *(front if recipe["format"] == "parquet" else front[: front.index("configs:")]),
            "---",
            "",
            f"# {about.title}: {about.contents}",
            "",
            f"{recipe['size']:,} states of the {about.title} ({rows}), each with its {about.label}:",
            f"labels are {about.origin}.",
            "",
            "| column | contents |",
            "|---|---|",
            *columns,
            "",
            f"Moves, in order: `{_separator(about.moves).join(about.moves)}`.",
            "",
            "## Method",
            "",
            f"Made by cubesolve {recipe['cubesolve']}. This command reproduces all rows:",
            "",
            "    " + _command(recipe, about.spoken),
            "",
            _chosen(recipe),
            "No state occurs twice." if about.distinct else "States are drawn independently; one can occur twice.",
            *_kept_apart(about, splits),
            *([f"The SHA-256 of the table's body is `{recipe['sha256']}`."] if recipe["sha256"] else []),
            "",
            "## Licence",
            "",
            "MIT, like cubesolve itself. The numbers are facts about the puzzle.",
            "",
            "## Files",
            "",
            "`sed -n '/^[0-9a-f]\\{64\\}  /p' README.md | sha256sum -c` verifies them.",
            "",
            "```text",
            *(f"{digest}  {name}" for name, digest in sums.items()),
            "```",
            "",
        ]
    )


def _kept_apart(about: Description, splits: Mapping[str, int]) -> list[str]:
    if len(splits) == 1:
        return []
    if not about.symmetry:
        return ["The walks of each split are drawn for itself: states near the solved one are in several."]
    return [f"A state and its copies under {about.symmetry} are in the same split."]


def _chosen(recipe: Mapping[str, Any]) -> str:
    if "walk" in recipe:
        least, most = recipe["walk"]
        lengths = f"{least} to {most} moves, all lengths equally likely" if least < most else f"{least} moves"
        return f"Rows are ends of random walks of {lengths}, in which no move undoes the one before."
    depths = recipe["depths"]
    which = "all states" if depths is None else f"the states at depths {depths[0]} to {depths[1]}"
    if recipe["by_depth"] == "natural":
        return f"Rows are drawn uniformly from {which}."
    return f"Rows are drawn from {which}, the same number at each depth of a split, as far as there are enough."


def _command(recipe: Mapping[str, Any], spoken: str) -> str:
    depths = recipe["depths"]
    words = [f"cubesolve dataset {spoken} --size {recipe['size']} --columns {','.join(recipe['columns'])}"]
    if "walk" in recipe:
        words += [f"--walk {recipe['walk'][0]}-{recipe['walk'][1]}"]
    else:
        words += [f"--by-depth {recipe['by_depth']}"]
        words += [] if depths is None else [f"--depths {depths[0]}-{depths[1]}"]
    words += [f"--split {recipe['split']} --seed {recipe['seed']} --format {recipe['format']} --out DIR"]
    return " ".join(words)


def _separator(moves: Sequence[str]) -> str:
    """Return the text between the names of moves, which may have blanks."""
    return "` `" if any(" " in move for move in moves) else " "
