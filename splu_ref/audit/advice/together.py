"""A group size for each of several sensitive columns of one table: what goes together, and what binds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

from splu_ref.audit.advice.advising import EVERY_GAMMA, Advice
from splu_ref.audit.advice.option import Option
from splu_ref.audit.advice.recommendation import recommend


@dataclass(frozen=True, slots=True)
class Together:
    """What is recommended for several columns that are published together.

    Attributes
    ----------
    options
        The choice for each column.
    deleted
        Records that are deleted, with all their values, so that groups of every column are filled.
    binding
        The column that allows least: of those that do not meet the goals, if there are any.
    meets
        Whether every column meets the goals.
    common
        Whether one gamma was taken for all, since those that are best for each do not go together.
    """

    options: Mapping[str, Option]
    deleted: int
    binding: str
    meets: bool
    common: bool


def together(advices: Mapping[str, Advice]) -> Together:
    """Return a choice for each column that the table allows beside the others.

    Records are deleted down to a multiple of every gamma, whoever they are, and no value may then have more
    than its share. Where the recommendations do not go together so, the smallest of their gammas is taken for
    all, which always does.

    Parameters
    ----------
    advices
        The advice for each column of one table.
    """
    options = {column: recommend(advice).option for column, advice in advices.items()}
    common = not _fit(advices, options)
    if common:
        least = min(EVERY_GAMMA, *(int(option.law.gamma) for option in options.values()))
        for column, advice in advices.items():
            options[column] = next(
                each for each in advice.options if each.law.gamma == least and each.law.is_plain
            )
    failing = [column for column, option in options.items() if not option.meets]
    return Together(
        options=options,
        deleted=_deleted(advices, options),
        binding=min(failing or advices, key=lambda column: advices[column].max_gamma),
        meets=not failing,
        common=common,
    )


def _deleted(advices: Mapping[str, Advice], options: Mapping[str, Option]) -> int:
    rows = next(iter(advices.values())).rows
    return rows % lcm(*(option.law.gamma for option in options.values()))


def _fit(advices: Mapping[str, Advice], options: Mapping[str, Option]) -> bool:
    deleted = _deleted(advices, options)
    return all(
        options[column].law.gamma * advice.values[0][1] <= advice.rows - deleted
        for column, advice in advices.items()
    )
