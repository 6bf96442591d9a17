"""What a program says that it can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeGuard

from splu_ref.conformance.comparison import clipped, shown
from splu_ref.conformance.program import MisbehaviorError
from splu_ref.conformance.vector import VectorFile
from splu_ref.model import Json


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
        if file.operation != "protocol" and file.operation not in self.operations:
            return f"the operation {file.operation} is not supported"
        missing = () if self.features is None else sorted(set(file.requires) - self.features)
        return f"the feature {missing[0]} is not supported" if missing else ""


def read_description(answer: Mapping[str, Json]) -> Description:
    """Return what the answer to ``describe`` says; raise ``MisbehaviorError`` if it says nothing."""

    def texts(value: object) -> TypeGuard[list[str]]:
        return isinstance(value, list) and all(isinstance(text, str) for text in value)

    operations = answer.get("ops")
    if not texts(operations):
        raise MisbehaviorError(f'describe must be answered {{"ops": [texts], ...}}, not {shown(answer)}')
    features = answer.get("features")
    if features is not None and not texts(features):
        raise MisbehaviorError(f"the features of describe must be a list of texts, not {shown(features)}")
    named = [answer.get(key) for key in ("name", "version")]
    if not all(isinstance(text, str) for text in named):
        raise MisbehaviorError(f"describe must be answered with a name and a version, not {shown(answer)}")
    return Description(
        frozenset(operations),
        None if features is None else frozenset(features),
        clipped(str(named[0])),
        clipped(str(named[1])),
    )
