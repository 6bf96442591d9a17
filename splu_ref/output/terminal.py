"""Safe output to terminals: quoted text cannot control the terminal, and cannot hide or forge characters."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import TextIOWrapper
from pathlib import Path
from shutil import get_terminal_size
from traceback import format_exception
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, TextIO
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Column, Table

MOST_MARKS = 4
"""Largest number of combining marks per letter (Unicode Technical Standard 39, section 5.4)."""
_UNBOUNDED = 1_000_000
"""Terminal width for which no line wraps."""
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible letters, marks and symbols: a joiner, fillers, inherent vowels, an empty Braille cell."""
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors, which are invisible and select a form of the preceding letter."""


def visible(text: str) -> str:
    r"""Return ``text`` with invisible characters as escapes such as ``\x1b``.

    Escaped are controls and line ends, formatting characters (directions, joiners, tags), surrogates, private
    and unassigned characters, all spaces except the plain one, blank characters, variation selectors, and
    combining marks after the fourth of a letter. The result is one line. Backslashes are not escaped, so the
    four characters ``\x1b`` look like an escape; JSON output distinguishes them.
    """
    return _shown(text, lambda letter: letter.encode("unicode_escape").decode())


def replace_invisible(text: str) -> str:
    """Return ``text`` with U+FFFD for every character that `visible` escapes."""
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
    """Print a line on standard output or standard error; line ends within it are escaped."""
    shown = visible(line)
    if stderr:
        _write(f"{shown}\n", sys.stderr)
    else:
        _answer(shown, -(-len(shown) // get_terminal_size().columns))


def say_json(document: Mapping[str, object], *, indent: int | None = None) -> None:
    """Print a JSON object on standard output: see `json_text`."""
    _write(json_text(document, indent=indent), sys.stdout)


def json_text(document: Mapping[str, object], *, indent: int | None = None) -> str:
    """Return a JSON object as ASCII text without control characters."""
    # JSON escapes all controls except DEL, which occurs within strings only.
    return json.dumps(document, ensure_ascii=True, indent=indent).replace("\x7f", "\\u007f") + "\n"


def draw(renderable: RenderableType, *, width: int | None = None) -> None:
    """Print a Rich renderable on standard output, with colors on a terminal only.

    Parameters
    ----------
    renderable
        A table or text, already passed through `visible`: line ends are kept as part of the layout, all other
        control characters are escaped. A table is fitted to the width by `fit_table`.
    width
        Number of columns, by default that of the terminal.
    """
    from rich.segment import Segment, Segments  # noqa: PLC0415 - what prints plain lines need not load it
    from rich.table import Table  # noqa: PLC0415

    target = console(width=width)
    if isinstance(renderable, Table):
        renderable = fit_table(renderable, target.width)
    segments = [
        Segment("\n".join(map(visible, part.text.split("\n"))), part.style, part.control)
        for part in target.render(renderable)
    ]
    with target.capture() as captured:
        target.print(Segments(segments), crop=False)
    for line in captured.get().splitlines():
        _answer(line)


class _Screen:
    """The lines of an answer, of which a limited number is printed: at once, as long as one line is left."""

    def __init__(self, most: int) -> None:
        self._room, self._kept, self._left = most, list[str](), 0

    def add(self, line: str, height: int) -> None:
        """Print a line that takes ``height`` lines of the terminal, or keep it."""
        if not self._kept and height < self._room:
            self._room -= height
            _write(f"{line}\n", sys.stdout)
        else:
            self._kept.append(line)
            self._left += height

    def close(self, remedy: str) -> None:
        """Print the kept lines if there is room, else their number."""
        fits = self._left <= self._room
        for line in self._kept if fits else [f"{self._left} more lines: {remedy}"]:
            _write(f"{line}\n", sys.stdout)


_SCREEN: ContextVar[_Screen | None] = ContextVar("screen", default=None)


@contextmanager
def at_most_lines(most: int, remedy: str) -> Iterator[None]:
    """Limit what `say` and `draw` print on standard output within the context.

    Parameters
    ----------
    most
        Lines of the terminal, at least 1; the last says how many there are more.
    remedy
        How to see all of them.
    """
    screen = _Screen(most)
    token = _SCREEN.set(screen)
    try:
        yield
    finally:
        _SCREEN.reset(token)
        screen.close(remedy)


def _answer(line: str, height: int = 1) -> None:
    """Print a line of an answer on standard output, as far as there is room."""
    screen = _SCREEN.get()
    if screen is None:
        _write(f"{line}\n", sys.stdout)
    else:
        screen.add(line, max(height, 1))


def fit_table(table: Table, width: int) -> Table:
    """Return a table that fits a width without breaking words or numbers, if possible.

    The widest columns wrap first, none below its longest word; right-aligned columns hold numbers and do not
    wrap. If the words do not fit, the lines between columns are removed. If they still do not fit, each row
    is printed as a list with one line per nonempty cell, after its heading.
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
    """Return the terminal columns that are available to cells."""
    from rich.measure import Measurement  # noqa: PLC0415

    target = console(width=_UNBOUNDED)
    taken = Measurement.get(target, target.options, table).maximum
    return width - (taken - sum(need.most for need in needs))


class _ColumnWidths(NamedTuple):
    """The smallest widths of a column without breaking words, and without breaking lines."""

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
    """Return a console on a standard stream that interprets neither markup nor emoji names."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def watched() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def settle_streams() -> None:
    """Configure the standard streams so that printing cannot fail on closed streams or missing characters."""
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
    """Print a library's warning with escapes, because it may quote data."""
    say(f"warning: {message}", stderr=True)


def _print_defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a defect with escapes, because it may quote data."""
    for line in "".join(format_exception(kind, error, trace)).removesuffix("\n").split("\n"):
        say(line, stderr=True)


def _write(text: str, stream: TextIO) -> None:
    """Write and flush; a closed pipe does not change the exit code."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
