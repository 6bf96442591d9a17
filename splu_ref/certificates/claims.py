"""The three claims that a certificate can make about the published count f' ~ Bin(gamma f, 1/gamma)."""

from __future__ import annotations

from fractions import Fraction
from itertools import takewhile

from splu_ref.binomial import Enclosure
from splu_ref.certificate_checker import Unreadable, refuse_if_too_large
from splu_ref.certificates.form import Certificate, assemble, hexadecimal, window
from splu_ref.certificates.rounding import WORKING_BITS, ErrorRounding, bound_entry, settled
from splu_ref.guarantees import (
    decimal_down,
    decimal_up,
    error_numerator,
    error_offset,
    error_probability,
    plateau_ends,
    plateau_starts,
    privacy_minimum,
    utility_threshold,
)
from splu_ref.guarantees.utility import UtilityThreshold
from splu_ref.model import CertificateError, Exact, Gamma, positive, probability, whole


def privacy_certificate(gamma: Exact, epsilon: Exact, alpha: Exact) -> Certificate:
    """Return a certificate of the least error probability T_P over the counts 1..alpha.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1.

    Returns
    -------
    dict
        Claim ``small-sum-privacy``: T_P in the form of Theorem 4 and in that of Definition 2.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.
    CertificateError
        If the checker would refuse the certificate for its size.

    Notes
    -----
    Fu et al. 2014, Definition 2, Lemma 2 and Theorem 4; splu.S for the candidates.
    """
    gamma, epsilon, alpha = Gamma(gamma), positive(epsilon, "epsilon"), whole(alpha, "alpha", 1)
    _refuse_if_too_large(gamma, alpha, epsilon, 2 * min(alpha, int(epsilon * alpha) + 1), "alpha")
    minimum = privacy_minimum(gamma, epsilon, alpha)
    forms = (
        ("theorem_4", ">", minimum.t_p, minimum.argmin),
        ("definition_2", ">=", minimum.t_p_definition, minimum.argmin_definition),
    )
    evidence, words = {}, []
    for form, sign, value, argmin in forms:
        strict = sign == ">"
        rounding = ErrorRounding(gamma)
        candidates = []
        for frequency in plateau_starts(epsilon, alpha, strict=strict):
            offset = error_offset(epsilon, frequency, strict=strict)
            bound = bound_entry(rounding.at(frequency, offset, up=False))
            candidates.append(window(gamma, frequency, offset) | bound)
        numerator = value * int(gamma) ** (gamma * argmin)
        evidence[form] = {
            "argmin": hexadecimal(argmin),
            "numerator": hexadecimal(int(numerator)),
            "candidates": candidates,
        }
        words.append(
            f"|f' - f| {sign} ({epsilon}) f has a probability of at least {decimal_down(value)}, "
            f"least at f = {argmin}"
        )
    parameters = {"gamma": str(gamma), "epsilon": str(epsilon), "alpha": str(alpha)}
    statement = f"With gamma = {gamma}, for every count f from 1 to {alpha}: {'; '.join(words)}."
    return assemble("small-sum-privacy", parameters, statement, evidence)


def error_certificate(gamma: Exact, epsilon: Exact, frequency: Exact) -> Certificate:
    """Return a certificate of Pr(abs(f' - f) >= epsilon f) at the count f = ``frequency``.

    Parameters as in `privacy_certificate`, and ``frequency`` at least 1; the same errors. The claim is
    ``error-probability``, in the form of Definitions 1 and 2.
    """
    gamma, epsilon = Gamma(gamma), positive(epsilon, "epsilon")
    frequency = whole(frequency, "frequency", 1)
    _refuse_if_too_large(gamma, frequency, epsilon, 0, "frequency")
    value = decimal_up(error_probability(gamma, epsilon, frequency))
    parameters = {"gamma": str(gamma), "epsilon": str(epsilon), "frequency": str(frequency)}
    statement = (
        f"With gamma = {gamma} and the count f = {frequency}: |f' - f| >= ({epsilon}) f has a probability "
        f"of at most {value}, which is exact or rounded up."
    )
    return assemble("error-probability", parameters, statement, _numerator(gamma, epsilon, frequency))


def threshold_certificate(gamma: Exact, epsilon: Exact, t_e: Exact) -> Certificate:
    """Return a certificate of the least T_f with Pr(abs(f' - f) >= epsilon f) <= t_e for every f >= T_f.

    Parameters as in `privacy_certificate`, and ``t_e`` from 0 to 1; the same errors, and a
    ParameterError if no T_f exists or it is out of reach. The claim is ``utility-threshold``.

    Notes
    -----
    Fu et al. 2014, Definition 1 and Lemma 1 (corrected: splu.L1c).
    """
    gamma, epsilon, allowed = Gamma(gamma), positive(epsilon, "epsilon"), probability(t_e, "t_e")
    found = utility_threshold(gamma, epsilon, allowed)
    least = found.threshold
    gap = max(found.tail_from - least, 0)
    sums = min(gap, int(epsilon * gap) + 1)
    _refuse_if_too_large(gamma, max(found.tail_from, least), epsilon, sums, "1/epsilon or 1/t_e")

    words = f"of at most {allowed} for every count f >= {least}"
    violation = None
    if least > 1:
        violation = _numerator(gamma, epsilon, least - 1)
        words += f", and above {allowed} at f = {least - 1}"
    rounding = ErrorRounding(gamma)
    entries = []
    for frequency in sorted(takewhile(lambda f: f >= least, plateau_ends(epsilon, found.tail_from - 1))):
        offset = error_offset(epsilon, frequency)
        bound = rounding.at(frequency, offset, up=True)
        entries.append(window(gamma, frequency, offset) | bound_entry(bound))
    evidence = {"violation": violation, "ends": entries, "tail": _tail(found)}
    parameters = {"gamma": str(gamma), "epsilon": str(epsilon), "t_e": str(allowed), "t_f": str(least)}
    statement = f"With gamma = {gamma}: |f' - f| >= ({epsilon}) f has a probability {words}."
    return assemble("utility-threshold", parameters, statement, evidence)


def _numerator(gamma: Gamma, epsilon: Fraction, frequency: int) -> dict[str, str]:
    numerator = hexadecimal(error_numerator(gamma, epsilon, frequency))
    return window(gamma, frequency, error_offset(epsilon, frequency)) | {"numerator": numerator}


def _tail(found: UtilityThreshold) -> dict[str, str | dict[str, str] | None]:
    """Return the Chernoff bounds from ``found.tail_from`` on; None for a side without one."""
    start = found.tail_from
    shift = found.epsilon * start
    down = shift.numerator // shift.denominator
    tail: dict[str, str | dict[str, str] | None] = {"from": hexadecimal(start)}
    for side, tilt, exponent in (
        ("upper", found.upper_tilt, start + down),
        ("lower", found.lower_tilt, start - down),
    ):
        tail[side] = None
        if tilt is None:
            continue
        value = Enclosure.power(1 + (tilt - 1) / found.gamma, found.gamma * start, WORKING_BITS)
        if exponent:
            value = value.times(Enclosure.power(1 / tilt, exponent, WORKING_BITS), WORKING_BITS)
        bound = settled(value, up=True)
        assert bound is not None, "a power of a tilt is dyadic only if it is enclosed exactly"
        tail[side] = {
            "numerator": hexadecimal(tilt.numerator),
            "denominator": hexadecimal(tilt.denominator),
        } | bound_entry(bound)
    return tail


def _refuse_if_too_large(gamma: int, frequency: int, epsilon: Fraction, sums: int, name: str) -> None:
    """Raise if the checker would refuse the certificate for the time that checking takes."""
    try:
        refuse_if_too_large(gamma, frequency, epsilon, sums)
    except Unreadable:
        raise CertificateError(
            f"a certificate for these parameters would take too long to check: choose a smaller {name}"
        ) from None
