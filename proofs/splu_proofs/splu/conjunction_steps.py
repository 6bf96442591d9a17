"""The steps of the derivations of splu.V: moments of the counts, and the linearization of the estimate.

The symbols are those of the settings in `splu_proofs.splu.conjunction_law`.
"""

from __future__ import annotations

from ..step import Identity

MOMENTS = (
    Identity(
        name="the variance of K under H",
        says=(
            "The indicators have mean S/M and products S(S-1)/(M(M-1)): m k (1-k) + m(m-1)(S(S-1)/"
            "(M(M-1)) - k^2) = m k (1-k)(M-m)/(M-1) with k = S/M."
        ),
        variables={"m": 0, "S": 0, "M": 2},
        left=lambda m, s, places: (
            m * (s / places) * (1 - s / places)
            + m * (m - 1) * (s * (s - 1) / (places * (places - 1)) - (s / places) ** 2)
        ),
        right=lambda m, s, places: m * s * (places - s) * (places - m) / (places**2 * (places - 1)),
    ),
    Identity(
        name="variance within and between",
        says=(
            "E Var(y3|K) + Var E(y3|K) = (x3 + EK)(1/gamma)(1-1/gamma) + V_K/gamma^2 = ((x3 + "
            "EK)(gamma-1) + V_K)/gamma^2; likewise y1 with gamma f - x3 - EK."
        ),
        variables={"gamma": 2, "x3": 0, "ek": 0, "vk": 0},
        left=lambda gamma, x3, ek, vk: (x3 + ek) * (1 / gamma) * (1 - 1 / gamma) + vk / gamma**2,
        right=lambda gamma, x3, ek, vk: ((x3 + ek) * (gamma - 1) + vk) / gamma**2,
    ),
    Identity(
        name="they add up to splu.B",
        says=(
            "Cov = Cov(K/gamma, -K/gamma) = -V_K/gamma^2, and Var y3 + Var y1 + 2 Cov = "
            "f(gamma-1)/gamma. Here e = x3 + EK."
        ),
        variables={"gamma": 2, "f": 1, "e": 0, "vk": 0},
        left=lambda gamma, f, e, vk: (
            (e * (gamma - 1) + vk) / gamma**2
            + ((gamma * f - e) * (gamma - 1) + vk) / gamma**2
            - 2 * vk / gamma**2
        ),
        right=lambda gamma, f, _e, _vk: f * (gamma - 1) / gamma,
    ),
    Identity(
        name="the bias of one predicate",
        says=(
            "With f known, b = 1/gamma and m = n - x3, a = kappa b and D = b(1-kappa): ((x3 + EK) b "
            "- (x3+m) a)/D - x3 = (EK - m kappa)/(1-kappa) = (EK - m kappa)/(gamma D)."
        ),
        variables={"b": 1, "kappa": 2, "m": 0, "x3": 0, "ek": 0},
        left=lambda b, kappa, m, x3, ek: ((x3 + ek) * b - (x3 + m) * kappa * b) / (b * (1 - kappa)) - x3,
        right=lambda _b, kappa, m, _x3, ek: (ek - m * kappa) / (1 - kappa),
    ),
)

LINEARIZATION = (
    Identity(
        name="the slope in f'",
        says="g1 = (x-hat - n) a'/D = N(gamma-1)(gamma y - n)/s^2, with D = s/(gamma r).",
        variables={"gamma": 2, "f": 1, "s": 1, "n": 0, "y": 0},
        left=lambda gamma, f, s, n, y: (
            ((gamma * (s + (gamma - 1) * f) * y - n * f * (gamma - 1)) / s - n)
            * ((gamma - 1) * (s + gamma * f) / (gamma * (s + (gamma - 1) * f) ** 2))
            * (gamma * (s + (gamma - 1) * f) / s)
        ),
        right=lambda gamma, f, s, n, y: (s + gamma * f) * (gamma - 1) * (gamma * y - n) / s**2,
    ),
    Identity(
        name="no remainder dropped",
        says=(
            "(x-hat(f+h, y+k) - x-hat(f, y)) (s - gamma h) = s L - gamma h k, multiplied here by s; "
            "s L = N(gamma-1)(gamma y - n) h/s + gamma r k."
        ),
        variables={"gamma": 2, "f": 1, "s": 1, "n": 0, "y": 0, "h": 0, "k": 0},
        left=lambda gamma, f, s, n, y, h, k: (
            (gamma * (s + (gamma - 1) * f - h) * (y + k) - n * (f + h) * (gamma - 1)) * s
            - (gamma * (s + (gamma - 1) * f) * y - n * f * (gamma - 1)) * (s - gamma * h)
        ),
        right=lambda gamma, f, s, n, y, h, k: (
            (s + gamma * f) * (gamma - 1) * (gamma * y - n) * h
            + s * gamma * (s + (gamma - 1) * f) * k
            - s * gamma * h * k
        ),
    ),
    Identity(
        name="the error of the linear term",
        says=(
            "(s L - gamma h k)/(s - gamma h) - L = gamma h (L-k)/(s - gamma h), where s - gamma h = "
            "N - gamma f'."
        ),
        variables={"s": 90, "g": 2, "h": 0, "k": 0, "L": 0},
        left=lambda s, g, h, k, linear: (s * linear - g * h * k) / (s - g * h) - linear,
        right=lambda s, g, h, k, linear: g * h * (linear - k) / (s - g * h),
    ),
)
