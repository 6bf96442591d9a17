"""The machinery has mutants of its own: each part that is made to accept everything stops the ledger."""

from collections.abc import Callable
from typing import Any

import pytest

from splu_proofs import (
    LEDGER,
    check,
    claim,
    derivation,
    evidence,
    recheck,
    relation,
    self_check,
    step,
    witness,
)
from splu_proofs.degree import Degree
from splu_proofs.self_check import require_able_to_refuse
from splu_proofs.step import Opinion
from splu_ref.channels.parameters import InputError

YES = Opinion(True, "")


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def test_the_machinery_refuses_what_it_must() -> None:
    require_able_to_refuse()


@pytest.mark.parametrize(
    ("place", "name", "mutant", "reported"),
    [
        (self_check, "on_grid", _always(YES), "a false identity, on a grid, passes"),
        (self_check, "on_grid", _always(Opinion(False, "")), "a true identity, on a grid, is refused"),
        (self_check, "by_differences", _always(YES), "a false inequality, by differences, passes"),
        (self_check, "by_solver", _always(YES), "a false inequality, by the solver, passes"),
        (recheck, "_agree", _always(YES), "a false identity, on a grid, passes"),
        (recheck, "_nonnegative", _always(YES), "a false inequality, by differences, passes"),
        (recheck, "_whole", _always(True), "hypotheses in fractions passes"),
        (Degree, "__mul__", lambda self, _: self, "a false identity, on a grid, passes"),
        (step.Identity, "witnessed", _always(True), "an identity that SymPy denies passes"),
        (step.Inequality, "witnessed", _always(True), "an inequality that SymPy denies passes"),
        (step.Identity, "empty", _always(""), "an identity of a thing with itself passes"),
        (step.Inequality, "empty", _always(""), "a step that repeats a hypothesis passes"),
        (step, "_heard", lambda step, _: step_result(step), "a step without a judge passes"),
        (relation.Relation, "check", _always(""), "a false statement passes"),
        (relation, "_SIGNS", relation._SIGNS | {">": (">", _always(True))}, "a false statement passes"),
        (derivation.Gives, "check", _always(1), "a step about something else passes"),
        (derivation.Derivation, "check", _always(()), "a step about something else passes"),
        (witness.Witness, "check", _always(""), "a witness of other values passes"),
        (
            witness.Witness,
            "meets",
            _always(True),
            "a true witness is refused",
        ),
        (witness.Witness, "_check_dependence", _always(None), "a witness from constants passes"),
        (check.Check, "run", _always(""), "a check with a false comparison passes"),
        (check.Check, "undetected", _always(""), "a check without comparisons passes"),
        (check, "_holds", _always(True), "a true check is refused"),
        (check.Check, "compared", _always(""), "a weaker bound with the record of another passes"),
        (check.Closeness, "loose", False, "a check of bounds far away passes"),
        (check, "_inexact", _always(False), "a check of floats passes"),
        (
            claim,
            "_compared",
            lambda *_: evidence.Evidence("", evidence.Grade.EXACT, True, ""),
            "whose check fails passes",
        ),
        (
            claim,
            "_stated",
            lambda *_, **__: evidence.Evidence("", None, True, ""),
            "whose statement is false passes",
        ),
        (claim.Claim, "examine", _always([]), "a claim whose check fails passes"),
    ],
)
def test_a_mutant_of_the_machinery_stops_the_ledger(
    place: Any, name: str, mutant: Any, reported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, mutant)
    for ask in (lambda: LEDGER.run("splu.E1"), lambda: LEDGER.reaffirm("splu.E1", reason="A test.")):
        with pytest.raises(
            InputError, match=rf"the check of proofs is broken: .*{reported}; restore its modules"
        ):
            ask()


def step_result(judged: Any) -> step.StepResult:
    return step.StepResult(judged.name, True, "")
