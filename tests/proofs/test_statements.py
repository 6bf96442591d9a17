"""What the claims state is what was read: a statement or a step that says something else is detected.

``statements.txt`` holds, for every claim, its verdict, statement and hypotheses, and the formula of every
step: a change there changes what is claimed, and is made on purpose. Beyond that, statements that can be
evaluated are compared with the law and to the steps.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from splu_proofs import LEDGER
from splu_proofs.claim import Claim, Status
from splu_proofs.derivation import Derivation, Gives
from splu_proofs.evidence import EvidenceError, Grade
from splu_proofs.ledger import Ledger
from splu_proofs.recheck import by_differences, on_grid
from splu_proofs.relation import Quantity, Relation, Tex
from splu_proofs.splu.chebyshev import CHEBYSHEV, T3C
from splu_proofs.step import Identity, Inequality
from splu_ref.channels.parameters import InputError

PINNED = Path(__file__).with_name("statements.txt")
HOLLOW = Identity(
    name="a square",
    says="(x+1)^2 = x^2 + 2x + 1",
    variables={"x": 0},
    left=lambda x: (x + 1) ** 2,
    right=lambda x: x**2 + 2 * x + 1,
    recheck=(on_grid,),
)
TIED = {"splu.B", "splu.Rp", "splu.T3c", "splu.S", "splu.Sp", "splu.DPc", "splu.DOMc", "splu.M1c"}
TIED |= {"chaytor.EQ1", "chaytor.DOM", "chaytor.FINEc", "chaytor.DPPUBc", "chaytor.REPUBc"}
TIED |= {"rastogi.EST"}
TIED |= {"olap.Bc", "olap.T4", "olap.T4c", "olap.T5c"}
"""Claims whose steps are compared with the statement, number by number."""
EVALUATED = {"splu.T2", "splu.PB"}
"""Claims of Coq's whose statement is evaluated. Of all others the text is pinned."""


def _lines(claim: Claim) -> Iterator[str]:
    yield f"{claim.id} {claim.status} {claim.grade}: {claim.statement}"
    yield from (f"  if {each}" for each in claim.hypotheses)
    for proof in (*claim.derivations, *claim.flaws):
        yield from (f"  {proof.__name__}, {step.name}: {step.latex()}" for step in proof().steps)


def test_every_statement_and_step_is_the_one_that_was_read() -> None:
    found = [line for claim in LEDGER for line in _lines(claim)]
    assert found == PINNED.read_text().splitlines()


def test_the_claims_whose_steps_are_tied_to_their_statement() -> None:
    assert {claim.id for claim in LEDGER if claim.asserts} == TIED | EVALUATED
    for claim in LEDGER:
        given = {gives.relation for proof in claim.derivations for gives in proof().gives}
        assert given == (set(claim.asserts) if claim.id in TIED else set())


def _examined(claim: Claim, changes: dict[str, Any], derivations: list[Callable[[], Derivation]]) -> str:
    """Return what the ledger says when it is requested to affirm a changed copy of a claim."""
    copy = replace(claim, kernel=None, grade=Grade.SYMBOLIC, rests_on=(), **changes)
    copy.derivations.extend(derivations)
    ledger = Ledger((), {}, {}, affirmed=Path("none"))
    ledger.__dict__["_claims"] = {claim.id: copy}  # what the packages would have brought
    with pytest.raises(InputError) as caught:
        ledger.reaffirm(claim.id, reason="A test.", changes=["new"])
    return str(caught.value)


def _constant(value: int) -> Callable[..., Any]:
    return lambda *_: value


def test_another_bound_is_refused_even_when_it_is_affirmed_again() -> None:
    with pytest.raises(ValueError, match=r"splu\.T3c does not state what it asserts"):
        replace(T3C, statement=r"\Pr(|f'-f| \ge \varepsilon f) \le 0")
    for bound, reported in ((0, "the statement is false at gamma = 2, f = 1"), (1, "no step gives")):
        other = replace(CHEBYSHEV, right=_constant(bound))
        changes = {"statement": other.latex, "asserts": (other,)}
        assert reported in _examined(T3C, changes, T3C.derivations)


def test_a_larger_bound_is_not_what_the_step_gives() -> None:
    larger = replace(CHEBYSHEV, right=lambda gamma, f, epsilon: 2 * (gamma - 1) / (gamma * epsilon**2 * f))
    proof = T3C.derivations[0]()
    tied = replace(proof, gives=(replace(proof.gives[0], relation=larger),))
    reported = _examined(T3C, {"statement": larger.latex, "asserts": (larger,)}, [lambda: tied])
    expected = "step 'the mean of the payment' is not what the statement says at (2, 1, Fraction(1, 10))"
    assert expected in reported


@pytest.mark.parametrize("claim_id", sorted(TIED))
def test_true_steps_about_something_else_are_refused(claim_id: str) -> None:
    claim = LEDGER.get(claim_id)
    hollow = Derivation(setting="", steps=(HOLLOW,), conclusion="")
    assert "no step gives" in _examined(claim, {}, [lambda: hollow] * len(claim.derivations))
    pretended = replace(
        hollow,
        gives=tuple(
            Gives(relation=part, step=HOLLOW.name, of="right", at=lambda *case: (case[1],))
            for part in claim.asserts
        ),
    )
    assert "step 'a square' is not what the statement says" in _examined(claim, {}, [lambda: pretended])


def test_an_inequality_gives_what_it_bounds_where_its_hypotheses_hold() -> None:
    step = Inequality(
        name="a product",
        says="x >= 1 and y >= 2 give xy >= x + 1.",
        variables=("x", "y"),
        given=lambda x, y: (x - 1, y - 2),
        slack=lambda u, v: (u + 1, v + 2),
        then=lambda x, y: x * y - x - 1,
        recheck=(by_differences,),
    )
    relation = Relation(
        variables=("x", "y"),
        left=Quantity("xy", lambda x, y: x * y),
        sign=">=",
        right=lambda x, _y: x + 1,
        cases=lambda: [(1, 2), (3, 4)],
    )
    gives = Gives(relation=relation, step="a product", of="difference", at=lambda x, y: (x, y))
    assert gives.check((step,)) == 2
    with pytest.raises(EvidenceError, match=r"step 'a product' does not apply at \(1, 2\)"):
        replace(gives, at=lambda x, y: (x - 1, y)).check((step,))
    with pytest.raises(EvidenceError, match="is not what the statement says"):
        replace(gives, at=lambda x, y: (x, y + 1)).check((step,))


def test_a_step_that_does_not_exist_or_has_a_namesake() -> None:
    proof = T3C.derivations[0]()
    absent = replace(proof, gives=(replace(proof.gives[0], step="none"),))
    assert "there is no step 'none'" in _examined(T3C, {}, [lambda: absent])
    twice = replace(proof, steps=(*proof.steps, proof.steps[0]))
    assert "two steps have one name" in _examined(T3C, {}, [lambda: twice])


def test_a_relation_without_cases_is_refused() -> None:
    nowhere = replace(CHEBYSHEV, cases=lambda: ())
    reported = _examined(T3C, {"asserts": (nowhere,), "statement": nowhere.latex}, T3C.derivations)
    assert "the statement is evaluated nowhere" in reported


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        (lambda x, y: (x + 1) * (y - 1), "(x+1) (y-1)"),
        (lambda x, y: x - (y - 1), "x-(y-1)"),
        (lambda x, y: (x / y) ** 2, r"(\frac{x}{y})^{2}"),
        (lambda x, y: 1 - 2 / (x * y) + 3 * x, r"1-\frac{2}{x y}+3 x"),
        (lambda x, y: x ** (x * y), "x^{x y}"),
        (lambda x, y: (x**y) ** 2, "(x^{y})^{2}"),
    ],
)
def test_formulas_as_latex(formula: Callable[..., Tex], latex: str) -> None:
    assert str(formula(Tex("x"), Tex("y"))) == latex


@pytest.mark.parametrize(
    ("sign", "kept_lines"), [("=", {1}), ("<=", {1, 2}), (">=", {0, 1}), ("<", {2}), (">", {0})]
)
def test_a_relation_holds_exactly_where_it_says(sign: Any, kept_lines: set[int]) -> None:
    for right in range(3):
        relation = Relation(
            variables=("x",), left=Quantity("1", lambda _x: 1), sign=sign, right=lambda x: x,
            cases=partial(list, [(right,)]),
        )  # fmt: skip
        claim = replace(T3C, status=Status.PROVED, kernel=None, grade=Grade.EXACT, asserts=(relation,),
                        complete="it is about one number",
                        statement=relation.latex)  # fmt: skip
        assert [each.holds for each in claim.examine()] == [right in kept_lines]
