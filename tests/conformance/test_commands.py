"""The commands vectors and conform."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from splu_ref.cli import main
from splu_ref.conformance import answer, answer_line, file_bytes, vector_files, write_vectors
from splu_ref.conformance.comparison import error_kind

VECTORS = Path(__file__).parents[2] / "vectors"
REFERENCE = [sys.executable, "-m", "splu_ref.conformance"]
LIMITED = [
    sys.executable,
    "-S",
    "-c",
    """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "describe":
        answer = {"ops": ["estimate"], "features": ["mle"], "name": "limited", "version": "0"}
    elif request["published_count"] < 0:
        answer = {"error": {"kind": "parameter"}}
    else:
        answer = {"estimate": str(min(request["published_count"], request.get("bound", 10**9)))}
    print(json.dumps(answer), flush=True)
""",
]
"""A program with one operation, and without random releases."""


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A folder with a few vector files."""
    folder = tmp_path / "few"
    wanted = ("plan/anatomy-3.json", "plan/anatomy-invalid.json", "estimate/mle-3.json")
    write_vectors(folder, [file for file in vector_files() if file.path in wanted], force=False)
    return folder


def test_vectors_are_written_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "vectors"
    some = vector_files()[::30]  # that the reference answers all of them as committed is a test of its own
    monkeypatch.setattr("splu_ref.cli.vectors.vector_files", lambda: some)
    assert main(["vectors", str(folder), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["files"] == len(some) == len(list(folder.rglob("*.json"))) - 1
    assert written["valid"] + written["invalid"] == sum(written["by_operation"].values())
    assert main(["vectors", str(folder), "--check", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert (checked["passed"], checked["failed"]) == (len(some) + 1, 0)
    assert main(["vectors", str(folder)]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["vectors", str(folder), "--force"]) == 0
    (folder / "schema.json").write_text("{}")
    capsys.readouterr()
    assert main(["vectors", str(folder), "--check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["differences"] == ["schema.json differs"]
    assert main(["vectors", str(folder), "--check"]) == 1
    printed = capsys.readouterr().out
    assert printed.split()[:3] == ["compared", "1", "difference"]
    assert "schema.json differs" in printed
    assert "operations" not in printed
    extra = ("plan/vectors.json.orig", "plan/.hidden", "notes.txt", "plan/other.json", "link")
    for name in extra[:-1]:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("{}")
    (folder / "link").symlink_to(tmp_path)
    (folder / "README.md").write_text("What these files are.")
    assert main(["vectors", str(folder), "--check", "--json"]) == 1
    unexpected = [f"{name} is not one of the vectors" for name in extra]
    differences = json.loads(capsys.readouterr().out)["differences"]
    assert differences == sorted([*unexpected, "schema.json differs"])
    assert main(["vectors", str(folder / "schema.json")]) == 2


def test_the_vectors_are_copied_byte_for_byte(tmp_path: Path) -> None:
    assert main(["vectors", str(tmp_path / "copied")]) == 0
    assert file_bytes(tmp_path / "copied") == file_bytes(VECTORS)


def test_a_check_answers_the_vectors_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = next(file for file in vector_files() if file.path == "estimate/mle-3.json")
    wrong = replace(file.vectors[0], answer={"estimate": "7"})
    tampered = (replace(file, vectors=(wrong, *file.vectors[1:])),)
    write_vectors(tmp_path, tampered, force=False)
    monkeypatch.setattr("splu_ref.cli.vectors.vector_files", lambda: tampered)
    assert main(["vectors", str(tmp_path), "--check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["differences"] == ["estimate/mle-3.json differs"]


@pytest.mark.slow
def test_the_reference_conforms(few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "junit.xml"
    command = [
        "conform",
        "--smoke",
        "--explain",
        "--vectors",
        str(few),
        "--junit",
        str(report),
        "--",
        *REFERENCE,
    ]
    assert main(command) == 0
    printed = capsys.readouterr().out
    for word in ("splu-ref", "plan", "estimate", "publish_random", "conforms", "log10 e"):
        assert word in printed
    assert not ElementTree.parse(report).findall(".//failure")
    assert main(command) == 2  # the report exists
    assert "--force" in capsys.readouterr().err


def test_the_outcome_as_json(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--vectors", str(few), "--json", "--", *LIMITED]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["holds"] is True
    assert outcome["program"] == {"name": "limited", "version": "0"}
    assert (outcome["failed"], outcome["expected_failures"], outcome["failures"]) == (0, 0, [])
    assert outcome["by_operation"]["plan"]["unsupported"] > 0
    assert outcome["by_operation"]["plan"]["skipped"] == 0
    assert outcome["by_operation"]["estimate"]["passed"] > 0
    counted = [sum(row[key] for row in outcome["by_operation"].values()) for key in ("passed", "unsupported")]
    assert counted == [outcome["passed"], outcome["unsupported"]]


def test_failures_are_printed(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = {"ops": ["plan"], "name": "\x1b[2J[red]", "version": ""}
    code = f"import json, sys\nfor line in sys.stdin: print(json.dumps({said}), flush=True)"
    command = ["conform", "--explain", "--vectors", str(few), "--", sys.executable, "-S", "-c", code]
    assert main(command) == 1
    printed = capsys.readouterr().out
    assert "does not conform" in printed
    assert "more: --json lists them all" in printed
    assert "[red]" in printed
    assert "\x1b" not in printed


def test_expected_failures_of_a_run(few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "xfail"
    listed.write_text("estimate/mle-3/above-the-bound it is right\n")
    command = ["conform", "--smoke", "--vectors", str(few), "--xfail", str(listed), "--", *LIMITED]
    assert main(command) == 0  # not among the vectors that a smoke run keeps
    listed.write_text("estimate/mle-3/count-0 it is right\n")
    assert main(command) == 1
    assert "remove it from the list" in " ".join(capsys.readouterr().out.split())
    listed.write_text("estimate/mle-3/misspelled x\n")
    assert main(command) == 2


def test_the_limits_reach_the_program(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    burner = [sys.executable, "-S", "-c", "while True: pass"]
    command = ["conform", "--vectors", str(few), "--timeout", "60", "--json"]
    # On a busy machine the time may be over before the first request.
    limits = (("--cpu", "1", "more than 1 seconds"), ("--time", "0.5", r"within 0\.|more than 0\.5 seconds"))
    for option, value, words in limits:
        assert main([*command, option, value, "--", *burner]) == 1
        assert re.search(words, json.loads(capsys.readouterr().out)["failures"][0]["reason"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--timeout", "0", "--", "true"], "--timeout"),
        (["--timeout", "nan", "--", "true"], "--timeout"),
        (["--time", "0", "--", "true"], "--time"),
        (["--cpu", "0", "--", "true"], "--cpu"),
        (["--memory", "-1", "--", "true"], "--memory"),
        (["--memory", "1.5", "--", "true"], "--memory"),
        (["--", "./no-such-program"], "cannot be started"),
        ([], "Missing argument"),
        (["--vectors", "nowhere", "--", "true"], "not a folder"),
        (["--xfail", "nowhere", "--", "true"], "cannot be read"),
        (["--only", "x", "--xfail", "nowhere", "--", "true"], "leave out --xfail, --smoke and --require"),
        (["--only", "x", "--smoke", "--", "true"], "leave out --xfail, --smoke and --require"),
        (["--only", "x", "--require", "plan", "--", "true"], "leave out --xfail, --smoke and --require"),
        (["--only", "x", "--html", "x.html", "--", "true"], "leave out --html and --beside"),
        (["--only", "x", "--beside", "true", "--", "true"], "leave out --html and --beside"),
        (["--timeout", "3600.5", "--", "true"], "--timeout is 3600.5: give a number above 0 and up to 3600"),
        (["--time", "604801", "--", "true"], "above 0 and up to 604800"),
        (["--cpu", "604801", "--", "true"], "--cpu is 604801: give a number above 0 and up to 604800"),
        (["--memory", "16777217", "--", "true"], "above 0 and up to 16777216"),
        (["--beside", "'", "--", "true"], "is no command line:"),
        (["--beside", " ", "--", "true"], "is no command line:"),
    ],
)
def test_unusable_options(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", *arguments]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1


def test_the_largest_limits_and_a_request_alone(
    few: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    most = ["--timeout", "3600", "--time", "604800", "--cpu", "604800", "--memory", "16777216"]
    only = ["--only", "estimate/mle-3/count-0"]
    assert main(["conform", "--vectors", str(few), *most, *only, "--", *LIMITED]) == 0
    printed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    labeled = dict(line.split(": ", 1) for line in printed if ": " in line)
    assert "id estimate/mle-3/count-0" in printed
    assert json.loads(labeled["request"])["published_count"] == 0
    assert json.loads(labeled["expected"]) == {"estimate": "0"}
    assert json.loads(labeled["given"]) == {"estimate": "0"}
    monkeypatch.setattr("splu_ref.conformance.judging._LONGEST_SHOWN", 5)
    assert main(["conform", "--vectors", str(few), *only, "--", *LIMITED]) == 0
    [given] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("given")]
    assert re.fullmatch(r'given: \{"est\.\.\. \(cut: 5 of \d+ bytes\)', given)


def test_the_worst_program_decides(few: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "matrix.html"
    silent = shlex.join([sys.executable, "-S", "-c", "import sys; sys.stdin.read()"])
    command = ["conform", "--vectors", str(few), "--html", str(page), "--beside", silent]
    assert main([*command, "--json", "--", *LIMITED]) == 1
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["holds"] is True
    assert [each["holds"] for each in outcome["beside"]] == [False]
    assert "limited" in page.read_text("utf-8")
    assert main([*command, "--", *LIMITED]) == 2  # the page exists
    assert "--force" in capsys.readouterr().err
    assert main([*command, "--force", "--", *LIMITED]) == 1


def test_the_reference_is_a_program() -> None:
    requests = [{"op": "describe", "id": "a"}, {"op": "subset", "population": 3, "count": 1, "tape": "02"}]
    lines = b"".join(json.dumps(request).encode() + b"\n" for request in requests) + b"\xff\n"
    done = subprocess.run(REFERENCE, input=lines, capture_output=True, check=True)
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert first["id"] == "a"
    assert second == {"result": [2], "consumed": 1}
    assert third["error"]["kind"] == "malformed"


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ({"op": "plan", "histogram": [10**12] * 3, "gamma": 3, "method": "cyclic"}, "parameter"),
        ({"op": "below", "bound": 1, "size": 10**15, "tape": ""}, "parameter"),
        ({"op": "below", "bound": 2, "size": 10**6, "tape": ""}, "tape_exhausted"),
        ({"op": "permutation", "size": 10**12, "tape": ""}, "parameter"),
        (
            {"op": "publish_random", "sensitive": [0, 1], "gamma": 2, "method": "cyclic", "times": 10**9},
            "parameter",
        ),
        (
            {"op": "publish", "sensitive": [0, 10**15], "gamma": 2, "method": "cyclic", "tape": ""},
            "parameter",
        ),
        ({"op": "publish", "sensitive": [0, 2**70], "gamma": 2, "method": "cyclic", "tape": ""}, "parameter"),
        ({"op": "privacy_minimum", "gamma": 10**30, "epsilon": "1/3", "alpha": 10**30}, "parameter"),
        ({"op": "error_probability", "gamma": 3, "epsilon": "1" * 500, "frequency": 1}, "parameter"),
        ({"op": "keyed", "key": "00" * 32, "column": "\ud800", "identities": [], "codes": []}, "parameter"),
        ({"op": "subset", "population": "9" * 500, "count": 1, "tape": ""}, "parameter"),
    ],
)
def test_absurd_requests_are_refused_at_once(request_: dict[str, object], kind: str) -> None:
    given = answer(request_)
    assert error_kind(given) == kind, given


def test_any_line_is_answered_with_a_line() -> None:
    for line in (
        b"",
        b"\x00",
        b"[" * 100_000,
        b'{"op": "below", "id": [1]}',
        b'{"op": 1e999}',
        b"1" * 10_000,
    ):
        assert answer_line(line).count(b"\n") == 1
