"""The claims of one paper, a module for each or for a group that belongs together."""

PAPER = "Agrawal, Srikant, Thomas 2005: privacy preserving OLAP"

MODULES = (
    "share_of_range",
    "sample_size",
    "states",
    "likelihood",
    "iteration",
    "condition",
    "error",
    "breaches",
    "relative_prior",
    "one_column",
    "several_columns",
    "additive_noise",
    "experiments",
    "unchanged_columns",
    "learned_histogram",
    "identity_error",
    "identity_posterior",
    "swapping_guarantee",
    "rare_sets",
    "rare_values",
)
"""The modules of this package, in the order of the paper."""
