"""Retention replacement: its law by enumeration, that of a predicate, the most likely counts, intervals."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod

import numpy as np
import polars as pl

from property_tests.checking import Outcome, check
from property_tests.coverage import missing_rates
from property_tests.run import Run
from property_tests.subject import Answers, Subject
from splu_ref.channels import Channel, coarsen
from splu_ref.data import Microdata
from splu_ref.estimators import ChannelEstimator, Query
from splu_ref.mechanisms import PublishedTable, RetentionReplacement
from splu_ref.randomness import Draws, SystemSource, outcomes

KEEPS = ("0", "1/2", "2/3")
RECORDS = {"a": (0, 0), "b": (1, 1)}
"""Two records of two columns: of `SIZES` values some occur in no record."""
SIZES = {"a": 3, "b": 2}


GIVEN = {"a": ("1/6", "1/3", "1/2"), "b": ("0", "1")}


def _mechanism(keep: str, kind: str) -> RetentionReplacement:
    domains = {name: "xyz"[:size] for name, size in SIZES.items()}
    if kind == "given":
        laws = {name: dict(zip(domains[name], law, strict=True)) for name, law in GIVEN.items()}
        return RetentionReplacement(keep, domains, replacing=laws)
    if kind == "identity":
        return RetentionReplacement(keep, domains, replacing="identity")
    return RetentionReplacement(keep, domains, compound=kind == "compound")


def _shares(kind: str, name: str) -> list[Fraction]:
    """Return the probabilities of replacements."""
    if kind == "given":
        return [Fraction(share) for share in GIVEN[name]]
    if kind == "identity":
        return [Fraction(RECORDS[name].count(code), len(RECORDS[name])) for code in range(SIZES[name])]
    return [Fraction(1, SIZES[name])] * SIZES[name]


def _disagreement(subject: Subject, keep: str, kind: str) -> str:
    """Return in words a published table whose probability is not the declared one, or nothing."""
    mechanism = _mechanism(keep, kind)
    codes = {name: np.array(values) for name, values in RECORDS.items()}

    def publish(draws: Draws) -> tuple[int, ...]:
        done = subject.publish_retained(mechanism, codes, SIZES, lambda _: draws)
        return tuple(code for name in SIZES for code in done.published[name].tolist())

    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for published, chance in outcomes(publish):
        found[published] += chance
    p, records = Fraction(keep), len(RECORDS["a"])
    for published in product(*(range(SIZES[name]) for name in SIZES for _ in range(records))):
        declared = Fraction(1)
        for record in range(records):
            cells = [
                (RECORDS[name][record], published[place * records + record], _shares(kind, name))
                for place, name in enumerate(SIZES)
            ]
            if kind == "compound":
                anew = prod((law[seen] for _, seen, law in cells), start=Fraction(1))
                declared *= p * all(own == seen for own, seen, _ in cells) + (1 - p) * anew
            else:
                declared *= prod(
                    (p * (own == seen) + (1 - p) * law[seen] for own, seen, law in cells), start=Fraction(1)
                )
        if found[published] != declared:
            return f"{kind}, p = {keep}: {published} has {found[published]}, declared {declared}"
    return ""


@check(
    "retention.law",
    "enumerated",
    "For two records of two columns, with values that no record has, and p = 0, 1/2 and 2/3, every published "
    "table has the product of the declared probabilities of its cells.",
)
def joint_law(subject: Subject, run: Run) -> Outcome:
    del run
    wrong = next(filter(None, (_disagreement(subject, keep, "uniform") for keep in KEEPS)), "")
    return Outcome(not wrong, wrong)


@check(
    "retention.laws",
    "enumerated",
    "The same with replacements by a given law that has a zero, from the histogram, and with one coin for a "
    "record.",
)
def other_laws(subject: Subject, run: Run) -> Outcome:
    del run
    kinds = product(KEEPS, ("given", "identity", "compound"))
    wrong = next(filter(None, (_disagreement(subject, keep, kind) for keep, kind in kinds)), "")
    return Outcome(not wrong, wrong)


@check(
    "retention.predicates",
    "enumerated",
    "For domains of 2 to 5 values and p = 0, 1/2 and 2/3, the declared law of each set of values is that of "
    "the whole channel between the set and the rest.",
)
def predicates(subject: Subject, run: Run) -> Outcome:
    del run
    for keep, size in product(KEEPS, range(2, 6)):
        mechanism = RetentionReplacement(keep, {"a": "vwxyz"[:size]})
        whole = mechanism.channel(np.ones(size, dtype=np.int64), SystemSource())
        for count in range(1, size):
            for members in combinations(range(size), count):
                named = {"a": ["vwxyz"[code] for code in members]}
                declared = subject.predicate_channels(mechanism, named, {})["a",]
                alike = coarsen(whole, {code: code in members for code in range(size)})
                if declared != Channel(
                    {state: alike.laws[state] for state in declared.inputs}, declared.outputs
                ):
                    return Outcome(
                        False, f"p = {keep}, {members} of {size}: another law than {declared.laws}"
                    )
    return Outcome(True)


SIDES = (("1/5", "1/10"), ("1/2", "1/2"), ("4/5", "1/3"))
"""p, and the share of a set in the domain."""
SHORT = 1e-6
"""Of the log-likelihood, which the estimate may lack."""


@check(
    "retention.likelihood",
    "exact",
    "For one to four records of two columns, in all states that they can be published in, and three laws, "
    "the counts that EM finds are nowhere negative, add up, and are more likely than any others but for 1e-6 "
    "(olap.EMc): the certificate is worked out again with the product of the matrices.",
)
def likelihood(subject: Subject, run: Run) -> Outcome:
    del run
    for (keep, share), records in product(SIDES, range(1, 5)):
        p, b = float(Fraction(keep)), float(Fraction(share))
        law = p * np.eye(2) + (1 - p) * np.array([1 - b, b])
        whole = np.kron(law, law)
        seen = [y for y in product(range(records + 1), repeat=4) if sum(y) == records]
        y = np.array(seen, dtype=np.float64)
        x = subject.most_likely(y.reshape(-1, 2, 2), [law, law]).counts.reshape(-1, 4)
        gain = (y / (x @ whole)) @ whole.T
        short = records * (gain.max(axis=1) - 1)
        wrong = (x.min(axis=1) < 0) | (abs(x.sum(axis=1) - records) > SHORT) | (short > SHORT)
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            return Outcome(False, f"p = {keep}, b = {share}, y = {seen[place]}: x = {x[place]}")
    return Outcome(True)


NAME = "retention.intervals"
SETTINGS = (("1/5", 40, 12), ("1/2", 30, 0), ("1/2", 60, 30), ("4/5", 25, 24))
"""p, records and how many of them have one of the two counted values, of a domain of six."""
ALLOWED = Fraction(5, 100)
DOMAIN, COUNTED = tuple("uvwxyz"), (0, 2)


@cache
def _ends(mechanism: RetentionReplacement, records: int, published: int) -> tuple[float, float]:
    """Return the interval for the two values, of a release that holds ``published`` records with them."""
    cells = [DOMAIN[COUNTED[0]]] * published + [DOMAIN[1]] * (records - published)
    table = Microdata.from_frame(pl.DataFrame({"a": cells}))
    release = PublishedTable(table=table, mechanism=mechanism, domains={"a": DOMAIN})
    [answer] = ChannelEstimator(release)([Query.of({"a": [DOMAIN[code] for code in COUNTED]})], None)
    assert answer.interval is not None
    return answer.interval


@check(
    NAME,
    "statistical",
    "Over 400 releases by retention replacement in each of four settings, the 95 % interval for the count of "
    "two of six values misses with probability at most 0.05.",
)
def coverage(subject: Subject, run: Run) -> Outcome:
    source = run.stream(subject, NAME)

    def misses(setting: tuple[str, int, int]) -> bool:
        keep, records, inside = setting
        mechanism = RetentionReplacement(keep, {"a": DOMAIN})
        own = np.array([0] * inside + [1] * (records - inside))
        found = subject.publish_retained(mechanism, {"a": own}, {"a": 6}, lambda _: source)
        low, high = _ends(mechanism, records, int(np.isin(found.published["a"], COUNTED).sum()))
        return not low <= inside <= high

    return missing_rates(run, NAME, SETTINGS, ALLOWED, misses)


LIKELIEST = "retention.em-intervals"
CORNERS = (("1/2", 24, 0), ("4/5", 24, 3), ("1/2", 40, 20))
"""p, records, and how many of them have the first of two values in both of two columns; the others that have
it in one have it in the first."""
ALLOWED_MOST_LIKELY = Fraction(10, 100)
PAIR = {"a": ("u", "v"), "b": ("u", "v")}


def _likeliest_ends(
    answers: Answers, mechanism: RetentionReplacement, published: tuple[int, ...]
) -> tuple[float, float]:
    """Return the interval by EM for records with u in both columns, by how many have u, v in each."""
    pairs = zip(product("uv", repeat=2), published, strict=True)
    rows = [pair for pair, count in pairs for _ in range(count)]
    frame = pl.DataFrame({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    release = PublishedTable(table=Microdata.from_frame(frame), mechanism=mechanism, domains=PAIR)
    [answer] = answers(ChannelEstimator(release), [Query.of({"a": ["u"], "b": ["u"]})], "em")
    assert answer.interval is not None
    assert answer.interval[0] <= answer.estimate <= answer.interval[1]
    return answer.interval


@check(
    LIKELIEST,
    "statistical",
    "Over 400 releases by retention replacement in each of three settings, the 95 % interval that goes with "
    "the most likely count of two values in two columns misses with probability at most 0.1.",
)
def most_likely_coverage(subject: Subject, run: Run) -> Outcome:
    source = run.stream(subject, LIKELIEST)

    @cache
    def ends(mechanism: RetentionReplacement, published: tuple[int, ...]) -> tuple[float, float]:
        return _likeliest_ends(subject.answers, mechanism, published)

    def misses(setting: tuple[str, int, int]) -> bool:
        keep, records, inside = setting
        mechanism = RetentionReplacement(keep, PAIR)
        beside = (records - inside) // 2
        own = {
            "a": np.array([0] * (inside + beside) + [1] * (records - inside - beside)),
            "b": np.array([0] * inside + [1] * (records - inside)),
        }
        found = subject.publish_retained(mechanism, own, {"a": 2, "b": 2}, lambda _: source).published
        states = np.bincount(2 * found["a"] + found["b"], minlength=4)
        low, high = ends(mechanism, tuple(states.tolist()))
        return not low <= inside <= high

    return missing_rates(run, LIKELIEST, CORNERS, ALLOWED_MOST_LIKELY, misses)
