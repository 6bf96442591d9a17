from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from splu_proofs import LEDGER
from splu_ref.report.mathml import mathml, spoken

CLOSE = 'lspace="0" rspace="0"'
PRIMED = '<mi class="primed">f′</mi>'


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\frac{1}{\gamma}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>γ</mi></mrow></mfrac>"),
        ("f'_c", f"<msub>{PRIMED}<mi>c</mi></msub>"),
        ("f'", f"<mrow>{PRIMED}</mrow>"),
        (r"\max_v", f"<munder><mo {CLOSE}>max</mo><mi>v</mi></munder>"),
        (r"|\Pr", f'<mo stretchy="false" {CLOSE}>|</mo><mo movablelimits="true" {CLOSE}>Pr</mo>'),
        (r"\arg \sim \setminus", f"<mo {CLOSE}>arg</mo><mo>∼</mo><mo>∖</mo>"),
        (r"\text{if } x<1", "<mtext>if\N{NO-BREAK SPACE}</mtext><mi>x</mi><mo>&lt;</mo><mn>1</mn>"),
    ],
)
def test_known_forms(latex: str, expected: str) -> None:
    assert mathml(latex) == (
        f'<span class="math"><math displaystyle="true"><mrow>{expected}</mrow></math> </span>'
    )


@pytest.mark.parametrize("latex", [r"\foo", "_", r"\begin{pmatrix}a", r"\left(x"])
def test_the_unknown_is_shown_as_it_is_written(latex: str) -> None:
    assert mathml(latex).unescape() == f'<code class="tex">{latex}</code>'


def test_hostile_texts_are_escaped() -> None:
    for latex in (r"\text{<b>}", r"\mathit{<b>}", "<b>", r"\bigl<b>", r"\nothing<b>", r"\text{&lt;b&gt;}"):
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
