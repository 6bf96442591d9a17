"""Exact parameters and Definitions 1-4 of the SPLU model as frozen, validated types.

Every number that enters a guarantee is an exact rational. ``"0.3"``, ``"3/10"`` and
``Fraction(3, 10)`` are the same number; a float is refused, because the float 0.3 is not 3/10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self, TypeAlias

Exact: TypeAlias = int | str | Fraction | Decimal
"""What may be given where an exact number belongs."""

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""A value of a JSON document."""

_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?")
_RATIO = re.compile(r"[+-]?[0-9]{1,400}/[0-9]{1,400}")


_PARAMETERS = (
    (re.compile(r"(?<![^\s(])--missing ('[^']*')"), r"missing=\1"),
    (re.compile(r"(?<!\S)--method ([a-z]+)"), r"method='\1'"),
    (re.compile(r"(?<!\S)--force\b"), "force=True"),
    (re.compile(r"(?<!\S)--id\b"), "id_column"),
    (re.compile(r"\bsay --separator ([a-z]+)"), r"read it by read_table(path, separator='\1')"),
    (re.compile(r"(?<!\S)--(bins|by|cross|draws|drop|keep|sensitive|separator|where)\b"), r"\1"),
    (re.compile(r"(?<!\S)--hash\b"), "hashed"),
    (re.compile(r"(?<!\S)--group-rare\b"), "group_rare"),
    (re.compile(r"(?<!\S)--key-file\b"), "key"),
)
"""Options that remedies name, and the parameters that do the same in Python."""
_OPTION = re.compile(r"(?<![^\s(])--[a-z][a-z0-9-]*")
_OPTIONS_OFFERED: ContextVar[frozenset[str] | None] = ContextVar("options_offered", default=None)


@contextmanager
def options_spoken(offered: Iterable[str] = ()) -> Iterator[None]:
    """Let errors name options, as the command line does; outside they name the parameters of Python.

    Parameters
    ----------
    offered
        The options of the command that runs, such as ``--missing``.
    """
    token = _OPTIONS_OFFERED.set(frozenset(offered))
    try:
        yield
    finally:
        _OPTIONS_OFFERED.reset(token)


def offer_options(offered: Iterable[str]) -> None:
    """Say which options the command has, once it is known, until `options_spoken` ends."""
    if _OPTIONS_OFFERED.get() is not None:
        _OPTIONS_OFFERED.set(frozenset(offered))


class SpluError(Exception):
    """Root of every error that this package raises on purpose.

    A remedy is written as an option, ``--missing '?'``, and printed in Python as a parameter,
    ``missing='?'``. A remedy after the message is printed only where its options exist: in a command that
    has them, or in Python if they are parameters there.
    """

    def __str__(self) -> str:
        offered = _OPTIONS_OFFERED.get()
        words = [str(each) if offered is not None else _as_parameters(str(each)) for each in self.args]
        existing = offered or frozenset()
        return " or ".join(
            words[:1] + [each for each in words[1:] if existing.issuperset(_OPTION.findall(each))]
        )


def _as_parameters(words: str) -> str:
    """Return a text with the parameters of Python in the place of options."""
    for option, parameter in _PARAMETERS:
        words = option.sub(parameter, words)
    return words


class InputError(SpluError, ValueError):
    """Unusable input: the message is one line that says what is wrong and how to mend it."""


class ParameterError(InputError):
    """A parameter outside its range, or a float where an exact number belongs."""


class DataError(InputError):
    """A table that cannot be read, or that a mechanism cannot publish."""


class TapeExhaustedError(SpluError):
    """A recorded tape of random bytes ended before the computation did."""


class CertificateError(InputError):
    """A certificate that cannot be read, or of an unknown schema."""


def exact(value: Exact, name: str = "value") -> Fraction:
    """Return ``value`` as the rational number it denotes.

    Parameters
    ----------
    value
        An ``int``, a ``Fraction``, or a finite ``Decimal`` or a string such as ``"0.3"``, ``"3/10"`` or
        ``"1e-6"`` of at most 400 digits in each part, and 3 in the exponent.
    name
        The parameter's name, for the error message.

    Raises
    ------
    ParameterError
        For a float (whatever its value), a bool, or text that is not a number.
    """
    if isinstance(value, float):
        shortest = repr(value)
        raise ParameterError(
            f"{name} is the float {shortest}, which is not an exact number: "
            f'write "{shortest}" in quotes, or Fraction("{shortest}")'
        )
    if isinstance(value, bool):
        raise ParameterError(f'{name} is {value}, not a number: write it as "0.3" or "3/10"')
    if isinstance(value, str):
        text = value.strip()
        if _RATIO.fullmatch(text):
            if int(text.partition("/")[2]) == 0:
                raise ParameterError(f"{name} is {_clipped(value)!r}: the denominator must not be zero")
            return Fraction(text)
        if _DECIMAL.fullmatch(text):
            return Fraction(text)
        what = "30%" if text.endswith("%") else "it"
        raise ParameterError(f'{name} is {_clipped(value)!r}, not a number: write {what} as "0.3" or "3/10"')
    if isinstance(value, Decimal) and not value.is_finite():
        raise ParameterError(f'{name} is {value}, not a finite number: write it as "0.3" or "3/10"')
    if isinstance(value, Decimal):
        return exact(str(value), name)  # with the same limits as text: Decimal("1e999999999") is short
    if isinstance(value, int | Fraction):
        return Fraction(value)
    raise ParameterError(  # reached only by callers that do not check types
        f'{name} is a {type(value).__name__}: write it as "0.3", "3/10" or a Fraction'
    )


def shown(number: Fraction | int) -> str:
    """Return a number for an error message: in full, or ``about 1.234e-300`` where that is long."""
    above, below = abs(number.numerator), number.denominator
    if max(above, below) < 10**20:
        return str(Fraction(number))
    exponent = (above.bit_length() - below.bit_length()) * 30103 // 100_000 - 4
    mantissa = above * 10 ** max(-exponent, 0) // (below * 10 ** max(exponent, 0))
    digits = str(mantissa)  # four or five, or one more
    sign = "-" if number < 0 else ""
    return f"about {sign}{digits[0]}.{digits[1:4]}e{exponent + len(digits) - 1}"


def _clipped(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def positive(value: Exact, name: str) -> Fraction:
    """Return ``value`` as an exact number greater than zero."""
    number = exact(value, name)
    if number <= 0:
        raise ParameterError(f"{name} must be greater than 0, not {shown(number)}")
    return number


def probability(value: Exact, name: str) -> Fraction:
    """Return ``value`` as an exact number from 0 to 1, both included."""
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise ParameterError(f"{name} is a probability and must lie between 0 and 1, not {shown(number)}")
    return number


def integer(value: Exact, name: str, least: int) -> int:
    """Return ``value`` as an integer that is at least ``least``."""
    number = exact(value, name)
    if number.denominator != 1 or number < least:
        raise ParameterError(f"{name} must be a whole number of at least {shown(least)}, not {shown(number)}")
    return int(number)


class Gamma(int):
    """The size of a decoy group: an integer of at least 2 (Fu et al. 2014, section 3.1)."""

    __slots__ = ()

    def __new__(cls, value: Exact) -> Self:
        """Validate ``value``; ``Gamma(5)``, ``Gamma("5")`` and ``Gamma(Gamma(5))`` are the same."""
        return super().__new__(cls, integer(value, "gamma", 2))

    def __repr__(self) -> str:
        return f"Gamma({int(self)})"

    __str__ = int.__repr__


def retention_probability(value: Exact | None, gamma: Gamma) -> Fraction:
    """Return p, the probability that a record's true value is retained (Fu et al. 2014, section 3.1, step 3).

    Parameters
    ----------
    value
        Greater than 0 and at most 1; None is 1 / gamma, the choice of the paper.
    gamma
        Size of a decoy group. Each other decoy is taken with probability (1 - p) / (gamma - 1).
    """
    if value is None:
        return Fraction(1, gamma)
    number = positive(value, "retention")
    if number > 1:
        raise ParameterError(f"retention is a probability and must be at most 1, not {shown(number)}")
    return number


@dataclass(frozen=True, slots=True)
class Concept:
    """A conjunction of value assignments to attributes (Fu et al. 2014, section 2)."""

    #: pairs (column, value), sorted by column, one per column, at least one
    assignments: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        columns = [column for column, _ in self.assignments]
        if not columns:
            raise ParameterError("a concept needs at least one assignment, such as occupation=Sales")
        for column in columns:
            if columns.count(column) > 1:
                raise ParameterError(f"a concept assigns column {column!r} twice: give each column one value")
        object.__setattr__(self, "assignments", tuple(sorted(self.assignments)))

    @classmethod
    def of(cls, assignments: Mapping[str, str]) -> Self:
        """Return the concept with the given values: ``Concept.of({"sex": "Male"})``."""
        return cls(tuple(assignments.items()))

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Return the concept written as ``COLUMN=VALUE`` texts; the value may contain ``=``."""
        pairs = []
        for text in texts:
            column, equals, value = text.partition("=")
            if not equals or not column:
                raise ParameterError(f"{text!r} is not an assignment: write COLUMN=VALUE")
            pairs.append((column, value))
        return cls(tuple(pairs))

    def __str__(self) -> str:
        return " and ".join(f"{column}={value}" for column, value in self.assignments)


@dataclass(frozen=True, slots=True)
class UtilityClaim:
    """Definition 1: Pr(abs(f' - f) >= epsilon f) <= t_e for every count f >= t_f.

    Fu et al. 2014, Definition 1. The formula counts an error of exactly epsilon f, the prose beside it
    does not; the formula is followed.
    """

    epsilon: Fraction  # relative error, greater than 0
    t_e: Fraction  # error probability allowed, 0 to 1
    t_f: int  # least count that the claim speaks of, at least 1

    @classmethod
    def of(cls, epsilon: Exact, t_e: Exact, t_f: Exact) -> Self:
        """Return the claim, with each number validated."""
        return cls(positive(epsilon, "epsilon"), probability(t_e, "t_e"), integer(t_f, "t_f", 1))

    def __post_init__(self) -> None:
        positive(self.epsilon, "epsilon")
        probability(self.t_e, "t_e")
        integer(self.t_f, "t_f", 1)


@dataclass(frozen=True, slots=True)
class PrivacyClaim:
    """Definition 2: Pr(abs(f' - f) >= epsilon f) >= t_p for every count 1 <= f <= alpha.

    The probability belongs to a pair of mechanism and estimator: the definition says nothing of
    estimators other than the one that produces f'.
    """

    epsilon: Fraction  # relative error, greater than 0
    t_p: Fraction  # error probability promised, 0 to 1
    alpha: int  # largest count that is protected, at least 1

    @classmethod
    def of(cls, epsilon: Exact, t_p: Exact, alpha: Exact) -> Self:
        """Return the claim, with each number validated."""
        return cls(positive(epsilon, "epsilon"), probability(t_p, "t_p"), integer(alpha, "alpha", 1))

    def __post_init__(self) -> None:
        positive(self.epsilon, "epsilon")
        probability(self.t_p, "t_p")
        integer(self.alpha, "alpha", 1)


@dataclass(frozen=True, slots=True)
class SpluRequirement:
    """Definition 3: one mechanism that must meet a utility claim and a privacy claim at once."""

    utility: UtilityClaim
    privacy: PrivacyClaim

    def __post_init__(self) -> None:
        if self.privacy.alpha >= self.utility.t_f:
            raise ParameterError(
                f"counts up to alpha = {shown(self.privacy.alpha)} are to be wrong and counts from "
                f"t_f = {shown(self.utility.t_f)} on right: choose alpha below t_f"
            )


@dataclass(frozen=True, slots=True)
class ConceptGuarantee:
    """Definition 4: concept c has Pr(abs(f'_c - f_c) >= epsilon f_c) >= t_p."""

    concept: Concept
    epsilon: Fraction
    t_p: Fraction

    def __post_init__(self) -> None:
        positive(self.epsilon, "epsilon")
        probability(self.t_p, "t_p")


def unrepeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a mapping, as of a JSON object; raise ``KeyError`` with a key that is repeated."""
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise KeyError(key)
        mapping[key] = value
    return mapping
