"""The picture and the tables of the page on draws are computed again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from splu_ref import SpluGen
from splu_ref.audit.attacks.informed_adversary import distinction_probability

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "which-draws.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def module() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
        return import_module("draws_picture")


@pytest.fixture(scope="module")
def settings(module: Any) -> Any:
    return module.settings()


def _rows(heading: str) -> Iterator[list[str]]:
    table = PAGE.partition(heading)[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


def _places(value: Fraction, places: int, *, up: bool = False) -> str:
    scaled = value * 10**places
    return f"{(-(-scaled // 1) if up else scaled // 1) / 10**places:.{places}f}".lstrip("0")


def test_the_picture_is_of_these_numbers(module: Any, settings: Any) -> None:
    drawn = module.drawing(settings)
    assert module.PICTURE.read_text(encoding="utf-8") == drawn
    plain = sum(each.t_p_star is not None for each in settings)
    assert drawn.count("<title>γ") == 3 * plain + 2 * (len(settings) - plain)


def test_the_table_has_the_numbers_of_the_picture(settings: Any) -> None:
    by_name = {(each.law, each.gamma): each for each in settings if each.t_p_star is not None}
    rows = list(_rows("| law | γ | T_P |"))
    assert len(rows) == 12
    for law, gamma, t_p, t_p_star, spread, threshold, half, distinction in rows:
        each = by_name[law, int(gamma)]
        assert [t_p, t_p_star] == [f"{_places(level, 3)}" for level in (each.t_p, each.t_p_star)]
        assert [spread, half] == [f"{each.spread:.1f}", f"{each.conjunction:.1f}"]
        assert [threshold, distinction] == [str(each.threshold), _places(each.distinction, 3, up=True)]


def test_the_noise_of_the_embedded_table_is_that_of_its_plan(module: Any) -> None:
    rows = list(_rows("| records | independent |"))
    noise = module.noise_of_a_table([int(row[0].replace(",", "")) for row in rows])
    assert [[f"{spread:.1f}" for spread in found] for found in noise.values()] == [row[1:] for row in rows]


def test_the_numbers_of_several_releases_are_as_computed() -> None:
    for law, heading in (("capped:10", "full knowledge is right in"), ("independent", "count of 1,000 give")):
        said = re.findall(r"\.\d{3}", PAGE.partition(heading)[2])[:4]
        right = [
            distinction_probability(SpluGen(5, draws=law), "", 1000, 20_000, times)
            for times in (1, 3, 10, 100)
        ]
        assert said == [_places(each.upper, 3, up=True) for each in right]
