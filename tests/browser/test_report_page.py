"""The verification report in a real browser, with the real ledger's texts and figures in it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from splu_proofs import LEDGER
from splu_ref.report.exhibits import CellState, KillMatrix, MutantRow, PublicationAudit, ValueAudit
from splu_ref.report.html import html
from splu_ref.report.model import Environment, StatisticalRow, VerificationReport
from splu_ref.report.progress import NoProgress
from splu_ref.report.stages.figures import figures_stage
from splu_ref.report.stages.ledger import ledger_stage
from splu_ref.report.workers import WorkerPool

TAB = ("Tab", 9)
ENTER = ("Enter", 13)


@dataclass(frozen=True)
class Unexamined:
    """A claim as the ledger states it; no evidence is computed for a test of the page."""

    id: str
    status: str
    grade: str | None
    passed: bool = True
    summary: str = "not computed in this test, but as long as a line of evidence usually is"
    seconds: float = 0.25
    message: str = ""
    recorded: str = ""


class Texts:
    """The real ledger without its computations."""

    printed = LEDGER.printed
    figures = LEDGER.figures

    def rows(self) -> Any:
        return LEDGER.rows()

    def run(
        self, claim_id: str = "all", progress: object = None, *, coq: bool = False, spread: object = None
    ) -> list[Unexamined]:
        return [
            Unexamined(str(row["id"]), str(row["status"]), str(row["grade"] or "") or None)
            for row in self.rows()
        ]


@pytest.fixture(scope="module")
def page() -> bytes:
    ledger = Texts()
    value = ValueAudit("Handlers-cleaners", 2066, 2101, (1988, 2210), "accurate", "0.01", True, -1.5)
    checks = tuple(f"a check with a long name, number {number}" for number in range(33))
    cells: tuple[CellState, ...] = ("killed", "alive", "not run") * 11
    figures = figures_stage(ledger, NoProgress()).figures
    return html(
        VerificationReport(
            level="full",
            rows=ledger_stage(ledger, WorkerPool(1), NoProgress()).rows,
            environment=Environment(
                version="0.1.0",
                specification="1",
                commit="0" * 40,
                code="0" * 64,
                python="CPython 3.11",
                platform="Linux-6.1.0-amd64-x86_64-with-glibc2.36",
                processors=2,
                workers=2,
                seed="2014",
                fresh_seed=False,
                started="2026-01-02T03:04:05+00:00",
                packages=(("numpy", "2.0"), ("hypothesis", "6.112")),
                command="splu-ref verify --level full --report report",
            ),
            seconds=3.25,
            statistics=(
                StatisticalRow("retention_rate_of_a_release", 2.5, Fraction(1, 10**7), "p 0.1", True),
            ),
            publications=(PublicationAudit("occupation", 5, 101, 100, 1, "small", "large", (value,)),),
            kill_matrix=KillMatrix(
                checks, tuple(MutantRow(f"mutant_{n}", "It errs.", cells) for n in range(38))
            ),
            figures=figures,
            false_alarm_budget=Fraction(3, 10**7),
        )
    )


@pytest.fixture
def shown(page: bytes, opened: Callable[[bytes], Any]) -> Any:
    return opened(page)


def test_it_asks_for_nothing_and_complains_of_nothing(shown: Any) -> None:
    own = shown.script("return location.href")
    assert [each for each in shown.requests if not each.startswith("data:")] == [own]
    assert shown.log("browser") == []


def test_the_log_would_show_a_request_and_an_error(page: bytes, opened: Callable[[bytes], Any]) -> None:
    other = "http://127.0.0.1:9/picture.png"
    faulty = page.replace(b"</main>", f'<img src="{other}" alt=""></main>'.encode())
    shown = opened(faulty)
    assert any("Content Security Policy" in entry["message"] for entry in shown.log("browser"))
    free = faulty.replace(b"http-equiv=", b"data-removed=")
    assert other in opened(free).requests


def test_no_style_and_no_script_of_the_data_is_used(page: bytes, opened: Callable[[bytes], Any]) -> None:
    planted = (
        b'<p id="planted" style="color: rgb(1, 2, 3)">a</p><style>body { color: rgb(1, 2, 3) }</style>'
        b"<script>document.title = 'taken'</script><form action='https://127.0.0.1:9/'></form>"
        b'<base href="https://127.0.0.1:9/"></main>'
    )
    shown = opened(page.replace(b"</main>", planted))
    for element in ("#planted", "body"):
        color = shown.script(f"return getComputedStyle(document.querySelector({element!r})).color")
        assert color != "rgb(1, 2, 3)"
    assert shown.script("return document.title") != "taken"
    assert shown.script("return document.baseURI").startswith("file:")
    shown.script("document.forms[document.forms.length - 1].submit()")
    messages = " ".join(entry["message"] for entry in shown.log("browser"))
    for directive in ("style-src", "script-src", "base-uri", "form-action"):
        assert directive in messages


def test_the_figures_keep_their_looks(shown: Any) -> None:
    looks = (
        "const style = (query, name) => getComputedStyle(document.querySelector(query))[name];"
        "return [style('figure svg path[clip-path][stroke*=series-1]', 'stroke'), "
        "style('figure svg path[clip-path][stroke*=series-1]', 'strokeWidth'), "
        "style('figure svg text', 'fontSize'), style('figure svg', 'strokeLinejoin'), "
        "style('figure svg text', 'fill')]"
    )
    assert shown.script(looks) == ["rgb(0, 114, 178)", "1.8px", "11px", "round", "rgb(28, 33, 39)"]
    shown.media(scheme="dark")
    assert shown.script(looks)[0] == "rgb(86, 180, 233)"


def test_every_claim_and_every_figure_is_there(shown: Any) -> None:
    rows = shown.script("return document.querySelectorAll('table.claims tbody tr').length")
    assert rows == len(LEDGER.rows()) > 40
    assert shown.script("return document.querySelectorAll('#mutants table tbody tr').length") == 38
    assert shown.script("return document.querySelectorAll('figure:not(.release) svg').length") == 2
    assert shown.script("return document.querySelectorAll('.release svg circle').length") == 1
    assert shown.script("return document.querySelectorAll('math').length") >= rows
    assert "--level full" in shown.script("return document.querySelector('#environment').innerText")


@pytest.mark.parametrize("pixels", [320, 375, 768, 1280])
def test_the_page_never_scrolls_sideways(shown: Any, pixels: int) -> None:
    shown.width(pixels)
    shown.script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    widest = shown.script("return document.documentElement.scrollWidth")
    assert widest <= shown.script("return document.documentElement.clientWidth") <= pixels


def test_the_navigation_stays_in_sight_and_covers_no_heading(shown: Any) -> None:
    seen = (
        "document.documentElement.style.scrollBehavior = 'auto';"
        "document.getElementById('mutants').scrollIntoView();"
        "const [nav, head] = ['nav', '#mutants h2'].map((each) => document.querySelector(each));"
        "return [nav.getBoundingClientRect().top, nav.getBoundingClientRect().bottom,"
        " head.getBoundingClientRect().bottom]"
    )
    for pixels in (375, 1280):
        shown.width(pixels)
        top, bottom, heading = shown.script(seen)
        assert top == 0
        assert bottom < heading


def test_formulas_stand_beside_the_words_and_the_words_fit(shown: Any) -> None:
    hidden = "return document.querySelectorAll('table.claims details math').length"
    assert shown.script(hidden) == 0
    shown.script("document.querySelector('details.paper').open = true")
    table = "const at = document.querySelector('#claims .scroll'); return at.scrollWidth - at.clientWidth"
    assert shown.script(table) <= 1


def test_the_search_narrows_the_claims(shown: Any) -> None:
    field = "const field = document.querySelector('#filter input[type=search]');"
    shown.script(
        f"{field} field.value = 'splu.t3c'; field.dispatchEvent(new Event('input', {{bubbles: true}}))"
    )
    visible = shown.script(
        "return [...document.querySelectorAll('table.claims tbody tr')]"
        ".filter((row) => row.offsetParent !== null).map((row) => row.id)"
    )
    assert "claim-splu.T3c" in visible
    assert len(visible) < 20
    assert shown.script("return document.querySelector('#filter output').textContent").startswith(
        f"{len(visible)} of "
    )
    shown.script(
        "const box = document.querySelector('#filter input[value=corrected]');"
        "box.checked = false; box.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert shown.script("return document.getElementById('claim-splu.T3c').hidden")


def test_it_can_be_used_with_the_keyboard_alone(shown: Any) -> None:
    shown.press(TAB)
    assert shown.script("return document.activeElement.className") == "skip"
    shown.press(ENTER)
    assert shown.script("return location.hash") == "#main"
    reached = {}
    for _ in range(90):
        shown.press(TAB)
        tag, outline = shown.script(
            "const at = document.activeElement; return [at.tagName, getComputedStyle(at).outlineStyle];"
        )
        if tag == "BODY":  # past the last element
            break
        reached[tag] = outline
    assert reached.keys() >= {"INPUT", "DIV", "SUMMARY"}
    assert "none" not in reached.values(), "the focus must be seen"


def _contrast(shown: Any) -> float:
    """Return the contrast of the running text against the page, by the usual formula for screens."""
    return float(
        shown.script(
            "const light = (color) => { const [r, g, b] = color.match(/[0-9.]+/g).slice(0, 3).map((each) => {"
            "  const part = each / 255;"
            "  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; });"
            "  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };"
            "const style = getComputedStyle(document.body);"
            "const page = getComputedStyle(document.documentElement).backgroundColor;"
            "const paper = style.backgroundColor === 'rgba(0, 0, 0, 0)' ? page : style.backgroundColor;"
            "const [a, b] = [light(style.color), light(paper)].sort((x, y) => y - x);"
            "return (a + 0.05) / (b + 0.05);"
        )
    )


def test_dark_and_light_are_both_readable(shown: Any) -> None:
    seen = []
    for scheme in ("light", "dark"):
        shown.media(scheme=scheme)
        seen.append(shown.script("return getComputedStyle(document.body).color"))
        assert _contrast(shown) >= 7
    assert seen[0] != seen[1]


def test_it_can_be_printed(shown: Any) -> None:
    shown.media("print", "dark")
    assert shown.script("return getComputedStyle(document.querySelector('nav')).display") == "none"
    assert shown.script("return getComputedStyle(document.querySelector('#filter')).display") == "none"
    assert _contrast(shown) >= 7
    shown.media()
    assert b64decode(shown.command("Page.printToPDF")["data"]).startswith(b"%PDF")
