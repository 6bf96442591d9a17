from __future__ import annotations

import csv
import json
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.data import embedded_table, read_table, write_table
from splu_ref.mechanisms import SpluGen, read_manifest


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "adult.csv"
    write_table(embedded_table(), path)
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == code
    out = capsys.readouterr().out
    result: dict[str, Any] = json.loads(out)
    return result


def _refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert main([*map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("splu-ref: ")
    assert captured.err.count("\n") == 1
    return captured.err


def _rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_release_from_table_to_estimate(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published, manifest = tmp_path / "published.csv", tmp_path / "manifest.json"
    done = _json(
        capsys, "publish", table, "-o", published, "--sensitive", "occupation", "--gamma", 5,
        "--manifest", manifest,
    )  # fmt: skip
    assert done.pop("statement").startswith("each published occupation is the true one with probability 1/5")
    private = {name: done.pop(name) for name in ("worth", "leaks")}
    assert done == {
        "mechanism": "SPLU-Gen", "rows_in": 30718, "rows_out": 30715, "suppressed": 3,
        "gamma": 5, "retention": "1/5",
        "sensitive": "occupation",
        "plan": "mixed", "domain_size": 14, "values_without_rows": 0, "max_gamma": 7,
        "randomness": "system", "recoded": [],
        "publisher_only": ["max_gamma", "worth", "leaks"],
    }  # fmt: skip
    [worth], [leaks] = private["worth"], private["leaks"]
    assert (worth["values"], worth["protected"], worth["accurate"]) == (14, 1, 13)
    assert (worth["threshold"], worth["t_p"]["decimal"][:6]) == (34, "0.2892")
    assert leaks["columns"] == []
    assert (leaks["predicates_found"], leaks["unique_records"]) == (24, 17396)
    original, released = _rows(table), _rows(published)
    assert released[0] == original[0]
    column = original[0].index("occupation")
    others = [
        Counter(tuple(row[:column] + row[column + 1 :]) for row in rows) for rows in (original, released)
    ]
    assert not others[1] - others[0]
    assert sum((others[0] - others[1]).values()) == 3
    assert {row[column] for row in released[1:]} <= {row[column] for row in original[1:]}
    assert [row[:column] for row in released] != [row[:column] for row in original][: len(released)]

    count = sum(row[column] == "Sales" for row in released)
    answers = [
        _json(capsys, "estimate", published, *release, "--where", "occupation=Sales")
        for release in (["--manifest", manifest], ["--gamma", 5, "--sensitive", "occupation"])
    ]
    assert answers[0] == answers[1]
    assert answers[0]["estimate"] == answers[0]["published_count"] == count
    assert answers[0]["predicate_count"] == 30715
    assert answers[0]["interval"][0] < count < answers[0]["interval"][1]
    facts = json.loads(manifest.read_text())
    assert facts["gamma"] == 5
    assert facts["retention"] == "1/5"
    assert "Sales" in facts["sensitive"][0]["domain"]
    assert not {"max_gamma", "rows_in", "suppressed", "seed", "key"} & set(facts)


def test_parquet_and_compressed_tables(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("p.parquet", "p.csv.gz"):
        _json(
            capsys, "publish", table, "-o", tmp_path / name, "--sensitive", "occupation", "--gamma", 7,
            "--plan", "cyclic", "--seed", 1,
        )  # fmt: skip
    first, second = (read_table(tmp_path / name).to_frame() for name in ("p.parquet", "p.csv.gz"))
    assert first.equals(second)


def test_a_key_repeats_a_release_whatever_the_order_of_the_file(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = tmp_path / "publisher.key"
    assert main(["key", str(key)]) == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    header, *rows = table.read_text().splitlines(keepends=True)
    turned = tmp_path / "turned.csv"
    turned.write_text("".join([header, *reversed(rows)]))
    for source, name in ((table, "a.csv"), (turned, "b.csv")):
        done = _json(
            capsys, "publish", source, "-o", tmp_path / name, "--sensitive", "occupation", "--gamma", 5,
            "--key-file", key,
        )  # fmt: skip
        assert done["randomness"] == "keyed"
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert "exists" in _refused(capsys, "key", key)


def test_a_seed_is_repeatable_and_says_what_it_is(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["publish", str(table), "--sensitive", "occupation", "--gamma", "5", "--seed", "3", "-o"]
    assert main([*arguments, str(tmp_path / "a.csv")]) == 0
    assert "--seed is for tests" in capsys.readouterr().err
    assert main([*arguments, str(tmp_path / "b.csv")]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_retention_probability_is_announced(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published, manifest = tmp_path / "p.csv", tmp_path / "m.json"
    arguments = ["publish", table, "-o", published, "--sensitive", "occupation", "--gamma", 5, "--force"]
    reported = [str(part) for part in (*arguments, "--retention", "0.3", "--manifest", manifest)]
    assert main(reported) == 0
    assert "--retention" not in capsys.readouterr().err  # the manifest has it
    assert json.loads(manifest.read_text())["retention"] == "3/10"
    assert read_manifest(manifest).mechanism == SpluGen(5, "3/10")
    assert main([*map(str, arguments), "--retention", "0.3"]) == 0
    assert "--retention 3/10" in capsys.readouterr().err
    assert main([*map(str, arguments), "--retention", "1/5"]) == 0
    assert "retention" not in capsys.readouterr().err


def test_two_sensitive_columns(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = _json(
        capsys, "publish", table, "-o", tmp_path / "two.csv", "--sensitive", "occupation",
        "--sensitive", "education", "--gamma", 3, "--manifest", tmp_path / "two.json",
    )  # fmt: skip
    assert done["sensitive"] == ["occupation", "education"]
    assert done["domain_size"] == [14, 16]
    assert done["max_gamma"] == 3
    answer = _json(
        capsys, "estimate", tmp_path / "two.csv", "--manifest", tmp_path / "two.json",
        "--where", "education=Bachelors",
    )  # fmt: skip
    assert answer["bound"] == done["rows_out"] // 3


def test_missing_values_are_a_value_only_if_the_user_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.csv"
    source.write_text("id,s\n" + "".join(f"{i},{'abc?'[i % 4]}\n" for i in range(40)))
    arguments = [
        "publish",
        source,
        "-o",
        tmp_path / "out.csv",
        "--sensitive",
        "s",
        "--gamma",
        4,
        "--keep",
        "id",
    ]
    assert "--missing" in _refused(capsys, *arguments)
    assert _json(capsys, *arguments, "--missing", "?")["domain_size"] == 4


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            ["--gamma", "8"],
            "'Prof-specialty' occurs 4140 times among 30718 records; the largest feasible gamma is 7",
        ),
        (["--gamma", "1"], "gamma must be a whole number of at least 2"),
        (["--gamma", "5", "--sensitive", "ocupation"], "did you mean 'occupation'"),
        (["--gamma", "5", "--retention", "1"], "--retention 1 publishes every true value:"),
        (["--gamma", "5", "--retention", "0"], "retention must be greater than 0"),
        (["--gamma", "5", "--retention", "1.5"], "retention is a probability and must be at most 1"),
        (["--gamma", "5", "--retention", "1e-30"], "retention has too many digits"),
        (["--gamma", "5", "--plan", "magic"], "choose one of anatomy, cyclic, mixed"),
        (["--gamma", "5", "--seed", "1", "--key-file", "k"], "exclude each other"),
        (["--gamma", "5", "--id", "age"], "add --key-file"),
        (["--gamma", "5", "--key-file", "nowhere.key"], "nowhere.key"),
        (["--gamma", "5", "--no-such-option"], "--no-such-option"),
        ([], "--gamma"),
    ],
)
def test_unusable_options_get_one_line_with_a_remedy(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], extra: list[str], message: str
) -> None:
    output = tmp_path / "out.csv"
    assert message in _refused(capsys, "publish", table, "-o", output, "--sensitive", "occupation", *extra)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over_without_force(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.csv"
    output.write_text("precious")
    arguments = ["publish", table, "-o", output, "--sensitive", "occupation", "--gamma", 5]
    assert "add --force" in _refused(capsys, *arguments)
    assert output.read_text() == "precious"
    assert "same file" in _refused(capsys, *arguments, "--force", "--manifest", output)
    _json(capsys, *arguments, "--force")
    assert len(_rows(output)) == 30716


def test_inputs_are_never_replaced_and_two_outputs_stand_or_fall_together(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original, key = tmp_path / "in.csv", tmp_path / "k.key"
    original.write_bytes(table.read_bytes())
    assert main(["key", str(key)]) == 0
    before = {path: path.read_bytes() for path in (original, key)}
    rest = ["--sensitive", "occupation", "--gamma", 5, "--key-file", key, "--force"]
    out = tmp_path / "out.csv"
    for outputs in (["-o", original], ["-o", out, "--manifest", original], ["-o", out, "--manifest", key]):
        assert "same file" in _refused(capsys, "publish", original, *outputs, *rest)
    assert ".csv" in _refused(capsys, "publish", original, "-o", tmp_path / "out.xlsx", *rest)
    assert "nowhere" in _refused(
        capsys, "publish", original, "-o", out, "--manifest", tmp_path / "nowhere" / "m.json", *rest
    )
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_estimate_refuses_what_it_cannot_count(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "m.json"
    published = tmp_path / "p.csv"
    _json(
        capsys, "publish", table, "-o", published, "--sensitive", "occupation", "--gamma", 5,
        "--manifest", manifest,
    )  # fmt: skip
    where = ["--where", "occupation=Sales"]
    known = ["--gamma", 5, "--sensitive", "occupation"]
    assert "--manifest" in _refused(capsys, "estimate", published, *where)
    assert "contradicts" in _refused(
        capsys, "estimate", published, "--manifest", manifest, "--gamma", 4, *where
    )
    assert "contradicts" in _refused(
        capsys, "estimate", published, "--manifest", manifest, "--sensitive", "age", *where
    )
    assert "a sensitive value alone" in _refused(
        capsys, "estimate", published, *known, *where, "--where", "sex=Male", "--method", "mle"
    )
    assert "names no sensitive column" in _refused(
        capsys, "estimate", published, *known, "--where", "sex=Male"
    )
    assert "Choose one of mle, exact" in _refused(
        capsys, "estimate", published, *known, *where, "--method", "x"
    )
    assert "did you mean 'Sales'" in _refused(
        capsys, "estimate", published, "--manifest", manifest, "--where", "occupation=Salez"
    )
    assert main([str(part) for part in ("estimate", published, *known, "--where", "occupation=Salez")]) == 0
    assert "misspelled" in capsys.readouterr().err
    text = manifest.read_text()
    for damage in (
        '{"schema": 1}',
        "[]",
        "{",
        text.replace('"1/5"', '"5/4"'),
        text.replace('"1/5"', '"1e99999999"'),
        text.replace('"occupation"', "3"),
        text.replace("30715", "Infinity"),
        text.replace("30715", "30714"),
        text.replace("30715", "-5"),
        text.replace("30715", "30720"),
    ):
        assert damage != text
        broken = tmp_path / "broken.json"
        broken.write_text(damage)
        message = _refused(capsys, "estimate", published, "--manifest", broken, *where)
        assert "broken.json" in message or "30720" in message
    for gamma in ("4", "1e400"):
        assert "multiple of gamma" in _refused(
            capsys, "estimate", published, "--gamma", gamma, "--sensitive", "occupation", *where
        )
    assert "no such file" in _refused(capsys, "estimate", published, "--manifest", tmp_path / "none", *where)


def test_privacy_of_the_papers_second_example(capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, "privacy", "--gamma", 10, "--epsilon", "0.3", "--alpha", 3, "--at-least", "0.6")
    # One minus (9/10)^9, which is C(10,1) 9^9 / 10^10.
    assert result["t_p"]["fraction"] == result["t_p_definition"]["fraction"] == "612579511/1000000000"
    assert result["argmin"] == 1
    assert result["holds"] is True
    assert _json(
        capsys, "privacy", "--gamma", 10, "--epsilon", "0.3", "--alpha", 3, "--at-least", "0.613", code=1
    )["holds"] is False  # fmt: skip
    # The level itself is reached, and nothing above it.
    assert _json(
        capsys, "privacy", "--gamma", 10, "--epsilon", "0.3", "--alpha", 3,
        "--at-least", "612579511/1000000000",
    )["holds"] is True  # fmt: skip
    large = _json(capsys, "privacy", "--gamma", 10, "--epsilon", "3/10", "--alpha", 5000)
    assert large["t_p"]["fraction"] is None
    assert large["t_p"]["digits"] == 12


@pytest.mark.parametrize(
    "arguments",
    [
        ["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "3"],
        ["utility", "--gamma", "10", "--epsilon", "0.3", "--frequency", "5"],
        ["utility", "--gamma", "10", "--epsilon", "1/20", "--t-e", "1/100"],
    ],
)
def test_a_certificate_checks_and_a_changed_one_does_not(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = tmp_path / "certificate.json"
    assert main([*arguments, "--certificate", str(certificate)]) == 0
    capsys.readouterr()
    assert _json(capsys, "check", certificate)["valid"] is True
    changed = certificate.read_text().replace('"gamma": "10"', '"gamma": "11"')
    assert changed != certificate.read_text()
    certificate.write_text(changed)
    assert _json(capsys, "check", certificate, code=1)["valid"] is False
    certificate.write_bytes(b"\xff\xfe")
    assert "not a text file" in _refused(capsys, "check", certificate)
    certificate.write_text("{}")
    assert "certificate.json" in _refused(capsys, "check", certificate)
    assert "exists" in _refused(capsys, *arguments, "--certificate", certificate)


def test_a_result_is_printed_even_if_no_certificate_can_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = tmp_path / "c.json"
    arguments = ["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "60000", "--json"]
    assert main([*arguments, "--certificate", str(certificate)]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["alpha"] == 60000
    assert captured.err.startswith("splu-ref: ")
    assert not certificate.exists()


def test_utility_at_a_count_and_from_a_count_on(capsys: pytest.CaptureFixture[str]) -> None:
    error = _json(capsys, "utility", "--gamma", 3, "--epsilon", 1, "--frequency", 1)
    assert error["error"]["fraction"] == "5/9"
    assert error["chebyshev"]["fraction"] == "2/3"
    assert _json(capsys, "utility", "--gamma", 10, "--epsilon", "1/20", "--t-e", "1/100")["threshold"] == 2401
    assert "either" in _refused(capsys, "utility", "--gamma", 3, "--epsilon", 1)
    assert "t_e" in _refused(capsys, "utility", "--gamma", 3, "--epsilon", 1, "--t-e", 0)


def test_the_ledger_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["id"]: row for row in _json(capsys, "claims")["claims"]}
    assert rows["splu.T3"]["status"] == "refuted"
    assert rows["splu.T3"]["corrected_by"] == "splu.T3c"
    assert rows["splu.T3"]["witness"]
    for row in rows.values():
        assert {
            "id",
            "source",
            "status",
            "grade",
            "witness",
            "corrected_by",
            "depends_on",
            "dependants",
            "paper",
        } <= set(row)
    assert main(["claims"]) == 0
    shown = capsys.readouterr().out
    assert "refuted" in shown
    papers = list(dict.fromkeys(row["paper"].partition(":")[0] for row in rows.values()))
    assert papers[0].startswith("Fu, Wang")
    assert sorted(papers, key=shown.index) == papers  # each heads its own claims, in the order of the ledger
    assert main(["claims", "splu.T3", "--explain"]) == 0
    shown = capsys.readouterr().out
    for part in ("splu.T3c", "gamma = 3, f = 1, epsilon = 1: printed 1/3, true 5/9.",
                 "SPLU.PrintedErrorBound.witness", "falls with it  splu.L1, splu.F4"):  # fmt: skip
        assert part in shown
    assert "splu.T3" in _refused(capsys, "claims", "splu.T3x")
    assert "needs a claim's id" in _refused(capsys, "claims", "--reaffirm")


def test_the_program_names_itself_and_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert "specification" in capsys.readouterr().out
    done = subprocess.run(
        [sys.executable, "-m", "splu_ref", "--help"], capture_output=True, text=True, check=True
    )
    for command in ("publish", "estimate", "privacy", "utility", "check", "claims", "verify", "key"):
        assert command in done.stdout
    assert _refused(capsys, "sanitise")


def test_verification_is_refused_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # that a run passes is tested from the wheel
    assert "--level quick" in _refused(capsys, "verify", "--level", "full")
    (tmp_path / "occupied").write_text("")
    assert "occupied" in _refused(capsys, "verify", "--report", tmp_path / "occupied")


def test_a_claim_is_found_by_how_its_id_ends(capsys: pytest.CaptureFixture[str]) -> None:
    for given, full, others in (
        ("t3", "splu.T3", "olap.T3"),
        ("OLAP.t3", "olap.T3", ""),
        ("l1C", "splu.L1c", ""),
    ):
        assert main(["claims", given, "--json"]) == 0
        reported = capsys.readouterr()
        assert [row["id"] for row in json.loads(reported.out)["claims"]] == [full]
        assert others in reported.err
    assert "may be any of entropy.T1, olap.T1" in _refused(capsys, "claims", "t1")
    assert "has no claim" in _refused(capsys, "claims", "3")


def test_an_exact_number_is_not_said_to_be_rounded(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["privacy", "--gamma", "5", "--epsilon", "0.3", "--alpha"]
    assert main([*words, "3"]) == 0
    assert "0.5904 (exact)" in capsys.readouterr().out
    assert main([*words, "9"]) == 0
    assert "rounded in the safe direction" in capsys.readouterr().out
