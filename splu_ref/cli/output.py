"""Output of commands: one JSON object, or a few lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from splu_ref.channels import DataError
from splu_ref.data import refuse_existing, write_in_folder
from splu_ref.output import at_most_lines, console, draw, json_text, say, say_json, visible

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JsonFile: TypeAlias = Annotated[
    Path | None, typer.Option("--json-file", help="Also write the JSON object to this file.")
]
MOST_LINES = 20
"""Lines that a command prints without ``--explain``."""


REMEDIES = {
    "publish": "publish with --explain to see them; advise --explain assesses a table without a release"
}
"""How to see what a command left out, if it is not to be repeated for this; else by ``--explain``."""


def _limited(context: typer.Context, explain: bool) -> bool:
    if not explain:
        context.with_resource(
            at_most_lines(MOST_LINES, REMEDIES.get(context.info_name or "", "add --explain"))
        )
    return explain


Explain: TypeAlias = Annotated[
    bool,
    typer.Option("--explain", callback=_limited, help=f"Print all details, not {MOST_LINES} lines at most."),
]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
EpsilonOption: TypeAlias = Annotated[
    str, typer.Option("--epsilon", help="Relative error, exact: 0.3 or 3/10.")
]
RetentionOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--retention", help="Probability that a record retains its true value [1/gamma]."),
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
        help="Separator of CSV files whose header has it: comma, semicolon, tab or bar [comma].",
    ),
]
"""Applies to all tables that the command reads, through its callback."""


def show(
    result: Mapping[str, object],
    lines: Iterable[tuple[str, str]],
    *,
    as_json: bool,
    file: Path | None = None,
    force: bool = False,
    details: Sequence[tuple[str, str]] = (),
    explain: bool = True,
) -> None:
    """Print ``result`` as JSON, or ``lines`` as a table of labels and texts."""
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
    more = details if explain or not details else [("details", f"{len(details)} more: add --explain")]
    rows = [(visible(name), visible(text)) for name, text in (*lines, *more)]
    table.columns[0].width = min(max((cell_len(name) for name, _ in rows), default=0), console().width // 2)
    for name, text in rows:
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
    """Add ``path`` to the message of each DataError that does not contain it."""
    try:
        yield
    except _FileError:
        raise
    except DataError as error:
        message = str(error)
        raise _FileError(message if str(path) in message else f"{path}: {message}") from None


class _FileError(DataError):
    """An error whose message names the file."""


def note(message: str) -> None:
    """Print a note to standard error."""
    say(f"note: {message}", stderr=True)
