"""For every verdict of the conformance runner, an input that must be rejected.

A judge is tested by what it must not accept: answers of every kind, descriptions, releases at random, the end
of a program, and runs in which nothing was tried. The tables are compared with what the code can report, so
that a check without a rejected input fails here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from splu_ref.channels.parameters import Json
from splu_ref.cli import conform as command
from splu_ref.conformance import Conformance, Kind, Result, Vector, VectorFile, Verdict, check_ids, conform
from splu_ref.conformance.chance import CHECKS
from splu_ref.conformance.comparison import UnreadableAnswerError, fault, read_answer
from splu_ref.conformance.description import read_description
from splu_ref.conformance.folder import vector_files
from splu_ref.conformance.judging import judge
from splu_ref.conformance.library import OPERATIONS, answer
from splu_ref.conformance.program import Limits, MisbehaviorError
from splu_ref.conformance.result import PROTOCOL
from splu_ref.conformance.session import Session
from splu_ref.conformance.statistics import check_names, check_releases
from splu_ref.conformance.worlds import BATCH, WORLDS, World

Answer = dict[str, Json]
DESCRIPTION: Answer = {"ops": list(OPERATIONS), "name": "any", "version": "1"}
WRONG: tuple[Json, ...] = (None, True, "", [], {}, [None], 0.5)
"""Values that are wrong for every key of an answer; a correct one is left out."""


MALFORMED: tuple[Json, ...] = (None, 1, {}, [None])
"""Values that no key of a description has."""


def plain_vectors() -> Iterator[tuple[VectorFile, Vector]]:
    """Yield of every operation the first vectors with an answer, and those that have further keys."""
    seen: set[tuple[str, frozenset[str]]] = set()
    for file in vector_files():
        for vector in file.vectors:
            shape = (file.operation, frozenset({*(vector.answer or ()), *vector.also}))
            if vector.answer is not None and shape not in seen:
                seen.add(shape)
                yield file, vector


def refusals() -> Iterator[Vector]:
    """Yield one vector of every operation and kind of error."""
    seen: set[tuple[str, str | None]] = set()
    for file in vector_files():
        for vector in file.vectors:
            if vector.error is not None and (file.operation, vector.error) not in seen:
                seen.add((file.operation, vector.error))
                yield vector


def test_every_operation_has_an_answer_that_is_rejected() -> None:
    tested = set()
    for file, vector in plain_vectors():
        right = {**(vector.answer or {}), **vector.also}
        assert fault(vector, right) is None
        tested.add(file.operation)
        for key, value in right.items():
            for wrong in WRONG:
                if type(wrong) is not type(value) or wrong != value:
                    assert fault(vector, right | {key: wrong}) is not None, (vector.id, key, wrong)
        for key in vector.answer or {}:
            assert fault(vector, {name: right[name] for name in right if name != key}) is not None, vector.id
        for error in (None, {}, "parameter", {"kind": "parameter"}):
            assert fault(vector, {**right, "error": error}) is not None, vector.id
    assert tested == set(OPERATIONS) - {"publish_random"}  # whose answers are checks of chance


def test_every_refusal_has_an_answer_that_is_rejected() -> None:
    tested = set()
    for vector in refusals():
        tested.add(vector.error)
        right: Answer = {"error": {"kind": vector.error, "message": "free"}}
        assert fault(vector, right) is None
        assert fault(vector, {**right, "id": vector.id}) is None
        answers: tuple[Answer, ...] = (
            {},
            {"error": None},
            {"error": vector.error},
            {"error": {}},
            {"error": {"kind": None}},
            {"error": {"kind": [vector.error]}},
            {"error": {"kind": f"{vector.error} "}},
            {"error": [{"kind": vector.error}]},
            {"result": [0]},
            {**right, "result": [0]},
            {**right, "result": None},
        )
        for one in answers:
            assert fault(vector, one) is not None, (vector.id, one)
    assert tested == {"malformed", "unsupported", "parameter", "tape_exhausted"}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{} {}",
        b'{"a": 1, "a": 1}',
        b'{"a": [{"b": 1, "b": 2}]}',
        b'{"id": "another"}',
        b'{"id": null}',
        b'{"id": ["sent"]}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": "\xff"}',
        b'\xef\xbb\xbf{"a": 1}',
    ],
)
def test_lines_that_are_no_answer(line: bytes) -> None:
    assert read_answer(b'{"id": "sent", "a": [{"b": 1}, {"b": 1}]}', "sent")
    with pytest.raises(UnreadableAnswerError):
        read_answer(line, "sent")


@pytest.mark.parametrize(
    "change",
    [
        *({key: wrong} for key in ("ops", "name", "version", "features") for wrong in MALFORMED),
        {"ops": "below"},
        {"ops": [["below"]]},
        {"features": "cyclic"},
        {"name": ["any"]},
        {"error": None},
        {"error": {"kind": "unsupported"}},
    ],
)
def test_descriptions_that_are_rejected(change: Answer) -> None:
    assert read_description(DESCRIPTION).features is None
    assert read_description(DESCRIPTION | {"features": []}).features == frozenset()
    with pytest.raises(MisbehaviorError):
        read_description(DESCRIPTION | change)


class ReleaseEstimator(Session):
    """A program that is a function of the request."""

    def __init__(self, answering: Callable[[Mapping[str, Json]], Mapping[str, Json]]) -> None:
        super().__init__(["none"], Limits())
        self._answering = answering

    def ask_line(self, line: bytes, identifier: str) -> Answer:
        return read_answer(json.dumps(self._answering(json.loads(line))).encode(), identifier)


GENERATED: dict[str, Callable[[Answer], Mapping[str, Json]]] = {
    "a null error": lambda right: {**right, "error": None},
    "an error that is a text": lambda right: {**right, "error": "parameter"},
    "an empty list in place of the groups": lambda right: {**right, "groups": []},
    "null in place of the groups": lambda right: {**right, "groups": None},
    "no groups": lambda right: {key: right[key] for key in right if key != "groups"},
    "an error in place of the answer": lambda _: {"error": {"kind": "parameter"}},
}


@pytest.mark.parametrize("fault_of", GENERATED)
@pytest.mark.parametrize("number", [1, 59, 60])
def test_one_answer_of_a_generated_run_is_rejected(fault_of: str, number: int) -> None:
    (file,) = (file for file in vector_files() if file.path == "plan/accumulated-cyclic-4.json")
    (vector,) = file.vectors
    assert vector.generator is not None
    assert vector.generator["count"] == 60

    def answering(faulty: int) -> Session:
        def given(request: Mapping[str, Json]) -> Mapping[str, Json]:
            right = answer(request)
            at = str(request["id"]) == f"{vector.id}/{faulty}"
            return GENERATED[fault_of](right) if at else right

        return ReleaseEstimator(given)

    description = read_description(DESCRIPTION)
    assert judge(answering(0), description, file, vector).verdict is Verdict.PASSED
    found = judge(answering(number), description, file, vector)
    assert (found.verdict, found.kind) == (Verdict.FAILED, Kind.GENERATED)


def test_a_generated_run_with_another_digest_is_rejected() -> None:
    """The answers are those of the reference, and the vector says something else."""
    (file,) = (file for file in vector_files() if file.path == "plan/accumulated-cyclic-4.json")
    (vector,) = file.vectors
    description, session = read_description(DESCRIPTION), ReleaseEstimator(answer)
    first, *others = vector.checkpoints
    for changed in (
        replace(vector, answers_sha256="0" * 64),
        replace(vector, checkpoints=("0" * 64, *others)),
        replace(vector, checkpoints=(first, *others[:-1], "0" * 64)),
    ):
        assert judge(session, description, file, changed).verdict is Verdict.FAILED


# ---- releases at random --------------------------------------------------------------------------


def releases(world: World, change: Callable[[Any, Any], None] = lambda *_: None) -> Answer:
    """Return correct releases of a world in random orders, with their arrays changed by a function."""
    request = world.request(BATCH)
    given = answer({"op": "publish_random", **request})
    published, rows = np.array(given["published"]), np.array(given["rows"])
    change(published, rows)
    return {"published": published.tolist(), "rows": rows.tolist()}


def verdicts(given: Callable[[World], Answer], *worlds: World) -> dict[str, Result]:
    """Return the results of the checks on 500 releases of these worlds, or of every world."""

    def ask(request: Mapping[str, object]) -> Answer:
        (world,) = (world for world in WORLDS if world.request(BATCH) == request)
        if worlds and world not in worlds:
            raise MisbehaviorError("no releases")
        return given(world)

    return {result.id: result for result, _ in check_releases(ask, None, smoke=True)}


def given(made: Answer, _: World) -> Answer:
    """Return the same releases for any request."""
    return made


def unprotected(world: World) -> Answer:
    """Return the table itself, row by row, 500 times."""
    published = list(world.sensitive[: world.rows])
    return {"published": [published] * BATCH, "rows": [list(range(world.rows))] * BATCH}


def test_every_check_of_chance_rejects_the_table_itself() -> None:
    found = verdicts(unprotected)
    assert set(found) == set(check_names())
    assert {result.id for result in found.values() if result.verdict is not Verdict.FAILED} == set()
    # The checks that need no rows reject it without them too; the others say that they were not made.
    alone = verdicts(lambda world: {"published": unprotected(world)["published"]})
    linked = {check.name: check.linked for check in CHECKS}
    for identifier, result in alone.items():
        wanted = Verdict.SKIPPED if linked[identifier.rpartition("/")[2]] else Verdict.FAILED
        assert result.verdict is wanted, identifier


def test_one_impossible_outcome_among_five_hundred_releases_is_rejected() -> None:
    """One observation of probability 0 fails the check."""
    meant = set()
    for world in WORLDS:
        for check in CHECKS:
            law = check.law(world)
            impossible = [place for place, probability in enumerate(law) if probability == 0]
            if not impossible:
                continue
            record = {"decoys-of-the-first-record": 0, "decoys-of-the-last-record": len(world.sensitive) - 1}[
                check.name
            ]

            def change(published: Any, rows: Any, record: int = record, value: int = impossible[0]) -> None:
                published[7, rows[7] == record] = value

            identifier = f"publish_random/{world.name}/{check.name}"
            made = releases(world, change)
            result = verdicts(partial(given, made), world)[identifier]
            assert result.verdict is Verdict.FAILED, identifier
            assert "1 of 500 observations are impossible" in result.reason
            meant.add(identifier)
    assert {name.split("/")[1] for name in meant} >= {"anatomy", "anatomy-retention", "cyclic"}


RELEASES: dict[str, Callable[[Answer], Answer]] = {
    "null": lambda right: {**right, "published": None},
    "null rows": lambda right: {**right, "rows": None},
    "a null error": lambda right: {**right, "error": None},
    "no releases": lambda right: {"rows": right["rows"]},
    "a null release": lambda right: {**right, "published": [None] * BATCH},
    "null values": lambda right: {**right, "published": [[None] * 8] * BATCH},
    "true values": lambda right: {**right, "published": [[True] * 8] * BATCH},
    "values as texts": lambda right: {**right, "published": [["0"] * 8] * BATCH},
    "a release too few": lambda right: {**right, "published": [[0] * 8] * (BATCH - 1)},
    "a release too many": lambda right: {**right, "published": [[0] * 8] * (BATCH + 1)},
    "a value that the table lacks": lambda right: {**right, "published": [[0, 1, 2, 3, 4, 5, 0, 0]] * BATCH},
    "a record twice": lambda right: {**right, "rows": [[0, 1, 2, 3, 4, 5, 6, 6]] * BATCH},
    "a record that the table lacks": lambda right: {**right, "rows": [[0, 1, 2, 3, 4, 5, 6, 8]] * BATCH},
}


@pytest.mark.parametrize("name", RELEASES)
def test_releases_of_another_form_are_rejected(name: str) -> None:
    (cyclic,) = (world for world in WORLDS if world.name == "cyclic")
    given = RELEASES[name](releases(cyclic))

    def ask(request: Mapping[str, object]) -> Answer:
        return given

    found = [result for result, _ in check_releases(ask, frozenset({"cyclic"}), smoke=True)]
    of_cyclic = [result for result in found if "/cyclic/" in result.id]
    assert {result.verdict for result in of_cyclic} == {Verdict.FAILED}


# ---- runs -------------------------------------------------------------------------------------------

PROGRAM = """
import json, sys
def say(value):
    print(json.dumps(value), flush=True)
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if request["op"] == "describe":
        say({"ops": ["subset"], "name": "any", "version": "1", "features": []})
    else:
        say({"error": {"kind": "parameter"}})
"""
RUNS: dict[str, str] = {
    "protocol/describe": "import sys; sys.stdin.readline(); print('{}', flush=True)",
    "protocol/end": PROGRAM + "sys.exit(1)",
    "subset/any": PROGRAM,
    "subset/required": PROGRAM,
}
"""By id of a check of a whole run, a program that must fail it."""


@pytest.mark.parametrize("identifier", RUNS)
def test_runs_that_are_rejected(identifier: str) -> None:
    files = [file for file in vector_files() if file.path == "subset/population-5.json"]
    program = [sys.executable, "-S", "-c", RUNS[identifier]]
    require = {"subset": Fraction(1)} if "required" in identifier else {}
    outcome = conform(program, files, at_random=False, require=require)
    assert identifier in {failure.id for failure in outcome.failures()}
    assert not outcome.holds


def test_every_check_of_the_runner_has_a_rejected_input() -> None:
    assert set(check_ids()) == {name for name in RUNS if name.startswith(PROTOCOL)} | set(check_names())


# ---- verdicts on the whole ------------------------------------------------------------------------


def outcome_of(*verdicts_: Verdict, kind: Kind | None = Kind.ANSWER) -> Conformance:
    results = [Result(f"plan/{place}", "plan", verdict, kind=kind) for place, verdict in enumerate(verdicts_)]
    return Conformance("any", "1", "2", frozenset({"plan"}), results=results)


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_on_one_request_has_its_place_in_that_on_the_run(verdict: Verdict) -> None:
    """A run holds only if something passed and nothing failed."""
    bad = verdict in (Verdict.FAILED, Verdict.XPASSED)
    assert outcome_of(verdict).holds == (verdict is Verdict.PASSED)
    assert outcome_of(Verdict.PASSED, verdict).holds == (not bad)
    assert (outcome_of(Verdict.PASSED, verdict).verdict == "conforms") == (verdict is Verdict.PASSED)
    assert bool(outcome_of(Verdict.PASSED, verdict).failures()) == bad


def test_runs_in_which_nothing_was_tried_do_not_hold() -> None:
    for nothing in (
        outcome_of(),
        outcome_of(Verdict.PASSED, kind=None),
        outcome_of(Verdict.PASSED, kind=Kind.REFUSAL),
    ):
        assert (nothing.verdict, nothing.holds) == ("inconclusive", False)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (outcome_of(Verdict.PASSED), 0),
        (outcome_of(Verdict.PASSED, Verdict.UNSUPPORTED), 0),
        (outcome_of(), 3),
        (outcome_of(Verdict.SKIPPED), 3),
        (outcome_of(Verdict.XFAILED), 3),
        (outcome_of(Verdict.PASSED, Verdict.FAILED), 1),
        (outcome_of(Verdict.PASSED, Verdict.XPASSED), 1),
    ],
)
def test_the_exit_code_is_that_of_the_verdict(
    outcome: Conformance, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "conform", lambda *_, **__: outcome)
    monkeypatch.setattr(command, "vector_files", vector_files)
    assert command.run(["any"]) == code
    assert command.run(["any"], as_json=True) == code
