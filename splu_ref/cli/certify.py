"""Writing a certificate beside a result: the result is worth printing even if no certificate can be made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from splu_ref.cli.progress import counted
from splu_ref.guarantees.progress import Progress
from splu_ref.model import CertificateError

if TYPE_CHECKING:
    from splu_ref.certificates.form import Certificate


class Make(Protocol):
    """Makes a certificate, reporting on its work."""

    def __call__(self, *, progress: Progress) -> Certificate:
        """Return the certificate."""


@contextmanager
def certified(
    path: Path | None, make: Make | None, lines: list[tuple[str, str]], *, force: bool
) -> Iterator[None]:
    """Write a certificate if a path is given, let the caller print, and only then refuse what is too large.

    Parameters
    ----------
    path
        Where to write, or None.
    make
        Makes the certificate; None only where none is wanted.
    lines
        What will be printed for people; a line about the certificate is added.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    CertificateError
        If a certificate is wanted and cannot be made.
    """
    refusal: CertificateError | None = None
    if path is not None and make is not None:
        try:
            with counted("making the certificate") as progress:
                # Most runs write none.
                from splu_ref.certificates import write_certificate  # noqa: PLC0415

                write_certificate(path, make(progress=progress), force=force)
        except CertificateError as error:
            refusal = error
        else:
            lines.append(("certificate", f"{path} (re-check it with: splu-ref check {path})"))
    yield
    if refusal is not None:
        raise refusal
