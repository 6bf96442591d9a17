"""Replay of a release from its transcript or its key, and comparison with the published table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.releases.claims import Claim
from splu_ref.audit.releases.findings import Check
from splu_ref.audit.releases.record_linkage import Original, text_cells
from splu_ref.channels import DataError, ParameterError, TapeExhaustedError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Mechanism, Release, Transcript, ordered_digest
from splu_ref.randomness import (
    Draws,
    IntArray,
    Key,
    KeyedRelease,
    KeyedSource,
    PlanSecret,
    Randomness,
    ReleaseContext,
    ReleaseRandomness,
    TapeSource,
    UniformSource,
)

SAME_ROWS = "the same rows stand in another order"
"""How a table can differ from a replay although no row was changed."""


class ColumnDraws:
    """What was drawn for one sensitive column."""

    # the records that were not deleted, ascending; their order is that of the other attributes
    kept: IntArray
    # the uniform integer of each kept record, shape (kept,); where the draws of groups are dependent, those
    # below gamma that the groups drew, in this order
    integers: IntArray
    places: IntArray  # the kept records by value, in the order of their places in the plan, shape (kept,)
    shuffle: IntArray  # the kept record at each published row, shape (kept,); of the first column alone


class RecordedDraws:
    """The draws of a table's records for one column, each noted: see `Draws`."""

    def __init__(self, draws: Draws, noted: ColumnDraws) -> None:
        self.name = draws.name
        self._draws = draws
        self._noted = noted

    def below(self, bound: int, size: int) -> IntArray:
        """Note and return one integer for each record."""
        self._noted.integers = self._draws.below(bound, size)
        return self._noted.integers

    def permutation(self, size: int) -> IntArray:
        """Note and return the order of the rows."""
        self._noted.shuffle = self._draws.permutation(size)
        return self._noted.shuffle

    def order_within(self, codes: IntArray) -> IntArray:
        """Note and return the records by code."""
        self._noted.places = self._draws.order_within(codes)
        return self._noted.places

    def subset(self, population: int, count: int) -> IntArray:
        """Return the records to delete."""
        return self._draws.subset(population, count)

    def select_records(self, rows: IntArray) -> RecordedDraws:
        """Note the records that are left, and return their draws."""
        self._noted.kept = rows
        return RecordedDraws(self._draws.select_records(rows), self._noted)

    def plan_secret(self) -> PlanSecret:
        """Return what the plan is drawn from."""
        return self._draws.plan_secret()

    def group_draws(self) -> PlanSecret:
        """Return what the draws of groups are drawn from, watched."""
        self._noted.integers = np.empty(0, dtype=np.int64)
        return _RecordedGroups(self._draws.group_draws(), self._noted)


class _RecordedGroups:
    """What the draws of groups are drawn from, their integers noted."""

    def __init__(self, source: PlanSecret, noted: ColumnDraws) -> None:
        self._source = source
        self._noted = noted

    def block(self, number: int) -> _RecordedStream:
        return _RecordedStream(self._source.block(number), self._noted)


class _RecordedStream:
    """A stream whose arrays of integers are noted, one after the other."""

    def __init__(self, stream: UniformSource, noted: ColumnDraws) -> None:
        self.name = stream.name
        self._stream = stream
        self._noted = noted

    def integer_below(self, bound: int) -> int:
        return self._stream.integer_below(bound)

    def below(self, bound: int, size: int) -> IntArray:
        drawn = self._stream.below(bound, size)
        self._noted.integers = np.append(self._noted.integers, drawn)
        return drawn

    def coins(self, size: int) -> NDArray[np.bool_]:
        return self._stream.coins(size)

    def permutation(self, size: int) -> IntArray:
        return self._stream.permutation(size)

    def order_within(self, codes: IntArray) -> IntArray:
        return self._stream.order_within(codes)

    def subset(self, population: int, count: int) -> IntArray:
        return self._stream.subset(population, count)

    def block(self, number: int) -> UniformSource:
        return self


class RecordedRandomness:
    """The randomness of one table, and what was drawn of it."""

    def __init__(self, source: Randomness) -> None:
        self.name = source.name
        self.columns: dict[str, ColumnDraws] = {}
        self.release_key: bytes | None = None
        self._source = source

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        """Return the randomness of the release, watched."""
        release = self._source.for_release(context)
        self.release_key = release.key.secret if isinstance(release, KeyedRelease) else None
        return _RecordedRelease(release, self.columns)


class _RecordedRelease:
    def __init__(self, release: ReleaseRandomness, columns: dict[str, ColumnDraws]) -> None:
        self.name = release.name
        self._release = release
        self._columns = columns

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> Draws:
        self._columns[column] = ColumnDraws()
        return RecordedDraws(self._release.for_records(column, identities), self._columns[column])


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A release that was made again from the original."""

    origin: str  #: ``"transcript"`` or ``"key"``: where its draws come from
    mechanism: Mechanism[Release]  #: how it was published, and from what
    original: Microdata  #: how it was published, and from what
    release: Release  #: what the draws give
    randomness: str  #: name of the source of random integers, as the transcript states it
    columns: dict[str, ColumnDraws]  #: the draws of each sensitive column
    tape: bytes = b""  #: the bytes that were drawn; empty under a key
    #: digest of the published table that the transcript names; None without a transcript
    published: str | None = None
    id_column: str | None = None  #: the column that identified a record under a key

    @classmethod
    def of_transcript(cls, transcript: Transcript, original: Microdata, key: Key | None = None) -> Self:
        """Return the release that a transcript records.

        Parameters
        ----------
        transcript
            What was drawn, and how the table was published.
        original
            The table that was published, as it was read then: the same rows, from a file of the same kind.
        key
            The secret key of a keyed release, which is then tested against the transcript's commitment.

        Raises
        ------
        DataError
            If the transcript is of another original or key, or holds more or fewer bytes than are drawn.
        ParameterError
            If a key is given, and the release was made without.
        """
        if key is not None and transcript.key is None:
            raise ParameterError("the transcript is of a release without a key: leave the key out")
        if key is not None and key.commitment() != transcript.key:
            raise DataError("the key is not the one to which the transcript commits: give the right one")
        if ordered_digest(original, transcript.sensitive) != transcript.original:
            raise DataError(
                "this is not the original of the transcript, cell by cell and row by row: give the file that "
                "was published, in its format; if columns were recoded or dropped, or cells are missing, add "
                "its --manifest, or repeat --drop and --missing"
            )
        source = transcript.source() if key is None else KeyedSource(key)
        try:
            found, release = _made(
                transcript.mechanism, original, transcript.sensitive, source, transcript.id_column
            )
        except TapeExhaustedError:
            raise DataError(
                "the transcript breaks off before everything is drawn: ask for all of it"
            ) from None
        left = len(transcript.drawn) - source.consumed if isinstance(source, TapeSource) else 0
        if left or found.release_key not in (None, transcript.drawn):
            raise DataError(
                f"the transcript holds {left} bytes that are not drawn: ask for the one of this release"
                if left
                else "the transcript's key of the release is not made of the secret key: ask for a fresh one"
            )
        return cls(
            origin="transcript",
            mechanism=transcript.mechanism,
            original=original,
            release=release,
            randomness=transcript.randomness,
            columns=found.columns,
            tape=transcript.drawn if transcript.key is None else b"",
            published=transcript.published,
        )

    @classmethod
    def of_key(
        cls,
        key: Key,
        original: Microdata,
        mechanism: Mechanism[Release],
        sensitive: Sequence[str],
        id_column: str | None = None,
    ) -> Self:
        """Return the release that a key gives; parameters and errors of `Mechanism.publish`."""
        found, release = _made(mechanism, original, sensitive, KeyedSource(key), id_column)
        return cls(
            origin="key",
            mechanism=mechanism,
            original=original,
            release=release,
            randomness=release.randomness,
            columns=found.columns,
            id_column=id_column,
        )

    @property
    def source(self) -> str:
        """What the release was made from, in words."""
        return f"{self.origin} ({self.randomness} randomness)"

    @property
    def is_unnamed(self) -> bool:
        """Whether no column named the records under a key."""
        return self.origin == "key" and self.id_column is None

    def require(self, sensitive: Sequence[str], claimed: Claim, original: Original | None) -> None:
        """Raise ``ParameterError`` unless this is the release that is claimed, of the original given."""
        if original is None or original.table is not self.original:
            raise ParameterError("a release is made again from the original that it is audited with: give it")
        if self.release.sensitive != tuple(sensitive) or not claimed.made_by(self.mechanism):
            raise ParameterError(
                f"the {self.origin} is of a release with other parameters or columns than claimed: give that"
            )

    def check(self, published: Microdata) -> Check:
        """Compare a published table with the release, cell by cell, in the order of the rows.

        Raises
        ------
        DataError
            If they agree, and the transcript names another published table.
        """
        made = self.release.table
        different, hint = _difference(made, published), ""
        whole = self.published in (None, ordered_digest(made))
        if different is None and not whole:
            raise DataError(
                "the transcript names another published table than its draws give: ask for a fresh one"
            )
        reordered = different is not None and _is_reordered(made, published)
        if different is None:
            detail = f"the {self.origin} gives these {made.row_count} rows, cell by cell, in this order"
        elif not whole:
            detail = f"{different}; the transcript does not agree with itself: it was changed"
        elif reordered:
            detail = f"{different}; {SAME_ROWS}"
            hint = f"{SAME_ROWS}: give the original and the published table in the order of publication"
        elif self.origin == "key":
            detail = f"{different}; another key, id column or original, no key, or a table that was changed"
            named = (
                "the release may have been made under another key or none, --id "
                f"{self.id_column} may be wrong or not used, or "
            )
            hint = (
                f"{self._text_for_empty()}{'' if self.id_column is None else named}the original was changed, "
                "or is not in the format that was published, or the table was changed"
            )
        else:
            detail = f"{different}; the transcript agrees with itself: the table is another or was changed"
        return Check("recomputed", None, different is None, detail, published.row_count, hint=hint)

    def _text_for_empty(self) -> str:
        """Return a cause of differences if the original has the text for missing cells, and none missing."""
        text = self.original.missing
        values = {value for column in self.release.sensitive for value in self.original.values(column)}
        if text not in values or "" in values:
            return ""
        return f"the original holds {text!r} where the published file may have had empty cells, or "


def _made(
    mechanism: Mechanism[Release],
    original: Microdata,
    sensitive: Sequence[str],
    source: Randomness,
    id_column: str | None,
) -> tuple[RecordedRandomness, Release]:
    watched = RecordedRandomness(source)
    return watched, mechanism.publish(original, sensitive, watched, id_column=id_column)


def _difference(made: Microdata, published: Microdata) -> str | None:
    """Return where a published table first differs from the release, by row and then by column."""
    if made.columns != published.columns:
        return "the columns, or their order, are not those of the original"
    if made.row_count != published.row_count:
        return f"{published.row_count} rows stand here, {made.row_count} were drawn"
    one, other = (text_cells(table, table.columns, blank=True) for table in (made, published))
    unlike = [(one[name] != other[name]).arg_true() for name in one.columns]
    found = [(int(rows[0]), number) for number, rows in enumerate(unlike) if len(rows)]
    if not found:
        return None
    row, number = min(found)
    drawn, stands = (_shown(cells[row, number]) for cells in (one, other))
    total = sum(len(rows) for rows in unlike)
    return (
        f"row {row + 1}, column {made.columns[number]!r}: {stands} stands here, {drawn} was drawn "
        f"({total} cell{'s differ' if total > 1 else ' differs'})"
    )


def _is_reordered(made: Microdata, published: Microdata) -> bool:
    """Return whether two tables of the same columns and number of rows hold the same rows."""
    if made.columns != published.columns or made.row_count != published.row_count:
        return False
    one, other = (text_cells(table, table.columns, blank=True) for table in (made, published))
    return one.sort(one.columns).equals(other.sort(other.columns))


def _shown(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else f"{cell[:37]}...")
