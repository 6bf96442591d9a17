"""Vectors of certificates: valid ones, and others with one thing changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from splu_ref.certificates import error_certificate, privacy_certificate, threshold_certificate
from splu_ref.certificates.form import Certificate
from splu_ref.conformance.build import Case, Group

Path: TypeAlias = tuple[str | int, ...]

PAGE = "docs/specification/certificates.md"
PRODUCER = {"version": "1", "spec": "1"}
"""Instead of the package's version, so that a new version changes no vector."""


def groups() -> Iterator[Group]:
    """Yield the vector files of the checker."""
    made: dict[str, dict[str, Certificate]] = {
        "small-sum-privacy": {
            "alpha-3": privacy_certificate(5, "3/10", 3),
            "alpha-1": privacy_certificate(2, 1, 1),
            "alpha-20": privacy_certificate(3, "1/4", 20),
            "no-error-possible": privacy_certificate(2, 3, 4),
        },
        "error-probability": {
            "of-the-paper": error_certificate(10, "3/10", 5),
            "both-tails": error_certificate(3, "1/2", 12),
            "no-error-possible": error_certificate(2, 5, 3),
        },
        "utility-threshold": {
            "some-ends": threshold_certificate(3, "1/2", "1/10"),
            "upper-tail-alone": threshold_certificate(5, "3/2", "1/20"),
            "always": threshold_certificate(3, "1/2", 1),
            "lower-tilt-0": threshold_certificate(2, 1, "1/8"),
        },
    }
    for claim, certificates in made.items():
        about = f"Certificates of the claim {claim}."
        yield Group("certificate", claim, about, PAGE, tuple(_cases(certificates)))
    yield Group("certificate", "unreadable", "What is no certificate.", PAGE, tuple(_unreadable()))


def _cases(certificates: dict[str, Certificate]) -> Iterator[Case]:
    for name, certificate in certificates.items():
        certificate["produced_by"] = PRODUCER
        yield Case(name, {"text": json.dumps(certificate)})
        for change, changed in tampered(certificate):
            yield Case(f"{name}-{change}", {"text": json.dumps(changed)}, ("Tampered",))


def tampered(certificate: Certificate) -> Iterator[tuple[str, object]]:
    """Yield the certificate with one thing changed, and what it is."""
    for name in certificate["parameters"]:
        yield f"other-{name}", _changed(certificate, ("parameters", name), _other_number)
    yield "other-statement", _changed(certificate, ("statement",), lambda text: text.replace("at ", "in ", 1))
    for path in _numbers(certificate["evidence"], ("evidence",)):
        yield f"other-{'-'.join(map(str, path[1:]))}", _changed(certificate, path, _other_digit)
    yield "additional-key", {**certificate, "note": "trust me"}
    yield "no-evidence", {**certificate, "evidence": {}}


def _changed(value: object, path: Sequence[str | int], alter: Callable[[str], str]) -> object:
    """Return a JSON value with the text at a place altered."""
    if not path:
        assert isinstance(value, str)
        return alter(value)
    step, *rest = path
    if isinstance(value, dict):
        return {key: _changed(item, rest, alter) if key == step else item for key, item in value.items()}
    assert isinstance(value, list)
    return [_changed(item, rest, alter) if place == step else item for place, item in enumerate(value)]


def _numbers(value: object, path: Path) -> Iterator[Path]:
    """Yield the places of the numbers of an evidence: of a list, in its first and its last entry."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key in value:
            yield from _numbers(value[key], (*path, key))
    elif isinstance(value, list):
        for index in sorted({0, len(value) - 1}) if value else ():
            yield from _numbers(value[index], (*path, index))


def _other_number(text: str) -> str:
    head, slash, tail = text.partition("/")
    return f"{int(head) + 1}{slash}{tail}" if not slash else f"{int(head) + int(tail)}/{tail}"


def _other_digit(text: str) -> str:
    last = "0123456789abcdef"[(int(text[-1], 16) + 1) % 16]
    return text[:-1] + ("1" if last == "0" and len(text) == 1 else last)


def _unreadable() -> Iterator[Case]:
    certificate = {**error_certificate(3, "1/2", 4), "produced_by": PRODUCER}
    whole = json.dumps(certificate)
    parameters = certificate["parameters"]
    for name, text in {
        "empty": "",
        "no-json": "{certificate}",
        "a-list": "[]",
        "cut-off": whole[:-5],
        "number-outside-a-text": whole.replace('"frequency": "4"', '"frequency": 4'),
        "key-twice": whole.replace('{"schema"', '{"claim": "error-probability", "schema"', 1),
        "other-schema": whole.replace("certificate/1", "certificate/2"),
        "unknown-claim": whole.replace("error-probability", "error-certainty"),
        "leading-zero": whole.replace('"frequency": "4"', '"frequency": "04"'),
        "not-in-lowest-terms": whole.replace('"epsilon": "1/2"', '"epsilon": "2/4"'),
        "decimal-epsilon": whole.replace('"epsilon": "1/2"', '"epsilon": "0.5"'),
        "gamma-1": whole.replace('"gamma": "3"', '"gamma": "1"'),
        "too-large": whole.replace('"frequency": "4"', '"frequency": "999999999999"'),
        "parameter-missing": json.dumps({**certificate, "parameters": {"gamma": parameters["gamma"]}}),
    }.items():
        yield Case(name, {"text": text}, ("Unreadable",))
    yield Case("not-a-text", {"text": {}}, ("WrongType",), "parameter")
