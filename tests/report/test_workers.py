from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from splu_proofs import LEDGER
from splu_ref.audit.declared_law import DECLARED
from splu_ref.report.stages.enumeration import _enumerated
from splu_ref.report.stages.outcome import Outcome
from splu_ref.report.suite import guarded
from splu_ref.report.workers import WorkerDiedError, WorkerPool, usable_processors
from tests.report import at_work


def silent(item: object, done: int) -> None:
    """Say nothing."""


@pytest.fixture(scope="module")
def two() -> Iterator[WorkerPool]:
    with WorkerPool(2) as pool:
        yield pool


def test_every_item_is_done_once_and_reported_as_it_begins(two: WorkerPool) -> None:
    for pool in (WorkerPool(1), two):
        recorder: list[tuple[int, int]] = []
        found = list(
            pool.each(math.factorial, range(9), lambda *words, recorder=recorder: recorder.append(words))
        )
        assert sorted(found) == [(item, math.factorial(item)) for item in range(9)]
        assert [item for item, _ in recorder] == list(range(9))
        assert [done for _, done in recorder] == sorted(done for _, done in recorder)
        assert recorder[-1][1] >= 9 - pool.number
    assert list(two.each(math.factorial, [], silent)) == []


def test_the_work_is_done_in_as_many_processes_as_requested(two: WorkerPool, tmp_path: Path) -> None:
    assert {pid for _, pid in WorkerPool(1).each(at_work.process, [0.0] * 3, silent)} == {os.getpid()}
    pids = {pid for _, pid in two.each(at_work.meet, [tmp_path] * 2, silent)}
    assert len(pids) == 2
    assert os.getpid() not in pids
    assert {pid for _, pid in two.each(at_work.process, [0.05] * 8, silent)} <= pids  # for the next stage


def test_what_the_work_raises_is_raised_here_and_the_next_stage_runs(two: WorkerPool) -> None:
    with pytest.raises(ValueError, match="factorial"):
        list(two.each(math.factorial, [3, -1, 4], silent))
    assert dict(two.each(math.factorial, [3, 4], silent)) == {3: 6, 4: 24}


def test_what_cannot_be_raised_again_keeps_its_name_and_text(two: WorkerPool) -> None:
    with pytest.raises(RuntimeError, match="DemandingError: 4 of 5"):
        list(two.each(at_work.demand, [4], silent))
    with pytest.raises((AttributeError, pickle.PicklingError), match="pickle"):
        list(two.each(at_work.local, [4], silent))


def test_a_worker_that_dies_fails_its_stage_and_the_next_stage_runs(two: WorkerPool) -> None:
    with pytest.raises(WorkerDiedError, match="ended while the work was at 7"):
        list(two.each(os._exit, [7], silent))
    (row,) = guarded("ledger", lambda: _none(two.each(at_work.kill_itself, ["splu.T2"], silent))).rows
    assert (row.id, row.passed) == ("ledger.stage", False)
    assert row.detail == "WorkerDiedError: a worker process ended while the work was at splu.T2"
    assert dict(two.each(math.factorial, [3], silent)) == {3: 6}


def test_a_worker_that_dies_without_work_fails_the_next_stage(two: WorkerPool) -> None:
    ((_, pid),) = two.each(at_work.process, [0.0], silent)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerDiedError):
        _forever(lambda: list(two.each(at_work.process, [0.0], silent)))  # until its end is known
    assert dict(two.each(math.factorial, [3], silent)) == {3: 6}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_parent(number: signal.Signals) -> None:
    code = (
        "import time\nfrom splu_ref.report.workers import WorkerPool\n"
        "list(WorkerPool(2).each(time.sleep, [600, 601], lambda *_: None))"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as run:
        found = at_work.until(lambda: children if len(children := _workers(run.pid)) == 2 else None)
        run.send_signal(number)
    assert run.returncode == -number
    at_work.until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found) or None)


def test_an_interrupt_ends_those_at_work() -> None:
    def interrupted(item: float, done: int) -> None:
        if item:
            raise KeyboardInterrupt

    before = set(multiprocessing.active_children())
    with pytest.raises(KeyboardInterrupt), WorkerPool(3) as pool:
        list(pool.each(at_work.process, [0, 0, 60], interrupted))
    assert set(multiprocessing.active_children()) == before


def test_what_is_found_does_not_depend_on_who_examines_what(two: WorkerPool) -> None:
    claims = ["splu.E1", "splu.T2", "rastogi.D23"]
    one, other = (dict(pool.each(LEDGER._part, claims, silent)) for pool in (WorkerPool(1), two))
    assert {each: found.evidence for each, found in one.items()} == {
        each: found.evidence for each, found in other.items()
    }
    places = [place for place, (mechanism, _) in enumerate(DECLARED) if mechanism.name in {"DBR", "swapping"}]
    here, there = (dict(pool.each(_enumerated, places, silent)) for pool in (WorkerPool(1), two))
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
        found = at_work.until(lambda: children if len(children := _children(run.pid)) >= 3 else None)
        run.send_signal(signal.SIGINT)  # to the first alone, as a build server would
        _, recorder = run.communicate(timeout=60)
    assert run.returncode == 130
    assert b"Traceback" not in recorder
    assert list(tmp_path.iterdir()) == []
    at_work.until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found) or None)


def _none(found: Iterator[object]) -> Outcome:
    assert not list(found)
    return Outcome()


def _forever(work: Callable[[], object]) -> None:
    while True:
        work()


def _workers(pid: int) -> list[int]:
    """Return the children of a process that handle the signal to end, which workers at work do."""
    handled = 1 << (signal.SIGTERM - 1)

    def caught(child: int) -> int:
        status = Path(f"/proc/{child}/status").read_text()
        return int(status.partition("SigCgt:")[2].split()[0], 16)

    return [child for child in _children(pid) if caught(child) & handled]


def _children(pid: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def test_processors_are_counted_where_the_system_states_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 5}, raising=False)
    assert usable_processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    for recorder, expected in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda recorder=recorder: recorder)
        assert usable_processors() == expected
