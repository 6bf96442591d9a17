"""The transition of a conjunction as printed (Fu et al. 2014, section 5.1). It is false: see splu.M1."""

from __future__ import annotations

from fractions import Fraction


def decoy_probability(gamma: int, f: int, rows: int) -> Fraction:
    """Return gamma f/N, printed as Pr[s in decoys(t) | t.s is not s]."""
    return Fraction(gamma * f, rows)


def matrix(gamma: int, f: int, rows: int) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """Return M_1: from not s and from s (rows), to not s and to s (columns)."""
    gained = decoy_probability(gamma, f, rows) / gamma
    return (1 - gained, gained), (Fraction(gamma - 1, gamma), Fraction(1, gamma))
