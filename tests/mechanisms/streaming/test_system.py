"""Random integers of a stream: the law of a release on files is that of one in memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from splu_ref.data import read_table
from splu_ref.mechanisms import RetentionReplacement, SpluGen
from splu_ref.mechanisms.streaming import choices
from splu_ref.mechanisms.streaming.publishing import publish
from splu_ref.randomness import EnumerationSource, SeededSource, exact_law


@pytest.mark.parametrize(("values", "parts"), [("abc", 1), ("ab", 2)])
def test_the_law_is_exactly_that_in_memory(
    values: str, parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "PREFIXES", 1)  # of more, an order is drawn as exactly, by more outcomes
    monkeypatch.setattr("splu_ref.mechanisms.streaming.groups.parts_of", lambda _: parts)
    rows = [f"{value},{number}" for number, value in enumerate(values)]
    (tmp_path / "t.csv").write_text("\n".join(["v,row", *rows]))  # one of three is deleted
    mechanism = SpluGen(2, plan="anatomy")

    def on_files(source: EnumerationSource) -> tuple[str, ...]:
        publish(tmp_path / "t.csv", tmp_path / "o.csv", "v", mechanism, force=True, source=source)
        return tuple((tmp_path / "o.csv").read_text().split()[1:])

    def in_memory(source: EnumerationSource) -> tuple[str, ...]:
        done = mechanism.publish_codes(np.arange(len(values)), len(values), source)
        published = zip(done.published.tolist(), done.rows.tolist(), strict=True)
        return tuple(f"{values[code]},{row}" for code, row in published)

    assert exact_law(on_files, shuffle=True) == exact_law(in_memory, shuffle=True)


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_law_of_a_mechanism_that_works_row_by_row(
    shuffled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splu_ref.mechanisms.streaming.rows.parts_of", lambda _: 2)
    (tmp_path / "t.csv").write_text("v,row\nb,0\na,1\n")
    mechanism = RetentionReplacement("1/2", {"v": ["a", "b"]}, shuffled=shuffled)

    def on_files(source: EnumerationSource) -> tuple[str, ...]:
        publish(tmp_path / "t.csv", tmp_path / "o.csv", "v", mechanism, force=True, source=source)
        return tuple((tmp_path / "o.csv").read_text().split()[1:])

    def in_memory(source: EnumerationSource) -> tuple[str, ...]:
        done = mechanism.publish_columns({"v": np.array([1, 0])}, {"v": 2}, lambda _: source)
        published = zip(done.published["v"].tolist(), done.rows.tolist(), strict=True)
        return tuple(f"{'ab'[code]},{row}" for code, row in published)

    assert exact_law(on_files, shuffle=True) == exact_law(in_memory, shuffle=True)


def test_records_are_ordered_uniformly_within_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "PREFIXES", 2)
    codes = np.array([1, 0, 1, 1])

    def order(source: EnumerationSource) -> tuple[int, ...]:
        made = choices.StreamChoices(source)
        keys, _ = made.draw("v", SpluGen(2, "1/2"), 4, ())
        found = made.order_within(codes, keys)
        begun = made.prefixes(keys)[found].tolist()
        assert begun[1:] == sorted(begun[1:]), "what decides on the part ascends"
        return tuple(found.tolist())

    law = exact_law(order)
    assert len(law) == 6
    assert set(law.values()) == {min(law.values())}


def test_a_release_of_several_parts_keeps_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splu_ref.mechanisms.streaming.content.PART_BYTES", 1 << 12)
    monkeypatch.setattr("splu_ref.mechanisms.streaming.columns.PART_ENTRIES", 500)
    rows = 2003
    frame = pl.DataFrame({"n": list(range(rows)), "v": [n * n % 7 for n in range(rows)]})
    frame.write_parquet(tmp_path / "t.parquet")
    release = publish(
        tmp_path / "t.parquet", tmp_path / "o.parquet", "v", SpluGen(3, "99/100"), source=SeededSource(1)
    )
    found = pl.read_parquet(tmp_path / "o.parquet")
    assert (release.rows_in, release.suppressed, found.height) == (rows, 2, 2001)
    assert found["n"].n_unique() == 2001
    assert found["n"].to_list() != sorted(found["n"].to_list())
    kept = Counter((n * n % 7 == v) for n, v in found.iter_rows())
    assert kept[True] > 1900  # of 2001, 1981 on average; fewer by 18 times the standard deviation
    assert release.manifest.origin is not None
    assert release.manifest.origin.table == read_table(tmp_path / "o.parquet").content_digest()
