"""The machinery must be able to fail: false steps, missing judges and wrong slacks are refused."""

import builtins
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from splu_proofs import LEDGER
from splu_proofs import ledger as ledger_module
from splu_proofs.claim import Claim, Status
from splu_proofs.degree import Degree
from splu_proofs.derivation import Derivation
from splu_proofs.evidence import Grade
from splu_proofs.ledger import Ledger
from splu_proofs.recheck import INSTALL, by_differences, by_solver, on_grid
from splu_proofs.self_check import TRUE_CHECK
from splu_proofs.step import Identity, Inequality, Step
from splu_ref.channels.parameters import InputError

SQUARE = Identity(
    name="square",
    says="(x+y)^2 = x^2 + 2xy + y^2",
    variables={"x": 0, "y": 0},
    left=lambda x, y: (x + y) ** 2,
    right=lambda x, y: x**2 + 2 * x * y + y**2,
    recheck=(on_grid,),
)
PRODUCT = Inequality(
    name="product",
    says="x >= 1, y >= 2 give xy >= x + 1",
    variables=("x", "y"),
    given=lambda x, y: (x - 1, y - 2),
    slack=lambda u, v: (u + 1, v + 2),
    then=lambda x, y: x * y - x - 1,
    recheck=(by_differences, by_solver),
)
STEPS = [
    pytest.param(step, id=f"{claim.id}-{proof.__name__}-{step.name}")
    for claim in LEDGER
    for proof in (*claim.derivations, *claim.flaws)
    for step in proof().steps
]


def test_true_steps_are_proved() -> None:
    assert SQUARE.check().proved
    assert PRODUCT.check().proved


def test_a_false_identity_is_refused() -> None:
    false = replace(SQUARE, right=lambda x, y: x**2 + x * y + y**2)
    assert false.check().error == "SymPy does not confirm it"


def test_the_judge_refuses_a_false_identity_that_sympy_would_let_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Identity, "witnessed", lambda self: True)
    false = replace(SQUARE, right=lambda x, y: x**2 + x * y + y**2)
    result = false.check()
    assert not result.proved
    assert "differ at (1, 1)" in result.error


def test_an_identity_that_holds_on_a_smaller_grid_is_refused() -> None:
    # x(x-1)(x-2) vanishes at 0, 1, 2: a grid of three points would be fooled, the degree asks for a fourth
    false = replace(SQUARE, left=lambda x, y: x * (x - 1) * (x - 2) + y, right=lambda x, y: y)
    assert on_grid(false).detail == "the two sides differ at (3, 0)"


def test_a_vanishing_denominator_is_refused() -> None:
    step = replace(SQUARE, left=lambda x, y: x / x + y, right=lambda x, y: 1 + y)
    assert "a denominator vanishes at (0, 0)" in on_grid(step).detail


def test_a_step_without_a_judge_is_not_proved() -> None:
    for step in (replace(SQUARE, recheck=()), replace(PRODUCT, recheck=())):
        result = step.check()
        assert not result.proved
        assert "no independent re-check" in result.error


def test_a_false_inequality_is_refused_by_each_judge() -> None:
    false = replace(PRODUCT, then=lambda x, y: x * y - x - 2)
    assert by_differences(false).holds is False
    opinion = by_solver(false)
    assert opinion.holds is False
    assert "counterexample x = 1, y = 2" in opinion.detail
    assert false.check().error == "SymPy does not confirm it"


def test_slacks_that_miss_cases_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # with slack 2u+1 only odd x are reached; then "x odd" would prove x(x-1)(y-1) even for other points
    missing = replace(PRODUCT, slack=lambda u, v: (2 * u + 1, v + 2))
    assert by_differences(missing).holds is False
    assert not missing.witnessed()
    monkeypatch.setattr(Inequality, "witnessed", lambda self: True)
    assert not missing.check().proved


def test_fractional_hypotheses_are_refused() -> None:
    # x/2 >= 0 holds at every x >= 0, but whole slacks u = x/2 reach the even x alone, where x (x - 2) >= 0
    false = replace(
        PRODUCT,
        variables=("x",),
        given=lambda x: (x / 2,),
        slack=lambda u: (2 * u,),
        then=lambda x: x * (x - 2),
        recheck=(by_differences,),
    )
    assert false.then(1) < 0 <= false.given(1)[0]
    assert by_differences(false).detail == "hypothesis 1 is not a whole number at every whole point"
    binomial = replace(false, given=lambda x: (x * (x - 1) / 2,))
    assert (
        "is not the slack" in by_differences(binomial).detail
    )  # whole at whole points, in spite of the half


@pytest.mark.parametrize(
    ("step", "reported"),
    [
        (replace(SQUARE, left=lambda x, y: x * y, right=lambda x, y: y * x), "it is itself"),
        (replace(SQUARE, left=lambda x, y: x * (2 * y) / x, right=lambda x, y: y + y), "it is itself"),
        (replace(PRODUCT, then=lambda x, y: 3 * (x - 1)), "says what hypothesis 1 says"),
        (replace(PRODUCT, then=lambda x, y: 2 * y - 4), "says what hypothesis 2 says"),
        (replace(PRODUCT, then=lambda x, y: x - x + 1), "compares two numbers"),
    ],
)
def test_a_step_that_says_nothing_is_refused(step: Step, reported: str) -> None:
    result = step.check()
    assert not result.proved
    assert reported in result.error


def test_a_second_judge_can_overrule_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inequality, "witnessed", lambda self: True)
    false = replace(PRODUCT, then=lambda x, y: x * y - x - 2)
    agreeing = replace(false, recheck=(lambda step: by_differences(PRODUCT), by_solver))
    assert by_differences(PRODUCT).holds
    assert not agreeing.check().proved


def test_without_z3_a_step_that_needs_it_says_so_and_the_grade_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, claim = _toy(replace(PRODUCT, recheck=(by_solver,)))
    assert ledger.run("toy.A")[0].grade is Grade.SYMBOLIC
    _hide(monkeypatch, "z3")
    result = ledger.run("toy.A")[0]
    assert result.grade is Grade.EXACT
    assert INSTALL in result.message
    assert "0 of 1 steps" in result.summary
    with_other = replace(PRODUCT, recheck=(by_differences, by_solver))
    assert with_other.check().proved
    assert claim.grade is Grade.SYMBOLIC


def test_a_claim_fails_when_a_step_loses_its_judge() -> None:
    ledger, _ = _toy(replace(PRODUCT, recheck=()))
    result = ledger.run("toy.A")[0]
    assert not result.passed
    assert "no independent re-check" in result.message


def test_a_derivation_without_steps_fails() -> None:
    ledger, _ = _toy()
    assert "a derivation without steps proves nothing" in ledger.run("toy.A")[0].message


@pytest.mark.parametrize("step", STEPS)
def test_every_step_fails_without_its_judge_and_when_it_is_perturbed(step: Step) -> None:
    if isinstance(step, Identity):
        bare: Step = replace(step, recheck=())
        right = step.right
        perturbed: Step = replace(step, right=lambda *v: right(*v) + v[0] * 0 + 1)
    else:
        bare = replace(step, recheck=())
        then = step.then
        perturbed = replace(step, then=lambda *v: -then(*v) - 1)
    assert "no independent re-check" in bare.check().error
    assert not perturbed.check().proved
    assert all(_opinion(judge, perturbed) is False for judge in perturbed.recheck)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_can_be_shown(step: Step) -> None:
    left, _, right = step.latex().partition(" = " if isinstance(step, Identity) else r"\Longrightarrow")
    assert left.strip() != right.strip() != ""


def test_degrees_bound_numerators_and_denominators() -> None:
    x, y = Degree.variables(2)
    assert ((x + 1) ** 3 * y).above == (3, 1)
    assert (1 / x + 1 / y) == Degree((1, 1), (1, 1))
    assert (x - x).above == (1, 0)  # no cancellation is assumed
    assert (2 - x / y).below == (0, 1)
    assert (-(x * 2) / 3).above == (1, 0)
    with pytest.raises(ValueError, match="negative power"):
        x**-1


def test_a_refuted_claim_needs_a_witness_and_a_repair() -> None:
    _, claim = _toy(PRODUCT, status=Status.REFUTED, corrected_by="toy.B")
    ledger = _ledger(claim, replace(_claim(), id="toy.B"))
    assert "needs a counterexample" in ledger.run("toy.A")[0].message
    with pytest.raises(ValueError, match="name the claim that holds instead"):
        replace(claim, corrected_by=None)
    with pytest.raises(ValueError, match="a definition has no grade"):
        replace(claim, status=Status.DEFINITION)


def test_a_claim_without_evidence_fails() -> None:
    assert [each.holds for each in _claim().examine()] == [False]


def test_a_claim_that_overstates_its_grade_fails() -> None:
    claim = _claim()
    claim.checks.append(TRUE_CHECK)
    evidence = [each for each in _ledger(claim).run("toy.A")[0].evidence if each.holds]
    result = ledger_module._result(claim, evidence, 0.0, "")
    assert not result.passed
    assert "reaches the grade exact, not symbolic" in result.message


def test_what_rests_on_a_failure_fails() -> None:
    lower, upper = _claim(), replace(_claim(), id="toy.B", rests_on=("toy.A",))
    upper.derivation(lambda: Derivation(setting="", steps=(SQUARE,), conclusion=""))
    results = {result.id: result for result in _ledger(lower, upper).run()}
    assert "rests on toy.A, which failed" in results["toy.B"].message
    assert not results["toy.B"].passed


def test_a_failure_reaches_what_rests_on_it_wherever_it_stands() -> None:
    # the first rests on the second, the second on the last, which fails
    first, second, last = (
        replace(_claim(), id="toy.C", rests_on=("toy.B",)),
        replace(_claim(), id="toy.B", rests_on=("toy.A",)),
        _claim(),
    )
    for claim in (first, second):
        claim.derivation(lambda: Derivation(setting="", steps=(SQUARE,), conclusion=""))
    results = {result.id: result for result in _ledger(first, second, last).run()}
    assert list(results) == ["toy.C", "toy.B", "toy.A"]
    assert "rests on toy.A, which failed" in results["toy.B"].message
    assert "rests on toy.B, which failed" in results["toy.C"].message


def test_a_name_that_the_ledger_does_not_have_is_an_error() -> None:
    for changes in ({"rests_on": ("toy.X",)}, {"topples": ("toy.X",)}, {"corrected_by": "toy.X"}):
        with pytest.raises(InputError, match=r"toy\.A names toy\.X, which the ledger does not have"):
            _ledger(_claim(**changes)).run()


def test_claims_that_rest_on_each_other_are_an_error() -> None:
    one, other = _claim(rests_on=("toy.B",)), replace(_claim(), id="toy.B", rests_on=("toy.A",))
    with pytest.raises(InputError, match="a proof cannot rest on itself"):
        _ledger(one, other).run()


def _opinion(judge: Callable[[Any], Any], step: Step) -> bool | None:
    holds: bool | None = judge(step).holds
    return holds


def _claim(**changes: Any) -> Claim:
    values: dict[str, Any] = {
        "id": "toy.A", "module": "splu_proofs.arithmetic.law", "source": "here", "title": "toy",
        "statement": "1 = 1", "words": "A toy.", "status": Status.PROVED, "grade": Grade.SYMBOLIC,
    }  # fmt: skip
    return Claim(**{**values, **changes})


def _ledger(*claims: Claim) -> Ledger:
    ledger = Ledger((), {}, {}, affirmed=Path("none"))
    ledger.__dict__["_claims"] = {claim.id: claim for claim in claims}  # what the packages would have brought
    return ledger


def _toy(*steps: Step, **changes: Any) -> tuple[Ledger, Claim]:
    claim = _claim(**changes)
    claim.derivation(lambda: Derivation(setting="", steps=steps, conclusion=""))
    claim.checks.append(TRUE_CHECK)
    return _ledger(claim), claim


def _hide(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    genuine = builtins.__import__

    def without(wanted: str, *rest: Any, **more: Any) -> Any:
        if wanted == name:
            raise ImportError(name)
        return genuine(wanted, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
