"""The verdict on publishing a table by SPLU-Gen: publish, change something first, or take another mechanism.

SPLU-Gen makes counts of rare values unreliable. It is of use for a column that has a rare value and a common
one, if a feasible gamma meets the goals. Columns that identify records, or that predict the sensitive value,
disclose what it protects, whatever gamma is.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from splu_ref.audit.advice.advice import Advice
from splu_ref.audit.advice.assessment import Remedy
from splu_ref.audit.advice.coded_table import CodedTable
from splu_ref.audit.advice.leaks import FEWEST, PARTLY_UNIQUE, Leak, Leaks
from splu_ref.audit.advice.option import Goals
from splu_ref.audit.advice.recommendation import accurate_text, named, recommend
from splu_ref.audit.advice.skew import RETENTION, Skew, crossing
from splu_ref.channels import DataError, InputError, natural_logarithm
from splu_ref.data import Bins, Microdata, listed, prepare_table
from splu_ref.guarantees import decimal_down, decimal_up
from splu_ref.mechanisms import RetentionReplacement, largest_gamma

Decision: TypeAlias = Literal["publish", "change first", "do not publish by this mechanism"]
Ground: TypeAlias = Literal[
    "disclosure", "dependence", "no groups", "nothing rare", "goals", "nothing accurate", "little accurate"
]

ACCURATE = Fraction(1, 2)
"""Least share of the records whose value should be accurate."""
NEAR = Fraction(9, 10)
"""Least share of the goal T_P that an option nearly meets."""
_SHARES = {"nothing accurate": (ACCURATE, Fraction(0)), "little accurate": (ACCURATE,)}
"""Shares of the records to be made accurate by a recoding, in the order that is tried."""
WEAK = 20
"""A release with an e^epsilon above this hardly protects a record."""
ALONE = "a batch has all columns of its release: publish it without --append and with "
"""How a batch can be published in another form."""
_NUMBERS = (1, 2, 5)
_FINEST, _WIDTHS = 1000, 40
"""Largest number of bins that are tried, and number of widths."""


@dataclass(frozen=True, slots=True)
class Objection:
    """A reason not to publish a table as it is.

    Attributes
    ----------
    ground
        Kind of the reason.
    column
        The sensitive column, or with ``"disclosure"`` and ``"dependence"`` the column to drop.
    reason
        A sentence without its period.
    """

    ground: Ground
    column: str
    reason: str


def objections(advices: Mapping[str, Advice | Skew], leaks: Sequence[Leaks]) -> tuple[Objection, ...]:
    """Return the reasons not to publish a table by SPLU-Gen as it is, those about goals first.

    Parameters
    ----------
    advices
        By sensitive column its advice, or the value with more than half of the records.
    leaks
        Disclosure risks of the columns that are to be published.
    """
    dependent = dependences(leaks)
    derived = {each.column for each in dependent}
    found = [
        each
        for column, advice in advices.items()
        if column not in derived
        for each in _of_column(column, advice)
    ]
    return (*found, *disclosures(leaks), *dependent)


def decision(found: Sequence[Objection], columns: Sequence[str]) -> Decision:
    """Return the verdict that objections to publishing these sensitive columns lead to.

    Another mechanism is advised if a column has no feasible gamma, or if no column has a rare value. That
    few records have an accurate value is no objection where no recoding helps: leave these out.
    """
    common = {each.column for each in found if each.ground == "nothing rare"}
    if common >= set(columns) or any(each.ground == "no groups" for each in found):
        return "do not publish by this mechanism"
    return "change first" if any(each.ground != "nothing rare" for each in found) else "publish"


def disclosures(leaks: Sequence[Leaks]) -> list[Objection]:
    """Return an objection for each column that is to be dropped: identities and near-copies.

    Of a pair of columns that predict the sensitive value, the second is to be dropped, unless one of the two
    is already.
    """
    found: dict[str, Objection] = {}
    for each in leaks:
        for leak in each.leaks:
            allowed = leak.drawn or leak.kind == "partly unique"
            column = None if allowed else _dropped(leak, found)
            if column is not None:
                found[column] = Objection("disclosure", column, leak.sentence)
    return list(found.values())


def dependences(leaks: Sequence[Leaks]) -> list[Objection]:
    """Return an objection for each sensitive column that another one determines: it is to be derived."""
    found: dict[str, Objection] = {}
    for each in leaks:
        for leak in each.leaks:
            if leak.drawn and not set(leak.columns) & found.keys():
                reason = f"{leak.sentence}: publish one and derive the other"
                found.setdefault(each.sensitive, Objection("dependence", each.sensitive, reason))
    return list(found.values())


def refuse_disclosure(leaks: Sequence[Leaks], remedy: Remedy = "options") -> None:
    """Raise ``DataError`` if a column identifies records or predicts a sensitive value.

    The message names all such columns, how to publish without them, and the options that publish them all
    the same.
    """
    if found := disclosures(leaks):
        columns = [each.column for each in found]
        raise DataError(
            f"{'; '.join(each.reason for each in found)}: nothing is published; "
            f"{without(columns, remedy)}, or {_options('--keep', columns)} to publish "
            f"{'it' if len(found) == 1 else 'them'} all the same"
        )


def without(columns: Sequence[str], remedy: Remedy) -> str:
    """Return how to publish the table without columns."""
    if remedy != "table":
        return (ALONE if remedy == "batch" else "") + _options("--drop", columns)
    return f"write the table without {' and '.join(map(repr, columns))} first"


def _options(name: str, columns: Sequence[str]) -> str:
    return shlex.join(word for column in columns for word in (name, column))


def _dropped(leak: Leak, dropped: Mapping[str, Objection]) -> str | None:
    return None if set(leak.columns) & dropped.keys() else leak.columns[-1]


def _of_column(column: str, advice: Advice | Skew) -> Iterator[Objection]:
    """Yield the objections to publishing a column by SPLU-Gen: the first of them decides."""
    if isinstance(advice, Skew):
        yield Objection("no groups", column, advice.sentence)
        return
    goals, (rarest, least), (_, most) = advice.goals, advice.values[-1], advice.values[0]
    best = recommend(advice).option
    if least > goals.alpha:
        yield Objection(
            "nothing rare",
            column,
            f"it protects no value of {column!r}: the rarest, {listed(rarest)}, has {least} records "
            f"(T_P: up to {goals.alpha})",
        )
    elif not best.meets_t_p:
        yield Objection(
            "goals",
            column,
            f"no gamma reaches T_P = {goals.t_p} for {column!r}: {named(best)}, the best, has "
            f"{decimal_down(best.t_p, 4)}, and more than {advice.max_gamma} are not feasible"
            f"{near_miss(advice)}",
        )
    elif not best.meets_true_value:
        yield Objection(
            "goals",
            column,
            f"{column!r} is published with its true value with probability {best.true_value}, above the goal "
            f"{goals.true_value}, and no gamma above {advice.max_gamma} is feasible",
        )
    elif not best.accurate:
        yield Objection(
            "nothing accurate",
            column,
            f"no value of {column!r} is accurate: the most frequent has {most} records, and T_f is "
            f"{best.threshold} at {named(best)}{near_miss(advice)}",
        )
    elif best.accurate_records < ACCURATE * advice.rows:
        yield Objection(
            "little accurate",
            column,
            f"{len(best.accurate)} of {len(advice.values)} values of {column!r} "
            f"{accurate_text(advice, best)}{near_miss(advice)}",
        )


def near_miss(advice: Advice) -> str:
    """Return that a slightly smaller goal T_P makes more values accurate, or is met; empty if it does not."""
    best, goals = recommend(advice).option, advice.goals
    near = [
        each
        for each in advice.options
        if each.meets_true_value
        and not each.meets_t_p
        and each.level >= max(NEAR * goals.t_p, goals.t_e)
        and len(each.accurate) > (0 if each is best else len(best.accurate))
    ]
    if not near:
        return ""
    option = max(near, key=lambda each: (len(each.accurate), each.level))
    level = decimal_down(option.t_p, 4)
    return f"; --t-p {level} allows {named(option)}, with {len(option.accurate)} accurate"


def remedies(
    table: CodedTable, microdata: Microdata, objection: Objection, advices: Mapping[str, Advice | Skew]
) -> list[tuple[str, str]]:
    """Return recodings that clear an objection, as pairs of an option and its value; an empty list for none.

    Parameters
    ----------
    table, microdata
        The table as it is to be published, as integer codes and as data.
    objection
        One of `objections` for it.
    advices
        The advices that it is about.
    """
    column, advice = objection.column, advices.get(objection.column)
    if not isinstance(advice, Advice):
        return []
    if objection.ground in _SHARES:
        some = (_recodings(microdata, column, advice, share) for share in _SHARES[objection.ground])
        return list(itertools.islice(itertools.chain.from_iterable(some), 1))
    others = [each for each in advices if each != column]
    crossed = crossing(table, column, others, advice.max_gamma) if objection.ground == "goals" else None
    return [] if crossed is None else [("cross", crossed.option)]


def _recodings(table: Microdata, column: str, advice: Advice, share: Fraction) -> Iterator[tuple[str, str]]:
    """Yield options that merge values so that a share is accurate and one is still rare, the finest first."""
    for width in _widths([value for value, _ in advice.values if value != table.missing]):
        option = f"{column}={width}"
        try:
            binned = prepare_table(table.select([column]), [Bins.parse(option)], {}, [column])
            counts = binned.histogram(column).tolist()
        except InputError:
            continue
        if _meets(counts, advice, share):
            yield "bins", option
    counts = [count for _, count in advice.values]
    for least in sorted({count + 1 for count in counts}):
        merged = [count for count in counts if count >= least]
        if len(merged) < len(counts) - 1 and _meets([*merged, sum(counts) - sum(merged)], advice, share):
            yield "group-rare", f"{column}={least}"


def _widths(values: Sequence[str]) -> list[str]:
    """Return widths of bins for numbers, ascending, as text; none if there are none, or one is no number."""
    try:
        numbers = [Decimal(value) for value in values]
    except InvalidOperation:
        return []
    if not numbers or not all(number.is_finite() for number in numbers):
        return []
    spread = max(numbers) - min(numbers)
    if not spread:
        return []
    first = (spread / _FINEST).adjusted()
    every = [Decimal(digit).scaleb(power) for power in range(first, first + 5) for digit in _NUMBERS]
    fitting = [f"{width:f}" for width in every if spread / _FINEST <= width < spread][:_WIDTHS]
    if all(number == int(number) for number in numbers):
        return fitting
    return [width if "." in width else f"{width}.0" for width in fitting]


def _meets(counts: Sequence[int], advice: Advice, share: Fraction) -> bool:
    """Return whether these counts have a rare value, and accurate ones at a gamma that meets the goals.

    The accurate ones have to hold a share of the records.
    """
    feasible, rows = largest_gamma(np.array(counts)), sum(counts)
    return min(counts) <= advice.goals.alpha and any(
        option.law.gamma <= feasible
        and option.meets_t_p
        and option.meets_true_value
        and sum(count for count in counts if count >= option.threshold) >= max(Fraction(1), share * rows)
        for option in advice.options
    )


def retention_at(values: int, chance: Fraction) -> Fraction | None:
    """Return the p of retention replacement that shows the true value with probability ``chance``.

    It is the p with p + (1 - p)/m = ``chance`` for a domain of m = ``values``; None if that is not positive.
    """
    keep = (chance - Fraction(1, values)) / (1 - Fraction(1, values))
    return keep if keep > 0 else None


def alternative(advice: Advice | Skew, goals: Goals) -> Fraction:
    """Return the retention probability of retention replacement to use instead of SPLU-Gen.

    It shows the true value as often as the recommended gamma, at most as often as the goal allows. With as
    many values as gamma such a release would be independent of the table: then the next smaller gamma counts,
    and where there is none, p is 1/2.
    """
    values = len(advice.values)
    if isinstance(advice, Advice):
        gamma = min(int(recommend(advice).option.law.gamma), values - 1)
        found = retention_at(values, min(Fraction(1, gamma), goals.true_value)) if gamma > 1 else None
        if found is not None:
            return found
    capped = retention_at(values, goals.true_value)
    return min(RETENTION, capped) if capped is not None else RETENTION


def alternative_text(domains: Mapping[str, Sequence[str]], keep: Fraction, *, bounded: bool = True) -> str:
    """Return what retention replacement with this p promises for all sensitive columns of a record together.

    ``bounded``: whether what is published for a record depends on no other record, given declared domains.
    """
    sizes = list(map(len, domains.values()))
    text = (
        f"retention replacement with p = {keep} shows the true value with probability "
        f"{'up to ' if len(set(sizes)) > 1 else ''}{keep + (1 - keep) / min(sizes)} and "
    )
    if not bounded:
        return f"{text}has no bound for a record: --group-rare makes it depend on others"
    joint = f" for its {len(sizes)} sensitive values together" if len(sizes) > 1 else ""
    ratio = RetentionReplacement(keep, domains).amplification
    assert ratio is not None  # of uniform replacement, each value can be published for each
    level, epsilon = decimal_up(ratio, 4), decimal_up(natural_logarithm(ratio), 4)
    verb = "hardly protects a record" if ratio > WEAK else "protects every record"
    equal = "=" if Fraction(level) == ratio else "<="
    return (
        f"{text}{verb}: e^epsilon {equal} {level}{joint} (epsilon <= {epsilon}, rounded up), with "
        f"{' and '.join(map(str, sizes))} declared values"
    )


def partly_unique(advice: Advice | Skew) -> str | None:
    """Return why a column must not have its values listed, as free text must not; None if it may."""
    alone, rest = sum(count == 1 for _, count in advice.values), advice.rows - advice.values[0][1]
    if alone < FEWEST or alone < PARTLY_UNIQUE * rest:
        return None
    return f"{alone} of {advice.rows} records have a value of their own, all of which a manifest would list"
