"""The operation that publishes by the alpha-beta algorithm, from a tape."""

from __future__ import annotations

from splu_ref.conformance.fields import Fields, number
from splu_ref.conformance.operations.columns import declared_columns
from splu_ref.mechanisms import AlphaBeta
from splu_ref.model import Json, ParameterError
from splu_ref.randomness import TapeSource


def publish_alpha_beta(fields: Fields) -> dict[str, Json]:
    """Answer the tuples that the alpha-beta algorithm publishes from a tape, and their numbers."""
    columns = {column.name: column for column in declared_columns(fields)}
    domains = {name: column.domain for name, column in columns.items()}
    mechanism = AlphaBeta(fields.exact("alpha"), fields.exact("beta"), domains)
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    codes = [columns[name].codes(domain) for name, domain in mechanism.domains]
    if not len(codes[0]):
        raise ParameterError("there is no tuple: give at least one")
    members, _ = mechanism.members(mechanism.numbers(codes))
    numbers = mechanism.publish_tuples(members, mechanism.size, tape).tolist()
    return {
        "columns": [name for name, _ in mechanism.domains],
        "published": [_cells(each, mechanism) for each in numbers],
        "consumed": tape.consumed,
        "members": [number(each) for each in members.tolist()],
        "numbers": [number(each) for each in numbers],
    }


def _cells(numbered: int, mechanism: AlphaBeta) -> list[str]:
    """Return the values of the tuple with a number."""
    cells = []
    for _, domain in reversed(mechanism.domains):
        numbered, code = divmod(numbered, len(domain))
        cells.append(domain[code])
    return cells[::-1]
