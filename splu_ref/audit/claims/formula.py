"""Claims of large-sum utility from the count on that a formula gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from splu_ref.audit.claims.claim import Common
from splu_ref.audit.claims.fields import Fields
from splu_ref.audit.claims.law import COUNTED, published_law
from splu_ref.audit.claims.quotes import THRESHOLD, Ledger, printed
from splu_ref.audit.claims.utility import ThresholdClaim
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.channels import probability, shown
from splu_ref.guarantees import Progress, chebyshev_threshold


@dataclass(frozen=True, kw_only=True)
class ThresholdFormula(ThresholdClaim):
    """Definition 1 with the t_f that a formula gives."""

    kind = "threshold-formula"
    required = (*COUNTED, "t_e", "formula")

    formula: str

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read T_E and the name of the formula."""
        counted = published_law(fields)
        t_e = fields.number("t_e", probability)
        if t_e == 0:
            fields.refuse("t_e", "t_e is 0, at which no formula gives a count: write a number greater than 0")
        return cls(
            **vars(common),
            **counted,
            t_e=t_e,
            formula=fields.choice("formula", ("chebyshev", "printed")),
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide whether the T_f that the formula gives for gamma, epsilon and t_e is enough.

        A formula is one number, so there is nothing to narrow: it is confirmed at these parameters, or
        refuted.
        """
        formula: Callable[..., int] = partial(chebyshev_threshold, retention=self.law.retention)
        if self.formula == "printed":
            formula = printed(ledger, THRESHOLD, "formula")
        t_f = formula(self.law.gamma, self.epsilon, self.t_e)
        finding = self.against_the_least(t_f, shown(t_f), {"formula": t_f}, progress)
        return replace(finding, stated=f"{finding.stated} (T_f by the formula {self.formula})")

    def corrected(self, finding: Finding, least: int) -> Finding:
        """Refute the formula."""
        return replace(finding, verdict=Verdict.REFUTED, instead=f"T_f = {least}, the least that is true")

    def repeats(self, ledger: Ledger) -> Iterator[tuple[str, str]]:
        """Recognize the formula of Lemma 1."""
        del ledger
        if self.formula == "printed":
            yield THRESHOLD, "the formula is the printed one"
