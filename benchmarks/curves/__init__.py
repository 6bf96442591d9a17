"""What is measured as it grows: one table of curves."""

from __future__ import annotations

from benchmarks.curves.plans import PLANS
from benchmarks.curves.promises import PROMISES
from benchmarks.curves.publishing import PUBLISHING
from benchmarks.curves.queries import QUERIES
from benchmarks.growth import Curve

CURVES: dict[str, Curve] = {curve.name: curve for curve in (*PUBLISHING, *PLANS, *QUERIES, *PROMISES)}
"""All curves by name, in the order in which they are shown."""
