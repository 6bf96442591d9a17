"""The claims of one paper, a module for each or for a group that belongs together."""

PAPER = "Chaytor: randomization for publishing, fragments of a thesis"

MODULES: tuple[str, ...] = ()
"""The modules of this package, in the order of the paper."""
