"""The kinds of claims that can be audited, by name: another kind is a file, and a row here."""

from __future__ import annotations

from splu_ref.audit.claims.anonymity import KAnonymity, LDiversity, TCloseness
from splu_ref.audit.claims.claim import Claim
from splu_ref.audit.claims.concepts import ConceptPrivacy
from splu_ref.audit.claims.entropy import EntropyClaim
from splu_ref.audit.claims.error import CountError
from splu_ref.audit.claims.formula import ThresholdFormula
from splu_ref.audit.claims.privacy import CountPrivacy
from splu_ref.audit.claims.retention import LocalEpsilon, Reconstructible, RhoPrivacy
from splu_ref.audit.claims.tuples import DGammaPrivacy
from splu_ref.audit.claims.utility import CountUtility

KINDS: dict[str, type[Claim]] = {
    kind.kind: kind
    for kind in (
        CountPrivacy, CountUtility, CountError, ConceptPrivacy, ThresholdFormula,
        RhoPrivacy, LocalEpsilon, Reconstructible, DGammaPrivacy, EntropyClaim,
        KAnonymity, LDiversity, TCloseness,
    )
}  # fmt: skip
