"""The executable specification of certificates: every condition decides at least one vector."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

import splu_ref.spec
from splu_ref.certificate_checker import MAX_BYTES, Unreadable, check_text
from splu_ref.conformance import vector_files
from splu_ref.spec import certificates_operators
from splu_ref.spec.certificates import CONDITIONS, FILE, PARAMETERS, failing, verdict
from splu_ref.spec.certificates_grammar import Certificate, Condition
from splu_ref.spec.certificates_thresholds import product, tail_factors

Table = Mapping[str, Sequence[Condition]]
ROOT = Path(splu_ref.spec.__file__).parent
MODULES = [*sorted(path.stem for path in ROOT.glob("certificates*.py")), "manifests"]
PADDED = "size"
"""The condition that a vector with a generator is about: its text is padded to one byte too many."""

SURVIVORS = {
    ("optimal-operator", "counts-limit"): "such a vector would be 1 MB: 501 rows of 501 entries",
    ("optimal-operator", "pairs-limit"): "plain Python takes longer than a program may for an answer",
}
"""Conditions that no vector decides, and why. They have tests of their own."""


def checked(text: str) -> str:
    """Return the verdict of the library."""
    try:
        return "valid" if check_text(text).valid else "false"
    except Unreadable:
        return "unreadable"


@cache
def judged() -> Mapping[str, list[tuple[str, str, str]]]:
    """Return by claim the id, text and verdict of each vector, those that are about one condition first."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for file in vector_files():
        for vector in file.vectors if file.operation == "certificate" else ():
            text = (vector.input or {}).get("text", "")
            if isinstance(text, str) and text and vector.answer:
                claim = next((name for name in PARAMETERS if f'"{name}"' in text), FILE)
                found.setdefault(claim, []).append((vector.id, text, str(vector.answer["verdict"])))
    return {
        claim: sorted(rows, key=lambda row: ("conditions" not in row[0], len(row[1])))
        for claim, rows in found.items()
    }


def without(claim: str, name: str) -> Table:
    """Return the table with a condition that always holds in place of one of this name."""
    kept = [replace(each, holds=lambda _: True) if each.name == name else each for each in CONDITIONS[claim]]
    return {**CONDITIONS, claim: kept}


def verdict_or_fault(text: str, table: Table) -> str:
    """Return the verdict of a table, or ``fault`` where it cannot go on without a condition."""
    try:
        return verdict(text, table)
    except Exception:
        return "fault"


def vectors_about(claim: str, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield the vectors of a claim, first the one that is about a condition."""
    rows = [row for own in ([claim] if claim != FILE else judged()) for row in judged()[own]]
    if name == PADDED:
        text = next(text for _, text, given in rows if given == "valid")
        yield "padded", text + " " * (MAX_BYTES + 1 - len(text)), "unreadable"
    yield from (row for row in rows if row[0].endswith(f"/{name}") and "/conditions-" in row[0])
    yield from (row for row in rows if "/sizes/" not in row[0])


def killed(claim: str, name: str, table: Table) -> str | None:
    """Return the id of a vector to which a table gives another verdict, or None."""
    return next(
        (
            row[0]
            for row in vectors_about(claim, name)
            if Reached.of(row[1], claim, name) and verdict_or_fault(row[1], table) != row[2]
        ),
        None,
    )


class Reached:
    """Which condition decides a vector: only that condition's mutant can give it another verdict."""

    @staticmethod
    @cache
    def condition(text: str) -> tuple[str, str] | None:
        """Return the claim and the name of the first condition that does not hold."""
        found = failing(text)
        if found is None:
            return None
        shared = any(found is each for each in CONDITIONS[FILE])
        return (FILE if shared else Certificate(text).claim), found.name

    @classmethod
    def of(cls, text: str, claim: str, name: str) -> bool:
        """Return whether this condition is the one."""
        return cls.condition(text) == (claim, name)


ALL = [(claim, each.name) for claim, conditions in CONDITIONS.items() for each in conditions]


@pytest.mark.slow
@pytest.mark.parametrize("claim", CONDITIONS)
def test_the_specification_gives_the_verdicts_of_the_vectors(claim: str) -> None:
    for name, text, given in judged().get(claim, ()):
        assert (name, verdict(text)) == (name, given)
        assert (name, checked(text)) == (name, given)


@pytest.mark.slow
@pytest.mark.parametrize("claim", CONDITIONS)
def test_every_condition_decides_a_vector(claim: str) -> None:
    names = [each.name for each in CONDITIONS[claim]]
    survivors = {(claim, name) for name in names if killed(claim, name, without(claim, name)) is None}
    expected = {key for key in SURVIVORS if key[0] == claim}
    assert survivors == expected, f"{claim}: {len(names)} conditions, without a vector: {sorted(survivors)}"


def test_a_table_with_all_conditions_is_not_killed() -> None:
    assert killed("d-gamma", "d-range", without("d-gamma", "of no name")) is None
    assert killed("d-gamma", "d-range", without("d-gamma", "d-range")) is not None


def test_no_two_conditions_of_a_claim_have_one_name() -> None:
    assert len(set(ALL)) == len(ALL)


def test_unreadable_is_decided_before_false() -> None:
    for conditions in CONDITIONS.values():
        verdicts = [each.otherwise for each in conditions]
        assert verdicts == sorted(verdicts, reverse=True)
        assert set(verdicts) <= {"unreadable", "false"}


def test_every_condition_is_a_sentence() -> None:
    for conditions in CONDITIONS.values():
        for each in conditions:
            assert (
                each.sentence[0].isupper()
                or each.sentence[0] == "`"
                or each.sentence.startswith(("gamma", "alpha", "x3", "d k R", "(x3"))
            )
            assert each.sentence.endswith((".", ")"))


def a_valid_certificate(claim: str) -> str:
    """Return the shortest valid certificate of a claim among the vectors."""
    return next(text for _, text, given in judged()[claim] if given == "valid")


def leaves(part: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each text of the evidence with its path."""
    if isinstance(part, str):
        yield path, part
    else:
        for step, inner in (
            part.items() if isinstance(part, dict) else enumerate(part if isinstance(part, list) else ())
        ):
            yield from leaves(inner, (*path, step))


def respelled(text: str, path: tuple[str | int, ...], spelling: str) -> str:
    """Return a certificate with another spelling of an integer of its evidence."""
    document = json.loads(text)
    part = document["evidence"]
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = spelling
    if document["claim"] == "optimal-operator":  # the statement holds a digest of the evidence
        old, new = (certificates_operators.digest(Certificate(each)) for each in (text, json.dumps(document)))
        document["statement"] = document["statement"].replace(old, new)
    return json.dumps(document)


@pytest.mark.parametrize("claim", PARAMETERS)
def test_an_integer_has_one_spelling(claim: str) -> None:
    valid = [text for _, text, given in judged()[claim] if given == "valid"]
    texts = [text for text in valid if any(leaves(json.loads(text)["evidence"]))][:4]
    texts += [
        text
        for text in valid
        if any(spelled[0] == "-" for _, spelled in leaves(json.loads(text)["evidence"]))
    ]
    tried = 0
    for text in texts:
        for path, spelled in leaves(json.loads(text)["evidence"]):
            others = {f"0{spelled}", f"-0{spelled.lstrip('-')}", spelled.upper(), f"+{spelled}"}
            others |= {"-0"} if spelled == "0" else set()
            for other in sorted(others - {spelled}):
                forged = respelled(text, path, other)
                assert "valid" not in (verdict(forged), checked(forged)), (path, other)
                assert verdict(forged) == checked(forged), (path, other)
                tried += 1
    assert tried > 0


def test_a_price_in_one_spelling_is_valid_after_the_digest_is_computed_again() -> None:
    """So the certificates of the test before are refused for the spelling, not for the digest."""
    text = a_valid_certificate("optimal-operator")
    path, spelled = next(leaves(json.loads(text)["evidence"]))
    assert verdict(respelled(text, path, spelled)) == checked(respelled(text, path, spelled)) == "valid"


def test_more_counts_than_the_limit_are_unreadable() -> None:
    document = json.loads(a_valid_certificate("optimal-operator"))
    document["parameters"]["counts"] = " ".join(["1"] * 501)
    condition = failing(json.dumps(document))
    assert condition is not None
    assert condition.name == "counts-limit"
    assert checked(json.dumps(document)) == "unreadable"


def test_more_pairs_than_the_limit_are_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for _, text, given in judged()["optimal-operator"] if given == "valid"]
    text = max(texts, key=lambda each: certificates_operators.set_work(Certificate(each)))
    work = certificates_operators.set_work(Certificate(text))
    assert work > 1
    monkeypatch.setattr(certificates_operators, "MOST_PAIRS", work)
    monkeypatch.setattr("splu_ref.certificate_checker.MAX_SETS", work)
    assert verdict(text) == checked(text) == "valid"
    monkeypatch.setattr(certificates_operators, "MOST_PAIRS", work - 1)
    monkeypatch.setattr("splu_ref.certificate_checker.MAX_SETS", work - 1)
    assert verdict(text) == checked(text) == "unreadable"


@pytest.mark.parametrize("gamma", [2, 3, 5])
@pytest.mark.parametrize("z", [Fraction(1, 3), Fraction(9, 10), Fraction(10, 9), Fraction(7, 2)])
def test_a_tilt_on_the_wrong_side_proves_nothing(gamma: int, z: Fraction) -> None:
    """The bound is above 1, so that the side on which a tilt stands is implied, but for a tilt of 0."""
    side = "upper" if z < 1 else "lower"
    for epsilon in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        for f in range(1, 12):
            bound = product(tail_factors(gamma, None, epsilon, f, side, z))
            # With k rounded towards f the bound can be 1 less than a step away: then error k is none.
            assert bound > 1 or (side == "upper" and epsilon * f < 1)


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"splu_ref.spec.{module}"))
    assert found.failed == 0


def imported(node: ast.AST) -> list[str]:
    """Return the modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [each.name for each in node.names] if isinstance(node, ast.Import) else []


@pytest.mark.parametrize("module", MODULES)
def test_it_computes_apart_from_the_library(module: str) -> None:
    tree = ast.walk(ast.parse((ROOT / f"{module}.py").read_text("utf-8")))
    names = [name for node in tree for name in imported(node)]
    assert names
    assert [
        name for name in names if name.startswith("splu_ref") and not name.startswith("splu_ref.spec")
    ] == []
