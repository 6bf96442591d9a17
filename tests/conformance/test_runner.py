"""The runner, tested against programs that misbehave in every way that it handles."""

from __future__ import annotations

import fcntl
import os
import re
import sys
import time
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from splu_ref.channels.parameters import InputError, Json
from splu_ref.conformance import (
    Conformance,
    VectorFile,
    Verdict,
    check_ids,
    conform,
    read_expected_failures,
    read_required,
    vector_files,
)
from splu_ref.conformance.description import read_description
from splu_ref.conformance.program import LONGEST_LINE, Limits, MisbehaviorError, Program
from splu_ref.conformance.session import MOST_STARTS
from splu_ref.conformance.statistics import check_releases

PATH = "subset/population-5.json"
FILES = [file for file in vector_files() if file.path == PATH]
SIZE = len(FILES[0].vectors)

HONEST = """
import json, sys
def pick(request):
    free, taken, tape = list(range(request["population"])), [], bytes.fromhex(request["tape"])
    if request["count"] < 0 or request["count"] > len(free):
        return {"error": {"kind": "parameter"}}
    used = 0
    for _ in range(request["count"]):
        bits = (len(free) - 1).bit_length()
        while True:
            if not bits:
                drawn = 0
                break
            if used == len(tape):
                return {"error": {"kind": "tape_exhausted"}}
            drawn, used = tape[used] & ((1 << bits) - 1), used + 1
            if drawn < len(free):
                break
        taken.append(free.pop(drawn))
    return {"result": sorted(taken), "consumed": used}
def answer(request):
    if request["op"] == "describe":
        return {"ops": ["subset"], "name": "pick", "version": "0"}
    return pick(request)
def say(value):
    sys.stdout.write(json.dumps(value) + "\\n")
    sys.stdout.flush()
"""
LOOP = """
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    say(answer(request))
"""


def program(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", HONEST + code]


def run(code: str, *, timeout: float = 5.0, files: list[VectorFile] = FILES, **limits: int) -> Conformance:
    return conform(program(code), files, limits=Limits(timeout, **limits))


def reasons(outcome: Conformance) -> str:
    return " ".join(failure.reason for failure in outcome.failures())


def test_an_honest_program_conforms() -> None:
    outcome = run(LOOP)
    assert outcome.holds, reasons(outcome)
    assert outcome.by_operation()["subset"]["passed"] == SIZE
    assert outcome.count(Verdict.PASSED) == SIZE + 2  # describe and end
    assert outcome.name == "pick"


def answers_third(statement: str) -> str:
    """Return a loop that does something else instead of answering the third line."""
    return f"""
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if number == 2:
        {statement}
        continue
    say(answer(request))
"""


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("sys.exit(3)", "ended with exit code 3"),
        ("import os; os.abort()", "ended by signal 6"),
        ("raise SystemError('the roof fell in')", "the roof fell in"),
        ("print('hello', flush=True)", "not JSON"),
        ("print('[1]', flush=True)", "not an object"),
        ("print('{\"result\": NaN}', flush=True)", "not JSON"),
        ("print('', flush=True)", "not JSON"),
        (
            "print('{' + ' ' * 50 + '\"a\": [1, 2} ' + ' ' * 50, flush=True)",
            'not JSON from character 62 of 113 on, in "a": [1, 2}',
        ),
        ("print('[' * 100000, flush=True)", "not JSON"),
        ("print('7' * 5000, flush=True)", "not JSON"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "not UTF-8"),
        ("say({'result': [0], 'consumed': 1, 'id': 'another'})", "answered the request"),
        ("import os, time; os.close(1); time.sleep(60)", "closed its output"),
        ("sys.stdout.write('{\"result\"'); sys.stdout.flush(); sys.exit(0)", "ended with exit code 0"),
    ],
)
def test_one_misbehavior_costs_one_vector(statement: str, reason: str) -> None:
    outcome = run(answers_third(statement))
    assert reason in reasons(outcome)
    # After a new start the third line is another vector, so every start costs one.
    assert 1 <= outcome.count(Verdict.FAILED) <= MOST_STARTS + 1
    assert outcome.by_operation()["subset"]["passed"] >= SIZE // 3


def test_silence_costs_the_time_limit_and_no_more() -> None:
    begun = time.monotonic()
    outcome = run(answers_third("import time; time.sleep(600)"), timeout=1)
    assert "no answer within 1 second" in reasons(outcome)
    assert time.monotonic() - begun < 300


def test_two_answers_are_one_too_many() -> None:
    outcome = run(answers_third("say(answer(request)); say(answer(request))"))
    assert "an unexpected line" in reasons(outcome)


@pytest.mark.parametrize("end", ["''", "'\\\\n'"])
def test_floods_of_output_end(end: str) -> None:
    begun = time.monotonic()
    code = f"""
say(answer({{"op": "describe"}}))
sys.stdin.readline()
while True:
    sys.stdout.write("x" * 65536 + {end})
"""
    outcome = run(code)
    assert not outcome.holds
    assert outcome.by_operation()["subset"]["passed"] == 0
    assert f"longer than {LONGEST_LINE}" in reasons(outcome) or "an unexpected line" in reasons(outcome)
    assert time.monotonic() - begun < 20


def test_floods_of_errors_are_read_and_forgotten() -> None:
    flooding = LOOP.replace("say(answer", "sys.stderr.write('y' * 1_000_000); say(answer")
    outcome = run(flooding)
    assert outcome.holds, reasons(outcome)


def test_long_requests_and_answers_do_not_block_each_other() -> None:
    code = """
sys.stderr.write("z" * 300_000)
while line := sys.stdin.buffer.readline():
    sys.stdout.write("[" + "1," * 400_000 + "1]\\n")
    sys.stdout.flush()
"""
    with Program(program(code), Limits()) as started:
        for _ in range(2):
            assert len(started.ask(b"x" * 3_000_000)) == 800_003
        started.finish()


def test_an_answer_to_half_a_request_is_none() -> None:
    code = "sys.stdin.buffer.raw.read(10); print('{}', flush=True); import time; time.sleep(60)"
    with Program(program(code), Limits()) as started, pytest.raises(MisbehaviorError, match="whole request"):
        started.ask(b"x" * 10_000_000)


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ("import time; time.sleep(600)", "did not end when its input had ended"),
        ("sys.exit(4)", "exit code 4 after the end"),
        ("say({'bye': 1})", "an unexpected line"),
        ("import os, time; os.close(1); time.sleep(600)", "closed its output and did not end"),
    ],
)
def test_the_end_is_checked(ending: str, reason: str) -> None:
    outcome = run(LOOP + ending, timeout=2)
    assert [failure.id for failure in outcome.failures()] == ["protocol/end"]
    assert reason in reasons(outcome)


def test_children_are_stopped(tmp_path: Path) -> None:
    """A lock is free when the last process that has it is gone, however slow the machine is."""
    lock_file = tmp_path / "lock"
    code = f"""
import fcntl, subprocess
lock = open({str(lock_file)!r}, "a")
fcntl.flock(lock, fcntl.LOCK_EX)
sleep = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
subprocess.Popen(sleep, stdout=sys.stderr, pass_fds=[lock.fileno()])
"""
    run(code + answers_third("import time; time.sleep(600)"), timeout=3)
    until = time.monotonic() + 60
    with lock_file.open() as lock:
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            assert time.monotonic() < until, "a child still runs"
            time.sleep(0.05)


def test_a_hopeless_program_is_given_up(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    code = f"open({str(starts)!r}, 'a').write('x')\n"
    code += "sys.stdin.readline(); say(answer({'op': 'describe'})); sys.stdin.readline(); sys.exit(1)"
    outcome = run(code)
    # The first start answers describe; every further one answers its first line with the description.
    assert len(starts.read_text()) <= MOST_STARTS
    assert outcome.by_operation()["subset"]["passed"] == 0
    assert "protocol/end" in [failure.id for failure in outcome.failures()] or not outcome.holds


def test_a_program_that_always_stops_is_given_up(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    code = f"open({str(starts)!r}, 'a').write('x')\n" + LOOP.replace(
        "    say(answer(request))", "    say(answer(request)) if request['op'] == 'describe' else sys.exit(1)"
    )
    outcome = run(code)
    assert len(starts.read_text()) == MOST_STARTS
    assert f"not run: the program misbehaved {MOST_STARTS} times" in reasons(outcome)
    assert outcome.count(Verdict.FAILED) == SIZE + 2  # every vector, the operation, the end


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        ("{'ops': 'subset', 'name': 'a', 'version': 'b'}", "describe must be answered"),
        ("{'ops': ['subset'], 'version': 'b'}", '"name": text, "version": text'),
        ("{'ops': ['subset'], 'name': 'a', 'version': 'b', 'features': 3}", "features"),
        ("{'error': {'kind': 'unsupported'}}", "describe must be answered"),
        ("None", "not an object"),
    ],
)
def test_without_a_description_nothing_is_run(description: str, reason: str) -> None:
    outcome = run(f"sys.stdin.readline(); say({description})")
    assert [result.id for result in outcome.results] == ["protocol/describe"]
    assert not outcome.holds
    assert reason in reasons(outcome)


def test_a_program_that_cannot_be_started_is_an_input_error(tmp_path: Path) -> None:
    for command in ([str(tmp_path / "missing")], [str(tmp_path)]):
        with pytest.raises(InputError, match="cannot be started"):
            conform(command, FILES)


def test_an_operation_of_which_nothing_passes_is_a_failure() -> None:
    said = {"ops": ["below"], "name": "", "version": ""}
    outcome = run(f"answer = lambda request: {said}\n" + LOOP)
    assert outcome.by_operation()["subset"]["unsupported"] == SIZE
    assert outcome.verdict == "inconclusive"
    assert not outcome.holds
    outcome = run(
        LOOP.replace(
            "say(answer(request))",
            "say(answer(request) if not number else {'error': {'kind': 'unsupported'}})",
        )
    )
    assert "subset/any" in [failure.id for failure in outcome.failures()]


def test_features_that_are_not_promised_are_skipped() -> None:
    files = [file for file in vector_files() if file.name in ("anatomy-2", "anatomy-2-retention-1_10")]
    assert {file.requires for file in files} == {("anatomy",), ("anatomy", "retention")}
    said = {"ops": ["plan", "publish"], "name": "", "version": "", "features": ["anatomy"]}
    code = f"answer = lambda request: {said}\n"
    outcome = run(code + LOOP, files=files)
    skipped = {result.id.split("/")[1] for result in outcome.results if result.verdict is Verdict.UNSUPPORTED}
    assert "anatomy-2-retention-1_10" in skipped
    assert "anatomy-2" not in skipped


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("value['consumed'] += 1", "'consumed' is"),
        ("value['result'] = [float(x) for x in value['result']]", "'result' is"),
        ("value['result'] = tuple(map(str, value['result']))", "'result' is"),
        ("value['consumed'] = bool(value['consumed'])", "'consumed' is"),
        ("del value['consumed']", "no 'consumed'"),
    ],
)
def test_values_and_types_are_compared(wrong: str, reason: str) -> None:
    code = f"""
for number, line in enumerate(sys.stdin):
    value = answer(json.loads(line))
    if 'result' in value:
        {wrong}
    say(value)
"""
    outcome = run(code)
    assert reason in reasons(outcome)
    assert outcome.by_operation()["subset"]["failed"] >= 5


def test_unknown_words_are_reported_with_the_closest_known_one() -> None:
    said = {"ops": ["Subset", "qqq"], "features": ["retenton"], "name": "a", "version": "b"}
    unknown = read_description(said).unknown(["subset", "plan"], ["retention", "mle"])
    assert [(word.kind, word.name, word.nearest) for word in unknown] == [
        ("operation", "Subset", "subset"),
        ("operation", "qqq", ""),
        ("feature", "retenton", "retention"),
    ]
    assert [str(word) for word in unknown] == [
        "the specification has no operation 'Subset': did you mean subset?",
        "the specification has no operation 'qqq'",
        "the specification has no feature 'retenton': did you mean retention?",
    ]


def test_what_is_required_is_read_by_share() -> None:
    assert read_required(" plan, publish = 1/2,,subset=1 ") == {
        "plan": Fraction(1),
        "publish": Fraction(1, 2),
        "subset": Fraction(1),
    }
    assert read_required("") == {}
    for wrong, words in (
        ("plan,plan=1/2", "names 'plan' twice"),
        ("plan=0", "'plan=0': give a share above 0 and up to 1, as plan=1/2"),
        ("plan=1.01", "above 0 and up to 1"),
        ("plan=half", "the share of plan in --require is 'half'"),
    ):
        with pytest.raises(InputError, match=re.escape(words)):
            read_required(wrong)


def test_expected_failures(tmp_path: Path) -> None:
    never_rejects = LOOP.replace("say(answer(request))", "say(answer(request) if number != 3 else {})")
    outcome = run(never_rejects)
    (failure,) = outcome.failures()
    ids = {vector.id for file in FILES for vector in file.vectors} | set(check_ids())
    listed = tmp_path / "xfail"
    listed.write_text(f"# known\n\n{failure.id}  under repair\n")
    expected = read_expected_failures(listed, ids)
    assert expected == {failure.id: "under repair"}
    repaired = conform(program(never_rejects), FILES, expected_failures=expected)
    assert repaired.holds
    assert repaired.count(Verdict.XFAILED) == 1
    mended = conform(program(LOOP), FILES, expected_failures=expected)
    assert not mended.holds
    assert [(result.id, result.verdict) for result in mended.failures()] == [(failure.id, Verdict.XPASSED)]
    assert "remove it" in mended.failures()[0].reason
    assert mended.to_json()["failed"] == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("subset/population-5/none", "line 1: .* has no reason"),
        ("subset/population-5/none/3 slow", "line 1: .*: give subset/population-5/none$"),
        ("subset/population-5/nine/3 slow", "line 1: .*: correct or remove it$"),
        ("\nsubset/population-5/nobody why", "line 2: no vector"),
        ("a b\n" * 200_000, "longer than|no vector"),
        ("protocol/end x\nprotocol/end y", "twice"),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_wrong_list_of_expected_failures_is_refused(text: str | bytes, reason: str, tmp_path: Path) -> None:
    listed = tmp_path / "xfail"
    listed.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=reason):
        read_expected_failures(listed, {"protocol/end", "subset/population-5/none"})


def test_a_list_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_expected_failures(tmp_path / "none", [])


def test_smoke_asks_less() -> None:
    outcome = conform(program(LOOP), FILES, smoke=True)
    assert outcome.holds
    assert 3 <= outcome.by_operation()["subset"]["passed"] < SIZE


def test_junit_lists_every_result() -> None:
    outcome = run(answers_third("say({'\\x00': 0})"))
    document = ElementTree.fromstring(outcome.to_junit())
    assert len(document.findall(".//testcase")) == len(outcome.results)
    assert len(document.findall(".//failure")) == len(outcome.failures()) >= 1
    assert int(document.attrib["failures"]) == len(outcome.failures())


def test_other_specifications_are_refused() -> None:
    old = replace(FILES[0], specification="0", vectors=())
    with pytest.raises(InputError, match="belongs to specification 0"):
        conform(program(LOOP), [old])


def test_a_checkpoint_says_where_answers_begin_to_differ() -> None:
    files = [
        file for file in vector_files() if file.name == "accumulated-cyclic-4" and file.operation == "plan"
    ]
    code = """
def answer(request):
    if request["op"] == "describe":
        return {"ops": ["plan"], "name": "", "version": ""}
    histogram, gamma = request["histogram"], request["gamma"]
    records = [v for v, n in enumerate(histogram) for _ in range(n)]
    size = len(records) // gamma
    return {"groups": [records[first::size] for first in range(size)]}
"""
    assert conform(program(code + LOOP), files).holds
    wrong = LOOP.replace("say(answer(request))", "say(answer(request) if number != 20 else {'groups': []})")
    assert "plan/accumulated-cyclic-4/all/20: 'groups' is a list of 0" in reasons(
        conform(program(code + wrong), files)
    )
    dies = LOOP.replace("say(", "request['id'].endswith('all/60') and sys.exit(1)\n    say(")
    assert reasons(conform(program(code + dies), files)).startswith(
        "plan/accumulated-cyclic-4/all/60: it ended"
    )


def _refuses(identifier: str, **changes: Json) -> str:
    def ask(request: object) -> dict[str, Json]:
        return {"published": [[0, 1]] * 500, **changes}

    found = [result for result, _ in check_releases(ask, frozenset({"cyclic"}), smoke=True)]
    (result,) = [result for result in found if result.id == identifier]
    assert result.verdict is Verdict.FAILED
    return result.reason


def test_releases_that_are_none_are_refused() -> None:
    cyclic = "publish_random/cyclic/counts"
    assert "list of 8 integers" in _refuses(cyclic)
    assert "list of 500 releases" in _refuses(cyclic, published=[])
    assert "list of 500 releases" in _refuses(cyclic, published="many")
    assert "list of 8 integers" in _refuses(cyclic, published=[[0.5] * 8] * 500)
    assert "a code that the table lacks" in _refuses(cyclic, published=[[9] * 8] * 500)
    rows = {"published": [[0] * 8] * 500, "rows": [[0] * 8] * 500}
    assert "not records in some order" in _refuses(cyclic, **rows)
    assert "must be answered" in _refuses(cyclic, error={"kind": "parameter"})


def test_the_runner_leaves_no_open_files() -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0  # noqa: PTH208
    run(answers_third("sys.exit(3)"))
    after = len(os.listdir("/proc/self/fd")) if before else 0  # noqa: PTH208
    assert after <= before
