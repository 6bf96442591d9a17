"""The fields of a claim: its numbers, and the law of the counts that it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, NoReturn, TypedDict, TypeVar

from splu_ref.audit.claims.document import MAX_DIGITS, MAX_TEXT, Document, Float, clipped
from splu_ref.channels import (
    Gamma,
    GroupDraws,
    InputError,
    ParameterError,
    PublishedCount,
    exact,
    integer,
    positive,
    retention_probability,
)

_Value = TypeVar("_Value")


class Fields:
    """The keys of a ``[[claim]]`` table, or of ``[release]``, with the defaults that it inherits."""

    def __init__(
        self, document: Document, path: tuple[str | int, ...], defaults: Mapping[str, Any], claim: str
    ) -> None:
        table: Any = document.contents
        for step in path:
            table = table[step]
        self._document, self._path, self._claim = document, path, claim
        self._own: Mapping[str, Any] = table
        self._values = {**defaults, **table}

    def __contains__(self, key: str) -> bool:
        return key in self._values

    @property
    def document(self) -> Document:
        """The file."""
        return self._document

    @property
    def line(self) -> int:
        """Where the table begins."""
        return self._document.line(*self._path)

    @property
    def key_lines(self) -> dict[str, int]:
        """Where each of the table's own keys stands."""
        return {key: self._document.line(*self._path, key) for key in self._own}

    @property
    def written(self) -> dict[str, str]:
        """Every value that is text, or a whole number that is not too long, as it is written."""
        return {
            key: str(value).strip()
            for key, value in self._values.items()
            if isinstance(value, str) or (isinstance(value, int) and abs(value) < 10**MAX_DIGITS)
        }

    def refuse(self, key: str, message: str) -> NoReturn:
        """Raise an error with the place of the key: in the table itself, or where it is inherited from."""
        inherited = key in self._values and key not in self._own
        path = ("release", key) if inherited else (*self._path, key)
        self._document.refuse(message, *path, claim=self._claim)

    def refuse_unknown(self, known: tuple[str, ...], where: str) -> None:
        """Raise if the table has a key that is not ``known``."""
        self._document.refuse_unknown(known, where, *self._path, claim=self._claim)

    def require(self, keys: tuple[str, ...], inherited: tuple[str, ...]) -> None:
        """Raise unless all the keys are there; ``inherited`` are those that [release] may give."""
        for key in keys:
            if key not in self._values:
                place = ", in the claim or in [release]" if key in inherited else ""
                self.refuse(key, f'{key} is missing: write {key} = "…"{place}')

    def number(self, key: str, checked: Callable[[str | int, str], _Value]) -> _Value:
        """Return what ``checked`` makes of a number in quotes or a whole number, and of its name."""
        return self._number(key, self._values[key], checked)

    def numbers(self, key: str, checked: Callable[[str | int, str], _Value], most: int) -> tuple[_Value, ...]:
        """Return what ``checked`` makes of a number, or of each of an array of 1 to ``most`` of them."""
        values = self._values[key]
        listed = values if isinstance(values, list) else [values]
        if not 1 <= len(listed) <= most:
            self.refuse(key, f"{key} has {len(listed)} numbers: write 1 to {most}")
        return tuple(self._number(key, value, checked) for value in listed)

    def _number(self, key: str, value: Any, checked: Callable[[str | int, str], _Value]) -> _Value:
        if isinstance(value, Float):
            if value.text.lstrip("+-") in ("nan", "inf"):
                self.refuse(key, f'{key} is {value.text}, not a number: write it as "0.3" or "3/10"')
            exact = clipped(value.text.replace("_", ""))
            self.refuse(
                key,
                f"{key} is the floating-point number {clipped(value.text)}, which is not exact: write "
                f'{key} = "{exact}", in quotes',
            )
        if isinstance(value, bool) or not isinstance(value, str | int):
            self.refuse(key, f'{key} is no number: write {key} = "0.3" or "3/10", or a whole number')
        if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
            self.refuse(key, f"{key} has more than {MAX_DIGITS} digits: write a smaller number")
        try:
            return checked(value, key)
        except InputError as error:
            if key == "gamma" and isinstance(value, str) and not value.strip().isdecimal():
                self.refuse(key, f"gamma is {clipped(value)!r}: write a whole number, such as gamma = 4")
            self.refuse(key, str(error))

    def choice(self, key: str, choices: tuple[str, ...], remedy: str = "") -> str:
        """Return a word that is one of ``choices``."""
        value = self._values[key]
        if not isinstance(value, str) or value not in choices:
            shown = repr(clipped(value)) if isinstance(value, str) else "no text"
            listed = " or ".join(f'"{choice}"' for choice in choices)
            near = get_close_matches(value[:100], choices, n=2) if isinstance(value, str) else []
            meant = f"did you mean {' or '.join(near)}?" if near else f"write {listed}"
            self.refuse(key, f"{key} is {shown}: {remedy or meant}")
        return value

    def flag(self, key: str) -> bool:
        """Return whether a key is there and true."""
        value = self._values.get(key, False)
        if not isinstance(value, bool):
            self.refuse(key, f"{key} is neither true nor false: write {key} = true")
        return value

    def text(self, key: str) -> str:
        """Return a text of one line, empty if it is not there."""
        text: Any = self._values.get(key, "")
        if not _is_text(text):
            self.refuse(key, f"{key} is no text of one line of at most {MAX_TEXT} characters: shorten it")
        return str(text)

    def texts(self, key: str, most: int) -> tuple[str, ...]:
        """Return a text, or each of an array of 1 to ``most`` of them, none twice."""
        values = self._values[key]
        listed = values if isinstance(values, list) else [values]
        if not 1 <= len(listed) <= most or not all(_is_text(each) and each for each in listed):
            self.refuse(
                key,
                f'{key} is no list of 1 to {most} texts of {MAX_TEXT} characters at most: write ["age"]',
            )
        if len(set(listed)) < len(listed):
            self.refuse(key, f"{key} names one text twice: leave one out")
        return tuple(listed)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT and value.isprintable()


def not_negative(value: str | int, name: str) -> Fraction:
    """Return an exact number of at least 0, for `Fields.number`."""
    found = exact(value, name)
    if found < 0:
        raise ParameterError(f"{name} is negative: write 0 or more")
    return found


def count(value: str | int, name: str) -> int:
    """Return a whole number of at least 1, for `Fields.number`."""
    return integer(value, name, 1)


COUNTED = ("gamma", "epsilon")
"""Keys that every claim about published counts has."""
INHERITED = (*COUNTED, "retention", "draws")
"""Those that ``[release]`` may give."""


class LawFields(TypedDict):
    """The attributes of a claim about published counts."""

    law: PublishedCount
    epsilon: Fraction
    draws: GroupDraws


def published_law(fields: Fields, *, any_draws: bool = False) -> LawFields:
    """Read the group size, the retention probability, the relative error and the law of the draws."""
    gamma = fields.number("gamma", group_size)
    retention = fields.number("retention", retained) if "retention" in fields else Fraction(1, gamma)
    law = PublishedCount(gamma, retention)
    draws = group_draws(fields) if "draws" in fields else GroupDraws()
    if draws.bound is not None and not any_draws:
        fields.refuse("draws", 'this kind of claim is treated for independent draws: write "independent"')
    if draws.bound is not None and not law.is_plain:
        fields.refuse("draws", f"draws {draws} have retention 1/gamma: leave out the retention")
    return {"law": law, "epsilon": fields.number("epsilon", positive), "draws": draws}


def group_draws(fields: Fields) -> GroupDraws:
    """Read the law of the draws of a group."""
    text = fields.written.get("draws")
    if text is None:
        fields.refuse("draws", 'draws is no text: write "independent", "capped:M" or "all-or-none:A"')
    try:
        return GroupDraws.parse(text)
    except InputError as error:
        fields.refuse("draws", str(error).replace("--draws", "draws"))


def group_size(value: str | int, _: str) -> Gamma:
    """Return a group size, for `Fields.number`."""
    return Gamma(value)


def retained(value: str | int, _: str) -> Fraction:
    """Return a retention probability of SPLU-Gen, for `Fields.number`."""
    return retention_probability(value, Gamma(2))  # the group size matters for the default only
