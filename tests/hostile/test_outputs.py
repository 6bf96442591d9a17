"""What is written of hostile texts is read by other readers as the same texts, and holds nothing else."""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pyarrow.parquet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_ref.cli.app import run
from splu_ref.data import Microdata, table_bytes
from splu_ref.mechanisms import SpluGen, read_manifest
from splu_ref.mechanisms.manifest import Manifest
from splu_ref.randomness import SeededSource
from tests.hostile.test_residue import holds, laid_open

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
HOSTILE = st.sampled_from(
    (
        *('"', '""', ",", "\n", "\r\n", "\r", " ", "\t", "=1+1", "\x1b[2J", "\u202e", "\u2028", "\ufeff"),
        *("<script>", "</td>", "&amp;", "]]>", "<!--", "$x", "{{7*7}}", "\\", "'", "NaN", "null"),
    )
)
CELLS = st.lists(HOSTILE | TEXTS, min_size=1, max_size=3).map("".join)
WITHOUT_RUNS = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, list[str]]:
    """Return a table with a column of each kind, and the texts of rows that were filtered out of it."""
    gone = [f"gone: number {number} {draw(TEXTS)}" for number in range(draw(st.integers(1, 3)))]
    shown = draw(st.lists(CELLS, min_size=4, max_size=9))
    texts = [*shown, *gone]
    categories = pl.Enum(draw(st.permutations(sorted(set(texts)))))
    whole = pl.DataFrame(
        {
            "s": pl.Series([f"s{number % 3}" for number in range(len(texts))]),
            "text": texts,
            "enum": pl.Series(texts, dtype=categories),
            "category": pl.Series(texts, dtype=pl.Categorical),
            "list": pl.Series([[each] for each in texts], dtype=pl.List(categories)),
        }
    )
    return whole[: len(shown)], gone


@WITHOUT_RUNS
@given(tables())
def test_published_tables_hold_the_cells_of_their_rows(drawn: tuple[pl.DataFrame, list[str]]) -> None:
    frame, gone = drawn
    release = SpluGen(2).publish(Microdata.from_frame(frame), "s", SeededSource(1))
    out: pl.DataFrame = release.table.to_frame()
    rows = Counter(frame["text"].to_list())
    assert not Counter(out["text"].to_list()) - rows
    for row in out.iter_rows(named=True):
        assert row["text"] == row["enum"] == row["category"] == row["list"][0]
    data = table_bytes(release.table, "t.parquet")
    assert pyarrow.parquet.read_table(io.BytesIO(data))["text"].to_pylist() == out["text"].to_list()
    flat = Microdata.from_frame(out.drop("list"))
    written = table_bytes(flat, "t.csv")
    assert gzip.decompress(table_bytes(flat, "t.csv.gz")) == written
    cells = list(csv.reader(io.StringIO(written.decode(), newline="")))
    assert cells == [list(out.columns[:-1]), *([*map(str, row)] for row in out.drop("list").rows())]
    suppressed = [text for text in rows if text not in out["text"].to_list() and len(text) > 12]
    for content in (data, written, pickle.dumps(out), release.manifest.to_json()):
        assert not any(holds(content, text) for text in gone)
    for text in suppressed:
        assert text.encode() not in laid_open(data)


@WITHOUT_RUNS
@given(
    domains=st.dictionaries(
        CELLS, st.lists(CELLS, min_size=1, max_size=4, unique=True), min_size=1, max_size=3
    ),
)
def test_a_manifest_is_read_as_it_was_written(domains: dict[str, list[str]], tmp_path: Path) -> None:
    kept = {column: tuple(values) for column, values in domains.items()}
    manifest = Manifest(SpluGen(2), 4, kept)
    path = tmp_path / "m.json"
    path.write_bytes(manifest.to_json())
    assert read_manifest(path) == manifest


class Marks(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag, tuple(name for name, _ in attrs)] += 1


def marks(folder: Path) -> Counter[tuple[str, tuple[str, ...]]]:
    reader = Marks()
    reader.feed((folder / "index.html").read_text(encoding="utf-8"))
    return reader.found


CLAIMS = """schema = "splu-ref/claims/1"
title = {title}
[release]
mechanism = "SPLU-Gen"
gamma = 3
epsilon = "3/10"
[[claim]]
id = "privacy"
kind = "small-sum-privacy"
alpha = 3
t_p = "0.1"
"""
PRINTABLE = CELLS.filter(lambda text: text.isprintable() and text.strip() != "")


def audited(title: str, folder: Path) -> tuple[int, Path]:
    (folder / "c.toml").write_text(CLAIMS.format(title=json.dumps(title)), encoding="utf-8")
    words = ["audit", str(folder / "c.toml"), "--report", str(folder / "out"), "--force", "--json"]
    return run(words), folder / "out"


@settings(WITHOUT_RUNS, max_examples=12)
@given(title=PRINTABLE)
def test_a_title_makes_no_mark_in_a_report(title: str, tmp_path: Path) -> None:
    code, plain = audited("A release", tmp_path)
    before = marks(plain)
    assert code in (0, 1)
    hostile, report = audited(title, tmp_path)
    if hostile == 2:  # a title that the reader refuses
        return
    assert marks(report) == before
    shown: dict[str, Any] = json.loads((report / "claims.json").read_text(encoding="utf-8"))
    assert shown["title"] == title
    ElementTree.fromstring((report / "junit.xml").read_bytes())
