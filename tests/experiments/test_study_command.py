from __future__ import annotations

import json
import stat
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from experiments.commands import study
from experiments.study import LEVELS, Level
from splu_ref.channels.parameters import InputError
from tests.programs import main

rules = import_module("experiments.study.criteria")  # the room has a function of the same name
summary = import_module("experiments.study.summary")
TINY = Level(
    "quick",
    small=60,
    rare=20,
    large=80,
    releases=(("mixed", 2), ("anatomy", 1), ("cyclic", 1)),
    others=1,
    gammas=(2, 3),
    parts=(Fraction(1, 4),),
    pair_queries=8,
    pair_gammas=(2,),
)
FIGURES = {
    f"adult_demo-{name}" for name in ("figure-7", "figure-8", "figure-9", "figure-12", "publishing-time")
}


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "quick", TINY)
    monkeypatch.setattr(rules, "NEAR_BEST", 9.0)  # a handful of queries say little


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    path = tmp_path / "towns.csv"
    lines = [f"{i % 7},{i % 3},{i % 11 % 4},{(i * i) % 13 % 5}" for i in range(4000)]
    path.write_text("town,ward,street,illness\n" + "\n".join(lines) + "\n")
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code = main(["study", *map(str, arguments), "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == (0 if found["holds"] else 1)
    return found


def test_figures_numbers_and_criteria(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "study"
    found = _json(capsys, "--report", folder, "--seed", 3)
    assert {figure["id"] for figure in found["figures"]} == FIGURES
    assert found["holds"] is True
    assert found["printed"] is True
    assert found["pictures"] is True
    assert [one["holds"] for one in found["criteria"][:2]] == [None, None]
    assert {path.name for path in folder.iterdir()} == {
        "study.json",
        "pieces",
        *(f"{figure}{suffix}" for figure in FIGURES for suffix in (".csv", ".svg", ".png")),
    }
    written = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert written["figures"] == found["figures"]
    large = next(figure for figure in found["figures"] if figure["id"] == "adult_demo-figure-8")
    lines = {line["name"] for line in large["panels"][1]["series"]}
    assert lines == {"published count", "n f'/N", "exact", "shrunk", "inversion", "printed"}
    assert "mixed plan, small counts" in found["tables"][0]["printed_steps"]


def test_a_table_of_any_name_is_studied(
    tmp_path: Path, towns: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "$\\frac{ $a$ & <b> \x1b[2J\u202e漢"
    table = tmp_path / f"{name}.csv"
    table.write_text(towns.read_text().replace("ward", "$^{").replace("illness", "$x$_"))
    _json(capsys, "--data", table, "--sensitive", "$x$_", "--report", tmp_path / "report")
    pictures = list((tmp_path / "report").glob("*.svg"))
    assert pictures
    title = "".join(each if each.isprintable() else "\ufffd" for each in name)
    for each in pictures:
        assert any(title in text for text in ElementTree.parse(each).getroot().itertext())


def test_finished_pieces_are_reused(
    tmp_path: Path, towns: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary, "drawings", lambda _: {})  # which take most of the time
    arguments = ("--data", towns, "--sensitive", "illness", "--report", tmp_path / "report")
    first = _json(capsys, *arguments)
    pieces = sorted((tmp_path / "report" / "pieces").iterdir())
    pieces[0].unlink()  # as if the study had been interrupted
    stamps = {path: path.stat().st_mtime_ns for path in pieces[1:]}
    assert {stat.S_IMODE(path.stat().st_mode) for path in pieces[1:]} == {0o600}
    assert main(["study", *map(str, arguments)]) == 2  # a finished study is not written over
    assert "study.json exists: choose another name or add --force" in capsys.readouterr().err
    assert not pieces[0].exists()
    second = _json(capsys, *arguments, "--force")
    assert pieces[0].exists()
    assert {path: path.stat().st_mtime_ns for path in pieces[1:]} == stamps
    for one, other in zip(first["figures"], second["figures"], strict=True):
        if "time" not in one["id"]:
            assert one == other
    other = _json(capsys, *arguments, "--seed", 2, "--force")
    assert other["figures"][0] != first["figures"][0]
    assert {path: path.stat().st_mtime_ns for path in pieces[1:]} == stamps
    assert len(list((tmp_path / "report" / "pieces").iterdir())) > len(pieces)


def test_a_requirement_that_fails_is_exit_1(
    towns: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "NEAR_BEST", 0.01)
    found = _json(capsys, "--data", towns, "--sensitive", "illness")
    assert found["holds"] is False


def test_the_screen_says_what_is_met(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["study", "--data", str(towns), "--sensitive", "illness"])
    text = capsys.readouterr().out
    assert "Figure 7: small counts, towns" in text
    assert "\nmet " in text
    assert "\nnot judged " in text
    assert "printed iteration: mixed plan, small counts: median" in " ".join(text.split())


def test_without_proofs_there_is_no_printed_line(
    towns: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise InputError("no claims ledger is installed")

    monkeypatch.setattr(study, "load_ledger", missing)
    main(["study", "--data", str(towns), "--sensitive", "illness", "--json"])
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["printed"] is False
    assert "kept with the proofs" in captured.err
    assert "printed" not in json.dumps([line for figure in found["figures"] for line in figure["panels"]])


def test_a_table_of_ones_own(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--data", towns, "--sensitive", "illness", "--leave-out", "street", "--gamma", 3)
    found = _json(capsys, *arguments)
    assert found["tables"][0]["columns"] == ["town", "ward"]
    assert found["tables"][0]["gamma"] == 3
    assert not [figure for figure in found["figures"] if "figure-12" in figure["id"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "adult_demo", "--data", "adult_demo"], "twice"),
        (["--data", "census_kdd_workers"], "--data-folder"),
        (["--sensitive", "job"], "no column 'job'"),
        (["--gamma", "1"], "gamma"),
    ],
)
def test_what_cannot_be_studied_is_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", *arguments]) == 2
    text = capsys.readouterr().err
    assert message in text
    assert text.count("\n") == 1


def test_a_file_is_no_report_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "file"
    place.write_text("")
    assert main(["study", "--report", str(place)]) == 2
    assert "choose another place" in capsys.readouterr().err


@pytest.mark.parametrize(
    "columns",
    [
        lambda i: f"{i % 16},{i // 16}",  # the second column is all that is left for predicates
        lambda i: ",".join(str((i * c + i) % 3) for c in range(20)),  # a matrix of one release is singular
    ],
)
def test_a_table_about_which_little_can_be_said(
    columns: Callable[[int], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wide = "," in columns(0).replace(",", "", 1)
    rows = [columns(i) for i in range(24 if wide else 240)]
    header = "abcdefghijklmnopqrst"[: rows[0].count(",") + 1]
    path = tmp_path / "few.csv"
    path.write_text("\n".join([",".join(header), *rows]) + "\n")
    second = [] if wide else ["--second", "b"]
    _json(capsys, "--data", path, "--sensitive", "b" if wide else "a", *second)


def test_a_table_that_allows_no_gamma_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "skew.csv"
    path.write_text("a,b\n" + "x,1\nx,2\ny,1\n" * 9)
    assert main(["study", "--data", str(path), "--sensitive", "a"]) == 2
    assert "skew: column 'a' allows no gamma" in capsys.readouterr().err
