"""Claims of large-sum utility: from a count on, at one count, or from the count that a formula gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from splu_ref.audit.claims.claim import Common, CountError, CountUtility, ThresholdFormula
from splu_ref.audit.claims.exactly import error_at
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict
from splu_ref.audit.claims.words import command, setting, written
from splu_ref.certificates import error_certificate, threshold_certificate
from splu_ref.certificates.form import Certificate
from splu_ref.guarantees import UtilityThreshold, utility_threshold
from splu_ref.guarantees.decimals import ExactJson
from splu_ref.guarantees.progress import Progress
from splu_ref.model import ParameterError, shown


def audit_utility(claim: CountUtility, progress: Progress | None = None) -> Finding:
    """Decide a claim by the least T_f: if it is greater than the claim's, the claim is narrowed to it.

    Where that T_f is out of reach or there is none, a claim that fails at its own T_f is refuted there.
    """
    stated = _stated(claim, written(claim, "t_f"))
    try:
        found = _threshold(claim, progress)
    except ParameterError:
        finding = _refuted_at(claim, claim.t_f, stated, "t_f")
        if finding is None:
            raise
        return finding
    confirmed = found.threshold <= claim.t_f
    return Finding(
        Verdict.CONFIRMED if confirmed else Verdict.NARROWED,
        stated,
        _found(found),
        key="t_f",
        numbers=_numbers(found),
        recompute=command("utility", claim, "t_e"),
        true_for="" if confirmed else f"true from T_f = {found.threshold} on",
        proofs=(Proof("decides", partial(_certificate, claim, found)),),
    )


def audit_formula(
    claim: ThresholdFormula, formula: Callable[..., int], progress: Progress | None = None
) -> Finding:
    """Decide whether the T_f that ``formula`` gives for gamma, epsilon and t_e is enough.

    A formula is one number, so there is nothing to narrow: it is confirmed at these parameters, or refuted.
    """
    t_f = formula(claim.gamma, claim.epsilon, claim.t_e)
    stated = f"{_stated(claim, shown(t_f))} (T_f by the formula {claim.formula})"
    try:
        found = _threshold(claim, progress)
    except ParameterError:
        finding = _refuted_at(claim, t_f, stated, "formula")
        if finding is None:
            raise
        return finding
    confirmed = found.threshold <= t_f
    return Finding(
        Verdict.CONFIRMED if confirmed else Verdict.REFUTED,
        stated,
        _found(found),
        key="formula",
        numbers={"formula": t_f, **_numbers(found)},
        recompute=command("utility", claim, "t_e"),
        instead="" if confirmed else f"T_f = {found.threshold}, the least that is true",
        proofs=(Proof("decides", partial(_certificate, claim, found)),),
    )


def audit_error(claim: CountError) -> Finding:
    """Decide a claim by the exact error probability at its count, in the form of Definitions 1 and 2."""
    side, key = ("at least", "t_p") if claim.at_least else ("at most", "t_e")
    probability = error_at(claim, claim.frequency)
    sign = probability.compare(claim.bound, key)
    confirmed = sign >= 0 if claim.at_least else sign <= 0
    error = probability.json("down" if claim.at_least else "up")
    return Finding(
        Verdict.CONFIRMED if confirmed else Verdict.REFUTED,
        f"{setting(claim)}, the published count of a value with {written(claim, 'frequency')} records is off "
        f"by at least {written(claim, 'epsilon')} of it with probability {side} {written(claim, key)}",
        f"the probability is {error['decimal']}",
        key=key,
        numbers={"error": error},
        recompute=command("utility", claim, "frequency"),
        instead="" if confirmed else f"a probability of {side} {error['decimal']}",
        proofs=(Proof("decides", partial(_error_certificate, claim, claim.frequency)),),
    )


def _stated(claim: CountUtility | ThresholdFormula, t_f: str) -> str:
    return (
        f"{setting(claim)}, the published count of every value with {t_f} records or more is off by at least "
        f"{written(claim, 'epsilon')} of it with probability at most {written(claim, 't_e')}"
    )


def _threshold(claim: CountUtility | ThresholdFormula, progress: Progress | None) -> UtilityThreshold:
    return utility_threshold(
        claim.gamma, claim.epsilon, claim.t_e, retention=claim.retention, progress=progress
    )


def _found(found: UtilityThreshold) -> str:
    least = f"the least T_f is {found.threshold}"
    if found.threshold_chebyshev is None:
        return least
    return f"{least}; by Chebyshev's bound it would be {shown(found.threshold_chebyshev)}"


def _numbers(found: UtilityThreshold) -> dict[str, ExactJson | int | None]:
    return {
        "threshold": found.threshold,
        "threshold_chebyshev": found.threshold_chebyshev,
        "tail_from": found.tail_from,
        "checked": found.checked,
    }


def _certificate(claim: CountUtility | ThresholdFormula, found: UtilityThreshold) -> Certificate:
    return threshold_certificate(
        claim.gamma, claim.epsilon, claim.t_e, retention=claim.retention, found=found
    )


def _error_certificate(claim: Common, frequency: int) -> Certificate:
    return error_certificate(claim.gamma, claim.epsilon, frequency, retention=claim.retention)


def _refuted_at(claim: CountUtility | ThresholdFormula, t_f: int, stated: str, key: str) -> Finding | None:
    """Return the refutation of a claim that fails already at its own T_f, or None if that cannot be seen."""
    try:
        probability = error_at(claim, t_f)
        sign = probability.compare(claim.t_e, "t_e")
    except ParameterError:
        return None
    if sign <= 0:
        return None
    error = probability.json("up")
    return Finding(
        Verdict.REFUTED,
        stated,
        f"at f = {t_f} the probability is {error['decimal']}",
        key=key,
        numbers={"error": error},
        recompute=command("utility", claim, more=f"--frequency {t_f}"),
        proofs=(Proof("decides", partial(_error_certificate, claim, t_f)),),
    )
