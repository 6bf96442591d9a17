from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from splu_ref.files import refuse_existing, same_file, write_all, write_whole
from splu_ref.model import InputError


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
    def unsupported(*_: object) -> None:
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
    monkeypatch.setattr(Path, "replace", broken)
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


def test_permissions_are_those_asked_for_whatever_the_umask(tmp_path: Path) -> None:
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
    asked: list[Path] = []
    resolve = os.path.realpath

    def counted(path: Path) -> str:
        asked.append(path)
        return resolve(path)

    monkeypatch.setattr(os.path, "realpath", counted)
    paths = [tmp_path / str(number) for number in range(20)]
    write_all([(path, b"") for path in paths], force=False)
    assert asked == paths


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
    replace = Path.replace

    def replace_until(source: Path, target: Path) -> Path:
        if target.name == names[fails_at - 1] and source.read_bytes() == b"new":
            raise fault
        return replace(source, target)

    if not links:
        monkeypatch.setattr(os, "link", broken)
    monkeypatch.setattr(Path, "replace", replace_until)
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
