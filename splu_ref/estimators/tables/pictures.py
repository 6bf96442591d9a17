"""Pictures of a table: a heat map for two columns, bars with intervals otherwise.

Requires matplotlib, the extra ``figures``. Equal tables give equal bytes.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from splu_ref.channels import InputError, ParameterError
from splu_ref.data import ordered
from splu_ref.estimators.tables.cells import Cell, Table
from splu_ref.output import can_draw, canvas, figure_bytes, replace_invisible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".svg", ".png")
"""Supported suffixes of picture files."""
MISSING = "a picture needs matplotlib: pip install matplotlib"
MOST_BARS, MOST_SQUARES = 120, 4_000
"""Largest number of table lines in a picture."""
_WORDS = 24
_BLANK = "(no content)"
_INK, _FRAME, _COLORS = (
    "#1f2933",
    "#9aa5b1",
    ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9"),
)


def picture(table: Table, suffix: str) -> bytes:
    """Return a picture of a table: a heat map for two columns with many lines, otherwise bars.

    Parameters
    ----------
    table
        The table; its totals are not drawn.
    suffix
        One of `PICTURES`.

    Raises
    ------
    InputError
        If matplotlib is not installed.
    ParameterError
        If the table has more lines than a picture can show.
    """
    if not can_draw():
        raise InputError(MISSING)
    squares = len(table.by) == 2 and len(table.cells) > _fewest(table)
    most = MOST_SQUARES if squares else MOST_BARS
    if len(table.cells) > most:
        raise ParameterError(
            f"a picture of {len(table.cells)} lines cannot be read: name fewer columns or values, at most "
            f"{most} lines, or leave --picture out"
        )
    return _heat_map(table, suffix) if squares else _bars(table, suffix)


def _fewest(table: Table) -> int:
    """Return the largest number of lines of two columns drawn as bars: 16 places with three bars each."""
    return 48 if min(len(_values(table, place)) for place in (0, 1)) <= 3 else 0


def _title(table: Table) -> str:
    labeled = f"{table.quantity} by {' and '.join(table.by)}"
    return replace_invisible(labeled[0].upper() + labeled[1:])


def _word(value: str | None) -> str:
    text = replace_invisible(value or _BLANK)
    return text if len(text) <= _WORDS else text[: _WORDS - 1] + "…"


def _values(table: Table, place: int) -> list[str]:
    """Return the values of a column in table order, which does not depend on missing lines."""
    return ordered({str(cell.values[place]) for cell in table.cells})


def _heat_map(table: Table, suffix: str) -> bytes:
    down, across = (_values(table, place) for place in (0, 1))
    if len(across) > len(down):
        down, across, turned = across, down, True
    else:
        turned = False
    found = {(cell.values if not turned else cell.values[::-1]): cell for cell in table.cells}
    grid = [[_estimate(found.get((one, other))) for other in across] for one in down]
    labeled = len(across) <= 16 and len(down) <= 40
    width = 2.6 + max(3.2, (0.85 if labeled else 0.28) * len(across))
    with canvas(width, 1.5 + max(1.6, (0.36 if labeled else 0.27) * len(down)), {"font.size": 8}) as figure:
        axes = figure.subplots()
        image = axes.imshow(grid, aspect="auto", cmap="Blues")
        low, high = image.get_clim()
        axes.set_xticks(range(len(across)), [_word(value) for value in across], rotation=40, ha="right")
        axes.set_yticks(range(len(down)), [_word(value) for value in down])
        axes.set_xlabel(replace_invisible(table.by[0 if turned else 1]))
        axes.set_ylabel(replace_invisible(table.by[1 if turned else 0]))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        for y, one in enumerate(down if labeled else ()):
            for x, other in enumerate(across):
                cell = found.get((one, other))
                if cell is not None:
                    dark = cell.estimate > low + 0.6 * (high - low)
                    axes.text(
                        x, y, _number(cell), ha="center", va="center", fontsize=6.5,
                        color="white" if dark else _INK,
                    )  # fmt: skip
        figure.colorbar(image, ax=axes, shrink=0.8, label=replace_invisible(table.quantity))
        note = "below each estimate its 95 % interval" if labeled else ""
        axes.set_title(_title(table) + (f"\n{note}" if note else ""), fontsize=10, loc="left")
        return figure_bytes(figure, suffix[1:], dpi=130)


def _estimate(cell: Cell | None) -> float:
    return 0.0 if cell is None else cell.estimate if cell.is_known else nan


def _number(cell: Cell) -> str:
    whole = abs(cell.estimate) >= 100 or cell.estimate == int(cell.estimate)
    shown = f"{cell.estimate:z,.0f}" if whole else f"{cell.estimate:z.1f}"  # z: no minus before a zero
    shown = shown if cell.is_known else "none"
    if cell.interval is not None and cell.interval[0] != cell.interval[1]:
        low, high = cell.interval
        shown += f"\n{low:z,.0f} to {high:z,.0f}"
    return shown.replace("-", "−")


def _bars(table: Table, suffix: str) -> bytes:
    """Draw a bar for each line; of two columns, one color for each value of the shorter one."""
    two = len(table.by) == 2
    short = min((0, 1), key=lambda place: len(_values(table, place))) if two else None
    colors = [""] if short is None else _values(table, short)
    lines = [cell.values for cell in table.cells]
    names = lines if short is None else [(value,) for value in _values(table, 1 - short)]
    places = {values: place for place, values in enumerate(names)}
    thick = 0.8 / max(1, len(colors))
    height = 1.3 + max(1.5, (0.24 if len(colors) < 2 else 0.16 * len(colors) + 0.1) * len(places))
    with canvas(7.2, height, {"font.size": 8}) as figure:
        axes = figure.subplots()
        for number, color in enumerate(colors):
            some = [cell for cell in table.cells if short is None or cell.values[short] == color]
            at = [places[_rest(cell, short)] + (number - (len(colors) - 1) / 2) * thick for cell in some]
            label = _word(color) if short is not None else None
            axes.barh(
                at, [_estimate(cell) for cell in some], thick * 0.92, color=_COLORS[number],
                label=label, alpha=0.75,
            )  # fmt: skip
            _whiskers(axes, at, some)
        axes.set_yticks(range(len(places)), [" · ".join(map(_word, values)) for values in places])
        axes.invert_yaxis()
        axes.set_xlabel(f"{replace_invisible(table.quantity)}, with 95 % intervals")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.grid(axis="x", color=_FRAME, alpha=0.35, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        if short is not None:
            axes.legend(title=replace_invisible(table.by[short]), frameon=False, fontsize=8)
        axes.set_title(_title(table), fontsize=10, loc="left")
        return figure_bytes(figure, suffix[1:], dpi=130)


def _rest(cell: Cell, short: int | None) -> tuple[str | None, ...]:
    return tuple(value for place, value in enumerate(cell.values) if place != short)


def _whiskers(axes: Axes, at: list[float], cells: list[Cell]) -> None:
    for place, cell in zip(at, cells, strict=True):
        if cell.interval is not None:
            axes.plot(cell.interval, (place, place), color=_INK, linewidth=1.1, solid_capstyle="butt")
            axes.plot(cell.interval, (place, place), "|", color=_INK, markersize=4)
