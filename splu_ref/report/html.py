"""The verification report and the browser page, each as one HTML file without network access.

What all reports in HTML share: one environment of templates, and a policy that lets nothing else in.

A page needs no network, no font and no other file. Its Content-Security-Policy names the SHA-256 of its
style sheet and of its script, so that a browser applies these two, and none that came in with the data.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from splu_ref import SPECIFICATION, __version__
from splu_ref.guarantees import decimal_up
from splu_ref.report.drawing import MISSING_MATPLOTLIB, scatter
from splu_ref.report.exhibits import PublicationAudit
from splu_ref.report.mathml import mathml, spoken
from splu_ref.report.model import LEFT_OUT, Row, VerificationReport

_POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; {more}img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def page(
    template: str,
    filters: Mapping[str, Callable[..., str]] | None = None,
    *,
    script_name: str = "filter.js",
    workers: bool = False,
    package: str | None = None,
    **values: object,
) -> bytes:
    """Return a self-contained HTML document in UTF-8; every text in it is escaped."""
    packages = ["splu_ref.report", *([package] if package else [])]
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each) for each in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters or {}
    style, script = (environment.get_template(name).render(values) for name in ("style.css", script_name))
    more = "worker-src blob:; " if workers else ""
    policy = _POLICY.format(style=_source(style), script=_source(script), more=more)
    text = environment.get_template(template).render(values, style=style, script=script, policy=policy)
    return text.encode()


def _source(content: str) -> str:
    """Return how a policy names an inline style sheet or script: by the hash of all between the tags."""
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


STATUS_ORDER = ("proved", "verified", "corrected", "refuted", "definition", "literature", "empirical")
STAGE_TITLES = {
    "ledger": "Ledger",
    "certificates": "Certificates",
    "enumeration": "Enumeration of small worlds",
    "publication": "The embedded table, published",
    "properties": "Property and statistical suites",
    "mutants": "Mutants",
    "figures": "Figures",
}


def html(report: VerificationReport) -> bytes:
    """Return the report as a self-contained HTML document in UTF-8; every text in it is escaped."""
    return page(
        "index.html.j2",
        {
            "duration": _duration,
            "chance": _chance,
            "number": _number,
            "share": _share,
            "mathml": mathml,
            "spoken": spoken,
            "scatter": _scatter,
        },
        report=report,
        left_out=LEFT_OUT,
        by_status=_by_status(report.claims),
        papers=report.papers,
        refuted=[row for row in report.claims if row.status == "refuted"],
        titles={row.id: row for row in report.claims},
        stages=_by_stage(report.checks),
        missing_matplotlib=MISSING_MATPLOTLIB,
    )


def _scatter(publication: PublicationAudit) -> Markup:
    return Markup(scatter(publication.counts, publication.gamma))  # noqa: S704  # it escapes every value


def _by_status(claims: tuple[Row, ...]) -> dict[str, int]:
    """Return how many claims have each status, those that occur, in a fixed order."""
    found = [row.status for row in claims]
    order = [*STATUS_ORDER, *sorted(set(found) - set(STATUS_ORDER))]
    return {status: found.count(status) for status in order if status in found}


def _by_stage(checks: tuple[Row, ...]) -> list[tuple[str, str, list[Row]]]:
    """Return (stage, title, rows) in the order of the run."""
    stages = dict.fromkeys(row.stage for row in checks)
    return [
        (stage, STAGE_TITLES.get(stage, stage.capitalize()), [row for row in checks if row.stage == stage])
        for stage in stages
    ]


def _duration(seconds: float) -> str:
    if seconds < 0.0005:
        return "0 s"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _chance(value: Fraction) -> str:
    """Return an error probability to three digits, rounded up."""
    return decimal_up(value, 3) if value else "0"


def _number(value: float) -> str:
    """Return a plotted value to four significant digits."""
    return f"{value:.4g}"


def _share(value: float) -> str:
    """Return a relative error as a percentage."""
    return f"{100 * value:.1f} %"


BROWSER = Path(__file__).parent / "browser"
"""The implementation in JavaScript, from which the page is built and which the test vectors hold."""
PARTS = ("promises.mjs", "star.mjs", "claims.mjs", "worker.js")
"""The files that are one program in the page, which has no modules."""
_MODULES = re.compile(r"^import \{[^}]*\} from \"\./[^\"\n]*\";\n|^export (?=\w)", re.MULTILINE)


def calculator_page() -> bytes:
    """Return the page as a self-contained HTML document in UTF-8, the same bytes for the same version."""
    source = "\n".join(_MODULES.sub("", (BROWSER / name).read_text(encoding="utf-8")) for name in PARTS)
    return page(
        "calculator.html.j2",
        script_name="calculator.js",
        workers=True,
        source=source,
        version=__version__,
        specification=SPECIFICATION,
    )
