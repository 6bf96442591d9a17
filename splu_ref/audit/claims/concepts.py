"""Claims of small-sum privacy for predicates together with a sensitive value, under a stated estimator."""

from __future__ import annotations

from splu_ref.audit.claims.claim import ConceptPrivacy
from splu_ref.audit.claims.narrowing import largest
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.audit.claims.words import command, records, setting, written
from splu_ref.audit.concepts import ConceptMinimum, concept_minimum
from splu_ref.audit.mixed_concepts import LiesBetween
from splu_ref.audit.pure_concepts import best_pure_concept
from splu_ref.guarantees import exact_json, privacy_minimum
from splu_ref.guarantees.decimals import ExactJson
from splu_ref.guarantees.progress import Progress

NO_CERTIFICATE = "there are certificates for values alone only: compute the number again"


def audit_concepts(
    claim: ConceptPrivacy, printed: LiesBetween | None, progress: Progress | None = None
) -> Finding:
    """Decide a claim by the least error probability over conjunctive concepts.

    Under ``mle`` everything is proved. Under the other estimators it is for nearly pure predicates,
    n < (1 + epsilon) x3; of the others a finite range is searched. So a claim about all predicates is never
    confirmed there: it is refuted, or narrowed to what is proved.

    Parameters
    ----------
    claim
        The claim.
    printed
        For the estimator ``printed``: where the reconstruction as printed lies between two bounds.
    progress
        Called now and then with (work done, work in all).
    """
    method = claim.estimator if printed is None else printed
    least = concept_minimum(claim.gamma, claim.epsilon, claim.alpha, method, progress=progress)
    nearly_pure = claim.predicates == "nearly-pure"
    level = least.t_p_pure if nearly_pure else least.t_p
    proved = least.proved or nearly_pure
    needs_no_proof = claim.t_p == 0
    true_for = ""
    if level >= claim.t_p and (proved or needs_no_proof):
        verdict = Verdict.CONFIRMED
    else:
        alpha = _alpha(claim)
        refuted = least.t_p_mixed is not None and least.t_p_mixed < claim.t_p
        others = "false" if refuted else "not proved"
        scope = "" if proved else f" and predicates with |P| < (1 + epsilon) x3; for others it is {others}"
        true_for = f"true for alpha up to {alpha}{scope}" if alpha else ""
        verdict = Verdict.NARROWED if alpha else Verdict.REFUTED
    t_p = exact_json(level, "down")
    known = "is" if proved else "is at most"
    return Finding(
        verdict,
        f"{setting(claim)} and the estimator {claim.estimator}, the count of every concept of "
        f"{records(claim.alpha)}, a {'nearly pure ' if nearly_pure else ''}predicate together with a "
        f"sensitive value, is estimated off by at least {written(claim, 'epsilon')} of it with probability "
        f"at least {written(claim, 't_p')}",
        f"T_P {known} {t_p['decimal']}{'' if nearly_pure else _worst(least)}",
        key="t_p" if level < claim.t_p else "predicates" if "predicates" in claim.key_lines else "estimator",
        numbers=_numbers(least),
        recompute=command("concept", claim, "alpha", more=f"--method {claim.estimator}"),
        true_for=true_for,
        instead=f"T_P up to {t_p['decimal']}" if proved and level < claim.t_p and level else "",
        without_certificate=NO_CERTIFICATE,
        remarks=() if proved else (f"Searched: {least.searched}",),
    )


def _alpha(claim: ConceptPrivacy) -> int:
    """Return the largest alpha for which the claim is proved, of all predicates or of nearly pure ones."""

    def holds(alpha: int) -> bool:
        if claim.estimator == "mle":
            return privacy_minimum(claim.gamma, claim.epsilon, alpha).t_p_definition.exact() >= claim.t_p
        return best_pure_concept(claim.gamma, claim.epsilon, alpha)[0] >= claim.t_p

    return claim.alpha if holds(claim.alpha) else largest(holds, claim.alpha)


def _worst(least: ConceptMinimum) -> str:
    worst = least.worst
    return (
        f", attained where {worst.concept_count} of the {worst.predicate_count} records of a predicate carry "
        f"the value, which {worst.sensitive_count} of {worst.rows} rows carry"
    )


def _numbers(least: ConceptMinimum) -> dict[str, ExactJson | int | None]:
    return {
        "t_p": exact_json(least.t_p, "down"),
        "t_p_pure": exact_json(least.t_p_pure, "down"),
        "t_p_mixed": None if least.t_p_mixed is None else exact_json(least.t_p_mixed, "down"),
        "predicate_count": least.worst.predicate_count,
        "concept_count": least.worst.concept_count,
        "sensitive_count": least.worst.sensitive_count,
        "rows": least.worst.rows,
    }
