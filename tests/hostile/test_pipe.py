"""A program under test that answers anything, or nothing, or without end."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.cli.app import run
from splu_ref.conformance.program import LONGEST_LINE, Limits, MisbehaviorError
from splu_ref.conformance.session import Session
from splu_ref.model import Json
from tests.hostile.damage import damaged
from tests.hostile.readers import READERS

ANSWER = READERS["answer"]


def _asked(command: list[str], timeout: float = 10) -> dict[str, Json] | str:
    """Return what the program answers, or how it misbehaves."""
    try:
        with Session(command, Limits(answer=timeout)) as session:
            return session.ask({"op": "describe"}, "identifier")
    except MisbehaviorError as error:
        return str(error)


@settings(max_examples=60)
@given(data=damaged(ANSWER.samples, ANSWER.tokens) | st.binary(max_size=60))
def test_any_output(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("pipe") / "output"
    path.write_bytes(data)
    answer = _asked(["cat", str(path)])
    if isinstance(answer, str):
        assert answer.isprintable()
        assert len(answer) < 1_000
    else:
        assert json.loads(data.partition(b"\n")[0]) == answer


def test_the_sample_comes_through(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(ANSWER.samples[0] + b"\n")
    # sh reads the request first: an answer before the request is no answer
    assert _asked(["sh", "-c", f"read request; cat '{path}'; read end"]) == json.loads(ANSWER.samples[0])


@pytest.mark.parametrize(
    ("script", "how"),
    [
        ("read request; cat /dev/zero", f"longer than {LONGEST_LINE} bytes"),
        ("yes", "nobody asked for|not an object|not JSON|before it had read"),
        ("cat /dev/zero >&2", "no answer within"),
        ("exec sleep 100", "no answer within"),
        ("sleep 100 & exit 3", "no answer within|closed its output|exit code 3"),
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "signal 9"),
        ("exec <&- >&- 2>&-; sleep 100", "closed its output"),
    ],
)
def test_a_flood_a_silence_and_a_crash(script: str, how: str) -> None:
    started = time.monotonic()
    answer = _asked(["sh", "-c", script], timeout=1)
    assert isinstance(answer, str)
    assert any(part in answer for part in how.split("|")), answer
    assert time.monotonic() - started < 10


def test_the_command_tells_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file.json").write_bytes(READERS["vectors"].samples[0])
    script = "read request; printf '\\033[2J\\377\\n'"
    assert run(["conform", "--vectors", str(tmp_path), "--json", "--", "sh", "-c", script]) == 1
    printed = capsys.readouterr()
    outcome = json.loads(printed.out)
    assert outcome["failed"] == 1
    assert outcome["failures"][0]["reason"].isprintable()
    assert printed.err.startswith("failed: protocol/describe: ")
    assert printed.err.removesuffix("\n").isprintable()
