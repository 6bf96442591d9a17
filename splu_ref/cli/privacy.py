"""``splu-ref privacy``: the exact level of small-sum privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from splu_ref.binomial.work import one_budget
from splu_ref.cli.certify import certified
from splu_ref.cli.exactly import setting, words
from splu_ref.cli.output import AsJson, EpsilonOption, Force, GammaOption, RetentionOption, show
from splu_ref.cli.progress import counted
from splu_ref.files import refuse_existing
from splu_ref.guarantees import privacy_minimum
from splu_ref.guarantees.progress import Progress
from splu_ref.model import probability, whole

if TYPE_CHECKING:
    from splu_ref.certificates.form import Certificate

EXAMPLE = "splu-ref privacy --gamma 10 --epsilon 0.3 --alpha 3 --certificate t_p.json"


@one_budget()
def run(
    gamma: GammaOption,
    epsilon: EpsilonOption,
    alpha: Annotated[str, typer.Option("--alpha", help="Largest count that is to be protected.")],
    at_least: Annotated[
        str | None, typer.Option("--at-least", help="Exit 1 unless Definition 2's T_P is at least this.")
    ] = None,
    releases: Annotated[
        str,
        typer.Option(
            "--releases", help="Releases of the table, each with draws of its own, that are averaged."
        ),
    ] = "1",
    retention: RetentionOption = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="Write a certificate that a stranger can re-check.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Compute T_P: the probability with which every count up to alpha is published wrongly.

    Two forms: Theorem 4 counts an error only above epsilon f, Definition 2 from epsilon f on. Both speak of
    the published count f' as the estimate, and of no other estimate. With --releases R the estimate is the
    mean of R published counts, and T_P collapses as R grows. Releases under the same key count as one. A
    larger --retention makes counts more accurate and T_P smaller.
    """
    wanted = None if at_least is None else probability(at_least, "--at-least")
    times = whole(releases, "--releases", 1)
    if certificate is not None:
        refuse_existing(certificate, force=force)
    with counted("visiting plateaus") as progress:
        least = privacy_minimum(gamma, epsilon, alpha, times, retention=retention, progress=progress)
    law = least.law
    t_p, t_p_definition = least.t_p.json("down"), least.t_p_definition.json("down")
    holds = None if wanted is None else least.t_p_definition.compare(wanted, "--at-least") >= 0
    result = {
        "gamma": int(law.gamma),
        "epsilon": str(least.epsilon),
        "alpha": least.alpha,
        "releases": times,
        "retention": str(law.retention),
        "t_p": t_p,
        "t_p_definition": t_p_definition,
        "argmin": least.argmin,
        "argmin_definition": least.argmin_definition,
        "holds": holds,
    }
    estimate = "published count" if times == 1 else f"mean of {times} independent published counts"
    meaning = (
        f"with {setting(law)}, the {estimate} of any value with 1 to {least.alpha} records is off "
        f"by at least {least.epsilon} of it with at least the first probability"
    )
    lines = [
        ("T_P, Definition 2", f"{words(t_p_definition)}, least at f = {least.argmin_definition}"),
        ("T_P, Theorem 4", f"{words(t_p)}, least at f = {least.argmin}"),
        ("in words", meaning),
    ]
    if holds is not None:
        lines.append((f"at least {at_least}", "holds" if holds else "does not hold"))

    def make(progress: Progress) -> Certificate:
        from splu_ref.certificates import privacy_certificate  # noqa: PLC0415 - most runs make none

        return privacy_certificate(
            gamma, epsilon, alpha, times, retention=retention, minimum=least, progress=progress
        )

    with certified(certificate, make, lines, force=force):
        show(result, lines, as_json=as_json)
    return 1 if holds is False else 0
