"""Decoy plans on histograms that Hypothesis chooses."""

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import strategies as st

from property_tests import reference
from property_tests.checking import Outcome, check
from property_tests.examples import SEEDS, for_all, histograms, worlds
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit.laws import fault_in_groups
from splu_ref.decoys import DecoyPlan
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray


def _groups(plan: DecoyPlan) -> list[list[int]]:
    return [list(map(int, group)) for group in plan.groups()]


@check(
    "plan.valid",
    "property",
    "Every eligible histogram gets N/gamma groups of gamma distinct values, each value in as many groups as "
    "it has records; draw 0 is the record's own value and draw j the j-th other value of its group (splu.G).",
)
def valid(subject: Subject, run: Run) -> Outcome:
    def holds(world: tuple[Gamma, IntArray], seed: bytes) -> None:
        gamma, histogram = world
        records = np.arange(int(histogram.sum()))
        for name, method in subject.plans.items():
            plan = method(histogram, gamma, subject.seeded(seed))
            groups = _groups(plan)
            fault = fault_in_groups([tuple(group) for group in groups], histogram.tolist(), gamma)
            assert fault is None, f"{name}: {fault}"
            # Records sorted by value: the k-th one of a value stands in the k-th group that holds it.
            places = [(v, group) for v in range(len(histogram)) for group in groups if v in group]
            for draw in range(gamma):
                wanted = [[own, *(v for v in group if v != own)][draw] for own, group in places]
                found = plan.published(records, np.full(len(records), draw)).tolist()
                assert found == wanted, f"{name}: draw {draw} gives {found}, not {wanted}"

    return for_all(run, "plan.valid", holds, worlds(full_groups=True), SEEDS, examples=run.pick(400, 60))


@check(
    "plan.mixed",
    "property",
    "The mixed plan makes the same trades of the same bytes as a slow second implementation, and reads no "
    "byte more (splu.TR).",
)
def mixed(subject: Subject, run: Run) -> Outcome:
    def holds(gamma: int, data: st.DataObject, seed: bytes) -> None:
        histogram = data.draw(histograms(gamma, full_groups=True, most_groups=30))
        data_bytes = hashlib.shake_256(seed).digest(100 * int(histogram.sum()) + 100)
        tape, expected = subject.tape(data_bytes), reference.Tape(data_bytes)
        found = _groups(subject.mixed(histogram, Gamma(gamma), tape))
        assert found == reference.mixed_groups(histogram.tolist(), gamma, expected), "other groups"
        assert tape.consumed == expected.consumed, f"{tape.consumed} bytes read, not {expected.consumed}"

    return for_all(run, "plan.mixed", holds, st.integers(2, 7), st.data(), SEEDS, examples=run.pick(250, 40))


@check(
    "plan.greedy",
    "property",
    "The run-length greedy plan equals the one that is built group by group, ties to the smaller value.",
)
def greedy(subject: Subject, run: Run) -> Outcome:
    def holds(gamma: int, data: st.DataObject) -> None:
        histogram = data.draw(histograms(gamma, full_groups=True, most_groups=60))
        found = _groups(subject.plans["anatomy"](histogram, Gamma(gamma), subject.system()))
        assert found == _groups(subject.greedy_reference(histogram, Gamma(gamma))), (
            "differs from its reference"
        )
        assert found == reference.greedy_groups(histogram.tolist(), gamma), "differs from the greedy rule"

    return for_all(run, "plan.greedy", holds, st.integers(2, 7), st.data(), examples=run.pick(250, 60))


@check(
    "plan.cyclic", "property", "The cyclic plan deals the records, sorted by value, to the groups in turn."
)
def cyclic(subject: Subject, run: Run) -> Outcome:
    def holds(gamma: int, data: st.DataObject) -> None:
        histogram = data.draw(histograms(gamma, full_groups=True, most_groups=60))
        found = _groups(subject.plans["cyclic"](histogram, Gamma(gamma), subject.system()))
        assert found == reference.cyclic_groups(histogram.tolist(), gamma)

    return for_all(run, "plan.cyclic", holds, st.integers(2, 7), st.data(), examples=run.pick(250, 60))
