"""What ties a claim to code: fingerprints of its proofs, in Python and in Coq, and of the code it licenses.

Code is found by name and read as text; nothing is imported.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from splu_ref.model import InputError

from .claim import Claim
from .normal_form import fingerprint

MACHINERY = frozenset({"claim", "derivation", "evidence", "kernel", "recheck", "step", "witness"})
"""Modules that check proofs without being part of one."""


def fingerprints(claim: Claim) -> dict[str, str]:
    """Return the fingerprints that bind a claim.

    They cover the module of the claim, the modules of the same package that it imports, directly or not
    (the machinery aside), each name that it licenses, and its Coq files with those that they import.

    Raises
    ------
    InputError
        If one of the names or files does not exist.
    """
    found = {name: resolve(name) for name in (*sorted(_with_imports(claim.module)), *claim.licenses)}
    return found if claim.kernel is None else found | claim.kernel.fingerprints()


@cache
def resolve(name: str) -> str:
    """Return the fingerprint of ``module`` or ``module:name``.

    Raises
    ------
    InputError
        If there is no such module, or it defines no such name.
    """
    module, _, inside = name.partition(":")
    try:
        return fingerprint(source_of(module), inside or None)
    except KeyError:
        raise InputError(f"{module} does not define {inside}: mend the name in the claim") from None


@cache
def source_of(module: str) -> str:
    """Return the text of a module of an installed package."""
    package, *rest = module.split(".")
    found = find_spec(package)
    for root in (found.submodule_search_locations or ()) if found else ():
        path = Path(root, *rest)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate.read_text(encoding="utf-8")
    raise InputError(f"there is no module {module}: mend the name in the claim")


def _is_module(name: str) -> bool:
    try:
        return bool(source_of(name))
    except InputError:
        return False


def _with_imports(module: str) -> set[str]:
    reached = [module]
    for current in reached:  # grows while it is walked
        reached += [each for each in _imported(current) if each not in reached]
    return set(reached)


@cache
def _imported(module: str) -> tuple[str, ...]:
    """Return the modules that ``module`` imports relatively, at its top or inside a function."""
    found = []
    for node in ast.walk(ast.parse(source_of(module))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = module.split(".")[: -node.level]
            origin = ".".join([*base, node.module] if node.module else base)
            inside = [f"{origin}.{alias.name}" for alias in node.names]
            found += [each for each in inside if _is_module(each)] or [origin]
    return tuple(each for each in found if each.rpartition(".")[2] not in MACHINERY)
