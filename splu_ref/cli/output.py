"""What commands print: one JSON object, or a few lines for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from splu_ref.channels import DataError
from splu_ref.data import refuse_existing, write_in_folder
from splu_ref.output import console, draw, json_text, say, say_json, visible

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JsonFile: TypeAlias = Annotated[
    Path | None, typer.Option("--json-file", help="Write the JSON object here, whatever is printed.")
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]
EpsilonOption: TypeAlias = Annotated[
    str, typer.Option("--epsilon", help="Relative error, exact: 0.3 or 3/10.")
]
RetentionOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--retention", help="Probability of publishing the own value. Default: 1/gamma."),
]


def _divided(context: typer.Context, separator: str | None) -> str | None:
    if separator is not None:
        from splu_ref.data import use_separator  # noqa: PLC0415 - most runs have commas

        context.with_resource(use_separator(separator))
    return separator


Separator: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--separator",
        callback=_divided,
        expose_value=False,
        help="What divides the cells of CSV files whose header has it: comma, semicolon, tab, bar [comma].",
    ),
]
"""Holds for all tables that the command reads: nothing has to be done with its value."""


def show(
    result: Mapping[str, object],
    lines: Iterable[tuple[str, str]],
    *,
    as_json: bool,
    file: Path | None = None,
    force: bool = False,
) -> None:
    """Print ``result`` as JSON, or ``lines`` as pairs of a name and a text.

    Parameters
    ----------
    result
        The object for programs; its keys are an interface.
    lines
        The same for people.
    as_json
        Which of the two is wanted.
    file, force
        Where the JSON is written besides, if anywhere, and whether over a file that exists.
    """
    save_json(file, result, force=force)
    if as_json:
        say_json(result, indent=2)
        return
    from rich.cells import cell_len  # noqa: PLC0415 - JSON needs none of them
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", overflow="fold")
    table.add_column(overflow="fold")
    told = [(visible(name), visible(text)) for name, text in lines]
    table.columns[0].width = min(max((cell_len(name) for name, _ in told), default=0), console().width // 2)
    for name, text in told:
        table.add_row(Text(name), Text(text))
    draw(table)


def save_json(file: Path | None, result: Mapping[str, object], *, force: bool) -> None:
    """Write ``result`` as JSON to a file, if one is named."""
    if file is not None:
        write_in_folder(file, json_text(result, indent=2).encode(), force=force)


def refuse_existing_json(file: Path | None, *, force: bool) -> None:
    """Raise unless `save_json` may write; for use before long work."""
    if file is not None:
        refuse_existing(file, force=force)


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Name ``path`` in the errors of data that raises them without knowing where it comes from."""
    try:
        yield
    except _FileError:
        raise
    except DataError as error:
        message = str(error)
        raise _FileError(message if str(path) in message else f"{path}: {message}") from None


class _FileError(DataError):
    """A fault of a file that the message names."""


def note(message: str) -> None:
    """Print a remark to standard error, where it disturbs no program."""
    say(f"note: {message}", stderr=True)
