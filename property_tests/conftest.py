"""Options and reporting of the property suites under pytest."""

from __future__ import annotations

import os

import pytest

from property_tests.run import SEED_VARIABLE, Run, configured_seed, fresh_seed

LONGEST = [
    f"test_shipped[{check}]"
    for check in ("enumeration.release", "adult.draws", "conjunctions.intervals", "generated.counts")
]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("splu-ref")
    group.addoption(
        "--run-seed", metavar="TEXT", help="seed of every sampled stream and choice of parameters"
    )
    group.addoption("--fresh-seed", action="store_true", help="use a seed that no run has used")


def pytest_configure(config: pytest.Config) -> None:
    seed = config.getoption("--run-seed", default=None)
    if (
        seed is None
        and config.getoption("--fresh-seed", default=False)
        and not hasattr(config, "workerinput")
    ):
        seed = fresh_seed()
    if seed is not None:
        os.environ[SEED_VARIABLE] = seed  # worker processes inherit it


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # What takes longest comes first, so that no process works on alone at the end; each gets two of them.
    items.sort(key=lambda item: LONGEST.index(item.name) if item.name in LONGEST else len(LONGEST))


def pytest_report_header() -> str:
    return f"run seed: {configured_seed()}"


@pytest.fixture(scope="session")
def run() -> Run:
    """Return the full run under the configured seed."""
    return Run(configured_seed())
