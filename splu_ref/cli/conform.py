"""``splu-ref conform``: test another implementation against the test vectors."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from splu_ref.channels import Json, ParameterError, shown
from splu_ref.cli.output import AsJson, Explain, Force, JsonFile, save_json, show
from splu_ref.cli.progress import counted
from splu_ref.conformance import (
    PROTOCOL,
    Conformance,
    Kind,
    Limits,
    Replay,
    Result,
    Verdict,
    check_ids,
    conform,
    error_line,
    read_expected_failures,
    read_required,
    read_vectors,
    total_share,
    vector_files,
)
from splu_ref.data import refuse_existing, write_in_folder
from splu_ref.output import draw, say, terminal, visible, whole_or
from splu_ref.report import conformance_html

EXAMPLE = "splu-ref conform -- python -m splu_ref.conformance"
_SHOWN = 20
_FEW = 5  # failures that are shown without --explain
_ERRORS = 5  # lines of the program's errors that are shown
_QUIET = 10.0  # seconds after which a run whose progress bar nobody sees says how far it is
_DEFAULTS = Limits()
_WEEK = 7 * 24 * 3600  # seconds
_MOST_MEMORY = 1 << 24  # MiB
_CODES = {"conforms": 0, "conforms in part": 0, "passed": 0, "inconclusive": 3}


def run(
    command: Annotated[list[str], typer.Argument(help="The program and its arguments, after --.")],
    xfail: Annotated[
        Path | None, typer.Option("--xfail", help="File of expected failures: an id and a reason per line.")
    ] = None,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="Test a few vectors of each file, and fewer random releases.")
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", help="Seconds that an answer may take.")
    ] = _DEFAULTS.answer,
    run_time: Annotated[
        float, typer.Option("--time", help="Seconds that the whole run may take.")
    ] = _DEFAULTS.run,
    cpu: Annotated[
        int,
        typer.Option("--cpu", help="Seconds of processor time for the program and its children."),
    ] = _DEFAULTS.processor,
    memory: Annotated[
        int,
        typer.Option("--memory", help="MiB of memory for the program and its children. Linux only."),
    ] = _DEFAULTS.memory,
    vectors: Annotated[
        Path | None, typer.Option("--vectors", help="Folder of vectors to use [those of this package].")
    ] = None,
    require: Annotated[
        str,
        typer.Option(
            "--require",
            help="Shares that must pass: plan,publish=1/2 is all of plan, half of publish by kind.",
        ),
    ] = "",
    only: Annotated[
        str | None,
        typer.Option("--only", help="Run the vector, generated request or check of this id, and show it."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--junit", help="Write the outcome as JUnit XML here.")
    ] = None,
    matrix: Annotated[
        Path | None, typer.Option("--html", help="Write a page of operations by programs here (HTML).")
    ] = None,
    beside: Annotated[
        list[str] | None,
        typer.Option("--beside", help="Another program to test, such as --beside 'node b.mjs'; repeat."),
    ] = None,
    json_file: JsonFile = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Test another implementation against the test vectors, and its random releases against their law.

    With --beside, other programs are tested too, and the exit code is that of the worst. A program reads and
    writes one JSON object per line, as the page "Conformance" of the specification describes. A first failure
    is reported at once on standard error; with --json, the first twenty are. A program conforms to an
    operation if all its tests passed. Exit 0: all operations that the program offers passed. 1: something
    failed, or less passed than --require. 3: no operation was tested.
    """
    if only is not None and (xfail is not None or smoke or require):
        raise ParameterError("--only runs one request: leave out --xfail, --smoke and --require")
    for name, value, most in (
        ("--timeout", timeout, 3600),
        ("--time", run_time, _WEEK),
        ("--cpu", cpu, _WEEK),
        ("--memory", memory, _MOST_MEMORY),
    ):
        if not 0 < value <= most:
            given = shown(value) if isinstance(value, int) else f"{value:g}"
            raise ParameterError(f"{name} is {given}: give a number above 0 and up to {most}")
    required = read_required(require)
    others = [_words(text) for text in beside or ()]
    if only is not None and (matrix is not None or others):
        raise ParameterError("--only tests one program: leave out --html and --beside")
    for file in (report, matrix, json_file):
        if file is not None:
            refuse_existing(file, force=force)
    with counted("testing") as progress:
        files = vector_files(only) if vectors is None else read_vectors(vectors, only)
        reasons: Mapping[str, str] = {}
        if xfail is not None:
            known = {vector.id for file in files for vector in file.vectors} | set(check_ids())
            reasons = read_expected_failures(xfail, known)
        outcomes = [
            conform(
                words,
                files,
                expected_failures=reasons,
                smoke=smoke,
                require=required,
                only=only,
                limits=Limits(timeout, run_time, cpu, memory),
                progress=progress,
                on_result=_reporter(reasons=as_json) if only is None else None,
            )
            for words in (command, *others)
        ]
    outcome = outcomes[0]
    if report is not None:
        write_in_folder(report, outcome.to_junit(), force=force)
    if matrix is not None:
        write_in_folder(matrix, conformance_html(outcomes), force=force)
    more: dict[str, Json] = {"beside": [each.to_json() for each in outcomes[1:]]} if others else {}
    save_json(json_file, outcome.to_json() | more, force=force)
    if as_json:
        show(outcome.to_json() | more, [], as_json=True)
    else:
        for words, each in zip((command, *others), outcomes, strict=True):
            show_outcome(each, partial(_alone, vectors, words), explain=explain)
    codes = {_CODES.get(each.verdict, 1) for each in outcomes}
    return 1 if 1 in codes else max(codes)


def _alone(vectors: Path | None, program: Sequence[str], identifier: str) -> str:
    """Return the command that tests one id alone."""
    folder = [] if vectors is None else ["--vectors", str(vectors)]
    return shlex.join(["splu-ref", "conform", *folder, "--only", identifier, "--", *program])


def _words(text: str) -> list[str]:
    """Split a command line as a shell would."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise ParameterError(f"--beside {text!r} is no command line: write it in quotes")
    return words


def _reporter(*, reasons: bool) -> Callable[[Result], None]:
    """Return a function that prints how far a run is at its first failure, and if nothing else shows it.

    With ``reasons`` it prints the first failures, which then are not printed at the end.
    """
    tested = failures = 0
    last = monotonic()

    def report(result: Result) -> None:
        nonlocal tested, failures, last
        if not result.tested:
            return
        tested += 1
        failures += not result.verdict.good
        failed = not result.verdict.good
        if reasons and failed and failures <= _SHOWN:
            say(f"failed: {result.id}: {result.reason}", stderr=True)
        elif reasons and failed and failures == _SHOWN + 1:
            say(f"more than {_SHOWN} failures: the others are listed at the end", stderr=True)
        elif (failed and failures == 1) or (monotonic() > last + _QUIET and not terminal.watched()):
            now = f"first found: {result.alone}" if failed else f"now {result.operation}"
            say(f"so far: {tested} tested, {failures} failed, {now}", stderr=True)
        else:
            return
        last = monotonic()

    return report


def show_outcome(outcome: Conformance, alone: Callable[[str], str], *, explain: bool = False) -> None:
    """Print the outcome: the statement, failures, counts by operation and statistical evidence.

    ``alone`` returns the command that tests one id alone. With ``explain`` twenty failures are listed, not
    five, so that the counts by operation are on the first screen otherwise.
    """
    if outcome.replay is not None:
        _show_alone(outcome, outcome.replay)
        return
    named = f"{outcome.name} {outcome.version}".strip()  # none if the program could not be described
    title = ", ".join(filter(None, (named, f"specification {outcome.specification}")))
    say(outcome.statement)
    failures = sorted(outcome.failures(), key=lambda failure: _order(failure, crashed=bool(outcome.errors)))
    shown = _SHOWN if explain else _FEW
    for number, failure in enumerate(failures[:shown]):  # on lines of their own, which break no id
        say(failure.reason if failure.alone != failure.id else f"{failure.id}: {failure.reason}")
        for line in _last_words(outcome.errors) if number == 0 else ():
            say(f"  its errors: {line}")
        if number == 0 and failure.page:
            say(f"  rule: {failure.page}")
        if number == 0 and (failure.kind is not None or failure.operation == PROTOCOL):
            say(f"  see it: {alone(failure.alone)}")
    if len(failures) > shown:
        say(f"and {len(failures) - shown} more: --json lists them all")
    show({}, [(f"unknown {word.kind}", str(word)) for word in outcome.unknown[:_SHOWN]], as_json=False)
    with whole_or(lambda: _show_what_passed_in_short(outcome, title)):
        draw(_by_operation(outcome, title))
    if outcome.statistics:
        draw(_evidence(outcome))


def _last_words(errors: str) -> list[str]:
    """Return the last lines of the program's errors, or some from the line that names the error on."""
    lines = errors.splitlines()
    return lines[min(max(len(lines) - _ERRORS, 0), error_line(lines)) :][:_ERRORS] if lines else []


def _order(failure: Result, *, crashed: bool) -> tuple[bool, bool, float]:
    """Return the key by which failures are shown: those of valid requests, then the shortest, first.

    After a crash it is the order of the run, since the program's errors are those of the first.
    """
    size = math.inf if failure.size is None else failure.size
    refusal = failure.kind is Kind.REFUSAL and not crashed
    return not failure.tested, refusal, 0 if crashed else size


def _show_what_passed_in_short(outcome: Conformance, title: str) -> None:
    """Print the names of operations of which all tests passed, and if something failed the others as a table.

    The statement names what passed in part.
    """
    passed = [name for name, shares in outcome.coverage.items() if total_share(shares).part == 1]
    names = f"all passed: {', '.join(passed)}" if passed else ""
    if outcome.holds:
        say("; ".join(filter(None, (title, names))))
        return
    draw(_by_operation(outcome, title, without=passed))
    if names:
        say(names)


def _by_operation(outcome: Conformance, title: str, without: Collection[str] = ()) -> Table:
    """Return a table of passed and all tests by operation and kind, without some of the operations."""
    table = Table(title=Text(visible(title)), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    in_shares = (Verdict.PASSED, Verdict.UNSUPPORTED)
    others = [each for each in Verdict if each not in in_shares and outcome.count(each)]
    coverage = outcome.coverage
    rows = {
        name: (coverage.get(name, {}), counts)
        for name, counts in sorted(outcome.by_operation().items(), key=lambda each: -each[1]["failed"])
        if (name in outcome.offered or counts["failed"]) and name not in without
    }
    kinds = [kind for kind in Kind if any(kind in shares for shares, _ in rows.values())]
    table.add_column("operation: passed of")
    for name in (*kinds, *others):
        table.add_column(name, justify="right")
    for operation, (shares, counts) in rows.items():
        parts = (f"{shares[kind].passed}/{shares[kind].of}" if kind in shares else "" for kind in kinds)
        rest = (str(counts[each] or "") for each in others)
        table.add_row(Text(visible(operation)), *parts, *rest)
    return table


def _show_alone(outcome: Conformance, replay: Replay) -> None:
    say(outcome.statement)
    for result in outcome.results:
        if result.reason:
            say(f"{result.verdict}: {result.id}: {result.reason}")
    show({}, [("id", replay.id), ("page", replay.page), ("about", replay.about)], as_json=False)
    # On separate lines, so that the request can be copied and sent to the program.
    for name, line in (("request", replay.request), ("expected", replay.expected), ("given", replay.given)):
        if line:
            say(f"{name}: {line}", whole=True)
    if outcome.statistics:
        draw(_evidence(outcome))


def _evidence(outcome: Conformance) -> Table:
    title = "Random releases: a check rejects from log10 e = 9 on"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("check", overflow="fold")
    table.add_column("log10 e", justify="right")
    table.add_column("detects, with probability 0.999", overflow="fold")
    for check in sorted(outcome.statistics, key=lambda check: check.passed):
        name = check.name.removeprefix("publish_random/")
        table.add_row(Text(visible(name)), f"{check.log10_e_value:.1f}", Text(visible(check.power)))
    return table
