"""An audit of a file of claims: as JSON, as an HTML page, on a terminal, and its files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from splu_ref import SPECIFICATION, __version__
from splu_ref.audit import Claim, ClaimsFile, Finding, Verdict
from splu_ref.channels import Json
from splu_ref.data import check_folder, write_folder
from splu_ref.guarantees import ExactJson
from splu_ref.output import Case, junit, replace_invisible, visible
from splu_ref.report.html import page

SCHEMA = "splu-ref/claims-audit/1"
MAKE_CERTIFICATES = "certificates are written with --report"


@dataclass(frozen=True, slots=True)
class AuditedClaim:
    """One claim and what became of it.

    Attributes
    ----------
    claim, finding
        The claim and its verdict.
    seconds
        Time taken.
    certificates
        The certificates that were made, by role (``decides``, ``remains``), as JSON text.
    without_certificate
        Why there is no certificate that decides the claim, if there is none.
    """

    claim: Claim
    finding: Finding
    seconds: float
    certificates: Mapping[str, str] = field(default_factory=dict)
    without_certificate: str = MAKE_CERTIFICATES

    @property
    def files(self) -> dict[str, str]:
        """The certificates by their path in the report's folder."""
        return {certificate_path(self.claim.id, role): text for role, text in self.certificates.items()}

    def path(self, role: str) -> str | None:
        """Return the path of a certificate in the report's folder, or None if there is none."""
        return certificate_path(self.claim.id, role) if role in self.certificates else None

    @property
    def sentence(self) -> str:
        """The verdict and what is true, for people."""
        finding = self.finding
        instead = f"true is {finding.instead}" if finding.instead else ""
        return "; ".join(filter(None, (finding.true_for, finding.found, instead)))

    def to_case(self, file: str) -> Case:
        """Return the claim as a case of JUnit: contradicted, it fails; not decided, it is an error."""
        claim, finding = self.claim, self.finding
        confirmed = finding.verdict is Verdict.CONFIRMED
        trouble = "failure" if finding.verdict.contradicted else "error"
        return Case(
            group="audit",
            name=claim.id,
            outcome="" if confirmed else trouble,
            type=str(finding.verdict),
            message=f"{finding.verdict}: {self.sentence}",
            text=f"{finding.stated}\n{finding.recompute}",
            seconds=self.seconds,
            properties={
                "kind": claim.kind,
                "verdict": str(finding.verdict),
                "certificate": self.path("decides") or "",
                "quotes": " ".join(quote.id for quote in finding.quotes),
            },
            place={"file": file, "line": str(claim.line)},
        )

    def to_json(self) -> dict[str, Json]:
        """Return the claim as a JSON object."""
        finding = self.finding
        return {
            "id": self.claim.id,
            "kind": self.claim.kind,
            "line": self.claim.line,
            "source": self.claim.source or None,
            "verdict": str(finding.verdict),
            "stated": finding.stated,
            "found": finding.found,
            "true_for": finding.true_for or None,
            "instead": finding.instead or None,
            "numbers": {name: _plain(number) for name, number in finding.numbers.items()},
            "certificate": self.path("decides"),
            "remaining_certificate": self.path("remains"),
            "without_certificate": None if "decides" in self.certificates else self.without_certificate,
            "recompute": finding.recompute,
            "remarks": list(finding.remarks),
            "quotes": [asdict(quote) for quote in finding.quotes],
        }


@dataclass(frozen=True, slots=True)
class ClaimsAudit:
    """An audited file.

    Attributes
    ----------
    file
        The path of the file, as given.
    title
        What the file calls itself, or empty.
    claims
        In the order of the file.
    """

    file: str
    title: str
    claims: tuple[AuditedClaim, ...]

    @property
    def shown_file(self) -> str:
        """The path without characters that cannot be shown."""
        return replace_invisible(self.file)

    @property
    def holds(self) -> bool:
        """Whether every claim is confirmed, and there is one."""
        return bool(self.claims) and all(each.finding.verdict is Verdict.CONFIRMED for each in self.claims)

    @property
    def contradicted(self) -> int:
        """How many claims are false as stated."""
        return sum(each.finding.verdict.contradicted for each in self.claims)

    @property
    def exit_code(self) -> int:
        """0 if every claim is confirmed, 1 if one is contradicted, 3 if one could only not be decided."""
        if self.contradicted:
            return 1
        return 0 if self.holds else 3

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims have each verdict."""
        found = [each.finding.verdict for each in self.claims]
        return {verdict: found.count(verdict) for verdict in Verdict}

    @property
    def summary(self) -> str:
        """The result in one line."""
        return ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())

    @property
    def seconds(self) -> float:
        """Time taken by all claims."""
        return sum(each.seconds for each in self.claims)

    def to_junit(self) -> bytes:
        """Return the audit as JUnit XML: one case for each claim."""
        cases = [each.to_case(self.shown_file) for each in self.claims]
        return junit("splu-ref audit", {self.title or self.shown_file: cases}, self.seconds)

    def to_json(self) -> dict[str, Json]:
        """Return the audit as one JSON object."""
        return {
            "schema": SCHEMA,
            "file": self.shown_file,
            "title": self.title or None,
            "version": __version__,
            "spec": SPECIFICATION,
            "holds": self.holds,
            **{verdict.replace(" ", "_"): count for verdict, count in self.counts.items()},
            "claims": [each.to_json() for each in self.claims],
        }


def certificate_path(claim_id: str, role: str) -> str:
    """Return where in the report's folder a claim's certificate stands."""
    return f"certificates/{claim_id}.json" if role == "decides" else f"certificates/{claim_id}.{role}.json"


def _plain(number: ExactJson | int | None) -> Json:
    if number is None or isinstance(number, int):
        return number
    return {"fraction": number["fraction"], "decimal": number["decimal"], "digits": number["digits"]}


_LOOKS = {
    Verdict.CONFIRMED: ("good", "✓"),
    Verdict.NARROWED: ("refuted", "◐"),
    Verdict.REFUTED: ("bad", "✗"),
    Verdict.NOT_DECIDED: ("corrected", "?"),
}
"""The class of the badge, and a mark for those who do not see colors."""


def claims_html(audit: ClaimsAudit) -> bytes:
    """Return the audit as a self-contained HTML document in UTF-8; every text in it is escaped."""
    return page(
        "claims.html.j2",
        audit=audit,
        looks=_LOOKS,
        verdicts=[verdict for verdict, count in audit.counts.items() if count],
        version=__version__,
        specification=SPECIFICATION,
    )


_STYLES = {
    Verdict.CONFIRMED: "green",
    Verdict.NARROWED: "yellow",
    Verdict.REFUTED: "bold red",
    Verdict.NOT_DECIDED: "cyan",
}


def claims_table(audit: ClaimsAudit) -> Table:
    """Return a table with the claims in the order of the file."""
    title = Text(visible(audit.title or audit.file))
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("Claim", overflow="fold", max_width=24)
    table.add_column("In words", overflow="fold")
    for number, each in enumerate(audit.claims):
        if number:
            table.add_section()
        verdict = each.finding.verdict
        name = Text.assemble(
            visible(each.claim.id),
            "\n",
            (str(verdict), _STYLES[verdict]),
            (f"\nline {each.claim.line}", "dim"),
        )
        table.add_row(name, Text("\n".join(map(visible, _lines(each)))))
    return table


def _lines(each: AuditedClaim) -> list[str]:
    finding = each.finding
    lines = [f"Stated: {finding.stated}."]
    if finding.true_for:
        lines.append(f"{finding.true_for[0].upper()}{finding.true_for[1:]}.")
    lines.append(f"Found: {finding.found}.")
    if finding.instead:
        lines.append(f"Instead: {finding.instead}.")
    lines += [
        f"Repeats {quote.id} ({quote.title}), which is refuted. Rely on {quote.corrected_by}: "
        f"{quote.correction}."
        for quote in finding.quotes
    ]
    lines += [f"{remark}." for remark in finding.remarks]
    if "decides" in each.certificates:
        lines.append(f"Certificate: {each.path('decides')}.")
    elif each.without_certificate != MAKE_CERTIFICATES:
        lines.append(f"No certificate: {each.without_certificate}.")
    if "remains" in each.certificates:
        lines.append(f"Certificate of what is true: {each.path('remains')}.")
    lines.append(f"Recompute: {finding.recompute}")
    return lines


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
        As `splu_ref.data.write_folder`.
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
