from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.cli import main
from splu_ref.data import Microdata, embedded_table, read_table, write_table
from splu_ref.mechanisms import AlphaBeta, DistributionBased, SpluGen, Swapping
from splu_ref.randomness import Key, SeededSource
from tests.rounding import near


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the embedded table, a release with its manifest, and a second release."""
    path = tmp_path_factory.mktemp("releases")
    write_table(embedded_table(), path / "adult.csv")
    for name, seed in (("published", "1"), ("fresh", "2")):
        words = [
            "publish",
            str(path / "adult.csv"),
            "-o",
            str(path / f"{name}.csv"),
            "--sensitive",
            "occupation",
        ]
        words += ["--gamma", "5", "--seed", seed, "--manifest", str(path / f"{name}.json")]
        assert main(words) == 0
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["audit-release", *map(str, arguments), "--json"]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    result: dict[str, Any] = json.loads(captured.out)
    return result


def _by_name(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in result["checks"]}


def test_an_honest_release(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(
        capsys, folder / "published.csv", "--manifest", folder / "published.json",
        "--original", folder / "adult.csv", code=0,
    )  # fmt: skip
    assert (result["verdict"], result["gamma"], result["retention"]) == ("consistent", 5, "1/5")
    assert (result["plan"], result["level"], result["rows"]) == ("mixed", "1/1000000000", 30715)
    assert 17_390 <= result["linked"] <= 17_396
    checks = _by_name(result)
    assert set(checks) == {
        "content digest", "schema", "rows", "manifest.rows", "manifest.domain", "records", "feasible",
        "values", "counts", "exactness", "retention", "independence", "unlinked", "decoys", "places",
        "predicates", "shuffle",
    }  # fmt: skip
    assert checks["schema"]["e_value"] is None
    retention = checks["retention"]
    assert retention["level"] == "1/9000000000"
    assert "rows to find p = 11/50" in retention["power"]
    assert float(retention["e_value"]) == near(10 ** retention["log10_e"], rel=1e-4)
    assert float(retention["e_value"]) <= 10 ** retention["log10_e"]
    assert result["not_checked"] == [
        {
            "name": name,
            "column": "occupation",
            "reason": "its plan is random: only what every plan satisfies is checked",
        }
        for name in ("plan", "possible")
    ]
    (reported,) = result["detectable"]
    assert reported["column"] == "occupation"
    for undetected in ("another gamma with the same retention", "dependent draws claimed as independent"):
        assert undetected in reported["not_detected"]
    low, high = Fraction(reported["retention_at_most"]), Fraction(reported["retention_at_least"])
    assert Fraction(1, 6) <= low < Fraction(1, 5) < high <= Fraction(1, 4)
    assert 200 < reported["altered_to_own"] < 2_000 < reported["altered_to_others"]
    assert (reported["exact_counts"], reported["unlinked_detected"], reported["open"]) == (0, True, [])
    assert len(result["not_shown"]) == 5
    assert result["second"] is None


def test_a_wrong_claim(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = [
        "--sensitive",
        "occupation",
        "--gamma",
        5,
        "--retention",
        "1/4",
        "--original",
        folder / "adult.csv",
    ]
    result = _json(capsys, folder / "published.csv", *claim, code=1)
    assert result["verdict"] == "inconsistent"
    failed = [name for name, check in _by_name(result).items() if not check["passed"]]
    assert failed == ["retention", "independence"]
    assert main(["audit-release", str(folder / "published.csv"), *map(str, claim)]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "independence; independence is tested at the claimed rate, so a wrong rate alone" in printed
    assert "may be another file" not in printed  # no digest was compared


@pytest.mark.parametrize("edited", ["age", "occupation"])
def test_a_wrong_original_of_a_right_release(
    edited: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The content is the manifest's: the verdict says that the original may be the wrong file."""
    frame = read_table(folder / "adult.csv").to_frame()
    cells = frame[edited].to_list()
    if edited == "age":
        cells[41] = "199"
    else:
        cells.sort()
    write_table(Microdata.from_frame(frame.with_columns(pl.Series(edited, cells))), tmp_path / "o.csv")
    words = [
        folder / "published.csv",
        "--manifest",
        folder / "published.json",
        "--original",
        tmp_path / "o.csv",
    ]
    assert main(["audit-release", *map(str, words)]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "--original may be another file, or edited" in printed
    if edited == "age":
        assert "plan, possible (for the reasons add --explain)" in printed
        check = _by_name(_json(capsys, *words, code=1))["records"]
        detail, places = check["detail"], check["places"]
        ages = read_table(folder / "published.csv").to_frame()["age"].to_list()
        row = detail.split("is left for (number ")[1].split(")")[0]
        assert detail.startswith("1 row with cells that no record is left for (number ")
        assert ages[int(row) - 1] == frame["age"][41]
        assert places["rows"] == [int(row)]
        assert 42 in places["records"]
        assert " without a row (number " in detail
        assert "42" in detail.split(" without a row (number ")[1]


def test_a_bound_of_a_probability_is_not_rounded_to_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(folder / "published.csv"), "--sensitive", "occupation", "--gamma", "5"]
    assert main(["audit-release", *words, "--level", "1e-400"]) == 3
    assert "false alarm probability at most 1e-400 for" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("original", [True, False], ids=["original", "alone"])
def test_changed_cells_are_inconsistent_with_the_manifest(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], original: bool
) -> None:
    """Two records exchange their values: no count changes, and no other check could detect it."""
    frame = read_table(folder / "published.csv").to_frame()
    jobs = frame["occupation"].to_list()
    other = next(place for place, job in enumerate(jobs) if job != jobs[0])
    jobs[0], jobs[other] = jobs[other], jobs[0]
    write_table(Microdata.from_frame(frame.with_columns(pl.Series("occupation", jobs))), tmp_path / "c.csv")
    words = [tmp_path / "c.csv", "--manifest", folder / "published.json"]
    words += ["--original", folder / "adult.csv"] if original else []
    result = _json(capsys, *words, code=1)
    failed = [name for name, check in _by_name(result).items() if not check["passed"]]
    assert (result["verdict"], failed) == ("inconsistent", ["content digest"])
    assert main(["audit-release", *map(str, words)]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith(
        "verdict inconsistent: failed: content digest; the manifest may be of another release of this table"
    )


def test_two_tables_in_each_others_place_are_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("sex,job\n" + "".join(f"{n % 2},{'abcde'[n % 5]}\n" for n in range(40)))
    for name in ("p", "fresh"):
        made = f"publish t.csv -o {name}.csv --manifest {name}.json --sensitive job --gamma 4"
        assert main(made.split()) == 0
    for one, other in (
        ("t.csv", "p.csv"),
        ("p.csv", "p.csv"),  # as if the original itself had been published
        ("t.csv", "fresh.csv"),
    ):
        swapped = (one, other) == ("t.csv", "p.csv")
        capsys.readouterr()
        words = ["audit-release", one, "--manifest", "p.json", "--original", other]
        assert (main(words) == 2) == swapped
        error = capsys.readouterr().err
        assert error.startswith("splu-ref: p.csv: this is the published table of") == swapped
        assert ("the other file is not: the two are swapped; give the" in error) == swapped


def test_failed_checks_name_the_first_value_or_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [(n, "abcd"[n * n % 4 if n % 3 else n % 4]) for n in range(800)]

    def write(path: Path, pairs: list[tuple[int, str]]) -> None:
        path.write_text("id,job\n" + "".join(f"{n},{job}\n" for n, job in pairs))

    original, changed = tmp_path / "o.csv", tmp_path / "c.csv"
    write(original, rows)
    audited = [
        "audit-release",
        str(changed),
        "--original",
        str(original),
        "--sensitive",
        "job",
        "--gamma",
        "2",
    ]
    write(changed, [(n, "x" if n == 4 else job) for n, job in rows])
    assert main([*audited, "--explain"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "FAILED: 1 row holds a value that the original does not have (number 5)" in text
    assert main([*audited, "--json"]) == 1
    assert _by_name(json.loads(capsys.readouterr().out))["values"]["places"]["rows"] == [5]
    write(changed, [(n, "b" if job == "c" else job) for n, job in rows])
    assert main([*audited, "--explain"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "the most for 'c', published 0 times with" in text
    assert "published as 'b'" in text
    write(original, [(n, "" if n == 6 else job) for n, job in rows])
    assert main(audited) == 2
    assert (
        "row 7 (the cell is empty): give --missing with the text that the publisher"
        in capsys.readouterr().err
    )


def test_a_second_release(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = ["--manifest", folder / "published.json", "--epsilon", "0.5", "--alpha", "3"]
    result = _json(capsys, folder / "published.csv", *claim, "--second", folder / "fresh.csv", code=1)
    assert [name for name, check in _by_name(result).items() if not check["passed"]] == ["second"]
    second = result["second"]
    assert (second["draws"], second["t_p"]["releases"]) == ("fresh", 2)
    assert (second["t_p"]["epsilon"], second["t_p"]["alpha"]) == ("1/2", 3)
    assert float(second["t_p"]["averaged"]["decimal"]) < float(second["t_p"]["once"]["decimal"])
    assert second["log10_against_independence"] < 1
    same = _json(capsys, folder / "published.csv", *claim, "--second", folder / "published.csv", code=3)
    assert (same["second"]["draws"], same["second"]["t_p"]) == ("same", None)


@pytest.mark.parametrize(("draws", "code"), [("shared", 1), ("unlinked", 3)])
def test_no_t_p_of_releases_that_share_draws_or_cannot_be_linked(
    draws: str, code: int, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = read_table(folder / "published.csv").to_frame()
    if draws == "unlinked":
        other = other.with_columns(age=pl.lit("1999"))
    else:
        fresh = pl.int_range(pl.len()) < 9_000  # a third of the rows
        other = other.with_columns(occupation=pl.when(fresh).then(pl.lit("Sales")).otherwise("occupation"))
    write_table(Microdata.from_frame(other), tmp_path / "other.csv")
    words = [folder / "published.csv", "--manifest", folder / "published.json"]
    words += ["--original", folder / "adult.csv", "--second", tmp_path / "other.csv"]
    result = _json(capsys, *words, code=code)
    assert (result["second"]["draws"], result["second"]["t_p"]) == (draws, None)
    assert ("second" in _by_name(result)) == (draws == "shared")
    assert ("second" in {each["name"] for each in result["not_checked"]}) == (draws == "unlinked")
    assert main(["audit-release", *map(str, words)]) == code
    first = " ".join(capsys.readouterr().out.split())
    assert ("inconclusive: no row of the second release can be linked" in first) == (draws == "unlinked")


def test_what_an_honest_release_never_shows(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = read_table(folder / "published.csv").to_frame()
    rare = frame.with_columns(
        occupation=pl.when(pl.int_range(pl.len()) < 3000).then(pl.lit("Armed-Forces")).otherwise("occupation")
    )
    write_table(Microdata.from_frame(rare), tmp_path / "rare.csv")
    result = _json(
        capsys, tmp_path / "rare.csv", "--sensitive", "occupation", "--gamma", 5,
        "--original", folder / "adult.csv", code=1,
    )  # fmt: skip
    counts = _by_name(result)["counts"]
    assert (counts["e_value"], counts["log10_e"], counts["passed"]) == ("inf", None, False)


def test_people_read_what_was_checked_and_what_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    published = str(folder / "published.csv")
    assert main(["audit-release", published, "--sensitive", "occupation", "--gamma", "6", "--explain"]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "inconsistent: failed: rows" in text
    assert "FAILED: 30715 rows, 1 beyond a multiple of 6" in text
    assert "unlinked, decoys, plan, possible, places: this needs the original" in text
    assert "not tested deviations smaller than" in text
    words = ["audit-release", published, "--manifest", str(folder / "published.json")]
    words += ["--original", str(folder / "adult.csv"), "--second", str(folder / "fresh.csv"), "--explain"]
    assert main(words) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "rows certainly belong to one record of the original" in text
    assert "the mean of 2 published counts is off by 3/10 or more with probability at least 0.1457" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--gamma", "5"], "give --gamma and --sensitive, or the release's --manifest"),
        (["--sensitive", "occupation"], "give --gamma and --sensitive"),
        (["--sensitive", "job", "--gamma", "5"], "no column 'job'"),
        (["--sensitive", "occupation", "--gamma", "1"], "gamma must be"),
        (["--sensitive", "occupation", "--gamma", "5", "--retention", "1"], "a retention of 1"),
        (["--sensitive", "occupation", "--gamma", "5", "--plan", "greedy"], "plan 'greedy' is unknown"),
        (["--sensitive", "occupation", "--gamma", "5", "--level", "0"], "level must be"),
        (["--sensitive", "occupation", "--gamma", "5", "--missing", "?"], "--missing is about the original"),
        (["--manifest", "published.json", "--gamma", "6"], "--gamma 6 contradicts the manifest, which has "),
        (
            ["--manifest", "published.json", "--retention", "1/3"],
            "--retention 1/3 contradicts the manifest, which has ",
        ),
        (
            ["--manifest", "published.json", "--plan", "cyclic"],
            "--plan cyclic contradicts the manifest, which has ",
        ),
        (
            ["--manifest", "published.json", "--draws", "capped:5"],
            "--draws capped:5 contradicts the manifest, which has ",
        ),
        (["--sensitive", "occupation", "--gamma", "5", "--draws", "some"], "--draws 'some' is not known"),
        (
            ["--manifest", "published.json", "--sensitive", "race"],
            "--sensitive race contradicts the manifest, which has ",
        ),
        (["--manifest", "absent.json"], "there is no such file"),
        (["--manifest", "published.json", "--original", "absent.csv"], "absent.csv cannot be read"),
        (["--manifest", "published.json", "--second", "absent.csv"], "absent.csv cannot be read"),
    ],
)
def test_unusable_options_are_one_line(
    words: list[str],
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    capsys.readouterr()
    assert main(["audit-release", "published.csv", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("splu-ref: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a keyed release of the embedded table by retention replacement, and its key."""
    path = tmp_path_factory.mktemp("replaced")
    write_table(embedded_table(), path / "adult.csv")
    assert main(["key", str(path / "key")]) == 0
    words = [
        "publish",
        str(path / "adult.csv"),
        "-o",
        str(path / "published.csv"),
        "--mechanism",
        "retention",
    ]
    words += ["--retention", "1/2", "--observed-domain", "--column", "occupation"]
    words += ["--key-file", str(path / "key"), "--manifest", str(path / "m.json")]
    assert main(words) == 0
    return path


def test_a_release_by_retention_replacement(replaced: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (replaced / "published.csv", "--manifest", replaced / "m.json")
    result = _json(capsys, *given, "--original", replaced / "adult.csv", code=0)
    assert (result["mechanism"], result["gamma"], result["plan"]) == ("retention replacement", None, None)
    assert (result["verdict"], result["retention"], result["linked"]) == ("consistent", "1/2", 30_718)
    assert set(_by_name(result)) == {
        "content digest", "schema", "rows", "manifest.rows", "domain", "records", "counts", "retention",
        "independence", "replacement",
    }  # fmt: skip
    reported = result["detectable"][0]
    assert Fraction(reported["retention_at_most"]) < Fraction(1, 2) < Fraction(reported["retention_at_least"])
    assert reported["open"] == []
    again = _json(
        capsys, *given, "--original", replaced / "adult.csv", "--key-file", replaced / "key", code=0
    )
    assert again["recomputed_from"] == "key (keyed randomness)"
    rows = read_table(replaced / "published.csv").to_frame()
    turned = pl.concat([rows[2:3], rows[1:2], rows[0:1], rows[3:]])
    write_table(Microdata.from_frame(turned), replaced / "turned.csv")
    moved = _json(capsys, replaced / "turned.csv", *given[1:], "--original", replaced / "adult.csv", code=1)
    assert _by_name(moved)["records"]["places"] == {"rows": [1, 3], "records": []}
    assert _by_name(moved)["rows"]["places"] == {"rows": [], "records": []}
    blind = _json(capsys, *given, code=3)
    assert (blind["verdict"], blind["detectable"]) == ("inconclusive", [])
    assert main(["audit-release", str(replaced / "adult.csv"), "--manifest", str(replaced / "m.json")]) == 1
    assert "inconsistent: failed: content digest" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--gamma", "5"], "--gamma: retention replacement has no decoy groups"),
        (["--plan", "mixed"], "--plan: retention replacement has no decoy groups"),
        (["--retention", "1/3"], "--retention 1/3 contradicts the manifest, which has "),
        (["--sensitive", "race"], "--sensitive race contradicts the manifest, which has "),
        (["--key-file", "key"], "give the original as well"),
    ],
)
def test_options_that_the_other_mechanism_does_not_know(
    words: list[str],
    message: str,
    replaced: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(replaced)
    capsys.readouterr()
    assert main(["audit-release", "published.csv", "--manifest", "m.json", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_release_without_checks_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    DistributionBased().publish(folder / "adult.csv", "occupation").write(
        tmp_path / "s.csv", manifest=tmp_path / "s.json"
    )
    capsys.readouterr()
    assert main(["audit-release", str(tmp_path / "s.csv"), "--manifest", str(tmp_path / "s.json")]) == 2
    assert capsys.readouterr().err == (
        "splu-ref: releases by DBR are not audited: if this one was made under a key, publish the original "
        "again under it and compare the tables\n"
    )


def test_a_release_of_two_tables_is_refused_alike_and_decided_under_its_key(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{n % 2},{'abcde'[n % 5]}\n" for n in range(60))
    (tmp_path / "t.csv").write_text("sex,job\n" + rows)
    Key(bytes(range(31)) + b"!").write(tmp_path / "k.key")
    made = "publish t.csv --mechanism anatomy --sensitive job --gamma 3 --key-file k.key"
    for name in "pq":
        files = ["-o", f"{name}.csv", "--sensitive-table", f"{name}s.csv", "--manifest", f"{name}.json"]
        assert main([*made.split(), *files]) == 0
    for end in (".csv", "s.csv"):
        assert (tmp_path / f"p{end}").read_bytes() == (tmp_path / f"q{end}").read_bytes()
    capsys.readouterr()
    assert main(["audit-release", "p.csv", "--manifest", "p.json", "--sensitive-table", "ps.csv"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("splu-ref: releases by Anatomy are not audited: if this one was made under a key")
    assert said.count("\n") == 1
    one = ["--sensitive", "occupation", "--gamma", "5", "--sensitive-table", "ps.csv"]
    assert main(["audit-release", str(folder / "adult.csv"), *one]) == 2
    assert "a release by SPLU-Gen is one table: leave it out" in capsys.readouterr().err


def test_an_inconclusive_audit_names_the_replay_that_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("sex,job\n" + "".join(f"{n % 2},{'abcde'[n % 5]}\n" for n in range(40)))
    Key(bytes(range(31)) + b"!").write(tmp_path / "k.key")
    made = "publish t.csv -o p.csv --manifest m.json --sensitive job --gamma 3 --key-file k.key"
    assert main(made.split()) == 0
    capsys.readouterr()
    audit = ["audit-release", "p.csv", "--manifest", "m.json", "--original", "t.csv"]
    assert main(audit) == 3
    first, second = " ".join(capsys.readouterr().out.split()).split(" to decide ")
    assert first.startswith("verdict inconclusive: ")
    assert second.startswith("for every cell, add --transcript, or --key-file if it was made under a key ")
    Path("d.json").write_text('{"job": ["a", "b", "c", "d", "e"]}', encoding="utf-8")
    other = "publish t.csv -o r.csv --manifest r.json --sensitive job --mechanism retention --retention 1/2"
    assert main([*other.split(), "--domain", "d.json"]) == 0
    capsys.readouterr()
    assert main(["audit-release", "r.csv", "--manifest", "r.json", "--original", "t.csv"]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "for every cell, add --key-file if it was made under a key would detect" in printed
    named = Path("m.json").read_text().replace('"sensitive":', '"id": "sex",\n  "sensitive":')
    Path("named.json").write_text(named)
    assert main(["audit-release", "p.csv", "--manifest", "named.json", "--original", "t.csv"]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "for every cell, add --transcript, or --key-file would detect" in printed
    assert main([*audit, "--key-file", "k.key"]) == 0
    assert "to decide" not in capsys.readouterr().out


@pytest.mark.parametrize("stated", [True, False], ids=["manifest", "options"])
def test_a_release_is_replayed_by_the_ids_that_it_dropped(
    stated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"p{n},{n % 2},{'abcde'[n % 5]}\n" for n in range(40)]
    Path("t.csv").write_text("who,sex,job\n" + "".join(rows), encoding="utf-8")
    Key(bytes(range(31)) + b"!").write(Path("k.key"))
    made = "publish t.csv -o p.csv --manifest m.json --sensitive job --gamma 3 --key-file k.key"
    assert main([*made.split(), "--id", "who", "--drop", "who"]) == 0
    known = "--manifest m.json" if stated else "--sensitive job --gamma 3 --plan mixed --drop who"
    audit = f"audit-release p.csv {known} --original t.csv --key-file k.key".split()
    capsys.readouterr()
    assert main([*audit, "--id", "who"]) == 0
    assert "consistent: replayed from the key (keyed randomness), cell by cell" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(audit) == (0 if stated else 3)  # without the manifest by the other cells
    if stated:
        facts = json.loads(Path("m.json").read_text())
        assert facts.pop("id") == "who"
        Path("m.json").write_text(json.dumps(facts))
        assert main(audit) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "inconclusive: without --id the key does not give it: row " in printed
    assert "to decide if it was made under a key, add the --id that it was published with" in printed
    for words in (audit, [*made.split(), "--drop", "who", "--force"]):
        assert main([*words, "--id", "whom"]) == 2
        assert "'whom': did you mean 'who'? the columns are 'who', 'sex', 'job'" in capsys.readouterr().err
    assert main([*audit, "--id", "who", "--drop", "sex"]) == 2
    assert "--drop sex: the release has this column: leave out --drop sex" in capsys.readouterr().err
    Path("t.csv").write_text("who,sex,job\n" + "".join(rows).replace("p7,", "q7,"), encoding="utf-8")
    assert main([*audit, "--id", "who"]) == 1


def test_what_another_original_or_another_gamma_would_look_like_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, first in (("t.csv", 0), ("other.csv", 600)):
        rows = "".join(f"{n},{'abcdefgh'[n % 8]}\n" for n in range(first, first + 600))
        (tmp_path / name).write_text(f"id,job\n{rows}")
    made = "publish t.csv -o p.csv --manifest m.json --sensitive job --gamma 2 --retention 1/4"
    assert main([*made.split(), "--keep", "id", "--seed", "1"]) == 0
    manifest = (tmp_path / "m.json").read_text()
    (tmp_path / "four.json").write_text(manifest.replace('"gamma": 2', '"gamma": 4'))

    def audited(*options: str) -> str:
        capsys.readouterr()
        main(["audit-release", "p.csv", *options, "--explain"])
        return " ".join(capsys.readouterr().out.split())

    assert main(["check", "m.json"]) == 2
    assert (
        "m.json: a manifest, not a certificate: run splu-ref audit-release with it" in capsys.readouterr().err
    )
    as_four = audited("--manifest", "four.json", "--original", "t.csv")
    verdict = as_four.split("false alarm probability")[0]
    assert "would detect job: retention up to" in verdict
    assert "another gamma with the same retention" in verdict.split("would not detect job: ")[1]
    assert "to decide --level 1e-2 (a false alarm then happens once in 100 honest releases); for" in verdict
    as_stated = ["audit-release", "p.csv", "--manifest", "four.json", "--original", "t.csv", "--level"]
    assert [main([*as_stated, level]) for level in ("1e-3", "1e-2")] == [3, 0]
    assert "8 counts against Bin(4 f, 1/4)" in as_four
    as_two = audited("--manifest", "m.json", "--original", "t.csv")
    assert "8 counts against Bin(f, 1/4) + Bin(1 f, 3/4)" in as_two
    assert "right file" not in as_two
    wrong = audited("--manifest", "m.json", "--original", "other.csv")
    assert "no row matches: is --original the right file, and --manifest that of this" in wrong


def test_releases_by_swapping_and_by_alpha_beta(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = range(90)
    rows = pl.DataFrame({"a": [str(n % 9) for n in numbers], "b": [str(n * n % 90 // 9) for n in numbers]})
    table = Microdata.from_frame(rows.unique(maintain_order=True))
    write_table(table, tmp_path / "o.csv")
    domains = {name: [str(n) for n in range(10)] for name in ("a", "b")}
    for name, mechanism in (("s", Swapping("1/2")), ("t", AlphaBeta("1/2", "1/4", domains))):
        published, manifest = tmp_path / f"{name}.csv", tmp_path / f"{name}.json"
        done = mechanism.publish(tmp_path / "o.csv", ["a", "b"], SeededSource(1))
        done.write(published, manifest=manifest)
        reported = ["--manifest", manifest, "--original", tmp_path / "o.csv"]
        found = _json(capsys, published, *reported, code=3)
        assert (found["verdict"], found["mechanism"]) == ("inconclusive", mechanism.name)
        assert found["detectable"][0]["open"]
        if name == "s":
            assert (found["retention"], found["linked"]) == ("1/2", table.row_count)
            assert _json(capsys, published, *reported, "--retention", "0.5", code=3)["retention"] == "1/2"
        else:
            assert (found["alpha"], found["beta"], found["retention"]) == ("1/2", "1/4", None)
        assert _json(capsys, published, "--manifest", manifest, code=3)["detectable"] == []
        assert main(["audit-release", str(published), "--manifest", str(manifest), "--gamma", "2"]) == 2
        assert f"{mechanism.name} has no decoy groups" in capsys.readouterr().err
    words = ["audit-release", str(tmp_path / "t.csv"), "--manifest", str(tmp_path / "t.json")]
    assert main([*words, "--retention", "1/2"]) == 2
    assert "alpha-beta has no retention probability: leave it out" in capsys.readouterr().err


def test_draws_that_are_dependent_are_claimed_by_the_manifest_or_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number = np.arange(240)
    values = np.array(list("aaaabbbccd"))[number * 7 % 10]
    table = Microdata.from_frame(pl.DataFrame({"id": number, "value": values}))
    release = SpluGen(2, draws="capped:30").publish(table, "value", SeededSource(1))
    write_table(table, tmp_path / "o.csv")
    write_table(release.table, tmp_path / "p.csv")
    (tmp_path / "p.json").write_bytes(release.manifest.to_json())
    original = ["--original", tmp_path / "o.csv"]
    reported = _json(capsys, tmp_path / "p.csv", "--manifest", tmp_path / "p.json", *original, code=3)
    assert reported["draws"] == "capped:30"
    claimed = ["--sensitive", "value", "--gamma", 2, "--plan", "mixed", "--draws", "capped:30"]
    assert (
        _json(capsys, tmp_path / "p.csv", *claimed, *original, code=3)["checks"][-1] == reported["checks"][-1]
    )
    assert "the law capped:30" in _by_name(reported)["counts"]["detail"]
    rare = _json(capsys, tmp_path / "p.csv", *claimed[:-1], "all-or-none:80", *original, code=1)
    assert not _by_name(rare)["counts"]["passed"]  # no multiple of gamma
    assert "exactness" in {each["name"] for each in rare["not_checked"]}


def test_what_was_left_out_of_a_release_is_left_out_of_its_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"r{row},{20 + row % 9},{'abcde'[row * row % 5]}" for row in range(60)]
    Path("t.csv").write_text("\n".join(["name,age,job", *lines]) + "\n")
    words = ["publish", "t.csv", "-o", "p.csv", "--sensitive", "job", "--gamma", "2", "--drop", "name"]
    assert main([*words, "--bins", "age=5", "--manifest", "m.json", "--transcript", "drawn"]) == 0
    audit = ["audit-release", "p.csv", "--manifest", "m.json"]
    capsys.readouterr()
    assert (
        main([*audit, "--original", "t.csv", "--explain"]) == 3
    )  # the manifest names the column; the table is small
    assert "schema                 passed" in capsys.readouterr().out
    assert main([*audit, "--original", "t.csv", "--drop", "name", "--transcript", "drawn"]) == 0
    assert "replayed from the transcript" in " ".join(capsys.readouterr().out.split())
    claimed = ["audit-release", "p.csv", "--sensitive", "job", "--gamma", "2", "--original", "t.csv"]
    assert main(claimed) == 2
    missing = "p.csv: the release has no column name: add --drop name if left out on purpose"
    assert missing in capsys.readouterr().err
    for wrong, message in (
        (["--drop", "name"], "--drop is about the original: add --original"),
        (["--original", "t.csv", "--drop", "nome"], "nome"),
    ):
        assert main([*audit, *wrong]) == 2
        assert message in capsys.readouterr().err


def test_a_table_without_a_sensitive_column_is_unusable(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """None of it can be tested against the claim, with or without the original."""
    published = tmp_path / "p.csv"
    read_table(folder / "published.csv").to_frame().drop("occupation").write_csv(published)
    words = ["audit-release", str(published), "--gamma", "5", "--sensitive", "occupation"]
    for given in ((), ("--original", str(folder / "adult.csv"))):
        assert main([*words, *given]) == 2
        expected = "p.csv: there is no column 'occupation'"
        assert expected in capsys.readouterr().err
    assert main(["audit-release", str(published), "--manifest", str(folder / "published.json")]) == 2
    error = capsys.readouterr().err
    assert "p.csv: the manifest names 'occupation' as sensitive, which is no column of the table" in error
    assert "the manifest is of another release, or the table was changed: give the files of one" in error


@pytest.mark.parametrize("option", ["--stream", "--sample", "--salt"])
def test_an_audit_has_no_options_for_files_larger_than_memory(
    option: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit-release", str(folder / "published.csv"), option]) == 2
    assert f"No such option: {option}" in capsys.readouterr().err
