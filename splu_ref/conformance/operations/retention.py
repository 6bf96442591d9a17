"""Operations that publish by retention replacement, from a tape and with a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from splu_ref.channels import Json, ParameterError
from splu_ref.conformance.operations.keyed import context_of
from splu_ref.conformance.operations.text_columns import declared_columns
from splu_ref.mechanisms import LAWS, ColumnsRelease, RetentionReplacement
from splu_ref.randomness import Draws, IntArray, Key, KeyedSource, TapeSource
from splu_ref.spec.requests import Fields, number

ORDERS = ("kept", "shuffled")
UNITS = ("cell", "record")
"""What one coin decides for."""


class _Columns(NamedTuple):
    """The sensitive columns of a request, in its order."""

    mechanism: RetentionReplacement
    codes: dict[str, IntArray]

    @classmethod
    def of(cls, fields: Fields) -> _Columns:
        """Return the columns, and the mechanism with their domains."""
        retention = fields.exact("retention")
        replacing = fields.choice("replacing", LAWS)
        shuffled = fields.choice("order", ORDERS) == "shuffled"
        compound = fields.has("unit") and fields.choice("unit", UNITS) == "record"
        columns = declared_columns(fields, with_laws=replacing == "given")
        domains = {column.name: column.domain for column in columns}
        codes = {column.name: column.codes(sorted(column.domain)) for column in columns}
        laws = {
            column.name: dict(zip(column.domain, column.law, strict=True))
            for column in columns
            if column.law is not None
        }
        mechanism = RetentionReplacement(
            retention, domains, shuffled=shuffled, replacing=laws or replacing, compound=compound
        )
        return cls(mechanism, codes)

    def bounds(self) -> Iterator[tuple[int, int]]:
        """Yield, for each column, the bound of the integers drawn, and their number."""
        laws, sizes = dict(self.mechanism.laws), {name: len(d) for name, d in self.mechanism.domains}
        for place, (column, own) in enumerate(self.codes.items()):
            weights = len(own) if self.mechanism.replacing == "identity" else sizes[column]
            whole = 1 if self.mechanism.compound and place else self.mechanism.retention.denominator
            yield whole * (laws[column].total if laws else weights), len(own)

    def publish(self, draws_for: Callable[[str], Draws]) -> ColumnsRelease:
        """Publish the columns."""
        domains = dict(self.mechanism.domains)
        sizes = {column: len(domains[column]) for column in self.codes}
        return self.mechanism.publish_columns(self.codes, sizes, draws_for)

    def answer(self, release: ColumnsRelease) -> dict[str, Json]:
        """Return the cells of a release, the record at each row, and the facts of its manifest."""
        domains = dict(self.mechanism.domains)
        return {
            "published": [
                [domains[column][code] for code in codes.tolist()]
                for column, codes in release.published.items()
            ],
            "rows": release.rows.tolist(),
            "facts": [[name, str(value)] for name, value in self.mechanism.facts().items()],
        }


def publish_retention(fields: Fields) -> dict[str, Json]:
    """Answer the release of columns by retention replacement from a tape, and which integers were drawn."""
    columns = _Columns.of(fields)
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    release = columns.publish(lambda _: tape)
    integers = [
        [number(integer) for integer in again.below(bound, size).tolist()] for bound, size in columns.bounds()
    ]
    return {**columns.answer(release), "consumed": tape.consumed, "integers": integers}


def publish_retention_keyed(fields: Fields) -> dict[str, Json]:
    """Answer the keyed release of columns by retention replacement."""
    columns = _Columns.of(fields)
    key, identities = Key(fields.octets("key")), fields.octet_lists("identities")
    mechanism = columns.mechanism
    records = fields.octet_lists("records")
    context = context_of(fields, mechanism.name, mechanism.facts(), list(columns.codes), records)
    fields.finish()
    if any(len(records) != len(codes) for codes in columns.codes.values()):
        raise ParameterError("records and cells differ in length: give the cells of every record")
    source = KeyedSource(key).for_release(context)
    return columns.answer(columns.publish(lambda column: source.for_records(column, lambda: identities)))
