"""Draw docs/depths.svg, the picture of docs/researchers.md.

Needs matplotlib: ``pip install matplotlib``, then ``python scripts/figures.py``.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cubesolve import lookup

INK = "#010203"  # colours that are readable on white and on black
STYLE = "svg{color:#222;fill:currentColor}@media(prefers-color-scheme:dark){svg{color:#ddd}}"
mpl.rcParams.update({"svg.hashsalt": "cubesolve", "svg.fonttype": "none", "font.size": 9, "axes.titlesize": 10})
mpl.rcParams.update({"text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK})
mpl.rcParams.update({"xtick.color": INK, "ytick.color": INK})
COLOURS = {"htm": "#3a7cc4", "qtm": "#d06a2c"}
NAMES = {"htm": "half turns", "qtm": "quarter turns"}


def numbers_of_states(axes: Axes) -> None:
    """Return a picture of the number of states at each depth."""
    for i, (metric, colour) in enumerate(COLOURS.items()):
        counts = np.bincount(lookup.table(f"pocket-{metric}").as_array())
        label = f"{NAMES[metric]}: {counts[-1]:,} at {len(counts) - 1}"
        axes.bar(np.arange(len(counts)) + 0.4 * i - 0.2, counts, 0.4, color=colour, label=label)
    axes.set(yscale="log", xlabel="depth", title="States at each depth", xticks=range(0, 15, 2), ylim=(0.5, 1e8))
    axes.legend(frameon=False, loc="upper left")


def depths_in_both_metrics(axes: Axes) -> None:
    """Return a picture of the two depths of each state."""
    htm, qtm = (lookup.table(f"pocket-{metric}").as_array().astype(int) for metric in COLOURS)
    counts = np.bincount(qtm * 12 + htm, minlength=15 * 12).reshape(15, 12)
    image = axes.imshow(np.where(counts, np.log10(np.maximum(counts, 1)), np.nan), origin="lower", cmap="viridis")
    axes.set(xlabel=NAMES["htm"], ylabel=NAMES["qtm"], title="Depths in both metrics, log10 of the states")
    axes.set(xticks=range(0, 12, 2), yticks=range(0, 15, 2))
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def numbers_of_solutions(axes: Axes) -> None:
    """Return a picture of the mean number of optimal solutions at each depth."""
    for metric, colour in COLOURS.items():
        depths, counts = lookup.table(f"pocket-{metric}").as_array(), lookup.solution_counts(f"pocket-{metric}")
        means = np.bincount(depths, weights=counts) / np.bincount(depths)
        axes.plot(means, "o-", color=colour, label=NAMES[metric])
    axes.set(yscale="log", xlabel="depth", title="Shortest solutions of a state, mean", xticks=range(0, 15, 2))
    axes.legend(frameon=False)


def figure_svg() -> str:
    """Return all three as an SVG document; equal figures give equal documents, without dates and random names."""
    figure, panels = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    for panel, plot in zip(panels, (numbers_of_states, depths_in_both_metrics, numbers_of_solutions), strict=True):
        plot(panel)
    return document(figure)


def document(figure: Figure) -> str:
    """Return a figure as an SVG document."""
    file = io.StringIO()
    figure.savefig(file, transparent=True, metadata={"Date": None})
    plt.close(figure)
    return file.getvalue().replace(INK, "currentColor").replace("</style>", f"{STYLE}</style>", 1)


if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "depths.svg"
    path.write_text(figure_svg())
