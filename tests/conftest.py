"""What tests of several rooms share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The one profile of all property tests. Without a deadline: a loaded machine is no fault of the code.
settings.register_profile("splu-ref", deadline=None)
settings.load_profile("splu-ref")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real tables that are not part of the project; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real tables in ../shared/data, beside the repository, are absent")
    return folder
