"""Whole documents of made-up runs, as the files in the folder ``whole`` hold them.

``python -m tests.report.documents`` writes the files anew, for whoever changes a document: the difference is
to be read before it is kept. Styles and scripts are left out: browsers test them.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache, partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, Literal

import numpy as np
import pytest
from matplotlib.figure import Figure as MplFigure
from matplotlib.text import Annotation
from rich.console import Console, RenderableType

from splu_ref import __version__
from splu_ref.audit.claims.reading import read_claims
from splu_ref.audit.claims.verdict import Finding, Quote, Verdict
from splu_ref.conformance import Conformance, Kind, Result
from splu_ref.conformance import Verdict as Came
from splu_ref.guarantees import exact_json
from splu_ref.guarantees.decimals import ExactJson
from splu_ref.report import drawing
from splu_ref.report.claims import AuditedClaim, ClaimsAudit, claims_html, claims_table
from splu_ref.report.conformance_page import conformance_html
from splu_ref.report.drawing import scatter
from splu_ref.report.exhibits import Figure, Series
from splu_ref.report.html import html
from splu_ref.report.model import Row
from splu_ref.report.stages import certificates, figures, publication
from splu_ref.report.stages.ledger import ledger_stage
from splu_ref.report.stages.outcome import Outcome
from splu_ref.report.terminal import report_view
from splu_ref.report.workers import WorkerPool
from tests.report.made_up import MadeUpLedger, RecordedProgress, made_up_report

KINDS: tuple[Literal["exact", "printed"], ...] = ("exact", "printed")
FOLDER = Path(__file__).with_name("whole")
CLAIMS = """schema = "splu-ref/claims/1"
title = "Health <survey>"

[release]
mechanism = "SPLU-Gen"
gamma = 10
epsilon = "0.3"

[[claim]]
id = "first"
kind = "small-sum-privacy"
source = "page <2>"
alpha = 3
t_p = "0.6"

[[claim]]
id = "second"
kind = "small-sum-privacy"
alpha = 10
t_p = "0.6"

[[claim]]
id = "third"
kind = "small-sum-privacy"
alpha = 3
t_p = "0.4"

[[claim]]
id = "fourth"
kind = "small-sum-privacy"
alpha = 3

t_p = "0.4"
"""


def rendered(view: RenderableType, width: int) -> str:
    """Return what is drawn on a terminal of that many columns."""
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(view)
    assert isinstance(console.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in console.file.getvalue().splitlines())


def body(page: bytes) -> str:
    """Return an HTML page without its style sheet, its script, what names them, and blank lines."""
    text = re.sub(r"<(style|script)>.*?</\1>", r"<\1></\1>", page.decode(), flags=re.DOTALL)
    text = re.sub(r"sha256-[\w+/]+=*", "sha256", text).replace(f"splu-ref {__version__}", "splu-ref")
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines() if line.strip())


def pretty(value: object) -> str:
    """Return a value as JSON with numbers to nine digits, a line for each part that fits one."""
    return f"{laid_out(_stable(value))}\n"


def laid_out(value: Any, indent: str = "") -> str:
    """Return a value of JSON with a line for each part that fits one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= 110 or not isinstance(value, dict | list):
        return line
    deeper = f"{indent} "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {laid_out(each, deeper)}" for name, each in value.items()]
    else:
        parts = [laid_out(each, deeper) for each in value]
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{indent}{last}"


def _stable(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {str(name): _stable(each) for name, each in value.items()}
    if isinstance(value, np.ndarray):
        return _stable(value.tolist())
    if isinstance(value, list | tuple):
        return [_stable(each) for each in value]
    return value if value is None or isinstance(value, int) else str(value)


def claims_audit() -> ClaimsAudit:
    """Return an audit with a claim of each verdict, and with all that one may show of a claim."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "claims.toml"
        path.write_text(CLAIMS, "utf-8")
        read = read_claims(path).claims
    quote = Quote("splu.L1", "the <least> count", "as printed", "splu.L1c", "the least count, certified")
    numbers: dict[str, ExactJson | int | None] = {
        "t_p": exact_json(Fraction(1, 3), "down"),
        "argmin": 7,
        "none": None,
    }
    findings = [
        Finding(Verdict.CONFIRMED, "T_P is 0.6", "it is 1/3", numbers, "splu-ref privacy --alpha 3"),
        Finding(
            Verdict.NARROWED, "T_P is 0.6 & more", "it is less", {}, "splu-ref privacy",
            true_for="true for alpha up to 3", instead="1/2", remarks=("one <remark>", "another"),
            quotes=(quote,),
        ),
        Finding(
            Verdict.REFUTED, "T_P is 0.4", "it is not", {}, "splu-ref privacy",
            without_certificate="none is made", quotes=(quote, replace(quote, id="splu.T3")),
        ),
        Finding(Verdict.NOT_DECIDED, "T_P is 0.4", "long" * 40, {}, "splu-ref privacy"),
    ]  # fmt: skip
    certificates = [{"decides": "{}"}, {"decides": "{}", "remains": "[]"}, {}, {}]
    reasons = ["", "", "none is made", None]
    return ClaimsAudit(
        "folder/a file\x1b.toml",
        "Health <survey>",
        tuple(
            AuditedClaim(claim, finding, seconds, made, *([] if reason is None else [reason]))
            for claim, finding, seconds, made, reason in zip(
                read, findings, (0.5, 1.25, 0.0625, 2.0), certificates, reasons, strict=True
            )
        ),
    )


def outcomes() -> list[Conformance]:
    """Return what came of three programs, each with another thing to show of each operation."""
    operations = ("below", "estimate", "plan", "publish")
    kinds = list(Kind)[:2]

    def results(*came: Came) -> list[Result]:
        return [
            Result(f"{name}/{n}/{kind}", name, verdict, f"<{verdict}>", kind)
            for name, verdict in zip(operations, came, strict=True)
            for n, kind in enumerate(kinds * 2)
        ]

    passed, failed, unsupported = Came.PASSED, Came.FAILED, Came.UNSUPPORTED
    many = [Result(f"plan/{n}", "plan", failed, f"wrong {n}", Kind.ANSWER) for n in range(25)]
    mixed = results(passed, passed, Came.XFAILED, unsupported)
    return [
        Conformance("<right>", "1", "2", frozenset(operations), results=results(*[passed] * 4)),
        Conformance(
            "wrong", "2", "2", frozenset(operations[:3]), smoke=True,
            results=[*results(passed, failed, passed, unsupported), *many],
        ),
        Conformance(
            "part", "", "2", frozenset(operations[:3]),
            results=[*mixed[:3], replace(mixed[3], verdict=Came.XFAILED), *mixed[4:]],
        ),
    ]  # fmt: skip


def _terminal() -> Iterator[str]:
    whole = made_up_report()
    long = replace(whole.rows[0], evidence="word " * 60)
    lost = replace(whole.rows[2], detail="", evidence="what was done")
    recorded = replace(whole.rows[0], id="splu.K", unchecked="recorded")
    defined = Row("ledger", "splu.D", "term", "definition", True, unchecked="a definition")
    outdated = replace(whole.rows[1], passed=False, detail="outdated")
    rows = (long, recorded, defined, outdated, whole.rows[2], lost)
    for width in (160, 100, 48):
        yield rendered(report_view(whole, width, every=True), width)
        yield rendered(report_view(replace(whole, level="quick", rows=rows), width, every=True), width)
    yield rendered(report_view(replace(whole, rows=whole.rows[:1]), 160), 160)


def _claims_terminal() -> str:
    audit = claims_audit()
    return rendered(claims_table(audit), 100) + rendered(claims_table(replace(audit, title="")), 60)


def drawn(module: ModuleType, draw: Callable[[], str]) -> dict[str, object]:
    """Return what a module draws: what stands on the axes, where, and in which look."""
    found: list[MplFigure] = []

    def kept(shown: MplFigure, form: str, *, transparent: bool) -> bytes:
        found.append(shown)
        return f'<svg {form} {transparent} width="1pt" height="2pt" id="a" style="stroke: #0072b2"/>'.encode()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "figure_bytes", kept)
        svg = draw()
    (shown,) = found
    (axes,) = shown.axes
    legend = axes.get_legend() or shown.legends[0]
    lines = [
        [
            line.get_label(), line.get_xdata(), line.get_ydata(), line.get_color(), line.get_marker(),
            line.get_markersize(), line.get_markerfacecolor(), line.get_fillstyle(), line.get_linestyle(),
            line.get_linewidth(),
        ]
        for line in axes.lines
    ]  # fmt: skip
    axis = [
        [
            each.get_label_text(), each.get_scale(), each.get_view_interval(), each.get_ticklocs(),
            [each.get_major_formatter()(value, 0) for value in each.get_ticklocs()],
            each.get_minor_formatter()(0.5, 0),
            [[line.get_visible(), line.get_color(), line.get_alpha(), line.get_linewidth()]
             for line in each.get_gridlines()[:1]],
        ]
        for each in (axes.xaxis, axes.yaxis)
    ]  # fmt: skip
    texts = [
        [each.get_text(), each.xy, each.xyann, each.anncoords]
        for each in axes.texts
        if isinstance(each, Annotation)
    ]
    look = {name: vars(legend)[name] for name in ("_loc_real", "_ncols", "handlelength", "_fontsize")}
    return {
        "svg": svg,
        "inches": shown.get_size_inches(),
        "lines": lines,
        "axis": axis,
        "texts": texts,
        "legend": [text.get_text() for text in legend.get_texts()],
        "look": {**look, "frame": legend.get_frame_on()},
    }


def _figures() -> object:
    series = tuple(
        Series(f"{kind} {number}", kind, tuple((x, 0.1 * number + 0.01) for x in (1, 2, 5)))
        for number in range(2)
        for kind in KINDS
    )
    made = [Figure("f", "", "", "", "records", "chance", each, series) for each in (False, True)]
    return [drawn(drawing, partial(drawing.draw, figure)) for figure in made]


@contextmanager
def ticking(*modules: ModuleType) -> Iterator[None]:
    """Let each look at the clock of some modules be a second after the last."""
    clock = count()
    with pytest.MonkeyPatch.context() as patch:
        for module in modules:
            patch.setattr(module, "perf_counter", lambda: float(next(clock)))
        yield


def _stages() -> object:
    """Return what the stages find that need no long computation, with what they say meanwhile."""
    progress = RecordedProgress()
    ledger = MadeUpLedger(lambda gamma, frequency: Fraction(gamma, 100 * frequency))
    broken = MadeUpLedger(lambda gamma, frequency: Fraction(0), passed=False)
    with ticking(certificates, figures), pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "kernel_program", lambda: None)  # the same wherever it is built or not
        outcomes = [
            certificates.certificates_stage(progress),
            *(figures.figures_stage(each, progress) for each in (ledger, broken)),
            *(ledger_stage(each, WorkerPool(1), progress) for each in (ledger, broken)),
        ]
    return [[outcome_json(each) for each in outcomes], progress.stages, progress.steps]


def outcome_json(outcome: Outcome) -> object:
    """Return an outcome for `pretty`, with three values of each table, and the beginning of each drawing."""
    shown = tuple(replace(each, svg=each.svg[:60]) for each in outcome.figures)
    tables = tuple(replace(each, values=(*each.values[:2], each.values[-1])) for each in outcome.publications)
    document = asdict(replace(outcome, figures=shown, publications=tables))
    rows = [{name: each for name, each in row.items() if each != ""} for row in document["rows"]]
    return document | {"rows": rows}


@cache
def publication_outcome() -> tuple[Outcome, RecordedProgress]:
    """Return what the stage finds that publishes the embedded table, and what it shows meanwhile."""
    progress = RecordedProgress()
    with ticking(publication):
        return publication.publication_stage("2014", progress), progress


def _publication() -> object:
    outcome, progress = publication_outcome()
    return [outcome_json(outcome), progress.stages, progress.steps]


SCATTERED = [("rare <v>", 1, 0), ("twice", 10, 12), ("again", 10, 12), ("wrong", 100, 130), ("far", 2, 9)]
DOCUMENTS: dict[str, Callable[[], str]] = {
    "report.txt": lambda: "\n".join(_terminal()),
    "report.json": lambda: pretty(made_up_report().to_json()),
    "report.html": lambda: body(html(made_up_report())),
    "claims.txt": _claims_terminal,
    "claims.json": lambda: pretty(claims_audit().to_json()).replace(__version__, "V"),
    "claims.html": lambda: body(claims_html(claims_audit())),
    "claims.xml": lambda: claims_audit().to_junit().decode(),
    "conformance.html": lambda: body(conformance_html(outcomes())),
    "stages.json": lambda: pretty(_stages()),
    "publication.json": lambda: pretty(_publication()),
    "figures.json": lambda: pretty(_figures()),
    "scatter.svg": lambda: scatter(SCATTERED, 5, ".point {}") + "\n" + scatter([("a", 1, 1)], 2) + "\n",
}


def _write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, made in DOCUMENTS.items():
        (FOLDER / name).write_text(made(), "utf-8")


if __name__ == "__main__":
    _write()
