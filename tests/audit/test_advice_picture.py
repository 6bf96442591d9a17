"""The picture of the advice: what stands in it, and when it is refused."""

from __future__ import annotations

import builtins
import xml.etree.ElementTree as ET
from typing import Any

import pandas as pd
import pytest

from splu_ref.audit import Advice, advise, picture
from splu_ref.channels.parameters import InputError
from splu_ref.data import Microdata


@pytest.fixture(scope="module")
def advice() -> Advice:
    counts = {"common": 300, "usual": 300, "often": 290, "cost > $5 & more": 60, "x": 8, "y": 8, "z": 1}
    values = [value for value, count in counts.items() for _ in range(count)]
    return advise(Microdata.from_frame(pd.DataFrame({"s": values})), "s")


@pytest.mark.slow
def test_every_option_and_the_ends_of_the_axis_are_named(advice: Advice) -> None:
    pytest.importorskip("matplotlib")
    svg = picture(advice, ".svg")
    words = {" ".join("".join(each.itertext()).split()) for each in ET.fromstring(svg).iter() if each.text}
    text = " | ".join(words)
    for option in advice.options:
        assert f"gamma = {option.law.gamma}" in text
        assert f"T_f {option.threshold}" in text
    assert "2 values" in text  # 300 records each, and 8 each
    assert "cost > $5 & more" in text
    assert "z" in words
    assert picture(advice, ".svg") == svg


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "drawn"),
    [
        (r"$\frac{", r"$\frac{"),
        ("$a$ and $b$", "$a$ and $b$"),
        ("\\$", "\\$"),
        ("<b>&", "<b>&"),
        ("\x1b[2J\x00\u202e\ufffe", "\ufffd[2J\ufffd\ufffd\ufffd"),
        ("a\u3164\u00a0b", "a\ufffd\ufffdb"),
        ("漢字💥", "漢字💥"),
    ],
)
def test_no_value_is_a_formula_a_command_or_a_warning(value: str, drawn: str) -> None:
    pytest.importorskip("matplotlib")
    values = [value] * 20 + ["a"] * 200 + ["b"] * 210
    shown = advise(Microdata.from_frame(pd.DataFrame({"s": values})), "s")
    texts = {each.text for each in ET.fromstring(picture(shown, ".svg")).iter() if each.text}
    assert drawn in texts
    assert picture(shown, ".png").startswith(b"\x89PNG\r\n\x1a\n")


def test_a_png_is_a_png(advice: Advice) -> None:
    pytest.importorskip("matplotlib")
    assert picture(advice, ".png").startswith(b"\x89PNG\r\n\x1a\n")


def test_other_formats_are_refused(advice: Advice) -> None:
    with pytest.raises(InputError, match=r"\.svg or \.png, not '\.gif'"):
        picture(advice, ".gif")


def test_without_matplotlib_it_says_what_to_install(advice: Advice, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="needs matplotlib"):
        picture(advice, ".svg")
