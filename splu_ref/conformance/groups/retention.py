"""Vectors of retention replacement, from a tape and with a key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from splu_ref.conformance.build import Case, Group, Line, seeded_tape
from splu_ref.conformance.groups.keyed import KEY, OTHER_KEY, record
from splu_ref.conformance.groups.randomness import keys
from splu_ref.conformance.groups.secrets import DIGEST, document_of, sent
from splu_ref.mechanisms import RetentionReplacement

PAGE = "docs/specification/publishing.md"
TAPE, KEYED = "publish_retention", "publish_retention_keyed"
SEX, JOBS = ("F", "M"), ("cook", "nurse", "smith", "clerk", "judge")
NUMBERS = ("10", "9", "2", "100", "1", "-3", "0.5", "1e3")
TEXTS = (
    "\U0001d11e",
    "\uff5e",
    "\u00e9",
    "e\u0301",
    "z",
    "Z",
    "",
    " ",
    '"',
    "\\",
    "\x00",
    "\n",
    "\x7f",
    "\u2028",
    "/",
)
"""By code point the first of all is the last, by units of 16 bits it is not; and what JSON escapes."""
LONG = {
    "above-8-bits": ("100/301", 3),
    "above-16-bits": ("12345/98764", 3),
    "above-31-bits": ("1000000007/3000000019", 3),
    "above-32-bits": ("1234567891/4294967311", 2),
    "above-53-bits": ("1234567890123457/9007199254740997", 5),
    "of-62-bits": ("1/2305843009213693951", 2),
    "of-63-bits": ("2305843009213693951/4611686018427387903", 2),
    "of-2-to-63": ("4611686018427387903/4611686018427387904", 2),
}
"""Retention w and number of values m, with the bound w m above these sizes and at most 2**63."""


def groups() -> Iterator[Group]:
    """Yield the vector files of retention replacement."""
    for retention in ("0", "1/2", "1/3", "0.35", "9/10", "2/6"):
        for order in ("kept", "shuffled"):
            fixed: dict[str, object] = {"retention": retention, "replacing": "uniform", "order": order}
            name = f"retention-{retention.replace('/', '_')}-{order}"
            about = f"Values kept with probability {retention}, rows {order}."
            yield Group(TAPE, name, about, PAGE, tuple(_tables(fixed)), fixed)
            about = f"Keyed releases with a retention of {retention}, rows {order}."
            yield Group(KEYED, name, about, PAGE, tuple(_keyed()), fixed)
    for name, (retention, values) in LONG.items():
        fixed = {"retention": retention, "replacing": "uniform", "order": "kept"}
        bound = Fraction(retention).denominator * values
        about = f"Integers below {bound}: a retention of {retention} and {values} values."
        yield Group(TAPE, f"draws-{name}", about, PAGE, tuple(_ends(fixed, values)), fixed)
    yield Group(TAPE, "chosen-bytes", "Chosen bytes, and where a tape ends.", PAGE, tuple(_chosen()))
    yield Group(TAPE, "domains", "Orders and digests of domains.", PAGE, tuple(_domains()))
    about = "Tables and parameters that are refused."
    yield Group(TAPE, "invalid", about, PAGE, tuple(_invalid()), lines=tuple(_half_a_character()))
    about = "Manifests of retention replacement."
    yield Group("manifest", "retention-replacement", about, PAGE, tuple(_manifests()))
    yield Group(KEYED, "invalid", "Keys and records that are refused.", PAGE, tuple(_no_keyed()))


def declared(name: str, domain: Sequence[str], places: Sequence[int]) -> dict[str, object]:
    """Return a column of a request: cells are named by their places in the domain."""
    return {
        "column": name,
        "domain": list(domain),
        "cells": [domain[place % len(domain)] for place in places],
    }


def _tables(fixed: Mapping[str, object]) -> Iterator[Case]:
    codes = [k * k % 7 for k in range(20)]
    sex, job = declared("sex", SEX, range(20)), declared("job", JOBS, codes)
    for name, sensitive in {
        "one": [declared("sex", SEX, (1, 0, 0))],
        "five-values": [job],
        "one-record": [declared("job", JOBS, (3,))],
        "of-numbers": [declared("age", NUMBERS, codes)],
        "two": [job, sex],
        "two-the-other-way": [sex, job],
        "alike": [declared("first", JOBS, codes), declared("second", JOBS, codes)],
        "three": [declared("b", SEX, codes), declared("c", JOBS, codes), declared("a", NUMBERS, range(20))],
        "values-that-do-not-occur": [declared("job", JOBS, [2] * 12)],
    }.items():
        fields: dict[str, object] = {"sensitive": sensitive}
        for left in range(2):
            seed = f"{TAPE}/{fixed['retention']}/{fixed['order']}/{name}/{left}"
            tape = seeded_tape(TAPE, {**fixed, **fields}, seed, left=left)
            yield Case(f"{name}-{left}", {**fields, "tape": tape}, ("TapeLeft",) if left else ())
        short = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{name}", missing=1)
        yield Case(f"{name}-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _ends(fixed: Mapping[str, object], values: int) -> Iterator[Case]:
    domain = [chr(ord("a") + value) for value in range(values)]
    p = Fraction(str(fixed["retention"]))
    bound, kept = p.denominator * values, p.numerator * values
    width = -(-(bound - 1).bit_length() // 8)
    last = [bound - values + value for value in range(values)]
    ends = [0, 1, kept - 1, kept, min(kept + 1, bound - 1), min(kept + values - 1, bound - 1), *last]
    for own in range(2):
        tape = b"".join(end.to_bytes(width, "big") for end in ends).hex()
        fields = {"sensitive": [declared("v", domain, [own] * len(ends))], "tape": tape}
        yield Case(f"ends-of-{domain[own]}", fields, ("Exact", "Limit", "Extremes"))
    column = declared("v", domain, range(24))
    for number in range(3):
        tape = seeded_tape(TAPE, {**fixed, "sensitive": [column]}, f"{TAPE}/{fixed['retention']}/{number}")
        yield Case(f"drawn-{number}", {"sensitive": [column], "tape": tape}, ("Exact",))


def _chosen() -> Iterator[Case]:
    fixed: dict[str, object] = {"retention": "1/2", "replacing": "uniform", "order": "shuffled"}
    four = declared("v", "abcd", (0, 1, 2, 3))
    draws, shuffle = "03060400", keys(4, 3, 2, 1)
    yield Case("of-the-page", {**fixed, "sensitive": [four], "tape": draws + shuffle})
    kept = fixed | {"order": "kept", "sensitive": [four]}
    yield Case("rows-kept", {**kept, "tape": draws}, ("Limit",))
    yield Case("masked", {**kept, "tape": "f3fe0c18"}, ("Masked",))
    three = declared("w", "zxy", (0, 1, 2, 2))
    two = fixed | {"sensitive": [four, three]}
    yield Case("a-column-after-the-other", {**two, "tape": draws + "02030105" + shuffle})
    rejected = draws + "07" * 5 + "02" + "0607" * 4 + "0300" + "05" + shuffle
    yield Case("rejections-in-a-row", {**two, "tape": rejected}, ("Rejection", "RejectionsInARow"))
    same = keys(5, 5, 5, 5, 2, 2, 1, 1, 0, 9, 8, 7)
    yield Case(
        "ties-in-the-shuffle", {**fixed, "sensitive": [four], "tape": draws + same}, ("Tie", "TieAgain")
    )
    for name, tape in {
        "empty-tape": "",
        "ends-in-the-first-column": draws[:-2],
        "ends-between-the-columns": draws,
        "ends-in-a-rejection": draws + "0203" + "07",
        "ends-in-the-shuffle": draws + "02030105" + shuffle[:-2],
    }.items():
        yield Case(name, {**two, "tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _domains() -> Iterator[Case]:
    fixed: dict[str, object] = {"retention": "1/4", "replacing": "uniform", "order": "kept"}
    first = declared("v", ("a", "b", "c"), (0, 1, 2))
    for name, sensitive in {
        "ascending": [first],
        "descending": [declared("v", ("c", "b", "a"), (2, 1, 0))],
        "another-name": [declared("w", ("a", "b", "c"), (0, 1, 2))],
        "empty-name": [declared("", ("a", "b", "c"), (0, 1, 2))],
        "another-value": [declared("v", ("a", "b", "d"), (0, 1, 2))],
        "a-value-more": [declared("v", ("a", "b", "c", "d"), (0, 1, 2))],
        "of-texts": [declared("v", TEXTS, range(len(TEXTS)))],
        "of-texts-the-other-way": [declared("v", TEXTS[::-1], range(len(TEXTS)))],
        "names-of-texts": [declared(name, ("x", "y"), (0, 1)) for name in TEXTS],
        "names-by-code-point": [
            declared(name, ("x", "y"), (0, 1)) for name in ("b", "a", "B", "10", "9", "")
        ],
        "of-numbers": [declared("age", NUMBERS, range(8))],
        "prefixes": [declared("v", ("ab", "a", "abc", "b", ""), range(5))],
    }.items():
        fields: dict[str, object] = {**fixed, "sensitive": sensitive}
        tape = seeded_tape(TAPE, fields, f"{TAPE}/domains/{name}")
        yield Case(name, {**fields, "tape": tape}, ("Text",) if "texts" in name else ())
    for retention in ("0.25", "2/8", "0.250", "25/100"):
        fields = {**fixed, "retention": retention, "sensitive": [first]}
        tape = seeded_tape(TAPE, fields, f"{TAPE}/domains/ascending")
        yield Case(f"retention-{retention.replace('/', '_')}", {**fields, "tape": tape})


def _invalid() -> Iterator[Case]:
    column = declared("v", "ab", (0, 1))
    valid: dict[str, object] = {
        "sensitive": [column], "retention": "1/2", "replacing": "uniform", "order": "kept", "tape": "00" * 99,
    }  # fmt: skip
    large = f"1/{(1 << 62) + 1}"
    for name, flag, changed in (
        ("retention-1", "OutOfRange", {"retention": "1"}),
        ("retention-above-1", "OutOfRange", {"retention": "3/2"}),
        ("retention-negative", "OutOfRange", {"retention": "-1/2"}),
        ("bound-above-2-to-63", "OutOfRange", {"retention": large}),
        ("no-columns", "Zero", {"sensitive": []}),
        ("no-records", "Zero", {"sensitive": [declared("v", "ab", ())]}),
        ("a-column-twice", "OutOfRange", {"sensitive": [column, column]}),
        ("unequal-lengths", "OutOfRange", {"sensitive": [column, declared("w", "ab", (0,))]}),
        ("a-cell-outside", "OutOfRange", {"sensitive": [{**column, "cells": ["a", "c"]}]}),
        ("a-cell-in-capitals", "OutOfRange", {"sensitive": [{**column, "cells": ["a", "B"]}]}),
        ("a-cell-with-a-blank", "OutOfRange", {"sensitive": [{**column, "cells": ["a", "b "]}]}),
        ("one-value", "OutOfRange", {"sensitive": [declared("v", "a", (0, 0))]}),
        ("no-value", "OutOfRange", {"sensitive": [{**column, "domain": [], "cells": []}]}),
        ("a-value-twice", "OutOfRange", {"sensitive": [{**column, "domain": ["a", "b", "a"]}]}),
        ("domain-as-text", "WrongType", {"sensitive": [{**column, "domain": "ab"}]}),
        ("cell-as-number", "WrongType", {"sensitive": [{**column, "cells": ["a", 1]}]}),
        ("cell-null", "WrongType", {"sensitive": [{**column, "cells": ["a", None]}]}),
        ("column-as-number", "WrongType", {"sensitive": [{**column, "column": 1}]}),
        ("no-cells", "Missing", {"sensitive": [{"column": "v", "domain": ["a", "b"]}]}),
        ("no-domain", "Missing", {"sensitive": [{"column": "v", "cells": ["a", "b"]}]}),
        ("no-name", "Missing", {"sensitive": [{"domain": ["a", "b"], "cells": ["a", "b"]}]}),
    ):  # fmt: skip
        yield Case(name, valid | changed, (flag,), "parameter")
        if flag != "WrongType":
            yield Case(
                f"{name}-and-no-bytes", valid | changed | {"tape": ""}, (flag, "BeforeTheTape"), "parameter"
            )
    second = {"sensitive": [column, declared("w", [f"{k}" for k in range(5)], (0, 1))]}
    unread = valid | second | {"retention": f"1/{(1 << 61) - 1}", "tape": ""}
    yield Case(
        "bound-of-the-second-column-and-no-bytes", unread, ("OutOfRange", "BeforeTheTape"), "parameter"
    )
    outside = valid | {"sensitive": [column, declared("w", "ab", (0, 1)) | {"cells": ["a", "x"]}], "tape": ""}
    yield Case(
        "a-cell-of-the-second-column-and-no-bytes", outside, ("OutOfRange", "BeforeTheTape"), "parameter"
    )
    unknown: tuple[tuple[str, dict[str, object]], ...] = (
        ("unknown-law", {"replacing": "by rank"}),
        ("unknown-order", {"order": "sorted"}),
        ("key-of-a-column", {"sensitive": [{**column, "weights": ["1", "1"]}]}),
        ("group-size", {"gamma": 3}),
    )
    for name, each in unknown:
        yield Case(name, valid | each, ("Unknown",), "unsupported")


def _half_a_character() -> Iterator[Line]:
    request: dict[str, object] = {
        "op": TAPE, "sensitive": [declared("v", "ab", (0, 1))],
        "retention": "1/2", "replacing": "uniform", "order": "kept", "tape": "00" * 9,
    }  # fmt: skip
    whole = json.dumps(request)
    for name, old in (("column", '"v"'), ("value", '["a", "b"], "c'), ("cell", '["a", "b"]}')):
        half = whole.replace(old, old.replace('"v"', '"\\ud834"').replace('"b"', '"\\ud834"'))
        yield Line(f"half-a-surrogate-pair-in-a-{name}", half.encode(), ("WrongType",), "parameter")


def _keyed() -> Iterator[Case]:
    codes = [k * k % 5 for k in range(14)]
    names = [f"r{place}" for place in range(14)]
    job, sex = declared("job", JOBS, codes), declared("sex", SEX, range(14))
    cells = [
        (name, JOBS[code], SEX[place % 2])
        for place, (name, code) in enumerate(zip(names, codes, strict=True))
    ]
    records = [record(*each) for each in cells]
    named = [name.encode().hex() for name in names]
    first: dict[str, object] = {
        "sensitive": [job], "key": KEY, "columns": ["id", "job", "sex"], "records": records,
        "identities": named, "id_column": "id",
    }  # fmt: skip
    reverse: dict[str, object] = {
        "sensitive": [{**job, "cells": [JOBS[code] for code in codes[::-1]]}],
        "records": records[::-1],
        "identities": named[::-1],
    }
    changes: dict[str, dict[str, object]] = {
        "first": {},
        "another-key": {"key": OTHER_KEY},
        "records-the-other-way": reverse,
        "two-columns": {"sensitive": [job, sex]},
        "two-columns-the-other-way": {"sensitive": [sex, job]},
        "a-value-more": {"sensitive": [{**job, "domain": [*JOBS, "weaver"]}]},
        "domain-the-other-way": {"sensitive": [{**job, "domain": list(JOBS[::-1])}]},
        "missing": {"missing": "?"},
        "identities-of-cells": {"identities": [each + "00" * 8 for each in records], "id_column": None},
        "another-cell": {"records": [record("r0", "cook", "M"), *records[1:]]},
    }
    for name, changed in changes.items():
        left = {field: value for field, value in (first | changed).items() if value is not None}
        yield Case(name, left)


def _no_keyed() -> Iterator[Case]:
    fixed: dict[str, object] = {"retention": "1/3", "replacing": "uniform", "order": "kept"}
    valid: dict[str, object] = {**fixed, **next(iter(_keyed())).input}
    identities, records = valid["identities"], valid["records"]
    assert isinstance(identities, list)
    assert isinstance(records, list)
    for name, changed in (
        ("retention-1", {"retention": "1"}),
        ("short-key", {"key": KEY[2:]}),
        ("zeros", {"key": "00" * 32}),
        ("equal-identities", {"identities": [identities[0], *identities[:-1]]}),
        ("an-identity-less", {"identities": identities[1:]}),
        ("a-record-less", {"records": records[1:]}),
        ("a-record-more", {"records": [*records, records[0]]}),
    ):
        yield Case(name, valid | changed, ("OutOfRange",), "parameter")
    yield Case("tape", valid | {"tape": "00"}, ("Unknown",), "unsupported")


def _manifests() -> Iterator[Case]:
    domains = {"job": ["cook", "nurse", "\u00e9tat"], "age": ["9", "10", "100"]}
    entries = [{"column": column, "domain": domain} for column, domain in domains.items()]
    mechanism = RetentionReplacement("3/10", domains)
    told: dict[str, object] = dict(mechanism.facts())
    valid = document_of(method=mechanism.name, gamma=None, plan=None, sensitive=entries) | told
    values = ["\u00e9tat", "nurse", "cook"]
    good: tuple[tuple[str, dict[str, object]], ...] = (
        ("as-told", {}),
        ("columns-the-other-way", {"sensitive": entries[::-1]}),
        ("values-the-other-way", {"sensitive": [{**entries[0], "domain": values}, entries[1]]}),
        ("retention-as-decimal", {"retention": "0.30"}),
        ("retention-0", {"retention": "0"}),
        ("shuffled", {"order": "shuffled"}),
        ("rows-no-multiple", {"rows": 13}),
    )
    for name, changed in good:
        yield Case(name, sent({**valid, **changed}))
    bad: tuple[tuple[str, dict[str, object]], ...] = (
        ("retention-1", {"retention": "1"}),
        ("retention-above-1", {"retention": "3/2"}),
        ("retention-number", {"retention": 0.3}),
        ("order-unknown", {"order": "sorted"}),
        ("replacing-unknown", {"replacing": "by rank"}),
        ("another-digest", {"domains": DIGEST}),
        ("digest-in-capitals", {"domains": str(told["domains"]).upper()}),
        ("a-value-less", {"sensitive": [{**entries[0], "domain": ["cook", "nurse"]}, entries[1]]}),
        ("another-column", {"sensitive": [entries[0], {**entries[1], "column": "years"}]}),
        ("a-column-less", {"sensitive": entries[:1]}),
    )
    for name, changed in bad:
        yield Case(name, sent({**valid, **changed}), ("OutOfRange",), "parameter")
    for field in ("retention", "replacing", "order", "domains"):
        left = {key: value for key, value in valid.items() if key != field}
        yield Case(f"no-{field}", sent(left), ("Missing",), "parameter")
