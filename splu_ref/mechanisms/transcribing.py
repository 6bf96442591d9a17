"""Publishing with a transcript."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from narwhals.typing import IntoDataFrame

from splu_ref.decoys import PLANS
from splu_ref.mechanisms.release import Release
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGens
from splu_ref.mechanisms.transcript import Transcript
from splu_ref.microdata import Microdata, as_table
from splu_ref.microdata.values import text
from splu_ref.model import ParameterError
from splu_ref.randomness import (
    ByteSource,
    KeyedRelease,
    KeyedSource,
    Randomness,
    RecordingSource,
    ReleaseContext,
    ReleaseRandomness,
    SystemSource,
)


def transcribed(
    mechanism: SpluGens,
    table: Microdata | IntoDataFrame | str | os.PathLike[str],
    sensitive: str | Sequence[str],
    randomness: Randomness | None = None,
    *,
    id_column: str | None = None,
    missing: str | None = None,
) -> tuple[Release, Transcript]:
    """Publish a table as `SpluGen.publish` does, and return with the release what it was drawn from.

    Parameters
    ----------
    mechanism, table, sensitive, randomness, id_column, missing
        As for `SpluGen.publish`.

    Raises
    ------
    DataError
        As for `SpluGen.publish`.
    ParameterError
        As there; or if the plan is a method of the caller's own, or the randomness neither a key nor a
        stream of bytes, which nobody else could draw from again.
    """
    every = [mechanism] if isinstance(mechanism, SpluGen) else [each for _, each in mechanism.columns]
    if any(each.plan not in PLANS for each in every):
        raise ParameterError(f"a transcript names the plan: choose one of {', '.join(PLANS)}")
    original = as_table(table, missing)
    kept = _Kept(SystemSource() if randomness is None else randomness)
    release = mechanism.publish(original, sensitive, kept, id_column=id_column)
    drawn, key = kept.drawn()
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


class _Kept:
    """Randomness that keeps what a release was drawn from."""

    def __init__(self, source: Randomness) -> None:
        if isinstance(source, ByteSource):
            source = RecordingSource(source)
        elif not isinstance(source, KeyedSource):
            raise ParameterError("a transcript is kept of a stream of bytes or of a key: publish with one")
        self.name = source.name
        self._source: RecordingSource | KeyedSource = source
        self._made: ReleaseRandomness | None = None

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        self._made = self._source.for_release(context)
        return self._made

    def drawn(self) -> tuple[bytes, str | None]:
        """Return what was drawn from, and the commitment to a key."""
        if isinstance(self._source, KeyedSource):
            assert isinstance(self._made, KeyedRelease), "nothing was published"
            return self._made.key.secret, self._source.key.commitment()
        return self._source.recorded, None


def ordered_digest(table: Microdata, sensitive: Sequence[str] = ()) -> str:
    """Return SHA-256 of a table's columns and rows in their order, in hexadecimal digits.

    The message is ``splu-ref/transcript-table/1``, the number of columns, their names, the number of rows,
    the bytes of their cells (see `Microdata.records`), and for each sensitive column the number of its values
    and the values in the order of publishing. Numbers take 8 bytes, big-endian; names, rows and values have
    their length before them.
    """
    digest = hashlib.sha256(b"splu-ref/transcript-table/1")
    names = [column.encode() for column in table.columns]
    domains = ([text(value).encode() for value in table.domain(column)] for column in sensitive)
    for parts in (names, table.records(), *domains):
        digest.update(len(parts).to_bytes(8, "big"))
        digest.update(b"".join(len(part).to_bytes(8, "big") + part for part in parts))
    return digest.hexdigest()
