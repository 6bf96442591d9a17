"""Plans and publishing against what a reader of the paper would write, and the memory that publishing takes.

500,000 records, 50 values, gamma = 5, codes in memory. How time grows: `benchmarks.curves`.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.curves.tables import GAMMA, VALUES, codes, histogram
from benchmarks.timing import compare, seconds
from splu_ref.mechanisms import PlanMethod, SpluGen, anatomy, anatomy_reference, mixed
from splu_ref.randomness import IntArray, SystemSource

RECORDS = 500_000


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


def main() -> None:
    counts, source = histogram(RECORDS), SystemSource()
    plans = compare(
        lambda: mixed(counts, GAMMA, source), lambda: anatomy_reference(counts, GAMMA), clock=process_time
    )
    print(f"mixed plan of {RECORDS} records, all passes / ten-line greedy plan: {plans}  limit .5")
    values = codes(RECORDS)
    slow = seconds(lambda: record_by_record(values), process_time)
    fast = seconds(lambda: SpluGen(GAMMA, plan="anatomy").publish_codes(values, VALUES, source), process_time)
    print(f"ten-line plan and a step per record / publish: {slow / fast:.1f} ({slow:.2f} s)  at least 10")
    for name, plan, limit in (("anatomy", anatomy, 6), ("mixed", mixed, 6)):
        peak = memory(values, plan)
        shown = "not measured on this system" if peak is None else f"{peak:.1f}"
        print(f"peak memory of publish, {name} / codes as int64: {shown}  limit {limit}")


if __name__ == "__main__":
    main()
