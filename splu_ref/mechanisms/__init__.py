"""Mechanisms: from an original table to a published one."""

from __future__ import annotations

from splu_ref.mechanisms.alpha_beta import AlphaBeta
from splu_ref.mechanisms.batches import JoinedRelease, append
from splu_ref.mechanisms.distribution_based import DistributionBased
from splu_ref.mechanisms.family import MECHANISMS, read_manifest, read_release
from splu_ref.mechanisms.laplace import LN_2, LN_3, Budget, LaplaceCounts
from splu_ref.mechanisms.median_groups import number_columns
from splu_ref.mechanisms.operator import Operator
from splu_ref.mechanisms.perturbed_generalization import PerturbedGeneralization
from splu_ref.mechanisms.published_groups import (
    published_groups,
    require_sensitive_table,
    with_sensitive_table,
)
from splu_ref.mechanisms.release import (
    ColumnRelease,
    ColumnsRelease,
    CountedRelease,
    Frequencies,
    PublishedTable,
    RecordMechanism,
    Release,
    RowMechanism,
)
from splu_ref.mechanisms.retention_replacement import (
    RetentionReplacement,
    from_local_privacy,
    from_other_values,
)
from splu_ref.mechanisms.small_domains import SmallDomainRandomization
from splu_ref.mechanisms.splu_gen import PlaceOrder, SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn, SpluGens, splu_gen_of
from splu_ref.mechanisms.swapping import Swapping
from splu_ref.mechanisms.transcribing import ordered_digest, transcribed
from splu_ref.mechanisms.transcript import Transcript, read_transcript
from splu_ref.mechanisms.two_tables import Anatomy, PublishedTwoTables, TwoTables, TwoTablesRelease

__all__ = [
    "LN_2",
    "LN_3",
    "MECHANISMS",
    "AlphaBeta",
    "Anatomy",
    "Budget",
    "ColumnRelease",
    "ColumnsRelease",
    "CountedRelease",
    "DistributionBased",
    "Frequencies",
    "JoinedRelease",
    "LaplaceCounts",
    "Operator",
    "PerturbedGeneralization",
    "PlaceOrder",
    "PublishedTable",
    "PublishedTwoTables",
    "RecordMechanism",
    "Release",
    "RetentionReplacement",
    "RowMechanism",
    "SmallDomainRandomization",
    "SpluGen",
    "SpluGenByColumn",
    "SpluGens",
    "Swapping",
    "Transcript",
    "TwoTables",
    "TwoTablesRelease",
    "append",
    "from_local_privacy",
    "from_other_values",
    "number_columns",
    "ordered_digest",
    "published_groups",
    "read_manifest",
    "read_release",
    "read_transcript",
    "require_sensitive_table",
    "splu_gen_of",
    "transcribed",
    "with_sensitive_table",
]
