from __future__ import annotations

import json
from typing import Any

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.cli import concept, main


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert main(["concept", *map(str, arguments), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result: dict[str, Any] = json.loads(captured.out)
    return result


def test_the_count_itself_keeps_what_theorem_4_says(capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, "--gamma", 10, "--epsilon", "0.3", "--alpha", 3)
    assert result["t_p"] == {"fraction": "612579511/1000000000", "decimal": "0.612579511", "digits": 12}
    assert (result["method"], result["proved"]) == ("mle", True)
    assert result["worst"]["concept_count"] == result["worst"]["sensitive_count"] == 1


def test_the_closed_form_names_its_worst_concept(capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, "--gamma", 5, "--epsilon", "3/10", "--alpha", 5, "--method", "exact")
    assert result["t_p"] == {"fraction": "4096/15625", "decimal": "0.262144", "digits": 12}
    assert result["worst"] == {
        "predicate_count": 6, "concept_count": 5, "sensitive_count": 5, "rows": 825, "decoys_in_predicate": 1,
    }  # fmt: skip
    assert result["t_p_pure"] == result["t_p"]
    assert "all, by proof" in result["searched"]


def test_the_printed_reconstruction_comes_from_the_ledger(capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, "--gamma", 2, "--epsilon", "2/5", "--alpha", 1, "--method", "printed")
    assert (result["t_p"]["fraction"], result["t_p_pure"]["fraction"]) == ("1/4", "1/2")
    assert (result["method"], result["proved"]) == ("printed", False)


def test_without_the_proofs_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent() -> Any:
        raise InputError(
            "no claims ledger is installed: install splu-ref again, with its package splu_proofs"
        )

    monkeypatch.setattr(concept, "load_ledger", absent)
    arguments = ["concept", "--gamma", "2", "--epsilon", "2/5", "--alpha", "1"]
    assert main([*arguments, "--method", "printed"]) == 2
    assert capsys.readouterr().err.startswith("splu-ref: --method printed is part of the proofs")
    assert main([*arguments, "--method", "exact"]) == 0


def test_people_are_reported_who_is_unprotected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["concept", "--gamma", "5", "--epsilon", "0.1", "--alpha", "5", "--method", "exact"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "1024/3125 = 0.32768" in text
    assert "T_P is at most" in text
    assert "nearly all of whose records carry the value" in text


@pytest.mark.parametrize("option", [("--method", "em"), ("--epsilon", "0"), ("--alpha", "x")])
def test_unusable_options_are_one_line(option: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = {"--gamma": "5", "--epsilon": "0.3", "--alpha": "3"} | dict([option])
    assert main(["concept", *(word for pair in arguments.items() for word in pair)]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
