"""The count of a predicate together with a sensitive value, estimated from a published table.

In the published table, y3 of the n records that satisfy a predicate P carry the value s, and f' of all N
records do. A record with another value has s among its decoys with probability f (gamma - 1)/(N - f) on
average, and takes it with probability 1/gamma, or (1 - p)/(gamma - 1) where records keep their own value with
another probability p. Fu et al. 2014, section 5.1, equations (6) to (9), print gamma f/N instead; the matrix
used here is the corrected one (claim splu.M1c).
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.model import Exact, Gamma, InputError, ParameterError, retention_probability, whole


def conjunction_estimate(
    y3: int, f_published: int, predicate_count: int, rows: int, gamma: Exact, retention: Exact | None = None
) -> Fraction:
    """Estimate how many records of a predicate carried a value before publication.

    Parameters
    ----------
    y3
        Published records that satisfy the predicate and carry the value, 0 .. min(n, f').
    f_published
        Published records that carry the value, f' >= 0.
    predicate_count
        Records that satisfy the predicate, n, which publication does not change; 0 .. N.
    rows
        Records of the published table, N >= 1.
    gamma
        Size of the decoy groups, at least 2.
    retention
        Probability p of keeping the own value, 1/gamma unless given.

    Returns
    -------
    Fraction
        (y3 - n a)/(p - a) clipped to 0 .. n, where a = f' (1 - p)/(N - f') is the estimated probability
        that a record without the value is published with it. Exact.

    Raises
    ------
    InputError
        If f' >= p N: then a >= p, records with the value publish it no more often than others, and no
        count of the predicate says anything about the count that is sought.
    ParameterError
        If the counts cannot come from one table.

    Notes
    -----
    With the transition matrix held fixed this is where the iteration of Fu et al. 2014, equations (13) and
    (14), ends: the maximum of the likelihood of y3 (claim splu.I).
    """
    size = Gamma(gamma)
    keep = retention_probability(retention, size)
    total = whole(rows, "rows", 1)
    inside = whole(predicate_count, "predicate_count", 0)
    published = whole(f_published, "f_published", 0)
    both = whole(y3, "y3", 0)
    if inside > total:
        raise ParameterError(f"predicate_count is {inside}, above rows = {total}: count records of one table")
    if both > min(inside, published):
        raise ParameterError(
            f"y3 is {both}, above predicate_count = {inside} or f_published = {published}: "
            "count the records that have both"
        )
    if published - both > total - inside:
        raise ParameterError(
            f"f_published - y3 = {published - both} records outside the predicate carry the value, "
            f"but only {total - inside} are outside: count all four in one table"
        )
    spread = keep * total - published
    if spread <= 0:
        limit = f"rows/gamma = {Fraction(total, size)}" if retention is None else f"p rows = {keep * total}"
        raise InputError(
            f"the value is published {published} times in {total} rows, which is not below {limit}: "
            "its records cannot be told from the others, so ask for another value"
        )
    raw = ((total - published) * both - inside * published * (1 - keep)) / spread
    return min(max(raw, Fraction(0)), Fraction(inside))
