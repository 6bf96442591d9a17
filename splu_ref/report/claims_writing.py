"""The files of an audit of claims: index.html, claims.json, junit.xml and the certificates."""

from __future__ import annotations

import json
import os
from pathlib import Path

from splu_ref.audit.claims import ClaimsFile
from splu_ref.folders import check_folder, write_folder
from splu_ref.report.claims_html import claims_html
from splu_ref.report.claims_model import ClaimsAudit, certificate_path

FILES = ("index.html", "claims.json", "junit.xml")


def write_claims_audit(audit: ClaimsAudit, folder: str | os.PathLike[str], *, force: bool) -> list[Path]:
    """Write the report and its certificates, all or none.

    Parameters
    ----------
    audit
        The audited file.
    folder
        Created if it is missing.
    force
        Whether files of the same names may be replaced.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        As `splu_ref.folders.write_folder`.
    """
    contents = {
        "index.html": claims_html(audit),
        "claims.json": json.dumps(audit.to_json(), ensure_ascii=False, indent=2).encode() + b"\n",
        "junit.xml": audit.to_junit(),
    }
    for each in audit.claims:
        contents |= {name: text.encode("ascii") for name, text in each.files.items()}
    return write_folder(folder, contents, force=force)


def check_claims_folder(file: ClaimsFile, folder: str | os.PathLike[str], *, force: bool) -> None:
    """Raise unless every file may be written into the folder. For use before long work; leaves nothing.

    Raises
    ------
    InputError
        As `write_claims_audit`.
    """
    certificates = [
        certificate_path(claim.id, role) for claim in file.claims for role in ("decides", "remains")
    ]
    check_folder(folder, (*FILES, *certificates), force=force)
