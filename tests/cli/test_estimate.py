from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_proofs import LEDGER
from splu_ref.cli import ledger, main
from splu_ref.cli.estimate_answers import uncertainty_lines
from splu_ref.data import Microdata, embedded_table, write_table
from splu_ref.estimators import METHODS, Query, QueryEstimate, QueryEstimator
from splu_ref.estimators.linear import em
from splu_ref.estimators.queries import methods
from splu_ref.mechanisms import FloatArray, SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release and its manifest."""
    folder = tmp_path_factory.mktemp("release")
    release = SpluGen(5).publish(embedded_table(), "occupation", SeededSource(4))
    write_table(release.table, folder / "p.csv")
    (folder / "m.json").write_bytes(release.manifest.to_json())
    return folder


def _lines(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    assert main(["estimate", *map(str, arguments)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return [json.loads(line) for line in captured.out.splitlines()]


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["estimate", *map(str, arguments), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def _refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["estimate", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("splu-ref: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_one_query_and_a_batch_give_the_same_interval_within_the_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("x\n" + "a\n" * 8 + "b\nc\n")
    Path("q.jsonl").write_text('{"where": {"x": "a"}}\n')
    release = ("p.csv", "--sensitive", "x", "--gamma", 5)
    alone = _json(capsys, *release, "--where", "x=a")
    [batch] = _lines(capsys, *release, "--batch", "q.jsonl")
    assert (
        (alone["interval"], alone["half_width"]) == (batch["interval"], batch["half_width"]) == ([4, 10], 3)
    )


def test_draws_that_are_dependent_come_from_the_manifest_or_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Microdata.from_frame(pl.DataFrame({"sex": list("fmf") * 100, "value": list("aaabbbccdd") * 30}))
    release = SpluGen(2, draws="capped:9").publish(table, "value", SeededSource(1))
    write_table(release.table, tmp_path / "p.csv")
    (tmp_path / "p.json").write_bytes(release.manifest.to_json())
    options = ["--gamma", "2", "--sensitive", "value", "--draws", "capped:9"]
    reported = [tmp_path / "p.csv", "--manifest", tmp_path / "p.json", "--where", "value=a"]
    found = _json(capsys, *reported)
    assert found == _json(capsys, tmp_path / "p.csv", *options, "--where", "value=a")
    wide = _json(capsys, tmp_path / "p.csv", *options[:-2], "--where", "value=a")
    assert found["half_width"] < wide["half_width"]
    assert (found["approximation"], wide["approximation"]) == ("approximate", "exact")
    assert found["draws"] == "capped:9"
    assert found["interval_within_bound"][1] <= found["bound"] == 150
    assert main(["estimate", *map(str, reported)]) == 0
    assert "a plausible plan" in re.sub(r"\s+", " ", capsys.readouterr().out)
    message = _refused(capsys, *reported, "--draws", "capped:8")
    assert "--draws capped:8 contradicts the manifest, which has capped:9" in message
    assert "retention 1/gamma" in _refused(
        capsys, tmp_path / "p.csv", *options, "--retention", "1/3", "--where", "value=a"
    )


KEYS = {"estimate", "standard_error", "interval", "method", "published_count", "predicate_count"}


def test_every_method_answers_with_the_promised_keys(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release = [folder / "p.csv", "--manifest", folder / "m.json"]
    where = ["--where", "sex=Female", "--where", "occupation=Adm-clerical", "--where", "hours_per_week>=35"]
    answers = {
        method: _json(capsys, *release, *where, "--method", method)
        for method in ("exact", "shrunk", "em", "inversion", "printed")
    }
    for method, answer in answers.items():
        assert answer.keys() >= KEYS
        assert answer["method"] == method
        assert answer["interval"][0] <= answer["estimate"] <= answer["interval"][1]
    assert answers["inversion"]["condition_number"] > 1
    assert _json(capsys, *release, *where) == answers["shrunk"]
    assert _json(capsys, *release, "--where", "occupation=Sales")["method"] == "mle"


def test_over_releases_every_method_errs_less_than_the_printed_one() -> None:
    table, mechanism = embedded_table(), SpluGen(5)
    query = Query.parse(["sex=Female", "occupation=Adm-clerical", "hours_per_week>=35"])
    retained = table.to_frame().filter(pl.col("hours_per_week").cast(pl.Int64) >= 35, sex="Female")
    true = retained.filter(occupation="Adm-clerical").height
    squares: dict[str, float] = defaultdict(float)
    for seed in range(8):  # one release says little: a standard error is a fifth of the count
        published = mechanism.publish(table, "occupation", SeededSource(seed)).table
        estimator = QueryEstimator(published, ("occupation",), mechanism)
        for method in (*METHODS.values(), LEDGER.methods["printed"]):
            if method.answers_predicates:
                squares[method.name] += (estimator.estimate([query], method)[0].estimate - true) ** 2
    printed = squares.pop("printed")
    assert squares.keys() == {"exact", "shrunk", "em", "inversion"}
    assert max(squares.values()) < 0.6**2 * printed


def test_the_same_facts_come_from_options_or_the_manifest(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = [folder / "p.csv", "--where", "sex=Female", "--where", "occupation=Sales"]
    reported = _json(capsys, *where, "--manifest", folder / "m.json")
    options = ["--gamma", 5, "--sensitive", "occupation"]
    assert _json(capsys, *where, *options) == reported
    assert _json(capsys, *where, *options, "--retention", "1/5", "--plan", "mixed") == reported
    other = _json(capsys, *where, *options, "--retention", "1/2")
    assert other["standard_error"] < reported["standard_error"]
    for option, value in (("--retention", "1/2"), ("--plan", "cyclic"), ("--gamma", "7")):
        message = _refused(capsys, *where, "--manifest", folder / "m.json", option, value)
        assert f"{option} {value} contradicts the manifest" in message


def test_a_batch_is_answered_line_by_line_in_its_order(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queries: list[dict[str, Any]] = [
        {"sex": "Female", "occupation": "Sales"},
        {"occupation": "Armed-Forces"},
        {"age": {"min": 30, "max": 39}, "occupation": ["Sales", "Tech-support"]},
        {"occupation": ["Sales", "Tech-support"]},
        {"race": ["White", "Other"], "occupation": "Sales"},
    ]
    batch = tmp_path / "q.jsonl"
    batch.write_text("\n\n".join(json.dumps({"where": where}) for where in queries) + "\n")
    release = [folder / "p.csv", "--manifest", folder / "m.json"]
    answers = _lines(capsys, *release, "--batch", batch)
    assert [answer["method"] for answer in answers] == ["shrunk", "mle", "shrunk", "mle", "shrunk"]
    assert answers == _lines(capsys, *release, "--batch", batch, "--json")
    assert [answer.pop("line") for answer in answers] == [1, 3, 5, 7, 9]
    for where, answer in zip(queries, answers, strict=True):
        assert answer.keys() >= KEYS
        batch.write_text(json.dumps({"where": where}))
        [alone] = _lines(capsys, *release, "--batch", batch)
        assert alone.pop("line") == 1
        assert alone.pop("interval") == near(answer["interval"])
        numbers = {key for key, value in alone.items() if isinstance(value, float)}
        assert {key: alone[key] for key in numbers} == near({key: answer[key] for key in numbers})
        assert all(alone[key] == answer[key] for key in alone.keys() - numbers)
    assert answers[1]["estimate"] == answers[1]["published_count"]
    assert answers[1]["interval"][0] <= 9 <= answers[1]["interval"][1]
    batch.write_text("")
    assert "no query" in _refused(capsys, *release, "--batch", batch)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not a JSON object"),
        ("SELECT COUNT(*)", "; a file is all JSON or all SQL"),
        ("[]", 'line 2: a query has the one key "where"'),
        ('{"where": {"occupation": "Sales"}, "x": 1}', 'line 2: a query has the one key "where"'),
        ('{"where": {"occupation": "Sales", "occupation": "x"}}', "line 2: key 'occupation' is repeated"),
        ('{"where": {}}', "line 2: a query needs at least one condition"),
        ('{"where": {"occupation": {"least": 1}}}', "line 2: column 'occupation': a range is"),
        (
            '{"where": {"occupation": "Salez"}}',
            "line 2: 'Salez' is not a value of 'occupation': did you mean",
        ),
        ('{"where": {"sex": "Male"}}', "line 2: sex=Male names no sensitive column"),
        ('{"where": {"sexx": "Male", "occupation": "Sales"}}', "line 2: there is no column 'sexx'"),
        ('{"where": {"sex": {"min": 1}, "occupation": "Sales"}}', "line 2: column 'sex' holds no numbers"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_answered(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    batch = tmp_path / "q.jsonl"
    batch.write_text('{"where": {"occupation": "Sales"}}\n' + line + "\n")
    assert message in _refused(capsys, folder / "p.csv", "--manifest", folder / "m.json", "--batch", batch)


@pytest.mark.parametrize(
    ("method", "message"),
    [("mle", "line 2: the method mle counts a sensitive value alone"), ("exakt", "did you mean exact")],
)
def test_a_line_that_the_method_does_not_answer_is_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str, message: str
) -> None:
    batch = tmp_path / "q.jsonl"
    wheres = [{"occupation": "Sales"}, {"sex": "Male", "occupation": "Sales"}]
    batch.write_text("".join(json.dumps({"where": where}) + "\n" for where in wheres))
    given = ["--manifest", folder / "m.json", "--batch", batch, "--method", method]
    assert message in _refused(capsys, folder / "p.csv", *given)


def test_a_line_ends_where_json_says_and_a_byte_order_mark_is_none_of_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batch = tmp_path / "q.jsonl"
    given = [folder / "p.csv", "--manifest", folder / "m.json", "--batch", batch]
    batch.write_text('{"where": {"occupation": "Sales"}}\r\n', encoding="utf-8-sig")
    [answer] = _lines(capsys, *given)
    assert answer["method"] == "mle"
    batch.write_text('{"where": {"occupation": "a\u2028b"}}\n', encoding="utf-8")
    assert "line 1: 'a\\u2028b' is not a value" in _refused(capsys, *given)


def test_a_query_that_does_not_converge_leaves_the_others_of_a_batch(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wheres = [
        {"sex": "Female", "occupation": value}
        for value in ("Armed-Forces", "Sales", "Craft-repair", "Tech-support")
    ]
    release = [folder / "p.csv", "--manifest", folder / "m.json"]
    given = [*release, "--batch", tmp_path / "q", "--method", "em"]
    (tmp_path / "q").write_text("\n".join(json.dumps({"where": where}) for where in wheres))
    expected = _lines(capsys, *given)
    whole = em.most_likely

    def limited(published: FloatArray, factors: Sequence[FloatArray]) -> em.Maximum:
        """Stop short for the predicate's count of one of the queries."""
        found = whole(published, factors)
        gap = np.where(published[:, 1] == expected[1]["published_count"], 1.0, found.gap)
        return found._replace(gap=gap)

    monkeypatch.setattr(methods, "most_likely", limited)
    assert main(["estimate", *map(str, given)]) == 3
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert answers[1]["estimate"] is answers[1]["interval"] is None
    assert "has not settled" in answers[1]["warning"]
    assert [*answers[:1], *answers[2:]] == [*expected[:1], *expected[2:]]
    alone = [f"{column}={value}" for column, value in wheres[1].items()]
    where = [word for text in alone for word in ("--where", text)]
    assert "has not settled" in _refused(capsys, *release, *where, "--method", "em")


def test_either_where_or_a_batch(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = [folder / "p.csv", "--manifest", folder / "m.json"]
    assert "no query: give --where" in _refused(capsys, *release)
    both = ["--where", "occupation=Sales", "--batch", tmp_path / "q"]
    assert "--where and --batch are both given" in _refused(capsys, *release, *both)
    assert "no such file" in _refused(capsys, *release, "--batch", tmp_path / "q")
    (tmp_path / "q").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in _refused(capsys, *release, "--batch", tmp_path / "q")


def test_a_reader_sees_method_error_and_interval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--where", "sex=Female", "--where", "occupation=Sales"]
    arguments = [
        "estimate",
        folder / "p.csv",
        "--manifest",
        folder / "m.json",
        *where,
        "--method",
        "inversion",
    ]
    assert main([str(part) for part in arguments]) == 0
    shown = capsys.readouterr().out
    for word in ("occupation=Sales and sex=Female", "standard error", "interval ", "warning", "condition"):
        assert word in shown


@pytest.mark.parametrize(
    ("options", "interval"),
    [
        (("--where", "sex=Female", "--method", "printed"), r"\ninterval .*, approximate"),
        (("--retention", "1/5"), r"\n95 % interval .*, exact"),
        (("--retention", "1/4"), r"\n95 % interval .*, approximate"),
    ],
)
def test_an_interval_is_called_what_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], interval: str
) -> None:
    release = ["estimate", str(folder / "p.csv"), "--gamma", "5", "--sensitive", "occupation", *options]
    assert main([*release, "--where", "occupation=Sales"]) == 0
    shown = capsys.readouterr().out
    assert re.search(interval, shown), shown
    assert ("for comparison only" in shown) == ("printed" in options)


def test_without_the_proofs_printed_says_where_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "entry_points", lambda **_: [])
    where = ["--where", "sex=Female", "--where", "occupation=Sales", "--method", "printed"]
    message = _refused(capsys, folder / "p.csv", "--manifest", folder / "m.json", *where)
    assert "--method printed is " in message


def test_batches_are_reported_where_an_estimate_supposes_one_plan(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    manifest["batches"] = [20_000, manifest["rows"] - 20_000]
    (tmp_path / "m.json").write_text(json.dumps(manifest), encoding="utf-8")
    requested = ["estimate", str(folder / "p.csv"), "--manifest", str(tmp_path / "m.json"), "--where"]
    assert main([*requested, "occupation=Sales"]) == 0  # the law of a count is the same over all batches
    shown = capsys.readouterr().out
    assert "95 % interval" in shown
    assert "batches" not in shown
    both = [*requested, "occupation=Sales", "--where", "sex=Female"]
    assert main(both) == 0
    shown = capsys.readouterr().out
    assert "95 % interval" not in shown
    assert "Which rows are of which batch is not known" in " ".join(shown.split())
    assert main([*both, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warning"].startswith("the interval is for one plan over all")
    for by, says in (("occupation", False), ("sex,occupation", True)):
        assert main([*requested[:-1], "--by", by]) == 0
        assert ("batches with a plan each" in " ".join(capsys.readouterr().out.split())) == says


@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_under_a_plan_that_follows_from_the_histogram_only_shrunk_has_intervals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plan: str
) -> None:
    release = SpluGen(5, plan=plan).publish(embedded_table(), "occupation", SeededSource(4))
    write_table(release.table, tmp_path / "p.csv")
    (tmp_path / "m.json").write_bytes(release.manifest.to_json())
    given = [tmp_path / "p.csv", "--manifest", tmp_path / "m.json"]
    where = {"sex": "Female", "occupation": ["Sales"]}
    requested = ["--where", "sex=Female", "--where", "occupation=Sales"]
    for method in ("exact", "em", "inversion"):
        answer = _json(capsys, *given, *requested, "--method", method)
        assert answer["interval"] is answer["standard_error"] is None
        assert "no interval" in answer["warning"]
        assert main(["estimate", *map(str, given), *requested, "--method", method]) == 0
        text = capsys.readouterr().out
        assert re.search(r"standard error +none\s", text)
        assert re.search(r"interval +none\s", text)
        assert re.search(r"warning +no interval", text)
    batch = tmp_path / "q.jsonl"
    batch.write_text(json.dumps({"where": where}) + "\n" + json.dumps({"where": {"occupation": "Sales"}}))
    conjunction, alone = _lines(capsys, *given, "--batch", batch, "--method", "exact")
    assert conjunction["interval"] is None
    assert "no interval" in conjunction["warning"]
    shrunk = _json(capsys, *given, *requested)
    assert "warning" not in shrunk
    assert shrunk["interval"][0] <= shrunk["estimate"] <= shrunk["interval"][1]
    alone = _json(capsys, *given, "--where", "occupation=Sales")  # its law is that of every plan
    assert "warning" not in alone
    assert alone["interval"][0] < alone["estimate"] < alone["interval"][1]


def test_it_is_said_what_is_counted_and_what_is_approximate(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(folder / "p.csv"), "--manifest", str(folder / "m.json")]
    requested = ["--where", "sex=Female", "--where", "occupation=Sales"]
    assert main(["estimate", *given, *requested]) == 0
    text = capsys.readouterr().out
    assert re.search(r"interval +\d+.* to \d+.*, approximate", text)
    assert re.search(r"among +the 30715 records of the release, with their true values", text)
    assert main(["estimate", *given, "--where", "occupation=Sales"]) == 0
    text = capsys.readouterr().out
    assert "approximate" not in text
    assert re.search(r"among +the 30715 records of the release, with their true values", text)


def test_the_rounding_of_double_precision_is_not_printed(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All values together are all records of the predicate, however their estimates add up."""
    jobs = embedded_table().to_frame()["occupation"].unique().to_list()
    batch = tmp_path / "q.jsonl"
    wheres = [{"age": str(age), "occupation": jobs} for age in range(20, 60)]
    batch.write_text("".join(json.dumps({"where": where}) + "\n" for where in wheres))
    answers = _lines(capsys, folder / "p.csv", "--manifest", folder / "m.json", "--batch", batch)
    assert [answer["estimate"] for answer in answers] == [answer["predicate_count"] for answer in answers]
    assert all(isinstance(answer["estimate"], int) for answer in answers)


def test_an_interval_that_reaches_far_says_why() -> None:
    far = QueryEstimate(
        estimate=10.0,
        standard_error=1.0,
        interval=(9.5, 13.3),
        method="exact",
        published_count=8,
        predicate_count=20,
    )
    assert dict(uncertainty_lines(far))["95 % interval"].startswith(
        "9.5 to 13.3, approximate; up to 3.3 standard errors"
    )
    near = dict(uncertainty_lines(replace(far, interval=(8.0, 12.0))))
    assert "standard errors" not in dict(uncertainty_lines(replace(far, note="why")))["95 % interval"]
    assert near == {"standard error": "1", "95 % interval": "8 to 12, approximate"}


def test_each_interval_has_its_kind(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = [folder / "p.csv", "--manifest", folder / "m.json"]
    where = ["--where", "sex=Female", "--where", "occupation=Armed-Forces"]
    each, average = (_json(capsys, *release, *where, "--interval", kind) for kind in ("each", "average"))
    assert (each["interval_kind"], average["interval_kind"]) == ("each", "average")
    assert each["estimate"] == average["estimate"]
    length = [answer["interval"][1] - answer["interval"][0] for answer in (average, each)]
    assert length[0] < length[1]
    assert all(isinstance(end, int) for end in each["interval"])
    assert main(["estimate", *map(str, [*release, *where]), "--interval", "average"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "on average, not each count" in printed
    assert "95 % interval" not in printed
    assert "warning" not in each
    assert "on average" in average["warning"]
    inverted = _json(capsys, *release, *where, "--method", "inversion")
    assert inverted["interval"] is not None
    assert "1.96 standard errors" in inverted["warning"]
    alone = _json(capsys, *release, "--where", "occupation=Sales", "--interval", "average")
    assert (alone["method"], alone["interval_kind"]) == ("mle", "each")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--interval", "any"], "--interval any is unknown: choose one of each, average"),
        (["--interval", "average", "--method", "exact"], "exact has no intervals that hold on average"),
    ],
)
def test_intervals_that_a_method_has_not_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    where = ["--where", "sex=Female", "--where", "occupation=Sales"]
    assert message in _refused(capsys, folder / "p.csv", "--manifest", folder / "m.json", *where, *options)


@pytest.mark.parametrize(("estimate", "shown"), [(-30.0, False), (5.0, True)])
def test_far_ends_are_explained_where_the_interval_contains_the_estimate(
    estimate: float, shown: bool
) -> None:
    answer = QueryEstimate(
        estimate=estimate, standard_error=2.0, interval=(0.0, 30.0), method="inversion", published_count=1,
        predicate_count=40,
    )  # fmt: skip
    _, (_, text) = uncertainty_lines(answer)
    assert ("12.5 standard errors away" in text) == shown
