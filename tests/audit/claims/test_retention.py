"""Claims about retention replacement against the channel itself: its powers, its posteriors, its inverse."""

from __future__ import annotations

import shlex
import subprocess
import sys
from fractions import Fraction
from itertools import combinations, product
from math import exp, log, prod
from typing import Any

import pytest

from splu_ref.audit.claims.document import parse_document
from splu_ref.audit.claims.reading import claims_of, decide
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.certificate_checker import check
from splu_ref.channels import DependentRowsError, inverse, retention
from splu_ref.channels.parameters import InputError
from tests.rounding import near

RESPONSE = {"mechanism": "retention", "retention": "1/5", "values": 4}


def _decided(kind: str, **keys: Any) -> Finding:
    given = {"id": "a", "kind": kind, **RESPONSE, **keys}
    values = "\n".join(
        f"{key} = {value}" if isinstance(value, list | int) else f'{key} = "{value}"'
        for key, value in given.items()
        if value is not None
    )
    text = f'schema = "splu-ref/claims/1"\n[[claim]]\n{values}\n'
    (claim,) = claims_of(parse_document(text.encode(), "c.toml")).claims
    return decide(claim)


def _rows(keep: str, size: int) -> list[list[Fraction]]:
    channel = retention(keep, dict.fromkeys(range(size), Fraction(1, size)))
    return [[channel.probability(u, v) for v in range(size)] for u in range(size)]


def _ratio(keep: str, sizes: tuple[int, ...], releases: int) -> Fraction:
    """Return the largest ratio of the chances of a sequence of published records, by trying all."""
    matrices = [_rows(keep, size) for size in sizes for _ in range(releases)]
    records = list(product(*(range(size) for size in sizes)))
    true = [[value for value in record for _ in range(releases)] for record in records]
    seen = product(*(range(len(rows)) for rows in matrices))
    return max(
        max(chances) / min(chances)
        for published in seen
        if (
            chances := [
                prod(
                    (rows[u][v] for rows, u, v in zip(matrices, own, published, strict=True)),
                    start=Fraction(1),
                )
                for own in true
            ]
        )
    )


@pytest.mark.parametrize(
    ("keep", "sizes", "releases"), [("1/5", (4,), 1), ("1/3", (3,), 2), ("1/2", (2, 3), 1)]
)
def test_local_epsilon_is_the_largest_ratio_of_chances(
    keep: str, sizes: tuple[int, ...], releases: int
) -> None:
    ratio = _ratio(keep, sizes, releases)
    rest = {"retention": keep, "values": list(sizes), "releases": releases}
    for bound, verdict in ((ratio, Verdict.CONFIRMED), (ratio - Fraction(1, 10**9), None)):
        found = _decided("local-epsilon", e_epsilon=bound, **rest)
        assert found.verdict is verdict if verdict else found.verdict.contradicted
        reported = found.numbers["e_epsilon"]
        assert isinstance(reported, dict)
        assert Fraction(reported["fraction"] or 0) == ratio
        python, *arguments = shlex.split(found.recompute)
        assert python == "python3"
        ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
        assert float(ran.stdout) == near(log(ratio))


def test_epsilon_is_compared_with_the_logarithm_and_not_with_its_float() -> None:
    # e^epsilon = 1 + p m/(1-p) = 2: between two decimals of ln 2 that no float distinguish.
    assert exp(0.6931471805599453) == near(2)
    below, above = "0.69314718055994530941", "0.69314718055994530942"
    assert _decided("local-epsilon", epsilon=above).verdict is Verdict.CONFIRMED
    assert _decided("local-epsilon", epsilon=below).verdict is Verdict.REFUTED
    assert _decided("local-epsilon", epsilon="0", retention=0).verdict is Verdict.CONFIRMED
    assert _decided("local-epsilon", epsilon="0").verdict is Verdict.REFUTED


def test_a_claim_about_releases_is_narrowed_to_those_for_which_it_holds() -> None:
    found = _decided("local-epsilon", e_epsilon=8, releases=5)
    assert (found.verdict, found.true_for) == (Verdict.NARROWED, "true for up to 3 releases")
    found = _decided("local-epsilon", e_epsilon="7.99", releases=5)
    assert found.true_for == "true for up to 2 releases"
    assert _decided("local-epsilon", e_epsilon="1.99", releases=5).verdict is Verdict.REFUTED


def test_no_prior_lifts_a_property_to_more_and_one_does_to_that() -> None:
    # Amplification 2: from 1/3 to 1/2 exactly, which is a breach.
    attained = _decided("rho-privacy", rho1="1/3", rho2="1/2")
    assert (attained.verdict, attained.true_for) == (Verdict.NARROWED, "true for rho1 below 1/3")
    assert attained.numbers["posterior"] == {"fraction": "1/2", "decimal": "0.5", "digits": 12}
    assert _decided("rho-privacy", rho1="1/3", rho2="0.5000001").verdict is Verdict.CONFIRMED
    assert _decided("rho-privacy", rho1="0.3333333", rho2="1/2").verdict is Verdict.CONFIRMED
    rows = _rows("1/5", 4)
    for one, other, seen in product(rows, rows, range(4)):
        assert one[seen] / 3 <= Fraction(1, 2) * (one[seen] / 3 + 2 * other[seen] / 3)
    two = _decided("rho-privacy", rho1="1/3", rho2="3/5", values=[4, 4])
    assert two.verdict is Verdict.NARROWED  # the columns together lift it to 2/3
    assert "differ in every column" in two.remarks[0]


@pytest.mark.parametrize("counts", [[1, 2, 3, 4], [0, 5, 5, 5], [1, 1, 1, 20]])
@pytest.mark.parametrize("rho1", ["1/5", "2/5", "7/10"])
def test_under_one_prior_every_set_of_values_is_tried(counts: list[int], rho1: str) -> None:
    rows, total = _rows("1/5", 4), sum(counts)
    posteriors = [
        sum((counts[u] * rows[u][v] for u in chosen), Fraction(0))
        / sum((counts[u] * rows[u][v] for u in range(4)), Fraction(0))
        for v in range(4)
        for size in range(1, 5)
        for chosen in combinations(range(4), size)
        if 0 < sum(counts[u] for u in chosen) <= Fraction(rho1) * total
    ]
    if not posteriors:
        assert _decided("rho-privacy", rho1=rho1, rho2="9/10", counts=counts).verdict is Verdict.CONFIRMED
        return
    worst = max(posteriors)
    if worst <= Fraction(rho1):  # what is seen makes every property less likely
        near = Fraction(rho1) + Fraction(1, 10**6)
        assert _decided("rho-privacy", rho1=rho1, rho2=near, counts=counts).verdict is Verdict.CONFIRMED
        return
    found = _decided("rho-privacy", rho1=rho1, rho2=worst, counts=counts)
    assert found.verdict is Verdict.REFUTED
    reported = found.numbers["posterior"]
    assert isinstance(reported, dict)
    assert Fraction(reported["fraction"] or 0) == worst
    above = worst + Fraction(1, 10**6)
    assert _decided("rho-privacy", rho1=rho1, rho2=above, counts=counts).verdict is Verdict.CONFIRMED


@pytest.mark.parametrize("keep", ["0", "1/1000", "1/2"])
def test_counts_can_be_reconstructed_where_the_channel_has_an_inverse(keep: str) -> None:
    found = _decided("reconstructible", retention=keep)
    channel = retention(keep, dict.fromkeys(range(4), Fraction(1, 4)))
    try:
        inverse(channel)
    except DependentRowsError:
        assert found.verdict is Verdict.REFUTED
    else:
        assert found.verdict is Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("kind", "keys", "words"),
    [
        ("local-epsilon", {}, "either epsilon or e_epsilon"),
        ("local-epsilon", {"epsilon": "1", "e_epsilon": "3"}, "claim a: say either"),
        ("local-epsilon", {"e_epsilon": "1/2"}, "below 1"),
        ("local-epsilon", {"epsilon": "-1"}, "negative"),
        ("local-epsilon", {"epsilon": "1", "retention": "1"}, "publishes every value as it is"),
        ("local-epsilon", {"epsilon": "1", "values": 1}, "at least 2"),
        ("local-epsilon", {"epsilon": "1", "values": []}, "values has 0 numbers"),
        ("local-epsilon", {"epsilon": "1", "values": [2] * 21}, "write 1 to 20"),
        ("local-epsilon", {"epsilon": "1", "values": 10**10}, "at most 1000000000"),
        ("local-epsilon", {"epsilon": "1", "releases": 1001}, "at most 1000"),
        ("local-epsilon", {"epsilon": "1", "retention": "0." + "3" * 390, "releases": 999}, "too many dig"),
        ("local-epsilon", {"epsilon": "1", "mechanism": "SPLU-Gen"}, 'write "retention"'),
        ("local-epsilon", {"epsilon": "1", "mechanism": None}, 'missing: write mechanism = "retention"'),
        ("local-epsilon", {"epsilon": "1", "gamma": 10}, "has no key 'gamma'"),
        ("rho-privacy", {"rho1": "1/2", "rho2": "1/3"}, "no levels of a breach"),
        ("rho-privacy", {"rho1": "1/3", "rho2": "1/2", "counts": [1, 2]}, "not a count for each value"),
        ("rho-privacy", {"rho1": "1/3", "rho2": "1/2", "counts": [0] * 4}, "not all of them 0"),
        ("rho-privacy", {"rho1": "1/3", "rho2": "1/2", "counts": [1] * 4, "values": [4, 4]}, "one dom"),
        ("rho-privacy", {"rho1": "1/3", "rho2": "1/2", "counts": [1, -1, 1, 1]}, "at least 0"),
        ("reconstructible", {"values": None}, "values is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(kind: str, keys: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _decided(kind, **keys)


def test_a_release_gives_retention_and_domains_for_all_claims() -> None:
    text = (
        'schema = "splu-ref/claims/1"\n[release]\nmechanism = "retention"\nretention = 0\nvalues = [4, 2]\n'
        '[[claim]]\nid = "a"\nkind = "local-epsilon"\nepsilon = 0\n'
    )
    (claim,) = claims_of(parse_document(text.encode(), "c.toml")).claims
    assert decide(claim).verdict is Verdict.CONFIRMED
    for old, new, words in (
        ('"retention"\nretention = 0', '"SPLU-Gen"\nretention = 0', "line 4"),
        ("[4, 2]", "[4, 1]", "line 5: values"),
    ):
        with pytest.raises(InputError, match=words):
            claims_of(parse_document(text.replace(old, new).encode(), "c.toml"))


@pytest.mark.parametrize(
    ("keys", "claim"),
    [
        ({"rho1": "1/10", "rho2": "1/2"}, "safe"),
        ({"rho1": "1/10", "rho2": "1/6"}, "breach"),
        ({"rho1": "1/4", "rho2": "9/10", "counts": [0, 3, 5, 2]}, "safe"),
        ({"rho1": "1/2", "rho2": "2/3", "counts": [0, 3, 5, 2]}, "breach"),  # exactly
        ({"rho1": "1/10", "rho2": "1/2", "counts": [0, 3, 5, 2]}, "safe"),
    ],
)
def test_a_breach_of_one_column_or_its_absence_is_certified(keys: dict[str, Any], claim: str) -> None:
    finding = _decided("rho-privacy", **keys)
    [proof] = finding.proofs
    certificate = proof.make()
    assert (proof.role, certificate["claim"], finding.without_certificate) == ("decides", claim, "")
    assert check(certificate).valid
    assert (claim == "safe") == (finding.verdict is Verdict.CONFIRMED)
    parameters = certificate["parameters"]
    assert (parameters["rho1"], parameters["rho2"]) == (keys["rho1"], keys["rho2"])


def test_several_columns_have_no_certificate_and_it_is_said_why() -> None:
    finding = _decided("rho-privacy", values=[2, 3], rho1="1/10", rho2="1/2")
    assert (finding.proofs, finding.without_certificate) == (
        (), "certificates of breaches speak of one column: multiply the columns' ratios",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "keys", "instead"),
    [
        # Of four values, the own one is published with 1/5 + 1/5, each other one with 1/5: a ratio of 2.
        ("local-epsilon", {"epsilon": "1/2"}, "epsilon = 0.693147180560"),
        ("local-epsilon", {"epsilon": "0.6931471806"}, ""),
        # So 1/4 rises to 2/4 of 2/4 + 3/4.
        (
            "rho-privacy",
            {"rho1": "1/4", "rho2": "3/10"},
            "any rho2 above 2/5: that chance is reached, and reaching rho2 is a breach",
        ),
        (
            "rho-privacy",
            {"rho1": "1/4", "rho2": "3/10", "counts": [1, 1, 1, 1]},
            "any rho2 above 2/5: that chance is reached, and reaching rho2 is a breach",
        ),
    ],
)
def test_a_false_claim_is_reported_with_what_would_be_true(
    kind: str, keys: dict[str, Any], instead: str
) -> None:
    finding = _decided(kind, **keys)
    assert finding.instead == instead
    assert (finding.verdict is Verdict.CONFIRMED) == (not instead)
