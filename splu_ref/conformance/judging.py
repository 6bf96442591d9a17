"""Sends one vector, or one request of a generated run, to a program and judges the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from splu_ref.channels import InputError, Json
from splu_ref.conformance.answering import reference_answer
from splu_ref.conformance.comparison import clipped, fault
from splu_ref.conformance.description import Description, nearest
from splu_ref.conformance.generated import Request, generated_requests
from splu_ref.conformance.program import MisbehaviorError
from splu_ref.conformance.result import Kind, Replay, Result, Verdict
from splu_ref.conformance.session import Session
from splu_ref.conformance.vector import Vector, VectorFile, checkpoints, compared_keys, digests

_LONGEST_SHOWN = 1_000_000  # bytes of an answer that a replay retains


def judge(session: Session, description: Description, file: VectorFile, vector: Vector) -> Result:
    """Return the result of sending a vector to the program."""
    missing = description.supports(file)
    if missing:
        return Result(vector.id, file.operation, Verdict.UNSUPPORTED, missing, _kind(vector), file.page)
    try:
        wrong = session.exhausted or _wrong(session, file, vector)
    except MisbehaviorError as error:
        wrong = str(error)
    verdict = Verdict.PASSED if wrong is None else Verdict.FAILED
    size = None if wrong is None or vector.generator is not None else _size(file, vector)
    return Result(vector.id, file.operation, verdict, wrong or "", _kind(vector), file.page, size)


def _size(file: VectorFile, vector: Vector) -> int:
    """Return the bytes of a request and its correct answer."""
    return len(_line(file, vector)) + len(_expected(vector))


def _expected(vector: Vector) -> str:
    """Return the correct answer to a single request, as JSON."""
    right = {**(vector.answer or {}), **vector.also} if vector.valid else {"error": {"kind": vector.error}}
    return json.dumps(right)


def _kind(vector: Vector) -> Kind:
    if not vector.valid:
        return Kind.REFUSAL
    return Kind.ANSWER if vector.generator is None else Kind.GENERATED


def vector_of(
    files: Sequence[VectorFile], identifier: str, others: Callable[[], Collection[str]]
) -> VectorFile | None:
    """Return a file with a single vector: the one of an id, or one made from a generated request.

    None for one of the other ids, which are only computed if no vector has the id.
    """
    whole = identifier.rpartition("/")[0]
    for file in files:
        for vector in file.vectors:
            if vector.id == identifier:
                return replace(file, vectors=(vector,))
            if vector.id == whole and vector.generator is not None:
                wanted = next((each for each in _generated(file, vector) if each[0] == identifier), None)
                if wanted is not None:
                    return replace(file, vectors=(_of_generated(file, vector, *wanted),))
                count = vector.generator["count"]
                raise InputError(f"{clipped(identifier)} is no id: --only takes {whole}/1 to {whole}/{count}")
    if identifier in others():
        return None
    known = [*others(), *(vector.id for file in files for vector in file.vectors)]
    near = nearest(identifier, known)
    remedy = f"did you mean {near}?" if near else "--json lists the ids of what fails"
    raise InputError(f"no vector or check has the id {clipped(identifier)}: {remedy}")


def replay_of(file: VectorFile, vector: Vector, received: bytes) -> Replay:
    """Return the record of a vector that was tested alone, with the line received."""
    single = vector.generator is None
    return Replay(
        id=vector.id,
        page=file.page,
        about=" ".join([file.about, *(file.notes[flag] for flag in vector.flags)]),
        request=_line(file, vector).decode(errors="replace") if single else "",
        expected=_expected(vector) if single else "",
        given=_given(received),
    )


def _given(received: bytes) -> str:
    """Return the line received; of a longer one the beginning, and how long it was."""
    given = received[:_LONGEST_SHOWN].decode(errors="replace")
    cut = len(received) > _LONGEST_SHOWN
    return f"{given}... (cut: {_LONGEST_SHOWN} of {len(received)} bytes)" if cut else given


def _wrong(session: Session, file: VectorFile, vector: Vector) -> str | None:
    if vector.generator is None:
        return fault(vector, session.ask_line(_line(file, vector), vector.id))
    noted = dict(
        zip(checkpoints(vector.generator["count"]), (*vector.checkpoints, vector.answers_sha256), strict=True)
    )
    before = 0
    faults: list[str] = []

    def answers() -> Iterator[dict[str, Json]]:
        for identifier, request in _generated(file, vector):
            one = _of_generated(file, vector, identifier, request)
            try:
                given = session.ask_line(_line(file, one), identifier)
            except MisbehaviorError as error:
                raise MisbehaviorError(f"{identifier}: {error}") from None
            if wrong := fault(one, given):
                faults.append(f"{identifier}: {wrong}")
                return
            yield given

    for number, digest in enumerate(digests(answers(), vector.generator["keys"]), start=1):
        if number in noted:
            if digest != noted[number]:
                return f"the answers to the generated requests {before + 1} to {number} are not all correct"
            before = number
    return faults[0] if faults else None


def _line(file: VectorFile, vector: Vector) -> bytes:
    """Return the request line of a vector."""
    if vector.sent is not None:
        return vector.sent
    return json.dumps({**file.request(vector), "id": vector.id}).encode()


def _generated(file: VectorFile, vector: Vector) -> Iterator[tuple[str, Request]]:
    """Yield the requests of a generator with their ids."""
    assert vector.generator is not None
    requests = generated_requests(file.operation, file.parameters, vector.generator)
    for number, request in enumerate(requests, start=1):
        yield f"{vector.id}/{number}", request


def _of_generated(file: VectorFile, vector: Vector, identifier: str, request: Request) -> Vector:
    """Return a generated request as a vector, with the compared keys of the reference's answer."""
    assert vector.generator is not None
    right = compared_keys(reference_answer(request), vector.generator["keys"])
    fixed = file.parameters
    given = {key: value for key, value in request.items() if key != "op" and value != fixed.get(key)}
    error = right.get("error")
    if isinstance(error, dict):
        return Vector(identifier, vector.flags, input=given, error=str(error["kind"]))
    return Vector(identifier, vector.flags, input=given, answer=right)
