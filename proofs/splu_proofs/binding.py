"""What ties a claim to code: fingerprints of its proofs, in Python and in Coq, and of the code it speaks of.

Code is found by name and read as text; nothing is imported.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .claim import Claim
from .reach import fingerprint, reached

LIBRARY = "splu_ref"
PROOFS = "splu_proofs"
MACHINERY = "machinery"
"""The key of what checks proofs without being part of one: the modules beside this one."""
USED = "splu_ref, as the evidence uses it"
"""The key of the library's code that the evidence of a claim runs."""
_DIGITS = 32
"""Hexadecimal digits that are kept of a fingerprint: 128 bits."""


def fingerprints(claim: Claim) -> dict[str, str]:
    """Return the fingerprints that bind a claim.

    They cover the module of the claim and what of other proofs it uses, directly or not; what of the library
    the evidence uses; each name that the claim licenses with all that this uses; the machinery; and its Coq
    files with those that they import.

    Raises
    ------
    InputError
        If one of the names or files does not exist.
    """
    found = proofs_of(claim.module)
    found |= {name: licensed(name) for name in claim.licenses}
    found |= {USED: used_by(claim.module), MACHINERY: machinery()}
    found = {name: digest[:_DIGITS] for name, digest in found.items()}
    return found if claim.kernel is None else found | claim.kernel.fingerprints()


def proofs_of(module: str) -> dict[str, str]:
    """Return the fingerprints of a module of proofs and of what it uses of others, the machinery aside."""
    parts = reached([(module, None)], (PROOFS,))
    return {
        name: fingerprint([(name, each) for each in parts[name]], ())
        for name in sorted(parts)
        if not _is_machinery(name)
    }


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
