"""The kinds of claims that can be audited, as validated types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from splu_ref.model import Gamma


@dataclass(frozen=True, kw_only=True)
class Common:
    """What every claim has.

    Attributes
    ----------
    id
        Letters, digits, ``_`` and ``-``; the name of its certificate.
    kind
        One of `splu_ref.audit.claims.format.KINDS`.
    line
        Where it begins in the file.
    key_lines
        Where each of its own keys stands.
    written
        Every text and number as it is written in the file, by key, defaults of the release included.
    source
        Where the publisher says so, or empty.
    gamma, retention, epsilon
        The mechanism's group size and retention probability, and the relative error.
    """

    id: str
    kind: str
    line: int
    key_lines: Mapping[str, int]
    written: Mapping[str, str]
    source: str
    gamma: Gamma
    retention: Fraction
    epsilon: Fraction


@dataclass(frozen=True, kw_only=True)
class CountPrivacy(Common):
    """Definition 2 for a sensitive value alone, in one release or for the mean of several."""

    alpha: int
    t_p: Fraction
    releases: int


@dataclass(frozen=True, kw_only=True)
class CountUtility(Common):
    """Definition 1: the published count of every value from t_f on has an error probability up to t_e."""

    t_e: Fraction
    t_f: int


@dataclass(frozen=True, kw_only=True)
class CountError(Common):
    """The error probability at one count is at least, or at most, ``bound``."""

    frequency: int
    bound: Fraction
    at_least: bool


@dataclass(frozen=True, kw_only=True)
class ConceptPrivacy(Common):
    """Definition 2 for a predicate together with a sensitive value, under a stated estimator."""

    alpha: int
    t_p: Fraction
    estimator: str
    predicates: str


@dataclass(frozen=True, kw_only=True)
class ThresholdFormula(Common):
    """Definition 1 with the t_f that a formula gives."""

    t_e: Fraction
    formula: str


Claim: TypeAlias = CountPrivacy | CountUtility | CountError | ConceptPrivacy | ThresholdFormula
"""A claim of any kind."""


@dataclass(frozen=True, slots=True)
class ClaimsFile:
    """A file of claims.

    Attributes
    ----------
    path
        As it was given.
    title
        What the file calls itself, or empty.
    claims
        In the order of the file, at least one.
    """

    path: str
    title: str
    claims: tuple[Claim, ...]
