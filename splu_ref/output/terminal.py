"""The one way to a terminal: what is quoted from elsewhere can neither steer it nor hide or forge a word."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from traceback import format_exception
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, TextIO
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Column, Table

MOST_MARKS = 4
"""Marks above and below one letter that any orthography needs; Unicode Technical Standard 39, section 5.4."""
_UNBOUNDED = 1_000_000
"""Columns of a terminal in which every line fits."""
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
    """Print a JSON object on standard output: see `json_text`."""
    _write(json_text(document, indent=indent), sys.stdout)


def json_text(document: Mapping[str, object], *, indent: int | None = None) -> str:
    """Return a JSON object in lines: the values as they are, in ASCII without controls."""
    # JSON escapes all controls but the last, which can stand within a text only.
    return json.dumps(document, ensure_ascii=True, indent=indent).replace("\x7f", "\\u007f") + "\n"


def draw(renderable: RenderableType, *, width: int | None = None) -> None:
    """Print something that Rich can render on standard output, with colors on a terminal only.

    Parameters
    ----------
    renderable
        The tables and texts in it are made from visible texts: an end of line within a text is obeyed here,
        because it may be part of the layout. Everything else that steers is shown, not obeyed. A table is
        `fitted` to the width.
    width
        Columns; those of the terminal unless given.
    """
    from rich.segment import Segment, Segments  # noqa: PLC0415 - what prints plain lines need not load it
    from rich.table import Table  # noqa: PLC0415

    target = console(width=width)
    if isinstance(renderable, Table):
        renderable = fitted(renderable, target.width)
    segments = [
        Segment("\n".join(map(visible, part.text.split("\n"))), part.style, part.control)
        for part in target.render(renderable)
    ]
    with target.capture() as captured:
        target.print(Segments(segments), crop=False)
    _write(captured.get(), sys.stdout)


def fitted(table: Table, width: int) -> Table:
    """Return a table of which no word and no number is broken in that many columns, if that can be.

    Where its lines are too long, the widest columns wrap first, none below its longest word; a column that
    stands to the right holds numbers, and its cells are not wrapped. Where even the words do not fit beside
    each other, lines between the columns go, and then each row is told by itself: a line for each cell that
    is not empty, behind its heading.
    """
    needs = [_needs(column) for column in table.columns]
    room = _room(table, needs, width)
    if sum(need.most for need in needs) <= room or not table.show_header:
        return table
    if sum(need.least for need in needs) > room:
        table.box, table.padding, table.pad_edge = None, (0, 1, 0, 0), False
        room = _room(table, needs, width)
        if sum(need.least for need in needs) > room:
            return _rows_as_lists(table, width)
    widths = [min(need.most, room) for need in needs]
    while sum(widths) > room:
        wide = [number for number, need in enumerate(needs) if widths[number] > need.least]
        widths[max(wide, key=widths.__getitem__)] -= 1
    for column, own in zip(table.columns, widths, strict=True):
        column.width = own
    return table


def _room(table: Table, needs: Sequence[_ColumnWidths], width: int) -> int:
    """Return the columns of a terminal that cells may take, beside what stands between them."""
    from rich.measure import Measurement  # noqa: PLC0415

    target = console(width=_UNBOUNDED)
    taken = Measurement.get(target, target.options, table).maximum
    return width - (taken - sum(need.most for need in needs))


class _ColumnWidths(NamedTuple):
    """The widths of a column without a broken word, and without a broken line."""

    least: int
    most: int


def _needs(column: Column) -> _ColumnWidths:
    from rich.cells import cell_len  # noqa: PLC0415

    heading, *cells = [str(cell).split("\n") for cell in (column.header, *column.cells)]
    lines = [line for cell in cells for line in cell]
    unbroken = column.no_wrap or column.justify == "right"
    kept = lines if unbroken else [word for line in lines for word in line.split()]
    words = [word for line in heading for word in line.split()]
    least, most = (max(map(cell_len, texts), default=0) for texts in ([*kept, *words], [*lines, *heading]))
    bound = column.max_width or _UNBOUNDED
    return _ColumnWidths(min(least, bound), min(most, bound))


def _rows_as_lists(table: Table, width: int) -> Table:
    from rich.table import Table as Grid  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = Grid(
        box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0),
        title=table.title, title_justify="left", title_style=table.title_style,
    )  # fmt: skip
    grid.add_column(style="dim", overflow="fold", max_width=width // 2)
    grid.add_column(overflow="fold")
    headings = [Text(str(column.header)) for column in table.columns]
    for number, row in enumerate(zip(*(column.cells for column in table.columns), strict=True)):
        if number:
            grid.add_row()
        for heading, cell in zip(headings, row, strict=True):
            if str(cell):
                grid.add_row(heading, cell)
    return grid


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
    sys.excepthook = _print_defect
    warnings.showwarning = _print_warning


def _print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print what a library warns of, which may quote data: drawing names each letter that a font lacks."""
    say(f"warning: {message}", stderr=True)


def _print_defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
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
