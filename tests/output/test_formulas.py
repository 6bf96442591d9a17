"""Formulas in LaTeX as plain text."""

from __future__ import annotations

import re

import pytest

from splu_ref.cli.ledger import load_ledger
from splu_ref.output import plain_formula


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{\gamma\varepsilon^2f^2}", "1/(γε^2f^2)"),
        (r"\tfrac1\gamma", "1/γ"),
        (r"\Pr(|f'-f|\ge\varepsilon f) \le \frac{a+b}{c}", "Pr(|f'-f| ≥ εf) ≤ (a+b)/c"),
        (r"\sum_{x=\lceil a\rceil}^n \hat f_{ij}", "sum_(x = ⌈a⌉)^n f^_ij"),
        (r"\sqrt{a b}\quad\text{for } 0 < a", "√(a b) for 0 < a"),
        (r"\tbinom{n}{k},\ .5\%", "C(n, k), .5%"),
        (r"\begin{cases} a & b \\ c \end{cases}", "a b; c"),
        (r"\Bigl(\tfrac37\lg 3\Bigr)", "(3/7 lg 3)"),
        (r"\unknown{x}", "unknownx"),
        ("{a", "a"),
    ],
)
def test_a_formula_is_one_line(latex: str, text: str) -> None:
    assert plain_formula(latex) == text


def test_no_markup_is_left_of_any_claim() -> None:
    rows = load_ledger().rows()
    formulas = [text for row in rows for text in (row["statement"], *row["hypotheses"])]
    assert len(formulas) > 300
    for latex in formulas:
        text = plain_formula(latex)
        assert text
        assert not {"\\", "\n"} & set(text)
        assert text.count("(") == text.count(")") or latex.count("(") != latex.count(")")
        # No command is left by its name.
        assert not re.search("varepsilon|frac|Bigl|mathrm|operatorname|quad|leq?q|lfloor", text)
