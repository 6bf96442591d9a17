"""Perturbations: a function or formula replaced by a wrong one, to show that evidence depends on it.

Evidence that computes nothing does not depend on anything: if no comparison becomes false although what is
compared is another number, the evidence is hollow. There are two kinds of perturbation.

``module:function bend`` changes the results of a function wherever it is bound:

=========== ============================================================================
larger      every number in the result plus 1
smaller     every number in the result minus 1
doubled     every number in the result times 2
reversed    sequences, arrays and the values of a mapping in reverse order
=========== ============================================================================

Truth values are negated and texts get a prime, whatever the bend. Containers and records are bent entry by
entry. ``old => new`` writes another formula in the check itself, where ``old`` stands exactly once.
"""

from __future__ import annotations

import copy
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from importlib import import_module
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from .evidence import EvidenceError

Bend: TypeAlias = Literal["larger", "smaller", "doubled", "reversed"]
BENDS: tuple[Bend, ...] = get_args(Bend)
PACKAGES = ("splu_ref", "splu_proofs")
_CACHED = tuple(
    f"{package}.{part}"
    for package, parts in {
        "splu_ref": ("channels", "guarantees", "estimators", "mechanisms", "audit", "data", "randomness"),
        "splu_proofs": (
            "splu", "olap", "chaytor", "rastogi", "entropy", "worlds", "arithmetic", "printed",
        ),
    }.items()
    for part in parts
)  # fmt: skip
"""Where results are cached that a perturbation would make false, or that would hide it."""


Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Substitution:
    """Another formula in the text of a check."""

    old: str
    new: str

    @property
    def name(self) -> str:
        """What is changed, in short."""
        return f"{self.old} as {self.new}"

    @contextmanager
    def applied(self, check: Function) -> Iterator[tuple[Function, Callable[[], int]]]:
        """Give back the check with the other formula.

        Raises
        ------
        EvidenceError
            If ``old`` does not stand exactly once in the check, or ``new`` is no code.
        """
        source = textwrap.dedent(inspect.getsource(check))
        body = source[source.index("def ") :]
        if body.count(self.old) != 1:
            raise EvidenceError(f"{self.old!r} stands {body.count(self.old)} times in the check, not once")
        names = dict(check.__globals__)
        try:
            code = compile(
                f"from __future__ import annotations\n{body.replace(self.old, self.new)}", "<check>", "exec"
            )
        except SyntaxError as error:
            raise EvidenceError(f"{self.new!r} is no formula: {error.msg}") from None
        exec(code, names)  # noqa: S102  the text of a function of this package
        yield names[check.__name__], lambda: 1


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A function, or a method, and how its results are bent.

    Attributes
    ----------
    target
        ``module:function`` or ``module:Class.method``, in ``splu_ref`` or ``splu_proofs``.
    bend
        One of `BENDS`.
    """

    target: str
    bend: Bend

    @property
    def name(self) -> str:
        """What is changed, in short."""
        return f"{self.target.partition(':')[2]} {self.bend}"

    @contextmanager
    def applied(self, check: Function) -> Iterator[tuple[Function, Callable[[], int]]]:
        """Replace the function wherever it is bound; give back the check, and what counts the calls.

        Raises
        ------
        EvidenceError
            If there is no such function.
        """
        calls = 0

        def bending(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def perturbed(*args: Any, **named: Any) -> Any:
                nonlocal calls
                calls += 1
                return bent(function(*args, **named), self.bend)

            return perturbed

        holder, name = self._place()  # imported before anything is replaced
        with _fresh_caches():
            original = vars(holder)[name]
            replacement = _like(original, bending)
            places = [(holder, name)] if isinstance(holder, type) else _bound(original)
            for place, bound in places:
                setattr(place, bound, replacement)
            try:
                yield check, lambda: calls
            finally:
                for place, bound in places:
                    setattr(place, bound, original)

    def _place(self) -> tuple[Any, str]:
        """Return the module or class that has the function, and its name there."""
        module, _, path = self.target.partition(":")
        *outer, name = path.split(".")
        try:
            holder: Any = import_module(module)
            for each in outer:
                holder = getattr(holder, each)
            vars(holder)[name]
        except (ImportError, AttributeError, KeyError):
            raise EvidenceError(f"there is no function {self.target} to perturb") from None
        return holder, name


def perturbation(text: str) -> Perturbation | Substitution:
    """Return the perturbation that ``text`` names.

    Raises
    ------
    EvidenceError
        If it is neither ``module:function bend``, of a known package, nor ``old => new``.
    """
    if " => " in text:
        old, _, new = text.partition(" => ")
        return Substitution(old, new)
    target, _, bend = text.partition(" ")
    if bend not in BENDS or target.partition(".")[0] not in PACKAGES or ":" not in target:
        raise EvidenceError(f"{text!r} is no perturbation: write 'module:function bend' or 'old => new'")
    return Perturbation(target, bend)


def bent(value: Any, bend: Bend) -> Any:
    """Return ``value`` with its numbers, texts and order changed; what has none of them stays as it is."""
    for kinds, change in _BENT:
        if isinstance(value, kinds):
            return change(value, bend)
    if type(value).__module__ == "numpy":
        return _bent_array(value, bend)
    if is_dataclass(value) and not isinstance(value, type):
        return _bent_record(value, bend)
    if callable(value) and not isinstance(value, type):
        return lambda *args, **named: bent(value(*args, **named), bend)
    return value


def _bent_number(value: Any, bend: Bend) -> Any:
    return {"larger": value + 1, "smaller": value - 1, "doubled": value * 2, "reversed": value}[bend]


def _bent_mapping(value: Any, bend: Bend) -> Any:
    images = [bent(each, bend) for each in value.values()]
    return dict(zip(value, reversed(images) if bend == "reversed" else images, strict=True))


def _bent_entries(value: Any, bend: Bend) -> Any:
    entries = [bent(each, bend) for each in value]
    if hasattr(value, "_fields"):
        return type(value)(*entries)
    return type(value)(entries[::-1] if bend == "reversed" else entries)


_BENT: tuple[tuple[Any, Callable[[Any, Bend], Any]], ...] = (
    (bool, lambda value, _: not value),
    ((int, float, Fraction), _bent_number),
    (str, lambda value, _: value + "'"),
    (Mapping, _bent_mapping),
    ((list, tuple, set, frozenset), _bent_entries),
    (Iterator, lambda value, bend: (bent(each, bend) for each in value)),
)
"""How values are bent, by their class; the first that fits."""


def _bent_array(value: Any, bend: Bend) -> Any:
    if value.dtype.kind == "b":
        return ~value
    if value.dtype.kind not in "iuf":
        return value[::-1] if value.ndim else value
    if bend == "reversed":
        return value[::-1] if value.ndim else value
    return _bent_number(value, bend)


def _bent_record(value: Any, bend: Bend) -> Any:
    changed = copy.copy(value)
    for field in fields(value):
        object.__setattr__(changed, field.name, bent(getattr(value, field.name), bend))  # frozen or not
    return changed


def _like(original: Any, bending: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Any:
    """Return the bent form of a function, or of a method of whatever kind."""
    if isinstance(original, classmethod | staticmethod):
        return type(original)(bending(original.__func__))
    if isinstance(original, property) and original.fget is not None:
        return property(bending(original.fget))
    if isinstance(original, cached_property):
        return property(bending(original.func))
    if not callable(original) or isinstance(original, type):
        raise EvidenceError(f"{original!r} is no function to perturb")
    return bending(original)


def _bound(original: Any) -> list[tuple[Any, str]]:
    """Return every module of this project, with the name there, that binds the function."""
    return [
        (module, name)
        for module_name, module in list(sys.modules.items())
        if module_name.partition(".")[0] in PACKAGES
        for name, value in list(vars(module).items())
        if value is original
    ]


@contextmanager
def _fresh_caches() -> Iterator[None]:
    """Give every function that caches its results an empty cache, and the old one back at the end.

    Old results would hide the perturbation, and results under it are false afterwards.
    """
    fresh: dict[int, Any] = {}
    places = []
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith(_CACHED):
            for name, value in list(vars(module).items()):
                if isinstance(value, _CACHING):
                    places.append((module, name, value))
                    if id(value) not in fresh:
                        fresh[id(value)] = lru_cache(**value.cache_parameters())(value.__wrapped__)
    for module, name, value in places:
        setattr(module, name, fresh[id(value)])
    try:
        yield
    finally:
        for module, name, value in places:
            setattr(module, name, value)


_CACHING = type(lru_cache(lambda: None))
