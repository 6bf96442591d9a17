"""Statements that can be evaluated: what is printed and what is computed are one formula.

A `Relation` compares two sides. A side is a formula, whose LaTeX is written by running it on `Tex` objects,
or a named `Quantity` of the law, which is computed from its definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from operator import eq, ge, gt, le, lt
from typing import Any, Literal, TypeAlias

from .evidence import EvidenceError

Case: TypeAlias = tuple[Any, ...]
Sign: TypeAlias = Literal["=", "<=", ">=", "<", ">"]

_SIGNS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "=": ("=", eq),
    "<=": (r"\le", le),
    ">=": (r"\ge", ge),
    "<": ("<", lt),
    ">": (">", gt),
}
_GREEK = {"gamma": r"\gamma", "epsilon": r"\varepsilon", "alpha": r"\alpha"}
_SUM, _PRODUCT, _ATOM = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of the law: its LaTeX, and its value by the definition.

    Attributes
    ----------
    latex
        How it is printed.
    value
        Computes it from the variables of the relation, in their order.
    """

    latex: str
    value: Callable[..., Any]


Side: TypeAlias = Quantity | Callable[..., Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Relation:
    """``left`` and ``right`` compared, in LaTeX and at cases.

    Attributes
    ----------
    variables
        Names of the arguments of both sides.
    left, sign, right
        The two sides, and what is said of them.
    cases
        The cases at which the evidence evaluates the relation.
    """

    variables: tuple[str, ...]
    left: Side
    sign: Sign
    right: Side
    cases: Callable[[], Iterable[Case]]

    @property
    def latex(self) -> str:
        """The relation as LaTeX."""
        return f"{self._latex(self.left)} {_SIGNS[self.sign][0]} {self._latex(self.right)}"

    def sides(self, *case: Any) -> tuple[Fraction, Fraction]:
        """Return the values of both sides at a case."""
        return _value(self.left, case), _value(self.right, case)

    def check(self) -> str:
        """Evaluate the relation at every case; return how many there are.

        Raises
        ------
        EvidenceError
            If it does not hold at one, or there is none.
        """
        count = 0
        for case in self.cases():
            left, right = self.sides(*case)
            if not _SIGNS[self.sign][1](left, right):
                at = ", ".join(f"{name} = {value}" for name, value in zip(self.variables, case, strict=True))
                raise EvidenceError(f"the statement is false at {at}: {left} {self.sign} {right}")
            count += 1
        if not count:
            raise EvidenceError("the statement is evaluated nowhere")
        return f"holds at {count} cases"

    def _latex(self, side: Side) -> str:
        if isinstance(side, Quantity):
            return side.latex
        return str(side(*(Tex(_GREEK.get(name, name)) for name in self.variables)))


def _value(side: Side, case: Case) -> Fraction:
    if isinstance(side, Quantity):
        return Fraction(side.value(*case))
    return Fraction(side(*(Fraction(each) if isinstance(each, int) else each for each in case)))


@dataclass(frozen=True, slots=True)
class Tex:
    """LaTeX that grows by arithmetic; ``rank`` decides when it needs parentheses."""

    text: str
    rank: int = _ATOM

    def __str__(self) -> str:
        return self.text

    def _within(self, rank: int) -> str:
        return self.text if self.rank >= rank else f"({self.text})"

    def __add__(self, other: Tex | int) -> Tex:
        return Tex(f"{self}+{_tex(other)}", _SUM)

    def __radd__(self, other: int) -> Tex:
        return _tex(other) + self

    def __sub__(self, other: Tex | int) -> Tex:
        return Tex(f"{self}-{_tex(other)._within(_PRODUCT)}", _SUM)

    def __rsub__(self, other: int) -> Tex:
        return _tex(other) - self

    def __mul__(self, other: Tex | int) -> Tex:
        return Tex(f"{self._within(_PRODUCT)} {_tex(other)._within(_PRODUCT)}", _PRODUCT)

    def __rmul__(self, other: int) -> Tex:
        return _tex(other) * self

    def __truediv__(self, other: Tex | int) -> Tex:
        return Tex(rf"\frac{{{self}}}{{{_tex(other)}}}", _PRODUCT)

    def __rtruediv__(self, other: int) -> Tex:
        return _tex(other) / self

    def __pow__(self, exponent: Tex | int) -> Tex:
        base = self if self.rank == _ATOM else Tex(f"({self})")
        return Tex(f"{base}^{{{exponent}}}", _PRODUCT)


def _tex(value: Tex | int) -> Tex:
    return value if isinstance(value, Tex) else Tex(str(value))
