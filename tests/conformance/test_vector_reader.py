"""Vector files from a stranger: refused with the file's name, in bounded time and memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_ref.conformance import read_vectors, vector_files
from splu_ref.conformance.folder import LONGEST_FILE
from splu_ref.model import InputError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


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
