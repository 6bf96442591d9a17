"""The claims ledger, loaded through an entry point: no file of this package imports the proofs."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from splu_ref.channels import InputError

GROUP = "splu_ref.ledger"
LEDGER = "splu_proofs:LEDGER"
"""What the entry point names; another one, of whatever package, is not the ledger."""


def load_ledger() -> Any:
    """Return the installed ledger."""
    for entry in entry_points(group=GROUP):
        if entry.value == LEDGER:
            return entry.load()
    raise InputError("no claims ledger is installed: install splu-ref again, with its package splu_proofs")
