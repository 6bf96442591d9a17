"""A publisher's claims, read from a file and decided by exact computation."""

from splu_ref.audit.claims.claim import Claim, ClaimsFile
from splu_ref.audit.claims.concepts import ConceptPrivacy
from splu_ref.audit.claims.privacy import CountPrivacy
from splu_ref.audit.claims.quotes import Ledger
from splu_ref.audit.claims.reading import decide, foresee, read_claims
from splu_ref.audit.claims.utility import CountError, CountUtility, ThresholdFormula
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
