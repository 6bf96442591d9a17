from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from splu_ref.mechanisms import RetentionReplacement, read_manifest, read_release
from splu_ref.randomness import Key
from tests.programs import main as program
from tests.rounding import near

RETENTION = ["--mechanism", "retention", "--retention", "1/5"]


def main(words: list[str]) -> int:
    """Run a command; one that publishes other columns keeps the one that identifies the records."""
    others = {"--stream", "pg", "alpha-beta"}
    identified = words[0] == "publish" and ",id" in Path("t.csv").read_text("utf-8").split("\n")[0]
    kept = ["--keep", "id"] if identified and not others & set(words) else []
    return program([*words, *kept])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'FM'[i % 2]},{'abc'[i % 3]},{20 + i % 7},{i}\n" for i in range(60))
    Path("t.csv").write_text(f"sex,job,age,id\n{rows}", encoding="utf-8")
    domains = {"job": ["a", "b", "c", "d"], "age": {"min": 20, "max": 29}}
    Path("domain.json").write_text(json.dumps(domains), encoding="utf-8")
    Path("job.json").write_text(json.dumps({"job": domains["job"]}), encoding="utf-8")
    return tmp_path


def _published(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", "--json", *words]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def _rows(name: str = "p.csv") -> list[dict[str, str]]:
    with Path(name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("folder")
def test_every_mechanism_says_what_it_promises_and_what_not(capsys: pytest.CaptureFixture[str]) -> None:
    Path("laws.json").write_text(json.dumps({"job": {"a": "1/2", "b": "1/4", "c": "1/8", "d": "1/8"}}))
    given = ["--replacing", "given", "--domain", "laws.json"]
    job = ["--column", "job"]
    none, counts = (
        "nothing is promised for counts",
        "published counts of sensitive values are those of the table",
    )
    for words, quoted in (
        (
            [*RETENTION, *given, *job],
            f"shows its true job with probability 3/10 to 3/5; at most 3 times as probable; {none}",
        ),
        ([*RETENTION, "--observed-domain", *job], f"with probability 7/15; has no bound, since what; {none}"),
        (
            ["--mechanism", "swap", "--retention", "1/5", *job],
            f"has no bound, since what is published; {counts}",
        ),
        (["--mechanism", "distribution", *job], f"has no bound, since what is published; {none}"),
        (["--sensitive", "job", "--gamma", "2"], "is the true one with probability 1/2; where at most 10"),
        (
            ["--sensitive", "both", "--gamma", "2", "--cross", "both=job,sex"],
            "each of its parts job and sex is true at least as often; nothing is promised for other counts",
        ),
    ):
        files = ["-o", "p.csv", "--manifest", "m.json", "--force"]
        assert main(["publish", "t.csv", *files, *words]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert f"to quote {read_release(Path('p.csv'), Path('m.json')).statement} " in text
        for part in quoted.split("; "):
            assert part in text.split("to quote")[1], (words, part)
        assert ("protected T_P and T_f are not computed" in text) == (none in quoted)
        assert " repeated " in text
        assert " together " not in text.split("to quote")[0]
    crossed = ["--sensitive", "both", "--gamma", "2", "--cross", "both=job,sex"]
    for plan, known in (("mixed", {"job", "sex"}), ("cyclic", set())):
        [worth] = _published(capsys, *crossed, "--plan", plan)["worth"]
        assert worth.get("parts", {}).keys() == known
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", *crossed]) == 0
    assert "parts both: on average a record shows the true job" in " ".join(capsys.readouterr().out.split())
    words = [*RETENTION, "--domain", "domain.json"]
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", *words]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "together epsilon is that of all sensitive columns together" in text
    assert "(that of 3 releases: 5.838)" in text
    Key.generate().write("k.key")
    assert (
        main(["publish", "t.csv", "-o", "p.csv", "--force", *words, "--key-file", "k.key", "--id", "id"]) == 0
    )
    assert "repeated" not in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_columns_are_examined_by_every_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"{f'n{row}' if row % 10 < 3 else 'none'},{'FM'[row % 2]},{'aab'[row % 3]}\n" for row in range(60)
    ]
    Path("notes.csv").write_text("".join(["note,sex,job\n", *rows]))
    publish = ["publish", "notes.csv", "-o", "p.csv", "--force", "--column", "job"]
    retained = [*publish, *RETENTION, "--domain", "job.json"]
    partly = "'note' is partly unique: 18 of 60 records have a unique cell"
    for words in (retained, [*publish, "--mechanism", "distribution"]):
        assert program(words) == 0
        captured = capsys.readouterr()
        assert partly in captured.err
        assert "unique 18 of 60 records" in " ".join(captured.out.split())
        assert "not checked" not in captured.out
    assert program([*retained, "--stream"]) == 0
    captured = capsys.readouterr()
    assert "not checked whether other columns identify records" in " ".join(captured.out.split())
    assert program(["advise", "notes.csv", "--sensitive", "job"]) == 0  # more than half have one value
    assert f"risks {partly}; 18 of 60 records are unique" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("folder")
def test_the_advised_command_of_a_table_with_ids_has_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    """The ids are neither judged nor published."""
    assert program(["advise", "t.csv", "--sensitive", "sex", "--id", "id"]) == 0
    said = capsys.readouterr().out
    assert "0 of 60 records are unique" in " ".join(said.split())
    command = said.split("command  splu-ref ")[1].split("\n")[0]
    assert " --key-file publisher.key --id id " in command
    assert program(["key", "publisher.key"]) == 0
    Path("domain.json").write_text('{"sex": ["F", "M"]}')
    assert program(shlex.split(command)) == 0
    assert read_manifest(Path("published.json")).id_column == "id"
    assert "id" not in Path("published.csv").read_text().split("\n")[0].split(",")
    assert program(["advise", "t.csv", "--sensitive", "sex", "--id", "di"]) == 2
    assert "there is no column 'di'" in capsys.readouterr().err
    assert program(["advise", "t.csv", "--sensitive", "sex", "--id", "id", "--stream"]) == 2


@pytest.mark.usefixtures("folder")
def test_what_a_table_in_files_excludes_is_not_advised(capsys: pytest.CaptureFixture[str]) -> None:
    assert program(["advise", "t.csv", "--sensitive", "job", "--stream"]) == 0
    captured = capsys.readouterr()
    assert captured.out.split("command")[1].splitlines()[0].endswith("--drop id")
    assert "the command has no --stream, which excludes its --drop" in captured.err
    assert program(["advise", "t.csv", "--sensitive", "job", "--stream", "--keep", "id"]) == 0
    assert "has no --stream" not in capsys.readouterr().err
    words = ["publish", "t.csv", "-o", "p.csv", "--sensitive", "job", "--gamma", "2"]
    assert program([*words, "--stream", "--strict"]) == 2
    assert "write the table without 'id' first, or --keep id" in capsys.readouterr().err
    lines = Path("t.csv").read_text().splitlines()
    texts = ["note", *(f"n{row}" if row % 10 < 3 else "none" for row in range(len(lines) - 1))]
    Path("t.csv").write_text("".join(f"{line},{note}\n" for line, note in zip(lines, texts, strict=True)))
    assert program([*words, "--stream", "--strict", "--keep", "id"]) == 2
    refused = capsys.readouterr().err
    assert "'note' is partly unique" in refused
    assert "write the table without 'note' first, or --keep note to accept it" in refused
    assert "--drop" not in refused


@pytest.mark.usefixtures("folder")
def test_cautions_are_before_what_to_quote_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "t.csv", "-o", "p.csv", "--force", "--keep", "id", "--explain", "--sensitive", "job"]
    low, unstated = "retention is below 1/gamma", "give --retention"
    for more, notes in (
        (["--gamma", "2", "--retention", "1/5", "--manifest", "m.json"], {low}),
        (["--gamma", "2", "--retention", "3/5"], {unstated}),
        (["--gamma", "2", "--sensitive", "sex"], set[str]()),
    ):
        assert program([*words, *more]) == 0
        captured = capsys.readouterr()
        labels = [line.split("  ")[0] for line in captured.out.splitlines() if line[:1].strip()]
        places = [labels.index(each) for each in ("caution", "repeated", "protected", "to quote", "unique")]
        assert places == sorted(places)
        assert {each for each in (low, unstated) if each in captured.err} == notes


@pytest.mark.usefixtures("folder")
def test_what_is_protected_is_on_the_first_screen_for_several_columns_and_batches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["publish", "t.csv", "-o", "p.csv", "--force", "--keep", "id", "--gamma", "2"]
    batch = ["--append", "p.csv", "--append-manifest", "m.json", "-o", "q.csv"]
    for more in (["--sensitive", "sex"], ["--manifest", "m.json"], batch):
        assert program([*words, "--sensitive", "job", *more]) == 0
        shown = capsys.readouterr().out
        labels = [line.split("  ")[0] for line in shown.splitlines() if line[:1].strip()]
        assert {"caution", "repeated", "protected"} < set(labels), shown
        assert len(shown.splitlines()) <= 20


@pytest.mark.usefixtures("folder")
def test_dependent_draws_have_promises_or_say_what_is_not_computed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [
        "publish",
        "t.csv",
        "-o",
        "p.csv",
        "--force",
        "--explain",
        "--column",
        "job",
        "--gamma",
        "2",
        "--draws",
    ]
    assert main([*words, "capped:10", "--column", "sex"]) == 0
    captured = capsys.readouterr()
    text = " ".join(captured.out.split())
    for part in (
        "to quote each published job is",
        "repeated",
        "protected",
        "together job and",
    ):
        assert part in text
    assert "not computed" not in captured.err
    assert main([*words, "capped:5", "--column", "sex"]) == 0
    captured = capsys.readouterr()
    assert "together is not computed for counts up to 10 with draws capped:5" in captured.err
    assert "T_P of 3 releases: not computed" in " ".join(captured.out.split())
    assert main([*words, "all-or-none:5"]) == 0
    captured = capsys.readouterr()
    assert "to quote" in captured.out
    assert "not computed" not in captured.err


@pytest.mark.usefixtures("folder")
def test_retention_from_a_file_of_domains(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RETENTION, "--domain", "domain.json", "--seed", "1", "--manifest", "m.json"]
    found = _published(capsys, *words)
    digest = found["parameters"].pop("domains")
    assert [each["column"] for each in found.pop("leaks")] == found["sensitive"]
    assert found == {
        "publisher_only": ["leaks"],
        "mechanism": "retention replacement",
        "rows_in": 60,
        "rows_out": 60,
        "suppressed": 0,
        "sensitive": ["age", "job"],
        "domain_size": [10, 4],
        "values_without_rows": [0, 0],
        "parameters": {"retention": "1/5", "replacing": "uniform", "order": "kept"},
        "randomness": "seeded",
        "statement": "each record shows its true age with probability 7/25; each record shows its true job "
        "with probability 2/5; another true value of one record makes any release at most 7 times as "
        "probable (epsilon <= 1.946, rounded up); nothing is promised for counts, nor about who is in the "
        "table",
        "amplification": "7",  # (1 + 4/4) (1 + 10/4)
        "epsilon": "1.94591014906",
        "recoded": [],
    }
    reported = read_manifest(Path("m.json"))
    ages = [str(age) for age in range(20, 30)]
    assert reported.mechanism == RetentionReplacement("1/5", {"job": "abcd", "age": ages})
    assert reported.mechanism.facts()["domains"] == digest
    published = _rows()
    # The order is that of the table; values that no record has are published.
    assert [row["id"] for row in published] == [str(i) for i in range(60)]
    assert "d" in {row["job"] for row in published}
    assert {row["age"] for row in published} & {"27", "28", "29"}
    assert [row["sex"] for row in published] == ["F", "M"] * 30


@pytest.mark.usefixtures("folder")
def test_one_column_of_the_file_and_rows_in_a_random_order(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RETENTION, "--domain", "job.json", "--column", "job", "--seed", "1"]
    assert _published(capsys, *words)["amplification"] == "2"
    kept = _rows()
    found = _published(capsys, *words, "--shuffle", "--manifest", "m.json")
    assert found["parameters"]["order"] == "shuffled"
    mechanism = read_manifest(Path("m.json")).mechanism
    assert isinstance(mechanism, RetentionReplacement)
    assert mechanism.shuffled
    shuffled = _rows()
    assert [row["id"] for row in shuffled] != [row["id"] for row in kept]
    # Coins and replacements are drawn before the permutation: each record says the same.
    assert sorted(shuffled, key=lambda row: int(row["id"])) == kept


@pytest.mark.usefixtures("folder")
def test_a_domain_from_the_table_promises_nothing_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "t.csv", "-o", "p.csv", *RETENTION, "--column", "job", "--observed-domain", "--json"]
    assert main(words) == 0
    reported = capsys.readouterr()
    assert "the domain depends on the data," in reported.err
    found = json.loads(reported.out)
    assert (found["epsilon"], found["amplification"], found["domain_size"]) == (None, None, 3)
    assert {row["job"] for row in _rows()} <= set("abc")


@pytest.mark.usefixtures("folder")
def test_splu_gen_is_published_without_a_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--gamma", "3", "--sensitive", "job", "--seed", "5", "--retention", "1/2", "--keep", "id"]
    found = _published(capsys, "--mechanism", "splu-gen", *common)
    assert (found["mechanism"], found["gamma"]) == ("SPLU-Gen", 3)
    assert main(["publish", "t.csv", "-o", "s.csv", *common]) == 0
    assert Path("s.csv").read_bytes() == Path("p.csv").read_bytes()


@pytest.mark.usefixtures("folder")
def test_distribution_has_no_options(capsys: pytest.CaptureFixture[str]) -> None:
    found = _published(capsys, "--mechanism", "distribution", "--column", "job", "--seed", "5")
    assert (found["mechanism"], found["parameters"], found["epsilon"]) == ("DBR", {}, None)
    assert main(["publish", "t.csv", "-o", "q.csv", "--mechanism", "distribution", "--column", "job"]) == 0
    assert "depends on other records" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("folder")
def test_a_key_repeats_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["key", "k", "--json"]) == 0
    capsys.readouterr()
    words = [*RETENTION, "--domain", "domain.json", "--key-file", "k", "--id", "id"]
    assert _published(capsys, *words)["randomness"] == "keyed"
    once = _rows()
    _published(capsys, *words)
    assert _rows() == once


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (
            ["--mechanism", "rank", "--column", "job"],
            "choose one of splu-gen, anatomy, distribution, retention, swap",
        ),
        (["--mechanism", "swap", "--column", "job"], "needs --retention"),
        (["--mechanism", "swap", "--column", "job", "--retention", "1"], "choose less than 1"),
        (
            ["--mechanism", "swap", "--retention", "0.2", "--shuffle"],
            "--shuffle is no option of --mechanism sw",
        ),
        (["--mechanism", "swap", "--retention", "0.2"], "--sensitive NAME"),
        ([*RETENTION, "--replacing", "rank", "--domain", "domain.json"], "replacing by rank: choose uniform"),
        ([*RETENTION, "--replacing", "given", "--column", "job"], "needs the probabilities: --domain FILE"),
        ([*RETENTION, "--replacing", "given", "--domain", "domain.json"], "column 'job': a law has the prob"),
        (
            [*RETENTION, "--replacing", "identity", "--compound", "--domain", "domain.json"],
            "laws that do not come from the table",
        ),
        (
            ["--mechanism", "distribution", "--compound"],
            "--compound is no option of --mechanism dis",
        ),
        ([*RETENTION, "--domain", "domain.json", "--gamma", "3"], "--gamma is no option of --mechanism ret"),
        (["--mechanism", "distribution", "--shuffle", "--column", "job"], "which takes --domain"),
        (
            ["--mechanism", "splu-gen", "--gamma", "3", "--column", "job", "--observed-domain"],
            "--observed-domain is no option of --mechanism splu-gen, which takes --gamma, --plan",
        ),
        (["--mechanism", "splu-gen", "--column", "job"], "needs --gamma"),
        (["--mechanism", "splu-gen", "--gamma", "3"], "--sensitive NAME"),
        (["--column", "job", "--gamma", "3", "--retention", "1"], "choose less than 1"),
        (["--mechanism", "retention", "--domain", "domain.json"], "needs --retention"),
        ([*RETENTION, "--column", "job"], "the domain is not declared: give"),
        ([*RETENTION, "--domain", "domain.json", "--observed-domain"], "the domain is not declared: give"),
        ([*RETENTION, "--observed-domain"], "name it, --sensitive NAME"),
        (
            [*RETENTION, "--domain", "job.json", "--column", "job", "--column", "sex"],
            "column 'sex' has no domain",
        ),
        ([*RETENTION, "--domain", "t.csv"], "splu-ref: t.csv: not a JSON file"),
        ([*RETENTION, "--domain", "none.json"], "splu-ref: none.json: there is no such file"),
        ([*RETENTION, "--domain", "domain.json", "--key-file", "k", "--seed", "1"], "exclude each other"),
        ([*RETENTION, "--domain", "domain.json", "--manifest", "domain.json"], "the same file"),
    ],
)
def test_what_is_refused_writes_nothing(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", *words]) == 2
    reported = capsys.readouterr()
    assert remedy in reported.err
    assert (reported.out, reported.err.count("\n")) == ("", 1)
    assert not Path("p.csv").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("declared", "remedy"),
    [
        ("[]", "names no column"),
        ("{}", "names no column"),
        ('{"job": ["a", "b"], "job": ["a", "c"]}', "is repeated"),
        ('{"job": "abc"}', "column 'job': a domain is a list"),
        ('{"job": ["a", 1.5]}', "column 'job': a domain is a list"),
        ('{"job": ["a"]}', "column 'job': 1 values: a domain has 2 to 100000"),
        ('{"job": ["a", "b"]}', "t.csv: column 'job' holds 'c' in row 3"),
        ('{"age": {"min": 20}}', "a range has two whole numbers"),
        ('{"age": {"min": 20, "max": 26.5}}', "a range has two whole numbers"),
        ('{"age": {"min": true, "max": 26}}', "a range has two whole numbers"),
        ('{"age": {"min": 26, "max": 20}}', "correct its ends"),
        ('{"age": {"min": 0, "max": 99999}}', ""),
        ('{"age": {"min": 0, "max": 100000}}', "correct its ends"),
        ('{"age": [20, 21, 22, 23, 24, 25, "26"]}', ""),
    ],
)
def test_files_of_domains(declared: str, remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.json").write_text(declared, encoding="utf-8")
    words = ["publish", "t.csv", "-o", "p.csv", *RETENTION, "--domain", "d.json"]
    assert main(words) == (2 if remedy else 0)
    assert remedy in capsys.readouterr().err
    assert Path("p.csv").exists() == (not remedy)


@pytest.fixture
def release(folder: Path) -> Path:
    words = ["--domain", "domain.json", "--seed", "1", "--manifest", "m.json"]
    assert main(["publish", "t.csv", "-o", "p.csv", *RETENTION, *words]) == 0
    return folder


def _answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) in (0, 1)
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.usefixtures("release")
def test_a_release_is_estimated_by_its_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ("estimate", "p.csv", "--manifest", "m.json")
    found = _answer(capsys, *ask, "--where", "job=a", "--where", "sex=F")
    published = sum(row["job"] == "a" and row["sex"] == "F" for row in _rows())
    assert found["published_count"] == published
    assert found["predicate_count"] == 30
    assert found["estimate"] == near((published - 30 * 0.8 / 4) / 0.2, size=30)
    # W is 4 for a published a, and -1 for others.
    assert found["variance_estimate"] == str(16 * published + (30 - published) - (5 * published - 30))
    assert found["exact"] is True
    both = _answer(capsys, *ask, "--where", "job=a", "--where", "age<=24")
    assert both["exact"] is False
    assert main([*ask, "--where", "job=a"]) == 0
    reported = " ".join(capsys.readouterr().out.split())
    assert ", exact" in reported
    assert "times the inverse of the channel" in reported
    likely = _answer(capsys, *ask, "--where", "job=a", "--where", "age<=24", "--method", "em")
    assert likely["method"] == "em"
    assert 0 <= likely["interval"][0] <= likely["estimate"] <= likely["interval"][1] <= 60
    assert "cut off" in likely["note"]
    assert main([*ask, "--where", "job=a", "--method", "em"]) == 0
    reported = " ".join(capsys.readouterr().out.split())
    assert "em: maximum-likelihood counts, none negative" in reported
    Path("q.jsonl").write_text('{"where": {"job": "a"}}\n{"where": {"age": {"max": 24}}}\n', encoding="utf-8")
    assert main([*ask, "--batch", "q.jsonl"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["predicate_count"] for line in lines] == [60, 60]


@pytest.mark.usefixtures("release")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (
            ["--where", "job=a", "--retention", "1/4"],
            "--retention 1/4 contradicts the manifest, which has 1/5",
        ),
        (["--where", "job=a", "--gamma", "5"], "--gamma: retention replacement has no decoy groups"),
        (["--where", "job=a", "--method", "shrunk"], "'inversion' and 'em' only"),
        (["--where", "sex=F"], "names 0 sensitive columns"),
        (["--where", "job=z"], "'z' is not a value of 'job'"),
        (["--batch", "q.jsonl"], "q.jsonl, line 2: 'z' is not a value of 'job'"),
    ],
)
def test_questions_that_its_manifest_does_not_allow(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("q.jsonl").write_text('{"where": {"job": "a"}}\n{"where": {"job": "z"}}\n', encoding="utf-8")
    capsys.readouterr()
    assert main(["estimate", "p.csv", "--manifest", "m.json", *words]) == 2
    reported = capsys.readouterr()
    assert (reported.out, remedy in reported.err) == ("", True)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "observed"),
    [
        (["--domain", "domain.json"], False),
        (["--observed-domain", "--sensitive", "age", "--sensitive", "job"], True),
        (None, None),
    ],
)
def test_a_manifest_says_whether_epsilon_holds(
    words: list[str] | None, observed: bool | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A manifest of an earlier version does not say it."""
    _published(capsys, *RETENTION, *(words or ["--domain", "domain.json"]), "--manifest", "m.json")
    document = json.loads(Path("m.json").read_text("utf-8"))
    if observed is None:
        del document["observed_domain"]
        Path("m.json").write_text(json.dumps(document), "utf-8")
    assert document.get("observed_domain") is observed
    breach = ["breach", "--manifest", "m.json", "--column", "age", "--rho1", "0.1", "--rho2", "0.5"]
    assert (_answer(capsys, *breach)["epsilon"] is None) == bool(observed)
    texts = {None: "only if the domain was declared", False: "declared by", True: "no epsilon holds"}
    main(breach)
    assert texts[observed] in " ".join(capsys.readouterr().out.split())
    audit = ["audit-release", "p.csv", "--manifest", "m.json"]
    main(audit)
    printed = " ".join(capsys.readouterr().out.split())
    assert (texts[observed] in printed) == (observed is not None)
    main([*audit, "--json"])
    assert json.loads(capsys.readouterr().out).get("observed_domain") is observed


@pytest.mark.usefixtures("release")
def test_a_breach_is_requested_of_its_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    levels = ("--rho1", "0.1", "--rho2", "0.5")
    ask = ("breach", "--manifest", "m.json", *levels)
    found = _answer(capsys, *ask, "--column", "age")
    assert found == _answer(capsys, "breach", "--retention", "1/5", "--values", "10", *levels)
    # Under the counts of the table the domain is still the declared one: ages 27 to 29 have no record.
    under = _answer(capsys, *ask, "--column", "age", "--prior", "t.csv")
    assert (under["values"], under["amplification"]) == (10, "7/2")
    other = _answer(capsys, "breach", "--retention", "1/5", "--prior", "t.csv", "--column", "age", *levels)
    assert (other["values"], other["amplification"]) == (7, "11/4")
    for words, remedy in (
        ([], "name one, --column NAME"),
        (["--column", "sex"], "name one, --column NAME"),
        (["--column", "age", "--values", "10"], "leave out --values"),
        (
            ["--column", "age", "--retention", "1/4"],
            "--retention 1/4 contradicts the manifest, which has 1/5",
        ),
    ):
        assert main([*ask, *words]) == 2
        assert remedy in capsys.readouterr().err
    assert main(["breach", *levels, "--values", "10"]) == 2
    assert "no parameters: give --retention, or the release's --manifest" in capsys.readouterr().err
    assert (
        main(
            [
                *("publish", "t.csv", "-o", "s.csv", "--sensitive", "job", "--gamma", "3"),
                *("--manifest", "s", "--keep", "id"),
            ]
        )
        == 0
    )
    assert main(["breach", *levels, "--manifest", "s"]) == 2
    assert "a release by SPLU-Gen" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_swapping_keeps_every_column_s_counts_and_is_estimated(capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "--mechanism",
        "swap",
        "--retention",
        "1/2",
        "--column",
        "job",
        "--manifest",
        "m.json",
        "--seed",
        "1",
    )
    found = _published(capsys, *words)
    assert (found["mechanism"], found["parameters"]) == ("swapping", {"retention": "1/2"})
    assert (found["amplification"], found["epsilon"], found["rows_out"]) == (None, None, 60)
    assert sorted(row["job"] for row in _rows()) == sorted("abc" * 20)
    assert [row["id"] for row in _rows()] == [str(i) for i in range(60)]
    ask = ("estimate", "p.csv", "--manifest", "m.json")
    alone = _answer(capsys, *ask, "--where", "job=a")
    assert (alone["estimate"], alone["interval"], alone["exact"]) == (20, [20, 20], True)
    both = _answer(capsys, *ask, "--where", "job=a", "--where", "sex=F")
    published = sum(row["job"] == "a" and row["sex"] == "F" for row in _rows())
    pi = (60 * 0.5 - 0.5**60) / 59
    assert both["estimate"] == near((published - (1 - pi) * 30 / 3) / pi, size=30)
    assert both["exact"] is False
    breach = ["breach", "--manifest", "m.json", "--rho1", "0.4", "--rho2", "0.9"]
    assert main(breach) == 2
    assert "--prior PUBLISHED" in capsys.readouterr().err
    assert main([*breach, "--prior", "p.csv", "--column", "job"]) == 0


@pytest.mark.usefixtures("folder")
def test_a_given_law_is_published_estimated_and_judged(capsys: pytest.CaptureFixture[str]) -> None:
    law = {"job": {"a": "1/2", "b": "0.3", "c": "1/5", "d": 0}}
    Path("law.json").write_text(json.dumps(law), encoding="utf-8")
    words = [
        *RETENTION,
        "--replacing",
        "given",
        "--domain",
        "law.json",
        "--seed",
        "1",
        "--manifest",
        "m.json",
    ]
    found = _published(capsys, *words)
    assert json.loads(found["parameters"]["laws"]) == [["1/2", "3/10", "1/5", "0"]]
    assert (found["amplification"], found["epsilon"]) == (None, None)
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", *words]) == 0
    assert "a value of probability 0 is published only for records" in " ".join(
        capsys.readouterr().out.split()
    )
    answer = _answer(capsys, "estimate", "p.csv", "--manifest", "m.json", "--where", "job=b")
    assert answer["estimate"] == near((answer["published_count"] - 60 * 0.8 * 0.3) / 0.2, size=60)
    reported = _answer(capsys, "breach", "--manifest", "m.json", "--rho1", "0.1", "--rho2", "0.5")
    assert (reported["amplification"], reported["epsilon"], reported["largest_retention"]) == (
        None,
        None,
        "0",
    )
    assert reported["witness"]["posterior"] == "1"
    Path("law.json").write_text(json.dumps(law | {"job": {"a": "3/4", "b": "1/8", "c": "1/8"}}), "utf-8")
    positive = _published(capsys, *words)
    assert positive["amplification"] == "3"  # 1 + (1/4) / (1/8)
    reported = _answer(capsys, "breach", "--manifest", "m.json", "--rho1", "0.1", "--rho2", "0.5")
    assert (reported["amplification"], reported["holds"], reported["largest_retention"]) == ("3", True, "1/2")


@pytest.mark.usefixtures("folder")
def test_values_of_uniform_records_are_judged_by_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*RETENTION, "--replacing", "identity", "--domain", "job.json", "--column", "job"]
    found = _published(capsys, *words, "--seed", "1", "--manifest", "m.json")
    assert (found["amplification"], found["parameters"]["replacing"]) == (None, "identity")
    ask = ("breach", "--manifest", "m.json", "--rho1", "0.4", "--rho2", "0.5")
    assert main([*ask]) == 2
    assert "give them by --prior TABLE" in capsys.readouterr().err
    assert main([*ask, "--prior", "t.csv", "--certificate", "c.json"]) == 2
    assert "certificates are for uniform replacement only:" in capsys.readouterr().err
    reported = _answer(capsys, *ask, "--prior", "t.csv")
    # A third each: p + (1 - p)/3 after; 1/2 is reached at p = 1/4.
    assert reported["witness"]["posterior"] == "7/15"
    assert (reported["largest_retention"], reported["values"], reported["epsilon"]) == ("1/4", 3, None)


@pytest.mark.usefixtures("folder")
def test_one_coin_for_a_record_is_judged_by_the_product_of_domains(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [*RETENTION, "--compound", "--domain", "domain.json", "--seed", "1", "--manifest", "m.json"]
    found = _published(capsys, *words)
    assert (found["parameters"]["unit"], found["amplification"]) == ("record", "11")  # 1 + 40/4
    both = _answer(
        capsys, "estimate", "p.csv", "--manifest", "m.json", "--where", "job=a", "--where", "age=21"
    )
    assert both["exact"] is True
    ask = ("breach", "--manifest", "m.json", "--rho1", "0.1", "--rho2", "0.5")
    reported = _answer(capsys, *ask)
    assert (reported["values"], reported["amplification"], reported["largest_retention"]) == (40, "11", "1/6")
    assert main([*ask, "--column", "job"]) == 2
    assert "leave out --column and --prior" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("declared", "remedy"),
    [
        ('{"job": ["a", "b"]}', "column 'job': a law has the probability of each value"),
        ('{"job": {"a": 0.5, "b": 0.5}}', "column 'job': a law has the probability of each value"),
        ('{"job": {"a": true, "b": 0}}', "column 'job': a law has the probability of each value"),
        ('{"job": {"a": 1}}', "column 'job': 1 values"),
        ('{"job": {"a": "1/2", "a": "1/2"}}', "is repeated"),
        ('{"job": {"a": "1/2", "b": "1/3", "c": "1/7"}}', "add up to 41/42"),
        ('{"job": {"a": "3/2", "b": "-1/2", "c": "0"}}', "or one is negative"),
        ('{"job": {"a": "1/2", "b": "one half", "c": "0"}}', "one half"),
        ('{"job": {"a": "1/2", "b": "1/2"}}', "column 'job' holds 'c' in row 3"),
    ],
)
def test_files_of_laws(declared: str, remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.json").write_text(declared, encoding="utf-8")
    words = ["publish", "t.csv", "-o", "p.csv", *RETENTION, "--replacing", "given", "--domain", "d.json"]
    assert main(words) == 2
    assert remedy in capsys.readouterr().err
    assert not Path("p.csv").exists()


PARTS = ["--mechanism", "small-domains", "--rho1", "1/10", "--rho2", "1/2"]
GROUPS = ["--mechanism", "pg", "--retention", "2/3", "--k", "5"]
FIRST = '{"where": {"sex": "F"}, "values": ["a", "b"]}'
SUB_DOMAINS = {
    "job": [
        {"where": {"sex": "F"}, "values": ["a", "b", "c"]},
        {"where": {"sex": "M"}, "values": ["a", "b", "c", "d"]},
    ]
}


@pytest.mark.usefixtures("folder")
def test_a_domain_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    Path("parts.json").write_text(json.dumps(SUB_DOMAINS), encoding="utf-8")
    words = [*PARTS, "--domain", "parts.json", "--seed", "1", "--manifest", "m.json"]
    found = _published(capsys, *words)
    assert (found["mechanism"], found["rows_out"]) == ("small-domain randomization", 60)
    assert (found["sensitive"], found["domain_size"]) == ("job", 4)
    assert (found["amplification"], found["epsilon"]) == ("9", "2.19722457734")
    assert json.loads(found["parameters"]["parts"])[1] == [["M"], ["a", "b", "c", "d"]]
    assert {row["job"] for row in _rows() if row["sex"] == "F"} == set("abc")
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--where", "job=a", "--where", "sex=F"]) == 0
    assert "times the inverse of each part's" in " ".join(capsys.readouterr().out.split())
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", *words]) == 0
    assert (
        "epsilon <= 2.198 (e^epsilon <= 9, both rounded up) for a record, within the values of its part"
        in " ".join(capsys.readouterr().out.split())
    )


@pytest.mark.usefixtures("folder")
def test_sub_domains_from_the_table_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["publish", "t.csv", "-o", "p.csv", *PARTS, "--column", "job", "--by", "age", "--observed-domain"]
    Path("t.csv").write_text("age,job\n20,a\n20,b\n21,b\n21,c\n", encoding="utf-8")
    assert main([*words, "--json"]) == 0
    reported = capsys.readouterr()
    assert "some of the 3 values do not occur in a part; missing values: 20: 1; 21: 1" in reported.err
    assert "the domain depends on the data," in reported.err
    found = json.loads(reported.out)
    assert (found["epsilon"], found["amplification"]) == (None, None)
    Path("t.csv").write_text("age,job\n20,a\n20,b\n21,b\n", encoding="utf-8")
    assert main([*words, "--force"]) == 2
    reported = capsys.readouterr()
    assert "the part age = '21' column 'job' has the single value 'b'" in reported.err.splitlines()[0]
    assert "--domain, or divide by fewer columns" in reported.err
    assert main([*words[:-3], "--by", "job", "--observed-domain", "--force"]) == 2
    assert "columns that are not sensitive" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_table_says_that_its_totals_have_approximate_intervals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("t.csv").write_text("age,job\n20,a\n20,b\n21,b\n21,c\n21,a\n", encoding="utf-8")
    words = ["publish", "t.csv", "-o", "p.csv", *PARTS, "--column", "job", "--by", "age", "--observed-domain"]
    assert main([*words, "--seed", "1", "--manifest", "m.json"]) == 0
    capsys.readouterr()
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "age,job"]) == 0
    assert "intervals: approximate, exact" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_one_record_of_each_group(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GROUPS, "--domain", "domain.json", "--column", "job", "--quasi", "age", "--quasi", "sex"]
    found = _published(capsys, *words, "--seed", "1", "--manifest", "m.json")
    assert (found["mechanism"], found["rows_in"]) == ("perturbed generalization", 60)
    assert found["amplification"] == "13/5"  # 1 + (2/3) 4 / (5/3)
    rows = _rows()
    assert list(rows[0]) == ["sex", "job", "age", "group_size"]
    assert sum(int(row["group_size"]) for row in rows) == 60
    assert min(int(row["group_size"]) for row in rows) >= 5
    assert (
        main(["publish", "t.csv", "-o", "p.csv", "--force", *words, "--seed", "1", "--manifest", "m.json"])
        == 0
    )
    reported = capsys.readouterr()
    assert "columns that are not --quasi are not published: id" in reported.err
    assert "for an attacker who knows all others or takes them for independent" in " ".join(
        reported.out.split()
    )
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--where", "job=a"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "of 60 in the predicate" in shown
    assert f"the records of the original, in {len(rows)} groups" in shown
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "sex,job"]) == 2
    assert "no public counts" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (PARTS, "--domain FILE, or --observed-domain"),
        ([*PARTS, "--observed-domain", "--column", "job"], "--sensitive NAME --by NAME"),
        ([*PARTS[:4], "--observed-domain", "--column", "job"], "needs --rho2"),
        ([*PARTS, "--domain", "parts.json", "--by", "sex"], "--by: parts.json names these columns"),
        ([*PARTS, "--domain", "parts.json", "--column", "sex"], "column 'job' and of no other"),
        ([*PARTS, "--domain", "domain.json"], "one column has a list of parts"),
        ([*PARTS, "--domain", "parts.json", "--k", "3"], "--k is no option of --mechanism small-domains"),
        ([*GROUPS, "--domain", "domain.json", "--quasi", "sex"], "one sensitive column"),
        ([*GROUPS, "--domain", "domain.json", "--column", "job"], "--quasi NAME"),
        ([*GROUPS[:4], "--observed-domain", "--column", "job", "--quasi", "sex"], "needs --k"),
        ([*GROUPS, "--column", "job", "--quasi", "sex"], "the domain is not declared: give"),
        ([*GROUPS, "--domain", "domain.json", "--column", "job", "--quasi", "town"], "no column 'town'"),
        ([*GROUPS, "--domain", "domain.json", "--column", "job", "--quasi", "job"], "are different ones"),
    ],
)  # fmt: skip
def test_what_is_refused_of_parts_and_groups(
    words: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("parts.json").write_text(json.dumps(SUB_DOMAINS), encoding="utf-8")
    assert main(["publish", "t.csv", "-o", "p.csv", *words]) == 2
    reported = capsys.readouterr()
    assert remedy in reported.err.splitlines()[-1]
    assert not Path("p.csv").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("declared", "remedy"),
    [
        ('{"job": []}', "one column has a list of parts"),
        ('{"job": [{"where": {"sex": "F"}}]}', "part 1 of column 'job': a part has where and values"),
        ('{"job": [{"where": {}, "values": ["a", "b"]}]}', "where has a text for each column"),
        ('{"job": [{"where": {"sex": 1}, "values": ["a", "b"]}]}', "where has a text for each column"),
        ('{"job": [{"where": {"sex": "F"}, "values": ["a"]}]}', "part 1 of column 'job': 1 values"),
        (
            f'{{"job": [{FIRST}, {{"where": {{"age": "20"}}, "values": ["a", "b"]}}]}}',
            "part 2 of column 'job': the part is defined by other columns than the first: name sex",
        ),
        (
            f'{{"job": [{FIRST}, {FIRST}]}}',
            "the part F is repeated",
        ),
    ],
)
def test_files_of_sub_domains(declared: str, remedy: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("d.json").write_text(declared, encoding="utf-8")
    assert main(["publish", "t.csv", "-o", "p.csv", *PARTS, "--domain", "d.json"]) == 2
    assert remedy in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_other_commands_say_that_they_do_not_take_parts_or_groups(capsys: pytest.CaptureFixture[str]) -> None:
    Path("parts.json").write_text(json.dumps(SUB_DOMAINS), encoding="utf-8")
    _published(capsys, *PARTS, "--domain", "parts.json", "--seed", "1", "--manifest", "parts.m.json")
    words = [*GROUPS, "--domain", "domain.json", "--column", "job", "--quasi", "sex", "--seed", "1"]
    _published(capsys, *words, "--manifest", "groups.m.json")
    levels = ["--rho1", "1/10", "--rho2", "1/2"]
    for command, says in (
        (["breach", *levels, "--manifest", "parts.m.json"], "such as --retention 2/3 --values 4"),
        (
            ["breach", *levels, "--manifest", "groups.m.json"],
            "amplification, 13/5 for an attacker who knows all others",
        ),
        (
            ["attack", "homogeneity", "t.csv", "--manifest", "parts.m.json"],
            "releases by small-domain",
        ),
        (
            ["attack-learned", "classifier", "t.csv", "--manifest", "groups.m.json"],
            "releases by perturbed",
        ),
        (
            ["query-interface", "answers", "t.csv", "--value", "job=a", "--manifest", "parts.m.json"],
            "a release by small-domain",
        ),
    ):
        assert main(command) == 2
        assert says in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("shuffle", [[], ["--shuffle"]])
def test_on_files_it_is_the_same_release(shuffle: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Key.generate().write("key")
    words = [*RETENTION, "--domain", "domain.json", "--key-file", "key", *shuffle]
    retained = _published(capsys, *words, "--manifest", "m.json")
    rows, manifest = Path("p.csv").read_bytes(), json.loads(Path("m.json").read_text("utf-8"))
    streamed = _published(capsys, *words, "--manifest", "m.json", "--stream")
    reported = streamed.pop("streamed")
    assert "writing" in reported["seconds"]
    assert (retained.pop("publisher_only"), len(retained.pop("leaks"))) == (["leaks"], 2)
    assert (streamed, Path("p.csv").read_bytes()) == (retained, rows)
    again = json.loads(Path("m.json").read_text("utf-8"))
    for document in (manifest, again):
        del document["date"], document["release"]
    assert again == manifest
    assert main(["publish", "t.csv", "-o", "p.csv", "--force", "--stream", *words]) == 0
    assert "MiB of temporary files, deleted" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (
            ["--mechanism", "swap", "--retention", "1/2", "--column", "job"],
            "by one of splu-gen, distribution",
        ),
        ([*RETENTION, "--column", "job", "--observed-domain"], "excludes --observed-domain"),
        (["--mechanism", "distribution", "--column", "job", "--seed", "1"], "excludes --seed"),
        (["--mechanism", "distribution"], "no column is sensitive"),
    ],
)
def test_what_needs_the_whole_table_is_refused_on_files(
    words: list[str], reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", "t.csv", "-o", "p.csv", "--stream", *words]) == 2
    assert reported in capsys.readouterr().err
    assert not Path("p.csv").exists()
