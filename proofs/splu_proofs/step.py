"""One step of a derivation: an identity or an inequality, shown by SymPy and judged without it.

SymPy is the witness, never the judge. A step counts as proved only if SymPy agrees, no judge of
`splu_proofs.recheck` objects, and at least one of them confirms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

Formula: TypeAlias = Callable[..., Any]
(
    "Written with ``+ - * /`` and whole powers, so that it takes integers, fractions, symbols and degrees "
    "alike."
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one judge says: ``True`` it holds, ``False`` it does not, ``None`` the judge could not decide."""

    holds: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step as it came out: ``proved``, or wrong (``error``), or only without a judge (``missing``)."""

    name: str
    proved: bool
    detail: str
    error: str = ""
    missing: str = ""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """``left`` = ``right`` as rational functions.

    Attributes
    ----------
    name, says
        A short name, and the step in words.
    variables
        Names of the arguments of both sides, each with the first integer of its range on the grid: from
        there on no denominator may vanish.
    left, right
        The two sides.
    recheck
        The judges, by default those of `splu_proofs.recheck` for such a step. Without one it is not proved.
    """

    name: str
    says: str
    variables: Mapping[str, int]
    left: Formula
    right: Formula
    recheck: tuple[Callable[[Identity], Opinion], ...] = field(default_factory=lambda: _judges("on_grid"))

    def latex(self) -> str:
        """Return the identity as LaTeX."""
        import sympy  # noqa: PLC0415  slow to import

        symbols = _symbols(tuple(self.variables))
        with sympy.evaluate(False):  # as written: SymPy would otherwise cancel what the step is about
            return f"{sympy.latex(self.left(*symbols))} = {sympy.latex(self.right(*symbols))}"

    def recorded(self) -> str:
        """Return the value of the sides at one point, which other formulas would hardly have."""
        point = [
            start + prime
            for start, prime in zip(self.variables.values(), _primes(len(self.variables)), strict=True)
        ]
        return f"[{self.left(*point)}]"

    def witnessed(self) -> bool:
        """Whether SymPy finds that the numerator of the difference expands to zero."""
        import sympy  # noqa: PLC0415  slow to import

        symbols = _symbols(tuple(self.variables))
        difference = sympy.sympify(self.left(*symbols) - self.right(*symbols))
        numerator, _ = sympy.fraction(sympy.together(difference))
        return bool(sympy.expand(numerator) == 0)

    def empty(self) -> str:
        """Return why the step says nothing, or an empty text.

        It says nothing if both sides are one before any algebra is done.
        """
        import sympy  # noqa: PLC0415  slow to import

        symbols = _symbols(tuple(self.variables))
        same = sympy.sympify(self.left(*symbols)) == sympy.sympify(self.right(*symbols))
        return "says of a thing that it is itself" if same else ""

    def check(self) -> StepResult:
        """Hear SymPy and every judge."""
        return _heard(self, [partial(judge, self) for judge in self.recheck])


@dataclass(frozen=True, kw_only=True)
class Inequality:
    """If every entry of ``given`` is >= 0 then ``then`` is >= 0, over all integers.

    Attributes
    ----------
    name, says
        A short name, and the step in words.
    variables
        Names of the integers.
    given
        The hypotheses, as quantities that are at least 0; as many as variables, and linear enough to be
        solved for them.
    slack
        The solution: the variables as polynomials in the quantities of ``given``.
    then
        The polynomial that is claimed to be at least 0.
    recheck
        The judges, by default those of `splu_proofs.recheck` for such a step. Without one it is not proved.
    """

    name: str
    says: str
    variables: tuple[str, ...]
    given: Formula
    slack: Formula
    then: Formula
    recheck: tuple[Callable[[Inequality], Opinion], ...] = field(
        default_factory=lambda: _judges("by_differences", "by_solver")
    )

    def latex(self) -> str:
        """Return the implication as LaTeX."""
        import sympy  # noqa: PLC0415  slow to import

        symbols = _symbols(self.variables)
        hypotheses = ",\\ ".join(rf"{sympy.latex(part)} \ge 0" for part in self.given(*symbols))
        return rf"{hypotheses} \;\Longrightarrow\; {sympy.latex(self.then(*symbols))} \ge 0"

    def recorded(self) -> str:
        """Return the values of the hypotheses and the conclusion at one point."""
        point = _primes(len(self.variables))
        return f"[{', '.join(map(str, (*self.given(*point), self.then(*point))))}]"

    def witnessed(self) -> bool:
        """Whether SymPy, substituting the slacks, expands the conclusion to coefficients all >= 0."""
        import sympy  # noqa: PLC0415  slow to import

        symbols = _symbols(self.variables)
        there = [sympy.expand(part) for part in self.given(*self.slack(*symbols))]
        back = [sympy.expand(part) for part in self.slack(*self.given(*symbols))]
        if there != list(symbols) or back != list(symbols):
            return False
        conclusion = sympy.Poly(sympy.expand(self.then(*self.slack(*symbols))), *symbols)
        return all(coefficient >= 0 for coefficient in conclusion.coeffs())

    def empty(self) -> str:
        """Return why the step says nothing, or an empty text.

        It says nothing if it repeats a hypothesis, times a number, or speaks of no variable.
        """
        import sympy  # noqa: PLC0415  slow to import

        symbols = _symbols(self.variables)
        conclusion = sympy.expand(self.then(*symbols))
        if conclusion.is_number:
            return "compares two numbers"
        for index, part in enumerate(self.given(*symbols)):
            if sympy.cancel(conclusion / part).is_number:
                return f"says what hypothesis {index + 1} says"
        return ""

    def check(self) -> StepResult:
        """Hear SymPy and every judge."""
        return _heard(self, [partial(judge, self) for judge in self.recheck])


Step: TypeAlias = Identity | Inequality


def _judges(*names: str) -> tuple[Callable[[Any], Opinion], ...]:
    from . import recheck  # noqa: PLC0415  it imports the steps

    return tuple(getattr(recheck, name) for name in names)


def _primes(count: int) -> list[Fraction]:
    """Return the first primes, at which the formulas of a step are recorded."""
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % each for each in found):
            found.append(number)
        number += 1
    return [Fraction(each) for each in found]


def _symbols(names: tuple[str, ...]) -> tuple[Any, ...]:
    import sympy  # noqa: PLC0415  slow to import

    return tuple(sympy.Symbol(name) for name in names)


def _heard(step: Step, judges: list[Callable[[], Opinion]]) -> StepResult:
    name = step.name
    if not judges:
        return StepResult(name, False, "", error="has no independent re-check, so it is not proved")
    if empty := step.empty():
        return StepResult(name, False, "", error=empty)
    if not step.witnessed():
        return StepResult(name, False, "", error="SymPy does not confirm it")
    opinions = [judge() for judge in judges]
    for opinion in opinions:
        if opinion.holds is False:
            return StepResult(name, False, "", error=opinion.detail)
    confirmed = [opinion.detail for opinion in opinions if opinion.holds]
    if not confirmed:
        return StepResult(name, False, "", missing="; ".join(opinion.detail for opinion in opinions))
    return StepResult(name, True, "; ".join(confirmed))
