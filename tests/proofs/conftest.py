"""What tests of proofs share: the text of modules is read once, and tests replace it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest

from splu_proofs import binding, reach


def _clear() -> None:
    for kept in (*vars(reach).values(), *vars(binding).values()):
        if hasattr(kept, "cache_clear") and kept not in (reach.parts_of, reach.texts_in):  # kept by text
            kept.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def _never_from_compiled_files() -> Iterator[None]:
    """Altered modules of the same size and second would be taken for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        yield


@pytest.fixture
def fresh() -> Iterator[Callable[[], None]]:
    """Forget, when called and after the test, what was read of modules."""
    yield _clear
    _clear()
