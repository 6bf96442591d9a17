"""splu.Sp: the sawtooth lemma for any retention probability p."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from splu_ref.guarantees import error_probability, privacy_minimum, utility_threshold

from ..terms import (
    Claim,
    Comparisons,
    Derivation,
    Gives,
    Grade,
    Identity,
    Inequality,
    Quantity,
    Relation,
    Status,
)
from ..worlds.retention import published, successes

RETENTIONS = tuple(map(Fraction, ("1/20", "1/3", "1/2", "4/5", "1")))


def _cases() -> Iterator[tuple[int, int, int, Fraction]]:
    return (
        (gamma, f, j, p)
        for gamma in (2, 3, 5)
        for f in range(1, 5)
        for j in range(1, f + 3)
        for p in RETENTIONS
    )


ABOVE = Relation(
    variables=("gamma", "f", "j", "p"),
    left=Quantity(r"\Pr(X_{f+1} \ge f+1+j)", lambda gamma, f, j, p: _above(gamma, f + 1, f + 1 + j, p)),
    sign=">=",
    right=Quantity(r"\Pr(X_f \ge f+j)", lambda gamma, f, j, p: _above(gamma, f, f + j, p)),
    cases=_cases,
)
BELOW = Relation(
    variables=("gamma", "f", "j", "p"),
    left=Quantity(r"\Pr(X_{f+1} \le f+1-j)", lambda gamma, f, j, p: _below(gamma, f + 1, f + 1 - j, p)),
    sign=">=",
    right=Quantity(r"\Pr(X_f \le f-j)", lambda gamma, f, j, p: _below(gamma, f, f - j, p)),
    cases=_cases,
)


def _above(gamma: int, f: int, k: int, p: Fraction) -> Fraction:
    return sum(published(gamma, f, p)[k:], Fraction(0))


def _below(gamma: int, f: int, k: int, p: Fraction) -> Fraction:
    return sum(published(gamma, f, p)[: max(k + 1, 0)], Fraction(0))


SP = Claim(
    id="splu.Sp",
    module=__name__,
    source="new; extends splu.S",
    title="sawtooth lemma for any retention",
    statement=(
        rf"0<p\le 1,\ j \ge 1:\quad {ABOVE.latex},\qquad {BELOW.latex},\qquad X_f \sim "
        r"\mathrm{Bin}(f,p) * \mathrm{Bin}((\gamma-1)f,\tfrac{1-p}{\gamma-1})"
    ),
    asserts=(ABOVE, BELOW),
    words=(
        "For a fixed whole distance j >= 1 neither tail of the published count falls as the true count "
        "grows, whatever p is. So the least and the largest error over a range of counts stand where they "
        "do for p = 1/gamma: at the starts and ends of the plateaus of ceil(epsilon f). The proof turns on "
        "one identity: the law of X_g without one of its own trials at g equals that without one of its "
        "decoy trials at g - 1. It makes the largest probability of X_g less a trial of the likelier kind "
        "stand at g - 1 or before, and that of X_g at g."
    ),
    hypotheses=(r"\gamma \ge 2", r"f \ge 1", r"j \ge 1", r"0 < p \le 1"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.Rp",),
    licenses=(
        "splu_ref.guarantees.minimum_error",
        "splu_ref.guarantees.privacy",
        "splu_ref.guarantees.utility",
        "splu_ref.guarantees.certificates.claims",
        "splu_ref.certificate_checker",
    ),
    tests=("tests/guarantees/test_retention.py::test_minima_by_trying_every_count",),
)


@SP.derivation
def log_concave_laws() -> Derivation:
    """Add trials one by one: ratios of neighboring probabilities fall along a law, and rise with a trial."""
    return Derivation(
        setting=(
            "1, x, x y, x y z are in proportion to four neighboring probabilities of a count of independent "
            "trials, with ratios x >= y >= z: that is log-concavity. A further trial fails with weight m and "
            "succeeds with weight s: w_k = m u_k + s u_(k-1). All in whole units. Outside its range a law is "
            "0, and the steps hold there as they stand."
        ),
        steps=(
            Inequality(
                name="a trial more keeps the ratios falling",
                says=(
                    "w_k^2 - w_(k-1) w_(k+1) = m^2 x^2 y (y-z) + m s x y (x-z) + s^2 x (x-y) >= 0. A law "
                    "without trials is log-concave; so is every law of a count."
                ),
                variables=("x", "y", "z", "m", "s"),
                given=lambda x, y, z, m, s: (x - y, y - z, z, m, s),
                slack=lambda a, b, z, m, s: (a + b + z, b + z, z, m, s),
                then=lambda x, y, z, m, s: (
                    (m * x * y + s * x) ** 2 - (m * x + s) * (m * x * y * z + s * x * y)
                ),
            ),
            Inequality(
                name="a trial more raises each ratio",
                says=(
                    "w_(k+1) u_k - w_k u_(k+1) = s (u_k^2 - u_(k-1) u_(k+1)) = s y (y-z) >= 0: where a law "
                    "does not fall it does not fall with a trial more, and where it does not rise it does "
                    "not rise with a trial less."
                ),
                variables=("y", "z", "m", "s"),
                given=lambda y, z, m, s: (y - z, z, m, s),
                slack=lambda b, z, m, s: (b + z, z, m, s),
                then=lambda y, z, m, s: (m * y * z + s * y) * y - (m * y + s) * y * z,
            ),
        ),
        conclusion="Both are used of X_g, and of X_g less some of its trials.",
    )


@SP.derivation
def where_the_laws_are_largest() -> Derivation:
    """Count the successes of X_g in two ways, and compare."""
    return Derivation(
        setting=(
            "q = (1-p)/(gamma-1). A is the law of X_g less a trial of chance p, B less a trial of chance q, "
            "and v that of X_g less both; g >= 1. v0, v1, v2 stand for v at g, g-1, g-2; d = v1 - v2, e = v1 "
            "- v0. k Pr(X = k) is the sum over the trials of the probability that the trial succeeds and the "
            "others give k-1. For p = 1 there is nothing to show: X_f = f."
        ),
        steps=(
            Identity(
                name="the same twice",
                says=(
                    "g Pr(X_g = g) = g p A(g-1) + (gamma-1) g q B(g-1), and Pr(X_g = g) = p A(g-1) + (1-p) "
                    "A(g): the difference is g (1-p) (B(g-1) - A(g)). So A(g) = B(g-1)."
                ),
                variables={"gamma": 2, "g": 1, "p": 0, "below": 0, "at": 0, "b": 0},
                left=lambda gamma, g, p, below, at, b: (
                    g * p * below
                    + (gamma - 1) * g * ((1 - p) / (gamma - 1)) * b
                    - g * (p * below + (1 - p) * at)
                ),
                right=lambda _gamma, g, p, _below, at, b: g * (1 - p) * (b - at),
            ),
            Identity(
                name="in terms of v",
                says=(
                    "A(g) = q v1 + (1-q) v0 and B(g-1) = p v2 + (1-p) v1: A(g) - B(g-1) = p d - (1-q) e. So "
                    "p d = (1-q) e."
                ),
                variables={"p": 0, "q": 0, "v0": 0, "v1": 0, "v2": 0},
                left=lambda p, q, v0, v1, v2: q * v1 + (1 - q) * v0 - (p * v2 + (1 - p) * v1),
                right=lambda p, q, v0, v1, v2: p * (v1 - v2) - (1 - q) * (v1 - v0),
            ),
            Inequality(
                name="v is largest at g - 1",
                says=(
                    "p d = (1-q) e: d and e have the same sign. Were both negative, v0 and v2 would exceed "
                    "v1, and v0 v2 - v1^2 would be positive, against log-concavity. So d >= 0."
                ),
                variables=("v0", "v1", "v2"),
                given=lambda v0, v1, v2: (v0 - v1 - 1, v1, v2 - v1 - 1),
                slack=lambda a, v1, b: (a + v1 + 1, v1, b + v1 + 1),
                then=lambda v0, v1, v2: v0 * v2 - v1**2 - 1,
            ),
            Identity(
                name="A around g",
                says="A(g-1) - A(g) = (p-q) d + ((1-q) e - p d), the last part being 0.",
                variables={"p": 0, "q": 0, "v0": 0, "v1": 0, "v2": 0},
                left=lambda _p, q, v0, v1, v2: q * v2 + (1 - q) * v1 - (q * v1 + (1 - q) * v0),
                right=lambda p, q, v0, v1, v2: (p - q) * (v1 - v2) + ((1 - q) * (v1 - v0) - p * (v1 - v2)),
            ),
            Identity(
                name="B around g",
                says="(1-q) (B(g-1) - B(g)) = p (q-p) d + (1-p) ((1-q) e - p d), the last part being 0.",
                variables={"p": 0, "q": 0, "v0": 0, "v1": 0, "v2": 0},
                left=lambda p, q, v0, v1, v2: (1 - q) * (p * v2 + (1 - p) * v1 - (p * v1 + (1 - p) * v0)),
                right=lambda p, q, v0, v1, v2: (
                    p * (q - p) * (v1 - v2) + (1 - p) * ((1 - q) * (v1 - v0) - p * (v1 - v2))
                ),
            ),
        ),
        conclusion=(
            "If p >= q, A does not rise from g-1 to g, and B does not fall; if p <= q it is the other way "
            "round. X_g is either with a trial more, so it does not fall from g-1 to g, nor, being "
            "log-concave, before. And X_g less a trial of the likelier kind does not rise from g-1 on."
        ),
    )


@SP.derivation
def telescoping_the_trials() -> Derivation:
    """Go from X_f to X_(f+1) trial by trial, the likeliest last."""
    return Derivation(
        setting=(
            "Y_1 = X_f, and Y_(i+1) is Y_i with a trial of chance r_i; the r_i are p once and q gamma-1 "
            "times, the largest last. a = f+j above and a = f+1-j below, x = Pr(X_f = a). Y_1, .., Y_gamma "
            "are X_(f+1) less trials, the likeliest among them."
        ),
        steps=(
            Identity(
                name="one trial moves one term over the line, above",
                says="With T = Pr(Y >= k), y = Pr(Y = k-1): (1-r) T + r (T + y) - T = r y.",
                variables={"r": 0, "T": 0, "y": 0},
                left=lambda r, tail, y: (1 - r) * tail + r * (tail + y) - tail,
                right=lambda r, _tail, y: r * y,
            ),
            Identity(
                name="and below",
                says="With T = Pr(Y <= k), y = Pr(Y = k): (1-r) T + r (T - y) - T = -r y.",
                variables={"r": 0, "T": 0, "y": 0},
                left=lambda r, tail, y: (1 - r) * tail + r * (tail - y) - tail,
                right=lambda r, _tail, y: -r * y,
            ),
            Identity(
                name="gamma trials, one sum: above",
                says=(
                    "With u = Pr(Y_i = a) at the trial of chance p and w the sum of the others', Pr(X_(f+1) "
                    ">= f+1+j) = t + p u + q w and Pr(X_f >= f+j) = t + x, where t = Pr(X_f >= f+1+j). As p "
                    "+ (gamma-1) q = 1, they differ by p (u - x) + q (w - (gamma-1) x) = sum r_i (Pr(Y_i = "
                    "a) - x)."
                ),
                variables={"gamma": 2, "p": 0, "t": 0, "u": 0, "w": 0, "x": 0},
                left=lambda gamma, p, t, u, w, x: (t + p * u + (1 - p) / (gamma - 1) * w) - (t + x),
                right=lambda gamma, p, _t, u, w, x: (
                    p * (u - x) + (1 - p) / (gamma - 1) * (w - (gamma - 1) * x)
                ),
            ),
            Identity(
                name="gamma trials, one sum: below",
                says="Likewise with t = Pr(X_f <= a): t - p u - q w less t - x is minus that.",
                variables={"gamma": 2, "p": 0, "t": 0, "u": 0, "w": 0, "x": 0},
                left=lambda gamma, p, t, u, w, x: (t - p * u - (1 - p) / (gamma - 1) * w) - (t - x),
                right=lambda gamma, p, _t, u, w, x: (
                    p * (x - u) + (1 - p) / (gamma - 1) * ((gamma - 1) * x - w)
                ),
            ),
            Identity(
                name="one trial more at the same place",
                says="Pr(Y_(i+1) = a) - Pr(Y_i = a) = r (Pr(Y_i = a-1) - Pr(Y_i = a)).",
                variables={"r": 0, "before": 0, "at": 0},
                left=lambda r, before, at: (1 - r) * at + r * before - at,
                right=lambda r, before, at: r * (before - at),
            ),
        ),
        conclusion=(
            "The upper tail changes by sum r_i (Pr(Y_i = a) - x), the lower by minus that. Above, a >= f+1: "
            "no Y_i rises from a-1 to a, by the previous derivation with g = f+1 and a trial less, so Pr(Y_i "
            "= a) does not fall with i from x on. Below, a <= f: X_f does not fall from a-1 to a, with g = "
            "f, nor does a Y_i, which has trials more; so Pr(Y_i = a) does not rise."
        ),
        gives=(
            Gives(relation=ABOVE, step="gamma trials, one sum: above", of="difference", at=_sums_above),
            Gives(relation=BELOW, step="gamma trials, one sum: below", of="difference", at=_sums_below),
        ),
    )


def _sums_above(gamma: int, f: int, j: int, p: Fraction) -> tuple[Fraction | int, ...]:
    return gamma, p, _above(gamma, f, f + 1 + j, p), *_sums(gamma, f, f + j, p)


def _sums_below(gamma: int, f: int, j: int, p: Fraction) -> tuple[Fraction | int, ...]:
    return gamma, p, _below(gamma, f, f + 1 - j, p), *_sums(gamma, f, f + 1 - j, p)


def _sums(gamma: int, f: int, a: int, p: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Return Pr(Y_i = a) at the trial of chance p, its sum over the others, and Pr(X_f = a)."""
    q = (1 - p) / (gamma - 1)

    def at(own: int, others: int) -> Fraction:
        law = successes((f + own, p), ((gamma - 1) * f + others, q))
        return law[a] if 0 <= a < len(law) else Fraction(0)

    first = 0 if p >= q else 1  # the trial of chance p comes last if it is the likeliest, else first
    others = sum((at(first, i) for i in range(gamma - 1)), Fraction(0))
    return at(0, (gamma - 1) * (1 - first)), others, at(0, 0)


@SP.computation(cases=2640, perturbed="splu_proofs.worlds.retention:published smaller")
def differences_in_a_block_of_cases() -> Comparisons:
    """At gamma 2..5, f 1..6, ten values of p, every j: neither tail falls, and A(g) = B(g-1)."""
    for gamma in range(2, 6):
        for tenths in (0, 1, 2, 4, 5, 6, 7, 8, 9, 10):
            p = Fraction(max(tenths, 1), 10) if tenths < 10 else Fraction(99, 100)
            p = Fraction(1, 100) if tenths == 0 else p
            laws = {f: published(gamma, f, p) for f in range(1, 8)}
            for f in range(1, 7):
                for j in range(1, f + 3):
                    above = sum(laws[f + 1][f + 1 + j :]) - sum(laws[f][f + j :])
                    below = sum(laws[f + 1][: max(f + 2 - j, 0)]) - sum(laws[f][: max(f + 1 - j, 0)])
                    yield (above, ">=", 0, f"gamma = {gamma}, p = {p}, f = {f}, j = {j}")
                    yield (0, "<=", below, f"gamma = {gamma}, p = {p}, f = {f}, j = {j}")


@SP.computation(cases=24, perturbed="splu_ref.guarantees.minimum_error:minimum_error_count larger")
def the_library_finds_the_extremes() -> Comparisons:
    """Hold the shipped minimum and threshold against the error at every count."""
    for gamma, p in ((2, Fraction(1, 5)), (3, Fraction(2, 3)), (5, Fraction(1, 2)), (5, Fraction(1, 20))):
        for epsilon in (Fraction(3, 10), Fraction(2, 3)):
            errors = {f: error_probability(gamma, epsilon, f, retention=p).exact() for f in range(1, 61)}
            least = privacy_minimum(gamma, epsilon, 40, retention=p)
            expected = min((errors[f], f) for f in range(1, 41))
            at = f"gamma = {gamma}, p = {p}, epsilon = {epsilon}"
            yield ((least.t_p_definition.exact(), least.argmin_definition), "=", expected, f"T_P at {at}")
            found = utility_threshold(gamma, epsilon, Fraction(1, 4), retention=p)
            yield (found.tail_from, "<=", 61, f"{at}: the tail begins at {found.tail_from}")
            last = max((f for f in range(1, found.tail_from) if errors[f] > Fraction(1, 4)), default=0)
            yield (found.threshold, "=", last + 1, f"T_f at {at}: {found.threshold}, {last + 1}")
