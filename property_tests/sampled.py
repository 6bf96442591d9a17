"""Samples of releases, and how a count's errors are pooled over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from property_tests.subject import Subject
from splu_ref.audit import EValue, average, multinomial_point
from splu_ref.audit.enumeration import CodesRelease
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import ByteSource, IntArray


@dataclass(frozen=True)
class World:
    """A table of one sensitive column that is published again and again.

    Attributes
    ----------
    codes
        True codes, shape (N,).
    domain_size
        Number of values.
    gamma
        Size of a group.
    plan
        Name of the plan.
    """

    codes: IntArray
    domain_size: int
    gamma: Gamma
    plan: str = "anatomy"

    @property
    def histogram(self) -> IntArray:
        """Frequencies, shape (values,)."""
        return np.bincount(self.codes, minlength=self.domain_size)

    def releases(self, subject: Subject, source: ByteSource, count: int) -> Iterator[CodesRelease]:
        """Yield independent releases, one after the other from one stream."""
        plan = subject.plans[self.plan]
        for _ in range(count):
            yield subject.publish_codes(SpluGen(self.gamma, plan=plan), self.codes, self.domain_size, source)

    def counts(self, subject: Subject, source: ByteSource, count: int) -> tuple[IntArray, IntArray]:
        """Return true counts after the deletion and published counts, each of shape (count, values)."""
        true = np.empty((count, self.domain_size), dtype=np.int64)
        published = np.empty_like(true)
        for index, release in enumerate(self.releases(subject, source, count)):
            true[index] = np.bincount(self.codes[release.rows], minlength=self.domain_size)
            published[index] = np.bincount(release.published, minlength=self.domain_size)
        return true, published


def world(frequencies: list[int], gamma: int) -> World:
    """Return the world of a histogram, its records in an order that mixes the values."""
    codes = np.repeat(np.arange(len(frequencies)), frequencies)
    return World(
        codes[np.argsort(np.arange(len(codes)) * 37 % len(codes), kind="stable")],
        len(frequencies),
        Gamma(gamma),
    )


def is_error(true: IntArray, published: IntArray, epsilon: Fraction) -> NDArray[np.bool_]:
    """Return where abs(f' - f) >= epsilon f, in integers."""
    difference: IntArray = np.abs(published - true) * epsilon.denominator
    return difference >= epsilon.numerator * true


@cache
def distance_bins(gamma: int, frequency: int) -> tuple[list[int], list[Fraction]]:
    """Return the least distances abs(f' - f) of three bins (near, middle, far), and their probabilities.

    The boundaries are at about half and one and a half standard deviations.
    """
    spread = Fraction(frequency * (gamma - 1), gamma)
    middle = 1
    while 4 * middle * middle < spread:
        middle += 1
    far = middle + 1
    while 4 * far * far < 9 * spread:
        far += 1
    law = [Fraction(0)] * 3
    for published, probability in PublishedCount.of(gamma).law(frequency).items():
        distance = abs(published - frequency)
        law[(distance >= middle) + (distance >= far)] += probability
    return [0, middle, far], law


def law_evidence(world_: World, published: list[IntArray]) -> EValue:
    """Return the mean over values of the e-value of f' by bins, given published counts (releases, values)."""
    counts = np.concatenate(published)
    values = []
    for value, frequency in enumerate(world_.histogram.tolist()):
        borders, law = distance_bins(world_.gamma, frequency)
        bins = np.searchsorted(borders, np.abs(counts[:, value] - frequency), side="right") - 1
        values.append(multinomial_point(np.bincount(bins, minlength=3).tolist(), law))
    return average(values)
