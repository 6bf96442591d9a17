"""Finished pieces of a study, kept in its report folder so that an interrupted one can go on.

A piece is found again only under the same parameters, data, seed and code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import experiments.study
import splu_proofs.olap
import splu_ref
from splu_ref.data.files import open_regular, write_whole
from splu_ref.data.folders import make_folder

FOLDER = "pieces"
Piece: TypeAlias = dict[str, Any]
"""What was computed, as JSON: the figures know the keys of each kind."""
_APART = {"cli", "report", "conformance", "audit", "guarantees", "certificates"}
"""Rooms of `splu_ref` on which no piece depends."""
_AFTERWARDS = {"criteria.py", "drawing.py", "exhibits.py", "figures.py", "summary.py"}
"""Files of the study that only show what the pieces say."""


class Pieces:
    """A store of finished pieces.

    Parameters
    ----------
    folder
        The report folder, which must exist; None keeps nothing.
    common
        Parameters that all pieces share.
    """

    def __init__(self, folder: Path | None, common: Mapping[str, object]) -> None:
        self._folder = None if folder is None else folder / FOLDER
        self._common = {**common, "code": code_digest()}
        self.reused = 0
        if self._folder is not None:
            make_folder(self._folder)

    def get(self, parameters: Mapping[str, object], compute: Callable[[], Piece]) -> Piece:
        """Return the stored piece with these parameters, or compute and store it."""
        if self._folder is None:
            return compute()
        wanted = json.loads(json.dumps({**self._common, **parameters}))
        text = json.dumps(wanted, sort_keys=True)
        place = self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
        known = _read(place)
        if known is not None and known.get("parameters") == wanted:
            self.reused += 1
            found: Piece = known["result"]
            return found
        result = compute()
        content = json.dumps({"parameters": wanted, "result": result}) + "\n"
        write_whole(place, content.encode(), force=True, mode=0o600)  # computed from true counts
        return result


@cache
def code_digest() -> str:
    """Return a fingerprint of the source that pieces depend on."""
    digest = hashlib.sha256()
    for package in (splu_ref, splu_proofs.olap, experiments.study):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            place = path.relative_to(root)
            apart = package is splu_ref and place.parts[0] in _APART
            shown = package is experiments.study and place.name in _AFTERWARDS
            if not apart and not shown:
                digest.update(f"{package.__name__}/{place.as_posix()}".encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _read(place: Path) -> Piece | None:
    """Return a stored piece; None if there is none, or none that can be read."""
    try:
        with open_regular(place) as file:
            found = json.loads(file.read().decode())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("result"), dict) else None
