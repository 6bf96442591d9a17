"""Hollow claims: evidence that computes nothing, or a claim that says something else, affirmed or not.

Each change is made to a copy of a claim. The runner refuses hollow evidence even if every part of the claim
may change. What a claim says differently is refused when it is affirmed without naming the part, and the
refusal shows both texts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from shutil import copytree
from types import ModuleType
from typing import Any

import pytest

from splu_proofs import LEDGER, reach
from splu_proofs.affirmation import affirm, blocks, differences, measure, outdated
from splu_proofs.check import Check, Comparisons
from splu_proofs.claim import Claim, Status
from splu_proofs.derivation import Derivation
from splu_proofs.evidence import Grade
from splu_proofs.ledger import Ledger
from splu_proofs.perturbation import perturbation
from splu_proofs.recheck import on_grid
from splu_proofs.relation import Relation
from splu_proofs.step import Identity, Inequality
from splu_proofs.witness import Witness
from splu_proofs.worlds.histograms import greedy_groups
from splu_ref.channels.parameters import InputError

COMPUTED, ENUMERATED, REFUTED, DERIVED = "chaytor.HOM", "chaytor.LINKc", "splu.T3", "chaytor.COMP"
TIED = "chaytor.DPPUBc"
PARTS = ("checks", "compares", "steps", "witness", "grade", "licenses", "sensitivity", "values", "evidence")
HOLLOW = Identity(
    name="a square",
    says="(x+1)^2 = x^2 + 2x + 1",
    variables={"x": 0},
    left=lambda x: (x + 1) ** 2,
    right=lambda x: x**2 + 2 * x + 1,
    recheck=(on_grid,),
)


def _ledger(claim: Claim, folder: Path) -> Ledger:
    ledger = Ledger((), {}, {}, affirmed=folder)
    ledger.__dict__["_claims"] = {claim.id: claim}  # what the packages would have brought
    return ledger


def _copy(claim_id: str, **changes: Any) -> Claim:
    claim = LEDGER.get(claim_id)
    alone: dict[str, Any] = {"rests_on": (), "topples": (), "kernel": None, "asserts": ()}
    if claim.corrected_by:
        alone["corrected_by"] = claim_id
    if claim.grade is Grade.KERNEL:
        alone["grade"] = Grade.EXACT if claim.status is Status.REFUTED else Grade.SYMBOLIC
    copy = replace(claim, **{**alone, **changes})
    copy.derivations.extend(claim.derivations if "asserts" in changes else map(_untied, claim.derivations))
    copy.refutations.extend(claim.refutations)
    copy.checks.extend([_bounding(bounded)] if claim_id == REFUTED else claim.checks)  # its own take seconds
    return copy


def _untied(proof: Callable[[], Derivation]) -> Callable[[], Derivation]:
    def alone() -> Derivation:
        return replace(proof(), gives=())

    alone.__name__ = proof.__name__
    return alone


@pytest.fixture(autouse=True)
def _without_self_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the questions to the machinery, which test_self_check.py is about."""
    monkeypatch.setattr("splu_proofs.ledger.require_able_to_refuse", lambda: None)


# Bodies that compute nothing.


def sentence() -> Any:
    """Return a sentence."""
    return "holds in all cases"


def nothing() -> Comparisons:
    """Compare nothing."""
    yield from ()


def filtered() -> Comparisons:
    """Compare where a condition excludes every case."""
    for case in range(24):
        if case < 0:
            yield case, "=", case, str(case)


def constants() -> Comparisons:
    """Compare numbers that are written down."""
    for case in range(24):
        yield case, "=", case, str(case)


def true() -> Comparisons:
    """Say that everything is true."""
    for case in range(24):
        yield True, "=", True, str(case)


def one_case() -> Comparisons:
    """Compare one case again and again."""
    for _ in range(24):
        yield _groups(), "=", 1, "the one group"


def itself() -> Comparisons:
    """Compare a function with itself."""
    for case in range(24):
        yield _groups(), "=", _groups(), str(case)


def weak() -> Comparisons:
    """Compare with a bound that nothing passes."""
    for case in range(24):
        yield _groups(), "<=", 10**9, str(case)


def floats() -> Comparisons:
    """Compare in floating point."""
    for case in range(24):
        yield float(case) + _groups(), "=", case + 1.0, str(case)


def one_real() -> Comparisons:
    """Compare numbers that are written down, and one that is computed."""
    yield _groups(), "=", 1, "the one group"
    for case in range(23):
        yield case, "=", case, str(case)


def called() -> Comparisons:
    """Call the function, and compare what does not depend on it."""
    for case in range(24):
        yield (_groups() * 0 + case if case else _groups()), "=", case or 1, str(case)


def slack() -> Comparisons:
    """Compare once with the number, and with a bound that nothing passes."""
    for case in range(24):
        yield _groups(), "<=", 10**9 if case else 1, str(case)


def stops() -> Comparisons:
    """Stop before anything is compared, once the function is another one."""
    assert _groups() == 1
    for case in range(24):
        yield case, "=", case, str(case)


def wrong_form() -> Iterator[Any]:
    """Yield texts."""
    for _ in range(24):
        yield "holds"


def _groups() -> int:
    return len(greedy_groups((1, 1), 2))


GREEDY = "splu_proofs.worlds.histograms:greedy_groups doubled"


class Loose(Fraction):
    """A fraction that equals every other one."""

    def __eq__(self, _other: object) -> bool:
        return True

    __hash__ = Fraction.__hash__


def equal_to_all() -> Comparisons:
    """Compare with fractions that equal every other one."""
    for case in range(24):
        yield Loose(_groups()), "=", case, str(case)


BODIES = (
    sentence, nothing, filtered, constants, true, one_case, itself, weak, one_real, called, slack, floats,
    equal_to_all, stops, wrong_form,
)  # fmt: skip


def _with_checks(claim: Claim, change: Callable[[Check], Check]) -> Claim:
    claim.checks[:] = [change(check) for check in claim.checks]
    return claim


def _with_changed_checks(**changes: Any) -> Claim:
    return _with_checks(_copy(COMPUTED), lambda check: replace(check, **changes))


def _with_changed_witness(**changes: Any) -> Claim:
    return _with_witness(_copy(REFUTED), **changes)


def _with_witness(claim: Claim, **changes: Any) -> Claim:
    genuine = claim.refutations[0]

    def refuted() -> Witness:
        return replace(genuine(), **changes)

    claim.refutations[:] = [refuted]
    return claim


def _with_steps(claim: Claim, **changes: Any) -> Claim:
    genuine = claim.derivations[0]

    def derived() -> Derivation:
        return replace(genuine(), **changes)

    claim.derivations[:] = [derived]
    return claim


def _hollow_evidence() -> Iterator[tuple[str, Callable[[], Claim]]]:
    for body in BODIES:
        yield (
            f"body {body.__name__}",
            partial(_with_changed_checks, function=body, perturbed=(GREEDY,), cases=24),
        )
    yield (
        "all bodies return a sentence",
        lambda: _with_checks(_copy(ENUMERATED), lambda check: replace(check, function=sentence)),
    )
    checks: dict[str, dict[str, Any]] = {
        "a smaller number of comparisons": {"cases": 7},
        "no perturbation": {"perturbed": ()},
        "a perturbation of an unrelated function": {
            "perturbed": ("splu_proofs.arithmetic.law:window larger",)
        },
        "a perturbation of a function that is not there": {"perturbed": ("splu_proofs.worlds:none larger",)},
        "a perturbation of another package": {"perturbed": ("math:comb larger",)},
        "a perturbation of a formula that is not there": {"perturbed": ("sum(chances) => 0",)},
    }
    for name, changes in checks.items():
        yield (
            name,
            partial(_with_changed_checks, **changes),
        )
    yield "no checks", lambda: _with_checks(_without_checks(_copy(COMPUTED)), lambda check: check)
    yield (
        "an enumeration that does not depend on the library",
        lambda: _with_checks(
            _copy(ENUMERATED),
            lambda check: replace(
                check, perturbed=tuple(each for each in check.perturbed if not each.startswith("splu_ref"))
            ),
        ),
    )
    yield (
        "a derivation of something trivial, without a judge",
        lambda: _with_steps(_copy(DERIVED), steps=(replace(HOLLOW, recheck=()),)),
    )
    yield "a derivation without steps", lambda: _with_steps(_copy(DERIVED), steps=())
    yield (
        "a statement that no step gives",
        lambda: _with_steps(_copy(TIED, asserts=LEDGER.get(TIED).asserts), steps=(HOLLOW,), gives=()),
    )
    witnesses: dict[str, dict[str, Any]] = {
        "a witness outside the hypotheses": {"parameters": {"gamma": 1, "f": 1, "epsilon": Fraction(1)}},
        "a witness from constants": {
            "actual": lambda *_: Fraction(5, 9),
            "smaller": tuple,
            "count": 0,
            "none_smaller": "it is the first",
        },
        "hypotheses that are checked by nothing": {"premises": (lambda *_: True,) * 3},
        "a witness with the values exchanged": {"printed": Fraction(5, 9), "true": Fraction(1, 3)},
        "nothing smaller": {"smaller": tuple},
        "nothing smaller, and none counted": {"smaller": tuple, "count": 0},
        "a witness that passes over hypotheses": {"premises": ()},
        "a witness that does not contradict": {"sign": "<=", "allowed": lambda *_: Fraction(1)},
        "smaller cases outside the hypotheses": {"smaller": lambda: [(1, 1, 1), (1, 2, 1)]},
        "one smaller case twice": {"smaller": lambda: [(2, 1, Fraction(1))] * 2},
    }
    for name, changes in witnesses.items():  # fmt: skip
        yield name, partial(_with_changed_witness, **changes)
    yield "no witness", lambda: _without_refutations(_copy(REFUTED))


def _without_checks(claim: Claim) -> Claim:
    claim.checks.clear()
    return claim


def _without_refutations(claim: Claim) -> Claim:
    claim.refutations.clear()
    return claim


EVIDENCE = dict(_hollow_evidence())


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Claim], Path]:
    """Return a function that gives a folder in which the claim is affirmed with its own evidence."""

    @cache
    def affirmed(claim_id: str, asserts: tuple[Relation, ...]) -> Path:
        claim, folder = _copy(claim_id, asserts=asserts), tmp_path_factory.mktemp("genuine")
        affirm(claim, folder, reason="A test.")
        assert _ledger(claim, folder).run(claim_id)[0].passed
        return folder

    return lambda hollow: affirmed(hollow.id, hollow.asserts)


@pytest.mark.parametrize("name", EVIDENCE)
def test_hollow_evidence_is_refused_with_and_without_affirming(
    name: str, tmp_path: Path, genuine: Callable[[Claim], Path]
) -> None:
    hollow = EVIDENCE[name]()
    copytree(genuine(hollow), tmp_path, dirs_exist_ok=True)
    assert not _ledger(hollow, tmp_path).run(hollow.id)[0].passed
    with pytest.raises(InputError, match="is not affirmed"):
        _ledger(hollow, tmp_path).reaffirm(hollow.id, reason="A test.", changes=PARTS)
    affirm(hollow, tmp_path, reason="By force, without the runner.")
    assert not _ledger(hollow, tmp_path).run(hollow.id)[0].passed


def test_the_recorded_sensitivity_is_needed_and_falls_only_by_name(tmp_path: Path) -> None:
    genuine = _copy(COMPUTED)
    affirm(genuine, tmp_path, reason="A test.", measured={})
    [result] = _ledger(genuine, tmp_path).run(COMPUTED)
    assert not result.passed
    assert "sensitivity: was measured of no check" in result.message
    measured = dict(measure(genuine))
    measured["sensitivity"] = [line.replace(": 18 of", ": 24 of") for line in measured["sensitivity"]]
    affirm(genuine, tmp_path, reason="A test.", measured=measured)
    with pytest.raises(InputError, match=r"\(sensitivity: .*24 of 24 comparisons -> .*18 of 24 comparisons"):
        _ledger(genuine, tmp_path).reaffirm(COMPUTED, reason="A test.")


# Checks that hold and detect their perturbation, in place of the first.


def bounded() -> Comparisons:
    """Bound a sum."""
    for case in range(24):
        total = sum(range(case))
        yield total, "<=", case * case, f"{case}"


def weaker_bound() -> Comparisons:
    """Bound a sum by twice as much."""
    for case in range(24):
        total = sum(range(case))
        yield total, "<=", 2 * case * case, f"{case}"


def own_formula() -> Comparisons:
    """Compare constants, with a formula of their own."""
    for case in range(24):
        total = case
        yield total, "<=", case, f"{case}"


def with_itself() -> Comparisons:
    """Bound a sum, and one of the sums by itself."""
    for case in range(24):
        total = Fraction(sum(range(case)))
        yield total, "<=", case * case if case else total, f"{case}"


def one_case_less() -> Comparisons:
    """Bound a sum at another case."""
    for case in (*range(12), 11, *range(13, 24)):
        total = sum(range(case))
        yield total, "<=", case * case, f"{case}"


def other_relation() -> Comparisons:
    """Bound a sum strictly, by one more."""
    for case in range(24):
        total = sum(range(case))
        yield total, "<", case * case + 1, f"{case}"


def _bounding(function: Callable[[], Comparisons]) -> Check:
    return Check(
        function=function, grade=Grade.EXACT, cases=24, perturbed=("yield total => yield 1000 + total",)
    )


OTHER_VALUES = (weaker_bound, own_formula, with_itself, one_case_less, other_relation)


@pytest.mark.parametrize("function", OTHER_VALUES)
def test_other_values_are_refused_unless_they_are_named(
    function: Callable[[], Comparisons], tmp_path: Path
) -> None:
    def claim(function: Callable[[], Comparisons]) -> Claim:
        copy = _copy(COMPUTED)
        copy.checks[:] = [_bounding(function)]
        return copy

    affirm(claim(bounded), tmp_path, reason="A test.")
    same = _ledger(claim(bounded), tmp_path)
    assert same.reaffirm(COMPUTED, reason="A test.") == {COMPUTED: {}}
    with pytest.raises(InputError, match=r"\(values: bounded: .* -> "):
        _ledger(claim(function), tmp_path).reaffirm(
            COMPUTED, reason="A test.", changes=("compares", "checks", "sensitivity", "evidence")
        )


SAME_VALUES = {
    "a computed side as a constant": (
        "splu.AC", "splu.anti_concentration", "chance ** (1000 // 20)", "Fraction(1, 10**46)",
    ),
    "fewer smaller cases of a witness": ("splu.T3", "splu.theorem3", "range(2, 3)", "(2,)"),
    "a hypothesis that accepts more": (
        "splu.T3", "splu.theorem3", "f, _epsilon: f >= 1", "f, _epsilon: f >= 0",
    ),
    "what a witness allows as a constant": (
        "splu.T3", "splu.theorem3", "error_bound(gamma, epsilon, f),", "Fraction(1, 3),",
    ),
    "a statement at fewer cases": ("splu.S", "splu.sawtooth", "for gamma in (2, 3, 5)", "for gamma in (2,)"),
    "a quantity by the other formula": (
        "chaytor.DPPUBc", "chaytor.differential_privacy", r'Quantity(r"e^{\varepsilon}", _ratio)',
        r'Quantity(r"e^{\varepsilon}", lambda p, m: (1 + (m - 1) * p) / (1 - p))',
    ),
    "a step about something smaller": ("chaytor.COMP", "chaytor.compound", "u * k * m - u * m", "u * 0"),
    "a hypothesis more in a step": ("chaytor.COMP", "chaytor.compound", "(u, k - 1, m)", "(u, k - 2, m)"),
    "the law of the printed text for the true one": (
        "splu.T3c", "arithmetic.law", "comb(n, k) * (gamma - 1)", "comb(n, k) * (gamma + 1)",
    ),
    "tables that are left out": ("splu.AC", "worlds.valid_plans", "yield", "continue; yield"),
    "the machinery": ("splu.T3", "check", "return count", "return self.cases"),
}  # fmt: skip
"""Changes of the text of evidence alone, as if it gave the same values: a claim, a module, and the change."""


@pytest.mark.parametrize("name", SAME_VALUES)
def test_other_evidence_with_the_same_values_is_refused_unless_it_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: Callable[[], None]
) -> None:
    claim_id, module, old, new = SAME_VALUES[name]
    claim, genuine, place = LEDGER.get(claim_id), reach.source_of, f"splu_proofs.{module}"
    affirm(claim, tmp_path, reason="A test.", measured={})
    assert differences(claim, tmp_path) == {}
    assert old in genuine(place)
    fresh()
    monkeypatch.setattr(
        reach, "source_of", lambda name: genuine(name).replace(old, new) if name == place else genuine(name)
    )
    [part] = differences(claim, tmp_path)
    assert part == ("machinery" if module == "check" else "evidence")
    assert f"changed: {part}; " in outdated(claim, tmp_path)
    with pytest.raises(InputError, match=rf"says something else than was affirmed \({part}: "):
        _ledger(claim, tmp_path).reaffirm(claim_id, reason="A test.", changes=["words", "steps", "values"])


def test_a_claim_cannot_be_affirmed_as_new_without_saying_so(tmp_path: Path) -> None:
    affirm(_copy(COMPUTED), tmp_path, reason="A test.")
    file = tmp_path / "chaytor" / "affirmed.toml"
    file.write_text("")
    with pytest.raises(InputError, match="never affirmed: if it is a new claim, add --changes new"):
        _ledger(_copy(COMPUTED), tmp_path).reaffirm(COMPUTED, reason="A test.", changes=PARTS)


def test_nothing_is_affirmed_while_a_claim_is_missing(tmp_path: Path) -> None:
    for claim_id in (COMPUTED, ENUMERATED):
        affirm(_copy(claim_id), tmp_path, reason="A test.", measured={})
    with pytest.raises(InputError, match=rf"{ENUMERATED}: affirmed once and now missing from the ledger"):
        _ledger(_copy(COMPUTED), tmp_path).reaffirm(COMPUTED, reason="A test.")


SAID: dict[str, tuple[str, Callable[[], Claim]]] = {
    "words that say the opposite": ("words", lambda: _copy(COMPUTED, words="False for every k.")),
    "a weaker statement": ("statement", lambda: _copy(COMPUTED, statement="0 = 0")),
    "a hypothesis more": ("hypotheses", lambda: _copy(COMPUTED, hypotheses=("k = 1",))),
    "the source in another chapter": ("source", lambda: _copy(COMPUTED, source="Chaytor, chapter 9")),
    "no licenses": ("licenses", lambda: _copy(ENUMERATED, licenses=())),
    "licenses of an unrelated module": (
        "licenses",
        lambda: _copy(ENUMERATED, licenses=("splu_ref.output.terminal",)),
    ),
    "no dependencies": ("rests_on", lambda: _copy("splu.E1")),
    "no tests": ("tests", lambda: _copy(ENUMERATED, tests=())),
    "a wider range": ("scope", lambda: _copy(COMPUTED, instances="every group")),
    "a conclusion that no step gives": (
        "steps",
        lambda: _with_steps(_copy(DERIVED), conclusion="So no attribute is ever disclosed."),
    ),
    "a setting that no step uses": ("steps", lambda: _with_steps(_copy(DERIVED), setting="All p are 1.")),
    "a step with a weaker formula": (
        "steps",
        lambda: _with_steps(
            _copy(DERIVED), steps=tuple(map(_doubled, LEDGER.get(DERIVED).derivations[0]().steps))
        ),
    ),
    "true steps about something else": ("steps", lambda: _with_steps(_copy(DERIVED), steps=(HOLLOW,))),
    "a witness without smaller cases, for a reason": (
        "witness",
        lambda: _with_witness(_copy(REFUTED), smaller=tuple, count=0, none_smaller="It is the first."),
    ),
    "hypotheses that are met in words": (
        "witness",
        lambda: _with_witness(_copy(REFUTED), premises=("it is", "it is", "it is")),
    ),
    "another order": ("witness", lambda: _with_witness(_copy(REFUTED), order="whatever comes first")),
    "a check less": ("checks", lambda: _check_less(_copy(ENUMERATED))),
}


def _doubled(step: Any) -> Any:
    """Return a step that says twice as much."""
    names = ("then",) if isinstance(step, Inequality) else ("left", "right")
    return replace(step, **{name: partial(_twice, getattr(step, name)) for name in names})


def _twice(formula: Callable[..., Any], *at: Any) -> Any:
    return 2 * formula(*at)


def _check_less(claim: Claim) -> Claim:
    del claim.checks[0]
    return claim


@pytest.mark.parametrize("name", SAID)
def test_a_claim_that_says_something_else_is_refused_unless_the_part_is_named(
    name: str, tmp_path: Path
) -> None:
    part, make = SAID[name]
    changed = make()
    genuine = LEDGER.get(changed.id) if part == "rests_on" else _copy(changed.id)
    affirm(genuine, tmp_path, reason="A test.")
    [result] = _ledger(changed, tmp_path).run(changed.id)
    assert not result.passed
    assert f"proof outdated, changed: {part}" in result.message
    with pytest.raises(InputError, match=rf"says something else than was affirmed \({part}: .* -> "):
        _ledger(changed, tmp_path).reaffirm(changed.id, reason="A test.", changes=())
    assert part in differences(changed, tmp_path)


def test_a_named_change_is_kept_with_its_reason(tmp_path: Path) -> None:
    affirm(_copy(COMPUTED), tmp_path, reason="A test.")
    changed = _copy(COMPUTED, words="True of every k, as groups can be homogeneous.")
    shown = _ledger(changed, tmp_path).reaffirm(COMPUTED, reason="Plainer words.", changes=("words",))
    assert shown[COMPUTED]["words"].endswith("-> True of every k, as groups can be homogeneous.")
    note = blocks(tmp_path / "chaytor" / "affirmed.toml")[COMPUTED]["affirmed"]
    assert (note["reason"], note["changed"]) == ("Plainer words.", ["words"])
    with pytest.raises(InputError, match="affirming needs a reason"):
        _ledger(changed, tmp_path).reaffirm(COMPUTED, reason=" ")


def test_a_status_or_grade_beyond_the_evidence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="verified on instances, not proved"):
        _copy(COMPUTED, status=Status.PROVED)
    with pytest.raises(ValueError, match="name the instances, or why they are the whole statement"):
        _copy(COMPUTED, status=Status.PROVED, instances="")
    with pytest.raises(ValueError, match="name their range"):
        _copy(COMPUTED, instances="")
    overstated = _copy(COMPUTED, status=Status.PROVED, grade=Grade.SYMBOLIC, instances="")
    with pytest.raises(InputError, match="reaches the grade exact, not symbolic"):
        _ledger(overstated, tmp_path).reaffirm(COMPUTED, reason="A test.", changes=["new"])


def test_there_are_forty_kinds_and_more() -> None:
    assert len(EVIDENCE) + len(SAME_VALUES) + len(SAID) >= 40


def test_a_function_is_perturbed_where_it_is_bound_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where functions are bound is kept until a module is imported, so a name may hold another one since."""
    module: Any = ModuleType("splu_proofs.made_up")
    module.first, module.second = partial(int, "1"), partial(int, "2")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for functions in ((module.first, module.second), (module.second, module.first)):
        module.first, module.second = functions
        with perturbation("splu_proofs.made_up:second larger").applied(lambda: None):
            assert (module.first(), module.second()) == (functions[0](), functions[1]() + 1)
        assert (module.first, module.second) == functions
