"""Operations on channels: their bounds, entropy, and publication by retention, swapping or a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import lcm
from typing import NamedTuple

import numpy as np

from splu_ref.channels import (
    Channel,
    DependentRowsError,
    Json,
    Levels,
    LogForm,
    ParameterError,
    World,
    amplification,
    entropy_loss,
    from_matrix,
    inverse,
    one_budget,
    worst_prior,
    worst_property,
)
from splu_ref.conformance.operations.keyed import context_of
from splu_ref.conformance.operations.publishing import codes_of
from splu_ref.conformance.operations.text_columns import declared_columns
from splu_ref.mechanisms import LAWS, ColumnsRelease, Operator, RetentionReplacement, Swapping
from splu_ref.randomness import Draws, IntArray, Key, KeyedSource, TapeSource
from splu_ref.spec.requests import Fields, number, written

MOST_STATES = 32
"""Rows and columns of a matrix that one request may have."""

MOST_RECORDS = 1_000
"""Records that the counts of a prior may add up to."""


def channel_inverse(fields: Fields) -> dict[str, Json]:
    """Answer the inverse of a square channel, or which of its rows depend on one another."""
    channel = channel_of(fields)
    fields.finish()
    try:
        found = inverse(channel)
    except DependentRowsError as error:
        combination = [error.combination.get(row, 0) for row in channel.inputs]
        sign = next(entry for entry in reversed(combination) if entry)
        return {
            "inverse": None,
            "dependent": [number(entry if sign > 0 else -entry) for entry in combination],
        }
    return {
        "inverse": [
            [written(found.weights[label].get(state, 0)) for state in channel.inputs]
            for label in channel.outputs
        ],
        "dependent": None,
    }


def channel_amplification(fields: Fields) -> dict[str, Json]:
    """Answer the largest ratio of two entries of one column, null if it is infinite."""
    channel = channel_of(fields)
    fields.finish()
    found = amplification(channel)
    return {
        "amplification": None if found.ratio is None else written(found.ratio),
        "published": found.published,
        "more": found.more,
        "less": found.less,
    }


def breach_profile(fields: Fields) -> dict[str, Json]:
    """Answer the largest posterior of a property of a prior of at most rho1, and whether it is rho2."""
    channel, levels = channel_of(fields), Levels.of(fields.exact("rho1"), fields.exact("rho2"))
    counts = fields.integers("counts", 0) if fields.has("counts") else None
    fields.finish()
    if counts is None:
        posterior = worst_prior(channel, levels.rho1).posterior
        return {"posterior": written(posterior), "breach": posterior >= levels.rho2}
    if len(counts) != len(channel.inputs) or not 1 <= sum(counts) <= MOST_RECORDS:
        raise ParameterError(
            f"counts is no histogram of the rows, of 1 to {MOST_RECORDS} records: give a count for each row"
        )
    with one_budget():
        worst = worst_property(channel, dict(enumerate(counts)), levels.rho1)
    if worst is None:
        return {"posterior": None, "breach": False}
    return {
        "posterior": written(worst.posterior),
        "breach": worst.posterior >= levels.rho2,
        "prior": written(worst.prior),
        "published": worst.published,
    }


def channel_of(fields: Fields) -> Channel[int, int]:
    """Return the channel of a request: states are numbered from 0."""
    entries = fields.matrix("matrix", MOST_STATES)
    return from_matrix(range(len(entries)), entries, range(len(entries[0])))


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


def publish_operator(fields: Fields) -> dict[str, Json]:
    """Answer the release of a column by a matrix from a tape, and which integers were drawn."""
    codes, matrix = codes_of(fields.integers("sensitive", 0)), fields.matrix("matrix", MOST_STATES)
    shuffled = fields.choice("order", ORDERS) == "shuffled"
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    values = [f"{code:02}" for code in range(len(matrix))]
    mechanism = Operator("sensitive", values, matrix, shuffled=shuffled)
    sizes = {"sensitive": max(len(values), int(codes.max(initial=0)) + 1)}
    done = mechanism.publish_columns({"sensitive": codes}, sizes, lambda _: tape)
    integers = np.zeros(len(codes), dtype=object)
    for code, bound in enumerate(mechanism.bounds):
        records = np.flatnonzero(codes == code)
        integers[records] = again.below(bound, len(records)).tolist()
    return {
        "published": done.published["sensitive"].tolist(),
        "consumed": tape.consumed,
        "rows": done.rows.tolist(),
        "integers": [number(integer) for integer in integers.tolist()],
    }


def publish_swap(fields: Fields) -> dict[str, Json]:
    """Answer the release of columns by swapping from a tape, and which cells moved where."""
    columns, mechanism = fields.columns("sensitive"), Swapping(fields.exact("retention"))
    content = fields.octets("tape")
    tape, again = TapeSource(content), TapeSource(content)
    fields.finish()
    codes = {str(number): codes_of(column) for number, column in enumerate(columns)}
    done = mechanism.publish_columns(codes, {}, lambda _: tape)
    orders, places = [], []
    for own in codes.values():
        coins = again.below(mechanism.retention.denominator, len(own))
        released = np.flatnonzero(coins >= mechanism.retention.numerator)
        orders.append(released[again.permutation(len(released))].tolist())
        places.append(released[again.permutation(len(released))].tolist())
    return {
        "published": [done.published[name].tolist() for name in codes],
        "consumed": tape.consumed,
        "cells": orders,
        "places": places,
    }


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
