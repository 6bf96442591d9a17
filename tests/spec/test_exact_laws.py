"""The library and the specification have the same exact law in small worlds: every outcome of their choices.

Both draw from an enumeration, which walks through all choices. For the specification the functions of its
module of randomness are replaced by the choices of the enumeration, and nothing else is; that these
functions have the uniform law is tested by themselves, on every word of a byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any, cast

import numpy as np
import pytest

from splu_ref.mechanisms import (
    PLANS,
    Anatomy,
    DistributionBased,
    Operator,
    PerturbedGeneralization,
    PlanMethod,
    RetentionReplacement,
    SpluGen,
    Swapping,
    mixed,
)
from splu_ref.randomness import EnumerationSource, exact_law
from splu_ref.spec import (
    alpha_beta,
    distribution_based,
    draws,
    groups,
    operators,
    plans,
    randomness,
    retention,
    splu_gen,
    swapping,
)
from splu_ref.spec.errors import TapeExhausted
from splu_ref.spec.randomness import Stream

Law = dict[Any, Fraction]


def _order_within(stream: Any, codes: Sequence[int]) -> list[int]:
    return cast("list[int]", stream.order_within(np.array(codes, dtype=np.int64)).tolist())


ENUMERATED: dict[str, Callable[..., Any]] = {
    "integer_below": lambda stream, bound: stream.integer_below(bound),
    "integers_below": lambda stream, bound, size: stream.below(bound, size).tolist(),
    "coins": lambda stream, size: stream.coins(size).astype(int).tolist(),
    "order_within": _order_within,
    "permutation": lambda stream, size: stream.permutation(size).tolist(),
    "subset": lambda stream, population, count: stream.subset(population, count).tolist(),
}
"""The functions of the specification's module of randomness, as choices of an enumeration."""
MODULES = (randomness, plans, draws, splu_gen, groups, distribution_based, alpha_beta)


@pytest.fixture
def _enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in MODULES:
        for name, function in ENUMERATED.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, function)
    passes = plans.passes_over  # as many passes would have too many outcomes
    monkeypatch.setattr(
        plans, "passes_over", lambda block, stream: passes(block, stream, int(len(block) > 1))
    )


def specified(publish: Callable[[Stream], Any], *, shuffle: bool = False) -> Law:
    """Return the law of what the specification publishes."""

    def run(source: EnumerationSource) -> Any:
        published = publish(cast("Stream", source))
        return tuple(published) if isinstance(published, list) else published

    return exact_law(run, shuffle=shuffle)


ONE_PASS: Mapping[str, PlanMethod] = {**PLANS, "mixed": partial(mixed, passes=1)}
TABLES = ([0, 1, 2], [0, 1, 0, 1], [0, 1, 2, 0], [2, 0, 1], [0, 1, 2, 3, 0])


def _by_splu_gen(codes: list[int], gamma: int, method: str, p: Fraction | None, law: str) -> tuple[Law, Law]:
    def ours(source: EnumerationSource) -> Any:
        mechanism = SpluGen(gamma, p, ONE_PASS[method], law)
        done = mechanism.publish_codes(np.array(codes), max(codes) + 1, source)
        return tuple(done.rows.tolist()), tuple(done.published.tolist())

    def theirs(stream: Stream) -> Any:
        parameters = splu_gen.Parameters(gamma, method, p, draws.Law.of(law))
        done = splu_gen.publish([codes], parameters, lambda _: splu_gen.OneStream(stream))
        return tuple(done.rows), tuple(done.published[0])

    return exact_law(ours), specified(theirs)


@pytest.mark.usefixtures("_enumerated")
@pytest.mark.parametrize("method", plans.METHODS)
@pytest.mark.parametrize("law", ["independent", "capped:1", "all-or-none:1"])
@pytest.mark.parametrize("codes", TABLES[:3], ids=str)
def test_splu_gen(codes: list[int], method: str, law: str) -> None:
    if law != "independent":
        codes = codes[:2]  # each order within groups multiplies the outcomes
    ours, theirs = _by_splu_gen(codes, 2, method, None, law)
    assert sum(theirs.values()) == 1
    assert ours == theirs
    assert len(theirs) > 1


@pytest.mark.usefixtures("_enumerated")
@pytest.mark.parametrize("p", [Fraction(2, 3), Fraction(1)])
@pytest.mark.parametrize("codes", TABLES, ids=str)
def test_splu_gen_with_another_retention(codes: list[int], p: Fraction) -> None:
    for method in ("anatomy", "cyclic"):
        ours, theirs = _by_splu_gen(codes, 2, method, p, "independent")
        assert ours == theirs


@pytest.mark.usefixtures("_enumerated")
@pytest.mark.parametrize("law", ["capped:1", "capped:2", "all-or-none:1", "all-or-none:2"])
def test_dependent_draws(law: str) -> None:
    """Two groups of two values: what the slots show."""
    ours, theirs = _by_splu_gen([0, 1, 0, 2], 2, "anatomy", None, law)
    assert ours == theirs
    assert len(theirs) > 2


@pytest.mark.usefixtures("_enumerated")
@pytest.mark.parametrize(
    ("replacing", "unit"),  # one coin for a record does not go with identity
    [
        ("uniform", "cell"),
        ("uniform", "record"),
        ("given", "cell"),
        ("given", "record"),
        ("identity", "cell"),
    ],
)
@pytest.mark.parametrize("order", ["kept", "shuffled"])
def test_retention_replacement(replacing: str, unit: str, order: str) -> None:
    p, cells = Fraction(1, 3), {"v": ["a", "b"], "w": ["c", "c"]}
    domains = {"v": ["b", "a"], "w": ["c", "d"]}
    laws = {"v": [Fraction(1, 4), Fraction(3, 4)], "w": [Fraction(1, 2), Fraction(1, 2)]}

    def ours(source: EnumerationSource) -> Any:
        given = {name: dict(zip(domains[name], laws[name], strict=True)) for name in cells}
        mechanism = RetentionReplacement(
            p,
            domains,
            shuffled=order == "shuffled",
            replacing=given if replacing == "given" else replacing,
            compound=unit == "record",
        )
        values = {name: sorted(domains[name]) for name in cells}
        codes = {name: np.array([values[name].index(cell) for cell in cells[name]]) for name in cells}
        done = mechanism.publish_columns(codes, {"v": 2, "w": 2}, lambda _: source)
        return tuple(tuple(values[name][code] for code in done.published[name].tolist()) for name in cells)

    def theirs(stream: Stream) -> Any:
        columns = [
            retention.DeclaredColumn(
                name, domains[name], cells[name], laws[name] if replacing == "given" else None
            )
            for name in cells
        ]
        parameters = retention.Parameters(p, replacing, order, unit)
        done = retention.publish(columns, parameters, lambda _: splu_gen.OneStream(stream))
        return tuple(map(tuple, done.published))

    law = specified(theirs, shuffle=True)
    assert exact_law(ours, shuffle=True) == law
    assert len(law) > 2


@pytest.mark.usefixtures("_enumerated")
@pytest.mark.parametrize("p", [Fraction(0), Fraction(1, 2), Fraction(2, 3)])
def test_swapping(p: Fraction) -> None:
    codes = [0, 1, 1, 2]

    def ours(source: EnumerationSource) -> Any:
        done = Swapping(p).publish_columns({"v": np.array(codes)}, {}, lambda _: source)
        return tuple(done.published["v"].tolist())

    def theirs(stream: Stream) -> Any:
        [done] = swapping.publish([codes], p, lambda _: splu_gen.OneStream(stream))
        return tuple(done.published)

    law = specified(theirs, shuffle=True)
    assert exact_law(ours, shuffle=True) == law
    assert set(law) == set(permutations(codes))


@pytest.mark.usefixtures("_enumerated")
@pytest.mark.parametrize("order", ["kept", "shuffled"])
def test_operators(order: str) -> None:
    rows = [["1/2", "1/3", "1/6"], ["0", "1/4", "3/4"], ["1/5", "0", "4/5"]]
    codes, matrix = [1, 0], [[Fraction(entry) for entry in row] for row in rows]

    def ours(source: EnumerationSource) -> Any:
        mechanism = Operator("sensitive", "abc", rows, shuffled=order == "shuffled")
        return tuple(mechanism.publish_codes(np.array(codes), 3, source).published.tolist())

    def theirs(stream: Stream) -> Any:
        return tuple(operators.publish(codes, matrix, order, splu_gen.OneStream(stream)).published)

    assert exact_law(ours, shuffle=True) == specified(theirs, shuffle=True)


@pytest.mark.usefixtures("_enumerated")
def test_the_other_mechanisms() -> None:
    codes = np.array([0, 1, 0])
    ours = exact_law(
        lambda s: tuple(DistributionBased().publish_codes(codes, 2, s).published.tolist()), shuffle=True
    )
    assert ours == specified(lambda s: tuple(distribution_based.publish([0, 1, 0], s)[0]), shuffle=True)

    def tables(done: Any) -> Any:
        return tuple(done.rows), tuple(done.groups), tuple(map(tuple, done.values)), tuple(done.suppressed)

    ours = exact_law(
        lambda s: tables(Anatomy(2, plan="anatomy").publish_codes(np.array([0, 1, 2, 0, 1]), 3, s))
    )
    assert ours == specified(lambda s: tables(groups.two_tables([0, 1, 2, 0, 1], 2, "anatomy", s)))

    mechanism = PerturbedGeneralization("v", ["0", "1"], ["q"], 2, "1/3")
    four, of_four = np.array([0, 1, 1, 0]), np.array([0, 0, 1, 1])
    ours = exact_law(lambda s: tuple(mechanism.publish_groups(four, of_four, s).published.tolist()))
    theirs = specified(
        lambda s: tuple(
            groups.perturbed_generalization([0, 1, 1, 0], [[1, 2, 3, 4]], 2, 2, Fraction(1, 3), s).published
        )
    )
    assert ours == theirs


@pytest.mark.usefixtures("_enumerated")
def test_alpha_beta_has_the_law_of_the_paper() -> None:
    """Each tuple is published independently, with alpha + beta or beta, however the set is drawn."""
    alpha, beta, members, size = Fraction(1, 4), Fraction(1, 2), [1], 3
    wanted: Law = {}
    for chosen in product((False, True), repeat=size):
        probability = Fraction(1)
        for number, taken in enumerate(chosen):
            p = alpha + beta if number in members else beta
            probability *= p if taken else 1 - p
        wanted[tuple(number for number in range(size) if chosen[number])] = probability
    for draw in (alpha_beta.eager, alpha_beta.lazy):
        law = specified(partial(draw, members, size, alpha, beta))
        assert {tuple(sorted(chosen)): p for chosen, p in law.items()} == wanted


@pytest.mark.usefixtures("_enumerated")
def test_another_law_is_detected() -> None:
    ours, theirs = _by_splu_gen([0, 1, 2], 2, "anatomy", None, "independent")
    other, _ = _by_splu_gen([0, 1, 2], 2, "anatomy", Fraction(2, 3), "independent")
    assert ours == theirs != other


@pytest.mark.parametrize("bound", [2, 3, 5, 7, 200, 256])
def test_integers_are_uniform_on_every_byte(bound: int) -> None:
    tape = randomness.Tape(bytes(range(256)))
    size = bound * (256 >> (bound - 1).bit_length())
    found = Counter(randomness.integers_below(tape, bound, size))
    assert set(found.values()) == {size // bound}
    assert len(found) == bound


def test_orders_are_uniform_on_short_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """With keys of one bit, ties are common; the orders that nine bits decide are equally many of each."""
    true = randomness.integer_below
    monkeypatch.setattr(randomness, "integer_below", lambda stream, bound: true(stream, 2))
    found: Counter[tuple[int, ...]] = Counter()
    for bits in product((0, 1), repeat=9):
        try:
            found[tuple(randomness.order_within(randomness.Tape(bytes(bits)), [0, 0, 0]))] += 1
        except TapeExhausted:
            continue
    assert len(found) == 6
    assert len(set(found.values())) == 1
