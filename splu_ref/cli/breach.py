"""``splu-ref breach``: the largest rise of a belief through a record's published value."""

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
    integer,
    natural_logarithm,
    one_budget,
    probability,
    retention_limit_for,
    swapped_retention,
    worst_prior,
    worst_property,
)
from splu_ref.channels import retention as retention_channel
from splu_ref.cli.certificates import certified
from splu_ref.cli.output import AsJson, Explain, Force, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import Agreement, ReleaseOptions, StatedRelease, domain_text
from splu_ref.data import refuse_existing
from splu_ref.guarantees import Progress, decimal_down, decimal_up

if TYPE_CHECKING:
    from splu_ref.guarantees import Certificate
    from splu_ref.mechanisms import Manifest, Operator, RetentionReplacement

EXAMPLE = "splu-ref breach --retention 1/5 --values 14 --rho1 0.1 --rho2 0.5"

_MOST_VALUES = 1_000
"""Values of a domain that are examined with a prior."""
_MILLION = 10**6


@one_budget()
def run(
    rho1: Annotated[str, typer.Option("--rho1", help="Largest prior belief of an observer.")],
    rho2: Annotated[str, typer.Option("--rho2", help="Posterior that is a breach, above rho1.")],
    retention: Annotated[
        str | None, typer.Option("--retention", help="Probability p of retaining the true value, e.g. 1/5.")
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
        typer.Option("--prior", help="A table whose counts are the prior. Default: every prior."),
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="The sensitive column of --prior, or of --manifest.")
    ] = None,
    missing: Annotated[
        str | None, typer.Option("--missing", help="Value that missing cells of --prior are.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", help="Write a certificate of the breach, or of its absence."),
    ] = None,
    separator: Separator = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Say whether a record's published value can lift a belief from rho1 or less to rho2 or more.

    Values are retained with probability p and otherwise drawn uniformly from the whole domain, the true value
    included, or by the law or matrix of the manifest. Without --prior, every prior and every property of the
    value is considered. With it, the counts of a column are the prior, its values are the domain unless a
    manifest declares it, and the properties are the sets of values with a share of at most rho1. A release by
    swapping has the counts itself; a record retains its value more often than its cell stays in place, and
    knowledge of other records is not considered. Exit code 0: no breach, 1: there is one. The answer is for
    one column of one release, and for independent records.
    """
    levels = Levels.of(rho1, rho2)
    observed: bool | None = None
    if certificate is not None:
        refuse_existing(certificate, force=force)
    if manifest is not None:
        if values is not None:
            raise ParameterError("--manifest states the domain: leave out --values")
        release = StatedRelease.open(ReleaseOptions(retention=retention), manifest)
        stated = _read_law(manifest, release, column, prior, certificate)
        facts = release.manifest
        observed = None if facts is None else facts.observed_domain
        missing = _missing(missing, facts, prior)
        if not isinstance(stated, _ReplacementLaw):
            return _breach_of_matrix(stated, levels, prior, missing, as_json=as_json)
        keep, column, domain = stated.mechanism.retention, stated.column, stated.domain
    elif retention is None:
        raise ParameterError("no parameters: give --retention, or the release's --manifest")
    else:
        keep, domain, stated = probability(retention, "--retention"), None, None
        missing = _missing(missing, None, prior)
    counts = None if prior is None else _possible_counts(stated, _counts(prior, column, domain, missing))
    if stated is None:
        _require_domain(column, values, counts)
    if counts is not None:
        size, law = len(counts), _law(stated, counts)
    else:
        size = integer(values or "", "--values", 2) if stated is None else stated.size
        least = Fraction(1, size) if stated is None else stated.least
        # One value against all others: no column of the whole matrix has a larger ratio.
        law = {"a value": least, "another value": 1 - least}
    records = 0 if counts is None or stated is None or not stated.swapped else sum(counts.values())
    channel = retention_channel(swapped_retention(keep, records) if records else keep, law)
    if counts is None:
        rise = (levels.amplification - 1) * law["a value"]
        limit: Fraction | None = rise / (1 + rise)
    else:
        limit = retention_limit_for(counts, law, levels)
        limit = _swapped_limit(limit, records) if records and limit is not None else limit
    # A value drawn from the table's counts depends on the table: no ratio of records bounds that.
    local = not observed and (stated is None or stated.mechanism.replacing != "identity")
    with counted("searching priors"):
        found = _worst_breach(channel, counts, levels, local=local)
    lines = _lines(levels, found, prior=counts is not None)
    lines.insert(1, ("safe retention", _allowed(limit, rounded=bool(records))))
    if stated is not None and stated.mechanism.replacing != "identity":
        lines.append(("domain", domain_text(observed)))
    result = _result(levels, found, size, keep, limit)
    positive = None if counts is None else [count for count in counts.values() if count]
    with certified(certificate, partial(_certificate, keep, size, levels, positive), lines, force=force):
        show(result, lines, as_json=as_json)
    return 0 if found.holds else 1


def _missing(given: str | None, manifest: Manifest | None, prior: Path | None) -> str | None:
    """Return the text for missing cells of the prior: that of the manifest, or else the given one."""
    if given is not None and prior is None:
        raise ParameterError("--missing is about --prior: add the table, or leave it out")
    if manifest is None or manifest.missing is None:
        return given
    Agreement("manifest")("missing", given, manifest.missing)
    return manifest.missing


def _require_domain(column: str | None, values: str | None, counts: dict[str, int] | None) -> None:
    """Raise unless exactly one option gives the domain."""
    if counts is None and column is not None:
        raise ParameterError("--column names a column of --prior: add the table, or leave it out")
    if (values is None) == (counts is None):
        raise ParameterError("no domain: give --values 14, or --prior TABLE --column NAME")


def _breach_of_matrix(
    operator: Operator, levels: Levels, prior: Path | None, missing: str | None, *, as_json: bool
) -> int:
    """Answer for a release by a matrix, which has no retention probability."""
    channel = from_matrix(operator.values, operator.rows, operator.values)
    counts = None if prior is None else _counts(prior, operator.column, operator.values, missing)
    with counted("searching priors"):
        found = _worst_breach(channel, counts, levels, local=True)
    lines = _lines(levels, found, prior=counts is not None)
    show(_result(levels, found, len(operator.values), None, None), lines, as_json=as_json)
    return 0 if found.holds else 1


class _BreachSearch(NamedTuple):
    """Amplification and worst breach of a channel, and whether it stays below rho2."""

    ratio: Fraction | None
    worst: Breach[str, str] | None
    epsilon: str | None
    holds: bool


def _worst_breach(
    channel: Channel[str, str], counts: dict[str, int] | None, levels: Levels, *, local: bool
) -> _BreachSearch:
    """Return the worst breach, under every prior or that of ``counts``; ``local`` if the channel is local."""
    ratio = amplification(channel).ratio
    if counts is None:
        worst: Breach[str, str] | None = worst_prior(channel, levels.rho1)
    else:
        worst = worst_property(channel, counts, levels.rho1)
    epsilon = None if ratio is None or not local else decimal_up(natural_logarithm(ratio))
    return _BreachSearch(ratio, worst, epsilon, worst is None or worst.posterior < levels.rho2)


def _result(
    levels: Levels, found: _BreachSearch, size: int, keep: Fraction | None, limit: Fraction | None
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
class _ReplacementLaw:
    """Retention replacement of one sensitive column, or of all of them if they are replaced together."""

    mechanism: RetentionReplacement
    column: str | None
    domain: tuple[str, ...] | None
    swapped: bool = False
    """Whether the mechanism is swapping, which retains more than replacement from the counts."""

    @property
    def size(self) -> int:
        """Number of values, or of combinations that are replaced together."""
        return prod(len(domain) for _, domain in self._domains())

    @property
    def least(self) -> Fraction:
        """The smallest probability of a replacement."""
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


def _possible_counts(stated: _ReplacementLaw | None, counts: dict[str, int]) -> dict[str, int]:
    """Return the counts of the values that can be published."""
    if stated is None or stated.mechanism.replacing != "identity":
        return counts
    return {value: count for value, count in counts.items() if count}


def _law(stated: _ReplacementLaw | None, counts: dict[str, int]) -> dict[str, Fraction]:
    """Return the law of replacements over the values of a prior."""
    if stated is None:
        return dict.fromkeys(counts, Fraction(1, len(counts)))
    if stated.mechanism.replacing == "identity":
        records = sum(counts.values())
        return {value: Fraction(count, records) for value, count in counts.items()}
    law = stated.law()
    return {value: law[value] for value in counts}


def _read_law(
    path: Path, release: StatedRelease, column: str | None, prior: Path | None, certificate: Path | None
) -> _ReplacementLaw | Operator:
    """Return the mechanism of a manifest for one sensitive column, or for all that are replaced together."""
    from splu_ref.mechanisms import (  # noqa: PLC0415 - as below
        Operator,
        PerturbedGeneralization,
        RetentionReplacement,
        SmallDomainRandomization,
        SpluGens,
        Swapping,
    )

    mechanism, swapped = release.mechanism, isinstance(release.mechanism, Swapping)
    if isinstance(mechanism, Operator):
        _require_matrix(path, mechanism, column, certificate)
        return mechanism
    if isinstance(mechanism, Swapping):
        assert release.manifest is not None, "it is read"
        domains = release.manifest.domains
        mechanism = RetentionReplacement(mechanism.retention, domains, replacing="identity")
    if isinstance(mechanism, SmallDomainRandomization):
        size = max(len(domain) for _, domain in mechanism.domains)
        raise DataError(
            f"{path}: a release by {mechanism.name}, whose parts have different retention probabilities: "
            f"give those of one part, such as --retention {mechanism.retention(size)} --values {size}"
        )
    if isinstance(mechanism, PerturbedGeneralization):
        raise DataError(
            f"{path}: a release by {mechanism.name}, where the published value of a record depends on its "
            f"group: compare its amplification, {mechanism.amplification} for an attacker who knows all "
            "others, with that of --retention P --values M"
        )
    if not isinstance(mechanism, RetentionReplacement):
        promised = isinstance(mechanism, SpluGens)
        raise DataError(
            f"{path}: a release by {mechanism.name}: give the manifest of one by "
            f"{RetentionReplacement.name}, {Swapping.name} or {Operator.name}"
            + (", or run splu-ref privacy --manifest for what SPLU-Gen guarantees" if promised else "")
        )
    if certificate is not None and mechanism.replacing != "uniform":
        raise ParameterError("certificates are for uniform replacement only: leave out --certificate")
    domains = dict(mechanism.domains)
    if mechanism.compound:
        if column is not None or prior is not None:
            raise ParameterError(
                f"{path} replaces all sensitive values of a record together: leave out --column and --prior"
            )
        return _ReplacementLaw(mechanism, None, None)
    if column is None and len(domains) == 1:
        [column] = domains
    if column not in domains:
        raise ParameterError(f"{path} has the columns {', '.join(domains)}: name one, --column NAME")
    if mechanism.replacing == "identity" and prior is None:
        raise ParameterError(
            f"{path} replaces values by the counts of the original, which are the prior as well: give them "
            f"by --prior {'PUBLISHED, which has the same counts' if swapped else 'TABLE'}"
        )
    return _ReplacementLaw(mechanism, column, domains[column], swapped)


def _require_matrix(path: Path, operator: Operator, column: str | None, certificate: Path | None) -> None:
    """Raise unless the options apply to a release by a matrix."""
    if certificate is not None:
        raise ParameterError("certificates are for uniform replacement only: leave out --certificate")
    if column not in (None, operator.column):
        raise ParameterError(f"{path} has the column {operator.column} alone: leave out --column")


def _swapped_limit(limit: Fraction, records: int) -> Fraction:
    """Return the largest p, in millionths, for which swapping retains a value less often than ``limit``."""

    def reaches(millionths: int) -> bool:
        return swapped_retention(Fraction(millionths, _MILLION), records) >= limit

    return Fraction(bisect_left(range(1, _MILLION), True, key=reaches), _MILLION)


def _counts(
    path: Path, column: str | None, declared: tuple[str, ...] | None, missing: str | None
) -> dict[str, int]:
    """Return the counts of a column, over the declared domain if there is one, by value or ``missing``."""
    from splu_ref.data import read_table, text  # noqa: PLC0415 - most runs read none

    if column is None:
        raise ParameterError("--prior is a table: name its sensitive column, --column NAME")
    with about(path):
        table = read_table(path, missing)
        if declared is not None:
            table = table.with_domain(column, declared)
        table.codes(column)  # a single value is refused
        domain = table.domain(column)
        if len(domain) > _MOST_VALUES:
            raise DataError(
                f"column {column!r} has {len(domain)} values, and at most {_MOST_VALUES} are examined with a "
                "prior: group them, or replace --prior by --values"
            )
        return dict(zip(map(text, domain), table.histogram(column).tolist(), strict=True))


def _witness(worst: Breach[str, str]) -> dict[str, object]:
    return {
        "secret": list(worst.secret),
        "observed": worst.published,
        "prior": str(worst.prior),
        "posterior": str(worst.posterior),
    }


def _lines(levels: Levels, found: _BreachSearch, *, prior: bool) -> list[tuple[str, str]]:
    whose, worst = "under this prior" if prior else "under any prior", found.worst
    if worst is None:
        breach = f"no breach: every value has a share above {levels.rho1}, so no property needs protection"
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
