"""The mechanisms by the method that a manifest names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from splu_ref import manifest
from splu_ref.interfaces import Mechanism
from splu_ref.manifest import Facts, Manifest
from splu_ref.mechanisms.distribution_based import DistributionBased
from splu_ref.mechanisms.splu_gen import SpluGen

MECHANISMS: dict[str, Callable[[Facts], Mechanism[object]]] = {
    SpluGen.name: SpluGen.from_facts,
    DistributionBased.name: DistributionBased.from_facts,
}
"""What makes a mechanism of the facts in a manifest. A new mechanism is a row here."""


def read_manifest(path: Path) -> Manifest:
    """Read the manifest at ``path``.

    Raises
    ------
    DataError
        If the file cannot be read, is no manifest, or names a method that is not in `MECHANISMS`.
    """
    return manifest.read_manifest(path, MECHANISMS)
