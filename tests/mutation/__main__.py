"""Mutation testing: puts small faults into the code and reports those that no test detects.

``python -m tests.mutation`` copies the checkout into a folder of its own, lets mutmut change one expression
at a time, and runs the tests of the room that execute the changed function. ``--sample`` draws a number of
faults of each room at random, by a fixed seed; without it all are tried, which takes hours.

A fault without an observable effect is listed, with the reason, in ``equivalent.toml`` beside this file and
counted separately. Lines that contain only the words of a message are not changed: their wording is not part
of the interface. mutmut changes the bodies of functions only; constants of a module are unchanged.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import NamedTuple

from splu_ref.output.terminal import say

CHECKOUT = Path(__file__).parents[2]
WORDS = (
    r'^\s*[rf]{0,2}"(?:[^"\\]|\\.)*"[,)\]]*\s*$',  # a line of a message
    r"^\s*raise \w+\(",
    r"^\s*assert_never\(",
)

UNTRIED = "not tried"

PYTEST = ("-p", "no:cacheprovider", "-p", "tests.mutation.cheap_first")


class Room(NamedTuple):
    """The code that is changed, and the tests that should detect it."""

    code: tuple[str, ...]
    tests: tuple[str, ...]
    goal: int
    slow: bool = False
    """Whether tests marked slow are included; one fault should take seconds."""
    source: str = "splu_ref"
    """The package of the code."""


def _files(folder: str) -> tuple[str, ...]:
    """Return the files of a folder of the library, without its subfolders."""
    found = sorted((CHECKOUT / "splu_ref" / folder).glob("*.py"))
    return tuple(f"{folder}/{path.name}" for path in found)


ROOMS = {
    "randomness": Room(("randomness/*",), ("randomness", "mechanisms", "conformance/test_vectors.py"), 95),
    "plans": Room(("mechanisms/plans/*",), ("mechanisms", "channels", "conformance/test_vectors.py"), 95),
    # Not all of cli: commands that read the ledger refuse code that is changed, before any fault.
    "mechanisms": Room(
        _files("mechanisms"),
        (
            "mechanisms",
            "test_toy_mechanism.py",
            "audit/test_declared_law.py",
            "cli/test_publish.py",
            "cli/test_transcript.py",
            "cli/test_tuples.py",
        ),
        95,
        slow=True,
    ),
    "channels": Room(
        ("channels/*",),
        (
            "channels",
            "mechanisms/plans",
            "guarantees",
            "estimators/test_matrices.py",
            "audit/test_perturbed_generalization.py",
        ),
        95,
    ),
    "guarantees": Room(
        _files("guarantees"),
        (
            "guarantees",
            "guarantees/certificates/test_against_brute_force.py",
            "guarantees/certificates/test_writing.py",
            "cli/test_privacy_releases.py",
            "hostile/test_work.py",
        ),
        95,
    ),
    "certificates": Room(
        ("guarantees/certificates/*", "certificate_checker.py"),
        # All but those that read the checker's source, which is changed here.
        (
            "guarantees/certificates/test_against_brute_force.py",
            "guarantees/certificates/test_certified_retention.py",
            "guarantees/certificates/test_checker_numbers.py",
            "guarantees/certificates/test_false_claims.py",
            "guarantees/certificates/test_hostile_input.py",
            "guarantees/certificates/test_replacement.py",
            "guarantees/certificates/test_tampering.py",
            "guarantees/certificates/test_writing.py",
        ),
        95,
    ),
    "audit": Room(
        ("audit/*",),
        # All but those that audit release after release of a large table.
        (
            "audit/test_*.py",
            "audit/claims",
            "audit/release_log",
            "audit/releases/test_[!dhw]*.py",
            "audit/releases/test_whole_audits.py",
            "cli/test_attack.py",
            "cli/test_audit.py",
            "cli/test_audit_release.py",
            "cli/test_entropy.py",
        ),
        95,
        slow=True,
    ),
    "output": Room(("output/*",), ("output", "test_output.py", "hostile/test_outputs.py"), 90),
    "data": Room(
        ("data/*",),
        ("data", "test_placement.py", "mechanisms", "hostile/test_bombs.py", "hostile/test_residue.py"),
        90,
    ),
    # Not Spark's: Java takes longer to start than a fault may cost.
    "streaming": Room(("mechanisms/streaming/*", "cli/streaming.py"), ("mechanisms/streaming",), 90),
    "operators": Room(("guarantees/operators/*",), ("guarantees/operators", "cli/test_operator.py"), 90),
    "estimators": Room(("estimators/*",), ("estimators", "api", "cli/test_estimate_tables.py"), 90),
    # Without the keeper, which runs by itself, where no fault is known, and programs that load what changed.
    "conformance": Room(("conformance/[!k]*",), ("conformance/test_[!ah]*.py",), 90),
    "api": Room(("api/*",), ("api",), 90),
    "experiments": Room(("*",), ("experiments",), 90, source="experiments"),
    "report": Room(("report/*",), ("report", "cli/test_audit.py"), 90),
    # Without what publishes part by part: it is changed with the engines.
    "cli": Room(
        ("cli/[!s]*", "cli/s[!t]*"),
        (
            "cli/test_[!s]*.py",
            "cli/test_sa*.py",
            "cli/test_schemas.py",
            "conformance/test_commands.py",
            "test_output.py",
        ),
        90,
    ),
}


@dataclass(frozen=True)
class Score:
    """The outcomes of the faults of a room."""

    made: int
    tried: int
    outcomes: Counter[str]
    survivors: tuple[tuple[str, str], ...]
    equivalent: tuple[tuple[str, str], ...]

    @property
    def detected(self) -> int:
        """Number of detected faults."""
        return self.outcomes["killed"] + self.outcomes["timeout"]

    @property
    def visible(self) -> int:
        """Number of tried faults with an observable effect."""
        return self.detected + len(self.survivors)

    @property
    def least(self) -> float:
        """A lower confidence bound of the detection rate of all observable faults of the room, in percent.

        The Clopper-Pearson bound with confidence 95 %, rounded down to a tenth, as if the tried faults were a
        random sample. Faults not tried may include others without an observable effect.
        """
        tried, detected = self.visible, self.detected

        def as_many(share: int) -> int:
            return sum(
                comb(tried, k) * share**k * (1000 - share) ** (tried - k) for k in range(detected, tried + 1)
            )

        beyond = bisect_right(range(1001), 1000**tried, key=lambda share: 20 * as_many(share))
        return max(0, beyond - 1) / 10


def main(words: list[str]) -> int:
    """Try the faults of the rooms that are named, and print each survivor and a score for each room."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; default: all")
    parser.add_argument("--sample", type=int, help="faults of each room, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(words)
    if unknown := [name for name in options.rooms if name not in ROOMS]:
        parser.error(f"there is no room {unknown[0]!r}: choose of {', '.join(ROOMS)}")
    short = False
    for name in options.rooms or ROOMS:
        score = _try(ROOMS[name], options.sample, options.seed, options.workers)
        share = 100 * score.detected / max(1, score.visible)
        for fault, change in score.survivors:
            for line in (f"{name}: not detected: {fault}", *change.splitlines()):
                say(line)
        goal = ROOMS[name].goal
        for fault, reason in score.equivalent:
            say(f"{name}: no observable effect ({reason}): {fault}")
        say(
            f"{name}: {score.detected} of {score.visible} detected ({share:.1f} %, goal {goal} %; "
            f"for all faults at least {score.least:.1f} %, with confidence 95 %); "
            f"{len(score.equivalent)} have no effect; {score.tried} of {score.made} faults tried; "
            f"{score.outcomes['timeout']} of the detected ones by timeout",
        )
        short = short or share < goal
    return int(short)


def _try(room: Room, sample: int | None, seed: int, workers: int) -> Score:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        _copy(copy)
        (copy / "setup.cfg").write_text(_configuration(room), encoding="utf-8")
        command = [sys.executable, "-m", "mutmut", "run", "--max-children", str(workers)]
        # No fault has this name: mutmut generates the faults, runs the tests once, and ends.
        made = subprocess.run([*command, "none"], cwd=copy, capture_output=True, check=False, text=True)
        names = sorted(_outcomes(copy))
        if not names or "failed to collect stats" in made.stdout + made.stderr:
            raise SystemExit(f"no faults were made, or the tests fail without any:\n{_messages(made)}")
        drawn = names if sample is None else random.Random(seed).sample(names, min(sample, len(names)))
        ran = subprocess.run([*command, *drawn], cwd=copy, capture_output=True, check=False, text=True)
        outcomes = _outcomes(copy)
        if untried := sum(outcomes[name] == UNTRIED for name in drawn):
            # For example, tests whose names change between runs: mutmut then knows no test of the fault.
            raise SystemExit(f"{untried} of the {len(drawn)} faults drawn were not tried:\n{_messages(ran)}")
        rules = _rules()
        survivors, equivalent = [], []
        for name in drawn:
            if outcomes[name] in {"killed", "timeout"}:
                continue
            change = _change(copy, name)
            reason = next((reason for pattern, reason in rules if pattern.search(f"{name}\n{change}")), None)
            if reason is None:
                survivors.append((f"{name} ({outcomes[name]})", change))
            else:
                equivalent.append((name, reason))
        found = Counter(outcomes[name] for name in drawn)
        return Score(len(names), len(drawn), found, tuple(survivors), tuple(equivalent))


def _messages(ran: subprocess.CompletedProcess[str]) -> str:
    """Return the output of mutmut, without its progress animation."""
    lines = (ran.stdout + ran.stderr).splitlines()
    return "\n".join(line for line in lines if line and not 0x2800 <= ord(line[0]) < 0x2900)


def _copy(folder: Path) -> None:
    """Copy the tracked and untracked files of the checkout that git does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT, capture_output=True, check=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, listed):
        source = CHECKOUT / name
        if source.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(source.read_bytes())


def _configuration(room: Room) -> str:
    def listed(items: Iterable[str]) -> str:
        return "".join(f"\n    {item}" for item in items)

    tests = (path for name in room.tests for path in sorted((CHECKOUT / "tests").glob(name)))
    beside = sorted({path.name for path in CHECKOUT.iterdir()} - {room.source, "tests"})
    return (
        f"[mutmut]\nsource_paths = {room.source}\n"
        f"only_mutate ={listed(f'{room.source}/{pattern}' for pattern in room.code)}\n"
        f"do_not_mutate_patterns ={listed(WORDS)}\n"
        f"also_copy ={listed(name for name in beside if not name.startswith('.'))}\n"
        f"pytest_add_cli_args_test_selection ={listed(f'{path.relative_to(CHECKOUT)}' for path in tests)}\n"
        f"pytest_add_cli_args ={listed(PYTEST if room.slow else (*PYTEST, '-m', 'not slow'))}\n"
        # Given up: what takes five times as long as its tests and the loading of what they use.
        "timeout_constant = 20\ntimeout_multiplier = 5\n"
        # Each fault in a process without threads yet: a fork of one that has used Polars may wait for ever.
        "process_isolation = forkserver\nforkserver_warmup = none\n"
    )


def _outcomes(copy: Path) -> dict[str, str]:
    words = {
        1: "killed",
        3: "killed",
        2: "killed",  # the tests themselves cannot be loaded, or (255) not all of them
        255: "killed",
        0: "survived",
        36: "timeout",
        24: "timeout",
        -24: "timeout",
        152: "timeout",
        33: "no test goes there",
        None: UNTRIED,
    }
    found: dict[str, str] = {}
    for path in (copy / "mutants").rglob("*.meta"):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        found |= {name: words.get(code, f"ended with {code}") for name, code in codes.items()}
    return found


def _change(copy: Path, name: str) -> str:
    shown = subprocess.run(
        [sys.executable, "-m", "mutmut", "show", name], cwd=copy, capture_output=True, check=False, text=True
    ).stdout
    return "\n".join(line for line in shown.splitlines() if re.match(r"[-+](?![-+])", line))


def _rules() -> list[tuple[re.Pattern[str], str]]:
    return list(_read_rules(Path(__file__).with_name("equivalent.toml")))


def _read_rules(path: Path) -> Iterator[tuple[re.Pattern[str], str]]:
    for rule in tomllib.loads(path.read_text(encoding="utf-8"))["rule"]:
        yield re.compile(rule["change"], re.MULTILINE), rule["reason"]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
