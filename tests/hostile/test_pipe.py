"""A program under test that answers anything, or nothing, or without end."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import Json
from splu_ref.cli.app import run
from splu_ref.cli.conform import show_outcome
from splu_ref.conformance import Conformance, Result, Verdict, vector_files
from splu_ref.conformance.comparison import fault, read_answer
from splu_ref.conformance.description import read_description
from splu_ref.conformance.judging import replay_of
from splu_ref.conformance.program import (
    FAST_READS,
    LONGEST_LINE,
    MOST_ERRORS,
    PAUSE,
    Limits,
    MisbehaviorError,
    Program,
)
from splu_ref.conformance.session import Session
from splu_ref.output.terminal import say_json
from tests.hostile.damage import damaged
from tests.hostile.readers import READERS

ANSWER = READERS["answer"]
SUBSET = next(file for file in vector_files() if file.path == "subset/population-5.json")


def _requested(command: list[str], timeout: float = 10) -> dict[str, Json] | str:
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
    answer = _requested(["cat", str(path)])
    if isinstance(answer, str):
        assert answer.isprintable()
        assert len(answer) < 1_000
    else:
        assert json.loads(data.partition(b"\n")[0]) == answer


def test_the_sample_comes_through(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_bytes(ANSWER.samples[0] + b"\n")
    # sh reads the request first: an answer before the request is no answer
    assert _requested(["sh", "-c", f"read request; cat '{path}'; read end"]) == json.loads(ANSWER.samples[0])


@pytest.mark.parametrize(
    ("script", "how"),
    [
        ("read request; cat /dev/zero", f"longer than {LONGEST_LINE} bytes"),
        ("yes", "an unexpected line|not an object|not JSON|before it had read"),
        ("cat /dev/zero >&2", f"more than {MOST_ERRORS} bytes to standard error"),
        ("read request; cat /dev/zero >&2", f"more than {MOST_ERRORS} bytes to standard error"),
        ("exec sleep 100", "no answer within"),
        ("sleep 100 & exit 3", "no answer within|closed its output|exit code 3"),
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "signal 9"),
        ("exec <&- >&- 2>&-; sleep 100", "closed its output"),
    ],
)
def test_a_flood_a_silence_and_a_crash(script: str, how: str) -> None:
    started = time.monotonic()
    answer = _requested(
        ["sh", "-c", script], timeout=60 if "cat" in script else 1
    )  # a flood ends before its time
    assert isinstance(answer, str)
    assert any(part in answer for part in how.split("|")), answer
    assert time.monotonic() - started < 50


def test_a_flood_after_the_end_of_input_ends() -> None:
    with Program(["sh", "-c", "read request; echo {}; read end; cat /dev/zero >&2"], Limits(60)) as program:
        program.ask(b"{}")
        with pytest.raises(MisbehaviorError, match=f"more than {MOST_ERRORS} bytes to standard error"):
            program.finish()


@pytest.mark.parametrize("descriptor", [1, 2])
def test_a_flood_of_single_bytes_costs_few_reads(descriptor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, read = 0, os.read

    def counted(file: int, most: int) -> bytes:
        nonlocal reads
        reads += 1
        return read(file, most)

    code = f"import os, sys; sys.stdin.readline()\nwhile True: os.write({descriptor}, b'x')"
    with Program([sys.executable, "-S", "-c", code], Limits(1.5)) as program:
        monkeypatch.setattr(os, "read", counted)
        started = time.monotonic()
        with pytest.raises(MisbehaviorError, match="no answer within"):
            program.ask(b"{}")
        elapsed = time.monotonic() - started
    assert 0 < reads <= FAST_READS + 2 + 2 * elapsed / PAUSE  # of both pipes


TEXTS = st.text(st.characters(codec=None), max_size=30) | st.sampled_from(
    ["\x1b[2J", "\ud800", "\u202e", "a" * 5_000, "\n\r\t\0\x7f", "[red]", ":smile:", "</failure>", "\ufffe"]
)
ANSWERS = st.recursive(
    TEXTS | st.integers() | st.floats() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=TEXTS, words=st.lists(TEXTS, max_size=4), given_=ANSWERS, line=st.binary(max_size=200))
def test_an_outcome_is_shown_whatever_the_program_says(
    name: str, words: list[str], given_: Json, line: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    described = {"ops": [*words, "subset"], "features": words, "name": name, "version": name}
    description = read_description(read_answer(json.dumps(described).encode(), "x"))
    wrong = fault(SUBSET.vectors[0], {"result": given_, "error": given_})
    outcome = Conformance(
        description.name,
        description.version,
        "2",
        offered=description.operations,
        unknown=description.unknown(["subset"], []),
        results=[Result("subset/population-5/none", "subset", Verdict.FAILED, str(wrong))],
    )
    for replay in (None, replay_of(SUBSET, SUBSET.vectors[0], line)):
        outcome.replay = replay
        capsys.readouterr()
        show_outcome(outcome, str)
        assert all(shown.isprintable() for shown in capsys.readouterr().out.splitlines())
        say_json(outcome.to_json())
        document = json.loads(capsys.readouterr().out)
        assert document["failures"] == [{"id": "subset/population-5/none", "reason": str(wrong)}]
        case = ElementTree.fromstring(outcome.to_junit()).find(".//failure")
        assert case is not None
        assert case.attrib["message"]


def test_the_command_reports_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file.json").write_bytes(READERS["vectors"].samples[0])
    script = "read request; printf '\\033[2J\\377\\n'"
    assert run(["conform", "--vectors", str(tmp_path), "--json", "--", "sh", "-c", script]) == 1
    printed = capsys.readouterr()
    outcome = json.loads(printed.out)
    assert outcome["failed"] == 1
    assert outcome["failures"][0]["reason"].isprintable()
    assert printed.err.startswith("failed: protocol/describe: ")
    assert printed.err.removesuffix("\n").isprintable()
