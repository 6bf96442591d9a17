"""Mechanisms: from an original table to a published one."""

from __future__ import annotations

from splu_ref.mechanisms.publication import Publication, publish
from splu_ref.mechanisms.splu_gen import ColumnRelease, PlaceOrder, Release, publish_codes, release

__all__ = ["ColumnRelease", "PlaceOrder", "Publication", "Release", "publish", "publish_codes", "release"]
