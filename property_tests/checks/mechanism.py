"""The mechanism on codes: its structure, and its replay from a tape."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import numpy as np

from property_tests.checking import Outcome, check
from property_tests.examples import PLAN_NAMES, RETENTIONS, SEEDS, for_all, tables
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import DecoyPlan, SpluGen
from splu_ref.randomness import IntArray, PlanSecret, RecordingSource
from splu_ref.spec import splu_gen as specification
from splu_ref.spec.randomness import Tape

Table = tuple[Gamma, IntArray, int]


@check(
    "mechanism.structure",
    "property",
    "Published rows are a permutation of the records kept, N mod gamma records are deleted, and every record "
    "publishes its true value or one that shares a group with it; the recorded bytes repeat the release "
    "(splu.S3).",
)
def structure(subject: Subject, run: Run) -> Outcome:
    def holds(table: Table, seed: bytes, plan: str) -> None:
        gamma, codes, domain_size = table
        recording = RecordingSource(subject.seeded(seed))
        made: list[DecoyPlan] = []

        def watched(histogram: IntArray, size: Gamma, secret: PlanSecret) -> DecoyPlan:
            made.append(subject.plans[plan](histogram, size, secret))
            return made[-1]

        done = subject.publish_codes(SpluGen(gamma, plan=watched), codes, domain_size, recording)
        assert len(done.suppressed) == len(codes) % gamma, "another number of records deleted"
        everyone = np.sort(np.concatenate([done.rows, done.suppressed]))
        assert everyone.tolist() == list(range(len(codes))), "a record is lost or doubled"
        together = {(int(v), int(w)) for group in made[0].groups() for v in group for w in group}
        pairs = set(zip(codes[done.rows].tolist(), done.published.tolist(), strict=True))
        assert pairs <= together, f"published outside the group: {pairs - together}"
        tape = subject.tape(recording.recorded)
        again = subject.publish_codes(SpluGen(gamma, plan=subject.plans[plan]), codes, domain_size, tape)
        assert tape.consumed == len(recording.recorded), "the replay reads fewer bytes"
        for part in ("rows", "published", "suppressed"):
            assert np.array_equal(getattr(done, part), getattr(again, part)), f"the replay differs in {part}"

    return for_all(run, "mechanism.structure", holds, tables(), SEEDS, PLAN_NAMES, examples=run.pick(250, 40))


@check(
    "mechanism.replay",
    "property",
    "From the same tape the mechanism publishes the rows and values that are specified, deletes the same "
    "records and reads the same bytes, with every plan and retention.",
)
def replay(subject: Subject, run: Run) -> Outcome:
    def holds(table: Table, seed: bytes, plan: str, retention: Fraction | None) -> None:
        gamma, codes, domain_size = table
        data = hashlib.shake_256(seed).digest(200 * len(codes) + 200)
        expected = Tape(data)
        parameters = specification.Parameters(gamma, plan, retention)
        source = specification.OneStream(expected)
        wanted = specification.publish([codes.tolist()], parameters, lambda _: source)
        tape = subject.tape(data)
        found = subject.publish_codes(
            SpluGen(gamma, retention=retention, plan=subject.plans[plan]), codes, domain_size, tape
        )
        assert found.suppressed.tolist() == wanted.suppressed, "other records are deleted"
        assert found.rows.tolist() == wanted.rows, "the rows stand in another order"
        assert found.published.tolist() == wanted.published[0], "other values are published"
        assert tape.consumed == expected.consumed, f"{tape.consumed} bytes read, not {expected.consumed}"

    return for_all(
        run, "mechanism.replay", holds, tables(), SEEDS, PLAN_NAMES, RETENTIONS, examples=run.pick(300, 50)
    )
