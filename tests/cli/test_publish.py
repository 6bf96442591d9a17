from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.mechanisms import RetentionReplacement, read_manifest

RETENTION = ["--mechanism", "retention", "--retention", "1/5"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'FM'[i % 2]},{'abc'[i % 3]},{20 + i % 7},{i}\n" for i in range(60))
    Path("t.csv").write_text(f"sex,job,age,id\n{rows}", encoding="utf-8")
    domains = {"job": ["a", "b", "c", "d"], "age": {"min": 20, "max": 29}}
    Path("domain.json").write_text(json.dumps(domains), encoding="utf-8")
    return tmp_path


def _published(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", "--json", *words]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def _rows(name: str = "p.csv") -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("folder")
def test_retention_from_a_file_of_domains(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RETENTION, "--domain", "domain.json", "--seed", "1", "--manifest", "m.json"]
    found = _published(capsys, *words)
    digest = found["parameters"].pop("domains")
    assert found == {
        "mechanism": "retention replacement",
        "rows_in": 60,
        "rows_out": 60,
        "suppressed": 0,
        "sensitive": ["age", "job"],
        "domain_size": [10, 4],
        "parameters": {"retention": "1/5", "replacing": "uniform", "order": "kept"},
        "randomness": "seeded",
        "amplification": "7",  # (1 + 4/4) (1 + 10/4)
        "epsilon": "1.94591014906",
    }
    told = read_manifest(Path("m.json"))
    ages = [str(age) for age in range(20, 30)]
    assert told.mechanism == RetentionReplacement("1/5", {"job": "abcd", "age": ages})
    assert told.mechanism.facts()["domains"] == digest
    published = _rows()
    # The order is that of the table; values that no record has are published.
    assert [row["id"] for row in published] == [str(i) for i in range(60)]
    assert "d" in {row["job"] for row in published}
    assert {row["age"] for row in published} & {"27", "28", "29"}
    assert [row["sex"] for row in published] == ["F", "M"] * 30


@pytest.mark.usefixtures("folder")
def test_one_column_of_the_file_and_rows_in_a_random_order(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RETENTION, "--domain", "domain.json", "--column", "job", "--seed", "1"]
    assert _published(capsys, *words)["amplification"] == "2"
    kept = _rows()
    found = _published(capsys, *words, "--shuffle", "--manifest", "m.json")
    assert found["parameters"]["order"] == "shuffled"
    mechanism = read_manifest(Path("m.json")).mechanism
    assert isinstance(mechanism, RetentionReplacement)
    assert mechanism.shuffled
    shuffled = _rows()
    assert [row["id"] for row in shuffled] != [row["id"] for row in kept]
    # Coins and replacements are drawn before the permutation: each record says the same.
    assert sorted(shuffled, key=lambda row: int(row["id"])) == kept


@pytest.mark.usefixtures("folder")
def test_a_domain_from_the_table_promises_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "t.csv", "-o", "p.csv", *RETENTION, "--column", "job", "--observed-domain", "--json"]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "the domain is a fact about the data" in told.err
    found = json.loads(told.out)
    assert (found["epsilon"], found["amplification"], found["domain_size"]) == (None, None, [3])
    assert {row["job"] for row in _rows()} <= set("abc")


@pytest.mark.usefixtures("folder")
def test_splu_gen_is_what_sanitize_publishes(capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--gamma", "3", "--sensitive", "job", "--seed", "5", "--retention", "1/2"]
    found = _published(capsys, "--mechanism", "splu-gen", *common)
    assert (found["mechanism"], found["epsilon"]) == ("SPLU-Gen", None)
    assert main(["sanitize", "t.csv", "-o", "s.csv", *common]) == 0
    assert Path("s.csv").read_bytes() == Path("p.csv").read_bytes()


@pytest.mark.usefixtures("folder")
def test_distribution_has_no_options(capsys: pytest.CaptureFixture[str]) -> None:
    found = _published(capsys, "--mechanism", "distribution", "--column", "job", "--seed", "5")
    assert (found["mechanism"], found["parameters"], found["epsilon"]) == ("DBR", {}, None)
    assert main(["publish", "t.csv", "-o", "q.csv", "--mechanism", "distribution", "--column", "job"]) == 0
    assert "depends on others" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("folder")
def test_a_key_repeats_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "k", "--json"]) == 0
    capsys.readouterr()
    words = [*RETENTION, "--domain", "domain.json", "--key-file", "k", "--id", "id"]
    assert _published(capsys, *words)["randomness"] == "keyed"
    once = _rows()
    _published(capsys, *words)
    assert _rows() == once


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--mechanism", "swap", "--column", "job"], "choose one of splu-gen, distribution, retention"),
        ([*RETENTION, "--domain", "domain.json", "--gamma", "3"], "--gamma is no option of --mechanism ret"),
        (["--mechanism", "distribution", "--shuffle", "--column", "job"], "which knows none of its own"),
        (
            ["--mechanism", "splu-gen", "--gamma", "3", "--column", "job", "--observed-domain"],
            "--observed-domain is no option of --mechanism splu-gen, which knows --gamma, --plan",
        ),
        (["--mechanism", "splu-gen", "--column", "job"], "needs --gamma"),
        (["--mechanism", "splu-gen", "--gamma", "3"], "--column NAME"),
        (["--mechanism", "splu-gen", "--gamma", "3", "--retention", "1"], "choose less than 1"),
        (["--mechanism", "retention", "--domain", "domain.json"], "needs --retention"),
        ([*RETENTION, "--column", "job"], "say which values may be published"),
        ([*RETENTION, "--domain", "domain.json", "--observed-domain"], "say which values may be published"),
        ([*RETENTION, "--observed-domain"], "name it, --column NAME"),
        (
            [*RETENTION, "--domain", "domain.json", "--column", "sex"],
            "column 'sex' is not there",
        ),
        ([*RETENTION, "--domain", "t.csv"], "not a JSON file"),
        ([*RETENTION, "--domain", "none.json"], "no such file"),
        ([*RETENTION, "--domain", "domain.json", "--key-file", "k", "--seed", "1"], "exclude each other"),
        ([*RETENTION, "--domain", "domain.json", "--manifest", "domain.json"], "the same file"),
    ],
)
def test_what_is_refused_writes_nothing(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", *words]) == 2
    told = capsys.readouterr()
    assert remedy in told.err
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert not Path("p.csv").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("declared", "remedy"),
    [
        ("[]", "no column is there"),
        ("{}", "no column is there"),
        ('{"job": ["a", "b"], "job": ["a", "c"]}', "stands there twice"),
        ('{"job": "abc"}', "column 'job': a domain is a list"),
        ('{"job": ["a", 1.5]}', "column 'job': a domain is a list"),
        ('{"job": ["a"]}', "column 'job': 1 values: a domain has 2 to 100000"),
        ('{"job": ["a", "b"]}', "t.csv: column 'job' holds 'c' in row 3"),
        ('{"age": {"min": 20}}', "a range has two whole numbers"),
        ('{"age": {"min": 20, "max": 26.5}}', "a range has two whole numbers"),
        ('{"age": {"min": true, "max": 26}}', "a range has two whole numbers"),
        ('{"age": {"min": 26, "max": 20}}', "correct its ends"),
        ('{"age": {"min": 0, "max": 99999}}', ""),
        ('{"age": {"min": 0, "max": 100000}}', "correct its ends"),
        ('{"age": [20, 21, 22, 23, 24, 25, "26"]}', ""),
    ],
)
def test_files_of_domains(declared: str, remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.json").write_text(declared, encoding="utf-8")
    words = ["publish", "t.csv", "-o", "p.csv", *RETENTION, "--domain", "d.json"]
    assert main(words) == (2 if remedy else 0)
    assert remedy in capsys.readouterr().err
    assert Path("p.csv").exists() == (not remedy)
