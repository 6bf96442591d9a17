"""Claims about retention replacement: local privacy, breaches, and whether counts can be reconstructed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Self

from splu_ref.audit.claims.claim import KEYED, Claim, Common
from splu_ref.audit.claims.document import RETENTION
from splu_ref.audit.claims.fields import Fields, count, not_negative
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.verdict import Finding, Proof, Verdict, first_failure, releases_text
from splu_ref.channels import (
    STEP,
    Levels,
    ParameterError,
    digits,
    exact,
    integer,
    natural_logarithm,
    probability,
    shown,
    worst_property,
)
from splu_ref.channels import retention as retention_channel
from splu_ref.guarantees import Progress, breach_certificate, decimal_up, exact_json

MOST_RELEASES = 1_000
MOST_VALUES, MOST_COLUMNS = 10**9, 20
MOST_COUNTED = 500
"""Values of a domain whose prior is written out."""
LONGEST_RATIO = 100_000
"""Binary digits of the amplification of all columns and releases."""
NO_CERTIFICATE = (
    "there is no kind of certificate for this: the numbers are ratios, which a few divisions check"
)
SEVERAL_COLUMNS = "certificates of breaches speak of one column: multiply the columns' ratios"
ONE_RECORD = "It speaks of one record, and of records whose values are independent of each other"


@dataclass(frozen=True, kw_only=True)
class RetentionClaim(Claim):
    """A claim about retention replacement with a uniform replacement from the declared domains."""

    mechanism = RETENTION
    retention: Fraction  # probability p of keeping a value, 0 <= p < 1
    values: tuple[int, ...]  # number of values of the domain of each sensitive column

    @property
    def amplification(self) -> Fraction:
        """The largest ratio of the chances of one published record under two true ones."""
        kept = self.retention / (1 - self.retention)
        return prod((1 + kept * size for size in self.values), start=Fraction(1))

    @property
    def setting(self) -> str:
        """What is published, in words."""
        sizes = " and ".join(shown(size) for size in self.values)
        columns = "a domain" if len(self.values) == 1 else f"{len(self.values)} columns with domains"
        return f"with retention {self.said('retention')} and {columns} of {sizes} values"

    def breach_command(self, rho1: str, rho2: str) -> str:
        """Return the command that computes a column's numbers again, for each column."""
        levels = f"--rho1 {rho1} --rho2 {rho2}"
        return "; ".join(
            f"splu-ref breach --retention {self.written['retention']} --values {size} {levels}"
            for size in dict.fromkeys(self.values)
        )

    def work(self) -> int:
        """Estimate the work of a few products of the claim's numbers."""
        return STEP * len(self.values)

    @property
    def size(self) -> str:
        """How many columns it speaks of."""
        return f"{len(self.values)} columns"


@dataclass(frozen=True, kw_only=True)
class LocalEpsilon(RetentionClaim):
    """A record is epsilon-locally private in one release, or in several that are independent."""

    kind = "local-epsilon"
    required = ("retention", "values")
    optional = ("epsilon", "e_epsilon", "releases")
    inherited = ("retention", "values", "releases")

    bound: Fraction
    logarithmic: bool
    releases: int

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the mechanism's numbers, and epsilon or e^epsilon."""
        if ("epsilon" in fields) == ("e_epsilon" in fields):
            fields.refuse(
                "e_epsilon" if "e_epsilon" in fields else "id",
                "say either epsilon or e_epsilon, which is e to the epsilon and can be exact",
            )
        logarithmic = "epsilon" in fields
        retention = fields.number("retention", kept_share)
        values = fields.numbers("values", domain_size, MOST_COLUMNS)
        releases = fields.number("releases", _releases) if "releases" in fields else 1
        if releases * len(values) * (retention.denominator.bit_length() + 30) > LONGEST_RATIO:
            fields.refuse(
                "retention", "with so many releases and columns it has too many digits: write fewer"
            )
        return cls(
            **vars(common),
            retention=retention,
            values=values,
            bound=fields.number(*(("epsilon", not_negative) if logarithmic else ("e_epsilon", _ratio))),
            logarithmic=logarithmic,
            releases=releases,
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the amplification of the channel, and its power for independent releases."""
        del ledger, progress
        ratio = self.amplification**self.releases
        epsilon = decimal_up(natural_logarithm(ratio))
        key = "epsilon" if self.logarithmic else "e_epsilon"
        often = "" if self.releases == 1 else f" in {self.releases} independent releases together"
        name = "epsilon" if self.logarithmic else "e^epsilon"
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=f"{self.setting}, a record{often} is locally private with {name} = {self.said(key)}",
            found=f"e^epsilon is {_about(ratio)}, epsilon <= {epsilon}",
            numbers={"e_epsilon": exact_json(ratio, "up"), "releases": self.releases},
            recompute=self._logarithms,
            without_certificate=NO_CERTIFICATE,
            remarks=self._remarks(),
        )
        if self._within(ratio):
            return finding
        releases = first_failure(lambda times: self._within(self.amplification**times), self.releases - 1)
        return replace(
            finding,
            verdict=Verdict.NARROWED if releases else Verdict.REFUTED,
            true_for="" if not releases else f"true for {releases_text(releases)}",
            instead=f"epsilon = {epsilon}",
        )

    @property
    def _logarithms(self) -> str:
        """A command that computes epsilon again, from the formula of the ratio."""
        kept = " + ".join(f"log1p({size} * p / (1 - p))" for size in self.values)
        product = f"{self.releases} * ({kept})" if self.releases > 1 else kept
        return f'python3 -c "from math import log1p; p = {self.retention}; print({product})"'

    def _within(self, ratio: Fraction) -> bool:
        return _logarithm_at_most(ratio, self.bound) if self.logarithmic else ratio <= self.bound

    def _remarks(self) -> tuple[str, ...]:
        remarks = []
        if len(self.values) > 1:
            remarks.append(
                "Ratios of the columns are multiplied: records that differ in all of them are compared"
            )
        if self.releases > 1:
            remarks.append(KEYED)
        return tuple(remarks)


@dataclass(frozen=True, kw_only=True)
class RhoPrivacy(RetentionClaim):
    """No property of a record rises from a chance of at most rho1 to rho2 or more."""

    kind = "rho-privacy"
    required = ("retention", "values", "rho1", "rho2")
    optional = ("counts",)
    inherited = ("retention", "values")

    levels: Levels
    counts: tuple[int, ...] | None

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the mechanism's numbers and the levels; counts are the prior, which may be any without."""
        values = fields.numbers("values", domain_size, MOST_COLUMNS)
        rho1, rho2 = fields.number("rho1", probability), fields.number("rho2", probability)
        try:
            levels = Levels.of(rho1, rho2)
        except ParameterError as error:
            fields.refuse("rho2", str(error))
        counts = fields.numbers("counts", _count, MOST_COUNTED) if "counts" in fields else None
        if counts is not None and (len(values) > 1 or len(counts) != values[0] or not sum(counts)):
            fields.refuse(
                "counts",
                "counts is not a count for each value of one domain: write that many, not all of them 0",
            )
        return cls(
            **vars(common),
            retention=fields.number("retention", kept_share),
            values=values,
            levels=levels,
            counts=counts,
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by the amplification for every prior, and by the worst property for one."""
        del ledger, progress
        return self._under_any_prior() if self.counts is None else self._under(self.counts)

    def _stated(self, whose: str) -> str:
        return (
            f"{self.setting}, what is published of a record lifts no property from a chance of at most "
            f"{self.said('rho1')} to one of {self.said('rho2')} or more, under {whose}"
        )

    def _proofs(self) -> tuple[Proof, ...]:
        """Return the certificate of a breach, or that there is none; the values that nobody has come last."""
        if len(self.values) > 1:
            return ()
        positive = None if self.counts is None else [each for each in self.counts if each]
        make = partial(breach_certificate, self.retention, self.values[0], self.levels, positive)
        return (Proof("decides", make),)

    def _under_any_prior(self) -> Finding:
        ratio, levels = self.amplification, self.levels
        posterior = ratio * levels.rho1 / (ratio * levels.rho1 + 1 - levels.rho1)
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=self._stated("any prior"),
            found=f"a chance of {self.said('rho1')} rises to {_about(posterior)} at most",
            numbers={"posterior": exact_json(posterior, "up"), "amplification": exact_json(ratio, "up")},
            recompute=self.breach_command(self.written["rho1"], self.written["rho2"]),
            proofs=self._proofs(),
            without_certificate="" if self._proofs() else SEVERAL_COLUMNS,
            remarks=(ONE_RECORD,),
        )
        if ratio < levels.amplification:
            return finding
        # rho1 a (1 - rho2) < rho2 (1 - rho1)
        largest = levels.rho2 / (levels.rho2 + ratio * (1 - levels.rho2))
        witness = (
            f"Two records that differ in every column, with prior chances {_about(levels.rho1)} and "
            f"{_about(1 - levels.rho1)}: seeing the values of the first lifts it to {_about(posterior)}"
        )
        return replace(
            finding,
            verdict=Verdict.NARROWED,
            true_for=f"true for rho1 below {_about(largest)}",
            instead=_above(posterior),
            remarks=(witness, ONE_RECORD),
        )

    def _under(self, counts: tuple[int, ...]) -> Finding:
        size = self.values[0]
        channel = retention_channel(self.retention, dict.fromkeys(range(size), Fraction(1, size)))
        worst = worst_property(channel, dict(enumerate(counts)), self.levels.rho1)
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=self._stated("the prior of the counts"),
            found="every value has a larger chance than rho1, so there is no such property",
            numbers={"posterior": None},
            recompute=(
                f"splu-ref breach --retention {self.written['retention']} --rho1 {self.written['rho1']} "
                f"--rho2 {self.written['rho2']} --prior TABLE --column NAME"
            ),
            proofs=self._proofs(),
            remarks=(ONE_RECORD,),
        )
        if worst is None:
            return finding
        names = ", ".join(str(state + 1) for state in worst.secret)
        property_ = f"value number {names}" if len(worst.secret) == 1 else f"one of the values number {names}"
        finding = replace(
            finding,
            found=(
                f"to be {property_} has a chance of {_about(worst.prior)}, and of "
                f"{_about(worst.posterior)} where value number {worst.published + 1} is seen: no property "
                "rises to more"
            ),
            numbers={"posterior": exact_json(worst.posterior, "up"), "prior": exact_json(worst.prior, "up")},
        )
        if worst.posterior < self.levels.rho2:
            return finding
        return replace(finding, verdict=Verdict.REFUTED, instead=_above(worst.posterior))

    def work(self) -> int:
        """Estimate the work of the search for the worst property: sums of counts, for each value."""
        if self.counts is None:
            return super().work()
        room = int(self.levels.rho1 * sum(self.counts)) + 1
        return len(self.counts) * (2 * STEP * room + len(self.counts) * (STEP + digits(room)))


@dataclass(frozen=True, kw_only=True)
class Reconstructible(RetentionClaim):
    """The release has unbiased estimates of all counts of the original."""

    kind = "reconstructible"
    required = ("retention", "values")
    inherited = ("retention", "values")

    @classmethod
    def read(cls, fields: Fields, common: Common) -> Self:
        """Read the mechanism's numbers."""
        return cls(
            **vars(common),
            retention=fields.number("retention", kept_share),
            values=fields.numbers("values", domain_size, MOST_COLUMNS),
        )

    def decide(self, ledger: Ledger | None, progress: Progress | None) -> Finding:
        """Decide by whether a record's channel has an inverse: its determinant is p^(m-1) in each column."""
        del ledger, progress
        p = self.retention
        finding = Finding(
            verdict=Verdict.CONFIRMED,
            stated=f"{self.setting}, every count of the original has an unbiased estimate from the release",
            found=(
                "the channel of a record has an inverse: of n records of which y are published with one of b "
                "of the m values, (y - n (1-p) b/m)/p is the estimate"
            ),
            numbers={"retention": exact_json(p, "down")},
            recompute="splu-ref estimate PUBLISHED --manifest MANIFEST --where COLUMN=VALUE",
            without_certificate=NO_CERTIFICATE,
            remarks=(
                "How large the error is, it does not say: for k columns the variance grows as 1/p^(2k)",
            ),
        )
        if p:
            return finding
        return replace(
            finding,
            verdict=Verdict.REFUTED,
            found="nothing is kept: every table of as many records is published with the same law",
            instead="that the release discloses nothing about the sensitive values",
            remarks=(),
        )


def _logarithm_at_most(ratio: Fraction, bound: Fraction) -> bool:
    """Return whether ln ratio <= bound; for a rational ratio but 1 and a bound but 0 they differ."""
    if ratio == 1 or not bound:
        return ratio == 1
    bits = 128
    while True:  # the logarithm is not rational
        found = natural_logarithm(ratio, bits)
        if found.upper <= bound or found.lower > bound:
            return found.upper <= bound
        bits *= 2


def kept_share(value: str | int, name: str) -> Fraction:
    """Return a retention probability of retention replacement, for `Fields.number`."""
    p = probability(value, name)
    if p == 1:
        raise ParameterError(f"{name} is 1, which publishes every value as it is: write less than 1")
    return p


def domain_size(value: str | int, name: str) -> int:
    """Return how many values a domain has, for `Fields.number`."""
    found = integer(value, name, 2)
    if found > MOST_VALUES:
        raise ParameterError(f"{name} has {shown(found)} values in a domain: write at most {MOST_VALUES}")
    return found


def _count(value: str | int, name: str) -> int:
    return integer(value, name, 0)


def _releases(value: str | int, name: str) -> int:
    found = count(value, name)
    if found > MOST_RELEASES:
        raise ParameterError(f"{name} is {shown(found)}: write at most {MOST_RELEASES}")
    return found


def _ratio(value: str | int, name: str) -> Fraction:
    found = exact(value, name)
    if found < 1:
        raise ParameterError(f"{name} is below 1, which no ratio of two chances is at most: write 1 or more")
    return found


def _above(posterior: Fraction) -> str:
    """Return what could be promised of a posterior that is reached."""
    return f"any rho2 above {_about(posterior)}: that chance is reached, and reaching rho2 is a breach"


def _about(chance: Fraction) -> str:
    return (
        str(chance) if max(chance.numerator, chance.denominator) < 1000 else f"about {decimal_up(chance, 6)}"
    )
