"""Rules of the specification that no operation of the protocol answers: the library follows them as well."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import numpy as np
import polars as pl
import pytest

from splu_ref.channels import DataError, SpluError
from splu_ref.data import Microdata
from splu_ref.data.recoding import Bins, Hashed
from splu_ref.mechanisms import MECHANISMS, SmallDomainRandomization, SpluGen, parse_manifest, surplus
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn
from splu_ref.mechanisms.transcript import ordered_digest
from splu_ref.randomness import Key, TapeSource
from splu_ref.spec import batches, by_column, manifests, recoding, small_domains, tables, transcripts
from splu_ref.spec.errors import Refused
from splu_ref.spec.randomness import Tape
from splu_ref.spec.splu_gen import OneStream, Parameters

KEY = bytes(31) + b"k"
COLUMNS = ["a", "b"]
CELLS = [["x", "1"], ["y", "2"], ["x", "3"], ["é", "1"], ["x", "1"]]
TABLE = Microdata.from_frame(pl.DataFrame(CELLS, schema=COLUMNS, orient="row"))
RECORDS = [tables.record_bytes(row) for row in CELLS]


@pytest.mark.parametrize("seed", range(40))
def test_a_gamma_for_each_column(seed: int) -> None:
    random = Random(seed)
    gammas = [random.randrange(2, 5), random.randrange(2, 4)]
    codes = [[random.randrange(size) for _ in range(random.choice((12, 17)))] for size in (7, 9)]
    codes = [column[: min(map(len, codes))] for column in codes]
    content = random.randbytes(20_000)
    mechanism = SpluGenByColumn({"a": SpluGen(gammas[0]), "b": SpluGen(gammas[1], plan="anatomy")})
    frame = pl.DataFrame(dict(zip("ab", codes, strict=True)))
    try:
        released = mechanism.publish(Microdata.from_frame(frame), ["a", "b"], TapeSource(content))
        expected = [list(map(int, released.table.cells(name))) for name in "ab"]
    except SpluError:
        expected = []
    parameters = [Parameters(gammas[0]), Parameters(gammas[1], "anatomy")]
    tape = OneStream(Tape(content))
    try:
        _, _, published = by_column.publish(codes, parameters, lambda column: tape)
    except Refused:
        published = []
    assert published == expected
    names = dict(zip("ab", parameters, strict=True))
    own = {name: dict(facts) for name, facts in mechanism.facts().items() if isinstance(facts, dict)}
    for name, text in by_column.facts(names):
        assert text == f'[["a","{own[name]["a"]}"],["b","{own[name]["b"]}"]]'


@pytest.mark.parametrize(("named", "readable"), [("a", True), (3, False), (None, False)])
def test_a_manifest_may_name_the_id_column(named: object, readable: bool) -> None:
    table = pl.DataFrame({"a": list("wxyz"), "b": list("0101")})
    stated = json.loads(SpluGen(2).publish(table, "b").manifest.to_json())
    content = json.dumps(stated | {"id": named}).encode()
    if readable:
        assert manifests.read_manifest(content) == manifests.read_manifest(json.dumps(stated).encode())
        assert parse_manifest(content, "m.json", MECHANISMS).id_column == named
        return
    with pytest.raises(Refused):
        manifests.read_manifest(content)
    with pytest.raises(DataError, match="the manifest is damaged at 'id'"):
        parse_manifest(content, "m.json", MECHANISMS)


@pytest.mark.parametrize("seed", range(100))
def test_records_that_wait(seed: int) -> None:
    random = Random(seed)
    histogram = [random.randrange(12) for _ in range(random.randrange(1, 6))] + [1]
    gamma = random.randrange(2, 5)
    assert batches.waiting(histogram, gamma) == surplus(np.array(histogram), gamma).tolist()  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ["kept", "shuffled"])
def test_a_domain_for_each_part(order: str) -> None:
    domains: dict[tuple[str, ...], list[str]] = {
        ("x",): ["1", "3", "5"],
        ("y",): ["2", "4"],
        ("é",): ["1", "2"],
    }
    mechanism = SmallDomainRandomization("b", ["a"], domains, 3, shuffled=order == "shuffled")
    for seed in range(40):
        content = Random(seed).randbytes(300)
        released = mechanism.publish(TABLE, "b", TapeSource(content))
        parts, values = [(row[0],) for row in CELLS], [row[1] for row in CELLS]
        source = OneStream(Tape(content))
        rows, published = small_domains.publish(parts, values, domains, Fraction(3), order, source)
        assert published == released.table.cells("b")
        assert [CELLS[row][0] for row in rows] == released.table.cells("a")


@pytest.mark.parametrize(
    ("cells", "values", "domains", "amplification"),
    [
        ([("x",)], ["1"], {("x",): ["1", "2"]}, Fraction(1)),
        ([("x",)], ["1"], {("x",): ["1"]}, Fraction(2)),
        ([("x",)], ["1"], {("x",): ["1", "1"]}, Fraction(2)),
        ([("x",)], ["3"], {("x",): ["1", "2"]}, Fraction(2)),
        ([("y",)], ["1"], {("x",): ["1", "2"]}, Fraction(2)),
        ([("x",)], ["1"], {("x",): ["1", "2"]}, Fraction(2**63, 2**62 - 1)),
        ([], [], {("x",): ["1", "2"]}, Fraction(2)),
    ],
)
def test_parts_that_are_refused(
    cells: list[tuple[str, ...]],
    values: list[str],
    domains: dict[tuple[str, ...], list[str]],
    amplification: Fraction,
) -> None:
    with pytest.raises(Refused):
        small_domains.publish(cells, values, domains, amplification, "kept", OneStream(Tape(bytes(99))))


def test_digests_of_a_transcript() -> None:
    assert transcripts.table_digest(COLUMNS, RECORDS, []) == ordered_digest(TABLE)
    domains = [["1", "2", "3"]]
    assert transcripts.table_digest(COLUMNS, RECORDS, domains) == ordered_digest(TABLE, ["b"])
    assert transcripts.key_commitment(KEY) == Key(KEY).commitment()


def test_recoded_values() -> None:
    for salt in (None, "2024"):
        hashed = Hashed("a", KEY, salt).apply(TABLE).cells("a")
        assert hashed == [recoding.hashed(KEY, "a", row[0], salt) for row in CELLS]
    assert Hashed("a", KEY).fitted(TABLE).salt == recoding.salt_of(KEY, TABLE.content_digest())
    for number in range(-25, 26):
        for whole in (True, False):
            assert Bins("b", "10", whole).label(str(number)) == recoding.bin_name(number, 10, whole=whole)
    for period in ("year", "quarter", "month"):
        for month in range(1, 13):
            label = Bins("b", period).label(f"2024-{month:02}-28")
            assert label == recoding.period_name(2024, month, period)
