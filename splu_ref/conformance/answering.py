"""The reference's answers to vectors."""

from __future__ import annotations

import json
from dataclasses import replace

from splu_ref.conformance.comparison import error_kind
from splu_ref.conformance.generated import generated_requests
from splu_ref.conformance.reference import answer, answer_line
from splu_ref.conformance.vector import Vector, VectorFile, checkpoints, digests, split_answer


def answered(file: VectorFile, vector: Vector) -> Vector:
    """Return a vector of a file with what the reference answers, whatever outcome the vector has now."""
    if vector.generator is not None:
        requests = generated_requests(file.operation, file.parameters, vector.generator)
        hashes = list(digests(map(answer, requests), vector.generator["keys"]))
        *noted, last = (hashes[after - 1] for after in checkpoints(len(hashes)))
        return replace(vector, answers_sha256=last, checkpoints=tuple(noted))
    asked = answer(file.request(vector)) if vector.sent is None else json.loads(answer_line(vector.sent))
    kind = error_kind(asked)
    if kind is not None:
        return replace(vector, answer=None, also={}, error=kind)
    required, optional = split_answer(file.operation, asked)
    return replace(vector, answer=required, also=optional, error=None)


def all_answered(file: VectorFile) -> VectorFile:
    """Return a vector file with the reference's answers: the same file, if they are right."""
    return replace(file, vectors=tuple(answered(file, vector) for vector in file.vectors))
