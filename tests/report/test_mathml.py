from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from splu_proofs import LEDGER
from splu_ref.report.mathml import mathml, spoken


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{1}{\gamma}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>γ</mi></mrow></mfrac>"),
        (r"\tfrac1\gamma", "<mfrac><mn>1</mn><mi>γ</mi></mfrac>"),
        ("f'_c", "<msubsup><mi>f</mi><mrow><mi>c</mi></mrow><mrow><mo>′</mo></mrow></msubsup>"),
        (r"z^{a+1}", "<msup><mi>z</mi><mrow><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow></mrow></msup>"),
        (r"\max_v", '<munder><mi mathvariant="normal">max</mi><mrow><mi>v</mi></mrow></munder>'),
        (r".05", "<mn>.05</mn>"),
        (r"\text{if } x<1", "<mtext>if\N{NO-BREAK SPACE}</mtext><mi>x</mi><mo>&lt;</mo><mn>1</mn>"),
    ],
)
def test_known_forms(latex: str, expected: str) -> None:
    assert mathml(latex) == (
        f'<span class="math"><math displaystyle="true"><mrow>{expected}</mrow></math> </span>'
    )


@pytest.mark.parametrize("latex", [r"\foo", "{x", "x}", r"\text x", "_", "a & b", r"\mathbb{7}", r"\frac{1}"])
def test_the_unknown_is_shown_as_it_is_written(latex: str) -> None:
    assert mathml(latex).unescape() == f'<code class="tex">{latex}</code>'


def test_roots_and_matrices() -> None:
    assert "<msqrt><mi>n</mi></msqrt>" in mathml(r"\sqrt n")
    matrix = mathml(r"\begin{pmatrix}a&b\\c&d\end{pmatrix}")
    assert matrix.count("<mtr>") == 2
    assert matrix.count("<mtd>") == 4
    for broken in (r"\begin{pmatrix}a", r"\begin{cases}a\end{cases}", r"\end{pmatrix}"):
        assert "<code" in mathml(broken)


def test_hostile_texts_are_escaped() -> None:
    for latex in (r"\text{<b>}", r"\mathit{<b>}", "<b>", r"\bigl<b>", r"\nothing<b>"):
        assert "<b>" not in mathml(latex)


def test_every_statement_of_the_ledger_is_known_and_well_formed() -> None:
    statements = [str(row["statement"]) for row in LEDGER.rows()]
    assert statements
    for statement in statements:
        result = mathml(statement)
        assert result.startswith('<span class="math">'), statement
        ElementTree.fromstring(re.sub("&(?!lt;|gt;|amp;)", "&amp;", result))


def test_wide_spaces_break_a_statement_into_parts() -> None:
    assert mathml(r"a\quad b\qquad c").count("<math ") == 3


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("for gamma >= 2 and f <= 9", "for γ ≥ 2 and f ≤ 9"),
        ("T_P and x_3 at f' = 1", "T<sub>P</sub> and x<sub>3</sub> at f′ = 1"),
        ("gamma^2 f, (1+z)^(gamma f)", "γ<sup>2</sup> f, (1+z)<sup>γ f</sup>"),
        ("<b> & T_P < 1", "&lt;b&gt; &amp; T<sub>P</sub> &lt; 1"),
        ("--gamma 3, gamma5.law, e_values, the reader's", "--gamma 3, gamma5.law, e_values, the reader's"),
    ],
)
def test_a_sentence_has_its_mathematics_set(text: str, shown: str) -> None:
    assert spoken(text) == shown
