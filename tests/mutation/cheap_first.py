"""Of the tests that a fault is put to, run those of the quickest files first: most faults are noticed there.

A plugin of pytest for the runs that mutmut starts in its folder of faults. Files stay whole, as what their
tests share is made once.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

MEASURED = Path("mutmut-stats.json")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests in the order of the seconds that their files took when mutmut measured them."""
    if config.option.collectonly or not MEASURED.exists() or not items:
        return
    seconds: dict[str, float] = json.loads(MEASURED.read_text(encoding="utf-8"))["duration_by_test"]
    files: dict[str, float] = defaultdict(float)
    for item in items:
        files[_file(item)] += seconds.get(item.nodeid, 0.0)
    items.sort(key=lambda item: (files[_file(item)], _file(item)))
    if os.environ.get("MUTANT_UNDER_TEST") == "":
        # mutmut runs all once more without a fault; they have just passed, while they were measured.
        items[:] = [item for item in items if _file(item) == _file(items[0])]


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
