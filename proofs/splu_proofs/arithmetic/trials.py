"""One more trial: the recurrences of binomial probabilities that several proofs share.

b(m; a) = C(m, a) (gamma - 1)^(m - a) / gamma^m is the probability of a successes in m trials of probability
1/gamma. In the steps, b stands for b(m; a), and for its neighbors stand the rational multiples of b that
C(m + 1, a) / C(m, a) = (m + 1)/(m + 1 - a) and the like give.
"""

from __future__ import annotations

from ..step import Identity, Inequality

PASCAL = Identity(
    name="the last trial succeeds or fails",
    says=(
        "b(m+1; a) = b(m; a-1)/gamma + (1 - 1/gamma) b(m; a), where b(m+1; a) = b "
        "(m+1)(gamma-1)/(gamma(m+1-a)) and b(m; a-1) = b a (gamma-1)/(m+1-a), for 0 <= a <= m; for a = m+1 "
        "it is b(m+1; m+1) = b(m; m)/gamma."
    ),
    variables={"gamma": 2, "m": 9, "a": 1, "b": 0},
    left=lambda gamma, m, a, b: b * (m + 1) * (gamma - 1) / (gamma * (m + 1 - a)),
    right=lambda gamma, m, a, b: b * a * (gamma - 1) / (m + 1 - a) / gamma + (1 - 1 / gamma) * b,
)

GROWTH = Identity(
    name="the sign of one more trial",
    says=(
        "b(m+1; a) - b(m; a) = b(m; a) (gamma a - (m+1)) / (gamma (m+1-a)): for 0 <= a <= m it has the "
        "sign of gamma a - (m+1). For a = m+1 it is b(m+1; a) > 0, and for a outside 0..m+1 it is 0."
    ),
    variables={"gamma": 2, "m": 9, "a": 1, "b": 0},
    left=lambda gamma, m, a, b: b * (m + 1) * (gamma - 1) / (gamma * (m + 1 - a)) - b,
    right=lambda gamma, m, a, b: b * (gamma * a - (m + 1)) / (gamma * (m + 1 - a)),
)

NEXT = Identity(
    name="the sign of one more success",
    says=(
        "b(m; a+1) - b(m; a) = b(m; a) (m - a - (gamma-1)(a+1)) / ((gamma-1)(a+1)) for 0 <= a < m, from "
        "C(m, a+1) = C(m, a) (m-a)/(a+1) and one factor gamma - 1 fewer."
    ),
    variables={"gamma": 2, "m": 1, "a": 0, "b": 0},
    left=lambda gamma, m, a, b: b * (m - a) / ((a + 1) * (gamma - 1)) - b,
    right=lambda gamma, m, a, b: b * (m - a - (gamma - 1) * (a + 1)) / ((gamma - 1) * (a + 1)),
)

MODE_RISES = Inequality(
    name="up to the mean b rises",
    says="For a <= f-1 and m = gamma f: m - a - (gamma-1)(a+1) >= 1, so b(m; a+1) > b(m; a).",
    variables=("gamma", "f", "a"),
    given=lambda gamma, f, a: (gamma - 2, f - 1 - a, a),
    slack=lambda g, d, a: (g + 2, d + 1 + a, a),
    then=lambda gamma, f, a: gamma * f - a - (gamma - 1) * (a + 1) - 1,
)

MODE_FALLS = Inequality(
    name="from the mean on b falls",
    says=(
        "For a >= f and m = gamma f: (gamma-1)(a+1) - (m - a) >= 1, so b(m; a+1) < b(m; a). The mode is f "
        "alone."
    ),
    variables=("gamma", "f", "a"),
    given=lambda gamma, f, a: (gamma - 2, a - f, f),
    slack=lambda g, d, f: (g + 2, f, f + d),
    then=lambda gamma, f, a: (gamma - 1) * (a + 1) - (gamma * f - a) - 1,
)

MIX = Inequality(
    name="a mean is at most the larger part",
    says=(
        "In units of gamma^-m, if u and v are at most w then (gamma-1) u + v <= gamma w: by "
        "PASCAL the largest b(m+1; .) is at most the largest b(m; .). Hence b(gamma f; f), the "
        "largest for its m, does not rise with f."
    ),
    variables=("gamma", "u", "v", "w"),
    given=lambda gamma, u, v, w: (gamma - 2, w - u, w - v, w),
    slack=lambda g, d, e, w: (g + 2, w - d, w - e, w),
    then=lambda gamma, u, v, w: gamma * w - (gamma - 1) * u - v,
)
