"""The verdict of ``advise``: the command that it advises can be run, and clears the reasons."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.audit.advice.expected_widths import expected_widths
from splu_ref.cli import main
from splu_ref.cli.domains import read_domains
from splu_ref.data import Microdata, read_table, write_table
from tests.cli.test_widths import once

OTHER = "do not publish by this mechanism"


def _people() -> list[str]:
    draw = random.Random(5)
    ills = [
        draw.choices(["flu", "cold", "gout", "mumps", "asthma", "burn"], [22, 22, 22, 22, 22, 1])[0]
        for _ in range(600)
    ]
    return ["name,town,illness,code"] + [f"p{n},{'ABC'[n % 3]},{ill},{ill[:2]}" for n, ill in enumerate(ills)]


def _plain() -> list[str]:
    draw = random.Random(6)
    jobs = [draw.choices("abcdefg", [20, 19, 18, 17, 15, 10, 0.5])[0] for _ in range(800)]
    return ["sex,job"] + [f"{'mf'[n % 2]},{job}" for n, job in enumerate(jobs)]


def _even() -> list[str]:
    return ["sex,job"] + [f"{'mf'[n % 2]},{'abcde'[n * n % 11 % 5]}" for n in range(1100)]


def _skewed() -> list[str]:
    return ["name,sex,ill"] + [
        f"p{n},{'mf'[n // 3 % 2]},{'yes' if n % 10 in (3, 4, 8) else 'no'}" for n in range(600)
    ]


def _frequent() -> list[str]:
    draw = random.Random(7)
    ills = ["z" if n % 200 == 0 else draw.choice("aabbc") for n in range(1205)]
    return ["part,ill"] + [f"{'PQR'[n // 5 % 3]},{ill}" for n, ill in enumerate(ills)]


def _incomes() -> list[str]:
    draw = random.Random(8)
    return ["sex,income"] + [f"{'mf'[n % 2]},{int(draw.lognormvariate(10, 0.5))}" for n in range(400)]


def _rare() -> list[str]:
    """Values with 1 or 4 records and no numbers: grouping those with one makes a value that is accurate."""
    return ["sex,job"] + [f"{'mf'[n % 2]},job {n if n < 40 else 40 + n % 90}" for n in range(400)]


def _few() -> list[str]:
    """Numbers of which one is accurate."""
    draw = random.Random(9)
    prices = [40 if n % 10 == 0 else int(draw.gauss(5000, 900)) for n in range(400)]
    return ["sex,price"] + [f"{'mf'[n % 2]},{price}" for n, price in enumerate(prices)]


def _dated() -> list[str]:
    draw = random.Random(10)
    header, *rows = _plain()
    first = date(1990, 1, 1)
    return [f"{header},seen"] + [f"{row},{first + timedelta(draw.randrange(9000))}" for row in rows]


TABLES = {
    "plain": (_plain, "job", "publish", set(), ()),
    "people": (_people, "illness", "change first", {"disclosure"}, ("--drop name", "--drop code")),
    "dated": (_dated, "job", "change first", {"disclosure"}, ("--bins seen=month",)),
    "frequent": (_frequent, "ill", "change first", {"goals"}, ("--cross ill_part=ill,part",)),
    "incomes": (_incomes, "income", "change first", {"nothing accurate"}, ("--bins income=",)),
    "few": (_few, "price", "change first", {"little accurate"}, ("--bins price=",)),
    "rare": (_rare, "job", "change first", {"nothing accurate"}, ("--group-rare job=",)),
    "even": (_even, "job", OTHER, {"nothing rare"}, ("--mechanism retention",)),
    "skewed": (_skewed, "ill", OTHER, {"no groups", "disclosure"}, ("--domain domain.json", "--drop name")),
}  # fmt: skip


def _advice(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["advise", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("without_widths")
@pytest.mark.parametrize("name", TABLES)
def test_the_command_runs_and_clears_the_reasons(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make, column, verdict, grounds, options = TABLES[name]
    Path("t.csv").write_text("\n".join(make()) + "\n")
    found = _advice(capsys, "t.csv", "--sensitive", column)
    assert (found["verdict"], {each["ground"] for each in found["reasons"]}) == (verdict, grounds)
    assert all(option in found["command"] for option in options)
    words = shlex.split(found["command"])
    if verdict == OTHER:
        Path("domain.json").write_text(json.dumps({column: list(read_table("t.csv").domain(column))}))
    assert main(words[1:]) == 0
    published = read_table("published.csv")
    assert not {"name", "code"} & set(published.columns)
    if verdict == OTHER:  # as likely to show the true value, and with a bound for each record
        facts = json.loads(Path("published.json").read_text())
        assert facts["method"] == "retention replacement"
        return
    pairs = list(pairwise(words))
    kept = ("--sensitive", "--drop", "--bins", "--cross", "--group-rare")
    again = _advice(capsys, "t.csv", *(word for pair in pairs if pair[0] in kept for word in pair))
    assert (again["verdict"], again["reasons"]) == ("publish", [])
    gamma = words[words.index("--gamma") + 1]
    assert str(again["recommendation"]["gamma"]) == gamma
    assert not [each for each in again["leaks"]["columns"] if each["kind"] in ("unique", "determines")]


@pytest.mark.usefixtures("without_widths")
def test_a_text_for_missing_numbers_does_not_keep_bins_from_being_advised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text is the only accurate value of the column: bins make numbers accurate as well."""
    monkeypatch.chdir(tmp_path)
    header, *rows = _incomes()
    lines = [f"{row.partition(',')[0]},NA" if n % 6 == 0 else row for n, row in enumerate(rows)]
    Path("t.csv").write_text("\n".join([header, *lines]) + "\n")
    found = _advice(capsys, "t.csv", "--sensitive", "income", "--missing", "NA")
    best = next(each for each in found["options"] if each["gamma"] == found["recommendation"]["gamma"])
    assert best["accurate_values"] == ["NA"]
    assert [each["ground"] for each in found["reasons"]] == ["little accurate"]
    assert found["verdict"] == "change first"
    assert "--bins income=" in found["command"]


@pytest.mark.slow
@pytest.mark.usefixtures("without_widths")
@pytest.mark.parametrize("values", ["ABCDEFG", "xxyyzzz", "xxxxyyy"], ids=["copy", "level", "skewed"])
def test_a_column_that_another_determines_is_derived(
    values: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The coarser of two levels of a code is not published; of a column and its copy one is."""
    monkeypatch.chdir(tmp_path)
    header, *rows = _plain()
    derived = dict(zip("abcdefg", values, strict=True))
    lines = [f"{header},other", *(f"{row},{derived[row[-1]]}" for row in rows)]
    Path("t.csv").write_text("\n".join(lines) + "\n")
    columns = ["--sensitive", "job", "--sensitive", "other"]
    found = _advice(capsys, "t.csv", *columns)
    assert found["verdict"] == "change first"
    assert [each["ground"] for each in found["reasons"]] == ["dependence"]
    words = shlex.split(found["command"])
    assert main(words[1:]) == 0
    published = {"job", "other"} & set(read_table("published.csv").columns)
    assert published == ({"job"} if values != "ABCDEFG" else published)
    assert len(published) == 1
    kept = _advice(capsys, "t.csv", *columns, "--keep", "other", "--keep", "job")
    assert "dependence" not in {each["ground"] for each in kept["reasons"]}


def _screen(printed: str, width: int) -> list[str]:
    """Return printed lines as a terminal of a width wraps them."""
    return [
        line[start : start + width]
        for line in printed.splitlines()
        for start in range(0, max(len(line), 1), width)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_the_first_five_lines_are_the_verdict_and_the_command(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make, column, verdict, _, parts = TABLES[name]
    Path("t.csv").write_text("\n".join(make()) + "\n")
    monkeypatch.setattr("splu_ref.cli.advice_details.expected_widths", once(expected_widths))
    for width in (40, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(["advise", "t.csv", "--sensitive", column]) == 0
        lines = _screen(capsys.readouterr().out, width)
        assert len(lines) <= 20
        rows = [line for line in lines if "independent" in line and "1/" in line]
        legend = [line for line in lines if line.startswith(("b  ", "simulated"))]
        assert bool(rows) == bool(legend), "a table of widths is printed whole, with its legend"
        assert rows or "--explain" in "".join(lines) or name in ("frequent", "skewed")
        if width == 80:
            first = "".join(lines[:5])
            assert first.startswith(f"verdict  {verdict}: ")
            assert "command  splu-ref publish t.csv" in first
            assert all(part in first for part in parts)
    if name in ("plain", "even", "frequent", "incomes"):
        assert main(["advise", "t.csv", "--sensitive", column, "--explain"]) == 0
        _retain_stars(capsys.readouterr().out, name)


def _retain_stars(printed: str, name: str) -> None:
    """Find a star at the law that the command uses, and none for a column that the command does not have."""
    _, column, verdict, _, _ = TABLES[name]
    starred = [line.split() for line in printed.splitlines() if line.startswith("*")]
    legends = " ".join(printed.split()).count("* marks the law that the command uses")
    if verdict == OTHER:
        assert (starred, legends) == ([], 0)
        return
    words = shlex.split(next(line for line in printed.splitlines() if line.startswith("command")))
    gamma = words[words.index("--gamma") + 1]
    widths = ["*", gamma, "independent"] if name != "frequent" else None  # which has no column to cross by
    options = ["*", gamma, f"1/{gamma}"] if column in words else None
    assert [row[:3] for row in starred] == [each for each in (widths, options) if each]
    assert legends == len(starred)


def test_the_command_promises_what_the_advice_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two skewed columns the bound is that of both together; values that are texts are not listed."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{'no' if n % 3 else 'abc'[n % 7 % 3]},{'yes' if n % 4 == 0 else 'no'}" for n in range(600)]
    Path("t.csv").write_text("\n".join(["drug,crime", *rows]) + "\n")
    columns = ["--sensitive", "drug", "--sensitive", "crime"]
    assert main(["advise", "t.csv", *columns]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "e^epsilon = 15 for its 2 sensitive values together (epsilon <= 2.709, rounded up), with" in said
    assert "probability up to 3/4" in said
    found = _advice(capsys, "t.csv", *columns)
    domains = {"drug": ["no", "a", "b", "c"], "crime": ["yes", "no"]}
    Path("domain.json").write_text(json.dumps(domains))
    assert main([*shlex.split(found["command"])[1:], "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["amplification"] == "15"
    assert "keep their order" not in printed.err
    Path("domain.json").write_text(json.dumps(domains | {"other": ["p", "q"]}))
    assert main([*shlex.split(found["command"])[1:], "--force"]) == 2
    assert "column 'other' is not sensitive: add --sensitive other" in capsys.readouterr().err
    Path("t.csv").write_text(
        "\n".join(["drug,note", *(f"a,{n if n % 5 == 0 else 'none'}" for n in range(600))])
    )
    found = _advice(capsys, "t.csv", "--sensitive", "note")
    assert found["command"].startswith("splu-ref advise t.csv --sensitive note --group-rare note=11")
    assert main(shlex.split(found["command"])[1:]) == 0
    assert "no bound for a record" in " ".join(capsys.readouterr().out.split())


def test_retention_replacement_shows_the_true_value_as_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("\n".join(_even()) + "\n")
    found = _advice(capsys, "t.csv", "--sensitive", "job", "--table", "sex,job")
    words = shlex.split(found["command"])
    keep = Fraction(words[words.index("--retention") + 1])
    [table] = found["tables"]
    assert table["columns"] == ["sex", "job"]
    best = found["recommendation"]
    chances = {Fraction(each["true_value"]) for each in table["widths"] if each["mechanism"] == "retention"}
    assert keep + (1 - keep) / 4 == Fraction(1, 2)
    assert keep + (1 - keep) / 4 in chances
    laws = {each["draws"] for each in table["widths"] if each["gamma"] == best["gamma"]}
    assert laws == {"independent", "capped:10", "all-or-none:10"}
    assert main(["advise", "t.csv", "--sensitive", "job", "--table", "sex"]) == 2
    assert "--table sex: name one sensitive column (job)" in capsys.readouterr().err
    assert main(["advise", "t.csv", "--sensitive", "job", "--table", "sxe,job"]) == 2
    assert "no column 'sxe'" in capsys.readouterr().err
    more = ["k", *("xy"[n // 2 % 2] for n in range(1205))]
    Path("t.csv").write_text("\n".join(map(",".join, zip(_frequent(), more, strict=True))) + "\n")
    crossed = _advice(capsys, "t.csv", "--sensitive", "ill", "--table", "part,k,ill")
    assert [table["columns"] for table in crossed["tables"]] == [["k", "ill_part"]]
    [shown] = crossed["crossed"]
    assert (shown["column"], list(shown["parts"])) == ("ill_part", ["ill", "part"])
    words = crossed["command"].split()
    gamma = int(words[words.index("--gamma") + 1])
    assert all(1 / gamma < chance < 1 for chance in shown["parts"].values()), shown


@pytest.mark.slow
@pytest.mark.usefixtures("without_widths")
def test_remedies_for_two_columns_go_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    draw = random.Random(2)
    rows = (
        (draw.choice("PQR"), draw.choice("klmno"), f"n{n}", draw.choice("aabbc"), draw.choice("ddeef"))
        for n in range(1194)
    )
    rare = (("P", "k", f"r{n}", "z", "w") for n in range(6))
    lines = [",".join(row) for row in (("p", "q", "name", "x", "y"), *rows, *rare)]
    Path("t.csv").write_text("\n".join(lines) + "\n")
    found = _advice(capsys, "t.csv", "--sensitive", "x", "--sensitive", "y")
    assert found["verdict"] == "change first"
    assert {each["ground"] for each in found["reasons"]} == {"goals", "disclosure"}
    assert all(f"--cross {name}" in found["command"] for name in ("x_p=", "y_q="))
    assert main(shlex.split(found["command"])[1:]) == 0
    assert set(read_table("published.csv").columns) == {"x_p", "y_q"}


@pytest.mark.usefixtures("without_widths")
def test_the_command_for_domains_writes_them_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = [
        "it's",
        "100%s",
        "a\\nb",
        '"q"',
        "$HOME",
        "`id`",
        "ñ ü",
        "-n",
        "!x",
        "two\nlines",
        "a\u202eb",
        "c\xa0d",
        "\x7f",
        "\U000e0041",
    ]
    table = pl.DataFrame({"ill": [*odd, "no"] * 12 + ["no"] * 400})
    write_table(Microdata.from_frame(table), "t.csv")
    assert main(["advise", "t.csv", "--sensitive", "ill"]) == 0
    lines = capsys.readouterr().out.splitlines()
    command, declare = (
        next(line.removeprefix(label) for line in lines if line.startswith(label))
        for label in ("command  splu-ref ", "declare  ")
    )
    subprocess.run(["/bin/sh", "-c", declare], check=True)
    domain = {"ill": ["no", *sorted(odd)]}
    assert json.loads(Path("domain.json").read_text(encoding="utf-8")) == domain
    assert read_domains(Path("domain.json")) == {"ill": tuple(domain["ill"])}
    assert main(shlex.split(command)) == 0
    [stated] = json.loads(Path("published.json").read_text(encoding="utf-8"))["sensitive"]
    assert sorted(stated["domain"]) == sorted(domain["ill"])


@pytest.mark.usefixtures("without_widths")
def test_what_is_declared_and_promised_is_of_the_columns_that_the_command_publishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a column and its families, none of which is rare, the families are derived."""
    monkeypatch.chdir(tmp_path)
    jobs = [f"job {row % 6}" for row in range(240)]
    table = pl.DataFrame({"job": jobs, "kin": [str(int(job[-1]) // 2) for job in jobs]})
    write_table(Microdata.from_frame(table), "t.csv")
    assert main(["advise", "t.csv", "--sensitive", "job", "--sensitive", "kin"]) == 0
    lines = capsys.readouterr().out.splitlines()
    declare = next(place for place, line in enumerate(lines) if line.startswith("declare"))
    assert lines[declare + 1].split()[:2] == ["first,", "and"]
    assert "together" not in " ".join(lines)
    assert "with 6 declared values" in " ".join(" ".join(lines).split())
    subprocess.run(["/bin/sh", "-c", lines[declare].removeprefix("declare  ")], check=True)
    assert json.loads(Path("domain.json").read_text(encoding="utf-8")).keys() == {"job"}
    assert main(shlex.split(lines[declare - 1].removeprefix("command  splu-ref "))) == 0
