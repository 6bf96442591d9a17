"""The measurements as tables of the page on speed, and a picture: ``python -m benchmarks.page``.

The tables of curves, machines and other packages are made when the documentation is built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.commands import table as commands_table
from benchmarks.drawing import drawing
from benchmarks.growth import Point, exponent
from benchmarks.machine import in_words
from benchmarks.running import points_of, read

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "benchmarks.md"
PICTURE = DOCS / "_static" / "growth.svg"
GROWTH = DOCS / "benchmarks" / "growth.json"
COMMANDS = DOCS / "benchmarks" / "commands.json"
PEERS = DOCS / "benchmarks" / "peers.json"


def page(text: str) -> str:
    """Return the text of the page with the table of the commands between its marks."""
    lines = commands_table(json.loads(COMMANDS.read_text(encoding="utf-8"))["rows"])
    begin, end = "<!-- commands -->", "<!-- end of commands -->"
    block = "\n".join([begin, "", *lines, "", end])
    return re.sub(f"{begin}.*?{end}", block.replace("\\", r"\\"), text, flags=re.DOTALL)


def tables() -> dict[str, str]:
    """Return the tables of the curves, the machines and the other packages in Markdown."""
    curves = list(read(GROWTH).values())
    peers = json.loads(PEERS.read_text(encoding="utf-8"))
    commands = json.loads(COMMANDS.read_text(encoding="utf-8"))
    lines = {
        "growth": growth_table(curves),
        "machines": machines([commands, *curves], peers),
        "peers": peers_table(peers),
    }
    return {name: "\n".join(each) for name, each in lines.items()}


def growth_table(curves: list[dict[str, Any]]) -> Iterator[str]:
    """Return the rows of the curves: the largest size, time and rate there, ratio, exponents."""
    yield "| what | largest size | processor time | each second | times the baseline | exponent | last step |"
    yield "|---|---|---|---|---|---|---|"
    for curve in curves:
        points = points_of(curve)
        last = points[-1]
        yield (
            f"| {curve['name']} | {last.size:,} {curve['unit']} | {_time(last.seconds)} | "
            f"{_rounded(last.size / last.seconds)} | {_ratio(last)} | {exponent(points)} | "
            f"{exponent(points[-2:])} |"
        )


def machines(curves: list[dict[str, Any]], peers: Mapping[str, Any]) -> Iterator[str]:
    """Return the machines that the figures were taken on, each once, as a list."""
    for words in dict.fromkeys(in_words(each["machine"]) for each in (*curves, peers)):
        yield f"- {words}"


def peers_table(peers: Mapping[str, Any]) -> Iterator[str]:
    """Return the rows of the comparisons: time of both, ratio, errors, promises."""
    yield "| question | instead | time here | time there | there / here | error here | error there |"
    yield "|---|---|---|---|---|---|---|"
    for each in peers["comparisons"]:
        value, least, greatest = each["ratio"]
        errors = ["–", "–"] if each["errors"] is None else [f"{one:.3g}" for one in each["errors"]]
        yield (
            f"| {each['question']} | {each['peer']} | {_time(each['seconds'])} | "
            f"{_time(each['peer_seconds'])} | {_spread(value, least, greatest)} | "
            f"{' | '.join(errors)} |"
        )
    yield ""
    yield "| question | what is promised here | what is promised there |"
    yield "|---|---|---|"
    for each in peers["comparisons"]:
        yield f"| {each['question']} | {each['promise']} | {each['peer_promise']} |"


def _ratio(point: Point) -> str:
    ratios = point.ratios
    return _spread(ratios[len(ratios) // 2], ratios[0], ratios[-1])


def _spread(value: float, least: float, greatest: float) -> str:
    first, second, third = (
        f"{each:,.0f}" if each >= 100 else f"{each:.2g}" for each in (value, least, greatest)
    )
    return f"{first} ({second} to {third})"


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def _rounded(rate: float) -> str:
    """Return a rate with two digits."""
    digits = len(str(int(rate)))
    return f"{round(rate, 2 - digits):,.0f}" if digits > 1 else f"{rate:.2g}"


def main() -> None:
    PICTURE.write_text(drawing(list(read(GROWTH).values())), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
