"""The claims of one paper, a module for each or for a group that belongs together."""

PAPER = "Chaytor: randomization for publishing, fragments of a thesis"

MODULES = (
    "partitions",
    "independence",
    "differential_privacy",
    "runtime",
    "small_domains",
    "operator_search",
    "optimal_operators",
    "uniform_perturbation",
    "largest_retention",
    "compound",
    "whole_table",
    "confidence",
    "domain_size",
    "duplicates",
    "linkage",
    "perturbed_generalization",
)
"""The modules of this package, in the order of the paper."""
