"""Every table by name: what its header must say, where it starts, who published its distribution, where it is found.

The catalog is data only, so that looking a table up loads nothing that building one needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from cubesolve.errors import MissingTableError
from cubesolve.tablefile import LINES, SUFFIX, TableHeader

Folder = str | os.PathLike[str]
"""How a folder may be given."""

FOLDER_VARIABLE = "CUBESOLVE_TABLES"
"""The environment variable that names a folder of tables."""

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(_PACKAGE)


class CatalogEntry(NamedTuple):
    """One table.

    Attributes:
        header: what the header of its file says, to the letter.
        start: index of the entry at depth 0.
        source: where the distribution was published.
        vacancy: for rolling cubes, column and row of the vacancy at the start.
        patterns_of: for a table of top patterns, the table of the states.
        by_default: whether it is built when nothing else is asked for.
        label: for pattern databases of the 3x3x3, what a row tells beside its class; see `cosets.label_named`.
    """

    header: TableHeader
    start: int
    source: str
    vacancy: tuple[int, int] | None = None
    patterns_of: str | None = None
    by_default: bool = True
    label: str | None = None

    @property
    def name(self) -> str:
        """The table's name.

        >>> CATALOG["pocket-htm"].name
        'pocket-htm'
        """
        return self.header.name


_POCKET = CatalogEntry(
    TableHeader(
        name="pocket-htm",
        puzzle="pocket",
        metric="htm",
        scheme="729 * corner permutation + twist, DBL fixed",
        entries=3_674_160,
        distribution=(1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644),
        sha256="5ea057297093be58ae3cbb36ef471415e30eb6b600356c2c0237f5174fb1e6c2",
    ),
    start=0,
    source="Wikipedia, 'Pocket Cube', table of positions by half-turn depth",
)
_POCKET_QTM = CatalogEntry(
    _POCKET.header._replace(
        name="pocket-qtm",
        metric="qtm",
        distribution=(
            *(1, 6, 27, 120, 534, 2256, 8969, 33058, 114149, 360508),
            *(930588, 1350852, 782536, 90280, 276),
        ),
        sha256="9a13a72b3cd81d1c2b6763e84c5c1c0cf72d6a8573c56cbe51034b7cf9bff22d",
    ),
    start=0,
    source="Wikipedia, 'Pocket Cube', table of positions by quarter-turn depth",
)


def _rolling(
    name: str,
    *,
    puzzle: str,
    vacancy: tuple[int, int],
    start: int,
    distribution: str,
    sha256: str,
    patterns_of: str | None = None,
) -> CatalogEntry:
    counts = tuple(map(int, distribution.split()))  # every state, and every pattern, can be reached
    fibre = "tops" if puzzle == "rolling-axis" else "orientations"
    scheme = f"vacancy x {fibre}" if patterns_of or puzzle == "rolling-face" else f"vacancy x plus slots x {fibre}"
    return CatalogEntry(
        TableHeader(name, puzzle, "rolls", scheme, sum(counts), counts, sha256),
        start,
        "found here; the proof needs no other source, and an independent C++ search gives the same",
        vacancy,
        patterns_of,
        by_default=puzzle == "rolling-axis",
    )


_ROLLING = (
    _rolling(
        "rolling-corner",
        puzzle="rolling-axis",
        vacancy=(1, 1),
        start=131220,
        distribution="""
        1 2 4 8 16 20 40 68 134 180 348 524 1034 1474 2860 4154 8063 11406 21646 29862 55599 73770
        131016 159948 262322 282642 414783 380290 493832 385120 443034 289594 290863 156246 132567
        52310 33819 8850 4210 610 159 2
        """,
        sha256="ce272b22308f0fd9fa9f6f5befdcc002ec9d0462de381386e638285e5abc79fe",
    ),
    _rolling(
        "rolling-corner-patterns",
        puzzle="rolling-axis",
        vacancy=(1, 1),
        start=0,
        distribution="""
        1 2 4 8 16 20 40 68 134 178 338 488 929 1224 2187 2792 4529 4812 6832 6246 7430 5278 5419
        3068 3066 1420 1355 506 426 106 89 28 10
        """,
        sha256="2679d2af0a7790ef74bc1a4f6d068d9d998edfaab51452bd82841eea912165b8",
        patterns_of="rolling-corner",
    ),
    _rolling(
        "rolling-edge",
        puzzle="rolling-axis",
        vacancy=(2, 1),
        start=413343,
        distribution="""
        1 3 5 10 14 28 44 88 124 240 352 690 994 1930 2783 5389 7592 14317 19389 35611 46351 80937
        96674 157321 169299 251613 240776 328979 280262 350281 263557 297937 192377 192873 103451
        88922 37653 26345 7480 3460 484 106 2
        """,
        sha256="5d7c5d0cda83541d0cb78557d86579728947635a54953ba9f5a37bd9414e7b61",
    ),
    _rolling(
        "rolling-edge-patterns",
        puzzle="rolling-axis",
        vacancy=(2, 1),
        start=6561,
        distribution="""
        1 3 5 10 14 28 44 88 123 234 320 616 811 1446 1833 3040 3406 4948 4822 6189 4921 5817 4109
        4527 2861 3123 1826 1755 791 703 282 220 67 52 7 5 1 1
        """,
        sha256="35d114ea1f8f81d6096c4043ae9da149eeee9b903ef321554fa80f16070539f0",
        patterns_of="rolling-edge",
    ),
    _rolling(
        "rolling-centre",
        puzzle="rolling-axis",
        vacancy=(2, 2),
        start=1968300,
        distribution="""
        1 4 8 8 16 32 64 80 152 240 480 668 1272 1844 3584 5028 9448 12744 23340 30284 52780 63072
        104790 119644 188982 198048 292850 281116 387675 337528 428112 324476 373579 254516 261638
        140744 124006 57164 40122 9512 3394 328 57
        """,
        sha256="3b971ebbfd9876ef70be8b765d2f818a0bfc97b4cb8bbd0cf1c079911775f263",
    ),
    _rolling(
        "rolling-centre-patterns",
        puzzle="rolling-axis",
        vacancy=(2, 2),
        start=26244,
        distribution="""
        1 4 8 8 16 32 64 80 148 216 412 512 942 1228 2100 2344 3544 3856 5413 4664 5954 4404 5430
        4024 4245 2612 2628 1404 1206 596 508 224 154 32 30 4 2
        """,
        sha256="46d83cc4bb2f6cb19c93f45f94a9953d7b2d9981e6781f0c21e4bbeae041bf2c",
        patterns_of="rolling-centre",
    ),
    _rolling(
        "rolling-face-corner",
        puzzle="rolling-face",
        vacancy=(1, 1),
        start=0,
        distribution="""
        1 2 4 8 16 20 40 68 134 180 346 516 1017 1454 2816 4074 7906 11186 21216 29286 54722 73374
        132614 168326 289445 341566 552553 595292 893904 872732 1215810 1068258 1379822 1102470
        1324453 955226 1066901 704122 736316 435172 418384 223982 199308 92820 73780 29768 21455
        7204 4436 1210 613 134 64 14 4
        """,
        sha256="544128b62d46d785901d1245f4f9ca572aab2ba5e9dd15e0b84eed500408641b",
    ),
    _rolling(
        "rolling-face-edge",
        puzzle="rolling-face",
        vacancy=(2, 1),
        start=1679616,
        distribution="""
        1 3 5 10 14 28 44 88 123 236 343 674 976 1904 2744 5349 7637 14644 20443 38601 52633 97034
        127358 226156 278966 468406 532765 834203 857380 1235419 1129228 1490081 1210036 1459568
        1049526 1159608 741298 749065 419249 384848 191420 161283 70067 53222 20625 14340 4646 2799
        811 453 118 58 8
        """,
        sha256="c6b3493dfe953b0c36b86d70181026a05e2beda7740d099e0b647c5c2760de26",
    ),
    _rolling(
        "rolling-face-centre",
        puzzle="rolling-face",
        vacancy=(2, 2),
        start=6718464,
        distribution="""
        1 4 8 8 16 32 64 80 148 224 448 632 1216 1768 3464 4960 9482 13296 25484 35744 67096 90584
        166558 217612 383604 466092 767211 838724 1260208 1208772 1631240 1342312 1618467 1145324
        1237172 756312 734955 386164 333095 150940 118538 46444 32322 10656 6381 1564 858 204 44 12
        """,
        sha256="778c447569a16089d0849bc85be8b5f264e32ee0010a9f7f9042de364448ffc0",
    ),
)


def _rubik(name: str, *, rows: str, label: str, distribution: str, sha256: str) -> CatalogEntry:
    counts = tuple(map(int, distribution.split()))
    metric = name.split("-")[1]
    return CatalogEntry(
        TableHeader(name, "rubik", metric, f"2187 * {rows} + twist", sum(counts), counts, sha256, LINES),
        0,
        "found here, and proved; the last level has all that is so deep or deeper",
        by_default=False,
        label=label,
    )


_RUBIK = (
    _rubik(
        "rubik-htm-small",
        rows="flip-slice class",
        label="none",
        distribution="1 1 5 44 487 5841 68364 776568 7950748 52098876 76236234 3771241",
        sha256="5996d71cfc84b10f0030256389a06480ddfab1360525242f5d772ff589efa14a",
    ),
    _rubik(
        "rubik-htm-medium",
        rows="(6 * flip-slice class + slice order)",
        label="order",
        distribution="1 4 14 104 1098 13159 157222 1838167 20153554 170795318 529326626 123165193",
        sha256="b1cf422e5d0ab40fe239623899a18ccb241e64942a0c6ca7fc00305b3b57eeb3",
    ),
    _rubik(
        "rubik-htm-large",
        rows="(70 * flip-slice class + U corners)",
        label="layer",
        distribution="""
        1 6 29 164 1433 16772 205033 2513871 30329976 342440769 2815191126 6147967200 524922320
        """,
        sha256="86d91e567fc7fac5eb2b5d7e90f12ec398a61b23b1e307c2932193400201692d",
    ),
    _rubik(
        "rubik-qtm-small",
        rows="flip-slice class",
        label="none",
        distribution="1 1 3 24 185 1633 14708 130032 1124165 8868078 48182278 75087495 7499807",
        sha256="a3e630228cfb5857280ef2d46353a7f82a4a6ae8714de4e6801f64d7d980ce97",
    ),
    CatalogEntry(
        TableHeader(
            name="corners-htm",
            puzzle="rubik-corners",
            metric="htm",
            scheme="2187 * corner permutation + twist",
            entries=88_179_840,
            distribution=(
                *(1, 18, 243, 2874, 28000, 205416, 1168516, 5402628, 20776176),
                *(45391616, 15139616, 64736),
            ),
            sha256="227ba950996876f0e7cb2ce888599f197103be20e4fe2118b7463ad8fe585424",
        ),
        start=0,
        source="Richard Korf, 'Finding Optimal Solutions to Rubik's Cube Using Pattern Databases', 1997",
        by_default=False,
    ),
)

CATALOG = {entry.name: entry for entry in (_POCKET, _POCKET_QTM, *_ROLLING, *_RUBIK)}
"""Every table that cubesolve knows, in the order in which they are built."""

GROUPS = {"rolling-face": tuple(name for name in CATALOG if name.startswith("rolling-face-"))}
"""Tables that are built by one name."""


def tables_named(names: Iterable[str] = ()) -> list[str]:
    """The tables that names of tables and groups stand for; without any, those that are built by default.

    >>> tables_named(["rolling-face"])
    ['rolling-face-corner', 'rolling-face-edge', 'rolling-face-centre']
    >>> len(tables_named())
    8
    """
    chosen = [table for name in names for table in GROUPS.get(name, (name,))]
    return chosen or [name for name, entry in CATALOG.items() if entry.by_default]


def table_folders(directory: Folder | None = None) -> list[str]:
    """The folders in which tables are looked for, in order; the first one is where they are built.

    Args:
        directory: the only folder to look in. Without it: the one that ``CUBESOLVE_TABLES`` names, the checkout's
            ``tables``, the copy inside an installed wheel.

    >>> table_folders("/some/folder")
    ['/some/folder']
    """
    if directory is not None:
        return [os.fspath(directory)]
    folders = [os.environ.get(FOLDER_VARIABLE, "")]
    if os.path.exists(os.path.join(_CHECKOUT, "pyproject.toml")):
        folders.append(os.path.join(_CHECKOUT, "tables"))
    folders.append(os.path.join(_PACKAGE, "tables"))
    return [folder for folder in folders if folder]


def find_table(name: str, directory: Folder | None = None) -> str:
    """The path of a table's file.

    Args:
        name: the table's name.
        directory: see `table_folders`.

    Raises:
        MissingTableError: no folder has it.
    """
    folders = table_folders(directory)
    for folder in folders:
        path = os.path.join(folder, name + SUFFIX)
        if os.path.lexists(path):
            return path
    raise MissingTableError(name, folders, build_in=None if directory is None else folders[0])
