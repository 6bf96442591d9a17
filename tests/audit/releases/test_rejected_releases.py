"""For every mechanism and every check of an audit of its releases, a release that the check must reject.

What an audit can check is read off audits of sound releases, with and without the original, a manifest, a
second release and a transcript: a check that appears there without a rejected release fails the last test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.audit import CLAIMS, audit_release, claim_of
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.audit.releases.replay import Replay
from splu_ref.data import Microdata
from splu_ref.mechanisms import (
    AlphaBeta,
    Operator,
    PerturbedGeneralization,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    transcribed,
)
from splu_ref.randomness import SeededSource
from splu_ref.randomness.byte_rules import ByteSource

JOBS = tuple("abcdefgh")
ROWS = 801
PARTS: dict[tuple[str, ...], tuple[str, ...]] = {("F",): tuple("abcde"), ("M",): tuple("abcdefgh")}
MATRIX = [["1/2" if own == other else "1/14" for other in range(8)] for own in range(8)]


@cache
def people() -> pl.DataFrame:
    """Return records that differ, half of which have the cells of another one but for their number."""
    number = np.arange(ROWS)
    sex = np.where(number * 7 % 11 < 6, "F", "M")
    jobs = np.array(list("aaaabbbccdde"))[number * 5 % 12]
    jobs = np.where((sex == "M") & (number % 9 == 0), np.array(list("fgh"))[number // 9 % 3], jobs)
    return pl.DataFrame(
        {
            "id": number,
            "age": number * 31 % 97,
            "zip": [f"z{each:02}" for each in number * 13 % 60],
            "town": [f"t{each}" for each in number % 5],
            "sex": sex,
            "rank": [f"{each:02}" for each in number * 17 % 32],
            "job": jobs,
        }
    )


@dataclass(frozen=True)
class Case:
    """A mechanism, the columns that it publishes, and its table."""

    mechanism: Any
    sensitive: tuple[str, ...] = ("job",)
    columns: tuple[str, ...] = ("id", "age", "town", "sex", "job")

    @cached_property
    def table(self) -> Microdata:
        frame = people().select(self.columns)
        return Microdata.from_frame(frame.unique(maintain_order=True) if "id" not in self.columns else frame)

    def publish(self, seed: int) -> Any:
        return self.mechanism.publish(self.table, list(self.sensitive), SeededSource(seed))

    def audit(self, frame: pl.DataFrame, *, blind: bool = False, **rest: Any) -> ReleaseAudit:
        claim = claim_of(self.mechanism)
        original = None if blind else claim.prepared(self.table, list(self.sensitive))
        published = Microdata.from_frame(frame)
        return audit_release(published, list(self.sensitive), claim, original=original, power=False, **rest)


TUPLES = {
    "zip": [f"z{each:02}" for each in range(60)],
    "town": [f"t{each}" for each in range(5)],
    "job": JOBS,
}
CASES = {
    "SPLU-Gen": Case(SpluGen(3, plan="cyclic")),
    "SPLU-Gen, many values": Case(SpluGen(3, plan="cyclic"), ("rank",), ("id", "town", "rank")),
    "SPLU-Gen, rows alike": Case(SpluGen(3, plan="cyclic"), columns=("town", "sex", "job")),
    "SPLU-Gen by column": Case(
        SpluGenByColumn({"job": SpluGen(3), "rank": SpluGen(2, plan="cyclic")}),
        ("job", "rank"),
        ("id", "town", "rank", "job"),
    ),
    "SPLU-Gen by column, rows alike": Case(
        SpluGenByColumn({"job": SpluGen(3), "rank": SpluGen(2)}),
        ("job", "rank"),
        ("town", "sex", "rank", "job"),
    ),
    "retention replacement": Case(RetentionReplacement("1/2", {"job": JOBS}, shuffled=True)),
    "operator": Case(Operator("job", JOBS, MATRIX, shuffled=True)),
    "small domains": Case(SmallDomainRandomization("job", ["sex"], PARTS, 5, shuffled=True)),
    "perturbed generalization": Case(
        PerturbedGeneralization("job", JOBS, ["age", "town"], 2, "1/2", numbers=["age"]),
        columns=("age", "town", "job"),
    ),
    "swapping": Case(Swapping("1/2")),
    "alpha-beta": Case(AlphaBeta("5/8", "1/6", TUPLES), ("zip", "town", "job"), ("zip", "town", "job")),
}


Fault = Callable[[Case, pl.DataFrame], pl.DataFrame]


def true_values(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the published rows with the cells of their records, or of the first one of their group."""
    if isinstance(case.mechanism, PerturbedGeneralization):
        groups = case.mechanism.groups(case.table)
        first = [int(np.flatnonzero(groups == group)[0]) for group in range(groups.max() + 1)]
        return frame.with_columns(case.table.to_frame()["job"][first].alias("job")[: frame.height])
    if "id" not in frame.columns:
        table: pl.DataFrame = case.table.to_frame()
        return table.select(frame.columns)[: frame.height]
    truth = people().select("id", *case.sensitive)
    return frame.drop(case.sensitive).join(truth, on="id", maintain_order="left").select(frame.columns)


def in_order(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort(frame.columns)


def the_table_itself(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return true_values(case, frame.sort(frame.columns))


def sorted_by_value(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sort(*case.sensitive, maintain_order=True)


def columns_in_another_order(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(reversed(frame.columns))


def a_column_more(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(added=pl.lit("x"))


def one_row_less(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame[1:]


def half_of_the_rows(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame[: frame.height // 2]


def a_row_twice(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([frame[1:], frame[1:2]])


def with_cell(frame: pl.DataFrame, column: str, row: int, cell: object) -> pl.DataFrame:
    cells = frame[column].to_list()
    cells[row] = cell
    return frame.with_columns(pl.Series(column, cells, dtype=frame[column].dtype))


def a_foreign_value(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return with_cell(frame, case.sensitive[-1], 5, "z")


def one_other_cell(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    other = next(each for each in (*frame.columns[1:], frame.columns[0]) if each not in case.sensitive)
    cell = frame[other][0]
    return with_cell(frame, other, 0, 1_000 if isinstance(cell, int) else "1000")


def one_value_for_all(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(
        pl.lit(true_values(case, frame)[each][0]).alias(each) for each in case.sensitive
    )


def the_next_value(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Every record is published with the value after its own."""
    true, shown = true_values(case, frame), []
    for column in case.sensitive:
        domain = sorted(set(case.table.to_frame()[column]))
        after = dict(zip(domain, [*domain[1:], domain[0]], strict=True))
        shown.append(pl.Series(column, [after[each] for each in true[column]]))
    return frame.with_columns(shown)


def some_keep_their_values(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Half of the records keep their values, those with even numbers; the others never do."""
    keeping = pl.Series(frame[:, 0].rank("ordinal").cast(pl.Int64) % 2 == 0)
    true, other = true_values(case, frame), the_next_value(case, frame)
    return frame.with_columns(
        pl.when(keeping).then(true[each]).otherwise(other[each]).alias(each) for each in case.sensitive
    )


def values_exchanged(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """The published values stand at other rows, as many of each."""
    return frame.with_columns(frame[each].shuffle(seed=1) for each in case.sensitive)


def exchanged_in_town(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Cells are exchanged among records of one town alone, all of them."""
    true = true_values(case, frame)
    return true.with_columns(pl.col(each).shuffle(seed=1).over("town") for each in case.sensitive)


def every_second_exchanged(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Cells are exchanged among the records with odd numbers alone, all of them."""
    true = true_values(case, frame)
    odd = true.filter(true["id"] % 2 == 1)
    mixed = odd.with_columns(odd[each].shuffle(seed=1) for each in case.sensitive)
    return true.update(mixed, on="id")


def genuine_alone(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.join(case.table.to_frame(), on=frame.columns, how="semi", maintain_order="left")


def fakes_of_half_the_domain(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """The genuine rows, and so many fakes as there were, all with low values of a column."""
    every = pl.DataFrame(
        list(product(*(TUPLES[each] for each in frame.columns))), frame.columns, orient="row"
    )
    fakes = every.join(case.table.to_frame(), on=frame.columns, how="anti", maintain_order="left")
    genuine = genuine_alone(case, frame)
    low = fakes.filter(pl.col("zip") < "z30").sample(frame.height - genuine.height, seed=1)
    return pl.concat([genuine, low]).sample(fraction=1.0, shuffle=True, seed=2)


def the_whole_domain(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    every = pl.DataFrame(
        list(product(*(TUPLES[each] for each in frame.columns))), frame.columns, orient="row"
    )
    return every.sample(fraction=1.0, shuffle=True, seed=1)


def a_small_group(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    return with_cell(frame, frame.columns[-1], 0, 1)


def names_of_rows(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows that may be several records show what most of these have."""
    quasi = [each for each in frame.columns if each not in case.sensitive]
    most = (
        case.table.to_frame()
        .group_by(quasi)
        .agg(pl.col(each).mode().sort().first() for each in case.sensitive)
    )
    return frame.select(quasi).join(most, on=quasi, maintain_order="left").select(frame.columns)


def sorted_within_values(case: Case, frame: pl.DataFrame) -> pl.DataFrame:
    """Of the records of a value the first in the file show low values, as many of each as were drawn."""
    true, ordered = true_values(case, frame), frame.sort("id")
    own = true.sort("id").select(pl.col(each).alias(f"own {each}") for each in case.sensitive)
    sorted_ = pl.concat([ordered, own], how="horizontal").with_columns(
        pl.col(each).sort().over(f"own {each}") for each in case.sensitive
    )
    return frame.select("id").join(sorted_, on="id", maintain_order="left").select(frame.columns)


REJECTED: dict[str, dict[str, Fault]] = {
    "SPLU-Gen": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "records": a_row_twice,
        "values": a_foreign_value,
        "possible": values_exchanged,
        "counts": some_keep_their_values,
        "retention": true_values,
        "independence": sorted_by_value,
        "decoys": some_keep_their_values,
        "plan": true_values,
        "predicates": one_value_for_all,
        "places": sorted_within_values,
        "shuffle": in_order,
        "share": one_value_for_all,
    },
    "SPLU-Gen, many values": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "records": a_row_twice,
        "values": a_foreign_value,
        "possible": values_exchanged,
        "counts": some_keep_their_values,
        "exactness": true_values,
        "retention": true_values,
        "independence": sorted_by_value,
        "decoys": the_next_value,
        "plan": values_exchanged,
        "predicates": one_value_for_all,
        "shuffle": in_order,
        "share": one_value_for_all,
    },
    "SPLU-Gen, rows alike": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "records": a_row_twice,
        "values": a_foreign_value,
        "possible": one_value_for_all,
        "counts": one_value_for_all,
        "unlinked": one_value_for_all,
        "share": one_value_for_all,
    },
    "SPLU-Gen by column": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "records": a_row_twice,
        "values": a_foreign_value,
        "possible": values_exchanged,
        "counts": the_next_value,
        "exactness": true_values,
        "retention": true_values,
        "independence": sorted_by_value,
        "decoys": the_next_value,
        "predicates": one_value_for_all,
        "plan": true_values,
        "places": sorted_within_values,
        "shuffle": in_order,
        "share": one_value_for_all,
    },
    "SPLU-Gen by column, rows alike": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "records": a_row_twice,
        "values": a_foreign_value,
        "counts": the_next_value,
        "exactness": true_values,
        "unlinked": one_value_for_all,
        "predicates": one_value_for_all,
        "shuffle": in_order,
        "share": one_value_for_all,
    },
    "retention replacement": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "domain": a_foreign_value,
        "records": a_row_twice,
        "counts": one_value_for_all,
        "retention": true_values,
        "independence": true_values,
        "replacement": every_second_exchanged,
        "shuffle": in_order,
        "share": one_value_for_all,
    },
    "operator": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "domain": a_foreign_value,
        "records": a_row_twice,
        "counts": true_values,
        "retention": values_exchanged,
        "independence": sorted_by_value,
        "replacement": one_value_for_all,
        "shuffle": in_order,
        "share": true_values,
    },
    "small domains": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "domain": a_foreign_value,
        "records": a_row_twice,
        "counts": one_value_for_all,
        "retention": true_values,
        "independence": true_values,
        "replacement": some_keep_their_values,
        "shuffle": in_order,
        "share": one_value_for_all,
    },
    "perturbed generalization": {
        "columns": a_column_more,
        "domain": a_foreign_value,
        "sizes": a_small_group,
        "ranges": a_row_twice,
        "groups": in_order,
        "counts": one_value_for_all,
        "retention": values_exchanged,
        "sample": some_keep_their_values,
        "replacement": one_value_for_all,
        "independence": values_exchanged,
        "share": one_value_for_all,
    },
    "swapping": {
        "schema": columns_in_another_order,
        "rows": one_row_less,
        "records": sorted_by_value,
        "histogram": a_foreign_value,
        "retention": true_values,
        "replacement": true_values,
        "independence": every_second_exchanged,
        "locality": every_second_exchanged,
    },
    "alpha-beta": {
        "schema": columns_in_another_order,
        "columns": a_column_more,
        "domain": a_foreign_value,
        "distinct": a_row_twice,
        "genuine": half_of_the_rows,
        "independence": half_of_the_rows,
        "fakes": exchanged_in_town,
        "spread": fakes_of_half_the_domain,
        "shuffle": in_order,
        "size": true_values,
    },
}
"""By case, the checks of its audits, with or without the original, and a fault that each must reject."""


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@cache
def release(name: str) -> Any:
    return CASES[name].publish(1)


PAIRS = [(name, check) for name, checks in REJECTED.items() for check in checks]


@pytest.mark.parametrize(("name", "check"), PAIRS)
def test_a_check_rejects_its_fault(name: str, check: str) -> None:
    case, sound = CASES[name], release(name).table.to_frame()
    faulty = REJECTED[name][check](case, sound)
    audits = [case.audit(faulty, blind=blind) for blind in (False, True)]
    assert any(check in failed(audit) for audit in audits)
    assert audits[0].verdict == "inconsistent" or check not in failed(audits[0])
    for audit in audits:
        assert (audit.verdict == "inconsistent") == bool(failed(audit))


@pytest.mark.parametrize("name", CASES)
def test_a_manifest_of_another_table_is_rejected(name: str) -> None:
    case, done = CASES[name], release(name)
    frame, column = done.table.to_frame(), case.sensitive[-1]
    sound = case.audit(frame, manifest=done.manifest)
    assert failed(sound) == set()
    for rows in (done.manifest.rows - 1, done.manifest.rows + 1, 0):
        for blind in (False, True):
            audit = case.audit(frame, manifest=replace(done.manifest, rows=rows), blind=blind)
            assert failed(audit) == {"manifest.rows"}
    if "manifest.domain" in {check.name for check in sound.checks}:
        listed = done.manifest.domains[column]
        for values in ((*listed, "z"), listed[1:]):
            other = replace(done.manifest, domains={**done.manifest.domains, column: values})
            assert failed(case.audit(frame, manifest=other)) == {"manifest.domain"}


@pytest.mark.parametrize("name", CASES)
def test_a_second_release_with_draws_of_its_own_is_rejected(name: str) -> None:
    case, frame = CASES[name], release(name).table.to_frame()
    other = case.publish(2).table
    for blind in (False, True):
        assert failed(case.audit(frame, second=Microdata.from_frame(frame), blind=blind)) == set()
        assert failed(case.audit(frame, second=other, blind=blind)) == {"second"}


@pytest.mark.parametrize("name", ["SPLU-Gen", "SPLU-Gen, many values", "SPLU-Gen by column"])
def test_a_gamma_that_the_original_does_not_allow_is_rejected(name: str) -> None:
    case = CASES[name]
    first, *rest = case.sensitive
    if rest:
        wide: Any = SpluGenByColumn({first: SpluGen(4), rest[0]: SpluGen(2)})
    else:
        wide = SpluGen(33 if first == "rank" else 4)
    assert "feasible" in failed(replace(case, mechanism=wide).audit(release(name).table.to_frame()))


class Biased(ByteSource):
    """Bytes that count up, each eight times: no draw, order or byte of them is uniform."""

    name = "system"

    def __init__(self) -> None:
        self._place = 0

    def read(self, count: int) -> bytes:
        numbers = np.arange(self._place, self._place + count) // 8 % 256
        self._place += count
        return numbers.astype(np.uint8).tobytes()


def replayed(source: ByteSource, published: Callable[[Any], pl.DataFrame]) -> ReleaseAudit:
    case = CASES["SPLU-Gen"]
    done, transcript = transcribed(case.mechanism, case.table, "job", source)
    return case.audit(published(done.table.to_frame()), replay=Replay.of_transcript(transcript, case.table))


REPLAYED: dict[str, Callable[[], ReleaseAudit]] = {
    "recomputed": lambda: replayed(SeededSource(1), lambda frame: with_cell(frame, "job", 7, "h")),
    "draws": lambda: replayed(Biased(), lambda frame: frame),
    "orders": lambda: replayed(Biased(), lambda frame: frame),
    "bytes": lambda: replayed(Biased(), lambda frame: frame),
}


def test_a_sound_release_that_is_made_again_is_consistent() -> None:
    sound = replayed(SeededSource(1), lambda frame: frame)
    assert (failed(sound), sound.verdict) == (set(), "consistent")
    assert {check.name for check in sound.checks} >= set(REPLAYED)


@pytest.mark.parametrize("check", REPLAYED)
def test_a_release_that_is_made_again_is_rejected(check: str) -> None:
    audit = REPLAYED[check]()
    assert check in failed(audit)
    assert audit.verdict == "inconsistent"


ELSEWHERE = {"content digest", "manifest.rows", "manifest.domain", "second", "feasible", *REPLAYED}
"""Checks that other tests are about, for every case that has them."""


def test_every_check_of_every_mechanism_has_a_rejected_release() -> None:
    seen: dict[str, set[str]] = {}
    tested: dict[str, set[str]] = {}
    for name, case in CASES.items():
        done, mechanism = release(name), name.partition(",")[0]
        frame, second = done.table.to_frame(), done.table
        for blind in (False, True):
            audit = case.audit(frame, blind=blind, manifest=done.manifest, second=second)
            assert failed(audit) == set(), name
            seen.setdefault(mechanism, set()).update(check.name for check in audit.checks)
            assert audit.verdict in ("consistent", "inconclusive")
        tested.setdefault(mechanism, set()).update(REJECTED[name])
    for mechanism, checks in seen.items():
        assert checks - ELSEWHERE == tested[mechanism], mechanism
    assert set().union(*seen.values()) | ELSEWHERE == set(MEANING)
    assert {type(case.mechanism) for case in CASES.values()} == {kind for kind, _ in CLAIMS}


def test_an_excess_of_one_is_rejected() -> None:
    """A value of one record stands in one group of three: three rows may show it, and four may not."""
    frame = pl.DataFrame({"id": range(9), "job": list("aabbccdef")})
    case = Case(SpluGen(3), columns=("id", "job"))
    claim = claim_of(case.mechanism)
    original = claim.prepared(Microdata.from_frame(frame), ["job"])
    for number in range(10):
        shown = frame.with_columns(job=pl.Series([*["f"] * number, *"aabbccdee"[number:]]))
        audit = audit_release(Microdata.from_frame(shown), ["job"], claim, original=original, power=False)
        assert ("values" in failed(audit)) == (number > 3)
