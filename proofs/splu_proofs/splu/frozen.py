"""splu.Ic: with the matrix held fixed the iteration is EM, and where it ends is a closed form."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

from splu_ref.channels import PublishedCount
from splu_ref.estimators import conjunction_estimate

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Status
from ..worlds.conjunctions import law_of_predicate, shipped_laws, subsets

Number = TypeVar("Number", Fraction, float)

IC = Claim(
    id="splu.Ic",
    module=__name__,
    source="corrects Fu et al. 2014, §5.1, equation (13)",
    title="the iteration with the matrix fixed",
    statement=(
        r"x^{t+1}-x^t=\frac{x(n-x)(1/\gamma-a)(y_3-p)}{p(n-p)},\quad p=\tfrac x\gamma+(n-x)a;\qquad "
        r"\lim x^t=\mathrm{clip}\Big(\frac{y_3-na}{1/\gamma-a},0,n\Big)"
    ),
    words=(
        "With the transition matrix held fixed, a the chance that a record without s publishes it, "
        "iteration (13) is EM for the count x of P and s: from any start strictly between 0 and n the "
        "predicted count p moves toward y_3 without passing it, so the likelihood never falls, and x goes "
        "to the closed form. No iteration and no stopping rule is needed. With a = f'(gamma-1)/(gamma(N - "
        "f')) this needs f' < N/gamma. At f = N/gamma every group holds s, every record publishes it with "
        "probability 1/gamma, and the table carries no information on x_3; a larger f' means f = N/gamma "
        "again, by splu.T2."
    ),
    hypotheses=(r"0 \le a < 1/\gamma", r"0 < x^0 < n", r"0 \le y_3 \le n"),
    status=Status.CORRECTED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.M1c", "splu.T2"),
    licenses=("splu_ref.estimators.linear.two_state:conjunction_estimate",),
    tests=(
        "tests/estimators/test_conjunctions.py::test_it_maximizes_the_likelihood_of_y3_under_the_fixed_matrix",
    ),
)


@IC.derivation
def it_moves_toward_the_closed_form() -> Derivation:
    """Write one step, and what it leaves of the distance y3 - p."""
    return Derivation(
        setting=(
            "b = 1/gamma, z = n - x, p = b x + a z, so n - p = (1-b) x + (1-a) z. One step of (13) within P "
            "is x' = x (b y/p + (1-b)(n-y)/(n-p)) with y = y3. u = b(1-b), v = a(1-a), and p' is p at x'."
        ),
        steps=(
            Identity(
                name="one step",
                says="x' - x = x z (b-a)(y-p)/(p(n-p)).",
                variables={"x": 1, "z": 1, "a": 2, "b": 40, "y": 0},
                left=lambda x, z, a, b, y: (
                    x * (b * y / (b * x + a * z) + (1 - b) * (x + z - y) / ((1 - b) * x + (1 - a) * z)) - x
                ),
                right=lambda x, z, a, b, y: (
                    x * z * (b - a) * (y - b * x - a * z) / ((b * x + a * z) * ((1 - b) * x + (1 - a) * z))
                ),
            ),
            Identity(
                name="what is left of the distance",
                says=(
                    "y - p' = (y - p) rho with rho = 1 - x z (b-a)^2/(p(n-p)), because p' - p = (b-a)(x'-x); "
                    "and p(n-p) - x z (b-a)^2 = (x+z)(x u + z v)."
                ),
                variables={"x": 0, "z": 0, "a": 0, "b": 0},
                left=lambda x, z, a, b: (b * x + a * z) * ((1 - b) * x + (1 - a) * z) - x * z * (b - a) ** 2,
                right=lambda x, z, a, b: (x + z) * (x * b * (1 - b) + z * a * (1 - a)),
            ),
            Inequality(
                name="rho is at least 0",
                says=(
                    "With x, z, u, v >= 0: (x+z)(x u + z v) >= 0. And rho < 1 for 0 < x < n, a < b. So p "
                    "comes closer to y and does not pass it."
                ),
                variables=("x", "z", "u", "v"),
                given=lambda x, z, u, v: (x, z, u, v),
                slack=lambda x, z, u, v: (x, z, u, v),
                then=lambda x, z, u, v: (x + z) * (x * u + z * v),
            ),
            Identity(
                name="the likelihood",
                says=(
                    "The slope of y log p + (n-y) log(n-p) in p is y/p - (n-y)/(n-p) = n(y-p)/(p(n-p)): up "
                    "to p = y it rises, beyond it falls."
                ),
                variables={"n": 40, "y": 0, "p": 1},
                left=lambda n, y, p: y / p - (n - y) / (n - p),
                right=lambda n, y, p: n * (y - p) / (p * (n - p)),
            ),
            Identity(
                name="when a < 1/gamma",
                says="1/gamma - f(gamma-1)/(gamma(N-f)) = (N - gamma f)/(gamma(N-f)); here r = N - f.",
                variables={"gamma": 2, "f": 1, "r": 1},
                left=lambda gamma, f, r: 1 / gamma - f * (gamma - 1) / (gamma * r),
                right=lambda gamma, f, r: (f + r - gamma * f) / (gamma * r),
            ),
        ),
        conclusion=(
            "x moves monotonically, up while p < y and down while p > y, so it converges; a limit inside (0, "
            "n) has p = y, which is x = (y - n a)/(b - a). If that lies outside, x goes to the end on its "
            "side. The likelihood rises with every step and is largest at the limit."
        ),
    )


@IC.computation(
    cases=1620,
    perturbed=(
        "splu_ref.estimators.linear.two_state:conjunction_estimate larger",
        "splu_proofs.splu.frozen:_step larger",
        "best = _likelihood(closed, => best = _likelihood(closed / 2,",
    ),
)
def iterated_and_in_closed_form() -> Comparisons:
    """Take 1500 steps in double precision and compare with the library; take one step in fractions."""
    for gamma, rows, published in ((2, 20, 3), (3, 60, 7), (5, 100, 11)):
        gained, law = Fraction(published * (gamma - 1), gamma * (rows - published)), PublishedCount.of(gamma)
        for inside in (4, 9, 14):
            for y3 in range(min(inside, published) + 1):
                closed = conjunction_estimate(y3, published, inside, rows, law)
                start = Fraction(inside, 3)
                after = _step(start, y3, inside, gained, gamma)
                before = _likelihood(start, y3, inside, gained, gamma)
                yield (_likelihood(after, y3, inside, gained, gamma), ">=", before, "the likelihood falls")
                best = _likelihood(closed, y3, inside, gained, gamma)
                for k in range(25):
                    yield (
                        _likelihood(Fraction(inside * k, 24), y3, inside, gained, gamma),
                        "<=",
                        best,
                        f"the closed form is not the likeliest: gamma = {gamma}, n = {inside}, y3 = {y3}",
                    )
                x = float(start)
                for _ in range(1500):
                    x = _step(x, y3, inside, float(gained), gamma)
                where = f"iteration less closed form at n = {inside}, y3 = {y3}"
                yield abs(Fraction(x) - closed), "<", Fraction(inside, 100), where


def _step(x: Number, y3: int, inside: int, gained: Number, gamma: int) -> Number:
    p = x / gamma + (inside - x) * gained
    return x * (y3 / p / gamma + (inside - y3) / (inside - p) * (gamma - 1) / gamma)


def _likelihood(x: Fraction, y3: int, inside: int, gained: Fraction, gamma: int) -> Fraction:
    p = (x / gamma + (inside - x) * gained) / inside
    return p**y3 * (1 - p) ** (inside - y3)


@IC.enumeration(
    cases=144,
    perturbed=(
        "splu_ref.mechanisms.group_draws:draw_rule larger",
        "splu_proofs.worlds.conjunctions:law_of_predicate reversed",
    ),
)
def no_information_at_the_bound() -> Comparisons:
    """Where f = N/gamma, the shipped mechanism publishes s independently of who carried it."""
    worlds = ((2, (2, 1, 1)), (2, (3, 2, 1)), (3, (2, 1, 1, 1, 1)))
    for gamma, histogram in worlds:
        rows, shipped = sum(histogram), shipped_laws(histogram, gamma)
        laws: dict[int, dict[tuple[int, int], Fraction]] = {}
        for predicate in subsets(rows):
            law = law_of_predicate(shipped, predicate, 0)
            known = laws.setdefault(len(predicate), law)
            yield (law, "=", known, f"{histogram}: the law of (y3, y1) depends on more than n")
