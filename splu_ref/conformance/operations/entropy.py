"""The operation that answers what a release costs each record in entropy."""

from __future__ import annotations

from math import lcm

from splu_ref.channels import Json, LogForm, ParameterError, World, entropy_loss, from_matrix, one_budget
from splu_ref.spec.requests import Fields, written

MOST_TABLES = 256
"""Tables of a world, and values that can be released."""

LARGEST_DENOMINATOR = 10**8
"""Of all probabilities of a table and a released value: below it every number is split into primes."""


def losses(fields: Fields) -> dict[str, Json]:
    """Answer what a release of the tables of a world costs each record, in bits, exactly."""
    tables = [tuple(table) for table in fields.columns("tables")]
    prior = fields.exacts("prior")
    entries = fields.matrix("matrix", MOST_TABLES)
    fields.finish()
    if not len(tables) == len(prior) == len(entries) or len(set(tables)) < len(tables):
        raise ParameterError("give each table once, and for each a probability and a row")
    channel = from_matrix(tables, entries, range(len(entries[0])))
    world = World.explicit(dict(zip(tables, prior, strict=True)))
    chances = zip(prior, entries, strict=True)
    scale = lcm(*((chance * entry).denominator for chance, row in chances for entry in row))
    if scale > LARGEST_DENOMINATOR:
        raise ParameterError(f"the chances have the denominator {scale}: give at most {LARGEST_DENOMINATOR}")
    with one_budget():
        found = entropy_loss(world, channel.laws.__getitem__)
        values = {value.released: value for value in found.values}
        outcomes: list[Json] = [None] * len(channel.outputs)
        for label, value in values.items():
            outcomes[label] = {
                "probability": written(value.probability),
                "losses": _forms(value.records),
                "loss": _form(value.loss),
            }
        return {
            "entropies": _forms(found.entropies),
            "outcomes": outcomes,
            "expected": _form(found.expected),
            "worst": _form(found.worst),
            "mutual_information": {"records": _forms(found.records), "table": _form(found.whole)},
            "min_entropy_leakage": _form(found.leakage),
        }


def _forms(forms: tuple[LogForm, ...]) -> list[Json]:
    return [_form(form) for form in forms]


def _form(form: LogForm) -> dict[str, Json]:
    return {**form.as_texts()}
