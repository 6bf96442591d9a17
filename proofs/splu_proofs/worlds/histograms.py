"""Small worlds to try a claim in: histograms, and the greedy plan written straight from the paper."""

from __future__ import annotations

from collections.abc import Iterator


def histograms(total: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write ``total`` as an ordered sum of counts of at least 1."""
    if total == 0:
        yield ()
    for first in range(1, total + 1):
        for rest in histograms(total - first):
            yield (first, *rest)


def spreads(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread ``total`` over ``parts`` values, counts of 0 included."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in spreads(total - first, parts - 1):
            yield (first, *rest)


def greedy_groups(histogram: tuple[int, ...], gamma: int) -> list[tuple[int, ...]]:
    """Take one record from each of the gamma largest buckets, N/gamma times (Fu et al. 2014, section 6.1).

    Ties go to the smaller value. A group names its values in ascending order.

    Raises
    ------
    ValueError
        If a round finds fewer than gamma buckets with a record in them.
    """
    left = list(histogram)
    groups = []
    for _ in range(sum(histogram) // gamma):
        chosen = sorted(range(len(left)), key=lambda value: (-left[value], value))[:gamma]
        if len(chosen) < gamma or any(left[value] == 0 for value in chosen):
            raise ValueError("fewer than gamma buckets are left")
        for value in chosen:
            left[value] -= 1
        groups.append(tuple(sorted(chosen)))
    return groups
