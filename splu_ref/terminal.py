"""The one way to a terminal: what is quoted from elsewhere can neither steer it nor hide or forge a word."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from pathlib import Path
from traceback import format_exception
from types import TracebackType
from typing import TYPE_CHECKING, TextIO
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

MOST_MARKS = 4
"""Marks above and below one letter that any orthography needs; Unicode Technical Standard 39, section 5.4."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters, marks and symbols that show nothing: a joiner, fillers, inherent vowels, an empty Braille cell."""
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors: they choose a form of the letter before them and show nothing themselves."""


def visible(text: str) -> str:
    r"""Return ``text`` with everything that a reader would not see written as an escape, as ``\x1b``.

    Escaped are controls and ends of lines, formatting (directions, joiners, tags), surrogates, private and
    unassigned characters, every space but the plain one, characters that show nothing, variation selectors,
    and the marks above one letter after the fourth. The result is one line. A backslash stays as it is, so
    that a text which holds the four characters ``\x1b`` looks like an escape: JSON output tells them apart.
    """
    return _shown(text, lambda letter: letter.encode("unicode_escape").decode())


def replaced(text: str) -> str:
    """Return ``text`` with U+FFFD for what `visible` escapes, where an escape would take too much room."""
    return _shown(text, lambda _: "\N{REPLACEMENT CHARACTER}")


def _shown(text: str, instead: Callable[[str], str]) -> str:
    if text.isascii() and text.isprintable():
        return text
    shown, marks = [], 0
    for letter in text:
        marks = marks + 1 if category(letter) in ("Mn", "Me") else 0
        seen = letter.isprintable() and letter not in _BLANK and marks <= MOST_MARKS
        selects = marks and any(ord(letter) in block for block in _SELECTORS)
        shown.append(letter if seen and not selects else instead(letter))
    return "".join(shown)


def say(line: str, *, stderr: bool = False) -> None:
    """Print a line on standard output or standard error; an end of line within it is shown, not obeyed."""
    _write(f"{visible(line)}\n", sys.stderr if stderr else sys.stdout)


def say_json(document: Mapping[str, object], *, indent: int | None = None) -> None:
    """Print a JSON object on standard output: the values as they are, in ASCII without controls."""
    # JSON escapes all controls but the last, which can stand within a text only.
    text = json.dumps(document, ensure_ascii=True, indent=indent).replace("\x7f", "\\u007f")
    _write(f"{text}\n", sys.stdout)


def draw(renderable: RenderableType, *, width: int | None = None) -> None:
    """Print something that Rich can render on standard output, with colors on a terminal only.

    Parameters
    ----------
    renderable
        The tables and texts in it are made from visible texts: an end of line within a text is obeyed here,
        because it may be part of the layout. Everything else that steers is shown, not obeyed.
    width
        Columns; those of the terminal unless given.
    """
    from rich.segment import Segment, Segments  # noqa: PLC0415 - what prints plain lines need not load it

    target = console(width=width)
    segments = [
        Segment("\n".join(map(visible, part.text.split("\n"))), part.style, part.control)
        for part in target.render(renderable)
    ]
    with target.capture() as captured:
        target.print(Segments(segments), crop=False)
    _write(captured.get(), sys.stdout)


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Return a console on a standard stream, which takes a text as it is: no markup, no names of emoji."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def watched() -> bool:
    """Say whether somebody sees on a terminal what is written to standard error."""
    return sys.stderr.isatty()


def settle_streams() -> None:
    """Make sure that printing cannot fail: for a stream that is closed, or that lacks a character."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it stays open to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - it stays open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.excepthook = _tell_defect
    warnings.showwarning = _tell_warning


def _tell_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print what a library warns of, which may quote data: drawing names each letter that a font lacks."""
    say(f"warning: {message}", stderr=True)


def _tell_defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a defect, which may quote data as well."""
    for line in "".join(format_exception(kind, error, trace)).removesuffix("\n").split("\n"):
        say(line, stderr=True)


def _write(text: str, stream: TextIO) -> None:
    """Write and flush; a reader that went away, as ``head`` does, changes no exit code."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
