"""``publish --mechanism alpha-beta``, ``estimate`` of what it published, and ``useful``."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.certificate_checker import check_text
from splu_ref.cli import main
from splu_ref.guarantees import TupleChances, TupleLevels
from splu_ref.mechanisms import AlphaBeta, read_manifest
from splu_ref.mechanisms import alpha_beta as module
from tests.rounding import near

PUBLISH = ["publish", "t.csv", "-o", "p.csv", "--mechanism", "alpha-beta", "--force"]
CHANCES = ["--alpha", "1/2", "--beta", "1/4"]
USEFUL = ["useful", *CHANCES, "--n", "8", "--m", "30", "--query-size", "12"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{sex},{job},{sex}{job}\n" for sex in "FM" for job in "abc")
    Path("t.csv").write_text(f"sex,job,id\n{rows}", encoding="utf-8")
    domain = {"sex": ["F", "M", "X"], "job": list("abcde")}
    Path("d.json").write_text(json.dumps(domain), encoding="utf-8")
    return tmp_path


def _json(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    assert main([*words, "--json"]) == code
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def _rows() -> list[tuple[str, ...]]:
    with Path("p.csv").open(encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def test_a_release_and_its_estimates(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*PUBLISH, "--domain", "d.json", *CHANCES, "--seed", "1", "--manifest", "m.json"]
    found = _json(capsys, *words)
    assert found["parameters"] == {
        "alpha": "1/2",
        "beta": "1/4",
        "domains": AlphaBeta("1/2", "1/4", {"sex": "FMX", "job": "abcde"}).facts()["domains"],
    }
    assert (found["rows_in"], found["rows_out"], found["suppressed"]) == (6, len(_rows()), 0)
    assert (found["amplification"], found["sensitive"]) == ("3", ["job", "sex"])
    assert len(set(_rows())) == len(_rows())
    answer = _json(capsys, "estimate", "p.csv", "--manifest", "m.json", "--where", "sex=F")
    seen = sum(row[0] == "F" for row in _rows())
    assert (answer["published_count"], answer["predicate_count"]) == (seen, 5)
    assert answer["estimate"] == near((seen - 5 / 4) * 2)
    assert answer["exact"]
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--where", "sex=F"]) == 0
    assert "of 5 in the domain" in capsys.readouterr().out


def test_the_size_is_reported_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PUBLISH, "--domain", "d.json", "--column", "sex", *CHANCES, "--distinct"]) == 0
    reported = capsys.readouterr()
    assert "about 2 genuine tuples of 2 and 0 fakes of 1" in reported.err
    assert "columns without a domain are not published: job, id" in reported.err
    assert "(" in reported.out
    assert "4 repeated rows dropped" in " ".join(reported.out.split())


def test_an_empty_release_says_what_it_states(capsys: pytest.CaptureFixture[str]) -> None:
    for number, name in enumerate(("p.csv", "p.csv.gz", "p.parquet")):
        words = [*PUBLISH, "--domain", "d.json", "--alpha", "1/1000000", "--beta", "1/1000000", "--seed", "3"]
        words[words.index("p.csv")] = name
        assert main([*words, "--manifest", "m.json"]) == 0
        reported = capsys.readouterr().err
        assert (
            "no tuple was published, which can happen by chance: the estimate of a count is -beta/alpha"
            in reported
        )
        answer = _json(capsys, "estimate", name, "--manifest", "m.json", "--where", "sex=F")
        assert (answer["published_count"], answer["predicate_count"], answer["estimate"]) == (0, 5, -5)
        assert answer["interval"] == [0, 5]  # what is hardly ever published may all be there
        assert answer["exact"]
        assert number or _rows() == []
    alone = _json(capsys, "attack", "duplicate", "--manifest", "m.json", "--release", "p.parquet")
    assert alone["attacked"] == 0
    # for other mechanisms a table without rows is no release
    reported = Path("m.json").read_text(encoding="utf-8").replace('"alpha-beta"', '"swapping"')
    Path("s.json").write_text(reported, encoding="utf-8")
    assert main(["estimate", "p.csv", "--manifest", "s.json", "--where", "sex=F"]) == 2
    assert "s.json" in capsys.readouterr().err
    assert main(["publish", "p.csv", "-o", "q.csv", "--sensitive", "sex", "--gamma", "2"]) == 2
    assert "p.csv holds a header and no rows" in capsys.readouterr().err
    assert main([*PUBLISH, "--domain", "d.json", "--alpha", "1", "--beta", "0", "--seed", "3"]) == 0
    assert "no tuple was published" not in capsys.readouterr().err


def test_parameters_from_levels(capsys: pytest.CaptureFixture[str]) -> None:
    common = [*PUBLISH, "--domain", "d.json", "--manifest", "m.json"]
    found = _json(capsys, *common, "--d", "1/4", "--level", "1/2")
    assert (found["parameters"]["alpha"], found["parameters"]["beta"]) == ("2/5", "1/5")
    assert main([*common, "--k", "1", "--level", "1/2"]) == 0  # d = 6/15
    assert "alpha and beta disclose n = 6" in capsys.readouterr().err
    mechanism = read_manifest(Path("m.json")).mechanism
    assert isinstance(mechanism, AlphaBeta)
    levels = TupleLevels.of("2/5", "1/2")
    assert levels.allow(TupleChances(mechanism.alpha, mechanism.beta))
    assert levels.best().alpha - mechanism.alpha < Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--domain", "d.json"], "alpha-beta needs"),
        (["--domain", "d.json", "--alpha", "1/2", "--d", "1/4"], "not --alpha, --d"),
        (["--domain", "d.json", "--d", "1/4"], "not --d"),
        (["--domain", "d.json", "--alpha", "1/2", "--beta", "3/4"], "choose alpha > 0"),
        (["--domain", "d.json", "--k", "3", "--level", "1/2"], "is no prior below 1"),
        (["--domain", "d.json", "--d", "1/2", "--level", "1/2"], "no release says anything"),
        (["--domain", "d.json", *CHANCES, "--retention", "1/2"], "--retention is no option of --mechanism"),
        (["--domain", "d.json", *CHANCES, "--shuffle"], "--shuffle is no option of --mechanism alpha-beta"),
        (CHANCES, "the domain is not declared: give"),
        (["--domain", "d.json", "--column", "sex", *CHANCES], "4 of 6 rows repeat another"),
    ],
)
def test_what_is_refused(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PUBLISH, *words]) == 2
    assert reason in capsys.readouterr().err
    assert not Path("p.csv").exists()


def test_other_mechanisms_know_none_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "t.csv", "-o", "p.csv", "--mechanism", "distribution", "--column", "sex", *CHANCES]
    assert main(words) == 2
    assert "--alpha is no option of --mechanism distribution" in capsys.readouterr().err


def test_many_fakes_need_force(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(module, "MOST_FAKES", 1)
    words = [word for word in PUBLISH if word != "--force"] + ["--domain", "d.json", *CHANCES]
    assert main(words) == 2
    assert "are to be expected, more than 1" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0


def test_an_observed_domain_promises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*PUBLISH, "--observed-domain", "--column", "sex", "--column", "job", *CHANCES]
    assert _json(capsys, *words)["epsilon"] is None


# ---- useful -----------------------------------------------------------------------------------------


def test_useful(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, *USEFUL, "--rho", "1", "--count", "3", "--d", "1/10", "--level", "1/2")
    # (n_V - 3) * 2 - 3 has the square at least 8: n_V <= 3, or n_V >= 6, of Bin(3, 3/4) + Bin(9, 1/4).
    law = [Fraction(1)]
    for chance in [Fraction(3, 4)] * 3 + [Fraction(1, 4)] * 9:
        law = [
            (law[k] * (1 - chance) if k < len(law) else 0) + (law[k - 1] * chance if k else Fraction(0))
            for k in range(len(law) + 1)
        ]
    assert found["error"]["fraction"] == str(sum(law[:4]) + sum(law[6:]))
    assert (found["count"], found["worst"], found["rho_squared"]) == (3, False, "1")
    assert (found["variance"], found["amplification"], found["largest_d"]) == ("9", "3", "1/6")
    assert (found["holds"], found["printed_conditions"]) == (True, True)
    assert _json(capsys, *USEFUL, "--rho", "3/2", "--count", "3")["rho_squared"] == "9/4"
    worst = _json(capsys, *USEFUL, "--k", "1", "--level", "1/2")
    assert (worst["worst"], worst["rho_squared"], worst["holds"]) == (True, "2", None)


def test_useful_certifies_what_holds_and_says_what_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*USEFUL, "--rho", "1", "--level", "1/2", "--certificate", "c.json"]
    assert main([*words, "--d", "1/6"]) == 0
    assert check_text(Path("c.json").read_text(encoding="utf-8")).valid
    Path("c.json").unlink()
    assert main([*words, "--d", "1/5"]) == 1
    assert not Path("c.json").exists()
    reported = capsys.readouterr()
    assert "does not hold" in reported.out
    assert "no certificate is written" in reported.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "no error bound: give"),
        (["--rho", "1", "--k", "1"], "no error bound: give"),
        (["--k", "1"], "add --level GAMMA"),
        (["--rho", "1", "--d", "1/4"], "--d and --certificate need a posterior:"),
        (["--rho", "1", "--certificate", "c.json"], "--d and --certificate need a posterior:"),
        (["--rho", "1", "--level", "1/2", "--certificate", "c.json"], "--certificate needs a prior: add"),
        (["--rho", "1", "--count", "9"], "--count 9 is impossible"),
    ],
)
def test_useful_refuses(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*USEFUL, *words]) == 2
    assert reason in capsys.readouterr().err


def test_useful_goes_through_so_many_counts(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["useful", *CHANCES, "--n", "5000", "--m", "90000", "--query-size", "9000", "--rho", "1"]
    assert main(words) == 2
    assert "the worst of 5001 counts takes too long" in capsys.readouterr().err
    assert _json(capsys, *words, "--count", "0")["error"]["fraction"] is None
