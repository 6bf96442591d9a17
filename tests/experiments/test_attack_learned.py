"""``attack-learned``: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from experiments.commands import attack_learned
from splu_ref.mechanisms import AlphaBeta, SpluGen
from splu_ref.randomness import SeededSource
from tests.experiments.progress import recorded_progress
from tests.programs import main

ROWS = 2400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table, and manifests of releases of it."""
    folder = tmp_path_factory.mktemp("learned")
    shares = (20, 20, 20, 18, 17, 5)
    jobs = [f"job {code}" for code, share in enumerate(shares) for _ in range(ROWS * share // 100)]
    frame = pl.DataFrame({"sex": ["F", "M"] * (ROWS // 2), "job": jobs})
    frame.write_csv(folder / "table.csv")
    frame.with_columns(job=frame["job"].replace("job 5", None)).write_csv(folder / "gaps.csv")
    SpluGen(5).publish(frame, "job").write(folder / "p.csv", folder / "splu.json")
    tuples = {"sex": ("F", "M"), "job": tuple(f"job {code}" for code in range(7))}
    AlphaBeta("1/2", "1/4", tuples, distinct=True).publish(frame, ("sex", "job"), SeededSource(1)).write(
        folder / "set.csv", folder / "set.json"
    )
    return folder


def _attack(capsys: pytest.CaptureFixture[str], folder: Path, name: str, *words: object) -> dict[str, Any]:
    capsys.readouterr()
    manifest = ("--manifest", folder / "splu.json", "--seed", 1, "--json")
    assert main(list(map(str, ("attack-learned", name, folder / "table.csv", *manifest, *words)))) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_an_attack_that_learns_reports_what_other_attacks_report(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _attack(capsys, folder, "foreground", "--runs", 6)
    assert (found["predicted"], found["e_value"], found["runs"]) == (None, None, 6)
    least, greatest = (float(end["decimal"]) for end in found["interval"])
    assert least <= float(found["success"]["decimal"]) <= greatest < 0.3
    # sex follows from the order of the rows alone: it teaches nothing, and the counts are what is known
    assert float(found["population"]["decimal"]) == pytest.approx(0.2, abs=0.05)
    assert found["baseline"]["fraction"] == "1/5"
    words = (
        "attack-learned",
        "foreground",
        str(folder / "table.csv"),
        "--manifest",
        str(folder / "splu.json"),
    )
    assert main([*words, "--runs", "1"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "95 % interval none: 1 release cannot have one, 6 can" in printed
    assert "other ways to learn may do better" in printed
    once = _attack(capsys, folder, "foreground", "--runs", 1)
    assert (once["runs"], once["interval"]) == (1, None)  # 0 to 1 would look like one that was measured


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("foreground", "--known", "1"), "No such option: --known"),
        (("homogeneity", "--runs", "2"), "'homogeneity' is unknown: choose one of foreground, de-finetti"),
        (("de-finetti", "--release", "p.csv"), "No such option: --release"),
        (("classifier", "--runs", "0"), "at least 1"),
    ],
)
def test_options_of_learning_attacks(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    name, *options = words
    assert (
        main(
            [
                "attack-learned",
                name,
                str(folder / "table.csv"),
                "--manifest",
                str(folder / "splu.json"),
                *options,
            ]
        )
        == 2
    )
    assert says in capsys.readouterr().err


def test_a_set_of_tuples_shows_no_record_to_learn_from(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(folder / "table.csv"), "--manifest", str(folder / "set.json")]
    assert main(["attack-learned", "foreground", *files]) == 2
    assert "shows nothing of single records:" in capsys.readouterr().err


def test_missing_cells_are_a_value_only_if_the_user_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "attack-learned",
        "foreground",
        str(folder / "gaps.csv"),
        "--manifest",
        str(folder / "splu.json"),
    ]
    words += ["--seed", "1", "--runs", "1"]
    assert main(words) == 2
    assert "--missing '?'" in capsys.readouterr().err
    assert main([*words, "--missing", "job 5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == _attack(capsys, folder, "foreground", "--runs", 1)


def test_each_release_is_progress(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = recorded_progress(monkeypatch, attack_learned)
    files = [str(folder / "table.csv"), "--manifest", str(folder / "splu.json")]
    assert main(["attack-learned", "foreground", *files, "--runs", "3"]) == 0
    assert seen == [(0, 3), (1, 3), (2, 3)]
