"""Vectors of fields: each left out, of another type, misspelt, or written in a form that no page allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from splu_ref.conformance.build import Case, Group

PAGE = "docs/specification/conformance.md"
OPTIONAL = frozenset({"retention", "bound", "id_column", "missing", "counts"})
"""Fields that a request may go without, where `REQUIRED` does not ask for them."""
REQUIRED = {
    "below": {"bound"},
    "keyed": {"bound"},
    "publish_counts": {"counts"},
    "publish_retention": {"retention"},
    "publish_retention_keyed": {"retention"},
    "publish_swap": {"retention"},
}
"""By operation, fields that other operations can do without."""
EXACT = frozenset({"epsilon", "t_e", "retention", "confidence", "budget", "rho1", "rho2", "alpha", "beta"})
WRONG_TYPES: Mapping[str, object] = {"null": None, "object": {}, "boolean": True, "fraction": 1.5}
WORDS = frozenset({"method", "model", "replacing", "order"})
NO_NUMBERS = {
    "no-digit-before-the-point": ".5",
    "no-digit-after-the-point": "1.",
    "blank-before": " 1/2",
    "blank-after": "1/2 ",
    "blanks-around-the-bar": "1 / 2",
    "plus-sign": "+1/2",
    "exponent": "5e-1",
    "negative-denominator": "1/-2",
    "decimal-denominator": "1/2.0",
    "two-bars": "1/2/1",
    "two-points": "0.5.0",
    "comma": "0,5",
    "underscore": "1_0/2_0",
    "hexadecimal": "0x1",
    "percent": "50%",
    "empty": "",
    "bar-alone": "/",
    "other-digits": "\u0661/\u0662",
    "infinity": "inf",
    "denominator-0": "1/0",
}


def groups(others: Iterable[Group]) -> Iterator[Group]:
    """Yield a vector file for each operation.

    Parameters
    ----------
    others
        The other vector files: of each operation, the request with most fields is varied.
    """
    requests: dict[str, tuple[Mapping[str, object], tuple[str, ...]]] = {}
    request: Mapping[str, object]
    for group in others:
        for case in group.cases:
            request = {**group.parameters, **case.input}
            best = requests.get(group.operation, ({}, ()))[0]
            if case.error is None and len(request) > len(best):
                requests[group.operation] = request, group.requires
    for operation, (request, features) in requests.items():
        about = f"Fields of {operation}: missing, unknown, of another type or form."
        yield Group(operation, "fields", about, PAGE, tuple(_cases(operation, request)), {}, features)


def _cases(operation: str, request: Mapping[str, object]) -> Iterator[Case]:
    yield Case("as-it-should-be", request)
    yield Case("nothing", {}, ("Missing",), "parameter")
    yield Case("unknown-field", {**request, "colour": 3}, ("Unknown",), "unsupported")
    yield Case("field-in-capitals", {**request, "GAMMA": 3}, ("Unknown",), "unsupported")
    if "tape" in request:
        flags = ("Unknown", "BeforeTheTape")
        yield Case("unknown-field-and-no-bytes", {**request, "tape": "", "colour": 3}, flags, "unsupported")
        for name, tape in {"capitals": "AB", "half-a-byte": "0", "blanks": "00 00", "prefix": "0x00"}.items():
            yield Case(f"tape-{name}", {**request, "tape": tape}, ("WrongType",), "parameter")
    for name, value in request.items():
        label = name.replace("_", "-")
        if name not in OPTIONAL or name in REQUIRED.get(operation, ()):
            left = {field: other for field, other in request.items() if field != name}
            yield Case(f"no-{label}", left, ("Missing",), "parameter")
        for form, other, flag, error in _forms(name, value):
            yield Case(f"{label}-{form}", {**request, name: other}, (flag,) if flag else (), error)


def _forms(name: str, value: object) -> Iterator[tuple[str, object, str, str | None]]:
    """Yield other values of a field: what is changed, the value, a flag, and the kind of error."""
    for kind, other in WRONG_TYPES.items():
        yield kind, other, "WrongType", "parameter"
    if name in EXACT and isinstance(value, str):
        for form, text in NO_NUMBERS.items():
            yield form, text, "WrongType", "parameter"
    elif name in WORDS:
        yield "in-capitals", str(value).upper(), "Unknown", "unsupported"
    elif type(value) is int:
        yield "as-text", str(value), "", None
        for form, text in {
            "blank": f" {value}",
            "sign": f"+{value}",
            "point": f"{value}.0",
            "no": "",
        }.items():
            yield f"{form}-text", text, "WrongType", "parameter"
        yield "2-to-53", 1 << 53, "Exact", "parameter"
    elif isinstance(value, list) and value:
        if type(value[-1]) is int and name != "histogram":
            yield "of-negative", [*value[:-1], -1], "OutOfRange", "parameter"
        for form, entry in WRONG_TYPES.items():
            yield f"of-{form}", [*value[:-1], entry], "WrongType", "parameter"
