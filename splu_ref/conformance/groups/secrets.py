"""Vectors of seeds, key files and manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.groups.keyed import COUNTED, HALVES, KEY, OTHER_KEY

PAGE = "docs/specification/randomness.md"
MANIFEST_PAGE = "docs/specification/publishing.md"
DIGEST = "0123456789abcdef" * 4


def groups() -> Iterator[Group]:
    """Yield the vector files of what a release is made with, and of what is told of it."""
    yield Group("seeded", "streams", "The streams of seeds.", PAGE, tuple(_seeds()))
    yield Group("key_file", "files", "The line of a key file.", PAGE, tuple(_key_files()))
    yield Group("manifest", "read", "What a manifest tells.", MANIFEST_PAGE, tuple(_manifests()))
    yield Group("manifest", "refused", "What is no manifest.", MANIFEST_PAGE, tuple(_no_manifests()))


def _seeds() -> Iterator[Case]:
    for name, seed in {
        "empty": b"",
        "zero": b"0",
        "number": b"42",
        "negative": b"-7",
        "leading-zero": b"042",
        "text": "gr\u00fcn".encode(),
        "nul": b"\x00",
        "long": bytes(range(256)) * 5,
    }.items():
        yield Case(name, {"seed": seed.hex(), "size": 24})
    yield Case("nothing", {"seed": "00", "size": 0}, ("Zero",))
    for size in (4_095, 4_096, 4_097, 8_200):
        yield Case(
            f"{size}-bytes", {"seed": b"42".hex(), "size": size}, ("SecondBlock",) if size > 4_096 else ()
        )
    yield Case("size-negative", {"seed": "00", "size": -1}, ("OutOfRange",), "parameter")


def _key_files() -> Iterator[Case]:
    line = f"splu-ref-key-1 {KEY}"
    for name, content in {
        "line-feed": line + "\n",
        "carriage-return": line + "\r\n",
        "no-line-end": line,
        "other-key": f"splu-ref-key-1 {OTHER_KEY}\n",
    }.items():
        yield Case(name, {"file": content.encode().hex()})
    for name, content in {
        "empty": "",
        "key-alone": KEY + "\n",
        "capitals": f"splu-ref-key-1 {KEY.upper()}\n",
        "other-version": f"splu-ref-key-2 {KEY}\n",
        "two-blanks": f"splu-ref-key-1  {KEY}\n",
        "tab": f"splu-ref-key-1\t{KEY}\n",
        "blank-before": f" {line}\n",
        "blank-after": f"{line} \n",
        "two-lines": f"{line}\n{line}\n",
        "blank-line-after": f"{line}\n\n",
        "byte-order-mark": f"\ufeff{line}\n",
        "a-digit-less": line[:-1] + "\n",
        "a-digit-more": line + "0\n",
        "no-digits": f"splu-ref-key-1 {'g' * 64}\n",
        "other-digits": f"splu-ref-key-1 {chr(0x661) * 64}\n",
        "zeros": f"splu-ref-key-1 {'00' * 32}\n",
        "counted": f"splu-ref-key-1 {COUNTED}\n",
        "equal-halves": f"splu-ref-key-1 {HALVES}\n",
        "carriage-return-alone": line + "\r",
    }.items():
        yield Case(name, {"file": content.encode().hex()}, ("OutOfRange",), "parameter")


def document_of(**changed: object) -> dict[str, object]:
    """Return a manifest of SPLU-Gen with some keys changed, and without those that are None."""
    document: dict[str, object] = {
        "schema": "splu-ref/manifest/2",
        "method": "SPLU-Gen",
        "gamma": 3,
        "retention": "1/3",
        "plan": "mixed",
        "rows": 12,
        "sensitive": [{"column": "diagnosis", "domain": ["asthma", "flu", "gout", "\u00e9tat"]}],
        "table": DIGEST,
        "release": DIGEST[:32],
        "date": "2024-02-29",
        "produced_by": {"version": "9.9", "spec": "2", "code": DIGEST},
        **changed,
    }
    return {name: value for name, value in document.items() if value is not None}


def sent(document: object) -> dict[str, object]:
    """Return the input of the operation ``manifest`` for a document."""
    return {"file": json.dumps(document, ensure_ascii=False).encode().hex()}


def _manifests() -> Iterator[Case]:
    untold = dict.fromkeys(("gamma", "retention", "plan"))
    first = dict.fromkeys(("table", "release", "date"))
    made = {"version": "1", "spec": "1"}
    for name, document in {
        "splu-gen": document_of(),
        "retention": document_of(retention="3/5"),
        "retention-as-decimal": document_of(retention="0.6"),
        "batches": document_of(batches=[3, 6, 3]),
        "two-columns": document_of(
            sensitive=[{"column": "v", "domain": ["a", "b"]}, {"column": "w", "domain": ["y", "x"]}]
        ),
        "first-schema": document_of(schema="splu-ref/manifest/1", produced_by=made, **first),
        "two-tables": document_of(method="Anatomy", retention=None),
        "distribution-based": document_of(method="DBR", **untold),
        "counts": document_of(method="Laplace counts", budget="ln 2", **untold),
        "another-key": document_of(note="ours"),
    }.items():
        yield Case(name, sent(document))


def _no_manifests() -> Iterator[Case]:
    for name, document in {
        "list": [],
        "schema-3": document_of(schema="splu-ref/manifest/3"),
        "no-schema": document_of(schema=None),
        "no-method": document_of(method=None),
        "unknown-method": document_of(method="k-anonymity"),
        "method-in-capitals": document_of(method="SPLU-GEN"),
        "no-gamma": document_of(gamma=None),
        "gamma-1": document_of(gamma=1),
        "gamma-fraction": document_of(gamma=2.5),
        "retention-0": document_of(retention="0"),
        "retention-above-1": document_of(retention="4/3"),
        "retention-number": document_of(retention=0.5),
        "unknown-plan": document_of(plan="greedy"),
        "rows-0": document_of(rows=0),
        "rows-no-multiple-of-gamma": document_of(rows=13),
        "batches-that-do-not-add-up": document_of(batches=[3, 6]),
        "one-batch": document_of(batches=[12]),
        "batch-no-multiple-of-gamma": document_of(batches=[4, 8]),
        "nothing-sensitive": document_of(sensitive=[]),
        "column-twice": document_of(sensitive=[{"column": "v", "domain": ["a", "b"]}] * 2),
        "domain-of-numbers": document_of(sensitive=[{"column": "v", "domain": [1, 2]}]),
        "no-domain": document_of(sensitive=[{"column": "v"}]),
        "no-table": document_of(table=None),
        "table-in-capitals": document_of(table=DIGEST.upper()),
        "table-too-short": document_of(table=DIGEST[:-1]),
        "release-too-long": document_of(release=DIGEST[:33]),
        "date-in-words": document_of(date="29 February 2024"),
        "no-producer": document_of(produced_by=None),
        "no-code": document_of(produced_by={"version": "9.9", "spec": "2"}),
    }.items():
        yield Case(name, sent(document), ("OutOfRange",), "parameter")
    whole = json.dumps(document_of())
    for name, text in {
        "empty": "",
        "cut-off": whole[:-1],
        "gamma-twice": whole.replace('"gamma": 3', '"gamma": 5, "gamma": 3'),
        "something-after": whole + "x",
    }.items():
        yield Case(name, {"file": text.encode().hex()}, ("OutOfRange",), "parameter")
    yield Case(
        "latin-1", {"file": whole.replace("9.9", "\u00e9").encode("latin-1").hex()}, ("Text",), "parameter"
    )
