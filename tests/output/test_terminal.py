"""Tables as a terminal of each width shows them, line by line, and streams that are not as expected."""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from pathlib import Path

import pytest
from rich import box
from rich.table import Table
from rich.text import Text

from splu_ref.output import terminal
from splu_ref.output.terminal import at_most_lines, draw, fit_table, say, say_json, settle_streams

SHOWN = """\
== 36
               of few

                              a
  name of it         number   note
 ──────────────────────────────────
  one two three   1 000 000   x y
  fourteen                7

== 35
              of few

                             a
  name of it        number   note
 ─────────────────────────────────
  one two        1 000 000   x y
  three
  fourteen               7

== 31
            of few

  name of                a
  it            number   note
 ─────────────────────────────
  one two    1 000 000   x y
  three
  fourteen           7

== 30
           of few
                        a
name of it       number note
one two three 1 000 000 x y
fourteen              7
== 25
         of few
                     a
name of it    number note
one two    1 000 000 x y
three
fourteen           7
== 23
        of few
name of            a
it          number note
one two  1 000 000 x y
three
fourteen         7
== 22
of few
name of    one two
it         three
number     1 000 000
a          x y
note

name of    fourteen
it
number     7
== 21
of few
name of   one two
it        three
number    1 000 000
a         x y
note

name of   fourteen
it
number    7
== 12
of few
name  one
of    two
it    three
numb  1 000
er    000
a     x y
note

name  fourte
of    en
it
numb  7
er
"""
WIDTHS = dict(re.findall(r"^== ([0-9]+)\n((?:(?!==).*\n)*)", SHOWN, re.MULTILINE))


def _table() -> Table:
    table = Table(title="of few", title_style="bold", box=box.SIMPLE)
    table.add_column("name of it")
    table.add_column("number", justify="right")
    table.add_column("a\nnote", no_wrap=True)
    table.add_row("one two three", "1 000 000", "x y")
    table.add_row("fourteen", "7", "")
    return table


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_is_shown_as_it_was_read(width: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It wraps, the widest column first; then lines go; then each row is a list."""
    draw(_table(), width=int(width))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == WIDTHS[width].splitlines()


def test_a_table_without_headings_is_left_as_it_is() -> None:
    table = Table.grid()
    table.add_row("one two three", "four")
    assert fit_table(table, 5) is table
    assert [column.width for column in table.columns] == [None, None]


def test_a_row_by_itself_keeps_the_title_and_its_style() -> None:
    fitted_table = fit_table(_table(), 12)
    assert (fitted_table.title, fitted_table.title_style, fitted_table.title_justify) == (
        "of few",
        "bold",
        "left",
    )
    assert (fitted_table.box, fitted_table.show_header, fitted_table.pad_edge) == (None, False, False)
    first, second = fitted_table.columns
    assert (first.style, first.overflow, first.max_width, second.overflow) == ("dim", "fold", 6, "fold")
    assert [str(cell) for cell in first.cells] == [
        "name of it",
        "number",
        "a\nnote",
        "",
        "name of it",
        "number",
    ]
    assert [str(cell) for cell in second.cells] == ["one two three", "1 000 000", "x y", "", "fourteen", "7"]


def test_a_column_takes_no_more_than_it_may() -> None:
    table = Table()
    table.add_column("words", max_width=6)
    table.add_column("none")
    table.add_row("a word and another", "")
    table.add_row(Text("sevenly two\nthirteen"), "")
    assert [terminal._needs(column) for column in table.columns] == [(6, 6), (4, 4)]
    table.columns[0].max_width = None
    assert terminal._needs(table.columns[0]) == (8, 18)
    table.columns[0].justify = "right"
    assert terminal._needs(table.columns[0]) == (18, 18)
    table.columns[1].header = ""
    assert terminal._needs(table.columns[1]) == (0, 0)


def test_json_of_many_lines(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"b": ["\x7f"], "a": "é"}, indent=2)
    assert capsys.readouterr().out == '{\n  "b": [\n    "\\u007f"\n  ],\n  "a": "\\u00e9"\n}\n'
    say_json({"b": [1, None], "a": True})
    assert capsys.readouterr().out == '{"b": [1, null], "a": true}\n'


def test_a_reader_that_went_away_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        terminal.say("nobody reads this")
        terminal.say("nor this")
        assert os.fstat(pipe.fileno()).st_rdev == Path(os.devnull).stat().st_rdev


def test_streams_that_are_closed_or_lack_a_character_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("excepthook", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    narrow = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(narrow, encoding="ascii"))
    monkeypatch.setattr(sys, "stderr", None)
    settle_streams()
    terminal.say("γ")
    assert narrow.getvalue() == b"\\u03b3\n"
    terminal.say("γ \u2028", stderr=True)
    error = sys.stderr
    assert isinstance(error, io.TextIOWrapper)
    assert (error.name, error.mode, error.encoding) == (os.devnull, "w", "utf-8")
    error.close()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys, "stdout", None)
    settle_streams()
    terminal.say("γ")
    out: object = sys.stdout
    assert isinstance(out, io.TextIOWrapper)
    assert (out.name, out.encoding, out.errors) == (os.devnull, "utf-8", "backslashreplace")
    out.close()


def test_a_console_takes_texts_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    console = terminal.console(stderr=True, width=7)
    console.print("[b]:smile: 'x' 12")
    assert screen.getvalue() == "[b]:smi\nle: 'x'\n12\n"
    assert console.width == 7
    assert terminal.watched() is False
    monkeypatch.setattr(screen, "isatty", lambda: True)
    assert terminal.watched() is True


def test_every_line_of_a_defect_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ValueError("one\ntwo\x1b")
    except ValueError as error:
        terminal._print_defect(ValueError, error, error.__traceback__)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-2:] == ["ValueError: one", "two\\x1b"]


def test_a_note_follows_what_was_printed_before_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", sys.stdout)
    with at_most_lines(2, "see all"):
        say("first")
        say("second")
        say("a note", stderr=True)
    assert capsys.readouterr().out.splitlines() == ["first", "second", "a note"]
