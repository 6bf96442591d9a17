"""After any event, either all new files stand or all old ones, and nothing temporary is left."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.data import files
from splu_ref.data.files import remove_abandoned, temporary_folder, write_all, write_whole
from splu_ref.data.folders import write_folder
from splu_ref.data.signals import uninterrupted
from tests.faults import after_call, full_disk, tree

MOST_CALLS = 200
"""More than any placement here makes."""


def _standing() -> None:
    Path("o.csv").write_bytes(b"old release")
    Path("o.csv").chmod(0o604)
    Path("m.json").symlink_to("elsewhere.json")
    Path("elsewhere.json").write_bytes(b"elsewhere")
    Path("log").write_bytes(b"old log")
    Path("log").chmod(0o600)


def _new() -> None:
    write_all([(Path("o.csv"), b"release"), (Path("m.json"), b"manifest")], force=False)


def _with_a_transcript() -> None:
    outputs = [(Path("n.csv"), b"release"), (Path("n.json"), b"manifest"), (Path("t"), b"transcript")]
    write_all(outputs, force=False, private="t", record=(Path("log"), b"new log"))


def _over_others() -> None:
    outputs = [(Path("o.csv"), b"release"), (Path("new.json"), b"new"), (Path("m.json"), b"manifest")]
    write_all(outputs, force=True, record=(Path("log"), b"new log"))


def _made_before() -> None:
    with temporary_folder(Path("o.csv")) as folder:
        (folder / "whole").write_bytes(b"release")
        (folder / "rest").write_bytes(b"original")
        write_all([(Path("o.csv"), folder / "whole"), (Path("m.json"), b"manifest")], force=True)


def _two_folders() -> None:
    write_folder("made/report", {"a.txt": b"a", "inner/b.txt": b"b", "inner/c.txt": b"c"}, force=True)


def _one_over_another() -> None:
    write_whole("log", b"new log", force=True, mode=0o600)


PLACEMENTS: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
    "new files": (lambda: None, _new),
    "new files, a transcript and a log": (_standing, _with_a_transcript),
    "files over others": (_standing, _over_others),
    "a file that was made before": (_standing, _made_before),
    "a folder": (lambda: None, _two_folders),
    "one file over another": (_standing, _one_over_another),
}
BOTH = pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
EACH = pytest.mark.parametrize("placement", PLACEMENTS)


@pytest.fixture
def arranged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, bool], Path]]:
    """Go to a new folder with what stands before a placement."""
    before = os.umask(0o022)
    made = iter(range(10**6))

    def arrange(placement: str, links: bool) -> Path:
        folder = tmp_path / str(next(made))
        folder.mkdir()
        monkeypatch.chdir(folder)
        PLACEMENTS[placement][0]()
        if not links:
            monkeypatch.setattr(os, "link", _no_links)
        return folder

    yield arrange
    os.umask(before)


def _no_links(*_: object, **__: object) -> None:
    raise PermissionError("no hard links here")


def _states(arrange: Callable[[str, bool], Path], placement: str, links: bool) -> list[object]:
    """Return the tree before and after a placement that nothing disturbs."""
    folder = arrange(placement, links)
    before = tree(folder)
    PLACEMENTS[placement][1]()
    return [before, tree(folder)]


def _error_of(write: Callable[[], object]) -> str | None:
    try:
        write()
    except (InputError, OSError) as error:
        return str(error)
    return None


def _interrupt() -> None:
    raise KeyboardInterrupt


def _ended(*_: object) -> None:
    raise SystemExit(143)


@EACH
@BOTH
@pytest.mark.parametrize("event", ["exception", "signal"])
def test_all_or_none_after_every_call(
    placement: str, links: bool, event: str, arranged: Callable[[str, bool], Path]
) -> None:
    states = _states(arranged, placement, links)
    handlers = {
        number: signal.signal(number, handler)
        for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, _ended))
    }
    results = []
    try:
        for number in range(1, MOST_CALLS):
            folder = arranged(placement, links)
            request = (signal.SIGINT, signal.SIGTERM)[number % 2]
            deed = _interrupt if event == "exception" else partial(signal.raise_signal, request)
            with after_call(number, deed) as calls:
                try:
                    PLACEMENTS[placement][1]()
                except (KeyboardInterrupt, SystemExit):
                    results.append(states.index(tree(folder)))
                    continue
            assert len(calls) < number, f"{event} after {calls[number - 1]} was lost"
            break
        else:
            pytest.fail("a placement does not end")
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert {0, 1} <= set(results)
    assert results == sorted(results), "what stands is not taken back by a later event"


@EACH
@BOTH
def test_a_full_disk_changes_nothing(
    placement: str, links: bool, arranged: Callable[[str, bool], Path]
) -> None:
    states, refused = _states(arranged, placement, links), set()
    for number in range(1, MOST_CALLS):
        folder = arranged(placement, links)
        with full_disk(number) as calls:
            error = _error_of(PLACEMENTS[placement][1])
        if error is None:
            assert len(calls) < number
            assert tree(folder) == states[1]
            break
        assert "No space left on device" in error
        assert tree(folder) == states[0], calls
        refused |= {calls[number - 1]}
    assert refused >= {"open", "write", "fsync", "mkdir"}


KILLED = """
import os, signal, sys
from pathlib import Path
from tests import test_placement
from tests.faults import after_call

placement, number = sys.argv[1], int(sys.argv[2])
while True:
    folder = Path(sys.argv[3], str(number))
    folder.mkdir()
    os.chdir(folder)
    test_placement.PLACEMENTS[placement][0]()
    if not (child := os.fork()):
        with after_call(number, lambda: os.kill(os.getpid(), signal.SIGKILL)):
            test_placement.PLACEMENTS[placement][1]()
        os._exit(0)
    if not os.waitpid(child, 0)[1]:
        break
    number += 1
"""


@EACH
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a kill of POSIX")
def test_a_kill_leaves_nothing_open_and_nothing_in_the_way(placement: str, tmp_path: Path) -> None:
    """What it leaves is removed by the next run, and until then only its owner can reach it."""
    root = Path(__file__).parents[1]
    run = [sys.executable, "-c", KILLED, placement, "1", str(tmp_path)]
    subprocess.run(run, check=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    folders = sorted(tmp_path.iterdir(), key=lambda path: int(path.name))
    final, kept, there = tree(folders.pop()), 0, Path.cwd()
    for folder in folders:
        left = list(folder.rglob(".splu-ref-*.tmp"))
        kept += len(left)
        assert all(stat.S_IMODE(path.lstat().st_mode) == 0o700 for path in left)
        try:
            os.chdir(folder)
            if "made" not in placement and "new" in placement:
                for name in ("o.csv", "m.json") if placement == "new files" else ("n.csv", "n.json", "t"):
                    Path(name).unlink(missing_ok=True)  # without --force nothing is replaced
            PLACEMENTS[placement][1]()
        finally:
            os.chdir(there)
        assert tree(folder) == final
    assert kept


def test_the_release_stands_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a release without its manifest, or without its entry in the log, does not occur."""
    monkeypatch.chdir(tmp_path)
    _standing()
    seen: list[list[str]] = []
    with after_call(0, _interrupt):
        watched = os.replace

        def replace(*given: object, **rest: object) -> None:
            watched(*given, **rest)  # type: ignore[arg-type]  # the original call
            names = ("log", "m.json", "o.csv")
            seen.append([name for name in names if b"old" not in Path(name).read_bytes()])

        monkeypatch.setattr(os, "replace", replace)
        outputs = [(Path("o.csv"), b"release"), (Path("m.json"), b"manifest")]
        write_all(outputs, force=True, record=(Path("log"), b"new"))
        monkeypatch.undo()
    assert seen == [["log", "m.json"], ["log", "m.json"], ["log", "m.json", "o.csv"]]


def _appear(path: Path) -> Callable[[], None]:
    def appear() -> None:
        with suppress(FileExistsError), path.open("xb") as file:
            file.write(b"theirs")

    return appear


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("name", ["o.csv", "m.json"])
def test_a_file_that_appears_meanwhile_is_not_lost(
    force: bool, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --force it may appear before the program looks what it replaces, not after."""
    outputs, ends = [(Path("o.csv"), b"ours"), (Path("m.json"), b"ours")], []
    for number in range(1, MOST_CALLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        with after_call(number, _appear(folder / name)) as calls:
            error = _error_of(partial(write_all, outputs, force=force))
        if error is None:
            assert tree(folder) == {"o.csv": (0o644, b"ours"), "m.json": (0o644, b"ours")}
        else:
            assert error.startswith(f"{name} {'was created by another' if force else 'exists'}")
            assert tree(folder) == {name: (0o644, b"theirs")}
        ends.append(error is None)
        if len(calls) < number:
            break
    assert set(ends) == {True, False}
    if not force:
        assert ends == sorted(ends), "once it is complete, the name is taken"


def _swap(elsewhere: Path) -> Callable[[], None]:
    def swap() -> None:
        for place in (Path("made/report/inner"), Path("made/report"), Path("made")):
            if place.is_dir():
                place.rename("away")
                place.symlink_to(elsewhere)
                return

    return swap


def test_a_folder_exchanged_for_a_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = []
    for number in range(1, MOST_CALLS):
        folder, elsewhere = tmp_path / str(number), tmp_path / f"{number}-elsewhere"
        folder.mkdir()
        elsewhere.mkdir()
        monkeypatch.chdir(folder)
        with after_call(number, _swap(elsewhere)) as calls:
            ends.append(_error_of(_two_folders) is None)
        assert tree(elsewhere) == {}
        assert not [name for name in tree(folder) if "splu-ref" in name]
        if len(calls) < number:
            break
    assert set(ends) == {True, False}


def test_only_what_is_ours_and_abandoned_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / f".splu-ref-{'0' * 16}.tmp"  # a file, as an earlier version made them
    other = tmp_path / f".splu-ref-{'1' * 16}.tmp.gz"
    abandoned = tmp_path / f".splu-ref-{'2' * 16}.tmp"
    linked = tmp_path / f".splu-ref-{'3' * 16}.tmp"
    for path in (old, other, tmp_path / "kept"):
        path.write_bytes(b"")
    abandoned.mkdir()
    (abandoned / "whole").write_bytes(b"original")
    linked.symlink_to("kept")
    with temporary_folder(tmp_path / "t.csv") as used:
        remove_abandoned(tmp_path)
        assert set(tmp_path.iterdir()) == {other, used, linked, tmp_path / "kept"}
    old.write_bytes(b"")
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        remove_abandoned(tmp_path)
        assert old.exists(), "it is another user's"
    with monkeypatch.context() as patch:
        patch.setattr(files, "LOCKS", False)
        write_whole(tmp_path / "a", b"a", force=False)
        assert old.exists(), "it may be in use"
    write_whole(tmp_path / "b", b"b", force=False)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "kept", other.name, linked.name}


def test_a_folder_taken_for_abandoned_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may find it after it was made, and before it is locked."""
    lock, tries = files.lock, []

    def raced(descriptor: int | None) -> None:
        tries.append(descriptor)
        if len(tries) == 1:
            raise BlockingIOError  # it is being removed
        if len(tries) == 2:
            for folder in tmp_path.glob(".splu-ref-*"):
                shutil.rmtree(folder)  # it has been removed
        lock(descriptor)

    monkeypatch.setattr(files, "lock", raced)
    write_whole(tmp_path / "a", b"a", force=True)
    assert len(tries) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_without_descriptors_of_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, which has no advisory locks either."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "_DESCRIPTORS", False)
    monkeypatch.setattr(files, "LOCKS", False)
    _standing()
    _over_others()
    _two_folders()
    remove_abandoned(tmp_path)
    assert Path("o.csv").read_bytes() == b"release"
    assert Path("made/report/inner/b.txt").read_bytes() == b"b"
    assert not list(tmp_path.rglob(".splu-ref-*"))


def test_signals_wait_and_the_first_comes_through() -> None:
    heard: list[int] = []
    handlers = {
        number: signal.signal(number, lambda which, _: heard.append(which))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ours = signal.getsignal(signal.SIGTERM)
    try:
        with uninterrupted():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            signal.raise_signal(signal.SIGTERM)
            with uninterrupted():
                signal.raise_signal(signal.SIGINT)
            assert heard == []
        assert heard == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) is ours
        with pytest.raises(InputError), uninterrupted():
            raise InputError("the block's own error")
        assert signal.getsignal(signal.SIGTERM) is ours
        there = []
        with uninterrupted():
            late = signal.getsignal(signal.SIGTERM)
            thread = threading.Thread(target=lambda: there.append(_in_another_thread()))
            thread.start()
            thread.join()
        assert there == [True]
        signal.signal(signal.SIGTERM, late)
        signal.raise_signal(signal.SIGTERM)  # it came while the handlers were exchanged
        assert heard == [signal.SIGTERM, signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) is ours
    finally:
        for number, handler in (*handlers.items(), (signal.SIGHUP, hangup)):
            signal.signal(number, handler)


def _in_another_thread() -> bool:
    with uninterrupted():
        return True
