"""Distribution-based randomization, DBR (Fu et al. 2014, sections 3 and 6.2.3.3).

Every record is published with a value drawn from the distribution of the whole table. No record keeps its
own value on purpose, so nothing about a conjunction is left: claim splu.DBRc.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from splu_ref.model import ParameterError
from splu_ref.randomness import IntArray, UniformSource


class DrawnRelease(NamedTuple):
    """A release by distribution-based randomization.

    Attributes
    ----------
    rows
        The original record that stands at each published row, shape (N,).
    published
        Published code at each row, shape (N,).
    """

    rows: IntArray
    published: IntArray


def publish_distribution_based(codes: IntArray, domain_size: int, source: UniformSource) -> DrawnRelease:
    """Draw each record's value from the histogram of all.

    Parameters
    ----------
    codes
        True codes, shape (N,), N at least 1, in 0 .. domain size - 1.
    domain_size
        Number of values.
    source
        Where random integers come from, in this order: one integer below N per record, the shuffle.

    Raises
    ------
    ParameterError
        For a table without records.

    Notes
    -----
    The integer r stands for the value at place r of the sorted codes: value v has f_v of the N places, so it
    is drawn with probability f_v / N, exactly. The order of the original file may tell its values, so the
    rows are shuffled here too.
    """
    if not len(codes):
        raise ParameterError("the table has no records: give at least one")
    ends = np.cumsum(np.bincount(codes, minlength=domain_size))
    published = np.searchsorted(ends, source.below(len(codes), len(codes)), side="right")
    shuffle = source.permutation(len(codes))
    return DrawnRelease(shuffle, published[shuffle].astype(np.int64))
