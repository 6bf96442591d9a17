"""What gets around the defense of an interface, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from experiments.commands import query_interface
from tests.experiments.progress import recorded_progress
from tests.programs import main

ROWS = ["sex,age,job"] + ["f,30,a"] * 4 + ["m,30,b"] * 5 + ["m,40,a", "f,50,b"]


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text("\n".join([*ROWS, ""]))
    return str(path)


def _queries(tmp_path: Path, *lines: str) -> str:
    path = tmp_path / "queries.sql"
    path.write_text("".join(f"SELECT COUNT(*) WHERE {line};\n" for line in lines))
    return str(path)


def _as_json(capsys: pytest.CaptureFixture[str], code: int, *words: str) -> Any:
    assert main(["query-interface", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_refused_count_is_found_by_answered_ones(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("--where", "sex=f", "--where", "job=b")
    answer = _as_json(capsys, 1, "size", table, "--least", "2", *wanted)
    assert (answer["tracker"], answer["tracker_size"], answer["count"]) == ("sex=m", 6, 1)
    assert (answer["refused"], answer["found"], answer["values"]) == (2, 2, 7)
    assert [each["answer"] for each in answer["queries"]] == [None, 6, 5, 7, 5]
    assert main(["query-interface", "size", table, "--least", "2", *wanted]) == 1
    printed = capsys.readouterr().out
    assert "counts from 2 to 9, of 11 records" in printed
    assert "2 of them, each of them the true count" in printed


def test_no_tracker_is_no_proof(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = _as_json(capsys, 3, "size", table, "--least", "3")
    assert (answer["tracker"], answer["largest_broken"], answer["found"]) == (None, 2, 0)
    assert main(["query-interface", "size", table, "--least", "3"]) == 3
    assert "other sets were not tried" in " ".join(capsys.readouterr().out.split())
    answer = _as_json(capsys, 1, "size", table, "--least", "3", "--reading", "small")
    assert (answer["tracker"], answer["refused"], answer["found"]) == (None, 2, 2)


def test_nothing_refused_is_nothing_to_find(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "even.csv"
    path.write_text("a\n1\n1\n2\n2\n")
    assert _as_json(capsys, 0, "size", str(path), "--least", "1")["refused"] == 0


def test_whose_number_follows_from_sums(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = _queries(tmp_path, "sex = 'f'", "sex = 'f' AND age < 50", "age = '30'")
    answer = _as_json(capsys, 1, "sums", table, "--queries", file, "--value", "job=b")
    assert answer["exposed"] == [{"rows": [11], "weights": {"1": "1", "2": "-1"}, "since": 2}]
    assert answer["sums"] == [
        {"rows": [1, 2, 3, 4], "weights": {"2": "1"}, "since": 2},
        {"rows": [5, 6, 7, 8, 9], "weights": {"2": "-1", "3": "1"}, "since": 3},
    ]
    assert [each["row"] for each in answer["bits"]["exposed"] if each["has"]] == [5, 6, 7, 8, 9, 11]
    assert main(["query-interface", "sums", table, "--queries", file]) == 1
    assert "query 1 - query 2; since query 2" in capsys.readouterr().out
    safe = _queries(tmp_path, "sex = 'f'")
    assert _as_json(capsys, 0, "sums", table, "--queries", safe)["exposed"] == []


def test_what_noise_is_left(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = _as_json(capsys, 0, "noise", table, "--where", "sex=f")
    assert answer["columns"] == {"age": 3, "job": 2}
    assert (answer["by_columns"], answer["by_values"]) == ("6/11", "6/19")
    assert main(["query-interface", "noise", table]) == 0
    assert "0.272728 of it, by 11 queries" in capsys.readouterr().out


def test_who_is_counted_by_many_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "apart.csv"
    path.write_text("n,s\n" + "".join(f"{n},{'abcde'[n % 5]}\n" for n in range(60)))
    size = ("--victims", "12", "--halves", "40", "--runs", "6", "--seed", "1")
    words = ("answers", str(path), "--value", "s=b", *size)
    answer = _as_json(capsys, 0, *words)
    assert answer["least_squares"] == answer["linear_program"] == {"median": 1.0, "interval": [1.0, 1.0]}
    assert answer["majority"]["median"] < 1
    assert _as_json(capsys, 0, *words, "--epsilon", "1/100")["linear_program"]["interval"][1] < 1
    release = [str(tmp_path / name) for name in ("p.csv", "m.json")]
    released = [
        "publish",
        str(path),
        "-o",
        release[0],
        "--manifest",
        release[1],
        "--sensitive",
        "s",
        "--keep",
        "n",
    ]
    assert main([*released, "--gamma", "5", "--seed", "1"]) == 0
    capsys.readouterr()
    answer = _as_json(capsys, 0, *words, "--manifest", release[1])
    assert answer["answers"] == "estimates from one table published by SPLU-Gen, for any number of queries"
    assert answer["least_squares"]["median"] < 1
    replaced = [str(tmp_path / name) for name in ("r.csv", "r.json")]
    retained = [
        "publish",
        str(path),
        "-o",
        replaced[0],
        "--manifest",
        replaced[1],
        "--mechanism",
        "retention",
        "--keep",
        "n",
    ]
    assert main([*retained, "--column", "s", "--retention", "9/10", "--observed-domain", "--seed", "1"]) == 0
    capsys.readouterr()
    answer = _as_json(capsys, 0, *words, "--manifest", replaced[1])
    assert answer["answers"].startswith("estimates from one table published by retention replacement")
    assert main(["query-interface", *words]) == 0
    assert "1.000 of the bits right, the median; 95 % interval" in capsys.readouterr().out
    for more, says in (
        (("--epsilon", "1", "--manifest", release[1]), "give one of them"),
        (("--halves", "5000"), "at most 4096"),
    ):
        assert main(["query-interface", *words, *more]) == 2
        assert says in capsys.readouterr().err
    assert main(["query-interface", "answers", str(path), "--value", "n=3", "--manifest", release[1]]) == 2
    assert "'n' is not sensitive in the release" in capsys.readouterr().err
    several = ["query-interface", "answers", str(path), "--value", "s={a, b}", "--manifest", release[1]]
    assert main(several) == 2
    assert "name one value" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("tracker",), "choose one of size, sums, noise, answers"),
        (("size",), "--least 10"),
        (("size", "--least", "9"), "from 1 to half of the 11 records"),
        (("size", "--least", "2", "--reading", "all"), "choose both or small"),
        (("size", "--least", "2", "--queries", "x.sql"), "--queries says nothing to size"),
        (("sums",), "--queries FILE"),
        (("answers",), "--value COLUMN=VALUE"),
        (("noise", "--where", "sec=f"), "did you mean 'sex'"),
    ],
)
def test_unusable_input(
    table: str, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    assert main(["query-interface", words[0], table, *words[1:]]) == 2
    assert says in capsys.readouterr().err


def test_a_file_without_queries(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("\n")
    assert main(["query-interface", "sums", table, "--queries", str(path)]) == 2
    assert "the file contains no query:" in capsys.readouterr().err


def test_fewer_victims_than_requested_are_announced_and_each_run_is_progress(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "apart.csv"
    path.write_text("n,s\n" + "".join(f"{n // 2 if n < 40 else n},{'abcde'[n % 5]}\n" for n in range(60)))
    size = ("--halves", "40", "--runs", "3", "--seed", "1")
    words = ("answers", str(path), "--value", "s=b", *size)
    seen = recorded_progress(monkeypatch, query_interface)
    answer = _as_json(capsys, 0, *words, "--victims", "200")
    assert (answer["victims"], answer["requested"]) == (20, 200)
    assert seen == [(0, 3), (1, 3), (2, 3)]
    assert main(["query-interface", *words, "--victims", "200"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "only 20 of 60 records are unique in the other columns; 200 were requested" in printed
    assert main(["query-interface", *words, "--victims", "20"]) == 0
    assert "requested" not in capsys.readouterr().out
