from __future__ import annotations

import json
from pathlib import Path

import pytest

from splu_ref.model import InputError
from splu_ref.report.model import VerificationReport
from splu_ref.report.writing import FILES, prepare_folder, write_report


def test_three_files_in_a_new_folder(report: VerificationReport, tmp_path: Path) -> None:
    written = write_report(report, tmp_path / "a" / "b")
    assert [path.name for path in written] == list(FILES)
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == sorted(FILES)
    assert json.loads((tmp_path / "a" / "b" / "report.json").read_text("utf-8"))["failed"] == 1
    assert (tmp_path / "a" / "b" / "index.html").read_text("utf-8").startswith("<!doctype html>")


def test_the_same_report_gives_the_same_bytes(report: VerificationReport, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_report(report, tmp_path / folder)
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_an_older_report_is_replaced_only_by_force(report: VerificationReport, tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text("old", "utf-8")
    with pytest.raises(InputError, match=r"junit\.xml exists"):
        write_report(report, tmp_path, force=False)
    assert not (tmp_path / "index.html").exists()
    write_report(report, tmp_path)
    assert (tmp_path / "junit.xml").read_text("utf-8") != "old"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="folder cannot be made") as raised:
        prepare_folder(tmp_path / "file" / "report")
    assert "\n" not in str(raised.value)
