from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from splu_ref.report.model import Row, VerificationReport
from splu_ref.report.terminal import TerminalProgress, last_line, report_view


def printed(report: VerificationReport, width: int, *, every: bool = True) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(report_view(report, width, every=every))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_every_row_stands_on_one_line_with_its_status(report: VerificationReport) -> None:
    lines = printed(report, 120).splitlines()
    environment = report.environment
    assert lines[0].startswith("FAILED: 2 claims came out as stated, 1 did not")
    assert f"splu-ref {environment.version}, level {report.level}" in [line.strip() for line in lines]
    heading = next(line for line in lines if "Status" in line)
    assert heading.split() == ["Claim", "or", "check", "Status", "Grade", "Evidence", "Time"]
    for row in report.rows:
        recorder = next(line for line in lines if line.lstrip().startswith(row.id)).split()
        assert recorder[-2:] == [f"{row.seconds:.2f}", "s"]
        assert (row.grade or "-") in recorder
    assert max(map(len, lines)) <= 120
    by_id = {row.id: next(line for line in lines if line.lstrip().startswith(row.id)) for row in report.rows}
    assert "proved" in by_id["splu.B"]
    assert "refuted" in by_id["splu.T3"]
    assert "fails" in by_id["enumeration.x"]


@pytest.mark.parametrize("width", [48, 60, 80])
def test_a_narrow_terminal_loses_no_row(report: VerificationReport, width: int) -> None:
    text = printed(report, width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("splu.T3") == 1


def test_papers_and_failures_follow_the_verdict(report: VerificationReport) -> None:
    lines = printed(report, 120, every=False).splitlines()
    assert lines[0].startswith("FAILED: ")
    heading = next(line for line in lines if line.split()[:1] == ["Paper"]).split()
    [paper] = report.papers
    numbers = next(line for line in lines if line.strip().startswith(paper.name)).split()
    expected = [str(paper.number(status)) for status in heading[1:-1]]
    assert numbers[-len(heading) + 1 :] == [*expected, str(paper.failed)]
    [failed] = [line for line in lines if line.startswith("failed ")]
    assert failed.startswith("failed enumeration.x: ")
    assert not any(line.strip().startswith("splu.B") for line in lines)


def test_a_claim_that_failed_says_so(report: VerificationReport) -> None:
    broken = replace(report, rows=(replace(report.rows[0], passed=False, detail="outdated"),))
    text = printed(broken, 120)
    assert "proved, fails" in text
    assert "failed splu.B: outdated" in text


def test_a_quick_run_says_what_it_left_out(report: VerificationReport) -> None:
    quick, full = (printed(replace(report, level=level), 120) for level in ("quick", "full"))
    assert "not run at level quick: Coq" in quick
    assert "not run at level" not in full


def test_markup_in_texts_is_not_obeyed(report: VerificationReport) -> None:
    marked = replace(report.rows[0], evidence="[bold]f'[/bold]")
    assert "[bold]f'[/bold]" in printed(replace(report, rows=(marked,)), 120)


def test_the_last_line_of_a_sound_run(report: VerificationReport) -> None:
    assert last_line(replace(report, rows=report.claims)) == (
        "passed: 2 claims came out as stated, 0 did not; false-alarm budget 3e-7; 3.2 s"
    )


def test_the_last_line_counts_only_what_was_checked(report: VerificationReport) -> None:
    definition = Row("ledger", "splu.D1", "term", "definition", True, unchecked="a definition")
    recorded = Row("ledger", "splu.S", "lemma", "proved", True, "kernel", unchecked="recorded on 2026-01-02")
    mixed = replace(report, rows=(*report.claims, definition, recorded))
    assert last_line(mixed).startswith(
        "passed: 2 claims came out as stated, 0 did not; 1 definition; 1 recorded, not checked here; "
    )
    assert "proved, recorded" in printed(mixed, 120)
    assert not replace(report, rows=(definition, recorded)).holds
    outdated = replace(report, rows=(*report.claims, replace(definition, passed=False)))
    assert (outdated.failed, outdated.number("definition"), outdated.holds) == (1, 0, False)


def test_progress_is_a_line_for_each_stage_or_a_bar_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    quiet, loud = io.StringIO(), io.StringIO()
    for file, terminal in ((quiet, False), (loud, True)):
        console = Console(file=file, force_terminal=terminal, width=100, _environ={"TERM": "xterm"})
        with TerminalProgress(console) as progress:
            progress.stage("Stage [one]", 2)
            progress.at("step [two]", 1)
            progress._bar.refresh()
            progress.stage("Long", 25)
            for done in range(25) if not terminal else ():
                progress.at("step", done)
    assert quiet.getvalue() == ""
    tenths = "".join(f"verify: Long: {done} of 25\n" for done in (3, 5, 8, 10, 13, 15, 18, 20, 23))
    assert capsys.readouterr().err == f"verify: Stage [one]\nverify: Long\n{tenths}"
    assert "Stage [one]" in loud.getvalue()
    assert "step [two]" in loud.getvalue()
    assert "1/2" in loud.getvalue()
