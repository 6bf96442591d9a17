from __future__ import annotations

import json
import stat
from collections import Counter
from pathlib import Path

import pytest

from splu_ref.audit.release_log.entries import read_log
from splu_ref.cli import main
from splu_ref.cli.publication import JOINED, UNCOMPARED

ROWS = "name,value\n" + "".join(f"n{number},{'abcd'[number % 4]}\n" for number in range(40))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


def _publish(*words: str) -> int:
    known = ["--sensitive", "value", "--gamma", "2", "--log", "log", "--quasi", "name"]
    return main(["publish", "table.csv", *known, *words])


def test_warnings_of_fresh_draws_and_none_of_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "secret"]) == 0
    for name in ("1.csv", "2.csv"):
        assert _publish("-o", name, "--key-file", "secret") == 0
    assert capsys.readouterr().err == ""
    assert Path("1.csv").read_bytes() == Path("2.csv").read_bytes()
    assert _publish("-o", "3.csv") == 0
    error = capsys.readouterr().err
    assert error.startswith("note: column 'value' was published before with other draws (releases 1, 2 of")
    assert "the mean of 2 published counts" in error
    assert [entry.randomness for entry in read_log(Path("log")).entries] == ["keyed", "keyed", "system"]
    assert stat.S_IMODE(Path("log").stat().st_mode) == 0o600


def test_a_release_that_cannot_be_written_is_not_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _publish("-o", "1.csv") == 0
    before = Path("log").read_bytes()
    assert _publish("-o", "1.csv") == 2  # it exists
    monkeypatch.setattr("splu_ref.data.files._Placement.place", _full_disk)
    assert _publish("-o", "2.csv") == 2
    assert Path("log").read_bytes() == before
    assert not Path("2.csv").exists()


def _full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device", "2.csv")


def test_a_damaged_log_is_refused_before_anything_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("log").write_text("{}\n", encoding="utf-8")
    Path("log").chmod(0o600)
    assert _publish("-o", "1.csv") == 2
    error = capsys.readouterr().err
    assert error.startswith("splu-ref: release log log, line 1: ")
    assert error.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["log", "table.csv"]


def test_the_log_is_a_file_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert _publish("-o", "1.csv", "--manifest", "log", "--force") == 2
    assert "are the same file" in capsys.readouterr().err


def test_bins_of_another_width_are_no_other_column(capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{number % 30}\n" for number in range(120))
    Path("ages.csv").write_text("age\n" + rows, encoding="utf-8")
    for name, words, warned in (("1", ["10"], 0), ("2", ["5"], 1), ("3", [], 1)):
        bins = [word for width in words for word in ("--bins", f"age={width}")]
        known = ["ages.csv", "--sensitive", "age", "--gamma", "2", "--log", "log", "-o", f"{name}.csv"]
        assert main(["publish", *known, *bins]) == 0
        assert capsys.readouterr().err.count("column, which no T_P covers") == warned


def test_a_changed_table_under_the_same_key_is_another_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "secret"]) == 0
    assert _publish("-o", "1.csv", "--key-file", "secret") == 0
    Path("table.csv").write_text(ROWS + "n40,a\n", encoding="utf-8")
    capsys.readouterr()
    assert _publish("-o", "2.csv", "--key-file", "secret") == 0
    warning = capsys.readouterr().err
    assert "release 1 of the log of another table under the same key, which may share records" in warning
    assert "the mean of 2 published counts" in warning
    assert len(read_log(Path("log")).entries) == 2


@pytest.mark.parametrize("words", [("--gamma", "4"), ("--retention", "1/3"), ("--plan", "anatomy")])
def test_other_parameters_under_the_same_key_are_another_release(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["key", "secret"]) == 0
    assert _publish("-o", "1.csv", "--key-file", "secret") == 0
    capsys.readouterr()
    assert _publish("-o", "2.csv", "--key-file", "secret", *words) == 0
    assert "published before with other draws (release 1 of the log)" in capsys.readouterr().err
    assert _publish("-o", "3.csv", "--key-file", "secret", "--gamma", "2") == 0
    assert "published before" not in capsys.readouterr().err
    assert Path("3.csv").read_bytes() == Path("1.csv").read_bytes()


def test_json_marks_what_is_for_the_publisher_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert _publish("-o", "1.csv", "--json", "--manifest", "manifest.json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["publisher_only"] == ["max_gamma", "worth", "leaks"]
    assert result["max_gamma"] == 4
    assert "max_gamma" not in Path("manifest.json").read_text("utf-8")


def test_a_log_behind_a_link_stays_one_log(capsys: pytest.CaptureFixture[str]) -> None:
    Path("safe").mkdir()
    assert _publish("-o", "1.csv") == 0
    Path("log").rename("safe/log")
    Path("log").symlink_to("safe/log")
    assert _publish("-o", "2.csv") == 0
    assert "release 1 of the log" in capsys.readouterr().err
    assert Path("log").is_symlink()
    assert len(read_log(Path("safe/log")).entries) == 2
    Path("other").hardlink_to("safe/log")
    assert _publish("-o", "3.csv") == 2
    assert "has 2 names (hard links)" in capsys.readouterr().err
    assert not Path("3.csv").exists()


BATCH = "name,value\n" + "".join(f"m{number},{'abcd'[number % 4]}\n" for number in range(8))


def _append(table: str, release: str, manifest: str, *words: str) -> int:
    batch = ["publish", table, "--append", release, "--append-manifest", manifest, "--log", "log"]
    return main([*batch, "--sensitive", "value", "--gamma", "2", "--quasi", "name", *words])


def test_batches_join_a_release_and_are_entered_by_their_digests(capsys: pytest.CaptureFixture[str]) -> None:
    Path("batch.csv").write_text(BATCH, encoding="utf-8")
    assert _publish("-o", "1.csv", "--manifest", "1.json") == 0
    capsys.readouterr()
    assert _append("batch.csv", "1.csv", "1.json", "-o", "2.csv", "--manifest", "2.json", "--json") == 0
    captured = capsys.readouterr()
    assert captured.err == f"note: {JOINED}\nnote: {UNCOMPARED}\n"
    result = json.loads(captured.out)
    assert (result["rows_out"], result["batch_rows"]) == (48, 8)
    first, second = read_log(Path("log")).entries
    assert (first.appended_to, first.joined) == (None, None)
    assert second.appended_to == first.published
    assert len({first.published, second.published, second.joined, second.table, first.table}) == 5
    assert json.loads(Path("2.json").read_text("utf-8"))["batches"] == [40, 8]
    Path("more.csv").write_text(
        BATCH.replace("\nm", "\no"), encoding="utf-8"
    )  # other records, the same counts
    assert _append("more.csv", "2.csv", "2.json", "-o", "4.csv") == 0
    assert capsys.readouterr().err == f"note: {JOINED}\nnote: {UNCOMPARED}\n"
    before = Path("log").read_bytes()
    assert _append("batch.csv", "2.csv", "2.json", "-o", "3.csv") == 2  # twice
    assert "the batch is already a part of the release (release 2 of the log)" in capsys.readouterr().err
    assert _append("table.csv", "2.csv", "2.json", "-o", "3.csv") == 2
    assert "(release 1 of the log)" in capsys.readouterr().err
    assert Path("log").read_bytes() == before
    assert not Path("3.csv").exists()


NAMED = ("--id", "name", "--key-file", "secret")


def _without_names(table: str, number: int, *words: str) -> int:
    """Publish a table with a ward and without its names, which are the ids; from the second on as a batch."""
    rows = zip(["ward", *"xyy" * 20], table.splitlines(), strict=False)
    Path("wards.csv").write_text("".join(f"{ward},{row}\n" for ward, row in rows), encoding="utf-8")
    known = ["wards.csv", "--sensitive", "value", "--gamma", "2", "--log", "log", "--keep", "ward", *words]
    if number > 1:
        known += ["--append", f"{number - 1}.csv", "--append-manifest", f"{number - 1}.json"]
    return main(["publish", *known, "-o", f"{number}.csv", "--manifest", f"{number}.json"])


@pytest.mark.parametrize("words", [(), NAMED, (*NAMED, "--drop", "name")])
def test_a_repeated_batch_is_refused_though_its_ids_were_dropped(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["key", "secret"]) == 0
    assert _without_names(ROWS, 1, *NAMED, "--drop", "name") == 0
    assert _without_names(BATCH, 2, *words) == 0
    assert Path("2.csv").read_text("utf-8").startswith("ward,value\n")
    capsys.readouterr()
    for table, release in ((ROWS, 1), (BATCH, 2)):
        assert _without_names(table, 3, *words) == 2
        place = f"already, as its batch {release}" if words else f"(release {release} of the log)"
        assert place in capsys.readouterr().err
    assert not Path("3.csv").exists()


def test_a_batch_is_drawn_by_ids_that_the_release_dropped() -> None:
    assert main(["key", "secret"]) == 0
    assert _without_names(ROWS, 1, *NAMED, "--drop", "name") == 0
    by_ids = []
    for table in (BATCH, BATCH.replace("\nm", "\no")):  # other ids alone
        assert _without_names(table, 2, *NAMED, "--force") == 0
        by_ids.append(Path("2.csv").read_bytes())
    assert by_ids[0] != by_ids[1]
    assert json.loads(Path("2.json").read_text("utf-8"))["recoded"] == [{"column": "name", "dropped": True}]


def test_a_deletion_leaves_releases_that_can_be_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    """The release that held the record is drawn again; the batch after it keeps its draws."""
    assert main(["key", "secret"]) == 0
    added = []
    for table in (ROWS, ROWS.replace("n3,d\n", "")):
        assert _without_names(table, 1, *NAMED, "--drop", "name", "--force") == 0
        warned = capsys.readouterr().err
        assert _without_names(BATCH, 2, *NAMED, "--force") == 0
        both, first = (Counter(Path(name).read_text("utf-8").splitlines()) for name in ("2.csv", "1.csv"))
        added.append(both - first)
        assert main(["estimate", "2.csv", "--manifest", "2.json", "--where", "value=a"]) == 0
        capsys.readouterr()
    assert added[0] == added[1]
    assert "published counts is off by" in warned
    lines = Path("2.csv").read_text("utf-8").splitlines(keepends=True)
    Path("less.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    for known in (["--manifest", "2.json"], ["--sensitive", "value", "--gamma", "2"]):
        capsys.readouterr()
        assert main(["estimate", "less.csv", *known, "--where", "value=a"]) == 2
        assert " rows" in capsys.readouterr().err


def test_ids_that_a_release_holds_cannot_be_dropped_from_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "secret"]) == 0
    Path("batch.csv").write_text(BATCH, encoding="utf-8")
    assert _publish("-o", "1.csv", "--manifest", "1.json", *NAMED) == 0
    capsys.readouterr()
    assert _append("batch.csv", "1.csv", "1.json", "-o", "2.csv", *NAMED, "--drop", "name") == 2
    assert "--drop name: the release that the batch joins has this column" in capsys.readouterr().err


def test_the_level_after_a_deletion_counts_no_batch_of_other_records(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["key", "secret"]) == 0
    key = ("--key-file", "secret")
    assert _publish("-o", "1.csv", "--manifest", "1.json", *NAMED, *key) == 0
    for number, first in ((2, "m"), (3, "o"), (4, "q")):
        Path("batch.csv").write_text(BATCH.replace("\nm", f"\n{first}"), encoding="utf-8")
        files = (f"{number - 1}.csv", f"{number - 1}.json")
        made = ("-o", f"{number}.csv", "--manifest", f"{number}.json")
        assert _append("batch.csv", *files, *made, *NAMED, *key) == 0
        assert UNCOMPARED not in capsys.readouterr().err  # the ids were compared
    for part, releases in (("a", 2), ("b", 3)):  # the batch of release 2 without two records, and again
        kept = [line for line in BATCH.splitlines() if part not in line[-1]]
        Path("less.csv").write_text("\n".join(kept) + "\n", encoding="utf-8")
        made = ("-o", f"{part}.csv", "--manifest", f"{part}.json")
        assert _append("less.csv", "1.csv", "1.json", *made, *NAMED, *key) == 0
        assert f"the mean of {releases} published counts" in capsys.readouterr().err


def test_batches_under_one_key_are_no_repeated_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "secret"]) == 0
    Path("batch.csv").write_text(BATCH + "m8,a\nm9,b\n", encoding="utf-8")
    key = ("--key-file", "secret")
    for _ in range(2):  # the same rows again
        assert _publish("-o", "1.csv", "--manifest", "1.json", "--force", *key) == 0
    assert _append("batch.csv", "1.csv", "1.json", "-o", "2.csv", "--manifest", "2.json", *key) == 0
    assert _publish("-o", "1.csv", "--manifest", "1.json", "--force", *key) == 0
    Path("more.csv").write_text(BATCH.replace("\nm", "\no") + "o8,c\no9,d\n", encoding="utf-8")
    assert _append("more.csv", "2.csv", "2.json", "-o", "4.csv", *key) == 0
    assert capsys.readouterr().err == f"note: {JOINED}\nnote: {UNCOMPARED}\n" * 2
    Path("log").unlink()
    assert _append("batch.csv", "1.csv", "1.json", "-o", "3.csv", *key) == 0
    assert "the log does not contain the release that the batch joins," in capsys.readouterr().err
    assert Path("3.csv").read_bytes() == Path("2.csv").read_bytes()


def test_a_batch_is_published_like_the_release_that_it_joins(capsys: pytest.CaptureFixture[str]) -> None:
    Path("batch.csv").write_text(BATCH, encoding="utf-8")
    assert _publish("-o", "1.csv", "--manifest", "1.json") == 0
    for words in (("--gamma", "4"), ("--plan", "cyclic"), ("--retention", "1/3"), ("--sensitive", "name")):
        assert _append("batch.csv", "1.csv", "1.json", "-o", "2.csv", *words) == 2
        assert "give --gamma 2 --retention 1/2 --plan mixed --sensitive value" in capsys.readouterr().err
    assert _publish("-o", "2.csv", "--append", "1.csv") == 2
    assert "give --append and --append-manifest" in capsys.readouterr().err
    assert _append("batch.csv", "1.csv", "1.json", "-o", "1.csv", "--force") == 2
    assert "are the same file" in capsys.readouterr().err
    Path("batch.csv").write_text(BATCH + "m8,a\n" * 4, encoding="utf-8")
    assert _append("batch.csv", "1.csv", "1.json", "-o", "2.csv") == 0  # half of the batch
    Path("batch.csv").write_text(BATCH + "m8,a\n" * 7, encoding="utf-8")
    assert _append("batch.csv", "1.csv", "1.json", "-o", "3.csv") == 2
    assert "3 of its 15 records must wait for a later one (3 of 'a')" in capsys.readouterr().err


def test_what_assumes_one_plan_says_so_of_batches_in_another_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("batch.csv").write_text(BATCH, encoding="utf-8")
    assert _publish("-o", "1.csv", "--manifest", "1.json") == 0
    assert _append("batch.csv", "1.csv", "1.json", "-o", "2.csv", "--manifest", "2.json") == 0
    capsys.readouterr()
    header, *rows = Path("2.csv").read_text("utf-8").splitlines()
    Path("3.csv").write_text("\n".join([header, *sorted(rows)]), encoding="utf-8")
    record = rows[0].split(",")[0]
    for table, release, says in (("1", "1", False), ("2", "2", False), ("3", "2", True)):
        question = ["estimate", f"{table}.csv", "--manifest", f"{release}.json"]
        assert main([*question, "--where", "value=a", "--where", f"{header.split(',')[0]}={record}"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert ("warning the interval is for one plan over all records" in shown) == says
        audited = main(["audit-release", f"{table}.csv", "--manifest", f"{release}.json"])
        assert (audited == 2) == (release == "2")
        assert ("joins 2 batches" in capsys.readouterr().err) == (release == "2")
