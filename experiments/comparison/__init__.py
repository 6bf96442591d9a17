"""Mechanisms side by side on one table: what attacks achieve on each, and what each guarantees."""

from experiments.comparison.comparison import ATTACKS, GUARANTEES, LEARNED, RUNS, Comparison, compare
from experiments.comparison.page import check_comparison_folder, write_comparison

__all__ = [
    "ATTACKS",
    "GUARANTEES",
    "LEARNED",
    "RUNS",
    "Comparison",
    "check_comparison_folder",
    "compare",
    "write_comparison",
]
