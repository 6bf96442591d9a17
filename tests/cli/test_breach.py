from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref import certificate_checker
from splu_ref.cli import main
from splu_ref.data import Microdata
from splu_ref.mechanisms import Operator, Swapping
from splu_ref.randomness import SeededSource

LEVELS = ["--rho1", "0.1", "--rho2", "0.5"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text("job\n" + "a\n" * 2 + "b\n" * 8 + "c\n" * 90, encoding="utf-8")
    many = "".join(f"{number}\n" for number in range(1001))
    (tmp_path / "many.csv").write_text(f"id\n{many}", encoding="utf-8")
    return path


def _json(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main(["breach", *words, "--json"]) == code
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_every_prior(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *LEVELS, "--retention", "1/5", "--values", "14")
    # a = 1/5 + 4/70 = 18/70 and 4/70; the odds of 1/9 become 1/2.
    assert found == {
        "retention": "1/5",
        "values": 14,
        "rho1": "1/10",
        "rho2": "1/2",
        "amplification": "9/2",
        "allowed": "9",
        "holds": True,
        "witness": {"secret": ["a value"], "observed": "a value", "prior": "1/10", "posterior": "1/3"},
        "largest_retention": "4/11",
        "epsilon": "1.50407739678",
    }


def test_at_the_limit_there_is_a_breach(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *LEVELS, "--retention", "4/11", "--values", "14", code=1)
    assert (found["holds"], found["witness"]["posterior"]) == (False, "1/2")
    assert _json(capsys, *LEVELS, "--retention", "0.3636", "--values", "14")["holds"] is True


def test_one_prior(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    # Of 100 records 2 hold a and 8 hold b. Seeing a: {a, b} has (2p + 10 q)/(2p + 100 q), q = (1-p)/3.
    words = [*LEVELS, "--prior", str(table), "--column", "job"]
    found = _json(capsys, *words, "--retention", "1/2")
    assert found["witness"] == {
        "secret": ["a", "b"],
        "observed": "b",
        "prior": "1/10",
        "posterior": "17/62",
    }
    assert found["largest_retention"] == "10/13"  # 8p/2 = q (50 - 10), by b
    assert _json(capsys, *words, "--retention", "10/13", code=1)["witness"]["posterior"] == "1/2"
    assert main(["breach", *words, "--retention", "10/13"]) == 1
    reported = " ".join(capsys.readouterr().out.split())
    assert "a breach under this prior: seeing b lifts “a or b” from 1/10 to 1/2" in reported
    assert "below 10/13 (about 0.7692)" in reported


def test_missing_cells_of_a_prior_are_the_value_that_the_manifest_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("sex,job\n" + "m,a\n" * 6 + "f,b\n" * 3 + "m,\n", encoding="utf-8")
    words = "--sensitive job --mechanism retention --retention 1/2 --missing none --observed-domain"
    assert main(["publish", "t.csv", "-o", "o.csv", *words.split(), "--manifest", "m.json"]) == 0
    capsys.readouterr()
    found = _json(capsys, *LEVELS, "--manifest", "m.json", "--prior", "t.csv", "--column", "job")
    assert found["witness"]["secret"] == ["none"]
    without = [*LEVELS, "--retention", "1/2", "--prior", "t.csv", "--column", "job"]
    assert _json(capsys, *without, "--missing", "lost")["witness"]["secret"] == ["lost"]
    assert main(["breach", *without]) == 2
    assert "--missing" in capsys.readouterr().err
    assert main(["breach", *LEVELS, "--retention", "1/2", "--values", "3", "--missing", "lost"]) == 2
    assert "--missing is about --prior" in capsys.readouterr().err


def test_what_keeps_all_has_no_bound(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *LEVELS, "--retention", "1", "--values", "3", code=1)
    assert (found["amplification"], found["epsilon"], found["witness"]["posterior"]) == (None, None, "1")
    main(["breach", *LEVELS, "--retention", "1", "--values", "3"])
    assert "infinite" in capsys.readouterr().out


def test_a_prior_without_small_values(capsys: pytest.CaptureFixture[str], table: Path) -> None:
    words = ["--rho1", "0.01", "--rho2", "0.5", "--prior", str(table), "--column", "job"]
    found = _json(capsys, *words, "--retention", "1/2")
    assert (found["holds"], found["witness"], found["largest_retention"]) == (True, None, None)
    assert main(["breach", *words, "--retention", "1/2"]) == 0
    assert "no property needs protection" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--retention", "1/5"], "no domain: give"),
        (["--retention", "1/5", "--values", "3", "--column", "job"], "--column names a column of --prior"),
        (["--retention", "1/5", "--prior", "jobs.csv"], "--column NAME"),
        (
            ["--retention", "1/5", "--values", "3", "--prior", "jobs.csv", "--column", "job"],
            "no domain: give",
        ),
        (["--retention", "1/5", "--prior", "many.csv", "--column", "id"], "group them"),
        (["--retention", "1/5", "--values", "1"], "--values"),
        (["--retention", "6/5", "--values", "3"], "--retention"),
    ],
)
def test_what_is_no_question(
    words: list[str],
    remedy: str,
    table: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(table.parent)
    assert main(["breach", *LEVELS, *words]) == 2
    assert remedy in capsys.readouterr().err


def test_a_domain_of_any_size(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *LEVELS, "--retention", "1/1000000", "--values", "1000000000", code=1)
    assert Fraction(found["amplification"]) == 1 + Fraction(10**9, 999_999)


def test_a_certificate_of_a_breach_and_of_none(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    path = tmp_path / "c.json"
    prior = ["--prior", str(table), "--column", "job", "--retention", "1/2", "--rho1", "0.1"]
    for words, code, claim in (
        ([*LEVELS, "--retention", "1/5", "--values", "14"], 0, "safe"),
        ([*LEVELS, "--retention", "1/2", "--values", "14"], 1, "breach"),
        ([*prior, "--rho2", "0.9"], 0, "safe"),
        ([*prior, "--rho2", "0.25"], 1, "breach"),
    ):
        assert main(["breach", *words, "--certificate", str(path), "--force"]) == code
        assert json.loads(path.read_text(encoding="utf-8"))["claim"] == claim
        assert certificate_checker.main([str(path)]) == 0
    assert "job" not in path.read_text(encoding="utf-8"), "names of columns and values are the table's"
    assert main(["breach", *LEVELS, "--retention", "1/5", "--values", "14", "--certificate", str(path)]) == 2


def test_more_values_than_a_certificate_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("splu_ref.guarantees.certificates.replacement.MAX_VALUES", 50)
    path = tmp_path / "wide.csv"
    path.write_text("id\n" + "".join(f"{number}\n" for number in range(51)), encoding="utf-8")
    words = ["--retention", "1/2", "--prior", str(path), "--column", "id"]
    assert main(["breach", *LEVELS, *words, "--certificate", str(tmp_path / "c.json")]) == 2
    said = capsys.readouterr()
    assert "no breach under this prior" in said.out or "a breach under this prior" in said.out
    assert "at most 50 values" in said.err
    assert not (tmp_path / "c.json").exists()


def _largest_posterior(values: str, keep: Fraction, rho1: Fraction) -> Fraction:
    """Return the largest posterior of a record of a swapped column, over every outcome of its draws."""
    joint: dict[tuple[str, str], Fraction] = {}
    places = range(len(values))
    for coins in product((False, True), repeat=len(values)):
        released = [place for place in places if coins[place]]
        chance = keep ** (len(values) - len(released)) * (1 - keep) ** len(released)
        for order in permutations(released):
            source = dict(zip(released, order, strict=True))
            for place in places:
                seen = values[source.get(place, place)]
                one = chance / factorial(len(released)) / len(values)
                joint[values[place], seen] = joint.get((values[place], seen), Fraction(0)) + one
    domain = sorted(set(values))
    secrets = [
        secret
        for size in range(1, len(domain) + 1)
        for secret in combinations(domain, size)
        if Fraction(sum(map(values.count, secret)), len(values)) <= rho1
    ]
    return max(
        sum((joint[true, seen] for true in secret), Fraction(0)) / Fraction(values.count(seen), len(values))
        for secret in secrets
        for seen in domain
    )


def test_swapping_is_judged_under_its_own_counts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    values = "aabbbc"
    (tmp_path / "o.csv").write_text("job\n" + "\n".join(values) + "\n")
    done = Swapping("1/3").publish(tmp_path / "o.csv", "job")
    done.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    manifest = ["--manifest", str(tmp_path / "m.json")]
    for rho1, rho2 in (("0.2", "0.4"), ("0.4", "0.65"), ("0.5", "0.9")):
        words = [*manifest, "--prior", str(tmp_path / "p.csv"), "--rho1", rho1, "--rho2", rho2]
        truth = _largest_posterior(values, Fraction(1, 3), Fraction(rho1))
        found = _json(capsys, *words, code=0 if truth < Fraction(rho2) else 1)
        assert Fraction(found["witness"]["posterior"]) == truth
        assert (found["retention"], found["epsilon"]) == ("1/3", None)
        limit = Fraction(found["largest_retention"])
        assert _largest_posterior(values, limit, Fraction(rho1)) < Fraction(rho2)
        assert _largest_posterior(values, limit + Fraction(1, 10**6), Fraction(rho1)) >= Fraction(rho2)
        assert main(["breach", *words]) in (0, 1)
        assert "in millionths and rounded down" in " ".join(capsys.readouterr().out.split())
    assert main(["breach", *manifest, *LEVELS]) == 2
    assert "--prior PUBLISHED, which has the same counts" in capsys.readouterr().err
    certified = ["--prior", str(tmp_path / "p.csv"), "--certificate", str(tmp_path / "c.json")]
    assert main(["breach", *manifest, *certified, *LEVELS]) == 2
    assert "certificates are for uniform replacement only:" in capsys.readouterr().err


def test_a_release_by_a_matrix_states_its_law(
    capsys: pytest.CaptureFixture[str], table: Path, tmp_path: Path
) -> None:
    rows = [["1/2", "1/4", "1/4"], ["1/6", "2/3", "1/6"], ["1/8", "1/8", "3/4"]]
    values = Microdata.from_frame(pl.DataFrame({"job": list("abc"), "age": list("123")}))
    Operator("job", "abc", rows).publish(values, ["job"], SeededSource(1)).write(
        tmp_path / "p.csv", manifest=tmp_path / "m.json"
    )
    manifest = ["--manifest", str(tmp_path / "m.json"), "--rho1", "0.1"]
    found = _json(capsys, *manifest, "--rho2", "0.5")
    assert (found["retention"], found["largest_retention"], found["values"]) == (None, None, 3)
    assert found["amplification"] == "16/3"  # b is published for b with 2/3, and for c with 1/8
    assert found["witness"]["posterior"] == "16/43"
    # Of 100 records 2 hold a and 8 hold b: seeing b, {a, b} has 2/4 + 16/3 of that and 90/8.
    prior = [*manifest, "--prior", str(table)]
    assert _json(capsys, *prior, "--rho2", "0.5")["witness"] == {
        "secret": ["a", "b"],
        "observed": "b",
        "prior": "1/10",
        "posterior": "14/41",
    }
    assert _json(capsys, *prior, "--rho2", "1/3", code=1)["holds"] is False
    assert main(["breach", *prior, "--rho2", "1/3", "--column", "job"]) == 1
    reported = " ".join(capsys.readouterr().out.split())
    assert "a breach under this prior: seeing b lifts “a or b”" in reported
    assert "safe retention" not in reported
    for words, remedy in (
        (["--column", "age"], "has the column job alone"),
        (["--certificate", str(tmp_path / "c.json")], "leave out --certificate"),
        (["--retention", "1/2"], "--retention: operator has no retention probability"),
    ):
        assert main(["breach", *manifest, "--rho2", "0.5", *words]) == 2
        assert remedy in capsys.readouterr().err
