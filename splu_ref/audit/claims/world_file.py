"""A world of small tables and a release of them, as a TOML file says them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from splu_ref.audit.claims.document import Document, clipped, read_document
from splu_ref.audit.claims.fields import Fields, count
from splu_ref.audit.world_channels import Seen, world_channel
from splu_ref.channels import (
    DataError,
    EntropyLoss,
    Gamma,
    ParameterError,
    Table,
    World,
    entropy_loss,
    exact,
    probability,
)
from splu_ref.mechanisms import Anatomy, DistributionBased, RetentionReplacement, SpluGen

SCHEMA = "splu-ref/world/1"
MOST_RELEASED = 10_000
"""Largest number of released values that are listed one by one."""
MOST_RECORDS = 20

_TOP = ("schema", "title", "record", "table", "release")
_Texts: TypeAlias = Table[str]


@dataclass(frozen=True, kw_only=True)
class WorldFile:
    """A world, and what is released of its tables."""

    title: str  # as written; may be empty
    world: World[str]  # the tables, whose values are texts
    release: str  # what is released, in words
    law: Callable[[_Texts], Mapping[Hashable, Fraction | int]]  # the law of what is released of a table

    def losses(self) -> EntropyLoss[Hashable]:
        """Return what the release costs, in entropy."""
        seen: set[Hashable] = set()

        def counted(table: _Texts) -> Mapping[Hashable, Fraction | int]:
            law = self.law(table)
            seen.update(law)
            if len(seen) > MOST_RELEASED:
                raise DataError(
                    f"more than {MOST_RELEASED} values can be released, and each would get a line: release a "
                    "coarser function, or make the world smaller"
                )
            return law

        return entropy_loss(self.world, counted)


def read_world(path: Path) -> WorldFile:
    """Read a file of a world.

    Parameters
    ----------
    path
        A TOML file in the format of ``docs/entropy.md``.

    Raises
    ------
    InputError
        If it cannot be used; the message names the file, the line and the remedy.
    """
    document = read_document(path, "a world", "describe fewer records or values")
    document.refuse_unknown(_TOP, "the file")
    top = Fields(document, (), {}, "")
    if document.contents.get("schema") != SCHEMA:
        top.refuse("schema", f'the schema is missing or another one: write schema = "{SCHEMA}"')
    title = top.text("title")
    try:
        world = _world(document, top)
    except ParameterError as error:
        top.refuse("record" if "record" in top else "table", str(error))
    release = document.contents.get("release")
    if not isinstance(release, dict):
        top.refuse("release", "release is missing or no table: write [release], and its keys below it")
    fields = Fields(document, ("release",), {}, "")
    fields.require(("publish",), ())
    kind = fields.choice("publish", tuple(_RELEASES))
    make, known = _RELEASES[kind]
    fields.refuse_unknown(("publish", *known), f"a release of kind {kind}")
    try:
        world, law = make(fields, world)
    except ParameterError as error:
        fields.refuse("publish", str(error))
    return WorldFile(title=title, world=world, release=kind, law=law)


def _world(document: Document, top: Fields) -> World[str]:
    """Return the world of the records or of the tables that a file lists."""
    if ("record" in top) == ("table" in top):
        top.refuse("record", "say the records, each with its law, [[record]], or list all tables, [[table]]")
    key = "record" if "record" in top else "table"
    entries = document.contents[key]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        top.refuse(key, f"{key} is no array of tables: write [[{key}]], with two brackets")
    if key == "table":
        return World.explicit(_tables(document, len(entries)))
    laws: list[dict[str, Fraction]] = []
    for number in range(len(entries)):
        fields = Fields(document, ("record", number), {}, "")
        fields.refuse_unknown(("law", "times"), "a record")
        fields.require(("law",), ())
        if not isinstance(entries[number]["law"], dict):
            fields.refuse(
                "law", 'a law has a probability for each value: write law = {yes = "1/2", no = "1/2"}'
            )
        law = Fields(document, ("record", number, "law"), {}, "")
        chances = {_value(law, value): law.number(value, probability) for value in entries[number]["law"]}
        laws += [chances] * min(fields.number("times", count) if "times" in fields else 1, MOST_RECORDS + 1)
        if len(laws) > MOST_RECORDS:
            fields.refuse("times", f"there are more than {MOST_RECORDS} records: a world has few")
    return World.independent(laws)


def _tables(document: Document, listed: int) -> dict[_Texts, Fraction]:
    found: dict[_Texts, Fraction] = {}
    for number in range(listed):
        fields = Fields(document, ("table", number), {}, "")
        fields.refuse_unknown(("values", "probability"), "a table")
        fields.require(("values", "probability"), ())
        table = tuple(_texts(document, fields, ("table", number), "values"))
        if table in found:
            fields.refuse("values", "this table is listed twice: list each once, with its whole probability")
        if len(table) > MOST_RECORDS:
            fields.refuse("values", f"there are more than {MOST_RECORDS} records: a world has few")
        found[table] = fields.number("probability", probability)
    return found


def _texts(document: Document, fields: Fields, path: tuple[str | int, ...], key: str) -> list[str]:
    """Return a list of values, where whole numbers stand for their digits."""
    values: Any = document.contents
    for step in (*path, key):
        values = values[step]
    usable = isinstance(values, list) and bool(values)
    if not usable or not all(
        isinstance(value, str | int) and not isinstance(value, bool) for value in values
    ):
        fields.refuse(key, f'{key} is no list of values: write {key} = ["yes", "no"]')
    return [_value(fields, str(value), key) for value in values]


def _value(fields: Fields, value: str, key: str | None = None) -> str:
    if not value.isprintable() or len(value) > 100:
        fields.refuse(key or value, f"the value {clipped(value)!r} is no text of one short line: rename it")
    return value


_Release: TypeAlias = tuple[World[str], Callable[[_Texts], Mapping[Hashable, Fraction | int]]]


def _function(world: World[str], read: Callable[[_Texts], Hashable]) -> _Release:
    return world, lambda table: {read(table): 1}


def _members(fields: Fields, world: World[str]) -> frozenset[str]:
    fields.require(("of",), ())
    members = frozenset(_texts(fields.document, fields, ("release",), "of"))
    possible = {value for law in world.laws() for value in law}
    if not members <= possible:
        unknown = min(members - possible)
        fields.refuse(
            "of", f"{clipped(unknown)!r} is no value of any record: the values are {_few(possible)}"
        )
    return members


def _few(values: set[str]) -> str:
    return clipped(", ".join(sorted(values)))


def _count(fields: Fields, world: World[str]) -> _Release:
    members = _members(fields, world)
    return _function(world, lambda table: sum(value in members for value in table))


def _predicate(fields: Fields, world: World[str]) -> _Release:
    members = _members(fields, world)
    least = fields.number("at-least", count) if "at-least" in fields else 1
    return _function(
        world, lambda table: "true" if sum(value in members for value in table) >= least else "false"
    )


def _histogram(_: Fields, world: World[str]) -> _Release:
    def read(table: _Texts) -> Hashable:
        return ", ".join(f"{value}: {count}" for value, count in sorted(Counter(table).items()))

    return _function(world, read)


def _numbers(world: World[str]) -> dict[str, Fraction]:
    return {value: exact(value, "a value") for law in world.laws() for value in law}


def _sum(_: Fields, world: World[str]) -> _Release:
    numbers = _numbers(world)
    return _function(world, lambda table: sum((numbers[value] for value in table), Fraction(0)))


def _mean(_: Fields, world: World[str]) -> _Release:
    numbers = _numbers(world)
    return _function(world, lambda table: sum((numbers[value] for value in table), Fraction(0)) / len(table))


def _max(_: Fields, world: World[str]) -> _Release:
    numbers = _numbers(world)
    return _function(world, lambda table: max(numbers[value] for value in table))


def _mechanism(fields: Fields, world: World[str]) -> _Release:
    fields.require(("mechanism",), ())
    name = fields.choice("mechanism", tuple(_MECHANISMS))
    make, known = _MECHANISMS[name]
    fields.refuse_unknown(
        ("publish", "mechanism", "publishable", *known), f"a release by the mechanism {name}"
    )
    domain = sorted({value for law in world.laws() for value in law})
    made = make(fields, tuple(domain))
    if fields.flag("publishable") and not isinstance(made, RetentionReplacement | DistributionBased):
        world = world.where(lambda table: max(Counter(table).values()) <= len(table) // made.gamma)
    channel = world_channel(made, world, domain)
    laws: dict[_Texts, dict[Hashable, Fraction]] = {}
    for table, law in channel.laws.items():
        laws[table] = {_shown(seen, domain): chance for seen, chance in law.items()}
    return world, laws.__getitem__


def _shown(seen: Seen, domain: list[str]) -> str:
    """Return what a release shows of each record, in words: of Anatomy the group and its values."""
    assert isinstance(seen, tuple)
    if seen and isinstance(seen[0], tuple):
        groups, values = seen
        group_texts = [" or ".join(domain[code] for code in group) for group in values]
        return ", ".join("deleted" if group is None else f"{group}: {group_texts[group]}" for group in groups)
    return ", ".join("deleted" if code is None else domain[code] for code in seen)


def _gamma(fields: Fields) -> Gamma:
    fields.require(("gamma",), ())
    return fields.number("gamma", lambda value, _: Gamma(value))


def _plan(fields: Fields) -> str:
    return fields.choice("plan", ("anatomy", "cyclic")) if "plan" in fields else "anatomy"


def _splu_gen(fields: Fields, _: _Texts) -> SpluGen:
    retention = fields.number("retention", exact) if "retention" in fields else None
    return SpluGen(_gamma(fields), retention, _plan(fields))


def _anatomy(fields: Fields, _: _Texts) -> Anatomy:
    return Anatomy(_gamma(fields), _plan(fields))


def _distribution(_: Fields, __: _Texts) -> DistributionBased:
    return DistributionBased()


def _retention(fields: Fields, domain: _Texts) -> RetentionReplacement:
    fields.require(("retention",), ())
    return RetentionReplacement(fields.number("retention", probability), {"sensitive": domain})


_AnyMechanism: TypeAlias = SpluGen | Anatomy | DistributionBased | RetentionReplacement
_MECHANISMS: dict[str, tuple[Callable[[Fields, _Texts], _AnyMechanism], tuple[str, ...]]] = {
    "splu-gen": (_splu_gen, ("gamma", "retention", "plan")),
    "anatomy": (_anatomy, ("gamma", "plan")),
    "distribution": (_distribution, ()),
    "retention": (_retention, ("retention",)),
}
"""What makes a mechanism, and its keys."""
_RELEASES: dict[str, tuple[Callable[[Fields, World[str]], _Release], tuple[str, ...]]] = {
    "count": (_count, ("of",)),
    "sum": (_sum, ()),
    "mean": (_mean, ()),
    "max": (_max, ()),
    "histogram": (_histogram, ()),
    "predicate": (_predicate, ("of", "at-least")),
    "mechanism": (_mechanism, ("mechanism", "publishable", "gamma", "retention", "plan")),
}
"""What makes a release, and its keys."""
