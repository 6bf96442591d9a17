"""Audits of releases: whether a table is one that its mechanism could and would have published."""

from splu_ref.audit.releases.audit import LEVEL, AnyClaim, audit_release, claim_of
from splu_ref.audit.releases.cell_claims import OperatorClaim, ReplacementClaim, SmallDomainsClaim
from splu_ref.audit.releases.claims import (
    AlphaBetaClaim,
    GeneralizationClaim,
    SpluGenByColumnClaim,
    SpluGenClaim,
    SwappingClaim,
)
from splu_ref.audit.releases.detection_power import DetectionPower
from splu_ref.audit.releases.findings import Check, NotChecked, ReleaseAudit, Reuse
from splu_ref.audit.releases.messages import MEANING, NOT_SHOWN
from splu_ref.audit.releases.re_release import compare_releases
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.audit.releases.replay import Replay

__all__ = [
    "LEVEL",
    "MEANING",
    "NOT_SHOWN",
    "AlphaBetaClaim",
    "AnyClaim",
    "Check",
    "DetectionPower",
    "GeneralizationClaim",
    "NotChecked",
    "OperatorClaim",
    "Original",
    "ReleaseAudit",
    "ReplacementClaim",
    "Replay",
    "Reuse",
    "SmallDomainsClaim",
    "SpluGenByColumnClaim",
    "SpluGenClaim",
    "SwappingClaim",
    "audit_release",
    "claim_of",
    "compare_releases",
]
