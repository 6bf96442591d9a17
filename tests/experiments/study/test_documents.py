"""The complete results of a small study: pieces, printed lines, coverage tables, OLAP figures."""

from __future__ import annotations

import pytest

from tests.experiments.study.documents import DOCUMENTS, FOLDER, document


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_whole_document(name: str) -> None:
    assert document(name) == (FOLDER / name).read_text("utf-8")


def test_no_document_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(DOCUMENTS)
