"""Claims about entropy losses, against the numbers of the paper's example and of brute force."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from splu_ref.audit.claims.reading import decide, foresee, read_claims
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.channels.binomial import one_budget
from splu_ref.channels.parameters import InputError

SALARIES = """schema = "splu-ref/world/1"
[[record]]
times = 3
law = {100 = "1/3", 200 = "1/3", 300 = "1/3"}
[release]
publish = "mean"
"""
UNEQUAL = """schema = "splu-ref/world/1"
[[record]]
law = {yes = "1/2", no = "1/2"}
[[record]]
law = {no = "1"}
[release]
publish = "count"
of = ["yes"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "salaries.toml").write_text(SALARIES)
    (tmp_path / "unequal.toml").write_text(UNEQUAL)
    return tmp_path


def _decided(folder: Path, world: str, bits: str, measure: str | None = None) -> Finding:
    lines = ['schema = "splu-ref/claims/1"', '[release]\nmechanism = "world"', "[[claim]]", 'id = "a"']
    lines += ['kind = "entropy-loss"', f'world = "{world}"', f'bits = "{bits}"']
    lines += [] if measure is None else [f'measure = "{measure}"']
    (folder / "c.toml").write_text("\n".join(lines))
    (claim,) = read_claims(folder / "c.toml").claims
    return decide(claim)


def _mean_of_three() -> dict[str, float]:
    """Return the numbers of three uniform salaries and their sum, by counting."""
    tables = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    expected = worst = record = 0.0
    for total in range(7):
        retained = [table for table in tables if sum(table) == total]
        chances = [sum(table[0] == value for table in retained) / len(retained) for value in range(3)]
        loss = log2(3) + sum(p * log2(p) for p in chances if p)
        expected += loss * len(retained) / 27
        worst, record = max(worst, loss), expected
    sums = [sum(sum(table) == total for table in tables) / 27 for total in range(7)]
    return {"worst": worst, "expected": expected, "record": record, "table": -sum(p * log2(p) for p in sums)}


@pytest.mark.parametrize("measure", ["worst", "expected", "record", "table"])
def test_each_measure_is_the_number_of_brute_force(folder: Path, measure: str) -> None:
    truth = _mean_of_three()[measure]
    below, above = f"{truth - 1e-6:.9f}", f"{truth + 1e-6:.9f}"
    assert _decided(folder, "salaries.toml", above, measure).verdict is Verdict.CONFIRMED
    finding = _decided(folder, "salaries.toml", below, measure)
    assert finding.verdict is (Verdict.NARROWED if measure == "worst" else Verdict.REFUTED)
    number = finding.numbers["loss"]
    assert isinstance(number, dict)
    assert float(number["decimal"]) == pytest.approx(truth, abs=1e-9)
    assert finding.instead == f"{number['decimal']} bits"


def test_a_bound_that_is_attained_holds(folder: Path) -> None:
    assert _decided(folder, "unequal.toml", "1").verdict is Verdict.CONFIRMED
    short = _decided(folder, "unequal.toml", "0.999999999999999")
    assert short.verdict is Verdict.REFUTED


def test_what_is_left_of_a_false_claim_is_named(folder: Path) -> None:
    finding = _decided(folder, "salaries.toml", "1/2")
    assert finding.verdict is Verdict.NARROWED
    assert finding.true_for == "true for what is released with probability 19/27"
    assert finding.remarks[0] in {f"It is largest where {pay} is released" for pay in (100, 300)}
    assert finding.recompute == "splu-ref entropy salaries.toml"
    records = _decided(folder, "unequal.toml", "1/2", "record")
    assert (records.verdict, records.true_for) == (Verdict.NARROWED, "true for records 2")
    assert records.remarks == ("It is largest for record 1",)


@pytest.mark.parametrize(
    ("world", "reported"),
    [
        ("../salaries.toml", "does not name a file in the folder"),
        ("none.toml", "No such file or directory: name a file in the same folder"),
        ("c.toml", "the file has no key 'claim'"),
    ],
)
def test_a_world_that_cannot_be_read_is_refused(folder: Path, world: str, reported: str) -> None:
    with pytest.raises(InputError, match=r"c\.toml, line \d+, claim a: ") as raised:
        _decided(folder, world, "1")
    assert reported in str(raised.value)


def test_a_negative_bound_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="bits is negative"):
        _decided(folder, "salaries.toml", "-1")


def test_too_many_tables_are_refused_before_any_work(folder: Path) -> None:
    (folder / "salaries.toml").write_text(SALARIES.replace("times = 3", "times = 12"))
    assert 3**12 < 10**6
    claim = '[[claim]]\nid = "{0}"\nkind = "entropy-loss"\nworld = "salaries.toml"\nbits = 1\n'
    head = 'schema = "splu-ref/claims/1"\n[release]\nmechanism = "world"\n'
    (folder / "c.toml").write_text(head + "".join(claim.format(number) for number in range(20)))
    with one_budget(), pytest.raises(InputError, match=r"claim \d+"):
        foresee(read_claims(folder / "c.toml"))
