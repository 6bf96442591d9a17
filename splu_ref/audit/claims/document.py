"""A file of claims as text: read with bounds, its floats kept apart, and the line of every key known."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from splu_ref.channels import InputError
from splu_ref.data import open_regular

SCHEMA = "splu-ref/claims/1"
MAX_BYTES = 131_072
MAX_LINE = 1_000
"""Characters of one line: a key of very many parts would take the standard reader very long."""
MAX_CLAIMS = 100
MAX_DIGITS = 400
"""Digits of a whole number, as of each part of a number in quotes."""
MAX_TEXT = 500
"""Characters of a title or a source."""

SPLU_GEN, RETENTION, ALPHA_BETA, WORLD, TABLE = "SPLU-Gen", "retention", "alpha-beta", "world", "table"
MECHANISMS = (SPLU_GEN, RETENTION, ALPHA_BETA, WORLD, TABLE)
"""Mechanisms that claims may be about; a kind of claim says which it knows."""

TOP = ("schema", "title", "release", "claim")
ALWAYS = ("id", "kind", "source", "mechanism")
DEFAULTS = (
    "mechanism", "gamma", "retention", "draws", "epsilon", "releases", "estimator", "values", "world",
    "table", "quasi", "sensitive",
)  # fmt: skip
"""What ``[release]`` may say for all claims."""

ESTIMATORS = ("mle", "exact", "printed")

_BEGINNING = re.compile(rb"""^(?:\xef\xbb\xbf)?[ \t]*(?:\[\[?[^\n,\]]+\]|[\w"'][^\n=,]*=|#)""", re.MULTILINE)
"""The beginning of a line of TOML: a header, a key, or a comment."""


@dataclass(frozen=True, slots=True)
class Float:
    """A number that TOML reads as floating point, as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """The contents of a TOML file, and where they stand."""

    path: str
    contents: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    def line(self, *path: str | int) -> int:
        """Return the line of a key, or else of the nearest table around it that has a line."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1

    def refuse(self, message: str, *path: str | int, claim: str = "") -> NoReturn:
        """Raise an InputError that names the file, the line of ``path`` and the claim."""
        place = f"{self.path}, line {self.line(*path)}" + (f", claim {claim}" if claim else "")
        raise InputError(f"{place}: {message}")

    def refuse_unknown(self, known: tuple[str, ...], where: str, *path: str | int, claim: str = "") -> None:
        """Raise if the table at ``path`` has a key that is not ``known``; name those that are near."""
        table: Any = self.contents
        for step in path:
            table = table[step]
        for key in table:
            if key not in known:
                near = get_close_matches(key[:100], known, n=2)
                remedy = f"did you mean {' or '.join(near)}?" if near else f"its keys are {', '.join(known)}"
                self.refuse(f"{where} has no key {clipped(key)!r}: {remedy}", *path, key, claim=claim)


def read_document(path: Path, of: str = "claims", shorter: str = "divide it into several files") -> Document:
    """Read a TOML file, of claims or of something else that messages name."""
    with open_regular(path) as file:
        data = file.read(MAX_BYTES + 1)
    return parse_document(data, str(path), of, shorter)


def parse_document(
    data: bytes, path: str, of: str = "claims", shorter: str = "divide it into several files"
) -> Document:
    """Read a TOML document that is at hand; as `read_document`."""
    if _is_another_kind(data):
        raise InputError(f"{path}: no TOML file: give a file of {of}")
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: a file of {of} has at most {MAX_BYTES} bytes: {shorter}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: the text is not UTF-8: save the file as UTF-8") from None
    for number, line_text in enumerate(text.split("\n"), start=1):
        if len(line_text) > MAX_LINE:
            raise InputError(
                f"{path}, line {number}: the line has more than {MAX_LINE} characters: break it up"
            )
    try:
        contents = tomllib.loads(text, parse_float=Float)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_explained(path, str(error))) from None
    except RecursionError:
        raise InputError(
            f"{path}: arrays or inline tables are nested too deeply: write the tables of [[…]] one by one"
        ) from None
    except ValueError:  # where Python is set to convert fewer digits than a line has
        raise InputError(f"{path}: a whole number is too long: write at most 400 digits") from None
    return Document(path, contents, key_lines(text.replace("\r\n", "\n")))


def _is_another_kind(data: bytes) -> bool:
    """Return whether no line of a file begins as one of TOML does, or the file is no text."""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    return b"\0" in data or (bool(data.strip()) and not _BEGINNING.search(data))


def clipped(text: str) -> str:
    """Return the text, or the beginning of a long one, for a message."""
    return text if len(text) <= 40 else text[:37] + "..."


def _explained(path: str, message: str) -> str:
    place = re.search(r" \(at line ([0-9]+), column ([0-9]+)\)$", message)
    if place is None:  # at the end of the document
        return f"{path}: no TOML: {_shortened(message)}: mend the file"
    return (
        f"{path}, line {place[1]}, column {place[2]}: no TOML: {_shortened(message[: place.start()])}: mend "
        f"the line"
    )


def _shortened(message: str) -> str:
    """Return a message of the standard reader, which may quote a long key, in at most 200 characters."""
    return message if len(message) <= 200 else message[:197] + "..."


KeyPath: TypeAlias = tuple[str | int, ...]
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


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1 on, on which each table and each key of a TOML document first stands."""
    return _Scanner(text).lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._last: dict[KeyPath, int] = {}  # the number of the last table of each array of tables
        self.lines: dict[KeyPath, int] = {}
        table: KeyPath = ()
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

    def _header(self, at: int) -> tuple[KeyPath, int]:
        """Read ``[a.b]`` or ``[[a.b]]``; return the table that begins, and where the header ends."""
        line, repeated = self._line(at), self._text.startswith("[[", at)
        parts, at = self._key(at + 1 + repeated)
        path: KeyPath = ()
        for number, part in enumerate(parts, start=1):
            path += (part,)
            if repeated and number == len(parts):
                self._last[path] = self._last.get(path, -1) + 1
            self.lines.setdefault(path, line)
            if path in self._last:
                path += (self._last[path],)
                self.lines.setdefault(path, line)
        return path, at + 1 + repeated

    def _assignment(self, table: KeyPath, at: int) -> int:
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
