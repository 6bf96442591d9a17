from __future__ import annotations

import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from splu_ref.channels.parameters import (
    Concept,
    ConceptGuarantee,
    DataError,
    Gamma,
    InputError,
    ParameterError,
    PrivacyClaim,
    SpluRequirement,
    UtilityClaim,
    exact,
    integer,
    offer_options,
    options_spoken,
    positive,
    probability,
    retention_probability,
    shown,
)


@pytest.mark.parametrize(
    "value", ["0.3", "3/10", " 0.30 ", "+.3", "3e-1", "30E-2", Fraction(3, 10), Decimal("0.3")]
)
def test_one_number_has_many_spellings(value: Any) -> None:
    assert exact(value) == Fraction(3, 10)


def test_a_float_is_refused_with_the_way_to_write_it() -> None:
    value: Any = 0.3
    with pytest.raises(ParameterError, match=r'epsilon is the float 0\.3.*write "0\.3" in quotes'):
        exact(value, "epsilon")


@pytest.mark.parametrize(
    "value",
    ["", "abc", "1/0", "1_000", "٣", "0x10", "nan", "inf", "1e9999", "1" * 401, "1/2/3", "--1", True, None,
     Decimal("NaN"), Decimal("Infinity"), Decimal("1e999999999"), Decimal("-1e-99999"), Decimal("1" * 500)],
)  # fmt: skip
def test_what_is_no_number_is_refused_on_one_line(value: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        exact(value, "epsilon")
    message = str(caught.value)
    assert message.startswith("epsilon is ")
    assert "\n" not in message
    assert len(message) < 200


def test_gamma_is_an_integer_of_at_least_two() -> None:
    assert Gamma("5") == 5
    assert Gamma(Gamma(5)) + 1 == 6
    assert repr(Gamma(5)) == "Gamma(5)"
    assert f"{Gamma(5)}" == "5"
    for value in (1, 0, -3, "2.5", "5/2"):
        with pytest.raises(ParameterError, match="whole number of at least 2"):
            Gamma(value)


def test_concepts_are_sorted_and_parsed() -> None:
    concept = Concept.parse(["sex=Male", "note=a=b", "age=39"])
    assert concept.assignments == (("age", "39"), ("note", "a=b"), ("sex", "Male"))
    assert concept == Concept.of({"age": "39", "sex": "Male", "note": "a=b"})
    assert str(concept) == "age=39 and note=a=b and sex=Male"
    for texts in ([], ["sex"], ["=x"], ["sex=Male", "sex=Female"]):
        with pytest.raises(ParameterError):
            Concept.parse(texts)


def test_claims_hold_exact_numbers_in_range() -> None:
    utility = UtilityClaim.of("0.05", "1/100", 2401)
    privacy = PrivacyClaim.of("3/10", "0.6", 3)
    assert (utility.epsilon, utility.t_e, utility.t_f) == (Fraction(1, 20), Fraction(1, 100), 2401)
    assert SpluRequirement(utility, privacy).privacy.alpha == 3
    assert ConceptGuarantee(Concept.of({"a": "b"}), Fraction(3, 10), Fraction(3, 5)).t_p == Fraction(3, 5)
    with pytest.raises(ParameterError, match="epsilon must be greater than 0"):
        PrivacyClaim.of(0, "0.6", 3)
    with pytest.raises(ParameterError, match="t_p is a probability"):
        PrivacyClaim.of("0.3", "1.2", 3)
    with pytest.raises(ParameterError, match="alpha must be a whole number of at least 1"):
        PrivacyClaim.of("0.3", "0.6", 0)
    with pytest.raises(ParameterError, match="t_f must be a whole number"):
        UtilityClaim.of("0.3", "0.6", "1/2")
    with pytest.raises(ParameterError, match="choose alpha below t_f"):
        SpluRequirement(UtilityClaim.of("0.3", "0.1", 3), privacy)


def test_claims_check_what_is_passed_directly() -> None:
    value: Any = 0.3
    with pytest.raises(ParameterError, match="float"):
        PrivacyClaim(value, Fraction(1, 2), 3)
    with pytest.raises(ParameterError, match="float"):
        UtilityClaim(Fraction(1, 2), value, 3)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(3, 10), "3/10"),
        (-5, "-5"),
        (10**20 - 1, "9" * 20),
        (10**20, "about 1.000e20"),
        (-(10**5000), "about -1.000e5000"),
        (Fraction(1, 10**300), "about 1.000e-300"),
        (Fraction(123456, 10**40), "about 1.234e-35"),
        (2**4000, "about 1.318e1204"),
        (Fraction(2, 3 * 10**30), "about 6.666e-31"),
        (Fraction(10**30, 10**30 + 1), "about 9.999e-1"),
        (10**100_000, "about 1.000e100000"),
        (Fraction(-7, 3 * 10**100_000), "about -2.333e-100000"),
    ],
    ids=range(12),
)
def test_numbers_in_messages(number: Fraction | int, text: str) -> None:
    assert shown(number) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.3, 'e is the float 0.3, which is not an exact number: write "0.3" in quotes, or Fraction("0.3")'),
        (True, 'e is True, not a number: write it as "0.3" or "3/10"'),
        ("3/0", "e is '3/0': the denominator must not be zero"),
        ("1e", """e is '1e', not a number: write it as "0.3" or "3/10\""""),
        ("30%", """e is '30%', not a number: write 30% as "0.3" or "3/10\""""),
        ("x" * 40, f"""e is '{"x" * 40}', not a number: write it as "0.3" or "3/10\""""),
        ("x" * 41, f"""e is '{"x" * 37}...', not a number: write it as "0.3" or "3/10\""""),
        (f"{'1' * 40}/0", f"e is '{'1' * 37}...': the denominator must not be zero"),
        (Decimal("NaN"), 'e is NaN, not a finite number: write it as "0.3" or "3/10"'),
        (Decimal("1e1000"), """e is '1E+1000', not a number: write it as "0.3" or "3/10\""""),
        (None, 'e is a NoneType: write it as "0.3", "3/10" or a Fraction'),
    ],
)
def test_why_a_value_is_no_number(value: Any, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        exact(value, "e")
    assert str(error.value) == message
    with pytest.raises(ParameterError, match=r"^value is "):
        exact(value)


def test_numbers_have_so_many_digits_and_no_more() -> None:
    many, more = "1" * 400, "1" * 401
    for text in (many, f"{many}.{many}", f".{many}", f"{many}/{many}", f"-{many}e999", "1.", "+1E-999"):
        assert exact(text) == Fraction(text)
    for text in (
        more,
        f"1.{more}",
        f".{more}",
        f"{more}/1",
        f"1/{more}",
        "1e1000",
        "1e-1000",
        ".",
        "1/",
        "/1",
        ".",
    ):
        with pytest.raises(ParameterError, match="not a number"):
            exact(text)


def test_limits_are_within_what_they_limit() -> None:
    assert (probability(0, "p"), probability(1, "p"), integer(3, "n", 3)) == (Fraction(0), Fraction(1), 3)
    assert positive(Fraction(1, 10**9), "p") == Fraction(1, 10**9)
    assert retention_probability(None, Gamma(4)) == Fraction(1, 4)
    assert retention_probability(1, Gamma(4)) == 1
    for check, message in (
        (lambda: positive(0, "p"), "p must be greater than 0, not 0"),
        (lambda: probability("-1/9", "p"), "p is a probability and must lie between 0 and 1, not -1/9"),
        (lambda: probability("10/9", "p"), "p is a probability and must lie between 0 and 1, not 10/9"),
        (lambda: integer(2, "n", 3), "n must be a whole number of at least 3, not 2"),
        (lambda: integer("7/2", "n", 3), "n must be a whole number of at least 3, not 7/2"),
        (lambda: Gamma(1), "gamma must be a whole number of at least 2, not 1"),
        (
            lambda: retention_probability("9/8", Gamma(4)),
            "retention is a probability and must be at most 1, not 9/8",
        ),
        (lambda: retention_probability(0, Gamma(4)), "retention must be greater than 0, not 0"),
        (lambda: Concept(()), "a concept needs at least one assignment, such as occupation=Sales"),
        (
            lambda: Concept((("a", "1"), ("a", "1"))),
            "a concept assigns column 'a' twice: give each column one value",
        ),
        (lambda: Concept.parse(["ab"]), "'ab' is not an assignment: write COLUMN=VALUE"),
    ):
        with pytest.raises(ParameterError) as error:
            check()
        assert str(error.value) == message


def test_remedies_are_written_as_options_or_as_parameters() -> None:
    reported = InputError(
        "--missing '?', (--missing 'no') --method exact --force --id x --sensitive a --bins b=1 --keyed"
    )
    assert str(reported) == (
        "missing='?', (missing='no') method='exact' force=True id_column x sensitive a bins b=1 --keyed"
    )
    with options_spoken():
        assert str(reported) == reported.args[0]
        with options_spoken():
            pass
        assert str(reported) == reported.args[0]
    assert str(reported).startswith("missing=")


def test_a_remedy_is_reported_only_where_its_option_or_parameter_exists() -> None:
    error = DataError("drop the rows", "say --missing '?'", "say --separator tab", "write them anew")
    wanted = (
        "drop the rows or say missing='?' or read it by read_table(path, separator='tab') or write them anew"
    )
    assert str(error) == wanted
    with options_spoken():
        assert str(error) == "drop the rows or write them anew"
        offer_options(("--separator", "--force"))
        assert str(error) == "drop the rows or say --separator tab or write them anew"
    offer_options(("--separator",))
    assert str(error) == wanted
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(DataError()) == ""


NUMBERS: dict[Callable[..., object], dict[str, tuple[object, ...]]] = {
    UtilityClaim.of: {"epsilon": (0, "x"), "t_e": (2, "x"), "t_f": (0, "x")},
    UtilityClaim: {"epsilon": (Fraction(0),), "t_e": (Fraction(2),), "t_f": (0,)},
    PrivacyClaim.of: {"epsilon": (0, "x"), "t_p": (2, "x"), "alpha": (0, "x")},
    PrivacyClaim: {"epsilon": (Fraction(0),), "t_p": (Fraction(2),), "alpha": (0,)},
}


@pytest.mark.parametrize("claim", NUMBERS)
def test_each_number_of_a_claim_is_checked_and_named(claim: Callable[..., object]) -> None:
    one: dict[str, object] = dict.fromkeys(NUMBERS[claim], 1)
    assert claim(**one) is not None
    for name, refused in NUMBERS[claim].items():
        for value in refused:
            with pytest.raises(ParameterError, match=f"^{name} "):
                claim(**one | {name: value})


def test_a_requirement_has_alpha_below_t_f_and_a_concept_a_distance_and_a_probability() -> None:
    with pytest.raises(ParameterError, match=r"alpha = 3 .* t_f = 3 .*: choose alpha below t_f"):
        SpluRequirement(UtilityClaim.of(1, 1, 3), PrivacyClaim.of(1, 1, 3))
    for numbers, named in (((Fraction(0), Fraction(1)), "epsilon"), ((Fraction(1), Fraction(2)), "t_p")):
        with pytest.raises(ParameterError, match=f"^{named} "):
            ConceptGuarantee(Concept.of({"a": "b"}), *numbers)
