"""Whether a release is one that its mechanism could and would have made."""

from __future__ import annotations

import os

from narwhals.typing import IntoDataFrame

from splu_ref.audit import ReleaseAudit, Replay, claim_of, releases
from splu_ref.channels import Exact, ParameterError
from splu_ref.data import Microdata, as_table, with_missing_as_text
from splu_ref.mechanisms import PublishedTable, Transcript, read_transcript
from splu_ref.randomness import Key


def audit_release(
    release: PublishedTable,
    original: Microdata | IntoDataFrame | str | os.PathLike[str] | None = None,
    *,
    second: PublishedTable | None = None,
    missing: str | None = None,
    transcript: Transcript | str | os.PathLike[str] | None = None,
    key: Key | None = None,
    id_column: str | None = None,
    level: Exact = releases.LEVEL,
) -> ReleaseAudit:
    """Hold a release against its manifest and, if given, its original.

    By any mechanism that has a manifest, but Anatomy, DBR and noisy counts.

    Parameters
    ----------
    release
        The published table with its manifest.
    original
        The original table: a data frame, the path of a file, or a table. Its columns are recoded as the
        manifest tells, unless they were.
    second
        Another release of the same table: a release with draws of its own is an inconsistency.
    missing
        Text that missing cells of the original were published as; a transcript tells it.
    transcript
        What was drawn, or the path of it: the release is made again from the original, and compared.
    key
        The key of a keyed release: it is made again. With a transcript, the one to which that commits.
    id_column
        The column that identified a record under the key; a transcript tells it.
    level
        Chance that an honest release is called inconsistent, over all checks together.

    Returns
    -------
    ReleaseAudit
        The checks, what was not checked, and the verdict. A passed check does not prove that the table was
        made as claimed: its power says what it would have found.

    Raises
    ------
    DataError
        If the release is by another mechanism, the original cannot be read, or the transcript is of another.
    ParameterError
        If a transcript or key is given without the original, or other arguments contradict it.
    """
    claimed = claim_of(release.manifest.mechanism)
    record = transcript if isinstance(transcript, Transcript | None) else read_transcript(transcript)
    if original is None and (record is not None or key is not None):
        raise ParameterError("a transcript or a key makes the release again: give the original as well")
    if record is not None and missing not in (None, record.missing):
        raise ParameterError("missing contradicts the transcript: leave it out")
    if id_column is not None and (key is None or record is not None):
        raise ParameterError("id_column belongs to a key, and a transcript tells it: leave it out")
    prepared, replay = None, None
    if original is not None:
        told = record.missing if record is not None and not isinstance(original, Microdata) else missing
        source = as_table(original, told)
        if not source.recoded:
            source = with_missing_as_text(release.manifest.recode(source, key), release.sensitive)
        prepared = claimed.prepared(source, release.sensitive)
        if record is not None:
            replay = Replay.of_transcript(record, prepared.table, key)
        elif key is not None:
            replay = Replay.of_key(key, prepared.table, claimed.releasing, release.sensitive, id_column)
    return releases.audit_release(
        release.table,
        release.sensitive,
        claimed,
        original=prepared,
        manifest=release.manifest,
        second=None if second is None else second.table,
        replay=replay,
        level=level,
    )
