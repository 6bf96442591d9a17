"""What the options of ``publish`` do, one by one, and the whole of what it writes."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref import SPECIFICATION, __version__
from splu_ref.api import t_f
from splu_ref.audit.release_log.entries import secret_fingerprint
from splu_ref.channels.parameters import DataError
from splu_ref.cli import main
from splu_ref.data import read_table
from splu_ref.mechanisms import SpluGen, SpluGenByColumn, append
from splu_ref.mechanisms.manifest import Origin, code_digest
from splu_ref.randomness import Key, KeyedSource, SeededSource, SystemSource

ROWS = 240


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, its twin without ids, and a key; the working folder."""
    jobs = ["m", "z", "a", "z", "m", "z", "k", "b"]  # z before m before a, b and k by frequency
    frame = pl.DataFrame(
        {
            "id": [f"r{row}" for row in range(ROWS)],
            "same": ["x"] * ROWS,
            "job": [jobs[row % 8] for row in range(ROWS)],
        }
    )
    frame.write_csv(tmp_path / "table.csv")
    Key.generate().write(tmp_path / "key")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RELEASE = ["publish", "table.csv", "--sensitive", "job", "--gamma", "2", "--keep", "id"]


def _published(*words: str, output: str = "out.csv") -> str:
    assert main([*RELEASE, *words, "-o", output, "--force"]) == 0
    return Path(output).read_text()


def test_the_id_names_the_records_of_a_keyed_release(folder: Path) -> None:
    source = KeyedSource(Key.read("key"))
    for words, id_column in (([], None), (["--id", "id"], "id")):
        release = SpluGen(2).publish(read_table("table.csv"), "job", source, id_column=id_column)
        assert _published("--key-file", "key", *words) == release.frame.write_csv()
    assert _published("--key-file", "key") != _published("--key-file", "key", "--id", "id")


def test_an_id_that_is_not_one_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for column, message in (
        ("same", "cannot identify records"),
        ("none", "no column"),
        ("job", "is sensitive"),
    ):
        assert main([*RELEASE, "-o", "out.csv", "--key-file", "key", "--id", column]) == 2
        assert message in capsys.readouterr().err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("plan", ["mixed", "anatomy", "cyclic"])
@pytest.mark.parametrize("retention", [None, "0.3", "2/8"])
def test_the_whole_manifest(plan: str, retention: str | None, folder: Path) -> None:
    words = ["--plan", plan, "--manifest", "m.json", *(["--retention", retention] if retention else [])]
    _published(*words)
    text = Path("m.json").read_text()
    manifest: dict[str, Any] = json.loads(text)
    release = manifest.pop("release")
    assert len(bytes.fromhex(release)) == 16
    assert manifest == {
        "schema": "splu-ref/manifest/2",
        "method": "SPLU-Gen",
        "gamma": 2,
        "retention": {None: "1/2", "0.3": "3/10", "2/8": "1/4"}[retention],
        "plan": plan,
        "rows": ROWS,
        "sensitive": [{"column": "job", "domain": ["a", "b", "k", "m", "z"]}],
        "table": read_table("out.csv").content_digest(),
        "date": datetime.now(UTC).date().isoformat(),
        "produced_by": {"version": __version__, "spec": SPECIFICATION, "code": code_digest()},
    }
    keys = ["schema", "method", "gamma", "retention", "plan", "rows", "sensitive", "table", "release", "date"]
    assert list(json.loads(text)) == [*keys, "produced_by"]
    assert text.endswith("}\n")
    _published(*words)
    assert json.loads(Path("m.json").read_text())["release"] != release


def test_the_plan_that_is_reported_is_the_plan_that_is_used(folder: Path) -> None:
    for plan in ("mixed", "anatomy", "cyclic"):
        release = SpluGen(2, plan=plan).publish(read_table("table.csv"), "job", KeyedSource(Key.read("key")))
        assert _published("--key-file", "key", "--plan", plan) == release.frame.write_csv()


@pytest.mark.parametrize("retention", ["1", "1.0", "1/1", "1.000", "7/7", "01", "1e0"])
def test_the_original_itself_is_not_published(
    retention: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RELEASE, "-o", "out.csv", "--retention", retention]) == 2
    assert capsys.readouterr().err.startswith("splu-ref: ")
    assert not Path("out.csv").exists()


def test_the_log_marks_the_key(folder: Path) -> None:
    for words in ([], ["--key-file", "key"], ["--seed", "1"]):
        _published(*words, "--log", "log")
    header, *entries = (json.loads(line) for line in Path("log").read_text().splitlines())
    mark = secret_fingerprint(Key(bytes.fromhex(header["fingerprint_key"])), Key.read("key"))
    assert [entry["key"] for entry in entries] == [None, mark, None]
    assert [entry["randomness"] for entry in entries] == ["system", "keyed", "seeded"]
    assert [entry["release"] for entry in entries] == [1, 2, 3]
    assert all(set(entry["counts"]) == {"job"} for entry in entries)
    manifest = entries[1]["manifest"]
    assert (manifest["plan"], manifest["retention"]) == ("mixed", "1/2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--key-file", "key", "--seed", "1"], "exclude each other"),
        (["--key-file", "key", "--seed", "0"], "exclude each other"),
        (["--id", "id"], "add --key-file"),
        (["--id", "id", "--seed", "1"], "add --key-file"),
        (["--append", "table.csv"], "give --append and --append-manifest"),
        (["--append-manifest", "m.json"], "give --append and --append-manifest"),
        (["--manifest", "out.csv"], "are the same file"),
        (["--log", "out.csv"], "are the same file"),
        (["--log", "table.csv", "--force"], "are the same file"),
        (["--manifest", "key", "--key-file", "key", "--force"], "are the same file"),
        (["--sensitive", "job"], "each of them once"),
    ],
)
def test_what_contradicts_itself_is_refused(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main([*RELEASE, "-o", "out.csv", *words]) == 2
    assert message in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_published_cells_are_those_of_the_records(folder: Path) -> None:
    rows = list(csv.reader(_published("--seed", "3").splitlines()))
    assert rows[0] == ["id", "same", "job"]
    assert sorted(row[0] for row in rows[1:]) == sorted(f"r{row}" for row in range(ROWS))
    assert [row[0] for row in rows[1:]] != [f"r{row}" for row in range(ROWS)]
    assert all(row[1] == "x" and row[2] in "abkmz" for row in rows[1:])


def test_a_release_is_named_by_16_bytes_of_entropy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystemSource, "read", lambda _, count: bytes(range(count)))
    assert Origin.now(read_table("table.csv")).release == bytes(range(16)).hex()


def test_draws_that_are_dependent_are_reported_with_their_price(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _published("--draws", "capped:20", "--seed", "1", "--manifest", "m.json", output="one.csv")
    reported = " ".join(capsys.readouterr().out.split())
    assert (
        "draws capped:20: counts up to 20 have the noise of independent draws, larger ones less" in reported
    )
    assert "to quote each published job is the true one with probability 1/2; a published count" in reported
    assert json.loads(Path("m.json").read_text())["draws"] == "capped:20"
    release = SpluGen(2, draws="capped:20").publish(read_table("table.csv"), "job", SeededSource(1))
    assert Path("one.csv").read_text() == release.frame.write_csv()
    _published("--draws", "all-or-none:30", "--seed", "1", "--json")
    assert json.loads(capsys.readouterr().out)["draws"] == "all-or-none:30"
    _published("--draws", "independent", "--seed", "1", "--json")
    assert "draws" not in json.loads(capsys.readouterr().out)
    for words, message in (
        (["--draws", "capped:0"], "--draws 'capped:0' is not known"),
        (["--draws", "exact"], "--draws 'exact' is not known: write independent, capped:M or"),
        (["--draws", "capped:2", "--retention", "1/3"], "capped:2 go with retention 1/gamma alone"),
        (
            ["--append", "one.csv", "--append-manifest", "m.json"],
            "--plan mixed --draws capped:20 --sensitive",
        ),
    ):
        assert main([*RELEASE, *words, "-o", "new.csv"]) == 2
        assert message in capsys.readouterr().err
        assert not Path("new.csv").exists()


OWN = ["--sensitive", "job", "--sensitive", "town", "--gamma", "town=6,job=4"]


@pytest.fixture(scope="module")
def by_column(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of two columns with gammas of their own, under a key, and its original."""
    folder = tmp_path_factory.mktemp("own")
    rows = range(3007)
    frame = pl.DataFrame(
        {
            "id": [f"r{row}" for row in rows],
            "job": ["abcdefg"[(row * row + row // 9) % 7] for row in rows],
            "town": ["klmnopqrs"[row * 5 % 9] for row in rows],
        }
    )
    frame.write_csv(folder / "table.csv")
    Key.generate().write(folder / "key")
    words = [
        "publish",
        str(folder / "table.csv"),
        "-o",
        str(folder / "p.csv"),
        *OWN,
        "--quasi",
        "id",
        "--json",
    ]
    words += ["--key-file", str(folder / "key"), "--manifest", str(folder / "m.json")]
    assert main([*words, "--log", str(folder / "log")]) == 0
    assert main([*words, "--log", str(folder / "log"), "--force"]) == 0  # the log knows it again
    return folder


def test_each_column_has_a_gamma_of_its_own(
    by_column: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(by_column)
    words = [
        "publish",
        "table.csv",
        "-o",
        "again.csv",
        *OWN,
        "--quasi",
        "id",
        "--key-file",
        "key",
        "--force",
    ]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["gamma"], result["max_gamma"]) == ({"job": 4, "town": 6}, {"job": 5, "town": 8})
    assert (result["retention"], result["plan"]) == ({"job": "1/4", "town": "1/6"}, "mixed")
    assert (result["rows_out"], result["suppressed"]) == (3000, 7)
    assert [each["threshold"] for each in result["worth"]] == [t_f(4, "3/10", "1/20"), t_f(6, "3/10", "1/20")]
    assert Path("again.csv").read_bytes() == Path("p.csv").read_bytes()
    for value, gamma in (("job=a", 4), ("town=k", 6)):
        reported = []
        for facts in (["--manifest", "m.json"], OWN):
            assert main(["estimate", "p.csv", *facts, "--where", value, "--json"]) == 0
            reported.append(json.loads(capsys.readouterr().out))
        assert reported[0] == reported[1]
        count = reported[0]["published_count"]
        assert reported[0]["variance"] == str(count * Fraction(gamma - 1, gamma))
        assert reported[0]["approximation"] == "exact"
    joint = ["--where", "job=a", "--where", "town=k", "--json"]
    assert main(["estimate", "p.csv", "--manifest", "m.json", *joint, "--method", "inversion"]) == 0
    found = json.loads(capsys.readouterr().out)
    true = read_table("table.csv").to_frame().filter(job="a", town="k").height
    assert abs(found["estimate"] - true) < 5 * found["standard_error"]
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--gamma", "4", "--where", "job=a"]) == 2
    assert "contradicts the manifest, which has job=4,town=6" in capsys.readouterr().err


def test_an_audit_holds_each_column_to_its_gamma(
    by_column: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(by_column)
    audit = ["audit-release", "p.csv", "--original", "table.csv", "--json"]
    known = ["--sensitive", "job", "--sensitive", "town", "--gamma"]
    assert main([*audit, "--manifest", "m.json", "--key-file", "key"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["gamma"], found["mechanism"]) == ({"job": 4, "town": 6}, "SPLU-Gen by column")
    assert {check["column"] for check in found["checks"] if check["name"] == "draws"} == {"job", "town"}
    assert main([*audit, *known, "job=4,town=6"]) in (0, 3)
    capsys.readouterr()
    for wrong in ("job=4,town=3", "job=2,town=6"):
        assert main([*audit, *known, wrong]) == 1
        checks = json.loads(capsys.readouterr().out)["checks"]
        assert {"retention", "feasible", "decoys", "rows"} & {
            check["name"] for check in checks if not check["passed"]
        }
    assert main(["attack", "homogeneity", "table.csv", "--manifest", "m.json", "--column", "town"]) == 0
    assert (
        main(["attack", "homogeneity", "--manifest", "m.json", "--column", "job", "--release", "p.csv"]) == 0
    )


@pytest.mark.parametrize(
    ("gamma", "message"),
    [
        ("job=4", "name each sensitive column once (job, town), such as job=5,town=5"),
        ("job=4,job=5,town=2", "name each sensitive column once"),
        ("job=4,id=5", "name each sensitive column once"),
        ("job=4,town=1", "gamma must be a whole number of at least 2"),
        ("job=4,town", "name each sensitive column once"),
    ],
)
def test_gammas_that_are_not_reported_for_each_column_are_refused(
    by_column: Path, gamma: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["publish", str(by_column / "table.csv"), "-o", str(by_column / "x.csv"), *OWN[:4]]
    assert main([*words, "--gamma", gamma]) == 2
    assert message in capsys.readouterr().err
    assert not (by_column / "x.csv").exists()


def test_draws_are_dependent_in_columns_with_a_gamma_of_their_own(
    by_column: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, out, reported = (str(by_column / name) for name in ("table.csv", "d.csv", "d.json"))
    words = [
        "publish",
        table,
        "-o",
        out,
        "--manifest",
        reported,
        *OWN[:4],
        "--gamma",
        "job=4,town=6",
        "--keep",
        "id",
    ]
    assert main([*words, "--draws", "all-or-none:20", "--explain"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "job: counts up to 20 are published as multiples of 4" in said
    assert "town: counts up to 20 are published as multiples of 6" in said
    assert json.loads(Path(reported).read_text())["draws"] == "all-or-none:20"
    release = ["audit-release", out, "--sensitive", "job", "--sensitive", "town", "--json"]
    main([*release, "--gamma", "job=4,town=6", "--draws", "all-or-none:20"])
    assert json.loads(capsys.readouterr().out)["draws"] == "all-or-none:20"
    assert main([*release[:2], "--manifest", reported, "--draws", "capped:20"]) == 2
    assert "--draws capped:20 contradicts the manifest, which has all-or-none:20" in capsys.readouterr().err


def test_a_batch_joins_a_release_with_a_gamma_for_each_column(
    by_column: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(by_column)
    lines = Path("table.csv").read_text().splitlines(keepends=True)
    new = [f"n{line}" for line in lines[1:38]]
    Path("batch.csv").write_text(lines[0] + "".join(new))
    words = ["publish", "batch.csv", "-o", "joined.csv", "--append", "p.csv", "--append-manifest", "m.json"]
    words += ["--manifest", "joined.json", "--key-file", "key", "--force"]
    joined = set[bytes]()
    for named in (["--id", "id"], []):  # by default that of the manifest
        Path("m.json").write_text(json.dumps(json.loads(Path("m.json").read_text()) | {"id": "id"}))
        capsys.readouterr()
        assert main([*words, *OWN, *named, "--json"]) == 0
        joined.add(Path("joined.csv").read_bytes())
    assert len(joined) == 1
    reported = json.loads(capsys.readouterr().out)
    assert (reported["rows_out"], reported["batch_rows"], reported["suppressed"]) == (3036, 36, 1)
    manifest = json.loads(Path("joined.json").read_text())
    assert (manifest["gamma"], manifest["batches"]) == ({"job": 4, "town": 6}, [3000, 36])
    assert manifest["id"] == "id"
    rows = set(Path("joined.csv").read_text().splitlines())
    assert rows >= set(Path("p.csv").read_text().splitlines())
    assert main(["estimate", "joined.csv", "--manifest", "joined.json", "--where", "town=k", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["variance"] == str(answer["published_count"] * Fraction(5, 6))
    assert main([*words, *OWN[:4], "--gamma", "4"]) == 2
    assert "give --gamma job=4,town=6 --plan mixed --sensitive job" in capsys.readouterr().err
    Path("batch.csv").write_text(lines[0] + "".join(new[:11]))
    assert main([*words, *OWN]) == 2
    assert "11 records, and at least 12 fill groups of every sensitive column" in capsys.readouterr().err


def test_a_batch_says_how_many_records_must_wait_beside_the_other_columns() -> None:
    """Of 20 records 12 are left, a multiple of 4 and 6; two towns may then have 2 records each at most."""
    old = SpluGenByColumn({"job": SpluGen(4), "town": SpluGen(6)}).publish(
        pl.DataFrame({"job": list("abcd" * 6), "town": list("klmnop" * 4)}), ["job", "town"], SeededSource(1)
    )
    new = pl.DataFrame({"job": list("abcdefghij" * 2), "town": list("kkklllmmmnnnoooppqqq")})
    with pytest.raises(DataError, match=r"'town' does not allow gamma = 6 .*: 6 of its 20 records must wait"):
        append(old, new, SeededSource(2))
    later = new[[0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16, 17, 18]]  # two of each town
    assert append(old, later, SeededSource(2)).batch.row_count == 12


def test_a_transcript_states_a_gamma_for_each_column(
    by_column: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(by_column)
    words = [
        "publish",
        "table.csv",
        "-o",
        "reported.csv",
        *OWN,
        "--keep",
        "id",
        "--transcript",
        "reported",
        "--force",
        "--json",
    ]
    for randomness in (["--seed", "1"], ["--key-file", "key"]):
        assert main([*words, *randomness]) == 0
        assert json.loads(Path("reported").read_text().splitlines()[0])["gamma"] == {"job": 4, "town": 6}
        audit = [
            "audit-release",
            "reported.csv",
            "--original",
            "table.csv",
            "--transcript",
            "reported",
            "--json",
        ]
        capsys.readouterr()
        assert main(audit) == 0
        assert json.loads(capsys.readouterr().out)["recomputed_from"].startswith("transcript")
    whole = Path("reported").read_bytes()
    for right, wrong in (
        (b'"job": 4', b'"jab": 4'),
        (b'"SPLU-Gen by column"', b'"SPLU-Gen"'),
        (b'"job": "mixed"', b'"job": "other"'),
        (b'"town": 6', b'"town": 9'),
    ):
        assert right in whole
        Path("reported").write_bytes(whole.replace(right, wrong, 1))
        assert main(audit) == 2


def test_missing_options_are_named_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _published("--seed", "1", "--manifest", "m.json", output="one.csv")
    capsys.readouterr()
    joined = ["--append", "one.csv", "--append-manifest", "m.json"]
    for words, message in (
        (
            joined,
            "like the release that it joins: give --gamma 2 --retention 1/2 --plan mixed --sensitive job",
        ),
        (
            [*joined, "--gamma", "2"],
            "like the release that it joins: give --gamma 2 --retention 1/2 --plan mixed --sensitive job",
        ),
        ([], "needs --gamma and --sensitive NAME: give them"),
        (["--mechanism", "swap"], "needs --retention and --sensitive NAME: give them"),
        (["--mechanism", "small-domains", "--observed-domain"], "needs --rho1 and --rho2: give them"),
    ):
        assert main(["publish", "table.csv", "-o", "new.csv", *words]) == 2
        assert message in " ".join(capsys.readouterr().err.split())


def test_what_only_renames_a_value_or_hides_a_missing_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    jobs = ["a"] * 6 + ["b"] * 5 + ["c"] * 3 + ["d"] * 2 + [""] * 2
    Path("t.csv").write_text("job\n" + "".join(f'"{job}"\n' for job in jobs))
    words = ["publish", "t.csv", "-o", "p.csv", "--force", "--sensitive", "job", "--gamma", "2", "--missing"]
    for whole in ([], ["--stream"]):
        assert main([*words, "a", *whole]) == 2
        assert "--missing 'a': column 'job' holds this value already" in capsys.readouterr().err
    assert main(["advise", "t.csv", "--sensitive", "job", "--missing", "a", "--stream"]) == 2
    assert "holds this value already" in capsys.readouterr().err
    assert main([*words, "none", "--stream"]) == 0
    capsys.readouterr()
    assert main([*words, "none", "--group-rare", "job=3"]) == 2  # missing cells are not grouped
    assert "--group-rare job=3 reaches 'd' alone, and only renames it" in capsys.readouterr().err
    for accepted in (["none"], ["none", "--group-rare", "job=2"], ["none", "--group-rare", "job=4"]):
        assert main([*words, *accepted]) == 0
