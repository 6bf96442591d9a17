from __future__ import annotations

import pytest

from splu_ref.report.model import Environment, VerificationReport
from tests.report.made_up import HOSTILE, MadeUpLedger, RecordedProgress, made_up_environment, made_up_report


@pytest.fixture
def recorder() -> RecordedProgress:
    return RecordedProgress()


@pytest.fixture
def made_up_ledger() -> type[MadeUpLedger]:
    return MadeUpLedger


@pytest.fixture
def hostile() -> str:
    return HOSTILE


@pytest.fixture
def environment() -> Environment:
    return made_up_environment()


@pytest.fixture
def report() -> VerificationReport:
    return made_up_report()
