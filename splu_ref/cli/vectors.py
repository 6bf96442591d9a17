"""``splu-ref vectors``: copy the test vectors into a folder, or compare a folder with them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from splu_ref import SPECIFICATION
from splu_ref.cli.output import AsJson, Force, show
from splu_ref.cli.progress import counted
from splu_ref.conformance import answer_file, differences, file_bytes, vector_files, write_vectors
from splu_ref.data import check_folder

EXAMPLE = "splu-ref vectors vectors"


def run(
    folder: Annotated[Path, typer.Argument(help="Folder for the vector files; created if missing.")],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing: recompute the answers, and compare the folder.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Write the test vectors for other implementations, with their JSON Schema.

    One file per operation and set of parameters; the same version writes the same bytes. With --check, the
    reference answers every vector again: exit 1 if a file is missing, differs, or is unknown.
    """
    present = file_bytes(folder) if check else {}
    if not check:
        check_folder(folder, ["schema.json"], force=force)
    files = vector_files()
    wrong: list[str] = []
    if check:
        with counted("answering"):
            wrong = differences(present, [answer_file(file) for file in files])
    else:
        write_vectors(folder, files, force=force)
    vectors = [vector for file in files for vector in file.vectors]
    by_operation = Counter(file.operation for file in files for _ in file.vectors)
    result = {
        "folder": str(folder),
        "specification": SPECIFICATION,
        "files": len(files),
        "valid": sum(vector.valid for vector in vectors),
        "invalid": sum(not vector.valid for vector in vectors),
        "by_operation": dict(by_operation),
        "passed": len(files) + 1 - len(wrong) if check else len(files) + 1,
        "failed": len(wrong),
        "skipped": 0,
        "differences": wrong,
    }
    place = f"{len(files)} files and their schema in {folder}"
    compared = f"{len(wrong) or 'no'} difference{'s' * (len(wrong) > 1)} among {place}"
    lines = [
        ("compared", compared) if check else ("written", place),
        *(("different", line) for line in wrong),
        ("vectors", f"{len(vectors)}: {result['valid']} valid, {result['invalid']} invalid"),
    ]
    if not wrong:
        lines.append(("operations", ", ".join(f"{name} {count}" for name, count in by_operation.items())))
    show(result, lines, as_json=as_json)
    return 1 if wrong else 0
