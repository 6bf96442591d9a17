"""Vectors of keyed randomness."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.fields import number
from splu_ref.decoys import PLANS

PAGE = "docs/specification/randomness.md"
KEY = bytes(range(32)).hex()
OTHER_KEY = (b"\xff" * 32).hex()
NAMES = tuple(name.encode().hex() for name in ("anna", "ben", "carla", "dora", "emil", "fay"))
NUMBERS = tuple(str(place).encode().hex() for place in range(14))


def groups() -> Iterator[Group]:
    """Yield the vector files of keys."""
    for label, key, column in (
        ("occupation", KEY, "occupation"),
        ("no-name", KEY, ""),
        ("greek-name", KEY, "διάγνωση"),
        ("other-key", OTHER_KEY, "occupation"),
    ):
        parameters = {"key": key, "column": column}
        about = f"Choices made with a key for the column {column!r}."
        yield Group("keyed", label, about, PAGE, tuple(_choices()), parameters)
        about = f"Bytes from which the blocks of a plan are drawn, for the column {column!r}."
        yield Group("plan_secret", label, about, PAGE, tuple(_secrets()), parameters)
    yield Group("keyed", "invalid", "Keys and identities that cannot be used.", PAGE, tuple(_invalid()))
    yield Group("plan_secret", "invalid", "Streams that do not exist.", PAGE, tuple(_no_secrets()))
    for method in PLANS:
        fixed: dict[str, object] = {"method": method, "gamma": 3, "key": KEY, "column": "occupation"}
        about = f"Keyed releases with groups of 3 by the method {method}."
        yield Group("publish_keyed", f"{method}-3", about, PAGE, tuple(_releases()), fixed, (method,))


def _choices() -> Iterator[Case]:
    def case(name: str, bound: int, remainder: int, flags: tuple[str, ...] = ()) -> Case:
        fields: dict[str, object] = {"identities": list(NAMES), "codes": [0, 1, 0, 1, 0, 1]}
        return Case(name, fields | {"bound": number(bound), "remainder": remainder}, flags)

    yield case("below-3", 3, 0)
    yield case("below-5", 5, 1, ("Remainder",))
    yield case("below-17", 17, 2, ("Remainder", "Rejection"))
    yield case("below-1", 1, 6, ("NothingRead", "Remainder"))
    yield case("below-2-to-62-plus-1", (1 << 62) + 1, 0, ("SecondBlock",))
    empty: dict[str, object] = {
        "identities": ["", "00", "0000"],
        "codes": [1, 1, 1],
        "bound": 4,
        "remainder": 0,
    }
    yield Case("short-identities", empty, ("Zero",))
    long: dict[str, object] = {
        "identities": ["ab" * 1000, "ab" * 999],
        "codes": [0, 0],
        "bound": 200,
        "remainder": 0,
    }
    yield Case("long-identities", long, ("Large",))


def _invalid() -> Iterator[Case]:
    changes: tuple[tuple[str, str, dict[str, object]], ...] = (
        ("short-key", "OutOfRange", {"key": KEY[2:]}),
        ("long-key", "OutOfRange", {"key": KEY + "00"}),
        ("equal-identities", "OutOfRange", {"identities": ["00", "00"]}),
        ("fewer-codes", "OutOfRange", {"codes": [0]}),
        ("large-remainder", "OutOfRange", {"remainder": 3}),
        ("bound-0", "OutOfRange", {"bound": 0}),
        ("identities-text", "WrongType", {"identities": "0001"}),
        ("identity-no-digits", "WrongType", {"identities": ["00", "xy"]}),
    )
    valid: dict[str, object] = {
        "key": KEY,
        "column": "a",
        "identities": ["00", "01"],
        "codes": [0, 1],
        "bound": 2,
        "remainder": 0,
    }
    for name, flag, changed in changes:
        yield Case(name, valid | changed, (flag,), "parameter")


def _secrets() -> Iterator[Case]:
    for block in (0, 1, 300):
        yield Case(f"block-{block}", {"block": block, "size": 40})
    yield Case("second-part", {"block": 1, "size": 4100}, ("SecondBlock",))
    yield Case("nothing", {"block": 0, "size": 0}, ("Zero",))


def _no_secrets() -> Iterator[Case]:
    valid: dict[str, object] = {"key": KEY, "column": "a", "block": 0, "size": 1}
    yield Case("block-negative", valid | {"block": -1}, ("OutOfRange",), "parameter")
    yield Case("size-negative", valid | {"size": -1}, ("OutOfRange",), "parameter")
    yield Case("short-key", valid | {"key": KEY[2:]}, ("OutOfRange",), "parameter")
    without = {name: value for name, value in valid.items() if name != "block"}
    yield Case("no-block", without, ("Missing",), "parameter")


def _releases() -> Iterator[Case]:
    yield Case("six", {"sensitive": [0, 1, 2, 0, 1, 2], "identities": list(NAMES)})
    reordered = [2, 1, 2, 0, 1, 0], [NAMES[place] for place in (5, 4, 2, 3, 1, 0)]
    yield Case("six-in-another-order", {"sensitive": reordered[0], "identities": reordered[1]})
    codes = [k * 3 % 5 for k in range(14)]
    yield Case("fourteen", {"sensitive": codes, "identities": list(NUMBERS)}, ("Remainder",))
    infeasible = {"sensitive": [0, 0, 0, 1, 2, 1], "identities": list(NAMES)}
    yield Case("infeasible", infeasible, ("Infeasible",), "parameter")
