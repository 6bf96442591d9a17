"""``attack``: what it prints, and what it refuses."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.cli import main
from splu_ref.mechanisms import AlphaBeta, RetentionReplacement, SpluGen
from splu_ref.randomness import SeededSource

ROWS = 2400
"""Records of the table, in six values."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table, manifests of releases of it, and one of two columns."""
    folder = tmp_path_factory.mktemp("attacks")
    shares = (20, 20, 20, 18, 17, 5)
    jobs = [f"job {code}" for code, share in enumerate(shares) for _ in range(ROWS * share // 100)]
    frame = pl.DataFrame({"sex": ["F", "M"] * (ROWS // 2), "job": jobs})
    frame.write_csv(folder / "table.csv")
    SpluGen(5).publish(frame, "job").write(folder / "p.csv", folder / "splu.json")
    SpluGen(2).publish(frame, ["job", "sex"]).write(folder / "two.csv", folder / "two.json")
    values = {"job": tuple(f"job {code}" for code in range(7))}
    RetentionReplacement("1/2", values).publish(frame, "job").write(folder / "r.csv", folder / "rr.json")
    tuples = {"sex": ("F", "M"), **values}
    AlphaBeta("1/2", "1/4", tuples, distinct=True).publish(frame, ("sex", "job"), SeededSource(1)).write(
        folder / "set.csv", folder / "set.json"
    )
    marked = frame.with_row_index("id")
    marked.write_csv(folder / "marked.csv")
    SpluGen(5).publish(marked, "job", SeededSource(1)).write(folder / "m.csv", folder / "m.json")
    capped = SpluGen(5, draws="capped:10").publish(marked, "job", SeededSource(1))
    capped.write(folder / "mc.csv", folder / "mc.json")
    RetentionReplacement("1/2", values).publish(marked, "job", SeededSource(1)).write(
        folder / "mr.csv", folder / "mr.json"
    )
    return folder


@pytest.mark.parametrize("name", ["homogeneity", "averaging", "known-others"])
def test_the_original_is_prepared_as_the_manifest_says(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{number},{('a', 'b', '')[number % 3]},{number % 2}" for number in range(120)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["id,job,sex", *rows, ""]))
    made = ["publish", table, "-o", tmp_path / "p.csv", "--manifest", tmp_path / "m.json", "--gamma", "2",
            "--missing", "none", "--cross", "both=job,sex", "--sensitive", "both", "--drop", "id",
            "--seed", "1"]  # fmt: skip
    assert main(list(map(str, made))) == 0
    found = _json(capsys, "attack", name, table, "--manifest", tmp_path / "m.json", "--seed", 1)
    assert found["agrees"] in (True, None)


@pytest.mark.parametrize("words", [["presence", "--value", "none"], ["homogeneity"]])
def test_missing_cells_of_an_attacked_release_are_a_value_as_the_manifest_says(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{number},{('a', 'b', '')[number % 3]}" for number in range(120)]
    table, release, manifest = (tmp_path / name for name in ("t.csv", "p.csv", "m.json"))
    table.write_text("\n".join(["id,job", *rows, ""]))
    made = ["publish", table, "-o", release, "--manifest", manifest, "--gamma", "2", "--missing", "none",
            "--sensitive", "job", "--keep", "id", "--seed", "1"]  # fmt: skip
    assert main(list(map(str, made))) == 0
    name, *more = words
    files = (table, "--release", release, "--manifest", manifest)
    found = _json(capsys, "attack", name, *files, *more)
    if words == ["homogeneity"]:
        assert (found["predicted"]["fraction"], found["baseline"]["fraction"]) == ("1/2", "1/3")
        assert (found["attacked"], found["agrees"]) == (120, True)
    else:
        assert found["success"]["fraction"] == "1/1"


def _json(capsys: pytest.CaptureFixture[str], *words: object, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _attack(capsys: pytest.CaptureFixture[str], folder: Path, name: str, *words: object) -> dict[str, Any]:
    manifest = ("--manifest", folder / "splu.json")
    return _json(capsys, "attack", name, folder / "table.csv", *manifest, "--seed", 1, *words)


def test_an_attack_states_prediction_measurement_and_what_would_be_detected(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _attack(capsys, folder, "homogeneity")
    assert list(found) == [
        "attack", "mechanism", "success", "interval", "runs", "predicted", "baseline", "believed", "attacked",
        "largest", "e_value", "noticed", "agrees", "says",
    ]  # fmt: skip
    assert found["interval"] is found["runs"] is None  # what is predicted needs none
    assert (found["attack"], found["mechanism"]) == ("homogeneity", "SPLU-Gen")
    assert found["predicted"]["fraction"] == "1/5"
    assert found["baseline"]["fraction"] == "1/5"
    assert found["agrees"] is True
    assert 0 < float(found["noticed"]) < 0.1
    assert _attack(capsys, folder, "homogeneity") == found
    assert (
        main(["attack", "homogeneity", str(folder / "table.csv"), "--manifest", str(folder / "splu.json")])
        == 0
    )
    shown = " ".join(capsys.readouterr().out.split())
    assert "no contradiction; a difference of" in shown
    assert "without release 0.2" in shown


def test_options_change_what_they_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = [_attack(capsys, folder, "elimination", "--known", known)["largest"] for known in (0, 1, 4)]
    assert left[0]["fraction"] == "1/5"
    assert float(left[0]["decimal"]) < float(left[1]["decimal"]) < float(left[2]["decimal"])
    one, three = (_attack(capsys, folder, "averaging", "--releases", times) for times in (1, 3))
    assert one["predicted"]["fraction"] == "1/5"
    assert float(three["predicted"]["decimal"]) > 0.2
    assert _attack(capsys, folder, "averaging")["says"] == three["says"]
    rare, often = (_attack(capsys, folder, "shared-value", "--value", value) for value in ("job 5", "job 0"))
    assert _attack(capsys, folder, "shared-value") == rare  # the rarest
    assert rare["predicted"] != often["predicted"]
    assert rare["agrees"] is True
    assert rare["noticed"] is None
    assert (
        main(["attack", "presence", str(folder / "table.csv"), "--manifest", str(folder / "splu.json")]) == 0
    )
    assert "no gamma does" in " ".join(capsys.readouterr().out.split())
    presence = _attack(capsys, folder, "presence", "--value", "job 5", "--releases", 40)
    assert presence["success"]["fraction"] == "1/1"
    known = _attack(capsys, folder, "corruption", "--known", 4)
    assert known["predicted"] is None
    assert known["e_value"] is None
    # what nothing predicts is measured on several publications, with an interval and a baseline
    least, greatest = (float(end["decimal"]) for end in known["interval"])
    assert known["runs"] == 6
    assert 0.16 < least < float(known["success"]["decimal"]) < greatest < 0.2
    assert Fraction(known["baseline"]["fraction"]) == Fraction(3 * 20**2 + 18**2 + 17**2 + 5**2, 100**2)


def test_the_manifest_says_which_mechanism_is_attacked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("attack", "homogeneity", folder / "table.csv", "--seed", 1)
    found = _json(capsys, *words, "--manifest", folder / "rr.json")
    assert found["mechanism"] == "retention replacement"
    # who shows a value has it most probably, p + (1-p)/7; who shows the value that nobody has, a frequent one
    assert Fraction(found["predicted"]["fraction"]) == Fraction(4, 7) + Fraction(1, 5) * Fraction(1, 14)


def test_a_contradiction_has_exit_code_1(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    true = RetentionReplacement.channel
    monkeypatch.setattr(
        RetentionReplacement, "channel",
        lambda _, counts, secret: true(RetentionReplacement("1/9", {"job": ("a", "b")}), counts, secret),
    )  # fmt: skip
    words = ("attack", "homogeneity", folder / "table.csv", "--manifest", folder / "rr.json")
    found = _json(capsys, *words, "--seed", 1, code=1)
    assert found["agrees"] is False
    assert main([*map(str, words)]) == 1
    assert "contradicts the prediction" in capsys.readouterr().out


def test_a_release_is_attacked_with_the_original_and_without(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = ("--manifest", folder / "m.json", "--release", folder / "m.csv")
    judged = _json(capsys, "attack", "homogeneity", folder / "marked.csv", *there)
    assert (judged["attacked"], judged["predicted"]["fraction"], judged["believed"]) == (ROWS, "1/5", None)
    assert judged["agrees"] is True
    assert abs(Fraction(judged["success"]["fraction"]) - Fraction(1, 5)) < Fraction(judged["noticed"])
    assert judged["says"].endswith(
        f"among {ROWS} rows that are linked to the original by their other columns"
    )
    drawn = ("--manifest", folder / "mc.json", "--release", folder / "mc.csv")
    retained = _json(capsys, "attack", "homogeneity", folder / "marked.csv", *drawn)
    assert retained["agrees"] is True
    assert float(retained["noticed"]) > 1.5 * float(judged["noticed"])  # the members of a group are one draw
    alone = _json(capsys, "attack", "homogeneity", *there)
    assert (alone["success"], alone["believed"]["fraction"]) == (None, "1/5")
    assert main(["attack", "homogeneity", *map(str, there)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "success 0.2 as the attacker believes" in shown
    assert "not tested: nothing was measured" in shown
    shows = _json(capsys, "attack", "presence", *there, "--value", "job 5")
    assert "some record has it" in shows["says"]
    replaced = ("--manifest", folder / "mr.json", "--release", folder / "mr.csv")
    left = _json(capsys, "attack", "elimination", folder / "marked.csv", *replaced, "--known", 2)
    assert (left["attacked"], left["agrees"]) == (ROWS, True)
    # the original in place of the release, with the manifest of a schema that shows no digest
    reported = json.loads((folder / "mr.json").read_text())
    reported["schema"] = "splu-ref/manifest/1"
    (folder / "odd.json").write_text(json.dumps(reported))
    odd = ("--manifest", folder / "odd.json", "--release", folder / "marked.csv")
    assert _json(capsys, "attack", "homogeneity", folder / "marked.csv", *odd, code=1)["agrees"] is False


def test_what_counts_show_who_knows_all_other_records(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reported = {
        law: _attack(capsys, folder, "known-others", "--value", "job 0", "--draws", law)
        for law in ("independent", "capped:40", "capped:10", "all-or-none:120")
    }
    right = [float(each["predicted"]["decimal"]) for each in reported.values()]
    assert right == sorted(right)
    assert right[0] < 0.511 < right[1] < right[2] < 0.58
    assert right[3] == 1
    assert reported["capped:10"]["mechanism"] == "SPLU-Gen, capped:10"
    assert reported["capped:10"]["success"] is reported["capped:10"]["agrees"] is None
    assert _attack(capsys, folder, "known-others", "--value", "job 0") == reported["independent"]
    words = ("--value", "job 0", "--draws", "capped:10", "--releases", 30)
    assert float(_attack(capsys, folder, "known-others", *words)["predicted"]["decimal"]) > 0.8
    shown = _attack(capsys, folder, "homogeneity", "--draws", "capped:10")
    assert (shown["predicted"]["fraction"], shown["agrees"]) == ("1/5", True)
    # five members of a group are one draw: the spread is five times as large
    alone = _attack(capsys, folder, "homogeneity", "--draws", "independent")
    assert 4.5 < (float(shown["noticed"]) / float(alone["noticed"])) ** 2 < 5.5
    known = _attack(capsys, folder, "corruption", "--draws", "all-or-none:120", "--known", 3)
    assert (known["largest"]["fraction"], known["predicted"]) == ("1/2", None)


def test_duplicates_under_both_readings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("attack", "duplicate", folder / "table.csv", "--manifest", folder / "set.json")
    for reading, predicted in (("set", "0/1"), ("bag", "3/16")):
        found = _json(capsys, *words, "--reading", reading, "--seed", 1)
        assert (found["predicted"]["fraction"], found["attacked"]) == (predicted, 12)
    assert _json(capsys, *words, "--seed", 1)["says"].startswith("fakes are drawn from tuples that are not")
    assert _json(capsys, *words, "--release", folder / "set.csv")["success"]["fraction"] == "0/1"
    alone = _json(capsys, *words[:2], *words[3:], "--release", folder / "set.csv")
    assert alone["says"] == "no tuple occurs twice: the attack exposes none"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["attack", "homogeneity", "--manifest", "m.json"], "name the original table, or a release"),
        (["attack", "averaging", "--manifest", "m.json", "--release", "m.csv"],
         "--release does not apply to averaging"),
        (["attack", "presence", "--manifest", "m.json", "--release", "m.csv", "--releases", "2"],
         "--releases, --draws and --seed are for publishing"),
        (["attack", "presence", "--manifest", "m.json", "--release", "m.csv"], "presence"),
        (["attack", "elimination", "--manifest", "m.json", "--release", "m.csv"], "this attack needs"),
        (["attack", "homogeneity", "--manifest", "m.json", "--release", "mr.csv"], "mr.csv: the table"),
        (["attack", "homogeneity", "--manifest", "set.json", "--release", "set.csv", "--column", "sex"],
         "has no value for a record:"),
        (["attack", "homogeneity", "table.csv", "--manifest", "set.json"],
         "set.json: alpha-beta publishes no values of single records"),
        (["attack", "duplicate", "table.csv", "--manifest", "m.json"], "the attack is on sets of tuples"),
        (["attack", "duplicate", "table.csv", "--manifest", "set.json", "--reading", "heap"], "set or bag"),
        (["attack", "duplicate", "table.csv", "--manifest", "set.json", "--column", "sex"],
         "--column does not apply to duplicate:"),
        (["attack", "homogeneity", "table.csv", "--manifest", "m.json", "--reading", "set"],
         "--reading does not apply to homogeneity"),
        (["attack", "guess", "table.csv", "--manifest", "splu.json"], "'guess' is unknown: choose one of"),
        (["attack", "homogeneity", "table.csv", "--manifest", "splu.json", "--known", "1"],
         "--known does not apply to homogeneity: leave it out"),
        (["attack", "elimination", "table.csv", "--manifest", "splu.json", "--releases", "2"],
         "--releases does not apply to elimination"),
        (["attack", "averaging", "table.csv", "--manifest", "splu.json", "--value", "x"],
         "--value does not apply to averaging"),
        (["attack", "averaging", "table.csv", "--manifest", "splu.json", "--releases", "0"], "--releases"),
        (["attack", "homogeneity", "table.csv", "--manifest", "rr.json", "--draws", "capped:3"],
         "this is a release by retention replacement"),
        (["attack", "homogeneity", "table.csv", "--manifest", "splu.json", "--draws", "capped"],
         "--draws 'capped' is not known"),
        (["attack", "presence", "table.csv", "--manifest", "splu.json", "--draws", "capped:3"],
         "under draws capped:3 the probability that a value of 120 records is published depends on the plan"),
        (["attack", "known-others", "table.csv", "--manifest", "splu.json", "--known", "1"],
         "--known does not apply to known-others"),
        (["attack", "presence", "table.csv", "--manifest", "splu.json", "--value", "x"],
         "column 'job' has no value 'x': check its spelling"),
        (["attack", "homogeneity", "table.csv", "--manifest", "two.json"],
         "the release has the sensitive columns job, sex: name one, --column"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    assert main(words) == 2
    refused = capsys.readouterr()
    assert refused.out == ""
    assert message in refused.err
