"""Proofs are bound to code: meaning alters a fingerprint, layout does not, and a change is noticed."""

import ast
import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from splu_proofs import LEDGER
from splu_proofs.affirmation import affirm, affirmed, outdated
from splu_proofs.binding import fingerprints, resolve, source_of
from splu_proofs.claim import Claim
from splu_proofs.ledger import Ledger
from splu_proofs.normal_form import fingerprint
from splu_ref.model import InputError

SAMPLE = '''
"""A module."""
LIMIT: int = 3

def helper(x):
    return x + LIMIT

def shown(value, *, width=8, **rest):
    """A docstring."""
    text = f"{value!r:>{width}} of {{{LIMIT}}}" "!"  # a comment
    return {**rest, "text": text, 1.5: helper(value)[::2], **{}}

def other(x):
    return x
'''
NAMES = sorted({name for claim in LEDGER for name in fingerprints(claim) if not name.endswith(".v")})


def test_the_normal_form_is_the_same_on_every_python() -> None:
    # computed once and committed: another Python that disagrees would call every proof outdated
    assert fingerprint(SAMPLE) == "d02d66fe02dfc4f2e06a9198a06390f09f922cb4e11e3bda5598d1e84054559b"
    assert fingerprint(SAMPLE, "shown") == "23d4b651f89d10e94105e37aab5e7912b4cdbcdf3e01ff24cf1afbc3d3e79293"


@pytest.mark.parametrize(
    "same",
    [
        SAMPLE.replace("  # a comment", ""),
        SAMPLE.replace('    """A docstring."""\n', ""),
        SAMPLE.replace('"""A module."""', '"""Another text."""'),
        SAMPLE.replace("return x + LIMIT", "return (\n        x\n        + LIMIT  # sum\n    )"),
        SAMPLE.replace(
            '''f"{value!r:>{width}} of {{{LIMIT}}}" "!"''', """f'{value!r:>{width}} of {{{LIMIT}}}!'"""
        ),
        SAMPLE.replace("(value, *, width=8, **rest)", "(\n    value,\n    *,\n    width=8,\n    **rest,\n)"),
        SAMPLE.replace("    ", "  "),
    ],
)
def test_layout_comments_and_docstrings_do_not_matter(same: str) -> None:
    assert same != SAMPLE
    assert fingerprint(same) == fingerprint(SAMPLE)
    assert fingerprint(same, "shown") == fingerprint(SAMPLE, "shown")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("width=8", "width=9"),
        ("!r:", "!s:"),
        (" of {{", " or {{"),
        ("::2", "::3"),
        ("1.5", "1"),
        ("**rest", "**kept"),
        ('text": text', 'text": value'),
        ("x + LIMIT", "x - LIMIT"),  # in a function that is used
        ("LIMIT: int = 3", "LIMIT: int = 4"),  # in a constant that is used by a function that is used
        (", **{}}", "}"),
    ],
)
def test_every_change_of_meaning_matters(old: str, new: str) -> None:
    assert old in SAMPLE
    assert fingerprint(SAMPLE.replace(old, new), "shown") != fingerprint(SAMPLE, "shown")


def test_what_is_not_used_does_not_matter() -> None:
    changed = SAMPLE.replace("    return x\n", "    return -x\n")
    assert fingerprint(changed, "shown") == fingerprint(SAMPLE, "shown")
    assert fingerprint(changed) != fingerprint(SAMPLE)


def test_a_name_that_is_not_defined() -> None:
    with pytest.raises(KeyError):
        fingerprint(SAMPLE, "missing")
    with pytest.raises(InputError, match=r"splu_proofs\.arithmetic\.law does not define missing"):
        resolve("splu_proofs.arithmetic.law:missing")
    with pytest.raises(InputError, match=r"there is no module splu_proofs\.lore"):
        resolve("splu_proofs.lore:window")


@pytest.mark.parametrize("bound", NAMES)
def test_every_bound_name_survives_relayout_and_notices_a_change(bound: str) -> None:
    module, _, name = bound.partition(":")
    tree = ast.parse(source_of(module))
    before = resolve(bound)
    assert fingerprint(ast.unparse(tree), name or None) == before
    changed = 0
    for altered in _alterations(tree, name):
        assert fingerprint(ast.unparse(altered), name or None) != before
        changed += 1
    assert changed >= 1


def test_a_claim_is_bound_to_its_proof_the_law_and_what_it_licenses() -> None:
    names = fingerprints(LEDGER.get("splu.T3c"))
    assert {
        "splu_proofs.splu.chebyshev",
        "splu_proofs.arithmetic.law",
        "splu_ref.guarantees.concentration",
    } <= names.keys()
    assert {"splu_proofs.printed.theorem3", "splu_proofs.arithmetic.trials"} <= fingerprints(
        LEDGER.get("splu.T3")
    ).keys()
    assert "splu_proofs.worlds.shipped" in fingerprints(LEDGER.get("splu.B"))


@pytest.mark.parametrize("claim", list(LEDGER), ids=lambda claim: claim.id)
def test_an_alteration_of_anything_bound_makes_the_proof_outdated(claim: Claim, tmp_path: Path) -> None:
    path = tmp_path / "affirmed.json"
    assert outdated(claim, path).startswith("proof never affirmed")
    affirm(claim, path)
    assert outdated(claim, path) == ""
    known = affirmed(path)[claim.id]
    for name in known:
        path.write_text(json.dumps({claim.id: {**known, name: "0" * 64}}))
        assert outdated(claim, path).startswith(f"proof outdated, changed: {name}; ")
        assert outdated(claim, path).endswith(f"--reaffirm {claim.id}")


def test_an_outdated_claim_fails_until_it_is_reaffirmed(tmp_path: Path) -> None:
    path = tmp_path / "affirmed.json"
    ledger = Ledger(("splu_proofs.splu",), {}, {}, path)
    assert not ledger.run("splu.E1")[0].passed
    assert "proof never affirmed" in ledger.run("splu.E1")[0].message
    assert ledger.reaffirm("splu.E1").passed
    assert ledger.run("splu.E1")[0].passed
    assert list(affirmed(path)) == ["splu.E1"]


def test_a_name_that_is_gone_makes_the_proof_outdated(tmp_path: Path) -> None:
    path = tmp_path / "affirmed.json"
    claim = LEDGER.get("splu.E1")
    affirm(claim, path)
    moved = replace(claim, licenses=("splu_ref.model:Moved",))
    assert "splu_ref.model does not define Moved" in outdated(moved, path)


def test_evidence_that_fails_is_not_affirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(("splu_proofs.splu",), {}, {}, tmp_path / "affirmed.json")
    monkeypatch.setattr("splu_proofs.splu.example1.decimal", lambda *_: "0.5")
    with pytest.raises(InputError, match=r"splu\.E1 is not affirmed: summed_in_fractions"):
        ledger.reaffirm("splu.E1")
    assert not (tmp_path / "affirmed.json").exists()


def test_an_installed_copy_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="re-affirm from a checkout"):
        affirm(LEDGER.get("splu.E1"), tmp_path / "nowhere" / "affirmed.json")


def _alterations(tree: ast.Module, name: str) -> Iterator[ast.Module]:
    """Yield copies of a module in which one name, number or operator of a definition is another."""
    positions = [
        index
        for index, node in enumerate(ast.walk(_definition(tree, name)))
        if isinstance(node, ast.Name | ast.Attribute | ast.BinOp)
        or (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int)
            and not isinstance(node.value, bool)
        )
    ]
    for position in {positions[0], positions[len(positions) // 2], positions[-1]}:
        altered = copy.deepcopy(tree)
        node = list(ast.walk(_definition(altered, name)))[position]
        if isinstance(node, ast.Name):
            node.id += "_"
        elif isinstance(node, ast.Attribute):
            node.attr += "_"
        elif isinstance(node, ast.BinOp):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        elif isinstance(node, ast.Constant):
            node.value += 1  # type: ignore[operator]  # integers alone were chosen
        yield altered


def _definition(tree: ast.Module, name: str) -> ast.AST:
    found: ast.AST = tree
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            found = node
    return found
