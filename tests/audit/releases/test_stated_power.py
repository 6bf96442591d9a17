"""What a column's checks would have detected: every number by hand, at its boundary and beside it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from splu_ref.audit.power import RatePower
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.detection_power import DetectionPower, of_decoy_groups
from splu_ref.audit.releases.findings import Check, ReleaseAudit
from splu_ref.channels import PublishedCount

HAIR = Fraction(1, 10**6)
BOUNDS = Fraction(1, 8), Fraction(2, 5)


def power(
    low: Fraction | None,
    high: Fraction | None,
    *,
    gamma: int = 4,
    retention: str | None = None,
    known: int = 600,
    exact_counts: int | None = 0,
    unlinked: int = 0,
    unlinked_detected: bool = False,
) -> DetectionPower:
    law = PublishedCount.of(gamma, retention)
    return of_decoy_groups(
        "s",
        law,
        1000,
        known,
        RatePower(known, law.retention, low, high) if known else None,
        exact_counts=exact_counts,
        unlinked=unlinked,
        unlinked_detected=unlinked_detected,
    )


def numbers(found: DetectionPower, *names: str) -> tuple[object, ...]:
    return tuple(found.numbers[name] for name in names)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ("1/5", "1/3", "retention up to 0.2000 or from 0.3334 on, the original itself"),
        ("1/5", None, "retention up to 0.2000"),
        (None, "1/3", "retention from 0.3334 on, the original itself"),
        (None, None, "counts that are exact"),
    ],
)
def test_power_is_stated_of_the_retention_and_never_of_gamma(
    low: str | None, high: str | None, said: str
) -> None:
    found = power(None if low is None else Fraction(low), None if high is None else Fraction(high))
    assert str(found).startswith(f"s: would detect {said}")
    unseen = "another gamma with the same retention"
    assert unseen in str(found).split("; would not detect ")[1]
    listed = found.numbers["not_detected"]
    assert isinstance(listed, list)
    assert unseen in listed


@pytest.mark.parametrize(
    ("low", "high", "own", "others"),
    [
        ("1/5", "2/5", 200, 200),  # 1000 (2/5 - 1/4) / (3/4) and 1000 (1 - 4/5)
        ("199999/1000000", "400001/1000000", 201, 201),
        ("200001/1000000", "399999/1000000", 200, 200),
        ("0", "1", 1000, 1000),
        (None, None, None, None),
    ],
)
def test_altered_cells(low: str | None, high: str | None, own: int | None, others: int | None) -> None:
    found = power(None if low is None else Fraction(low), None if high is None else Fraction(high))
    assert numbers(found, "altered_to_own", "altered_to_others") == (own, others)


@pytest.mark.parametrize(
    ("gamma", "retention", "half", "twice"),
    [
        (4, None, Fraction(1, 2), Fraction(1, 8)),
        (2, None, Fraction(3, 4), Fraction(1, 4)),  # twice 1/2 would be the original itself
        (3, "3/5", Fraction(4, 5), Fraction(3, 10)),
    ],
)
def test_half_and_twice_the_retention_have_to_be_detected(
    gamma: int, retention: str | None, half: Fraction, twice: Fraction
) -> None:
    def still_open(low: Fraction | None, high: Fraction | None) -> tuple[str, ...]:
        return power(low, high, gamma=gamma, retention=retention).open

    words = tuple(f"true values kept with probability {float(each):.4g}" for each in (half, twice))
    assert still_open(twice, half) == ()
    assert still_open(twice, half + HAIR) == still_open(twice, None) == words[:1]
    assert still_open(twice - HAIR, half) == still_open(None, half) == words[1:]
    assert still_open(None, None) == words


def test_true_values_in_unlinked_rows() -> None:
    assert numbers(power(*BOUNDS), "altered_to_own") == (200,)
    assert power(*BOUNDS, unlinked=200).open == ()
    in_rows = "true values in the 201 rows that may be several records"
    assert power(*BOUNDS, unlinked=201).open == (in_rows,)
    found = power(*BOUNDS, unlinked=201, unlinked_detected=True)
    assert (found.open, found.detected[-1]) == ((), in_rows)
    assert power(*BOUNDS, exact_counts=None).open == ("counts that are exact",)
    blind = power(None, None, known=0, unlinked=1000)
    assert blind.open[0] == "the original itself: no row's true value is known"
    assert len(blind.open) == 2


def test_one_open_column_and_one_failed_check_decide_the_verdict() -> None:
    whole, part = power(*BOUNDS), power(None, None)
    passed = Check("rows", None, passed=True, detail="", rows=1000)
    failed = replace(passed, name="domain", passed=False)

    def verdict(
        checks: tuple[Check, ...], detectable: tuple[DetectionPower, ...], recomputed: str | None = None
    ) -> str:
        return ReleaseAudit(
            claimed=SpluGenClaim(PublishedCount.of(4)),
            level=Fraction(1, 10**9),
            rows=1000,
            linked=600,
            checks=checks,
            not_checked=(),
            detectable=detectable,
            recomputed=recomputed,
        ).verdict

    assert verdict((passed, passed), (whole, whole)) == "consistent"
    for detectable in ((part, whole), (whole, part), (part,), ()):
        assert verdict((passed, passed), detectable) == "inconclusive"
        assert verdict((passed, passed), detectable, "its transcript") == "consistent"
    for checks in ((failed, passed), (passed, failed)):
        for recomputed in (None, "its transcript"):
            assert verdict(checks, (whole,), recomputed) == "inconsistent"
