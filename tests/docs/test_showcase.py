"""The README's picture and table are those of a release that is made here again."""

from __future__ import annotations

import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from splu_ref.guarantees import error_probability

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def module() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
        return import_module("showcase")


@pytest.fixture(scope="module")
def shown(module: Any) -> Any:
    return module.showcase()


def test_the_picture_is_of_this_release(module: Any, shown: Any) -> None:
    assert module.PICTURE.read_text(encoding="utf-8") == module.drawing(shown)


def test_the_picture_shows_every_value_once(module: Any, shown: Any) -> None:
    drawn = module.drawing(shown)
    assert drawn.count("<circle") + drawn.count("<path") == len(shown.true) == 81
    assert drawn.count('class="wrong"') == sum(
        abs(shown.published.get(value, 0) - true) >= 0.3 * true for value, true in shown.true.items()
    )


def test_the_table_counts_what_was_published_and_what_was_to_be_expected(shown: Any) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d,]+) to ([\d,]+) \| (.+) \|$", text, flags=re.MULTILINE)
    classes = [shown.between(*(int(end.replace(",", "")) for end in ends)) for *ends, _ in rows]
    assert sum(map(len, classes)) == len(shown.true)
    for values, (_, _, said) in zip(classes, rows, strict=True):
        found = [str(len(values))]
        for epsilon in ("3/10", "1/10"):
            true = [shown.true[value] for value in values]
            off = [abs(shown.published.get(value, 0) - shown.true[value]) for value in values]
            expected = sum(error_probability(5, epsilon, count).exact() for count in true)
            wrong = sum(error >= Fraction(epsilon) * count for error, count in zip(off, true, strict=True))
            found += [f"{float(expected):.1f}", str(wrong)]
        assert found == said.split(" | ")
