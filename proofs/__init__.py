"""The claims ledger: every claim of the source documents, proved, refuted or repaired, and bound to code.

``LEDGER`` is found through the entry point group ``splu_ref.ledger``. ``python -m proofs`` prints it.
"""

from __future__ import annotations

from .ledger import Ledger

LEDGER = Ledger(
    packages=("proofs.splu",),
    printed={
        "splu.T3": "proofs.printed.theorem3:error_bound",
        "splu.L1": "proofs.printed.lemma1:threshold",
        "splu.T4conj": "proofs.printed.reconstruction:lies_between",
        "splu.M1": "proofs.printed.transition:matrix",
        "splu.I": "proofs.printed.iteration:reconstruct",
        "splu.K": "proofs.printed.tensor_iteration:reconstruct_many",
    },
    figures={
        "splu.F4": "proofs.splu.figure4:data",
        "splu.F5": "proofs.splu.figure5:data",
    },
)
reaffirm = LEDGER.reaffirm

__all__ = ["LEDGER", "Ledger", "reaffirm"]
