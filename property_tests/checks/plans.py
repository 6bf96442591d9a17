"""Decoy plans on histograms that Hypothesis chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from property_tests.checking import Outcome, check
from property_tests.examples import SEEDS, for_all, histograms, worlds
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit.release_laws import fault_in_groups
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import DecoyPlan
from splu_ref.randomness import IntArray, Key, KeyedRelease
from splu_ref.spec import plans as specification
from splu_ref.spec.keys import KeyedRecords
from splu_ref.spec.randomness import Stream, Tape


def _groups(plan: DecoyPlan) -> list[list[int]]:
    return [list(map(int, group)) for group in plan.groups()]


@check(
    "plan.valid",
    "property",
    "Every eligible histogram gets N/gamma groups of gamma distinct values, each value in as many groups as "
    "it has records; draw 0 is the record's true value, draw j the j-th other value of its group (splu.G).",
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
    "The mixed plan, in one block or several, makes the same trades of the same bytes as the "
    "specification, and reads no byte more (splu.TR).",
)
def mixed(subject: Subject, run: Run) -> Outcome:
    def holds(gamma: int, data: st.DataObject, most: int, seed: bytes) -> None:
        histogram = data.draw(histograms(gamma, full_groups=True, most_groups=30))
        data_bytes = hashlib.shake_256(seed).digest(100 * int(histogram.sum()) + 100)
        tape, expected = subject.tape(data_bytes), Tape(data_bytes)
        found = [
            block.tolist() for block in subject.mixed(histogram, Gamma(gamma), tape, None, most).blocks()
        ]
        assert found == _blocks(histogram, gamma, most, lambda _: expected), "other groups"
        assert tape.consumed == expected.consumed, f"{tape.consumed} bytes read, not {expected.consumed}"

    parameters = st.integers(2, 7), st.data(), st.sampled_from((4096, 11, 4)), SEEDS
    return for_all(run, "plan.mixed", holds, *parameters, examples=run.pick(250, 40))


@check(
    "plan.blocks",
    "property",
    "With a key, every block of the mixed plan is drawn from a stream of its own, and entry p of the records "
    "sorted by value stands in block (p mod G) mod B, the k-th of its value in the k-th group that holds it.",
)
def blocks(subject: Subject, run: Run) -> Outcome:
    def holds(gamma: int, data: st.DataObject, most: int, seed: bytes) -> None:
        histogram = data.draw(histograms(gamma, full_groups=True, most_groups=30))
        records = int(histogram.sum())
        key = hashlib.sha256(seed).digest()
        identities = [b"%d" % record for record in range(records)]
        source = KeyedRelease(Key(key)).for_records("v", lambda: identities)
        plan = subject.mixed(histogram, Gamma(gamma), source.plan_secret(), None, most)
        expected = _blocks(histogram, gamma, most, KeyedRecords(key, "v", []).plan_stream)
        count = records // gamma
        entries = [
            [p for p in range(records) if p % count % len(expected) == b] for b in range(len(expected))
        ]
        assert [block.tolist() for block in plan.blocks()] == expected, "other groups"
        group_of = (plan.slots() // gamma).tolist()
        first = 0
        for mine, groups in zip(entries, expected, strict=True):
            values = np.repeat(np.arange(len(histogram)), histogram)[mine].tolist()
            for value in set(values):
                holding = [first + number for number, group in enumerate(groups) if value in group]
                standing = [group_of[p] for p, own in zip(mine, values, strict=True) if own == value]
                assert standing == holding, f"value {value} stands in {standing}, not {holding}"
            first += len(groups)

    parameters = st.integers(2, 7), st.data(), st.sampled_from((4096, 11, 4)), SEEDS
    return for_all(run, "plan.blocks", holds, *parameters, examples=run.pick(150, 30))


def _blocks(
    histogram: IntArray, gamma: int, most: int, stream_of: Callable[[int], Stream]
) -> list[list[list[int]]]:
    """Return the blocks of a mixed plan as specified, each of at most so many groups."""
    blocks = specification.blocks_of(specification.cyclic(histogram.tolist(), gamma), most)
    return [list(specification.passes_over(block, stream_of(b)))[-1] for b, block in enumerate(blocks)]


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
        assert found == specification.anatomy(histogram.tolist(), gamma), "differs from the greedy rule"

    return for_all(run, "plan.greedy", holds, st.integers(2, 7), st.data(), examples=run.pick(250, 60))


@check(
    "plan.cyclic", "property", "The cyclic plan deals the records, sorted by value, to the groups in turn."
)
def cyclic(subject: Subject, run: Run) -> Outcome:
    def holds(gamma: int, data: st.DataObject) -> None:
        histogram = data.draw(histograms(gamma, full_groups=True, most_groups=60))
        found = _groups(subject.plans["cyclic"](histogram, Gamma(gamma), subject.system()))
        assert found == specification.cyclic(histogram.tolist(), gamma)

    return for_all(run, "plan.cyclic", holds, st.integers(2, 7), st.data(), examples=run.pick(250, 60))
