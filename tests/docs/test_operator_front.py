"""The picture of the page on operators is of points that are computed here again."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def module() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
        return import_module("operator_front")


@pytest.mark.slow
def test_the_picture_is_of_these_operators(module: Any) -> None:
    shown = module.points()
    drawn = module.drawing(shown)
    assert module.PICTURE.read_text(encoding="utf-8") == drawn
    assert drawn.count("<circle") == len(shown) + len(module.FAMILIES)
    assert drawn.count("beaten") == sum(not best for _, best in shown) + 1
    best = [point.name for point, best in shown if best]
    # What the page says of it.
    assert not any(name.startswith("SPLU-Gen") for name in best)
    assert any(name.startswith("single values least") for name in best)
