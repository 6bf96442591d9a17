"""Vectors of releases from a tape or a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.generated import Generator
from splu_ref.conformance.groups.randomness import keys
from splu_ref.decoys import PLANS
from splu_ref.mechanisms.draws import draw_rule
from splu_ref.model import Gamma

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


LONG_RETENTIONS = {
    "above-8-bits": (3, "100/301"),
    "above-16-bits": (3, "12345/98764"),
    "above-31-bits": (3, "1000000001/3000000000"),
    "above-32-bits": (2, "1234567891/4294967311"),
    "above-53-bits": (2, "1234567890123457/9007199254740997"),
    "of-62-bits": (3, "1/2305843009213693951"),
    "of-63-bits": (2, "4611686018427387905/9223372036854775807"),
}
"""Group size and retention, with the denominator m of the draws above these sizes and at most 2**63."""


def groups() -> Iterator[Group]:
    """Yield the vector files of releases."""
    for method in PLANS:
        for gamma, tables in TABLES.items():
            yield _group(method, gamma, tables, {})
            for retention in RETENTIONS[gamma]:
                yield _group(method, gamma, tables, {"retention": retention})
        yield _accumulated(method, 4, [1, 40], 100)
        yield _several_columns(method, {})
        yield _several_columns(method, {"retention": "3/5"})
        yield _several_columns(method, {"retention": "1"})
        yield _accumulated(method, 5, [4, 30], 20, {"retention": "2/3"})
    yield _accumulated("mixed", 3, [4_097, 4_097], 1)  # two blocks
    for gamma, retained in (
        (2, None),
        (3, None),
        (5, None),
        (3, "1/2"),
        (4, "1/2"),
        (5, "2/3"),
        (7, "1"),
        (2, "9/10"),
    ):
        kept = {"retention": retained} if retained else {}
        name = "-retention-".join([f"gamma-{gamma}", *(text.replace("/", "_") for text in kept.values())])
        about = f"Draws of records: groups of {gamma}" + (f", retention {retained}." if retained else ".")
        fixed: dict[str, object] = {"gamma": gamma, **kept}
        yield Group("draws", name, about, PAGE, tuple(_draws(fixed)), fixed, tuple(kept))
    yield Group("publish", "example", "Chosen bytes.", PAGE, tuple(_example()), requires=("anatomy",))
    for name, (gamma, retention) in LONG_RETENTIONS.items():
        parameters: dict[str, object] = {"method": "anatomy", "gamma": gamma, "retention": retention}
        about = f"Draws below {_bound(gamma, retention)}: groups of {gamma}, retention {retention}."
        cases = tuple(_long_draws(parameters))
        yield Group("publish", f"draws-{name}", about, PAGE, cases, parameters, ("anatomy", "retention"))
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


def _draws(fixed: Mapping[str, object]) -> Iterator[Case]:
    yield Case("none", {"size": 0, "tape": "ff"}, ("NothingRead", "TapeLeft"))
    fields = {"size": 24}
    for number in range(2):
        tape = seeded_tape("draws", {**fixed, **fields}, f"draws/{fixed}/{number}", left=number)
        yield Case(f"several-{number}", {**fields, "tape": tape}, ("TapeLeft",) if number else ())
    if fixed.get("retention") != "1":
        yield Case("empty-tape", {"size": 1, "tape": ""}, ("TapeExhausted",), "tape_exhausted")
    yield Case("every-byte", {"size": 40, "tape": bytes(range(256)).hex()}, ("Rejection", "TapeLeft"))
    yield Case("size-negative", {"size": -1, "tape": ""}, ("OutOfRange",), "parameter")


def _bound(gamma: int, retention: str) -> int:
    return draw_rule(Gamma(gamma), Fraction(retention)).bound


def _long_draws(parameters: Mapping[str, object]) -> Iterator[Case]:
    codes = [k * 5 % 7 for k in range(24)]
    for number in range(3):
        fields = {"sensitive": codes}
        tape = seeded_tape("publish", {**parameters, **fields}, f"publish/long/{parameters}/{number}")
        yield Case(f"seven-values-{number}", {**fields, "tape": tape}, ("Exact",))
    gamma, retention = parameters["gamma"], parameters["retention"]
    assert isinstance(gamma, int)
    assert isinstance(retention, str)
    rule = draw_rule(Gamma(gamma), Fraction(retention))
    width = -(-(rule.bound - 1).bit_length() // 8)
    ends = [0, rule.keeping - 1, rule.keeping, rule.keeping + rule.share - 1, rule.bound - 1, rule.bound - 1]
    order, shuffle = keys(1, 2, 3, 4, 5, 6), keys(6, 5, 4, 3, 2, 1)
    draws = b"".join(end.to_bytes(width, "big") for end in ends).hex()
    chosen = {"sensitive": [0, 1, 2, 0, 1, 2], "tape": order + draws + shuffle}
    yield Case("ends-of-the-shares", chosen, ("Exact", "Limit", "Extremes"))


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
    late = "BeforeTheTape"
    yield refused("above-the-limit-and-no-bytes", late, sensitive=[0, 0, 0, 1], tape="")
    yield refused("above-the-limit-before-deletion-and-no-bytes", late, sensitive=[0, 0, 0, 1, 2], tape="")
    yield refused("no-method-and-no-bytes", late, "unsupported", method="greedy", tape="")
    yield refused("retention-0-and-no-bytes", late, retention="0", tape="")
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


def _accumulated(
    method: str, gamma: int, groups: list[int], count: int, retained: Mapping[str, str] = MappingProxyType({})
) -> Group:
    name = "-retention-".join(
        [f"accumulated-{method}-{gamma}", *(text.replace("/", "_") for text in retained.values())]
    )
    generator: Generator = {
        "seed": f"publish/{name}",
        "count": count,
        "groups": groups,
        "tape": 150,
        "keys": ["consumed", "published"],
    }
    about = f"One hash over {count} release{'s' * (count > 1)}."
    parameters = {"method": method, "gamma": gamma, **retained}
    return Group("publish", name, about, PAGE, (), parameters, (method, *retained), generator=generator)


def _several_columns(method: str, retained: Mapping[str, str]) -> Group:
    first, second, third = (0, 1, 2, 0, 1, 2, 3, 3), (2, 1, 0, 2, 1, 0, 3, 4), (0, 1, 2, 3, 4, 5, 6, 7)
    parameters = {"method": method, "gamma": 3, **retained}
    label = "-retention-".join([f"{method}-3", *(text.replace("/", "_") for text in retained.values())])
    cases = []
    for name, columns in {
        "one": (first,),
        "two": (first, second),
        "alike": (first, first),
        "three": (first, second, third),
        "other-domains": ((0, 0, 1, 1, 2, 3, 4, 5), (9, 0, 8, 1, 9, 2, 0, 3)),
    }.items():
        if retained and name in ("one", "alike"):
            continue
        fields = {"sensitive": [list(column) for column in columns]}
        seed = "/".join(["release", method, name, *retained.values()])
        tape = seeded_tape("release", {**parameters, **fields}, seed, left=2)
        cases.append(Case(name, {**fields, "tape": tape}, ("Remainder", "TapeLeft")))
        short = seeded_tape("release", {**parameters, **fields}, seed, missing=1)
        flags = ("Remainder", "TapeExhausted")
        cases.append(Case(f"{name}-short", {**fields, "tape": short}, flags, "tape_exhausted"))
    lengths = {"sensitive": [[0, 1, 2], [0, 1]], "tape": "00" * 99}
    cases.append(Case("unequal-lengths", lengths, ("WrongType",), "parameter"))
    nothing: dict[str, object] = {"sensitive": [], "tape": ""}
    cases.append(Case("no-columns", nothing, ("Zero",), "parameter"))
    unread = {"sensitive": [[0, 1, 2, 3], [0, 0, 1, 2]], "tape": ""}
    flags = ("Infeasible", "BeforeTheTape")
    cases.append(Case("second-infeasible-and-no-bytes", unread, flags, "parameter"))
    infeasible = {"sensitive": [[0, 1, 2], [0, 0, 1]], "tape": "00" * 99}
    cases.append(Case("second-infeasible", infeasible, ("Infeasible",), "parameter"))
    about = f"Releases of several sensitive columns by the method {method}."
    return Group("release", label, about, PAGE, tuple(cases), parameters, (method, *retained))
