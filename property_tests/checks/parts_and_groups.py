"""Domains for each part, and one perturbed record of each group: their laws, and groups that see no value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import polars as pl

from property_tests.checking import Outcome, check, first_failure
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.data import Microdata
from splu_ref.mechanisms import PerturbedGeneralization, SmallDomainRandomization
from splu_ref.randomness import Draws, exact_law

PARTS = SmallDomainRandomization("s", ["q"], {("1",): "xyz", ("2",): "yw"}, 3)
GROUPED = PerturbedGeneralization("s", "xyz", ["q"], 1, "1/2")


@check(
    "small-domains.law",
    "enumerated",
    "Three records of two parts are published by independent uniform perturbation, each within the domain "
    "and with the retention of its part.",
)
def parts(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_part_faults(subject), "all outcomes for three tables")


def _part_faults(subject: Subject) -> Iterator[str]:
    values, of_part = PARTS.values, np.array([0, 1, 0])
    domains = PARTS.coded(values)
    for own in ((0, 1, 2), (1, 2, 3), (3, 0, 1)):
        table = tuple(
            values.index("xyz"[code % 3] if part == 0 else "yw"[code % 2])
            for code, part in zip(own, of_part, strict=True)
        )

        def publish(draws: Draws, table: tuple[int, ...] = table) -> tuple[int, ...]:
            done = subject.publish_parts(PARTS, np.array(table), of_part, domains, draws)
            return tuple(done.published.tolist())

        expected = {}
        for seen in product(*(domains[part].tolist() for part in of_part)):
            chance = Fraction(1)
            for code, shown, part in zip(table, seen, of_part, strict=True):
                keep = PARTS.retention(len(domains[part]))
                chance *= keep * (code == shown) + (1 - keep) / len(domains[part])
            expected[seen] = chance
        found = exact_law(publish)
        if found != expected:
            yield f"{table}: the law is {found}"


@check(
    "perturbed-generalization.law",
    "enumerated",
    "Of each group the value of a uniform record is published, perturbed uniformly, and groups are "
    "independent.",
)
def groups(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_group_faults(subject), "all outcomes for four tables")


def _group_faults(subject: Subject) -> Iterator[str]:
    of_group, law = np.array([0, 1, 0]), GROUPED.law
    for table in ((0, 1, 2), (2, 0, 0), (0, 0, 1), (1, 1, 1)):

        def publish(draws: Draws, table: tuple[int, ...] = table) -> tuple[int, ...]:
            return tuple(subject.publish_groups(GROUPED, np.array(table), of_group, draws).published.tolist())

        first, _, third = table
        pair = {value: [first, third].count(value) for value in (first, third)}
        expected = {
            (one, other): law.published(pair, one) * law.published({table[1]: 1}, other)
            for one, other in product(range(3), repeat=2)
        }
        found = exact_law(publish)
        if found != expected:
            yield f"{table}: the law is {found}"


@check(
    "perturbed-generalization.blind",
    "exact",
    "Groups hold k records or more, those that agree in one group, and stay the same whatever the sensitive "
    "values are.",
)
def blind(subject: Subject, run: Run) -> Outcome:
    del run
    return first_failure(_blind_faults(subject), "24 orders of the sensitive values")


def _blind_faults(subject: Subject) -> Iterator[str]:
    mechanism = PerturbedGeneralization("s", "wxyz", ["q", "t"], 2, "2/5", numbers=["q"])
    seen = set()
    for values in permutations("wxyz"):
        # The groups of three and more that agree could be cut by the sensitive values alone; 12 is alone.
        numbers = [9, 10, 9, 11] * 3 + [9, 10, 9, 12]
        frame = pl.DataFrame(
            {"q": numbers, "t": list("abab") * 4, "s": [each for each in values for _ in range(4)]}
        )
        found = subject.groups(mechanism, Microdata.from_frame(frame)).tolist()
        if min(found.count(group) for group in found) < 2:
            yield f"{found}: a group has one record"
        if found[0] != found[2]:
            yield f"{found}: records that agree are in two groups"
        seen.add(tuple(found))
    if len(seen) > 1:
        yield f"the groups are {len(seen)} different ones"
