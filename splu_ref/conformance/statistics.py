"""Statistical tests of random releases against their law by e-values, for programs that replay no tape.

Every check has one observation per release, or several that are independent under the law, and a level of
one in a billion: a correct program is rejected with at most that probability. Checks that need the record of
each published row are made only if the program reports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np

from splu_ref.audit import (
    EValue,
    RateTest,
    counts_point,
    multinomial_point,
    multinomial_power,
    rate_at_most,
    rate_power,
)
from splu_ref.conformance.chance import CHECKS, Check, Law
from splu_ref.conformance.program import MisbehaviorError
from splu_ref.conformance.result import Kind, Result, StatisticalCheck, Verdict
from splu_ref.conformance.worlds import BATCHES, WORLDS, Ask, Sample, World, sample_releases

LEVEL = Fraction(1, 10**9)
OPERATION = "publish_random"
PAGE = "splu_ref/spec/splu_gen.py"
"""The page of the specification that states the law of a release."""

CheckOutcome: TypeAlias = tuple[Result, StatisticalCheck | None]


@cache
def check_names() -> tuple[str, ...]:
    """Return the ids of all checks that have a law in their world."""
    return tuple(_id(world, check.name) for world in WORLDS for check in _checks(world))


def check_releases(
    ask: Ask, features: frozenset[str] | None, *, smoke: bool, only: str | None = None
) -> Iterator[CheckOutcome]:
    """Yield the outcome of every check, in the order of `check_names`; with an id only those of its world."""
    for world in WORLDS:
        if only not in (None, *(_id(world, check.name) for check in _checks(world))):
            continue
        missing = sorted(world.requires - features) if features is not None else []
        if missing:
            yield from _all(world, Verdict.UNSUPPORTED, f"the feature {missing[0]} is not supported")
            continue
        try:
            sample = sample_releases(ask, world, 1 if smoke else BATCHES)
        except MisbehaviorError as error:
            yield from _all(world, Verdict.FAILED, str(error))
            continue
        for check in _checks(world):
            yield _judge(world, check, sample)


def _all(world: World, verdict: Verdict, reason: str) -> Iterator[CheckOutcome]:
    for check in _checks(world):
        yield Result(_id(world, check.name), OPERATION, verdict, reason, Kind.AT_RANDOM), None


def _checks(world: World) -> list[Check]:
    """Return the checks that have a law in a world."""
    return [check for check in CHECKS if check.law(world)]


def _id(world: World, name: str) -> str:
    return f"{OPERATION}/{world.name}/{name}"


def _judge(world: World, check: Check, sample: Sample) -> CheckOutcome:
    identifier = _id(world, check.name)
    law = check.law(world)
    if check.linked and sample.rows is None:
        reason = "the answers do not report the record of each row"
        return Result(identifier, OPERATION, Verdict.SKIPPED, reason, Kind.AT_RANDOM), None
    observed = np.bincount(check.bins(world, sample), minlength=len(law)).tolist()
    impossible = [place for place, probability in enumerate(law) if probability == 0 and observed[place]]
    if impossible:
        reason = f"{observed[impossible[0]]} of {sum(observed)} observations are impossible"
        return Result(identifier, OPERATION, Verdict.FAILED, reason, Kind.AT_RANDOM, PAGE), None
    possible = [place for place, probability in enumerate(law) if probability]
    test = rate_at_most if check.at_most else counts_point
    evidence = _evidence(test, [observed[place] for place in possible], [law[place] for place in possible])
    passed = not evidence.rejects(LEVEL)
    count = sum(observed)
    power = _power(test, count, tuple(law[place] for place in possible), check.named)
    checked = StatisticalCheck(
        name=identifier,
        observations=count,
        log10_e_value=round(evidence.log10, 3),
        level="1e-9",
        power=power,
        passed=passed,
    )
    if passed:
        return Result(identifier, OPERATION, Verdict.PASSED, kind=Kind.AT_RANDOM), checked
    contrast = f"{_contrast(observed, law)} (bin 0: {check.named})"
    reason = f"the e-value is 10^{evidence.log10:.1f} against {check.name}: {contrast}"
    return Result(identifier, OPERATION, Verdict.FAILED, reason, Kind.AT_RANDOM, PAGE), checked


def _evidence(test: RateTest, observed: Sequence[int], law: Law) -> EValue:
    if len(law) == 2:
        return test(sum(observed), observed[0], law[0])
    return multinomial_point(observed, law)


@cache
def _power(test: RateTest, count: int, law: tuple[Fraction, ...], named: str) -> str:
    if len(law) == 2:
        return f"Pr({named}): {rate_power(test, count, law[0], LEVEL)}"
    return str(multinomial_power(count, law, 0, named, LEVEL))


def _contrast(observed: Sequence[int], law: Law) -> str:
    """Describe the bin with the largest deviation."""
    count = sum(observed)

    def distance(place: int) -> float:
        expected = float(count * law[place])
        return (observed[place] - expected) ** 2 / max(expected, 1.0)

    worst = max(range(len(law)), key=distance)
    expected = float(count * law[worst])
    return f"bin {worst} was observed {observed[worst]} times in {count}, not about {expected:.0f}"
