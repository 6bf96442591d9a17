"""Perturbations: a function or formula replaced by a wrong one, to show that evidence depends on it.

Evidence that computes nothing does not depend on anything: if no comparison becomes false although what is
compared is another number, the evidence is hollow. There are two kinds of perturbation.

``module:function kind`` changes the results of a function wherever it is bound:

=========== ============================================================================
larger      every number in the result plus 1
smaller     every number in the result minus 1
doubled     every number in the result times 2
reversed    sequences, arrays and the values of a mapping in reverse order
=========== ============================================================================

Truth values are negated and texts get a prime, whatever the kind. Containers and records are distorted entry
by entry. ``old => new`` writes another formula in the check itself, where ``old`` stands exactly once.
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from importlib import import_module
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from .evidence import EvidenceError

Kind: TypeAlias = Literal["larger", "smaller", "doubled", "reversed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
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
        [function] = ast.parse(source).body
        body = "\n".join(source.split("\n")[function.lineno - 1 :])  # without decorators
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
    """A function, or a method, and how its results are distorted.

    Attributes
    ----------
    target
        ``module:function`` or ``module:Class.method``, in ``splu_ref`` or ``splu_proofs``.
    kind
        One of `KINDS`.
    """

    target: str
    kind: Kind

    @property
    def name(self) -> str:
        """What is changed, in short."""
        return f"{self.target.partition(':')[2]} {self.kind}"

    @contextmanager
    def applied(self, check: Function) -> Iterator[tuple[Function, Callable[[], int]]]:
        """Replace the function wherever it is bound; give back the check, and what counts the calls.

        Raises
        ------
        EvidenceError
            If there is no such function.
        """
        calls = 0

        def distorting(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def perturbed(*args: Any, **named: Any) -> Any:
                nonlocal calls
                calls += 1
                return distorted(function(*args, **named), self.kind)

            return perturbed

        holder, name = self._place()  # imported before anything is replaced
        with _fresh_caches():
            original = vars(holder)[name]
            replacement = _like(original, distorting)
            places = [(holder, name)] if isinstance(holder, type) else _bound(original)
            before = _modules()
            for place, bound in places:
                setattr(place, bound, replacement)
            try:
                yield check, lambda: calls
            finally:
                # with the places that bound it meanwhile: modules that the check imported
                meanwhile = _binding(replacement, set(_modules()) - set(before))
                for place, bound in {*places, *meanwhile}:
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
        If it is neither ``module:function kind``, of a known package, nor ``old => new``.
    """
    if " => " in text:
        old, _, new = text.partition(" => ")
        return Substitution(old, new)
    target, _, kind = text.partition(" ")
    if kind not in KINDS or target.partition(".")[0] not in PACKAGES or ":" not in target:
        raise EvidenceError(f"{text!r} is no perturbation: write 'module:function kind' or 'old => new'")
    return Perturbation(target, kind)


def distorted(value: Any, kind: Kind) -> Any:
    """Return ``value`` with its numbers, texts and order changed; what has none of them stays as it is."""
    for kinds, change in _DISTORTED:
        if isinstance(value, kinds):
            return change(value, kind)
    if type(value).__module__ == "numpy":
        return _distorted_array(value, kind)
    if is_dataclass(value) and not isinstance(value, type):
        return _distorted_record(value, kind)
    if callable(value) and not isinstance(value, type):
        return lambda *args, **named: distorted(value(*args, **named), kind)
    return value


def _distorted_number(value: Any, kind: Kind) -> Any:
    return {"larger": value + 1, "smaller": value - 1, "doubled": value * 2, "reversed": value}[kind]


def _distorted_mapping(value: Any, kind: Kind) -> Any:
    images = [distorted(each, kind) for each in value.values()]
    return dict(zip(value, reversed(images) if kind == "reversed" else images, strict=True))


def _distorted_entries(value: Any, kind: Kind) -> Any:
    entries = [distorted(each, kind) for each in value]
    if hasattr(value, "_fields"):
        return type(value)(*entries)
    return type(value)(entries[::-1] if kind == "reversed" else entries)


_DISTORTED: tuple[tuple[Any, Callable[[Any, Kind], Any]], ...] = (
    (bool, lambda value, _: not value),
    ((int, float, Fraction), _distorted_number),
    (str, lambda value, _: value + "'"),
    (Mapping, _distorted_mapping),
    ((list, tuple, set, frozenset), _distorted_entries),
    (Iterator, lambda value, kind: (distorted(each, kind) for each in value)),
)
"""How values are distorted, by their class; the first that fits."""


def _distorted_array(value: Any, kind: Kind) -> Any:
    if value.dtype.kind == "b":
        return ~value
    if value.dtype.kind not in "iuf":
        return value[::-1] if value.ndim else value
    if kind == "reversed":
        return value[::-1] if value.ndim else value
    return _distorted_number(value, kind)


def _distorted_record(value: Any, kind: Kind) -> Any:
    changed = copy.copy(value)
    for field in fields(value):
        object.__setattr__(changed, field.name, distorted(getattr(value, field.name), kind))  # frozen or not
    return changed


def _like(original: Any, distorting: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Any:
    """Return the distorted form of a function, or of a method of whatever kind."""
    if isinstance(original, classmethod | staticmethod):
        return type(original)(distorting(original.__func__))
    if isinstance(original, property) and original.fget is not None:
        return property(distorting(original.fget))
    if isinstance(original, cached_property):
        return property(distorting(original.func))
    if not callable(original) or isinstance(original, type):
        raise EvidenceError(f"{original!r} is no function to perturb")
    return distorting(original)


def _bound(original: Any) -> list[tuple[Any, str]]:
    """Return every module of this project, with the name there, that binds the function."""
    modules = _modules()
    places = _bindings(modules)[0].get(id(original), [])
    if places and all(vars(module).get(name) is original for module, name in places):
        return places
    return _binding(original, modules)


def _binding(original: Any, modules: Iterable[tuple[str, Any, int]]) -> list[tuple[Any, str]]:
    """Return which of these modules bind the function, with its name there."""
    return [
        (module, name)
        for _, module, _ in modules
        for name, value in list(vars(module).items())
        if value is original
    ]


def _modules() -> tuple[tuple[str, Any, int], ...]:
    """Return the modules of this project, with the number of names in each, which late imports change."""
    loaded = list(sys.modules.items())
    return tuple((name, module, len(vars(module))) for name, module in loaded if name.startswith(PACKAGES))


@lru_cache(maxsize=1)
def _bindings(
    modules: tuple[tuple[str, Any, int], ...],
) -> tuple[dict[int, list[tuple[Any, str]]], list[tuple[Any, str, Any]]]:
    """Return where each function is bound, by its identity, and the functions that cache their results.

    Reading tens of thousands of names takes as long as many a check, and they change only by an import.
    """
    bound: dict[int, list[tuple[Any, str]]] = {}
    caching = []
    for module_name, module, _ in modules:
        for name, value in list(vars(module).items()):
            if callable(value):
                bound.setdefault(id(value), []).append((module, name))
            if isinstance(value, _CACHING) and module_name.startswith(_CACHED):
                caching.append((module, name, value))
    return bound, caching


@contextmanager
def _fresh_caches() -> Iterator[None]:
    """Give every function that caches its results an empty cache, and the old one back at the end.

    Old results would hide the perturbation, and results under it are false afterwards.
    """
    before = _modules()
    places = _bindings(before)[1]
    fresh = {
        value: lru_cache(**value.cache_parameters())(value.__wrapped__)
        for value in dict.fromkeys(value for *_, value in places)
    }
    for module, name, value in places:
        setattr(module, name, fresh[value])
    try:
        yield
    finally:
        for module, name, value in places:
            setattr(module, name, value)
        after = _modules()
        if after != before:  # what was imported meanwhile has false results in its caches
            for *_, value in _bindings(after)[1]:
                if value not in fresh:
                    value.cache_clear()


_CACHING = type(lru_cache(lambda: None))
