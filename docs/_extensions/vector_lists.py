"""The files of vectors as a list on a page: what each exercises, and how many vectors it has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

_OPEN = 6
"""Files of an operation that are listed without a click."""

_READABLE = range(120, 500)
"""Characters of a request with its answer that is shown."""

Pair: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""A request and its answer."""


@dataclass(frozen=True)
class VectorFiles:
    """All files of vectors, by operation."""

    FOLDER: ClassVar[Path] = Path(__file__).parents[2] / "vectors"

    files: dict[str, list[dict[str, Any]]]

    @classmethod
    @cache
    def read(cls) -> VectorFiles:
        """Return the files of the repository."""
        files: dict[str, list[dict[str, Any]]] = {}
        for path in sorted(cls.FOLDER.glob("*/*.json")):
            document = json.loads(path.read_text(encoding="utf-8"))
            files.setdefault(document["operation"], []).append(document)
        return cls(files)

    def counts(self, operation: str) -> tuple[int, int, int]:
        """Return how many vectors of an operation are valid, invalid, and made from a seed."""
        return _counts(each for file in self.files.get(operation, []) for each in file["vectors"])

    def smallest(self, operation: str, count: int) -> list[dict[str, Any]]:
        """Return the shortest request of each of some files; all requests, if none has an answer."""
        pairs = [self._pairs(file) for file in self.files.get(operation, [])]
        valid = [file for file in pairs if any("error" not in answer for _, answer in file)]
        if not valid:
            return [request for file in pairs for request, _ in file]
        return sorted((_shortest(file)[0] for file in valid), key=_length)[:count]

    def example(self, operation: str) -> Pair | None:
        """Return a request of an operation with its answer: the first of a length that is good to read."""
        pairs = [pair for file in self.files.get(operation, []) for pair in self._pairs(file)]
        answered = [pair for pair in pairs if "error" not in pair[1]]
        readable = (pair for pair in answered if _length(pair) in _READABLE)
        return next(readable, _shortest(pairs) if pairs else None)

    @staticmethod
    def _pairs(file: dict[str, Any]) -> list[Pair]:
        """Return the requests of a file, each with its answer or error."""
        fixed = {"op": file["operation"]} | file["parameters"]
        return [
            (fixed | each["input"], each.get("answer") or {"error": {"kind": each.get("error")}})
            for each in file["vectors"]
            if "input" in each
        ]


def _shortest(pairs: Sequence[Pair]) -> Pair:
    """Return the shortest of the pairs with the fullest kind of answer: no empty list, empty, an error."""

    def rank(pair: Pair) -> tuple[bool, bool, int]:
        empty = any(value in ([], "", [[]]) for value in pair[1].values())
        return "error" in pair[1], empty, _length(pair)

    return min(pairs, key=rank)


def _length(value: object) -> int:
    return len(json.dumps(value))


def _counts(vectors: Iterable[dict[str, Any]]) -> tuple[int, int, int]:
    valid = invalid = generated = 0
    for vector in vectors:
        if "generator" in vector:
            generated += vector["generator"]["count"]
        elif vector["result"] == "valid":
            valid += 1
        else:
            invalid += 1
    return valid, invalid, generated


def _said(counts: tuple[int, int, int]) -> str:
    kinds = zip(counts, ("valid", "invalid", "generated"), strict=True)
    return ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)


def vector_list(operations: Sequence[str], folder: str) -> str:
    """Return a list of the files of some operations as HTML, with links below a folder."""
    return f'<div class="spec-vectors">{"".join(_operation(each, folder) for each in operations)}</div>'


def _operation(operation: str, folder: str) -> str:
    read = VectorFiles.read()
    files = read.files.get(operation, [])
    said = f"{len(files)} files: {_said(read.counts(operation))}"
    items = "".join(_file(file, folder) for file in files)
    return (
        f'<details id="vectors-{operation}"{" open" if len(files) <= _OPEN else ""}>'
        f'<summary><code>{operation}</code> <span class="spec-counts">{said}</span></summary>'
        f"<ul>{items}</ul></details>"
    )


def _file(file: dict[str, Any], folder: str) -> str:
    name, about = escape(file["name"]), escape(file["about"])
    counts = _said(_counts(file["vectors"]))
    address = f"{folder}{file['operation']}/{name}.json"
    return f'<li><a href="{address}">{name}</a> <span class="spec-counts">{counts}</span> {about}</li>'
