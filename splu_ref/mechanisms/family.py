"""The mechanisms by method name, and reading of manifests and releases of any mechanism."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

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
        lacks_cells = any("" in published.values(name) for name in published.columns)
        if not (is_frame and lacks_cells and published.row_count == public.rows):
            raise
        raise DataError(
            f"{error}; if pandas read texts such as n/a in it as missing cells, read the file with "
            "keep_default_na=False"
        ) from None
    second = None if sensitive_table is None else as_table(sensitive_table)
    return with_sensitive_table(published, public, second)
