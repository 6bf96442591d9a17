"""The committed vectors: made anew byte for byte, of the schema, with ids that are theirs alone."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from splu_ref.conformance import VectorFile, differences, held, read_vectors, vector_files, write_vectors
from splu_ref.conformance.build import Case, Group
from splu_ref.conformance.schema import schema_fault
from splu_ref.model import InputError, SpluError

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "vectors"


def test_the_committed_vectors_are_those_of_the_reference() -> None:
    # Made anew, so that whoever looks for what notices a fault of a vector finds this test.
    assert differences(held(COMMITTED), vector_files.__wrapped__()) == []


def test_reading_gives_what_was_written(tmp_path: Path) -> None:
    written = write_vectors(tmp_path / "vectors", vector_files(), force=False)
    assert len(written) == len(vector_files()) + 1
    read = {file.path: file for file in read_vectors(tmp_path / "vectors")}
    assert {path: file.to_bytes() for path, file in read.items()} == {
        file.path: file.to_bytes() for file in vector_files()
    }


def test_every_file_follows_the_schema() -> None:
    schema = json.loads((COMMITTED / "schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    jsonschema.Draft202012Validator.check_schema(schema)
    for file in vector_files():
        validator.validate(json.loads(file.to_bytes()))


@pytest.mark.parametrize(
    "damage",
    [
        {"result": "acceptable"},
        {"result": "invalid"},
        {"error": "parameter"},
        {"line": "x"},
        {"id": "Wrong id"},
        {"comment": "unknown key"},
        {"answer": {}},
        {"input": None},
    ],
)
def test_the_schema_and_the_reader_refuse_the_same(damage: dict[str, Any], tmp_path: Path) -> None:
    schema = json.loads((COMMITTED / "schema.json").read_text())
    file = next(file for file in vector_files() if file.path == "plan/cyclic-3.json")
    document = json.loads(file.to_bytes())
    (tmp_path / "whole.json").write_text(json.dumps(document))
    assert read_vectors(tmp_path) == (file,)
    document["vectors"][0] |= damage
    (tmp_path / "whole.json").write_text(json.dumps(document))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
    assert schema_fault(document, schema)
    with pytest.raises(InputError, match=r"whole\.json"):
        read_vectors(tmp_path)


def test_ids_are_unique_and_of_their_file() -> None:
    vectors = [(file, vector) for file in vector_files() for vector in file.vectors]
    assert max(Counter(vector.id for _, vector in vectors).values()) == 1
    assert all(vector.id.startswith(f"{file.operation}/{file.name}/") for file, vector in vectors)
    assert len({file.path for file in vector_files()}) == len(vector_files())


def test_one_parameter_set_per_file() -> None:
    for file in vector_files():
        for vector in file.vectors:
            assert not set(vector.input or {}) & set(file.parameters), vector.id


def test_rare_branches_are_there() -> None:
    flags = Counter(flag for file in vector_files() for vector in file.vectors for flag in vector.flags)
    for rare in (
        "Rejection",
        "RejectionsInARow",
        "Tie",
        "TieAgain",
        "TapeExhausted",
        "SecondBlock",
        "Remainder",
    ):
        assert flags[rare] >= 4, rare
    errors = Counter(vector.error for file in vector_files() for vector in file.vectors)
    assert set(errors) == {None, "malformed", "unsupported", "parameter", "tape_exhausted"}


def test_notes_explain_every_flag() -> None:
    for file in vector_files():
        assert set(file.notes) == {flag for vector in file.vectors for flag in vector.flags}


def test_a_vector_that_means_something_else_is_not_made() -> None:
    case = Case("meant-to-be-valid", {"histogram": [3, 1], "gamma": 2, "method": "anatomy"})
    with pytest.raises(SpluError, match="meant-to-be-valid"):
        Group("plan", "wrong", "", "", (case,)).file()


def _without_one(folder: Path) -> VectorFile:
    write_vectors(folder, vector_files()[:3], force=False)
    (folder / vector_files()[1].path).unlink()
    (folder / "more.json").write_text("{}")
    changed = folder / vector_files()[2].path
    changed.write_text(changed.read_text().replace("valid", "vaild", 1))
    return vector_files()[1]


def test_differences_are_named(tmp_path: Path) -> None:
    missing = _without_one(tmp_path)
    assert differences(held(tmp_path), vector_files()[:3]) == sorted(
        [
            f"{missing.path} is missing",
            "more.json is not one of the vectors",
            f"{vector_files()[2].path} differs",
        ]
    )


def test_nothing_is_written_over(tmp_path: Path) -> None:
    files = vector_files()[:2]
    write_vectors(tmp_path, files, force=False)
    (tmp_path / files[0].path).write_text("mine")
    with pytest.raises(InputError, match="force=True"):
        write_vectors(tmp_path, files, force=False)
    assert (tmp_path / files[0].path).read_text() == "mine"
    write_vectors(tmp_path, files, force=True)
    assert differences(held(tmp_path), files) == []
