from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.microdata import embedded_table, write_table


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    write_table(embedded_table(), path)
    return path


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("towns") / "towns.csv"
    cells = [f"t{i % 4},{'abcd'[i % 4]}" for i in range(160)] + ["far,rare"] * 5
    path.write_text("town,illness\n" + "".join(f"{line}\n" for line in cells))
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["advise", *map(str, arguments), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result: dict[str, Any] = json.loads(captured.out)
    return result


def test_the_embedded_table(adult: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, adult, "--sensitive", "occupation")
    assert (result["rows"], result["max_gamma"]) == (30718, 7)
    assert [option["gamma"] for option in result["options"]] == [2, 3, 4, 5, 6, 7]
    option = result["options"][2]
    assert option["retention"] == "1/4"
    assert option["t_p"]["decimal"].startswith("0.273840806449")
    assert (option["threshold"], option["meets_t_p"]) == (34, True)
    assert option["protected_values"] == ["Armed-Forces"]
    assert option["between_values"] == []
    assert len(option["accurate_values"]) == 13
    assert len(result["values"]) == 14
    recommendation = result["recommendation"]
    assert (recommendation["gamma"], recommendation["meets"]) == (5, True)
    for number in option["unprotected_groups"]:
        assert result["groups"][number]["count"] <= 10
    assert "not for the public" in result["audience"]


def test_a_goal_for_own_values(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, towns, "--sensitive", "illness", "--t-p", "0.1", "--own-value", "1/3")
    assert result["own_value"] == "1/3"
    assert [(option["own_value"], option["meets_own_value"]) for option in result["options"]] == [
        ("1/2", False), ("1/3", True), ("1/4", True),
    ]  # fmt: skip
    assert result["recommendation"]["gamma"] >= 3


def test_other_retentions_are_tried_where_they_fit(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(
        capsys, towns, "--sensitive", "illness", "--retention", "0.4", "--retention", "2/5", "--t-p", "0.2"
    )
    assert [(option["gamma"], option["retention"]) for option in result["options"]] == [
        (2, "1/2"), (3, "1/3"), (3, "2/5"), (4, "1/4"), (4, "2/5"),
    ]  # fmt: skip
    assert {"where": {"town": "far"}, "value": "rare", "count": 5} in result["groups"]


def test_people_see_a_table_and_reasons(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", str(towns), "--sensitive", "illness"]) == 0
    captured = capsys.readouterr()
    text = " ".join(captured.out.split())
    assert "gamma p T_P T_P* T_f protected between accurate open groups" in text
    assert "recommended gamma = 4, p = 1/4 = 1/gamma" in text
    assert "protected rare (5)" in text
    assert "town=far: all 5 are rare" in text
    assert "not for the public" in captured.err


def test_when_nothing_meets_the_goals_the_closest_is_named(
    towns: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = _json(capsys, towns, "--sensitive", "illness", "--t-p", "0.9")
    assert (result["recommendation"]["meets"], result["recommendation"]["gamma"]) == (False, 4)
    assert main(["advise", str(towns), "--sensitive", "illness", "--t-p", "0.9"]) == 0
    assert "closest" in capsys.readouterr().out


def test_the_picture_is_written_once(towns: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "advice.SVG"
    arguments = ["advise", str(towns), "--sensitive", "illness", "--picture", str(path)]
    assert main(arguments) == 0
    assert "picture " in capsys.readouterr().out
    assert path.read_text().startswith("<?xml")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600  # it shows true counts
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    path.chmod(0o644)
    assert main([*arguments, "--force"]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "wrong",
    [
        ("--sensitive", "occupatio"),
        ("--epsilon", "0"),
        ("--alpha", "0"),
        ("--t-p", "1.5"),
        ("--t-e", "0.5"),
        ("--own-value", "0"),
        ("--own-value", "1.1"),
        ("--retention", "1"),
        ("--picture", "advice.gif"),
    ],
)
def test_unusable_options_are_one_line(
    towns: Path, tmp_path: Path, wrong: tuple[str, str], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    arguments = {"--sensitive": "illness"} | dict([wrong])
    assert main(["advise", str(towns), *(word for pair in arguments.items() for word in pair)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert not list(tmp_path.iterdir())
