"""False alarms, defects found, time: ``python -m benchmarks.auditing [RELEASES [STEP [FIRST]]]``.

Honest releases of every STEP-th record of the embedded table are audited at a level of 1e-9 each, every plan
and some retentions in turn; none may be called inconsistent. Then each defect of a release of the whole table
is audited several times. With FIRST, honest releases alone are, from the stream of that number on: others
than before. The figures of the documentation come from ``3900 10``, ``3500 10 10000``
and ``1000 10 13500``.
"""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from time import perf_counter

import numpy as np

from benchmarks.release_defects import DEFECTS, Publisher, stream
from splu_ref.audit.releases.audit import LEVEL, audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.data import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.mechanisms import PLANS, SpluGen

GAMMA = Gamma(5)
RETENTIONS = (Fraction(1, 5), Fraction(1, 5), Fraction(1, 2))
REPETITIONS = 20
EVERY = 500


def honest_releases(releases: int, step: int, first: int = 0) -> tuple[int, int, float, dict[str, float]]:
    """Audit honest releases; return alarms, those consistent, seconds each, the largest log10 e by check."""
    table = embedded_table()
    table = table.take(np.arange(0, table.row_count, step))
    original = Original(table, [EMBEDDED_SENSITIVE])
    alarms, consistent, seconds = 0, 0, 0.0
    largest: dict[str, float] = {}
    for number in range(first, first + releases):
        plan = list(PLANS)[number % len(PLANS)]
        retention = RETENTIONS[number // len(PLANS) % len(RETENTIONS)]
        source = stream("honest", number)
        done = SpluGen(GAMMA, retention=retention, plan=plan).publish(table, EMBEDDED_SENSITIVE, source)
        begin = perf_counter()
        claimed = SpluGenClaim(PublishedCount.of(GAMMA, retention), plan)
        audit = audit_release(done.table, [EMBEDDED_SENSITIVE], claimed, original=original, power=False)
        seconds += perf_counter() - begin
        alarms += audit.verdict == "inconsistent"
        consistent += audit.verdict == "consistent"
        for check in audit.checks:
            if check.e_value is not None:
                largest[check.name] = max(check.e_value.log10, largest.get(check.name, -1e9))
        if (number + 1 - first) % EVERY == 0:
            summary = ", ".join(f"{name} {value:.2f}" for name, value in largest.items())
            print(f"  {number + 1 - first} releases, {alarms} alarms; log10 e {summary}", file=sys.stderr)
    return alarms, consistent, seconds / releases, largest


def defect(name: str, repetitions: int, plan: str) -> tuple[int, Counter[str], float]:
    """Audit a defect; return how often it was found, by which checks, and the least log10 e of a verdict."""
    publisher = Publisher(embedded_table(), EMBEDDED_SENSITIVE, GAMMA, plan)
    original = Original(publisher.table, [EMBEDDED_SENSITIVE])
    claimed = SpluGenClaim(PublishedCount.of(GAMMA), plan)
    found, by_check, least = 0, Counter[str](), float("inf")
    for number in range(repetitions):
        published = DEFECTS[name](publisher, stream(f"{name}/{plan}", number))
        audit = audit_release(published, [EMBEDDED_SENSITIVE], claimed, original=original, power=False)
        found += audit.verdict == "inconsistent"
        by_check.update(_failed(audit))
        least = min(least, max(c.e_value.log10 for c in audit.checks if c.e_value is not None))
    return found, by_check, least


def second_release(repetitions: int) -> int:
    """Return how often a second release with fresh draws was found."""
    table = embedded_table()
    found = 0
    for number in range(repetitions):
        one, two = (
            SpluGen(GAMMA).publish(table, EMBEDDED_SENSITIVE, stream(f"second/{which}", number)).table
            for which in ("first", "second")
        )
        claimed = SpluGenClaim(PublishedCount.of(GAMMA))
        audit = audit_release(one, [EMBEDDED_SENSITIVE], claimed, second=two, power=False)
        found += _failed(audit) == {"second"}
    return found


def _failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


def main(releases: int = 300, step: int = 1, first: int | None = None) -> None:
    alarms, consistent, seconds, largest = honest_releases(releases, step, first or 0)
    print(f"{releases} honest releases at level {float(LEVEL):.0e}: {alarms} alarms, {consistent} consistent")
    print("largest log10 e: " + ", ".join(f"{name} {value:.1f}" for name, value in largest.items()))
    print(f"one audit: {1000 * seconds:.0f} ms")
    if first is not None:
        return
    for name in DEFECTS:
        for plan in PLANS:
            found, by_check, least = defect(name, REPETITIONS, plan)
            checks = ", ".join(f"{check} {times}" for check, times in by_check.most_common())
            print(f"{name}, {plan}: {found} of {REPETITIONS} found ({checks}); log10 e >= {least:.1f}")
    print(f"a second release with fresh draws: {second_release(REPETITIONS)} of {REPETITIONS} found")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
