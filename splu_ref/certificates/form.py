"""The form of a certificate: its six keys, how its numbers are written, and its file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from splu_ref import SPECIFICATION, __version__
from splu_ref.certificate_checker import MAX_BYTES
from splu_ref.files import write_whole
from splu_ref.model import CertificateError

SCHEMA = "splu-ref/certificate/1"

Certificate: TypeAlias = dict[str, Any]
"""An object of JSON with the keys of ``docs/specification/certificates.md``; every number is a string."""


def assemble(
    claim: str, parameters: dict[str, str], statement: str, evidence: Mapping[str, object]
) -> Certificate:
    """Return the certificate with the given contents, and this package as its producer."""
    return {
        "schema": SCHEMA,
        "claim": claim,
        "parameters": parameters,
        "statement": statement,
        "evidence": evidence,
        "produced_by": {"version": __version__, "spec": SPECIFICATION},
    }


def hexadecimal(value: int) -> str:
    """Return an integer >= 0 in lowercase hexadecimal digits, which have no limit of length in Python."""
    return f"{value:x}"


def window(gamma: int, frequency: int, offset: int) -> dict[str, str]:
    """Return the count and the first and last f' that are no error, abs(f' - f) < offset."""
    return {
        "f": hexadecimal(frequency),
        "first": hexadecimal(max(0, frequency - offset + 1)),
        "last": hexadecimal(min(gamma * frequency, frequency + offset - 1)),
    }


def claim_words(certificate: Certificate) -> str:
    """Return the certificate's statement, one sentence in plain words, without checking it."""
    return str(certificate["statement"])


def certificate_text(certificate: Certificate) -> str:
    """Return the certificate as JSON: sorted keys, one value a line, a newline at the end.

    Raises
    ------
    CertificateError
        If it is longer than a checker reads.
    """
    text = json.dumps(certificate, indent=1, sort_keys=True, ensure_ascii=True) + "\n"
    if len(text) > MAX_BYTES:
        raise CertificateError(
            f"the certificate has {len(text)} bytes, and a checker reads at most {MAX_BYTES}: choose smaller "
            f"parameters"
        )
    return text


def write_certificate(path: str | os.PathLike[str], certificate: Certificate, force: bool = False) -> None:
    """Write ``certificate`` to ``path``, whole or not at all.

    Parameters
    ----------
    path
        Where the file shall stand.
    certificate
        As one of this package's functions returns it.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    InputError
        If the file exists and ``force`` is false, or if it cannot be written.
    CertificateError
        If it is longer than a checker reads; nothing is written.
    """
    write_whole(path, certificate_text(certificate).encode("ascii"), force=force)
