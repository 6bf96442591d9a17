"""What a new mechanism gets for its own twenty lines: everything between the table and the estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.audit.declared_law import declared_rows
from splu_ref.channels import Channel, identity, retention
from splu_ref.channels.parameters import InputError
from splu_ref.conformance.library import OPERATIONS
from splu_ref.conformance.operations.publishing import from_tape
from splu_ref.mechanisms import MECHANISMS, ColumnsRelease, RecordMechanism
from splu_ref.randomness import Draws, IntArray, SeededSource, UniformSource
from tests.conformance.complete import completed
from tests.rounding import near


@dataclass(frozen=True)
class KeepOrRedraw(RecordMechanism):
    """Each value stays with probability 1/2, and is drawn from the whole domain otherwise."""

    name: ClassVar[str] = "keep or redraw"

    def facts(self) -> dict[str, int | str]:
        return {}

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        return retention("1/2", {code: Fraction(1, len(histogram)) for code in range(len(histogram))})

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
    ) -> ColumnsRelease:
        rows = np.arange(len(next(iter(codes.values()))))
        published = {}
        for column, own in codes.items():
            size = domain_sizes[column]
            drawn = draws_for(column).below(2 * size, len(own))
            published[column] = np.where(drawn < size, drawn, own)
        return ColumnsRelease(rows, published, rows[:0])


class AnotherLaw(KeepOrRedraw):
    """Declares what it does not do."""

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        return identity(range(len(histogram)))


FRAME = pl.DataFrame({"sex": ["F", "M"] * 300, "job": list("aaabbc") * 100})


@pytest.fixture(autouse=True)
def _row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MECHANISMS, KeepOrRedraw.name, lambda _: KeepOrRedraw())
    monkeypatch.setitem(OPERATIONS, "publish_toy", from_tape(lambda _: KeepOrRedraw()))


def test_it_publishes_and_writes_a_manifest(tmp_path: Path) -> None:
    release = KeepOrRedraw().publish(FRAME, "job", SeededSource(1))
    assert isinstance(release.frame, pl.DataFrame)
    assert release.frame["sex"].equals(FRAME["sex"])
    release.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    assert sr.read_release(tmp_path / "p.csv", tmp_path / "m.json").mechanism == KeepOrRedraw()


def test_its_code_has_the_law_that_it_declares() -> None:
    assert all(row.holds for row in declared_rows([(KeepOrRedraw(), 1)], largest=3))
    assert not any(row.holds for row in declared_rows([(AnotherLaw(), 2)], largest=3))


def test_its_release_is_estimated_by_the_inverse_of_its_channel() -> None:
    releases = [KeepOrRedraw().publish(FRAME, "job", SeededSource(seed)) for seed in range(100)]
    found = [release.estimate(sex="F", job="a") for release in releases]
    true = len(FRAME.filter(sex="F", job="a"))
    [first, *_] = found
    # f = 2 y - n/3: a value is retained or drawn from three.
    assert first.estimate == near(2 * first.published_count - first.predicate_count / 3)
    assert first.method == "inversion"
    assert true == 200
    spread = np.std([one.estimate for one in found])
    assert np.mean([one.estimate for one in found]) == pytest.approx(true, abs=4 * spread / 10)
    assert np.mean([one.standard_error for one in found]) == near(spread, rel=0.25)
    table = releases[0].crosstab("sex", "job")
    women = table.filter(sex="F").drop("sex").row(0)
    assert sum(women) == near(first.predicate_count)
    assert women[0] == pytest.approx(first.estimate, abs=first.standard_error)
    assert women[0] != first.estimate  # moved, so that they add up
    with pytest.raises(InputError, match="'inversion' only"):
        releases[0].estimate(job="a", method="shrunk")
    with pytest.raises(InputError, match="names 0 sensitive columns"):
        releases[0].estimate(sex="F")
    flat = sr.DistributionBased().publish(FRAME, "job", SeededSource(1))
    with pytest.raises(InputError, match="does not distinguish values of 'job'"):
        flat.estimate(job="a")


def test_its_vectors_hold_other_implementations() -> None:
    codes = [2, 0, 1, 1]
    new = {"id": "publish_toy/tables/four", "input": {"sensitive": codes, "tape": {"seed": "toy"}}}
    head = {"operation": "publish_toy", "name": "tables", "about": "Keep or redraw.", "page": "docs"}
    [vector] = completed({**head, "vectors": [new]}, {}).vectors
    assert vector.answer is not None
    assert vector.input is not None
    drawn = [byte & 7 for byte in bytes.fromhex(str(vector.input["tape"])) if byte & 7 < 6]
    assert vector.answer["published"] == [
        draw if draw < 3 else own for draw, own in zip(drawn, codes, strict=True)
    ]
