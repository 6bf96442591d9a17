"""``splu-ref advise``: whether to publish a table by SPLU-Gen, the command, and expected intervals."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import (
    ALPHA,
    EPSILON,
    NO_CROSSING,
    T_E,
    T_P,
    Advice,
    CodedTable,
    Goals,
    JointChoice,
    JointView,
    Objection,
    Option,
    TableInFiles,
    TableInMemory,
    choose_jointly,
    crossing,
    named,
    picture,
    require_format,
)
from splu_ref.channels import ParameterError, one_budget
from splu_ref.cli.advice_details import AUDIENCE, ColumnAdvice, risks_of_records
from splu_ref.cli.assessment import joint_json, joint_lines, joint_privacy, spelling_notes
from splu_ref.cli.examination import DOMAIN, Examination, PreparationOptions, Publication, advised
from splu_ref.cli.options import BinsOption, CrossOption, DropColumn, GroupRare, KeepColumn, QuasiColumn
from splu_ref.cli.output import AsJson, Explain, Force, Separator, about, note, show
from splu_ref.cli.progress import counted
from splu_ref.cli.streaming import require_fit
from splu_ref.data import Microdata, read_table, refuse_existing, write_whole
from splu_ref.guarantees import Progress
from splu_ref.mechanisms import private_folder
from splu_ref.output import say

EXAMPLE = "splu-ref advise adult.csv --sensitive occupation --epsilon 0.3 --t-p 0.25 --alpha 10 --t-e 0.05"
REASONS = 3
"""Reasons named on the screen without --explain."""
PUBLISH, CHANGE, OTHER = "publish", "change first", "do not publish by this mechanism"


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
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            help="COL,COL: cross-table for which expected 95 % intervals are computed; repeat for several "
            "[the sensitive column by each of the two columns with fewest values].",
        ),
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
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="Column of ids, for a command with a key: it is not published."),
    ] = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="For a table larger than memory: uses temporary files beside it."),
    ] = False,
    separator: Separator = None,
    picture_file: Annotated[
        Path | None, typer.Option("--picture", help="Draw the advice here: .svg or .png.")
    ] = None,
    explain: Explain = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Advise a publisher: whether to publish a table by SPLU-Gen, and the command to run.

    The verdict is to publish, to change something first, or to take another mechanism. Then follow expected
    widths of 95 % intervals for cross-tables, for gammas and laws of draws, beside retention replacement
    that shows the true value as often. --explain adds for each gamma the exact T_P for counts up to alpha
    and the least count T_f that is accurate, which values are protected or accurate, homogeneous groups at
    risk, and which columns and predicates disclose the sensitive column. The advice is for records that are
    published once: batches that join a release later (publish --append) cannot be audited by one original. It
    contains true counts: keep it as secret as the table.
    """
    columns = tuple(dict.fromkeys(sensitive))
    if len(columns) > 1 and (retention or picture_file is not None):
        raise ParameterError(
            "--retention and --picture are for one sensitive column: leave them out, or give one at a time"
        )
    options = PreparationOptions(
        columns,
        {
            "bins": bins or (), "cross": cross or (), "group-rare": group_rare or (),
            "drop": tuple(dict.fromkeys([*(drop or ()), *([] if id_column is None else [id_column])])),
            "quasi": quasi or (), "keep": keep or (),
        },
    )  # fmt: skip
    options.preparation()
    if stream:
        require_fit({
            "--bins": bins, "--cross": cross, "--group-rare": group_rare, "--drop": drop, "--id": id_column,
            "--table": tables,
        })  # fmt: skip
    goals = Goals.of(epsilon, alpha, t_p, t_e, true_value)
    if picture_file is not None:
        require_format(picture_file.suffix.lower())
        refuse_existing(picture_file, force=force)
    publication = Publication(table, missing, id_column, stream=stream)
    with counted("weighing options") as progress, about(table):
        original = None if stream else read_table(table, missing)
        with _coded(table, original, options, missing, progress) as prepared:
            by = {column: _named_tables(prepared, tables, columns, column) for column in columns}
            found = Examination.of(prepared, options, goals, retention or (), progress)
            verdict, objected, command, last, used = advised(publication, found, original)
            advices = found.complete
            choice = choose_jointly(advices) if advices else None
            limit = None if choice is None else _limiting_column(prepared, choice, advices)
            every = explain or as_json
            finals = parts = _column_advices(found, by, used, simulated=last is found, every=every)
            if last is not found:
                finals = _column_advices(last, by, used, simulated=True, every=every)
            laws = {} if choice is None else {name: option.law for name, option in choice.options.items()}
            views = joint_privacy(prepared, found.leaks, laws, goals.epsilon, goals.alpha) if laws else ()
    if picture_file is not None:
        if not parts:
            raise ParameterError("no gamma is feasible, so there is nothing to draw: leave out --picture")
        shown = picture(parts[0].advice, picture_file.suffix.lower())
        write_whole(picture_file, shown, force=force, mode=0o600)
    tried = None if verdict != OTHER else choice
    own = command if tried is None else publication.splu_gen(options.with_remedies(found.drops), tried)
    if as_json:
        show(
            _document(objected, last, parts, finals, verdict, command, own, choice, limit, views),
            (),
            as_json=True,
        )
        return
    _show_verdict(found, last, parts, finals, verdict, objected, command, every=explain)
    one_derived = len(last.published) < len(columns)
    _show_widths(finals, () if one_derived and not explain else joint_lines(views), every=explain)
    if explain:
        for part in parts:
            show({}, [("", ""), *([("column", part.column)] if len(parts) > 1 else [])], as_json=False)
            part.show(changed=last is not found or bool(found.drops))
        if choice is not None and limit is not None:
            lines = [("all columns", _joint_choice(choice))] if len(parts) > 1 else []
            lines += [("limited by", limit)] if len(parts) > 1 or not choice.meets else []
            show({}, [*lines, *([] if own == command else [("by splu-gen", own)])], as_json=False)
    if picture_file is not None:
        show({}, [("picture", str(picture_file))], as_json=False)
    for remark in (*_in_memory(command, stream=stream), *spelling_notes(found.values, missing), AUDIENCE):
        note(remark)


def _in_memory(command: str, *, stream: bool) -> Iterator[str]:
    """Yield a note if the command cannot stream as the advice did: then it drops columns."""
    if stream and "--stream" not in shlex.split(command):
        yield (
            "the command has no --stream, which excludes its --drop: it needs the whole table in memory; to "
            "stream, write the table without the column first"
        )


def _named_tables(
    table: CodedTable, given: Sequence[str] | None, sensitive: Sequence[str], column: str
) -> list[tuple[str, ...]] | None:
    """Return the other columns of the cross-tables that name a sensitive column; None if none is named."""
    found = []
    for text in given or ():
        names = tuple(dict.fromkeys(text.split(",")))
        for name in names:
            table.require(name)
        inside = [name for name in names if name in sensitive]
        if len(inside) != 1 or len(names) < 2:
            raise ParameterError(
                f"--table {text}: name one sensitive column ({', '.join(sensitive)}) and at least one other"
            )
        if inside == [column]:
            found.append(tuple(name for name in names if name != column))
    return None if given is None else found


@contextmanager
def _coded(
    path: Path,
    original: Microdata | None,
    options: PreparationOptions,
    missing: str | None,
    progress: Progress,
) -> Iterator[CodedTable]:
    """Return the table to be published: in memory, or in temporary files."""
    if original is not None:
        yield TableInMemory(options.preparation().applied(original).table)
        return
    with private_folder(path) as folder:
        yield TableInFiles(path, options.sensitive, missing, folder, progress)


def _show_verdict(
    found: Examination,
    last: Examination,
    parts: Sequence[ColumnAdvice],
    finals: Sequence[ColumnAdvice],
    verdict: str,
    objected: Sequence[Objection],
    command: str,
    *,
    every: bool,
) -> None:
    """Print the verdict with the first reason, the command to run, more reasons, and the risks that remain.

    The command is one line, which can be copied from a terminal that wraps it.
    """
    against = {each.column for each in objected}
    reasons = [part.reason() for part in parts if verdict == PUBLISH and part.column not in against]
    lasting = [each for each in objected if verdict == CHANGE and each.ground == "nothing rare"]
    reasons += [each.reason for each in (*(each for each in objected if each not in lasting), *lasting)]
    hidden = 0 if every else len(reasons) - REASONS
    more = reasons[1:] if hidden <= 0 else [*reasons[1:REASONS], f"and {hidden} more reasons (--explain)"]
    show({}, [("verdict", f"{verdict}: {reasons[0]}")], as_json=False)
    say(f"command  {command}")
    lines = []
    if verdict == OTHER and found.declare is not None:
        say(f"declare  {found.declare}")
        lines = [("", f"first, and add all other values that may occur to {DOMAIN}")]
    lines += [("also" if number == 0 else "", reason) for number, reason in enumerate(more)]
    dropped = [name for _, name in found.drops] if last is found else []
    if verdict == OTHER:
        lines += found.instead()
        rows = found.table.row_count
        lines += dict.fromkeys(("risks", risks_of_records(each, rows, dropped)) for each in found.leaks)
    else:
        lines += [("risks", each.risks(dropped)) for each in finals]
        crossed = last.crossed
        lines += [("crossed", each.pairs(crossed[each.column])) for each in finals if each.column in crossed]
    show({}, lines, as_json=False)


def _show_widths(parts: Sequence[ColumnAdvice], together: Iterable[tuple[str, str]], *, every: bool) -> None:
    """Print what columns disclose together, and expected widths; of several columns briefly."""
    show({}, together, as_json=False)
    for part in parts:
        if len(parts) > 1 and not every:
            part.show_compared(part.tables[:1])
        else:
            part.show_widths(errors=every)


def _column_advices(
    found: Examination,
    by: Mapping[str, list[tuple[str, ...]] | None],
    used: Mapping[str, Option],
    *,
    simulated: bool,
    every: bool,
) -> list[ColumnAdvice]:
    """Return the advice for each column; none if a column has no feasible gamma.

    ``used`` are the options that the printed command uses. A column that was crossed as a remedy has the
    cross-tables of its sensitive part, without other parts.
    """

    def tables(column: str) -> list[tuple[str, ...]] | None:
        parts = found.crossed.get(column, ())
        named = by[column] if column in by else by.get(parts[0]) if parts else None
        kept = [tuple(name for name in each if name not in parts) for each in named or ()]
        for name in (name for each in kept for name in each):
            if name not in found.table.columns:
                raise ParameterError(f"--table: the advised command drops or crosses {name!r}: leave it out")
        return None if named is None else [each for each in kept if each]

    return [
        ColumnAdvice.of(
            column,
            advice,
            leaks,
            found.table if simulated else None,
            tables(column) if simulated else None,
            found.options.sensitive,
            used.get(column),
            every=every,
        )
        for (column, advice), leaks in zip(found.complete.items(), found.leaks, strict=False)
    ]


def _document(
    objected: Sequence[Objection],
    last: Examination,
    parts: Sequence[ColumnAdvice],
    finals: Sequence[ColumnAdvice],
    verdict: str,
    command: str,
    own: str,
    choice: JointChoice | None,
    limit: str | None,
    views: Sequence[JointView],
) -> dict[str, object]:
    """Return the JSON object of an advice."""
    document: dict[str, object] = {"audience": AUDIENCE}
    kept = [part.column for part in parts or finals if part.column not in last.options.given["drop"]]
    tables = {column: final.tables for column, final in zip(kept, finals, strict=True)}
    described = [part.json(tables.get(part.column, ())) for part in parts]
    if len(parts) == 1:
        document = described[0]
    elif choice is not None:
        document["columns"] = described
        document["together"] = {
            "gamma": {column: int(option.law.gamma) for column, option in choice.options.items()},
            "deleted": choice.deleted,
            "meets": choice.meets,
            "binding": choice.binding,
            "remedy": limit,
            "views": joint_json(views),
        }
    if crossed := last.crossed:
        document["crossed"] = [
            {"column": each.column, "parts": each.parts_shown(crossed[each.column])}
            for each in finals
            if each.column in crossed
        ]
    reasons = [{"ground": each.ground, "column": each.column, "reason": each.reason} for each in objected]
    document |= {"verdict": verdict, "reasons": reasons, "command": command}
    return document if choice is None else document | {"splu_gen_command": own}


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
