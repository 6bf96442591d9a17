"""Claims proved in Coq are bound to their Coq files, and affirmed only by Coq itself."""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from splu_proofs import LEDGER, vernacular
from splu_proofs.affirmation import ACCEPTED_ON, affirm, affirmed, outdated
from splu_proofs.binding import fingerprints
from splu_proofs.claim import Claim, Status
from splu_proofs.coq_run import INSTALL, accepted_by
from splu_proofs.evidence import EvidenceError, Grade
from splu_proofs.kernel import ACCEPTED_BY, Kernel
from splu_proofs.ledger import COQ, Ledger, Result, in_turn
from splu_proofs.self_check import TRUE_CHECK
from splu_ref.channels.parameters import InputError

PROVED = [claim for claim in LEDGER if claim.kernel is not None]
GRADED = [
    f"splu.{name}"
    for name in (
        "DOMc", "POST", "POSTp", "KEEP", "B", "T2", "T3", "T3c", "L1c", "S", "L2", "T4", "M1", "M1c",
        "PB", "L3", "L4",
    )
]  # fmt: skip
SAMPLE = """(* A file (* with a nested comment *) and "a string *)" in it. *)
From SPLU Require Import Base.

Theorem one : 1 + 0 = 1. (* trivial *)
Proof. by rewrite  addn0.
Qed.
Definition quoted := "(* kept  as it is *)".
"""
_NORMAL_FORM = cache(vernacular._normal_form)
needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="Coq is not installed: see proofs/splu_proofs/coq/README.md"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the Coq files that stands in for them; normal forms are computed once a text."""
    monkeypatch.setattr(vernacular, "_normal_form", _NORMAL_FORM)
    copy = tmp_path / "coq"
    shutil.copytree(vernacular.COQ, copy, ignore=lambda _, names: [n for n in names if not n.endswith(".v")])
    monkeypatch.setattr(vernacular, "COQ", copy)
    return copy


def test_the_normal_form_of_coq_is_pinned() -> None:
    assert (
        vernacular.fingerprint(SAMPLE) == "451b565014adcbb3c181f99985b805b37b6911ece31aad5229cd9d8280a6fcf4"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(* trivial *)", ""),
        ("nested comment", "different comment"),
        ("1. (* trivial *)\n", "1.\n\n\n"),
        ("rewrite  addn0", "rewrite\n    addn0"),
        ("1 + 0 = 1.", "1 + 0\n  (* plus (* nothing *) *) = 1."),
        ("(* A file", "\n\n(* A file"),
    ],
)
def test_comments_and_layout_of_coq_do_not_matter(old: str, new: str) -> None:
    assert old in SAMPLE
    assert vernacular.fingerprint(SAMPLE.replace(old, new)) == vernacular.fingerprint(SAMPLE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1 + 0 = 1", "1 + 0 = 2"),
        ("Theorem one", "Theorem  two"),
        ("Qed", "Admitted"),
        ("kept  as", "kept as"),
        ("by rewrite  addn0.", "(* by rewrite addn0. *)"),
        ("Import Base", "Import Basis"),
        ("addn0.\n", "addn 0.\n"),
        *(("rewrite  addn0", f"rewrite{space}addn0") for space in "\f\v\u00a0\u2028"),  # no layout to Coq
    ],
)
def test_every_other_change_of_coq_matters(old: str, new: str) -> None:
    assert old in SAMPLE
    assert vernacular.fingerprint(SAMPLE.replace(old, new)) != vernacular.fingerprint(SAMPLE)


def test_the_central_claims_are_graded_kernel_and_name_their_theorems() -> None:
    assert [claim.id for claim in LEDGER if claim.grade is Grade.KERNEL] == GRADED
    assert [claim.id for claim in PROVED] == GRADED
    row = LEDGER.rows("splu.T3c")[0]
    assert row["grade"] == "kernel"
    kernel: Any = row["kernel"]
    assert kernel["theorems"] == [
        "SPLU.Chebyshev.chebyshev",
        "SPLU.Chernoff.chernoff_above",
        "SPLU.Chernoff.chernoff_below",
    ]
    assert kernel["covers"]
    assert LEDGER.rows("splu.V")[0]["kernel"] is None


def test_every_coq_file_and_theorem_belongs_to_a_claim() -> None:
    files = {path.stem for path in vernacular.COQ.glob("*.v")} - {"Assumptions"}
    assert {module for claim in PROVED for module in _kernel(claim).modules} == files
    requested = set(re.findall(r"^  @(\w+)", (vernacular.COQ / "Assumptions.v").read_text(), re.MULTILINE))
    assert {name.partition(".")[2] for claim in PROVED for name in _kernel(claim).theorems} == requested


def test_imports_come_first() -> None:
    assert vernacular.with_imports(["PrintedErrorBound"]) == ("Binomial", "Chebyshev", "PrintedErrorBound")
    assert list(fingerprints(LEDGER.get("splu.T3")))[-3:] == [
        "splu_proofs/coq/Binomial.v",
        "splu_proofs/coq/Chebyshev.v",
        "splu_proofs/coq/PrintedErrorBound.v",
    ]


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_statements_are_found(claim: Claim) -> None:
    for theorem in _kernel(claim).theorems:
        text = vernacular.statement(theorem)
        assert text.split()[1].rstrip(":") == theorem.partition(".")[2]
        assert text.endswith(".")
        assert "Proof" not in text


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_a_change_of_any_coq_file_makes_the_proof_outdated(
    claim: Claim, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path
    affirm(claim, path, "8.16.1", reason="A test.", measured={})
    for module in _kernel(claim).modules:
        file = folder / f"{module}.v"
        before = file.read_text()
        file.write_text("(* a remark *)\n\n" + before.replace("\n", "\n\n"))
        assert outdated(claim, path) == ""
        for after in _alterations(before):
            file.write_text(after)
            reported = outdated(claim, path)
            assert reported.startswith("proof outdated")
            assert f"splu_proofs/coq/{module}.v" in reported
        file.unlink()
        assert outdated(claim, path).startswith(
            f"proof outdated: there is no file splu_proofs/coq/{module}.v"
        )
        file.write_text(before)


@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_a_theorem_that_is_gone_makes_the_proof_outdated(claim: Claim, folder: Path, tmp_path: Path) -> None:
    path = tmp_path
    affirm(claim, path, "8.16.1", reason="A test.", measured={})
    for theorem in _kernel(claim).theorems:
        module, _, name = theorem.partition(".")
        file = folder / f"{module}.v"
        before = file.read_text()
        stated = vernacular.statement(theorem)
        file.write_text(before.replace(f" {name} ", " another "))
        assert f"{module}.v states no theorem {name}" in outdated(claim, path)
        file.write_text(before.replace(stated, f"(* {stated} *)"))
        assert f"{module}.v states no theorem {name}" in outdated(claim, path)
        file.write_text(before)


def test_a_changed_file_fails_the_check_of_the_claim(folder: Path, tmp_path: Path) -> None:
    ledger = _ledger(_claim(), tmp_path)
    affirm(ledger.get("toy.K"), tmp_path, "8.16.1", reason="A test.")
    result = ledger.run("toy.K")[0]
    assert (result.passed, result.grade) == (True, Grade.KERNEL)
    assert "accepted by Coq 8.16.1" in result.summary
    (folder / "Sawtooth.v").write_text("Theorem sawtooth_above : True. Proof. exact I. Qed.\n")
    result = ledger.run("toy.K")[0]
    assert (result.passed, result.grade) == (False, Grade.EXACT)
    assert "these are not the files that Coq accepted" in result.message
    (folder / "Sawtooth.v").unlink()
    assert "there is no file splu_proofs/coq/Sawtooth.v" in ledger.run("toy.K")[0].message


def test_fingerprints_that_coq_never_accepted_do_not_pass(tmp_path: Path) -> None:
    ledger = _ledger(_claim(), tmp_path)
    affirm(ledger.get("toy.K"), tmp_path, reason="A test.")
    assert outdated(ledger.get("toy.K"), tmp_path) == ""
    result = ledger.run("toy.K")[0]
    assert not result.passed
    assert "these are not the files that Coq accepted" in result.message


def test_files_that_coq_accepted_before_need_no_coq(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = _ledger(_claim(), tmp_path)
    affirm(ledger.get("toy.K"), tmp_path, "8.16.1", reason="A test.")
    monkeypatch.setattr("splu_proofs.coq_run.which", lambda _: None)
    ledger.reaffirm("toy.K", reason="Another test.")
    assert affirmed(tmp_path)["toy.K"][ACCEPTED_BY] == "8.16.1"
    (folder / "Sawtooth.v").write_text("Theorem sawtooth_above : True. Proof. exact I. Qed.\n")
    with pytest.raises(InputError, match=r"says something else than was affirmed \(coq_files: .*Sawtooth\.v"):
        ledger.reaffirm("toy.K", reason="Another test.")
    with pytest.raises(InputError, match="Coq is not installed"):
        ledger.reaffirm("toy.K", reason="Another test.", changes=["coq_files"])
    affirm(ledger.get("toy.K"), tmp_path, reason="A test.")
    assert ACCEPTED_BY not in affirmed(tmp_path)["toy.K"]


def test_without_coq_nothing_is_affirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splu_proofs.coq_run.which", lambda _: None)
    with pytest.raises(InputError) as caught:
        _ledger(_claim(), tmp_path).reaffirm("toy.K", reason="A test.", changes=["new"])
    assert str(caught.value) == f"toy.K is not affirmed: kernel: {INSTALL}"
    assert "\n" not in INSTALL
    assert not list(tmp_path.iterdir())


def test_the_grade_needs_theorems() -> None:
    with pytest.raises(ValueError, match="graded kernel: name its Coq theorems"):
        replace(_claim(), kernel=None)


def test_a_part_proved_in_coq_does_not_raise_the_grade(tmp_path: Path) -> None:
    ledger = _ledger(_claim(grade=Grade.SYMBOLIC), tmp_path)
    affirm(ledger.get("toy.K"), tmp_path, "8.16.1", reason="A test.")
    result = ledger.run("toy.K")[0]
    assert not result.passed
    assert "the evidence reaches the grade exact, not symbolic" in result.message


@needs_coq
def test_coq_itself_affirms_the_sawtooth_lemma(tmp_path: Path) -> None:
    ledger = _ledger(_claim(), tmp_path)
    ledger.reaffirm("toy.K", reason="A test.", changes=["new"])
    [result] = ledger.run("toy.K")
    assert (result.passed, result.grade) == (True, Grade.KERNEL)
    assert affirmed(tmp_path)["toy.K"][ACCEPTED_BY].startswith("8.")


@needs_coq
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Theorem t : 1 = 2.\nProof. reflexivity. Qed.\n", "Coq does not accept splu_proofs/coq/Toy.v: File"),
        ("Theorem t : 1 = 2.\nAdmitted.\n", "rests on more than Coq's logic: Axioms:; Toy.t : 1 = 2"),
        ("Axiom no : 1 = 2.\nTheorem t : 1 = 2.\nProof no.\n", "Axioms:; Toy.no : 1 = 2"),
        ("Theorem u : 1 = 1.\nProof eq_refl.\n", "Coq does not accept the names of the theorems: "),
    ],
)
def test_coq_refuses(text: str, complaint: str, folder: Path) -> None:
    (folder / "Toy.v").write_text(text)
    with pytest.raises(EvidenceError) as caught:
        accepted_by(["Toy"], ["SPLU.Toy.t"])
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_of_files_compiled_together_each_claim_has_its_own_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(_claim(), id="toy.L", kernel=Kernel(theorems=("ProbB.probB_le_probA",), covers="All."))
    other.checks.append(TRUE_CHECK)
    ledger = _ledger(_claim(), tmp_path)
    ledger.__dict__["_claims"]["toy.L"] = other
    for claim in ledger:
        affirm(claim, tmp_path, "8.16.1", reason="A test.")
    stated = [name for claim in ledger for name in _kernel(claim).names]
    requested: list[list[str]] = []

    def accepting(modules: Sequence[str], theorems: Sequence[str]) -> str:
        requested.append([each for each in theorems if each in stated])
        if refused & set(theorems):
            raise EvidenceError("Coq does not accept it")
        return "8.99"

    monkeypatch.setattr("splu_proofs.kernel.accepted_by", accepting)
    monkeypatch.setattr("splu_proofs.ledger.which", lambda name: name)
    refused: set[str] = set()
    assert all("8.99" in result.summary for result in ledger.run(coq=True))
    assert requested == [stated]
    refused.add(stated[0])
    first, second = ledger.run(coq=True)
    assert (first.passed, first.message) == (False, "kernel: Coq does not accept it")
    assert (second.passed, second.grade) == (True, Grade.KERNEL)


def test_a_part_of_coq_that_is_lost_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = _claim(grade=Grade.EXACT)  # reached without Coq, which is to prove a part of it all the same
    ledger = _ledger(claim, tmp_path)
    affirm(claim, tmp_path, "8.16.1", reason="A test.")
    monkeypatch.setattr("splu_proofs.ledger.which", lambda name: name)
    monkeypatch.setattr("splu_proofs.kernel.accepted_by", lambda *_: "8.99")
    assert ledger.run(coq=True)[0].passed

    def losing(
        function: Callable[[str], Result], items: Sequence[str], begun: Callable[[str, int], None], /
    ) -> Iterator[tuple[str, Result]]:
        return in_turn(function, [item for item in items if item != COQ], begun)

    with pytest.raises(KeyError, match=COQ):
        ledger.run(coq=True, spread=losing)


def test_the_recorded_version_is_no_fingerprint(tmp_path: Path) -> None:
    path = tmp_path
    claim = LEDGER.get("splu.S")
    affirm(claim, path, "8.16.1", reason="A test.", measured={})
    known = affirmed(path)["splu.S"]
    assert date.fromisoformat(known.pop(ACCEPTED_ON)) <= datetime.now(UTC).date()
    assert known == fingerprints(claim) | {ACCEPTED_BY: "8.16.1"}
    assert outdated(claim, path) == ""


def _kernel(claim: Claim) -> Kernel:
    assert claim.kernel is not None
    return claim.kernel


def _claim(grade: Grade = Grade.KERNEL) -> Claim:
    claim = Claim(
        id="toy.K", module="splu_proofs.arithmetic.law", source="here", title="toy",
        statement="1 = 1", words="A toy.", status=Status.PROVED, grade=grade,
        complete="" if grade in (Grade.KERNEL, Grade.SYMBOLIC) else "it is about two numbers",
        kernel=Kernel(theorems=("Sawtooth.sawtooth_above",), covers="All."),
    )  # fmt: skip
    claim.checks.append(TRUE_CHECK)
    return claim


def _ledger(claim: Claim, folder: Path) -> Ledger:
    ledger = Ledger((), {}, {}, affirmed=folder)
    ledger.__dict__["_claims"] = {claim.id: claim}  # what the packages would have brought
    return ledger


def _alterations(text: str) -> Iterator[str]:
    """Yield the text with another import, without its last Qed, and with another tactic."""
    yield text.replace("From mathcomp", "From another", 1)
    for old, new in (("Qed.", "Admitted."), ("rewrite", "replace")):
        head, _, tail = text.rpartition(old)
        yield head + new + tail
