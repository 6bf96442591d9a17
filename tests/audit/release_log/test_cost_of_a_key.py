"""What a key gives away when it is used for different releases: the documentation's numbers are measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.repeated_keys import SCENES, exposure, rows
from splu_ref.audit.release_log import COST_OF_A_KEY

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.slow
def test_the_numbers_that_are_told() -> None:
    found = rows()
    assert "\n".join(found) in (DOCS / "publishers.md").read_text("utf-8")
    single, _, changed, _ = ([cell.strip() for cell in row.split("|")[1:-1]] for row in found)
    least, most = map(float, changed[1].split(" to "))
    assert f"of {1 - most:.2f} to {1 - least:.2f} of the records" in COST_OF_A_KEY
    assert f"probability {changed[2]} ({single[2]} in one release)" in COST_OF_A_KEY
    assert changed[3] == "1.00"


@pytest.mark.slow
def test_a_changed_value_is_never_the_own_under_a_key() -> None:
    keyed, parts = SCENES["three under one key, a row less each"]
    assert exposure(parts, 7, keyed=keyed).excluded == 1
    assert exposure(parts, 7, keyed=False).excluded != 1
