"""What tests of several rooms share."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import settings

from splu_ref.randomness import sources as system

# What passed passes again: examples follow from the test's own text; --hypothesis-profile fresh looks for
# others. Without a deadline: a loaded machine is no fault of the code.
settings.register_profile("fresh", deadline=None, derandomize=False)
settings.register_profile("splu-ref", deadline=None, derandomize=True, database=None)
settings.load_profile("splu-ref")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let other bytes be drawn in place of the system's: what holds by luck fails under some name."""
    parser.addoption(
        "--entropy",
        default="",
        help="name other bytes for the tests to draw; 'system' asks the system itself",
    )
    parser.addoption("--reversed", action="store_true", help="run the last test first")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run the tests in the other order on request: none may need what another leaves behind."""
    if config.getoption("reversed"):
        items.reverse()


@contextmanager
def _drawing(config: pytest.Config, name: str) -> Iterator[None]:
    """Give the bytes that ``name`` stands for to whatever asks the system for entropy within this process."""
    chosen = config.getoption("entropy")
    if chosen == "system":
        yield
        return
    drawn = Random(f"{chosen} {name}").randbytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system, "_random_bytes", drawn)
        patch.setattr(os, "urandom", drawn)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Let a test draw the same bytes in every run, so that a chance of failing is met here or never.

    Whoever writes a test that holds with 95 % sees it pass, and somebody else sees it fail. Programs that a
    test starts ask the system, and so does a test marked ``entropy``, which is about the system's bytes.
    """
    if item.get_closest_marker("entropy") is not None:
        return (yield)
    with _drawing(item.config, item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Let a fixture draw its own bytes, whichever test asks for it first."""
    name = f"{fixturedef.baseid} {fixturedef.argname} {getattr(request, 'param_index', 0)}"
    with _drawing(request.config, name):
        return (yield)


@pytest.fixture(scope="session")
def spark_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of everything that Spark writes, uncompressed."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="session")
def spark_session(spark_folder: Path) -> Iterator[Any]:
    """One session of Spark for all tests of a process: its log stays where the first one puts it."""
    session = pytest.importorskip("tests.mechanisms.spark.session", reason="PySpark is absent")
    with session.started(spark_folder) as started:
        yield started


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real tables that are not part of the project; skips where it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real tables in ../shared/data, beside the repository, are absent")
    return folder
