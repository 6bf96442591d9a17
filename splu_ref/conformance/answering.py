"""Answers to vectors, by the executable specification or by the library."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from splu_ref.channels import Json
from splu_ref.conformance import library
from splu_ref.conformance.comparison import error_kind
from splu_ref.conformance.generated import generated_requests
from splu_ref.conformance.vector import Vector, VectorFile, checkpoints, digests, split_answer
from splu_ref.spec import protocol as specification

Respond: TypeAlias = Callable[[object], dict[str, Json]]
"""A function that answers a request."""


def reference_answer(request: object) -> dict[str, Json]:
    """Return the answer of the specification; of the library for an operation that only the library has."""
    operation = str(request.get("op")) if isinstance(request, dict) else ""
    if operation in library.OPERATIONS.keys() - specification.OPERATIONS.keys():
        return library.answer(request)
    return specification.answer(request)


def answer_vector(file: VectorFile, vector: Vector, respond: Respond = reference_answer) -> Vector:
    """Return a vector of a file with its answer recomputed."""
    if vector.generator is not None:
        requests = generated_requests(file.operation, file.parameters, vector.generator)
        hashes = list(digests(map(respond, requests), vector.generator["keys"]))
        *noted, last = (hashes[after - 1] for after in checkpoints(len(hashes)))
        return replace(vector, answers_sha256=last, checkpoints=tuple(noted))
    if vector.sent is None:
        given = respond(file.request(vector))
    else:
        request = specification.read_line(vector.sent)
        given = json.loads(specification.written_answer(request, respond(request)))
    kind = error_kind(given)
    if kind is not None:
        return replace(vector, answer=None, also={}, error=kind)
    required, optional = split_answer(file.operation, given)
    return replace(vector, answer=required, also=optional, error=None)


def answer_file(file: VectorFile, respond: Respond = reference_answer) -> VectorFile:
    """Return a vector file with all answers recomputed: an equal file, if they are correct."""
    return replace(file, vectors=tuple(answer_vector(file, vector, respond) for vector in file.vectors))
