"""Claims of small-sum privacy for predicates together with a sensitive value, under a stated estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Self

from splu_ref.audit.claims.claim import Common, SpluGenClaim, records
from splu_ref.audit.claims.document import ESTIMATORS
from splu_ref.audit.claims.fields import COUNTED, INHERITED, Fields, count, published_law
from splu_ref.audit.claims.privacy import level_certificate, refutation
from splu_ref.audit.claims.quotes import CONCEPTS, RECONSTRUCTION, Ledger, is_rounding, printed
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict, largest
from splu_ref.audit.concepts import ConceptMinimum, concept_minimum, concept_work
from splu_ref.audit.pure_concepts import ConceptCase, best_pure_concept
from splu_ref.channels import probability, shown
from splu_ref.guarantees import (
    ExactJson,
    Progress,
    bound_of,
    concept_certificate,
    exact_json,
    is_plain_up_to,
    privacy_minimum,
)

UNDECIDED = "nothing was decided that it could prove"
PROVED = "it rests on claim splu.T4c, of which there is no kind of certificate: compute the number again"
TRIVIAL = "a probability of at least 0 needs no proof"
NO_PRINTED = "the checker computes the corrected estimate, not the printed one: compute the number again"
BY_COUNT = "The certificates speak of the value alone: no concept errs less often (claim splu.PB)"
ABOVE = (
    "Nothing is decided of predicates together with a value of more than {cap} records: their counts depend "
    "on the plan, and where a predicate holds whole groups that publish the value once each, they are right"
)


@dataclass(frozen=True, kw_only=True)
class ConceptPrivacy(SpluGenClaim):
    """Definition 2 for a predicate together with a sensitive value, under a stated estimator."""

    kind = "concept-privacy"
    required = (*COUNTED, "alpha", "t_p", "estimator")
    optional = ("retention", "draws", "predicates", "releases")
    inherited = (*INHERITED, "estimator", "releases")

    alpha: int
    t_p: Fraction
    estimator: str
    predicates: str

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read alpha, T_P, the estimator and the predicates; one release at retention 1/gamma."""
        counted = published_law(fields, any_draws=True)
        releases = fields.number("releases", count) if "releases" in fields else 1
        if releases != 1:
            fields.refuse(
                "releases",
                "several releases are treated for a value alone only: write releases = 1, and kind = "
                '"small-sum-privacy" for a claim about several',
            )
        if not counted["law"].is_plain:
            fields.refuse(
                "retention",
                f'concepts are treated at retention 1/gamma only: write "1/{counted["law"].gamma}"',
            )
        alpha, draws = fields.number("alpha", count), counted["draws"]
        if not is_plain_up_to(draws, alpha):
            fields.refuse(
                "draws", 'concepts are treated for capped draws, alpha up to the cap: write "capped:M"'
            )
        return cls(
            **vars(common),
            **counted,
            alpha=alpha,
            t_p=fields.number("t_p", probability),
            estimator=fields.choice("estimator", ESTIMATORS),
            predicates=fields.choice("predicates", ("any", "nearly-pure"))
            if "predicates" in fields
            else "any",
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the least error probability over conjunctive concepts.

        Under ``mle`` everything is proved. Under the other estimators it is for nearly pure predicates,
        n < (1 + epsilon) x3; of the others a finite range is searched. There a claim about all predicates
        is contradicted by a concept that errs less often, and not decided where none was found.
        """
        method = (
            printed(ledger, RECONSTRUCTION, "estimator") if self.estimator == "printed" else self.estimator
        )
        least = concept_minimum(self.law.gamma, self.epsilon, self.alpha, method, progress=progress)
        found = _found(self, least)
        return found if self.draws.bound is None else _up_to_the_cap(self, found, least)

    def work(self) -> int:
        """Estimate the work of the search for the least error probability."""
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


def _up_to_the_cap(claim: ConceptPrivacy, found: Finding, least: ConceptMinimum) -> Finding:
    """Return the finding under capped draws: of values up to the cap everything has the law that it had.

    Of other values nothing is known.
    """
    cap = bound_of(claim.draws)
    if found.verdict.contradicted and least.worst.sensitive_count <= cap:
        return found
    confirmed = found.verdict is Verdict.CONFIRMED
    return replace(
        found,
        verdict=Verdict.NOT_DECIDED,
        true_for=f"true for values with at most {cap} records" if confirmed else "",
        proofs=(),
        without_certificate=UNDECIDED,
        remarks=(*found.remarks, ABOVE.format(cap=cap)),
    )


def _found(claim: ConceptPrivacy, least: ConceptMinimum) -> Finding:
    nearly_pure = claim.predicates == "nearly-pure"
    level = least.t_p_pure if nearly_pure else least.t_p
    proved = least.proved or nearly_pure
    alpha = claim.alpha if least.t_p_pure >= claim.t_p else _alpha(claim)
    true_for = f"true for alpha up to {alpha}" if alpha else ""
    if level >= claim.t_p and (proved or claim.t_p == 0):  # an error of probability 0 or more needs no proof
        verdict, true_for = Verdict.CONFIRMED, ""
    else:
        if level >= claim.t_p:
            verdict = Verdict.NOT_DECIDED
        else:
            verdict = Verdict.NARROWED if alpha else Verdict.REFUTED
        if alpha and not proved:
            witness = least.t_p_mixed is not None and least.t_p_mixed < claim.t_p
            others = "false" if witness else "not decided"
            true_for += f" and predicates with |P| < (1 + epsilon) x3; for others it is {others}"
    t_p = exact_json(level, "down")
    known = "is" if proved else "is at most"
    proofs, reason = _proofs(claim, least, verdict, alpha)
    named = _witness(claim, least, alpha) if verdict.contradicted else (level, least.worst)
    remarks = () if proved else (f"Searched: {least.searched}",)
    if claim.estimator == "mle":
        remarks = (*remarks, BY_COUNT)
    return Finding(
        verdict,
        f"{claim.setting} and the estimator {claim.estimator}, the count of every concept of "
        f"{records(claim.alpha)}, a {'nearly pure ' if nearly_pure else ''}predicate together with a "
        f"sensitive value, is estimated off by at least {claim.said('epsilon')} of it with probability "
        f"at least {claim.said('t_p')}",
        f"T_P {known} {t_p['decimal']}{'' if nearly_pure else _attained(*named, level)}",
        numbers=_numbers(least),
        recompute=claim.command("concept", "alpha", more=f"--method {claim.estimator}"),
        true_for=true_for,
        instead=f"T_P up to {t_p['decimal']}" if proved and level < claim.t_p and level else "",
        proofs=proofs,
        without_certificate=reason,
        remarks=remarks,
    )


def _proofs(
    claim: ConceptPrivacy, least: ConceptMinimum, verdict: Verdict, alpha: int
) -> tuple[tuple[Proof, ...], str]:
    """Return the certificates that can be made, or none and the reason; ``alpha`` is proved for mle or pure.

    Under ``mle`` it is the value alone that decides; under ``exact`` a concept that errs too rarely.
    """
    if claim.estimator == "mle":
        if verdict is Verdict.CONFIRMED:
            return (Proof("decides", partial(level_certificate, claim, claim.alpha)),), ""
        remains = Proof("remains", partial(level_certificate, claim, alpha))
        decides = Proof("decides", partial(refutation, claim, claim.alpha, alpha + 1))
        return (decides, remains) if alpha else (decides,), ""
    if not verdict.contradicted:
        return (), UNDECIDED if verdict is Verdict.NOT_DECIDED else PROVED if claim.t_p else TRIVIAL
    if claim.estimator == "printed":
        return (), NO_PRINTED
    error, case = _witness(claim, least, alpha)
    witness = partial(concept_certificate, claim.law.gamma, claim.epsilon, **asdict(case), error=error)
    return (Proof("decides", witness),), ""


def _witness(claim: ConceptPrivacy, least: ConceptMinimum, alpha: int) -> tuple[Fraction, ConceptCase]:
    """Return the error and the concept of a refutation: the smallest witness, which is quickest to check."""
    if claim.estimator == "exact" and least.t_p_pure < claim.t_p:
        return best_pure_concept(claim.law.gamma, claim.epsilon, alpha + 1)
    return least.t_p, least.worst


def _alpha(claim: ConceptPrivacy) -> int:
    """Return the largest alpha below the claim's, which fails, for which it is proved: as `_proofs`."""

    def holds(alpha: int) -> bool:
        if claim.estimator == "mle":
            return privacy_minimum(claim.law.gamma, claim.epsilon, alpha).t_p_definition.exact() >= claim.t_p
        return best_pure_concept(claim.law.gamma, claim.epsilon, alpha)[0] >= claim.t_p

    return largest(holds, claim.alpha)


def _attained(error: Fraction, worst: ConceptCase, level: Fraction) -> str:
    """Return the concept that errs so rarely: the one of the certificate, if there is one."""
    where = "attained" if error == level else f"and the probability is {exact_json(error, 'down')['decimal']}"
    return (
        f", {where} where {worst.concept_count} of the {worst.predicate_count} records of a predicate carry "
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
