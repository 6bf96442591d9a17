"""Claims of the paper as printed, recognized by their numbers; the refuted formulas come from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Protocol

from splu_ref.audit.claims.claim import (
    Claim,
    ConceptPrivacy,
    CountError,
    CountUtility,
    ThresholdFormula,
)
from splu_ref.audit.claims.verdict import Quote
from splu_ref.guarantees import privacy_minimum

ERROR_BOUND, THRESHOLD, CONCEPTS, RECONSTRUCTION = "splu.T3", "splu.L1", "splu.L3", "splu.T4conj"
"""Rows of the ledger: Theorem 3, Lemma 1, Lemma 3, and Theorem 4 for the reconstruction of section 5.1."""


class Ledger(Protocol):
    """What is asked of the ledger of claims."""

    printed: Mapping[str, Callable[..., Any]]

    def rows(self, claim_id: str | None = None) -> Sequence[Mapping[str, Any]]:
        """Return one claim, or all, as plain values."""
        ...


def quotes(claim: Claim, ledger: Ledger | None) -> tuple[Quote, ...]:
    """Return the refuted claims of the ledger that a claim repeats.

    A number is recognized if it equals the printed formula at the claim's parameters, or is that number
    rounded to two digits or more. Without a ledger nothing is recognized.
    """
    if ledger is None:
        return ()
    return tuple(_quote(ledger, row, how) for row, how in _recognized(claim, ledger))


def _recognized(claim: Claim, ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Yield the row of a refuted claim, and how the claim shows that it is the same."""
    if isinstance(claim, ThresholdFormula):
        if claim.formula == "printed":
            yield THRESHOLD, "the formula is the printed one"
    elif isinstance(claim, CountUtility) and claim.t_e:
        printed = ledger.printed[THRESHOLD](claim.gamma, claim.epsilon, claim.t_e)
        bound = ledger.printed[ERROR_BOUND](claim.gamma, claim.epsilon, claim.t_f)
        if claim.t_f == printed or (claim.t_f == printed - 1 and bound > claim.t_e):  # rounded up, or down
            yield THRESHOLD, "t_f is what the printed formula gives"
        elif is_rounding(claim.written["t_e"], bound):
            yield ERROR_BOUND, "t_e is what the printed formula gives at t_f"
    elif isinstance(claim, CountError) and not claim.at_least:
        bound = ledger.printed[ERROR_BOUND](claim.gamma, claim.epsilon, claim.frequency)
        if is_rounding(claim.written["t_e"], bound):
            yield ERROR_BOUND, "t_e is what the printed formula gives at this count"
    elif isinstance(claim, ConceptPrivacy) and claim.estimator == "printed":
        yield RECONSTRUCTION, "the estimator is the printed reconstruction"
    elif isinstance(claim, ConceptPrivacy) and claim.estimator == "exact" and _is_level_of_counts(claim):
        yield CONCEPTS, "t_p is the level of a value alone"


def _is_level_of_counts(claim: ConceptPrivacy) -> bool:
    """Return whether t_p is T_P of a value alone, in one of its two forms."""
    least = privacy_minimum(claim.gamma, claim.epsilon, claim.alpha)
    return any(
        is_rounding(claim.written["t_p"], level.exact()) for level in (least.t_p, least.t_p_definition)
    )


def is_rounding(text: str, value: Fraction) -> bool:
    """Return whether a number is ``value``, or ``value`` rounded up or down to two digits or more.

    Parameters
    ----------
    text
        The number as it is written; its last digit is the one that was rounded.
    value
        The number that it may stand for.
    """
    try:
        number = Decimal(text)
    except InvalidOperation:  # a ratio, which nobody writes for a rounded number
        return Fraction(text) == value
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    unit = Fraction(10) ** exponent
    return Fraction(number) == value or (len(digits) >= 2 and abs(Fraction(number) - value) < unit)


def _quote(ledger: Ledger, row: str, how: str) -> Quote:
    (refuted,) = ledger.rows(row)
    (instead,) = ledger.rows(refuted["corrected_by"])
    return Quote(
        id=row,
        title=f"{refuted['source']}: {refuted['title']}",
        words=how,
        corrected_by=str(instead["id"]),
        correction=str(instead["title"]),
    )
