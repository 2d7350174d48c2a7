"""The command `serve`."""

from __future__ import annotations

import webbrowser

import click

from cubesolve.cli.running import give_up

_LOOPBACK = "127.0.0.1"


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--host", default=_LOOPBACK, show_default=True, metavar="ADDRESS", help="Address to bind.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8000,
    show_default=True,
    metavar="N",
    help="Port; 0 takes any free one.",
)
@click.option("--open", "shows", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 3_600),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for a request.",
)
@click.option("--searches", type=click.IntRange(1, 64), metavar="N", help="Number of searches that run at once.")
@click.option(
    "--waiting",
    type=click.IntRange(0, 10_000),
    default=16,
    show_default=True,
    metavar="N",
    help="Number of further searches that may wait.",
)
@click.option(
    "--connections",
    type=click.IntRange(1, 1_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Limit of connections from one address.",
)
def serve(
    files: tuple[str, ...],
    host: str,
    port: int,
    shows: bool,
    timeout: float,
    searches: int | None,
    waiting: int,
    connections: int,
) -> None:
    """Serve a web page and a JSON interface on this machine.

    A FILE defines a puzzle: tws, KPuzzle, permutations in cycles, or a graph of CayleyPy. The page is at
    http://127.0.0.1:8000/, the description of the interface at /api/openapi.json. This command needs the optional
    extra web.

    \b
    Examples:
      cubesolve serve --open
      cubesolve serve --port 8080 my.tws
    """
    try:
        from cubesolve.web import serving  # noqa: PLC0415  # needs the optional extra web
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "cubesolve":
            raise
        give_up(f"{error.name} is not installed; install the extra web with: pip install 'cubesolve[web]'")

    def ready(address: str, _server: object) -> None:
        click.echo(f"cubesolve: {address}", err=True)
        if shows:
            webbrowser.open(address)

    settings = serving.Settings(host, port, timeout, searches or serving.usual_searches(), waiting, connections)
    try:
        serving.serve(settings, files, ready)
    except OSError as error:
        give_up(f"{host}, port {port}: {error.strerror or error}")
