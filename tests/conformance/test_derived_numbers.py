"""The vectors of estimates and guarantees, derived independently: in fractions, by brute force."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache, reduce
from itertools import combinations, count, permutations, product
from math import ceil, comb, floor, gcd, lcm
from operator import mul
from typing import Any

import pytest

from splu_ref.conformance import VectorFile, vector_files
from splu_ref.conformance.generated import generated_requests

Request = dict[str, Any]


@cache
def law(trials: int, gamma: int) -> tuple[Fraction, ...]:
    """Return the law of a sum of coins by convolution of the laws of two halves."""
    if trials <= 1:
        return (Fraction(1),) if trials == 0 else (1 - Fraction(1, gamma), Fraction(1, gamma))
    halves = law(trials // 2, gamma), law(trials - trials // 2, gamma)
    result = [Fraction(0)] * (trials + 1)
    for one, other in product(enumerate(halves[0]), enumerate(halves[1])):
        result[one[0] + other[0]] += one[1] * other[1]
    return tuple(result)


@cache
def binomial(trials: int, gamma: int) -> tuple[Fraction, ...]:
    """Return the same law by its formula, for more trials."""
    whole = gamma**trials
    return tuple(Fraction(comb(trials, k) * (gamma - 1) ** (trials - k), whole) for k in range(trials + 1))


@cache
def retained(f: int, gamma: int, retention: Fraction) -> tuple[Fraction, ...]:
    """Return the law of f' one record at a time: f retain the value, (gamma - 1) f take it."""
    above, below = retention.as_integer_ratio()
    unit, masses = below * (gamma - 1), [1]
    for part in [above * (gamma - 1)] * f + [below - above] * ((gamma - 1) * f):
        kept, taken = [mass * (unit - part) for mass in masses], [mass * part for mass in masses]
        masses = [one + other for one, other in zip([*kept, 0], [0, *taken], strict=True)]
    return tuple(Fraction(mass, unit ** (gamma * f)) for mass in masses)


def error(
    gamma: int, epsilon: Fraction, f: int, *, strict: bool = False, retention: str | None = None
) -> Fraction:
    if retention is not None:
        chances = retained(f, gamma, Fraction(retention))
    else:
        chances = law(gamma * f, gamma) if gamma * f <= 40 else binomial(gamma * f, gamma)
    wrong = (chance for k, chance in enumerate(chances) if _is_error(k, f, epsilon, strict=strict))
    return sum(wrong, Fraction(0))


def _is_error(published: int, f: int, epsilon: Fraction, *, strict: bool) -> bool:
    above, below = epsilon.as_integer_ratio()
    distance, limit = abs(published - f) * below, above * f
    return distance > limit if strict else distance >= limit


def test_both_laws_agree() -> None:
    assert all(law(n, gamma) == binomial(n, gamma) for n in range(12) for gamma in (2, 5))


def _error(request: Request) -> Request:
    gamma, epsilon, f = int(request["gamma"]), Fraction(request["epsilon"]), int(request["frequency"])
    return {"probability": str(error(gamma, epsilon, f, retention=request.get("retention")))}


def _minimum(request: Request) -> Request:
    gamma, epsilon, alpha = int(request["gamma"]), Fraction(request["epsilon"]), int(request["alpha"])
    retention = request.get("retention")
    answer: Request = {}
    for strict, name in ((True, ""), (False, "_definition")):
        counts = range(1, alpha + 1)
        values = [error(gamma, epsilon, f, strict=strict, retention=retention) for f in counts]
        answer["t_p" + name] = str(min(values))
        answer["argmin" + name] = 1 + values.index(min(values))
    return answer


def _threshold(request: Request) -> Request:
    gamma, epsilon, t_e = int(request["gamma"]), Fraction(request["epsilon"]), Fraction(request["t_e"])
    if epsilon > gamma - 1 or t_e == 1:
        return {"threshold": 1}
    retention = request.get("retention")
    one = retained(1, gamma, Fraction(retention or f"1/{gamma}"))
    variance = sum(mass * (k - 1) ** 2 for k, mass in enumerate(one))
    last = ceil(variance / (epsilon**2 * t_e))  # Chebyshev: from here on nothing is above t_e
    above = [f for f in range(1, last + 1) if error(gamma, epsilon, f, retention=retention) > t_e]
    return {"threshold": max(above, default=0) + 1}


def _closed_form(y: int, published: int, n: int, rows: int, gamma: int) -> Fraction | None:
    """Return the root of the expected count, found from two points of the line, in the range 0 … n."""
    if published * gamma >= rows:
        return None
    taken = Fraction(published * (gamma - 1), gamma * (rows - published))

    def expected(x: int) -> Fraction:
        return Fraction(x, gamma) + (n - x) * taken

    slope = expected(1) - expected(0)
    return sorted([Fraction(0), (y - expected(0)) / slope, Fraction(n)])[1]


def _estimate(request: Request) -> Request:
    published, gamma = int(request["published_count"]), int(request["gamma"])
    if request["method"] == "exact":
        y, n, rows = (int(request[name]) for name in ("both_count", "predicate_count", "rows"))
        return {"estimate": str(_closed_form(y, published, n, rows, gamma))}
    return {"estimate": str(min(published, int(request.get("bound", published))))}


def test_the_count_is_the_most_likely_one() -> None:
    for published, gamma in product(range(9), (2, 3, 5)):
        counts = range(3 * published + 2)
        likelihood = {f: law(gamma * f, gamma)[published] for f in counts if gamma * f >= published}
        assert max(likelihood, key=likelihood.__getitem__) == published


def _interval(request: Request) -> Request:
    published, gamma = int(request["published_count"]), int(request["gamma"])
    tail = (1 - Fraction(request["confidence"])) / 2
    possible = []
    for f in count():
        chances = binomial(gamma * f, gamma)
        not_low, not_high = sum(chances[published:]) > tail, sum(chances[: published + 1]) > tail
        if not_low and not_high:
            possible.append(f)
        if f > published and not not_high:
            return {"interval": [possible[0], possible[-1]]}
    raise AssertionError


def _transition(request: Request) -> Request:
    gamma = int(request["gamma"])
    keeping = Fraction(request.get("retention", f"1/{gamma}"))
    if request["model"] == "two-state":
        # Each of the f groups with the value has gamma - 1 records of other values.
        frequency, rows = int(request["frequency"]), int(request["rows"])
        among_decoys = Fraction(frequency * (gamma - 1), rows - frequency)
        taken = among_decoys * (1 - keeping) / (gamma - 1)
        assert (rows - frequency) * taken + frequency * keeping == frequency  # the mean of f' is f
        return {"matrix": [[str(1 - taken), str(taken)], [str(1 - keeping), str(keeping)]]}
    histogram = request["histogram"]
    pairs: Counter[tuple[int, int]] = Counter()
    for group in _groups(histogram, gamma, request["method"]):
        pairs.update(combinations(sorted(group), 2))
    matrix: list[list[str] | None] = []
    for u, frequency in enumerate(histogram):
        row = [
            keeping
            if u == v
            else pairs[min(u, v), max(u, v)] * (1 - keeping) / (gamma - 1) / max(frequency, 1)
            for v in range(len(histogram))
        ]
        assert frequency == 0 or sum(row) == 1
        matrix.append([str(entry) for entry in row] if frequency else None)
    return {"matrix": matrix}


def _groups(histogram: list[int], gamma: int, method: str) -> list[list[int]]:
    number = sum(histogram) // gamma
    records = [value for value, frequency in enumerate(histogram) for _ in range(frequency)]
    if method == "cyclic":
        return [records[first::number] for first in range(number)]
    groups = []
    left = list(histogram)
    for _ in range(number):
        groups.append(sorted(range(len(left)), key=lambda value: -left[value])[:gamma])  # a stable sort
        for value in groups[-1]:
            left[value] -= 1
    return groups


def _concept(request: Request) -> Request:
    epsilon = Fraction(request["epsilon"])
    names = ("gamma", "predicate_count", "concept_count", "rows", "decoys_in_predicate", "sensitive_count")
    gamma, n, x, rows, decoys, frequency = (int(request[name]) for name in names)
    inside = x + decoys
    outside = gamma * frequency - inside
    wrong = Fraction(0)
    for (y, one), (z, other) in product(
        enumerate(binomial(inside, gamma)), enumerate(binomial(outside, gamma))
    ):
        estimate = _closed_form(y, y + z, n, rows, gamma)
        if estimate is None or not (1 - epsilon) * x < estimate < (1 + epsilon) * x:
            wrong += one * other
    return {"probability": str(wrong)}


def _certificate(request: Request) -> Request:
    try:
        certificate = json.loads(request["text"], parse_int=_no_number, object_pairs_hook=_no_key_twice)
        keys = {"schema", "claim", "parameters", "statement", "evidence", "produced_by"}
        assert set(certificate) == keys
        assert certificate["schema"] == "splu-ref/certificate/1"
        evidence, verdict = _CLAIMS[certificate["claim"]](certificate["parameters"], certificate["evidence"])
    except (AssertionError, ValueError, KeyError, TypeError):
        return {"verdict": "unreadable"}
    if verdict and _shape(evidence) != _shape(certificate["evidence"]):
        return {"verdict": "unreadable"}
    right = verdict and evidence == certificate["evidence"]
    return {"verdict": "valid" if right and certificate["statement"] == _statement(certificate) else "false"}


def _no_number(text: str) -> None:
    raise ValueError(text)


def _no_key_twice(pairs: list[tuple[str, Any]]) -> Request:
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)


def _shape(value: Any) -> Any:
    """Return the keys of objects, at any depth, without texts; lists may have any length."""
    if isinstance(value, dict):
        return {key: _shape(entry) for key, entry in value.items()}
    return None


def _whole(text: str, least: int = 1) -> int:
    assert str(int(text)) == text
    assert least <= int(text) < 100_000
    return int(text)


def _fraction(text: str) -> Fraction:
    assert str(Fraction(text)) == text
    return Fraction(text)


def _rounded(value: Fraction, *, up: bool) -> tuple[str, str]:
    if value == 0:
        return "0", "0"
    for shift in count(max(0, 250 + value.denominator.bit_length() - value.numerator.bit_length())):
        mantissa = ceil(value * 2**shift) if up else floor(value * 2**shift)
        if mantissa >= 2**255:
            if mantissa == 2**256:
                mantissa, shift = mantissa // 2, shift - 1  # noqa: PLW2901 - the last turn
            return f"{mantissa:x}", f"{shift:x}"
    raise AssertionError


def _window(gamma: int, epsilon: Fraction, f: int, *, strict: bool = False) -> Request:
    right = [k for k in range(gamma * f + 1) if not _is_error(k, f, epsilon, strict=strict)]
    return {"f": f"{f:x}", "first": f"{right[0]:x}", "last": f"{right[-1]:x}"}


def _entry(gamma: int, epsilon: Fraction, f: int, *, up: bool, strict: bool = False) -> Request:
    mantissa, shift = _rounded(error(gamma, epsilon, f, strict=strict), up=up)
    return {**_window(gamma, epsilon, f, strict=strict), "mantissa": mantissa, "shift": shift}


def _numerator(gamma: int, epsilon: Fraction, f: int, *, strict: bool = False) -> str:
    return f"{int(error(gamma, epsilon, f, strict=strict) * gamma ** (gamma * f)):x}"


def _distance(epsilon: Fraction, f: int, *, strict: bool) -> int:
    return next(j for j in count(1) if (j > epsilon * f if strict else j >= epsilon * f))


def _small_sum_privacy(parameters: Request, _: Any) -> tuple[Request, bool]:
    assert set(parameters) == {"gamma", "epsilon", "alpha"}
    gamma, alpha = _whole(parameters["gamma"], 2), _whole(parameters["alpha"])
    epsilon = _fraction(parameters["epsilon"])
    evidence = {}
    for strict, name in ((True, "theorem_4"), (False, "definition_2")):
        starts = [
            f
            for f in range(1, alpha + 1)
            if f == 1 or _distance(epsilon, f, strict=strict) != _distance(epsilon, f - 1, strict=strict)
        ]
        values = [error(gamma, epsilon, f, strict=strict) for f in range(1, alpha + 1)]
        least = 1 + values.index(min(values))
        evidence[name] = {
            "argmin": f"{least:x}",
            "numerator": _numerator(gamma, epsilon, least, strict=strict),
            "candidates": [_entry(gamma, epsilon, f, up=False, strict=strict) for f in starts],
        }
    return evidence, True


def _error_probability(parameters: Request, _: Any) -> tuple[Request, bool]:
    assert set(parameters) == {"gamma", "epsilon", "frequency"}
    gamma, f = _whole(parameters["gamma"], 2), _whole(parameters["frequency"])
    epsilon = _fraction(parameters["epsilon"])
    return {**_window(gamma, epsilon, f), "numerator": _numerator(gamma, epsilon, f)}, True


def _utility_threshold(parameters: Request, given: Any) -> tuple[Request, bool]:
    assert set(parameters) == {"gamma", "epsilon", "t_e", "t_f"}
    gamma, t_f = _whole(parameters["gamma"], 2), _whole(parameters["t_f"])
    epsilon, t_e = _fraction(parameters["epsilon"]), _fraction(parameters["t_e"])
    assert t_e <= 1
    tail = given["tail"]
    start = int(tail["from"], 16)
    assert start >= 1
    sides: Request = {"from": tail["from"], "upper": None, "lower": None}
    total = Fraction(0)
    for side, sign in (("upper", 1), ("lower", -1)):
        if t_e == 1 or epsilon > (gamma - 1 if sign > 0 else 1):
            continue
        z = Fraction(int(tail[side]["numerator"], 16), int(tail[side]["denominator"], 16))
        assert [f"{z.numerator:x}", f"{z.denominator:x}"] == [
            tail[side][key] for key in ("numerator", "denominator")
        ]
        k = floor((1 + epsilon) * start) if sign > 0 else ceil((1 - epsilon) * start)
        if (z - 1) * sign < 0 or (z == 0 and k > 0):
            return {}, False
        bound = (1 + (z - 1) / gamma) ** (gamma * start) / z**k
        if bound > 2:
            return {}, False
        mantissa, shift = _rounded(bound, up=True)
        total += Fraction(int(mantissa, 16), 2 ** int(shift, 16))
        sides[side] = {
            "numerator": f"{z.numerator:x}",
            "denominator": f"{z.denominator:x}",
            "mantissa": mantissa,
            "shift": shift,
        }
    ends = [
        f
        for f in range(t_f, start)
        if _distance(epsilon, f, strict=False) != _distance(epsilon, f + 1, strict=False)
    ]
    least = t_f == 1 or error(gamma, epsilon, t_f - 1) > t_e
    if total > t_e or not least or any(error(gamma, epsilon, f) > t_e for f in ends):
        return {}, False
    violation = None
    if t_f > 1:
        violation = {**_window(gamma, epsilon, t_f - 1), "numerator": _numerator(gamma, epsilon, t_f - 1)}
    entries = [_entry(gamma, epsilon, f, up=True) for f in ends]
    return {"violation": violation, "ends": entries, "tail": sides}, True


_CLAIMS: dict[str, Callable[[Request, Any], tuple[Request, bool]]] = {
    "small-sum-privacy": _small_sum_privacy,
    "error-probability": _error_probability,
    "utility-threshold": _utility_threshold,
}


def _statement(certificate: Request) -> str:
    given = certificate["parameters"]
    gamma, epsilon = int(given["gamma"]), Fraction(given["epsilon"])
    if certificate["claim"] == "small-sum-privacy":
        least = _minimum({**given, "gamma": gamma, "alpha": int(given["alpha"])})
        parts = [
            f"|f' - f| {sign} ({epsilon}) f has a probability of at least "
            f"{_decimal(least['t_p' + name], ROUND_FLOOR)}, least at f = {least['argmin' + name]}"
            for sign, name in ((">", ""), (">=", "_definition"))
        ]
        return f"With gamma = {gamma}, for every count f from 1 to {given['alpha']}: {'; '.join(parts)}."
    if certificate["claim"] == "error-probability":
        value = _error({**given, "gamma": gamma, "frequency": int(given["frequency"])})["probability"]
        return (
            f"With gamma = {gamma} and the count f = {given['frequency']}: |f' - f| >= ({epsilon}) f has a "
            f"probability of at most {_decimal(value, ROUND_CEILING)}, which is exact or rounded up."
        )
    t_e, t_f = given["t_e"], given["t_f"]
    end = "" if t_f == "1" else f", and above {t_e} at f = {int(t_f) - 1}"
    return (
        f"With gamma = {gamma}: |f' - f| >= ({epsilon}) f has a probability of at most {t_e} "
        f"for every count f >= {t_f}{end}."
    )


def _decimal(fraction: str, rounding: str) -> str:
    """Return twelve digits by the decimal arithmetic of the standard library."""
    value = Fraction(fraction)
    context = Context(prec=12, rounding=rounding)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator))).replace("E", "e")


def _matrix(request: Request) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in request["matrix"]]


def _determinant(rows: list[list[Fraction]]) -> Fraction:
    """Return a determinant by cofactors, those of 0 left out."""
    if not rows:
        return Fraction(1)
    signed = ((-1) ** place * entry for place, entry in enumerate(rows[0]))
    return sum(
        (
            factor * _determinant([row[:place] + row[place + 1 :] for row in rows[1:]])
            for place, factor in enumerate(signed)
            if factor
        ),
        Fraction(0),
    )


def _inverse(request: Request) -> Request:
    """Return the inverse, or a linear combination of rows that is zero; both are verified."""
    rows = _matrix(request)
    size = len(rows)
    if size > 5:  # uniform replacement: A = p I + q J, and its inverse is (I - q J)/p
        own, other = rows[0][:2]
        assert rows == [[own if i == j else other for j in range(size)] for i in range(size)]
        entries = [[str(((i == j) - other) / (own - other)) for j in range(size)] for i in range(size)]
        return {"inverse": entries, "dependent": None}
    if whole := _determinant(rows):
        cofactor = [
            [
                (-1) ** (i + j) * _determinant([row[:j] + row[j + 1 :] for row in rows[:i] + rows[i + 1 :]])
                for i in range(size)
            ]
            for j in range(size)
        ]
        return {"inverse": [[str(entry / whole) for entry in row] for row in cofactor], "dependent": None}
    for combination in product(range(-6, 7), repeat=size):
        last = next((place for place in reversed(range(size)) if combination[place]), None)
        if last is None or combination[last] < 0 or gcd(*combination) > 1:
            continue
        columns = zip(*rows, strict=True)
        vanishes = all(sum(map(mul, combination, column)) == 0 for column in columns)
        # The first row that depends on those before it.
        if vanishes and not _depends(rows[:last]):
            return {"inverse": None, "dependent": list(combination)}
    raise AssertionError


def _depends(rows: list[list[Fraction]]) -> bool:
    """Return whether every determinant of as many columns as there are rows is 0."""
    chosen = combinations(range(len(rows[0])) if rows else (), len(rows))
    return not any(_determinant([[row[j] for j in columns] for row in rows]) for columns in chosen)


def _amplification(request: Request) -> Request:
    rows = _matrix(request)
    pairs = [
        (column, more, less)
        for column in range(len(rows[0]))
        for more, less in product(range(len(rows)), repeat=2)
        if rows[more][column]
    ]
    infinite = [
        (column, -rows[more][column], more, less) for column, more, less in pairs if not rows[less][column]
    ]
    if infinite:
        column, _, more, less = min(infinite)
        return {"amplification": None, "published": column, "more": more, "less": less}
    ratios = [(-rows[more][column] / rows[less][column], column, more, less) for column, more, less in pairs]
    ratio, column, more, less = min(ratios)
    return {"amplification": str(-ratio), "published": column, "more": more, "less": less}


def _breach(request: Request) -> Request:
    """Return the largest posterior by trying all sets of states, or by the two states that differ most."""
    rows, rho1, rho2 = _matrix(request), Fraction(request["rho1"]), Fraction(request["rho2"])
    if "counts" not in request:
        posteriors = [
            rho1 * one[column] / (rho1 * one[column] + (1 - rho1) * other[column])
            for one, other in product(rows, repeat=2)
            for column in range(len(one))
            if one[column]
        ]
        return {"posterior": str(max(posteriors)), "breach": max(posteriors) >= rho2}
    counts = request["counts"]
    states = [state for state, count in enumerate(counts) if count]
    found = []
    for column in range(len(rows[0])):
        seen = sum(counts[state] * rows[state][column] for state in states)
        for size in range(len(states) + 1) if seen else ():
            for chosen in combinations(states, size):
                prior = Fraction(sum(counts[state] for state in chosen), sum(counts))
                gain = sum(counts[state] * rows[state][column] for state in chosen)
                if prior <= rho1:
                    found.append((-gain / seen, column, prior))
    if all(Fraction(counts[state], sum(counts)) > rho1 for state in states):
        return {"posterior": None, "breach": False}
    posterior, column, prior = min(found)
    details = {"prior": str(prior), "published": column}
    return {"posterior": str(-posterior), "breach": -posterior >= rho2, **details}


Bits = dict[int, Fraction]
"""A sum of c lg q, by prime q."""


def _sum(*weighted: tuple[Fraction | int, Bits]) -> Bits:
    total: Bits = {}
    for weight, form in weighted:
        for prime, c in form.items():
            total[prime] = total.get(prime, Fraction(0)) + weight * c
    return {prime: c for prime, c in total.items() if c}


@cache
def _primes(number: int) -> tuple[int, ...]:
    """Return the primes of a number, each as often as it divides it."""
    divisor = next((d for d in range(2, 10_001) if number % d == 0 and d < number), None)
    return () if number == 1 else (number,) if divisor is None else (divisor, *_primes(number // divisor))


def _lg(ratio: Fraction) -> Bits:
    above, below = (
        _sum(*((1, {prime: Fraction(1)}) for prime in _primes(n))) for n in ratio.as_integer_ratio()
    )
    return _sum((1, above), (-1, below))


def _shannon(law: list[Fraction]) -> Bits:
    """Return the sum of p lg 1/p, for a law or for normalized weights."""
    size = sum(law)
    return _sum(*((p / size, _lg(size / p)) for p in law if p))


def _size(form: Bits) -> Decimal:
    """Return the number in 60 digits."""
    context = Context(prec=60)
    lns = {prime: context.divide(context.ln(Decimal(prime)), context.ln(Decimal(2))) for prime in form}
    return sum((lns[prime] * c.numerator / c.denominator for prime, c in form.items()), Decimal(0))


def _losses(request: Request) -> Request:
    tables, prior = request["tables"], [Fraction(p) for p in request["prior"]]
    rows, records = _matrix(request), range(len(request["tables"][0]))
    joint = {
        (t, s): p * rows[t][s] for t, p in enumerate(prior) for s in range(len(rows[0])) if p * rows[t][s]
    }

    def law(key: Callable[[int, int], Any], released: int | None = None) -> list[Fraction]:
        marginal: dict[Any, Fraction] = {}
        for (t, s), p in joint.items():
            if released in (None, s):
                marginal[key(t, s)] = marginal.get(key(t, s), Fraction(0)) + p
        return list(marginal.values())

    before = [_shannon(law(lambda t, _, i=i: tables[t][i])) for i in records]  # type: ignore[misc]  # i is bound
    seen = _shannon(law(lambda _, s: s))
    outcomes: list[Request | None] = []
    for s in range(len(rows[0])):
        chance = sum(law(lambda t, _: t, s), Fraction(0))
        if not chance:
            outcomes.append(None)
            continue
        after = [_shannon(law(lambda t, _, i=i: tables[t][i], s)) for i in records]  # type: ignore[misc]  # i is bound
        losses = [_sum((1, own), (-1, left)) for own, left in zip(before, after, strict=True)]
        outcomes.append({"probability": chance, "losses": losses, "loss": max(losses, key=_size)})
    made = [outcome for outcome in outcomes if outcome]
    # I(X; S) = H(X) + H(S) - H(X, S), of each record and of the table.
    mutual = [
        _sum((1, own), (1, seen), (-1, _shannon(law(lambda t, s, i=i: (tables[t][i], s)))))  # type: ignore[misc]  # i is bound
        for i, own in enumerate(before)
    ]
    whole = _sum((1, _shannon(prior)), (1, seen), (-1, _shannon(list(joint.values()))))
    best = sum((max(law(lambda t, _: t, s)) for s, outcome in enumerate(outcomes) if outcome), Fraction(0))
    answer: Request = {
        "entropies": before,
        "outcomes": outcomes,
        "expected": _sum(*((outcome["probability"], outcome["loss"]) for outcome in made)),
        "worst": max([{}, *(outcome["loss"] for outcome in made)], key=_size),
        "mutual_information": {"records": mutual, "table": whole},
        "min_entropy_leakage": _lg(best / max(prior)),
    }
    written: Request = json.loads(json.dumps(answer, default=str))
    return written


def _assignments(request: Request) -> Request:
    """Return the posterior by trying every assignment of values to records."""
    likelihoods = [[Fraction(entry) for entry in row] for row in request["likelihoods"]]
    unit = lcm(*(entry.denominator for row in likelihoods for entry in row))
    rows = [[int(entry * unit) for entry in row] for row in likelihoods]
    whole, through = 0, [[0] * len(rows) for _ in rows]
    for values in permutations(range(len(rows))):
        weight = reduce(mul, (row[value] for row, value in zip(rows, values, strict=True)))
        if weight:
            whole += weight
            for record, value in enumerate(values):
                through[record][value] += weight
    entries = [[str(Fraction(entry, whole)) for entry in row] for row in through] if whole else None
    return {"permanent": str(Fraction(whole, unit ** len(rows))), "posterior": entries}


DERIVED: dict[str, Callable[[Request], Request]] = {
    "permanent_posterior": _assignments,
    "entropy_loss": _losses,
    "error_probability": _error,
    "privacy_minimum": _minimum,
    "utility_threshold": _threshold,
    "estimate": _estimate,
    "interval": _interval,
    "transition": _transition,
    "concept_error": _concept,
    "certificate": _certificate,
    "channel_inverse": _inverse,
    "amplification": _amplification,
    "breach_profile": _breach,
}


READ_IN_JAVASCRIPT = ("certificate/reading.json", "certificate/sizes.json", "certificate/retention.json")
"""How a file is read, what is too large, and the law with a retention: there is a reader in tests/foreign."""

OF_THE_SPECIFICATION = "all-claims"
"""The feature of files that `splu_ref.spec` derives: see tests/spec/test_certificates.py."""


@pytest.mark.parametrize(
    "file",
    [
        file
        for file in vector_files()
        if file.operation in DERIVED
        and file.path not in READ_IN_JAVASCRIPT
        and OF_THE_SPECIFICATION not in file.requires
    ],
    ids=lambda file: file.path,
)
def test_answers(file: VectorFile) -> None:
    for vector in file.vectors:
        if vector.answer is not None:
            assert DERIVED[file.operation](file.request(vector)) == {**vector.answer, **vector.also}, (
                vector.id
            )


def test_a_certificate_of_more_than_four_million_bytes_is_unreadable() -> None:
    [file] = [file for file in vector_files() if file.path == "certificate/bytes.json"]
    [vector] = file.vectors
    assert vector.generator is not None
    texts = [
        str(request["text"])
        for request in generated_requests(file.operation, file.parameters, vector.generator)
    ]
    assert [len(text.encode()) for text in texts] == [4_000_000, 4_000_001]
    assert {text.rstrip(" ") for text in texts} == {file.parameters["text"]}
    verdicts = [_certificate({"text": texts[0]})["verdict"], "unreadable"]
    assert verdicts[0] == "valid"
    lines = "".join(f'{{"verdict":"{verdict}"}}\n' for verdict in verdicts)
    assert hashlib.sha256(lines.encode()).hexdigest() == vector.answers_sha256


def test_float_traps_are_traps() -> None:
    traps = 0
    for file in vector_files():
        for vector in file.vectors:
            if "Floats" in vector.flags and vector.input is not None:
                exact, f = Fraction(str(vector.input["epsilon"])), vector.input["frequency"]
                assert isinstance(f, int)
                near = float(exact)
                forms = [
                    (near * f, exact * f),
                    ((1 - near) * f, (1 - exact) * f),
                    ((1 + near) * f, (1 + exact) * f),
                ]
                assert any(ceil(one) != ceil(other) or floor(one) != floor(other) for one, other in forms)
                traps += 1
    assert traps >= 20


def test_every_answer_is_derived_twice() -> None:
    answered = {file.operation for file in vector_files() if any(vector.answer for vector in file.vectors)}
    derived_elsewhere = {"below", "coins", "permutation", "order_within", "subset", "keyed", "plan_secret"}
    derived_elsewhere |= {"release_key", "plan", "release"}
    derived_elsewhere |= {operation for operation in answered if operation.startswith("publish")}
    in_javascript = {"read_table", "column_codes", "identities", "table_digest", "key_file", "manifest"}
    in_javascript |= {"seeded", "draws", "conjunction"}
    assert answered == set(DERIVED) | derived_elsewhere | in_javascript
