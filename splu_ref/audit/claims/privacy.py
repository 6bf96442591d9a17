"""Claims of small-sum privacy for a sensitive value alone, in one release or for the mean of several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Self

from splu_ref.audit.claims.claim import KEYED, Common, SpluGenClaim, records
from splu_ref.audit.claims.fields import Fields, count
from splu_ref.audit.claims.law import COUNTED, INHERITED, published_law
from splu_ref.audit.claims.narrowing import first_failure, largest
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict
from splu_ref.certificates import privacy_certificate
from splu_ref.certificates.form import Certificate
from splu_ref.guarantees import PrivacyMinimum, privacy_minimum
from splu_ref.guarantees.least_error import search_work
from splu_ref.guarantees.plateaus import Plateaus
from splu_ref.guarantees.privacy import limited
from splu_ref.guarantees.progress import Progress
from splu_ref.model import CertificateError, probability, shown


@dataclass(frozen=True, kw_only=True)
class CountPrivacy(SpluGenClaim):
    """Definition 2 for a sensitive value alone, in one release or for the mean of several."""

    kind = "small-sum-privacy"
    required = (*COUNTED, "alpha", "t_p")
    optional = ("retention", "releases", "estimator")
    inherited = (*INHERITED, "releases")

    alpha: int
    t_p: Fraction
    releases: int

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read alpha, T_P and the number of releases; the estimator is the published count."""
        counted = published_law(fields)
        if "estimator" in fields:
            fields.choice(
                "estimator",
                ("mle",),
                'small-sum-privacy is about the published count: write "mle", or kind = "concept-privacy"',
            )
        return cls(
            **vars(common),
            **counted,
            alpha=fields.number("alpha", count),
            t_p=fields.number("t_p", probability),
            releases=fields.number("releases", count) if "releases" in fields else 1,
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the exact T_P in the form of Definition 2; the form of Theorem 4 is reported.

        A claim that fails is narrowed to the largest alpha for which it is true (T_P does not rise with
        alpha) and, for several releases, to the largest number of releases up to which it is true.
        """
        del ledger
        return _decided(self, progress)

    def work(self) -> int:
        """Return about the work of the search for the least error probability."""
        limited(self.law.gamma, self.epsilon, self.alpha, self.releases, self.law.retention)
        return search_work(self.law, self.epsilon, self.alpha, self.releases)

    @property
    def size(self) -> str:
        """The largest count."""
        return f"alpha = {shown(self.alpha)}"


def _decided(claim: CountPrivacy, progress: Progress | None) -> Finding:
    least = _level(claim, claim.alpha, claim.releases, progress=progress)
    t_p, t_p_definition = least.t_p.json("down"), least.t_p_definition.json("down")
    count, times = "the published count of", ""
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
        key="t_p",
        numbers={
            "t_p": t_p,
            "t_p_definition": t_p_definition,
            "argmin": least.argmin,
            "argmin_definition": least.argmin_definition,
            "releases": claim.releases,
        },
        recompute=claim.command("privacy", "alpha", more=f"--at-least {claim.written['t_p']}{times}"),
        remarks=(KEYED,) if claim.releases > 1 else (),
    )
    if _holds(claim, least):
        return _confirmed(claim, least, finding)
    instead = f"T_P up to {t_p_definition['decimal']}" if least.t_p_definition.bounds(12).lower else ""
    return _narrowed(claim, least, replace(finding, instead=instead))


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
        parts.append(f"true for alpha up to {alpha}")
    if releases:
        parts.append(f"true for {_times(releases)}")
        spoken = "a single release" if releases == 1 else f"the mean of {releases} releases"
        remarks += (f"The certificate of what is true speaks of {spoken}",)
    if claim.releases > 1:
        pooled = claim.releases * (alpha + 1)
        decides = partial(claim.error_certificate, pooled)
        reason = (
            f"The mean of {claim.releases} counts errs at f = {alpha + 1} as one count does at f = {pooled}, "
            "of which the certificate speaks"
        )
        remarks = (*remarks, reason)
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
        key="alpha" if alpha else "t_p",
        true_for="; ".join(parts),
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


def _times(releases: int) -> str:
    return "a single release" if releases == 1 else f"up to {releases} releases"


def refutation(claim: SpluGenClaim, alpha: int, failing: int) -> Certificate:
    """Certify T_P at ``alpha`` or, if that is too large, the error at the first count that fails."""
    try:
        return level_certificate(claim, alpha)
    except CertificateError:
        return claim.error_certificate(failing)


def level_certificate(claim: SpluGenClaim, alpha: int, releases: int = 1) -> Certificate:
    """Certify T_P of a value alone under the claim's gamma, retention and epsilon."""
    return privacy_certificate(claim.law.gamma, claim.epsilon, alpha, releases, retention=claim.law.retention)
