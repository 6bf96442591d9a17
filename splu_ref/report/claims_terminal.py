"""An audit of claims on a terminal, in plain words."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from splu_ref.audit.claims import Verdict
from splu_ref.report.claims_model import MAKE_CERTIFICATES, AuditedClaim, ClaimsAudit
from splu_ref.terminal import visible

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
