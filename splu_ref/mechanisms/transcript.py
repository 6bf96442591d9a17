"""Transcripts: private records of the random bytes of a release, with which it can be reproduced exactly."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from splu_ref import SPECIFICATION, __version__
from splu_ref.channels import DataError, InputError, Json, ParameterError, unrepeated
from splu_ref.data import Microdata, TableInput, as_table, open_regular, text, write_whole
from splu_ref.mechanisms.manifest import DIGEST, Facts, code_digest
from splu_ref.mechanisms.plans.methods import PLANS
from splu_ref.mechanisms.release import Release
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn, SpluGens
from splu_ref.randomness import (
    ByteSource,
    Key,
    KeyedRelease,
    KeyedSource,
    Randomness,
    RecordingSource,
    ReleaseContext,
    ReleaseRandomness,
    SystemSource,
    TapeSource,
)

SCHEMA = "splu-ref/transcript/1"
LONGEST_HEADER = 1 << 20
"""Size limit of the first line in bytes."""
LONGEST_FILE = 1 << 30
"""Size limit of a transcript in bytes; each random byte takes two."""
_KEYS = {  # and "draws" if they are dependent
    *("schema", "method", "gamma", "retention", "plan", "sensitive", "id", "missing"),
    *("original", "published", "randomness", "key", "produced_by"),
}
_STREAMS = ("system", "seeded", "tape")
_REMEDY = "give the file that publish --transcript wrote"


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """Everything besides the original table that determines a release.

    With a transcript and the other columns of the original, the sensitive values can be recovered from the
    release: a transcript is as confidential as the original.

    Attributes
    ----------
    mechanism, sensitive, id_column, missing
        The arguments of `SpluGen.publish`.
    original, published
        Digests of both tables with their rows in order: see `splu_ref.mechanisms.ordered_digest`.
    randomness
        Name of the source of random integers.
    drawn
        All bytes read from the source, in order. For a keyed release it is the key of the release, which is
        derived from the secret key and does not disclose it.
    key
        Commitment to the secret key of a keyed release; None otherwise.
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
        """Return a source that repeats the random choices of the release."""
        return TapeSource(self.drawn) if self.key is None else _OneRelease(KeyedRelease(Key(self.drawn)))

    def to_bytes(self) -> bytes:
        """Return the content of the file: a line with a JSON object, and a line with the random bytes.

        Raises
        ------
        ParameterError
            If it exceeds `LONGEST_FILE` or `LONGEST_HEADER`.
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
        """Write the transcript to a file that is created readable by its owner alone.

        Raises
        ------
        InputError
            If the file exists and ``force`` is false, or cannot be written.
        """
        write_whole(path, self.to_bytes(), force=force, mode=0o600)


class _OneRelease:
    """Randomness with the key of one release for every table."""

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
        If the file is damaged, or of another schema or specification.
    InputError
        If it cannot be read, or (on POSIX systems) its group or others have access to it.
    """
    name = os.fspath(path)
    try:
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            if status.st_size > LONGEST_FILE:
                raise DataError(f"transcript {name}: longer than {LONGEST_FILE} bytes: {_REMEDY}")
            first, rest = file.readline(LONGEST_HEADER + 1), file.read(LONGEST_FILE)
    except OSError as error:
        raise InputError(f"transcript {name}: {error.strerror}: name another file") from None
    try:
        header: Any = json.loads(first, object_pairs_hook=unrepeated)
        schema, spec = header["schema"], header["produced_by"]["spec"]
    except (ValueError, KeyError, TypeError, RecursionError):
        other = b'"splu-ref/manifest/' in rest[:LONGEST_HEADER]
        what = "a manifest, not a transcript" if other else "its first line holds no transcript"
        raise DataError(f"transcript {name}: {what}: {_REMEDY}") from None
    if os.name == "posix" and status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(f"transcript {name} is open to other users: run chmod 600 {shlex.quote(name)}")
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
    """Parse a transcript; raise ``KeyError``, ``TypeError`` or ``ValueError`` if it is damaged."""
    facts = Facts(header)
    keyed = header["key"] is not None
    drawn, sensitive = bytes.fromhex(rest[:-1].decode("ascii")), facts.texts("sensitive")
    mechanism: SpluGens
    if facts.text("method") == SpluGenByColumn.name:
        mechanism = SpluGenByColumn.from_parameters(facts, sensitive)
    else:
        mechanism = SpluGen.from_parameters(facts)
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


def transcribed(
    mechanism: SpluGens,
    table: TableInput,
    sensitive: str | Sequence[str],
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
    missing: str | None = None,
) -> tuple[Release, Transcript]:
    """Publish a table as `SpluGen.publish` does, and return the release with its transcript.

    Parameters
    ----------
    mechanism, table, sensitive, randomness, id_column, missing
        As for `SpluGen.publish`.

    Raises
    ------
    DataError
        As for `SpluGen.publish`.
    ParameterError
        As there; or if the plan is a callable, or the randomness is neither a key nor a stream of bytes, so
        that it cannot be recorded.
    """
    every = [mechanism] if isinstance(mechanism, SpluGen) else [each for _, each in mechanism.columns]
    if any(each.plan not in PLANS for each in every):
        raise ParameterError(f"a transcript names the plan: choose one of {', '.join(PLANS)}")
    original = as_table(table, missing)
    recorder = _Recorder(SystemSource() if randomness is None else randomness)
    release = mechanism.publish(original, sensitive, recorder, id_column=id_column)
    drawn, key = recorder.drawn()
    return release, Transcript(
        mechanism=mechanism,
        sensitive=release.sensitive,
        id_column=id_column,
        missing=original.missing,
        original=ordered_digest(original, release.sensitive),
        published=ordered_digest(release.table),
        randomness=release.randomness,
        drawn=drawn,
        key=key,
    )


class _Recorder:
    """Randomness that records the bytes, or the key, of a release."""

    def __init__(self, source: Randomness) -> None:
        if isinstance(source, ByteSource):
            source = RecordingSource(source)
        elif not isinstance(source, KeyedSource):
            raise ParameterError("a transcript is kept of a stream of bytes or of a key: publish with one")
        self.name = source.name
        self._source: RecordingSource | KeyedSource = source
        self._release: ReleaseRandomness | None = None

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        self._release = self._source.for_release(context)
        return self._release

    def drawn(self) -> tuple[bytes, str | None]:
        """Return the bytes or the key of the release, and the commitment to the secret key."""
        if isinstance(self._source, KeyedSource):
            assert isinstance(self._release, KeyedRelease), "nothing was published"
            return self._release.key.secret, self._source.key.commitment()
        return self._source.recorded, None


def ordered_digest(table: Microdata, sensitive: Sequence[str] = ()) -> str:
    """Return SHA-256 of a table's columns and rows in their order, in hexadecimal digits.

    The message is ``splu-ref/transcript-table/1``, the number of columns, their names, the number of rows,
    the bytes of their cells (see `Microdata.records`), and for each sensitive column the number of its values
    and the values in the order of publishing. Numbers take 8 bytes, big-endian; names, rows and values are
    preceded by their length.
    """
    digest = hashlib.sha256(b"splu-ref/transcript-table/1")
    names = [column.encode() for column in table.columns]
    domains = ([text(value).encode() for value in table.domain(column)] for column in sensitive)
    for parts in (names, table.records(), *domains):
        digest.update(len(parts).to_bytes(8, "big"))
        digest.update(b"".join(len(part).to_bytes(8, "big") + part for part in parts))
    return digest.hexdigest()
