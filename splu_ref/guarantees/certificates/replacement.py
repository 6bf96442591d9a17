"""Certificates about retention replacement: a breach, the absence of a breach, and a sample size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from splu_ref.certificate_checker import MAX_BITS, MAX_SUMMED, MAX_SUMS, MAX_TRIALS, MAX_VALUES
from splu_ref.channels import CertificateError, Exact, Levels, integer, probability, retention, worst_property
from splu_ref.guarantees.certificates.form import Certificate, assemble, hexadecimal
from splu_ref.guarantees.decimals import Progress
from splu_ref.guarantees.sample_sizes import SampleSize


def breach_certificate(
    keep: Exact, values: Exact, levels: Levels, counts: Sequence[int] | None = None
) -> Certificate:
    """Return a certificate of a breach, or that there is none, under replacements drawn uniformly.

    Parameters
    ----------
    keep
        Retention probability p, 0 to 1.
    values
        Number m of values in the domain, at least 2.
    levels
        rho1 and rho2.
    counts
        The prior: how many records have each value that occurs, the first ones of the domain. None stands for
        every prior.

    Returns
    -------
    dict
        Claim ``breach`` with a set of values and the published one that shows it, or claim ``safe``.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.
    CertificateError
        If the certificate would exceed the size limit of the checker.
    """
    p, size = probability(keep, "keep"), integer(values, "values", 2)
    _refuse_long({"retention": p, "rho1": levels.rho1, "rho2": levels.rho2})
    parameters = {"retention": str(p), "values": str(size)}
    parameters |= {"rho1": str(levels.rho1), "rho2": str(levels.rho2)}
    start = f"With retention = {p} and replacements drawn uniformly from {size} values"
    if counts is None:
        found = None if p == 1 else 1 + p * size / (1 - p)
        least = levels.amplification
        if found is not None and found < least:
            words = (
                f"what is published has an amplification of {found}, below the {least} from which on some "
                f"prior lets it lift a belief from at most {levels.rho1} to at least {levels.rho2}"
            )
            return assemble("safe", parameters, f"{start}: {words}.", _largest(found))
        # A value with a prior of rho1, and another one with the rest.
        prior = [levels.rho1.numerator, levels.rho1.denominator - levels.rho1.numerator]
    else:
        prior = [integer(count, "a count", 1) for count in counts]
    if not prior or len(prior) > min(size, MAX_VALUES) or max(prior) >= 10**12:
        raise CertificateError(
            f"a certificate names at most {MAX_VALUES} values with their counts, each below 10^12, and here "
            f"are {len(prior)}: group the values, or round rho1"
        )
    listed = " ".join(map(str, prior))
    # Values that never occur stand together: what is published where a value is kept does not concern them.
    others = Fraction(size - len(prior), size)
    law: dict[int, Fraction] = dict.fromkeys(range(len(prior)), Fraction(1, size))
    law |= {len(prior): others} if others else {}
    worst = worst_property(retention(p, law), dict(enumerate(prior)), levels.rho1)
    parameters["counts"] = listed
    if worst is None or worst.posterior < levels.rho2:
        room = math.floor(levels.rho1 * sum(prior))
        small = [count for count in prior if count <= room]
        if len(set(small)) * len(small) * room > MAX_SUMS:
            raise CertificateError(
                "there are too many sums of counts to check that no set of values is a breach: group the "
                "values"
            )
        largest = Fraction(0) if worst is None else worst.posterior
        words = (
            f"where the values have the counts {listed}, what is published lifts the belief in no set of "
            f"values from at most {levels.rho1} to more than {largest}, below {levels.rho2}"
        )
        return assemble("safe", parameters, f"{start}: {words}.", _largest(largest))
    secret = sorted(worst.secret)
    named = ", ".join(str(place + 1) for place in secret)
    statement = (
        f"{start}: where the values have the counts {listed}, seeing value {worst.published + 1} lifts the "
        f"belief in one of the values {named} from {worst.prior}, at most {levels.rho1}, to "
        f"{worst.posterior}, at least {levels.rho2}."
    )
    evidence = {
        "secret": [hexadecimal(place) for place in secret],
        "observed": hexadecimal(worst.published),
    }
    return assemble("breach", parameters, statement, evidence)


def sample_size_certificate(found: SampleSize, *, progress: Progress | None = None) -> Certificate:
    """Return a certificate that one row less does not do, and from where on Hoeffding's bound proves it.

    Of the numbers of rows in between the certificate says nothing: `sample_size` has examined them.

    Parameters
    ----------
    found
        What `sample_size` returns.
    progress
        Called before the exact sum and after it.

    Returns
    -------
    dict
        Claim ``sample-size``.

    Raises
    ------
    CertificateError
        If the certificate would exceed the size limit of the checker; before any long work.
    """
    numbers = {name: getattr(found, name) for name in ("retention", "share", "epsilon", "delta")}
    _refuse_long(numbers)
    parameters = {name: str(value) for name, value in numbers.items()} | {"rows": str(found.rows)}
    statement = (
        f"With retention = {found.retention} and a share of {found.share} of the replacements: from "
        f"{found.rows_bound} rows on, the estimate of a share is off by at least {found.epsilon} with a "
        f"probability of at most {found.delta}, whatever the true count"
    )
    violation = None
    if found.count is not None:
        n, count = found.rows - 1, found.count
        low, high = found.limits()
        law = found.law()
        bits = [kind.chance.denominator.bit_length() for kind in (law.first, law.second)]
        long = count * bits[0] + (n - count) * bits[1]
        digits = 1 + (sum(bits) + n.bit_length()) // 30
        if n > MAX_TRIALS or long > MAX_BITS or long * digits * (min(n, high - 1) + 2) > MAX_SUMMED:
            raise CertificateError(
                f"a certificate about {n} rows takes too long to check: choose a larger epsilon or delta, or "
                "a retention and a share of fewer digits"
            )
        if progress is not None:
            progress(0, 1)
        numerator = law.denominator - law.between_numerator(low + 1, high - 1)
        if progress is not None:
            progress(1, 1)
        violation = {
            "count": hexadecimal(count),
            "first": hexadecimal(max(0, low + 1)),
            "last": hexadecimal(min(n, high - 1)),
            "numerator": hexadecimal(numerator),
        }
        statement += f"; with {n} rows, {count} of them counted, it is above {found.delta}"
    evidence = {"violation": violation, "bound": {"from": hexadecimal(found.rows_bound)}}
    return assemble("sample-size", parameters, f"{statement}.", evidence)


def _largest(found: Fraction) -> dict[str, object]:
    ends = {"numerator": hexadecimal(found.numerator), "denominator": hexadecimal(found.denominator)}
    return {"largest": ends}


def _refuse_long(numbers: dict[str, Fraction]) -> None:
    for name, value in numbers.items():
        if max(value.numerator, value.denominator) >= 10**400:
            raise CertificateError(f"{name} has more than 400 digits: round it")
