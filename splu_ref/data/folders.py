"""Atomic writing of folders of reports, never through symbolic links."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from splu_ref.channels import InputError
from splu_ref.data.files import refuse_existing, write_all, write_whole
from splu_ref.data.signals import uninterrupted


def write_folder(folder: str | os.PathLike[str], contents: Mapping[str, bytes], *, force: bool) -> list[Path]:
    """Write files into a folder atomically; missing folders are created.

    Parameters
    ----------
    folder
        The folder.
    contents
        The files' contents by their paths in the folder, such as ``certificates/a.json``.
    force
        Whether files that exist may be replaced.

    Returns
    -------
    list of Path
        The files written, in the order given.

    Raises
    ------
    InputError
        If a folder is a symbolic link (see `make_folder`) or cannot be made, if a file exists and ``force``
        is false, or if one cannot be written. Then no file is changed, and no folder is created.
    """
    paths = [Path(folder) / name for name in contents]
    with _made(Path(folder), contents, keep=True):
        write_all(list(zip(paths, contents.values(), strict=True)), force=force, within=Path(folder))
    return paths


def write_in_folder(path: str | os.PathLike[str], data: bytes, *, force: bool) -> None:
    """Write one file as `write_folder` writes several, into a folder that exists.

    Raises
    ------
    InputError
        If the folder is a symbolic link (see `make_folder`), or as `splu_ref.data.write_whole`.
    """
    path = Path(path)
    check_folder(path.parent, [path.name], force=force)
    write_whole(path, data, force=force)


def check_folder(folder: str | os.PathLike[str], names: Iterable[str], *, force: bool) -> None:
    """Raise unless files of these names can be written into the folder; for use before long computations.

    Raises
    ------
    InputError
        As `write_folder`.
    """
    names = tuple(names)
    with _made(Path(folder), names, keep=False):
        for name in names:
            refuse_existing(Path(folder) / name, force=force)


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Make a folder, if it is missing.

    Symbolic links are refused, also between the working folder and the folder: otherwise an attacker who can
    place a link, such as the author of a checked-out branch, could choose which files are overwritten. Links
    above the working folder, or on a path outside of it, are followed.
    """
    with _made(Path(folder), (), keep=True):
        pass


@contextmanager
def _made(folder: Path, names: Iterable[str], *, keep: bool) -> Iterator[None]:
    """Create a folder and those of the named files; remove them if the block raises an exception."""
    within = {folder, *(folder / parent for name in names for parent in Path(name).parents)}
    with ExitStack() as undo:
        try:
            _refuse_links(folder, within)
            missing = {one for each in within for one in (each, *each.parents) if not one.exists()}
            undo.callback(_remove, missing)
            for each in within:
                each.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
            raise InputError(
                f"{folder}: the folder cannot be made: {reason}: choose another place"
            ) from error
        yield
        if keep:
            undo.pop_all()


def _refuse_links(folder: Path, within: set[Path]) -> None:
    here = Path.cwd()
    above = {each for each in folder.absolute().parents if each != here and each.is_relative_to(here)}
    for each in sorted(above | within, key=_depth):
        if each.is_symlink():
            raise InputError(
                f"{each} is a symbolic link, and a report is not written through one: "
                "name the folder that it leads to"
            )


def _depth(folder: Path) -> int:
    return len(folder.parts)


def _remove(made: Iterable[Path]) -> None:
    with uninterrupted():
        for each in sorted(made, key=_depth, reverse=True):
            with suppress(OSError, ValueError):  # something is in it, or its name is not one
                each.rmdir()
