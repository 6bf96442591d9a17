"""An analyst and an auditor need the published table and its manifest, and no option of the publisher."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.randomness import Key

PUBLISHED = ("--manifest", "m.json", "--sensitive", "work", "--gamma", "3", "--key-file", "key")
RECODED = (
    *("--missing", "none", "--bins", "age=10", "--cross", "work=job,level", "--group-rare", "town=20"),
    *("--drop", "note", "--hash", "person", "--keep", "person", "--keep", "height"),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (
        f"p{n},{20 + n * n % 40},{'abcde'[n * 7 % 5]},{['', *'12'][n % 3]},{'xyz'[n % 23 % 3]},{n % 11},"
        f"{n * 37 % 601}\n"
        for n in range(600)
    )
    Path("t.csv").write_text("person,age,job,level,town,note,height\n" + "".join(rows))
    Key.generate().write(Path("key"))


def _answer(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_estimate_and_audit_need_only_the_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", *PUBLISHED, *RECODED]) == 0
    facts = json.loads(Path("m.json").read_text())
    assert facts["missing"] == "none"
    assert {"column": "note", "dropped": True} in facts["recoded"]
    found = _answer(
        capsys, "estimate", "p.csv", "--manifest", "m.json", "--where", "job=a", "--where", "age>=40"
    )
    assert found["estimate"] > 0
    audited = _answer(capsys, "audit-release", "p.csv", "--manifest", "m.json", "--original", "t.csv", code=3)
    assert all(check["passed"] for check in audited["checks"])
    audited = _answer(
        capsys, "audit-release", "p.csv", "--manifest", "m.json", "--original", "t.csv", "--key-file", "key"
    )
    assert (audited["verdict"], audited["recomputed_from"]) == ("consistent", "key (keyed randomness)")


def test_the_mean_of_a_binned_column_names_its_bins(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", *PUBLISHED, *RECODED]) == 0
    for measured, message in (
        ("age", "column 'age' is published in bins of 10, such as '20..29'"),
        ("town", "column 'town' holds no numbers"),
    ):
        capsys.readouterr()
        assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "work", "--mean", measured]) == 2
        assert message in capsys.readouterr().err


def test_an_audit_without_the_manifests_facts_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", *PUBLISHED, *RECODED]) == 0
    words = ("audit-release", "p.csv", "--manifest", "m.json", "--original", "t.csv", "--key-file", "key")
    facts = json.loads(Path("m.json").read_text())
    for name, changed in (
        ("missing", None),
        ("recoded", [step for step in facts["recoded"] if "dropped" not in step]),
    ):
        wrong = {key: value for key, value in facts.items() if key != name}
        Path("m.json").write_text(json.dumps(wrong if changed is None else wrong | {name: changed}))
        assert main([*words]) in (1, 2), name
    Path("m.json").write_text(json.dumps(facts))
    assert main([*words, "--missing", "other"]) == 2
    assert "--missing other contradicts the manifest, which has " in capsys.readouterr().err


def test_a_dropped_column_cannot_be_queried(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", *PUBLISHED, *RECODED]) == 0
    words = ["estimate", "p.csv", "--manifest", "m.json", "--where", "job=a", "--where", "note=3"]
    assert main(words) == 2
    assert "the column 'note' was not published" in capsys.readouterr().err
