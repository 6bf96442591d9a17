"""Attacks that learn from the release which values go with which other columns (de Finetti, foreground).

A naive Bayes classifier is learned from beliefs about the records' values, and the beliefs from what the
release shows and from the classifier, in turns (Kifer 2009). The first turn is the foreground attack. Where
groups are published, a belief is an assignment of the group's values to its members; where they are not, as
with SPLU-Gen, it is the posterior of a record that is published with a value. There is no law of what such
an attack achieves; it is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from experiments.attacks.assignment import assignment_posteriors
from splu_ref.randomness import IntArray

Floats: TypeAlias = NDArray[np.float64]
Update: TypeAlias = Callable[[Floats], Floats]
"""What is believed of the records' values, shape (N, values), given their likelihoods."""


@dataclass(frozen=True, slots=True)
class LearnedRelease:
    """What a release says of the records' values.

    Attributes
    ----------
    update
        What is believed of them, given their likelihoods.
    counted
        What is counted of them before anything is learned, shape (N, values): sums over records are estimates
        of true counts.
    """

    update: Update
    counted: Floats


MOST_TURNS = 50
STILL = 1e-4
"""Turns end once beliefs change by less, on average over the records."""
TIE = 1e-9
"""Weights that differ by a smaller share of the larger one are equal: rounding may be the cause."""
DIGITS = 12
"""Decimals of a reconstruction that do not depend on how linear algebra rounds."""


@dataclass(frozen=True, slots=True)
class Features:
    """The other columns of the records as codes.

    Attributes
    ----------
    codes
        Shape (columns, N).
    sizes
        How many values each column has.
    """

    codes: IntArray
    sizes: tuple[int, ...]

    def taken(self, rows: IntArray) -> Features:
        """Return the features of some records."""
        return Features(self.codes[:, rows], self.sizes)


class NaiveBayes:
    """Frequencies of values, and of cells by value, with one record added to each (Laplace).

    Parameters
    ----------
    features
        Of the records that are learned from.
    beliefs
        What is believed of their values, shape (N, values); certain values are ones among zeros. Sums below 0
        count as 0.
    """

    def __init__(self, features: Features, beliefs: Floats) -> None:
        weights = np.maximum(beliefs.sum(axis=0), 0.0) + 1
        self._prior = weights / weights.sum()
        self._cells = []
        for codes, size in zip(features.codes, features.sizes, strict=True):
            counted = np.stack([np.bincount(codes, weights=own, minlength=size) for own in beliefs.T])
            counted = np.maximum(counted, 0.0) + 1
            self._cells.append(counted / counted.sum(axis=1, keepdims=True))

    def likelihoods(self, features: Features) -> Floats:
        """Return the weights of the values, the largest of a record 1, shape (N, values).

        Products with their exponents apart: a product is rounded alike on every processor, logarithms and
        exponentials are not, and turns would enlarge the difference.
        """
        weights = np.tile(self._prior, (features.codes.shape[1], 1))
        exponents = np.zeros(weights.shape, dtype=np.int64)
        for codes, cells in zip(features.codes, self._cells, strict=True):
            weights, moved = np.frexp(weights * cells[:, codes].T)
            exponents += moved
        scaled: Floats = np.ldexp(weights, exponents - exponents.max(axis=1, keepdims=True))
        scaled /= scaled.max(axis=1, keepdims=True)
        return np.maximum(scaled, 1e-300)


def of_groups(members: IntArray, values: IntArray, domain: int) -> LearnedRelease:
    """Return what is said where groups are published with their values, as by Anatomy.

    Parameters
    ----------
    members
        Records by group and slot, shape (groups, gamma), in any order within a group.
    values
        Codes by group and slot; those of a group differ.
    domain
        Number of values of the column.
    """

    def update(likelihoods: Floats) -> Floats:
        within = likelihoods[members[:, :, np.newaxis], values[:, np.newaxis, :]]
        beliefs = np.zeros((members.size, domain))
        beliefs[members[:, :, np.newaxis], values[:, np.newaxis, :]] = assignment_posteriors(within)
        return beliefs

    return LearnedRelease(update, update(np.ones((members.size, domain))))


def of_shown(shown: IntArray, chances: Floats) -> LearnedRelease:
    """Return what is said where each record is published with a value.

    Parameters
    ----------
    shown
        Codes, shape (N,).
    chances
        By true and by shown code, the chance of showing it. Counts are reconstructed by its inverse, or what
        comes nearest to one, rounded to digits that every processor finds.
    """

    def update(likelihoods: Floats) -> Floats:
        beliefs = likelihoods * chances.T[shown]
        return np.asarray(beliefs / beliefs.sum(axis=1, keepdims=True))

    inverse = np.round(np.linalg.pinv(chances, rcond=TIE), DIGITS)
    return LearnedRelease(update, inverse[shown].astype(np.float64))


def learned(features: Features, shown: LearnedRelease, *, turns: int = MOST_TURNS) -> Floats:
    """Return what is believed of each record's value in the end, shape (N, values).

    Parameters
    ----------
    features
        Of all records.
    shown
        What the release says.
    turns
        How often a classifier is learned, at most; 1 is the foreground attack. They end once beliefs change
        by less than `STILL` for a record.
    """
    beliefs = shown.counted
    for _ in range(turns):
        before, beliefs = beliefs, shown.update(NaiveBayes(features, beliefs).likelihoods(features))
        if np.abs(beliefs - before).sum() < STILL * len(beliefs):
            break
    return beliefs


def cross_validated(features: Features, codes: IntArray, domain: int, folds: Sequence[IntArray]) -> Floats:
    """Return the weights of each record's values by a classifier that learned from the other folds' truth.

    What the population alone predicts, without any release of the record itself.
    """
    certain = np.eye(domain)
    weights = np.zeros((len(codes), domain))
    for fold in folds:
        others = np.setdiff1d(np.arange(len(codes)), fold)
        classifier = NaiveBayes(features.taken(others), certain[codes[others]])
        weights[fold] = classifier.likelihoods(features.taken(fold))
    return weights


def share_right(weights: Floats, codes: IntArray) -> Fraction:
    """Return the share of records whose true value has the largest weight, the first of equal ones."""
    heaviest = weights >= weights.max(axis=1, keepdims=True) * (1 - TIE)
    return Fraction(int(np.count_nonzero(heaviest.argmax(axis=1) == codes)), len(codes))


def share_right_of_surest(weights: Floats, codes: IntArray, part: int = 100) -> Fraction:
    """Return the same among the records of which the attacker is surest, one of ``part``.

    Of those that it is equally sure of, the first are taken.
    """
    sure = weights.max(axis=1) / weights.sum(axis=1)
    taken = max(1, len(codes) // part)
    last = np.sort(sure)[-taken] * (1 - TIE)
    surer, alike = np.flatnonzero(sure > last * (1 + 2 * TIE)), np.flatnonzero(sure >= last)
    surest = np.concatenate([surer, np.setdiff1d(alike, surer)])[:taken]
    return share_right(weights[surest], codes[surest])
