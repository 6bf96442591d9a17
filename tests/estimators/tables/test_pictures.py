from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.estimators import Cell, Table
from splu_ref.estimators.tables import pictures
from splu_ref.estimators.tables.pictures import picture


def _table(*by: int) -> Table:
    """Return a table whose columns have so many values, with a hostile name among them."""
    names = ("a_$b", "sex", "job")[: len(by)]
    places: list[tuple[str, ...]] = [()]
    for size in by:
        places = [(*place, f"v$_{value}" if value else "") for place in places for value in range(size)]
    cells = tuple(
        Cell(place, 10.0 * number, 2.0, (10.0 * number - 4, 10.0 * number + 4), "shrunk", number, 90)
        for number, place in enumerate(places)
    )
    return Table(quantity="count", by=names, where=(), cells=cells, totals=(), rows=90)


@pytest.mark.parametrize(("sizes", "words"), [((4, 4), "−4 to 4"), ((2, 5), "sex"), ((3,), "95 % intervals")])
def test_a_picture_shows_values_and_intervals(sizes: tuple[int, ...], words: str) -> None:
    pytest.importorskip("matplotlib")
    drawn = picture(_table(*sizes), ".svg").decode()
    for text in (words, "(no content)", "v$_1", "a_$b", "Count by a_$b"):
        assert text in drawn
    assert "±" not in drawn  # intervals are seldom as wide to both sides
    assert picture(_table(*sizes), ".svg").decode() == drawn


def _noted(given: dict[str, Any], name: str, whole: Callable[..., Any]) -> Callable[..., Any]:
    def noted(self: Any, *words: Any, **more: Any) -> Any:
        given.setdefault(name, words)
        return whole(self, *words, **more)

    return noted


@pytest.mark.parametrize("sizes", [(9, 6), (6, 9), (7, 7)])
def test_each_square_of_a_heat_map_stands_at_its_names(
    sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = pytest.importorskip("matplotlib.axes").Axes
    given: dict[str, Any] = {}
    for name in ("imshow", "set_xticks", "set_yticks", "set_xlabel", "set_ylabel"):
        monkeypatch.setattr(axes, name, _noted(given, name, getattr(axes, name)))
    table = _table(*sizes)
    picture(table, ".svg")
    across, down = (given[name][1] for name in ("set_xticks", "set_yticks"))
    assert (len(down), len(across)) == (max(sizes), min(sizes))
    turned = sizes[1] > sizes[0]
    assert (given["set_ylabel"][0], given["set_xlabel"][0]) == (table.by[::-1] if turned else table.by)
    drawn: dict[tuple[str, ...], float] = {
        (one, other): estimate
        for one, line in zip(down, given["imshow"][0], strict=True)
        for other, estimate in zip(across, line, strict=True)
    }
    for cell in table.cells:
        names = tuple(value or "(no content)" for value in cell.values)
        assert drawn[names[::-1] if turned else names] == cell.estimate


def test_what_cannot_be_drawn_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="a picture of 150 lines cannot be read"):
        picture(_table(150), ".svg")
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    with pytest.raises(InputError, match="needs matplotlib"):
        picture(_table(3), ".svg")
