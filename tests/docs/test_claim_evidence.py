"""The page of what each claim rests on: every claim is there, and the counts of the sections add up."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from splu_proofs import LEDGER
from splu_proofs.claim import Claim, Status
from splu_proofs.evidence import Grade

ROOT = Path(__file__).parents[2]
EXTENSIONS = ROOT / "docs" / "_extensions"
PROVED = (ROOT / "docs" / "proved.md").read_text(encoding="utf-8")


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    lines = "\n".join(import_module("claim_pages").evidence_page()).splitlines()
    return [
        [cell.strip(" *") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
        if line.startswith("| ")
    ]


def _claims(rows: list[list[str]]) -> dict[str, list[str]]:
    """Return the rows about one claim each, by the claim."""
    found = {name[1]: row for row in rows if (name := re.match(r"\[`(.+)`\]", row[0]))}
    assert len(found) == sum(row[0].startswith("[`") for row in rows)
    return found


def test_every_claim_has_one_row_with_what_the_ledger_records(rows: list[list[str]]) -> None:
    found = _claims(rows)
    assert set(found) == {claim.id for claim in LEDGER}
    for claim in LEDGER:
        *_, status, scope, grade, rests_on = found[claim.id]
        assert (status, scope, grade) == (claim.status, claim.scope or "–", claim.grade or "–")
        assert rests_on


def test_the_evidence_of_the_grade_is_among_what_a_claim_rests_on(rows: list[list[str]]) -> None:
    signs = {
        Grade.KERNEL: "Coq: `",
        Grade.SYMBOLIC: "symbolic step",
        Grade.EXACT: "counterexample|in integers and fractions",
        Grade.ENUMERATED: "every outcome of small worlds",
        Grade.STATISTICAL: "with a measurement",
    }
    found = _claims(rows)
    for claim in LEDGER:
        if claim.grade is not None:
            assert re.search(signs[claim.grade], found[claim.id][-1]), claim.id
        if claim.kernel is not None:
            assert all(f"`{theorem}`" in found[claim.id][-1] for theorem in claim.kernel.theorems)


def _numbers(claims: list[Claim]) -> list[int]:
    count = Counter(claim.status for claim in claims)
    return [len(claims), *(count[status] for status in Status)]


def test_the_counts_of_the_sections_add_up(rows: list[list[str]]) -> None:
    counts = [
        (paper, section, [int(number.replace("·", "0")) for number in numbers])
        for paper, section, *numbers in rows
        if len(numbers) == 1 + len(Status) and section != "section"
    ]
    for claims in LEDGER.by_paper().values():
        paper = claims[0].id.partition(".")[0]
        of_sections = [numbers for name, section, numbers in counts if name == paper and section != "all"]
        assert [sum(column) for column in zip(*of_sections, strict=True)] == _numbers(claims)
        assert (paper, "all", _numbers(claims)) in counts
    assert ("all papers", "", _numbers(list(LEDGER))) in counts
    assert all(number == sum(each) for _, _, (number, *each) in counts)


def test_sections_are_counted_as_the_rows_of_the_claims_name_them(rows: list[list[str]]) -> None:
    named = Counter(
        (claim_id.partition(".")[0], section) for claim_id, (_, _, section, *_) in _claims(rows).items()
    )
    counted = {
        (paper, section[1]): int(numbers[0])
        for paper, link, *numbers in rows
        if len(numbers) == 1 + len(Status) and (section := re.match(r"\[(.+)\]\(", link))
    }
    assert counted == dict(named)


def test_every_printed_statement_has_claims_or_a_reason(rows: list[list[str]]) -> None:
    listed = [row for row in rows if len(row) == 4 and row[0] != "paper"]
    linked = {claim_id for row in listed for claim_id in re.findall(r"\[`(.+?)`\]", row[3])}
    assert all(len(row[3].removeprefix("–")) > 10 for row in listed)
    printed = {claim.id for claim in LEDGER if not re.match("new|corrects|sharpens", claim.source)}
    assert printed - linked == set()
    assert linked <= {claim.id for claim in LEDGER}
    assert {row[0] for row in listed} == {claim.id.partition(".")[0] for claim in LEDGER}


def test_the_claims_that_coq_has_not_proved_are_listed_with_their_grades() -> None:
    text = PROVED.partition("## Which claims of the ledger Coq has not proved")[2]
    listed = re.findall(r"^\| `(splu\.\w+)` \| .*? \| (\w+) \|", text, re.MULTILINE)
    assert len(dict(listed)) == 10
    for name, grade in listed:
        assert LEDGER.get(name).grade == grade != Grade.KERNEL
    proved = PROVED.partition("## Which claims of the ledger Coq has proved")[2].partition(
        "### The mechanism"
    )[0]
    named = set(re.findall(r"`(splu\.\w+)`", proved))
    assert named == {claim.id for claim in LEDGER if claim.grade is Grade.KERNEL}


def test_the_lines_of_the_front_end_that_are_not_proved_are_counted() -> None:
    folder = ROOT / "proofs" / "splu_proofs" / "kernel_checker"
    files = ("json.ml", "certificate.ml", "main.ml")
    lines = sum(len((folder / name).read_text("utf-8").splitlines()) for name in files)
    assert f"{lines} lines of OCaml, comments included, that are not proved" in PROVED
