"""SPLU-Gen and its byte rules once more, slowly and independently: lists, loops, no code of the package."""

from __future__ import annotations

import hmac
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


class TapeEndError(Exception):
    """The tape ran out."""


class Tape:
    """Recorded bytes, read from the front."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.consumed = 0

    def take(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        if self.consumed + count > len(self.data):
            raise TapeEndError
        self.consumed += count
        return self.data[self.consumed - count : self.consumed]


def integer_below(tape: Tape, bound: int) -> int:
    """Mask and reject."""
    if bound == 1:
        return 0
    bits = len(bin(bound - 1)) - 2
    while True:
        candidate = int.from_bytes(tape.take(-(-bits // 8)), "big") % (1 << bits)
        if candidate < bound:
            return candidate


def order(tape: Tape, codes: Sequence[int]) -> list[int]:
    """Sort by (code, 32-bit key); whoever ties draws again, round by round."""
    if len(codes) <= 1:
        return list(range(len(codes)))
    keys = [integer_below(tape, 2**32) for _ in codes]
    ranked = sorted(range(len(codes)), key=lambda item: (codes[item], keys[item], item))
    blocks = _split(ranked, {item: (codes[item], keys[item]) for item in ranked})
    while any(len(block) > 1 for block in blocks):
        again = {item: integer_below(tape, 2**32) for block in blocks if len(block) > 1 for item in block}
        blocks = [
            part
            for block in blocks
            for part in (
                _split(sorted(block, key=lambda item: (again[item], item)), again)
                if len(block) > 1
                else [block]
            )
        ]
    return [item for block in blocks for item in block]


def _split(ranked: list[int], key: dict[int, int] | dict[int, tuple[int, int]]) -> list[list[int]]:
    blocks: list[list[int]] = []
    for item in ranked:
        if blocks and key[blocks[-1][0]] == key[item]:
            blocks[-1].append(item)
        else:
            blocks.append([item])
    return blocks


def greedy_groups(histogram: Sequence[int], gamma: int) -> list[list[int]]:
    """Take one record from each of the gamma fullest buckets, the smaller value first among equals."""
    left = list(histogram)
    groups = []
    while sum(left):
        group: list[int] = []
        for _ in range(gamma):
            fullest = max(left[value] for value in range(len(left)) if value not in group)
            group.append(next(v for v in range(len(left)) if left[v] == fullest and v not in group))
        for value in group:
            left[value] -= 1
        groups.append(group)
    return groups


def cyclic_groups(histogram: Sequence[int], gamma: int) -> list[list[int]]:
    """Deal the records, sorted by value, to the groups in turn."""
    records = [value for value, frequency in enumerate(histogram) for _ in range(frequency)]
    count = len(records) // gamma
    return [records[group::count] for group in range(count)]


def coins(tape: Tape, count: int) -> list[int]:
    """Return bits, the most significant of a byte first."""
    data = tape.take(-(-count // 8))
    return [data[bit // 8] >> (7 - bit % 8) & 1 for bit in range(count)]


def block_groups(histogram: Sequence[int], gamma: int, tape: Tape) -> list[list[int]]:
    """Exchange between groups, paired at random, what only one of the two holds."""
    groups = cyclic_groups(histogram, gamma)
    size, half = len(groups), len(groups) // 2
    passes = 0
    while size > 1 and 2**passes <= 64 * size:
        passes += 1
    standing = order(tape, [item // size for item in range(passes * size)])
    rotations = [integer_below(tape, gamma) for _ in range(passes * half)]
    tossed = coins(tape, passes * gamma * half)
    for done in range(passes):
        groups = [groups[item - done * size] for item in standing[done * size : (done + 1) * size]]
        for pair in range(half):
            first, second = groups[pair], groups[half + pair]
            mine = [slot for slot in range(gamma) if first[slot] not in second]
            theirs = [slot for slot in range(gamma) if second[slot] not in first]
            for number, slot in enumerate(mine):
                if tossed[(done * gamma + slot) * half + pair]:
                    facing = theirs[(number + rotations[done * half + pair]) % len(theirs)]
                    first[slot], second[facing] = second[facing], first[slot]
    return groups


def block_entries(histogram: Sequence[int], gamma: int, most: int = 4096) -> list[list[int]]:
    """Return the entries of every block: of the records sorted by value, those of every so many groups."""
    groups = sum(histogram) // gamma
    blocks = -(-groups // most)
    return [[p for p in range(gamma * groups) if p % groups % blocks == block] for block in range(blocks)]


def mixed_blocks(
    histogram: Sequence[int], gamma: int, tapes: Sequence[Tape], most: int = 4096
) -> list[list[list[int]]]:
    """Return the groups of every block, each from a tape; of the last tape when there are fewer tapes."""
    values = [value for value, frequency in enumerate(histogram) for _ in range(frequency)]
    made = []
    for block, entries in enumerate(block_entries(histogram, gamma, most)):
        held = [values[p] for p in entries]
        counts = [held.count(value) for value in range(len(histogram))]
        made.append(block_groups(counts, gamma, tapes[min(block, len(tapes) - 1)]))
    return made


def mixed_groups(histogram: Sequence[int], gamma: int, tape: Tape) -> list[list[int]]:
    """Return the groups of all blocks, block after block."""
    return [group for block in mixed_blocks(histogram, gamma, [tape]) for group in block]


def plan_groups(plan: str, histogram: Sequence[int], gamma: int, tape: Tape) -> list[list[int]]:
    """Return the groups of a plan; only a mixed one reads the tape."""
    if plan == "mixed":
        return mixed_groups(histogram, gamma, tape)
    return {"anatomy": greedy_groups, "cyclic": cyclic_groups}[plan](histogram, gamma)


def draw(tape: Tape, gamma: int, retention: Fraction) -> int:
    """Draw 0 with the retention probability, and every other draw with an equal share of the rest."""
    shares = [retention] + [(1 - retention) / (gamma - 1)] * (gamma - 1)
    bound = math.lcm(*(share.denominator for share in shares))
    slots = [number for number, share in enumerate(shares) for _ in range(int(share * bound))]
    return slots[integer_below(tape, bound)]


@dataclass(frozen=True)
class ReferenceRelease:
    """The three parts of a release."""

    rows: list[int]
    published: list[int]
    suppressed: list[int]


def release(
    codes: Sequence[int], domain_size: int, gamma: int, tape: Tape, plan: str, retention: Fraction
) -> ReferenceRelease:
    """Publish codes by the paper's four steps, drawing in the specified order."""
    suppressed: list[int] = []
    for drawn in range(len(codes) % gamma):
        free = [record for record in range(len(codes)) if record not in suppressed]
        suppressed.append(free[integer_below(tape, len(codes) - drawn)])
    kept = [record for record in range(len(codes)) if record not in suppressed]
    own = [codes[record] for record in kept]
    groups = plan_groups(plan, [own.count(value) for value in range(domain_size)], gamma, tape)
    places = {value: [group for group in groups if value in group] for value in range(domain_size)}
    ordered = order(tape, own)
    draws = [draw(tape, gamma, retention) for _ in own]
    published = [0] * len(own)
    for record in ordered:
        group = places[own[record]].pop(0)
        others = [value for value in group if value != own[record]]
        published[record] = [own[record], *others][draws[record]]
    shuffle = order(tape, [0] * len(own))
    return ReferenceRelease(
        [kept[place] for place in shuffle], [published[place] for place in shuffle], sorted(suppressed)
    )


def keyed_release(
    rows: Sequence[tuple[str, ...]],
    columns: Sequence[str],
    sensitive: str,
    id_column: str | None,
    gamma: int,
    plan: str,
    secret: bytes,
) -> list[tuple[str, ...]]:
    """Publish a table of texts under a key, by a plan without a secret, as the specification says."""

    def told(*parts: str | int | None) -> bytes:
        message = b""
        for part in parts:
            text = b"" if part is None or isinstance(part, int) else part.encode()
            length = 2**64 - 1 if part is None else part if isinstance(part, int) else len(text)
            message += length.to_bytes(8, "big") + text
        return message

    digests = [hmac.digest(secret, b"splu-ref/record/2" + told(*row), "sha256") for row in rows]
    table = sum(int.from_bytes(digest, "big") for digest in digests) % 2**256
    message = b"splu-ref/release/2" + told("2", "SPLU-Gen", 3, "gamma", str(gamma))
    message += told("retention", f"1/{gamma}", "plan", plan, "independent", 1, sensitive, id_column, None)
    message += told(len(columns), *columns, len(rows)) + table.to_bytes(32, "big")
    key = hmac.digest(secret, message, "sha256")

    identities = [
        row[columns.index(id_column)].encode() if id_column else told(*row, rows[:number].count(row))
        for number, row in enumerate(rows)
    ]

    def block(record: int, number: int) -> bytes:
        identity = identities[record]
        parts = told(sensitive) + len(identity).to_bytes(8, "big") + identity + told(number)
        return hmac.digest(key, b"splu-ref/keyed/2" + parts, "sha256")

    everyone = sorted(range(len(rows)), key=lambda record: block(record, 0)[8:16])
    kept = everyone[: len(rows) - len(rows) % gamma]
    place = columns.index(sensitive)
    domain = sorted({row[place] for row in rows})
    own = {record: domain.index(rows[record][place]) for record in kept}
    histogram = [list(own.values()).count(value) for value in range(len(domain))]
    groups = plan_groups(plan, histogram, gamma, Tape(b""))
    published = []
    for record in kept:
        fellows = [other for other in kept if own[other] == own[record]]
        rank = sorted(fellows, key=lambda other: block(other, 0)[:8]).index(record)
        group = [group for group in groups if own[record] in group][rank]
        tape = Tape(block(record, 0)[16:] + b"".join(block(record, number) for number in range(1, 9)))
        values = [own[record], *(value for value in group if value != own[record])]
        value = domain[values[integer_below(tape, gamma)]]
        published.append((*rows[record][:place], value, *rows[record][place + 1 :]))
    return published
