"""Files in and out: regular ones are read; one is written whole or not at all, and over another if told so.

What is read must have an end. A pipe may be silent for ever, a device may go on for ever, and to open either
may already do something; so what is no regular file is refused before it is opened.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from splu_ref.model import InputError

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_Identity = str | tuple[int, int]
_KINDS = {
    stat.S_IFDIR: "a folder: name a file in it",
    stat.S_IFIFO: "a pipe, which may have no end: save what it gives in a file and name that",
    stat.S_IFSOCK: "a socket: name a file",
    stat.S_IFCHR: "a device, which may have no end: name a file",
    stat.S_IFBLK: "a device: name a file",
}


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a regular file for reading bytes; symbolic links are followed.

    Raises
    ------
    InputError
        If ``path`` is a folder, a pipe, a socket or a device. None of these is opened; if one takes the place
        of a file in the meantime, opening it does not wait, and nothing is read from it. Or if the path holds
        a NUL.
    OSError
        If it does not exist or cannot be opened: each reader has a remedy of its own.
    """
    try:
        status = Path(path).stat()
    except ValueError:
        raise InputError(f"{os.fspath(path)!r} is no name that a file can have: name another") from None
    _refuse_endless(path, status.st_mode)
    with os.fdopen(os.open(path, _READ), "rb") as file:
        _refuse_endless(path, os.fstat(file.fileno()).st_mode)
        yield file


def _refuse_endless(path: str | os.PathLike[str], mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "no regular file: name another")
        raise InputError(f"{os.fspath(path)} is {kind}")


def refuse_existing(path: str | os.PathLike[str], *, force: bool) -> None:
    """Raise unless a file may be written at ``path``; for use before long work.

    Raises
    ------
    InputError
        If ``path`` is a folder or a device, if its folder does not exist, or if a file exists there and
        ``force`` is false.
    """
    path = Path(path)
    try:
        status = path.lstat()
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise InputError(f"{path}: the folder {path.parent} does not exist: create it first") from None
        return
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path} is a folder: name a file in it")
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
        raise InputError(f"{path} is not a regular file: choose another name")
    if not force:
        raise _exists(path)


def write_whole(path: str | os.PathLike[str], data: bytes, *, force: bool, mode: int | None = None) -> None:
    """Write ``data`` to ``path`` in one step: a temporary file in the same folder, then a rename.

    Parameters
    ----------
    path
        Where the file shall stand. A symbolic link there is replaced, not followed.
    data
        The whole content.
    force
        Whether an existing file may be replaced. Without it, a file that another program creates in the
        meantime is not replaced either.
    mode
        Permission bits, such as ``0o600``. By default those of the file replaced, otherwise those that the
        umask allows.

    Raises
    ------
    InputError
        If the file exists and ``force`` is false, or if it cannot be written. Nothing is left behind.
    """
    write_all([(path, data)], force=force, mode=mode)


def write_all(
    contents: Sequence[tuple[str | os.PathLike[str], bytes | Path]],
    *,
    force: bool,
    mode: int | None = None,
    private: str | os.PathLike[str] | None = None,
) -> None:
    """Write several files, all or none: a temporary file for each, then a rename of each.

    If a rename fails, those before it are undone: a file that was replaced is put back, a new one removed.
    Only a crash of the system or of the process between two renames can leave some of the files alone.

    Parameters
    ----------
    contents
        Each file's path and whole content; or, in place of the content, a complete file of this program's
        own on the same file system, which takes the name.
    force, mode
        As for `write_whole`, for every file.
    private
        Which of the files only its owner may read, from the moment it exists.

    Raises
    ------
    InputError
        If two paths name the same file, if a file exists and ``force`` is false, or if one cannot be
        written. Nothing is left behind, and no file has changed.
    """
    paths = [Path(path) for path, _ in contents]
    for path in paths:
        refuse_existing(path, force=force)
    named: dict[_Identity, Path] = {}
    for path in paths:
        for identity in _identities(path):
            if (other := named.setdefault(identity, path)) is not path:
                raise InputError(f"{other} and {path} are the same file: give each its own name")
    with ExitStack() as leftovers, ExitStack() as undo:
        staged = []
        for path, (_, data) in zip(paths, contents, strict=True):
            temporary = data if isinstance(data, Path) else name_beside(path)
            leftovers.callback(temporary.unlink, missing_ok=True)
            bits = 0o600 if private is not None and path == Path(private) else mode
            with _named(path):
                permissions = bits if bits is not None else _permissions_of(path)
                if isinstance(data, Path):
                    temporary.chmod(_default_permissions() if permissions is None else permissions)
                    with temporary.open("rb") as file:
                        os.fsync(file.fileno())
                else:
                    _stage(temporary, data, permissions)
            staged.append(temporary)
        backups = []
        for number, (path, temporary) in enumerate(zip(paths, staged, strict=True), start=1):
            with _named(path):
                if number == len(paths):  # nothing can fail after it
                    _place(temporary, path, force=force)
                elif force and os.path.lexists(path):
                    backups.append(_set_aside(path, undo))
                    _place(temporary, path, force=force)
                else:
                    _place(temporary, path, force=force)
                    undo.callback(path.unlink)
        undo.pop_all()
        for backup in backups:
            leftovers.callback(backup.unlink)


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether two paths name one file, by symbolic or hard links too; neither needs to exist."""
    return not _identities(one).isdisjoint(_identities(other))


def _identities(path: str | os.PathLike[str]) -> set[_Identity]:
    """Return what two paths of one file have in common: its place on the disk, or its name without links."""
    found: set[_Identity] = set()
    with suppress(OSError, ValueError):  # it does not exist, or cannot: links in a circle, a NUL in the name
        status = Path(path).stat()
        found.add((status.st_dev, status.st_ino))
    with suppress(OSError, ValueError):
        found.add(os.path.normcase(os.path.realpath(path)))
    return found


def name_beside(path: Path) -> Path:
    """Return a new name in the folder of ``path``, so that a rename stays within one file system."""
    return path.parent / f".splu-ref-{secrets.token_hex(8)}.tmp"


def _stage(temporary: Path, data: bytes, permissions: int | None) -> None:
    descriptor = os.open(temporary, _CREATE, 0o666 if permissions is None else permissions)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if permissions is not None:  # os.open leaves out the bits that the umask takes away
        temporary.chmod(permissions)


def _default_permissions() -> int:
    """Return the permissions of a new file."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _set_aside(path: Path, undo: ExitStack) -> Path:
    """Return a second name for the file at ``path``, from which ``undo`` puts it back."""
    backup = name_beside(path)
    try:
        os.link(path, backup, follow_symlinks=False)
    except (OSError, NotImplementedError):  # no hard links here, or not to a symbolic link
        path.rename(backup)
    undo.callback(_put_back, backup, path)
    return backup


def _put_back(backup: Path, path: Path) -> None:
    backup.replace(path)
    backup.unlink(missing_ok=True)  # a rename between two links to one file does nothing


def _place(temporary: Path, path: Path, *, force: bool) -> None:
    """Give ``temporary`` the name ``path``; unless ``force``, only if that name is not taken."""
    if force:
        temporary.replace(path)
        return
    try:
        os.link(temporary, path)  # unlike a rename, a link refuses a name that is taken
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links: an empty file takes the name first
        try:
            os.close(os.open(path, _CREATE, 0o600))
        except FileExistsError:
            raise _exists(path) from None
        with ExitStack() as undo:
            undo.callback(path.unlink)
            temporary.replace(path)
            undo.pop_all()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into one that names ``path``."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error


def _permissions_of(path: Path) -> int | None:
    """Return the permission bits of the regular file at ``path``, or None if there is none."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def _exists(path: Path) -> InputError:
    return InputError(f"{path} exists: choose another name or add --force")


def _cannot_write(path: Path, error: Exception) -> InputError:
    reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
    return InputError(f"{path} cannot be written: {reason}: choose another place")
