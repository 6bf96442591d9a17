"""Certificates of claims about counts under dependent draws."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.certificate_checker import MAX_GROUP, MAX_NOISE, MAX_RARE, MAX_TILT
from splu_ref.channels import (
    CertificateError,
    Enclosure,
    Exact,
    Gamma,
    GroupDraws,
    PublishedCount,
    integer,
    positive,
)
from splu_ref.guarantees.certificates.claims import threshold_certificate
from splu_ref.guarantees.certificates.form import (
    WORKING_BITS,
    Certificate,
    assemble,
    bound_entry,
    hexadecimal,
    unique_rounding,
)
from splu_ref.guarantees.concentration import lower_tilt, upper_tilt
from splu_ref.guarantees.decimals import Progress
from splu_ref.guarantees.dependent_counts import bound_of
from splu_ref.guarantees.dependent_privacy import privacy_of_draws
from splu_ref.guarantees.dependent_utility import DependentDrawsThreshold


def rare_privacy_certificate(
    gamma: Exact, epsilon: Exact, alpha: Exact, draws: GroupDraws, *, progress: Progress | None = None
) -> Certificate:
    """Return a certificate of T_P of counts up to ``alpha`` under all-or-none draws.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1 and at most the bound of the draws.
    draws
        All-or-none.
    progress
        Called with (forms computed, 2).

    Returns
    -------
    dict
        Claim ``small-sum-privacy``, with every count visited.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.
    CertificateError
        If checking the certificate would exceed the time limit.
    """
    size, distance, most = Gamma(gamma), positive(epsilon, "epsilon"), integer(alpha, "alpha", 1)
    if most > min(MAX_RARE, bound_of(draws)):
        raise CertificateError(
            f"alpha = {most} with draws {draws} is too large for a certificate: choose an alpha up to "
            f"{min(MAX_RARE, bound_of(draws))}"
        )
    found = privacy_of_draws(size, distance, most, draws)
    evidence, words = {}, []
    for done, (form, sign, level) in enumerate(
        (("theorem_4", ">", found.t_p), ("definition_2", ">=", found.t_p_definition)), 1
    ):
        assert isinstance(level.at_least, Fraction), "the law is computed exactly"
        numerator = int(level.at_least * size**level.argmin)
        evidence[form] = {"argmin": hexadecimal(level.argmin), "numerator": hexadecimal(numerator)}
        words.append(
            f"|f' - f| {sign} ({distance}) f has a probability of at least {level.decimal()}, least at "
            f"f = {level.argmin}"
        )
        if progress is not None:
            progress(done, 2)
    parameters = {"gamma": str(size), "epsilon": str(distance), "alpha": str(most), "draws": str(draws)}
    start = f"With gamma = {size} and draws = {draws}, for every count f from 1 to {most}: "
    return assemble("small-sum-privacy", parameters, f"{start}{'; '.join(words)}.", evidence)


def dependent_draws_certificate(
    found: DependentDrawsThreshold, *, progress: Progress | None = None
) -> Certificate:
    """Return a certificate of a T_f that holds in every table under a law of draws.

    Parameters
    ----------
    found
        What `dependent_draws_threshold` returns.
    progress
        Called repeatedly with (probabilities computed, probabilities in all).

    Returns
    -------
    dict
        Claim ``utility-threshold`` where T_f is that of independent draws, otherwise ``utility-bound``.

    Raises
    ------
    CertificateError
        If checking the certificate would exceed the time limit, or the rounding of a
        bound is left open.
    """
    gamma, epsilon, draws = found.gamma, found.epsilon, found.draws
    if found.is_least:
        return threshold_certificate(gamma, epsilon, found.t_e, draws=draws, progress=progress)
    if progress is not None:
        progress(0, 1)
    parameters = {
        "gamma": str(gamma),
        "epsilon": str(epsilon),
        "t_e": str(found.t_e),
        "t_f": str(found.threshold),
        "draws": str(draws),
    }
    column = ""
    values = None if found.noise is None else found.noise.values
    if found.proof == "slots":
        if values is None:
            raise CertificateError(
                "a bound from true counts has no certificate, which would disclose them: give the values"
            )
        parameters["values"] = str(values)
        column = f", in a column of {values} values"
    if gamma > MAX_GROUP or max(found.threshold * gamma, bound_of(draws) * (values or 1)) > MAX_NOISE:
        raise CertificateError(
            f"there are such certificates up to gamma = {MAX_GROUP} and for bounds of draws that are not "
            "astronomical: choose smaller numbers"
        )
    statement = (
        f"With gamma = {gamma} and draws = {draws}{column}, whatever the table: |f' - f| >= ({epsilon}) f "
        f"has a probability of at most {found.t_e} for every count f >= {found.threshold}."
    )
    evidence = {side: _entry(found, upper=side == "upper") for side in ("upper", "lower")}
    if progress is not None:
        progress(1, 1)
    return assemble("utility-bound", parameters, statement, evidence)


def _entry(found: DependentDrawsThreshold, *, upper: bool) -> dict[str, str] | None:
    """Return the tilt of one side and its bound at T_f, rounded up; None for a tail that no count reaches."""
    if found.proof == "slots":
        assert found.noise is not None, "the bound was computed from it"
        tilt = found.upper_tilt if upper else found.lower_tilt
        if tilt is None:
            return None
        offset = -(-found.epsilon * found.threshold // 1)
        value = found.noise.bound(int(offset), tilt, WORKING_BITS)
    else:
        law = PublishedCount.of(found.gamma)
        tilt = upper_tilt(law, found.epsilon) if upper else lower_tilt(law, found.epsilon)
        if tilt is None:
            return None
        down = int(found.epsilon * found.threshold // 1)
        exponent = found.threshold + (down if upper else -down)
        value = law.mean_of_power(tilt, found.threshold, WORKING_BITS)
        if exponent:
            value = value.times(Enclosure.power(1 / tilt, exponent, WORKING_BITS), WORKING_BITS)
    bound = unique_rounding(value, up=True)
    if bound is None or max(tilt.numerator, tilt.denominator).bit_length() > MAX_TILT:
        raise CertificateError("the rounding of a bound is left open: choose another epsilon or t_e")
    return {
        "numerator": hexadecimal(tilt.numerator),
        "denominator": hexadecimal(tilt.denominator),
    } | bound_entry(bound)
