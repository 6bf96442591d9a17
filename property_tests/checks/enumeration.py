"""Every outcome of the mechanism's random choices, in every small world."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product

from property_tests.checking import Outcome, check
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import declared_rows, enumeration_rows
from splu_ref.audit.enumeration import GAMMAS, RETENTIONS, CodesRelease, made_once
from splu_ref.channels import Channel
from splu_ref.mechanisms import PlanMethod, SpluGen
from splu_ref.randomness import Draws, IntArray, UniformSource


@check(
    "enumeration.release",
    "enumerated",
    "For every eligible histogram of at most 6 records, gamma 2 and 3, and both plans without a secret (of "
    "at most 4 for one pass of the mixed plan, and with p = 2/3 and 1), the laws of each f', of the "
    "published histogram and of the published values by record equal the theory as fractions; the remainder "
    "is a uniform subset (splu.S3, splu.B).",
)
def release(subject: Subject, run: Run) -> Outcome:
    tables = outcomes = 0
    for row in enumeration_rows(
        ordered=run.pick(True, False),
        largest=run.pick(6, 4),
        publish=subject.publish_codes,
        plans={**subject.plans, "mixed": partial(subject.mixed, passes=1)},
    ):
        if not row.holds:
            return Outcome(False, f"{row.plan}, gamma {row.law.gamma}: {row.detail}")
        tables += 1
        outcomes += row.outcomes
    return Outcome(True, f"{tables} tables, {outcomes} outcomes")


@dataclass(frozen=True)
class _Declaring:
    """SPLU-Gen as the subject has it."""

    subject: Subject
    mechanism: SpluGen
    name = SpluGen.name

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> CodesRelease:
        return self.subject.publish_codes(self.mechanism, codes, domain_size, draws)

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, int]:
        return self.subject.channel(self.mechanism, histogram, secret)


@check(
    "enumeration.channel",
    "enumerated",
    "For every set of frequencies of at most 4 records, gamma 2 and 3, p = 1/gamma, 2/3 and 1, and every "
    "plan (one pass of the mixed one), each record is published with the law that the mechanism declares, "
    "given the plan and the record's value (splu.M1c).",
)
def channel(subject: Subject, run: Run) -> Outcome:
    plans: dict[str, PlanMethod] = {**subject.plans, "mixed": partial(subject.mixed, passes=1)}
    mechanisms = [
        (_Declaring(subject, SpluGen(gamma, retention, made_once(plan))), gamma)
        for gamma, retention, plan in product(GAMMAS, (None, *RETENTIONS), plans.values())
    ]
    tables = outcomes = 0
    for row in declared_rows(mechanisms, largest=run.pick(4, 3)):
        if not row.holds:
            return Outcome(False, row.detail)
        tables += 1
        outcomes += row.outcomes
    return Outcome(True, f"{tables} tables, {outcomes} outcomes")
