from __future__ import annotations

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from splu_proofs import LEDGER
from splu_ref.audit.declared_law import DECLARED
from splu_ref.report.hands import HandLostError, Hands, usable_processors
from splu_ref.report.stages.enumeration import _enumerated
from splu_ref.report.stages.outcome import Outcome
from splu_ref.report.suite import guarded

T = TypeVar("T")


def silent(item: object, done: int) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def two() -> Iterator[Hands]:
    with Hands(2) as hands:
        yield hands


def test_every_item_is_done_once_and_told_as_it_begins(two: Hands) -> None:
    for hands in (Hands(1), two):
        told: list[tuple[int, int]] = []
        found = list(hands.each(math.factorial, range(9), lambda *words, told=told: told.append(words)))
        assert sorted(found) == [(item, math.factorial(item)) for item in range(9)]
        assert [item for item, _ in told] == list(range(9))
        assert [done for _, done in told] == sorted(done for _, done in told)
        assert told[-1][1] >= 9 - hands.number
    assert list(two.each(math.factorial, [], silent)) == []


def test_the_work_is_done_elsewhere_by_as_many_as_were_asked_for(two: Hands) -> None:
    assert {pid for _, pid in Hands(1).each(_process, [0.0] * 3, silent)} == {os.getpid()}
    pids = {pid for _, pid in two.each(_process, [0.05] * 8, silent)}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert {pid for _, pid in two.each(_process, [0.05] * 8, silent)} == pids  # they stay for the next stage


def test_what_the_work_raises_is_raised_here_and_the_next_stage_runs(two: Hands) -> None:
    with pytest.raises(ValueError, match="factorial"):
        list(two.each(math.factorial, [3, -1, 4], silent))
    assert dict(two.each(math.factorial, [3, 4], silent)) == {3: 6, 4: 24}


def test_what_cannot_be_raised_again_keeps_its_name_and_text(two: Hands) -> None:
    with pytest.raises(RuntimeError, match="DemandingError: 4 of 5"):
        list(two.each(_demanding, [4], silent))
    with pytest.raises(RuntimeError, match="pickle"):
        list(two.each(_local, [4], silent))


def test_a_process_that_dies_fails_its_stage_and_is_named(two: Hands) -> None:
    with pytest.raises(HandLostError, match="ended with code 7 while it was at 7"):
        list(two.each(os._exit, [7], silent))
    (row,) = guarded("ledger", lambda: _none(two.each(os._exit, [9], silent))).rows
    assert (row.id, row.passed) == ("ledger.stage", False)
    assert row.detail == "HandLostError: a process ended with code 9 while it was at 9"
    assert dict(two.each(math.factorial, [3], silent)) == {3: 6}


def test_an_interrupt_ends_those_at_work() -> None:
    def interrupted(item: float, done: int) -> None:
        if item:
            raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt), Hands(3) as hands:
        list(hands.each(_process, [0, 0, 60], interrupted))
    assert set(multiprocessing.active_children()) == before


def test_what_is_found_does_not_depend_on_who_examines_what(two: Hands) -> None:
    claims = ["splu.D1", "splu.E1", "splu.T2", "rastogi.D23"]
    one, other = (dict(hands.each(LEDGER._part, claims, silent)) for hands in (Hands(1), two))
    assert {each: found.evidence for each, found in one.items()} == {
        each: found.evidence for each, found in other.items()
    }
    places = [place for place, (mechanism, _) in enumerate(DECLARED) if mechanism.name in {"DBR", "swapping"}]
    here, there = (dict(hands.each(_enumerated, places, silent)) for hands in (Hands(1), two))
    assert {place: found[:2] for place, found in here.items()} == {
        place: found[:2] for place, found in there.items()
    }


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")
def test_an_interrupted_verification_leaves_no_process_and_no_report(tmp_path: Path) -> None:
    # What starts the tests may have had interrupts ignored, and its children with it.
    words = "'verify', '--workers', '2', '--report', 'report'"
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [
        sys.executable,
        "-c",
        f"{heard}; from splu_ref.cli import main; raise SystemExit(main([{words}]))",
    ]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        found = _until(lambda: children if len(children := _children(run.pid)) >= 3 else None)
        run.send_signal(signal.SIGINT)  # to the first alone, as a build server would
        _, told = run.communicate(timeout=60)
    assert run.returncode == 130
    assert b"Traceback" not in told
    assert list(tmp_path.iterdir()) == []
    _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found) or None)


class DemandingError(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} of {other}")


def _demanding(item: int) -> None:
    raise DemandingError(item, item + 1)


def _local(item: int) -> Callable[[], int]:
    return lambda: item


def _none(found: Iterator[object]) -> Outcome:
    assert not list(found)
    return Outcome()


def _process(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def _children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _until(ready: Callable[[], T | None], seconds: float = 120) -> T:
    end = time.monotonic() + seconds
    while (found := ready()) is None:
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)
    return found


def test_processors_are_counted_where_the_system_tells_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 5}, raising=False)
    assert usable_processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for told, expected in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda told=told: told)
        assert usable_processors() == expected
