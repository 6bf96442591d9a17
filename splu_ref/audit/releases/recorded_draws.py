"""Tests of a release's recorded draws against independent uniform draws."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from operator import mul

import numpy as np

from splu_ref.audit.e_values import EValue, average, counts_point, multinomial_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.replay import ColumnDraws, Replay
from splu_ref.audit.releases.row_order import HALF, far_pairs, near_pairs, rising
from splu_ref.mechanisms import SpluGen, SpluGens, draw_rule
from splu_ref.randomness import IntArray

MOST_BINS = 16
"""Bins of draws that are counted apart; with more, small contexts would be weaker evidence."""
MOST_VALUES = 1000
"""Values of a column that are contexts of their own."""
MODULI = range(2, 17)
BLOCKS = (2, 16, 128)
LAGS = (1, 2, 3)
_PART = 1 << 20


def recorded_evidence(replay: Replay) -> Iterator[Evidence]:
    """Yield the evidence about everything that was drawn, as SPLU-Gen draws it."""
    if not isinstance(replay.mechanism, SpluGens):
        return
    for column in replay.columns:
        yield (_draws_evidence if _by_record(replay) else _groups_evidence)(replay, column)
    yield _orders_evidence(replay)
    if replay.tape:
        yield _bytes_evidence(replay.tape)


def _draws_evidence(replay: Replay, column: str) -> Evidence:
    """Test the draws of step 3 against their law, alone and in every kind of context.

    Given the original, the orders, the draws of other columns and the draws before, each draw has the stated
    law. So the likelihood ratio of a mixture is an e-value in each context, and so is the product over the
    contexts of one kind. The kinds are averaged.
    """
    draws, law = _binned(replay, column)
    kept, coin = (draws == 0).astype(np.int64), [1 - law[0], law[0]]
    place = np.arange(len(draws))
    values = [counts_point(len(draws), int(kept.sum()), law[0]), in_contexts(draws, place * 0, law)]
    values += [in_contexts(kept, contexts, coin) for contexts in _cells_and_draws(replay, column)]
    for order in (place, replay.columns[column].places, _shuffle(replay)):
        values += [in_contexts(kept[order], place % modulus, coin) for modulus in MODULI]
        values.append(in_contexts(kept[order], place % int(_splu_gen(replay, column).gamma), coin))
        values += [in_contexts(kept[order], place * blocks // len(place), coin) for blocks in BLOCKS]
        values += [in_contexts(kept[order][lag:], kept[order][:-lag], coin) for lag in LAGS]
        values.append(in_contexts(draws[order][1:], draws[order][:-1], law))
    detail = (
        f"{int(kept.sum())} of {len(draws)} draws retain the true value; by place in three orders, by the "
        "draws before, by the cells of each column and the draws of the others"
    )

    def power(level: Fraction) -> str:
        return f"true values kept: {rate_power(counts_point, len(draws), law[0], level / len(values))}"

    return Evidence("draws", column, average(values), len(draws), detail, power)


def _groups_evidence(replay: Replay, column: str) -> Evidence:
    """Test the integers that the groups drew against independent and uniform ones.

    As in `_draws_evidence`; the integers belong to slots of groups and not to records, so their contexts are
    their places and the integers before.
    """
    draws, law = _binned(replay, column)
    place = np.arange(len(draws))
    kinds = [place * 0, *(place % modulus for modulus in (*MODULI, int(_splu_gen(replay, column).gamma)))]
    kinds += [place * blocks // len(place) for blocks in BLOCKS]
    values = [in_contexts(draws, contexts, law) for contexts in kinds]
    values += [in_contexts(draws[lag:], draws[:-lag], law) for lag in LAGS if len(draws) > lag]
    first = (draws == 0).astype(np.int64)
    detail = f"{int(first.sum())} of {len(draws)} slots drawn are the first; by place and by those before"

    def power(level: Fraction) -> str:
        return f"first slots drawn: {rate_power(counts_point, len(draws), law[0], level / len(values))}"

    return Evidence("draws", column, average(values), len(draws), detail, power)


def _by_record(replay: Replay) -> bool:
    """Return whether each record draws for itself."""
    return all(_splu_gen(replay, column).draws.bound is None for column in replay.columns)


def _splu_gen(replay: Replay, column: str) -> SpluGen:
    mechanism = replay.mechanism
    assert isinstance(mechanism, SpluGens), "other mechanisms draw otherwise"
    return mechanism.for_column(column)


def _binned(replay: Replay, column: str) -> tuple[IntArray, list[Fraction]]:
    """Return the draws by bins, of which the first holds draw 0 alone, and the bins' probabilities."""
    mechanism = _splu_gen(replay, column)
    gamma, retention = int(mechanism.gamma), mechanism.retention
    rule = draw_rule(mechanism.gamma, retention)
    draws = rule.draw(replay.columns[column].integers)
    others = min(gamma, MOST_BINS) - 1
    bins: IntArray = np.where(draws == 0, 0, 1 + (draws - 1) * others // (gamma - 1))
    sizes = np.bincount(np.arange(gamma - 1) * others // (gamma - 1), minlength=others).tolist()
    return bins, [retention, *(size * (1 - retention) / (gamma - 1) for size in sizes)]


def _cells_and_draws(replay: Replay, column: str) -> Iterator[IntArray]:
    """Yield what the draws of a column must not depend on, by kept record."""
    kept = _first(replay).kept
    for name in replay.original.columns:
        classes = replay.original.categories(name).codes[kept]
        if len(np.unique(classes)) <= MOST_VALUES:
            yield classes
    for other in replay.columns:
        if other != column:
            yield _binned(replay, other)[0]


def _orders_evidence(replay: Replay) -> Evidence:
    """Test the order of the rows, and that of the records within each value, against uniform ones.

    Both are uniform and independent of the draws, so the rule of this module holds for every number that
    belongs to a row: the record's place in the original, its true value and its draw.
    """
    kept, shuffle = _first(replay).kept, _shuffle(replay)
    marks = [shuffle]
    for column in replay.columns:
        marks.append(replay.original.codes(column)[kept][shuffle])
        if _by_record(replay):
            marks.append(_binned(replay, column)[0][shuffle])
    pairs_of = [rising(items, pairs(len(items))) for items in marks for pairs in (near_pairs, far_pairs)]
    for column, drawn in replay.columns.items():
        ends = np.cumsum(np.bincount(replay.original.codes(column)[kept])).tolist()
        for pairs in (near_pairs, far_pairs):
            ranges = [(pairs(end - begin), begin) for begin, end in zip([0, *ends], ends, strict=False)]
            first, second = (
                np.concatenate([begin + found[side] for found, begin in ranges]) for side in (0, 1)
            )
            pairs_of.append(rising(drawn.places, (first, second)))
    value = average([counts_point(compared, risen, HALF) for compared, risen in pairs_of])

    def power(level: Fraction) -> str:
        reached = rate_power(counts_point, pairs_of[0][0], HALF, level / len(pairs_of))
        return f"neighbors in the original's order: {reached}"

    detail = "the rows by place, value and draw; the records of each value"
    return Evidence("orders", None, value, len(kept), detail, power)


def _bytes_evidence(tape: bytes) -> Evidence:
    """Test the bytes against uniform ones: their bits by place and by the bit before, their halves, all.

    How many bytes are read depends on those read before alone, so the mixture's likelihood ratio, which is
    1 on average after every byte, is so after the last as well.
    """
    by_place, after = _byte_counts(tape)
    ones = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)
    bits = np.stack([1 - ones, ones])  # (2, 256, 8): which bytes hold 0 and 1, by bit
    coins = np.einsum("pv,bvi->pib", by_place, bits).reshape(-1, 2)
    repeated = np.einsum("avi,vw,bwi->iab", bits, after, bits).reshape(-1, 2)
    halves = by_place.sum(axis=0).reshape(16, 16)
    crossing = after.reshape(16, 16, 16, 16).sum(axis=(0, 3))
    total = coins.sum(axis=0).tolist()
    values = [
        counts_point(sum(total), total[1], HALF),
        _product(coins, [HALF] * 2),
        _product(repeated, [HALF] * 2),
        *(_product(each, [Fraction(1, 16)] * 16) for each in (halves, crossing)),
        _product(halves.reshape(1, -1), [Fraction(1, 256)] * 256),
    ]

    def power(level: Fraction) -> str:
        first = min(sum(total), _PART)  # more bits are stronger evidence, and the power of all takes seconds
        return f"bits: {rate_power(counts_point, first, HALF, level / len(values))}"

    detail = f"{len(tape)} bytes, alone and by the ones before"
    return Evidence("bytes", None, average(values), len(tape), detail, power)


def _byte_counts(tape: bytes) -> tuple[IntArray, IntArray]:
    """Return the bytes by place modulo 8, shape (8, 256), and the pairs of neighbors, shape (256, 256)."""
    by_place, after = np.zeros(8 * 256, dtype=np.int64), np.zeros(256 * 256, dtype=np.int64)
    for begin in range(0, len(tape), _PART):  # whole arrays of 64-bit numbers would be many times the tape
        part = np.frombuffer(tape[begin : begin + _PART + 1], np.uint8).astype(np.int64)
        own = part[:_PART]
        by_place += np.bincount(np.arange(len(own)) % 8 * 256 + own, minlength=8 * 256)
        after += np.bincount(part[:-1] * 256 + part[1:], minlength=256 * 256)
    return by_place.reshape(8, 256), after.reshape(256, 256)


def in_contexts(items: IntArray, contexts: IntArray, law: list[Fraction]) -> EValue:
    """Return the product over contexts of the e-value that the items in each have a law."""
    names, numbers = np.unique(contexts, return_inverse=True)
    counts = np.bincount(numbers * len(law) + items, minlength=len(names) * len(law))
    return _product(counts.reshape(-1, len(law)), law)


def _product(counts: IntArray, law: list[Fraction]) -> EValue:
    rows, times = (each.tolist() for each in np.unique(counts, axis=0, return_counts=True))
    points = (multinomial_point(row, law).log10 for row in rows)
    return EValue(sum(map(mul, times, points)))


def _first(replay: Replay) -> ColumnDraws:
    return next(iter(replay.columns.values()))


def _shuffle(replay: Replay) -> IntArray:
    return _first(replay).shuffle
