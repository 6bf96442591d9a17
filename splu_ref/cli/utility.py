"""``splu-ref utility``: the exact error probability at a count, or the least count that is accurate."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from splu_ref.channels import ParameterError, PublishedCount, integer, one_budget, positive, shown
from splu_ref.cli.certificates import CertificateFile, Make, certified, setting, words
from splu_ref.cli.conjunction_utility import Lines, conjunction_error, conjunction_least
from splu_ref.cli.dependent_draws import (
    DrawsOption,
    PlanOption,
    SeedOption,
    SensitiveOption,
    TableOption,
    counts_of_table,
    drawn_utility,
)
from splu_ref.cli.output import AsJson, EpsilonOption, Explain, Force, RetentionOption
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import (
    Answer,
    GammaOption,
    ManifestOption,
    ReleaseParameters,
    release_parameters,
    require_one,
    show_answers,
)
from splu_ref.data import refuse_existing
from splu_ref.guarantees import (
    Conjunction,
    UtilityThreshold,
    chebyshev_bound,
    chernoff_bound,
    error_certificate,
    error_probability,
    exact_json,
    threshold_certificate,
    utility_threshold,
)

EXAMPLE = "splu-ref utility --gamma 10 --epsilon 1/20 --t-e 1/100 --certificate t_f.json"


@one_budget()
def run(
    *,
    gamma: GammaOption = None,
    manifest: ManifestOption = None,
    epsilon: EpsilonOption,
    frequency: Annotated[
        str | None, typer.Option("--frequency", help="True count whose error probability is computed.")
    ] = None,
    t_e: Annotated[
        str | None, typer.Option("--t-e", help="Error probability whose least count T_f is computed.")
    ] = None,
    retention: RetentionOption = None,
    predicate_count: Annotated[
        str | None,
        typer.Option(
            "--predicate-count",
            help="For a conjunction: records of the predicate; needs --frequency and --rows.",
        ),
    ] = None,
    rows: Annotated[
        str | None, typer.Option("--rows", help="For a conjunction: records of the published table.")
    ] = None,
    concept_count: Annotated[
        str | None,
        typer.Option("--concept-count", help="For a conjunction: records of the predicate with the value."),
    ] = None,
    draws: DrawsOption = None,
    values: Annotated[
        str | None,
        typer.Option("--values", help="With --draws: number of values in the column's domain."),
    ] = None,
    table: TableOption = None,
    sensitive: SensitiveOption = None,
    plan: PlanOption = "mixed",
    seed: SeedOption = None,
    certificate: CertificateFile = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> None:
    """Compute how accurate large counts are: exactly, not by a bound.

    With --frequency: the probability that the published count is off by at least epsilon f, with Chebyshev's
    and Chernoff's bounds. With --t-e: the least T_f such that this probability is at most T_E for every count
    from T_f on.

    With --predicate-count N1, --frequency F and --rows N the same for the corrected estimate of a predicate
    of N1 records together with a value of F records: its error at --concept-count, or with --t-e the least
    such count from which on T_E is certified. This assumes decoys independent of the predicate (hypothesis H
    of splu.V: a well mixed plan). The command concept computes its privacy.

    With --draws capped:M or all-or-none:A the law of counts above the bound depends on the table. It is
    bounded for every table, from the number of --values; for one --table T_f is exact, given a plan.

    With --manifest, the answer covers every sensitive column of a release, with its rows and values.
    """
    cases = release_parameters(manifest, gamma, retention, draws, by_values=True)
    if values is not None and (manifest is not None or cases[0].draws.bound is None):
        raise ParameterError("--values is for dependent draws: leave it out, or give --draws")
    if predicate_count is not None or rows is not None or concept_count is not None:
        if certificate is not None or any(case.draws.bound is not None for case in cases):
            raise ParameterError(
                "conjunctions have independent draws and no certificate: leave out --certificate and --draws"
            )
        answers = []
        for case in cases:
            conjunction = _conjunction_of(case, rows, frequency, predicate_count)
            answers.append(Answer(case, *_conjunction(conjunction, epsilon, concept_count, t_e)))
        show_answers(answers, as_json=as_json)
        return
    if (frequency is None) == (t_e is None):
        raise ParameterError("give either --frequency (error at a count) or --t-e (least accurate count)")
    require_one(cases, certificate)
    if certificate is not None:
        refuse_existing(certificate, force=force)
    if manifest is not None and (table is not None or sensitive is not None):
        raise ParameterError("--table and --manifest exclude each other: leave out one of them")
    answers, make = [], None
    for case in cases:
        case.require_possible(frequency)
        counts = counts_of_table(table, sensitive, case.gamma, case.draws, plan, seed)
        if case.draws.bound is None:
            result, lines, make = _plain(case, epsilon, frequency, t_e)
        elif case.retention is not None:
            raise ParameterError(f"draws {case.draws} have retention 1/gamma: leave out --retention")
        elif frequency is not None and (certificate is not None or counts):
            raise ParameterError(
                "--frequency with --draws has no certificate and no --table: leave them out, or give --t-e"
            )
        else:
            most = None if frequency is None else integer(frequency, "frequency", 1)
            case.require_one_law(most, "a --frequency")
            known = case.values or values
            result, lines, make = drawn_utility(case, epsilon, frequency, t_e, known, counts)
        answers.append(Answer(case, result, lines))
    with certified(certificate, make, answers[-1].lines, force=force):
        show_answers(answers, as_json=as_json)


def _conjunction_of(
    case: ReleaseParameters, rows: str | None, frequency: str | None, predicate_count: str | None
) -> Conjunction:
    """Return the conjunction of the options, with the rows of the option or of the release."""
    if case.columns and rows is not None:
        raise ParameterError("--manifest states the number of rows: leave out --rows")
    if case.grown or case.plan != "mixed":
        raise ParameterError(
            "conjunctions need one mixed plan over the whole table, and the manifest states "
            f"{'batches' if case.grown else f'the plan {case.plan}'}: give another release"
        )
    known = str(case.rows) if case.columns else rows
    if predicate_count is None or known is None or frequency is None:
        raise ParameterError("a conjunction needs --predicate-count, --frequency and --rows: give all three")
    return Conjunction.of(case.gamma, known, frequency, predicate_count, retention=case.retention)


def _plain(
    case: ReleaseParameters, epsilon: str, frequency: str | None, t_e: str | None
) -> tuple[dict[str, object], Lines, Make]:
    """Return the accuracy of counts under independent draws, and the maker of the certificate."""
    gamma, retention = case.gamma, case.retention
    if frequency is not None:
        with counted("summing the tails"):
            result, lines = _error(PublishedCount.of(gamma, retention), epsilon, frequency)
        return result, lines, partial(error_certificate, gamma, epsilon, frequency, retention=retention)
    assert t_e is not None, "either is given"
    with counted("checking plateau ends") as progress:
        found = utility_threshold(gamma, epsilon, t_e, retention=retention, progress=progress)
    make = partial(threshold_certificate, gamma, epsilon, t_e, retention=retention, found=found)
    return *_threshold(found), make


def _conjunction(
    case: Conjunction, epsilon: str, concept_count: str | None, t_e: str | None
) -> tuple[dict[str, object], Lines]:
    if concept_count is not None and t_e is None:
        return conjunction_error(case, epsilon, concept_count)
    if t_e is not None and concept_count is None:
        return conjunction_least(case, epsilon, t_e)
    raise ParameterError(
        "a conjunction needs --concept-count (error at a count) or --t-e (least count): give one"
    )


def _error(law: PublishedCount, epsilon: str, frequency: str) -> tuple[dict[str, object], Lines]:
    ratio, count, retention = positive(epsilon, "epsilon"), integer(frequency, "frequency", 1), law.retention
    error = error_probability(law.gamma, ratio, count, retention=retention).json("up")
    chebyshev = exact_json(chebyshev_bound(law.gamma, ratio, count, retention=retention), "up")
    chernoff = exact_json(chernoff_bound(law.gamma, ratio, count, retention=retention), "up")
    result = {
        "gamma": int(law.gamma),
        "retention": str(retention),
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


def _threshold(found: UtilityThreshold) -> tuple[dict[str, object], Lines]:
    result = {
        "gamma": int(found.gamma),
        "retention": str(found.retention),
        "epsilon": str(found.epsilon),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
        "threshold_chebyshev": found.threshold_chebyshev,
        "tail_from": found.tail_from,
        "checked": found.checked,
    }
    law = PublishedCount(found.gamma, found.retention)
    meaning = (
        f"with {setting(law)}, every count from {found.threshold} on is published off by at least "
        f"{found.epsilon} of it with probability at most {found.t_e}"
    )
    return result, [
        ("T_f", f"{found.threshold}: the least count, exactly"),
        *([] if found.threshold_chebyshev is None else [("by Chebyshev", shown(found.threshold_chebyshev))]),
        ("proved by", _proof(found)),
        ("in words", meaning),
    ]


def _proof(found: UtilityThreshold) -> str:
    if found.upper_tilt is None and found.lower_tilt is None:
        return "every probability is at most 1" if found.t_e == 1 else "no count can be that far off"
    return f"{found.checked} plateau ends below {found.tail_from}, Chernoff's bound from there on"
