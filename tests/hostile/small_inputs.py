"""For every command, inputs of a kilobyte at most that mean much work: words, and the files they name."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from string import ascii_letters, digits

KILOBYTE = 1_024
LONG = "9" * 400
"""A number of more digits than are computed with."""
VALUES = ascii_letters + digits


def table(columns: int, values: int, rows: int) -> str:
    """Return a CSV table of short cells, drawn at random, whose columns have so many values each."""
    source = random.Random(1)
    drawn = [[VALUES[row % values] for row in range(rows)] for _ in range(columns)]
    for column in drawn:
        source.shuffle(column)
    lines = [VALUES[:columns], *("".join(row) for row in zip(*drawn, strict=True))]
    return "".join(",".join(line) + "\n" for line in lines)


def _alike(text: str, lines: int) -> str:
    return "".join(text.format(number) for number in range(lines))


_MANIFEST = json.loads(
    '{"schema": "splu-ref/manifest/1", "method": "SPLU-Gen", "gamma": 2, "retention": "1/2", '
    '"plan": "mixed", '
    '"rows": 510, "sensitive": [{"column": "s", "domain": ["a", "b"]}], '
    '"produced_by": {"version": "0.1.0", "spec": "1"}}'
)
_CLAIM = (
    '[[claim]]\nid="{{0}}"\nkind="small-sum-privacy"\ngamma=5\nepsilon="0.3"\nalpha={alpha}{{0}}\nt_p="0.1"\n'
)
_WORLD = 'schema="splu-ref/world/1"\n[[record]]\ntimes={times}\nlaw={{{law}}}\n[release]\npublish={publish}\n'
_FORM = {"argmin": "1", "numerator": "1", "candidates": []}
_CERTIFICATE = {
    "schema": "splu-ref/certificate/1",
    "claim": "small-sum-privacy",
    "parameters": {"gamma": "2", "epsilon": "1", "alpha": "18500"},
    "statement": "",
    "evidence": {"theorem_4": _FORM, "definition_2": _FORM},
    "produced_by": {"version": "0", "spec": "1"},
}

FILES = {
    "long.csv": "s\n" + "a\nb\n" * 255,  # most rows
    "wide.csv": ",".join(["s", *(a + b for a in "ABCDE" for b in VALUES)][:250]) + "\na" + "," * 30 + "\n",
    "empty.csv": ",".join(["s", *(a + b for a in "ABC" for b in VALUES)]) + "\n"
    + ("a" + "," * 186 + "\nb" + "," * 186 + "\n"),
    "cell.csv": f"s\n{'x' * 500}\n{'y' * 500}\n",
    "many.csv": "s\n" + _alike("{0}\n", 250),  # most values
    "pair.csv": table(2, 60, 240),
    "other.csv": table(2, 59, 240),
    "three.csv": table(3, 62, 124),
    "four.csv": table(4, 62, 120),
    "five.csv": table(5, 20, 100),
    "square.csv": table(20, 3, 24),
    "ten.csv": table(10, 2, 48),
    "eleven.csv": table(11, 2, 44),
    "twelve.csv": table(12, 2, 40),
    "fourteen.csv": table(14, 2, 34),
    "odd.json": json.dumps(_MANIFEST | {"retention": "0.5" + "0" * 390 + "1"}),
    "plain.json": json.dumps(_MANIFEST),
    "anatomy.json": json.dumps(
        {name: _MANIFEST[name] for name in _MANIFEST if name != "retention"}
        | {
            "method": "Anatomy",
            "rows": 120,
            "sensitive": [{"column": "s", "domain": [str(n) for n in range(101)]}],
        }
    ),
    "people.csv": "group,a\n" + "".join(f"{n % 60},{VALUES[n % 50]}\n" for n in range(120)),
    "values.csv": "group,s,count\n" + "".join(f"{n},{n % 3 * 31},1\n{n},{1 + n},1\n" for n in range(60)),
    "swap.json": json.dumps(
        {name: _MANIFEST[name] for name in _MANIFEST if name not in ("gamma", "plan")}
        | {
            "method": "swapping",
            "rows": 250,
            "sensitive": [{"column": "s", "domain": [str(n) for n in range(100)]}],
        }
    ),
    "entropy.toml": 'schema="splu-ref/claims/1"\nrelease={mechanism="world",world="many.toml"}\n'
    + _alike('[[claim]]\nid="{0}"\nkind="entropy-loss"\nbits=1\n', 9),
    "anonymous.toml": 'schema="splu-ref/claims/1"\nrelease={mechanism="table",table="many.csv",quasi="s"}\n'
    + _alike('[[claim]]\nid="{0}"\nkind="k-anonymity"\nk=2\n', 20),
    "rows.json": json.dumps(_MANIFEST | {"rows": 10**400}),
    "range.json": '{"s": {"min": 0, "max": 99999}}',
    "law.json": '{"s": {"a": "0.5' + "0" * 390 + '1", "b": "0.4' + "9" * 391 + '"}}',
    "parts.json": json.dumps(
        {"s": [{"where": {"s2": str(n)}, "values": {"min": 0, "max": 99999}} for n in range(5)]}
    ),
    "deep.json": '{"s": ' + "[" * 900,
    "q.jsonl": _alike('{{"where":{{"s":"a"}}}}\n', 45),
    "q.sql": "SELECT COUNT(*) WHERE " + " AND ".join(["s = 'a'"] * 80),
    "q3.jsonl": "".join(f'{{"where":{{"a":"a","b":"{VALUES[n]}","c":"b"}}}}\n' for n in range(25)),
    "eight.toml": 'schema="splu-ref/claims/1"\n' + _alike(_CLAIM.format(alpha=500000), 9),
    "spent.toml": 'schema="splu-ref/claims/1"\n' + _alike(_CLAIM.format(alpha=20000), 9),
    "world.toml": _WORLD.format(times=19, law='a="1/2",b="1/2"', publish='"histogram"'),  # most tables
    "tables.toml": 'schema="splu-ref/world/1"\n'
    + _alike('[[table]]\nvalues=["{0}"]\nprobability="1/17"\n', 17)
    + '[release]\npublish="max"\n',
    "primes.toml": _WORLD.format(
        times=2, law=f'a="0.{"1" * 350}3",b="0.{"8" * 350}7"', publish='"histogram"'
    ),
    "mechanism.toml": _WORLD.format(
        times=5, law='a="1/2",b="1/2"', publish='"mechanism"\nmechanism="distribution"'
    ),
    "many.toml": _WORLD.format(
        times=3, law=",".join(f'{n}="1/40"' for n in range(40)), publish='"histogram"'
    ),
    "c.json": json.dumps(_CERTIFICATE),
    "c50.json": json.dumps(_CERTIFICATE | {"parameters": {"gamma": "50", "epsilon": "3/10", "alpha": "300"}}),
    "v/v.json": '{"vectors": [' + "[" * 900,
    "x.txt": "publish/1 it is so\n" * 50,
}  # fmt: skip


def _all(name: str, columns: int, *words: str) -> list[str]:
    """Return an estimate of a conjunction of all columns, all sensitive."""
    named = VALUES[:columns]
    requested = [word for each in named for word in ("--sensitive", each, "--where", f"{each}=a")]
    return [name, "--gamma", "2", *requested, *words]


_PUBLISH = "-o out.csv --force --sensitive s --gamma"
_LAST = "--sensitive a --gamma 2"
_RETAIN = "-o out.csv --force --mechanism retention --retention"
_PARTS = "-o out.csv --force --mechanism small-domains --rho2 1/2 --rho1"
_GROUPS = "-o out.csv --force --mechanism pg --observed-domain --retention 1/2"
_TUPLES = "-o out.csv --force --mechanism alpha-beta --distinct"
INPUTS: dict[str, tuple[str | list[str], ...]] = {
    "publish": (
        f"long.csv {_PUBLISH} 2", f"many.csv {_PUBLISH} 125", f"cell.csv {_PUBLISH} 2",
        f"empty.csv {_PUBLISH} 2",
        f"many.csv {_PUBLISH} 2 --retention 0.{LONG}", f"many.csv {_PUBLISH} {LONG}",
        f"wide.csv {_PUBLISH} 2", f"many.csv {_PUBLISH} 2 --cross t=s,s2",
        f"many.csv {_PUBLISH} 2 --epsilon 0.0001", f"many.csv {_PUBLISH} 2 --bins s=0.{'0' * 14}1",
        f"square.csv -o out.csv --force --sensitive a --gamma 2 --hash {'b' * 400}",
        f"long.csv {_PUBLISH} 2 --domain deep.json",
        f"many.csv {_PUBLISH} 2 --draws capped:{LONG}", f"many.csv {_PUBLISH} 125 --draws capped:{'9' * 15}",
        f"many.csv {_PUBLISH} 2 --draws all-or-none:1",
        f"many.csv {_PUBLISH} 2 --stream", f"wide.csv {_PUBLISH} 2 --stream",
        f"cell.csv {_PUBLISH} 2 --stream",
        f"long.csv {_RETAIN} 1/3 --domain range.json", f"many.csv {_RETAIN} 1/3 --domain range.json",
        f"long.csv {_RETAIN} 0.{LONG} --domain range.json", f"long.csv {_RETAIN} 1/3 --domain deep.json",
        f"empty.csv {_RETAIN} 1/3 --column s --observed-domain",
        f"long.csv {_PUBLISH} 2 --mechanism splu-gen", f"many.csv {_RETAIN} 1/3 --domain range.json --stream",
        f"cell.csv {_RETAIN} 1/3 --domain range.json --stream --shuffle",
        f"long.csv {_RETAIN} 1/3 --replacing given --domain law.json",
        f"long.csv {_RETAIN} 1/3 --replacing identity --compound --domain range.json",
        "long.csv -o out.csv --force --mechanism swap --retention 0.99999 --column s",
        f"square.csv {_PARTS} 1/10 --domain parts.json", f"many.csv {_PARTS} 1/10 --domain deep.json",
        f"pair.csv {_PARTS} 1/10 --column a --by b --observed-domain",
        f"pair.csv {_PARTS} 0.{LONG} --column a --by b --observed-domain",
        f"pair.csv {_GROUPS} --column a --quasi b --k 1",
        f"long.csv {_GROUPS} --column s --quasi b --k {LONG}",
        "many.csv -o out.csv --force --mechanism anatomy --column s --sensitive-table out.gz.csv --gamma 125",
        f"pair.csv -o out.csv --force --mechanism anatomy --column a --sensitive-table t.csv --gamma {LONG}",
        f"long.csv {_TUPLES} --domain range.json --alpha 1/3 --beta 2/3",
        f"long.csv {_TUPLES} --domain range.json --alpha 1/3 --beta 0.{'3' * 390}",
        f"many.csv {_TUPLES} --observed-domain --column s --k 1/9 --level 0.{LONG}",
    ),
    "advise": (
        "long.csv --sensitive s", "many.csv --sensitive s --retention 1/2 --retention 1/3",
        "empty.csv --sensitive s",
        "square.csv --sensitive a --missing x", f"many.csv --sensitive s --t-e 0.{LONG}",
        f"pair.csv --sensitive a --retention 0.{'5' * 390}", "many.csv --sensitive s --alpha 10000",
        "many.csv --sensitive s --picture out.svg --force",
        "pair.csv --sensitive a --sensitive b --alpha 300",
        "many.csv --sensitive s --stream", "wide.csv --sensitive s --stream",
    ),
    "estimate": (
        "long.csv --gamma 2 --sensitive s --batch q.jsonl", "long.csv --manifest odd.json --where s=a",
        "long.csv --manifest rows.json --where s=a", f"long.csv --gamma {LONG} --sensitive s --where s=a",
        "three.csv --gamma 2 --sensitive a --sensitive b --batch q3.jsonl",
        "three.csv --gamma 2 --sensitive a --sensitive b --sensitive c --batch q3.jsonl",
        _all("five.csv", 5), _all("eleven.csv", 11), _all("twelve.csv", 12), _all("fourteen.csv", 14,
        "--method", "em", "--retention", "2/3"),
        _all("four.csv", 4, "--method", "inversion", "--retention", "2/3"),
        "pair.csv --gamma 2 --sensitive a --sensitive b --by a,b --picture out.svg --force",
        "three.csv --gamma 2 --sensitive a --sensitive b --by a,b,c",
        "many.csv --gamma 2 --sensitive s --by s -o out.csv --force",
        "three.csv --gamma 2 --sensitive a --sensitive b --sensitive c --by a,b --where c!=a",
        ["long.csv", "--gamma", "2", "--sensitive", "s", "--where", " and ".join(["s=a"] * 90)],
        ["long.csv", "--gamma", "2", "--sensitive", "s", "--where", "s={" + ",".join('"' * 300) + "}"],
        "long.csv --gamma 2 --sensitive s --batch q.sql",
        f"many.csv --gamma 2 --sensitive s --draws all-or-none:{LONG} --by s",
        "people.csv --sensitive-table values.csv --manifest anatomy.json --by a,s --method shares",
        "people.csv --sensitive-table long.csv --manifest anatomy.json --where s=1",
        "three.csv --gamma 2 --sensitive a --sensitive b --draws capped:9 --batch q3.jsonl",
    ),
    "privacy": (
        f"--gamma 2 --epsilon 0.{LONG} --alpha {LONG}", f"--gamma {LONG} --epsilon 0.3 --alpha 3",
        "--gamma 100 --epsilon 50 --alpha 100000",
        f"--gamma 5 --epsilon 0.3 --alpha 300 --retention 0.{'7' * 390}",
        "--gamma 2 --epsilon 0.3 --alpha 2000 --draws all-or-none:2000",
        "--gamma 2 --epsilon 0.3 --alpha 60000 --draws capped:3",
        f"--gamma 5 --epsilon 0.3 --alpha 9 --draws capped:{LONG}",
        "--gamma 2 --epsilon 0.3 --alpha 9 --draws capped:3 --table long.csv --sensitive s",
        "--manifest odd.json --epsilon 0.3 --alpha 300",
    ),
    "utility": (
        f"--gamma 2 --epsilon 0.{LONG} --frequency {LONG}", "--gamma 2 --epsilon 1e-3 --t-e 1e-9",
        "--gamma 2 --epsilon 0.01 --t-e 1e-399",
        f"--gamma 9 --epsilon 0.01 --t-e 0.1 --draws capped:{LONG} --values {LONG}",
        "--gamma 500 --epsilon 0.01 --t-e 0.1 --draws capped:99999 --values 9999",
        "--gamma 50 --epsilon 0.01 --frequency 999 --draws all-or-none:9999 --values 9999",
        "--gamma 2 --epsilon 0.3 --frequency 10000000",
        "--gamma 2 --epsilon 0.3 --frequency 99999 --predicate-count 9999 --rows 999999 --concept-count 5000",
        "--manifest odd.json --epsilon 0.01 --t-e 1e-99",
    ),
    "breach": (
        f"--retention 0.{LONG} --rho1 0.1 --rho2 0.5 --values 100000",
        f"--retention 1/5 --rho1 0.1 --rho2 0.5 --values {LONG}",
        "--retention 1/5 --rho1 0.1 --rho2 0.5 --prior many.csv --column s",
        f"--retention 0.{'7' * 390} --rho1 0.{'1' * 390} --rho2 0.5 --prior long.csv --column s",
    ),
    "operator": (
        "--rho1 0.1 --rho2 0.5 --prior many.csv --column s",
        "--rho1 0.1 --rho2 0.5 --prior pair.csv --column a",
        "--rho1 0.3 --rho2 0.5 --prior pair.csv --column a --against values --keep least",
        "--rho1 0.1 --rho2 0.5 --prior pair.csv --column a --against sets",
        f"--rho1 0.{'1' * 390} --rho2 0.{'2' * 390} --prior long.csv --column s --against sets",
    ),
    "attack": (
        "averaging long.csv --manifest odd.json", "elimination pair.csv --manifest rows.json --known 999",
        f"averaging long.csv --manifest odd.json --releases {LONG}",
        f"presence long.csv --manifest odd.json --value {LONG}",
        "known-others long.csv --manifest odd.json --releases 100",
        f"known-others long.csv --manifest odd.json --draws capped:{LONG}",
        "elimination --manifest odd.json --release long.csv --known 999",
    ),
    "attack-learned": (
        "de-finetti pair.csv --manifest rows.json --runs 100",
        f"foreground long.csv --manifest odd.json --runs {LONG}",
    ),
    "compare": ("long.csv --column s", "many.csv --column s", "pair.csv --column a"),
    "conditions": (
        "--data long.csv --sensitive s --queries 5 --releases 2",
        "--data many.csv --sensitive s --gamma 2 --queries 5 --releases 2",
        f"--data pair.csv --sensitive a --gamma {LONG}",
        f"--queries {LONG}",
    ),
    "sample-size": (
        "--retention 1/5 --epsilon 1/50 --delta 1/20 --share 1/14 --certificate o.json --force",
        "--retention 1/5 --epsilon 1/50 --delta 1/20 --share 1/2",
        "--retention 333/1000 --epsilon 1/10 --delta 1/20 --share 1/5",
        f"--retention 0.{'7' * 390} --epsilon 0.3 --delta 1e-300 --share 0.{'1' * 390}",
        f"--retention 1/2 --epsilon {LONG} --delta 0.5 --domain-values {LONG}",
        "--retention 1/5 --epsilon 1/50 --delta 1/20" + " --share 1/14" * 40,
    ),
    "anonymity": (
        "many.csv --quasi s", "fourteen.csv --quasi a --quasi b --sensitive c",
        f"long.csv --quasi s --sensitive s --l {LONG}", f"pair.csv --quasi a --sensitive b --l {LONG}",
    ),
    "query-interface": (
        "size many.csv --least 1", "size fourteen.csv --least 1 --where a=a", f"size long.csv --least {LONG}",
        "sums long.csv --queries q.sql --value s=a", "sums three.csv --queries q3.jsonl --value a=a",
        "noise many.csv", "noise fourteen.csv",
        "answers pair.csv --value a=a --victims 512 --halves 4096 --runs 101 --epsilon 1e-3",
    ),
    "entropy": ("world.toml", "tables.toml", "primes.toml", "mechanism.toml", "many.toml"),
    "useful": (
        f"--alpha 0.{LONG} --beta 0 --n 1 --m 9 --query-size 5 --rho 1",
        f"--alpha 1/2 --beta 0.{'1' * 390} --n 50 --m 99999999 --query-size 9999999 --rho 1",
        "--alpha 1/2 --beta 1/3 --n 1000 --m 1000000000 --query-size 999999999 --rho 1/9",
        "--alpha 1/2 --beta 1/3 --n {0} --m {0} --query-size {0} --rho 1 --count 9".format("7" * 300),
        f"--alpha 1/2 --beta 1/3 --n 9 --m 900 --query-size 900 --k 0.{LONG} --level 0.{'7' * 390}",
    ),
    "concept": (
        f"--gamma {LONG} --epsilon 0.3 --alpha 30", "--gamma 2 --epsilon 0.3 --alpha 1000 --method printed",
        "--gamma 2 --epsilon 1e-99 --alpha 50 --method exact",
        "--manifest plain.json --epsilon 0.3 --alpha 30 --method exact",
    ),
    "audit": ("eight.toml", "spent.toml --report report --force", "entropy.toml", "anonymous.toml"),
    "audit-release": (
        "long.csv --sensitive s --gamma 2 --original long.csv --second long.csv",
        f"many.csv {_LAST} --original pair.csv", f"pair.csv {_LAST} --original pair.csv --stream",
        f"pair.csv {_LAST} --original pair.csv --stream --salt {LONG}",
        f"pair.csv {_LAST} --original pair.csv --stream --sample {LONG} --salt 1",
        f"pair.csv {_LAST} --sensitive b --original pair.csv --second pair.csv",
        "long.csv --manifest odd.json", "many.csv --manifest swap.json --original many.csv",
        f"three.csv {_LAST} --original three.csv --retention 0.{'7' * 390} --level 1e-300",
        f"pair.csv {_LAST} --second other.csv --alpha 1000000",
        f"pair.csv {_LAST} --draws all-or-none:{LONG} --original pair.csv",
        f"many.csv --sensitive s --gamma 2 --draws capped:{LONG} --original many.csv",
    ),
    "check": ("c.json", "c50.json", "long.csv"),
    "claims": (LONG, ""),
    "verify": (f"--level full --workers {LONG}",),
    "study": (
        "--data square.csv --sensitive a --report report --force", "--data pair.csv --sensitive a --second b",
        f"--data three.csv --sensitive a --gamma {LONG}", "--data many.csv --sensitive s",
        "--data empty.csv --sensitive s",
    ),
    "vectors": ("vectors --force", "v --check"),
    "conform": (
        f"--timeout {LONG} -- true", f"--memory {LONG} -- true", "--vectors v -- true",
        "--xfail x.txt -- true", ["--beside", "'" * 99, "--", "true"],
        ["--smoke", "--", sys.executable, "-c", "print('[' * 1000000)"],
    ),
    "key": ("out.key --force",),
    "page": ("-o page.html --force",),
}  # fmt: skip
"""By command: its words, where a text is split at spaces."""


def words(given: str | list[str]) -> list[str]:
    """Return the words of an input."""
    return given.split() if isinstance(given, str) else given


def write(folder: Path) -> None:
    """Write the files."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
