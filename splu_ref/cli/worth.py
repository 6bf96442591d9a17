"""What a publisher is told of a release: what it is worth, and what gives it away."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from splu_ref.audit import CONCENTRATED, Leak, Leaks, Worth, repeated_privacy, worth
from splu_ref.channels import MOST, GroupDraws, ParameterError, PublishedCount, one_budget, shown, spend
from splu_ref.cli.output import note
from splu_ref.data import text
from splu_ref.guarantees import decimal_down, exact_json
from splu_ref.mechanisms import Frequencies

_NAMING = ("unique", "nearly unique")
SHOWN = 3
"""Columns of one kind that a warning names; --json lists them all."""
LISTED = 1000
"""Predicates that JSON lists, the largest ones."""
QUICK = MOST // 20
"""Work that a publication puts into saying what it is worth: some seconds."""
RELEASES = 3
"""Releases whose mean is told of."""


def worth_of(table: Frequencies, laws: Mapping[str, PublishedCount], epsilon: Fraction) -> dict[str, Worth]:
    """Return what a release is worth by sensitive column; nothing, and a note, if that takes too long."""
    try:
        with one_budget():
            spend(MOST - QUICK)
            return {
                column: worth(
                    law,
                    list(zip(map(text, table.domain(column)), table.histogram(column).tolist(), strict=True)),
                    epsilon,
                )
                for column, law in laws.items()
            }
    except ParameterError:
        note(
            f"what the release is worth at epsilon = {shown(epsilon)} takes more than a few seconds: see "
            "splu-ref advise"
        )
        return {}


def leak_warnings(leaks: Sequence[Leaks]) -> Iterator[str]:
    """Yield a sentence for each column that gives a sensitive one away or names records, with the remedy."""
    alone = {leak.columns[0]: leak for found in leaks for leak in found.leaks if leak.kind in _NAMING}
    for kind in _NAMING:
        these = [leak for leak in alone.values() if leak.kind == kind]
        if these:
            yield _naming(kind, these)
    for found in leaks:
        for leak in found.leaks:
            if leak.kind not in _NAMING:
                name = shlex.quote(leak.columns[-1])
                yield f"{leak.sentence(found.sensitive)}: --drop {name}, or say --keep {name} if it may stay"
        if found.concentrations:
            yield concentrated(found)


def _naming(kind: str, leaks: Sequence[Leak]) -> str:
    """Return which columns have cells of their own for (nearly) every record."""
    listed = ", ".join(f"{leak.columns[0]!r} ({leak.records} of {leak.among})" for leak in leaks[:SHOWN])
    more = f" and {len(leaks) - SHOWN} more" if len(leaks) > SHOWN else ""
    name = shlex.quote(leaks[0].columns[0])
    return (
        f"{listed}{more}: {kind}: so many records have a cell of their own, which names them: --drop {name}, "
        f"or say --quasi or --keep {name} if it may stay"
    )


def concentrated(found: Leaks) -> str:
    """Return how many predicates have nearly one value only, and the largest one."""
    many = found.found
    of = "1 predicate has" if many == 1 else f"{many} predicates have"
    return (
        f"{of} more than {found.above} records and at least {CONCENTRATED} of one value of "
        f"{found.sensitive!r}, such as {found.concentrations[0]}; T_P does not hide that: coarsen (--bins, "
        "--group-rare) or --drop a column"
    )


MEANING = (
    "of a predicate whose records nearly all have one value, the size is public, and a share p of them keep "
    "it: the larger, the surer it shows; open groups are those up to alpha that show too often for T_P"
)
"""Why such predicates matter."""


def unique_records(found: Leaks, rows: int) -> str:
    """Return how many records are found by other columns."""
    by = ", ".join(map(repr, found.unique_by)) or "their other columns"
    return (
        f"{found.unique_records} of {rows} records by {by}: who knows these finds the record, "
        "and its published value"
    )


def bargain(draws: GroupDraws, gamma: int) -> str:
    """Return what draws that are not independent give, and their price, in one sentence."""
    if draws.name == "capped":
        return (
            f"counts up to {draws.bound} are as noisy as ever, larger ones less, which tells more to whoever "
            "knows the values of all other records"
        )
    return (
        f"counts up to {draws.bound} are multiples of {gamma}, and larger ones have noise from groups with a "
        "rare value alone, which tells more to whoever knows the values of all other records; a rare value "
        "that takes a group may show whose it is, and one known value of them then leaves "
        f"{gamma - 1} for each other"
    )


def repetition(
    laws: Iterable[PublishedCount],
    epsilon: Fraction,
    remedy: str = "use one key (--key-file), or keep a --log",
) -> str:
    """Return what it means to publish the same table again with fresh draws, for the worst column."""
    try:
        with one_budget():
            spend(MOST - QUICK)
            found = (repeated_privacy(law, RELEASES, epsilon).averaged for law in dict.fromkeys(laws))
            level = min((decimal_down(each, 4) for each in found), key=Fraction)
    except ParameterError:
        level = "less and less"
    return (
        f"fresh draws each time, and the mean gives small counts away (T_P of {RELEASES} releases: {level}): "
        f"{remedy}"
    )


def worth_json(found: Worth) -> dict[str, object]:
    """Return what a release is worth for programs."""
    return {
        "epsilon": str(found.epsilon),
        "alpha": found.alpha,
        "t_p": exact_json(found.t_p, "down"),
        "t_p_star_at_least": exact_json(found.t_p_star, "down"),
        "t_e": str(found.t_e),
        "threshold": found.threshold,
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
    """Return what gives a column away for programs."""
    return {
        "column": found.sensitive,
        "columns": [
            {
                "kind": leak.kind,
                "columns": list(leak.columns),
                "records": leak.records,
                "among": leak.among,
            }
            for leak in found.leaks
        ],
        "predicates": [
            {
                "where": dict(each.predicate.assignments),
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
