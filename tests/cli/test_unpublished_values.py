"""Values that a manifest lists and no published row has are counted, and warned of."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from splu_ref.cli import main
from splu_ref.randomness import Key

VALUES = [f"v{number}" for number in range(61)]
"""The sensitive value of each record: groups of two leave one record over, which is deleted."""
TABLE = "part,job\n" + "".join(f"{number % 3},{value}\n" for number, value in enumerate(VALUES))
KEYED = ("--key-file", "key")
DOMAIN = ("--domain", "domain.json")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "domain.json").write_text(json.dumps({"job": [*VALUES, "never"]}))
    Key.generate().write(tmp_path / "key")
    monkeypatch.chdir(tmp_path)


def published(words: Sequence[str], shown: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Publish; return how many listed values no row of the file has, and the warning."""
    capsys.readouterr()
    outputs = ["-o", "out.csv", "--manifest", "m.json", "--sensitive", "job", "--force", "--json"]
    assert main([*words, *outputs]) == 0
    printed = capsys.readouterr()
    with Path(shown).open(newline="") as file:
        rows = {row["job"] for row in csv.DictReader(file)}
    [sensitive] = json.loads(Path("m.json").read_text())["sensitive"]
    unseen = set(sensitive["domain"]) - rows
    assert json.loads(printed.out)["values_without_rows"] in (len(unseen), [len(unseen)])
    return len(unseen), "".join(line for line in printed.err.splitlines() if "the manifest lists" in line)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("publish", "table.csv", "--gamma", "2"), "with --domain"),
        (("publish", "table.csv", "--gamma", "2", *KEYED, "--stream"), "with --domain, without --stream"),
        (("publish", "table.csv", "--mechanism", "distribution"), "with --domain"),
        (
            ("publish", "table.csv", "--mechanism", "distribution", "--stream"),
            "with --domain, without --stream",
        ),
        (
            ("publish", "table.csv", "--mechanism", "retention", "--retention", "1/3", "--observed-domain"),
            "with --domain",
        ),
    ],
    ids=["splu-gen", "splu-gen-stream", "distribution", "distribution-stream", "observed-domain"],
)
def test_values_that_only_the_manifest_discloses_are_warned_of(
    words: Sequence[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    number, warning = published(words, "out.csv", capsys)
    assert number > 1
    assert warning.endswith(
        f"the manifest lists {number} values of 'job' that no published row has, and so discloses that the "
        f"original has them: declare all possible values {remedy}"
    )


def test_the_value_of_the_deleted_record_of_two_tables_is_warned_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["publish", "table.csv", "--mechanism", "anatomy", "--gamma", "2", "--sensitive-table", "s.csv"]
    number, warning = published(words, "s.csv", capsys)
    assert number == 1
    assert "lists 1 value of 'job' that no published row has, and so discloses that the original has it" in (
        warning
    )


@pytest.mark.parametrize(
    "words",
    [
        ("publish", "table.csv", "--gamma", "2", *DOMAIN),
        ("publish", "table.csv", "--mechanism", "distribution", *DOMAIN),
        ("publish", "table.csv", "--mechanism", "retention", "--retention", "1/3", *DOMAIN),
        ("publish", "table.csv", "--mechanism", "retention", "--retention", "1/3", *DOMAIN, "--stream"),
        ("publish", "table.csv", "--mechanism", "swap", "--retention", "1/3"),
    ],
    ids=["splu-gen", "distribution", "retention", "retention-stream", "swap"],
)
def test_a_declared_domain_or_a_row_for_each_value_discloses_nothing(
    words: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    number, warning = published(words, "out.csv", capsys)
    assert warning == ""
    assert (number == 0) is ("swap" in words)


def test_without_a_manifest_nothing_is_disclosed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "table.csv", "--gamma", "2", "--sensitive", "job", "-o", "out.csv"]) == 0
    assert "the manifest lists" not in capsys.readouterr().err
