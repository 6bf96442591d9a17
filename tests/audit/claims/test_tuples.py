"""Claims of (d, gamma)-privacy against every prior of a grid, and their certificates."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from splu_ref.audit.claims.document import parse_document
from splu_ref.audit.claims.reading import claims_of, decide
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.certificate_checker import check
from splu_ref.channels.parameters import InputError


def _decided(alpha: str, beta: str, d: str, level: str) -> Finding:
    keys = {"mechanism": "alpha-beta", "alpha": alpha, "beta": beta, "d": d, "level": level}
    values = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
    text = f'schema = "splu-ref/claims/1"\n[[claim]]\nid = "a"\nkind = "d-gamma"\n{values}'
    (claim,) = claims_of(parse_document(text.encode(), "c.toml")).claims
    return decide(claim)


def _holds(alpha: Fraction, beta: Fraction, d: Fraction, level: Fraction) -> bool:
    """Return whether Bayes' rule keeps both levels, for priors up to d."""
    kept = alpha + beta
    for prior in (d * Fraction(k, 40) for k in (*range(1, 41), Fraction(1, 10**9))):
        seen = kept * prior / (kept * prior + beta * (1 - prior))
        unseen = (1 - kept) * prior / ((1 - kept) * prior + (1 - beta) * (1 - prior))
        if seen > level or unseen < d / level * prior:
            return False
    return True


def test_verdicts_are_those_of_bayes_rule() -> None:
    seen = set()
    grid = product(("1/10", "5/8", "4/5"), ("0", "1/6", "1/5"), ("1/100", "1/20", "1/7"), ("1/5", "9/10"))
    for alpha, beta, d, level in grid:
        finding = _decided(alpha, beta, d, level)
        holds = _holds(*map(Fraction, (alpha, beta, d, level)))
        assert (finding.verdict is Verdict.CONFIRMED) == holds, (alpha, beta, d, level)
        seen.add(finding.verdict)
        assert all(check(proof.make()).valid for proof in finding.proofs)
        if finding.verdict is Verdict.NARROWED:
            largest = finding.true_for.removeprefix("true for d up to ")
            assert _holds(*map(Fraction, (alpha, beta, largest, level)))
            more = Fraction(largest) * Fraction(1001, 1000)
            assert not _holds(Fraction(alpha), Fraction(beta), more, Fraction(level))
            assert [proof.role for proof in finding.proofs] == ["remains"]
            assert finding.without_certificate
        if finding.verdict is Verdict.CONFIRMED:
            assert [proof.role for proof in finding.proofs] == ["decides"]
        if finding.instead:
            least = finding.instead.removeprefix("gamma = ").removesuffix(" for this d")
            assert _holds(*map(Fraction, (alpha, beta, d, least)))
    assert seen == {Verdict.CONFIRMED, Verdict.NARROWED, Verdict.REFUTED}


def test_the_words_name_the_witness() -> None:
    finding = _decided("5/8", "1/6", "1/10", "1/5")
    assert finding.stated.startswith("with alpha = 5/8 and beta = 1/6, a tuple whose prior is at most 1/10")
    assert finding.true_for == "true for d up to 1/20"
    assert finding.remarks[0] == "A tuple with prior 1/10 that is seen has the posterior 19/55"
    assert finding.recompute.startswith("splu-ref useful --alpha 5/8 --beta 1/6 --d 1/10 --level 1/5")


@pytest.mark.parametrize(
    ("keys", "reported"),
    [
        (("3/4", "1/2", "1/10", "1/5"), "alpha + beta"),
        (("1/2", "1/4", "1/5", "1/10"), "0 < d <= gamma < 1"),
        (("0", "1/4", "1/10", "1/5"), "alpha"),
    ],
)
def test_numbers_outside_their_range_are_refused(keys: tuple[str, str, str, str], reported: str) -> None:
    with pytest.raises(InputError, match=r"c\.toml, line \d+, claim a: ") as raised:
        _decided(*keys)
    assert reported in str(raised.value)
