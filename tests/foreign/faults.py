"""Whether the vectors, and the law of releases at random, notice a fault in the implementation in JavaScript.

``python -m tests.foreign.faults [WORD ...]`` tries every fault, or those whose names have one of the words,
and names the ones that nothing notices: a quarter of an hour for all of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from splu_ref.conformance import Conformance, Vector, VectorFile, Verdict, conform, vector_files
from splu_ref.conformance.comparison import UnreadableAnswerError, fault, read_answer
from splu_ref.conformance.generated import generated_requests
from splu_ref.conformance.vector import digests
from splu_ref.report.html import BROWSER
from tests.foreign.mutants import MUTANTS, Mutant


def _whole() -> str:
    """Return the program and the library that it takes from the package, as one text."""
    program = (Path(__file__).parent / "splu.mjs").read_text()
    library = (BROWSER / "promises.mjs").read_text().replace("\nexport ", "\n")
    return library + re.sub(r"import \{[^}]*\} from \"\.\./[^\n]*\n", "", program, count=1)


SOURCE = _whole()
SECONDS = 5
"""How long all answers of an operation may take; the implementation without a fault takes less than one."""


def noticed(program: Path, operations: Collection[str]) -> str:
    """Return the id of a vector or check that fails, or an empty text if none does.

    Parameters
    ----------
    program
        A file with the implementation, its text changed.
    operations
        The operations that are asked, ``*`` for all.

    Raises
    ------
    ValueError
        If the program does not even say what it supports: then the fault is none that vectors are for.
    """
    answers = _answers(program, [b'{"op": "describe"}'])
    if not answers or b'"ops"' not in answers[0]:
        raise ValueError(f"{program.name} does not start")
    for operation in sorted({file.operation for file in vector_files()} if "*" in operations else operations):
        for vectors, lines in (_short(operation), *_long(operation)):
            found = _wrong(vectors, _answers(program, lines))
            if found:
                return found
    if "publish_random" in operations:
        return _first(conform(["node", str(program)], (), at_random=True))
    return ""


def fate(mutant: Mutant, folder: Path) -> str:
    """Return what notices a fault, or an empty text."""
    program = folder / f"{MUTANTS.index(mutant)}.mjs"
    program.write_text(SOURCE.replace(mutant.old, mutant.new))
    return noticed(program, mutant.operations)


def main(words: Sequence[str]) -> int:
    """Try all faults, or some, and print those that nothing notices; return how many should have been."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for mutant in MUTANTS:
            chosen = not words or any(word in mutant.name for word in words)
            if chosen and not fate(mutant, Path(folder)):
                missed += not mutant.equivalent
                sys.stdout.write(f"{mutant.name}: {mutant.equivalent or 'not noticed'}\n")
                sys.stdout.flush()
    return missed


def _first(outcome: Conformance) -> str:
    failed = [
        result.id
        for result in outcome.results
        if result.verdict is Verdict.FAILED and not result.id.endswith("/any")
    ]
    return failed[0] if failed else ""


def _answers(program: Path, lines: Sequence[bytes]) -> list[bytes]:
    asked = b"".join(line + b"\n" for line in lines)
    try:
        done = subprocess.run(
            ["node", str(program)], input=asked, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.split(b"\n")[:-1]


def _wrong(vectors: Sequence[Vector], answers: Sequence[bytes]) -> str:
    """Return the first vector of which the answer is missing or wrong."""
    for place, vector in enumerate(vectors):
        if vector.generator is not None:
            return "" if _hash(vector, answers) == vector.answers_sha256 else vector.id
        try:
            if place >= len(answers) or fault(vector, read_answer(answers[place], vector.id)):
                return vector.id
        except UnreadableAnswerError:
            return vector.id
    return ""


def _hash(vector: Vector, answers: Sequence[bytes]) -> str:
    assert vector.generator is not None
    try:
        found = [read_answer(line, vector.id) for line in answers]
    except UnreadableAnswerError:
        return ""
    return list(digests(found, vector.generator["keys"]))[-1] if found else ""


@cache
def _short(operation: str) -> tuple[list[Vector], list[bytes]]:
    """Return the vectors of an operation that are one request each, and their lines."""
    pairs = [
        (vector, _line(file, vector)) for file, vector in _vectors(operation) if vector.generator is None
    ]
    return [vector for vector, _ in pairs], [line for _, line in pairs]


@cache
def _long(operation: str) -> tuple[tuple[list[Vector], list[bytes]], ...]:
    """Return the vectors of an operation that stand for many requests, and these."""
    return tuple(
        (
            [vector],
            [json.dumps(each).encode() for each in generated_requests(operation, file.parameters, made)],
        )
        for file, vector in _vectors(operation)
        if (made := vector.generator) is not None
    )


def _vectors(operation: str) -> Iterator[tuple[VectorFile, Vector]]:
    for file in vector_files():
        if file.operation == operation:
            yield from ((file, vector) for vector in file.vectors)


def _line(file: VectorFile, vector: Vector) -> bytes:
    return json.dumps(file.request(vector)).encode() if vector.sent is None else vector.sent


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
