"""The front door: what ``import splu_ref`` offers, and how it speaks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import splu_ref as sr
from splu_ref.cli import main
from splu_ref.model import InputError, ParameterError

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
    with pytest.raises(AttributeError, match="no attribute 'SplugGen'"):
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


def test_a_release_is_audited() -> None:
    release = sr.SpluGen(2).publish(FRAME, "value", sr.SeededSource(1))
    audit = sr.audit_release(release, FRAME)
    assert audit.verdict == "not shown"  # 24 records say little of the draws
    assert {check.name for check in audit.checks} >= {"records", "manifest.domain", "counts"}
    shifted = FRAME.with_columns(name=pl.lit("m") + pl.col("name"))
    assert sr.audit_release(release, shifted).verdict == "inconsistent"
    other = sr.SpluGen(2).publish(FRAME, "value", sr.SeededSource(2))
    assert sr.audit_release(release, second=other).reuse is not None
    with pytest.raises(InputError, match="release by DBR"):
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
    words = ["sanitize", str(tmp_path / "t.csv"), "-o", str(tmp_path / "p.csv"), "--sensitive", "value"]
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
    found = sr.audit_release(release, frame, key=key, id_column="id", missing="none")
    assert (found.verdict, found.recomputed) == ("consistent", "key (keyed randomness)")
    assert sr.audit_release(release, frame, key=key, missing="none").verdict == "inconsistent"
    read = sr.Microdata.from_frame(frame, missing="none")
    assert sr.audit_release(release, read, transcript=drawn).verdict == "consistent"


def test_what_contradicts_a_transcript_is_refused() -> None:
    frame = pl.DataFrame({"job": ["a", "b", "c"] * 20})
    release, drawn = sr.transcribed(sr.SpluGen(3), frame, "job")
    with pytest.raises(ParameterError, match="give the original as well"):
        sr.audit_release(release, transcript=drawn)
    with pytest.raises(ParameterError, match="give the original as well"):
        sr.audit_release(release, key=sr.Key.generate())
    with pytest.raises(ParameterError, match="missing contradicts the transcript"):
        sr.audit_release(release, frame, transcript=drawn, missing="none")
    with pytest.raises(ParameterError, match="id_column belongs to a key"):
        sr.audit_release(release, frame, transcript=drawn, id_column="job")
    with pytest.raises(ParameterError, match="id_column belongs to a key"):
        sr.audit_release(release, frame, id_column="job")
