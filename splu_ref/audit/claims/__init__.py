"""A publisher's claims, read from a file and each confirmed, narrowed or refuted by exact computation."""

from splu_ref.audit.claims.claim import (
    Claim,
    ClaimsFile,
    ConceptPrivacy,
    CountError,
    CountPrivacy,
    CountUtility,
    ThresholdFormula,
)
from splu_ref.audit.claims.deciding import decide, foresee
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.reading import read_claims
from splu_ref.audit.claims.verdict import Finding, Proof, Quote, Verdict

__all__ = [
    "Claim",
    "ClaimsFile",
    "ConceptPrivacy",
    "CountError",
    "CountPrivacy",
    "CountUtility",
    "Finding",
    "Ledger",
    "Proof",
    "Quote",
    "ThresholdFormula",
    "Verdict",
    "decide",
    "foresee",
    "read_claims",
]
