"""Two releases of one table: the same draws, fresh ones, or some of each."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from splu_ref.audit import average, rate_at_least, rate_at_most
from splu_ref.audit.averaging import repeated_privacy
from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.re_release import compare_releases
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import ParameterError
from splu_ref.data import EMBEDDED_SENSITIVE, Microdata, embedded_table
from splu_ref.guarantees import decimal_down, error_probability
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import Key, KeyedRelease, KeyedSource, Randomness, ReleaseContext, SeededSource

CLAIMED = SpluGenClaim(PublishedCount.of(5))
LEVEL = Fraction(1, 10**9)
KEY = Key(bytes(range(31)) + b"!")


def publication(seed: int) -> Microdata:
    return SpluGen(5).publish(embedded_table(), EMBEDDED_SENSITIVE, SeededSource(seed)).table


def test_the_same_rows_in_another_order() -> None:
    table = publication(1)
    turned = table.take(np.arange(table.row_count)[::-1].copy())
    reuse = compare_releases(table, turned, [EMBEDDED_SENSITIVE], CLAIMED, LEVEL)
    assert (reuse.draws, reuse.linked) == ("same", reuse.agreeing)
    assert reuse.linked > 17_000


def test_fresh_draws_are_a_failure() -> None:
    one, two = publication(1), publication(2)
    reuse = compare_releases(one, two, [EMBEDDED_SENSITIVE], CLAIMED, LEVEL)
    assert reuse.draws == "fresh"
    # 1/25 that both retain it, and a chance of at most 1/25 for each of four other values.
    assert 1 / 25 < reuse.agreeing / reuse.linked < 1 / 5
    audit = audit_release(one, [EMBEDDED_SENSITIVE], CLAIMED, second=two, power=False)
    assert [check.name for check in audit.checks if not check.passed] == ["second"]


class _RecordsKeepTheirDraws:
    """One key for all releases, as in specification 1."""

    name = "keyed"

    def for_release(self, _: ReleaseContext) -> KeyedRelease:
        return KeyedRelease(KEY)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("randomness", "draws"), [(_RecordsKeepTheirDraws(), "shared"), (KeyedSource(KEY), "fresh")]
)
def test_a_changed_table_shares_its_draws_only_where_records_keep_them(
    randomness: Randomness, draws: str
) -> None:
    table = embedded_table()
    fewer = table.take(np.arange(20_000))
    one, two = (SpluGen(5).publish(part, EMBEDDED_SENSITIVE, randomness).table for part in (table, fewer))
    reuse = compare_releases(one, two, [EMBEDDED_SENSITIVE], CLAIMED, LEVEL)
    assert reuse.draws == draws
    assert reuse.against_independence is not None
    assert reuse.against_independence.rejects(LEVEL) == (draws == "shared")


def test_a_second_release_that_avoids_the_first() -> None:
    one, two = publication(1), publication(2)
    names = [column for column in one.columns if column != EMBEDDED_SENSITIVE]
    first, second = one.to_frame(), two.to_frame()
    shown = first.unique(names, keep="none").select(*names, shown=EMBEDDED_SENSITIVE)
    joined = second.join(shown, on=names, how="left", maintain_order="left")
    evading = pl.when(pl.col("shown") == pl.col(EMBEDDED_SENSITIVE)).then(pl.lit("Sales"))
    changed = joined.with_columns(evading.otherwise(EMBEDDED_SENSITIVE).alias(EMBEDDED_SENSITIVE))
    avoiding = Microdata.from_frame(changed.select(second.columns))
    reuse = compare_releases(one, avoiding, [EMBEDDED_SENSITIVE], CLAIMED, LEVEL)
    assert reuse.draws == "opposed"
    assert reuse.agreeing / reuse.linked < 1 / 25
    audit = audit_release(one, [EMBEDDED_SENSITIVE], CLAIMED, second=avoiding, power=False)
    assert "avoids what the first shows" in next(c.detail for c in audit.checks if c.name == "second")


def test_one_row_of_difference_is_not_the_same() -> None:
    frame = pl.DataFrame({"name": list("1234"), "value": list("xyxz")})
    changed = frame.with_columns(value=pl.Series(list("xyxx")))
    one, two = Microdata.from_frame(frame), Microdata.from_frame(changed)
    reuse = compare_releases(one, two, ["value"], CLAIMED, LEVEL)
    assert (reuse.draws, reuse.linked, reuse.agreeing) == ("fresh", 4, 3)
    assert compare_releases(one, one, ["value"], CLAIMED, LEVEL).draws == "same"


@pytest.mark.parametrize(
    ("gamma", "retention", "most"), [(3, None, "1/3"), (3, "1/4", "3/8"), (4, "2/3", "2/3")]
)
def test_evidence_against_independence_by_hand(gamma: int, retention: str | None, most: str) -> None:
    """Twelve rows agree in two: at most max(p, q) each, at least p^2, and gamma - 1 of them may be others."""
    names = [str(i) for i in range(12)]
    one = pl.DataFrame({"name": names, "value": list("xyxyxyxyxyxy")})
    two = one.with_columns(value=pl.Series(list("xyyxyxyxyxyx")))
    claimed = SpluGenClaim(PublishedCount.of(gamma, retention))
    for column in (["value"], ["value", "same"]):
        frames = [frame.with_columns(same=pl.lit("z")) if "same" in column else frame for frame in (one, two)]
        first, second = map(Microdata.from_frame, frames)
        reuse = compare_releases(first, second, column, claimed, LEVEL)
        counts = [2, 12][: len(column)]
        twice = claimed.law.retention**2
        more = average([rate_at_most(12, count, Fraction(most)) for count in counts])
        fewer = average([rate_at_least(12, min(12, count + gamma - 1), twice) for count in counts])
        assert (reuse.draws, reuse.linked, reuse.agreeing) == ("fresh", 12, 2)
        assert reuse.against_independence == average([more, fewer])


def test_nothing_to_link() -> None:
    frame = pl.DataFrame({"value": list("xyxz")})
    one, two = Microdata.from_frame(frame), Microdata.from_frame(frame.with_columns(value=pl.lit("x")))
    reuse = compare_releases(one, two, ["value"], CLAIMED, LEVEL)
    assert (reuse.draws, reuse.linked, reuse.against_independence) == ("fresh", 0, None)
    named, renamed = (Microdata.from_frame(frame.with_columns(name=pl.lit(name))) for name in "ab")
    assert compare_releases(named, renamed, ["value"], CLAIMED, LEVEL).draws == "unlinked"


def test_nulls_are_cells_like_others() -> None:
    frame = pl.DataFrame({"name": [1, None, 3, 4], "value": ["x", "y", "x", "z"]})
    lost = frame.with_columns(value=pl.Series(["x", None, "x", "z"]))
    one, two = Microdata.from_frame(frame), Microdata.from_frame(lost)
    reuse = compare_releases(one, two, ["value"], CLAIMED, LEVEL)
    assert (reuse.linked, reuse.agreeing) == (4, 3)


@pytest.mark.parametrize("retention", [None, "1/2"])
def test_promise_of_the_mean_by_trying_every_count(retention: str | None) -> None:
    promise = repeated_privacy(PublishedCount.of(5, retention), 2, "3/10", 10)
    tried = min(error_probability(5, "3/10", 2 * f, retention=retention).exact() for f in range(1, 11))
    alone = min(error_probability(5, "3/10", f, retention=retention).exact() for f in range(1, 11))
    assert promise.averaged == tried
    assert promise.once == alone
    assert decimal_down(tried, 4) in str(promise)
    assert tried < alone


def test_a_promise_speaks_of_three_tenths_and_counts_up_to_ten_unless_reported_otherwise() -> None:
    law = PublishedCount.of(5)
    assert repeated_privacy(law, 3) == repeated_privacy(law, 3, "3/10", 10)
    assert repeated_privacy(law, 3) != repeated_privacy(law, 3, "3/10", 9)


def test_a_promise_needs_a_count() -> None:
    with pytest.raises(ParameterError):
        repeated_privacy(PublishedCount.of(5), 2, alpha=0)
