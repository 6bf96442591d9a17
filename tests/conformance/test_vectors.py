"""The vectors follow their schema, never change, and equal the answers of the reference."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.conformance import (
    VectorFile,
    answer,
    answer_file,
    answer_vector,
    differences,
    file_bytes,
    read_vectors,
    reference_answer,
    vector_files,
    write_vectors,
)
from splu_ref.conformance.folder import schema_fault
from splu_ref.conformance.generated import GENERATED
from splu_ref.conformance.library import OPERATIONS
from splu_ref.randomness import SeededSource
from splu_ref.spec.requests import KINDS
from tests.conformance.complete import BY_THE_LIBRARY, completed, frozen, to_freeze

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "vectors"


def test_the_library_answers_every_vector_as_committed() -> None:
    assert differences(file_bytes(COMMITTED), [answer_file(file, answer) for file in vector_files()]) == []


@pytest.mark.slow
def test_the_specification_answers_every_vector_as_committed() -> None:
    files = vector_files()
    given = [
        replace(
            file,
            vectors=tuple(
                answer_vector(file, vector, answer if vector.id in BY_THE_LIBRARY else reference_answer)
                for vector in file.vectors
            ),
        )
        for file in files
    ]
    assert differences(file_bytes(COMMITTED), given) == []


def test_a_vector_that_the_library_answers_has_a_smaller_one_beside_it() -> None:
    files = {vector.id: file for file in vector_files() for vector in file.vectors}
    for identifier, reason in BY_THE_LIBRARY.items():
        assert reason
        assert any(vector.id not in BY_THE_LIBRARY for vector in files[identifier].vectors), identifier


def test_files_are_read_and_written_byte_for_byte(tmp_path: Path) -> None:
    written = write_vectors(tmp_path / "vectors", vector_files(), force=False)
    assert len(written) == len(vector_files()) + 1
    assert file_bytes(tmp_path / "vectors") == file_bytes(COMMITTED)


def test_vectors_never_change() -> None:
    assert {file.path: to_freeze(file) for file in vector_files()} == frozen()


def test_every_file_follows_the_schema() -> None:
    schema = json.loads((COMMITTED / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert read_vectors(COMMITTED) == vector_files()


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
    assert schema_fault(document)
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


def test_every_operation_is_answered_and_refused() -> None:
    valid = {file.operation for file in vector_files() for vector in file.vectors if vector.valid}
    refused = {file.operation for file in vector_files() for vector in file.vectors if not vector.valid}
    assert valid == OPERATIONS.keys() - {"publish_random"}  # its releases are tested statistically
    assert refused == OPERATIONS.keys() | {"protocol"}


def test_every_kind_of_error_and_of_generator_is_there() -> None:
    vectors = [(file.operation, vector) for file in vector_files() for vector in file.vectors]
    assert {vector.error for _, vector in vectors} == {None, *KINDS}
    assert {operation for operation, vector in vectors if vector.generator} == GENERATED.keys()


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


def test_notes_explain_every_flag() -> None:
    for file in vector_files():
        assert set(file.notes) == {flag for vector in file.vectors for flag in vector.flags}


NEW: dict[str, Any] = {
    "operation": "plan",
    "name": "new",
    "about": "A new file.",
    "page": "splu_ref/spec/plans.py",
    "parameters": {"gamma": 2, "method": "mixed"},
}
NOTES = {"Infeasible": "A value occurs more than N / gamma times."}


def test_new_vectors_are_completed_and_old_ones_are_kept() -> None:
    old = {"id": "plan/new/a", "flags": [], "input": {}, "result": "valid", "answer": {"groups": "kept"}}
    refused = {"id": "plan/new/b", "flags": ["Infeasible"], "input": {"histogram": [3, 1], "tape": ""}}
    valid = {"id": "plan/new/c", "input": {"histogram": [2, 2], "tape": {"seed": "new", "left": 1}}}
    generator = {"seed": "s", "count": 3, "keys": ["groups"], "tape": 64, "groups": [1, 2]}
    made = {"id": "plan/new/d", "generator": generator}
    file = completed({**NEW, "vectors": [old, refused | {"error": "parameter"}, valid, made]}, NOTES)
    kept, invalid, valid_entry, generated = (vector.to_json() for vector in file.vectors)
    assert kept == old
    assert invalid == {**refused, "result": "invalid", "error": "parameter"}
    assert file.notes == NOTES
    tape = bytes.fromhex(file.vectors[2].input["tape"])  # type: ignore[index, arg-type]  # it is there
    assert SeededSource(b"new").read(len(tape)) == tape
    assert len(tape) == valid_entry["answer"]["consumed"] + 1  # type: ignore[index]  # an answer is an object
    assert len(generated["checkpoints"]) == 2  # type: ignore[arg-type]  # it is a list
    assert answer_file(file).vectors[1:] == file.vectors[1:]


@pytest.mark.parametrize(
    "entry",
    [
        {"input": {"histogram": [3, 1], "tape": ""}},
        {"input": {"histogram": [2, 2], "tape": "00" * 9}, "error": "parameter"},
        {"line": "[]", "error": "unsupported"},
        {"generator": {"seed": "s", "count": 3, "keys": ["groups"], "tape": 1, "groups": [9, 9]}},
    ],
)
def test_a_vector_that_means_something_else_is_not_completed(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="plan/new/wrong"):
        completed({**NEW, "vectors": [{"id": "plan/new/wrong", **entry}]}, {})


def _without_one(folder: Path) -> VectorFile:
    write_vectors(folder, vector_files()[:3], force=False)
    (folder / vector_files()[1].path).unlink()
    (folder / "more.json").write_text("{}")
    changed = folder / vector_files()[2].path
    changed.write_text(changed.read_text().replace("valid", "vaild", 1))
    return vector_files()[1]


def test_one_id_reads_one_file(tmp_path: Path) -> None:
    file, few = vector_files()[7], vector_files()[:9]
    write_vectors(tmp_path, few, force=False)
    request = f"{file.vectors[0].id}/12"  # of a generated run
    for read, every in (
        (vector_files, vector_files()),
        (lambda identifier: read_vectors(tmp_path, identifier), few),
    ):
        assert read(file.vectors[0].id) == read(request) == (file,)
        assert read(f"../{file.vectors[0].id}") == read("nothing") == every


def test_differences_are_named(tmp_path: Path) -> None:
    missing = _without_one(tmp_path)
    assert differences(file_bytes(tmp_path), vector_files()[:3]) == sorted(
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
    assert differences(file_bytes(tmp_path), files) == []
