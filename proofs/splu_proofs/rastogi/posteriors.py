"""What the alpha-beta algorithm does to a prior: steps that several claims share."""

from __future__ import annotations

from ..step import Identity


def growth() -> Identity:
    """Return why the largest prior decides for tuples that are published."""
    return Identity(
        name="published, from x to y",
        says="The posterior grows with the prior, by (y-x) beta (alpha+beta) over a positive product.",
        variables={"alpha": 1, "beta": 1, "x": 1, "y": 1},
        left=lambda alpha, beta, x, y: (
            y * (alpha + beta) / (y * alpha + beta) - x * (alpha + beta) / (x * alpha + beta)
        ),
        right=lambda alpha, beta, x, y: (
            (y - x) * beta * (alpha + beta) / ((y * alpha + beta) * (x * alpha + beta))
        ),
    )


def seen_condition() -> Identity:
    """Return when a tuple that is published is believed at most gamma, at the largest prior."""
    return Identity(
        name="published, at the prior d",
        says=(
            "gamma less the posterior is (beta gamma (1-d) - (alpha+beta) d (1-gamma))/(d alpha + beta): of "
            "the sign of the first condition."
        ),
        variables={"alpha": 1, "beta": 1, "d": 1, "gamma": 1},
        left=lambda alpha, beta, d, gamma: gamma - d * (alpha + beta) / (d * alpha + beta),
        right=lambda alpha, beta, d, gamma: (
            (beta * gamma * (1 - d) - (alpha + beta) * d * (1 - gamma)) / (d * alpha + beta)
        ),
    )


def unseen_condition() -> Identity:
    """Return when a tuple that is not published keeps d/gamma of its prior."""
    return Identity(
        name="not published, at the prior x",
        says=(
            "Posterior over prior, less d/gamma, is ((1-alpha-beta) gamma - (1-beta) d + x alpha d) over "
            "gamma (1-beta-x alpha): at least 0 for every x > 0 exactly if the first two terms are."
        ),
        variables={"alpha": 1, "beta": 1, "d": 1, "gamma": 1, "x": 1},
        left=lambda alpha, beta, d, gamma, x: (1 - alpha - beta) / (1 - beta - x * alpha) - d / gamma,
        right=lambda alpha, beta, d, gamma, x: (
            ((1 - alpha - beta) * gamma - (1 - beta) * d + x * alpha * d) / (gamma * (1 - beta - x * alpha))
        ),
    )
