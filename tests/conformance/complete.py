"""Completes new vectors: ``python -m tests.conformance.complete``, which is also ``make vectors``.

A vector without ``result`` is new. Where it must be refused, it has the kind of its ``error``; the
executable specification gives the rest. A vector that takes it too long, in plain Python, is listed in
`BY_THE_LIBRARY` with the reason, and the library answers it; a smaller vector of the same rule is then in
the same file. Its ``tape`` may be ``{"seed": NAME}``: as many bytes of the seeded stream of that name as the
request reads, or some fewer or more with ``missing`` or ``left``. A flag's note is taken from other files.
``frozen.txt`` records how many vectors each file has, and their SHA-256: they never change, and new ones are
added after them.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from splu_ref import SPECIFICATION
from splu_ref.conformance import VectorFile, answer, answer_vector, reference_answer
from splu_ref.conformance.comparison import error_kind
from splu_ref.conformance.generated import generated_requests
from splu_ref.conformance.vector import Vector, canonical
from splu_ref.randomness import SeededSource

VECTORS = Path(__file__).parents[2] / "vectors"
FROZEN = Path(__file__).with_name("frozen.txt")
_LONGEST_TAPE = 1 << 13

BY_THE_LIBRARY: dict[str, str] = {}
"""Vectors that the library answers, by id: the reason why the specification does not."""


def completed(document: dict[str, Any], notes: dict[str, str]) -> VectorFile:
    """Return the vector file of a document, with missing outcomes and notes added."""
    defaults = {"specification": SPECIFICATION, "requires": [], "parameters": {}, "notes": {}}
    document = {**defaults, **document}
    flags = {flag for entry in document["vectors"] for flag in entry.setdefault("flags", [])}
    document["notes"] = {flag: document["notes"].get(flag) or notes[flag] for flag in sorted(flags)}
    file = VectorFile.from_json(document)  # type: ignore[arg-type]  # outcomes are missing
    pairs = zip(document["vectors"], file.vectors, strict=True)
    vectors = (vector if "result" in entry else _new(file, vector) for entry, vector in pairs)
    return replace(file, vectors=tuple(vectors))


def _new(file: VectorFile, vector: Vector) -> Vector:
    tape = (vector.input or {}).get("tape")
    if isinstance(tape, dict):
        fields = {key: value for key, value in file.request(vector).items() if key != "tape"}
        vector = replace(vector, input={**(vector.input or {}), "tape": seeded_tape(fields, **tape)})
    found = answer_vector(file, vector, answer if vector.id in BY_THE_LIBRARY else reference_answer)
    if found.error != vector.error:
        raise ValueError(
            f"{vector.id} is answered {found.to_json()}: correct the vector or the specification"
        )
    if vector.generator is not None:
        for request in generated_requests(file.operation, file.parameters, vector.generator):
            if error_kind(reference_answer(request)) == "tape_exhausted":
                raise ValueError(f"a tape of {vector.id} is too short: lengthen the tapes")
    return found


def seeded_tape(request: dict[str, object], seed: str, missing: int = 0, left: int = 0) -> str:
    """Return the bytes of a seeded stream that a request reads, or some fewer or more, in hexadecimal."""
    stream = SeededSource(seed.encode()).read(_LONGEST_TAPE)
    given = reference_answer({**request, "tape": stream.hex()})
    consumed = given.get("consumed")
    if not isinstance(consumed, int):
        raise ValueError(f"the tape of {seed} cannot be made: {given}")
    return stream[: consumed + left - missing].hex()


def digest(file: VectorFile, count: int) -> str:
    """Return the SHA-256 of a file's operation, parameters and first vectors."""
    vectors = [vector.to_json() for vector in file.vectors[:count]]
    return hashlib.sha256(canonical([file.operation, file.parameters, vectors])).hexdigest()


def to_freeze(file: VectorFile) -> tuple[int, str]:
    """Return the number of a file's vectors, and their digest."""
    return len(file.vectors), digest(file, len(file.vectors))


def frozen() -> dict[str, tuple[int, str]]:
    """Return how many vectors of each file never change, and their SHA-256."""
    rows = (line.split() for line in FROZEN.read_text("utf-8").splitlines())
    return {path: (int(count), sha256) for path, count, sha256 in rows}


def main() -> None:
    """Complete the vectors of this checkout, and freeze them."""
    paths = sorted(VECTORS.glob("*/*.json"))
    documents = [json.loads(path.read_bytes()) for path in paths]
    notes = {flag: note for document in documents for flag, note in document.get("notes", {}).items()}
    files = [completed(document, notes) for document in documents]
    known = {file.path: file for file in files}
    for name, (count, sha256) in frozen().items():
        if name not in known or digest(known[name], count) != sha256:
            sys.exit(f"the first {count} vectors of {name} have changed: add new ones after them")
    for path, file in zip(paths, files, strict=True):
        path.write_bytes(file.to_bytes())
    rows = ((name, *to_freeze(file)) for name, file in sorted(known.items()))
    FROZEN.write_text("".join(f"{name} {count} {sha256}\n" for name, count, sha256 in rows), "utf-8")


if __name__ == "__main__":
    main()
