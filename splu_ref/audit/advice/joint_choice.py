"""Feasible group sizes for several sensitive columns of one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

from splu_ref.audit.advice.advice import EVERY_GAMMA, Advice
from splu_ref.audit.advice.option import Option
from splu_ref.audit.advice.recommendation import recommend


@dataclass(frozen=True, slots=True)
class JointChoice:
    """The recommended options for several columns that are published together."""

    options: Mapping[str, Option]  #: the option for each column
    deleted: int  #: number of records that are deleted so that the groups of every column are complete
    #: the column with the smallest feasible gamma, among those that do not meet the goals if there are any
    binding: str
    meets: bool  #: whether every column meets the goals
    #: whether one gamma was chosen for all, since the recommended ones are not feasible together
    common: bool


def choose_jointly(advices: Mapping[str, Advice]) -> JointChoice:
    """Return an option for each column such that all are feasible together.

    Records are deleted down to a multiple of every gamma, and no value may then be too frequent for its
    gamma. If the recommendations are not feasible together, the smallest of their gammas is chosen for all,
    which is always feasible.

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
    return JointChoice(
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
