"""Settings of matplotlib, the extra ``figures``, for all pictures.

Texts are not interpreted as formulas. Equal content gives equal bytes.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}


def can_draw() -> bool:
    """Return whether matplotlib is installed."""
    try:
        import matplotlib  # noqa: F401, PLC0415  optional, and slow to import
    except ImportError:
        return False
    return True


@contextmanager
def canvas(width: float, height: float, settings: dict[Any, Any]) -> Iterator[Figure]:
    """Yield a figure, to be drawn and written inside the ``with`` statement.

    Parameters
    ----------
    width, height
        Size in inches.
    settings
        Further settings of matplotlib, by its names.
    """
    from matplotlib import rc_context  # noqa: PLC0415  as above
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    ours: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "splu-ref", "text.parse_math": False}
    with rc_context(ours | settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)  # a box stands for it
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def figure_bytes(
    figure: Figure, form: str, *, dpi: float | Literal["figure"] = "figure", transparent: bool = False
) -> bytes:
    """Return a figure as the bytes of an ``svg`` or ``png`` file."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=form, metadata=_METADATA[form], dpi=dpi, transparent=transparent)
    return buffer.getvalue()
