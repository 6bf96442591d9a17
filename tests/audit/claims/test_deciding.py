"""Verdicts against brute force: the binomial law summed term by term, every count and every alpha tried."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.audit.claims.document import parse_document
from splu_ref.audit.claims.reading import claims_of, decide
from splu_ref.audit.claims.verdict import Finding, Verdict, first_failure, largest
from splu_ref.audit.concepts import concept_minimum
from splu_ref.certificate_checker import check
from splu_ref.channels.parameters import InputError
from splu_ref.cli.ledger import load_ledger
from splu_ref.guarantees import error_probability, privacy_minimum


def _decided(kind: str, **keys: Any) -> Finding:
    return _with_ledger(kind, load_ledger(), **keys)


def _with_ledger(kind: str, ledger: Any, **keys: Any) -> Finding:
    values = "\n".join(f'{key} = "{value}"' for key, value in {"id": "a", "kind": kind, **keys}.items())
    text = f'schema = "splu-ref/claims/1"\n[[claim]]\n{values}\n'
    (claim,) = claims_of(parse_document(text.encode(), "c.toml")).claims
    return decide(claim, ledger)


@cache
def _law(gamma: int, retention: Fraction, frequency: int) -> dict[int, Fraction]:
    """Return the law of f' as the sum over the kept records and over the others that take the value."""
    law: dict[int, Fraction] = {}
    others, share = (gamma - 1) * frequency, (1 - retention) / (gamma - 1)
    for kept in range(frequency + 1):
        for taken in range(others + 1):
            weight = comb(frequency, kept) * retention**kept * (1 - retention) ** (frequency - kept)
            weight *= comb(others, taken) * share**taken * (1 - share) ** (others - taken)
            law[kept + taken] = law.get(kept + taken, Fraction(0)) + weight
    return law


def _error(
    gamma: int, retention: Fraction, epsilon: Fraction, frequency: int, *, releases: int = 1
) -> Fraction:
    law = {0: Fraction(1)}
    for _ in range(releases):
        new: dict[int, Fraction] = {}
        for total, weight in law.items():
            for count, chance in _law(gamma, retention, frequency).items():
                new[total + count] = new.get(total + count, Fraction(0)) + weight * chance
        law = new
    wrong = (w for x, w in law.items() if abs(Fraction(x, releases) - frequency) >= epsilon * frequency)
    return sum(wrong, Fraction(0))


_GAMMA = st.integers(2, 4)
_EPSILON = st.fractions(min_value=Fraction(1, 10), max_value=Fraction(3), max_denominator=10)
_CHANCE = st.fractions(min_value=0, max_value=1, max_denominator=30)
_RETENTION = st.sampled_from(["default", "1/2", "9/10", "1/7"])


@pytest.mark.slow
@settings(max_examples=60)
@given(_GAMMA, _RETENTION, _EPSILON, st.integers(1, 5), _CHANCE)
def test_privacy_is_decided_and_narrowed_as_by_trying_every_count(
    gamma: int, retention: str, epsilon: Fraction, alpha: int, t_p: Fraction
) -> None:
    p = Fraction(1, gamma) if retention == "default" else Fraction(retention)
    more = {} if retention == "default" else {"retention": retention}
    finding = _decided("small-sum-privacy", gamma=gamma, epsilon=epsilon, alpha=alpha, t_p=t_p, **more)
    errors = [_error(gamma, p, epsilon, f) for f in range(1, alpha + 1)]
    failing = [f for f, error in enumerate(errors, start=1) if error < t_p]
    if not failing:
        assert (finding.verdict, finding.true_for) == (Verdict.CONFIRMED, "")
    elif failing[0] == 1:
        assert (finding.verdict, finding.true_for) == (Verdict.REFUTED, "")
    else:
        assert finding.verdict is Verdict.NARROWED
        assert finding.true_for == f"true for alpha up to {failing[0] - 1}"
    level = finding.numbers["t_p_definition"]
    assert isinstance(level, dict)
    assert level["fraction"] is None or Fraction(level["fraction"]) == min(errors)
    for proof in finding.proofs:
        assert check(proof.make()).valid


def test_the_concept_that_is_named_is_that_of_the_certificate() -> None:
    finding = _decided("concept-privacy", gamma=4, epsilon="0.3", alpha=5, t_p="0.27", estimator="exact")
    keys = finding.proofs[0].make()["parameters"]
    assert finding.found == (
        "T_P is at most 0.177978515625, and the probability is 0.2373046875 where "
        f"{keys['concept_count']} of the {keys['predicate_count']} records of a predicate carry the value, "
        f"which {keys['sensitive_count']} of {keys['rows']} rows carry"
    )


@settings(max_examples=25)
@given(_EPSILON, st.integers(1, 3), st.integers(2, 3), _CHANCE)
def test_several_releases_as_by_adding_up_their_counts(
    epsilon: Fraction, alpha: int, releases: int, t_p: Fraction
) -> None:
    finding = _decided("small-sum-privacy", gamma=2, epsilon=epsilon, alpha=alpha, t_p=t_p, releases=releases)

    def holds(most: int, times: int) -> bool:
        return all(_error(2, Fraction(1, 2), epsilon, f, releases=times) >= t_p for f in range(1, most + 1))

    if holds(alpha, releases):
        assert (finding.verdict, finding.without_certificate) == (Verdict.CONFIRMED, "")
        (proof,) = finding.proofs
        assert check(proof.make()).valid
        return
    kept = max((most for most in range(1, alpha) if holds(most, releases)), default=0)
    times = next(times for times in range(1, releases + 1) if not holds(alpha, times)) - 1
    parts = [f"for alpha up to {kept}"] if kept else []
    if times:
        parts.append("for a single release" if times == 1 else f"for up to {times} releases")
    assert finding.true_for == ("true " if parts else "") + ", or ".join(parts)
    spoken = f"f = {releases * (kept + 1)} = {releases} releases x {kept + 1} records"
    assert finding.found.endswith(spoken)
    assert finding.proofs[0].make()["parameters"]["frequency"] == str(releases * (kept + 1))
    assert finding.verdict is (Verdict.NARROWED if parts else Verdict.REFUTED)
    assert [proof.role for proof in finding.proofs] == ["decides", "remains"][: 1 + bool(parts)]
    for proof in finding.proofs:
        certificate = proof.make()
        assert check(certificate).valid
        if proof.role == "remains":
            keys = certificate["parameters"]
            assert int(keys.get("releases", "1")) == (times or releases)
            assert int(keys["alpha"]) == (alpha if times else kept)


@pytest.mark.slow
@settings(max_examples=40)
@given(_GAMMA, _RETENTION, _EPSILON, st.integers(1, 5), _CHANCE, st.booleans())
def test_the_error_at_a_count(
    gamma: int, retention: str, epsilon: Fraction, frequency: int, bound: Fraction, at_least: bool
) -> None:
    p = Fraction(1, gamma) if retention == "default" else Fraction(retention)
    more = {} if retention == "default" else {"retention": retention}
    key = "t_p" if at_least else "t_e"
    keys = {"gamma": gamma, "epsilon": epsilon, "frequency": frequency, key: bound, **more}
    error = _error(gamma, p, epsilon, frequency)
    finding = _decided("error-at-count", **keys)
    holds = error >= bound if at_least else error <= bound
    assert finding.verdict is (Verdict.CONFIRMED if holds else Verdict.REFUTED)
    assert check(finding.proofs[0].make()).valid
    exactly = _decided("error-at-count", **{**keys, key: error})  # equality confirms both
    assert exactly.verdict is Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("kind", "keys", "found", "instead"),
    [
        # The published count of one record, gamma = 2, is off unless it is 1: with probability 1/2.
        ("error-at-count", {"frequency": 1, "t_e": "2/5"}, "0.5", "a probability of at most 0.5"),
        ("error-at-count", {"frequency": 1, "t_p": "3/5"}, "0.5", "a probability of at least 0.5"),
        ("error-at-count", {"frequency": 1, "t_e": "1/2"}, "0.5", ""),
        ("error-at-count", {"frequency": 1, "t_p": "1/2"}, "0.5", ""),
        ("small-sum-privacy", {"alpha": 1, "t_p": "3/5"}, "0.5, least at f = 1", "T_P up to 0.5"),
        ("small-sum-privacy", {"alpha": 1, "t_p": "1/2"}, "0.5, least at f = 1", ""),
    ],
)
def test_a_false_claim_is_reported_with_what_would_be_true(
    kind: str, keys: dict[str, Any], found: str, instead: str
) -> None:
    finding = _decided(kind, gamma=2, epsilon="1", **keys)
    assert finding.found.partition(" is ")[2] == found
    assert finding.instead == instead
    assert (finding.verdict, finding.true_for) == (Verdict.REFUTED if instead else Verdict.CONFIRMED, "")


@pytest.mark.parametrize(
    ("kind", "keys", "what", "side"),
    [
        ("small-sum-privacy", {"alpha": 1}, "the published count of every value with 1 record is", "least"),
        (
            "small-sum-privacy",
            {"alpha": 3, "releases": 2},
            "the mean of 2 independent published counts of every value with 1 to 3 records is",
            "least",
        ),
        ("error-at-count", {"frequency": 3}, "the published count of a value with 3 records is", "least"),
        ("error-at-count", {"frequency": 3}, "the published count of a value with 3 records is", "most"),
    ],
)
def test_a_claim_is_decided_as_it_is_stated(kind: str, keys: dict[str, Any], what: str, side: str) -> None:
    bound = {"t_p" if side == "least" else "t_e": "1/10"}
    assert _decided(kind, gamma=2, epsilon="1", **keys, **bound).stated == (
        f"with gamma = 2, {what} off by at least 1 of it with probability at {side} 1/10"
    )


def test_an_error_is_rounded_against_the_claim_that_it_decides() -> None:
    keys = {"gamma": 3, "epsilon": "0.3", "frequency": 3}  # 4769/6561 = 0.7268709038256...
    for bound, decimal in (({"t_e": "1/10"}, "0.726870903826"), ({"t_p": "1/10"}, "0.726870903825")):
        error = _decided("error-at-count", **keys, **bound).numbers["error"]
        assert error == {"fraction": "4769/6561", "decimal": decimal, "digits": 12}


@pytest.mark.parametrize(
    ("gamma", "retention", "epsilon", "alpha", "releases"),
    [(2, "1/2", "1", 4, 1), (3, "1/3", "3/10", 5, 1), (3, "1/7", "1/2", 4, 1), (2, "1/2", "3/10", 3, 3)],
)
def test_a_level_that_is_attained_exactly_is_kept_and_nothing_above_it_is(
    gamma: int, retention: str, epsilon: str, alpha: int, releases: int
) -> None:
    """Among them epsilon = 1, a p below 1/gamma, and one release more than the claim is true for."""
    p, distance = Fraction(retention), Fraction(epsilon)
    errors = [_error(gamma, p, distance, f, releases=releases) for f in range(1, alpha + 1)]
    level, hair = min(errors), Fraction(1, 10**40)
    keys = {"gamma": gamma, "retention": retention, "epsilon": epsilon, "alpha": alpha}
    kept = _decided("small-sum-privacy", **keys, releases=releases, t_p=level)
    assert (kept.verdict, kept.true_for) == (Verdict.CONFIRMED, "")
    above = _decided("small-sum-privacy", **keys, releases=releases, t_p=level + hair)
    assert above.verdict is not Verdict.CONFIRMED
    first = next(f for f, error in enumerate(errors) if error < level + hair)
    assert (f"true for alpha up to {first}" in above.true_for) == bool(first)
    more = _decided("small-sum-privacy", **keys, releases=releases + 1, t_p=level)
    again = min(_error(gamma, p, distance, f, releases=releases + 1) for f in range(1, alpha + 1))
    assert (more.verdict is Verdict.CONFIRMED) == (again >= level)
    for finding in (kept, above, more):
        for proof in finding.proofs:
            assert check(proof.make()).valid


def test_theorem_4_is_reported_only_where_it_falls_below_the_claim() -> None:
    """At gamma = 2, epsilon = 1 and f = 1 the count is 0, 1 or 2: never off by more than 1."""
    strict = privacy_minimum(3, "3/10", 4)
    assert strict.t_p.exact() == strict.t_p_definition.exact()
    silent = _decided("small-sum-privacy", gamma=3, epsilon="3/10", alpha=4, t_p=strict.t_p.exact())
    assert silent.verdict is Verdict.CONFIRMED
    [beside] = silent.remarks
    assert beside.startswith("T_P*, the minimax error probability")
    reported = _decided("small-sum-privacy", gamma=2, epsilon="1", alpha=1, t_p="1/2")
    assert _error(2, Fraction(1, 2), Fraction(1), 1) == Fraction(1, 2)
    assert reported.verdict is Verdict.CONFIRMED
    assert "T_P is 0, below the claim" in reported.remarks[1]


def test_a_threshold_that_nobody_can_find_is_not_refuted_by_an_error_that_is_allowed() -> None:
    attained = _error(3, Fraction(1, 3), Fraction(1, 10**9), 7)
    keys = {"gamma": 3, "epsilon": "1e-9", "t_f": 7}
    with pytest.raises(InputError, match="needs counts beyond"):
        _decided("large-sum-utility", t_e=attained, **keys)
    below = _decided("large-sum-utility", t_e=attained - Fraction(1, 10**40), **keys)
    assert below.verdict is Verdict.REFUTED


def test_a_threshold_whose_error_is_attained_exactly() -> None:
    """gamma = 2 and epsilon = 1: the error is 2^(1-2f), so that t_e = 1/32 is attained at f = 3."""
    assert [_error(2, Fraction(1, 2), Fraction(1), f) for f in (2, 3)] == [Fraction(1, 8), Fraction(1, 32)]
    keys = {"gamma": 2, "epsilon": 1, "t_e": "1/32"}
    assert _decided("large-sum-utility", t_f=3, **keys).verdict is Verdict.CONFIRMED
    narrowed = _decided("large-sum-utility", t_f=2, **keys)
    assert (narrowed.verdict, narrowed.true_for) == (Verdict.NARROWED, "true from T_f = 3 on")


@pytest.mark.parametrize(
    ("t_f", "verdict"), [(2401, "confirmed"), (2400, "narrowed"), (10**300, "confirmed")]
)
def test_a_threshold_is_confirmed_from_the_least_on(t_f: int, verdict: str) -> None:
    finding = _decided("large-sum-utility", gamma=10, epsilon="1/20", t_e="1/100", t_f=t_f)
    assert str(finding.verdict) == verdict
    assert finding.true_for == ("" if verdict == "confirmed" else "true from T_f = 2401 on")
    assert finding.numbers["threshold_chebyshev"] == 36000
    assert check(finding.proofs[0].make()).valid


def test_a_threshold_that_nobody_can_find_is_refuted_at_its_own_count() -> None:
    finding = _decided("large-sum-utility", gamma=3, epsilon="1/2", t_e=0, t_f=7)
    assert finding.verdict is Verdict.REFUTED
    assert check(finding.proofs[0].make()).valid
    assert finding.recompute.endswith("--frequency 7")
    far = _decided("large-sum-utility", gamma=3, epsilon="1e-9", t_e="1e-3", t_f=7)
    assert far.verdict is Verdict.REFUTED
    with pytest.raises(InputError, match="needs counts beyond"):
        _decided("large-sum-utility", gamma=3, epsilon="1e-9", t_e="0.9999999999", t_f=10**8)


def test_formulas() -> None:
    keys = {"gamma": 10, "epsilon": "1/20", "t_e": "1/100"}
    sound = _decided("threshold-formula", formula="chebyshev", **keys)
    printed = _decided("threshold-formula", formula="printed", **keys)
    assert (sound.verdict, sound.numbers["formula"]) == (Verdict.CONFIRMED, 36000)
    assert (printed.verdict, printed.numbers["formula"]) == (Verdict.REFUTED, 64)
    assert printed.instead == "T_f = 2401, the least that is true"
    assert [(quote.id, quote.corrected_by) for quote in printed.quotes] == [("splu.L1", "splu.L1c")]
    assert sound.quotes == ()
    with pytest.raises(InputError, match=r'^line [0-9]+, claim a: formula "printed" is kept with the proofs'):
        _with_ledger("threshold-formula", None, formula="printed", **keys)


@pytest.mark.parametrize(
    ("kind", "keys", "ids"),
    [
        ("large-sum-utility", {"t_e": "1/100", "t_f": 64}, ["splu.L1"]),  # (10/400/100)^(-1/2) = 63.2...
        ("large-sum-utility", {"t_e": "1/100", "t_f": 63}, ["splu.L1"]),
        ("large-sum-utility", {"t_e": "1/100", "t_f": 62}, []),
        ("large-sum-utility", {"t_e": "1/100", "t_f": 65}, []),
        ("large-sum-utility", {"t_e": "0.0040", "t_f": 100}, ["splu.L1"]),
        ("large-sum-utility", {"t_e": "0.10e-2", "t_f": 192}, ["splu.T3"]),  # 0.0010850...; L1: 200
        ("error-at-count", {"t_e": "1/250", "frequency": 100}, ["splu.T3"]),
        ("error-at-count", {"t_e": "0.0016", "frequency": 157}, ["splu.T3"]),  # 0.0016227...
        ("error-at-count", {"t_e": "0.0017", "frequency": 157}, ["splu.T3"]),
        ("error-at-count", {"t_e": "0.002", "frequency": 157}, []),  # one digit says too little
        ("error-at-count", {"t_e": "0.0018", "frequency": 157}, []),
        ("error-at-count", {"t_p": "1/250", "frequency": 100}, []),
    ],
)  # fmt: skip
def test_the_paper_is_recognized_by_its_numbers(kind: str, keys: dict[str, Any], ids: list[str]) -> None:
    finding = _decided(kind, gamma=10, epsilon="1/20", **keys)
    assert [quote.id for quote in finding.quotes] == ids
    assert _with_ledger(kind, None, gamma=10, epsilon="1/20", **keys).quotes == ()


def test_concepts_under_each_estimator() -> None:
    keys = {"gamma": 5, "epsilon": "0.3", "alpha": 5}
    level = str(concept_minimum(5, "0.3", 5, "mle").t_p)
    assert _decided("concept-privacy", estimator="mle", t_p=level, **keys).verdict is Verdict.CONFIRMED
    below = _decided("concept-privacy", estimator="mle", t_p="0.5", **keys)
    assert (below.verdict, below.true_for) == (Verdict.NARROWED, "true for alpha up to 3")
    assert _decided("concept-privacy", estimator="mle", t_p="0.7", **keys).verdict is Verdict.REFUTED

    quoted = _decided("concept-privacy", estimator="exact", t_p="0.40", **keys)  # T_P of the value: 0.4018...
    assert (quoted.verdict, [quote.id for quote in quoted.quotes]) == (Verdict.NARROWED, ["splu.L3"])
    assert (
        quoted.true_for
        == "true for alpha up to 3 and predicates with |P| < (1 + epsilon) x3; for others it is not decided"
    )
    assert quoted.instead == ""  # nothing larger is proved for all predicates
    mixed = _decided("concept-privacy", estimator="exact", t_p="0.6", gamma=10, epsilon="0.3", alpha=3)
    assert mixed.true_for.endswith("for others it is false")  # 0.5362..., nearly pure 0.729
    unproved = _decided("concept-privacy", estimator="exact", t_p="1/4", **keys)
    assert (unproved.verdict, unproved.proofs) == (Verdict.NOT_DECIDED, ())
    assert unproved.true_for == (
        "true for alpha up to 5 and predicates with |P| < (1 + epsilon) x3; for others it is not decided"
    )
    assert unproved.instead == ""
    assert "Searched" in unproved.remarks[0]
    found = concept_minimum(5, "0.3", 5, "exact").t_p
    for t_p, verdict in ((found, Verdict.NOT_DECIDED), (found + Fraction(1, 10**9), Verdict.NARROWED)):
        assert _decided("concept-privacy", estimator="exact", t_p=t_p, **keys).verdict is verdict
    attained = _decided("concept-privacy", estimator="exact", t_p=found, **keys)  # by a nearly pure predicate
    assert attained.true_for.startswith("true for alpha up to 5 and ")
    mixed_level = concept_minimum(5, "0.3", 5, "exact").t_p_mixed  # attained is not below
    at_mixed = _decided("concept-privacy", estimator="exact", t_p=mixed_level, **keys)
    assert at_mixed.true_for.endswith("for others it is not decided")
    nothing = _decided("concept-privacy", estimator="exact", t_p=0, **keys)
    assert (nothing.verdict, nothing.true_for) == (Verdict.CONFIRMED, "")

    pure = {"predicates": "nearly-pure", **keys}
    assert (
        _decided("concept-privacy", estimator="exact", t_p="4096/15625", **pure).verdict is Verdict.CONFIRMED
    )
    refuted = _decided("concept-privacy", estimator="exact", t_p="0.81", **pure)
    assert (refuted.verdict, refuted.instead) == (Verdict.REFUTED, "T_P up to 0.262144")

    printed = _decided("concept-privacy", estimator="printed", t_p="1/5", gamma=2, epsilon="2/5", alpha=1)
    assert [quote.id for quote in printed.quotes] == ["splu.T4conj"]
    with pytest.raises(InputError, match="kept with the proofs"):
        _with_ledger("concept-privacy", None, estimator="printed", t_p="1/5", **keys)


@pytest.mark.parametrize(
    ("estimator", "predicates", "t_p", "roles"),
    [
        ("mle", "any", "0.4", ["decides"]),
        ("mle", "any", "0.5", ["decides", "remains"]),
        ("mle", "nearly-pure", "0.7", ["decides"]),
        ("exact", "any", "0.27", ["decides"]),
        ("exact", "any", "0.9", ["decides"]),
        ("exact", "nearly-pure", "0.27", ["decides"]),
        ("exact", "nearly-pure", "0.26", []),
        ("exact", "any", "0.26", []),
        ("exact", "any", "0", []),
        ("printed", "any", "0.9", []),
    ],
)
def test_every_contradicted_concept_has_a_witness_that_a_third_party_can_check(
    estimator: str, predicates: str, t_p: str, roles: list[str]
) -> None:
    keys = {"gamma": 5, "epsilon": "0.3", "alpha": 5, "estimator": estimator, "predicates": predicates}
    finding = _decided("concept-privacy", t_p=t_p, **keys)
    assert [proof.role for proof in finding.proofs] == roles
    assert bool(finding.without_certificate) == ("decides" not in roles)
    for proof in finding.proofs:
        certificate = proof.make()
        assert check(certificate).valid
        if certificate["claim"] == "concept-error":
            owners = 5 * int(certificate["parameters"]["sensitive_count"])
            assert Fraction(int(certificate["evidence"]["numerator"], 16), 5**owners) < Fraction(t_p)


def test_a_concept_that_is_not_nearly_pure_is_a_witness_too() -> None:
    finding = _decided("concept-privacy", estimator="exact", t_p="0.6", gamma=10, epsilon="0.3", alpha=3)
    (proof,) = finding.proofs
    certificate = proof.make()
    assert check(certificate).valid
    assert certificate["parameters"]["predicate_count"] == "466"
    assert Fraction(int(certificate["evidence"]["numerator"], 16), 10**30) < Fraction(6, 10)


def test_a_formula_is_refuted_at_its_own_count_where_no_threshold_can_be_found() -> None:
    keys = {"gamma": 2, "epsilon": "1e-4", "t_e": "1/10"}
    finding = _decided("threshold-formula", formula="printed", **keys)
    assert finding.verdict is Verdict.REFUTED
    assert finding.recompute.endswith("--frequency 22361")
    with pytest.raises(InputError, match=r"^line 7, claim a: epsilon = 1/10000 .* needs"):
        _decided("threshold-formula", formula="chebyshev", **keys)


def test_a_bound_that_cannot_be_reported_from_the_truth_is_refused() -> None:
    bounds = error_probability(2, "1/1000", 200_000).bounds(150)
    between = (bounds.lower + bounds.upper) / 2
    with pytest.raises(InputError, match="claim a: t_e is too near the true probability"):
        _decided("error-at-count", gamma=2, epsilon="1/1000", frequency=200_000, t_e=between)


def test_definition_2_decides_and_theorem_4_is_reported() -> None:
    finding = _decided("small-sum-privacy", gamma=10, epsilon="0.3", alpha=10, t_p="0.3")
    assert finding.verdict is Verdict.CONFIRMED
    beside, reported = finding.remarks
    assert beside.endswith("is 0.435947420762")
    assert "Definition 2 decides" in reported
    assert "0.241032408035" in reported


def test_a_refutation_too_large_for_its_certificate_is_proved_at_the_first_count_that_fails() -> None:
    finding = _decided("small-sum-privacy", gamma=4, epsilon="1/3", alpha=80_000, t_p="1/2")
    assert finding.true_for == "true for alpha up to 3"
    certificate = finding.proofs[0].make()
    assert (certificate["claim"], certificate["parameters"]["frequency"]) == ("error-probability", "4")
    assert check(certificate).valid
    trivial = _decided("small-sum-privacy", gamma=4, epsilon="1/3", alpha=80_000, t_p="0")
    assert trivial.verdict is Verdict.CONFIRMED
    with pytest.raises(InputError, match="too large for a certificate"):
        trivial.proofs[0].make()


@pytest.mark.parametrize(
    ("kind", "keys", "line"),
    [
        ("small-sum-privacy", {"gamma": 10, "alpha": 10**300, "t_p": "0.5"}, 7),
        ("small-sum-privacy", {"gamma": 10**300, "alpha": 3, "t_p": "0.5"}, 6),
        ("small-sum-privacy", {"gamma": 10, "alpha": 3, "t_p": "0.5", "releases": 10**300}, 9),
        ("concept-privacy", {"gamma": 10, "alpha": 10**300, "t_p": "0.5", "estimator": "exact"}, 7),
        ("error-at-count", {"gamma": 10, "frequency": 10**300, "t_e": "0.5"}, 6),
    ],
)
def test_absurd_sizes_are_refused_at_their_line(kind: str, keys: dict[str, Any], line: int) -> None:
    with pytest.raises(InputError, match=f"^line {line}, claim a: "):
        _decided(kind, epsilon="0.3", **keys)


@given(st.integers(0, 300), st.integers(1, 300), st.integers(-2, 310))
def test_the_search_finds_the_same_from_anywhere(last: int, most: int, near: int) -> None:
    requested = []

    def holds(n: int) -> bool:
        requested.append(n)
        return n <= last

    if last < most:
        assert largest(holds, most, near) == last
        assert all(1 <= n < most for n in requested)
        if near == last > 0:
            assert len(requested) <= 2


def test_a_large_claim_is_narrowed_with_few_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    requested = []

    def counting(*args: Any, **keys: Any) -> Any:
        requested.append(args[2])
        return privacy_minimum(*args, **keys)

    monkeypatch.setattr("splu_ref.audit.claims.privacy.privacy_minimum", counting)
    finding = _decided("small-sum-privacy", gamma=2, epsilon="1/50", alpha=100_000, t_p="1e-8")
    assert finding.true_for.startswith("true for alpha up to ")
    most = int(finding.true_for.split()[-1])
    assert privacy_minimum(2, "1/50", most).t_p_definition.bounds().lower >= Fraction("1e-8")
    assert privacy_minimum(2, "1/50", most + 1).t_p_definition.bounds().upper < Fraction("1e-8")
    assert len(requested) <= 6


@pytest.mark.parametrize("estimator", ["mle", "exact", "printed"])
def test_a_promise_of_nothing_is_kept(estimator: str) -> None:
    finding = _decided("concept-privacy", gamma=5, epsilon="0.3", alpha=2, t_p="0", estimator=estimator)
    assert finding.verdict == Verdict.CONFIRMED


@given(st.integers(0, 300), st.integers(1, 300))
def test_the_search_finds_the_last_that_holds_in_few_steps(last: int, most: int) -> None:
    requested = []

    def holds(n: int) -> bool:
        requested.append(n)
        return n <= last

    if last < most:
        assert largest(holds, most) == last
        assert len(requested) <= 2 * most.bit_length() + 1
        assert max(requested, default=1) <= 2 * last + 1
    assert first_failure(lambda n: n <= last, most) == min(last, most, 20)  # as the guide says
