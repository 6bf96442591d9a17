"""The public manifest of a release: what an analyst needs, and nothing that a publisher must hide."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from splu_ref import SPECIFICATION, __version__
from splu_ref.model import DataError, Gamma, InputError, exact, whole

SCHEMA = "splu-ref/manifest/1"


@dataclass(frozen=True)
class Manifest:
    """Public facts of a release.

    Attributes
    ----------
    gamma
        Size of the decoy groups; each record kept its value with probability 1 / gamma.
    plan
        Name of the plan method.
    rows
        Records published.
    domains
        All values of each sensitive column, by column, whether they were published or not.
    """

    gamma: Gamma
    plan: str
    rows: int
    domains: Mapping[str, tuple[str, ...]]

    def to_json(self) -> bytes:
        """Return the manifest as a JSON document: no true count, plan secret, key or seed."""
        document = {
            "schema": SCHEMA,
            "method": "SPLU-Gen",
            "gamma": int(self.gamma),
            "retention": str(Fraction(1, self.gamma)),
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
        If the file is not a manifest of this schema.
    """
    try:
        document: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file: check the path of the manifest") from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: not a JSON file: give the file that sanitize --manifest wrote") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(
            f"{path}: not a manifest of schema {SCHEMA}: give the file that sanitize --manifest wrote"
        )
    try:
        domains = {_text(entry["column"]): _texts(entry["domain"]) for entry in document["sensitive"]}
        gamma, rows = Gamma(document["gamma"]), whole(document["rows"], "rows", 1)
        if exact(_text(document["retention"]), "retention") != Fraction(1, gamma):
            raise DataError("retention is not 1 / gamma: this version knows no other")
        if rows % gamma or not domains:
            raise DataError("rows is no multiple of gamma, or no column is sensitive: ask the publisher")
        manifest = Manifest(gamma, _text(document["plan"]), rows, domains)
    except InputError as error:
        raise DataError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise DataError(f"{path}: the manifest is damaged: ask the publisher for a fresh copy") from None
    return manifest


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError
    return tuple(_text(value) for value in values)
