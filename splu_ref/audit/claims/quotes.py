"""Claims of the paper as printed, recognized by their numbers; the refuted formulas come from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Protocol

from splu_ref.audit.claims.verdict import Quote
from splu_ref.channels import InputError

ERROR_BOUND, THRESHOLD, CONCEPTS, RECONSTRUCTION = "splu.T3", "splu.L1", "splu.L3", "splu.T4conj"
"""Rows of the ledger: Theorem 3, Lemma 1, Lemma 3, and Theorem 4 for the reconstruction of section 5.1."""


class Ledger(Protocol):
    """Interface of the claims ledger."""

    printed: Mapping[str, Callable[..., Any]]

    def rows(self, claim_id: str | None = None) -> Sequence[Mapping[str, Any]]:
        """Return one claim, or all, as plain values."""
        ...


def is_rounding(text: str, value: Fraction) -> bool:
    """Return whether a number is ``value``, or ``value`` rounded up or down to two digits or more."""
    try:
        number = Decimal(text)
    except InvalidOperation:  # a ratio, which nobody writes for a rounded number
        return Fraction(text) == value
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int), "the number is finite"
    unit = Fraction(10) ** exponent
    return Fraction(number) == value or (len(digits) >= 2 and abs(Fraction(number) - value) < unit)


class LedgerError(InputError):
    """The ledger is there and cannot be loaded, so that a claim that needs it is not decided."""


@contextmanager
def _loading() -> Iterator[None]:
    """Say what an auditor can do if the texts of the ledger differ from the recorded ones."""
    try:
        yield
    except InputError:
        raise LedgerError(
            "it is compared with a formula of the paper, and the claims ledger cannot be loaded, since "
            "the files of this checkout are being changed: use a release, or a checkout without changes"
        ) from None


def printed(ledger: Ledger | None, row: str, key: str) -> Any:
    """Return the formula of a row as printed; raise an InputError that names the key without a ledger."""
    if ledger is None:
        raise InputError(
            f'{key} "printed" is kept with the proofs only: install splu-ref again, with its proofs'
        )
    with _loading():
        return ledger.printed[row]


def quote(ledger: Ledger, row: str, how: str) -> Quote:
    """Return the quotation of a refuted row of the ledger, and ``how`` it was recognized."""
    with _loading():
        (refuted,) = ledger.rows(row)
        (instead,) = ledger.rows(refuted["corrected_by"])
    return Quote(
        id=row,
        title=f"{refuted['source']}: {refuted['title']}",
        words=how,
        corrected_by=str(instead["id"]),
        correction=str(instead["title"]),
    )
