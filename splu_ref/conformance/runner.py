"""Holding a program to the vectors.

A program that misbehaves is started anew for the next vector. After a number of such starts, or after the
time that a run may take, the rest is not run: so a run ends, whatever the program does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from splu_ref import SPECIFICATION
from splu_ref.channels import InputError, Json
from splu_ref.conformance.comparison import clipped
from splu_ref.conformance.coverage import coverage, lacking
from splu_ref.conformance.description import FEATURES, Description, nearest, read_description
from splu_ref.conformance.judging import judged, replayed, vector_of
from splu_ref.conformance.library import OPERATIONS
from splu_ref.conformance.outcome import Conformance
from splu_ref.conformance.program import Limits, MisbehaviorError
from splu_ref.conformance.result import PROTOCOL, Kind, Replay, Result, StatisticalCheck, Verdict
from splu_ref.conformance.session import Session
from splu_ref.conformance.statistics import OPERATION, check_names, judged_releases
from splu_ref.conformance.vector import Vector, VectorFile

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
    require: Mapping[str, Fraction] | None = None,
    only: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    tell: Callable[[Result], None] | None = None,
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
        Keep a few vectors of each file, and a quarter of the releases at random.
    at_random
        Whether releases at random are held to their law, if the program makes any.
    require
        Shares of each kind of request that must pass, by operation: 1 is all of it.
    only
        The id of a vector, a generated request or a check: nothing else is asked, but ``describe``.
    limits
        What the program may take; without it the limits that `Limits` has by itself.
    progress
        Called with (vectors and checks done, all of them).
    tell
        Called with each result as it comes.

    Returns
    -------
    Conformance
        Every vector's verdict. It holds if nothing failed and an operation was tested.

    Raises
    ------
    InputError
        If the program cannot be started, the vectors are of another version of the specification, an
        operation that is required has no vectors, or an id does not exist.
    """
    for file in files:
        if file.specification != SPECIFICATION:
            raise InputError(
                f"{file.path} belongs to specification {file.specification}, not {SPECIFICATION}: "
                "write the vectors again with splu-ref vectors"
            )
    _refuse_unknown(require or {}, {file.operation for file in files} - {PROTOCOL} | {OPERATION})
    alone = vector_of(files, only, check_ids()) if only is not None else None
    asked = files if only is None else [alone] if alone is not None else []
    work = [(file, vector) for file in asked for vector in (_few(file) if smoke else file.vectors)]
    outcome = Conformance("", "", SPECIFICATION, smoke=smoke)
    if only is not None:
        outcome.replay = Replay(only, "docs/specification/conformance.md", "A check of the runner.")
    checks = check_names() if at_random and (only is None or only in check_names()) else []

    def found(result: Result) -> None:
        outcome.results.append(_expected(result, expected_failures or {}))
        if tell is not None:
            tell(outcome.results[-1])
        if progress is not None:
            progress(min(len(outcome.results) - 1, len(work) + len(checks)), len(work) + len(checks))

    with Session(command, limits or Limits()) as session:
        try:
            description = read_description(session.ask({"op": "describe"}, "describe"))
        except MisbehaviorError as error:
            found(Result("protocol/describe", PROTOCOL, Verdict.FAILED, str(error)))
            return outcome
        outcome.name, outcome.version = description.name, description.version
        outcome.offered = description.operations
        outcome.unknown = description.unknown(
            {"describe", *OPERATIONS, *(file.operation for file in files)},
            {*FEATURES, *(feature for file in files for feature in file.requires)},
        )
        found(Result("protocol/describe", PROTOCOL, Verdict.PASSED))
        for file, vector in work:
            session.received = b""  # what came before is no answer to this
            found(judged(session, description, file, vector))
            if only is not None:
                outcome.replay = replayed(file, vector, session.received)
        for result, check in _at_random(session, description, smoke=smoke) if checks else ():
            if only in (None, result.id):
                found(result)
                outcome.statistics += [check] if check is not None else []
        found(_ended(session))
    if only is None:
        short = lacking(require or {}, coverage(outcome.results))
        unmet = [Result(f"{name}/required", name, Verdict.FAILED, why) for name, why in short.items()]
        for result in [*_nothing_answered(outcome, work), *unmet]:
            found(result)
    return outcome


def check_ids() -> list[str]:
    """Return the ids of what a run checks beside the vectors."""
    return ["protocol/describe", "protocol/end", *check_names()]


def _refuse_unknown(require: Collection[str], known: Collection[str]) -> None:
    for name in require:
        if name not in known:
            near = nearest(name, known)
            remedy = f"did you mean {near}?" if near else f"there are {', '.join(sorted(known))}"
            raise InputError(f"--require {clipped(name)}: no vector tests this operation: {remedy}")


def _expected(result: Result, reasons: Mapping[str, str]) -> Result:
    """Return the result, turned around if a failure is expected."""
    if result.id not in reasons or result.verdict in (Verdict.SKIPPED, Verdict.UNSUPPORTED):
        return result
    if result.verdict is Verdict.FAILED:
        return replace(result, verdict=Verdict.XFAILED, reason=reasons[result.id])
    reason = (
        f"it passes, but is listed as an expected failure ({reasons[result.id]}): remove it from the list"
    )
    return replace(result, verdict=Verdict.XPASSED, reason=reason)


def _at_random(
    session: Session, description: Description, *, smoke: bool
) -> Iterator[tuple[Result, StatisticalCheck | None]]:
    """Yield the checks of releases at random, if the program makes any."""
    if OPERATION not in description.operations:
        for identifier in check_names():
            reason = f"the operation {OPERATION} is not supported"
            yield Result(identifier, OPERATION, Verdict.UNSUPPORTED, reason, Kind.AT_RANDOM), None
        return

    def ask(request: Mapping[str, object]) -> dict[str, Json]:
        return session.ask({"op": OPERATION, **request}, OPERATION)

    yield from judged_releases(ask, description.features, smoke=smoke)


def _ended(session: Session) -> Result:
    """Return whether the program ends when its input does."""
    try:
        session.finish()
    except MisbehaviorError as error:
        return Result("protocol/end", PROTOCOL, Verdict.FAILED, str(error))
    return Result("protocol/end", PROTOCOL, Verdict.PASSED)


def _nothing_answered(outcome: Conformance, work: Sequence[tuple[VectorFile, Vector]]) -> list[Result]:
    """Return a failure for each operation that is offered and of which nothing but refusals was shown.

    An operation of which these vectors ask nothing but refusals is no failure, nor is it shown.
    """
    shown = outcome.answered()
    shown |= {result.operation for result in outcome.results if result.verdict is Verdict.XFAILED}
    askable = {file.operation for file, vector in work if vector.valid}
    askable |= {result.operation for result in outcome.results if result.id in check_names()}
    reason = "nothing that has an answer passed or was expected to fail"
    return [
        Result(f"{operation}/any", operation, Verdict.FAILED, reason)
        for operation in outcome.operations()
        if operation in outcome.offered & askable - shown
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
