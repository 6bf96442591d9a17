"""``compare``: mechanisms side by side, what is printed, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from experiments.comparison import ATTACKS, GUARANTEES
from tests.programs import main

ROWS = 2400
"""Records of the table that is compared, in six values."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table, and another one with too few records."""
    folder = tmp_path_factory.mktemp("compared")
    shares = (20, 20, 20, 18, 17, 5)
    jobs = [f"job {code}" for code, share in enumerate(shares) for _ in range(ROWS * share // 100)]
    frame = pl.DataFrame({"sex": ["F", "M"] * (ROWS // 2), "job": jobs})
    frame.write_csv(folder / "table.csv")
    frame.head(1999).write_csv(folder / "few.csv")
    frame.with_columns(job=frame["job"].replace("job 5", None)).write_csv(folder / "gaps.csv")
    parts = (40, 12, 12, 12, 12, 12)
    common = [f"job {code}" for code, share in enumerate(parts) for _ in range(ROWS * share // 100)]
    frame.with_columns(job=pl.Series(common)).write_csv(folder / "common.csv")
    return folder


def _json(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_mechanisms_are_compared_in_two_tables(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("compare", folder / "table.csv", "--column", "job", "--seed", 1)
    done = _json(capsys, *words, "--report", tmp_path / "report")
    assert (done["rows"], done["column"]) == (ROWS, "job")
    assert done == json.loads((tmp_path / "report" / "comparison.json").read_text())
    attacks = {row["mechanism"]: row for row in done["attacks"]}
    guarantees = {row["mechanism"]: row for row in done["guarantees"]}
    assert list(attacks) == list(guarantees) == [
        "SPLU-Gen, 1/5", "SPLU-Gen, 2/5", "capped:10", "all-or-none:10", "retention, 1/5", "retention, 2/5",
        "swapping, 1/5", "swapping, 2/5", "Anatomy", "DBR", "Laplace, ln 2", "alpha-beta, 1/5",
        "alpha-beta, 2/5",
    ]  # fmt: skip
    assert all(set(row) == {"mechanism", *ATTACKS} for row in attacks.values())
    assert all(set(row) == {"mechanism", *GUARANTEES} for row in guarantees.values())

    def fraction(row: dict[str, Any], name: str) -> Fraction:
        return Fraction(row[name]["value"]["fraction"])

    for kept in ("1/5", "2/5"):
        assert fraction(attacks[f"SPLU-Gen, {kept}"], "homogeneity") == Fraction(kept)
        assert fraction(guarantees[f"SPLU-Gen, {kept}"], "own kept") == Fraction(kept)
        assert fraction(guarantees[f"retention, {kept}"], "own kept") == Fraction(kept)
    assert fraction(guarantees["retention, 2/5"], "e^epsilon") == Fraction(2, 5) / (Fraction(3, 5) / 5)
    assert fraction(attacks["Anatomy"], "corruption") == 1
    assert attacks["capped:10"]["corruption"]["reason"].startswith("with the group known too, the true")
    assert fraction(attacks["all-or-none:10"], "presence") == Fraction(1, 5)
    gained, price = (
        [Fraction(guarantees[name][column]["value"]["decimal"]) for name in ("capped:10", "SPLU-Gen, 1/5")]
        for column in ("error 1000", "decided")
    )
    assert gained[0] < gained[1] / 1000
    assert price[0] > price[1] + Fraction(1, 20)
    assert fraction(guarantees["all-or-none:10"], "error 10") == 1 - Fraction(45 * 4**8, 5**10)
    assert fraction(guarantees["all-or-none:10"], "error 1000") == 0
    assert guarantees["swapping, 1/5"]["decided"]["value"]["decimal"] == "1"
    assert guarantees["Laplace, ln 2"]["decided"]["value"]["decimal"].startswith("0.66666")  # 1/(1 + r)
    assert attacks["Anatomy"]["elimination"]["kind"] == "exact"
    assert abs(fraction(guarantees["swapping, 2/5"], "own kept") - Fraction(2, 5)) < Fraction(1, 10**6)
    assert attacks["swapping, 2/5"]["corruption"]["reason"].startswith(
        "this attack needs independent records"
    )
    assert guarantees["DBR"]["bits"]["value"]["decimal"] == "0"
    assert done["runs"] == 6
    measured = {
        (name, row["mechanism"]): row[name]
        for row in attacks.values()
        for name in ATTACKS
        if row[name]["kind"] == "measured"
    }
    assert {name for name, _ in measured} == {"corruption", "learning"}
    assert {whose for name, whose in measured if name == "corruption"} == {"SPLU-Gen, 1/5", "SPLU-Gen, 2/5"}
    for cell in measured.values():
        least, middle, greatest, without = (
            float(number["decimal"]) for number in (cell["interval"][0], cell["value"], cell["interval"][1],
                                                    cell["baseline"])
        )  # fmt: skip
        assert 0 < least <= middle <= greatest < 1
        assert 0.17 < without <= 0.2
    exact = [row[name] for row in attacks.values() for name in ATTACKS if row[name]["kind"] == "exact"]
    assert not any("interval" in cell or "baseline" in cell for cell in exact)
    assert attacks["retention, 1/5"]["presence"]["value"]["fraction"] == "0/1"
    assert attacks["Laplace, ln 2"]["pair"] == {
        "value": None, "kind": "none", "reason": "counts are published, and nothing of single records",
    }  # fmt: skip
    assert attacks["alpha-beta, 1/5"]["pair"]["reason"] == (
        "the 12 tuples of the table are too many to hide among the 12 of its columns' domain"
    )
    assert guarantees["Laplace, ln 2"]["error 10"]["value"]["decimal"].startswith("0.16666")  # 2 r^3/(1 + r)
    assert guarantees["Anatomy"]["error 1000"]["value"]["fraction"] == "0/1"
    assert done["learning"]["attack"] == "foreground"
    assert (done["learning"]["runs"], done["learning"]["baseline"]["fraction"]) == (6, "1/5")
    unlearned = {whose for whose in attacks if ("learning", whose) not in measured}
    assert unlearned == {"Laplace, ln 2", "alpha-beta, 1/5", "alpha-beta, 2/5"}
    # Sex teaches nothing here, so that who learns knows no more than the counts.
    assert 0.15 < float(attacks["DBR"]["learning"]["value"]["decimal"]) < 0.25
    assert float(attacks["SPLU-Gen, 2/5"]["learning"]["value"]["decimal"]) == pytest.approx(0.4, abs=0.05)
    assert main([*map(str, words), "--attack-runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "without a release: 0.2 by the most frequent value" in shown
    # one publication has no interval, and says so
    assert "from, to: none, since 1 publication cannot have an interval: give --attack-runs 6" in shown
    rows = [line.split() for line in shown.split("What was measured")[1].splitlines()]
    assert sum(row[-3:-1] == ["–", "–"] for row in rows) == len(measured)
    assert max(map(len, shown.split("What is guaranteed")[0].splitlines()[:9])) <= 80
    assert all(name in shown for name in (*ATTACKS, *GUARANTEES))
    page = (tmp_path / "report" / "index.html").read_text()
    assert page.count("<td>") == 13 * (len(ATTACKS) + len(GUARANTEES))
    assert page.count("<small>without: 0.1") == page.count("<small>without: 0.") - 10 == 2
    assert "the median of 6 publications of the table" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", "table.csv"], "a table needs its sensitive --column"),
        (["compare", "--learning", "tree"], "--learning tree: choose one of foreground, de-finetti"),
        (["compare", "--attack-runs", "0"], "--attack-runs"),
        (["compare", "table.csv", "--column", "job", "--attack-runs", "101"], "101 releases: give at most"),
        (["compare", "--column", "job"], "a table needs its sensitive --column"),
        (["compare", "table.csv", "--column", "sex"], "column 'sex' has 2 values, which keep more than 1/5"),
        (["compare", "table.csv", "--column", "job", "--gamma", "6"], "the largest feasible gamma is 5"),
        (
            ["compare", "table.csv", "--column", "job", "--gamma", "1"],
            "gamma must be a whole number of at least",
        ),
        (["compare", "gaps.csv", "--column", "job"], "say --missing '?' to publish it as a value"),
        (["compare", "--missing", "?"], "the embedded table has no missing cells: leave out --missing"),
        (["compare", "few.csv", "--column", "job"], "few.csv: 1999 records: give a table of 2000 or more"),
        (["compare", "table.csv", "--column", "job", "--report", "table.csv"], "table.csv"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    assert main(words) == 2
    refused = capsys.readouterr()
    assert refused.out == ""
    assert message in refused.err


def test_a_table_of_one_column_teaches_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    alone = tmp_path / "alone.csv"
    pl.read_csv(folder / "table.csv").select("job").write_csv(alone)
    done = _json(capsys, "compare", alone, "--column", "job", "--seed", 1)
    assert done["learning"] is None
    calls = {row["mechanism"]: row["learning"]["reason"] for row in done["attacks"]}
    assert "there is nothing to learn from" in calls["Anatomy"]


def test_a_table_with_a_common_value_is_compared_in_smaller_groups(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = ("compare", folder / "common.csv", "--column", "job", "--seed", 1, "--attack-runs", 1)
    assert main(list(map(str, table))) == 2
    assert "the largest feasible gamma is 2" in capsys.readouterr().err
    done = _json(capsys, *table, "--gamma", 2)
    assert done["gamma"] == 2
    attacks = {row["mechanism"]: row for row in done["attacks"]}
    for kept in ("1/2", "3/4"):
        assert attacks[f"SPLU-Gen, {kept}"]["homogeneity"]["value"]["fraction"] == kept
        assert {f"retention, {kept}", f"swapping, {kept}"} < set(attacks)
    # One other record is known, and one other value is excluded.
    assert attacks["Anatomy"]["corruption"]["value"]["fraction"] == "1/1"
    assert Fraction(attacks["SPLU-Gen, 1/2"]["elimination"]["value"]["fraction"]) < 1
    assert main([*map(str, table), "--gamma", "2"]) == 0
    assert "2400 records, column job, γ = 2" in capsys.readouterr().out


def test_missing_cells_are_a_value_only_if_the_user_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = ("--column", "job", "--seed", 1, "--attack-runs", 1)
    marked, whole = (
        _json(capsys, "compare", folder / name, *table, *words)
        for name, words in (("gaps.csv", ("--missing", "job 5")), ("table.csv", ()))
    )
    assert marked == whole


def test_no_count_is_estimated_where_every_value_is_drawn_anew(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = _json(
        capsys,
        "compare",
        folder / "table.csv",
        "--column",
        "sex",
        "--gamma",
        2,
        "--seed",
        1,
        "--attack-runs",
        1,
    )
    guarantees = {row["mechanism"]: row for row in done["guarantees"]}
    for name in ("error 10", "error 1000"):
        calls = guarantees["retention, 1/2"][name]
        assert (calls["value"], calls["kind"]) == (None, "none")
        assert "no count can be estimated" in calls["reason"]
    errors = [row[name]["value"] for row in guarantees.values() for name in ("error 10", "error 1000")]
    assert all(float(value["decimal"]) <= 1 for value in errors if value is not None)
