"""Two implementations in other languages conform; each with one mistake fails, and for that mistake."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from splu_ref.channels import Json
from splu_ref.conformance import Conformance, VectorFile, Verdict, conform, judging, vector_files
from splu_ref.conformance.answering import reference_answer
from splu_ref.conformance.generated import Request
from tests.foreign.faults import SOURCE

HERE = Path(__file__).parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@pytest.fixture(scope="module", autouse=True)
def _answered_once() -> Iterator[None]:
    """Let the reference answer a generated request once, for both implementations."""
    kept: dict[str, dict[str, Json]] = {}

    def answer(request: Request) -> dict[str, Json]:
        line = json.dumps(request)
        if line not in kept:
            kept[line] = reference_answer(request)
        return kept[line]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "reference_answer", answer)
        yield


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is absent: install Node.js to run the implementation in JavaScript")
    return found


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which("cc")
    if found is None:
        pytest.skip("cc is absent: install a C compiler to run the implementation in C")
    return found


def _compiled(compiler: str, folder: Path, *options: str) -> list[str]:
    program = folder / "splu"
    source = str(HERE / "splu.c")
    subprocess.run([compiler, "-std=c11", *options, "-o", str(program), source], check=True)
    return [str(program)]


def _only(operations: Sequence[str]) -> list[VectorFile]:
    """Return the vectors of some operations, without those of long runs.

    Fields that are to be refused come last: a program that ends at each is given up after ten.
    """
    files = [
        file
        for file in vector_files()
        if file.operation in operations
        and not file.name.startswith("accumulated")
        and "many" not in file.name
    ]
    return sorted(files, key=lambda file: file.name == "fields")


def _explained(outcome: Conformance) -> str:
    return "\n".join(f"{failure.id}: {failure.reason}" for failure in outcome.failures()[:5])


def test_the_implementation_in_c_conforms(compiler: str, tmp_path: Path) -> None:
    outcome = conform(_compiled(compiler, tmp_path, "-O2", *WARNINGS), vector_files())
    assert outcome.holds, _explained(outcome)
    assert outcome.count(Verdict.PASSED) > 1_500
    assert len(outcome.statistics) == 76


def test_the_implementation_in_javascript_conforms(node: str) -> None:
    outcome = conform([node, str(HERE / "splu.mjs")], vector_files())
    assert outcome.holds, _explained(outcome)
    left_out = [vector for file in vector_files() if "all-claims" in file.requires for vector in file.vectors]
    assert outcome.count(Verdict.UNSUPPORTED, Verdict.SKIPPED) == len(left_out)
    assert len(outcome.statistics) == 76


def _failures(outcome: Conformance, expected: Sequence[str], untouched: Sequence[str]) -> None:
    """Hold the failures of a broken program to its mistake."""
    failed = {failure.id for failure in outcome.failures()}
    for beginning in expected:
        assert any(name.startswith(beginning) for name in failed), (beginning, sorted(failed)[:9])
    for beginning in untouched:
        assert not any(name.startswith(beginning) for name in failed), (beginning, sorted(failed)[:9])


# What must fail by chance deviates by more than its check finds with near certainty.
# Mistake, the operations asked, beginnings of ids that must fail, and of ids that must not.
IN_C = [
    ("MODULO_BIAS", ["below", "subset"], ["below/bound-5/rejection"], ["below/bound-4/", "below/bound-1/"]),
    ("LOW_BYTE_FIRST", ["below"], ["below/bound-257/ends", "below/bound-300/"], ["below/bound-5/"]),
    ("GAMMA_OFF_BY_ONE", ["below"], ["below/bound-3/rejection"], ["below/bound-256/"]),
    (
        "OWN_VALUE_NEVER",
        ["publish", "publish_random"],
        ["publish/example/of-the-page", "publish_random/anatomy/retention", "publish_random/anatomy/counts"],
        ["publish/example/empty-tape", "publish_random/anatomy/row-of"],
    ),
    (
        "DRAW_0_IS_FIRST",
        ["publish", "publish_random"],
        ["publish/example/of-the-page", "publish_random/anatomy-retention/retention"],
        ["publish/invalid"],
    ),
    (
        "UNSHUFFLED",
        ["publish", "publish_random"],
        [
            "publish/example/of-the-page",
            "publish_random/anatomy/row-of-the",
            "publish_random/anatomy-retention/first-row",
        ],
        [
            "publish_random/anatomy/counts",
            "publish_random/anatomy/retention",
            "publish_random/anatomy/decoys",
        ],
    ),
    (
        "FILE_ORDER",
        ["publish", "publish_random"],
        ["publish/anatomy-3/many-0", "publish_random/anatomy/decoys-of-the-first-record"],
        [
            "publish_random/anatomy/counts",
            "publish_random/anatomy/retention",
            "publish_random/anatomy/row-of",
        ],
    ),
    (
        "TIES_BY_NUMBER",
        ["permutation", "order_within"],
        ["permutation/size-3/all-tie"],
        ["permutation/size-3/asc"],
    ),
    ("LOW_BIT_FIRST", ["coins"], ["coins/tape/part-of-a-byte"], ["coins/tape/a-byte/", "coins/tape/none"]),
    ("ROTATION_0", ["plan"], ["plan/mixed-3/"], ["plan/anatomy", "plan/cyclic"]),
    ("INFEASIBLE_ACCEPTED", ["plan"], ["plan/cyclic-invalid/one-above-the-limit"], ["plan/cyclic-3/"]),
    (
        "NOT_CLIPPED",
        ["estimate"],
        ["estimate/exact-3/nothing-seen"],
        ["estimate/exact-3/interior", "estimate/mle"],
    ),
    ("PRINTED_MATRIX", ["transition"], ["transition/two-state-3/"], ["transition/per-value"]),
    ("EXITS_ON_INVALID", ["subset"], ["subset/population-1/too-many"], ["subset/population-1/count-1"]),
    (
        "CONSUMED_IGNORED",
        ["permutation"],
        ["permutation/size-3/descending"],
        ["permutation/size-3/ascending"],
    ),
    (
        "SWAPPED_IN_A_CIRCLE",
        ["publish_swap"],
        ["publish_swap/chosen-bytes/one-order-twice", "publish_swap/retention-0/"],
        ["publish_swap/chosen-bytes/one-is-released", "publish_swap/invalid"],
    ),
    *(
        (mistake, ["publish"], [f"publish/{found}"], [f"publish/{kept}", "publish/anatomy-3/"])
        for mistake, found, kept in (
            ("GROUPS_IN_PLAN_ORDER", "draws-chosen-bytes/second-group-first", "all-or-none"),
            ("CAP_OFF_BY_ONE", "draws-chosen-bytes/second-group-first", "all-or-none"),
            ("RARE_MORE_OFTEN", "all-or-none-1-anatomy-3/remainder-2-0", "capped"),
            ("REST_TO_THE_FIRST", "draws-chosen-bytes/of-the-page", "capped-1-anatomy-2"),
            ("NOT_DEALT", "draws-chosen-bytes/of-the-page", "draws-chosen-bytes/independent"),
        )
    ),
    (
        "KEPT_WITH_ALPHA_ALONE",
        ["publish_alpha_beta"],
        ["publish_alpha_beta/chosen-bytes/of-the-page"],
        ["publish_alpha_beta/eager-1_2-0/", "publish_alpha_beta/invalid"],
    ),
    (
        "LOSS_OF_THE_FIRST",
        ["entropy_loss"],
        ["entropy_loss/statistics/one-record-alone"],
        ["entropy_loss/statistics/one-bit", "entropy_loss/invalid"],
    ),
    (
        "COLUMN_FOR_ROW",
        ["publish_operator"],
        ["publish_operator/of-the-page-kept/", "publish_operator/moved-on-kept/"],
        ["publish_operator/identity-kept/", "publish_operator/best-kept/", "publish_operator/invalid"],
    ),
    (
        "DETERMINANT",
        ["permanent_posterior"],
        ["permanent_posterior/groups/permanent-is-not-determinant"],
        ["permanent_posterior/groups/one-record", "permanent_posterior/invalid"],
    ),
]


@pytest.mark.parametrize(
    ("mistake", "operations", "expected", "untouched"), IN_C, ids=[row[0] for row in IN_C]
)
def test_a_mistake_in_c_is_found(
    mistake: str,
    operations: list[str],
    expected: list[str],
    untouched: list[str],
    compiler: str,
    tmp_path: Path,
) -> None:
    program = _compiled(compiler, tmp_path, f"-DBREAK_{mistake}")
    outcome = conform(program, _only(operations), at_random="publish_random" in operations)
    _failures(outcome, expected, untouched)


IN_JAVASCRIPT = [
    ("plan-ties-by-largest-code", ["plan"], ["plan/anatomy-3/flat"], ["plan/cyclic", "plan/invalid"]),
    ("cyclic-by-rows", ["plan"], ["plan/cyclic-3/", "plan/mixed-3/"], ["plan/anatomy"]),
    ("one-pass-fewer", ["plan"], ["plan/mixed-3/"], ["plan/anatomy", "plan/cyclic"]),
    ("one-coin-a-pair", ["plan"], ["plan/mixed-3/"], ["plan/anatomy", "plan/cyclic"]),
    (
        "first-stream-again",
        ["plan_secret"],
        ["plan_secret/occupation/block-1", "plan_secret/occupation/block-300"],
        ["plan_secret/occupation/block-0"],
    ),
    ("signed-keys", ["permutation"], ["permutation/size-3/unsigned"], ["permutation/size-3/ascending"]),
    (
        "low-byte-first",
        ["below", "keyed"],
        ["below/bound-300/", "keyed/occupation/below-2"],
        ["below/bound-5/"],
    ),
    ("retention-off-by-one", ["publish"], ["publish/anatomy-3-retention-1_2/"], ["publish/invalid/"]),
    ("keeps-remainder", ["publish"], ["publish/anatomy-3/remainder-1-0"], ["publish/anatomy-3/two-groups"]),
    ("not-clipped", ["estimate", "concept_error"], ["estimate/exact-2/nothing-seen"], ["estimate/mle"]),
    (
        "wrong-kind",
        ["subset"],
        ["subset/population-5/rejection", "subset/population-5/too-many"],
        ["subset/population-5/none"],
    ),
    ("exit-on-invalid", ["subset"], ["subset/population-1/too-many"], ["subset/population-1/count-1"]),
    (
        "table-digest-by-xor",
        ["release_key", "publish_keyed"],
        ["release_key/parts/a-record-twice", "publish_keyed/anatomy-3/fourteen"],
        ["release_key/parts/no-records", "release_key/invalid"],
    ),
    ("key-without-gamma", ["release_key"], ["release_key/parts/first"], ["release_key/parts/no-facts"]),
    ("draws-without-column", ["keyed"], ["keyed/occupation/below-5"], ["keyed/no-name/", "keyed/invalid"]),
    *(
        (mistake, ["publish"], [f"publish/{found}"], [f"publish/{kept}", "publish/anatomy-3/"])
        for mistake, found, kept in (
            ("groups-in-plan-order", "draws-chosen-bytes/second-group-first", "all-or-none"),
            ("cap-off-by-one", "draws-chosen-bytes/second-group-first", "all-or-none"),
            ("rare-more-often", "all-or-none-1-anatomy-3/remainder-2-0", "capped"),
            ("rest-to-the-first", "draws-chosen-bytes/of-the-page", "capped-1-anatomy-2"),
            ("not-dealt", "draws-chosen-bytes/of-the-page", "draws-chosen-bytes/independent"),
        )
    ),
]


@pytest.mark.parametrize(
    ("mistake", "operations", "expected", "untouched"), IN_JAVASCRIPT, ids=[row[0] for row in IN_JAVASCRIPT]
)
def test_a_mistake_in_javascript_is_found(
    mistake: str, operations: list[str], expected: list[str], untouched: list[str], node: str
) -> None:
    outcome = conform([node, str(HERE / "splu.mjs"), "--break", mistake], _only(operations), at_random=False)
    _failures(outcome, expected, untouched)


# The library that the package ships makes no mistake on purpose: a line of it is changed here. How the line
# begins, what stands in its place, and the rest as above.
ROUNDED = (
    "const near = (Number(epsilon.p) / Number(epsilon.q)) * f; "
    "return strict ? Math.floor(near) + 1 : Math.ceil(near);"
)
PRINTED = (
    "const square = epsilon.times(epsilon).times(allowed); "
    "return Math.ceil(Math.sqrt(Number(square.q) / (gamma * Number(square.p))));"
)
IN_THE_LIBRARY = [
    (
        "return Number(strict ? product.floor()",
        ROUNDED,
        ["error_probability"],
        ["error_probability/gamma-3/float-trap-25-epsilon-0.28"],
        ["error_probability/gamma-3/1-"],
    ),
    (
        "function errorNumerator(",
        "function errorNumerator(gamma, epsilon, f, _, p) { const strict = true;",
        ["error_probability"],
        ["error_probability/gamma-3/10-epsilon-3_10", "error_probability/attained-5/"],
        ["error_probability/gamma-3/1-epsilon-3_10"],
    ),
    (
        "let f = boundedFrom(",
        PRINTED,
        ["utility_threshold"],
        ["utility_threshold/gamma-3-epsilon-1_2/"],
        ["utility_threshold/invalid"],
    ),
    (
        'compare(top.get("statement"), statement);',
        "",
        ["certificate"],
        ["certificate/error-probability/both-tails-other-statement"],
        ["certificate/error-probability/both-tails-other-numerator"],
    ),
]


@pytest.mark.parametrize(
    ("begins", "instead", "operations", "expected", "untouched"),
    IN_THE_LIBRARY,
    ids=["float-ceiling", "strict-for-definition", "printed-threshold", "trusts-statement"],
)
def test_a_mistake_in_the_library_is_found(
    begins: str,
    instead: str,
    operations: list[str],
    expected: list[str],
    untouched: list[str],
    node: str,
    tmp_path: Path,
) -> None:
    (line,) = (line for line in SOURCE.splitlines() if line.strip().startswith(begins))
    program = tmp_path / "mistaken.mjs"
    program.write_text(SOURCE.replace(line, instead))
    outcome = conform([node, str(program)], _only(operations), at_random=False)
    _failures(outcome, expected, untouched)


def test_floods_of_standard_error_break_nothing(node: str) -> None:
    outcome = conform(
        [node, str(HERE / "splu.mjs"), "--break", "stderr-flood"], _only(["subset"]), at_random=False
    )
    assert outcome.holds, _explained(outcome)
