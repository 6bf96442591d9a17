"""Exact checks on small tables: what no release can look like."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import polars as pl
import pytest

from splu_ref.audit.e_values import rate_at_most
from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen
from splu_ref.mechanisms.manifest import Manifest
from tests.rounding import near

GIVEN = pl.DataFrame({"name": list("123456789"), "town": list("aabbccdde"), "value": list("xxyyzzwwx")})
PUBLISHED = GIVEN[[8, 1, 3, 0, 5, 4, 7, 2]].with_columns(value=pl.Series(list("xywzzxwy")))
CLAIMED = SpluGenClaim(PublishedCount.of(2))


def audit(
    published: pl.DataFrame,
    claimed: SpluGenClaim = CLAIMED,
    given: pl.DataFrame = GIVEN,
    manifest: Manifest | None = None,
) -> ReleaseAudit:
    original = Original(Microdata.from_frame(given), ["value"])
    return audit_release(
        Microdata.from_frame(published), ["value"], claimed, original=original, manifest=manifest, power=False
    )


def failed(found: ReleaseAudit) -> set[str]:
    return {check.name for check in found.checks if not check.passed}


def test_an_honest_release_passes() -> None:
    found = audit(PUBLISHED)
    assert (found.verdict, failed(found), found.linked) == ("inconclusive", set(), 8)
    assert [check.name for check in found.checks[:5]] == ["schema", "rows", "records", "feasible", "values"]
    assert found.checks[2].detail.endswith("1 record without a row, 1 of which may be left out")


@pytest.mark.parametrize(
    ("published", "names"),
    [
        (PUBLISHED.select("town", "name", "value"), {"schema"}),
        (PUBLISHED.with_columns(note=pl.lit("")), {"schema"}),
        (PUBLISHED.rename({"town": "city"}), {"schema"}),
        (PUBLISHED[:7], {"rows", "records"}),  # 9 records leave 8 rows
        (PUBLISHED[:6], {"rows", "records"}),
        (pl.concat([PUBLISHED[:7], PUBLISHED[:1]]), {"records"}),
        (PUBLISHED.with_columns(town=pl.Series(list("zabacdcb"))), {"records"}),
        (PUBLISHED.with_columns(value=pl.Series(list("xywzzxwq"))), {"values"}),
        (PUBLISHED.with_columns(value=pl.Series(list("yyyyyxwy"))), {"values", "counts", "decoys"}),
    ],
)
def test_what_no_release_looks_like(published: pl.DataFrame, names: set[str]) -> None:
    assert failed(audit(published)) == names


def test_gamma_that_the_table_does_not_allow() -> None:
    given = GIVEN.with_columns(value=pl.Series(list("xxxxxyzzw")))
    assert "feasible" in failed(audit(PUBLISHED, given=given))
    assert "feasible" not in failed(audit(PUBLISHED))


def test_other_columns_leave_the_rest_unchecked() -> None:
    found = audit(PUBLISHED.drop("town"))
    assert (found.verdict, {check.name for check in found.checks}) == ("inconclusive", {"rows"})
    assert {"records", "counts", "shuffle"} <= {check.name for check in found.not_checked}
    [remedy] = [each.remedy for each in found.not_checked if each.remedy]
    assert remedy == "the release has no column town: add --drop town if left out on purpose"
    assert audit(PUBLISHED.drop("town")[:6]).verdict == "inconsistent"  # rows are missing, too
    renamed = audit(PUBLISHED.rename({"town": "city"}))
    assert {check.name for check in renamed.checks} == {"schema", "rows"}
    assert "columns missing: town; added: city" in renamed.checks[0].detail


def test_types_are_compared_where_both_files_have_them() -> None:
    typed = GIVEN.with_columns(pl.col("name").cast(pl.Int64))
    rows = PUBLISHED.with_columns(pl.col("name").cast(pl.Int64))
    assert audit(rows, given=typed).checks[0].detail.endswith("with their types")
    assert audit(PUBLISHED, given=typed).checks[0].detail.endswith("one file is text only")
    narrow = audit(PUBLISHED.with_columns(pl.col("name").cast(pl.Int16)), given=typed)
    assert failed(narrow) == {"schema"}
    assert "column 'name': Int64 became Int16" in narrow.checks[0].detail


def test_the_manifest() -> None:
    honest = Manifest(SpluGen(CLAIMED.law.gamma, CLAIMED.law.retention), 8, {"value": tuple("wxyz")})
    assert failed(audit(PUBLISHED, manifest=honest)) == set()
    assert failed(audit(PUBLISHED, manifest=replace(honest, rows=10))) == {"manifest.rows"}
    for domain in ("xyz", "wxyzq"):
        wrong = replace(honest, domains={"value": tuple(domain)})
        assert failed(audit(PUBLISHED, manifest=wrong)) == {"manifest.domain"}
    wider = replace(honest, domains={"value": tuple("vwxyz")})
    table = Microdata.from_frame(PUBLISHED)
    assert failed(audit_release(table, ["value"], CLAIMED, manifest=wider)) == set()  # v may have vanished
    narrower = replace(honest, domains={"value": tuple("xyz")})
    assert failed(audit_release(table, ["value"], CLAIMED, manifest=narrower)) == {"manifest.domain"}


def test_without_the_original() -> None:
    table = Microdata.from_frame(PUBLISHED)
    found = audit_release(table, ["value"], CLAIMED)
    assert {check.name for check in found.checks} == {"rows", "share", "shuffle"}
    assert "retention" in {check.name for check in found.not_checked}
    assert failed(audit_release(table, ["value"], SpluGenClaim(PublishedCount.of(3)))) == {"rows"}
    crowded = pl.DataFrame({"value": ["x"] * 380 + ["y"] * 20})
    assert failed(audit_release(Microdata.from_frame(crowded), ["value"], CLAIMED)) == {"share"}
    sorted_rows = pl.DataFrame({"value": ["x"] * 200 + ["y"] * 200})
    assert failed(audit_release(Microdata.from_frame(sorted_rows), ["value"], CLAIMED)) == {"shuffle"}


@pytest.mark.parametrize(
    ("published", "impossible"),
    [
        ("aabbccdd", 0),
        ("bcacbbaa", 0),
        ("aaabccdd", 1),  # three rows of class 1 show a, and two records can
    ],
)
def test_a_row_shows_what_the_plan_lets_a_record_of_its_class_show(published: str, impossible: int) -> None:
    # Two classes of four records; the cyclic plan of 2, 2, 2, 2 joins a and c, and b and d.
    given = pl.DataFrame({"town": list("11112222"), "value": list("aabbccdd")})
    rows = given.with_columns(value=pl.Series(list(published)))
    found = audit(rows, SpluGenClaim(PublishedCount.of(2), "cyclic"), given)
    check = next(check for check in found.checks if check.name == "possible")
    assert (check.passed, check.detail.split()[0]) == (impossible == 0, str(impossible))


def test_what_cannot_be_requested() -> None:
    table = Microdata.from_frame(PUBLISHED)
    original = Original(Microdata.from_frame(GIVEN), ["town"])
    with pytest.raises(ParameterError, match="prepared for other"):
        audit_release(table, ["value"], CLAIMED, original=original)
    with pytest.raises(DataError, match="no column 'valu'"):
        audit_release(table, ["valu"], CLAIMED)
    with pytest.raises(ParameterError, match="below 1"):
        audit_release(table, ["value"], CLAIMED, level=1)
    with pytest.raises(DataError, match="other columns"):
        audit_release(table, ["value"], CLAIMED, second=Microdata.from_frame(PUBLISHED.drop("town")))
    for wrong in ({"retention": "1"}, {"retention": "2"}, {"plan": "greedy"}):
        with pytest.raises(ParameterError):
            SpluGenClaim(PublishedCount.of(2, wrong.get("retention")), wrong.get("plan"))


def test_shares_are_averaged_over_the_values_that_the_manifest_lists() -> None:
    manifest = SpluGen(2).publish(Microdata.from_frame(GIVEN), "value").manifest
    longer = replace(manifest, domains={"value": ("v", *manifest.domains["value"], "y2", "z1", "z2")})
    found = []
    for reported in (manifest, longer):
        table = Microdata.from_frame(PUBLISHED)
        checks = audit_release(table, ["value"], CLAIMED, manifest=reported, power=False).checks
        (share,) = (check for check in checks if check.name == "share")
        assert share.e_value is not None
        found.append(10**share.e_value.log10)
    # Four values more that nobody shows: each adds what a count of 0 says to the mean.
    nobody = rate_at_most(8, 0, Fraction(1, 2)).exact
    assert nobody is not None
    assert found[1] == near((found[0] + float(nobody)) / 2)
