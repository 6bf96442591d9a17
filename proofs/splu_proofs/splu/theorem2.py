"""splu.T2: the published count is the maximum likelihood estimate, and the proof that the paper lacks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from splu_ref.estimators import estimate_count

from ..arithmetic.law import probability_mass
from ..arithmetic.trials import GROWTH
from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Grade,
    Identity,
    Inequality,
    Kernel,
    Quantity,
    Relation,
    Status,
)
from ..worlds.histograms import greedy_groups


def _likeliest(gamma: int, k: int, bound: Fraction | int) -> int:
    """Return the only f with gamma f >= k and f <= bound at which the count k is likeliest."""
    chances = {f: probability_mass(gamma, f, k) for f in range(-(-k // gamma), int(bound // 1) + 1)}
    (only,) = (f for f, chance in chances.items() if chance == max(chances.values()))
    return only


LIKELIEST = Relation(
    variables=("gamma", "k"),
    left=Quantity(
        r"\arg\max_{f\in\mathbb{Z},\,\gamma f \ge k} b(\gamma f; k)",
        lambda gamma, k: _likeliest(gamma, k, 3 * k + 9),
    ),
    sign="=",
    right=lambda _gamma, k: k,
    cases=lambda: ((gamma, k) for gamma in (2, 3, 5) for k in range(13)),
)
LIKELIEST_WITHIN = Relation(
    variables=("gamma", "k", "bound"),
    left=Quantity(r"\arg\max_{\gamma f \ge k,\,f\le U} b(\gamma f; k)", _likeliest),
    sign="=",
    right=Quantity(r"\min(k, \lfloor U\rfloor)", lambda _gamma, k, u: min(k, u // 1)),
    cases=lambda: (
        (gamma, k, Fraction(half, 2))
        for gamma in (2, 3, 5)
        for k in range(9)
        for half in range(2 * -(-k // gamma), 2 * k + 6)
    ),
)


T2 = Claim(
    id="splu.T2",
    module=__name__,
    source="Fu et al. 2014, §4, Theorem 2",
    title="maximum likelihood",
    statement=(
        rf"{LIKELIEST.latex}\quad(k = f' \ge 0);\qquad \text{{with a public bound }} f\le U:\ "
        rf"{LIKELIEST_WITHIN.latex}"
    ),
    asserts=(LIKELIEST, LIKELIEST_WITHIN),
    words=(
        "Given a published count k, the whole number f that makes it most likely is f = k, and no other "
        "does as well; this includes k = 0. If f <= U is public knowledge the estimate is the smaller of k "
        "and the whole part of U. It is the estimate from this one count. All published counts together, "
        "with the constraints of the plan, can prefer another vector. The printed proof sets the "
        "derivative in p to zero, but p = 1/gamma is known and f is sought, so it proves nothing."
    ),
    hypotheses=(r"\gamma \ge 2", r"k \ge 0", r"U \ge k/\gamma"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.B",),
    licenses=("splu_ref.estimators.counts:CountEstimate", "splu_ref.estimators.counts:estimate_count"),
    tests=(
        "tests/estimators/test_counts.py::test_the_estimate_is_the_published_count_with_its_exact_variance",
    ),
    kernel=Kernel(
        theorems=(
            "MaximumLikelihood.published_count_is_the_mle",
            "MaximumLikelihood.mle_under_a_public_bound",
            "MaximumLikelihood.likelihood_rises",
            "MaximumLikelihood.likelihood_falls",
        ),
        covers=(
            "The whole statement: no whole f but k makes the count k as likely, k = 0 included; none but "
            "min(k, U) does among the f <= U, for a whole bound U >= k/gamma; and on either side of k the "
            "likelihood falls strictly with the distance, as long as gamma f >= k."
        ),
        leaves="What is said of real f, of all published counts together, and of the printed proof.",
    ),
)


@T2.derivation
def ratio_test_trial_by_trial() -> Derivation:
    """From f to f + 1 is gamma more trials; each moves the likelihood in a known direction."""
    return Derivation(
        setting=(
            "L(f) = b(gamma f; k). Between L(f) and L(f+1) stand b(m; k) for m = gamma f + t, t = 0 .. gamma."
        ),
        steps=(
            GROWTH,
            Inequality(
                name="below k every trial helps or does no harm",
                says="For f <= k - 1 and 0 <= t <= gamma - 1: gamma k >= m + 1, so b(m+1; k) >= b(m; k).",
                variables=("gamma", "k", "f", "t"),
                given=lambda gamma, k, f, t: (gamma - 1 - t, k - 1 - f, f, t),
                slack=lambda g, d, f, t: (g + 1 + t, d + 1 + f, f, t),
                then=lambda gamma, k, f, t: gamma * k - (gamma * f + t + 1),
            ),
            Inequality(
                name="below k the first trial helps",
                says="For f <= k - 1 and t = 0: gamma k >= m + 2, so b(m+1; k) > b(m; k), and L(f+1) > L(f).",
                variables=("gamma", "k", "f"),
                given=lambda gamma, k, f: (gamma - 2, k - 1 - f, f),
                slack=lambda g, d, f: (g + 2, d + 1 + f, f),
                then=lambda gamma, k, f: gamma * k - (gamma * f + 1) - 1,
            ),
            Inequality(
                name="from k on every trial hurts",
                says=(
                    "For f >= k >= 0 and t >= 0: m + 1 >= gamma k + 1, so b(m+1; k) < b(m; k), and L(f+1) "
                    "< L(f)."
                ),
                variables=("gamma", "k", "f", "t"),
                given=lambda gamma, k, f, t: (gamma - 2, k, f - k, t),
                slack=lambda g, k, d, t: (g + 2, k, d + k, t),
                then=lambda gamma, k, f, t: gamma * f + t + 1 - gamma * k - 1,
            ),
        ),
        conclusion=(
            "L is 0 while gamma f < k, rises strictly from its first positive value to f = k and falls "
            "strictly from there on (for k = 0 it falls from f = 0). Under a bound U < k it is largest at "
            "the last f allowed."
        ),
    )


@T2.computation(cases=853, perturbed="(gamma, f, k) for => (gamma, f + 1, k) for")
def every_small_likelihood() -> Comparisons:
    """Compare L(k) with L(f) for all f <= 4k + 4, and under every bound U in quarters."""
    for gamma in range(2, 7):
        for k in range(9):
            first = -(-k // gamma)
            likelihood = {f: probability_mass(gamma, f, k) for f in range(first, 4 * k + 5)}
            best = max(likelihood.values())
            yield (
                [f for f, value in likelihood.items() if value == best],
                "=",
                [k],
                f"gamma = {gamma}, k = {k}",
            )
            for quarters in range(4 * first, 4 * k + 8):
                bound = Fraction(quarters, 4)
                allowed = {f: value for f, value in likelihood.items() if f <= bound}
                yield (
                    max(allowed, key=allowed.__getitem__),
                    "=",
                    min(k, bound // 1),
                    f"k = {k}, U = {bound}",
                )


@T2.computation(
    cases=1,
    perturbed=(
        "splu_proofs.splu.theorem2:_joint_likelihood larger",
        "splu_proofs.worlds.histograms:greedy_groups smaller",
    ),
)
def all_counts_together_can_prefer_another_vector() -> Comparisons:
    """Multiply out two greedy plans, gamma = 2, four values: what is seen need not be likeliest at itself."""
    seen = (1, 1, 2, 4)
    at_itself, at_other = _joint_likelihood((1, 1, 2, 4), 2, seen), _joint_likelihood((1, 1, 3, 3), 2, seen)
    yield ((at_itself, at_other), "=", (Fraction(3, 32), Fraction(15, 128)), f"{at_itself} and {at_other}")


def _joint_likelihood(histogram: tuple[int, ...], gamma: int, seen: tuple[int, ...]) -> Fraction:
    records = [group for group in greedy_groups(histogram, gamma) for _ in group]
    law = {(0,) * len(histogram): 1}
    for group in records:
        grown: dict[tuple[int, ...], int] = {}
        for counts, ways in law.items():
            for value in group:
                more = (*counts[:value], counts[value] + 1, *counts[value + 1 :])
                grown[more] = grown.get(more, 0) + ways
        law = grown
    return Fraction(law.get(seen, 0), gamma ** len(records))


@T2.flaw
def the_printed_proof_would_prove_too_much() -> Derivation:
    """Its argument never uses that f is whole, and over real f its conclusion is false."""
    return Derivation(
        setting=(
            "The printed proof maximizes k ln p + (gamma f - k) ln(1-p) over p. Nothing in it uses that f "
            "is whole. For gamma = 2 and k = 1 the likelihood of a real f is 2f/4^f; at f = 3/4 it is "
            "(3/2)/sqrt(8), at f = 1 it is 1/2."
        ),
        steps=(
            Identity(
                name="what the printed proof finds",
                says=(
                    "Multiplied by p(1-p), the derivative is k(1-p) - (n-k)p = k - np: zero where p = k/n. "
                    "That is the best p for a known f, not the best f for the known p."
                ),
                variables={"k": 0, "n": 1, "p": 2},
                left=lambda k, n, p: (k / p - (n - k) / (1 - p)) * p * (1 - p),
                right=lambda k, n, p: k - n * p,
            ),
        ),
        conclusion=(
            "An argument that would prove a false statement over the reals proves nothing over the integers."
        ),
    )


@T2.computation(cases=3, perturbed="Fraction(2) ** quarters => Fraction(3) ** quarters")
def half_integers_show_the_flaw() -> Comparisons:
    """At gamma = 2, k = 1: the squares of the likelihoods 2f/4^f at f = 3/4 and f = 1 are 9/32 and 8/32."""

    def squared(quarters: int) -> Fraction:
        return Fraction(quarters, 2) ** 2 / Fraction(2) ** quarters  # (2f/4^f)^2 at f = quarters/4

    yield squared(3), "=", Fraction(9, 32), "squared likelihood at f = 3/4"
    yield squared(4), "=", Fraction(8, 32), "squared likelihood at f = 1"
    yield squared(3), ">", squared(4), "squared likelihoods at f = 3/4 and f = 1"


@T2.computation(cases=35, perturbed="splu_ref.estimators.counts:CountEstimate.estimate_within_bound larger")
def the_library_follows() -> Comparisons:
    """Compare the library's estimate, bare and under a public bound, with the argument of the maximum."""
    for k, bound in product(range(7), (None, 0, 1, 3, 6)):
        estimate = estimate_count(k, 3) if bound is None else estimate_count(k, 3, bound)
        expected = k if bound is None else min(k, bound)
        yield (estimate.estimate_within_bound, "=", expected, f"k = {k}, U = {bound}: {estimate}")
