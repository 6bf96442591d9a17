"""What ties a claim to code: fingerprints of its evidence, of its Coq files, and of the code it speaks of.

Code is found by name and read as text.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path

from splu_ref.channels.parameters import InputError

from .claim import Claim
from .normal_form import normal_form
from .reach import Place, fingerprint, imported, reached, source_of, text_of, texts, without_calls

LIBRARY = "splu_ref"
PROOFS = "splu_proofs"
MACHINERY = "machinery"
"""The key of what checks proofs without being part of one: the modules beside this one."""
USED = "splu_ref, as the evidence uses it"
"""The key of the library's code that the evidence of a claim runs."""
_REPORTING = ("splu_ref.cli.claims", "splu_ref.cli.ledger", "splu_ref.report.stages.ledger")
"""What affirms claims or reports of them in the library."""
_DESCRIBING = frozenset({"Claim", "Kernel"})
"""What is called by statements that only describe claims, which are recorded as text."""
_FOLDERS = frozenset(
    {
        "benchmarks", "build", "docs", "env", "experiments", "proofs", "property_tests", "report", "splu_ref",
        "tests", "venv",
    }
)  # fmt: skip
"""Folders of a checkout that may hold modules, and those that tools write."""
_IMPORTED = (".py", ".pyc", ".so", ".pyd", ".zip")
"""How the names of files end that Python may import."""
_MAKEFILES = ("GNUmakefile", "makefile")
"""What make prefers to a Makefile."""
_DIGITS, _SHORT = 32, 32
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
    """Return the fingerprints of the code of a claim's evidence, by name.

    One is of the claim's module and all modules of proofs that it imports, without the claims as such and the
    machinery. The others say where a change is: each piece of evidence with what it uses of these modules.
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
    homes = {home for _, (home, _) in parts} - {claim.module}
    modules = evidence_modules(claim.module, *homes)
    return [
        f"its modules: {together(modules)}",
        *(f"{name}: {_proof_code(place)[:_SHORT]}" for name, place in parts),
    ]


@cache
def evidence_modules(module: str, *homes: str) -> tuple[str, ...]:
    """Return a module of proofs, and in their order all that it and ``homes`` import, the machinery aside."""
    found = {each for home in (module, *homes) for each in imported(home, PROOFS)}
    return module, *sorted(each for each in found - {module} if not _is_machinery(each))


@cache
def together(modules: tuple[str, ...]) -> str:
    """Return the fingerprint of whole modules with their docstrings, what only describes claims aside."""
    return _digest(
        line for each in modules for line in [each, without_calls(each, _DESCRIBING), *texts(each)]
    )


@cache
def as_written(modules: tuple[str, ...]) -> str:
    """Return the fingerprint of the texts of whole modules, comments and all."""
    return _digest(line for each in modules for line in (each, source_of(each)))


def _digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:_SHORT]


@cache
def _proof_code(place: Place) -> str:
    """Return the fingerprint of what a name of a module of proofs uses of modules of proofs."""
    digest = sha256()
    for module, names in sorted(reached([place], (PROOFS,)).items()):
        if not _is_machinery(module):
            digest.update(f"{module}\n{without_calls(module, _DESCRIBING, names)}\n".encode())
    return digest.hexdigest()


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
    """Return the fingerprint of what checks proofs: the modules beside this one, the command, and its data.

    What the library runs whenever a module of one of its folders is imported belongs to it.

    Raises
    ------
    InputError
        If something else could be imported from the checkout.
    """
    folder, library = Path(__file__).resolve().parent, Path(str(resources.files(LIBRARY)))
    folders = sorted(folder.glob("*/__init__.py"))
    require_known_files()
    modules = [f"{PROOFS}.{file.stem}" for file in sorted(folder.glob("*.py")) if file.stem != "__init__"]
    judging = (PROOFS, *modules, *_REPORTING)
    code = [
        fingerprint([(name, None) for name in judging], ()),
        *(line for name in judging for line in texts(name)),
    ]
    code += [
        f"{file.parent.name}: {normal_form(ast.parse(text_of(file)).body)}"
        for file in (*folders, *sorted(library.rglob("__init__.py")))
    ]
    files = (
        library / "data" / "adult_demo.csv.gz",
        folder / "coq" / "Makefile",
        folder / "coq" / "Assumptions.v",
    )
    digests = [sha256(file.read_bytes()).hexdigest() for file in files]
    return sha256("\n".join([*code, *digests]).encode()).hexdigest()


def require_known_files() -> None:
    """Raise an error if something else could be imported from the checkout, such as a stub or a library."""
    folder = Path(__file__).resolve().parent
    unread = (each for each in folder.rglob("*") if each.suffix == ".pyi" or each.name in _MAKEFILES)
    if foreign := [*unread, *_beside(folder)]:
        raise InputError(f"what is imported stands in known folders: remove {', '.join(map(str, foreign))}")


def _beside(folder: Path) -> list[Path]:
    """Return what of a checkout could be imported beside its own packages."""
    proofs, root = folder.parent, folder.parents[1]
    if proofs.name != "proofs":
        return []  # an installed package
    return [
        *(each for each in proofs.iterdir() if each != folder and each.name != "__pycache__"),
        *(each for each in root.iterdir() if each.suffix in (*_IMPORTED, ".dist-info", ".egg-info")),
        *(each for each in root.iterdir() if each.name.isidentifier() and each.name not in _FOLDERS
          if each.is_symlink() or any(inside.suffix in _IMPORTED for inside in each.rglob("*"))),
    ]  # fmt: skip


def _is_machinery(name: str) -> bool:
    return name.count(".") < 2
