"""Vector files of an independent party: refused with the file's name, in bounded time and memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from splu_ref.channels.parameters import InputError
from splu_ref.conformance import read_vectors, vector_files
from splu_ref.conformance.folder import LONGEST_FILE, schema_bytes, schema_fault

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


SCHEMA: dict[str, Any] = json.loads(schema_bytes())
VALIDATOR = Draft202012Validator(SCHEMA)
NAMES = ("plan/accumulated-cyclic-4.json", "subset/population-5.json", "protocol/lines.json")
DOCUMENTS = [json.loads(file.to_bytes()) for file in vector_files() if file.path in NAMES]
KEYS = ("input", "line", "generator", "answer", "error", "also", "answers_sha256", "checkpoints", "tape", "x")


def _document() -> dict[str, Any]:
    file = next(file for file in vector_files() if file.path == "plan/accumulated-cyclic-4.json")
    document: dict[str, Any] = json.loads(file.to_bytes())
    return document


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, entry in inner for place in _places(entry, (*path, key)))]


@contextmanager
def suppress_refusals() -> Iterator[list[str]]:
    messages: list[str] = []
    try:
        yield messages
    except InputError as error:
        messages.append(str(error))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_is_read_or_refused(data: st.DataObject, tmp_path: Path) -> None:
    document: Any = _document()
    path = data.draw(st.sampled_from(_places(document)[1:]))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = data.draw(JSON)
    (tmp_path / "f.json").write_text(json.dumps(document))
    with suppress_refusals() as refusals:
        read_vectors(tmp_path)
    assert all("f.json" in message and "\n" not in message for message in refusals)


def _whole_numbers(value: Any) -> bool:
    """Say whether a value holds a number such as 1.0, which JSON Schema takes for an integer."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (isinstance(value, float) and value.is_integer()) or any(map(_whole_numbers, inner))


@settings(max_examples=300)
@given(data=st.data())
def test_the_schema_is_read_as_others_read_it(data: st.DataObject) -> None:
    document: Any = data.draw(st.sampled_from(DOCUMENTS).map(deepcopy))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(_places(document)[1:]))
        place = document
        for step in path[:-1]:
            place = place[step]
        change = data.draw(st.sampled_from(("value", "remove", "double", "new")))
        if change == "remove" and isinstance(place, dict):
            del place[path[-1]]
        elif change == "double" and isinstance(place, list):
            place.append(place[0])
        elif change == "new" and isinstance(place, dict):
            place[data.draw(st.sampled_from(KEYS))] = data.draw(JSON)
        else:
            place[path[-1]] = data.draw(JSON | st.sampled_from(("invalid", "a/b/c", "a\n", "0" * 64, {}, [])))
    assume(not _whole_numbers(document))
    fault = schema_fault(document)
    # JSON Schema is silent on what ends a text; here a pattern never lets a line feed through.
    assert (fault == "") == VALIDATOR.is_valid(document) or "does not match" in fault


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("specification",), "2\n", r"specification: '2\\n' does not match"),
        (
            ("vectors", 0, "generator", "count"),
            1.0,
            "vectors: 0: generator: count: 1.0 is not of type 'integer'",
        ),
        (("vectors", 0, "flags"), ["x" * 999, "y", "y"], "vectors: 0: flags: .*(uniqueItems)"),
        (("vectors", 0, "answers_sha256"), None, "vectors: 0: answers_sha256: None is not of type 'string'"),
        (("vectors", 0, "line"), "{}", "vectors: 0: it must have one request and the outcome"),
    ],
)
def test_the_message_names_the_place_and_the_rule(path: Any, value: Any, words: str) -> None:
    document: Any = _document()
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    fault = schema_fault(document)
    assert re.match(words, fault)
    assert len(fault) < 250


def test_types_are_checked_before_what_takes_long() -> None:
    document = _document() | {"requires": [{"a": number} for number in range(100_000)]}
    assert "is not of type 'string'" in schema_fault(document)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=64) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_bytes(content)
    with pytest.raises(InputError, match=r"f\.json"):
        read_vectors(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("count", 10**9),
        ("count", 0),
        ("groups", [1, 10**9]),
        ("groups", [5, 1]),
        ("groups", 3),
        ("seed", 7),
        ("keys", "groups"),
    ],
)
def test_absurd_generators_are_refused(key: str, value: object, tmp_path: Path) -> None:
    document = _document()
    document["vectors"][0]["generator"][key] = value
    (tmp_path / "f.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="generator"):
        read_vectors(tmp_path)


def test_large_files_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "f.json").open("wb") as file:
        file.truncate(LONGEST_FILE + 1)
    with pytest.raises(InputError, match="longer than"):
        read_vectors(tmp_path)


@pytest.mark.parametrize("text", ['"\\ud800"', "NaN", "1e999"])
def test_what_can_be_sent_to_no_program_is_refused(text: str, tmp_path: Path) -> None:
    whole = json.dumps(_document() | {"about": "here"}).replace('"here"', text)
    (tmp_path / "f.json").write_text(whole)
    with pytest.raises(InputError, match="not JSON in UTF-8"):
        read_vectors(tmp_path)


def test_deep_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="not JSON"):
        read_vectors(tmp_path)


def test_an_id_stands_once(tmp_path: Path) -> None:
    document = _document()
    (tmp_path / "f.json").write_text(json.dumps(document))
    (tmp_path / "g.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"g\.json: the id .* stands in .*f\.json too"):
        read_vectors(tmp_path)


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_vectors_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="splu-ref vectors"):
        read_vectors(tmp_path / name)
