"""Claims of small-sum privacy for a sensitive value alone, in one release or for the mean of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Self

from splu_ref.audit.claims.claim import KEYED, Common, SpluGenClaim, records
from splu_ref.audit.claims.fields import COUNTED, INHERITED, Fields, count, published_law
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict, first_failure, largest, releases_text
from splu_ref.channels import CertificateError, probability, shown
from splu_ref.guarantees import (
    Certificate,
    ExactJson,
    Level,
    MinimaxErrorBounds,
    Plateaus,
    PrivacyMinimum,
    Progress,
    bound_of,
    exact_json,
    is_plain_up_to,
    minimax_error_bounds,
    privacy_certificate,
    privacy_minimum,
    privacy_of_draws,
    privacy_parameters,
    rare_privacy_certificate,
    search_work,
)

OF_ALL_TABLES = (
    "The law of counts above {bound} depends on the table: a claim about draws is one about every table. The "
    "witness is a table whose values have one count and stand in the same groups, or, with all-or-none, are "
    "all common"
)


@dataclass(frozen=True, kw_only=True)
class CountPrivacy(SpluGenClaim):
    """Definition 2 for a sensitive value alone, in one release or for the mean of several."""

    kind = "small-sum-privacy"
    required = (*COUNTED, "alpha", "t_p")
    optional = ("retention", "draws", "releases", "estimator")
    inherited = (*INHERITED, "releases")

    alpha: int
    t_p: Fraction
    releases: int

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read alpha, T_P and the number of releases; the estimator is the published count."""
        counted = published_law(fields, any_draws=True)
        if "estimator" in fields:
            fields.choice(
                "estimator",
                ("mle",),
                'small-sum-privacy is about the published count: write "mle", or kind = "concept-privacy"',
            )
        releases = fields.number("releases", count) if "releases" in fields else 1
        if releases > 1 and counted["draws"].bound is not None:
            fields.refuse(
                "releases", "several releases are treated for independent draws: write releases = 1"
            )
        return cls(
            **vars(common),
            **counted,
            alpha=fields.number("alpha", count),
            t_p=fields.number("t_p", probability),
            releases=releases,
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the exact T_P in the form of Definition 2; the form of Theorem 4 is reported.

        A claim that fails is narrowed to the largest alpha for which it is true (T_P does not rise with
        alpha) and, for several releases, to the largest number of releases up to which it is true. Draws
        are decided for every table.
        """
        del ledger
        if not is_plain_up_to(self.draws, self.alpha):
            return decided_for_every_table(self)
        return _decided(self, progress)

    def work(self) -> int:
        """Estimate the work of the search for the least error probability."""
        if not is_plain_up_to(self.draws, self.alpha):
            return 0  # little, and bounded
        privacy_parameters(self.law.gamma, self.epsilon, self.alpha, self.releases, self.law.retention)
        return search_work(self.law, self.epsilon, self.alpha, self.releases)

    @property
    def size(self) -> str:
        """The largest count."""
        return f"alpha = {shown(self.alpha)}"


def _decided(claim: CountPrivacy, progress: Progress | None) -> Finding:
    least = _level(claim, claim.alpha, claim.releases, progress=progress)
    t_p, t_p_definition = least.t_p.json("down"), least.t_p_definition.json("down")
    count, times, star = "the published count of", "", _star(claim)
    if claim.releases > 1:
        count = f"the mean of {claim.releases} independent published counts of"
        times = f" --releases {claim.releases}"
    finding = Finding(
        verdict=Verdict.CONFIRMED,
        stated=(
            f"{claim.setting}, {count} every value with {records(claim.alpha)} is off by at least "
            f"{claim.said('epsilon')} of it with probability at least {claim.said('t_p')}"
        ),
        found=f"T_P is {t_p_definition['decimal']}, least at f = {least.argmin_definition}",
        numbers={
            "t_p": t_p,
            "t_p_definition": t_p_definition,
            "argmin": least.argmin,
            "argmin_definition": least.argmin_definition,
            "releases": claim.releases,
            **({} if claim.releases > 1 else star_numbers(star)),
        },
        recompute=claim.command("privacy", "alpha", more=f"--at-least {claim.written['t_p']}{times}"),
        remarks=(KEYED,) if claim.releases > 1 else (star_words(star),),
    )
    if _holds(claim, least):
        return _confirmed(claim, least, finding)
    instead = f"T_P up to {t_p_definition['decimal']}" if least.t_p_definition.bounds(12).lower else ""
    return _narrowed(claim, least, replace(finding, instead=instead))


def _star(claim: CountPrivacy) -> MinimaxErrorBounds:
    return minimax_error_bounds(
        claim.law.gamma, claim.epsilon, claim.alpha, retention=claim.law.retention, draws=claim.draws
    )


def star_numbers(star: MinimaxErrorBounds) -> dict[str, ExactJson | int | None]:
    """Return T_P* by name."""
    return {
        "t_p_star_at_least": exact_json(star.at_least, "down"),
        "t_p_star_at_most": exact_json(star.at_most, "up"),
    }


def star_words(star: MinimaxErrorBounds) -> str:
    """Return T_P*, which stands beside T_P, in a sentence."""
    least, most = exact_json(star.at_least, "down")["decimal"], exact_json(star.at_most, "up")["decimal"]
    level = f"is {least}" if star.is_exact else f"is between {least} and {most}"
    return f"T_P*, the minimax error probability over these counts, {level}"


def _confirmed(claim: CountPrivacy, least: PrivacyMinimum, finding: Finding) -> Finding:
    remarks = finding.remarks
    if least.t_p.bounds(12).upper < claim.t_p:
        strict = least.t_p.decimal("down")
        by_theorem_4 = (
            "Definition 2 decides, which counts an error of exactly epsilon f: by Theorem 4, which does not, "
            f"T_P is {strict}, below the claim"
        )
        remarks = (*remarks, by_theorem_4)
    proof = Proof("decides", partial(level_certificate, claim, claim.alpha, claim.releases))
    return replace(finding, remarks=remarks, proofs=(proof,))


def _narrowed(claim: CountPrivacy, least: PrivacyMinimum, finding: Finding) -> Finding:
    """Return the finding of a claim that fails: narrowed to what is true of it, or refuted."""
    failing = least.argmin_definition
    near = _about_largest(claim, failing)
    alpha = largest(lambda most: _holds_up_to(claim, most, claim.releases), failing, near)
    releases = first_failure(lambda times: _holds_up_to(claim, claim.alpha, times), claim.releases - 1)
    parts, remarks = [], finding.remarks
    if alpha:
        parts.append(f"for alpha up to {alpha}")
    if releases:
        parts.append(f"for {releases_text(releases)}")
        spoken = "a single release" if releases == 1 else f"the mean of {releases} releases"
        remarks += (f"The certificate of what is true speaks of {spoken}",)
    if claim.releases > 1:
        pooled = claim.releases * (alpha + 1)
        decides = partial(claim.error_certificate, pooled)
        spoken = f"the certificate says f = {pooled} = {claim.releases} releases x {alpha + 1} records"
        finding = replace(finding, found=f"{finding.found}; {spoken}")
    else:
        decides = partial(refutation, claim, claim.alpha, alpha + 1)
    proofs = [Proof("decides", decides)]
    if releases:
        proofs.append(Proof("remains", partial(level_certificate, claim, claim.alpha, releases)))
    elif alpha:
        proofs.append(Proof("remains", partial(level_certificate, claim, alpha, claim.releases)))
    return replace(
        finding,
        verdict=Verdict.NARROWED if parts else Verdict.REFUTED,
        true_for=f"true {', or '.join(parts)}" if parts else "",
        proofs=tuple(proofs),
        remarks=remarks,
    )


def _about_largest(claim: CountPrivacy, failing: int) -> int:
    """Return the alpha up to which the claim would be true if errors fell from plateau to plateau.

    They nearly do, and one error is quickly enclosed.
    """
    plateaus = Plateaus(claim.releases * claim.epsilon, failing, strict=False)

    def wrong_enough(number: int) -> bool:
        pooled = claim.releases * plateaus.start(number)
        found = claim.error_at(pooled).bounds()
        return found.upper >= claim.t_p

    return plateaus.start(largest(wrong_enough, len(plateaus) + 1) + 1) - 1


def _level(
    claim: CountPrivacy, alpha: int, releases: int, progress: Progress | None = None
) -> PrivacyMinimum:
    return privacy_minimum(
        claim.law.gamma, claim.epsilon, alpha, releases, retention=claim.law.retention, progress=progress
    )


def _holds_up_to(claim: CountPrivacy, alpha: int, releases: int) -> bool:
    return _holds(claim, _level(claim, alpha, releases))


def _holds(claim: CountPrivacy, least: PrivacyMinimum) -> bool:
    return least.t_p_definition.compare(claim.t_p, "t_p") >= 0


def refutation(claim: SpluGenClaim, alpha: int, failing: int) -> Certificate:
    """Certify T_P at ``alpha`` or, if that is too large, the error at the first count that fails."""
    try:
        return level_certificate(claim, alpha)
    except CertificateError:
        return claim.error_certificate(failing)


def level_certificate(claim: SpluGenClaim, alpha: int, releases: int = 1) -> Certificate:
    """Certify T_P of a value alone under the claim's gamma, retention and epsilon."""
    if claim.draws.name == "all-or-none":
        return rare_privacy_certificate(claim.law.gamma, claim.epsilon, alpha, claim.draws)
    return privacy_certificate(
        claim.law.gamma, claim.epsilon, alpha, releases, retention=claim.law.retention, draws=claim.draws
    )


def decided_for_every_table(claim: CountPrivacy) -> Finding:
    """Decide a claim about dependent draws by T_P over all tables.

    Above the bound of the draws it is false if some table has a smaller T_P, and not decided where the
    bounds of T_P over all tables leave it open.
    """
    draws, bound = claim.draws, bound_of(claim.draws)

    def level(alpha: int) -> Level:
        return privacy_of_draws(claim.law.gamma, claim.epsilon, alpha, draws).t_p_definition

    found, star = level(claim.alpha), _star(claim)
    reached = found.reaches(claim.t_p)
    t_p = exact_json(found.at_least, "down")
    description = f"T_P is {t_p['decimal']}, least at f = {found.argmin}"
    if not found.is_exact:
        description = (
            f"T_P over all tables is at least {t_p['decimal']}, at most the error at f = {found.argmin}"
        )
    finding = Finding(
        verdict=Verdict.CONFIRMED,
        stated=(
            f"{claim.setting}, the published count of every value with {records(claim.alpha)} is off by at "
            f"least {claim.said('epsilon')} of it with probability at least {claim.said('t_p')}, whatever "
            "the table"
        ),
        found=description,
        numbers={
            "t_p_definition": t_p,
            "argmin_definition": found.argmin,
            "releases": 1,
            **star_numbers(star),
        },
        recompute=claim.command("privacy", "alpha", more=f"--at-least {claim.written['t_p']}"),
        remarks=(star_words(star), *([OF_ALL_TABLES.format(bound=bound)] if claim.alpha > bound else [])),
    )
    known = min(claim.alpha, bound)
    certified = Proof("decides", partial(level_certificate, claim, known))
    no_kind = f"there is no certificate of counts above {bound}, the bound of the draws: compute it again"
    if reached:
        if claim.alpha <= bound:
            return replace(finding, proofs=(certified,))
        return replace(finding, without_certificate=no_kind)
    alpha = largest(lambda most: level(most).reaches(claim.t_p) is True, claim.alpha, bound)
    verdict = Verdict.NOT_DECIDED if reached is None else Verdict.NARROWED if alpha else Verdict.REFUTED
    remains = (Proof("remains", partial(level_certificate, claim, alpha)),) if 0 < alpha <= bound else ()
    decides = (certified,) if reached is False and level(known).reaches(claim.t_p) is False else ()
    return replace(
        finding,
        verdict=verdict,
        true_for=f"true for alpha up to {alpha}" if alpha else "",
        instead=f"T_P up to {t_p['decimal']}" if found.at_least != 0 and reached is False else "",
        proofs=(*decides, *remains),
        without_certificate="" if decides else no_kind,
    )
