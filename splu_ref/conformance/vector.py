"""Test vectors and the files that hold them: one parameter set and one operation per file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from splu_ref.channels import Json
from splu_ref.conformance.generated import Generator

SCHEMA = "splu-ref/vectors/1"

OPTIONAL = {
    "plan": ("passes",),
    "publish": ("groups", "order", "integers", "marked", "shown", "rows", "suppressed"),
    "publish_retention": ("integers", "rows"),
    "publish_retention_keyed": ("rows",),
    "publish_swap": ("cells", "places"),
    "publish_alpha_beta": ("members", "numbers"),
    "publish_operator": ("rows", "integers"),
    "publish_pg": ("groups", "rows", "integers"),
    "amplification": ("published", "more", "less"),
    "breach_profile": ("prior", "published"),
    "privacy_minimum": ("argmin", "t_p_definition", "argmin_definition"),
}
"""Keys that an answer need not have; where it has them, they must be right."""


class VectorEntry(TypedDict, total=False):
    """A vector as it stands in its file: the attributes of `Vector`, and whether it is valid."""

    id: str
    flags: Sequence[str]
    result: str
    input: Mapping[str, object]
    line: str
    octets: str
    generator: Generator
    answer: Mapping[str, Json]
    also: Mapping[str, Json]
    error: str
    answers_sha256: str
    checkpoints: Sequence[str]


class VectorDocument(TypedDict):
    """A vector file's document: the attributes of `VectorFile`, and the schema."""

    schema: str
    specification: str
    operation: str
    name: str
    about: str
    page: str
    requires: Sequence[str]
    parameters: Mapping[str, object]
    notes: Mapping[str, str]
    vectors: Sequence[VectorEntry]


@dataclass(frozen=True)
class Vector:
    """One request, or a run of generated requests, and the required answer.

    Exactly one of ``input``, ``line``, ``octets`` and ``generator`` is given; and exactly one of ``answer``,
    ``error`` and ``answers_sha256``.
    """

    id: str  #: operation, file and name, joined by slashes; it never changes
    flags: tuple[str, ...] = ()  #: properties of the vector, each explained in the file's ``notes``
    #: fields of the request, beside the operation and the file's parameters
    input: Mapping[str, object] | None = None
    line: str | None = None  #: a line that is sent unchanged, in UTF-8
    octets: str | None = None  #: a line that is no text, in hexadecimal digits
    #: parameters of generated requests: see `splu_ref.conformance.generated`
    generator: Generator | None = None
    answer: Mapping[str, Json] | None = None  #: keys that the answer must have, with their values
    #: keys that the answer may have, with the values that they must have then
    also: Mapping[str, Json] = field(default_factory=dict)
    error: str | None = None  #: the kind of error of an invalid request
    answers_sha256: str | None = None  #: SHA-256 of all answers to generated requests
    checkpoints: tuple[str, ...] = ()  #: the same after each tenth of them

    @property
    def valid(self) -> bool:
        """Whether the request has an answer."""
        return self.error is None

    @property
    def sent(self) -> bytes | None:
        """The bytes of a line that is sent unchanged, without its end; None for a request."""
        if self.octets is not None:
            return bytes.fromhex(self.octets)
        return None if self.line is None else self.line.encode()

    def to_json(self) -> dict[str, object]:
        """Return the vector as it stands in its file."""
        entry: dict[str, object] = {"id": self.id, "flags": list(self.flags)}
        for name in ("input", "line", "octets", "generator"):
            if getattr(self, name) is not None:
                entry[name] = getattr(self, name)
        entry["result"] = "valid" if self.valid else "invalid"
        for name in ("answer", "also", "error", "answers_sha256", "checkpoints"):
            if getattr(self, name):
                entry[name] = getattr(self, name)
        return entry

    @classmethod
    def from_json(cls, entry: VectorEntry) -> Vector:
        """Return the vector of an entry that the reader has checked."""
        return cls(
            id=entry["id"],
            flags=tuple(entry["flags"]),
            input=entry.get("input"),
            line=entry.get("line"),
            octets=entry.get("octets"),
            generator=entry.get("generator"),
            answer=entry.get("answer"),
            also=entry.get("also", {}),
            error=entry.get("error"),
            answers_sha256=entry.get("answers_sha256"),
            checkpoints=tuple(entry.get("checkpoints", ())),
        )


@dataclass(frozen=True)
class VectorFile:
    """The vectors of one operation under one set of parameters."""

    specification: str
    operation: str  #: the operation, or ``protocol`` for lines that are no requests
    name: str  #: the file's name without ``.json``; its folder is the operation
    about: str  #: what the file tests, in one sentence
    page: str  #: the page of the specification that decides it
    requires: tuple[str, ...]  #: features without which a program need not pass the file
    parameters: Mapping[str, object]  #: fields of all its requests
    notes: Mapping[str, str]  #: the meaning of its flags
    vectors: tuple[Vector, ...]

    @property
    def path(self) -> str:
        """The path of the file in its folder, with slashes."""
        return f"{self.operation}/{self.name}.json"

    def request(self, vector: Vector) -> dict[str, object]:
        """Return the request of a vector that has an input."""
        return {"op": self.operation, **self.parameters, **(vector.input or {})}

    def to_bytes(self) -> bytes:
        """Return the file's content: the same vectors give the same bytes."""
        head = {
            "schema": SCHEMA,
            "specification": self.specification,
            "operation": self.operation,
            "name": self.name,
            "about": self.about,
            "page": self.page,
            "requires": list(self.requires),
            "parameters": self.parameters,
            "notes": self.notes,
        }
        lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        vectors = ",\n".join("  " + json.dumps(vector.to_json()) for vector in self.vectors)
        return ("{\n" + "\n".join(lines) + '\n "vectors": [\n' + vectors + "\n ]\n}\n").encode()

    @classmethod
    def from_json(cls, document: VectorDocument) -> VectorFile:
        """Return the file of a document that the reader has checked."""
        return cls(
            specification=document["specification"],
            operation=document["operation"],
            name=document["name"],
            about=document["about"],
            page=document["page"],
            requires=tuple(document["requires"]),
            parameters=document["parameters"],
            notes=document["notes"],
            vectors=tuple(map(Vector.from_json, document["vectors"])),
        )


def split_answer(operation: str, answer: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the keys of an answer that are required, and those that are optional."""
    optional = OPTIONAL.get(operation, ())
    required = {key: value for key, value in answer.items() if key not in optional}
    return required, {key: value for key, value in answer.items() if key in optional}


def canonical(value: object) -> bytes:
    """Return a JSON value as bytes: keys sorted, no blanks, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digests(answers: Iterable[Mapping[str, Json]], keys: Sequence[str]) -> Iterator[str]:
    """Yield, after each answer, the SHA-256 of all answers so far: of each, one line of its compared keys."""
    hashed = hashlib.sha256()
    for answer in answers:
        hashed.update(canonical(compared_keys(answer, keys)) + b"\n")
        yield hashed.copy().hexdigest()


def compared_keys(answer: Mapping[str, Json], keys: Sequence[str]) -> dict[str, Json]:
    """Return the part of an answer to a generated request that is compared.

    This is ``{"error": {"kind": ...}}`` of an error, and otherwise ``keys`` alone, with null for a key that
    the answer lacks.
    """
    error = answer.get("error")
    if isinstance(error, Mapping):
        return {"error": {"kind": error.get("kind")}}
    return {key: answer.get(key) for key in keys}


def checkpoints(count: int) -> list[int]:
    """Return after how many of ``count`` answers the hash is recorded: ten times, or after each."""
    return sorted({count * tenth // 10 for tenth in range(1, 11)} - {0})
