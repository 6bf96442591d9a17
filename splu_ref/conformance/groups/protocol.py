"""Vectors of the protocol itself: lines that are no requests, and operations that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Group

PAGE = "docs/specification/conformance.md"


def groups() -> Iterator[Group]:
    """Yield the vector files that every program is held to."""
    lines = (
        ("words", "describe", "malformed"),
        ("empty", "", "malformed"),
        ("blanks", "   ", "malformed"),
        ("cut-off", '{"op": "describe"', "malformed"),
        ("two-objects", '{"op": "describe"} {"op": "describe"}', "malformed"),
        ("single-quotes", "{'op': 'describe'}", "malformed"),
        ("trailing-comma", '{"op": "describe",}', "malformed"),
        ("not-a-number", '{"op": "describe", "x": NaN}', "malformed"),
        ("list", '["describe"]', "malformed"),
        ("text", '"describe"', "malformed"),
        ("number", "7", "malformed"),
        ("null", "null", "malformed"),
        ("no-operation", '{"operation": "describe"}', "malformed"),
        ("operation-number", '{"op": 1}', "malformed"),
        ("operation-list", '{"op": ["describe"]}', "malformed"),
        ("deep", "[" * 2_000 + "]" * 2_000, "malformed"),
        ("unknown-operation", '{"op": "guess"}', "unsupported"),
        ("operation-in-capitals", '{"op": "DESCRIBE"}', "unsupported"),
        ("empty-operation", '{"op": ""}', "unsupported"),
        ("escaped-operation", '{"op": "\\u0067uess", "x": ["\\"", {"y": -1.5e+3}]}', "unsupported"),
    )
    yield Group("protocol", "lines", "Every line is answered, whatever it holds.", PAGE, lines=lines)
