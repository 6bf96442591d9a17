"""What Coq's kernel accepts of a claim.

A check of the ledger does not run Coq. It compares the Coq files with those that Coq accepted when the claim
was last affirmed; affirming a claim runs Coq. ``make coq`` compiles all of the files again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from splu_ref.channels.parameters import InputError

from .coq_run import accepted_by
from .evidence import Evidence, EvidenceError, Grade
from .vernacular import LIBRARY, bound_name, fingerprint, instance, source, unproved, with_imports

ACCEPTED_BY = "coq"
"""Where the affirmed fingerprints of a claim say which version of Coq accepted its files."""


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """The part of a claim that is proved in Coq.

    Attributes
    ----------
    theorems
        The theorems, as ``Module.theorem`` in ``proofs/splu_proofs/coq``.
    covers
        What they say, in plain English.
    leaves
        What of the claim they do not say; empty if nothing.
    """

    theorems: tuple[str, ...]
    covers: str
    leaves: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The full names of the theorems."""
        return tuple(f"{LIBRARY}.{theorem}" for theorem in self.theorems)

    @property
    def modules(self) -> tuple[str, ...]:
        """The Coq modules that hold the theorems, after those that they import."""
        return with_imports(dict.fromkeys(theorem.partition(".")[0] for theorem in self.theorems))

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprints of the Coq files.

        Raises
        ------
        InputError
            If a file is missing, does not state its theorem, or leaves something unproved by its words, or if
            a theorem is not applied to numbers.
        """
        self.instances()
        for module in self.modules:
            if word := unproved(module):
                raise InputError(f"{bound_name(module)} says {word}: prove it, or take it out")
        return {bound_name(module): fingerprint(source(module)) for module in self.modules}

    def instances(self) -> tuple[str, ...]:
        """Return the full names of the instances that show that the hypotheses of the theorems can hold.

        Raises
        ------
        InputError
            If a theorem is not stated, or has hypotheses and is not applied to numbers.
        """
        return tuple(f"{LIBRARY}.{found}" for theorem in self.theorems if (found := instance(theorem)))

    def accept(self) -> tuple[Evidence, str]:
        """Have Coq compile the files now; return the evidence and Coq's version."""
        try:
            self.fingerprints()
            version = accepted_by(self.modules, (*self.names, *self.instances()))
        except (EvidenceError, InputError) as error:
            return Evidence("kernel", Grade.KERNEL, False, str(error)), ""
        return self.accepted(version), version

    def accepted(self, version: str) -> Evidence:
        """Return the evidence that this version of Coq accepted the files in this run."""
        return Evidence("kernel", Grade.KERNEL, True, f"{self._said(version)} in this run")

    def recorded(self, affirmed: Mapping[str, str]) -> Evidence:
        """Return the evidence that the affirmed fingerprints of the claim give, without running Coq."""
        version = affirmed.get(ACCEPTED_BY, "")
        try:
            same = all(affirmed.get(name) == value for name, value in self.fingerprints().items())
        except InputError as error:
            return Evidence("kernel", Grade.KERNEL, False, str(error))
        if not version or not same:
            return Evidence("kernel", Grade.KERNEL, False, "these are not the files that Coq accepted")
        return Evidence(
            "kernel",
            Grade.KERNEL,
            True,
            f"{self._said(version)}, as recorded when these files were affirmed; not run here, make coq does",
        )

    def as_json(self) -> dict[str, object]:
        """Return what the kernel accepts as plain values."""
        return {"theorems": list(self.names), "covers": self.covers, "leaves": self.leaves}

    def _said(self, version: str) -> str:
        return f"{', '.join(self.names)}: accepted by Coq {version}, free of axioms"


def accepted_together(kernels: Mapping[str, Kernel]) -> dict[str, Evidence]:
    """Have Coq compile the files of several claims now, each file once; return the evidence by claim.

    If Coq refuses anything, every claim is put to it by itself, so that each is derived its own fault.
    """
    each_theorem = [theorem for kernel in kernels.values() for theorem in kernel.theorems]
    modules = with_imports(dict.fromkeys(theorem.partition(".")[0] for theorem in each_theorem))
    try:
        for kernel in kernels.values():
            kernel.fingerprints()
        names = [name for kernel in kernels.values() for name in (*kernel.names, *kernel.instances())]
        version = accepted_by(modules, names)
    except (EvidenceError, InputError):
        return {claim_id: kernel.accept()[0] for claim_id, kernel in kernels.items()}
    return {claim_id: kernel.accepted(version) for claim_id, kernel in kernels.items()}
