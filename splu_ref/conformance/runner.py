"""Holding a program to the vectors.

A program that misbehaves is started anew for the next vector. After a number of such starts, or after the
time that a run may take, the rest is not run: so a run ends, whatever the program does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from splu_ref import SPECIFICATION
from splu_ref.conformance.comparison import fault
from splu_ref.conformance.description import Description, read_description
from splu_ref.conformance.generated import generated_requests
from splu_ref.conformance.outcome import Conformance, Result, StatisticalCheck, Verdict
from splu_ref.conformance.program import Limits, MisbehaviorError
from splu_ref.conformance.session import Session
from splu_ref.conformance.statistics import OPERATION, check_names, judged_releases
from splu_ref.conformance.vector import Vector, VectorFile, checkpoints, digests
from splu_ref.model import InputError, Json

Progress = Callable[[int, int], None]
_SMOKE = 2
"""Vectors of a file, with the same outcome, that a smoke run keeps."""


def conform(
    command: Sequence[str],
    files: Sequence[VectorFile],
    *,
    expected_failures: Mapping[str, str] | None = None,
    smoke: bool = False,
    at_random: bool = True,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Conformance:
    """Hold a program to vectors, and its releases at random to their law.

    Parameters
    ----------
    command
        The program and its arguments. It is started once, and anew only when it has misbehaved.
    files
        The vectors, such as `splu_ref.conformance.vector_files` gives.
    expected_failures
        Reasons by id of a vector or check: these must fail.
    smoke
        Keep a few vectors of each file, and a tenth of the releases at random.
    at_random
        Whether releases at random are held to their law, if the program makes any.
    limits
        What the program may take; without it the limits that `Limits` has by itself.
    progress
        Called with (vectors done, vectors in all).

    Returns
    -------
    Conformance
        Every vector's verdict. It holds if nothing failed and something passed.

    Raises
    ------
    InputError
        If the program cannot be started, or the vectors are of another version of the specification.
    """
    for file in files:
        if file.specification != SPECIFICATION:
            raise InputError(
                f"{file.path} belongs to specification {file.specification}, not {SPECIFICATION}: "
                "write the vectors again with splu-ref vectors"
            )
    reasons = expected_failures or {}
    work = [(file, vector) for file in files for vector in (_few(file) if smoke else file.vectors)]
    with Session(command, limits or Limits()) as session:
        try:
            description = read_description(session.ask({"op": "describe"}, "describe"))
        except MisbehaviorError as error:
            outcome = Conformance("", "", SPECIFICATION)
            outcome.results.append(Result("protocol/describe", "protocol", Verdict.FAILED, str(error)))
            return outcome
        outcome = Conformance(description.name, description.version, SPECIFICATION)
        outcome.results.append(Result("protocol/describe", "protocol", Verdict.PASSED))
        for done, (file, vector) in enumerate(work):
            outcome.results.append(_judged(session, description, file, vector, reasons))
            if progress is not None:
                progress(done + 1, len(work))
        for result, check in _at_random(session, description, smoke=smoke) if at_random else ():
            outcome.results.append(_expected(result, reasons))
            outcome.statistics += [check] if check is not None else []
        outcome.results.append(_expected(_ended(session), reasons))
    outcome.results += _nothing_passed(outcome, description)
    return outcome


def check_ids() -> list[str]:
    """Return the ids of what a run checks beside the vectors."""
    return ["protocol/describe", "protocol/end", *check_names()]


def _judged(
    session: Session, description: Description, file: VectorFile, vector: Vector, reasons: Mapping[str, str]
) -> Result:
    missing = description.supports(file)
    if missing:
        return Result(vector.id, file.operation, Verdict.SKIPPED, missing)
    try:
        wrong = _wrong(session, file, vector)
    except MisbehaviorError as error:
        wrong = str(error)
    verdict = Verdict.PASSED if wrong is None else Verdict.FAILED
    return _expected(Result(vector.id, file.operation, verdict, wrong or ""), reasons)


def _wrong(session: Session, file: VectorFile, vector: Vector) -> str | None:
    if vector.line is not None:
        return fault(vector, session.ask_line(vector.line.encode(), vector.id))
    if vector.generator is None:
        return fault(vector, session.ask(file.request(vector), vector.id))
    requests = generated_requests(file.operation, file.parameters, vector.generator)
    answers = (session.ask(request, vector.id) for request in requests)
    places = checkpoints(vector.generator["count"])
    noted = dict(zip(places, (*vector.checkpoints, vector.answers_sha256), strict=True))
    before = 0
    for number, digest in enumerate(digests(answers, vector.generator["keys"]), start=1):
        if number in noted:
            if digest != noted[number]:
                return f"the answers to the generated requests {before + 1} to {number} are not all right"
            before = number
    return None


def _expected(result: Result, reasons: Mapping[str, str]) -> Result:
    """Return the result, turned around if a failure is expected."""
    if result.id not in reasons or result.verdict == Verdict.SKIPPED:
        return result
    if result.verdict == Verdict.FAILED:
        return Result(result.id, result.operation, Verdict.XFAILED, reasons[result.id])
    reason = (
        f"it passes, but is listed as an expected failure ({reasons[result.id]}): remove it from the list"
    )
    return Result(result.id, result.operation, Verdict.XPASSED, reason)


def _at_random(
    session: Session, description: Description, *, smoke: bool
) -> Iterator[tuple[Result, StatisticalCheck | None]]:
    """Yield the checks of releases at random, if the program makes any."""
    if OPERATION not in description.operations:
        for identifier in check_names():
            reason = f"the operation {OPERATION} is not supported"
            yield Result(identifier, OPERATION, Verdict.SKIPPED, reason), None
        return

    def ask(request: Mapping[str, object]) -> dict[str, Json]:
        return session.ask({"op": OPERATION, **request}, OPERATION)

    yield from judged_releases(ask, description.features, smoke=smoke)


def _ended(session: Session) -> Result:
    """Return whether the program ends when its input does."""
    if session.exhausted:
        return Result("protocol/end", "protocol", Verdict.FAILED, session.exhausted)
    try:
        session.finish()
    except MisbehaviorError as error:
        return Result("protocol/end", "protocol", Verdict.FAILED, str(error))
    return Result("protocol/end", "protocol", Verdict.PASSED)


def _nothing_passed(outcome: Conformance, description: Description) -> list[Result]:
    """Return a failure for each operation that is said to be supported and of which nothing was shown."""
    table = outcome.by_operation()
    return [
        Result(
            f"{operation}/any",
            operation,
            Verdict.FAILED,
            "no vector of the operation passed or was expected to fail",
        )
        for operation in sorted(description.operations)
        if operation in table and not table[operation]["passed"] + table[operation]["xfailed"]
    ]


def _few(file: VectorFile) -> list[Vector]:
    """Return the first vectors of each outcome, and those made of a seed."""
    kept: list[Vector] = []
    for vector in file.vectors:
        alike = [
            other for other in kept if (other.error, other.generator) == (vector.error, vector.generator)
        ]
        if len(alike) < _SMOKE:
            kept.append(vector)
    return kept
