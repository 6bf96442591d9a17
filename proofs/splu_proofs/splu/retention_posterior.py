"""splu.POSTp: the posterior of one record for any retention probability."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import gcd

from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Inequality, Kernel, Status

POSTP = Claim(
    id="splu.POSTp",
    module=__name__,
    source="Fu et al. 2014, §3.1, step 3, before it sets p = 1/γ",
    title="the posterior of one record at retention p",
    statement=(
        r"\Pr[t.s = w \mid t'.s = w] = p,\qquad \Pr[t.s = v \mid t'.s = w] = "
        r"\frac{1-p}{\gamma-1}\cdot\frac{c(v,w)}{f_w}\le\frac{1-p}{\gamma-1}"
    ),
    words=(
        "With retention p instead of 1/gamma, a published value is the record's own with probability exactly "
        "p, and any other value with at most (1-p)/(gamma-1), under every plan. The largest posterior is "
        "therefore max(p, (1-p)/(gamma-1)): least, at 1/gamma, for p = 1/gamma, the choice of the paper. "
        "Below 1/gamma a decoy may be likelier than the published value. The shipped draw takes one uniform "
        "integer below m, of which k retain it and the rest are shared equally."
    ),
    hypotheses=(r"\gamma \mid N", r"0 < p \le 1", r"\text{the record is any one, equally likely}"),
    status=Status.PROVED,
    grade=Grade.KERNEL,
    rests_on=("splu.S3", "splu.DOMc"),
    licenses=("splu_ref.mechanisms.group_draws", "splu_ref.mechanisms.splu_gen"),
    tests=("tests/mechanisms/test_draws.py::test_every_draw_has_its_share_of_the_integers",),
    kernel=Kernel(
        theorems=(
            "Retained.posterior_at_retention",
            "Retained.posterior_at_retention_at_most",
        ),
        covers=(
            "The whole statement, for every plan, value and retention, from the law of one draw of step 3: "
            "the record is drawn from the table."
        ),
        leaves="That the shipped draw has this law: computations below.",
    ),
)


@POSTP.derivation
def bayes_with_retention() -> Derivation:
    """Count, among N equally likely records, those that are published with w, by their true value."""
    return Derivation(
        setting=(
            "f groups hold w. In each of them the record of w publishes w with probability p, and each of "
            "the gamma - 1 others with (1-p)/(gamma-1). c of the groups hold v."
        ),
        steps=(
            Identity(
                name="published with w",
                says="f p + f (gamma-1) (1-p)/(gamma-1) = f records in the mean, whatever p is.",
                variables={"gamma": 2, "f": 1, "p": 0},
                left=lambda gamma, f, p: f * p + f * (gamma - 1) * ((1 - p) / (gamma - 1)),
                right=lambda _gamma, f, _p: f,
            ),
            Identity(
                name="its true value",
                says="f p over f p + f (gamma-1) (1-p)/(gamma-1) is p.",
                variables={"gamma": 2, "f": 1, "p": 0},
                left=lambda gamma, f, p: f * p / (f * p + f * (gamma - 1) * ((1 - p) / (gamma - 1))),
                right=lambda _gamma, _f, p: p,
            ),
            Inequality(
                name="any other value",
                says="c (1-p)/(gamma-1)/f, and c <= f. With p = u/w: (w - u) f - (w - u) c >= 0.",
                variables=("u", "w", "f", "c"),
                given=lambda u, w, f, c: (u - 1, w - u, f - c, c),
                slack=lambda u, d, e, c: (u + 1, u + 1 + d, c + e, c),
                then=lambda u, w, f, c: (w - u) * f - (w - u) * c,
            ),
            Identity(
                name="never below 1/gamma",
                says=(
                    "p/gamma + (1 - 1/gamma) (1-p)/(gamma-1) = 1/gamma: a mean of the two bounds, so the "
                    "larger one is at least 1/gamma, and is 1/gamma only at p = 1/gamma."
                ),
                variables={"gamma": 2, "p": 0},
                left=lambda gamma, p: p / gamma + (1 - 1 / gamma) * ((1 - p) / (gamma - 1)),
                right=lambda gamma, _p: 1 / gamma,
            ),
        ),
        conclusion="p for the published value, at most (1-p)/(gamma-1) for each other one.",
    )


@POSTP.derivation
def one_integer_decides() -> Derivation:
    """Turn p = u/w into a draw: k of m integers retain it, s go to each other one."""
    return Derivation(
        setting=(
            "g divides u (gamma-1) and w - u; m = w (gamma-1)/g, k = u (gamma-1)/g, s = (w-u)/g. So k/m = "
            "u/w."
        ),
        steps=(
            Identity(
                name="each other value",
                says="s/m = (1 - u/w)/(gamma-1).",
                variables={"gamma": 2, "u": 1, "w": 1, "g": 1},
                left=lambda gamma, u, w, g: ((w - u) / g) / (w * (gamma - 1) / g),
                right=lambda gamma, u, w, _g: (1 - u / w) / (gamma - 1),
            ),
            Identity(
                name="every integer is used",
                says="k + (gamma-1) s = m.",
                variables={"gamma": 2, "u": 1, "w": 1, "g": 1},
                left=lambda gamma, u, w, g: u * (gamma - 1) / g + (gamma - 1) * ((w - u) / g),
                right=lambda gamma, _u, w, g: w * (gamma - 1) / g,
            ),
        ),
        conclusion="A uniform integer below m gives draw 0 with probability p and each other draw equally.",
    )


@POSTP.computation(cases=6112, perturbed="share.denominator for share => share.denominator // w for share")
def the_bound_of_the_draw_is_the_least() -> Comparisons:
    """Look for a smaller number of integers that could be shared out in the same proportions."""
    for gamma in range(2, 8):
        for w in range(1, 13):
            for u in range(1, w + 1):
                if gcd(u, w) > 1:
                    continue
                g = gcd(u * (gamma - 1), w - u)
                m = w * (gamma - 1) // g
                p = Fraction(u, w)
                for fewer in range(1, m):
                    shares = (fewer * p, fewer * (1 - p) / (gamma - 1))
                    yield (max(share.denominator for share in shares), ">", 1, f"{fewer} do for {p}, {gamma}")


@POSTP.enumeration(
    cases=78,
    perturbed=(
        "splu_ref.mechanisms.group_draws:draw_rule larger",
        "splu_proofs.worlds.trades:published_with_retention smaller",
    ),
)
def one_record_in_the_shipped_release() -> Comparisons:
    """Compute the posteriors from every outcome of publishing with other retention probabilities."""
    from ..worlds import trades  # noqa: PLC0415  it loads numpy and the library

    worlds = ((2, (1, 1)), (2, (2, 1, 1)), (3, (1, 1, 1)), (2, (2, 2)))
    for gamma, histogram in worlds:
        codes = tuple(value for value, count in enumerate(histogram) for _ in range(count))
        groups = trades.start(histogram, gamma)
        for p in (Fraction(1, 3), Fraction(3, 5), Fraction(1)):
            joint: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
            for published, chance in trades.published_with_retention(codes, gamma, p):
                for true, seen in zip(codes, published, strict=True):
                    joint[true, seen] += chance
            for w, f in enumerate(histogram):
                total = sum(joint[u, w] for u in range(len(histogram)))
                for v in range(len(histogram)):
                    c = sum({v, w} <= set(group) for group in groups)
                    wanted = p if v == w else (1 - p) / (gamma - 1) * Fraction(c, f)
                    yield (joint[v, w] / total, "=", wanted, f"{histogram}, p = {p}: {v} given {w}")
