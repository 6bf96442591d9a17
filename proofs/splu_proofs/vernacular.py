"""The Coq files as text: their normal form, what they import, and the theorems that they state.

Nothing here runs Coq. The normal form leaves out comments and reduces layout to single spaces, so that two
files with the same normal form are the same to Coq.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from splu_ref.channels.parameters import InputError

COQ = Path(__file__).with_name("coq")
LIBRARY = "SPLU"
"""The logical name of the folder."""

_SPACE = " \t\r\n"
"""What is layout to Coq."""
_PIECES = re.compile(r'\(\*|\*\)|"(?:[^"]|"")*"|[ \t\r\n]+|[^ \t\r\n("*]+|.', re.DOTALL)
_IMPORTED = re.compile(rf"From {LIBRARY} Require (?:Import |Export )?([^.]+)\.")
_THEOREM = r"(?:Theorem|Corollary|Lemma) {}\b.*?\.(?=\s)"
_INSTANCE = (
    r"Example {0}_applies : (.+?) Proof\. exact: \(@{0}"
    r"((?: (?:\d+(?:%:R(?:\^-1)?)?|\(fun [^()]*\)|[a-z]\w*))+)\)\. Qed\."
)
"""An application to numbers, functions, and what the files define or prove."""
_STATED = re.compile(r"\b(?:Definition|Lemma) (\w+)")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_UNPROVED = re.compile(
    r"\b(?:Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Hypothes[ie]s|Variables?|Context|Primitive|"
    r"Declare|Load|Unset Guard Checking|Unset Positivity Checking|Unset Universe Checking|bypass_check|"
    r"Notation|Infix)\b"
)
"""Words with which a file can state what it does not prove, or make a statement read as another one."""


def bound_name(module: str) -> str:
    """Return the name under which a Coq module is bound to a claim."""
    return f"splu_proofs/coq/{module}.v"


def source(module: str) -> str:
    """Return the text of a Coq module.

    Raises
    ------
    InputError
        If there is no such file.
    """
    path = COQ / f"{module}.v"
    if not path.is_file():
        raise InputError(f"there is no file {bound_name(module)}: restore it, or mend the name in the claim")
    return path.read_text(encoding="utf-8")


def fingerprint(text: str) -> str:
    """Return the SHA-256, in hexadecimal, of the normal form of a Coq source."""
    return sha256(_normal_form(text).encode("utf-8")).hexdigest()


def with_imports(modules: Iterable[str]) -> tuple[str, ...]:
    """Return Coq modules and those of this folder that they import, directly or not, imports first."""
    ordered: list[str] = []
    entered: set[str] = set()

    def enter(module: str) -> None:
        if module not in entered:
            entered.add(module)
            for imports in _IMPORTED.findall(_normal_form(source(module))):
                for each in imports.split():
                    enter(each)
            ordered.append(module)

    for module in modules:
        enter(module)
    return tuple(ordered)


def statement(theorem: str) -> str:
    """Return the statement of ``Module.theorem`` as written, comments left out.

    Raises
    ------
    InputError
        If the module does not state it.
    """
    module, _, name = theorem.partition(".")
    found = re.search(_THEOREM.format(re.escape(name)), _without_comments(source(module)), re.DOTALL)
    if found is None:
        raise InputError(f"{bound_name(module)} states no theorem {name}: mend the name in the claim")
    return found.group()


def instance(theorem: str) -> str | None:
    """Return the name of the instance of a theorem that has hypotheses, None for one that has none.

    The instance applies the theorem to numbers: a theorem with a hypothesis that nothing satisfies has none.

    Raises
    ------
    InputError
        If there ought to be an instance, and there is none that applies the theorem.
    """
    module, _, name = theorem.partition(".")
    if not _has_hypotheses(statement(theorem).partition(name)[2]):
        return None
    found = re.search(_INSTANCE.format(re.escape(name)), _normal_form(source(module)).replace("\n", " "))
    if found is None or _has_hypotheses(found[1]) or not _are_stated(found[2], module):
        raise InputError(
            f"{bound_name(module)} has no {name}_applies that applies {name} to numbers: show that its "
            "hypotheses can hold"
        )
    return f"{module}.{name}_applies"


def _has_hypotheses(statement: str) -> bool:
    depth, flat = 0, ""
    for character in statement:
        depth += _BRACKETS.get(character, 0)
        flat += character * (depth == 0)
    return "->" in flat


def _are_stated(arguments: str, module: str) -> bool:
    """Whether the module, or one that it imports, defines or proves every name among the arguments."""
    names = set(re.findall(r" ([a-z]\w*)", re.sub(r"\(.*?\)", "", arguments))) - {"isT"}
    return names <= {name for each in with_imports([module]) for name in _stated(source(each))}


def unproved(module: str) -> str:
    """Return the first word of a Coq module that can hide a gap, empty if there is none.

    It finds gaps without running Coq, by their words; Coq itself reports what each theorem rests on.
    """
    found = _UNPROVED.search(_without_comments(source(module)))
    return found.group() if found else ""


@lru_cache(maxsize=64)
def _stated(text: str) -> frozenset[str]:
    """Return the names that a file defines or proves."""
    return frozenset(_STATED.findall(_without_comments(text)))


@lru_cache(maxsize=64)
def _normal_form(text: str) -> str:
    pieces = _PIECES.findall(_without_comments(text))
    return "".join(piece if piece.strip(_SPACE) else " " for piece in pieces).strip(_SPACE)


@lru_cache(maxsize=64)
def _without_comments(text: str) -> str:
    """Return ``text`` with every comment replaced by a space; comments nest, and strings shield them."""
    kept: list[str] = []
    depth = 0
    for piece in _PIECES.findall(text):
        if piece == "(*":
            depth += 1
        elif piece == "*)" and depth:
            depth -= 1
            kept.append(" " * (depth == 0))
        elif not depth:
            kept.append(piece)
    return "".join(kept)
