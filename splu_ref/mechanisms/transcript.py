"""A private record of what was drawn: with it and the original, a release is made again, bit for bit."""

from __future__ import annotations

import json
import os
import shlex
import stat
from dataclasses import dataclass, field
from typing import Any

from splu_ref import SPECIFICATION, __version__
from splu_ref.decoys import PLANS
from splu_ref.files import opened, write_whole
from splu_ref.manifest import DIGEST, Facts, code_digest, unrepeated
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn, SpluGens
from splu_ref.model import DataError, InputError, Json, ParameterError
from splu_ref.randomness import Key, KeyedRelease, Randomness, ReleaseContext, TapeSource

SCHEMA = "splu-ref/transcript/1"
LONGEST_HEADER = 1 << 20
"""Bytes of the longest first line that is read."""
LONGEST_FILE = 1 << 30
"""Bytes of the largest transcript that is written and read; each byte that was drawn takes two."""
_KEYS = {  # and "draws", where they are not independent
    *("schema", "method", "gamma", "retention", "plan", "sensitive", "id", "missing"),
    *("original", "published", "randomness", "key", "produced_by"),
}
_STREAMS = ("system", "seeded", "tape")
_REMEDY = "give the file that sanitize --transcript wrote"


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """What a release was drawn from, and everything else that it is a function of but the original.

    Whoever holds it and the original's other cells can undo the release: it is as secret as the original.

    Attributes
    ----------
    mechanism, sensitive, id_column, missing
        How the table was published: see `SpluGen.publish`.
    original, published
        Digests of both tables, in the order of their rows: see `splu_ref.mechanisms.ordered_digest`.
    randomness
        Name of the source of random integers.
    drawn
        Every byte that was read from the source, in order; of a keyed release, its key, which is not the
        secret one.
    key
        Commitment to the secret key of a keyed release; None for any other.
    """

    mechanism: SpluGens
    sensitive: tuple[str, ...]
    id_column: str | None
    missing: str | None
    original: str
    published: str
    randomness: str
    drawn: bytes = field(repr=False)
    key: str | None

    def source(self) -> Randomness:
        """Return what draws the same once more."""
        return TapeSource(self.drawn) if self.key is None else _OneRelease(KeyedRelease(Key(self.drawn)))

    def to_bytes(self) -> bytes:
        """Return the content of the file: a line with a JSON object, and one with the bytes drawn.

        Raises
        ------
        ParameterError
            If it is longer than a transcript that is read.
        """
        header: dict[str, Json] = {
            "schema": SCHEMA,
            "method": self.mechanism.name,
            **self.mechanism.facts(),
            "sensitive": list(self.sensitive),
            "id": self.id_column,
            "missing": self.missing,
            "original": self.original,
            "published": self.published,
            "randomness": self.randomness,
            "key": self.key,
            "produced_by": {"version": __version__, "spec": SPECIFICATION, "code": code_digest()},
        }
        first = (json.dumps(header, ensure_ascii=False) + "\n").encode()
        if len(first) > LONGEST_HEADER or len(first) + 2 * len(self.drawn) >= LONGEST_FILE:
            raise ParameterError(
                f"the transcript would be longer than {LONGEST_FILE} bytes, or its first line than "
                f"{LONGEST_HEADER}: publish with a key, of which the transcript holds 32 bytes"
            )
        return first + self.drawn.hex().encode() + b"\n"

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the transcript to a file that only its owner may read, from the moment it exists.

        Raises
        ------
        InputError
            If the file exists and ``force`` is false, or cannot be written.
        """
        write_whole(path, self.to_bytes(), force=force, mode=0o600)


class _OneRelease:
    """The randomness of one release as that of a table: whoever publishes another table shares its draws."""

    def __init__(self, release: KeyedRelease) -> None:
        self.name = release.name
        self._release = release

    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        return self._release


def read_transcript(path: str | os.PathLike[str]) -> Transcript:
    """Read a transcript.

    Raises
    ------
    DataError
        If the file is none of this schema and specification, or damaged.
    InputError
        If it cannot be read, or (on POSIX systems) is open to its group or to others.
    """
    name = os.fspath(path)
    try:
        with opened(path) as file:
            status = os.fstat(file.fileno())
            if status.st_size > LONGEST_FILE:
                raise DataError(f"transcript {name}: longer than {LONGEST_FILE} bytes: {_REMEDY}")
            first, rest = file.readline(LONGEST_HEADER + 1), file.read(LONGEST_FILE)
    except OSError as error:
        raise InputError(f"transcript {name}: {error.strerror}: name another file") from None
    if os.name == "posix" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(f"transcript {name} is open to other users: run chmod 600 {shlex.quote(name)}")
    try:
        header: Any = json.loads(first, object_pairs_hook=unrepeated)
        schema, spec = header["schema"], header["produced_by"]["spec"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"transcript {name}: its first line holds no transcript: {_REMEDY}") from None
    if (schema, spec) != (SCHEMA, SPECIFICATION):
        raise DataError(
            f"transcript {name}: not of schema {SCHEMA} and specification {SPECIFICATION}: read it with the "
            "version that wrote it"
        )
    try:
        return _transcript(header, rest)
    except InputError as error:
        raise DataError(f"transcript {name}: {error}") from None
    except (ValueError, AttributeError, TypeError, KeyError, ZeroDivisionError):
        raise DataError(f"transcript {name}: damaged: {_REMEDY}") from None


def _transcript(header: Any, rest: bytes) -> Transcript:
    """Return what a file holds; raise ``KeyError``, ``TypeError`` or ``ValueError`` if it is damaged."""
    facts = Facts(header)
    keyed = header["key"] is not None
    drawn, sensitive = bytes.fromhex(rest[:-1].decode("ascii")), facts.texts("sensitive")
    mechanism: SpluGens
    if facts.text("method") == SpluGenByColumn.name:
        mechanism = SpluGenByColumn.told(facts, sensitive)
    else:
        mechanism = SpluGen.told(facts)
    if (
        set(header) - {"draws"} != _KEYS
        or facts.text("method") != mechanism.name
        or any(mechanism.for_column(column).plan not in PLANS for column in sensitive)
        or facts.text("randomness") not in (("keyed",) if keyed else _STREAMS)
        or rest != drawn.hex().encode() + b"\n"
    ):
        raise ValueError
    if keyed:
        Key(drawn)  # of 32 bytes, and no pattern
    return Transcript(
        mechanism=mechanism,
        sensitive=sensitive,
        id_column=None if header["id"] is None else facts.text("id"),
        missing=None if header["missing"] is None else facts.text("missing"),
        original=facts.matching("original", DIGEST),
        published=facts.matching("published", DIGEST),
        randomness=facts.text("randomness"),
        drawn=drawn,
        key=facts.matching("key", DIGEST) if keyed else None,
    )
