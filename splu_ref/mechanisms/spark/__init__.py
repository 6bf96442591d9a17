"""Publishing and counting on Spark: aggregations, keyed orders and arithmetic, and no table in one place."""

from __future__ import annotations

from splu_ref.mechanisms.spark.counting import count
from splu_ref.mechanisms.spark.publishing import SparkRelease, publish

__all__ = ["SparkRelease", "count", "publish"]
