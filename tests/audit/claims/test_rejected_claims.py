"""For every kind of claim, one that is true with nothing to lose, and one just beyond it that is rejected.

The verdict, the exit code of the command and its JSON are those of the one claim that is false.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splu_ref.audit.claims.reading import KINDS
from splu_ref.audit.claims.verdict import Finding, Verdict
from splu_ref.cli import main
from splu_ref.report.claims import AuditedClaim, ClaimsAudit

FILES = {
    "t.csv": "q,s\np,x\np,y\nu,x\nu,x\nu,y\n",
    "w.toml": 'schema = "splu-ref/world/1"\n[[record]]\nlaw = {yes = "1/2", no = "1/2"}\n[release]\n'
    'publish = "count"\nof = ["yes"]\n',
}
Keys = dict[str, str | list[str]]
HALF: Keys = {"gamma": "2", "epsilon": "1"}  # a count f is off by f or more with probability 2^(1 - 2f)
TABLE: Keys = {"mechanism": "table", "table": "t.csv", "quasi": ["q"], "sensitive": "s"}
FINE: Keys = {"gamma": "10", "epsilon": "1/20", "t_e": "1/100"}
PAIR: Keys = {"mechanism": "alpha-beta", "alpha": "2/5", "beta": "1/5"}
COINS: Keys = {"mechanism": "retention", "retention": "1/5", "values": "4"}  # an amplification of 2
CLAIMS: dict[str, list[tuple[Keys, Keys, Keys]]] = {
    "small-sum-privacy": [
        ({**HALF, "alpha": "1"}, {"t_p": "1/2"}, {"t_p": "0.500000000001"}),
        ({**HALF, "t_p": "1/32"}, {"alpha": "3"}, {"alpha": "4"}),
    ],
    "large-sum-utility": [
        ({**HALF, "t_e": "1/32"}, {"t_f": "3"}, {"t_f": "2"}),
        ({**HALF, "t_f": "3"}, {"t_e": "1/32"}, {"t_e": "0.031249999999"}),
    ],
    "error-at-count": [
        ({**HALF, "frequency": "3"}, {"t_e": "1/32"}, {"t_e": "0.031249999999"}),
        ({**HALF, "frequency": "3"}, {"t_p": "1/32"}, {"t_p": "0.031250000001"}),
    ],
    "concept-privacy": [
        ({**HALF, "alpha": "1", "estimator": "mle"}, {"t_p": "1/2"}, {"t_p": "0.500000000001"}),
    ],
    "threshold-formula": [
        (FINE, {"formula": "chebyshev"}, {"formula": "printed"}),
    ],
    "rho-privacy": [
        ({**COINS, "rho1": "1/3"}, {"rho2": "0.500000000001"}, {"rho2": "1/2"}),
        ({**COINS, "rho2": "1/2"}, {"rho1": "0.333333333333"}, {"rho1": "1/3"}),
    ],
    "local-epsilon": [
        (COINS, {"e_epsilon": "2"}, {"e_epsilon": "1.999999999999"}),
        ({**COINS, "releases": "3"}, {"e_epsilon": "8"}, {"e_epsilon": "7.999999999999"}),
    ],
    "reconstructible": [
        ({"mechanism": "retention", "values": "4"}, {"retention": "1/1000000"}, {"retention": "0"}),
    ],
    "d-gamma": [
        ({**PAIR, "level": "1/2"}, {"d": "1/4"}, {"d": "0.250000000001"}),
        ({**PAIR, "d": "1/4"}, {"level": "1/2"}, {"level": "0.499999999999"}),
    ],
    "entropy-loss": [
        ({"mechanism": "world", "world": "w.toml"}, {"bits": "1"}, {"bits": "0.999999999999"}),
    ],
    "k-anonymity": [(TABLE, {"k": "2"}, {"k": "3"})],
    "l-diversity": [(TABLE, {"l": "2"}, {"l": "3"})],
    "t-closeness": [(TABLE, {"t": "1/10"}, {"t": "0.099999999999"})],
}  # fmt: skip
"""By kind: what both claims say, then what the true and the false one say."""
CASES = [(kind, place) for kind, claims in CLAIMS.items() for place in range(len(claims))]


def test_every_kind_of_claim_has_one_that_is_rejected() -> None:
    assert set(CLAIMS) == set(KINDS)


def audited(folder: Path, kind: str, *claims: Keys) -> int:
    """Return the exit code of the command."""
    lines = ['schema = "splu-ref/claims/1"']
    for number, keys in enumerate(claims):
        lines += ["[[claim]]", f'id = "c{number}"', f'kind = "{kind}"']
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (folder / "claims.toml").write_text("\n".join(lines) + "\n", "utf-8")
    for name, content in FILES.items():
        (folder / name).write_text(content, "utf-8")
    return main(["audit", str(folder / "claims.toml"), "--json"])


@pytest.mark.parametrize(("kind", "place"), CASES)
def test_a_claim_just_beyond_a_true_one_is_rejected(
    kind: str, place: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both, true, false = CLAIMS[kind][place]

    def verdicts(*claims: Keys) -> tuple[int, bool, list[str]]:
        code = audited(tmp_path, kind, *({**both, **claim} for claim in claims))
        found = json.loads(capsys.readouterr().out)
        return code, found["holds"], [claim["verdict"] for claim in found["claims"]]

    assert verdicts(true) == (0, True, ["confirmed"])
    code, holds, (first, second) = verdicts(true, false)
    assert (code, holds, first) == (1, False, "confirmed")
    assert Verdict(second).contradicted


def finding(verdict: Verdict) -> AuditedClaim:
    found = Finding(verdict=verdict, stated="", found="", numbers={}, recompute="")
    return AuditedClaim(None, found, 0.0)  # type: ignore[arg-type]  # of the claim nothing is requested


EXITS = {Verdict.CONFIRMED: 0, Verdict.NARROWED: 1, Verdict.REFUTED: 1, Verdict.NOT_DECIDED: 3}


@pytest.mark.parametrize("verdict", Verdict)
def test_one_verdict_decides_the_exit_code_of_an_audit(verdict: Verdict) -> None:
    for claims in ((verdict,), (Verdict.CONFIRMED, verdict), (verdict, Verdict.CONFIRMED)):
        audit = ClaimsAudit("f", "", tuple(map(finding, claims)))
        assert (audit.exit_code, audit.holds) == (EXITS[verdict], verdict is Verdict.CONFIRMED)
    worst = ClaimsAudit("f", "", tuple(map(finding, (Verdict.NOT_DECIDED, verdict))))
    assert worst.exit_code == (1 if verdict.contradicted else 3)


def test_an_audit_without_a_claim_does_not_hold() -> None:
    nothing = ClaimsAudit("f", "", ())
    assert (nothing.holds, nothing.exit_code) == (False, 3)
