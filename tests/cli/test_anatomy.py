"""``--mechanism anatomy``: two tables are published, and both are requested counts."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.cli import main
from splu_ref.mechanisms import Anatomy, PublishedTwoTables, read_manifest, read_release
from tests.rounding import near

JOBS = [["a", "b", "c", "d", "e"][i % 5] for i in range(62)]
WORDS = ["--mechanism", "anatomy", "--column", "job", "--gamma", "3", "--keep", "id"]
TWO = ["--sensitive-table", "jobs.csv"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'FM'[i % 2]},{job},{i}\n" for i, job in enumerate(JOBS))
    Path("t.csv").write_text(f"sex,job,id\n{rows}", encoding="utf-8")
    return tmp_path


def _published(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    reported = ["publish", "t.csv", "-o", "p.csv", "--manifest", "m.json", "--force", "--json", *WORDS, *TWO]
    assert main([*reported, *words]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def _rows(name: str) -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def requested(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["estimate", "p.csv", "--manifest", "m.json", *TWO, "--json", *words]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.usefixtures("folder")
def test_two_tables_hold_groups_of_different_values(capsys: pytest.CaptureFixture[str]) -> None:
    found = _published(capsys)
    assert found.pop("leaks")[0]["unique_records"] == 62
    assert found == {
        "publisher_only": ["leaks"],
        "mechanism": "Anatomy",
        "rows_in": 62,
        "rows_out": 60,
        "suppressed": 2,
        "sensitive": "job",
        "domain_size": 5,
        "values_without_rows": 0,
        "parameters": {"gamma": 3, "plan": "anatomy"},
        "randomness": "system",
        "statement": "what the release discloses about a record has no bound, since each record's true "
        "value is among those of its group; published "
        "counts of sensitive values are those of the table: small counts are not protected",
        "amplification": None,
        "epsilon": None,
        "recoded": [],
    }
    records, values = _rows("p.csv"), _rows("jobs.csv")
    assert (list(records[0]), list(values[0])) == (["sex", "id", "group"], ["group", "job", "count"])
    sizes = Counter(row["group"] for row in records)
    assert set(sizes.values()) == {3}
    retained = {group: [row["job"] for row in values if row["group"] == group] for group in sizes}
    for group, jobs in retained.items():
        people = [int(row["id"]) for row in records if row["group"] == group]
        assert sorted(jobs) == sorted(JOBS[person] for person in people)
        assert len(set(jobs)) == 3
    assert len(values) == 60
    assert {row["count"] for row in values} == {"1"}


@pytest.mark.usefixtures("folder")
def test_the_manifest_states_of_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    _published(capsys, "--plan", "mixed")
    reported = read_manifest(Path("m.json"))
    assert reported.mechanism == Anatomy(3, "mixed")
    release = read_release("p.csv", "m.json", "jobs.csv")
    assert isinstance(release, PublishedTwoTables)
    assert release.manifest == reported
    assert reported.sensitive_table == release.sensitive_table.content_digest()
    assert reported.to_json() == Path("m.json").read_bytes()
    with pytest.raises(DataError, match="sensitive values as well, sensitive-table"):
        read_release("p.csv", "m.json")
    text = Path("jobs.csv").read_text("utf-8")
    Path("jobs.csv").write_text(text.replace("group,job", "group,work"), encoding="utf-8")
    with pytest.raises(DataError, match="not the one that the manifest was written for"):
        read_release("p.csv", "m.json", "jobs.csv")
    document = json.loads(Path("m.json").read_text("utf-8"))
    Path("m.json").write_text(json.dumps(document | {"sensitive_table": "ab"}), encoding="utf-8")
    with pytest.raises(DataError, match="the manifest is damaged"):
        read_manifest(Path("m.json"))


@pytest.mark.usefixtures("folder")
def test_counts_of_a_value_are_exact_and_others_hold(capsys: pytest.CaptureFixture[str]) -> None:
    _published(capsys)
    kept = Counter(JOBS[int(row["id"])] for row in _rows("p.csv"))
    found = requested(capsys, "--where", "job=a")
    assert (found["estimate"], found["interval"], found["standard_error"]) == (kept["a"], [kept["a"]] * 2, 0)
    people = [row for row in _rows("p.csv") if row["sex"] == "F"]
    true = sum(JOBS[int(row["id"])] == "a" for row in people)
    found = requested(capsys, "--where", "job=a", "--where", "sex=F", "--method", "shares")
    assert found["interval"][0] <= true <= found["interval"][1]
    assert (found["method"], found["standard_error"]) == ("shares", None)
    assert (found["predicate_count"], found["approximation"]) == (len(people), "exact")
    groups = Counter(row["group"] for row in people)
    shares = sum(groups[row["group"]] for row in _rows("jobs.csv") if row["job"] == "a")
    assert found["estimate"] == pytest.approx(shares / 3, abs=1e-6)
    assert found["published_count"] == shares
    table = requested(capsys, "--by", "sex,job", "--method", "shares")
    assert len(table["cells"]) == 10
    assert sum(cell["estimate"] for cell in table["cells"]) == near(60)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (WORDS, "name the file of the second, with the values of each group, by --sensitive-table FILE"),
        ([*WORDS, "--sensitive-table", "jobs.txt"], "a table's name ends in"),
        ([*WORDS, "--sensitive-table", "p.csv"], "the same file"),
        ([*WORDS, *TWO, "--stream"], "needs the whole table at once"),
        ([*WORDS, *TWO, "--retention", "1/2"], "--retention is no option of --mechanism anatomy"),
        ([*WORDS, *TWO, "--column", "sex"], "publishes one sensitive column"),
        ([*WORDS[:4], "--gamma", "6", "--keep", "id", *TWO], "the largest feasible gamma is 4"),
        ([*WORDS[:4], *TWO], "needs --gamma"),
        (["--mechanism", "swap", "--column", "job", "--retention", "1/2", *TWO], "--sensitive-table is no"),
    ],
)
def test_what_is_refused_writes_nothing(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", *words]) == 2
    assert remedy in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["t.csv"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--where", "job=a"], "sensitive values as well, --sensitive-table"),
        (["--where", "job=a", "--sensitive-table", "t.csv"], "not the one that the manifest was written for"),
        ([*TWO, "--where", "job=a", "--where", "group=0"], "was drawn at random"),
        ([*TWO, "--where", "job=a", "--where", "sex=F", "--method", "em"], "'inversion' and 'shares' only"),
        ([*TWO, "--by", "job", "--mean", "id"], "have no error that is known here"),
        ([*TWO, "--where", "job=z"], "'z' is not a value of 'job'"),
        ([*TWO, "--where", "job=a", "--where", "work=z"], "there is no column 'work'"),
    ],
)
def test_questions_without_an_answer(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _published(capsys)
    assert main(["estimate", "p.csv", "--manifest", "m.json", *words]) == 2
    assert remedy in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_second_table_of_another_release_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    _published(capsys)
    words = ["publish", "t.csv", "-o", "s.csv", "--manifest", "s.json", "--mechanism", "swap", "--column"]
    assert main([*words, "job", "--retention", "1/2", "--drop", "id"]) == 0
    assert main(["estimate", "s.csv", "--manifest", "s.json", *TWO, "--where", "job=a"]) == 2
    assert "a release by swapping is one table" in capsys.readouterr().err
    given = ["--gamma", "2", "--sensitive", "job", "--where", "job=a"]
    assert main(["estimate", "t.csv", *given, *TWO]) == 2
    assert "--sensitive-table is the second table of a release by Anatomy" in capsys.readouterr().err
    with pytest.raises(ParameterError, match="is one table"):
        read_release("s.csv", "s.json", "jobs.csv")
    words = ["attack", "homogeneity", "t.csv", "--manifest", "m.json", "--release", "p.csv"]
    assert main(words) == 2
    assert "attack the table, without --release" in capsys.readouterr().err
