"""A claim of a source document, with everything that stands behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeVar

from .check import Check, Comparisons
from .derivation import Derivation
from .evidence import Evidence, EvidenceError, Grade
from .kernel import Kernel
from .relation import Relation
from .witness import Witness


class Status(StrEnum):
    """What has become of a claim."""

    DEFINITION = "definition"
    PROVED = "proved"
    VERIFIED = "verified"
    REFUTED = "refuted"
    CORRECTED = "corrected"
    LITERATURE = "literature"
    EMPIRICAL = "empirical"


Proof = TypeVar("Proof", bound=Callable[[], Derivation])
Refutation = TypeVar("Refutation", bound=Callable[[], Witness])


class Scope(StrEnum):
    """How far the evidence of a claim reaches."""

    GENERAL = "general"
    INSTANCES = "instances"


Comparing = TypeVar("Comparing", bound=Callable[[], Comparisons])


class Register(Protocol):
    """A decorator that registers a function and returns it."""

    def __call__(self, function: Comparing, /) -> Comparing:
        """Register ``function``."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Claim:
    """One numbered claim, registered with its evidence by the decorators below.

    Attributes
    ----------
    id
        Row of the ledger, such as ``splu.T3``.
    module
        The module that holds the claim and its proof: ``__name__`` there.
    source
        Where it is printed, or that it is new.
    title
        A few words.
    statement
        The claim in LaTeX.
    words
        The claim in plain English, with the verdict.
    hypotheses
        Conditions, in LaTeX.
    status, grade
        The verdict, and the grade of evidence that all of its checks together reach; None for a definition.
    rests_on
        Claims that its proof, or the printed text's, uses.
    instances
        The range on which it is verified, if it is not proved as stated.
    complete
        Why computing proves all of the statement, if it is proved so: it is finite, for example.
    corrected_by
        The claim that holds instead.
    topples
        Claims that fall with a refuted one.
    licenses
        What of the library may rely on it: ``module:name``, or ``module`` for all of it.
    tests
        Test nodes that hold the library to it.
    kernel
        What of it is proved in Coq, or None.
    asserts
        The parts of the statement that can be evaluated. Each stands in ``statement`` as it is printed, holds
        at its cases, and, if the claim is proved step by step and not by the kernel, is given by a step.
    """

    id: str
    module: str
    source: str
    title: str
    statement: str
    words: str
    status: Status
    grade: Grade | None
    hypotheses: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    instances: str = ""
    complete: str = ""
    corrected_by: str | None = None
    topples: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    kernel: Kernel | None = None
    asserts: tuple[Relation, ...] = ()
    derivations: list[Callable[[], Derivation]] = field(default_factory=list, init=False, repr=False)
    flaws: list[Callable[[], Derivation]] = field(default_factory=list, init=False, repr=False)
    refutations: list[Callable[[], Witness]] = field(default_factory=list, init=False, repr=False)
    checks: list[Check] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.status is Status.REFUTED and self.corrected_by is None:
            raise ValueError(f"{self.id} is refuted: name the claim that holds instead")
        if (self.status is Status.DEFINITION) != (self.grade is None):
            raise ValueError(f"{self.id}: a definition has no grade, and everything else has one")
        if self.grade is Grade.KERNEL and self.kernel is None:
            raise ValueError(f"{self.id} is graded kernel: name its Coq theorems")
        self._require_scope()
        for part in self.asserts:
            if part.latex not in self.statement:
                raise ValueError(f"{self.id} does not state what it asserts: {part.latex}")

    def derivation(self, function: Proof) -> Proof:
        """Register a derivation of the claim, or of its refutation."""
        self.derivations.append(function)
        return function

    def flaw(self, function: Proof) -> Proof:
        """Register the derivation that shows where the printed proof goes wrong."""
        self.flaws.append(function)
        return function

    def refutation(self, function: Refutation) -> Refutation:
        """Register the smallest counterexample."""
        self.refutations.append(function)
        return function

    def computation(self, *, cases: int, perturbed: str | tuple[str, ...]) -> Register:
        """Register exact comparisons over a stated range.

        Parameters
        ----------
        cases
            The number of comparisons.
        perturbed
            What the comparisons detect, each as ``module:function kind``: see `splu_proofs.perturbation`.
        """
        return self._register(Grade.EXACT, cases, perturbed)

    def enumeration(self, *, cases: int, perturbed: str | tuple[str, ...]) -> Register:
        """Register comparisons of the shipped code, run on every outcome of a small world, with its law.

        The parameters are those of `computation`; one of the perturbations is of a function in ``splu_ref``.
        """
        return self._register(Grade.ENUMERATED, cases, perturbed)

    def measurement(self, *, cases: int, perturbed: str | tuple[str, ...]) -> Register:
        """Register comparisons with a measurement, such as a running time.

        The parameters are those of `computation`.
        """
        return self._register(Grade.STATISTICAL, cases, perturbed)

    def _register(self, grade: Grade, cases: int, perturbed: str | tuple[str, ...]) -> Register:
        names = (perturbed,) if isinstance(perturbed, str) else perturbed

        def register(function: Comparing) -> Comparing:
            self.checks.append(Check(function=function, grade=grade, cases=cases, perturbed=names))
            return function

        return register

    @property
    def scope(self) -> Scope | None:
        """Whether the evidence is for the statement or for instances; None for what is not proved here."""
        if self.instances:
            return Scope.INSTANCES
        settled = (Status.PROVED, Status.CORRECTED, Status.REFUTED)
        return Scope.GENERAL if self.status in settled else None

    def _require_scope(self) -> None:
        if (self.status is Status.VERIFIED) and not self.instances:
            raise ValueError(f"{self.id} is verified on instances: name their range")
        if self.status is Status.PROVED and self.instances:
            raise ValueError(f"{self.id} is verified on instances, not proved")
        computed = self.status in (Status.PROVED, Status.CORRECTED) and self.grade not in (
            Grade.KERNEL,
            Grade.SYMBOLIC,
        )
        if computed and bool(self.instances) is bool(self.complete):
            raise ValueError(
                f"{self.id} is computed: name the instances, or why they are the whole statement"
            )
        if self.complete and not computed:
            raise ValueError(f"{self.id} is not proved by computing: it needs no reason for that")

    @property
    def witness(self) -> Witness | None:
        """The counterexample of a refuted claim."""
        return self.refutations[0]() if self.refutations else None

    def examine(self) -> list[Evidence]:
        """Check every piece of evidence that runs in Python."""
        found = [_derived(proof, Grade.SYMBOLIC) for proof in self.derivations]
        found += [_checked(refute, self.hypotheses) for refute in self.refutations]
        found += [_compared(check) for check in self.checks]
        needed = bool(self.derivations) and self.grade is not Grade.KERNEL
        found += [_stated(part, self.derivations, needed=needed) for part in self.asserts]
        if not found and self.grade is not None:
            found.append(Evidence("evidence", None, False, "there is none"))
        found += [_derived(proof, None) for proof in self.flaws]
        if self.status is Status.REFUTED and not self.refutations:
            found.append(Evidence("witness", None, False, "a refuted claim needs a counterexample"))
        return found


def _stated(part: Relation, derivations: list[Callable[[], Derivation]], *, needed: bool) -> Evidence:
    """Evaluate a part of the statement, and look for the step that gives it, which may be ``needed``."""
    try:
        summary = part.check()
        given = [gives for proof in derivations for gives in proof().gives if gives.relation is part]
    except Exception as error:  # as below
        return Evidence("statement", None, False, str(error))
    if needed and not given:
        return Evidence("statement", None, False, f"no step gives {part.latex}")
    by = "".join(f", given by step {gives.step!r}" for gives in given)
    return Evidence("statement", None, True, f"{part.latex} {summary}{by}")


def _derived(proof: Callable[[], Derivation], grade: Grade | None) -> Evidence:
    name = proof.__name__
    try:
        steps = proof().check()
    except Exception as error:  # whatever goes wrong in a proof is the proof's failure, reported in its row
        return Evidence(name, grade, False, f"{type(error).__name__}: {error}")
    wrong = [f"step {step.name!r}: {step.error}" for step in steps if step.error]
    if wrong:
        return Evidence(name, grade, False, "; ".join(wrong))
    missing = [f"step {step.name!r}: {step.missing}" for step in steps if step.missing]
    proved = sum(step.proved for step in steps)
    return Evidence(
        name, grade, True, f"{proved} of {len(steps)} steps proved and re-checked", "; ".join(missing)
    )


def _checked(refute: Callable[[], Witness], hypotheses: tuple[str, ...]) -> Evidence:
    return _examined(refute.__name__, Grade.EXACT, lambda: refute().check(hypotheses))


def _compared(check: Check) -> Evidence:
    return _examined(check.name, check.grade, check.run)


def _examined(name: str, grade: Grade, examine: Callable[[], str]) -> Evidence:
    try:
        return Evidence(name, grade, True, examine())
    except EvidenceError as error:
        return Evidence(name, grade, False, str(error))
    except Exception as error:  # as above
        return Evidence(name, grade, False, f"{type(error).__name__}: {error}")
