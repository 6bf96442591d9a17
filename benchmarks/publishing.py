"""Publishing 500,000 records (50 values, gamma = 5) on codes in memory."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.timing import compare, seconds
from splu_ref.decoys import PlanMethod, anatomy, anatomy_reference, mixed
from splu_ref.mechanisms import SpluGen, Swapping
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray, SystemSource

RECORDS, VALUES, GAMMA = 500_000, 50, Gamma(5)


def histogram() -> IntArray:
    """Return frequencies that fall like 1/(rank + 5) and sum to the number of records."""
    weights = 1 / (np.arange(VALUES) + 5.0)
    counts: IntArray = np.floor(RECORDS * weights / weights.sum()).astype(np.int64)
    counts[-1] += RECORDS - counts.sum()
    return counts


def codes() -> IntArray:
    """Return codes with that histogram, in an order fixed by a seed."""
    values: IntArray = np.repeat(np.arange(VALUES), histogram())
    np.random.default_rng(0).shuffle(values)
    return values


def floor(values: IntArray, generator: np.random.Generator) -> None:
    """Do the least that any release must: one draw and one gather per record, and two orders."""
    values[generator.integers(0, GAMMA, RECORDS)]
    generator.permutation(RECORDS)
    generator.permutation(RECORDS)


def swapping_floor(values: IntArray, generator: np.random.Generator) -> None:
    """Do the least that swapping must: one coin per record, one order of the released cells, and gathers."""
    released = np.flatnonzero(generator.integers(0, 5, RECORDS) >= 2)
    swapped = values.copy()
    swapped[released] = values[released][generator.permutation(len(released))]


def record_by_record(values: IntArray) -> list[int]:
    """Publish with the ten-line plan and one Python step per record, without any order or shuffle."""
    groups = anatomy_reference(np.bincount(values), GAMMA).groups().tolist()
    holding: list[list[int]] = [[] for _ in range(VALUES)]
    for number, group in enumerate(groups):
        for value in group:
            holding[value].append(number)
    source = SystemSource()
    return [
        groups[holding[value].pop()][draw]
        for value, draw in zip(values.tolist(), source.below(GAMMA, RECORDS).tolist(), strict=True)
    ]


def _resident(which: str) -> int:
    """Return the resident memory of this process in bytes: now (``VmRSS``) or at its peak (``VmHWM``)."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split(f"{which}:")[1].split()[0])


def memory(values: IntArray, plan: PlanMethod) -> float | None:
    """Return the peak memory of one release beyond what stood before it, in units of the codes as int64.

    None where the system does not let a process set its peak back.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    before = _resident("VmRSS")
    SpluGen(GAMMA, plan=plan).publish_codes(values, VALUES, SystemSource())
    return (_resident("VmHWM") - before) / values.nbytes


def growth(groups: int) -> float:
    """Return the processor time of a mixed plan, in seconds a group, for a table with these shares."""
    counts = histogram() * (GAMMA * groups) // RECORDS
    counts[-1] += GAMMA * groups - counts.sum()
    begin = process_time()
    mixed(counts, GAMMA, SystemSource())
    return (process_time() - begin) / groups


def main() -> None:
    values, generator, source = codes(), np.random.default_rng(1), SystemSource()

    def greedily() -> None:
        SpluGen(GAMMA, plan="anatomy").publish_codes(values, VALUES, source)

    def mixing() -> None:
        SpluGen(GAMMA).publish_codes(values, VALUES, source)

    def least() -> None:
        floor(values, generator)

    swaps = compare(
        lambda: Swapping("2/5").publish_codes(values, VALUES, source),
        lambda: swapping_floor(values, generator),
    )
    print(f"publish {RECORDS} records by swapping, p = 2/5 / floor: {swaps}  limit 3")
    counts = histogram()
    plans = compare(lambda: mixed(counts, GAMMA, source), lambda: anatomy_reference(counts, GAMMA))
    print(f"mixed plan of {RECORDS} records, all passes / ten-line greedy plan: {plans}  limit .5")
    print(f"publish {RECORDS} records, anatomy / floor: {compare(greedily, least)}  limit 2.5")
    print(f"publish {RECORDS} records, mixed / floor: {compare(mixing, least)}  limit 10")
    slow, fast = seconds(lambda: record_by_record(values)), seconds(greedily)
    print(f"ten-line plan and a step per record / publish: {slow / fast:.1f} ({slow:.2f} s)  at least 10")
    for name, plan, limit in (("anatomy", anatomy, 6), ("mixed", mixed, 6)):
        peak = memory(values, plan)
        shown = "not measured on this system" if peak is None else f"{peak:.1f}"
        print(f"peak memory of publish, {name} / codes as int64: {shown}  limit {limit}")
    # Last: what these leave to the allocator would hide the peaks above.
    for factor in (0.1, 1, 10, 100):
        groups = round(factor * RECORDS) // GAMMA
        print(f"mixed plan of {groups} groups: {1e6 * growth(groups):.2f} us a group")


if __name__ == "__main__":
    main()
