"""Publishing and counting of Spark tables by aggregations and keyed orders; no table is collected."""

from __future__ import annotations

from splu_ref.mechanisms.spark.counting import count
from splu_ref.mechanisms.spark.publishing import SparkRelease, publish

__all__ = ["SparkRelease", "count", "publish"]
