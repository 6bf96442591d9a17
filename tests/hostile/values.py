"""Values that do not belong where they are put."""

from __future__ import annotations

import re

IN_PLACE = (
    b'"\\ud800"',
    b'"\\u0000"',
    b'"\\u001b[2J"',
    b'""',
    b'"' + b"9" * 400 + b'"',
    b'"1/0"',
    b'"1e999"',
    b"9" * 5_000,
    b"9007199254740993",
    b"-1",
    b"0",
    b"0.5",
    b"1e400",
    b"NaN",
    b"null",
    b"true",
    b"{}",
    b"[" * 400 + b"]" * 400,
    b'{"a":' * 400 + b"1" + b"}" * 400,
)
"""Values that a reader of JSON may meet where it expects another."""

SCALAR = re.compile(rb'"(?:[^"\\]|\\.)*"|[0-9]+')
"""A text or a whole number in JSON or TOML."""
