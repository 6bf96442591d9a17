from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments.study import pieces
from experiments.study.pieces import FOLDER, Pieces


class Work:
    """Counts how often it is done."""

    def __init__(self) -> None:
        self.done = 0

    def __call__(self) -> dict[str, Any]:
        self.done += 1
        return {"value": self.done}


def test_a_finished_piece_is_found_again(tmp_path: Path) -> None:
    work = Work()
    assert Pieces(tmp_path, {"seed": 1}).get({"plan": "mixed"}, work) == {"value": 1}
    again = Pieces(tmp_path, {"seed": 1})
    assert again.get({"plan": "mixed"}, work) == {"value": 1}
    assert (work.done, again.reused) == (1, 1)


@pytest.mark.parametrize(
    ("common", "parameters"),
    [
        ({"seed": 2}, {"plan": "mixed"}),
        ({"seed": 1}, {"plan": "cyclic"}),
        ({"seed": 1}, {"plan": "mixed", "more": 0}),
    ],
)
def test_another_parameter_is_another_piece(
    tmp_path: Path, common: dict[str, Any], parameters: dict[str, Any]
) -> None:
    work = Work()
    Pieces(tmp_path, {"seed": 1}).get({"plan": "mixed"}, work)
    assert Pieces(tmp_path, common).get(parameters, work) == {"value": 2}


def test_other_code_is_another_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work()
    Pieces(tmp_path, {}).get({}, work)
    monkeypatch.setattr(pieces, "code_digest", lambda: "changed")
    assert Pieces(tmp_path, {}).get({}, work) == {"value": 2}


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"parameters": {}, "result": {"value": 9}}', '{"result": 3}']
)
def test_a_damaged_piece_is_computed_again(tmp_path: Path, content: str) -> None:
    work = Work()
    Pieces(tmp_path, {}).get({"plan": "mixed"}, work)
    [file] = (tmp_path / FOLDER).iterdir()
    file.write_text(content)
    assert Pieces(tmp_path, {}).get({"plan": "mixed"}, work) == {"value": 2}
    assert Pieces(tmp_path, {}).get({"plan": "mixed"}, work) == {"value": 2}


def test_without_a_folder_nothing_is_kept() -> None:
    work, store = Work(), Pieces(None, {})
    assert [store.get({}, work)["value"] for _ in range(2)] == [1, 2]
