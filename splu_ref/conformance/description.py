"""The description of a program: its operations and features, as it reports them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeGuard

from splu_ref.channels import Json
from splu_ref.conformance.comparison import clipped, shown
from splu_ref.conformance.program import MisbehaviorError
from splu_ref.conformance.result import PROTOCOL
from splu_ref.conformance.vector import VectorFile

FEATURES = (
    "anatomy",
    "cyclic",
    "mixed",
    "retention",
    "draws",
    "mle",
    "exact",
    "two-state",
    "per-value",
    "large-integers",
    "all-claims",
)
"""The features that a program may report: splu_ref/spec/protocol.py."""

_FORM = 'describe must be answered {"ops": [texts], "name": text, "version": text, ...}'
_MOST_UNKNOWN = 100  # words that are reported


@dataclass(frozen=True, slots=True)
class Unknown:
    """A word of the program's description that the specification does not know."""

    kind: str  # ``operation`` or ``feature``
    name: str  # the word, shortened
    nearest: str  # the closest known word; empty if there is none

    def __str__(self) -> str:
        near = f": did you mean {self.nearest}?" if self.nearest else ""
        return f"the specification has no {self.kind} {self.name!r}{near}"

    def to_json(self) -> dict[str, Json]:
        """Return the JSON form of the word."""
        return {"kind": self.kind, "name": self.name, "nearest": self.nearest}


@dataclass(frozen=True, slots=True)
class Description:
    """The operations and features that a program reports."""

    operations: frozenset[str]  # the operations that it supports
    features: frozenset[str] | None  # the features that it supports; None stands for all
    # name, version: the name and version that it reports
    name: str
    version: str

    def supports(self, file: VectorFile) -> str:
        """Return the unsupported operation or feature of a vector file; an empty text if there is none."""
        if file.operation != PROTOCOL and file.operation not in self.operations:
            return f"the operation {file.operation} is not supported"
        missing = () if self.features is None else sorted(set(file.requires) - self.features)
        return f"the feature {missing[0]} is not supported" if missing else ""

    def unknown(self, operations: Collection[str], features: Collection[str]) -> list[Unknown]:
        """Return the reported operations and features that are not known: the first hundred."""
        words = [("operation", word, operations) for word in sorted(self.operations.difference(operations))]
        words += [
            ("feature", word, features) for word in sorted((self.features or set()).difference(features))
        ]
        return [
            Unknown(kind, clipped(word), nearest(word, known)) for kind, word, known in words[:_MOST_UNKNOWN]
        ]


def nearest(word: str, known: Collection[str]) -> str:
    """Return the known word closest to a word, or an empty text."""
    return next(iter(get_close_matches(word[:100].lower(), known, n=1)), "")


def read_description(answer: Mapping[str, Json]) -> Description:
    """Return the description of an answer to ``describe``; raise ``MisbehaviorError`` if it is malformed."""

    def texts(value: object) -> TypeGuard[list[str]]:
        return isinstance(value, list) and all(isinstance(text, str) for text in value)

    operations = answer.get("ops")
    if "error" in answer or not texts(operations):
        raise MisbehaviorError(f"{_FORM}, not {shown(answer)}")
    features = answer.get("features", [])
    if not texts(features):
        raise MisbehaviorError(f"the features of describe must be a list of texts, not {shown(features)}")
    named = [answer.get(key) for key in ("name", "version")]
    if not all(isinstance(text, str) for text in named):
        raise MisbehaviorError(f"{_FORM}, not {shown(answer)}")
    return Description(
        frozenset(operations),
        frozenset(features) if "features" in answer else None,
        clipped(str(named[0])),
        clipped(str(named[1])),
    )
