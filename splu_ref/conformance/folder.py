"""Vector files in a folder: written whole, read with distrust, compared byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files as package_files
from pathlib import Path
from typing import cast

from splu_ref.conformance.fields import KINDS
from splu_ref.conformance.generated import GENERATED
from splu_ref.conformance.vector import SCHEMA, Vector, VectorDocument, VectorEntry, VectorFile
from splu_ref.files import opened
from splu_ref.folders import write_folder
from splu_ref.model import InputError

LONGEST_FILE = 1 << 22
"""Bytes of the largest vector file that is read."""

_MOST_FILES = 10_000
_MOST_GENERATED = 1 << 25  # bytes of all the tapes that a generator makes
_FILE_TYPES = dict.fromkeys(("specification", "operation", "name", "about", "page"), str) | {
    "requires": list,
    "parameters": dict,
    "notes": dict,
    "vectors": list,
}
_VECTOR_TYPES = {
    **dict.fromkeys(("id", "line", "error", "answers_sha256"), str),
    **dict.fromkeys(("input", "generator", "answer", "also"), dict),
    **dict.fromkeys(("flags", "checkpoints"), list),
}
_LISTS_OF_TEXTS = ("requires", "flags", "checkpoints")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def schema_bytes() -> bytes:
    """Return the JSON Schema of a vector file."""
    return package_files("splu_ref.conformance").joinpath("schema.json").read_bytes()


def contents(files: Sequence[VectorFile]) -> dict[str, bytes]:
    """Return the bytes of every file of a vector folder by path, the schema among them."""
    return {"schema.json": schema_bytes()} | {file.path: file.to_bytes() for file in files}


def write_vectors(folder: Path, files: Sequence[VectorFile], *, force: bool) -> list[Path]:
    """Write vector files and their schema, all or none; return the paths written.

    Raises
    ------
    InputError
        As `splu_ref.folders.write_folder`.
    """
    return write_folder(folder, contents(files), force=force)


def differences(folder: Path, files: Sequence[VectorFile]) -> list[str]:
    """Return what a folder lacks, has besides, or has with other bytes than the given files; by path."""
    wanted = contents(files)
    found = {path.relative_to(folder).as_posix(): path for path in _json_files(folder)}
    lines = [f"{path} is missing" for path in wanted if path not in found]
    lines += [f"{path} is not one of the vectors" for path in found if path not in wanted]
    for path in wanted.keys() & found.keys():
        if _read(found[path]) != wanted[path]:
            lines.append(f"{path} differs")
    return sorted(lines)


def read_vectors(folder: Path) -> tuple[VectorFile, ...]:
    """Read every vector file of a folder.

    Raises
    ------
    InputError
        If there is none, or one cannot be read or is not of the schema; the message names the file.
    """
    paths = [path for path in _json_files(folder) if path != folder / "schema.json"]
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


def _json_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: name one that splu-ref vectors wrote")
    paths = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if len(paths) > _MOST_FILES:
        raise InputError(f"{folder} holds more than {_MOST_FILES} JSON files: name a folder of vectors")
    return paths


def _read(path: Path) -> bytes:
    try:
        with opened(path) as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}: check its rights") from None
    if len(data) > LONGEST_FILE:
        raise InputError(f"{path} is longer than {LONGEST_FILE} bytes: it is no vector file")
    return data


def _parsed(path: Path) -> VectorFile:
    data = _read(path)
    try:
        document = json.loads(data.decode())
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON in UTF-8: write the vectors again") from None
    fault = _fault(document)
    if fault:
        raise InputError(f"{path}: {fault}: see schema.json")
    return VectorFile.from_json(document)


def _fault(document: object) -> str:
    """Return what is wrong with a vector file; an empty text if nothing is."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return f"the schema is not {SCHEMA}"
    if set(document) != {"schema", *VectorFile.__dataclass_fields__}:
        return "a key is missing or unknown"
    fault = _wrong_type(document, _FILE_TYPES)
    if fault:
        return fault
    if not all(document[key] and _WORD.issuperset(document[key]) for key in ("operation", "name")):
        return "operation and name must be words of a-z, 0-9, '-', '_' and '.'"
    checked = cast("VectorDocument", document)
    faults = (_vector_fault(entry, checked) for entry in checked["vectors"])
    return next(filter(None, faults), "")


def _vector_fault(entry: object, document: VectorDocument) -> str:
    if not isinstance(entry, dict):
        return "a vector is not an object"
    name = repr(entry.get("id"))[:100]
    if not {"id", "flags", "result"} <= set(entry) <= {"result", *Vector.__dataclass_fields__}:
        return f"the vector {name} lacks a key, or has one that is unknown"
    fault = _wrong_type(entry, _VECTOR_TYPES)
    if fault:
        return f"the vector {name}: {fault}"
    checked = cast("VectorEntry", entry)
    if not checked["id"].startswith(f"{document['operation']}/{document['name']}/"):
        return f"the vector {name} has the id of another file"
    if not document["notes"].keys() >= set(checked["flags"]):
        return f"the vector {name} has a flag without a note"
    fault = _request_fault(checked, document)
    return f"the vector {name} {fault}" if fault else ""


def _request_fault(entry: VectorEntry, document: VectorDocument) -> str:
    asked = [key for key in ("input", "line", "generator") if key in entry]
    told = [key for key in ("answer", "error", "answers_sha256") if key in entry]
    outcome = "invalid" if told == ["error"] else "valid"
    generated = ("generator" in entry, "answers_sha256" in entry)
    one_each = len(asked) == 1 and len(told) == 1 and any(entry.get(key) for key in told)
    if not one_each or entry["result"] != outcome or len(set(generated)) > 1:
        return "must have one request and the outcome that belongs to it"
    if entry.get("error", KINDS[0]) not in KINDS:
        return "expects an unknown kind of error"
    if "generator" in entry and not _can_generate(entry, document):
        return "has a generator that is not known"
    return ""


def _wrong_type(entry: Mapping[str, object], types: Mapping[str, type]) -> str:
    """Return which key of an object has the wrong type; an empty text if none has."""
    for key, kind in types.items():
        if key in entry and not isinstance(entry[key], kind):
            return f"{key} is not of the right type"
        if kind is list and key in _LISTS_OF_TEXTS and not _is_texts(entry.get(key, [])):
            return f"{key} is not a list of texts"
    return ""


def _can_generate(entry: VectorEntry, document: VectorDocument) -> bool:
    generator: Mapping[str, object] = entry["generator"]
    parameters, operation = document["parameters"], document["operation"]
    groups = generator.get("groups", [1, 1])
    if operation not in GENERATED or not isinstance(generator.get("seed"), str):
        return False
    if not _is_texts(generator.get("keys")) or not isinstance(groups, list):
        return False
    makes_codes = operation in ("plan", "publish")
    gamma = parameters.get("gamma") if makes_codes else 2
    given = [generator.get("count"), generator.get("tape", 1), *groups, gamma]
    numbers = [number for number in given if type(number) is int and number >= 1]
    if not len(given) == len(numbers) == 5:
        return False
    count, tape, least, most, size = numbers
    return (
        len(entry.get("checkpoints", [])) == min(count, 10) - 1
        and least <= most
        and size >= 2
        and count * tape * most * size <= _MOST_GENERATED
        and (operation == "plan" or "tape" in generator)
        and (not makes_codes or "groups" in generator)
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
