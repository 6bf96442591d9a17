"""Operations on a tape: integers, coins, orders, subsets."""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Json, ParameterError
from splu_ref.randomness import SeededSource, TapeSource
from splu_ref.spec.requests import Fields, number

MOST_ITEMS = 1_000_000
"""Integers or items that one request may ask for."""

MOST_MEMBERS = 10_000
"""Members of a subset that one request may ask for: the time grows with their square."""


def below(fields: Fields) -> dict[str, Json]:
    """Answer ``size`` integers below ``bound``."""
    bound, size = fields.integer("bound", 1), fields.integer("size", 0, MOST_ITEMS)
    tape = _tape(fields)
    drawn = [tape.integer_below(bound) for _ in range(size)]
    return {"result": [number(value) for value in drawn], "consumed": tape.consumed}


def coins(fields: Fields) -> dict[str, Json]:
    """Answer ``size`` fair coins as 0 and 1."""
    size, tape = fields.integer("size", 0, MOST_ITEMS), _tape(fields)
    return {"result": tape.coins(size).astype(int).tolist(), "consumed": tape.consumed}


def permutation(fields: Fields) -> dict[str, Json]:
    """Answer the uniform order of ``size`` items."""
    size, tape = fields.integer("size", 0, MOST_ITEMS), _tape(fields)
    return {"result": tape.permutation(size).tolist(), "consumed": tape.consumed}


def order_within(fields: Fields) -> dict[str, Json]:
    """Answer the records by code, in a uniform order within each."""
    codes, tape = fields.integers("codes", 0), _tape(fields)
    order = tape.order_within(np.array(codes, dtype=np.int64))
    return {"result": order.tolist(), "consumed": tape.consumed}


def subset(fields: Fields) -> dict[str, Json]:
    """Answer a uniform subset of ``count`` of the numbers below ``population``."""
    population, count = fields.integer("population", 0), fields.integer("count", 0)
    tape = _tape(fields)
    if MOST_MEMBERS < count <= population:
        raise ParameterError(f"count is {count}: ask for at most {MOST_MEMBERS} members at once")
    members = tape.subset(population, count).tolist()
    return {"result": [number(member) for member in members], "consumed": tape.consumed}


def seeded(fields: Fields) -> dict[str, Json]:
    """Answer the first bytes of a seeded stream."""
    seed, size = fields.octets("seed"), fields.integer("size", 0, MOST_ITEMS)
    fields.finish()
    return {"bytes": SeededSource(seed).read(size).hex()}


def _tape(fields: Fields) -> TapeSource:
    tape = TapeSource(fields.octets("tape"))
    fields.finish()
    return tape
