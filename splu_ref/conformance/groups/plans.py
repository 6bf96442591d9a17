"""Vectors of decoy plans."""

from __future__ import annotations

from collections.abc import Iterator

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.generated import Generator
from splu_ref.conformance.operations.plans import SECRET
from splu_ref.decoys import PLANS

PAGE = "docs/specification/plans.md"
HISTOGRAMS: dict[int, dict[str, tuple[int, ...]]] = {
    2: {
        "one-group": (1, 1),
        "two-values": (3, 3),
        "at-the-limit": (4, 1, 0, 2, 1),
        "flat": (2, 2, 2, 2),
        "interleaved": (1, 2, 1, 2),
        "rare": (1, 1, 1, 1, 1, 1),
        "steep": (7, 4, 2, 1),
    },
    3: {
        "one-group": (0, 1, 1, 0, 1),
        "example": (3, 2, 2, 1, 1),
        "three-values": (4, 4, 4),
        "at-the-limit": (5, 3, 3, 2, 2),
        "flat": (3, 3, 3, 3),
        "interleaved": (2, 3, 2, 3, 2, 3, 3),
        "steep": (9, 6, 5, 4, 3, 2, 1),
        "last-is-largest": (1, 1, 2, 4, 4),
    },
    5: {
        "one-group": (1, 1, 1, 1, 1),
        "flat": (4, 4, 4, 4, 4, 4, 4, 4, 4, 4),
        "at-the-limit": (6, 6, 5, 4, 3, 3, 2, 1),
        "rare": (1, 0, 1, 1, 2, 2, 1, 2, 0, 3, 2),
        "ring": (8, 3, 3, 3, 3, 3, 3, 3, 3, 8),
    },
    10: {"ten-of-twelve": (3, 5, 4, 4, 5, 3, 5, 5, 4, 4, 5, 3), "flat": (2,) * 15},
}


def groups() -> Iterator[Group]:
    """Yield the vector files of plans."""
    for method in PLANS:
        for gamma, histograms in HISTOGRAMS.items():
            parameters = {"method": method, "gamma": gamma}
            cases = tuple(_case(method, gamma, name, values) for name, values in histograms.items())
            about = f"Decoy groups of {gamma} by the method {method}."
            yield Group("plan", f"{method}-{gamma}", about, PAGE, cases, parameters, (method,))
        invalid = tuple(_invalid(method))
        about = f"Histograms without a plan, for the method {method}."
        yield Group("plan", f"{method}-invalid", about, PAGE, invalid, {"method": method}, (method,))
        yield _accumulated(method, 4, [1, 60], 60)
        yield _accumulated(method, 7, [2_000, 2_000], 2)
    yield _accumulated("mixed", 6, [4_097, 4_097], 1)  # two blocks
    yield _accumulated("mixed", 2, [4_096, 4_096], 1)  # the largest block
    yield Group("plan", "invalid", "Requests that name no method.", PAGE, tuple(_no_method()))


def _case(method: str, gamma: int, name: str, values: tuple[int, ...]) -> Case:
    fields: dict[str, object] = {"histogram": list(values)}
    flags = ["Limit"] if max(values) * gamma == sum(values) else []
    flags += ["Zero"] if 0 in values else []
    if method in SECRET:
        seed = f"plan/{method}/{gamma}/{name}"
        fields["tape"] = seeded_tape("plan", {"method": method, "gamma": gamma, **fields}, seed, left=1)
        flags.append("TapeLeft")
    return Case(name, fields, tuple(flags))


def _invalid(method: str) -> Iterator[Case]:
    def refused(name: str, flag: str, gamma: object, histogram: object) -> Case:
        fields = {"histogram": histogram, "gamma": gamma} | ({"tape": "00" * 64} if method in SECRET else {})
        return Case(name, fields, (flag,), "parameter")

    yield refused("one-above-the-limit", "Infeasible", 3, [4, 3, 2])
    yield refused("too-few-values", "Infeasible", 3, [3, 3, 0])
    yield refused("no-multiple", "OutOfRange", 3, [2, 2, 1])
    yield refused("no-multiple-of-rare-values", "OutOfRange", 3, [2, 2, 1, 1, 1])
    yield refused("one-too-many", "OutOfRange", 2, [2, 2, 1])
    yield refused("no-records", "Zero", 3, [0, 0, 0])
    yield refused("no-values", "Zero", 3, [])
    yield refused("negative", "OutOfRange", 2, [2, -1, 1])
    yield refused("gamma-1", "OutOfRange", 1, [2, 2])
    yield refused("gamma-0", "OutOfRange", 0, [2, 2])
    yield refused("gamma-negative", "OutOfRange", -2, [2, 2])
    yield refused("gamma-fraction", "WrongType", 2.5, [2, 2])
    yield refused("gamma-null", "WrongType", None, [2, 2])
    yield refused("histogram-text", "WrongType", 2, "2, 2")
    yield refused("histogram-fraction", "WrongType", 2, [2.5, 1.5])
    yield refused("histogram-boolean", "WrongType", 2, [True, True])
    yield refused("histogram-nested", "WrongType", 2, [[2, 2]])
    if method in SECRET:
        fields = {"histogram": [3, 3, 2, 2, 2], "gamma": 3}
        short = seeded_tape("plan", {**fields, "method": method}, "plan/short", missing=1)
        yield Case("short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")
        yield Case("no-tape", fields, ("Missing",), "parameter")
        unread = {"histogram": [4, 3, 2], "gamma": 3, "tape": ""}
        yield Case("infeasible-and-no-bytes", unread, ("Infeasible", "BeforeTheTape"), "parameter")


def _no_method() -> Iterator[Case]:
    fields = {"histogram": [2, 2], "gamma": 2}
    yield Case("unknown-method", fields | {"method": "shuffled"}, ("Unknown",), "unsupported")
    yield Case("no-method", fields, ("Missing",), "parameter")
    yield Case("method-number", fields | {"method": 1}, ("WrongType",), "parameter")
    unknown = fields | {"method": "anatomy", "order": "smallest-id"}
    yield Case("unknown-field", unknown, ("Unknown",), "unsupported")


def _accumulated(method: str, gamma: int, groups: list[int], count: int) -> Group:
    name = f"accumulated-{method}-{gamma}"
    generator: Generator = {
        "seed": f"plan/{name}",
        "count": count,
        "groups": groups,
        "keys": ["groups"],
    }
    if method in SECRET:
        generator |= {"tape": 100, "keys": ["consumed", "groups"]}
    parameters = {"method": method, "gamma": gamma}
    about = f"One hash over the plans of {count} histograms."
    return Group("plan", name, about, PAGE, (), parameters, (method,), generator=generator)
