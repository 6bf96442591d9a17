"""Options that every command that publishes a table takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from splu_ref.microdata.recoding import OTHER

KeyFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--key-file", help="Secret key (splu-ref key): the same release of the same table."),
]
IdColumn: TypeAlias = Annotated[
    str | None, typer.Option("--id", help="Column that identifies a record, for --key-file.")
]
Seed: TypeAlias = Annotated[
    int | None, typer.Option("--seed", help="For tests only: repeatable, not secret.")
]
Missing: TypeAlias = Annotated[
    str | None, typer.Option("--missing", help="Publish missing sensitive cells as this value.")
]
Stream: TypeAlias = Annotated[
    bool,
    typer.Option("--stream", help="For a table larger than memory: sort in private files beside the output."),
]

BinsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--bins", help="COL=WIDTH: numbers in bins of a width, dates by year, quarter or month."),
]
CrossOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--cross", help="NEW=A,B: one column of the pairs of values of others, which it replaces."),
]
GroupRare: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--group-rare", help=f"COL=N: values of fewer than N records become {OTHER!r}."),
]
DropColumn: TypeAlias = Annotated[
    list[str] | None, typer.Option("--drop", help="Column that is not published; repeat for several.")
]
QuasiColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--quasi", help="Column by which records may be found: no warning that it is unique."),
]
KeepColumn: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--keep", help="Column that is published whatever it gives away: no warning of it."),
]
ManifestFile: TypeAlias = Annotated[
    Path | None, typer.Option("--manifest", help="Write the public facts of the release here (JSON).")
]
SensitiveTable: TypeAlias = Annotated[
    Path | None,
    typer.Option("--sensitive-table", help="anatomy: the second table, the values of each group."),
]
