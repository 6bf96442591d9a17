"""Vectors of releases from a tape or a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.generated import Generator
from splu_ref.conformance.groups.randomness import keys
from splu_ref.decoys import PLANS

PAGE = "docs/specification/publishing.md"
TABLES: dict[int, dict[str, tuple[int, ...]]] = {
    2: {
        "pair": (1, 0),
        "two-values": (0, 1, 1, 0, 1, 0),
        "remainder": (0, 1, 2, 1, 0),
        "skewed": (3, 0, 3, 1, 3, 2, 0, 3),
        "gaps": (9, 4, 4, 9, 0, 7),
    },
    3: {
        "two-groups": (0, 1, 2, 0, 1, 2),
        "remainder-1": (0, 1, 2, 0, 1, 2, 3),
        "remainder-2": (4, 1, 2, 0, 1, 2, 3, 0),
        "at-the-limit": (0, 0, 0, 1, 2, 1, 2, 3, 4),
        "many": tuple(k * k % 11 for k in range(33)),
    },
    5: {
        "one-group": (4, 2, 0, 1, 3),
        "remainder-4": (0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6),
        "many": tuple(k * 7 % 12 for k in range(60)),
    },
}
RETENTIONS = {2: ("1/10", "9/10"), 3: ("1/2", "0.35", "1"), 5: ("1/5", "1/3")}


def groups() -> Iterator[Group]:
    """Yield the vector files of releases."""
    for method in PLANS:
        for gamma, tables in TABLES.items():
            yield _group(method, gamma, tables, {})
            for retention in RETENTIONS[gamma]:
                yield _group(method, gamma, tables, {"retention": retention})
        yield _accumulated(method, 4, [1, 40], 100)
        yield _several_columns(method)
    yield _accumulated("mixed", 3, [4_097, 4_097], 1)  # two blocks
    yield Group("publish", "example", "Chosen bytes.", PAGE, tuple(_example()), requires=("anatomy",))
    yield Group("publish", "invalid", "Tables that cannot be published.", PAGE, tuple(_invalid()))
    yield Group(
        "publish",
        "invalid-retention",
        "Retention probabilities that do not exist.",
        PAGE,
        tuple(_no_retention()),
        requires=("anatomy", "retention"),
    )
    yield Group("publish_random", "invalid", "Requests for releases at random.", PAGE, tuple(_no_releases()))


def _group(
    method: str, gamma: int, tables: Mapping[str, tuple[int, ...]], retained: Mapping[str, str]
) -> Group:
    parameters = {"method": method, "gamma": gamma, **retained}
    name = "-retention-".join([f"{method}-{gamma}", *(text.replace("/", "_") for text in retained.values())])
    cases = tuple(
        case for table, codes in tables.items() for case in _cases(gamma, parameters, name, table, codes)
    )
    about = f"Releases with groups of {gamma} by the method {method}."
    return Group("publish", name, about, PAGE, cases, parameters, (method, *retained))


def _cases(
    gamma: int, parameters: Mapping[str, object], group: str, table: str, codes: tuple[int, ...]
) -> Iterator[Case]:
    fields = {"sensitive": list(codes)}
    flags = ("Remainder",) if len(codes) % gamma else ()
    for number in range(3):
        seed = f"publish/{group}/{table}/{number}"
        tape = seeded_tape("publish", {**parameters, **fields}, seed, left=number)
        left = ("TapeLeft",) if number else ()
        yield Case(f"{table}-{number}", {**fields, "tape": tape}, (*flags, *left))
    short = seeded_tape("publish", {**parameters, **fields}, f"publish/{group}/{table}", missing=1)
    yield Case(f"{table}-short", {**fields, "tape": short}, (*flags, "TapeExhausted"), "tape_exhausted")


def _example() -> Iterator[Case]:
    fields = {"sensitive": [0, 1, 2, 0, 1, 2], "gamma": 3, "method": "anatomy"}
    order, draws, shuffle = keys(1, 2, 3, 4, 5, 6), "00010302000102", keys(6, 5, 4, 3, 2, 1)
    yield Case("of-the-page", {**fields, "tape": order + draws + shuffle}, ("Rejection",))
    tied = keys(1, 2, 3, 1, 2, 2, 9, 8, 7, 7, 1, 0)
    yield Case("ties-in-the-order", {**fields, "tape": tied + draws + shuffle}, ("Tie", "TieAgain"))
    rejected = "ff" * 8 + "00" + "03" * 9 + "0102000102"
    yield Case("rejections-in-a-row", {**fields, "tape": order + rejected + shuffle}, ("RejectionsInARow",))
    same = keys(5, 5, 5, 5, 5, 5, 2, 2, 1, 1, 0, 0, 9, 8, 7, 6, 5, 4)
    yield Case("ties-in-the-shuffle", {**fields, "tape": order + draws + same}, ("Tie", "TieAgain"))
    for name, tape in {
        "ends-in-the-order": order[:-2],
        "ends-in-the-draws": order + draws[:-2],
        "ends-in-a-rejection": order + "03",
        "ends-in-the-shuffle": order + draws + shuffle[:-8],
        "ends-in-a-tie": order + draws + same[:-2],
        "empty-tape": "",
    }.items():
        yield Case(name, {**fields, "tape": tape}, ("TapeExhausted",), "tape_exhausted")


def _invalid() -> Iterator[Case]:
    def refused(name: str, flag: str, kind: str = "parameter", **fields: object) -> Case:
        valid = {"sensitive": [0, 1, 0, 1], "gamma": 2, "method": "anatomy", "tape": "00" * 64}
        return Case(name, valid | fields, (flag,), kind)

    yield refused("one-value", "Infeasible", sensitive=[3, 3, 3, 3])
    yield refused("above-the-limit", "Infeasible", sensitive=[0, 0, 0, 1])
    yield refused("above-the-limit-before-deletion", "Infeasible", sensitive=[0, 0, 0, 1, 2])
    yield refused("fewer-records-than-gamma", "Infeasible", gamma=5)
    yield refused("no-records", "Zero", sensitive=[])
    yield refused("negative-code", "OutOfRange", sensitive=[0, -1])
    yield refused("codes-as-texts", "WrongType", sensitive=["0", "1"])
    yield refused("gamma-1", "OutOfRange", gamma=1)
    yield refused("gamma-text", "WrongType", gamma="two")
    yield refused("tape-no-digits", "WrongType", tape="xy")
    yield refused("unknown-method", "Unknown", "unsupported", method="greedy")
    yield refused("unknown-field", "Unknown", "unsupported", order="smallest-id")
    without = {"sensitive": [0, 1], "gamma": 2, "method": "anatomy"}
    yield Case("no-tape", without, ("Missing",), "parameter")


def _no_retention() -> Iterator[Case]:
    fields = {"sensitive": [0, 1, 0, 1], "gamma": 2, "method": "anatomy", "tape": "00" * 64}
    for name, text in {
        "zero": "0",
        "negative": "-1/2",
        "above-1": "3/2",
        "word": "half",
        "no-denominator": "1/0",
    }.items():
        yield Case(name, {**fields, "retention": text}, ("OutOfRange",), "parameter")
    yield Case("number", {**fields, "retention": 0.5}, ("WrongType",), "parameter")


def _no_releases() -> Iterator[Case]:
    fields = {"sensitive": [0, 1, 0, 1], "gamma": 2, "method": "anatomy", "times": 2}
    yield Case("times-0", fields | {"times": 0}, ("OutOfRange",), "parameter")
    yield Case("times-text", fields | {"times": "often"}, ("WrongType",), "parameter")
    yield Case("infeasible", fields | {"sensitive": [0, 0, 0, 1]}, ("Infeasible",), "parameter")
    yield Case("tape", fields | {"tape": "00"}, ("Unknown",), "unsupported")


def _accumulated(method: str, gamma: int, groups: list[int], count: int) -> Group:
    name = f"accumulated-{method}-{gamma}"
    generator: Generator = {
        "seed": f"publish/{name}",
        "count": count,
        "groups": groups,
        "tape": 150,
        "keys": ["consumed", "published"],
    }
    about = f"One hash over {count} release{'s' * (count > 1)}."
    parameters = {"method": method, "gamma": gamma}
    return Group("publish", name, about, PAGE, (), parameters, (method,), generator=generator)


def _several_columns(method: str) -> Group:
    first, second, third = (0, 1, 2, 0, 1, 2, 3, 3), (2, 1, 0, 2, 1, 0, 3, 4), (0, 1, 2, 3, 4, 5, 6, 7)
    parameters = {"method": method, "gamma": 3}
    cases = []
    for name, columns in {
        "one": (first,),
        "two": (first, second),
        "alike": (first, first),
        "three": (first, second, third),
    }.items():
        fields = {"sensitive": [list(column) for column in columns]}
        seed = f"release/{method}/{name}"
        tape = seeded_tape("release", {**parameters, **fields}, seed, left=2)
        cases.append(Case(name, {**fields, "tape": tape}, ("Remainder", "TapeLeft")))
        short = seeded_tape("release", {**parameters, **fields}, seed, missing=1)
        flags = ("Remainder", "TapeExhausted")
        cases.append(Case(f"{name}-short", {**fields, "tape": short}, flags, "tape_exhausted"))
    lengths = {"sensitive": [[0, 1, 2], [0, 1]], "tape": "00" * 99}
    cases.append(Case("unequal-lengths", lengths, ("WrongType",), "parameter"))
    nothing: dict[str, object] = {"sensitive": [], "tape": ""}
    cases.append(Case("no-columns", nothing, ("Zero",), "parameter"))
    infeasible = {"sensitive": [[0, 1, 2], [0, 0, 1]], "tape": "00" * 99}
    cases.append(Case("second-infeasible", infeasible, ("Infeasible",), "parameter"))
    about = f"Releases of several sensitive columns by the method {method}."
    return Group("release", f"{method}-3", about, PAGE, tuple(cases), parameters, (method,))
