"""The secret key on a cluster: each process reads the key file, and the key never enters a Spark job.

Objects referenced by a worker's function are serialized into the job, and thus into files of the driver and
of workers, shuffles and messages between machines. So functions refer to the path of the key file and to
public parameters only, and derive the key of the release where it is used.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Self

from splu_ref.channels import InputError
from splu_ref.randomness import Key, ReleaseContext, release_key


@dataclass(frozen=True)
class KeyFile:
    """The path of the key file, the same on all machines, and the key's commitment (`Key.commitment`)."""

    path: str
    commitment: str = field(repr=False)

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """Read the key for its commitment.

        Raises ``InputError`` if the file cannot be read, has no key, or others have access to it.
        """
        return cls(os.path.abspath(path), Key.read(path).commitment())  # noqa: PTH100 - links stay as they are

    def read(self) -> Key:
        """Return the key; raise ``InputError`` as `of`, and if this machine has another key."""
        key = Key.read(self.path)
        if key.commitment() != self.commitment:
            raise InputError(
                f"key file {self.path} holds another key on a worker than on the driver: give all machines "
                "the same file"
            )
        return key


@dataclass(frozen=True)
class ReleaseSecret:
    """The key of one release as a reference to the key file, with the public context of the release."""

    file: KeyFile
    context: ReleaseContext

    def read(self) -> Key:
        """Return the key of the release; errors as `KeyFile.read`."""
        return release_key(self.file.read(), self.context)
