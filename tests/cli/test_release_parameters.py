"""What a release promises, reported by its manifest: every column by its gamma, retention and draws."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.cli import main
from splu_ref.data import Microdata
from splu_ref.mechanisms import DistributionBased, SpluGen, SpluGenByColumn, append
from splu_ref.randomness import SeededSource
from tests.cli.test_schemas import refused

FRAME = pl.DataFrame(
    {"job": list("abcdef" * 10), "town": list("klmnopqrst" * 6), "age": ["1", "2", "3"] * 20}
)
MECHANISM = SpluGenByColumn({"job": SpluGen(3), "town": SpluGen(5), "age": SpluGen(3)})
SHARED = ["--epsilon", "0.3"]
REQUESTS = {
    "privacy": ["--alpha", "4", "--at-least", "0.2", "--releases", "2"],
    "utility": ["--t-e", "0.1"],
    "concept": ["--alpha", "3", "--method", "exact"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manifests of releases of one table, each published in another way."""
    path = tmp_path_factory.mktemp("promised")
    table, source = Microdata.from_frame(FRAME), SeededSource(1)
    kept = SpluGenByColumn({"job": SpluGen(3, "1/2"), "town": SpluGen(5)})
    capped = SpluGen(3, draws="capped:4").publish(table, ["job", "town"], source)
    for name, release in {
        "own": MECHANISM.publish(table, ["job", "town", "age"], source),
        "kept": kept.publish(table, ["job", "town"], source),
        "capped": capped,
        "open": SpluGen(5, draws="capped:10").publish(table, "town", source),
        "grown": append(capped, table, source),
        "cyclic": SpluGen(3, plan="cyclic").publish(table, "job", source),
        "drawn": DistributionBased().publish(table, "job", source),
    }.items():
        release.write(path / f"{name}.csv", path / f"{name}.json")
    return path


@pytest.fixture
def reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Any]:
    """What a command prints as JSON, at an exit code."""
    monkeypatch.chdir(folder)

    def answer(*words: str, code: int = 0) -> Any:
        capsys.readouterr()
        assert main([*words, *SHARED, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    return answer


@pytest.mark.parametrize("name", REQUESTS)
def test_each_column_is_promised_what_its_parameters_are(name: str, reported: Callable[..., Any]) -> None:
    found = reported(name, "--manifest", "own.json", *REQUESTS[name])
    refused(name, found)
    columns = {each["column"]: each["promise"] for each in found["columns"]}
    assert list(columns) == ["job", "age", "town"]  # those with the same parameters together
    for column, gamma in (("job", "3"), ("age", "3"), ("town", "5")):
        assert columns[column] == reported(name, "--gamma", gamma, *REQUESTS[name])


@pytest.mark.parametrize("name", ["privacy", "utility"])
def test_retention_is_that_of_the_manifest(name: str, reported: Callable[..., Any]) -> None:
    found = reported(name, "--manifest", "kept.json", *REQUESTS[name])
    promises = [each["promise"] for each in found["columns"]]
    assert promises[0] == reported(name, "--gamma", "3", "--retention", "1/2", *REQUESTS[name])
    assert promises[0]["retention"] == "1/2"


def test_all_columns_must_reach_what_is_requested(reported: Callable[..., Any]) -> None:
    levels = [
        each["promise"]["t_p_definition"]["decimal"]
        for each in reported("privacy", "--manifest", "own.json", "--alpha", "4")["columns"]
    ]
    assert levels[0] == levels[1] < levels[2]
    for level, code in ((levels[0], 0), (levels[2], 1)):
        found = reported("privacy", "--manifest", "own.json", "--alpha", "4", "--at-least", level, code=code)
        assert found["holds"] is (code == 0)
        assert [each["promise"]["holds"] for each in found["columns"]] == [code == 0, code == 0, True]
    assert reported("privacy", "--manifest", "own.json", "--alpha", "4")["holds"] is None
    open_for_all = ["privacy", "--manifest", "open.json", "--alpha", "40", "--at-least", "0.00005"]
    assert reported(*open_for_all, code=3)["holds"] is None


def test_draws_and_values_are_those_of_the_manifest(reported: Callable[..., Any]) -> None:
    found = reported("utility", "--manifest", "capped.json", "--t-e", "0.1")["columns"]
    for each, values in zip(found, ("6", "10"), strict=True):
        drawn = ["--gamma", "3", "--draws", "capped:4", "--values", values]
        assert each["promise"] == reported("utility", *drawn, "--t-e", "0.1")
    level = reported("privacy", "--manifest", "capped.json", "--alpha", "4")
    assert [each["promise"]["draws"] for each in level["columns"]] == ["capped:4", "capped:4"]
    conjunction = ["--frequency", "10", "--predicate-count", "12", "--concept-count", "3"]
    [job, _, town] = reported("utility", "--manifest", "own.json", *conjunction)["columns"]
    assert job["promise"] == reported("utility", "--gamma", "3", "--rows", "60", *conjunction)
    assert town["promise"]["rows"] == 60


def test_a_certificate_is_of_one_law(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    requested = ["privacy", *SHARED, "--alpha", "3", "--certificate", "t_p.json", "--manifest"]
    assert main([*requested, "own.json"]) == 2
    assert "those of job, age and town differ" in capsys.readouterr().err
    assert not Path("t_p.json").exists()
    assert main([*requested, "capped.json"]) == 0
    assert capsys.readouterr().out.startswith("column             job, town")
    assert main(["check", "t_p.json"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("privacy --alpha 3", "no parameters: give --gamma, or the release's --manifest"),
        ("privacy --alpha 3 --manifest own.json --gamma 3", "--gamma 3 contradicts the manifest"),
        ("utility --t-e 0.1 --manifest own.json --retention 1/2", "--retention 1/2 contradicts the manifest"),
        ("concept --alpha 3 --manifest own.json --draws capped:4", "which has independent"),
        ("privacy --alpha 3 --manifest own.json --table own.csv --sensitive job", "leave out one"),
        ("utility --t-e 0.1 --manifest capped.json --values 6", "leave it out"),
        ("utility --t-e 0.1 --manifest own.json --table own.csv --sensitive job", "leave out one"),
        ("concept --alpha 3 --manifest kept.json", "the manifest states 1/2 for job"),
        ("concept --alpha 5 --manifest capped.json", "capped draws up to the cap"),
        ("privacy --alpha 5 --manifest grown.json", "batches, each with its own draws capped:4"),
        ("utility --t-e 0.1 --manifest grown.json", "is not known for all tables;"),
        ("utility --frequency 5 --manifest grown.json", "give a --frequency up to 4"),
        ("utility --frequency 13 --manifest own.json", "with gamma = 5 a value has at most 12"),
        (
            "utility --frequency 9 --predicate-count 9 --concept-count 2 --manifest cyclic.json",
            "need one mixed plan over the whole table, and the manifest states the plan cyclic",
        ),
        (
            "utility --frequency 9 --predicate-count 9 --concept-count 2 --rows 60 --manifest own.json",
            "leave out --rows",
        ),
        ("privacy --alpha 3 --manifest drawn.json", "drawn.json: this is a release by DBR"),
        ("privacy --alpha 3 --manifest none.json", "none.json: there is no such file"),
    ],
)  # fmt: skip
def test_what_a_manifest_does_not_show_is_refused(
    words: str,
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert main([*words.split(), *SHARED]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "instead"),
    [
        (
            "--mechanism retention --retention 1/2 --observed-domain",
            "splu-ref breach --manifest m.json --rho1",
        ),
        ("--mechanism swap --retention 1/2", "splu-ref breach --manifest m.json --prior PUBLISHED --rho1"),
        (
            "--mechanism alpha-beta --alpha 1/2 --beta 1/5 --observed-domain --distinct --sensitive town",
            "splu-ref useful --alpha 1/2 --beta 1/5 --m 8 ",
        ),
        (
            "--mechanism small-domains --by town --observed-domain --rho1 1/5 --rho2 1/2",
            "splu-ref breach --retention 3/5 --values 2 --rho1",
        ),
        ("--mechanism distribution", "splu-ref audit-release PUBLISHED --manifest m.json"),
    ],
)
def test_a_promise_of_another_mechanism_names_its_command(
    options: str,
    instead: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'abcd'[n % 4]},{'xy'[n % 2]}\n" for n in range(60))
    Path("t.csv").write_text("job,town\n" + rows)
    publish = f"publish t.csv -o p.csv --manifest m.json --sensitive job --seed 1 {options}"
    assert main(publish.split()) == 0
    capsys.readouterr()
    assert main(["privacy", "--manifest", "m.json", "--alpha", "3", *SHARED]) == 2
    assert f"use {instead}" in capsys.readouterr().err


def test_small_counts_of_a_release_that_grew_have_the_law_of_one_table(reported: Callable[..., Any]) -> None:
    grown, once = (
        reported("privacy", "--manifest", f"{name}.json", "--alpha", "4") for name in ("grown", "capped")
    )
    assert grown == once
