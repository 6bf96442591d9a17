from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from splu_ref.cli import app as application
from splu_ref.cli import ledger, main, progress


def _on_a_terminal(program: str) -> str:
    """Run Python code with standard error on a pseudo-terminal, and return what it draws there."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", program], stderr=theirs, stdout=subprocess.PIPE,
                             env=os.environ | {"TERM": "xterm"})  # fmt: skip
    os.close(theirs)
    drawn = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        drawn += part
    assert child.wait() == 0
    assert child.stdout is not None
    child.stdout.close()
    os.close(ours)
    return drawn.decode(errors="replace")


_WORK = """
import threading, time
from splu_ref.cli import progress
progress.PATIENCE = {patience}
def waiting():
    return any(isinstance(each, threading.Timer) for each in threading.enumerate())
with progress.counted("visiting plateaus") as advance:
    for done in range(10):
        advance(done, 10)
    while {patience} < 1 and waiting():
        time.sleep(0.01)
"""


def test_a_bar_appears_on_a_terminal_once_the_work_takes_a_while() -> None:
    assert "visiting plateaus" in _on_a_terminal(_WORK.format(patience=0.05))
    assert "visiting plateaus" not in _on_a_terminal(_WORK.format(patience=60))


def test_no_bar_is_drawn_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.counted("visiting plateaus") as advance:
        advance(1, 2)
    assert capsys.readouterr() == ("", "")


_PROGRAM = "import sys; from splu_ref.cli import main; sys.exit(main({arguments!r}))"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["claims", "--json"], 0),
        (["claims"], 0),
        (["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "3"], 0),
        (["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "3", "--at-least", "0.7"], 1),
        (["--version"], 0),
    ],
)
def test_a_reader_that_goes_away_changes_no_exit_code(arguments: list[str], code: int) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM.format(arguments=arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert child.stderr.read() == b""
    child.stderr.close()
    assert child.wait() == code


def test_printing_cannot_fail() -> None:
    program = _PROGRAM.format(arguments=["claims", "splu.T3"])
    narrow = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONIOENCODING": "ascii"},
                            capture_output=True, text=True, check=True)  # fmt: skip
    assert "refuted" in narrow.stdout
    closed = subprocess.run(["sh", "-c", '"$0" -c "$1" >&-', sys.executable, program], check=False)
    assert closed.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [([], "Missing command: see splu-ref --help"), (["sanitise"], "splu-ref --help"),
     (["privacy"], "see splu-ref privacy --help"),
     (["key", "-o", "k.key"], "see splu-ref key --help (Example: splu-ref key publisher.key)"),
     (["key", "a.key", "b.key"], "(Example: splu-ref key publisher.key)"),
     (["key"], "(Example: splu-ref key publisher.key)")],
)  # fmt: skip
def test_wrong_words_are_reported_where_the_help_is(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, typer.Abort])
def test_an_interrupt_has_an_exit_code_and_no_words(
    interrupt: type[BaseException],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise interrupt

    monkeypatch.setattr(application.Program, "resolve_command", interrupted)
    assert main(["key", str(tmp_path / "k")]) == 130
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr() == ("", "")


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert main(["check", str(tmp_path / "none.json")]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert str(tmp_path) in first
    assert "none.json" in second
    assert all(line.startswith("splu-ref: ") for line in (first, second))


def test_without_the_proofs_the_ledger_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "entry_points", lambda **_: [])
    assert main(["claims"]) == 2
    assert "no claims ledger is installed" in capsys.readouterr().err


def test_a_claim_is_affirmed_again_only_with_its_proof(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    affirmed: list[str] = []

    def record(_: object, claim: str, *, reason: str, changes: tuple[str, ...]) -> dict[str, dict[str, str]]:
        affirmed.extend([claim, reason, *changes])
        return {claim: {"words": "old -> new"}}

    monkeypatch.setattr(type(ledger.load_ledger()), "reaffirm", record)
    assert main(["claims", "splu.B", "--reaffirm", "--reason", "a rename", "--changes", "words"]) == 0
    assert affirmed == ["splu.B", "a rename", "words"]
    assert "splu.B" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("est", {"estimate"}),
        ("audit", {"audit", "audit-release"}),
        ("estimate --me", {"--method", "--mean"}),
        ("publish --cro", {"--cross"}),
    ],
)
def test_a_shell_completes_commands_and_their_options(words: str, offered: set[str]) -> None:
    line = f"splu-ref {words}"
    requested = {
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
        "_SPLU_REF_COMPLETE": "complete_bash",
    }
    done = subprocess.run(
        [sys.executable, "-c", "from splu_ref.cli import main; main()"],
        env=os.environ | requested,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (set(done.stdout.split()), done.stderr) == (offered, "")


def test_the_former_name_of_a_command_names_the_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sanitize", "t.csv", "--gamma", "2"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "splu-ref: sanitize is now publish: write splu-ref publish with the same options\n"


def test_the_help_shows_commands_by_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    printed = capsys.readouterr().out
    for heading, names in application.GROUPS.items():
        section = printed.partition(f"\n{heading}:\n")[2].partition("\n\n")[0]
        listed = [line.split()[0] for line in section.splitlines() if line[2:3] != " "]
        assert listed == list(names)
