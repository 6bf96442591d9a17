"""Whether the machinery can still say no: what is known to be false or empty is put to every part of it.

A judge that accepts everything would let every proof pass, and a proof affirmed under it would stay affirmed.
So the ledger asks these questions before it runs or affirms anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from splu_ref.channels.parameters import InputError

from .check import Check, Comparisons, insensitive
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
    for question, answer, expected in _questions():
        if answer() is not expected:
            verdict = "is refused" if expected else "passes"
            raise InputError(f"the check of proofs is broken: {question} {verdict}; restore its modules")


def _questions() -> Iterator[tuple[str, Callable[[], bool], bool]]:
    """Yield each question in words, how it is put, and the right answer."""
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
    yield from _witnesses()
    yield from _checks()
    yield "a claim whose check fails", lambda: _claim(replace(TRUE_CHECK, cases=3)), False
    yield "a claim whose check holds", lambda: _claim(TRUE_CHECK), True
    yield "a claim without evidence", lambda: _claim(None), False
    yield "a claim whose statement is false", lambda: _claim(TRUE_CHECK, replace(_HALF, sign=">")), False


def _witnesses() -> Iterator[tuple[str, Callable[[], bool], bool]]:
    def passes(**changes: Any) -> Callable[[], bool]:
        return lambda: _passes(lambda: replace(TRUE_WITNESS, **changes).check(("n >= 1",)))

    yield "a true witness", passes(), True
    yield "a witness of other values", passes(true=Fraction(5)), False
    yield "a witness of nothing", passes(allowed=lambda _n: 4, printed=Fraction(4)), False
    yield "a witness that is not the smallest", passes(allowed=lambda _n: 0, printed=Fraction(0)), False
    yield "a witness without smaller cases", passes(smaller=list), False
    yield "a witness that does not count its smaller cases", passes(count=2), False
    yield "a witness that says that nothing is smaller", passes(count=0, none_smaller="no"), False
    yield "a witness outside the hypotheses", passes(premises=(lambda n: n < 1,)), False
    yield "a witness of which no hypothesis is checked", passes(premises=(lambda _n: True,)), False
    yield "a witness that passes over a hypothesis", passes(premises=()), False
    yield "a witness from constants", passes(actual=lambda n: n * n), False


def _checks() -> Iterator[tuple[str, Callable[[], bool], bool]]:
    def passes(**changes: Any) -> Callable[[], bool]:
        return lambda: _passes(replace(TRUE_CHECK, **changes).run)

    yield "a true check", passes(), True
    yield "a check with a false comparison", passes(function=_false), False
    yield "a check that returns a sentence", passes(function=lambda: "holds in all cases"), False
    yield "a check without comparisons", passes(function=_nothing, cases=0), False
    yield "a check with fewer comparisons", passes(cases=3), False
    yield "a check of constants", passes(function=_constants), False
    yield "a check of a function with itself", passes(function=_itself), False
    yield "a check without a perturbation", passes(perturbed=()), False
    yield "a check of floats", passes(function=_floats), False
    yield "a check of truth values that are always true", passes(function=_truths), False
    yield "a check of bounds", passes(function=_bound, cases=3), True
    yield "a check of bounds far away", passes(function=_far, cases=3), False
    few = replace(TRUE_CHECK, function=_few, cases=6)
    yield "a check of constants beside one comparison", lambda: not insensitive(few.sensitivity()), False
    yield "a check of comparisons alone", lambda: not insensitive(TRUE_CHECK.sensitivity()), True
    bound = replace(TRUE_CHECK, function=_bound)
    for name, other in {
        "a weaker bound": replace(bound, function=_weaker),
        "a bound with other ends": replace(bound, function=_ends),
        "an equation as a bound": TRUE_CHECK,
    }.items():
        yield f"{name} with the record of another", partial(_alike, other, bound), False
    yield "a bound with its record", partial(_alike, bound, bound), True


def doubled(number: int) -> int:
    """Return twice the number: what the questions compute with."""
    return 2 * number


def _true() -> Comparisons:
    """Compare doubling with adding."""
    for number in (1, 2):
        yield doubled(number), "=", number + number, f"twice {number}"


def _false() -> Comparisons:
    """Compare doubling with adding one."""
    for number in (1, 2):
        yield doubled(number), "=", number + 1, f"twice {number}"


def _nothing() -> Comparisons:
    """Compare doubling nowhere."""
    yield from ()


def _constants() -> Comparisons:
    """Compare numbers that are written down."""
    doubled(1)
    for number in (1, 2):
        yield number, "=", number, f"{number}"


def _itself() -> Comparisons:
    """Compare doubling with itself."""
    for number in (1, 2):
        yield doubled(number), "=", doubled(number), f"twice {number}"


def _few() -> Comparisons:
    """Compare doubling with adding once, and numbers that are written down."""
    yield doubled(1), "=", 2, "twice 1"
    for number in range(5):
        yield number, "=", number, f"{number}"


def _bound() -> Comparisons:
    """Bound the double by a sum."""
    for number in (1, 2, 3):
        yield doubled(number), "<", 2 * number + 1, f"twice {number}"


def _weaker() -> Comparisons:
    """Bound the double by a larger sum."""
    for number in (1, 2, 3):
        yield doubled(number), "<", 2 * number + 2, f"twice {number}"


def _truths() -> Comparisons:
    """Compare doubling with adding, and say that they agree."""
    for number in (1, 2):
        yield doubled(number) == number + number, "=", True, f"twice {number}"


def _far() -> Comparisons:
    """Bound the difference from the double, and a tenth, by ten times as much."""
    for number in (1, 2, 3):
        yield doubled(number) - 2 * number + Fraction(1, 10), "<", 1, f"twice {number}"


def _ends() -> Comparisons:
    """Bound the double as before at both ends, and by more between them."""
    for number in (1, 2, 3):
        yield doubled(number), "<", 2 * number + 1 + (number == 2), f"twice {number}"


def _floats() -> Comparisons:
    """Compare halves."""
    for number in (1, 2):
        yield doubled(number) / 2, "=", number, f"{number}"


_DOUBLED = f"{__name__}:doubled larger"
TRUE_CHECK = Check(function=_true, grade=Grade.EXACT, cases=2, perturbed=(_DOUBLED,))
TRUE_WITNESS = Witness(
    parameters={"n": 2},
    premises=(lambda n: n >= 1,),
    allowed=lambda n: n + 1,
    actual=lambda n: Fraction(doubled(n)),
    printed=Fraction(3),
    true=Fraction(4),
    order="n",
    smaller=lambda: [(0,), (1,)],
    count=1,
    perturbed=_DOUBLED,
    by_hand="2 * 2 = 4.",
)


def _alike(one: Check, other: Check) -> bool:
    return one.compared() == other.compared()


def _passes(check: Callable[[], object]) -> bool:
    try:
        check()
    except (EvidenceError, ValueError):
        return False
    return True


def _claim(check: Check | None, part: Relation | None = None) -> bool:
    claim = Claim(
        id="self.check",
        module=__name__,
        source="",
        title="",
        statement=part.latex if part else "",
        words="",
        status=Status.PROVED,
        grade=Grade.EXACT,
        complete="it is about two numbers",
        asserts=(part,) if part else (),
    )
    if check is not None:
        claim.checks.append(check)
    return all(each.holds for each in claim.examine())
