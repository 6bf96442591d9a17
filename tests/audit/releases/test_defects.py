"""Each defect of a release of the embedded table is found, by the check that is meant for it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.release_defects import DEFECTS, Publisher, stream
from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.data import EMBEDDED_SENSITIVE, Microdata, embedded_table

GAMMA = Gamma(5)
MEANT = {
    "gamma is one more than claimed": "retention",
    "gamma is one less than claimed": "retention",
    "the true value is never published": "retention",
    "the true value is always published": "retention",
    "values come from the whole domain": "decoys",
    "decoys come from the whole domain": "counts",
    "the rows are not shuffled": "shuffle",
    "one non-sensitive cell is edited": "records",
    "the rows stand in the order of their groups": "shuffle",
    "retention is a quarter more than claimed": "retention",
    "four random bits modulo gamma": "retention",
    "the order of the file decides who gets which decoys": "places",
}


@cache
def _original() -> Original:
    return Original(embedded_table(), [EMBEDDED_SENSITIVE])


def _audit(published: Microdata, plan: str) -> ReleaseAudit:
    claimed = SpluGenClaim(PublishedCount.of(GAMMA), plan)
    return audit_release(published, [EMBEDDED_SENSITIVE], claimed, original=_original(), power=False)


def _failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@pytest.mark.parametrize("name", DEFECTS)
def test_found(name: str) -> None:
    plan = "cyclic" if MEANT[name] == "places" else "mixed"
    publisher = Publisher(_original().table, EMBEDDED_SENSITIVE, GAMMA, plan)
    audit = _audit(DEFECTS[name](publisher, stream("test", 0)), plan)
    assert audit.verdict == "inconsistent"
    assert MEANT[name] in _failed(audit)


def test_every_defect_has_its_check() -> None:
    assert set(MEANT) == set(DEFECTS)


@pytest.mark.parametrize(
    ("used", "claimed"), [("anatomy", "cyclic"), ("mixed", "anatomy"), ("cyclic", "anatomy")]
)
def test_another_plan_than_claimed(used: str, claimed: str) -> None:
    publisher = Publisher(_original().table, EMBEDDED_SENSITIVE, GAMMA, used)
    assert _failed(_audit(publisher.release(stream("plan", 0)), claimed)) == {"plan", "possible"}


def test_a_wrong_gamma_is_found_where_the_number_of_rows_does_not_show() -> None:
    # 30 divides 30,690: the deviation lies in the draws alone.
    table = embedded_table()
    trimmed = table.take(np.arange(30690))
    original = Original(trimmed, [EMBEDDED_SENSITIVE])
    published = Publisher(trimmed, EMBEDDED_SENSITIVE, GAMMA).release(stream("gamma", 0), gamma=6)
    audit = audit_release(
        published,
        [EMBEDDED_SENSITIVE],
        SpluGenClaim(PublishedCount.of(GAMMA)),
        original=original,
        power=False,
    )
    assert _failed(audit) == {"retention", "independence"}
    alone = audit_release(
        published, [EMBEDDED_SENSITIVE], SpluGenClaim(PublishedCount.of(GAMMA)), power=False
    )
    assert alone.verdict == "inconclusive"  # without the original nobody can know
