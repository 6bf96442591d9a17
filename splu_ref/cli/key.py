"""``splu-ref key``: make a secret key for keyed publishing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from splu_ref.cli.output import AsJson, Force, show
from splu_ref.randomness import Key

EXAMPLE = "splu-ref key publisher.key"


def run(
    file: Annotated[Path, typer.Argument(help="Where to write the key.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a secret key from the system's entropy, readable by its owner alone."""
    Key.generate().write(file, force=force)
    lines = [
        ("key", str(file)),
        ("keep", "secret, backed up, and out of version control: with it anyone can undo a release"),
    ]
    show({"key_file": str(file)}, lines, as_json=as_json)
