"""Whether the machinery can still say no: what is known to be false or empty is put to every part of it.

A judge that accepts everything would let every proof pass, and a proof affirmed under it would stay affirmed.
So the ledger asks these questions before it runs or affirms anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from splu_ref.channels.parameters import InputError

from .claim import Claim, Status
from .derivation import Derivation, Gives
from .evidence import EvidenceError, Grade
from .recheck import by_differences, by_solver, on_grid
from .relation import Quantity, Relation
from .step import Identity, Inequality, Opinion
from .witness import Witness

_SQUARE = Identity(
    name="a square",
    says="(x+y)^2 = x^2 + 2xy + y^2",
    variables={"x": 0, "y": 0},
    left=lambda x, y: (x + y) ** 2,
    right=lambda x, y: x**2 + 2 * x * y + y**2,
    recheck=(on_grid,),
)
_PRODUCT = Inequality(
    name="a product",
    says="x >= 1 and y >= 2 give xy >= x + 1.",
    variables=("x", "y"),
    given=lambda x, y: (x - 1, y - 2),
    slack=lambda u, v: (u + 1, v + 2),
    then=lambda x, y: x * y - x - 1,
    recheck=(by_differences, by_solver),
)
_HALF = Relation(
    variables=("x",),
    left=Quantity("x", Fraction),
    sign="<=",
    right=lambda x: 2 * x,
    cases=lambda: [(0,), (3,)],
)


def require_able_to_refuse() -> None:
    """Put every question; a wrong answer stops everything.

    Raises
    ------
    InputError
        If a part of the machinery accepts what it must refuse, or refuses what it must accept.
    """
    for question, asked, expected in _questions():
        if asked() is not expected:
            verdict = "is refused" if expected else "passes"
            raise InputError(f"the check of proofs is broken: {question} {verdict}; restore its modules")


def _questions() -> Iterator[tuple[str, Callable[[], bool], bool]]:
    """Yield what is asked, in words, how, and the right answer."""
    yield from _steps()
    yield from _wholes()


def _steps() -> Iterator[tuple[str, Callable[[], bool], bool]]:
    # x(x-1)(x-2) is 0 on a grid of three points
    cubic: dict[str, Any] = {"left": lambda x, y: x * (x - 1) * (x - 2) + y, "right": lambda _x, y: y}
    wrong, low = replace(_SQUARE, **cubic), replace(_PRODUCT, then=lambda x, y: x * y - x - 2)
    half = replace(
        _PRODUCT,
        variables=("x",),
        given=lambda x: (x / 2,),
        slack=lambda u: (2 * u,),
        then=lambda x: x * (x - 2),
    )
    odd = replace(_PRODUCT, slack=lambda u, v: (2 * u + 1, v + 2))
    yes = (lambda _: Opinion(True, ""),)
    yield "a true identity, on a grid,", lambda: bool(on_grid(_SQUARE).holds), True
    yield "a false identity, on a grid,", lambda: bool(on_grid(wrong).holds), False
    yield "a true inequality, by differences,", lambda: bool(by_differences(_PRODUCT).holds), True
    yield "a false inequality, by differences,", lambda: bool(by_differences(low).holds), False
    yield "an inequality with hypotheses in fractions", lambda: bool(by_differences(half).holds), False
    yield "an inequality with slacks that miss cases", lambda: bool(by_differences(odd).holds), False
    yield "a false inequality, by the solver,", lambda: bool(by_solver(low).holds), False
    yield "a true step", lambda: _SQUARE.check().proved and _PRODUCT.check().proved, True
    yield "a step without a judge", lambda: replace(_SQUARE, recheck=()).check().proved, False
    yield "an identity that SymPy denies", lambda: replace(wrong, recheck=yes).check().proved, False
    yield "an inequality that SymPy denies", lambda: replace(low, recheck=yes).check().proved, False
    no = (*yes, lambda _: Opinion(False, "no"))
    yield "a step that one judge denies", lambda: replace(_SQUARE, recheck=no).check().proved, False
    same = replace(_SQUARE, left=_SQUARE.right)
    yield "an identity of a thing with itself", lambda: same.check().proved, False
    repeated = replace(_PRODUCT, then=lambda x, _y: 2 * (x - 1))
    yield "a step that repeats a hypothesis", lambda: repeated.check().proved, False


def _wholes() -> Iterator[tuple[str, Callable[[], bool], bool]]:
    yield "a true statement", lambda: _passes(_HALF.check), True
    yield "a false statement", lambda: _passes(replace(_HALF, sign=">").check), False
    yield (
        "a statement that is evaluated nowhere",
        lambda: _passes(replace(_HALF, cases=list).check),
        False,
    )
    gives = Gives(relation=_HALF, step="a square", of="right", at=lambda x: (x, 0))
    whole = Derivation(setting="", steps=(_SQUARE,), conclusion="")
    yield "a step about something else", lambda: _passes(replace(whole, gives=(gives,)).check), False
    yield "a derivation without steps", lambda: _passes(replace(whole, steps=()).check), False
    yield "a true witness", lambda: _passes(_witness().check), True
    yield "a witness of other values", lambda: _passes(_witness(true=Fraction(3)).check), False
    yield "a witness of nothing", lambda: _passes(_witness(printed=Fraction(2)).check), False
    smaller = _witness(smaller=lambda: [("x = 0", False)])
    yield "a witness that is not the smallest", lambda: _passes(smaller.check), False
    yield "a claim whose check fails", lambda: _claim(_refused), False
    yield "a claim whose check holds", lambda: _claim(lambda: "fine"), True
    yield "a claim without evidence", lambda: _claim(None), False
    yield "a claim whose statement is false", lambda: _claim(lambda: "fine", replace(_HALF, sign=">")), False


def _refused() -> str:
    raise EvidenceError("no")


def _passes(check: Callable[[], object]) -> bool:
    try:
        check()
    except (EvidenceError, ValueError):
        return False
    return True


def _witness(**changes: Any) -> Witness:
    values: dict[str, Any] = {"printed": Fraction(1), "true": Fraction(2), "smaller": list} | changes
    return Witness(
        parameters={},
        recompute=lambda: (Fraction(min(values["printed"], 2)), Fraction(2)),
        order="",
        by_hand="",
        **values,
    )


def _claim(check: Callable[[], str] | None, part: Relation | None = None) -> bool:
    claim = Claim(
        id="self.check",
        module=__name__,
        source="",
        title="",
        statement=part.latex if part else "",
        words="",
        status=Status.PROVED,
        grade=Grade.EXACT,
        asserts=(part,) if part else (),
    )
    if check is not None:
        claim.computation(check)
    return all(each.holds for each in claim.examine())
