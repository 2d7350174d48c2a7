"""The command `serve`."""

from __future__ import annotations

import webbrowser

import click

from cubesolve.cli.options import Seconds, number_option
from cubesolve.cli.running import Value, give_up, importing
from cubesolve.runtime.machine import processors


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to bind.")
@number_option("--port", most=65_535, default=8000, text="Port; 0 takes any free one.")
@click.option("--open", "shows", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--timeout",
    "seconds",
    type=Seconds(0.1, 3_600),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for a request.",
)
@number_option("--searches", least=1, most=64, text="Number of searches that run at once.")
@number_option("--waiting", most=10_000, default=16, text="Number of further searches that may wait.")
def serve(files: tuple[str, ...], shows: bool, searches: int | None, **settings: Value) -> None:
    """Serve a web page and a JSON interface on this machine.

    A FILE defines a puzzle: tws, KPuzzle, permutations in cycles, or a graph of CayleyPy. The page is at
    http://127.0.0.1:8000/, the description of the interface at /api/openapi.json. This command needs the optional
    extra web.

    \b
    Examples:
      cubesolve serve --open
      cubesolve serve --port 8080 my.tws
    """
    with importing("web"):
        from cubesolve.web import serving  # noqa: PLC0415  # needs the optional extra web

    def ready(address: str, _server: object) -> None:
        click.echo(f"cubesolve: {address}", err=True)
        if shows:
            webbrowser.open(address)

    usual = max(1, processors() - 1)  # one is left for other requests
    chosen = serving.Settings(searches=searches or usual, **settings)
    try:
        serving.serve(chosen, files, ready)
    except OSError as error:
        give_up(f"{chosen.host}, port {chosen.port}: {error.strerror or error}")
