"""``splu-ref privacy``: the exact level of small-sum privacy."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.certificates import privacy_certificate, write_certificate
from splu_ref.cli.exactly import printable, words
from splu_ref.cli.output import AsJson, EpsilonOption, Force, GammaOption, show
from splu_ref.cli.progress import counted
from splu_ref.files import refuse_existing
from splu_ref.guarantees import error_probability, privacy_minimum_bounds
from splu_ref.model import probability

NAME = "privacy"
EXAMPLE = "splu-ref privacy --gamma 10 --epsilon 0.3 --alpha 3 --certificate t_p.json"


def run(
    gamma: GammaOption,
    epsilon: EpsilonOption,
    alpha: Annotated[str, typer.Option("--alpha", help="Largest count that is to be protected.")],
    at_least: Annotated[
        str | None, typer.Option("--at-least", help="Exit 1 unless Definition 2's T_P is at least this.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Write a certificate that a stranger can re-check.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Compute T_P: the probability with which every count up to alpha is published wrongly.

    Two forms: Theorem 4 counts an error only above epsilon f, Definition 2 from epsilon f on. Both speak of
    the published count f' as the estimate, and of no other estimate.
    """
    wanted = None if at_least is None else probability(at_least, "--at-least")
    if certificate is not None:
        refuse_existing(certificate, force=force)
    with counted("visiting plateaus") as progress:
        least = privacy_minimum_bounds(gamma, epsilon, alpha, progress=progress)
    strict = partial(error_probability, least.gamma, least.epsilon, least.argmin, strict=True)
    at_definition = partial(error_probability, least.gamma, least.epsilon, least.argmin_definition)
    t_p = printable(least.gamma, least.argmin, strict, least.t_p, "down")
    t_p_definition = printable(
        least.gamma, least.argmin_definition, at_definition, least.t_p_definition, "down"
    )
    holds: bool | None = None
    if wanted is not None:
        holds = least.t_p_definition.lower >= wanted or (
            least.t_p_definition.upper >= wanted and at_definition() >= wanted
        )
    if certificate is not None:
        write_certificate(certificate, privacy_certificate(gamma, epsilon, alpha), force=force)
    result = {
        "gamma": int(least.gamma),
        "epsilon": str(least.epsilon),
        "alpha": least.alpha,
        "t_p": t_p,
        "t_p_definition": t_p_definition,
        "argmin": least.argmin,
        "argmin_definition": least.argmin_definition,
        "holds": holds,
    }
    meaning = (
        f"with gamma = {least.gamma}, the published count of any value with 1 to {least.alpha} records is "
        f"off by at least {least.epsilon} of it with at least the first probability"
    )
    lines = [
        ("T_P, Definition 2", f"{words(t_p_definition)}, least at f = {least.argmin_definition}"),
        ("T_P, Theorem 4", f"{words(t_p)}, least at f = {least.argmin}"),
        ("in words", meaning),
    ]
    if holds is not None:
        lines.append((f"at least {at_least}", "holds" if holds else "does not hold"))
    if certificate is not None:
        lines.append(("certificate", f"{certificate} (re-check it with: splu-ref check {certificate})"))
    show(result, lines, as_json=as_json)
    return 1 if holds is False else 0
