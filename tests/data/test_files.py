from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.data import files
from splu_ref.data.files import open_regular, refuse_existing, same_file, write_all, write_whole


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def broken(*_: object, **__: object) -> None:
    raise OSError(5, "Input/output error")


def test_writes_the_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"one", force=False)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_refuses_an_existing_file_and_keeps_it(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    with pytest.raises(InputError, match=r"a exists: choose another name or add force=True$"):
        write_whole(target, b"new", force=False)
    assert target.read_bytes() == b"old"
    write_whole(target, b"new", force=True)
    assert target.read_bytes() == b"new"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_created_in_the_meantime_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a"
    synced = os.fsync

    def sync_and_intrude(descriptor: int) -> None:
        synced(descriptor)
        target.write_bytes(b"intruder")

    monkeypatch.setattr(os, "fsync", sync_and_intrude)
    with pytest.raises(InputError, match="exists"):
        write_whole(target, b"new", force=False)
    assert target.read_bytes() == b"intruder"
    assert len(list(tmp_path.iterdir())) == 1


def test_without_hard_links_a_file_is_still_written_and_still_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(os, "link", unsupported)
    write_whole(tmp_path / "a", b"one", force=False)
    assert (tmp_path / "a").read_bytes() == b"one"
    with pytest.raises(InputError, match="exists"):
        write_whole(tmp_path / "a", b"two", force=False)
    synced = os.fsync

    def sync_and_intrude(descriptor: int) -> None:
        synced(descriptor)
        (tmp_path / "b").write_bytes(b"intruder")

    monkeypatch.setattr(os, "fsync", sync_and_intrude)
    with pytest.raises(InputError, match="b exists"):
        write_whole(tmp_path / "b", b"new", force=False)
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(InputError, match="c cannot be written: Input/output"):
        write_whole(tmp_path / "c", b"new", force=False)
    assert files_of(tmp_path) == {"a": b"one", "b": b"intruder"}


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def fail(_: int) -> None:
        raise fault

    monkeypatch.setattr(os, "fsync", fail)
    expected = InputError if isinstance(fault, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        write_whole(target, b"new", force=True)
    assert target.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_permissions_are_those_requested_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "plain", b"", force=False)
        write_whole(tmp_path / "secret", b"", force=False, mode=0o600)
        write_whole(tmp_path / "open", b"", force=False, mode=0o666)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"plain": 0o640, "secret": 0o600, "open": 0o666}
    write_whole(tmp_path / "secret", b"new", force=True)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


@pytest.mark.parametrize("force", [False, True])
def test_places_that_cannot_be_written(tmp_path: Path, force: bool) -> None:
    with pytest.raises(InputError, match="is a folder: name a file in it"):
        write_whole(tmp_path, b"", force=force)
    with pytest.raises(InputError, match="does not exist: create it first"):
        write_whole(tmp_path / "none" / "a", b"", force=force)
    with pytest.raises(InputError, match="cannot be written: File name too long"):
        write_whole(tmp_path / ("x" * 300), b"", force=force)
    with pytest.raises(InputError, match="cannot be written"):
        refuse_existing(tmp_path / "a\0b", force=force)


def test_a_symbolic_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(InputError, match="exists"):
        write_whole(tmp_path / "link", b"new", force=False)
    write_whole(tmp_path / "link", b"new", force=True)
    assert (tmp_path / "target").read_bytes() == b"old"
    assert not (tmp_path / "link").is_symlink()


def test_a_place_that_is_neither_a_file_nor_a_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is not a regular file: choose another name"):
        write_whole(tmp_path / "pipe", b"", force=True)


def test_several_files_are_written_together(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"old")
    contents = [(tmp_path / "a", b"1"), (tmp_path / "b", b"2"), (tmp_path / "c", b"3")]
    with pytest.raises(InputError, match="b exists"):
        write_all(contents, force=False)
    assert files_of(tmp_path) == {"b": b"old"}
    write_all(contents, force=True)
    assert files_of(tmp_path) == {"a": b"1", "b": b"2", "c": b"3"}
    write_all([], force=False)


def test_two_names_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for one, other in [("a", "a"), ("a", "../" + tmp_path.name + "/a"), ("a", "link")]:
        with pytest.raises(InputError, match="are the same file: give each its own name"):
            write_all([(tmp_path / one, b"1"), (tmp_path / "x", b""), (tmp_path / other, b"2")], force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


def test_many_files_are_looked_at_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[Path] = []
    resolve = os.path.realpath

    def counted(path: Path) -> str:
        requested.append(path)
        return resolve(path)

    monkeypatch.setattr(os.path, "realpath", counted)
    paths = [tmp_path / str(number) for number in range(20)]
    write_all([(path, b"") for path in paths], force=False)
    assert requested == paths


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
def test_a_rename_that_fails_undoes_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, fault: BaseException, links: bool
) -> None:
    (tmp_path / "a").write_bytes(b"old a")
    (tmp_path / "target").write_bytes(b"old c")
    (tmp_path / "c").symlink_to("target")
    (tmp_path / "d").write_bytes(b"old d")
    before = files_of(tmp_path)
    names = ["a", "b", "c", "d"]  # b is new
    place = {"link": os.link if links else broken, "replace": os.replace}

    def placing(call: str) -> Callable[..., None]:
        def run(source: str, target: str, **rest: Any) -> None:
            if target == names[fails_at - 1] and not source.endswith(".old"):
                raise fault
            place[call](source, target, **rest)

        return run

    for call in place:
        monkeypatch.setattr(os, call, placing(call))
    expected = InputError if isinstance(fault, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as raised:
        write_all([(tmp_path / name, b"new") for name in names], force=True)
    if isinstance(fault, OSError):
        assert f"{names[fails_at - 1]} cannot be written: Input/output error" in str(raised.value)
    assert files_of(tmp_path) == before
    assert (tmp_path / "c").is_symlink()


def test_a_file_created_in_the_meantime_undoes_the_new_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = os.fsync

    def sync_and_intrude(descriptor: int) -> None:
        synced(descriptor)
        (tmp_path / "b").write_bytes(b"intruder")

    monkeypatch.setattr(os, "fsync", sync_and_intrude)
    with pytest.raises(InputError, match="b exists"):
        write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"2")], force=False)
    assert files_of(tmp_path) == {"b": b"intruder"}


def test_names_of_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_bytes(b"same")
    Path("b").write_bytes(b"same")
    Path("folder").mkdir()
    Path("soft").symlink_to("a")
    Path("hard").hardlink_to("a")
    Path("dangling").symlink_to("new")
    Path("round").symlink_to("about")
    Path("about").symlink_to("round")
    same: list[tuple[str, str | Path]] = [
        ("a", "a"),
        ("a", tmp_path / "a"),
        ("a", "folder/../a"),
        ("a", "soft"),
        ("hard", "soft"),
        ("new", tmp_path / "folder/../new"),
        ("new", "dangling"),
        ("round", "round"),
    ]
    different: list[tuple[str, str | Path]] = [
        ("a", "b"),
        ("a", "new"),
        ("new", "newer"),
        ("a", "round"),
        ("a", "nowhere/a"),
        ("a", "a/b"),
        ("a", "a\0"),
    ]
    for one, other in same + different:
        assert same_file(one, other) is ((one, other) in same), (one, other)
        assert same_file(other, one) is ((one, other) in same), (other, one)


def test_only_what_has_an_end_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").write_bytes(b"a\r\n\x1a")
    Path("link").symlink_to("a")
    os.mkfifo("pipe")
    for name in ("a", "link"):
        with open_regular(name) as file:
            assert file.read() == b"a\r\n\x1a"
        assert file.closed
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    for name, words in (
        (".", ". is a folder: name a file in it"),
        ("pipe", "pipe is a pipe, which may have no end: save what it gives in a file and name that"),
        ("socket", "socket is a socket: name a file"),
        ("/dev/null", "/dev/null is a device, which may have no end: name a file"),
        ("a\0", "'a\\x00' is no name that a file can have: name another"),
    ):
        with pytest.raises(InputError) as error, open_regular(name):
            pass
        assert str(error.value) == words
    with pytest.raises(FileNotFoundError), open_regular("absent"):
        pass


def test_a_pipe_that_takes_the_place_of_a_file_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at again once it is open, and to open it does not wait for a writer."""
    monkeypatch.chdir(tmp_path)
    Path("a").write_bytes(b"")
    opening = os.open

    def swapped(path: str, flags: int) -> int:
        Path("a").unlink()
        os.mkfifo("a")
        assert flags & os.O_NONBLOCK
        assert flags & os.O_NOCTTY
        return opening(path, flags)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(InputError, match="a is a pipe"), open_regular("a"):
        pass


def test_places_are_named_in_whole_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("a").write_bytes(b"")
    os.mkfifo("pipe")
    for name, words in (
        ("folder", "folder is a folder: name a file in it"),
        ("pipe", "pipe is not a regular file: choose another name"),
        ("none/a", "none/a: the folder none does not exist: create it first"),
        ("a", "a exists: choose another name or add force=True"),
        ("a/b", "a/b cannot be written: Not a directory: choose another place"),
        ("b\0", "b\0 cannot be written: embedded null byte: choose another place"),
    ):
        with pytest.raises(InputError) as error:
            refuse_existing(name, force=False)
        assert str(error.value).replace("lstat: ", "").replace(" character in path", " byte") == words
    refuse_existing("a", force=True)
    refuse_existing("b", force=False)
    assert not Path("b").exists()
    with pytest.raises(InputError) as error:
        write_all([("b", b""), ("./b", b"")], force=False)
    assert str(error.value) == "b and b are the same file: give each its own name"
    assert str(files._cannot_write(Path("a"), ValueError())) == (
        "a cannot be written: ValueError: choose another place"
    )


def test_a_complete_file_takes_the_name_and_only_one_is_private(tmp_path: Path) -> None:
    made, target = tmp_path / "made", tmp_path / "t"
    made.write_bytes(b"whole")
    made.chmod(0o600)
    before = os.umask(0o027)
    try:
        write_all(
            [(target, made), (tmp_path / "key", b"secret"), (tmp_path / "c", b"")],
            force=False,
            private=str(tmp_path / "key"),
        )
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert files_of(tmp_path) == {"t": b"whole", "key": b"secret", "c": b""}
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("t", "key", "c")]
    assert modes == [0o640, 0o600, 0o640]
    target.chmod(0o604)
    made.write_bytes(b"again")
    write_all([(target, made)], force=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o604
    made.write_bytes(b"refused")
    with pytest.raises(InputError, match="t exists"):
        write_all([(target, made)], force=False)
    assert target.read_bytes() == b"again"


def test_what_is_written_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, synced = tmp_path / "made", []
    made.write_bytes(b"whole")

    def sync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        size = status.st_size if stat.S_ISREG(status.st_mode) else None
        synced.append((size, *((tmp_path / name).exists() for name in "tu")))

    monkeypatch.setattr(os, "fsync", sync)
    write_all([(tmp_path / "t", made), (tmp_path / "u", b"12")], force=False)
    assert synced == [(5, False, False), (2, False, False), (None, False, True), (None, True, True)]


def test_what_is_not_placed_yet_is_readable_by_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, modes, changed = tmp_path / "made", [], os.chmod
    made.write_bytes(b"whole")
    made.chmod(0o644)

    def seen(path: str, mode: int, *, dir_fd: int) -> None:
        modes.append([stat.S_IMODE(os.stat(each, dir_fd=dir_fd).st_mode) for each in (".", path)])
        changed(path, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "chmod", seen)
    write_all(
        [(tmp_path / "key", b""), (tmp_path / "a", b""), (tmp_path / "b", made)],
        force=False, private=tmp_path / "key",
    )  # fmt: skip
    assert modes == [[0o700, 0o644], [0o700, 0o600], [0o700, 0o600]]
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_a_link_is_set_aside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a link to a link is one to its target unless that is said, as on macOS."""
    (tmp_path / "a").symlink_to("target")
    linked, said = os.link, []

    def noted(source: str, target: str, *, follow_symlinks: bool = True, **folders: int) -> None:
        said.append((source, follow_symlinks))
        linked(source, target, follow_symlinks=follow_symlinks, **folders)

    monkeypatch.setattr(os, "link", noted)
    write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"2")], force=True)
    assert ("a", False) in said
    assert files_of(tmp_path) == {"a": b"1", "b": b"2"}


def test_a_file_system_without_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes public files, and refuses those that only their owner may read."""
    monkeypatch.setattr(os, "chmod", _refused)
    write_whole(tmp_path / "a", b"a", force=False)
    with pytest.raises(InputError, match="key cannot be written: Operation not permitted"):
        write_whole(tmp_path / "key", b"secret", force=False, mode=0o600)
    assert files_of(tmp_path) == {"a": b"a"}


def _refused(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")
