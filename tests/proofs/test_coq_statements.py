"""What Coq prints for the theorems and definitions is what was read and compared with the paper.

``coq_statements.txt`` was read line by line. A proof is worth what its statement says, so a theorem or
definition that says something else fails here, even if Coq accepts it and the claim was affirmed again.
"""

import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from splu_proofs import LEDGER, vernacular
from splu_proofs.claim import Claim
from splu_proofs.coq_run import CLOSED, FLAGS, accepted_by, assumptions
from splu_proofs.evidence import EvidenceError
from splu_proofs.kernel import Kernel
from splu_ref.channels.parameters import InputError

PINNED = Path(__file__).with_name("coq_statements.txt")
THEOREMS = list(
    dict.fromkeys(theorem for claim in LEDGER if claim.kernel for theorem in claim.kernel.theorems)
)
MODULES = vernacular.with_imports(sorted({theorem.partition(".")[0] for theorem in THEOREMS}))
DEFINED = [
    f"{module}.{name}"
    for module in MODULES
    for name in re.findall(r"^(?:Definition|Fixpoint) (\w+)", vernacular.source(module), re.MULTILINE)
]
QUESTIONS = """From mathcomp Require Import all_ssreflect all_algebra.
Local Open Scope ring_scope.
Set Printing Width 10000.
Set Printing Depth 10000.
"""
needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="Coq is not installed: see proofs/splu_proofs/coq/README.md"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the Coq files that stands in for them."""
    copy = tmp_path / "coq"
    shutil.copytree(vernacular.COQ, copy, ignore=lambda _, names: [n for n in names if not n.endswith(".v")])
    monkeypatch.setattr(vernacular, "COQ", copy)
    return copy


@needs_coq
@pytest.mark.slow
def test_coq_prints_the_statements_that_were_read_and_none_rests_on_an_axiom(tmp_path: Path) -> None:
    """Compile what `make coq` has not, and ask: a line for each name, then the axioms."""
    folder = tmp_path / "coq"
    shutil.copytree(vernacular.COQ, folder)
    subprocess.run(["make", "-C", folder], check=True, capture_output=True)
    questions = f"From SPLU Require {' '.join(MODULES)}.\n{QUESTIONS}"
    questions += "".join(f"Print SPLU.{name}.\n" for name in DEFINED)
    questions += "".join(f"Check @SPLU.{name}.\n" for name in THEOREMS)
    (folder / "Questions.v").write_text(questions + assumptions([f"SPLU.{name}" for name in THEOREMS]))
    done = subprocess.run(
        ["coqc", *FLAGS, "Questions.v"], cwd=folder, check=True, capture_output=True, text=True
    )
    said = re.sub(r"\n\nArguments .*", "", done.stdout)
    printed = [" ".join(each.split()) for each in re.split(r"\n(?=\S)", said.strip())]
    assert printed == [*PINNED.read_text().splitlines(), CLOSED]


def test_every_theorem_and_definition_is_pinned() -> None:
    pinned = {re.split(r" = | : ", line)[0] for line in PINNED.read_text().splitlines()}
    assert pinned == {*THEOREMS, *DEFINED}
    assert (len(THEOREMS), len(DEFINED)) == (71, 79)


def test_the_pinned_lines_were_printed_for_these_texts() -> None:
    # without Coq: a statement or definition that reads differently has to be printed and read again
    texts = [vernacular.statement(theorem) for theorem in THEOREMS]
    for name in DEFINED:
        module, _, short = name.partition(".")
        found = re.search(
            rf"^(?:Definition|Fixpoint) {short}\b.*?\.$", vernacular.source(module), re.DOTALL | re.MULTILINE
        )
        assert found
        texts.append(found.group())
    digest = sha256("\n".join(" ".join(text.split()) for text in texts).encode()).hexdigest()
    assert digest == "ebb770648f2ee1ddea3b68de5418615b1853da83275d0a03361cb7693c227bb6"


@needs_coq
def test_a_hypothesis_that_cannot_hold_is_refused_by_coq(folder: Path) -> None:
    file = folder / "Sawtooth.v"
    before, _, rest = file.read_text().partition("Theorem sawtooth_above ")
    proof, _, _ = rest.partition("Theorem")
    hollow = proof.replace("(0 < j)%N ->", "(0 < j)%N -> (j < 0)%N ->").replace("j_gt0;", "j_gt0 _;")
    file.write_text(f"{before}Theorem sawtooth_above {hollow}{_instance(rest)}")
    with pytest.raises(EvidenceError, match=r"Coq does not accept splu_proofs/coq/Sawtooth\.v"):
        accepted_by(("Binomial", "Sawtooth"), ["SPLU.Sawtooth.sawtooth_above"])
    file.write_text(f"{before}Theorem sawtooth_above {hollow}")
    accepted_by(("Binomial", "Sawtooth"), ["SPLU.Sawtooth.sawtooth_above"])  # only the instance detects it
    with pytest.raises(InputError, match="has no sawtooth_above_applies that applies sawtooth_above"):
        Kernel(theorems=("Sawtooth.sawtooth_above",), covers="").fingerprints()


def _instance(text: str) -> str:
    start = text.index("Example sawtooth_above_applies")
    return text[start : text.index("Qed.", start) + 4] + "\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Proof. exact: (@sawtooth_above 3 2 1 isT isT). Qed.", "Proof. by rewrite /prob; vm_compute. Qed."),
        (
            "Proof. exact: (@sawtooth_above 3 2 1 isT isT). Qed.",
            "Proof. exact: (@sawtooth_above 3 2 1 no isT). Qed.",
        ),
        ("Example sawtooth_above_applies", "Example sawtooth_above_applied"),
        ("Example sawtooth_above_applies :", "Example sawtooth_above_applies : False ->"),
    ],
)
def test_an_instance_applies_its_theorem(old: str, new: str, folder: Path) -> None:
    file = folder / "Sawtooth.v"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(InputError, match="show that its hypotheses can hold"):
        Kernel(theorems=("Sawtooth.sawtooth_above",), covers="").fingerprints()


@pytest.mark.parametrize(
    "hollow",
    [
        "Proof. Admitted.",
        "Proof. admit. Admitted.",
        "Axiom no : False.",
        "Parameter no : False.",
        "Conjecture no : False.",
        "Variable no : False.",
        "Hypothesis no : False.",
        "Unset Guard Checking.",
        'Local Notation "x <= y" := True.',
    ],
)
def test_files_that_say_that_they_prove_less_are_not_passed_whatever_was_written_by_hand(
    hollow: str, folder: Path
) -> None:
    kernel = Kernel(theorems=("Sawtooth.sawtooth_above",), covers="")
    file = folder / "Sawtooth.v"
    file.write_text(file.read_text() + f"\n{hollow}\n")
    written = {
        vernacular.bound_name(module): vernacular.fingerprint(vernacular.source(module))
        for module in kernel.modules
    }
    evidence = kernel.recorded(written | {"coq": "8.16.1"})
    assert not evidence.holds
    assert "splu_proofs/coq/Sawtooth.v says " in evidence.summary
    file.write_text(file.read_text().replace(hollow, f"(* {hollow} *)"))
    assert kernel.recorded(kernel.fingerprints() | {"coq": "8.16.1"}).holds


def test_what_was_recorded_is_not_said_to_have_been_run() -> None:
    claim: Claim = LEDGER.get("splu.S")
    assert claim.kernel is not None
    reported = claim.kernel.recorded(claim.kernel.fingerprints() | {"coq": "8.16.1"}).summary
    assert "as recorded when these files were affirmed; not run here" in reported
