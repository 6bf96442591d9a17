"""Small inputs that mean much work: refused before it, or done within the budget of a command."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from splu_ref.audit import concepts
from splu_ref.audit.claims import privacy
from splu_ref.channels import binomial as work
from splu_ref.cli.app import run
from splu_ref.guarantees import count_error, error_probability, minimum_error, privacy_minimum, utility

SOON, AT_MOST = 20, 90
"""Seconds of processor time: for what is refused, with the start of Python, and for what is done."""

CONJUNCTION = (
    "utility --gamma 3 --epsilon 1e-399 --t-e 1/2 --rows 10000000 --frequency 50000 --predicate-count 50000"
)


def _program(words: list[str], folder: Path, seconds: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "splu_ref", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )


def _files(folder: Path) -> None:
    claim = '[[claim]]\nid="c{0}"\nkind="small-sum-privacy"\ngamma=5\nepsilon="0.3"\nalpha={1}\nt_p="0.1"\n'
    claims = "".join(claim.format(number, 5_000_000 + number) for number in range(8))
    (folder / "claims.toml").write_text('schema = "splu-ref/claims/1"\n' + claims)
    wide = [",".join([*(f"c{i}" for i in range(2000)), "s"])]
    wide += [",".join(["a"] * 2000 + ["xyz"[row % 3]]) for row in range(9)]
    (folder / "wide.csv").write_text("\n".join(wide) + "\n")
    narrow = "".join(f"{row % 5},v{row % 30}\n" for row in range(120))
    (folder / "narrow.csv").write_text("a,s\n" + narrow)
    form = {"argmin": "1", "numerator": "1", "candidates": []}
    certificate = {
        "schema": "splu-ref/certificate/1",
        "claim": "small-sum-privacy",
        "parameters": {"gamma": "2", "epsilon": "1", "alpha": "18500"},
        "statement": "",
        "evidence": {"theorem_4": form, "definition_2": form},
        "produced_by": {"version": "0", "spec": "1"},
    }
    (folder / "certificate.json").write_text(json.dumps(certificate))


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("privacy --gamma 100 --epsilon 50 --alpha 600000", "alpha = 600000 would take too long"),
        ("privacy --gamma 5 --epsilon 0.3 --alpha 1000 --releases 30000", "alpha = 1000 with 30000 releases"),
        ("privacy --gamma 5 --epsilon 0.3 --alpha 100000 --retention 1e-999", "alpha = 100000 would take"),
        ("privacy --gamma 2 --epsilon 2 --alpha 1000000 --retention 1e-999", "alpha = 1000000 would take"),
        ("utility --gamma 20 --epsilon 15 --frequency 10000000", "the count 10000000 with gamma = 20"),
        ("concept --gamma 2 --epsilon 0.3 --alpha 30000 --method exact", "alpha = 30000 with gamma = 2"),
        ("concept --gamma 2 --epsilon 1e-999 --alpha 20000 --method exact", "alpha = 20000 with gamma = 2"),
        ("audit claims.toml", "line 16, claim c2"),
        ("advise wide.csv --sensitive s", "2001 columns"),
        (
            "advise narrow.csv --sensitive s --alpha 30000 --retention 1/2 --retention 2/3 --retention 3/4",
            "each with alpha = 30000",
        ),
        (
            f"{CONJUNCTION} --retention 0.5{'0' * 398}1",
            "counts up to 50000 would have to be checked",
        ),
    ],
)
def test_what_would_take_long_is_refused_at_once(command: str, named: str, tmp_path: Path) -> None:
    _files(tmp_path)
    found = _program(command.split(), tmp_path, SOON)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr.startswith("splu-ref: ")
    assert found.stderr.count("\n") == 1
    assert named in found.stderr
    assert "give" in found.stderr or "leave out" in found.stderr or "divide" in found.stderr


def test_a_certificate_of_few_bytes_is_refuted_at_once(tmp_path: Path) -> None:
    _files(tmp_path)
    found = _program(["check", "certificate.json"], tmp_path, SOON)
    assert found.returncode == 1
    assert "has 0 entries, and the arithmetic gives 18500" in " ".join(found.stdout.split())


@pytest.mark.slow
@pytest.mark.measured
def test_a_count_of_a_hundred_million_ends(tmp_path: Path) -> None:
    words = "utility --gamma 2 --epsilon 0.3 --frequency 100000000 --json"
    found = _program(words.split(), tmp_path, AT_MOST)
    assert found.returncode == 0
    assert json.loads(found.stdout)["error"]["fraction"] is None


@contextmanager
def _counted(most: int) -> Iterator[Callable[[], int]]:
    """Count the calls of functions inside, which the budget knows nothing of; fail beyond ``most``.

    Those that count coverage are left out: they are done for lines, not for inputs.
    """
    calls = 0
    watching: FrameType | None = None

    def count(frame: FrameType, event: str, called: Any) -> None:
        nonlocal calls, watching
        if watching is None:
            if event == "call" and frame.f_globals.get("__name__", "").startswith("slipcover."):
                watching = frame
            else:
                calls += event == "call" or (event == "c_call" and called.__module__ != "slipcover.probe")
        elif event == "return" and frame is watching:
            watching = None
        assert calls <= most, "there is work that the budget does not count"

    sys.setprofile(count)
    try:
        yield lambda: calls
    finally:
        sys.setprofile(None)


NUMBERS = st.one_of(
    st.integers(1, 10**9).map(str),
    st.tuples(st.integers(1, 999), st.integers(1, 999)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
    st.tuples(st.integers(1, 99), st.integers(-999, 9)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
    st.integers(10**100, 10**390).map(lambda digits: f"0.{digits}"),
)
COUNTS = st.integers(1, 10**9).map(str)


@st.composite
def commands(draw: st.DrawFn) -> list[str]:
    gamma = str(draw(st.one_of(st.integers(2, 30), st.integers(2, 10**9))))
    words = ["--gamma", gamma, "--epsilon", draw(NUMBERS)]
    name = draw(st.sampled_from(["privacy", "utility", "concept", "audit"]))
    retention = draw(st.one_of(st.none(), NUMBERS))
    kept = [] if retention is None else ["--retention", retention]
    if name == "privacy":
        releases = draw(st.one_of(st.just("1"), COUNTS))
        return [name, *words, "--alpha", draw(COUNTS), "--releases", releases, *kept]
    if name == "utility":
        at = draw(st.sampled_from(["--frequency", "--t-e"]))
        return [name, *words, at, draw(COUNTS if at == "--frequency" else NUMBERS), *kept]
    if name == "concept":
        return [name, *words, "--alpha", draw(COUNTS), "--method", draw(st.sampled_from(["mle", "exact"]))]
    return [name, "claims.toml", *words, draw(COUNTS), draw(NUMBERS)]


ESTIMATES = (
    (minimum_error, "search_work"),
    (utility, "scan_work"),
    (count_error, "enclosure_work"),
    (count_error, "exact_work"),
    (concepts, "concept_work"),
    (privacy, "search_work"),
)


@cache
def _load_commands() -> None:
    """Load the commands: what is imported once in a process is not the work of an input."""
    for name in ("privacy", "utility", "concept", "audit"):
        assert run([name, "--help"]) == 0


@pytest.mark.parametrize("foreseen", [True, False])
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=commands())
def test_all_work_is_counted(
    foreseen: bool, words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(work, "MOST", 2 * 10**7)
    if not foreseen:  # then what is counted as it is done must suffice
        for module, name in ESTIMATES:
            monkeypatch.setattr(module, name, lambda *_: 0)
    monkeypatch.chdir(tmp_path)
    if words[0] == "audit":
        gamma, epsilon, alpha, t_p = words[3], words[5], words[6], words[7]
        claim = f'gamma={gamma}\nepsilon="{epsilon}"\nalpha={alpha}\nt_p="{t_p}"\n'
        kind = 'schema="splu-ref/claims/1"\n[[claim]]\nid="c"\nkind="small-sum-privacy"\n'
        Path("claims.toml").write_text(kind + claim)
        words = words[:2]
    _load_commands()
    with _counted(10**6):
        code = run(words)
    assert code in (0, 1, 2)


def test_one_budget_is_shared_by_all_calls_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with work.one_budget():
        error_probability(5, "3/10", 1000).bounds()
        once = work.MOST - work.left()
        error_probability(5, "3/10", 1000).bounds()
        assert work.MOST - work.left() == 2 * once > 0
    monkeypatch.setattr(work, "MOST", once)
    error_probability(5, "3/10", 100).bounds()  # alone it has a budget of its own
    with work.one_budget(), pytest.raises(work.WorkError):
        assert not [privacy_minimum(5, "3/10", 3) for _ in range(1000)]
