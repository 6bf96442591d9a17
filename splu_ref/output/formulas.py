"""Formulas in LaTeX as one line of plain text, for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

_TOKEN = re.compile(r"\\[A-Za-z]+\s*|\\.|\s+|.", re.DOTALL)
_SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "theta": "θ",
    "kappa": "κ", "lambda": "λ", "mu": "μ", "pi": "π", "Pi": "Π", "rho": "ρ", "sigma": "σ", "phi": "φ",
    "varphi": "φ", "ell": "ℓ", "le": " ≤ ", "ge": " ≥ ", "ne": " ≠ ", "ll": " ≪ ", "sim": " ~ ",
    "approx": " ≈ ", "in": " ∈ ", "notin": " ∉ ", "subset": " ⊂ ", "subseteq": " ⊆ ", "subsetneq": " ⊊ ",
    "cap": " ∩ ", "cup": " ∪ ", "setminus": " ∖ ", "times": " × ", "otimes": " ⊗ ", "cdot": " · ",
    "mid": " | ", "to": " → ", "mapsto": " ↦ ", "Rightarrow": " ⇒ ", "Longrightarrow": " ⇒ ", "iff": " ⇔ ",
    "Longleftrightarrow": " ⇔ ", "wedge": " ∧ ", "exists": "∃ ", "emptyset": "∅", "infty": "∞", "int": "∫",
    "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "dots": "…", "ldots": "…", "colon": ": ",
    "quad": "   ", "qquad": "   ", "sum": "sum", "prod": "product", "Pr": "Pr",
}  # fmt: skip
_WORDS = {"max", "min", "lim", "arg", "ln", "lg", "log", "sum", "prod", "Pr"}
_ACCENTS = dict.fromkeys(("text", "mathrm", "operatorname", "mathcal", "mathbb", "mathit"), "")
_ACCENTS |= {"hat": "^", "bar": "¯", "tilde": "~"}
_ARGUMENTS = {
    **dict.fromkeys((*_ACCENTS, "sqrt", "begin", "end"), 1),
    **dict.fromkeys(("frac", "tfrac", "tbinom"), 2),
}
_SIGNS |= dict.fromkeys(("left", "right", "Bigl", "Bigr", "Big", "bigl", "bigr", "textstyle"), "")
_RELATIONS = {"=": " = ", "<": " < ", ">": " > ", "&": " "}
_SPACES = {
    "\\,": "",
    "\\;": " ",
    "\\ ": " ",
    "\\\\": "; ",
    "\\|": "‖",
    **{f"\\{sign}": sign for sign in "{}#%"},
}
_BRACKETED = r"|[(\[⌊⌈|][^()\[\]]*[)\]⌋⌉|]"
_ATOM = re.compile(r"[\w.′'^¯~…]+" + _BRACKETED)
_FACTOR = re.compile(r"[0-9.]+|\w[′'^¯~]?(_\w+)?(\^\w+)?" + _BRACKETED)


def plain_formula(latex: str) -> str:
    """Return a formula in LaTeX as one line of text: fractions with ``/``, limits after ``_`` and ``^``.

    A command that is not known is written by its name.
    """
    text = _sequence(iter(_TOKEN.findall(latex)))
    text = re.sub(r" +([,;:)\]_^]|\.(?![0-9]))", r"\1", " ".join(text.split()))
    return re.sub(r"\b(Pr|max|min|ln|lg|log) (?=[(\[])|(?<=[({\[]) ", r"\1", text)


def _sequence(tokens: Iterator[str]) -> str:
    """Return the text up to the end, or up to the brace that closes a group."""
    return "".join(_text(each, tokens) for each in takewhile(lambda each: each != "}", tokens))


def _text(token: str, tokens: Iterator[str]) -> str:
    """Return the text of a token with its arguments."""
    sign = token.strip()
    if sign == "{":
        return _sequence(tokens)
    if sign in ("_", "^"):
        return sign + _grouped(_argument(tokens))
    if token.startswith("\\"):
        return _SPACES[token] if token in _SPACES else _command(sign[1:], tokens)
    return _RELATIONS.get(token, token)


def _command(name: str, tokens: Iterator[str]) -> str:
    """Return the text of a command with its arguments."""
    arguments = [_argument(tokens) for _ in range(_ARGUMENTS.get(name, 0))]
    if name in ("frac", "tfrac"):
        return "/".join(_grouped(each, _FACTOR) for each in arguments)
    if name == "sqrt":
        return f"√{_grouped(arguments[0], _FACTOR)}"
    if name == "tbinom":
        return f"C({', '.join(arguments)})"
    if arguments:
        return arguments[0] + _ACCENTS[name] if name in _ACCENTS else " "
    spaced = " " if name in _WORDS else ""
    return spaced + _SIGNS.get(name, name) + spaced


def _argument(tokens: Iterator[str]) -> str:
    """Return the text of the next group or token."""
    token = next((each for each in tokens if not each.isspace()), "")
    return _text(token, tokens)


def _grouped(text: str, alone: re.Pattern[str] = _ATOM) -> str:
    """Return a text in parentheses unless it matches a pattern, or is one sign."""
    bare = text.strip()
    return bare if alone.fullmatch(bare) or len(bare) == 1 else f"({bare})"
