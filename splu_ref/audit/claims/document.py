"""A file of claims as text: read with bounds, its floats kept apart, and the line of every key known."""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from splu_ref.audit.claims.format import MAX_BYTES, MAX_LINE
from splu_ref.audit.claims.toml_lines import Path as KeyPath
from splu_ref.audit.claims.toml_lines import key_lines
from splu_ref.channels import InputError
from splu_ref.data import open_regular

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
