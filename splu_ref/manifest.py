"""The public manifest of a release: what an analyst needs, and nothing that a publisher must hide."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from splu_ref import SPECIFICATION, __version__
from splu_ref.model import DataError, Gamma, InputError, retention_probability, whole

SCHEMA = "splu-ref/manifest/1"
LONGEST_FILE = 1 << 24
"""Bytes of the largest manifest that is read."""


@dataclass(frozen=True)
class Manifest:
    """Public facts of a release.

    Attributes
    ----------
    gamma
        Size of the decoy groups.
    retention
        Probability p with which each record kept its own value; it took each of the other gamma - 1 values
        of its group with probability (1 - p) / (gamma - 1).
    plan
        Name of the plan method.
    rows
        Records published.
    domains
        All values of each sensitive column, by column, whether they were published or not.
    """

    gamma: Gamma
    retention: Fraction
    plan: str
    rows: int
    domains: Mapping[str, tuple[str, ...]]

    def to_json(self) -> bytes:
        """Return the manifest as a JSON document: no true count, plan secret, key or seed."""
        document = {
            "schema": SCHEMA,
            "method": "SPLU-Gen",
            "gamma": int(self.gamma),
            "retention": str(self.retention),
            "plan": self.plan,
            "rows": self.rows,
            "sensitive": [
                {"column": column, "domain": list(domain)} for column, domain in self.domains.items()
            ],
            "produced_by": {"version": __version__, "spec": SPECIFICATION},
        }
        return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def read_manifest(path: Path) -> Manifest:
    """Read the manifest at ``path``.

    Raises
    ------
    DataError
        If the file cannot be read, or is not a manifest of this schema.
    """
    try:
        with path.open("rb") as file:
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
    try:
        domains = _unrepeated(
            [(_text(entry["column"]), _texts(entry["domain"])) for entry in document["sensitive"]]
        )
        gamma, rows = Gamma(document["gamma"]), whole(document["rows"], "rows", 1)
        retention = retention_probability(_text(document["retention"]), gamma)
        if rows % gamma or not domains:
            raise DataError("rows is no multiple of gamma, or no column is sensitive: ask the publisher")
        manifest = Manifest(gamma, retention, _text(document["plan"]), rows, domains)
    except InputError as error:
        raise DataError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise DataError(f"{path}: the manifest is damaged: ask the publisher for a fresh copy") from None
    return manifest


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
