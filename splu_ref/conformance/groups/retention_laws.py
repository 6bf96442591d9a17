"""Vectors of retention replacement by a given law, from the histogram, and with one coin for a record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.keyed import KEY, record
from splu_ref.conformance.groups.randomness import keys
from splu_ref.conformance.groups.retention import JOBS, KEYED, PAGE, SEX, TAPE, TEXTS, declared
from splu_ref.conformance.groups.secrets import document_of, sent
from splu_ref.mechanisms import RetentionReplacement
from splu_ref.model import Exact

LAWS: Mapping[str, Sequence[str]] = {
    "sex": ("1/3", "2/3"),
    "job": ("1/2", "0.25", "1/8", "0", "1/8"),
    "alike": ("1/5", "2/10", "0.2", "1/5", "1/5"),
}
CODES = [k * k % 7 for k in range(20)]
LONG = {
    "above-16-bits": ("1/98764", ("1/3", "2/3")),
    "above-31-bits": ("1/2", ("1000000007/3000000019", "2000000012/3000000019")),
    "above-53-bits": ("1234567/9007199", ("1/1234567891", "1234567890/1234567891")),
    "of-63-bits": ("1/2305843009213693951", ("1/4", "3/4")),
    "of-2-to-63": ("1/2", ("1/4611686018427387904", "4611686018427387903/4611686018427387904")),
}
"""Retention w and a law of the total W, with the bound w W above these sizes and at most 2**63."""


def groups() -> Iterator[Group]:
    """Yield the vector files of the other laws of retention replacement."""
    for replacing, unit in (
        ("given", "cell"),
        ("given", "record"),
        ("identity", "cell"),
        ("uniform", "record"),
    ):
        for retention in ("0", "1/2", "0.35"):
            fixed: dict[str, object] = {"retention": retention, "replacing": replacing, "unit": unit}
            name = f"{replacing}-{unit}-{retention.replace('/', '_')}"
            about = f"Replacing by {replacing}, a coin for each {unit}, retention {retention}."
            yield Group(TAPE, name, about, PAGE, tuple(_tables(fixed)), fixed)
            yield Group(KEYED, name, f"With a key: {about}", PAGE, tuple(_keyed(fixed)), fixed)
    for name, (retention, law) in LONG.items():
        fixed = {"retention": retention, "replacing": "given", "order": "kept"}
        about = f"Integers {name.replace('-', ' ')}: a given law and a retention of {retention}."
        yield Group(TAPE, f"given-{name}", about, PAGE, tuple(_ends(retention, law)), fixed)
    yield Group(TAPE, "laws-chosen-bytes", "Chosen bytes, and where a tape ends.", PAGE, tuple(_chosen()))
    yield Group(TAPE, "laws-told", "How a law and a unit are told.", PAGE, tuple(_told()))
    yield Group(TAPE, "laws-invalid", "Laws and units that are refused.", PAGE, tuple(_invalid()))
    about = "Manifests of retention replacement by other laws."
    yield Group("manifest", "retention-laws", about, PAGE, tuple(_manifests()))


def _with_law(entry: dict[str, object], law: Sequence[str] | None) -> dict[str, object]:
    return entry if law is None else {**entry, "law": list(law)}


def _column(replacing: object, name: str, places: Sequence[int], label: str = "") -> dict[str, object]:
    law = LAWS[name] if replacing == "given" else None
    return _with_law(declared(label or name, SEX if name == "sex" else JOBS, places), law)


def _tables(fixed: Mapping[str, object]) -> Iterator[Case]:
    replacing = fixed["replacing"]
    job, sex = _column(replacing, "job", CODES), _column(replacing, "sex", range(20))
    alike = _column(replacing, "alike", CODES[::-1])
    for name, order, sensitive in (
        ("one", "kept", [job]),
        ("one-record", "shuffled", [_column(replacing, "job", (3,))]),
        ("two", "kept", [job, sex]),
        ("two-shuffled", "shuffled", [job, sex]),
        ("two-the-other-way", "shuffled", [sex, job]),
        ("three", "kept", [alike, sex, job]),
        ("one-value", "kept", [_column(replacing, "job", [2] * 9), _column(replacing, "sex", [1] * 9)]),
    ):
        fields: dict[str, object] = {"sensitive": sensitive, "order": order}
        for left in range(2):
            seed = f"{TAPE}/{fixed}/{name}/{left}"
            tape = seeded_tape(TAPE, {**fixed, **fields}, seed, left=left)
            yield Case(f"{name}-{left}", {**fields, "tape": tape}, ("TapeLeft",) if left else ())
    # One byte less is one too few: the integers of the last column are read from it.
    fields = {"sensitive": [job, sex], "order": "kept"}
    short = seeded_tape(TAPE, {**fixed, **fields}, f"{TAPE}/{fixed}", missing=1)
    yield Case("two-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _keyed(fixed: Mapping[str, object]) -> Iterator[Case]:
    codes, names = CODES[:14], [f"r{place}" for place in range(14)]
    job = _column(fixed["replacing"], "job", codes)
    sex = _column(fixed["replacing"], "sex", range(14))
    records = [
        record(name, JOBS[code % 5], SEX[place % 2])
        for place, (name, code) in enumerate(zip(names, codes, strict=True))
    ]
    first: dict[str, object] = {
        "key": KEY, "columns": ["id", "job", "sex"], "records": records, "id_column": "id",
        "identities": [name.encode().hex() for name in names],
    }  # fmt: skip
    for name, sensitive, order in (
        ("two-columns", [job, sex], "kept"),
        ("two-columns-the-other-way", [sex, job], "shuffled"),
    ):
        yield Case(name, {**first, "sensitive": sensitive, "order": order})


def _ends(retention: str, law: Sequence[str]) -> Iterator[Case]:
    p, shares = Fraction(retention), [Fraction(share) for share in law]
    whole = max(share.denominator for share in shares)
    bound, kept, first = p.denominator * whole, p.numerator * whole, int(shares[0] * whole)
    width = -(-(bound - 1).bit_length() // 8)
    later = [kept - kept % whole + whole * turn + place for turn in (0, 1) for place in (first - 1, first)]
    ends = [
        0,
        kept - 1,
        kept,
        *later,
        bound - whole,
        bound - whole + first - 1,
        bound - whole + first,
        bound - 1,
    ]
    ends = [end for end in dict.fromkeys(ends) if 0 <= end < bound]
    for own in range(2):
        column = _with_law(declared("v", "ab", [own] * len(ends)), law)
        tape = b"".join(end.to_bytes(width, "big") for end in ends).hex()
        yield Case(
            f"ends-of-{'ab'[own]}", {"sensitive": [column], "tape": tape}, ("Exact", "Limit", "Extremes")
        )


def _chosen() -> Iterator[Case]:
    fixed: dict[str, object] = {"retention": "1/2", "replacing": "given", "order": "shuffled"}
    # Weights 2, 1, 0, 1 of 4: of 8 integers four keep, then a, a, b, d.
    four = _with_law(declared("v", "abcd", (2, 2, 2, 2, 2)), ("1/2", "1/4", "0", "1/4"))
    shuffle = keys(5, 4, 3, 2, 1)
    yield Case("of-the-page", {**fixed, "sensitive": [four], "tape": "0304050607" + shuffle})
    backwards = {**four, "domain": list("dcba"), "law": ["1/4", "0", "1/4", "1/2"]}
    yield Case("domain-the-other-way", {**fixed, "sensitive": [backwards], "tape": "0304050607" + shuffle})
    certain = _with_law(declared("v", "ab", (0, 1, 1)), ("1", "0"))
    # A law of the total 1: the coin alone is drawn.
    yield Case(
        "a-law-of-one-value", {**fixed, "order": "kept", "sensitive": [certain], "tape": "000100"}, ("Limit",)
    )
    own = declared("v", "abc", (0, 2, 2, 2, 0))
    histogram = {**fixed, "replacing": "identity", "order": "kept", "sensitive": [own]}
    # Weights 2, 0, 3 of 5: of 10 integers five keep, then a, a, c, c, c.
    yield Case("from-the-histogram", {**histogram, "tape": "0405060709"})
    yield Case("from-the-histogram-rejected", {**histogram, "tape": "0a0f080b0604030e05"}, ("Rejection",))
    two = [declared("v", "abc", (0, 1, 2)), declared("w", "xy", (0, 0, 1))]
    once = {**fixed, "replacing": "uniform", "unit": "record", "order": "kept", "sensitive": two}
    # Six integers for the coin and v, two for w alone: the first record is kept, the others drawn anew.
    yield Case("one-coin", {**once, "tape": "020304" + "000100"})
    yield Case("one-coin-kept", {**once, "tape": "000102" + "010100"})
    yield Case("one-coin-anew", {**once, "tape": "050505" + "010101"})
    yield Case("one-coin-short", {**once, "tape": "020304" + "0001"}, ("TapeExhausted",), "tape_exhausted")
    for unit in ("cell", "record"):
        yield Case(f"one-column-of-a-{unit}", {**once, "unit": unit, "sensitive": two[:1], "tape": "020304"})
    yield Case("no-unit", {**{k: v for k, v in once.items() if k != "unit"}, "tape": "020304" + "000203"})


def _told() -> Iterator[Case]:
    fixed: dict[str, object] = {"retention": "1/4", "replacing": "given", "order": "kept"}
    first = _with_law(declared("v", "abc", (0, 1, 2)), ("1/6", "1/3", "1/2"))
    second = _with_law(declared("B", ("y", "x"), (0, 1, 1)), ("0", "1"))
    texts = len(TEXTS)
    for name, sensitive in (
        ("one", [first]),
        ("decimals", [{**first, "law": ["0.10", "0.40", "5/10"]}]),
        ("domain-the-other-way", [{**first, "domain": list("cba"), "law": ["1/2", "1/3", "1/6"]}]),
        ("uniform", [{**first, "law": ["1/3"] * 3}]),
        ("two", [first, second]),
        ("two-the-other-way", [second, first]),
        (
            "texts",
            [
                _with_law(
                    declared("v", TEXTS, range(texts)),
                    [f"{k}/{texts * (texts - 1) // 2}" for k in range(texts)],
                )
            ],
        ),
    ):
        for unit in ("cell", "record"):
            fields: dict[str, object] = {**fixed, "sensitive": sensitive, "unit": unit}
            tape = seeded_tape(TAPE, fields, f"{TAPE}/told/{name}/{unit}")
            yield Case(f"{name}-{unit}", {**fields, "tape": tape}, ("Text",) if name == "texts" else ())


def _invalid() -> Iterator[Case]:
    column = _with_law(declared("v", "ab", (0, 1)), ("1/3", "2/3"))
    valid: dict[str, object] = {
        "sensitive": [column], "retention": "1/2", "replacing": "given", "order": "kept", "tape": "",
    }  # fmt: skip
    plain = {key: value for key, value in column.items() if key != "law"}
    tiny = Fraction(1, 10**30)
    for name, flag, law in (
        ("sum-below-1", "OutOfRange", ["1/3", "1/3"]),
        ("sum-above-1", "OutOfRange", ["1/3", "1"]),
        ("sum-off-by-little", "OutOfRange", ["1/3", str(Fraction(2, 3) - tiny)]),
        ("negative", "OutOfRange", ["-1/3", "4/3"]),
        ("a-probability-less", "OutOfRange", ["1"]),
        ("a-probability-more", "OutOfRange", ["1/3", "2/3", "0"]),
        ("of-numbers", "WrongType", [0.5, 0.5]),
        ("of-whole-numbers", "WrongType", [1, 0]),
        ("as-text", "WrongType", "1/3"),
        ("as-object", "WrongType", {"a": "1/3", "b": "2/3"}),
        ("null", "WrongType", None),
        ("blank-in-it", "WrongType", ["1/3 ", "2/3"]),
        ("too-many-digits", "OutOfRange", [f"1/{1 << 63}", f"{(1 << 63) - 1}/{1 << 63}"]),
    ):
        changed = {"sensitive": [{**column, "law": law}]}
        yield Case(f"law-{name}", valid | changed, (flag, "BeforeTheTape"), "parameter")
    refused: tuple[tuple[str, str, dict[str, object]], ...] = (
        ("no-law", "Missing", {"sensitive": [plain]}),
        ("no-law-of-the-second", "Missing", {"sensitive": [column, {**plain, "column": "w"}]}),
        ("no-records", "Zero", {"sensitive": [{**column, "cells": []}]}),
        ("a-value-twice", "OutOfRange", {"sensitive": [{**column, "domain": ["a", "a"], "cells": ["a"]}]}),
        ("unit-null", "WrongType", {"unit": None}),
        ("unit-number", "WrongType", {"unit": 1}),
        (
            "identity-by-record",
            "OutOfRange",
            {"sensitive": [plain], "replacing": "identity", "unit": "record"},
        ),
        (
            "identity-without-records",
            "Zero",
            {"sensitive": [{**plain, "cells": []}], "replacing": "identity"},
        ),
    )
    for name, flag, other in refused:
        yield Case(name, valid | other, (flag, "BeforeTheTape"), "parameter")
    unknown: tuple[tuple[str, dict[str, object]], ...] = (
        ("unit-in-capitals", {"unit": "Record"}),
        ("unit-column", {"unit": "column"}),
        ("law-of-uniform", {"replacing": "uniform"}),
        ("law-of-identity", {"replacing": "identity"}),
    )
    for name, each in unknown:
        yield Case(name, valid | each, ("Unknown", "BeforeTheTape"), "unsupported")


def _manifests() -> Iterator[Case]:
    domains = {"job": ["cook", "nurse", "état"], "age": ["9", "10"]}
    entries = [{"column": column, "domain": domain} for column, domain in domains.items()]
    laws: dict[str, Mapping[str, Exact]] = {
        "job": {"cook": "1/2", "nurse": "1/3", "état": "1/6"},
        "age": {"9": "1/4", "10": "3/4"},
    }
    for name, mechanism in {
        "given": RetentionReplacement("3/10", domains, replacing=laws),
        "given-by-record": RetentionReplacement("3/10", domains, replacing=laws, compound=True),
        "identity": RetentionReplacement("0", domains, replacing="identity", shuffled=True),
        "uniform-by-record": RetentionReplacement("1/2", domains, compound=True),
    }.items():
        told: dict[str, object] = dict(mechanism.facts())
        valid = document_of(method=mechanism.name, gamma=None, plan=None, sensitive=entries) | told
        yield Case(name, sent(valid))
        yield Case(f"{name}-columns-the-other-way", sent({**valid, "sensitive": entries[::-1]}))
        changes: dict[str, dict[str, object]] = {"unit-row": {"unit": "row"}, "unit-null": {"unit": None}}
        if name == "given":
            rows = json.loads(str(told["laws"]))
            yield Case("without-blanks", sent({**valid, "laws": json.dumps(rows, separators=(",", ":"))}))
            changes |= {
                "laws-the-other-way": {"laws": json.dumps(rows[::-1])},
                "a-law-less": {"laws": json.dumps(rows[:1])},
                "a-law-more": {"laws": json.dumps([*rows, rows[0]])},
                "a-probability-less": {"laws": json.dumps([rows[0][:1], rows[1]])},
                "numbers": {"laws": json.dumps([[0.25, 0.75], rows[1]])},
                "laws-as-list": {"laws": rows},
                "no-json": {"laws": "1/2, 1/2"},
                "an-object": {"laws": '{"age": []}'},
            }
        if name == "identity":
            changes["by-record"] = {"unit": "record"}
        for label, changed in changes.items():
            yield Case(f"{name}-{label}", sent({**valid, **changed}), ("OutOfRange",), "parameter")
        if "laws" in told:
            left = {key: value for key, value in valid.items() if key != "laws"}
            yield Case(f"{name}-no-laws", sent(left), ("Missing",), "parameter")
