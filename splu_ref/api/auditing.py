"""Audits of releases: whether a release was made by its claimed mechanism."""

from __future__ import annotations

import os

from splu_ref.audit import ReleaseAudit, claim_of, comparable, releases, replay_of, require_replayable
from splu_ref.channels import Exact
from splu_ref.data import Microdata, TableInput, as_table
from splu_ref.mechanisms import PublishedTable, Transcript, read_transcript
from splu_ref.randomness import Key


def audit_release(
    release: PublishedTable,
    original: TableInput | None = None,
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
        The column that identified a record under the key; by default that of the manifest. A transcript
        records it.
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
    manifest, prepared, replay, table = release.manifest, None, None, release.table
    id_column = require_replayable(record, key, id_column, missing, manifest, original=original is not None)
    if original is not None:
        if missing is None and not isinstance(original, Microdata):
            missing = manifest.missing if record is None else record.missing
        hidden = manifest.hashed if key is None and record is None else ()
        table, prepared = comparable(
            table, as_table(original, missing), release.sensitive, claimed, manifest=manifest, key=key,
            hidden=hidden, id_column=id_column,
        )  # fmt: skip
        replay = replay_of(claimed, prepared, record, key, id_column)
    return releases.audit_release(
        table,
        release.sensitive,
        claimed,
        original=prepared,
        manifest=manifest,
        second=None if second is None else second.table,
        replay=replay,
        level=level,
    )
