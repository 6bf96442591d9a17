"""Programs that answer little or nothing, or claim more than they answer: the verdict of a run."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_ref.channels.parameters import InputError, ParameterError
from splu_ref.cli.app import run as main
from splu_ref.cli.conform import show_outcome
from splu_ref.conformance import (
    Conformance,
    Kind,
    Limits,
    Result,
    VectorFile,
    Verdict,
    conform,
    read_required,
    total_share,
    vector_files,
    write_vectors,
)
from splu_ref.conformance.description import FEATURES
from splu_ref.conformance.library import OPERATIONS
from splu_ref.output import at_most_lines, visible
from splu_ref.report.conformance_page import conformance_html

SUBSET = "subset/population-5.json"
REFUSING = """
import json, sys
OPS, FEATURES = json.loads(sys.argv[1])
def refuse(constant):
    raise ValueError(constant)
def finite(digits):
    value = float(digits)
    return value if value - value == 0 else refuse(digits)
for line in sys.stdin.buffer:
    try:
        request = json.loads(line.decode(), parse_constant=refuse, parse_float=finite, parse_int=finite)
        operation = request["op"] if isinstance(request, dict) else None
    except (ValueError, KeyError, RecursionError):
        operation = None
    if operation == "describe" and not set(request) - {"op", "id"}:
        answer = {"ops": OPS, "name": "hollow", "version": "0", "features": FEATURES}
    elif isinstance(operation, str):
        known = operation in OPS and operation != "describe"
        answer = {"error": {"kind": "parameter" if known else "unsupported"}}
    else:
        answer = {"error": {"kind": "malformed"}}
    print(json.dumps(answer), flush=True)
"""
"""A program that refuses every request, with the correct kind where that needs no understanding."""
DYING = """
import json, sys
from splu_ref.spec.protocol import answer, read_line, written_answer  # the library takes a second to start
answer_line = lambda each: written_answer(request := read_line(each), answer(request))
for line in sys.stdin.buffer:
    if sys.argv[1] and json.dumps(sys.argv[1]).encode() in line:
        sys.exit(0)
    sys.stdout.buffer.write(answer_line(line))
    sys.stdout.flush()
if sys.argv[1] == "end":
    sys.exit(9)
"""


def only(*paths: str) -> list[VectorFile]:
    return [file for file in vector_files() if file.path in paths]


def refusing(operations: Sequence[str], features: Sequence[str] = FEATURES) -> list[str]:
    return [sys.executable, "-S", "-c", REFUSING, json.dumps([operations, features])]


def dying(identifier: str) -> list[str]:
    return [sys.executable, "-c", DYING, identifier]


def ids(outcome: Conformance) -> list[str]:
    return [failure.id for failure in outcome.failures()]


def test_a_program_that_supports_nothing_does_not_conform() -> None:
    outcome = conform(refusing([]), vector_files())
    assert ids(outcome) == []
    assert outcome.verdict == "inconclusive"
    assert outcome.conforming() == []
    assert outcome.statement.startswith(
        f"inconclusive: no operation was tested; {len(OPERATIONS)} not offered: "
    )
    assert outcome.count(Verdict.PASSED) == outcome.by_operation()["protocol"]["passed"]
    assert outcome.count(Verdict.UNSUPPORTED) > 1_000
    assert outcome.count(Verdict.SKIPPED) == 0


def test_misspelt_operations_are_reported_and_not_tested(capsys: pytest.CaptureFixture[str]) -> None:
    command = refusing(["Subset", "privacy-minimum", "qqq", "describe"], ["retenton", "mle"])
    outcome = conform(command, only(SUBSET), at_random=False)
    assert outcome.verdict == "inconclusive"
    assert [(word.kind, word.name, word.nearest) for word in outcome.unknown] == [
        ("operation", "Subset", "subset"),
        ("operation", "privacy-minimum", "privacy_minimum"),
        ("operation", "qqq", ""),
        ("feature", "retenton", "retention"),
    ]
    assert main(["conform", "--smoke", "--json", "--", *command]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["unknown"][0] == {"kind": "operation", "name": "Subset", "nearest": "subset"}
    assert (document["verdict"], document["holds"], document["conforming"]) == ("inconclusive", False, [])
    assert len(document["not_offered"]) == len(OPERATIONS)
    assert main(["conform", "--smoke", "--", *command]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "no operation 'Subset': did you mean subset?" in printed
    assert "conforms" not in printed


def test_a_flood_of_operations_is_reported_in_part() -> None:
    outcome = conform(refusing([f"x{number}" for number in range(5_000)]), only(SUBSET), at_random=False)
    assert len(outcome.unknown) == 100


@pytest.mark.parametrize("features", [[], FEATURES], ids=["no-features", "all-features"])
def test_refusing_everything_does_not_conform(features: Sequence[str]) -> None:
    outcome = conform(refusing(list(OPERATIONS), features), vector_files(), smoke=True)
    table = outcome.by_operation()
    assert table["plan"]["passed"] > 0  # it refuses what must be refused
    assert outcome.conforming() == []
    assert {f"{operation}/any" for operation in OPERATIONS} <= set(ids(outcome))


def test_refusals_alone_are_inconclusive() -> None:
    files = only("plan/anatomy-invalid.json")
    outcome = conform(dying(""), files, at_random=False)
    assert outcome.by_operation()["plan"]["passed"] == len(files[0].vectors)
    assert outcome.verdict == "inconclusive"
    assert "1 offered and not tested: plan" in outcome.statement


def test_a_program_that_answers_nothing() -> None:
    silent = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    outcome = conform(silent, vector_files(), limits=Limits(0.3))
    assert (outcome.verdict, ids(outcome)) == ("does not conform", ["protocol/describe"])


def test_a_program_that_dies_at_the_last_request() -> None:
    files = only(SUBSET)
    last = files[0].vectors[-1].id
    outcome = conform(dying(last), files, at_random=False)
    assert ids(outcome) == [last]
    # The program was restarted to check its end.
    assert outcome.results[-1] == Result("protocol/end", "protocol", Verdict.PASSED)
    assert ids(conform(dying("end"), files, at_random=False)) == ["protocol/end"]


def test_the_end_of_a_program_that_died_at_the_last_request_is_checked() -> None:
    files = only(SUBSET)
    last = files[0].vectors[-1].id
    outcome = conform([*dying(last)[:2], DYING.replace('"end"', f'"{last}"'), last], files, at_random=False)
    assert ids(outcome) == [last, "protocol/end"]


def test_the_statement_names_the_tested_operations() -> None:
    files = only(SUBSET, "plan/anatomy-3.json", "below/bound-5.json")
    limited = DYING.replace("    sys.stdout.buffer.write(answer_line(line))", (
        "    said = json.loads(answer_line(line))\n"
        "    said |= {'ops': ['subset', 'plan'], 'features': []} if 'ops' in said else {}\n"
        "    print(json.dumps(said))"
    ))  # fmt: skip
    outcome = conform([sys.executable, "-c", limited, ""], files)
    # An operation offered without a feature that all its valid vectors need is not tested.
    assert ids(outcome) == ["plan/any"]
    outcome = conform([sys.executable, "-c", limited.replace("'plan'", "'describe'"), ""], files)
    assert outcome.statement == "conforms in 1 of 4 operations; 3 not offered: below, plan, publish_random"
    assert outcome.to_json()["conforming"] == ["subset"]


def test_expected_failures_alone_are_inconclusive() -> None:
    files = only(SUBSET)
    reasons = {vector.id: "not yet" for vector in files[0].vectors if vector.valid}
    outcome = conform(refusing(["subset"]), files, at_random=False, expected_failures=reasons)
    wrong = [vector.id for vector in files[0].vectors if not vector.valid]
    reasons |= {name: "not yet" for name in wrong if name in ids(outcome)}
    outcome = conform(refusing(["subset"]), files, at_random=False, expected_failures=reasons)
    assert (outcome.verdict, ids(outcome)) == ("inconclusive", [])


def test_required_operations_must_pass(capsys: pytest.CaptureFixture[str]) -> None:
    files = only(SUBSET, "plan/anatomy-3.json", "plan/anatomy-invalid.json")
    assert conform(
        dying(""), files, require={"subset": Fraction(1), "plan": Fraction(1)}, at_random=False
    ).holds
    outcome = conform(refusing([]), files, require={"plan": Fraction(1, 100)}, at_random=False)
    assert ids(outcome) == ["plan/required"]
    outcome = conform(
        dying(""), only("plan/anatomy-invalid.json"), require={"plan": Fraction(1, 100)}, at_random=False
    )
    assert ids(outcome) == ["plan/required"]
    with pytest.raises(InputError, match="did you mean plan"):
        conform(dying(""), files, require={"plam": Fraction(1)})
    with pytest.raises(InputError, match="no vector tests"):
        conform(dying(""), only(SUBSET), require={"plan": Fraction(1, 100)})
    command = ["conform", "--smoke", "--json", "--require", "below, plan", "--", *refusing([])]
    assert main(command) == 1
    failures = json.loads(capsys.readouterr().out)["failures"]
    assert [failure["id"] for failure in failures] == ["below/required", "plan/required"]


IN_PART = DYING.replace("    sys.stdout.buffer.write(answer_line(line))", (
    "    said = json.loads(answer_line(line))\n"
    "    said |= {'ops': ['plan'], 'features': ['anatomy']} if 'ops' in said else {}\n"
    "    print(json.dumps(said))"
))  # fmt: skip
"""A program that has one of three methods, and calls the others unsupported."""


def test_a_part_of_an_operation_is_not_the_operation(capsys: pytest.CaptureFixture[str]) -> None:
    files = [file for file in vector_files() if file.operation == "plan"]
    command = [sys.executable, "-c", IN_PART, ""]
    outcome = conform(command, files, at_random=False)
    assert (outcome.verdict, outcome.holds) == ("conforms in part", True)
    assert (outcome.conforming(), outcome.in_part()) == ([], ["plan"])
    pairs = [(file, vector) for file in files for vector in file.vectors]
    answers = sum(vector.valid and vector.generator is None for _, vector in pairs)
    passed = sum(
        "anatomy" in file.requires and vector.valid and not vector.generator for file, vector in pairs
    )
    assert outcome.coverage["plan"][Kind.ANSWER] == (passed, answers)
    assert 0 < passed < answers / 2
    assert (
        f"1 in part: plan ({outcome.by_operation()['plan']['passed']} of {len(pairs)}; the feature cyclic is "
        "not supported; the feature mixed is not supported)" in outcome.statement
    )
    document: Any = outcome.to_json()
    assert document["coverage"]["plan"]["answers"]["share"] == str(Fraction(passed, answers))
    least = min(share.part for share in outcome.coverage["plan"].values())
    text = ElementTree.fromstring(outcome.to_junit()).find(".//property[@name='answers']")
    assert text is not None
    assert text.attrib["value"] == f"{passed} of {answers} passed"
    for share, wanted in ((least, []), (least + Fraction(1, 1000), ["plan/required"])):
        assert ids(conform(command, files, at_random=False, require={"plan": share})) == wanted
    # Easy kinds do not compensate: the total share exceeds the share of the hardest kind.
    assert total_share(outcome.coverage["plan"]).part > least
    page = conformance_html([outcome]).decode()
    assert "✓ all" not in page
    assert "in part:" in page


def test_expected_failures_prevent_full_conformance() -> None:
    files = only(SUBSET)
    last = [vector.id for vector in files[0].vectors if vector.valid][-1]
    outcome = conform(dying(last), files, at_random=False, expected_failures={last: "not yet"})
    assert (outcome.conforming(), outcome.in_part()) == ([], ["subset"])
    assert "1 failure was expected" in outcome.statement


@pytest.mark.parametrize("text", ["plan=0", "plan=2", "plan=x", "plan=", "plan,plan=1/2"])
def test_shares_that_are_none(text: str) -> None:
    with pytest.raises(ParameterError, match="plan"):
        read_required(text)
    assert read_required("plan, publish = 0.5,") == {"plan": 1, "publish": Fraction(1, 2)}


def test_junit_distinguishes_unsupported_from_skipped_and_untested_from_success() -> None:
    hollow = conform(refusing([]), only(SUBSET))
    document = ElementTree.fromstring(hollow.to_junit())
    kinds = [case.attrib["type"] for case in document.findall(".//skipped")]
    assert kinds == ["unsupported"] * hollow.count(Verdict.UNSUPPORTED)
    (error,) = document.findall(".//error")
    assert error.attrib["message"] == hollow.statement
    assert document.attrib["errors"] == "1"
    whole = ElementTree.fromstring(conform(dying(""), only(SUBSET), at_random=False).to_junit())
    assert whole.findall(".//skipped") == []
    assert whole.attrib["errors"] == "0"


def test_the_features_are_those_that_the_vectors_need() -> None:
    assert {feature for file in vector_files() for feature in file.requires} == set(FEATURES)


def test_failures_are_reported_immediately(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported: list[Result] = []
    seen: list[int] = []
    files = only(SUBSET)
    outcome = conform(
        dying(files[0].vectors[2].id),
        files,
        at_random=False,
        on_result=reported.append,
        progress=lambda done, whole: seen.append(len(reported)),
    )
    assert reported == outcome.results
    assert seen == list(range(1, len(reported) + 1))
    write_vectors(tmp_path, only("error_probability/gamma-2.json"), force=False)
    command = refusing(["error_probability"])
    assert main(["conform", "--json", "--vectors", str(tmp_path), "--", *command]) == 1
    printed = capsys.readouterr()
    lines = [line for line in printed.err.splitlines() if not line.startswith("so far: ")]
    assert len(lines) == 21
    assert all(line.startswith("failed: ") for line in lines[:20])
    assert json.loads(printed.out)["failed"] > 20


def test_the_first_crash_is_shown_with_the_errors_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was not run comes after it, is counted apart, and no id is broken over two lines."""
    monkeypatch.setenv("COLUMNS", "80")
    code = """
import json, sys
for line in sys.stdin:
    if json.loads(line)["op"] != "describe":
        print("first words", file=sys.stderr)
        raise KeyError("histogramm")
    print(json.dumps({"ops": ["plan"], "name": "crashes", "version": "1"}), flush=True)
"""
    assert main(["conform", "--", sys.executable, "-c", code]) == 1
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0].startswith("does not conform: 11 failures in 12 tests, ")
    assert " not run: the program misbehaved 10 times; " in lines[0]
    first = next(f"{file.vectors[0].id}/1" for file in vector_files() if file.operation == "plan")
    assert lines[1].startswith(f"{first}: ")
    assert "ended with exit code 1" in lines[1]
    assert [line for line in lines if line.startswith("  its errors: ")] == lines[2:6]
    assert (lines[2], lines[5]) == ("  its errors: first words", "  its errors: KeyError: 'histogramm'")
    assert lines[6] == "  rule: splu_ref/spec/plans.py"
    alone = ["conform", "--only", first, "--", sys.executable, "-c", code]
    assert lines[7] == "  see it: " + visible(shlex.join(["splu-ref", *alone]))
    assert printed.err.startswith(f"so far: 2 tested, 1 failed, first found: {first}\n")
    assert sum(first in line for line in lines if line != lines[7]) == 1
    assert main(alone) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith(f"failed: {first}, tested alone")
    assert "splu_ref/spec/plans.py" in printed.out


def test_the_line_that_names_an_error_is_shown_although_stack_frames_follow(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frames = [f"    at throwError (file:///my.mjs:{n}:3)" for n in range(9)]
    stack = ["throw new Error('no')", "", "Error: no such plan", *frames, "", "Node.js v20.20.2"]
    results = [Result("plan/a/1", "plan", Verdict.FAILED, "it ended", Kind.ANSWER)]
    for errors, shown in (
        (stack, stack[2:7]),
        (["warming up", *stack[:3]], ["warming up", *stack[:3]]),
        (["1", "2", "3", "4", "5", "stopped"], ["2", "3", "4", "5", "stopped"]),
    ):
        outcome = Conformance("some", "1", "2", results=results, errors="\n".join(errors))
        show_outcome(outcome, str)
        lines = capsys.readouterr().out.splitlines()
        said = [
            line.removeprefix("  its errors: ").rstrip() for line in lines if line.startswith("  its errors:")
        ]
        assert said == [line.rstrip() for line in shown]


def test_the_first_wrong_request_of_a_generated_run_is_tested_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong = DYING.replace("answer_line(line)", "answer_line(line).replace(b'[[', b'[[9, ')")
    file = only("plan/accumulated-cyclic-4.json")[0]
    command = [sys.executable, "-c", wrong, ""]
    outcome = conform(command, [file], at_random=False)
    show_outcome(outcome, lambda identifier: f"only {identifier}")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("plan/accumulated-cyclic-4/all/1: 'groups' is ")
    assert "  see it: only plan/accumulated-cyclic-4/all/1" in lines
    assert main(["conform", "--only", "plan/accumulated-cyclic-4/all/1", "--", *command]) == 1
    assert {"request:", "expected:", "given:"} <= {
        line.split()[0] for line in capsys.readouterr().out.splitlines()
    }


def test_a_run_that_passes_names_all_its_operations(capsys: pytest.CaptureFixture[str]) -> None:
    """The table is replaced by a line where it is too long, but for what did not pass."""
    names = [f"operation_{n}" for n in range(40)]
    results = [Result(f"{name}/a/1", name, Verdict.PASSED, kind=Kind.ANSWER) for name in names]
    outcome = Conformance("all", "1", "2", offered=frozenset(names), results=results)
    with at_most_lines(20, "add --explain"):
        show_outcome(outcome, str)
    said = capsys.readouterr().out
    assert f"all 1, specification 2; all passed: {', '.join(names)}\n" in said
    assert "add --explain" not in said
    outcome.results.append(Result("operation_7/a/2", "operation_7", Verdict.FAILED, "wrong", Kind.ANSWER))
    with at_most_lines(20, "add --explain"):
        show_outcome(outcome, str)
    said = capsys.readouterr().out
    assert ["operation_7", "1/2", "1"] in [line.split() for line in said.splitlines()]
    assert "operation_6, operation_8" in said
    show_outcome(outcome, str, explain=True)
    assert "all passed" not in capsys.readouterr().out


def test_the_shortest_failure_and_the_worst_operation_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    """The first screen has a failure that can be read, and the table with the failing operations on top."""
    results = [
        Result("good/a/1", "good", Verdict.PASSED, kind=Kind.ANSWER),
        Result("plan/accumulated/all", "plan", Verdict.FAILED, "wrong", Kind.GENERATED),
        Result("plan/a/1", "plan", Verdict.FAILED, "wrong", Kind.ANSWER, "", 900),
        Result("plan/b/1", "plan", Verdict.FAILED, "must be refused", Kind.REFUSAL, "", 9),
        *(Result(f"draw/b/{n}", "draw", Verdict.FAILED, "wrong", Kind.ANSWER, "", 100 - n) for n in range(9)),
    ]
    offered = frozenset(["good", "plan", "draw"])
    outcome = Conformance("some", "1", "2", offered=offered, results=results)
    show_outcome(outcome, lambda identifier: f"only {identifier}")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["draw/b/8: wrong", "  see it: only draw/b/8"]
    assert "and 7 more: --json lists them all" in lines
    rows = [line.split()[0] for line in lines if line.split()]
    assert [name for name in rows if name in offered] == ["draw", "plan", "good"]
    show_outcome(outcome, str, explain=True)
    shown = capsys.readouterr().out
    assert shown.index("plan/a/1") < shown.index("plan/accumulated/all") < shown.index("plan/b/1")
    assert "more: --json" not in shown
    file = only("error_probability/gamma-2.json")[0]
    failed = conform(refusing(["error_probability"]), [file], at_random=False).failures()
    assert all(failure.size is not None for failure in failed if failure.kind is Kind.ANSWER)


def test_a_long_answer_is_shown_whole(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = DYING.replace("answer_line(line)", "answer_line(line).replace(b'[[', b'[[9, ' + b' ' * 200_000)")
    identifier = "plan/accumulated-cyclic-4/all/19"
    assert main(["conform", "--only", identifier, "--", sys.executable, "-c", wrong, ""]) == 1
    given = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("given: "))
    assert json.loads(given.removeprefix("given: "))["groups"][0][0] == 9


def test_missing_features_of_an_operation_in_part_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    reason = "the feature retention is not supported"
    results = [
        Result("protocol/describe", "protocol", Verdict.PASSED),
        Result("publish/a/1", "publish", Verdict.PASSED, kind=Kind.ANSWER),
        *(Result(f"publish/b/{n}", "publish", Verdict.UNSUPPORTED, reason, Kind.ANSWER) for n in range(2)),
    ]
    outcome = Conformance("part", "1", "2", offered=frozenset(["publish"]), results=results)
    assert f"1 in part: publish (1 of 3; {reason})" in outcome.statement
    show_outcome(outcome, str)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["publish", "1/3"] in [row[:2] for row in rows]
    assert "protocol" not in {row[0] for row in rows if row}, "it has no shares"


@pytest.mark.parametrize(
    ("identifier", "page"),
    [
        ("plan/accumulated-cyclic-4/all/19", "splu_ref/spec/plans.py"),
        ("plan/accumulated-cyclic-4/all", "splu_ref/spec/plans.py"),
        ("subset/population-5/too-many", "splu_ref/spec/randomness.py"),
        ("protocol/lines/not-json", ""),
        ("publish_random/cyclic/counts", "docs/specification/conformance.md"),
        ("protocol/end", "docs/specification/conformance.md"),
    ],
)
def test_one_request_is_tested_alone(identifier: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not page:
        identifier = next(vector.id for vector in only("protocol/lines.json")[0].vectors)
        page = "splu_ref/spec/protocol.py"
    assert main(["conform", "--only", identifier, "--json", "--", *dying("")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "passed"
    assert (document["replay"]["id"], document["replay"]["page"]) == (identifier, page)
    assert "conforms" not in document["statement"]
    requested = {"protocol/describe", "protocol/end", identifier}
    assert document["passed"] == len(requested)


def test_a_replay_shows_the_request_and_both_answers(capsys: pytest.CaptureFixture[str]) -> None:
    identifier = "plan/accumulated-cyclic-4/all/19"
    wrong = DYING.replace("answer_line(line)", "answer_line(line).replace(b'[[', b'[[9, ')")
    command = ["conform", "--only", identifier, "--explain", "--", sys.executable, "-c", wrong, ""]
    assert main(command) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("failed: ")
    lines = dict(line.split(": ", 1) for line in printed.out.splitlines() if ": " in line)
    request = json.loads(lines["request"])
    assert (request["op"], request["id"]) == ("plan", identifier)
    expected, given = json.loads(lines["expected"]), json.loads(lines["given"])
    assert given["groups"] == [[9, *expected["groups"][0]], *expected["groups"][1:]]
    assert lines["failed"].startswith(identifier)
    assert main([*command[:3], "--json", *command[3:]]) == 1
    assert json.loads(capsys.readouterr().out)["replay"]["request"] == lines["request"]


def test_a_replay_of_an_operation_not_offered_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", "--only", "subset/population-5/too-many", "--", *refusing([])]) == 3
    printed = capsys.readouterr().out
    assert "not supported" in printed
    assert "given: " not in printed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--only", "subset/population-5/too-mny"], "did you mean subset/population-5/too-many?"),
        (["--only", "plan/accumulated-cyclic-4/all/61"], "all/1 to plan/accumulated-cyclic-4/all/60"),
        (["--only", "plan/accumulated-cyclic-4/all/01"], "is no id"),
        (["--only", "subset/any"], "no vector or check has the id"),
    ],
)
def test_ids_that_do_not_exist(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conform", *options, "--", "true"]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
