"""Run the certificate checker that is proved in Coq, if it has been built.

The program is no part of an installation: `make coq` builds it in a checkout, from
``proofs/splu_proofs/kernel_checker``.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from splu_ref.channels import CertificateError

PROGRAM = "splu-kernel-check"
BUILD = (
    "the proved checker is not built: run make coq in a checkout (it needs Coq 8.16 with MathComp, OCaml, "
    "ocamlfind and zarith)"
)


LONGEST = 300
"""Seconds that the proved checker may take: the limits of the other checker do not bound its time."""


class KernelWord(StrEnum):
    """The verdicts of the proved checker, in the order of its exit codes."""

    VALID = "valid"
    FALSE = "false"
    UNREADABLE = "unreadable"
    NOT_COVERED = "not covered"


@dataclass(frozen=True)
class KernelVerdict:
    """The verdict of the proved checker, and the statement or the reason against it."""

    word: KernelWord
    reason: str


def kernel_program() -> Path | None:
    """Return the path of the proved checker, None where it is not built."""
    package = find_spec("splu_proofs")
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).with_name("kernel_checker") / PROGRAM
    return path if path.is_file() else None


def kernel_check(text: str, *, program: Path | None = None, seconds: int = LONGEST) -> KernelVerdict:
    """Check a certificate with the proved checker.

    Parameters
    ----------
    text
        The certificate as JSON.
    program
        The program; by default the one that `make coq` builds.
    seconds
        Longest time that the program may take.

    Returns
    -------
    KernelVerdict
        ``NOT_COVERED`` if no theorem is about the claim or its parameters.

    Raises
    ------
    CertificateError
        If the program is not built, ends without a verdict, or takes longer than ``seconds``.
    """
    path = program or kernel_program()
    if path is None:
        raise CertificateError(BUILD)
    try:
        done = subprocess.run(  # noqa: S603 - a program built from this package
            [path, "-"],
            input=text.encode(errors="surrogatepass"),
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise CertificateError(
            f"the proved checker did not finish in {seconds} seconds: check without --kernel, or give a "
            "smaller alpha"
        ) from None
    words = tuple(KernelWord)
    said, _, reason = done.stdout.decode(errors="replace").rstrip("\n").partition(": ")
    if not 0 <= done.returncode < len(words) or said != words[done.returncode]:
        raise CertificateError(
            f"the proved checker ended without a verdict: build it again with make -B in {path.parent}"
        )
    return KernelVerdict(words[done.returncode], reason)
