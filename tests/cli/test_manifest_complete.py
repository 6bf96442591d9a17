"""An analyst and an auditor need the published table and its manifest, and no option of the publisher."""

from __future__ import annotations

import json
from itertools import combinations, product
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


def test_an_option_that_is_suggested_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.csv").write_text("Cost (€),job\n" + "".join(f"{i % 40},{'abcd'[i % 4]}\n" for i in range(80)))
    words = ["-o", "c1.csv", "--manifest", "c1.json", "--sensitive", "job", "--gamma", "2"]
    assert main(["publish", "c.csv", *words, "--bins", "Cost (€)=10", "--keep", "Cost (€)"]) == 0
    capsys.readouterr()
    assert main(["estimate", "c1.csv", "--manifest", "c1.json", "--by", "job", "--mean", "Cost (€)"]) == 2
    assert "with --by 'Cost (€)'" in capsys.readouterr().err


def test_the_example_of_a_bin_is_no_missing_cell(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.csv").write_text(Path("t.csv").read_text().replace(",20,", ",,"))
    assert main(["publish", "t.csv", "-o", "p.csv", *PUBLISHED, *RECODED]) == 0
    capsys.readouterr()
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "work", "--mean", "age"]) == 2
    assert "in bins of 10, such as '20..29'" in capsys.readouterr().err


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


BINS, CROSSED = ("--bins", "age=10"), ("--cross", "place=town,part")
DROPPED, HASHED = ("--drop", "note"), ("--hash", "person", "--key-file", "key")
CHOICES: dict[str, tuple[tuple[str, ...], ...]] = {
    "missing": ((), ("--missing", "none")),
    "recoded": ((), BINS, CROSSED, (*BINS, *CROSSED)),
    "left": ((), DROPPED, HASHED, (*DROPPED, *HASHED)),
    "draws": ((), ("--draws", "capped:4"), ("--draws", "all-or-none:2")),
    "columns": (("--sensitive", "job"), ("--sensitive", "job", "--sensitive", "level")),
}  # fmt: skip


def _combinations() -> list[tuple[tuple[str, ...], ...]]:
    """Return combinations of choices that contain every pair of choices, greedily."""
    every = list(product(*CHOICES.values()))
    pairs = {each: set(combinations(enumerate(each), 2)) for each in every}
    found, left = [], set().union(*pairs.values())
    while left:
        found.append(max(every, key=lambda each: len(pairs[each] & left)))
        left -= pairs[found[-1]]
    return found


COMBINED = _combinations()
STREAMED = list(product(CHOICES["missing"], CHOICES["columns"]))


def _rows(first: int, last: int) -> str:
    """Records with missing sensitive cells, a column of identities, and numbers for bins."""
    return "person,age,job,level,town,part,note\n" + "".join(
        f"p{n},{20 + n * n % 40},{['', *'abcde'][n * 7 % 6]},{'uvwxyz'[(n * n // 7 + n // 5) % 6]},"
        f"{'xyz'[n % 23 % 3]},{'ns'[n % 2]},{n % 11}\n"
        for n in range(first, last)
    )


def _succeed(capsys: pytest.CaptureFixture[str], *words: str) -> None:
    code = main([*words, "--json"])
    said = capsys.readouterr().err
    assert code == 0, said


def _analyze(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], name: str) -> None:
    """Estimate by values and by recoded columns; nothing but the manifest is given."""
    given = ("estimate", f"{name}.csv", "--manifest", f"{name}.json")
    recoded = ["age=30..39", "town=x", *(["person=p7"] if "--hash" not in words else [])]
    for where in (["job=none" if "none" in words else "job=a"], ["job=a", *recoded]):
        found = _answer(capsys, *given, *(word for each in where for word in ("--where", each)))
        assert found["interval"][0] <= found["estimate"] <= found["interval"][1], where
    by = "place" if "place=town,part" in words else "part"
    _succeed(capsys, *given, "--by", f"{by},job")


def _publish(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options of a publication of a table with a column of identities."""
    kept = () if "--hash" in words or "--stream" in words else ("--keep", "person")
    hashed = ("--keep", "person") if "--hash" in words else ()
    return (*words, "--gamma", "3", *kept, *hashed)


@pytest.mark.parametrize("words", COMBINED, ids=lambda words: " ".join(sum(words, ())))
def test_every_combination_of_options_needs_only_the_manifest(
    words: tuple[tuple[str, ...], ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A table without missing cells if their text is not given: undeclared ones are refused."""
    given = sum(words, ())
    rows = [_rows(0, 240), _rows(240, 360)]
    for name, text in zip(("t", "u"), rows, strict=True):
        Path(f"{name}.csv").write_text(text if "--missing" in given else text.replace(",,", ",f,"))
    _succeed(capsys, "publish", "t.csv", "-o", "p.csv", "--manifest", "p.json", *_publish(given))
    _analyze(capsys, given, "p")
    audit = ("audit-release", "p.csv", "--manifest", "p.json", "--original", "t.csv")
    assert all(check["passed"] for check in _audited(capsys, *audit))
    key = ("--key-file", "key") if "--hash" in given else ()
    joined = ("--append", "p.csv", "--append-manifest", "p.json", *key)
    own = tuple(word for each in (words[3], words[4]) for word in each)
    _succeed(
        capsys, "publish", "u.csv", "-o", "q.csv", "--manifest", "q.json", "--gamma", "3", *own, *joined,
        "--keep", "person",
    )  # fmt: skip
    _analyze(capsys, given, "q")
    assert main(["audit-release", "q.csv", "--manifest", "q.json", "--original", "t.csv"]) == 2
    assert "joins 2 batches" in capsys.readouterr().err


@pytest.mark.parametrize("words", STREAMED, ids=lambda words: " ".join(sum(words, ())))
def test_every_streamed_combination_needs_only_the_manifest(
    words: tuple[tuple[str, ...], ...], capsys: pytest.CaptureFixture[str]
) -> None:
    given = (*sum(words, ()), "--stream")
    text = _rows(0, 240)
    Path("t.csv").write_text(text if "--missing" in given else text.replace(",,", ",f,"))
    _succeed(capsys, "publish", "t.csv", "-o", "p.csv", "--manifest", "p.json", *_publish(given))
    _analyze(capsys, given, "p")
    audit = ("audit-release", "p.csv", "--manifest", "p.json", "--original", "t.csv")
    assert all(check["passed"] for check in _audited(capsys, *audit))


def _audited(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    """Return the checks of an audit, which may be inconclusive for so small a table."""
    code = main([*words, "--json"])
    printed = capsys.readouterr()
    assert code in (0, 3), printed.err
    found: list[dict[str, Any]] = json.loads(printed.out)["checks"]
    return found
