"""What a release promises and what not, in a sentence for the public."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from splu_ref.audit.advice.assessment import Assessment, assess
from splu_ref.audit.advice.verdict import WEAK
from splu_ref.channels import natural_logarithm
from splu_ref.data import Cross, Recoding
from splu_ref.guarantees import TupleChances, decimal_up
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Mechanism,
    Operator,
    PerturbedGeneralization,
    PublishedTable,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGens,
    Swapping,
)

EXACT = "published counts of sensitive values are those of the table: small counts are not protected"
"""What is true of counts that a mechanism publishes unchanged."""


def release_statement(release: PublishedTable) -> str:
    """Return what a release promises and what not: see `public_statement` and `mechanism_statement`.

    Raises
    ------
    ParameterError
        If the promises of SPLU-Gen would take too long to compute.
    """
    mechanism = release.mechanism
    stated = release if release.attached_manifest is None else release.attached_manifest
    if isinstance(mechanism, SpluGens):
        return public_statement(
            {
                column: assess(
                    mechanism.for_column(column).record_law,
                    [(value, 1) for value in values],  # the sentence does not depend on counts
                    draws=mechanism.draws,
                )
                for column, values in release.domains.items()
            },
            crossed_parts(stated.recoded),
        )
    ratio = None if stated.observed_domain else amplification_of(mechanism)
    return mechanism_statement(mechanism, release.domains, ratio)


def crossed_parts(steps: Iterable[Recoding]) -> dict[str, tuple[str, ...]]:
    """Return the columns of which each crossing was made, by its name."""
    return {step.column: step.parts for step in steps if isinstance(step, Cross)}


def public_statement(assessments: Mapping[str, Assessment], parts: Mapping[str, Sequence[str]]) -> str:
    """Return what a release by SPLU-Gen promises and what not, for the public.

    ``parts`` are the columns of which a crossing was made, by its name. The sentence depends on the
    parameters alone: whether a value is rare is not for the public. Columns of one law share their promise.
    """
    columns: dict[tuple[Fraction, str], list[str]] = {}
    for column, each in assessments.items():
        columns.setdefault((each.law.retention, each.count_promise), []).append(column)
    promises = []
    for (retention, counts), names in columns.items():
        cells = [f"each published {name}" for name in names]
        crossed = "".join(
            f"; each of its parts {' and '.join(parts[name])} is true at least as often"
            for name in names
            if name in parts
        )
        of = f" of {' and '.join(names)}" if len(columns) > 1 else ""
        cell = f"{' and '.join(cells)} is the true one with probability {retention}{crossed}"
        promises.append(f"{cell}; a published count{of} {counts}")
    others = "other counts and for columns together" if len(assessments) > 1 else "other counts"
    return (
        f"{'; '.join(promises)}; nothing is promised for {others}, nor about who is in the table and its "
        "other columns"
    )


def mechanism_statement(
    mechanism: Mechanism[object], domains: Mapping[str, Sequence[str]], ratio: Fraction | None
) -> str:
    """Return what a release by another mechanism promises: for cells, for a record or tuple, and for counts.

    ``ratio`` is the exponential of epsilon, None without a bound.
    """
    exact = isinstance(mechanism, Swapping | Anatomy)
    who = "" if isinstance(mechanism, AlphaBeta) else ", nor about who is in the table"
    counts = EXACT if exact else f"nothing is promised for counts{who}"
    return "; ".join([*_cells(mechanism, domains), _privacy(mechanism, ratio), counts])


def amplification_of(mechanism: Mechanism[object]) -> Fraction | None:
    """Return the exponential of a mechanism's epsilon for declared domains, None without a bound."""
    if isinstance(
        mechanism, RetentionReplacement | Operator | SmallDomainRandomization | PerturbedGeneralization
    ):
        return mechanism.amplification
    if isinstance(mechanism, AlphaBeta):
        return TupleChances(mechanism.alpha, mechanism.beta).amplification
    return None


def _cells(mechanism: Mechanism[object], domains: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield how often a published cell is the true one, where that does not depend on the table."""
    if amplification_of(mechanism) is None:
        return
    for column, domain in domains.items():
        chances: list[Fraction] = []
        if isinstance(mechanism, Operator):
            chances = [row[place] for place, row in enumerate(mechanism.rows)]
        elif isinstance(mechanism, RetentionReplacement):
            laws, p = dict(mechanism.laws), mechanism.retention
            shares = laws[column].shares if laws else [Fraction(1, len(domain))]
            chances = [p + (1 - p) * share for share in shares]
        if chances:
            known = " to ".join(map(str, sorted({min(chances), max(chances)})))
            yield f"each record shows its true {column} with probability {known}"


def _privacy(mechanism: Mechanism[object], ratio: Fraction | None) -> str:
    """Return what a release promises for a record or tuple, for the public."""
    tuples = isinstance(mechanism, AlphaBeta)
    if ratio is None:
        whose = "tuple" if tuples else "record"
        return f"what the release discloses about a {whose} has no bound, since {unbounded(mechanism)[1]}"
    change = "one tuple more or less" if tuples else "another true value of one record"
    values = f"{against(mechanism)}," if against(mechanism) else ""
    weak = ", which hardly protects it" if ratio > WEAK else ""
    return (
        f"{change}{values} makes any release at most {decimal_up(ratio, 4)} times as probable (epsilon <= "
        f"{decimal_up(natural_logarithm(ratio), 4)}, rounded up){weak}"
    )


def against(mechanism: Mechanism[object]) -> str:
    """Return for which values or attackers the bound of a mechanism holds, where not for all."""
    if isinstance(mechanism, SmallDomainRandomization):
        return ", within the values of its part"
    if isinstance(mechanism, PerturbedGeneralization):
        return ", for an attacker who knows all others or takes them for independent"
    return ""


def unbounded(mechanism: Mechanism[object]) -> tuple[str, str]:
    """Return that a mechanism has no bound for a record or tuple, and why."""
    if isinstance(mechanism, AlphaBeta):
        return "no bound", "beta is 0, alpha + beta is 1, or the domain is that of the table"
    if (
        isinstance(mechanism, RetentionReplacement)
        and mechanism.replacing == "given"
        and not mechanism.amplification
    ):
        return "none", "a value of probability 0 is published only for records that have it"
    if isinstance(mechanism, Anatomy):
        return "none", "each record's true value is among those of its group"
    if isinstance(mechanism, Operator):
        return "none", "a value is published for some true values and never for others"
    return "no bound", "what is published for a record depends on other records"
