from __future__ import annotations

import io
import json
import sys
import threading
import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from splu_ref.cli import progress
from splu_ref.output import terminal
from splu_ref.output.terminal import at_most_lines, draw, replace_invisible, say, say_json, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, with C:\\path and {braces}", "plain, with C:\\path and {braces}"),
        ("\x1b[31m\x07\x9b\x7f", r"\x1b[31m\x07\x9b\x7f"),
        ("a\nb\r\tc\u2028d\x85e", r"a\nb\r\tc\u2028d\x85e"),
        ("\u202eabc\u2066\u200b\ufeff\xad", r"\u202eabc\u2066\u200b\ufeff\xad"),
        ("\U000e0041\U000e0100x\ufe0f\u180b", r"\U000e0041\U000e0100x\ufe0f\u180b"),
        ("\ud800 \ue000 \u0378", r"\ud800 \ue000 \u0378"),
        ("\u3164\u2800\xa0\u3000", r"\u3164\u2800\xa0\u3000"),
        (
            "e\u0301\u0302\u0303\u0304\u0305\u0306e\u0301",
            "e\u0301\u0302\u0303\u0304\\u0305\\u0306e\u0301",
        ),
        ("a\u20dd\u20de\u20dd\u0301\u20ddb\u20dd", "a\u20dd\u20de\u20dd\u0301\\u20ddb\u20dd"),
        ("größer, 年齢, हिन्दी, γ ≥ 2", "größer, 年齢, हिन्दी, γ ≥ 2"),
    ],
)
def test_what_a_reader_would_not_see_is_written_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


def test_a_line_stays_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("verdict: a\nverdict: b")
    say("note: \x1b[2J", stderr=True)
    assert capsys.readouterr() == ("verdict: a\\nverdict: b\n", "note: \\x1b[2J\n")


def test_json_holds_the_same_values_and_no_control(capsys: pytest.CaptureFixture[str]) -> None:
    document = {"a\x7f\u2028": ["\x7f\x80\ud800\\u007f", "é\n"]}
    say_json(document)
    line = capsys.readouterr().out
    assert json.loads(line) == document
    assert line.isascii()
    assert line.removesuffix("\n").isprintable()


def test_a_unescaped_text_does_not_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table.grid()
    table.add_row("[red]:warning:\x1b[31m", Text("\u202e"))
    draw(table)
    draw(Segments([Segment("a\x1b]0;owned\x07\n")]))
    lines = [line.rstrip() for line in capsys.readouterr().out.split("\n")]
    assert lines == [r"[red]:warning:\x1b[31m\u202e", r"a\x1b]0;owned\x07", ""]


def test_colors_of_our_own_survive_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    draw(Text("\x1b[2Jrefuted", style="red"))
    assert screen.getvalue() == "\x1b[31m\\x1b[2Jrefuted\x1b[0m\n"


def test_the_label_of_a_bar_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    made = Console(file=screen, force_terminal=True, width=120, _environ={"TERM": "xterm"})
    monkeypatch.setattr(terminal, "console", lambda **_: made)
    monkeypatch.setattr(terminal, "watched", lambda: True)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.counted("claim [red]\x1b]0;owned\x07\u202e"):
        while any(isinstance(each, threading.Timer) for each in threading.enumerate()):
            time.sleep(0.01)  # until the bar appears
    assert r"claim [red]\x1b]0;owned\x07\u202e" in screen.getvalue()


def test_the_traceback_of_a_defect_is_visible(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    terminal.settle_streams()
    sys.excepthook(ValueError, ValueError("\x1b[31m"), None)
    assert capsys.readouterr().err == "ValueError: \\x1b[31m\n"


def test_what_a_library_warns_of_is_visible(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        terminal.settle_streams()
        warnings.warn("no glyph \x1b", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: no glyph \\x1b\n"


@given(st.text())
def test_what_is_escaped_and_what_is_replaced_are_the_same(text: str) -> None:
    kept = replace_invisible(text)
    assert len(kept) == len(text)
    assert "".join(
        letter.encode("unicode_escape").decode() if other != letter else letter
        for letter, other in zip(text, kept, strict=True)
    ) == visible(text)
    assert replace_invisible("a\x1b\u202e\u3164b\n") == "a\ufffd\ufffd\ufffdb\ufffd"


@pytest.mark.parametrize(("width", "heights"), [(80, 1), (10, 2)])
@pytest.mark.parametrize("number", [1, 4, 5, 6, 30])
def test_an_answer_has_a_limited_number_of_lines(
    number: int, width: int, heights: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that a terminal wraps counts as several; errors and JSON are printed whole."""
    monkeypatch.setenv("COLUMNS", str(width))
    lines = [f"line {place:02} of an answer"[: 8 * heights] for place in range(number)]
    with at_most_lines(5, "ask for them"):
        for line in lines:
            say(line)
        say("an error", stderr=True)
        say_json({"key": "value"})
    printed = capsys.readouterr()
    assert printed.err == "an error\n"
    shown = printed.out.replace('{"key": "value"}\n', "").splitlines()
    if number * heights <= 5:
        assert shown == lines
    else:
        kept = len(shown) - 1
        assert shown[:-1] == lines[:kept]
        left = "1 more entry" if number - kept == 1 else f"{number - kept} more entries"
        assert shown[-1] == f"{left}: ask for them"
        assert 4 - heights < kept * heights <= 4
    say("after it")
    assert capsys.readouterr().out == "after it\n"


def _table(*, header: bool) -> Table:
    table = Table(title="title" if header else None, show_header=header, box=None, padding=0, pad_edge=False)
    table.add_column("name")
    table.add_column("words")
    for name in "abc":
        table.add_row(name, "of of end")
    return table


@pytest.mark.parametrize(("header", "width"), [(False, 4), (True, 9), (True, 8)])
def test_a_limited_answer_ends_between_entries(
    header: bool, width: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row that takes several lines is printed whole or not at all, in a table and as a list."""
    draw(_table(header=header), width=width)
    whole = capsys.readouterr().out.splitlines()
    with at_most_lines(len(whole), "ask"):
        draw(_table(header=header), width=width)
    assert capsys.readouterr().out.splitlines() == whole
    for lines in range(1, len(whole)):
        with at_most_lines(lines, "ask"):
            draw(_table(header=header), width=width)
        *shown, last = capsys.readouterr().out.splitlines()
        assert shown == whole[: len(shown)]
        rows = sum(line.endswith("end") for line in map(str.rstrip, shown))
        assert sum(line.rstrip().endswith("end") for line in whole[len(shown) :]) == 3 - rows
        assert last.split(" more ")[0] == str(3 - rows)
        assert not shown or shown[-1].rstrip().endswith("end") or not shown[-1].strip()
