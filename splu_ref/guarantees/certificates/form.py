"""The form of a certificate: its six keys, how its numbers are written and rounded, and its file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from splu_ref import SPECIFICATION, __version__
from splu_ref.certificate_checker import MAX_BYTES
from splu_ref.channels import BinomialMass, CertificateError, Enclosure, PublishedCount
from splu_ref.data import write_whole

SCHEMA = "splu-ref/certificate/1"

Certificate: TypeAlias = dict[str, Any]
"""An object of JSON with the keys of the specification of certificates; every number is a string."""


def assemble(
    claim: str, parameters: dict[str, str], statement: str, evidence: Mapping[str, object]
) -> Certificate:
    """Return the certificate with the given contents, and this package as its producer."""
    return {
        "schema": SCHEMA,
        "claim": claim,
        "parameters": parameters,
        "statement": statement,
        "evidence": evidence,
        "produced_by": {"version": __version__, "spec": SPECIFICATION},
    }


def hexadecimal(value: int) -> str:
    """Return an integer >= 0 in lowercase hexadecimal digits, which have no limit of length in Python."""
    return f"{value:x}"


def window(gamma: int, frequency: int, offset: int) -> dict[str, str]:
    """Return the count and the first and last f' that are no error, abs(f' - f) < offset."""
    return {
        "f": hexadecimal(frequency),
        "first": hexadecimal(max(0, frequency - offset + 1)),
        "last": hexadecimal(min(gamma * frequency, frequency + offset - 1)),
    }


def certificate_text(certificate: Certificate) -> str:
    """Return the certificate as JSON: sorted keys, one value a line, a newline at the end.

    Raises
    ------
    CertificateError
        If it is longer than a checker reads.
    """
    text = json.dumps(certificate, indent=1, sort_keys=True, ensure_ascii=True) + "\n"
    if len(text) > MAX_BYTES:
        raise CertificateError(
            f"the certificate has {len(text)} bytes, and a checker reads at most {MAX_BYTES}: choose smaller "
            f"parameters"
        )
    return text


def write_certificate(path: str | os.PathLike[str], certificate: Certificate, force: bool = False) -> None:
    """Write ``certificate`` to ``path``, whole or not at all.

    Parameters
    ----------
    path
        Where the file shall stand.
    certificate
        As one of this package's functions returns it.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    InputError
        If the file exists and ``force`` is false, or if it cannot be written.
    CertificateError
        If it is longer than a checker reads; nothing is written.
    """
    write_whole(path, certificate_text(certificate).encode("ascii"), force=force)


BITS = 256
WORKING_BITS = 320


def rounded(value: Fraction, *, up: bool) -> tuple[int, int]:
    """Return (m, s) such that m / 2**s is ``value`` rounded down or up, 2**255 <= m < 2**256.

    ``value`` lies between 0 and 1, both included; zero is (0, 0).
    """
    if value == 0:
        return 0, 0
    shift = BITS + value.denominator.bit_length() - value.numerator.bit_length()
    if value * (1 << shift) >= 1 << BITS:
        shift -= 1
    scaled = value * (1 << shift)
    mantissa = math.ceil(scaled) if up else math.floor(scaled)
    return (mantissa, shift) if mantissa < 1 << BITS else (mantissa // 2, shift - 1)


def unique_rounding(value: Enclosure, *, up: bool) -> tuple[int, int] | None:
    """Return `rounded` of the number enclosed, or None if the enclosure's ends round differently."""
    bounds = value.bounds()
    low = rounded(bounds.lower, up=up)
    return low if low == rounded(bounds.upper, up=up) else None


def bound_entry(bound: tuple[int, int]) -> dict[str, str]:
    """Return a rounded number as it stands in a certificate."""
    return {"mantissa": hexadecimal(bound[0]), "shift": hexadecimal(bound[1])}


class ErrorRounding:
    """Pr(abs(f' - f) >= offset) rounded to 256 bits, for one count after another."""

    def __init__(self, law: PublishedCount) -> None:
        self._law = law
        self._above = _Tail(Fraction(1, law.gamma))
        self._below = _Tail(1 - Fraction(1, law.gamma))

    def at(self, frequency: int, offset: int, *, up: bool) -> tuple[int, int]:
        """Return the rounded probability; 1 <= offset."""
        bound = unique_rounding(self._enclosed(frequency, offset), up=up)
        if bound is None:  # such as a dyadic number of fewer than 256 bits: only itself rounds to itself
            numerator = self._law.error_numerator(frequency, offset)
            bound = rounded(Fraction(numerator, self._law.unit() ** frequency), up=up)
        return bound

    def _enclosed(self, frequency: int, offset: int) -> Enclosure:
        if not self._law.is_plain:
            return self._law.error_enclosure(frequency, offset, WORKING_BITS)
        trials = self._law.gamma * frequency
        above = self._above.upper(trials, frequency + offset)
        below = self._below.upper(trials, trials - frequency + offset)  # in terms of the trials that fail
        return above.plus(below, WORKING_BITS)


class _Tail:
    """Tails of one kind of trials, each carried from the last."""

    def __init__(self, p: Fraction) -> None:
        self._p = p
        self._walk: BinomialMass | None = None

    def upper(self, n: int, k: int) -> Enclosure:
        """Enclose Pr(X >= k) for X ~ Bin(n, p), k > np: the first term times a sum of ratios.

        The walk carries the first term from one call to the next. In units of 2**-WORKING_BITS, each
        term of the sum loses less than one unit for each rounding before it, and what follows the last
        term is less than a geometric series.
        """
        if k > n:
            return Enclosure.of(0)
        if self._walk is None:
            self._walk = BinomialMass(n, k, self._p, WORKING_BITS)
        else:
            self._walk.move(n, k)
        success, failure = self._p.numerator, self._p.denominator - self._p.numerator
        term, total, steps = 1 << WORKING_BITS, 0, 0
        while term:
            total += term
            above, below = (n - k - steps) * success, (k + steps + 1) * failure
            term = term * above // below
            steps += 1
        rest = steps * below // (below - above) + 1
        ratios = Enclosure(total, total + steps * steps + rest, -WORKING_BITS)
        return self._walk.mass.times(ratios, WORKING_BITS)
