"""Claims about dependent draws: verdicts against brute force, and certificates that pass."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from splu_ref.audit.claims.document import parse_document
from splu_ref.audit.claims.reading import claims_of, decide
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.certificate_checker import check
from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import InputError
from splu_ref.cli.ledger import load_ledger
from splu_ref.guarantees import (
    Noise,
    best_estimator,
    dependent_draws_threshold,
    privacy_minimum,
    privacy_of_draws,
)

GIVEN = {"gamma": 5, "epsilon": "0.3"}


def _decided(kind: str, **keys: Any) -> Finding:
    values = "\n".join(
        f'{key} = "{value}"' for key, value in {"id": "a", "kind": kind, **GIVEN, **keys}.items()
    )
    text = f'schema = "splu-ref/claims/1"\n[[claim]]\n{values}\n'
    (claim,) = claims_of(parse_document(text.encode(), "c.toml")).claims
    finding = decide(claim, load_ledger())
    for proof in finding.proofs:
        verdict = check(proof.make())
        assert verdict.valid, verdict.reason
        assert keys["draws"] in verdict.reason
    return finding


def test_capped_counts_up_to_the_cap_are_decided_as_ever() -> None:
    finding = _decided("small-sum-privacy", draws="capped:10", alpha=10, t_p="0.28")
    assert finding.verdict is Verdict.CONFIRMED
    assert finding.numbers["argmin_definition"] == privacy_minimum(5, "0.3", 10).argmin_definition
    star = finding.numbers["t_p_star_at_least"]
    assert isinstance(star, dict)
    assert star["fraction"] == str(best_estimator(5, "0.3", 10).worst_error)
    assert any(remark.startswith("T_P*") for remark in finding.remarks)
    assert "--draws capped:10" in finding.recompute
    narrowed = _decided("small-sum-privacy", draws="capped:10", alpha=10, t_p="0.5")
    assert (narrowed.verdict, len(narrowed.proofs)) == (Verdict.NARROWED, 2)


@pytest.mark.parametrize(
    ("draws", "alpha", "t_p", "verdict", "proofs"),
    [
        ("all-or-none:10", 10, "0.59", Verdict.CONFIRMED, 1),
        ("all-or-none:10", 10, "0.6", Verdict.NARROWED, 2),
        ("all-or-none:10", 11, "0.59", Verdict.NARROWED, 1),
        ("all-or-none:10", 11, "0.001", Verdict.NARROWED, 1),
        ("capped:10", 12, "0.2", Verdict.CONFIRMED, 0),
        ("capped:10", 40, "0.25", Verdict.NARROWED, 1),
        ("capped:10", 40, "0.3", Verdict.NARROWED, 2),
        ("capped:10", 40, "0.00005", Verdict.NOT_DECIDED, 0),
    ],
)
def test_larger_counts_are_decided_for_every_table(
    draws: str, alpha: int, t_p: str, verdict: Verdict, proofs: int
) -> None:
    finding = _decided("small-sum-privacy", draws=draws, alpha=alpha, t_p=t_p)
    assert (finding.verdict, len(finding.proofs)) == (verdict, proofs)
    if finding.true_for:
        most = int(finding.true_for.rpartition(" ")[2])
        for count, holds in ((most, True), (most + 1, False)):
            level = privacy_of_draws(5, "0.3", count, GroupDraws.parse(draws)).t_p_definition
            assert (level.reaches(Fraction(t_p)) is True) is holds


def test_thresholds_hold_for_every_table() -> None:
    common = {"epsilon": "0.05", "t_e": "0.05", "draws": "capped:10", "values": 14}
    draws = GroupDraws("capped", 10)
    least = dependent_draws_threshold(5, "0.05", "0.05", draws, Noise.of(draws, 5, 14)).threshold
    for t_f, verdict, proofs in (
        (least, Verdict.CONFIRMED, 1),
        (least - 1, Verdict.NOT_DECIDED, 1),
        (10, Verdict.NARROWED, 2),  # up to the cap the error is known, and too large
    ):
        finding = _decided("large-sum-utility", t_f=t_f, **common)
        assert (finding.verdict, len(finding.proofs)) == (verdict, proofs)
    known = _decided("large-sum-utility", t_e="0.05", t_f=33, draws="capped:100")
    assert (known.verdict, known.true_for) == (Verdict.NARROWED, "true from T_f = 34 on")


def test_concepts_of_values_up_to_the_cap_alone_are_decided() -> None:
    finding = _decided("concept-privacy", alpha=5, t_p="0.2", estimator="mle", draws="capped:9")
    assert finding.verdict is Verdict.NOT_DECIDED
    assert finding.true_for == "true for values with at most 9 records"
    finding = _decided("concept-privacy", alpha=5, t_p="0.9", estimator="mle", draws="capped:9")
    assert finding.verdict.contradicted


@pytest.mark.parametrize(
    ("keys", "reported"),
    [
        ({"kind": "small-sum-privacy", "alpha": 3, "t_p": "0.1", "draws": "capped"}, "write independent"),
        ({"kind": "small-sum-privacy", "alpha": 3, "t_p": "0.1", "draws": "capped:3", "retention": "1/2"},
         "leave out the retention"),
        ({"kind": "small-sum-privacy", "alpha": 3, "t_p": "0.1", "draws": "capped:3", "releases": "2"},
         "releases = 1"),
        ({"kind": "large-sum-utility", "t_e": "0.1", "t_f": 9, "values": 5}, "leave it out"),
        ({"kind": "concept-privacy", "alpha": 9, "t_p": "0.1", "estimator": "mle", "draws": "capped:3"},
         "alpha up to the cap"),
        ({"kind": "large-sum-utility", "t_e": "0.1", "t_f": 9, "draws": "all-or-none:3"}, "number of values"),
    ],
)  # fmt: skip
def test_claims_that_cannot_be_decided_are_refused(keys: dict[str, Any], reported: str) -> None:
    with pytest.raises(InputError, match=reported):
        _decided(**keys)


def test_a_kind_for_independent_draws_says_so_of_a_default() -> None:
    text = (
        'schema = "splu-ref/claims/1"\n[release]\ndraws = "capped:3"\n[[claim]]\nid = "a"\n'
        'kind = "error-at-count"\ngamma = 5\nepsilon = "0.3"\nfrequency = 3\nt_p = "0.1"\n'
    )
    with pytest.raises(InputError, match="treated for independent draws"):
        claims_of(parse_document(text.encode(), "c.toml"))
