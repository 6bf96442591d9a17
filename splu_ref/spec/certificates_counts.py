"""Claims about counts: certificates of error probabilities.

The claims are `small-sum-privacy`, `error-probability` and `concept-error`. Small sum privacy is Definition 2
of Fu and others 2014 (section 2): every count from 1 to alpha is off by a relative error of epsilon with a
probability of at least T_P. `error-probability` is the same probability at one count. `concept-error` is
about the estimate of a predicate together with a value (section 5.1), whose closed form is an addition of
this specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor

from splu_ref.spec.certificates_grammar import (
    BLANK,
    WHOLE_OR_ZERO,
    Certificate,
    Condition,
    Statement,
    computed,
    has_keys,
    hexadecimal,
    object_with,
    readable,
    stated,
    true,
    whole,
)
from splu_ref.spec.certificates_numbers import (
    CAPPED_ONLY,
    DRAWS,
    DRAWS_ALONE,
    EPSILON,
    FORMS,
    GAMMA,
    RETENTION,
    count_law,
    decimal,
    draws_of,
    entries_have_keys,
    error_at,
    error_limit,
    error_numerator,
    is_all_or_none,
    releases_of,
    retention_of,
    rounded,
    run_starts,
    setting,
    window,
    window_at,
    within_cost,
)
from splu_ref.spec.laws import binomial

MOST_WITH_ALL_OR_NONE = 400
MOST_CONCEPT_TRIALS = 10_000
MOST_CONCEPT_OUTCOMES = 1_000_000
CONCEPT = ("rows", "sensitive_count", "predicate_count", "concept_count", "decoys_in_predicate")


# small-sum-privacy


def _j(c: Certificate, form: str, f: int) -> int:
    """Return j of the sum of R published counts at a count f of the original."""
    return error_limit(c.exact("epsilon"), releases_of(c) * f, FORMS[form])


def _counts_at(c: Certificate, form: str, f: int) -> tuple[int, int]:
    """Return the numerator and the denominator of the probability of an error at f."""
    law = count_law(c.whole("gamma"), releases_of(c) * f, retention_of(c), all_or_none=is_all_or_none(c))
    return error_numerator(law, releases_of(c) * f, _j(c, form, f)), law.total


def least_error(c: Certificate, form: str) -> tuple[Fraction, int]:
    """Return T_P, the least probability of an error at the counts 1 to alpha, and the least count with it.

    >>> c = Certificate('{"parameters": {"gamma": "2", "epsilon": "1/2", "alpha": "2"}}')
    >>> least_error(c, "definition_2")
    (Fraction(1, 2), 1)
    """
    return min((Fraction(*_counts_at(c, form, f)), f) for f in range(1, c.whole("alpha") + 1))


def _candidates(c: Certificate, form: str) -> list[int]:
    """Return the counts that the certificate lists: the first of every run of counts with one j."""
    epsilon, times, sign = c.exact("epsilon"), releases_of(c), FORMS[form]
    return run_starts(lambda f: error_limit(epsilon, times * f, sign), 1, c.whole("alpha"))


def _privacy_keys(c: Certificate) -> tuple[str, ...]:
    return ("argmin", "numerator") if is_all_or_none(c) else ("argmin", "numerator", "candidates")


def _privacy_sums(c: Certificate) -> int:
    alpha = c.whole("alpha")
    return 2 * min(alpha, floor(c.exact("epsilon") * releases_of(c) * alpha) + 1)


def _for_candidates(
    form: str, parts: Callable[[Certificate, int], dict[str, int]]
) -> Callable[[Certificate], bool]:
    """Return a test of some keys of every candidate: they are what is computed for its count."""

    def holds(c: Certificate) -> bool:
        if is_all_or_none(c):
            return True
        listed = c.listed(form, "candidates")
        return all(
            isinstance(entry, dict)
            and all(entry[key] == hexadecimal(value) for key, value in parts(c, f).items())
            for entry, f in zip(listed, _candidates(c, form), strict=False)
        )

    return holds


def _form_conditions(form: str) -> tuple[list[Condition], list[Condition], list[Condition]]:
    """Return the conditions on one form: on its shape, on its list, and on its numbers."""

    def list_matches(c: Certificate) -> bool:
        listed = None if is_all_or_none(c) else c.evidence(form, "candidates")
        return is_all_or_none(c) or (isinstance(listed, list) and len(listed) == len(_candidates(c, form)))

    def windows(c: Certificate, f: int) -> dict[str, int]:
        first, last = window(c.whole("gamma"), releases_of(c) * f, _j(c, form, f))
        return {"first": first, "last": last}

    def bounds(c: Certificate, f: int) -> dict[str, int]:
        mantissa, shift = rounded(Fraction(*_counts_at(c, form, f)), up=False)
        return {"mantissa": mantissa, "shift": shift}

    def numerator(c: Certificate) -> str:
        return hexadecimal(_counts_at(c, form, least_error(c, form)[1])[0])

    field = f"evidence.{form}.candidates"
    shape = readable(
        f"evidence.{form}",
        f"{form}-keys",
        "It is an object with the keys `argmin`, `numerator` and `candidates` and no other; with "
        "all-or-none draws without "
        "`candidates`.",
        lambda c: has_keys(c.evidence(form), _privacy_keys(c)),
    )
    entries = readable(
        field,
        f"{form}-entries",
        "Every entry that is an object has the keys `f`, `first`, `last`, `mantissa`, `shift` and no other.",
        lambda c: is_all_or_none(c) or entries_have_keys(c.evidence(form, "candidates")),
    )
    length = true(
        field,
        f"{form}-length",
        "It is a list with an entry for every first count of a run.",
        list_matches,
    )
    numbers = [
        true(
            field,
            f"{form}-counts",
            "`f` is the count, ascending.",
            _for_candidates(form, lambda _, f: {"f": f}),
        ),
        true(field, f"{form}-windows", "`first` and `last` are the window.", _for_candidates(form, windows)),
        true(
            field,
            f"{form}-rounded",
            "`mantissa` and `shift` are the probability of an error, rounded down.",
            _for_candidates(form, bounds),
        ),
        computed(
            form,
            "argmin",
            sentence="It is the least count at which the least probability is attained.",
            value=lambda c: hexadecimal(least_error(c, form)[1]),
        ),
        computed(form, "numerator", sentence="It is the numerator of that probability.", value=numerator),
    ]
    return [shape, entries], [length], numbers


def _privacy_statement(c: Certificate) -> Statement:
    times = releases_of(c)
    mean = [f"f' the mean of {times} independent published counts"] if times > 1 else []
    events = [
        f"|f' - f| {sign} ({c.word('epsilon')}) f has a probability of at least {BLANK}, least at f = {BLANK}"
        for sign in FORMS.values()
    ]
    words = f"{setting(c, *mean)}, for every count f from 1 to {c.word('alpha')}: {'; '.join(events)}."

    def numbers(c: Certificate) -> Sequence[str]:
        least = [least_error(c, form) for form in FORMS]
        return [text for value, f in least for text in (decimal(value, up=False), str(f))]

    return Statement(words, numbers)


_SHAPES, _LISTS, _NUMBERS = (
    [list(each) for each in part] for part in zip(*map(_form_conditions, FORMS), strict=True)
)

SMALL_SUM_PRIVACY = [
    *GAMMA,
    *EPSILON,
    whole("alpha"),
    *RETENTION,
    *DRAWS,
    DRAWS_ALONE,
    whole("releases"),
    readable(
        "parameters.releases",
        "releases-range",
        "`releases` is at least 2.",
        lambda c: "releases" not in c.parameters or c.whole("releases") >= 2,
    ),
    readable(
        "parameters.alpha",
        "alpha-within-draws",
        "With `draws`, `alpha` is at most their bound: above it the law of f' depends on the table.",
        lambda c: "draws" not in c.parameters or c.whole("alpha") <= draws_of(c)[1],
    ),
    readable(
        "parameters.releases",
        "releases-not-all-or-none",
        "With all-or-none draws there is no `releases`.",
        lambda c: not (is_all_or_none(c) and "releases" in c.parameters),
    ),
    readable(
        "parameters.alpha",
        "alpha-limit",
        "With all-or-none draws, `alpha` is at most 400.",
        lambda c: not is_all_or_none(c) or c.whole("alpha") <= MOST_WITH_ALL_OR_NONE,
    ),
    *within_cost(lambda c: releases_of(c) * c.whole("alpha"), _privacy_sums),
    object_with(keys=tuple(FORMS)),
    *[condition for part in _SHAPES for condition in part],
    *[condition for part in _LISTS for condition in part],
    *stated(_privacy_statement, blanks=True),
    *[condition for part in _NUMBERS for condition in part],
]


# error-probability


def _error_statement(c: Certificate) -> Statement:
    f = c.whole("frequency")
    event = (
        f"|f' - f| >= ({c.word('epsilon')}) f has a probability of at most {BLANK}, which is "
        f"exact or rounded up."
    )
    words = f"{setting(c, f'the count f = {f}')}: {event}"
    return Statement(words, lambda c: [decimal(Fraction(*error_at(c, f)), up=True)])


ERROR_PROBABILITY = [
    *GAMMA,
    *EPSILON,
    whole("frequency"),
    *RETENTION,
    *DRAWS,
    DRAWS_ALONE,
    CAPPED_ONLY,
    readable(
        "parameters.frequency",
        "frequency-within-draws",
        "With `draws`, `frequency` is at most their bound.",
        lambda c: "draws" not in c.parameters or c.whole("frequency") <= draws_of(c)[1],
    ),
    *within_cost(lambda c: c.whole("frequency")),
    object_with(keys=("f", "first", "last", "numerator")),
    *stated(_error_statement, blanks=True),
    computed("f", sentence="It is the count.", value=lambda c: hexadecimal(c.whole("frequency"))),
    computed(
        "first",
        sentence="It is the least f' that is no error.",
        value=lambda c: hexadecimal(window_at(c, c.whole("frequency"))[0]),
    ),
    computed(
        "last",
        sentence="It is the largest f' that is no error.",
        value=lambda c: hexadecimal(window_at(c, c.whole("frequency"))[1]),
    ),
    computed(
        "numerator",
        sentence="It is the numerator of the probability of an error.",
        value=lambda c: hexadecimal(error_at(c, c.whole("frequency"))[0]),
    ),
]


# concept-error


def concept_error(c: Certificate) -> int:
    """Return gamma^(gamma f) times the probability that the corrected estimate is wrong (section 5.1)."""
    gamma, epsilon = c.whole("gamma"), c.exact("epsilon")
    rows, f, n, x, decoys = (c.whole(name) for name in CONCEPT)
    inside = binomial(x + decoys, Fraction(1, gamma))
    outside = binomial(gamma * f - x - decoys, Fraction(1, gamma))
    wrong = 0
    for y, weight in enumerate(inside.weights):
        for z, other in enumerate(outside.weights):
            published = y + z
            if gamma * published >= rows:
                wrong += weight * other
                continue
            found = Fraction(
                gamma * (rows - published) * y - n * (gamma - 1) * published, rows - gamma * published
            )
            if abs(min(max(found, Fraction(0)), Fraction(n)) - x) >= epsilon * x:
                wrong += weight * other
    return wrong


def _concept_statement(c: Certificate) -> Statement:
    words = (
        f"With gamma = {c.word('gamma')}: where x3 = {c.word('concept_count')} of the "
        f"{c.word('predicate_count')} records of a "
        f"predicate carry a value, which f = {c.word('sensitive_count')} of {c.word('rows')} records "
        f"carry and which "
        f"{c.word('decoys_in_predicate')} others of the predicate have among their decoys, the "
        f"corrected estimate of x3 is off by at "
        f"least ({c.word('epsilon')}) x3 with a probability of at most {BLANK}, which is exact or rounded up."
    )
    total = c.whole("gamma") ** (c.whole("gamma") * c.whole("sensitive_count"))
    return Statement(words, lambda c: [decimal(Fraction(concept_error(c), total), up=True)])


def _concept(
    field: str, name: str, sentence: str, holds: Callable[[int, int, int, int, int, int], bool]
) -> Condition:
    """Return a condition on gamma and the five counts: that some table has them, or that they are few."""
    return readable(
        f"parameters.{field}",
        name,
        sentence,
        lambda c: holds(c.whole("gamma"), *(c.whole(each) for each in CONCEPT)),
    )


CONCEPT_ERROR = [
    *GAMMA,
    *EPSILON,
    *[whole(name) for name in CONCEPT[:-1]],
    whole(CONCEPT[-1], WHOLE_OR_ZERO),
    _concept("rows", "rows-multiple", "gamma divides N.", lambda g, rows, f, n, x, k: rows % g == 0),
    _concept(
        "predicate_count", "predicate-holds", "x3 + K is at most n.", lambda g, rows, f, n, x, k: x + k <= n
    ),
    _concept("concept_count", "concept-within", "x3 is at most f.", lambda g, rows, f, n, x, k: x <= f),
    _concept(
        "decoys_in_predicate",
        "decoys-exist",
        "K is at most (gamma - 1) f.",
        lambda g, rows, f, n, x, k: k <= (g - 1) * f,
    ),
    _concept(
        "rows",
        "outside-holds",
        "gamma f - x3 - K is at most N - n.",
        lambda g, rows, f, n, x, k: g * f - x - k <= rows - n,
    ),
    _concept(
        "sensitive_count",
        "owners-limit",
        "gamma f is at most 10,000.",
        lambda g, rows, f, n, x, k: g * f <= MOST_CONCEPT_TRIALS,
    ),
    _concept(
        "sensitive_count",
        "outcomes-limit",
        "(x3 + K + 1) (gamma f - x3 - K + 1) is at most 1,000,000.",
        lambda g, rows, f, n, x, k: (x + k + 1) * (g * f - x - k + 1) <= MOST_CONCEPT_OUTCOMES,
    ),
    object_with(keys=("numerator",)),
    *stated(_concept_statement, blanks=True),
    computed(
        "numerator",
        sentence="It is gamma^(gamma f) times the probability that the estimate is wrong.",
        value=lambda c: hexadecimal(concept_error(c)),
    ),
]
