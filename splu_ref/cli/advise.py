"""``splu-ref advise``: the feasible gammas of a table, with privacy and accuracy of each."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

import typer
from rich.table import Table

from splu_ref.audit import (
    ALPHA,
    EPSILON,
    NO_CROSSING,
    T_E,
    T_P,
    Advice,
    Assessment,
    CodedTable,
    Goals,
    JointChoice,
    LawOfDraws,
    Leaks,
    Option,
    Recommendation,
    TableInFiles,
    TableInMemory,
    advise,
    assess,
    choose_jointly,
    crossing,
    laws_of_draws,
    named,
    picture,
    recommend,
    require_format,
    scan,
)
from splu_ref.channels import ParameterError, one_budget
from splu_ref.cli.assessment import (
    MEANING,
    assessment_json,
    bargain,
    joint_json,
    joint_lines,
    joint_privacy,
    leak_warnings,
    leaks_json,
    unique_records,
)
from splu_ref.cli.options import (
    BinsOption,
    CrossOption,
    DropColumn,
    GroupRare,
    KeepColumn,
    QuasiColumn,
    parameter_text,
)
from splu_ref.cli.output import AsJson, Force, Separator, about, note, show
from splu_ref.cli.preparation import Preparation
from splu_ref.cli.progress import counted
from splu_ref.cli.streaming import require_fit
from splu_ref.data import SUFFIXES, current_separator, refuse_existing, write_whole
from splu_ref.guarantees import LeastWorstError, Progress, decimal_down, exact_json, least_worst_error
from splu_ref.mechanisms import private_folder
from splu_ref.output import draw

EXAMPLE = "splu-ref advise adult.csv --sensitive occupation --epsilon 0.3 --t-p 0.25 --alpha 10 --t-e 0.05"
SHOWN = 10
"""Values and groups named on the screen; --json lists them all."""
AUDIENCE = "computed from true counts: for the publisher, not for the public"
SEARCHED = (
    "predicates of one or two column=value assignments, up to alpha records, all with one sensitive value"
)


@one_budget()
def run(
    table: Annotated[Path, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")],
    sensitive: Annotated[
        list[str], typer.Option("--sensitive", help="Sensitive column; repeat for several.")
    ],
    epsilon: Annotated[
        str, typer.Option("--epsilon", help="Relative error that counts as wrong, exact: 0.3 or 3/10.")
    ] = EPSILON,
    t_p: Annotated[str, typer.Option("--t-p", help="Least error probability of small counts.")] = T_P,
    alpha: Annotated[str, typer.Option("--alpha", help="Largest count that is to be protected.")] = str(
        ALPHA
    ),
    t_e: Annotated[str, typer.Option("--t-e", help="Largest error probability of large counts.")] = T_E,
    true_value: Annotated[
        str,
        typer.Option(
            "--own-value", help="Largest probability that a published value is the record's true value."
        ),
    ] = "1",
    retention: Annotated[
        list[str] | None,
        typer.Option("--retention", help="Retention probability to try besides 1/gamma; repeat for several."),
    ] = None,
    missing: Annotated[
        str | None, typer.Option("--missing", help="Value of missing sensitive cells.")
    ] = None,
    bins: BinsOption = None,
    cross: CrossOption = None,
    group_rare: GroupRare = None,
    drop: DropColumn = None,
    quasi: QuasiColumn = None,
    keep: KeepColumn = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="For a table larger than memory: uses temporary files beside it."),
    ] = False,
    separator: Separator = None,
    picture_file: Annotated[
        Path | None, typer.Option("--picture", help="Draw the advice here: .svg or .png.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Advise a publisher: what each feasible gamma promises for this table, and which to take.

    For each gamma: the exact T_P for counts up to alpha, the least count T_f that is accurate, which values
    are protected, accurate or neither, and how many homogeneous groups remain at risk; and which other
    columns, and predicates of any size, disclose the sensitive column. Several sensitive columns have an
    advice each, then the gammas that are feasible together, the limiting column, and a remedy for it. The
    advice contains true counts: keep it as secret as the table.
    """
    columns = tuple(dict.fromkeys(sensitive))
    if len(columns) > 1 and (retention or picture_file is not None):
        raise ParameterError(
            "--retention and --picture are for one sensitive column: leave them out, or give one at a time"
        )
    wanted = Preparation.of(
        sensitive=columns, bins=bins, cross=cross, rare=group_rare, drop=drop, quasi=quasi, keep=keep
    )
    if stream:
        require_fit({"--bins": bins, "--cross": cross, "--group-rare": group_rare, "--drop": drop})
    goals = Goals.of(epsilon, alpha, t_p, t_e, true_value)
    if picture_file is not None:
        require_format(picture_file.suffix.lower())
        refuse_existing(picture_file, force=force)
    with (
        counted("weighing options") as progress,
        about(table),
        _original(table, wanted, missing, progress, stream=stream) as original,
    ):
        advices = {
            column: advise(original, column, goals, retention or (), progress=progress) for column in columns
        }
        leaks = scan(original, columns, goals.alpha, wanted.roles, progress=progress)
        choice = choose_jointly(advices)
        limit = _limiting_column(original, choice, advices)
        laws = {column: option.law for column, option in choice.options.items()}
        views = joint_privacy(original, leaks, laws, goals.epsilon, goals.alpha)
    parts = [
        _ColumnAdvice.of(column, advices[column], each) for column, each in zip(columns, leaks, strict=True)
    ]
    command = _publish_command(
        table, choice, stream=stream, missing=missing, bins=bins, cross=cross, group_rare=group_rare,
        drop=drop, quasi=quasi, keep=keep,
    )  # fmt: skip
    if picture_file is not None:
        shown = picture(parts[0].advice, picture_file.suffix.lower())
        write_whole(picture_file, shown, force=force, mode=0o600)
    if as_json:
        if len(parts) == 1:
            document = parts[0].json() | {"command": command}
        else:
            document = {"audience": AUDIENCE, "columns": [each.json() for each in parts], "command": command}
            document["together"] = {
                "gamma": {column: int(option.law.gamma) for column, option in choice.options.items()},
                "deleted": choice.deleted,
                "meets": choice.meets,
                "binding": choice.binding,
                "remedy": limit,
                "views": joint_json(views),
            }
        show(document, (), as_json=True)
        return
    for part in parts:
        if len(parts) > 1:
            show({}, [("column", part.column)], as_json=False)
        part.show()
    lines = [] if picture_file is None else [("picture", str(picture_file))]
    if len(parts) > 1:
        lines += [("", ""), ("all columns", _joint_choice(choice)), *joint_lines(views)]
    if len(parts) > 1 or not choice.meets:
        lines.append(("limited by", limit))
    show({}, [*lines, ("next", command)], as_json=False)
    note(AUDIENCE)


@contextmanager
def _original(
    path: Path, wanted: Preparation, missing: str | None, progress: Progress, *, stream: bool
) -> Iterator[CodedTable]:
    """Read the table, into memory or into temporary files."""
    if not stream:
        yield TableInMemory(wanted.read(path, missing).table)
        return
    with private_folder(path) as folder:
        yield TableInFiles(path, wanted.sensitive, missing, folder, progress)


@dataclass(frozen=True, kw_only=True)
class _ColumnAdvice:
    """The advice for one column, with its assessment and its disclosure risks."""

    column: str
    advice: Advice
    best: Recommendation
    laws: Sequence[LawOfDraws]
    stars: Sequence[LeastWorstError]
    leaks: Leaks

    @classmethod
    def of(cls, column: str, advice: Advice, leaks: Leaks) -> Self:
        best, goals = recommend(advice), advice.goals
        return cls(
            column=column,
            advice=advice,
            best=best,
            laws=laws_of_draws(advice, best.option),
            stars=[
                least_worst_error(each.law.gamma, goals.epsilon, goals.alpha, retention=each.law.retention)
                for each in advice.options
            ],
            leaks=leaks,
        )

    @property
    def assessment(self) -> Assessment:
        goals = self.advice.goals
        return assess(self.best.option.law, self.advice.values, goals.epsilon, goals.alpha, goals.t_e)

    def json(self) -> dict[str, object]:
        document = _as_json(self.advice, self.best, self.column, self.stars)
        document |= {"draws": _laws_json(self.laws), "worth": assessment_json(self.assessment)}
        return document | {"leaks": leaks_json(self.leaks)}

    def show(self) -> None:
        advice, best, leaks = self.advice, self.best, self.leaks
        draw(_options(advice, best, self.stars))
        laws = _laws(advice, best, self.laws)
        lines = [
            *_lines(advice, best),
            *(("disclosed by" if n == 0 else "", risk) for n, risk in enumerate(leak_warnings([leaks]))),
            *([("", MEANING)] if leaks.concentrations else []),
            ("unique", unique_records(leaks, advice.rows)),
            *self.assessment.sentences()[2:],
            *(("draws" if n == 0 else "", law) for n, law in enumerate(laws)),
            ("searched", f"{SEARCHED}; {leaks.searched}"),
        ]
        show({}, lines, as_json=False)


def _joint_choice(choice: JointChoice) -> str:
    options = ", ".join(f"{column} {named(option)}" for column, option in choice.options.items())
    meets = "" if choice.meets else "; not all of them meet the goals"
    why = ": one for all, since the best gammas of the columns leave too few records together"
    return f"{options}{why if choice.common else ''}; {choice.deleted} records are deleted{meets}"


def _limiting_column(table: CodedTable, choice: JointChoice, advices: Mapping[str, Advice]) -> str:
    """Return the column with the smallest feasible gamma, and a remedy for it."""
    column = choice.binding
    most = advices[column].max_gamma
    if choice.meets:
        return f"{column} allows gamma up to {most}, the least of these columns, and meets the goals"
    others = [each for each in advices if each != column]
    helps = crossing(table, column, others, most)
    return (
        f"{column} allows gamma up to {most} and does not meet the goals; "
        f"{helps or f'no crossing with one other column {NO_CROSSING}'}"
    )


def _publish_command(
    table: Path, choice: JointChoice, *, stream: bool, missing: str | None, **repeated: Sequence[str] | None
) -> str:
    """Return the command that publishes as advised."""
    suffix = next((each for each in SUFFIXES if table.name.lower().endswith(each)), SUFFIXES[0])
    named = f"./{table}" if str(table).startswith("-") else str(table)  # not an option
    words = ["splu-ref", "publish", named, "-o", f"published{suffix}", "--manifest", "published.json"]
    options = choice.options
    sizes = {column: int(option.law.gamma) for column, option in options.items()}
    for column in options:
        words += ["--sensitive", column]
    one = next(iter(options.values())).law
    words += ["--gamma", str(one.gamma) if len(set(sizes.values())) == 1 else parameter_text(sizes)]
    words += [] if one.is_plain else ["--retention", str(one.retention)]
    for name, given in repeated.items():
        for value in () if given is None or (stream and name in ("quasi", "keep")) else given:
            words += [f"--{name.replace('_', '-')}", value]
    words += [] if missing is None else ["--missing", missing]
    words += ["--stream"] if stream else []
    separator = current_separator()
    words += [] if separator is None else ["--separator", separator]
    return shlex.join(words)


def _options(advice: Advice, best: Recommendation, stars: Sequence[LeastWorstError]) -> Table:
    """Return a row for each option."""
    table = Table(box=None, pad_edge=False)
    for name in ("", "gamma", "p", "T_P", "T_P*", "T_f", "protected", "between", "accurate", "at risk"):
        table.add_column(name, justify="left" if name in ("", "p") else "right")
    for option, star in zip(advice.options, stars, strict=True):
        sizes = (option.protected, option.between, option.accurate)
        table.add_row(
            "*" if option is best.option else "",
            str(option.law.gamma),
            str(option.law.retention),
            decimal_down(option.t_p, 4) + ("" if option.meets_t_p else " <"),
            decimal_down(star.at_least, 4),
            str(option.threshold),
            *(str(len(each)) for each in sizes),
            str(option.groups_at_risk),
        )
    return table


def _laws(advice: Advice, best: Recommendation, laws: Sequence[LawOfDraws]) -> Iterator[str]:
    """Yield benefit and cost of each law of draws."""
    for law in laws:
        yield law.sentence(best.option, advice.values[0][0], bargain(law.draws, best.option.law.gamma))


def _laws_json(laws: Sequence[LawOfDraws]) -> list[dict[str, object]]:
    return [
        {
            "draws": str(law.draws),
            "t_p": exact_json(law.t_p.at_least, "down"),
            "t_p_star_at_least": exact_json(law.t_p_star.at_least, "down"),
            "threshold": law.threshold,
            "deviation_at_most": law.deviation,
            "deviation_independent": law.plain_deviation,
        }
        for law in laws
    ]


def _lines(advice: Advice, best: Recommendation) -> list[tuple[str, str]]:
    goals, option = advice.goals, best.option
    smaller = "" if all(each.meets_t_p for each in advice.options) else f"; < marks a T_P below {goals.t_p}"
    aims = (
        f"counts up to {goals.alpha} wrong by {goals.epsilon} or more with at least T_P = {goals.t_p}, "
        f"counts from T_f on with at most T_E = {goals.t_e}{smaller}"
    )
    if goals.true_value < 1:
        aims += f"; a published value is the true value with probability at most {goals.true_value}"
    return [
        ("", ""),
        ("goals", aims),
        ("feasible", _feasible(advice)),
        ("recommended" if best.meets else "closest", _option_text(option)),
        *(("because" if number == 0 else "", reason) for number, reason in enumerate(best.reasons)),
        ("protected", _values(advice, option.protected)),
        ("between", _values(advice, option.between)),
        ("accurate", _values(advice, option.accurate)),
        ("groups at risk", _groups(advice, option)),
    ]


def _feasible(advice: Advice) -> str:
    shown = sorted({int(option.law.gamma) for option in advice.options})
    left_out = advice.max_gamma - 1 - len(shown)
    more = f"; shown are 2 to {shown[-2]} and {shown[-1]}" if left_out else ""
    most = f"the most frequent value has {advice.values[0][1]} of {advice.rows} records"
    return f"gamma = 2 to {advice.max_gamma}: {most}{more}"


def _option_text(option: Option) -> str:
    plain = " = 1/gamma" if option.law.is_plain else ""
    return f"gamma = {option.law.gamma}, p = {option.law.retention}{plain}"


def _values(advice: Advice, numbers: tuple[int, ...]) -> str:
    named = [f"{value} ({count})" for value, count in (advice.values[number] for number in numbers[:SHOWN])]
    return _listed(named, len(numbers))


def _groups(advice: Advice, option: Option) -> str:
    groups = [advice.groups[number] for number in option.unprotected[:SHOWN]]
    return _listed(
        [f"{group.predicate}: all {group.count} are {group.value}" for group in groups],
        option.groups_at_risk,
        "; ",
        f"the {len(option.unprotected)} largest" if option.unlisted else "them",
    )


def _listed(named: list[str], whole: int, joined_by: str = ", ", which: str = "them") -> str:
    more = f"{joined_by}and {whole - len(named)} more (--json lists {which})" if whole > len(named) else ""
    return joined_by.join(named) + more if named else "none"


def _as_json(
    advice: Advice, best: Recommendation, sensitive: str, stars: Sequence[LeastWorstError]
) -> dict[str, object]:
    goals = advice.goals

    def named(numbers: tuple[int, ...]) -> list[str]:
        return [advice.values[number][0] for number in numbers]

    return {
        "audience": AUDIENCE,
        "sensitive": sensitive,
        "rows": advice.rows,
        "max_gamma": advice.max_gamma,
        "epsilon": str(goals.epsilon),
        "alpha": goals.alpha,
        "t_p": str(goals.t_p),
        "t_e": str(goals.t_e),
        "own_value": str(goals.true_value),
        "values": [{"value": value, "count": count} for value, count in advice.values],
        "options": [
            {
                "gamma": int(option.law.gamma),
                "retention": str(option.law.retention),
                "t_p": exact_json(option.t_p, "down"),
                "t_p_star_at_least": exact_json(star.at_least, "down"),
                "argmin": option.argmin,
                "meets_t_p": option.meets_t_p,
                "own_value": str(option.true_value),
                "meets_own_value": option.meets_true_value,
                "threshold": option.threshold,
                "protected_values": named(option.protected),
                "between_values": named(option.between),
                "accurate_values": named(option.accurate),
                "unprotected_groups": list(option.unprotected),
                "unlisted_groups": option.unlisted,
                "uninformative_values": named(option.uninformative),
            }
            for option, star in zip(advice.options, stars, strict=True)
        ],
        "recommendation": {
            "gamma": int(best.option.law.gamma),
            "retention": str(best.option.law.retention),
            "meets": best.meets,
            "reasons": list(best.reasons),
        },
        "groups": [
            {"where": dict(group.predicate.assignments), "value": group.value, "count": group.count}
            for group in advice.groups
        ],
        "searched": SEARCHED,
    }
