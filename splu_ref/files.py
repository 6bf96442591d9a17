"""Output files are written whole or not at all, and never over an existing file unless told so."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from splu_ref.model import InputError


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
    path = Path(path)
    refuse_existing(path, force=force)
    temporary = path.parent / f".splu-ref-{secrets.token_hex(8)}.tmp"
    try:
        permissions = mode if mode is not None else _permissions_of(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(temporary, flags, 0o666 if permissions is None else permissions)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if permissions is not None:  # os.open leaves out the bits that the umask takes away
                temporary.chmod(permissions)
            if force:
                temporary.replace(path)
            else:
                _rename_to_new(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _cannot_write(path, error) from error


def _rename_to_new(temporary: Path, path: Path) -> None:
    """Give ``temporary`` the name ``path`` unless that name is taken."""
    try:
        os.link(temporary, path)  # unlike a rename, a link refuses a name that is taken
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links: the best left is a check just before the rename
        refuse_existing(path, force=False)
        temporary.replace(path)


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
