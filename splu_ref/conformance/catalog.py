"""All test vectors: a new subject adds a module to the list, and files to the folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from splu_ref.conformance.build import Group
from splu_ref.conformance.groups import (
    assignments,
    attained,
    certificate_reading,
    certificates,
    channels,
    comparators,
    dependent_draws,
    entropy,
    estimates,
    false_certificates,
    fields,
    keyed,
    median_groups,
    operator_manifests,
    operators,
    plans,
    promises,
    protocol,
    publishing,
    randomness,
    retained_promises,
    retention,
    retention_laws,
    secrets,
    swapping,
    tables,
    texts,
    ties,
    tuples,
)
from splu_ref.conformance.vector import VectorFile

SUBJECTS = (
    protocol,
    randomness,
    keyed,
    plans,
    publishing,
    comparators,
    estimates,
    promises,
    retained_promises,
    certificates,
    tables,
    secrets,
    ties,
    texts,
    attained,
    false_certificates,
    certificate_reading,
    retention,
    channels,
    swapping,
    tuples,
    entropy,
    operators,
    assignments,
    median_groups,
)
LATER = (retention_laws, dependent_draws, operator_manifests)
"""Subjects of operations whose fields are varied by an earlier request: a vector file never changes."""


def groups() -> Iterator[Group]:
    """Yield the inputs of every vector file."""
    made = [group for subject in SUBJECTS for group in subject.groups()]
    yield from made
    yield from fields.groups(made)
    for subject in LATER:
        yield from subject.groups()


@cache
def vector_files() -> tuple[VectorFile, ...]:
    """Return every vector file, with the reference's answers; about two seconds of work."""
    return tuple(group.file() for group in groups())
