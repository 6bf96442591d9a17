"""What a JSON Schema says against a value: the keywords of ``schema.json``, and no others.

The schema alone says what form a vector file has. Tests hold this reader of it to a full implementation of
JSON Schema; here one is not needed, and a keyword that is not known is an error rather than no check. Two
things are stricter than JSON Schema: 1.0 is no integer, and a pattern means the whole text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from splu_ref.conformance.comparison import same
from splu_ref.model import Json

Schema: TypeAlias = Mapping[str, Any]
"""A schema; its values are what each keyword takes."""
_TYPES = {"object": dict, "array": list, "string": str, "integer": int}
_SILENT = ("$schema", "title", "description", "$defs")  # they say nothing of a value


def schema_fault(value: Json, schema: Schema, root: Schema | None = None) -> str:
    """Return where a value does not follow a schema and why; an empty text if it does.

    Parameters
    ----------
    value
        A JSON value as `json.loads` makes it.
    schema
        The schema.
    root
        The document to which its references point; by default the schema.

    Raises
    ------
    KeyError
        If the schema has a keyword that is not known here.
    """
    document = schema if root is None else root

    def inner(value: Json, schema: Schema) -> str:
        return schema_fault(value, schema, document)

    for keyword, said in schema.items():
        if keyword in _SILENT:
            continue
        kind, check = _KEYWORDS[keyword]
        if not kind or type(value) in kind:
            fault = check(value, said, schema if keyword != "$ref" else document, inner)
            if fault:
                return fault
    return ""


Inner: TypeAlias = Callable[[Json, Schema], str]


def _type(value: Json, said: str, _: Schema, __: Inner) -> str:
    return _told(type(value) is not _TYPES[said], f"it must be of the type {said}")


def _reference(value: Json, said: str, root: Schema, inner: Inner) -> str:
    target: Any = root
    for step in said.removeprefix("#/").split("/"):
        target = target[step]
    return inner(value, target)


def _properties(value: Any, said: Mapping[str, Schema], _: Schema, inner: Inner) -> str:
    faults = ((key, inner(value[key], schema)) for key, schema in said.items() if key in value)
    return next((f"{key}: {fault}" for key, fault in faults if fault), "")


def _additional(value: Any, said: bool | Schema, schema: Schema, inner: Inner) -> str:
    others = [key for key in value if key not in schema.get("properties", {})]
    if said is False:
        return _told(bool(others), f"the key {''.join(others[:1])[:100]!r} is not known")
    assert isinstance(said, Mapping)
    faults = ((key, inner(value[key], said)) for key in others)
    return next((f"{key[:100]}: {fault}" for key, fault in faults if fault), "")


def _items(value: Any, said: Schema, _: Schema, inner: Inner) -> str:
    faults = ((place, inner(each, said)) for place, each in enumerate(value))
    return next((f"{place}: {fault}" for place, fault in faults if fault), "")


def _unique(value: Any, said: bool, _: Schema, __: Inner) -> str:
    different = {json.dumps(each, sort_keys=True) for each in value}
    return _told(said and len(different) < len(value), "something stands there twice")


def _one_of(value: Json, said: list[Schema], _: Schema, inner: Inner) -> str:
    fitting = sum(not inner(value, schema) for schema in said)
    return _told(fitting != 1, "it must have one request and the outcome that belongs to it")


def _told(wrong: bool, why: str) -> str:
    return why if wrong else ""


Check: TypeAlias = Callable[[Any, Any, Schema, Inner], str]
_KEYWORDS: Mapping[str, tuple[tuple[type, ...], Check]] = {
    "type": ((), _type),
    "$ref": ((), _reference),
    "const": ((), lambda value, said, *_: _told(not same(value, said), f"it must be {said!r}")),
    "enum": (
        (),
        lambda value, said, *_: _told(
            not any(same(value, each) for each in said), f"it must be one of {', '.join(map(str, said))}"
        ),
    ),
    "oneOf": ((), _one_of),
    "anyOf": (
        (),
        lambda value, said, _, inner: _told(all(inner(value, each) for each in said), "no form fits"),
    ),
    "not": ((), lambda value, said, _, inner: _told(not inner(value, said), "a key stands there too many")),
    "required": (
        (dict,),
        lambda value, said, *_: next((f"the key {key!r} is missing" for key in said if key not in value), ""),
    ),
    "properties": ((dict,), _properties),
    "additionalProperties": ((dict,), _additional),
    "minProperties": ((dict,), lambda value, said, *_: _told(len(value) < said, "it is empty")),
    "items": ((list,), _items),
    "minItems": (
        (list,),
        lambda value, said, *_: _told(len(value) < said, f"it has less than {said} entries"),
    ),
    "maxItems": (
        (list,),
        lambda value, said, *_: _told(len(value) > said, f"it has more than {said} entries"),
    ),
    "uniqueItems": ((list,), _unique),
    "pattern": (
        (str,),
        lambda value, said, *_: _told(re.fullmatch(said, value) is None, f"it must match {said}"),
    ),
    "minLength": ((str,), lambda value, said, *_: _told(len(value) < said, "it is empty")),
    "minimum": ((int, float), lambda value, said, *_: _told(value < said, f"it must be at least {said}")),
}
"""By keyword: the types of values that it speaks of, all if none is named, and the fault that it finds."""
