"""Audits of releases: whether a table is one that its mechanism could and would have published."""

from splu_ref.audit.releases.audit import LEVEL, AnyClaim, audit_release, claim_of
from splu_ref.audit.releases.claimed_by_column import ClaimedByColumn
from splu_ref.audit.releases.claimed_groups import ClaimedGroups, ExcludedGroups
from splu_ref.audit.releases.claimed_operator import ClaimedOperator
from splu_ref.audit.releases.claimed_parts import ClaimedParts
from splu_ref.audit.releases.claimed_replacement import ClaimedReplacement
from splu_ref.audit.releases.claimed_swapping import ClaimedSwapping, ExcludedSwapping
from splu_ref.audit.releases.claimed_tuples import ClaimedTuples, ExcludedTuples
from splu_ref.audit.releases.excluded import Excluded
from splu_ref.audit.releases.excluded_cells import ExcludedCells
from splu_ref.audit.releases.findings import Check, Claimed, NotChecked, Noticed, ReleaseAudit, Reuse
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.replay import Replay
from splu_ref.audit.releases.second import compare_releases
from splu_ref.audit.releases.words import MEANING, NOT_SHOWN

__all__ = [
    "LEVEL",
    "MEANING",
    "NOT_SHOWN",
    "AnyClaim",
    "Check",
    "Claimed",
    "ClaimedByColumn",
    "ClaimedGroups",
    "ClaimedOperator",
    "ClaimedParts",
    "ClaimedReplacement",
    "ClaimedSwapping",
    "ClaimedTuples",
    "Excluded",
    "ExcludedCells",
    "ExcludedGroups",
    "ExcludedSwapping",
    "ExcludedTuples",
    "NotChecked",
    "Noticed",
    "Original",
    "ReleaseAudit",
    "Replay",
    "Reuse",
    "audit_release",
    "claim_of",
    "compare_releases",
]
