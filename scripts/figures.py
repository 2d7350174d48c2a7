"""Draw docs/depths.svg, the picture of docs/research.md.

Needs the optional extra ``plot``: ``pip install -e ".[plot]"``, then ``python scripts/figures.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from cubesolve import lookup

COLOURS = {"htm": "#2563a8", "qtm": "#c2571a"}
NAMES = {"htm": "half turns", "qtm": "quarter turns"}


def numbers_of_states(axes: Axes) -> None:
    """How many states have each depth."""
    for i, (metric, colour) in enumerate(COLOURS.items()):
        counts = np.bincount(lookup.table(f"pocket-{metric}").as_array())
        bars = axes.bar(np.arange(len(counts)) + 0.4 * i - 0.2, counts, 0.4, color=colour, label=NAMES[metric])
        axes.bar_label(bars, [""] * (len(counts) - 1) + [f"{counts[-1]:,}"], fontsize=8)
    axes.set(yscale="log", xlabel="depth", title="States at each depth", xticks=range(0, 15, 2))
    axes.legend(frameon=False)


def depths_in_both_metrics(axes: Axes) -> None:
    """How the two depths of a state go together."""
    htm, qtm = (lookup.table(f"pocket-{metric}").as_array().astype(int) for metric in COLOURS)
    counts = np.bincount(qtm * 12 + htm, minlength=15 * 12).reshape(15, 12)
    image = axes.imshow(np.where(counts, np.log10(np.maximum(counts, 1)), np.nan), origin="lower", cmap="viridis")
    axes.set(xlabel=NAMES["htm"], ylabel=NAMES["qtm"], title="Depths in both metrics, log10 of the states")
    axes.set(xticks=range(0, 12, 2), yticks=range(0, 15, 2))
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def numbers_of_solutions(axes: Axes) -> None:
    """How many shortest solutions the states at each depth have, on average."""
    for metric, colour in COLOURS.items():
        depths, counts = lookup.table(f"pocket-{metric}").as_array(), lookup.solution_counts(f"pocket-{metric}")
        means = np.bincount(depths, weights=counts) / np.bincount(depths)
        axes.plot(means, "o-", color=colour, label=NAMES[metric])
    axes.set(yscale="log", xlabel="depth", title="Shortest solutions of a state, mean", xticks=range(0, 15, 2))
    axes.legend(frameon=False)


def draw(path: str) -> None:
    """Draw all three."""
    # The same figure gives the same file: no date, and no random names.
    mpl.rcParams.update({"svg.hashsalt": "cubesolve", "svg.fonttype": "none", "font.size": 9, "axes.titlesize": 10})
    figure, panels = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    for panel, plot in zip(panels, (numbers_of_states, depths_in_both_metrics, numbers_of_solutions), strict=True):
        plot(panel)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    draw(sys.argv[1] if len(sys.argv) > 1 else str(Path(__file__).parent.parent / "docs" / "depths.svg"))
