"""Vectors of how certificates are read, and of those that are too large."""

from __future__ import annotations

import json
from collections.abc import Iterator

from splu_ref.certificates import error_certificate, privacy_certificate, threshold_certificate
from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.generated import Generator
from splu_ref.conformance.groups.certificates import PAGE, PRODUCER
from splu_ref.conformance.groups.false_certificates import Document, certificate_case

MOST_BYTES = 4_000_000
"""Of a certificate that is read."""


def groups() -> Iterator[Group]:
    """Yield the vector files of readers."""
    about = "What a reader of certificates accepts, and what not."
    yield Group("certificate", "reading", about, PAGE, tuple(_reading()))
    about = "Sizes that are refused before any work."
    yield Group("certificate", "sizes", about, PAGE, tuple(_sizes()))
    text = json.dumps({**error_certificate(3, "1/2", 4), "produced_by": PRODUCER})
    longest: Generator = {
        "seed": "certificate/bytes",
        "count": 2,
        "tape": MOST_BYTES,
        "keys": ["verdict"],
    }
    about = f"A certificate of {MOST_BYTES:,} bytes, and one of a byte more."
    yield Group(
        "certificate", "bytes", about, PAGE,
        parameters={"text": text}, generator=longest, generated_flags=("Limit", "Unreadable"),
    )  # fmt: skip


def _reading() -> Iterator[Case]:
    certificate: Document = {**error_certificate(3, "1/2", 4), "produced_by": PRODUCER}
    whole = json.dumps(certificate)
    evidence = certificate["evidence"]

    def with_evidence(**changed: object) -> str:
        return json.dumps({**certificate, "evidence": {**evidence, **changed}})

    threshold: Document = {**threshold_certificate(3, "1/2", "1/10"), "produced_by": PRODUCER}
    for name, text in {
        "indented": json.dumps(certificate, indent=3),
        "keys-in-reverse": json.dumps(dict(reversed(certificate.items()))),
        "white-space-of-all-kinds": "\r\n\t " + whole + " \n\r\t",
        "escaped": whole.replace("schema", "\\u0073chema"),
        "other-producer": json.dumps(
            {**certificate, "produced_by": {"version": "9.9+x-1", "spec": "z" * 64}}
        ),
        "numerator-a-list": with_evidence(numerator=["1"]),
        "numerator-null": with_evidence(numerator=None),
        "numerator-in-capitals": with_evidence(numerator=evidence["numerator"].upper()),
        "numerator-with-a-zero-before": with_evidence(numerator="0" + evidence["numerator"]),
        "statement-with-a-blank": whole.replace("a probability", "a  probability"),
        "statement-null": json.dumps({**certificate, "statement": None}),
    }.items():
        yield Case(name, {"text": text})
    for name, produced in {
        "no-version": {"spec": "1"},
        "long-version": {"version": "1" * 65, "spec": "1"},
        "empty-version": {"version": "", "spec": "1"},
        "version-with-a-blank": {"version": "1 0", "spec": "1"},
        "version-beyond-ascii": {"version": "\u0661", "spec": "1"},
        "version-with-a-line-feed": {"version": "1\n", "spec": "1"},
        "more-keys": {"version": "1", "spec": "1", "by": "me"},
    }.items():
        yield Case(
            f"producer-{name}",
            {"text": json.dumps({**certificate, "produced_by": produced})},
            ("Unreadable",),
        )
    for name, text in {
        "something-after": whole + " {}",
        "a-brace-after": whole + "}",
        "byte-order-mark": "\ufeff" + whole,
        "no-break-space": "\u00a0" + whole,
        "form-feed": "\x0c" + whole,
        "control-character": whole.replace("probability", "proba\x01bility"),
        "line-feed-in-a-text": whole.replace("probability", "proba\nbility"),
        "trailing-comma": whole[:-1] + ",}",
        "true-for-a-text": whole.replace('"4"', "true"),
        "frequency-0": whole.replace('"frequency": "4"', '"frequency": "0"'),
        "frequency-of-13-digits": whole.replace('"frequency": "4"', '"frequency": "1000000000000"'),
        "frequency-with-a-plus": whole.replace('"frequency": "4"', '"frequency": "+4"'),
        "frequency-with-a-line-feed": whole.replace('"frequency": "4"', '"frequency": "4\\n"'),
        "frequency-in-other-digits": whole.replace('"frequency": "4"', '"frequency": "\u0664"'),
        "epsilon-0": whole.replace('"epsilon": "1/2"', '"epsilon": "0"'),
        "epsilon-negative": whole.replace('"epsilon": "1/2"', '"epsilon": "-1/2"'),
        "epsilon-of-401-digits": whole.replace('"epsilon": "1/2"', f'"epsilon": "1/{"3" * 401}"'),
        "epsilon-over-1": whole.replace('"epsilon": "1/2"', '"epsilon": "2/1"'),
        "evidence-with-another-key": with_evidence(note="x"),
        "evidence-without-a-key": json.dumps({**certificate, "evidence": {"f": "4"}}),
        "evidence-a-list": json.dumps({**certificate, "evidence": []}),
        "claim-in-capitals": whole.replace("error-probability", "Error-Probability"),
        "parameter-of-another-claim": whole.replace('"gamma": "3"', '"gamma": "3", "alpha": "4"'),
    }.items():
        yield Case(name, {"text": text}, ("Unreadable",))
    tail = threshold["evidence"]["tail"]
    for name, changed in {
        "tail-from-0": {**tail, "from": "0"},
        "tail-from-in-capitals": {**tail, "from": "1A"},
        "tail-from-of-65-digits": {**tail, "from": "1" * 65},
        "tilt-with-a-zero-before": {**tail, "upper": {**tail["upper"], "numerator": "02"}},
        "tilt-in-capitals": {**tail, "upper": {**tail["upper"], "numerator": "B"}},
        "tilt-of-65-digits": {**tail, "upper": {**tail["upper"], "numerator": "1" * 65}},
        "tilt-over-0": {**tail, "upper": {**tail["upper"], "denominator": "0"}},
        "tilt-not-in-lowest-terms": {
            **tail,
            "upper": {**tail["upper"], "numerator": "4", "denominator": "2"},
        },
        "no-upper-side": {**tail, "upper": None},
        "side-with-another-key": {**tail, "upper": {**tail["upper"], "z": "1"}},
    }.items():
        document = {**threshold, "evidence": {**threshold["evidence"], "tail": changed}}
        yield Case(name, {"text": json.dumps(document)}, ("Unreadable",))
    untold = {**tail, "upper": {**tail["upper"], "mantissa": None}}
    document = {**threshold, "evidence": {**threshold["evidence"], "tail": untold}}
    yield Case("upper-number-null", {"text": json.dumps(document)})
    no_ends: dict[str, object] = {
        "ends-a-text": "x",
        "ends-an-object": {},
        "ends-null": None,
        "ends-of-texts": ["1"],
    }
    for name, ends in no_ends.items():
        document = {**threshold, "evidence": {**threshold["evidence"], "ends": ends}}
        yield Case(name, {"text": json.dumps(document)})
    for name, t_e in {"t_e-above-1": "3/2", "t_e-0": "0", "t_e-of-two-forms": "10/100"}.items():
        yield Case(name, {"text": json.dumps(threshold).replace('"t_e": "1/10"', f'"t_e": "{t_e}"')})


def _sizes() -> Iterator[Case]:
    """Yield certificates that are too large by one of the limits alone."""

    def claimed(gamma: int, epsilon: str, **counts: int) -> Document:
        name, count = next(iter(counts.items()))
        made = error_certificate(3, "1/2", 4) if name == "frequency" else privacy_certificate(3, "1/2", 4)
        certificate: Document = json.loads(json.dumps(made))
        return {**certificate, "parameters": {"gamma": str(gamma), "epsilon": epsilon, name: str(count)}}

    for name, document in {
        "trials": claimed(2, "1/100000", frequency=500_001),
        "bits": claimed(31, "1/100000", frequency=26_000),
        "an-exact-sum": claimed(2, "1", frequency=250_000),
        "rounded-sums": claimed(2, "1", alpha=20_000),
    }.items():
        yield certificate_case(name, document, "Unreadable")
    # At the limits themselves, and refuted by the lengths of their lists, before any probability.
    for name, document in {
        "trials-at-the-limit": claimed(2, "1/1000000", alpha=500_000),
        "bits-at-the-limit": claimed(16, "1/1000000", alpha=50_000),
    }.items():
        for form in document["evidence"].values():
            form["candidates"] = form["candidates"] * 4
        yield certificate_case(name, document, "Limit")
