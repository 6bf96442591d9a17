"""Safe output to terminals: quoted text cannot control the terminal, and cannot hide or forge characters."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    from rich.segment import Segment
    from rich.table import Column, Table

MOST_MARKS = 4
"""Largest number of combining marks per letter (Unicode Technical Standard 39, section 5.4)."""
_UNBOUNDED = 1_000_000
"""Terminal width for which no line wraps."""
_ENTRY = "entry"
"""Key in the meta data of a style: the number of the row of a table that a line belongs to."""
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


def visible_json(document: object) -> str:
    """Return JSON on one line, with every character that `visible` escapes as an escape of JSON."""
    shown = _shown(json.dumps(document, ensure_ascii=False), lambda letter: json.dumps(letter)[1:-1])
    return shown.replace("\x7f", "\\u007f")


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


def say(line: str, *, stderr: bool = False, whole: bool = False) -> None:
    """Print a line on standard output or standard error; line ends within it are escaped.

    ``whole``: count it as one line of a limited screen, however long it is.
    """
    shown = visible(line)
    screen = _SCREEN.get()
    if stderr and screen is not None:
        screen.remark(shown)
    elif stderr:
        _write(f"{shown}\n", sys.stderr)
    else:
        _answer([shown], 1 if whole else -(-len(shown) // get_terminal_size().columns))


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
    from rich.style import Style  # noqa: PLC0415 - what prints plain lines need not load it
    from rich.table import Table  # noqa: PLC0415

    target = console(width=width)
    if isinstance(renderable, Table):
        for number, row in enumerate(renderable.rows):
            row.style = Style(meta={_ENTRY: number})
        renderable = fit_table(renderable, target.width)
    segments = [
        Segment("\n".join(map(visible, part.text.split("\n"))), part.style, part.control)
        for part in target.render(renderable)
    ]
    with target.capture() as captured:
        target.print(Segments(segments), crop=False)
    lines = [line.rstrip(" ") for line in captured.get().splitlines()]  # without the padding of cells
    for entry in _entries(lines, Segment.split_lines(segments)):
        _answer(entry, len(entry))


def _entries(lines: Sequence[str], segments: Iterable[Iterable[Segment]]) -> list[list[str]]:
    """Divide lines into the rows of a table, the first with the heading; without rows, into single lines."""
    numbers = [
        next((part.style.meta[_ENTRY] for part in parts if part.style and _ENTRY in part.style.meta), None)
        for parts in segments
    ]
    if not any(number is not None for number in numbers):
        return [[line] for line in lines]
    found: list[list[str]] = [[]]
    last: object = None
    for line, number in zip(lines, numbers, strict=True):
        if last is not None and number not in (None, last):
            found.append([])
        found[-1].append(line)
        last = last if number is None else number
    return found


class _Screen:
    """The entries of an answer, of which those are printed, at once, that leave a line of the screen."""

    def __init__(self, most: int) -> None:
        self._room, self._kept, self._left = most, list[tuple[Sequence[str], int]](), 0
        self._remarks: list[str] = []

    def add(self, entry: Sequence[str], height: int) -> None:
        """Print the lines of an entry, which takes ``height`` lines of the terminal, or keep it."""
        if not self._kept and height < self._room:
            self._room -= height
            _print(entry)
        else:
            self._kept.append((entry, height))
            self._left += height

    def remark(self, line: str) -> None:
        """Print a line on standard error, after the entries that are kept so far."""
        if self._kept:
            self._remarks.append(line)
        else:
            _write(f"{line}\n", sys.stderr)

    def has_room_for(self, other: _Screen) -> bool:
        """Return whether all entries that another screen has kept would be printed."""
        return not self._kept and other._left <= self._room

    def move_to(self, other: _Screen) -> None:
        """Add the kept entries to another screen."""
        for entry, height in self._kept:
            other.add(entry, height)
        for line in self._remarks:
            other.remark(line)

    def close(self, remedy: str) -> None:
        """Print the kept entries if there is room, else their number."""
        if self._left <= self._room:
            for entry, _ in self._kept:
                _print(entry)
        else:
            _print([f"{len(self._kept)} more {'entry' if len(self._kept) == 1 else 'entries'}: {remedy}"])
        for line in self._remarks:
            _write(f"{line}\n", sys.stderr)


_SCREEN: ContextVar[_Screen | None] = ContextVar("screen", default=None)


@contextmanager
def at_most_lines(most: int, remedy: str) -> Iterator[None]:
    """Limit what `say` and `draw` print on standard output within the context.

    A line that is said and a row of a table is an entry, which is printed whole or not at all.

    Parameters
    ----------
    most
        Lines of the terminal, at least 1; the last says how many entries there are more.
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


@contextmanager
def whole_or(instead: Callable[[], None]) -> Iterator[None]:
    """Print what is said and drawn within the context; call ``instead`` if a limited screen would cut it."""
    screen = _SCREEN.get()
    if screen is None:
        yield
        return
    part = _Screen(0)
    token = _SCREEN.set(part)
    try:
        yield
    finally:
        _SCREEN.reset(token)
    if screen.has_room_for(part):
        part.move_to(screen)
    else:
        instead()


def _answer(entry: Sequence[str], height: int) -> None:
    """Print the lines of an entry of an answer on standard output, as far as there is room."""
    screen = _SCREEN.get()
    if screen is None:
        _print(entry)
    else:
        screen.add(entry, max(height, 1))


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        _write(f"{line}\n", sys.stdout)


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
    from rich.style import Style  # noqa: PLC0415 - only a table that is too wide needs it
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
                grid.add_row(heading, cell, style=Style(meta={_ENTRY: number}))
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
