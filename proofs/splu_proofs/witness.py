"""Witnesses: the smallest exact counterexample to a refuted statement, as values that a runner checks.

A witness is a case: exact values of named parameters. Both sides of the printed statement are functions of
these parameters, so the runner evaluates them at the witness and at every smaller case alike. It

1. checks every hypothesis of the claim at the case, and that what checks it refuses some case near it;
2. evaluates what the statement allows and what is true, and compares both with the stated values;
3. needs the statement to be false there, and true at every smaller case that meets the hypotheses, and
   counts these: their number is committed, and zero needs a reason;
4. changes a named function (`splu_proofs.perturbation`) and needs the true value to change, so that a value
   that is written down and not computed is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from .check import SIGNS
from .evidence import EvidenceError
from .perturbation import Perturbation, perturbation

Case: TypeAlias = tuple[Any, ...]
Formula: TypeAlias = Callable[..., Fraction | int]


@dataclass(frozen=True, kw_only=True)
class Witness:
    """A case in which the printed statement, ``actual`` ``sign`` ``allowed``, is false.

    Attributes
    ----------
    parameters
        The case: exact values by name, in the order of the arguments of the functions.
    premises
        For each hypothesis of the claim, in its order, a function of the case that is true if the case meets
        it; or, for one that no function can decide, a sentence that says how it is met.
    allowed, actual
        What the printed statement allows, and what is true, computed from a case.
    sign
        What the statement says of the two: ``=``, ``<=`` or ``<``.
    printed, true
        The two values at the witness.
    order
        By what "smallest" is meant, such as "gamma f, then f".
    smaller
        Generates the smaller cases. Those that do not meet a hypothesis are left out of the count.
    count
        The number of smaller cases that meet the hypotheses.
    none_smaller
        Why there is no smaller case; empty if there is one.
    above
        An upper bound of the true value for the smaller cases, where ``actual`` is a lower bound.
    perturbed
        The perturbation that changes the true value: see `splu_proofs.perturbation`.
    by_hand
        The computation, so that a reader can redo it on paper.
    """

    parameters: Mapping[str, Any]
    premises: tuple[Callable[..., bool] | str, ...]
    allowed: Formula
    actual: Formula
    sign: Literal["=", "<=", "<"] = "<="
    printed: Fraction
    true: Fraction
    order: str
    smaller: Callable[[], Iterable[Case]] = tuple
    count: int = 0
    none_smaller: str = ""
    above: Formula | None = None
    perturbed: str
    by_hand: str

    def check(self, hypotheses: tuple[str, ...]) -> str:
        """Check the case, both values and every smaller case; return a summary.

        Raises
        ------
        EvidenceError
            If a hypothesis does not hold, a value is another one, the statement is not false, a smaller case
            is false too, their number is another one, or the perturbation does not change the true value.
        """
        case = tuple(self.parameters.values())
        if len(self.premises) != len(hypotheses):
            raise EvidenceError(f"speaks of {len(self.premises)} of {len(hypotheses)} hypotheses")
        if not self.meets(case, hypotheses):
            raise EvidenceError("the witness does not meet the hypotheses of the claim")
        for premise, hypothesis in zip(self.premises, hypotheses, strict=True):
            if not isinstance(premise, str) and all(_holds(premise, other) for other in _others(case)):
                raise EvidenceError(f"what is to check {hypothesis!r} accepts every case near the witness")
        values = self.allowed(*case), self.actual(*case)
        if values != (self.printed, self.true):
            raise EvidenceError(f"the values at the witness are {values[0]} and {values[1]}")
        if SIGNS[self.sign](self.true, self.printed):
            raise EvidenceError("the witness does not contradict the printed statement")
        count = self._checked_smaller(case, hypotheses)
        self._check_dependence(case)
        return f"{self.case}: {self._compared}; the {count} smaller cases hold"

    def meets(self, case: Case, hypotheses: tuple[str, ...]) -> bool:
        """Whether a case meets every hypothesis that a function decides.

        Raises
        ------
        EvidenceError
            If nothing is said of a hypothesis.
        """
        for premise, hypothesis in zip(self.premises, hypotheses, strict=True):
            if not premise:
                raise EvidenceError(f"does not say how {hypothesis!r} is met")
            if not isinstance(premise, str) and not premise(*case):
                return False
        return True

    def _checked_smaller(self, witness: Case, hypotheses: tuple[str, ...]) -> int:
        seen: set[str] = set()
        bound = self.above or self.actual
        for case in self.smaller():
            if len(case) != len(witness):
                raise EvidenceError(f"{case} is no case of the parameters")
            if not self.meets(case, hypotheses):
                continue
            if case == witness:
                raise EvidenceError("the witness stands among the smaller cases")
            if not SIGNS[self.sign](bound(*case), self.allowed(*case)):
                raise EvidenceError(f"the witness is not the smallest: {case} fails too")
            seen.add(repr(case))
        if len(seen) != self.count:
            raise EvidenceError(f"has {len(seen)} smaller cases, not {self.count}")
        if bool(self.none_smaller) is bool(self.count):
            raise EvidenceError("either has smaller cases or says why there are none")
        return len(seen)

    def _check_dependence(self, case: Case) -> None:
        change = perturbation(self.perturbed)
        if not isinstance(change, Perturbation):
            raise EvidenceError("needs the perturbation of a function")
        with change.applied(self.actual) as (actual, _):
            try:
                changed = actual(*case)
            except Exception as error:  # an error is no value, whatever it is
                raise EvidenceError(f"stops under {change.name}: {type(error).__name__}: {error}") from None
        if changed == self.true:
            raise EvidenceError(f"the true value does not change with {change.name}")

    @property
    def case(self) -> str:
        """The parameters in one line."""
        return ", ".join(f"{name} = {value}" for name, value in self.texts.items())

    @property
    def texts(self) -> dict[str, str]:
        """The parameters as texts."""
        return {name: _text(value) for name, value in self.parameters.items()}

    @property
    def _compared(self) -> str:
        if self.sign == "=":
            return f"{readable(self.true)}, not {readable(self.printed)}"
        return f"{readable(self.true)} {'>' if self.sign == '<=' else '>='} {readable(self.printed)}"

    def as_json(self) -> dict[str, object]:
        """Return the witness as plain values."""
        return {
            "parameters": self.texts,
            "printed": readable(self.printed),
            "true": readable(self.true),
            "order": self.order,
            "by_hand": self.by_hand,
        }


def _holds(premise: Callable[..., bool], case: Case) -> bool:
    try:
        return bool(premise(*case))
    except (ArithmeticError, LookupError, TypeError, ValueError):  # says nothing of such a case
        return True


def _others(case: Case) -> Iterator[Case]:
    """Yield cases that differ from one in a single parameter, which hypotheses should exclude in part."""
    for place, value in enumerate(case):
        others: tuple[Any, ...] = ()
        if isinstance(value, int | Fraction):
            others = (0, -1, 1, value + 1, value - 1, -value, 2 * value, 1000 * value + 1, Fraction(1, 2))
        elif isinstance(value, tuple):
            others = ((), value[:-1], value + value[-1:], value[::-1])
            if all(isinstance(each, int | Fraction) for each in value):
                others += (tuple(-each for each in value), tuple(2 * each for each in value))
        yield from ((*case[:place], other, *case[place + 1 :]) for other in others)


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    return str(value)


def readable(value: Fraction, digits: int = 12) -> str:
    """Return a short fraction as p/q, a long one as a decimal cut off after ``digits`` places."""
    if value.denominator.bit_length() <= 3 * digits:
        return str(value)
    return decimal(value, digits)


def decimal(value: Fraction, digits: int) -> str:
    """Return ``value`` >= 0 with ``digits`` places, rounded down, and three dots if anything was cut off."""
    scaled, left = divmod(value.numerator * 10**digits, value.denominator)
    text = str(scaled).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}" + ("..." if left else "")
