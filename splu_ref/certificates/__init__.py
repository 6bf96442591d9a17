"""Promises about published data as integers in a JSON file, to be checked by arithmetic alone.

The format is specified in ``docs/specification/certificates.md``; `splu_ref.certificate_checker` checks it.
"""

from splu_ref.certificates.claims import error_certificate, privacy_certificate, threshold_certificate
from splu_ref.certificates.concepts import concept_certificate
from splu_ref.certificates.draws import drawn_threshold_certificate, rare_privacy_certificate
from splu_ref.certificates.form import certificate_text, claim_words, write_certificate
from splu_ref.certificates.limits import (
    refuse_uncertifiable_error,
    refuse_uncertifiable_privacy,
    refuse_uncertifiable_threshold,
)
from splu_ref.certificates.operators import operator_certificate
from splu_ref.certificates.replacement import breach_certificate, sample_size_certificate
from splu_ref.certificates.tuples import d_gamma_certificate

__all__ = [
    "breach_certificate",
    "certificate_text",
    "claim_words",
    "concept_certificate",
    "d_gamma_certificate",
    "drawn_threshold_certificate",
    "error_certificate",
    "operator_certificate",
    "privacy_certificate",
    "rare_privacy_certificate",
    "refuse_uncertifiable_error",
    "refuse_uncertifiable_privacy",
    "refuse_uncertifiable_threshold",
    "sample_size_certificate",
    "threshold_certificate",
    "write_certificate",
]
