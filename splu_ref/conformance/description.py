"""What a program says that it can do."""

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
"""What a program may promise of its operations: splu_ref/spec/protocol.py."""

_MOST_UNKNOWN = 100  # words that are reported


@dataclass(frozen=True, slots=True)
class Unknown:
    """A word of the program's description that the specification does not know.

    Attributes
    ----------
    kind
        ``operation`` or ``feature``.
    name
        The word, shortened.
    nearest
        The known word that is most like it; empty if none is.
    """

    kind: str
    name: str
    nearest: str

    def __str__(self) -> str:
        near = f": did you mean {self.nearest}?" if self.nearest else ""
        return f"the specification has no {self.kind} {self.name!r}{near}"

    def to_json(self) -> dict[str, Json]:
        """Return the word for programs."""
        return {"kind": self.kind, "name": self.name, "nearest": self.nearest}


@dataclass(frozen=True, slots=True)
class Description:
    """What a program says that it can do.

    Attributes
    ----------
    operations
        The operations that it supports.
    features
        The features that it supports; None stands for all.
    name, version
        How it calls itself.
    """

    operations: frozenset[str]
    features: frozenset[str] | None
    name: str
    version: str

    def supports(self, file: VectorFile) -> str:
        """Return what is missing for a vector file; an empty text if nothing is."""
        if file.operation != PROTOCOL and file.operation not in self.operations:
            return f"the operation {file.operation} is not supported"
        missing = () if self.features is None else sorted(set(file.requires) - self.features)
        return f"the feature {missing[0]} is not supported" if missing else ""

    def unknown(self, operations: Collection[str], features: Collection[str]) -> list[Unknown]:
        """Return the words that are none of the operations or features that there are: a hundred at most."""
        words = [("operation", word, operations) for word in sorted(self.operations.difference(operations))]
        words += [
            ("feature", word, features) for word in sorted((self.features or set()).difference(features))
        ]
        return [
            Unknown(kind, clipped(word), nearest(word, known)) for kind, word, known in words[:_MOST_UNKNOWN]
        ]


def nearest(word: str, known: Collection[str]) -> str:
    """Return the known word that is most like a word, or an empty text."""
    return next(iter(get_close_matches(word[:100].lower(), known, n=1)), "")


def read_description(answer: Mapping[str, Json]) -> Description:
    """Return what the answer to ``describe`` says; raise ``MisbehaviorError`` if it says nothing."""

    def texts(value: object) -> TypeGuard[list[str]]:
        return isinstance(value, list) and all(isinstance(text, str) for text in value)

    operations = answer.get("ops")
    if "error" in answer or not texts(operations):
        raise MisbehaviorError(f'describe must be answered {{"ops": [texts], ...}}, not {shown(answer)}')
    features = answer.get("features", [])
    if not texts(features):
        raise MisbehaviorError(f"the features of describe must be a list of texts, not {shown(features)}")
    named = [answer.get(key) for key in ("name", "version")]
    if not all(isinstance(text, str) for text in named):
        raise MisbehaviorError(f"describe must be answered with a name and a version, not {shown(answer)}")
    return Description(
        frozenset(operations),
        frozenset(features) if "features" in answer else None,
        clipped(str(named[0])),
        clipped(str(named[1])),
    )
