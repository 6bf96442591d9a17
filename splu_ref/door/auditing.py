"""Whether a release is one that its mechanism could and would have made."""

from __future__ import annotations

import os

from narwhals.typing import IntoDataFrame

from splu_ref.audit import releases
from splu_ref.audit.releases import Claimed, Original, ReleaseAudit
from splu_ref.mechanisms import PublishedTable, SpluGen
from splu_ref.microdata import Microdata, as_table
from splu_ref.model import Exact


def audit_release(
    release: PublishedTable,
    original: Microdata | IntoDataFrame | str | os.PathLike[str] | None = None,
    *,
    second: PublishedTable | None = None,
    missing: str | None = None,
    level: Exact = releases.LEVEL,
) -> ReleaseAudit:
    """Hold a release by SPLU-Gen against its manifest and, if given, its original.

    Parameters
    ----------
    release
        The published table with its manifest.
    original
        The original table: a data frame, the path of a file, or a table.
    second
        Another release of the same table: a release with draws of its own is an inconsistency.
    missing
        Text that missing cells of the original were published as.
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
        If the release is by another mechanism, or the original cannot be read.
    """
    mechanism = SpluGen.of(release.manifest)
    prepared = None
    if original is not None:
        prepared = Original(as_table(original, missing), release.sensitive)
    return releases.audit_release(
        release.table,
        release.sensitive,
        Claimed(mechanism.count_law, mechanism.plan),
        original=prepared,
        manifest=release.manifest,
        second=None if second is None else second.table,
        level=level,
    )
