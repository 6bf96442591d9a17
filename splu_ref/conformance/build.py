"""From inputs to vectors: the reference answers, and what it answers must be what was meant."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from splu_ref import SPECIFICATION
from splu_ref.conformance.comparison import error_kind
from splu_ref.conformance.generated import Generator, generated_requests
from splu_ref.conformance.reference import answer, answer_line
from splu_ref.conformance.vector import Vector, VectorFile, checkpoints, digests, split_answer
from splu_ref.model import Json, SpluError
from splu_ref.randomness import SeededSource

_LONG = 1 << 13

NOTES = {
    "NothingRead": "The tape is not touched.",
    "Masked": "Bits above the highest bit of bound - 1 are set, and do not count.",
    "Rejection": "A candidate is not below the bound.",
    "RejectionsInARow": "Several candidates in a row are rejected.",
    "Extremes": "The least and the greatest integer.",
    "Tie": "Keys are equal, and are drawn again.",
    "TieAgain": "Keys are equal again after they were drawn anew.",
    "EqualKeysOfOtherCodes": "Keys are equal, but the codes differ: this is no tie.",
    "TapeLeft": "Bytes remain on the tape.",
    "TapeExhausted": "The tape ends too early.",
    "SecondBlock": "A record rejects every candidate of its first block.",
    "Remainder": "Records are deleted to make their number a multiple of gamma.",
    "Limit": "A frequency is exactly N / gamma, or a value exactly at its end.",
    "Infeasible": "A value occurs more than N / gamma times.",
    "Zero": "A frequency or a count is 0.",
    "Clipped": "The estimate is moved to the nearest possible count.",
    "Boundary": "epsilon f is an integer: the forms with > and >= differ.",
    "Floats": "Arithmetic in floating point gives another answer.",
    "Impossible": "An error of this size cannot happen, or always happens.",
    "Tampered": "A certificate that was valid until something in it changed.",
    "Unreadable": "Not a certificate, or larger than a checker accepts.",
    "WrongType": "A field has the wrong type.",
    "Missing": "A field is missing.",
    "Unknown": "A field, word or operation that no page defines.",
    "OutOfRange": "A parameter is outside its range.",
    "Malformed": "The line is not a JSON object with an operation.",
    "Large": "Many records.",
    "Text": "Characters beyond ASCII, or a text that another form of it is not equal to.",
    "Exact": "Numbers of more than 53 or 64 bits, where nothing may be rounded.",
    "BeforeTheTape": "The tape is too short as well, and that comes second.",
    "Unsound": "A certificate that agrees with itself, of something that is not so.",
    "Steps": "The answer says what was drawn on the way.",
}
"""What the flags of vectors mean."""


@dataclass(frozen=True)
class Case:
    """One vector to be: its name, input and flags, and the kind of error if it must be refused."""

    name: str
    input: Mapping[str, object]
    flags: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Line:
    """One vector to be that is sent as it stands; the attributes are those of `Case`."""

    name: str
    sent: bytes
    flags: tuple[str, ...] = ("Malformed",)
    error: str | None = "malformed"


@dataclass(frozen=True)
class Group:
    """One vector file to be; the attributes are those of `VectorFile`."""

    operation: str
    name: str
    about: str
    page: str
    cases: Sequence[Case] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    requires: tuple[str, ...] = ()
    lines: Sequence[Line] = ()
    generator: Generator | None = None
    generated_flags: tuple[str, ...] = ("Large",)

    def file(self) -> VectorFile:
        """Return the vector file, with the reference's answers."""
        vectors = [*map(self._answered, self.cases), *map(self._line, self.lines)]
        if self.generator is not None:
            vectors.append(self._accumulated(self.generator))
        flags = sorted({flag for vector in vectors for flag in vector.flags})
        return VectorFile(
            specification=SPECIFICATION,
            operation=self.operation,
            name=self.name,
            about=self.about,
            page=self.page,
            requires=self.requires,
            parameters=self.parameters,
            notes={flag: NOTES[flag] for flag in flags},
            vectors=tuple(vectors),
        )

    def _answered(self, case: Case) -> Vector:
        identifier = f"{self.operation}/{self.name}/{case.name}"
        given = answer({"op": self.operation, **self.parameters, **case.input})
        if error_kind(given) != case.error:
            raise SpluError(f"the vector {identifier} is answered {given}: mend the vector or the reference")
        if case.error is not None:
            return Vector(identifier, case.flags, input=case.input, error=case.error)
        required, optional = split_answer(self.operation, given)
        return Vector(identifier, case.flags, input=case.input, answer=required, also=optional)

    def _line(self, line: Line) -> Vector:
        identifier = f"{self.operation}/{self.name}/{line.name}"
        given: dict[str, Json] = json.loads(answer_line(line.sent))
        if error_kind(given) != line.error:
            raise SpluError(f"the vector {identifier} is answered {given}: mend the vector or the reference")
        try:
            text, octets = line.sent.decode(), None
        except UnicodeDecodeError:
            text, octets = None, line.sent.hex()
        if line.error is not None:
            return Vector(identifier, line.flags, line=text, octets=octets, error=line.error)
        required, optional = split_answer(self.operation, given)
        return Vector(identifier, line.flags, line=text, octets=octets, answer=required, also=optional)

    def _accumulated(self, generator: Generator) -> Vector:
        requests = generated_requests(self.operation, self.parameters, generator)
        answers = [answer(request) for request in requests]
        if any(error_kind(given) == "tape_exhausted" for given in answers):
            raise SpluError(f"the tapes of {self.operation}/{self.name} are too short: lengthen them")
        found = list(digests(answers, generator["keys"]))
        noted = tuple(found[after - 1] for after in checkpoints(len(found)))
        identifier = f"{self.operation}/{self.name}/all"
        return Vector(
            identifier,
            self.generated_flags,
            generator=generator,
            answers_sha256=noted[-1],
            checkpoints=noted[:-1],
        )


def seeded_tape(
    operation: str, fields: Mapping[str, object], seed: str, *, missing: int = 0, left: int = 0
) -> str:
    """Return a tape that a request reads to its end, or one that is some bytes shorter or longer.

    Parameters
    ----------
    operation, fields
        The request without its tape.
    seed
        Names the seeded stream of which the tape is the beginning.
    missing, left
        Bytes that are cut off, or left after the last one that is read.
    """
    stream = SeededSource(seed.encode()).read(_LONG)
    given = answer({"op": operation, **fields, "tape": stream.hex()})
    consumed = given.get("consumed")
    if not isinstance(consumed, int):
        raise SpluError(f"the tape of {seed} cannot be made: {given}")
    return stream[: consumed + left - missing].hex()
