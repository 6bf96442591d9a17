from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.guarantees import UnverifiedError

LEVELS = ["--rho1", "1/5", "--rho2", "1/2"]
WORDS = ["operator", "--prior", "jobs.csv", "--column", "job", *LEVELS]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs.csv").write_text("job\n" + "a\n" * 50 + "b\n" * 30 + "c\n" * 2, encoding="utf-8")


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*WORDS, *words, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_against_every_prior(capsys: pytest.CaptureFixture[str]) -> None:
    # G = 4: all three values would keep 4/6, the first two 4/5 of 80/82.
    found = _json(capsys)
    assert {name: found[name] for name in found if "variances" not in name} == {
        "keep": "share", "against": "any", "rho1": "1/5", "rho2": "1/2", "values": 3,
        "objective": "32/41", "uniform_objective": "2/3", "uniform_retention": "1/2", "rank": 2,
        "never_published": ["c"], "amplification": "4", "condition_number": None, "certified": True,
    }  # fmt: skip
    assert found["variances"] == {"a": None, "b": None, "c": None}
    assert set(found["uniform_variances"]) == {"a", "b", "c"}
    assert main(WORDS) == 0
    reported = capsys.readouterr().out.splitlines()
    assert reported[0].startswith("cannot be inverted    rank 2 of 3: no unbiased estimate")


def test_the_mean_keeps_every_value(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--keep", "mean")
    assert (found["objective"], found["rank"], found["never_published"]) == ("2/3", 3, [])
    assert found["variances"] == found["uniform_variances"]
    # The inverse of I/2 + 1 1'/6 is 2 I - 1 1'/3: 5/3 + 1/3 + 1/3.
    assert found["condition_number"] == "2.33334"
    assert main([*WORDS, "--keep", "mean"]) == 0
    assert "variance" in capsys.readouterr().out


def test_a_matrix_is_certified_and_published_by(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--against", "values", "-o", "matrix.json", "--certificate", "best.json"]
    assert main([*WORDS, *words]) == 0
    reported = capsys.readouterr()
    assert "matrix.json (publish with it" in " ".join(reported.out.split())
    assert "the matrix depends on the counts of jobs.csv" in reported.err
    assert main(["check", "best.json"]) == 0
    assert "40/41" in " ".join(capsys.readouterr().out.split())  # two others are published with the two of c
    publish = ["publish", "jobs.csv", "-o", "p.csv", "--mechanism", "operator", "--matrix", "matrix.json"]
    assert main([*publish, "--manifest", "m.json", "--seed", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["mechanism"], found["sensitive"], found["amplification"]) == ("operator", "job", None)
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--where", "job=a|b|c", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["estimate"] == 82
    assert main([*WORDS, *words]) == 2
    assert "matrix.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--keep", "most"], "choose from share, mean, least"),
        (["--against", "all"], "choose from share, mean, least and any, values, sets"),
        (["--column", "none"], "jobs.csv"),
        (["--certificate", "matrix.json"], "are the same file"),
        (["--certificate", "jobs.csv", "--force"], "are the same file"),
        (["--rho2", "1/6"], "give 0 < rho1 < rho2 < 1"),
    ],
)
def test_unusable_options(words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, *words, "-o", "matrix.json"]) == 2
    assert remedy in capsys.readouterr().err
    assert not Path("matrix.json").exists()


def test_an_answer_that_was_not_verified_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise UnverifiedError("the program's answer could not be verified exactly: choose other levels")

    monkeypatch.setattr("splu_ref.guarantees.operators.choice.best_under_prior", refuse)
    assert main([*WORDS, "--against", "sets", "-o", "matrix.json"]) == 2
    assert "could not be verified exactly" in capsys.readouterr().err
    assert not Path("matrix.json").exists()


GOOD = {"column": "job", "values": ["a", "b", "c"], "matrix": [["1", "0", "0"]] * 3}


@pytest.mark.parametrize(
    ("document", "remedy"),
    [
        ("{", "not a JSON file"),
        ('{"column": "job", "column": "job"}', "a key is repeated"),
        ([], "names no column"),
        ({**GOOD, "more": 1}, "an operator has a column, values and a matrix"),
        ({**GOOD, "column": 3}, "the column is a text"),
        ({**GOOD, "values": "abc"}, "the column is a text and the values a list of texts"),
        ({**GOOD, "matrix": [[1, 0, 0]] * 3}, "the matrix is a list of rows of texts"),
        ({**GOOD, "matrix": [["1", "0"]] * 3}, "matrix.json: the matrix must have 3 rows of 3 entries"),
        ({**GOOD, "values": ["a", "b", "d"]}, "job"),
        ({**GOOD, "column": "none"}, "none"),
    ],
)
def test_unusable_matrices(document: object, remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    reported = document if isinstance(document, str) else json.dumps(document)
    Path("matrix.json").write_text(reported, encoding="utf-8")
    words = ["publish", "jobs.csv", "-o", "p.csv", "--mechanism", "operator", "--matrix", "matrix.json"]
    assert main(words) == 2
    assert remedy in capsys.readouterr().err
    assert not Path("p.csv").exists()


def test_publish_needs_a_matrix_for_this_mechanism_alone(capsys: pytest.CaptureFixture[str]) -> None:
    start = ["publish", "jobs.csv", "-o", "p.csv", "--column", "job", "--mechanism"]
    assert main([*start, "operator"]) == 2
    assert "needs --matrix" in capsys.readouterr().err
    assert main([*start, "operator", "--matrix", "none.json"]) == 2
    assert "none.json: there is no such file" in capsys.readouterr().err
    assert main([*start, "swap", "--retention", "1/2", "--matrix", "none.json"]) == 2
    assert "--matrix is no option of --mechanism swap" in capsys.readouterr().err


@pytest.mark.parametrize(("against", "most"), [("any", 60), ("values", 60), ("sets", 20)])
def test_the_limit_of_values_is_that_of_whom_it_is_against(
    against: str, most: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "many.csv"
    table.write_text("job\n" + "".join(f"j{number}\n" for number in range(most + 1)))
    words = [
        "--prior",
        str(table),
        "--column",
        "job",
        "--rho1",
        "1/10",
        "--rho2",
        "1/2",
        "--against",
        against,
    ]
    assert main(["operator", *words]) == 2
    reported = capsys.readouterr().err
    assert f"has {most + 1} values" in reported
    assert f"--against {against} is computed for at most {most}:" in reported
