"""The ledger as a whole: it runs green, its graph is closed, and its rows have the agreed shape."""

import ast
import json
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import jsonschema
import pytest

from splu_proofs import LEDGER
from splu_proofs.__main__ import main
from splu_proofs.affirmation import FOLDER, NAME, affirmed
from splu_proofs.claim import Scope, Status
from splu_proofs.evidence import Grade
from splu_proofs.ledger import Ledger
from splu_proofs.reach import reached
from splu_ref.channels.parameters import InputError
from splu_ref.cli import ledger as ledger_command

ROOT = Path(__file__).parents[2]
IDS = [claim.id for claim in LEDGER]

ROW = {
    "type": "object",
    "required": ["id", "paper", "source", "status", "grade", "witness", "corrected_by", "depends_on",
                 "dependants", "statement", "words", "topples", "kernel", "scope", "instances"],
    "properties": {
        "id": {"type": "string", "pattern": r"^[a-z]+\.[A-Za-z0-9]+$"},
        "paper": {"type": "string", "minLength": 20},
        "source": {"type": "string", "minLength": 3},
        "status": {"enum": [str(status) for status in Status]},
        "grade": {"enum": [None, "kernel", "symbolic", "exact", "enumerated", "statistical"]},
        "scope": {"enum": [None, "general", "instances"]},
        "instances": {"type": "string"},
        "witness": {
            "type": ["object", "null"],
            "required": ["parameters", "printed", "true", "order", "by_hand"],
            "properties": {"parameters": {"type": "object", "additionalProperties": {"type": "string"}}},
        },
        "corrected_by": {"enum": [None, *IDS]},
        "depends_on": {"type": "array", "items": {"enum": IDS}},
        "dependants": {"type": "array", "items": {"enum": IDS}},
        "statement": {"type": "string", "minLength": 3},
        "words": {"type": "string", "minLength": 20},
        "topples": {"type": "array", "items": {"enum": IDS}},
        "kernel": {
            "type": ["object", "null"],
            "required": ["theorems", "covers", "leaves"],
            "properties": {"theorems": {"type": "array", "items": {"pattern": r"^SPLU\.\w+\.\w+$"}}},
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("claim_id", ["splu.D1", "splu.B", "splu.T3", "splu.T2", "rastogi.D23", "olap.SWAP"])
def test_a_claim_passes_with_its_grade(claim_id: str) -> None:
    """One of each kind: that all pass is what the test of the wheel has its quick verification show."""
    [result] = LEDGER.run(claim_id)
    assert result.passed, result.message
    assert result.message == ""
    assert result.grade == LEDGER.get(claim_id).grade
    assert result.as_json()["grade"] == (None if result.grade is None else str(result.grade))


CLAIMS = {
    "splu": """
    D1 D2 D3 D4 S3 G B T2 T3 T3c L1 F4 L1c S E1 L2 T4 L2g E2 F5 D5 D6 M1 M1c M1b V I K L3 L4 PB T4conj T4c
    C DOM POST DBR DP COST DN ANA ANAs ANAp BAT BATc DL DBRp D2e R Rp Sp Vp UC TR TRI POSTm POSTp KEEP Cc DOMc
    Ic Kc DBRc DPc AC FG F4s J ND NDe X0 EX CAP AON AONc CEIL TV PACK PACKu PACKv
    CAPT FRONT FRONTc PRICE NEAR L2d LIST LISTc ROUNDS DEV DEVv
    """,
    "rastogi": "D23 LEAK DN T43 T43n T43c EST T44 MV SD T33",
    "entropy": "D2 D2n D2e EX EXc PX PXc T1 T2 T2c MAX I Ic AS QSS QSSc OUT OUTc PERT ENC",
    "chaytor": """
    HOM ALL ALLc CORR IND INDc DPPUB DPPUBc REPUB REPUBc TIME DOM SDR SDRc OPTRR FINE FINEc EQ1 OPT OPTc
    COMP WHOLE PGS PGG
    FIG7 FIG7c BIG BIGc DUP DUPc LINK LINKc
    """,
    "olap": """
    B Bc T1 T1s D45 SET T3 T4 T4r T4c T5 T5e T5c ADD
    TP FIT T2 T2c EM EMc EIG EIGc ERR TWO ZIPF S1530 P38 P38c TREE
    ID IDc SELF SELFc IDERR IDERRc L1 SWAP SWAPc PAIRS RARE RAREc EXT
    """,
}
"""The claims of each paper by its folder."""
REFUTED = {
    "splu.T3": "splu.T3c",
    "splu.L1": "splu.L1c",
    "splu.F4": "splu.L1c",
    "splu.M1": "splu.M1c",
    "splu.I": "splu.Ic",
    "splu.K": "splu.Kc",
    "splu.L3": "splu.T4c",
    "splu.T4conj": "splu.T4c",
    "splu.C": "splu.Cc",
    "splu.DOM": "splu.DOMc",
    "splu.DBR": "splu.DBRc",
    "splu.DP": "splu.DPc",
    "splu.F4s": "splu.L1c",
    "splu.NDe": "splu.ND",
    "splu.FG": "splu.POST",
    "splu.AON": "splu.AONc",
    "splu.FRONT": "splu.FRONTc",
    "splu.LIST": "splu.LISTc",
    "rastogi.T43n": "rastogi.T43c",
    "rastogi.DN": "rastogi.T43c",
    "chaytor.FIG7": "chaytor.FIG7c",
    "chaytor.BIG": "chaytor.BIGc",
    "chaytor.DUP": "chaytor.DUPc",
    "chaytor.LINK": "chaytor.LINKc",
    "chaytor.ALL": "chaytor.ALLc",
    "chaytor.IND": "chaytor.INDc",
    "chaytor.DPPUB": "chaytor.DPPUBc",
    "chaytor.REPUB": "chaytor.REPUBc",
    "chaytor.SDR": "chaytor.SDRc",
    "chaytor.FINE": "chaytor.FINEc",
    "chaytor.OPT": "chaytor.OPTc",
    "olap.B": "olap.Bc",
    "olap.T4r": "olap.T4c",
    "olap.T5e": "olap.T5c",
    "olap.T2": "olap.T2c",
    "olap.EM": "olap.EMc",
    "olap.EIG": "olap.EIGc",
    "entropy.QSS": "entropy.QSSc",
    "entropy.OUT": "entropy.OUTc",
    "entropy.I": "entropy.Ic",
    "entropy.PX": "entropy.PXc",
    "entropy.D2n": "entropy.D2e",
    "entropy.EX": "entropy.EXc",
    "entropy.T2": "entropy.T2c",
    "olap.ID": "olap.IDc",
    "olap.SELF": "olap.SELFc",
    "olap.IDERR": "olap.IDERRc",
    "olap.SWAP": "olap.SWAPc",
    "olap.RARE": "olap.RAREc",
    "olap.P38": "olap.P38c",
}
"""Each refuted claim with what holds instead."""
AS_STATED = {"splu.ND", "splu.POST"}
"""Those of the latter that hold as stated; the others are corrections."""
MEASURED = {"splu.COST", "splu.ROUNDS", "chaytor.TIME", "olap.S1530", "olap.TREE"}
"""Claims whose evidence is a measurement."""


@pytest.mark.parametrize("paper", CLAIMS)
def test_every_claim_of_a_paper_is_there(paper: str) -> None:
    expected = [f"{paper}.{name}" for name in CLAIMS[paper].split()]
    assert sorted(expected) == sorted(claim_id for claim_id in IDS if claim_id.startswith(f"{paper}."))
    assert {claim.module.split(".")[1] for claim in LEDGER if claim.id in expected} <= {paper}


def test_claims_stand_under_their_paper() -> None:
    papers = list(LEDGER.by_paper().values())
    assert [claim.id for claims in papers for claim in claims] == IDS
    assert [{claim.id.partition(".")[0] for claim in claims} for claims in papers] == [
        {paper} for paper, names in CLAIMS.items() if names
    ]


def test_verdicts() -> None:
    refuted = {claim.id: claim.corrected_by for claim in LEDGER if claim.status is Status.REFUTED}
    assert refuted == REFUTED
    corrected = {claim.id for claim in LEDGER if claim.status is Status.CORRECTED}
    assert corrected == set(refuted.values()) - AS_STATED
    assert {claim.id for claim in LEDGER if claim.grade is Grade.STATISTICAL} == MEASURED
    verified = {claim.id for claim in LEDGER if claim.status is Status.VERIFIED}
    assert verified == {
        claim.id
        for claim in LEDGER
        if claim.scope is Scope.INSTANCES and claim.status is not Status.CORRECTED
    }
    assert len(verified) == 20


def test_rows_have_the_agreed_shape() -> None:
    rows = LEDGER.rows()
    jsonschema.validate(json.loads(json.dumps(rows)), {"type": "array", "items": ROW})
    assert [row["id"] for row in rows] == IDS
    assert LEDGER.rows("splu.T3")[0]["witness"] is not None
    assert (LEDGER.rows("splu.T2")[0]["witness"], LEDGER.rows("splu.T2")[0]["corrected_by"]) == (None, None)


def test_a_row_is_rejected_by_the_schema_if_a_key_is_missing() -> None:
    row = {key: value for key, value in LEDGER.rows("splu.B")[0].items() if key != "dependants"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(row, ROW)


@pytest.mark.parametrize("claim_id", IDS)
def test_the_graph_is_closed_and_has_no_circles(claim_id: str) -> None:
    claim = LEDGER.get(claim_id)
    for other in claim.rests_on:
        assert claim_id in LEDGER.dependants(other)
    assert claim_id not in LEDGER.fallen_with(claim_id)
    if claim.corrected_by is not None:
        assert LEDGER.get(claim.corrected_by).status in (Status.PROVED, Status.VERIFIED, Status.CORRECTED)
    if claim.status is Status.REFUTED:
        assert claim.topples == LEDGER.fallen_with(claim_id)


def test_what_holds_does_not_rest_on_what_is_refuted() -> None:
    assert LEDGER.fallen_with("splu.T3") == ("splu.L1", "splu.F4", "splu.F4s")
    for claim in LEDGER:
        if claim.status is not Status.REFUTED:
            assert all(LEDGER.get(other).status is not Status.REFUTED for other in claim.rests_on)


def test_an_unknown_id_names_the_closest() -> None:
    with pytest.raises(InputError, match=r"no claim 'splu\.T3x': did you mean .*splu\.T3"):
        LEDGER.get("splu.T3x")
    with pytest.raises(InputError, match=r"the ids are splu\.DN"):
        LEDGER.run("42")


def test_a_claim_cannot_vanish_unnoticed(tmp_path: Path) -> None:
    assert set(affirmed()) == set(IDS)
    for path in FOLDER.glob(f"*/{NAME}"):
        (tmp_path / path.parent.name).mkdir()
        (tmp_path / path.parent.name / NAME).write_text(path.read_text())
    with (tmp_path / "splu" / NAME).open("a") as file:
        file.write('["splu.X1".code]\n["splu.X1".affirmed]\nmodules = ["splu_proofs.splu.gone"]\n')
    with pytest.raises(InputError, match=r"splu\.X1: affirmed once and now missing"):
        Ledger(tuple(f"splu_proofs.{paper}" for paper in CLAIMS), {}, {}, affirmed=tmp_path).run()


def test_a_module_of_proofs_that_is_gone_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splu_proofs.splu.MODULES", ("sawtooth", "sawtoothless"))
    with pytest.raises(InputError, match=r"no module splu_proofs\.splu\.sawtoothless: restore the proof"):
        Ledger(("splu_proofs.splu",), {}, {})._load(["new"])


def test_progress_is_reported_for_every_claim() -> None:
    seen: list[tuple[str, int, int]] = []
    LEDGER.run("splu.E2", lambda *reported: seen.append(reported))
    assert seen == [("splu.E2", 0, 1)]


@pytest.mark.parametrize("claim_id", IDS)
def test_named_tests_exist(claim_id: str) -> None:
    for node in LEDGER.get(claim_id).tests:
        path, _, name = node.partition("::")
        names = {
            each.name
            for each in ast.walk(ast.parse((ROOT / path).read_text()))
            if isinstance(each, ast.FunctionDef)
        }
        assert name in names
        assert path != "tests/proofs/test_ledger.py"  # that the claim passes is no second opinion of it


@pytest.mark.parametrize("claim_id", [claim.id for claim in LEDGER if claim.licenses])
def test_every_license_is_reached_by_the_evidence_or_by_a_named_test(claim_id: str) -> None:
    claim = LEDGER.get(claim_id)
    known = set(reached([(claim.module, None)]))
    for path in {node.partition("::")[0] for node in claim.tests}:
        for node in ast.walk(ast.parse((ROOT / path).read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("splu_ref"):
                known |= set(reached([(str(node.module), None)]))
        if path.startswith("tests/cli/"):  # commands are run by their names
            known |= {f"splu_ref.cli.{each.stem}" for each in (ROOT / "splu_ref" / "cli").glob("*.py")}
    assert {name.partition(":")[0] for name in claim.licenses} <= known


def test_nothing_of_the_library_imports_proofs() -> None:
    files = list((ROOT / "splu_ref").rglob("*.py"))
    assert len(files) > 10
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                called = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if called in ("import_module", "__import__"):
                    names = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
            assert not [name for name in names if name.split(".")[0] == "splu_proofs"], path


def test_printed_formulas_are_reached_through_the_ledger_alone() -> None:
    assert set(LEDGER.printed) == {
        "splu.T3", "splu.L1", "splu.M1", "splu.I", "splu.K", "splu.T4conj", "olap.B", "olap.T5e",
    }  # fmt: skip
    for function in LEDGER.printed.values():
        assert function.__module__.startswith("splu_proofs.printed.")
    script = (
        "import sys, splu_ref.guarantees, splu_ref.guarantees.certificates, splu_ref.cli; "
        "print('splu_proofs' in sys.modules)"
    )
    assert _python(script) == "False"


def test_the_entry_point_leads_to_the_ledger() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["splu_ref.ledger"] == {"splu": "splu_proofs:LEDGER"}


def test_another_entry_point_is_not_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = EntryPoint("splu", "elsewhere:LEDGER", ledger_command.GROUP)
    [genuine] = entry_points(group=ledger_command.GROUP)
    monkeypatch.setattr(ledger_command, "entry_points", lambda group: (foreign, genuine))
    assert ledger_command.load_ledger() is LEDGER
    monkeypatch.setattr(ledger_command, "entry_points", lambda group: (foreign,))
    with pytest.raises(InputError, match="no claims ledger is installed"):
        ledger_command.load_ledger()


def test_importing_the_ledger_is_cheap_and_so_are_its_rows() -> None:
    slow = "{'sympy', 'z3', 'numpy', 'polars', 'splu_proofs.splu.sawtooth'}"
    loaded = f"print(sorted({slow} & set(sys.modules)))"
    assert _python(f"import sys, splu_proofs; {loaded}") == "[]"
    rows = _python(f"import sys, splu_proofs; splu_proofs.LEDGER.rows(); {loaded}")
    assert "splu_proofs.splu.sawtooth" in rows
    assert "sympy" not in rows
    assert "z3" not in rows


def test_the_command_prints_runs_and_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    table = capsys.readouterr().out
    assert all(claim_id in table for claim_id in IDS)
    assert "5/9" in table
    assert main(["--run", "splu.E1"]) == 0
    assert "summed_in_fractions" in capsys.readouterr().out
    assert main(["--run", "splu.E9"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("splu_proofs: the ledger has no claim")
    assert error.count("\n") == 1


def _python(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT
    )
    return done.stdout.strip()


def test_a_module_without_a_claim_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splu_proofs.rastogi.MODULES", ("estimator", "__init__"))
    with pytest.raises(InputError, match="has no claim: take it out of MODULES"):
        Ledger(("splu_proofs.rastogi",), {}, {})._load(["new"])
