"""The LaTeX of the ledger's statements as MathML, which browsers set without a script or a font."""

from __future__ import annotations

import re
from html import escape, unescape
from unicodedata import category
from xml.etree.ElementTree import Element, SubElement, tostring

from latex2mathml.converter import convert_to_element
from markupsafe import Markup

_BREAK = re.compile(r"\\q?quad(?![A-Za-z])")
_MISSING = {r"\arg": r"\operatorname{arg}", r"\lceil": "⌈", r"\rceil": "⌉", r"\sim": "∼", r"\setminus": "∖"}
"""What stands for markup that the library does not know, or sets as characters that fonts lack."""
_COMMAND = re.compile(r"\\[A-Za-z]+")
_LIMITED = {"max", "min", "lim"}
_PRIMES = {"′", "″", "‴"}


def mathml(latex: str) -> Markup:
    """Return ``latex`` as MathML, or as code if it uses something unknown.

    A statement is broken at its wide spaces, so that its parts wrap on a narrow screen.
    """
    try:
        parts = [_formula(part) for part in _BREAK.split(latex) if part.strip()]
    except Exception:  # the library has no common class for what it raises
        parts = ["\\"]
    if any("\\" in part for part in parts):  # the library leaves a command that it does not know as it is
        return Markup('<code class="tex">{}</code>').format(latex)
    formulas = "".join(f"{part} " for part in parts)
    return Markup(f'<span class="math">{formulas}</span>')  # noqa: S704 - every text in it was escaped


def _formula(latex: str) -> str:
    known = _COMMAND.sub(lambda found: _MISSING.get(found[0], found[0]), latex)
    root = convert_to_element(known, display="block")
    root.attrib = {"displaystyle": "true"}
    for each in list(root.iter()):
        each.text = each.text and unescape(each.text)
    for each in list(root.iter()):
        _adapt(each)
    return tostring(root, encoding="unicode", method="html")


def _adapt(each: Element) -> None:
    """Space operators, close up names and bars, place limits below, and set primes beside their letter.

    A prime in a superscript would be raised twice by a font without mathematics.
    """
    if each.tag == "mi" and each.text and (each.text in ";:" or category(each.text[0]) == "Sm"):
        each.tag = "mo"
    elif each.tag == "mo" and each.text and (each.text == "|" or each.text.isalpha()):
        each.attrib |= {"lspace": "0", "rspace": "0"}
    children = list(each)
    if each.tag == "msub" and children[0].text in _LIMITED:
        each.tag = "munder"
    elif each.tag in ("msup", "msubsup") and children[-1].text in _PRIMES:
        each.remove(children[-1])
        each.tag = "mrow" if each.tag == "msup" else "msub"
        each.remove(children[0])
        each.insert(0, _primed(children[0], children[-1].text or ""))


def _primed(base: Element, prime: str) -> Element:
    """Return a letter with its prime in one name, which is set without a space between them."""
    if base.tag == "mi" and base.text and len(base.text) == 1:
        name = Element("mi", {"class": "primed"})
        name.text = base.text + prime
        return name
    row = Element("mrow")
    row.append(base)
    SubElement(row, "mo", {"lspace": "0", "rspace": "0"}).text = prime
    return row


_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "phi": "φ", "pi": "π",
}  # fmt: skip
_LETTER = re.compile(rf"(?<![\w.-])({'|'.join(_GREEK)})(?=[\W_]|$)(?!\.\w)")
_COMPARED = {"&gt;=": "≥", "&lt;=": "≤", "!=": "≠", " -&gt; ": " → "}
_BELOW = re.compile(r"(?<![\w.-])([A-Za-zα-ω]′?)_([A-Za-z0-9]{1,3})(?![\w(])")
_ABOVE = re.compile(r"(?<=[\w)′])\^(\w+|\([^()]{1,40}\))")


def spoken(text: str) -> Markup:
    """Return a sentence with its mathematics set as such: ``gamma >= 2`` and ``x_3`` as γ ≥ 2 and x₃.

    What stands in the sentence is escaped. Names of options and of checks stay as they are.
    """
    markup = escape(text, quote=False)
    for ascii_form, sign in _COMPARED.items():
        markup = markup.replace(ascii_form, sign)
    markup = _LETTER.sub(lambda found: _GREEK[found[1]], markup)
    markup = re.sub(r"(?<![\w'])([A-Za-z])'(?![\w'])", r"\1′", markup)
    markup = _BELOW.sub(r"\1<sub>\2</sub>", markup)
    markup = _ABOVE.sub(lambda found: f"<sup>{found[1].removeprefix('(').removesuffix(')')}</sup>", markup)
    return Markup(markup)  # noqa: S704 - the text was escaped, and only tags without attributes were added
