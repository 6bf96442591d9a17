"""Transcripts: what is written, that it draws the same once more, and what is refused."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from splu_ref import SPECIFICATION, __version__
from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.data import Microdata
from splu_ref.data.files import write_all
from splu_ref.mechanisms import SpluGen, Transcript, mixed, ordered_digest, read_transcript, transcribed
from splu_ref.mechanisms import transcript as module
from splu_ref.mechanisms.manifest import code_digest
from splu_ref.randomness import (
    EnumerationSource,
    Key,
    KeyedSource,
    Randomness,
    SeededSource,
    TapeSource,
    release_key,
)
from splu_ref.randomness.release_context import ReleaseContext

KEY = Key(hashlib.sha256(b"transcripts").digest())
FRAME = pl.DataFrame(
    {"id": list("1234567"), "job": ["a", "b", "c", None, "b", "c", ""], "n": [1, 2, 10, 1, 2, 10, 3]}
)


def _original() -> Microdata:
    return Microdata.from_frame(FRAME, missing="none")


def _made(
    randomness: Randomness | None = None, id_column: str | None = None
) -> tuple[pl.DataFrame, Transcript]:
    release, transcript = transcribed(
        SpluGen(3, "2/5"), _original(), ["job", "n"], randomness, id_column=id_column
    )
    return release.frame, transcript


@pytest.mark.parametrize(
    "randomness", [None, SeededSource(1), KeyedSource(KEY)], ids=["system", "seed", "key"]
)
def test_the_same_is_drawn_once_more(randomness: Randomness | None) -> None:
    frame, transcript = _made(randomness, "id" if isinstance(randomness, KeyedSource) else None)
    again = transcript.mechanism.publish(
        _original(), transcript.sensitive, transcript.source(), id_column=transcript.id_column
    )
    assert again.frame.equals(frame)
    assert again.frame.height == 6
    assert ordered_digest(again.table) == transcript.published


def test_a_recorded_release_is_the_release_that_is_made_without_a_transcript() -> None:
    for source in (lambda: SeededSource(4), lambda: KeyedSource(KEY)):
        release = SpluGen(3, "2/5").publish(_original(), ["job", "n"], source())
        assert _made(source())[0].equals(release.frame)


def test_a_stream_is_kept_byte_by_byte() -> None:
    frame, transcript = _made(TapeSource(bytes(range(256)) * 4))
    tape = TapeSource(bytes(range(256)) * 4)
    assert SpluGen(3, "2/5").publish(_original(), ["job", "n"], tape).frame.equals(frame)
    assert transcript.drawn == (bytes(range(256)) * 4)[: tape.consumed]
    assert (transcript.randomness, transcript.key) == ("tape", None)


def test_of_a_key_the_key_of_the_release_is_kept_and_a_commitment() -> None:
    _, transcript = _made(KeyedSource(KEY), "id")
    original = _original()
    context = ReleaseContext(
        method="SPLU-Gen",
        facts={"gamma": 3, "retention": "2/5", "plan": "mixed"},
        sensitive=("job", "n"),
        id_column="id",
        missing="none",
        columns=("id", "job", "n"),
        records=original.records,
    )
    assert transcript.drawn == release_key(KEY, context).secret
    inner = bytes(a ^ 0x36 for a in KEY.secret.ljust(64, b"\0"))  # HMAC as RFC 2104 says it
    outer = bytes(a ^ 0x5C for a in KEY.secret.ljust(64, b"\0"))
    digest = hashlib.sha256(outer + hashlib.sha256(inner + b"splu-ref/key-commitment/1").digest())
    assert transcript.key == digest.hexdigest() == KEY.commitment()
    assert KEY.secret.hex() not in transcript.to_bytes().decode()
    assert KEY.secret not in repr(transcript).encode()
    assert transcript.drawn.hex() not in repr(transcript)


def _framed(*texts: str) -> bytes:
    return b"".join(len(text.encode()).to_bytes(8, "big") + text.encode() for text in texts)


def test_the_whole_document() -> None:
    _, transcript = _made(KeyedSource(KEY), "id")
    rows = ["1,a,1", "2,b,2", "3,c,10", "4,-,1", "5,b,2", "6,c,10", "7,,3"]  # - for a null
    cells = [
        b"".join(b"\xff" * 8 if cell == "-" else _framed(cell) for cell in row.split(",")) for row in rows
    ]
    message = b"splu-ref/transcript-table/1" + (3).to_bytes(8, "big") + _framed("id", "job", "n")
    message += (7).to_bytes(8, "big") + b"".join(len(row).to_bytes(8, "big") + row for row in cells)
    message += (4).to_bytes(8, "big") + _framed("a", "b", "c", "none")
    message += (4).to_bytes(8, "big") + _framed("1", "2", "3", "10")
    first, second, rest = transcript.to_bytes().split(b"\n")
    assert json.loads(first) == {
        "schema": "splu-ref/transcript/1",
        "method": "SPLU-Gen",
        "gamma": 3,
        "retention": "2/5",
        "plan": "mixed",
        "sensitive": ["job", "n"],
        "id": "id",
        "missing": "none",
        "original": hashlib.sha256(message).hexdigest(),
        "published": transcript.published,
        "randomness": "keyed",
        "key": KEY.commitment(),
        "produced_by": {"version": __version__, "spec": SPECIFICATION, "code": code_digest()},
    }
    assert second == transcript.drawn.hex().encode()
    assert rest == b""


@pytest.mark.parametrize("randomness", [None, KeyedSource(KEY)], ids=["system", "key"])
def test_what_is_written_is_read(randomness: Randomness | None, tmp_path: Path) -> None:
    _, transcript = _made(randomness)
    old = os.umask(0)
    try:
        transcript.write(tmp_path / "t")
        write_all([(tmp_path / "u", b"u"), (tmp_path / "v", b"v")], force=False, private=str(tmp_path / "v"))
    finally:
        os.umask(old)
    assert read_transcript(tmp_path / "t") == transcript
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in "tuv"] == [0o600, 0o666, 0o600]
    with pytest.raises(InputError, match="exists"):
        transcript.write(tmp_path / "t")
    (tmp_path / "t").chmod(0o666)
    transcript.write(tmp_path / "t", force=True)
    assert stat.S_IMODE((tmp_path / "t").stat().st_mode) == 0o600


def test_what_nobody_could_draw_again_is_refused() -> None:
    with pytest.raises(ParameterError, match="a transcript names the plan"):
        transcribed(SpluGen(3, plan=partial(mixed, passes=1)), _original(), "job")
    with pytest.raises(ParameterError, match="a stream of bytes or of a key"):
        transcribed(SpluGen(3), _original(), "job", EnumerationSource())


def test_a_transcript_that_is_too_long_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    _, transcript = _made(SeededSource(1))
    length = len(transcript.to_bytes())
    monkeypatch.setattr(module, "LONGEST_FILE", length)
    assert len(transcript.to_bytes()) == length
    monkeypatch.setattr(module, "LONGEST_FILE", length - 1)
    with pytest.raises(ParameterError, match="publish with a key"):
        transcript.to_bytes()


def _changed(change: dict[str, object], drop: str = "") -> bytes:
    first, rest = _made(KeyedSource(KEY))[1].to_bytes().split(b"\n", 1)
    header = json.loads(first) | change
    header.pop(drop, None)
    return json.dumps(header).encode() + b"\n" + rest


STREAM = _made(SeededSource(1))[1].to_bytes()
REFUSED = {
    "empty": b"",
    "no JSON": b"x\n",
    "deep": b"[" * 100_000,
    "an array": b"[]\n00\n",
    "another schema": _changed({"schema": "splu-ref/transcript/2"}),
    "another specification": _changed({"produced_by": {"version": "0", "spec": "1", "code": ""}}),
    "no plan": _changed({}, "plan"),
    "a further key": _changed({"seed": 3}),
    "a key twice": STREAM.replace(b'"gamma": 3', b'"gamma": 3, "gamma": 3', 1),
    "an unknown plan": _changed({"plan": "best"}),
    "another method": _changed({"method": "DBR"}),
    "gamma 1": _changed({"gamma": 1}),
    "gamma a text": _changed({"gamma": "many"}),
    "retention": _changed({"retention": "3/0"}),
    "retention 2": _changed({"retention": "2"}),
    "no column": _changed({"sensitive": []}),
    "a column twice": _changed({"sensitive": ["job", "job"]}),
    "a column of numbers": _changed({"sensitive": [1]}),
    "half a character": _changed({"sensitive": ["\ud800"]}),
    "id": _changed({"id": 3}),
    "missing": _changed({"missing": ["x"]}),
    "digest": _changed({"original": "0" * 63}),
    "digest of the release": _changed({"published": "0" * 63 + "G"}),
    "commitment": _changed({"key": "0"}),
    "a key without a commitment": _changed({"key": None}),
    "a stream with a commitment": _changed({"randomness": "system"}),
    "unknown randomness": _changed({"randomness": "coins", "key": None}),
    "a pattern as key": _changed({}).split(b"\n")[0] + b"\n" + b"00" * 32 + b"\n",
    "a short key": _changed({})[:-3] + b"\n",
    "capital digits": STREAM[:-1].replace(STREAM.split(b"\n")[1], STREAM.split(b"\n")[1].upper()) + b"\n",
    "odd digits": STREAM[:-2] + b"\n",
    "no last line": STREAM[:-1],
    "a third line": STREAM + b"00\n",
    "blanks": STREAM[:-1] + b" 00\n",
    "a long first line": b" " * (module.LONGEST_HEADER + 1) + STREAM,
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_damaged_transcript_is_refused_in_a_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(REFUSED[name])
    path.chmod(0o600)
    with pytest.raises(DataError) as refused:
        read_transcript(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_transcript_that_others_can_read_or_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t"
    path.write_bytes(STREAM)
    path.chmod(0o640)
    with pytest.raises(InputError, match="open to other users: run chmod 600"):
        read_transcript(path)
    for content, what in (
        (b'{\n  "schema": "splu-ref/manifest/2",\n', "a manifest, not a transcript"),
        (b"a,b\n1,2\n", "its first line holds no transcript"),
    ):  # which nobody needs to hide
        (tmp_path / "other").write_bytes(content)
        (tmp_path / "other").chmod(0o640)
        with pytest.raises(DataError, match=f"{what}: give the file that publish --transcript wrote"):
            read_transcript(tmp_path / "other")
    path.chmod(0o600)
    assert read_transcript(path).randomness == "seeded"
    monkeypatch.setattr(module, "LONGEST_FILE", len(STREAM) - 1)
    with pytest.raises(DataError, match="longer than"):
        read_transcript(path)
    with pytest.raises(InputError, match="name another file"):
        read_transcript(tmp_path / "none")


def test_the_order_of_rows_and_values_and_the_kind_of_a_cell_are_in_the_digest() -> None:
    table = Microdata.from_frame(pl.DataFrame({"a": ["1", "2", "10"], "b": ["x", "", "x"]}))
    others = [
        Microdata.from_frame(table.to_frame()[::-1]),
        Microdata.from_frame(table.to_frame().with_columns(pl.col("b").replace("", None))),
        Microdata.from_frame(table.to_frame().rename({"b": "c"})),
    ]
    assert len({ordered_digest(each) for each in (table, *others)}) == 4
    numbers = Microdata.from_frame(table.to_frame().with_columns(pl.col("a").cast(pl.Int64)))
    assert ordered_digest(numbers) == ordered_digest(table)
    assert ordered_digest(numbers, ["a"]) != ordered_digest(table, ["a"])  # 1, 2, 10 in place of 1, 10, 2
    assert np.array_equal(numbers.codes("a"), [0, 1, 2])


def test_the_first_line_has_a_mebibyte_and_the_file_a_gibibyte_at_most(tmp_path: Path) -> None:
    _, transcript = _made(KeyedSource(KEY))
    transcript = replace(transcript, missing="")
    left = 1_048_576 - len(transcript.to_bytes().split(b"\n")[0]) - 1
    path = tmp_path / "t"
    longest = replace(transcript, missing="x" * left)
    longest.write(path)
    assert read_transcript(path) == longest
    with pytest.raises(ParameterError, match="longer than 1073741824 bytes, or its first line than 1048576"):
        replace(transcript, missing="x" * (left + 1)).to_bytes()
    content = path.read_bytes()
    path.write_bytes(b"   " + content)
    with pytest.raises(DataError, match="its first line holds no transcript"):
        read_transcript(path)
    path.write_bytes(content)
    os.truncate(path, 1_073_741_825)
    with pytest.raises(DataError, match="longer than 1073741824 bytes"):
        read_transcript(path)
