"""``splu-ref breach``: how far a record's published value lets a belief rise."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from splu_ref.channels import (
    Breach,
    Channel,
    DataError,
    Levels,
    ParameterError,
    amplification,
    from_matrix,
    natural_logarithm,
    one_budget,
    probability,
    retention_limit_for,
    swapped_retention,
    whole,
    worst_prior,
    worst_property,
)
from splu_ref.channels import retention as retention_channel
from splu_ref.cli.certificates import certified
from splu_ref.cli.output import AsJson, Force, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.data import refuse_existing
from splu_ref.guarantees import Progress, decimal_down, decimal_up

if TYPE_CHECKING:
    from splu_ref.guarantees import Certificate
    from splu_ref.mechanisms import Operator, RetentionReplacement

EXAMPLE = "splu-ref breach --retention 1/5 --values 14 --rho1 0.1 --rho2 0.5"

_MOST_VALUES = 1_000
_MILLION = 10**6
"""Values of a domain whose matrix is written out for one prior."""


@one_budget()
def run(
    rho1: Annotated[str, typer.Option("--rho1", help="Largest prior of what an observer wants to know.")],
    rho2: Annotated[str, typer.Option("--rho2", help="Posterior that is a breach, above rho1.")],
    retention: Annotated[
        str | None, typer.Option("--retention", help="Probability p of keeping the own value, e.g. 1/5.")
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", help="Of a release by retention replacement, swapping or a matrix."),
    ] = None,
    values: Annotated[
        str | None, typer.Option("--values", help="Values of the domain that replacements are drawn from.")
    ] = None,
    prior: Annotated[
        Path | None,
        typer.Option("--prior", help="A table: its counts are the prior, instead of every prior there is."),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The sensitive column of --prior, or of --manifest.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", help="Write a certificate of the breach, or that there is none."),
    ] = None,
    separator: Separator = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Say whether a record's published value can lift a belief from rho1 or less to rho2 or more.

    For values that are kept with probability p and otherwise drawn uniformly from the whole domain, the own
    value included, or by the law or matrix that the manifest tells. Without --prior, every prior is admitted,
    and every property of the value. With it, the counts of a column are the prior, its values the domain
    unless a manifest declares it, and every set of values with a share of at most rho1 a property. Of a
    release by swapping the published column has the counts; a record keeps its value more often than its cell
    stays, and what else is known of other records is left out. Exit code 0: no breach, 1: there is one. It
    speaks of one column of one release, and of records that are independent of each other.
    """
    levels = Levels.of(rho1, rho2)
    if certificate is not None:
        refuse_existing(certificate, force=force)
    if manifest is not None:
        if retention is not None or values is not None:
            raise ParameterError("--manifest tells retention and domain: leave out --retention and --values")
        told = _told(manifest, column, prior, certificate)
        if not isinstance(told, _Told):
            return _of_matrix(told, levels, prior, as_json=as_json)
        keep, column, domain = told.mechanism.retention, told.column, told.domain
    elif retention is None:
        raise ParameterError("say --retention, or give the release's --manifest")
    else:
        keep, domain, told = probability(retention, "--retention"), None, None
    counts = None if prior is None else _held(told, _counts(prior, column, domain))
    if told is None:
        _require_domain(column, values, counts)
    if counts is not None:
        size, law = len(counts), _law(told, counts)
    else:
        size = whole(values or "", "--values", 2) if told is None else told.size
        least = Fraction(1, size) if told is None else told.least
        # One value against all others: no column of the whole matrix has a larger ratio.
        law = {"a value": least, "another value": 1 - least}
    records = 0 if counts is None or told is None or not told.swapped else sum(counts.values())
    channel = retention_channel(swapped_retention(keep, records) if records else keep, law)
    if counts is None:
        rise = (levels.amplification - 1) * law["a value"]
        limit: Fraction | None = rise / (1 + rise)
    else:
        limit = retention_limit_for(counts, law, levels)
        limit = _swapped_limit(limit, records) if records and limit is not None else limit
    # A value drawn from the table's own counts tells of the table: no ratio of records bounds that.
    local = told is None or told.mechanism.replacing != "identity"
    with counted("searching priors"):
        found = _found(channel, counts, levels, local=local)
    lines = _lines(levels, found, prior=counts is not None)
    lines.insert(1, ("safe retention", _allowed(limit, rounded=bool(records))))
    result = _result(levels, found, size, keep, limit)
    held = None if counts is None else [count for count in counts.values() if count]
    with certified(certificate, partial(_certificate, keep, size, levels, held), lines, force=force):
        show(result, lines, as_json=as_json)
    return 0 if found.holds else 1


def _require_domain(column: str | None, values: str | None, counts: dict[str, int] | None) -> None:
    """Raise unless the options say once what the domain is."""
    if counts is None and column is not None:
        raise ParameterError("--column names a column of --prior: add the table, or leave it out")
    if (values is None) == (counts is None):
        raise ParameterError("say what the domain is: --values 14, or --prior TABLE --column NAME")


def _of_matrix(told: Operator, levels: Levels, prior: Path | None, *, as_json: bool) -> int:
    """Answer for a release by a matrix, which has no retention that could be smaller."""
    channel = from_matrix(told.values, told.rows, told.values)
    counts = None if prior is None else _counts(prior, told.column, told.values)
    with counted("searching priors"):
        found = _found(channel, counts, levels, local=True)
    lines = _lines(levels, found, prior=counts is not None)
    show(_result(levels, found, len(told.values), None, None), lines, as_json=as_json)
    return 0 if found.holds else 1


class _Found(NamedTuple):
    """What a channel lets a belief rise to."""

    ratio: Fraction | None
    worst: Breach[str, str] | None
    epsilon: str | None
    holds: bool


def _found(
    channel: Channel[str, str], counts: dict[str, int] | None, levels: Levels, *, local: bool
) -> _Found:
    """Return the worst breach of a channel, under every prior or under the shares of counts.

    Parameters
    ----------
    channel, counts, levels
        The law of a record, the counts that are its prior if there are any, and the levels.
    local
        Whether the ratio of its chances bounds what a record tells.
    """
    ratio = amplification(channel).ratio
    if counts is None:
        worst: Breach[str, str] | None = worst_prior(channel, levels.rho1)
    else:
        worst = worst_property(channel, counts, levels.rho1)
    epsilon = None if ratio is None or not local else decimal_up(natural_logarithm(ratio))
    return _Found(ratio, worst, epsilon, worst is None or worst.posterior < levels.rho2)


def _result(
    levels: Levels, found: _Found, size: int, keep: Fraction | None, limit: Fraction | None
) -> dict[str, object]:
    return {
        "retention": None if keep is None else str(keep),
        "values": size,
        "rho1": str(levels.rho1),
        "rho2": str(levels.rho2),
        "amplification": None if found.ratio is None else str(found.ratio),
        "allowed": str(levels.amplification),
        "holds": found.holds,
        "witness": None if found.worst is None else _witness(found.worst),
        "largest_retention": None if limit is None else str(limit),
        "epsilon": found.epsilon,
    }


def _certificate(
    keep: Fraction, size: int, levels: Levels, counts: list[int] | None, *, progress: Progress
) -> Certificate:
    from splu_ref.guarantees import breach_certificate  # noqa: PLC0415 - most runs write none

    progress(0, 1)
    return breach_certificate(keep, size, levels, counts)


@dataclass(frozen=True)
class _Told:
    """What a manifest tells of one sensitive column, or of all of them if one coin decides for a record."""

    mechanism: RetentionReplacement
    column: str | None
    domain: tuple[str, ...] | None
    swapped: bool = False
    """Whether it is swapping: a record's law is that of replacements from the counts, which keeps more."""

    @property
    def size(self) -> int:
        """Values that are replaced together."""
        return prod(len(domain) for _, domain in self._domains())

    @property
    def least(self) -> Fraction:
        """The least probability that a replacement has."""
        laws = dict(self.mechanism.laws)
        return prod(
            (laws[name].least if laws else Fraction(1, len(domain)) for name, domain in self._domains()),
            start=Fraction(1),
        )

    def law(self) -> dict[str, Fraction]:
        """Return the probabilities of replacements by value."""
        given = dict(self.mechanism.laws)
        domain = dict(self.mechanism.domains)[self.column or ""]
        shares = given[self.column or ""].shares if given else [Fraction(1, len(domain))] * len(domain)
        return dict(zip(domain, shares, strict=True))

    def _domains(self) -> list[tuple[str, tuple[str, ...]]]:
        return [each for each in self.mechanism.domains if self.column in (None, each[0])]


def _held(told: _Told | None, counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of the values that can be published."""
    if told is None or told.mechanism.replacing != "identity":
        return counts
    return {value: count for value, count in counts.items() if count}


def _law(told: _Told | None, counts: dict[str, int]) -> dict[str, Fraction]:
    """Return the law of replacements over the values of a prior."""
    if told is None:
        return dict.fromkeys(counts, Fraction(1, len(counts)))
    if told.mechanism.replacing == "identity":
        records = sum(counts.values())
        return {value: Fraction(count, records) for value, count in counts.items()}
    law = told.law()
    return {value: law[value] for value in counts}


def _told(path: Path, column: str | None, prior: Path | None, certificate: Path | None) -> _Told | Operator:
    """Return what a manifest tells of one of its sensitive columns, or of a record that has one coin."""
    from splu_ref.mechanisms import (  # noqa: PLC0415 - as below
        Operator,
        PerturbedGeneralization,
        RetentionReplacement,
        SmallDomainRandomization,
        Swapping,
        read_manifest,
    )

    manifest = read_manifest(path)
    mechanism, swapped = manifest.mechanism, isinstance(manifest.mechanism, Swapping)
    if isinstance(mechanism, Operator):
        _require_matrix(path, mechanism, column, certificate)
        return mechanism
    if isinstance(mechanism, Swapping):
        mechanism = RetentionReplacement(mechanism.retention, manifest.domains, replacing="identity")
    if isinstance(mechanism, SmallDomainRandomization):
        size = max(len(domain) for _, domain in mechanism.domains)
        raise DataError(
            f"{path}: a release by {mechanism.name}, whose parts have retentions of their own: ask for "
            f"one of them, such as --retention {mechanism.retention(size)} --values {size}"
        )
    if isinstance(mechanism, PerturbedGeneralization):
        raise DataError(
            f"{path}: a release by {mechanism.name}, where what is published of a record depends on its "
            f"group: compare its amplification, {mechanism.amplification} for who knows all others, with "
            "what --retention P --values M tells to be needed"
        )
    if not isinstance(mechanism, RetentionReplacement):
        raise DataError(
            f"{path}: a release by {mechanism.name}: give the manifest of one by "
            f"{RetentionReplacement.name}, {Swapping.name} or {Operator.name}"
        )
    if certificate is not None and mechanism.replacing != "uniform":
        raise ParameterError("a certificate is of uniform replacement: leave out --certificate")
    domains = dict(mechanism.domains)
    if mechanism.compound:
        if column is not None or prior is not None:
            raise ParameterError(
                f"{path} tells of one coin for a record, whose sensitive values are one value of the product "
                "of their domains: leave out --column and --prior"
            )
        return _Told(mechanism, None, None)
    if column is None and len(domains) == 1:
        [column] = domains
    if column not in domains:
        raise ParameterError(f"{path} tells of the columns {', '.join(domains)}: name one, --column NAME")
    if mechanism.replacing == "identity" and prior is None:
        raise ParameterError(
            f"{path} tells of replacements from the original's own counts, which are the prior as well: give "
            f"them, --prior {'PUBLISHED, which has them' if swapped else 'TABLE'}"
        )
    return _Told(mechanism, column, domains[column], swapped)


def _require_matrix(path: Path, told: Operator, column: str | None, certificate: Path | None) -> None:
    """Raise unless the options can be given with a release by a matrix."""
    if certificate is not None:
        raise ParameterError("a certificate is of uniform replacement: leave out --certificate")
    if column not in (None, told.column):
        raise ParameterError(f"{path} tells of the columns {told.column}: name one, --column NAME")


def _swapped_limit(limit: Fraction, records: int) -> Fraction:
    """Return a p, in millionths, up to which swapping keeps a record with a smaller chance than a limit."""

    def reaches(millionths: int) -> bool:
        return swapped_retention(Fraction(millionths, _MILLION), records) >= limit

    return Fraction(bisect_left(range(1, _MILLION), True, key=reaches), _MILLION)


def _counts(path: Path, column: str | None, declared: tuple[str, ...] | None) -> dict[str, int]:
    """Return the counts of a column by value; with a declared domain, all of it."""
    from splu_ref.data import read_table, text  # noqa: PLC0415 - most runs read none

    if column is None:
        raise ParameterError("--prior is a table: say which column is sensitive, --column NAME")
    with about(path):
        table = read_table(path)
        if declared is not None:
            table = table.with_domain(column, declared)
        table.codes(column)  # a single value is refused
        domain = table.domain(column)
        if len(domain) > _MOST_VALUES:
            raise DataError(
                f"column {column!r} has {len(domain)} values, and at most {_MOST_VALUES} are examined with a "
                "prior: group them, or leave out --prior and say --values"
            )
        return dict(zip(map(text, domain), table.histogram(column).tolist(), strict=True))


def _witness(worst: Breach[str, str]) -> dict[str, object]:
    return {
        "secret": list(worst.secret),
        "observed": worst.published,
        "prior": str(worst.prior),
        "posterior": str(worst.posterior),
    }


def _lines(levels: Levels, found: _Found, *, prior: bool) -> list[tuple[str, str]]:
    whose, worst = "under this prior" if prior else "under any prior", found.worst
    if worst is None:
        breach = f"none: every value has a share above {levels.rho1}, so there is no property to speak of"
    else:
        lifted = f"from {_about(worst.prior)} to {_about(worst.posterior)}"
        secret = " or ".join(worst.secret[:5]) + (" or …" if len(worst.secret) > 5 else "")
        verdict = "a breach" if worst.posterior >= levels.rho2 else "no breach"
        breach = f"{verdict} {whose}: seeing {worst.published} lifts “{secret}” {lifted} at most"
    local = "none" if found.epsilon is None else f"e^epsilon is the amplification: epsilon <= {found.epsilon}"
    return [
        (f"({levels.rho1}, {levels.rho2})", breach),
        (
            "amplification",
            f"{found.ratio or 'infinite'}; a breach under some prior needs {levels.amplification}",
        ),
        ("local privacy", local),
    ]


def _allowed(limit: Fraction | None, *, rounded: bool) -> str:
    if limit is None:
        return "every retention below 1"
    if rounded:
        return f"up to {decimal_down(limit, 6)}, in millionths and rounded down"
    return f"below {limit} (about {decimal_down(limit, 4)}); at it there is a breach"


def _about(share: Fraction) -> str:
    return str(share) if share.denominator < 1000 else f"about {decimal_up(share, 4)}"
