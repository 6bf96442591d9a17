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
from splu_ref.guarantees import KernelVerdict, KernelWord, kernel_check

EXAMPLE = "splu-ref check t_p.json"


def run(
    certificate: Annotated[Path, typer.Argument(help="A certificate file (JSON).")],
    kernel: Annotated[
        bool, typer.Option("--kernel", help="Check it a second time, with the checker that is proved in Coq.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Re-check a certificate by integer arithmetic alone. Exit 0: valid, 1: false, 2: unreadable.

    With --kernel, both checkers must call it valid; exit 3: valid, and no Coq theorem covers its claim.

    The checker is one file of the standard library, certificate_checker.py, that imports nothing else of
    this package: copy it out, read it, and run it as `python certificate_checker.py FILE`.
    """
    second: KernelVerdict | None = None
    text = ""
    try:
        with open_regular(certificate) as file, counted("checking"):
            text = file.read(MAX_BYTES + 1).decode()
            verdict = check_text(text)
            if kernel:
                second = kernel_check(text)
    except (Unreadable, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, Unreadable) else "it is not a text file"
        if as_json:
            show({"valid": False, "claim": None, "reason": reason}, [], as_json=True)
        if '"splu-ref/manifest/' in text:
            raise CertificateError(
                f"{certificate}: a manifest, not a certificate: run splu-ref audit-release with it"
            ) from None
        raise CertificateError(f"{certificate}: {reason}: ask for a fresh certificate") from None
    result: dict[str, object] = {"valid": verdict.valid, "claim": verdict.claim, "reason": verdict.reason}
    lines = [("valid" if verdict.valid else "false", verdict.reason)]
    if second is not None:
        result["kernel"] = {"verdict": second.word, "reason": second.reason}
        lines.append(("proved checker", _second_opinion(second, verdict.valid)))
    show(result, lines, as_json=as_json)
    return _exit_code(verdict.valid, second)


def _second_opinion(second: KernelVerdict, first: bool) -> str:
    """Return the verdict of the proved checker in words."""
    if second.word is KernelWord.VALID:
        return (
            "valid"
            if first
            else "valid: the statement is true, and the evidence is not what the format prescribes"
        )
    return f"{second.word}: {second.reason}"


def _exit_code(first: bool, second: KernelVerdict | None) -> int:
    """Return 0 if every checker that was run says valid, 3 if the second one does not know the claim."""
    if not first:
        return 1
    if second is None or second.word is KernelWord.VALID:
        return 0
    return 3 if second.word is KernelWord.NOT_COVERED else 1
