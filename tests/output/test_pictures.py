"""What all pictures share: their size, their settings, and how they are written."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Any

import pytest

from splu_ref.output import pictures
from splu_ref.output.pictures import can_draw, canvas, figure_bytes


def test_a_canvas_has_its_size_and_settings_as_long_as_it_is_drawn_on() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    assert can_draw()
    names = ("svg.fonttype", "svg.hashsalt", "text.parse_math", "font.size")
    before = [matplotlib.rcParams[name] for name in names]
    with canvas(3.5, 2.0, {"font.size": 7.5}) as figure:
        assert [matplotlib.rcParams[name] for name in names] == ["none", "splu-ref", False, 7.5]
        assert figure.get_size_inches().tolist() == [3.5, 2.0]
        assert type(figure.get_layout_engine()).__name__ == "ConstrainedLayoutEngine"
        assert type(figure.canvas).__name__ == "FigureCanvasAgg"
    assert [matplotlib.rcParams[name] for name in names] == before
    with canvas(1, 1, {"svg.hashsalt": "another"}):
        assert matplotlib.rcParams["svg.hashsalt"] == "another"


def test_of_warnings_that_drawing_gives_only_those_of_letters_are_left_out() -> None:
    pytest.importorskip("matplotlib")
    glyph = "Glyph 12 missing from font(s) A."
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with canvas(1, 1, {}):
            warnings.warn(glyph, UserWarning, stacklevel=1)
            with pytest.raises(UserWarning, match="another"):
                warnings.warn("another", UserWarning, stacklevel=1)
            with pytest.raises(RuntimeWarning):
                warnings.warn(glyph, RuntimeWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="Glyph"):
            warnings.warn(glyph, UserWarning, stacklevel=1)


class Figure:
    """Takes the place of a figure, and notes how it is written."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}

    def savefig(self, file: io.BytesIO, **options: object) -> None:
        self.options = options
        file.write(b"a picture")


def test_a_picture_is_written_without_time_and_program() -> None:
    figure: Any = Figure()
    assert figure_bytes(figure, "svg") == b"a picture"
    assert figure.options == {
        "format": "svg", "metadata": {"Date": None, "Creator": None}, "dpi": "figure", "transparent": False,
    }  # fmt: skip
    figure_bytes(figure, "png", dpi=130, transparent=True)
    assert figure.options == {
        "format": "png", "metadata": {"Software": None}, "dpi": 130, "transparent": True,
    }  # fmt: skip


def test_without_matplotlib_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert pictures.can_draw() is False
