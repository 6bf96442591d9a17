"""The secret key of keyed releases, and key files."""

from __future__ import annotations

import hmac
import os
import re
import shlex
import stat
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Self

from splu_ref.channels import InputError
from splu_ref.data import open_regular, write_whole

KEY_BYTES = 32
COMMITMENT_PREFIX = b"splu-ref/key-commitment/1"
_LINE = re.compile(rb"splu-ref-key-1 ([0-9a-f]{64})(?:\r?\n)?")
_LONGEST_FILE = 256


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """A secret key of 32 bytes; patterns (equal halves, arithmetic sequences) are refused.

    With the key and a guess of a record's identity one can compute the record's draw, and thus whether the
    published value is the true one.

    Attributes
    ----------
    secret
        The bytes. They are never printed: ``repr`` hides them.
    """

    secret: bytes

    def __post_init__(self) -> None:
        if len(self.secret) != KEY_BYTES:
            raise InputError(
                f"a key has {KEY_BYTES} bytes, not {len(self.secret)}: create one with Key.generate()"
            )
        if _is_pattern(self.secret):
            raise InputError(
                "the key is a pattern that can be guessed, not random bytes: create one with Key.generate(), "
                "or with splu-ref key FILE"
            )

    def __repr__(self) -> str:
        return "Key(<secret>)"

    @classmethod
    def generate(cls) -> Self:
        """Return a new key from the operating system's entropy."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a key file.

        Raises
        ------
        InputError
            If the file cannot be read, is not a key file, or (on POSIX systems) its group or others have
            access to it.
        """
        name = os.fspath(path)
        try:
            with open_regular(path) as file:
                mode = os.fstat(file.fileno()).st_mode
                content = file.read(_LONGEST_FILE)
        except InputError as error:
            raise InputError(f"key file {error}") from None
        except OSError as error:
            raise InputError(
                f"key file {name}: {error.strerror}: name another, or create one with splu-ref key FILE"
            ) from None
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError(f"key file {name} is open to other users: run chmod 600 {shlex.quote(name)}")
        return cls.parse(content, f"key file {name}")

    @classmethod
    def parse(cls, content: bytes, name: str) -> Self:
        """Parse the content of a key file, which errors call ``name``.

        Raises
        ------
        InputError
            If the content is not that of a key file, or the key is a pattern.
        """
        line = _LINE.fullmatch(content)
        if line is None:
            raise InputError(
                f"{name} does not hold one line 'splu-ref-key-1' and 64 digits 0-9, a-f: "
                "create one with splu-ref key FILE"
            )
        try:
            return cls(bytes.fromhex(line[1].decode("ascii")))
        except InputError as error:
            raise InputError(f"{name}: {error}") from None

    def commitment(self) -> str:
        """Return HMAC-SHA-256 of ``splu-ref/key-commitment/1`` under the key, in hexadecimal digits.

        It does not disclose the key, and collisions are infeasible.
        """
        return hmac.digest(self.secret, COMMITMENT_PREFIX, "sha256").hex()

    def write(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write the key to a file that is created readable by its owner alone.

        Parameters
        ----------
        path
            Where to write.
        force
            Replace an existing file. The key in it is lost, and with it the draws of earlier releases.

        Raises
        ------
        InputError
            If the file exists and ``force`` is not given, if it is a folder, or if it cannot be written.
        """
        name = os.fspath(path)
        if not force and Path(path).is_file():
            raise InputError(f"key file {name} exists: choose another name, or lose its key with --force")
        line = b"splu-ref-key-1 " + self.secret.hex().encode("ascii") + b"\n"
        try:
            write_whole(path, line, force=force, mode=0o600)
        except InputError as error:
            raise InputError(f"key file {error}") from error


def _is_pattern(secret: bytes) -> bool:
    """Return whether the second half repeats the first, or all bytes differ by the same step.

    So do zeros, and counted bytes. Random bytes do with probability below 2**-127.
    """
    half = len(secret) // 2
    return (
        secret[:half] == secret[half:]
        or len({(after - before) % 256 for before, after in pairwise(secret)}) == 1
    )
