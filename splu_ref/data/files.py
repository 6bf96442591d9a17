"""Safe files: only regular files are read; several files are written atomically, all or none.

Pipes and devices may block or have side effects when they are opened, so everything but regular files is
refused before opening.

Files are written in three steps. Each is staged: written and synced in a private temporary folder next to
its destination. Then all are placed by links and renames, the first one last; if a step fails, all are
undone, and signals are deferred until the end. Then the temporary folder is removed. It is locked while in
use, so that the next program that writes there can remove the folder of a killed one.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from splu_ref.channels import InputError
from splu_ref.data.signals import uninterrupted

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    LOCKS = False
else:
    LOCKS = True
"""Whether files have advisory locks, which end with the process that holds them."""

_DESCRIPTORS = os.supports_dir_fd >= {os.chmod, os.link, os.mkdir, os.open, os.rename, os.stat, os.unlink}
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_UNLINKED = getattr(os, "O_NOFOLLOW", 0)
_TEMPORARY = re.compile(r"\.splu-ref-[0-9a-f]{16}\.tmp")
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
def open_regular(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a regular file for reading bytes; symbolic links are followed.

    Raises
    ------
    InputError
        If ``path`` is a folder, a pipe, a socket or a device. None of these is opened; if one takes the place
        of a file in the meantime, opening it does not wait, and nothing is read from it. Or if the path holds
        a NUL.
    OSError
        If it does not exist or cannot be opened; each reader has a different remedy.
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
    """Raise unless a file can be written at ``path``; for use before long computations.

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
    """Write ``data`` to ``path`` atomically: `write_all` for one file."""
    write_all([(path, data)], force=force, mode=mode)


def write_all(
    contents: Sequence[tuple[str | os.PathLike[str], bytes | Path]],
    *,
    force: bool,
    mode: int | None = None,
    private: str | os.PathLike[str] | None = None,
    record: tuple[Path, bytes] | None = None,
    within: Path | None = None,
) -> None:
    """Write several files atomically, all or none.

    After any exception or signal, either all new files exist or all old ones, and temporary files are
    removed. If the process is killed or the system crashes, only some of the files may exist: they are placed
    from the last one to the first.

    Parameters
    ----------
    contents
        Path and content of each file; or, instead of the content, a complete temporary file on the same file
        system, which is renamed. A symbolic link at the path is replaced, not followed.
    force
        Whether existing files may be replaced. Without it, a file that another program creates in the
        meantime is not replaced either.
    mode
        Permission bits, such as ``0o600``. By default those of the file replaced, otherwise those that the
        umask allows.
    private
        Which of the files only its owner may read.
    record
        Path and content of a file about the others: it is placed before all of them, may replace a file
        whatever ``force`` is, and only its owner may read it.
    within
        A folder that is reached through no symbolic link, nor any folder in it: from the working folder on,
        if that contains it.

    Raises
    ------
    InputError
        If two paths name the same file, if a file exists and ``force`` is false, or if one cannot be
        written.
    """
    files = [
        _File(Path(path), data, force, 0o600 if private is not None and Path(path) == Path(private) else mode)
        for path, data in contents
    ]
    if record is not None:
        files.append(_File(*record, force=True, mode=0o600))
    for file in files:
        refuse_existing(file.path, force=file.force)
    _refuse_same(file.path for file in files)
    with ExitStack() as leftovers:
        folders: dict[Path, tuple[_Folder, _Folder]] = {}
        placements = []
        for number, file in enumerate(files):
            with _named(file.path):
                if (parent := file.path.parent) not in folders:
                    target = leftovers.enter_context(_target(parent, within))
                    folders[parent] = target, leftovers.enter_context(_temporary(target))
                placements.append(_Placement(file, str(number), *folders[parent]))
                placements[-1].stage()
        with uninterrupted(), ExitStack() as undo:
            for placement in reversed(placements):
                with _named(placement.file.path):
                    if placement is placements[0]:  # it stands on the disk only if the others do
                        _sync(target for target, _ in folders.values())
                    placement.place(undo)
            if placements:
                with _named(placements[0].file.path):
                    _sync([placements[0].target])
            undo.pop_all()


class _File(NamedTuple):
    """A file that is to be written."""

    path: Path
    data: bytes | Path
    force: bool
    mode: int | None


class _Folder(NamedTuple):
    """A folder by its descriptor, so that it stays the same if its path changes.

    On systems without descriptors of folders, such as Windows, it is identified by its path.
    """

    path: Path
    descriptor: int | None

    def at(self, name: str) -> str:
        """Return the name of a file in it, for calls that take ``dir_fd``."""
        return name if self.descriptor is not None else str(self.path / name)

    def status(self, name: str) -> os.stat_result | None:
        """Return the status of what has this name in it, None if nothing has."""
        try:
            return os.stat(self.at(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None


@contextmanager
def _opened_folder(
    path: Path, start: str | Path, parts: Iterable[str] = (), inside: int | None = None
) -> Iterator[_Folder]:
    """Open the folder at ``path``, which is reached from ``start`` by ``parts``, none of which is a link."""
    if not _DESCRIPTORS:
        yield _Folder(path, None)
        return
    descriptor = os.open(start, _FOLDER, dir_fd=inside)
    try:
        for part in parts:
            inner = os.open(part, _FOLDER | _UNLINKED, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield _Folder(path, descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _target(path: Path, within: Path | None) -> Iterator[_Folder]:
    """Open a folder in which files will be placed."""
    start, absolute = path, path.absolute()
    if within is not None:
        start = here if absolute.is_relative_to(here := Path.cwd()) else within.absolute().parent
    parts = absolute.relative_to(start).parts if within is not None else ()
    with _opened_folder(path, start, parts) as folder:
        yield folder


@contextmanager
def temporary_folder(beside: Path) -> Iterator[Path]:
    """Create a private folder next to a file, and remove it with its content at the end of the block."""
    with _target(beside.parent, None) as target, _temporary(target) as folder:
        yield folder.path


@contextmanager
def _temporary(target: _Folder) -> Iterator[_Folder]:
    """Create and lock a private folder in ``target``, and remove it with its content."""
    _remove_abandoned(target)
    with ExitStack() as leftovers:
        while True:
            name = f".splu-ref-{secrets.token_hex(8)}.tmp"
            leftovers.callback(_remove, target, name)
            os.mkdir(target.at(name), 0o700, dir_fd=target.descriptor)
            with suppress(FileNotFoundError):  # another program took it for abandoned before it was locked
                folder = leftovers.enter_context(
                    _opened_folder(target.path / name, ".", [name], target.descriptor)
                )
                try:
                    lock(folder.descriptor)
                except BlockingIOError:  # and is removing it
                    continue
                except OSError:  # a file system without locks, where nothing is taken for abandoned
                    pass
                if target.status(name) is not None:
                    break
        yield folder


def lock(descriptor: int | None) -> None:
    """Take the advisory lock of a folder or file, which ends when the descriptor is closed.

    Raises
    ------
    BlockingIOError
        If another program has it.
    OSError
        Where there are no such locks.
    """
    if not LOCKS or descriptor is None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
    flock(descriptor, LOCK_EX | LOCK_NB)


def _remove(target: _Folder, name: str) -> None:
    """Remove a temporary folder; a signal comes through afterwards."""
    with uninterrupted():
        try:
            shutil.rmtree(target.at(name), ignore_errors=True, dir_fd=target.descriptor)
        except BaseException:
            shutil.rmtree(target.at(name), ignore_errors=True, dir_fd=target.descriptor)
            raise


def remove_abandoned(folder: Path) -> None:
    """Remove what programs that were killed left in a folder: this user's, and not locked by any program."""
    with suppress(OSError), _target(folder, None) as target:
        _remove_abandoned(target)


def _remove_abandoned(target: _Folder) -> None:
    if not LOCKS or target.descriptor is None:
        return
    for name in filter(_TEMPORARY.fullmatch, os.listdir(target.descriptor)):  # noqa: PTH208 - pathlib knows no descriptors
        with suppress(OSError):  # in use, of a file system without locks, or gone
            if os.lstat(name, dir_fd=target.descriptor).st_uid != os.geteuid():
                continue
            descriptor = os.open(name, _READ | _UNLINKED, dir_fd=target.descriptor)
            try:
                lock(descriptor)
                if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                    _remove(target, name)
                else:
                    os.unlink(name, dir_fd=target.descriptor)
            finally:
                os.close(descriptor)


class _Placement(NamedTuple):
    """A file on its way into its folder, and the temporary folder in which it is staged."""

    file: _File
    name: str
    target: _Folder
    folder: _Folder

    def stage(self) -> None:
        """Write the whole content, readable by the owner alone."""
        staged, inside = self.folder.at(self.name), self.folder.descriptor
        data = self.file.data
        if isinstance(data, Path):
            os.replace(data, staged, dst_dir_fd=inside)
        flags = _CREATE if isinstance(data, bytes) else _CREATE & ~(os.O_CREAT | os.O_EXCL)
        with os.fdopen(os.open(staged, flags, 0o600, dir_fd=inside), "wb") as out:
            if isinstance(data, bytes):
                out.write(data)
                out.flush()
            os.fsync(out.fileno())

    def place(self, undo: ExitStack) -> None:
        """Give the staged file its name; ``undo`` takes it back and puts back what stood there."""
        name = self.file.path.name
        standing = self.target.status(name)
        bits, staged = self.file.mode, self.folder.at(self.name)
        if bits is None and standing is not None and stat.S_ISREG(standing.st_mode):
            bits = stat.S_IMODE(standing.st_mode)
        if bits is not None:
            os.chmod(staged, bits, dir_fd=self.folder.descriptor)
        else:
            with suppress(PermissionError):  # a file system that knows no permissions
                os.chmod(staged, _default_permissions(), dir_fd=self.folder.descriptor)
        if standing is None or not self.file.force:
            undo.callback(self._take_back)
            self._link(undo)
            return
        undo.callback(self._put_back)
        self._set_aside()
        self._rename(self.name)

    def _link(self, undo: ExitStack) -> None:
        """Take a name that is free; a link, unlike a rename, refuses one that is taken."""
        target = self.target.at(self.file.path.name)
        ours, theirs = self.folder.descriptor, self.target.descriptor
        try:
            try:
                os.link(self.folder.at(self.name), target, src_dir_fd=ours, dst_dir_fd=theirs)
            except FileExistsError:
                raise
            except OSError:  # a file system without hard links: an empty file takes the name first
                os.close(os.open(target, _CREATE, 0o600, dir_fd=theirs))
                undo.callback(os.unlink, target, dir_fd=theirs)
                self._rename(self.name)
        except FileExistsError:
            raise _exists(self.file.path, force=self.file.force) from None

    def _rename(self, source: str) -> None:
        os.replace(
            self.folder.at(source),
            self.target.at(self.file.path.name),
            src_dir_fd=self.folder.descriptor,
            dst_dir_fd=self.target.descriptor,
        )

    def _set_aside(self) -> None:
        """Keep what will be replaced, under a second name or as a copy; it never lacks its own name."""
        old, ours = self.folder.at(self._old), self.folder.descriptor
        try:
            os.link(
                self.target.at(self.file.path.name),
                old,
                src_dir_fd=self.target.descriptor,
                dst_dir_fd=ours,
                follow_symlinks=False,
            )
        except (OSError, NotImplementedError):  # no hard links here, or not to a symbolic link
            copy = f"{self._old}.part"
            shutil.copy2(self.file.path, self.folder.path / copy, follow_symlinks=False)
            os.replace(self.folder.at(copy), old, src_dir_fd=ours, dst_dir_fd=ours)

    @property
    def _old(self) -> str:
        return f"{self.name}.old"

    def _put_back(self) -> None:
        if self.folder.status(self.name) is None:  # it has replaced what stood there
            self._rename(self._old)

    def _take_back(self) -> None:
        placed, staged = self.target.status(self.file.path.name), self.folder.status(self.name)
        if placed is not None and staged is not None and os.path.samestat(placed, staged):
            os.unlink(self.target.at(self.file.path.name), dir_fd=self.target.descriptor)


def _sync(folders: Iterable[_Folder]) -> None:
    """Wait until the names in folders are on the disk, where the file system can say so."""
    for folder in folders:
        if folder.descriptor is not None:
            try:
                os.fsync(folder.descriptor)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise


def _refuse_same(paths: Iterable[Path]) -> None:
    named: dict[_Identity, Path] = {}
    for path in paths:
        for identity in _identities(path):
            if (other := named.setdefault(identity, path)) is not path:
                raise InputError(f"{other} and {path} are the same file: give each its own name")


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


def _default_permissions() -> int:
    """Return the permissions of a new file."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into one that names ``path``."""
    try:
        yield
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error


def _exists(path: Path, *, force: bool = False) -> InputError:
    if force:
        return InputError(f"{path} was created by another program in the meantime: run the command again")
    return InputError(f"{path} exists: choose another name or add --force")


def _cannot_write(path: Path, error: Exception) -> InputError:
    reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
    return InputError(f"{path} cannot be written: {reason}: choose another place")
