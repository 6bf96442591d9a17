"""Files of certificates: the form of a file, and the conditions on every one.

A certificate is one JSON object that states a fact about published data, with integers from which the fact
follows by arithmetic. The conditions of this module are those of every certificate. Each later module has the
conditions of some claims. A checker goes through the conditions in order: first those of this module, then
those of the claim. The first one that does not hold gives the verdict, ``unreadable`` or ``false``. If all
hold, the verdict is ``valid``. The file format is an addition of this specification.

Every integer has one spelling: no leading zeros, no ``-0``, no capital hexadecimal digits. Another spelling
is ``unreadable`` where a witness is read, and ``false`` where a computed value stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd

SCHEMA = "splu-ref/certificate/1"

MOST_BYTES = 4_000_000
"""Bytes of the largest certificate, in UTF-8."""

KEYS = ("schema", "claim", "parameters", "statement", "evidence", "produced_by")

WHOLE = "[1-9][0-9]{0,11}"
"""A parameter that counts: decimal, without sign or leading zeros, at least 1."""

WHOLE_OR_ZERO = "0|" + WHOLE

FRACTION = "0|[1-9][0-9]{0,399}(/[1-9][0-9]{0,399})?"
"""A parameter that is an exact number."""

HEXADECIMAL = "0|[1-9a-f][0-9a-f]{0,63}"
"""A witness: hexadecimal, without sign or leading zeros. So every integer has one spelling."""

LONG_HEXADECIMAL = "0|[1-9a-f][0-9a-f]{0,1999}"

SIGNED_HEXADECIMAL = "0|-?[1-9a-f][0-9a-f]{0,1999}"
"""The only integers with a sign are the ``rows`` of ``optimal-operator``. There is no ``-0``."""

PRODUCER = "[0-9A-Za-z.+-]{1,64}"


def matches(value: object, form: str) -> bool:
    """Return whether a value is a text of this form, from its first character to its last.

    >>> matches("0a", HEXADECIMAL), matches("-0", SIGNED_HEXADECIMAL), matches("-a", SIGNED_HEXADECIMAL)
    (False, False, True)
    """
    return isinstance(value, str) and re.fullmatch(form, value) is not None


def has_keys(value: object, keys: Sequence[str]) -> bool:
    """Return whether a value is an object with exactly these keys.

    >>> has_keys({"first": 1, "last": 2}, ["last", "first"]), has_keys(["first"], ["first"])
    (True, False)
    """
    return isinstance(value, dict) and set(value) == set(keys)


@dataclass(frozen=True)
class Certificate:
    """A file, read as far as it can be. A property may be used once the conditions before it hold."""

    text: str

    @cached_property
    def file(self) -> dict[str, object]:
        """Return the JSON object."""
        document = json.loads(self.text)
        return document if isinstance(document, dict) else {}

    @property
    def claim(self) -> str:
        """Return the name of the claim."""
        return str(self.file["claim"])

    @cached_property
    def parameters(self) -> Mapping[str, object]:
        """Return the parameters."""
        found = self.file["parameters"]
        return found if isinstance(found, dict) else {}

    @property
    def producer(self) -> Mapping[str, object]:
        """Return who wrote the certificate."""
        found = self.file["produced_by"]
        return found if isinstance(found, dict) else {}

    @property
    def statement(self) -> object:
        """Return the statement."""
        return self.file["statement"]

    def evidence(self, *path: str | int) -> object:
        """Return the evidence, or the part of it at a path of keys and places."""
        part: object = self.file["evidence"]
        for step in path:
            part = part[step]  # type: ignore[index]  # earlier conditions hold
        return part

    def whole(self, name: str) -> int:
        """Return a parameter that is an integer."""
        return int(str(self.parameters[name]))

    def exact(self, name: str) -> Fraction:
        """Return a parameter that is an exact number."""
        return Fraction(str(self.parameters[name]))

    def word(self, name: str) -> str:
        """Return a parameter as it is written."""
        return str(self.parameters[name])

    def integer(self, *path: str | int) -> int:
        """Return an integer of the evidence."""
        return int(str(self.evidence(*path)), 16)

    def integers(self, *path: str | int) -> list[int]:
        """Return a list of integers of the evidence."""
        return [int(str(entry), 16) for entry in self.listed(*path)]

    def listed(self, *path: str | int) -> list[object]:
        """Return a list of the evidence."""
        part = self.evidence(*path)
        assert isinstance(part, list)
        return part


@dataclass(frozen=True)
class Condition:
    """What must hold of a certificate.

    Attributes
    ----------
    field
        What it is about, as a path in the file.
    name
        Of the condition; no two of one claim are equal.
    otherwise
        The verdict if it does not hold: ``unreadable`` or ``false``.
    sentence
        The condition in words.
    holds
        Decides it.
    """

    field: str
    name: str
    otherwise: str
    sentence: str
    holds: Callable[[Certificate], bool]


def readable(field: str, name: str, sentence: str, holds: Callable[[Certificate], bool]) -> Condition:
    """Return a condition without which a certificate is unreadable."""
    return Condition(field, name, "unreadable", sentence, holds)


def true(field: str, name: str, sentence: str, holds: Callable[[Certificate], bool]) -> Condition:
    """Return a condition without which a certificate is false."""
    return Condition(field, name, "false", sentence, holds)


def whole(name: str, form: str = WHOLE) -> Condition:
    """Return the condition on the form of an integer parameter; one that is left out has no form."""
    return readable(
        f"parameters.{name}",
        f"{name}-form",
        f"`{name}` is a decimal integer of at most 12 digits, without sign or leading zeros, at least "
        f"{0 if form == WHOLE_OR_ZERO else 1}.",
        lambda c: name not in c.parameters or matches(c.parameters[name], form),
    )


def fraction(name: str) -> Condition:
    """Return the condition on the form of a parameter that is an exact number."""

    def holds(c: Certificate) -> bool:
        written = c.parameters.get(name, "0")
        return matches(written, FRACTION) and str(Fraction(str(written))) == written

    return readable(
        f"parameters.{name}",
        f"{name}-form",
        f"`{name}` is `p/q` in lowest terms, or `p` if `q` would be 1, with at most 400 decimal "
        f"digits in each part, "
        "without sign or leading zeros.",
        holds,
    )


def witness(*path: str, form: str = HEXADECIMAL) -> Condition:
    """Return the condition on the form of an integer of the evidence that a checker reads."""
    return readable(
        ".".join(("evidence", *path)),
        "-".join((*path, "form")),
        f"It is a hexadecimal integer without sign or leading zeros, of at most "
        f"{64 if form == HEXADECIMAL else 2000} digits.",
        lambda c: matches(c.evidence(*path), form),
    )


def object_with(*path: str, keys: Sequence[str]) -> Condition:
    """Return the condition that a part of the evidence is an object with exactly some keys."""
    return readable(
        ".".join(("evidence", *path)),
        "-".join((*path, "keys")),
        f"It is an object with the keys {', '.join(f'`{key}`' for key in keys)} and no other.",
        lambda c: has_keys(c.evidence(*path), keys),
    )


def computed(*path: str | int, sentence: str, value: Callable[[Certificate], object]) -> Condition:
    """Return the condition that a part of the evidence is what follows from parameters and witnesses.

    The value may be of any JSON type: of another one, it is another value.
    """
    field = ".".join(("evidence", *map(str, path)))
    return true(field, "-".join(map(str, path)), sentence, lambda c: c.evidence(*path) == value(c))


def in_lowest_terms(c: Certificate, *path: str) -> bool:
    """Return whether the numerator and the denominator at a path are a fraction in lowest terms."""
    numerator, denominator = (c.integer(*path, part) for part in ("numerator", "denominator"))
    return denominator > 0 and gcd(numerator, denominator) == 1


def hexadecimal(value: int) -> str:
    """Return an integer as it stands in the evidence.

    >>> hexadecimal(0), hexadecimal(-26)
    ('0', '-1a')
    """
    return f"{value:x}"


BLANK = "\0"
"""Stands in a statement for a number that is computed."""


@dataclass(frozen=True)
class Statement:
    """The sentence of a certificate: words with blanks, and the decimals that fill them."""

    words: str
    numbers: Callable[[Certificate], Sequence[str]] = lambda _: ()

    def words_are_in(self, given: object) -> bool:
        """Return whether a text has these words, with anything that looks like a decimal for each blank."""
        return matches(given, "[0-9.e-]{1,40}".join(map(re.escape, self.words.split(BLANK))))

    def text(self, c: Certificate) -> str:
        """Return the sentence."""
        text = self.words
        for number in self.numbers(c):
            text = text.replace(BLANK, number, 1)
        return text


def stated(sentence: Callable[[Certificate], Statement], *, blanks: bool = False) -> list[Condition]:
    """Return the conditions on a statement: its words, and, if it has blanks, the numbers in them."""

    def numbers(c: Certificate) -> bool:
        made = sentence(c)
        return not made.words_are_in(c.statement) or c.statement == made.text(c)

    words = "The statement has the words of the claim, with the parameters as they are written."
    first = true("statement", "statement-words", words, lambda c: sentence(c).words_are_in(c.statement))
    rounded = "Its decimals are the computed probabilities, rounded in the direction that the claim says."
    return [first, *([true("statement", "statement-numbers", rounded, numbers)] if blanks else [])]


def _is_json(c: Certificate) -> bool:
    """Return whether the text is JSON, in which NaN and Infinity do not occur."""
    try:
        json.loads(c.text, parse_constant=_no_constant, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _no_constant(name: str) -> str:
    raise ValueError(name)


def _no_numbers(c: Certificate) -> bool:
    """Return whether every number stands within a text."""
    numbers: list[str] = []
    json.loads(c.text, parse_int=numbers.append, parse_float=numbers.append)
    return not numbers


def _no_key_twice(c: Certificate) -> bool:
    """Return whether no object has a key twice."""
    objects: list[list[tuple[str, object]]] = []
    json.loads(c.text, object_pairs_hook=objects.append)
    return all(len(dict(pairs)) == len(pairs) for pairs in objects)


def _producer(part: str) -> Condition:
    return readable(
        f"produced_by.{part}",
        f"producer-{part}",
        "It is 1 to 64 letters, digits or `.+-`. Nothing else is checked of it.",
        lambda c: matches(c.producer[part], PRODUCER),
    )


def file_conditions(claims: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> list[Condition]:
    """Return the conditions of every certificate; of each claim.

    Its parameters, and those that may be left out.
    """

    def named(c: Certificate) -> bool:
        needed, optional = claims[c.claim]
        return isinstance(c.file["parameters"], dict) and set(needed) <= set(c.parameters) <= {
            *needed,
            *optional,
        }

    return [
        readable(
            "the file",
            "size",
            "It has at most 4,000,000 bytes in UTF-8.",
            lambda c: len(c.text.encode()) <= MOST_BYTES,
        ),
        readable("the file", "json", "It is JSON; NaN and Infinity are not.", _is_json),
        readable("the file", "numbers", "No number stands outside a text.", _no_numbers),
        readable("the file", "key-twice", "No object has a key twice.", _no_key_twice),
        readable(
            "the file",
            "keys",
            "It is an object with the six keys and no other.",
            lambda c: has_keys(c.file, KEYS),
        ),
        readable("schema", "schema", f"It is `{SCHEMA}`.", lambda c: c.file["schema"] == SCHEMA),
        readable("claim", "claim", "It is the name of a claim.", lambda c: c.file["claim"] in list(claims)),
        readable(
            "produced_by",
            "producer-keys",
            "It is an object with the keys `version` and `spec` and no other.",
            lambda c: has_keys(c.file["produced_by"], ("version", "spec")),
        ),
        _producer("version"),
        _producer("spec"),
        readable(
            "parameters",
            "parameters-keys",
            "It is an object with every parameter of the claim, perhaps those that may be left out, "
            "and no other.",
            named,
        ),
    ]
