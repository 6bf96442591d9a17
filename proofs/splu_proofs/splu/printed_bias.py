"""splu.M1b: how far the printed matrix leads the reconstruction astray, in closed form."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from ..printed.iteration import fixed_point, predicted
from ..terms import Claim, Comparisons, Derivation, Grade, Identity, Status
from ..worlds.conjunctions import hypergeometric, joint_law

M1B = Claim(
    id="splu.M1b",
    module=__name__,
    source="new; on Fu et al. 2014, §5.1, equations (6) to (13)",
    title="bias of the printed matrix",
    statement=(
        r"\mathrm{E}\,\frac{y_3-n\varphi}{1/\gamma-\varphi}-x_3=-(n-x_3)\frac{\varphi}{1-\varphi};\qquad "
        r"\hat f=\frac N2\Big[\Big(1+\tfrac1\gamma\Big)-\sqrt{\Big(1+\tfrac1\gamma\Big)^2-\tfrac{4f'}N}"
        r"\Big],\quad \frac{\gamma f'}{\gamma+1}\le\hat f<f'"
    ),
    words=(
        "With phi = f/N known, the unclipped fixed point of the printed matrix underestimates x_3 by (n - "
        "x_3) phi/(1 - phi) in the mean, if the records of P without s are a fair sample of those (splu.V). "
        "With its own count f = x_1 + x_3, and no state at 0, the fixed point has the f in the statement: "
        "never below gamma f'/(gamma+1), close to it for rare s, and always below f'. So the sum over all "
        "of P and its complement, which f' estimates without bias, is low by about f/(gamma+1). When a "
        "state runs to 0 another equation rules: for gamma = 5, y = (46000, 2400, 46000, 5600) the formula "
        "gives 7085, and the iteration goes to 8937 with x_1 -> 0."
    ),
    hypotheses=(r"\varphi=f/N<1/\gamma", r"f'<N/\gamma", r"\text{hypothesis H of splu.V (first form)}"),
    status=Status.PROVED,
    grade=Grade.SYMBOLIC,
    rests_on=("splu.M1c", "splu.V"),
)


@M1B.derivation
def bias_with_f_known() -> Derivation:
    """Put the true mean of y3 into the printed fixed point."""
    return Derivation(
        setting=(
            "p = phi = f/N. The true average entry is a = p(gamma-1)/(gamma(1-p)) (splu.M1c); E y3 = "
            "x3/gamma + (n-x3) a (splu.V). m = n - x3."
        ),
        steps=(
            Identity(
                name="entry against entry",
                says="a - phi = -phi (1/gamma - phi)/(1 - phi).",
                variables={"gamma": 2, "p": 2},
                left=lambda gamma, p: p * (gamma - 1) / (gamma * (1 - p)) - p,
                right=lambda gamma, p: -p * (1 / gamma - p) / (1 - p),
            ),
            Identity(
                name="the mean of the fixed point",
                says=(
                    "(E y3 - n phi)/(1/gamma - phi) - x3 = -(n-x3) phi/(1-phi), with a as in the last step."
                ),
                variables={"gamma": 2, "p": 2, "m": 0, "x3": 0},
                left=lambda gamma, p, m, x3: (
                    (
                        (x3 / gamma + m * (p - p * (1 / gamma - p) / (1 - p)) - (m + x3) * p)
                        - x3 * (1 / gamma - p)
                    )
                    / (1 / gamma - p)
                ),
                right=lambda _gamma, p, m, _x3: -m * p / (1 - p),
            ),
        ),
        conclusion="The fixed point is linear in y3, so its mean is its value at E y3.",
    )


@M1B.derivation
def its_own_f() -> Derivation:
    """Add the equations of the two blocks, and solve the quadratic."""
    return Derivation(
        setting=(
            "At a fixed point with no state at 0 every block is predicted as observed (splu.Ic): phi x_0 "
            "+ x_1/gamma = y_1 and phi x_2 + x_3/gamma = y_3 with phi = f/N, f = x_1 + x_3. c = 1 + 1/gamma; "
            "r is the root of c^2 - 4f'/N, that is f' = N(c^2 - r^2)/4."
        ),
        steps=(
            Identity(
                name="the sum of the two equations",
                says="(f/N)(N-f) + f/gamma = f (1 + 1/gamma) - f^2/N, which is to be f'.",
                variables={"gamma": 2, "f": 1, "rows": 1},
                left=lambda gamma, f, rows: (f / rows) * (rows - f) + f / gamma,
                right=lambda gamma, f, rows: f * (1 + 1 / gamma) - f**2 / rows,
            ),
            Identity(
                name="its lower root",
                says="f = N(c-r)/2 gives f c - f^2/N = N(c^2 - r^2)/4 = f'.",
                variables={"rows": 1, "c": 1, "r": 0},
                left=lambda rows, c, r: rows * (c - r) / 2 * c - (rows * (c - r) / 2) ** 2 / rows,
                right=lambda rows, c, r: rows * (c**2 - r**2) / 4,
            ),
            Identity(
                name="why the lower one",
                says=(
                    "r^2 - (1 - 1/gamma)^2 = 4(1/gamma - f'/N), positive for f' < N/gamma. So r > 1 - "
                    "1/gamma, and phi = (c-r)/2 < 1/gamma, while (c+r)/2 > 1. Here t = f'/N."
                ),
                variables={"gamma": 2, "t": 0},
                left=lambda gamma, t: (1 + 1 / gamma) ** 2 - 4 * t - (1 - 1 / gamma) ** 2,
                right=lambda gamma, t: 4 * (1 / gamma - t),
            ),
            Identity(
                name="between gamma f'/(gamma+1) and f'",
                says=(
                    "N(c-r)/2 = 2f'/(c+r). As 1 - 1/gamma < r <= c, the divisor c + r is more than 2 and at "
                    "most 2c = 2(gamma+1)/gamma."
                ),
                variables={"rows": 1, "c": 1, "r": 0},
                left=lambda rows, c, r: 2 * (rows * (c**2 - r**2) / 4) / (c + r),
                right=lambda rows, c, r: rows * (c - r) / 2,
            ),
        ),
        conclusion="gamma f'/(gamma+1) <= f < f'. For f' small against N, f is close to the lower end.",
    )


@M1B.computation(cases=419, perturbed="splu_proofs.worlds.conjunctions:hypergeometric larger")
def the_first_form_exactly() -> Comparisons:
    """Average the printed fixed point, phi known, over the exact law of y3 under hypothesis H."""
    cases = 0
    for gamma, rows in ((2, 8), (2, 12), (3, 12), (4, 12)):
        for f in range(1, rows // gamma):
            for x3 in range(f + 1):
                for others in range(rows - f + 1):
                    n, phi = x3 + others, Fraction(f, rows)
                    exposed = hypergeometric(rows - f, f * (gamma - 1), others)
                    mean = Fraction(x3, gamma) + sum(k * p for k, p in enumerate(exposed)) / gamma
                    if cases % 29 == 0:  # the whole joint law, for some: its mean is the same
                        law = joint_law(gamma, f, x3, exposed)
                        yield (mean, "=", sum(y3 * p for (y3, _), p in law.items()), "the mean of y3")
                    bias = (mean - n * phi) / (Fraction(1, gamma) - phi) - x3
                    yield (
                        bias,
                        "=",
                        -others * phi / (1 - phi),
                        f"gamma = {gamma}, N = {rows}, f = {f}, n = {n}",
                    )
                    cases += 1


@M1B.computation(cases=10, perturbed="splu_proofs.printed.iteration:fixed_point larger")
def a_boundary_case() -> Comparisons:
    """For gamma = 5, y = (46000, 2400, 46000, 5600): the formula says 7085, the iteration goes to 8937."""
    gamma, y = 5, (46000, 2400, 46000, 5600)
    rows, published = sum(y), y[1] + y[3]
    # f = N/2 (6/5 - sqrt(36/25 - 4f'/N)) in whole numbers: (6N - sqrt(36 N^2 - 100 f' N)) / 10.
    root = isqrt(36 * rows**2 - 100 * published * rows)
    in_tenths = 6 * rows - root  # rounded up; one less is rounded down
    yield (70849, "<=", in_tenths - 1, "the formula is not between 7084.9 and 7085")
    yield (in_tenths - 1, "<", in_tenths, "the formula is not between 7084.9 and 7085")
    yield (in_tenths, "<=", 70850, "the formula is not between 7084.9 and 7085")
    # There the other block would need x_1 < 0: it is predicted more than y_1 even without any x_1.
    yield (Fraction(7085, rows) * (y[0] + y[1]), ">", y[1], "the other block is not at the boundary")
    # With x_1 = 0 and f = x_3: f (n - f)/N + f/gamma = y_3, which increases in f up to n/2.
    inside = y[2] + y[3]

    def surplus(f: Fraction) -> Fraction:
        return f * (inside - f) / rows + f / gamma - y[3]

    yield (surplus(Fraction(17873, 2)), "<", 0, "the root is not between 8936.5 and 8937")
    yield (0, "<", surplus(Fraction(8937)), "the root is not between 8936.5 and 8937")
    yield (inside, ">", 2 * 8937, "the root is not below n/2")
    limit = fixed_point(y, gamma)
    yield abs(Fraction(limit[3]) - Fraction("8936.642")), "<", Fraction(1, 1000), "x_3 in the limit"
    yield Fraction(limit[1]), "<", Fraction(1, 10**6), "x_1 in the limit"
    expected = predicted(tuple(map(Fraction, (y[0] + y[1], 0, inside - 8937, 8937))), gamma)
    yield (expected[1], ">", y[1], "x_1 would grow from 0")


@M1B.computation(cases=3, perturbed="splu_proofs.printed.iteration:fixed_point larger")
def an_interior_case() -> Comparisons:
    """Compare formula and iteration where P is independent of s: gamma = 5, N = 100000, f' = 8000."""
    gamma, y = 5, (46000, 4000, 46000, 4000)
    limit = fixed_point(y, gamma)
    total = limit[1] + limit[3]
    formula = Fraction(sum(y) / 2 * (1.2 - (1.44 - 4 * 8000 / sum(y)) ** 0.5))
    yield abs(Fraction(total) - formula), "<", Fraction(1, 10**4), "iteration less formula"
    yield Fraction(8000 * 5, 6), "<=", formula, "gamma f'/(gamma+1) and the formula"
    yield formula, "<", 8000, "the formula and f'"
