"""Measure curves, show them, and write what was measured: ``python -m benchmarks.running [NAME ...]``.

``python -m benchmarks.running --output docs/benchmarks/growth.json`` makes the committed figures again, in
about a quarter of an hour; curves that are not named stay in the file as they are. ``--largest`` adds the
sizes that take minutes or most of the memory. A name may be any part of a curve's name.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.curves import CURVES
from benchmarks.growth import Point, exponent, measured
from benchmarks.machine import machine

RUNS = 5
SCHEMA = "splu-ref/growth/1"
CLOCK = "processor seconds of the process, all its threads"


def entry(name: str, points: Iterable[Point]) -> dict[str, Any]:
    """Return what was measured of a curve as a JSON object: all runs, in seconds, and on which machine."""
    return {
        "name": name,
        "unit": CURVES[name].unit,
        "baseline": CURVES[name].baseline,
        "machine": machine(),
        "points": [
            {"size": each.size, "ours": _rounded(each.ours), "baseline": _rounded(each.baseline)}
            for each in points
        ],
    }


def points_of(curve: Mapping[str, Any]) -> list[Point]:
    """Return the points of a curve of such an object."""
    return [Point(each["size"], tuple(each["ours"]), tuple(each["baseline"])) for each in curve["points"]]


def line(point: Point) -> str:
    """Return a point in words."""
    ratios = point.ratios
    return (
        f"{point.size:>12,} {point.seconds:>11.4f} s {point.size / point.seconds:>14,.0f} a second  "
        f"ratio {ratios[len(ratios) // 2]:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


def run(name: str, runs: int, *, largest: bool) -> list[Point]:
    """Measure a curve and print it."""
    curve = CURVES[name]
    print(f"{name}, by {curve.unit}; baseline: {curve.baseline}", flush=True)
    found = []
    for size in (*curve.sizes, *(curve.largest if largest else ())):
        found.append(measured(curve.at(size), size, runs))
        gc.collect()
        print(line(found[-1]), flush=True)
    print(f"  exponent of growth {exponent(found)}, in the last step {exponent(found[-2:])}")
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.running", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names of curves; all unless given")
    parser.add_argument("--largest", action="store_true", help="the sizes that take long as well")
    parser.add_argument("--runs", type=int, default=RUNS, help="times that each size is measured")
    parser.add_argument("--output", type=Path, help="a file for the measurements, as JSON")
    options = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    chosen = [name for name in CURVES if not options.names or any(part in name for part in options.names)]
    for name in chosen:
        found = entry(name, run(name, options.runs, largest=options.largest))
        if options.output is not None:
            _put(options.output, found)


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the curves of a file of measurements, by name."""
    if not path.exists():
        return {}
    return {curve["name"]: curve for curve in json.loads(path.read_text(encoding="utf-8"))["curves"]}


def _put(path: Path, found: dict[str, Any]) -> None:
    """Write a curve into a file of measurements; the others in it stay."""
    curves = read(path) | {found["name"]: found}
    ordered = [curves[name] for name in CURVES if name in curves]
    whole = {"schema": SCHEMA, "clock": CLOCK, "curves": ordered}
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(seconds: Iterable[float]) -> list[float]:
    return [float(f"{each:.4g}") for each in seconds]


if __name__ == "__main__":
    main()
