"""A signal ends every command in order: with 128 and its number, and without anything temporary."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from splu_ref.cli import app, main
from splu_ref.data.signals import SIGNALS
from tests.faults import after_call, tree

ROWS = "name,value\n" + "".join(f"n{number},{'abcd'[number % 4]}\n" for number in range(40))
COMMANDS = {
    "publish": "publish table.csv -o o.csv --manifest m.json --transcript t --log log --sensitive value "
    "--gamma 2 --quasi name --force",
    "retention": "publish table.csv -o o.csv --manifest m.json --mechanism retention "
    "--retention 1/2 --column value --observed-domain --drop name --force",
    "stream": "publish table.csv -o o.csv --manifest m.json --sensitive value --gamma 2 --stream --force",
    "key": "key secret",
}


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Put the handlers of the test runner back."""
    before = [signal.signal(number, signal.default_int_handler) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("standing", [False, True], ids=["new files", "files over others"])
def test_a_signal_at_any_call_leaves_all_or_none(
    command: str, standing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, codes = COMMANDS[command].split(), []
    for step in (*range(1, 16), 20, 30, 40, 60):
        number = SIGNALS[step % len(SIGNALS)]
        folder = tmp_path / str(step)
        folder.mkdir()
        monkeypatch.chdir(folder)
        Path("table.csv").write_text(ROWS)
        if standing and command != "key":
            for name in ("o.csv", "m.json"):
                Path(name).write_text("old")
        before = tree(folder)
        with after_call(step, partial(signal.raise_signal, number)) as calls:
            codes.append(main(words))
        after = tree(folder)
        changed = {name for name in after if after[name] != before.get(name)}
        whole = {word for word in words if word in ("o.csv", "m.json", "t", "log", "secret")}
        assert changed in (set(), whole), calls
        assert codes[-1] == (0 if len(calls) < step else 128 + number)
        assert {signal.getsignal(each) for each in SIGNALS} == {signal.default_int_handler}
        if len(calls) < step:
            break
    assert codes[0] != 0
    assert codes[-1] == 0


def test_a_later_signal_does_not_disturb_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in SIGNALS:
        ended: list[int] = []

        def run(_: object, number: int = number, ended: list[int] = ended) -> int:
            try:
                signal.raise_signal(number)
            finally:
                for each in SIGNALS:
                    signal.raise_signal(each)
                ended.append(number)
            return 0

        monkeypatch.setattr(app, "run", run)
        assert main([]) == 128 + number
        assert ended == [number]


def test_what_somebody_requested_to_be_ignored_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def run(_: object) -> int:
        signal.raise_signal(signal.SIGTERM)
        return 7

    monkeypatch.setattr(app, "run", run)
    assert main([]) == 7
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_another_thread_runs_a_command_without_handlers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]
    assert "splu-ref" in capsys.readouterr().out


PROCESS = """
import os, signal, sys
from splu_ref.cli import main

number, sync = int(sys.argv[1]), os.fsync

def ended(descriptor):
    os.kill(os.getpid(), number)
    sync(descriptor)

os.fsync = ended
signal.signal(signal.SIGTERM, signal.SIG_DFL)
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_ends_with_128_and_the_signal_and_a_killed_one_is_cleaned_up_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(ROWS)
    before = tree(tmp_path)
    words = COMMANDS["publish"].split()
    codes = []
    for number in (signal.SIGTERM, signal.SIGKILL):
        assert tree(tmp_path) == before
        run = [sys.executable, "-c", PROCESS, str(int(number)), *words]
        codes.append(subprocess.run(run, check=False).returncode)
    assert codes == [128 + signal.SIGTERM, -signal.SIGKILL]
    left = tree(tmp_path)
    [folder] = [name for name in left if name.startswith(".splu-ref-") and "/" not in name]
    assert left[folder][0] == 0o700
    assert {mode for name, (mode, _) in left.items() if name.startswith(f"{folder}/")} == {0o600}
    assert left["log.lock"][0] == 0o600
    assert main(words) == 0
    assert set(tree(tmp_path)) == {"table.csv", "o.csv", "m.json", "t", "log"}
