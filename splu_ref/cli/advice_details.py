"""The advice for one sensitive column: a summary, expected widths, and with ``--explain`` all details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Self

from rich.table import Table

from splu_ref.audit import (
    ALPHA,
    EVERY_GAMMA,
    Advice,
    Assessment,
    CodedTable,
    LawOfDraws,
    Leaks,
    Option,
    Recommendation,
    TableInMemory,
    TableWidths,
    accurate_text,
    are,
    assess,
    default_tables,
    expected_widths,
    laws_of_draws,
    near_miss,
    parts_sentence,
    parts_shown,
    recommend,
)
from splu_ref.channels import GroupDraws
from splu_ref.cli.assessment import (
    MEANING,
    assessment_json,
    leak_warnings,
    leaks_json,
    trade_off,
    unique_records,
)
from splu_ref.cli.output import show
from splu_ref.data import listed
from splu_ref.guarantees import MinimaxErrorBounds, decimal_down, exact_json, minimax_error_bounds
from splu_ref.mechanisms import SpluGen
from splu_ref.output import draw, whole_or

SHOWN = 10
"""Values and groups named on the screen; --json lists them all."""
MOST_SIMULATED = 10_000_000
"""Largest product of values, gammas and records for which every gamma and law of draws is simulated."""
_STAR = "* marks the law that the command uses"
AUDIENCE = "computed from true counts: for the publisher, not for the public"
SEARCHED = (
    "predicates of one or two column=value assignments, up to alpha records, all with one sensitive value"
)


def risks_of_records(leaks: Leaks, rows: int, dropped: Sequence[str]) -> str:
    """Return partly unique columns and unique records, before ``dropped`` columns are dropped."""
    before = f"before the command drops {', '.join(map(repr, dropped))}: " if dropped else ""
    partly = "".join(f"{each.sentence}; " for each in leaks.leaks if each.kind == "partly unique")
    return f"{before}{partly}{leaks.unique_records} of {rows} records are unique by their other columns"


@dataclass(frozen=True, kw_only=True)
class ColumnAdvice:
    """The advice for one column, with its assessment, its disclosure risks and expected widths."""

    column: str
    advice: Advice
    best: Recommendation
    used: Option | None  # the option that the printed command uses, if it has this column and mechanism
    laws: Sequence[LawOfDraws]
    leaks: Leaks
    tables: Sequence[TableWidths]

    @classmethod
    def of(
        cls,
        column: str,
        advice: Advice,
        leaks: Leaks,
        table: CodedTable | None,
        by: Sequence[tuple[str, ...]] | None,
        sensitive: Sequence[str],
        used: Option | None,
        *,
        every: bool,
    ) -> Self:
        """Return the advice for a column.

        Parameters
        ----------
        column, advice, leaks
            The column and what is known about it.
        table
            The table, for expected widths; None if they are not needed.
        by
            The other columns of each cross-table; None for the default.
        sensitive
            All sensitive columns.
        used
            The option that the printed command uses for this column; None if it uses none.
        every
            Whether widths are computed for every law of draws at every gamma, unless there are very many
            values, gammas and records.
        """
        best = recommend(advice)
        used = next((each for each in advice.options if used is not None and each.law == used.law), None)
        option = used or best.option
        laws = laws_of_draws(advice, option)
        tables: Sequence[TableWidths] = ()
        if isinstance(table, TableInMemory):
            wanted = default_tables(table.table, column, sensitive) if by is None else by
            draws = [GroupDraws(), *(law.draws for law in laws)]
            chosen = option.law
            mechanisms = [SpluGen(chosen.gamma, chosen.retention, draws=law) for law in draws]
            size = len(advice.values) * len(advice.options) * table.row_count
            every = every and size <= MOST_SIMULATED
            mechanisms += [
                SpluGen(other.law.gamma, draws=law)
                for other in (advice.options if every else _others(advice, option))
                for law in (draws if every else draws[:1])
                if other.law.is_plain and other.law.gamma <= EVERY_GAMMA and other is not option
            ]
            tables = expected_widths(table.table, column, wanted, mechanisms)
        return cls(
            column=column,
            advice=advice,
            best=best,
            used=used,
            laws=laws,
            leaks=leaks,
            tables=tables,
        )

    @property
    def option(self) -> Option:
        """The option of the printed command, else the recommended one."""
        return self.used or self.best.option

    @property
    def minima(self) -> Sequence[MinimaxErrorBounds]:
        """T_P* of each gamma."""
        goals = self.advice.goals
        return [
            minimax_error_bounds(each.law.gamma, goals.epsilon, goals.alpha, retention=each.law.retention)
            for each in self.advice.options
        ]

    @property
    def assessment(self) -> Assessment:
        """Privacy and accuracy at this option."""
        goals = self.advice.goals
        return assess(self.option.law, self.advice.values, goals.epsilon, goals.alpha, goals.t_e)

    def reason(self) -> str:
        """Return the reason to publish the column, in numbers."""
        goals, option, values = self.advice.goals, self.option, self.advice.values
        rare = sum(count <= goals.alpha for _, count in values)
        return (
            f"{rare} of {len(values)} values of {self.column!r} {are(rare)} rare (up to {goals.alpha} "
            f"records), off by {goals.epsilon} with T_P = {decimal_down(option.t_p, 4)} (goal {goals.t_p}); "
            f"{len(option.accurate)} {accurate_text(self.advice, option)}{near_miss(self.advice)}"
        )

    def parts_shown(self, parts: Sequence[str]) -> dict[str, float]:
        """Return how often the parts of a crossing are shown truly: see `splu_ref.audit.parts_shown`."""
        return parts_shown(self.option.law, self.advice.values, parts)

    def pairs(self, parts: Sequence[str]) -> str:
        """Return what T_P is about in a crossing of columns, and how many expected intervals start at 0."""
        text = f"T_P is about pairs of {' and '.join(parts)}: sums over one of them have no T_P of their own"
        if shown := self.parts_shown(parts):
            text += f"; {parts_sentence(shown)}"
        for found in self.tables[:1]:
            text += (
                f"; {found.widths[0].from_zero:.0f} of {found.table.cells} expected intervals of "
                f"{' x '.join(found.table.columns)} start at 0"
            )
        return text

    def show_compared(self, tables: Sequence[TableWidths]) -> None:
        """Print expected widths in cross-tables beside those of equal retention replacement in sentences."""
        lines = []
        for found in tables:
            own = found.widths[0]
            for each in found.widths:
                if each.mechanism is None and each.true_value == own.true_value:
                    text = (
                        f"{' x '.join(found.table.columns)}: {own.width:.0f} records wide on average by "
                        f"gamma = {self.option.law.gamma}, {each.width:.0f} by retention replacement "
                        f"with p = {each.retention} (all widths: --explain)"
                    )
                    lines.append(("intervals", text))
        show({}, lines, as_json=False)

    def risks(self, dropped: Sequence[str]) -> str:
        """Return the risks that remain at this option, in numbers; ``dropped`` as in `risks_of_records`."""
        leaks, option, alpha = self.leaks, self.option, self.advice.goals.alpha
        sizes = f"{option.groups_at_risk} of up to {alpha} records, {leaks.found} larger"
        if leaks.found and alpha == ALPHA:
            sizes = f"--strict refuses {leaks.found} of them"
        return (
            f"{risks_of_records(leaks, self.advice.rows, dropped)}; {option.groups_at_risk + leaks.found} "
            f"predicates have nearly one value of {leaks.sensitive!r}: {sizes}"
        )

    def json(self, tables: Sequence[TableWidths]) -> dict[str, object]:
        """Return the JSON object of the column, with the expected widths of the advised command."""
        document = _as_json(self.advice, self.best, self.column, self.minima)
        document |= {"draws": _laws_json(self.laws), "worth": assessment_json(self.assessment)}
        document |= {"tables": [_table_json(each) for each in tables]}
        return document | {"leaks": leaks_json(self.leaks)}

    def show_widths(self, *, errors: bool) -> None:
        """Print expected widths by mechanism, two cross-tables beside each other.

        ``errors``: with the Monte Carlo errors of the widths, and without accuracy of single values.
        """
        for number in range(0, len(self.tables), 2):
            some = self.tables[number : number + 2]
            tables = [each.table for each in some]
            releases = max(width.releases for each in some for width in each.widths)
            largest = max(
                width.width_error / max(width.width, 1e-9) for each in some for width in each.widths
            )
            title = "95 %: mean width, median standard error, number that starts at 0"
            sizes = [f"{each.cells} cells of {each.counts.mean():.0f} records" for each in tables]
            named = [f"{' x '.join(each.columns)} ({size})" for each, size in zip(tables, sizes, strict=True)]
            simulated = f"up to {releases} releases (+-{largest:.1%})"
            if self.used is not None:
                simulated += f"; {_STAR}"
            lines = [
                ("intervals", title),
                *zip("ab", named, strict=False),
                ("simulated", simulated),
            ]
            with whole_or(partial(self.show_compared, some)):
                draw(self._widths(some, errors=errors))
                show({}, lines, as_json=False)

    def show(self, *, changed: bool) -> None:
        """Print every gamma, every reason and the disclosure risks; ``changed``: by the command."""
        advice, best, leaks = self.advice, self.best, self.leaks
        draw(_options(advice, self.used, self.minima))
        unchanged = "in the table as it is, before the command drops or recodes: " if changed else ""
        lines = [
            *_lines(advice, best, self.used),
            *(("disclosed by" if n == 0 else "", risk) for n, risk in enumerate(leak_warnings([leaks]))),
            *([("", MEANING)] if leaks.concentrations else []),
            ("unique", unchanged + unique_records(leaks, advice.rows)),
            *self.assessment.typical_errors(),
            *self.assessment.sentences()[2:],
            *(("draws" if n == 0 else "", self._benefit(law)) for n, law in enumerate(self.laws)),
            ("searched", f"{SEARCHED}; {leaks.searched}"),
        ]
        show({}, lines, as_json=False)

    def _benefit(self, law: LawOfDraws) -> str:
        """Return benefit and cost of a law of dependent draws in one sentence."""
        accurate = "T_f takes too long to compute"
        if law.threshold is not None:
            accurate = (
                f"T_f = {law.threshold} in this table: {law.accurate} of {len(self.advice.values)} values "
                "are accurate"
            )
        return (
            f"{law.draws}: T_P = {decimal_down(law.t_p.at_least, 4)}, T_P* = "
            f"{decimal_down(law.t_p_star.at_least, 4)}; {accurate}; trade-off: "
            f"{trade_off(law.draws, self.option.law.gamma)}"
        )

    def _widths(self, tables: Sequence[TableWidths], *, errors: bool) -> Table:
        """Return a row for each mechanism, by chance of the true value; that of the command has a star."""
        drawn = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
        for name in ("", "mechanism", "true", *(() if errors else ("T_P", "T_f", "s.d."))):
            drawn.add_column(name, justify="left" if name in ("", "mechanism") else "right")
        for label in "ab"[: len(tables)]:
            for name in (f"{label}: width", "s.e.", "at 0"):
                drawn.add_column(name, justify="right")
        chosen = self.option.law.retention
        rows = sorted(
            zip(*(each.widths for each in tables), strict=True),
            key=lambda row: (row[0].true_value != chosen, row[0].true_value),
        )
        for row in rows:
            made = row[0].mechanism
            independent = made is not None and made.draws.bound is None
            star = self.used is not None and independent and row[0].retention == chosen
            name = f"retention {row[0].retention}" if made is None else f"{made.gamma} {made.draws}"
            cells = [
                cell
                for each in row
                for cell in (
                    f"{each.width:.0f}" + (f" +-{each.width_error:.1f}" if errors and made else ""),
                    f"{each.standard_error:.0f}",
                    f"{each.from_zero:.0f}",
                )
            ]
            law = () if errors else self._law(made)
            drawn.add_row("*" if star else "", name, str(row[0].true_value), *law, *cells)
        return drawn

    def _law(self, mechanism: SpluGen | None) -> tuple[str, str, str]:
        """Return T_P, T_f of this table, and the standard deviation of the most frequent value's count."""
        if mechanism is None:
            return "", "", ""
        law = (mechanism.gamma, mechanism.retention)
        if mechanism.draws.bound is None:
            option = next(each for each in self.advice.options if (each.law.gamma, each.law.retention) == law)
            spread = sqrt(self.advice.values[0][1] * option.law.variance)
            return decimal_down(option.t_p, 4), str(option.threshold), f"{spread:.0f}"
        if law != (self.option.law.gamma, self.option.law.retention):
            return "", "", ""
        found = next(each for each in self.laws if each.draws == mechanism.draws)
        return (
            decimal_down(found.t_p.at_least, 4),
            "" if found.threshold is None else str(found.threshold),
            "" if found.deviation is None else f"{found.deviation:.0f}",
        )


def _others(advice: Advice, best: Option) -> list[Option]:
    """Return the options that are shown beside the best: the least gamma, and the largest up to 20."""
    plain = [each for each in advice.options if each.law.is_plain and each.law.gamma <= EVERY_GAMMA]
    return [option for option in dict.fromkeys((plain[0], plain[-1])) if option is not best]


def _options(advice: Advice, used: Option | None, minima: Sequence[MinimaxErrorBounds]) -> Table:
    """Return a row for each option; that of the command has a star."""
    table = Table(box=None, pad_edge=False)
    for name in ("", "gamma", "p", "T_P", "T_P*", "T_f", "protected", "between", "accurate", "at risk"):
        table.add_column(name, justify="left" if name in ("", "p") else "right")
    for option, star in zip(advice.options, minima, strict=True):
        sizes = (option.protected, option.between, option.accurate)
        table.add_row(
            "*" if option is used else "",
            str(option.law.gamma),
            str(option.law.retention),
            decimal_down(option.t_p, 4) + ("" if option.meets_t_p else " <"),
            decimal_down(star.at_least, 4),
            str(option.threshold),
            *(str(len(each)) for each in sizes),
            str(option.groups_at_risk),
        )
    return table


def _laws_json(laws: Sequence[LawOfDraws]) -> list[dict[str, object]]:
    return [
        {
            "draws": str(law.draws),
            "t_p": exact_json(law.t_p.at_least, "down"),
            "t_p_star_at_least": exact_json(law.t_p_star.at_least, "down"),
            "threshold": law.threshold,
            "accurate": law.accurate,
            "deviation": law.deviation,
            "deviation_independent": law.plain_deviation,
        }
        for law in laws
    ]


def _table_json(found: TableWidths) -> dict[str, object]:
    return {
        "columns": list(found.table.columns),
        "cells": found.table.cells,
        "mean_count": float(found.table.counts.mean()),
        "widths": [
            {
                "mechanism": "retention" if each.mechanism is None else each.mechanism.name,
                "gamma": None if each.mechanism is None else int(each.mechanism.gamma),
                "retention": str(each.retention),
                "draws": None if each.mechanism is None else str(each.mechanism.draws),
                "true_value": str(each.true_value),
                "releases": each.releases,
                "width": each.width,
                "width_error": each.width_error,
                "from_zero": each.from_zero,
                "to_all": each.to_all,
                "standard_error": each.standard_error,
            }
            for each in found.widths
        ],
    }


def _lines(advice: Advice, best: Recommendation, used: Option | None) -> list[tuple[str, str]]:
    goals, option = advice.goals, best.option
    smaller = "" if all(each.meets_t_p for each in advice.options) else f"; < marks a T_P below {goals.t_p}"
    aims = (
        f"counts up to {goals.alpha} wrong by {goals.epsilon} or more with at least T_P = {goals.t_p}, "
        f"counts from T_f on with at most T_E = {goals.t_e}{smaller}"
    )
    if used is not None:
        aims += f"; {_STAR}"
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
    named = [
        f"{listed(value)} ({count})" for value, count in (advice.values[number] for number in numbers[:SHOWN])
    ]
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
    advice: Advice, best: Recommendation, sensitive: str, minima: Sequence[MinimaxErrorBounds]
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
            for option, star in zip(advice.options, minima, strict=True)
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
