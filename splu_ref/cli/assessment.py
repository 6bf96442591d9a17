"""Privacy, accuracy and disclosure risks of a release, as commands report them to its publisher."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from splu_ref.audit import (
    ALONE,
    ALPHA,
    CONCENTRATED,
    Assessment,
    CodedTable,
    JointView,
    Leaks,
    Remedy,
    assess,
    joint_views,
    least_error,
    without,
)
from splu_ref.channels import (
    INDEPENDENT,
    MOST,
    DataError,
    GroupDraws,
    ParameterError,
    PublishedCount,
    WorkError,
    one_budget,
    shown,
)
from splu_ref.cli.output import note
from splu_ref.data import JOINED_BY, MISSING_MARKERS, Cross, Microdata, Recoding, text
from splu_ref.guarantees import decimal_down, exact_json, is_plain_up_to
from splu_ref.mechanisms import Frequencies

LISTED = 1000
"""Number of the largest predicates that JSON lists."""
QUICK = MOST // 20
"""Work limit of an assessment at publication: some seconds."""
KEY = "use one key (--key-file)"
"""What keeps releases of a table from being averaged."""
RELEASES = 3
"""Releases in the warning about averaging."""


def assess_columns(
    table: Frequencies, laws: Mapping[str, PublishedCount], draws: GroupDraws, epsilon: Fraction
) -> dict[str, Assessment]:
    """Return privacy and accuracy by sensitive column; nothing, and a note, if they are out of reach."""
    try:
        with one_budget(QUICK):
            return {
                column: assess(
                    law,
                    list(zip(map(text, table.domain(column)), table.histogram(column).tolist(), strict=True)),
                    epsilon,
                    draws=draws,
                )
                for column, law in laws.items()
            }
    except WorkError:
        note(
            f"privacy and accuracy at epsilon = {shown(epsilon)} take more than a few seconds to compute: "
            "use splu-ref advise"
        )
    except ParameterError as error:
        note(f"privacy and accuracy are not computed: {error}")
    return {}


def joint_privacy(
    table: Microdata | CodedTable,
    leaks: Sequence[Leaks],
    laws: Mapping[str, PublishedCount],
    epsilon: Fraction,
    alpha: int,
    draws: GroupDraws = INDEPENDENT,
) -> tuple[JointView, ...]:
    """Return what sensitive columns disclose together; nothing, and a note, if that is out of reach."""
    if len(laws) > 1 and not is_plain_up_to(draws, alpha):
        note(f"T_P of several columns together is not computed for counts up to {alpha} with draws {draws}")
        return ()
    try:
        with one_budget(QUICK):
            return joint_views(table, leaks, laws, epsilon, alpha)
    except ParameterError:
        note(f"T_P of several columns together takes more than a few seconds to compute for alpha = {alpha}")
        return ()


def joint_lines(views: Sequence[JointView]) -> Iterator[tuple[str, str]]:
    """Yield labels and texts on sensitive columns together."""
    for view in views:
        mean = f"{' and '.join(view.columns)}: the mean of a value's counts in {len(view.columns)} columns"
        level = decimal_down(view.t_p, 4)
        if view.exact:
            yield "together", f"{mean} has T_P = {level} where the same records have the value in both"
        else:
            yield "together", f"{mean} has T_P of at least {level}, however the columns depend on each other"
        if view.dependence == "not found":
            words = (
                f"no dependence was found: none of these columns predicts another for {CONCENTRATED} of the "
                "records; weaker dependence is not searched"
            )
            yield "", words
        for cells in view.fitting:
            first, second = cells.columns
            words = (
                f"about {cells.share:.1%} of the records have published cells that fit together: of these, "
                f"{first} is true with probability {cells.right[0]:.3f}, and {second} with "
                f"{cells.right[1]:.3f}"
            )
            yield "", words


def joint_json(views: Sequence[JointView]) -> list[dict[str, object]]:
    """Return the JSON objects of sensitive columns together."""
    return [
        {
            "columns": list(view.columns),
            "t_p": exact_json(view.t_p, "down"),
            "exact": view.exact,
            "dependence": view.dependence,
            "fitting": [
                {"columns": list(each.columns), "share": each.share, "right": list(each.right)}
                for each in view.fitting
            ],
        }
        for view in views
    ]


def leak_warnings(leaks: Sequence[Leaks], remedy: Remedy = "options") -> Iterator[str]:
    """Yield a warning for each column that discloses a sensitive one or identifies records."""
    named = set[frozenset[str]]()
    for found in leaks:
        for leak in found.leaks:
            both = frozenset((*leak.columns, found.sensitive))
            if not leak.drawn:
                out = without(leak.columns[-1:], remedy)
                name = shlex.quote(leak.columns[-1])
                yield f"{leak.sentence}: {out}, or --keep {name} to accept it"
            elif both not in named:
                named.add(both)
                yield f"{leak.sentence}: {_dependent(leak.columns[0], found.sensitive, remedy)}"
        if found.concentrations:
            yield concentrated(found, remedy)


def spelling_notes(
    domains: Mapping[str, Iterable[str]], missing: str | None, recoded: Sequence[Recoding] = ()
) -> Iterator[str]:
    """Yield a note for each column with values that may be spellings of one value, or of a missing cell.

    A column that was made by crossing others is searched as these.
    """
    found: dict[str, Iterable[str]] = dict(domains)
    for step in recoded:
        if isinstance(step, Cross) and step.column in found:
            cells = [value.split(JOINED_BY) for value in found.pop(step.column)]
            whole = [each for each in cells if len(each) == len(step.parts)]
            found |= {part: {each[place]: None for each in whole} for place, part in enumerate(step.parts)}
    for column, values in found.items():
        spellings: dict[str, list[str]] = {}
        for value in values:
            if value != missing:
                spellings.setdefault(value.strip().casefold(), []).append(value)
        markers = ("", *map(str.casefold, MISSING_MARKERS))
        alike = [" and ".join(map(repr, sorted(each))) for each in spellings.values() if each[1:]]
        absent = [repr(value) for marker in markers for value in spellings.get(marker, ())]
        kinds = {"differ only in case or in blanks around them": alike, "look like missing cells": absent}
        if texts := [f"{kind} ({_some(names)})" for kind, names in kinds.items() if names]:
            yield (
                f"values of {column!r} {', or '.join(texts)}: each is published as a value of its own; "
                "correct the table first if they mean the same"
            )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f", and {len(names) - 3} more" if names[3:] else "")


def refuse_warnings(leaks: Sequence[Leaks], remedy: Remedy = "options") -> None:
    """Raise ``DataError`` if there is a warning of disclosure: see `leak_warnings`."""
    found = list(leak_warnings(leaks, remedy))
    if found:
        more = f" (and {len(found) - 1} more, notes without --strict)" if found[1:] else ""
        raise DataError(f"--strict: {found[0]}{more}")


def _dependent(column: str, other: str, remedy: Remedy) -> str:
    """Return what to do with two sensitive columns of which the first determines the second."""
    joined, name = f"{column}-{other}", shlex.quote(other)
    cross = f"--cross {shlex.quote(f'{joined}={column},{other}')} --sensitive {shlex.quote(joined)}"
    return (
        f"their published cells are two looks at one secret: publish one and derive the other "
        f"({without([other], remedy)} instead of --sensitive {name})"
        f"{f', or cross them ({cross})' if remedy != 'table' else ''}; --keep {name} accepts it"
    )


def concentrated(found: Leaks, remedy: Remedy = "options") -> str:
    """Return a warning of predicates whose records nearly all have one value."""
    many = found.found
    of = "1 predicate has" if many == 1 else f"{many} predicates have"
    largest = found.concentrations[0]
    return (
        f"{of} more than {found.above} records and at least {CONCENTRATED} of one value of "
        f"{largest.column!r}, such as {largest}; counts so large are not protected: " + _COARSER[remedy]
    )


MEANING = (
    "if nearly all records of a predicate have one value, an observer sees it often among them: the more "
    "records, the more certain. At-risk groups have up to alpha records and are recognized too often for T_P"
)
"""Why such predicates are a disclosure risk."""


_COARSER: Mapping[Remedy, str] = {
    "options": "coarsen (--bins, --group-rare) or --drop a column, or --keep it to accept",
    "table": "first coarsen or leave out a column, or --keep it to accept",
    "batch": f"{ALONE}--bins, --group-rare or --drop, or --keep a column to accept",
}
"""Remedies for concentrated predicates."""


def unique_records(found: Leaks, rows: int) -> str:
    """Return how many records are unique in their other columns."""
    by = ", ".join(map(repr, found.unique_by)) or "their other columns"
    return (
        f"{found.unique_records} of {rows} records by {by}: whoever knows these can link the record to its "
        "published value"
    )


def trade_off(draws: GroupDraws, gamma: int) -> str:
    """Return benefit and cost of dependent draws in one sentence."""
    if draws.name == "capped":
        return (
            f"counts up to {draws.bound} have the noise of independent draws, larger ones less; an attacker "
            "who knows the values of all other records learns more"
        )
    return (
        f"counts up to {draws.bound} are published as multiples of {gamma}, and only groups with a rare "
        "value add noise to larger ones; an attacker who knows the values of all other records learns more: "
        "a rare value that takes over a group may disclose its record, and one known value of the group "
        f"leaves {gamma - 1} candidate{'' if gamma == 2 else 's'} for each other record"
    )


def repetition(
    laws: Iterable[PublishedCount],
    draws: GroupDraws,
    epsilon: Fraction,
    remedy: str = f"{KEY}, or keep a --log",
) -> str:
    """Return a warning of averaging several releases of the table, for the worst column."""
    try:
        with one_budget(QUICK):
            found = (least_error(law, draws, epsilon, ALPHA, RELEASES) for law in dict.fromkeys(laws))
            level = min((decimal_down(each, 4) for each in found), key=Fraction)
    except ParameterError:
        level = "not computed, lower with each"
    return (
        f"averaging releases with fresh draws discloses small counts (T_P of {RELEASES} releases: {level}): "
        f"{remedy}"
    )


def assessment_json(found: Assessment, parts: Mapping[str, float] | None = None) -> dict[str, object]:
    """Return the JSON object of an assessment; ``parts`` of a crossing with their probabilities."""
    return {
        **({"parts": parts} if parts else {}),
        "epsilon": str(found.epsilon),
        "alpha": found.alpha,
        "t_p": exact_json(found.t_p, "down"),
        "t_p_star_at_least": exact_json(found.t_p_star, "down"),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
        "threshold_of_table": found.own_threshold,
        "values": len(found.values),
        "protected": found.protected,
        "accurate": found.accurate,
        "of_one_record": found.alone,
        "conjunctions": [
            {
                "predicate_count": each.predicate_count,
                "value": each.value,
                "frequency": each.frequency,
                "count": each.count,
                "standard_error": each.standard_error,
            }
            for each in found.conjunctions
        ],
    }


def leaks_json(found: Leaks) -> dict[str, object]:
    """Return the JSON object of a column's disclosure risks."""
    return {
        "column": found.sensitive,
        "columns": [
            {
                "kind": leak.kind,
                "columns": list(leak.columns),
                "discloses": leak.discloses or None,
                "records": leak.records,
                "among": leak.among,
            }
            for leak in found.leaks
        ],
        "predicates": [
            {
                "where": dict(each.predicate.assignments),
                "column": each.column,
                "value": each.value,
                "count": each.count,
                "size": each.size,
            }
            for each in found.concentrations[:LISTED]
        ],
        "predicates_found": found.found,
        "unique_records": found.unique_records,
        "unique_by": list(found.unique_by),
        "searched": found.searched,
    }
