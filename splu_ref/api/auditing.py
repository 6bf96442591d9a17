"""Audits of releases: whether a release was made by its claimed mechanism."""

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
    """Test a release against its manifest and, if given, its original.

    Supports all mechanisms with a manifest except Anatomy, DBR and noisy counts.

    Parameters
    ----------
    release
        The published table with its manifest.
    original
        The original table: a data frame, the path of a file, or a table. Its columns are recoded as the
        manifest states, unless they are already.
    second
        Another release of the same table; fresh draws in it are an inconsistency.
    missing
        Published value of missing cells of the original; manifest and transcript record it.
    transcript
        The recorded draws, or the path of them: the release is replayed from the original and compared.
    key
        The key of a keyed release, to replay it. With a transcript, the key to which that commits.
    id_column
        The column that identified a record under the key; a transcript records it.
    level
        Probability of a false alarm for an honest release, over all checks.

    Returns
    -------
    ReleaseAudit
        The checks, what was not checked, and the verdict. A passed check does not prove that the table was
        made as claimed: its power states which deviations it would have detected.

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
        raise ParameterError("a transcript or a key replays the release: give the original as well")
    if record is not None and missing not in (None, record.missing):
        raise ParameterError("missing contradicts the transcript: leave it out")
    if id_column is not None and (key is None or record is not None):
        raise ParameterError("id_column belongs to a key, and a transcript records it: leave it out")
    prepared, replay, table = None, None, release.table
    if original is not None:
        stated = release.manifest.missing if record is None else record.missing
        if missing is None and not isinstance(original, Microdata):
            missing = stated
        source = as_table(original, missing)
        if not source.recoded:
            hidden = release.manifest.hashed if key is None and record is None else ()
            table = table.select([name for name in table.columns if name not in hidden])
            recoded = release.manifest.recode(source, key, hidden)
            source = with_missing_as_text(recoded, release.sensitive)
        prepared = claimed.prepared(source, release.sensitive)
        if record is not None:
            replay = Replay.of_transcript(record, prepared.table, key)
        elif key is not None:
            replay = Replay.of_key(key, prepared.table, claimed.releasing, release.sensitive, id_column)
    return releases.audit_release(
        table,
        release.sensitive,
        claimed,
        original=prepared,
        manifest=release.manifest,
        second=None if second is None else second.table,
        replay=replay,
        level=level,
    )
