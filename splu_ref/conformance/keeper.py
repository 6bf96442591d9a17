"""The keeper: a small process that starts a program under test, supervises it and ends all its processes.

It runs as a file and imports the standard library only: it starts fast and, with a single thread, may fork.
``keeper.py SOCKET PROCESSOR MEMORY COMMAND…`` starts the command with the keeper's three pipes, which the
keeper then closes. Over the socket it reports, in lines, ``started`` or ``unstartable REASON``; then how the
command ended, ``exit CODE``, or the limit that was exceeded, ``processor`` or ``memory``. When the other end
of the socket closes, for any reason, the keeper ends all processes that descend from the command.

On Linux the keeper adopts processes whose parents have ended, and so detects daemons; it polls every few
hundredths of a second, and the limits apply to all processes together. On other systems only the limit of
processor time is enforced, by the system and per process, and only processes that stay in the keeper's group
are ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

LINUX = sys.platform == "linux"
INTERVAL = 0.05
"""Least seconds between two polls; more if a poll takes more than a tenth of that."""
_PATIENCE = 5.0  # seconds for killed processes to end
_ADOPT, _DIE_WITH_PARENT = 36, 1  # of prctl(2): PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG
_PARENT, _TIMES, _RESIDENT = 1, slice(11, 15), 21  # places in /proc/PID/stat after the name


def main() -> None:
    """Start the command, supervise it until the socket closes, and end its remaining processes."""
    socket, processor, memory = (int(each) for each in sys.argv[1:4])
    os.set_inheritable(socket, False)
    if LINUX:
        _prctl(_ADOPT, 1)

    def prepare() -> None:
        if LINUX:
            _prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        else:
            resource.setrlimit(resource.RLIMIT_CPU, (processor, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    try:
        child = subprocess.Popen(  # noqa: S603 - running this program is the purpose
            sys.argv[4:],
            preexec_fn=prepare,  # noqa: PLW1509 - unsafe among threads, and there is one
            start_new_session=LINUX,  # elsewhere it stays in the keeper's group, which ends it
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        _say(socket, f"unstartable {getattr(error, 'strerror', None) or error}")
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(nothing, pipe)
    _say(socket, "started")
    _watch(socket, child.pid, processor, memory << 20)
    _end()


def _watch(socket: int, child: int, processor: int, memory: int) -> None:
    """Return when the socket has closed or a limit is exceeded."""
    pause = INTERVAL
    while not select.select([socket], [], [], pause)[0]:
        begun = time.monotonic()
        met = _limit_met(processor, memory) if LINUX else ""
        for pid, status in _reaped():
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                if code == -signal.SIGXCPU:
                    met = met or "processor"
                else:
                    _say(socket, f"exit {code}")
        if met:
            _say(socket, met)
            return
        pause = max(INTERVAL, 10 * (time.monotonic() - begun))


def _limit_met(processor: int, memory: int) -> str:
    """Return the limit that all processes together exceed, or an empty text."""
    family = _descendants()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks = sum(int(each) for stat in family.values() for each in stat[_TIMES])
    if ended.ru_utime + ended.ru_stime + ticks / os.sysconf("SC_CLK_TCK") > processor:
        return "processor"
    page = os.sysconf("SC_PAGE_SIZE")
    resident = {pid: page * int(stat[_RESIDENT]) for pid, stat in family.items()}
    if sum(resident.values()) <= memory:
        return ""
    return "memory" if sum(_share(pid, most) for pid, most in resident.items()) > memory else ""


def _share(pid: int, most: int) -> int:
    """Return the proportional set size of a process in bytes; ``most`` if the system does not report it."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as lines:  # noqa: PTH123 - no pathlib: starts at once
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith(b"Pss:"))
    except (OSError, StopIteration):
        return most if _stat(pid) else 0


def _descendants() -> dict[int, list[bytes]]:
    """Return every descendant of this process, with its line of /proc/PID/stat after the name."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
    stats = {pid: stat for pid in pids if (stat := _stat(pid))}
    children: dict[int, list[int]] = {}
    for pid, stat in stats.items():
        children.setdefault(int(stat[_PARENT]), []).append(pid)
    found = children.get(os.getpid(), [])
    for pid in found:  # the list grows while it is walked
        found += children.get(pid, [])
    return {pid: stats[pid] for pid in found}


def _stat(pid: int) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def _end() -> None:
    """End every process that descends from the command."""
    if not LINUX:
        os.killpg(os.getpgrp(), signal.SIGKILL)  # the keeper is in the group, so its number is not reused
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        for number in (
            signal.SIGSTOP,
            signal.SIGKILL,
        ):  # stopped first, so that none starts another
            for pid, stat in _descendants().items():
                _signal(pid, stat, number)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return  # without a child there is no descendant, because all orphans are adopted
        time.sleep(0.002)


def _signal(pid: int, stat: list[bytes], number: signal.Signals) -> None:
    """Send a signal to a process, unless its number now belongs to a later one."""
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if _stat(pid)[19:20] == stat[19:20]:  # the time of its start
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def _reaped() -> Iterator[tuple[int, int]]:
    """Yield (number, status) of every child that has ended."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def _say(socket: int, line: str) -> None:
    with contextlib.suppress(OSError):  # the other end has closed
        os.write(socket, line.encode(errors="replace") + b"\n")


if __name__ == "__main__":
    main()
