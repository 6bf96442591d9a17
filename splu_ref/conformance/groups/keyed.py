"""Vectors of keyed randomness."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.fields import number
from splu_ref.decoys import PLANS

PAGE = "docs/specification/randomness.md"
KEY = "e8a3db1312e6389aed91369fef2c03939273a2599edfef8342e79e315631a886"
OTHER_KEY = "a6a3e48e779fecfd77847d5ddf1a53867512ebe5d1243cb43401fd31e6ad4927"
COUNTED, HALVES = bytes(range(32)).hex(), KEY[:32] * 2
NAMES = tuple(name.encode().hex() for name in ("anna", "ben", "carla", "dora", "emil", "fay"))
MANY = tuple(f"record {place}".encode().hex() for place in range(96))
# After five candidates of 3 bytes, three of 5, or two of 7, a sixteenth byte is left in block 0.
BLOCK_STRADDLING = {
    "straddling-3-bytes": (1 << 23) + 1,
    "straddling-5-bytes": (1 << 39) + 1,
    "straddling-6-bytes": (1 << 47) + 1,
    "straddling-7-bytes": (1 << 55) + 1,
}
NUMBERS = tuple(str(place).encode().hex() for place in range(14))


def groups() -> Iterator[Group]:
    """Yield the vector files of keys."""
    for label, key, column in (
        ("occupation", KEY, "occupation"),
        ("no-name", KEY, ""),
        ("greek-name", KEY, "διάγνωση"),
        ("other-key", OTHER_KEY, "occupation"),
    ):
        parameters = {"release_key": key, "column": column}
        about = f"Choices made with the key of a release for the column {column!r}."
        yield Group("keyed", label, about, PAGE, tuple(_choices()), parameters)
        about = f"Bytes from which the blocks of a plan are drawn, for the column {column!r}."
        yield Group("plan_secret", label, about, PAGE, tuple(_secrets()), parameters)
    yield Group("keyed", "invalid", "Keys and identities that cannot be used.", PAGE, tuple(_invalid()))
    yield Group("plan_secret", "invalid", "Streams that do not exist.", PAGE, tuple(_no_secrets()))
    about = "The keys of releases: all parts of the message change the key."
    yield Group("release_key", "parts", about, PAGE, tuple(_contexts()))
    yield Group("release_key", "invalid", "Keys that are patterns.", PAGE, tuple(_patterns()))
    for method in PLANS:
        fixed: dict[str, object] = {"method": method, "gamma": 3, "column": "occupation"}
        fixed |= {"key": KEY, "columns": ["id", "occupation"], "id_column": "id"}
        about = f"Keyed releases with groups of 3 by the method {method}."
        yield Group("publish_keyed", f"{method}-3", about, PAGE, tuple(_releases()), fixed, (method,))
        for gamma, retention in ((3, "3/4"), (4, "1/7"), (2, "1")):
            kept = fixed | {"gamma": gamma, "retention": retention}
            about = f"Keyed releases with groups of {gamma} and retention {retention} by the method {method}."
            name = f"{method}-{gamma}-retention-{retention.replace('/', '_')}"
            cases = tuple(_many_records())
            yield Group("publish_keyed", name, about, PAGE, cases, kept, (method, "retention"))


def record(*cells: str) -> str:
    """Return the bytes of a record's cells."""
    return b"".join(len(cell.encode()).to_bytes(8, "big") + cell.encode() for cell in cells).hex()


def _contexts() -> Iterator[Case]:
    facts = [["gamma", "3"], ["retention", "1/3"], ["plan", "mixed"]]
    people = [record(*cells) for cells in (("anna", "cook"), ("ben", "smith"), ("carla", "nurse"))]
    first: dict[str, object] = {
        "key": KEY,
        "mechanism": "SPLU-Gen",
        "facts": facts,
        "sensitive": ["occupation"],
        "id_column": "id",
        "columns": ["id", "occupation"],
        "records": people,
    }
    twin = record("ben", "smith")
    changes: tuple[tuple[str, dict[str, object]], ...] = (
        ("first", {}),
        ("another-order", {"records": people[::-1]}),
        ("another-key", {"key": OTHER_KEY}),
        ("another-mechanism", {"mechanism": "Anatomy"}),
        ("no-facts", {"facts": []}),
        ("another-gamma", {"facts": [["gamma", "2"], ["retention", "1/3"], ["plan", "mixed"]]}),
        ("another-retention", {"facts": [["gamma", "3"], ["retention", "1/2"], ["plan", "mixed"]]}),
        ("another-plan", {"facts": [["gamma", "3"], ["retention", "1/3"], ["plan", "cyclic"]]}),
        ("two-columns", {"sensitive": ["occupation", "id"]}),
        ("without-id", {"id_column": None}),
        ("empty-missing", {"missing": ""}),
        ("missing", {"missing": "?"}),
        ("other-names", {"columns": ["name", "occupation"]}),
        ("another-cell", {"records": [record("anna", "smith"), *people[1:]]}),
        ("a-record-less", {"records": people[1:]}),
        ("a-record-twice", {"records": [*people, twin]}),
        ("a-record-three-times", {"records": [*people, twin, twin]}),
        ("no-records", {"records": []}),
    )
    for name, changed in changes:
        left = {field: value for field, value in (first | changed).items() if value is not None}
        yield Case(name, left, ("Zero",) if name == "no-records" else ())


def _patterns() -> Iterator[Case]:
    fields: dict[str, object] = {"mechanism": "a", "facts": [], "sensitive": [], "columns": [], "records": []}
    for name, key in (
        ("zeros", "00" * 32),
        ("ones", "ff" * 32),
        ("counted", COUNTED),
        ("counted-down", bytes(range(255, 223, -1)).hex()),
        ("steps-of-nine", bytes(9 * place % 256 for place in range(32)).hex()),
        ("equal-halves", HALVES),
    ):
        yield Case(name, {"key": key} | fields, ("OutOfRange",), "parameter")
    twice = [["gamma", "3"], ["gamma", "3"]]
    yield Case("a-fact-twice", {"key": KEY} | fields | {"facts": twice}, ("OutOfRange",), "parameter")


def _choices() -> Iterator[Case]:
    def case(name: str, bound: int, remainder: int, flags: tuple[str, ...] = ()) -> Case:
        fields: dict[str, object] = {"identities": list(NAMES), "codes": [0, 1, 0, 1, 0, 1]}
        return Case(name, fields | {"bound": number(bound), "remainder": remainder}, flags)

    yield case("below-3", 3, 0)
    yield case("below-5", 5, 1, ("Remainder",))
    yield case("below-17", 17, 2, ("Remainder", "Rejection"))
    yield case("below-1", 1, 6, ("NothingRead", "Remainder"))
    yield case("below-2-to-62-plus-1", (1 << 62) + 1, 0, ("SecondBlock",))
    many: dict[str, object] = {"identities": list(MANY), "codes": [k % 3 for k in range(len(MANY))]}
    for name, bound in BLOCK_STRADDLING.items():
        fields = many | {"bound": number(bound), "remainder": 5}
        yield Case(name, fields, ("SecondBlock", "Remainder", "RejectionsInARow"))
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
        ("short-key", "OutOfRange", {"release_key": KEY[2:]}),
        ("long-key", "OutOfRange", {"release_key": KEY + "00"}),
        ("counted-key", "OutOfRange", {"release_key": COUNTED}),
        ("equal-halves", "OutOfRange", {"release_key": HALVES}),
        ("equal-identities", "OutOfRange", {"identities": ["00", "00"]}),
        ("fewer-codes", "OutOfRange", {"codes": [0]}),
        ("large-remainder", "OutOfRange", {"remainder": 3}),
        ("bound-0", "OutOfRange", {"bound": 0}),
        ("identities-text", "WrongType", {"identities": "0001"}),
        ("identity-no-digits", "WrongType", {"identities": ["00", "xy"]}),
    )
    valid: dict[str, object] = {
        "release_key": KEY,
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
    valid: dict[str, object] = {"release_key": KEY, "column": "a", "block": 0, "size": 1}
    yield Case("block-negative", valid | {"block": -1}, ("OutOfRange",), "parameter")
    yield Case("size-negative", valid | {"size": -1}, ("OutOfRange",), "parameter")
    yield Case("short-key", valid | {"release_key": KEY[2:]}, ("OutOfRange",), "parameter")
    without = {name: value for name, value in valid.items() if name != "block"}
    yield Case("no-block", without, ("Missing",), "parameter")


def _many_records() -> Iterator[Case]:
    """Yield tables of 26 records, with an id column and without, and with a text for missing cells."""
    codes = [k * 5 % 9 for k in range(26)]
    records = [record(f"r{place}", str(code)) for place, code in enumerate(codes)]
    named = [f"r{place}".encode().hex() for place in range(26)]
    numbered = [each + "00" * 8 for each in records]
    fields: dict[str, object] = {"sensitive": codes, "records": records}
    yield Case("named", {**fields, "identities": named}, ("Remainder",))
    yield Case("numbered", {**fields, "identities": numbered}, ("Remainder",))
    yield Case("missing", {**fields, "identities": named, "missing": "?"}, ("Remainder",))


def _releases() -> Iterator[Case]:
    def case(
        name: str, codes: list[int], identities: list[str], *flags: str, error: str | None = None
    ) -> Case:
        cells = [
            (bytes.fromhex(identity).decode(), f"{code}")
            for identity, code in zip(identities, codes, strict=True)
        ]
        records = [record(*each) for each in cells]
        fields: dict[str, object] = {"sensitive": codes, "identities": identities, "records": records}
        return Case(name, fields, flags, error)

    yield case("six", [0, 1, 2, 0, 1, 2], list(NAMES))
    yield case("six-in-another-order", [2, 1, 2, 0, 1, 0], [NAMES[place] for place in (5, 4, 2, 3, 1, 0)])
    fourteen = [k * 3 % 5 for k in range(14)]
    yield case("fourteen", fourteen, list(NUMBERS), "Remainder")
    swapped = [fourteen[1], fourteen[0], *fourteen[2:]]
    yield case("fourteen-with-two-cells-changed", swapped, list(NUMBERS), "Remainder")
    yield case("infeasible", [0, 0, 0, 1, 2, 1], list(NAMES), "Infeasible", error="parameter")
    half = {"retention": "1/2"}
    kept = case("six", [0, 1, 2, 0, 1, 2], list(NAMES))
    yield Case("six-with-another-retention", {**kept.input, **half})
