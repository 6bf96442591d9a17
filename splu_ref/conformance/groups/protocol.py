"""Vectors of the protocol itself: lines that are no requests, and operations that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Group, Line

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
    about = "Every line is answered, whatever it holds."
    made = tuple(Line(name, line.encode(), error=kind) for name, line, kind in lines)
    yield Group("protocol", "lines", about, PAGE, lines=made)
    about = "Lines are UTF-8, without a byte-order mark, and white space is that of JSON."
    yield Group("protocol", "bytes", about, PAGE, lines=tuple(_bytes()))
    yield Group(
        "protocol", "describe", "The question what a program supports has no field.", PAGE, lines=_fields()
    )


def _bytes() -> Iterator[Line]:
    request = b'{"op": "describe"}'
    for name, sent in {
        "byte-order-mark": b"\xef\xbb\xbf" + request,
        "continuation-alone": b'{"op": "describe", "id": "\x80"}',
        "latin-1": '{"op": "describe", "id": "é"}'.encode("latin-1"),
        "cut-off-character": b'{"op": "describe", "id": "\xe2\x82"}',
        "overlong": b'{"op": "describe", "id": "\xc0\xaf"}',
        "surrogates-in-utf-8": b'{"op": "describe", "id": "\xed\xa0\xbd\xed\xb8\x80"}',
        "beyond-unicode": b'{"op": "describe", "id": "\xf4\x90\x80\x80"}',
        "utf-16": '{"op": "describe"}'.encode("utf-16-le").replace(b"\n", b""),
        "nul-at-the-end": request + b"\x00",
        "no-break-space": "\u00a0".encode() + request,
        "form-feed": b"\x0c" + request,
        "control-character-in-a-text": b'{"op": "describe", "id": "a\tb"}',
        "infinity": b'{"op": "describe", "x": -Infinity}',
        "hexadecimal-number": b'{"op": "below", "bound": 0x10, "size": 0, "tape": ""}',
        "plus-sign": b'{"op": "below", "bound": +5, "size": 0, "tape": ""}',
        "comment": b'{"op": "describe"} // please',
    }.items():
        yield Line(name, sent)


def _fields() -> tuple[Line, ...]:
    named = {"unknown-field": "x", "features": "features", "tape": "tape"}
    return tuple(
        Line(name, f'{{"op": "describe", "{field}": ""}}'.encode(), ("Unknown",), "unsupported")
        for name, field in named.items()
    )
