"""Operations that publish by retention replacement, from a tape and with a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from splu_ref.conformance.fields import Fields, number
from splu_ref.conformance.operations.keyed import context_of, octets_of
from splu_ref.mechanisms import ColumnsRelease, RetentionReplacement
from splu_ref.model import Json, ParameterError
from splu_ref.randomness import Draws, IntArray, Key, KeyedSource, TapeSource

REPLACING = ("uniform",)
"""Laws of the replacement that requests may name."""
ORDERS = ("kept", "shuffled")


class _Columns(NamedTuple):
    """The sensitive columns of a request, in its order."""

    mechanism: RetentionReplacement
    codes: dict[str, IntArray]

    @classmethod
    def of(cls, fields: Fields) -> _Columns:
        """Return the columns, and the mechanism with their domains."""
        entries = fields.take("sensitive")
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise ParameterError("sensitive is not a list of objects: give column, domain and cells of each")
        cells: dict[str, list[str]] = {}
        domains: dict[str, list[str]] = {}
        for entry in entries:
            own = Fields(entry)
            column = own.text("column")
            if column in cells:
                raise ParameterError(f"the column {column!r} stands there twice: give each once")
            domains[column], cells[column] = own.texts("domain"), own.texts("cells")
            own.finish()
        retention = fields.exact("retention")
        fields.choice("replacing", REPLACING)
        shuffled = fields.choice("order", ORDERS) == "shuffled"
        mechanism = RetentionReplacement(retention, domains, shuffled=shuffled)
        if len({len(column) for column in cells.values()}) > 1:
            raise ParameterError("the columns differ in length: give one cell per record in each")
        return cls(mechanism, {column: _codes(mechanism, column, cells[column]) for column in cells})

    def publish(self, draws_for: Callable[[str], Draws]) -> ColumnsRelease:
        """Publish the columns."""
        domains = dict(self.mechanism.domains)
        sizes = {column: len(domains[column]) for column in self.codes}
        return self.mechanism.publish_columns(self.codes, sizes, draws_for)

    def told(self, done: ColumnsRelease) -> dict[str, Json]:
        """Return the cells of a release, the record at each row, and what a manifest tells."""
        domains = dict(self.mechanism.domains)
        return {
            "published": [
                [domains[column][code] for code in codes.tolist()] for column, codes in done.published.items()
            ],
            "rows": done.rows.tolist(),
            "facts": [[name, str(value)] for name, value in self.mechanism.facts().items()],
        }


def publish_retention(fields: Fields) -> dict[str, Json]:
    """Answer the release of columns by retention replacement from a tape, and which integers were drawn."""
    columns = _Columns.of(fields)
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    done = columns.publish(lambda _: tape)
    domains, whole = dict(columns.mechanism.domains), columns.mechanism.retention.denominator
    integers = [
        [number(integer) for integer in again.below(whole * len(domains[column]), len(codes)).tolist()]
        for column, codes in columns.codes.items()
    ]
    return {**columns.told(done), "consumed": tape.consumed, "integers": integers}


def publish_retention_keyed(fields: Fields) -> dict[str, Json]:
    """Answer the keyed release of columns by retention replacement."""
    columns = _Columns.of(fields)
    key, identities = Key(fields.octets("key")), octets_of(fields, "identities")
    mechanism = columns.mechanism
    context = context_of(fields, mechanism.name, mechanism.facts(), list(columns.codes))
    fields.finish()
    if any(len(context.records()) != len(codes) for codes in columns.codes.values()):
        raise ParameterError("records and cells differ in length: give the cells of every record")
    source = KeyedSource(key).for_release(context)
    return columns.told(columns.publish(lambda column: source.for_records(column, lambda: identities)))


def _codes(mechanism: RetentionReplacement, column: str, cells: list[str]) -> IntArray:
    domain = dict(mechanism.domains)[column]
    code_of = {value: code for code, value in enumerate(domain)}
    if len(domain) < 2 or len(code_of) < len(domain):
        raise ParameterError(f"the domain of {column!r} must name at least two values, each of them once")
    outside = [cell for cell in cells if cell not in code_of]
    if outside:
        raise ParameterError(f"{column!r} holds {outside[0]!r}, which is not in its domain: add it")
    return np.array([code_of[cell] for cell in cells], dtype=np.int64)
