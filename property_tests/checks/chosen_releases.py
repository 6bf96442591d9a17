"""Sampled releases of tables that Hypothesis chooses."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.examples import GAMMAS, PLAN_NAMES, for_all, histograms
from property_tests.run import Run
from property_tests.sampled import World
from property_tests.subject import Subject
from splu_ref.audit import EValue, RatePower, average, counts_point, rate_power
from splu_ref.channels.parameters import Gamma

EXAMPLES, MATRIX_EXAMPLES = 20, 2
EXAMPLE_RELEASES = 400


@check(
    "generated.counts",
    "statistical",
    "The pooled counts of every value are binomial for tables, group sizes and plans that Hypothesis "
    "chooses, with and without a remainder (splu.B); each example is charged its share of the budget.",
)
def generated(subject: Subject, run: Run) -> Outcome:
    seen: dict[tuple[int, tuple[int, ...], str], Outcome] = {}
    powers: list[RatePower] = []
    first = run.pick(0, EXAMPLES)  # the kill matrix chooses other tables: they have numbers of their own

    def holds(gamma: Gamma, data: st.DataObject, plan: str) -> None:
        histogram = data.draw(histograms(gamma, full_groups=False))
        key = (int(gamma), tuple(histogram.tolist()), plan)
        if key not in seen:
            if len(seen) == run.pick(EXAMPLES, MATRIX_EXAMPLES):
                return  # a repetition beyond the budget draws no sample
            codes = np.repeat(np.arange(len(histogram)), histogram)
            table = World(codes, len(histogram), gamma, plan)
            seen[key] = _one_example(subject, run, table, first + len(seen), powers)
        assert seen[key].passed, seen[key].detail

    chosen = for_all(
        run,
        "generated.counts",
        holds,
        GAMMAS,
        st.data(),
        PLAN_NAMES,
        examples=run.pick(EXAMPLES, MATRIX_EXAMPLES),
        shrink=False,
    )
    largest = max((outcome.log10_e for outcome in seen.values() if outcome.log10_e is not None), default=None)
    level = run.allotments["generated.counts"].level
    power = f"the weakest example: {max(powers, key=_width)}" if powers else ""
    return Outcome(passed=chosen.passed, detail=chosen.detail, log10_e=largest, budget=level, power=power)


def _width(power: RatePower) -> Fraction:
    """Return the distance between the detectable rates below and above the declared one."""
    low = Fraction(0) if power.low is None else power.low
    high = Fraction(1) if power.high is None else power.high
    return high - low


def _one_example(subject: Subject, run: Run, table: World, example: int, powers: list[RatePower]) -> Outcome:
    rate = Fraction(1, table.gamma)
    rarest = 0

    def evidence() -> Iterator[EValue]:
        nonlocal rarest
        source = run.stream(subject, "generated.counts", example)
        true, published = table.counts(subject, source, EXAMPLE_RELEASES)
        trials = table.gamma * true.sum(axis=0)
        present = np.flatnonzero(trials)
        rarest = int(trials[present].min())
        yield average(
            [counts_point(int(trials[v]), int(published[:, v].sum()), rate) for v in present.tolist()]
        )

    def power(level: Fraction) -> str:
        powers.append(rate_power(counts_point, rarest, rate, level / table.domain_size))
        return str(powers[-1])

    return sequential_outcome(run, "generated.counts", evidence(), power, example=example)
