"""Transcripts on the command line: what is written and said, and what an audit makes of it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.cli import main
from splu_ref.randomness import Key

ROWS = 602


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table in two formats, and a key; the working folder."""
    frame = pl.DataFrame(
        {
            "id": [f"r{row}" for row in range(ROWS)],
            "size": [row * row % 7 for row in range(ROWS)],
            "job": [f"j{row % 6}" if row % 9 else None for row in range(ROWS)],
            "level": [row % 12 for row in range(ROWS)],
        }
    )
    frame.write_csv(tmp_path / "table.csv")
    frame.write_parquet(tmp_path / "table.parquet")
    Key.generate().write(tmp_path / "key")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RELEASE = ["--sensitive", "job", "--sensitive", "level", "--gamma", "3", "--missing", "none", "--keep", "id"]


def _publish(*words: str, code: int = 0) -> None:
    assert main(["publish", *words]) == code


def _audit(capsys: pytest.CaptureFixture[str], *words: str, code: int) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["audit-release", *words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _recomputed(found: dict[str, Any]) -> dict[str, Any]:
    (check,) = (check for check in found["checks"] if check["name"] == "recomputed")
    assert isinstance(check, dict)
    return check


@pytest.mark.parametrize(
    ("table", "output", "words"),
    [
        ("table.csv", "out.csv.gz", []),
        ("table.parquet", "out.csv", ["--plan", "cyclic", "--retention", "2/5"]),
        ("table.csv", "out.parquet", ["--key-file", "key", "--id", "id"]),
        ("table.parquet", "out.parquet", ["--key-file", "key"]),
        ("table.csv", "out.csv", ["--seed", "7"]),
    ],
    ids=" ".join,
)
def test_a_release_is_made_again(
    table: str, output: str, words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _publish(table, "-o", output, *RELEASE, *words, "--manifest", "m.json", "--transcript", "t")
    assert stat.S_IMODE((folder / "t").stat().st_mode) == 0o600
    found = _audit(capsys, output, "--manifest", "m.json", "--transcript", "t", "--original", table, code=0)
    assert found["verdict"] == "consistent"
    assert _recomputed(found)["passed"]
    names = {"system": "system", "--seed": "seeded", "--key-file": "keyed"}
    kind = next((names[word] for word in words if word in names), "system")
    assert found["recomputed_from"] == f"transcript ({kind} randomness)"
    assert "how the randomness was chosen" in found["not_shown"][0]
    if kind == "seeded":  # the transcript shows what the manifest does
        assert _audit(capsys, output, "--transcript", "t", "--original", table, code=0)["gamma"] == 3


def test_a_keyed_release_is_made_again_from_its_key(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _publish(
        "table.csv", "-o", "out.csv", *RELEASE, "--key-file", "key", "--id", "id", "--manifest", "m.json"
    )
    keyed = ["out.csv", "--original", "table.csv", "--missing", "none", "--key-file", "key"]
    found = _audit(capsys, *keyed, "--id", "id", "--manifest", "m.json", code=0)
    assert (found["verdict"], found["recomputed_from"]) == ("consistent", "key (keyed randomness)")
    _audit(capsys, *keyed, "--manifest", "m.json", code=0)  # which names the column
    options = ["--sensitive", "job", "--sensitive", "level", "--gamma", "3"]
    assert main(["audit-release", *keyed, "--id", "id", *options]) == 2
    assert "--plan is missing" in capsys.readouterr().err
    assert _recomputed(_audit(capsys, *keyed, "--id", "id", *options, "--plan", "mixed", code=0))["passed"]


def test_causes_why_a_key_does_not_give_the_table_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The likely one first: the original has a text in place of the empty cells of the published file."""
    audit = "audit-release out.csv --manifest m.json --key-file key --id id --original"

    def verdict(original: str) -> str:
        capsys.readouterr()
        assert main(f"{audit} {original}".split()) == 1
        return " ".join(capsys.readouterr().out.split()).split(" false alarm ")[0]

    pl.read_csv("table.csv").with_columns(pl.col("job").fill_null("none")).write_csv("filled.csv")
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--manifest", "m.json")
    causes = "the release may have been made under another key or none, --id id may be wrong"
    filled = "the original holds 'none' where the published file may have had empty cells, or "
    assert verdict("table.csv").startswith(f"verdict inconsistent: failed: recomputed; {causes}")
    assert verdict("filled.csv").startswith(f"verdict inconsistent: failed: recomputed; {filled}{causes}")


def test_a_changed_cell_is_an_inconsistency(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "t")
    lines = (folder / "out.csv").read_text().split("\n")
    drawn = lines[41].rsplit(",", 1)[1]
    stands = "0" if drawn != "0" else "1"
    lines[41] = lines[41].rsplit(",", 1)[0] + "," + stands
    (folder / "out.csv").write_text("\n".join(lines))
    found = _audit(capsys, "out.csv", "--transcript", "t", "--original", "table.csv", code=1)
    assert found["verdict"] == "inconsistent"
    assert _recomputed(found)["detail"] == (
        f"row 41, column 'level': '{stands}' stands here, '{drawn}' was drawn (1 cell differs); "
        "the transcript agrees with itself: the table is another or was changed"
    )
    assert main(["audit-release", "out.csv", "--transcript", "t", "--original", "table.csv"]) == 1
    assert "inconsistent: failed: recomputed" in " ".join(capsys.readouterr().out.split())


def test_a_transcript_is_not_written_without_a_word(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "private").mkdir()
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "private/t")
    assert capsys.readouterr().err == (
        "note: private/t is as secret as the original: with it anyone can undo the release\n"
    )
    _publish("table.csv", "-o", "two.csv", *RELEASE, "--transcript", "t", "--json")
    reported = capsys.readouterr()
    assert (
        "it is in the folder of two.csv, which is public: move it before sharing the folder" in reported.err
    )
    assert set(json.loads(reported.out)) == {
        *(
            "mechanism",
            "rows_in",
            "rows_out",
            "suppressed",
            "gamma",
            "retention",
            "sensitive",
            "plan",
            "domain_size",
        ),
        *(
            "max_gamma",
            "randomness",
            "publisher_only",
            "statement",
            "values_without_rows",
            "recoded",
            "worth",
            "leaks",
            "together",
        ),
    }


def test_nothing_is_written_over_or_by_halves(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t").write_text("mine")
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "t", code=2)
    assert "t exists: choose another name or add --force" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "out.csv", code=2)
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "table.csv", "--force", code=2)
    assert "are the same file" in capsys.readouterr().err
    _publish("table.csv", "-o", "none/out.csv", *RELEASE, "--transcript", "u", code=2)
    assert not (folder / "u").exists()
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "t", "--force")
    assert (folder / "t").read_text().startswith('{"schema": "splu-ref/transcript/1"')
    assert sorted(path.name for path in folder.iterdir()) == [
        "key",
        "out.csv",
        "t",
        "table.csv",
        "table.parquet",
    ]


def _refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(list(words)) == 2
    reported = capsys.readouterr()
    assert (reported.out, reported.err.count("\n")) == ("", 1)
    return reported.err


def test_what_cannot_go_together_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _publish("table.csv", "-o", "out.csv", *RELEASE, "--transcript", "t", "--manifest", "m.json")
    batch = [
        "publish",
        "table.csv",
        "-o",
        "b.csv",
        *RELEASE,
        "--append",
        "out.csv",
        "--append-manifest",
        "m.json",
    ]
    assert "leave out --append" in _refused(capsys, *batch, "--transcript", "u")
    document = (folder / "t").read_text()
    for fact, change, reported in (
        ('"gamma": 3', '"gamma": 4', "gamma is 3 in the manifest and 4 in the transcript"),
        ('"plan": "mixed"', '"plan": "cyclic"', "plan is mixed in the manifest and cyclic"),
    ):
        (folder / "u").write_text(document.replace(fact, change))
        (folder / "u").chmod(0o600)
        words = ["audit-release", "out.csv", "--manifest", "m.json", "--transcript", "u"]
        assert reported in _refused(capsys, *words, "--original", "table.csv")
    audit = ["audit-release", "out.csv", "--transcript", "t"]
    assert "give the original as well" in _refused(capsys, *audit)
    audit += ["--original", "table.csv"]
    for words, message in (
        (["--missing", "other"], "the value of missing cells contradicts the transcript"),
        (["--gamma", "4"], "--gamma 4 contradicts the transcript, which has "),
        (["--retention", "1/2"], "--retention 1/2 contradicts the transcript, which has "),
        (["--plan", "cyclic"], "--plan cyclic contradicts the transcript, which has "),
        (["--sensitive", "job"], "with all its sensitive columns"),
        (["--id", "id"], "the column that identified a record belongs to a key"),
        (["--key-file", "key"], "the transcript is of a release without a key"),
        (["--key-file", "key", "--id", "id"], "the column that identified a record belongs to a key"),
    ):
        assert message in _refused(capsys, *audit, *words)
    assert "not the original of the transcript" in _refused(capsys, *audit[:-1], "table.parquet")
    assert "give the original as well" in _refused(
        capsys, "audit-release", "out.csv", "--manifest", "m.json", "--key-file", "key"
    )
    _publish(
        "table.csv",
        "-o",
        "four.csv",
        *RELEASE[:4],
        "--gamma",
        "4",
        "--missing",
        "none",
        "--manifest",
        "four.json",
        "--keep",
        "id",
    )
    crossed = _refused(capsys, *audit, "--manifest", "four.json")
    assert "gamma is 4 in the manifest and 3 in the transcript" in crossed
    crossed = _refused(capsys, "audit-release", "four.csv", *audit[2:], "--manifest", "four.json")
    assert "gamma is 4 in the manifest and 3 in the transcript" in crossed


def test_a_transcript_of_a_crossed_release_needs_the_manifest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _publish(
        *("table.csv", "-o", "out.csv", "--cross", "both=job,size", "--sensitive", "both", "--gamma", "3"),
        *("--missing", "none", "--drop", "id", "--transcript", "tr", "--manifest", "m.json"),
    )
    replayed = ["out.csv", "--original", "table.csv", "--transcript", "tr"]
    capsys.readouterr()
    assert main(["audit-release", *replayed]) == 2
    assert "there is no column 'both': if the publisher made it of others, add --manifest" in " ".join(
        capsys.readouterr().err.split()
    )
    assert _audit(capsys, *replayed, "--manifest", "m.json", code=0)["verdict"] == "consistent"
