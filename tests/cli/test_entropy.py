from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main

HEAD = 'schema = "splu-ref/world/1"\n'
COIN = '[[record]]\ntimes = 2\nlaw = {no = "2/3", yes = "1/3"}\n'
NUMBERS = '[[record]]\nlaw = {1 = "1/2", 2 = "1/2"}\n[[record]]\nlaw = {1 = "1/2", 4 = "1/2"}\n'
PAIRS = "".join(f'[[table]]\nvalues = {pair}\nprobability = "1/2"\n' for pair in ('["a", "b"]', '["b", "a"]'))


def _file(folder: Path, text: str) -> str:
    path = folder / "world.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return str(path)


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["entropy", *words, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def _losses(found: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {row["released"]: (row["probability"], row["loss"]) for row in found["outcomes"]}


def test_the_three_salaries(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parents[2] / "docs" / "examples" / "salaries.toml"
    found = _json(capsys, str(path))
    assert [row["released"] for row in found["outcomes"]] == [
        "100", "400/3", "500/3", "200", "700/3", "800/3", "300",
    ]  # fmt: skip
    middle = found["outcomes"][3]
    assert middle == {
        "released": "200",
        "probability": "7/27",
        "loss": "4/7 + 10/7 lg 3 - lg 7",
        "exact": {"2": "4/7", "3": "10/7", "7": "-1"},
        "decimal": "0.0283057932584",
    }
    assert (found["title"], found["records"], found["tables"]) == ("Three salaries", 3, 27)
    assert (found["release"], found["base"]) == ("mean", "2")
    assert found["entropies"] == [{"loss": "lg 3", "exact": {"3": "1"}, "decimal": "1.58496250073"}] * 3
    assert found["expected"]["loss"] == "2/3 lg 3 - 7/27 lg 7"
    assert found["mutual_information"]["records"] == [found["expected"]] * 3
    assert found["mutual_information"]["table"]["loss"] == "-4/9 + 7/3 lg 3 - 7/27 lg 7"
    assert found["min_entropy_leakage"]["exact"] == {"7": "1"}
    assert found["worst"]["decimal"] == "1.58496250073"
    assert found["relative"] == ["0.207455324292"] * 3
    assert _json(capsys, str(path), "--released", "200")["outcomes"] == [middle]
    assert _json(capsys, str(path), "--base", "3")["outcomes"][0]["decimal"] == "1"


@pytest.mark.parametrize(
    ("release", "losses"),
    [
        ('publish = "count"\nof = ["yes"]', {
            "0": ("4/9", "-2/3 + lg 3"), "1": ("4/9", "-5/3 + lg 3"), "2": ("1/9", "-2/3 + lg 3"),
        }),
        ('publish = "predicate"\nof = ["yes"]\nat-least = 2', {
            "true": ("1/9", "-2/3 + lg 3"), "false": ("8/9", "-8/3 + 7/4 lg 3"),
        }),
        ('publish = "histogram"', {
            "no: 2": ("4/9", "-2/3 + lg 3"), "no: 1, yes: 1": ("4/9", "-5/3 + lg 3"),
            "yes: 2": ("1/9", "-2/3 + lg 3"),
        }),
    ],
)  # fmt: skip
def test_functions_of_values(
    release: str, losses: dict[str, tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _losses(_json(capsys, _file(tmp_path, f"{COIN}[release]\n{release}\n")))
    assert found == losses


@pytest.mark.parametrize(
    ("kind", "values"),
    [("sum", ["2", "3", "5", "6"]), ("mean", ["1", "3/2", "5/2", "3"]), ("max", ["1", "2", "4"])],
)
def test_functions_of_numbers(
    kind: str, values: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _losses(_json(capsys, _file(tmp_path, f'{NUMBERS}[release]\npublish = "{kind}"\n')))
    assert list(found) == values
    if kind == "max":  # the second record is known, and of the first nothing is
        assert found["4"] == ("1/2", "1")


@pytest.mark.parametrize(
    ("mechanism", "outcomes"),
    [
        (
            '"splu-gen"\ngamma = 2\nretention = "3/4"',
            {"a, b": "5/16", "b, a": "5/16", "a, a": "3/16", "b, b": "3/16"},
        ),
        ('"retention"\nretention = "1/2"', {"a, b": "5/16", "a, a": "3/16", "b, b": "3/16"}),
        ('"distribution"', {"a, b": "1/4", "a, a": "1/4"}),
        ('"anatomy"\ngamma = 2\nplan = "cyclic"', {"0: a or b, 0: a or b": "1"}),
    ],
)
def test_mechanisms(
    mechanism: str, outcomes: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f'{PAIRS}[release]\npublish = "mechanism"\nmechanism = {mechanism}\n'
    found = {name: chance for name, (chance, _) in _losses(_json(capsys, _file(tmp_path, text))).items()}
    assert {name: found[name] for name in outcomes} == outcomes


def test_only_tables_that_can_be_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = COIN + '[release]\npublish = "mechanism"\nmechanism = "splu-gen"\ngamma = 2\n'
    assert main(["entropy", _file(tmp_path, text)]) == 2
    assert "the table no, no: " in capsys.readouterr().err
    found = _json(capsys, _file(tmp_path, text + "publishable = true\n"))
    assert found["tables"] == 2
    assert found["mutual_information"]["table"]["loss"] == "0"


def test_people_are_reported_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, f'{COIN}[release]\npublish = "count"\nof = ["yes"]\n')
    assert main(["entropy", path, "--base", "4"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "1 with probability 4/9: -0.0408520 to base 4 = -5/3 + lg 3" in shown
    assert "worst, gains as 0 0.459148 to base 4 = -2/3 + lg 3" in shown


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("", "say the records"),
        (COIN, "release is missing"),
        (f"{COIN}[release]\n", "publish is missing"),
        (f'{COIN}[release]\npublish = "median"\n', "line 6: publish is 'median'"),
        (f'{COIN}[release]\npublish = "sum"\n', "a value is 'no', not a number"),
        (f'{COIN}[release]\npublish = "sum"\nof = ["no"]\n', "no key 'of'"),
        (f'{COIN}[release]\npublish = "count"\n', "of is missing"),
        (f'{COIN}[release]\npublish = "count"\nof = "no"\n', "of is no list of values"),
        (f'{COIN}[release]\npublish = "count"\nof = ["maybe"]\n', "'maybe' is no value of any record"),
        (f"{COIN}{PAIRS}", "say the records"),
        ('[[record]]\nlaw = {a = "1/2"}\n', "law of record 1 adds up to 1/2"),
        ("[[record]]\nlaw = {a = 0.5, b = 0.5}\n", 'not exact: write a = "0.5"'),
        ("[[record]]\nlaw = 3\n", "a law has a probability for each value"),
        ("[[record]]\ntimes = 3\n", "law is missing"),
        ('[[record]]\ntimes = 21\nlaw = {a = "1"}\n', "more than 20 records"),
        ('[[record]]\ntimes = 20\nlaw = {a = "1/2", b = "1/2"}\n', "has 1048576 tables, and at most 1000000"),
        (PAIRS.replace('"1/2"', '"1/3"'), "adds up to 2/3"),
        (PAIRS.replace('"b", "a"', '"a", "b"'), "listed twice"),
        (f'{PAIRS}[release]\npublish = "mechanism"\nmechanism = "magic"\n', "mechanism is 'magic'"),
        (f'{PAIRS}[release]\npublish = "mechanism"\nmechanism = "splu-gen"\n', "gamma is missing"),
        (
            f'{PAIRS}[release]\npublish = "mechanism"\nmechanism = "distribution"\ngamma = 2\n',
            "no key 'gamma'",
        ),
        (f'{PAIRS}[release]\npublish = "histogram"\nextra = 1\n', "no key 'extra'"),
    ],
)
def test_what_is_no_world(text: str, remedy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["entropy", _file(tmp_path, text)]) == 2
    reported = capsys.readouterr()
    assert reported.out == ""
    assert remedy in reported.err
    assert reported.err.count("\n") == 1
    assert "world.toml" in reported.err


def test_what_is_refused_besides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _file(tmp_path, f'{COIN}[release]\npublish = "count"\nof = ["yes"]\n')
    assert main(["entropy", path, "--released", "3"]) == 2
    assert "--released 3 is impossible" in capsys.readouterr().err
    assert main(["entropy", path, "--base", "1"]) == 2
    assert "give a base above 1" in capsys.readouterr().err
    assert main(["entropy", str(tmp_path / "none.toml")]) == 2
    short = "".join(f'{number} = "1/40", ' for number in range(40))
    three = f"[[record]]\ntimes = 3\nlaw = {{{short[:-2]}}}\n"
    assert main(["entropy", _file(tmp_path, f'{three}[release]\npublish = "histogram"\n')]) == 2
    assert "more than 10000 values can be released" in capsys.readouterr().err
