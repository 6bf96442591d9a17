"""A sample of the rows of two files is linked as in the whole tables, and no draw decides which it is."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from splu_ref.audit.releases import Claimed, Original, ReleaseAudit
from splu_ref.audit.releases.in_files import Published, audit_in_files, sampled_match
from splu_ref.audit.releases.independence import independence_evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.sample import Sample, Sampling
from splu_ref.audit.releases.sampled import FileCounts, SampledMatch, ScannedPopulation
from splu_ref.cli import main
from splu_ref.engines.streaming.scan import Scan
from splu_ref.mechanisms import SpluGen
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError
from splu_ref.randomness import SeededSource, SystemSource

ROWS, GAMMA = 3999, 3
CLAIMED = Claimed.of(SpluGen(GAMMA))
Table: TypeAlias = pl.DataFrame


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splu_ref.audit.releases.in_files.BATCH_BYTES", 1 << 14)
    monkeypatch.setattr("splu_ref.engines.streaming.scan.BATCH_BYTES", 12000)
    monkeypatch.setattr("splu_ref.engines.streaming.content.PART_BYTES", 1 << 14)


def table() -> Table:
    """A table of records that are mostly alone with their cells, and some that are not."""
    drawn = np.random.default_rng(5)
    shares = 1 / np.arange(20, 44)
    job = drawn.choice([f"job {n}" for n in range(24)], ROWS, p=shares / shares.sum())
    number = [n if n % 9 else n // 90 for n in range(ROWS)]
    half = [n % 2 for n in range(ROWS)]
    return pl.DataFrame({"number": number, "half": half, "job": job}).cast(pl.String)


def released(original: Table, seed: int = 1, gamma: int = GAMMA) -> Table:
    """A release of the table."""
    frame: Table = (
        SpluGen(gamma).publish(Microdata.from_frame(original), "job", SeededSource(seed)).table.to_frame()
    )
    return frame


def linked(
    original: Table, published: Table, sampling: Sampling, folder: Path
) -> tuple[Published, SampledMatch]:
    """Link the rows of a sample."""
    folder.mkdir()
    for name, frame in (("o", original), ("p", published)):
        frame.write_csv(folder / f"{name}.csv")
    there = Published(folder / "p.csv", ["job"], None, folder, sampling)
    scan = Scan(folder / "o.csv", ["job"], None, None, None, folder, lambda _: None)
    counts = FileCounts(ScannedPopulation(scan, ("job",)), there.row_count, there.counts)
    return there, sampled_match(there, counts, GAMMA)


def audited(original: Table, published: Table, sampling: Sampling, folder: Path) -> ReleaseAudit:
    """Audit a table by a sample."""
    folder.mkdir()
    for name, frame in (("o", original), ("p", published)):
        frame.write_csv(folder / f"{name}.csv")
    there = Published(folder / "p.csv", ["job"], None, folder, sampling)
    return audit_in_files(
        there, ["job"], CLAIMED, folder, original=folder / "o.csv", level="1e-9", power=False
    )


@pytest.mark.parametrize("deleted", [0, 1])
def test_rows_are_linked_as_in_the_whole_tables(deleted: int, tmp_path: Path) -> None:
    original = table()[: ROWS - deleted]
    published = released(original)
    published = published.with_columns(
        number=pl.when(pl.int_range(pl.len()) == 9).then(pl.lit("-1")).otherwise("number")
    )
    whole = Match.of(Original(Microdata.from_frame(original), ["job"]), Microdata.from_frame(published))
    there, found = linked(original, published, Sampling(1500, 3), tmp_path / "sample")
    assert 900 < len(there.sample.places) <= 1500
    places, records = found.row_places, found.record_places
    assert there.sample.table().to_frame().equals(published[places])
    assert found.original.table.to_frame().equals(original[records])
    assert found.true_values("job").tolist() == whole.true_values("job")[places].tolist()
    single = found.records >= 0
    assert (single == (whole.records[places] >= 0)).all()
    assert records[found.records[single]].tolist() == whole.records[places][single].tolist()
    assert found.strays == whole.strays == (1, 1 + 2 * deleted)
    assert found.unlinked("job") == whole.unlinked("job")
    assert found.unlinked("job").rows > found.unlinked("job").shown > 0
    assert found.found("job").tolist() == whole.found("job").tolist()
    assert found.original.frequencies("job").tolist() == whole.original.frequencies("job").tolist()
    for one, other in zip(found.frequency_bounds("job"), whole.frequency_bounds("job"), strict=True):
        assert one.tolist() == other.tolist()
    ours, theirs = found.histograms("job"), whole.histograms("job")
    assert ours is not None
    assert theirs is not None
    assert sorted(each.tolist() for each in ours) == sorted(each.tolist() for each in theirs)
    assert (found.rows, found.original.row_count) == (whole.rows, len(original))


def test_no_draw_and_no_order_decides_which_rows_are_there(tmp_path: Path) -> None:
    original = table()
    chosen = []
    for seed in (1, 2):
        _, found = linked(original, released(original, seed), Sampling(1500, 8), tmp_path / str(seed))
        chosen.append(found.record_places.tolist())
    backwards, _ = linked(original, released(original)[::-1], Sampling(1500, 8), tmp_path / "backwards")
    assert chosen[0] == chosen[1]
    sizes = len(chosen[0]), len(backwards.sample.places)
    assert sizes[0] == sizes[1] <= 1500
    _, other = linked(original, released(original), Sampling(1500, 9), tmp_path / "other")
    assert set(other.record_places.tolist()) != set(chosen[0])
    assert not backwards.sample.cut


def test_a_stranger_chooses_the_same_rows() -> None:
    """By the rule of the page alone: a keyed digest of the cells, each with its length before it."""
    names = ["a", "b", "value"]
    rows = [(f"{place}", f"\u00e9{place % 89}" if place % 7 else None, "v") for place in range(2000)]
    table = Microdata.from_frame(pl.DataFrame(rows, schema=names, orient="row"))
    salt, most = 5**20, 400

    def digest(cells: tuple[str | None, ...]) -> int:
        texts = [(cell or "").encode() for cell in cells]
        message = b"".join(len(text).to_bytes(8, "big") + text for text in texts)
        return int.from_bytes(hashlib.blake2b(message, key=salt.to_bytes(8, "big"), digest_size=8).digest())

    digests = [digest(row[:2]) for row in rows]
    sampling = Sampling(most, salt)
    assert sampling.digests(table, ["a", "b"]).tolist() == digests
    sample = Sample(most)
    sample.add(table.to_frame(), sampling.digests(table, ["a", "b"]))
    below = 3 * 2**62 * most // len(rows)
    assert sample.places.tolist() == [place for place, each in enumerate(digests) if each < below]
    assert 0 < len(sample.places) < most


def test_crowds_are_left_out_and_never_more_rows_are_held() -> None:
    many = np.repeat(np.arange(1, 41, dtype=np.uint64) * np.uint64(1000), 100)
    few = np.random.default_rng(1).permutation(np.arange(4000, dtype=np.uint64)) << np.uint64(52)
    digests = np.stack([many, few], axis=1).reshape(-1)
    sample = Sample(1000)
    for first in range(0, 8000, 500):
        part = digests[first : first + 500]
        sample.add(pl.DataFrame({"digest": part}), part)
        assert len(sample.places) <= 1000
    held = sample.table().to_frame()["digest"].to_numpy()
    assert sample.crowded.tolist() == sorted(set(many.tolist()))
    assert held.tolist() == digests[sample.places].tolist() == [each for each in few if each < sample.below]
    assert len(held) == 384  # of 4096 that are spread evenly, 3/4 of an eighth
    assert not sample.cut
    narrow = Sample(100)
    for first in range(0, 1000, 50):
        alike = np.arange(first, first + 50, dtype=np.uint64)  # all small: more than are to be expected
        narrow.add(pl.DataFrame({"digest": alike}), alike)
        assert len(narrow.places) <= 100
    assert (narrow.cut, narrow.places.tolist()) == (True, list(range(100)))


def kept_where(original: Table, kept: NDArray[np.bool_]) -> Table:
    """A table of which some records show their own value, and the others another one."""
    own, drawn = original["job"].to_numpy(), np.random.default_rng(4)
    by_value = np.argsort(own, kind="stable")
    most = int(np.unique(own, return_counts=True)[1].max())
    there = (np.arange(ROWS) + drawn.integers(most, ROWS - most + 1, ROWS)) % ROWS
    shown = np.empty_like(own)
    shown[by_value] = own[by_value[there]]
    return original.with_columns(job=np.where(kept, own, shown))


def shuffled(frame: Table) -> Table:
    return frame.sample(fraction=1, shuffle=True, seed=11)


def _kept_first(original: Table) -> Table:
    kept = np.random.default_rng(7).random(ROWS) < 1 / GAMMA
    return pl.concat([shuffled(kept_where(original, kept).filter(part)) for part in (kept, ~kept)])


def _every_third(original: Table) -> Table:
    frame = shuffled(original)
    return kept_where(frame, np.arange(ROWS) % GAMMA == 0)


FAULTS: dict[str, tuple[Callable[[Table], Table], str]] = {
    "the original, shuffled": (shuffled, "retention"),
    "rows in their old order": (
        lambda frame: kept_where(frame, np.random.default_rng(3).random(ROWS) < 1 / GAMMA), "shuffle",
    ),
    "kept rows first": (_kept_first, "independence"),
    "every third row kept": (_every_third, "independence"),
    "draws from a counter": (
        lambda frame: shuffled(kept_where(frame, np.arange(ROWS) % GAMMA == 0)), "independence",
    ),
    "retention by a column": (
        lambda frame: shuffled(
            kept_where(
                frame,
                np.random.default_rng(3).random(ROWS) < np.where(frame["half"].to_numpy() == "1", 0.5, 0.17),
            )
        ),
        "independence",
    ),
    "another gamma": (lambda frame: released(frame, gamma=6), "retention"),
    "one other cell edited": (
        lambda frame: released(frame).with_columns(
            number=pl.when(pl.int_range(pl.len()) == 5).then(pl.lit("-1")).otherwise("number")
        ),
        "records",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_noticed_in_a_sample(name: str, tmp_path: Path) -> None:
    make, check = FAULTS[name]
    found = audited(table(), make(table()), Sampling(2500, 1), tmp_path / "fault")
    assert found.verdict == "inconsistent"
    assert check in {each.name for each in found.checks if not each.passed}


def test_rows_that_are_alike_are_looked_at_where_the_sample_has_none(tmp_path: Path) -> None:
    """They show their own value, and no count tells, nor any other record: what they showed is swapped."""
    places, plain = np.arange(ROWS), table()
    alike = places < 480
    original = plain.with_columns(
        number=pl.Series(np.where(alike, -1, places).astype(str)),
        job=pl.Series(np.where(alike, "same", plain["job"].to_numpy())),
        half=pl.Series(np.where(alike, "", plain["half"].to_numpy())),
    )
    honest = released(original)
    true = dict(zip(original["number"], original["job"], strict=True))
    own, given = np.array([true[each] for each in honest["number"]]), honest["job"].to_numpy().copy()
    for place in np.flatnonzero((own != "same") & (given == "same")).tolist():
        wanted = np.flatnonzero((own == "same") & (given != "same") & (given != own[place]))
        if len(wanted):
            given[place], given[wanted[0]] = given[wanted[0]], "same"
    assert (given == own)[own == "same"].mean() > 0.8
    altered = honest.with_columns(job=pl.Series(given))
    assert sorted(altered["job"]) == sorted(honest["job"])
    fine, found = (
        audited(original, frame, Sampling(300, 9), tmp_path / name)
        for name, frame in (("honest", honest), ("altered", altered))
    )
    assert all(check.passed for check in fine.checks)
    assert {check.name for check in found.checks if not check.passed} == {"unlinked"}


def test_an_honest_release_is_consistent_where_one_in_memory_is(tmp_path: Path) -> None:
    original = table()
    found = audited(original, released(original), Sampling(3500, 1), tmp_path / "honest")
    assert found.verdict == "consistent"
    assert found.sampled is not None
    assert found.linked is not None
    assert 2000 < found.linked < found.sampled.rows <= 3500
    excluded = found.excludes[0].numbers
    assert excluded["known"] == found.linked
    few = audited(original, released(original), Sampling(90, 1), tmp_path / "few")
    assert few.verdict == "not shown"
    assert "the gamma" in str(few.excludes[0])


def test_rows_that_cannot_be_linked_are_told(tmp_path: Path) -> None:
    for number, other in enumerate((pl.lit(1), pl.int_range(pl.len()) % 3)):
        original = table().select("job", other=other.cast(pl.String))
        found = audited(original, released(original), Sampling(1000, 1), tmp_path / str(number))
        assert (found.verdict, found.linked) == ("not shown", 0)
        assert "the original itself: no row's true value is known" in found.excludes[0].open
        assert found.sampled is not None
        assert not found.sampled.rows
        assert {"unlinked", "records"} <= {check.name for check in found.checks}
    alone = table().select("job")
    assert audited(alone, released(alone), Sampling(1000, 1), tmp_path / "alone").linked == 0


def test_no_more_than_one_division_of_the_rows_is_held_at_a_time(tmp_path: Path) -> None:
    original = table()
    _, match = linked(original, released(original), Sampling(ROWS, 1), tmp_path / "files")
    independence_evidence(match, "job", CLAIMED)  # what is computed once is there
    tracemalloc.start()
    try:
        found = independence_evidence(match, "job", CLAIMED)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    divisions = int(found.detail.split()[-5])
    assert divisions > 100
    assert held < 8 * ROWS * divisions / 4


def test_the_salt_is_drawn_and_repeats_an_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    original = table()
    original.write_csv("o.csv")
    released(original).write_csv("p.csv")
    words = ["audit-release", "p.csv", "--sensitive", "job", "--gamma", "3", "--original", "o.csv", "--json"]

    def told(*more: str, code: int = 3) -> dict[str, object]:
        assert main([*words, *more]) == code
        document: dict[str, object] = json.loads(capsys.readouterr().out)
        return document

    first, second = (told("--stream", "--sample", "700") for _ in range(2))
    one, other = first["sample"], second["sample"]
    assert isinstance(one, dict)
    assert isinstance(other, dict)
    assert one["salt"] != other["salt"]
    assert told("--stream", "--sample", "700", "--salt", one["salt"]) == first
    nothing = told("--stream", "--sample", "0")
    assert nothing["linked"] is None
    assert main([*words[:-1], "--stream", "--sample", "700", "--salt", "5"]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "of 3999 rows are looked at, chosen by --salt 5 --sample 700; what is confined to" in said
    for option in ("--sample", "--salt"):
        assert main([*words, option, "5"]) == 2
        assert f"{option} belongs to --stream" in capsys.readouterr().err
        for wrong in ("-1", "x", "1/2", str(1 << 63)):
            if (option, wrong) != ("--sample", str(1 << 63)):
                assert main([*words, "--stream", option, wrong]) == 2
                assert "salt" in capsys.readouterr().err or option == "--sample"
    with pytest.raises(ParameterError, match="at least 0"):
        Sampling(-1, 0)
    salts = {Sampling.drawn(5, SystemSource()).salt for _ in range(9)}
    assert len(salts) == 9
