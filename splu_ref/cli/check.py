"""``splu-ref check``: re-check a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from splu_ref.certificate_checker import MAX_BYTES, Unreadable, check_text
from splu_ref.channels import CertificateError
from splu_ref.cli.output import AsJson, show
from splu_ref.cli.progress import counted
from splu_ref.data import open_regular

EXAMPLE = "splu-ref check t_p.json"


def run(
    certificate: Annotated[Path, typer.Argument(help="A certificate file (JSON).")],
    as_json: AsJson = False,
) -> int:
    """Re-check a certificate by integer arithmetic alone. Exit 0: valid, 1: false, 2: unreadable.

    The checker is one file that uses the standard library alone, certificate_checker.py: copy it, read it,
    and run it as `python certificate_checker.py FILE`.
    """
    try:
        with open_regular(certificate) as file, counted("checking"):
            verdict = check_text(file.read(MAX_BYTES + 1).decode())
    except (Unreadable, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, Unreadable) else "it is not a text file"
        if as_json:
            show({"valid": False, "claim": None, "reason": reason}, [], as_json=True)
        raise CertificateError(f"{certificate}: {reason}: ask for a fresh certificate") from None
    result = {"valid": verdict.valid, "claim": verdict.claim, "reason": verdict.reason}
    show(result, [("valid" if verdict.valid else "false", verdict.reason)], as_json=as_json)
    return 0 if verdict.valid else 1
