from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from splu_ref.audit.release_log import read_log
from splu_ref.cli import main

ROWS = "name,value\n" + "".join(f"n{number},{'abcd'[number % 4]}\n" for number in range(40))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


def _sanitize(*words: str) -> int:
    return main(["sanitize", "table.csv", "--sensitive", "value", "--gamma", "2", "--log", "log", *words])


def test_warnings_of_fresh_draws_and_none_of_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "secret"]) == 0
    for name in ("1.csv", "2.csv"):
        assert _sanitize("-o", name, "--key-file", "secret") == 0
    assert capsys.readouterr().err == ""
    assert Path("1.csv").read_bytes() == Path("2.csv").read_bytes()
    assert _sanitize("-o", "3.csv") == 0
    error = capsys.readouterr().err
    assert error.startswith("note: column 'value' was published before with other draws (releases 1, 2 of")
    assert "the mean of 2 published counts" in error
    assert [entry.randomness for entry in read_log(Path("log")).entries] == ["keyed", "keyed", "system"]
    assert stat.S_IMODE(Path("log").stat().st_mode) == 0o600


def test_a_release_that_cannot_be_written_is_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _sanitize("-o", "1.csv") == 0
    before = Path("log").read_bytes()
    assert _sanitize("-o", "1.csv") == 2  # it exists
    monkeypatch.setattr("splu_ref.cli.sanitize.write_all", _full_disk)
    assert _sanitize("-o", "2.csv") == 2
    assert Path("log").read_bytes() == before
    assert not Path("2.csv").exists()


def _full_disk(contents: object, *, force: bool) -> None:
    raise OSError(28, "No space left on device", "2.csv")


def test_a_damaged_log_is_refused_before_anything_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("log").write_text("{}\n", encoding="utf-8")
    Path("log").chmod(0o600)
    assert _sanitize("-o", "1.csv") == 2
    error = capsys.readouterr().err
    assert error.startswith("splu-ref: release log log, line 1: ")
    assert error.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["log", "table.csv"]


def test_the_log_is_a_file_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert _sanitize("-o", "1.csv", "--manifest", "log", "--force") == 2
    assert "are the same file" in capsys.readouterr().err


def test_a_changed_table_under_the_same_key_is_another_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "secret"]) == 0
    assert _sanitize("-o", "1.csv", "--key-file", "secret") == 0
    Path("table.csv").write_text(ROWS + "n40,a\n", encoding="utf-8")
    capsys.readouterr()
    assert _sanitize("-o", "2.csv", "--key-file", "secret") == 0
    warning = capsys.readouterr().err
    assert "release 1 of the log of another table under the same key, which may share records" in warning
    assert "the mean of 2 published counts" in warning
    assert len(read_log(Path("log")).entries) == 2


@pytest.mark.parametrize("words", [("--gamma", "4"), ("--retention", "1/3"), ("--plan", "anatomy")])
def test_other_parameters_under_the_same_key_are_another_release(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["key", "secret"]) == 0
    assert _sanitize("-o", "1.csv", "--key-file", "secret") == 0
    capsys.readouterr()
    assert _sanitize("-o", "2.csv", "--key-file", "secret", *words) == 0
    assert "published before with other draws (release 1 of the log)" in capsys.readouterr().err
    assert _sanitize("-o", "3.csv", "--key-file", "secret", "--gamma", "2") == 0
    assert "published before" not in capsys.readouterr().err
    assert Path("3.csv").read_bytes() == Path("1.csv").read_bytes()


def test_json_marks_what_is_for_the_publisher_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert _sanitize("-o", "1.csv", "--json", "--manifest", "manifest.json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["publisher_only"] == ["max_gamma"]
    assert result["max_gamma"] == 4
    assert "max_gamma" not in Path("manifest.json").read_text("utf-8")


def test_a_log_behind_a_link_stays_one_log(capsys: pytest.CaptureFixture[str]) -> None:
    Path("safe").mkdir()
    assert _sanitize("-o", "1.csv") == 0
    Path("log").rename("safe/log")
    Path("log").symlink_to("safe/log")
    assert _sanitize("-o", "2.csv") == 0
    assert "release 1 of the log" in capsys.readouterr().err
    assert Path("log").is_symlink()
    assert len(read_log(Path("safe/log")).entries) == 2
    Path("other").hardlink_to("safe/log")
    assert _sanitize("-o", "3.csv") == 2
    assert "has 2 names (hard links)" in capsys.readouterr().err
    assert not Path("3.csv").exists()
