"""The drawing of the claims: everything is there, nothing overlaps, every arrow leads to the right."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_proofs import LEDGER
from splu_proofs.claim import Claim, Status

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_extensions"


@pytest.fixture
def layered(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    return import_module("layered")


@pytest.fixture(params=list(LEDGER.by_paper().values()), ids=list(LEDGER.by_paper()))
def claims(request: pytest.FixtureRequest) -> list[Claim]:
    found: list[Claim] = request.param
    return found


@pytest.fixture
def drawn(layered: Any, claims: list[Claim]) -> ElementTree.Element:
    assert layered.__name__ in sys.modules
    return ElementTree.fromstring(import_module("claim_graph").claim_graph(claims))


def test_edges_that_a_longer_way_replaces_are_left_out(layered: Any) -> None:
    assert layered.reduced([("a", "b"), ("b", "c"), ("a", "c"), ("a", "b")]) == [("a", "b"), ("b", "c")]
    diamond = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert layered.reduced([*diamond, ("a", "d")]) == diamond


def test_crossings_are_counted_and_removed(layered: Any) -> None:
    crossed = [("a", "y"), ("b", "x")]
    assert layered.crossings([["a", "b"], ["x", "y"]], crossed) == 1
    assert layered.crossings([["a", "b"], ["y", "x"]], crossed) == 0
    places = layered.layout(["a", "b", "x", "y"], crossed).places
    assert (places["a"][1] < places["b"][1]) == (places["y"][1] < places["x"][1])


def test_places_are_the_nearest_that_keep_apart(layered: Any) -> None:
    assert layered._apart([0.0, 5.0, 6.0]) == [0, 5, 6]
    assert layered._apart([2.0, 2.0, 2.0]) == [1, 2, 3]
    assert layered._apart([3.0, 0.0]) == [1, 2]
    wishes = [1.0, 0.0, 4.0, 4.0]
    steps = [number / 2 for number in range(-4, 14)]
    best = min(
        sum((wish - place) ** 2 for wish, place in zip(wishes, places, strict=True))
        for places in product(steps, repeat=4)
        if all(after - before >= 1 for before, after in pairwise(places))
    )
    found = layered._apart(wishes)
    assert sum((wish - place) ** 2 for wish, place in zip(wishes, found, strict=True)) == best


def test_a_long_edge_bends_in_every_layer_between(layered: Any) -> None:
    layout = layered.layout(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    assert [layer for layer, _ in layout.routes["a", "c"]] == [0, 1, 2]
    assert abs(layout.routes["a", "c"][1][1] - layout.places["b"][1]) >= 1


def test_every_claim_is_a_link_and_no_boxes_overlap(drawn: ElementTree.Element, claims: list[Claim]) -> None:
    links = {link.attrib["href"]: link for link in drawn.iter("a")}
    assert set(links) == {f"{claim.id}.html" for claim in claims}
    assert {link.attrib["class"] for link in links.values()} <= {str(status) for status in Status}
    corners = [tuple(float(box.attrib[key]) for key in ("x", "y")) for box in drawn.iter("rect")]
    width, height = (float(next(drawn.iter("rect")).attrib[key]) for key in ("width", "height"))
    _, _, across, down = map(float, drawn.attrib["viewBox"].split())
    for index, (x, y) in enumerate(corners):
        assert 0 <= x <= across - width
        assert 0 <= y <= down - height
        assert all(abs(x - a) >= width or abs(y - b) >= height for a, b in corners[:index])


def test_falls_and_corrections_are_drawn(drawn: ElementTree.Element, claims: list[Claim]) -> None:
    kinds = [
        path.attrib["class"].split()[1] for path in drawn.iter("path") if "edge" in path.get("class", "")
    ]
    here = {claim.id for claim in claims}
    refuted = [claim for claim in claims if claim.status is Status.REFUTED]
    assert kinds.count("instead") == sum(claim.corrected_by in here for claim in refuted)
    assert kinds.count("falls") >= len({each for claim in refuted for each in claim.topples} & here)
    ways = {(other, claim.id) for claim in claims for other in claim.rests_on} & set(product(here, here))
    assert bool(kinds.count("rests") + kinds.count("falls")) == bool(ways)


def test_an_arrow_to_what_is_not_drawn_is_left_out(layered: Any) -> None:
    assert layered.__name__ in sys.modules
    some = [LEDGER.get("splu.B"), LEDGER.get("splu.T3")]
    drawn = ElementTree.fromstring(import_module("claim_graph").claim_graph(some))
    assert [path.attrib["class"] for path in drawn.iter("path") if "edge" in path.get("class", "")] == [
        "edge rests"
    ]


def test_no_arrow_leaves_the_drawing(drawn: ElementTree.Element) -> None:
    down = float(drawn.attrib["height"])
    heights = [
        float(number)
        for path in drawn.iter()
        if path.get("class", "").startswith("edge ")
        for number in re.findall(r"[-\d.]+ ([-\d.]+)", path.attrib["d"])
    ]
    assert min(heights, default=0) >= 0
    assert max(heights, default=0) <= down
