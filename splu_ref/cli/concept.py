"""``splu-ref concept``: small-sum privacy of conjunctions with a sensitive value, by estimator."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from splu_ref.audit import ConceptMinimum, concept_minimum
from splu_ref.channels import InputError, ParameterError, integer, one_budget
from splu_ref.cli.certificates import words
from splu_ref.cli.dependent_draws import DrawsOption, trade_off_line
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.output import AsJson, EpsilonOption, Explain
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import (
    Answer,
    GammaOption,
    ManifestOption,
    ReleaseParameters,
    release_parameters,
    show_answers,
)
from splu_ref.guarantees import exact_json, is_plain_up_to

EXAMPLE = "splu-ref concept --gamma 5 --epsilon 0.3 --alpha 5 --method exact"
PRINTED = "splu.T4conj"
"""The claim under which the ledger keeps the printed reconstruction."""


@one_budget()
def run(
    *,
    gamma: GammaOption = None,
    manifest: ManifestOption = None,
    epsilon: EpsilonOption,
    alpha: Annotated[str, typer.Option("--alpha", help="Largest count that is to be protected.")],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="mle: the value's published count. exact: the corrected closed form. printed: the paper's.",
        ),
    ] = "mle",
    draws: DrawsOption = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Compute T_P for a predicate together with a sensitive value, and the worst such concept.

    T_P is the least probability of an error of epsilon x3 or more (Definition 2), over all concepts with
    x3 = 1 to alpha records. It belongs to the estimator. Of predicates nearly all of whose records carry
    the value everything is proved; of others, under exact and printed, only the stated range is searched.
    With --draws capped:M, and --alpha up to M, it is for values with at most M records, whose draws have the
    law of independent ones; other values are not covered. With --manifest, the answer covers every sensitive
    column of a release.
    """
    if method not in ("mle", "exact", "printed"):
        raise ParameterError(f"--method is {method!r}: give mle, exact or printed")
    cases = release_parameters(manifest, gamma, None, draws)
    show_answers([_answer(case, epsilon, alpha, method) for case in cases], as_json=as_json)
    return 0


def _answer(case: ReleaseParameters, epsilon: str, alpha: str, method: str) -> Answer:
    """Return T_P of conjunctive concepts under one law."""
    gamma, law = case.gamma, case.draws
    if case.retention is not None:
        raise ParameterError(
            f"concepts are computed for p = 1/gamma, and the manifest states {case.retention} for "
            f"{', '.join(case.columns)}: give a release with p = 1/gamma"
        )
    if not is_plain_up_to(law, integer(alpha, "alpha", 1)):
        raise ParameterError(
            f"concepts are computed for independent draws, and for capped draws up to the cap: instead of "
            f"--draws {law} with this --alpha, give --draws capped:M and an --alpha up to M"
        )
    with counted("searching concepts") as progress:
        if method == "printed":
            try:
                printed = load_ledger().printed[PRINTED]
            except InputError as error:
                raise InputError(f"--method printed is part of the proofs: {error}") from None
            least = concept_minimum(gamma, epsilon, alpha, printed, progress=progress)
        else:
            least = concept_minimum(gamma, epsilon, alpha, method, progress=progress)
    t_p, t_p_pure = exact_json(least.t_p, "down"), exact_json(least.t_p_pure, "down")
    result = {
        "gamma": int(least.gamma),
        "epsilon": str(least.epsilon),
        "alpha": least.alpha,
        "method": method,
        "t_p": t_p,
        "worst": asdict(least.worst),
        "t_p_pure": t_p_pure,
        "t_p_mixed": None if least.t_p_mixed is None else exact_json(least.t_p_mixed, "down"),
        "proved": least.proved,
        "searched_up_to": least.searched_up_to,
        "searched": least.searched,
        "draws": str(law),
        "values_up_to": law.bound,
    }
    lines = [
        ("T_P, Definition 2" if least.proved else "T_P is at most", words(t_p)),
        ("attained by", _described(least)),
        ("proved", "for every concept" if least.proved else "for nearly pure predicates: " + words(t_p_pure)),
        ("searched", least.searched),
    ]
    if law.bound is not None:
        lines.append(("covers", f"values with at most {law.bound} records; others are not covered"))
        lines.append(trade_off_line(law, least.gamma))
    if method != "mle":
        lines.append(("unprotected", _unprotected(least)))
    return Answer(case, result, lines)


def _described(least: ConceptMinimum) -> str:
    worst = least.worst
    return (
        f"x3 = {worst.concept_count} of the |P| = {worst.predicate_count} records of a predicate, where "
        f"f = {worst.sensitive_count} of N = {worst.rows} rows carry the value and "
        f"{worst.decoys_in_predicate} others of the predicate have it among their decoys"
    )


def _unprotected(least: ConceptMinimum) -> str:
    return (
        f"predicates with |P| < {1 + least.epsilon} x3, nearly all of whose records carry the value: the "
        "reconstruction reports all of them as soon as one in gamma is published with it"
    )
