"""What ties a claim to code: fingerprints of its evidence, of its Coq files, and of the code it speaks of.

Code is found by name and read as text.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from .claim import Claim
from .reach import Place, calls, fingerprint, reached

LIBRARY = "splu_ref"
PROOFS = "splu_proofs"
MACHINERY = "machinery"
"""The key of what checks proofs without being part of one: the modules beside this one."""
USED = "splu_ref, as the evidence uses it"
"""The key of the library's code that the evidence of a claim runs."""
_DIGITS, _SHORT = 32, 16
"""Hexadecimal digits that are kept of a fingerprint, and of one of many: 128 and 64 bits."""


def fingerprints(claim: Claim) -> dict[str, str]:
    """Return the fingerprints that bind a claim, beside those of its evidence: see `evidence_code`.

    They cover what of the library the proofs in the claim's module use; each name that the claim licenses
    with all that this uses; the machinery; and its Coq files with those that they import.

    Raises
    ------
    InputError
        If one of the names or files does not exist.
    """
    found = {name: licensed(name) for name in claim.licenses}
    found |= {USED: used_by(claim.module), MACHINERY: machinery()}
    found = {name: digest[:_DIGITS] for name, digest in found.items()}
    return found if claim.kernel is None else found | claim.kernel.fingerprints()


def evidence_code(claim: Claim) -> list[str]:
    """Return, for each piece of evidence of a claim, its name and a fingerprint of its code.

    The code is the function that was registered, or the part of the statement that can be evaluated, with all
    of the proofs that it uses, directly or not; the claims as such and the machinery are left out.
    """
    module = vars(sys.modules[claim.module])
    parts: list[tuple[str, Place]] = [
        ("statement", (claim.module, next((name for name, value in module.items() if value is part), None)))
        for part in claim.asserts
    ]
    for function in (
        *claim.derivations, *claim.flaws, *claim.refutations, *(check.function for check in claim.checks)
    ):  # fmt: skip
        name, home = function.__name__, function.__module__
        on_top = vars(sys.modules[home]).get(name) is function
        parts.append((name, (home, name if on_top else None)))
    return [f"{name}: {_proof_code(place)[:_SHORT]}" for name, place in parts]


@cache
def _proof_code(place: Place) -> str:
    """Return the fingerprint of what a name of a module of proofs reaches in modules of proofs."""
    found = [
        (module, name)
        for module, names in reached([place], (PROOFS,)).items()
        if not _is_machinery(module)
        for name in names
        if name is None or not calls(module, name, Claim.__name__)
    ]
    return fingerprint(found, (), alone=True)


@cache
def licensed(name: str) -> str:
    """Return the fingerprint of ``module`` or ``module:name`` and of all that it uses of the library.

    Raises
    ------
    InputError
        If there is no such module, or it defines no such name.
    """
    module, _, inside = name.partition(":")
    return fingerprint([(module, inside or None)], (LIBRARY,))


@cache
def used_by(module: str) -> str:
    """Return the fingerprint of what the proofs in ``module`` use of the library."""
    own = [name for name in reached([(module, None)], (PROOFS,)) if not _is_machinery(name)]
    parts = reached([(module, None)], (PROOFS, LIBRARY))
    places = [(name, each) for name in parts if name not in own for each in parts[name]]
    return fingerprint([place for place in places if place[0].partition(".")[0] == LIBRARY], (LIBRARY,))


@cache
def machinery() -> str:
    """Return the fingerprint of the modules that check proofs."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return fingerprint([(f"{PROOFS}.{file.stem}", None) for file in files if file.stem[0] != "_"], ())


def _is_machinery(name: str) -> bool:
    return name.count(".") < 2
