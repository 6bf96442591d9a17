"""Every document of a report, whole: what stands in it, in which order, for each kind of finding."""

from __future__ import annotations

import pytest

from tests.report.documents import DOCUMENTS, FOLDER


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_whole_document(name: str) -> None:
    assert DOCUMENTS[name]() == (FOLDER / name).read_text("utf-8")


def test_no_document_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(DOCUMENTS)
