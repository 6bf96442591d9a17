"""On which line of a TOML text each key and each table stands: the standard reader keeps no positions.

The text must be valid TOML, which the standard reader has decided before. Then little of the grammar is left
to be distinguished: headers, keys, and where a value ends, for which strings, comments and brackets matter.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys from the top of the document down; a table of an array of tables also has its number, from 0 on."""

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*+")
_KEY = re.compile(
    r"""[ \t]*+(?:(?P<bare>[A-Za-z0-9_-]++)|(?P<basic>"(?:[^"\\\n]|\\.)*+")|'(?P<literal>[^'\n]*+)')[ \t]*+"""
)
_PART = re.compile(
    # Not possessive, which Python before 3.11.5 gets wrong around what may match in two ways.
    r'''"""(?:[^"\\]++|\\.|""?(?!"))*"{3,5}'''
    r"""|'''(?:[^']++|''?(?!'))*'{3,5}"""
    r"""|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|#[^\n]*+|[\[\]{}\n]|[^"'#\[\]{}\n]++""",
    re.DOTALL,
)


def key_lines(text: str) -> dict[Path, int]:
    """Return the line, from 1 on, on which each table and each key of a TOML document first stands."""
    return _Scanner(text).lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._last: dict[Path, int] = {}  # the number of the last table of each array of tables
        self.lines: dict[Path, int] = {}
        table: Path = ()
        at = self._after_blank(0)
        while at < len(text):
            if text[at] == "[":
                table, at = self._header(at)
            else:
                at = self._assignment(table, at)
            at = self._after_blank(at)

    def _after_blank(self, at: int) -> int:
        blank = _BLANK.match(self._text, at)
        assert blank is not None, "the pattern matches the empty text"
        return blank.end()

    def _header(self, at: int) -> tuple[Path, int]:
        """Read ``[a.b]`` or ``[[a.b]]``; return the table that begins, and where the header ends."""
        line, repeated = self._line(at), self._text.startswith("[[", at)
        parts, at = self._key(at + 1 + repeated)
        path: Path = ()
        for number, part in enumerate(parts, start=1):
            path += (part,)
            if repeated and number == len(parts):
                self._last[path] = self._last.get(path, -1) + 1
            self.lines.setdefault(path, line)
            if path in self._last:
                path += (self._last[path],)
                self.lines.setdefault(path, line)
        return path, at + 1 + repeated

    def _assignment(self, table: Path, at: int) -> int:
        """Read ``a.b = value``; return where the next line begins."""
        line = self._line(at)
        parts, at = self._key(at)
        for number in range(1, len(parts) + 1):
            self.lines.setdefault(table + parts[:number], line)
        return self._after_value(at + 1)

    def _key(self, at: int) -> tuple[tuple[str, ...], int]:
        """Return the parts of a dotted key, and where it ends."""
        parts = []
        while (match := _KEY.match(self._text, at)) is not None:
            parts.append(_unquoted(match))
            at = match.end()
            if not self._text.startswith(".", at):
                break
            at += 1
        assert parts, "the text is valid TOML"
        return tuple(parts), at

    def _after_value(self, at: int) -> int:
        depth = 0
        while (match := _PART.match(self._text, at)) is not None:
            part = match.group()
            if part == "\n" and depth == 0:
                break
            depth += (part in ("[", "{")) - (part in ("]", "}"))
            at = match.end()
        return at

    def _line(self, at: int) -> int:
        return bisect_right(self._ends, at - 1) + 1


def _unquoted(match: re.Match[str]) -> str:
    if match["bare"] is not None:
        return match["bare"]
    if match["basic"] is None:
        return match["literal"]
    return str(tomllib.loads(f"key = {match['basic']}")["key"])
