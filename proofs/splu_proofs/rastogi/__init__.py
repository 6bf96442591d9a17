"""The claims of one paper, a module for each or for a group that belongs together."""

PAPER = "Rastogi, Suciu, Hong 2007: the boundary between privacy and utility in data publishing"

MODULES = ("leakage", "sufficient", "region", "certain", "estimator", "views", "difference")
"""The modules of this package, in the order of the paper."""
