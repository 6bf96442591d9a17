"""Small-sum privacy of conjunctive concepts: the worst case of a stated estimator, exactly.

A concept is "P and s": predicate P has n of the N records, x3 of them have value s, and s occurs f times. K
of the other records of P have s among their decoys. Then y3 ~ Bin(x3 + K, 1/gamma) records of P, and
independently y1 ~ Bin(gamma f - x3 - K, 1/gamma) others, are published with s (claim splu.V). K is fixed by
the table and the plan; if the order of the records within a value is random, K is random too and the error
probability is an average over K. The guarantee is for every table, so it uses the worst K.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from fractions import Fraction
from sys import maxsize

from splu_ref.audit.mixed_concepts import LiesBetween, best_mixed_concept, mixed_concept_by_trial, mixed_work
from splu_ref.audit.pure_concepts import ConceptCase, best_pure_concept, pure_work
from splu_ref.channels import (
    Exact,
    Gamma,
    ParameterError,
    PublishedCount,
    WorkError,
    integer,
    left,
    one_budget,
    positive,
    shown,
)
from splu_ref.guarantees import Progress, error_offset, exact_work, privacy_minimum, search_work

METHODS = ("mle", "exact")
FACTORS, TRIAL_FACTORS = (2, 16), (16,)
"""Mixed concepts are searched in tables of gamma f times so many rows, with the closed form and by trial."""
SEARCH, TRIAL = 100, 25
"""Largest gamma x3 for which they are searched, with the closed form and by trial."""
LARGEST = 60_000
"""Largest gamma alpha."""


@dataclass(frozen=True, slots=True)
class ConceptMinimum:
    """The least error probability of an estimator over conjunctive concepts."""

    gamma: Gamma
    epsilon: Fraction
    alpha: int
    method: str  #: ``mle``, ``exact`` or ``given``
    #: the least Pr(abs(estimate - x3) >= epsilon x3) found over 1 <= x3 <= alpha: Definition 2's form
    t_p: Fraction
    worst: ConceptCase  #: a concept that attains it
    #: the least over nearly pure predicates, n < (1 + epsilon) x3: proved, over all f, N and K
    t_p_pure: Fraction
    #: the least over the other predicates of the range searched; None if that range is empty
    t_p_mixed: Fraction | None
    searched_up_to: int  #: largest x3 for which the other predicates were searched
    proved: bool  #: whether no concept at all has a smaller error, and not only none of those searched
    searched: str  #: description of what was searched and what was proved


@one_budget()
def concept_minimum(
    gamma: Exact,
    epsilon: Exact,
    alpha: Exact,
    method: str | LiesBetween = "mle",
    *,
    progress: Progress | None = None,
) -> ConceptMinimum:
    """Return the least error probability over conjunctive concepts with 1 <= x3 <= alpha.

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1; gamma alpha is at most 60,000.
    method
        ``mle``: the published count f' of the value, taken as the estimate of x3. ``exact``: the closed form
        `splu_ref.estimators.conjunction_estimate`, clipped to 0 .. n. Or a function that returns where
        another estimate lies between two bounds; that estimate must be n where gamma y3 >= n, and otherwise
        below gamma y3, converging to it for large tables.
    progress
        Called with (work done, all work).

    Returns
    -------
    ConceptMinimum
        Exact fractions, the worst concept, what was proved, and what was only searched.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, an unknown method, or an alpha that would take more than
        about a minute.

    Notes
    -----
    Claims splu.PB and splu.T4c. Where an estimator has no answer (f' >= N/gamma) it counts as wrong. For
    predicates that are not nearly pure no finite search is proved to suffice: there the result is the least
    over the stated range, and the true level may be lower.
    """
    gamma, epsilon, alpha = Gamma(gamma), positive(epsilon, "epsilon"), integer(alpha, "alpha", 1)
    if gamma * alpha > LARGEST:
        most = LARGEST // gamma
        remedy = f"an alpha of at most {most}" if most else f"a gamma of at most {LARGEST}"
        raise ParameterError(
            f"alpha = {shown(alpha)} with gamma = {shown(gamma)} would take too long: give {remedy}"
        )
    _refuse_long(gamma, epsilon, alpha, method)
    count = privacy_minimum(gamma, epsilon, alpha)
    x3, level = count.argmin_definition, count.t_p_definition.exact()
    if method == "mle":
        alone = ConceptCase(x3, x3, x3, gamma * x3, 0)
        return ConceptMinimum(
            gamma=gamma,
            epsilon=epsilon,
            alpha=alpha,
            method="mle",
            t_p=level,
            worst=alone,
            t_p_pure=level,
            t_p_mixed=level,
            searched_up_to=alpha,
            proved=True,
            searched="every concept, by proof: further records with s only add to the error (claim splu.PB)",
        )
    if isinstance(method, str) and method != "exact":
        raise ParameterError(f"method is {method!r}: give one of {', '.join(METHODS)}, or a function")
    name = method if isinstance(method, str) else "given"
    pure = best_pure_concept(gamma, epsilon, alpha)
    if epsilon > 1:  # every estimate for a predicate whose records all have s is within the error
        return ConceptMinimum(
            gamma=gamma,
            epsilon=epsilon,
            alpha=alpha,
            method=name,
            t_p=pure[0],
            worst=pure[1],
            t_p_pure=pure[0],
            t_p_mixed=None,
            searched_up_to=0,
            proved=True,
            searched="every concept, by proof",
        )
    if isinstance(method, str):
        limit = min(alpha, SEARCH // gamma)
        mixed = best_mixed_concept(gamma, epsilon, limit, FACTORS, progress)
        if mixed is None or level <= mixed[0]:  # P = the whole table: the estimate is f'
            rows = gamma * (gamma * x3 + 1)
            mixed = level, ConceptCase(rows, x3, x3, rows, (gamma - 1) * x3)
        spread = (
            f"those with x3 <= {limit}, f = x3 or x3 + 1, N = {_listed(FACTORS)} times gamma f, every K and "
            "n, and P = the whole table"
        )
    else:
        limit = min(alpha, TRIAL // gamma)
        mixed = mixed_concept_by_trial(gamma, epsilon, limit, TRIAL_FACTORS, method, progress)
        spread = (
            f"those with x3 <= {limit}, f = x3, N = {_listed(TRIAL_FACTORS)} times gamma f, every K and n"
        )
    worst = pure if mixed is None or pure[0] <= mixed[0] else mixed
    return ConceptMinimum(
        gamma=gamma,
        epsilon=epsilon,
        alpha=alpha,
        method=name,
        t_p=worst[0],
        worst=worst[1],
        t_p_pure=pure[0],
        t_p_mixed=None if mixed is None else mixed[0],
        searched_up_to=limit,
        proved=False,
        searched="nearly pure predicates, n < (1 + epsilon) x3: all, by proof; other predicates: only "
        + spread,
    )


def concept_work(gamma: Gamma, epsilon: Fraction, alpha: int, method: str | LiesBetween) -> int:
    """Return the approximate work of `concept_minimum`."""
    law = PublishedCount.of(gamma)
    level = search_work(law, epsilon, alpha) + 2 * exact_work(law, alpha, error_offset(epsilon, alpha))
    if method == "mle" or epsilon > 1:
        return level
    by_trial = not isinstance(method, str)
    limit = min(alpha, (TRIAL if by_trial else SEARCH) // gamma)
    mixed = mixed_work(gamma, epsilon, limit, TRIAL_FACTORS if by_trial else FACTORS, by_trial=by_trial)
    return level + pure_work(gamma, epsilon, alpha) + mixed


def _refuse_long(gamma: Gamma, epsilon: Fraction, alpha: int, method: str | LiesBetween) -> None:
    """Raise if the work exceeds the budget, naming the largest feasible alpha."""
    room = left()
    if concept_work(gamma, epsilon, alpha, method) <= room:
        return
    most = bisect(
        range(1, min(alpha, maxsize)), room, key=lambda each: concept_work(gamma, epsilon, each, method)
    )
    remedy = f"an alpha of at most {most}" if most else "a smaller gamma, or an epsilon with fewer digits"
    raise WorkError(f"alpha = {alpha} with gamma = {gamma} would take too long: give {remedy}")


def _listed(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))
