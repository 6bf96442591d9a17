"""Runs the tests of the fastest files first: they detect most faults.

A pytest plugin for the runs of mutmut. The tests of a file stay together, because they share fixtures.
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
        # mutmut repeats the run without a fault; the tests have just passed while they were timed.
        items[:] = [item for item in items if _file(item) == _file(items[0])]


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
