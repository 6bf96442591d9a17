"""The runner: tests a program against the vectors, and its random releases against their law.

A program that misbehaves is restarted for the next vector. After a number of restarts, or at the end of the
time of a run, the remaining vectors are not run: a run ends whatever the program does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from splu_ref import SPECIFICATION
from splu_ref.channels import InputError, Json
from splu_ref.conformance.comparison import clipped
from splu_ref.conformance.coverage import coverage, unmet_requirements
from splu_ref.conformance.description import FEATURES, Description, nearest, read_description
from splu_ref.conformance.judging import judge, replay_of, vector_of
from splu_ref.conformance.library import OPERATIONS
from splu_ref.conformance.outcome import Conformance
from splu_ref.conformance.program import Limits, MisbehaviorError
from splu_ref.conformance.result import (
    PROTOCOL,
    PROTOCOL_PAGE,
    Kind,
    Replay,
    Result,
    StatisticalCheck,
    Verdict,
)
from splu_ref.conformance.session import Session
from splu_ref.conformance.statistics import OPERATION, check_names, check_releases
from splu_ref.conformance.vector import Vector, VectorFile

Progress = Callable[[int, int], None]
_SMOKE = 2
"""Vectors of a file with the same outcome that a smoke run sends."""


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
    on_result: Callable[[Result], None] | None = None,
) -> Conformance:
    """Test a program against vectors, and its random releases against their law.

    Parameters
    ----------
    command
        The program and its arguments. It is started once, and anew only when it has misbehaved.
    files
        The vectors, such as `splu_ref.conformance.vector_files` gives.
    expected_failures
        Reasons by id of a vector or check; each of these must fail.
    smoke
        Whether to send a few vectors of each file only, and request a quarter of the random releases.
    at_random
        Whether to test random releases against their law, if the program supports them.
    require
        By operation, the share of each kind of request that must pass, in (0, 1].
    only
        The id of a vector, a generated request or a check: nothing else is sent but ``describe``.
    limits
        Limits of time and memory; by default those of `Limits`.
    progress
        Called with the number of vectors and checks done, and of all.
    on_result
        Called with each result as soon as it is known.

    Returns
    -------
    Conformance
        The verdict of every vector and check; ``holds`` if nothing failed and an operation was tested.

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
    alone = vector_of(files, only, check_ids) if only is not None else None
    selected = files if only is None else [alone] if alone is not None else []
    work = [(file, vector) for file in selected for vector in (_few(file) if smoke else file.vectors)]
    outcome = Conformance("", "", SPECIFICATION, smoke=smoke)
    if only is not None:
        outcome.replay = Replay(only, "docs/specification/conformance.md", "A check of the runner.")
    at_random = at_random and (only is None or (alone is None and only in check_names()))
    checks = check_names() if at_random else ()

    def record(result: Result) -> None:
        if not (result.verdict.good or outcome.failures()):
            outcome.errors = session.last_words
        outcome.results.append(_expected(result, expected_failures or {}))
        if on_result is not None:
            on_result(outcome.results[-1])
        if progress is not None:
            progress(min(len(outcome.results) - 1, len(work) + len(checks)), len(work) + len(checks))

    with Session(command, limits or Limits()) as session:
        try:
            description = read_description(session.ask({"op": "describe"}, "describe"))
        except MisbehaviorError as error:
            record(Result("protocol/describe", PROTOCOL, Verdict.FAILED, str(error), page=PROTOCOL_PAGE))
            return outcome
        outcome.name, outcome.version = description.name, description.version
        outcome.offered = description.operations
        outcome.unknown = description.unknown(
            {"describe", *OPERATIONS, *(file.operation for file in files)},
            {*FEATURES, *(feature for file in files for feature in file.requires)},
        )
        record(Result("protocol/describe", PROTOCOL, Verdict.PASSED))
        for file, vector in work:
            session.received = b""  # an earlier line does not answer this request
            record(judge(session, description, file, vector))
            if only is not None:
                outcome.replay = replay_of(file, vector, session.received)
        for result, check in _at_random(session, description, smoke=smoke, only=only) if checks else ():
            if only in (None, result.id):
                record(result)
                outcome.statistics += [check] if check is not None else []
        record(_ended(session))
    if only is None:
        short = unmet_requirements(require or {}, coverage(outcome.results))
        unmet = [Result(f"{name}/required", name, Verdict.FAILED, why) for name, why in short.items()]
        for result in [*_unanswered(outcome, work), *unmet]:
            record(result)
    return outcome


def check_ids() -> list[str]:
    """Return the ids of the checks of a run other than vectors."""
    return ["protocol/describe", "protocol/end", *check_names()]


def _refuse_unknown(require: Collection[str], known: Collection[str]) -> None:
    for name in require:
        if name not in known:
            near = nearest(name, known)
            remedy = f"did you mean {near}?" if near else f"there are {', '.join(sorted(known))}"
            raise InputError(f"--require {clipped(name)}: no vector tests this operation: {remedy}")


def _expected(result: Result, reasons: Mapping[str, str]) -> Result:
    """Return the result with its verdict adjusted to the list of expected failures."""
    if result.id not in reasons or result.verdict in (Verdict.SKIPPED, Verdict.UNSUPPORTED):
        return result
    if result.verdict is Verdict.FAILED:
        return replace(result, verdict=Verdict.XFAILED, reason=reasons[result.id])
    reason = (
        f"it passes, but is listed as an expected failure ({reasons[result.id]}): remove it from the list"
    )
    return replace(result, verdict=Verdict.XPASSED, reason=reason)


def _at_random(
    session: Session, description: Description, *, smoke: bool, only: str | None
) -> Iterator[tuple[Result, StatisticalCheck | None]]:
    """Yield the statistical checks: unsupported if the program makes no random releases."""
    if OPERATION not in description.operations:
        for identifier in check_names():
            reason = f"the operation {OPERATION} is not supported"
            yield Result(identifier, OPERATION, Verdict.UNSUPPORTED, reason, Kind.AT_RANDOM), None
        return

    def ask(request: Mapping[str, object]) -> dict[str, Json]:
        return session.ask({"op": OPERATION, **request}, OPERATION)

    yield from check_releases(ask, description.features, smoke=smoke, only=only)


def _ended(session: Session) -> Result:
    """Check that the program ends at the end of its input."""
    try:
        session.finish()
    except MisbehaviorError as error:
        return Result("protocol/end", PROTOCOL, Verdict.FAILED, str(error), page=PROTOCOL_PAGE)
    return Result("protocol/end", PROTOCOL, Verdict.PASSED)


def _unanswered(outcome: Conformance, work: Sequence[tuple[VectorFile, Vector]]) -> list[Result]:
    """Return a failure for each offered operation that answered no request correctly.

    An operation whose vectors all require refusals is neither a failure nor tested.
    """
    answered = outcome.answered()
    answered |= {result.operation for result in outcome.results if result.verdict is Verdict.XFAILED}
    answerable = {file.operation for file, vector in work if vector.valid}
    answerable |= {result.operation for result in outcome.results if result.id in check_names()}
    reason = "no valid request passed or was expected to fail"
    return [
        Result(f"{operation}/any", operation, Verdict.FAILED, reason)
        for operation in outcome.operations()
        if operation in outcome.offered & answerable - answered
    ]


def _few(file: VectorFile) -> list[Vector]:
    """Return the first vectors of each kind of outcome."""
    selected: list[Vector] = []
    for vector in file.vectors:
        alike = [
            other for other in selected if (other.error, other.generator) == (vector.error, vector.generator)
        ]
        if len(alike) < _SMOKE:
            selected.append(vector)
    return selected
