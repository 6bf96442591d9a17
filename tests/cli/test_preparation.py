"""``publish`` and ``advise`` on columns as they come: what is warned of, recoded, dropped and requested."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from splu_ref.audit.advice.concentrated_predicates import Concentration
from splu_ref.channels.parameters import Concept, DataError
from splu_ref.cli.advice_details import ColumnAdvice
from splu_ref.cli.assessment import concentrated
from splu_ref.data import read_table
from splu_ref.data.reading import SEPARATORS, use_separator
from tests.hostile.test_inputs import INPUTS
from tests.programs import command, main

ROWS = 600


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    jobs = ["clerk", "nurse", "smith", "cook"]
    rows = range(ROWS)
    return pl.DataFrame(
        {
            "ssn": [f"n{row}" for row in rows],
            "code": [jobs[row % 4][:2] for row in rows],
            "age": [20 + row * 7 % 50 for row in rows],
            "sex": ["m" if row // 3 % 2 else "f" for row in rows],
            "ill": ["yes" if row % 10 in (3, 4, 8) else "no" for row in rows],
            "job": [jobs[row % 4] for row in rows],
        }
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frame: pl.DataFrame) -> Path:
    monkeypatch.chdir(tmp_path)
    frame.write_csv("table.csv")
    return tmp_path


JOB = ("--sensitive", "job", "--gamma", "2")
CLEAN = ("--drop", "ssn", "--drop", "code")


def _publish(*words: str, table: str = "table.csv", code: int = 0) -> None:
    assert main(["publish", table, "-o", "out.csv", "--force", "--manifest", "m.json", *words]) == code


def _count(capsys: pytest.CaptureFixture[str], where: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["estimate", "out.csv", "--manifest", "m.json", "--where", where, "--json"]) == code
    reported = capsys.readouterr()
    answer: dict[str, Any] = json.loads(reported.out) if code == 0 else {"error": reported.err}
    return answer


def test_a_disclosing_column_stops_publishing_unless_it_is_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _publish(*JOB, code=2)
    said = capsys.readouterr().err
    assert "'code' discloses 'job': all 600 records that share a cell share the value" in said
    assert "'ssn' is unique: 600 of 600 records have a unique cell" in said
    assert (
        "nothing is published; --drop code --drop ssn, or --keep code --keep ssn to publish them all the same"
    ) in said
    assert said.count("\n") == 1
    _publish(*JOB, "--keep", "code", code=2)
    assert "'ssn' is unique: 600 of 600 records have a unique cell" in capsys.readouterr().err
    assert not Path("out.csv").exists()
    _publish(*JOB, *CLEAN)
    assert capsys.readouterr().err == ""
    assert read_table("out.csv").columns == ("age", "sex", "ill", "job")
    _publish(*JOB, "--strict", "--quasi", "ssn", "--keep", "code")
    assert capsys.readouterr().err == ""
    _publish(*JOB, "--drop", "job", code=2)
    _publish(*JOB, "--keep", "jop", code=2)
    assert "did you mean 'job'" in capsys.readouterr().err


def test_advice_names_disclosing_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "table.csv", "--sensitive", "job", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    [leaks, worth] = [reported["leaks"], reported["worth"]]
    kinds = {(each["kind"], *each["columns"]) for each in leaks["columns"]}
    assert kinds == {("unique", "ssn"), ("determines", "code")}
    assert reported["splu_gen_command"].endswith("--draws independent --drop code --drop ssn")
    assert reported["splu_gen_command"] != reported["command"]
    assert (leaks["unique_records"], worth["values"], worth["accurate"]) == (600, 4, 4)
    words = ["--explain", "--sensitive", "job", *CLEAN, "--bins", "age=10"]
    assert main(["advise", "table.csv", *words]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "disclosed by" not in text
    assert "0 of 600 records by their other columns" in text


def test_bins_and_crossings_are_reported_and_can_be_queried(
    folder: Path, capsys: pytest.CaptureFixture[str], frame: pl.DataFrame
) -> None:
    _publish("--sensitive", "ill", "--gamma", "2", *CLEAN, code=2)
    assert "--cross " in capsys.readouterr().err
    _publish("--sensitive", "ill", "--gamma", "2", "--cross", "both=sex,ill", code=2)
    assert "give --sensitive both" in capsys.readouterr().err
    _publish(
        *("--sensitive", "both", "--gamma", "2", *CLEAN, "--cross", "both=sex,ill", "--bins", "age=10"),
        *("--seed", "1"),
    )
    facts = json.loads(Path("m.json").read_text())
    assert facts["recoded"] == [
        {"column": "age", "bins": "10", "whole": True},
        {"column": "both", "cross": ["sex", "ill"]},
        {"column": "ssn", "dropped": True},
        {"column": "code", "dropped": True},
    ]
    published = read_table("out.csv")
    assert published.columns == ("age", "job", "both")
    ages = Counter(f"{age // 10 * 10}..{age // 10 * 10 + 9}" for age in frame["age"])
    assert Counter(published.cells("age")) == ages
    cells = published.cells("both")
    assert _count(capsys, "both=f / yes")["estimate"] == cells.count("f / yes")
    assert _count(capsys, "ill=yes")["published_count"] == sum(cell.endswith(" / yes") for cell in cells)
    both = ["--where", "age<=39", "--where", "ill=yes", "--where", "sex=m"]
    assert main(["estimate", "out.csv", "--manifest", "m.json", *both, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["predicate_count"] == ages["20..29"] + ages["30..39"]
    frame.drop("ssn", "code").write_csv("original.csv")
    audit = ["audit-release", "out.csv", "--manifest", "m.json", "--original", "original.csv"]
    assert main(audit) in (0, 3)
    assert "inconsistent" not in capsys.readouterr().out
    for where, error in (
        ("age=37", "age=37 is not known: the column was published in bins of 10: ask age=30..39"),
        ("age<=35", "age=..35 cuts the bin 30..39"),
        ("ill=maybe", "no value of 'both' has ill=maybe"),
        ("ill>=3", "the column was crossed"),
    ):
        assert error in _count(capsys, where, 2)["error"]


def test_grouped_and_hashed_values(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "key"]) == 0
    words = ("--sensitive", "age", "--gamma", "3", *CLEAN, "--key-file", "key")
    _publish("--sensitive", "age", "--gamma", "3", "--hash", "age", code=2)
    assert "add --key-file" in capsys.readouterr().err
    _publish(*words, "--hash", "age")
    first = Path("out.csv").read_bytes()
    [reported] = json.loads(Path("m.json").read_text())["sensitive"]
    assert {len(value) for value in reported["domain"]} == {16}
    assert "were published as hashes" in _count(capsys, "age=30", 2)["error"]
    assert _count(capsys, f"age={reported['domain'][0]}")["method"] == "mle"
    _publish(*words, "--hash", "age")
    assert Path("out.csv").read_bytes() == first
    _publish(*words, "--bins", "age=3", "--group-rare", "age=36")
    [reported] = json.loads(Path("m.json").read_text())["sensitive"]
    assert "other" in reported["domain"]
    assert "rare bins were published together, as 'other'" in _count(capsys, "age=18..20", 2)["error"]


def test_a_declared_domain_stands_in_the_manifest_and_changes_no_draw(folder: Path) -> None:
    assert main(["key", "key"]) == 0
    domain = ["clerk", "astronaut", "nurse", "smith", "cook"]
    Path("domain.json").write_text(json.dumps({"job": domain}))
    published = []
    for words in ((), ("--domain", "domain.json")):
        _publish(*JOB, *CLEAN, "--key-file", "key", *words)
        published.append(Path("out.csv").read_bytes())
    assert published[0] == published[1]
    [reported] = json.loads(Path("m.json").read_text())["sensitive"]
    assert reported["domain"] == sorted(domain)
    Path("domain.json").write_text(json.dumps({"job": domain[:3]}))
    _publish(*JOB, "--domain", "domain.json", code=2)


def test_an_identity_is_dropped_after_it_named_the_records(folder: Path) -> None:
    assert main(["key", "key"]) == 0
    words = (*JOB, "--id", "ssn", "--key-file", "key", "--drop", "code")
    _publish(*words, "--keep", "ssn")
    kept = read_table("out.csv")
    _publish(*words, "--drop", "ssn")
    dropped = read_table("out.csv")
    assert dropped.columns == ("age", "sex", "ill", "job")
    assert dropped.content_digest() == kept.select(dropped.columns).content_digest()
    assert main(["audit-release", "out.csv", "--manifest", "m.json"]) in (0, 3)
    _publish(*words, "--drop", "ssn", "--transcript", "t", code=2)


def test_a_batch_is_recoded_as_the_release_that_it_joins(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*JOB, *CLEAN, "--keep", "age"]
    _publish(*words, "--bins", "age=10")
    again = [*words, "--append", "out.csv", "--append-manifest", "m.json", "-o", "all.csv", "--force"]
    assert main(["publish", "table.csv", *again, "--bins", "age=5"]) == 2
    assert "like the release that it joins" in capsys.readouterr().err
    assert main(["publish", "table.csv", *again[len(JOB) :]]) == 2
    assert "give --gamma 2 --retention 1/2 --plan mixed --sensitive job, and its" in capsys.readouterr().err
    assert main(["publish", "table.csv", *again, "--manifest", "all.json"]) == 0
    screen = " ".join(capsys.readouterr().out.split())
    for label in ("protected", "unique"):
        assert f" {label} in this batch: " in screen
    assert set(read_table("all.csv").cells("age")) == set(read_table("out.csv").cells("age"))
    assert json.loads(Path("all.json").read_text())["recoded"][0]["bins"] == "10"


def test_a_release_with_grouped_values_says_that_no_batch_joins_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*JOB, *CLEAN, "--keep", "age"]
    _publish(*words)
    assert "no batch" not in capsys.readouterr().err
    _publish(*words, "--group-rare", "age=13")
    assert "no batch can be appended to this release (--append)" in capsys.readouterr().err
    for more in ([], ["--group-rare", "age=13"]):
        joined = [*words, "--append", "out.csv", "--append-manifest", "m.json", "-o", "all.csv", *more]
        assert main(["publish", "table.csv", *joined]) == 2
        assert "no batch can join a release with --group-rare" in capsys.readouterr().err


def test_worth_is_reported_of_each_column_and_repetition_until_a_key_or_log(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _publish(*JOB, "--sensitive", "age", *CLEAN, "--explain")
    text = " ".join(capsys.readouterr().out.split())
    assert "protected job: 0 of 4 values" in text
    assert "protected age: 0 of 50 values" in text
    assert "repeated averaging releases with fresh draws" in text
    _publish(*JOB, *CLEAN, "--log", "log", "--explain")
    assert "repeated" not in capsys.readouterr().out
    _publish(*JOB, *CLEAN, "--epsilon", "0.00001")
    reported = capsys.readouterr()
    assert "privacy and accuracy are not computed: epsilon = 1/100000 with t_e" in reported.err
    assert "T_f" not in reported.out


def test_other_separators_standard_input_and_spreadsheets(
    folder: Path, capsys: pytest.CaptureFixture[str], frame: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame.write_csv("semicolon.csv", separator=";")
    _publish(*JOB, *CLEAN, table="semicolon.csv", code=2)
    assert "divided by a semicolon: write commas or say --separator semicolon" in capsys.readouterr().err
    _publish(*JOB, *CLEAN, "--separator", "semicolon", table="semicolon.csv")
    assert read_table("out.csv").columns == ("age", "sex", "ill", "job")
    _publish(*JOB, "--separator", "dot", table="semicolon.csv", code=2)
    assert "choose one of comma, semicolon, tab, bar" in capsys.readouterr().err
    _publish(*JOB, table="sheet.XLSX", code=2)
    reported = capsys.readouterr().err
    assert "sheet.XLSX is a spreadsheet" in reported
    assert (
        'python -c \'import pandas; pandas.read_excel("sheet.XLSX", dtype=str).to_csv("sheet.csv"' in reported
    )
    frame.write_parquet("table.parquet")
    for name in ("table.csv", "table.parquet"):
        given = io.TextIOWrapper(io.BytesIO(Path(name).read_bytes()))
        monkeypatch.setattr(sys, "stdin", given)
        _publish(*JOB, *CLEAN, table="-")
        assert read_table("out.csv").row_count == ROWS
    monkeypatch.setattr(sys, "stdin", None)
    _publish(*JOB, table="-", code=2)


READING = [
    "query-interface",
    "anonymity",
    "publish",
    "publish",
    "advise",
    "estimate",
    "audit",
    "audit-release",
    "attack",
    "breach",
    "compare",
    "study",
    "attack-learned",
]


def test_every_command_that_reads_a_table_takes_a_separator(
    folder: Path, capsys: pytest.CaptureFixture[str], frame: pl.DataFrame
) -> None:
    reading = {where.split()[0] for where in INPUTS if where.endswith((" table", " published", "-data"))}
    assert reading | {"breach", "audit"} == set(READING)  # a file of claims names tables
    for name in READING:
        [option] = [each for each in command(name).params if "--separator" in each.opts]
        assert all(word in option.help for word in SEPARATORS)
    frame.select("age", "job").write_csv("bar.csv", separator="|")
    _publish(*JOB, "--separator", "bar", "--seed", "1", table="bar.csv")
    capsys.readouterr()
    # A table that this program wrote is read with commas beside one that is not.
    audit = ["audit-release", "out.csv", "--manifest", "m.json", "--original", "bar.csv", "--json"]
    assert main([*audit, "--separator", "|"]) in (0, 3)
    assert json.loads(capsys.readouterr().out)["linked"] is not None
    assert main(audit) == 2
    assert "divided by a bar: write commas or say --separator bar" in capsys.readouterr().err
    read_table("out.csv").to_frame().write_csv("out.tsv.csv", separator="\t")
    count = ["estimate", "--manifest", "m.json", "--where", "job=cook", "--json"]
    assert main([*count, "out.csv"]) == 0
    comma = capsys.readouterr().out
    assert main([*count, "out.tsv.csv", "--separator", "tab"]) == 0
    assert capsys.readouterr().out == comma
    assert main([*count, "out.tsv.csv"]) == 2  # what was said of one command is not said of the next
    capsys.readouterr()
    assert main(["compare", "bar.csv", "--column", "x", "--separator", "bar"]) == 2
    assert "there is no column 'x': the columns are 'age', 'job'" in capsys.readouterr().err


def test_a_header_decides_whether_a_separator_is_in_the_file(tmp_path: Path) -> None:
    def rows(text: str, separator: str | None) -> list[str]:
        (tmp_path / "t.csv").write_text(text)
        with use_separator(separator):
            return list(read_table(tmp_path / "t.csv").columns)

    assert rows("a;b\n1,5;2\n", ";") == ["a", "b"]
    assert rows("a,b\n1;5,2\n", ";") == ["a", "b"]
    assert rows("a\n1,5\n", ";") == ["a"]  # one column: its cells may hold commas
    assert rows("a;b,c\n1;2\n", ";") == ["a", "b,c"]
    with pytest.raises(DataError):
        rows("a\n1,5\n", None)


def test_numbers_with_missing_cells_are_published_as_text(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for numbers in ([1, 2, None, 3] * 30, [1.5, 2.0, None, 3.0] * 30):
        pl.DataFrame({"n": numbers, "x": ["a", "b"] * 60}).write_parquet("n.parquet")
        _publish("--sensitive", "n", "--gamma", "2", "--missing", "none", table="n.parquet")
        [reported] = json.loads(Path("m.json").read_text())["sensitive"]
        assert reported["domain"] == sorted({"none" if each is None else str(each) for each in numbers})
        audit = ["audit-release", "out.csv", "--manifest", "m.json", "--original", "n.parquet"]
        capsys.readouterr()
        assert main([*audit, "--missing", "none"]) in (0, 3)
    _publish("--sensitive", "n", "--gamma", "2", table="n.parquet", code=2)


def test_the_code_of_a_country_is_not_taken_for_a_missing_cell_silently(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("land.csv").write_text(
        "x,land\n" + "".join(f"{row},{('NA', 'DE', '', 'FR')[row % 4]}\n" for row in range(40))
    )
    words = ("--sensitive", "land", "--gamma", "2", "--keep", "x")
    _publish(*words, table="land.csv", code=2)
    assert "--missing 'missing'" in (said := capsys.readouterr().err)
    assert "'NA' stays a value then" in said
    _publish(*words, "--missing", "missing", table="land.csv")
    [reported] = json.loads(Path("m.json").read_text())["sensitive"]
    assert reported["domain"] == ["DE", "FR", "NA", "missing"]


def test_values_of_the_parts_of_a_crossing_are_read_as_those_of_columns(
    folder: Path, frame: pl.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = pl.when(pl.col("age") < 30).then(pl.lit("N/A")).otherwise("ill").alias("ill")
    frame.with_columns(unknown).write_csv("unknown.csv")
    crossed = ("--sensitive", "both", "--cross", "both=ill,sex", "--gamma", "2", "--missing", "unknown")
    _publish(*crossed, *CLEAN, "--drop", "age", table="unknown.csv")
    assert "values of 'ill' look like missing cells ('N/A')" in capsys.readouterr().err


def test_a_date_that_gives_the_sensitive_one_away_is_dropped_and_not_put_into_months(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = range(3000)
    began = [date(2020, 1, 1) + timedelta(days=row % 29 if row % 20 else 40 + row // 20 % 30) for row in rows]
    columns = {
        "began": began,
        "since": [f"{day:%d.%m.%y}" for day in began],
        "seen": [date(2021, 1, 1) + timedelta(days=row) for row in rows],
    }
    pl.DataFrame(columns).write_csv("dates.csv")
    assert main(["advise", "dates.csv", "--sensitive", "since", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["command"].endswith("--bins seen=month --drop began")


@pytest.mark.parametrize("option", ["--drop=ssn,code", "--keep=age, ssn", "--bins=age=10,ssn=2.0"])
def test_one_option_for_several_columns_is_answered_with_repeating_it(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    _publish("--sensitive", "job", "--gamma", "2", option, code=2)
    assert "repeat the option for each" in capsys.readouterr().err


def test_a_column_is_not_both_recoded_and_dropped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _publish(*JOB, "--drop", "age", "--bins", "age=10", code=2)
    assert "--drop age: the column is also recoded" in capsys.readouterr().err


def test_the_risks_of_advice_say_what_strict_publishing_refuses() -> None:
    """Predicates of more than 10 records: for another alpha the advice has counted others."""
    for alpha, found, end in (
        (10, 2, "--strict refuses 2 of them"),
        (10, 0, "1 of up to 10 records, 0 larger"),
        (5, 2, "1 of up to 5 records, 2 larger"),
    ):
        leaks = SimpleNamespace(leaks=(), unique_records=0, found=found, sensitive="job")
        advice = SimpleNamespace(rows=20, goals=SimpleNamespace(alpha=alpha))
        part: Any = SimpleNamespace(leaks=leaks, advice=advice, option=SimpleNamespace(groups_at_risk=1))
        assert ColumnAdvice.risks(part, ()).endswith(f"have nearly one value of 'job': {end}")


def test_predicates_of_nearly_one_value_are_counted_and_the_largest_is_named() -> None:
    for found, said in ((1, "1 predicate has"), (7, "7 predicates have")):
        largest = Concentration(Concept.of({"town": "A"}), "cook", 11, 12, "job")
        leaks: Any = SimpleNamespace(found=found, above=10, concentrations=[largest, "b"])
        assert concentrated(leaks) == (
            f"{said} more than 10 records and at least 9/10 of one value of 'job', such as town=A: 11 of 12 "
            "are cook; counts so large are not protected: coarsen (--bins, --group-rare) or --drop a column, "
            "or --keep it to accept"
        )
        assert concentrated(leaks, "table").endswith(
            "first coarsen or leave out a column, or --keep it to accept"
        )
        assert concentrated(leaks, "batch").endswith(
            "without --append and with --bins, --group-rare or --drop, or --keep a column to accept"
        )


@pytest.mark.parametrize(
    "words",
    [
        ("--mechanism", "distribution"),
        ("--mechanism", "retention", "--retention", "1/2", "--observed-domain"),
        ("--mechanism", "swap", "--retention", "1/2"),
        (
            "--mechanism",
            "small-domains",
            "--rho1",
            "1/5",
            "--rho2",
            "1/2",
            "--by",
            "sex",
            "--observed-domain",
        ),
        ("--mechanism", "anatomy", "--gamma", "3", "--sensitive-table", "values.csv"),
    ],
    ids=lambda words: words[1],
)
@pytest.mark.usefixtures("folder")
def test_every_mechanism_that_publishes_other_columns_refuses_what_they_disclose(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    publish = ("publish", "table.csv", "-o", "o.csv", "--sensitive", "job", *words)
    for more, refusal in (
        ((), "'code' discloses 'job'"),
        (("--drop", "code"), "'ssn' is unique: 600 of 600 records have a unique cell"),
        (("--drop", "ssn", "--keep", "code"), ""),
    ):
        capsys.readouterr()
        assert main([*publish, *more]) == (2 if refusal else 0)
        assert refusal in capsys.readouterr().err
        assert Path("o.csv").exists() == (not refusal)
