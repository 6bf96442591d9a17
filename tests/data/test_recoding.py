"""Bins, crossings, rare values and hashes: each is reproducible from its entry in a manifest."""

from __future__ import annotations

import datetime
import hmac
from collections.abc import Callable
from decimal import Decimal

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.data.recoding import (
    Bins,
    Cross,
    Dropped,
    Hashed,
    Rare,
    with_missing_as_text,
)
from splu_ref.data.recoding_steps import apply_recodings, prepare_table, read_steps, sources
from splu_ref.data.table import Recoding


def _cells(step: Recoding, cells: list[object], missing: str | None = None, name: str = "x") -> list[str]:
    table = Microdata.from_frame(pl.DataFrame({name: cells, "y": ["a"] * len(cells)}), missing)
    done, taken = apply_recodings(table, [step])
    secret = step.secret if isinstance(step, Hashed) else None
    reported = read_steps([each.facts() for each in taken], secret)
    again, _ = apply_recodings(table, reported)
    assert reported == taken
    assert again.content_digest() == done.content_digest()
    return done.cells(step.column)


def test_bins_of_numbers_and_dates() -> None:
    assert _cells(Bins.parse("x=10"), ["0", "9", "10", "-1", "37.0"]) == [
        "0..9", "0..9", "10..19", "-10..-1", "30..39",
    ]  # fmt: skip
    assert _cells(Bins.parse("x=10.0"), ["9.5", "10"]) == ["0.0..<10.0", "10.0..<20.0"]
    with pytest.raises(DataError, match=r"'9.5' in row 1, which is no whole number: .* bins x=10.0 for all"):
        _cells(Bins.parse("x=10"), ["9.5", "10"])
    assert _cells(Bins.parse("x=0.5"), ["1", "1.49"]) == ["1.0..<1.5", "1.0..<1.5"]
    assert _cells(Bins.parse("x=10"), [3, None, 12]) == ["0..9", "", "10..19"]
    assert _cells(Bins.parse("x=10"), ["3", "?", "", "NA"]) == ["0..9", "?", "", "NA"]
    days = [datetime.date(2024, 2, 29), datetime.date(999, 12, 1)]
    assert _cells(Bins.parse("x=year"), list(days)) == ["2024", "0999"]
    assert _cells(Bins.parse("x=quarter"), list(days)) == ["2024-Q1", "0999-Q4"]
    assert _cells(Bins.parse("x=month"), ["2024-02-29T10:00:00.000000", ""]) == ["2024-02", ""]


@settings(max_examples=60)
@given(
    st.decimals(-1000, 1000, places=3), st.decimals(Decimal("0.001"), 50, places=3).map(lambda width: width)
)
def test_a_number_lies_in_its_bin(number: Decimal, width: Decimal) -> None:
    step = Bins("x", f"{width:f}", whole=False)
    limits = step.limits(step.label(str(number)))
    assert limits is not None
    first, after = limits
    assert first <= number < after
    assert after - first == width
    assert first % width == 0


@pytest.mark.parametrize(
    ("step", "cells", "error"),
    [
        ("x=10", ["3", "many"], "holds 'many' in row 2, which is no number"),
        ("x=10", ["3", "inf"], "holds 'inf' in row 2"),
        ("x=month", ["2024-02-29", "2024-02-30"], "holds '2024-02-30' in row 2, which is no date"),
    ],
)
def test_what_is_no_number_or_date_is_named(step: str, cells: list[str], error: str) -> None:
    with pytest.raises(DataError, match=error):
        _cells(Bins.parse(step), list(cells))


@pytest.mark.parametrize("text", ["x", "x=", "=10", "x=0", "x=-1", "x=1e3", "x=week", "x=0.0"])
def test_bins_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Bins.parse(text)


def test_a_crossing_replaces_its_parts_and_keeps_pairs_apart() -> None:
    frame = {"a": ["p", "q", "p"], "b": ["1", "1", "2"], "c": ["u", "v", "w"]}
    for made in (pl.DataFrame(frame), pd.DataFrame(frame)):
        table, taken = apply_recodings(Microdata.from_frame(made), [Cross.parse("ab=a,b")])
        assert table.columns == ("c", "ab")
        assert table.cells("ab") == ["p / 1", "q / 1", "p / 2"]
        assert [step.facts() for step in taken] == [{"column": "ab", "cross": ["a", "b"]}]
    for cells, error in ((["p / 1", "q", "r"], "joins the values"), (["?", "q", "r"], "is missing in row 1")):
        with pytest.raises(DataError, match=error):
            apply_recodings(Microdata.from_frame(pl.DataFrame(frame | {"a": cells})), [Cross.parse("ab=a,b")])
    with pytest.raises(DataError, match="column 'c' already"):
        apply_recodings(Microdata.from_frame(pl.DataFrame(frame)), [Cross.parse("c=a,b")])
    empty = pl.DataFrame(frame | {"a": ["", "q", "r"]})
    reported, _ = apply_recodings(Microdata.from_frame(empty, "none"), [Cross.parse("ab=a,b")])
    assert reported.cells("ab")[0] == "none / 1"
    for text in ("ab=a", "ab=a,a", "ab=", "ab=a,"):
        with pytest.raises(ParameterError):
            Cross.parse(text)


def test_rare_values_become_one() -> None:
    assert _cells(Rare.parse("x=2"), ["p", "q", "p", "?", "r"]) == ["p", "other", "p", "?", "other"]
    with pytest.raises(DataError, match="holds 'other' itself"):
        _cells(Rare.parse("x=2"), ["other", "q"])
    with pytest.raises(ParameterError, match="at least 2"):
        Rare.parse("x=1")


def test_hashes_depend_on_key_column_and_value_and_disclose_nothing_of_the_key() -> None:
    first, second = bytes(range(32)), bytes(range(1, 33))
    step = Hashed("x", first, None)
    hashes = _cells(step, ["p", "q", "p", ""])
    message = b"splu-ref/hash/1" + bytes(7) + b"\x01x" + b"p"
    assert hashes == [hmac.new(first, message, "sha256").hexdigest()[:16], hashes[1], hashes[0], ""]
    assert len({hashes[0], hashes[1], _cells(Hashed("x", second, None), ["p"])[0]}) == 3
    assert _cells(Hashed("z", first, None), ["p"], name="z") != hashes[:1]
    assert step.facts() == {"column": "x", "hashed": "HMAC-SHA-256"}
    with pytest.raises(DataError, match="give key"):
        _cells(Hashed("x"), ["p"])


@pytest.mark.parametrize(
    "reported",
    [
        {}, [1], [{"column": "x"}], [{"column": 1, "bins": "10"}], [{"column": "x", "bins": "0"}],
        [{"column": "x", "bins": "10", "whole": "yes"}], [{"column": "x", "bins": "10", "more": 1}],
        [{"column": "x", "cross": ["a"]}], [{"column": "x", "cross": [1, 2]}],
        [{"column": "x", "grouped_below": 1}], [{"column": "x", "hashed": "MD5"}],
    ],
)  # fmt: skip
def test_steps_of_another_form_are_refused(reported: object) -> None:
    with pytest.raises((TypeError, ValueError, KeyError, ParameterError)):
        read_steps(reported)


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_a_text_stands_for_cells_without_content_of_any_type(library: Callable[[object], object]) -> None:
    frame = library({"x": [1.5, None, 2.0], "y": ["a", "", None], "z": [1, 2, 3], "w": [None, 1.0, 1.0]})
    table = Microdata.from_frame(frame, "?")  # type: ignore[arg-type]  # of either library
    reported = with_missing_as_text(table, ["z", "y", "x", "absent"])
    assert reported.columns == table.columns
    assert reported.cells("x") == ["1.5", "", "2.0"]
    assert reported.domain("x") == ("1.5", "2.0", "?")
    assert reported.domain("z") == (1, 2, 3)
    assert reported.missing == "?"
    with pytest.raises(DataError, match="'w' does not hold text and row 1"):
        reported.domain("w")
    refused = Microdata.from_frame(frame)  # type: ignore[arg-type]  # as above
    assert with_missing_as_text(refused, ["x"]) is refused


def test_what_is_prepared_knows_what_it_was_made_of() -> None:
    table = Microdata.from_frame(
        pl.DataFrame({"a": ["p", "q"], "b": ["1", "2"], "c": ["u", "v"], "d": [1, 12]})
    )
    gone = (Dropped("c"), Dropped("ab"))
    steps: list[Recoding] = [Cross.parse("ab=a,b"), Bins.parse("d=10"), *gone]
    found = prepare_table(table, steps, {"d": ["0..9", "10..19", "20..29"]})
    assert found.columns == ("d",)
    assert found.domain("d") == ("0..9", "10..19", "20..29")
    assert found.recoded == (steps[0], Bins("d", "10", whole=True), *gone)
    assert found.unrecoded is table
    more = Cross.parse("more=c,ab,a")
    assert sources([*steps, more], "more") == ("c", "a", "b")
    assert sources([more, *steps], "more") == ("c", "ab", "a")
    assert sources([*steps, more], "d") == ("d",)
    plain = prepare_table(table, [], {}, ["a"])
    assert (plain.recoded, plain.unrecoded, plain.columns) == ((), plain, table.columns)
    for drop in (["e"], ["a", "e"]):
        with pytest.raises(DataError, match="no column 'e'"):
            prepare_table(table, list(map(Dropped, drop)), {})


def test_labels_of_bins_have_limits() -> None:
    ten, half = Bins("x", "10", whole=True), Bins("x", "0.5", whole=False)
    assert ten.limits("30..39") == (Decimal(30), Decimal(39))
    assert half.limits("1.5..<2.0") == (Decimal("1.5"), Decimal(2))
    for label in ("30", "30..", "a..b", "", "?"):
        assert ten.limits(label) is None
        assert half.limits(label) is None
    assert half.limits("1..2") is None
    assert Bins("x", "year").limits("2024..2025") is None
    # Of more digits than decimals keep by themselves: neither is rounded.
    assert Bins("x", "1", whole=False).label("0." + "9" * 29) == "0..<1"
    assert (
        Bins("x", "1", whole=False).label("9e29")
        == "900000000000000000000000000000..<900000000000000000000000000001"
    )
    assert Bins("x", "1", whole=False).label("9e-29") == "0..<1"
    for cell in ("1e30", "1e-30", "nan", "-inf", "one"):
        with pytest.raises(ValueError):
            half.label(cell)


def test_the_width_alone_decides_how_bins_are_labeled() -> None:
    """A table's cells would disclose whether a record that is suppressed has a whole number."""
    wholes = {each: Bins.parse(f"x={each}").whole for each in ("10", "2.5", "2.0", "year")}
    assert wholes == {"10": True, "2.5": False, "2.0": False, "year": None}
    for last in ("30", "30.5"):
        assert _cells(Bins.parse("x=10.0"), ["1", "2", last])[:2] == ["0.0..<10.0"] * 2


def test_a_column_may_have_a_name_with_an_equals_sign() -> None:
    assert Bins.parse("a=b=10") == Bins("a=b", "10", whole=True)
    assert Cross.parse("c=a=1,b") == Cross("c", ("a=1", "b"))
    assert Rare.parse("a=b=12") == Rare("a=b", 12)


def test_a_column_with_dates_of_another_order_is_named_as_a_whole() -> None:
    for cells, said in (
        (
            ["13.03.2024", "19.06.2024", ""],
            "no date such as 2024-02-29, but '13.03.2024': write all its dates",
        ),
        (["13.03.2024", "2024-06-19", ""], "'13.03.2024' in row 1, which is no date such as 2024-02-29"),
    ):
        with pytest.raises(DataError, match=said):
            _cells(Bins.parse("x=month"), list(cells))
