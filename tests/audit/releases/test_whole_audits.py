"""Whole audits of small releases: every check, its rows, its evidence and each number."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.cell_claims import ReplacementClaim
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.channels import PublishedCount
from splu_ref.data import Microdata
from splu_ref.mechanisms import RetentionReplacement, SpluGen
from splu_ref.randomness import SeededSource

KEPT = Path(__file__).with_name("whole_audits.json")
NUMBER = np.arange(121)
TABLE = Microdata.from_frame(
    pl.DataFrame(
        {
            "age": NUMBER * 31 % 97,
            "town": [f"t{each}" for each in NUMBER % 5],
            "value": list("aaabbbccdefg" * 10 + "a"),
        }
    )
)


def reported(audit: ReleaseAudit) -> list[str]:
    """Return the audit without its words: they may be put in others, the numbers in them may not."""

    def numbers(words: str) -> list[str]:
        return re.findall(r"-?\d+(?:\.\d+)?", words)

    lines = [f"{audit.verdict}, {audit.rows} rows, {audit.linked} linked"]
    lines += [" ".join(("would detect", *numbers(str(each)))) for each in audit.detectable]
    lines += [f"not checked: {each.name} {each.column}" for each in audit.not_checked]
    for check in audit.checks:
        verdict = "passed" if check.passed else "failed"
        head = f"{check.name} {check.column} {verdict} on {check.rows}:"
        e_value = "" if check.e_value is None else f"| {check.e_value.log10:.5f} at {check.level}"
        lines.append(" ".join((head, *numbers(check.detail), "|", *numbers(check.power), e_value)).rstrip())
    return lines


def published(seed: int, **options: Any) -> Microdata:
    return SpluGen(3, **options).publish(TABLE, "value", SeededSource(seed)).table


def cyclic() -> ReleaseAudit:
    claimed = SpluGenClaim(PublishedCount.of(3), "cyclic")
    return audit_release(
        published(1, plan="cyclic"), ["value"], claimed, original=claimed.prepared(TABLE, ["value"])
    )


def kept_and_foreign() -> ReleaseAudit:
    """Nearly all values are those of the original; one is of no record, and one cell of another column."""
    frame = TABLE.to_frame()[::-1][:120].with_columns(
        value=pl.when(pl.col("age") == 31).then(pl.lit("z")).otherwise("value"),
        town=pl.when(pl.col("age") == 62).then(pl.lit("t9")).otherwise("town"),
    )
    claimed = SpluGenClaim(PublishedCount.of(3, "2/5"), "mixed")
    return audit_release(
        Microdata.from_frame(frame), ["value"], claimed, original=claimed.prepared(TABLE, ["value"])
    )


def two_without_an_original() -> ReleaseAudit:
    claimed = SpluGenClaim(PublishedCount.of(3))
    return audit_release(published(2), ["value"], claimed, second=published(3))


def few_and_alike() -> ReleaseAudit:
    """No row can be linked, and no predicate holds enough of them."""
    table = Microdata.from_frame(TABLE.to_frame()[:9].select("value", town=pl.lit("t")))
    done = SpluGen(3, plan="anatomy").publish(table, "value", SeededSource(5))
    claimed = SpluGenClaim(PublishedCount.of(3), "anatomy")
    return audit_release(done.table, ["value"], claimed, original=claimed.prepared(table, ["value"]))


def replaced() -> ReleaseAudit:
    mechanism = RetentionReplacement("1/3", {"value": "abcdefgh"})
    done = mechanism.publish(TABLE, "value", SeededSource(4))
    claimed = ReplacementClaim(mechanism)
    prepared = claimed.prepared(TABLE, ["value"])
    return audit_release(done.table, ["value"], claimed, original=prepared)


@pytest.mark.parametrize(
    "audited", [cyclic, kept_and_foreign, two_without_an_original, few_and_alike, replaced]
)
def test_every_number_is_the_one_that_was_reported(audited: Any) -> None:
    assert reported(audited()) == json.loads(KEPT.read_text("utf-8"))[audited.__name__]


def test_what_a_few_rows_would_not_show_is_said() -> None:
    (excluded,) = few_and_alike().detectable
    assert str(excluded) == (
        "value: would detect nothing of the draws; would not detect the original itself: no row's true value "
        "is known, counts that are exact, true values in the 9 rows that may be several records, another "
        "gamma with the same retention, dependent draws claimed as independent"
    )
