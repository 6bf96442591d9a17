"""Claims of large-sum utility: from a count on, from the count that a formula gives, and at one count."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar, Self

from splu_ref.audit.claims.claim import Common, SpluGenClaim
from splu_ref.audit.claims.fields import COUNTED, INHERITED, Fields, count, published_law
from splu_ref.audit.claims.quotes import ERROR_BOUND, THRESHOLD, Ledger, is_rounding, printed
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict
from splu_ref.channels import ParameterError, probability, shown
from splu_ref.guarantees import (
    Certificate,
    Noise,
    Progress,
    UtilityThreshold,
    bound_of,
    chebyshev_threshold,
    dependent_draws_certificate,
    dependent_draws_threshold,
    enclosure_work,
    error_offset,
    proof_start,
    scan_work,
    threshold_certificate,
    utility_threshold,
)


@dataclass(frozen=True, kw_only=True)
class ThresholdClaim(SpluGenClaim):
    """Definition 1 from some T_f on: decided by the least T_f that is true."""

    optional: ClassVar[tuple[str, ...]] = ("retention",)
    inherited = INHERITED

    t_e: Fraction

    @abstractmethod
    def corrected(self, finding: Finding, least: int) -> Finding:
        """Return what becomes of the finding where the claim's T_f is below the least one."""

    def against_the_least(
        self, t_f: int, stated: str, numbers: Mapping[str, int], progress: Progress | None
    ) -> Finding:
        """Decide by the least T_f whether ``t_f`` is enough.

        Where that least T_f is out of reach or there is none, a claim that fails at its own T_f is refuted.
        """
        sentence = (
            f"{self.setting}, the published count of every value with {stated} records or more is off by at "
            f"least {self.said('epsilon')} of it with probability at most {self.said('t_e')}"
        )
        try:
            found = utility_threshold(
                self.law.gamma, self.epsilon, self.t_e, retention=self.law.retention, progress=progress
            )
        except ParameterError:
            finding = self._refuted_at(t_f, sentence)
            if finding is None:
                raise
            return finding
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=sentence,
            found=_finding_text(found),
            numbers={
                **numbers,
                "threshold": found.threshold,
                "threshold_chebyshev": found.threshold_chebyshev,
                "tail_from": found.tail_from,
                "checked": found.checked,
            },
            recompute=self.command("utility", "t_e"),
            proofs=(Proof("decides", partial(self._certificate, found)),),
        )
        return finding if found.threshold <= t_f else self.corrected(finding, found.threshold)

    def work(self) -> int:
        """Estimate the work of scanning the counts below those that the tilts prove."""
        return scan_work(self.law, self.epsilon, proof_start(self.law, self.epsilon, self.t_e)[0])

    @property
    def size(self) -> str:
        """The relative error, and how often it is allowed."""
        return f"epsilon = {shown(self.epsilon)} with t_e = {shown(self.t_e)}"

    def _refuted_at(self, t_f: int, stated: str) -> Finding | None:
        """Return the refutation of a claim that fails at its own T_f, or None if that cannot be seen."""
        try:
            found = self.error_at(t_f)
            sign = found.compare(self.t_e, "t_e")
        except ParameterError:
            return None
        if sign <= 0:
            return None
        error = found.json("up")
        return Finding(
            verdict=Verdict.REFUTED,
            stated=stated,
            found=f"at f = {t_f} the probability is {error['decimal']}",
            numbers={"error": error},
            recompute=self.command("utility", more=f"--frequency {t_f}"),
            proofs=(Proof("decides", partial(self.error_certificate, t_f)),),
        )

    def _certificate(self, found: UtilityThreshold) -> Certificate:
        return threshold_certificate(
            self.law.gamma, self.epsilon, self.t_e, retention=self.law.retention, found=found
        )


@dataclass(frozen=True, kw_only=True)
class CountUtility(ThresholdClaim):
    """Definition 1: the published count of every value from t_f on has an error probability up to t_e."""

    kind = "large-sum-utility"
    required = (*COUNTED, "t_e", "t_f")
    optional = ("retention", "draws", "values")

    t_f: int
    values: int | None

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read T_E and T_f."""
        counted = published_law(fields, any_draws=True)
        t_e, t_f = fields.number("t_e", probability), fields.number("t_f", count)
        values = fields.number("values", count) if "values" in fields else None
        if values is not None and counted["draws"].bound is None:
            fields.refuse("values", "the number of values counts for dependent draws: leave it out")
        return cls(**vars(common), **counted, t_e=t_e, t_f=t_f, values=values)

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the least T_f: if it is greater than the claim's, the claim is narrowed to it.

        With dependent draws, by a T_f that holds in every table: if it is greater, the claim is
        narrowed where the error at its own T_f is known, and otherwise not decided.
        """
        del ledger
        if self.draws.bound is not None:
            return self._for_every_table()
        return self.against_the_least(self.t_f, self.said("t_f"), {}, progress)

    def corrected(self, finding: Finding, least: int) -> Finding:
        """Narrow the claim to the least T_f."""
        return replace(finding, verdict=Verdict.NARROWED, true_for=f"true from T_f = {least} on")

    def work(self) -> int:
        """Estimate the work of scanning counts; that of bounds is little."""
        return 0 if self.draws.bound is not None else super().work()

    def _for_every_table(self) -> Finding:
        noise = None if self.values is None else Noise.of(self.draws, self.law.gamma, self.values)
        found = dependent_draws_threshold(self.law.gamma, self.epsilon, self.t_e, self.draws, noise)
        certified = partial(dependent_draws_certificate, found)
        more = "" if self.values is None else f"--values {self.values}"
        least = "the least T_f is" if found.is_least else "a T_f that is shown to hold in every table is"
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=(
                f"{self.setting}, the published count of every value with {self.said('t_f')} records or more "
                f"is off by at least {self.said('epsilon')} of it with probability at most "
                f"{self.said('t_e')}, whatever the table"
            ),
            found=f"{least} {found.threshold}",
            numbers={"threshold": found.threshold},
            recompute=self.command("utility", "t_e", more=more),
            proofs=(Proof("decides", certified),),
        )
        if found.threshold <= self.t_f:
            return finding
        if self.values is None:
            fewer = (
                "the number of values (values = NUMBER) or the table (splu-ref advise) may give a smaller one"
            )
            finding = replace(finding, found=f"{finding.found}; {fewer}")
        narrowed = replace(finding, true_for=f"true from T_f = {found.threshold} on")
        if found.is_least:
            return replace(narrowed, verdict=Verdict.NARROWED)
        known = self.draws.name == "capped" and self.t_f <= bound_of(self.draws)
        if known and self.error_at(self.t_f).compare(self.t_e, "t_e") > 0:
            error = Proof("decides", partial(self.error_certificate, self.t_f))
            return replace(narrowed, verdict=Verdict.NARROWED, proofs=(error, Proof("remains", certified)))
        return replace(
            narrowed,
            verdict=Verdict.NOT_DECIDED,
            proofs=(Proof("remains", certified),),
            without_certificate="between the claim's T_f and this one counts depend on the table",
        )

    def repeats(self, ledger: Ledger) -> Iterator[tuple[str, str]]:
        """Recognize the T_f of Lemma 1, and at T_f the bound of Theorem 3."""
        if not self.t_e or self.draws.bound is not None:
            return
        printed = ledger.printed[THRESHOLD](self.law.gamma, self.epsilon, self.t_e)
        bound = ledger.printed[ERROR_BOUND](self.law.gamma, self.epsilon, self.t_f)
        if self.t_f == printed or (self.t_f == printed - 1 and bound > self.t_e):  # rounded up, or down
            yield THRESHOLD, "t_f is what the printed formula gives"
        elif is_rounding(self.written["t_e"], bound):
            yield ERROR_BOUND, "t_e is what the printed formula gives at t_f"


def _finding_text(found: UtilityThreshold) -> str:
    least = f"the least T_f is {found.threshold}"
    if found.threshold_chebyshev is None:
        return least
    return f"{least}; by Chebyshev's bound it would be {shown(found.threshold_chebyshev)}"


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
                f"{self.setting}, the published count of a value with {self.said('frequency')} "
                f"{'record' if self.frequency == 1 else 'records'} is off by at least "
                f"{self.said('epsilon')} of it with probability {side} {self.said(key)}"
            ),
            found=f"the probability is {error['decimal']}",
            numbers={"error": error},
            recompute=self.command("utility", "frequency"),
            instead="" if confirmed else f"a probability of {side} {error['decimal']}",
            proofs=(Proof("decides", partial(self.error_certificate, self.frequency)),),
        )

    def work(self) -> int:
        """Estimate the work of enclosing the probability."""
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
