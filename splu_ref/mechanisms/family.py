"""The mechanisms by method name, and reading of manifests and releases of any mechanism."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import narwhals as nw

from splu_ref.channels import DataError
from splu_ref.data import Microdata, TableInput, as_table
from splu_ref.mechanisms import manifest
from splu_ref.mechanisms.alpha_beta import AlphaBeta
from splu_ref.mechanisms.distribution_based import DistributionBased
from splu_ref.mechanisms.interfaces import Mechanism
from splu_ref.mechanisms.laplace import LaplaceCounts
from splu_ref.mechanisms.manifest import Facts, Manifest
from splu_ref.mechanisms.operator import Operator
from splu_ref.mechanisms.perturbed_generalization import PerturbedGeneralization
from splu_ref.mechanisms.release import PublishedTable
from splu_ref.mechanisms.retention_replacement import RetentionReplacement
from splu_ref.mechanisms.small_domains import SmallDomainRandomization
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn
from splu_ref.mechanisms.swapping import Swapping
from splu_ref.mechanisms.two_tables import Anatomy, with_sensitive_table

MECHANISMS: dict[str, Callable[[Facts], Mechanism[object]]] = {
    SpluGen.name: SpluGen.from_facts,
    SpluGenByColumn.name: SpluGenByColumn.from_facts,
    Anatomy.name: Anatomy.from_facts,
    DistributionBased.name: DistributionBased.from_facts,
    LaplaceCounts.name: LaplaceCounts.from_facts,
    RetentionReplacement.name: RetentionReplacement.from_facts,
    Swapping.name: Swapping.from_facts,
    AlphaBeta.name: AlphaBeta.from_facts,
    Operator.name: Operator.from_facts,
    SmallDomainRandomization.name: SmallDomainRandomization.from_facts,
    PerturbedGeneralization.name: PerturbedGeneralization.from_facts,
}
"""Constructors of the mechanisms from the fields of a manifest. A new mechanism is a row here."""


def read_manifest(path: Path) -> Manifest:
    """Read the manifest at ``path``.

    Raises
    ------
    DataError
        If the file cannot be read, is no manifest, or names a method that is not in `MECHANISMS`.
    """
    return manifest.read_manifest(path, MECHANISMS)


def read_release(
    table: TableInput,
    manifest: Manifest | str | os.PathLike[str],
    sensitive_table: TableInput | None = None,
) -> PublishedTable:
    """Read a published table and its manifest.

    Parameters
    ----------
    table
        The published table: the path of a file, a data frame or a table.
    manifest
        Its manifest, or the path of the manifest.
    sensitive_table
        Anatomy's sensitive table; None for other releases.

    Returns
    -------
    PublishedTable
        The release, for estimates.

    Raises
    ------
    DataError
        If a file cannot be read, the manifest belongs to another table, or Anatomy's sensitive table is
        missing.
    ParameterError
        If a sensitive table is given for a release of one table.
    """
    public = manifest if isinstance(manifest, Manifest) else read_manifest(Path(manifest))
    published = as_table(table, empty=isinstance(public.mechanism, AlphaBeta))
    try:
        public.require(published)
    except DataError as error:
        is_frame = not isinstance(table, str | os.PathLike | Microdata)
        advice = _reading_advice(published) if is_frame and published.row_count == public.rows else None
        if advice is None:
            raise
        raise DataError(f"{error}; {advice}") from None
    second = None if sensitive_table is None else as_table(sensitive_table)
    return with_sensitive_table(published, public, second)


_AS_TEXT = {"pandas": "with dtype=str and keep_default_na=False", "polars": "with infer_schema=False"}
"""The arguments by which each library reads the cells of a file as they are."""
_NAMED = 3
"""Largest number of columns that an error lists."""


def _reading_advice(table: Microdata) -> str | None:
    """Return how to read the file of a frame whose cells may have changed as it was read, or None."""
    frame = nw.from_native(table.to_frame(), eager_only=True)
    library = frame.implementation.value
    typed = [name for name, kind in frame.schema.items() if kind not in (nw.String, nw.Categorical, nw.Enum)]
    typed.sort(key=lambda name: frame.schema[name].is_integer())  # which loses nothing but leading zeros
    if typed:
        more = f" and {len(typed) - _NAMED} more" if len(typed) > _NAMED else ""
        columns = (
            f"{', '.join(map(repr, typed[:_NAMED]))}{more} {'is' if len(typed) == 1 else 'are'} not text"
        )
        change = f"changed cells such as 2.10 or 007 as it read the file ({columns})"
    elif library == "pandas" and any("" in table.values(name) for name in table.columns):
        change = "read texts such as n/a as missing cells"
    else:
        return None
    remedy = f"read it {_AS_TEXT[library]}, or give its path" if library in _AS_TEXT else "give its path"
    return f"if {library} {change}, {remedy}"
