"""``estimate --by``: whole tables on a terminal, in files and pictures; queries as people write them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.cli import main
from splu_ref.data import embedded_table, ordered, write_table
from splu_ref.estimators import NO_JOINT_ERROR
from splu_ref.mechanisms import SpluGen, SpluGenByColumn
from splu_ref.randomness import SeededSource
from tests.rounding import near


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The same about 240 records."""
    folder = tmp_path_factory.mktemp("small")
    number = pl.Series(range(240))
    frame = pl.DataFrame(
        {"sex": (number % 2).cast(str), "age": 20 + number % 7, "job": (number % 5).cast(str)}
    )
    made = SpluGen(3).publish(frame, "job", SeededSource(1))
    write_table(made.table, folder / "p.csv")
    (folder / "m.json").write_bytes(made.manifest.to_json())
    return ["estimate", str(folder / "p.csv"), "--manifest", str(folder / "m.json")]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The words of a command about a release of 30,715 records with nine of 14 occupations below 2,000."""
    folder = tmp_path_factory.mktemp("release")
    made = SpluGen(5).publish(embedded_table(), "occupation", SeededSource(1))
    write_table(made.table, folder / "p.csv")
    (folder / "m.json").write_bytes(made.manifest.to_json())
    return ["estimate", str(folder / "p.csv"), "--manifest", str(folder / "m.json")]


def _json(capsys: pytest.CaptureFixture[str], words: list[str]) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _refused(capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_women_add_up_to_women(release: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The estimates of the conjunctions add up to 10,286, where 9,930 records are women."""
    table = _json(capsys, [*release, "--by", "sex,occupation"])
    assert table["quantity"] == "count"
    assert (table["by"], table["where"], table["rows"]) == (["sex", "occupation"], "", 30_715)
    assert len(table["cells"]) == 28
    assert len(table["totals"]) == 2 + 14 + 1
    for total in table["totals"]:
        lines = [cell for cell in table["cells"] if total["values"].items() <= cell["values"].items()]
        assert sum(cell["estimate"] for cell in lines) == pytest.approx(total["estimate"], abs=1e-3)
    reported = {json.dumps(total["values"]): total for total in table["totals"]}
    women = reported['{"sex": "Female"}']
    assert (women["estimate"], women["standard_error"], women["method"]) == (9_930, 0, "public")
    assert reported['{"occupation": "Sales"}']["estimate"] == 3_632
    for cell in table["cells"]:
        assert 0 <= cell["estimate"] <= reported[json.dumps({"sex": cell["values"]["sex"]})]["estimate"]
        assert cell["interval"][0] <= cell["estimate"] <= cell["interval"][1]
        assert cell["half_width"] == (cell["interval"][1] - cell["interval"][0]) / 2
        assert cell["approximation"] == "approximate"


def test_a_file_holds_what_is_shown(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requested = [*small, "--by", "sex", "--by", "job", "--where", "age != 20 and age=21..25"]
    assert "named twice" in _refused(capsys, requested)
    requested[-1] = "age = 21..25"
    reported = _json(capsys, requested)
    assert reported["where"] == "age=21..25"
    for name in ("t.csv", "t.csv.gz", "t.parquet", "t.json"):
        assert main([*requested, "-o", str(tmp_path / name)]) == 0
        assert f"{name}: 10 lines of sex by job" in capsys.readouterr().out.replace("\n", "")
    assert (tmp_path / "t.json").read_text() == json.dumps(reported, indent=2) + "\n"
    frame = pl.read_csv(tmp_path / "t.csv", schema_overrides={"sex": pl.String})
    assert frame.columns[:7] == ["sex", "job", "estimate", "standard_error", "low", "high", "half_width"]
    assert frame["estimate"].to_list() == [cell["estimate"] for cell in reported["cells"]]
    assert frame["sex"].to_list() == [cell["values"]["sex"] for cell in reported["cells"]]
    assert pl.read_parquet(tmp_path / "t.parquet")["high"].to_list() == [
        cell["interval"][1] for cell in reported["cells"]
    ]
    assert "exists" in _refused(capsys, [*requested, "-o", str(tmp_path / "t.csv")])
    assert main([*requested, "--explain"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["sex", "job", "count", "standard", "error", "95", "%", "interval"]
    assert sum(" all " in f" {line} " for line in shown) == 2 + 5 + 1
    assert (
        shown[-1] == f"among   {reported['rows']} of the 240 records of the release, with their true values"
    )


def test_empty_cells_come_last() -> None:
    assert ordered(["", "b", "10", "2", "a"]) == ["2", "10", "a", "b", ""]


def test_no_standard_error_is_stated_over_several_sensitive_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A note says so; `inversion` is unbiased, and has one."""
    frame = pl.DataFrame({"a": list("vwxyz") * 8, "b": [each for each in "vwxyz" for _ in range(8)]})
    made = SpluGenByColumn({"a": SpluGen(2), "b": SpluGen(2)}).publish(frame, ["a", "b"], SeededSource(1))
    write_table(made.table, tmp_path / "p.csv")
    (tmp_path / "m.json").write_bytes(made.manifest.to_json())
    words = ["estimate", str(tmp_path / "p.csv"), "--manifest", str(tmp_path / "m.json"), "--by"]
    assert main([*words, "a,b"]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.split() == ["a", "b", "count", "standard", "error", "95", "%", "interval"]
    assert lines[0].split()[3] == "none"
    assert any(line.startswith(f"note    {NO_JOINT_ERROR}") for line in lines)
    assert main([*words, "a,b", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {cell["standard_error"] for cell in found["cells"]} == {None}
    assert None not in {total["standard_error"] for total in found["totals"]}
    for requested in (["a"], ["a,b", "--method", "inversion"]):
        assert main([*words, *requested]) == 0
        shown = capsys.readouterr().out
        assert "none" not in shown
        assert "no standard error" not in shown
    single = [*words[:-1], "--where", "a=v", "--where", "b=w", "--json"]
    assert main(single) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["standard_error"], found["note"]) == (None, NO_JOINT_ERROR)


def test_a_long_table_is_printed_in_part(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """70 cells and 20 totals are 90 lines, of which as many are printed as leave room for the notes."""
    requested = [*small, "--by", "sex,age,job"]
    assert main(requested) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) <= 20
    [rest] = [number for number, line in enumerate(shown) if line.startswith("rest ")]
    assert [line.split()[0] for line in shown[1:rest]] == ["0"] * (rest - 1)
    assert shown[rest] == (f"rest    {91 - rest} more of 90 lines: add --explain, or write all: -o FILE")
    assert main([*requested, "--explain"]) == 0
    assert capsys.readouterr().out.splitlines()[1:rest] == shown[1:rest]
    assert main([*requested, "-o", str(tmp_path / "whole.csv")]) == 0
    assert len(pl.read_csv(tmp_path / "whole.csv")) == 70


def test_a_condition_that_is_printed_can_be_given(
    release: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for where in (
        ["age >= 30 and age<40", "occupation=Sales|Tech-support"],
        ["hours_per_week=..39.5", "occupation!={Sales, Tech-support}", "sex != Female"],
    ):
        requested = [word for each in where for word in ("--where", each)]
        first = _json(capsys, [*release, *requested])
        assert main([*release, *requested]) == 0
        lines = capsys.readouterr().out.splitlines()
        concept = next(line for line in lines if line.startswith("query")).removeprefix("query").strip()
        assert _json(capsys, [*release, "--where", concept]) == first
        assert first["half_width"] > 0
        assert first["approximation"] == "approximate"
    assert _json(capsys, [*release, "--where", "occupation=Sales"])["approximation"] == "exact"


def test_statements_are_queries(
    release: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = [
        ("age BETWEEN 30 AND 39 AND occupation = 'Sales'",
         {"age": {"min": 30, "max": 39}, "occupation": "Sales"}),
        ("\"age\" < 30 AND occupation <> 'Sales'", {"age": {"below": 30}, "occupation": {"not": "Sales"}}),
        ("occupation NOT IN ('Sales', 'Tech-support') and sex='Male'",
         {"occupation": {"not": ["Sales", "Tech-support"]}, "sex": "Male"}),
        ("age > 20 AND age <= 30.5 AND occupation IN ('Sales', 'O''Hare')",
         {"age": {"above": 20, "max": "30.5"}, "occupation": ["Sales", "O'Hare"]}),
    ]  # fmt: skip
    text = "-- what was requested\n" + "".join(
        f"SELECT COUNT(*)\nFROM t WHERE {one};\n" for one, _ in pairs[:3]
    )
    (tmp_path / "q.sql").write_text(text)
    lines = "".join(json.dumps({"where": where}) + "\n" for _, where in pairs[:3])
    (tmp_path / "q.jsonl").write_text(lines)
    answers = []
    for name in ("q.sql", "q.jsonl"):
        assert main([*release, "--batch", str(tmp_path / name)]) == 0
        answers.append([json.loads(line) for line in capsys.readouterr().out.splitlines()])
    lines_of = [[answer.pop("line") for answer in some] for some in answers]
    assert lines_of == [[2, 4, 6], [1, 2, 3]]
    assert answers[0] == answers[1]
    (tmp_path / "q.sql").write_text(f"select count(*) where {pairs[3][0]}")
    assert 'q.sql, line 1: "O\'Hare" is not a value' in _refused(
        capsys, [*release, "--batch", str(tmp_path / "q.sql")]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT COUNT(*) WHERE age = 'x", "line 1, column 29: ' is never closed"),
        (
            "SELECT COUNT(*)\nWHERE age BETWEEN 3 OR 4",
            "line 2, column 21: expected AND between the limits, found OR",
        ),
        ("SELECT COUNT(*) WHERE a=1 OR b=2", "column 27: OR is not supported: write column IN ('a', 'b')"),
        ("SELECT COUNT(*) WHERE a=1 OR b=2", "or --where 'column=a|b'"),
        ("SELECT COUNT(*) WHERE (a=1 OR b=2)", "column 23: conditions have no parentheses"),
        ("SELECT COUNT(*) WHERE a=1 GROUP BY b", "GROUP BY is not supported: for a table write --by column"),
        ("SELECT COUNT(*) FROM t GROUP BY b", "column 24: GROUP BY is not supported"),
        ("SELECT b, COUNT(*) FROM t GROUP BY b", "column 8: expected COUNT(*) alone; for a table write --by"),
        ("SELECT SUM(x)", "give --by COLUMN --sum COLUMN instead of --batch"),
        ("SELECT COUNT(*)", "expected WHERE, and what to count, found the end"),
        ("SELECT COUNT(*) WHERE a LIKE 'x'", "column 25: expected =, <>,"),
        ("SELECT COUNT(*) WHERE a=1 b=2", "column 27: expected AND, or ; after a query, found b"),
        ("SELECT COUNT(*) WHERE a < 'x'", "column 27: a limit is a number, or a date"),
        ("SELECT COUNT(*) WHERE a = 1 AND a = 2", "column 33: column 'a' is named twice"),
        ("SELECT COUNT(*) WHERE a NOT = 2", "column 29: expected IN, found ="),
        ("SELECT COUNT(*) WHERE a IN ()", "column 29: expected a text in single quotes or a number, found )"),
        ("SELECT COUNT(*) WHERE a = ?", "column 27: '?' has no meaning here\n"),
        ("SELECT COUNT(*) WHERE a = 1;\n{}", "'{' has no meaning here: a file is all JSON or all SQL"),
        ("SELECT COUNT(*) WHERE sale date > '2024-01-01'", 'a name with a blank is quoted: "sale date"'),
        ("SELECT COUNT(*) WHERE a LIKE 'b'", "BETWEEN, IN or IS, found LIKE"),
        ("SELECT AVG(age)", "give --by COLUMN --mean COLUMN instead of --batch"),
    ],
)
def test_a_fault_in_a_statement_has_its_place(
    release: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (tmp_path / "q.sql").write_text(text)
    assert message in _refused(capsys, [*release, "--batch", str(tmp_path / "q.sql")])


def test_means_and_sums_by_group(release: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    means = _json(capsys, [*release, "--by", "occupation", "--mean", "age"])
    assert means["quantity"] == "mean of age"
    sales = next(cell for cell in means["cells"] if cell["values"] == {"occupation": "Sales"})
    assert sales["method"] == "inversion"
    assert sales["interval"][0] < 37.35 < sales["interval"][1]
    alone = ["--where", "native_country=Scotland", "--by", "occupation", "--mean", "age"]
    unknown = [cell for cell in _json(capsys, [*release, *alone])["cells"] if cell["estimate"] is None]
    assert {"occupation": "Armed-Forces"} in [cell["values"] for cell in unknown]
    assert all(cell["warning"].startswith("no estimate") and cell["interval"] for cell in unknown)
    assert main([*release, *alone, "--explain"]) == 0  # eleven records
    shown = capsys.readouterr().out
    assert re.search(r"\nArmed-Forces +none +none +\d+ to \d+\n", shown), shown
    assert "note    none: the release says nothing about the mean" in shown
    sums = _json(capsys, [*release, "--by", "occupation", "--sum", "age"])
    ages = pl.Series(embedded_table().cells("age")).cast(pl.Int64)
    assert sum(cell["estimate"] for cell in sums["cells"]) == near(ages.sum(), rel=1e-3)
    assert main([*release, "--by", "native_country,occupation", "--sum", "age", "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "warning *: the unbiased estimate is outside the possible range" in shown
    assert re.search(r" to \d+(\.\d)? \*", shown), shown


@pytest.mark.parametrize(("empty", "said"), [("no answer", True), ("3", False)])
def test_records_whose_true_value_is_no_number_are_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], empty: str, said: bool
) -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 60, "mark": ["1", "2", "4", empty] * 30})
    made = SpluGen(2).publish(frame, "mark", SeededSource(1))
    write_table(made.table, tmp_path / "p.csv")
    (tmp_path / "m.json").write_bytes(made.manifest.to_json())
    words = ["estimate", str(tmp_path / "p.csv"), "--manifest", str(tmp_path / "m.json"), "--by", "sex"]
    assert main([*words, "--mean", "mark"]) == 0
    assert ("except those whose true mark is no number" in capsys.readouterr().out) == said


def test_rows_say_why_their_interval_is_wide_and_means_how_many_numbers_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A third of the records has one job: it is published for others as often as for these."""
    job = ["common" if n % 3 == 1 else "abcdef"[n * n % 11 % 6] for n in range(600)]
    age = [None if n % 4 == 0 else 20 + n % 7 for n in range(600)]
    frame = pl.DataFrame({"sex": ["mf"[n % 2] for n in range(600)], "age": age, "job": job})
    made = SpluGen(3).publish(frame, "job", SeededSource(1))
    write_table(made.table, tmp_path / "p.csv")
    (tmp_path / "m.json").write_bytes(made.manifest.to_json())
    release = ["estimate", str(tmp_path / "p.csv"), "--manifest", str(tmp_path / "m.json")]
    table = _json(capsys, [*release, "--by", "sex,job"])
    wide = [cell for cell in table["cells"] if "warning" in cell]
    assert {cell["values"]["job"] for cell in wide} == {"common"}
    assert all(cell["warning"].startswith("weakly supported") for cell in wide)
    assert main([*release, "--by", "sex,job"]) == 0
    printed = capsys.readouterr().out.splitlines()
    marked = [line.split()[1] for line in printed if line.rstrip().endswith(" *")]
    assert marked == ["common", "common"]
    assert any(line.startswith("warning *: weakly supported") for line in printed)
    means = _json(capsys, [*release, "--by", "job", "--mean", "age"])
    assert means["rows"] == sum(cell != "" for cell in made.table.cells("age"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--by", "sex", "--batch", "q"], "out one"),
        (["--where", "occupation=Sales", "-o", "t.csv"], "--output is for a table"),
        (["--by", "occupation", "-o", "t.xlsx"], "end its name in .csv, .csv.gz, .parquet, .json"),
        (["--by", "occupation", "--picture", "t.jpg"], "end its name in .svg, .png"),
        (["--by", "occupation", "--mean", "age", "--sum", "age"], "drop one"),
        (["--where", "occupation=Sales", "--mean", "age"], "name its columns with --by"),
        (["--by", "occupation", "--mean", "race"], "'race' holds no numbers, but"),
        (["--by", "age,occupation", "--mean", "age"], "'age' is measured: name other columns"),
        (["--by", "occupation", "--mean", "age", "--method", "exact"], "leave --method out"),
        (
            ["--by", "sex,occupation", "--method", "exact", "--interval", "average"],
            "the method exact has no intervals that hold on average: leave --interval out, or use shrunk",
        ),
        (["--by", "occupatio"], "did you mean 'occupation'"),
        (["--by", "occupation", "--where", "age=200.."], "no record meets age=200..: change it"),
        (["--by", "age,education,workclass,native_country,occupation"], "name fewer columns"),
        (["--by", "age,sex,native_country", "--picture", "t.svg"], "cannot be read: name fewer"),
    ],
)
def test_what_is_no_table_is_refused(
    release: list[str], capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert message in _refused(capsys, [*release, *words])


def test_the_release_is_what_adds_up(release: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Deleted records are in no count: totals are those of the file, not of the original."""
    table = _json(capsys, [*release, "--by", "sex"])
    published = Counter(pl.read_csv(release[1], infer_schema=False)["sex"].to_list())
    assert {cell["values"]["sex"]: cell["estimate"] for cell in table["cells"]} == published
    assert sum(published.values()) == 30_715 < embedded_table().row_count


def test_a_part_of_a_crossing_is_requested_by_the_crossing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{'FM'[row % 2]},{'abcde'[row % 5]},{'xyz'[row % 3]}" for row in range(60)]
    Path("t.csv").write_text("\n".join(f"{row},{n}" for n, row in enumerate(["sex,job,town", *rows])) + "\n")
    words = ["publish", "t.csv", "-o", "p.csv", "--cross", "both=sex,job", "--sensitive", "both"]
    assert main([*words, "--drop", "0", "--gamma", "2", "--manifest", "m.json"]) == 0
    capsys.readouterr()
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "town,job"]) == 2
    refused = capsys.readouterr().err
    assert "--by job: both was published in place of sex and job: give --by both or one query" in refused
    assert "or several of them in a file: --batch" in refused
    condition = refused.split("as --where ")[1].split(" ")[0]
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--where", condition]) == 0
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "town", "--mean", "0"]) == 2
    assert "the column '0' was not published: name another one" in capsys.readouterr().err
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "town,both", "--where", "job=a"]) == 0
    rows += rows[:3] * 10
    Path("t.csv").write_text("\n".join(f"{row},{n}" for n, row in enumerate(["sex,job,town", *rows])) + "\n")
    words += ["--group-rare", "both=7", "--force"]
    assert main([*words, "--drop", "0", "--gamma", "2", "--manifest", "m.json"]) == 0
    capsys.readouterr()
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "town,job"]) == 2
    refused = capsys.readouterr().err
    assert "give --by both, whose rare values were grouped, so that counts of job are not known" in refused
    assert "--where" not in refused
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "town,both"]) == 0


@pytest.mark.parametrize("words", [["--mean", "age"], ["--sum", "age", "--where", "job=1"]])
def test_a_mean_without_groups_says_what_to_add(
    words: list[str], small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _refused(capsys, [*small, *words]) == (
        "splu-ref: --sum and --mean are for a table: name its columns with --by COLUMN\n"
    )
