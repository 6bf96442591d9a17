"""How anonymous a table is, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splu_ref.cli import main


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text("a,b,s\n" + "x,1,p\n" * 2 + "x,1,q\n" + "y,1,p\n" * 2 + "y,2,q\n")
    return str(path)


def test_all_numbers_of_a_table(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["anonymity", table, "--quasi", "a", "--sensitive", "s", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert (reported["groups"], reported["k"], reported["l"], reported["entropy_l"], reported["alone"]) == (
        2,
        3,
        2,
        1,
        0,
    )
    assert reported["recursive"]["c_above"]["fraction"] == "2/1"
    assert (reported["alpha"]["fraction"], reported["t"]["fraction"]) == ("2/3", "0/1")
    assert (reported["homogeneous_groups"], reported["exposed_records"]) == (0, 0)
    assert main(["anonymity", table, "--quasi", "a", "--quasi", "b", "--sensitive", "s", "--l", "3"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "k 1: the smallest group; 1 record is alone in its group" in printed
    assert "recursive, l = 3 no c: a group has fewer than 3 values" in printed
    assert "exposed 3 records, in 2 groups that have one value each" in printed
    assert "They give no protection against an attacker who knows values of other records" in printed


def test_without_a_sensitive_column_there_is_k_alone(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["anonymity", table, "--quasi", "b", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert (reported["k"], reported["sensitive"], "l" in reported) == (1, None, False)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--quasi", "c"), "there is no column 'c'"),
        (("--quasi", "s", "--sensitive", "s"), "the sensitive column"),
        (("--quasi", "a", "--sensitive", "s", "--l", "1"), "at least 2"),
        (("--quasi", "a", "--l", "3"), "--sensitive"),
    ],
)
def test_unusable_input(
    table: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    assert main(["anonymity", table, *words]) == 2
    assert says in capsys.readouterr().err
