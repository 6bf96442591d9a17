"""Checks: evidence that computes. The evidence lists comparisons, and this runner judges them.

A check is a generator of comparisons ``(left, sign, right, where)``. It judges nothing itself and returns
nothing, so that a body which computes nothing cannot succeed. The runner

1. evaluates every comparison, in integers and fractions; only a measurement may compare floats;
2. counts the comparisons, and those that differ from each other, and compares the number with the committed
   one: an empty list, a shorter range or a condition that excludes every case is detected;
3. needs one of the bounds, if there are any, to come close to what it bounds (`LOOSE`), and refuses truth
   values that are always the same, which hide the numbers behind them;
4. runs the check again under each of its perturbations, which change the results of a named function or a
   formula, and needs to see a comparison become false. Constants, a value compared with itself, and
   comparisons of something else do not depend on what is perturbed and are refused.

None of these looks at a fingerprint, so that a hollow check fails whether or not it was affirmed. An
exception under a perturbation does not count as detection: a check has to compare. A check of the library's
code (`Grade.ENUMERATED`) has to detect a change of a function in ``splu_ref``.

A run stops each perturbation at the first false comparison. Affirming a claim runs all comparisons under
every perturbation and counts the sensitive ones, which become false under at least one of them. They have to
be `SENSITIVE` of all, so that a few real comparisons cannot carry many constants. The counts are recorded.

Affirming also records what was compared (`Check.compared`): a digest of all values, the first and the last
comparison, and for inequalities how close a bound comes. A bound that is made weaker, or values that are
written down in place of others, change the record, and a change has to be named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Literal, TypeAlias

from .evidence import EvidenceError, Grade
from .perturbation import Perturbation, Substitution, perturbation

Sign: TypeAlias = Literal["=", "!=", "<=", ">=", "<", ">"]
Comparison: TypeAlias = tuple[Any, Sign, Any, str]
"""Left side, relation, right side, and where: the case or the quantity."""
Comparisons: TypeAlias = Iterator[Comparison]

SIGNS: dict[str, Callable[[Any, Any], Any]] = {"=": eq, "!=": ne, "<=": le, ">=": ge, "<": lt, ">": gt}
LOOSE = 4
"""The largest factor by which all bounds of a check may be too weak, if none is attained."""
_ORDERS = ("<=", ">=", "<", ">")
_SHOWN = 200
SENSITIVE = Fraction(1, 5)
"""The smallest share of the comparisons of a check that its perturbations have to make false."""


@dataclass
class Closeness:
    """How close the bounds of a check come to what they bound: strengthened by more, one becomes false."""

    bounds: int = 0
    attained: int = 0
    factor: Fraction | None = None

    def add(self, left: Any, sign: str, right: Any) -> None:
        """Count a comparison if it is a bound; only two positive numbers have a factor between them."""
        if sign not in _ORDERS:
            return
        self.bounds += 1
        less, more = (left, right) if sign[0] == "<" else (right, left)
        if less == more:
            self.attained += 1
        elif isinstance(less, int | Fraction) and isinstance(more, int | Fraction) and less > 0:
            factor = Fraction(more) / Fraction(less)
            self.factor = factor if self.factor is None else min(factor, self.factor)

    @property
    def loose(self) -> bool:
        """Whether no bound was attained, and each could be strengthened by more than `LOOSE`."""
        return not self.attained and self.factor is not None and self.factor > LOOSE

    @property
    def text(self) -> str:
        """The counts and the least factor above 1, in short; empty if nothing was bounded."""
        if not self.bounds:
            return ""
        nearest = "" if self.factor is None else f", else within a factor {float(self.factor):.6g}"
        return f"{self.bounds} bounds, {self.attained} attained{nearest}"


@dataclass(frozen=True, kw_only=True)
class Check:
    """Comparisons with the number of them and the perturbations that they must detect.

    Attributes
    ----------
    function
        Generates the comparisons; its docstring says what is compared.
    grade
        The grade of evidence: exact, enumerated or statistical.
    cases
        The committed number of comparisons.
    perturbed
        The perturbations, each as `Perturbation.parse` reads it. At least one.
    """

    function: Callable[[], Comparisons]
    grade: Grade
    cases: int
    perturbed: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.function.__name__

    @property
    def says(self) -> str:
        """What is compared, in one line."""
        return " ".join((self.function.__doc__ or "").split())

    def run(self) -> str:
        """Evaluate, count and perturb; return what was done in one line.

        Raises
        ------
        EvidenceError
            If a comparison is false, their number is another one, or a perturbation is not detected.
        """
        if not self.says:
            raise EvidenceError("does not say what it compares: write a docstring")
        if not self.perturbed:
            raise EvidenceError("names no perturbation that it detects")
        perturbations = [perturbation(text) for text in self.perturbed]
        shipped = any(text.startswith("splu_ref.") for text in self.perturbed)
        if self.grade is Grade.ENUMERATED and not shipped:
            raise EvidenceError("detects no change of the library that it enumerates")
        count = self._counted()
        for each in perturbations:
            if failure := self.undetected(each):
                raise EvidenceError(failure)
        detected = ", ".join(each.name for each in perturbations)
        return f"{count} comparisons hold; {detected} is detected"

    def _counted(self) -> int:
        """Evaluate all comparisons and return their number.

        Raises
        ------
        EvidenceError
            If one is false, their number is another one, or they are such that they say little.
        """
        count, repeated, bounds = 0, True, Closeness()
        truths: set[bool] = set()
        first: Comparison | None = None
        for comparison in self._comparisons(self.function):
            left, sign, right, where = comparison
            if not _holds(left, sign, right):
                raise EvidenceError(f"{where}: {_short(left)} {sign} {_short(right)} is false")
            if bounds.loose or (not bounds.attained and bounds.factor is None):
                bounds.add(left, sign, right)
            if type(left) is type(right) is bool:
                truths.add(left)
            first = first or comparison
            repeated = repeated and comparison == first
            count += 1
        if count != self.cases:
            raise EvidenceError(f"makes {count} comparisons, not {self.cases}")
        if count > 1 and repeated:
            raise EvidenceError(f"makes one comparison {count} times")
        if len(truths) == 1:
            raise EvidenceError(f"compares truth values that are all {truths.pop()}: compare the numbers")
        if bounds.loose and self.grade is not Grade.STATISTICAL:
            raise EvidenceError(f"no bound comes within a factor {LOOSE} of what it bounds: {bounds.text}")
        return count

    def undetected(self, change: Perturbation | Substitution) -> str:
        """Return why no comparison becomes false under a perturbation; empty if one does."""
        failure = f"no comparison detects {change.name}"
        with change.applied(self.function) as (function, calls):
            try:
                for left, sign, right, _ in self._comparisons(function):
                    if not _holds(left, sign, right):
                        return ""
            except Exception as error:  # an error is no comparison, whatever it is
                return f"{failure}: it stops with {type(error).__name__}: {error}"
            return failure if calls() else f"{failure}: the function is not called"

    def sensitivity(self) -> str:
        """Count the comparisons that become false under some perturbation; return the counts in one line."""
        sensitive: set[int] = set()
        for text in self.perturbed:
            # an error ends the comparisons, and those before it count
            with suppress(Exception), perturbation(text).applied(self.function) as (function, _):
                made = zip(range(self.cases), self._comparisons(function), strict=False)
                sensitive |= {
                    index for index, (left, sign, right, _) in made if not _holds(left, sign, right)
                }
        return f"{self.name}: {len(sensitive)} of {self.cases} comparisons"

    def compared(self) -> str:
        """Return what is compared in one line: a digest of all values, how close bounds come, both ends.

        Measurements differ from run to run, so only their signs are part of the digest.
        """
        digest, bounds, alone = sha256(), Closeness(), 0
        ends: list[Comparison] = []
        with suppress(Exception):  # an error ends the comparisons, and those before it count
            for comparison in self._comparisons(self.function):
                left, sign, right, _ = comparison
                if self.grade is Grade.STATISTICAL:
                    digest.update(f"{sign}\n".encode())
                    continue
                digest.update(f"{_plain(left)} {sign} {_plain(right)}\n".encode())
                bounds.add(left, sign, right)
                alone += left is right and not isinstance(left, int | str)  # small numbers are shared
                ends = [*ends[:1], comparison]
        texts = [
            f"{where[:60]}: {_short(left, 40)} {sign} {_short(right, 40)}"
            for left, sign, right, where in ends
        ]
        itself = f"{alone} of a value with itself" if alone else ""
        name = f"{self.name}: {digest.hexdigest()[:32]}"
        return "; ".join(filter(None, [name, bounds.text, itself, *texts]))

    def _comparisons(self, function: Callable[[], Comparisons]) -> Comparisons:
        made: object = function()
        if not isinstance(made, Iterator):
            raise EvidenceError(f"returns {_short(made)} instead of comparisons")
        comparison: Any
        for comparison in made:
            if not isinstance(comparison, tuple) or len(comparison) != 4 or comparison[1] not in SIGNS:
                raise EvidenceError(f"{_short(comparison)} is no comparison")
            if self.grade is not Grade.STATISTICAL and any(map(_inexact, (comparison[0], comparison[2]))):
                raise EvidenceError(f"{comparison[3]}: compares floats, or fractions of another class")
            yield comparison


def insensitive(line: str) -> str:
    """Return why the counts that `Check.sensitivity` reports are too small; empty if they are not."""
    sensitive, cases = map(int, line.rpartition(": ")[2].removesuffix(" comparisons").split(" of "))
    if sensitive >= SENSITIVE * cases:
        return ""
    return f"{line} become false under a perturbation, a smaller share than {SENSITIVE}"


def _holds(left: Any, sign: str, right: Any) -> bool:
    return bool(SIGNS[sign](left, right))


def _inexact(value: Any) -> bool:
    if isinstance(value, float) or (isinstance(value, Fraction) and type(value) is not Fraction):
        return True
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_inexact, value))
    return isinstance(value, dict) and any(map(_inexact, value.values()))


def _plain(value: Any) -> str:
    """Return a value as a text that is the same in every process and for every order of a set or mapping."""
    if type(value).__module__ == "numpy":
        value = value.tolist()
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_plain, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{_plain(key)}: {_plain(each)}' for key, each in value.items()))}}}"
    text = str(value) if isinstance(value, Fraction) else repr(value)
    if " at 0x" in text:
        raise EvidenceError(f"{text} is no value to compare")
    return text


def _short(value: Any, most: int = _SHOWN) -> str:
    text = str(value) if isinstance(value, Fraction) else repr(value)
    return text if len(text) <= most else f"{text[:most]}..."
