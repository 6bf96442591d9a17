"""`publish --stream` reports the same as `publish`, and where it differs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.cli import main, streaming
from splu_ref.mechanisms import SpluGen
from splu_ref.mechanisms.streaming.publishing import StreamedRelease, publish
from splu_ref.randomness import Key

KEY = Key(bytes(range(1, 32)) + b"?")
WORDS = ["publish", "t.csv", "-o", "o.csv"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    rows = (f"r{n},{n % 3},{'abcde'[n * n * n % 11 % 5]},{['', *'12'][n % 3]}\n" for n in range(101))
    Path("t.csv").write_text("id,place,v,w\n" + "".join(rows))
    KEY.write("key")


@pytest.fixture
def reported(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Run the command; its code and the lines of both outputs."""

    def run(*words: str) -> tuple[int, list[str], list[str]]:
        code = main([*WORDS, *words])
        found = capsys.readouterr()
        return code, [" ".join(line.split()) for line in found.out.splitlines()], found.err.splitlines()

    return run


KEPT = ("--keep", "id", "--keep", "place")
Run = Callable[..., tuple[int, list[str], list[str]]]
TWO = ("--sensitive", "v", "--sensitive", "w", "--gamma", "2", "--missing", "none", "--force")
ONE = ("--sensitive", "v", "--gamma", "3", "--force", "--epsilon", "1/5")


def test_programs_get_the_same_and_what_it_took(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[StreamedRelease] = []

    def kept(*given: Any, **rest: Any) -> StreamedRelease:
        made.append(publish(*given, **rest))
        return made[-1]

    monkeypatch.setattr(streaming, "publish", kept)
    seconds = (1.23456 * number for number in count())
    monkeypatch.setattr("splu_ref.mechanisms.streaming.steps.perf_counter", lambda: next(seconds))
    for words in (ONE, (*TWO, "--key-file", "key", "--id", "id", "--manifest", "m.json")):
        assert main([*WORDS, *words, *KEPT, "--json"]) == 0
        stored, rows = json.loads(capsys.readouterr().out), Path("o.csv").read_bytes()
        facts = json.loads(Path("m.json").read_text("utf-8")) if "key" in words else {}
        assert main([*WORDS, *words, "--json", "--stream"]) == 0
        found = json.loads(capsys.readouterr().out)
        steps = dict.fromkeys(("reading", "distributing", "drawing", "writing", "digesting"), 1.235)
        assert ("together" in found) == (words is not ONE)
        leaks = None  # those by sensitive columns alone, which these tables do not have
        if words is not ONE:
            leaks = [{"column": each["column"], "columns": []} for each in stored["leaks"]]
            found["leaks"] = [{name: each[name] for name in ("column", "columns")} for each in found["leaks"]]
        assert found == {
            **stored,
            "leaks": leaks,
            "streamed": {"seconds": steps, "temporary_bytes": made[-1].disk},
        }
        if facts:
            assert Path("o.csv").read_bytes() == rows
            again = json.loads(Path("m.json").read_text("utf-8"))
            assert {**again, "date": "", "release": ""} == {**facts, "date": "", "release": ""}
    large = replace(made[0], disk=(3 << 20) + 5)
    streaming.show_streamed(large, SpluGen(2), Path("o.csv"), Fraction(3, 10), as_json=False)
    assert "3 MiB of temporary files, deleted" in capsys.readouterr().out


@pytest.mark.parametrize("more", [ONE, (*TWO, "--retention", "9/10", "--key-file", "key")])
def test_people_get_the_same_lines(more: tuple[str, ...], reported: Run) -> None:
    code, stored, noted = reported(*more, *KEPT, "--explain")
    assert code == 0
    advice = "group values (--group-rare), or bin numbers and dates (--bins)"
    instead = "publish a table in which values are grouped, or numbers and dates binned, already"
    expected = [
        line.removesuffix(", or keep a --log").replace(advice, instead)
        for line in stored
        if not line.startswith("unique ")
    ]
    assert any(instead in line for line in expected) == ("9/10" not in more)
    unchecked = "whether other columns identify records or disclose a sensitive one"
    [place] = [number for number, line in enumerate(expected) if line.startswith("to quote ")]
    expected.insert(place + 1, "streamed 0 MiB of temporary files, deleted")
    expected.insert(place, f"not checked {unchecked}: use --strict, or advise --stream")
    mechanism = [line for line in noted if line.startswith("note: retention is not 1/gamma")]
    code, found, said = reported(*more, "--stream", "--explain")
    assert (code, said) == (0, mechanism)
    assert found == expected
    assert any(line.startswith("repeated ") for line in expected) == ("key" not in more)
    assert bool(mechanism) == ("9/10" in more)


@pytest.mark.parametrize(
    "words",
    [
        ["--sensitive", "v", "--gamma", "6"],
        ["--sensitive", "nothing", "--gamma", "2"],
        ["--sensitive", "w", "--gamma", "2"],
        ["--sensitive", "v", "--gamma", "2", "--key-file", "key", "--id", "place"],
        ["--sensitive", "v", "--gamma", "2", "--key-file", "none"],
    ],
)
def test_refusals_are_those_of_the_whole_table(words: list[str], reported: Run) -> None:
    code, _, said = reported(*words, *KEPT)
    assert code == 2
    assert said
    assert reported(*words, "--stream") == (2, [], said)
    assert not Path("o.csv").exists()


def test_a_file_that_exists_is_kept(reported: Run) -> None:
    Path("o.csv").write_text("mine")
    code, _, [said] = reported("--sensitive", "v", "--gamma", "2", "--stream")
    assert (code, "o.csv exists" in said, Path("o.csv").read_text()) == (2, True, "mine")


def test_options_that_need_the_whole_table_are_named() -> None:
    streaming.require_fit({"--log": None, "--strict": False})
    for unfit, named, them in (
        ({"--log": "l", "--strict": False}, "--log, which needs", "it"),
        ({"--log": "l", "--bins": None, "--strict": True}, "--log, --strict, which need", "them"),
    ):
        with pytest.raises(ParameterError) as error:
            streaming.require_fit(unfit)
        assert str(error.value) == (
            f"--stream excludes {named} the whole table at once: leave {them} out, or leave out --stream"
        )


def test_four_steps_of_one_length_make_the_whole(reported: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[object, ...]] = []

    @contextmanager
    def detected(title: str) -> Iterator[Callable[[int, int], None]]:
        shown.append((title,))
        yield lambda done, whole: shown.append((done, whole))

    monkeypatch.setattr(streaming, "counted", detected)
    monkeypatch.setattr("splu_ref.mechanisms.streaming.scan.BATCH_BYTES", 1000)
    Path("t.csv").write_text("v\n" + "".join(f"{n % 5}\n" for n in range(1001)))
    assert reported("--sensitive", "v", "--gamma", "2", "--stream")[0] == 0
    assert shown == [
        ("publishing",),
        (499, 4 * 499), (999, 4 * 999), (1001, 4 * 1001),
        (1001 + 499, 4 * 1001), (1001 + 999, 4 * 1001), (2 * 1001, 4 * 1001),
        (2 * 2002 + 1001, 4 * 2002), (2 * 2002 + 2001, 4 * 2002),
        (3 * 1001 + 1000, 4 * 1001),
    ]  # fmt: skip


def test_sensitive_columns_that_determine_each_other_are_found(reported: Run) -> None:
    """As in memory: a warning with T_P of both, a refusal with --strict, and nothing with --keep."""
    lines = Path("t.csv").read_text().splitlines()
    copied = [f"{line},{'copy' if number == 0 else line.split(',')[2]}" for number, line in enumerate(lines)]
    Path("t.csv").write_text("\n".join(copied) + "\n")
    both = ("--sensitive", "v", "--sensitive", "copy", "--gamma", "3", "--force", "--explain")
    _, stored, noted = reported(*both, "--missing", "none", *KEPT)
    code, found, said = reported(*both, "--stream")
    assert code == 0
    for begun in ("note: 'v' discloses 'copy'", "note: 'copy' discloses 'v'"):
        streamed, whole = (
            [line.partition(": publish one")[0] for line in lines if line.startswith(begun)]
            for lines in (said, noted)
        )
        assert streamed == whole
    assert "--drop" not in " ".join(said)
    together = [line for line in found if line.startswith("together ")]
    assert together == [line for line in stored if line.startswith("together ")] != []
    Path("o.csv").unlink()
    code, _, [refusal] = reported(*both, "--stream", "--strict", *KEPT)
    assert code == 2
    assert "--strict: 'copy' discloses 'v'" in refusal
    code, _, [refusal] = reported(*both, "--stream", "--strict")
    assert "'id' is unique" in refusal
    assert not Path("o.csv").exists()
