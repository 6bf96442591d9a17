"""The public manifest of a release: what an analyst needs, and nothing that a publisher must hide."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from splu_ref import SPECIFICATION, __version__
from splu_ref.files import opened
from splu_ref.interfaces import Mechanism
from splu_ref.model import DataError, InputError, whole

SCHEMA = "splu-ref/manifest/1"
LONGEST_FILE = 1 << 24
"""Bytes of the largest manifest that is read."""


@dataclass(frozen=True)
class Manifest:
    """Public facts of a release.

    Attributes
    ----------
    mechanism
        How the table was published.
    rows
        Records published.
    domains
        All values of each sensitive column, by column, whether they were published or not.
    """

    mechanism: Mechanism[object]
    rows: int
    domains: Mapping[str, tuple[str, ...]]

    def to_json(self) -> bytes:
        """Return the manifest as a JSON document: no true count, plan secret, key or seed."""
        document = {
            "schema": SCHEMA,
            "method": self.mechanism.name,
            **self.mechanism.facts(),
            "rows": self.rows,
            "sensitive": [
                {"column": column, "domain": list(domain)} for column, domain in self.domains.items()
            ],
            "produced_by": {"version": __version__, "spec": SPECIFICATION},
        }
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


class Facts:
    """The content of a manifest's file, read by name.

    Each method raises ``KeyError``, ``TypeError`` or ``ValueError`` where the file holds no such thing.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def text(self, name: str) -> str:
        """Return a text."""
        return _text(self._document[name])

    def whole(self, name: str) -> int:
        """Return a whole number of at least 1."""
        return whole(self._document[name], name, 1)

    def domains(self) -> dict[str, tuple[str, ...]]:
        """Return the domains of the sensitive columns, at least one."""
        found = [(_text(entry["column"]), _texts(entry["domain"])) for entry in self._document["sensitive"]]
        if not found:
            raise DataError("no column is sensitive: ask the publisher")
        return _unrepeated(found)


def read_manifest(path: Path, mechanisms: Mapping[str, Callable[[Facts], Mechanism[object]]]) -> Manifest:
    """Read the manifest at ``path``.

    Parameters
    ----------
    path
        The file.
    mechanisms
        By method, what makes the mechanism of the facts that the manifest tells.

    Raises
    ------
    DataError
        If the file cannot be read, is not a manifest of this schema, or names another method.
    """
    try:
        with opened(path) as file:
            data = file.read(LONGEST_FILE + 1)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file: check the path of the manifest") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}: check the path of the manifest and its rights") from None
    if len(data) > LONGEST_FILE:
        raise DataError(
            f"{path}: longer than {LONGEST_FILE} bytes: give the file that sanitize --manifest wrote"
        )
    try:
        document: Any = json.loads(data, object_pairs_hook=_unrepeated)
    except KeyError:
        raise DataError(f"{path}: a key stands there twice: ask the publisher for a fresh copy") from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: not a JSON file: give the file that sanitize --manifest wrote") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(
            f"{path}: not a manifest of schema {SCHEMA}: give the file that sanitize --manifest wrote"
        )
    method, facts = document.get("method"), Facts(document)
    if not isinstance(method, str) or method not in mechanisms:
        raise DataError(
            f"{path}: the method {method!r} is unknown: the manifest must name one of {', '.join(mechanisms)}"
        )
    try:
        return Manifest(mechanisms[method](facts), facts.whole("rows"), facts.domains())
    except InputError as error:
        raise DataError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise DataError(f"{path}: the manifest is damaged: ask the publisher for a fresh copy") from None


def _unrepeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Build a mapping, and refuse a key that is given twice: the last would count, without a word."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # a lone surrogate is a ValueError
    return value


def _texts(values: object) -> tuple[str, ...]:
    """Return a domain: texts, none twice."""
    if not isinstance(values, list) or not values:
        raise TypeError
    return tuple(_unrepeated([(_text(value), None) for value in values]))
