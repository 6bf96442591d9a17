"""Claims of Fu, Wang, Wong, Wang, Jiang 2014: small sum privacy and large sum utility in data publishing."""

MODULES = (
    "definitions",
    "step3",
    "greedy",
    "published_count",
    "theorem2",
    "theorem3",
    "chebyshev",
    "lemma1",
    "threshold",
    "figure4",
    "sawtooth",
    "example1",
    "lemma2",
    "theorem4",
    "example2",
    "figure5",
)
"""The modules of this package, in the order of the paper."""
