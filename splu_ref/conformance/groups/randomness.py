"""Vectors of the byte rules: integers, coins, orders, subsets."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.fields import number
from splu_ref.conformance.generated import Generator

PAGE = "docs/specification/randomness.md"
BOUNDS = (1, 2, 3, 4, 5, 10, 128, 129, 256, 257, 300, 65_537, 1 << 32, (1 << 32) + 1, (1 << 62) + 1, 1 << 63)
CODES = {"alternating": (1, 0, 1, 0), "one-value": (2, 2, 2), "gaps": (7, 0, 7, 3, 0, 7)}


def groups() -> Iterator[Group]:
    """Yield the vector files of tapes."""
    for bound in BOUNDS:
        about = f"Uniform integers below {bound}."
        yield Group("below", f"bound-{bound}", about, PAGE, tuple(_below(bound)), {"bound": number(bound)})
    for bound in (1 << 24, (1 << 53) + 1, 1 << 64, (1 << 64) + 1, (1 << 130) + 1):
        about = f"Uniform integers below {bound}."
        wide = ("large-integers",) if bound > 1 << 63 else ()
        fixed = {"bound": number(bound)}
        yield Group("below", f"bound-{bound}", about, PAGE, tuple(_below(bound)), fixed, wide)
    about = "Integers about 2**53, which are written as numbers below it and as texts from it on."
    yield Group("below", "bound-18014398509481984", about, PAGE, tuple(_texts()), {"bound": number(1 << 54)})
    yield Group("below", "invalid", "Requests for integers that do not exist.", PAGE, tuple(_no_integers()))
    yield _accumulated("below", "below 5", {"bound": 5, "size": 20_000}, 65_536)
    yield Group("coins", "tape", "Fair coins.", PAGE, tuple(_coins()))
    yield _accumulated("coins", "large", {"size": 9_999}, 1_250)
    for size in (0, 1, 2, 3, 5):
        about = f"Uniform orders of {size} items."
        yield Group("permutation", f"size-{size}", about, PAGE, tuple(_orders(size)), {"size": size})
    yield Group("permutation", "invalid", "Orders that do not exist.", PAGE, tuple(_no_orders()))
    yield _accumulated("permutation", "large", {"size": 5_000}, 20_100)
    for name, codes in CODES.items():
        about = f"Orders of {len(codes)} records within their values."
        cases = tuple(_within(codes))
        yield Group("order_within", name, about, PAGE, cases, {"codes": list(codes)})
    yield _accumulated("order_within", "large", {"codes": [k % 7 for k in range(3_000)]}, 12_100)
    yield Group("subset", "large-populations", "Members of 2**53 and more.", PAGE, tuple(_large_subsets()))
    for population in (1, 5, 300):
        about = f"Uniform subsets of {population} numbers."
        cases = tuple(_subsets(population))
        yield Group("subset", f"population-{population}", about, PAGE, cases, {"population": population})


def keys(*numbers: int) -> str:
    """Return a tape of 32-bit keys."""
    return "".join(f"{value:08x}" for value in numbers)


def _accumulated(operation: str, title: str, parameters: dict[str, object], tape: int) -> Group:
    name = "accumulated-" + title.replace(" ", "-")
    generator: Generator = {
        "seed": f"{operation}/{name}",
        "count": 10,
        "tape": tape,
        "keys": ["consumed", "result"],
    }
    about = "One hash over the answers to ten requests with long tapes."
    return Group(operation, name, about, PAGE, parameters=parameters, generator=generator)


def _below(bound: int) -> Iterator[Case]:
    yield Case("none", {"size": 0, "tape": "ff"}, ("NothingRead", "TapeLeft"))
    if bound == 1:
        yield Case("certain", {"size": 3, "tape": ""}, ("NothingRead",))
        return
    bits = (bound - 1).bit_length()
    width = (bits + 7) // 8
    full = (1 << 8 * width) - 1

    def tape(*candidates: int) -> str:
        return b"".join(candidate.to_bytes(width, "big") for candidate in candidates).hex()

    yield Case("ends", {"size": 2, "tape": tape(0, bound - 1)}, ("Extremes", "Limit"))
    if bits % 8:
        high = full >> bits << bits
        yield Case("masked", {"size": 2, "tape": tape(high, high | bound - 1)}, ("Masked",))
    if bound < 1 << bits:
        yield Case("rejection", {"size": 2, "tape": tape(bound, 1, full, bound - 1)}, ("Rejection", "Masked"))
        many = tape(*[bound + (k % ((1 << bits) - bound)) for k in range(9)], 0)
        yield Case("nine-rejections", {"size": 1, "tape": many}, ("RejectionsInARow",))
        ends = {"size": 1, "tape": tape(*[full] * 3)}
        yield Case("ends-after-rejections", ends, ("RejectionsInARow", "TapeExhausted"), "tape_exhausted")
    if width > 1:
        within = {"size": 2, "tape": tape(1, 0)[:-2]}
        yield Case("ends-within-candidate", within, ("TapeExhausted",), "tape_exhausted")
    yield Case("empty-tape", {"size": 1, "tape": ""}, ("TapeExhausted",), "tape_exhausted")
    several = {"bound": number(bound), "size": 12}
    left = seeded_tape("below", several, f"below/{bound}", left=2)
    yield Case("several", {"size": 12, "tape": left}, ("TapeLeft",))
    short = seeded_tape("below", several, f"below/{bound}", missing=1)
    yield Case("one-byte-short", {"size": 12, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _texts() -> Iterator[Case]:
    for name, value in {
        "last-number": (1 << 53) - 1,
        "first-text": 1 << 53,
        "second-text": (1 << 53) + 1,
    }.items():
        yield Case(name, {"size": 1, "tape": value.to_bytes(7, "big").hex()}, ("Exact", "Limit"))


def _coins() -> Iterator[Case]:
    yield Case("none", {"size": 0, "tape": "ff"}, ("NothingRead", "TapeLeft"))
    yield Case("part-of-a-byte", {"size": 3, "tape": "b0"}, ("Masked",))
    yield Case("a-byte", {"size": 8, "tape": "8100"}, ("TapeLeft",))
    yield Case("a-byte-and-a-bit", {"size": 9, "tape": "0180"})
    yield Case("two-bytes-and-a-half", {"size": 20, "tape": "a5c37f"}, ("Masked",))
    yield Case("short", {"size": 9, "tape": "ff"}, ("TapeExhausted",), "tape_exhausted")
    yield Case("size-negative", {"size": -1, "tape": ""}, ("OutOfRange",), "parameter")
    yield Case("size-text", {"size": "many", "tape": "00"}, ("WrongType",), "parameter")


def _no_integers() -> Iterator[Case]:
    def refused(name: str, flag: str, **fields: object) -> Case:
        return Case(name, {"bound": 5, "size": 1, "tape": "00"} | fields, (flag,), "parameter")

    yield refused("bound-0", "OutOfRange", bound=0)
    yield refused("bound-negative", "OutOfRange", bound=-3)
    yield refused("bound-fraction", "WrongType", bound=2.5)
    yield refused("bound-boolean", "WrongType", bound=True)
    yield refused("bound-word", "WrongType", bound="five")
    yield refused("size-negative", "OutOfRange", size=-1)
    yield refused("bound-0-and-no-bytes", "BeforeTheTape", bound=0, tape="")
    yield refused("size-negative-and-no-bytes", "BeforeTheTape", size=-1, tape="")
    yield refused("tape-half-a-byte", "WrongType", tape="000")
    yield refused("tape-no-digits", "WrongType", tape="zz")
    yield refused("tape-number", "WrongType", tape=0)
    yield Case("no-tape", {"bound": 5, "size": 1}, ("Missing",), "parameter")
    yield Case("no-bound", {"size": 1, "tape": "00"}, ("Missing",), "parameter")
    unknown = {"bound": 5, "size": 1, "tape": "00", "colour": 3}
    yield Case("unknown-field", unknown, ("Unknown",), "unsupported")


def _orders(size: int) -> Iterator[Case]:
    if size <= 1:
        yield Case("nothing-to-order", {"tape": "00"}, ("NothingRead", "TapeLeft"))
        return
    yield Case("ascending", {"tape": keys(*range(size))})
    yield Case("descending", {"tape": keys(*range(size, 0, -1)) + "ff"}, ("TapeLeft",))
    yield Case(
        "unsigned", {"tape": keys(0xFFFFFFFF, *range(0x7FFFFFFF, 0x7FFFFFFF + size - 1))}, ("Extremes",)
    )
    yield Case("all-tie", {"tape": keys(*[9] * size, *range(size, 0, -1))}, ("Tie",))
    twice = keys(*[9] * size, *[0] * size, *range(size, 0, -1))
    yield Case("all-tie-twice", {"tape": twice}, ("Tie", "TieAgain"))
    if size == 3:
        yield Case("first-and-last-tie", {"tape": keys(10, 5, 10, 1 << 31, 0)}, ("Tie",))
    if size == 5:
        two = keys(7, 1, 7, 1, 7, 9, 2, 5, 5, 0, 1, 0)
        yield Case("two-ties-and-again", {"tape": two}, ("Tie", "TieAgain"))
        crossed = keys(4, 4, 2, 2, 4, 1, 0, 3, 3, 3, 8, 6, 7)
        yield Case("ties-drawn-in-sorted-order", {"tape": crossed}, ("Tie", "TieAgain"))
    yield Case("short", {"tape": keys(*range(size))[:-2]}, ("TapeExhausted",), "tape_exhausted")
    yield Case("short-after-tie", {"tape": keys(*[3] * size)}, ("Tie", "TapeExhausted"), "tape_exhausted")


def _no_orders() -> Iterator[Case]:
    yield Case("size-negative", {"size": -1, "tape": ""}, ("OutOfRange",), "parameter")
    yield Case("size-text", {"size": "many", "tape": ""}, ("WrongType",), "parameter")
    yield Case("no-size", {"tape": ""}, ("Missing",), "parameter")


def _within(codes: tuple[int, ...]) -> Iterator[Case]:
    count = len(codes)
    yield Case("ascending", {"tape": keys(*range(count))})
    yield Case("descending", {"tape": keys(*range(count, 0, -1))})
    equal: dict[int, list[int]] = {}
    for code in codes:
        equal.setdefault(code, []).append(code)
    tied = sum(len(same) for same in equal.values() if len(same) > 1)
    flags = ("Tie", "EqualKeysOfOtherCodes") if len(equal) > 1 else ("Tie",)
    yield Case("all-keys-equal", {"tape": keys(*[6] * count, *range(tied, 0, -1))}, flags)
    again = keys(*[6] * count, *[1] * tied, *range(tied, 0, -1))
    yield Case("all-keys-equal-twice", {"tape": again}, (*flags, "TieAgain"))
    short = keys(*[6] * count, *range(tied, 1, -1))
    yield Case("short", {"tape": short}, ("Tie", "TapeExhausted"), "tape_exhausted")
    left = seeded_tape("order_within", {"codes": list(codes)}, "order", left=3)
    yield Case("several", {"tape": left}, ("TapeLeft",))


def _large_subsets() -> Iterator[Case]:
    for exponent in (32, 53, 60, 62):
        fields = {"population": number(1 << exponent), "count": 4}
        tape = seeded_tape("subset", fields, f"subset/2-to-{exponent}")
        yield Case(f"2-to-{exponent}", {**fields, "tape": tape}, ("Exact",))
    about = 1 << 53
    ends = b"".join(member.to_bytes(7, "big") for member in (about - 2, about - 2, about - 2)).hex()
    yield Case("about-2-to-53", {"population": number(1 << 54), "count": 3, "tape": ends}, ("Exact", "Limit"))


def _subsets(population: int) -> Iterator[Case]:
    yield Case("none", {"count": 0, "tape": "00"}, ("NothingRead", "TapeLeft"))
    for count in sorted({1, min(3, population), min(6, population)}):
        fields = {"population": population, "count": count}
        tape = seeded_tape("subset", fields, f"subset/{population}/{count}", left=1)
        yield Case(f"count-{count}", {"count": count, "tape": tape}, ("TapeLeft",))
    if population == 5:
        yield Case("always-the-first", {"count": 4, "tape": "00000000"}, ("Extremes",))
        yield Case("always-the-last", {"count": 4, "tape": "04030201"}, ("Extremes",))
        yield Case("rejection", {"count": 2, "tape": "070502"}, ("Rejection",), "tape_exhausted")
        yield Case("four-of-four-left", {"count": 2, "tape": "0207"}, ("Masked",))
    too_many = {"count": population + 1, "tape": "00" * 16}
    unread = {"count": population + 1, "tape": ""}
    yield Case("too-many-and-no-bytes", unread, ("OutOfRange", "BeforeTheTape"), "parameter")
    yield Case("too-many", too_many, ("OutOfRange",), "parameter")
    yield Case("count-negative", {"count": -1, "tape": ""}, ("OutOfRange",), "parameter")
