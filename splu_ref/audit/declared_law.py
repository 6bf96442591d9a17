"""Declared channels of mechanisms, compared with the exact law of the code by enumeration of its outcomes.

A mechanism is included by its line in `DECLARED`. Joint laws of several records are compared for SPLU-Gen
alone, in `enumeration`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, product
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.enumeration import (
    ENUMERATED,
    GAMMAS,
    LARGEST_WITH_SECRET,
    RETENTIONS,
    codes_of,
    eligible_histograms,
    made_once,
)
from splu_ref.audit.release_laws import Vector
from splu_ref.channels import Channel, mixture, total
from splu_ref.mechanisms import Anatomy, DistributionBased, Operator, RetentionReplacement, SpluGen, Swapping
from splu_ref.randomness import Draws, IntArray, UniformSource, outcomes

Label: TypeAlias = Hashable
Labels: TypeAlias = tuple[Label, ...]


class RowsRelease(Protocol):
    """The compared parts of a release."""

    @property
    def rows(self) -> NDArray[np.integer[Any]]:
        """Original record at each published row."""
        ...

    @property
    def published(self) -> NDArray[np.integer[Any]]:
        """Published code or codes of each row, along the first axis."""
        ...


class DeclaredMechanism(Protocol):
    """A mechanism with a declared channel: from code to code, or to a tuple of codes."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws, /) -> RowsRelease:
        """Publish the codes of one sensitive column."""
        ...

    def channel(self, histogram: IntArray, secret: UniformSource, /) -> Channel[int, Any]:
        """Return the law of a record's published codes by its true code, given the plan's secret."""
        ...


@dataclass(frozen=True, slots=True)
class DeclaredRow:
    """Whether each record of one small table is published with the declared law."""

    mechanism: str  #: its name
    histogram: Vector  #: the table: value v has ``histogram[v]`` records
    outcomes: int  #: number of enumerated outcomes of the random choices
    holds: bool  #: whether all laws agree
    detail: str  #: the first disagreement, or the empty text


_ROWS = (("2/3", "1/3", 0, 0), ("1/4", "1/2", "1/4", 0), (0, 0, 1, 0), ("1/2", 0, 0, "1/2"))
"""An operator for the largest table; most of its rows are different laws."""

DECLARED: Sequence[tuple[DeclaredMechanism, int]] = (
    *(
        (SpluGen(gamma, retention, made_once(plan)), gamma)
        for gamma, retention, plan in product(GAMMAS, (None, *RETENTIONS), ENUMERATED.values())
    ),
    *((Anatomy(gamma, plan), gamma) for gamma, plan in product(GAMMAS, ("anatomy", "cyclic"))),
    (DistributionBased(), 1),
    *(
        (RetentionReplacement(keep, {"sensitive": ("a", "b")}, replacing=law), 1)
        for keep, law in product(("0", "1/2", "2/3"), ("uniform", "identity"))
    ),
    (Operator("sensitive", "abcd", _ROWS), 1),
    *((Swapping(keep), 2) for keep in (0, "1/2", "2/3")),
)
"""The enumerated mechanisms, each with the least number of records per record of the most frequent value."""


def declared_rows(
    mechanisms: Iterable[tuple[DeclaredMechanism, int]] = DECLARED, *, largest: int = LARGEST_WITH_SECRET
) -> Iterator[DeclaredRow]:
    """Yield a row for every mechanism and feasible histogram of at most ``largest`` records."""
    for mechanism, group in mechanisms:
        for histogram in eligible_histograms(group, largest, ordered=False):
            yield enumerate_declared(mechanism, histogram)


def enumerate_declared(mechanism: DeclaredMechanism, histogram: Sequence[int]) -> DeclaredRow:
    """Enumerate the outcomes of a mechanism for one small table, and compare each record's law.

    Parameters
    ----------
    mechanism
        The mechanism under test.
    histogram
        Frequencies of the values, shape (values,), which the mechanism can publish.
    """
    codes = codes_of(histogram)
    faults: list[str] = []

    def run(draws: Draws) -> tuple[Vector, Labels]:
        done = mechanism.publish_codes(codes, len(histogram), draws)
        rows = done.rows.tolist()
        if len(set(rows)) < len(rows):
            faults.append("a record has two published rows")
        shown = (tuple(label) if isinstance(label, list) else label for label in done.published.tolist())
        return tuple(rows), tuple(shown)

    # Many outcomes have equal releases; adding fractions once per release saves time.
    published: dict[tuple[Vector, Labels], Fraction] = defaultdict(Fraction)
    walked = 0
    for release, probability in outcomes(run):
        published[release] += probability
        walked += 1
    observed: dict[Vector, dict[int, dict[Label, Fraction]]] = {}
    for (rows, labels), probability in published.items():
        laws = observed.setdefault(tuple(sorted(rows)), defaultdict(lambda: defaultdict(Fraction)))
        for record, label in zip(rows, labels, strict=True):
            laws[record][label] += probability
    if len({record for laws in observed.values() for record in laws}) < len(codes):
        faults.append("a record is published by no outcome")
    disagreements = chain(faults, _disagreements(mechanism, codes, len(histogram), observed))
    detail = next(disagreements, "")
    return DeclaredRow(
        mechanism=mechanism.name, histogram=tuple(histogram), outcomes=walked, holds=not detail, detail=detail
    )


def _disagreements(
    mechanism: DeclaredMechanism,
    codes: IntArray,
    domain_size: int,
    observed: Mapping[Vector, Mapping[int, Mapping[Label, Fraction]]],
) -> Iterator[str]:
    """Yield a description of each record whose law, given the deletion, is not its row of the channel."""
    for kept, laws in observed.items():
        histogram = np.bincount(codes[list(kept)], minlength=domain_size)
        secrets = outcomes(partial(mechanism.channel, histogram))
        declared = mixture([(probability, channel) for channel, probability in secrets])
        for record, law in laws.items():
            weight = total(law)
            found = {label: probability / weight for label, probability in law.items()}
            code = int(codes[record])
            if code not in declared.laws or found != declared.laws[code]:
                yield (
                    f"histogram {histogram.tolist()}: a record with value {code} is published by the law "
                    f"{_words(found)}, declared is {_words(declared.laws.get(code, {}))}"
                )


def _words(law: Mapping[Label, Fraction]) -> str:
    return ", ".join(f"{label}: {probability}" for label, probability in law.items()) or "none"
