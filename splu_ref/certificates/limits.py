"""Which claims a certificate can be made of, decided before the work from the limits of the checker."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.certificate_checker import MAX_BYTES, Unreadable, refuse_if_too_large
from splu_ref.guarantees.count_error import EXACT_TRIALS
from splu_ref.guarantees.plateaus import Plateaus
from splu_ref.guarantees.utility import proof_start
from splu_ref.model import CertificateError, Exact, Gamma, positive, probability, shown, whole

_LONGEST_PART = 10**400  # of a fraction in the parameters
_FRAME_BYTES = 8_000  # all but the numerators and the entries: parameters, statement, keys
_ENTRY_BYTES = 170  # a count with its rounded probability, without the digits that grow with it


def refuse_uncertifiable_privacy(gamma: Exact, epsilon: Exact, alpha: Exact) -> None:
    """Raise unless a certificate of these parameters can be made and checked; for use before long work.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.
    CertificateError
        If the checker would refuse the certificate for the time that checking takes, or for its size.
    """
    gamma, epsilon, alpha = Gamma(gamma), positive(epsilon, "epsilon"), whole(alpha, "alpha", 1)
    _refuse_long("epsilon", epsilon)
    _refuse_beyond(gamma, epsilon, alpha, "alpha", candidates=True)


def refuse_uncertifiable_error(gamma: Exact, epsilon: Exact, frequency: Exact) -> None:
    """Raise unless `error_certificate` can be made; as `refuse_uncertifiable_privacy`."""
    gamma, epsilon = Gamma(gamma), positive(epsilon, "epsilon")
    _refuse_long("epsilon", epsilon)
    _refuse_beyond(gamma, epsilon, whole(frequency, "frequency", 1), "frequency", candidates=False)


def refuse_uncertifiable_threshold(gamma: Exact, epsilon: Exact, t_e: Exact) -> None:
    """Raise if `threshold_certificate` certainly cannot be made; as `refuse_uncertifiable_privacy`.

    What depends on T_f itself is decided by `refuse_uncertifiable_proof` after it has been found.
    """
    gamma, epsilon, allowed = Gamma(gamma), positive(epsilon, "epsilon"), probability(t_e, "t_e")
    _refuse_long("epsilon", epsilon)
    _refuse_long("t_e", allowed)
    start, _ = proof_start(gamma, epsilon, allowed)
    if not _checked_in_time(gamma, epsilon, start, 0):
        raise _too_demanding(f"its proof reaches up to the count {start}, which takes too long to check")


def refuse_uncertifiable_proof(
    gamma: Gamma, epsilon: Fraction, threshold: int, start: int, ends: int
) -> None:
    """Raise unless a proof of T_f = ``threshold`` with its tail from ``start`` on can be made and checked."""
    violation = threshold - 1
    if gamma * violation > EXACT_TRIALS:
        raise _too_demanding(
            f"T_f is {threshold}, and the exact numerator below it has gamma*{violation} = "
            f"{gamma * violation} factors, at most {EXACT_TRIALS}"
        )
    gap = max(start - threshold, 0)
    if not _checked_in_time(gamma, epsilon, max(start, threshold), min(gap, int(epsilon * gap) + 1)):
        raise _too_demanding(f"{ends} counts from {threshold} on are in its proof and take too long to check")
    _refuse_size(_bytes(gamma, max(start, threshold), ends, [violation]))


def _refuse_beyond(gamma: Gamma, epsilon: Fraction, count: int, name: str, *, candidates: bool) -> None:
    """Raise, naming the largest count that would do, if a certificate up to ``count`` cannot be made."""

    def obstacle(most: int) -> str | None:
        trials, sums, entries, numerators = gamma * most, 0, 0, [most]
        if trials > EXACT_TRIALS:
            return f"the exact numerator has gamma*{name} = {shown(trials)} factors, at most {EXACT_TRIALS}"
        if candidates:
            sums, numerators = 2 * min(most, int(epsilon * most) + 1), [most, most]
            entries = sum(len(Plateaus(epsilon, most, strict)) + 1 for strict in (True, False))
        if not _checked_in_time(gamma, epsilon, most, sums):
            return "checking it would take more than about a minute"
        size = _bytes(gamma, most, entries, numerators)
        return f"the file would have up to {size} bytes, at most {MAX_BYTES}" if size > MAX_BYTES else None

    reason = obstacle(count)
    if reason is None:
        return
    low, high = 0, min(count, EXACT_TRIALS // gamma + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if obstacle(middle) else (middle, high)
    remedy = f"{name} up to {low}" if low else "a smaller gamma"
    raise CertificateError(
        f"{name} = {shown(count)} at gamma = {shown(gamma)} is too large for a certificate: {reason}; choose "
        f"{remedy}"
    )


def _checked_in_time(gamma: Gamma, epsilon: Fraction, count: int, sums: int) -> bool:
    try:
        refuse_if_too_large(gamma, count, epsilon, sums)
    except Unreadable:
        return False
    return True


def _bytes(gamma: Gamma, count: int, entries: int, numerators: list[int]) -> int:
    """Return at least the size of a certificate with entries up to ``count`` and numerators at the counts."""
    bits = (int(gamma) ** 64).bit_length()  # of 64 factors
    digits = sum(gamma * frequency * bits // 256 + 2 for frequency in numerators)
    places = 3 * len(f"{gamma * count:x}") + len(f"{gamma * count * gamma.bit_length() + 512:x}")
    return _FRAME_BYTES + digits + entries * (_ENTRY_BYTES + places)


def _refuse_size(size: int) -> None:
    if size > MAX_BYTES:
        raise _too_demanding(f"the file would have up to {size} bytes, at most {MAX_BYTES}")


def _too_demanding(reason: str) -> CertificateError:
    return CertificateError(f"too large a claim for a certificate: {reason}; choose a larger epsilon or t_e")


def _refuse_long(name: str, value: Fraction) -> None:
    if max(value.numerator, value.denominator) >= _LONGEST_PART:
        raise CertificateError(
            f"{name} = {shown(value)} has a numerator or denominator of more than 400 digits, too many for a "
            f"certificate: round it"
        )
