"""Promises as numbers: exact, printed as decimals, and with a certificate for whoever doubts them."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Self

from splu_ref.channels import Exact
from splu_ref.guarantees import (
    Certificate,
    decimal_down,
    privacy_certificate,
    privacy_minimum,
    utility_threshold,
    write_certificate,
)

DIGITS = 10
"""Decimal places of a probability that is printed."""


class ExactProbability(Fraction):
    """A probability as the fraction that it is.

    It is printed as a decimal, rounded down, with ``…`` where digits follow, and calculates and compares as
    a fraction. `certify` says why it is right.
    """

    __slots__ = ("_certificate", "statement")

    statement: str
    """What it is the probability of."""
    _certificate: Callable[[], Certificate]

    def __new__(cls, value: Fraction, statement: str, certificate: Callable[[], Certificate]) -> Self:
        """Return ``value``, with what it says and how it is certified."""
        made = super().__new__(cls, value.numerator, value.denominator)
        made.statement, made._certificate = statement, certificate
        return made

    def exact(self) -> Fraction:
        """Return the plain fraction."""
        return Fraction(self.numerator, self.denominator)

    def decimal(self, digits: int = DIGITS) -> str:
        """Return the first ``digits`` decimal places."""
        return decimal_down(self.exact(), digits)

    def certify(self, path: str | os.PathLike[str] | None = None, *, force: bool = False) -> Certificate:
        """Return a certificate that anyone can check without this package, and write it if a path is given.

        Raises
        ------
        CertificateError
            If it would be larger than the checker accepts.
        InputError
            If the file exists and ``force`` is false, or cannot be written.
        """
        made = self._certificate()
        if path is not None:
            write_certificate(Path(path), made, force=force)
        return made

    def __str__(self) -> str:
        shown = self.decimal()
        return shown if Fraction(shown) == self else f"{shown}…"

    def __repr__(self) -> str:
        return f"<{self}: {self.statement}>"

    def __copy__(self) -> Self:  # Fraction's own would make another from numerator and denominator
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(
        self,
    ) -> tuple[type[Fraction], tuple[str]]:  # what is written elsewhere is the number alone
        return Fraction, (str(self.exact()),)


def t_p(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    *,
    retention: Exact | None = None,
    definition: bool = False,
) -> ExactProbability:
    """Return T_P: with at least this probability every count up to alpha is published wrongly.

    Parameters
    ----------
    gamma
        Size of a decoy group.
    epsilon
        Relative error, such as ``"0.3"``.
    alpha
        Largest count that is protected.
    retention
        Retention probability; 1/gamma by default.
    definition
        Whether an error of exactly epsilon counts, as in Definition 2; otherwise it does not, as in Theorem
        4, and T_P is at most that of the definition.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a fraction that is too long to be computed.

    Notes
    -----
    Fu et al. 2014, Definition 2 and Theorem 4. The promise speaks of the published count f' as the estimate,
    and of no other.
    """
    least = privacy_minimum(gamma, epsilon, alpha, retention=retention)
    value = (least.t_p_definition if definition else least.t_p).exact()
    off = "at least" if definition else "more than"
    return ExactProbability(
        value,
        f"every count from 1 to {least.alpha} is off by {off} {least.epsilon} of it with at least this "
        f"probability, at gamma = {least.law.gamma}",
        lambda: privacy_certificate(gamma, epsilon, alpha, retention=retention, minimum=least),
    )


def t_f(gamma: Exact, epsilon: Exact, t_e: Exact, *, retention: Exact | None = None) -> int:
    """Return T_f: from this count on, counts are off by epsilon or more with probability at most ``t_e``.

    Parameters
    ----------
    gamma, epsilon, retention
        As for `t_p`.
    t_e
        Error probability allowed.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.
    """
    return utility_threshold(gamma, epsilon, t_e, retention=retention).threshold
