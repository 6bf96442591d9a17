"""Have Coq compile proofs and report what they rest on."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from .evidence import EvidenceError
from .vernacular import LIBRARY, bound_name, source

INSTALL = (
    "Coq is not installed: apt-get install coq libcoq-mathcomp-ssreflect libcoq-mathcomp-algebra "
    "libcoq-mathcomp-algebra-tactics libcoq-mathcomp-zify"
)
FLAGS = ("-q", "-w", "-notation-overridden,-ambiguous-paths", "-Q", ".", LIBRARY)
CLOSED = "Closed under the global context"


def accepted_by(modules: Sequence[str], theorems: Sequence[str]) -> str:
    """Compile Coq modules from their sources, in this order, and ask what the theorems rest on.

    Parameters
    ----------
    modules
        Modules of ``proofs/splu_proofs/coq``, imports first.
    theorems
        Full names of theorems in them.

    Returns
    -------
    str
        The version of Coq, once it has accepted every file and no theorem rests on an axiom.

    Raises
    ------
    EvidenceError
        If Coq is not installed, refuses a file, or finds a theorem missing or resting on an axiom.
    """
    said, version = answers(modules, assumptions(theorems))
    if said.splitlines() != [CLOSED]:
        raise EvidenceError(f"a theorem rests on more than Coq's logic: {'; '.join(said.splitlines())}")
    return version


def assumptions(theorems: Sequence[str]) -> str:
    """Return the question what theorems rest on, all together: one for each takes many times as long."""
    named = ", ".join(f"@{theorem}" for theorem in theorems)
    return f"Definition theorems := ({named}).\nPrint Assumptions theorems."


def answers(modules: Sequence[str], questions: str) -> tuple[str, str]:
    """Compile Coq modules from their sources, in this order, and put questions to Coq.

    Parameters
    ----------
    modules
        Modules of ``proofs/splu_proofs/coq``, imports first.
    questions
        Vernacular, with full names; what the modules define is loaded and not imported.

    Returns
    -------
    tuple of str
        What Coq answers, and its version.

    Raises
    ------
    EvidenceError
        If Coq is not installed, or refuses a file or a question.
    """
    coqc = which("coqc")
    if coqc is None:
        raise EvidenceError(INSTALL)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for module in modules:
            (folder / f"{module}.v").write_text(source(module), encoding="utf-8")
            _output([coqc, *FLAGS, f"{module}.v"], folder, bound_name(module))
        text = f"From {LIBRARY} Require {' '.join(modules)}.\n{questions}\n"
        (folder / "Questions.v").write_text(text, encoding="utf-8")
        said = _output([coqc, *FLAGS, "Questions.v"], folder, "the names of the theorems")
        version = _output([coqc, "--print-version"], folder, "the question for its version").split()[0]
    return said, version


def _output(command: Sequence[str], folder: Path, shown: str) -> str:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        raise EvidenceError(f"Coq does not accept {shown}: {' '.join(done.stderr.split())}")
    return done.stdout
