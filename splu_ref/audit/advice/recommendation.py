"""The recommended option, with reasons."""

from __future__ import annotations

from dataclasses import dataclass

from splu_ref.audit.advice.advice import Advice
from splu_ref.audit.advice.option import Option
from splu_ref.guarantees import decimal_down


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The option that serves the goals best."""

    option: Option  #: the choice
    meets: bool  #: whether it meets the goals; otherwise it is the closest
    reasons: tuple[str, ...]  #: sentences


def recommend(advice: Advice) -> Recommendation:
    """Return the option with the least T_f among those that meet both privacy goals.

    Ties are broken by the largest T_P, then by the smallest gamma and p. If it makes no value of the table
    accurate, it does not meet the goals. If no option meets the goal for small counts, the one with the
    largest T_P is returned; if none meets the goal for true values, the one with the smallest p.
    """
    hiding = [option for option in advice.options if option.meets_true_value]
    protecting = [option for option in hiding if option.meets_t_p]
    if protecting:
        option = min(
            protecting, key=lambda each: (each.threshold, -each.level, each.law.gamma, each.law.retention)
        )
        reasons = _of_the_least_threshold(advice, option)
    elif hiding:
        option = max(hiding, key=lambda each: (each.level, -each.threshold, -each.law.gamma))
        reasons = _of_the_largest_level(advice, option)
    else:
        option = min(advice.options, key=lambda each: (each.true_value, -each.level, each.law.gamma))
        failed = f"no option publishes the true value with probability at most {advice.goals.true_value}"
        closest = f"{named(option)} is closest, with {option.true_value}"
        reasons = [f"{failed}: {closest}; this table allows no gamma above {advice.max_gamma}"]
    return Recommendation(option, option.meets, (*reasons, *_cautions(advice, option)))


def named(option: Option) -> str:
    """Return "gamma = 5", with p if it is not 1/gamma."""
    retention = "" if option.law.is_plain else f", p = {option.law.retention}"
    return f"gamma = {option.law.gamma}{retention}"


def are(number: int) -> str:
    """Return the verb of a number."""
    return "is" if number == 1 else "are"


def accurate_text(advice: Advice, option: Option) -> str:
    """Return that the accurate values are, with their records."""
    return (
        f"{are(len(option.accurate))} accurate (T_f = {option.threshold}), with {option.accurate_records} of "
        f"{advice.rows} records"
    )


def _of_the_least_threshold(advice: Advice, option: Option) -> list[str]:
    goals = advice.goals
    level = f"off by {goals.epsilon} or more with at least {_level(option)}; the goal is {goals.t_p}"
    reasons = [f"counts up to {goals.alpha} are {level}"]
    less = [each for each in advice.options if not each.meets_t_p and each.threshold < option.threshold]
    finer = (each for each in advice.options if each.threshold < option.threshold)
    exposing = [each for each in finer if not each.meets_true_value]
    if less:
        best = max(less, key=lambda each: each.level)
        reasons.append(f"more accurate options protect less: {named(best)} has only {_level(best)}")
    if exposing:
        likeliest = max(exposing, key=lambda each: each.true_value)
        reasons.append(
            f"more accurate options publish true values too often: {named(likeliest)} with probability "
            f"{likeliest.true_value}; the goal is {goals.true_value}"
        )
    what = f"T_f = {option.threshold} is the least of all options that meet the privacy goals"
    if option.accurate:
        reasons.append(f"{what}: {_some(len(option.accurate), advice)} have that many records")
    else:
        value, count = advice.values[0]
        reasons.append(
            f"{what}, but no value has that many records: the most frequent, {value}, has {count}; allow a "
            "larger --t-e or --epsilon, or a smaller --t-p, or merge values"
        )
    equals = [each for each in advice.options if each.threshold == option.threshold and each.meets_true_value]
    if others := [named(each) for each in equals if each.level < option.level]:
        reasons.append(f"{' and '.join(others)}: the same T_f, but a smaller T_P")
    return reasons


def _of_the_largest_level(advice: Advice, option: Option) -> list[str]:
    goals = advice.goals
    closest = f"{named(option)} is closest, with {_level(option)} at a count of {option.argmin}"
    value, count = advice.values[0]
    most = f"{value}, with {count} of {advice.rows} records, allows no gamma above {advice.max_gamma}"
    return [
        f"no option reaches T_P = {goals.t_p}: {closest}",
        f"give a smaller --t-p or --alpha, or split the most frequent value: {most}",
    ]


def _cautions(advice: Advice, option: Option) -> list[str]:
    goals = advice.goals
    exposure = f"a published value is the true value with probability {option.law.retention}"
    larger = option.law.gamma < advice.max_gamma and option.law.is_plain
    cautions = [f"{exposure}: a larger gamma, up to {advice.max_gamma}, lowers that" if larger else exposure]
    if advice.values[-1][1] > goals.alpha:
        value, count = advice.values[-1]
        cautions.append(
            f"no value occurs {goals.alpha} times or less (the rarest, {value}, occurs {count} times): T_P "
            "applies to no value of this table"
        )
    if option.uninformative:
        every = len(option.uninformative) == len(advice.values)
        value, count = advice.values[option.uninformative[0]]
        whose = "every value" if every else _some(len(option.uninformative), advice)
        cautions.append(
            f"with {named(option)} {whose} (such as {value}, with {count} records) may be in every decoy "
            f"group: it is then published independently of the true values (D = 0) and of other "
            f"columns{', so that no conjunction can be estimated' if every else ''}; if that matters, use a "
            f"smaller gamma or a larger p"
        )
    if option.groups_at_risk:
        groups = (
            "1 homogeneous group"
            if option.groups_at_risk == 1
            else f"{option.groups_at_risk} homogeneous groups"
        )
        cautions.append(
            f"{groups} of up to {goals.alpha} records are reconstructed correctly too often: coarsen their "
            "columns, or drop the records"
        )
    return cautions


def _level(option: Option) -> str:
    return f"T_P = {decimal_down(option.t_p, 4)}"


def _some(number: int, advice: Advice) -> str:
    return f"{number} of {len(advice.values)} values"
