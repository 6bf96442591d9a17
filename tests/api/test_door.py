"""The front door: what ``import splu_ref`` offers, and how it speaks."""

from __future__ import annotations

import copy
import hashlib
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import splu_ref as sr
from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.cli import main
from splu_ref.mechanisms import Anatomy, RetentionReplacement, append
from tests.rounding import near

FRAME = pl.DataFrame({"name": [f"n{number}" for number in range(24)], "value": list("aabbccdd") * 3})


def test_importing_loads_nothing_and_every_name_is_there() -> None:
    script = (
        "import sys, splu_ref\n"
        "loaded = [m for m in sys.modules if m.startswith('splu_ref.') or m in ('numpy', 'polars')]\n"
        "assert not loaded, loaded\n"
        "assert set(splu_ref.__all__) <= set(dir(splu_ref))\n"
        "assert all(getattr(splu_ref, name) is not None for name in splu_ref.__all__)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match="SplugGen"):
        sr.__getattr__("SplugGen")


def test_a_release_is_written_and_read(tmp_path: Path) -> None:
    release = sr.SpluGen(2).publish(FRAME, "value", sr.SeededSource(1))
    published, manifest = tmp_path / "p.csv", tmp_path / "m.json"
    release.write(published, manifest=manifest)
    again = sr.read_release(published, manifest)
    assert again.manifest == release.manifest
    assert again.mechanism == sr.SpluGen(2)
    assert again.frame.equals(release.frame)
    assert again.estimate(value="a") == release.estimate(value="a")
    with pytest.raises(InputError, match=r"p.csv exists: choose another name or add force=True$"):
        release.write(published, manifest=tmp_path / "other.json")
    assert not (tmp_path / "other.json").exists()
    with pytest.raises(InputError, match="not the one that the manifest was written for"):
        sr.read_release(FRAME.head(24), manifest)


def test_a_release_is_shown_in_a_line() -> None:
    """Whatever it holds, and none of its values."""
    release = sr.SpluGen(2).publish(FRAME, "value", sr.SeededSource(1))
    joined = append(release, FRAME, sr.SeededSource(2))
    tables = Anatomy(2).publish(FRAME, "value", sr.SeededSource(1))
    assert repr(release) == "Release(24 rows by SPLU-Gen, sensitive columns value)"
    assert repr(joined) == "JoinedRelease(48 rows by SPLU-Gen, sensitive columns value)"
    assert repr(tables) == "TwoTablesRelease(24 rows by Anatomy, sensitive columns value)"


def test_a_frame_whose_cells_changed_as_it_was_read_says_how_to_read_the_file(tmp_path: Path) -> None:
    texts = FRAME.with_columns(name=pl.Series(["n/a", "x"] * 12))
    numbers = FRAME.with_columns(
        price=pl.Series(["2.10", "3"] * 12),
        count=pl.Series(["1", ""] * 12),
        day=pl.Series(["2024-01-05"] * 24),
    )
    found = {}
    for name, frame in (("texts", texts), ("numbers", numbers)):
        published, manifest = tmp_path / f"{name}.csv", tmp_path / f"{name}.json"
        sr.SpluGen(2).publish(frame, "value", sr.SeededSource(1)).write(published, manifest=manifest)
        found[name] = published, manifest
    published, manifest = found["texts"]
    remedy = r"with dtype=str and keep_default_na=False, or give its path$"
    with pytest.raises(DataError, match=rf"; if pandas read texts such as n/a as missing cells, .* {remedy}"):
        sr.read_release(pd.read_csv(published), manifest)
    whole = pd.read_csv(published, keep_default_na=False)
    assert sr.read_release(whole, manifest).table.row_count == 24
    for other in (whole.replace("x", "y"), pd.read_csv(published).head(20)):  # are other tables
        with pytest.raises(DataError, match=r"give the files of one release$"):
            sr.read_release(other, manifest)
    published, manifest = found["numbers"]
    read: list[tuple[Any, str]] = [
        (pd.read_csv(published, parse_dates=["day"]), rf"if pandas .*'price', 'count', 'day' .* {remedy}"),
        (
            pl.read_csv(published),
            r"if polars .*'price', 'count' are not text\), .* with infer_schema=False, or",
        ),
        (pl.read_csv(published).to_arrow(), r"if pyarrow .*'price', 'count' are not text\), give its path$"),
    ]
    for given, message in read:
        with pytest.raises(DataError, match=message):
            sr.read_release(given, manifest)
    for given in (
        pd.read_csv(published, dtype=str, keep_default_na=False),
        pl.read_csv(published, infer_schema=False),
    ):
        assert sr.read_release(given, manifest).table.row_count == 24


def test_numbers_with_missing_cells_are_crossed_where_a_text_stands_for_them() -> None:
    frame = pl.DataFrame({"age": [1, None, 2] * 4, "work": ["a", "a", ""] * 4, "job": list("xyz") * 4})
    with pytest.raises(DataError, match=r"say missing='\?' to publish it"):
        sr.recode(frame, cross={"both": ["age", "work"]})
    table = sr.recode(frame, cross={"both": ["age", "work"]}, missing="?")
    assert table.domain("both") == ("1 / a", "2 / ?", "? / a")
    release = sr.SpluGen(2).publish(table, "job", sr.SeededSource(1))
    assert sr.audit_release(release, frame).verdict != "inconsistent"
    with pytest.raises(ParameterError, match="give it there, as in recode"):
        sr.SpluGen(2).publish(sr.recode(frame, drop=["work"]), "age", missing="?")


def test_a_release_is_audited() -> None:
    release = sr.SpluGen(2).publish(FRAME, "value", sr.SeededSource(1))
    audit = sr.audit_release(release, FRAME)
    assert audit.verdict == "inconclusive"  # 24 records say little of the draws
    assert {check.name for check in audit.checks} >= {"records", "manifest.domain", "counts"}
    shifted = FRAME.with_columns(name=pl.lit("m") + pl.col("name"))
    assert sr.audit_release(release, shifted).verdict == "inconsistent"
    other = sr.SpluGen(2).publish(FRAME, "value", sr.SeededSource(2))
    assert sr.audit_release(release, second=other).reuse is not None
    with pytest.raises(InputError, match="releases by DBR are not audited"):
        sr.audit_release(sr.DistributionBased().publish(FRAME, "value"))


def test_errors_speak_python_here_and_options_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holed = FRAME.with_columns(value=pl.when(pl.int_range(24) != 5).then("value").otherwise(pl.lit("?")))
    remedy = "to publish it as a value"
    with pytest.raises(InputError) as caught:
        sr.SpluGen(2).publish(holed, "value")
    assert str(caught.value).endswith(f"say missing='?' {remedy}")
    holed.write_csv(tmp_path / "t.csv")
    words = ["publish", str(tmp_path / "t.csv"), "-o", str(tmp_path / "p.csv"), "--sensitive", "value"]
    assert main([*words, "--gamma", "2"]) == 2
    assert capsys.readouterr().err.rstrip().endswith(f"say --missing '?' {remedy}")
    assert sr.SpluGen(2).publish(holed, "value", missing="?").domains["value"] == ("?", *"abcd")
    with pytest.raises(ParameterError, match="missing was decided"):
        sr.SpluGen(2).publish(sr.Microdata.from_frame(FRAME), "value", missing="?")


def test_a_promise_is_a_number_that_prints_and_certifies_itself(tmp_path: Path) -> None:
    promise = sr.t_p(gamma=10, epsilon="0.3", alpha=3)
    assert str(promise) == "0.612579511"
    assert promise == promise.exact()
    assert promise.exact().denominator == 10**9
    assert 1 - promise == sr.t_p(10, "0.3", 3).exact() * -1 + 1
    assert str(sr.t_p(7, "0.3", 10)) == "0.2297537453…"
    assert sr.t_p(3, 1, 1, definition=True) > sr.t_p(3, 1, 1)
    assert "more than 3/10" in repr(promise)
    promise.certify(tmp_path / "t_p.json")
    assert main(["check", str(tmp_path / "t_p.json")]) == 0
    assert sr.t_f(10, "0.3", "0.05") == 41
    with pytest.raises(ParameterError, match=r'write "0\.3" in quotes'):
        sr.t_p(10, 0.3, 3)  # type: ignore[arg-type]  # what a user may write


def test_a_copy_of_a_promise_is_the_promise_and_what_is_written_elsewhere_its_number() -> None:
    promise = sr.t_p(5, "1/2", 4)
    for other in (copy.copy(promise), copy.deepcopy(promise)):
        assert (repr(other), other.certify()) == (repr(promise), promise.certify())
    read = pickle.loads(pickle.dumps(promise))
    assert (type(read), read) == (Fraction, promise)


def test_a_release_is_made_again_from_a_transcript_and_from_a_key(tmp_path: Path) -> None:
    key = sr.Key.generate()
    frame = pl.DataFrame(
        {"id": range(600), "job": [[None, "a", "b", "c", "d"][row % 5] for row in range(600)]}
    )
    mechanism = sr.SpluGen(3)
    release, drawn = sr.transcribed(
        mechanism, frame, "job", sr.KeyedSource(key), id_column="id", missing="none"
    )
    drawn.write(tmp_path / "drawn")
    assert sr.read_transcript(tmp_path / "drawn") == drawn
    for transcript in (drawn, tmp_path / "drawn"):
        for opened in (None, key):
            assert sr.audit_release(release, frame, transcript=transcript, key=opened).verdict == "consistent"
    with pytest.raises(DataError, match="not the one to which the transcript commits"):
        sr.audit_release(release, frame, transcript=drawn, key=sr.Key.generate())
    found = sr.audit_release(release, frame, key=key, id_column="id", missing="none")
    assert (found.verdict, found.recomputed) == ("consistent", "key (keyed randomness)")
    assert sr.audit_release(release, frame, key=key, missing="none") == found  # the manifest names the column
    read = sr.Microdata.from_frame(frame, missing="none")
    assert sr.audit_release(release, read, transcript=drawn).verdict == "consistent"


def test_what_contradicts_a_transcript_is_refused() -> None:
    frame = pl.DataFrame({"job": ["a", "b", "c"] * 20})
    release, drawn = sr.transcribed(sr.SpluGen(3), frame, "job")
    with pytest.raises(ParameterError, match="give the original as well"):
        sr.audit_release(release, transcript=drawn)
    with pytest.raises(ParameterError, match="give the original as well"):
        sr.audit_release(release, key=sr.Key.generate())
    with pytest.raises(ParameterError, match="missing cells contradicts the transcript"):
        sr.audit_release(release, frame, transcript=drawn, missing="none")
    with pytest.raises(ParameterError, match="belongs to a key"):
        sr.audit_release(release, frame, transcript=drawn, id_column="job")
    with pytest.raises(ParameterError, match="belongs to a key"):
        sr.audit_release(release, frame, id_column="job")


def test_columns_are_recoded_as_the_command_line_does(tmp_path: Path) -> None:
    rows = range(240)
    table = pl.DataFrame(
        {
            "age": [20 + row % 37 for row in rows],
            "sex": ["f" if row % 2 else "m" for row in rows],
            "job": ["abcd"[row // 2 % 4] for row in rows],
            "town": [f"t{row % 30}" if row % 5 else "big" for row in rows],
            "home": [f"h{row % 7}" for row in rows],
            "code": [str(row) for row in rows],
        }
    )
    key, path = sr.Key(hashlib.sha256(b"recoded").digest()), tmp_path / "t.parquet"
    key.write(tmp_path / "key")
    table.write_parquet(path)
    (tmp_path / "domain").write_text(
        '{"both": ["m / a", "m / c", "f / a", "f / b", "f / c", "f / d", "m / b", "m / d"]}'
    )
    words = ["publish", str(path), "-o", str(tmp_path / "p.csv"), "--manifest", str(tmp_path / "m.json")]
    words += ["--sensitive", "both", "--gamma", "2", "--key-file", str(tmp_path / "key"), "--bins", "age=10"]
    words += ["--cross", "both=sex,job", "--group-rare", "town=20", "--hash", "home", "--drop", "code"]
    assert main([*words, "--domain", str(tmp_path / "domain")]) == 0
    coarse = sr.recode(
        table,
        bins={"age": 10},
        cross={"both": ["sex", "job"]},
        group_rare={"town": 20},
        hashed=["home"],
        key=key,
        domain={"both": [f"{sex} / {job}" for sex in "fm" for job in "abcd"]},
        drop=["code"],
    )
    release = sr.SpluGen(2).publish(coarse, "both", sr.KeyedSource(key))
    reported = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert release.table.content_digest() == reported.table.content_digest()
    assert release.manifest.recoded == coarse.recoded
    assert [step.facts() for step in coarse.recoded] == [step.facts() for step in reported.manifest.recoded]
    assert "secret" not in repr(coarse.recoded)
    assert release.domains == reported.domains
    assert coarse.unrecoded.columns == tuple(table.columns)
    true = table.filter(sex="f", job="a").height
    found = reported.estimate(sex="f", job="a")
    assert found == release.estimate(both="f / a")
    assert found.estimate == reported.table.cells("both").count("f / a") != true
    assert reported.estimate({"job": "b", "age": {"min": 30, "max": 39}}).predicate_count == sum(
        30 <= age <= 39 for age in table["age"]
    )
    with pytest.raises(ParameterError, match="cuts the bin"):
        reported.estimate({"job": "b", "age": {"min": 33}})
    left = table.drop("code")
    for original in (left, coarse):
        assert sr.audit_release(reported, original, key=key).recomputed == "key (keyed randomness)"
        assert sr.audit_release(reported, original, key=key).verdict == "consistent"


def test_what_cannot_be_recoded_is_refused_in_the_words_of_python() -> None:
    with pytest.raises(ParameterError, match=r"^bins value=0: the width"):
        sr.recode(FRAME, bins={"value": 0})
    with pytest.raises(ParameterError, match=r"^cross x=value: name two"):
        sr.recode(FRAME, cross={"x": ["value"]})
    with pytest.raises(ParameterError, match=r"^group_rare value must be a whole number of at least 2"):
        sr.recode(FRAME, group_rare={"value": 1})
    with pytest.raises(ParameterError, match="hashes need a secret key"):
        sr.recode(FRAME, hashed=["value"])
    with pytest.raises(ParameterError, match="domain: column 'value' has 1 values"):
        sr.recode(FRAME, domain={"value": ["a"]})
    with pytest.raises(InputError, match="there is no column 'x'"):
        sr.recode(FRAME, drop=["x"])


def test_a_release_by_another_mechanism_states_what_was_recoded() -> None:
    coarse = sr.recode(FRAME.with_columns(sex=pl.Series(["m", "f"] * 12)), cross={"both": ["value", "sex"]})
    values = [f"{value} / {sex}" for value in "abcd" for sex in "fm"]
    release = RetentionReplacement("1/2", {"both": values}).publish(coarse, "both", sr.SeededSource(1))
    assert release.manifest.recoded == coarse.recoded
    expected = sum(release.estimate(both=f"{value} / m").estimate for value in "abcd")
    assert release.estimate(sex="m").estimate == near(expected)
