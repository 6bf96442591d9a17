"""Publishing a table: SPLU-Gen applied to a table's sensitive columns, and the public facts about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from splu_ref.decoys import PLANS, largest_gamma
from splu_ref.manifest import Manifest
from splu_ref.mechanisms.splu_gen import PlaceOrder, release
from splu_ref.microdata import Microdata
from splu_ref.model import DataError, Exact, Gamma, ParameterError, retention_probability
from splu_ref.randomness import SystemSource, UniformSource


@dataclass(frozen=True)
class Publication:
    """A published table with what may be said of it in public.

    Attributes
    ----------
    table
        The published table, in shuffled order.
    gamma
        Size of the decoy groups.
    retention
        Probability p with which each record kept its own value.
    sensitive
        The sensitive columns, in the order in which they were published.
    plan
        Name of the plan method.
    domains
        The values of each sensitive column, as texts.
    rows_in, suppressed
        Records given, and how many of them were deleted to fill the last group (fewer than gamma).
    max_gamma
        The largest group size that every sensitive column would have allowed. It is computed from true
        counts: for the publisher, not for the public.
    randomness
        Name of the source of random integers.
    """

    table: Microdata
    gamma: Gamma
    retention: Fraction
    sensitive: tuple[str, ...]
    plan: str
    domains: tuple[tuple[str, ...], ...]
    rows_in: int
    suppressed: int
    max_gamma: int
    randomness: str

    def manifest(self) -> Manifest:
        """Return the public facts of the release, for analysts."""
        domains = dict(zip(self.sensitive, self.domains, strict=True))
        return Manifest(self.gamma, self.retention, self.plan, self.table.row_count, domains)


def publish(
    table: Microdata,
    sensitive: str | Sequence[str],
    gamma: Exact,
    source: UniformSource | None = None,
    *,
    plan: str = "mixed",
    retention: Exact | None = None,
    order: PlaceOrder = "random",
    id_column: str | None = None,
) -> Publication:
    """Publish ``table`` by SPLU-Gen (Fu et al. 2014, sections 3.1 and 5.2).

    Parameters
    ----------
    table
        The original table.
    sensitive
        Name of the sensitive column, or of several, each randomized with a plan of its own.
    gamma
        Size of a decoy group, at least 2; no sensitive value may occur more than N / gamma times.
    source
        Where random integers come from; the system's entropy unless given.
    plan
        Name of a plan method: ``"mixed"``, ``"anatomy"`` or ``"cyclic"``.
    retention
        Probability p that a record is published with its own value, an exact number with 0 < p <= 1;
        1 / gamma unless given. Each other value of its group has probability (1 - p) / (gamma - 1).
    order
        ``"smallest-id"`` is for test vectors only.
    id_column
        Column that identifies a record, for keyed randomness.

    Raises
    ------
    DataError
        If a sensitive column is missing, has missing or too few values, or does not allow ``gamma``.
    ParameterError
        If gamma is below 2, retention is out of range, the plan is unknown, or a sensitive column is named
        twice.
    """
    columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError("name at least one sensitive column, and each of them once")
    if plan not in PLANS:
        raise ParameterError(f"plan {plan!r} is unknown: choose one of {', '.join(PLANS)}")
    if id_column in columns:
        raise ParameterError(f"column {id_column!r} is sensitive: it cannot identify the records as well")
    size = Gamma(gamma)
    keeping = retention_probability(retention, size)
    codes = {column: table.codes(column) for column in columns}
    max_gamma = min(_feasible(table, column, size) for column in columns)
    stream = SystemSource() if source is None else source
    done = release(
        codes,
        {column: len(table.domain(column)) for column in columns},
        size,
        _bound(stream, table, id_column),
        plan=PLANS[plan],
        retention=keeping,
        order=order,
    )
    published = table.take(done.rows)
    for column, values in done.published.items():
        published = published.with_codes(column, values, domain_of=table)
    return Publication(
        table=published,
        gamma=size,
        retention=keeping,
        sensitive=columns,
        plan=plan,
        domains=tuple(tuple(str(value) for value in table.domain(column)) for column in columns),
        rows_in=table.row_count,
        suppressed=len(done.suppressed),
        max_gamma=max_gamma,
        randomness=stream.name,
    )


def _feasible(table: Microdata, column: str, gamma: Gamma) -> int:
    domain, histogram = table.domain(column), table.histogram(column)
    feasible = largest_gamma(histogram)
    if gamma > feasible:
        code = int(histogram.argmax())
        remedy = (
            f"the largest feasible gamma is {feasible}"
            if feasible >= 2
            else "no gamma is feasible: group or drop values, or choose another sensitive column"
        )
        raise DataError(
            f"column {column!r} does not allow gamma = {gamma}: the value {str(domain[code])!r} occurs "
            f"{int(histogram[code])} times among {table.row_count} records; {remedy}"
        )
    return feasible


def _bound(stream: UniformSource, table: Microdata, id_column: str | None) -> Callable[[str], UniformSource]:
    @cache
    def identities() -> Sequence[bytes]:
        return table.identities(id_column)

    @cache
    def source_for(column: str) -> UniformSource:
        return stream.for_records(column, identities)

    return source_for
