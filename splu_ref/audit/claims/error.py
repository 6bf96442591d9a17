"""Claims about the error probability at one count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Self

from splu_ref.audit.claims.claim import Common, SpluGenClaim
from splu_ref.audit.claims.fields import Fields, count
from splu_ref.audit.claims.law import COUNTED, INHERITED, published_law
from splu_ref.audit.claims.quotes import ERROR_BOUND, Ledger, is_rounding
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict
from splu_ref.channels import probability, shown
from splu_ref.guarantees import Progress, enclosure_work, error_offset


@dataclass(frozen=True, kw_only=True)
class CountError(SpluGenClaim):
    """The error probability at one count is at least, or at most, ``bound``."""

    kind = "error-at-count"
    required = (*COUNTED, "frequency")
    optional = ("retention", "t_e", "t_p")
    inherited = INHERITED

    frequency: int
    bound: Fraction
    at_least: bool

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the count and its one bound."""
        counted = published_law(fields)
        if ("t_e" in fields) == ("t_p" in fields):
            fields.refuse(
                "t_e" if "t_e" in fields else "id",
                "say either t_e, the error probability at most, or t_p, the error probability at least",
            )
        at_least = "t_p" in fields
        return cls(
            **vars(common),
            **counted,
            bound=fields.number("t_p" if at_least else "t_e", probability),
            frequency=fields.number("frequency", count),
            at_least=at_least,
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the exact error probability at the count, in the form of Definitions 1 and 2."""
        del ledger, progress
        side, key = ("at least", "t_p") if self.at_least else ("at most", "t_e")
        found = self.error_at(self.frequency)
        sign = found.compare(self.bound, key)
        confirmed = sign >= 0 if self.at_least else sign <= 0
        error = found.json("down" if self.at_least else "up")
        return Finding(
            verdict=Verdict.CONFIRMED if confirmed else Verdict.REFUTED,
            stated=(
                f"{self.setting}, the published count of a value with {self.said('frequency')} records is "
                f"off by at least {self.said('epsilon')} of it with probability {side} {self.said(key)}"
            ),
            found=f"the probability is {error['decimal']}",
            numbers={"error": error},
            recompute=self.command("utility", "frequency"),
            instead="" if confirmed else f"a probability of {side} {error['decimal']}",
            proofs=(Proof("decides", partial(self.error_certificate, self.frequency)),),
        )

    def work(self) -> int:
        """Return about the work of enclosing the probability."""
        return enclosure_work(self.law, self.frequency, error_offset(self.epsilon, self.frequency), 256)

    @property
    def size(self) -> str:
        """The count."""
        return f"frequency = {shown(self.frequency)}"

    def repeats(self, ledger: Ledger) -> Iterator[tuple[str, str]]:
        """Recognize the bound of Theorem 3."""
        if self.at_least:
            return
        bound = ledger.printed[ERROR_BOUND](self.law.gamma, self.epsilon, self.frequency)
        if is_rounding(self.written["t_e"], bound):
            yield ERROR_BOUND, "t_e is what the printed formula gives at this count"
