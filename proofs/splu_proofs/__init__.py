"""The claims ledger: every claim of the source documents, proved, refuted or repaired, and bound to code.

``LEDGER`` is found through the entry point group ``splu_ref.ledger``. ``python -m splu_proofs`` prints it.
"""

from __future__ import annotations

from .ledger import Ledger

LEDGER = Ledger(
    packages=(
        "splu_proofs.splu",
        "splu_proofs.rastogi",
        "splu_proofs.entropy",
        "splu_proofs.chaytor",
        "splu_proofs.olap",
    ),
    printed={
        "splu.T3": "splu_proofs.printed.theorem3:error_bound",
        "splu.L1": "splu_proofs.printed.lemma1:threshold",
        "splu.T4conj": "splu_proofs.printed.reconstruction:lies_between",
        "splu.M1": "splu_proofs.printed.transition:matrix",
        "splu.I": "splu_proofs.printed.iteration:reconstruct",
        "splu.K": "splu_proofs.printed.tensor_iteration:reconstruct_many",
        "olap.B": "splu_proofs.printed.range_share:share",
        "olap.T5e": "splu_proofs.printed.small_sets:largest_relative_prior",
    },
    figures={
        "splu.F4": "splu_proofs.splu.figure4:data",
        "splu.F5": "splu_proofs.splu.figure5:data",
    },
    methods={"printed": "splu_proofs.printed.method:METHOD"},
)
reaffirm = LEDGER.reaffirm

__all__ = ["LEDGER", "Ledger", "reaffirm"]
