"""The answers of `privacy` and `utility` for dependent draws in a group."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from splu_ref.channels import Exact, Gamma, GroupDraws, ParameterError, integer, positive
from splu_ref.cli.certificates import Make, words
from splu_ref.cli.output import about
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import ReleaseParameters
from splu_ref.guarantees import (
    LARGEST_GROUP,
    DependentDrawsThreshold,
    ExactJson,
    Level,
    MinimaxErrorBounds,
    Noise,
    dependent_draws_certificate,
    dependent_draws_error_bound,
    dependent_draws_threshold,
    exact_json,
    privacy_of_draws,
    table_privacy,
    table_threshold,
)

if TYPE_CHECKING:
    from splu_ref.guarantees import DependentCount


Lines: TypeAlias = list[tuple[str, str]]
DrawsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--draws", help="Law of the draws in a group: independent, capped:M or all-or-none:A [independent]."
    ),
]
TableOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--table", help="With --draws: the original, to answer for this table, with a plan drawn now."
    ),
]
SensitiveOption: TypeAlias = Annotated[
    str | None, typer.Option("--sensitive", help="Sensitive column of --table.")
]
PlanOption: TypeAlias = Annotated[
    str, typer.Option("--plan", help="Plan of --table: mixed, anatomy or cyclic.")
]
SeedOption: TypeAlias = Annotated[str | None, typer.Option("--seed", help="For tests only: repeatable plan.")]
OF_A_PLAN = "for a plan drawn now, not that of a release; computed from true counts: not for the public"


def star_json(star: MinimaxErrorBounds) -> dict[str, object]:
    """Return the JSON object of T_P*."""
    return {
        "at_least": exact_json(star.at_least, "down"),
        "at_most": exact_json(star.at_most, "up"),
        "computed_up_to": star.computed,
    }


def star_line(star: MinimaxErrorBounds, releases: int = 1) -> tuple[str, str]:
    """Return the line of T_P*."""
    least, most = exact_json(star.at_least, "down")["decimal"], exact_json(star.at_most, "up")["decimal"]
    value = least if star.is_exact else f"{least} to {most}, computed for counts up to {star.computed}"
    meaning = "every estimator errs this often for at least one of these counts"
    if releases > 1:
        meaning += ", from one release; with several releases less often"
    return "T_P*", f"{value}: {meaning}"


def answer_for_privacy(
    gamma: str, epsilon: str, alpha: str, draws: GroupDraws, releases: int, wanted: Fraction | None
) -> tuple[dict[str, object], Lines, bool | None]:
    """Return T_P over all tables as JSON and lines, and whether it is at least ``wanted``."""
    found = privacy_of_draws(gamma, epsilon, alpha, draws, releases)
    holds = None if wanted is None else found.t_p_definition.reaches(wanted)
    result = {
        "gamma": int(found.gamma),
        "epsilon": str(found.epsilon),
        "alpha": found.alpha,
        "releases": releases,
        "retention": f"1/{found.gamma}",
        "t_p": exact_json(found.t_p.at_least, "down"),
        "t_p_at_most": _at_most(found.t_p),
        "t_p_definition": exact_json(found.t_p_definition.at_least, "down"),
        "t_p_definition_at_most": _at_most(found.t_p_definition),
        "argmin": found.t_p.argmin,
        "argmin_definition": found.t_p_definition.argmin,
        "holds": holds,
    }
    estimate = "published count" if releases == 1 else f"mean of {releases} independent published counts"
    meaning = (
        f"with gamma = {found.gamma} and draws {draws}, in every table the {estimate} of any value with 1 to "
        f"{found.alpha} records is off by at least {found.epsilon} of it with at least the first probability"
    )
    if draws.bound is not None and found.alpha > draws.bound:
        meaning += f"; the law of counts above {draws.bound} depends on the table"
    lines = [
        ("T_P, Definition 2", _level(found.t_p_definition)),
        ("T_P, Theorem 4", _level(found.t_p)),
        ("in words", meaning),
    ]
    return result, lines, holds


def answer_for_a_table(counts: Sequence[DependentCount], epsilon: str, alpha: str) -> tuple[object, Lines]:
    """Return T_P of the values of one table as JSON and lines."""
    strict, definition = (table_privacy(counts, epsilon, alpha, strict=form) for form in (True, False))
    result = {
        "t_p": exact_json(strict.at_least, "down"),
        "t_p_definition": exact_json(definition.at_least, "down"),
        "argmin": strict.argmin,
        "argmin_definition": definition.argmin,
        "of": OF_A_PLAN,
    }
    return result, [
        ("this table", f"T_P, Definition 2: {_level(definition)}"),
        ("", f"T_P, Theorem 4: {_level(strict)}"),
        ("", OF_A_PLAN),
    ]


def _at_most(level: Level) -> ExactJson | None:
    return None if level.is_exact else exact_json(level.at_most, "up")


def _level(level: Level) -> str:
    least = exact_json(level.at_least, "down")
    if level.is_exact:
        return f"{words(least)}, least at f = {level.argmin}"
    most = exact_json(level.at_most, "up")["decimal"]
    return f"between {least['decimal']} and {most}, the error at f = {level.argmin} in some tables"


def counts_of_table(
    table: Path | None, sensitive: str | None, gamma: Exact, draws: GroupDraws, plan: str, seed: str | None
) -> list[DependentCount]:
    """Return the laws of the counts of a table; an empty list without a table."""
    if table is None:
        if sensitive is not None:
            raise ParameterError("--sensitive names a column of --table: give both")
        return []
    if sensitive is None:
        raise ParameterError("--table needs its --sensitive column: give both")
    if draws.bound is None:
        raise ParameterError("independent draws have the same T_P for every table: leave out --table")
    from splu_ref.audit import drawn_counts, retained_histogram  # noqa: PLC0415 - most runs read none
    from splu_ref.data import read_table  # noqa: PLC0415
    from splu_ref.mechanisms import SpluGen  # noqa: PLC0415
    from splu_ref.randomness import SeededSource, SystemSource  # noqa: PLC0415

    mechanism = SpluGen(gamma, plan=plan, draws=draws)
    source = SystemSource() if seed is None else SeededSource(integer(seed, "--seed", 0))
    with about(table):
        original = read_table(table)
        original.require(sensitive)
        mechanism.largest_gamma(original, [sensitive])
        histogram = retained_histogram(original, sensitive, mechanism.gamma, source)
        return list(drawn_counts(mechanism, histogram, source).values())


def trade_off_line(draws: GroupDraws, gamma: int) -> tuple[str, str]:
    """Return the line on benefit and cost of dependent draws."""
    from splu_ref.cli.assessment import trade_off  # noqa: PLC0415 - for dependent draws alone

    return "trade-off", trade_off(draws, gamma)


def drawn_utility(
    case: ReleaseParameters,
    epsilon: str,
    frequency: str | None,
    t_e: str | None,
    values: str | None,
    counts: Sequence[DependentCount],
) -> tuple[dict[str, object], Lines, Make | None]:
    """Return the accuracy of large counts under dependent draws, in every table and in that of ``counts``.

    There is no certificate for a single count.
    """
    gamma, draws = case.gamma, case.draws
    known = values or (len(counts) if Gamma(gamma) <= LARGEST_GROUP else 0)
    noise = Noise.of(draws, gamma, known) if known else None
    if frequency is not None:
        result, lines = _error(gamma, epsilon, frequency, draws, noise)
        return result, [*lines, trade_off_line(draws, Gamma(gamma))], None
    assert t_e is not None, "either is given"
    with counted("bounding tails"):
        found = dependent_draws_threshold(gamma, epsilon, t_e, draws, noise)
        result, lines = _threshold(found, counts)
    lines.append(trade_off_line(draws, found.gamma))
    return result, lines, partial(dependent_draws_certificate, found)


def _error(
    gamma: str, epsilon: str, frequency: str, draws: GroupDraws, noise: Noise | None
) -> tuple[dict[str, object], Lines]:
    """Return the largest error probability of a count over all tables."""
    size, count, distance = Gamma(gamma), integer(frequency, "frequency", 1), positive(epsilon, "epsilon")
    error = exact_json(dependent_draws_error_bound(size, distance, count, draws, noise), "up")
    known = draws.bound is not None and count <= draws.bound
    result = {
        "gamma": int(size),
        "retention": f"1/{size}",
        "draws": str(draws),
        "epsilon": str(distance),
        "frequency": count,
        "error": error,
        "is_exact": known,
    }
    words_of_it = "with that probability" if known else "with at most that probability, whatever the table"
    return result, [
        ("error probability", words(error) if known else f"at most {error['decimal']}"),
        ("in words", f"a count of {count} is published off by at least {distance} of it {words_of_it}"),
    ]


def _threshold(
    found: DependentDrawsThreshold, counts: Sequence[DependentCount]
) -> tuple[dict[str, object], Lines]:
    """Return the least count from which on counts are accurate, in every table and in one."""
    result: dict[str, object] = {
        "gamma": int(found.gamma),
        "retention": f"1/{found.gamma}",
        "draws": str(found.draws),
        "epsilon": str(found.epsilon),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
        "is_least": found.is_least,
        "table": None,
    }
    least = "the least count, exactly" if found.is_least else "an upper bound of the least count"
    if found.proof == "slots":
        proof = "Chernoff's bound of the marked slots, as many as the values allow"
    else:
        proof = (
            "the law of independent draws up to the cap, and its Chernoff bound, which holds above as well"
        )
    lines = [
        ("T_f, every table", f"{found.threshold}: {least}"),
        ("proved by", proof),
    ]
    if counts:
        threshold = table_threshold(counts, found.epsilon, found.t_e)
        accurate = sum(each.frequency >= threshold for each in counts)
        result["table"] = {
            "threshold": threshold,
            "accurate": accurate,
            "values": len(counts),
            "of": OF_A_PLAN,
        }
        lines += [
            ("T_f, this table", f"{threshold}, exactly: {accurate} of {len(counts)} values"),
            ("", OF_A_PLAN),
        ]
    meaning = (
        f"with gamma = {found.gamma} and draws {found.draws}, every count from {found.threshold} on is "
        f"published off by at least {found.epsilon} of it with probability at most {found.t_e}, whatever the "
        "table"
    )
    lines.append(("in words", meaning))
    return result, lines
