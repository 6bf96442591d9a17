"""The vectors of bytes, plans and releases, derived independently, without code of the package."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from itertools import chain, count, islice
from math import lcm, prod
from typing import Any

import pytest

from splu_ref.conformance import Vector, VectorFile, vector_files

Request = dict[str, Any]


class EndOfTapeError(Exception):
    pass


class Bits:
    """Choices from a stream of bytes; a key of an item is the sequence of all its draws."""

    def __init__(self, stream: Iterator[int]) -> None:
        self.stream, self.consumed = stream, 0

    def take(self, number: int) -> bytes:
        taken = bytes(islice(self.stream, number))
        if len(taken) < number:
            raise EndOfTapeError
        self.consumed += number
        return taken

    def integer(self, bound: int) -> int:
        if bound == 1:
            return 0
        bits = len(bin(bound - 1)) - 2
        while True:
            number = int.from_bytes(self.take((bits + 7) // 8), "big") % (1 << bits)
            if number < bound:
                return number

    def order(self, codes: list[int]) -> list[int]:
        if len(codes) < 2:
            return list(range(len(codes)))
        keys = [[code, int.from_bytes(self.take(4), "big")] for code in codes]
        while True:
            shared = Counter(map(tuple, keys))
            tied = sorted((key, item) for item, key in enumerate(keys) if shared[tuple(key)] > 1)
            if not tied:
                return sorted(range(len(codes)), key=keys.__getitem__)
            for item in [item for _, item in tied]:
                keys[item] = [*keys[item], int.from_bytes(self.take(4), "big")]

    def subset(self, population: int, size: int) -> list[int]:
        taken: list[int] = []
        for number in range(size):
            place = self.integer(population - number)
            # Of the numbers that can stand at this place among those left, the first that is left.
            near = (k for k in range(place, place + size + 1) if k not in taken)
            taken.append(next(k for k in near if k - sum(other < k for other in taken) == place))
        return sorted(taken)

    def shuffle(self, size: int) -> list[int]:
        return self.order([0] * size)

    def below(self, bound: int, size: int) -> list[int]:
        return [self.integer(bound) for _ in range(size)]

    def kept(self, rows: list[int]) -> Bits:
        return self

    def secret(self) -> Callable[[int], Bits]:
        return lambda _: self

    def groups(self) -> Callable[[int], Bits]:
        return lambda _: self

    def coins(self, size: int) -> list[bool]:
        return [bit == "1" for byte in self.take(-(-size // 8)) for bit in f"{byte:08b}"][:size]


def tape(request: Request) -> Bits:
    return Bits(iter(bytes.fromhex(request["tape"])))


def message(*parts: bytes | int) -> bytes:
    """Return the first part, then numbers in 8 bytes and texts after their lengths."""
    first, *others = parts
    assert isinstance(first, bytes)
    return first + b"".join(
        part.to_bytes(8, "big") if isinstance(part, int) else len(part).to_bytes(8, "big") + part
        for part in others
    )


def _key_of_release(request: Request) -> Request:
    """Return the key of a release, with the digest of the table and the authenticated message."""
    key = bytes.fromhex(request["key"])
    if key[16:] == key[:16] or all((key[i] - key[0] - i * (key[1] - key[0])) % 256 == 0 for i in range(32)):
        raise ValueError

    def texts(values: list[str]) -> list[bytes | int]:
        return [len(values), *(value.encode() for value in values)]

    def optional(name: str) -> bytes:
        return message(b"", request[name].encode()) if name in request else b"\xff" * 8

    facts = [text for fact in request["facts"] for text in fact]
    table = 0
    for record in request["records"]:
        digest = hmac.new(key, b"splu-ref/record/2" + bytes.fromhex(record), hashlib.sha256)
        table = (table + int(digest.hexdigest(), 16)) % 2**256
    whole = message(b"splu-ref/release/2", b"2", request["mechanism"].encode(), len(request["facts"]))
    law = dict(request["facts"]).get("draws", "independent").encode()
    whole += message(b"", *texts(facts)[1:], law, *texts(request["sensitive"]))
    whole += optional("id_column") + optional("missing")
    whole += message(b"", *texts(request["columns"]), len(request["records"])) + table.to_bytes(32, "big")
    return {
        "table": f"{table:064x}",
        "message": whole.hex(),
        "release_key": hmac.new(key, whole, hashlib.sha256).hexdigest(),
    }


class Keyed:
    """Keyed choices of records."""

    def __init__(self, request: Request) -> None:
        self.key = bytes.fromhex(request["release_key"])
        self.column = request["column"].encode()
        self.identities = [bytes.fromhex(text) for text in request["identities"]]

    def digest(self, prefix: bytes, *parts: bytes | int) -> bytes:
        return hmac.new(self.key, message(prefix, *parts), hashlib.sha256).digest()

    def block(self, record: int, number: int) -> bytes:
        return self.digest(b"splu-ref/keyed/2", self.column, self.identities[record], number)

    def sorted(self, codes: list[int], part: slice) -> list[int]:
        blocks = [self.block(record, 0) for record in range(len(codes))]
        return sorted(range(len(codes)), key=lambda k: (codes[k], blocks[k][part], blocks[k], k))

    def order(self, codes: list[int]) -> list[int]:
        return self.sorted(codes, slice(0, 8))

    def shuffle(self, size: int) -> list[int]:
        return self.sorted([0] * size, slice(8, 16))

    def subset(self, population: int, size: int) -> list[int]:
        return sorted(self.shuffle(population)[population - size :])

    def below(self, bound: int, size: int) -> list[int]:
        def stream(record: int) -> Iterator[int]:
            yield from self.block(record, 0)[16:]
            for number in count(1):
                yield from self.block(record, number)

        return [Bits(stream(record)).integer(bound) for record in range(size)]

    def kept(self, rows: list[int]) -> Keyed:
        fewer = object.__new__(Keyed)
        fewer.key, fewer.column = self.key, self.column
        fewer.identities = [self.identities[row] for row in rows]
        return fewer

    def secret(self) -> Callable[[int], Bits]:
        return lambda block: Bits(self.stream(block))

    def groups(self) -> Callable[[int], Bits]:
        return lambda number: Bits(self.stream(number, b"splu-ref/keyed-groups/2"))

    def stream(self, block: int, prefix: bytes = b"splu-ref/keyed-plan/2") -> Iterator[int]:
        secret = self.digest(prefix, self.column, block)
        for part in count():
            yield from hashlib.shake_256(prefix + secret + part.to_bytes(8, "big")).digest(4096)


Source = Bits | Keyed


def as_written(value: int) -> int | str:
    return value if value < 2**53 else str(value)


def blocks_of(
    histogram: list[int],
    gamma: int,
    method: str,
    source: Callable[[int], Bits],
    after: list[list[list[int]]] | None = None,
) -> list[list[list[int]]]:
    total = sum(histogram)
    assert total > 0
    assert total % gamma == 0
    number = total // gamma
    assert max(histogram) <= number
    if method == "anatomy":
        groups = []
        left = Counter(dict(enumerate(histogram)))
        for _ in range(number):
            group = [
                value for _, value in sorted((-records, value) for value, records in left.items())[:gamma]
            ]
            left.subtract(group)
            groups.append(group)
        return [groups]
    records = [value for value, frequency in enumerate(histogram) for _ in range(frequency)]
    groups = [records[first::number] for first in range(number)]
    passes = [] if after is None else after
    if method == "cyclic":
        return [groups]
    blocks = -(-number // 4096)
    return [_mixed(groups[block::blocks], source(block), passes) for block in range(blocks)]


def _mixed(groups: list[list[int]], source: Bits, after: list[list[list[int]]]) -> list[list[int]]:
    size, gamma, passes = len(groups), len(groups[0]), 0
    if size == 1:
        return groups
    while 2**passes <= 64 * size:
        passes += 1
    half = size // 2
    order = source.order([item // size for item in range(passes * size)])
    rotations = [source.integer(gamma) for _ in range(passes * half)]
    coins = source.coins(passes * gamma * half)
    for step in range(passes):
        groups = [list(groups[item % size]) for item in order[step * size :][:size]]
        turned = rotations[step * half :][:half]
        tossed = coins[step * gamma * half :][: gamma * half]
        for q in range(half):
            one, two = groups[q], groups[q + half]
            common = set(one) & set(two)
            mine = [slot for slot, value in enumerate(one) if value not in common]
            theirs = [slot for slot, value in enumerate(two) if value not in common]
            if mine:
                shift = turned[q] % len(mine)
                for slot, facing in zip(mine, theirs[shift:] + theirs[:shift], strict=True):
                    if tossed[slot * half + q]:
                        one[slot], two[facing] = two[facing], one[slot]
        after.append([list(group) for group in groups])
    return groups


def standing(blocks: list[list[list[int]]], own: list[int], order: list[int]) -> dict[int, list[int]]:
    """Return the group of each record, the records being given in an order by value."""
    number = sum(map(len, blocks))
    stands: dict[tuple[int, int], list[list[int]]] = {}
    for block, groups in enumerate(blocks):
        for group in groups:
            for value in group:
                stands.setdefault((block, value), []).append(group)
    return {
        record: stands[entry % number % len(blocks), own[record]].pop(0) for entry, record in enumerate(order)
    }


def dependent_records(
    blocks: list[list[list[int]]], gamma: int, law: str, streams: Callable[[int], Bits]
) -> tuple[list[int], list[int]]:
    """Return the marked slots, and the slot whose value each slot shows."""
    name, bound = law.split(":")
    groups = [group for block in blocks for group in block]
    slots_of: dict[int, list[int]] = {}
    for group in streams(0).order([0] * len(groups)) if name == "capped" else range(len(groups)):
        for slot, value in enumerate(groups[group]):
            slots_of.setdefault(value, []).append(gamma * group + slot)
    if name == "capped":
        marked = {slot for slots in slots_of.values() for slot in slots[: int(bound)]}
    else:
        marked = {slot for slots in slots_of.values() if len(slots) <= int(bound) for slot in slots}
    shown: dict[int, int] = {}
    first = 0
    for number, block in enumerate(blocks):
        stream, here = streams(number + 1), range(first, first + gamma * len(block))
        capped = name == "capped"
        drawn = stream.below(gamma, len(here) if capped else len(block))
        each = gamma if capped else 1
        named = [first + gamma * (item // each) + place for item, place in enumerate(drawn)]
        gets = Counter(
            {slot: times * gamma // each for slot, times in Counter(named).items() if slot in marked}
        )
        shares = stream.order([slot // gamma for slot in here])
        members = stream.order([slot // gamma for slot in here])
        for begin in range(0, len(here), gamma):
            slots = range(first + begin, first + begin + gamma)
            sharing = [first + item for item in shares[begin : begin + gamma] if first + item not in marked]
            turns = [
                sharing[turn % len(sharing)] for turn in range(gamma - sum(gets[slot] for slot in slots))
            ]
            values = sorted([*turns, *(slot for slot in slots for _ in range(gets[slot] * (slot in marked)))])
            shown |= {first + members[begin + place]: slot for place, slot in enumerate(values)}
        first += len(here)
    return sorted(marked), [shown[slot] for slot in range(first)]


def published_column(
    own: list[int], gamma: int, method: str, retention: Fraction, law: str, source: Source
) -> tuple[list[int], Request]:
    histogram = [own.count(value) for value in range(max(own) + 1)]
    blocks = blocks_of(histogram, gamma, method, source.secret())
    order = source.order(own)
    group_of = standing(blocks, own, order)
    if law != "independent":
        marked, shown = dependent_records(blocks, gamma, law, source.groups())
        groups = [group for block in blocks for group in block]
        at = {id(group): gamma * place for place, group in enumerate(groups)}
        slot_of = [
            at[id(group_of[record])] + group_of[record].index(value) for record, value in enumerate(own)
        ]
        values = [value for group in groups for value in group]
        steps = {"groups": groups, "order": order, "marked": marked, "shown": shown}
        return [values[shown[slot]] for slot in slot_of], steps
    # The least common multiple of all denominators is the number of equally likely integers.
    other = (1 - retention) / (gamma - 1)
    equally_likely = lcm(retention.denominator, other.denominator)
    drawn = source.below(equally_likely, len(own))
    published = []
    for record, value in enumerate(own):
        place = drawn[record] - retention * equally_likely
        others = [decoy for decoy in group_of[record] if decoy != value]
        published.append(value if place < 0 else others[int(place / (other * equally_likely))])
    details = {"groups": [group for block in blocks for group in block], "order": order}
    return published, {**details, "integers": list(map(as_written, drawn))}


def released(request: Request, columns: list[list[int]], source: Source) -> Request:
    gamma, method = int(request["gamma"]), request["method"]
    retention = Fraction(request.get("retention", f"1/{gamma}"))
    population = len(columns[0])
    for codes in columns:
        assert population >= gamma * max(Counter(codes).values())
    suppressed = source.subset(population, population % gamma)
    kept = [record for record in range(population) if record not in suppressed]
    columns = [[codes[record] for record in kept] for codes in columns]
    law = request.get("draws", "independent")
    made = [published_column(own, gamma, method, retention, law, source.kept(kept)) for own in columns]
    published = [values for values, _ in made]
    shuffle = source.kept(kept).shuffle(len(kept))
    return {
        "published": [[values[place] for place in shuffle] for values in published],
        "rows": [kept[place] for place in shuffle],
        "suppressed": suppressed,
        "steps": made[0][1],
    }


def _below(request: Request) -> Request:
    source = tape(request)
    drawn = source.below(int(request["bound"]), int(request["size"]))
    return {"result": list(map(as_written, drawn)), "consumed": source.consumed}


def _permutation(request: Request) -> Request:
    source = tape(request)
    return {"result": source.order([0] * int(request["size"])), "consumed": source.consumed}


def _order_within(request: Request) -> Request:
    source = tape(request)
    return {"result": source.order(request["codes"]), "consumed": source.consumed}


def _coins(request: Request) -> Request:
    source = tape(request)
    return {"result": list(map(int, source.coins(int(request["size"])))), "consumed": source.consumed}


def _plan_secret(request: Request) -> Request:
    source = Keyed({**request, "identities": []})
    stream = source.stream(int(request["block"]))
    return {"bytes": bytes(next(stream) for _ in range(int(request["size"]))).hex()}


def _subset(request: Request) -> Request:
    source = tape(request)
    return {
        "result": list(map(as_written, source.subset(int(request["population"]), int(request["count"])))),
        "consumed": source.consumed,
    }


def _keyed(request: Request) -> Request:
    source, size = Keyed(request), len(request["codes"])
    return {
        "order_within": source.order(request["codes"]),
        "permutation": source.shuffle(size),
        "subset": source.subset(size, int(request["remainder"])),
        "below": list(map(as_written, source.below(int(request["bound"]), size))),
    }


def _plan(request: Request) -> Request:
    source, gamma = Bits(iter(bytes.fromhex(request.get("tape", "")))), int(request["gamma"])
    passes: list[list[list[int]]] = []
    blocks = blocks_of(request["histogram"], gamma, request["method"], source.secret(), passes)
    groups = [group for block in blocks for group in block]
    counts = Counter(value for group in groups for value in group)
    assert [counts[value] for value in range(len(request["histogram"]))] == request["histogram"]
    assert all(len(set(group)) == gamma for group in groups)
    details = {"consumed": source.consumed} | ({"passes": passes} if len(blocks) == 1 else {})
    return {"groups": groups} | (details if "tape" in request else {})


def _publish(request: Request) -> Request:
    source = tape(request)
    done = released(request, [request["sensitive"]], source)
    steps = done.pop("steps")
    return {**done, **steps, "published": done["published"][0], "consumed": source.consumed}


def _release(request: Request) -> Request:
    source = tape(request)
    done = released(request, request["sensitive"], source)
    del done["steps"]
    return {**done, "consumed": source.consumed}


def _publish_keyed(request: Request) -> Request:
    gamma = str(request["gamma"])
    facts = [
        ["gamma", gamma],
        ["retention", str(Fraction(request.get("retention", f"1/{gamma}")))],
        ["plan", request["method"]],
    ]
    facts += [["draws", request["draws"]]] if "draws" in request else []
    release = {"mechanism": "SPLU-Gen", "facts": facts, "sensitive": [request["column"]]}
    made = _key_of_release(request | release)
    done = released(request, [request["sensitive"]], Keyed(request | made))
    del done["steps"]
    return {**done, "published": done["published"][0]}


def _two_tables(request: Request) -> Request:
    source, codes, gamma = tape(request), request["sensitive"], int(request["gamma"])
    assert len(codes) >= gamma * max(Counter(codes).values())
    suppressed = source.subset(len(codes), len(codes) % gamma)
    kept = [record for record in range(len(codes)) if record not in suppressed]
    own = [codes[record] for record in kept]
    histogram = [own.count(value) for value in range(max(own) + 1)]
    (groups,) = blocks_of(histogram, gamma, request["method"], source.secret())
    free = [(value, number) for number, group in enumerate(groups) for value in group]
    group_of: dict[int, int] = {}
    for place in source.order(own):
        value, group_of[place] = min(slot for slot in free if slot[0] == own[place])
        free.remove((value, group_of[place]))
    shuffle = source.shuffle(len(own))
    return {
        "rows": [kept[place] for place in shuffle],
        "groups": [group_of[place] for place in shuffle],
        "values": [sorted(group) for group in groups],
        "suppressed": suppressed,
        "consumed": source.consumed,
    }


def _distribution_based(request: Request) -> Request:
    source, codes = tape(request), request["sensitive"]
    drawn = [sorted(codes)[place] for place in source.below(len(codes), len(codes))]
    rows = source.shuffle(len(codes))
    return {"published": [drawn[row] for row in rows], "rows": rows, "consumed": source.consumed}


def _noisy_counts(request: Request) -> Request:
    source, budget = tape(request), request["budget"]

    def trial(x: Fraction) -> bool:
        return next(k for k in count(1) if source.integer(k * x.denominator) >= x.numerator) % 2 == 1

    def geometric() -> int:
        if budget.startswith("ln "):
            ratio = Fraction(budget[3:])
            return next(k for k in count() if source.integer(ratio.numerator) >= ratio.denominator)
        number = Fraction(budget)
        drawn = (source.integer(number.denominator) for _ in count())
        fine = next(e for e in drawn if trial(Fraction(e, number.denominator)))
        coarse = next(k for k in count() if not trial(Fraction(1)))
        # Whole steps of 1/t that fit: the largest g with g s <= e + t c.
        return next(g for g in count() if (g + 1) * number > Fraction(fine, number.denominator) + coarse)

    noisy = []
    for true in request["counts"]:
        up = geometric()
        noisy.append(as_written(true + up - geometric()))
    return {"counts": noisy, "consumed": source.consumed}


def _json_text(text: str) -> str:
    """Return a text in JSON: only quotes, backslashes and control characters are escaped."""
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}
    return '"' + "".join(short.get(c, c if c >= " " else f"\\u{ord(c):04x}") for c in text) + '"'


def _by_code_point(texts: list[str]) -> list[str]:
    return sorted(texts, key=lambda text: text.encode("utf-32-be"))


def _domains_digest(entries: list[Request]) -> str:
    domains = {entry["column"]: _by_code_point(entry["domain"]) for entry in entries}
    pairs = [
        f"[{_json_text(name)},[{','.join(map(_json_text, domains[name]))}]]"
        for name in _by_code_point(list(domains))
    ]
    return hashlib.sha256(f"[{','.join(pairs)}]".encode()).hexdigest()


def _law(entry: Request) -> dict[str, Fraction]:
    """Return the given law of a column, in the order of its values."""
    law = dict(zip(entry["domain"], map(Fraction, entry["law"]), strict=True))
    return {value: law[value] for value in _by_code_point(entry["domain"])}


def _retained_facts(request: Request) -> list[list[str]]:
    facts = {
        "retention": str(Fraction(request["retention"])),
        "replacing": request["replacing"],
        "order": request["order"],
        "domains": _domains_digest(request["sensitive"]),
    }
    if request["replacing"] == "given":
        laws = {entry["column"]: _law(entry) for entry in request["sensitive"]}
        rows = [", ".join(f'"{p}"' for p in laws[name].values()) for name in _by_code_point(list(laws))]
        facts["laws"] = "[" + ", ".join(f"[{row}]" for row in rows) + "]"
    if request.get("unit") == "record":
        facts["unit"] = "record"
    return [list(fact) for fact in facts.items()]


def _urn(request: Request, entry: Request) -> list[str]:
    """Return the smallest list of equally likely values from which a replacement is drawn."""
    values = _by_code_point(entry["domain"])
    if request["replacing"] == "identity":
        return _by_code_point(entry["cells"])
    if request["replacing"] == "uniform":
        return values
    law = _law(entry)
    size = lcm(*(p.denominator for p in law.values()))
    return [value for value in values for _ in range(int(law[value] * size))]


class _LongUrn:
    """The same for laws with too many values to list."""

    def __init__(self, law: dict[str, Fraction]) -> None:
        self.law, self.size = law, lcm(*(p.denominator for p in law.values()))

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> str:
        before = Fraction(0)
        for value, p in self.law.items():
            before += p
            if Fraction(place, self.size) < before:
                return value
        raise IndexError


def _retained(request: Request, source_of: Callable[[str], Source]) -> Request:
    """Return columns by retention replacement: the first u W integers of w W retain the value."""
    p = Fraction(request["retention"])
    columns, integers = [], []
    kept: list[bool] = []
    for entry in request["sensitive"]:
        long = request["replacing"] == "given" and lcm(*(q.denominator for q in _law(entry).values())) > 999
        urn = _LongUrn(_law(entry)) if long else _urn(request, entry)
        once = request.get("unit") == "record"
        bound = len(urn) if once and kept else p.denominator * len(urn)
        drawn = source_of(entry["column"]).below(bound, len(entry["cells"]))
        integers.append(list(map(as_written, drawn)))
        if not (once and kept):
            kept = [Fraction(r, bound) < p for r in drawn]
        triples = zip(entry["cells"], drawn, kept, strict=True)
        columns.append([cell if stays else urn[r - r // len(urn) * len(urn)] for cell, r, stays in triples])
    rows = list(range(len(columns[0])))
    if request["order"] == "shuffled":
        rows = source_of(request["sensitive"][0]["column"]).shuffle(len(rows))
    published = [[column[row] for row in rows] for column in columns]
    return {"published": published, "rows": rows, "facts": _retained_facts(request), "integers": integers}


def _publish_retention(request: Request) -> Request:
    source = tape(request)
    return {**_retained(request, lambda _: source), "consumed": source.consumed}


def _publish_retention_keyed(request: Request) -> Request:
    names = [entry["column"] for entry in request["sensitive"]]
    release = {"mechanism": "retention replacement", "facts": _retained_facts(request), "sensitive": names}
    made = _key_of_release(request | release)
    done = _retained(request, lambda column: Keyed({**request, **made, "column": column}))
    del done["integers"]
    return done


def _publish_swap(request: Request) -> Request:
    source, p = tape(request), Fraction(request["retention"])
    done: Request = {"published": [], "cells": [], "places": []}
    for own in request["sensitive"]:
        stays = [Fraction(r, p.denominator) < p for r in source.below(p.denominator, len(own))]
        released = [record for record, kept in enumerate(stays) if not kept]
        cells = [released[k] for k in source.shuffle(len(released))]
        places = [released[k] for k in source.shuffle(len(released))]
        at = dict(zip(places, cells, strict=True))
        done["published"].append([own[at.get(record, record)] for record in range(len(own))])
        done["cells"].append(cells)
        done["places"].append(places)
    return {**done, "consumed": source.consumed}


def _publish_operator(request: Request) -> Request:
    source, own = tape(request), request["sensitive"]
    rows = [[Fraction(entry) for entry in row] for row in request["matrix"]]
    integers: list[int] = [0] * len(own)
    shown = list(own)
    for record in sorted(range(len(own)), key=lambda record: (own[record], record)):
        row = rows[own[record]]
        w = lcm(*(entry.denominator for entry in row))
        integers[record] = source.integer(w)
        # The first value that has more of the numbers below W, with those before it, than the one drawn.
        shown[record] = next(v for v in range(len(row)) if sum(row[: v + 1]) * w > integers[record])
    order = source.shuffle(len(own)) if request["order"] == "shuffled" else list(range(len(own)))
    return {
        "published": [shown[record] for record in order],
        "consumed": source.consumed,
        "rows": order,
        "integers": list(map(as_written, integers)),
    }


def _publish_pg(request: Request) -> Request:
    source, own = tape(request), request["sensitive"]
    least, m = int(request["least"]), int(request["values"])
    columns = [[sorted(set(column)).index(cell) for cell in column] for column in request["quasi"]]
    groups: list[list[int]] = []

    def cut(rows: list[int]) -> None:
        def width(column: list[int]) -> Fraction:
            here = [column[row] for row in rows]
            return Fraction(max(here) - min(here), max(*column, 1))

        if len(rows) >= 2 * least:
            for column in sorted(columns, key=width, reverse=True):  # which keeps the order of equal ones
                middle = sorted(column[row] for row in rows)[len(rows) // 2]
                for limit in (middle - 1, middle):
                    halves = [
                        [row for row in rows if (column[row] > limit) == upper] for upper in (False, True)
                    ]
                    if min(map(len, halves)) >= least:
                        cut(halves[0])
                        cut(halves[1])
                        return
        groups.append(rows)

    cut(list(range(len(own))))
    of = [next(number for number, rows in enumerate(groups) if row in rows) for row in range(len(own))]
    order = source.order(of)
    rows = [next(row for row in order if of[row] == number) for number in range(len(groups))]
    p = Fraction(request["retention"])
    integers = source.below(p.denominator * m, len(rows))
    return {
        "published": [
            own[row] if drawn < p.numerator * m else drawn % m
            for row, drawn in zip(rows, integers, strict=True)
        ],
        "ranges": [
            [
                [min(column[row] for row in rows), max(column[row] for row in rows)]
                for column in request["quasi"]
            ]
            for rows in groups
        ],
        "sizes": list(map(len, groups)),
        "consumed": source.consumed,
        "groups": of,
        "rows": rows,
        "integers": list(map(as_written, integers)),
    }


def _publish_alpha_beta(request: Request) -> Request:
    source, columns = tape(request), {entry["column"]: entry for entry in request["sensitive"]}
    names = _by_code_point(list(columns))
    domains = [_by_code_point(columns[name]["domain"]) for name in names]
    rows = set(zip(*(columns[name]["cells"] for name in names), strict=True))
    alpha, beta, size = Fraction(request["alpha"]), Fraction(request["beta"]), prod(map(len, domains))

    def numbered(row: tuple[str, ...]) -> int:
        places = (domain.index(cell) for domain, cell in zip(domains, row, strict=True))
        return sum(place * prod(map(len, domains[k + 1 :])) for k, place in enumerate(places))

    def cells(number: int) -> list[str]:
        return [
            domain[number // prod(map(len, domains[k + 1 :])) % len(domain)]
            for k, domain in enumerate(domains)
        ]

    members = sorted(map(numbered, rows))
    if size <= 2**20:
        w = lcm((alpha + beta).denominator, beta.denominator)
        drawn = (Fraction(source.integer(w), w) for _ in range(size))
        chosen = [number for number, u in enumerate(drawn) if u < beta + alpha * (number in members)]
    else:
        own = alpha + beta
        chosen = [
            number for number in members if Fraction(source.integer(own.denominator), own.denominator) < own
        ]
        fakes: list[int] = []
        count = _binomial(size - len(members), beta, source)
        for j in range(size - len(members) - count, size - len(members)):
            place = source.integer(j + 1)
            fakes.append(j if place in fakes else place)
        # The number with so many others before it.
        chosen += [
            next(
                k
                for k in range(rank, rank + len(members) + 1)
                if k not in members and k - sum(m < k for m in members) == rank
            )
            for rank in sorted(fakes)
        ]
    numbers = [chosen[k] for k in source.shuffle(len(chosen))]
    return {
        "columns": names,
        "published": [cells(number) for number in numbers],
        "members": list(map(as_written, members)),
        "numbers": list(map(as_written, numbers)),
        "consumed": source.consumed,
    }


def _binomial(trials: int, chance: Fraction, source: Bits) -> int:
    """Return a binomial number from the digits of a uniform one, in decimals of 150 digits."""
    if not chance:
        return 0
    exact = Context(prec=150)
    base = chance.denominator
    block = max(c for c in range(1, 65) if c == 1 or base**c <= 2**64)
    place = digits = 0
    odds = exact.divide(chance.numerator, base - chance.numerator)
    none = exact.power(exact.divide(base - chance.numerator, base), trials)
    while True:
        place, digits = place * base**block + source.integer(base**block), digits + block
        low, high = (exact.divide(Decimal(end), Decimal(base**digits)) for end in (place, place + 1))
        below, mass = Decimal(0), none
        for k in count():
            upto = exact.add(below, mass)
            if low < upto:
                break
            mass = exact.divide(
                exact.multiply(exact.multiply(mass, Decimal(trials - k)), odds), Decimal(k + 1)
            )
            below = upto
        assert min(abs(end - edge) for end in (low, high) for edge in (below, upto) if edge) > Decimal(
            "1e-100"
        )
        if high <= upto:
            return k


DERIVED: dict[str, Callable[[Request], Request]] = {
    "publish_swap": _publish_swap,
    "publish_alpha_beta": _publish_alpha_beta,
    "publish_operator": _publish_operator,
    "publish_pg": _publish_pg,
    "below": _below,
    "coins": _coins,
    "plan_secret": _plan_secret,
    "permutation": _permutation,
    "order_within": _order_within,
    "subset": _subset,
    "release_key": _key_of_release,
    "keyed": _keyed,
    "plan": _plan,
    "publish": _publish,
    "release": _release,
    "publish_keyed": _publish_keyed,
    "publish_two_tables": _two_tables,
    "publish_distribution_based": _distribution_based,
    "publish_counts": _noisy_counts,
    "publish_retention": _publish_retention,
    "publish_retention_keyed": _publish_retention_keyed,
}


def _files() -> list[VectorFile]:
    return [file for file in vector_files() if file.operation in DERIVED]


@pytest.mark.parametrize("file", _files(), ids=lambda file: file.path)
def test_answers(file: VectorFile) -> None:
    for vector in file.vectors:
        if vector.answer is not None:
            request = file.request(vector) if vector.line is None else json.loads(vector.line)
            assert DERIVED[file.operation](request) == {**vector.answer, **vector.also}, vector.id
        elif vector.error == "tape_exhausted":
            with pytest.raises(EndOfTapeError):
                DERIVED[file.operation](file.request(vector))


def generated(file: VectorFile, vector: Vector) -> Iterator[Request]:
    """Yield the requests of a generator, by the words of the page."""
    generator = vector.generator
    assert generator is not None

    seed = generator["seed"].encode()
    start = b"splu-ref/seeded/1" + len(seed).to_bytes(8, "big") + seed
    messages = (start + number.to_bytes(8, "big") for number in count())
    stream = Bits(chain.from_iterable(hashlib.shake_256(message).digest(4096) for message in messages))
    for _ in range(generator["count"]):
        request: Request = {**file.parameters}
        if "groups" in generator:
            least, most = generator["groups"]
            gamma = file.parameters["gamma"]
            assert isinstance(gamma, int)
            number = least + stream.integer(most - least + 1)
            values = gamma + stream.integer(gamma)
            codes = [code for _ in range(number) for code in stream.subset(values, gamma)]
            if file.operation == "publish":
                codes += stream.subset(values, stream.integer(gamma))
                request["sensitive"] = [codes[place] for place in stream.order([0] * len(codes))]
            else:
                request["histogram"] = [codes.count(value) for value in range(values)]
            if "tape" in generator:
                request["tape"] = stream.take(generator["tape"] * len(codes)).hex()
        else:
            request["tape"] = stream.take(generator["tape"]).hex()
        yield request


@pytest.mark.parametrize(
    "file",
    [file for file in _files() if file.vectors[-1].generator is not None],
    ids=lambda file: file.path,
)
def test_accumulated_answers(file: VectorFile) -> None:
    vector = file.vectors[-1]
    assert vector.generator is not None
    hashed = hashlib.sha256()
    refused = 0
    for request in generated(file, vector):
        try:
            derived = DERIVED[file.operation](request)
            answer: Request = {key: derived[key] for key in vector.generator["keys"]}
        except AssertionError:
            answer = {"error": {"kind": "parameter"}}
            refused += 1
        line = json.dumps(answer, sort_keys=True, separators=(",", ":")) + "\n"
        hashed.update(line.encode("ascii"))
    assert hashed.hexdigest() == vector.answers_sha256
    assert 2 * refused < vector.generator["count"]


def test_infeasible_vectors_are_infeasible() -> None:
    seen = 0
    for file in _files():
        for vector in file.vectors:
            if "Infeasible" in vector.flags:
                assert vector.error == "parameter"
                with pytest.raises((AssertionError, IndexError)):
                    DERIVED[file.operation](file.request(vector))
                seen += 1
    assert seen >= 10
