"""Folders of vector files: those of the package, and others, which are validated before use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from splu_ref.channels import InputError, Json
from splu_ref.conformance.comparison import clipped
from splu_ref.conformance.generated import GENERATED
from splu_ref.conformance.vector import VectorDocument, VectorEntry, VectorFile
from splu_ref.data import open_regular, write_folder

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

LONGEST_FILE = 1 << 22
"""Bytes of the largest vector file that is read."""

_MOST_FILES = 10_000
_FOR_READERS = "README.md"  # beside the vectors of the repository
_MOST_GENERATED = 1 << 25  # bytes of all the tapes that a generator makes


def own_folder() -> Path:
    """Return the folder of the package's vectors: in a checkout, the one beside the package."""
    packaged = Path(__file__).parent / "vectors"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "vectors"


@cache
@cache
def vector_files(identifier: str | None = None) -> tuple[VectorFile, ...]:
    """Return the package's vectors, ordered by path; the tests check them against their schema.

    With the id of a vector only the file that has it; all if there is none.
    """
    paths = _vector_paths(own_folder(), identifier)
    return tuple(VectorFile.from_json(json.loads(_read(path))) for path in paths)


def schema_bytes() -> bytes:
    """Return the JSON Schema of a vector file."""
    return _read(own_folder() / "schema.json")


def contents(files: Sequence[VectorFile]) -> dict[str, bytes]:
    """Return the bytes of every file of a vector folder by path, the schema among them."""
    return {"schema.json": schema_bytes()} | {file.path: file.to_bytes() for file in files}


def write_vectors(folder: Path, files: Sequence[VectorFile], *, force: bool) -> list[Path]:
    """Write vector files and their schema, all or none; return the paths written.

    Raises
    ------
    InputError
        As `splu_ref.data.write_folder`.
    """
    return write_folder(folder, contents(files), force=force)


def file_bytes(folder: Path) -> dict[str, bytes | None]:
    """Return the bytes of every JSON file of a folder, by path; other files, which are not read, as None.

    Raises
    ------
    InputError
        If it is no folder, or one of the files cannot be read.
    """
    found: dict[str, bytes | None] = {
        path.relative_to(folder).as_posix(): _read(path) for path in _json_files(folder)
    }
    others = (
        path
        for path in folder.rglob("*")
        if path != folder / _FOR_READERS and (path.suffix != ".json" or not path.is_file())
    )
    unread = [path for path in islice(others, _MOST_FILES) if path.is_symlink() or not path.is_dir()]
    return found | {path.relative_to(folder).as_posix(): None for path in unread}


def differences(found: Mapping[str, bytes | None], files: Sequence[VectorFile]) -> list[str]:
    """Return the missing, unexpected and changed files of a folder, sorted by path."""
    wanted = contents(files)
    lines = [f"{path} is missing" for path in wanted if path not in found]
    lines += [f"{path} is not one of the vectors" for path in found if path not in wanted]
    lines += [f"{path} differs" for path in wanted.keys() & found.keys() if found[path] != wanted[path]]
    return sorted(lines)


def read_vectors(folder: Path, identifier: str | None = None) -> tuple[VectorFile, ...]:
    """Read every vector file of a folder, or only the one that has the id of a vector if there is one.

    Raises
    ------
    InputError
        If there is none, or one cannot be read or is not of the schema; the message names the file.
    """
    paths = _vector_paths(folder, identifier)
    if not paths:
        raise InputError(f"{folder} holds no vector file: write one with splu-ref vectors")
    files = []
    seen: dict[str, Path] = {}
    for path in paths:
        file = _parsed(path)
        for vector in file.vectors:
            if vector.id in seen:
                raise InputError(f"{path}: the id {vector.id} stands in {seen[vector.id]} too: keep one")
            seen[vector.id] = path
        files.append(file)
    return tuple(files)


def _vector_paths(folder: Path, identifier: str | None) -> list[Path]:
    """Return the paths of vector files; with an id that of its file, if it exists."""
    paths = [path for path in _json_files(folder) if path != folder / "schema.json"]
    wanted = "/".join((identifier or "").split("/")[:2]) + ".json"
    return [path for path in paths if path.relative_to(folder).as_posix() == wanted] or paths


def _json_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: name one that splu-ref vectors wrote")
    paths = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if len(paths) > _MOST_FILES:
        raise InputError(f"{folder} holds more than {_MOST_FILES} JSON files: name a folder of vectors")
    return paths


def _read(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}: check its rights") from None
    if len(data) > LONGEST_FILE:
        raise InputError(f"{path} is longer than {LONGEST_FILE} bytes: it is no vector file")
    return data


def _parsed(path: Path) -> VectorFile:
    data = _read(path)
    try:
        document: Json = json.loads(data.decode())
        json.dumps(document, ensure_ascii=False, allow_nan=False).encode()  # or it can be sent to no program
        fault = schema_fault(document)
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON in UTF-8: write the vectors again") from None
    checked = cast("VectorDocument", document)
    faults = [fault] if fault else [_vector_fault(entry, checked) for entry in checked["vectors"]]
    if any(faults):
        raise InputError(f"{path}: {next(filter(None, faults))}: see schema.json")
    return VectorFile.from_json(checked)


def schema_fault(document: Json) -> str:
    """Return where a document does not follow the schema, and why; empty if it does.

    The first fault decides: types are checked before what takes long, and no long text is looked at twice.
    """
    fault = next(_validator().iter_errors(document), None)
    if fault is None:
        return ""
    place = "".join(f"{clipped(str(step))}: " for step in fault.absolute_path)
    if fault.validator == "oneOf":  # all forms of a vector were tried
        return f"{place}it must have one request and the outcome that belongs to it"
    return f"{place}{clipped(fault.message)} ({fault.validator})"


@cache
def _validator() -> Validator:
    """Return a strict validator of the schema: 1.0 is no integer, and a pattern matches the whole text."""
    from jsonschema import Draft202012Validator, ValidationError  # noqa: PLC0415 - for files of others alone
    from jsonschema.validators import create  # noqa: PLC0415 - as above

    def whole(_: object, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
        if isinstance(value, str) and not re.fullmatch(pattern, value):
            yield ValidationError(f"{value!r} does not match {pattern}")

    strict = create(
        Draft202012Validator.META_SCHEMA,
        {**Draft202012Validator.VALIDATORS, "pattern": whole},
        type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
            "integer", lambda _, value: type(value) is int
        ),
    )
    return strict(json.loads(schema_bytes()))


def _vector_fault(entry: VectorEntry, document: VectorDocument) -> str:
    """Return a fault of a vector that the schema cannot express; empty if there is none."""
    name = f"the vector {entry['id']}"
    if not entry["id"].startswith(f"{document['operation']}/{document['name']}/"):
        return f"{name} has the id of another file"
    if not document["notes"].keys() >= set(entry["flags"]):
        return f"{name} has a flag without a note"
    if sum(key in entry for key in ("answer", "error", "answers_sha256")) > 1:
        return f"{name} has two outcomes"
    if "generator" in entry and not _can_generate(entry, document):
        return f"{name} has a generator that is not known"
    return ""


def _can_generate(entry: VectorEntry, document: VectorDocument) -> bool:
    """Return whether the generator has what its operation needs, and makes requests of bounded size."""
    generator, operation = entry["generator"], document["operation"]
    makes_codes = operation in ("plan", "publish")
    gamma = document["parameters"].get("gamma") if makes_codes else 2
    least, most = generator.get("groups", (1, 1))
    count, tape = generator["count"], generator.get("tape", 1)
    return (
        operation in GENERATED
        and len(entry.get("checkpoints", [])) == min(count, 10) - 1
        and least <= most
        and type(gamma) is int
        and gamma >= 2
        and count * tape * most * gamma <= _MOST_GENERATED
        and (operation == "plan" or "tape" in generator)
        and (not makes_codes or "groups" in generator)
        and (operation != "certificate" or type(document["parameters"].get("text")) is str)
    )
