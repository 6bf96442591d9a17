"""entropy.AS: the two measures of privacy that the paper quotes before its own."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from ..terms import Claim, Comparisons, Grade, Status

AS = Claim(
    id="entropy.AS",
    module=__name__,
    source="Chirayath et al. 2006, §2, after Agrawal and Srikant 2000, and Agrawal and Aggarwal 2001",
    title="interval privacy, what it overlooks, and the loss of a reconstruction",
    statement=(
        r"\text{noise uniform on } [-\alpha,\alpha]: \text{ width } \alpha \text{ at } 50\,\%,\ 2\alpha "
        r"\text{ at } 100\,\%;\quad X \in [0,1]\cup[4,5],\ \alpha = 1: \text{ width} \le 1;\quad 0 \le "
        r"\tfrac12\int|f-\hat f| \le 1"
    ),
    words=(
        "True. The shortest interval that holds uniform noise of width 2 alpha with chance c has the width 2 "
        "alpha c. With the law of X known, the published value determines which of the two intervals X is "
        "in, so the width at 100 % is at most 1, not 2; it is 1 only for a published value in [0, 1] or [4, "
        "5] and shorter at the edges. Half the distance of two densities is 1 less their common part: from "
        "0, for densities equal almost everywhere, to 1, for densities without common part. Computed on "
        "grids."
    ),
    hypotheses=(r"f, \hat f \text{ densities}", r"\text{widths of sets of values; grids of } 1/m"),
    status=Status.VERIFIED,
    grade=Grade.EXACT,
    instances="intervals of up to 24 cells, and laws on 4 points with denominators up to 5",
)


@AS.computation(cases=180, perturbed="Fraction(end - start, cells) => Fraction(end - start + 1, cells)")
def the_shortest_interval() -> Comparisons:
    """Look for fewer than c 2m of 2m equally likely cells in a row that have the chance c."""
    for cells in range(2, 25, 2):
        for count in range(1, cells + 1):
            confidence = Fraction(count, cells)
            shortest = min(
                end - start
                for start, end in combinations(range(cells + 1), 2)
                if Fraction(end - start, cells) >= confidence
            )
            yield (shortest, "=", count, f"{cells} cells: {shortest} hold {confidence}")
        yield (cells % 2, "=", 0, "half is not at 50 %")
        yield (Fraction(cells // 2, cells), "=", Fraction(1, 2), "half is not at 50 %")


@AS.computation(
    cases=692, perturbed=("range(-m, m) => range(-m, m + 1)", "range(4 * m, 5 * m) => range(m, 2 * m)")
)
def two_intervals_and_their_noise() -> Comparisons:
    """X in m cells from 0 and m cells from 4m, noise in 2m cells about 0: what a published cell leaves."""
    for m in range(1, 9):
        low, high = range(m), range(4 * m, 5 * m)
        # cell i of X and cell j of the noise give a sum in cells i + j and i + j + 1
        left: dict[int, set[int]] = {}
        for own, noise in product((*low, *high), range(-m, m)):
            for shown in (own + noise, own + noise + 1):
                left.setdefault(shown, set()).add(own)
        for shown, values in left.items():
            yield (
                bool(values <= set(low) or values <= set(high)),
                "=",
                True,
                f"m = {m}: {shown} leaves both intervals",
            )
            yield (
                (-m <= shown < 2 * m),
                "=",
                (values <= set(low)),
                f"m = {m}: {shown} determines another interval",
            )
            yield (len(values), "<=", m, f"m = {m}: {shown} leaves more than a width of 1")
            if 0 <= shown < m:
                yield (len(values), "=", m, f"m = {m}: {shown} leaves less than a width of 1")
        yield (min(len(values) for values in left.values()), "=", 1, f"m = {m}: no edge is narrower")


@AS.computation(cases=53045, perturbed="abs(a - b) => (a - b)")
def half_the_distance() -> Comparisons:
    """All pairs of laws on 4 points with denominators up to 5: 1 less the common part, from 0 to 1."""
    laws = {
        tuple(Fraction(part, size) for part in parts)
        for size in range(1, 6)
        for parts in product(range(size + 1), repeat=4)
        if sum(parts) == size
    }
    for f, g in product(sorted(laws), repeat=2):
        loss = sum((abs(a - b) for a, b in zip(f, g, strict=True)), Fraction(0)) / 2
        common = sum((min(a, b) for a, b in zip(f, g, strict=True)), Fraction(0))
        yield (loss, "=", 1 - common, f"{f}, {g}: the loss is {loss}")
        yield (0, "<=", loss, f"{f}, {g}: the loss is {loss}")
        yield (loss, "<=", 1, f"{f}, {g}: the loss is {loss}")
        yield ((loss == 0), "=", (f == g), f"{f}, {g}: 0 says another thing than equal")
        yield ((loss == 1), "=", all(a == 0 or b == 0 for a, b in zip(f, g, strict=True)), f"{f}, {g}")
