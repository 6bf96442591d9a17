"""Every stroke of a picture, as calls of matplotlib, which need not be installed.

``drawn.txt`` holds what is drawn of a few tables: lines that were read. Where one ought to change, read the
new one. How matplotlib draws it is not held here, and changes with its versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.estimators import Cell, Table
from splu_ref.estimators.tables import pictures

READ = re.split(r"^# (.+)\n", Path(__file__).with_name("drawn.txt").read_text("utf-8"), flags=re.MULTILINE)
DRAWN = dict(zip(READ[1::2], READ[2::2], strict=True))


class Pen:
    """Notes its calls, and returns another pen."""

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines, self._name = lines, name

    def __getattr__(self, name: str) -> Pen:
        return Pen(self._lines, f"{self._name}.{name}")

    def __getitem__(self, place: object) -> Pen:
        return Pen(self._lines, f"{self._name}[{_argument_text(place)}]")

    def __call__(self, *words: object, **more: object) -> Any:
        labeled = [
            *map(_argument_text, words),
            *(f"{name}={_argument_text(each)}" for name, each in more.items()),
        ]
        self._lines.append(f"{self._name}({', '.join(labeled)})")
        attribute = self._name.rpartition(".")[2]
        return (90.0, 190.0) if attribute == "get_clim" else Pen(self._lines, attribute)


def _argument_text(word: object) -> str:
    if isinstance(word, Pen):
        return str(word._name)
    if isinstance(word, list | tuple):
        return f"[{', '.join(map(_argument_text, word))}]"
    return f"{word:.6g}" if isinstance(word, float) else repr(word)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is drawn from now on."""
    found: list[str] = []

    @contextmanager
    def canvas(*words: object) -> Iterator[Pen]:
        Pen(found, "canvas")(*words)
        yield Pen(found, "figure")

    def written(*words: object, **more: object) -> bytes:
        Pen(found, "written")(*words, **more)
        return b"a picture"

    monkeypatch.setattr(pictures, "can_draw", lambda: True)
    monkeypatch.setattr(pictures, "canvas", canvas)
    monkeypatch.setattr(pictures, "figure_bytes", written)
    return found


def _lines(names: str, *sizes: int, each: int = 1) -> Table:
    """Return each such line of so many values of some columns: names that are long, hostile or empty."""
    words = ["", "x" * 24, "y" * 25, "a\x1b\u202e"]
    places: list[tuple[str, ...]] = [()]
    for size in sizes:
        some = [words[rank] if rank < len(words) else str(rank) for rank in range(size)]
        places = [(*place, value) for place in places for value in some]
    cells = [
        Cell(place, estimate, None, ends, "shrunk", 0, 0)
        for number, place in enumerate(places)
        for estimate, ends in [
            (
                number * 44.4 if number % 5 else number * 10,
                None
                if number % 7 == 6
                else (-1.6, -1.6)
                if number % 7 == 5
                else (number - 3.2, 1e4 + number),
            )
        ]
        if number % each == 0
    ]
    return Table(
        quantity="mean of p\x1b", by=tuple(names.split()), where=(), cells=tuple(cells), totals=(), rows=9
    )


PICTURES = {
    "squares are turned, and every other one is left out": (_lines("sex age", 4, 9, each=2), ".svg"),
    "squares on which no number has room": (_lines("sex age", 17, 18, each=7), ".svg"),
    "bars of two columns, the first one shorter": (_lines("se\x1bx age", 2, 7, each=3), ".png"),
    "bars of three columns": (_lines("sex age job", 2, 1, 2), ".svg"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_each_stroke_is_one_that_was_read(name: str, lines: list[str]) -> None:
    table, suffix = PICTURES[name]
    assert pictures.picture(table, suffix) == b"a picture"
    assert lines == DRAWN[name].splitlines()


@pytest.mark.parametrize(
    ("sizes", "labeled"), [((16, 40), True), ((40, 16), True), ((17, 40), False), ((16, 41), False)]
)
def test_numbers_stand_in_squares_as_long_as_they_can_be_read(
    sizes: tuple[int, int], labeled: bool, lines: list[str]
) -> None:
    pictures.picture(_lines("sex age", *sizes), ".svg")
    assert any(line.startswith("subplots.text(") for line in lines) == labeled
    assert any("95 % interval" in line for line in lines) == labeled


@pytest.mark.parametrize(
    ("sizes", "squares"),
    [
        ((3, 16), False),
        ((3, 17), True),
        ((48, 1), False),
        ((49, 1), True),
        ((4, 4), True),
        ((2, 4, 8), False),
    ],
)
def test_two_columns_of_many_lines_are_squares(
    sizes: tuple[int, ...], squares: bool, lines: list[str]
) -> None:
    pictures.picture(_lines("sex age job", *sizes) if len(sizes) > 2 else _lines("sex age", *sizes), ".svg")
    assert any("imshow" in line for line in lines) == squares


@pytest.mark.parametrize(
    ("sizes", "most"), [((120,), None), ((121,), 120), ((4000, 1), None), ((4001, 1), 4000), ((3, 5, 9), 120)]
)
def test_as_many_lines_are_drawn_as_can_be_read(
    sizes: tuple[int, ...], most: int | None, lines: list[str]
) -> None:
    table = _lines(" ".join("abc"[: len(sizes)]), *sizes)
    if most is None:
        assert pictures.picture(table, ".svg") == b"a picture"
        return
    with pytest.raises(InputError) as error:
        pictures.picture(table, ".svg")
    assert str(error.value) == (
        f"a picture of {len(table.cells)} lines cannot be read: name fewer columns or values, at most {most} "
        "lines, or leave --picture out"
    )
    assert not lines


@pytest.mark.parametrize(
    ("estimate", "interval", "words"),
    [
        (100.0, (99.6, 100.4), "100\n100 to 100"),
        (99.96, None, "100.0"),
        (-100.5, (-1234.5, 7.5), "−100\n−1,234 to 8"),
        (7.0, (7.0, 7.0), "7"),
        (-0.04, (-0.4, 0.4), "0.0\n0 to 0"),
        (0.25, (0.0, 0.5), "0.2\n0 to 0"),
        (12345.6, None, "12,346"),
    ],
)
def test_numbers_in_squares(estimate: float, interval: tuple[float, float] | None, words: str) -> None:
    assert pictures._number(Cell(("",), estimate, None, interval, "", 0, 0)) == words


@pytest.mark.parametrize(
    ("sizes", "inches"),
    [((4, 4), "6, 3.1"), ((17, 3), "5.8, 7.62"), ((1, 50), "5.8, 15"), ((1, 1), "7.2, 2.8")],
)
def test_small_pictures_have_room_for_names(sizes: tuple[int, int], inches: str, lines: list[str]) -> None:
    pictures.picture(_lines("sex age", *sizes), ".svg")
    assert lines[0] == f"canvas({inches}, {{'font.size': 8}})"
