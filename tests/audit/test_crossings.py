"""How often the parts of a crossing are shown truly, by small cases and a simulation."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.advice import crossings
from splu_ref.audit.advice.crossings import parts_sentence, parts_shown
from splu_ref.channels import PublishedCount
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near

PAIRS = [(f"{job} / {sex}", 10) for job in "ab" for sex in "mf"]


def test_four_pairs_of_equal_counts() -> None:
    for gamma, chance in ((2, 1 / 2 + 1 / 2 * 1 / 3), (4, 1 / 4 + 3 / 4 * 1 / 3)):
        shown = parts_shown(PublishedCount.of(gamma, None), PAIRS, ("job", "sex"))
        assert shown == {"job": near(chance), "sex": near(chance)}
    kept = parts_shown(PublishedCount.of(2, "3/4"), PAIRS, ("job", "sex"))
    assert kept["job"] == near(3 / 4 + 1 / 4 * 1 / 3)
    assert parts_sentence({"a": 2 / 3, "b": 0.5}) == (
        "on average a record shows the true a with probability 0.667 and the true b with probability 0.500"
    )


def test_parts_are_those_of_published_cells() -> None:
    counts = {"a / m": 900, "a / f": 500, "b / m": 700, "b / f": 300, "c / m": 600, "c / f": 200}
    true = [value for value, count in counts.items() for _ in range(count)]
    frame = pl.DataFrame({"record": range(len(true)), "both": true})
    published = SpluGen(3).publish(frame, "both", SeededSource(4)).frame.join(frame, on="record")
    shown = parts_shown(PublishedCount.of(3, None), list(counts.items()), ("job", "sex"))
    for place, part in enumerate(("job", "sex")):
        cells = [published[name].str.split(" / ").list.get(place) for name in ("both", "both_right")]
        same = np.asarray(cells[0] == cells[1])
        assert abs(same.mean() - shown[part]) < 0.03  # more than three standard deviations of 3200 records


def test_grouped_values_and_large_domains_have_no_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    law = PublishedCount.of(2, None)
    assert parts_shown(law, [*PAIRS, ("other", 5)], ("job", "sex")) == {}
    monkeypatch.setattr(crossings, "MOST_VALUES", 3)
    assert parts_shown(law, PAIRS, ("job", "sex")) == {}
