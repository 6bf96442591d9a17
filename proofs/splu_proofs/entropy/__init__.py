"""The claims of one paper, a module for each or for a group that belongs together."""

PAPER = "Chirayath, Longpré, Kreinovich 2006: measuring privacy loss in statistical databases"

MODULES = (
    "query_size",
    "noise",
    "interval_privacy",
    "information",
    "remaining_tables",
    "definition2",
    "salaries",
    "binary_mean",
    "encryption",
)
"""The modules of this package, in the order of the paper."""
