"""What commands print: one JSON object, or a few lines for a reader."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from splu_ref.model import DataError

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]
GammaOption: TypeAlias = Annotated[str, typer.Option("--gamma", help="Size of a decoy group, at least 2.")]
EpsilonOption: TypeAlias = Annotated[
    str, typer.Option("--epsilon", help="Relative error, exact: 0.3 or 3/10.")
]
RetentionOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--retention", help="Probability of publishing the own value. Default: 1/gamma."),
]


def show(result: Mapping[str, Any], lines: Iterable[tuple[str, str]], *, as_json: bool) -> None:
    """Print ``result`` as JSON, or ``lines`` as pairs of a name and a text.

    Parameters
    ----------
    result
        The object for programs; its keys are an interface.
    lines
        The same for people.
    as_json
        Which of the two is wanted.
    """
    if as_json:
        write(json.dumps(result, indent=2) + "\n")
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, text in lines:
        table.add_row(Text(name), Text(text))
    draw(table)


def draw(renderable: RenderableType, console: Console | None = None) -> None:
    """Print something that Rich can render."""
    console = console or Console()
    with console.capture() as captured:
        console.print(renderable)
    write(captured.get())


def write(text: str) -> None:
    """Write to standard output; a reader that went away, as ``head`` does, changes no exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def settle_streams() -> None:
    """Make sure that printing cannot fail: for a stream that is closed, or that lacks a character."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it stays open to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it stays open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Name ``path`` in the errors of data that raises them without knowing where it comes from."""
    try:
        yield
    except DataError as error:
        message = str(error)
        raise DataError(message if str(path) in message else f"{path}: {message}") from None


def note(message: str) -> None:
    """Print a remark to standard error, where it disturbs no program."""
    sys.stderr.write(f"note: {message}\n")
