"""The limits that the documentation states are those of the code, for each page and number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from splu_ref import certificate_checker
from splu_ref.audit.advice import expected_widths
from splu_ref.audit.claims import document as claims
from splu_ref.audit.releases import alpha_beta as alpha_beta_checks
from splu_ref.audit.releases import cell_claims, generalization
from splu_ref.cli.operator import MOST_SHOWN
from splu_ref.conformance.folder import LONGEST_FILE
from splu_ref.data import counting, limits, parts
from splu_ref.estimators.queries import several_columns
from splu_ref.estimators.shrinkage import plausible_plans
from splu_ref.guarantees.operators import best as one_prior
from splu_ref.mechanisms import alpha_beta, transcript
from splu_ref.mechanisms.plans import cyclic as blocks

DOCS = Path(__file__).parents[2] / "docs"
MIB = 1 << 20
UNITS = "values|tuples|fakes|bytes|rows|groups|pairs|combinations|columns|characters|claims|bits|MiB"
NUMBER = "[0-9][0-9,]*|2[⁰¹²³⁴⁵⁶⁷⁸⁹]+|10[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
LIMIT = re.compile(rf"(?:up to|at most|more than|above) ({NUMBER}) ({UNITS})\b")
LIMITS = {
    "alpha-beta.md: 10⁸ fakes": alpha_beta.MOST_FAKES,
    "alpha-beta.md: 2²⁰ tuples": alpha_beta.EAGER_MOST,
    "analysts.md: 128 MiB": parts.LONGEST_RECORD // MIB,
    "analysts.md: 62 bits": counting._BITS,
    "analysts.md: 2²¹ combinations": counting.MOST_COMBINATIONS,
    "auditing-claims.md: 131,072 bytes": claims.MAX_BYTES,
    "auditing-claims.md: 1,000 characters": claims.MAX_LINE,
    "auditing-claims.md: 100 claims": claims.MAX_CLAIMS,
    "auditing-releases.md: 4,096 values": cell_claims.MOST_STATES,
    "auditing-releases.md: 5,000 groups": generalization.MOST_COMPARED,
    "auditing-releases.md: 400 pairs": alpha_beta_checks._LARGEST_PAIR,
    "benchmarks.md: 200,000 rows": expected_widths.MOST_ROWS,
    "breaches.md: 500 values": certificate_checker.MAX_VALUES,
    "estimating.md: 200 values": plausible_plans.MOST_VALUES,
    "estimating.md: 2²⁶ combinations": several_columns.MOST_CELLS,
    "estimating.md: 14 columns": several_columns.MOST_STATES.bit_length() - 1,
    "hostile-input.md: 100,000 columns": limits.MOST_COLUMNS,
    "hostile-input.md: 128 MiB": parts.LONGEST_RECORD // MIB,
    "hostile-input.md: 2²⁷ bytes": limits.ALWAYS_READ,
    "implementers.md: 4096 groups": blocks.MOST_GROUPS,
    "limits.md: 4096 groups": blocks.MOST_GROUPS,
    "operators.md: 20 values": one_prior.MOST_VALUES["sets"],
    "operators.md: 60 values": one_prior.MOST_VALUES["values"],
    "threat-model.md: 4096 groups": blocks.MOST_GROUPS,
}
"""By the page, the number and its unit."""


def _number(text: str) -> int:
    """Return the number that is written with commas or as a power."""
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    power = re.fullmatch(r"(2|10)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    return int(power[1]) ** int(power[2].translate(digits)) if power else int(text.replace(",", ""))


def _stated(page: Path) -> set[str]:
    """Return the limits of a page outside of what commands print."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    return {f"{page.name}: {number} {unit}" for number, unit in LIMIT.findall(" ".join(text.split()))}


def test_every_limit_that_a_page_states_is_compared() -> None:
    stated = set[str]().union(*map(_stated, DOCS.glob("*.md")))
    assert stated == LIMITS.keys()


@pytest.mark.parametrize("place", LIMITS)
def test_a_limit_is_that_of_the_code(place: str) -> None:
    assert _number(place.split()[1]) == LIMITS[place]


def test_the_table_of_files_has_the_limits_of_the_code() -> None:
    text = (DOCS / "hostile-input.md").read_text("utf-8").partition("## Limits")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([a-z -]+?) \| (.*) \|$", text, flags=re.MULTILINE))
    size = f"{claims.MAX_BYTES >> 10} KiB, {claims.MAX_LINE:,} characters a line"
    assert rows["claims"].startswith(f"{size}, {claims.MAX_CLAIMS} claims")
    assert rows["world"].startswith(size)
    assert rows["vector file"].startswith(f"{LONGEST_FILE // MIB} MiB")
    assert rows["transcript"].startswith(
        f"{transcript.LONGEST_FILE >> 30} GiB, its first line {transcript.LONGEST_HEADER // MIB} MiB"
    )


def test_the_limit_of_the_command_is_that_of_the_program() -> None:
    assert max(one_prior.MOST_VALUES.values()) == MOST_SHOWN


@pytest.mark.parametrize(("text", "number"), [("5,000", 5000), ("2²⁰", 1 << 20), ("10⁸", 10**8)])
def test_numbers_are_read(text: str, number: int) -> None:
    assert _number(text) == number
