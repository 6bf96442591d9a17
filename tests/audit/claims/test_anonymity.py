"""Claims about tables in groups, against the definitions by brute force."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from hashlib import sha256
from math import prod
from pathlib import Path

import pytest

from splu_ref.audit.anonymity import OPEN
from splu_ref.audit.claims.reading import decide, foresee, read_claims
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.channels.binomial import one_budget
from splu_ref.channels.parameters import InputError
from splu_ref.data.reading import use_separator

Groups = list[Counter[str]]


def _table(folder: Path, seed: int) -> Groups:
    """Write a small table of columns a, b and s, and return the groups of a and b."""
    chance = random.Random(seed)
    rows = [(chance.choice("pq"), chance.choice("uv"), chance.choice("xxyz")) for _ in range(20)]
    (folder / "t.csv").write_text("a,b,s\n" + "".join(",".join(row) + "\n" for row in rows))
    groups: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for a, b, s in rows:
        groups[a, b][s] += 1
    return list(groups.values())


def _decided(folder: Path, kind: str, **keys: str) -> Finding:
    lines = ['schema = "splu-ref/claims/1"', "[release]", 'mechanism = "table"', 'table = "t.csv"']
    lines += ['quasi = ["a", "b"]', 'sensitive = "s"', "[[claim]]", 'id = "a"', f'kind = "{kind}"']
    lines += [f"{key} = {value}" for key, value in keys.items()]
    (folder / "c.toml").write_text("\n".join(lines))
    (claim,) = read_claims(folder / "c.toml").claims
    assert claim.work() > 0
    return decide(claim)


def _entropy_reaches(group: Counter[str], number: int) -> bool:
    size = group.total()
    retained = Fraction(int(size**size), prod(int(count**count) for count in group.values()))
    return retained >= int(number**size)


def _far(group: Counter[str], table: Counter[str]) -> Fraction:
    shares = (Fraction(group[v], group.total()) - Fraction(table[v], table.total()) for v in table)
    return sum((abs(share) for share in shares), Fraction(0)) / 2


def _holds(kind: str, keys: dict[str, str], group: Counter[str], table: Counter[str]) -> bool:
    """Return whether a claim is true for a group, by its definition."""
    most = max(group.values())
    if kind == "k-anonymity":
        return group.total() >= int(keys["k"])
    if kind == "t-closeness":
        return _far(group, table) <= Fraction(keys["t"].strip('"'))
    if "measure" not in keys:
        return len(group) >= int(keys["l"])
    if "c" in keys:
        return most < Fraction(keys["c"].strip('"')) * (group.total() - most)
    return _entropy_reaches(group, int(keys["l"]))


@pytest.mark.parametrize("seed", range(4))
def test_verdicts_are_those_of_the_definitions(tmp_path: Path, seed: int) -> None:
    groups = _table(tmp_path, seed)
    whole: Counter[str] = sum(groups, Counter())
    farthest = max(_far(group, whole) for group in groups)
    recursive = {"l": "2", "measure": '"recursive"'}
    cases: list[tuple[str, dict[str, str]]] = [
        *(("k-anonymity", {"k": k}) for k in ("1", "3", "5", "21")),
        *(("l-diversity", {"l": number}) for number in ("2", "3", "4")),
        *(("l-diversity", {"l": number, "measure": '"entropy"'}) for number in ("1", "2", "3")),
        *(("l-diversity", {**recursive, "c": f'"{c}"'}) for c in ("1/2", "2", "100")),
        *(("t-closeness", {"t": f'"{t}"'}) for t in ("0", "1/5", farthest)),
    ]
    for kind, keys in cases:
        finding = _decided(tmp_path, kind, **keys)
        within = sum(group.total() for group in groups if _holds(kind, keys, group, whole))
        verdict = Verdict.CONFIRMED if within == 20 else Verdict.NARROWED if within else Verdict.REFUTED
        assert (finding.verdict, finding.numbers["within"]) == (verdict, within), (kind, keys)
        assert (finding.true_for == "") == (verdict is not Verdict.NARROWED)
        assert verdict is Verdict.CONFIRMED or f"{within} of 20 records" in finding.true_for or not within
        assert finding.without_certificate
        assert finding.remarks[-1].lower() == f"{OPEN}".lower()


def test_what_is_true_instead_and_what_k_does_not_say(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,s\np,u,x\np,u,x\nq,u,x\nq,u,y\nq,u,y\n")
    finding = _decided(tmp_path, "k-anonymity", k="3")
    assert finding.verdict is Verdict.NARROWED
    assert (finding.true_for, finding.instead) == ("true for the groups of 3 of 5 records", "k = 2")
    assert finding.remarks[0] == (
        "k says nothing of the values in a group, which may all be the same; 2 records are in groups with a "
        "single value of 's'"
    )
    digest = sha256((tmp_path / "t.csv").read_bytes()).hexdigest()
    assert (
        finding.remarks[1]
        == f"The SHA-256 digest of t.csv is {digest}: the verdict is on that file and no other"
    )
    (tmp_path / "t.csv").write_text("a;b;s\np;u;x\np;u;x\nq;u;x\nq;u;y\nq;u;y\n")
    with use_separator("semicolon"):
        divided = _decided(tmp_path, "k-anonymity", k="3")
    assert divided.numbers == finding.numbers
    assert divided.recompute == f"{finding.recompute} --separator semicolon"
    assert divided.remarks[1] != finding.remarks[1]
    (tmp_path / "t.csv").write_text("a,b,s\np,u,x\np,u,x\nq,u,x\nq,u,y\nq,u,y\n")
    assert finding.numbers == {"k": 2, "alone": 0, "records": 5, "within": 3, "exposed": 2}
    assert finding.recompute == "splu-ref anonymity t.csv --quasi a --quasi b --sensitive s"
    refuted = _decided(tmp_path, "l-diversity", l="3")
    assert (refuted.verdict, refuted.instead) == (Verdict.REFUTED, "l = 1")
    recursive = _decided(tmp_path, "l-diversity", l="2", measure='"recursive"', c="3")
    assert (recursive.found, recursive.instead) == ("a group has fewer than 2 values", "")
    assert recursive.recompute.endswith("--sensitive s --l 2")
    close = _decided(tmp_path, "t-closeness", t='"1/5"')
    assert (close.verdict, close.instead) == (Verdict.REFUTED, "t = 2/5")


@pytest.mark.parametrize(
    ("kind", "keys", "reported"),
    [
        ("k-anonymity", {"k": "0"}, "k must be a whole number of at least 1"),
        ("k-anonymity", {"k": "2", "table": '"../t.csv"'}, "does not name a file in the folder"),
        ("k-anonymity", {"k": "2", "table": '"none.csv"'}, "table none.csv: there is no such file"),
        ("k-anonymity", {"k": "2", "quasi": "[]"}, "quasi is no list of 1 to 100 texts"),
        ("k-anonymity", {"k": "2", "quasi": "[1]"}, "quasi is no list of 1 to 100 texts"),
        ("k-anonymity", {"k": "2", "quasi": '["a", "a"]'}, "quasi names one text twice"),
        ("k-anonymity", {"k": "2", "quasi": '["a", "s"]'}, "is the sensitive column"),
        ("k-anonymity", {"k": "2", "quasi": '["town"]'}, "no column 'town'"),
        ("k-anonymity", {"k": "2", "table": '"c.toml"'}, "table c.toml: "),
        ("l-diversity", {"l": "2", "c": "1"}, "give both, or neither"),
        ("l-diversity", {"l": "2", "measure": '"recursive"'}, "give both, or neither"),
        ("l-diversity", {"l": "1", "measure": '"recursive"', "c": "1"}, "at least 2"),
        ("l-diversity", {"l": "2", "measure": '"recursive"', "c": "0"}, "c is not above 0"),
        ("t-closeness", {"t": '"-1"'}, "t is negative"),
        ("t-closeness", {"t": "1", "sensitive": '""'}, "sensitive is no column"),
    ],
)
def test_what_cannot_be_claimed(tmp_path: Path, kind: str, keys: dict[str, str], reported: str) -> None:
    _table(tmp_path, 1)
    with pytest.raises(InputError, match=r"line \d+, claim a: ") as raised:
        _decided(tmp_path, kind, **keys)
    assert reported in str(raised.value)


def test_a_column_must_be_named_where_values_are_claimed(tmp_path: Path) -> None:
    _table(tmp_path, 1)
    claim = '[[claim]]\nid = "a"\nkind = "t-closeness"\nmechanism = "table"\ntable = "t.csv"\n'
    (tmp_path / "c.toml").write_text(f'schema = "splu-ref/claims/1"\n{claim}quasi = "a"\nt = 1\n')
    with pytest.raises(InputError, match="sensitive is missing"):
        read_claims(tmp_path / "c.toml")


def test_tables_that_take_too_long_are_refused_before_they_are_read(tmp_path: Path) -> None:
    with (tmp_path / "t.csv").open("wb") as file:
        file.truncate(10**9)
    head = 'schema = "splu-ref/claims/1"\n[release]\nmechanism = "table"\ntable = "t.csv"\nquasi = "a"\n'
    (tmp_path / "c.toml").write_text(f'{head}[[claim]]\nid = "a"\nkind = "k-anonymity"\nk = 2\n')
    with one_budget(), pytest.raises(InputError, match=r"claim a: .* with the table t\.csv"):
        foresee(read_claims(tmp_path / "c.toml"))
