"""Claims about the alpha-beta algorithm: (d, gamma)-privacy of its tuples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from splu_ref.audit.claims.claim import Claim, Common
from splu_ref.audit.claims.document import ALPHA_BETA
from splu_ref.audit.claims.fields import Fields
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict
from splu_ref.channels import STEP, ParameterError, exact, shown
from splu_ref.guarantees import Progress, TupleChances, TupleLevels, d_gamma_certificate, exact_json

ONE_VIEW = "It speaks of one view of a table: in several with draws of their own the odds multiply"


@dataclass(frozen=True, kw_only=True)
class DGammaPrivacy(Claim):
    """No tuple of a prior of at most d is believed more than gamma, or less than d/gamma of its prior."""

    kind = "d-gamma"
    mechanism = ALPHA_BETA
    required = ("alpha", "beta", "d", "level")

    chances: TupleChances  # alpha and beta
    levels: TupleLevels  # d and gamma

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the mechanism's numbers and the levels."""
        alpha, beta, d, level = (fields.number(key, exact) for key in cls.required)
        try:
            chances = TupleChances.of(alpha, beta)
        except ParameterError as error:
            fields.refuse("alpha", str(error))
        try:
            levels = TupleLevels.of(d, level)
        except ParameterError as error:
            fields.refuse("d", str(error))
        return cls(**vars(common), chances=chances, levels=levels)

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the two conditions on alpha and beta, which are necessary and sufficient."""
        del ledger, progress
        chances, levels = self.chances, self.levels
        seen, unseen = (chances.posterior(levels.d, in_view=view) for view in (True, False))
        # A tuple that is not seen must keep d/gamma of its prior: small priors keep the least of it.
        least = max(seen, levels.d / chances.unseen) if chances.unseen else None
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=(
                f"with alpha = {self.said('alpha')} and beta = {self.said('beta')}, a tuple whose prior is "
                f"at most {self.said('d')} has a posterior of at most {self.said('level')}, and of at least "
                f"{shown(levels.d / levels.gamma)} times its prior"
            ),
            found=(
                f"a prior of {self.said('d')} becomes {shown(seen)} for a tuple that is seen, "
                f"{shown(unseen)} for one that is not; a small prior falls to {shown(chances.unseen)} of it"
            ),
            numbers={
                "posterior_seen": exact_json(seen, "up"),
                "posterior_unseen": exact_json(unseen, "down"),
                "least_share": exact_json(chances.unseen, "down"),
            },
            recompute=(
                f"splu-ref useful --alpha {self.written['alpha']} --beta {self.written['beta']} "
                f"--d {self.written['d']} --level {self.written['level']} --n 1 --m 2 --query-size 1 --rho 1"
            ),
            remarks=("Tuples are independent of each other for the adversary", ONE_VIEW),
        )
        if levels.allow(chances):
            make = partial(d_gamma_certificate, chances, levels)
            return replace(finding, proofs=(Proof("decides", make),))
        largest = chances.largest_d(levels.gamma)
        witness = (
            f"A tuple with prior {shown(levels.d)} that is seen has the posterior {shown(seen)}"
            if not levels.keeps_positive(chances)
            else f"Not to be seen leaves a small prior {shown(chances.unseen)} of itself, less than d/gamma"
        )
        finding = replace(
            finding,
            verdict=Verdict.NARROWED if largest else Verdict.REFUTED,
            instead="" if least is None or least >= 1 else f"gamma = {shown(least)} for this d",
            without_certificate="the witness is one posterior, which a division checks",
            remarks=(witness, *finding.remarks),
        )
        if not largest:
            return finding
        remains = partial(d_gamma_certificate, chances, TupleLevels(largest, levels.gamma))
        return replace(
            finding,
            true_for=f"true for d up to {shown(largest)}",
            proofs=(Proof("remains", remains),),
        )

    def work(self) -> int:
        """Estimate the work of a few products of the claim's numbers."""
        return STEP

    @property
    def size(self) -> str:
        """That it is one tuple."""
        return "one tuple"
