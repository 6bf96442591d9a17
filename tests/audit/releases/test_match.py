"""Rows are linked by their non-sensitive cells, and what is unclear is counted as unclear."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.record_linkage import Match, Original
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata


def frame(names: str, values: str) -> Microdata:
    return Microdata.from_frame(pl.DataFrame({"name": list(names), "value": list(values)}))


ORIGINAL = Original(frame("abbccdde", "xyyxyzzx"), ["value"])


def test_rows_known_for_certain() -> None:
    match = Match.of(ORIGINAL, frame("edcbcba", "yxzyxyx"))
    assert match.records.tolist() == [7, -1, -1, -1, -1, -1, 0]
    # The two b share y; one d is gone, and both had z; the two c differ.
    assert match.true_values("value").tolist() == [0, 2, -1, 1, -1, 1, 0]
    assert match.missing[match.missing > 0].tolist() == [1]
    assert match.published["value"].tolist() == [1, 0, 2, 1, 0, 1, 0]


def test_rows_that_no_record_explains() -> None:
    match = Match.of(ORIGINAL, frame("aaqb", "xxxw"))
    assert match.classes.tolist() == [0, 0, -1, 1]
    assert match.records.tolist() == [-1, -1, -1, -1]
    assert match.true_values("value").tolist() == [-1, -1, -1, 1]
    assert match.published["value"].tolist() == [0, 0, 0, -1]


@pytest.mark.parametrize("kept", ["abbccdd", "abbcdde", "abbcde", "bbccde", "abbde", "e"])
def test_frequencies_after_the_deletion_by_brute_force(kept: str) -> None:
    match = Match.of(ORIGINAL, frame(kept, "x" * len(kept)))
    possible = set()
    names, codes = "abbccdde", ORIGINAL.codes["value"]
    for rows in combinations(range(8), len(kept)):
        if sorted(names[row] for row in rows) == sorted(kept):
            possible.add(tuple(np.bincount(codes[list(rows)], minlength=3).tolist()))
    found = match.histograms("value")
    assert found is not None
    assert {tuple(histogram.tolist()) for histogram in found} == possible
    low, high = match.frequency_bounds("value")
    assert low.tolist() == np.array(sorted(possible)).min(axis=0).tolist()
    assert high.tolist() == np.array(sorted(possible)).max(axis=0).tolist()


def test_too_many_histograms_are_not_listed() -> None:
    letters = "".join(chr(ord("a") + number) for number in range(26))
    original = Original(frame("1" * 26 + "2" * 26, letters * 2), ["value"])
    match = Match.of(original, frame("1" * 25 + "2" * 25, "a" * 50))
    assert match.histograms("value") is None


def test_types_and_nulls() -> None:
    typed = Microdata.from_frame(pl.DataFrame({"n": [1, 2, None], "value": ["x", "y", "x"]}))
    read_back = Microdata.from_frame(pl.DataFrame({"n": ["2", "", "1"], "value": ["x", "y", "x"]}))
    original = Original(typed, ["value"])
    assert Match.of(original, read_back).records.tolist() == [1, 2, 0]
    assert Match.of(original, typed).records.tolist() == [0, 1, 2]


def test_a_table_without_other_columns_links_nothing() -> None:
    alone = Microdata.from_frame(pl.DataFrame({"value": ["x", "y", "x", "z"]}))
    match = Match.of(Original(alone, ["value"]), alone)
    assert match.records.tolist() == match.true_values("value").tolist() == [-1] * 4


def test_unusable_originals() -> None:
    with pytest.raises(ParameterError, match="once"):
        Original(ORIGINAL.table, ["value", "value"])
    with pytest.raises(DataError, match="no column 'valu'"):
        Original(ORIGINAL.table, ["valu"])
