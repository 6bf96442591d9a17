"""Exact probabilities as text, and certificates that commands write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

import typer

from splu_ref.channels import CertificateError, PublishedCount
from splu_ref.cli.progress import counted
from splu_ref.guarantees import ExactJson, Progress

if TYPE_CHECKING:
    from splu_ref.guarantees import Certificate

CertificateFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--certificate", help="Write a certificate that an independent party can check."),
]


def words(number: ExactJson) -> str:
    """Return the text of a probability: its decimals, and its fraction if that fits a line."""
    fraction, decimal = number["fraction"], number["decimal"]
    rounding = f"{number['digits']} digits, rounded in the safe direction"
    if fraction is None or len(fraction) > 60:
        return f"{decimal} ({rounding})"
    if fraction.endswith("/1"):
        return decimal
    return f"{fraction} = {decimal} ({'exact' if Fraction(fraction) == Fraction(decimal) else rounding})"


def setting(law: PublishedCount) -> str:
    """Return gamma, and the retention probability if it is not 1/gamma, for a sentence."""
    retention = "" if law.is_plain else f" and retention = {law.retention}"
    return f"gamma = {law.gamma}{retention}"


class Make(Protocol):
    """A function that makes a certificate and reports its progress."""

    def __call__(self, *, progress: Progress) -> Certificate:
        """Return the certificate."""


@contextmanager
def certified(
    path: Path | None, make: Make | None, lines: list[tuple[str, str]], *, force: bool
) -> Iterator[None]:
    """Write a certificate if a path is given, and raise a failure only after the caller has printed."""
    refusal: CertificateError | None = None
    if path is not None and make is not None:
        try:
            with counted("making the certificate") as progress:
                # Most runs write none.
                from splu_ref.guarantees import write_certificate  # noqa: PLC0415

                write_certificate(path, make(progress=progress), force=force)
        except CertificateError as error:
            refusal = error
        else:
            lines.append(("certificate", f"{path} (re-check it with: splu-ref check {path})"))
    yield
    if refusal is not None:
        raise refusal
