"""What each mechanism has beside its code: command, vectors, specification, audit, entry of the log."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from splu_ref import mechanisms
from splu_ref.cli import main
from splu_ref.cli.mechanism_options import NAMED
from splu_ref.conformance.library import OPERATIONS
from splu_ref.mechanisms import MECHANISMS

ROOT = Path(__file__).parents[1]
LOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
SPECIFICATION = (ROOT / "docs/specification/index.md").read_text("utf-8")


@dataclass(frozen=True)
class Beside:
    """Where the parts of a mechanism are, or why there is none.

    Attributes
    ----------
    kind
        Its class.
    options
        Those of ``publish``, or of another command, that publish by it; empty: by Python alone.
    operation
        That of its vectors; empty: its law is in vectors of channels alone.
    entry
        A word of its entry in the change log.
    audited, breach
        What `audit-release` and `breach` say where they refuse a release by it; empty: they take it.
    """

    kind: str
    options: str
    operation: str
    entry: str
    audited: str = ""
    breach: str = "give the manifest of one by"


EVERY = {
    "SPLU-Gen": Beside(
        "SpluGen", "publish --mechanism splu-gen --column job --gamma 3", "publish", "publish"
    ),
    "SPLU-Gen by column": Beside(
        "SpluGenByColumn", "publish --sensitive job --sensitive age --gamma job=3,age=2",
        "release", "SpluGenByColumn",
    ),
    "Anatomy": Beside(
        "Anatomy", "publish --mechanism anatomy --column job --gamma 3 --sensitive-table s.csv",
        "publish_two_tables", "anatomy", audited="are not audited: if",
    ),
    "DBR": Beside(
        "DistributionBased", "publish --mechanism distribution --column job", "publish_distribution_based",
        "distribution", audited="are not audited: if",
    ),
    "Laplace counts": Beside("LaplaceCounts", "", "publish_counts", "Laplace"),
    "retention replacement": Beside(
        "RetentionReplacement",
        "publish --mechanism retention --column job --retention 1/5 --observed-domain",
        "publish_retention", "retention replacement", breach="",
    ),
    "swapping": Beside(
        "Swapping", "publish --mechanism swap --column job --retention 1/2", "publish_swap", "swapping",
        breach="--prior PUBLISHED",
    ),
    "alpha-beta": Beside(
        "AlphaBeta", "publish --mechanism alpha-beta --alpha 1/2 --beta 1/4 --distinct --domain d.json",
        "publish_alpha_beta", "alpha-beta",
    ),
    "operator": Beside(
        "Operator", "publish --mechanism operator --matrix m.json", "publish_operator", "operator", breach="",
    ),
    "small-domain randomization": Beside(
        "SmallDomainRandomization",
        "publish --mechanism small-domains --column job --by part --observed-domain --rho1 1/5 --rho2 1/2",
        "", "small-domains", breach="whose parts have different retention probabilities: give those of",
    ),
    "perturbed generalization": Beside(
        "PerturbedGeneralization",
        "publish --mechanism pg --column job --quasi age --retention 1/2 --k 4 --observed-domain",
        "publish_pg", "--mechanism pg", breach="depends on its group:",
    ),
}  # fmt: skip
"""A row for each mechanism: `CONTRIBUTING.md` says how the parts are made."""


def test_every_mechanism_has_a_row() -> None:
    assert EVERY.keys() == MECHANISMS.keys()
    options = " ".join(row.options for row in EVERY.values())
    assert sorted(re.findall(r"--mechanism (\S+)", options)) == sorted(NAMED)


@pytest.mark.parametrize("name", EVERY)
def test_its_parts_are_where_the_row_says(name: str) -> None:
    row = EVERY[name]
    assert row.kind in mechanisms.__all__
    assert getattr(mechanisms, row.kind).name == name
    assert re.search(rf'^\| `"{re.escape(name)}"`', SPECIFICATION, re.MULTILINE)
    assert not row.operation or (row.operation in OPERATIONS and (ROOT / "vectors" / row.operation).is_dir())
    assert row.entry in LOG


@pytest.mark.parametrize("name", [name for name, row in EVERY.items() if row.options])
def test_its_release_is_audited_and_its_breaches_are_found_or_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(str(number % 12), "ns"[number % 2], "abcd"[number // 2 % 4]) for number in range(24)]
    pl.DataFrame(rows, ["age", "part", "job"], orient="row").write_csv("t.csv")
    row, rates = EVERY[name], [["2/5" if u == v else "1/5" for v in range(4)] for u in range(4)]
    Path("m.json").write_text(json.dumps({"column": "job", "values": [*"abcd"], "matrix": rates}))
    Path("d.json").write_text(json.dumps({"age": [*map(str, range(12))], "part": [*"ns"], "job": [*"abcd"]}))
    command, *options = row.options.split()
    assert main([command, "t.csv", "-o", "p.csv", "--manifest", "p.json", "--seed", "1", *options]) == 0
    capsys.readouterr()
    audited = main(["audit-release", "p.csv", "--manifest", "p.json", "--original", "t.csv"])
    assert (audited in (0, 3)) == (not row.audited)
    assert row.audited in capsys.readouterr().err
    breach = main(["breach", "--manifest", "p.json", "--rho1", "1/10", "--rho2", "1/2"])
    assert (breach in (0, 1)) == (not row.breach)
    assert row.breach in capsys.readouterr().err
