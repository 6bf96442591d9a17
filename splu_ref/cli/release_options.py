"""Options that every command that publishes a table takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

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
ManifestFile: TypeAlias = Annotated[
    Path | None, typer.Option("--manifest", help="Write the public facts of the release here (JSON).")
]
