from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from splu_ref.files import refuse_existing, write_whole
from splu_ref.model import InputError


def test_writes_the_bytes_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", b"one", force=False)
    assert (tmp_path / "a").read_bytes() == b"one"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_refuses_an_existing_file_and_keeps_it(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    with pytest.raises(InputError, match=r"a exists: choose another name or add --force$"):
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
    with pytest.raises(InputError, match="not a regular file"):
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
