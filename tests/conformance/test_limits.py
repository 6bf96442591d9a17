"""Programs under test that exceed their limits or leave processes behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from splu_ref.conformance import Conformance, Limits, Verdict, conform, vector_files
from splu_ref.conformance.session import MOST_STARTS

FILES = [file for file in vector_files() if file.path == "subset/population-5.json"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="promised on Linux only")

DAEMON = """
import os, pathlib, time
def daemon(work):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for pipe in (0, 1, 2):
                os.close(pipe)
            work()
        os._exit(0)
    os.wait()
def noted():
    with open(FOLDER + "/daemons", "a") as file:
        file.write(f"{os.getpid()}\\n")
"""
ANSWERS = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    describe = {"ops": ["subset"], "name": "none", "version": "0"}
    print(json.dumps(describe if request["op"] == "describe" else {"result": []}), flush=True)
"""


def program(code: str, folder: Path) -> list[str]:
    return [sys.executable, "-S", "-c", f"FOLDER = {str(folder)!r}\n{code}{ANSWERS}"]


def run(code: str, folder: Path, limits: Limits) -> Conformance:
    return conform(program(code, folder), FILES, limits=limits)


def reasons(outcome: Conformance) -> str:
    return " ".join(failure.reason for failure in outcome.failures())


def alive(folder: Path) -> list[int]:
    """Return the recorded processes that still run."""
    noted = [int(line) for line in (folder / "daemons").read_text().split()]
    assert noted
    return [pid for pid in noted if Path(f"/proc/{pid}").exists()]


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


@linux
def test_a_daemon_does_not_outlive_the_run(tmp_path: Path) -> None:
    code = DAEMON + "daemon(lambda: (noted(), time.sleep(600)))\n"
    code += "while not os.path.exists(FOLDER + '/daemons'): time.sleep(0.01)\n"
    assert "protocol/end" not in [failure.id for failure in run(code, tmp_path, Limits()).failures()]
    assert alive(tmp_path) == []


@linux
def test_a_daemon_of_a_program_that_is_stopped_ends_before_the_next_start(tmp_path: Path) -> None:
    code = DAEMON + (
        "open(FOLDER + '/daemons', 'a').close()\n"
        "before = open(FOLDER + '/daemons').read()\n"
        "if any(os.path.exists(f'/proc/{pid}') for pid in before.split()): open(FOLDER + '/met', 'w')\n"
        "daemon(lambda: (noted(), time.sleep(600)))\n"
        "while os.path.getsize(FOLDER + '/daemons') == len(before): time.sleep(0.01)\n"
        "import builtins\n"
        "first = iter((True,))\n"
        "def print(*words, **how): builtins.print(*words, **how) if next(first, False) else os._exit(1)\n"
    )
    run(code, tmp_path, Limits())
    assert len((tmp_path / "daemons").read_text().split()) >= MOST_STARTS // 2
    assert not (tmp_path / "met").exists()
    assert alive(tmp_path) == []


@linux
def test_daemons_that_start_each_other_are_ended(tmp_path: Path) -> None:
    code = DAEMON + (
        "def next_one():\n"
        "    while True:\n"
        "        noted()\n"
        "        if os.fork(): os._exit(0)\n"
        "        os.setsid()\n"
        "for _ in range(3): daemon(next_one)\n"
        "while not os.path.exists(FOLDER + '/daemons'): time.sleep(0.01)\n"
    )
    run(code, tmp_path, Limits())
    assert alive(tmp_path) == []
    size = (tmp_path / "daemons").stat().st_size
    time.sleep(0.3)
    assert (tmp_path / "daemons").stat().st_size == size


@linux
def test_nothing_outlives_a_runner_that_is_killed(tmp_path: Path) -> None:
    code = DAEMON + "noted()\ndaemon(lambda: (noted(), time.sleep(600)))\ntime.sleep(600)\n"
    runner = (
        "import sys\nfrom splu_ref.conformance import conform, Limits, vector_files\n"
        "conform(sys.argv[1:], vector_files()[:1], limits=Limits(answer=600))"
    )
    with subprocess.Popen([sys.executable, "-c", runner, *program(code, tmp_path)]) as running:
        noted = tmp_path / "daemons"
        assert eventually(lambda: noted.exists() and len(noted.read_text().splitlines()) == 2, 60)
        assert len(alive(tmp_path)) == 2
        os.kill(running.pid, signal.SIGKILL)
    assert eventually(lambda: alive(tmp_path) == [])


FORKED = """
held = b"x" * (80 << 20)
for _ in range(2):
    if not os.fork():
        os.setsid()
        held = b"y" * (80 << 20)
        time.sleep(600)
time.sleep(600)
"""
SHARED = """
import ctypes, mmap, os, time
reserve = ctypes.CDLL(None).mmap
reserve.restype = ctypes.c_void_p
reserve.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long]
assert reserve(None, 1 << 36, mmap.PROT_READ | mmap.PROT_WRITE, 0x4022, -1, 0) > 0  # MAP_NORESERVE
held = b"x" * (100 << 20)
for _ in range(3):
    if not os.fork():
        time.sleep(600)
time.sleep(0.5)
"""


@linux
@pytest.mark.parametrize(
    "hog",
    [
        "held = []\nwhile True: held.append(b'x' * (1 << 20)); time.sleep(0.001)\n",
        FORKED,
        "import mmap\nheld = mmap.mmap(-1, 1 << 30)\nfor _ in range(1 << 18): held.write(b'z' * 4096)\n",
        DAEMON + "daemon(lambda: [held := b'x' * (250 << 20), time.sleep(600)])\ntime.sleep(600)\n",
    ],
    ids=["alone", "with-children", "shared-memory", "in-a-daemon"],
)
def test_memory_is_limited(hog: str, tmp_path: Path) -> None:
    begun = time.monotonic()
    outcome = run("import os, time\n" + hog, tmp_path, Limits(answer=60, memory=150))
    assert "used more than 150 MiB and was stopped (--memory allows more)" in reasons(outcome)
    assert time.monotonic() - begun < 60


@linux
def test_memory_that_is_shared_or_only_reserved_counts_once_or_not_at_all(tmp_path: Path) -> None:
    outcome = run(SHARED, tmp_path, Limits(memory=200))
    assert "--memory" not in reasons(outcome)
    assert outcome.results[0].verdict is Verdict.PASSED


@pytest.mark.parametrize(
    "burner",
    [
        "while True: pass\n",
        pytest.param("signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass\n", marks=linux),
        pytest.param(
            "while True:\n    if os.fork(): os.wait()\n    else:\n        [0 for _ in range(2 * 10**6)]\n"
            "        os._exit(0)\n",
            marks=linux,
        ),
        pytest.param(
            DAEMON + "def burn():\n    while True: pass\ndaemon(burn)\ntime.sleep(600)\n", marks=linux
        ),
    ],
    ids=["alone", "deaf", "by-short-lived-children", "in-a-daemon"],
)
def test_processor_time_is_limited(burner: str, tmp_path: Path) -> None:
    outcome = run("import os, signal, time\n" + burner, tmp_path, Limits(answer=60, processor=1))
    assert "took more than 1 seconds of processor time and was stopped (--cpu allows more)" in reasons(
        outcome
    )


def test_a_run_ends_in_time_although_every_answer_comes_in_time(tmp_path: Path) -> None:
    slow = "import time\nwrite = print\ndef print(*words, **how): time.sleep(0.3); write(*words, **how)\n"
    begun = time.monotonic()
    outcome = run(slow, tmp_path, Limits(run=2))
    assert time.monotonic() - begun < 15
    assert "not run: the run took more than 2 seconds (--time allows more)" in reasons(outcome)
    assert outcome.results[0].verdict is Verdict.PASSED
    assert outcome.failures()[-1].id == "subset/any"
    assert "protocol/end" in [failure.id for failure in outcome.failures()]


@linux
def test_a_program_may_end_its_keeper_but_not_the_run(tmp_path: Path) -> None:
    starts = tmp_path / "daemons"
    code = DAEMON + "import signal\nnoted()\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)\n"
    outcome = run(code, tmp_path, Limits())
    assert "it ended the process that supervises it" in reasons(outcome)
    assert len(starts.read_text().splitlines()) <= MOST_STARTS
    assert eventually(lambda: alive(tmp_path) == [])
