"""What the command line does before it publishes a table: recoding, and the search for disclosure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from splu_ref.audit import ALPHA, Leaks, Roles, refuse_disclosure, scan
from splu_ref.channels import ParameterError
from splu_ref.data import (
    OWN_SALT,
    Bins,
    Cross,
    Dropped,
    Hashed,
    Microdata,
    Rare,
    Recoding,
    TableInput,
    Value,
    as_table,
    prepare_table,
    text,
)
from splu_ref.randomness import Key


def recode(
    table: TableInput,
    *,
    bins: Mapping[str, str | float | Decimal] | None = None,
    cross: Mapping[str, Sequence[str]] | None = None,
    group_rare: Mapping[str, int] | None = None,
    hashed: Sequence[str] = (),
    key: Key | None = None,
    linkage: str | None = None,
    domain: Mapping[str, Iterable[Value]] | None = None,
    drop: Sequence[str] = (),
    missing: str | None = None,
) -> Microdata:
    """Return a table as it is to be published, which a mechanism then publishes.

    The manifest of the release records the steps, for estimates and audits. The steps are
    taken in the order of the parameters.

    Parameters
    ----------
    table
        The original: a data frame of pandas, Polars or PyArrow, the path of a file, or a table.
    bins
        By column the width of bins of numbers, a decimal number above 0; or of dates, ``"year"``,
        ``"quarter"`` or ``"month"``.
    cross
        By the name of a new column, the columns whose combinations of values it holds, and which it replaces.
    group_rare
        By column, the number of records below which a value becomes ``other``.
    hashed
        Columns whose values are replaced by hashes under ``key``.
    key
        The secret of the hashes.
    linkage
        A name for releases whose hashes shall agree, so that their records can be linked. By default a value
        has another hash in each release.
    domain
        By column, all values that it may hold, two at least; the manifest then lists these.
    drop
        Columns that are not published.
    missing
        Text that stands for cells without content: see `Microdata.from_frame`.

    Raises
    ------
    DataError
        If the table cannot be read, or a column is not there or cannot be recoded so.
    ParameterError
        If a width, a crossing or a number is none, or values are to be hashed without a key.
    """
    if hashed and key is None:
        raise ParameterError(
            "hashes need a secret key, or anybody could check a guessed value: give one as key"
        )
    steps: list[Recoding] = [
        *(Bins.of(column, str(width)) for column, width in (bins or {}).items()),
        *(Cross.of(column, parts) for column, parts in (cross or {}).items()),
        *(Rare.of(column, least) for column, least in (group_rare or {}).items()),
        *(Hashed(column, None if key is None else key.secret, linkage or OWN_SALT) for column in hashed),
        *map(Dropped, drop),
    ]
    domains = {column: tuple(map(text, values)) for column, values in (domain or {}).items()}
    for column, values in domains.items():
        if len(values) < 2:
            raise ParameterError(f"domain: column {column!r} has {len(values)} values: declare two or more")
    return prepare_table(as_table(table, missing), steps, domains)


def examine(
    table: TableInput,
    sensitive: str | Sequence[str],
    *,
    quasi: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str | None = None,
) -> tuple[Leaks, ...]:
    """Raise if a column identifies records or discloses a sensitive one, as the command ``publish`` does.

    The method ``publish`` of a mechanism does not examine the table: call this before.

    Parameters
    ----------
    table
        The table as it is to be published: see `recode`.
    sensitive
        The sensitive column, or a list of several.
    quasi
        Columns by which records may be identified; they may be unique.
    keep
        Columns to be published whatever they disclose.
    missing
        As for `recode`.

    Returns
    -------
    tuple
        By sensitive column what other columns disclose of it, also what the command only warns of.

    Raises
    ------
    DataError
        If a column identifies records or discloses a sensitive one; the message names all such columns.
    """
    columns = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    found = scan(as_table(table, missing), columns, ALPHA, Roles(tuple(quasi), tuple(keep)))
    refuse_disclosure(found)
    return found
