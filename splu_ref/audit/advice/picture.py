"""The picture of an advice: the values of a table on a frequency axis, with three zones for each option.

Drawn by matplotlib (the ``figures`` extra). The same advice gives the same bytes.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from splu_ref.audit.advice.advice import Advice
from splu_ref.audit.advice.option import Option
from splu_ref.audit.advice.recommendation import named, recommend
from splu_ref.channels import InputError
from splu_ref.guarantees import decimal_down
from splu_ref.output import can_draw, canvas, figure_bytes, replace_invisible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PROTECTED, BETWEEN, ACCURATE = "#56b4e9", "#d9d9d9", "#e69f00"
"""From Okabe and Ito's palette, which color-blind readers can distinguish."""
FORMATS = (".svg", ".png")
LONGEST = 24
"""Characters of a value's name before it is shortened."""
ROOM = 0.02
"""Width of a slanted name, as a share of the axis."""


def require_format(suffix: str) -> None:
    """Raise ``InputError`` unless the suffix is that of a picture; for use before long work."""
    if suffix not in FORMATS:
        raise InputError(f"a picture is written as {' or '.join(FORMATS)}, not {suffix!r}: change the name")


def picture(advice: Advice, suffix: str) -> bytes:
    """Return the picture as the bytes of an SVG or PNG file.

    Parameters
    ----------
    advice
        The advice for a column.
    suffix
        ``".svg"`` or ``".png"``.

    Raises
    ------
    InputError
        For another suffix, or if matplotlib is not installed.
    """
    require_format(suffix)
    if not can_draw():
        raise InputError("a picture needs matplotlib: pip install matplotlib")
    height = 2.6 + 0.42 * len(advice.options)
    with canvas(9, height, {"font.size": 10, "hatch.linewidth": 0.6}) as figure:
        _draw(figure, advice)
        return figure_bytes(figure, suffix.removeprefix("."), dpi=150)


def _draw(drawing: Figure, advice: Advice) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415  as above

    axes = drawing.subplots()
    goals, chosen = advice.goals, recommend(advice).option
    left, right = 0.8, max(advice.values[0][1], *(option.threshold for option in advice.options)) * 1.6
    for row, option in enumerate(advice.options):
        _zones(axes, row, option, goals.alpha, (left, right))
        counts = [count for _, count in advice.values]
        axes.plot(counts, [row] * len(counts), "|", color="black", markersize=9, markeredgewidth=0.6)
    axes.set_yticks(
        range(len(advice.options)),
        [
            f"{'▶ ' if option is chosen else ''}{named(option)}\nT_P = {decimal_down(option.t_p, 4)}"
            for option in advice.options
        ],
    )
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(len(advice.options) - 0.4, -0.6)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
    axes.xaxis.set_minor_formatter(lambda value, _: "")
    axes.set_xlabel("records with a value (each stroke is a value of the table)")
    axes.tick_params(axis="y", length=0)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    _names(axes, advice, (left, right))
    handles = [
        Patch(facecolor=PROTECTED, hatch="///", edgecolor="white"),
        Patch(facecolor=BETWEEN),
        Patch(facecolor=ACCURATE),
    ]
    labels = (
        f"up to {goals.alpha}: off by {goals.epsilon} or more, at least {goals.t_p} (hatched if met)",
        "in between: no guarantee",
        f"from T_f on: off by {goals.epsilon} or more, at most {goals.t_e}",
    )
    drawing.legend(handles, labels, loc="outside lower center", frameon=False, fontsize=9)


def _zones(axes: Axes, row: int, option: Option, alpha: int, ends: tuple[float, float]) -> None:
    """Draw the three zones of one option; the small one is hatched where T_P is reached."""
    small, large = min(alpha, option.threshold - 1) + 0.5, option.threshold - 0.5
    for start, end, color in (
        (ends[0], small, PROTECTED),
        (small, large, BETWEEN),
        (large, ends[1], ACCURATE),
    ):
        if end > start:
            hatch = "///" if color == PROTECTED and option.meets_t_p else None
            axes.barh(row, end - start, left=start, height=0.62, color=color, hatch=hatch, edgecolor="white")
    if large < ends[1]:
        axes.text(max(large, ends[0]) * 1.03, row - 0.36, f"T_f {option.threshold}", fontsize=7, va="bottom")


def _names(axes: Axes, advice: Advice, ends: tuple[float, float]) -> None:
    """Name the values above the first row, the rarest and the most frequent first, where there is room."""
    sharing: dict[int, list[str]] = {}
    for value, count in advice.values:
        sharing.setdefault(count, []).append(value)
    counts = sorted(sharing)
    room = ROOM * log(ends[1] / ends[0])
    taken: list[float] = []
    for count in [counts[0], *reversed(counts[1:])]:
        place = log(count)
        if any(abs(place - other) < room for other in taken):
            continue
        taken.append(place)
        values = sharing[count]
        name = values[0] if len(values) == 1 else f"{len(values)} values"
        axes.annotate(
            replace_invisible(name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"),
            (count, -0.72),
            rotation=45,
            fontsize=7,
            ha="left",
            va="bottom",
            rotation_mode="anchor",
            annotation_clip=False,
        )
