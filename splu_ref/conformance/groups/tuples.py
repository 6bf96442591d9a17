"""Vectors of the alpha-beta algorithm: every tuple of a small domain drawn for, and fakes of a large one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb, lcm, prod

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.randomness import keys
from splu_ref.conformance.groups.retention import TEXTS, declared
from splu_ref.conformance.groups.secrets import document_of, sent
from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import SeededSource

PAGE = "docs/specification/publishing.md"
TAPE = "publish_alpha_beta"
LARGE = ("large-integers",)
CHANCES = (("1/2", "1/4"), ("1/3", "1/3"), ("0.35", "0.05"), ("1/2", "0"), ("1", "0"), ("1/3", "2/3"))
"""alpha and beta."""
HUGE = {
    "2-to-20-and-more": ((14, 15, 17, 19, 16), ("1/2", "1/100000")),
    "blocks-of-64-bits": ((14, 15, 17, 19, 16), ("1/2", "1/65536")),
    "ten-columns": ((10,) * 10, ("1/3", "1/1000000000")),
    "2-to-63-and-more": ((16,) * 16, ("2/5", "1/1000000000000000003")),
    "no-fakes": ((10,) * 12, ("1/2", "0")),
    "all-genuine": ((30,) * 5, ("4999999/5000000", "1/5000000")),
    "digits-of-100-bits": ((10,) * 32, (f"{(1 << 99) - 1}/{1 << 100}", f"1/{1 << 100}")),
    "many-fakes": ((12,) * 6, ("1/7", "3/100000")),
}
"""Sizes of columns, and alpha and beta, of domains that are too large to go through."""


def groups() -> Iterator[Group]:
    """Yield the vector files of the alpha-beta algorithm."""
    for alpha, beta in CHANCES:
        fixed: dict[str, object] = {"alpha": alpha, "beta": beta}
        name = f"eager-{alpha}-{beta}".replace("/", "_")
        about = f"Tuples drawn for one by one, alpha = {alpha}, beta = {beta}."
        yield Group(TAPE, name, about, PAGE, tuple(_eager(fixed)), fixed)
    yield Group(TAPE, "chosen-bytes", "Chosen bytes, and where a tape ends.", PAGE, tuple(_chosen()))
    yield Group(TAPE, "coins", "Coins of many bits.", PAGE, tuple(_coins()))
    yield Group(TAPE, "largest-eager", "Domains at the limit.", PAGE, tuple(_limit()), requires=LARGE)
    for name, (sizes, (alpha, beta)) in HUGE.items():
        fixed = {"alpha": alpha, "beta": beta}
        about = f"Fakes among {prod(sizes)} tuples, alpha = {alpha}, beta = {beta}."
        yield Group(TAPE, f"lazy-{name}", about, PAGE, tuple(_lazy(fixed, sizes)), fixed, LARGE)
    about = "Chosen numbers and places of fakes."
    fixed = {"alpha": "1/2", "beta": "1/1048576", "sensitive": _table(SIZES, ROWS)}
    yield Group(TAPE, "lazy-chosen-bytes", about, PAGE, tuple(_chosen_fakes()), fixed, LARGE)
    yield Group(TAPE, "invalid", "Tables and parameters that are refused.", PAGE, tuple(_invalid()))
    yield Group("manifest", "alpha-beta", "Manifests of the algorithm.", PAGE, tuple(_manifests()))


def _table(sizes: Sequence[int], rows: Sequence[Sequence[int]]) -> list[dict[str, object]]:
    """Return columns of so many values, named so that their order is that of the names."""
    return [
        declared(f"c{column:02}", [f"v{value:02}" for value in range(size)], [row[column] for row in rows])
        for column, size in enumerate(sizes)
    ]


def _eager(fixed: Mapping[str, object]) -> Iterator[Case]:
    job = declared("job", ("cook", "nurse", "smith", "clerk", "judge"), (0, 3, 3, 4))
    sex = declared("sex", ("F", "M"), (1, 0, 1, 1))
    for name, sensitive in {
        "one-column": [declared("v", "cab", (0, 2))],
        "one-tuple": [declared("v", "ab", (1,))],
        "all-tuples": [declared("a", "xy", (0, 0, 1, 1)), declared("b", "xy", (1, 0, 0, 1))],
        "two": [job, sex],
        "two-the-other-way": [sex, job],
        "three": _table((3, 2, 4), [(2, 1, 3), (0, 0, 0), (1, 0, 2), (1, 1, 0), (0, 1, 3)]),
        "texts": [declared("v", TEXTS, (0, 3, 5)), declared("\uff5e", "ab", (1, 0, 0))],
        "names-of-texts": [declared(name, "ba", (0, 1)) for name in ("\U0001d11e", "\uff5e", "e\u0301")],
        "names-by-code-point": [
            declared(name, "ba", (0, 1)) for name in ("b", "a", "B", "10", "9", "\u00e9")
        ],
    }.items():
        fields: dict[str, object] = {"sensitive": sensitive}
        for left in range(2):
            tape = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/{name}/{left}", left=left)
            flags = ("TapeLeft",) if left else ()
            yield Case(
                f"{name}-{left}", {**fields, "tape": tape}, (*flags, "Text") if name == "texts" else flags
            )


def _chosen() -> Iterator[Case]:
    # Below 4: a member is published for 0, 1, 2 and another tuple for 0.
    fixed: dict[str, object] = {"alpha": "1/2", "beta": "1/4"}
    two = [declared("b", "xy", (1, 0)), declared("a", "pqr", (0, 2))]
    page = {**fixed, "sensitive": two}
    draws, shuffle = "000200010001", keys(4, 3, 2, 1)
    yield Case("of-the-page", {**page, "tape": draws + shuffle})
    yield Case(
        "rows-the-other-way",
        {
            **page,
            "sensitive": [declared("b", "xy", (0, 1)), declared("a", "rqp", (0, 2))],
            "tape": draws + shuffle,
        },
    )
    yield Case("masked", {**page, "tape": "fc1204010405" + shuffle}, ("Masked",))
    yield Case("nothing-is-published", {**page, "tape": "030303030303"}, ("Limit",))
    yield Case("members-at-their-ends", {**page, "tape": "010301010203" + keys(2, 1)}, ("Limit",))
    yield Case("one-is-published", {**page, "tape": "030003030303"}, ("Limit",))
    ties = keys(5, 5, 5, 5, 2, 2, 1, 1, 0, 9, 8, 7)
    yield Case("ties-in-the-shuffle", {**page, "tape": draws + ties}, ("Tie", "TieAgain"))
    # The common denominator of 1/3 + 1/2 and 1/2 is 6; of 1/6 + 1/3 and 1/3 it is 6, not 2 or 3.
    for alpha, beta in (("1/3", "1/2"), ("1/6", "1/3"), ("1/6", "1/2"), ("1/2", "1/6")):
        sixth = {"alpha": alpha, "beta": beta, "sensitive": two}
        name = f"sixths-{alpha}-{beta}".replace("/", "_")
        for number, drawn in enumerate(
            ("000102030405", "050403020100", "070601020307060000", "020202020202")
        ):
            tape = drawn + "".join(f"{9 - k:08x}" for k in range(6))
            yield Case(f"{name}-{number}", {**sixth, "tape": tape}, ("Limit",))
    for name, tape in {
        "empty-tape": "",
        "ends-in-the-tuples": draws[:-2],
        "ends-before-the-shuffle": draws,
        "ends-in-the-shuffle": draws + shuffle[:-2],
    }.items():
        yield Case(name, {**page, "tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _coins() -> Iterator[Case]:
    members = [declared("v", "abcde", (1, 3))]
    for name, alpha, beta in (
        ("above-8-bits", "1/257", "100/257"),
        ("above-16-bits", "12345/98764", "1/3"),
        ("above-31-bits", "1/3000000019", "1000000007/3000000019"),
        ("above-53-bits", "1/9007199254740997", "1234567890123457/9007199254740997"),
        ("of-63-bits", "1/2305843009213693951", "1/4"),
        ("of-2-to-63", "1/4611686018427387904", "1/9223372036854775808"),
    ):
        kept, fake = Fraction(alpha) + Fraction(beta), Fraction(beta)
        w = lcm(kept.denominator, fake.denominator)
        width = -(-(w - 1).bit_length() // 8)
        u, v = int(kept * w), int(fake * w)
        shuffle = keys(5, 4, 3, 2, 1)
        for number, ends in enumerate(((v - 1, u - 1, v, u, 0), (v, v, min(v + 1, w - 1), v, w - 1))):
            tape = b"".join(end.to_bytes(width, "big") for end in ends).hex() + shuffle
            fields = {"sensitive": members, "alpha": alpha, "beta": beta, "tape": tape}
            yield Case(f"ends-{name}-{number}", fields, ("Exact", "Limit"))


def _limit() -> Iterator[Case]:
    fixed: dict[str, object] = {"alpha": "1/2", "beta": "0"}
    rows = [[0] * 20, [1] * 20]
    # Every one of 2^20 tuples is drawn for: the tape is much too short. Of a few more, only the members are.
    full = {**fixed, "sensitive": _table([2] * 20, rows), "tape": "0100" + keys(2, 1)}
    yield Case("of-2-to-20-tuples", full, ("Limit", "TapeExhausted"), "tape_exhausted")
    half = full | {"beta": "1/2"}
    yield Case("of-2-to-20-tuples-all-genuine", half, ("Limit", "TapeExhausted"), "tape_exhausted")
    sizes = (2,) * 5 + (3,) * 8 + (5,)
    assert (1 << 20) < prod(sizes) < (1 << 20) + 1200
    more = {**fixed, "sensitive": _table(sizes, [row[: len(sizes)] for row in rows]), "tape": "0100"}
    yield Case("of-a-few-more", more, ("Limit",))


def _members(sizes: Sequence[int]) -> list[list[int]]:
    return [[(seed * (place + 2) + place) % size for place, size in enumerate(sizes)] for seed in range(7)]


def _lazy(fixed: Mapping[str, object], sizes: Sequence[int]) -> Iterator[Case]:
    sensitive = _table(sizes, _members(sizes))
    for name, columns in (("", sensitive), ("-columns-the-other-way", sensitive[::-1])):
        fields: dict[str, object] = {"sensitive": columns}
        for left in range(3):
            tape = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/{left}", left=left)
            yield Case(
                f"drawn{name}-{left}", {**fields, "tape": tape}, ("Exact", *(("TapeLeft",) if left else ()))
            )
    first = [[0] * len(sizes), [0] * (len(sizes) - 1) + [1], [size - 1 for size in sizes]]
    fields = {"sensitive": _table(sizes, first)}
    tape = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/ends")
    yield Case("first-and-last-members", {**fields, "tape": tape}, ("Exact",))
    short = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}/short", missing=1)
    yield Case("short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


SIZES = (16, 16, 16, 16, 32)
"""2^21 tuples."""
ROWS = ((0, 0, 0, 0, 3), (0, 0, 0, 0, 4), (0, 0, 0, 0, 6), (15, 15, 15, 15, 31))


def _chosen_fakes() -> Iterator[Case]:
    d, trials = 1 << 20, prod(SIZES) - len(ROWS)
    # Below 2^19 + 1 of 2^20 a member is published: the first two are.
    coins = "".join(f"{end:06x}" for end in (0, d // 2, d // 2 + 1, d - 1))
    # Blocks of three digits, 2^60: the least number, and those at which the count of fakes grows.
    places = [int(_up_to(trials, d, k) * d**3) for k in range(4)]

    def block(number: int) -> str:
        return f"{number:016x}"

    def drawn(*integers: int) -> str:
        return "".join(f"{integer:06x}" for integer in integers)

    three = block(places[2] + 5)
    yield Case("no-fake", {"tape": coins + block(0) + keys(2, 1)}, ("Limit",))
    yield Case("just-no-fake", {"tape": coins + block(places[0] - 1) + keys(2, 1)}, ("Limit", "Exact"))
    yield Case(
        "just-one-fake",
        {"tape": coins + block(places[0] + 1) + drawn(0) + keys(3, 2, 1)},
        ("Limit", "Exact"),
    )
    for name, ranks in {
        "beside-the-members": (2, 3, 4),
        "the-first": (0, 1, 2),
        "after-the-members": (3, 3, 3),
        "again-and-again": (9, 9, trials - 2),
        "the-last": (trials - 3, trials - 2, trials - 1),
        "the-last-again": (trials - 3, trials - 3, trials - 3),
    }.items():
        yield Case(name, {"tape": coins + three + drawn(*ranks) + keys(9, 2, 7, 4, 5)}, ("Limit",))
    # The first block leaves open between k and k + 1 fakes; the second decides.
    for k, place in enumerate(places[:3]):
        rest = _up_to(trials, d, k) * d**3 - place
        cut = int(rest * d**3)
        for name, second, fakes in (
            ("less", cut - 1, k),
            ("more", cut + 1, k + 1),
            ("least", 0, k),
            ("most", d**3 - 1, k + 1),
        ):
            tape = (
                coins + block(place) + block(second) + drawn(*range(10, 10 + fakes)) + keys(*range(2 + fakes))
            )
            yield Case(f"two-blocks-{k}-{name}", {"tape": tape}, ("SecondBlock", "Exact"))
    most = block(d**3 - 1)
    tape = coins + most + block(1 << 59) + SeededSource(b"fakes").read(400).hex()
    yield Case(
        "ends-in-the-second-block",
        {"tape": coins + most + most[:-2]},
        ("TapeExhausted", "SecondBlock"),
        "tape_exhausted",
    )
    yield Case("the-largest-first-block", {"tape": tape}, ("SecondBlock", "Exact"))
    for name, tape in {
        "ends-in-the-coins": coins[:-2],
        "ends-before-the-block": coins,
        "ends-in-the-fakes": coins + three + drawn(2, 3),
        "ends-in-the-shuffle": coins + three + drawn(2, 3, 4) + keys(1, 2, 3, 4),
    }.items():
        yield Case(name, {"tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _up_to(trials: int, d: int, k: int) -> Fraction:
    """Return Pr(X <= k) of so many trials with the chance 1/d, but for less than 2^-300."""
    bits = 400
    scale = 1 << bits
    # (1 - 1/d)^(trials - k) by squares, and what is cut off is below trials units of 2^-400.
    power, base, left = scale, scale - scale // d, trials
    while left:
        if left & 1:
            power = power * base >> bits
        base, left = base * base >> bits, left >> 1
    total = sum(Fraction(comb(trials, x) * power, scale * (d - 1) ** x) for x in range(k + 1))
    return Fraction(total)


def _invalid() -> Iterator[Case]:
    column = declared("v", "abc", (0, 1))
    valid: dict[str, object] = {"sensitive": [column], "alpha": "1/2", "beta": "1/4", "tape": "00" * 99}
    for name, flag, changed in (
        ("alpha-0", "OutOfRange", {"alpha": "0"}),
        ("alpha-negative", "OutOfRange", {"alpha": "-1/4"}),
        ("beta-negative", "OutOfRange", {"beta": "-1/4"}),
        ("sum-above-1", "OutOfRange", {"alpha": "3/4", "beta": "1/3"}),
        ("sum-above-1-by-little", "OutOfRange", {"alpha": "1/2", "beta": f"{10**30 + 2}/{2 * 10**30}"}),
        ("bound-above-2-to-63", "OutOfRange", {"alpha": "1/4294967311", "beta": "1/4294967291"}),
        ("no-columns", "Zero", {"sensitive": []}),
        ("no-tuples", "Zero", {"sensitive": [declared("v", "ab", ())]}),
        ("a-column-twice", "OutOfRange", {"sensitive": [column, column]}),
        ("unequal-lengths", "OutOfRange", {"sensitive": [column, declared("w", "ab", (0,))]}),
        ("a-tuple-twice", "OutOfRange", {"sensitive": [declared("v", "abc", (0, 1, 0))]}),
        ("a-tuple-of-two-twice", "OutOfRange", {"sensitive": [declared(n, "ab", (0, 1, 1)) for n in "vw"]}),
        ("a-cell-outside", "OutOfRange", {"sensitive": [{**column, "cells": ["a", "d"]}]}),
        ("one-value", "OutOfRange", {"sensitive": [declared("v", "a", (0,))]}),
        ("a-value-twice", "OutOfRange", {"sensitive": [{**column, "domain": ["a", "b", "a"]}]}),
        ("domain-as-text", "WrongType", {"sensitive": [{**column, "domain": "abc"}]}),
        ("cell-as-number", "WrongType", {"sensitive": [{**column, "cells": ["a", 1]}]}),
        ("no-cells", "Missing", {"sensitive": [{"column": "v", "domain": ["a", "b"]}]}),
    ):  # fmt: skip
        yield Case(name, valid | changed, (flag,), "parameter")
        if flag != "WrongType":
            none = valid | changed | {"tape": ""}
            yield Case(f"{name}-and-no-bytes", none, (flag, "BeforeTheTape"), "parameter")
    unknown: tuple[tuple[str, dict[str, object]], ...] = (
        ("law-of-a-column", {"sensitive": [{**column, "law": ["1/3", "1/3", "1/3"]}]}),
        ("retention", {"retention": "1/2"}),
        ("order", {"order": "shuffled"}),
    )
    for name, each in unknown:
        yield Case(name, valid | each, ("Unknown",), "unsupported")


def _manifests() -> Iterator[Case]:
    domains = {"job": ["cook", "nurse", "\u00e9tat"], "age": ["9", "10", "100"]}
    entries = [{"column": column, "domain": domain} for column, domain in domains.items()]
    mechanism = AlphaBeta("3/10", "1/5", domains)
    told: dict[str, object] = dict(mechanism.facts())
    plain = document_of(method=mechanism.name, gamma=None, plan=None, retention=None, sensitive=entries)
    valid = plain | told
    for name, changed in (
        ("as-told", {}),
        ("columns-the-other-way", {"sensitive": entries[::-1]}),
        ("decimals", {"alpha": "0.30", "beta": "0.2"}),
        ("beta-0", {"beta": "0"}),
        ("all-published", {"alpha": "4/5"}),
    ):
        yield Case(name, sent({**valid, **changed}))
    for name, bad in (
        ("alpha-0", {"alpha": "0"}),
        ("beta-negative", {"beta": "-1/5"}),
        ("sum-above-1", {"beta": "4/5"}),
        ("alpha-number", {"alpha": 0.3}),
        ("another-digest", {"domains": "0" * 64}),
        ("a-value-less", {"sensitive": [{**entries[0], "domain": ["cook", "nurse"]}, entries[1]]}),
        ("a-column-less", {"sensitive": entries[:1]}),
    ):
        yield Case(name, sent({**valid, **bad}), ("OutOfRange",), "parameter")
    for field in ("alpha", "beta", "domains"):
        left = {key: value for key, value in valid.items() if key != field}
        yield Case(f"no-{field}", sent(left), ("Missing",), "parameter")
