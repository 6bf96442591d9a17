"""The format of a file of claims: which keys there are, and which of them each kind of claim has."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "splu-ref/claims/1"
MECHANISM = "SPLU-Gen"
MAX_BYTES = 131_072
MAX_LINE = 1_000
"""Characters of one line: a key of very many parts would take the standard reader very long."""
MAX_CLAIMS = 100
MAX_DIGITS = 400
"""Digits of a whole number, as of each part of a number in quotes."""
MAX_TEXT = 500
"""Characters of a title or a source."""

TOP = ("schema", "title", "release", "claim")
ALWAYS = ("id", "kind", "source", "mechanism", "gamma", "retention", "epsilon")
DEFAULTS = ("mechanism", "gamma", "retention", "epsilon", "releases", "estimator")
"""What ``[release]`` may say for all claims."""

ESTIMATORS = ("mle", "exact", "printed")
PREDICATES = ("any", "nearly-pure")
FORMULAS = ("chebyshev", "printed")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of claim.

    Attributes
    ----------
    words
        What it says.
    required, optional
        Its keys, besides those that every claim has.
    inherited
        Those of its keys that ``[release]`` may give.
    """

    words: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that such a claim may have."""
        return (*ALWAYS, *self.required, *self.optional)


KINDS = {
    "small-sum-privacy": Kind(
        "every count from 1 to alpha has an error of epsilon f or more with probability t_p or more",
        ("alpha", "t_p"),
        ("releases", "estimator"),
        ("releases",),
    ),
    "large-sum-utility": Kind(
        "every count from t_f on has an error of epsilon f or more with probability t_e or less",
        ("t_e", "t_f"),
    ),
    "error-at-count": Kind(
        "the count has an error of epsilon f or more with probability t_e or less, or t_p or more",
        ("frequency",),
        ("t_e", "t_p"),
    ),
    "concept-privacy": Kind(
        "small-sum privacy of every predicate together with a sensitive value, under an estimator",
        ("alpha", "t_p", "estimator"),
        ("predicates", "releases"),
        ("estimator", "releases"),
    ),
    "threshold-formula": Kind(
        "large-sum utility with the t_f that a formula gives",
        ("t_e", "formula"),
    ),
}
