"""``splu-ref page``: the calculator and certificate checker as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from splu_ref.cli.output import AsJson, Force, show
from splu_ref.data import refuse_existing, write_whole
from splu_ref.report import calculator_page

EXAMPLE = "splu-ref page -o splu-ref.html"


def run(
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path(
        "splu-ref.html"
    ),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write calculator, certificate checker and auditor as one HTML page that needs no installation.

    The page computes in the browser without network access, and does not upload files. Open it, or put it on
    a server.
    """
    refuse_existing(output, force=force)
    content = calculator_page()
    write_whole(output, content, force=force)
    show({"page": str(output), "bytes": len(content)}, [("wrote", str(output))], as_json=as_json)
