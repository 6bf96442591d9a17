"""Size and time limits of certificates, checked before the computation."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from splu_ref.certificate_checker import MAX_BYTES, Unreadable, law_of, refuse_if_too_large
from splu_ref.channels import CertificateError, Exact, PublishedCount, integer, positive, probability, shown
from splu_ref.guarantees.count_error import EXACT_TRIALS, Plateaus
from splu_ref.guarantees.utility import proof_start

_LONGEST_PART = 10**400  # of a fraction in the parameters
_FRAME_BYTES = 8_000  # all but the numerators and the entries: parameters, statement, keys
_ENTRY_BYTES = 170  # a count with its rounded probability, without the digits that grow with it


def refuse_uncertifiable_privacy(
    gamma: Exact, epsilon: Exact, alpha: Exact, releases: Exact = 1, *, retention: Exact | None = None
) -> None:
    """Raise unless a certificate of these parameters can be made and checked; for use before long work.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.
    CertificateError
        If the certificate would exceed the size or time limit of the checker, or if retention is 1, where
        there is no error to certify.
    """
    law, epsilon = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    _refuse_parts(law, epsilon=epsilon)
    times = integer(releases, "releases", 1)
    _refuse_beyond(law, epsilon, integer(alpha, "alpha", 1), "alpha", times, candidates=True)


def refuse_uncertifiable_error(
    gamma: Exact, epsilon: Exact, frequency: Exact, *, retention: Exact | None = None
) -> None:
    """Raise unless `error_certificate` can be made; as `refuse_uncertifiable_privacy`."""
    law, epsilon = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    _refuse_parts(law, epsilon=epsilon)
    _refuse_beyond(law, epsilon, integer(frequency, "frequency", 1), "frequency", candidates=False)


def refuse_uncertifiable_threshold(
    gamma: Exact, epsilon: Exact, t_e: Exact, *, retention: Exact | None = None
) -> None:
    """Raise if `threshold_certificate` certainly cannot be made; as `refuse_uncertifiable_privacy`.

    Limits that depend on T_f itself are checked by `refuse_uncertifiable_proof`.
    """
    law = PublishedCount.of(gamma, retention)
    epsilon, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    _refuse_parts(law, epsilon=epsilon, t_e=allowed)
    start, _ = proof_start(law, epsilon, allowed)
    if not _checked_in_time(law, epsilon, start, 0):
        raise _too_demanding(f"its proof reaches up to the count {start}, which takes too long to check")


def refuse_uncertifiable_proof(
    law: PublishedCount, epsilon: Fraction, threshold: int, start: int, ends: int
) -> None:
    """Raise unless a proof of T_f = ``threshold`` with its tail from ``start`` on can be made and checked."""
    violation = threshold - 1
    if law.gamma * violation > EXACT_TRIALS:
        raise _too_demanding(
            f"T_f is {threshold}, and the exact numerator below it has gamma*{violation} = "
            f"{law.gamma * violation} factors, at most {EXACT_TRIALS}"
        )
    gap = max(start - threshold, 0)
    if not _checked_in_time(law, epsilon, max(start, threshold), min(gap, int(epsilon * gap) + 1)):
        raise _too_demanding(f"{ends} counts from {threshold} on are in its proof and take too long to check")
    _refuse_size(_bytes(law, max(start, threshold), ends, [violation]))


def _refuse_beyond(
    law: PublishedCount, epsilon: Fraction, count: int, name: str, times: int = 1, *, candidates: bool
) -> None:
    """Raise, suggesting the largest possible count, if a certificate up to ``count`` cannot be made.

    The counts of ``times`` releases are summed.
    """

    def obstacle(most: int) -> str | None:
        summed, distance = times * most, times * epsilon
        sums, entries, numerators = 0, 0, [summed]
        if law.gamma * summed > EXACT_TRIALS:
            factors = "gamma*" + ("releases*" if times > 1 else "") + name
            trials = shown(law.gamma * summed)
            return f"the exact numerator has {factors} = {trials} factors, at most {EXACT_TRIALS}"
        if candidates:
            sums, numerators = 2 * min(most, int(distance * most) + 1), [summed, summed]
            entries = sum(len(Plateaus(distance, most, strict)) + 1 for strict in (True, False))
        if not _checked_in_time(law, epsilon, summed, sums):
            return "checking it would take more than about a minute"
        size = _bytes(law, summed, entries, numerators)
        return f"the file would have up to {size} bytes, at most {MAX_BYTES}" if size > MAX_BYTES else None

    reason = obstacle(count)
    if reason is None:
        return
    tried = range(1, min(count, EXACT_TRIALS // (law.gamma * times) + 1))
    most = bisect_left(tried, True, key=lambda each: bool(obstacle(each)))
    simpler = "a smaller gamma" if law.is_plain else "a smaller gamma, or a retention with fewer digits"
    remedy = f"{name} up to {most}" if most else simpler
    raise CertificateError(
        f"{name} = {shown(count)} at gamma = {shown(law.gamma)} is too large for a certificate: {reason}; "
        f"choose {remedy}"
    )


def _checked_in_time(law: PublishedCount, epsilon: Fraction, count: int, sums: int) -> bool:
    try:
        refuse_if_too_large(law_of(law.gamma, law.retention), count, epsilon, sums)
    except Unreadable:
        return False
    return True


def _bytes(law: PublishedCount, count: int, entries: int, numerators: list[int]) -> int:
    """Return an upper bound of the size of a certificate with entries up to ``count``."""
    bits = (law.unit() ** 64).bit_length()  # of 64 counts
    digits = sum(frequency * bits // 256 + 2 for frequency in numerators)
    places = 3 * len(f"{law.gamma * count:x}") + len(f"{count * (bits // 64 + 1) + 512:x}")
    return _FRAME_BYTES + digits + entries * (_ENTRY_BYTES + places)


def _refuse_size(size: int) -> None:
    if size > MAX_BYTES:
        raise _too_demanding(f"the file would have up to {size} bytes, at most {MAX_BYTES}")


def _too_demanding(reason: str) -> CertificateError:
    return CertificateError(f"too large a claim for a certificate: {reason}; choose a larger epsilon or t_e")


def _refuse_parts(law: PublishedCount, **fractions: Fraction) -> None:
    """Raise for a fraction that is too long to be written as a parameter, and for a law without errors."""
    if not law.is_plain:
        fractions["retention"] = law.retention
    for name, value in fractions.items():
        if max(value.numerator, value.denominator) >= _LONGEST_PART:
            raise CertificateError(
                f"{name} = {shown(value)} has a numerator or denominator of more than 400 digits, too many "
                f"for a certificate: round it"
            )
    if law.retention == 1:
        raise CertificateError(
            "with retention = 1 every count is published as it is, and there is no error to certify: choose "
            "a smaller retention"
        )
