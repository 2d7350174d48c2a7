"""Shell completion."""

from __future__ import annotations

import os

import click
from click.shell_completion import get_completion_class

from cubesolve.runtime.atomic import write_atomically

_KEPT = {"bash": "bash-completion/completions/cubesolve", "fish": "fish/vendor_completions.d/cubesolve.fish"}
"""The files in the user's data folder from which shells load completions."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--install", is_flag=True, help="Write the script to the folder that bash or fish reads.")
def completion(shell: str, install: bool) -> None:
    """Print the completion script of a SHELL.

    It completes commands, options, puzzles and tables.

    \b
    Examples:
      cubesolve completion bash --install
      cubesolve completion fish --install
      eval "$(cubesolve completion zsh)"         in ~/.zshrc
    """
    if install and shell not in _KEPT:
        raise click.UsageError(
            f'--install is not supported for {shell}: add eval "$(cubesolve completion {shell})" to ~/.zshrc'
        )
    complete = get_completion_class(shell)
    assert complete is not None
    script = complete(click.get_current_context().find_root().command, {}, "cubesolve", "_CUBESOLVE_COMPLETE").source()
    if not install:
        click.echo(script)
        return
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    path = os.path.join(data, _KEPT[shell])
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomically(path, script.encode())
    click.echo(path)
