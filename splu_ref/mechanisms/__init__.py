"""Mechanisms: from an original table to a published one."""

from __future__ import annotations

from splu_ref.mechanisms.distribution_based import DrawnRelease, publish_distribution_based
from splu_ref.mechanisms.laplace import LN_2, LN_3, Budget, publish_counts
from splu_ref.mechanisms.publication import Publication, publish
from splu_ref.mechanisms.splu_gen import ColumnRelease, PlaceOrder, Release, publish_codes, release
from splu_ref.mechanisms.two_tables import TwoTables, publish_two_tables

__all__ = [
    "LN_2",
    "LN_3",
    "Budget",
    "ColumnRelease",
    "DrawnRelease",
    "PlaceOrder",
    "Publication",
    "Release",
    "TwoTables",
    "publish",
    "publish_codes",
    "publish_counts",
    "publish_distribution_based",
    "publish_two_tables",
    "release",
]
