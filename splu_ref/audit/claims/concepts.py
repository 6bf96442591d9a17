"""Claims of small-sum privacy for predicates together with a sensitive value, under a stated estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from splu_ref.audit.claims.claim import Claim, Common, records
from splu_ref.audit.claims.fields import Fields, count
from splu_ref.audit.claims.format import ESTIMATORS
from splu_ref.audit.claims.narrowing import largest
from splu_ref.audit.claims.quotes import CONCEPTS, RECONSTRUCTION, Ledger, is_rounding, printed
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.audit.concepts import ConceptMinimum, concept_minimum, concept_work
from splu_ref.audit.pure_concepts import best_pure_concept
from splu_ref.guarantees import exact_json, privacy_minimum
from splu_ref.guarantees.decimals import ExactJson
from splu_ref.guarantees.progress import Progress
from splu_ref.model import probability, shown

NO_CERTIFICATE = "there are certificates for values alone only: compute the number again"
_PREDICATES = ("any", "nearly-pure")


@dataclass(frozen=True, kw_only=True)
class ConceptPrivacy(Claim):
    """Definition 2 for a predicate together with a sensitive value, under a stated estimator."""

    kind = "concept-privacy"
    required = ("alpha", "t_p", "estimator")
    optional = ("predicates", "releases")
    inherited = ("estimator", "releases")

    alpha: int
    t_p: Fraction
    estimator: str
    predicates: str

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read alpha, T_P, the estimator and the predicates; one release at retention 1/gamma."""
        releases = fields.number("releases", count) if "releases" in fields else 1
        if releases != 1:
            fields.refuse(
                "releases",
                "several releases are treated for a value alone only: write releases = 1, and kind = "
                '"small-sum-privacy" for a claim about several',
            )
        if not common.law.is_plain:
            fields.refuse(
                "retention",
                f'concepts are treated at retention 1/gamma only: write "1/{common.law.gamma}"',
            )
        return cls(
            **vars(common),
            alpha=fields.number("alpha", count),
            t_p=fields.number("t_p", probability),
            estimator=fields.choice("estimator", ESTIMATORS),
            predicates=fields.choice("predicates", ("any", "nearly-pure"))
            if "predicates" in fields
            else "any",
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the least error probability over conjunctive concepts.

        Under ``mle`` everything is proved. Under the other estimators it is for nearly pure predicates,
        n < (1 + epsilon) x3; of the others a finite range is searched. So a claim about all predicates is
        never confirmed there: it is refuted, or narrowed to what is proved.
        """
        method = (
            printed(ledger, RECONSTRUCTION, "estimator") if self.estimator == "printed" else self.estimator
        )
        least = concept_minimum(self.law.gamma, self.epsilon, self.alpha, method, progress=progress)
        return _found(self, least)

    def work(self) -> int:
        """Return about the work of the search for the least error probability."""
        return concept_work(self.law.gamma, self.epsilon, self.alpha, self.estimator)

    @property
    def size(self) -> str:
        """The largest count."""
        return f"alpha = {shown(self.alpha)}"

    def repeats(self, ledger: Ledger) -> Iterator[tuple[str, str]]:
        """Recognize the reconstruction of section 5.1, and Lemma 3: T_P of a value, in one of its forms."""
        del ledger
        if self.estimator == "printed":
            yield RECONSTRUCTION, "the estimator is the printed reconstruction"
        elif self.estimator == "exact":
            least = privacy_minimum(self.law.gamma, self.epsilon, self.alpha)
            levels = least.t_p, least.t_p_definition
            if any(is_rounding(self.written["t_p"], level.exact()) for level in levels):
                yield CONCEPTS, "t_p is the level of a value alone"


def _found(claim: ConceptPrivacy, least: ConceptMinimum) -> Finding:
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
        f"{claim.setting} and the estimator {claim.estimator}, the count of every concept of "
        f"{records(claim.alpha)}, a {'nearly pure ' if nearly_pure else ''}predicate together with a "
        f"sensitive value, is estimated off by at least {claim.said('epsilon')} of it with probability "
        f"at least {claim.said('t_p')}",
        f"T_P {known} {t_p['decimal']}{'' if nearly_pure else _worst(least)}",
        key="t_p" if level < claim.t_p else "predicates" if "predicates" in claim.key_lines else "estimator",
        numbers=_numbers(least),
        recompute=claim.command("concept", "alpha", more=f"--method {claim.estimator}"),
        true_for=true_for,
        instead=f"T_P up to {t_p['decimal']}" if proved and level < claim.t_p and level else "",
        without_certificate=NO_CERTIFICATE,
        remarks=() if proved else (f"Searched: {least.searched}",),
    )


def _alpha(claim: ConceptPrivacy) -> int:
    """Return the largest alpha for which the claim is proved, of all predicates or of nearly pure ones."""

    def holds(alpha: int) -> bool:
        if claim.estimator == "mle":
            return privacy_minimum(claim.law.gamma, claim.epsilon, alpha).t_p_definition.exact() >= claim.t_p
        return best_pure_concept(claim.law.gamma, claim.epsilon, alpha)[0] >= claim.t_p

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
