"""The release log: what it holds, how it is written, what it refuses, and when it warns."""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import stat
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.averaging import repeated_privacy
from splu_ref.audit.release_log import recording
from splu_ref.audit.release_log.entries import SCHEMA, LogEntry, read_log
from splu_ref.audit.release_log.recording import locked, warnings, write_logged
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import DataError, Exact, InputError
from splu_ref.data import Bins, Cross, Microdata, Rare, prepare_table
from splu_ref.guarantees import decimal_down
from splu_ref.mechanisms import Release, SpluGen
from splu_ref.randomness import Key, KeyedSource, Randomness, SeededSource
from tests.faults import after_call, tree

MOMENT = datetime(2024, 2, 29, 12, tzinfo=UTC)
KEY = Key(bytes(range(31)) + b"!")
TABLE = Microdata.from_frame(
    pl.DataFrame({"name": [f"n{number}" for number in range(24)], "value": list("aabbccdd") * 3})
)


def publication(
    randomness: Randomness,
    table: Microdata = TABLE,
    gamma: int = 2,
    *,
    retention: Exact | None = None,
    plan: str = "mixed",
    draws: str = "independent",
    id_column: str | None = None,
) -> Release:
    return SpluGen(gamma, retention, plan, draws).publish(table, "value", randomness, id_column=id_column)


def add(path: Path, done: Release, key: Key | None = None, table: Microdata = TABLE) -> list[str]:
    return list(warnings(*write_logged(path, table, done, key, MOMENT, [])))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def test_what_a_log_holds(log: Path) -> None:
    done = publication(SeededSource(1))
    assert add(log, done) == []
    header, entry = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    assert header["schema"] == SCHEMA
    key = bytes.fromhex(header["fingerprint_key"])
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert (entry["release"], entry["time"]) == (1, "2024-02-29T12:00:00Z")
    assert entry["manifest"] == json.loads(done.manifest.to_json())
    assert (entry["randomness"], entry["key"]) == ("seeded", None)

    def framed(text: bytes) -> bytes:
        return len(text).to_bytes(8, "big") + text

    message = b"splu-ref/log/counts/1"
    for value in b"abcd":
        message += framed(bytes([value])) + (6).to_bytes(8, "big")
    assert entry["counts"] == {"value": hmac.new(key, message, hashlib.sha256).hexdigest()}
    rows = sorted(
        framed(name.encode()) + framed(value.encode()) + bytes(8) for name, value in TABLE.to_frame().rows()
    )
    message = b"splu-ref/log/table/1" + (2).to_bytes(8, "big") + framed(b"name") + framed(b"value")
    message += b"".join(map(framed, rows))
    assert entry["table"] == hmac.new(key, message, hashlib.sha256).hexdigest()
    assert not list(log.parent.glob("*.lock"))


def test_a_log_states_nothing_without_its_key(tmp_path: Path) -> None:
    fingerprints = set()
    for name in ("one", "two"):
        add(tmp_path / name, publication(SeededSource(1)))
        entry = read_log(tmp_path / name).entries[0]
        fingerprints |= {entry.table, entry.published, *entry.counts.values()}
    assert len(fingerprints) == 6


def test_the_order_of_the_file_does_not_matter(log: Path) -> None:
    turned = TABLE.take(np.arange(24)[::-1].copy())
    add(log, publication(SeededSource(1)))
    add(log, publication(SeededSource(2), turned), table=turned)
    one, two = read_log(log).entries
    assert one.table == two.table
    assert one.published != two.published


def test_fresh_draws_warn_with_the_promise_that_is_left(log: Path) -> None:
    assert add(log, publication(SeededSource(1))) == []
    (second,) = add(log, publication(SeededSource(2)))
    (third,) = add(log, publication(SeededSource(3)))
    for warning, releases in ((second, 2), (third, 3)):
        assert f"the mean of {releases} published counts" in warning
        assert decimal_down(repeated_privacy(PublishedCount.of(2), releases).averaged, 4) in warning
        assert "--key-file" in warning
    assert "release 1 of the log" in second
    assert "releases 1, 2 of the log" in third


def test_the_same_key_does_not_warn(log: Path) -> None:
    for _ in range(3):
        assert add(log, publication(KeyedSource(KEY)), KEY) == []
    entries = read_log(log).entries
    assert len({entry.published for entry in entries}) == 1
    assert entries[0].key is not None


OTHERS: list[tuple[Microdata, dict[str, Any], str]] = [
    (TABLE.take(np.arange(22)), {}, "of another table under the same key"),
    (TABLE, {"gamma": 3}, "has another gamma or retention"),
    (TABLE, {"retention": "2/3"}, "has another gamma or retention"),
    (TABLE, {"plan": "cyclic"}, "the mean of 2 published counts"),
    (TABLE, {"id_column": "name"}, "the mean of 2 published counts"),
]


@pytest.mark.parametrize(("table", "more", "what"), OTHERS)
def test_another_release_under_the_same_key_is_counted_as_one_with_fresh_draws(
    log: Path, table: Microdata, more: dict[str, Any], what: str
) -> None:
    add(log, publication(KeyedSource(KEY)), KEY)
    other = publication(KeyedSource(KEY), table, **more)
    (warning,) = add(log, other, KEY, table)
    assert "published before with other draws (release 1 of the log)" in warning
    assert what in warning
    assert ("the mean of 2 published counts" in warning) == ("gamma or retention" not in what)
    assert add(log, publication(KeyedSource(KEY)), KEY) == []  # each of the two may be repeated
    assert add(log, other, KEY, table) == []


def test_a_changed_table_is_recognized_by_its_key_alone(log: Path) -> None:
    changed = TABLE.take(np.arange(22))
    add(log, publication(KeyedSource(KEY)), KEY)
    assert add(log, publication(SeededSource(1), changed), table=changed) == []
    other, smaller = Key(bytes(31) + b"!"), TABLE.take(np.arange(20))
    assert add(log, publication(KeyedSource(other), smaller), other, smaller) == []


def test_repeated_releases_of_one_key_count_once(log: Path) -> None:
    for gamma in (2, 2, 3):
        add(log, publication(KeyedSource(KEY), gamma=gamma), KEY)
    (warning,) = add(log, publication(SeededSource(9)))
    assert "the mean of 2 published counts" in warning
    assert "release 3 of the log has another gamma or retention" in warning


def test_another_gamma_alone_has_no_number(log: Path) -> None:
    add(log, publication(SeededSource(1), retention="1/3"))
    (warning,) = add(log, publication(SeededSource(2)))
    assert "the mean of" not in warning
    assert "release 1 of the log has another gamma or retention" in warning


@pytest.mark.parametrize("draws", ["capped:9", "all-or-none:10"])
def test_draws_that_are_dependent_have_no_number(log: Path, draws: str) -> None:
    add(log, publication(SeededSource(1), draws=draws))
    (warning,) = add(log, publication(SeededSource(2)))
    assert "the mean of" not in warning
    assert "release 1 of the log has another gamma, retention or law of draws, which no T_P" in warning
    (warning,) = add(log, publication(SeededSource(3), draws=draws))
    assert "the mean of" not in warning
    assert "releases 1, 2 of the log have another gamma, retention or law of draws" in warning


def test_small_counts_of_capped_draws_are_those_of_independent_ones(log: Path) -> None:
    add(log, publication(SeededSource(1), draws="capped:10"))
    (warning,) = add(log, publication(SeededSource(2)))
    assert "the mean of 2 published counts" in warning
    assert "no T_P covers" not in warning


def test_a_table_with_other_columns_is_recognized_by_its_counts(log: Path) -> None:
    narrow = Microdata.from_frame(TABLE.to_frame().select(pl.col("value").alias("illness")))
    add(log, publication(SeededSource(1)))
    (warning,) = add(log, SpluGen(2).publish(narrow, "illness", SeededSource(2)), table=narrow)
    assert warning.startswith("column 'illness' was published before with other draws")


def test_another_table_does_not_warn(log: Path) -> None:
    other = TABLE.take(np.arange(23))
    add(log, publication(SeededSource(1)))
    assert add(log, publication(SeededSource(2), other), table=other) == []


def test_a_gamma_too_large_for_the_sum_warns_without_a_number(log: Path) -> None:
    size = 200_000
    entry = LogEntry(2, "", {"gamma": size, "retention": "1/3"}, "", "two", {"value": "same"}, "system", None)
    add(log, publication(SeededSource(1)))
    earlier = LogEntry(
        1, "", {"gamma": size, "retention": "1/3"}, "", "one", {"value": "same"}, "system", None
    )
    before = read_log(log)
    known = type(before)(before.key, (earlier,))
    (warning,) = warnings(known, entry)
    assert "T_P of 2 releases takes too long" in warning


def test_an_entry_is_taken_back_if_the_release_fails(log: Path) -> None:
    output = log.with_name("o.csv")
    output.write_bytes(b"old")
    for _ in range(2):
        before = tree(log.parent)
        with pytest.raises(InputError, match=r"o\.csv exists"):
            write_logged(log, TABLE, publication(SeededSource(1)), None, MOMENT, [(output, b"new")])
        assert tree(log.parent) == before
        add(log, publication(SeededSource(1)))


@pytest.mark.parametrize("force", [False, True])
def test_no_release_is_missing_in_the_log_whatever_happens(force: bool, tmp_path: Path) -> None:
    """An exception after each call of the system; the lock is gone in any case."""
    ends = []
    for number in range(1, 200):
        folder = tmp_path / str(number)
        folder.mkdir()
        log, outputs = folder / "log", [(folder / "o.csv", b"new"), (folder / "m.json", b"new")]
        if force:
            add(log, publication(SeededSource(1)))
            outputs[0][0].write_bytes(b"old")
        before = tree(folder)
        with after_call(number, _interrupt) as calls, suppress(KeyboardInterrupt):
            write_logged(log, TABLE, publication(SeededSource(2)), None, MOMENT, outputs, force=force)
        if (after := tree(folder)) == before:
            ends.append("old")
        else:
            ends.append("new")
            assert {name: content for name, (_, content) in after.items() if name != "log"} == {
                "o.csv": b"new",
                "m.json": b"new",
            }
            assert len(read_log(log).entries) == 1 + force
            assert after["log"][0] == 0o600
        if len(calls) < number:
            break
    assert ends == sorted(ends, reverse=True)
    assert set(ends) == {"old", "new"}


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_a_kill_between_the_entry_and_the_release_leaves_the_entry(log: Path) -> None:
    """It counts as a release, and neither the lock nor a second name of the log is in the way."""
    add(log, publication(SeededSource(1)))
    lock = log.with_name("log.jsonl.lock")
    lock.touch(0o600)
    left = log.with_name(f".splu-ref-{'0' * 16}.tmp")
    left.mkdir(0o700)
    (left / "1.old").hardlink_to(log)
    assert len(read_log(log).entries) == 1
    left.mkdir(0o700)
    (left / "1.old").hardlink_to(log)
    (warning,) = add(log, publication(SeededSource(2)))
    assert "release 1 of the log" in warning
    assert [path.name for path in log.parent.iterdir()] == ["log.jsonl"]


@pytest.mark.parametrize("locks", [True, False], ids=["advisory locks", "no advisory locks"])
def test_two_programs_at_once(log: Path, locks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "LOCKS", locks)
    done = publication(SeededSource(1))
    with locked(log):
        for _ in range(2):
            with pytest.raises(InputError, match="is in use by another program: wait") as refused:
                add(log, done)
            assert ("delete" in str(refused.value)) is not locks
        assert not log.exists()
    assert add(log, done) == []
    assert add(log, done) == []  # the same rows again: a copy
    assert [path.name for path in log.parent.iterdir()] == ["log.jsonl"]


def test_a_lock_that_cannot_be_taken_is_refused(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    def removed(_: int) -> None:
        log.with_name("log.jsonl.lock").unlink()
        log.with_name("log.jsonl.lock").touch()

    monkeypatch.setattr(recording, "lock", unsupported)
    with pytest.raises(InputError, match="cannot be locked: No locks available: choose another place"):
        add(log, publication(SeededSource(1)))
    monkeypatch.setattr(recording, "lock", removed)
    with pytest.raises(InputError, match="is in use by another program"):
        add(log, publication(SeededSource(1)))
    log.with_name("log.jsonl.lock").unlink()
    log.with_name("log.jsonl.lock").symlink_to("elsewhere")
    with pytest.raises(InputError, match="cannot be locked"):
        add(log, publication(SeededSource(1)))
    assert not log.with_name("elsewhere").exists()


LOCKED = """
import sys, time
from pathlib import Path
from splu_ref.audit.release_log.recording import locked

with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(60)
"""


def test_a_lock_ends_with_its_program(log: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", LOCKED, str(log)], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(InputError, match=r"is in use by another program: wait$"):
            add(log, publication(SeededSource(1)))
        other.kill()
    assert add(log, publication(SeededSource(1))) == []


def test_places_where_no_log_can_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_log(tmp_path / "no folder" / "log")
    with pytest.raises(InputError, match="is a folder"):
        read_log(tmp_path)
    with pytest.raises(InputError, match="choose another place"):
        add(tmp_path / "none" / "log", publication(SeededSource(1)))


def test_a_log_open_to_others_is_refused(log: Path) -> None:
    add(log, publication(SeededSource(1)))
    log.chmod(0o640)
    with pytest.raises(InputError, match="chmod 600"):
        read_log(log)


def test_a_link_leads_to_the_one_log(tmp_path: Path) -> None:
    place = tmp_path / "elsewhere" / "log.jsonl"
    place.parent.mkdir()
    link, second = tmp_path / "link", tmp_path / "second"
    link.symlink_to(place)  # which does not exist yet
    second.symlink_to(link)
    done = publication(SeededSource(1))
    assert add(link, done) == []
    (warning,) = add(place, publication(SeededSource(2)))
    assert "release 1 of the log" in warning
    with locked(place), pytest.raises(InputError, match="is in use"):
        add(second, done)
    (warning,) = add(second, publication(SeededSource(3)))
    assert "releases 1, 2 of the log" in warning
    assert len(read_log(link).entries) == 3
    assert link.is_symlink()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_link_in_a_circle_is_refused(log: Path) -> None:
    log.symlink_to(log)
    with pytest.raises(InputError, match="name another file"):
        read_log(log)


def test_a_log_with_two_names_is_refused(log: Path) -> None:
    add(log, publication(SeededSource(1)))
    second = log.with_name("second")
    second.hardlink_to(log)
    for path in (log, second):
        with pytest.raises(InputError, match=r"has 2 names .*: delete the others"):
            add(path, publication(SeededSource(2)))
    second.unlink()
    assert len(add(log, publication(SeededSource(2)))) == 1


@pytest.mark.parametrize(
    ("line", "change"),
    [
        (1, lambda text: text.replace(SCHEMA, "splu-ref/release-log/4")),
        (2, lambda text: text.replace('"joined": null', '"joined": "0"')),
        (2, lambda text: text.replace('"joined": null', f'"joined": "{"0" * 64}"')),
        (1, lambda text: text.replace('"fingerprint_key": "', '"fingerprint_key": "0')),
        (1, lambda text: "[]"),
        (1, lambda text: "{" * 100_000),
        (2, lambda text: text[:-1]),
        (2, lambda text: text.replace('"release": 1', '"release": 2')),
        (2, lambda text: text.replace('"time"', '"clock"')),
        (2, lambda text: text.replace('"gamma": 2', '"gamma": 1')),
        (2, lambda text: text.replace('"gamma": 2', '"gamma": 2.5')),
        (2, lambda text: text.replace('"retention": "1/2"', '"retention": "3/2"')),
        (2, lambda text: text.replace('"retention": "1/2"', '"retention": 1')),
        (2, lambda text: text.replace('"key": null', '"key": "abc"')),
        (2, lambda text: text.replace('"counts": {', '"counts": {"x": 1, ')),
        (2, lambda text: text.replace('"secrets": {"value"', '"secrets": {"x"')),
        (2, lambda text: text.replace('"secrets": {"value": {', '"secrets": {"value": {"x": "0", ')),
        (2, lambda text: text[: text.index('"secrets"')] + '"secrets": {"value": {}}}'),
        (2, lambda text: text[: text.index('"secrets"')] + '"secrets": {"value": 1}}'),
        (2, lambda text: text[: text.index('"secrets"')] + '"secrets": null}'),
        (2, lambda text: "7"),
        (2, lambda text: ""),
        (3, lambda text: ""),
    ],
)
def test_a_damaged_log_is_refused(log: Path, line: int, change: Any) -> None:
    for number in (1, 2):
        add(log, publication(SeededSource(number)))
    lines = log.read_text(encoding="utf-8").splitlines()
    lines[line - 1] = change(lines[line - 1])
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"line {line}: .*restore the file from a copy"):
        read_log(log)


def test_a_log_that_breaks_off_is_refused(log: Path) -> None:
    add(log, publication(SeededSource(1)))
    whole = log.read_bytes()
    for cut in (0, 10, len(whole) - 1):
        log.write_bytes(whole[:cut])
        with pytest.raises(DataError, match="the last line is incomplete"):
            read_log(log)


@pytest.mark.parametrize("schema", ["splu-ref/release-log/1", "splu-ref/release-log/2"])
def test_a_log_of_an_older_schema_is_read_and_written_anew(log: Path, schema: str) -> None:
    add(log, publication(SeededSource(1)))
    header, entry = map(json.loads, log.read_text("utf-8").splitlines())
    del entry["secrets"]
    if schema.endswith("1"):
        del entry["appended_to"], entry["joined"]
    log.write_text(f"{json.dumps(header | {'schema': schema})}\n{json.dumps(entry)}\n", encoding="utf-8")
    (warning,) = add(log, publication(SeededSource(2)))
    assert "release 1 of the log" in warning
    assert log.read_text("utf-8").startswith(f'{{"schema": "{SCHEMA}"')
    assert read_log(log).entries[0].appended_to is None


def _in_bins(width: str | None, domain: Sequence[str] = ()) -> Microdata:
    ages = Microdata.from_frame(pl.DataFrame({"value": [str(number) for number in range(24)] * 2}))
    steps = [] if width is None else [Bins("value", width)]
    return prepare_table(ages, steps, {"value": domain} if domain else {})


@pytest.mark.parametrize(("first", "second"), [("4", "6"), ("6", None), (None, "4")])
def test_a_column_in_other_bins_is_the_same_secret(log: Path, first: str | None, second: str | None) -> None:
    one, other = _in_bins(first), _in_bins(second)
    assert add(log, publication(SeededSource(1), one), table=one) == []
    [warning] = add(log, publication(SeededSource(2), other), table=other)
    assert "release 1 of the log has another recoding of the column, which no T_P covers" in warning
    assert "the mean of" not in warning
    [third] = add(log, publication(SeededSource(3), other), table=other)
    assert "(releases 1, 2 of the log)" in third
    assert "release 1 of the log has another recoding of the column" in third
    assert "the mean of 2 published counts" in third


def test_a_part_of_a_crossing_is_the_same_secret(log: Path) -> None:
    frame = TABLE.to_frame().with_columns(sex=pl.Series(["m", "f"] * 12))
    plain = Microdata.from_frame(frame)
    crossed = prepare_table(plain, [Cross("value", ("value", "sex")), Rare("value", 2)], {})
    assert add(log, publication(SeededSource(1), crossed), table=crossed) == []
    assert set(read_log(log).entries[0].made_of("value")) == {"value", "sex"}
    assert "column," in add(log, publication(SeededSource(2), plain), table=plain)[0]
    other = Microdata.from_frame(frame.with_columns(value=pl.Series(list("aaabbbcccddd") * 2)))
    assert add(log, publication(SeededSource(3), other), table=other) != []  # the same counts by chance
    alone = Microdata.from_frame(frame.with_columns(value=pl.Series(list("aabbccde") * 3)))
    assert add(log, publication(SeededSource(3), alone), table=alone) == []


def test_a_declared_domain_makes_no_other_column(log: Path) -> None:
    ages = [str(number) for number in range(24)]
    one, other = _in_bins(None), _in_bins(None, [*ages, "99"])
    assert add(log, publication(SeededSource(1), one), table=one) == []
    assert "the mean of 2 published counts" in add(log, publication(SeededSource(2), other), table=other)[0]
