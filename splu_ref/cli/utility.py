"""``splu-ref utility``: the exact error probability at a count, or the least count that is accurate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from splu_ref.certificates import error_certificate, threshold_certificate
from splu_ref.certificates.form import Certificate
from splu_ref.cli.certify import certified
from splu_ref.cli.exactly import printable, words
from splu_ref.cli.output import AsJson, EpsilonOption, Force, GammaOption, show
from splu_ref.cli.progress import counted
from splu_ref.files import refuse_existing
from splu_ref.guarantees import (
    UtilityThreshold,
    chebyshev_bound,
    chernoff_bound,
    error_bounds,
    error_probability,
    exact_json,
    utility_threshold,
)
from splu_ref.model import Gamma, ParameterError, positive, whole

NAME = "utility"
EXAMPLE = "splu-ref utility --gamma 10 --epsilon 1/20 --t-e 1/100 --certificate t_f.json"


def run(
    gamma: GammaOption,
    epsilon: EpsilonOption,
    frequency: Annotated[
        str | None, typer.Option("--frequency", help="A true count: how likely is it published wrongly?")
    ] = None,
    t_e: Annotated[
        str | None, typer.Option("--t-e", help="An error probability: from which count on is it kept?")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Write a certificate that a stranger can re-check.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compute how accurate large counts are: exactly, not by a bound.

    With --frequency: the probability that the published count is off by at least epsilon f, beside
    Chebyshev's and Chernoff's bounds. With --t-e: the least T_f such that this probability is at most T_E
    for every count from T_f on.
    """
    if (frequency is None) == (t_e is None):
        raise ParameterError("say either --frequency (error at a count) or --t-e (least accurate count)")
    if certificate is not None:
        refuse_existing(certificate, force=force)
    if frequency is not None:
        make: Callable[[], Certificate] = partial(error_certificate, gamma, epsilon, frequency)
        with counted("summing the tails"):
            result, lines = _error(gamma, epsilon, frequency)
    else:
        assert t_e is not None
        with counted("checking plateau ends") as progress:
            found = utility_threshold(gamma, epsilon, t_e, progress=progress)
        make = partial(threshold_certificate, gamma, epsilon, t_e, found=found)
        result, lines = _threshold(found)
    with certified(certificate, make, lines, force=force):
        show(result, lines, as_json=as_json)


Lines = list[tuple[str, str]]


def _error(gamma: str, epsilon: str, frequency: str) -> tuple[dict[str, Any], Lines]:
    size, ratio, count = Gamma(gamma), positive(epsilon, "epsilon"), whole(frequency, "frequency", 1)
    error = printable(
        size, count, partial(error_probability, size, ratio, count), error_bounds(size, ratio, count), "up"
    )
    chebyshev = exact_json(chebyshev_bound(size, ratio, count), "up")
    chernoff = exact_json(chernoff_bound(size, ratio, count), "up")
    result = {
        "gamma": int(size),
        "epsilon": str(ratio),
        "frequency": count,
        "error": error,
        "chebyshev": chebyshev,
        "chernoff": chernoff,
    }
    return result, [
        ("error probability", words(error)),
        ("Chebyshev's bound", words(chebyshev)),
        ("Chernoff's bound", words(chernoff)),
        ("in words", f"a count of {count} is published off by at least {ratio} of it with that probability"),
    ]


def _threshold(found: UtilityThreshold) -> tuple[dict[str, Any], Lines]:
    result = {
        "gamma": int(found.gamma),
        "epsilon": str(found.epsilon),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
        "threshold_chebyshev": found.threshold_chebyshev,
        "tail_from": found.tail_from,
        "checked": found.checked,
    }
    meaning = (
        f"with gamma = {found.gamma}, every count from {found.threshold} on is published off by at least "
        f"{found.epsilon} of it with probability at most {found.t_e}"
    )
    return result, [
        ("T_f", f"{found.threshold}: the least count, exactly"),
        ("by Chebyshev", f"{found.threshold_chebyshev}"),
        (
            "proved by",
            f"{found.checked} plateau ends below {found.tail_from}, Chernoff's bound from there on",
        ),
        ("in words", meaning),
    ]
