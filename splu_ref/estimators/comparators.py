"""Counts from the publications that Fu et al. 2014, section 6.2.3, compare with, and their exact error.

Anatomy's two tables: each group of gamma records adds to "P and s" the share of its records that satisfy P,
if it holds s. Distribution-based randomization: the published count. Laplace noise: see `laplace_error`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import from_matrix, inverse, two_state
from splu_ref.mechanisms import TwoTables
from splu_ref.model import Exact, Gamma, ParameterError, whole
from splu_ref.randomness import IntArray


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and variance of an estimate, exactly, over the random choices of a mechanism."""

    mean: Fraction
    variance: Fraction


def two_tables_sums(published: TwoTables, predicate: NDArray[np.bool_]) -> IntArray:
    """Return, for every value s, how many records of P stand in groups that hold s; shape (domain size,).

    Parameters
    ----------
    published
        Anatomy's two tables.
    predicate
        Whether each row of the quasi-identifier table satisfies P, shape of ``published.rows``.

    Returns
    -------
    IntArray
        gamma times Anatomy's estimates: the sum over groups of abs(P and G) c_G(s), where c_G(s) is 0 or 1
        and every group has gamma records (Xiao & Tao 2006).
    """
    inside = np.bincount(published.groups[predicate], minlength=len(published.values))
    sums = np.zeros(published.domain_size, dtype=np.int64)
    np.add.at(sums, published.values, inside[:, np.newaxis])
    return sums


def two_tables_estimate(published: TwoTables, predicate: NDArray[np.bool_], value: int) -> Fraction:
    """Return Anatomy's estimate of how many records of P carry ``value``: its sum over gamma."""
    if not 0 <= value < published.domain_size:
        raise ParameterError(f"value is {value}, outside the domain 0 .. {published.domain_size - 1}")
    gamma = published.values.shape[1]
    return Fraction(int(two_tables_sums(published, predicate)[value]), gamma)


def two_tables_moments(
    predicate_counts: Sequence[int], frequencies: Sequence[int], together: Sequence[int], value: int
) -> Moments:
    """Return mean and variance of Anatomy's estimate over the random places within each value.

    Parameters
    ----------
    predicate_counts
        Records of P by value, n_v, 0 .. f_v.
    frequencies
        Records by value, f_v.
    together
        Groups that hold both v and s, c(v, s), by v: `splu_ref.decoys.co_occurrence` of the plan; the entry
        of s itself is f_s, and the entries sum to gamma f_s.
    value
        s.

    Returns
    -------
    Moments
        The estimate is (x3 + K)/gamma, x3 = n_s, where K is the sum over v other than s of independent
        hypergeometric counts: n_v draws from f_v places, c(v, s) of them in groups with s (claim splu.ANA).
    """
    f = frequencies[value]
    if f < 1 or together[value] != f or sum(together) % f:
        raise ParameterError(
            "together must be the co-occurrence row of a value that occurs: see co_occurrence"
        )
    gamma = sum(together) // f
    mean, variance = Fraction(predicate_counts[value]), Fraction(0)
    for v, (n_v, f_v, c) in enumerate(zip(predicate_counts, frequencies, together, strict=True)):
        if v == value or not c:
            continue
        share = Fraction(c, f_v)
        mean += n_v * share
        if f_v > 1:
            variance += n_v * share * (1 - share) * Fraction(f_v - n_v, f_v - 1)
    return Moments(mean / gamma, variance / gamma**2)


def reconstructed_two_tables(
    estimate: Fraction, frequency: int, predicate_count: int, rows: int, gamma: Exact
) -> Fraction:
    """Return the count of "P and s" that Anatomy's estimate implies once decoys are subtracted.

    Parameters
    ----------
    estimate
        `two_tables_estimate`.
    frequency
        Records with s, f, below N/gamma: the sensitive table shows it exactly.
    predicate_count
        Records of P, n.
    rows
        Records in all, N.
    gamma
        Size of a group.

    Returns
    -------
    Fraction
        (gamma estimate - n k)/(1 - k) with k = f (gamma - 1)/(N - f), not clipped. Unbiased under
        hypothesis H of claim splu.V, under which a record without s has s in its group with probability k;
        the estimate itself is biased toward n f/N.

    Raises
    ------
    ParameterError
        If f is not between 0 and N/gamma, N/gamma excluded: there every record has s in its group.
    """
    size = Gamma(gamma)
    f, n, total = (
        whole(frequency, "frequency", 0),
        whole(predicate_count, "predicate_count", 0),
        whole(rows, "rows", 1),
    )
    if size * f >= total:
        raise ParameterError(
            f"frequency is {f}, not below rows/gamma = {Fraction(total, size)}: every group holds the value, "
            "and nothing tells its records from others; ask for another value"
        )
    # SPLU-Gen takes each value of a group with 1/gamma: the group holds s gamma times as often as that is s.
    exposed = two_state(Fraction(1, size), f, total).probability(False, True) * size
    groups = from_matrix((False, True), ((1 - exposed, exposed), (0, 1)), (False, True))
    beside = size * estimate
    return inverse(groups).estimate({False: n - beside, True: beside})[True]


def distribution_based_estimate(published: IntArray, predicate: NDArray[np.bool_], value: int) -> int:
    """Return the published count of P and ``value``: what section 6.2.3.3 takes for the true one."""
    return int(np.count_nonzero(published[predicate] == value))


def distribution_based_moments(predicate_count: Exact, frequency: Exact, rows: Exact) -> Moments:
    """Return mean n f/N and variance n (f/N)(1 - f/N) of that count, whatever the true count is.

    Parameters
    ----------
    predicate_count
        Records of P, n; N itself for the value alone.
    frequency
        Records with s, f.
    rows
        Records in all, N, at least 1.
    """
    n, f, total = (
        whole(predicate_count, "predicate_count", 0),
        whole(frequency, "frequency", 0),
        whole(rows, "rows", 1),
    )
    if max(n, f) > total:
        raise ParameterError(
            f"predicate_count = {n} or frequency = {f} is above rows = {total}: count one table"
        )
    share = Fraction(f, total)
    return Moments(n * share, n * share * (1 - share))
