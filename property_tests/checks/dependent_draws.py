"""Dependent draws: every outcome in small worlds, and releases of a real table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product
from math import factorial

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.sampled import World, law_evidence
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, counts_point, rate_power
from splu_ref.audit.enumeration import made_once
from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import Gamma
from splu_ref.data import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.mechanisms import PlanMethod, SpluGen, mixed
from splu_ref.mechanisms.group_draws import Marks
from splu_ref.randomness import Draws, EnumerationSource, IntArray, outcomes

OutcomeLaw = dict[tuple[int, ...], Fraction]
Plan = tuple[tuple[int, ...], ...]
CAPPED, ALL_OR_NONE = GroupDraws("capped", 1), GroupDraws("all-or-none", 1)
BOUND, BATCH, BATCHES = 200, 20, 12


def _declared(marks: Sequence[bool], draws: GroupDraws) -> Mapping[tuple[int, ...], Fraction]:
    """Return the law of the published slots of a group, by the ledger."""
    from splu_proofs.worlds import group_laws  # noqa: PLC0415  # the ledger is loaded only when this runs

    return group_laws.capped(marks) if draws.name == "capped" else group_laws.all_or_none(marks)


def _declared_outcomes(marks: Sequence[bool], draws: GroupDraws) -> OutcomeLaw:
    """Return the declared joint law of the published slots of a group."""
    law = defaultdict[tuple[int, ...], Fraction](Fraction)
    for times, chance in _declared(marks, draws).items():
        slots = [slot for slot, number in enumerate(times) for _ in range(number)]
        for order in permutations(slots):
            law[order] += chance / factorial(len(slots))
    return dict(law)


def _two(first: OutcomeLaw, second: OutcomeLaw, gamma: int) -> OutcomeLaw:
    """Return the joint law of the published slots of two independent groups."""
    return {
        (*one, *(slot + gamma for slot in other)): chance * share
        for (one, chance), (other, share) in product(first.items(), second.items())
    }


@check(
    "draws.group",
    "enumerated",
    "For every way to mark the slots of a group of three (up to their order), and of two groups of two, the "
    "law of which slots are shown is the declared one, capped and all or none: the groups of a block draw "
    "independently, and any deal of the same slots is as likely (splu.EX, splu.CAP, splu.AONc).",
)
def group(subject: Subject, run: Run) -> Outcome:
    worlds: list[tuple[list[list[bool]], int]] = [
        ([[slot < marked for slot in range(3)]], 3) for marked in range(4)
    ]
    worlds += [
        ([list(one), list(other)], 2) for one, other in product(product((False, True), repeat=2), repeat=2)
    ]
    walked = 0
    for (marks, gamma), draws in product(worlds, (CAPPED, ALL_OR_NONE)):
        laws = [_declared_outcomes(each, draws) for each in marks]
        expected = laws[0] if len(laws) == 1 else _two(laws[0], laws[1], gamma)
        found: OutcomeLaw = defaultdict(Fraction)
        for slots, chance in outcomes(partial(_published_slots, subject, np.array(marks), draws)):
            found[slots] += chance
            walked += 1
        if found != expected:
            return Outcome(False, f"draws {draws}, marks {marks}: the slots shown have another law")
    return Outcome(True, f"{2 * len(worlds)} blocks, {walked} outcomes")


def _published_slots(
    subject: Subject, marks: Marks, draws: GroupDraws, source: EnumerationSource
) -> tuple[int, ...]:
    return tuple(subject.draw_source_slots(marks, draws, source).tolist())


PLANS: tuple[tuple[Plan, ...], ...] = (
    (((0, 1), (0, 2), (0, 1)),),
    (((0, 1), (0, 2)), ((0, 1), (2, 0))),
    (((0, 1, 2),), ((0, 3, 1), (1, 0, 2))),
)
"""Plans, in blocks."""


@check(
    "draws.marks",
    "enumerated",
    "For small plans, in one block and in two, and bounds 1 to 3: over all orders of the groups the law of "
    "the marked slots is that of the first groups of each value in a uniform order; with all or none, the "
    "slots of the values of at most so many records are marked (splu.CAP, splu.AONc).",
)
def marks(subject: Subject, run: Run) -> Outcome:
    from splu_proofs.worlds.group_laws import flags  # noqa: PLC0415  # as above

    walked = 0
    for blocks, bound in product(PLANS, (1, 2, 3)):
        groups = [group for block in blocks for group in block]
        expected: OutcomeLaw = defaultdict(Fraction)
        for order in permutations(range(len(groups))):
            first = flags(tuple(groups[place] for place in order), bound)
            by_group = [slots for _, slots in sorted(zip(order, first, strict=True))]
            expected[tuple(mark for slots in by_group for mark in slots)] += Fraction(
                1, factorial(len(groups))
            )
        found: OutcomeLaw = defaultdict(Fraction)
        for slots, chance in outcomes(partial(_marked, subject, blocks, GroupDraws("capped", bound))):
            found[slots] += chance
            walked += 1
        if found != expected:
            return Outcome(False, f"plan {blocks}, capped at {bound}: the marked slots have another law")
        values = [value for group in groups for value in group]
        rare = tuple(values.count(value) <= bound for value in values)
        for slots, _ in outcomes(partial(_marked, subject, blocks, GroupDraws("all-or-none", bound))):
            if slots != rare:
                return Outcome(
                    False, f"plan {blocks}: the values up to {bound} are not those that are marked"
                )
    return Outcome(True, f"{3 * len(PLANS)} plans and bounds, {walked} orders")


def _marked(
    subject: Subject, blocks: tuple[Plan, ...], draws: GroupDraws, source: EnumerationSource
) -> tuple[bool, ...]:
    arrays = [np.array(block) for block in blocks]
    return tuple(np.concatenate(subject.marked_slots(arrays, draws, source)).reshape(-1).tolist())


IN_BLOCKS: PlanMethod = partial(mixed, passes=0, most=1)
"""Groups of the cyclic plan, each a block of its own."""
TABLES = (
    ((2, 2), 2, "capped:1"),
    ((2, 1, 1), 2, "all-or-none:1"),
    ((1, 1, 1), 2, "capped:1"),
    ((1, 1, 1), 3, "capped:2"),
    ((1, 1, 1), 3, "all-or-none:1"),
)
"""Frequencies, group size and law."""


@check(
    "draws.release",
    "enumerated",
    "For tables of three and four records, gamma 2 and 3, plans of one block and of one group a block, and "
    "both laws: the joint law of all published counts is that of the declared groups, over every order of "
    "them, and each record is published with its true value with 1/gamma (splu.EX, splu.CAP, splu.AONc).",
)
def release(subject: Subject, run: Run) -> Outcome:
    walked = 0
    for (histogram, gamma, law), plan in product(TABLES, (subject.plans["anatomy"], IN_BLOCKS)):
        mechanism = SpluGen(gamma, plan=made_once(plan), draws=law)
        fault, seen = _fault(subject, mechanism, np.repeat(np.arange(len(histogram)), histogram))
        if fault:
            return Outcome(False, f"counts {histogram}, gamma {gamma}, draws {law}: {fault}")
        walked += seen
    return Outcome(True, f"{2 * len(TABLES)} tables, {walked} outcomes")


def _fault(subject: Subject, mechanism: SpluGen, codes: IntArray) -> tuple[str, int]:
    """Return what differs from the declared law, or an empty text, and how many outcomes there are."""
    values = int(codes.max()) + 1

    def run(source: Draws) -> tuple[tuple[int, ...], tuple[int, ...]]:
        done = subject.publish_dependent(mechanism, codes, values, source)
        order = np.argsort(done.rows)
        return tuple(done.suppressed.tolist()), tuple(done.published[order].tolist())

    observed: dict[tuple[int, ...], OutcomeLaw] = defaultdict(lambda: defaultdict(Fraction))
    walked = 0
    for (suppressed, published), chance in outcomes(run):
        observed[suppressed][published] += chance
        walked += 1
    for suppressed, law in observed.items():
        own = np.delete(codes, suppressed)
        weight = sum(law.values(), Fraction(0))
        counts: OutcomeLaw = defaultdict(Fraction)
        for published, chance in law.items():
            counts[tuple(published.count(value) for value in range(values))] += chance / weight
        if counts != _counts(mechanism, np.bincount(own, minlength=values)):
            return f"without {suppressed}, the counts have another law", walked
        for record, code in enumerate(own.tolist()):
            kept = sum(
                (chance for published, chance in law.items() if published[record] == code), Fraction(0)
            )
            if kept / weight != Fraction(1, mechanism.gamma):
                return f"record {record} retains its value with {kept / weight}", walked
    return "", walked


def _counts(mechanism: SpluGen, histogram: IntArray) -> OutcomeLaw:
    """Return the declared law of the published counts, by the order of the groups and the ledger's laws."""
    from splu_proofs.worlds.group_laws import flags, published  # noqa: PLC0415  # as above

    ((groups, _),) = list(
        outcomes(lambda source: mechanism.decoys(histogram, mechanism.gamma, source).groups().tolist())
    )
    plan, draws = tuple(map(tuple, groups)), mechanism.draws
    law: OutcomeLaw = defaultdict(Fraction)
    for order in permutations(plan):
        if draws.name == "capped":
            slots = flags(order, draws.bound or 0)
        else:
            slots = [tuple(int(histogram[value]) <= (draws.bound or 0) for value in group) for group in order]
        found = published(
            order,
            len(histogram),
            partial(_numbered, slots, draws),
        )
        for counts, chance in found.items():
            law[counts] += chance / factorial(len(plan))
    return {counts: chance for counts, chance in law.items() if chance}


def _numbered(
    slots: Sequence[tuple[bool, ...]], draws: GroupDraws, number: int, _: object
) -> Mapping[tuple[int, ...], Fraction]:
    return _declared(slots[number], draws)


@cache
def _adult() -> World:
    """Return the embedded table without the records that would be deleted, so that all counts stand."""
    table = embedded_table()
    codes = table.codes(EMBEDDED_SENSITIVE)
    return World(codes[: len(codes) // 5 * 5], len(table.domain(EMBEDDED_SENSITIVE)), Gamma(5))


@check(
    "adult.draws",
    "statistical",
    "Over 240 releases of the embedded table with gamma 5 and draws capped:200, the counts of the "
    "occupations of at most 200 records have the law of independent draws; over as many with "
    "all-or-none:200 they are multiples of 5, and their fifths binomial in total (splu.CAP, splu.AONc).",
)
def adult(subject: Subject, run: Run) -> Outcome:
    world, source = _adult(), run.stream(subject, "adult.draws")
    rare = np.flatnonzero(world.histogram <= BOUND)
    small = World(np.repeat(np.arange(len(rare)), world.histogram[rare]), len(rare), world.gamma)
    if not len(rare):
        return Outcome(False, "no occupation is rare enough")

    def counts(name: str) -> IntArray:
        mechanism = SpluGen(world.gamma, plan=subject.plans["cyclic"], draws=f"{name}:{BOUND}")
        released = (
            subject.publish_dependent(mechanism, world.codes, world.domain_size, source) for _ in range(BATCH)
        )
        return np.array([np.bincount(each.published, minlength=world.domain_size)[rare] for each in released])

    def evidence() -> Iterator[EValue]:
        capped: list[IntArray] = []
        fifths = np.zeros(len(rare), dtype=np.int64)
        for batch in range(1, run.pick(BATCHES, BATCHES // 2) + 1):
            capped.append(counts("capped"))
            shown, off = np.divmod(counts("all-or-none"), 5)
            assert not off.any(), "a rare occupation is published a number of times that is no multiple of 5"
            fifths += shown.sum(axis=0)
            totals = zip(small.histogram.tolist(), fifths.tolist(), strict=True)
            chosen = [counts_point(BATCH * batch * f, k, Fraction(1, 5)) for f, k in totals]
            yield average([law_evidence(small, capped), average(chosen)])

    def power(level: Fraction) -> str:
        trials = BATCH * BATCHES * int(small.histogram.max())
        share = level / (2 * len(rare))
        return f"the chance that a rare value wins: {rate_power(counts_point, trials, Fraction(1, 5), share)}"

    return sequential_outcome(run, "adult.draws", evidence(), power)
