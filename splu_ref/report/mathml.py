"""The LaTeX of the ledger's statements as MathML, which browsers set without a script or a font.

Only what the statements use is known. Anything else is shown as it is written, so nothing is lost.
"""

from __future__ import annotations

import re
from html import escape

from markupsafe import Markup

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "varepsilon": "ε", "epsilon": "ε",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "varphi": "φ",
    "phi": "φ", "infty": "∞", "pi": "π", "Delta": "Δ",
    "ell": "ℓ", "emptyset": "∅", "Pi": "Π",
}  # fmt: skip
OPERATORS = {
    "ge": "≥", "le": "≤", "ne": "≠", "in": "∈", "sim": "∼", "mid": "∣", "to": "→", "mapsto": "↦",
    "iff": "⟺", "Rightarrow": "⇒", "Longrightarrow": "⟹", "approx": "≈", "cdot": "⋅", "times": "×",
    "wedge": "∧", "lnot": "¬", "otimes": "⊗", "setminus": "∖", "ldots": "…", "dots": "…", "pm": "±",
    "equiv": "≡", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "{": "{", "}": "}",
    "|": "‖", "subseteq": "⊆", "#": "#", "subset": "⊂",
    "subsetneq": "⊊", "ll": "≪", "colon": ":", "cup": "∪", "cap": "∩", "%": "%", "int": "∫",
    "Longleftrightarrow": "⟺", "exists": "∃", "notin": "∉",
}  # fmt: skip
FUNCTIONS = {
    "Pr": "Pr", "max": "max", "min": "min", "arg": "arg", "log": "log", "ln": "ln", "exp": "exp",
    "lim": "lim", "lg": "lg",
}  # fmt: skip
LARGE = {"sum": "∑", "prod": "∏"}
LIMITED = {"max", "min", "lim", *LARGE}
MATRIX_END = r"\end{pmatrix}"
ACCENTS = {"tilde": "~", "hat": "^", "bar": "¯"}
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
SPACES = {" ": ".35em", ",": ".17em", ";": ".28em", ":": ".22em", "!": "0", "quad": "1em", "qquad": "2em"}
SPACES["textstyle"] = "0"  # how large a sum is set is left to the reader
BIG = {"left", "right", "big", "bigl", "bigr", "Big", "Bigl", "Bigr"}
BLACKBOARD = {"N": "ℕ", "Z": "ℤ", "Q": "ℚ", "R": "ℝ", "E": "𝔼"}
_LEXEME = re.compile(r"\\([A-Za-z]+|.)|([0-9]+(?:\.[0-9]+)?|\.[0-9]+)|(\s+)|(.)", re.DOTALL)
_BREAK = re.compile(r"\\q?quad(?![A-Za-z])")


class UnknownLatexError(ValueError):
    """LaTeX beyond what is known here."""


def mathml(latex: str) -> Markup:
    """Return ``latex`` as MathML, or as code if it uses something unknown.

    A statement is broken at its wide spaces, so that its parts wrap on a narrow screen.
    """
    try:
        parts = [_Parser(part).whole() for part in _BREAK.split(latex) if part.strip()]
    except UnknownLatexError:
        return Markup('<code class="tex">{}</code>').format(latex)
    formulas = "".join(f'<math displaystyle="true"><mrow>{part}</mrow></math> ' for part in parts)
    return Markup(f'<span class="math">{formulas}</span>')  # noqa: S704 - every text in it is escaped below


_GREEK = re.compile(
    r"(?<![\w.-])(alpha|beta|gamma|delta|epsilon|theta|kappa|lambda|mu|rho|sigma|phi|pi)(?=[\W_]|$)(?!\.\w)"
)
_COMPARED = {"&gt;=": "≥", "&lt;=": "≤", "!=": "≠", " -&gt; ": " → "}
_BELOW = re.compile(r"(?<![\w.-])([A-Za-zα-ω]′?)_([A-Za-z0-9]{1,3})(?![\w(])")
_ABOVE = re.compile(r"(?<=[\w)′])\^(\w+|\([^()]{1,40}\))")


def spoken(text: str) -> Markup:
    """Return a sentence with its mathematics set as such: ``gamma >= 2`` and ``x_3`` as γ ≥ 2 and x₃.

    What stands in the sentence is escaped. Names of options and of checks stay as they are.
    """
    told = escape(text, quote=False)
    for ascii_form, sign in _COMPARED.items():
        told = told.replace(ascii_form, sign)
    told = _GREEK.sub(lambda found: SYMBOLS[found[1]], told)
    told = re.sub(r"(?<![\w'])([A-Za-z])'(?![\w'])", r"\1′", told)
    told = _BELOW.sub(r"\1<sub>\2</sub>", told)
    told = _ABOVE.sub(lambda found: f"<sup>{found[1].removeprefix('(').removesuffix(')')}</sup>", told)
    return Markup(told)  # noqa: S704 - the text was escaped, and only tags without attributes were added


class _Parser:
    """Recursive descent over the text; every method returns MathML for what it consumed."""

    def __init__(self, latex: str) -> None:
        self._latex = latex
        self._place = 0

    def whole(self) -> str:
        """Return all of the text as MathML."""
        result = self._row()
        if self._place < len(self._latex):
            raise UnknownLatexError("a closing brace too many")
        return result

    def _peek(self) -> str:
        """Return the next lexeme without consuming it; spaces in the source mean nothing."""
        while self._latex[self._place : self._place + 1].isspace():
            self._place += 1
        match = _LEXEME.match(self._latex, self._place)
        return match[0] if match else ""

    def _take(self) -> str:
        lexeme = self._peek()
        self._place += len(lexeme)
        return lexeme

    def _take_one(self) -> str:
        """Consume what an argument without braces is: a command or one character."""
        lexeme = self._peek()
        if not lexeme.startswith("\\"):
            lexeme = lexeme[:1]
        self._place += len(lexeme)
        return lexeme

    def _row(self) -> str:
        """Return everything up to a closing brace or the end."""
        items = []
        while self._peek() not in {"", "}"}:
            items.append(self._scripted())
        return "".join(items)

    def _group(self) -> str:
        """Return an argument: a braced row, one lexeme, or one digit of a number."""
        if self._peek() != "{":
            return self._atom(self._take_one())
        self._take()
        row = self._row()
        if self._take() != "}":
            raise UnknownLatexError("a brace is not closed")
        return f"<mrow>{row}</mrow>"

    def _raw_group(self) -> str:
        """Return a braced argument as it is written."""
        end = self._latex.find("}", self._place)
        if self._take() != "{" or end < 0:
            raise UnknownLatexError("a braced text is expected")
        raw, self._place = self._latex[self._place : end], end + 1
        return raw

    def _scripted(self) -> str:
        """Return one item with its primes, subscript and superscript."""
        lexeme = self._peek()
        base = self._group() if lexeme == "{" else self._atom(self._take())
        below, above = "", ""
        while (mark := self._peek()) in {"_", "^", "'"}:
            self._take()
            if mark == "_":
                below += self._group()
            else:
                above += "<mo>′</mo>" if mark == "'" else self._group()
        return _with_scripts(base, below, above, limited=lexeme[1:] in LIMITED)

    def _atom(self, lexeme: str) -> str:
        if lexeme.startswith("\\"):
            return self._command(lexeme[1:])
        if lexeme[:1].isdigit() or (lexeme.startswith(".") and len(lexeme) > 1):
            return f"<mn>{lexeme}</mn>"
        if lexeme.isalpha():
            return f"<mi>{lexeme}</mi>"
        if lexeme in {"", "_", "^", "'", "&", "$", "#", "%", "~"}:
            raise UnknownLatexError(f"{lexeme!r} out of place")
        form = {"|": ' stretchy="false" lspace="0" rspace="0"'}.get(
            lexeme, ' stretchy="false"' if lexeme in {"(", ")", "[", "]"} else ""
        )
        return f"<mo{form}>{escape('−' if lexeme == '-' else lexeme)}</mo>"

    def _command(self, name: str) -> str:
        if name in SYMBOLS:
            return f"<mi>{SYMBOLS[name]}</mi>"
        if name in OPERATORS:
            return f'<mo stretchy="false">{OPERATORS[name]}</mo>'
        if name in FUNCTIONS:
            return f'<mi mathvariant="normal">{FUNCTIONS[name]}</mi>'
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in BIG:
            return f'<mo minsize="1.6em" maxsize="1.6em" stretchy="true">{escape(self._take())}</mo>'
        return self._construction(name)

    def _construction(self, name: str) -> str:
        """Return a command that takes arguments."""
        if name in {"frac", "tfrac", "dfrac"}:
            result = f"<mfrac>{self._group()}{self._group()}</mfrac>"
        elif name in {"binom", "tbinom"}:
            pair = f'<mfrac linethickness="0">{self._group()}{self._group()}</mfrac>'
            result = f"<mrow><mo>(</mo>{pair}<mo>)</mo></mrow>"
        elif name in ACCENTS:
            accent = f'<mo stretchy="false">{ACCENTS[name]}</mo>'
            result = f'<mover accent="true">{self._group()}{accent}</mover>'
        elif name in LARGE:
            result = f"<mo>{LARGE[name]}</mo>"
        elif name == "sqrt":
            result = f"<msqrt>{self._group()}</msqrt>"
        elif name == "begin":
            result = self._matrix()
        elif name in {"mathrm", "mathcal"} and self._peek().isalpha():
            variant = "script" if name == "mathcal" else "normal"
            result = f'<mi mathvariant="{variant}">{self._take_one()}</mi>'
        elif name in {"text", "mathrm", "operatorname"}:
            result = f"<mtext>{escape(self._raw_group()).replace(' ', NO_BREAK_SPACE)}</mtext>"
        elif name == "mathit":
            result = f"<mi>{escape(self._raw_group())}</mi>"
        elif name == "mathbb" and (letter := self._raw_group()) in BLACKBOARD:
            result = f"<mi>{BLACKBOARD[letter]}</mi>"
        else:
            raise UnknownLatexError(f"the command {name!r}")
        return result

    def _matrix(self) -> str:
        """Return a matrix in parentheses."""
        end = self._latex.find(MATRIX_END, self._place)
        if self._raw_group() != "pmatrix" or end < 0:
            raise UnknownLatexError("only a whole pmatrix is known")
        body, self._place = self._latex[self._place : end], end + len(MATRIX_END)
        rows = [[_Parser(cell).whole() for cell in row.split("&")] for row in body.split("\\\\")]
        cells = "".join(f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows)
        return f"<mrow><mo>(</mo><mtable>{cells}</mtable><mo>)</mo></mrow>"


def _with_scripts(base: str, below: str, above: str, *, limited: bool) -> str:
    if not below and not above:
        return base
    kind = ("munder", "mover", "munderover") if limited else ("msub", "msup", "msubsup")
    below, above = (f"<mrow>{script}</mrow>" if script else "" for script in (below, above))
    tag = kind[2] if below and above else kind[0] if below else kind[1]
    return f"<{tag}>{base}{below}{above}</{tag}>"
