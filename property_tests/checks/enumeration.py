"""Every outcome of the mechanism's random choices, in every small world."""

from __future__ import annotations

from functools import partial

from property_tests.checking import Outcome, check
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import enumeration_rows


@check(
    "enumeration.release",
    "enumerated",
    "For every eligible histogram of at most 6 records, gamma 2 and 3, and both plans without a secret (of "
    "at most 4 for one pass of the mixed plan), the laws of each f', of the published histogram and of the "
    "published values by record equal the theory as fractions; the remainder is a uniform subset (splu.S3, "
    "splu.B).",
)
def release(subject: Subject, run: Run) -> Outcome:
    tables = outcomes = 0
    for row in enumeration_rows(
        ordered=run.size == "full",
        largest=run.pick(6, 4),
        publish=subject.publish_codes,
        plans={**subject.plans, "mixed": partial(subject.mixed, passes=1)},
    ):
        if not row.holds:
            return Outcome(False, f"{row.plan}, gamma {row.gamma}: {row.detail}")
        tables += 1
        outcomes += row.outcomes
    return Outcome(True, f"{tables} tables, {outcomes} outcomes")
