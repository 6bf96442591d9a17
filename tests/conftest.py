"""What tests of several rooms share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The one profile of all property tests. Without a deadline: a loaded machine is no fault of the code.
settings.register_profile("splu-ref", deadline=None)
settings.load_profile("splu-ref")


UNWATCHED = frozenset({"browser", "docs", "foreign", "proofs"})
"""Folders whose tests run long computations or other programs, and no line of the library that the tests of
its rooms do not run."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Count coverage by the quick tests alone: watching every line nearly doubles the time of the others.

    All tests run as before; what only the body of a slow one reaches counts as not covered, what its fixtures
    reach is watched. A quick test that calls for much of the library may say so by the mark ``no_cover``.
    """
    for item in items:
        unwatched = any(Path(__file__).parent / folder in item.path.parents for folder in UNWATCHED)
        if unwatched or item.get_closest_marker("slow") is not None:
            item.add_marker("no_cover")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real tables that are not part of the project; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real tables in ../shared/data, beside the repository, are absent")
    return folder
