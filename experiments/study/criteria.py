"""What the project promises of its estimators on real tables, checked on a study's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from experiments.study.experiments import Results
from experiments.study.figures import class_labels, error_points
from experiments.study.level import selectivities
from experiments.study.pieces import Piece

REPAIRED = 0.35
"""Largest ratio of the errors of mixed + exact to anatomy + printed, on the census, from 0.5 % up."""
PREDICTED = 0.85, 1.15
"""Range of the ratio of the root mean square error of ``exact`` to splu.V's prediction, on the census."""
NEAR_BEST = 1.1
"""Largest ratio of the error of ``shrunk`` to the best of its rivals, on every table."""
RIVALS = ("published count", "n f'/N", "exact", "printed")
COVERAGE = 0.95
LEVEL = 1e-6
"""Probability that the coverage test rejects anywhere in a study if all intervals cover as stated."""
CENSUS = "census_kdd_workers"
_STAKES = (1.0, 2.0, 5.0, 10.0, 20.0)


@dataclass(frozen=True)
class Criterion:
    """A requirement and what was found.

    Attributes
    ----------
    name
        What is required.
    holds
        Whether it does; None if this study cannot say.
    detail
        The figures.
    """

    name: str
    holds: bool | None
    detail: str

    def as_json(self) -> dict[str, object]:
        """Return it as an object."""
        return {"name": self.name, "holds": self.holds, "detail": self.detail}


def criteria(results: Sequence[Results]) -> list[Criterion]:
    """Judge a study."""
    census = next((one for one in results if one.table.name == CENSUS), None)
    checks = 2 * len(results)
    found = [_repaired(census), _predicted(census)]
    for one in results:
        found.append(_near_best(one))
        found += [_covers(one, kind, LEVEL / checks) for kind in ("exact", "shrunk")]
        found.append(_small(one))
    return found


def _repaired(census: Results | None) -> Criterion:
    name = f"{CENSUS}, 0.5–5 %: mixed + exact errs at most {REPAIRED} × as much as anatomy + printed"
    if census is None:
        return Criterion(name, None, f"{CENSUS} was not studied")
    labels = class_labels(selectivities(census.table)[1:], 2)
    ours = error_points(census.releases["mixed"], "exact", labels)
    printed = error_points(census.releases["anatomy"], "printed", labels)
    if len(printed) != len(ours):
        return Criterion(name, None, "the printed iteration is kept with the proofs, which are not installed")
    parts = [
        (f"{a.label}: {a.mean:.3f} / {b.mean:.3f} = {a.mean / b.mean:.2f}", a.mean <= REPAIRED * b.mean)
        for a, b in zip(ours, printed, strict=True)
    ]
    return _all(name, parts)


def _predicted(census: Results | None) -> Criterion:
    low, high = PREDICTED
    name = f"{CENSUS}: r.m.s. error of mixed + exact is {low}–{high} × that of claim splu.V"
    if census is None:
        return Criterion(name, None, f"{CENSUS} was not studied")
    parts = []
    for number, (_, label) in class_labels(selectivities(census.table), 1).items():
        rows = _rows(census.releases["mixed"], number)
        if rows:
            squares = (
                fmean(row["squared_error"] for row in rows),
                fmean(row["predicted_variance"] for row in rows),
            )
            ratio = (squares[0] / squares[1]) ** 0.5
            parts.append((f"{label}: {ratio:.2f}", low <= ratio <= high))
    return _all(name, parts)


def _near_best(results: Results) -> Criterion:
    rule = f"mixed + shrunk errs at most {NEAR_BEST} × as much as the best of {', '.join(RIVALS)}"
    name = f"{results.table.name}: {rule}"
    labels = class_labels(selectivities(results.table), 1)
    pieces = results.releases["mixed"]
    shrunk = error_points(pieces, "shrunk", labels)
    rivals: dict[str, dict[str, float]] = {}
    for rival in RIVALS:
        for point in error_points(pieces, rival, labels):
            rivals.setdefault(point.label, {})[rival] = point.mean
    parts = []
    for point in shrunk:
        best = min(rivals[point.label], key=lambda rival: rivals[point.label][rival])
        least = rivals[point.label][best]
        text = f"{point.label}: {point.mean:.3f} / {least:.3f} ({best}) = {point.mean / least:.2f}"
        parts.append((text, point.mean <= NEAR_BEST * least))
    return _all(name, parts)


def _covers(results: Results, kind: str, level: float) -> Criterion:
    """Test that the intervals cover 95 %, from one coverage for each release: see `e_value`."""
    table = results.table.name
    shares = [piece["covered"][kind] for piece in results.releases["mixed"]]
    shares = [share for share in shares if share is not None]
    name = f"{table}: intervals of mixed + {kind} cover 95 % of the large queries"
    if not shares:
        return Criterion(name, None, "there are no such queries")
    evidence = e_value(shares, COVERAGE)
    blind = detectable(len(shares), level)
    detail = (
        f"{fmean(shares):.3f} (releases {min(shares):.3f}–{max(shares):.3f}), e = {evidence:.2g} against "
        f"{1 / level:.2g}; {len(shares)} releases would betray a coverage of {blind:.2f} or less"
    )
    return Criterion(name, evidence * level < 1, detail)


def e_value(shares: Sequence[float], least: float) -> float:
    """Return the evidence against a coverage of ``least`` in each release, from the coverages of releases.

    The mean over a release's queries has that expectation or more if they cover as stated, whatever their
    dependence. Then the product over releases of 1 + stake (least - coverage) has an expectation of at most
    1, for each stake, and so has the mean over stakes: it reaches 1/level with probability ``level`` at most
    (Ville). A stake is at most 1/(1 - least), so that no factor is negative.
    """
    stakes = [min(stake, 1 / (1 - least)) for stake in _STAKES]
    return fmean(float(np.prod([1 + stake * (least - share) for share in shares])) for stake in stakes)


def detectable(releases: int, level: float) -> float:
    """Return the largest coverage, the same in each release, that the test rejects; 0 at worst."""
    for coverage in np.arange(COVERAGE, 0, -0.005).tolist():
        if fmean((1 + stake * (COVERAGE - coverage)) ** releases for stake in _STAKES) * level >= 1:
            return float(coverage)
    return 0.0


def _small(results: Results) -> Criterion:
    name = f"{results.table.name}: counts up to 10 keep a mean relative error above 1 under mixed + exact"
    rows = _rows(results.releases["mixed"], 0)
    if not rows:
        return Criterion(name, None, "there are no such queries")
    answered = [method for method in rows[0]["errors"] if all(method in row["errors"] for row in rows)]
    errors = {method: fmean(row["errors"][method] for row in rows) for method in answered}
    others = ", ".join(f"{method} {error:.2f}" for method, error in errors.items() if method != "exact")
    return Criterion(name, errors["exact"] > 1, f"exact {errors['exact']:.2f}; {others}")


def _rows(pieces: Sequence[Piece], number: int) -> list[Piece]:
    return [row for piece in pieces for row in piece["classes"] if row["class"] == number]


def _all(name: str, parts: Sequence[tuple[str, bool]]) -> Criterion:
    text = "; ".join(text if holds else f"{text} (not met)" for text, holds in parts)
    return Criterion(name, all(holds for _, holds in parts) if parts else None, text)
