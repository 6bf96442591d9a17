"""Honest releases pass, whatever the plan, the retention, the source, the columns and the kind of table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import Check, ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import PublishedCount
from splu_ref.data import EMBEDDED_SENSITIVE, Microdata, embedded_table
from splu_ref.mechanisms import PLANS, SpluGen
from splu_ref.randomness import Key, KeyedSource, SeededSource

LEVEL = Fraction(1, 10**9)


def small_table(rows: int) -> Microdata:
    """Return a table of which a part can be linked: people of some ages with skewed values."""
    number = np.arange(rows)
    values = np.array(list("aaaabbbccd"))[number * 7 % 10]
    frame = {"age": number * 31 % 97, "town": (number % 5).astype(str), "value": values}
    return Microdata.from_frame(pl.DataFrame(frame))


def failed(audit: ReleaseAudit) -> list[Check]:
    return [check for check in audit.checks if not check.passed]


@pytest.mark.slow
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("retention", [None, "1/2"])
def test_many_small_releases(plan: str, retention: str | None) -> None:
    table = small_table(131)
    original = Original(table, ["value"])
    claimed = SpluGenClaim(PublishedCount.of(2, retention), plan)
    for number in range(8):
        source = SeededSource(f"honest {plan} {retention} {number}".encode())
        published = SpluGen(2, retention=retention, plan=plan).publish(table, "value", source).table
        audit = audit_release(
            published, ["value"], claimed, original=original, level=LEVEL, power=number == 0
        )
        assert not failed(audit)
        assert audit.linked == 130  # all cells differ


@pytest.mark.slow
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("gamma", [5, 7])
def test_the_embedded_table(plan: str, gamma: int) -> None:
    table = embedded_table()
    original = Original(table, [EMBEDDED_SENSITIVE])
    published = SpluGen(gamma, plan=plan).publish(table, EMBEDDED_SENSITIVE, SeededSource(gamma))
    audit = audit_release(
        published.table,
        [EMBEDDED_SENSITIVE],
        SpluGenClaim(PublishedCount.of(gamma), plan),
        original=original,
        manifest=published.manifest,
        level=LEVEL,
        power=False,
    )
    assert not failed(audit)
    assert audit.linked is not None
    assert audit.linked > 17_000
    names = {check.name for check in audit.checks}
    assert {"counts", "retention", "decoys", "places", "shuffle", "manifest.rows"} <= names
    assert {"exactness", "independence", "unlinked", "predicates"} <= names
    assert audit.verdict == "consistent"
    assert ("plan" in names) <= (plan != "mixed")
    assert names <= set(MEANING)


@pytest.mark.slow
def test_keyed_releases_repeat_themselves() -> None:
    table, source = embedded_table(), KeyedSource(Key(bytes(range(31)) + b"!"))
    one, two = (SpluGen(5).publish(table, EMBEDDED_SENSITIVE, source).table for _ in range(2))
    audit = audit_release(
        one,
        [EMBEDDED_SENSITIVE],
        SpluGenClaim(PublishedCount.of(5)),
        original=Original(table, [EMBEDDED_SENSITIVE]),
        second=two,
        level=LEVEL,
        power=False,
    )
    assert not failed(audit)
    assert audit.reuse is not None
    assert audit.reuse.draws == "same"


@pytest.mark.slow
def test_several_sensitive_columns() -> None:
    table = embedded_table()
    columns = ["occupation", "education"]
    gamma = 3
    published = SpluGen(gamma).publish(table, columns, SeededSource(1)).table
    audit = audit_release(
        published,
        columns,
        SpluGenClaim(PublishedCount.of(gamma), "mixed"),
        original=Original(table, columns),
        level=LEVEL,
    )
    assert not failed(audit)
    assert {check.column for check in audit.checks if check.name == "retention"} == set(columns)
    shares = [check.level for check in audit.checks if check.level is not None]
    assert sum(shares) == LEVEL
    assert all(check.power for check in audit.checks if check.level is not None)


def test_nothing_can_be_linked() -> None:
    alone = small_table(60).to_frame().select("value")
    table = Microdata.from_frame(alone)
    published = SpluGen(2, plan="cyclic").publish(table, "value", SeededSource(4)).table
    audit = audit_release(
        published,
        ["value"],
        SpluGenClaim(PublishedCount.of(2), "cyclic"),
        original=Original(table, ["value"]),
    )
    assert not failed(audit)
    assert audit.linked == 0
    nowhere = {"retention", "independence", "decoys", "plan", "places", "predicates"}
    assert {check.name for check in audit.not_checked} == nowhere


def test_a_pandas_release_of_a_typed_table() -> None:
    frame = small_table(90).to_frame()
    table = Microdata.from_frame(frame.to_pandas())
    published = SpluGen(2).publish(table, "value", SeededSource(2)).table
    original = Original(table, ["value"])
    audit = audit_release(
        published, ["value"], SpluGenClaim(PublishedCount.of(2)), original=original, level=LEVEL
    )
    assert not failed(audit)
    shifted = published.to_frame().assign(age=lambda rows: rows["age"].astype(float))
    audit = audit_release(
        Microdata.from_frame(shifted), ["value"], SpluGenClaim(PublishedCount.of(2)), original=original
    )
    assert [check.name for check in failed(audit)] == ["schema", "records"]
