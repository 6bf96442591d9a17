"""The format of a file of claims: its limits, and the keys that it has whatever the kinds of its claims."""

from __future__ import annotations

SCHEMA = "splu-ref/claims/1"
MAX_BYTES = 131_072
MAX_LINE = 1_000
"""Characters of one line: a key of very many parts would take the standard reader very long."""
MAX_CLAIMS = 100
MAX_DIGITS = 400
"""Digits of a whole number, as of each part of a number in quotes."""
MAX_TEXT = 500
"""Characters of a title or a source."""

SPLU_GEN, RETENTION, ALPHA_BETA, WORLD, TABLE = "SPLU-Gen", "retention", "alpha-beta", "world", "table"
MECHANISMS = (SPLU_GEN, RETENTION, ALPHA_BETA, WORLD, TABLE)
"""Mechanisms that claims may be about; a kind of claim says which it knows."""

TOP = ("schema", "title", "release", "claim")
ALWAYS = ("id", "kind", "source", "mechanism")
DEFAULTS = (
    "mechanism", "gamma", "retention", "draws", "epsilon", "releases", "estimator", "values", "world",
    "table", "quasi", "sensitive",
)  # fmt: skip
"""What ``[release]`` may say for all claims."""

ESTIMATORS = ("mle", "exact", "printed")
