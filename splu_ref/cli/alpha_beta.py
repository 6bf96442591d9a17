"""Parameters of the alpha-beta algorithm from options."""

from __future__ import annotations

from splu_ref.channels import ParameterError
from splu_ref.guarantees import TupleChances, TupleLevels, prior_bound
from splu_ref.mechanisms import AlphaBeta


def tuple_chances(
    alpha: str | None,
    beta: str | None,
    d: str | None,
    level: str | None,
    k: str | None,
    tuples: int,
    size: int,
) -> TupleChances:
    """Return alpha and beta: as given, or those of least variance for (d, gamma), where d may be k n/m."""
    given = [
        {"--alpha": alpha, "--beta": beta},
        {"--d": d, "--level": level},
        {"--k": k, "--level": level},
    ]
    named = {option for pair in given for option, value in pair.items() if value is not None}
    fitting = [number for number, pair in enumerate(given) if named == set(pair)]
    if not fitting:
        raise ParameterError(
            "alpha-beta needs --alpha and --beta, --d and --level, or --k and --level: give one of these "
            f"pairs, not {', '.join(sorted(named)) or 'none of them'}"
        )
    if alpha is not None and beta is not None:
        return TupleChances.of(alpha, beta)
    assert level is not None
    if d is None:
        assert k is not None
        prior = prior_bound(k, tuples, size)
        if prior >= 1:
            raise ParameterError(f"k n/m = {k} * {tuples}/{size} is no prior below 1: give a smaller k")
        return TupleLevels.of(prior, level).drawable()
    return TupleLevels.of(d, level).drawable()


def expected_size(mechanism: AlphaBeta, tuples: int) -> str:
    """Return a sentence with the expected numbers of published tuples."""
    genuine, fakes = mechanism.expected(tuples)
    others = mechanism.size - tuples
    return (
        f"expected in the release: about {round(genuine)} genuine tuples of {tuples} and {round(fakes)} "
        f"fakes of {others}"
    )
