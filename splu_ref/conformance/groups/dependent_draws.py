"""Vectors of releases in which the draws of a group hang together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from splu_ref.conformance.build import Case, Group, seeded_tape
from splu_ref.conformance.groups.keyed import KEY, record
from splu_ref.conformance.groups.publishing import PAGE
from splu_ref.conformance.groups.randomness import keys
from splu_ref.conformance.groups.secrets import document_of, sent
from splu_ref.decoys import PLANS

LAWS = ("capped:1", "capped:2", "all-or-none:1", "all-or-none:3")
TABLES: Mapping[int, Mapping[str, tuple[int, ...]]] = {
    2: {"pair": (1, 0), "skewed": (3, 0, 3, 1, 3, 2, 0, 3), "remainder": (0, 1, 2, 1, 0)},
    3: {
        "two-groups": (0, 1, 2, 0, 1, 2),
        "at-the-limit": (0, 0, 0, 1, 2, 1, 2, 3, 4),
        "remainder-2": (4, 1, 2, 0, 1, 2, 3, 0),
    },
    5: {"one-group": (4, 2, 0, 1, 3), "many": tuple(k * 7 % 12 for k in range(64))},
}


def groups() -> Iterator[Group]:
    """Yield the vector files of draws that hang together."""
    for law in LAWS:
        label = law.replace(":", "-")
        for method in PLANS:
            for gamma, tables in TABLES.items():
                fixed: dict[str, object] = {"method": method, "gamma": gamma, "draws": law}
                name = f"{label}-{method}-{gamma}"
                about = f"Releases with draws {law}: groups of {gamma} by the method {method}."
                cases = tuple(_tapes(fixed, name, tables))
                yield Group("publish", name, about, PAGE, cases, fixed, (method, "draws"))
            fixed = {"method": method, "gamma": 3, "column": "occupation", "draws": law}
            fixed |= {"key": KEY, "columns": ["id", "occupation"], "id_column": "id"}
            about = f"Keyed releases with draws {law} by the method {method}."
            cases = tuple(_keyed())
            yield Group("publish_keyed", f"{label}-{method}-3", about, PAGE, cases, fixed, (method, "draws"))
        fixed = {"method": "anatomy", "gamma": 3, "draws": law}
        about = f"Releases of several sensitive columns with draws {law}."
        cases = tuple(_columns(fixed, label))
        yield Group("release", f"{label}-anatomy-3", about, PAGE, cases, fixed, ("anatomy", "draws"))
    for law, gamma, groups_of, count in (("capped:3", 4, [1, 30], 40), ("all-or-none:5", 3, [1, 30], 40)):
        yield _accumulated(law, gamma, groups_of, count)
    yield _accumulated("capped:100", 3, [4_097, 4_097], 1)  # two blocks
    about = "Chosen bytes of draws that hang together."
    yield Group("publish", "draws-chosen-bytes", about, PAGE, tuple(_chosen()), {}, ("anatomy", "draws"))
    about = "Laws of draws that do not exist, or do not go with a retention."
    yield Group("publish", "draws-invalid", about, PAGE, tuple(_invalid()), {}, ("anatomy", "draws"))
    about = "Manifests of releases with draws that hang together."
    yield Group("manifest", "draws", about, PAGE, tuple(_manifests()))


def _tapes(fixed: Mapping[str, object], group: str, tables: Mapping[str, tuple[int, ...]]) -> Iterator[Case]:
    for table, codes in tables.items():
        fields = {"sensitive": list(codes)}
        for number in range(2):
            seed = f"publish/{group}/{table}/{number}"
            tape = seeded_tape("publish", {**fixed, **fields}, seed, left=number)
            yield Case(f"{table}-{number}", {**fields, "tape": tape}, ("TapeLeft",) if number else ())
        short = seeded_tape("publish", {**fixed, **fields}, f"publish/{group}/{table}", missing=1)
        yield Case(f"{table}-short", {**fields, "tape": short}, ("TapeExhausted",), "tape_exhausted")


def _keyed() -> Iterator[Case]:
    codes = [k * 5 % 9 for k in range(26)]
    records = [record(f"r{place}", str(code)) for place, code in enumerate(codes)]
    named = [f"r{place}".encode().hex() for place in range(26)]
    fields: dict[str, object] = {"sensitive": codes, "records": records, "identities": named}
    yield Case("remainder", fields, ("Remainder",))
    turned = {name: values[::-1] for name, values in fields.items() if isinstance(values, list)}
    yield Case("in-another-order", turned, ("Remainder",))


def _columns(fixed: Mapping[str, object], label: str) -> Iterator[Case]:
    columns = [[0, 1, 2, 0, 1, 2, 3, 3], [2, 1, 0, 2, 1, 0, 3, 4]]
    fields = {"sensitive": columns}
    tape = seeded_tape("release", {**fixed, **fields}, f"release/{label}", left=2)
    yield Case("two", {**fields, "tape": tape}, ("Remainder", "TapeLeft"))


def _accumulated(law: str, gamma: int, groups_of: list[int], count: int) -> Group:
    name = f"accumulated-{law.replace(':', '-')}-mixed-{gamma}"
    return Group(
        "publish",
        name,
        f"One hash over {count} release{'s' * (count > 1)} with draws {law}.",
        PAGE,
        (),
        {"method": "mixed", "gamma": gamma, "draws": law},
        ("mixed", "draws"),
        generator={
            "seed": f"publish/{name}",
            "count": count,
            "groups": groups_of,
            "tape": 170,
            "keys": ["consumed", "published"],
        },
    )


def _chosen() -> Iterator[Case]:
    """Yield releases of six records in two groups."""
    six = {"sensitive": [0, 1, 2, 0, 1, 2], "gamma": 3, "method": "anatomy"}
    up, down = keys(1, 2, 3, 4, 5, 6), keys(6, 5, 4, 3, 2, 1)
    capped: dict[str, object] = {**six, "draws": "capped:1"}
    places = "00020003010102"
    page = up + keys(1, 2) + "00000203000101" + keys(6, 5, 4, 3, 1, 2, 8, 4, 6, 5, 9, 7) + down
    yield Case("of-the-page", {**capped, "sensitive": [0, 1, 2, 0, 1, 3], "tape": page}, ("Rejection",))
    yield Case("second-group-first", {**capped, "tape": up + keys(2, 1) + places + down + up + down})
    yield Case("first-group-first", {**capped, "tape": up + keys(1, 2) + places + down + up + down})
    tied = keys(7, 7, 9, 8) + places
    yield Case("groups-tie", {**capped, "tape": up + tied + down + up + down}, ("Tie",))
    shares = keys(5, 5, 5, 1, 1, 1, 3, 2, 2, 0, 9, 9, 4, 6, 8, 7)
    tape = up + keys(2, 1) + places + shares + up + down
    yield Case("shares-and-deals-tie", {**capped, "tape": tape}, ("Tie", "TieAgain", "TapeLeft"))
    for name, text in {
        "ends-before-the-groups": up,
        "ends-in-the-places": up + keys(1, 2) + places[:-2],
        "ends-in-the-shares": up + keys(1, 2) + places + down[:-2],
        "ends-in-the-deal": up + keys(1, 2) + places + down + up[:-2],
    }.items():
        yield Case(name, {**capped, "tape": text}, ("TapeExhausted",), "tape_exhausted")
    rare: dict[str, object] = {**six, "draws": "all-or-none:1", "sensitive": [0, 1, 3, 0, 1, 2]}
    yield Case("the-rare-win", {**rare, "tape": up + "0202" + up + down + up})
    yield Case("the-common-win", {**rare, "tape": up + "000301" + down + up + up}, ("Rejection",))
    every = {**six, "draws": "all-or-none:2", "tape": up + "0001" + up + down + up}
    yield Case("all-are-rare", every)
    none = {**six, "draws": "all-or-none:1", "tape": up + "0102" + up + down + up}
    yield Case("none-is-rare", none)
    large = {**six, "draws": "capped:999999999999999", "tape": up + up[:16] + places + up + down + up}
    yield Case("the-largest-bound", large, ("Large",))
    plain: dict[str, object] = {**six, "draws": "independent", "tape": up + "00010302000102" + down}
    yield Case("independent", plain, ("Rejection",))
    told: dict[str, object] = {
        **capped,
        "retention": "2/6",
        "tape": up + keys(2, 1) + places + down + up + down,
    }
    yield Case("retention-in-other-words", told)


def _invalid() -> Iterator[Case]:
    valid = {"sensitive": [0, 1, 0, 1], "gamma": 2, "method": "anatomy", "tape": "00" * 64}
    for name, text in {
        "no-bound": "capped",
        "empty-bound": "all-or-none:",
        "bound-0": "capped:0",
        "bound-begins-with-0": "capped:01",
        "bound-negative": "all-or-none:-1",
        "bound-with-a-point": "capped:1.0",
        "bound-with-a-blank": "capped: 1",
        "bound-with-a-sign": "capped:+1",
        "bound-of-16-digits": "capped:1000000000000000",
        "bound-of-independent": "independent:1",
        "another-word": "even:2",
        "capital": "Capped:1",
        "line-feed": "capped:1\n",
        "empty": "",
    }.items():
        yield Case(name, {**valid, "draws": text}, ("OutOfRange",), "parameter")
    yield Case("number", {**valid, "draws": 1}, ("WrongType",), "parameter")
    with_retention = {**valid, "draws": "capped:1", "retention": "1/3"}
    yield Case("another-retention", with_retention, ("OutOfRange",), "parameter")
    unread = {**valid, "draws": "capped:1", "retention": "1/3", "tape": ""}
    yield Case("another-retention-and-no-bytes", unread, ("BeforeTheTape",), "parameter")


def _manifests() -> Iterator[Case]:
    for law in LAWS:
        yield Case(law.replace(":", "-"), sent(document_of(draws=law)))
    yield Case("independent", sent(document_of(draws="independent")))
    refused: Mapping[str, Mapping[str, object]] = {
        "no-bound": {"draws": "capped"},
        "bound-0": {"draws": "capped:0"},
        "number": {"draws": 3},
        "null-and-more": {"draws": ["capped:1"]},
        "another-retention": {"draws": "capped:1", "retention": "1/2"},
    }
    for name, changed in refused.items():
        yield Case(name, sent(document_of(**changed)), ("OutOfRange",), "parameter")
