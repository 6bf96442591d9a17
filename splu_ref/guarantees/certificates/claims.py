"""The three claims that a certificate can make about the published count f'."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import (
    CertificateError,
    Enclosure,
    Exact,
    GroupDraws,
    ParameterError,
    PublishedCount,
    integer,
    positive,
    probability,
)
from splu_ref.guarantees.certificates.form import (
    WORKING_BITS,
    Certificate,
    ErrorRounding,
    assemble,
    bound_entry,
    hexadecimal,
    unique_rounding,
    window,
)
from splu_ref.guarantees.certificates.limits import (
    refuse_uncertifiable_error,
    refuse_uncertifiable_privacy,
    refuse_uncertifiable_proof,
    refuse_uncertifiable_threshold,
)
from splu_ref.guarantees.count_error import ErrorProbability, Plateaus, error_offset
from splu_ref.guarantees.decimals import Progress
from splu_ref.guarantees.privacy import PrivacyMinimum, privacy_minimum
from splu_ref.guarantees.utility import UtilityThreshold, utility_threshold


def privacy_certificate(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    releases: Exact = 1,
    *,
    retention: Exact | None = None,
    draws: GroupDraws | None = None,
    minimum: PrivacyMinimum | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Return a certificate of the least error probability T_P over the counts 1..alpha.

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1.
    releases
        Number R of releases with independent draws whose published counts are averaged, at least 1.
    retention
        Retention probability p, greater than 0 and below 1; None stands for 1/gamma.
    draws
        The law of the draws of a group; independent unless given. ``alpha`` is at most its bound.
    minimum
        What `privacy_minimum` returns for the same parameters, if it is at hand.
    progress
        Called repeatedly with (probabilities computed, probabilities in all).

    Returns
    -------
    dict
        Claim ``small-sum-privacy``: T_P in the form of Theorem 4 and in that of Definition 2.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a ``minimum`` of other parameters.
    CertificateError
        If the certificate would exceed the size limit of the checker; before any long work.

    Notes
    -----
    Fu et al. 2014, Definition 2, Lemma 2 and Theorem 4; splu.S and splu.Sp for the candidates, splu.R for
    several releases.
    """
    law, epsilon = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    alpha, times = integer(alpha, "alpha", 1), integer(releases, "releases", 1)
    refuse_uncertifiable_privacy(law.gamma, epsilon, alpha, times, retention=law.retention)
    if draws is not None and draws.bound is not None:
        _require_plain_counts(law, draws)
        if alpha > draws.bound:
            raise CertificateError(
                f"counts above {draws.bound} depend on the table with draws {draws}: choose an alpha up to "
                f"{draws.bound}"
            )
    if minimum is None:
        minimum = privacy_minimum(law.gamma, epsilon, alpha, times, retention=law.retention)
    elif (minimum.law, minimum.epsilon, minimum.alpha, minimum.releases) != (law, epsilon, alpha, times):
        raise ParameterError(
            "minimum belongs to other parameters: give the same gamma, epsilon, alpha, releases and retention"
        )
    distance = times * epsilon
    forms = (
        ("theorem_4", ">", minimum.t_p, minimum.argmin, Plateaus(distance, alpha, strict=True)),
        (
            "definition_2",
            ">=",
            minimum.t_p_definition,
            minimum.argmin_definition,
            Plateaus(distance, alpha, strict=False),
        ),
    )
    done, whole_work = 0, sum(len(plateaus) + 2 for *_, plateaus in forms)
    evidence, words = {}, []
    for form, sign, value, argmin, plateaus in forms:
        strict = sign == ">"
        numerator = law.error_numerator(times * argmin, error_offset(distance, argmin, strict=strict))
        rounding = ErrorRounding(law)
        candidates = []
        for number in range(len(plateaus) + 1):
            frequency = plateaus.start(number)
            offset = plateaus.offset(frequency)
            bound = bound_entry(rounding.at(times * frequency, offset, up=False))
            entry = window(law.gamma, times * frequency, offset) | {"f": hexadecimal(frequency)}
            candidates.append(entry | bound)
            done += 1
            if progress is not None:
                progress(done, whole_work)
        done += 1
        evidence[form] = {
            "argmin": hexadecimal(argmin),
            "numerator": hexadecimal(numerator),
            "candidates": candidates,
        }
        words.append(
            f"|f' - f| {sign} ({epsilon}) f has a probability of at least "
            f"{value.decimal('down')}, least at f = {argmin}"
        )
    if progress is not None:
        progress(whole_work, whole_work)
    parameters = {**_parameters(law, epsilon, draws), "alpha": str(alpha)}
    more = ""
    if times > 1:
        parameters["releases"] = str(times)
        more = f"f' the mean of {times} independent published counts"
    setting = _setting(law, _draws_condition(draws), more)
    statement = f"{setting}, for every count f from 1 to {alpha}: {'; '.join(words)}."
    return assemble("small-sum-privacy", parameters, statement, evidence)


def error_certificate(
    gamma: Exact,
    epsilon: Exact,
    frequency: Exact,
    *,
    retention: Exact | None = None,
    draws: GroupDraws | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Return a certificate of Pr(abs(f' - f) >= epsilon f) at the count f = ``frequency``.

    Parameters as in `privacy_certificate`, and ``frequency`` at least 1; the same errors. The claim is
    ``error-probability``, in the form of Definitions 1 and 2.
    """
    law, epsilon = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    frequency = integer(frequency, "frequency", 1)
    refuse_uncertifiable_error(law.gamma, epsilon, frequency, retention=law.retention)
    _require_plain_counts(law, draws)
    if draws is not None and draws.bound is not None and frequency > draws.bound:
        raise CertificateError(
            f"a count above {draws.bound} depends on the table with draws {draws}: choose a smaller frequency"
        )
    if progress is not None:
        progress(0, 2)
    offset = error_offset(epsilon, frequency)
    if progress is not None:
        progress(1, 2)
    numerator = law.error_numerator(frequency, offset)
    if progress is not None:
        progress(2, 2)
    value = ErrorProbability(law, frequency, offset).decimal("up")
    parameters = {**_parameters(law, epsilon, draws), "frequency": str(frequency)}
    setting = _setting(law, _draws_condition(draws), f"the count f = {frequency}")
    statement = (
        f"{setting}: |f' - f| >= ({epsilon}) f has a "
        f"probability of at most {value}, which is exact or rounded up."
    )
    evidence = window(law.gamma, frequency, offset) | {"numerator": hexadecimal(numerator)}
    return assemble("error-probability", parameters, statement, evidence)


def threshold_certificate(
    gamma: Exact,
    epsilon: Exact,
    t_e: Exact,
    *,
    retention: Exact | None = None,
    draws: GroupDraws | None = None,
    found: UtilityThreshold | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Return a certificate of the least T_f with Pr(abs(f' - f) >= epsilon f) <= t_e for every f >= T_f.

    Parameters as in `privacy_certificate`, ``t_e`` from 0 to 1, and ``found``, if at hand, what
    `utility_threshold` returns for them; the same errors, and a ParameterError if no T_f exists or it is
    out of reach. The claim is ``utility-threshold``.

    Notes
    -----
    Fu et al. 2014, Definition 1 and Lemma 1 (corrected: splu.L1c).
    """
    law = PublishedCount.of(gamma, retention)
    epsilon, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    refuse_uncertifiable_threshold(law.gamma, epsilon, allowed, retention=law.retention)
    if found is None:
        found = utility_threshold(law.gamma, epsilon, allowed, retention=law.retention)
    elif (_law(found), found.epsilon, found.t_e) != (law, epsilon, allowed):
        raise ParameterError(
            "found belongs to other parameters: give the same gamma, epsilon, t_e and retention"
        )
    least = found.threshold
    _require_plain_counts(law, draws)
    if draws is not None and draws.bound is not None and max(least, found.tail_from) > draws.bound + 1:
        raise CertificateError(
            f"T_f with draws {draws} is another one than with independent draws: use "
            "dependent_draws_certificate"
        )
    refuse_uncertifiable_proof(law, epsilon, least, found.tail_from, found.checked)
    tail = _tail(found)

    words = f"of at most {allowed} for every count f >= {least}"
    violation = None
    if least > 1:
        offset = error_offset(epsilon, least - 1)
        numerator = hexadecimal(law.error_numerator(least - 1, offset))
        violation = window(law.gamma, least - 1, offset) | {"numerator": numerator}
        words += f", and above {allowed} at f = {least - 1}"
    rounding, plateaus = ErrorRounding(law), Plateaus(epsilon, found.tail_from, strict=False)
    entries = []
    for number in range(len(plateaus) - found.checked, len(plateaus)):
        frequency = plateaus.end(number)
        offset = plateaus.offset(frequency)
        bound = rounding.at(frequency, offset, up=True)
        entries.append(window(law.gamma, frequency, offset) | bound_entry(bound))
        if progress is not None:
            progress(len(entries), found.checked)
    evidence = {"violation": violation, "ends": entries, "tail": tail}
    parameters = {**_parameters(law, epsilon, draws), "t_e": str(allowed), "t_f": str(least)}
    statement = (
        f"{_setting(law, _draws_condition(draws))}: |f' - f| >= ({epsilon}) f has a probability {words}."
    )
    return assemble("utility-threshold", parameters, statement, evidence)


def _law(found: UtilityThreshold) -> PublishedCount:
    return PublishedCount(found.gamma, found.retention)


def _require_plain_counts(law: PublishedCount, draws: GroupDraws | None) -> None:
    """Raise unless counts up to the bound of ``draws`` have the law that is certified."""
    if draws is None or draws.bound is None:
        return
    if not law.is_plain:
        raise ParameterError(f"draws {draws} have retention 1/gamma: leave out the retention")
    if draws.name != "capped":
        raise CertificateError(
            f"with draws {draws} there are certificates of small-sum privacy and of a T_f: choose one"
        )


def _parameters(law: PublishedCount, epsilon: Fraction, draws: GroupDraws | None) -> dict[str, str]:
    """Return the parameters that every claim has; p is one only where it is not 1/gamma."""
    more = {} if law.is_plain else {"retention": str(law.retention)}
    if draws is not None and draws.bound is not None:
        more["draws"] = str(draws)
    return {"gamma": str(law.gamma), "epsilon": str(epsilon), **more}


def _draws_condition(draws: GroupDraws | None) -> str:
    return "" if draws is None or draws.bound is None else f"draws = {draws}"


def _setting(law: PublishedCount, *more: str) -> str:
    """Return the start of a statement, with the further conditions that are not empty."""
    named = [f"gamma = {law.gamma}"]
    if not law.is_plain:
        named.append(f"retention = {law.retention}")
    named += [each for each in more if each]
    return "With " + ", ".join(named[:-1]) + (" and " if named[1:] else "") + named[-1]


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
        value = _law(found).mean_of_power(tilt, start, WORKING_BITS)
        if exponent:
            value = value.times(Enclosure.power(1 / tilt, exponent, WORKING_BITS), WORKING_BITS)
        bound = unique_rounding(value, up=True)
        if bound is None:  # `concentration` chooses no such tilt
            raise CertificateError(
                f"the {side} tilt {tilt} leaves the rounding of its bound open: give what utility_threshold "
                f"returns"
            )
        tail[side] = {
            "numerator": hexadecimal(tilt.numerator),
            "denominator": hexadecimal(tilt.denominator),
        } | bound_entry(bound)
    return tail
