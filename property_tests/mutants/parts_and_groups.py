"""Faults in domains for each part, and in one perturbed record of each group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.data import Microdata
from splu_ref.mechanisms import ColumnRelease, PerturbedGeneralization, SmallDomainRandomization
from splu_ref.randomness import Draws, IntArray


def _whole_domain(
    mechanism: SmallDomainRandomization,
    codes: IntArray,
    parts: IntArray,
    domains: Sequence[IntArray],
    draws: Draws,
) -> ColumnRelease:
    everything = np.unique(np.concatenate(domains))
    return mechanism.publish_parts(codes, parts, [everything] * len(domains), draws)


def _one_retention(
    mechanism: SmallDomainRandomization,
    codes: IntArray,
    parts: IntArray,
    domains: Sequence[IntArray],
    draws: Draws,
) -> ColumnRelease:
    """Keep with the retention of the whole domain, and replace within the part's."""
    keep = mechanism.retention(len(mechanism.values))
    published = np.empty_like(codes)
    for place, domain in enumerate(domains):
        records = np.flatnonzero(parts == place)
        drawn = draws.select_records(records).below(keep.denominator * len(domain), len(records))
        kept = drawn < keep.numerator * len(domain)
        published[records] = np.where(kept, codes[records], domain[drawn % len(domain)])
    rows = np.arange(len(codes), dtype=np.int64)
    return ColumnRelease(rows, published, rows[:0])


def _first_record(
    mechanism: PerturbedGeneralization, codes: IntArray, groups: IntArray, draws: Draws
) -> ColumnRelease:
    _, first = np.unique(groups, return_index=True)
    return mechanism.publish_groups(codes[first], groups[first], draws)


def _no_perturbation(
    mechanism: PerturbedGeneralization, codes: IntArray, groups: IntArray, draws: Draws
) -> ColumnRelease:
    done = mechanism.publish_groups(codes, groups, draws)
    return done._replace(published=codes[done.rows])


def _own_excluded(
    mechanism: PerturbedGeneralization, codes: IntArray, groups: IntArray, draws: Draws
) -> ColumnRelease:
    """Replace by another value than the own one."""
    done, values = mechanism.publish_groups(codes, groups, draws), len(mechanism.values)
    drawn = draws.select_records(done.rows).below(
        mechanism.retention.denominator * (values - 1), len(done.rows)
    )
    own = codes[done.rows]
    other = (own + 1 + drawn % (values - 1)) % values
    return done._replace(published=np.where(drawn < mechanism.retention.numerator * (values - 1), own, other))


def _seeing(mechanism: PerturbedGeneralization, table: Microdata) -> IntArray:
    looking = PerturbedGeneralization(
        "group", mechanism.values, [*mechanism.quasi, mechanism.column], mechanism.least, mechanism.retention,
        numbers=mechanism.numbers,
    )  # fmt: skip
    return looking.groups(table)


def _too_small(mechanism: PerturbedGeneralization, table: Microdata) -> IntArray:
    smaller = PerturbedGeneralization(
        mechanism.column, mechanism.values, mechanism.quasi, mechanism.least - 1, mechanism.retention,
        numbers=mechanism.numbers,
    )  # fmt: skip
    return smaller.groups(table)


mutant(
    "whole-domain",
    "small-domains.law",
    "Replacements are drawn from the domains of all parts together.",
    publish_parts=_whole_domain,
)
mutant(
    "one-retention",
    "small-domains.law",
    "All parts have the retention of one domain for all.",
    publish_parts=_one_retention,
)
mutant(
    "first-of-group",
    "perturbed-generalization.law",
    "The first record of each group is published instead of a uniform one.",
    publish_groups=_first_record,
)
mutant(
    "group-unperturbed",
    "perturbed-generalization.law",
    "A record of each group is published as it is.",
    publish_groups=_no_perturbation,
)
mutant(
    "group-own-excluded",
    "perturbed-generalization.law",
    "The replacement is never the true value.",
    publish_groups=_own_excluded,
)
mutant(
    "seeing-groups",
    "perturbed-generalization.blind",
    "The cuts look at the sensitive column as well.",
    groups=_seeing,
)
mutant(
    "groups-too-small",
    "perturbed-generalization.blind",
    "A group is cut while one half has k records less one.",
    groups=_too_small,
)
