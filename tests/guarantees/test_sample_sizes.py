"""How many rows retention replacement needs: tested against every number of rows and count in small cases."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import Trials, TwoKinds
from splu_ref.channels.binomial import UpperTails, largest_mass
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import printed_sample_size, sample_size, sample_size_bound
from splu_ref.guarantees import sample_sizes as search_room
from splu_ref.guarantees import sample_sizes as sizes
from splu_ref.guarantees.sample_sizes import SampleSizeSearch

CHANCES = st.builds(Fraction, st.integers(1, 11), st.just(12))
UNITS = Fraction(1, 2**60)


@settings(max_examples=60)
@given(n=st.integers(0, 40), m=st.integers(0, 40), p=CHANCES, q=CHANCES, k=st.integers(-2, 83))
def test_tables_are_never_too_small_and_hardly_too_large(
    n: int, m: int, p: Fraction, q: Fraction, k: int
) -> None:
    law, tails = TwoKinds(Trials(n, p), Trials(m, q)), UpperTails(n, p, m, q, 60)
    assert 0 <= tails.at_least(k) * UNITS - law.upper_tail(k) <= 2**12 * UNITS
    assert 0 <= tails.at_most(k) * UNITS - law.lower_tail(k) <= 2**12 * UNITS
    masses = [TwoKinds(Trials(n, p), Trials(0, q)).mass(i) for i in range(n + 1)]
    assert 0 <= largest_mass(n, p, 60) * UNITS - max(masses) <= 2**12 * UNITS


def test_tables_of_which_the_ends_are_cut_off() -> None:
    p, q = Fraction(11, 25), Fraction(6, 25)
    law, tails = TwoKinds(Trials(600, p), Trials(500, q)), UpperTails(600, p, 500, q, 40)
    assert len(_table_of(600, p)) < 400
    for k in (200, 384, 385, 450, 470, 600, 1099):
        for found, true in (
            (tails.at_least(k), law.upper_tail(k)),
            (tails.at_most(k), law.lower_tail(k)),
        ):
            assert 0 <= Fraction(found, 2**40) - true <= Fraction(2**12, 2**40)


def _table_of(n: int, p: Fraction) -> list[int]:
    from splu_ref.channels.binomial import _table  # noqa: PLC0415 - how much it keeps is its own affair

    return _table(n, p, 40).masses


def error(n: int, count: int, p: Fraction, b: Fraction, epsilon: Fraction) -> Fraction:
    """Return the probability of an error by its definition, estimate by estimate."""
    own, other = p + (1 - p) * b, (1 - p) * b
    law = TwoKinds(Trials(count, own), Trials(n - count, other))
    whole = law.denominator
    wrong = sum(
        numerator
        for x, numerator in enumerate(law.numerators())
        if abs((Fraction(x, n) - (1 - p) * b) / p - Fraction(count, n)) >= epsilon
    )
    return Fraction(wrong, whole)


@pytest.mark.parametrize(
    ("p", "b", "epsilon", "delta"),
    [
        ("1/2", "1/2", "2/5", "1/20"),
        ("1/2", "1/4", "2/5", "1/10"),
        ("2/3", "13/20", "23/50", "1/100"),
        ("1/3", "1/10", "3/5", "1/5"),
        ("4/7", "1/20", "87/100", "1/50"),
        ("3/10", "7/10", "43/50", "1/5"),
        ("9/10", "3/5", "1/5", "9/10"),
        ("1/4", "17/20", "33/50", "2/5"),
        ("2/5", "3/10", "61/100", "1/100"),
        ("7/1001", "1/2", "20", "1/2"),
    ],
)
def test_the_least_number_by_looking_at_everything(p: str, b: str, epsilon: str, delta: str) -> None:
    found = sample_size(p, b, epsilon, delta)
    assert found.rows_bound < 150
    values = Fraction(p), Fraction(b), Fraction(epsilon)
    last = max(
        (
            n
            for n in range(1, found.rows_bound)
            for count in range(n + 1)
            if error(n, count, *values) > Fraction(delta)
        ),
        default=0,
    )
    assert found.rows == last + 1
    assert (found.count is None) == (found.rows == 1)
    if found.count is not None:
        assert error(last, found.count, *values) > Fraction(delta)
        low, high = found.limits()
        assert found.law().lower_tail(low) + found.law().upper_tail(high) == error(last, found.count, *values)


def test_larger_tables_than_one_can_look_at() -> None:
    assert sample_size("1/2", "1/2", "1/5", "1/20").rows == 81
    found = sample_size("1/2", "1/4", "1/5", "1/20")
    assert (found.rows, found.count, found.rows_bound) == (94, 92, 185)
    assert sample_size("1/2", "3/10", "1/20", "1/20").rows == 1421


def test_every_count_below_the_bound_is_within_delta() -> None:
    """The lemma and the bound of second differences skip counts; here none is skipped."""
    p, b, epsilon, delta = Fraction(1, 2), Fraction(1, 2), Fraction(1, 5), Fraction(1, 20)
    search = SampleSizeSearch(p, b, epsilon, delta)
    for n in range(81, 185, 7):
        for count in range(n + 1):
            low, high = search.limits(n, count)
            law = search.law(n, count)
            assert law.lower_tail(low) + law.upper_tail(high) <= delta


def test_the_lemma_at_its_boundary_and_what_it_bounds() -> None:
    search = SampleSizeSearch(Fraction(1, 2), Fraction(3, 10), Fraction(1, 5), Fraction(1, 20))
    assert not search.proved(29, 29)  # t n = 2.9: the tail need not be convex there
    for first, last, begin, end in ((60, 64, 10, 20), (100, 100, 0, 100), (90, 95, 80, 95)):
        bound = search._box(first, last, begin, end)
        largest = max(
            search._error(n, count) for n in range(first, last + 1) for count in range(begin, min(end, n) + 1)
        )
        assert largest <= bound


@pytest.mark.parametrize(("p", "b"), [("1/2", "1/2"), ("2/5", "3/10"), ("1/3", "1/20"), ("3/7", "9/10")])
def test_second_differences_are_within_their_bound(p: str, b: str) -> None:
    search = SampleSizeSearch(Fraction(p), Fraction(b), Fraction(1, 5), Fraction(1, 20))
    w = Fraction(p).denominator
    for n in (240, 241, 400):
        curvature = search._second_difference_bound(n)
        assert curvature < 2**search._bits, "the bound would be empty"
        for first in range(w):
            errors = [search._error(n, count) for count in range(first, n + 1, w)]
            for low, middle, high in zip(errors, errors[1:], errors[2:], strict=False):
                assert abs(low - 2 * middle + high) <= curvature + 2**10


def test_a_period_without_a_kernel_has_a_larger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    exactly = search_room._kernel(Fraction(3, 4), Fraction(1, 4), 2)
    monkeypatch.setattr(search_room, "LONGEST_PERIOD", 1)
    coarse = search_room._kernel(Fraction(3, 4), Fraction(1, 4), 2)
    assert exactly[0] <= coarse[0]
    assert exactly[1] == 0  # both kinds have the variance 3/16


def test_bounds_for_one_column_and_several() -> None:
    # R = 1/p; for two columns at p = 1/2 and b = 1/2 the factors are 3/2 and -1/2, and R = 9/4 + 3/4.
    assert sample_size_bound("1/2", ["1/3"], "1/5", "1/20") == 185
    assert sample_size_bound("1/2", ["1/2", "1/2"], "1/5", "1/20") == 415  # ln 40 * 9 / (2/25) = 414.99...
    assert printed_sample_size("1/2", "1/5", "1/20") == 1476


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("0", "1/2", "1/5", "1/20"), "retention must be above 0"),
        (("1", "1/2", "1/5", "1/20"), "retention must be above 0 and below 1"),
        (("1/2", "1", "1/5", "1/20"), "share must be"),
        (("1/2", "1/2", "0", "1/20"), "epsilon must be greater"),
        (("1/2", "1/2", "1/5", "0"), "delta must be"),
        (("1/5", "1/2", "1/100", "1/20"), "from 461110 rows on, .* up to 120000: give a larger epsilon"),
        (("0." + "7" * 390, "1/2", "0.3", "1e-300"), "give numbers with fewer digits"),
        (("1001/5003", "1/2", "1/20", "1/20"), "up to 8000: round the retention to three digits"),
    ],
)
def test_refusals_come_before_the_work(values: tuple[str, ...], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        sample_size(*values)


def test_floats_and_no_column_are_refused() -> None:
    with pytest.raises(ParameterError, match="share"):
        sample_size("1/2", 0.5, "1/5", "1/20")  # type: ignore[arg-type]  # what a careless caller does
    with pytest.raises(ParameterError, match="no share is given"):
        sample_size_bound("1/2", [], "1/5", "1/20")


def test_progress_reaches_what_was_looked_at() -> None:
    seen: list[tuple[int, int]] = []
    sample_size("1/2", "1/4", "1/5", "1/20", progress=lambda done, whole: seen.append((done, whole)))
    assert seen == sorted(seen)
    assert seen[-1][1] == 184


def test_one_row_has_no_smaller_number() -> None:
    found = sample_size("99/100", "1/2", "99/100", "99/100")
    assert (found.rows, found.count) == (1, None)
    with pytest.raises(ParameterError, match="one row does"):
        found.law()


def test_a_search_that_would_take_too_long_is_refused_before_it_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[int] = []
    true = search_room.largest_insufficient

    def watched(search: SampleSizeSearch, beyond: int, progress: object = None) -> tuple[int, int] | None:
        searched.append(beyond)
        return true(search, beyond) if beyond < 2000 else (1000, 1)

    monkeypatch.setattr(sizes, "largest_insufficient", watched)
    monkeypatch.setattr(sizes, "_TRIED", 10_000)
    monkeypatch.setattr(sizes, "_GROWTH", 10**4)  # as if the search were the one for an epsilon of 1/50
    with pytest.raises(ParameterError, match="below the 18445 rows from which Hoeffding's bound holds"):
        sample_size("1/5", "1/2", "1/20", "1/20")
    assert searched == [1153]
    monkeypatch.setattr(sizes, "_GROWTH", 100)
    assert sample_size("1/5", "1/2", "1/20", "1/20").rows == 1001
    assert searched == [1153, 1153, 18445]


@pytest.mark.parametrize(
    ("case", "curvatures"),
    [
        # By the sum of |H|; by the kernel's mean and slope; by variances alone, as the period is long.
        (("1/3", "1/4", "1/10", "1/20"), {7: 17_014_904_734, 400: 9_138_751, 100_000: 131}),
        (("2/5", "1/2", "1/5", "1/10"), {7: 4_483_917_930, 40: 169_594_598, 3000: 596}),
        (("999/1001", "1/4", "1/10", "1/20"), {400: 1 << 35, 100_000: 568_559_948}),
    ],
)
def test_error_probabilities_have_bounded_curvature(
    case: tuple[str, str, str, str], curvatures: dict[int, int]
) -> None:
    p, b, epsilon, delta = map(Fraction, case)
    search = SampleSizeSearch(p, b, epsilon, delta)
    for n, curvature in curvatures.items():
        assert search._second_difference_bound(n) == curvature
    w = p.denominator
    for n in (7, 25) if w < 7 else ():
        errors = [error(n, count, p, b, epsilon) for count in range(n + 1)]
        for low, middle, high in zip(errors, errors[w:], errors[2 * w :], strict=False):
            assert abs(low - 2 * middle + high) <= Fraction(
                search._second_difference_bound(n), 1 << search._bits
            )
