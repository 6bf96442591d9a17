"""The secret key on many machines: each process reads it for itself, and Spark never holds it.

What a worker's function refers to is copied into the job, and from there into files of the driver and of
workers, into shuffles and into messages between machines. So functions refer to the path of the key file, and
to public facts alone: the key of the release is made of both where it is used.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Self

from splu_ref.channels import InputError
from splu_ref.randomness import Key, ReleaseContext, release_key


@dataclass(frozen=True)
class KeyFile:
    """Where the key is read, on the driver and on every worker.

    Attributes
    ----------
    path
        The file's path, the same on all machines.
    commitment
        What tells the key from another one, and nothing else of it: see `Key.commitment`.
    """

    path: str
    commitment: str = field(repr=False)

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """Read the key once, to know which one it is.

        Raises
        ------
        InputError
            If the file cannot be read, holds no key, or is open to others.
        """
        return cls(os.path.abspath(path), Key.read(path).commitment())  # noqa: PTH100 - links stay as they are

    def read(self) -> Key:
        """Return the key.

        Raises
        ------
        InputError
            As `of`, and if this machine has another key.
        """
        key = Key.read(self.path)
        if key.commitment() != self.commitment:
            raise InputError(
                f"key file {self.path} holds another key on a worker than on the driver: give all machines "
                "the same file"
            )
        return key


@dataclass(frozen=True)
class ReleaseSecret:
    """The key of one release, for whoever can read the key file.

    Attributes
    ----------
    file
        Where the secret key is.
    context
        What is published, and how, with the sums of the records' digests.
    """

    file: KeyFile
    context: ReleaseContext

    def read(self) -> Key:
        """Return the key of the release; errors as `KeyFile.read`."""
        return release_key(self.file.read(), self.context)
