"""Vectors of orders with ties again and again: all ties of a round are drawn before those of the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.randomness import keys
from splu_ref.conformance.reference import answer
from splu_ref.randomness import SeededSource

PAGE = "docs/specification/randomness.md"
_KEYS = 1_000
"""More keys than any of these orders reads."""


def groups() -> Iterator[Group]:
    """Yield the vector files of ties three deep and deeper."""
    for size in (4, 6, 9):
        about = f"Orders of {size} items of which few keys differ."
        cases = tuple(_few_keys("permutation", {"size": size}))
        yield Group("permutation", f"ties-{size}", about, PAGE, (*_chosen(size), *cases), {"size": size})
    for name, codes in {
        "two-values": [1, 0, 1, 0, 1, 0, 1],
        "two-digit-codes": [10, 2, 10, 2, 9, 9, 10],
    }.items():
        about = f"Orders of {len(codes)} records within their values, of which few keys differ."
        cases = tuple(_few_keys("order_within", {"codes": codes}))
        yield Group("order_within", f"ties-{name}", about, PAGE, cases, {"codes": codes})
    fixed: dict[str, object] = {"method": "mixed", "gamma": 3}
    about = "Plans of which the order of groups has ties three deep."
    yield Group("plan", "ties-mixed-3", about, PAGE, tuple(_plans(fixed)), fixed, ("mixed",))
    fixed = {"method": "anatomy", "gamma": 3}
    about = "Releases of which both orders have ties three deep."
    yield Group("publish", "ties-anatomy-3", about, PAGE, tuple(_releases(fixed)), fixed, ("anatomy",))


def _chosen(size: int) -> Iterator[Case]:
    if size != 4:
        return
    flags = ("Tie", "TieAgain")
    # Two pairs, tied for two more rounds: the first pair draws its fourth keys after the second its third.
    pairs = keys(5, 5, 9, 9) + keys(7, 7, 1, 1) + keys(4, 4, 8, 2) + keys(1, 2)
    yield Case("round-by-round", {"tape": pairs}, flags)
    three = keys(5, 5, 5, 9) + keys(3, 3, 1) + keys(6, 6) + keys(2, 1)
    yield Case("one-of-three-leaves", {"tape": three}, flags)
    four = keys(5, 5, 5, 5) + keys(2, 1, 2, 1) + keys(0, 0, 0, 0) + keys(9, 8, 1, 2)
    yield Case("a-group-falls-into-two", {"tape": four}, flags)


def _few_keys(operation: str, fields: Mapping[str, object]) -> Iterator[Case]:
    for different in (2, 3):
        for number in range(3):
            tape = tied(operation, fields, different, f"ties/{operation}/{different}/{number}")
            yield Case(f"{different}-keys-{number}", {"tape": tape}, ("Tie", "TieAgain"))


def tied(operation: str, fields: Mapping[str, object], different: int, seed: str) -> str:
    """Return a tape of an order that has so few different keys that items tie many times."""
    stream = SeededSource(f"{seed}/{fields}".encode())
    tape = keys(*(stream.integer_below(different) for _ in range(_KEYS)))
    given = answer({"op": operation, **fields, "tape": tape})
    consumed = given["consumed"]
    assert isinstance(consumed, int)
    return tape[: 2 * consumed]


def _plans(fixed: Mapping[str, object]) -> Iterator[Case]:
    for name, histogram in {"example": [3, 2, 2, 1, 1], "five-groups": [4, 4, 3, 2, 1, 1]}.items():
        number = sum(histogram) // 3
        passes = [k // number for k in range(number * (64 * number).bit_length())]
        order = tied("order_within", {"codes": passes}, 3, f"ties/plan/{name}")
        fields = {"histogram": histogram}
        yield Case(
            name, {**fields, "tape": _continued("plan", {**fixed, **fields}, order)}, ("Tie", "TieAgain")
        )


def _releases(fixed: Mapping[str, object]) -> Iterator[Case]:
    for number, codes in enumerate(([0, 1, 2, 0, 1, 2, 0, 1, 3], [4, 4, 1, 1, 0, 0, 2, 2, 3, 3, 5, 5])):
        order = tied("order_within", {"codes": codes}, 2, f"ties/publish/{number}")
        draws = seeded_tape("below", {"bound": 3, "size": len(codes)}, f"ties/publish/{number}")
        shuffle = tied("permutation", {"size": len(codes)}, 2, f"ties/shuffle/{number}")
        yield Case(
            f"table-{number}", {"sensitive": codes, "tape": order + draws + shuffle}, ("Tie", "TieAgain")
        )


def _continued(operation: str, fields: Mapping[str, object], beginning: str) -> str:
    """Return a tape that begins so, and goes on at random to where the request has read enough."""
    rest = SeededSource(f"{operation}/{fields}".encode()).read(4_096).hex()
    given = answer({"op": operation, **fields, "tape": beginning + rest})
    consumed = given["consumed"]
    assert isinstance(consumed, int)
    return (beginning + rest)[: 2 * consumed]
