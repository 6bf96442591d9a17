from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from splu_ref.audit import Goals, advise, recommend
from splu_ref.audit.advice.joint_choice import choose_jointly
from splu_ref.channels.parameters import DataError
from splu_ref.cli import main
from splu_ref.data import Microdata, embedded_table, write_table
from splu_ref.mechanisms import SpluGen, SpluGenByColumn

pytestmark = pytest.mark.usefixtures("without_widths")


@pytest.fixture(scope="module")
def adult(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    write_table(embedded_table(), path)
    return path


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("towns") / "towns.csv"
    cells = [f"t{i % 4},{'abcd'[i % 4]}" for i in range(160)] + ["far,rare"] * 5
    path.write_text("town,illness\n" + "".join(f"{line}\n" for line in cells))
    return path


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["advise", *map(str, arguments), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result: dict[str, Any] = json.loads(captured.out)
    return result


def test_the_embedded_table(adult: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, adult, "--sensitive", "occupation")
    assert (result["rows"], result["max_gamma"]) == (30718, 7)
    assert [option["gamma"] for option in result["options"]] == [2, 3, 4, 5, 6, 7]
    option = result["options"][2]
    assert option["retention"] == "1/4"
    assert option["t_p"]["decimal"].startswith("0.273840806449")
    assert (option["threshold"], option["meets_t_p"]) == (34, True)
    assert option["protected_values"] == ["Armed-Forces"]
    assert option["between_values"] == []
    assert len(option["accurate_values"]) == 13
    assert len(result["values"]) == 14
    recommendation = result["recommendation"]
    assert (recommendation["gamma"], recommendation["meets"]) == (5, True)
    for number in option["unprotected_groups"]:
        assert result["groups"][number]["count"] <= 10
    assert "not for the public" in result["audience"]


def test_a_goal_for_own_values(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, towns, "--sensitive", "illness", "--t-p", "0.1", "--own-value", "1/3")
    assert result["own_value"] == "1/3"
    assert [(option["own_value"], option["meets_own_value"]) for option in result["options"]] == [
        ("1/2", False), ("1/3", True), ("1/4", True),
    ]  # fmt: skip
    assert result["recommendation"]["gamma"] >= 3


def test_other_retentions_are_tried_where_they_fit(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(
        capsys, towns, "--sensitive", "illness", "--retention", "0.4", "--retention", "2/5", "--t-p", "0.2"
    )
    assert [(option["gamma"], option["retention"]) for option in result["options"]] == [
        (2, "1/2"), (3, "1/3"), (3, "2/5"), (4, "1/4"), (4, "2/5"),
    ]  # fmt: skip
    assert {"where": {"town": "far"}, "value": "rare", "count": 5} in result["groups"]


def test_people_see_a_table_and_reasons(towns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", str(towns), "--sensitive", "illness", "--explain"]) == 0
    captured = capsys.readouterr()
    text = " ".join(captured.out.split())
    assert "gamma p T_P T_P* T_f protected between accurate at risk" in text
    assert "recommended gamma = 4, p = 1/4 = 1/gamma" in text
    assert "protected rare (5)" in text
    assert "town=far: all 5 are rare" in text
    assert "not for the public" in captured.err


def test_spellings_are_named_and_counts_say_of_which_table_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [f"{i},{i % 2},{'abcd'[i % 4]}" for i in range(160)] + ["160,1,A ", "161,1, ", "162,0,n/a"]
    Path("t.csv").write_text("id,sex,ill\n" + "".join(f"{line}\n" for line in cells))
    words = ["t.csv", "--sensitive", "ill", "--missing", "none"]
    assert main(["advise", *words, "--explain"]) == 0
    shown = capsys.readouterr()
    spelled = "values of 'ill' differ only in case or in blanks around them ('A ' and 'a'), or look like "
    assert f"{spelled}missing cells (' ', 'n/a')" in shown.err
    text = " ".join(shown.out.split())
    assert "protected ' ' (1), 'A ' (1), n/a (1)" in text
    assert "unique in the table as it is, before the command drops or recodes: 163 of 163 records" in text
    publish = ["--gamma", "2", "--drop", "id", "--manifest", "m.json"]
    assert main(["publish", *words, *publish, "-o", "p.csv"]) == 0
    assert spelled in capsys.readouterr().err
    assert main(["estimate", "p.csv", "--manifest", "m.json", "--by", "ill"]) == 0
    assert "'A '" in capsys.readouterr().out


def test_when_nothing_meets_the_goals_the_closest_is_named(
    towns: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = _json(capsys, towns, "--sensitive", "illness", "--t-p", "0.9")
    assert (result["recommendation"]["meets"], result["recommendation"]["gamma"]) == (False, 4)
    assert main(["advise", str(towns), "--sensitive", "illness", "--t-p", "0.9", "--explain"]) == 0
    assert "closest" in capsys.readouterr().out


def test_the_picture_is_written_once(towns: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "advice.SVG"
    arguments = ["advise", str(towns), "--sensitive", "illness", "--picture", str(path)]
    assert main(arguments) == 0
    assert "picture " in capsys.readouterr().out
    assert path.read_text().startswith("<?xml")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600  # it shows true counts
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    path.chmod(0o644)
    assert main([*arguments, "--force"]) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "wrong",
    [
        ("--sensitive", "occupatio"),
        ("--epsilon", "0"),
        ("--alpha", "0"),
        ("--t-p", "1.5"),
        ("--t-e", "0.5"),
        ("--own-value", "0"),
        ("--own-value", "1.1"),
        ("--retention", "1"),
        ("--picture", "advice.gif"),
    ],
)
def test_unusable_options_are_one_line(
    towns: Path, tmp_path: Path, wrong: tuple[str, str], capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    arguments = {"--sensitive": "illness"} | dict([wrong])
    assert main(["advise", str(towns), *(word for pair in arguments.items() for word in pair)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table in whose columns values have shares of 1/7, 1/5, and 2 of 5; a multiple of neither 7 nor 5."""
    path = tmp_path_factory.mktemp("columns") / "u.csv"
    rows = range(143)
    cells = (f"{'abcdefg'[i % 7]};{'klmno'[i % 5]};{'XXYYZ'[i * 3 % 5]};{'PQR'[i // 5 % 3]}" for i in rows)
    path.write_text("job;town;sex;part\n" + "".join(f"{line}\n" for line in cells))
    return path


GOALS = ["--separator", "semicolon", "--alpha", "3", "--t-p", "0.55", "--t-e", "0.5"]
BOTH = ["--sensitive", "job", "--sensitive", "town"]


def test_several_columns_have_gammas_that_go_choose_jointly(
    columns: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    requested = [*GOALS, "--drop", "part", "--keep", "sex"]
    result = _json(capsys, columns, *BOTH, *requested)
    alone = [_json(capsys, columns, "--sensitive", name, *requested) for name in ("job", "town")]
    assert result["columns"] == [
        {key: each[key] for key in found} | {"leaks": found["leaks"], "tables": found["tables"]}
        for each, found in zip(alone, result["columns"], strict=True)  # of several, none discloses another
    ]
    together = result["together"]
    assert together["gamma"] == {"job": 5, "town": 4}
    assert [each["recommendation"]["gamma"] for each in alone] == [5, 4]
    assert (together["deleted"], together["binding"], together["meets"]) == (143 % 20, "town", True)
    assert main([*result["splu_gen_command"].split()[1:], "--json"]) == 0
    published = json.loads(capsys.readouterr().out)
    assert (published["suppressed"], published["gamma"]) == (together["deleted"], together["gamma"])
    assert alone[1]["splu_gen_command"] == (
        f"splu-ref publish {columns} -o published.csv --manifest published.json --sensitive town --gamma 4 "
        "--draws independent --drop part --keep sex --separator semicolon"
    )


def test_the_column_that_binds_is_named_with_what_helps_it(
    columns: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["advise", str(columns), "--sensitive", "job", "--sensitive", "sex", *GOALS]
    assert main([*words, "--explain"]) == 0
    reported = " ".join(capsys.readouterr().out.split())
    assert "all columns job gamma = 5, sex gamma = 2; 3 records are deleted; not all of them meet" in reported
    limited = "limited by sex allows gamma up to 2 and does not meet the goals; --cross sex_part=sex,part"
    assert limited in reported
    pairs = "allows gamma up to 6, with T_P for pairs of values, not for values of one column by splu-gen"
    assert pairs in reported
    together = _json(capsys, *words[1:], "--drop", "part", "--drop", "town")["together"]
    assert (together["binding"], together["meets"]) == ("sex", False)
    assert together["remedy"].endswith("of at most 50 values does (--bins and --group-rare leave fewer)")
    for refused in (["--retention", "1/2"], ["--picture", "x.svg"]):
        assert main([*words, *refused]) == 2
        assert "are for one sensitive column" in capsys.readouterr().err


def test_one_gamma_is_taken_where_two_leave_too_few_records() -> None:
    """Half of 22 records have a value: with 2 and 3 only 18 records would be left, and 11 may have it."""
    table = Microdata.from_frame(pl.DataFrame({"a": list("xy" * 11), "b": list("klmn" * 5 + "kl")}))
    advices = {column: advise(table, column, Goals.of(alpha=1, t_p="0.7", t_e="0.5")) for column in "ab"}
    assert [recommend(each).option.law.gamma for each in advices.values()] == [2, 3]
    choice = choose_jointly(advices)
    assert [option.law.gamma for option in choice.options.values()] == [2, 2]
    assert (choice.common, choice.deleted, choice.meets) == (True, 0, False)
    with pytest.raises(DataError, match="one divides the other"):
        SpluGenByColumn({"a": SpluGen(2), "b": SpluGen(3)}).largest_gamma(table, ["a", "b"])


def test_the_command_can_be_run_whatever_the_names_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"a,b": list("abcdefgh" * 5), "c=d": list("xyzw" * 10), "c": list("xyyx" * 10)})
    write_table(Microdata.from_frame(frame), "-names.csv")
    columns = ["--sensitive", "a,b", "--sensitive", "c=d", "--sensitive", "c", "--keep", "c=d", "--keep", "c"]
    found = _json(capsys, "./-names.csv", *columns)
    assert len(set(found["together"]["gamma"].values())) > 1
    assert main([*shlex.split(found["splu_gen_command"])[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gamma"] == found["together"]["gamma"]
    domains = {"a,b": list("abcdefgh"), "c=d": list("xyzw"), "c": list("xy")}
    Path("domain.json").write_text(json.dumps(domains))
    assert main([*shlex.split(found["command"])[1:], "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sensitive"] == ["a,b", "c=d", "c"]


def test_a_crossing_that_is_named_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"a part": "klmno", "u,v": "abcdefgh", "made": ["x / y", "z / w"], "sex": "XY"}
    names["sex_a_part"] = "ab"
    frame = pl.DataFrame(
        {name: (list(of) * 120)[:120] for name, of in names.items()} | {"job": list("pqrs") * 30}
    )
    write_table(Microdata.from_frame(frame), "t.csv")
    remedy = _json(capsys, "t.csv", "--sensitive", "sex", "--sensitive", "job")["together"]["remedy"]
    assert (
        "--cross 'sex_a_part2=sex,a part' --sensitive sex_a_part2 --sensitive job allows gamma up to 4"
        in remedy
    )
    made = _json(capsys, "t.csv", "--sensitive", "made", "--sensitive", "job")["together"]["remedy"]
    assert "no crossing with one other column" in made
    options = shlex.split(remedy.partition("; ")[2].partition(" allows")[0])
    kept = ["--keep", "sex_a_part", "--keep", "u,v", "--keep", "made", "--gamma", "2"]
    assert main(["publish", "t.csv", "-o", "o.csv", *options, *kept]) == 0
