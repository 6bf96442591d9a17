"""Manifests: the release that they describe, and reading by method."""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import splu_ref
from splu_ref import SPECIFICATION, __version__
from splu_ref.channels.parameters import DataError
from splu_ref.cli import main
from splu_ref.data import Microdata, read_table, write_table
from splu_ref.mechanisms import DistributionBased, Release, SpluGen, read_manifest, read_release
from splu_ref.mechanisms.manifest import Manifest, Origin, code_digest
from splu_ref.randomness import Key, SeededSource

FRAME = pl.DataFrame(
    {
        "name": [f"n{number}" for number in range(24)],
        "hours": [None if number == 3 else number / 2 for number in range(24)],
        "value": list("aabbccdd") * 3,
    }
)


@pytest.fixture
def release() -> Release:
    return SpluGen(3, "1/2").publish(Microdata.from_frame(FRAME), "value", SeededSource(1))


def _written(path: Path, document: dict[str, object]) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_a_manifest_is_read_as_it_was_written(release: Release, tmp_path: Path) -> None:
    origin = release.manifest.origin
    assert origin is not None
    reported = replace(release.manifest, origin=replace(origin, date="2024-02-29", release="0f" * 16))
    path = tmp_path / "m.json"
    path.write_bytes(reported.to_json())
    assert read_manifest(path) == reported
    assert json.loads(reported.to_json()) == {
        "schema": "splu-ref/manifest/2",
        "method": "SPLU-Gen",
        "gamma": 3,
        "retention": "1/2",
        "plan": "mixed",
        "rows": 24,
        "sensitive": [{"column": "value", "domain": list("abcd")}],
        "table": release.table.content_digest(),
        "release": "0f" * 16,
        "date": "2024-02-29",
        "produced_by": {"version": origin.version, "spec": SPECIFICATION, "code": code_digest()},
    }
    again = SpluGen(3, "1/2").publish(Microdata.from_frame(FRAME), "value", SeededSource(1)).manifest.origin
    assert again is not None
    assert again.table == origin.table
    assert again.release != origin.release


def test_a_manifest_of_the_first_schema_is_read(release: Release, tmp_path: Path) -> None:
    document = json.loads(release.manifest.to_json())
    for key in ("table", "release", "date"):
        del document[key]
    del document["produced_by"]["code"]
    path = _written(tmp_path / "m.json", document | {"schema": "splu-ref/manifest/1"})
    reported = read_manifest(path)
    assert reported == replace(release.manifest, origin=None)
    reported.require(Microdata.from_frame(FRAME))  # nothing but the rows can be compared
    assert json.loads(reported.to_json())["schema"] == "splu-ref/manifest/1"


def test_the_method_chooses_what_is_read(release: Release, tmp_path: Path) -> None:
    drawn = DistributionBased().publish(Microdata.from_frame(FRAME), "value", SeededSource(1))
    path = tmp_path / "m.json"
    path.write_bytes(drawn.manifest.to_json())
    assert read_manifest(path).mechanism == DistributionBased()
    with pytest.raises(DataError, match="release by DBR"):
        SpluGen.of(read_manifest(path))
    for schema in ("splu-ref/manifest/1", "splu-ref/manifest/2"):
        other = json.loads(release.manifest.to_json()) | {"method": "FRAPP", "schema": schema}
        with pytest.raises(DataError, match="method 'FRAPP' is unknown"):
            read_manifest(_written(path, other))


def test_the_bytes_of_a_manifest(release: Release) -> None:
    """Written by hand: keys in this order, two spaces, letters as they are, a newline at the end."""
    table, name, code = "0a" * 32, "1b" * 16, "2c" * 32
    origin = Origin(table=table, release=name, date="2024-02-29", version="9", specification="3", code=code)
    lines = [
        "{",
        '  "schema": "splu-ref/manifest/2",',
        '  "method": "SPLU-Gen",',
        '  "gamma": 3,',
        '  "retention": "1/2",',
        '  "plan": "mixed",',
        '  "rows": 24,',
        '  "batches": [',
        "    15,",
        "    9",
        "  ],",
        '  "sensitive": [',
        "    {",
        '      "column": "Größe",',
        '      "domain": [',
        '        "a",',
        '        "ß"',
        "      ]",
        "    }",
        "  ],",
        f'  "table": "{table}",',
        f'  "release": "{name}",',
        '  "date": "2024-02-29",',
        '  "produced_by": {',
        '    "version": "9",',
        '    "spec": "3",',
        f'    "code": "{code}"',
        "  }",
        "}",
    ]
    reported = Manifest(release.mechanism, 24, {"Größe": ("a", "ß")}, origin, (15, 9))
    assert reported.to_json() == "".join(f"{line}\n" for line in lines).encode()
    del lines[26], lines[20:23], lines[7:11]
    lines[1] = lines[1].replace("2", "1")
    lines[-4:-2] = [f'    "version": "{__version__}",', f'    "spec": "{SPECIFICATION}"']
    reported = Manifest(release.mechanism, 24, {"Größe": ("a", "ß")})
    assert reported.to_json() == "".join(f"{line}\n" for line in lines).encode()


def test_the_code_digest_is_that_of_every_python_file_in_order_of_the_paths() -> None:
    root = Path(splu_ref.__file__).parent
    message = b""
    for path in sorted(
        os.path.relpath(file, root) for file in root.rglob("*") if file.suffix in (".py", ".pyi")
    ):
        content = (root / path).read_bytes()
        name = path.replace(os.sep, "/").encode()
        message += struct.pack(">Q", len(name)) + name + struct.pack(">Q", len(content)) + content
    assert code_digest() == hashlib.sha256(message).hexdigest()


def test_an_origin_says_when_by_what_and_under_a_fresh_name() -> None:
    table = Microdata.from_frame(FRAME)
    before = datetime.now(UTC).date().isoformat()
    one, two = Origin.now(table), Origin.now(table)
    assert before <= one.date <= datetime.now(UTC).date().isoformat()
    assert (one.version, one.specification) == (__version__, SPECIFICATION)
    for name in (one.release, two.release):
        assert re.fullmatch("[0-9a-f]{32}", name)
    assert one.release != two.release


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("table", ["0", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n", "g" * 64, 0, None]),
        ("release", ["F" * 32, "0" * 31, "0" * 33, "0" * 32 + "\n", 0]),
        ("date", ["today", "2024-2-29", "2024-02-9", "2024-02-290", "02024-02-29", "24-02-29", 20240229]),
        ("rows", [0, -24, 25, "x", 24.0, True, None]),
        ("gamma", [1, 0, 5, 3.0, True]),
        ("retention", ["0", "3/2", "x", "1/0", 1]),
        ("plan", ["none", 1]),
        ("batches", [[24], [24, 0], [12, 9], [12, 15], [12.0, 12], 24, None, []]),
        ("sensitive", [[], {}, None, [{"column": "value"}], [{"domain": ["a"]}]]),
        ("schema", ["splu-ref/manifest/0", "splu-ref/manifest/3", 2, None]),
        ("method", ["SPLU", ["DBR"], None]),
    ],
)
def test_what_no_manifest_says_is_refused(
    release: Release, tmp_path: Path, key: str, values: list[object]
) -> None:
    document = json.loads(release.manifest.to_json())
    for value in values:
        with pytest.raises(DataError, match=r"m\.json: "):
            read_manifest(_written(tmp_path / "m.json", document | {key: value}))
    if key != "batches":
        del document[key]
        with pytest.raises(DataError, match=r"m\.json: "):
            read_manifest(_written(tmp_path / "m.json", document))


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (("sensitive", 0, "column"), [1, None, "\ud800"]),
        (("sensitive", 0, "domain"), [[], "abcd", ["a", "a"], ["a", 1], ["a", "\ud800"], None, {"a": "b"}]),
        (("produced_by", "version"), [1, None]),
        (("produced_by", "spec"), [2, None]),
        (("produced_by", "code"), ["0", "0" * 63, "0" * 65, "C" * 64, None]),
    ],
)
def test_what_no_part_of_a_manifest_says_is_refused(
    release: Release, tmp_path: Path, path: tuple[str | int, ...], values: list[object]
) -> None:
    for value in values:
        document = json.loads(release.manifest.to_json())
        part: Any = document
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = value
        with pytest.raises(DataError, match=rf"m\.json: the manifest is damaged at {path[-1]!r}: ask the"):
            read_manifest(_written(tmp_path / "m.json", document))
        del part[path[-1]]
        with pytest.raises(DataError, match=rf"m\.json: the key {path[-1]!r} is missing"):
            read_manifest(_written(tmp_path / "m.json", document))


def test_a_column_or_a_key_that_stands_twice_is_refused(release: Release, tmp_path: Path) -> None:
    document, path = json.loads(release.manifest.to_json()), tmp_path / "m.json"
    with pytest.raises(DataError, match="sensitive names a column twice"):
        read_manifest(_written(path, document | {"sensitive": 2 * document["sensitive"]}))
    path.write_bytes(release.manifest.to_json().replace(b'"rows": 24,', b'"rows": 24, "rows": 24,'))
    with pytest.raises(DataError, match="a key stands there twice"):
        read_manifest(path)


@pytest.mark.parametrize("sizes", [(3, 21), (12, 12), (9, 9, 6)])
def test_batches_that_add_up_are_read(release: Release, tmp_path: Path, sizes: tuple[int, ...]) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(replace(release.manifest, batches=sizes).to_json())
    assert read_manifest(path).batches == sizes


def test_what_is_no_manifest_is_distinguished(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    for content, message in (
        (b"{", "not a JSON file"),
        (b"\xff{}", "not a JSON file"),
        (b"[" * 100_000, "not a JSON file"),
        (b"[]", "not a manifest of schema splu-ref/manifest/1 or splu-ref/manifest/2"),
        (b"{}", "not a manifest of schema"),
        (b'{"schema": "splu-ref/manifest/2"}', "the key 'method' is missing"),
    ):
        path.write_bytes(content)
        with pytest.raises(DataError, match=rf"m\.json: {message}"):
            read_manifest(path)
    with pytest.raises(DataError, match="there is no such file"):
        read_manifest(tmp_path / "none.json")


def test_a_sensitive_column_that_the_table_lacks_is_blamed_on_the_manifest(release: Release) -> None:
    manifest = release.manifest
    other = replace(manifest, domains={"other": next(iter(manifest.domains.values()))})
    manifest.require(release.table)
    with pytest.raises(DataError, match="the manifest names 'other' as sensitive, which is no column"):
        other.require(release.table)


def test_each_refusal_names_what_is_wrong(release: Release, tmp_path: Path) -> None:
    document, path = json.loads(release.manifest.to_json()), tmp_path / "m.json"
    for change, message in (
        ({"rows": 0}, "rows must be a whole number of at least 1"),
        ({"gamma": 1}, "gamma must be a whole number of at least 2"),
        ({"sensitive": []}, "no column is sensitive: ask the publisher"),
        ({"batches": [24]}, "batches do not add up to rows: ask the publisher"),
        ({"batches": [12, 11]}, "batches do not add up to rows: ask the publisher"),
        ({"batches": [24, 0]}, "batches must be a whole number of at least 1"),
        ({"date": "x"}, "the manifest is damaged at 'date': ask the publisher for a fresh copy"),
        ({"recoded": 3}, "the manifest is damaged at 'recoded': ask"),
        ({"observed_domain": "no"}, "the manifest is damaged at 'observed_domain': ask"),
        ({"id": 3}, "the manifest is damaged at 'id': ask"),
        ({"sensitive": [3]}, "the manifest is damaged at 'sensitive': ask"),
    ):
        with pytest.raises(DataError, match=rf"m\.json: {message}"):
            read_manifest(_written(path, document | change))
    for key in set(document) - {"schema", "batches"}:
        left = {name: value for name, value in document.items() if name != key}
        with pytest.raises(DataError, match=rf"m\.json: the key {key!r} is missing: ask the publisher"):
            read_manifest(_written(path, left))
    table = release.table.to_frame()
    changed, other = Microdata.from_frame(table.head(23)), replace(release.manifest, rows=23)
    release.manifest.require(release.table)
    with pytest.raises(DataError, match=r"digest of its content is not [0-9a-f]{12}…\)"):
        other.require(changed)
    replace(other, origin=None).require(changed)


def test_the_largest_manifest_has_sixteen_mebibytes(release: Release, tmp_path: Path) -> None:
    path, content = tmp_path / "m.json", release.manifest.to_json()
    path.write_bytes(content.ljust(16_777_216))
    assert read_manifest(path) == release.manifest
    path.write_bytes(content.ljust(16_777_217))
    with pytest.raises(DataError, match="longer than 16777216 bytes"):
        read_manifest(path)


def test_a_table_has_one_digest_in_every_format_and_order(release: Release, tmp_path: Path) -> None:
    digest = release.table.content_digest()
    for name in ("t.csv", "t.csv.gz", "t.parquet"):
        write_table(release.table, tmp_path / name)
        assert read_table(tmp_path / name).content_digest() == digest
    frame = release.table.to_frame()
    assert Microdata.from_frame(frame.reverse()).content_digest() == digest
    assert Microdata.from_frame(frame.to_pandas()).content_digest() == digest
    others = [frame.head(23), frame.rename({"name": "nam"}), frame.with_columns(name=pl.col("name") + " ")]
    others.append(frame.with_columns(value=frame["value"].reverse()))
    assert len({digest, *(Microdata.from_frame(other).content_digest() for other in others)}) == 5


def test_a_null_counts_as_an_empty_text_whoever_holds_the_frame(tmp_path: Path) -> None:
    cells = {"job": ["a", "b", "c", "d"], "name": ["x", None, "", "y" * 200], "age": [1, None, 2, 3]}
    frame = pl.DataFrame(cells)
    release = SpluGen(2).publish(frame, "job")
    for name in ("t.csv", "t.parquet"):  # the empty text of one is the null of the other
        release.write(tmp_path / name, tmp_path / "m.json", force=True)
        assert read_release(tmp_path / name, tmp_path / "m.json").table.row_count == 4
    digest = Microdata.from_frame(frame).content_digest()
    for other in (frame.to_arrow(), frame.with_columns(pl.col("name").fill_null(""))):
        assert Microdata.from_frame(other).content_digest() == digest


def test_commands_refuse_a_manifest_of_another_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FRAME.write_csv(tmp_path / "original.csv")
    for name in ("one", "two"):
        table, manifest = tmp_path / f"{name}.csv", tmp_path / f"{name}.json"
        reported = ["--sensitive", "value", "--gamma", "3", "--manifest", str(manifest)]
        reported += ["--keep", "name", "--keep", "hours"]
        assert main(["publish", str(tmp_path / "original.csv"), "-o", str(table), *reported]) == 0
    capsys.readouterr()
    estimate = ["estimate", str(tmp_path / "one.csv"), "--where", "value=a", "--manifest"]
    assert main([*estimate, str(tmp_path / "one.json")]) == 0
    assert main([*estimate, str(tmp_path / "two.json")]) == 2
    message = capsys.readouterr().err
    assert message.startswith("splu-ref: ")
    assert "one.csv" in message
    assert "not the one that the manifest was written for" in message
    audit = ["audit-release", str(tmp_path / "one.csv"), "--manifest"]
    assert main([*audit, str(tmp_path / "one.json")]) == 3
    assert main([*audit, str(tmp_path / "two.json")]) == 1
    assert "inconsistent: failed: content digest" in capsys.readouterr().out


def test_another_number_of_rows_is_refused() -> None:
    reported = Manifest(SpluGen(3), 24, {"value": ("a", "b")})
    for rows in (21, 23, 25):
        with pytest.raises(DataError, match=f"the table has {rows} rows, the manifest says 24"):
            reported.require(Microdata.from_frame(pl.concat([FRAME, FRAME]).head(rows)))


def test_a_table_with_lists_and_bytes_beside_the_sensitive_column_has_a_digest(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "job": ["a", "b", "c", "d"],
            "tags": [["x", "y"], ["x,y"], [], None],
            "box": [{"n": 1}, {"n": 2}, {"n": None}, None],
            "raw": [b"1", b"12", b"", None],
        }
    )
    table = Microdata.from_frame(frame)
    digest = table.content_digest()
    write_table(table, tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").content_digest() == digest
    others = [
        frame.with_columns(tags=pl.Series([["x"], ["x,y"], [], None])),
        frame.with_columns(box=pl.Series([{"n": 1}, {"n": 3}, {"n": None}, None])),
        frame.with_columns(raw=pl.Series([b"1", b"13", b"", None])),
    ]
    assert len({digest, *(Microdata.from_frame(other).content_digest() for other in others)}) == 4


def test_an_original_is_recoded_as_the_manifest_states_and_hashed_under_its_key_alone() -> None:
    key, other = (Key(hashlib.sha256(name).digest()) for name in (b"one", b"other"))
    prepared = splu_ref.recode(FRAME, bins={"hours": "5.0"}, hashed=["name"], key=key)
    manifest = SpluGen(3).publish(prepared, "value", SeededSource(1)).manifest
    original = Microdata.from_frame(FRAME)
    again = manifest.recode(original, key)
    assert [again.values(name) for name in ("hours", "name")] == [
        prepared.values(name) for name in ("hours", "name")
    ]
    assert set(manifest.recode(original, other).values("name")).isdisjoint(again.values("name"))
    with pytest.raises(DataError, match="key"):
        manifest.recode(original)
