"""Faults after each call of the system that writing files makes: exceptions, signals, a kill, a full disk."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CALLS = ("link", "replace", "rename", "fsync", "unlink", "rmdir", "chmod", "mkdir", "symlink")
"""Calls after which something happens."""
GROWING = ("link", "fsync", "mkdir", "symlink")
"""Calls that a full disk refuses, besides opening a new file and writing to one."""


@contextmanager
def after_call(number: int, deed: Callable[[], object]) -> Iterator[list[str]]:
    """Do something after the call of this number; yield the names of the calls, in order."""
    calls: list[str] = []

    def counted(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def run(*given: object, **rest: object) -> object:
            result = call(*given, **rest)
            calls.append(name)
            if len(calls) == number:
                deed()
            return result

        return run

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)  # what is on the disk makes no difference here
        for name in CALLS:
            patch.setattr(os, name, counted(name, getattr(os, name)))
        yield calls


@contextmanager
def full_disk(number: int) -> Iterator[list[str]]:
    """Refuse what takes room on the disk, from the call of this number on."""
    calls: list[str] = []

    def take(name: str) -> None:
        calls.append(name)
        if len(calls) >= number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def counted(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def run(*given: object, **rest: object) -> object:
            take(name)
            return call(*given, **rest)

        return run

    opening, with_file = os.open, os.fdopen

    def opened(path: str, flags: int, *rest: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            take("open")
        return opening(path, flags, *rest, **named)

    def wrapped(descriptor: int, *rest: Any, **named: Any) -> Any:
        file: Any = with_file(descriptor, *rest, **named)
        file.write = counted("write", file.write)
        return file

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        for name in GROWING:
            patch.setattr(os, name, counted(name, getattr(os, name)))
        patch.setattr(os, "open", opened)
        patch.setattr(os, "fdopen", wrapped)
        yield calls


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return the mode and the content of all that a folder holds, by path; of a link, where it leads."""
    return {
        path.relative_to(folder).as_posix(): (stat.S_IMODE(path.lstat().st_mode), _content(path))
        for path in folder.rglob("*")
    }


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return b"-> " + os.fsencode(path.readlink())
    return path.read_bytes() if path.is_file() else b"folder"
