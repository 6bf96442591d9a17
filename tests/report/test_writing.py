from __future__ import annotations

import json
from pathlib import Path

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.cli import main, verify
from splu_ref.report.model import VerificationReport
from splu_ref.report.writing import FILES, check_report_folder, write_report


def test_three_files_in_a_new_folder(report: VerificationReport, tmp_path: Path) -> None:
    written = write_report(report, tmp_path / "a" / "b", force=False)
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == sorted(FILES)
    text = (tmp_path / "a" / "b" / "report.json").read_text("utf-8")
    document = json.loads(text)
    assert text == json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    assert not text.isascii()
    assert (document["schema"], document["failed"]) == ("splu-ref/report/1", 1)
    assert (tmp_path / "a" / "b" / "index.html").read_text("utf-8").startswith("<!doctype html>")


def test_the_same_report_gives_the_same_bytes(report: VerificationReport, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_report(report, tmp_path / folder, force=False)
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_an_older_report_is_replaced_only_by_force(report: VerificationReport, tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text("old", "utf-8")
    with pytest.raises(InputError, match=r"junit\.xml exists"):
        write_report(report, tmp_path, force=False)
    assert not (tmp_path / "index.html").exists()
    write_report(report, tmp_path, force=True)
    assert (tmp_path / "junit.xml").read_text("utf-8") != "old"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="folder cannot be made") as raised:
        check_report_folder(tmp_path / "file" / "report", force=False)
    assert "\n" not in str(raised.value)


def test_verify_writes_over_a_report_by_force_only(
    report: VerificationReport,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(verify, "run_suite", lambda *_, **__: report)
    assert main(["verify", "--report", "report"]) == 1  # the run that is reported has a failure
    page = tmp_path / "report" / "index.html"
    page.write_text("kept", "utf-8")
    capsys.readouterr()
    assert main(["verify", "--report", "report"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "splu-ref: report/index.html exists: choose another name or add --force\n"
    assert page.read_text("utf-8") == "kept"
    assert main(["verify", "--report", "report", "--force"]) == 1
    assert page.read_text("utf-8") != "kept"
